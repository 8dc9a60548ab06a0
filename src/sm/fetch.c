/* Fetch: one warp a cycle of those whose instruction buffer is empty, the policy's choice or round robin; an L1I hit
 * fills the buffer sm.fetch_latency cycles later, a miss when the line arrives.
 *
 * With sm.fetch_prefetch every fetch, hit or miss, also asks for the next line when L1I has not got it, while fewer
 * than sm.prefetch_mshrs MSHRs of L1I and L1D are in use (Park 2016, section 3.3.5); what the cache refuses is dropped,
 * and the look at the tags costs no cycle. Whether misses alone trigger it, neither Park nor the abstract of Smith and
 * Hsu 1992, to whom Park refers, says; if they did, every other line of straight code would still be missed. */
#include "sm/internal.h"

static void request(const struct sm_ctx *x, const struct warp *wp, struct mem_txn *t)
{
	u64 addr = x->prog[wp->launch].launch->mod->code_base + 8ull * wp->pc;
	u32 line = x->conf->l1i_line;
	*t = (struct mem_txn){
	    .addr = addr & ~(u64)(line - 1), .lanes = 1, .bytes = (u16)line, .sectors = (u8)bit_range(line / 32)};
}

void fetch_sync(struct sm_ctx *x, struct sm *s, u64 now)
{
	if (!s->fetch_refused)
		return;
	mem_count_refused(x->mem, s->id, MC_L1I, s->fetch_refused, now - s->fetch_tried - 1);
	s->fetch_tried = now - 1;
}

static void prefetch_next(struct sm_ctx *x, struct sm *s, const struct warp *wp, struct mem_txn t, u64 now)
{
	const struct module *m = x->prog[wp->launch].launch->mod;
	s->k.prefetches_used += mem_prefetch_used(x->mem, s->id, t.addr);
	t.addr += x->conf->l1i_line;
	if (t.addr >= m->code_base + 8ull * m->ncode || mem_has_line(x->mem, s->id, t.addr))
		return;
	u32 busy = mem_l1_use(x->mem, s->id, MC_L1I).mshrs + mem_l1_use(x->mem, s->id, MC_L1D).mshrs;
	if (busy >= x->conf->sm_prefetch_mshrs)
		s->k.prefetches_held++;
	else if (mem_prefetch(x->mem, s->id, &t, now) == MR_PENDING)
		s->k.prefetches++;
	else
		s->k.prefetches_refused++;
}

static void fetch_warp(struct sm_ctx *x, struct sm *s, u32 w, u64 now)
{
	struct warp *wp = &s->warp[w];
	struct mem_txn t;
	request(x, wp, &t);
	if (s->fetch_refused) {
		if (!mem_retry_wanted(x->mem, s->id, MC_L1I))
			return;
		fetch_sync(x, s, now);
		s->fetch_refused = MR_HIT;
		s->fetch_tried = 0;
	}
	enum mem_result r = mem_access(x->mem, s->id, MC_L1I, MO_FETCH, &t, TOKEN_FETCH | w, now);
	if (r >= MR_RF_LINE) {
		s->fetch_refused = (u8)r;
		s->fetch_tried = now;
		return;
	}
	s->need_fetch &= ~BIT(w);
	s->fetch_rr = (u8)((w + 1) % SM_MAX_WARPS);
	wp->fetching = 1;
	if (x->conf->sm_fetch_prefetch)
		prefetch_next(x, s, wp, t, now);
	if (r == MR_HIT)
		timer_add(x, s, now, now + x->conf->sm_fetch_latency, WK_FETCHED, w, wp->pc);
}

static u32 next_by_policy(struct sm_ctx *x, struct sm *s, u64 now)
{
	struct sched_view v = sm_sched_view(x, s, 0, now);
	v.mask = bit_range(x->nwarps);
	return x->sched->fetch(x->sched_state, &v, s->need_fetch);
}

void fetch_cycle(struct sm_ctx *x, struct sm *s, u64 now)
{
	if (!s->need_fetch)
		return;
	u32 w = x->sched->fetch ? next_by_policy(x, s, now) : bit_next_rr(s->need_fetch, s->fetch_rr);
	fetch_warp(x, s, w, now);
}

void fetch_done(struct sm_ctx *x, struct sm *s, u32 w, u64 now)
{
	struct warp *wp = &s->warp[w];
	wp->fetching = 0;
	s->k.fetches++;
	if (unlikely(wp->done)) {
		warp_try_retire(x, s, w, now);
		return;
	}
	wp->ib_end = wp->pc + info_at(x, wp, wp->pc)->fetch_n;
	warp_refresh(x, s, w, now);
}
