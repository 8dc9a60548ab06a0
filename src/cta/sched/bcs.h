/* Block CTA scheduling (Lee 2014, section 4.2), for the CTA schedulers that use it: an SM gets runs of bcs.block
 * consecutive CTAs, whose threads are neighbours in memory.
 *
 * Delayed: a new run begins on an SM only when a whole run has left, so the CTAs of a run are there at the same time.
 * An SM has as many runs as find room, at least one. If a policy wants fewer CTAs (T_new of lcs+bcs), this number is
 * rounded up to whole runs (ours: the paper is silent). If the CTAs of a run do not find room together, the rest of the
 * run stays reserved for its SM, as long as that SM may hold CTAs of the kernel. Grids of one dimension have no
 * neighbours to gain from: there, CTAs go in order, one at a time, as with rr. */
#ifndef CTA_SCHED_BCS_H
#define CTA_SCHED_BCS_H
#include "cta/sched/cta_sched.h"

struct bcs {
	u64 next;              /* the first CTA of which nobody has heard */
	u64 run[CONF_MAX_SMS]; /* the next one of the SM's run ... */
	u8 left[CONF_MAX_SMS]; /* ... of which so many are to come */
};

/* Blocks of CTAs are of grids with more than one dimension. */
static inline bool bcs_applies(const struct launch *l)
{
	return l->grid.y > 1 || l->grid.z > 1;
}
/* Of the SM's run, and of the next one. */
void bcs_explain(const struct bcs *st, const struct cta_view *v, u32 sm, u32 most, struct strbuf *out);
/* The CTA for this SM, of which `most` CTAs of the kernel are wanted, v->most at most; or NO_CTA. */
u64 bcs_next(struct bcs *st, const struct cta_view *v, u32 sm, u32 most);
#endif
