/* Going to another cycle of the run, changing the machine, and what `undo` knows of both. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dbg/breaks.h"
#include "dbg/debugger.h"
#include "dbg/divergence.h"
#include "dbg/goal.h"
#include "dbg/lua_side.h"
#include "dbg/record.h"
#include "dbg/travel.h"
#include "dbg/value.h"
#include "dbg/watch.h"
#include "dbg/windows.h"

#define UNDO_MAX 1000

static void push_undo(struct debugger *d, bool change)
{
	u64 now = sim_cycle(d->s->sim);
	struct undo *last = d->travel.nundos ? &d->travel.undos[d->travel.nundos - 1] : NULL;
	if (!change && last && !last->change && last->cycle == now)
		return;
	if (d->travel.nundos == UNDO_MAX)
		memmove(d->travel.undos, d->travel.undos + 1, --d->travel.nundos * sizeof *d->travel.undos);
	d->travel.undos = xrealloc(d->travel.undos, (d->travel.nundos + 1) * sizeof *d->travel.undos);
	d->travel.undos[d->travel.nundos++] = (struct undo){.change = change, .cycle = now};
}

/* History ends at the present cycle now: what was done after it cannot be undone any more. */
void undos_forked(struct debugger *d)
{
	for (u32 i = 0; i < d->travel.nundos; i++)
		d->travel.undos[i].gone |= d->travel.undos[i].cycle > sim_cycle(d->s->sim);
}

void remember_position(struct debugger *d)
{
	if (!d->run.in_run)
		push_undo(d, false);
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
	divergence_void(d);
	record_forked(d);
	undos_forked(d);
	push_undo(d, true);
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

void travel_arrived(struct debugger *d, struct strbuf *out)
{
	d->run.rest = d->s->finished ? DBG_FINISHED : DBG_STOPPED;
	record_moved(d);
	stats_know_windows(d);
	watches_rebind(d);
	break_moved(&d->breaks, dbg_gpu(d));
	debugger_refresh_focus(d);
	debugger_show_place(d, out);
	show_displays(d, out);
}

bool travel_to(struct debugger *d, u64 cycle, struct err *e)
{
	goal_clear(d);
	debugger_clear_interrupt(d);
	remember_position(d);
	d->run.in_run = true;
	bool ok = session_goto(d->s, cycle, e);
	if (ok)
		d->run.stop_reason[0] = '\0'; /* that was elsewhere */
	d->run.in_run = false;
	debugger_resubscribe(d);
	return ok;
}

void tell_script_error(struct debugger *d, struct strbuf *out)
{
	if (!lua_dbg_take_error(d, out))
		return;
	strbuf_addc(out, '\n');
	d->report.failed = true;
}
