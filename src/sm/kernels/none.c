/* none: the warp scheduler sees all warps alike. */
#include "sm/kernels/kernel_sched.h"

extern const struct kernel_sched_ops kernels_none;
const struct kernel_sched_ops kernels_none = {
    .name = "none", .help = "kernels are not distinguished", .source = "the baseline of Park 2016, section 5.5.2"};
