/* commands: the table of console commands, and what the functions of commands share. */
#ifndef UI_COMMANDS_COMMANDS_H
#define UI_COMMANDS_COMMANDS_H
#include "base/args.h"
#include "commands/shell.h"
#include "dbg/breaks.h"
#include "dbg/debugger.h"
#include "dbg/divergence.h"
#include "dbg/files.h"
#include "dbg/goal.h"
#include "dbg/slices.h"
#include "dbg/lua_side.h"
#include "dbg/record.h"
#include "dbg/rival.h"
#include "dbg/travel.h"
#include "dbg/value.h"
#include "dbg/watch.h"
#include "dbg/windows.h"

/* args: what follows the command word, leading blanks removed (but "/fmt" kept). Text to out; false with *e set. */
typedef bool command_fn(struct debugger *d, const char *args, struct strbuf *out, struct err *e);
enum repeat { REPEAT_NO, REPEAT_SAME, REPEAT_BARE };
enum completer {
	COMPLETE_NONE,
	COMPLETE_EXPR,
	COMPLETE_BREAK,
	COMPLETE_NUMBERS,
	COMPLETE_FOCUS,
	COMPLETE_INFO,
	COMPLETE_LIST,
	COMPLETE_STEP,
	COMPLETE_WHY,
	COMPLETE_EXPLAIN,
	COMPLETE_INSPECT,
	COMPLETE_SET,
	COMPLETE_SHOW,
	COMPLETE_FILE,
	COMPLETE_EXPORT,
	COMPLETE_SAVE,
	COMPLETE_COMPARE,
	COMPLETE_PROGRAM,
	COMPLETE_WHATIF,
	COMPLETE_SCOPE,
	COMPLETE_DIAGNOSE,
	COMPLETE_FOLLOW,
	COMPLETE_LESSON,
	COMPLETE_ANSWER,
	COMPLETE_COMMAND
};
struct command {
	const char *name, *abbreviations, *usage;
	enum repeat repeat;
	enum completer completer;
	const char *help;
	command_fn *fn;
};
extern const struct command commands[];
extern const u32 ncommands;
struct info_topic {
	const char *name, *abbreviations, *args, *help;
	command_fn *fn;
};
extern const struct info_topic info_topics[];
extern const u32 ninfo_topics;

/* The command a word means: exact, fixed abbreviation, or unambiguous prefix. NULL with *e: unknown, or the candidates.
 */
const struct command *command_find(const char *word, struct err *e);
const struct info_topic *info_find(const char *word, struct err *e);
/* Length of what one line of a list has room for of a help text: its first sentence, up to a colon. */
size_t help_summary(const char *help);
/* Appends what `help lua ASKED` says ("" = all of it); how many entries fit. */
u32 help_lua(const char *asked, struct strbuf *out);
/* Is word one of its fixed abbreviations? */
bool command_abbreviates(const struct command *c, const char *word);
/* A line that begins with an alias, with the alias replaced, to be freed; NULL = it begins with none. *scripted becomes
 * true when a script made it. */
char *alias_expand(struct debugger *d, const char *line, bool *scripted);
void aliases_release(struct debugger *d);

/* How a line of the console is executed: the words of a debugger. */
extern const struct debugger_words console_words;
/* What scripts of a session have: dbg, gpu and mem. For session_open(). */
void console_modules(struct lua_State *L, struct session *s);
/* Offers what may stand in a line of `whatif` in the place of `word`, behind `before`. */
void whatif_complete(struct debugger *d, const char *word, const char *before,
                     void (*offer)(void *ctx, const char *text), void *ctx);
/* Candidates for the word that ends at byte `cursor` of line: NULL-terminated array, each and the array to be freed;
 * *word_start = where the word begins. NULL when there is none. */
char **debugger_complete(struct debugger *d, const char *line, u32 cursor, u32 *word_start);
void debugger_free_matches(char **matches);

#define CMD(fn, name, abbreviations, usage, repeat, completer, help) command_fn cmd_##fn;
#include "commands/commands.def"
#undef CMD
#define INFO(fn, name, abbreviations, args, help) command_fn info_##fn;
#include "commands/infos.def"
#undef INFO
/* What `info line` says of an address. */
bool info_cache_line(struct debugger *d, const char *args, struct strbuf *out, struct err *e);

