#include "session/run_report.h"

#include <string.h>
#include <sys/resource.h>

#include "obs/report/report.h"

static u64 peak_rss(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return (u64)u.ru_maxrss * 1024;
}

void run_report(struct session *s, const char *format, const char *stop, u64 total_ns, bool color, bool ascii,
                struct strbuf *out)
{
	static const char *const checks[] = {[CHECK_NONE] = "none", [CHECK_PASS] = "pass", [CHECK_FAIL] = "fail"};
	struct program_name programs[OPTIONS_PROGRAMS];
	for (u32 i = 0; i < s->nprograms; i++)
		programs[i] = (struct program_name){.name = s->programs[i].name,
		                                    .runs = s->programs[i].nruns,
		                                    .check = checks[s->programs[i].check],
		                                    .check_message = strbuf_str(&s->programs[i].check_message),
		                                    .alone_cpi = s->programs[i].alone.cpi};
	struct run_info run = {.programs = programs,
	                       .nprograms = s->nprograms > 1 ? s->nprograms : 0,
	                       .workload = s->name,
	                       .check = checks[s->check],
	                       .check_message = strbuf_str(&s->check_message),
	                       .stop = stop,
	                       .host_clocks = s->opt->app_clock,
	                       .sim_ns = s->sim_ns,
	                       .total_ns = total_ns,
	                       .peak_rss = peak_rss(),
	                       .figures = &s->figures,
	                       .diagnosis = s->diagnosis,
	                       .heat = s->heat};
	struct stats *st = stats_gather(sim_gpu(s->sim), &run);
	if (!strcmp(format, "json"))
		report_json(st, out);
	else if (!strcmp(format, "csv"))
		report_csv(st, out);
	else
		report_text(st, &(struct text_style){color, ascii}, out);
	stats_free(st);
}
