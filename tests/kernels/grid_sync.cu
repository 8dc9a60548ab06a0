/* Kernels whose grid synchronises: nvcc -ptx -arch=compute_75 */
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

/* The sum of v in out[0], by halves; `rounds` times over, each from the last one's result. */
__global__ void reduce(unsigned *v, unsigned *part, unsigned *out, int n, int rounds)
{
	cg::grid_group g = cg::this_grid();
	__shared__ unsigned sum;
	for (int r = 0; r < rounds; r++) {
		unsigned mine = 0;
		for (unsigned long long i = g.thread_rank(); i < n; i += g.size())
			mine += v[i];
		if (threadIdx.x == 0)
			sum = 0;
		__syncthreads();
		atomicAdd(&sum, mine);
		__syncthreads();
		if (threadIdx.x == 0)
			part[g.block_rank()] = sum;
		g.sync();
		if (g.thread_rank() == 0) {
			unsigned all = 0;
			for (unsigned b = 0; b < g.num_blocks(); b++)
				all += part[b];
			out[r] = all;
		}
		g.sync();
		for (unsigned long long i = g.thread_rank(); i < n; i += g.size())
			v[i] ^= out[r];
		g.sync();
	}
}

/* Something else on the machine. */
__global__ void busy(unsigned *o, int n)
{
	unsigned x = threadIdx.x;
	for (int i = 0; i < n; i++)
		x = x * 1664525u + 1013904223u;
	o[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
