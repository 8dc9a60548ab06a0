/* What is said and done when a run stops: hits, faults, hangs, ends. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "dbg/divergence.h"
#include "dbg/events.h"
#include "dbg/focus.h"
#include "dbg/goal.h"
#include "dbg/hooks.h"
#include "dbg/log.h"
#include "dbg/lua_side.h"
#include "dbg/queue.h"
#include "dbg/scope.h"
#include "dbg/stop.h"
#include "dbg/swaps.h"
#include "dbg/value.h"
#include "dbg/watch.h"
#include "obs/why/why.h"
#include "obs/name/findings.h"
#include "obs/name/names.h"

/* The stop's first line is kept for the status line and the log. */
static void stopped(struct debugger *d, const char *reason, struct strbuf *out)
{
	size_t n = strcspn(reason, "\n");
	snprintf(d->run.stop_reason, sizeof(d->run.stop_reason), "%.*s", (int)MIN(n, sizeof(d->run.stop_reason) - 1),
	         reason);
	debugger_log(d, LOG_STOP, "%s", d->run.stop_reason);
	strbuf_adds(out, reason);
	if (*reason && reason[strlen(reason) - 1] != '\n')
		strbuf_addc(out, '\n');
}

static void focus_event(struct debugger *d, const struct event *ev)
{
	s32 warp = ev->warp;
	if (warp < 0 && ev->type == EV_CTA_DISPATCH && ev->arg[1])
		warp = (s32)bit_first(ev->arg[1]);
	if (warp < 0 && ev->type == EV_BARRIER_RELEASE && ev->arg[1])
		warp = (s32)bit_first(ev->arg[1]);
	if (ev->sm >= 0)
		debugger_focus(d, (u32)ev->sm, warp >= 0 ? (u32)warp : d->focus.warp, NULL);
	d->focus.picked_empty &= warp >= 0; /* a warp that the event is about, though it may have left */
}

static void code_hit_text(struct debugger *d, const struct break_hit *h, const struct breakpoint *b, struct strbuf *out)
{
	struct kernel_info k;
	gpu_kernel_info(dbg_gpu(d), (u32)h->ev.kernel, &k);
	strbuf_addf(out, "%s at ", b->what);
	line_place(b->mod, (u32)h->ev.arg[0], out);
	strbuf_addf(out, ": SM %d, warp %d, CTA %d of %s%s", h->ev.sm, h->ev.warp, h->ev.cta, k.label,
	            h->executed ? " (executed in this cycle with another instruction)" : "");
}

/* A rate has no value before its first access. */
void stat_hit_text(const struct break_hit *h, const struct breakpoint *b, struct strbuf *out)
{
	strbuf_addf(out, "%s: now %.4g, %llu cycle%s before ", b->what, h->now, (unsigned long long)b->stat.every,
	            plural(b->stat.every));
	if (isnan(h->before))
		strbuf_adds(out, "no value yet");
	else
		strbuf_addf(out, "%.4g", h->before);
}

/* Both accesses; the first can be gone to. */
static void finding_hit_text(struct debugger *d, const struct event *ev, struct strbuf *out)
{
	u32 n;
	u64 lost;
	const struct check_finding *f = checks_findings(gpu_checks(dbg_gpu(d)), &n, &lost);
	if (!ev->arg[2] || ev->arg[2] > n)
		return;
	f += ev->arg[2] - 1;
	strbuf_addc(out, '\n');
	finding_text(dbg_gpu(d), f, (u32)ev->arg[2], out);
	if (f->kind != CHECK_UNINIT && f->first.cycle < f->second.cycle)
		strbuf_addf(out, "`goto %llu` goes to the first access.", (unsigned long long)f->first.cycle);
	while (out->len && out->buf[out->len - 1] == '\n')
		out->buf[--out->len] = 0;
}

