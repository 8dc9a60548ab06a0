/* C = alpha A B^T + beta C with a register tile, in the manner of Parboil's sgemm (kernel mysgemmNT; V. Volkov's
 * scheme). All matrices are in columns: A is m x k, B is n x k, C is m x n; m is a multiple of 128, n of 16, k of 8.
 *
 * A CTA of 16 x 8 threads computes 128 rows by 16 columns of C. Thread t owns row t of the tile: its 16 sums stay in
 * registers, its element of A comes from global memory (coalesced: neighbouring rows), and the 8 x 16 piece of B that
 * all threads share is staged in shared memory (512 bytes). Two barriers every 8 steps of k.
 *
 * C's old values are read and overwritten at the end: not idempotent. */
#include "device.h"

#define COLUMNS 16
#define STEPS 8
#define ROWS (COLUMNS * STEPS)

extern "C" __global__ void sgemm_nt(const float *__restrict__ a, int lda, const float *__restrict__ b, int ldb,
                                    float *__restrict__ c, int ldc, int k, float alpha, float beta)
{
	__shared__ float bs[STEPS][COLUMNS];
	float sum[COLUMNS];
	int row = blockIdx.x * ROWS + threadIdx.y * COLUMNS + threadIdx.x;
	int column = blockIdx.y * COLUMNS;

#pragma unroll
	for (int j = 0; j < COLUMNS; j++)
		sum[j] = 0.0f;
#pragma unroll 1
	for (int i = 0; i < k; i += STEPS) {
		bs[threadIdx.y][threadIdx.x] = b[column + threadIdx.x + (i + threadIdx.y) * ldb];
		__syncthreads();
#pragma unroll 4
		for (int step = 0; step < STEPS; step++) {
			float x = a[row + (i + step) * lda];
#pragma unroll
			for (int j = 0; j < COLUMNS; j++)
				sum[j] += x * bs[step][j];
		}
		__syncthreads();
	}
#pragma unroll
	for (int j = 0; j < COLUMNS; j++) {
		float *out = c + row + (column + j) * ldc;
		*out = *out * beta + alpha * sum[j];
	}
}
