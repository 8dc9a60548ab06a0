/* livelock: warps that execute for ever and never get on - a spin on a flag nobody sets, a lock that its holder cannot
 * release, a hand-made barrier with more CTAs than fit.
 *
 * Suspicion: no CTA has started or ended for deadlock_cycles. Then four windows of a quarter of that each: in every one
 * of them each warp comes back to a state that it was in before (pc, SIMT stack, registers) or does not move at all,
 * and memory (global, local, shared) is the same at the end of each window. A warp whose state and memory repeat does
 * the same again and again, so nothing will come of it. Not found: loops in which a register changes for ever (a count,
 * %clock); they run to --max-cycles.
 *
 * A warp whose loop sleeps (nanosleep, up to a millisecond) may not come round in a window. While one that has slept is
 * still to come back, its window goes on, up to LIVELOCK_SLEEPS times the longest sleep seen in it: loops that sleep
 * several times, for different times, are found too. A warp that is still asleep then counts as getting on.
 *
 * A warp is compared with a few states that were taken after 1, 2, 4, 8... looks' time of the window (Brent's way of
 * finding a cycle of unknown length); several, because one may be of an instruction that it stands at but for a moment.
 *
 * Memory is compared at the ends of the windows only: warps that keep writing a value and taking it back count as going
 * round in circles, even if another could by the luck of timing have seen it.
 *
 * All of it lies in the arena, beside the hash: after going back in time a livelock is found at the same cycle again.
 */
#ifndef GPU_LIVELOCK_H
#define GPU_LIVELOCK_H
#include "base/arena.h"
#include "conf/conf.h"

struct gpu;
struct livelock {   /* arena, not in the hash */
	u64 work;       /* CTAs started and ended, when last looked */
	u64 since;      /* cycle at which that had changed last */
	u64 memory;     /* hash of all memory after the first window */
	u64 next;       /* cycle of the next look inside a window; NEVER: none before the window ends */
	u64 ends;       /* cycle at which the window ends; 0: no window */
	u64 begins;     /* cycle at which it began */
	u64 asleep;     /* cycles of the longest sleep seen in it, of a warp whose state had not recurred */
	u32 left;       /* warps whose state has not recurred in this window */
	u32 windows;    /* passed */
	u32 came_round; /* the state of a warp has recurred in this window */
};
#define LIVELOCK_SLEEPS 8
#define LIVELOCK_STATES 4
struct livelock_warp {   /* arena; by SM and warp slot */
	struct {             /* states to come back to */
		u64 hash, insts; /* insts: issued so far */
		u32 pc, pad;
	} was[LIVELOCK_STATES];
	u64 first;       /* instructions issued at the window's beginning */
	u64 sleep_from;  /* cycle of the look at which it was first seen in its present sleep */
	u64 sleep_insts; /* instructions issued until that sleep; 0: none yet */
	u32 taken, open; /* states taken in this window after its first; 1: its state has not recurred yet */
};
u64 livelock_state_bytes(const struct conf *c);
void livelock_create(struct gpu *g); /* carves its state from the arena */
/* To be called at every multiple of deadlock_cycles / 4 and at livelock_next(): true when it has been found. */
bool livelock_look(struct gpu *g);
u64 livelock_next(const struct gpu *g); /* cycle of the next look that it asks for; NEVER: none */
#endif
