/* C = alpha A B + beta C of f32 in seven steps, after the description of S. Boehm, "How to Optimize a CUDA Matmul
 * Kernel for cuBLAS-like Performance" (2022). A is M x K, B is K x N and C is M x N, all row by row.
 *
 *   ladder_naive      one element a thread; the lanes of a warp have a row of C each
 *   ladder_coalesced  the lanes of a warp have a row of C together
 *   ladder_shared     32 x 32 elements of A and B at a time in shared memory
 *   ladder_column     64 x 64 elements a CTA; a thread has 8 of a column
 *   ladder_square     128 x 128 elements a CTA; a thread has 8 x 8
 *   ladder_vector     accesses of 16 B; the tile of A lies in shared memory transposed
 *   ladder_warp       a warp has 64 x 64 elements, in four pieces of 64 x 16; a thread has 8 x 4 of each
 *
 * The publication's names of tile sizes: BM x BN is a CTA's share of C, BK the depth of a tile, TM x TN a thread's
 * share. M and N are multiples of BM and BN, K of 32. */
#include "device.h"

#define EDGE 32 /* of the CTAs of the first three steps */
/* Neighbours of these arrays can be loaded four at a time. An assembler aligns them so of its own accord. */
#define ALIGNED __attribute__((aligned(16)))

static __device__ __forceinline__ void put(float *c, float sum, float alpha, float beta)
{
	*c = alpha * sum + beta * *c;
}

static __device__ __forceinline__ void put4(float *c, const float *sum, float alpha, float beta)
{
	const float4 old = *(const float4 *)c;
	*(float4 *)c = (float4){alpha * sum[0] + beta * old.x, alpha * sum[1] + beta * old.y, alpha * sum[2] + beta * old.z,
	                        alpha * sum[3] + beta * old.w};
}

/* --- one element a thread ----------------------------------------------------------------------------------------- */

static __device__ __forceinline__ void one_element(const float *A, const float *B, float *C, int row, int col, int n,
                                                   int k, float alpha, float beta)
{
	float sum = 0.0f;
#pragma unroll 4
	for (int i = 0; i < k; i++)
		sum += A[row * k + i] * B[i * n + col];
	put(C + row * n + col, sum, alpha, beta);
}

extern "C" __global__ void ladder_naive(const float *A, const float *B, float *C, int n, int k, float alpha, float beta)
{
	const int row = blockIdx.x * EDGE + threadIdx.x, col = blockIdx.y * EDGE + threadIdx.y;
	one_element(A, B, C, row, col, n, k, alpha, beta);
}

extern "C" __global__ void ladder_coalesced(const float *A, const float *B, float *C, int n, int k, float alpha,
                                            float beta)
{
	const int row = blockIdx.x * EDGE + threadIdx.x / EDGE, col = blockIdx.y * EDGE + threadIdx.x % EDGE;
	one_element(A, B, C, row, col, n, k, alpha, beta);
}

/* --- tiles in shared memory --------------------------------------------------------------------------------------- */

/* N neighbours of shared memory, four at a time. nvcc makes such loads of the plain C of the steps before
 * ladder_vector, too: of a loop's iteration 8 of 16 B and 32 of 4 B in ladder_shared, 16 and 8 in ladder_column, 32 and
 * 0 in ladder_square (nvcc 13.0 -arch=sm_86). clang does not, so it is written out. */
template <int N> static __device__ __forceinline__ void fetch(float *to, const float *from)
{
#pragma unroll
	for (int i = 0; i < N; i += 4) {
		const float4 v = *(const float4 *)(from + i);
		to[i] = v.x;
		to[i + 1] = v.y;
		to[i + 2] = v.z;
		to[i + 3] = v.w;
	}
}

extern "C" __global__ void ladder_shared(const float *A, const float *B, float *C, int n, int k, float alpha,
                                         float beta)
{
	__shared__ ALIGNED float a[EDGE * EDGE], b[EDGE * EDGE];
	const int down = threadIdx.x / EDGE, right = threadIdx.x % EDGE;
	const int row = blockIdx.x * EDGE + down, col = blockIdx.y * EDGE + right;
	float sum = 0.0f;
	for (int from = 0; from < k; from += EDGE) {
		a[down * EDGE + right] = A[row * k + from + right];
		b[down * EDGE + right] = B[(from + down) * n + col];
		__syncthreads();
#pragma unroll
		for (int i = 0; i < EDGE; i += 4) {
			float fa[4];
			fetch<4>(fa, a + down * EDGE + i);
#pragma unroll
			for (int j = 0; j < 4; j++)
				sum += fa[j] * b[(i + j) * EDGE + right];
		}
		__syncthreads();
	}
	put(C + row * n + col, sum, alpha, beta);
}

