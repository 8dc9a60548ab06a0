/* What L1D did with the loads and prefetches of an SM, told to a warp scheduler that watches it. */
#include "sm/internal.h"

/* Loads and prefetches that L1D keeps lines for; the others (volatile, or with the cache off) pass it. */
static bool cached(const struct conf *c, enum mem_op op)
{
	return op == MO_LOCAL_LOAD || ((op == MO_LOAD || op == MO_PREFETCH) && c->l1d_global);
}

enum mem_result lsu_access_told(struct sm_ctx *x, struct sm *s, u32 warp, enum mem_op op, const struct mem_txn *t,
                                u32 token, u64 now)
{
	struct l1_watch w;
	enum mem_result r = mem_access_watched(x->mem, s->id, MC_L1D, op, t, token, now, &w);
	if (r >= MR_RF_LINE || !cached(x->conf, op))
		return r;
	struct sched_view v = sm_sched_view(x, s, 0, now);
	struct l1_news news = {.line = t->addr & ~(u64)(x->conf->l1d_line - 1),
	                       .hit = r == MR_HIT,
	                       .merged = w.merged,
	                       .prefetch = op == MO_PREFETCH,
	                       .evicted = w.evicted,
	                       .victim = w.victim,
	                       .owner = w.owner < WARP_SLOTS ? w.owner : NO_WARP};
	x->sched->l1_access(x->sched_state[0], &v, warp, &news);
	return r;
}
