/* cke: concurrent kernels on SMs of their own (Lee 2014, section 4.4, the baseline of its figure 18). Each running
 * kernel that has CTAs left has an equal share of the SMs; how many CTAs of it they hold is the CTA scheduler's
 * decision. */
#include <string.h>

#include "task/partition/partition.h"

/* Has the SM CTAs of another launch? */
static bool of_others(const struct sm *s, u32 nctas, u32 launch)
{
	for (u32 i = 0; s->nctas && i < nctas; i++)
		if (s->cta[i].used && s->cta[i].launch != launch)
			return true;
	return false;
}

void partition_divide(const struct partition_view *v, struct partition_plan *p)
{
	const struct dispatcher *d = v->d;
	u8 has_left[DISPATCH_KERNELS];
	u32 n = 0;
	for (u32 r = 0; r < d->n; r++) {
		if (partition_comes(v, d->order[r]))
			has_left[n++] = d->order[r];
	}
	for (u32 i = 0; i < v->num_sms && n; i++) {
		const u32 owner = has_left[i * n / v->num_sms];
		memset(p->quota[i], 0, sizeof p->quota[i]);
		p->quota[i][owner] = of_others(v->sm[i], v->conf->sm_ctas, d->k[owner].launch) ? 0 : QUOTA_ANY;
	}
}

void partition_explain_divided(const struct partition_view *v, u32 slot, struct strbuf *out)
{
	u32 n = 0;
	for (u32 r = 0; r < v->d->n; r++)
		n += partition_comes(v, v->d->order[r]);
	if (partition_comes(v, slot))
		strbuf_addf(out, "%u kernel%s with CTAs to come in equal shares: %u SMs open to it", n, n == 1 ? "" : "s",
		            partition_sms_of(v, slot));
	else
		strbuf_adds(out, "it has no CTAs to come and no share");
}

static u64 plan(void *state, const struct partition_view *v, struct partition_plan *p)
{
	partition_divide(v, p);
	return NEVER;
}

static void explain(const void *state, const struct partition_view *v, u32 slot, struct strbuf *out)
{
	partition_explain_divided(v, slot, out);
}

extern const struct partition_ops partition_cke;
const struct partition_ops partition_cke = {
    .name = "cke",
    .help = "concurrent kernels on different SMs, in equal shares",
    .source = "Lee 2014, section 4.4, the baseline",
    .each_cta = true,
    .plan = plan,
    .explain = explain,
};
