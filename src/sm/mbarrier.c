#include "sm/mbarrier.h"

#include "sm/checks.h"
#include "sm/copies.h"
#include "sm/internal.h"

static void find_due(struct sm *s)
{
	s->await_due = NEVER;
	FOR_EACH_BIT(w, s->awaiting)
	s->await_due = MIN(s->await_due, s->warp[w].await_until);
	if (!s->awaiting)
		s->await_due = 0; /* nobody waits: the same state, whatever has been */
}

static void wake(struct sm_ctx *x, struct sm *s, u32 w, u64 now)
{
	s->warp[w].awaits = 0;
	s->warp[w].await_until = 0;
	s->awaiting &= ~BIT(w);
	warp_refresh(x, s, w, now);
}

static void await(struct sm_ctx *x, struct sm *s, u32 w, u32 limit_ns, u64 now)
{
	struct warp *wp = &s->warp[w];
	u64 cycles = x->conf->sm_try_wait;
	if (limit_ns)
		cycles = (u64)(MIN(limit_ns, SLEEP_NS_MAX) * x->conf->core_clock / 1000.0);
	if (!cycles)
		return;
	wp->awaits = 1;
	wp->await_until = now + cycles;
	s->await_due = s->awaiting ? MIN(s->await_due, wp->await_until) : wp->await_until;
	s->awaiting |= BIT(w);
}

void mbarrier_phase(struct sm_ctx *x, struct sm *s, u32 w, u64 addr, u32 pc, u64 now)
{
	const struct cta *c = &s->cta[s->warp[w].cta_slot];
	if (event_wanted(x->ev, EV_MBARRIER_PHASE)) {
		struct mbarrier_info all[256];
		const u32 n = MIN(front_mbarriers(x->front, s->id, s->warp[w].cta_slot, all, ARRAY_LEN(all)), ARRAY_LEN(all));
		struct event *e = sm_event(x, s, EV_MBARRIER_PHASE, has_slot(w) ? (s32)w : -1, now);
		e->pc = pc;
		e->arg[0] = addr;
		for (u32 i = 0; i < n; i++)
			if (all[i].addr == addr) {
				e->arg[1] = all[i].phase;
				e->arg[2] = all[i].expected;
			}
	}
	FOR_EACH_BIT(i, c->inactive ? 0 : s->awaiting & c->warps)
	if (front_mbarrier_poll(x->front, s->id, (u32)i)) {
		if (unlikely(x->checks != NULL))
			checks_awaited(x, s, (u32)i, now);
		wake(x, s, (u32)i, now);
	}
	find_due(s);
}

void mbarrier_issued(struct sm_ctx *x, struct sm *s, u32 w, const struct dyninst *d, u64 now)
{
	if (d->flags & DYN_AWAIT)
		await(x, s, w, d->sleep_ns, now);
	if (d->flags & DYN_PHASE)
		FOR_EACH_BIT(l, d->ended)
	mbarrier_phase(x, s, w, d->addr[l], d->pc, now);
	if (d->flags & DYN_COMMIT)
		copies_close(x, s, w);
	if (d->flags & DYN_COPY_ARRIVE)
		copies_arrive(x, s, w, d, now);
}

void mbarrier_expire(struct sm_ctx *x, struct sm *s, u64 now)
{
	FOR_EACH_BIT(w, s->awaiting)
	if (s->warp[w].await_until <= now)
		wake(x, s, (u32)w, now);
	find_due(s);
}

void mbarrier_leave(struct sm *s, u64 warps)
{
	FOR_EACH_BIT(w, s->awaiting & warps)
	{
		s->warp[w].awaits = 0;
		s->warp[w].await_until = 0;
	}
	s->awaiting &= ~warps;
	find_due(s);
}
