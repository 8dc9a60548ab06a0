/* mma_float: the sums of tensor cores, see exec_mma.c. Compiled once per vector level with the file that includes it.
 */
#ifndef FRONT_PTX_EXECUTOR_MMA_FLOAT_H
#define FRONT_PTX_EXECUTOR_MMA_FLOAT_H
#include "front/ptx/executor/fragment.h"

/* What a chip does. */
struct mma_rule {
	s32 fraction; /* bits kept behind the largest exponent */
	u32 group;    /* products that are added at once */
	bool f16;     /* result and C in f16, else f32 */
	u32 narrow;   /* fraction bits that an f32 result has; 23: all */
};

/* A number as significand x 2^(exp - fraction bits of its type); special ones are told apart by `kind`. */
enum { MN_FINITE, MN_INF, MN_NAN };
struct mma_number {
	s16 man, exp;
	u8 kind;
};
struct mma_format {
	u8 e, m;
	bool inf; /* exponent of ones: infinities and NaN; else NaN is all ones alone */
};
static inline struct mma_format mma_format_of(u8 type)
{
	switch (type) {
	case MT_F16: return (struct mma_format){5, 10, true};
	case MT_BF16: return (struct mma_format){8, 7, true};
	case MT_TF32: return (struct mma_format){8, 10, true}; /* behind the lower 13 bits, which do not count */
	case MT_E4M3: return (struct mma_format){4, 3, false};
	default: return (struct mma_format){5, 2, true}; /* e5m2 */
	}
}
static inline struct mma_number mma_decode(u32 bits, struct mma_format f)
{
	const u32 e = bits >> f.m & ((1u << f.e) - 1), m = bits & ((1u << f.m) - 1), ones = (1u << f.e) - 1;
	const s32 man = (s32)(e ? m | 1u << f.m : m);
	struct mma_number x = {.man = (s16)(bits >> (f.e + f.m) & 1 ? -man : man),
	                       .exp = (s16)((s32)MAX(e, 1u) - (s32)(ones >> 1))};
	if (f.inf && e == ones)
		x.kind = m ? MN_NAN : MN_INF;
	else if (!f.inf && (bits & ((1u << (f.e + f.m)) - 1)) == (1u << (f.e + f.m)) - 1)
		x.kind = MN_NAN;
	return x;
}

#define MMA_NO_EXP (-10000) /* of a zero: it is never the largest */
#define MMA_COLS 8          /* columns that are computed together */

/* C: 24 or 11 bits of significand, with 23 or 10 bits behind the point. */
static inline void mma_split_c(u32 bits, bool f16, s32 *man, s32 *exp)
{
	const u32 fb = f16 ? 10 : 23, eb = f16 ? 5 : 8;
	const u32 e = bits >> fb & ((1u << eb) - 1), m = bits & ((1u << fb) - 1);
	const s32 v = (s32)(e ? m | 1u << fb : m);
	*man = bits >> (fb + eb) & 1 ? -v : v;
	*exp = v ? (s32)MAX(e, 1u) - (f16 ? 15 : 127) : MMA_NO_EXP;
}

