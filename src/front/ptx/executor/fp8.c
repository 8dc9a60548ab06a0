/* cvt between pairs of e4m3 or e5m2 and pairs of f32 or f16 (PTX ISA, cvt): e4m3 has no infinity and one NaN, 0x7f;
 * e5m2 is the upper half of an f16, and its NaN here is 0x7f, too. Into fp8 always to the nearest even, and .satfinite.
 */
#include <math.h>

#include "front/ptx/executor/fp8.h"
#include "front/ptx/runtime/fp.h"

static bool is_fp8(u8 t)
{
	return t == T_E4M3X2 || t == T_E5M2X2;
}

static u8 from_f64(double v, bool e4m3, bool relu)
{
	const int fraction = e4m3 ? 3 : 2, least = e4m3 ? -6 : -14;
	const double most = e4m3 ? 448.0 : 57344.0;
	const u8 sign = signbit(v) ? 0x80 : 0;
	if (v != v)
		return 0x7f;
	if (relu && sign)
		return 0;
	int e = 0;
	double mag = fabs(v);
	if (mag >= most)
		return sign | (e4m3 ? 0x7e : 0x7b);
	frexp(mag, &e); /* mag = f 2^e, f in [0.5, 1) */
	e = mag > 0 && e - 1 > least ? e - 1 : least;
	const double unit = ldexp(1.0, e - fraction);        /* of the last place */
	const u32 n = (u32)rint(mag / unit);                 /* exact but for the rounding asked for */
	const u32 bits = ((u32)(e - least) << fraction) + n; /* a subnormal has the least exponent, and no hidden bit */
	return sign | (u8)MIN(bits, e4m3 ? 0x7eu : 0x7bu);
}

static u16 to_f16(u8 b, bool e4m3, bool relu)
{
	const u32 mag = b & 0x7f;
	if (e4m3 ? mag == 0x7f : mag > 0x7c)
		return 0x7fff;
	if (relu && b & 0x80)
		return 0;
	if (!e4m3)
		return (u16)(b << 8);
	const double v = mag >> 3 ? ldexp(8 + (mag & 7), (int)(mag >> 3) - 10) : ldexp(mag, -9);
	return (u16)((b & 0x80) << 8) | f16_from_f64(v, SMALL_RN);
}

static void into_fp8(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	const bool e4m3 = in->type == T_E4M3X2, relu = in->flags & IF_RELU, pair = in->stype == T_F32;
	const u32 *a = exec_at(x, in->s[0]), *b = pair ? exec_at(x, in->s[1]) : NULL;
	u32 *d = exec_at(x, in->d[0]), out[LANES];
	for (u32 i = 0; i < LANES; i++) {
		const double high = pair ? f32_bits(a[i]) : f16_to_f32((u16)(a[i] >> 16));
		const double low = pair ? f32_bits(b[i]) : f16_to_f32((u16)a[i]);
		out[i] = (u32)from_f64(high, e4m3, relu) << 8 | from_f64(low, e4m3, relu);
	}
	for (u32 i = 0; i < LANES; i++)
		d[i] = x->mask >> i & 1 ? out[i] : d[i];
}

static void from_fp8(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	const bool e4m3 = in->stype == T_E4M3X2, relu = in->flags & IF_RELU;
	const u32 *a = exec_at(x, in->s[0]);
	u32 *d = exec_at(x, in->d[0]), out[LANES];
	for (u32 i = 0; i < LANES; i++)
		out[i] = (u32)to_f16((u8)(a[i] >> 8), e4m3, relu) << 16 | to_f16((u8)a[i], e4m3, relu);
	for (u32 i = 0; i < LANES; i++)
		d[i] = x->mask >> i & 1 ? out[i] : d[i];
}

exec_fn exec_fp8(const struct inst *in)
{
	const bool plain = in->op == OP_CVT && in->round == RND_RN && !in->mode && in->d[0] != OPND_NONE &&
	                   in->s[0] != OPND_NONE && !(in->flags & (IF_FTZ | IF_SAT | IF_WIDE_SRC | IF_WIDE_DST));
	if (!plain)
		return NULL;
	if (is_fp8(in->type) && in->flags & IF_SATFINITE)
		return (in->stype == T_F32 && in->s[1] != OPND_NONE) || (in->stype == T_F16X2 && in->s[1] == OPND_NONE)
		           ? into_fp8
		           : NULL;
	return is_fp8(in->stype) && in->type == T_F16X2 && in->s[1] == OPND_NONE && !(in->flags & IF_SATFINITE) ? from_fp8
	                                                                                                        : NULL;
}
