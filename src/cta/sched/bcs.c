/* bcs: runs of consecutive CTAs (bcs.h). Meant for the warp scheduler sca, which comes with it unless another is named.
 */
#include "cta/sched/bcs.h"

/* Runs of the kernel that have CTAs on this SM. */
static u32 runs_on(const struct cta_view *v, u32 sm)
{
	const struct sm *s = v->sm[sm];
	u32 block = v->conf->bcs_block, n = 0;
	for (u32 i = 0; i < v->conf->sm_ctas; i++) {
		const struct cta *c = &s->cta[i];
		if (!c->used || c->launch != v->launch->id)
			continue;
		u32 j = 0;
		while (j < i && !(s->cta[j].used && s->cta[j].launch == c->launch && s->cta[j].id / block == c->id / block))
			j++;
		n += j == i; /* none before it is of the same run */
	}
	return n;
}

u64 bcs_next(struct bcs *st, const struct cta_view *v, u32 sm, u32 most)
{
	u64 ctas = v->launch->ctas;
	u32 block = bcs_applies(v->launch) ? v->conf->bcs_block : 1;
	if (st->left[sm]) {
		st->left[sm]--;
		return st->run[sm]++;
	}
	if (st->next == ctas || (block > 1 && runs_on(v, sm) >= MAX(most / block, 1)))
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

/* --- the policy --------------------------------------------------------------------------------------------------- */

static u64 next(void *state, const struct cta_view *v, u32 sm)
{
	return bcs_next(state, v, sm, v->most);
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
};
