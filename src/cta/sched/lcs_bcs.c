/* lcs+bcs: both at once (Lee 2014, section 4.3, figure 10). Of a grid of one dimension lcs, with sca choosing among its
 * warps as gto does; of others bcs, monitored in the same way, with T_new CTAs in runs from then on. */
#include "cta/sched/bcs.h"
#include "cta/sched/lcs.h"

struct state {
	struct lcs lcs;
	struct bcs bcs;
};
_Static_assert(sizeof(struct state) <= CTA_SCHED_STATE_MAX, "the state fits its place");

static u64 next(void *state, const struct cta_view *v, u32 sm)
{
	struct state *st = state;
	u32 most = MIN(v->most, lcs_limit(st, v, sm));
	if (!bcs_applies(v->launch) && sm_resident(v->sm[sm], v->launch->id) >= most)
		return NO_CTA;
	return bcs_next(&st->bcs, v, sm, most);
}

static void explain(const void *state, const struct cta_view *v, u32 sm, struct strbuf *out)
{
	const struct state *st = state;
	lcs_explain(st, v, sm, out);
	bcs_explain(&st->bcs, v, sm, MIN(v->most, lcs_limit(st, v, sm)), out);
}

extern const struct cta_sched_ops cta_sched_lcs_bcs;
const struct cta_sched_ops cta_sched_lcs_bcs = {
    .name = "lcs+bcs",
    .help = "as lcs; CTAs of grids with two or three dimensions come in runs, as under bcs",
    .source = "Lee 2014, section 4.3",
    .implies = "warp-sched=sca",
    .state_bytes = sizeof(struct state),
    .next = next,
    .done = lcs_done,
    .limit = lcs_limit,
    .describe = lcs_describe,
    .explain = explain,
};
