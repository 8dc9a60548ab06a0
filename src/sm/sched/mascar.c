/* mascar: memory-aware scheduling (Sethia 2015). While the memory system is saturated, one warp at a time gets its data
 * instead of all of them a part of theirs, so that it can compute while the next one loads.
 *
 * EP (equal priority), not saturated: memory instructions before others, so that the memory system stays busy; among
 * each, gto. MP (memory access priority), saturated: instructions of other kinds first, of any warp, in gto order; only
 * the owner may issue memory instructions.
 *
 * Memory instructions are those for L1D: global, local and generic loads, stores and atomics. The SM has one owner, for
 * all its schedulers: the oldest warp that could issue one. It stays the owner until it waits for its data, or cannot
 * go on for another reason that is none of the pipeline's (barrier, fence, sleep, exit). The first rule is the
 * publication's; the others keep a warp that waits for others from keeping them from memory.
 *
 * Saturated: mascar.full percent of L1D's MSHRs, or of its miss queue, are in use. The publication has the L1 signal
 * that either is nearly full; the margin is ours. The re-execution queue that belongs to it is the LSU's
 * (lsu.replay=car), which comes with the name; lsu.replay=none leaves the scheduler alone. */
#include "sm/sched/sched.h"

struct own {
	u32 greedy; /* as gto's */
};
/* Scheduler 0's state: of the whole SM. */
struct mascar {
	struct own own;
	u32 owner; /* warp slot + 1; 0 = none */
	u32 mp;    /* memory access priority mode */
};

static bool saturated(const struct sched_view *v)
{
	const struct conf *c = v->conf;
	struct l1_use u = mem_l1_use(v->mem, v->sm->id, MC_L1D);
	return u.mshrs * 100 >= c->mascar_full * c->l1d_mshrs || u.queue * 100 >= c->mascar_full * c->l1d_missq;
}

/* Of warps whose next instruction goes to the LSU: those whose instruction is for L1D. */
static u64 memory_warps(const struct sched_view *v, u64 m)
{
	u64 out = 0;
	FOR_EACH_BIT(w, m)
	{
		u32 cls = sched_info(v, (u32)w)->cls;
		if (cls == IC_GLOBAL || cls == IC_ATOMIC)
			out |= BIT(w);
	}
	return out;
}

static bool keeps_memory(const struct sched_view *v, u32 w)
{
	const u64 *in = v->sm->in;
	u64 gone = in[WS_MEM] | in[WS_FENCE] | in[WS_BARRIER] | in[WS_SLEEP] | in[WS_PAUSED] | in[WS_DONE] | in[WS_NONE];
	return !(gone >> w & 1);
}

static void tell(const struct mascar *st, const struct sched_view *v)
{
	struct event *e = sched_event(v, EV_MASCAR_MODE, st->owner ? st->owner - 1 : NO_WARP);
	if (!e)
		return;
	struct l1_use u = mem_l1_use(v->mem, v->sm->id, MC_L1D);
	e->arg[0] = st->mp;
	e->arg[1] = u.mshrs;
	e->arg[2] = u.queue;
}

static void set_mode(struct mascar *st, const struct sched_view *v, bool mp)
{
	if (st->mp == mp)
		return;
	st->mp = mp;
	st->owner = 0;
	tell(st, v);
}

/* The owner, found anew when the last one gave way; some warp is ready for memory. */
static u32 owner(struct mascar *st, const struct sched_view *v)
{
	if (st->owner && keeps_memory(v, st->owner - 1))
		return st->owner - 1;
	st->owner = sched_oldest(v, memory_warps(v, v->sm->in[WS_READY_LSU])) + 1;
	tell(st, v);
	return st->owner - 1;
}

static u32 pick(void *state, const struct sched_view *v, u64 ready)
{
	struct own *own = state;
	struct mascar *st = v->first;
	set_mode(st, v, saturated(v));
	u64 memory = memory_warps(v, ready & v->sm->in[WS_READY_LSU]);
	if (!memory)
		return sched_greedy_oldest(&own->greedy, v, ready);
	if (!st->mp)
		return sched_greedy_oldest(&own->greedy, v, memory);
	if (ready != memory)
		return sched_greedy_oldest(&own->greedy, v, ready & ~memory);
	u32 w = owner(st, v);
	return memory >> w & 1 ? sched_greedy_oldest(&own->greedy, v, BIT(w)) : NO_WARP;
}

static void warps_gone(void *state, const struct sched_view *v, u64 warps)
{
	struct own *own = state;
	struct mascar *st = v->first;
	if (own->greedy && (warps >> (own->greedy - 1) & 1))
		own->greedy = 0;
	if (st->owner && (warps >> (st->owner - 1) & 1))
		st->owner = 0;
}

static void describe(const void *state, const struct sched_view *v, u32 warp, struct strbuf *out)
{
	const struct mascar *st = v->first;
	if (warp != NO_WARP) {
		if (st->owner == warp + 1)
			strbuf_adds(out, "owns memory");
		return;
	}
	struct l1_use u = mem_l1_use(v->mem, v->sm->id, MC_L1D);
	strbuf_addf(out, "%s mode, MSHRs %u/%u, miss queue %u/%u", st->mp ? "MP" : "EP", u.mshrs, v->conf->l1d_mshrs,
	            u.queue, v->conf->l1d_missq);
	if (st->owner)
		strbuf_addf(out, ", owner warp %u", st->owner - 1);
}

static s64 rank(const void *state, const struct sched_view *v, u32 warp)
{
	const struct own *own = state;
	return sched_greedy_rank(own->greedy, v, warp);
}

static s64 explain(const void *state, const struct sched_view *v, u64 ready, u32 warp, struct strbuf *out)
{
	const struct own *own = state;
	struct mascar now = *(const struct mascar *)v->first;
	struct sched_view quiet = *v;
	quiet.ev = NULL;
	set_mode(&now, &quiet, saturated(v));
	const bool memory = memory_warps(v, BIT(warp) & v->sm->in[WS_READY_LSU]) != 0;
	strbuf_addf(out, "%s mode, %s; ", now.mp ? "MP" : "EP", memory ? "memory" : "no memory");
	if (memory && now.mp && owner(&now, &quiet) != warp) {
		strbuf_addf(out, "warp %u owns memory", owner(&now, &quiet));
		return PICK_DECLINED;
	}
	const s64 place = sched_explain_greedy(own->greedy, v, warp, out);
	return place + (memory == (now.mp != 0) ? 2 * WARP_SLOTS : 0);
}

extern const struct warp_sched_ops sched_mascar;
const struct warp_sched_ops sched_mascar = {
    .name = "mascar",
    .help = "memory-aware: while the memory system is saturated, only one warp, the owner, may use it",
    .source = "Sethia 2015 (Mascar), section III",
    .implies = "lsu.replay=car",
    .state_bytes = sizeof(struct own),
    .first_bytes = sizeof(struct mascar),
    .pick = pick,
    .warps_gone = warps_gone,
    .describe = describe,
    .rank = rank,
    .explain = explain,
};
