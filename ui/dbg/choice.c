#include "dbg/choice.h"

#include <stdlib.h>
#include <string.h>

#include "dbg/elsewhen.h"
#include "gpu/query_preempt.h"
#include "obs/why/why_choice.h"

/* --- through the past --------------------------------------------------------------------------------------------- */

#define FIRST_WINDOW 64 /* cycles: most decisions are not far */
#define WINDOW_GROWS 8

static void run_to(struct debugger *d, u64 cycle)
{
	struct stop stop = {.why = STOP_CYCLE};
	while (sim_cycle(d->s->sim) < cycle && sim_goes_on(d->s->sim, &stop))
		sim_run(d->s->sim, cycle, &stop);
}

/* Runs over stretches of the past, the last one first, each longer than the one behind it, until `found` says that
 * there was what is looked for. False with *e. */
static bool search(struct debugger *d, bool (*found)(const void *ctx), const void *ctx, struct err *e)
{
	struct sim_history_info h;
	u64 end = sim_cycle(d->s->sim);
	sim_history_info(d->s->sim, &h);
	if (!h.on)
		return err_set(e, "%s", h.off);
	for (u64 window = FIRST_WINDOW; end > h.begin && !found(ctx); window *= WINDOW_GROWS) {
		const u64 start = end - h.begin > window ? end - window : h.begin;
		if (!elsewhen_go(d, start, e))
			return false;
		run_to(d, end);
		end = start;
	}
	return true;
}

/* On until `found`, or the run ends. */
static void run_on(struct debugger *d, bool (*found)(const void *ctx), const void *ctx)
{
	struct err e = {0};
	enum session_stop why = SS_CYCLE;
	while (!found(ctx) && (why == SS_CYCLE || why == SS_REQUEST || why == SS_BUSY))
		why = session_run(d->s, NEVER, &e);
}

/* What a decision in that cycle was is seen by who looks on while the cycle goes by. */
static bool cycle_again(struct debugger *d, u64 cycle, struct err *e)
{
	if (!elsewhen_go(d, cycle, e))
		return false;
	run_to(d, cycle + 1);
	return true;
}

/* --- warps -------------------------------------------------------------------------------------------------------- */

struct pick_question {
	enum choice_when when;
	u32 sm;
	struct pick_look look;
	bool any; /* it has issued ... */
	u64 at;   /* ... last, or next, in this cycle */
};

static bool issued_at(void *ctx, const struct event *e)
{
	struct pick_question *q = ctx;
	if ((u32)e->sm != q->sm || e->arg[0] != q->look.scheduler)
		return false;
	q->any = true;
	q->at = e->cycle;
	return q->when == CHOICE_NEXT;
}

static bool has_issued(const void *ctx)
{
	return ((const struct pick_question *)ctx)->any;
}

static bool look_at_cycle(struct debugger *d, struct pick_question *q, u64 cycle, struct err *e)
{
	struct gpu *g = dbg_gpu(d);
	gpu_look_picks(g, q->sm, &q->look);
	const bool ok = cycle_again(d, cycle, e);
	gpu_look_picks(g, q->sm, NULL);
	if (!q->look.seen || q->look.cycle != cycle) {
		q->look = (struct pick_look){.scheduler = q->look.scheduler};
		gpu_look_states(g, q->sm, &q->look);
	}
	return ok;
}

static bool find_pick(struct debugger *d, struct pick_question *q, struct strbuf *text, struct err *e)
{
	struct gpu *g = dbg_gpu(d);
	const u64 now = gpu_cycle(g);
	if (q->when == CHOICE_SLOT && now)
		return look_at_cycle(d, q, now - 1, e);
	if (q->when == CHOICE_SLOT) {
		strbuf_adds(text, "No cycle has been simulated yet. `why pick next` tells of the first pick.\n");
		return true;
	}
	const int id = sim_subscribe(d->s->sim, EVENT(EV_SCHED_PICK), issued_at, q);
	bool ok = true;
	if (q->when == CHOICE_NEXT) {
		gpu_look_picks(g, q->sm, &q->look);
		run_on(d, has_issued, q);
		gpu_look_picks(g, q->sm, NULL);
	} else {
		ok = search(d, has_issued, q, e);
	}
	sim_unsubscribe(d->s->sim, id);
	if (ok && !q->any)
		strbuf_addf(text, "Scheduler %u of SM %u %s.\n", q->look.scheduler, q->sm,
		            q->when == CHOICE_NEXT ? "issues nothing more in this run" : "has issued nothing so far");
	return ok && q->any && q->when == CHOICE_LAST ? look_at_cycle(d, q, q->at, e) : ok;
}

