/* Attention as FlashAttention-2 computes it, forward: O = softmax(Q K^T * scale) V, without the matrix of scores in
 * memory. Q, K, V and O are f16, of n rows of D for each head, one head after the other; n is a multiple of 64. Heads
 * have 64 (flash2_64) or 128 columns (flash2_128).
 *
 * A CTA has 128 threads and 64 rows of a head: blockIdx.x says which, blockIdx.y the head. Each of its warps keeps 16
 * rows of Q and of the result in registers. K and V come in blocks of KEYS rows. For each:
 *
 *   scores    S = Q K^T by tensor cores, and, if causal, without the keys behind the row
 *   softmax   largest score so far and sum of exponentials, online; what was summed before is scaled down
 *   values    O += P V by tensor cores: the fragments of S as C are those of P as A
 *
 * ahead = 0: a block is fetched and then computed with; 1: the next one is fetched meanwhile. */
#include "online.h"
#include "tensor.h"
#include "warp.h"

#define ROWS 64
#define LOG2_E 1.44269504f

/* A matrix in shared memory of rows of D f16; the pieces of 16 B lie so that the eight rows of a fragment are in
 * different banks. */
template <int D> static __device__ __forceinline__ half *piece_at(half *m, int row, int piece)
{
	return m + row * D + (piece ^ (row & 7)) * 8;
}

template <int D, int COUNT> static __device__ __forceinline__ void fetch_rows(half *to, const half *from)
{
#pragma unroll
	for (int i = 0; i < COUNT * D / 8 / 128; i++) {
		const int at = i * 128 + threadIdx.x, row = at / (D / 8), piece = at % (D / 8);
		copy_async(piece_at<D>(to, row, piece), from + row * D + piece * 8);
	}
}

static __device__ __forceinline__ unsigned two_halves(float low, float high)
{
	unsigned r;
	asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
	return r;
}

/* Over the four lanes that have a row. */
static __device__ __forceinline__ float quad_max(float x)
{
	x = fmaxf(x, __shfl_xor_sync(ALL_LANES, x, 1));
	return fmaxf(x, __shfl_xor_sync(ALL_LANES, x, 2));
}
static __device__ __forceinline__ float quad_sum(float x)
{
	x += __shfl_xor_sync(ALL_LANES, x, 1);
	return x + __shfl_xor_sync(ALL_LANES, x, 2);
}

template <int D, int KEYS>
static __device__ __forceinline__ void scores(float s[KEYS / 8][4], const unsigned q[D / 16][4], half *k)
{
	const int lane = threadIdx.x % 32;
#pragma unroll
	for (int j = 0; j < KEYS / 8; j++)
		s[j][0] = s[j][1] = s[j][2] = s[j][3] = 0.0f;
#pragma unroll
	for (int deep = 0; deep < D / 16; deep++)
#pragma unroll
		for (int j = 0; j < KEYS / 16; j++) {
			unsigned b[4];
			load_matrices(b, piece_at<D>(k, j * 16 + lane / 16 * 8 + lane % 8, deep * 2 + lane / 8 % 2));
			mma(s[2 * j], q[deep], b);
			mma(s[2 * j + 1], q[deep], b + 2);
		}
}

template <int D, int KEYS>
static __device__ __forceinline__ void values(float o[D / 8][4], const float p[KEYS / 8][4], half *v)
{
	const int lane = threadIdx.x % 32;
#pragma unroll
	for (int i = 0; i < KEYS / 16; i++) {
		const float *l = p[2 * i], *r = p[2 * i + 1];
		const unsigned a[4] = {two_halves(l[0], l[1]), two_halves(l[2], l[3]), two_halves(r[0], r[1]),
		                       two_halves(r[2], r[3])};
#pragma unroll
		for (int j = 0; j < D / 16; j++) {
			unsigned b[4];
			load_transposed(b, piece_at<D>(v, i * 16 + lane % 16, j * 2 + lane / 16));
			mma(o[2 * j], a, b);
			mma(o[2 * j + 1], a, b + 2);
		}
	}
}

/* Keys from `first` on have the columns of s; row: that of s[..][0], s[..][2] is eight rows below. */
template <int KEYS> static __device__ __forceinline__ void mask_causal(float s[KEYS / 8][4], int row, int first)
{
#pragma unroll
	for (int j = 0; j < KEYS / 8; j++)
#pragma unroll
		for (int i = 0; i < 4; i++)
			if (first + j * 8 + (int)threadIdx.x % 4 * 2 + i % 2 > row + i / 2 * 8)
				s[j][i] = LOWEST;
}

