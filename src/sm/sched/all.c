/* The list of warp schedulers, from all.def. */
#include "sm/sched/sched.h"

#define SCHED(v) extern const struct warp_sched_ops v;
#include "sm/sched/all.def"
#undef SCHED
const struct policy *const warp_policies[] = {
#define SCHED(v) &v.policy,
#include "sm/sched/all.def"
#undef SCHED
    NULL};
