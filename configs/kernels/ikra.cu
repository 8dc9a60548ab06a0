/* The microbenchmarks GPU-small, GPU-medium, GPU-large and Work-Stealing of Huzaifa et al. 2020 (Inter-kernel
 * Reuse-aware Thread Block Scheduling): a kernel launched 16 times over the same data, whose threads load, add and
 * store a number of locations. CTA i of a launch reads exactly what CTA i of the launch before wrote, so it pays to run
 * it where and when that is still cached.
 *
 * A CTA of 256 owns 8 KB, location j of its threads side by side. Published are the operations and their number; the
 * shape of a CTA and the layout of the locations are ours. */
#include "device.h"

#define LOCATIONS 8
#define THREADS 256

/* GPU-*: eight locations a thread. Unrolled, so that an operation is the published load, addition and store, and no loop
 * around them. */
extern "C" __global__ void ikra(unsigned *data)
{
	unsigned *mine = data + blockIdx.x * (LOCATIONS * THREADS) + threadIdx.x;

#pragma unroll
	for (int j = 0; j < LOCATIONS; j++, mine += THREADS)
		*mine += 1;
}

/* Work-Stealing: count[CTA] operations (published: 1 to 64), going round the same eight locations. */
extern "C" __global__ void ikra_steal(unsigned *data, const unsigned *count)
{
	unsigned *mine = data + blockIdx.x * (LOCATIONS * THREADS) + threadIdx.x;
	unsigned n = count[blockIdx.x];

#pragma unroll 1
	for (unsigned j = 0; j < n; j++)
		mine[j % LOCATIONS * THREADS] += 1;
}