extern "C" __global__ void ladder_column(const float *A, const float *B, float *C, int n, int k, float alpha,
                                         float beta)
{
	enum { BM = 64, BN = 64, BK = 8, TM = 8 }; /* 512 threads: as many as each tile has elements */
	__shared__ ALIGNED float a[BM * BK], b[BK * BN];
	const int top = blockIdx.y * BM, left = blockIdx.x * BN, t = threadIdx.x;
	const int down = t / BN * TM, right = t % BN;
	const float *from_a = a + down * BK, *from_b = b + right;
	float sum[TM] = {};
	for (int from = 0; from < k; from += BK) {
		a[t] = A[(top + t / BK) * k + from + t % BK];
		b[t] = B[(from + t / BN) * n + left + t % BN];
		__syncthreads();
		float fb[BK];
#pragma unroll
		for (int d = 0; d < BK; d++)
			fb[d] = from_b[d * BN];
#pragma unroll
		for (int i = 0; i < TM; i++) {
			float fa[BK];
			fetch<BK>(fa, from_a + i * BK);
#pragma unroll
			for (int d = 0; d < BK; d++)
				sum[i] += fa[d] * fb[d];
		}
		__syncthreads();
	}
#pragma unroll
	for (int i = 0; i < TM; i++)
		put(C + (top + down + i) * n + left + right, sum[i], alpha, beta);
}

/* --- 8 x 8 elements a thread -------------------------------------------------------------------------------------- */

extern "C" __global__ void __launch_bounds__(256)
    ladder_square(const float *A, const float *B, float *C, int n, int k, float alpha, float beta)
{
	enum { BM = 128, BN = 128, BK = 8, TM = 8, TN = 8, THREADS = 256 };
	__shared__ ALIGNED float a[BM * BK], b[BK * BN];
	const int top = blockIdx.y * BM, left = blockIdx.x * BN, t = threadIdx.x;
	const int down = t / (BN / TN) * TM, right = t % (BN / TN) * TN;
	const int row_a = (top + t / BK) * k + t % BK, col_b = t / BN * n + left + t % BN;
	const float *from_a = a + down * BK, *from_b = b + right;
	float sum[TM][TN] = {};
	for (int from = 0; from < k; from += BK) {
		int at_a = row_a + from, at_b = col_b + from * n;
#pragma unroll
		for (int i = 0; i < BM; i += THREADS / BK) {
			a[t + i * BK] = A[at_a];
			at_a = opaque(at_a + THREADS / BK * k);
		}
#pragma unroll
		for (int i = 0; i < BK; i += THREADS / BN) {
			b[t + i * BN] = B[at_b];
			at_b = opaque(at_b + THREADS / BN * n);
		}
		__syncthreads();
#pragma unroll
		for (int e = 0; e < BK; e += 4) {
			float fa[TM][4];
#pragma unroll
			for (int i = 0; i < TM; i++)
				fetch<4>(fa[i], from_a + i * BK + e);
#pragma unroll
			for (int d = 0; d < 4; d++)
#pragma unroll
				for (int j = 0; j < TN; j += 4) {
					float fb[4];
					fetch<4>(fb, from_b + (e + d) * BN + j);
#pragma unroll
					for (int i = 0; i < TM * 4; i++)
						sum[i / 4][j + i % 4] += fa[i / 4][d] * fb[i % 4];
				}
		}
		__syncthreads();
	}
#pragma unroll
	for (int i = 0; i < TM; i++)
#pragma unroll
		for (int j = 0; j < TN; j++)
			put(C + (top + down + i) * n + left + right + j, sum[i][j], alpha, beta);
}

/* --- accesses of 16 B --------------------------------------------------------------------------------------------- */

