/* program_runs: the runs of a host program: one as a rule. With --again a program that has ended begins again, with
 * memory, modules and random numbers as new, as long as another one has not ended for the first time: so that none has
 * the machine to itself at the end (Park 2016, section 4.4.4). What a run has allocated is freed when the next begins;
 * results, times and ANTT and STP are of first runs alone, checks of all.
 *
 * Runs of the past are kept: who goes back behind the beginning of one is in the one before it again. */
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
u32 program_rewind(struct session *s, struct session_program *p, u32 turns);
#endif
