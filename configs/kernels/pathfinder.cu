/* Cheapest way through a grid of rows x columns, row by row (dynamic programming), in the manner of Rodinia's
 * pathfinder: cost[x] of row y = wall[y][x] + the least of cost[x - 1], cost[x], cost[x + 1] of the row before.
 *
 * A CTA of 256 threads loads 256 neighbouring costs and advances them `steps` rows in shared memory (2 KB). Each step
 * loses a column on either side (the ghost zone), so the inner 256 - 2 steps are valid at the end and written; CTAs
 * overlap by that much. Two barriers a step. */
#include "device.h"

#define BLOCK 256

/* Reads the costs after row first - 1 from `before`, writes those after row first + steps - 1 to `after`. */
extern "C" __global__ void pathfinder(const int *wall, const int *before, int *after, int columns, int first, int steps)
{
	__shared__ int prev[BLOCK], result[BLOCK];
	int tx = threadIdx.x;
	int inner = BLOCK - 2 * steps;
	int x = (int)blockIdx.x * inner - steps + tx;
	bool on_grid = x >= 0 && x < columns;
	/* Neighbours in the block; at the grid's edge the cell itself. */
	int west = x <= 0 ? tx : tx - 1;
	int east = x >= columns - 1 ? tx : tx + 1;

	if (on_grid)
		prev[tx] = before[x];
	__syncthreads();
#pragma unroll 1
	for (int i = 0;; i++) {
		bool valid = on_grid && tx > i && tx < BLOCK - 1 - i;

		if (valid) {
			int least = min(min(prev[west], prev[tx]), prev[east]);
			result[tx] = least + wall[(first + i) * columns + x];
		}
		__syncthreads();
		if (i == steps - 1) {
			if (valid)
				after[x] = result[tx];
			return;
		}
		if (valid)
			prev[tx] = result[tx];
		__syncthreads();
	}
}