static bool answer_pick(struct debugger *d, void *ctx, struct strbuf *answer, struct err *e)
{
	struct pick_question *q = ctx;
	struct strbuf text = STRBUF_INIT;
	const bool ok = find_pick(d, q, &text, e);
	if (ok && !text.len)
		why_tell_pick(dbg_gpu(d), q->sm, &q->look, &text);
	else
		q->look.used = 0;
	strbuf_add(answer, (const char *)&q->look, sizeof q->look);
	strbuf_add(answer, text.buf, text.len);
	strbuf_release(&text);
	return ok;
}

bool choice_pick(struct debugger *d, enum choice_when when, u32 sm, u32 scheduler, struct pick_look *look,
                 struct strbuf *text, struct err *e)
{
	struct pick_question q = {.when = when, .sm = sm, .look.scheduler = scheduler};
	struct strbuf answer = STRBUF_INIT;
	const bool ok = elsewhen(d, answer_pick, &q, &answer, e);
	if (ok && look)
		memcpy(look, answer.buf, sizeof *look);
	if (ok)
		strbuf_add(text, answer.buf + sizeof q.look, answer.len - sizeof q.look);
	strbuf_release(&answer);
	return ok;
}

/* --- CTAs --------------------------------------------------------------------------------------------------------- */

struct dispatch_question {
	enum choice_when when;
	struct dispatch_look *look;
	struct dispatch_choice is;
};

static bool dispatched(void *ctx, const struct event *e)
{
	struct dispatch_question *q = ctx;
	const struct dispatch_look *l = q->look;
	if ((l->launch != UINT32_MAX && (u32)e->kernel != l->launch) || (l->cta != NO_CTA && (u64)e->cta != l->cta) ||
	    (l->sm >= 0 && e->sm != l->sm) || (q->when == CHOICE_NEXT && q->is.cta != NO_CTA))
		return false;
	q->is = (struct dispatch_choice){e->cycle, (u64)e->cta, (u32)e->sm, (u32)e->kernel};
	return q->when == CHOICE_NEXT;
}

static bool was_dispatched(const void *ctx)
{
	return ((const struct dispatch_question *)ctx)->is.cta != NO_CTA;
}

static bool find_dispatch(struct debugger *d, struct dispatch_question *q, struct strbuf *text, struct err *e)
{
	struct gpu *g = dbg_gpu(d);
	struct dispatch_look *l = q->look;
	const int id = sim_subscribe(d->s->sim, EVENT(EV_CTA_DISPATCH), dispatched, q);
	bool ok = true;
	l->keep = true;
	if (q->when == CHOICE_NEXT) {
		gpu_look_dispatch(g, l);
		run_on(d, was_dispatched, q);
		gpu_look_dispatch(g, NULL);
	} else {
		ok = search(d, was_dispatched, q, e);
	}
	sim_unsubscribe(d->s->sim, id);
	if (!ok)
		return false;
	if (q->is.cta == NO_CTA) {
		strbuf_addf(text, "No such CTA %s.\n",
		            q->when == CHOICE_NEXT ? "is dispatched from here on" : "has been dispatched so far");
		return true;
	}
	l->launch = q->is.launch;
	l->cta = q->is.cta;
	l->sm = (s32)q->is.sm;
	if (q->when == CHOICE_LAST) {
		gpu_look_dispatch(g, l);
		ok = cycle_again(d, q->is.cycle, e);
		gpu_look_dispatch(g, NULL);
	}
	if (ok)
		why_tell_dispatch(g, l, text);
	return ok;
}

static bool answer_dispatch(struct debugger *d, void *ctx, struct strbuf *answer, struct err *e)
{
	struct dispatch_question *q = ctx;
	struct strbuf text = STRBUF_INIT;
	const bool ok = find_dispatch(d, q, &text, e);
	strbuf_add(answer, (const char *)&q->is, sizeof q->is);
	strbuf_add(answer, text.buf, text.len);
	strbuf_release(&text);
	return ok;
}

