/* The `debug` command: sets the debugger up, chooses its front end, and says how it ended. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/debug_main.h"
#include "commands/commands.h"
#include "terminal/console.h"
#include "base/leaving.h"
#include "base/line_reader.h"
#include "script/dbg.h"
#include "base/complain.h"
#include "views/offscreen.h"
#include "terminal/screen.h"

static struct debugger *interrupted; /* whom Ctrl-C is for */

static void interrupt(void)
{
	if (interrupted)
		debugger_interrupt(interrupted);
}

static bool screen_wanted(const struct options *o)
{
	return !o->batch && screen_possible();
}

/* With --batch Ctrl-C is a wish to leave, as in `run`. Else it is the prompt's, for good: one that comes while the
 * debugger leaves must not cost the files it completes, nor the exit status. */
static void catch_signals(struct debugger *d)
{
	interrupted = d;
	leaving_tell(interrupt);
	if (!d->s->opt->batch)
		leaving_not_by_interrupt(interrupt);
}

/* A command file that others could have put there is not executed. */
static bool own_file(const char *path)
{
	struct stat st;
	return !stat(path, &st) && S_ISREG(st.st_mode) && st.st_uid == getuid();
}

static void queue_rc_files(struct debugger *d)
{
	char home[2000], line[2100];
	struct stat a, b;
	const char *dir = getenv("HOME");
	snprintf(home, sizeof(home), "%s/.warpdbgrc", dir ? dir : "");
	bool in_home = dir && own_file(home);
	bool here = own_file(".warpdbgrc");
	if (in_home && here && !stat(home, &a) && !stat(".warpdbgrc", &b) && a.st_ino == b.st_ino && a.st_dev == b.st_dev)
		here = false;
	d->queue.starting = true;
	if (here)
		debugger_queue_text(d, "source .warpdbgrc", "start", LINE_ALONE);
	snprintf(line, sizeof(line), "source %s", home);
	if (in_home)
		debugger_queue_text(d, line, "start", LINE_ALONE);
	d->queue.starting = false;
}

/* The lesson, then -ex and -x in order; the queue's front is filled from the last. */
static void queue_options(struct debugger *d)
{
	const struct options *o = d->s->opt;
	d->queue.starting = true;
	for (u32 i = o->ncommands; i-- > 0;) {
		struct strbuf line = STRBUF_INIT;
		const char *c = o->commands[i];
		if (*c == '@')
			strbuf_addf(&line, "source %s", c + 1);
		else
			strbuf_adds(&line, c);
		debugger_queue_text(d, strbuf_str(&line), *c == '@' ? "-x" : "-ex", LINE_ALONE);
		strbuf_release(&line);
	}
	if (o->lesson) { /* on the machine that is open */
		struct strbuf line = STRBUF_INIT;
		strbuf_addf(&line, "lesson %s", o->lesson);
		d->shell->lesson_is_open = true;
		debugger_queue_text(d, strbuf_str(&line), "learn", LINE_ALONE);
		strbuf_release(&line);
	}
	d->queue.starting = false;
}

static void run_queue(struct debugger *d)
{
	if (d->queue.n && d->run.state != DBG_QUIT)
		d->run.state = DBG_RUNNING;
	console_drive(d);
}

/* Commands from standard input, one by one, so that a program at the other end of the pipe gets its answers. */
static void read_commands(struct debugger *d)
{
	struct line_reader in = {.fd = STDIN_FILENO};
	while (d->run.state != DBG_QUIT && !leaving_by()) {
		const char *line = line_read(&in);
		if (!line && in.ended)
			break;
		if (!line) { /* Ctrl-C while it waits for one */
			debugger_clear_interrupt(d);
			debugger_drop_collect(d);
			continue;
		}
		console_execute(d, line);
		if (d->report.failed && !d->report.keep_going)
			break;
	}
	line_reader_release(&in);
}

static void batch_main(struct debugger *d)
{
	bool from_options = d->s->opt->ncommands > 0;
	d->report.keep_going = d->s->opt->keep_going;
	if ((from_options || d->s->opt->lesson) && !d->report.failed)
		run_queue(d);
	if (!from_options && (!d->report.failed || d->report.keep_going))
		read_commands(d);
	if (d->shell->collect.kind != COLLECT_NONE && !leaving_by()) {
		fprintf(stderr, "error: the commands end within a `%s` that is not closed\n",
		        d->shell->collect.kind == COLLECT_LUA ? "lua" : "commands");
		d->report.failed = true;
	}
}

static int status_of(const struct debugger *d)
{
	if (d->report.failed && d->s->opt->batch)
		return 2;
	if (!d->s->opt->batch && d->run.last == SS_INTERRUPT) /* stopped by hand, looked round, left */
		return 0;
	return d->run.ran ? session_exit_status(d->s, d->run.last) : 0;
}

static bool start(struct debugger *d)
{
	struct strbuf out = STRBUF_INIT;
	struct err e = {0};
	bool ok = debugger_start(d, &out, &e);
	console_print(&out);
	if (!ok) {
		complain(&e);
		d->report.failed = true;
	}
	strbuf_release(&out);
	return ok;
}

/* The machine of --compare. */
static bool open_rival(struct debugger *d)
{
	const struct options *o = d->s->opt;
	struct strbuf out = STRBUF_INIT;
	struct err e = {0};
	u32 by = 0;
	while (o->by && strcmp(lockstep_names[by], o->by))
		by++;
	bool ok = !o->compare || rival_open(d, o->compare, (enum lockstep_by)by, &out, &e);
	if (ok)
		console_print(&out);
	else
		complain_of("--", e.msg);
	strbuf_release(&out);
	return ok;
}

static int interactive(struct debugger *d)
{
	bool terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	queue_rc_files(d);
	if (screen_wanted(d->s->opt)) {
		if (d->queue.n)
			d->run.state = DBG_RUNNING;
		return screen_main(d);
	}
	run_queue(d);
	if (terminal) {
		console_main(d);
	} else {
		d->report.keep_going = true;
		read_commands(d);
	}
	return status_of(d);
}

int debugger_main(struct session *s)
{
	struct debugger *d = lua_dbg_adopted(s);
	int status;
	if (!d)
		d = debugger_new(s, &console_words);
	catch_signals(d);
	s->app_slices = !s->opt->batch;
	bool started = start(d);
	if (started && !open_rival(d)) {
		interrupted = NULL;
		debugger_free(d);
		return 2;
	}
	if (!screen_wanted(s->opt))
		offscreen_open(d); /* so that pictures have all that views add up while the machine runs */
	queue_options(d);
	d->report.split_errors = !screen_wanted(s->opt);
	if (s->opt->batch) {
		if (started || s->opt->keep_going)
			batch_main(d);
		status = status_of(d);
	} else {
		status = interactive(d);
	}
	leaving_heard();
	interrupted = NULL;
	struct err e = {0};
	bool recorded = record_end(d, &e);
	if (!recorded)
		complain(&e);
	debugger_free(d);
	return status || recorded ? status : 2;
}
