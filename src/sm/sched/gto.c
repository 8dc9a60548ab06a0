/* gto: greedy, then oldest. Stays with one warp until it cannot issue, then takes the ready warp that was dispatched
 * first. gty: the same, but then the one that was dispatched last. */
#include "sm/sched/sched.h"

struct gto {
	u32 greedy; /* warp slot + 1; 0 = none */
};

static u32 pick(void *state, const struct sched_view *v, u64 ready)
{
	struct gto *st = state;
	if (st->greedy && (ready >> (st->greedy - 1) & 1))
		return st->greedy - 1;
	u32 w = sched_oldest(v, ready);
	st->greedy = w + 1;
	return w;
}

static void warps_gone(void *state, const struct sched_view *v, u64 warps)
{
	struct gto *st = state;
	if (st->greedy && (warps >> (st->greedy - 1) & 1))
		st->greedy = 0;
}

static void describe(const void *state, const struct sched_view *v, u32 warp, struct strbuf *out)
{
	const struct gto *st = state;
	if (warp == NO_WARP && st->greedy)
		strbuf_addf(out, "greedy %u", st->greedy - 1);
	else if (warp != NO_WARP && st->greedy == warp + 1)
		strbuf_adds(out, "greedy");
}

static s64 rank(const void *state, const struct sched_view *v, u32 warp)
{
	const struct gto *st = state;
	if (st->greedy == warp + 1)
		return 0;
	bool greedy_is_younger =
	    st->greedy && (v->sm->used >> (st->greedy - 1) & 1) && sched_older(v, warp, st->greedy - 1);
	return sched_age_rank(v, warp) + greedy_is_younger;
}

static s64 explain(const void *state, const struct sched_view *v, u64 ready, u32 warp, struct strbuf *out)
{
	const struct gto *st = state;
	return sched_explain_greedy(st->greedy, v, warp, out);
}

extern const struct warp_sched_ops sched_gto;
const struct warp_sched_ops sched_gto = {
    .name = "gto",
    .help = "greedy then oldest: the same warp while it can issue, then the ready warp dispatched first",
    .source = "Rogers 2012, section 4.1",
    .state_bytes = sizeof(struct gto),
    .pick = pick,
    .warps_gone = warps_gone,
    .describe = describe,
    .rank = rank,
    .explain = explain,
};

/* --- gty ---------------------------------------------------------------------------------------------------------- */

static u32 youngest(const struct sched_view *v, u64 m)
{
	u32 best = bit_first(m);
	FOR_EACH_BIT(w, m & (m - 1))
	if (sched_older(v, best, (u32)w))
		best = (u32)w;
	return best;
}

static u32 pick_youngest(void *state, const struct sched_view *v, u64 ready)
{
	struct gto *st = state;
	if (!st->greedy || !(ready >> (st->greedy - 1) & 1))
		st->greedy = youngest(v, ready) + 1;
	return st->greedy - 1;
}

/* How many of the scheduler's warps are younger; the greedy warp comes before them all. */
static s64 rank_youngest(const void *state, const struct sched_view *v, u32 warp)
{
	const struct gto *st = state;
	if (st->greedy == warp + 1)
		return 0;
	const bool greedy_is_older =
	    st->greedy && (v->sm->used >> (st->greedy - 1) & 1) && sched_older(v, st->greedy - 1, warp);
	s64 n = greedy_is_older;
	FOR_EACH_BIT(w, v->mask & v->sm->used)
	n += sched_older(v, warp, (u32)w);
	return n;
}

static s64 explain_youngest(const void *state, const struct sched_view *v, u64 ready, u32 warp, struct strbuf *out)
{
	const struct gto *st = state;
	const u32 n = bit_count(v->mask & v->sm->used);
	const s64 younger = n - 1 - sched_age_rank(v, warp);
	const bool greedy = st->greedy == warp + 1;
	if (greedy)
		strbuf_adds(out, "greedy: picked last, ");
	if (younger) {
		sched_ordinal((u64)younger + 1, out);
		strbuf_addc(out, ' ');
	}
	strbuf_addf(out, "youngest of %u", n);
	return greedy ? 0 : 1 + younger;
}

extern const struct warp_sched_ops sched_gty;
const struct warp_sched_ops sched_gty = {
    .name = "gty",
    .help = "greedy then youngest: the same warp while it can issue, then the ready warp dispatched last",
    .source = "Huerta 2025, section 5.1.2 (measured on Ampere)",
    .state_bytes = sizeof(struct gto),
    .pick = pick_youngest,
    .warps_gone = warps_gone,
    .describe = describe,
    .rank = rank_youngest,
    .explain = explain_youngest,
};
