/* Microbenchmarks: one kernel a question. measure.c runs them on a chip, `warpdbg correlate` on the model, from the same
 * PTX (micro.ptx; `make kernels` builds it).
 *
 * Every kernel takes (out, buf, n, stride, seed): out[CTA] gets the SM's cycles of the timed loop, buf is device memory
 * full of zeros. The loop runs twice, and the second time counts: code and data are then where they belong. Three habits
 * keep an optimising assembler from shortening what is measured: operands come from `seed` at run time; the steps of a
 * chain alternate between operations that do not merge (two adds would become one three-operand add); results go to
 * memory. */
#include "../../configs/kernels/device.h"

#pragma clang diagnostic ignored "-Wunused-parameter" /* all kernels take the same ones */

typedef unsigned u32;
typedef unsigned long long u64;

static __device__ __forceinline__ u64 now(void)
{
	u64 t;
	asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
	return t;
}

/* Address within shared memory. */
static __device__ __forceinline__ u32 shared_at(const void *p)
{
	u64 a;
	asm("cvta.to.shared.u64 %0, %1;" : "=l"(a) : "l"(p));
	return (u32)a;
}

/* Never true at run time; the compiler cannot know. */
#define KEEP(x)                                                                                                        \
	if (seed == 0xffffffffu)                                                                                           \
	out[1] = (u64)(x)

#define PARAMS u64 *out, char *buf, u32 n, u32 stride, u32 seed

/* --- dependent chains: n rounds of 16 steps, one warp -------------------------------------------------------------- */

#define CHAIN(name, type, init, a0, b0, c0, constraint, step)                                                          \
	extern "C" __global__ void name(PARAMS)                                                                            \
	{                                                                                                                  \
		type x = (init), a = (a0), b = (b0), c = (c0);                                                                 \
		u64 from = 0, to = 0;                                                                                          \
		_Pragma("unroll 1") for (int r = 0; r < 2; r++)                                                                \
		{                                                                                                              \
			from = now();                                                                                              \
			_Pragma("unroll 1") for (u32 i = 0; i < n; i++)                                                            \
			{                                                                                                          \
				_Pragma("unroll") for (int k = 0; k < 16; k++) asm volatile(step                                       \
				                                                            : "+" constraint(x)                        \
				                                                            : constraint(a), constraint(b),            \
				                                                              constraint(c));                          \
			}                                                                                                          \
			to = now();                                                                                                \
		}                                                                                                              \
		if (!threadIdx.x)                                                                                              \
			out[blockIdx.x] = to - from;                                                                               \
		KEEP(x);                                                                                                       \
	}

#define F(k) ((float)(seed + k))
#define D(k) ((double)(seed + k))
CHAIN(chain_int_add_xor, u32, seed, seed + 1, seed + 2, 0, "r", "add.u32 %0, %0, %1;\n\txor.b32 %0, %0, %2;")
CHAIN(chain_int_mul, u32, seed, seed | 1, seed, 0, "r", "mul.lo.u32 %0, %0, %1;")
CHAIN(chain_int_mad, u32, seed, seed | 1, seed + 2, 0, "r", "mad.lo.u32 %0, %0, %1, %2;")
CHAIN(chain_int_min_max, u32, seed, seed + 7, seed + 3, 0, "r", "min.u32 %0, %0, %1;\n\txor.b32 %0, %0, %2;")
CHAIN(chain_int_shift_xor, u32, seed, seed & 7, seed + 3, 0, "r", "shl.b32 %0, %0, %1;\n\txor.b32 %0, %0, %2;")
CHAIN(chain_int_div, u32, seed, seed + 123456789, seed, 0, "r", "div.u32 %0, %1, %0;")
CHAIN(chain_popc_add, u32, seed, seed + 5, seed, 0, "r", "popc.b32 %0, %0;\n\tadd.u32 %0, %0, %1;")
CHAIN(chain_f32_add, float, F(1), F(2), F(3), F(4), "f", "add.rn.f32 %0, %0, %1;")
CHAIN(chain_f32_mul, float, F(1), 1.0f + F(0) * 1e-7f, F(3), F(4), "f", "mul.rn.f32 %0, %0, %1;")
CHAIN(chain_f32_fma, float, F(1), F(0) * 1e-7f, F(3), F(4), "f", "fma.rn.f32 %0, %0, %1, %2;")
CHAIN(chain_f32_min_add, float, F(1), F(2), F(3), F(4), "f", "min.f32 %0, %0, %1;\n\tadd.rn.f32 %0, %0, %2;")
CHAIN(chain_f32_div, float, F(1), F(2), F(3), F(4), "f", "div.rn.f32 %0, %1, %0;")
CHAIN(chain_f32_sqrt, float, F(100), F(2), F(3), F(4), "f", "sqrt.rn.f32 %0, %0;")
CHAIN(chain_rcp_add, float, F(1), F(2), F(3), F(4), "f", "rcp.approx.ftz.f32 %0, %0;\n\tadd.rn.f32 %0, %0, %1;")
CHAIN(chain_ex2, float, F(0) * 1e-9f, F(2), F(3), F(4), "f", "ex2.approx.ftz.f32 %0, %0;")
CHAIN(chain_sin, float, F(1), F(2), F(3), F(4), "f", "sin.approx.ftz.f32 %0, %0;")
CHAIN(chain_rsqrt, float, F(1), F(2), F(3), F(4), "f", "rsqrt.approx.ftz.f32 %0, %0;")
CHAIN(chain_f64_add, double, D(1), D(2), D(3), D(4), "d", "add.rn.f64 %0, %0, %1;")
CHAIN(chain_f64_mul, double, D(1), 1.0 + D(0) * 1e-9, D(3), D(4), "d", "mul.rn.f64 %0, %0, %1;")
CHAIN(chain_f64_fma, double, D(1), D(0) * 1e-9, D(3), D(4), "d", "fma.rn.f64 %0, %0, %1, %2;")
CHAIN(chain_f64_div, double, D(1), D(2), D(3), D(4), "d", "div.rn.f64 %0, %1, %0;")
CHAIN(chain_cvt, float, F(1), F(2), F(3), F(4), "f",
      "{ .reg .s32 t;\n\tcvt.rzi.s32.f32 t, %0;\n\tcvt.rn.f32.s32 %0, t; }")
