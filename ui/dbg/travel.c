/* Going to another cycle of the run, changing the machine, and what `undo` knows of both. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dbg/divergence.h"
#include "dbg/events.h"
#include "dbg/focus.h"
#include "dbg/follow.h"
#include "dbg/goal.h"
#include "dbg/interrupt.h"
#include "dbg/latencies.h"
#include "dbg/lanes.h"
#include "dbg/linelives.h"
#include "dbg/lua_side.h"
#include "dbg/moves.h"
#include "dbg/record.h"
#include "dbg/reuses.h"
#include "dbg/roofs.h"
#include "dbg/rival.h"
#include "dbg/scope.h"
#include "dbg/travel.h"
#include "dbg/value.h"
#include "dbg/watch.h"
#include "dbg/windows.h"

void travel_forked(struct debugger *d)
{
	record_forked(d);
	moves_forked(d->moves, sim_cycle(d->s->sim));
	scope_forked(d);
	follow_forked(d);
	latencies_forked(d);
	lanes_forked(d);
	reuses_forked(d);
	roofs_forked(d);
	linelives_forked(d);
}

bool change_begins(struct debugger *d, struct err *e)
{
	if (d->run.in_run || lua_dbg_in_callback(d))
		return err_set(e, "the machine is running: it can be changed when it stands");
	if (!session_change_begins(d->s, e))
		return false;
	if (d->run.rest != DBG_DEAD)
		d->run.rest = DBG_STOPPED;
	break_forked(&d->breaks, sim_cycle(d->s->sim));
	d->travel.changed_by_hand = true;
	d->travel.changes++;
	if (d->rival)
		rival_void(d);
	divergence_void(d);
	travel_forked(d);
	undos_forked(d);
	remember_change(d);
	return true;
}

void travel_release(struct debugger *d)
{
	free(d->travel.bookmarks);
	free(d->travel.undos);
}

bool travel_allowed(struct debugger *d, struct err *e)
{
	if (d->run.in_run || lua_dbg_in_callback(d))
		return err_set(e, "the machine is running already");
	struct sim_history_info h;
	sim_history_info(d->s->sim, &h);
	return h.on || err_set(e, "%s", h.off);
}

/* Behind turns of the present cycle what they have changed is still to be told when it is over, whichever way one has
 * come here: watches begin with what was before them. */
static void rebind_watches(struct debugger *d)
{
	const struct sim_place here = sim_place(d->s->sim), before = sim_before_turns(d->s->sim, here.cycle);
	struct sim_history_info h;
	struct err e = {0};
	sim_history_info(d->s->sim, &h);
	const bool there =
	    d->nwatches && here.cycle > h.begin && sim_place_order(before, here) < 0 && session_go(d->s, before, &e);
	watches_rebind(d);
	if (there)
		session_go(d->s, here, &e);
}

void travel_arrived(struct debugger *d, struct strbuf *out)
{
	record_moved(d);
	moves_moved(d->moves);
	rebind_watches(d);
	stats_know_windows(d);
	scope_arrived(d);
	d->run.rest = d->s->finished ? DBG_FINISHED : DBG_STOPPED;
	break_moved(&d->breaks, dbg_gpu(d));
	debugger_refresh_focus(d);
	debugger_show_place(d, out);
	show_displays(d, out);
}

bool travel_to_place(struct debugger *d, struct sim_place to, struct err *e)
{
	goal_clear(d);
	remember_position(d);
	d->run.in_run = true;
	bool ok = session_go(d->s, to, e);
	if (ok)
		d->run.stop_reason[0] = '\0'; /* that was elsewhere */
	d->run.in_run = false;
	debugger_resubscribe(d);
	return ok;
}

bool travel_to(struct debugger *d, u64 cycle, struct err *e)
{
	session_change_ends(d->s);
	return travel_to_place(d, sim_rest(d->s->sim, cycle), e);
}

void tell_script_error(struct debugger *d, struct strbuf *out)
{
	if (!lua_dbg_take_error(d, out))
		return;
	strbuf_addc(out, '\n');
	d->report.failed = true;
}
