/* f16 in kernels: 16 bits that are converted before they are computed with. */
#ifndef KERNELS_HALF_H
#define KERNELS_HALF_H
#include "device.h"

typedef unsigned short half;

static __device__ __forceinline__ float to_f32(half x)
{
	float f;
	asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(x));
	return f;
}

#endif
