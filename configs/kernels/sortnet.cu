/* Bitonic sorting network over pairs of key and value, after the CUDA SDK's sortingNetworks: tiles of 1024 pairs in
 * shared memory by CTAs of 512, strides beyond a tile by CTAs of 256 over global memory, one launch a stride. The sample
 * sorts batches of short arrays before long ones, which sortnet_short.cu does.
 *
 * A network has log2 n phases; phase `size` merges bitonic runs of `size` elements by comparing elements `stride`
 * apart, for stride = size / 2 down to 1. Runs alternate between ascending and descending so that two of them are
 * again bitonic; the last phase sorts everything in the direction wanted. Keys are swapped without branches. */
#include "device.h"

#define TILE 1024
#define THREADS (TILE / 2)

static __device__ __forceinline__ void compare(unsigned *key_a, unsigned *value_a, unsigned *key_b, unsigned *value_b,
                                               unsigned ascending)
{
	unsigned ka = *key_a, kb = *key_b, va = *value_a, vb = *value_b;
	bool swap = (ka > kb) == ascending;

	*key_a = swap ? kb : ka;
	*key_b = swap ? ka : kb;
	*value_a = swap ? vb : va;
	*value_b = swap ? va : vb;
}

/* A thread's two elements of its tile, half a tile apart. */
static __device__ __forceinline__ void load(unsigned *s_key, unsigned *s_value, const unsigned *key,
                                            const unsigned *value)
{
	unsigned t = threadIdx.x, at = blockIdx.x * TILE + t;

	key += at, value += at, s_key += t, s_value += t;
	s_key[0] = key[0];
	s_value[0] = value[0];
	s_key[THREADS] = key[THREADS];
	s_value[THREADS] = value[THREADS];
}

static __device__ __forceinline__ void store(const unsigned *s_key, const unsigned *s_value, unsigned *key,
                                             unsigned *value)
{
	unsigned t = threadIdx.x;

	/* Hides from the compiler that load() had the same addresses: it would keep them in 12 registers all the time. */
	asm volatile("" : "+r"(t));
	unsigned at = blockIdx.x * TILE + t;
	key += at, value += at, s_key += t, s_value += t;
	__syncthreads();
	key[0] = s_key[0];
	value[0] = s_value[0];
	key[THREADS] = s_key[THREADS];
	value[THREADS] = s_value[THREADS];
}

/* Strides size / 2 .. 1 of one phase inside a tile. */
static __device__ __forceinline__ void merge(unsigned *s_key, unsigned *s_value, unsigned size, unsigned ascending)
{
	unsigned t = threadIdx.x;

#pragma unroll 1
	for (unsigned stride = size / 2; stride > 0; stride /= 2) {
		unsigned a = 2 * t - (t & (stride - 1));

		__syncthreads();
		compare(s_key + a, s_value + a, s_key + a + stride, s_value + a + stride, ascending);
	}
}

/* Sorts every tile, even ones ascending and odd ones descending (all of them as `ascending` says if n is one tile). */
extern "C" __global__ void sort_tiles(unsigned *key, unsigned *value, unsigned n, unsigned ascending)
{
	__shared__ unsigned s_key[TILE], s_value[TILE];
	unsigned t = threadIdx.x;

	load(s_key, s_value, key, value);
#pragma unroll 1
	for (unsigned size = 2; size < TILE; size *= 2)
		merge(s_key, s_value, size, (t & (size / 2)) == 0);
	merge(s_key, s_value, TILE, n == TILE ? ascending : (blockIdx.x & 1) == 0);
	store(s_key, s_value, key, value);
}

/* One stride of a phase, beyond a tile: a thread compares one pair. */
extern "C" __global__ void merge_global(unsigned *key, unsigned *value, unsigned n, unsigned size, unsigned stride,
                                        unsigned ascending)
{
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned a = 2 * t - (t & (stride - 1)), b = a + stride;
	unsigned up = size == n ? ascending : (t & (size / 2)) == 0;

	compare(key + a, value + a, key + b, value + b, up);
}

/* The rest of a phase once its stride fits into a tile. */
extern "C" __global__ void merge_tiles(unsigned *key, unsigned *value, unsigned n, unsigned size, unsigned ascending)
{
	__shared__ unsigned s_key[TILE], s_value[TILE];
	unsigned t = blockIdx.x * THREADS + threadIdx.x;

	load(s_key, s_value, key, value);
	merge(s_key, s_value, TILE, size == n ? ascending : (t & (size / 2)) == 0);
	store(s_key, s_value, key, value);
}
