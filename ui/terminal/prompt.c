#include "terminal/prompt.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include <readline/readline.h>

#include "base/command_history.h"
#include "commands/commands.h"
#include "scr/term.h"

#define QUEUE_MAX 64

static struct {
	struct debugger *d;
	void (*list)(void *ctx, char *const *candidates, int n);
	void *ctx;
	u8 queue[QUEUE_MAX]; /* bytes of the key being handed over */
	u32 first, n;
	char *line; /* entered, not yet taken */
	FILE *sink; /* readline's own output (bells) goes nowhere */
	bool installed;
	bool ended; /* Ctrl-D has been pressed on an empty line */
} prompt;

/* --- what readline calls --- */
static int next_byte(FILE *unused)
{
	if (prompt.first < prompt.n)
		return prompt.queue[prompt.first++];
	return EOF;
}

static int bytes_queued(void)
{
	return prompt.first < prompt.n;
}

static void nothing(void) {}
static void no_prep(int meta) {}

static void on_line(char *line)
{
	free(prompt.line);
	prompt.line = line;
	if (line)
		command_history_add(line);
	prompt.ended |= !line; /* Ctrl-D on an empty line, which readline clears itself */
}

static char **complete(const char *text, int start, int end)
{
	u32 word = 0;
	rl_attempted_completion_over = 1; /* never file names of readline's own */
	char **found = debugger_complete(prompt.d, rl_line_buffer, (u32)end, &word);
	if (!found)
		return NULL;
	u32 n = 0;
	while (found[n])
		n++;
	/* Readline replaces [start, end); the debugger's word may begin elsewhere: candidates are cut or extended to match.
	 */
	char **out = xcalloc(n + 2, sizeof *out);
	for (u32 i = 0; i < n; i++) {
		struct strbuf sb = STRBUF_INIT;
		if ((int)word < start && strlen(found[i]) >= (size_t)start - word) {
			strbuf_adds(&sb, found[i] + (start - (int)word));
		} else {
			if ((int)word > start)
				strbuf_add(&sb, rl_line_buffer + start, word - (u32)start);
			strbuf_adds(&sb, found[i]);
		}
		out[i + 1] = xstrdup(strbuf_str(&sb));
		strbuf_release(&sb);
	}
	debugger_free_matches(found);
	if (n == 1) { /* readline's convention: [0] is what all have in common, alone when there is one */
		out[0] = out[1];
		out[1] = NULL;
		return out;
	}
	size_t common = strlen(out[1]);
	for (u32 i = 2; i <= n; i++) {
		size_t k = 0;
		while (k < common && out[i][k] == out[1][k])
			k++;
		common = k;
	}
	out[0] = xstrndup(out[1], common);
	return out;
}

static void show_matches(char **matches, int n, int longest)
{
	prompt.list(prompt.ctx, matches + 1, n);
}

/* --- life --- */
static void install(void)
{
	rl_callback_handler_install(debugger_prompt(prompt.d), on_line);
	prompt.installed = true;
}

void prompt_open(struct debugger *d, void (*list)(void *ctx, char *const *candidates, int n), void *ctx)
{
	prompt.d = d;
	prompt.list = list;
	prompt.ctx = ctx;
	prompt.sink = fopen("/dev/null", "w");
	rl_readline_name = "warpdbg";
	rl_outstream = prompt.sink ? prompt.sink : stdout;
	rl_catch_signals = 0;
	rl_catch_sigwinch = 0;
	rl_change_environment = 0;
	rl_getc_function = next_byte;
	rl_input_available_hook = bytes_queued;
	rl_redisplay_function = nothing;
	rl_prep_term_function = no_prep;
	rl_deprep_term_function = nothing;
	rl_attempted_completion_function = complete;
	rl_completion_display_matches_hook = show_matches;
	rl_completer_word_break_characters = " \t\n=(),";
	rl_bind_key('\t', rl_complete);
	rl_variable_bind("show-all-if-ambiguous", "on");
	rl_variable_bind("enable-bracketed-paste", "off");
	rl_variable_bind("bell-style", "none");
	rl_variable_bind("isearch-terminators", "\034"); /* see end_search */
	command_history_load();
	install();
}

void prompt_close(void)
{
	command_history_save();
	if (prompt.installed)
		rl_callback_handler_remove();
	prompt.installed = false;
	free(prompt.line);
	prompt.line = NULL;
	rl_outstream = stdout;
	rl_getc_function = rl_getc;
	rl_input_available_hook = NULL;
	rl_redisplay_function = rl_redisplay;
	rl_prep_term_function = rl_prep_terminal;
	rl_deprep_term_function = rl_deprep_terminal;
	rl_completion_display_matches_hook = NULL;
	if (prompt.sink)
		fclose(prompt.sink);
	prompt.sink = NULL;
}

/* --- keys --- */
/* What readline knows the key by; "" for none that it knows. */
static const char *key_bytes(int key)
{
	switch (key) {
	case K_UP: return "\033[A";
	case K_DOWN: return "\033[B";
	case K_RIGHT: return "\033[C";
	case K_LEFT: return "\033[D";
	case K_HOME: return "\001"; /* beginning and end of line, whatever the terminal's own sequences are bound to */
	case K_END: return "\005";
	case K_DEL: return "\033[3~";
	default: return "";
	}
}

