/* waits: charges the cycles that warps wait to the instructions for which they do, exactly, while lines are counted
 * (lines.h): from one change of a warp's state to the next. Nothing of it is machine state.
 *
 * Who has written a register last is kept by context and scoreboard id, so that a change costs a look at a table.
 * Whoever begins to count, or has gone back, fills it in from what is under way (producer.h). */
#ifndef SM_WAITS_H
#define SM_WAITS_H
#include "sm/producer.h"

#define WAITS_IDS 128 /* those in a warp's own two words; others are searched for */

struct open_wait {
	u64 since;          /* first cycle not charged yet */
	u32 launch, pc, at; /* charged to `pc`, by a warp that stands at `at` */
	u8 state;
	struct want want;
};
struct sm_waits {
	u64 open; /* warps that wait */
	struct open_wait wait[WARP_SLOTS];
	u32 writer[SM_CONTEXTS][WAITS_IDS];
};

/* As of now nothing is charged yet. */
void waits_begin(struct sm_ctx *x, struct sm *s, u64 now);
/* The warp's state has been looked for again in cycle `now`; it may be what it was. */
void waits_look(struct sm_ctx *x, const struct sm *s, u32 w, u64 now);
/* Its state was `from`, and is another one now. */
static inline void waits_change(struct sm_ctx *x, const struct sm *s, u32 w, u32 from, u64 now)
{
	if (warp_state_waits(from) || warp_state_waits(s->warp[w].state))
		waits_look(x, s, w, now);
}
/* The warp has used an issue slot in cycle `now`, in which it thus does not wait. */
void waits_slot_used(struct sm_ctx *x, u32 w, u64 now);
/* The instruction at pc has been issued, and its result is pending. */
void waits_reserve(struct sm_ctx *x, const struct sm *s, u32 w, u32 pc);
/* Charges what has not been charged of the cycles before `now`. */
void waits_charge(struct sm_ctx *x, u64 now);
#endif
