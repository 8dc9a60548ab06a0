#include "dbg/debugger.h"

#include <stdlib.h>
#include <string.h>

#include "dbg/divergence.h"
#include "dbg/goal.h"
#include "dbg/hooks.h"
#include "dbg/lanes.h"
#include "dbg/lua_side.h"
#include "dbg/moves.h"
#include "dbg/record.h"
#include "dbg/reuses.h"
#include "dbg/roofs.h"
#include "dbg/rival.h"
#include "dbg/scope.h"
#include "dbg/slices.h"
#include "dbg/travel.h"
#include "dbg/watch.h"
#include "dbg/diagnose.h"
#include "dbg/follow.h"
#include "dbg/latencies.h"
#include "dbg/linelives.h"
#include "dbg/whatif.h"

/* What the log records unless `set log` says otherwise: rare, and worth a line each. */
#define LOG_DEFAULT                                                                                                    \
	(EVENT(EV_KERNEL_LAUNCH) | EVENT(EV_KERNEL_START) | EVENT(EV_KERNEL_DONE) | EVENT(EV_FAULT) | EVENT(EV_DEADLOCK) | \
	 EVENT(EV_WARP_STARVED))

struct debugger *debugger_new(struct session *s, const struct debugger_words *words)
{
	struct debugger *d = xcalloc(1, sizeof(*d));
	d->s = s;
	d->words = words;
	words->init(d);
	d->bound.subscription = -1;
	d->next_display = 1;
	d->log.line = xcalloc(LOG_LINES, sizeof(*d->log.line));
	d->log.mask = LOG_DEFAULT;
	d->moves = moves_new();
	d->run.goal.fn = LUA_NOREF;
	break_init(&d->breaks);
	d->breaks.cond = lua_dbg_condition;
	d->breaks.cond_ctx = d;
	lua_dbg_attach(d);
	debugger_resubscribe(d);
	debugger_refresh_focus(d);
	return d;
}

void debugger_free(struct debugger *d)
{
	if (!d)
		return;
	if (d->bound.subscription >= 0 && d->bound.subscribed_to && d->bound.subscribed_to == d->s->sim)
		sim_unsubscribe(d->s->sim, d->bound.subscription);
	goal_clear(d);
	lua_hooks_release(d);
	lua_dbg_release(d);
	for (u32 i = 0; i < FOLLOWERS_MAX && d->follower[i]; i++)
		if (d->follower[i]->closed)
			d->follower[i]->closed(d);
	d->words->release(d);
	travel_release(d);
	record_end(d, NULL);
	while (d->nwatches)
		watch_delete(d, &d->watches[d->nwatches - 1]);
	break_release(&d->breaks);
	rival_close(d);
	whatif_free(d->whatif);
	diagnosis_free(d->diagnosed.is);
	divergence_release(d);
	scope_release(d);
	moves_free(d->moves);
	follow_off(d);
	latencies_release(d);
	lanes_release(d);
	reuses_release(d);
	roofs_release(d);
	linelives_release(d);
	for (u32 i = 0; i < d->ndisplays; i++)
		free(d->displays[i].expr);
	free(d->watches);
	free(d->displays);
	free(d->log.line);
	queue_clear(&d->queue);
	free(d->queue.line);
	strbuf_release(&d->report.errors);
	free(d);
}

void debugger_follow(struct debugger *d, const struct debugger_follower *f)
{
	u32 n = 0;
	while (d->follower[n] && d->follower[n] != f)
		n++;
	BUG_ON(n == FOLLOWERS_MAX);
	d->follower[n] = f;
}

bool debugger_execute(struct debugger *d, const char *line, struct strbuf *out, struct err *e)
{
	if (d->run.goal.kind == GOAL_NONE && !d->queue.n && !d->run.in_run)
		debugger_clear_interrupt(d); /* nothing ran when it came; one that comes from now on is for this line */
	return d->words->execute(d, line, out, e);
}

const char *debugger_prompt(const struct debugger *d)
{
	return d->words->prompt(d);
}

