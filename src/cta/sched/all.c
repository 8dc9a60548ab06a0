/* The list of CTA schedulers, from all.def. */
#include "cta/sched/cta_sched.h"

#define SCHED(v) extern const struct cta_sched_ops v;
#include "cta/sched/all.def"
#undef SCHED
const struct policy *const cta_policies[] = {
#define SCHED(v) &v.policy,
#include "cta/sched/all.def"
#undef SCHED
    NULL};
