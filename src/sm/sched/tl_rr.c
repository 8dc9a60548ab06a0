/* tl-rr: two levels, the active queue in the order in which warps entered it. */
#include "sm/sched/tl.h"

static u64 none(const struct sched_view *v, u32 warp)
{
	return 0;
}

TL_POLICY(sched_tl_rr, "tl-rr", none,
          "two levels: a ready queue of tl.ready warps, refilled in the order in which warps became active again");
