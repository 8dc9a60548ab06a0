/* flush: CTAs that may begin again are dropped, and begin again elsewhere. The others run to their end: there is
 * nothing else that a machine which can only flush could do with them.
 *
 * Under preempt.idempotence=strict the kernel as a whole decides. A kernel that is not idempotent cannot be preempted
 * at all (Park 2016, section 4.4.3): its SMs stay with it, and the request is late (preempt_forbids()). */
#include "task/preempt/preempt.h"

static void choose(struct preempt_sm *s, u64 limit)
{
	for (u32 i = 0; i < s->n; i++)
		s->cta[i].technique = s->cta[i].may_flush || s->cta[i].no_flush == FLUSH_STRICT ? BY_FLUSH : BY_DRAIN;
}

extern const struct preempt_ops preempt_flush;
const struct preempt_ops preempt_flush = {
    .name = "flush",
    .help =
        "CTAs that can be restarted are dropped and begin again elsewhere; the others run to their end. A kernel that "
        "preempt.idempotence=strict forbids to flush keeps its SMs, and the request is late",
    .source = "Park 2016, sections 4.2.3 and 4.3.4",
    .implies = "idempotence.track=true",
    .choose = choose,
    .flushes = true,
    .only_flushes = true,
    .instead = BY_DRAIN,
};
