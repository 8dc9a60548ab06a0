/* none: no kernel gives an SM away before it is done with it. */
#include "task/preempt/preempt.h"

extern const struct preempt_ops preempt_none;
const struct preempt_ops preempt_none = {
    .name = "none",
    .help = "no preemption, unless a request names a technique of its own",
    .source = "the non-preemptive baseline of Park 2016, section 4.4",
};
