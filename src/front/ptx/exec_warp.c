/* Instructions across the lanes of a warp: shuffle, vote, match, reduction. Inactive lanes take no part; the member
 * masks of the .sync forms only limit who takes part, since the SIMT stack keeps active lanes together. */
#include "front/ptx/simd.h"

static u32 first_value(const struct exec *x, opnd at)
{
	return ((const u32 *)exec_at(x, at))[first_lane(x->mask)];
}
static u32 members(const struct exec *x, const struct inst *in, u32 at)
{
	return in->flags & IF_SYNC ? x->mask & first_value(x, in->s[at]) : x->mask;
}

/* Source lane j of lane i (PTX ISA, shfl): c packs the clamp (bits 0-4) and the segment mask (bits 8-12). A lane out of
 * range keeps its own value with p = false; reading an inactive lane is undefined in PTX: here the register's stale
 * value, p as computed. */
#define SHFL(NAME, SOURCE, IN_RANGE)                                                                                   \
	static void shfl_##NAME(void *ctx, const struct inst *in)                                                          \
	{                                                                                                                  \
		EXEC_BEGIN(u32)                                                                                                \
		const u32 *a = exec_at(x, in->s[0]), *b = exec_at(x, in->s[1]), *c = exec_at(x, in->s[2]);                     \
		u32 from[LANES], ok[LANES], v[LANES], bits = 0;                                                                \
		FOR_LANES                                                                                                      \
		{                                                                                                              \
			const u32 by = b[i] & 31, clamp = c[i] & 31, seg = c[i] >> 8 & 31;                                         \
			const s32 min = (s32)(i & seg), max = min | (s32)(clamp & ~seg), j = SOURCE;                               \
			(void)min;                                                                                                 \
			ok[i] = IN_RANGE;                                                                                          \
			from[i] = ok[i] ? (u32)j & 31 : i;                                                                         \
		}                                                                                                              \
		for (u32 i = 0; i < LANES; i++)                                                                                \
			bits |= ok[i] << i;                                                                                        \
		for (u32 i = 0; i < LANES; i++)                                                                                \
			v[i] = a[from[i]];                                                                                         \
		write_pred(x, in->d[1], bits);                                                                                 \
		if (in->d[0] == OPND_NONE)                                                                                     \
			return;                                                                                                    \
		LANE_LOOPS(u32, true, , v[i])                                                                                  \
	}
SHFL(up, (s32)i - (s32)by, j >= max)
SHFL(down, (s32)(i + by), j <= max)
SHFL(bfly, (s32)(i ^ by), j <= max)
SHFL(idx, min | (s32)(by & ~seg), j <= max)
#undef SHFL

static void vote(void *ctx, const struct inst *in)
{
	EXEC_BEGIN(u32)
	const u32 who = members(x, in, 1), p = (read_pred(x, in->s[0]) ^ (fl & IF_NEG_PRED ? ~0u : 0)) & who;
	switch (in->mode) {
	case VOTE_ALL: write_pred(x, in->d[0], p == who ? ~0u : 0); return;
	case VOTE_ANY: write_pred(x, in->d[0], p ? ~0u : 0); return;
	case VOTE_UNI: write_pred(x, in->d[0], p == who || !p ? ~0u : 0); return;
	default: break;
	}
	LANE_LOOPS(u32, true, , p)
}

static void match(void *ctx, const struct inst *in)
{
	EXEC_BEGIN(u32)
	const u32 who = members(x, in, 1);
	const bool wide = ptype_bytes(in->type) == 8;
	const void *p = exec_at(x, in->s[0]);
	u32 same[LANES] = {0}, all = 0;
	for (u32 i = 0; i < LANES; i++)
		for (u32 k = 0; k < LANES; k++) {
			const bool eq =
			    wide ? ((const u64 *)p)[i] == ((const u64 *)p)[k] : ((const u32 *)p)[i] == ((const u32 *)p)[k];
			same[i] |= (u32)(eq && (who >> k & 1)) << k;
		}
	if (in->mode == MATCH_ALL) {
		all = who && same[first_lane(who)] == who ? ~0u : 0;
		write_pred(x, in->d[1], all);
	}
	LANE_LOOPS(u32, false, , in->mode == MATCH_ALL ? who & all : same[i])
}

/* redux.sync: in->atom names the operation. */
static u32 reduce2(u8 op, u8 type, u32 a, u32 b)
{
	const bool s = type == T_S32;
	switch (op) {
	case ATOM_ADD: return a + b;
	case ATOM_MIN: return s ? (u32)MIN((s32)a, (s32)b) : MIN(a, b);
	case ATOM_MAX: return s ? (u32)MAX((s32)a, (s32)b) : MAX(a, b);
	case ATOM_AND: return a & b;
	case ATOM_OR: return a | b;
	default: return a ^ b;
	}
}
static void redux(void *ctx, const struct inst *in)
{
	EXEC_BEGIN(u32)
	const u32 who = members(x, in, 1);
	const u32 *a = exec_at(x, in->s[0]);
	u32 r = 0;
	for (u32 left = who; left; left &= left - 1)
		r = left == who ? a[first_lane(left)] : reduce2(in->atom, in->type, r, a[first_lane(left)]);
	LANE_LOOPS(u32, true, , r)
}

static void activemask(void *ctx, const struct inst *in)
{
	EXEC_BEGIN(u32)
	LANE_LOOPS(u32, true, , m)
}
/* elect.sync d|p, membermask: the lowest member is the leader. */
static void elect(void *ctx, const struct inst *in)
{
	EXEC_BEGIN(u32)
	const u32 who = m & first_value(x, in->s[0]), leader = who ? first_lane(who) : 0;
	write_pred(x, in->d[1], who ? 1u << leader : 0);
	if (in->d[0] == OPND_NONE)
		return;
	LANE_LOOPS(u32, true, , leader)
}

exec_fn LEVEL_NAME(exec_warp)(const struct inst *in)
{
	static const exec_fn shfl[] = {
	    [SHFL_UP] = shfl_up, [SHFL_DOWN] = shfl_down, [SHFL_BFLY] = shfl_bfly, [SHFL_IDX] = shfl_idx};
	const bool sync = in->flags & IF_SYNC;
	const bool word = ptype_bytes(in->type) == 4;
	switch (in->op) {
	case OP_SHFL: return word && in->mode <= SHFL_IDX && has_opnds(in, 0, sync ? 4 : 3) ? shfl[in->mode] : NULL;
	case OP_VOTE: return has_opnds(in, 1, sync ? 2 : 1) ? vote : NULL;
	case OP_MATCH: return has_opnds(in, 1, sync ? 2 : 1) && ptype_bytes(in->type) >= 4 ? match : NULL;
	case OP_REDUX:
		return has_opnds(in, 1, sync ? 2 : 1) && word && in->type != T_F32 && in->atom >= ATOM_ADD &&
		               in->atom <= ATOM_XOR && in->atom != ATOM_INC && in->atom != ATOM_DEC
		           ? redux
		           : NULL;
	case OP_ACTIVEMASK: return has_opnds(in, 1, 0) ? activemask : NULL;
	case OP_ELECT: return has_opnds(in, 0, 1) ? elect : NULL;
	default: return NULL;
	}
}
