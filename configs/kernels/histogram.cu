/* Histogram of bytes in 256 bins; the data come as 32-bit words of four bytes each. */
#include "device.h"

#define BINS 256

/* Counts in shared memory, one histogram a CTA, and adds it to the global one at the end. CTAs have 256 threads. */
extern "C" __global__ void histogram_shared(const unsigned *data, unsigned *bins, int nwords)
{
	__shared__ unsigned local[BINS];
	int stride = gridDim.x * BINS;

	local[threadIdx.x] = 0;
	__syncthreads();
	for (int i = blockIdx.x * BINS + threadIdx.x; i < nwords; i += stride) {
		unsigned word = data[i];

		atomicAdd(&local[word & 255], 1);
		atomicAdd(&local[word >> 8 & 255], 1);
		atomicAdd(&local[word >> 16 & 255], 1);
		atomicAdd(&local[word >> 24], 1);
	}
	__syncthreads();
	atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

/* Counts in global memory: every byte is an atomic at L2. */
extern "C" __global__ void histogram_global(const unsigned *data, unsigned *bins, int nwords)
{
	int stride = gridDim.x * blockDim.x;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < nwords; i += stride) {
		unsigned word = data[i];

		atomicAdd(&bins[word & 255], 1);
		atomicAdd(&bins[word >> 8 & 255], 1);
		atomicAdd(&bins[word >> 16 & 255], 1);
		atomicAdd(&bins[word >> 24], 1);
	}
}
