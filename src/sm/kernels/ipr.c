/* ipr: issued per ready (equation 5.3): first the kernel that has issued least for each warp that could have. Sums
 * since the kernel came, over the cycles in which the scheduler may issue. */
#include "sm/kernels/kernel_sched.h"

/* Products in 128 bits: sums of a long run. */
static bool less(const struct kernel_turn *a, const struct kernel_turn *b)
{
	return (unsigned __int128)a->issued * b->ready < (unsigned __int128)b->issued * a->ready;
}

static u32 first(struct kernel_turns *st, const struct kernel_view *v, u32 ready)
{
	u32 best = bit_first(ready);
	FOR_EACH_BIT(i, ready)
	if (less(v->k[i].turn, v->k[best].turn))
		best = (u32)i;
	return 1u << best;
}

extern const struct kernel_sched_ops kernels_ipr;
const struct kernel_sched_ops kernels_ipr = {.name = "ipr",
                                             .help = "the kernel that has issued least for each ready warp comes first",
                                             .source = "Park 2016, equation 5.3",
                                             .first = first};
