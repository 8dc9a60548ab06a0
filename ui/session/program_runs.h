/* program_runs: the runs of a host program, usually one. With --again, a program that has ended begins again, with new
 * memory, modules and random numbers, until all others have ended for the first time. So no program has the machine to
 * itself at the end (Park 2016, section 4.4.4). What a run has allocated is freed when the next one begins. Results,
 * times, ANTT and STP are of first runs only; checks are of all runs.
 *
 * Runs of the past are kept: going back behind the beginning of a run leads into the run before it. */
#ifndef UI_SESSION_PROGRAM_RUNS_H
#define UI_SESSION_PROGRAM_RUNS_H
#include "session/host/host.h"

/* What its options name: a bundled workload, a Lua file or a PTX file. */
const char *program_workload(const struct session_program *p);
/* Whatever is allocated, loaded and launched from now on is that of p's run. */
void program_act_for(struct session *s, struct session_program *p);
/* The host program itself, for its first run or one more; p->host. False with *e: it cannot be opened. */
bool program_open(struct session *s, struct session_program *p, struct err *e);
void program_close(struct session_program *p);
/* It has ended, and would begin again once its kernels have. */
bool program_goes_on(const struct session *s, const struct session_program *p);
/* Frees what the last run has left and opens the next one. */
bool program_begin_again(struct session *s, struct session_program *p, struct err *e);
/* Back in the run in which the program took its turns-th step; how many of them were that run's. */
/* Could it be brought back to where it stood after so many turns? */
bool program_reaches(const struct session_program *p, u32 turns);
u32 program_rewind(struct session *s, struct session_program *p, u32 turns);
#endif
