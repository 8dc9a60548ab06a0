/* What CUDA C kernels need from a toolkit, for a compiler that has none.
 *
 * Clang's NVPTX back end compiles CUDA C without an installed toolkit; this header declares the attributes, the special
 * registers and the handful of device functions that the kernels here use, on top of the compiler's own builtins. Under
 * nvcc all of this exists already and the header is empty.
 *
 * Three traps: __syncthreads is itself a builtin of clang and must not be declared again (only a macro can hide it, as
 * below); warpSize must stay a variable, never a macro; and without libdevice the names sinf, expf, powf... resolve to
 * nothing, so only what is defined below can be called. FMA contraction is on, as in nvcc: a CPU reference in double
 * precision has to allow for that. */
#ifndef KERNELS_DEVICE_H
#define KERNELS_DEVICE_H

#if defined(__clang__) && defined(__CUDA__)

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

/* --- the barrier ---------------------------------------------------------------------------------------------------
 * Clang's own __syncthreads lets the optimiser believe that shared arrays keep their values across it: in
 * "if (t == 0) total = x; __syncthreads(); use(total);" it moves the other threads' load of total up before the barrier
 * (seen with clang 14), and it keeps in registers what a thread wrote itself. An assembly statement that may change all
 * of memory is a barrier to the compiler as well. */
#define __syncthreads() asm volatile("bar.sync \t0;" ::: "memory")
/* The same for the threads of a full warp. */
#define __syncwarp() asm volatile("bar.warp.sync \t0xffffffff;" ::: "memory")

