/* info programs: who shares the machine, what each has come to */
#include <math.h>
#include <string.h>

#include "commands/commands.h"
#include "session/programs.h"

static void column(struct strbuf *out, double v)
{
	if (isfinite(v))
		strbuf_addf(out, " %9.2f", v);
	else
		strbuf_adds(out, "         -");
}

/* Of what has run so far; nothing before an instruction has been executed. */
static void sharing(const struct program_stats *p, u32 n, struct strbuf *out)
{
	double antt, stp;
	programs_sharing(p, n, &antt, &stp);
	if (isfinite(antt) && isfinite(stp))
		strbuf_addf(out, "ANTT %.3f, STP %.3f\n", antt, stp);
}

bool info_programs(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct program_stats p[OPTIONS_PROGRAMS];
	if (!arg_none(args, "info programs", e))
		return false;
	programs_stats(d->s, p);
	const bool alone = d->s->opt->alone && d->s->nprograms > 1;
	strbuf_addf(out, " # program            kernels       cycles instructions       IPC%s  check\n",
	            alone ? "  slowdown" : "");
	for (u32 i = 0; i < d->s->nprograms; i++) {
		strbuf_addf(out, "%2u %-18s %7u %12llu %12llu", i, p[i].of.name, p[i].kernels,
		            (unsigned long long)(p[i].end - p[i].begin), (unsigned long long)p[i].warp_insts);
		column(out, 1 / program_cpi(&p[i]));
		if (alone)
			column(out, program_slowdown(&p[i]));
		const bool checked = strcmp(p[i].of.check, "none") != 0;
		strbuf_addf(out, "  %s%s%s", p[i].done || checked ? p[i].of.check : "", p[i].done || !checked ? "" : ", ",
		            p[i].done ? "" : "not done");
		if (p[i].of.runs > 1)
			strbuf_addf(out, ", in run %u", p[i].of.runs);
		strbuf_addc(out, '\n');
	}
	for (u32 i = 0; i < d->s->nprograms; i++)
		if (p[i].deadlines_met + p[i].deadlines_missed) {
			strbuf_addf(out, "%2u ", i);
			program_requests_text(&p[i], out);
			strbuf_addc(out, '\n');
		}
	if (alone)
		sharing(p, d->s->nprograms, out);
	return true;
}
