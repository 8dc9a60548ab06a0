/* windows: what breakpoints on statistics, and expressions over windows, must have seen before the machine goes on. */
#ifndef UI_DBG_WINDOWS_H
#define UI_DBG_WINDOWS_H
#include "dbg/state.h"

/* Statistics' breakpoints (windows.c). Puts the machine at `to`, in the past, having shown those of `set` the looks
 * before it. False with *e: interrupted on the way. */
bool stats_lead_in(struct debugger *d, struct break_set *set, struct sim_place to, struct err *e);
/* The machine stands, and goes on from here: enabled statistics over windows learn, from the past, what they would know
 * had they been there all the time. Without a history, or interrupted, they know it after a whole window. */
void stats_know_windows(struct debugger *d);
/* A counter or rate of a probe over the last whole window of `span` cycles, windows following one another from cycle 0;
 * NAN where there is none yet, or the marks it stands on are before the history. What was not asked for before is
 * looked up in the past; not while the machine runs (at_rest): then it is an error. */
bool window_over(struct debugger *d, const char *probe, u64 span, bool at_rest, double *value, struct err *e);
/* The windows that an expression will ask for, dbg.over("PROBE", N), are known from here on. */
void windows_of_text(struct debugger *d, const char *expr);
#endif
