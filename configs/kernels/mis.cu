/* Maximal independent set after Pannotia's mis: in every round each undecided node whose random number is the least
 * among its undecided neighbours joins the set, and its neighbours leave the graph. CTAs of 256, one node a thread; one
 * kernel to begin and three a round. The graph is undirected, in compressed rows: the neighbours of v are
 * edges[first[v]] .. edges[first[v + 1] - 1].
 *
 * Numbers must all differ. Several nodes that join may write `leaves` of one neighbour: they write the same value, so
 * the result does not depend on any order. */
#include "device.h"

#define NOWHERE 0x7fffffff

enum state { UNDECIDED = -1, OUT = 0, IN = 1 };

extern "C" __global__ void mis_begin(int *state, int *leaves, int n)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;

	if (v >= n)
		return;
	state[v] = UNDECIDED;
	leaves[v] = 0;
}

/* least[v] = the least number among v's undecided neighbours; *more = 1 if there is an undecided v. */
extern "C" __global__ void mis_least(const int *__restrict__ first, const int *__restrict__ edges,
                                     const int *__restrict__ number, const int *__restrict__ state, int *least,
                                     int *more, int n)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;

	if (v >= n || state[v] != UNDECIDED)
		return;
	int best = NOWHERE, end = first[v + 1];

	*more = 1;
#pragma unroll 1
	for (int e = first[v]; e < end; e++) {
		int w = edges[e];

		if (state[w] == UNDECIDED)
			best = min(best, number[w]);
	}
	least[v] = best;
}

extern "C" __global__ void mis_join(const int *__restrict__ first, const int *__restrict__ edges,
                                    const int *__restrict__ number, const int *__restrict__ least, int *state,
                                    int *leaves, int n)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;

	if (v >= n || state[v] != UNDECIDED || number[v] > least[v])
		return;
	int end = first[v + 1];

	state[v] = IN;
#pragma unroll 1
	for (int e = first[v]; e < end; e++)
		leaves[edges[e]] = 1;
}

extern "C" __global__ void mis_leave(const int *__restrict__ leaves, int *state, int n)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;

	if (v < n && state[v] == UNDECIDED && leaves[v])
		state[v] = OUT;
}
