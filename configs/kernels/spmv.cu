/* y = A x for a sparse matrix in compressed rows: row r's entries are value[first[r]] .. value[first[r + 1] - 1], in
 * the columns given by column[] at the same places. */
#include "device.h"

/* One row a thread: lanes walk different rows, so their loads scatter and long rows keep short ones waiting. */
extern "C" __global__ void spmv_scalar(const int *__restrict__ first, const int *__restrict__ column,
                                       const float *__restrict__ value, const float *__restrict__ x,
                                       float *__restrict__ y, int rows)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0.0f;

	if (row >= rows)
		return;
	int end = first[row + 1];
	for (int e = first[row]; e < end; e++)
		sum += value[e] * x[column[e]];
	y[row] = sum;
}

/* One row a warp: lanes read a row's entries side by side and add up with shuffles. */
extern "C" __global__ void spmv_vector(const int *__restrict__ first, const int *__restrict__ column,
                                       const float *__restrict__ value, const float *__restrict__ x,
                                       float *__restrict__ y, int rows)
{
	int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
	int lane = threadIdx.x % 32;
	float sum = 0.0f;

	if (row >= rows)
		return;
	int end = first[row + 1];
	for (int e = first[row] + lane; e < end; e += 32)
		sum += value[e] * x[column[e]];
#pragma unroll
	for (int lanes = 16; lanes > 0; lanes /= 2)
		sum += __shfl_down_sync(0xffffffffu, sum, lanes);
	if (lane == 0)
		y[row] = sum;
}
