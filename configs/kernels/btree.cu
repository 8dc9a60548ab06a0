/* Queries on a B+ tree, one CTA a query and one thread a child, in the manner of Rodinia's b+tree. All threads compare
 * the query with their two neighbouring keys of the current node; the one whose range it falls into chooses the child.
 * A few loads and a barrier a level: short phases.
 *
 * A node has up to 256 children (of a leaf: records). keys[i] <= key < keys[i + 1] leads to child i, so unused keys are
 * the largest integer and an inner node's keys[0] the least. Keys of the tree are all different, thus at most one
 * thread writes. As in the published program a query's state (node and next node) is in global memory, read and
 * overwritten at every level: not idempotent. */
#include "device.h"

#define ORDER 256

struct node {
	int location;
	int indices[ORDER + 1];
	int keys[ORDER + 1];
	int is_leaf;
	int num_keys;
};

/* The child of *current whose range `key` falls into goes to *next, if it is a node; this thread's share. */
static __device__ __forceinline__ void choose(const struct node *nodes, int nodes_count, const int *current, int *next,
                                              int key)
{
	int t = threadIdx.x;
	const struct node *at = &nodes[*current];

	if (at->keys[t] <= key && key < at->keys[t + 1]) {
		int child = nodes[*next].indices[t];

		if (child < nodes_count)
			*next = child;
	}
}

/* answers[q] = the record stored under keys[q]; left alone if there is none. */
extern "C" __global__ void find_k(int height, const struct node *nodes, int nodes_count, const int *records,
                                  int *current, int *next, const int *keys, int *answers)
{
	int t = threadIdx.x, q = blockIdx.x;

#pragma unroll 1
	for (int level = 0; level < height; level++) {
		choose(nodes, nodes_count, &current[q], &next[q], keys[q]);
		__syncthreads();
		if (t == 0)
			current[q] = next[q];
		__syncthreads();
	}
	if (nodes[current[q]].keys[t] == keys[q])
		answers[q] = records[nodes[current[q]].indices[t]];
}

/* first[q], count[q] = the records from the key from[q] up to the key to[q]; both must be in the tree. */
extern "C" __global__ void find_range_k(int height, const struct node *nodes, int nodes_count, int *current, int *next,
                                        int *current_last, int *next_last, const int *from, const int *to, int *first,
                                        int *count)
{
	int t = threadIdx.x, q = blockIdx.x;

#pragma unroll 1
	for (int level = 0; level < height; level++) {
		choose(nodes, nodes_count, &current[q], &next[q], from[q]);
		choose(nodes, nodes_count, &current_last[q], &next_last[q], to[q]);
		__syncthreads();
		if (t == 0) {
			current[q] = next[q];
			current_last[q] = next_last[q];
		}
		__syncthreads();
	}
	if (nodes[current[q]].keys[t] == from[q])
		first[q] = nodes[current[q]].indices[t];
	__syncthreads();
	if (nodes[current_last[q]].keys[t] == to[q])
		count[q] = nodes[current_last[q]].indices[t] - first[q] + 1;
}
