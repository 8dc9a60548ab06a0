#include "cli/compare_main.h"

#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/leaving.h"
#include "base/outfile.h"
#include "base/plain.h"
#include "commands/commands.h"
#include "commands/report/page.h"
#include "lua/lua.h"
#include "session/lockstep.h"
#include "session/outputs.h"
#include "session/progress.h"

#define EXIT_BROKEN 70 /* a conservation law does not hold: a bug of the simulator, not of the input */

/* --- Ctrl-C and other wishes to stop --- */

static struct compare *running; /* for the signal handler */

static void stop(void)
{
	lua_interrupt();
	if (running) /* else the report is being written */
		compare_interrupt(running);
}

static void draw_progress(struct compare *c)
{
	static u64 drawn;
	u64 now = host_ns();
	struct session *a = compare_session(c, 0), *b = compare_session(c, 1);
	if (!isatty(STDERR_FILENO) || now - drawn < 100000000ull)
		return;
	drawn = now;
	fprintf(stderr, "\r\033[K%s  A cycle %llu  B cycle %llu", a->name, (unsigned long long)sim_cycle(a->sim),
	        (unsigned long long)sim_cycle(b->sim));
	fflush(stderr);
}

/* --- results --- */

/* What host programs and kernels have printed: once when both said the same. */
static void print_output(struct compare *c, FILE *to)
{
	struct strbuf *a = &compare_session(c, 0)->output, *b = &compare_session(c, 1)->output;
	bool same = a->len == b->len && !memcmp(strbuf_str(a), strbuf_str(b), a->len);
	if (!same && a->len)
		fputs("--- printed by A\n", to);
	plain_write(a, to);
	if (!same && b->len) {
		fputs("--- printed by B\n", to);
		plain_write(b, to);
	}
	if (!same)
		fputs("---\n", to);
	fflush(to);
}

static void explain_stops(struct compare *c, const struct options *o)
{
	for (u32 i = 0; i < 2; i++) {
		struct session *s = compare_session(c, i);
		struct strbuf text = STRBUF_INIT;
		const struct err *e;
		enum session_stop why = compare_stopped(c, i, &e);
		if (why != SS_INTERRUPT)
			session_stop_reason(s, why, e, &text);
		if (text.len)
			complain_of(i ? "B: " : "A: ", text.buf);
		if (outputs_claim_stdout(o) && s->check == CHECK_FAIL)
			complain_of(i ? "B: check failed: " : "A: check failed: ", strbuf_str(&s->check_message));
		strbuf_release(&text);
	}
	if (compare_interrupted(c))
		fputs("warpdbg: interrupted\n", stderr);
}

/* What must hold at the end of every run that came to its end. After the report: the last write-backs are no kernel's.
 */
static bool laws_hold(struct compare *c)
{
	bool ok = true;
	for (u32 i = 0; i < 2; i++) {
		struct sim *sim = compare_session(c, i)->sim;
		struct err e = {0};
		const struct err *none;
		if (compare_stopped(c, i, &none) != SS_FINISHED)
			continue;
		sim_drain(sim);
		if (sim_check(sim, &e))
			continue;
		fprintf(stderr, "warpdbg: internal: %c: conservation law broken: %s\n", i ? 'B' : 'A', e.msg);
		ok = false;
	}
	return ok;
}

static bool report(struct compare *c, const struct options *o, struct outfile *stats, struct err *e)
{
	bool color = plain_colors(o->no_color, STDOUT_FILENO);
	bool ascii = o->ascii || strcmp(nl_langinfo(CODESET), "UTF-8"), ok = true;
	struct strbuf text = STRBUF_INIT;
	print_output(c, outputs_claim_stdout(o) ? stderr : stdout);
	for (u32 i = 0; i < 2; i++) {
		struct strbuf *message = &compare_session(c, i)->check_message;
		plain_defuse(message->buf, message->len, STDOUT_FILENO);
	}
	compare_report(c, stats ? "text" : outputs_format(o), color, ascii, &text);
	fwrite(strbuf_str(&text), 1, text.len, stdout);
	if (stats) {
		struct err why = {0};
		strbuf_clear(&text);
		compare_report(c, outputs_format(o), false, ascii, &text);
		ok = outfile_put(stats, strbuf_str(&text), text.len, &why);
		if (ok)
			ok = outfile_commit(stats, &why);
		else
			outfile_drop(stats);
		if (!ok)
			err_set(e, "--stats: %s", why.msg);
	}
	strbuf_release(&text);
	return ok;
}

/* --report FILE: the page. */
static bool write_page(struct compare *c, struct outfile *f, struct err *e)
{
	struct strbuf text = STRBUF_INIT;
	if (f)
		page_of_comparison(c, &text);
	const bool ok = page_close("--report", f, &text, e);
	strbuf_release(&text);
	return ok;
}

/* That a file cannot be written is better known before an hour of simulation. */
static bool open_files(const struct options *o, struct outfile **stats, struct outfile **page, struct err *e)
{
	struct err why = {0};
	*stats = *page = NULL;
	if (o->stats && strcmp(o->stats, "-") && !(*stats = outfile_open(o->stats, "--stats", &why)))
		return err_set(e, "--stats: %s", why.msg);
	return page_open("--report", o->report, page, e);
}

int compare_main(const struct options *o)
{
	struct err e = {0};
	struct outfile *stats, *page;
	struct compare *c = open_files(o, &stats, &page, &e) ? compare_open(o, console_modules, &e) : NULL;
	if (!c) {
		outfile_drop(stats);
		outfile_drop(page);
		complain(&e);
		return 2;
	}
	running = c;
	leaving_tell(stop);
	compare_run(c, draw_progress);
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	running = NULL;
	leaving_heard();
	explain_stops(c, o);
	if (compare_broken(c)) {
		outfile_drop(stats);
		outfile_drop(page);
		compare_close(c);
		return 2;
	}
	bool written = report(c, o, stats, &e);
	written = write_page(c, page, &e) && written;
	written = stdout_written(&e) && written;
	if (!written)
		complain(&e);
	int status = compare_status(c);
	if (!laws_hold(c))
		status = EXIT_BROKEN;
	compare_close(c);
	return status ? status : written ? 0 : 2;
}