/* Who leaves and why, who comes, and what those wait for that have no slot. */
static void swap_hit_text(struct debugger *d, u32 sm, struct strbuf *out)
{
	strbuf_adds(out, "\n");
	swap_line(d, sm, out);
	if (gpu_inactive_ctas(dbg_gpu(d), sm, NULL, 0)) {
		strbuf_adds(out, "\nwithout a slot: ");
		slotless_line(d, sm, out);
	}
}

static void hit_text(struct debugger *d, const struct break_hit *h, const struct breakpoint *b, struct strbuf *out)
{
	strbuf_addf(out, "%s %u, ", b->temporary ? "Temporary breakpoint" : "Breakpoint", b->id);
	if (b->kind == BK_CYCLE)
		strbuf_adds(out, b->what);
	else if (b->kind == BK_CODE)
		code_hit_text(d, h, b, out);
	else if (b->kind == BK_STAT)
		stat_hit_text(h, b, out);
	else if (b->kind == BK_DIVERGE)
		strbuf_addf(out, "%s\n%s", b->what, b->note);
	else
		event_text(dbg_gpu(d), &h->ev, out);
	if (b->kind == BK_EVENT && h->ev.type == EV_FINDING)
		finding_hit_text(d, &h->ev, out);
	if (d->breaks.also)
		strbuf_addf(out, " (and %u more hit%s in this cycle)", d->breaks.also, plural(d->breaks.also));
	if (b->kind == BK_EVENT && (h->ev.type == EV_CTA_SWAP_OUT || h->ev.type == EV_CTA_SWAP_IN))
		swap_hit_text(d, (u32)h->ev.sm, out);
}

/* Lost events may have been what somebody waits for: not to be passed over in silence. */
static void tell_dropped(struct debugger *d, struct strbuf *out)
{
	u64 lost = gpu_events_dropped(dbg_gpu(d));
	const u64 fresh = lost - d->report.dropped_events;
	if (lost > d->report.dropped_events)
		strbuf_addf(out,
		            "Warning: %llu event%s lost, an SM keeps %u of one cycle: breakpoints and callbacks have not seen "
		            "them.\n",
		            (unsigned long long)fresh, by_number(fresh, " was", "s were"), EVENT_BUF_MAX - 1);
	d->report.dropped_events = lost;
}

static void after_stop(struct debugger *d, struct strbuf *out)
{
	tell_dropped(d, out);
	scope_arrived(d);
	debugger_refresh_focus(d);
	if (d->run.quiet && !*d->run.stop_reason)
		return;
	if (d->focus.cta_slot < 0)
		debugger_focus_living(d, out);
	debugger_show_place(d, out);
	show_displays(d, out);
}

static void goal_done(struct debugger *d)
{
	goal_clear(d);
	debugger_resubscribe(d);
}

/* The lane of the thread that a breakpoint names. */
static void focus_thread(struct debugger *d, const struct breakpoint *b, const struct event *ev)
{
	if (b->filter.thread.parts && ev->kernel >= 0 && (u32)ev->kernel < gpu_num_kernels(dbg_gpu(d)))
		d->focus.lane =
		    (u32)(coordinates_linear(&b->filter.thread, gpu_launched(dbg_gpu(d), (u32)ev->kernel)->block) % WARP_SIZE);
}

/* The internal breakpoint of next, finish or run_until. */
static void report_goal_hit(struct debugger *d, const struct break_hit *h, const struct breakpoint *b,
                            struct strbuf *out)
{
	struct strbuf t = STRBUF_INIT;
	if (d->run.goal.kind == GOAL_FINISH)
		strbuf_addf(&t, "CTA %lld is done after %llu cycle%s", (long long)d->run.goal.cta,
		            (unsigned long long)h->ev.arg[1], plural(h->ev.arg[1]));
	else if (b->kind == BK_STAT)
		stat_hit_text(h, b, &t);
	else if (d->run.goal.kind == GOAL_EVENT)
		event_text(dbg_gpu(d), &h->ev, &t);
	else if (b->kind == BK_CODE) /* next line */
		finding_cuda_line(b->mod, (u32)h->ev.arg[0], &t);
	if ((d->run.goal.kind != GOAL_NEXT || b->kind == BK_CODE) && !d->run.quiet)
		stopped(d, strbuf_str(&t), out);
	if (d->run.goal.kind == GOAL_EVENT || (d->run.goal.kind == GOAL_NEXT && b->filter.warp < 0))
		focus_event(d, &h->ev);
	strbuf_release(&t);
}

