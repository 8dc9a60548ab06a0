/* watch: watchpoints, on statistics, expressions, registers and memory. */
#ifndef UI_DBG_WATCH_H
#define UI_DBG_WATCH_H
#include "dbg/state.h"

struct watch *watch_find(struct debugger *d, u32 id);
void watch_delete(struct debugger *d, struct watch *w);
void watch_enable(struct debugger *d, struct watch *w, bool on);
/* May a hit be at another place than another? */
bool watch_is_filtered(const struct breakpoint *b);
/* Reads an expression's or statistic's value; true when it is another one than before. False with *e set: it cannot be
 * evaluated. */
bool watch_look(struct debugger *d, struct watch *w, struct err *e);
void watch_release(struct watch *w); /* what it holds, not its breakpoint */
struct watch_stop {
	u32 id;             /* of the watchpoint; 0 = none stopped. It may have been deleted: its warp has exited */
	struct strbuf text; /* the report, without a line break at the end */
	struct data_writer writer;
	bool deleted; /* watchpoints have been deleted: fewer events may be wanted */
};
/* Evaluates the enabled watchpoints; the first that changed in *stop (release its text). Errors of a Lua expression
 * disable it and are reported to out. */
bool watches_check(struct debugger *d, struct strbuf *out, struct watch_stop *stop);
/* Is there one to be evaluated after every cycle? */
bool watches_each_cycle(const struct debugger *d);
/* The machine has been put somewhere else, or is a new one: probes are looked up again, values begin with those there.
 */
void watches_rebind(struct debugger *d);
/* Another program is about to be there: registers and shared memory of the one before are watched no longer, and that
 * is said; statistics, expressions and device addresses stay. */
void watches_of_another(struct debugger *d, struct strbuf *out);
/* The value a watchpoint has now, as text. */
void watch_value(const struct watch *w, struct strbuf *out);

/* Shows an event to the watchpoints of this kind; true = one wants to stop. */
bool watches_event(struct debugger *d, const struct event *ev);
event_set watches_mask(const struct debugger *d);
#endif
