/* Approximate special functions: ex2, lg2, sin, cos, tanh, rsqrt.
 *
 * Our own double-precision polynomials (IEEE add and multiply only, no library call), so the bits are the same on every
 * host and vector level. Errors before the final rounding to f32 are below 2^-40 relative (sin, cos: absolute), so
 * results are within one f32 ulp of the true value; PTX allows 2 ulp for ex2, 2^-22 relative for lg2 and rsqrt, 2^-20.9
 * absolute for sin and cos in
 * [-pi, pi] and 2^-11 relative for tanh. */
#include <math.h>

#include "front/ptx/runtime/fp.h"
#include "front/ptx/executor/simd.h"

/* 2^f for |f| <= 0.5: Taylor series of exp(f ln 2), 12 terms: remainder below 2^-50. */
static inline double exp2_fraction(double f)
{
	const double t = f * 0.69314718055994530942;
	double p = 1.0 / 39916800;
	p = p * t + 1.0 / 3628800;
	p = p * t + 1.0 / 362880;
	p = p * t + 1.0 / 40320;
	p = p * t + 1.0 / 5040;
	p = p * t + 1.0 / 720;
	p = p * t + 1.0 / 120;
	p = p * t + 1.0 / 24;
	p = p * t + 1.0 / 6;
	p = p * t + 0.5;
	p = p * t + 1.0;
	return p * t + 1.0;
}
/* Nearest integer of |v| < 2^51 without a rounding instruction: adding 1.5 * 2^52 leaves it in the low bits. */
#define ROUND_MAGIC 0x1.8p52
static inline double exp2_wide(double v)
{
	const double c = v > 1000.0 ? 1000.0 : v < -1000.0 ? -1000.0 : v;
	const double shifted = c + ROUND_MAGIC, n = shifted - ROUND_MAGIC;
	const u64 exponent = (bits_f64(shifted) - bits_f64(ROUND_MAGIC) + 1023) << 52;
	return exp2_fraction(c - n) * f64_bits(exponent);
}
static inline float ex2(float a)
{
	return a != a ? NAN_F32 : (float)exp2_wide(a);
}

/* log2 of m * 2^e with m in [sqrt(1/2), sqrt 2): 2/ln2 atanh(z), z = (m-1)/(m+1), |z| < 0.172: 10 terms, remainder
 * below 2^-55. */
static inline double log2_positive(double v)
{
	const u64 u = bits_f64(v), top = u - 0x3fe6a09e667f3bcdull; /* sqrt(1/2) */
	const s64 e = (s64)top >> 52;
	const double m = f64_bits(u - ((u64)e << 52));
	const double z = (m - 1.0) / (m + 1.0), w = z * z;
	double p = 1.0 / 19;
	p = p * w + 1.0 / 17;
	p = p * w + 1.0 / 15;
	p = p * w + 1.0 / 13;
	p = p * w + 1.0 / 11;
	p = p * w + 1.0 / 9;
	p = p * w + 1.0 / 7;
	p = p * w + 1.0 / 5;
	p = p * w + 1.0 / 3;
	p = p * w + 1.0;
	return (double)(s32)e + p * z * 2.88539008177792681472;
}
static inline float lg2(float a)
{
	const float inf = f32_bits(0x7f800000);
	const float r = (float)log2_positive(a > 0.0f && a < inf ? (double)a : 1.0);
	return a > 0.0f ? (a < inf ? r : inf) : a == 0.0f ? -inf : NAN_F32;
}

/* Octant reduction: r = v - k pi/2, |r| <= pi/4, k mod 4. Two-part pi/2 (33 + 53 bits) is exact enough to |v| < 2^20.
 */
struct quadrant {
	double r;
	u32 k;
};
static inline struct quadrant reduce(double v)
{
	const double shifted = v * 0.63661977236758134308 + ROUND_MAGIC, n = shifted - ROUND_MAGIC;
	const double r = (v - n * 0x1.921fb544p0) - n * 0x1.0b4611a626331p-34;
	return (struct quadrant){r, (u32)bits_f64(shifted) & 3};
}
static inline double sin_octant(double r)
{
	const double w = r * r;
	double p = -1.0 / 1307674368000.0;
	p = p * w + 1.0 / 6227020800.0;
	p = p * w - 1.0 / 39916800;
	p = p * w + 1.0 / 362880;
	p = p * w - 1.0 / 5040;
	p = p * w + 1.0 / 120;
	p = p * w - 1.0 / 6;
	return r + r * w * p;
}
static inline double cos_octant(double r)
{
	const double w = r * r;
	double p = 1.0 / 20922789888000.0;
	p = p * w - 1.0 / 87178291200.0;
	p = p * w + 1.0 / 479001600;
	p = p * w - 1.0 / 3628800;
	p = p * w + 1.0 / 40320;
	p = p * w - 1.0 / 720;
	p = p * w + 1.0 / 24;
	p = p * w - 0.5;
	return 1.0 + w * p;
}
/* Beyond 2^20 the argument is first reduced by the double nearest to 2 pi (fmod is exact): no accuracy is promised
 * there, as in PTX, only the same bits everywhere. */
