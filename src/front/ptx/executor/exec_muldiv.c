/* Integer multiply, multiply-add, divide and remainder. */
#include "front/ptx/executor/simd.h"

/* u16 and s16 products fit 32 bits; wider high halves go through the next wider type. */
EXEC2(mul_lo_u16, u16, u16, u16, (u32)a *b)
EXEC2(mul_lo_u32, u32, u32, u32, a *b)
EXEC2(mul_lo_u64, u64, u64, u64, a *b)
EXEC3(mad_lo_u16, u16, u16, u16, u16, (u32)a *b + c)
EXEC3(mad_lo_u32, u32, u32, u32, u32, a *b + c)
EXEC3(mad_lo_u64, u64, u64, u64, u64, a *b + c)
#define DEF(S, T, W, WIDE, UT)                                                                                         \
	EXEC2(mul_hi_##T, T, T, T, (vt_##UT)((WIDE)a * (WIDE)b >> S))                                                      \
	EXEC3(mad_hi_##T, T, T, T, T, (vt_##UT)((vt_##UT)((WIDE)a * (WIDE)b >> S) + (vt_##UT)c))
DEF(16, u16, u32, u32, u16)
DEF(16, s16, s32, s32, u16)
DEF(32, u32, u64, u64, u32)
DEF(32, s32, s64, s64, u32)
DEF(64, u64, u64, unsigned __int128, u64)
DEF(64, s64, s64, __int128, u64)
#undef DEF
EXEC2(mul_wide_u16, u32, u16, u16, (u32)a *b)
EXEC2(mul_wide_s16, s32, s16, s16, a *b)
EXEC2(mul_wide_u32, u64, u32, u32, (u64)a *b)
EXEC2(mul_wide_s32, s64, s32, s32, (s64)a *b)
EXEC3(mad_wide_u16, u32, u16, u16, u32, (u32)a *b + c)
EXEC3(mad_wide_s16, u32, s16, s16, u32, (u32)(a *b) + c)
EXEC3(mad_wide_u32, u64, u32, u32, u64, (u64)a *b + c)
EXEC3(mad_wide_s32, u64, s32, s32, u64, (u64)((s64)a *b) + c)

static inline s32 mad_hi_sat(s32 a, s32 b, s32 c)
{
	s64 v = ((s64)a * b >> 32) + c;
	return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (s32)v;
}
EXEC3(mad_hi_sat_s32, s32, s32, s32, s32, mad_hi_sat(a, b, c))

/* mul24: the 48-bit product of the low 24 bits; .lo = its bits 0..31, .hi = its bits 16..47. */
static inline u64 product_u24(u32 a, u32 b)
{
	return (u64)(a & 0xffffff) * (b & 0xffffff);
}
static inline u64 product_s24(u32 a, u32 b)
{
	return (u64)((s64)((s32)(a << 8) >> 8) * ((s32)(b << 8) >> 8));
}
#define DEF(T)                                                                                                         \
	EXEC2(mul24_lo_##T, u32, u32, u32, product_##T(a, b))                                                              \
	EXEC2(mul24_hi_##T, u32, u32, u32, product_##T(a, b) >> 16)                                                        \
	EXEC3(mad24_lo_##T, u32, u32, u32, u32, (u32)product_##T(a, b) + c)                                                \
	EXEC3(mad24_hi_##T, u32, u32, u32, u32, (u32)(product_##T(a, b) >> 16) + c)
DEF(u24)
DEF(s24)
#undef DEF
static inline s32 mad24_hi_sat(u32 a, u32 b, s32 c)
{
	s64 v = (s64)(s32)(product_s24(a, b) >> 16) + c;
	return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (s32)v;
}
EXEC3(mad24_hi_sat_s24, s32, u32, u32, s32, mad24_hi_sat(a, b, c))

/* PTX leaves division by zero unspecified: the quotient is all ones and the remainder the dividend, as NVIDIA's code
 * sequences give for unsigned operands. INT_MIN / -1 wraps to INT_MIN, remainder 0. */
#define DEF(T)                                                                                                         \
	static inline vt_##T quot_##T(vt_##T a, vt_##T b)                                                                  \
	{                                                                                                                  \
		return b ? (vt_##T)(a / b) : (vt_##T) - 1;                                                                     \
	}                                                                                                                  \
	static inline vt_##T rest_##T(vt_##T a, vt_##T b)                                                                  \
	{                                                                                                                  \
		return b ? (vt_##T)(a % b) : a;                                                                                \
	}                                                                                                                  \
	EXEC2(div_##T, T, T, T, quot_##T(a, b))                                                                            \
	EXEC2(rem_##T, T, T, T, rest_##T(a, b))
EACH_UNSIGNED(DEF)
#undef DEF
#define DEF(T, U)                                                                                                      \
	static inline vt_##T quot_##T(vt_##T a, vt_##T b)                                                                  \
	{                                                                                                                  \
		return b == 0 ? (vt_##T) - 1 : b == -1 ? (vt_##T)(0u - (vt_##U)a) : (vt_##T)(a / b);                           \
	}                                                                                                                  \
	static inline vt_##T rest_##T(vt_##T a, vt_##T b)                                                                  \
	{                                                                                                                  \
		return b == 0 ? a : b == -1 ? 0 : (vt_##T)(a % b);                                                             \
	}                                                                                                                  \
	EXEC2(div_##T, T, T, T, quot_##T(a, b))                                                                            \
	EXEC2(rem_##T, T, T, T, rest_##T(a, b))
DEF(s16, u16)
DEF(s32, u32)
DEF(s64, u64)
#undef DEF

static exec_fn mul_for(const struct inst *in)
{
	static const exec_fn lo[T_COUNT] = BY_SIZE(mul_lo), hi[T_COUNT] = BY_SIGN(mul_hi);
	static const exec_fn wide[T_COUNT] = {
	    [T_U16] = mul_wide_u16, [T_S16] = mul_wide_s16, [T_U32] = mul_wide_u32, [T_S32] = mul_wide_s32};
	if (!has_opnds(in, 1, 2) || in->flags & IF_SAT)
		return NULL;
	return in->mode == MUL_LO ? lo[in->type] : in->mode == MUL_HI ? hi[in->type] : wide[in->type];
}

static exec_fn mad_for(const struct inst *in)
{
	static const exec_fn lo[T_COUNT] = BY_SIZE(mad_lo), hi[T_COUNT] = BY_SIGN(mad_hi);
	static const exec_fn wide[T_COUNT] = {
	    [T_U16] = mad_wide_u16, [T_S16] = mad_wide_s16, [T_U32] = mad_wide_u32, [T_S32] = mad_wide_s32};
	if (!has_opnds(in, 1, 3) || in->flags & (IF_CC_IN | IF_CC_OUT))
		return NULL;
	if (in->flags & IF_SAT)
		return in->mode == MUL_HI && in->type == T_S32 ? mad_hi_sat_s32 : NULL;
	return in->mode == MUL_LO ? lo[in->type] : in->mode == MUL_HI ? hi[in->type] : wide[in->type];
}

static exec_fn mul24_for(const struct inst *in)
{
	bool mad = in->op == OP_MAD24, hi = in->mode == MUL_HI;
	if (!has_opnds(in, 1, mad ? 3 : 2) || in->mode == MUL_WIDE || (in->type != T_U32 && in->type != T_S32))
		return NULL;
	if (in->flags & IF_SAT)
		return mad && hi && in->type == T_S32 ? mad24_hi_sat_s24 : NULL;
	if (in->type == T_U32)
		return mad ? (hi ? mad24_hi_u24 : mad24_lo_u24) : (hi ? mul24_hi_u24 : mul24_lo_u24);
	return mad ? (hi ? mad24_hi_s24 : mad24_lo_s24) : (hi ? mul24_hi_s24 : mul24_lo_s24);
}

exec_fn LEVEL_NAME(exec_muldiv)(const struct inst *in)
{
	static const exec_fn div[T_COUNT] = BY_SIGN(div), rem[T_COUNT] = BY_SIGN(rem);
	switch (in->op) {
	case OP_MUL: return mul_for(in);
	case OP_MAD: return mad_for(in);
	case OP_MUL24:
	case OP_MAD24: return mul24_for(in);
	case OP_DIV: return has_opnds(in, 1, 2) ? div[in->type] : NULL;
	case OP_REM: return has_opnds(in, 1, 2) ? rem[in->type] : NULL;
	default: return NULL;
	}
}
