/* Fetch: sm.fetches warps a cycle of those whose instruction buffer is empty, the policy's choice or round robin. An
 * L1I hit fills the buffer sm.fetch_latency cycles later; a line that arrives after a miss first takes the stage for
 * one fetch, before any new one. With l0i.lines each scheduler looks into a cache of its own first (l0i.h).
 *
 * With sm.fetch_fallthrough the stage does not know of branches: behind a taken one it goes on with the fall-through,
 * unless the buffer holds that already. The warp is then astray until its scheduler's next cycle flushes it. (In
 * GPGPU-Sim a scheduler looks at its warps in the order of their priority until one issues, and flushes those it looked
 * at; here it looks at all, whatever the policy: measured, that is 0.2 % at most.)
 *
 * A fetch that L1I refuses either holds the stage until L1I changes, or (sm.fetch_refused = next) only costs its turn;
 * when all have been refused the SM may sleep, and the turns that would have gone by are made up for in fetch_sync().
 *
 * With sm.fetch_prefetch every fetch, hit or miss, also asks for the next line when L1I has not got it, while fewer
 * than sm.prefetch_mshrs MSHRs of L1I and L1D are in use (Park 2016, section 3.3.5); what the cache refuses is dropped,
 * and the look at the tags costs no cycle. Whether misses alone trigger it, neither Park nor the abstract of Smith and
 * Hsu 1992, to whom Park refers, says; if they did, every other line of straight code would still be missed. */
#include "sm/internal.h"
#include "sm/waits.h"
#include "sm/l0i.h"

static void request(const struct sm_ctx *x, const struct warp *wp, struct mem_txn *t)
{
	u32 pc = unlikely(wp->fallthrough) ? wp->fallthrough - 1 : wp->pc;
	u64 addr = x->prog[wp->launch].launch->mod->code_base + 8ull * pc;
	u32 line = x->conf->l1i_line;
	*t = (struct mem_txn){.addr = addr & ~(u64)(line - 1), .bytes = (u16)line, .sectors = (u8)bit_range(line / 32)};
}

/* The turns of n refused fetches go by. */
static void pass_turns(struct sm *s, u64 n)
{
	for (n %= bit_count(s->fetch_barred); n; n--)
		s->fetch_rr = (u8)((bit_next_rr(s->fetch_barred, s->fetch_rr) + 1) % WARP_SLOTS);
}

void fetch_sync(struct sm_ctx *x, struct sm *s, u64 now)
{
	if (!s->fetch_refused)
		return;
	u64 n = now - s->fetch_tried - 1;
	s->fetch_tried = now - 1;
	if (fetch_passes(x)) {
		n = s->fetch_barred ? n * x->conf->sm_fetches : 0;
		if (n)
			pass_turns(s, n);
	}
	mem_count_refused(x->mem, s->id, MC_L1I, s->fetch_refused, n);
}

static void prefetch_next(struct sm_ctx *x, struct sm *s, u32 w, struct mem_txn t, u64 now)
{
	const struct module *m = x->prog[s->warp[w].launch].launch->mod;
	s->k.prefetches_used += mem_prefetch_used(x->mem, s->id, t.addr);
	t.addr += x->conf->l1i_line;
	if (t.addr >= m->code_base + 8ull * m->ncode || mem_has_line(x->mem, s->id, t.addr))
		return;
	u32 busy = mem_l1_use(x->mem, s->id, MC_L1I).mshrs + mem_l1_use(x->mem, s->id, MC_L1D).mshrs;
	if (busy >= x->conf->sm_prefetch_mshrs)
		s->k.prefetches_held++;
	else if (mem_prefetch(x->mem, s->id, &t, w, now) == MR_PENDING)
		s->k.prefetches++;
	else
		s->k.prefetches_refused++;
}

static void forget_refusals(struct sm *s)
{
	s->fetch_refused = MR_HIT;
	s->fetch_tried = 0;
	s->fetch_barred = 0;
}

void fetch_forget(struct sm *s)
{
	forget_refusals(s);
}

static void refused(struct sm_ctx *x, struct sm *s, u32 w, enum mem_result r, u64 now)
{
	s->fetch_refused = (u8)r;
	s->fetch_tried = now;
	if (!fetch_passes(x))
		return;
	s->fetch_barred |= BIT(w);
	s->fetch_rr = (u8)((w + 1) % WARP_SLOTS);
}

/* The fetch number `index` of the cycle `at` fills the buffer then. */
static u64 filled_at(const struct conf *c, u64 at, u32 index)
{
	return at + c->sm_fetch_latency - (index + 1 < c->sm_fetches);
}

static u64 code_end(const struct sm_ctx *x, const struct warp *wp)
{
	const struct module *m = x->prog[wp->launch].launch->mod;
	return m->code_base + 8ull * m->ncode;
}

static void starts(struct sm *s, u32 w)
{
	s->need_fetch &= ~BIT(w);
	s->fetch_rr = (u8)((w + 1) % WARP_SLOTS);
	s->warp[w].fetching = 1;
}

