/* commands: the table of console commands and what its functions share. */
#ifndef UI_COMMANDS_H
#define UI_COMMANDS_H
#include "debugger.h"

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
	COMPLETE_WHY,
	COMPLETE_EXPLAIN,
	COMPLETE_SET,
	COMPLETE_FILE,
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

#define CMD(fn, name, abbreviations, usage, repeat, completer, help) command_fn cmd_##fn;
#include "commands.def"
#undef CMD
#define INFO(fn, name, abbreviations, args, help) command_fn info_##fn;
#include "infos.def"
#undef INFO

/* --- words (args.c) ---------------------------------------------------------------------------------------------- */
const char *skip_blanks(const char *s);
/* Copies the next blank-separated word to word (cut to size - 1), returns what follows with blanks skipped; NULL when
 * none. */
const char *next_word(const char *s, char *word, size_t size);
/* The whole of args must be one number within 0..max (decimal, 0x); empty: *out stays. */
bool arg_number(const char *args, const char *what, u64 max, u64 *out, struct err *e);
bool word_number(const char *word, u64 *out);                        /* true when word is a number */
bool arg_none(const char *args, const char *command, struct err *e); /* error when there is something left */
/* SM number in args, the focused one without. */
bool arg_sm(struct debugger *d, const char *args, u32 *sm, struct err *e);
/* The distinct kernel or function of any module by name; *m = its module. NULL when there is none. */
const struct func *find_func(struct debugger *d, const char *name, struct module **m);
/* The module of the focused kernel, else the last loaded one; NULL when nothing is loaded. */
struct module *focus_module(struct debugger *d);
struct gpu *dbg_gpu(struct debugger *d);

/* --- running (dbg_run.c)
 * ---------------------------------------------------------------------------------------------- */
/* May the machine run on? False with *e: finished, faulted, or already running. */
bool can_run(struct debugger *d, struct err *e);
void goal_clear(struct debugger *d);
void set_goal(struct debugger *d, enum goal_kind k, u64 cycle);
/* One slice of the goal alone (no queued commands). */
void goal_slice(struct debugger *d, u64 max_cycles, struct strbuf *out);
/* Runs the goal to its end: for Lua's dbg.step and the like. */
void goal_drive(struct debugger *d, struct strbuf *out);
/* The event consumer of the debugger. */
bool debugger_on_event(void *ctx, const struct event *ev);
/* Moves program output to out. */
void take_output(struct debugger *d, struct strbuf *out);
/* Lets the host program run to its first wait: modules are loaded and kernels launched, no cycle is simulated. */
bool debugger_start(struct debugger *d, struct strbuf *out, struct err *e);
/* session_restart, and everything that hung on the old machine. Leaves the debugger at cycle 0, started. */
bool debugger_restart(struct debugger *d, struct strbuf *out, struct err *e);

/* --- going back (travel.c) ------------------------------------------------------------------------------------------
 */
/* Before a command that runs or moves the machine: remembers the cycle for undo. */
void remember_position(struct debugger *d);
/* Before a command that changes the machine, outside a run: forks history when in the past, remembers the change for
 * undo. */
bool change_begins(struct debugger *d, struct err *e);
void travel_release(struct debugger *d);

/* --- recording (record.c) */
/* Writes an event to the open recording. */
void record_event(struct debugger *d, const struct event *ev);
void record_release(struct debugger *d);

/* --- breakpoints (breaks.c) --------------------------------------------------------------------------------------- */
/* Tries to find the code of breakpoints that had none when they were set (their module was not loaded yet). */
void resolve_pending(struct debugger *d);
struct breakpoint *break_command(struct debugger *d, const char *args, bool temporary, struct err *e);
struct watch *watch_find(struct debugger *d, u32 id);
void watch_delete(struct debugger *d, struct watch *w);
/* Evaluates the enabled watchpoints; the first that changed, or NULL. Errors of a Lua expression disable it and are
 * reported to out. */
struct watch *watches_check(struct debugger *d, struct strbuf *out, char *old, size_t old_size);
bool watches_enabled(const struct debugger *d);
/* The machine is a new one: probes are looked up again, old values forgotten. */
void watches_rebind(struct debugger *d);

/* --- values (data.c) -----------------------------------------------------------------------------------------------
 */
/* Evaluates %REGISTER or a Lua expression to text; fmt: 0, or one of xdufc. */
bool value_expression(struct debugger *d, const char *expr, char fmt, struct strbuf *out, struct err *e);
/* Evaluates an expression to an integer (addresses); names of buffers and symbols count. */
bool address_expression(struct debugger *d, const char *expr, u64 *out, struct err *e);
void show_displays(struct debugger *d, struct strbuf *out);
#endif
