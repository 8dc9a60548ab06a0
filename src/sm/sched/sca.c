/* sca: sequential-CTA-aware (Lee 2014, section 4.2). Neighbouring CTAs share lines of L1D at their common border, most
 * of all between warps of the same number. So warp w of each CTA of a block of bcs.block consecutive ids form a group:
 * round robin in the group, and the group keeps its turn until one of its warps stalls on a long-latency operation
 * (memory, a fence, a barrier); then the oldest group that is ready has it - the next one of the same block, as long as
 * there is one. A group is as old as its oldest warp, and ready when one of its warps is and none of them is stalled.
 *
 * Grids of one dimension have no blocks of CTAs (section 4.2): each of their warps is a group that has its turn while
 * it can issue, which is gto, as section 4.3 wants it for them.
 *
 * A slot that the group cannot use, since its warps wait for the pipeline or their fetch, goes to the next group in
 * that order and leaves the turn where it is; with no group ready, to the oldest group with a ready warp. Both as gto
 * has it.
 *
 * Warps belong to schedulers by slot: with an odd number of warps in a CTA, neighbours are of different schedulers and
 * groups shrink to the warps of one. Blocks are formed from ids; that the CTAs of a block share an SM is the CTA
 * scheduler's task (bcs). */
#include "sm/sched/sched.h"

struct sca {
	u64 turn;              /* the group that has its turn: its warps; 0 = none */
	u32 next;              /* where the round robin within it goes on */
	u8 lead[WARP_SLOTS];   /* per warp: the oldest of its group */
	u64 group[WARP_SLOTS]; /* of each leading warp: its group */
};

static bool in_line(const struct sched_view *v, u32 warp) /* of a grid of one dimension */
{
	const struct dim3 *grid = &v->prog[v->sm->warp[warp].launch].launch->grid;
	return grid->y == 1 && grid->z == 1;
}

static bool same_group(const struct sched_view *v, u32 a, u32 b)
{
	const struct warp *x = &v->sm->warp[a], *y = &v->sm->warp[b];
	u32 block = v->conf->bcs_block;
	return a == b || (!in_line(v, a) && x->warp_in_cta == y->warp_in_cta && x->launch == y->launch &&
	                  v->sm->cta[x->cta_slot].id / block == v->sm->cta[y->cta_slot].id / block);
}

/* Finds the groups among the resident warps anew. */
static void regroup(struct sca *st, const struct sched_view *v, u64 warps)
{
	while (warps) {
		u32 lead = sched_oldest(v, warps);
		u64 g = 0;
		FOR_EACH_BIT(w, warps)
		if (same_group(v, lead, (u32)w)) {
			g |= BIT(w);
			st->lead[w] = (u8)lead;
		}
		st->group[lead] = g;
		warps &= ~g;
	}
}

static u64 stalled_warps(const struct sched_view *v)
{
	const u64 *in = v->sm->in;
	return in[WS_MEM] | in[WS_FENCE] | in[WS_BARRIER] | in[WS_SLEEP] | in[WS_PAUSED];
}

/* The oldest group with a warp in ready and, if there is one, without a stalled warp. */
static u64 oldest_group(const struct sca *st, const struct sched_view *v, u64 ready, u64 stalled)
{
	u64 any = 0, good = 0;
	for (u64 m = ready; m;) {
		u32 lead = st->lead[bit_first(m)];
		any |= BIT(lead);
		if (!(st->group[lead] & stalled))
			good |= BIT(lead);
		m &= ~st->group[lead];
	}
	return st->group[sched_oldest(v, good ? good : any)];
}

static void tell(const struct sched_view *v, u64 from, u64 to, u64 stalled)
{
	struct event *e = sched_event(v, EV_SCA_GROUP, NO_WARP);
	if (!e)
		return;
	e->arg[0] = v->index;
	e->arg[1] = from;
	e->arg[2] = to;
	e->arg[3] = from & stalled;
}

