/* session: a machine, a workload and the host program that drives it, as `run`, `debug` and the tests use them.
 *
 * The host program (a Lua coroutine, or the built-in one for PTX given on the command line) runs until it waits
 * (synchronise, copy back). Then the machine runs until the awaited work is done. Then the program goes on.
 * session_run() does both. */
#ifndef UI_SESSION_SESSION_H
#define UI_SESSION_SESSION_H
#include "session/state.h"

/* Why session_run returned. */
enum session_stop {
	SS_FINISHED, /* the host program has ended; the check's outcome is in session->check */
	SS_CYCLE,
	SS_REQUEST,
	SS_BUSY, /* an application works by itself: call session_run() again (only with session->app_slices) */
	SS_FAULT,
	SS_DEADLOCK,
	SS_LIVELOCK,   /* warps that go round in circles for ever */
	SS_INTERRUPT,  /* the machine, or a step of the host program, which begins again when the run goes on */
	SS_HOST_ERROR, /* the host program failed: *e; interrupted, with no way to begin its step again: e->interrupted */
	SS_MAX_CYCLES,
};
/* Builds everything up to cycle 0 with the host program not yet started. NULL with *e. */
struct session *session_open(struct options *o, session_modules *modules, struct err *e);
void session_close(struct session *s);
/* Runs --script, once: callers that set up more (the debugger) call it when they are ready, else the first
 * session_run() does. True when there is none. */
bool session_run_script(struct session *s, struct err *e);
/* Counts what single instructions do (gpu/lines.h) from here on: the debugger and runs with JSON statistics do so from
 * the start. */
void session_count_lines(struct session *s);
/* Completes and closes the --timeline and --trace files; session_close() does it too, but cannot tell. */
bool session_close_outputs(struct session *s, struct err *e);
/* Runs host program and machine until cycle `until` (NEVER allowed) or another reason. At `until` it stops before the
 * host program's turns, which are part of leaving the cycle; but cycle 0 is where it begins: behind its first turns. */
enum session_stop session_run(struct session *s, u64 until, struct err *e);
/* The same for who does not go on after an interrupt: it is one, whatever was interrupted. asked: who has asked to stop
 * is the reason also where a script stopped the run in that moment. */
enum session_stop session_last_stop(enum session_stop why, bool asked, const struct err *e);
/* Brings machine and host program to a place in the past (or forward again, up to the farthest one). */
bool session_go(struct session *s, struct sim_place to, struct err *e);
/* The same for the place where the machine stands at a cycle: sim_rest(). */
bool session_goto(struct session *s, u64 cycle, struct err *e);
/* Around a change that the user makes to the machine: in the past it forks history, and the host program is brought
 * back to that time. */
bool session_change_begins(struct session *s, struct err *e);
void session_changed(struct session *s);
/* Instead of session_changed(): more may follow that is part of the same change. */
void session_change_stays_open(struct session *s);
void session_change_ends(struct session *s); /* session_changed(), if one is open */
/* Has the user changed the machine at a time that is not after the present one? */
bool session_changed_by_hand(const struct session *s);
/* Takes the last such change back, with all that came after it. */
bool session_undo(struct session *s, struct err *e);
/* Starts again from nothing: cycle 0 of the program and machine in s->opt and s->conf, which may be others than before
 * (the debugger's `run`, `file`). */
bool session_restart(struct session *s, struct err *e);
/* This process is a fork of the one that opened the session: what runs here is seen by nobody, and no file of the
 * user's is written, not even by scripts that may use files. */
void session_forked(struct session *s);
/* Why it stopped: as part of a sentence; in a word for reports ("finished", "fault", ...); as a message, text without a
 * final newline, nothing when it finished (*e is session_run()'s). */
const char *session_stop_text(enum session_stop w);
const char *session_stop_word(enum session_stop w);
void session_stop_reason(struct session *s, enum session_stop w, const struct err *e, struct strbuf *text);
/* Of several host programs those whose kernels a machine stopped at, a line each: the one at fault, or (a hang) each
 * that has a kernel running. Nothing with one. */
void session_blame(const struct session *s, enum session_stop why, struct strbuf *text);
/* Exit status: 0 ok, 1 check failed, 2 usage, input or host program error, 3 fault, deadlock, livelock, --max-cycles,
 * 130 interrupted. */
int session_exit_status(const struct session *s, enum session_stop w);
#endif
