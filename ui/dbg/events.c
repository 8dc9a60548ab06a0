#include "dbg/events.h"

#include "dbg/breaks.h"
#include "dbg/hooks.h"
#include "dbg/log.h"
#include "dbg/lua_side.h"
#include "dbg/moves.h"
#include "dbg/record.h"
#include "dbg/watch.h"

bool debugger_hears(struct debugger *d, const struct event *ev)
{
	struct gpu *g = dbg_gpu(d);
	resolve_pending(d);
	if (event_in(d->log.mask, ev->type) && !d->s->replaying) { /* the log has what a search replays */
		struct strbuf text = STRBUF_INIT;
		event_text(g, ev, &text);
		debugger_log(d, LOG_EVENT, "%s", strbuf_str(&text));
		strbuf_release(&text);
	}
	if (event_in(record_mask(d), ev->type))
		record_event(d, ev);
	if (event_in(moves_mask(), ev->type) && !d->s->replaying)
		moves_event(d->moves, ev);
	bool other = lua_dbg_event(d, ev), watched = watches_event(d, ev);
	other |= break_event(&d->breaks, g, ev);
	d->run.watch_asked |= watched;
	d->run.other_asked |= other;
	return other || watched;
}

static bool on_event(void *ctx, const struct event *ev)
{
	return debugger_hears(ctx, ev);
}

event_set debugger_events(struct debugger *d)
{
	return break_mask(&d->breaks) | watches_mask(d) | lua_dbg_mask(d) | d->log.mask | record_mask(d) | moves_mask();
}

void debugger_resubscribe(struct debugger *d)
{
	struct sim *sim = d->s->sim;
	event_set mask = debugger_events(d);
	if (!sim)
		return;
	if (d->bound.subscribed_to != sim || d->bound.subscription < 0) {
		d->bound.subscription = sim_subscribe(sim, mask, on_event, d);
		d->bound.subscribed_to = sim;
	} else {
		sim_resubscribe(sim, d->bound.subscription, mask);
	}
	lua_hooks_bind(d);
}
