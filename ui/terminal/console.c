#include "terminal/console.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <readline/readline.h>

#include "base/command_history.h"
#include "commands/commands.h"
#include "dbg/whatif.h"
#include "base/leaving.h"
#include "base/pager.h"
#include "base/plain.h"

#define SLICE (1u << 20) /* cycles between two looks at the output */

static struct debugger *current; /* readline's callbacks have no context */

static void print_errors(struct strbuf *errors)
{
	plain_write(errors, stderr);
	strbuf_clear(errors);
}

void console_print(struct strbuf *out)
{
	plain_defuse(out->buf, out->len, STDOUT_FILENO);
	pager_print(out);
	strbuf_clear(out);
}

/* How far `whatif` is, on a terminal: a line that is taken away when it is over. */
static void show_progress(const struct debugger *d, bool *shown)
{
	struct strbuf text = STRBUF_INIT;
	if (whatif_running(d) && isatty(STDERR_FILENO)) {
		whatif_progress(d->whatif, &text);
		fprintf(stderr, "\r\033[K%.79s", strbuf_str(&text));
		*shown = true;
	} else if (*shown) {
		fputs("\r\033[K", stderr);
		*shown = false;
	}
	fflush(stderr);
	strbuf_release(&text);
}

void console_drive(struct debugger *d)
{
	struct strbuf out = STRBUF_INIT;
	bool shown = false;
	while (d->run.state == DBG_RUNNING) {
		debugger_run_slice(d, SLICE, &out);
		show_progress(d, &shown);
		console_print(&out);
		print_errors(&d->report.errors);
	}
	strbuf_release(&out);
}

bool console_execute(struct debugger *d, const char *line)
{
	struct strbuf out = STRBUF_INIT;
	struct err e = {0};
	bool ok = debugger_execute(d, line, &out, &e);
	console_print(&out);
	if (!ok) {
		strbuf_addf(&d->report.errors, "error: %s\n", e.msg);
		print_errors(&d->report.errors);
		debugger_log(d, LOG_ERROR, "%s", e.msg);
		d->report.failed = true;
	}
	strbuf_release(&out);
	console_drive(d);
	return ok;
}

/* --- completion --- */

static char **candidates;
static u32 next_candidate;

static char *give_candidate(const char *text, int state)
{
	if (!state)
		next_candidate = 0;
	return candidates && candidates[next_candidate] ? xstrdup(candidates[next_candidate++]) : NULL;
}

/* Readline splits words its own way: our word may begin earlier or later, so what is offered is cut or extended to its
 * word. */
static char **complete(const char *text, int start, int end)
{
	u32 begin = 0;
	debugger_free_matches(candidates);
	candidates = debugger_complete(current, rl_line_buffer, (u32)end, &begin);
	rl_attempted_completion_over = 1;
	if (!candidates || (int)begin != start)
		return NULL;
	size_t n = strlen(candidates[0]);
	bool open = n && strchr(".[=:/", candidates[0][n - 1]);
	rl_completion_append_character = open && !candidates[1] ? '\0' : ' ';
	return rl_completion_matches(text, give_candidate);
}

/* Where the word being completed begins is the debugger's to say. */
static char *word_breaks(void)
{
	u32 begin = 0;
	static char breaks[8];
	char **list = debugger_complete(current, rl_line_buffer, (u32)rl_point, &begin);
	debugger_free_matches(list);
	breaks[0] = 0;
	if (begin > 0 && rl_line_buffer[begin - 1])
		snprintf(breaks, sizeof(breaks), "%c", rl_line_buffer[begin - 1]);
	return breaks;
}

/* --- history, signals --- */

/* Ctrl-C at the prompt: the line is dropped, the prompt comes again. */
static int drop_line(void)
{
	if (leaving_by()) {
		rl_done = 1;
		return 0;
	}
	if (!current->run.interrupt)
		return 0;
	debugger_clear_interrupt(current);
	debugger_drop_collect(current);
	rl_free_line_state();
	rl_callback_sigcleanup();
	fputc('\n', rl_outstream); /* readline has shown the ^C */
	rl_set_prompt(debugger_prompt(current));
	rl_replace_line("", 0);
	rl_on_new_line();
	if (RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH)) { /* nothing else ends a search in the history */
		RL_UNSETSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH);
		rl_abort(0, 0);
	}
	rl_forced_update_display();
	return 0;
}

static void set_up(void)
{
	rl_readline_name = "warpdbg";
	rl_attempted_completion_function = complete;
	rl_completion_word_break_hook = word_breaks;
	rl_completer_quote_characters = "";
	rl_signal_event_hook = drop_line;
	command_history_load();
}

void console_main(struct debugger *d)
{
	current = d;
	set_up();
	while (d->run.state != DBG_QUIT && !leaving_by()) {
		char *line = readline(debugger_prompt(d));
		if (!line || leaving_by()) {
			free(line);
			putchar('\n');
			break;
		}
		command_history_add(line);
		d->report.columns = pager_columns();
		pager_begin(d->shell->paging == PAGING_OFF);
		console_execute(d, line);
		free(line);
	}
	command_history_save();
	debugger_free_matches(candidates);
	candidates = NULL;
}
