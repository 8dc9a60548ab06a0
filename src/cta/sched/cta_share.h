/* cta_share: what a CTA scheduler keeps of a kernel's CTAs for one SM, for display. Its order counts in places. A place
 * is a CTA's id, unless kernels depend on another kernel's CTAs by an affine function (ikra.affine_a). */
#ifndef CTA_SCHED_CTA_SHARE_H
#define CTA_SCHED_CTA_SHARE_H
#include "base/base.h"

#define NO_CTA UINT64_MAX
#define CTA_SHARE_QUEUE 32
struct cta_share {
	u64 lo, hi;                 /* its chunk: places [lo, hi) */
	u64 from, to;               /* of these still to be dispatched: [from, to) */
	u64 next;                   /* the CTA that comes next, of the chunk or the queue; NO_CTA: none is left */
	bool backward;              /* from the end of the chunk to its beginning */
	bool steals;                /* has a steal queue */
	u32 queued;                 /* CTAs in it */
	u32 qfrom, qto;             /* entries that are still to be dispatched: [qfrom, qto) */
	u64 queue[CTA_SHARE_QUEUE]; /* ids, in the order in which they were stolen */
};
#endif