static void fetch_warp(struct sm_ctx *x, struct sm *s, u32 w, u32 index, u64 now)
{
	struct warp *wp = &s->warp[w];
	struct mem_txn t;
	u64 ready;
	request(x, wp, &t);
	if (unlikely(x->l0i != NULL) && l0i_find(x, s, w % x->nscheds, t.addr, code_end(x, wp), now, &ready)) {
		starts(s, w);
		timer_put(x, s, now, MAX(filled_at(x->conf, now, index), ready), WK_FETCHED, wp->who, wp->pc);
		return;
	}
	enum mem_result r = mem_access(x->mem, s->id, MC_L1I, MO_FETCH, &t, TOKEN_FETCH | wp->who | w << TOKEN_BITS, now);
	if (r >= MR_RF_LINE) {
		refused(x, s, w, r, now);
		return;
	}
	forget_refusals(s); /* the cache has forgotten them, too */
	starts(s, w);
	if (x->conf->sm_fetch_prefetch)
		prefetch_next(x, s, w, t, now);
	if (r != MR_HIT)
		return;
	u64 at = filled_at(x->conf, now, index);
	if (unlikely(x->l0i != NULL)) {
		at += x->conf->l0i_latency;
		l0i_miss(x, s, w % x->nscheds, t.addr, code_end(x, wp), at);
	}
	timer_put(x, s, now, at, WK_FETCHED, wp->who, wp->pc);
}

static u32 next_by_policy(struct sm_ctx *x, struct sm *s, u64 now)
{
	struct sched_view v = sm_sched_view(x, s, 0, now);
	v.mask = bit_range(x->nwarps);
	return x->sched->fetch(x->sched_state, &v, s->need_fetch);
}

/* One fetch; false: the stage waits. */
static bool fetch_turn(struct sm_ctx *x, struct sm *s, u32 index, u64 now)
{
	if (unlikely(s->fetch_refused)) {
		if (mem_retry_wanted(x->mem, s->id, MC_L1I))
			forget_refusals(s);
		else if (!fetch_passes(x))
			return false;
	}
	u32 w = x->sched->fetch ? next_by_policy(x, s, now) : bit_next_rr(s->need_fetch, s->fetch_rr);
	if (unlikely(s->fetch_barred >> w & 1)) {
		mem_count_refused(x->mem, s->id, MC_L1I, s->fetch_refused, 1);
		s->fetch_rr = (u8)((w + 1) % WARP_SLOTS);
	} else
		fetch_warp(x, s, w, index, now);
	return true;
}

void fetch_cycle(struct sm_ctx *x, struct sm *s, u64 now)
{
	const u32 n = x->conf->sm_fetches;
	u32 i = s->fetch_slots > now * n ? (u32)MIN(s->fetch_slots - now * n, n) : 0;
	if (unlikely(s->fetch_refused))
		fetch_sync(x, s, now);
	for (; i < n && s->need_fetch; i++)
		if (!fetch_turn(x, s, i, now))
			return;
	if (unlikely(s->fetch_refused) && fetch_passes(x))
		s->fetch_tried = now;
}

void fetch_arrived(struct sm_ctx *x, struct sm *s, u32 w, u64 now)
{
	const u32 n = x->conf->sm_fetches;
	u64 slot = MAX(now * n, s->fetch_slots);
	s->fetch_slots = slot + 1;
	u64 at = filled_at(x->conf, slot / n, (u32)(slot % n));
	if (unlikely(x->l0i != NULL) && has_slot(w)) {
		struct mem_txn t;
		request(x, &s->warp[w], &t);
		at += x->conf->l0i_latency;
		l0i_miss(x, s, w % x->nscheds, t.addr, code_end(x, &s->warp[w]), at);
	}
	timer_add(x, s, now, at, WK_FETCHED, w, s->warp[w].pc);
}

/* Its scheduler is to look, although the warp waits for instructions as before: a jump that takes no slot. */
static void lead_astray(struct sm *s, u32 w)
{
	s->astray |= BIT(w);
	s->settled = 0;
}

void fetch_jump(struct sm_ctx *x, struct sm *s, u32 w, u32 pc)
{
	struct warp *wp = &s->warp[w];
	bool held = wp->ib_end > pc + 1;
	wp->ib_end = wp->pc; /* the buffer holds the path not taken */
	if (!x->conf->sm_fetch_fallthrough)
		return;
	if (held || pc + 1 >= x->prog[wp->launch].launch->mod->ncode)
		lead_astray(s, w);
	else
		wp->fallthrough = pc + 2;
}

void fetch_flush(struct sm *s, u64 warps)
{
	s->k.flushes += bit_count(warps);
	s->astray &= ~warps;
	s->need_fetch |= warps;
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
	if (!has_slot(w))
		return;
	if (unlikely(wp->fallthrough)) {
		wp->fallthrough = 0;
		lead_astray(s, w);
		if (unlikely(x->waits != NULL))
			waits_look(x, s, w, now);
		return;
	}
	wp->ib_end = wp->pc + info_at(x, wp, wp->pc)->fetch_n;
	warp_refresh(x, s, w, now);
}