/* Of a breakpoint whose commands begin so, the stop itself is not reported. */
static bool is_silent(const struct breakpoint *b)
{
	return b->commands && !strncmp(b->commands, "silent\n", 7);
}

static void queue_commands(struct debugger *d, const struct breakpoint *b)
{
	char where[32];
	if (!b->commands)
		return;
	snprintf(where, sizeof(where), "breakpoint %u", b->id);
	d->script.scripted += b->scripted;
	debugger_queue_text(d, b->commands + (is_silent(b) ? 7 : 0), where, LINES_NUMBERED);
	d->script.scripted -= b->scripted;
}

static void report_hit(struct debugger *d, struct strbuf *out)
{
	bool silent = false;
	struct break_hit h = d->breaks.hit;
	struct breakpoint *b = break_find(&d->breaks, h.id);
	struct strbuf t = STRBUF_INIT;
	if (!b) { /* deleted by a callback in the same cycle */
		stopped(d, "stopped at a breakpoint that is gone", out);
	} else if (b->internal) {
		report_goal_hit(d, &h, b, out);
	} else {
		struct strbuf unsaid = STRBUF_INIT;
		silent = is_silent(b);
		hit_text(d, &h, b, &t);
		stopped(d, strbuf_str(&t), silent ? &unsaid : out);
		strbuf_release(&unsaid);
		focus_event(d, &h.ev);
		focus_thread(d, b, &h.ev);
		if (b->kind == BK_DIVERGE)
			divergence_focus(d, b);
		queue_commands(d, b);
		if (b->temporary)
			break_delete(&d->breaks, b->id);
	}
	strbuf_release(&t);
	break_clear_hit(&d->breaks);
	goal_done(d);
	if (silent)
		debugger_refresh_focus(d);
	else
		after_stop(d, out);
}

/* What has ended the run may be what somebody has a breakpoint on, or the same cycle had one: told, with its commands,
 * before the end itself. Kept, it would be taken for a hit at the next stop of all. */
static void report_last_hit(struct debugger *d, struct strbuf *out)
{
	struct break_hit h = d->breaks.hit;
	struct breakpoint *b = h.id ? break_find(&d->breaks, h.id) : NULL;
	if (b && !b->internal) {
		struct strbuf t = STRBUF_INIT;
		hit_text(d, &h, b, &t);
		debugger_log(d, LOG_STOP, "%s", strbuf_str(&t));
		if (!is_silent(b))
			strbuf_addf(out, "%s\n", strbuf_str(&t));
		strbuf_release(&t);
		queue_commands(d, b);
		if (b->temporary)
			break_delete(&d->breaks, b->id);
	}
	break_clear_hit(&d->breaks);
}

static void report_fault(struct debugger *d, struct strbuf *out)
{
	struct strbuf t = STRBUF_INIT;
	const struct fault *f = front_fault(gpu_front(dbg_gpu(d)));
	sim_fault_text(d->s->sim, &t);
	session_blame(d->s, SS_FAULT, &t);
	while (t.len && t.buf[t.len - 1] == '\n')
		t.buf[--t.len] = 0;
	stopped(d, strbuf_str(&t), out);
	strbuf_release(&t);
	if (f->code != FAULT_NONE) {
		debugger_focus(d, f->sm, f->warp, NULL);
		d->focus.lane = f->lanes ? bit_first(f->lanes) : 0;
	}
}

