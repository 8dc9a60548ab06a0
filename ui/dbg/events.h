/* events: which events the debugger wants to hear of, and which of its parts are told of each. */
#ifndef UI_DBG_EVENTS_H
#define UI_DBG_EVENTS_H
#include "dbg/state.h"

/* Updates the subscription after breakpoints, Lua subscriptions or the log mask changed. */
void debugger_resubscribe(struct debugger *d);
/* What its parts have asked for. */
event_set debugger_events(struct debugger *d);
/* Tells them of an event; true: one of them wants to stop. */
bool debugger_hears(struct debugger *d, const struct event *ev);
#endif