CHAIN(chain_setp_selp, u32, seed, seed + 7, seed + 3, seed + 9, "r",
      "{ .reg .pred p;\n\tsetp.gt.u32 p, %0, %1;\n\tselp.u32 %0, %2, %3, p; }")
CHAIN(chain_shfl, u32, seed + threadIdx.x, 1, 31, 0, "r", "shfl.sync.bfly.b32 %0, %0, 1, 31, 0xffffffff;")

/* --- throughput of one SM: n rounds of 4 x 8 independent steps by every warp ---------------------------------------- */

#define THROUGHPUT(name, type, init, a0, b0, constraint, step)                                                         \
	extern "C" __global__ void name(PARAMS)                                                                            \
	{                                                                                                                  \
		type x0 = (init), x1 = x0 + 1, x2 = x0 + 2, x3 = x0 + 3, a = (a0), b = (b0);                                   \
		u64 from = 0, to = 0;                                                                                          \
		_Pragma("unroll 1") for (int r = 0; r < 2; r++)                                                                \
		{                                                                                                              \
			__syncthreads();                                                                                           \
			from = now();                                                                                              \
			_Pragma("unroll 1") for (u32 i = 0; i < n; i++)                                                            \
			{                                                                                                          \
				_Pragma("unroll") for (int k = 0; k < 8; k++)                                                          \
				{                                                                                                      \
					asm volatile(step : "+" constraint(x0) : constraint(a), constraint(b));                            \
					asm volatile(step : "+" constraint(x1) : constraint(a), constraint(b));                            \
					asm volatile(step : "+" constraint(x2) : constraint(a), constraint(b));                            \
					asm volatile(step : "+" constraint(x3) : constraint(a), constraint(b));                            \
				}                                                                                                      \
			}                                                                                                          \
			__syncthreads();                                                                                           \
			to = now();                                                                                                \
		}                                                                                                              \
		if (!threadIdx.x)                                                                                              \
			out[blockIdx.x] = to - from;                                                                               \
		KEEP(x0 + x1 + x2 + x3);                                                                                       \
	}
THROUGHPUT(rate_int_add_xor, u32, seed + threadIdx.x, seed + 1, seed + 2, "r",
           "add.u32 %0, %0, %1;\n\txor.b32 %0, %0, %2;")
THROUGHPUT(rate_int_mad, u32, seed + threadIdx.x, seed | 1, seed + 2, "r", "mad.lo.u32 %0, %0, %1, %2;")
THROUGHPUT(rate_f32_fma, float, F(threadIdx.x), F(0) * 1e-7f, F(3), "f", "fma.rn.f32 %0, %0, %1, %2;")
THROUGHPUT(rate_f32_fma_int_xor, float, F(threadIdx.x), F(0) * 1e-7f, F(3), "f",
           "{ .reg .b32 t, u;\n\tfma.rn.f32 %0, %0, %1, %2;\n\tmov.b32 t, %0;\n\tmov.b32 u, %1;\n\txor.b32 t, t, u;\n\t"
           "mov.b32 %0, t; }")