static void report_deadlock(struct debugger *d, struct strbuf *out)
{
	const u32 cycles = gpu_conf(dbg_gpu(d))->deadlock_cycles;
	char t[160];
	if (why_kept(dbg_gpu(d)))
		snprintf(t, sizeof t, "Nothing goes on: every CTA that is left is paused or saved, or waits for one that is");
	else if (gpu_livelocked(dbg_gpu(d)))
		snprintf(t, sizeof t, "Livelock: for %u cycle%s the warps have repeated the same states, memory unchanged",
		         cycles, plural(cycles));
	else if (mem_cycle(gpu_mem(dbg_gpu(d)), NULL, 0))
		snprintf(t, sizeof t, "Deadlock: a cycle of full queues");
	else if (gpu_stands_still(dbg_gpu(d)))
		snprintf(t, sizeof t, "Deadlock: nothing is under way that could ever wake a warp");
	else
		snprintf(t, sizeof t, "Deadlock: no progress for %u cycle%s", cycles, plural(cycles));
	stopped(d, t, out);
	why_machine(dbg_gpu(d), out);
	session_blame(d->s, d->run.last, out);
}

static void report_finish(struct debugger *d, struct strbuf *out)
{
	static const char *const check[] = {
	    [CHECK_NONE] = "no check", [CHECK_PASS] = "check passed", [CHECK_FAIL] = "check FAILED"};
	struct strbuf t = STRBUF_INIT;
	strbuf_addf(&t, "The program has finished at cycle %llu: %s", (unsigned long long)sim_cycle(d->s->sim),
	            check[d->s->check]);
	if (d->s->check_message.len)
		strbuf_addf(&t, ": %s", strbuf_str(&d->s->check_message));
	stopped(d, strbuf_str(&t), out);
	strbuf_release(&t);
}

/* *silent: the watchpoint's commands do not want the stop to be reported. */
static bool check_watches(struct debugger *d, bool *silent, struct strbuf *out)
{
	struct watch_stop stop;
	bool any = watches_check(d, out, &stop);
	struct strbuf unsaid = STRBUF_INIT;
	struct watch *w = any ? watch_find(d, stop.id) : NULL;
	*silent = w && is_silent(w->b);
	if (any)
		stopped(d, strbuf_str(&stop.text), *silent ? &unsaid : out);
	if (any && stop.writer.known) {
		debugger_focus(d, stop.writer.sm, stop.writer.warp, NULL);
		d->focus.lane = stop.writer.lane_known ? stop.writer.lane : d->focus.lane;
	}
	if (w)
		queue_commands(d, w->b);
	if (w && w->b->temporary) {
		watch_delete(d, w);
		stop.deleted = true;
	}
	if (stop.deleted)
		debugger_resubscribe(d);
	strbuf_release(&unsaid);
	strbuf_release(&stop.text);
	return any;
}

/* What a condition, callback or hook failed of. */
static bool check_script(struct debugger *d, struct strbuf *out)
{
	struct strbuf t = STRBUF_INIT;
	bool any = lua_dbg_take_error(d, &t);
	if (any) {
		stopped(d, strbuf_str(&t), out);
		d->report.failed = true;
	}
	strbuf_release(&t);
	return any;
}

static void report_interrupt(struct debugger *d, struct strbuf *out)
{
	char what[64], text[120] = "Interrupted.";
	if (d->s->host_torn)
		snprintf(text, sizeof text, "Interrupted in the host program: its present step begins again when it goes on.");
	else if (lua_dbg_take_cut(d, what))
		snprintf(text, sizeof text, "Interrupted in %s, which stays on.", what);
	stopped(d, text, out);
}

