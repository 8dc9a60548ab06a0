/* European call options by Monte Carlo simulation, in the manner of the CUDA SDK's MonteCarlo: one CTA of 256 threads
 * an option, all options over the same normally distributed samples in global memory. The host turns the sums that are
 * left into means and confidence intervals. */
#include "device.h"

#define THREADS 256
#define MAX_OPTIONS 2048

struct option {
	float stock, strike;
	float drift;  /* (rate - volatility^2 / 2) * years */
	float spread; /* volatility * sqrt(years) */
};
__constant__ struct option options[MAX_OPTIONS];

/* Quantiles of the standard normal distribution by the approximation of Beasley, Springer and Moro (error 3e-9): a
 * quotient of polynomials in the middle, a polynomial in log(-log p) in the tails. */
static __device__ __forceinline__ float quantile_middle(float y)
{
	float r = y * y;
	float above = ((-25.44106049637f * r + 41.39119773534f) * r - 18.61500062529f) * r + 2.50662823884f;
	float below = (((3.13082909833f * r - 21.06224101826f) * r + 23.08336743743f) * r - 8.47351093090f) * r + 1.0f;

	return y * above / below;
}

static __device__ __forceinline__ float quantile_tail(float p)
{
	float r = __logf(-__logf(p));
	float sum = 0.0000003960315187f;

	sum = sum * r + 0.0000002888167364f;
	sum = sum * r + 0.0000321767881768f;
	sum = sum * r + 0.0003951896511919f;
	sum = sum * r + 0.0038405729373609f;
	sum = sum * r + 0.0276438810333863f;
	sum = sum * r + 0.1607979714918209f;
	sum = sum * r + 0.9761690190917186f;
	return sum * r + 0.3374754822726147f;
}

/* n samples from as many uniform 32-bit numbers, in steps of the grid. */
extern "C" __global__ void inverse_normal(const unsigned *uniform, float *samples, int n)
{
	int threads = gridDim.x * blockDim.x;

#pragma unroll 1
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
		/* The upper half of the distribution by symmetry: near 1, p would have lost its low bits. */
		unsigned u = uniform[i];
		unsigned lower = u >> 31 ? ~u : u;
		float p = (lower + 0.5f) * (1.0f / 4294967296.0f);
		float q = p > 0.08f ? quantile_middle(p - 0.5f) : -quantile_tail(p);

		samples[i] = u >> 31 ? -q : q;
	}
}

/* The payoffs of option blockIdx.x over all paths: their sum and the sum of their squares. */
extern "C" __global__ void price_options(const float *samples, float2 *sums, int paths)
{
	__shared__ float2 s[THREADS];
	const struct option *o = &options[blockIdx.x];
	float stock = o->stock, strike = o->strike, drift = o->drift, spread = o->spread;
	unsigned t = threadIdx.x;
	float sum = 0.0f, squares = 0.0f;

	for (int i = t; i < paths; i += THREADS) {
		float payoff = fmaxf(stock * __expf(drift + spread * samples[i]) - strike, 0.0f);

		sum += payoff;
		squares += payoff * payoff;
	}
	s[t] = (float2){sum, squares};

#pragma unroll 1
	for (unsigned half = THREADS / 2; half > 0; half /= 2) {
		__syncthreads();
		if (t < half)
			s[t] += s[t + half];
	}
	if (t == 0)
		sums[blockIdx.x] = s[0];
}
