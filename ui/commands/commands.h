/* commands: the table of console commands and what its functions share. */
#ifndef UI_COMMANDS_H
#define UI_COMMANDS_H
#include "base/args.h"
#include "dbg/debugger.h"
#include "obs/compare/diverge.h"
#include "dbg/rival.h"

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
	COMPLETE_SHOW,
	COMPLETE_FILE,
	COMPLETE_EXPORT,
	COMPLETE_COMPARE,
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
/* Is word one of its fixed abbreviations? */
bool command_abbreviates(const struct command *c, const char *word);
/* A line that begins with an alias, with the alias replaced, to be freed; NULL = it begins with none. *scripted becomes
 * true when a script made it. */
char *alias_expand(struct debugger *d, const char *line, bool *scripted);
void aliases_release(struct debugger *d);

#define CMD(fn, name, abbreviations, usage, repeat, completer, help) command_fn cmd_##fn;
#include "commands/commands.def"
#undef CMD
#define INFO(fn, name, abbreviations, args, help) command_fn info_##fn;
#include "commands/infos.def"
#undef INFO

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
/* %tid.x and the like of the focused lane of a resident warp; false: no such special register (special.c). */
bool special_register(struct debugger *d, const struct warp_info *w, const char *name, u64 *bits);

/* --- running (dbg_run.c)
 * ---------------------------------------------------------------------------------------------- */
/* May the machine run on? False with *e: finished, faulted, or already running. */
bool can_run(struct debugger *d, struct err *e);
void goal_clear(struct debugger *d);
void set_goal(struct debugger *d, enum goal_kind k, u64 cycle);

/* What a `break stat` says when it stops. */
void stat_hit_text(const struct break_hit *h, const struct breakpoint *b, struct strbuf *out);
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

/* The options that `run` was given (restart.c); the session gets back those it was opened with. */
void restart_release(struct debugger *d);
void breaks_rebind(struct debugger *d, struct strbuf *out);

/* --- going back (travel.c) ------------------------------------------------------------------------------------------
 */
/* Before a command that runs or moves the machine: remembers the cycle for undo. */
void remember_position(struct debugger *d);
/* Before a command that changes the machine, outside a run: forks history when in the past, remembers the change for
 * undo. */
bool change_begins(struct debugger *d, struct err *e);
void travel_release(struct debugger *d);
/* Statistics' breakpoints (windows.c). Puts the machine at `start`, in the past, having shown those of `set` the looks
 * before it. False with *e: interrupted on the way. */
bool stats_lead_in(struct debugger *d, struct break_set *set, u64 start, struct err *e);
/* The machine stands, and goes on from here: enabled statistics over windows learn, from the past, what they would know
 * had they been there all the time. Without a history, or interrupted, they know it after a whole window. */
void stats_know_windows(struct debugger *d);
/* A counter or rate of a probe over the last whole window of `span` cycles, windows following one another from cycle 0;
 * NAN where there is none yet, or the marks it stands on are before the history. What was not asked for before is
 * looked up in the past; not while the machine runs (at_rest): then it is an error. */
bool window_over(struct debugger *d, const char *probe, u64 span, bool at_rest, double *value, struct err *e);
/* The windows that an expression will ask for, dbg.over("PROBE", N), are known from here on. */
void windows_of_text(struct debugger *d, const char *expr);

/* --- files (export.c) */
/* False with *e: a script asks for a file, without --allow-io. */
bool may_use_files(const struct debugger *d, const char *command, struct err *e);
/* The `export` command, for scripts too. */
bool export_now(struct debugger *d, const char *format, const char *file, s32 sm, struct err *e);

/* --- recording (record.c) */
/* Writes an event to the open recording. */
void record_event(struct debugger *d, const struct event *ev);
bool record_end(struct debugger *d, struct err *e); /* completes the file; true when there is none */
/* History has forked at the present cycle: what was recorded of later ones goes. */
void record_forked(struct debugger *d);
/* The machine has been put somewhere else in its history: what has been written is not written again. */
void record_moved(struct debugger *d);
/* It begins anew. */
void record_restarted(struct debugger *d);

