/* slices: running towards the goal, a slice at a time, and where a run begins. */
#ifndef UI_DBG_SLICES_H
#define UI_DBG_SLICES_H
#include "dbg/state.h"

/* One slice of the goal alone (no queued commands). */
void goal_slice(struct debugger *d, u64 max_cycles, struct strbuf *out);
/* Runs the goal to its end: for Lua's dbg.step and the like. */
void goal_drive(struct debugger *d, struct strbuf *out);
/* Lets the host program run to its first wait: modules are loaded and kernels launched, no cycle is simulated. */
bool debugger_start(struct debugger *d, struct strbuf *out, struct err *e);
/* session_restart, and everything that hung on the old machine. Leaves the debugger at cycle 0, started. */
bool debugger_restart(struct debugger *d, struct strbuf *out, struct err *e);
#endif
