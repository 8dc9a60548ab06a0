/* Matching of many short DNA queries against a reference through its suffix tree.
 *   mummer_match   for every start in a query the longest prefix of the rest that occurs in the reference: where in the
 *                  tree it ends, and its length; from one start to the next along suffix links
 *   mummer_print   for every match that is long enough walks the subtree below it and writes the positions where it
 *                  occurs and cannot be extended to the left
 *
 * Follows MUMmerGPU (as in Rodinia and the GPGPU-Sim suite): CTAs of 256 threads, a query a thread in the first kernel
 * and a match a thread in the second; nodes, children and reference in two-dimensional textures, the traversal without
 * a stack; queries of 25 characters. Differs in that the whole reference fits one tree, and a match lists at most SLOTS
 * positions (and counts all).
 *
 * Nodes are numbered from 1, the root; 0 is none. Texels are at (index % ROW, index / ROW). Letters are 1 .. 4; the
 * reference ends with a 5 that occurs nowhere else, so every suffix is a leaf. */
#include "device.h"

#define ROW 1024
#define ROOT 1
#define SLOTS 4
#define END 5

struct tree {
	texture_object nodes;     /* int4: edge's first character in the reference, its end, suffix link, parent */
	texture_object children;  /* int4: child by letter 1 .. 4 */
	texture_object leaves;    /* int: a leaf's -1 - position; else the child by END, or 0 */
	texture_object reference; /* bytes */
};

static __device__ __forceinline__ int4 fetch4(texture_object t, int i)
{
	return tex2d_int4(t, i % ROW, i / ROW);
}
static __device__ __forceinline__ int fetch_letter(texture_object t, int i)
{
	return (int)tex2d_uint(t, i % ROW, i / ROW);
}

static __device__ __forceinline__ int child_of(texture_object children, int node, int letter)
{
	int4 k = fetch4(children, node);

	return letter == 1 ? k.x : letter == 2 ? k.y : letter == 3 ? k.z : k.w;
}

extern "C" __global__ void mummer_match(struct tree tree, const unsigned char *__restrict__ queries,
                                        int2 *__restrict__ matches, int nqueries, int length, int min_match)
{
	int q = blockIdx.x * blockDim.x + threadIdx.x;
	int starts = length - min_match + 1;

	if (q >= nqueries)
		return;
	const unsigned char *query = queries + q * length;
	int node = ROOT, depth = 0; /* an explicit node, and how many characters lead to it */
	int known = 0;              /* characters from `start` on known to match */

	for (int start = 0; start < starts; start++) {
		int below = node, along = 0; /* the match ends `along` characters down the edge to `below` */

		while (start + depth < length) {
			int child = child_of(tree.children, node, query[start + depth]);

			if (!child)
				break;
			int4 edge = fetch4(tree.nodes, child);
			int edge_length = edge.y - edge.x;

			below = child;
			along = min(edge_length, max(known - depth, 1));
			while (along < edge_length && start + depth + along < length &&
			       query[start + depth + along] == fetch_letter(tree.reference, edge.x + along))
				along++;
			if (along < edge_length)
				break;
			node = child;
			depth += edge_length;
			along = 0;
		}
		int2 match = {below, depth + along};

		matches[q * starts + start] = match;
		known = max(depth + along - 1, 0);
		if (node != ROOT) {
			node = fetch4(tree.nodes, node).z;
			depth--;
		}
	}
}

/* The next child of a node after the one by letter `after`; 0 if there is none. */
static __device__ __forceinline__ int next_child(const struct tree *tree, int node, int end_child, int after)
{
	int4 k = fetch4(tree->children, node);

	if (after < 1 && k.x)
		return k.x;
	if (after < 2 && k.y)
		return k.y;
	if (after < 3 && k.z)
		return k.z;
	if (after < 4 && k.w)
		return k.w;
	return after < END ? end_child : 0;
}

extern "C" __global__ void mummer_print(struct tree tree, const unsigned char *__restrict__ queries,
                                        const int2 *__restrict__ matches, int *__restrict__ counts,
                                        int *__restrict__ positions, int nmatches, int length, int min_match)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int starts = length - min_match + 1;

	if (i >= nmatches)
		return;
	int2 match = matches[i];
	int count = 0;

	if (match.y >= min_match) {
		int start = i % starts;
		int left = start ? queries[i / starts * length + start - 1] : 0;
		int node = match.x, after = 0;

		for (;;) {
			int leaf = (int)tex2d_uint(tree.leaves, node % ROW, node / ROW);
			int next = 0;

			if (leaf >= 0) {
				next = next_child(&tree, node, leaf, after);
			} else {
				int position = -1 - leaf;

				if (!left || !position || fetch_letter(tree.reference, position - 1) != left) {
					if (count < SLOTS)
						positions[i * SLOTS + count] = position;
					count++;
				}
			}
			after = 0;
			if (next) {
				node = next;
			} else if (node == match.x) {
				break;
			} else {
				int4 edge = fetch4(tree.nodes, node);

				after = fetch_letter(tree.reference, edge.x);
				node = edge.w;
			}
		}
	}
	counts[i] = count;
}
