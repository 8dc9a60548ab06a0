/* lrr: loose round robin of kernels: with two of them the priority is flipped whenever the lower one could issue. So
 * the kernel goes first whose last turn is longest ago. */
#include "sm/kernels/kernel_sched.h"

static u32 first(struct kernel_turns *st, const struct kernel_view *v, u32 ready)
{
	u32 best = bit_first(ready);
	FOR_EACH_BIT(i, ready)
	if (v->k[i].turn->served < v->k[best].turn->served)
		best = (u32)i;
	return 1u << best;
}

extern const struct kernel_sched_ops kernels_lrr;
const struct kernel_sched_ops kernels_lrr = {
    .name = "lrr",
    .help = "kernels take turns: the one whose last turn is longest ago comes first",
    .source = "Park 2016, section 5.4.3",
    .first = first};