/* One tile of A, transposed, and one of B: BM x BK and BK x BN elements, four at a time. */
template <int BM, int BN, int BK, int THREADS>
static __device__ __forceinline__ void bring(float *a, float *b, const float *A, const float *B, int top, int left,
                                             int n, int k, int from)
{
	const int t = threadIdx.x, a_row = t / (BK / 4), a_col = t % (BK / 4) * 4;
	const int b_row = t / (BN / 4), b_col = t % (BN / 4) * 4;
#pragma unroll
	for (int i = 0; i < BM; i += THREADS / (BK / 4)) {
		const float4 v = *(const float4 *)&A[(top + i + a_row) * k + from + a_col];
		a[(a_col + 0) * BM + i + a_row] = v.x;
		a[(a_col + 1) * BM + i + a_row] = v.y;
		a[(a_col + 2) * BM + i + a_row] = v.z;
		a[(a_col + 3) * BM + i + a_row] = v.w;
	}
#pragma unroll
	for (int i = 0; i < BK; i += THREADS / (BN / 4))
		*(float4 *)&b[(i + b_row) * BN + b_col] = *(const float4 *)&B[(from + i + b_row) * n + left + b_col];
}

extern "C" __global__ void __launch_bounds__(256)
    ladder_vector(const float *A, const float *B, float *C, int n, int k, float alpha, float beta)
{
	enum { BM = 128, BN = 128, BK = 8, TM = 8, TN = 8 };
	__shared__ ALIGNED float a[BK * BM], b[BK * BN];
	const int top = blockIdx.y * BM, left = blockIdx.x * BN, t = threadIdx.x;
	const int down = t / (BN / TN) * TM, right = t % (BN / TN) * TN;
	const float *from_a = a + down, *from_b = b + right;
	float sum[TM][TN] = {};
	for (int from = 0; from < k; from += BK) {
		bring<BM, BN, BK, 256>(a, b, A, B, top, left, n, k, from);
		__syncthreads();
#pragma unroll
		for (int d = 0; d < BK; d++) {
			float fa[TM], fb[TN];
			fetch<TM>(fa, from_a + d * BM);
			fetch<TN>(fb, from_b + d * BN);
#pragma unroll
			for (int i = 0; i < TM; i++)
#pragma unroll
				for (int j = 0; j < TN; j++)
					sum[i][j] += fa[i] * fb[j];
		}
		__syncthreads();
	}
#pragma unroll
	for (int i = 0; i < TM; i++)
#pragma unroll
		for (int j = 0; j < TN; j += 4)
			put4(C + (top + down + i) * n + left + right + j, sum[i] + j, alpha, beta);
}

extern "C" __global__ void __launch_bounds__(128)
    ladder_warp(const float *A, const float *B, float *C, int n, int k, float alpha, float beta)
{
	/* WM x WN is a warp's share; it consists of PIECES times WM x 16 elements. */
	enum { BM = 128, BN = 128, BK = 16, WM = 64, WN = 64, TM = 8, TN = 4, PIECES = 4, PIECE = WN / PIECES };
	__shared__ ALIGNED float a[BK * BM], b[BK * BN];
	const int top = blockIdx.y * BM, left = blockIdx.x * BN, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	const int down = warp / (BN / WN) * WM + lane / (PIECE / TN) * TM;
	const int right = warp % (BN / WN) * WN + lane % (PIECE / TN) * TN;
	const float *from_a = a + down, *from_b = b + right;
	float sum[PIECES][TM][TN] = {};
	for (int from = 0; from < k; from += BK) {
		bring<BM, BN, BK, 128>(a, b, A, B, top, left, n, k, from);
		__syncthreads();
#pragma unroll
		for (int d = 0; d < BK; d++) {
			float fa[TM], fb[PIECES][TN];
			fetch<TM>(fa, from_a + d * BM);
#pragma unroll
			for (int p = 0; p < PIECES; p++)
				fetch<TN>(fb[p], from_b + d * BN + p * PIECE);
#pragma unroll
			for (int p = 0; p < PIECES; p++)
#pragma unroll
				for (int i = 0; i < TM; i++)
#pragma unroll
					for (int j = 0; j < TN; j++)
						sum[p][i][j] += fa[i] * fb[p][j];
		}
		__syncthreads();
	}
#pragma unroll
	for (int p = 0; p < PIECES; p++)
#pragma unroll
		for (int i = 0; i < TM; i++)
			put4(C + (top + down + i) * n + left + right + p * PIECE, sum[p][i], alpha, beta);
}
