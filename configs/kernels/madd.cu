/* Matrix addition C = A + B on height x width floats: one element a thread, CTAs of 16 x 16, two coalesced loads and a
 * store a thread. Nothing is reused: the bandwidth of memory is the limit. */
#include "device.h"

extern "C" __global__ void madd(const float *a, const float *b, float *c, int width, int height)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x >= width || y >= height)
		return;
	int at = y * width + x;
	c[at] = a[at] + b[at];
}
