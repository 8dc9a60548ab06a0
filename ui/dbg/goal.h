/* goal: where the machine runs to. */
#ifndef UI_DBG_GOAL_H
#define UI_DBG_GOAL_H
#include "dbg/state.h"

/* May the machine run on? False with *e: finished, faulted, or already running. */
bool can_run(struct debugger *d, struct err *e);
void goal_clear(struct debugger *d);
void set_goal(struct debugger *d, enum goal_kind k, u64 cycle);
#endif
