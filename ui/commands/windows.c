/* What `break stat` must have seen before the machine goes on from a cycle: the looks and windows before it. */
#include <stdlib.h>

#include "commands/commands.h"
#include "lua/dbg.h"

/* Looks at the statistics at each of their cycles up to `start`; nobody else is told of anything. */
static bool run_looking(struct debugger *d, struct break_set *set, u64 start)
{
	struct stop stop = {.why = STOP_CYCLE};
	break_moved(set, dbg_gpu(d));
	while (sim_cycle(d->s->sim) < start && (stop.why == STOP_CYCLE || stop.why == STOP_REQUEST)) {
		sim_run(d->s->sim, MIN(start, break_next_look(set, sim_cycle(d->s->sim) + 1)), &stop);
		break_look(set, dbg_gpu(d), sim_cycle(d->s->sim));
	}
	return stop.why != STOP_INTERRUPT;
}

bool stats_lead_in(struct debugger *d, struct break_set *set, u64 start, struct err *e)
{
	struct sim_history_info h;
	u64 lead = break_lead(set);
	bool replaying = d->s->replaying;
	if (!lead)
		return session_goto(d->s, start, e);
	sim_history_info(d->s->sim, &h);
	if (!session_goto(d->s, start - h.begin > lead ? start - lead : h.begin, e))
		return false;
	d->s->replaying = true;
	sim_resubscribe(d->s->sim, d->subscription, 0);
	bool ok = run_looking(d, set, start);
	debugger_resubscribe(d);
	d->s->replaying = replaying;
	return ok ? session_goto(d->s, start, e) : err_set(e, "interrupted");
}

/* The statistics whose windows are not known at the present cycle. */
static struct break_set unknown_windows(struct debugger *d, u64 now)
{
	struct break_set set = {.list = xcalloc(MAX(d->breaks.n, 1u), sizeof(struct breakpoint *))};
	for (u32 i = 0; i < d->breaks.n; i++) {
		struct breakpoint *b = d->breaks.list[i];
		if (b->kind == BK_STAT && b->enabled && !crossing_ready(&b->stat, now))
			set.list[set.n++] = b;
	}
	return set;
}

void stats_know_windows(struct debugger *d)
{
	struct sim_history_info h;
	u64 now = sim_cycle(d->s->sim);
	sim_history_info(d->s->sim, &h);
	if (!h.on || d->in_run || lua_dbg_in_callback(d) || break_ready(&d->breaks, now))
		return;
	struct break_set set = unknown_windows(d, now);
	struct err e = {0};
	d->in_run = true;
	if (!stats_lead_in(d, &set, now, &e)) {
		struct err again = {0};
		debugger_clear_interrupt(d);
		session_goto(d->s, now, &again);
	}
	d->in_run = false;
	free(set.list);
}
