#include "dbg/rival.h"

#include <stdlib.h>
#include <string.h>

#include "dbg/divergence.h"
#include "dbg/log.h"
#include "dbg/state.h"
#include "session/cmdline.h"
#include "session/lockstep.h"

#define WAY_MAX 4096     /* waypoints; then every other one goes */
#define FAR (1ull << 16) /* cycles that are worth a jump by history rather than a run */

static u64 position(const struct rival *r)
{
	return lockstep_position(r->s->sim, r->by);
}

/* Where B is to be, in the unit of the lock step. */
static u64 target(const struct debugger *d)
{
	return d->run.rest == DBG_FINISHED ? NEVER : lockstep_position(d->s->sim, d->rival->by);
}

/* --- B's machine --- */

/* Stops B behind the cycle in which it reaches A's position. */
static bool count(void *ctx, const struct event *e)
{
	struct rival *r = ctx;
	return ++r->counted == r->wanted;
}

static void add_waypoint(struct rival *r)
{
	struct waypoint w = {sim_cycle(r->s->sim), position(r)};
	if (r->by == LOCKSTEP_CYCLES || (r->nway && r->way[r->nway - 1].cycle >= w.cycle))
		return;
	if (r->nway == WAY_MAX) {
		for (u32 i = 1; i < WAY_MAX / 2; i++) /* the first one stays: the beginning */
			r->way[i] = r->way[2 * i];
		r->nway = WAY_MAX / 2;
	}
	r->way[r->nway++] = w;
}

/* Just built: its host program runs up to its first wait, as A's has before anything can be seen of it. False with *e.
 */
static bool begin(struct rival *r, struct err *e)
{
	r->step = 0;
	r->refused = NEVER;
	r->ended = false;
	r->why = SS_CYCLE;
	r->nway = 0;
	add_waypoint(r);
	if (r->by != LOCKSTEP_CYCLES)
		sim_subscribe(r->s->sim, r->by == LOCKSTEP_INSTS ? EVENT(EV_ISSUE) : EVENT(EV_CTA_DONE), count, r);
	return session_run(r->s, 0, e) != SS_HOST_ERROR;
}

/* False with r->err: there is no B any more. */
static bool rebuild(struct rival *r)
{
	err_clear(&r->err);
	strbuf_clear(&r->s->output);
	rival_scope_void(r);
	if (session_restart(r->s, &r->err) && begin(r, &r->err))
		return true;
	session_close(r->s);
	r->s = NULL;
	return false;
}

void rival_interrupt(struct rival *r)
{
	if (r->s && r->s->sim)
		sim_interrupt(r->s->sim);
}

/* --- open and close --- */

static void free_rival(struct rival *r)
{
	rival_scope_void(r);
	session_close(r->s);
	cmdline_free(&r->opt);
	for (u32 i = 0; i < 2; i++)
		free(r->reason[i]);
	free(r->way);
	free(r->text);
	free(r);
}

static struct rival *new_rival(struct debugger *d, const char *options, enum lockstep_by by, struct err *e)
{
	struct rival *r = xcalloc(1, sizeof *r);
	r->by = by;
	r->way = xcalloc(WAY_MAX, sizeof *r->way);
	r->text = xstrdup(options);
	r->common = compare_beside(d->s->opt);
	r->common.side[1] = r->text;
	if (cmdline_side(&r->opt, &r->common, 1, e) == CMDLINE_OK)
		r->s = session_open(&r->opt, d->s->modules, e);
	if (r->s && begin(r, e))
		return r;
	cmdline_name_side(e, "compare");
	free_rival(r);
	return NULL;
}

void rival_close(struct debugger *d)
{
	struct rival *r = d->rival;
	if (!r)
		return;
	d->rival = NULL;
	if (r->breakpoint)
		break_delete(&d->breaks, r->breakpoint);
	free_rival(r);
}

/* What the breakpoint has found is kept here. */
static void keep_first(struct debugger *d)
{
	struct rival *r = d->rival;
	const struct divergence *first;
	const char *why[2];
	if (r->first.found || d->travel.changed_by_hand ||
	    divergence_state(d, r->breakpoint, &first, why) != DIVERGENCE_FOUND)
		return;
	r->first = *first;
	for (u32 i = 0; i < 2; i++) {
		free(r->reason[i]);
		r->reason[i] = xstrdup(why[i]);
	}
}

bool rival_open(struct debugger *d, const char *options, enum lockstep_by by, struct strbuf *out, struct err *e)
{
	if (d->travel.changed_by_hand)
		return err_set(e,
		               "compare: this machine was changed by hand, so no other one can be set beside it (`undo` takes "
		               "the change back, `run OPTIONS` starts again with options instead)");
	struct rival *r = new_rival(d, options, by, e);
	if (!r)
		return false;
	struct breakpoint *b = divergence_break(d, options, by, e);
	if (!b) {
		free_rival(r);
		return false;
	}
	rival_close(d);
	d->rival = r;
	r->breakpoint = b->id;
	keep_first(d);
	strbuf_addf(out, "B: %s\nBreakpoint %u: %s\n", *options ? options : "the same options", b->id, b->what);
	if (b->cycle <= sim_cycle(d->s->sim))
		strbuf_addf(out, "They differ already, in the past (`goto %llu`):\n%s\n", (unsigned long long)b->cycle,
		            b->note);
	return true;
}

