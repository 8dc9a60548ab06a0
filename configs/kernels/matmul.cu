/* C = A B for square matrices of n x n floats, n a multiple of 16: one element a thread, tiles of both factors staged
 * in shared memory. */
#include "device.h"

#define TILE 16

extern "C" __global__ void matmul(const float *A, const float *B, float *C, int n)
{
	__shared__ float As[TILE][TILE], Bs[TILE][TILE];
	int tx = threadIdx.x, ty = threadIdx.y;
	int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
	float sum = 0.0f;

	for (int k0 = 0; k0 < n; k0 += TILE) {
		As[ty][tx] = A[row * n + k0 + tx];
		Bs[ty][tx] = B[(k0 + ty) * n + col];
		__syncthreads();
#pragma unroll
		for (int k = 0; k < TILE; k++)
			sum += As[ty][k] * Bs[k][tx];
		__syncthreads();
	}
	C[row * n + col] = sum;
}
