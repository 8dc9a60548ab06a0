/* switch: contexts are saved, and brought back elsewhere. */
#include "task/preempt/preempt.h"

static void choose(struct preempt_sm *s, u64 limit)
{
	preempt_choose(s, limit, 0, BY_SWITCH);
}

extern const struct preempt_ops preempt_switch;
const struct preempt_ops preempt_switch = {
    .name = "switch",
    .help =
        "context switch: the SM is halted while the registers and the shared memory of its CTAs are saved, and again "
        "where they are brought back",
    .source = "Park 2016, sections 4.2.2 and 4.4",
    .choose = choose,
};
