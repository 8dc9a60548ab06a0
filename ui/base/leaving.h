/* leaving: SIGTERM (kill, timeout, a batch system) and SIGHUP (the terminal is gone) ask the program to leave. The run
 * is stopped as by Ctrl-C, files are completed, then main() ends by that signal. If this takes longer than
 * LEAVE_SECONDS (a script inside a C function, a terminal that takes nothing), the process is ended. A second SIGTERM
 * ends it at once. A second SIGHUP does not: the kernel and a shell both send one when a terminal goes. */
#ifndef UI_BASE_LEAVING_H
#define UI_BASE_LEAVING_H

#define LEAVE_SECONDS 2

/* From now on, for good. `stop` is called in the signal's handler. A SIGHUP that is ignored (nohup) stays so. */
void leaving_catch(void (*stop)(void));
/* What was running has stopped; what is left to do, writing files, may take its time. */
void leaving_heard(void);
/* The signal that came; 0 = none. */
int leaving_by(void);
#endif
