/* The sums that partition policies do, without a machine. */
#ifndef TASK_PARTITION_SHARES_H
#define TASK_PARTITION_SHARES_H
#include "base/base.h"

/* spatial: SMs for n kernels that could fill `need` each: even, but to none more than it needs. */
void spatial_shares(u32 n, const u32 *need, u32 sms, u32 *share);

#define SMK_RESOURCES 4
/* Of what an SM has: warps, CTAs, registers, bytes of shared memory. */
struct smk_need {
	u64 of[SMK_RESOURCES]; /* of one CTA */
	u32 most;              /* CTAs */
};
/* smk: CTAs for n kernels on an SM: one more, again and again, to the kernel whose dominant share (the largest of its
 * shares of the resources) is the least and for which there is room; of equal ones to the first. */
void smk_counts(u32 n, const struct smk_need *k, const u64 *total, u32 *ctas);
#endif
