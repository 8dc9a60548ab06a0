/* goal: running towards something, in slices, and where a run begins. */
#ifndef UI_DBG_GOAL_H
#define UI_DBG_GOAL_H
#include "dbg/debugger.h"

/* May the machine run on? False with *e: finished, faulted, or already running. */
bool can_run(struct debugger *d, struct err *e);
void goal_clear(struct debugger *d);
void set_goal(struct debugger *d, enum goal_kind k, u64 cycle);

/* What a `break stat` says when it stops. */
void stat_hit_text(const struct break_hit *h, const struct breakpoint *b, struct strbuf *out);
/* One slice of the goal alone (no queued commands). */
void goal_slice(struct debugger *d, u64 max_cycles, struct strbuf *out);
/* Runs the goal to its end: for Lua's dbg.step and the like. */
void goal_drive(struct debugger *d, struct strbuf *out);
/* The event consumer of the debugger. */
bool debugger_on_event(void *ctx, const struct event *ev);
/* Moves program output to out. */
void take_output(struct debugger *d, struct strbuf *out);
/* Lets the host program run to its first wait: modules are loaded and kernels launched, no cycle is simulated. */
bool debugger_start(struct debugger *d, struct strbuf *out, struct err *e);
/* session_restart, and everything that hung on the old machine. Leaves the debugger at cycle 0, started. */
bool debugger_restart(struct debugger *d, struct strbuf *out, struct err *e);
#endif
