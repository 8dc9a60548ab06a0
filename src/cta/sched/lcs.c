/* lcs: CTAs in order, as few on each SM as the first one that ended has shown to be enough (lcs.h). */
#include "cta/sched/lcs.h"

#include <string.h>

u32 lcs_equation(u64 sum, u64 max, int round)
{
	u64 t = sum / max;
	if (round == LCS_ROUND_CEIL)
		t = ceil_div(sum, max);
	else if (round == LCS_ROUND_NEAREST)
		t = (2 * sum + max) / (2 * max);
	return (u32)MAX(t, 1);
}

u32 lcs_limit(const void *state, const struct cta_view *v, u32 sm)
{
	const struct lcs *st = state;
	return st->limit[sm] ? st->limit[sm] : UINT32_MAX;
}

void lcs_done(void *state, const struct cta_view *v, u32 sm, const struct cta *c)
{
	struct lcs *st = state;
	if (st->limit[sm])
		return;
	u64 sum = c->insts, max = c->insts;
	u32 n = 1;
	for (u32 i = 0; i < cta_places(v); i++) {
		const struct cta *o = cta_in_place(v, sm, i);
		if (!o)
			continue;
		sum += o->insts;
		max = MAX(max, o->insts);
		n++;
	}
	u32 t = lcs_equation(sum, max, v->conf->lcs_round);
	if (v->conf->lcs_per_sm)
		st->limit[sm] = (u8)t;
	else
		memset(st->limit, (int)t, v->num_sms);
	struct event *e = cta_event(v, EV_LCS_THROTTLE, sm);
	if (e) {
		e->cta = (s64)c->id;
		e->arg[0] = t;
		e->arg[1] = sum;
		e->arg[2] = max;
		e->arg[3] = n;
	}
}

void lcs_explain(const void *state, const struct cta_view *v, u32 sm, struct strbuf *out)
{
	const u32 limit = lcs_limit(state, v, sm), there = sm_resident(v->sm[sm], v->launch->id);
	if (limit == UINT32_MAX)
		strbuf_adds(out, "monitoring, no limit yet; ");
	else
		strbuf_addf(out, "T_new %u, %u there; ", limit, there);
}

void lcs_describe(const void *state, const struct cta_view *v, struct strbuf *out)
{
	const struct lcs *st = state;
	u32 least = UINT32_MAX, most = 0, known = 0;
	for (u32 i = 0; i < v->num_sms; i++) {
		if (!st->limit[i])
			continue;
		known++;
		least = MIN(least, st->limit[i]);
		most = MAX(most, st->limit[i]);
	}
	if (!known)
		strbuf_adds(out, "monitoring");
	else if (least == most)
		strbuf_addf(out, "T_new %u", least);
	else
		strbuf_addf(out, "T_new %u to %u", least, most);
	if (known && known < v->num_sms)
		strbuf_addf(out, ", monitoring %u SMs", v->num_sms - known);
}

/* --- the policy --------------------------------------------------------------------------------------------------- */

struct state {
	struct lcs lcs;
	u64 next;
};

static u64 next(void *state, const struct cta_view *v, u32 sm)
{
	struct state *st = state;
	if (st->next == v->launch->ctas || sm_resident(v->sm[sm], v->launch->id) >= lcs_limit(st, v, sm))
		return NO_CTA;
	return st->next++;
}

static void explain(const void *state, const struct cta_view *v, u32 sm, struct strbuf *out)
{
	lcs_explain(state, v, sm, out);
	cta_explain_order(((const struct state *)state)->next, v, out);
}

extern const struct cta_sched_ops cta_sched_lcs;
const struct cta_sched_ops cta_sched_lcs = {
    .name = "lcs",
    .help = "lazy: as few CTAs on an SM as were shown to be enough when the first CTA ended",
    .source = "Lee 2014, section 4.1",
    .state_bytes = sizeof(struct state),
    .next = next,
    .done = lcs_done,
    .limit = lcs_limit,
    .describe = lcs_describe,
    .explain = explain,
};
