/* `whatif ... from CYCLE`: rows that begin at another cycle than the present one. */
#include "dbg/goal.h"
#include "dbg/travel.h"
#include "dbg/whatif.h"

#define WAIT_MS 50

static bool go(struct debugger *d, struct sim_place to, struct err *e)
{
	d->run.in_run = true;
	const bool ok = session_go(d->s, to, e);
	d->run.in_run = false;
	return ok;
}

static bool run_rows(struct debugger *d, const char *text, struct err *e)
{
	struct whatif *w = whatif_open(d, text, e);
	if (!w)
		return false;
	whatif_free(d->whatif);
	d->whatif = w;
	while (!d->run.interrupt && whatif_wait(w, d, WAIT_MS))
		;
	whatif_stop(w); /* only what an interrupt has left */
	return !w->interrupted || err_set(e, "whatif: interrupted");
}

bool whatif_elsewhere(struct debugger *d, u64 cycle, const char *text, struct err *e)
{
	const struct sim_place here = sim_place(d->s->sim), there = sim_rest(d->s->sim, cycle);
	const enum run_state rest = d->run.rest;
	if (!travel_allowed(d, e) || !go(d, there, e))
		return false;
	d->run.rest = d->s->finished ? DBG_FINISHED : DBG_STOPPED;
	bool ok = run_rows(d, text, e);
	ok = go(d, here, ok ? e : NULL) && ok;
	d->run.rest = rest;
	return ok;
}