void stop_requested(struct debugger *d, struct strbuf *out)
{
	struct strbuf t = STRBUF_INIT;
	bool silent;
	check_script(d, out);
	if (lua_hooks_take_stop(d, &t))
		stopped(d, strbuf_str(&t), out);
	strbuf_release(&t);
	check_watches(d, &silent, out);
	break_at_cycle(&d->breaks, dbg_gpu(d), sim_cycle(d->s->sim)); /* counts beside what asked for the stop */
	check_script(d, out);                                         /* these conditions' */
	if (d->breaks.hit.id) {
		report_hit(d, out);
		return;
	}
	if (d->run.interrupt)
		report_interrupt(d, out);
	goal_done(d);
	after_stop(d, out);
}

static void report_end(struct debugger *d, enum session_stop ss, const struct err *e, struct strbuf *out)
{
	bool living = false; /* wherever the user broke in, `next` is to have a warp */
	report_last_hit(d, out);
	goal_done(d);
	d->run.rest = DBG_DEAD;
	switch (ss) {
	case SS_FINISHED:
		d->run.rest = DBG_FINISHED;
		report_finish(d, out);
		return;
	case SS_FAULT: report_fault(d, out); break;
	case SS_DEADLOCK:
		if (why_kept(dbg_gpu(d))) /* it can be told to go on */
			d->run.rest = DBG_STOPPED;
		report_deadlock(d, out);
		break;
	case SS_LIVELOCK: report_deadlock(d, out); break;
	case SS_HOST_ERROR:
		stopped(d, e->msg, out);
		d->report.failed = true;
		return;
	case SS_INTERRUPT:
		d->run.rest = DBG_STOPPED;
		d->focus.picked_empty = false;
		living = true;
		report_interrupt(d, out);
		break;
	default:
		stopped(d, session_stop_text(ss), out);
		if (ss == SS_MAX_CYCLES)
			why_machine(dbg_gpu(d), out);
		break;
	}
	if (living) {
		debugger_refresh_focus(d);
		debugger_focus_living(d, out);
	}
	after_stop(d, out);
}

void stop_ended(struct debugger *d, enum session_stop ss, const struct err *e, struct strbuf *out)
{
	struct strbuf t = STRBUF_INIT;
	char what[64];
	report_end(d, ss, e, out);
	if (d->run.rest == DBG_STOPPED) /* interrupted: it may go on */
		return;
	lua_hooks_end(d);
	take_output(d, out);
	if (lua_dbg_take_cut(d, what))
		strbuf_addf(out, "Interrupted in %s, which stays on.\n", what);
	if (lua_dbg_take_error(d, &t)) {
		strbuf_addf(out, "%s\n", t.buf);
		d->report.failed = true;
	}
	strbuf_release(&t);
}

static bool check_expr(struct debugger *d, struct strbuf *out)
{
	struct err e = {0};
	bool truth = false;
	if (d->run.goal.kind != GOAL_EXPR)
		return false;
	if (!lua_dbg_true(d, d->run.goal.expr, d->run.goal.fn, &truth, &e)) {
		if (e.interrupted) { /* the run ends by that */
			lua_dbg_keep_cut(d, "the condition");
			return false;
		}
		stopped(d, e.msg, out);
		d->report.failed = true;
		return true;
	}
	if (truth && !d->run.quiet) {
		char t[300];
		snprintf(t, sizeof(t), "%.200s holds", d->run.goal.expr ? d->run.goal.expr : "the condition");
		stopped(d, t, out);
	}
	return truth;
}

bool stop_cycle_over(struct debugger *d, struct strbuf *out)
{
	u64 now = sim_cycle(d->s->sim);
	bool silent, watched = check_watches(d, &silent, out);
	bool hit = break_at_cycle(&d->breaks, dbg_gpu(d), now), failed = check_script(d, out);
	if (hit) {
		report_hit(d, out);
		return true;
	}
	const bool said = check_expr(d, out) | failed, stop = said | (now >= d->run.goal.cycle);
	if (!stop && !watched)
		return false;
	if (!said && !watched) /* the cycle that was asked for */
		sim_stand(d->s->sim);
	goal_done(d);
	if (silent && !stop)
		debugger_refresh_focus(d);
	else
		after_stop(d, out);
	return true;
}
