/* window: a counter or rate over the last `span` cycles instead of since the start of the run.
 *
 * The running totals (a rate's numerator and denominator, a counter itself) are remembered at multiples of `step` in
 * machine cycles. The value at such a multiple is the difference between two of these marks. Marks belong to the run,
 * not to the way taken through it: going back and forth in time finds the same ones, until history forks. So the value
 * at a cycle does not depend on when the window was made, but the caller must have noted the marks on which it
 * stands. */
#ifndef OBS_STATS_WINDOW_H
#define OBS_STATS_WINDOW_H
#include "base/base.h"

#define WINDOW_STEPS_MAX 4096 /* span / step: sliding windows remember that many marks at least */

struct totals {
	double num, den; /* a rate's; a counter has den = 0 all the time */
};
struct window {
	u64 span, step; /* cycles; step divides span. 0 = there is no window */
	bool is_rate;
	struct mark {
		u64 cycle;
		struct totals t;
	} * mark; /* by cycle; the least near ones go when there are many */
	u32 n, cap;
};
/* The totals at a multiple of step. Noted again they are the same. */
void window_note(struct window *w, u64 cycle, struct totals t);
/* The value at a multiple of step; NAN before a whole span has passed since cycle 0, and for a rate without events.
 * False: the marks for it are not known. */
bool window_value(const struct window *w, u64 cycle, double *value);
/* Are all marks known that the values up to `cycle` and from there on stand on? */
bool window_ready(const struct window *w, u64 cycle);
/* History has forked at `cycle`: later marks are void. */
void window_fork(struct window *w, u64 cycle);
void window_release(struct window *w);
#endif
