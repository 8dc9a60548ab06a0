/* Pi by Monte Carlo with the generator inside the kernel, after the CUDA SDK's MC_EstimatePiInlineP: two kernels over
 * the same grid, CTAs of 256 threads; every thread has its own sequence of the generator, whose state is kept in
 * global memory between the kernels.
 *
 * The generator is Marsaglia's 64-bit xorshift (13, 7, 17) where the SDK uses cuRAND's XORWOW of 192 bits: the same
 * kind of linear step on bits, so a sequence is found in the same way, by multiplying the seed's bits with powers of
 * the step's matrix (over GF(2)) for the binary digits of the sequence's number. That makes eip_init long, divergent in
 * its high digits, and makes everybody read one table, as cuRAND's initialisation is; but the table is 512 bytes a
 * digit instead of 3 KB and fits into any cache, so it does not suffer from more CTAs as the original is reported to.
 */
#include "device.h"

typedef unsigned long long u64;

static __device__ __forceinline__ u64 step(u64 v)
{
	v ^= v << 13;
	v ^= v >> 7;
	return v ^ v << 17;
}

/* skip[64 * d + b] is what bit b of a state becomes 2^d sequences further on. */
extern "C" __global__ void eip_init(u64 *state, const u64 *__restrict__ skip, u64 seed)
{
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
	u64 v = seed;

#pragma unroll 1
	for (unsigned rest = t; rest; rest >>= 1, skip += 64) {
		if (!(rest & 1))
			continue;
		const u64 *image = skip;
		u64 sum = 0;
#pragma unroll 1
		for (; v; v >>= 8, image += 8) {
			unsigned byte = (unsigned)v;
#pragma unroll
			for (int b = 0; b < 8; b++)
				if (byte & 1u << b)
					sum ^= image[b];
		}
		v = sum;
	}
	state[t] = v;
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
extern "C" __global__ void eip_points(unsigned *inside, u64 *state, int n)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
	u64 v = state[t];
	unsigned hits = 0;

#pragma unroll 1
	for (int i = t; i < n; i += threads) {
		v = step(v);
		float x = (float)(unsigned)(v >> 40) * 5.9604645e-8f; /* 24 bits: [0, 1) */
		float y = (float)(unsigned)(v >> 16 & 0xffffff) * 5.9604645e-8f;

		if (x * x + y * y < 1.0f)
			hits++;
	}
	state[t] = v;
	hits = reduce(hits);
	if (threadIdx.x == 0)
		inside[blockIdx.x] = hits;
}
