/* leaving: Ctrl-C, kill and a terminal that goes. One rule for all commands of the program:
 *
 * 1. main() catches SIGINT, SIGTERM and SIGHUP before it does anything else (leaving_begin). The handler is the one
 *    place where a signal is noted; leaving_by() says which one came, and stays true to the end.
 * 2. While nobody listens, nothing has begun that would be worth completing: the program ends at once, by the signal;
 *    files that it was about to write are as they were, with no FILE.part beside them.
 * 3. Once there is work that can be stopped, it listens (leaving_tell): the handler calls its function, which tells the
 *    machine (sim_interrupt(): it stops behind the cycle) and Lua (lua_interrupt(): the call that runs ends).
 *    A call that ends so is interrupted, not failed (struct err, `interrupted`): what was called stays as it was.
 * 4. What was stopped says so, files are completed, and main() ends by the signal (leaving_end): 130 to a shell for
 *    SIGINT, 143 for SIGTERM, 129 for SIGHUP, whatever else happened. So the moment of a signal makes no difference to
 *    how the program ends, and loops of a shell end with it.
 * 5. SIGTERM and SIGHUP come from someone who waits: what does not stop within LEAVE_SECONDS - a script inside a C
 *    function, a terminal that takes nothing - is ended. A second SIGINT or SIGTERM ends at once, too; not one that
 *    follows on the first one's heels, as timeout(1) sends it, nor a second SIGHUP, which the kernel and a shell both
 *    send when a terminal goes.
 * 6. In the debugger with a prompt, SIGINT is no wish to leave (leaving_not_by_interrupt): it stops what runs, the
 * lines that wait are dropped, and the prompt is back (dbg/interrupt.h).
 *
 * SIGPIPE and SIGQUIT end the program at once, as ever, but leave no FILE.part either. */
#ifndef UI_BASE_LEAVING_H
#define UI_BASE_LEAVING_H
#include <stdbool.h>

#define LEAVE_SECONDS 2

/* The first call of main(). A SIGHUP that is ignored (nohup) stays so. */
void leaving_begin(void);
/* From now on signals are noted and `stop` is called, in the handler. NULL: nobody listens any more. */
void leaving_tell(void (*stop)(void));
/* SIGINT is not noted: `stop` is called instead, in the handler. NULL: it is passed over. For good. */
void leaving_not_by_interrupt(void (*stop)(void));
/* What was running has stopped; what is left to do, writing files, may take its time. */
void leaving_heard(void);
/* For who has taken a signal without the handler (sigtimedwait). */
void leaving_note(int sig);
/* The signal that came; 0 = none. */
int leaving_by(void);
/* Waits until a descriptor can be read or has ended. False: one of the signals came meanwhile, or has been noted. */
bool leaving_wait_input(int fd);
/* The last call of main(): the exit status, unless the process ends here by the signal that came. */
int leaving_end(int status);
#endif
