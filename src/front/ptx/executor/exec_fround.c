/* f32 and f64 arithmetic and conversions with directed rounding (.rz .rm .rp). Rare, so one lane at a time under the
 * host's rounding mode; the operands are volatile so that no operation moves across the change of mode. */
#include <fenv.h>
#include <math.h>

#include "front/ptx/runtime/fp.h"
#include "front/ptx/executor/simd.h"

static int host_mode(u8 round)
{
	return round == RND_RZ ? FE_TOWARDZERO : round == RND_RM ? FE_DOWNWARD : FE_UPWARD;
}

#define DEF(T, FMA, SQRT)                                                                                              \
	static vt_##T rounded_##T(u8 op, vt_##T a, vt_##T b, vt_##T c)                                                     \
	{                                                                                                                  \
		volatile vt_##T va = a, vb = b, vc = c, r;                                                                     \
		switch (op) {                                                                                                  \
		case OP_ADD: r = va + vb; break;                                                                               \
		case OP_SUB: r = va - vb; break;                                                                               \
		case OP_MUL: r = va * vb; break;                                                                               \
		case OP_DIV: r = va / vb; break;                                                                               \
		case OP_RCP: r = 1 / va; break;                                                                                \
		case OP_SQRT: r = SQRT(va); break;                                                                             \
		default: r = FMA(va, vb, vc); break;                                                                           \
		}                                                                                                              \
		return r;                                                                                                      \
	}                                                                                                                  \
	static void arith_##T(void *ctx, const struct inst *in)                                                            \
	{                                                                                                                  \
		EXEC_BEGIN(T)                                                                                                  \
		const st_##T *pa = exec_at(x, in->s[0]), *pb = in->s[1] == OPND_NONE ? pa : exec_at(x, in->s[1]);              \
		const st_##T *pc = in->s[2] == OPND_NONE ? pa : exec_at(x, in->s[2]);                                          \
		const bool ftz = fl & IF_FTZ;                                                                                  \
		vt_##T r[LANES];                                                                                               \
		const int old = fegetround();                                                                                  \
		fesetround(host_mode(in->round));                                                                              \
		for (u32 i = 0; i < LANES; i++)                                                                                \
			r[i] = rounded_##T(in->op, flush_##T(pa[i], ftz), flush_##T(pb[i], ftz), flush_##T(pc[i], ftz));           \
		fesetround(old);                                                                                               \
		LANE_LOOPS(T, false, , sat_##T(flush_##T(canon_##T(r[i]), ftz), fl &IF_SAT))                                   \
	}
DEF(f32, fmaf, sqrtf)
DEF(f64, fma, sqrt)
#undef DEF

/* An integer or double to f32, an integer to f64, in the host's current rounding mode. */
static double source_f64(u8 stype, u64 u)
{
	volatile u64 v = u;
	volatile s64 s = (s64)u;
	volatile double r;
	if (stype == T_F64)
		r = f64_bits(u);
	else if (ptype_is_signed(stype))
		r = (double)s;
	else
		r = (double)v;
	return r;
}
static float source_f32(u8 stype, u64 u)
{
	volatile u64 v = u;
	volatile s64 s = (s64)u;
	volatile double w = f64_bits(u);
	volatile float r;
	if (stype == T_F64)
		r = (float)w;
	else if (ptype_is_signed(stype))
		r = (float)s;
	else
		r = (float)v;
	return r;
}
/* The value of a source lane: integers extended to 64 bits. */
static u64 source_bits(const void *p, u8 stype, u32 i)
{
	const u64 u = ptype_bytes(stype) == 8 ? ((const u64 *)p)[i] : ((const u32 *)p)[i];
	switch (stype) {
	case T_U8: return (u8)u;
	case T_S8: return (u64)(s64)(s8)u;
	case T_U16: return (u16)u;
	case T_S16: return (u64)(s64)(s16)u;
	case T_S32: return (u64)(s64)(s32)u;
	default: return u;
	}
}
static void cvt_f32(void *ctx, const struct inst *in)
{
	EXEC_BEGIN(f32)
	const void *p = exec_at(x, in->s[0]);
	float r[LANES];
	const int old = fegetround();
	fesetround(host_mode(in->round));
	for (u32 i = 0; i < LANES; i++)
		r[i] = source_f32(in->stype, source_bits(p, in->stype, i));
	fesetround(old);
	LANE_LOOPS(f32, false, , sat_f32(flush_f32(canon_f32(r[i]), fl & IF_FTZ), fl & IF_SAT))
}
static void cvt_f64(void *ctx, const struct inst *in)
{
	EXEC_BEGIN(f64)
	const void *p = exec_at(x, in->s[0]);
	double r[LANES];
	const int old = fegetround();
	fesetround(host_mode(in->round));
	for (u32 i = 0; i < LANES; i++)
		r[i] = source_f64(in->stype, source_bits(p, in->stype, i));
	fesetround(old);
	LANE_LOOPS(f64, false, , sat_f64(canon_f64(r[i]), fl & IF_SAT))
}

exec_fn LEVEL_NAME(exec_fround)(const struct inst *in)
{
	static const u8 nsrc[OP_COUNT] = {[OP_ADD] = 2, [OP_SUB] = 2,  [OP_MUL] = 2, [OP_DIV] = 2,
	                                  [OP_RCP] = 1, [OP_SQRT] = 1, [OP_FMA] = 3, [OP_MAD] = 3};
	if ((in->round != RND_RZ && in->round != RND_RM && in->round != RND_RP) || (in->type != T_F32 && in->type != T_F64))
		return NULL;
	if (in->op == OP_CVT) {
		const u8 s = in->stype;
		bool from_int = (s >= T_U8 && s <= T_S64), ok = from_int || (s == T_F64 && in->type == T_F32);
		const bool wide = in->flags & (IF_WIDE_SRC | IF_WIDE_DST); /* only with the roundings of exec_cvt.c */
		return !ok || wide || !has_opnds(in, 1, 1) ? NULL : in->type == T_F32 ? cvt_f32 : cvt_f64;
	}
	if (!nsrc[in->op] || !has_opnds(in, 1, nsrc[in->op]) || in->flags & IF_APPROX)
		return NULL;
	return in->type == T_F32 ? arith_f32 : arith_f64;
}
