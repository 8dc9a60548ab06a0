#include "cli/analyze/analyze.h"

#include <stdio.h>
#include <string.h>

#include "base/complain.h"
#include "base/leaving.h"
#include "base/outfile.h"
#include "base/plain.h"
#include "commands/commands.h"
#include "lua/lua.h"

static struct sim *running; /* for the signal handler */

static void stop(void)
{
	lua_interrupt();
	if (running)
		sim_interrupt(running);
}

/* What the program prints is not the answer. */
static void pass_on(struct session *s)
{
	plain_write(&s->output, stderr);
	strbuf_clear(&s->output);
}

static enum session_stop run(struct session *s, struct err *e)
{
	enum session_stop why;
	running = s->sim;
	leaving_tell(stop);
	do {
		why = session_run(s, s->opt->max_cycles, e);
		pass_on(s);
	} while (why == SS_CYCLE && sim_cycle(s->sim) < s->opt->max_cycles);
	running = NULL;
	leaving_heard();
	return session_last_stop(why, leaving_by(), e);
}

/* The table, or the object on standard output or in a file (--stats: the table, too). */
static bool report(struct session *s, const char *why, struct outfile **file, struct err *e)
{
	const struct options *o = s->opt;
	const char *name = o->workload ? o->workload : s->name;
	bool json = o->format && !strcmp(o->format, "json") && !*file, ok = true;
	struct strbuf text = STRBUF_INIT;
	if (*file) {
		dependencies_json(s->dependencies, name, why, &text);
		ok = outfile_put(*file, strbuf_str(&text), text.len, e) && outfile_commit(*file, e);
		*file = NULL;
		strbuf_clear(&text);
	}
	if (json)
		dependencies_json(s->dependencies, name, why, &text);
	else
		dependencies_text(s->dependencies, name, &text);
	plain_write(&text, stdout);
	strbuf_release(&text);
	return ok;
}

static int dependencies(struct session *s, struct outfile **file)
{
	struct err e = {0}, out = {0};
	struct strbuf text = STRBUF_INIT;
	s->dependencies = dependencies_watch(sim_front(s->sim), sim_devmem(s->sim)->bytes, DEP_WRITERS_MB, DEP_SEEN_MB);
	enum session_stop why = run(s, &e);
	session_stop_reason(s, why, &e, &text);
	if (text.len)
		complain_of("", strbuf_str(&text));
	strbuf_release(&text);
	bool written = report(s, session_stop_word(why), file, &out);
	if (!written)
		complain(&out);
	dependencies_free(s->dependencies);
	s->dependencies = NULL;
	int status = session_exit_status(s, why);
	return status || written ? status : 2;
}

static int analyze(struct options *o, struct outfile **file, struct err *e)
{
	if (strcmp(o->analysis, "dependencies")) {
		err_set(e, "warpdbg analyze: no analysis '%s'; there is: dependencies", o->analysis);
		return 2;
	}
	if (o->stats && !(*file = outfile_open(o->stats, "--stats", e)))
		return 2;
	o->stats = NULL; /* a session's are a run's */
	struct session *s = session_open(o, console_modules, e);
	if (!s)
		return 2;
	int status = dependencies(s, file);
	session_close(s);
	return status;
}

int analyze_main(struct options *o)
{
	struct err e = {0};
	struct outfile *file = NULL;
	int status = analyze(o, &file, &e);
	outfile_drop(file);
	if (e.set)
		complain(&e);
	return status;
}
