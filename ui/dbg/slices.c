#include "dbg/slices.h"

#include "dbg/breaks.h"
#include "dbg/divergence.h"
#include "dbg/events.h"
#include "dbg/focus.h"
#include "dbg/follow.h"
#include "dbg/hooks.h"
#include "dbg/interrupt.h"
#include "dbg/latencies.h"
#include "dbg/lanes.h"
#include "dbg/linelives.h"
#include "dbg/lua_side.h"
#include "dbg/log.h"
#include "dbg/moves.h"
#include "dbg/record.h"
#include "dbg/reuses.h"
#include "dbg/roofs.h"
#include "dbg/rival.h"
#include "dbg/scope.h"
#include "dbg/stop.h"
#include "dbg/watch.h"

/* Cycles of one slice when something is evaluated after each: some 20 ms of Lua. */
#define CHECKED_SLICE 16384

/* Slices (some 50 ms each) that an application has at the start to come to its first wait. */
#define START_SLICES 40

static u64 next_target(struct debugger *d, u64 now, u64 limit, bool each_cycle)
{
	u64 until = MIN(MIN(limit, d->run.goal.cycle), break_next_cycle(&d->breaks, now + 1));
	return each_cycle ? MIN(until, now + 1) : until;
}

static enum session_stop run_to(struct debugger *d, u64 until, struct err *e)
{
	d->run.in_run = true;
	d->run.watch_asked = d->run.other_asked = false;
	d->run.last = session_run(d->s, until, e);
	d->run.ran = true;
	d->run.in_run = false;
	return d->run.last;
}

void goal_slice(struct debugger *d, u64 max_cycles, struct strbuf *out)
{
	bool each_cycle = watches_each_cycle(d) || d->run.goal.kind == GOAL_EXPR || follow_awaited(d);
	u64 limit = sim_cycle(d->s->sim), span = each_cycle ? MIN(max_cycles, (u64)CHECKED_SLICE) : max_cycles;
	limit = limit > NEVER - span ? NEVER : limit + span;
	while (d->run.goal.kind != GOAL_NONE) {
		u64 now = sim_cycle(d->s->sim);
		struct err e = {0};
		if (d->run.interrupt || !follow_listen(d, &e)) {
			stop_ended(d, SS_INTERRUPT, NULL, out);
			break;
		}
		if (now >= limit)
			break;
		u64 until = next_target(d, now, divergence_ahead(d, limit, out), each_cycle);
		enum session_stop ss = run_to(d, until, &e);
		if (unlikely(d->follow != NULL) && follow_cycle_over(d) && ss == SS_CYCLE) {
			ss = SS_REQUEST;
			d->run.other_asked = true;
		}
		take_output(d, out);
		bool only_watches = d->run.watch_asked && !d->run.other_asked; /* their filters and conditions decide */
		if (ss == SS_BUSY)
			break; /* the front end has its turn; the goal stays */
		if (ss == SS_REQUEST && !only_watches)
			stop_requested(d, out);
		else if (ss != SS_CYCLE && ss != SS_REQUEST)
			stop_ended(d, ss, &e, out);
		else
			stop_cycle_over(d, out);
	}
}

void goal_drive(struct debugger *d, struct strbuf *out)
{
	while (d->run.goal.kind != GOAL_NONE)
		goal_slice(d, 1 << 20, out);
	debugger_clear_interrupt(d);
}

/* --- start and restart --- */

bool debugger_start(struct debugger *d, struct strbuf *out, struct err *e)
{
	d->script.in_script++;
	if (!d->s->script_done) /* those that cost next to nothing count from the first cycle on, asked or not */
		lua_dbg_exec(d, "require('inspect.lib').listen()", "=inspect", NULL, NULL);
	bool ok = session_run_script(d->s, e);
	d->script.in_script--;
	if (!ok)
		return false;
	if (breaks_of_checks(d, out))
		debugger_resubscribe(d);
	enum session_stop ss = run_to(d, sim_cycle(d->s->sim), e);
	for (u32 i = 0; ss == SS_BUSY && i < START_SLICES; i++) /* it goes on with the first command that runs */
		ss = run_to(d, sim_cycle(d->s->sim), e);
	d->run.ran = false;
	take_output(d, out);
	resolve_pending(d);
	watches_rebind(d);
	break_moved(&d->breaks, dbg_gpu(d));
	debugger_refresh_focus(d);
	if (ss == SS_HOST_ERROR)
		d->run.rest = DBG_DEAD;
	else if (ss == SS_FINISHED || ss == SS_INTERRUPT)
		stop_ended(d, ss, e, out);
	return ss != SS_HOST_ERROR;
}

bool debugger_restart(struct debugger *d, struct strbuf *out, struct err *e)
{
	d->bound.subscribed_to = NULL; /* it goes with the machine */
	d->bound.subscription = -1;
	d->bound.modules_seen = 0;
	d->run.stop_reason[0] = 0;
	d->focus_moves++;
	d->travel.changed_by_hand = false;
	d->report.dropped_events = 0;
	d->bound.generation++;
	record_restarted(d);
	moves_restarted(d->moves);
	scope_restarted(d);
	follow_restarted(d);
	latencies_forked(d);
	lanes_restarted(d);
	reuses_forked(d);
	roofs_forked(d);
	linelives_restarted(d);
	if (!session_restart(d->s, e)) {
		d->run.rest = DBG_DEAD;
		d->run.last = SS_HOST_ERROR;
		return false;
	}
	d->run.rest = DBG_STOPPED;
	if (d->focus.sm >= gpu_conf(dbg_gpu(d))->num_sms || d->focus.warp >= gpu_warps_per_sm(dbg_gpu(d)))
		d->focus = (struct focus){.kernel = -1, .cta_slot = -1, .cta = -1}; /* a smaller machine */
	if (d->bound.other_machine)
		breaks_rebind(d, out);
	debugger_resubscribe(d);
	rival_restart(d);
	for (u32 i = 0; i < FOLLOWERS_MAX && d->follower[i]; i++)
		if (d->follower[i]->rebuilt)
			d->follower[i]->rebuilt(d);
	lua_hooks_start(d);
	return debugger_start(d, out, e);
}
