/* Grids: what an instruction takes by warps and by independent chains in a warp (instruction-level parallelism). They
 * are for tables that others have published in this form (scripts/hardware/published); `warpdbg correlate` runs them
 * on the model from grid.ptx (`make kernels` builds it).
 *
 * Every kernel takes (out, buf, n, stride, seed), as those of micro.cu: n rounds of eight steps, and in a step each
 * chain of a warp has one instruction. out[CTA] gets the cycles from the first warp's begin to the last warp's end, the
 * second time the loop runs. */
#include "../../configs/kernels/device.h"

#pragma clang diagnostic ignored "-Wunused-parameter" /* all kernels take the same ones */
#pragma clang diagnostic ignored "-Wunused-variable"  /* the same of operands */
#pragma clang diagnostic ignored "-Wunused-but-set-variable"

typedef unsigned u32;
typedef unsigned long long u64;

static __device__ __forceinline__ u64 now(void)
{
	u64 t;
	asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
	return t;
}

#define KEEP(x)                                                                                                        \
	if (seed == 0xffffffffu)                                                                                           \
	out[1] = (u64)(x)

/* CHAIN has the chains' number k; what it needs is declared by DECLARE, and KEPT is what must not be optimised away. */
#define GRID(name, chains, DECLARE, CHAIN, KEPT)                                                                       \
	extern "C" __global__ void name##_##chains(u64 *out, char *buf, u32 n, u32 stride, u32 seed)                       \
	{                                                                                                                  \
		DECLARE(chains)                                                                                                \
		u64 from = 0, to = 0;                                                                                          \
		_Pragma("unroll 1") for (int r = 0; r < 2; r++)                                                                \
		{                                                                                                              \
			__syncthreads();                                                                                           \
			from = now();                                                                                              \
			_Pragma("unroll 1") for (u32 i = 0; i < n; i++)                                                            \
			{                                                                                                          \
				_Pragma("unroll") for (int step = 0; step < 8; step++)                                                 \
				{                                                                                                      \
					_Pragma("unroll") for (int k = 0; k < chains; k++)                                                 \
					{                                                                                                  \
						CHAIN                                                                                          \
					}                                                                                                  \
				}                                                                                                      \
			}                                                                                                          \
			__syncthreads();                                                                                           \
			to = now();                                                                                                \
		}                                                                                                              \
		if (!threadIdx.x)                                                                                              \
			out[blockIdx.x] = to - from;                                                                               \
		for (int k = 0; k < chains; k++) {                                                                             \
			KEEP(KEPT);                                                                                                \
		}                                                                                                              \
	}

/* --- mma: D is C of the next ---------------------------------------------------------------------------------------- */

#define MMA_DECLARE(chains)                                                                                            \
	u32 a0 = seed, a1 = seed + 1, a2 = seed + 2, a3 = seed + 3, b0 = seed + 4, b1 = seed + 5;                          \
	u32 d[chains][4];                                                                                                  \
	for (int k = 0; k < chains; k++)                                                                                   \
		d[k][0] = d[k][1] = d[k][2] = d[k][3] = 0;
