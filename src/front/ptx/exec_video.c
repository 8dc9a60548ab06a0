/* Dot products and video instructions on packed bytes.
 *
 * Type of dp4a, dp2a: in->type for a (and the result), in->stype for b; mode 1 = dp2a.hi. The packed video instructions
 * take in->mode 1 as ".add": the four byte results are added to c. Selectors, masks and .sat are not supported
 * (exec_video says no). */
#include "front/ptx/simd.h"

static inline s64 byte_of(u32 v, u32 k, bool sign)
{
	return sign ? (s64)(s8)(v >> 8 * k) : (s64)(v >> 8 * k & 255);
}
static inline s64 half_of(u32 v, u32 k, bool sign)
{
	return sign ? (s64)(s16)(v >> 16 * k) : (s64)(v >> 16 * k & 0xffff);
}
static inline u32 dot4(u32 a, u32 b, u32 c, bool sa, bool sb)
{
	s64 sum = 0;
	for (u32 k = 0; k < 4; k++)
		sum += byte_of(a, k, sa) * byte_of(b, k, sb);
	return c + (u32)sum;
}
static inline u32 dot2(u32 a, u32 b, u32 c, bool sa, bool sb, u32 at)
{
	return c + (u32)(half_of(a, 0, sa) * byte_of(b, at, sb) + half_of(a, 1, sa) * byte_of(b, at + 1, sb));
}
EXEC3(dp4a, u32, u32, u32, u32, dot4(a, b, c, in->type == T_S32, in->stype == T_S32))
EXEC3(dp2a, u32, u32, u32, u32, dot2(a, b, c, in->type == T_S32, in->stype == T_S32, in->mode ? 2 : 0))

/* Applies `what` to the four bytes; results wrap to a byte, or with .add are summed with c in full width. */
enum quad { QUAD_ABSDIFF, QUAD_ADD, QUAD_SUB, QUAD_MIN, QUAD_MAX };
static inline s64 quad_one(enum quad what, s64 a, s64 b)
{
	switch (what) {
	case QUAD_ABSDIFF: return a < b ? b - a : a - b;
	case QUAD_ADD: return a + b;
	case QUAD_SUB: return a - b;
	case QUAD_MIN: return a < b ? a : b;
	default: return a > b ? a : b;
	}
}
static inline u32 quad(enum quad what, u32 a, u32 b, u32 c, bool sign, bool add)
{
	u32 packed = 0, sum = c;
	for (u32 k = 0; k < 4; k++) {
		s64 v = quad_one(what, byte_of(a, k, sign), byte_of(b, k, sign));
		packed |= ((u32)v & 255) << 8 * k;
		sum += (u32)v;
	}
	return add ? sum : packed;
}
#define DEF(NAME, WHAT) EXEC3(NAME, u32, u32, u32, u32, quad(WHAT, a, b, c, in->stype == T_S32, in->mode == 1))
DEF(vabsdiff4, QUAD_ABSDIFF)
DEF(vadd4, QUAD_ADD)
DEF(vsub4, QUAD_SUB)
DEF(vmin4, QUAD_MIN)
DEF(vmax4, QUAD_MAX)
#undef DEF
static inline s64 wide_of(u32 v, bool sign)
{
	return sign ? (s64)(s32)v : (s64)v;
}
EXEC2(vadd, u32, u32, u32, a + b)
EXEC2(vabsdiff, u32, u32, u32, quad_one(QUAD_ABSDIFF, wide_of(a, in->stype == T_S32), wide_of(b, in->stype == T_S32)))

exec_fn LEVEL_NAME(exec_video)(const struct inst *in)
{
	if (!has_opnds(in, 1, 2) || in->flags & IF_SAT || in->mode > 1 || (in->type != T_U32 && in->type != T_S32))
		return NULL;
	const bool three = in->s[2] != OPND_NONE;
	switch (in->op) {
	case OP_DP4A: return three ? dp4a : NULL;
	case OP_DP2A: return three ? dp2a : NULL;
	case OP_VABSDIFF4: return three ? vabsdiff4 : NULL;
	case OP_VADD4: return three ? vadd4 : NULL;
	case OP_VSUB4: return three ? vsub4 : NULL;
	case OP_VMIN4: return three ? vmin4 : NULL;
	case OP_VMAX4: return three ? vmax4 : NULL;
	case OP_VADD: return three ? NULL : vadd;
	case OP_VABSDIFF: return three ? NULL : vabsdiff;
	default: return NULL;
	}
}
