#include "task/preempt/preempt.h"

#include <stdlib.h>
#include <string.h>

#include "cta/resume.h"
#include "sm/restartable.h"
#include "sm/verbs.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define PREEMPT_POLICY(v) extern const struct preempt_ops v;
#include "task/preempt/all.def"
#undef PREEMPT_POLICY
const struct policy *const preempt_policies[] = {
#define PREEMPT_POLICY(v) &v.policy,
#include "task/preempt/all.def"
#undef PREEMPT_POLICY
    NULL};
const char *const technique_names[TECHNIQUES + 1] = {"switch", "drain", "flush", "mixed"};
_Static_assert(PREEMPT_MAX_CTAS == SM_MAX_CTAS, "all CTAs of an SM");

/* --- build -------------------------------------------------------------------------------------------------------- */

size_t preempt_state_bytes(void)
{
	return sizeof(struct preempt) + 4096;
}

void preempt_create(struct preempt_ctx *x, struct arena *a)
{
	x->p = ARENA_NEW(a, struct preempt, 1);
	x->p->look_at = NEVER;
	x->scratch = xcalloc(x->dispatch->conf->num_sms, sizeof *x->scratch);
}

void preempt_free(struct preempt_ctx *x)
{
	free(x->scratch);
}

static struct sm *sm_of(const struct preempt_ctx *x, u32 sm)
{
	return x->dispatch->sm[sm];
}
static struct sm_ctx *ctx_of(const struct preempt_ctx *x, u32 sm)
{
	return &x->dispatch->ctx[sm];
}
static struct kernel_counters *counters_of(const struct preempt_ctx *x, u32 launch)
{
	return &x->task->kcb[launch].k;
}

const struct preempt_request *preempt_find(const struct preempt *p, u32 id)
{
	const struct preempt_request *r = &p->request[id % PREEMPT_REQUESTS];
	return id && r->id == id ? r : NULL;
}

/* --- what is known when a request comes --------------------------------------------------------------------------- */

struct preempt_stats preempt_stats_of(const struct preempt_ctx *x, u32 launch, u64 now)
{
	const struct kernel_counters *k = counters_of(x, launch);
	struct preempt_stats s = {.ended = k->ctas_done,
	                          .ended_insts = k->warp_insts - k->insts_dropped,
	                          .insts = k->warp_insts,
	                          .cycles = k->cta_cycles};
	for (u32 i = 0; i < x->dispatch->conf->num_sms; i++)
		for (u32 slot = 0; slot < SM_MAX_CTAS; slot++) {
			const struct cta *c = &sm_of(x, i)->cta[slot];
			if (!c->used || c->launch != launch)
				continue;
			s.insts += c->insts;
			s.cycles += now - c->started_at - (c->away - (c->moving_until > now ? c->moving_until - now : 0));
		}
	return s;
}

/* What the hardware knows of a CTA: may it begin again? With an overflowing record nobody could say whether that was
 * right. */
static bool may_flush(const struct preempt_ctx *x, u32 sm, u32 slot)
{
	const struct sm_ctx *c = ctx_of(x, sm);
	const struct sm *s = sm_of(x, sm);
	const struct restart_cta *r = restart_cta(c->restart, sm, slot);
	const struct program *p = &c->prog[s->cta[slot].launch];
	if (!r || !p->notice || r->causes == BIT(RESTART_LOST))
		return false;
	if (c->conf->preempt_idempotence == PREEMPT_STRICT)
		return p->idempotent;
	return !restart_noticed(c, s, slot);
}

static bool is_there(const struct sm *s, u32 slot, u32 launch)
{
	return s->cta[slot].used && s->cta[slot].launch == launch && !(s->done_slots >> slot & 1);
}

/* Does a CTA stay rather than another one of its kernel: the older one; with 2-way allocation the one that is farther
 * from the free space (Park 2016, figure 5.9b). */
