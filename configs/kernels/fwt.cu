/* Dyadic convolution by fast Walsh-Hadamard transforms, after the CUDA SDK's fastWalshTransform: three kernels, CTAs of
 * N / 4 threads with N floats of dynamic shared memory for whole transforms of up to 2048 elements, CTAs of 256 for
 * passes over longer ones, 128 CTAs of 256 for the product.
 *
 * A transform has log2 N stages of butterflies (a, b) -> (a + b, a - b) between elements whose indices differ in one
 * bit. Two stages at a time make the radix-4 step of four elements that both kernels are built from. The host takes a
 * long transform apart with passes over global memory until its parts fit into shared memory. */
#include "device.h"

/* Two stages of butterflies over four elements whose indices differ in two bits. */
static __device__ __forceinline__ void butterfly4(float *d0, float *d1, float *d2, float *d3)
{
	float a = *d0 + *d2, b = *d1 + *d3;
	float c = *d0 - *d2, d = *d1 - *d3;

	*d0 = a + b;
	*d1 = a - b;
	*d2 = c + d;
	*d3 = c - d;
}

/* Transforms of 2^log_n elements, one a CTA, in place; log_n >= 2. */
extern "C" __global__ void fwt_batch1(float *data, int log_n)
{
	extern __shared__ float s[];
	unsigned n = 1u << log_n;
	float *mine = data + ((long)blockIdx.x << log_n);
	unsigned t = threadIdx.x, threads = blockDim.x;

#pragma unroll 1
	for (unsigned i = t; i < n; i += threads)
		s[i] = mine[i];

		/* Radix 4 from the longest stride down to two elements or one. */
#pragma unroll 1
	for (unsigned stride = n / 4; stride > 0; stride /= 4) {
		unsigned low = t & (stride - 1);
		unsigned i = 4 * (t - low) + low;

		__syncthreads();
		butterfly4(s + i, s + i + stride, s + i + 2 * stride, s + i + 3 * stride);
	}
	/* An odd number of stages leaves one: pairs of neighbours. */
	if (log_n & 1) {
		__syncthreads();
#pragma unroll 1
		for (unsigned i = t; i < n / 2; i += threads) {
			float a = s[2 * i], b = s[2 * i + 1];

			s[2 * i] = a + b;
			s[2 * i + 1] = a - b;
		}
	}

	__syncthreads();
#pragma unroll 1
	for (unsigned i = t; i < n; i += threads)
		mine[i] = s[i];
}

/* Two stages of transforms of 4 * stride elements: gridDim.y of them, one after the other in `data`. */
extern "C" __global__ void fwt_batch2(float *data, int stride)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	float *mine = data + (long)blockIdx.y * 4 * stride;

	if (t >= stride)
		return;
	float d0 = mine[t], d1 = mine[t + stride], d2 = mine[t + 2 * stride], d3 = mine[t + 3 * stride];

	butterfly4(&d0, &d1, &d2, &d3);
	mine[t] = d0;
	mine[t + stride] = d1;
	mine[t + 2 * stride] = d2;
	mine[t + 3 * stride] = d3;
}

/* The product of two transforms, and the division by n that makes the transform its own inverse. */
extern "C" __global__ void fwt_modulate(float *a, const float *b, int n)
{
	int threads = gridDim.x * blockDim.x;
	float scale = 1.0f / n;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
		a[i] *= scale * b[i];
}
