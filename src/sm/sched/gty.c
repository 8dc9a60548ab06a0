/* gty: greedy, then youngest. Stays with one warp until it cannot issue, then takes the ready warp that was dispatched
 * last. */
#include "sm/sched/sched.h"

struct gty {
	u32 greedy; /* warp slot + 1; 0 = none */
};

static u32 youngest(const struct sched_view *v, u64 m)
{
	u32 best = bit_first(m);
	FOR_EACH_BIT(w, m & (m - 1))
	if (sched_older(v, best, (u32)w))
		best = (u32)w;
	return best;
}

static u32 pick(void *state, const struct sched_view *v, u64 ready)
{
	struct gty *st = state;
	if (!st->greedy || !(ready >> (st->greedy - 1) & 1))
		st->greedy = youngest(v, ready) + 1;
	return st->greedy - 1;
}

static void warps_gone(void *state, const struct sched_view *v, u64 warps)
{
	struct gty *st = state;
	if (st->greedy && (warps >> (st->greedy - 1) & 1))
		st->greedy = 0;
}

static void describe(const void *state, const struct sched_view *v, u32 warp, struct strbuf *out)
{
	const struct gty *st = state;
	if (warp == NO_WARP && st->greedy)
		strbuf_addf(out, "greedy %u", st->greedy - 1);
	else if (warp != NO_WARP && st->greedy == warp + 1)
		strbuf_adds(out, "greedy");
}

/* How many of the scheduler's warps are younger; the greedy warp comes before them all. */
static s64 rank(const void *state, const struct sched_view *v, u32 warp)
{
	const struct gty *st = state;
	if (st->greedy == warp + 1)
		return 0;
	const bool greedy_is_older =
	    st->greedy && (v->sm->used >> (st->greedy - 1) & 1) && sched_older(v, st->greedy - 1, warp);
	s64 n = greedy_is_older;
	FOR_EACH_BIT(w, v->mask & v->sm->used)
	n += sched_older(v, warp, (u32)w);
	return n;
}

extern const struct warp_sched_ops sched_gty;
const struct warp_sched_ops sched_gty = {
    .name = "gty",
    .help = "greedy then youngest: the same warp while it can issue, then the ready warp dispatched last",
    .source = "Huerta 2025, section 5.1.2 (measured on Ampere)",
    .state_bytes = sizeof(struct gty),
    .pick = pick,
    .warps_gone = warps_gone,
    .describe = describe,
    .rank = rank,
};