/* --- breakpoints (breaks.c) --------------------------------------------------------------------------------------- */
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
/* Tries to find the code of breakpoints that had none when they were set (their module was not loaded yet). */
void resolve_pending(struct debugger *d);
struct breakpoint *break_command(struct debugger *d, const char *args, bool temporary, struct err *e);
struct watch *watch_find(struct debugger *d, u32 id);
void watch_delete(struct debugger *d, struct watch *w);
void watch_enable(struct debugger *d, struct watch *w, bool on);
/* May a hit be at another place than another? */
bool watch_is_filtered(const struct breakpoint *b);
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
struct watch_stop {
	u32 id;             /* of the watchpoint; 0 = none stopped. It may have been deleted: its warp has exited */
	struct strbuf text; /* the report, without a line break at the end */
	struct data_writer writer;
};
/* Evaluates the enabled watchpoints; the first that changed in *stop (release its text). Errors of a Lua expression
 * disable it and are reported to out. */
bool watches_check(struct debugger *d, struct strbuf *out, struct watch_stop *stop);
/* Is there one to be evaluated after every cycle? */
bool watches_each_cycle(const struct debugger *d);
/* The machine has been put somewhere else, or is a new one: probes are looked up again, values begin with those there.
 */
void watches_rebind(struct debugger *d);
/* The value a watchpoint has now, as text. */
void watch_value(const struct watch *w, struct strbuf *out);

/* --- breakpoints on the first different decision (divergence.c) ------------------------------------------------------
 *
 * Beside the debugger's machine run two hidden ones in lock step, always a little ahead of it: one with its options,
 * one with those that the breakpoint was given. The cycle of their first different decision is the breakpoint's. */
struct breakpoint *divergence_break(struct debugger *d, const char *options, enum lockstep_by by, struct err *e);
/* Before the machine runs from its present cycle to `until`: the hidden ones go first. Returns how far it may run. */
u64 divergence_ahead(struct debugger *d, u64 until, struct strbuf *out);
/* What breakpoint `id` knows: with DIVERGENCE_FOUND *first, and what each scheduler said of its decision ("" =
 * nothing); both live as long as the breakpoint. DIVERGENCE_NONE: both machines came to their end without one.
 * DIVERGENCE_OFF: it is not looked for, the breakpoint is disabled or deleted. */
enum divergence_state { DIVERGENCE_OFF, DIVERGENCE_SOUGHT, DIVERGENCE_NONE, DIVERGENCE_FOUND };
enum divergence_state divergence_state(struct debugger *d, u32 id, const struct divergence **first, const char *why[2]);
/* Moves the focus to where breakpoint b's decisions differ. */
void divergence_focus(struct debugger *d, const struct breakpoint *b);
/* The machine has been changed by hand: what the hidden ones do says nothing of it any more. */
void divergence_void(struct debugger *d);
void divergence_release(struct debugger *d);

/* --- watchpoints on registers and memory (watch_data.c) --- */
/* "%r5", "*ADDRESS[:BYTES]", "mem ADDRESS [BYTES]", "shared:OFFSET[:BYTES]": *w->data is made. *mine = args is one of
 * these. */
bool watch_data(struct debugger *d, const char *args, struct watch *w, bool *mine, struct err *e);
/* Shows an event to the watchpoints of this kind; true = one wants to stop. */
bool watches_event(struct debugger *d, const struct event *ev);
u64 watches_mask(const struct debugger *d);

/* --- values (data.c) -----------------------------------------------------------------------------------------------
 */
/* Evaluates %REGISTER or a Lua expression to text; fmt: 0, or one of xdufc. */
bool value_expression(struct debugger *d, const char *expr, char fmt, struct strbuf *out, struct err *e);
/* The same for what is evaluated again and again, watched or displayed: it may look, and change nothing. */
bool looked_at(struct debugger *d, const char *expr, struct strbuf *out, struct err *e);
/* What a script's error during a command was, if there was one; the command counts as failed. */
void tell_script_error(struct debugger *d, struct strbuf *out);
/* Evaluates an expression to an integer (addresses); names of buffers and symbols count. */
bool address_expression(struct debugger *d, const char *expr, u64 *out, struct err *e);
/* The same behind "shared:", where the focused kernel's shared variables have names too (symbols.c); and these alone.
 */
bool shared_expression(struct debugger *d, const char *expr, u64 *out, struct err *e);
bool shared_name(struct debugger *d, const char *expr, u64 *out);
void show_displays(struct debugger *d, struct strbuf *out);
#endif
