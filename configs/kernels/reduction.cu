/* Sum of n integers: each thread adds up a strided share, the CTA reduces in shared memory and, below a warp, with
 * shuffles; one partial sum a CTA. A second launch of a single CTA adds up the partial sums. CTAs have 256 threads. */
#include "device.h"

#define THREADS 256

extern "C" __global__ void reduce(const int *in, int *out, int n)
{
	__shared__ int part[THREADS];
	int t = threadIdx.x;
	int stride = gridDim.x * THREADS;
	int sum = 0;

	for (int i = blockIdx.x * THREADS + t; i < n; i += stride)
		sum += in[i];
	part[t] = sum;
	__syncthreads();

#pragma unroll
	for (int half = THREADS / 2; half >= 32; half /= 2) {
		if (t < half)
			part[t] = sum = sum + part[t + half];
		__syncthreads();
	}
	if (t < 32) {
#pragma unroll
		for (int lanes = 16; lanes > 0; lanes /= 2)
			sum += __shfl_down_sync(0xffffffffu, sum, lanes);
		if (t == 0)
			out[blockIdx.x] = sum;
	}
}