/* s becomes e^(scale s - most). most, sum: of the two rows; sum: of this lane's columns only. */
template <int D, int KEYS>
static __device__ __forceinline__ void softmax(float s[KEYS / 8][4], float o[D / 8][4], float most[2], float sum[2],
                                               float scale)
{
#pragma unroll
	for (int down = 0; down < 2; down++) {
		float top = most[down];
#pragma unroll
		for (int j = 0; j < KEYS / 8; j++)
			top = fmaxf(top, fmaxf(s[j][2 * down], s[j][2 * down + 1]));
		top = quad_max(top);
		const float by = exp2_of((most[down] - top) * scale), less = top * scale;
		most[down] = top;
		sum[down] *= by;
#pragma unroll
		for (int j = 0; j < KEYS / 8; j++)
#pragma unroll
			for (int i = 2 * down; i < 2 * down + 2; i++) {
				s[j][i] = exp2_of(s[j][i] * scale - less);
				sum[down] += s[j][i];
			}
#pragma unroll
		for (int j = 0; j < D / 8; j++) {
			o[j][2 * down] *= by;
			o[j][2 * down + 1] *= by;
		}
	}
}

template <int D, int KEYS>
static __device__ __forceinline__ void attend(const half *Q, const half *K, const half *V, half *O, int n, float scale,
                                              int causal, int ahead)
{
	__shared__ __attribute__((aligned(128))) half q_rows[ROWS * D], k_rows[2][KEYS * D], v_rows[2][KEYS * D];
	const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, top = blockIdx.x * ROWS,
	          row = top + warp * 16 + lane / 4;
	const int head = blockIdx.y * n * D, end = causal ? top + ROWS : n;
	unsigned q[D / 16][4];
	float o[D / 8][4] = {}, most[2] = {LOWEST, LOWEST}, sum[2] = {0.0f, 0.0f};

	scale *= LOG2_E;
	fetch_rows<D, ROWS>(q_rows, Q + head + top * D);
	copies_commit();
	if (ahead) {
		fetch_rows<D, KEYS>(k_rows[0], K + head);
		fetch_rows<D, KEYS>(v_rows[0], V + head);
		copies_commit();
		copies_wait<1>();
	} else {
		copies_wait<0>();
	}
	__syncthreads();
#pragma unroll
	for (int deep = 0; deep < D / 16; deep++)
		load_matrices(q[deep], piece_at<D>(q_rows, warp * 16 + lane % 16, deep * 2 + lane / 16));

	int at = 0;
#pragma unroll 1
	for (int first = 0; first < end; first += KEYS) {
		const int next = ahead ? first + KEYS : first, to = ahead ? at ^ 1 : at;
		if (next < end) {
			fetch_rows<D, KEYS>(k_rows[to], K + head + next * D);
			fetch_rows<D, KEYS>(v_rows[to], V + head + next * D);
		}
		copies_commit();
		if (ahead)
			copies_wait<1>();
		else
			copies_wait<0>();
		__syncthreads();
		float s[KEYS / 8][4];
		scores<D, KEYS>(s, q, k_rows[at]);
		if (causal && first + KEYS > top)
			mask_causal<KEYS>(s, row, first);
		softmax<D, KEYS>(s, o, most, sum, scale);
		values<D, KEYS>(o, s, v_rows[at]);
		__syncthreads(); /* before the block is overwritten */
		at = to;
	}
#pragma unroll
	for (int down = 0; down < 2; down++) {
		const float by = __fdividef(1.0f, quad_sum(sum[down]));
		unsigned *to = (unsigned *)(O + head + (row + down * 8) * D) + lane % 4;
#pragma unroll
		for (int j = 0; j < D / 8; j++)
			to[j * 4] = two_halves(o[j][2 * down] * by, o[j][2 * down + 1] * by);
	}
}

extern "C" __global__ void flash2_64(const half *Q, const half *K, const half *V, half *O, int n, float scale,
                                     int causal, int ahead)
{
	attend<64, 64>(Q, K, V, O, n, scale, causal, ahead);
}

extern "C" __global__ void flash2_128(const half *Q, const half *K, const half *V, half *O, int n, float scale,
                                      int causal, int ahead)
{
	attend<128, 32>(Q, K, V, O, n, scale, causal, ahead);
}
