/* The microbenchmarks of ikra.cu with CTAs of any size, and Work-Stealing with as many locations as operations. A file
 * of its own: ikra.ptx is loaded without them, and lies where it lay. */
#include "device.h"

#define LOCATIONS 8

/* GPU-* with CTAs of another size: each owns its threads' locations, side by side as above. Unrolled like ikra. */
extern "C" __global__ void ikra_shape(unsigned *data)
{
	unsigned *mine = data + blockIdx.x * (LOCATIONS * blockDim.x) + threadIdx.x;

#pragma unroll
	for (int j = 0; j < LOCATIONS; j++, mine += blockDim.x)
		*mine += 1;
}

/* Work-Stealing with a location of its own for each operation: those of CTA i are first[i] to first[i + 1] - 1. */
extern "C" __global__ void ikra_apart(unsigned *data, const unsigned *first)
{
	unsigned from = first[blockIdx.x], n = first[blockIdx.x + 1] - from;
	unsigned *mine = data + from * blockDim.x + threadIdx.x;

#pragma unroll 1
	for (unsigned j = 0; j < n; j++, mine += blockDim.x)
		*mine += 1;
}