THROUGHPUT(rate_ex2, float, F(threadIdx.x) * 1e-9f, F(2), F(3), "f", "ex2.approx.ftz.f32 %0, %0;")
THROUGHPUT(rate_f64_fma, double, D(threadIdx.x), D(0) * 1e-9, D(3), "d", "fma.rn.f64 %0, %0, %1, %2;")
THROUGHPUT(rate_shfl, u32, seed + threadIdx.x, 1, 31, "r", "shfl.sync.bfly.b32 %0, %0, 1, 31, 0xffffffff;")

/* --- latency of memory: one thread follows n pointers, `stride` bytes apart in a ring of `seed` nodes ---------------- */

extern "C" __global__ void chase_shared(PARAMS)
{
	__shared__ u32 ring[4096];
	u32 step = stride / 4;
	for (u32 i = threadIdx.x; i < seed; i += blockDim.x) {
		u32 next = i + 1 == seed ? 0 : (i + 1) * step;
		ring[i * step] = shared_at(ring) + 4 * next;
	}
	__syncthreads();
	u32 p = shared_at(ring);
	u64 from = 0, to = 0;
#pragma unroll 1
	for (int r = 0; r < 2; r++) {
		from = now();
#pragma unroll 1
		for (u32 i = 0; i < n; i++) {
#pragma unroll
			for (int k = 0; k < 8; k++)
				asm volatile("ld.shared.u32 %0, [%0];" : "+r"(p)::"memory");
		}
		to = now();
	}
	out[blockIdx.x] = to - from;
	KEEP(p);
}

#define CHASE_GLOBAL(name, load)                                                                                       \
	extern "C" __global__ void name(PARAMS)                                                                            \
	{                                                                                                                  \
		for (u32 i = threadIdx.x; i < seed; i += blockDim.x) {                                                         \
			u32 next = i + 1 == seed ? 0 : i + 1;                                                                      \
			*(u64 *)(buf + (u64)i * stride) = (u64)buf + (u64)next * stride;                                           \
		}                                                                                                              \
		asm volatile("membar.gl;" ::: "memory");                                                                       \
		__syncthreads();                                                                                               \
		if (threadIdx.x)                                                                                               \
			return;                                                                                                    \
		u64 p = (u64)buf, from = 0, to = 0;                                                                            \
		_Pragma("unroll 1") for (int r = 0; r < 2; r++)                                                                \
		{                                                                                                              \
			from = now();                                                                                              \
			_Pragma("unroll 1") for (u32 i = 0; i < n; i++)                                                            \
			{                                                                                                          \
				_Pragma("unroll") for (int k = 0; k < 8; k++) asm volatile(load " %0, [%0];" : "+l"(p)::"memory");     \
			}                                                                                                          \
			to = now();                                                                                                \
		}                                                                                                              \
		out[blockIdx.x] = to - from;                                                                                   \
		KEEP(p);                                                                                                       \
	}
CHASE_GLOBAL(chase_l1, "ld.global.ca.u64")
CHASE_GLOBAL(chase_l2, "ld.global.cg.u64")

/* Memory holds zeros, so each address depends on the load before it and yet nothing has to be written first, which
 * would leave it in the L2. No line is read twice: this one does not warm up. One 64-bit add is in the chain. */
extern "C" __global__ void chase_dram(PARAMS)
{
	u64 p = (u64)buf, v;
	u64 from = now();
#pragma unroll 1
	for (u32 i = 0; i < n; i++) {
#pragma unroll
		for (int k = 0; k < 8; k++) {
			u64 next = p + stride;
			asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
			p = next + v;
		}
	}
	u64 to = now();
	out[blockIdx.x] = to - from;
	KEEP(p);
}

static __constant__ u32 zeros[2048];

/* Constant memory, every lane the same address. One 32-bit add is in the chain. */
extern "C" __global__ void chase_const(PARAMS)
{
	u32 p = 0;
	u64 from = 0, to = 0;
#pragma unroll 1
	for (int r = 0; r < 2; r++) {
		from = now();
#pragma unroll 1
		for (u32 i = 0; i < n; i++) {
#pragma unroll
			for (int k = 0; k < 8; k++)
				p += *(volatile u32 *)((char *)zeros + p);
		}
		to = now();
	}
	out[blockIdx.x] = to - from;
	KEEP(p);
}

