/* Which SMs a preemption took: candidates, what each technique would have cost, and what algorithm 3 made of it. */
#include <stdio.h>

#include "obs/why/why_choice.h"
#include "obs/why/why_text.h"

static void tell_cost(const struct conf *c, const struct preempt_cost *k, struct strbuf *out)
{
	if (k->latency >= COST_MAX || k->overhead >= COST_MAX)
		strbuf_addf(out, "  %18s", k->latency >= COST_MAX ? "-" : "? insts");
	else
		strbuf_addf(out, "  %8.2f us %7llu", (double)k->latency / c->core_clock, (unsigned long long)k->overhead);
}

static const char *technique_of(const struct preempt_sm *s)
{
	u32 t = s->n ? s->cta[0].technique : (u32)TECHNIQUES;
	for (u32 i = 1; i < s->n; i++)
		t = s->cta[i].technique == t ? t : (u32)TECHNIQUES;
	return s->n ? technique_names[t] : "none there";
}

static u32 place_of(const struct preempt_look *l, u32 i)
{
	u32 at = 0;
	while (at < l->want && l->chosen[at] != i)
		at++;
	return at;
}

static void tell_sm(const struct gpu *g, const struct preempt_look *l, u32 i, struct strbuf *out)
{
	const struct preempt_sm *s = &l->sm[i];
	const u32 place = place_of(l, i);
	const bool late = s->cost.latency > l->limit;
	strbuf_addf(out, "%s%3u  %4u  %-10s", l->asked[s->sm / 64] >> s->sm % 64 & 1 ? "* " : "  ", s->sm, s->n,
	            technique_of(s));
	tell_cost(gpu_conf(g), &s->cost, out);
	for (u32 t = 0; t < TECHNIQUES; t++)
		tell_cost(gpu_conf(g), &l->would[i][t], out);
	if (place < l->want)
		strbuf_addf(out, "  %u%s", place + 1, late ? ", late: the fastest of those that are left" : "");
	else
		strbuf_adds(out, late ? "  not taken: it would be late" : "  not taken: others cost less");
	strbuf_addc(out, '\n');
}

void why_tell_preempt(const struct gpu *g, const struct preempt_look *l, const char *by, struct strbuf *out)
{
	struct kernel_info k;
	strbuf_addf(out, "request %u, cycle %llu: %s gives up SMs by %s within %.2f us%s\n", l->id,
	            (unsigned long long)l->at, why_kernel(g, (s32)l->launch, &k), by,
	            (double)l->limit / gpu_conf(g)->core_clock,
	            l->named    ? "; its SMs were named"
	            : l->picked ? "; the partition policy had its SMs weighed"
	                        : "");
	strbuf_addf(out, "%u candidates, of which %u %s taken (*); latency and warp instructions lost:\n", l->n, l->want,
	            l->want == 1 ? "is" : "are");
	strbuf_adds(out,
	            "   SM  CTAs  technique               chosen            by switch             by drain             by "
	            "flush  place\n");
	for (u32 r = 0; r < l->want; r++)
		tell_sm(g, l, l->chosen[r], out);
	for (u32 i = 0; i < l->n; i++)
		if (place_of(l, i) == l->want)
			tell_sm(g, l, i, out);
	for (u32 i = 0; i < l->nbarred; i++)
		strbuf_addf(out, "   SM %u with CTAs of it was no candidate: %s\n", l->barred[i].sm, l->barred[i].why);
	strbuf_adds(out,
	            "algorithm 3: of those within the limit the least instructions lost; then the fastest of the rest\n");
}
