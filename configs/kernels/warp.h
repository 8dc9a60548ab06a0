/* Sums and maxima over the lanes of a warp by shuffles: all lanes get the result. */
#ifndef KERNELS_WARP_H
#define KERNELS_WARP_H
#include "device.h"

#define ALL_LANES 0xffffffffu

static __device__ __forceinline__ float warp_sum(float x)
{
#pragma unroll
	for (int away = 16; away; away /= 2)
		x += __shfl_xor_sync(ALL_LANES, x, away);
	return x;
}

static __device__ __forceinline__ float warp_max(float x)
{
#pragma unroll
	for (int away = 16; away; away /= 2)
		x = fmaxf(x, __shfl_xor_sync(ALL_LANES, x, away));
	return x;
}

#endif
