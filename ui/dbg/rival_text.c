/* What is said of the machine beside the debugger's. */
#include "dbg/state.h"
#include "dbg/divergence.h"
#include "dbg/rival.h"
#include "obs/compare/report_compare.h"

static const char *divergence_word(struct debugger *d)
{
	const struct divergence *first;
	const char *why[2];
	if (d->travel.changed_by_hand)
		return "decisions are compared no more: this machine was changed by hand";
	switch (divergence_state(d, d->rival->breakpoint, &first, why)) {
	case DIVERGENCE_SOUGHT: return "no different decision of the warp schedulers so far";
	case DIVERGENCE_NONE: return "no different decision of the warp schedulers in the whole run";
	case DIVERGENCE_FOUND:
	case DIVERGENCE_OFF: break;
	}
	return "the first different decision is not looked for: its breakpoint is off";
}

void rival_divergence_line(struct debugger *d, struct strbuf *out)
{
	const struct divergence *f = &d->rival->first;
	if (!f->found) {
		strbuf_adds(out, divergence_word(d));
		return;
	}
	strbuf_addf(out, "first different decision: SM %u scheduler %u, ", f->side[0].sm, f->side[0].scheduler);
	if (f->side[0].cycle == f->side[1].cycle)
		strbuf_addf(out, "cycle %llu", (unsigned long long)f->side[0].cycle);
	else
		strbuf_addf(out, "cycle %llu of A, %llu of B", (unsigned long long)f->side[0].cycle,
		            (unsigned long long)f->side[1].cycle);
	if (f->side[0].cycle >= sim_cycle(d->s->sim))
		strbuf_adds(out, ", still ahead");
	strbuf_addf(out, ": %s", divergence_kind(f));
}

void rival_decision_line(struct debugger *d, u32 side, struct strbuf *out)
{
	const struct decision *x = &d->rival->first.side[side];
	struct gpu *g = sim_gpu(side ? d->rival->s->sim : d->s->sim);
	if (x->warp < 0) {
		strbuf_addf(out, "no warp: %s", stall_descs[x->reason].help);
		return;
	}
	struct decision_place p = decision_place(g, x);
	strbuf_addf(out, "warp %d, one of %u ready%s, CTA %d: ", x->warp, bit_count(x->ready), x->greedy ? ", again" : "",
	            x->cta);
	if (p.line)
		strbuf_addf(out, "%u %s", p.line, p.text);
	else
		strbuf_addf(out, "pc %u", x->pc);
}
