/* Warps: which state each is in, and the scoreboard that decides it. */
#include <string.h>

#include "sm/deps.h"
#include "sm/internal.h"
#include "sm/virtual.h"
#include "sm/waits.h"

const struct warp_state_desc warp_state_descs[WS_COUNT] = {
#define W(id, name, glyph, ascii, help) {name, glyph, help, ascii},
#include "sm/warp_state.def"
#undef W
};

/* A change among the ready states is none: the warp could issue before. */
static __attribute__((noinline)) void state_event(struct sm_ctx *x, struct sm *s, u32 w, enum warp_state from,
                                                  u64 waited, u64 now)
{
	enum warp_state to = (enum warp_state)s->warp[w].state;
	if (event_wanted(x->ev, EV_WARP_STALL) && to >= WS_MEM)
		sm_event(x, s, EV_WARP_STALL, (s32)w, now)->arg[0] = to;
	if (event_wanted(x->ev, EV_WARP_READY) && warp_state_is_ready(to) && !warp_state_is_ready(from)) {
		struct event *e = sm_event(x, s, EV_WARP_READY, (s32)w, now);
		e->arg[0] = to;
		e->arg[1] = from == WS_NONE ? 0 : waited;
	}
}

/* Somebody counts waits, or hears of changes. Each call is a function's last action. */
static __attribute__((noinline)) void state_changed(struct sm_ctx *x, struct sm *s, u32 w, enum warp_state from,
                                                    u64 waited, u64 now)
{
	if (likely(!(x->ev->mask & (EVENT(EV_WARP_STALL) | EVENT(EV_WARP_READY))))) {
		waits_change(x, s, w, from, now);
		return;
	}
	if (x->waits)
		waits_change(x, s, w, from, now);
	state_event(x, s, w, from, waited, now);
}

inline void warp_set_state(struct sm_ctx *x, struct sm *s, u32 w, enum warp_state to, u64 now)
{
	struct warp *wp = &s->warp[w];
	if (wp->state == to) {
		if (unlikely(x->waits != NULL))
			waits_look(x, s, w, now);
		return;
	}
	s->in[wp->state] &= ~BIT(w);
	s->in[to] |= BIT(w);
	s->settled = 0;
	enum warp_state from = (enum warp_state)wp->state;
	u64 waited = now - wp->since;
	wp->state = (u8)to;
	wp->since = now;
	if (unlikely(x->ev->mask & (EVENT(EV_WARP_STALL) | EVENT(EV_WARP_READY))) || unlikely(x->waits != NULL))
		state_changed(x, s, w, from, waited, now);
}

/* --- scoreboard --------------------------------------------------------------------------------------------------- */

static inline bool bit_of(const u64 *set, u32 id)
{
	return set[id / 64] >> (id % 64) & 1;
}

/* Instructions that name ids beyond the two words kept in the warp: the full sets and the lists of the IR. */
static enum warp_state big_check(const struct sm_ctx *x, const struct warp *wp, u32 w, const struct inst *in)
{
	const u64 *pend = x->big[w][0], *pendm = x->big[w][1];
	enum warp_state st = WS_NONE;
	for (u32 i = 0; i < (u32)in->n_sb_dst + in->n_sb_src; i++) {
		u32 id = i < in->n_sb_dst ? inst_sb_dst(in)[i] : inst_sb_src(in)[i - in->n_sb_dst];
		if (id >= 128 && bit_of(pend, id))
			st = bit_of(pendm, id) || st == WS_MEM ? WS_MEM : WS_SHORT;
	}
	return st;
}

/* WS_NONE when nothing the instruction needs is pending, else WS_MEM or WS_SHORT. */
static inline __attribute__((always_inline)) enum warp_state
dependency(const struct sm_ctx *x, const struct warp *wp, u32 w, const struct issue_info *in, bool big_ids)
{
	enum warp_state st = WS_NONE;
	if ((wp->pend[0] & in->use[0]) | (wp->pend[1] & in->use[1]))
		st = (wp->pendm[0] & in->use[0]) | (wp->pendm[1] & in->use[1]) ? WS_MEM : WS_SHORT;
	if (unlikely(in->flags & II_WAIT_ALL) && wp->inflight)
		st = wp->loads ? WS_MEM : WS_SHORT;
	if (big_ids && st != WS_MEM) {
		enum warp_state big = big_check(x, wp, w, inst_at(x, wp, wp->pc));
		st = big == WS_NONE ? st : big;
	}
	return st;
}

void scoreboard_reserve(struct sm_ctx *x, struct sm *s, u32 w, u32 pc, bool from_memory)
{
	struct warp *wp = &s->warp[w];
	const struct issue_info *in = info_at(x, wp, pc);
	if (unlikely(x->waits != NULL))
		waits_reserve(x, s, w, pc);
	for (u32 i = 0; i < 2; i++) {
		wp->pend[i] |= in->dst[i];
		if (from_memory)
			wp->pendm[i] |= in->dst[i];
	}
	if (unlikely(in->flags & II_BIG)) {
		const struct inst *ir = inst_at(x, wp, pc);
		for (u32 i = 0; i < ir->n_sb_dst; i++) {
			u32 id = inst_sb_dst(ir)[i];
			x->big[w][0][id / 64] |= BIT(id % 64);
			if (from_memory)
				x->big[w][1][id / 64] |= BIT(id % 64);
		}
	}
}

void scoreboard_to_memory(struct sm_ctx *x, struct sm *s, u32 w, u32 pc, u64 now)
{
	scoreboard_reserve(x, s, w, pc, true);
	if (s->warp[w].state == WS_SHORT)
		warp_refresh(x, s, w, now);
	else if (unlikely(x->waits != NULL) && has_slot(w))
		waits_look(x, s, w, now);
}

