/* f16, f16x2, bf16 and bf16x2 arithmetic: in double, rounded once (see fp.h). */
#include "front/ptx/runtime/fp.h"
#include "front/ptx/executor/simd.h"

struct half_format {
	bool bf16, ftz, sat, relu;
};
static inline double half_in(u16 h, struct half_format f)
{
	if (f.ftz && !(h & 0x7c00))
		h &= 0x8000;
	return f.bf16 ? bf16_to_f32(h) : f16_to_f32(h);
}
static inline u16 half_out(double v, struct half_format f)
{
	u16 h = f.bf16 ? bf16_from_f64(sat_f64(v, f.sat), SMALL_RN) : f16_from_f64(sat_f64(v, f.sat), SMALL_RN);
	if (f.relu && h & 0x8000) /* a NaN is canonical here, without a sign */
		h = 0;
	return f.ftz && !(h & 0x7c00) ? h & 0x8000 : h;
}
/* p + c, inexact sums with an odd last bit: then rounding a second time, to the small format, is as good as rounding
 * the exact sum once. A plain double sum would turn a bf16 product on a tie plus a tiny c into a tie. */
static inline double sum_to_odd(double p, double c)
{
	const double s = p + c, part = s - p, rest = (p - (s - part)) + (c - part);
	const u64 bits = bits_f64(s);
	if (!(rest < 0.0 || rest > 0.0) || bits & 1 || s - s != 0.0)
		return s;
	return f64_bits((rest > 0.0) == (s > 0.0) ? bits + 1 : bits - 1);
}
static inline u16 half_xorsign(const struct inst *in, double a, double b, struct half_format f)
{
	const bool nan = in->flags & IF_NAN;
	return half_out(in->op == OP_MIN ? lane_min_f64(a, b, nan) : lane_max_f64(a, b, nan), f);
}
static inline u16 half_op(const struct inst *in, u16 ha, u16 hb, u16 hc, struct half_format f)
{
	if (unlikely(in->mode)) { /* .xorsign.abs */
		const u16 v = half_xorsign(in, half_in(ha & 0x7fff, f), half_in(hb & 0x7fff, f), f);
		return (v & 0x7fff) > (f.bf16 ? 0x7f80 : 0x7c00) ? v : (v & 0x7fff) | ((ha ^ hb) & 0x8000);
	}
	const double a = half_in(ha, f), b = half_in(hb, f), c = half_in(hc, f);
	switch (in->op) {
	case OP_ADD: return half_out(a + b, f);
	case OP_SUB: return half_out(a - b, f);
	case OP_MUL: return half_out(a * b, f);
	case OP_FMA: return half_out(sum_to_odd(a * b, c), f);
	case OP_MIN: return half_out(lane_min_f64(a, b, in->flags & IF_NAN), f);
	case OP_MAX: return half_out(lane_max_f64(a, b, in->flags & IF_NAN), f);
	case OP_NEG: return ha ^ 0x8000;
	default: return ha & 0x7fff; /* abs */
	}
}
static struct half_format format_of(const struct inst *in)
{
	bool bf16 = in->type == T_BF16 || in->type == T_BF16X2;
	return (struct half_format){
	    .bf16 = bf16, .ftz = in->flags & IF_FTZ, .sat = in->flags & IF_SAT, .relu = in->flags & IF_RELU};
}

static void half_one(void *ctx, const struct inst *in)
{
	EXEC_BEGIN(u32)
	const struct half_format f = format_of(in);
	const u32 *a = exec_at(x, in->s[0]), *b = in->s[1] == OPND_NONE ? a : exec_at(x, in->s[1]);
	const u32 *c = in->s[2] == OPND_NONE ? a : exec_at(x, in->s[2]);
	LANE_LOOPS(u32, true, , half_op(in, (u16)a[i], (u16)b[i], (u16)c[i], f))
}
static void half_two(void *ctx, const struct inst *in)
{
	EXEC_BEGIN(u32)
	const struct half_format f = format_of(in);
	const u32 *a = exec_at(x, in->s[0]), *b = in->s[1] == OPND_NONE ? a : exec_at(x, in->s[1]);
	const u32 *c = in->s[2] == OPND_NONE ? a : exec_at(x, in->s[2]);
	LANE_LOOPS(u32, true, ,
	           half_op(in, (u16)a[i], (u16)b[i], (u16)c[i], f) |
	               (u32)half_op(in, (u16)(a[i] >> 16), (u16)(b[i] >> 16), (u16)(c[i] >> 16), f) << 16)
}

exec_fn LEVEL_NAME(exec_half)(const struct inst *in)
{
	static const u8 nsrc[OP_COUNT] = {
	    [OP_ADD] = 2, [OP_SUB] = 2, [OP_MUL] = 2, [OP_FMA] = 3, [OP_MIN] = 2, [OP_MAX] = 2, [OP_NEG] = 1, [OP_ABS] = 1};
	const bool one = in->type == T_F16 || in->type == T_BF16, two = in->type == T_F16X2 || in->type == T_BF16X2;
	if (!(one || two) || !nsrc[in->op] || !has_opnds(in, 1, nsrc[in->op]))
		return NULL;
	if (in->round != RND_NONE && in->round != RND_RN)
		return NULL;
	if (in->flags & IF_FTZ && (in->type == T_BF16 || in->type == T_BF16X2))
		return NULL;
	return one ? half_one : half_two;
}
