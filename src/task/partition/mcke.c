/* mcke: mixed concurrent kernels (Lee 2014, section 4.4): each SM holds CTAs of all running kernels, of each as many as
 * the CTA scheduler has found to be enough (lcs: T_new). A kernel of which that is not known yet is measured on SMs of
 * its own: until it is, they are shared out as with cke. With a CTA scheduler that sets no limit it stays so. */
#include <string.h>

#include "task/partition/partition.h"

/* Kernels without CTAs left need no measurement. */
static bool all_known(const struct partition_view *v)
{
	for (u32 r = 0; r < v->d->n; r++) {
		const u32 slot = v->d->order[r];
		const struct cta_kernel *k = &v->d->k[slot];
		if (!v->limit[slot] && k->dispatched < k->ctas)
			return false;
	}
	return true;
}

static u64 plan(void *state, const struct partition_view *v, struct partition_plan *p)
{
	if (!all_known(v)) {
		partition_divide(v, p);
		return NEVER;
	}
	for (u32 i = 0; i < v->num_sms; i++)
		for (u32 r = 0; r < v->d->n; r++) {
			const u32 slot = v->d->order[r];
			p->quota[i][slot] = (u8)(v->limit[slot] ? MIN(v->limit[slot], QUOTA_ANY) : QUOTA_ANY);
		}
	return NEVER;
}

static void explain(const void *state, const struct partition_view *v, u32 slot, struct strbuf *out)
{
	if (!all_known(v)) {
		strbuf_adds(out, v->limit[slot] ? "" : "its limit is not known yet; ");
		partition_explain_divided(v, slot, out);
	} else if (v->limit[slot]) {
		strbuf_addf(out, "the CTA scheduler's limit: %u CTAs on each SM", v->limit[slot]);
	} else {
		strbuf_adds(out, "it has no limit and no CTAs to come");
	}
}

extern const struct partition_ops partition_mcke;
const struct partition_ops partition_mcke = {
    .name = "mcke",
    .help = "mixed: CTAs of all running kernels on each SM; of each kernel as many as lcs has found to be enough",
    .source = "Lee 2014, section 4.4",
    .implies = "cta-sched=lcs",
    .each_cta = true,
    .plan = plan,
    .explain = explain,
};
