/* run: the `run` command - to the end, no screen. */
#ifndef UI_RUN_H
#define UI_RUN_H
#include "session/session.h"

/* Runs the workload of the options; returns the exit status. */
int run_main(struct options *o);
/* Prints "warpdbg: message" on standard error; complain_of() "warpdbg: B: message". */
void complain(const struct err *e);
void complain_of(const char *whom, const char *text);
/* Has all that was printed reached standard output? False with *e, and the reason where it is known. */
bool stdout_written(struct err *e);
/* Why a run stopped, in a word for reports ("finished", "fault", ...), and as a message: text without a final newline,
 * nothing when it finished. *e is session_run()'s. */
const char *run_stop_word(enum session_stop why);
void run_stop_reason(struct session *s, enum session_stop why, const struct err *e, struct strbuf *text);
#endif
