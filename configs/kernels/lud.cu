/* LU decomposition in place, without pivoting, in blocks of 16 x 16: A becomes L (unit diagonal, below) and U (above).
 * For each block step k the host launches
 *   lud_diagonal   1 CTA of 16       factors block (k, k)
 *   lud_perimeter  m CTAs of 32      the m blocks to the right (L y = a) and the m blocks below (x U = a)
 *   lud_internal   m x m CTAs 16x16  every remaining block minus (its L block) x (its U block)
 * with m = n / 16 - k - 1; the last step is a diagonal alone. n is a multiple of 16; offset = 16 k. */
#include "device.h"

#define B 16

extern "C" __global__ void lud_diagonal(float *m, int n, int offset)
{
	__shared__ float d[B][B + 1];
	int t = threadIdx.x;
	float *block = m + offset * n + offset;

#pragma unroll
	for (int i = 0; i < B; i++)
		d[i][t] = block[i * n + t];
	__syncthreads();
	/* Thread t owns row t; after step k rows below k have lost column k. */
#pragma unroll 1
	for (int k = 0; k < B - 1; k++) {
		if (t > k) {
			float factor = d[t][k] / d[k][k];

			d[t][k] = factor;
#pragma unroll 1
			for (int j = k + 1; j < B; j++)
				d[t][j] -= factor * d[k][j];
		}
		__syncthreads();
	}
#pragma unroll
	for (int i = 0; i < B; i++)
		block[i * n + t] = d[i][t];
}

extern "C" __global__ void lud_perimeter(float *m, int n, int offset)
{
	__shared__ float d[B][B], right[B][B], below[B][B + 1];
	int t = threadIdx.x % B;
	int away = (blockIdx.x + 1) * B;
	float *diagonal = m + offset * n + offset;
	float *row = diagonal + away, *column = diagonal + away * n;

	if (threadIdx.x < B) {
#pragma unroll
		for (int i = 0; i < B / 2; i++)
			d[i][t] = diagonal[i * n + t];
#pragma unroll
		for (int i = 0; i < B; i++)
			right[i][t] = row[i * n + t];
	} else {
#pragma unroll
		for (int i = B / 2; i < B; i++)
			d[i][t] = diagonal[i * n + t];
#pragma unroll
		for (int i = 0; i < B; i++)
			below[i][t] = column[i * n + t];
	}
	__syncthreads();
	if (threadIdx.x < B) {
		/* Column t of the block to the right: forward substitution with L. */
#pragma unroll 1
		for (int i = 1; i < B; i++) {
			float a = right[i][t];
#pragma unroll 4
			for (int j = 0; j < i; j++)
				a -= d[i][j] * right[j][t];
			right[i][t] = a;
		}
	} else {
		/* Row t of the block below: the same with U from the right. */
#pragma unroll 1
		for (int i = 0; i < B; i++) {
			float a = below[t][i];
#pragma unroll 4
			for (int j = 0; j < i; j++)
				a -= below[t][j] * d[j][i];
			below[t][i] = a / d[i][i];
		}
	}
	__syncthreads();
	if (threadIdx.x < B) {
#pragma unroll
		for (int i = 0; i < B; i++)
			row[i * n + t] = right[i][t];
	} else {
#pragma unroll
		for (int i = 0; i < B; i++)
			column[i * n + t] = below[i][t];
	}
}

extern "C" __global__ void lud_internal(float *m, int n, int offset)
{
	__shared__ float above[B][B], left[B][B];
	int tx = threadIdx.x, ty = threadIdx.y;
	int row = offset + (blockIdx.y + 1) * B + ty;
	int column = offset + (blockIdx.x + 1) * B + tx;
	float sum = 0.0f;

	above[ty][tx] = m[(offset + ty) * n + column];
	left[ty][tx] = m[row * n + offset + tx];
	__syncthreads();
#pragma unroll
	for (int k = 0; k < B; k++)
		sum += left[ty][k] * above[k][tx];
	m[row * n + column] -= sum;
}
