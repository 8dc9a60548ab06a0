/* Softmax of each row of a matrix, in three steps:
 *
 *   softmax_three  a warp a row; passes for the maximum, the sum and the result: the row is read three times
 *   softmax_warp   a warp a row; maximum and sum in one pass (online.h), loads of 16 B: the row is read twice
 *   softmax_cta    the same by a CTA a row, whose warps meet in shared memory
 *
 * A CTA has 256 threads. Columns are a multiple of 4; rows a multiple of 8 for the first two. */
#include "online.h"
#include "warp.h"

#define WARPS 8

extern "C" __global__ void softmax_three(const float *in, float *out, int columns)
{
	const int lane = threadIdx.x % 32, row = blockIdx.x * WARPS + threadIdx.x / 32;
	const float *from = in + row * columns;
	float *to = out + row * columns;
	float most = LOWEST, sum = 0.0f;
	for (int i = lane; i < columns; i += 32)
		most = fmaxf(most, from[i]);
	most = warp_max(most);
	for (int i = lane; i < columns; i += 32)
		sum += __expf(from[i] - most);
	sum = warp_sum(sum);
	for (int i = lane; i < columns; i += 32)
		to[i] = __fdividef(__expf(from[i] - most), sum);
}

/* Of every `step`th group of four, from group `first` on. */
static __device__ __forceinline__ online online_of(const float4 *from, int groups, int first, int step)
{
	online o = {LOWEST, 0.0f};
	for (int i = first; i < groups; i += step) {
		const float4 x = from[i];
		const float most = fmaxf(o.most, fmaxf(fmaxf(x.x, x.y), fmaxf(x.z, x.w)));
		o.sum = o.sum * __expf(o.most - most) + __expf(x.x - most) + __expf(x.y - most) + __expf(x.z - most) +
		        __expf(x.w - most);
		o.most = most;
	}
	return o;
}

static __device__ __forceinline__ online online_warp(online o)
{
#pragma unroll
	for (int away = 16; away; away /= 2)
		o = online_merge(o,
		                 (online){__shfl_xor_sync(ALL_LANES, o.most, away), __shfl_xor_sync(ALL_LANES, o.sum, away)});
	return o;
}

static __device__ __forceinline__ void scale(const float4 *from, float4 *to, int groups, int first, int step, online o)
{
	const float by = __fdividef(1.0f, o.sum);
	for (int i = first; i < groups; i += step) {
		const float4 x = from[i];
		to[i] = (float4){__expf(x.x - o.most) * by, __expf(x.y - o.most) * by, __expf(x.z - o.most) * by,
		                 __expf(x.w - o.most) * by};
	}
}

extern "C" __global__ void softmax_warp(const float *in, float *out, int columns)
{
	const int lane = threadIdx.x % 32, row = blockIdx.x * WARPS + threadIdx.x / 32, groups = columns / 4;
	const float4 *from = (const float4 *)in + row * groups;
	const online o = online_warp(online_of(from, groups, lane, 32));
	scale(from, (float4 *)out + row * groups, groups, lane, 32, o);
}

extern "C" __global__ void softmax_cta(const float *in, float *out, int columns)
{
	__shared__ online of_warp[WARPS];
	const int groups = columns / 4, row = blockIdx.x;
	const float4 *from = (const float4 *)in + row * groups;
	online o = online_warp(online_of(from, groups, threadIdx.x, WARPS * 32));
	if (threadIdx.x % 32 == 0)
		of_warp[threadIdx.x / 32] = o;
	__syncthreads();
	o = of_warp[0];
	for (int w = 1; w < WARPS; w++)
		o = online_merge(o, of_warp[w]);
	scale(from, (float4 *)out + row * groups, groups, threadIdx.x, WARPS * 32, o);
}