/* A warp whose lanes lie `stride` words apart in shared memory: the bank conflicts of that stride. */
extern "C" __global__ void bank_stride(PARAMS)
{
	__shared__ u32 words[1024];
	u32 base = shared_at(words), at = base + 4 * (threadIdx.x * stride % 1024), p = at;
	for (u32 i = threadIdx.x; i < 1024; i += 32)
		words[i] = 0;
	__syncthreads();
	words[threadIdx.x * stride % 1024] = at;
	__syncthreads();
	u64 from = 0, to = 0;
#pragma unroll 1
	for (int r = 0; r < 2; r++) {
		from = now();
#pragma unroll 1
		for (u32 i = 0; i < n; i++) {
#pragma unroll
			for (int k = 0; k < 8; k++)
				asm volatile("ld.shared.u32 %0, [%0];" : "+r"(p)::"memory");
		}
		to = now();
	}
	if (!threadIdx.x)
		out[blockIdx.x] = to - from;
	KEEP(p);
}

/* --- bandwidth ------------------------------------------------------------------------------------------------------- */

/* Of one SM: all warps read n x 8 times 16 B a thread. */
extern "C" __global__ void read_shared(PARAMS)
{
	__shared__ uint4 words[1024];
	u32 at = shared_at(words) + 16 * threadIdx.x, a, b, c, d, sum = 0;
	words[threadIdx.x] = uint4{seed, seed, seed, seed};
	u64 from = 0, to = 0;
#pragma unroll 1
	for (int r = 0; r < 2; r++) {
		__syncthreads();
		from = now();
#pragma unroll 1
		for (u32 i = 0; i < n; i++) {
#pragma unroll
			for (int k = 0; k < 8; k++) {
				asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
				             : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
				             : "r"(at)
				             : "memory");
				sum += a ^ b ^ c ^ d;
			}
		}
		__syncthreads();
		to = now();
	}
	if (!threadIdx.x)
		out[blockIdx.x] = to - from;
	KEEP(sum);
}

/* Of one SM (.ca: L1) and of all (.cg: L2; each CTA reads `stride` bytes, from a place of its own modulo `seed` bytes):
 * n times. */
#define READ_GLOBAL(name, load)                                                                                        \
	extern "C" __global__ void name(PARAMS)                                                                            \
	{                                                                                                                  \
		u32 a, b, c, d, sum = 0;                                                                                       \
		u64 from = 0, to = 0;                                                                                          \
		_Pragma("unroll 1") for (int r = 0; r < 2; r++)                                                                \
		{                                                                                                              \
			__syncthreads();                                                                                           \
			from = now();                                                                                              \
			_Pragma("unroll 1") for (u32 i = 0; i < n; i++)                                                            \
			{                                                                                                          \
				u32 at = (blockIdx.x * stride + 16 * threadIdx.x) & (seed - 1);                                        \
				_Pragma("unroll 1") for (u32 k = 0; k < stride; k += 64 * blockDim.x)                                  \
				{                                                                                                      \
					_Pragma("unroll") for (int j = 0; j < 4; j++)                                                      \
					{                                                                                                  \
						asm volatile(load " {%0, %1, %2, %3}, [%4];"                                                   \
						             : "=r"(a), "=r"(b), "=r"(c), "=r"(d)                                              \
						             : "l"(buf + ((at + k + 16 * j * blockDim.x) & (seed - 1)))                        \
						             : "memory");                                                                      \
						sum += a ^ b ^ c ^ d;                                                                          \
					}                                                                                                  \
				}                                                                                                      \
			}                                                                                                          \
			__syncthreads();                                                                                           \
			to = now();                                                                                                \
		}                                                                                                              \
		if (!threadIdx.x)                                                                                              \
			out[blockIdx.x] = to - from;                                                                               \
		if (sum == 0xffffffffu)                                                                                        \
			out[1] = sum;                                                                                              \
	}
READ_GLOBAL(read_l1, "ld.global.ca.v4.u32")
READ_GLOBAL(read_l2, "ld.global.cg.v4.u32")

/* The whole chip streams n KiB; timed from outside. 16 B a thread, four accesses in flight. */
#define QUADS(i, all)                                                                                                  \
	u32 all = n * 64, threads = gridDim.x * blockDim.x;                                                                \
	_Pragma("unroll 4") for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < all; i += threads)