static double near_zero(float a)
{
	return __builtin_fabsf(a) < 0x1p20f ? (double)a : fmod((double)a, 6.28318530717958647692);
}
static float sin_shifted(float a, u32 quarter)
{
	if (!(__builtin_fabsf(a) < f32_bits(0x7f800000)))
		return NAN_F32;
	const struct quadrant q = reduce(near_zero(a));
	const u32 k = (q.k + quarter) & 3;
	const double v = k & 1 ? cos_octant(q.r) : sin_octant(q.r);
	return (float)(k & 2 ? -v : v);
}
static inline float sine(float a)
{
	return a == 0.0f ? a : sin_shifted(a, 0);
}
static inline float cosine(float a)
{
	return sin_shifted(a, 1);
}

/* tanh: series below 2^-6 (where the quotient would cancel), else (e^2a - 1) / (e^2a + 1). */
static inline float tanh_f32(float a)
{
	const double v = a, w = v * v, e = exp2_wide(v * 2.88539008177792681472);
	const double small = v - v * w * (1.0 / 3) + v * w * w * (2.0 / 15);
	const double r = v > 30.0 ? 1.0 : v < -30.0 ? -1.0 : (e - 1.0) / (e + 1.0);
	return a != a ? NAN_F32 : (float)(w < 0x1p-12 ? small : r);
}
static inline float rsqrt_f32(float a)
{
	return canon_f32((float)(1.0 / __builtin_sqrt((double)a)));
}
static inline double rsqrt_f64(double a)
{
	return canon_f64(1.0 / __builtin_sqrt(a));
}
/* rsqrt.approx.ftz.f64 uses and gives only the high words, as rcp does (exec_float.c). */
static inline double high_word(double v)
{
	const u64 u = bits_f64(v) & 0xffffffff00000000ull;
	return f64_bits(u & 0x7ff0000000000000ull ? u : u & 0x8000000000000000ull);
}

#define DEF(NAME, FN) EXEC1(NAME, f32, f32, flush_f32(FN(flush_f32(a, fl &IF_FTZ)), fl &IF_FTZ))
DEF(ex2_f32, ex2)
DEF(lg2_f32, lg2)
DEF(sin_f32, sine)
DEF(cos_f32, cosine)
DEF(tanh_approx_f32, tanh_f32)
DEF(rsqrt_approx_f32, rsqrt_f32)
#undef DEF
EXEC1(rsqrt_approx_f64, f64, f64, rsqrt_f64(a))
EXEC1(rsqrt_high_f64, f64, f64, high_word(rsqrt_f64(high_word(a))))

/* ex2 and tanh of f16 and bf16 (and pairs), through f32. */
static u16 small_special(const struct inst *in, u16 h, bool bf16)
{
	const float a = flush_f32(bf16 ? bf16_to_f32(h) : f16_to_f32(h), in->flags & IF_FTZ),
	            r = in->op == OP_EX2 ? ex2(a) : tanh_f32(a);
	const u16 v = bf16 ? bf16_from_f64(r, SMALL_RN) : f16_from_f64(r, SMALL_RN);
	return in->flags & IF_FTZ && !(v & 0x7f80) ? v & 0x8000 : v;
}
static void small_sfu(void *ctx, const struct inst *in)
{
	EXEC_BEGIN(u32)
	const u32 *a = exec_at(x, in->s[0]);
	const bool bf16 = in->type == T_BF16 || in->type == T_BF16X2, two = in->type == T_F16X2 || in->type == T_BF16X2;
	LANE_LOOPS(u32, true, ,
	           small_special(in, (u16)a[i], bf16) | (two ? (u32)small_special(in, (u16)(a[i] >> 16), bf16) << 16 : 0))
}

exec_fn LEVEL_NAME(exec_sfu)(const struct inst *in)
{
	static const exec_fn f32[OP_COUNT] = {
	    [OP_EX2] = ex2_f32, [OP_LG2] = lg2_f32,          [OP_SIN] = sin_f32,
	    [OP_COS] = cos_f32, [OP_TANH] = tanh_approx_f32, [OP_RSQRT] = rsqrt_approx_f32};
	if (!has_opnds(in, 1, 1))
		return NULL;
	if (in->type == T_F32)
		return f32[in->op];
	if (in->op == OP_RSQRT && in->type == T_F64)
		return in->flags & IF_FTZ ? rsqrt_high_f64 : rsqrt_approx_f64;
	const bool bf16 = in->type == T_BF16 || in->type == T_BF16X2;
	const bool small = in->type == T_F16 || in->type == T_F16X2 || in->type == T_BF16 || in->type == T_BF16X2;
	return small && (in->op == OP_EX2 || in->op == OP_TANH) && (!(in->flags & IF_FTZ) || (bf16 && in->op == OP_EX2))
	           ? small_sfu
	           : NULL;
}
