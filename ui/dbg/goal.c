#include "dbg/goal.h"

#include <stdlib.h>

#include "dbg/events.h"
#include "dbg/lua_side.h"
#include "dbg/undo.h"

bool can_run(struct debugger *d, struct err *e)
{
	if (d->run.in_run || lua_dbg_in_callback(d))
		return err_set(e, "the machine is running already");
	if (d->run.rest == DBG_FINISHED)
		return err_set(e, "the program has finished; `run` starts it again");
	if (d->run.rest == DBG_DEAD)
		return err_set(e, "the program cannot go on (%s); `run` starts it again", session_stop_text(d->run.last));
	return true;
}

void goal_clear(struct debugger *d)
{
	struct breakpoint *b = d->run.goal.breakpoint ? break_find(&d->breaks, d->run.goal.breakpoint) : NULL;
	if (b) {
		lua_dbg_unref(d, b->cond_ref);
		break_delete(&d->breaks, b->id);
	}
	free(d->run.goal.expr);
	if (d->run.goal.fn >= 0)
		lua_dbg_unref(d, d->run.goal.fn);
	d->run.goal = (struct goal){.cycle = NEVER, .fn = LUA_NOREF, .launch = -1, .cta = -1};
}

void set_goal(struct debugger *d, enum goal_kind k, u64 cycle)
{
	goal_clear(d);
	remember_position(d);
	d->run.stop_reason[0] = '\0'; /* that was elsewhere */
	d->run.goal.kind = k;
	d->run.goal.cycle = cycle;
	debugger_resubscribe(d);
}
