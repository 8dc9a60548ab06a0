/* What kernels for tensor cores share: asynchronous copies into shared memory, fragments, and tiles of 64 rows with
 * 64 B each. Needs sm_80. */
#ifndef KERNELS_TENSOR_H
#define KERNELS_TENSOR_H
#include "half.h"

static __device__ __forceinline__ unsigned shared_at(const void *p)
{
	unsigned long long a;
	asm("cvta.to.shared.u64 %0, %1;" : "=l"(a) : "l"(p));
	return (unsigned)a;
}

/* --- asynchronous copies ------------------------------------------------------------------------------------------ */

static __device__ __forceinline__ void copy_async(void *to, const void *from)
{
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_at(to)), "l"(from) : "memory");
}

static __device__ __forceinline__ void copies_commit(void)
{
	asm volatile("cp.async.commit_group;" ::: "memory");
}

/* Until at most N groups are under way. */
template <int N> static __device__ __forceinline__ void copies_wait(void)
{
	asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

/* --- fragments ---------------------------------------------------------------------------------------------------- */

/* Four matrices of 8 rows of 16 B: lanes 8i to 8i + 7 have the addresses of matrix i. */
static __device__ __forceinline__ void load_matrices(unsigned r[4], const void *row)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
	             : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
	             : "r"(shared_at(row))
	             : "memory");
}

/* The same, each of 8 x 8 f16 and transposed. */
static __device__ __forceinline__ void load_transposed(unsigned r[4], const void *row)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
	             : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
	             : "r"(shared_at(row))
	             : "memory");
}

static __device__ __forceinline__ void mma(float c[4], const unsigned a[4], const unsigned b[2])
{
	asm volatile(
	    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
	    : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
	    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* --- tiles --------------------------------------------------------------------------------------------------------
 * 64 rows of 64 B (32 f16, 64 s8), in pieces of 16 B. */
#define TILE_ROWS 64
#define TILE_BYTES 64
#define PIECES (TILE_BYTES / 16)

struct tile {
	unsigned word[TILE_ROWS * TILE_BYTES / 4];
};

/* The word at which piece p of a row begins. Swizzled: rows 0 and 1 keep their order, the next two change places with
 * their neighbours, and so on; then the eight rows of a matrix lie in different banks. */
template <bool SWIZZLE> static __device__ __forceinline__ int word_of(int row, int p)
{
	return (row * PIECES + (SWIZZLE ? p ^ (row >> 1 & 3) : p)) * 4;
}

/* 16 rows and 32 B of A, or two times 8 rows of B: four matrices. piece: the first of two. */
template <bool SWIZZLE>
static __device__ __forceinline__ void load_fragment(unsigned r[4], const tile *t, int row, int piece, bool of_b)
{
	const int lane = threadIdx.x % 32, i = lane / 8, down = of_b ? i / 2 : i & 1, right = of_b ? i & 1 : i / 2;
	load_matrices(r, t->word + word_of<SWIZZLE>(row + down * 8 + lane % 8, piece + right));
}

/* 64 rows of a matrix whose rows have row_bytes, from byte `from` on: 128 threads bring two pieces each. */
static __device__ __forceinline__ void load_tile_async(tile *to, const void *matrix, int first_row, int row_bytes,
                                                       int from)
{
	for (int i = threadIdx.x; i < TILE_ROWS * PIECES; i += 128) {
		const int row = i / PIECES, p = i % PIECES;
		copy_async(to->word + word_of<true>(row, p),
		           (const char *)matrix + (first_row + row) * row_bytes + from + p * 16);
	}
}

#endif
