/* process: an application as a process of its own, with the run-time library of ui/cudart in NVIDIA's place. */
#ifndef UI_SESSION_APP_PROCESS_H
#define UI_SESSION_APP_PROCESS_H
#include "base/base.h"
#include "base/err.h"
#include "base/strbuf.h"

struct app_process {
	s32 pid; /* 0: not started, or waited for */
	int fd;  /* pidfd: readable when it has ended; -1: the system has none */
	/* What it writes, where warpdbg is to show it: [0] its standard output, [1] its standard error; apart both come
	 * through [0]. -1: it has warpdbg's own. */
	int output[2];
	bool ended;
	int status; /* exit status, 128 + N when signal N ended it */
};
#define APP_PROCESS_NONE ((struct app_process){.fd = -1, .output = {-1, -1}})
struct app_start {
	const char *const *words; /* program and arguments, NULL behind them */
	const char *socket;       /* for WIRE_VARIABLE */
	const char *library_dir;
	bool apart;  /* its output comes through `output`, its input from a file, the terminal's signals do not reach it */
	bool copied; /* its output comes through `output`; the rest is as without */
	const char *clock; /* for CLOCK_VARIABLE (cudart/clock.h); NULL: its clocks are the host's */
	const char *input; /* with apart: a file, NULL = /dev/null */
};
/* False with *e: it cannot be started ("./app: No such file or directory"). */
bool process_start(struct app_process *p, const struct app_start *how, struct err *e);
/* Has it ended? Does not wait. */
bool process_ended(struct app_process *p);
/* Appends what it has written to output[i]; drops it first, as long as *skip is not 0. Returns how many bytes there
 * were. */
u64 process_output(struct app_process *p, u32 i, struct strbuf *out, u64 *skip);
/* Threads of a process; 0: not known. */
u32 process_threads(s32 pid);
/* Nobody reads it any more: the application is told so when it writes. */
void process_close_output(struct app_process *p, u32 i);
/* Ends it, by signals if it does not end by itself within ms, and closes all. */
void process_end(struct app_process *p, u32 ms);
/* The folder with the library, for the program that runs: beside it, in the folder of its build, or where it was
 * installed. To be freed; NULL with *e. */
char *process_library_dir(struct err *e);
#endif
