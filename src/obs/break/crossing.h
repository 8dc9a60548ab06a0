/* crossing: compares a statistic with a value, for breakpoints that stop when the comparison becomes true.
 *
 *   gpu.sm[3].l1d.hit_rate < 0.10      gpu.ipc >= 12 over 500      gpu.sm[0].ctas_done == 4
 *
 * The comparison is looked at every so many cycles, not in between: if it becomes true and false again within a period,
 * that goes unnoticed. If the statistic has no value (a rate over 0), no comparison is true.
 *
 * A rate since the start of the run says little about now. Rates are therefore measured over a window
 * (obs/stats/window.h) unless `over run` is given. Counters count since the start unless a window is given. Looks lie
 * at multiples of `every` in machine cycles, and windows end there, so the same stops are found whichever way one comes
 * to them. */
#ifndef OBS_BREAK_CROSSING_H
#define OBS_BREAK_CROSSING_H
#include "obs/name/probe_path.h"
#include "obs/stats/window.h"

#define CROSSING_EVERY 64    /* cycles between two looks unless told otherwise; a look costs about a microsecond */
#define CROSSING_WINDOW 2000 /* cycles of a rate's window unless told otherwise: several trips to memory */

enum crossing_op { CROSS_LT, CROSS_LE, CROSS_GT, CROSS_GE, CROSS_EQ, CROSS_NE };
struct crossing {
	char *probe; /* as typed: looked up again in a new machine */
	struct probe_path path;
	enum crossing_op op;
	double value;
	u64 every;
	struct window window; /* span 0: since the start of the run */
	bool known, holds;    /* at the last look; known: there was one since the machine was put where it is */
	double last, before;
};
/* "PROBE OP VALUE [every N] [over W|run]": the comparison may go without blanks. With a window alone, windows follow
 * one another; `every` divides it. False with *e. */
bool crossing_parse(const struct gpu *g, const char *text, struct crossing *out, struct err *e);
/* In a machine that is another one: the probe is looked up again. False with *e: it has none of that name. */
bool crossing_rebind(struct crossing *c, const struct gpu *g, struct err *e);
void crossing_release(struct crossing *c);
/* One look: has the comparison become true since the last one? The first of all
 * never says so, nor does one behind a look at which the window was not known. */
bool crossing_look(struct crossing *c, struct gpu *g);
/* The machine has been put somewhere else: what holds here is no crossing. With a window, what holds is what held at
 * the last multiple of `every`, if the marks are known. */
void crossing_moved(struct crossing *c, struct gpu *g);
/* The window that ended last, by the present cycle; NAN when it is not known. */
double crossing_value(struct crossing *c, struct gpu *g);
/* Put at `cycle`, will it see what it would have seen on the way there? And how many cycles before must crossing_moved
 * and then every look be, so that it does? */
bool crossing_ready(const struct crossing *c, u64 cycle);
u64 crossing_lead(const struct crossing *c);
/* "gpu.ipc < 2 over 2000", "gpu.issued > 10 every 64" */
void crossing_text(const struct crossing *c, struct strbuf *out);
#endif
