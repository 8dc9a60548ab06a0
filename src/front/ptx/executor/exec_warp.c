/* Instructions across the lanes of a warp: shuffle, vote, match, reduction. Inactive lanes take no part. The lanes of
 * one .sync instruction may name different groups: each lane's result is that of the lanes of its own mask. Lanes that
 * are named and elsewhere are waited for (meet.c). Undefined in PTX, here: a lane that is not in its own mask gets the
 * result of the group that it names, without being in it. */
#include "front/ptx/executor/meet.h"
#include "front/ptx/executor/simd.h"

/* The lanes of lane i's group that take part: who[i], or `all` for every executing lane. */
struct groups {
	bool one;
	u32 all, who[LANES];
};
static inline void find_groups(const struct exec *x, const struct inst *in, u32 at, struct groups *g)
{
	g->one = true;
	g->all = x->mask;
	if (!(in->flags & IF_SYNC))
		return;
	const u32 *mask = exec_at(x, in->s[at]), first = mask[first_lane(x->mask)];
	u32 differ = 0;
	for (u32 i = 0; i < LANES; i++) {
		g->who[i] = mask[i] & x->mask;
		differ |= (x->mask >> i & 1) ? mask[i] ^ first : 0;
	}
	g->one = !differ;
	g->all &= first;
}

/* Source lane j of lane i (PTX ISA, shfl): c packs the clamp (bits 0-4) and the segment mask (bits 8-12). A lane out of
 * range keeps its own value with p = false; reading an inactive lane is undefined in PTX: here 0, p as computed. (Sums
 * over fewer lanes than a warp are written like that, the CUDA samples' reduction of the warps' sums for one; the
 * register's old value would also be that of whoever had it before, a thread of another CTA.) */
#define SHFL(NAME, SOURCE, IN_RANGE)                                                                                   \
	static void shfl_##NAME(void *ctx, const struct inst *in)                                                          \
	{                                                                                                                  \
		EXEC_BEGIN(u32)                                                                                                \
		const u32 *a = exec_at(x, in->s[0]), *b = exec_at(x, in->s[1]), *c = exec_at(x, in->s[2]);                     \
		u32 from[LANES], ok[LANES], v[LANES], bits = 0;                                                                \
		if (meet_first(x, in))                                                                                         \
			return;                                                                                                    \
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
			v[i] = x->mask >> from[i] & 1 ? a[from[i]] : 0;                                                            \
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

static bool vote_of(u8 mode, u32 p, u32 who)
{
	return mode == VOTE_ALL ? p == who : mode == VOTE_ANY ? p != 0 : p == who || !p;
}
static void vote(void *ctx, const struct inst *in)
{
	EXEC_BEGIN(u32)
	struct groups g;
	if (meet_first(x, in))
		return;
	find_groups(x, in, 1, &g);
	const u32 p = read_pred(x, in->s[0]) ^ (fl & IF_NEG_PRED ? ~0u : 0);
	if (in->mode != VOTE_BALLOT) {
		u32 bits = g.one && vote_of(in->mode, p & g.all, g.all) ? ~0u : 0;
		for (u32 i = 0; i < LANES && !g.one; i++)
			bits |= (u32)vote_of(in->mode, p & g.who[i], g.who[i]) << i;
		write_pred(x, in->d[0], bits);
	} else if (g.one) {
		LANE_LOOPS(u32, true, , p & g.all)
	} else {
		LANE_LOOPS(u32, true, , p & g.who[i])
	}
}

static void match(void *ctx, const struct inst *in)
{
	EXEC_BEGIN(u32)
	struct groups g;
	if (meet_first(x, in))
		return;
	find_groups(x, in, 1, &g);
	const bool wide = ptype_bytes(in->type) == 8;
	const void *p = exec_at(x, in->s[0]);
	u32 same[LANES] = {0}, all = 0;
	for (u32 i = 0; i < LANES; i++)
		for (u32 k = 0; k < LANES; k++) {
			const bool eq =
			    wide ? ((const u64 *)p)[i] == ((const u64 *)p)[k] : ((const u32 *)p)[i] == ((const u32 *)p)[k];
			same[i] |= (u32)eq << k;
		}
	for (u32 i = 0; i < LANES; i++) {
		const u32 who = g.one ? g.all : g.who[i];
		all |= (u32)(who && !(who & ~same[first_lane(who)])) << i;
		same[i] = in->mode == MATCH_ALL ? ((all >> i & 1) ? who : 0) : same[i] & who;
	}
	if (in->mode == MATCH_ALL)
		write_pred(x, in->d[1], all);
	LANE_LOOPS(u32, false, , same[i])
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
static u32 reduce(const struct inst *in, const u32 *a, u32 who)
{
	u32 r = 0;
	for (u32 left = who; left; left &= left - 1)
		r = left == who ? a[first_lane(left)] : reduce2(in->atom, in->type, r, a[first_lane(left)]);
	return r;
}
static void redux(void *ctx, const struct inst *in)
{
	EXEC_BEGIN(u32)
	struct groups g;
	if (meet_first(x, in))
		return;
	find_groups(x, in, 1, &g);
	const u32 *a = exec_at(x, in->s[0]);
	u32 r[LANES], last = reduce(in, a, g.one ? g.all : g.who[0]);
	for (u32 i = 0; i < LANES; i++) {
		if (!g.one && i && g.who[i] != g.who[i - 1])
			last = reduce(in, a, g.who[i]);
		r[i] = last;
	}
	LANE_LOOPS(u32, true, , r[i])
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
	struct groups g;
	u32 leader[LANES], chosen = 0;
	if (meet_first(x, in))
		return;
	find_groups(x, in, 0, &g);
	for (u32 i = 0; i < LANES; i++) {
		const u32 who = g.one ? g.all : g.who[i];
		leader[i] = who ? first_lane(who) : 0;
		chosen |= (u32)(who && leader[i] == i) << i;
	}
	write_pred(x, in->d[1], chosen);
	if (in->d[0] == OPND_NONE)
		return;
	LANE_LOOPS(u32, true, , leader[i])
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
