/* Layer normalization of each row of a matrix: (x - mean) / sqrt(variance + epsilon) * gain + bias. Three steps:
 *
 *   layernorm_two     a warp a row; a pass for the mean, one for the variance, one for the result
 *   layernorm_vector  the same with loads and stores of 16 B
 *   layernorm_cta     a CTA a row, which keeps its row in registers: the row is read once
 *
 * Mean and variance are sums over lanes by shuffles. A CTA has 128 threads. Columns are a multiple of 4, at most
 * 128 x 4 x KEPT for the last; rows a multiple of 4 for the first two. */
#include "warp.h"

#define WARPS 4
#define KEPT 8 /* groups of four that a thread keeps */
#define EPSILON 1e-5f

extern "C" __global__ void layernorm_two(const float *in, const float *gain, const float *bias, float *out, int columns)
{
	const int lane = threadIdx.x % 32, row = blockIdx.x * WARPS + threadIdx.x / 32;
	const float *from = in + row * columns;
	float *to = out + row * columns;
	float sum = 0.0f, squares = 0.0f;
	for (int i = lane; i < columns; i += 32)
		sum += from[i];
	const float mean = warp_sum(sum) / columns;
	for (int i = lane; i < columns; i += 32)
		squares += (from[i] - mean) * (from[i] - mean);
	const float by = rsqrtf(warp_sum(squares) / columns + EPSILON);
	for (int i = lane; i < columns; i += 32)
		to[i] = (from[i] - mean) * by * gain[i] + bias[i];
}

static __device__ __forceinline__ float sum_of(float4 x)
{
	return x.x + x.y + x.z + x.w;
}

extern "C" __global__ void layernorm_vector(const float4 *in, const float4 *gain, const float4 *bias, float4 *out,
                                            int columns)
{
	const int lane = threadIdx.x % 32, row = blockIdx.x * WARPS + threadIdx.x / 32, groups = columns / 4;
	const float4 *from = in + row * groups;
	float4 *to = out + row * groups;
	float sum = 0.0f, squares = 0.0f;
	for (int i = lane; i < groups; i += 32)
		sum += sum_of(from[i]);
	const float mean = warp_sum(sum) / columns;
	for (int i = lane; i < groups; i += 32) {
		const float4 d = from[i] - mean;
		squares += sum_of(d * d);
	}
	const float by = rsqrtf(warp_sum(squares) / columns + EPSILON);
	for (int i = lane; i < groups; i += 32)
		to[i] = (from[i] - mean) * by * gain[i] + bias[i];
}

static __device__ __forceinline__ float cta_sum(float x, float of_warp[WARPS])
{
	x = warp_sum(x);
	if (threadIdx.x % 32 == 0)
		of_warp[threadIdx.x / 32] = x;
	__syncthreads();
	return of_warp[0] + of_warp[1] + of_warp[2] + of_warp[3];
}

extern "C" __global__ void layernorm_cta(const float4 *in, const float4 *gain, const float4 *bias, float4 *out,
                                         int columns)
{
	__shared__ float sums[WARPS], squares_of[WARPS];
	const int groups = columns / 4;
	const float4 *from = in + blockIdx.x * groups;
	float4 *to = out + blockIdx.x * groups;
	float4 x[KEPT];
	float sum = 0.0f, squares = 0.0f;
#pragma unroll
	for (int i = 0; i < KEPT; i++) {
		const int at = (int)threadIdx.x + i * WARPS * 32;
		x[i] = at < groups ? from[at] : (float4){0.0f, 0.0f, 0.0f, 0.0f};
		sum += sum_of(x[i]);
	}
	const float mean = cta_sum(sum, sums) / columns;
#pragma unroll
	for (int i = 0; i < KEPT; i++)
		if ((int)threadIdx.x + i * WARPS * 32 < groups) {
			const float4 d = x[i] - mean;
			squares += sum_of(d * d);
		}
	const float by = rsqrtf(cta_sum(squares, squares_of) / columns + EPSILON);
#pragma unroll
	for (int i = 0; i < KEPT; i++) {
		const int at = (int)threadIdx.x + i * WARPS * 32;
		if (at < groups)
			to[at] = (x[i] - mean) * by * gain[at] + bias[at];
	}
}
