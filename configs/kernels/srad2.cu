/* Speckle reducing anisotropic diffusion, in the manner of Rodinia's srad_v2: a width x height image (multiples of 16),
 * one pixel a thread, CTAs of 16 x 16 that stage the tile and the pixels around it in shared memory. As in the
 * published program each side's neighbours fill a whole 16 x 16 array (every row of threads loads the same line above
 * and below, every column the same one left and right), of which one row or column is used: 6 and 5 KB a CTA. The host
 * computes q0sqr from a region of the image between the iterations. Some of
 * the arrays only hold what their own thread reads back, as they do there.
 *
 * Where the published kernels read beyond the image at its edge and then replace the value, these clamp the address. */
#include "device.h"

#define TILE 16

/* Derivatives towards the four neighbours, and the diffusion coefficient. */
extern "C" __global__ void srad_1(float *de, float *dw, float *dn, float *ds, const float *image, float *coefficient,
                                  int width, int height, float q0sqr)
{
	__shared__ float tile[TILE][TILE];
	__shared__ float c[TILE][TILE];
	__shared__ float north[TILE][TILE], south[TILE][TILE], east[TILE][TILE], west[TILE][TILE];
	int tx = threadIdx.x, ty = threadIdx.y;
	int x0 = blockIdx.x * TILE, y0 = blockIdx.y * TILE;
	int x = x0 + tx, y = y0 + ty, at = y * width + x;

	north[ty][tx] = image[max(y0 - 1, 0) * width + x];
	south[ty][tx] = image[min(y0 + TILE, height - 1) * width + x];
	west[ty][tx] = image[y * width + max(x0 - 1, 0)];
	east[ty][tx] = image[y * width + min(x0 + TILE, width - 1)];
	__syncthreads();
	tile[ty][tx] = image[at];
	__syncthreads();

	float j = tile[ty][tx];
	float n = (ty == 0 ? north[ty][tx] : tile[ty - 1][tx]) - j;
	float s = (ty == TILE - 1 ? south[ty][tx] : tile[ty + 1][tx]) - j;
	float w = (tx == 0 ? west[ty][tx] : tile[ty][tx - 1]) - j;
	float e = (tx == TILE - 1 ? east[ty][tx] : tile[ty][tx + 1]) - j;
	float gradient2 = (n * n + s * s + w * w + e * e) / (j * j);
	float laplace = (n + s + w + e) / j;
	float num = 0.5f * gradient2 - 0.0625f * (laplace * laplace);
	float den = 1.0f + 0.25f * laplace;
	float qsqr = num / (den * den);
	float value = 1.0f / (1.0f + (qsqr - q0sqr) / (q0sqr * (1.0f + q0sqr)));

	c[ty][tx] = value < 0.0f ? 0.0f : value > 1.0f ? 1.0f : value;
	__syncthreads();
	coefficient[at] = c[ty][tx];
	de[at] = e;
	dw[at] = w;
	ds[at] = s;
	dn[at] = n;
}

/* The image one step on. */
extern "C" __global__ void srad_2(const float *de, const float *dw, const float *dn, const float *ds, float *image,
                                  const float *coefficient, int width, int height, float lambda)
{
	__shared__ float south[TILE][TILE], east[TILE][TILE], c[TILE][TILE];
	__shared__ float tile[TILE][TILE], result[TILE][TILE];
	int tx = threadIdx.x, ty = threadIdx.y;
	int x0 = blockIdx.x * TILE, y0 = blockIdx.y * TILE;
	int x = x0 + tx, y = y0 + ty, at = y * width + x;

	tile[ty][tx] = image[at];
	__syncthreads();
	south[ty][tx] = coefficient[min(y0 + TILE, height - 1) * width + x];
	east[ty][tx] = coefficient[y * width + min(x0 + TILE, width - 1)];
	__syncthreads();
	c[ty][tx] = coefficient[at];
	__syncthreads();

	float here = c[ty][tx];
	float cs = ty == TILE - 1 ? south[ty][tx] : c[ty + 1][tx];
	float ce = tx == TILE - 1 ? east[ty][tx] : c[ty][tx + 1];
	float divergence = here * dn[at] + cs * ds[at] + here * dw[at] + ce * de[at];

	result[ty][tx] = tile[ty][tx] + 0.25f * lambda * divergence;
	__syncthreads();
	image[at] = result[ty][tx];
}
