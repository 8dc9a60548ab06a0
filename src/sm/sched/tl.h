/* tl: the two-level scheduler of Awatramani 2015 (section IV-B, figures 3 and 8), common to tl-rr, tl-gto and tl-paws.
 *
 *   launched -> active queue -> ready queue (tl.ready warps) -> issues, round robin
 *                    ^                 |
 *                    `- pending queue <'   waits on a long-latency operation
 *
 * A warp of the ready queue that waits on a long-latency operation goes to the pending queue and is replaced from the
 * head of the active queue. When all its long-latency operations are complete, it goes to the tail of the active queue,
 * which is then sorted by the policy's key; equal keys keep their order. A warp whose lanes have all exited leaves.
 *
 * The paper leaves these points open:
 * - Each scheduler of an SM has queues of its own, with tl.ready warps. Table I says "ready warps queue size 6" beside
 *   "warp schedulers per core 2", which can be read either way. Figure 13, where the warps of a core fall from 48 to 42
 *   when a fetch group ends, fits both, as the groups of two schedulers need not end in the same cycle. For 6 warps a
 *   core set tl.ready=3.
 * - Long-latency operations are those that take longer than an arithmetic pipeline: loads from global, local and
 *   texture memory (also a constant that misses), fences, barriers, nanosleep. "All complete" means that no register is
 *   left which such a load writes, not only those that the next instruction reads. Registers with scoreboard ids from
 *   128 up count only while the next instruction waits for them. No warp waits for a store. Branches end phases but do
 *   not take a warp out of the ready queue: their latency here is an instruction fetch.
 * - A warp that waits at a barrier is pending, so the warps for which it waits always get their turn: no deadlock.
 *   There is no ageing, though: a ready queue of warps that spin on shared memory, and so never wait for long, stays as
 *   it is.
 * - Moves take no time: a replacement may issue in the cycle in which it is promoted. Warps whose operations complete
 *   in the same cycle enter in the order of their slots. Promotions happen whenever a place is free.
 *
 * Moves happen in tick(). A warp's state changes only in cycles in which its SM is ticked, so nothing is missed while
 * the SM sleeps, and ticking again with nothing changed moves no warp. */
#ifndef SM_SCHED_TL_H
#define SM_SCHED_TL_H
#include "sm/sched/sched.h"

struct tl {
	u64 ready, active, pending; /* masks of warp slots; disjoint */
	u8 n;                       /* warps in the active queue */
	u8 next;                    /* slot at which the round robin of the ready queue goes on */
	u8 queue[WARP_SLOTS];       /* the active queue, head first */
	u64 key[WARP_SLOTS];        /* by slot: the key with which the warp entered the active queue */
};
/* What the active queue is sorted by, smallest first. Asked once, when the warp enters it. */
typedef u64 tl_key_fn(const struct sched_view *v, u32 warp);

void tl_tick(struct tl *st, const struct sched_view *v, tl_key_fn *key);
void tl_started(struct tl *st, const struct sched_view *v, u64 warps, tl_key_fn *key);

/* The ops that need no key. */
u32 tl_pick(void *state, const struct sched_view *v, u64 ready);
void tl_gone(void *state, const struct sched_view *v, u64 warps);
void tl_describe(const void *state, const struct sched_view *v, u32 warp, struct strbuf *out);
s64 tl_rank(const void *state, const struct sched_view *v, u32 warp);
s64 tl_explain(const void *state, const struct sched_view *v, u64 ready, u32 warp, struct strbuf *out);

/* The ops of a policy that sorts by key_fn. */
#define TL_POLICY(var, name_, key_fn, help_)                                                                           \
	static void tick(void *state, const struct sched_view *v)                                                          \
	{                                                                                                                  \
		tl_tick(state, v, key_fn);                                                                                     \
	}                                                                                                                  \
	static void warps_started(void *state, const struct sched_view *v, u64 warps)                                      \
	{                                                                                                                  \
		tl_started(state, v, warps, key_fn);                                                                           \
	}                                                                                                                  \
	extern const struct warp_sched_ops var;                                                                            \
	const struct warp_sched_ops var = {                                                                                \
	    .name = name_,                                                                                                 \
	    .help = help_,                                                                                                 \
	    .source = "Awatramani 2015, section IV-B",                                                                     \
	    .state_bytes = sizeof(struct tl),                                                                              \
	    .tick = tick,                                                                                                  \
	    .pick = tl_pick,                                                                                               \
	    .warps_started = warps_started,                                                                                \
	    .warps_gone = tl_gone,                                                                                         \
	    .describe = tl_describe,                                                                                       \
	    .rank = tl_rank,                                                                                               \
	    .explain = tl_explain,                                                                                         \
	}
#endif
