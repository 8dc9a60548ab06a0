#include "session/outputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/outfile.h"
#include "session/export_text.h"
#include "obs/record/timeline_csv.h"
#include "obs/record/trace.h"
#include "session/run_report.h"

struct outputs {
	struct session *s;
	struct tape *timeline_tape, *trace_tape;
	struct outfile *phases, *stats, **outs; /* NULL: not asked for, or written */
	u32 nouts;                              /* of all programs */
	struct timeline_csv *timeline;
	struct trace *trace;
};

/* Under the debugger time may go back, and the file with it. */
static struct tape *open_tape(const struct outputs *o, const char *option, const char *path, const char *tail,
                              size_t record, struct err *e)
{
	struct err why = {0};
	if (!strcmp(path, "-")) {
		err_set(e, "%s: a file is expected; only --stats goes to standard output (/dev/stdout is a file)", option);
		return NULL;
	}
	struct tape *t = tape_open(path, option, tail, strcmp(o->s->opt->command, "debug") ? TAPE_NO_CUT : record, &why);
	if (!t)
		err_set(e, "%s: %s", option, why.msg);
	return t;
}

static bool open_timeline(struct outputs *o, struct session *s, struct err *e)
{
	o->timeline_tape = open_tape(o, "--timeline", o->s->opt->timeline, "", TIMELINE_CSV_RECORD, e);
	if (!o->timeline_tape)
		return false;
	o->timeline = timeline_csv_create(sim_gpu(s->sim), o->timeline_tape);
	int id = sim_add_sampler(s->sim, s->conf.timeline_period, timeline_csv_sample, o->timeline);
	sim_on_snapshot(s->sim, id, timeline_csv_keep, timeline_csv_recall);
	sim_on_leave(s->sim, id, timeline_csv_leave);
	sim_on_fork(s->sim, id, timeline_csv_fork);
	return true;
}

static bool find_detail(const char *word, enum trace_detail *d, struct err *e)
{
	*d = TRACE_CTAS;
	for (u32 i = 0; word && i < ARRAY_LEN(trace_details); i++)
		if (!strcmp(word, trace_details[i])) {
			*d = i;
			return true;
		}
	return !word || err_set(e, "--trace-detail: '%s' is none of: ctas warps states", word);
}

static bool open_trace(struct outputs *o, struct session *s, struct err *e)
{
	enum trace_detail d;
	if (!find_detail(o->s->opt->trace_detail, &d, e))
		return false;
	if (!o->s->opt->trace)
		return !o->s->opt->trace_detail || err_set(e, "--trace-detail: there is no --trace FILE.json");
	o->trace_tape = open_tape(o, "--trace", o->s->opt->trace, trace_tail, trace_record, e);
	if (!o->trace_tape)
		return false;
	o->trace = trace_create(sim_gpu(s->sim), d, o->trace_tape);
	sim_subscribe(s->sim, trace_events(d), trace_event, o->trace);
	int id = sim_add_sampler(s->sim, s->conf.timeline_period, trace_sample, o->trace);
	sim_on_snapshot(s->sim, id, trace_keep, trace_recall);
	sim_on_leave(s->sim, id, trace_leave);
	sim_on_fork(s->sim, id, trace_fork);
	return true;
}

/* A file that is written at the end; that it cannot be is better known at the start. */
static bool reserve(struct outfile **f, const char *option, const char *path, struct err *e)
{
	struct err why = {0};
	*f = outfile_open(path, option, &why);
	return *f || err_set(e, "%s: %s", option, why.msg);
}

static bool reserve_stats(struct outputs *o, struct err *e)
{
	const char *path = o->s->opt->stats;
	return !path || !strcmp(path, "-") || reserve(&o->stats, "--stats", path, e);
}

u32 outputs_outs(const struct session *s, const struct session_program *p)
{
	return s->opt->beside ? 0 : p->opt->nouts;
}

/* Where a program's --out files begin in o->outs. */
static u32 first_out(const struct session *s, const struct session_program *p)
{
	u32 n = 0;
	for (u32 i = 0; i < p->index; i++)
		n += outputs_outs(s, &s->programs[i]);
	return n;
}

static u32 all_outs(const struct session *s)
{
	const struct session_program *last = &s->programs[s->nprograms - 1];
	return first_out(s, last) + outputs_outs(s, last);
}