/* --- special registers: threadIdx.x reads %tid.x and costs nothing else ------------------------------------------- */
#define SREG(dim, reg)                                                                                                 \
	__declspec(property(get = read_##dim)) unsigned dim;                                                               \
	static __device__ __forceinline__ unsigned read_##dim(void)                                                        \
	{                                                                                                                  \
		return __nvvm_read_ptx_sreg_##reg##_##dim();                                                                   \
	}
struct sreg_tid {
	SREG(x, tid) SREG(y, tid) SREG(z, tid)
};
struct sreg_ntid {
	SREG(x, ntid) SREG(y, ntid) SREG(z, ntid)
};
struct sreg_ctaid {
	SREG(x, ctaid) SREG(y, ctaid) SREG(z, ctaid)
};
struct sreg_nctaid {
	SREG(x, nctaid) SREG(y, nctaid) SREG(z, nctaid)
};
#undef SREG
extern const __device__ struct sreg_tid threadIdx;
extern const __device__ struct sreg_ntid blockDim;
extern const __device__ struct sreg_ctaid blockIdx;
extern const __device__ struct sreg_nctaid gridDim;

/* --- vectors: a copy is one 128-bit access ------------------------------------------------------------------------ */
typedef float float2 __attribute__((ext_vector_type(2)));
typedef float float4 __attribute__((ext_vector_type(4)));
typedef int int2 __attribute__((ext_vector_type(2)));
typedef int int4 __attribute__((ext_vector_type(4)));
typedef unsigned uint2 __attribute__((ext_vector_type(2)));
typedef unsigned uint4 __attribute__((ext_vector_type(4)));

/* --- atomics -------------------------------------------------------------------------------------------------------
 */
static __device__ __forceinline__ unsigned atomicAdd(unsigned *p, unsigned v)
{
	return (unsigned)__nvvm_atom_add_gen_i((int *)p, (int)v);
}

static __device__ __forceinline__ int atomicAdd(int *p, int v)
{
	return __nvvm_atom_add_gen_i(p, v);
}
static __device__ __forceinline__ float atomicAdd(float *p, float v)
{
	return __nvvm_atom_add_gen_f(p, v);
}

static __device__ __forceinline__ int atomicMin(int *p, int v)
{
	return __nvvm_atom_min_gen_i(p, v);
}
static __device__ __forceinline__ int atomicMax(int *p, int v)
{
	return __nvvm_atom_max_gen_i(p, v);
}

static __device__ __forceinline__ int atomicExch(int *p, int v)
{
	return __nvvm_atom_xchg_gen_i(p, v);
}
static __device__ __forceinline__ unsigned atomicExch(unsigned *p, unsigned v)
{
	return (unsigned)__nvvm_atom_xchg_gen_i((int *)p, (int)v);
}
static __device__ __forceinline__ int atomicCAS(int *p, int compare, int v)
{
	return __nvvm_atom_cas_gen_i(p, compare, v);
}
static __device__ __forceinline__ unsigned atomicCAS(unsigned *p, unsigned compare, unsigned v)
{
	return (unsigned)__nvvm_atom_cas_gen_i((int *)p, (int)compare, (int)v);
}

/* --- warp shuffles; mask names the lanes that take part
 * --------------------------------------------------------------- */
static __device__ __forceinline__ int __shfl_down_sync(unsigned mask, int v, unsigned delta)
{
	return __nvvm_shfl_sync_down_i32(mask, v, delta, 31);
}
static __device__ __forceinline__ float __shfl_down_sync(unsigned mask, float v, unsigned delta)
{
	return __nvvm_shfl_sync_down_f32(mask, v, delta, 31);
}
static __device__ __forceinline__ int __shfl_xor_sync(unsigned mask, int v, int lanes)
{
	return __nvvm_shfl_sync_bfly_i32(mask, v, lanes, 31);
}
static __device__ __forceinline__ float __shfl_xor_sync(unsigned mask, float v, int lanes)
{
	return __nvvm_shfl_sync_bfly_f32(mask, v, lanes, 31);
}

/* --- mathematics
 * ------------------------------------------------------------------------------------------------------ */
static __device__ __forceinline__ float rsqrtf(float x)
{
	return __nvvm_rsqrt_approx_f(x);
}
static __device__ __forceinline__ float sqrtf(float x)
{
	return __nvvm_sqrt_rn_f(x);
}
static __device__ __forceinline__ double sqrt(double x)
{
	return __nvvm_sqrt_rn_d(x);
}
static __device__ __forceinline__ float fabsf(float x)
{
	return __builtin_fabsf(x);
}
static __device__ __forceinline__ float fminf(float a, float b)
{
	return __builtin_fminf(a, b);
}
static __device__ __forceinline__ float fmaxf(float a, float b)
{
	return __builtin_fmaxf(a, b);
}
static __device__ __forceinline__ float floorf(float x)
{
	return __builtin_floorf(x);
}
/* The hardware's approximations, as nvcc emits them with -use_fast_math: 2^x and log2 with a relative (near 1 absolute)
 * error of about 2^-22, sine and cosine with an absolute one of 2^-20.9 for |x| <= pi; quotients within 2 units of the
 * last place. */
static __device__ __forceinline__ float __expf(float x)
{
	return __nvvm_ex2_approx_f(x * 1.44269504f);
}
static __device__ __forceinline__ float __logf(float x)
{
	return __nvvm_lg2_approx_f(x) * 0.693147181f;
}
static __device__ __forceinline__ float __sinf(float x)
{
	return __nvvm_sin_approx_f(x);
}
static __device__ __forceinline__ float __cosf(float x)
{
	return __nvvm_cos_approx_f(x);
}
static __device__ __forceinline__ float __fdividef(float a, float b)
{
	return __nvvm_div_approx_f(a, b);
}
static __device__ __forceinline__ int max(int a, int b)
{
	return a > b ? a : b;
}
static __device__ __forceinline__ int min(int a, int b)
{
	return a < b ? a : b;
}

/* e^x for |x| < 700: x = k ln 2 + r with |r| <= ln 2 / 2, a polynomial of degree 11 for e^r (off by 2^-47 at most), and
 * k added to the exponent. */
static __device__ __forceinline__ double exp(double x)
{
	double k = __builtin_rint(x * 1.4426950408889634);
	double r = x - k * 0.69314718036912382;
	double p = 2.5052108385441720e-8;

	r -= k * 1.9082149292705877e-10;
	p = p * r + 2.7557319223985893e-7;
	p = p * r + 2.7557319223985888e-6;
	p = p * r + 2.4801587301587302e-5;
	p = p * r + 1.9841269841269841e-4;
	p = p * r + 1.3888888888888889e-3;
	p = p * r + 8.3333333333333333e-3;
	p = p * r + 4.1666666666666667e-2;
	p = p * r + 1.6666666666666667e-1;
	p = p * r + 0.5;
	p = p * r + 1.0;
	p = p * r + 1.0;
	return __builtin_bit_cast(double, __builtin_bit_cast(long long, p) + ((long long)(int)k << 52));
}

#endif

/* --- registers -----------------------------------------------------------------------------------------------------
 * i itself, but the compiler does not know. In a loop over addresses this keeps it from carrying a 64-bit pointer for
 * every access from one iteration to the next, which can double a kernel's registers. */
static __device__ __forceinline__ int opaque(int i)
{
	asm("" : "+r"(i));
	return i;
}

/* --- texture objects -----------------------------------------------------------------------------------------------
 * A texture object is a 64-bit kernel parameter; texels are fetched by their integer coordinates. Written as PTX, so
 * for nvcc too. */
typedef unsigned long long texture_object;

static __device__ __forceinline__ int4 tex2d_int4(texture_object t, int x, int y)
{
	int4 v;
	asm("tex.2d.v4.s32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
	    : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
	    : "l"(t), "r"(x), "r"(y));
	return v;
}
static __device__ __forceinline__ float tex2d_float(texture_object t, int x, int y)
{
	float4 v;
	asm("tex.2d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
	    : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
	    : "l"(t), "r"(x), "r"(y));
	return v.x;
}
static __device__ __forceinline__ unsigned tex2d_uint(texture_object t, int x, int y)
{
	int4 v;
	asm("tex.2d.v4.u32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
	    : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
	    : "l"(t), "r"(x), "r"(y));
	return (unsigned)v.x;
}

#endif
