/* Attention for one query a sequence over a paged cache of keys and values, as when a model generates tokens. The cache
 * has pages of 16 tokens: PAGE rows of D f16 for each head, head after head. A table names the pages of each sequence,
 * in order.
 *
 *   decode_split_D  a CTA has a share of a sequence's pages for one head, and leaves the result of this share
 *   decode_join_D   puts the shares together
 *
 * A CTA of the first has 128 threads; its warps take pages in turn. D / 8 lanes have one key, 16 B each, so that a warp
 * reads 512 B at once. Each such group of lanes keeps its own largest score, sum and result (online softmax); they meet
 * at the end. Scores are multiplied by log2 e before: weights are powers of 2. */
#include "half.h"
#include "online.h"
#include "warp.h"

#define PAGE 16
#define WARPS 4
#define SPLITS 256

static __device__ __forceinline__ void unpack(float f[8], uint4 h)
{
	const unsigned words[4] = {h.x, h.y, h.z, h.w};
#pragma unroll
	for (int i = 0; i < 8; i++)
		f[i] = to_f32((half)(words[i / 2] >> i % 2 * 16));
}

/* One page: `left` of its tokens count. k, v: this lane's 16 B of the first row. */
template <int D>
static __device__ __forceinline__ void attend_page(online *s, float o[8], const float q[8], const half *k,
                                                   const half *v, int left)
{
	const int lanes = D / 8, at_once = 32 / lanes, group = threadIdx.x % 32 / lanes;
	uint4 keys[PAGE / at_once], values[PAGE / at_once];
	float score[PAGE / at_once], most = s->most;
#pragma unroll
	for (int i = 0; i < PAGE / at_once; i++) {
		keys[i] = *(const uint4 *)(k + i * at_once * D);
		values[i] = *(const uint4 *)(v + i * at_once * D);
	}
#pragma unroll
	for (int i = 0; i < PAGE / at_once; i++) {
		float key[8];
		unpack(key, keys[i]);
		score[i] = 0.0f;
#pragma unroll
		for (int j = 0; j < 8; j++)
			score[i] += q[j] * key[j];
#pragma unroll
		for (int away = lanes / 2; away; away /= 2)
			score[i] += __shfl_xor_sync(ALL_LANES, score[i], away);
		if (i * at_once + group >= left)
			score[i] = LOWEST;
		most = fmaxf(most, score[i]);
	}
	const float by = exp2_of(s->most - most);
	s->most = most;
	s->sum *= by;
#pragma unroll
	for (int j = 0; j < 8; j++)
		o[j] *= by;
#pragma unroll
	for (int i = 0; i < PAGE / at_once; i++) {
		const float weight = i * at_once + group < left ? exp2_of(score[i] - most) : 0.0f;
		float value[8];
		unpack(value, values[i]);
		s->sum += weight;
#pragma unroll
		for (int j = 0; j < 8; j++)
			o[j] += weight * value[j];
	}
}

template <int D>
static __device__ __forceinline__ void split(const half *Q, const half *K, const half *V, const int *table,
                                             const int *lengths, int pages, float scale, float *results, online *shares)
{
	__shared__ float result_of[WARPS][D];
	__shared__ online share_of[WARPS];
	const int heads = gridDim.y, sequence = blockIdx.z, query = sequence * heads + blockIdx.y;
	const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, part = lane % (D / 8) * 8, length = lengths[sequence];
	const int each = ((length + PAGE - 1) / PAGE + (int)gridDim.x - 1) / (int)gridDim.x;
	const int first = blockIdx.x * each, end = min(first + each, (length + PAGE - 1) / PAGE);
	float q[8], o[8] = {};
	online s = {LOWEST, 0.0f};
	unpack(q, *(const uint4 *)(Q + query * D + part));
#pragma unroll
	for (int j = 0; j < 8; j++)
		q[j] *= scale;
	for (int i = first + warp; i < end; i += WARPS) {
		const int page = table[sequence * pages + i], row = lane / (D / 8);
		const int at = ((page * heads + (int)blockIdx.y) * PAGE + row) * D + part;
		attend_page<D>(&s, o, q, K + at, V + at, length - i * PAGE);
	}
	/* The groups of a warp, then the warps. */
#pragma unroll
	for (int away = D / 8; away < 32; away *= 2) {
		const float other = __shfl_xor_sync(ALL_LANES, s.most, away), most = fmaxf(s.most, other);
		const float mine = exp2_of(s.most - most), theirs = exp2_of(other - most);
		s.sum = s.sum * mine + __shfl_xor_sync(ALL_LANES, s.sum, away) * theirs;
		s.most = most;
#pragma unroll
		for (int j = 0; j < 8; j++)
			o[j] = o[j] * mine + __shfl_xor_sync(ALL_LANES, o[j], away) * theirs;
	}
	if (lane < D / 8)
#pragma unroll
		for (int j = 0; j < 8; j++)
			result_of[warp][part + j] = o[j];
	if (lane == 0)
		share_of[warp] = s;
	__syncthreads();
	if (threadIdx.x < D) {
		online all = share_of[0];
		for (int w = 1; w < WARPS; w++)
			all.most = fmaxf(all.most, share_of[w].most);
		float result = all.sum = 0.0f;
		for (int w = 0; w < WARPS; w++) {
			const float by = exp2_of(share_of[w].most - all.most);
			all.sum += share_of[w].sum * by;
			result += result_of[w][threadIdx.x] * by;
		}
		const int to = query * gridDim.x + blockIdx.x;
		results[to * D + threadIdx.x] = result;
		if (threadIdx.x == 0)
			shares[to] = all;
	}
}

/* A CTA has D threads: one column each. There are at most SPLITS shares. */
template <int D>
static __device__ __forceinline__ void join(const float *results, const online *shares, int splits, float *O)
{
	__shared__ float top[SPLITS], weight[SPLITS];
	const int first = blockIdx.x * splits;
	float most = LOWEST, sum = 0.0f, result = 0.0f;
	for (int i = threadIdx.x; i < splits; i += D)
		top[i] = shares[first + i].most;
	__syncthreads();
	for (int i = 0; i < splits; i++)
		most = fmaxf(most, top[i]);
	for (int i = threadIdx.x; i < splits; i += D)
		weight[i] = exp2_of(top[i] - most);
	__syncthreads();
#pragma unroll 8 /* so many loads under way */
	for (int i = 0; i < splits; i++) {
		sum += shares[first + i].sum * weight[i];
		result += results[(first + i) * D + threadIdx.x] * weight[i];
	}
	O[blockIdx.x * D + threadIdx.x] = __fdividef(result, sum);
}

extern "C" __global__ void decode_split_64(const half *Q, const half *K, const half *V, const int *table,
                                           const int *lengths, int pages, float scale, float *results, online *shares)
{
	split<64>(Q, K, V, table, lengths, pages, scale, results, shares);
}

extern "C" __global__ void decode_split_128(const half *Q, const half *K, const half *V, const int *table,
                                            const int *lengths, int pages, float scale, float *results, online *shares)
{
	split<128>(Q, K, V, table, lengths, pages, scale, results, shares);
}

extern "C" __global__ void decode_join_64(const float *results, const online *shares, int splits, float *O)
{
	join<64>(results, shares, splits, O);
}

extern "C" __global__ void decode_join_128(const float *results, const online *shares, int splits, float *O)
{
	join<128>(results, shares, splits, O);
}
