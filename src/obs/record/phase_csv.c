#include "obs/record/phase_csv.h"

/* Names of the columns. */
static void head(const struct phase_track *t, struct strbuf *out)
{
	strbuf_adds(out, "cycle,cycles,sm,active,exited,alu,mem,alu_peak,mem_peak,alu_only,mem_only,both,idle");
	for (u32 i = 0; i < phase_track_fns(t); i++) {
		const struct phase_fn *f = phase_track_fn(t, i);
		for (u32 b = 0; b < f->nbands; b++) {
			const struct phase_band *x = phase_track_band(t, f->band + b);
			strbuf_addf(out, ",%s %u", f->fn->name, x->first);
			if (x->last > x->first)
				strbuf_addf(out, "-%u", x->last);
		}
	}
	strbuf_adds(out, ",other\n");
}

static void mean(struct strbuf *out, u32 sum, u32 looks)
{
	strbuf_addf(out, ",%.7g", (double)sum / looks);
}

static void row(const struct phase_track *t, s32 sm, u64 from, u64 to, struct strbuf *out)
{
	struct phase_sum s;
	phase_track_get(t, sm, from, to, &s);
	if (!s.looks)
		return;
	strbuf_addf(out, "%llu,%llu,", (unsigned long long)to, (unsigned long long)(to - from));
	if (sm < 0)
		strbuf_adds(out, "all");
	else
		strbuf_addf(out, "%d", sm);
	mean(out, s.active, s.looks);
	mean(out, s.exited, s.looks);
	mean(out, s.alu, s.looks);
	mean(out, s.mem, s.looks);
	strbuf_addf(out, ",%u,%u", s.alu_peak, s.mem_peak);
	static const enum flight order[] = {FLIGHT_ALU, FLIGHT_MEM, FLIGHT_BOTH, FLIGHT_NONE};
	for (u32 i = 0; i < ARRAY_LEN(order); i++)
		strbuf_addf(out, ",%llu", (unsigned long long)s.cycles[order[i]]);
	for (u32 i = 0; i < phase_track_fns(t); i++)
		for (u32 b = 0; b < phase_track_fn(t, i)->nbands; b++)
			mean(out, s.warps[phase_track_fn(t, i)->band + b], s.looks);
	mean(out, s.warps[0], s.looks);
	strbuf_addc(out, '\n');
}

void phase_csv(const struct phase_track *t, u32 num_sms, struct strbuf *out)
{
	u64 span = phase_track_span(t), start = phase_track_start(t), end = phase_track_end(t);
	head(t, out);
	for (u64 from = start; from < end; from += span)
		for (s32 sm = -1; sm < (s32)num_sms; sm++)
			row(t, sm, from, MIN(from + span, end), out);
}