#define D4 "+r"(d[k][0]), "+r"(d[k][1]), "+r"(d[k][2]), "+r"(d[k][3])
#define D2 "+r"(d[k][0]), "+r"(d[k][1])
#define MMA_4421(shape)                                                                                                \
	asm volatile("mma.sync.aligned." shape " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"                       \
	             : D4                                                                                                  \
	             : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
#define MMA_4211(shape)                                                                                                \
	asm volatile("mma.sync.aligned." shape " {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"                                \
	             : D4                                                                                                  \
	             : "r"(a0), "r"(a1), "r"(b0));
#define MMA_2421(shape)                                                                                                \
	asm volatile("mma.sync.aligned." shape " {%0,%1},{%2,%3,%4,%5},{%6,%7},{%0,%1};"                                   \
	             : D2                                                                                                  \
	             : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
#define MMA_2211(shape)                                                                                                \
	asm volatile("mma.sync.aligned." shape " {%0,%1},{%2,%3},{%4},{%0,%1};" : D2 : "r"(a0), "r"(a1), "r"(b0));
#define MMA_2111(shape) asm volatile("mma.sync.aligned." shape " {%0,%1},{%2},{%3},{%0,%1};" : D2 : "r"(a0), "r"(b0));

#define MMA_GRID(name, CHAIN)                                                                                          \
	GRID(name, 1, MMA_DECLARE, CHAIN, d[k][0] ^ d[k][1])                                                               \
	GRID(name, 2, MMA_DECLARE, CHAIN, d[k][0] ^ d[k][1])                                                               \
	GRID(name, 4, MMA_DECLARE, CHAIN, d[k][0] ^ d[k][1])

MMA_GRID(mma_m16n8k16_f32_f16, MMA_4421("m16n8k16.row.col.f32.f16.f16.f32"))
MMA_GRID(mma_m16n8k16_f16_f16, MMA_2421("m16n8k16.row.col.f16.f16.f16.f16"))
MMA_GRID(mma_m16n8k8_f32_f16, MMA_4211("m16n8k8.row.col.f32.f16.f16.f32"))
GRID(mma_m16n8k8_f32_f16, 3, MMA_DECLARE, MMA_4211("m16n8k8.row.col.f32.f16.f16.f32"), d[k][0] ^ d[k][1])
GRID(mma_m16n8k8_f32_f16, 5, MMA_DECLARE, MMA_4211("m16n8k8.row.col.f32.f16.f16.f32"), d[k][0] ^ d[k][1])
GRID(mma_m16n8k8_f32_f16, 6, MMA_DECLARE, MMA_4211("m16n8k8.row.col.f32.f16.f16.f32"), d[k][0] ^ d[k][1])
MMA_GRID(mma_m16n8k8_f16_f16, MMA_2211("m16n8k8.row.col.f16.f16.f16.f16"))
MMA_GRID(mma_m16n8k8_f32_tf32, MMA_4421("m16n8k8.row.col.f32.tf32.tf32.f32"))
MMA_GRID(mma_m16n8k4_f32_tf32, MMA_4211("m16n8k4.row.col.f32.tf32.tf32.f32"))
MMA_GRID(mma_m16n8k32_s32_s8, MMA_4421("m16n8k32.row.col.s32.s8.s8.s32"))
MMA_GRID(mma_m16n8k16_s32_s8, MMA_4211("m16n8k16.row.col.s32.s8.s8.s32"))
MMA_GRID(mma_m8n8k16_s32_s8, MMA_2111("m8n8k16.row.col.s32.s8.s8.s32"))
MMA_GRID(mma_m16n8k64_s32_s4, MMA_4421("m16n8k64.row.col.s32.s4.s4.s32"))
MMA_GRID(mma_m16n8k256_s32_b1, MMA_4421("m16n8k256.row.col.s32.b1.b1.s32.xor.popc"))

/* --- ldmatrix: word l holds the address of row l, which lane l needs next. The words that are no address are used one
 * step later; if nothing used them, they might all be given the same registers. */

#define LD_DECLARE(chains)                                                                                             \
	__shared__ __attribute__((aligned(128))) u32 words[128];                                                           \
	u64 generic = (u64)words;                                                                                          \
	u32 base, at[chains], w[2][chains][3] = {}, sum[chains] = {};                                                      \
	asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(base) : "l"(generic));                  \
	for (u32 i = threadIdx.x; i < 128; i += blockDim.x)                                                                \
		words[i] = base + i % 32 * 16;                                                                                 \
	for (int k = 0; k < chains; k++)                                                                                   \
		at[k] = base + threadIdx.x % 32 * 16;
#define USE_WORDS sum[k] += w[~step & 1][k][0] ^ w[~step & 1][k][1] ^ w[~step & 1][k][2];
#define LDMATRIX_1 asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0},[%0];" : "+r"(at[k])::"memory");
#define LDMATRIX_2                                                                                                     \
	asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1},[%0];"                                              \
	             : "+r"(at[k]), "=r"(w[step & 1][k][0])                                                                \
	             :                                                                                                     \
	             : "memory");                                                                                          \
	USE_WORDS