/* sum x 2^(top - fraction), towards 0, with `narrow` bits behind the point. */
static inline u32 mma_to_f32(s64 sum, s32 top, const struct mma_rule *r)
{
	if (!sum)
		return 0;
	const u32 sign = sum < 0 ? 0x80000000u : 0;
	const u64 v = sum < 0 ? 0 - (u64)sum : (u64)sum;
	const s32 high = 63 - __builtin_clzll(v), exp = top - r->fraction + high;
	const s32 keep = exp < -126 ? 23 + exp + 126 : 23; /* bits behind the first one */
	if (exp > 127)
		return sign | 0x7f800000u;
	if (keep < 0)
		return 0;
	const s32 down = high - keep;
	u32 m = (u32)(down >= 0 ? v >> down : v << -down);
	if (r->narrow < 23)
		m &= ~0u << (23 - r->narrow);
	/* A sum that is too small for any bit is +0. */
	return !m ? 0 : sign | (exp < -126 ? m : (u32)(exp + 127) << 23 | (m & 0x7fffff));
}
/* The same to the nearest f16, ties to even. */
static inline u32 mma_to_f16(s64 sum, s32 top, const struct mma_rule *r)
{
	if (!sum)
		return 0;
	const u32 sign = sum < 0 ? 0x8000u : 0;
	const u64 v = sum < 0 ? 0 - (u64)sum : (u64)sum;
	const s32 high = 63 - __builtin_clzll(v), exp = top - r->fraction + high;
	const s32 low = MAX(exp, -14) - 10;         /* weight of the last bit of the result */
	const s32 down = low - (top - r->fraction); /* bits of v below it */
	u64 m;
	if (down > 62) {
		m = 0;
	} else if (down > 0) {
		const u64 rest = v & (BIT(down) - 1), half = BIT(down - 1);
		m = v >> down;
		m += rest > half || (rest == half && (m & 1));
	} else {
		m = v << -down;
	}
	const u32 e = exp < -14 ? 0 : (u32)(exp + 14); /* the first bit of m adds one to it */
	const u64 bits = ((u64)e << 10) + m;
	return !bits ? 0 : sign | (bits >= 0x7c00 ? 0x7c00u : (u32)bits);
}

/* Lanes of a vector are columns: arithmetic of GNU C, which each vector level has instructions for. */
typedef s32 mma_s32 __attribute__((vector_size(4 * MMA_COLS)));
typedef s64 mma_s64 __attribute__((vector_size(8 * MMA_COLS)));
typedef float mma_f32v __attribute__((vector_size(4 * MMA_COLS)));
typedef double mma_f64v __attribute__((vector_size(8 * MMA_COLS)));

#define MMA_CHOOSE(mask, a, b) (((a) & (mask)) | ((b) & ~(mask)))
#define MMA_MAX(a, b) MMA_CHOOSE((a) > (b), a, b)
#define MMA_MIN(a, b) MMA_CHOOSE((a) < (b), a, b)
/* mma_split_c() of MMA_COLS elements. */
static inline void mma_split_row(const u32 *c, bool f16, mma_s32 *man, mma_s32 *exp)
{
	const s32 fb = f16 ? 10 : 23, eb = f16 ? 5 : 8;
	mma_s32 bits;
	memcpy(&bits, c, sizeof bits);
	const mma_s32 e = bits >> fb & ((1 << eb) - 1), normal = e != 0;
	const mma_s32 v = (bits & ((1 << fb) - 1)) | (normal & 1 << fb), negative = -(bits >> (fb + eb) & 1);
	*man = (v ^ negative) - negative;
	*exp = MMA_CHOOSE(v != 0, e + 1 + normal - (f16 ? 15 : 127), (mma_s32){0} + MMA_NO_EXP);
}

/* A vector of sums in f32, of which sign, exponent and fraction bits are given; those that are no normal numbers are
 * rounded one by one: mma_to_f32(). */
#define MMA_ROUND(r, sum, sign, exp, man, zero, top, c)                                                                \
	do {                                                                                                               \
		const mma_s32 fits_ = (zero) | (((exp) >= -126) & ((exp) <= 127));                                             \
		const mma_s32 out_ =                                                                                           \
		    ((sign) | ((exp) + 127) << 23 | ((man) & (s32)(0x7fffff & ~0u << (23 - (r)->narrow)))) & ~(zero);          \
		s32 all_ = -1;                                                                                                 \
		for (u32 j = 0; j < MMA_COLS; j++)                                                                             \
			all_ &= fits_[j];                                                                                          \
		if (likely(all_))                                                                                              \
			memcpy(c, &out_, sizeof out_);                                                                             \
		else                                                                                                           \
			for (u32 j = 0; j < MMA_COLS; j++)                                                                         \
				(c)[j] = mma_to_f32((s64)(sum)[j], (top)[j], r);                                                       \
	} while (0)
