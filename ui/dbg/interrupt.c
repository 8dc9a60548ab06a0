#include "dbg/interrupt.h"

#include "base/leaving.h"
#include "dbg/rival.h"
#include "lua/lua.h"

void debugger_interrupt(struct debugger *d)
{
	d->run.interrupt = true;
	d->run.interrupts++;
	lua_interrupt();
	if (d->bound.subscribed_to)
		sim_interrupt(d->bound.subscribed_to);
	if (d->rival)
		rival_interrupt(d->rival);
}

void debugger_clear_interrupt(struct debugger *d)
{
	if (!d->script.in_script) { /* it is for the script as well as for what the script has run: that must not take it */
		d->run.interrupt = false;
		lua_interrupt_clear();
	}
	if (d->bound.subscribed_to)
		sim_clear_interrupt(d->bound.subscribed_to);
	if (d->rival && d->rival->s)
		sim_clear_interrupt(d->rival->s->sim);
	if (leaving_by())
		debugger_interrupt(d);
}
