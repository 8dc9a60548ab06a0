/* C = A B of f16 with f32 sums on tensor cores, in six steps as the publication describes them ("Implementing a fast Tensor
 * Core matmul on the Ada architecture", spatters.ca/mma-matmul, 2024): which tile a CTA has, what a thread loads and how
 * wide, how tiles lie in shared memory. The kernels are ours. A is n x k and C is n x n, row by row. B is k x n in the
 * first two steps, and n x k (each row is a column of the factor) in the others. A CTA has 256 threads, whose warps lie
 * 2 x 4 in its share of C; n is a multiple of 128, k of 32.
 *
 *   mma_naive      32 x 32; a warp has one mma in 16 of k; accesses of 2 B, but for the fragments of A (4 B)
 *   mma_tiled      64 x 64; four mma of two fragments of A and two of B
 *   mma_permuted   64 x 64; pieces of 16 B, permuted in shared memory, fragments by ldmatrix; 32 of k
 *   mma_registers  the same, each fragment of A loaded once
 *   mma_stages     the same by cp.async, three tiles under way; all fragments loaded before the next copies begin
 *   mma_large      the same with 128 x 128; a warp has 64 x 32 */
#include "tensor.h"

#define THREADS 256
#define STAGES 3

/* Where a warp's share lies among 2 x 4. */
static __device__ __forceinline__ int warp_down(void)
{
	return threadIdx.x / 128;
}
static __device__ __forceinline__ int warp_right(void)
{
	return threadIdx.x / 32 % 4;
}

/* An mma's 16 x 8 of C, at its row and column. */
static __device__ __forceinline__ void store(float *C, int n, int row, int col, const float c[4])
{
	const int lane = threadIdx.x % 32;
	float *to = C + (row + lane / 4) * n + col + lane % 4 * 2;
	*(float2 *)to = (float2){c[0], c[1]};
	*(float2 *)(to + 8 * n) = (float2){c[2], c[3]};
}

/* --- steps 1 and 2: elements of 2 B --------------------------------------------------------------------------------- */

static __device__ __forceinline__ unsigned pair(half low, half high)
{
	return low | (unsigned)high << 16;
}

/* The warps of a CTA have 32 x 32 together, TILES x TILES times, that far apart. */
template <int TILES> static __device__ __forceinline__ void elements(const half *A, const half *B, float *C, int n, int k)
{
	__shared__ unsigned a[TILES * 32][8]; /* of two elements */
	__shared__ half b[16][TILES * 32];
	const int top = blockIdx.y * TILES * 32, left = blockIdx.x * TILES * 32;
	const int x = threadIdx.x % 16, y = threadIdx.x / 16, lane = threadIdx.x % 32;
	const int row = warp_down() * 16 + lane / 4, col = warp_right() * 8 + lane / 4, at = lane % 4;
	float c[TILES][TILES][4] = {};
	for (int from = 0; from < k; from += 16) {
#pragma unroll
		for (int i = 0; i < TILES * 32; i += 16) {
			((half *)a[i + y])[x] = A[(top + i + y) * k + from + x];
			b[y][i + x] = B[(from + y) * n + left + i + x];
		}
		__syncthreads();
		unsigned fb[TILES][2];
#pragma unroll
		for (int j = 0; j < TILES; j++) {
			volatile half *p = &b[at * 2][j * 32 + col];
			fb[j][0] = pair(p[0], p[TILES * 32]);
			fb[j][1] = pair(p[8 * TILES * 32], p[9 * TILES * 32]);
		}
#pragma unroll
		for (int i = 0; i < TILES; i++) {
			unsigned fa[4];
#pragma unroll
			for (int q = 0; q < 4; q++)
				fa[q] = *(volatile unsigned *)&a[i * 32 + row + q % 2 * 8][at + q / 2 * 4];
#pragma unroll
			for (int j = 0; j < TILES; j++)
				mma(c[i][j], fa, fb[j]);
		}
		__syncthreads();
	}
#pragma unroll
	for (int i = 0; i < TILES; i++)
#pragma unroll
		for (int j = 0; j < TILES; j++)
			store(C, n, top + i * 32 + warp_down() * 16, left + j * 32 + warp_right() * 8, c[i][j]);
}

extern "C" __global__ void mma_naive(const half *A, const half *B, float *C, int n, int k)
{
	elements<1>(A, B, C, n, k);
}

extern "C" __global__ void mma_tiled(const half *A, const half *B, float *C, int n, int k)
{
	elements<2>(A, B, C, n, k);
}

/* --- steps 3 to 6: pieces of 16 B ------------------------------------------------------------------------------------- */

/* 32 columns of ROWS rows of a matrix, from column `from` on: each thread brings ROWS / 64 pieces. */
template <int ROWS, bool ASYNC>
static __device__ __forceinline__ void bring(unsigned *to, const half *matrix, int first_row, int k, int from)
{
#pragma unroll
	for (int i = 0; i < ROWS; i += THREADS / PIECES) {
		const int row = i + threadIdx.x / PIECES, p = threadIdx.x % PIECES;
		const half *src = matrix + (first_row + row) * k + from + p * 8;
		unsigned *dst = to + word_of<true>(row, p);
		if (ASYNC)
			copy_async(dst, src);
		else
			*(uint4 *)dst = *(const uint4 *)src;
	}
}