/* The launch that args name, else the chosen one, else of those that run the last, else the last. what: for errors. */
bool arg_launch(struct debugger *d, const char *what, const char *args, u32 *launch, struct err *e);
/* `why pick` and the like (why_choice.c): *mine: the word is one of those. */
bool why_a_choice(struct debugger *d, const char *what, const char *args, struct strbuf *out, bool *mine,
                  struct err *e);
/* SM number in args, the focused one without. */
bool arg_sm(struct debugger *d, const char *args, u32 *sm, struct err *e);

/* What somebody who knows another debugger may have looked for who typed a command or topic that is not there; NULL =
 * nothing known (habits.c). */
const char *habit_hint(bool topic, const char *word);
/* Is the whole expression one name that Lua knows nothing of (data.c)? It may still become a variable, of a callback.
 */
bool unknown_variable(struct debugger *d, const char *expr);
/* Is it, besides, the name of something else, "ipc" for gpu.ipc? Then *e says so. */
bool misnamed(struct debugger *d, const char *expr, struct err *e);
/* The options that `run` was given (restart.c); the session gets back those it was opened with. */
void restart_release(struct debugger *d);

/* Opens a program (with options, as `file` takes it) on a machine of its own options alone: what the command line and
 * earlier `run` and `file` have set for the machine is left out (restart.c). What it says goes to *out. False with *e:
 * everything is as it was. */
bool open_afresh(struct debugger *d, const char *command, const char *program, struct strbuf *out, struct err *e);
/* The lessons, one a line, and the words of `lesson` with their names (cmd_lesson.c). */
void lesson_list(const char *data_dir, struct strbuf *out);
void lesson_each_word(struct debugger *d, void (*offer)(void *ctx, const char *text), void *ctx);
/* --- breakpoints (cmd_breaks.c) --- */
/* Words of a breakpoint's line: "count=N" (command: for the message), and a filter, "sm=3"; and whether what the
 * filters name is there. */
bool break_count(const char *word, const char *command, u64 *count, struct err *e);
bool break_filter(const char *word, enum event_type t, struct event_filter *f, struct err *e);
bool break_filter_exists(struct debugger *d, const struct event_filter *f, struct err *e);
/* Takes `break stat`'s line apart: what crossing_parse() reads, count=N (0 = none) and the condition in `text`.
 * command: what was typed before it, "until stat", for messages. */
bool stat_split(const char *command, const char *text, struct strbuf *compared, u64 *count, const char **cond,
                struct err *e);
/* "stat ...", "cta N", "becomes STATE" as the location of a breakpoint (break_more.c). */
struct breakpoint *break_stat(struct debugger *d, const char *text, struct err *e);
/* Filters, count=N and condition of a breakpoint, each with a blank before it. */
void break_details(const struct breakpoint *b, struct strbuf *out);
/* Rewrites friendlier spellings to event and filters; nothing is appended when `args` is none of them. False with *e.
 */
bool break_spelling(const char *command, const char *args, struct strbuf *out, struct err *e);
/* Grids are fixed at the launch: a CTA that a launch named by number does not have is an error. One that no launch so
 * far has may still come with a later one: a note. */
bool break_cta_exists(struct debugger *d, const struct event_filter *f, struct err *e);
void break_cta_note(struct debugger *d, const struct event_filter *f, struct strbuf *out);
/* Says so when this machine, as it is configured now, has no events of the breakpoint's kind. */
void break_event_note(struct debugger *d, const struct breakpoint *b, struct strbuf *out);
/* A breakpoint's or watchpoint's number in a word; $bpnum is that of the last one set, if there is one. */
bool break_number(struct debugger *d, const char *word, u64 *id);
struct breakpoint *break_command(struct debugger *d, const char *args, bool temporary, struct err *e);
/* What `watch` was given (watch_args.c). */
struct watch_request {
	char *expr;
	struct event_filter filter;
	char filtered[160]; /* one of the filters, for messages; "" = none */
	u64 count;          /* 0 = every change */
	const char *cond;   /* in the line; NULL = none */
};
bool watch_split(struct debugger *d, const char *args, struct watch_request *r, struct err *e);
void watch_request_release(struct watch_request *r);
/* --- watchpoints on registers and memory (watch_data.c) --- */
/* "%r5", "*ADDRESS[:BYTES]", "mem ADDRESS [BYTES]", "shared:OFFSET[:BYTES]": *w->data is made. *mine = args is one of
 * these. */
bool watch_data(struct debugger *d, const char *args, struct watch *w, bool *mine, struct err *e);
#endif
