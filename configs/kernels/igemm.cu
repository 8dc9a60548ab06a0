/* C = A B of s8 with s32 sums, in two steps. A is M x K and B is N x K (each row is a column of the second factor), row
 * by row; M, N and K are multiples of 64.
 *
 *   igemm_dp4a  one element a thread, four products an instruction
 *   igemm_mma   tensor cores: tiles by cp.async, three of them under way, swizzled (as hgemm_swizzled has them)
 *
 * A CTA of the second has 128 threads and a tile of 64 x 64; each of its warps has 32 x 32 of that. */
#include "tensor.h"

#define STAGES 3

extern "C" __global__ void igemm_dp4a(const int *A, const int *B, int *C, int n, int k)
{
	const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x, words = k / 4;
	int sum = 0;
	for (int i = 0; i < words; i++)
		asm("dp4a.s32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(A[row * words + i]), "r"(B[col * words + i]));
	C[row * n + col] = sum;
}

static __device__ __forceinline__ void mma_s8(int c[4], const unsigned a[4], const unsigned b[2])
{
	asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
	             : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
	             : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* A warp's 32 x 32 from one pair of tiles. */
static __device__ __forceinline__ void multiply(int c[2][4][4], const tile *a, const tile *b, int row, int col)
{
#pragma unroll
	for (int piece = 0; piece < PIECES; piece += 2) {
		unsigned fa[2][4], fb[2][4];
#pragma unroll
		for (int i = 0; i < 2; i++) {
			load_fragment<true>(fa[i], a, row + i * 16, piece, false);
			load_fragment<true>(fb[i], b, col + i * 16, piece, true);
		}
#pragma unroll
		for (int i = 0; i < 2; i++)
#pragma unroll
			for (int j = 0; j < 4; j++)
				mma_s8(c[i][j], fa[i], fb[j / 2] + j % 2 * 2);
	}
}

extern "C" __global__ void igemm_mma(const signed char *A, const signed char *B, int *C, int n, int k)
{
	__shared__ __attribute__((aligned(128))) tile a[STAGES], b[STAGES];
	const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = warp / 2 * 32, col = warp % 2 * 32;
	const int top = blockIdx.y * TILE_ROWS, left = blockIdx.x * TILE_ROWS;
	int c[2][4][4] = {};
	for (int s = 0; s < STAGES - 1; s++) {
		if (s * TILE_BYTES < k) {
			load_tile_async(&a[s], A, top, k, s * TILE_BYTES);
			load_tile_async(&b[s], B, left, k, s * TILE_BYTES);
		}
		copies_commit();
	}
	int at = 0, next = STAGES - 1;
#pragma unroll 1
	for (int from = 0; from < k; from += TILE_BYTES) {
		copies_wait<STAGES - 2>();
		__syncthreads();
		const int ahead = from + (STAGES - 1) * TILE_BYTES;
		if (ahead < k) {
			load_tile_async(&a[next], A, top, k, ahead);
			load_tile_async(&b[next], B, left, k, ahead);
		}
		copies_commit();
		multiply(c, &a[at], &b[at], row, col);
		at = at + 1 < STAGES ? at + 1 : 0;
		next = next + 1 < STAGES ? next + 1 : 0;
	}
#pragma unroll
	for (int i = 0; i < 2; i++)
#pragma unroll
		for (int j = 0; j < 4; j++)
#pragma unroll
			for (int down = 0; down < 2; down++) {
				int2 *to =
				    (int2 *)(C + (top + row + i * 16 + down * 8 + lane / 4) * n + left + col + j * 8 + lane % 4 * 2);
				*to = (int2){c[i][j][down * 2], c[i][j][down * 2 + 1]};
			}
}