/* The sums are whole numbers below 2^31. */
static inline void mma_round_s32(const struct mma_rule *r, const mma_s32 *sum, const mma_s32 *top, u32 *c)
{
	const mma_s32 negative = *sum < 0, v = (*sum ^ negative) - negative, zero = v == 0;
	const mma_f32v nearest = __builtin_convertvector(v, mma_f32v);
	mma_s32 bits;
	memcpy(&bits, &nearest, sizeof bits);
	bits += __builtin_convertvector(nearest, mma_s32) > v; /* -1: rounded up, and towards 0 is the one before */
	const mma_s32 exp = (bits >> 23) - 127 + *top - r->fraction;
	MMA_ROUND(r, *sum, negative & INT32_MIN, exp, bits, zero, *top, c);
}
/* Below 2^53. */
static inline void mma_round_f64(const struct mma_rule *r, const mma_f64v *sum, const mma_s32 *top, u32 *c)
{
	mma_s64 bits;
	memcpy(&bits, sum, sizeof bits);
	const mma_s32 exp = __builtin_convertvector(bits >> 52 & 0x7ff, mma_s32) - 1023 + *top - r->fraction;
	const mma_s32 man = __builtin_convertvector(bits >> 29, mma_s32);
	const mma_s32 sign = __builtin_convertvector(bits >> 32, mma_s32) & INT32_MIN;
	const mma_s32 zero = __builtin_convertvector(bits == 0, mma_s32);
	MMA_ROUND(r, *sum, sign, exp, man, zero, *top, c);
}

/* C as whole units of 2^(top - fraction), towards 0. */
static inline void mma_cut_c(const struct mma_rule *r, const mma_s32 *man, const mma_s32 *down, mma_s32 *out)
{
	const s32 up = r->fraction - (r->f16 ? 10 : 23);
	const mma_s32 sign = *man < 0, most = (mma_s32){0} + 31, by = *down - MIN(up, 0);
	*out = (((*man ^ sign) - sign) << MAX(up, 0)) >> MMA_CHOOSE(by < most, by, most);
	*out = (*out ^ sign) - sign;
}

/* mma_sum_NAME: `n` products of a row of A and MMA_COLS columns of B in units of 2^-shift, cut off towards 0 and added
 * to *sum. The product of two factors is exact in this type, and so is its multiple by a power of two: what is cut off
 * is what the conversion to an integer cuts off. a: [n], b: [n] of stride. */
#define MMA_SUM(name, scalar, vector, exponent, bias, point, most)                                                     \
	static inline void mma_sum_##name(const scalar *a, const vector *b, u32 stride, u32 n, const mma_s32 *shift,       \
	                                  mma_s32 *sum)                                                                    \
	{                                                                                                                  \
		const mma_s32 limit = (mma_s32){0} + (most);                                                                   \
		const exponent bits = __builtin_convertvector(MMA_MIN(*shift, limit) + (bias), exponent) << (point);           \
		vector unit;                                                                                                   \
		memcpy(&unit, &bits, sizeof unit);                                                                             \
		for (u32 k = 0; k < n; k++, b += stride)                                                                       \
			*sum += __builtin_convertvector(a[k] * *b * unit, mma_s32);                                                \
	}
/* A product that is not 0 is at least 2^-48 of f16, and its exponent -28: a larger shift means that all are 0. */
MMA_SUM(f32, float, mma_f32v, mma_s32, 127, 23, 100)
MMA_SUM(f64, double, mma_f64v, mma_s64, 1023, 52, 1000)

