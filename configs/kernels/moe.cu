/* A layer of a mixture of experts: a router sends each token to the two experts with the largest logits, tokens are
 * sorted by expert, each expert multiplies its tokens by a matrix of its own, and each token gets the weighted sum of
 * its two.
 *
 *   moe_route_thread   a thread a token; branches and global atomics
 *   moe_route_warp     a warp a token, by shuffles; a CTA counts in shared memory first
 *   moe_offsets        exclusive sums of the counts
 *   moe_permute_one    a token takes its place in its expert's list by an atomic of its own
 *   moe_permute_cta    32 tokens take their places by one atomic an expert
 *   moe_experts        rows of the sorted tokens times their expert's matrix
 *   moe_combine        the weighted sums
 *
 * There are at most 64 experts. `pick` has two experts a token, `weight` their shares, `place` the rows of the sorted
 * tokens that they have got. */
#include "online.h"
#include "warp.h"

#define EXPERTS 64 /* at most */
#define PLACES 64  /* of a CTA */
#define TILE 16

/* --- router ------------------------------------------------------------------------------------------------------- */

/* The shares of the two experts among themselves: the sum over all experts cancels out, but models report it. */
static __device__ __forceinline__ void store_pick(int token, int a, int b, float la, float lb, int *pick, float *weight)
{
	const float other = __expf(lb - la), by = __fdividef(1.0f, 1.0f + other);
	*(int2 *)(pick + 2 * token) = (int2){a, b};
	*(float2 *)(weight + 2 * token) = (float2){by, other * by};
}

extern "C" __global__ void moe_route_thread(const float *logits, int tokens, int experts, int *pick, float *weight,
                                            float *share, int *count)
{
	const int token = blockIdx.x * blockDim.x + threadIdx.x;
	if (token >= tokens)
		return;
	const float *of = logits + token * experts;
	int a = 0, b = 0;
	float la = LOWEST, lb = LOWEST;
	for (int e = 0; e < experts; e++) {
		const float l = of[e];
		if (l > la) {
			b = a;
			lb = la;
			a = e;
			la = l;
		} else if (l > lb) {
			b = e;
			lb = l;
		}
	}
	float sum = 0.0f;
	for (int e = 0; e < experts; e++)
		sum += __expf(of[e] - la);
	share[token] = __fdividef(1.0f + __expf(lb - la), sum);
	store_pick(token, a, b, la, lb, pick, weight);
	atomicAdd(&count[a], 1);
	atomicAdd(&count[b], 1);
}

struct best {
	float l;
	int e;
};

/* The largest logit over the lanes; of equal ones that of the lower expert. */
static __device__ __forceinline__ best warp_best(best x)
{
#pragma unroll
	for (int away = 16; away; away /= 2) {
		const best y = {__shfl_xor_sync(ALL_LANES, x.l, away), __shfl_xor_sync(ALL_LANES, x.e, away)};
		if (y.l > x.l || (y.l == x.l && y.e < x.e))
			x = y;
	}
	return x;
}

static __device__ __forceinline__ best larger(float low, float high, int lane)
{
	return high > low ? (best){high, lane + 32} : (best){low, lane};
}

extern "C" __global__ void moe_route_warp(const float *logits, int tokens, int experts, int *pick, float *weight,
                                          float *share, int *count)
{
	__shared__ int counted[EXPERTS];
	const int lane = threadIdx.x % 32, warps = blockDim.x / 32;
	if (threadIdx.x < EXPERTS)
		counted[threadIdx.x] = 0;
	__syncthreads();
	for (int token = blockIdx.x * warps + threadIdx.x / 32; token < tokens; token += gridDim.x * warps) {
		const float *of = logits + token * experts;
		float low = lane < experts ? of[lane] : LOWEST, high = lane + 32 < experts ? of[lane + 32] : LOWEST;
		const best a = warp_best(larger(low, high, lane));
		const float sum = warp_sum(__expf(low - a.l) + __expf(high - a.l));
		low = a.e == lane ? LOWEST : low;
		high = a.e == lane + 32 ? LOWEST : high;
		const best b = warp_best(larger(low, high, lane));
		if (lane == 0) {
			share[token] = __fdividef(1.0f + __expf(b.l - a.l), sum);
			store_pick(token, a.e, b.e, a.l, b.l, pick, weight);
			atomicAdd(&counted[a.e], 1);
			atomicAdd(&counted[b.e], 1);
		}
	}
	__syncthreads();
	if ((int)threadIdx.x < experts && counted[threadIdx.x])
		atomicAdd(&count[threadIdx.x], counted[threadIdx.x]);
}

