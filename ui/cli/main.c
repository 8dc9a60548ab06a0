/* warpdbg: reads the command line and hands over to a command. */
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands/commands.h"
#include "base/outfile.h"
#include "session/alone.h"
#include "session/cmdline.h"
#include "cli/analyze/analyze.h"
#include "cli/compare_main.h"
#include "cli/correlate/correlate.h"
#include "cli/debug_main.h"
#include "session/explain.h"
#include "base/leaving.h"
#include "cli/learn_main.h"
#include "cli/list.h"
#include "cli/manual/manual.h"
#include "session/outputs.h"
#include "session/saved.h"
#include "cli/papers/paper.h"
#include "base/plain.h"
#include "base/complain.h"
#include "cli/run_main.h"

#ifndef WARPDBG_VERSION
#define WARPDBG_VERSION "0.1"
#endif

static int help(void)
{
	struct strbuf text = STRBUF_INIT;
	cmdline_help(&text);
	fputs(strbuf_str(&text), stdout);
	strbuf_release(&text);
	return 0;
}

/* A name may be several words: `explain tail effect` needs no quotes. */
static bool explain_words(const struct options *o, bool json, struct strbuf *text, struct err *e)
{
	struct strbuf name = STRBUF_INIT;
	strbuf_addf(&name, "%s", o->workload);
	for (u32 i = 0; i < o->nfigures; i++)
		strbuf_addf(&name, " %s", o->figures[i]);
	bool ok = explain_name(name.buf, json, text, e);
	strbuf_release(&name);
	return ok;
}

static int look_up(const struct options *o)
{
	struct strbuf text = STRBUF_INIT;
	struct err e = {0};
	bool json = o->format && !strcmp(o->format, "json");
	bool ok = !strcmp(o->command, "list")   ? list_things(o, &text, &e)
	          : !strcmp(o->command, "help") ? manual_help(o, WARPDBG_VERSION, &text, &e)
	                                        : explain_words(o, json, &text, &e);
	if (ok)
		plain_write(&text, stdout);
	else
		complain(&e);
	strbuf_release(&text);
	return ok ? 0 : 2;
}

static int debug(struct options *o)
{
	struct err e = {0};
	struct session *s = alone_open(o, console_modules, &e);
	if (!s) {
		complain(&e);
		return 2;
	}
	int status = debugger_main(s);
	bool ok = outputs_write_stats(s, s->finished ? "finished" : "left", 0, &e);
	ok = session_close_outputs(s, &e) && ok;
	if (!ok)
		complain(&e);
	session_close(s);
	return status ? status : ok ? 0 : 2;
}

static int dispatch(struct options *o, int argc)
{
	if (!strcmp(o->command, "list") || !strcmp(o->command, "explain") || !strcmp(o->command, "help"))
		return look_up(o);
	if (!strcmp(o->command, "learn"))
		return learn_main(o, debug);
	if (!strcmp(o->command, "compare"))
		return compare_main(o);
	if (!strcmp(o->command, "paper"))
		return paper_main(o);
	if (!strcmp(o->command, "correlate"))
		return correlate_main(o);
	if (!strcmp(o->command, "analyze"))
		return analyze_main(o);
	/* The bare program is a demonstration: without a terminal it runs to the end instead of waiting for commands. */
	if (argc == 1 && !(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)))
		o->command = "run";
	return strcmp(o->command, "run") ? debug(o) : run_main(o);
}

/* A closed standard descriptor would be given to the next file opened, the machine's memory for one, and be read as
 * commands or written over with messages. */
static void keep_standard_descriptors(void)
{
	int fd;
	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	struct options o;
	struct err e = {0};
	int status = 2;
	leaving_begin();
	keep_standard_descriptors();
	file_is_read("/dev/stdin", NULL);
	setlocale(LC_CTYPE, ""); /* not LC_NUMERIC: numbers always have a point */
	o = (struct options){0};
	const enum cmdline_result words =
	    saved_expand(&argc, &argv, &e) ? cmdline_parse(&o, argc, argv, &e) : CMDLINE_ERROR;
	switch (words) {
	case CMDLINE_OK: status = dispatch(&o, argc); break;
	case CMDLINE_HELP: status = help(); break;
	case CMDLINE_VERSION: status = printf("warpdbg %s\n", WARPDBG_VERSION) < 0 ? 2 : 0; break;
	case CMDLINE_ERROR: complain(&e); break;
	}
	cmdline_free(&o);
	if (!stdout_written(&e) && !status) { /* a full disk, a closed descriptor: the answer is not complete */
		complain(&e);
		status = 2;
	}
	return leaving_end(status);
}
