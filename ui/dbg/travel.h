/* travel: going to another cycle of the run and back, changes by hand, and undoing both. */
#ifndef UI_DBG_TRAVEL_H
#define UI_DBG_TRAVEL_H
#include "dbg/undo.h"
#include "obs/break/data_watch.h"

/* Before a command that changes the machine, outside a run: forks history when in the past, remembers the change for
 * undo. */
bool change_begins(struct debugger *d, struct err *e);
/* History has forked at the present cycle: all that has been kept of later ones goes. */
void travel_forked(struct debugger *d);
void travel_release(struct debugger *d);
/* May time be travelled now? False with *e: the machine is running, there is no history. */
bool travel_allowed(struct debugger *d, struct err *e);
/* Puts the machine at a place, or where it stands at a cycle; where it is then is said by travel_arrived(), which
 * brings what hangs on the machine's place up to date. */
bool travel_to_place(struct debugger *d, struct sim_place to, struct err *e);
bool travel_to(struct debugger *d, u64 cycle, struct err *e);
void travel_arrived(struct debugger *d, struct strbuf *out);
/* What a script's error during a command was, if there was one; the command counts as failed. */
void tell_script_error(struct debugger *d, struct strbuf *out);

/* What a search through the past has found. */
struct found {
	bool any;
	struct sim_place at;
	struct break_hit hit; /* id 0: a watchpoint, told by text */
	struct data_writer writer;
	char text[600];
};
/* Goes to the last stop before the present place (until_now: or at it), else to the beginning of history. False with
 * *e: interrupted, the machine is where it was. */
bool reverse_to_stop(struct debugger *d, bool until_now, struct found *f, struct err *e);
/* To where the focused warp has issued last; breakpoints do not count. */
bool reverse_to_issue(struct debugger *d, struct found *f, struct err *e);
#endif
