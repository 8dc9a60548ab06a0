/* C = A B, where A has at most two elements other than 0 in each four that follow each other in a row (2:4). The tensor
 * cores multiply the two and take the elements of B that belong to them, so an instruction does twice the depth.
 *
 * A is stored as M x K / 2 of f16, B is N x K of f16 (each row is a column of the second factor), C is M x N of f32. M,
 * N and K are multiples of 64. `where` says where the stored elements stand: 16 words for 16 rows and 32 columns, in
 * words 2 g and 2 g + 1 rows g (low half) and g + 8 (high half), two bits for each of eight stored elements. The blocks
 * of 64 rows and 64 columns follow each other row by row, and within each the eight of 16 x 32.
 *
 * A CTA has 128 threads and a tile of 64 x 64; each of its warps has 32 x 32 of that. */
#include "tensor.h"

#define STAGES 3
#define TILE_K 64
#define WORDS 128 /* of `where`, for a tile */

struct stage {
	tile a, b[2]; /* 64 x 32 stored; 64 x 32 twice */
	unsigned where[WORDS];
};

static __device__ __forceinline__ void mma_sparse(float c[4], const unsigned a[4], const unsigned b[4], unsigned where)
{
	asm volatile("mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
	             "{%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, 0x0;"
	             : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
	             : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(where));
}

static __device__ __forceinline__ void load_stage(stage *s, const half *A, const half *B, const unsigned *where, int k,
                                                  int from)
{
	const int top = blockIdx.y * TILE_ROWS, left = blockIdx.x * TILE_ROWS;
	load_tile_async(&s->a, A, top, k, from); /* rows of K bytes */
	load_tile_async(&s->b[0], B, left, 2 * k, 2 * from);
	load_tile_async(&s->b[1], B, left, 2 * k, 2 * from + TILE_BYTES);
	if (threadIdx.x < WORDS / 4)
		copy_async(s->where + threadIdx.x * 4,
		           where + ((int)blockIdx.y * (k / TILE_K) + from / TILE_K) * WORDS + threadIdx.x * 4);
}

static __device__ __forceinline__ void multiply(float c[2][4][4], const stage *s, int row, int col)
{
	const int lane = threadIdx.x % 32;
#pragma unroll
	for (int deep = 0; deep < 2; deep++) {
		unsigned fa[2][4], fb[4][4], where[2];
#pragma unroll
		for (int i = 0; i < 2; i++) {
			load_fragment<true>(fa[i], &s->a, row + i * 16, deep * 2, false);
			/* Lanes 4 g and 4 g + 1 give the words of row g. */
			where[i] = s->where[((row / 16 + i) * 2 + deep) * 16 + lane / 4 * 2 + lane % 2];
		}
#pragma unroll
		for (int j = 0; j < 4; j++) /* eight columns, 32 deep */
			load_matrices(fb[j], s->b[deep].word + word_of<true>(col + j * 8 + lane % 8, lane / 8));
#pragma unroll
		for (int i = 0; i < 2; i++)
#pragma unroll
			for (int j = 0; j < 4; j++)
				mma_sparse(c[i][j], fa[i], fb[j], where[i]);
	}
}

extern "C" __global__ void sparse_mma(const half *A, const half *B, const unsigned *where, float *C, int n, int k)
{
	__shared__ __attribute__((aligned(128))) stage stages[STAGES];
	const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = warp / 2 * 32, col = warp % 2 * 32;
	float c[2][4][4] = {};
	for (int s = 0; s < STAGES - 1; s++) {
		if (s * TILE_K < k)
			load_stage(&stages[s], A, B, where, k, s * TILE_K);
		copies_commit();
	}
	int at = 0, next = STAGES - 1;
#pragma unroll 1
	for (int from = 0; from < k; from += TILE_K) {
		copies_wait<STAGES - 2>();
		__syncthreads();
		const int ahead = from + (STAGES - 1) * TILE_K;
		if (ahead < k)
			load_stage(&stages[next], A, B, where, k, ahead);
		copies_commit();
		multiply(c, &stages[at], row, col);
		at = at + 1 < STAGES ? at + 1 : 0;
		next = next + 1 < STAGES ? next + 1 : 0;
	}
	float *corner =
	    C + ((int)blockIdx.y * TILE_ROWS + row + lane / 4) * n + blockIdx.x * TILE_ROWS + col + lane % 4 * 2;
#pragma unroll
	for (int i = 0; i < 2; i++)
#pragma unroll
		for (int j = 0; j < 4; j++)
#pragma unroll
			for (int down = 0; down < 2; down++)
				*(float2 *)(corner + (i * 16 + down * 8) * n + j * 8) =
				    (float2){c[i][j][down * 2], c[i][j][down * 2 + 1]};
}
