/* programs: the host programs of a session: usually one; with `run a.lua b.lua` several that share the machine.
 *
 * Each has its own streams, memory, modules, check and options. They take turns in their order: a program goes on at
 * the very cycle in which what it waits for is done, whichever others are still running. */
#ifndef UI_SESSION_PROGRAMS_H
#define UI_SESSION_PROGRAMS_H
#include "obs/stats/programs.h"
#include "session/state.h"

/* Titles and options of the programs of s->opt; nothing is opened. */
void programs_name(struct session *s);
bool programs_open(struct session *s, struct err *e);
void programs_close(struct session *s);
void programs_release(struct session *s);
/* The first program, in their order, whose turn it is; NULL: the machine's. */
struct session_program *programs_ready(struct session *s);
/* One step of it. False with *e: it failed, or was interrupted (session->torn). */
bool programs_step(struct session *s, struct session_program *p, struct err *e);
/* What kernels have printed goes to their program, if it takes it, else to the session's output. */
void programs_take_kernel_text(struct session *s);
/* An application works by itself, in the middle of a step. */
bool programs_busy(const struct session *s);
/* What steps in their middle have done so far becomes a turn: somebody wants to go elsewhere, or change something. */
void programs_pause(struct session *s);
/* The machine has faulted or hung for good: those that have not ended are told. */
void programs_abandon(struct session *s);
/* Warps go round in circles. Does a thread of a program that waits for them want to go on, which may end that? Where
 * there are threads that might it is waited for, in the host's time. */
bool programs_help(struct session *s);
bool programs_ended(const struct session *s); /* all of them */
/* The cycle at which to look again for who waits for one stream; and the programs that sim_run() is to await. */
u64 programs_look_at(const struct session *s, u64 until);
u64 programs_awaited(const struct session *s);
/* Brings those that stood elsewhere at the first `turns` turns of history to where they stood then. */
/* Could they be brought to where they stood after the first `all` turns of host programs and user? False with *e. */
bool programs_reach(const struct session *s, u32 all, struct err *e);
bool programs_bring_back(struct session *s, u32 turns, struct err *e);
/* A turn has been done to the machine: p's, or (NULL) the user's. */
void programs_record_turn(struct session *s, const struct session_program *p);
/* For messages: whose launch the machine stopped at, whose step failed; NULL: there is but one program. */
const char *programs_blame(const struct session *s, u32 program);
/* What each has come to so far, without result_hash; out has room for OPTIONS_PROGRAMS. */
void programs_stats(const struct session *s, struct program_stats *out);
#endif
