/* Dot products and video instructions on packed bytes and halves.
 *
 * Type of dp4a, dp2a: in->type for a (and the result), in->stype for b; mode 1 = dp2a.hi. The packed video instructions
 * take in->mode 1 as ".add": the results are added to c. Here are those without selectors, masks and .sat, and with one
 * type for both sources; exec_vop.c has all others. */
#include "front/ptx/executor/simd.h"
#include "front/ptx/executor/video.h"

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

/* Applies `what` to the four bytes or two halves; results wrap to their width, or with .add are summed with c in full.
 */
enum packed { PACKED_ABSDIFF, PACKED_ADD, PACKED_SUB, PACKED_MIN, PACKED_MAX };
static inline s64 one(enum packed what, s64 a, s64 b)
{
	switch (what) {
	case PACKED_ABSDIFF: return a < b ? b - a : a - b;
	case PACKED_ADD: return a + b;
	case PACKED_SUB: return a - b;
	case PACKED_MIN: return a < b ? a : b;
	default: return a > b ? a : b;
	}
}
static inline u32 quad(enum packed what, u32 a, u32 b, u32 c, bool sign, bool add)
{
	u32 packed = 0, sum = c;
	for (u32 k = 0; k < 4; k++) {
		s64 v = one(what, byte_of(a, k, sign), byte_of(b, k, sign));
		packed |= ((u32)v & 255) << 8 * k;
		sum += (u32)v;
	}
	return add ? sum : packed;
}
static inline u32 pair(enum packed what, u32 a, u32 b, u32 c, bool sign, bool add)
{
	u32 packed = 0, sum = c;
	for (u32 k = 0; k < 2; k++) {
		s64 v = one(what, half_of(a, k, sign), half_of(b, k, sign));
		packed |= ((u32)v & 0xffff) << 16 * k;
		sum += (u32)v;
	}
	return add ? sum : packed;
}
#define DEF(NAME, WHAT)                                                                                                \
	EXEC3(NAME##4, u32, u32, u32, u32, quad(WHAT, a, b, c, in->stype == T_S32, in->mode == 1))                         \
	EXEC3(NAME##2, u32, u32, u32, u32, pair(WHAT, a, b, c, in->stype == T_S32, in->mode == 1))
DEF(vabsdiff, PACKED_ABSDIFF)
DEF(vadd, PACKED_ADD)
DEF(vsub, PACKED_SUB)
DEF(vmin, PACKED_MIN)
DEF(vmax, PACKED_MAX)
#undef DEF
static inline s64 wide_of(u32 v, bool sign)
{
	return sign ? (s64)(s32)v : (s64)v;
}
EXEC2(vadd, u32, u32, u32, a + b)
EXEC2(vabsdiff, u32, u32, u32, one(PACKED_ABSDIFF, wide_of(a, in->stype == T_S32), wide_of(b, in->stype == T_S32)))

/* Sources in their own order, of one type, and all elements of the destination? */
static bool plain(const struct inst *in)
{
	return !video_elements(in->op) || (u64)in->imm == video_plain(in->op, in->stype);
}

exec_fn LEVEL_NAME(exec_video)(const struct inst *in)
{
	if (!plain(in))
		return NULL;
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
	case OP_VABSDIFF2: return three ? vabsdiff2 : NULL;
	case OP_VADD2: return three ? vadd2 : NULL;
	case OP_VSUB2: return three ? vsub2 : NULL;
	case OP_VMIN2: return three ? vmin2 : NULL;
	case OP_VMAX2: return three ? vmax2 : NULL;
	case OP_VADD: return three ? NULL : vadd;
	case OP_VABSDIFF: return three ? NULL : vabsdiff;
	default: return NULL;
	}
}
