/* Shortest paths from one node by rounds of relaxation (Bellman-Ford over the active nodes), after the SSSP of
 * LonestarGPU and Pannotia: CTAs of 256, one node a thread; one kernel to begin, two a round. The graph is in
 * compressed rows: edge e from v leads to edges[e] and is weight[e] long, for e = first[v] .. first[v + 1] - 1.
 *
 * New distances go to `next` by atomic minimum and are taken over by a second kernel, where LonestarGPU relaxes in
 * place: so neither the result nor the number of rounds depends on the order of the threads. */
#include "device.h"

#define FAR 0x3fffffff

extern "C" __global__ void sssp_begin(int *distance, int *next, int *active, int source, int n)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;

	if (v >= n)
		return;
	distance[v] = next[v] = v == source ? 0 : FAR;
	active[v] = v == source;
}

extern "C" __global__ void sssp_relax(const int *__restrict__ first, const int *__restrict__ edges,
                                      const int *__restrict__ weight, const int *__restrict__ distance, int *next,
                                      int *active, int n)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;

	if (v >= n || !active[v])
		return;
	active[v] = 0;
	int d = distance[v], end = first[v + 1];
#pragma unroll 1
	for (int e = first[v]; e < end; e++)
		atomicMin(next + edges[e], d + weight[e]);
}

/* *more = 1 if any node got nearer, which is then active. */
extern "C" __global__ void sssp_take(int *distance, const int *next, int *active, int *more, int n)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;

	if (v >= n)
		return;
	int d = next[v];
	if (d < distance[v]) {
		distance[v] = d;
		active[v] = 1;
		*more = 1;
	}
}
