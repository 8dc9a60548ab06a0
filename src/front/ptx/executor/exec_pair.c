/* Pairs and what else came with tensor code: cvt of two f32 into f16x2 or bf16x2, cvt to tf32, cvt with .relu or
 * .satfinite, cvt.pack; packed 16-bit integer arithmetic. */
#include "front/ptx/runtime/fp.h"
#include "front/ptx/executor/simd.h"

/* --- cvt to halves: NaN is canonical whatever the modifiers say. .relu comes before .satfinite. */
static inline u16 half_from(const struct inst *in, float v)
{
	const bool bf16 = in->type == T_BF16 || in->type == T_BF16X2;
	const enum small_round round = in->round == RND_RZ ? SMALL_RZ : SMALL_RN;
	const u16 inf = bf16 ? 0x7f80 : 0x7c00, h = bf16 ? bf16_from_f64(v, round) : f16_from_f64(v, round);
	if (in->flags & IF_RELU && h & 0x8000)
		return 0;
	return in->flags & IF_SATFINITE && (h & 0x7fff) == inf ? h - 1 : h;
}
EXEC1(cvt_half, u32, f32, half_from(in, a))
EXEC2(cvt_pair, u32, f32, f32, (u32)half_from(in, a) << 16 | half_from(in, b))

/* tf32: the upper 19 bits of an f32, ties away from zero (.rna), to even (.rn) or cut (.rz). */
static inline u32 tf32_from(const struct inst *in, float v)
{
	const u32 u = bits_f32(v), half = in->round == RND_RZ ? 0 : in->round == RND_RN ? 0xfff + (u >> 13 & 1) : 0x1000;
	if (v != v)
		return 0x7fffffff;
	const u32 r = (u + half) & ~0x1fffu; /* infinity has no lower bits: it stays */
	if (in->flags & IF_RELU && r >> 31)
		return 0;
	return in->flags & IF_SATFINITE && (r & 0x7fffffff) == 0x7f800000 ? r - 0x2000 : r;
}
EXEC1(cvt_tf32, u32, f32, tf32_from(in, a))

/* cvt.pack.sat: two integers, the first above the second; bytes go below the lower half of c. */
static inline u32 fit(s64 v, u8 type)
{
	const u32 bits = 8 * ptype_bytes(type);
	const bool sign = ptype_is_signed(type);
	const s64 lo = sign ? -(1ll << (bits - 1)) : 0, hi = (1ll << (bits - sign)) - 1;
	return (u32)(v < lo ? lo : v > hi ? hi : v) & ((1u << bits) - 1);
}
EXEC2(pack_halves, u32, s32, s32, fit(a, in->type) << 16 | fit(b, in->type))
EXEC3(pack_bytes, u32, s32, s32, u32, c << 16 | fit(a, in->type) << 8 | fit(b, in->type))

static exec_fn pack_for(const struct inst *in)
{
	const u8 t = in->type;
	const bool halves = t == T_U16 || t == T_S16, bytes = t == T_U8 || t == T_S8;
	const u32 wide = IF_WIDE_SRC | IF_WIDE_DST;
	if (in->stype != T_S32 || !(in->flags & IF_SAT) || in->flags & wide || !has_opnds(in, 1, bytes ? 3 : 2))
		return NULL;
	return halves ? pack_halves : bytes ? pack_bytes : NULL;
}
static exec_fn cvt_for(const struct inst *in)
{
	const u8 t = in->type, r = in->round;
	const bool pair = t == T_F16X2 || t == T_BF16X2, rn_rz = r == RND_RN || r == RND_RZ;
	if (in->mode == 1)
		return pack_for(in);
	if (in->stype != T_F32 || in->flags & (IF_SAT | IF_FTZ | IF_WIDE_SRC | IF_WIDE_DST) || in->mode)
		return NULL;
	if (pair)
		return rn_rz && has_opnds(in, 1, 2) ? cvt_pair : NULL;
	if (!has_opnds(in, 1, 1) || in->s[1] != OPND_NONE)
		return NULL;
	if (t == T_TF32)
		return r == RND_RNA || rn_rz ? cvt_tf32 : NULL;
	return rn_rz && (t == T_F16 || t == T_BF16) ? cvt_half : NULL;
}

/* --- u16x2, s16x2 */
static inline s32 upper(u32 v, bool sign)
{
	return sign ? (s32)v >> 16 : (s32)(v >> 16);
}
static inline s32 lower(u32 v, bool sign)
{
	return sign ? (s16)v : (s32)(v & 0xffff);
}
static inline u32 both(s32 hi, s32 lo, bool relu)
{
	return (u32)(relu && hi < 0 ? 0 : hi) << 16 | ((u32)(relu && lo < 0 ? 0 : lo) & 0xffff);
}
#define SIGN (in->type == T_S16X2)
#define LESS(a, b) ((a) < (b) ? (a) : (b))
#define MORE(a, b) ((a) > (b) ? (a) : (b))
#define EACH(WHAT) both(WHAT(upper(a, SIGN), upper(b, SIGN)), WHAT(lower(a, SIGN), lower(b, SIGN)), in->flags &IF_RELU)
EXEC2(add_16x2, u32, u32, u32, ((a + b) & 0xffff) | ((a >> 16) + (b >> 16)) << 16)
EXEC2(min_16x2, u32, u32, u32, EACH(LESS))
EXEC2(max_16x2, u32, u32, u32, EACH(MORE))

static exec_fn packed_for(const struct inst *in)
{
	if (!has_opnds(in, 1, 2) || in->flags & (IF_SAT | IF_FTZ | IF_NAN | IF_CC_OUT))
		return NULL;
	return in->op == OP_ADD ? add_16x2 : in->op == OP_MIN ? min_16x2 : in->op == OP_MAX ? max_16x2 : NULL;
}

exec_fn LEVEL_NAME(exec_pair)(const struct inst *in)
{
	if (in->op == OP_CVT)
		return cvt_for(in);
	return in->type == T_U16X2 || in->type == T_S16X2 ? packed_for(in) : NULL;
}