bool debugger_drop_collect(struct debugger *d)
{
	return d->words->drop_collect(d);
}

/* --- slices: the goal first, then a queued line --------------------------------------------------------------------- */

/* Forgets what would have followed a line that failed: all of it in batch mode, else up to the next of those that the
 * session starts with (a mistake in ~/.warpdbgrc is no reason to leave out -ex). False: there was nothing. */
static bool drop_rest(struct debugger *d)
{
	struct command_queue *q = &d->queue;
	const u32 before = q->n;
	for (; q->n && (d->s->opt->batch || !q->line[q->first].of_start); q->n--)
		free(q->line[q->first++].text);
	return q->n < before;
}

/* Executes the queue's first line; its error is reported to out and, unless keep_going, drops the rest. */
static void queue_step(struct debugger *d, struct strbuf *out)
{
	struct command_queue *q = &d->queue;
	struct queued_line l = q->line[q->first++];
	struct err e = {0};
	q->n--;
	if (!q->n)
		q->first = 0;
	q->depth = l.depth;
	d->script.scripted += l.scripted;
	bool ok = d->words->execute(d, l.text, out, &e);
	d->script.scripted -= l.scripted;
	q->depth = 0;
	if (!ok) {
		struct strbuf *to = d->report.split_errors ? &d->report.errors : out;
		if (*l.where)
			strbuf_addf(to, "%s: ", l.where);
		bool dropped = !d->report.keep_going && drop_rest(d) && l.depth && !d->s->opt->batch;
		strbuf_addf(to, "error: %s%s\n", e.msg, dropped ? " (the rest of the file is left out)" : "");
		debugger_log(d, LOG_ERROR, "%s", e.msg);
		d->report.failed = true;
	}
	free(l.text);
}

bool debugger_busy(const struct debugger *d)
{
	return d->run.goal.kind != GOAL_NONE || d->queue.n || rival_behind(d) || whatif_running(d);
}

static void drop_interrupted(struct debugger *d, struct strbuf *out)
{
	if (!d->run.interrupt || !d->queue.n)
		return;
	queue_clear(&d->queue);
	strbuf_adds(out, "Interrupted: the remaining queued commands are dropped.\n");
}

/* An interrupt that has stopped this machine is answered: the one beside it still comes to the same place. */
static void pursue_goal(struct debugger *d, u64 max_cycles, struct strbuf *out)
{
	goal_slice(d, max_cycles, out);
	if (!d->rival || d->run.goal.kind != GOAL_NONE)
		return;
	drop_interrupted(d, out);
	debugger_clear_interrupt(d);
}

/* The machine beside this one runs alone; but an interrupt is this one's first. */
static bool is_rivals_turn(struct debugger *d)
{
	return d->rival && d->rival->turn == RIVAL_ALONE && !d->run.interrupt && rival_behind(d);
}

enum run_state debugger_run_slice(struct debugger *d, u64 max_cycles, struct strbuf *out)
{
	drop_interrupted(d, out);
	if (whatif_running(d))
		whatif_slice(d, out);
	else if (d->run.goal.kind != GOAL_NONE && !is_rivals_turn(d))
		pursue_goal(d, max_cycles, out);
	else if (d->run.goal.kind == GOAL_NONE && d->queue.n && d->run.state != DBG_QUIT && !rival_behind(d))
		queue_step(d, out);
	if (d->run.state == DBG_QUIT)
		return DBG_QUIT;
	if (d->rival && (d->run.goal.kind == GOAL_NONE || d->rival->turn != RIVAL_WAITS))
		rival_slice(d, max_cycles, out);
	if (debugger_busy(d))
		return d->run.state = DBG_RUNNING;
	debugger_clear_interrupt(d);
	scope_arrived(d);
	rival_scope(d);
	d->run.state = d->run.rest;
	for (u32 i = 0; i < FOLLOWERS_MAX && d->follower[i]; i++)
		if (d->follower[i]->rests)
			d->follower[i]->rests(d, out);
	return d->run.state;
}
