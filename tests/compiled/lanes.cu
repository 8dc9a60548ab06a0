/* Lanes of one warp that do different things; tests/front/test_lanes.c says what must come out.
 * nvcc -ptx -arch=compute_75 -o lanes.ptx lanes.cu */
#include <cassert>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

/* Every value of `key` is a group: one lane counts for all of it. */
__device__ int add_for_group(int *counter, int key)
{
	const unsigned lane = threadIdx.x % 32, group = __match_any_sync(__activemask(), key);
	const int leader = __ffs(group) - 1;
	int first = 0;
	if (lane == leader)
		first = atomicAdd(&counter[key], __popc(group));
	return __shfl_sync(group, first, leader) + __popc(group & ((1u << lane) - 1));
}
extern "C" __global__ void buckets(int *out, const int *key)
{
	const int i = threadIdx.x;
	out[i] = add_for_group(out + blockDim.x, key[i]);
}

/* Groups of four lanes: votes, matches and sums of their own. */
extern "C" __global__ void tiles(int *out, const int *in)
{
	const auto tile = cg::tiled_partition<4>(cg::this_thread_block());
	const int i = threadIdx.x, v = in[i];
	int sum = v;
	for (int by = 2; by; by /= 2)
		sum += tile.shfl_down(sum, by);
	sum = tile.shfl(sum, 0);
	const unsigned odd = tile.ballot(v & 1), like = tile.match_any(v);
	tile.sync();
	out[i] = sum * 4096 + odd * 256 + like * 4 + tile.any(v == 3) * 2 + tile.all(v > 0);
}

/* Threads behind the end return before the barriers. */
extern "C" __global__ void tail(int *out, const int *in)
{
	__shared__ int part[128];
	const int i = threadIdx.x, n = in[0];
	if (i >= n)
		return;
	part[i] = in[1 + i];
	__syncthreads();
	int sum = 0;
	for (int k = 0; k < n; k++)
		sum += part[k];
	__syncthreads();
	part[i] = sum + i;
	__syncthreads();
	out[i] = part[n - 1 - i];
}

/* They write something first. */
extern "C" __global__ void tail_writes(int *out, const int *in)
{
	__shared__ int part[128];
	const int i = threadIdx.x, n = in[0];
	if (i < n) {
		part[i] = in[1 + i];
	} else {
		out[i] = -1;
		return;
	}
	__syncthreads();
	const int more = __syncthreads_count(part[n - 1 - i] > 50);
	out[i] = part[n - 1 - i] + 1000 * more;
}

/* Lanes leave a loop that has a barrier in it at different times, for good. */
extern "C" __global__ void peel(int *out, const int *in)
{
	__shared__ int part[128];
	const int i = threadIdx.x, n = in[0];
	part[i] = 0;
	__syncthreads();
#pragma unroll 1
	for (int k = 0; k < i % n; k++) {
		part[i] += k;
		__syncthreads();
		out[i] = part[i / n * n + n - 1];
		__syncthreads();
	}
}

/* Unrolled: what is one barrier in the source are several instructions. */
extern "C" __global__ void peel_unrolled(int *out, const int *in)
{
	__shared__ int part[128];
	const int i = threadIdx.x, n = in[0];
	part[i] = 0;
	__syncthreads();
	for (int k = 0; k < i % n; k++) {
		part[i] += k;
		__syncthreads();
		out[i] = part[i / n * n + n - 1];
		__syncthreads();
	}
}

/* Each side of a branch has its own barrier, of the kind that needs not be one instruction. */
extern "C" __global__ void two_barriers(int *out, const int *in)
{
	__shared__ int part[128];
	const int i = threadIdx.x;
	if (in[i] & 1) {
		part[i] = i;
		__barrier_sync(0);
		out[i] = part[127 - i] * 2;
	} else {
		part[i] = 1000 + i;
		__barrier_sync(0);
		out[i] = part[127 - i] * 3;
	}
}

/* A warp's halves hand values over in both directions, between the sides of a branch. */
extern "C" __global__ void halves(int *out, const int *in)
{
	__shared__ volatile int box[128];
	const int i = threadIdx.x, n = in[0];
	int sum = 0;
	box[i] = 0;
	__syncwarp();
	if (i % 32 < 16) {
		for (int k = 0; k < n; k++) {
			box[i] = i + k;
			__syncwarp();
			__syncwarp();
			sum += box[i + 16];
		}
	} else {
		for (int k = 0; k < n; k++) {
			__syncwarp();
			sum += box[i - 16];
			box[i] = sum * 2 + k;
			__syncwarp();
		}
	}
	out[i] = sum;
}

/* A shuffle and a vote on each side of a branch, all lanes in both masks. */
extern "C" __global__ void both_sides(int *out, const int *in)
{
	const int i = threadIdx.x, v = in[i];
	int got;
	unsigned votes;
	if (v & 1) {
		got = __shfl_xor_sync(~0u, v * 3, 5);
		out[i + 128] = got;
		votes = __ballot_sync(~0u, v > 40);
	} else {
		got = __shfl_xor_sync(~0u, v + 7, 5);
		out[i + 128] = -got;
		votes = __ballot_sync(~0u, v < 20);
	}
	out[i] = got + (votes >> i % 32 & 1) * 100000 + __popc(votes) * 1000000;
}

extern "C" __global__ void asserts(int *out, const int *in)
{
	const int i = threadIdx.x;
	out[i] = in[i];
	assert(in[i] != 3 && "three");
	out[i]++;
}
