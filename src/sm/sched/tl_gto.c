/* tl-gto: two levels, the active queue sorted by launch order. */
#include "sm/sched/tl.h"

static u64 age(const struct sched_view *v, u32 warp)
{
	return v->sm->warp[warp].age;
}

TL_POLICY(sched_tl_gto, "tl-gto", age, "two levels: a ready queue of tl.ready warps, refilled with the oldest");
