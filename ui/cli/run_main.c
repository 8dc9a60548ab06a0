#include "cli/run_main.h"

#include <errno.h>
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/words.h"
#include "gpu/starve.h"
#include "base/leaving.h"
#include "commands/commands.h"
#include "commands/report/page.h"
#include "script/dbg.h"
#include "dbg/diagnose.h"
#include "dbg/hooks.h"
#include "dbg/lua_side.h"
#include "lua/lua.h"
#include "obs/name/findings.h"
#include "obs/why/why.h"
#include "session/alone.h"
#include "session/programs.h"
#include "session/outputs.h"
#include "base/complain.h"
#include "base/plain.h"
#include "session/progress.h"
#include "session/run_report.h"

#define EXIT_BROKEN 70 /* a conservation law does not hold: a bug of the simulator, not of the input */

static struct sim *running; /* for the signal handler */

static void stop(void)
{
	lua_interrupt();
	if (running) /* else the report is being written */
		sim_interrupt(running);
}

/* An application's standard output is its own. */
static FILE *report_to(const struct session *s)
{
	for (u32 i = 0; i < s->nprograms; i++)
		if (s->programs[i].opt->app)
			return stderr;
	return stdout;
}

/* Text of host program and kernels; not on standard output when the report for programs goes there. */
static void flush_output(struct session *s)
{
	FILE *to = outputs_claim_stdout(s->opt) ? stderr : report_to(s);
	if (!s->output.len)
		return; /* what it failed of would be known no more (stdout_written()) */
	plain_write(&s->output, to);
	fflush(to);
	strbuf_clear(&s->output);
}

static enum session_stop run_to_end(struct session *s, struct err *e)
{
	struct progress p;
	enum session_stop why;
	progress_start(&p, s);
	do {
		why = session_run(s, progress_until(&p, s), e);
		if (s->output.len) {
			progress_end(&p);
			flush_output(s);
		}
		if (why == SS_CYCLE)
			progress_draw(&p, s);
	} while (why == SS_CYCLE);
	progress_end(&p);
	return session_last_stop(why, leaving_by(), e);
}

/* Why a run did not finish, on standard error. */
static void explain_stop(struct session *s, enum session_stop why, const struct err *e)
{
	struct strbuf text = STRBUF_INIT;
	session_stop_reason(s, why, e, &text);
	if (text.len)
		complain_of("", text.buf);
	strbuf_release(&text);
}

static void print_report(struct session *s, const char *stop, u64 total_ns)
{
	const struct options *o = s->opt;
	bool own_file = o->stats && strcmp(o->stats, "-");
	const char *format = own_file ? "text" : outputs_format(o);
	FILE *to = own_file || !outputs_claim_stdout(o) ? report_to(s) : stdout;
	bool color = plain_colors(o->no_color, fileno(to));
	bool ascii = o->ascii || strcmp(nl_langinfo(CODESET), "UTF-8");
	struct strbuf text = STRBUF_INIT;
	plain_defuse(s->check_message.buf, s->check_message.len, fileno(to));
	run_report(s, format, stop, total_ns, color, ascii, &text);
	fwrite(text.buf, 1, text.len, to);
	strbuf_release(&text);
	if (outputs_claim_stdout(o) && s->check == CHECK_FAIL)
		complain_of("check failed: ", strbuf_str(&s->check_message));
}

/* A script's callback that failed has stopped the run: its message is the result. */
static bool script_failed(struct session *s)
{
	struct debugger *d = lua_dbg_present(s);
	struct strbuf text = STRBUF_INIT;
	bool failed = d && lua_dbg_take_error(d, &text);
	if (failed)
		complain_of("", text.buf);
	strbuf_release(&text);
	return failed;
}

/* --diagnose: JSON reports have the findings; else they stand behind the report. */
static bool diagnose_run(struct session *s, struct strbuf *out)
{
	struct err e = {0};
	struct strbuf json = STRBUF_INIT;
	struct diagnosis *d = s->opt->diagnose && sim_gpu(s->sim) ? diagnose(s, &e) : NULL;
	if (!d && e.set)
		complain(&e);
	if (!d)
		return !e.set;
	diagnosis_text(d, UINT32_MAX, out);
	diagnosis_json(d, &json);
	free(s->diagnosis);
	s->diagnosis = xstrdup(strbuf_str(&json));
	strbuf_release(&json);
	diagnosis_free(d);
	return true;
}

/* Not where the report for programs goes. */
static void show_findings(struct session *s, struct strbuf *text)
{
	if (!outputs_claim_stdout(s->opt) || !strcmp(outputs_format(s->opt), "text"))
		plain_write(text, report_to(s));
	strbuf_release(text);
}

/* What a script asked to be told at the end, and why it stopped the run. */
static void end_scripts(struct session *s)
{
	struct debugger *d = lua_dbg_present(s);
	struct strbuf text = STRBUF_INIT;
	char what[64];
	if (d && lua_hooks_take_stop(d, &text))
		complain_of("", text.buf);
	if (d)
		lua_hooks_end(d);
	if (d && lua_dbg_take_cut(d, what)) {
		strbuf_clear(&text);
		strbuf_addf(&text, "interrupted in %s", what);
		complain_of("", text.buf);
	}
	strbuf_release(&text);
}

