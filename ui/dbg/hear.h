/* hear: goes through a part of the run again and listens to its loads (obs/record/ways.h). The machine comes back to
 * where it was, and is as it was; breakpoints, callbacks and recordings hear nothing. */
#ifndef UI_DBG_HEAR_H
#define UI_DBG_HEAR_H
#include "dbg/state.h"
#include "obs/record/ways.h"

struct hearing {
	struct sim_place here; /* where the machine comes back to */
	struct ways *ways;
};
/* Listens from a cycle on, with all loads known that are under way there: the machine stands at that cycle. ended as of
 * ways_new(): told also of loads that ended before. False with *e: no history, a cycle that it does not reach; the
 * machine is where it was. what: the command, for messages. */
bool hear_from(struct debugger *d, const char *what, u64 cycle, way_fn *ended, void *ctx, struct hearing *h,
               struct err *e);
/* Goes on to a cycle, or to where the machine was if that comes first. False with *e: interrupted. */
bool hear_to(struct debugger *d, struct hearing *h, u64 cycle, struct err *e);
/* Goes on to exactly where the machine was; what was heard is the caller's. False with *e: interrupted; ways are freed.
 */
bool hear_up(struct debugger *d, struct hearing *h, struct err *e);
/* The machine is where it was; what was heard is forgotten. */
void hear_end(struct debugger *d, struct hearing *h);
#endif
