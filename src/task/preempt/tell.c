/* What preemption does, as events. */
#include "task/preempt/preempt_internal.h"

static bool wanted(const struct preempt_ctx *x, enum event_type t)
{
	return event_wanted(x->ev, t);
}

/* Whole microseconds, rounded up: what is longer than N us is more than N. */
static u64 in_us(const struct preempt_ctx *x, u64 cycles)
{
	const double us = (double)cycles / x->dispatch->conf->core_clock;
	return (u64)us + ((double)(u64)us < us);
}

static u64 known(u64 cost)
{
	return cost < COST_MAX ? cost : UINT64_MAX;
}

static struct event *sm_tells(const struct preempt_ctx *x, enum event_type t, u32 launch, u32 sm, u32 request, u64 now)
{
	struct event *e = event_add(ctx_of(x, sm)->ev, t, now);
	e->sm = (s32)sm;
	e->kernel = (s32)launch;
	e->arg[0] = request;
	return e;
}

static struct event *request_tells(const struct preempt_ctx *x, enum event_type t, const struct preempt_request *r,
                                   u64 now)
{
	struct event *e = event_add(x->ev, t, now);
	e->kernel = (s32)r->launch;
	e->arg[0] = r->id;
	return e;
}

void tell_request(const struct preempt_ctx *x, const struct preempt_request *r, u64 now)
{
	if (!wanted(x, EV_PREEMPT_REQUEST))
		return;
	struct event *e = request_tells(x, EV_PREEMPT_REQUEST, r, now);
	e->arg[1] = r->sms;
	e->arg[2] = in_us(x, r->limit);
	e->arg[3] = r->by;
	e->arg[4] = r->partition;
	e->arg[5] = r->whom ? r->whom - 1 : UINT64_MAX;
}

void tell_plan(const struct preempt_ctx *x, u32 launch, const struct preempt_sm *s, u32 request, u64 now)
{
	for (u32 t = 0; t <= TECHNIQUES && wanted(x, EV_PREEMPT_PLAN); t++) {
		const struct preempt_cost c = preempt_sm_cost(x->dispatch->conf, s, (enum technique)t);
		struct event *e = sm_tells(x, EV_PREEMPT_PLAN, launch, s->sm, request, now);
		e->arg[1] = t;
		e->arg[2] = known(c.latency);
		e->arg[3] = known(c.overhead);
		e->arg[4] = preempt_sm_bar(s, (enum technique)t);
	}
}

void tell_start(const struct preempt_ctx *x, const struct preempt_plan *p, u64 now)
{
	if (!wanted(x, EV_PREEMPT_START))
		return;
	struct event *e = sm_tells(x, EV_PREEMPT_START, p->launch, p->s.sm, p->request, now);
	e->arg[1] = p->technique;
	e->arg[2] = known(p->s.cost.latency);
	e->arg[3] = known(p->s.cost.overhead);
}

void tell_cta(const struct preempt_ctx *x, const struct preempt_plan *p, u32 i, u64 now)
{
	const struct preempt_cta *a = &p->s.cta[i];
	if (!wanted(x, EV_PREEMPT_CTA))
		return;
	struct event *e = sm_tells(x, EV_PREEMPT_CTA, p->launch, p->s.sm, p->request, now);
	e->cta = (s32)a->id;
	e->arg[1] = a->technique;
	e->arg[2] = known(a->by[a->technique].latency);
	e->arg[3] = known(a->by[a->technique].overhead);
	e->arg[4] = a->no_flush;
	e->arg[5] = a->inactive;
}

void tell_done(const struct preempt_ctx *x, const struct preempt_plan *p, u64 now)
{
	if (!wanted(x, EV_PREEMPT_DONE))
		return;
	struct event *e = sm_tells(x, EV_PREEMPT_DONE, p->launch, p->s.sm, p->request, now);
	e->arg[1] = in_us(x, now - p->at);
	e->arg[2] = p->lost;
	e->arg[3] = p->technique;
}

void tell_deadline(const struct preempt_ctx *x, const struct preempt_request *r, bool met, u64 now)
{
	if (!wanted(x, met ? EV_DEADLINE_MET : EV_DEADLINE_MISS))
		return;
	struct event *e = request_tells(x, met ? EV_DEADLINE_MET : EV_DEADLINE_MISS, r, now);
	e->arg[1] = met ? in_us(x, now - r->at) : r->left;
	e->arg[2] = in_us(x, r->limit);
	e->arg[3] = r->sms;
}
