/* chimera: each CTA by the technique that loses least and keeps the limit; a context switch if none keeps it. */
#include "task/preempt/preempt.h"

static void choose(struct preempt_sm *s, u64 limit)
{
	preempt_choose(s, limit, 1u << BY_SWITCH | 1u << BY_DRAIN | 1u << BY_FLUSH, BY_SWITCH);
}

extern const struct preempt_ops preempt_chimera;
const struct preempt_ops preempt_chimera = {
    .name = "chimera",
    .help =
        "each CTA by the technique of the least estimated loss that keeps the latency limit; a context switch if none "
        "does",
    .source = "Park 2016, section 4.3, algorithm 3",
    .implies = "idempotence.track=true",
    .choose = choose,
    .flushes = true,
    .instead = BY_SWITCH,
};
