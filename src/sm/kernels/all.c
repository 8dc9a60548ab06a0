/* The list of kernel-aware warp schedulers, from all.def. */
#include "sm/kernels/kernel_sched.h"

#define KERNELS(v) extern const struct kernel_sched_ops v;
#include "sm/kernels/all.def"
#undef KERNELS
const struct policy *const kernel_policies[] = {
#define KERNELS(v) &v.policy,
#include "sm/kernels/all.def"
#undef KERNELS
    NULL};
