/* Lazy CTA scheduling (Lee 2014, section 4.1), for the CTA schedulers that use it: how many CTAs of a kernel an SM may
 * hold, from one measurement.
 *
 * Monitor: SMs hold as many CTAs as fit, until the first CTA ends. Throttle: T_new is the number of CTAs that the SM's
 * issue slots really served (equation 1): the instructions issued so far by that CTA and by the kernel's other CTAs on
 * its SM, divided by those of the CTA that issued most. Lazy execution: from then on no SM gets a CTA while it holds
 * T_new of them or more. With lcs.per_sm each SM uses the first CTA that ends on it. */
#ifndef CTA_SCHED_LCS_H
#define CTA_SCHED_LCS_H
#include "cta/sched/cta_sched.h"

struct lcs { /* of a kernel; zero = it is being monitored */
	u8 limit[CONF_MAX_SMS];
};

/* Equation 1: T_new of these counts, at least 1, rounded as lcs.round says.
 *
 * The paper contradicts itself. Its equation rounds down, its example in figure 7(b) makes 3 of 10/4, and of a kernel
 * whose CTAs are all abreast (type I) it keeps all CTAs, though their sum falls a little short of the whole number.
 * Only rounding to the nearest number, halves up, gives all three, and leaves KMN with its one CTA. */
u32 lcs_equation(u64 sum, u64 max, int round);

/* Operations of policies whose state begins with a struct lcs. A CTA of the kernel has ended: the first one decides. */
void lcs_done(void *state, const struct cta_view *v, u32 sm, const struct cta *c);
/* The most CTAs of the kernel on this SM as far as LCS knows; UINT32_MAX: it is still being monitored. */
u32 lcs_limit(const void *state, const struct cta_view *v, u32 sm);
/* What the limit is for this SM, and how many CTAs it has. */
void lcs_explain(const void *state, const struct cta_view *v, u32 sm, struct strbuf *out);
void lcs_describe(const void *state, const struct cta_view *v, struct strbuf *out);
#endif
