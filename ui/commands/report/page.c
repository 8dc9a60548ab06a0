#include "commands/report/page.h"

#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "dbg/diagnose.h"
#include "dbg/scope.h"
#include "session/run_report.h"

static bool name_ok(const char *file, struct err *e)
{
	const char *dot = strrchr(file, '.');
	return (dot && (!strcmp(dot, ".html") || !strcmp(dot, ".htm"))) || !strncmp(file, "/dev/", 5) ||
	       err_set(e, "%s: a report is FILE.html", file);
}

bool page_open(const char *option, const char *path, struct outfile **f, struct err *e)
{
	struct err why = {0};
	*f = path && name_ok(path, &why) ? outfile_open(path, option, &why) : NULL;
	return *f || !path || err_set(e, "%s: %s", option, why.msg);
}

bool page_close(const char *option, struct outfile *f, const struct strbuf *text, struct err *e)
{
	struct err why = {0};
	bool ok = !f || outfile_put(f, strbuf_str(text), text->len, &why);
	if (f && ok)
		ok = outfile_commit(f, &why);
	else
		outfile_drop(f);
	return ok || err_set(e, "%s: %s", option, why.msg);
}

static void read_document(struct page_run *r, const char *stop)
{
	struct strbuf text = STRBUF_INIT;
	run_report(r->s, "json", stop, 0, false, false, &text);
	r->doc = json_loads(strbuf_str(&text), 0, NULL);
	BUG_ON(!r->doc);
	strbuf_release(&text);
}

static void take_diagnosis(struct page_run *r, struct diagnosis *of, const struct err *e)
{
	struct strbuf text = STRBUF_INIT;
	if (of) {
		diagnosis_json(of, &text);
		r->diagnosis = json_loads(strbuf_str(&text), 0, NULL);
	} else {
		r->undiagnosed = xstrdup(e->msg);
	}
	strbuf_release(&text);
	diagnosis_free(of);
}

static void release(struct page_run *r)
{
	json_decref(r->doc);
	json_decref(r->diagnosis);
	free(r->undiagnosed);
	curves_release(&r->curves);
	strbuf_release(&r->scope);
}

static void one_run(const struct page_run *r, struct strbuf *out)
{
	struct strbuf title = STRBUF_INIT;
	strbuf_addf(&title, "%s on %s", doc_text(r->doc, "workload"), doc_text(r->doc, "machine"));
	page_begin(out, strbuf_str(&title));
	strbuf_release(&title);
	part_head(r, out);
	part_figures(r, out);
	part_slots(r, out);
	part_findings(r, out);
	part_curves(r, out);
	part_timeline(r, out);
	part_launches(r, out);
	part_lines(r, out);
	part_phases(r, out);
	part_notes(r, out);
	part_settings(r, out);
	part_all_figures(r, out);
	page_end(out);
}

/* How the run stands at this cycle, whichever way the machine has come to it. */
static const char *stop_here(const struct debugger *d)
{
	return d->s->finished ? "finished" : d->run.rest == DBG_DEAD ? session_stop_word(d->run.last) : "stopped";
}

bool page_of_debugger(struct debugger *d, struct strbuf *out, struct err *e)
{
	struct page_run r = {.s = d->s, .d = d, .scope = STRBUF_INIT};
	struct err why = {0};
	if (d->rival && d->rival->s)
		return page_of_rival(d, out, e);
	if (!curves_gather(d, &r.curves, e))
		return false;
	struct diagnosis *found = diagnose_launch(d, -1, &why);
	if (!found && d->run.interrupt) {
		release(&r);
		return err_set(e, "%s", why.msg);
	}
	take_diagnosis(&r, found, &why);
	read_document(&r, stop_here(d));
	scope_text(d, false, &r.scope);
	r.axis = (struct chart_axis){r.curves.from, r.curves.to};
	one_run(&r, out);
	release(&r);
	return true;
}

/* A run without a debugger. */
static void open_run(struct page_run *r, struct session *s, const char *stop)
{
	*r = (struct page_run){.s = s};
	curves_of_run(s, &r->curves);
	r->axis = (struct chart_axis){r->curves.from, r->curves.to};
	read_document(r, stop);
}

void page_of_session(struct session *s, const char *stop, struct strbuf *out)
{
	struct page_run r;
	struct err why = {0};
	struct diagnosis *found = diagnose(s, &why);
	open_run(&r, s, stop);
	take_diagnosis(&r, found, &why);
	one_run(&r, out);
	release(&r);
}
