/* The online softmax (Milakov and Gimelshein, arXiv 1805.02867): the largest number so far, and the sum of e^x relative
 * to it. A larger number scales the sum down, and two such pairs merge into that of both. */
#ifndef KERNELS_ONLINE_H
#define KERNELS_ONLINE_H
#include "device.h"

#define LOWEST -1e30f /* of no number: e^(LOWEST - x) is 0, and LOWEST - LOWEST is no NaN */

static __device__ __forceinline__ float exp2_of(float x)
{
	float y;
	asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
	return y;
}

struct online {
	float most, sum;
};

static __device__ __forceinline__ online online_merge(online a, online b)
{
	const float most = fmaxf(a.most, b.most);
	return (online){most, a.sum * __expf(a.most - most) + b.sum * __expf(b.most - most)};
}

#endif