/* A scheduler that gives every ready warp its turn, and a warp that did not get it. */
static void note_starvation(const struct session *s)
{
	const struct starve *st = gpu_starved(sim_gpu(s->sim));
	struct strbuf text = STRBUF_INIT;
	char cycles[GROUPED_MAX], from[GROUPED_MAX], spells[GROUPED_MAX], limit[GROUPED_MAX];
	if (!st->spells)
		return;
	strbuf_addf(
	    &text,
	    "note: under %s a warp stayed ready but was passed over for %s cycles while its SM issued: SM %u warp %u, "
	    "from cycle %s on (%s time%s more than %s cycles; event warp-starved)",
	    gpu_conf(sim_gpu(s->sim))->warp_sched, grouped(st->longest.cycles, cycles), st->longest.sm, st->longest.warp,
	    grouped(st->longest.from, from), grouped(st->spells, spells), plural(st->spells),
	    grouped(STARVE_CYCLES, limit));
	complain_of("", text.buf);
	strbuf_release(&text);
}

/* What checks have found, on standard error. True: there are races, or reads of what nobody has written. */
static bool tell_findings(const struct session *s)
{
	struct gpu *g = sim_gpu(s->sim);
	struct strbuf text = STRBUF_INIT;
	u32 benign;
	if (!gpu_checks(g))
		return false;
	const u32 n = findings_count(g, &benign);
	strbuf_addf(&text, "checks: %u finding%s", n, plural(n));
	if (benign)
		strbuf_addf(&text, ", and %u benign pair%s of lines that write the same value", benign, plural(benign));
	strbuf_addc(&text, '\n');
	findings_text(g, &text);
	text.buf[--text.len] = 0;
	complain_of("", text.buf);
	strbuf_release(&text);
	return n != 0;
}

/* What must hold at the end of every run that came to its end. */
static bool laws_hold(struct session *s, enum session_stop why)
{
	struct err e = {0};
	if (why == SS_FINISHED)
		sim_drain(s->sim); /* the last write-backs: after the report, whose cycles are the kernels' */
	if (why != SS_FINISHED || sim_check(s->sim, &e))
		return true;
	fprintf(stderr, "warpdbg: internal: conservation law broken: %s\n", e.msg);
	return false;
}

/* --report FILE: its page, into the file that was opened before the run. */
static bool write_page(struct session *s, const char *stop, struct outfile *f, struct err *e)
{
	struct strbuf text = STRBUF_INIT;
	if (f)
		page_of_session(s, stop, &text);
	const bool ok = page_close("--report", f, &text, e);
	strbuf_release(&text);
	return ok;
}

static int run_session(struct session *s, struct outfile *page)
{
	struct err e = {0};
	u64 from = host_ns();
	running = s->sim;
	leaving_tell(stop);
	enum session_stop why = run_to_end(s, &e);
	running = NULL;
	leaving_heard();
	lua_interrupt_clear(); /* it was for the run, not for the scripts' reports of it */
	end_scripts(s);
	flush_output(s);
	if (why != SS_FINISHED && why != SS_INTERRUPT)
		programs_abandon(s);
	explain_stop(s, why, &e);
	bool script_ok = !script_failed(s);
	bool ran =
	    (why != SS_HOST_ERROR && why != SS_INTERRUPT) || sim_cycle(s->sim); /* else the message is all there is */
	struct strbuf findings = STRBUF_INIT;
	script_ok = (!ran || diagnose_run(s, &findings)) && script_ok;
	flush_output(s);
	if (ran)
		print_report(s, session_stop_word(why), host_ns() - from);
	if (findings.len)
		show_findings(s, &findings);
	note_starvation(s);
	const bool found = tell_findings(s);
	struct err out = {0};
	bool written = !ran || outputs_write_stats(s, session_stop_word(why), host_ns() - from, &out);
	if (ran)
		written = write_page(s, session_stop_word(why), page, &out) && written;
	else
		outfile_drop(page);
	flush_output(s);
	written = session_close_outputs(s, &out) && written;
	written = stdout_written(&out) && written;
	if (!written)
		complain(&out);
	int status = session_exit_status(s, why);
	if (!laws_hold(s, why))
		return EXIT_BROKEN;
	return status ? status : !written || !script_ok ? 2 : found ? 3 : 0;
}

int run_main(struct options *o)
{
	struct err e = {0};
	struct outfile *page;
	/* That the page cannot be written is better known before an hour of simulation. */
	struct session *s = page_open("--report", o->report, &page, &e) ? alone_open(o, console_modules, &e) : NULL;
	if (!s) {
		outfile_drop(page);
		complain(&e);
		return 2;
	}
	int status = run_session(s, page);
	session_close(s);
	return status;
}
