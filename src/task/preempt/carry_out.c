/* How the CTAs of an SM leave it, each by its technique, and when a request has been served. */
#include <string.h>

#include "sm/restartable.h"
#include "sm/verbs.h"
#include "sm/virtual.h"
#include "task/preempt/preempt_internal.h"

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

static bool is_switched(const struct preempt_plan *p, u32 i)
{
	return p->s.cta[i].technique == BY_SWITCH && !p->fate[i].left_at;
}

/* Of the CTAs that are there and leave by a switch. */
static struct cta_set switched(const struct preempt_plan *p)
{
	struct cta_set s = {{0}};
	for (u32 i = 0; i < p->s.n; i++)
		if (is_switched(p, i))
			cta_add(&s, p->s.cta[i].place);
	return s;
}

/* The CTAs that are switched, or all of the SM, are halted until that cycle; with preempt.halt=sm the SM is. */
static void halt(struct preempt_ctx *x, const struct preempt_plan *p, bool all, u64 until, struct turn *t)
{
	struct cta_set ctas = switched(p);
	if (all)
		memset(&ctas, 0xff, sizeof ctas);
	if (!cta_any(&ctas))
		return;
	resume_move(x->dispatch->resume, p->s.sm, &ctas, until, t->now);
	wake(x, p->s.sm, t);
}

/* Warp instructions that CTAs execute in so many cycles. */
static u64 work_of(const struct preempt_ctx *x, u32 launch, u64 cycles, u64 now)
{
	const struct preempt_stats s = preempt_stats_of(x, launch, now);
	return s.cycles ? (u64)((double)cycles * (double)s.insts / (double)s.cycles) : 0;
}

/* With preempt.halt=sm: what other CTAs than these lose in so many cycles, each as its kernel does. */
static u64 work_of_others(const struct preempt_ctx *x, u32 sm, const struct cta_set *these, u64 cycles, u64 now)
{
	const struct sm *s = sm_of(x, sm);
	u64 sum = 0;
	if (x->dispatch->conf->preempt_halt != PREEMPT_HALT_SM)
		return 0;
	FOR_EACH_CTA(i, s)
	if (!cta_in(these, i) && !sm_has_ended(s, i))
		sum += work_of(x, s->cta[i].launch, cycles, now);
	return sum;
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
	tell_cta(x, p, i, t->now);
}

static struct traffic_ctx *traffic_of(const struct preempt_ctx *x)
{
	return &x->dispatch->resume->traffic;
}

