/* Batches of short arrays, with the network of sortnet.cu. A file of its own: sortnet.ptx lies where it lay. */
#include "sortnet.cu"

/* Sorts arrays of `length` pairs, as many as a tile has. */
extern "C" __global__ void sort_short(unsigned *key, unsigned *value, unsigned length, unsigned ascending)
{
	__shared__ unsigned s_key[2 * TILE]; /* one array: a value lies at a fixed distance from its key, and has no address of its own */
	unsigned *s_value = s_key + TILE, t = threadIdx.x;

	load(s_key, s_value, key, value);
#pragma unroll 1
	for (unsigned size = 2; size < length; size *= 2)
		merge(s_key, s_value, size, (t & (size / 2)) == 0);
	merge(s_key, s_value, length, ascending);
	store(s_key, s_value, key, value);
}
