#include "dbg/debugger.h"

#include <stdlib.h>
#include <string.h>

#include "dbg/divergence.h"
#include "dbg/goal.h"
#include "dbg/hooks.h"
#include "dbg/lua_side.h"
#include "dbg/record.h"
#include "dbg/rival.h"
#include "dbg/travel.h"
#include "dbg/watch.h"

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
	lua_dbg_release(d);
	for (u32 i = 0; i < FOLLOWERS_MAX && d->follower[i]; i++)
		d->follower[i]->closed(d);
	d->words->release(d);
	travel_release(d);
	record_end(d, NULL);
	while (d->nwatches)
		watch_delete(d, &d->watches[d->nwatches - 1]);
	break_release(&d->breaks);
	rival_close(d);
	divergence_release(d);
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

void debugger_resubscribe(struct debugger *d)
{
	struct sim *sim = d->s->sim;
	event_set mask = break_mask(&d->breaks) | watches_mask(d) | lua_dbg_mask(d) | d->log.mask | record_mask(d);
	if (!sim)
		return;
	if (d->bound.subscribed_to != sim || d->bound.subscription < 0) {
		d->bound.subscription = sim_subscribe(sim, mask, debugger_on_event, d);
		d->bound.subscribed_to = sim;
	} else {
		sim_resubscribe(sim, d->bound.subscription, mask);
	}
	lua_hooks_bind(d);
}

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
