/* The kernels of lessons: each shows one effect and nothing else. */
#include "device.h"

/* Lanes of a warp read words of shared memory that are `stride` words apart. Strides are odd or even, and that decides
 * how many lanes want the same bank. */
#define WORDS 4096
extern "C" __global__ void banks(unsigned *out, unsigned stride, unsigned rounds)
{
	__shared__ unsigned data[WORDS];
	for (unsigned i = threadIdx.x; i < WORDS; i += blockDim.x)
		data[i] = i;
	__syncthreads();
	unsigned sum = 0, at = threadIdx.x * stride;
	#pragma unroll 1
	for (unsigned r = 0; r < rounds; r++) {
		sum += data[at % WORDS];
		at += blockDim.x;
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* A chain of loads: the address of each is the value of the one before. All lanes of a warp read the same word; each warp
 * begins somewhere else in the table of `words` (a power of two). */
extern "C" __global__ void chain(const unsigned *next, unsigned *out, unsigned rounds, unsigned words)
{
	unsigned at = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 977 & (words - 1);
	#pragma unroll 1
	for (unsigned r = 0; r < rounds; r++)
		at = next[at];
	out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

/* Two ways through an if. `run` neighbouring threads take the same one. */
extern "C" __global__ void branches(const float *in, float *out, unsigned run, unsigned rounds)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	float x = in[i];
	if (i / run % 2) {
		#pragma unroll 1
		for (unsigned r = 0; r < rounds; r++)
			x = x * 0.5f + 1.0f;
	} else {
		#pragma unroll 1
		for (unsigned r = 0; r < rounds; r++)
			x = x * 0.25f + 2.0f;
	}
	out[i] = x;
}

/* All CTAs have the same to do. */
extern "C" __global__ void waves(float *out, unsigned rounds)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	float x = 1.0f;
	#pragma unroll 1
	for (unsigned r = 0; r < rounds; r++)
		x = x * 0.5f + 1.0f;
	out[i] = x;
}