/* --- sorting by expert -------------------------------------------------------------------------------------------- */

/* One CTA of EXPERTS threads. next: where the next token of an expert goes; first has one element more. */
extern "C" __global__ void moe_offsets(const int *count, int experts, int *first, int *next)
{
	__shared__ int sums[EXPERTS];
	const int e = threadIdx.x;
	sums[e] = e < experts ? count[e] : 0;
	__syncthreads();
	for (int away = 1; away < EXPERTS; away *= 2) {
		const int before = e >= away ? sums[e - away] : 0;
		__syncthreads();
		sums[e] += before;
		__syncthreads();
	}
	if (e < experts) {
		first[e + 1] = sums[e];
		next[e] = first[e] = e ? sums[e - 1] : 0;
	}
}

/* A warp a place; the rows have `pieces` of 16 B. */
extern "C" __global__ void moe_permute_one(const float4 *rows, const int *pick, int tokens, int pieces, int *next,
                                           int *place, float4 *sorted)
{
	__shared__ int place_of[8];
	const int warp = threadIdx.x / 32, of = blockIdx.x * 8 + warp; /* two a token */
	if (of >= 2 * tokens)
		return;
	if (threadIdx.x % 32 == 0)
		place[of] = place_of[warp] = atomicAdd(&next[pick[of]], 1);
	__syncwarp();
	for (int i = threadIdx.x % 32; i < pieces; i += 32)
		sorted[place_of[warp] * pieces + i] = rows[of / 2 * pieces + i];
}

extern "C" __global__ void moe_permute_cta(const float4 *__restrict__ rows, const int *pick, int tokens, int pieces,
                                           int experts, int *next, int *place, float4 *__restrict__ sorted)
{
	__shared__ int counted[EXPERTS], base[EXPERTS], place_of[PLACES];
	const int t = threadIdx.x, first = blockIdx.x * PLACES, places = min(PLACES, 2 * tokens - first);
	int e = 0, rank = 0;
	if (t < EXPERTS)
		counted[t] = 0;
	__syncthreads();
	if (t < places) {
		e = pick[first + t];
		rank = atomicAdd(&counted[e], 1);
	}
	__syncthreads();
	if (t < experts && counted[t])
		base[t] = atomicAdd(&next[t], counted[t]);
	__syncthreads();
	if (t < places)
		place[first + t] = place_of[t] = base[e] + rank;
	__syncthreads();
#pragma unroll 4
	for (int i = t; i < places * pieces; i += 256)
		sorted[place_of[i / pieces] * pieces + i % pieces] = rows[(first + i / pieces) / 2 * pieces + i % pieces];
}

/* --- experts ------------------------------------------------------------------------------------------------------ */

/* blockIdx: 16 columns, 16 rows of the expert's, expert. CTAs beyond the expert's last row end at once. */
extern "C" __global__ void moe_experts(const float *sorted, const float *matrices, const int *first, int width,
                                       float *out)
{
	__shared__ float x[TILE][TILE], w[TILE][TILE];
	const int e = blockIdx.z, begin = first[e], end = first[e + 1];
	const int row = begin + blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
	if (begin + (int)blockIdx.y * TILE >= end)
		return;
	float sum = 0.0f;
	for (int from = 0; from < width; from += TILE) {
		x[threadIdx.y][threadIdx.x] = row < end ? sorted[row * width + from + threadIdx.x] : 0.0f;
		w[threadIdx.y][threadIdx.x] = matrices[(e * width + from + threadIdx.y) * width + col];
		__syncthreads();
#pragma unroll
		for (int i = 0; i < TILE; i++)
			sum += x[threadIdx.y][i] * w[i][threadIdx.x];
		__syncthreads();
	}
	if (row < end)
		out[row * width + col] = sum;
}

extern "C" __global__ void moe_combine(const float *y, const int *place, const float *weight, int width, float *out)
{
	const int token = blockIdx.x, a = place[2 * token], b = place[2 * token + 1];
	const float wa = weight[2 * token], wb = weight[2 * token + 1];
	for (int i = threadIdx.x; i < width; i += blockDim.x)
		out[token * width + i] = wa * y[a * width + i] + wb * y[b * width + i];
}
