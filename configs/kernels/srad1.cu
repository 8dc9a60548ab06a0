/* Speckle reducing anisotropic diffusion of an ultrasound image, in the manner of Rodinia's srad_v1: one pixel a
 * thread, CTAs of 512, everything on the device. `rows` is the image's height: pixels are stored column by column,
 * pixel e is row e % rows of column e / rows. Neighbours come from index arrays (a row or column beyond the edge is the
 * edge).
 *
 *   extract    image = exp(image / 255)
 *   each iteration: prepare (copies for the sums), reduce until one sum is left (the host turns it into q0sqr, the
 *   image's coefficient of variation squared), diffuse (derivatives and diffusion coefficients), update (the image)
 *   compress   image = 255 log(image) */
#include "device.h"

#define BLOCK 512

extern "C" __global__ void srad_extract(int n, float *image)
{
	int e = blockIdx.x * BLOCK + threadIdx.x;

	if (e < n)
		image[e] = __expf(image[e] / 255.0f);
}

extern "C" __global__ void srad_prepare(int n, const float *image, float *sums, float *squares)
{
	int e = blockIdx.x * BLOCK + threadIdx.x;

	if (e < n) {
		sums[e] = image[e];
		squares[e] = image[e] * image[e];
	}
}

/* Adds up `n` sums and squares that are `stride` elements apart, 512 a CTA, by a tree in shared memory (4 KB) whose
 * threads drop out interleaved: thread t is active in step s if t + 1 is a multiple of 2^s. CTA i leaves its sums in
 * element i * 512 * stride: in place, so not idempotent. */
extern "C" __global__ void srad_reduce(int n, int stride, float *sums, float *squares)
{
	__shared__ float sum[BLOCK], square[BLOCK];
	int t = threadIdx.x;
	int e = blockIdx.x * BLOCK + t;

	sum[t] = e < n ? sums[e * stride] : 0.0f;
	square[t] = e < n ? squares[e * stride] : 0.0f;
#pragma unroll 1
	for (int i = 2; i <= BLOCK; i *= 2) {
		__syncthreads();
		if ((t + 1) % i == 0) {
			sum[t] += sum[t - i / 2];
			square[t] += square[t - i / 2];
		}
	}
	if (t == BLOCK - 1) {
		sums[blockIdx.x * BLOCK * stride] = sum[t];
		squares[blockIdx.x * BLOCK * stride] = square[t];
	}
}

/* The four derivatives of each pixel and its diffusion coefficient, within 0..1. */
extern "C" __global__ void srad_diffuse(int rows, int n, const int *north, const int *south, const int *west,
                                        const int *east, float *dn, float *ds, float *dw, float *de, float q0sqr,
                                        float *coefficient, const float *image)
{
	int e = blockIdx.x * BLOCK + threadIdx.x;

	if (e >= n)
		return;
	int row = e % rows, column = e / rows;
	float j = image[e];
	float n_ = image[north[row] + rows * column] - j, s_ = image[south[row] + rows * column] - j;
	float w_ = image[row + rows * west[column]] - j, e_ = image[row + rows * east[column]] - j;
	float gradient2 = (n_ * n_ + s_ * s_ + w_ * w_ + e_ * e_) / (j * j);
	float laplace = (n_ + s_ + w_ + e_) / j;
	float num = 0.5f * gradient2 - 0.0625f * (laplace * laplace);
	float den = 1.0f + 0.25f * laplace;
	float qsqr = num / (den * den);
	float c = 1.0f / (1.0f + (qsqr - q0sqr) / (q0sqr * (1.0f + q0sqr)));

	if (c < 0.0f)
		c = 0.0f;
	else if (c > 1.0f)
		c = 1.0f;
	dn[e] = n_;
	ds[e] = s_;
	dw[e] = w_;
	de[e] = e_;
	coefficient[e] = c;
}

extern "C" __global__ void srad_update(float lambda, int rows, int n, const int *south, const int *east,
                                       const float *dn, const float *ds, const float *dw, const float *de,
                                       const float *coefficient, float *image)
{
	int e = blockIdx.x * BLOCK + threadIdx.x;

	if (e >= n)
		return;
	int row = e % rows, column = e / rows;
	float here = coefficient[e];
	float cs = coefficient[south[row] + rows * column], ce = coefficient[row + rows * east[column]];
	float divergence = here * dn[e] + cs * ds[e] + here * dw[e] + ce * de[e];

	image[e] += 0.25f * lambda * divergence;
}

extern "C" __global__ void srad_compress(int n, float *image)
{
	int e = blockIdx.x * BLOCK + threadIdx.x;

	if (e < n)
		image[e] = __logf(image[e]) * 255.0f;
}
