/* gto: greedy, then oldest. Stays with one warp until it cannot issue, then takes the ready warp that was dispatched
 * first. */
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
};