void rival_restart(struct debugger *d)
{
	struct rival *r = d->rival;
	if (r && r->s && !rebuild(r))
		debugger_log(d, LOG_ERROR, "compare: B: %s", r->err.msg);
}

/* --- following --- */

bool rival_behind(const struct debugger *d)
{
	const struct rival *r = d->rival;
	if (!r || !r->s || !d->s->sim)
		return false;
	return sim_cycle(d->s->sim) != r->refused && target(d) != r->step;
}

/* The farthest known cycle from which B can run to position `at` without having passed it. */
static u64 start_for(const struct rival *r, u64 at)
{
	u32 i = r->nway;
	if (r->by == LOCKSTEP_CYCLES)
		return at;
	while (i > 1 && r->way[i - 1].at >= at)
		i--;
	return r->way[i - 1].cycle;
}

/* Has it gone past position `at`, or (not by cycles) may it have? */
static bool is_past(const struct rival *r, u64 at)
{
	u64 here = position(r);
	if (r->by == LOCKSTEP_CYCLES)
		return here > at;
	return at < r->step || (here >= at && r->step < at && r->why == SS_INTERRUPT);
}

static bool history_has(const struct rival *r, u64 cycle)
{
	struct sim_history_info h;
	sim_history_info(r->s->sim, &h);
	return h.on && cycle >= h.begin && cycle <= h.frontier;
}

/* Puts B where a run forward leads to position `at`. False: B is gone. */
static bool prepare(struct rival *r, u64 at)
{
	u64 from = start_for(r, at), now = sim_cycle(r->s->sim);
	bool past = is_past(r, at), far = from > now && from - now > FAR && from != NEVER;
	struct err e = {0};
	if (!past && !(far && history_has(r, from)))
		return true;
	r->ended = false;
	r->why = SS_CYCLE;
	if (history_has(r, from) && session_goto(r->s, from, &e))
		return true;
	return !past || rebuild(r);
}

static void tell_end(const struct rival *r, struct strbuf *out)
{
	strbuf_addf(out, "B: %s at cycle %llu", session_stop_text(r->why), (unsigned long long)sim_cycle(r->s->sim));
	if (r->s->check != CHECK_NONE)
		strbuf_adds(out, r->s->check == CHECK_PASS ? ", check passed" : ", check FAILED");
	if (r->s->check_message.len)
		strbuf_addf(out, ": %s", strbuf_str(&r->s->check_message));
	strbuf_addf(out, "%s%s\n", r->err.set ? ": " : "", r->err.set ? r->err.msg : "");
}

static void arrived(struct rival *r, u64 at)
{
	r->step = at;
	r->refused = NEVER;
	add_waypoint(r);
}

/* Runs B towards position `at`. */
static void run(struct rival *r, u64 at, u64 max_cycles)
{
	u64 now = sim_cycle(r->s->sim), until = now > NEVER - max_cycles ? NEVER : now + max_cycles;
	r->counted = r->by == LOCKSTEP_CYCLES ? 0 : position(r);
	r->wanted = at;
	err_clear(&r->err);
	r->why = session_run(r->s, r->by == LOCKSTEP_CYCLES ? MIN(until, at) : until, &r->err);
	r->ended = r->why != SS_CYCLE && r->why != SS_REQUEST && r->why != SS_INTERRUPT;
	strbuf_clear(&r->s->output); /* what B prints is not shown: A prints it, or B's check tells (`compare`) */
}

void rival_void(struct debugger *d)
{
	struct divergence *f = &d->rival->first;
	if (f->found && f->side[0].cycle >= sim_cycle(d->s->sim))
		f->found = false;
}

void rival_slice(struct debugger *d, u64 max_cycles, struct strbuf *out)
{
	struct rival *r = d->rival;
	u64 at = target(d);
	keep_first(d);
	if (!rival_behind(d))
		return;
	if (d->run.interrupt && d->run.goal.kind != GOAL_NONE)
		return; /* it is A's first: B comes to where A stops */
	if (d->run.interrupt) {
		r->refused = sim_cycle(d->s->sim);
		r->why = SS_INTERRUPT;
		strbuf_adds(out, "B was interrupted: it follows when this machine moves again.\n");
		return;
	}
	if (!prepare(r, at)) {
		strbuf_addf(out, "B is gone: %s\n", r->err.msg);
		return;
	}
	bool was = r->ended;
	if (!r->ended && position(r) < at)
		run(r, at, max_cycles);
	if (r->ended && !was)
		tell_end(r, out);
	if (r->ended || position(r) >= at)
		arrived(r, at);
}
