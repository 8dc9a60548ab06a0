/* query_slotless: what an observer may see of CTAs without a slot (virtual threads: sm/virtual.h). Plain copies, as in
 * query.h. Places of such CTAs come from gpu_inactive_ctas(). */
#ifndef GPU_QUERY_SLOTLESS_H
#define GPU_QUERY_SLOTLESS_H
#include "gpu/query.h"

struct slotless_info {
	u32 waits;   /* results under way, without which it gets no slots (the tracking counter) */
	u32 before;  /* ready: CTAs of the SM that have been ready longer, and get slots first */
	u32 left;    /* how often it has given up its slots */
	bool ending; /* all its warps have exited: it waits for its stores to be acknowledged */
};
/* Of the CTA in such a place. */
void gpu_slotless(const struct gpu *g, u32 sm, u32 place, struct slotless_info *out);

struct slotless_warp {
	u32 pc;           /* of its next instruction; PC_DONE: it has exited */
	u32 results;      /* under way to it */
	u32 transactions; /* of memory, in flight; acknowledgements of stores included */
	u32 load;         /* pc of a load that it waits for; PC_DONE: of none */
	u32 barrier;      /* 1 + the number of the CTA barrier at which it waits; 0: at none */
};
/* Its warps by their number within the CTA; at most `max` are written. How many there are. */
u32 gpu_slotless_warps(const struct gpu *g, u32 sm, u32 place, struct slotless_warp *out, u32 max);
/* What the swap that is under way on an SM moves: the slot, the place of the CTA that leaves (0: none does) and the
 * cycle in which it is over. False: none is. */
bool gpu_swap(const struct gpu *g, u32 sm, u32 *slot, u32 *leaving, u64 *until);
#endif