#define LDMATRIX_4                                                                                                     \
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%0];"                                        \
	             : "+r"(at[k]), "=r"(w[step & 1][k][0]), "=r"(w[step & 1][k][1]), "=r"(w[step & 1][k][2])              \
	             :                                                                                                     \
	             : "memory");                                                                                          \
	USE_WORDS
GRID(ldmatrix_x1, 1, LD_DECLARE, LDMATRIX_1, at[k])
GRID(ldmatrix_x2, 1, LD_DECLARE, LDMATRIX_2, at[k] + sum[k])
GRID(ldmatrix_x4, 1, LD_DECLARE, LDMATRIX_4, at[k] + sum[k])
GRID(ldmatrix_x4, 2, LD_DECLARE, LDMATRIX_4, at[k] + sum[k])
GRID(ldmatrix_x4, 3, LD_DECLARE, LDMATRIX_4, at[k] + sum[k])
GRID(ldmatrix_x4, 4, LD_DECLARE, LDMATRIX_4, at[k] + sum[k])
GRID(ldmatrix_x4, 5, LD_DECLARE, LDMATRIX_4, at[k] + sum[k])

/* --- loads from L1 and shared memory, each lane from its own place; used one step later ------------------------------ */

#define LOAD_DECLARE(chains, lane_bytes)                                                                               \
	__shared__ __attribute__((aligned(128))) u32 words[128];                                                           \
	u64 generic = (u64)words;                                                                                          \
	u32 base, w[2][chains][4] = {}, sum[chains] = {};                                                                  \
	asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(base) : "l"(generic));                  \
	for (u32 i = threadIdx.x; i < 128; i += blockDim.x)                                                                \
		words[i] = 0;                                                                                                  \
	base += threadIdx.x % 32 * lane_bytes;                                                                             \
	const char *from_l1 = buf + threadIdx.x % 32 * lane_bytes;
#define DECLARE_4(chains) LOAD_DECLARE(chains, 4)
#define DECLARE_16(chains) LOAD_DECLARE(chains, 16)
#define W(i) w[step & 1][k][i]
#define L1_U32                                                                                                         \
	asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(W(0)) : "l"(from_l1 + k * 512) : "memory");                        \
	sum[k] += w[~step & 1][k][0];
#define L1_V4                                                                                                          \
	asm volatile("ld.global.ca.v4.u32 {%0,%1,%2,%3},[%4];"                                                             \
	             : "=r"(W(0)), "=r"(W(1)), "=r"(W(2)), "=r"(W(3))                                                      \
	             : "l"(from_l1 + k * 512)                                                                              \
	             : "memory");                                                                                          \
	sum[k] += w[~step & 1][k][0] ^ w[~step & 1][k][1] ^ w[~step & 1][k][2] ^ w[~step & 1][k][3];
#define SHARED_V4                                                                                                      \
	asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3},[%4];"                                                       \
	             : "=r"(W(0)), "=r"(W(1)), "=r"(W(2)), "=r"(W(3))                                                      \
	             : "r"(base)                                                                                           \
	             : "memory");                                                                                          \
	sum[k] += w[~step & 1][k][0] ^ w[~step & 1][k][1] ^ w[~step & 1][k][2] ^ w[~step & 1][k][3];
GRID(l1_u32, 2, DECLARE_4, L1_U32, sum[k])
GRID(l1_v4, 2, DECLARE_16, L1_V4, sum[k])
GRID(shared_v4, 2, DECLARE_16, SHARED_V4, sum[k])

/* --- constants: a chain of loads over n x 512 B, a line of 64 B each ---------------------------------------------------- */

static __constant__ u32 zeros[8192];

/* One addition is in the chain. The third time counts: the second one begins before the last miss has come. */
extern "C" __global__ void chase_constants(u64 *out, char *buf, u32 n, u32 stride, u32 seed)
{
	u32 v = 0;
	u64 from = 0, to = 0;
#pragma unroll 1
	for (int r = 0; r < 3; r++) {
		from = now();
#pragma unroll 1
		for (u32 i = 0; i < n; i++) {
#pragma unroll
			for (int k = 0; k < 8; k++)
				v = *(volatile u32 *)((char *)zeros + 512 * i + v + 64 * k);
		}
		to = now();
	}
	out[blockIdx.x] = to - from;
	KEEP(v);
}