/* preempt.traffic: the contexts that are saved are sent to memory, as one. */
static void send_contexts(struct preempt_ctx *x, struct preempt_plan *p)
{
	const struct sm *s = sm_of(x, p->s.sm);
	struct cta_set ctas = {{0}};
	u64 bytes = 0;
	u32 warp = 0;
	for (u32 i = 0; i < p->s.n; i++)
		if (is_switched(p, i) && is_there(s, p->s.cta[i].place, p->launch)) {
			bytes += p->s.cta[i].bytes;
			cta_add(&ctas, p->s.cta[i].place);
			warp = sm_first_warp(&s->cta[p->s.cta[i].place]);
		}
	traffic_out(traffic_of(x), p->s.sm, &ctas, warp, bytes);
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

static bool is_of(const struct preempt_plan *p, u32 i, const struct cta *c)
{
	return c->used && c->launch == p->launch && c->id == p->s.cta[i].id;
}

u64 preempt_saves_at(const struct preempt_ctx *x, u32 sm, u32 place)
{
	const struct preempt_plan *p = x->p->smst[sm] ? &x->p->plan[x->p->smst[sm] - 1] : NULL;
	for (u32 i = 0; p && i < p->s.n; i++)
		if (is_switched(p, i) && is_of(p, i, &sm_of(x, sm)->cta[place]))
			return p->save_at;
	return 0;
}

/* CTAs that are on their way off the SM have places, which become free. */
static bool any_leaving(const struct sm *s)
{
	bool any = false;
	for (u32 i = SM_MAX_CTAS; i < SM_CTA_PLACES; i++)
		any |= s->cta[i].used && !s->cta[i].inactive;
	return any;
}

/* Takes it off its SM. False: not in this cycle. */
static bool take_off(struct preempt_ctx *x, struct preempt_plan *p, u32 i, u64 bring, struct turn *t)
{
	const u32 sm = p->s.sm;
	struct saved_cta *c = resume_save(
	    x->dispatch->resume, sm, p->s.cta[i].place, true,
	    &(struct cta_leaves){.request = p->request,
	                         .cause = p->s.cta[i].technique == BY_FLUSH ? LEAVES_BY_FLUSH : LEAVES_BY_SWITCH},
	    t->now, NULL);
	wake(x, sm, t);
	if (!c) {
		t->next = t->now + 1;
		if (!any_leaving(sm_of(x, sm)))
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

void preempt_brought(void *ctx, const struct saved_cta *c, u32 sm, u32 slot, u64 now)
{
	const struct preempt_ctx *x = ctx;
	const struct cta_set alone = cta_alone(slot);
	const u64 lost = work_of_others(x, sm, &alone, c->bring, now);
	for (u32 k = 0; k < PREEMPT_PLANS && lost; k++) {
		struct preempt_plan *p = &x->p->plan[k];
		for (u32 i = 0; p->request == c->request && p->launch == c->launch && i < p->s.n; i++)
			if (p->s.cta[i].id == c->id) {
				p->fate[i].lost += lost;
				p->lost += p->done_at ? lost : 0; /* else it is summed then */
				return;
			}
	}
}

static void save(struct preempt_ctx *x, struct preempt_plan *p, u32 i, struct turn *t)
{
	const u64 bring = preempt_switch_cycles(x->dispatch->conf, p->s.cta[i].bytes);
	const struct cta_set ctas = switched(p);
	const u64 others = p->halted ? 0 : work_of_others(x, p->s.sm, &ctas, p->save_at - p->at, t->now);
	if (!take_off(x, p, i, bring, t))
		return;
	p->halted += others;
	counters_of(x, p->launch)->ctas_switched++;
	p->fate[i].lost = work_of(x, p->launch, p->save_at - p->at + bring, t->now);
}

/* The record says that the CTA must not begin again. */
static void refuse_flush(struct preempt_ctx *x, const struct preempt_plan *p, u32 i, struct turn *t)
{
	const u32 sm = p->s.sm, place = p->s.cta[i].place;
	const struct restart_cta *r = restart_cta(ctx_of(x, sm)->restart, sm, place);
	front_raise_fault(x->front, t->now,
	                  &(struct fault){.code = FAULT_FLUSH,
	                                  .sm = sm,
	                                  .warp = sm_first_warp(&sm_of(x, sm)->cta[place]),
	                                  .launch = p->launch,
	                                  .cta = p->s.cta[i].id,
	                                  .pc = r->first_pc,
	                                  .addr = r->first_addr,
	                                  .bytes = r->first});
	t->fault = true;
}

static void flush(struct preempt_ctx *x, struct preempt_plan *p, u32 i, struct turn *t)
{
	const u32 sm = p->s.sm, place = p->s.cta[i].place;
	const struct cta *c = &sm_of(x, sm)->cta[place];
	const u64 insts = c->insts - c->insts_dropped;
	if (!p->fate[i].dropped && preempt_flush_bar(x, sm, place) != COST_KNOWN) { /* it had to wait, and has gone on */
		p->s.cta[i].technique =
		    (u8)((const struct preempt_ops *)preempt_policies[preempt_find(x->p, p->request)->by])->instead;
		p->technique = TECHNIQUES;
		t->next = t->now + 1;
		tell_cta(x, p, i, t->now);
		return;
	}
	if (!p->fate[i].dropped && !restart_possible(ctx_of(x, sm)->restart, sm, place)) {
		refuse_flush(x, p, i, t);
		return;
	}
	if (!p->fate[i].dropped && !sm_drop_cta(ctx_of(x, sm), sm_of(x, sm), place, t->now, NULL)) {
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

/* Its place now; the old one if it has left. CTAs change places only with virtual threads. */
static u32 find_place(const struct preempt_ctx *x, const struct preempt_plan *p, u32 i)
{
	const struct sm *s = sm_of(x, p->s.sm);
	if (!ctx_of(x, p->s.sm)->vt || is_of(p, i, &s->cta[p->s.cta[i].place]))
		return p->s.cta[i].place;
	FOR_EACH_CTA(place, s)
	if (is_of(p, i, &s->cta[place]))
		return place;
	return p->s.cta[i].place;
}

static void find_places(const struct preempt_ctx *x, struct preempt_plan *p)
{
	for (u32 i = 0; i < p->s.n; i++)
		if (!p->fate[i].left_at)
			p->s.cta[i].place = find_place(x, p, i);
}

/* Virtual threads: a swap that has begun ends first. The CTA stands still and is in none behind it. */
static bool waits_for_swap(struct preempt_ctx *x, struct preempt_plan *p, u32 place, struct turn *t)
{
	struct sm_ctx *ctx = ctx_of(x, p->s.sm);
	if (!vt_in_swap(ctx, place))
		return false;
	const u64 over = ctx->vt->until + 1;
	sm_move_context(ctx, sm_of(x, p->s.sm), place, over, t->now);
	wake(x, p->s.sm, t);
	t->next = MIN(t->next, over);
	return true;
}

static void drain(struct sm *s, struct cta *c)
{
	c->leaves = 1;
	s->leaving |= c->inactive ? 0 : c->warps;
}

static void go_on_with(struct preempt_ctx *x, struct preempt_plan *p, u32 i, struct turn *t)
{
	const struct preempt_cta *a = &p->s.cta[i];
	struct sm *s = sm_of(x, p->s.sm);
	struct cta *c = &s->cta[a->place];
	if (!is_of(p, i, c) || (a->place >= SM_MAX_CTAS && !c->inactive)) {
		counters_of(x, p->launch)->ctas_drained += !resume_find(x->dispatch->resume, p->launch, a->id);
		cta_has_left(p, i, t->now);
		return;
	}
	if (a->technique == BY_DRAIN)
		drain(s, c);
	if (a->technique == BY_DRAIN || sm_has_ended(s, a->place) || waits_for_swap(x, p, a->place, t))
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
	u64 sum = p->halted;
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
	tell_done(x, p, t->now);
}

static void go_on(struct preempt_ctx *x, struct preempt_plan *p, struct turn *t)
{
	find_places(x, p);
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

static void end_deadline(struct preempt_ctx *x, struct preempt_request *r, bool met, u64 now)
{
	r->told = 1;
	counters_of(x, r->launch)->deadlines_met += met;
	counters_of(x, r->launch)->deadlines_missed += !met;
	tell_deadline(x, r, met, now);
}

static void look_at_requests(struct preempt_ctx *x, struct turn *t)
{
	for (u32 i = 0; i < PREEMPT_REQUESTS; i++) {
		struct preempt_request *r = &x->p->request[i];
		if (!r->id || r->done_at)
			continue;
		const bool over = t->now - r->at >= r->limit;
		if (r->held && dispatch_slot(x->dispatch->d, r->launch) < 0) { /* the kernel has ended */
			r->left -= r->held;
			r->held = 0;
		}
		if (!r->left || (over && r->left == r->held)) /* what is held will not come */
			r->done_at = t->now;
		if (!r->told && (over || !r->left))
			end_deadline(x, r, !r->left && t->now - r->at <= r->limit, t->now);
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
