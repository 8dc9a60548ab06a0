/* shares: the arithmetic of partition policies, without a machine. */
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
struct conf;
struct launch;
struct smk_need smk_need_of(const struct conf *c, const struct launch *l);
void smk_totals(const struct conf *c, u64 total[SMK_RESOURCES]);
/* Is there room for one more beside what is used? */
bool smk_fits(const struct smk_need *k, const u64 *used, const u64 *total);
/* smk: CTAs for n kernels on an SM: one more, again and again, to the kernel whose dominant share (the largest of its
 * shares of the resources) is the least and for which there is room; of equal ones to the first. part: by kernel, what
 * its shares are measured by; NULL: equal parts. */
void smk_counts(u32 n, const struct smk_need *k, const u64 *total, const double *part, u32 *ctas);

#define SLICER_POINTS 33 /* 0 to 32 CTAs */
#define SLICER_KERNELS 16
/* warped-slicer: CTAs for n kernels on an SM by water filling. ipc[r][t]: of kernel r with t CTAs alone on an SM, t up
 * to k[r].most. Each begins with one CTA; the kernel with the least share of its best IPC gets as many more as its next
 * better point needs, if there is room; when there is none it stays as it is. Of equal ones the first. Returns the
 * smallest share that a kernel keeps; 0: not all of them fit. */
double slicer_counts(u32 n, const struct smk_need *k, const float (*ipc)[SLICER_POINTS], const u64 *total, u32 *ctas);
/* CTAs that an SM of a kernel's `sms` has for the measurement: from 1 to `most`, evenly. */
u32 slicer_point(u32 sm, u32 sms, u32 most);
/* Points that were not measured (below 0) on straight lines between those that were, from 0 with no CTA; behind the
 * last as that. */
void slicer_curve(float *ipc, u32 most);

/* maestro: the objectives (equations 5.1 and 5.2) of two kernels that share an SM, from instructions per cycle. */
double maestro_antt(const double *alone, const double *shared);
double maestro_stp(const double *alone, const double *shared);
/* CTAs of the other kernel beside `ctas` of one: as many as there is room for; 0 when those do not fit. */
u32 maestro_fill(const struct smk_need *one, u32 ctas, const struct smk_need *other, const u64 *total);
#endif
