/* Gaussian elimination without pivoting on a x = b (n x n), in the manner of Rodinia's gaussian: for each column t the
 * host launches
 *   fan1   the multipliers m[i][t] = a[i][t] / a[t][t] of the rows below, one row a thread, CTAs of 512
 *   fan2   rows i > t minus m[i][t] x row t, one element a thread, CTAs of 4 x 4
 * over grids for the whole matrix: threads beyond the part that is left return at once, ever more of them. As in the
 * published program threadIdx.x runs along rows (neighbouring lanes are a row apart, accesses scatter) and CTAs of
 * fan2 are half a warp. */
#include "device.h"

extern "C" __global__ void fan1(float *m, const float *a, int n, int t)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n - 1 - t)
		return;
	m[n * (i + t + 1) + t] = a[n * (i + t + 1) + t] / a[n * t + t];
}

extern "C" __global__ void fan2(const float *m, float *a, float *b, int n, int t)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x >= n - 1 - t || y >= n - t)
		return;
	int row = x + t + 1;
	float factor = m[n * row + t];

	a[n * row + y + t] -= factor * a[n * t + y + t];
	if (y == 0)
		b[row] -= factor * b[t];
}
