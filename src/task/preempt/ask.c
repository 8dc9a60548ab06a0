/* Who may be asked for SMs, is, and what it would cost; and SMs that go back. */
#include <stddef.h>
#include <string.h>

#include "sm/restartable.h"
#include "sm/virtual.h"
#include "task/preempt/preempt_internal.h"

extern const struct preempt_ops preempt_drain;

/* --- what is known when a request comes --------------------------------------------------------------------------- */

struct preempt_stats preempt_stats_of(const struct preempt_ctx *x, u32 launch, u64 now)
{
	const struct kernel_counters *k = counters_of(x, launch);
	struct preempt_stats s = {.ended = k->ctas_done,
	                          .ended_insts = k->warp_insts - k->insts_dropped,
	                          .insts = k->warp_insts,
	                          .cycles = k->cta_cycles};
	for (u32 i = 0; i < x->dispatch->conf->num_sms; i++)
		FOR_EACH_CTA(place, sm_of(x, i))
		{
			const struct cta *c = &sm_of(x, i)->cta[place];
			if (c->launch != launch)
				continue;
			s.insts += c->insts;
			s.cycles += now - c->started_at - (c->away - (c->moving_until > now ? c->moving_until - now : 0));
		}
	return s;
}

enum cost_bar preempt_flush_bar(const struct preempt_ctx *x, u32 sm, u32 place)
{
	const struct sm_ctx *c = ctx_of(x, sm);
	const struct sm *s = sm_of(x, sm);
	const struct restart_cta *r = restart_cta(c->restart, sm, place);
	const struct program *p = &c->prog[s->cta[place].launch];
	const bool strict = c->conf->preempt_idempotence == PREEMPT_STRICT;
	if (!r)
		return FLUSH_NO_RECORD;
	if (strict && !p->idempotent)
		return FLUSH_STRICT;
	if (!p->notice)
		return FLUSH_NO_NOTICE;
	if (r->causes == BIT(RESTART_LOST))
		return FLUSH_LOST;
	return !strict && restart_noticed(c, s, place) ? FLUSH_NOTICED : COST_KNOWN;
}

bool preempt_forbids(const struct preempt_ctx *x, const struct preempt_ops *by, u32 launch)
{
	return by->only_flushes && x->dispatch->conf->preempt_idempotence == PREEMPT_STRICT &&
	       !ctx_of(x, 0)->prog[launch].idempotent;
}

/* Does a CTA stay rather than another one of its kernel: the older one; with 2-way allocation the one that is farther
 * from the free space (Park 2016, figure 5.9b). */
static bool stays_before(const struct preempt_ctx *x, const struct sm *s, const struct cta *a, const struct cta *b)
{
	if (x->dispatch->conf->sm_allocation == SM_ALLOCATION_TWO_WAY)
		return b->from_top ? a->reg_first > b->reg_first : a->reg_first < b->reg_first;
	return s->warp[sm_first_warp(a)].age < s->warp[sm_first_warp(b)].age;
}

/* CTAs of the launch on the SM that stay rather than the one in this place. */
static u32 before_it(const struct preempt_ctx *x, const struct sm *s, u32 place, u32 launch)
{
	u32 n = 0;
	FOR_EACH_CTA(i, s)
	n += s->cta[i].launch == launch && stays_before(x, s, &s->cta[i], &s->cta[place]);
	return n;
}

