/* copies: which cp.async of which warp are under way, in batches. A batch is the copies of a warp between two of its
 * cp.async.commit_group or cp.async.mbarrier.arrive. An arrival hangs on the newest batch of its warp, and comes when
 * this one and all before it are done.
 *
 * A warp's batches are a list, oldest first, of those that have copies under way and of those behind such a one. When
 * the pool is used up, copies join the warp's newest batch, and arrivals come at once: the data are there already. */
#ifndef SM_COPIES_H
#define SM_COPIES_H
#include "sm/sm.h"

#define SM_COPY_BATCHES 255
#define SM_COPY_ARRIVALS 255
struct copy_batch {
	u64 since;    /* issue of its first copy */
	u32 left, pc; /* instructions under way; the pc of the first */
	u32 bytes;
	u8 next, arrivals; /* index + 1; 0: none */
	u8 closed;         /* what comes belongs to another one */
	u8 pad;
};
struct copy_arrival {
	struct copies_arrive what;
	u8 next, pad[3];
};
struct copies {             /* arena, one an SM */
	u8 batch_free, batches; /* free list; those that were ever used */
	u8 arrival_free, arrivals;
	u8 pad[4];
	u8 first[SM_CONTEXTS], last[SM_CONTEXTS]; /* by context: its batches */
	u8 of_load[SM_MAX_LOADS];                 /* by place in the load table: the batch */
	struct copy_batch batch[SM_COPY_BATCHES + 1];
	struct copy_arrival arrival[SM_COPY_ARRIVALS + 1];
};

/* A copy was issued, in this place of the load table. */
void copies_issue(struct sm_ctx *x, struct sm *s, u32 w, u32 load, const struct dyninst *d, u64 now);
/* The next copies of the warp are another batch. */
void copies_close(struct sm_ctx *x, struct sm *s, u32 w);
/* cp.async.mbarrier.arrive was issued. */
void copies_arrive(struct sm_ctx *x, struct sm *s, u32 w, const struct dyninst *d, u64 now);
/* The load in this place, of a warp's context, has ended. */
void copies_done(struct sm_ctx *x, struct sm *s, u32 load, u64 now);
/* A CTA's arrivals come now: its shared memory is about to be saved. */
void copies_land(struct sm_ctx *x, struct sm *s, u32 place, u64 now);
/* What is under way for these contexts is for nobody: their CTA begins again. */
void copies_forget(struct sm_ctx *x, struct sm *s, const u64 contexts[SM_CONTEXTS / 64]);
/* What holds between two cycles. */
bool copies_check_state(const struct sm_ctx *x, const struct sm *s, struct err *e);
#endif
