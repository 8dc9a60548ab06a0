/* f32 and f64 arithmetic, round to nearest even. Plain functions for the common case, one with .ftz and .sat for the
 * rest. */
#include "front/ptx/runtime/fp.h"
#include "front/ptx/executor/simd.h"
#include "passes/contract.h"

#define FLUSH(T, v) flush_##T(v, fl &IF_FTZ)
#define FINISH(T, v) sat_##T(flush_##T(canon_##T(v), fl &IF_FTZ), fl &IF_SAT)
#define DEF(T, FMA, SQRT, ABS, COPYSIGN)                                                                               \
	EXEC2(add_##T, T, T, T, canon_##T(a + b))                                                                          \
	EXEC2(sub_##T, T, T, T, canon_##T(a - b))                                                                          \
	EXEC2(mul_##T, T, T, T, canon_##T(a *b))                                                                           \
	EXEC3(fma_##T, T, T, T, T, canon_##T(FMA(a, b, c)))                                                                \
	EXEC2(div_##T, T, T, T, canon_##T(a / b))                                                                          \
	EXEC1(rcp_##T, T, T, canon_##T(1 / a))                                                                             \
	EXEC1(sqrt_##T, T, T, canon_##T(SQRT(a)))                                                                          \
	EXEC2(mod_add_##T, T, T, T, FINISH(T, FLUSH(T, a) + FLUSH(T, b)))                                                  \
	EXEC2(mod_sub_##T, T, T, T, FINISH(T, FLUSH(T, a) - FLUSH(T, b)))                                                  \
	EXEC2(mod_mul_##T, T, T, T, FINISH(T, FLUSH(T, a) * FLUSH(T, b)))                                                  \
	EXEC3(mod_fma_##T, T, T, T, T, FINISH(T, FMA(FLUSH(T, a), FLUSH(T, b), FLUSH(T, c))))                              \
	EXEC3(fma_np_##T, T, T, T, T, FINISH(T, FMA(-FLUSH(T, a), FLUSH(T, b), FLUSH(T, c))))                              \
	EXEC3(fma_na_##T, T, T, T, T, FINISH(T, FMA(FLUSH(T, a), FLUSH(T, b), -FLUSH(T, c))))                              \
	EXEC2(mod_div_##T, T, T, T, FINISH(T, FLUSH(T, a) / FLUSH(T, b)))                                                  \
	EXEC1(mod_rcp_##T, T, T, FINISH(T, 1 / FLUSH(T, a)))                                                               \
	EXEC1(mod_sqrt_##T, T, T, FINISH(T, SQRT(FLUSH(T, a))))                                                            \
	EXEC2(min_##T, T, T, T, lane_min_##T(FLUSH(T, a), FLUSH(T, b), fl &IF_NAN))                                        \
	EXEC2(max_##T, T, T, T, lane_max_##T(FLUSH(T, a), FLUSH(T, b), fl &IF_NAN))                                        \
	EXEC1(abs_##T, T, T, ABS(FLUSH(T, a)))                                                                             \
	EXEC1(neg_##T, T, T, -FLUSH(T, a))                                                                                 \
	EXEC2(copysign_##T, T, T, T, COPYSIGN(b, a)) /* the sign of a on the magnitude of b */
static inline float xorsign(float v, float a, float b)
{
	return v != v ? v : f32_bits((bits_f32(v) & 0x7fffffff) | ((bits_f32(a) ^ bits_f32(b)) & 0x80000000));
}
#define MAGNITUDE(v) __builtin_fabsf(flush_f32(v, fl &IF_FTZ))
EXEC2(min_xorsign, f32, f32, f32, xorsign(lane_min_f32(MAGNITUDE(a), MAGNITUDE(b), fl &IF_NAN), a, b))
EXEC2(max_xorsign, f32, f32, f32, xorsign(lane_max_f32(MAGNITUDE(a), MAGNITUDE(b), fl &IF_NAN), a, b))
DEF(f32, __builtin_fmaf, __builtin_sqrtf, __builtin_fabsf, __builtin_copysignf)
DEF(f64, __builtin_fma, __builtin_sqrt, __builtin_fabs, __builtin_copysign)
#undef DEF

/* rcp.approx.ftz.f64: PTX defines it on the high words alone: the low word of the operand is ignored and of the result
 * zero; subnormals are flushed both ways. */
static inline double high_word(double v)
{
	return f64_bits(bits_f64(v) & 0xffffffff00000000ull);
}
static inline double flush_wide(double v)
{
	const u64 u = bits_f64(v);
	return f64_bits(u & 0x7ff0000000000000ull ? u : u & 0x8000000000000000ull);
}
EXEC1(rcp_high_f64, f64, f64, high_word(flush_wide(canon_f64(1 / flush_wide(high_word(a))))))

/* testp: the predicate of a property of the bits; mode = enum testp. */
static bool has_property(u64 u, u32 frac, u32 exps, u32 what)
{
	const u64 exp = u >> frac & ((1u << exps) - 1), man = u & ((1ull << frac) - 1), top = (1u << exps) - 1;
	switch (what) {
	case TESTP_FINITE: return exp != top;
	case TESTP_INFINITE: return exp == top && !man;
	case TESTP_NUMBER: return exp != top || !man;
	case TESTP_NOTANUMBER: return exp == top && man;
	case TESTP_NORMAL: return exp && exp != top;
	default: return !exp && man;
	}
}
static void testp(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	u32 bits = 0;
	for (u32 i = 0; i < LANES; i++) {
		bool wide = in->type == T_F64;
		u64 u = wide ? ((const u64 *)exec_at(x, in->s[0]))[i] : ((const u32 *)exec_at(x, in->s[0]))[i];
		bits |= (u32)has_property(u, wide ? 52 : 23, wide ? 11 : 8, in->mode) << i;
	}
	write_pred(x, in->d[0], bits);
}

struct arith {
	exec_fn f32, f64, mod_f32, mod_f64;
	u8 nsrc;
};
#define ROW(n, nsrc)                                                                                                   \
	{                                                                                                                  \
		n##_f32, n##_f64, mod_##n##_f32, mod_##n##_f64, nsrc                                                           \
	}
#define ROW_FLAGS(n, nsrc)                                                                                             \
	{                                                                                                                  \
		n##_f32, n##_f64, n##_f32, n##_f64, nsrc                                                                       \
	}
static const struct arith ariths[OP_COUNT] = {[OP_ADD] = ROW(add, 2),
                                              [OP_SUB] = ROW(sub, 2),
                                              [OP_MUL] = ROW(mul, 2),
                                              [OP_FMA] = ROW(fma, 3),
                                              [OP_MAD] = ROW(fma, 3),
                                              [OP_DIV] = ROW(div, 2),
                                              [OP_RCP] = ROW(rcp, 1),
                                              [OP_SQRT] = ROW(sqrt, 1),
                                              [OP_MIN] = ROW_FLAGS(min, 2),
                                              [OP_MAX] = ROW_FLAGS(max, 2),
                                              [OP_ABS] = ROW_FLAGS(abs, 1),
                                              [OP_NEG] = ROW_FLAGS(neg, 1),
                                              [OP_COPYSIGN] = ROW_FLAGS(copysign, 2)};

/* The .approx forms of div, rcp and sqrt are computed with IEEE rounding, well within the bounds PTX gives (1 to 2
 * ulp). */
exec_fn LEVEL_NAME(exec_float)(const struct inst *in)
{
	if (in->type != T_F32 && in->type != T_F64)
		return NULL;
	if (in->op == OP_TESTP)
		return has_opnds(in, 1, 1) && in->mode <= TESTP_SUBNORMAL ? testp : NULL;
	if (in->round != RND_NONE && in->round != RND_RN)
		return NULL; /* exec_fround.c */
	const struct arith *a = &ariths[in->op];
	if (!a->nsrc || !has_opnds(in, 1, a->nsrc))
		return NULL;
	if (in->op == OP_RCP && in->type == T_F64 && in->flags & IF_APPROX)
		return in->flags & IF_FTZ ? rcp_high_f64 : rcp_f64;
	if ((in->op == OP_MIN || in->op == OP_MAX) && in->mode)
		return in->type != T_F32 ? NULL : in->op == OP_MIN ? min_xorsign : max_xorsign;
	if (in->op == OP_FMA && in->mode == FMA_NEG_PRODUCT)
		return in->type == T_F32 ? fma_np_f32 : fma_np_f64;
	if (in->op == OP_FMA && in->mode == FMA_NEG_ADDEND)
		return in->type == T_F32 ? fma_na_f32 : fma_na_f64;
	const bool mod = in->flags & (IF_FTZ | IF_SAT);
	return in->type == T_F32 ? (mod ? a->mod_f32 : a->f32) : mod ? a->mod_f64 : a->f64;
}