extern "C" __global__ void stream_read(PARAMS)
{
	const uint4 *from = (const uint4 *)buf;
	u32 sum = 0;
	QUADS(i, all)
	{
		uint4 v = from[i];
		sum += v.x ^ v.y ^ v.z ^ v.w;
	}
	if (sum == 0xffffffffu)
		out[1] = sum;
}

extern "C" __global__ void stream_write(PARAMS)
{
	uint4 *to = (uint4 *)buf;
	uint4 v = {seed, seed, seed, seed};
	QUADS(i, all)
	to[i] = v;
}

/* The first half of the buffer into the second. */
extern "C" __global__ void stream_copy(PARAMS)
{
	const uint4 *from = (const uint4 *)buf;
	uint4 *to = (uint4 *)buf + (u64)n * 64;
	QUADS(i, all)
	to[i] = from[i];
}

/* --- atomics, barriers, launch --------------------------------------------------------------------------------------- */

/* One lane, each atomic needs the result of the one before. */
#define ATOMIC_CHAIN(name, declare, place, instruction)                                                                \
	extern "C" __global__ void name(PARAMS)                                                                            \
	{                                                                                                                  \
		declare;                                                                                                       \
		u64 from = 0, to = 0;                                                                                          \
		u32 v = 0;                                                                                                     \
		_Pragma("unroll 1") for (int r = 0; r < 2; r++)                                                                \
		{                                                                                                              \
			from = now();                                                                                              \
			_Pragma("unroll 1") for (u32 i = 0; i < n; i++)                                                            \
			{                                                                                                          \
				_Pragma("unroll") for (int k = 0; k < 8; k++) asm volatile(instruction " %0, [%1], %0;"                \
				                                                           : "+r"(v)                                   \
				                                                           : place                                     \
				                                                           : "memory");                                \
			}                                                                                                          \
			to = now();                                                                                                \
		}                                                                                                              \
		out[blockIdx.x] = to - from;                                                                                   \
		KEEP(v);                                                                                                       \
	}
#define WORDS                                                                                                          \
	__shared__ u32 words[1024];                                                                                        \
	words[threadIdx.x] = seed;                                                                                         \
	__syncthreads()
ATOMIC_CHAIN(atomic_shared_latency, WORDS, "r"(shared_at(words)), "atom.shared.exch.b32")
ATOMIC_CHAIN(atomic_global_latency, , "l"(buf), "atom.global.exch.b32")

/* Reductions by all threads: lanes `stride` bytes apart (0: all on one word), CTAs `seed` bytes apart. */
extern "C" __global__ void atomic_shared_rate(PARAMS)
{
	__shared__ u32 words[1024];
	u32 at = shared_at(words) + threadIdx.x * stride % 4096;
	words[threadIdx.x] = seed;
	u64 from = 0, to = 0;
#pragma unroll 1
	for (int r = 0; r < 2; r++) {
		__syncthreads();
		from = now();
#pragma unroll 1
		for (u32 i = 0; i < n; i++) {
#pragma unroll
			for (int k = 0; k < 8; k++)
				asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(at), "r"(i + seed) : "memory");
		}
		__syncthreads();
		to = now();
	}
	if (!threadIdx.x)
		out[blockIdx.x] = to - from;
}

extern "C" __global__ void atomic_global_rate(PARAMS)
{
	char *at = buf + (u64)blockIdx.x * seed + threadIdx.x * stride;
#pragma unroll 1
	for (u32 i = 0; i < n; i++) {
#pragma unroll
		for (int k = 0; k < 8; k++)
			asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(i + seed) : "memory");
	}
}

extern "C" __global__ void barrier(PARAMS)
{
	u64 from = 0, to = 0;
#pragma unroll 1
	for (int r = 0; r < 2; r++) {
		from = now();
#pragma unroll 1
		for (u32 i = 0; i < n; i++) {
#pragma unroll
			for (int k = 0; k < 8; k++)
				__syncthreads();
		}
		to = now();
	}
	if (!threadIdx.x)
		out[blockIdx.x] = to - from;
}

extern "C" __global__ void empty(PARAMS)
{
}

/* For the SM's clock: n thousand cycles of waiting, and the nanoseconds that took. */
extern "C" __global__ void clock_rate(PARAMS)
{
	u64 ns0, ns1, from, to;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns0)::"memory");
	from = to = now();
	while (to - from < (u64)n * 1000)
		to = now();
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns1)::"memory");
	out[0] = to - from;
	out[1] = ns1 - ns0;
}
