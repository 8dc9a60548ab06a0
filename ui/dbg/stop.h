/* stop: what is printed and done when a run stops; for goal.c. */
#ifndef UI_DBG_STOP_H
#define UI_DBG_STOP_H
#include "dbg/state.h"

/* What a `break stat` says when it stops. */
void stat_hit_text(const struct break_hit *h, const struct breakpoint *b, struct strbuf *out);
/* Somebody has asked for a stop in the last cycle: a breakpoint, a watchpoint, a script. */
void stop_requested(struct debugger *d, struct strbuf *out);
/* A cycle is over without that: breakpoints of cycles, watched expressions and the goal are looked at. True: it stops.
 */
bool stop_cycle_over(struct debugger *d, struct strbuf *out);
/* The run has ended: finished, faulted, hung, interrupted... *e is session_run()'s. */
void stop_ended(struct debugger *d, enum session_stop ss, const struct err *e, struct strbuf *out);
#endif
