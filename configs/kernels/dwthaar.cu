/* Haar wavelet decomposition of a one-dimensional signal, in the manner of the CUDA SDK's dwtHaar1D: a CTA of up to 512
 * threads takes twice as many neighbouring elements through up to log2(2 * threads) levels in shared memory.
 *
 * A level turns neighbours (x, y) into their average (x + y) / sqrt(2) and the detail (x - y) / sqrt(2). Details are
 * final; the averages are the next level's signal. All levels' details share one array: those of a level with n of them
 * begin at element n, so that element 0 is left for the last average.
 *
 * The first level takes its input from two coalesced loads a thread. Of the following ones each has half the threads of
 * the one before, which find their elements twice as far apart: averages stay where they are computed, one word in 32
 * is padding against the bank conflicts of powers of two. */
#include "device.h"

#define PADDED(i) ((i) + ((i) >> 5))
#define SCALE 0.70710678f

/* `half` is half the number of elements of the whole signal, hence of the first level's details; the CTA leaves
 * 2 * blockDim.x / 2^levels averages. Dynamic shared memory: 2 * blockDim.x words. */
extern "C" __global__ void haar_decompose(const float *signal, float *details, float *averages, int levels,
                                          unsigned half)
{
	extern __shared__ float s[];
	unsigned t = threadIdx.x, threads = blockDim.x;
	const float *mine = signal + 2 * threads * blockIdx.x + t;

	s[t] = mine[0];
	s[t + threads] = mine[threads];
	__syncthreads();
	float x = s[2 * t], y = s[2 * t + 1];

	details[half + blockIdx.x * threads + t] = (x - y) * SCALE;
	__syncthreads();
	s[PADDED(t)] = (x + y) * SCALE;
	__syncthreads();

	unsigned active = threads / 2, stride = 1;
#pragma unroll 1
	for (int level = 1; level < levels; level++) {
		half /= 2;
		if (t < active) {
			unsigned first = 2 * stride * t, second = first + stride;

			x = s[PADDED(first)];
			y = s[PADDED(second)];
			details[half + blockIdx.x * active + t] = (x - y) * SCALE;
			s[PADDED(first)] = (x + y) * SCALE;
		}
		active /= 2;
		stride *= 2;
		__syncthreads();
	}

	unsigned left = threads / stride;
	if (t < left)
		averages[blockIdx.x * left + t] = s[PADDED(t * stride)];
}
