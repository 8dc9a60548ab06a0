/* C = A B with tensor cores, in five steps: what each of them gains. A is M x K and B is N x K (each row is a column of
 * the second factor), both f16 and row by row; C is M x N of f32. M and N are multiples of 64, K of 32.
 *
 *   hgemm_naive     one element a thread, f32 arithmetic
 *   hgemm_mma       tiles in shared memory, fragments by loads of 4 B
 *   hgemm_ldmatrix  fragments by ldmatrix
 *   hgemm_async     tiles by cp.async, three of them under way
 *   hgemm_swizzled  and the 16 B pieces of a row lie so that ldmatrix has no bank conflicts
 *
 * A CTA of the last four has 128 threads and a tile of 64 x 64; each of its warps has 32 x 32 of that. */
#include "tensor.h"

#define TILE_M 64
#define TILE_N 64
#define TILE_K 32
#define STAGES 3

extern "C" __global__ void hgemm_naive(const half *A, const half *B, float *C, int n, int k)
{
	const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0.0f;
	for (int i = 0; i < k; i++)
		sum += to_f32(A[row * k + i]) * to_f32(B[col * k + i]);
	C[row * n + col] = sum;
}

/* --- tiles -------------------------------------------------------------------------------------------------------- */

/* 64 rows of a matrix, from column `from` on; each thread brings two pieces. */
template <bool ASYNC, bool SWIZZLE>
static __device__ __forceinline__ void load_tile(tile *to, const half *matrix, int first_row, int k, int from)
{
	for (int i = threadIdx.x; i < 64 * PIECES; i += 128) {
		const int row = i / PIECES, p = i % PIECES;
		const half *src = matrix + (first_row + row) * k + from + p * 8;
		unsigned *dst = to->word + word_of<SWIZZLE>(row, p);
		if (ASYNC)
			copy_async(dst, src);
		else
			*(uint4 *)dst = *(const uint4 *)src;
	}
}

/* --- fragments ---------------------------------------------------------------------------------------------------- */

/* 16 rows and 16 columns of A, or two times 8 rows of B: four matrices of 8 x 8. */
template <bool LDMATRIX, bool SWIZZLE>
static __device__ __forceinline__ void load(unsigned r[4], const tile *t, int row, int column, bool of_b)
{
	const int lane = threadIdx.x % 32;
	if (LDMATRIX) {
		load_fragment<SWIZZLE>(r, t, row, column / 8, of_b);
		return;
	}
	for (int i = 0; i < 4; i++) {
		const int down = of_b ? i / 2 : i & 1, right = of_b ? i & 1 : i / 2;
		r[i] = t->word[word_of<SWIZZLE>(row + down * 8 + lane / 4, column / 8 + right) + lane % 4];
	}
}

/* A warp's 32 x 32 from one pair of tiles. */
template <bool LDMATRIX, bool SWIZZLE>
static __device__ __forceinline__ void multiply(float c[2][4][4], const tile *a, const tile *b, int row, int col)
{
#pragma unroll
	for (int k = 0; k < TILE_K; k += 16) {
		unsigned fa[2][4], fb[2][4];
#pragma unroll
		for (int i = 0; i < 2; i++)
			load<LDMATRIX, SWIZZLE>(fa[i], a, row + i * 16, k, false);
#pragma unroll
		for (int j = 0; j < 2; j++)
			load<LDMATRIX, SWIZZLE>(fb[j], b, col + j * 16, k, true);
#pragma unroll
		for (int i = 0; i < 2; i++)
#pragma unroll
			for (int j = 0; j < 4; j++)
				mma(c[i][j], fa[i], fb[j / 2] + j % 2 * 2);
	}
}

static __device__ __forceinline__ void store(float *C, int n, int row, int col, const float c[2][4][4])
{
	const int lane = threadIdx.x % 32;
#pragma unroll
	for (int i = 0; i < 2; i++)
#pragma unroll
		for (int j = 0; j < 4; j++)
#pragma unroll
			for (int half_of = 0; half_of < 2; half_of++) {
				float2 *to = (float2 *)(C + (row + i * 16 + half_of * 8 + lane / 4) * n + col + j * 8 + lane % 4 * 2);
				*to = (float2){c[i][j][half_of * 2], c[i][j][half_of * 2 + 1]};
			}
}

/* --- the steps ---------------------------------------------------------------------------------------------------- */

template <bool LDMATRIX>
static __device__ __forceinline__ void one_stage(const half *A, const half *B, float *C, int n, int k)
{
	__shared__ __attribute__((aligned(128))) tile a, b;
	const int warp = threadIdx.x / 32, row = warp / 2 * 32, col = warp % 2 * 32;
	const int top = blockIdx.y * TILE_M, left = blockIdx.x * TILE_N;
	float c[2][4][4] = {};
	for (int from = 0; from < k; from += TILE_K) {
		load_tile<false, false>(&a, A, top, k, from);
		load_tile<false, false>(&b, B, left, k, from);
		__syncthreads();
		multiply<LDMATRIX, false>(c, &a, &b, row, col);
		__syncthreads();
	}
	store(C, n, top + row, left + col, c);
}

template <bool SWIZZLE>
static __device__ __forceinline__ void stages(const half *A, const half *B, float *C, int n, int k)
{
	__shared__ __attribute__((aligned(128))) tile a[STAGES], b[STAGES];
	const int warp = threadIdx.x / 32, row = warp / 2 * 32, col = warp % 2 * 32;
	const int top = blockIdx.y * TILE_M, left = blockIdx.x * TILE_N;
	float c[2][4][4] = {};
	for (int s = 0; s < STAGES - 1; s++) {
		if (s * TILE_K < k) {
			load_tile<true, SWIZZLE>(&a[s], A, top, k, s * TILE_K);
			load_tile<true, SWIZZLE>(&b[s], B, left, k, s * TILE_K);
		}
		copies_commit();
	}
	int at = 0, next = STAGES - 1;
#pragma unroll 1
	for (int from = 0; from < k; from += TILE_K) {
		copies_wait<STAGES - 2>();
		__syncthreads();
		const int ahead = from + (STAGES - 1) * TILE_K;
		if (ahead < k) {
			load_tile<true, SWIZZLE>(&a[next], A, top, k, ahead);
			load_tile<true, SWIZZLE>(&b[next], B, left, k, ahead);
		}
		copies_commit();
		multiply<true, SWIZZLE>(c, &a[at], &b[at], row, col);
		at = at + 1 < STAGES ? at + 1 : 0;
		next = next + 1 < STAGES ? next + 1 : 0;
	}
	store(C, n, top + row, left + col, c);
}

extern "C" __global__ void hgemm_mma(const half *A, const half *B, float *C, int n, int k)
{
	one_stage<false>(A, B, C, n, k);
}

extern "C" __global__ void hgemm_ldmatrix(const half *A, const half *B, float *C, int n, int k)
{
	one_stage<true>(A, B, C, n, k);
}

extern "C" __global__ void hgemm_async(const half *A, const half *B, float *C, int n, int k)
{
	stages<false>(A, B, C, n, k);
}

extern "C" __global__ void hgemm_swizzled(const half *A, const half *B, float *C, int n, int k)
{
	stages<true>(A, B, C, n, k);
}
