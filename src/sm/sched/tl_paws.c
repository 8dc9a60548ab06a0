/* tl-paws: two levels, the active queue sorted by the length of the warp's next phase. A warp enters the active queue
 * at the instruction that began its wait, which is the first of a phase, so that its phase distance is the phase's
 * length; behind a barrier or a fence it is what is left of the phase. */
#include "sm/sched/tl.h"

static u64 next_phase(const struct sched_view *v, u32 warp)
{
	return sched_hint(v, warp)->phase_distance;
}

TL_POLICY(sched_tl_paws, "tl-paws", next_phase,
          "two levels: a ready queue of tl.ready warps, refilled with those whose next phase is shortest");
