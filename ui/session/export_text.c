#include "session/export_text.h"

#include <stdio.h>
#include <string.h>

#include "obs/record/phase_csv.h"
#include "obs/record/timeline_csv.h"
#include "session/phase_svg.h"
#include "session/run_report.h"

static bool add_timeline(struct session *s, struct strbuf *out, struct err *e)
{
	if (!s->timeline)
		return err_set(e, "no timeline is recorded here (--timeline FILE.csv writes one)");
	timeline_csv_text(s->timeline, &s->conf, out);
	return true;
}

static bool add_phases(struct session *s, bool svg, s32 sm, struct strbuf *out, struct err *e)
{
	if (!s->phases && !s->conf.phases_period)
		return err_set(e, "no phase graph is recorded: phases.period is 0");
	if (!s->phases)
		return err_set(e, "no phase graph is recorded here (--phases FILE.svg does)");
	char title[300];
	snprintf(title, sizeof title, "%.80s on %.60s, %.60s, %.60s", s->name, s->conf.machine, s->conf.warp_sched,
	         s->conf.cta_sched);
	if (svg)
		phase_svg(s->phases, sm, title, out);
	else
		phase_csv(s->phases, s->conf.num_sms, out);
	return true;
}

bool export_text(struct session *s, const char *format, s32 sm, const char *stop, struct strbuf *out, struct err *e)
{
	if (!strcmp(format, "csv"))
		return add_timeline(s, out, e);
	if (!strcmp(format, "json")) {
		run_report(s, format, stop, s->sim_ns, false, false, out);
		return true;
	}
	return add_phases(s, !strcmp(format, "phases-svg"), sm, out, e);
}

const char *export_phases_format(const char *file, struct err *e)
{
	const char *dot = strrchr(file, '.');
	if (dot && !strcmp(dot, ".csv"))
		return "phases-csv";
	if (dot && !strcmp(dot, ".svg"))
		return "phases-svg";
	err_set(e, "%s: the ending says what is written: .csv or .svg", file);
	return NULL;
}
