/* drain: CTAs run to their end, and no new ones come. */
#include "task/preempt/preempt.h"

static void choose(struct preempt_sm *s, u64 limit)
{
	preempt_choose(s, limit, 0, BY_DRAIN);
}

extern const struct preempt_ops preempt_drain;
const struct preempt_ops preempt_drain = {
    .name = "drain",
    .help = "the SM gets no new CTAs of the kernel; its CTAs there run to their end",
    .source = "Park 2016, section 4.2.2",
    .choose = choose,
};
