/* Radix sort of pairs of key and value, least significant digit first, in the manner of the CUDA SDK's radixSort
 * (Satish, Harris, Garland 2009). For every digit of four bits:
 *
 *   sort_blocks    CTAs of 256 threads sort tiles of 1024 pairs by the digit in shared memory: one stable split a bit
 *   find_offsets   CTAs of 256 threads find where each digit begins in half a tile, and how often it is there
 *   scan, scan_add exclusive prefix sums of these counts, digit by digit and half tile by half tile within a digit
 *   reorder        CTAs of 256 threads move half tiles to their places, in runs of equal digits
 *
 * Every step is stable, so the whole is. */
#include "device.h"

#define THREADS 256
#define WARP 32
#define DIGIT_BITS 4
#define DIGITS (1 << DIGIT_BITS)
#define HALF_TILE (2 * THREADS)

/* threadIdx.x, but no two of them are the same to the compiler: it would keep every address in shared memory, of 64
 * bits, from where it is first used to where it is used last. */
static __device__ __forceinline__ unsigned thread(void)
{
	unsigned t = threadIdx.x;

	asm volatile("" : "+r"(t));
	return t;
}

/* --- prefix sums ------------------------------------------------------------------------------------------------- */

/* The sum of v over the warp's threads before this one; the first `lanes` of them count. s: 64 words a warp, of which
 * the lower 32 are zeros, what lanes without a left neighbour read. */
static __device__ __forceinline__ unsigned scan_warp(unsigned v, unsigned *s, int lanes)
{
	unsigned t = threadIdx.x;
	unsigned sum = v, *mine = s + 2 * t - (t & (WARP - 1));

	mine[0] = 0;
	mine += WARP;
	mine[0] = v;
	__syncwarp();
#pragma unroll
	for (int distance = 1; distance < lanes; distance *= 2) {
		unsigned left = mine[-distance];

		__syncwarp();
		mine[0] = sum += left;
		__syncwarp();
	}
	return sum - v;
}

/* The sum of v over the CTA's threads before this one. s: 2 * THREADS words, free once all threads are past the next
 * barrier. */
static __device__ __forceinline__ unsigned scan_cta(unsigned v, unsigned *s)
{
	unsigned within = scan_warp(v, s, WARP);
	unsigned t = thread(), warp = t / WARP;

	__syncthreads();
	if ((t & (WARP - 1)) == WARP - 1)
		s[warp] = within + v;
	__syncthreads();
	if (t < WARP) {
		unsigned before = scan_warp(s[t], s, THREADS / WARP);

		s[t] = before;
	}
	__syncthreads();
	return within + s[warp];
}

/* Exclusive prefix sums of tiles of 4 * THREADS words; a tile's total goes to totals[blockIdx.x]. */
extern "C" __global__ void scan(const uint4 *in, uint4 *out, unsigned *totals)
{
	__shared__ unsigned s[2 * THREADS];
	unsigned i = blockIdx.x * THREADS + threadIdx.x;
	uint4 v = in[i];
	unsigned all = v.x + v.y + v.z + v.w;
	unsigned before = scan_cta(all, s);

	out[i] = (uint4){before, before + v.x, before + v.x + v.y, before + v.x + v.y + v.z};
	if (threadIdx.x == THREADS - 1)
		totals[blockIdx.x] = before + all;
}

/* Adds the sum of all tiles before to each tile. */
extern "C" __global__ void scan_add(uint4 *data, const unsigned *before)
{
	unsigned i = blockIdx.x * THREADS + threadIdx.x;

	data[i] += before[blockIdx.x];
}

/* --- sorting by one digit ---------------------------------------------------------------------------------------- */

/* Element r of a tile lies in word (r % 4) * THREADS + r / 4: thread t reads its elements 4t .. 4t + 3 without
 * conflicts. */
static __device__ __forceinline__ uint4 exchange(uint4 v, uint4 rank, unsigned *s)
{
	uint4 at = (rank & 3) * THREADS + (rank >> 2);

	__syncthreads();
	s[at.x] = v.x;
	s[at.y] = v.y;
	s[at.z] = v.z;
	s[at.w] = v.w;
	__syncthreads();
	s += thread();
	return (uint4){s[0], s[THREADS], s[2 * THREADS], s[3 * THREADS]};
}

