/* nth: counts the matches of a breakpoint and recognises the n-th one again.
 *
 * Counting begins at one cycle and goes forward. Cycles that are gone through again, after going back in time, hold the
 * same matches: they are not counted twice, and the n-th is the n-th there too. Cycles that are skipped (a goto into a
 * part of the past that was simulated before counting began) are not counted. */
#ifndef OBS_BREAK_NTH_H
#define OBS_BREAK_NTH_H
#include "base/base.h"

#define NTH_MAX 10000000 /* 8 B each */
struct nth {
	u64 n;    /* which one; 0 = all of them */
	u64 from; /* the cycle counting began at */
	u64 *cycle;
	u32 len, cap; /* matches so far, by cycle */
	u64 at;       /* the cycle of the match seen last, and how many were seen in it */
	u32 in_cycle;
};
/* A match in `cycle`: is it the n-th? */
bool nth_match(struct nth *x, u64 cycle);
/* History was forked at `cycle`: what was counted from there on has not happened. */
void nth_fork(struct nth *x, u64 cycle);
/* The machine has been put somewhere else: what comes may be what has just been seen. */
void nth_rewound(struct nth *x);
/* Counts again from `cycle` on. */
void nth_restart(struct nth *x, u64 cycle);
void nth_release(struct nth *x);
#endif
