/* paws: the single-level phase-aware scheduler (Awatramani 2015, section IV-B). The ready warp whose current
 * instruction is nearest to the end of its phase, the oldest of those that are equally near. The distance is the
 * compiler's: the sum of the latencies from the instruction to the phase's end (passes/phases.h).
 *
 * The priority is strict, as published: there is no ageing. Warps that spin on a flag in a loop of short phases go
 * before the warp that is to set it, for ever when there are enough of them that one is always ready (15 warps that
 * poll a volatile word on one scheduler are). Programs that busy-wait for another warp of the same SM need another
 * policy. */
#include "sm/sched/sched.h"

struct paws {
	u32 last; /* the warp picked last + 1, for display; 0 = none or gone */
};

static inline u32 distance(const struct sched_view *v, u32 warp)
{
	return sched_hint(v, warp)->phase_distance;
}

static bool before(const struct sched_view *v, u32 a, u32 b)
{
	u32 da = distance(v, a), db = distance(v, b);
	return da != db ? da < db : sched_older(v, a, b);
}

static u32 pick(void *state, const struct sched_view *v, u64 ready)
{
	struct paws *st = state;
	u32 best = bit_first(ready), nearest = distance(v, best);
	FOR_EACH_BIT(w, ready & (ready - 1))
	{
		u32 d = distance(v, (u32)w);
		if (d < nearest || (d == nearest && sched_older(v, (u32)w, best))) {
			nearest = d;
			best = (u32)w;
		}
	}
	st->last = best + 1;
	return best;
}

static void warps_gone(void *state, const struct sched_view *v, u64 warps)
{
	struct paws *st = state;
	if (st->last && (warps >> (st->last - 1) & 1))
		st->last = 0;
}

static void describe(const void *state, const struct sched_view *v, u32 warp, struct strbuf *out)
{
	const struct paws *st = state;
	if (warp == NO_WARP) {
		if (st->last)
			strbuf_addf(out, "last %u", st->last - 1);
	} else if (!v->sm->warp[warp].done) {
		strbuf_addf(out, "%u to go", distance(v, warp));
	}
}

/* Warps that would be chosen earlier if all were ready; exited ones come last. */
static s64 rank(const void *state, const struct sched_view *v, u32 warp)
{
	u64 live = v->mask & v->sm->used & ~v->sm->in[WS_DONE];
	if (!(live >> warp & 1))
		return bit_count(live);
	s64 n = 0;
	FOR_EACH_BIT(w, live)
	n += before(v, (u32)w, warp);
	return n;
}

static s64 explain(const void *state, const struct sched_view *v, u64 ready, u32 warp, struct strbuf *out)
{
	strbuf_addf(out, "%u cycles to the end of phase %u; ", distance(v, warp), sched_hint(v, warp)->phase);
	const s64 older = sched_explain_age(v, warp, out);
	return (s64)distance(v, warp) * WARP_SLOTS + older;
}

extern const struct warp_sched_ops sched_paws;
const struct warp_sched_ops sched_paws = {
    .name = "paws",
    .help = "phase aware: the ready warp nearest to the end of its phase, then the oldest",
    .source = "Awatramani 2015, section IV",
    .state_bytes = sizeof(struct paws),
    .pick = pick,
    .warps_gone = warps_gone,
    .describe = describe,
    .rank = rank,
    .explain = explain,
};
