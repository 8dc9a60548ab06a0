/* Video instructions in general, lane by lane, as PTX's own pseudocode has them: parts of the sources, exact results,
 * saturation, then a second operation or a merge with the third source. What is used most has loops of its own in
 * exec_video.c. */
#include "front/ptx/executor/simd.h"
#include "front/ptx/executor/video.h"

static inline s64 extended(u32 v, u32 bits, bool sign)
{
	const u32 cut = bits == 32 ? v : v & ((1u << bits) - 1);
	return sign ? (s64)((s32)(cut << (32 - bits)) >> (32 - bits)) : (s64)cut;
}
static s64 part(u32 v, u32 which, bool sign)
{
	if (which == PART_ALL)
		return extended(v, 32, sign);
	return which >= PART_H0 ? extended(v >> 16 * (which - PART_H0), 16, sign)
	                        : extended(v >> 8 * (which - PART_B0), 8, sign);
}
static s64 clamped(__int128 v, u32 bits, bool sign)
{
	const __int128 most = ((__int128)1 << (sign ? bits - 1 : bits)) - 1, least = sign ? -most - 1 : 0;
	return (s64)(v > most ? most : v < least ? least : v);
}
static bool holds(u8 cmp, s64 a, s64 b)
{
	switch (cmp) {
	case CMP_EQ: return a == b;
	case CMP_NE: return a != b;
	case CMP_LT: return a < b;
	case CMP_LE: return a <= b;
	case CMP_GT: return a > b;
	default: return a >= b;
	}
}
static __int128 primary(const struct inst *in, s64 a, s64 b)
{
	switch (in->op) {
	case OP_VADD:
	case OP_VADD2:
	case OP_VADD4: return a + b;
	case OP_VSUB:
	case OP_VSUB2:
	case OP_VSUB4: return a - b;
	case OP_VAVRG2:
	case OP_VAVRG4: return (a + b + (a + b >= 0)) >> 1;
	case OP_VABSDIFF:
	case OP_VABSDIFF2:
	case OP_VABSDIFF4: return a < b ? b - a : a - b;
	case OP_VMIN:
	case OP_VMIN2:
	case OP_VMIN4: return a < b ? a : b;
	case OP_VMAX:
	case OP_VMAX2:
	case OP_VMAX4: return a > b ? a : b;
	case OP_VSHL: return a * ((__int128)1 << b);
	case OP_VSHR: return a >> b;
	default: return holds(in->cmp, a, b);
	}
}

static u32 scalar(const struct inst *in, u32 va, u32 vb, u32 c)
{
	static const u8 bits[] = {32, 8, 8, 8, 8, 16, 16}, at[] = {0, 0, 8, 16, 24, 0, 16};
	const bool sign = in->type == T_S32;
	const s64 a = part(va, video_field(in, VIDEO_SEL_A, 4), in->stype == T_S32);
	s64 b = part(vb, video_field(in, VIDEO_SEL_B, 4), (u64)in->imm & VIDEO_B_SIGNED);
	const u32 dest = video_field(in, VIDEO_DEST, 4), w = bits[dest];
	if (in->op == OP_VSHL || in->op == OP_VSHR)
		b = in->flags & IF_WRAP ? b & 31 : b > 32 ? 32 : b;
	const __int128 exact = primary(in, a, b);
	/* without saturation 33 bits of it remain, with their sign */
	const s64 v = in->flags & IF_SAT ? clamped(exact, w, sign) : (s64)((u64)exact << 31) >> 31;
	const s64 third = extended(c, 32, sign);
	switch (in->mode) {
	case 1: return (u32)(v + third);
	case 2: return (u32)(v < third ? v : third);
	case 3: return (u32)(v > third ? v : third);
	default: break;
	}
	if (dest == PART_ALL)
		return (u32)v;
	const u32 mask = ((1u << w) - 1) << at[dest];
	return ((u32)v << at[dest] & mask) | (c & ~mask);
}

static u32 multiply(const struct inst *in, u32 va, u32 vb, u32 vc)
{
	const u64 how = (u64)in->imm;
	const bool sa = in->stype == T_S32, sb = how & VIDEO_B_SIGNED;
	const bool minus = !(how & VIDEO_NEG_A) != !(how & VIDEO_NEG_B), minus_c = how & VIDEO_NEG_C;
	const bool sign = sa || sb || minus || minus_c;
	const __int128 product =
	    (__int128)part(va, video_field(in, VIDEO_SEL_A, 4), sa) * part(vb, video_field(in, VIDEO_SEL_B, 4), sb);
	const __int128 c = extended(vc, 32, sign);
	const __int128 sum = (minus ? -product : product) + (minus_c ? -c : c) + (how & VIDEO_PO ? 1 : 0);
	const __int128 v = sum >> video_field(in, VIDEO_SHIFT, 4);
	return in->flags & IF_SAT ? (u32)clamped(v, 32, sign) : (u32)v;
}

static u32 packed(const struct inst *in, u32 va, u32 vb, u32 c, u32 n)
{
	const u32 w = 32 / n, sela = video_field(in, VIDEO_SEL_A, 16), selb = video_field(in, VIDEO_SEL_B, 16);
	const u64 both = (u64)vb << 32 | va;
	u32 merged = c, sum = c;
	for (u32 k = 0; k < n; k++) {
		if (!(video_field(in, VIDEO_DEST, 4) >> k & 1))
			continue;
		const s64 a = extended((u32)(both >> (sela >> 4 * k & 15) * w), w, in->stype == T_S32);
		const s64 b = extended((u32)(both >> (selb >> 4 * k & 15) * w), w, (u64)in->imm & VIDEO_B_SIGNED);
		s64 v = (s64)primary(in, a, b);
		if (in->flags & IF_SAT)
			v = clamped(v, w, in->type == T_S32);
		const u32 mask = ((1u << w) - 1) << w * k;
		merged = ((u32)v << w * k & mask) | (merged & ~mask);
		sum += (u32)v;
	}
	return in->mode ? sum : merged;
}

#define LANE_BY_LANE(NAME, EXPR)                                                                                       \
	static void NAME(void *ctx, const struct inst *in)                                                                 \
	{                                                                                                                  \
		struct exec *x = ctx;                                                                                          \
		u32 *d = exec_at(x, in->d[0]);                                                                                 \
		const u32 *pa = exec_at(x, in->s[0]), *pb = exec_at(x, in->s[1]);                                              \
		const u32 *pc = in->s[2] == OPND_NONE ? pa : exec_at(x, in->s[2]);                                             \
		for (u32 i = 0; i < LANES; i++) {                                                                              \
			const u32 a = pa[i], b = pb[i], c = pc[i];                                                                 \
			if (x->mask >> i & 1)                                                                                      \
				d[i] = EXPR;                                                                                           \
		}                                                                                                              \
	}
LANE_BY_LANE(vop_scalar, scalar(in, a, b, c))
LANE_BY_LANE(vop_mad, multiply(in, a, b, c))
LANE_BY_LANE(vop_2, packed(in, a, b, c, 2))
LANE_BY_LANE(vop_4, packed(in, a, b, c, 4))

exec_fn LEVEL_NAME(exec_vop)(const struct inst *in)
{
	const u32 n = video_elements(in->op);
	if (!n || !has_opnds(in, 1, 2) || (in->s[2] == OPND_NONE && (n > 1 || in->mode || in->op == OP_VMAD)))
		return NULL;
	if (in->mode > (n > 1 ? 1 : 3))
		return NULL;
	return in->op == OP_VMAD ? vop_mad : n == 1 ? vop_scalar : n == 2 ? vop_2 : vop_4;
}
