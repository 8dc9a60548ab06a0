/* Separable convolution of an image with a kernel of radius 8, in the manner of the CUDA SDK's convolutionSeparable: a
 * pass over rows, then one over columns. Pixels beyond the edge are 0. The taps are in constant memory.
 *
 * Rows: a CTA of 16 x 4 threads computes 128 x 4 pixels, 8 a thread and 16 apart, from a tile of 160 x 4 in shared
 * memory (2560 bytes): 16 pixels of halo on either side. Columns: 16 x 8 threads, 16 x 64 pixels, a tile of 16 x 80
 * with a padding row against bank conflicts (5184 bytes). width is a multiple of 128, height of 64. One barrier each;
 * a phase of loads, then a long one of shared memory and arithmetic. */
#include "device.h"

#define RADIUS 8
#define TAPS (2 * RADIUS + 1)
#define STEPS 8 /* pixels a thread */
#define ROW_X 16
#define ROW_Y 4
#define COLUMN_X 16
#define COLUMN_Y 8

__constant__ float taps[TAPS];

extern "C" __global__ void convolve_rows(float *out, const float *in, int width)
{
	__shared__ float tile[ROW_Y][(STEPS + 2) * ROW_X];
	int tx = threadIdx.x, ty = threadIdx.y;
	int x0 = ((int)blockIdx.x * STEPS - 1) * ROW_X + tx; /* of the left halo */
	int y = blockIdx.y * ROW_Y + ty;

	in += y * width + x0;
	out += y * width + x0;
	tile[ty][tx] = x0 >= 0 ? in[0] : 0.0f;
#pragma unroll
	for (int i = 1; i <= STEPS; i++)
		tile[ty][tx + i * ROW_X] = in[i * ROW_X];
	tile[ty][tx + (STEPS + 1) * ROW_X] = width - x0 > (STEPS + 1) * ROW_X ? in[(STEPS + 1) * ROW_X] : 0.0f;
	__syncthreads();
#pragma unroll
	for (int i = 1; i <= STEPS; i++) {
		float sum = 0.0f;
#pragma unroll
		for (int j = -RADIUS; j <= RADIUS; j++)
			sum += taps[RADIUS - j] * tile[ty][tx + i * ROW_X + j];
		out[i * ROW_X] = sum;
	}
}

extern "C" __global__ void convolve_columns(float *out, const float *in, int width, int height)
{
	__shared__ float tile[COLUMN_X][(STEPS + 2) * COLUMN_Y + 1];
	int tx = threadIdx.x, ty = threadIdx.y;
	int x = blockIdx.x * COLUMN_X + tx;
	int y0 = ((int)blockIdx.y * STEPS - 1) * COLUMN_Y + ty; /* of the upper halo */

	in += y0 * width + x;
	out += y0 * width + x;
	tile[tx][ty] = y0 >= 0 ? in[0] : 0.0f;
#pragma unroll
	for (int i = 1; i <= STEPS; i++)
		tile[tx][ty + i * COLUMN_Y] = in[i * COLUMN_Y * width];
	tile[tx][ty + (STEPS + 1) * COLUMN_Y] =
	    height - y0 > (STEPS + 1) * COLUMN_Y ? in[(STEPS + 1) * COLUMN_Y * width] : 0.0f;
	__syncthreads();
#pragma unroll
	for (int i = 1; i <= STEPS; i++) {
		float sum = 0.0f;
#pragma unroll
		for (int j = -RADIUS; j <= RADIUS; j++)
			sum += taps[RADIUS - j] * tile[tx][ty + i * COLUMN_Y + j];
		out[i * COLUMN_Y * width] = sum;
	}
}
