/* rr: the single-level round robin of Awatramani 2015 (section IV-B): a queue of all warps in the order of their
 * launch, whose priority rotates after each selection: the warp behind the selected one comes first, the selected one
 * last, and warps that cannot issue are passed over.
 *
 * lrr is the same with the turn going by warp slot; the two make the same choices until a slot is used again, since
 * from then on slot order is no longer launch order. */
#include "sm/sched/sched.h"

struct rr {
	u8 place[WARP_SLOTS]; /* of a warp slot in the queue, 0 = launched first */
	u8 n;                 /* warps in the queue */
	u8 next;              /* place whose turn it is, < n unless both are 0 */
};

/* Selections until the warp's turn. */
static u32 turn(const struct rr *st, u32 warp)
{
	u32 at = st->place[warp];
	return at >= st->next ? at - st->next : at + st->n - st->next;
}

static u32 pick(void *state, const struct sched_view *v, u64 ready)
{
	struct rr *st = state;
	u32 best = 0, nearest = UINT32_MAX;
	FOR_EACH_BIT(w, ready)
	{
		u32 t = turn(st, (u32)w);
		if (t < nearest) {
			nearest = t;
			best = (u32)w;
		}
	}
	st->next = (u8)(st->place[best] + 1);
	if (st->next == st->n)
		st->next = 0;
	return best;
}

static void warps_started(void *state, const struct sched_view *v, u64 warps)
{
	struct rr *st = state;
	while (warps) { /* by age: a scheduler set on a running machine is shown all warps at once */
		u32 w = sched_oldest(v, warps);
		warps &= ~BIT(w);
		st->place[w] = st->n++;
	}
}

static void warps_gone(void *state, const struct sched_view *v, u64 warps)
{
	struct rr *st = state;
	FOR_EACH_BIT(w, warps)
	{
		u32 at = st->place[w];
		for (u32 i = 0; i < WARP_SLOTS; i++)
			st->place[i] -= st->place[i] > at;
		st->next -= st->next > at;
		st->n--;
	}
	if (st->next >= st->n)
		st->next = 0;
}

static void describe(const void *state, const struct sched_view *v, u32 warp, struct strbuf *out)
{
	const struct rr *st = state;
	if (warp != NO_WARP) {
		strbuf_addf(out, "turn %u", turn(st, warp));
		return;
	}
	FOR_EACH_BIT(w, v->mask & v->sm->used)
	if (st->place[w] == st->next)
		strbuf_addf(out, "turn of %u", (u32)w);
}

static s64 rank(const void *state, const struct sched_view *v, u32 warp)
{
	return turn(state, warp);
}

static s64 explain(const void *state, const struct sched_view *v, u64 ready, u32 warp, struct strbuf *out)
{
	const struct rr *st = state;
	const u32 t = turn(st, warp);
	strbuf_addf(out, t ? "%u launched between it and the turn, place %u of %u" : "its turn", t, st->place[warp] + 1,
	            st->n);
	return t;
}

extern const struct warp_sched_ops sched_rr;
const struct warp_sched_ops sched_rr = {
    .name = "rr",
    .help = "round robin in launch order: the next ready warp behind the one that issued last (lrr goes by slot)",
    .source = "Awatramani 2015, section IV-B",
    .fair = true,
    .state_bytes = sizeof(struct rr),
    .pick = pick,
    .warps_started = warps_started,
    .warps_gone = warps_gone,
    .describe = describe,
    .rank = rank,
    .explain = explain,
};
