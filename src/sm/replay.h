/* replay: the re-execution queue between the LSU and the caches (lsu.replay = car | newcar).
 *
 *   LSU head --> cache      accepted: done
 *      |           ^
 *      | refused,  | when the LSU is idle or the queue is full
 *      | may not   |
 *      v pass      |
 *     [ queue ]----'
 *
 * An entry is one transaction: the published entry of 301 bits is exactly a line address (32), an offset within 128 B
 * for each lane (32 x 7), the lane mask (32), warp (6) and register (7). A divergent instruction takes one entry for
 * each of its transactions that is refused.
 *
 *   car     (Sethia 2015, "Mascar") L1D only; tried in order; one entry a warp: a warp's next transaction waits at the
 *           LSU until its entry has gone. Transactions of other warps, constant and texture fetches pass.
 *   newcar  (Park 2016, section 3.3.4) all caches; several entries a warp, out of order: the oldest that may be tried,
 *           so that the cache's locality suffers least (taking turns, kmeans was 10 % slower). Figure 3.5: a warp's
 *           loads may pass its loads; a store passes nothing of its own warp, and nothing of its own warp passes a
 *           store. A transaction that may not pass goes into the queue without an access.
 *
 * In both the LSU goes first: the queue gets the LSU's idle cycles (it is empty, or its head has to wait). A full queue
 * is served instead of the LSU, whose head waits; shared memory then goes on in the cycles in which no entry can be
 * tried.
 *
 * Beyond the papers: atomics and volatile, relaxed and acquire loads count as stores in figure 3.5. bar.sync orders the
 * accesses of a CTA: once a barrier has opened, the entries of its warps in the queue are ordered against all warps of
 * the CTA. A fence waits until the warp's entries are performed, as for all its accesses. After lsu.replay_wait cycles
 * without a turn the queue goes before the LSU once. The order of accesses affects time only: values are read and
 * written at issue.
 *
 * The hardware may try in every idle cycle. Here a refused entry is tried again only once something has changed in its
 * cache, since before that it would be refused again. replay_tries counts these accesses, not the idle cycles. */
#ifndef SM_REPLAY_H
#define SM_REPLAY_H
#include "sm/sm.h"

#define REPLAY_MAX 64
#define REPLAY_HOLDS_LSU 1  /* bits of held: the LSU's head */
#define REPLAY_HOLDS_PIPE 2 /* what is at L1D's tags (l1_pipe.h) */

struct replay_entry {
	struct mem_txn txn;
	u64 since; /* cycle it came */
	u32 pc;
	u32 tries; /* accesses so far, the LSU's included */
	u16 load;  /* as in struct lsu_entry */
	u8 warp, cache, op;
	u8 ordered; /* a barrier opened since: ordered against every warp of its CTA */
	u8 reason;  /* enum mem_result of its last refusal; MR_HIT: never tried */
	u8 pad;     /* named so that it is zero: state is hashed */
};

struct replay {
	u8 n;
	u8 held;     /* whose head waits for the queue */
	u8 quiet;    /* no entry can be tried until something changes */
	u8 reason;   /* enum mem_result of the last refusal of an entry */
	u8 inactive; /* entries of warps without a slot */
	u8 pad[3];
	u64 used, tried;        /* slots; tried: refused, and nothing has changed in their cache since */
	u64 of_cache[MC_COUNT]; /* slots */
	u64 warps;              /* that have an entry */
	u64 no_load, no_store;  /* warps whose next load (store) may not pass the queue */
	u64 waits_from;         /* cycle from which it waits for a turn */
	u64 counted;            /* cycles before this one are in replay_cycles and replay_full */
	u8 order[REPLAY_MAX];   /* slots, oldest first */
	struct replay_entry e[REPLAY_MAX];
};

/* The LSU's cycle on a machine with the queue. */
void replay_cycle(struct sm_ctx *x, struct sm *s, u64 now);
/* Whether there may be an entry to try in the next cycle; if not, only the memory system can change that. */
static inline bool replay_busy(const struct replay *r)
{
	return r->n && !r->quiet;
}
/* A barrier of these warps opens: what they have at the LSU and in the queue is ordered against their whole CTA. */
void replay_barrier(struct sm_ctx *x, struct sm *s, u64 warps);
/* A CTA is dropped or taken off its slot: as lsu_give_up() and lsu_rename(). Warps without a slot are ordered against
 * nobody: their accesses are done when they come back. */
void replay_give_up(struct sm_ctx *x, struct sm *s, const struct warp_set *warps, u64 now);
/* Virtual threads: has the queue of inactive warps room for what these have? */
bool replay_may_leave(const struct sm_ctx *x, u64 warps);
void replay_rename(struct sm_ctx *x, struct sm *s, u32 from, u32 to);
/* Counts the cycles before `now`. */
void replay_sync(struct sm_ctx *x, struct sm *s, u64 now);
#endif
