/* CTA barriers: sixteen per CTA. A barrier opens when the arrivals reach the number expected (PTX ISA, bar: the thread
 * count, or all threads of the CTA), or when every warp that has not exited is among them: nobody else can come. A warp
 * that arrived (bar.arrive) and then exited counts as an arrival, not as one who is missing. */
#include "sm/checks.h"
#include "sm/internal.h"
#include "sm/replay.h"

static void try_open(struct sm_ctx *x, struct sm *s, u32 slot, u32 id, u64 now)
{
	struct cta *c = &s->cta[slot];
	struct barrier *b = &c->bar[id];
	u64 missing = c->warps & ~c->exited & ~b->came;
	if (!b->arrived || (b->arrived < b->expected && missing))
		return;
	u64 waiting = b->waiting;
	if (x->replay)
		replay_barrier(x, s, b->came);
	if (unlikely(x->checks != NULL))
		checks_barrier(x, s, slot, id, b->came, waiting, now);
	*b = (struct barrier){0};
	front_barrier_release(x->front, s->id, slot, id, waiting);
	if (event_wanted(x->ev, EV_BARRIER_RELEASE)) {
		struct event *e = sm_event(x, s, EV_BARRIER_RELEASE, (s32)bit_first(c->warps), now);
		e->warp = -1;
		e->arg[0] = id;
		e->arg[1] = waiting;
	}
	FOR_EACH_BIT(w, waiting)
	{
		s->warp[w].barrier = 0;
		warp_refresh(x, s, (u32)w, now);
	}
}

void barrier_arrive(struct sm_ctx *x, struct sm *s, u32 w, const struct dyninst *d, u64 now)
{
	struct warp *wp = &s->warp[w];
	struct cta *c = &s->cta[wp->cta_slot];
	struct barrier *b = &c->bar[d->bar_id % SM_MAX_BARRIERS];
	s->k.barriers++;
	b->arrived++;
	b->came |= BIT(w);
	b->expected = (u32)ceil_div(d->bar_threads, WARP_SIZE);
	if (d->flags & DYN_BAR_WAIT) {
		wp->barrier = (u8)(d->bar_id + 1);
		b->waiting |= BIT(w);
	}
	if (event_wanted(x->ev, EV_BARRIER_ARRIVE)) {
		struct event *e = sm_event(x, s, EV_BARRIER_ARRIVE, (s32)w, now);
		e->arg[0] = d->bar_id;
		e->arg[1] = b->arrived;
		e->arg[2] = b->expected;
	}
	try_open(x, s, wp->cta_slot, d->bar_id % SM_MAX_BARRIERS, now);
}

void barrier_warp_exited(struct sm_ctx *x, struct sm *s, u32 slot, u64 now)
{
	for (u32 id = 0; id < SM_MAX_BARRIERS; id++)
		if (s->cta[slot].bar[id].arrived)
			try_open(x, s, slot, id, now);
}