static bool reserve_outs(struct outputs *o, struct err *e)
{
	bool ok = true;
	o->nouts = all_outs(o->s);
	o->outs = xcalloc(o->nouts + 1, sizeof(*o->outs));
	for (u32 k = 0; k < o->s->nprograms; k++) {
		const struct session_program *p = &o->s->programs[k];
		for (u32 i = 0; ok && i < outputs_outs(o->s, p); i++)
			ok = reserve(&o->outs[first_out(o->s, p) + i], "--out", p->opt->outs[i].file, e);
	}
	return ok;
}

static bool reserve_phases(struct outputs *o, struct err *e)
{
	const char *path = o->s->opt->phases;
	if (!path)
		return true;
	struct err why = {0};
	if (!export_phases_format(path, &why))
		return err_set(e, "--phases: %s", why.msg);
	if (!o->s->conf.phases_period)
		return err_set(e, "--phases: phases.period is 0: nothing would be recorded");
	return reserve(&o->phases, "--phases", path, e);
}

/* Completes a file; a second time, after going back, it is opened anew. */
static bool fill(struct outfile **f, const char *option, const char *path, const void *data, u64 n, struct err *e)
{
	struct err why = {0};
	struct outfile *to = *f ? *f : outfile_open(path, option, &why);
	*f = NULL;
	bool ok = to && outfile_put(to, data, n, &why);
	if (ok)
		ok = outfile_commit(to, &why);
	else
		outfile_drop(to);
	return ok || err_set(e, "%s: %s", option, why.msg);
}

bool outputs_write_out(struct session *s, u32 i, const void *data, u64 n, struct err *e)
{
	const struct session_program *p = s->now;
	return fill(&s->outputs->outs[first_out(s, p) + i], "--out", p->opt->outs[i].file, data, n, e);
}

static bool write_phases(struct outputs *o, struct err *e)
{
	struct err why = {0};
	struct strbuf text = STRBUF_INIT;
	const char *path = o->s->opt->phases;
	if (!path || !o->s->phases)
		return true;
	bool ok =
	    export_text(o->s, export_phases_format(path, &why), -1, "", &text, &why) || err_set(e, "--phases: %s", why.msg);
	ok = ok && fill(&o->phases, "--phases", path, strbuf_str(&text), text.len, e);
	strbuf_release(&text);
	return ok;
}

struct outputs *outputs_open(struct session *s, struct err *e)
{
	struct outputs *o = xcalloc(1, sizeof *o);
	o->s = s;
	if ((!s->opt->timeline || open_timeline(o, s, e)) && open_trace(o, s, e) && reserve_phases(o, e) &&
	    reserve_stats(o, e) && reserve_outs(o, e))
		return o;
	outputs_close(o, false, NULL);
	return NULL;
}

static bool close_tape(const char *option, struct tape *t, bool keep, struct err *e)
{
	struct err why = {0};
	if (keep)
		return tape_close(t, &why) || err_set(e, "%s: %s", option, why.msg);
	tape_drop(t);
	return true;
}

bool outputs_close(struct outputs *o, bool keep, struct err *e)
{
	if (!o)
		return true;
	timeline_csv_free(o->timeline);
	trace_free(o->trace);
	bool ok = close_tape("--timeline", o->timeline_tape, keep, e);
	ok = close_tape("--trace", o->trace_tape, keep, e) && ok;
	ok = (!keep || write_phases(o, e)) && ok;
	outfile_drop(o->phases);
	outfile_drop(o->stats);
	for (u32 i = 0; o->outs && i < o->nouts; i++)
		outfile_drop(o->outs[i]);
	free(o->outs);
	free(o);
	return ok;
}

/* --- the trace so far --- */

bool outputs_trace_ready(const struct session *s, struct err *e)
{
	if (!s->outputs || !s->outputs->trace)
		return err_set(e, "no trace is recorded: start with --trace FILE.json");
	if (!tape_readable(s->outputs->trace_tape))
		return err_set(e, "the trace goes to %s, which cannot be read back", s->opt->trace);
	return true;
}

bool outputs_export_trace(struct session *s, FILE *to, struct err *e)
{
	return trace_export(s->outputs->trace, to) || err_set(e, "the trace could not be written in full");
}

/* --- statistics --- */

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

bool outputs_write_stats(struct session *s, const char *stop, u64 total_ns, struct err *e)
{
	const char *path = s->opt->stats;
	if (!path || !strcmp(path, "-"))
		return true;
	struct strbuf text = STRBUF_INIT;
	run_report(s, outputs_format(s->opt), stop, total_ns, false, s->opt->ascii, &text);
	bool ok = fill(&s->outputs->stats, "--stats", path, strbuf_str(&text), text.len, e);
	strbuf_release(&text);
	return ok;
}
