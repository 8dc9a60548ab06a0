/* fair: quotas of instructions (equation 5.4; SMK-W of Wang 2016): in an epoch of `kernel-sched.epoch` instructions of
 * a scheduler each kernel has a part of them, in the ratio of what it issues when alone, for the CTAs it has here.
 * Kernels with some of it left go first; the others have the slots that these cannot use. When all have used up theirs
 * the next epoch begins.
 *
 * What a kernel issues alone is measured here, while it is alone on the SM; until it has been, the mean of the others
 * stands for it. */
#include "sm/kernels/kernel_sched.h"

void kernel_quotas(u32 n, const double *percent, const u32 *ctas, const u32 *alone, u32 epoch, u32 *quota)
{
	double c[KERNELS_ON_SM], mean = 0, sum = 0;
	u32 known = 0;
	for (u32 i = 0; i < n; i++)
		if (percent[i] >= 0) {
			mean += percent[i];
			known++;
		}
	mean = known ? mean / known : 1;
	for (u32 i = 0; i < n; i++) {
		c[i] = (percent[i] >= 0 ? percent[i] : mean) * ctas[i] / MAX(alone[i], 1);
		sum += c[i];
	}
	for (u32 i = 0; i < n; i++)
		quota[i] = MAX((u32)(sum > 0 ? epoch * c[i] / sum : 0), 1u);
}

static void begin_epoch(const struct kernel_view *v)
{
	double percent[KERNELS_ON_SM];
	u32 ctas[KERNELS_ON_SM], alone[KERNELS_ON_SM], quota[KERNELS_ON_SM];
	for (u32 i = 0; i < v->n; i++) {
		const struct kernel_turn *t = v->k[i].turn;
		percent[i] = t->alone_cycles ? 100.0 * (double)t->alone_issued / (double)t->alone_cycles : -1;
		ctas[i] = v->k[i].ctas;
		alone[i] = sm_occupancy(v->conf, v->k[i].spec, NULL);
	}
	kernel_quotas(v->n, percent, ctas, alone, v->conf->kernels_epoch, quota);
	for (u32 i = 0; i < v->n; i++)
		v->k[i].turn->left = quota[i];
}

static u32 with_quota(const struct kernel_view *v, u32 ready)
{
	u32 m = 0;
	FOR_EACH_BIT(i, ready)
	m |= (u32)(v->k[i].turn->left > 0) << i;
	return m;
}

static u32 first(struct kernel_turns *st, const struct kernel_view *v, u32 ready)
{
	if (!with_quota(v, (u32)bit_range(v->n)))
		begin_epoch(v);
	const u32 m = with_quota(v, ready);
	return m ? m : ready;
}

static void issued(struct kernel_turn *k)
{
	k->left -= k->left > 0;
}

extern const struct kernel_sched_ops kernels_fair;
const struct kernel_sched_ops kernels_fair = {
    .name = "fair",
    .help =
        "each kernel has a quota of each epoch's instructions, from what it issues alone and from its CTAs on the SM",
    .source = "Park 2016, equation 5.4; Wang 2016 (SMK-W)",
    .first = first,
    .issued = issued};
