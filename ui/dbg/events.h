/* events: which events the debugger wants to hear of, and which of its parts are told of each. */
#ifndef UI_DBG_EVENTS_H
#define UI_DBG_EVENTS_H
#include "dbg/state.h"

/* Updates the subscription after breakpoints, Lua subscriptions or the log mask changed. */
void debugger_resubscribe(struct debugger *d);
#endif
