/* rr: CTAs in order of their ids; the SMs take one each in turn until they are full, then whichever has room again. */
#include "cta/sched/cta_sched.h"

struct rr {
	u64 next;
};

static u64 next(void *state, const struct cta_view *v, u32 sm)
{
	struct rr *st = state;
	return st->next < v->launch->ctas ? st->next++ : NO_CTA;
}

static void explain(const void *state, const struct cta_view *v, u32 sm, struct strbuf *out)
{
	cta_explain_order(((const struct rr *)state)->next, v, out);
}

extern const struct cta_sched_ops cta_sched_rr;
const struct cta_sched_ops cta_sched_rr = {
    .name = "rr",
    .help = "one CTA per SM in turn until full, then on demand",
    .source = "the baseline of Lee 2014, section 2",
    .state_bytes = sizeof(struct rr),
    .next = next,
    .explain = explain,
};
