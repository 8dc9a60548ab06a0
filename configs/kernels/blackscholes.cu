/* European call and put prices by the Black-Scholes formula, one option at a time in a grid-stride loop.
 *
 * Follows the BlackScholes sample of the CUDA SDK: three input and two output arrays read and written once (streaming),
 * 480 CTAs of 128 threads, the cumulative normal distribution by the five-term polynomial of Abramowitz and Stegun
 * 26.2.17, hardware logarithm and exponential. */
#include "device.h"

/* Probability that a standard normal variable is below d; the polynomial itself is within 7.5e-8. */
static __device__ __forceinline__ float cumulative_normal(float d)
{
	float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
	float poly = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
	float tail = 0.39894228f * __expf(-0.5f * d * d) * poly;

	return d > 0.0f ? 1.0f - tail : tail;
}

extern "C" __global__ void blackscholes(float *__restrict__ call, float *__restrict__ put,
                                        const float *__restrict__ stock, const float *__restrict__ strike,
                                        const float *__restrict__ years, float rate, float volatility, int n)
{
	int threads = gridDim.x * blockDim.x;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
		float s = stock[i], x = strike[i], t = years[i];
		float spread = volatility * sqrtf(t);
		float d1 = (__logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / spread;
		float d2 = d1 - spread;
		float n1 = cumulative_normal(d1), n2 = cumulative_normal(d2);
		float discounted = x * __expf(-rate * t);

		call[i] = s * n1 - discounted * n2;
		put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
	}
}
