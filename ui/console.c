#include "console.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <readline/history.h>
#include <readline/readline.h>

#include "commands/commands.h"

#define SLICE (1u << 20) /* cycles between two looks at the output */
#define HISTORY_MAX 2000

static struct debugger *current; /* readline's callbacks have no context */

void console_print(struct strbuf *out)
{
	fwrite(strbuf_str(out), 1, out->len, stdout);
	fflush(stdout);
	strbuf_clear(out);
}

void console_drive(struct debugger *d)
{
	struct strbuf out = STRBUF_INIT;
	while (d->state == DBG_RUNNING) {
		debugger_run_slice(d, SLICE, &out);
		console_print(&out);
		fputs(strbuf_str(&d->errors), stderr);
		strbuf_clear(&d->errors);
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
		fprintf(stderr, "error: %s\n", e.msg);
		debugger_log(d, LOG_ERROR, "%s", e.msg);
		d->failed = true;
	}
	strbuf_release(&out);
	console_drive(d);
	return ok;
}

/* --- completion
 * -------------------------------------------------------------------------------------------------------- */

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

/* --- history, signals
 * ------------------------------------------------------------------------------------------------------ */

static bool history_path(char *path, size_t size)
{
	struct stat st;
	const char *home = getenv("HOME"), *state = getenv("XDG_STATE_HOME");
	char dir[2000];
	if (state && *state)
		snprintf(dir, sizeof(dir), "%s", state);
	else
		snprintf(dir, sizeof(dir), "%s/.local/state", home ? home : "");
	if (!home && !(state && *state))
		return false;
	if (!stat(dir, &st) && S_ISDIR(st.st_mode))
		snprintf(path, size, "%s/warpdbg_history", dir);
	else
		snprintf(path, size, "%s/.warpdbg_history", home ? home : dir);
	return true;
}

/* Ctrl-C at the prompt: the line is dropped, the prompt comes again. */
static int drop_line(void)
{
	if (!current->interrupt)
		return 0;
	current->interrupt = false;
	rl_free_line_state();
	rl_callback_sigcleanup();
	fputs("^C\n", rl_outstream);
	rl_replace_line("", 0);
	rl_on_new_line();
	rl_forced_update_display();
	return 0;
}

static void set_up(void)
{
	char path[2100];
	rl_readline_name = "warpdbg";
	rl_attempted_completion_function = complete;
	rl_completion_word_break_hook = word_breaks;
	rl_completer_quote_characters = "";
	rl_signal_event_hook = drop_line;
	using_history();
	stifle_history(HISTORY_MAX);
	if (history_path(path, sizeof(path)))
		read_history(path);
}

static void remember(const char *line)
{
	HIST_ENTRY *last = history_length ? history_get(history_base + history_length - 1) : NULL;
	if (*skip_blanks(line) && !(last && !strcmp(last->line, line)))
		add_history(line);
}

void console_main(struct debugger *d)
{
	char path[2100];
	current = d;
	set_up();
	while (d->state != DBG_QUIT) {
		char *line = readline(debugger_prompt(d));
		if (!line) {
			putchar('\n');
			break;
		}
		remember(line);
		console_execute(d, line);
		free(line);
	}
	if (history_path(path, sizeof(path)))
		write_history(path);
	debugger_free_matches(candidates);
	candidates = NULL;
}