/* Where a stable split puts the thread's four elements: those whose flag is set in front of all others. */
static __device__ __forceinline__ uint4 split_rank(uint4 flag, unsigned *s, unsigned *set)
{
	unsigned all = flag.x + flag.y + flag.z + flag.w;
	unsigned before = scan_cta(all, s);
	unsigned t = thread();
	uint4 sum = {before, before + flag.x, before + flag.x + flag.y, before + flag.x + flag.y + flag.z};
	uint4 index = {4 * t, 4 * t + 1, 4 * t + 2, 4 * t + 3};

	if (t == THREADS - 1)
		*set = before + all;
	__syncthreads();
	uint4 behind = *set + index - sum;

	return (uint4){flag.x ? sum.x : behind.x, flag.y ? sum.y : behind.y, flag.z ? sum.z : behind.z,
	               flag.w ? sum.w : behind.w};
}

extern "C" __global__ void sort_blocks(const uint4 *keys, const uint4 *values, uint4 *sorted_keys, uint4 *sorted_values,
                                       unsigned shift)
{
	__shared__ unsigned s[4 * THREADS];
	__shared__ unsigned set;
	unsigned i = blockIdx.x * THREADS + threadIdx.x;
	uint4 key = keys[i], value = values[i];

#pragma unroll
	for (unsigned bit = 0; bit < DIGIT_BITS; bit++) {
		uint4 rank = split_rank(~key >> (shift + bit) & 1, s, &set);

		key = exchange(key, rank, s);
		value = exchange(value, rank, s);
		__syncthreads();
	}
	sorted_keys[i] = key;
	sorted_values[i] = value;
}

/* Of each half tile: begins[16 * blockIdx.x + digit], and the counts ordered by digit first. Elements are sorted, so a
 * digit begins where the one before is another. */
extern "C" __global__ void find_offsets(const uint2 *keys, unsigned *counts, unsigned *begins, unsigned shift)
{
	__shared__ unsigned digit[HALF_TILE], begin[DIGITS], count[DIGITS];
	unsigned t = threadIdx.x, upper = t + THREADS;
	uint2 key = keys[blockIdx.x * THREADS + t];

	digit[2 * t] = key.x >> shift & (DIGITS - 1);
	digit[2 * t + 1] = key.y >> shift & (DIGITS - 1);
	if (t < DIGITS)
		begin[t] = count[t] = 0;
	__syncthreads();
	if (t > 0 && digit[t] != digit[t - 1])
		begin[digit[t]] = t;
	if (digit[upper] != digit[upper - 1])
		begin[digit[upper]] = upper;
	__syncthreads();
	if (t < DIGITS)
		begins[blockIdx.x * DIGITS + t] = begin[t];
	if (t > 0 && digit[t] != digit[t - 1])
		count[digit[t - 1]] = t - begin[digit[t - 1]];
	if (digit[upper] != digit[upper - 1])
		count[digit[upper - 1]] = upper - begin[digit[upper - 1]];
	if (upper == HALF_TILE - 1)
		count[digit[upper]] = HALF_TILE - begin[digit[upper]];
	__syncthreads();
	if (t < DIGITS)
		counts[t * gridDim.x + blockIdx.x] = count[t];
}

/* Moves half tiles to where the scanned counts, `offsets`, say that their digits belong. */
extern "C" __global__ void reorder(const uint2 *keys, const uint2 *values, unsigned *sorted_keys,
                                   unsigned *sorted_values, const unsigned *offsets, const unsigned *begins,
                                   unsigned shift)
{
	__shared__ uint2 s_key[THREADS], s_value[THREADS];
	__shared__ unsigned offset[DIGITS], begin[DIGITS];
	const unsigned *key = (const unsigned *)s_key, *value = (const unsigned *)s_value;
	unsigned t = threadIdx.x, i = blockIdx.x * THREADS + t;

	s_key[t] = keys[i];
	s_value[t] = values[i];
	if (t < DIGITS) {
		offset[t] = offsets[t * gridDim.x + blockIdx.x];
		begin[t] = begins[blockIdx.x * DIGITS + t];
	}
	__syncthreads();
#pragma unroll
	for (unsigned half = 0; half < 2; half++) {
		unsigned e = t + half * THREADS;
		unsigned d = key[e] >> shift & (DIGITS - 1);
		unsigned to = offset[d] + e - begin[d];

		sorted_keys[to] = key[e];
		sorted_values[to] = value[e];
	}
}
