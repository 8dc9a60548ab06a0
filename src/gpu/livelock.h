/* livelock: warps that execute for ever without progress: a spin on a flag that nobody sets, a lock that its holder
 * cannot release, a hand-made barrier with more CTAs than fit.
 *
 * Suspicion: no CTA has started or ended for deadlock_cycles. Then come four windows of a quarter of that time each. In
 * each window every warp must come back to a state that it was in before (pc, SIMT stack, registers), or not move at
 * all, and memory (global, local, shared) must be the same at the end of each window. A warp whose state and memory
 * repeat does the same again and again, so it will never make progress. Loops in which a register changes for ever (a
 * count, %clock) are not found; they run to --max-cycles.
 *
 * A warp whose loop sleeps (nanosleep, up to a millisecond) may not come round in a window. As long as a warp that has
 * slept has not come back to a state, its window goes on, up to LIVELOCK_SLEEPS times the longest sleep seen in it. So
 * loops that sleep several times, for different times, are found too. A warp that is still asleep then counts as making
 * progress.
 *
 * A warp is compared with a few states that were taken after 1, 2, 4, 8... looks of the window (Brent's way of finding
 * a cycle of unknown length). There are several, because one state may be of an instruction at which the warp stands
 * only for a moment.
 *
 * Memory is compared at the ends of the windows only. Warps that keep writing a value and taking it back count as going
 * round in circles, even if another warp could have seen the value by the luck of timing.
 *
 * Who acts on the machine from outside may end the circles: a CUDA program that asks for a stream again and again may
 * write the flag before it asks the next time. So each of its turns ends the suspicion, and as long as the next one is
 * known to come there is none. That goes on for LIVELOCK_PATIENCE times deadlock_cycles, counted from the last CTA that
 * started or ended. From then on turns end nothing: who only asks, and is waited for, asks for ever.
 *
 * All of it lies in the arena, beside the hash: after going back in time a livelock is found at the same cycle
 * again. */
#ifndef GPU_LIVELOCK_H
#define GPU_LIVELOCK_H
#include "base/arena.h"
#include "conf/conf.h"

struct gpu;
struct livelock {   /* arena, not in the hash */
	u64 work;       /* CTAs started and ended, when last looked */
	u64 since;      /* cycle at which that had changed last, or the outside had its last turn */
	u64 work_at;    /* cycle at which it had changed last, turns apart */
	u64 expected;   /* cycle in which the outside has its next turn, as far as that is known */
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
#define LIVELOCK_PATIENCE 1000
#define LIVELOCK_STATES 4
struct livelock_warp {   /* arena; by SM and warp slot */
	struct {             /* states to come back to */
		u64 hash, insts; /* insts: issued so far */
		u32 pc, pad;
	} was[LIVELOCK_STATES];
	u64 first;       /* instructions issued at the window's beginning */
	u64 sleep_from;  /* cycle of the look at which it was first seen in its present sleep */
	u64 sleep_insts; /* instructions issued until that sleep; 0: none yet */
	u32 taken, pad;  /* states taken in this window after its first */
};
u64 livelock_state_bytes(const struct conf *c);
void livelock_create(struct gpu *g); /* carves its state from the arena */
/* To be called at every multiple of deadlock_cycles / 4 and at livelock_next(): true when it has been found. */
bool livelock_look(struct gpu *g);
u64 livelock_next(const struct gpu *g); /* cycle of the next look that it asks for; NEVER: none */
void livelock_turn(struct gpu *g);      /* the outside has acted */
void livelock_helped(struct gpu *g);    /* it has been found, but the outside is about to end it */
/* It will act in that cycle again. */
void livelock_expect(struct gpu *g, u64 cycle);
#endif
