/* Pi by Monte Carlo with the generator inside the kernel, after the CUDA SDK's MC_EstimatePiInlineP: two kernels over
 * the same grid, CTAs of 256 threads; every thread has its own sequence of the generator, whose state is kept in
 * global memory between the kernels.
 *
 * The generator is Marsaglia's xorwow (2003), which the SDK's cuRAND has: a linear step on five words, and a Weyl
 * sequence that is added. A thread's sequence is found by multiplying the seed's 160 bits with powers of the step's
 * matrix (over GF(2)), one for each binary digit of the sequence's number. That makes eip_init long and divergent in the
 * low digits. Above all it makes it large for L1D, as cuRAND's initialisation is: everybody reads a table of 3,200 bytes a
 * digit; the vector is read in the thread's state in global memory, 40 bytes a thread side by side, bit by bit, since what
 * is written meanwhile might lie there; and the product is an array in local memory. */
#include "device.h"

#define WORDS 5  /* of the linear part */
#define STATE 10 /* words: the linear part, the Weyl sequence's, and what a generator of normal numbers would keep */

#define WEYL 362437u

/* The image of bit b of a state, 2^d sequences further on, is the WORDS words at skip[WORDS * (32 * WORDS * d + b)]. */
extern "C" __global__ void eip_init(unsigned *states, const unsigned *__restrict__ skip, const unsigned *__restrict__ seed)
{
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned *state = states + STATE * t, sum[WORDS];

#pragma unroll
	for (int k = 0; k < WORDS + 1; k++) /* sequences are a multiple of 2^32 numbers apart, where a Weyl sequence is the same */
		state[k] = seed[k];
#pragma unroll 1
	for (unsigned rest = t; rest; rest >>= 1, skip += 32 * WORDS * WORDS) {
		if (!(rest & 1))
			continue;
		const unsigned *image = skip;
#pragma unroll
		for (int k = 0; k < WORDS; k++)
			sum[k] = 0;
#pragma unroll 1
		for (int i = 0; i < WORDS; i++) {
#pragma unroll 8
			for (int b = 0; b < 32; b++, image += WORDS) {
				if (state[i] & 1u << b) {
#pragma unroll
					for (int k = 0; k < WORDS; k++)
						sum[k] ^= image[k];
				}
				asm volatile("" : : "l"(sum) : "memory"); /* the sum is in memory, and the state has to be read again */
			}
		}
#pragma unroll
		for (int k = 0; k < WORDS; k++)
			state[k] = sum[k];
	}
}

/* One number; v[0] is the oldest word. */
static __device__ __forceinline__ unsigned draw(unsigned *v)
{
	unsigned old = v[0] ^ v[0] >> 2, last = v[4];

	v[0] = v[1];
	v[1] = v[2];
	v[2] = v[3];
	v[3] = last;
	v[4] = last ^ last << 4 ^ old ^ old << 1;
	v[WORDS] += WEYL;
	return v[4] + v[WORDS];
}

/* Sum over the CTA; only thread 0 gets it. */
static __device__ __forceinline__ unsigned reduce(unsigned value)
{
	extern __shared__ unsigned partial[];
	unsigned t = threadIdx.x;

	partial[t] = value;
	__syncthreads();
	for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
		if (t < half)
			partial[t] += partial[t + half];
		__syncthreads();
	}
	return partial[0];
}

/* inside[CTA] = how many of its threads' points lie in the unit circle; every thread draws points until n are drawn. */
extern "C" __global__ void eip_points(unsigned *inside, unsigned *state, int n)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
	unsigned v[WORDS + 1], hits = 0;

#pragma unroll
	for (int k = 0; k < WORDS + 1; k++)
		v[k] = state[STATE * t + k];
#pragma unroll 1
	for (int i = t; i < n; i += threads) {
		float x = (float)(draw(v) >> 8) * 5.9604645e-8f; /* 24 bits: [0, 1) */
		float y = (float)(draw(v) >> 8) * 5.9604645e-8f;

		if (x * x + y * y < 1.0f)
			hits++;
	}
#pragma unroll
	for (int k = 0; k < WORDS + 1; k++)
		state[STATE * t + k] = v[k];
	hits = reduce(hits);
	if (threadIdx.x == 0)
		inside[blockIdx.x] = hits;
}