/* The factors of A and B. Numbers of 8 bits of exponent are kept as f64, others as f32. */
struct mma_values {
	const s32 *exp_a;
	const mma_s32 *exp_b;
	const float *a32;
	const mma_f32v *b32;
	const double *a64;
	const mma_f64v *b64;
};
static inline void mma_sum(const struct mma_values *v, u32 a, u32 b, u32 stride, u32 n, const mma_s32 *shift,
                           mma_s32 *sum)
{
	if (v->a32)
		mma_sum_f32(v->a32 + a, v->b32 + b, stride, n, shift, sum);
	else
		mma_sum_f64(v->a64 + a, v->b64 + b, stride, n, shift, sum);
}
/* `n` products of a row of A, from element `a` on, and MMA_COLS columns of B, from vector `b` on, and C: c becomes the
 * rounded sums. */
static inline void mma_add_group(const struct mma_rule *r, const struct mma_values *v, u32 a, u32 b, u32 stride, u32 n,
                                 u32 *c)
{
	mma_s32 cm, ce, top, sum;
	mma_split_row(c, r->f16, &cm, &ce);
	top = ce;
	const mma_s32 *eb = v->exp_b + b;
	for (u32 k = 0; k < n; k++, eb += stride) {
		const mma_s32 e = v->exp_a[a + k] + *eb;
		top = MMA_MAX(top, e);
	}
	const mma_s32 down = top - ce, shift = r->fraction - top;
	mma_cut_c(r, &cm, &down, &sum);
	/* C is below 2 x 2^fraction, a product below 4 x 2^fraction. */
	if (!r->f16 && (u64)(2 + 4 * n) << r->fraction < 1ull << 31) {
		mma_sum(v, a, b, stride, n, &shift, &sum);
		mma_round_s32(r, &sum, &top, c);
		return;
	}
	mma_f64v all = __builtin_convertvector(sum, mma_f64v);
	const u32 chunk = r->fraction <= 25 ? 8 : 1;
	for (u32 k = 0; k < n; k += chunk) {
		sum = (mma_s32){0};
		mma_sum(v, a + k, b + k * stride, stride, MIN(chunk, n - k), &shift, &sum);
		all += __builtin_convertvector(sum, mma_f64v);
	}
	if (!r->f16)
		mma_round_f64(r, &all, &top, c);
	else
		for (u32 j = 0; j < MMA_COLS; j++)
			c[j] = mma_to_f16((s64)all[j], top[j], r);
}

/* A sum with an infinity or a NaN among its products or as C; false: there is none. */
struct mma_special {
	bool nan, plus, minus;
};
static inline void mma_note(struct mma_special *s, bool nan, bool inf, bool negative)
{
	s->nan |= nan;
	s->plus |= inf && !negative;
	s->minus |= inf && negative;
}
static inline void mma_note_product(struct mma_special *s, struct mma_number a, struct mma_number b)
{
	const bool inf = a.kind == MN_INF || b.kind == MN_INF;
	const bool zero = (a.kind == MN_FINITE && !a.man) || (b.kind == MN_FINITE && !b.man);
	mma_note(s, a.kind == MN_NAN || b.kind == MN_NAN || (inf && zero), inf, (a.man < 0) != (b.man < 0));
}
static inline void mma_note_c(struct mma_special *s, u32 bits, bool f16)
{
	const u32 ones = f16 ? 0x7c00u : 0x7f800000u, magnitude = bits & (f16 ? 0x7fffu : 0x7fffffffu);
	mma_note(s, magnitude > ones, magnitude == ones, bits >> (f16 ? 15 : 31) & 1);
}
static inline bool mma_special_result(const struct mma_special *s, bool f16, u32 *out)
{
	if (!s->nan && !s->plus && !s->minus)
		return false;
	if (s->nan || (s->plus && s->minus))
		*out = f16 ? 0x7fffu : 0x7fffffffu;
	else
		*out = f16 ? (s->minus ? 0xfc00u : 0x7c00u) : (s->minus ? 0xff800000u : 0x7f800000u);
	return true;
}
#endif
