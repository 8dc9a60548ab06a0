/* PageRank by pulling, after Pannotia's pagerank_spmv: in every step a sparse matrix times the ranks, one row a thread,
 * then damping. CTAs of 256; two kernels to begin, two a step. The graph is in compressed rows of incoming edges: node
 * v gets from edges[first[v]] .. edges[first[v + 1] - 1]. Sums are in the order of the rows, so they always round in
 * the same way. */
#include "device.h"

/* share[e] = what part of the rank of edge e's source goes along it: one over its number of outgoing edges. */
extern "C" __global__ void pagerank_shares(const int *__restrict__ first, const int *__restrict__ edges,
                                           const int *__restrict__ outgoing, float *share, int n)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;

	if (v >= n)
		return;
	int end = first[v + 1];
#pragma unroll 1
	for (int e = first[v]; e < end; e++)
		share[e] = 1.0f / (float)outgoing[edges[e]];
}

extern "C" __global__ void pagerank_begin(float *rank, float *sum, int n)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;

	if (v >= n)
		return;
	rank[v] = 1.0f / (float)n;
	sum[v] = 0.0f;
}

extern "C" __global__ void pagerank_pull(const int *__restrict__ first, const int *__restrict__ edges,
                                         const float *__restrict__ share, const float *__restrict__ rank, float *sum,
                                         int n)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;

	if (v >= n)
		return;
	int end = first[v + 1];
	float total = 0.0f;
#pragma unroll 1
	for (int e = first[v]; e < end; e++)
		total += share[e] * rank[edges[e]];
	sum[v] = total;
}

extern "C" __global__ void pagerank_damp(float *rank, const float *sum, float damping, int n)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x;

	if (v < n)
		rank[v] = (1.0f - damping) / (float)n + damping * sum[v];
}
