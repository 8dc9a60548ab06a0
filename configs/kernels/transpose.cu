/* out = in transposed; in has height rows of width floats. A CTA of 32 x 8 threads moves a tile of 32 x 32. */
#include "device.h"

#define TILE 32
#define ROWS 8

/* Reads rows, writes columns: every store of a warp goes to 32 different lines. */
extern "C" __global__ void transpose_naive(const float *in, float *out, int width, int height)
{
	int x = blockIdx.x * TILE + threadIdx.x;
	int y = blockIdx.y * TILE + threadIdx.y;

#pragma unroll
	for (int j = 0; j < TILE; j += ROWS)
		if (x < width && y + j < height)
			out[x * height + y + j] = in[(y + j) * width + x];
}

/* Turns the tile in shared memory, so that loads and stores are both whole rows. The extra column keeps the 32 elements
 * of a tile's column in 32 different banks. */
extern "C" __global__ void transpose_tiled(const float *in, float *out, int width, int height)
{
	__shared__ float tile[TILE][TILE + 1];
	int x = blockIdx.x * TILE + threadIdx.x;
	int y = blockIdx.y * TILE + threadIdx.y;

#pragma unroll
	for (int j = 0; j < TILE; j += ROWS)
		if (x < width && y + j < height)
			tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
	__syncthreads();

	x = blockIdx.y * TILE + threadIdx.x;
	y = blockIdx.x * TILE + threadIdx.y;
#pragma unroll
	for (int j = 0; j < TILE; j += ROWS)
		if (x < height && y + j < width)
			out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