/* Behind the last CTA *out is what it was. */
static void look_at_sm(const struct preempt_ctx *x, u32 launch, u32 sm, u32 keep, u64 now, struct preempt_sm *out)
{
	const struct sm *s = sm_of(x, sm);
	const struct sm_ctx *ctx = ctx_of(x, sm);
	out->sm = sm;
	out->n = 0;
	out->cost = (struct preempt_cost){0, 0};
	FOR_EACH_CTA(place, s)
	{
		const struct cta *c = &s->cta[place];
		if (!is_there(s, place, launch) || (keep && before_it(x, s, place, launch) < keep))
			continue;
		const enum cost_bar bar = preempt_flush_bar(x, sm, place);
		out->cta[out->n++] = (struct preempt_cta){.id = c->id,
		                                          .insts = c->insts - c->insts_dropped,
		                                          .bytes = 4ull * c->reg_size + c->shared_size,
		                                          .wait = vt_in_swap(ctx, place) ? ctx->vt->until + 1 - now : 0,
		                                          .place = place,
		                                          .may_flush = bar == COST_KNOWN,
		                                          .no_flush = (u8)bar,
		                                          .inactive = c->inactive};
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
static u32 candidates(const struct preempt_ctx *x, const struct preempt_ask *a, u64 now)
{
	u32 n = 0;
	for (u32 i = 0; i < x->dispatch->conf->num_sms; i++) {
		if (a->set ? !(a->set[i / 64] >> i % 64 & 1) : !may_ask_for(x, a, i, NULL))
			continue;
		look_at_sm(x, a->launch, i, a->keep, now, &x->scratch[n]);
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
		return err_set(e, "no technique is chosen: name one (%s), or set preempt", preempt_policy_list());
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
	const u32 n = candidates(x, a, now);
	return a->sms <= n ||
	       err_set(e, "launch %u has CTAs on %u SM%s that it could give", a->launch, n, n == 1 ? "" : "s");
}

static u32 common_technique(const struct preempt_sm *s)
{
	u32 t = s->n ? s->cta[0].technique : BY_DRAIN;
	for (u32 i = 1; i < s->n; i++)
		t = s->cta[i].technique == t ? t : TECHNIQUES;
	return t;
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
	    .request = r->id, .launch = r->launch, .left = s->n, .technique = common_technique(s), .at = now};
	memcpy(&p->s, s, offsetof(struct preempt_sm, cta[s->n]));
	for (u32 i = 0; i < s->n; i++)
		bytes += s->cta[i].technique == BY_SWITCH ? s->cta[i].bytes : 0;
	for (u32 t = 0; t < TECHNIQUES; t++)
		p->would[t] = preempt_sm_cost(c, s, (enum technique)t);
	p->save_at = now + preempt_switch_cycles(c, bytes);
	if (bytes && traffic_is_on(&x->dispatch->resume->traffic))
		p->save_at = NEVER; /* it has not been seen yet */
	x->p->smst[s->sm] = (u32)(p - x->p->plan) + 1;
	dispatch_keep_away(x->dispatch, r->launch, s->sm);
	tell_start(x, p, now);
	for (u32 i = 0; i < s->n; i++)
		tell_cta(x, p, i, now);
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

/* Estimates the n candidates, and selects `want` of them. */
static void weigh(struct preempt_ctx *x, const struct preempt_ask *a, const struct preempt_ops *by, u32 n, u32 want,
                  u32 *chosen, u64 now)
{
	estimate(x, a->launch, by, n, a->limit, now);
	preempt_select(x->scratch, n, want, a->limit, chosen);
}

static void weighed(const struct preempt_ctx *x, const struct preempt_ask *a, u32 request, u32 n, u32 want,
                    const u32 *chosen, u64 now)
{
	if (x->watch)
		x->watch->weighed(x->watch, x, a, request, x->scratch, n, chosen, want, now);
}

void preempt_weigh(struct preempt_ctx *x, const struct preempt_ask *a, u64 now)
{
	u32 chosen[CONF_MAX_SMS];
	const u32 n = candidates(x, a, now), want = a->set ? n : MIN(a->sms, n);
	weigh(x, a, ops_of(x, a), n, want, chosen, now);
	weighed(x, a, 0, n, want, chosen, now);
}

bool preempt_may_ask(const struct preempt_ctx *x, const struct preempt_ask *a, u32 sm, struct err *e)
{
	return may_ask_for(x, a, sm, e);
}

u32 preempt_pick(struct preempt_ctx *x, u32 launch, u32 n, u64 now, u64 *set)
{
	const struct conf *c = x->dispatch->conf;
	const struct preempt_ask a = {.launch = launch, .limit = (u64)(c->preempt_within * c->core_clock)};
	const u32 there = candidates(x, &a, now);
	u32 chosen[CONF_MAX_SMS];
	n = MIN(n, there);
	weigh(x, &a, x->ops->choose ? x->ops : &preempt_drain, there, n, chosen, now);
	weighed(x, &a, 0, there, n, chosen, now);
	for (u32 i = 0; i < n; i++)
		set[x->scratch[chosen[i]].sm / 64] |= BIT(x->scratch[chosen[i]].sm % 64);
	return n;
}

u32 preempt_request(struct preempt_ctx *x, const struct preempt_ask *a, u64 now, struct err *e)
{
	if (!preempt_may(x, a, now, e))
		return 0;
	const struct preempt_ops *by = ops_of(x, a);
	const u32 n = candidates(x, a, now), id = ++x->p->requests;
	struct preempt_request *r = &x->p->request[id % PREEMPT_REQUESTS];
	*r = (struct preempt_request){.at = now,
	                              .limit = a->limit,
	                              .id = id,
	                              .launch = a->launch,
	                              .sms = a->set ? n : a->sms,
	                              .left = a->set ? n : a->sms,
	                              .by = number_of(by),
	                              .whom = a->whom,
	                              .keep = (u8)a->keep,
	                              .partition = a->partition,
	                              .stays = a->stays};
	tell_request(x, r, now);
	u32 chosen[CONF_MAX_SMS];
	weigh(x, a, by, n, r->sms, chosen, now);
	weighed(x, a, id, n, r->sms, chosen, now);
	for (u32 i = 0; i < n; i++)
		tell_plan(x, a->launch, &x->scratch[i], id, now);
	const bool forbidden = preempt_forbids(x, by, a->launch);
	for (u32 i = 0; i < r->sms; i++)
		if (forbidden && x->scratch[chosen[i]].n)
			r->held++;
		else
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
