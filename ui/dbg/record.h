/* record: events as JSON lines in a file that follows the history. */
#ifndef UI_DBG_RECORD_H
#define UI_DBG_RECORD_H
#include "dbg/state.h"

/* Which events are recorded. */
event_set record_mask(const struct debugger *d);
/* Writes an event to the open recording. */
void record_event(struct debugger *d, const struct event *ev);
bool record_end(struct debugger *d, struct err *e); /* completes the file; true when there is none */
/* History has forked at the present cycle: what was recorded of later ones goes. */
void record_forked(struct debugger *d);
/* The machine has been put somewhere else in its history: what has been written is not written again. */
void record_moved(struct debugger *d);
/* It begins anew. */
void record_restarted(struct debugger *d);

/* Begins: events of the mask, once they are subscribed to (events.h). None may be under way. False with *e: the file
 * cannot be written. */
bool record_start(struct debugger *d, const char *file, event_set mask, struct err *e);
bool record_stop(struct debugger *d,
                 struct err *e);              /* ends the one under way; false with *e: the file is not complete */
u64 record_written(const struct debugger *d); /* events, by the one under way */
#endif
