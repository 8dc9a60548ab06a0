/* lrr: loose round robin. The turn goes on from the warp that issued last; warps that are not ready are passed over. */
#include "sm/sched/sched.h"

struct lrr {
	u32 next;
};

static u32 pick(void *state, const struct sched_view *v, u64 ready)
{
	struct lrr *st = state;
	u32 w = bit_next_rr(ready, st->next);
	st->next = (w + 1) % WARP_SLOTS;
	return w;
}

static void describe(const void *state, const struct sched_view *v, u32 warp, struct strbuf *out)
{
	const struct lrr *st = state;
	if (warp == NO_WARP)
		strbuf_addf(out, "turn from %u", st->next);
}

static s64 rank(const void *state, const struct sched_view *v, u32 warp)
{
	const struct lrr *st = state;
	u64 before = (warp >= st->next) ? bit_range(warp) & ~bit_range(st->next) : bit_range(warp) | ~bit_range(st->next);
	return bit_count(before & v->mask & v->sm->used);
}

static s64 explain(const void *state, const struct sched_view *v, u64 ready, u32 warp, struct strbuf *out)
{
	const struct lrr *st = state;
	return sched_explain_turn(st->next, warp, out);
}

extern const struct warp_sched_ops sched_lrr;
const struct warp_sched_ops sched_lrr = {
    .name = "lrr",
    .help = "loose round robin: the next ready warp after the one that issued last",
    .source = "the usual baseline; e.g. Rogers 2012, section 2",
    .fair = true,
    .state_bytes = sizeof(struct lrr),
    .pick = pick,
    .describe = describe,
    .rank = rank,
    .explain = explain,
};
