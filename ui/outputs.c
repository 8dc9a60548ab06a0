#include "outputs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "export.h"
#include "obs/report.h"
#include "obs/timeline_csv.h"
#include "obs/trace.h"

struct outputs {
	struct session *s;
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

/* A file that is written at the end; that it cannot be is better known at the start. */
static bool probe(const char *option, const char *path, struct err *e)
{
	FILE *f = open_file(option, path, e);
	if (f)
		fclose(f);
	return f;
}

static bool probe_stats(const struct options *o, struct err *e)
{
	return !o->stats || !strcmp(o->stats, "-") || probe("--stats", o->stats, e);
}

static bool probe_phases(const struct session *s, struct err *e)
{
	const char *path = s->opt->phases;
	if (!path)
		return true;
	struct err why = {0};
	if (!export_phases_format(path, &why))
		return err_set(e, "--phases: %s", why.msg);
	if (!s->conf.phases_period)
		return err_set(e, "--phases: phases.period is 0: nothing would be recorded");
	return probe("--phases", path, e);
}

static bool write_phases(struct session *s, struct err *e)
{
	struct err why = {0};
	const char *path = s->opt->phases;
	if (!path || !s->phases || export_write(s, export_phases_format(path, &why), path, -1, "", &why))
		return true;
	return err_set(e, "--phases: %s", why.msg);
}

struct outputs *outputs_open(struct session *s, struct err *e)
{
	struct outputs *o = xcalloc(1, sizeof *o);
	o->s = s;
	o->opt = s->opt;
	if (probe_stats(s->opt, e) && probe_phases(s, e) && (!s->opt->timeline || open_timeline(o, s, e)) &&
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
	ok = write_phases(o->s, e) && ok;
	if (o->timeline_file)
		fclose(o->timeline_file);
	if (o->trace_file)
		fclose(o->trace_file);
	free(o);
	return ok;
}

/* --- the trace so far
 * -------------------------------------------------------------------------------------------------- */

bool outputs_trace_ready(const struct session *s, const char *file, struct err *e)
{
	struct stat st, to;
	if (!s->outputs || !s->outputs->trace)
		return err_set(e, "no trace is recorded: start with --trace FILE.json");
	if (stat(s->opt->trace, &st) || !S_ISREG(st.st_mode))
		return err_set(e, "the trace goes to %s, which cannot be read back", s->opt->trace);
	return stat(file, &to) || st.st_ino != to.st_ino || st.st_dev != to.st_dev ||
	       err_set(e, "%s is the file that the trace is being written to", file);
}

bool outputs_export_trace(struct session *s, FILE *to, struct err *e)
{
	struct strbuf so_far = STRBUF_INIT;
	fflush(s->outputs->trace_file);
	bool ok = strbuf_read_file(&so_far, s->opt->trace, e);
	if (ok && !trace_export(s->outputs->trace, strbuf_str(&so_far), so_far.len, to))
		ok = err_set(e, "the trace could not be written in full");
	strbuf_release(&so_far);
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