static void hand_over(const char *bytes)
{
	prompt.n = (u32)MIN(strlen(bytes), (size_t)QUEUE_MAX);
	prompt.first = 0;
	memcpy(prompt.queue, bytes, prompt.n);
	rl_set_prompt(debugger_prompt(prompt.d));
	while (prompt.first < prompt.n)
		rl_callback_read_char();
}

/* States in which readline waits for the rest of a key sequence. */
#define IN_SEQUENCE                                                                                                    \
	(RL_STATE_MULTIKEY | RL_STATE_METANEXT | RL_STATE_NUMERICARG | RL_STATE_VIMOTION | RL_STATE_CHARSEARCH)

/* Ends a key sequence with Ctrl-\, which is bound to nothing in it. Not with Ctrl-G: readline (8.2) jumps out of the
 * sequence, keeps its context, and follows a null pointer at one of the next keys. */
static void end_sequence(void)
{
	for (int i = 0; i < 8 && RL_ISSTATE(IN_SEQUENCE); i++)
		hand_over("\034");
}

/* Does the key belong to a search in the history? Letters, Backspace, on, back and away. */
static bool searches(int key)
{
	return (key >= ' ' && key < 256) || key == 8 || key == CTRL_KEY('r') || key == CTRL_KEY('s') ||
	       key == CTRL_KEY('g');
}

/* Any other key first ends the search, at what it found: readline would push the key back to itself, and what waits in
 * its buffer then crashes it (a sequence of escape keys after Ctrl-R). */
static void end_search(void)
{
	if (RL_ISSTATE(RL_STATE_ISEARCH))
		hand_over("\034"); /* its terminator, see prompt_open */
	if (RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH))
		hand_over("\007");
}

/* Readline only gets whole characters: on half of one, or a byte that is none, its vi commands go round for ever (8.2).
 * False: the key is not complete yet, or was nothing. */
static bool whole_character(int key, char out[MB_LEN_MAX + 1])
{
	static char part[MB_LEN_MAX];
	static u32 n;
	mbstate_t fresh = {0};
	if (key < 128 || key > 255) {
		n = 0;
		out[0] = (char)key;
		out[1] = '\0';
		return key > 0 && key < 128;
	}
	part[n++] = (char)key;
	const size_t len = mbrlen(part, n, &fresh);
	if (len == (size_t)-2 && n < MB_CUR_MAX)
		return false;
	const bool whole = len == n;
	memcpy(out, part, n);
	out[n] = '\0';
	n = 0;
	return whole;
}

void prompt_key(int key)
{
	char character[MB_LEN_MAX + 1];
	if (key == CTRL_KEY('g') && RL_ISSTATE(IN_SEQUENCE)) {
		end_sequence();
		return;
	}
	if (RL_ISSTATE(RL_STATE_ISEARCH) && !searches(key))
		end_search();
	if (RL_ISSTATE(RL_STATE_NSEARCH) && !searches(key) && key != '\r' && key != '\n')
		end_search();
	hand_over(whole_character(key, character) ? character : key_bytes(key));
}

void prompt_text(const char *text)
{
	end_sequence();
	end_search();
	if (prompt_is_vi() && rl_get_keymap() == rl_get_keymap_by_name("vi-move"))
		rl_vi_insertion_mode(1, 0);
	rl_set_prompt(debugger_prompt(prompt.d));
	rl_insert_text(text);
}

char *prompt_take(void)
{
	char *line = prompt.line;
	prompt.line = NULL;
	return line;
}

bool prompt_ended(void)
{
	const bool ended = prompt.ended;
	prompt.ended = false;
	return ended;
}

bool prompt_is_vi(void)
{
	return rl_editing_mode == 0;
}

bool prompt_idle(void)
{
	if (prompt_is_vi() && rl_get_keymap() == rl_get_keymap_by_name("vi-move"))
		return false; /* letters are commands: `k` brings the last line back */
	return rl_end == 0 && !RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH | IN_SEQUENCE);
}

void prompt_reset(void)
{
	end_sequence();
	end_search();
	rl_replace_line("", 0);
	rl_point = 0;
	if (prompt_is_vi()) /* a new line begins with typing */
		rl_vi_insertion_mode(1, 0);
}

/* --- drawing --- */
/* Goes back from byte `at` by at most `columns` characters; how many there were in *n. */
static int back_by(const char *s, int at, int columns, int *n)
{
	for (*n = 0; at > 0 && *n < columns; (*n)++)
		for (at--; at > 0 && (s[at] & 0xc0) == 0x80;)
			at--;
	return at;
}

/* Only what is shown is looked at: a line may have a million characters. */
int prompt_draw(struct pane p, int y, struct style ps, struct style text)
{
	const bool own = rl_display_prompt && rl_display_prompt != rl_prompt; /* readline asks something itself */
	const char *head = own ? rl_display_prompt : debugger_prompt(prompt.d);
	const char *line = rl_line_buffer ? rl_line_buffer : "";
	int x = pane_text(p, y, 0, ps, head), before;
	int room = MAX(p.w - x - 1, 1), from = back_by(line, rl_point, room, &before);
	pane_textn(pane_sub(p, y, x, 1, p.w - x), 0, 0, text, line + from, strnlen(line + from, 4 * (size_t)(room + 1)));
	return MIN(x + before, p.w - 1);
}
