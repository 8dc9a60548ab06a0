/* diverge: listens to the warp schedulers of two machines and finds their first different decision.
 *
 *   d = diverge_new(gpu_a, gpu_b, DIVERGE_BY_CYCLE);
 *   sim_subscribe(sim_a, diverge_events(d), diverge_event, diverge_side(d, 0));   (and b, 1)
 *   repeat: advance both; diverge_compare(d, false)     until it says true, then stop listening
 *   at the end of both: diverge_compare(d, true)
 *
 * A decision is a sched-pick event: this scheduler chose this warp (slot), of this CTA and kernel, for the instruction
 * at this pc. It differs when any of these does, or when only one of the two machines chose at all. An equal choice
 * among other ready warps is no divergence; the first one is kept beside it, as it often tells where a divergence comes
 * from. */
#ifndef OBS_COMPARE_DIVERGE_H
#define OBS_COMPARE_DIVERGE_H
#include "gpu/query.h"

enum diverge_by {
	DIVERGE_BY_CYCLE, /* what happens in the same cycle is compared: both machines are advanced to the same cycles */
	DIVERGE_BY_ORDER, /* the n-th decision of each scheduler is compared, whenever it is taken */
};
/* Decisions that may wait for their counterpart (40 B each). By order, machines that are further apart without having
 * differed are not compared on: diverge_gave_up(). By cycle nothing is left waiting after diverge_compare(). */
#define DIVERGE_WAITING_MAX (1u << 20)

struct decision {
	u64 cycle;
	u64 ready; /* mask of the warps it could choose from */
	s32 kernel, cta;
	s32 warp; /* -1: none was chosen, and the slot was lost to `reason` (by order: there is no further decision) */
	u32 pc;
	u16 sm;
	u8 scheduler;
	bool greedy;   /* the warp had issued in the cycle before */
	u8 reason;     /* enum stall, when no warp was chosen */
	bool is_stall; /* inside diverge.c */
};
struct divergence {
	bool found;
	struct decision side[2];
};

struct diverge;
struct diverge *diverge_new(struct gpu *a, struct gpu *b, enum diverge_by by);
void diverge_free(struct diverge *d);
/* Event types to subscribe to. */
event_set diverge_events(const struct diverge *d);
/* Context of diverge_event() for machine a (0) or b (1). */
void *diverge_side(struct diverge *d, u32 side);
bool diverge_event(void *side, const struct event *e);
/* Compares what both have told since the last call; `ended`: there is nothing more to come from either. True when the
 * divergence has been found, now or before. Between the machines' cycles. */
bool diverge_compare(struct diverge *d, bool ended);
/* Decisions that wait to be compared. */
u32 diverge_waiting(const struct diverge *d);

const struct divergence *diverge_first(const struct diverge *d);
const struct divergence *diverge_first_ready(const struct diverge *d);
/* Pairs of decisions compared and found equal. */
u64 diverge_equal(const struct diverge *d);
/* By order: the machines came too far apart; nothing after that was compared. */
bool diverge_gave_up(const struct diverge *d);
#endif
