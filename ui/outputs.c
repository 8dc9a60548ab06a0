#include "outputs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "obs/report.h"
#include "obs/timeline_csv.h"
#include "obs/trace.h"

struct outputs {
	const struct options *opt;
	FILE *timeline_file, *trace_file;
	struct timeline_csv *timeline;
	struct trace *trace;
};

static FILE *open_file(const char *option, const char *path, struct err *e)
{
	FILE *f = fopen(path, "w");
	if (!f)
		err_set(e, "%s: %s: %s", option, path, strerror(errno));
	return f;
}

static bool open_timeline(struct outputs *o, struct session *s, struct err *e)
{
	o->timeline_file = open_file("--timeline", o->opt->timeline, e);
	if (!o->timeline_file)
		return false;
	o->timeline = timeline_csv_create(sim_gpu(s->sim), o->timeline_file);
	sim_add_sampler(s->sim, s->conf.timeline_period, timeline_csv_sample, o->timeline);
	return true;
}

static bool open_trace(struct outputs *o, struct session *s, struct err *e)
{
	o->trace_file = open_file("--trace", o->opt->trace, e);
	if (!o->trace_file)
		return false;
	o->trace = trace_create(sim_gpu(s->sim), o->trace_file);
	sim_subscribe(s->sim, trace_events(), trace_event, o->trace);
	sim_add_sampler(s->sim, s->conf.timeline_period, trace_sample, o->trace);
	return true;
}

/* --stats FILE is written at the end; that it cannot be is better known at the start. */
static bool probe_stats(const struct options *o, struct err *e)
{
	if (!o->stats || !strcmp(o->stats, "-"))
		return true;
	FILE *f = open_file("--stats", o->stats, e);
	if (f)
		fclose(f);
	return f;
}

struct outputs *outputs_open(struct session *s, struct err *e)
{
	struct outputs *o = xcalloc(1, sizeof *o);
	o->opt = s->opt;
	if (probe_stats(s->opt, e) && (!s->opt->timeline || open_timeline(o, s, e)) &&
	    (!s->opt->trace || open_trace(o, s, e)))
		return o;
	outputs_close(o, NULL);
	return NULL;
}

bool outputs_close(struct outputs *o, struct err *e)
{
	bool ok = true;
	if (!o)
		return true;
	if (o->timeline && !timeline_csv_free(o->timeline))
		ok = err_set(e, "--timeline: %s: cannot write", o->opt->timeline);
	if (o->trace && !trace_free(o->trace))
		ok = err_set(e, "--trace: %s: cannot write", o->opt->trace);
	if (o->timeline_file)
		fclose(o->timeline_file);
	if (o->trace_file)
		fclose(o->trace_file);
	free(o);
	return ok;
}

/* --- statistics
 * ------------------------------------------------------------------------------------------------------------ */

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);
	return n >= k && !strcmp(s + n - k, end);
}

const char *outputs_format(const struct options *o)
{
	if (o->format)
		return o->format;
	if (o->stats && ends_with(o->stats, ".json"))
		return "json";
	return o->stats && ends_with(o->stats, ".csv") ? "csv" : "text";
}

bool outputs_claim_stdout(const struct options *o)
{
	bool to_stdout = !o->stats || !strcmp(o->stats, "-");
	return to_stdout && strcmp(outputs_format(o), "text") != 0;
}

static u64 peak_rss(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return (u64)u.ru_maxrss * 1024;
}

void outputs_report(struct session *s, const char *format, const char *stop, u64 total_ns, bool color, bool ascii,
                    struct strbuf *out)
{
	static const char *const checks[] = {[CHECK_NONE] = "none", [CHECK_PASS] = "pass", [CHECK_FAIL] = "fail"};
	struct run_info run = {.workload = s->name,
	                       .check = checks[s->check],
	                       .check_message = strbuf_str(&s->check_message),
	                       .stop = stop,
	                       .sim_ns = s->sim_ns,
	                       .total_ns = total_ns,
	                       .peak_rss = peak_rss()};
	struct stats *st = stats_gather(sim_gpu(s->sim), &run);
	if (!strcmp(format, "json"))
		report_json(st, out);
	else if (!strcmp(format, "csv"))
		report_csv(st, out);
	else
		report_text(st, &(struct text_style){color, ascii}, out);
	stats_free(st);
}

bool outputs_write_stats(struct session *s, const char *stop, u64 total_ns, struct err *e)
{
	const char *path = s->opt->stats;
	if (!path || !strcmp(path, "-"))
		return true;
	struct strbuf text = STRBUF_INIT;
	outputs_report(s, outputs_format(s->opt), stop, total_ns, false, s->opt->ascii, &text);
	FILE *f = open_file("--stats", path, e);
	bool ok = f && fwrite(text.buf, 1, text.len, f) == text.len;
	if (f && (fclose(f) || !ok))
		ok = err_set(e, "--stats: %s: cannot write", path);
	strbuf_release(&text);
	return ok;
}
