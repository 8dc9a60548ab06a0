/* Searching the past for a stop: from snapshot to snapshot, the latest first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dbg/events.h"
#include "dbg/focus.h"
#include "dbg/follow.h"
#include "dbg/goal.h"
#include "dbg/interrupt.h"
#include "dbg/lua_side.h"
#include "dbg/travel.h"
#include "dbg/watch.h"
#include "dbg/windows.h"
#include "session/policy/lua_policy.h"

/* A stop at the present place? Keeps it as the latest. */
static void note_stop(struct debugger *d, struct found *f)
{
	struct watch_stop stop;
	const struct sim_place now = sim_place(d->s->sim);
	struct strbuf none = STRBUF_INIT;
	if (break_at_cycle(&d->breaks, dbg_gpu(d), now.cycle) || d->breaks.hit.id)
		*f = (struct found){.any = true, .at = now, .hit = d->breaks.hit};
	break_clear_hit(&d->breaks);
	if (watches_check(d, &none, &stop)) {
		*f = (struct found){.any = true, .at = now, .writer = stop.writer};
		snprintf(f->text, sizeof(f->text), "%.599s", strbuf_str(&stop.text));
	}
	if (stop.deleted)
		debugger_resubscribe(d);
	strbuf_release(&stop.text);
	strbuf_release(&none);
}

/* Runs from the present cycle to `end` and keeps the last stop on the way. False: interrupted. */
static bool sweep(struct debugger *d, u64 end, struct found *f)
{
	bool each = watches_each_cycle(d) || follow_awaited(d);
	struct stop stop = {.why = STOP_CYCLE};
	if (!follow_listen(d, NULL))
		return false;
	watches_rebind(d);
	while (sim_cycle(d->s->sim) < end) {
		u64 now = sim_cycle(d->s->sim), next = MIN(end, break_next_cycle(&d->breaks, now + 1));
		sim_run(d->s->sim, each ? now + 1 : next, &stop);
		if (stop.why == STOP_INTERRUPT)
			return false;
		follow_cycle_over(d);
		note_stop(d, f);
		if (!sim_goes_on(d->s->sim, &stop))
			break;
	}
	return true;
}

/* Where the window that begins with a snapshot starts; false: none does. What turns of a cycle have changed is seen
 * when the cycle is over, against what was before them: a window begins before them - or where the run itself begins.
 */
static bool window_start(struct debugger *d, u32 snapshot, struct sim_place *start)
{
	const struct sim *s = d->s->sim;
	*start = sim_snapshot_place(s, snapshot);
	if (snapshot && start->turn == sim_before_turns(s, start->cycle).turn)
		return true;
	*start = sim_rest(s, start->cycle);
	return !snapshot;
}

/* Goes through the past window by window, from snapshot to snapshot, the latest first, until one holds a stop.
 * until_now: one at the present place counts too. The machine stops at a cycle before its turns. */
static bool search_back(struct debugger *d, bool until_now, struct found *f, struct err *e)
{
	const struct sim_place now = sim_place(d->s->sim);
	const bool behind_turns = sim_place_order(now, sim_before_turns(d->s->sim, now.cycle)) > 0;
	u64 end = now.cycle + (until_now || behind_turns); /* the first window's; stops at `end` itself are not before it */
	struct sim_history_info h;
	bool ok = true;
	sim_history_info(d->s->sim, &h);
	d->run.in_run = d->s->replaying = true;
	for (u32 i = h.at + 1; ok && i-- > 0 && !f->any;) {
		struct sim_place start;
		if (!window_start(d, i, &start) || start.cycle >= end)
			continue;
		ok = stats_lead_in(d, &d->breaks, start, e) && (sweep(d, end - 1, f) || err_set(e, "interrupted"));
		end = start.cycle + 1;
		sim_history_info(d->s->sim, &h);
		i = MIN(i, h.snapshots); /* sweeping may have taken some */
	}
	d->run.in_run = d->s->replaying = false;
	return ok;
}

/* What is set aside of breakpoints, those of watchpoints among them, by number. There are the same ones after a search:
 * what it calls of the user's - conditions, watched expressions, dbg.on functions - may not make or delete any, and no
 * `commands` are executed. */
struct aside {
	u32 n;
	struct kept {
		u32 id;
		bool enabled;
		u64 hits, ignore;
	} kept[];
};

static struct aside *aside_take(const struct debugger *d)
{
	struct aside *a = xcalloc(1, sizeof *a + d->breaks.n * sizeof *a->kept);
	for (u32 i = 0; i < d->breaks.n; i++) {
		const struct breakpoint *b = d->breaks.list[i];
		a->kept[a->n++] = (struct kept){b->id, b->enabled, b->hits, b->ignore};
	}
	return a;
}

/* Hits and ignore counts are of the run forward: a search through the past neither counts nor uses them up. */
static void counts_return(struct debugger *d, const struct aside *a)
{
	for (const struct kept *k = a->kept; k < a->kept + a->n; k++) {
		struct breakpoint *b = break_find(&d->breaks, k->id);
		if (b) {
			b->hits = k->hits;
			b->ignore = k->ignore;
		}
	}
}

static bool search_uncounted(struct debugger *d, bool until_now, struct found *f, struct err *e)
{
	struct aside *a = aside_take(d);
	for (u32 i = 0; i < d->breaks.n; i++)
		d->breaks.list[i]->ignore = 0;
	bool ok = search_back(d, until_now, f, e);
	counts_return(d, a);
	free(a);
	return ok;
}

bool reverse_to_stop(struct debugger *d, bool until_now, struct found *f, struct err *e)
{
	struct sim_history_info h;
	session_change_ends(d->s);
	const struct sim_place from = sim_place(d->s->sim);
	if (!policy_may_replay(d->s, from.cycle, e)) /* the search replays up to here */
		return false;
	goal_clear(d);
	debugger_resubscribe(d);
	remember_position(d);
	if (!search_uncounted(d, until_now, f, e)) {
		struct err again = {0};
		debugger_clear_interrupt(d);
		session_go(d->s, from, &again);
		return false;
	}
	sim_history_info(d->s->sim, &h);
	d->run.stop_reason[0] = '\0'; /* that was elsewhere */
	return f->any ? session_go(d->s, f->at, e) : session_goto(d->s, h.begin, e);
}

static void all_off(struct debugger *d)
{
	for (u32 i = 0; i < d->breaks.n; i++)
		d->breaks.list[i]->enabled = false;
}

static void enabled_return(struct debugger *d, const struct aside *a)
{
	for (const struct kept *k = a->kept; k < a->kept + a->n; k++) {
		struct breakpoint *b = break_find(&d->breaks, k->id);
		if (b)
			b->enabled = k->enabled;
	}
}

bool reverse_to_issue(struct debugger *d, struct found *f, struct err *e)
{
	debugger_refresh_focus(d);
	struct aside *a = aside_take(d);
	all_off(d);
	struct breakpoint *b = break_new_event(&d->breaks, EV_ISSUE, "reverse-next");
	break_make_internal(&d->breaks, b);
	b->filter.sm = (s32)d->focus.sm;
	b->filter.warp = (s32)d->focus.warp;
	u32 id = b->id;
	bool ok = reverse_to_stop(d, true, f, e);
	break_delete(&d->breaks, id);
	enabled_return(d, a);
	free(a);
	debugger_resubscribe(d);
	if (ok && f->any) /* the stop comes after the cycle of the issue */
		ok = session_goto(d->s, f->hit.ev.cycle, e);
	return ok;
}