/* The group that gets this slot; *over: and the turn with it. */
static u64 group_now(const struct sca *st, const struct sched_view *v, u64 ready, u64 stalled, bool *over)
{
	const u64 g = st->turn;
	*over = !g || (g & stalled) || !(g & ~v->sm->in[WS_DONE]) || (!(g & ready) && in_line(v, bit_first(g)));
	return *over || !(g & ready) ? oldest_group(st, v, ready, stalled) : g;
}

static u32 pick(void *state, const struct sched_view *v, u64 ready)
{
	struct sca *st = state;
	bool over;
	const u64 stalled = stalled_warps(v), g = group_now(st, v, ready, stalled, &over);
	if (over && g != st->turn) {
		tell(v, st->turn, g, stalled);
		st->turn = g;
	}
	u32 w = bit_next_rr(g & ready, st->next);
	st->next = (w + 1) % WARP_SLOTS;
	return w;
}

static void warps_started(void *state, const struct sched_view *v, u64 warps)
{
	struct sca *st = state;
	regroup(st, v, v->sm->used & v->mask);
	if (st->turn) /* a neighbour that comes a cycle later takes part at once */
		st->turn = st->group[st->lead[bit_first(st->turn)]];
}

static void warps_gone(void *state, const struct sched_view *v, u64 warps)
{
	struct sca *st = state;
	st->turn &= ~warps;
	regroup(st, v, v->sm->used & v->mask & ~warps);
}

static s64 rank(const void *state, const struct sched_view *v, u32 warp)
{
	const struct sca *st = state;
	if (st->turn >> warp & 1)
		return bit_count(st->turn & bit_range(warp));
	s64 n = bit_count(st->turn);
	FOR_EACH_BIT(w, v->mask & v->sm->used & ~st->turn)
	{
		u32 a = st->lead[w], b = st->lead[warp];
		n += a == b ? w < warp : sched_older(v, a, b);
	}
	return n;
}

static void describe(const void *state, const struct sched_view *v, u32 warp, struct strbuf *out)
{
	const struct sca *st = state;
	u64 g = warp == NO_WARP ? st->turn : st->group[st->lead[warp]];
	if (!g || (warp != NO_WARP && !(v->sm->used >> warp & 1)))
		return;
	strbuf_adds(out, warp == NO_WARP ? "turn of warps" : g == st->turn ? "has its turn: warps" : "with warps");
	FOR_EACH_BIT(w, g)
	strbuf_addf(out, " %u", (u32)w);
}

static s64 explain(const void *state, const struct sched_view *v, u64 ready, u32 warp, struct strbuf *out)
{
	const struct sca *st = state;
	bool over;
	const u64 stalled = stalled_warps(v), now = group_now(st, v, ready, stalled, &over), g = st->group[st->lead[warp]];
	const u32 slots = (warp + WARP_SLOTS - st->next) % WARP_SLOTS;
	if (g == now) {
		strbuf_adds(out, over && g != st->turn ? "its group gets the turn; "
		                 : g == st->turn       ? "its group has the turn; "
		                                       : "its group gets the slot that the turn's cannot use; ");
		sched_explain_turn(st->next, warp, out);
		return slots;
	}
	strbuf_addf(out, "group of warp %u, %s", st->lead[warp],
	            g & stalled ? "one of which stalls for long" : "younger than the one that has the slot");
	const s64 place = 1 + sched_age_rank(v, st->lead[warp]) + (g & stalled ? WARP_SLOTS : 0);
	return place * WARP_SLOTS + slots;
}

extern const struct warp_sched_ops sched_sca;
const struct warp_sched_ops sched_sca = {
    .name = "sca",
    .help = "sequential-CTA-aware: warps of the same number in neighbouring CTAs, in turn, until one stalls",
    .source = "Lee 2014, section 4.2",
    .state_bytes = sizeof(struct sca),
    .pick = pick,
    .warps_started = warps_started,
    .warps_gone = warps_gone,
    .describe = describe,
    .rank = rank,
    .explain = explain,
};
