/* bcs: runs of consecutive CTAs (bcs.h). Meant for the warp scheduler sca, which comes with it unless another is named.
 */
#include "cta/sched/bcs.h"

/* Runs of the kernel that have CTAs on this SM. */
static u32 runs_on(const struct cta_view *v, u32 sm)
{
	u64 run[SM_CTA_PLACES];
	u32 n = 0;
	for (u32 i = 0; i < cta_places(v); i++) {
		const struct cta *c = cta_in_place(v, sm, i);
		if (!c)
			continue;
		run[n] = c->id / v->conf->bcs_block;
		u32 j = 0;
		while (run[j] != run[n])
			j++;
		n += j == n; /* none before it is of the same run */
	}
	return n;
}

/* What is left of a run whose SM may hold none of the kernel's CTAs any more (--partition) is the next one's. */
static bool take_over(struct bcs *st, const struct cta_view *v, u32 sm)
{
	for (u32 i = 0; i < v->num_sms && v->most_on; i++)
		if (st->left[i] && !v->most_on(v, i)) {
			st->run[sm] = st->run[i];
			st->left[sm] = st->left[i];
			st->left[i] = 0;
			return true;
		}
	return false;
}

static u32 runs_allowed(const struct cta_view *v, u32 most)
{
	u32 block = v->conf->bcs_block, fit = MAX(v->most / block, 1), allowed = (u32)ceil_div(most, block);
	return MIN(allowed, fit);
}

u64 bcs_next(struct bcs *st, const struct cta_view *v, u32 sm, u32 most)
{
	u64 ctas = v->launch->ctas;
	u32 block = bcs_applies(v->launch) ? v->conf->bcs_block : 1;
	if (st->left[sm] || (st->next == ctas && take_over(st, v, sm))) {
		st->left[sm]--;
		return st->run[sm]++;
	}
	if (st->next == ctas || (block > 1 && runs_on(v, sm) >= runs_allowed(v, most)))
		return NO_CTA;
	u64 first = st->next;
	u32 n = (u32)MIN(block, ctas - first);
	st->next += n;
	st->run[sm] = first + 1;
	st->left[sm] = (u8)(n - 1);
	struct event *e = block > 1 ? cta_event(v, EV_BCS_PAIR, sm) : NULL;
	if (e) {
		e->cta = (s64)first;
		e->arg[0] = first;
		e->arg[1] = n;
		e->arg[2] = runs_on(v, sm) + 1;
	}
	return first;
}

void bcs_explain(const struct bcs *st, const struct cta_view *v, u32 sm, u32 most, struct strbuf *out)
{
	if (!bcs_applies(v->launch)) {
		strbuf_adds(out, "a grid of one dimension has no runs; ");
		cta_explain_order(st->next, v, out);
	} else if (st->left[sm]) {
		strbuf_addf(out, "run of the SM: CTA %llu is next, %u of it are to come", (unsigned long long)st->run[sm],
		            st->left[sm]);
	} else {
		strbuf_addf(out, "the SM has %u of %u runs; ", runs_on(v, sm), runs_allowed(v, most));
		cta_explain_order(st->next, v, out);
	}
}

/* --- the policy --------------------------------------------------------------------------------------------------- */

static u64 next(void *state, const struct cta_view *v, u32 sm)
{
	return bcs_next(state, v, sm, v->most);
}

static void explain(const void *state, const struct cta_view *v, u32 sm, struct strbuf *out)
{
	bcs_explain(state, v, sm, v->most, out);
}

extern const struct cta_sched_ops cta_sched_bcs;
const struct cta_sched_ops cta_sched_bcs = {
    .name = "bcs",
    .help =
        "runs of bcs.block consecutive CTAs of a grid of two or three dimensions; a new one when a whole one has left",
    .source = "Lee 2014, section 4.2",
    .implies = "warp-sched=sca",
    .state_bytes = sizeof(struct bcs),
    .next = next,
    .explain = explain,
};