static bool stays_before(const struct preempt_ctx *x, const struct sm *s, const struct cta *a, const struct cta *b)
{
	if (x->dispatch->conf->sm_allocation == SM_ALLOCATION_TWO_WAY)
		return b->from_top ? a->reg_first > b->reg_first : a->reg_first < b->reg_first;
	return s->warp[bit_first(a->warps)].age < s->warp[bit_first(b->warps)].age;
}

/* CTAs of the launch on the SM that stay rather than the one in this slot. */
static u32 before_it(const struct preempt_ctx *x, const struct sm *s, u32 slot, u32 launch)
{
	u32 n = 0;
	for (u32 i = 0; i < SM_MAX_CTAS; i++)
		n += s->cta[i].used && s->cta[i].launch == launch && stays_before(x, s, &s->cta[i], &s->cta[slot]);
	return n;
}

static void look_at_sm(const struct preempt_ctx *x, u32 launch, u32 sm, u32 keep, struct preempt_sm *out)
{
	const struct sm *s = sm_of(x, sm);
	*out = (struct preempt_sm){.sm = sm};
	for (u32 slot = 0; slot < SM_MAX_CTAS; slot++) {
		const struct cta *c = &s->cta[slot];
		if (is_there(s, slot, launch) && (!keep || before_it(x, s, slot, launch) >= keep))
			out->cta[out->n++] = (struct preempt_cta){.id = c->id,
			                                          .insts = c->insts - c->insts_dropped,
			                                          .bytes = 4ull * c->reg_size + c->shared_size,
			                                          .slot = slot,
			                                          .may_flush = may_flush(x, sm, slot)};
	}
}

/* --- a request ---------------------------------------------------------------------------------------------------- */

static bool is_kept_away(const struct preempt_ctx *x, u32 launch, u32 sm)
{
	const struct dispatcher *d = x->dispatch->d;
	return d->away[sm] >> dispatch_slot(d, launch) & 1;
}

static bool may_ask_for(const struct preempt_ctx *x, const struct preempt_ask *a, u32 sm, struct err *e)
{
	if (x->p->smst[sm])
		return err_set(e, "SM %u is being preempted already (request %u)", sm, x->p->plan[x->p->smst[sm] - 1].request);
	return !is_kept_away(x, a->launch, sm) || err_set(e, "SM %u has been taken from launch %u already", sm, a->launch);
}

/* The SMs that may be chosen, into scratch; how many. */
static u32 candidates(const struct preempt_ctx *x, const struct preempt_ask *a)
{
	u32 n = 0;
	for (u32 i = 0; i < x->dispatch->conf->num_sms; i++) {
		if (a->set ? !(a->set[i / 64] >> i % 64 & 1) : !may_ask_for(x, a, i, NULL))
			continue;
		look_at_sm(x, a->launch, i, a->keep, &x->scratch[n]);
		n += a->set || x->scratch[n].n;
	}
	return n;
}

static bool kernel_may(const struct preempt_ctx *x, u32 launch, struct err *e)
{
	if (launch >= x->task->nlaunches)
		return err_set(e, "there is no launch %u", launch);
	if (dispatch_slot(x->dispatch->d, launch) < 0)
		return err_set(e, "launch %u is not running: it has no SM", launch);
	return !x->dispatch->launch[launch]->cooperative ||
	       err_set(e, "launch %u is cooperative: its CTAs have to be on the machine at the same time", launch);
}

static const struct preempt_ops *ops_of(const struct preempt_ctx *x, const struct preempt_ask *a)
{
	return a->by ? a->by : x->ops;
}

static bool technique_may(const struct preempt_ctx *x, const struct preempt_ask *a, struct err *e)
{
	const struct preempt_ops *by = ops_of(x, a);
	if (!by->choose)
		return err_set(e, "no technique is chosen: name one (switch, drain, flush, chimera), or set preempt");
	return !by->flushes || ctx_of(x, 0)->restart ||
	       err_set(e, "%s needs the record of which CTAs may begin again (--dynamic-idempotence)", by->name);
}

