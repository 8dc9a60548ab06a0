/* Graph colouring after Pannotia's color_max: in every round the nodes that have the greatest random number among their
 * neighbours without a colour take the round's colour. CTAs of 256, one node a thread, two kernels a round. The graph
 * is undirected, in compressed rows: the neighbours of v are edges[first[v]] .. edges[first[v + 1] - 1].
 *
 * Numbers must all differ. A kernel reads what the one before it wrote and writes only its own node's place, so the
 * result does not depend on any order. */
#include "device.h"

#define NONE (-1)

/* greatest[v] = the greatest number among v's neighbours without a colour; *more = 1 if there is such a v. */
extern "C" __global__ void color_greatest(const int *__restrict__ first, const int *__restrict__ edges,
                                          const int *__restrict__ number, const int *__restrict__ color, int *greatest,
                                          int *more, int n)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;

	if (v >= n || color[v] != NONE)
		return;
	int best = NONE, end = first[v + 1];

	*more = 1;
#pragma unroll 1
	for (int e = first[v]; e < end; e++) {
		int w = edges[e];

		if (color[w] == NONE)
			best = max(best, number[w]);
	}
	greatest[v] = best;
}

extern "C" __global__ void color_take(const int *__restrict__ number, const int *__restrict__ greatest, int *color,
                                      int round, int n)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;

	if (v < n && color[v] == NONE && number[v] > greatest[v])
		color[v] = round;
}
