/* Breadth-first search, level by level, one node a thread. The graph is in compressed rows: the neighbours of node v
 * are edges[first[v]] .. edges[first[v + 1] - 1]. The host repeats expand and advance until no node is left to visit.
 */
#include "device.h"

/* Every node of the frontier gives each neighbour not seen yet its distance. Several threads may write the same
 * neighbour: they all write the same value. */
extern "C" __global__ void bfs_expand(const int *first, const int *edges, int *frontier, int *reached,
                                      const int *visited, int *distance, int n)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;

	if (v >= n || !frontier[v])
		return;
	frontier[v] = 0;
	int d = distance[v] + 1;
	int end = first[v + 1];
	for (int e = first[v]; e < end; e++) {
		int w = edges[e];

		if (!visited[w]) {
			distance[w] = d;
			reached[w] = 1;
		}
	}
}

/* The nodes just reached become the next frontier; *more tells the host that there is one. */
extern "C" __global__ void bfs_advance(int *frontier, int *reached, int *visited, int *more, int n)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;

	if (v >= n || !reached[v])
		return;
	frontier[v] = 1;
	visited[v] = 1;
	reached[v] = 0;
	*more = 1;
}