static bool named_may(const struct preempt_ctx *x, const struct preempt_ask *a, struct err *e)
{
	bool ok = true, any = false;
	for (u32 i = 0; i < CONF_MAX_SMS; i++) {
		if (!(a->set[i / 64] >> i % 64 & 1))
			continue;
		any = true;
		if (i >= x->dispatch->conf->num_sms)
			return err_set(e, "there is no SM %u: the machine has %u", i, x->dispatch->conf->num_sms);
		ok = ok && may_ask_for(x, a, i, e);
	}
	return any ? ok : err_set(e, "no SM is named");
}

bool preempt_may(struct preempt_ctx *x, const struct preempt_ask *a, u64 now, struct err *e)
{
	const struct preempt_request *place = &x->p->request[(x->p->requests + 1) % PREEMPT_REQUESTS];
	if (!kernel_may(x, a->launch, e) || !technique_may(x, a, e))
		return false;
	if (place->id && !place->done_at)
		return err_set(e, "%d requests are under way", PREEMPT_REQUESTS);
	if (a->set)
		return named_may(x, a, e);
	if (!a->sms)
		return err_set(e, "0 SMs are asked for");
	const u32 n = candidates(x, a);
	return a->sms <= n ||
	       err_set(e, "launch %u has CTAs on %u SM%s that it could give", a->launch, n, n == 1 ? "" : "s");
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

static void tell_plan(const struct preempt_ctx *x, u32 launch, const struct preempt_sm *s, u32 request, u64 now)
{
	for (u32 t = 0; t <= TECHNIQUES; t++) {
		const struct preempt_cost c = preempt_sm_cost(x->dispatch->conf, s, (enum technique)t);
		struct event *e = sm_tells(x, EV_PREEMPT_PLAN, launch, s->sm, request, now);
		e->arg[1] = t;
		e->arg[2] = known(c.latency);
		e->arg[3] = known(c.overhead);
	}
}

static u32 common_technique(const struct preempt_sm *s)
{
	u32 t = s->n ? s->cta[0].technique : BY_DRAIN;
	for (u32 i = 1; i < s->n; i++)
		t = s->cta[i].technique == t ? t : TECHNIQUES;
	return t;
}

static void tell_cta(const struct preempt_ctx *x, const struct preempt_plan *p, const struct preempt_cta *a, u64 now)
{
	struct event *e = sm_tells(x, EV_PREEMPT_CTA, p->launch, p->s.sm, p->request, now);
	e->cta = (s32)a->id;
	e->arg[1] = a->technique;
	e->arg[2] = known(a->by[a->technique].latency);
	e->arg[3] = known(a->by[a->technique].overhead);
}

/* An SM that is being preempted: the place of its plan. The one that was forgotten longest ago, of those that are done.
 */
static struct preempt_plan *new_plan(struct preempt_ctx *x)
{
	struct preempt *p = x->p;
	struct preempt_plan *plan;
	do
		plan = &p->plan[p->plans++ % PREEMPT_PLANS];
	while (plan->request && !plan->done_at);
	return plan;
}

static void start_plan(struct preempt_ctx *x, const struct preempt_request *r, const struct preempt_sm *s, u64 now)
{
	const struct conf *c = x->dispatch->conf;
	struct preempt_plan *p = new_plan(x);
	u64 bytes = 0;
	*p = (struct preempt_plan){
	    .request = r->id, .launch = r->launch, .left = s->n, .technique = common_technique(s), .at = now, .s = *s};
	for (u32 i = 0; i < s->n; i++)
		bytes += s->cta[i].technique == BY_SWITCH ? s->cta[i].bytes : 0;
	for (u32 t = 0; t < TECHNIQUES; t++)
		p->would[t] = preempt_sm_cost(c, s, (enum technique)t);
	p->save_at = now + preempt_switch_cycles(c, bytes);
	if (bytes && traffic_is_on(&x->dispatch->resume->traffic))
		p->save_at = NEVER; /* it has not been seen yet */
	x->p->smst[s->sm] = (u32)(p - x->p->plan) + 1;
	dispatch_keep_away(x->dispatch, r->launch, s->sm);
	if (wanted(x, EV_PREEMPT_START)) {
		struct event *e = sm_tells(x, EV_PREEMPT_START, r->launch, s->sm, r->id, now);
		e->arg[1] = p->technique;
		e->arg[2] = known(s->cost.latency);
		e->arg[3] = known(s->cost.overhead);
	}
	for (u32 i = 0; i < s->n && wanted(x, EV_PREEMPT_CTA); i++)
		tell_cta(x, p, &s->cta[i], now);
}

static u32 number_of(const struct preempt_ops *by)
{
	u32 i = 0;
	while (preempt_policies[i] != &by->policy)
		i++;
	return i;
}

/* Costs and techniques of the first n SMs in scratch. */
static void estimate(struct preempt_ctx *x, u32 launch, const struct preempt_ops *by, u32 n, u64 limit, u64 now)
{
	const struct conf *c = x->dispatch->conf;
	const struct preempt_stats stats = preempt_stats_of(x, launch, now);
	for (u32 i = 0; i < n; i++) {
		preempt_estimate(c, &stats, &x->scratch[i]);
		by->choose(&x->scratch[i], limit);
		x->scratch[i].cost = preempt_sm_cost(c, &x->scratch[i], TECHNIQUES);
	}
}

u32 preempt_pick(struct preempt_ctx *x, u32 launch, u32 n, u64 now, u64 *set)
{
	const struct conf *c = x->dispatch->conf;
	const struct preempt_ask a = {.launch = launch, .limit = (u64)(c->preempt_within * c->core_clock)};
	const u32 there = candidates(x, &a);
	u32 chosen[CONF_MAX_SMS];
	n = MIN(n, there);
	estimate(x, launch, x->ops->choose ? x->ops : &preempt_drain, there, a.limit, now);
	preempt_select(x->scratch, there, n, a.limit, chosen);
	for (u32 i = 0; i < n; i++)
		set[x->scratch[chosen[i]].sm / 64] |= BIT(x->scratch[chosen[i]].sm % 64);
	return n;
}

u32 preempt_request(struct preempt_ctx *x, const struct preempt_ask *a, u64 now, struct err *e)
{
	if (!preempt_may(x, a, now, e))
		return 0;
	const struct preempt_ops *by = ops_of(x, a);
	const u32 n = candidates(x, a), id = ++x->p->requests;
	struct preempt_request *r = &x->p->request[id % PREEMPT_REQUESTS];
	*r = (struct preempt_request){.at = now,
	                              .limit = a->limit,
	                              .id = id,
	                              .launch = a->launch,
	                              .sms = a->set ? n : a->sms,
	                              .left = a->set ? n : a->sms,
	                              .by = number_of(by),
	                              .stays = a->stays};
	if (wanted(x, EV_PREEMPT_REQUEST)) {
		struct event *ev = request_tells(x, EV_PREEMPT_REQUEST, r, now);
		ev->arg[1] = r->sms;
		ev->arg[2] = in_us(x, a->limit);
		ev->arg[3] = r->by;
	}
	estimate(x, a->launch, by, n, a->limit, now);
	for (u32 i = 0; i < n && wanted(x, EV_PREEMPT_PLAN); i++)
		tell_plan(x, a->launch, &x->scratch[i], id, now);
	u32 chosen[CONF_MAX_SMS];
	preempt_select(x->scratch, n, r->sms, a->limit, chosen);
	for (u32 i = 0; i < r->sms; i++)
		start_plan(x, r, &x->scratch[chosen[i]], now);
	x->p->look_at = now;
	return id;
}

/* --- SMs go back -------------------------------------------------------------------------------------------------- */

bool preempt_may_release(const struct preempt_ctx *x, const u64 *set, struct err *e)
{
	const struct dispatcher *d = x->dispatch->d;
	bool any = false;
	for (u32 i = 0; i < CONF_MAX_SMS; i++) {
		if (set && !(set[i / 64] >> i % 64 & 1))
			continue;
		if (set && i >= x->dispatch->conf->num_sms)
			return err_set(e, "there is no SM %u: the machine has %u", i, x->dispatch->conf->num_sms);
		if (set && !d->away[i])
			return err_set(e, "SM %u has been taken from nobody", i);
		if (set && x->p->smst[i])
			return err_set(e, "SM %u is being preempted (request %u): it can be given back when it is free", i,
			               x->p->plan[x->p->smst[i] - 1].request);
		any |= d->away[i] && !x->p->smst[i];
	}
	return any || err_set(e, "no SM has been taken from a kernel and is free of it");
}

bool preempt_release(struct preempt_ctx *x, const u64 *set, struct err *e)
{
	if (!preempt_may_release(x, set, e))
		return false;
	for (u32 i = 0; i < x->dispatch->conf->num_sms; i++)
		if ((!set || set[i / 64] >> i % 64 & 1) && x->dispatch->d->away[i] && !x->p->smst[i])
			dispatch_give(x->dispatch, i);
	return true;
}

/* --- carried out -------------------------------------------------------------------------------------------------- */

struct turn {
	u64 now, next; /* next: when to look again */
	u64 *awake;
	bool fault;
};

static void wake(struct preempt_ctx *x, u32 sm, struct turn *t)
{
	sm_of(x, sm)->settled = 0;
	t->awake[sm / 64] |= BIT(sm % 64);
}

/* The CTAs that are switched, or all, are halted until that cycle; with preempt.halt=sm the SM is. */
static void halt(struct preempt_ctx *x, const struct preempt_plan *p, bool all, u64 until, struct turn *t)
{
	u32 slots = all ? ~0u : 0;
	for (u32 i = 0; i < p->s.n; i++)
		slots |= p->s.cta[i].technique == BY_SWITCH && !p->fate[i].left_at ? 1u << p->s.cta[i].slot : 0;
	if (!slots)
		return;
	resume_move(x->dispatch->resume, p->s.sm, slots, until, t->now);
	wake(x, p->s.sm, t);
}

/* Warp instructions that CTAs execute in so many cycles. */
static u64 work_of(const struct preempt_ctx *x, u32 launch, u64 cycles, u64 now)
{
	const struct preempt_stats s = preempt_stats_of(x, launch, now);
	return s.cycles ? (u64)((double)cycles * (double)s.insts / (double)s.cycles) : 0;
}

static void cta_has_left(struct preempt_plan *p, u32 i, u64 now)
{
	p->fate[i].left_at = now;
	p->left--;
}

/* It can be neither saved nor dropped, and that will not change: it stays until its end. */
static void let_drain(struct preempt_ctx *x, struct preempt_plan *p, u32 i, const struct turn *t)
{
	struct preempt_cta *a = &p->s.cta[i];
	a->technique = BY_DRAIN;
	p->technique = TECHNIQUES;
	if (wanted(x, EV_PREEMPT_CTA))
		tell_cta(x, p, a, t->now);
}

static struct traffic_ctx *traffic_of(const struct preempt_ctx *x)
{
	return &x->dispatch->resume->traffic;
}

static bool is_switched(const struct preempt_plan *p, u32 i)
{
	return p->s.cta[i].technique == BY_SWITCH && !p->fate[i].left_at;
}

/* preempt.traffic: the contexts that are saved are sent to memory, as one. */
static void send_contexts(struct preempt_ctx *x, struct preempt_plan *p)
{
	const struct sm *s = sm_of(x, p->s.sm);
	u64 bytes = 0;
	u32 warp = 0, slots = 0;
	for (u32 i = 0; i < p->s.n; i++)
		if (is_switched(p, i) && is_there(s, p->s.cta[i].slot, p->launch)) {
			bytes += p->s.cta[i].bytes;
			slots |= 1u << p->s.cta[i].slot;
			warp = bit_first(s->cta[p->s.cta[i].slot].warps);
		}
	traffic_out(traffic_of(x), p->s.sm, slots, warp, bytes);
}

static bool any_switched(const struct preempt_plan *p)
{
	bool any = false;
	for (u32 i = 0; i < p->s.n; i++)
		any |= is_switched(p, i);
	return any;
}

/* The last of them has been acknowledged: now they may be taken off. */
static void look_at_contexts(struct preempt_ctx *x, struct preempt_plan *p, struct turn *t)
{
	if (p->save_at == NEVER && traffic_is_out(traffic_of(x), p->s.sm))
		p->save_at = t->now;
	if (p->save_at == NEVER)
		t->next = t->now + 1;
}

/* None that was sent is left: the SM moves what is next. */
static void end_contexts(struct preempt_ctx *x, struct preempt_plan *p, struct turn *t)
{
	if (any_switched(p))
		return;
	traffic_end(traffic_of(x), p->s.sm, t->now);
	wake(x, p->s.sm, t);
}

u64 preempt_saves_at(const struct preempt_ctx *x, u32 sm, u32 slot)
{
	const struct preempt_plan *p = x->p->smst[sm] ? &x->p->plan[x->p->smst[sm] - 1] : NULL;
	for (u32 i = 0; p && i < p->s.n; i++)
		if (p->s.cta[i].slot == slot && is_switched(p, i))
			return p->save_at;
	return 0;
}

/* Takes it off its SM. False: not in this cycle. */
static bool take_off(struct preempt_ctx *x, struct preempt_plan *p, u32 i, u64 bring, struct turn *t)
{
	const u32 sm = p->s.sm;
	const struct sm *s = sm_of(x, sm);
	struct saved_cta *c = resume_save(x->dispatch->resume, sm, p->s.cta[i].slot, true, t->now, NULL);
	wake(x, sm, t);
	if (!c) { /* places of CTAs whose answers are under way become free */
		t->next = t->now + 1;
		if (!(s->ctas_away[0] | s->ctas_away[1]))
			let_drain(x, p, i, t);
		return false;
	}
	c->bring = bring;
	if (bring && traffic_is_on(traffic_of(x)))
		resume_lies_at(x->dispatch->resume, c, p->s.cta[i].bytes);
	cta_has_left(p, i, t->now);
	x->dispatch->d->wanted = 1;
	return true;
}

static void save(struct preempt_ctx *x, struct preempt_plan *p, u32 i, struct turn *t)
{
	const u64 bring = preempt_switch_cycles(x->dispatch->conf, p->s.cta[i].bytes);
	if (!take_off(x, p, i, bring, t))
		return;
	counters_of(x, p->launch)->ctas_switched++;
	p->fate[i].lost = work_of(x, p->launch, p->save_at - p->at + bring, t->now);
}

/* The record says that the CTA must not begin again. */
static void refuse_flush(struct preempt_ctx *x, const struct preempt_plan *p, u32 i, struct turn *t)
{
	const u32 sm = p->s.sm, slot = p->s.cta[i].slot;
	const struct restart_cta *r = restart_cta(ctx_of(x, sm)->restart, sm, slot);
	front_raise_fault(x->front, t->now,
	                  &(struct fault){.code = FAULT_FLUSH,
	                                  .sm = sm,
	                                  .warp = bit_first(sm_of(x, sm)->cta[slot].warps),
	                                  .launch = p->launch,
	                                  .cta = p->s.cta[i].id,
	                                  .pc = r->first_pc,
	                                  .addr = r->first_addr,
	                                  .bytes = r->first});
	t->fault = true;
}

static void flush(struct preempt_ctx *x, struct preempt_plan *p, u32 i, struct turn *t)
{
	const u32 sm = p->s.sm, slot = p->s.cta[i].slot;
	const struct cta *c = &sm_of(x, sm)->cta[slot];
	const u64 insts = c->insts - c->insts_dropped;
	if (!p->fate[i].dropped && !may_flush(x, sm, slot)) { /* it had to wait, and has gone on */
		p->s.cta[i].technique =
		    (u8)((const struct preempt_ops *)preempt_policies[preempt_find(x->p, p->request)->by])->instead;
		p->technique = TECHNIQUES;
		t->next = t->now + 1;
		if (wanted(x, EV_PREEMPT_CTA))
			tell_cta(x, p, &p->s.cta[i], t->now);
		return;
	}
	if (!p->fate[i].dropped && !restart_possible(ctx_of(x, sm)->restart, sm, slot)) {
		refuse_flush(x, p, i, t);
		return;
	}
	if (!p->fate[i].dropped && !sm_drop_cta(ctx_of(x, sm), sm_of(x, sm), slot, t->now, NULL)) {
		halt(x, p, true, t->now + 2, t);
		t->next = t->now + 1;
		return;
	}
	if (!p->fate[i].dropped) {
		p->fate[i].lost = insts;
		p->fate[i].dropped = 1;
		counters_of(x, p->launch)->ctas_flushed++;
	}
	take_off(x, p, i, 0, t);
}

static void go_on_with(struct preempt_ctx *x, struct preempt_plan *p, u32 i, struct turn *t)
{
	const struct preempt_cta *a = &p->s.cta[i];
	const struct sm *s = sm_of(x, p->s.sm);
	const struct cta *c = &s->cta[a->slot];
	if (!c->used || c->launch != p->launch || c->id != a->id) {
		counters_of(x, p->launch)->ctas_drained += !resume_find(x->dispatch->resume, p->launch, a->id);
		cta_has_left(p, i, t->now);
		return;
	}
	if (a->technique == BY_DRAIN)
		sm_of(x, p->s.sm)->leaving |= c->warps;
	if (a->technique == BY_DRAIN || s->done_slots >> a->slot & 1)
		return;
	if (front_queued(x->front, p->s.sm)) { /* commit.delay: nothing more comes while it stands still */
		halt(x, p, true, t->now + 2, t);
		t->next = t->now + 1;
	} else if (a->technique == BY_FLUSH) {
		flush(x, p, i, t);
	} else if (p->save_at <= t->now) {
		save(x, p, i, t);
	} else {
		t->next = MIN(t->next, p->save_at);
	}
}

/* The time that drained CTAs' places were empty for is lost, too. */
static u64 lost_of(const struct preempt_ctx *x, struct preempt_plan *p, u64 now)
{
	u64 sum = 0;
	for (u32 i = 0; i < p->s.n; i++) {
		if (p->s.cta[i].technique == BY_DRAIN)
			p->fate[i].lost = work_of(x, p->launch, now - p->fate[i].left_at, now);
		sum += p->fate[i].lost;
	}
	return sum;
}

static void sm_is_free(struct preempt_ctx *x, struct preempt_plan *p, const struct turn *t)
{
	struct preempt_request *r = &x->p->request[p->request % PREEMPT_REQUESTS];
	p->done_at = t->now;
	p->lost = lost_of(x, p, t->now);
	x->p->smst[p->s.sm] = 0;
	if (!r->stays && dispatch_slot(x->dispatch->d, p->launch) >= 0)
		dispatch_let_back(x->dispatch, p->launch, p->s.sm); /* from others the user may have taken it */
	r->left--;
	if (!wanted(x, EV_PREEMPT_DONE))
		return;
	struct event *e = sm_tells(x, EV_PREEMPT_DONE, p->launch, p->s.sm, p->request, t->now);
	e->arg[1] = in_us(x, t->now - p->at);
	e->arg[2] = p->lost;
	e->arg[3] = p->technique;
}

static void go_on(struct preempt_ctx *x, struct preempt_plan *p, struct turn *t)
{
	if (p->at == t->now)
		halt(x, p, false, p->save_at, t);
	if (p->at == t->now && p->save_at == NEVER)
		send_contexts(x, p);
	const bool sends = traffic_leaves(traffic_of(x), p->s.sm);
	if (sends)
		look_at_contexts(x, p, t);
	for (u32 i = 0; i < p->s.n && !t->fault; i++)
		if (!p->fate[i].left_at)
			go_on_with(x, p, i, t);
	if (sends && p->save_at != NEVER)
		end_contexts(x, p, t);
	if (sends && p->save_at == NEVER && !any_switched(p))
		traffic_cut(traffic_of(x), p->s.sm);
	if (!p->left)
		sm_is_free(x, p, t);
}

static void tell_deadline(const struct preempt_ctx *x, struct preempt_request *r, bool met, u64 now)
{
	r->told = 1;
	counters_of(x, r->launch)->deadlines_met += met;
	counters_of(x, r->launch)->deadlines_missed += !met;
	if (!wanted(x, met ? EV_DEADLINE_MET : EV_DEADLINE_MISS))
		return;
	struct event *e = request_tells(x, met ? EV_DEADLINE_MET : EV_DEADLINE_MISS, r, now);
	e->arg[1] = met ? in_us(x, now - r->at) : r->left;
	e->arg[2] = in_us(x, r->limit);
	e->arg[3] = r->sms;
}

static void look_at_requests(struct preempt_ctx *x, struct turn *t)
{
	for (u32 i = 0; i < PREEMPT_REQUESTS; i++) {
		struct preempt_request *r = &x->p->request[i];
		if (!r->id || r->done_at)
			continue;
		const bool over = t->now - r->at >= r->limit;
		if (!r->left)
			r->done_at = t->now;
		if (!r->told && (over || !r->left))
			tell_deadline(x, r, !r->left && t->now - r->at <= r->limit, t->now);
		if (!r->told)
			t->next = MIN(t->next, r->at + r->limit);
	}
}

bool preempt_cycle(struct preempt_ctx *x, u64 now, u64 *awake)
{
	struct turn t = {.now = now, .next = NEVER, .awake = awake};
	for (u32 i = 0; i < x->dispatch->conf->num_sms && !t.fault; i++)
		if (x->p->smst[i])
			go_on(x, &x->p->plan[x->p->smst[i] - 1], &t);
	look_at_requests(x, &t);
	x->p->look_at = t.next;
	return !t.fault;
}

/* --- checks ------------------------------------------------------------------------------------------------------- */

u64 preempt_hash(const struct preempt_ctx *x)
{
	return x->p->requests ? XXH3_64bits(x->p, sizeof *x->p) : 0;
}

/* Each request is in time, late, or open. */
static bool check_deadlines(const struct preempt_ctx *x, struct err *e)
{
	u64 open = 0, met = 0, missed = 0;
	for (u32 i = 0; i < PREEMPT_REQUESTS; i++)
		open += x->p->request[i].id && !x->p->request[i].told;
	for (u32 i = 0; i < x->task->nlaunches; i++) {
		met += x->task->kcb[i].k.deadlines_met;
		missed += x->task->kcb[i].k.deadlines_missed;
	}
	HOLDS(x->p->requests == met + missed + open, "%u requests for SMs, %llu in time, %llu late, %llu open",
	      x->p->requests, (unsigned long long)met, (unsigned long long)missed, (unsigned long long)open);
	return true;
}

bool preempt_check_state(const struct preempt_ctx *x, struct err *e)
{
	const struct preempt *p = x->p;
	u32 open = 0, left = 0;
	for (u32 i = 0; i < PREEMPT_REQUESTS; i++)
		left += p->request[i].left;
	for (u32 i = 0; i < CONF_MAX_SMS; i++) {
		if (!p->smst[i])
			continue;
		const struct preempt_plan *q = &p->plan[p->smst[i] - 1];
		const struct preempt_request *r = preempt_find(p, q->request);
		u32 there = 0;
		open++;
		for (u32 k = 0; k < q->s.n; k++)
			there += !q->fate[k].left_at;
		HOLDS(q->s.sm == i && !q->done_at && r && !r->done_at && q->left == there,
		      "SM %u: request %u is under way, with %u CTAs (%u) of SM %u", i, q->request, q->left, there, q->s.sm);
	}
	HOLDS(open == left, "requests wait for %u SMs, %u are being preempted", left, open);
	return check_deadlines(x, e);
}