/* Ids beyond the warp's two words; dependence counters. */
static __attribute__((noinline)) void written_slowly(struct sm_ctx *x, u32 w, u32 pc, const struct warp *wp)
{
	const struct inst *ir = inst_at(x, wp, pc);
	for (u32 i = 0; i < ir->n_sb_dst; i++)
		for (u32 k = 0; k < 2; k++)
			x->big[w][k][inst_sb_dst(ir)[i] / 64] &= ~BIT(inst_sb_dst(ir)[i] % 64);
	if (x->deps)
		deps_written(x, w, pc, wp);
}

void warp_writeback(struct sm_ctx *x, struct sm *s, u32 w, u32 pc, u64 now)
{
	struct warp *wp = &s->warp[w];
	const struct issue_info *in = info_at(x, wp, pc);
	for (u32 i = 0; i < 2; i++) {
		wp->pend[i] &= ~in->dst[i];
		wp->pendm[i] &= ~in->dst[i];
	}
	if (unlikely(in->flags & (II_BIG | II_WORDS)))
		written_slowly(x, w, pc, wp);
	if (wp->state == WS_MEM || wp->state == WS_SHORT)
		warp_refresh(x, s, w, now);
	else if (unlikely(!has_slot(w)) && x->vt)
		vt_written(x, s, w, now);
	else if (unlikely(wp->done))
		warp_try_retire(x, s, w, now);
}

/* --- state -------------------------------------------------------------------------------------------------------- */

/* The state of a warp at instruction `in`; WS_NONE: it can go, and takes no issue slot. */
static inline __attribute__((always_inline)) enum warp_state state_at(const struct sm_ctx *x, struct warp *wp, u32 w,
                                                                      const struct issue_info *in, bool big_ids)
{
	enum warp_state st = dependency(x, wp, w, in, big_ids);
	if (st != WS_NONE || !in->cost)
		return st;
	if (in->cost > 1 && !wp->extra_set) {
		wp->extra = in->cost - 1;
		wp->extra_set = 1;
	}
	return ready_state(wp, in);
}

/* The warp executes an instruction without an issue slot; then its state is looked for again. */
static __attribute__((noinline)) void issue_free(struct sm_ctx *x, struct sm *s, u32 w, u64 now)
{
	issue_one(x, s, w, w % x->nscheds, false, now);
	if (likely(!s->faulted))
		warp_refresh(x, s, w, now); /* its instruction buffer ends this */
}

static void refresh_big(struct sm_ctx *x, struct sm *s, u32 w, u64 now);

/* Twice in the program, so that the frequent case, no big ids, calls nothing but as its last action and saves no
 * registers. */
static inline __attribute__((always_inline)) void refresh(struct sm_ctx *x, struct sm *s, u32 w, u64 now, bool big_ids)
{
	struct warp *wp = &s->warp[w];
	enum warp_state to = WS_FETCH;
	if (unlikely(wp->held)) {
		to = wp->done ? WS_DONE : wp->paused ? WS_PAUSED : wp->barrier ? WS_BARRIER : wp->fence ? WS_FENCE : WS_SLEEP;
	} else if (wp->pc < wp->ib_end) {
		const struct issue_info *in = info_at(x, wp, wp->pc);
		if (!big_ids && unlikely(in->flags & (II_BIG | II_WORDS))) {
			refresh_big(x, s, w, now);
			return;
		}
		if (big_ids && x->deps) {
			to = deps_state(x, s, w, now);
			if (to == WS_NONE) {
				to = state_at(x, wp, w, in, true);
				deps_scoreboard(x, s, w, to, now);
			}
		} else {
			to = state_at(x, wp, w, in, big_ids);
		}
		if (to == WS_NONE)
			issue_free(x, s, w, now);
		else
			warp_set_state(x, s, w, to, now);
		return;
	}
	if (wp->pc >= wp->ib_end && !wp->done && !wp->fetching && !(s->astray >> w & 1))
		s->need_fetch |= BIT(w);
	warp_set_state(x, s, w, to, now);
}

static __attribute__((noinline)) void refresh_big(struct sm_ctx *x, struct sm *s, u32 w, u64 now)
{
	refresh(x, s, w, now, true);
}

void warp_refresh(struct sm_ctx *x, struct sm *s, u32 w, u64 now)
{
	refresh(x, s, w, now, false);
}

void warp_check_fence(struct sm_ctx *x, struct sm *s, u32 w, u64 now)
{
	struct warp *wp = &s->warp[w];
	if (likely(!wp->fence) || fence_holds(wp))
		return;
	if (!has_slot(w))
		return; /* when it is back in one */
	wp->fence = 0;
	warp_refresh(x, s, w, now);
}

void warp_answered(struct sm_ctx *x, struct sm *s, u32 w, u64 now)
{
	struct warp *wp = &s->warp[w];
	wp->outstanding--;
	warp_check_fence(x, s, w, now);
	if (likely(!wp->done))
		return;
	if (unlikely(!has_slot(w)) && x->vt && x->vt->cta[wp->cta_slot].ending)
		vt_written(x, s, w, now);
	warp_try_retire(x, s, w, now);
}

void warp_try_retire(struct sm_ctx *x, struct sm *s, u32 w, u64 now)
{
	struct warp *wp = &s->warp[w];
	if (wp->outstanding || wp->inflight || wp->fetching || !has_slot(w))
		return;
	struct cta *c = &s->cta[wp->cta_slot];
	wp->done = 2; /* counted */
	if (++c->ndone == c->nwarps)
		s->done_slots |= 1u << wp->cta_slot;
}