bool choice_dispatch(struct debugger *d, enum choice_when when, s32 launch, u64 cta, s32 sm, struct dispatch_choice *o,
                     struct strbuf *text, struct err *e)
{
	struct dispatch_question q = {.when = when, .look = xcalloc(1, sizeof *q.look), .is.cta = NO_CTA};
	struct strbuf answer = STRBUF_INIT;
	q.look->launch = launch < 0 ? UINT32_MAX : (u32)launch;
	q.look->cta = cta;
	q.look->sm = sm;
	const bool ok = elsewhen(d, answer_dispatch, &q, &answer, e);
	if (ok && o)
		memcpy(o, answer.buf, sizeof *o);
	if (ok)
		strbuf_add(text, answer.buf + sizeof q.is, answer.len - sizeof q.is);
	strbuf_release(&answer);
	free(q.look);
	return ok;
}

/* --- quotas ------------------------------------------------------------------------------------------------------- */

static bool has_changed(const void *ctx)
{
	return ((const struct partition_look *)ctx)->changed;
}

static bool answer_partition(struct debugger *d, void *ctx, struct strbuf *answer, struct err *e)
{
	struct partition_look *l = ctx;
	gpu_look_partition(dbg_gpu(d), l);
	const bool ok = search(d, has_changed, l, e);
	gpu_look_partition(dbg_gpu(d), NULL);
	if (ok && l->seen)
		why_tell_partition(dbg_gpu(d), l, answer);
	else
		strbuf_adds(answer, "The partition policy has not been asked so far.\n");
	return ok;
}

bool choice_partition(struct debugger *d, struct strbuf *text, struct err *e)
{
	struct partition_look *l = xcalloc(1, sizeof *l);
	const bool ok = elsewhen(d, answer_partition, l, text, e);
	free(l);
	return ok;
}

/* --- SMs for a preemption ----------------------------------------------------------------------------------------- */

/* A user's request is a turn of its cycle: the machine goes to right before it. */
static bool go_before_turn(struct debugger *d, const struct request_info *r, struct err *e)
{
	struct sim_place at = sim_before_turns(d->s->sim, r->at);
	const struct sim_place last = sim_place(d->s->sim);
	while (sim_place_order(at, last) < 0) {
		struct sim_place next = {at.cycle, at.turn + 1};
		if (!session_go(d->s, next, e))
			return false;
		if (gpu_requests(dbg_gpu(d)) >= r->id)
			break;
		at = next;
	}
	return session_go(d->s, at, e);
}

static bool weigh(struct debugger *d, struct preempt_look *l, const struct request_info *r, const u64 *set,
                  struct err *e)
{
	if (!go_before_turn(d, r, e))
		return false;
	l->id = 0;
	l->seen = false;
	gpu_weigh_preempt(dbg_gpu(d), r->launch, r->sms, set, r->keep, r->limit, r->by);
	l->id = r->id;
	return true;
}

static bool answer_preempt(struct debugger *d, void *ctx, struct strbuf *answer, struct err *e)
{
	struct preempt_look *l = ctx;
	struct gpu *g = dbg_gpu(d);
	struct request_info r;
	struct request_sm sms[CONF_MAX_SMS];
	struct sim_history_info h;
	u64 set[CONF_SM_WORDS] = {0};
	gpu_request(g, l->id, &r);
	const u32 n = gpu_request_sms(g, l->id, sms, ARRAY_LEN(sms));
	for (u32 i = 0; i < MIN(n, (u32)ARRAY_LEN(sms)); i++)
		set[sms[i].sm / 64] |= BIT(sms[i].sm % 64);
	sim_history_info(d->s->sim, &h);
	if (!h.on)
		return err_set(e, "%s", h.off);
	gpu_look_preempt(g, l);
	bool ok = r.partition ? cycle_again(d, r.at, e) : weigh(d, l, &r, NULL, e);
	/* Not the SMs that the algorithm would have taken: they were named. */
	if (ok && !r.partition && n && memcmp(l->asked, set, sizeof set))
		ok = weigh(d, l, &r, set, e);
	gpu_look_preempt(g, NULL);
	if (ok && !l->seen)
		return err_set(e, "request %u was not made again in cycle %llu", l->id, (unsigned long long)r.at);
	if (ok)
		why_tell_preempt(g, l, r.by, answer);
	return ok;
}

bool choice_preempt(struct debugger *d, u32 id, struct strbuf *text, struct err *e)
{
	struct request_info r;
	if (!gpu_request(dbg_gpu(d), id, &r))
		return err_set(e, "there is no request %u any more: the last %d are remembered", id, PREEMPT_REQUESTS);
	struct preempt_look *l = xcalloc(1, sizeof *l);
	l->id = id;
	const bool ok = elsewhen(d, answer_preempt, l, text, e);
	free(l);
	return ok;
}