/* 16 rows of A and 16 of k: which of two. */
static __device__ __forceinline__ void load_a(unsigned r[4], const unsigned *a, int row, int half_of)
{
	const int lane = threadIdx.x % 32;
	load_matrices(r, a + word_of<true>(row + lane % 16, half_of * 2 + lane / 16));
}

/* Eight rows of B and 16 of k. */
static __device__ __forceinline__ void load_b(unsigned r[2], const unsigned *b, int row, int half_of)
{
	const int lane = threadIdx.x % 32;
	asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
	             : "=r"(r[0]), "=r"(r[1])
	             : "r"(shared_at(b + word_of<true>(row + lane % 8, half_of * 2 + lane / 8 % 2)))
	             : "memory");
}

/* One tile under way. Each fragment of A is loaded for every mma, or once. */
template <bool ONCE> static __device__ __forceinline__ void one_tile(const half *A, const half *B, float *C, int n, int k)
{
	__shared__ __attribute__((aligned(128))) unsigned a[64 * PIECES * 4], b[64 * PIECES * 4];
	const int top = blockIdx.y * 64, left = blockIdx.x * 64, row = warp_down() * 32, col = warp_right() * 16;
	float c[2][2][4] = {};
	for (int from = 0; from < k; from += 32) {
		bring<64, false>(a, A, top, k, from);
		bring<64, false>(b, B, left, k, from);
		__syncthreads();
#pragma unroll
		for (int i = 0; i < 2; i++) {
			unsigned fa[2][4], fb[2];
			if (ONCE) {
				load_a(fa[0], a, row + i * 16, 0);
				load_a(fa[1], a, row + i * 16, 1);
			}
#pragma unroll
			for (int j = 0; j < 2; j++)
#pragma unroll
				for (int h = 0; h < 2; h++) {
					if (!ONCE)
						load_a(fa[h], a, row + i * 16, h);
					load_b(fb, b, col + j * 8, h);
					mma(c[i][j], fa[h], fb);
				}
		}
		__syncthreads();
	}
#pragma unroll
	for (int i = 0; i < 2; i++)
#pragma unroll
		for (int j = 0; j < 2; j++)
			store(C, n, top + row + i * 16, left + col + j * 8, c[i][j]);
}

extern "C" __global__ void mma_permuted(const half *A, const half *B, float *C, int n, int k)
{
	one_tile<false>(A, B, C, n, k);
}

extern "C" __global__ void mma_registers(const half *A, const half *B, float *C, int n, int k)
{
	one_tile<true>(A, B, C, n, k);
}

/* STAGES - 1 tiles under way; a CTA has TILES * 32 x TILES * 32, a warp TILES x TILES mma. What is copied last, behind the
 * matrices' end, is their last columns again: nobody reads it. */
template <int TILES> static __device__ __forceinline__ void stages(const half *A, const half *B, float *C, int n, int k)
{
	enum { ROWS = TILES * 32, WORDS = ROWS * PIECES * 4 };
	__shared__ __attribute__((aligned(128))) unsigned a[STAGES][WORDS], b[STAGES][WORDS];
	const int top = blockIdx.y * ROWS, left = blockIdx.x * ROWS;
	const int row = warp_down() * TILES * 16, col = warp_right() * TILES * 8;
	float c[TILES][TILES][4] = {};
	for (int s = 0; s < STAGES - 1; s++) {
		const int from = s * 32 < k ? s * 32 : k - 32;
		bring<ROWS, true>(a[s], A, top, k, from);
		bring<ROWS, true>(b[s], B, left, k, from);
		copies_commit();
	}
	int now = 0, next = STAGES - 1;
#pragma unroll 1
	for (int from = (STAGES - 1) * 32; from < k + (STAGES - 1) * 32; from += 32) {
		unsigned fa[TILES][2][4], fb[TILES][2][2];
		copies_wait<STAGES - 2>();
		__syncthreads();
#pragma unroll
		for (int i = 0; i < TILES; i++)
#pragma unroll
			for (int h = 0; h < 2; h++)
				load_a(fa[i][h], a[now], row + i * 16, h);
#pragma unroll
		for (int j = 0; j < TILES; j++)
#pragma unroll
			for (int h = 0; h < 2; h++)
				load_b(fb[j][h], b[now], col + j * 8, h);
		const int ahead = from < k ? from : k - 32;
		bring<ROWS, true>(a[next], A, top, k, ahead);
		bring<ROWS, true>(b[next], B, left, k, ahead);
		copies_commit();
#pragma unroll
		for (int i = 0; i < TILES; i++)
#pragma unroll
			for (int j = 0; j < TILES; j++)
#pragma unroll
				for (int h = 0; h < 2; h++)
					mma(c[i][j], fa[i][h], fb[j][h]);
		now = now + 1 < STAGES ? now + 1 : 0;
		next = next + 1 < STAGES ? next + 1 : 0;
	}
#pragma unroll
	for (int i = 0; i < TILES; i++)
#pragma unroll
		for (int j = 0; j < TILES; j++)
			store(C, n, top + row + i * 16, left + col + j * 8, c[i][j]);
}

extern "C" __global__ void mma_stages(const half *A, const half *B, float *C, int n, int k)
{
	stages<2>(A, B, C, n, k);
}

extern "C" __global__ void mma_large(const half *A, const half *B, float *C, int n, int k)
{
	stages<4>(A, B, C, n, k);
}
