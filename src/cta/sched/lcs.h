/* Lazy CTA scheduling (Lee 2014, section 4.1), for the CTA schedulers that have it: how many CTAs of a kernel an SM may
 * hold, from one measurement.
 *
 * Monitor: SMs hold as many CTAs as fit, until the first one ends. Throttle: the instructions issued so far by that
 * CTA and by those of the kernel that are with it on its SM, over those of the one that issued most, is how many CTAs
 * the SM's issue slots really served (equation 1): T_new. Lazy execution: from then on no SM gets a CTA while it holds
 * T_new of them or more. With lcs.per_sm each SM goes by the first CTA that ends on it. */
#ifndef CTA_SCHED_LCS_H
#define CTA_SCHED_LCS_H
#include "cta/sched/cta_sched.h"

struct lcs { /* of a kernel; zero = it is being monitored */
	u8 limit[CONF_MAX_SMS];
};

/* Equation 1: T_new of these counts, at least 1. */
u32 lcs_equation(u64 sum, u64 max, bool ceiling);

/* Operations of policies whose state begins with a struct lcs. A CTA of the kernel has ended: the first one decides. */
void lcs_done(void *state, const struct cta_view *v, u32 sm, const struct cta *c);
/* The most CTAs of the kernel on this SM as far as LCS knows; UINT32_MAX: it is still being monitored. */
u32 lcs_limit(const void *state, const struct cta_view *v, u32 sm);
void lcs_describe(const void *state, const struct cta_view *v, struct strbuf *out);
#endif
