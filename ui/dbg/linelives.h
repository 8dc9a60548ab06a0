/* linelives: of each line in the caches who brought it in, when, how often it was used and when last, at the present
 * cycle (obs/record/lives.h). Nothing of it is recorded while the machine runs. Who wants to see it asks for it; then a
 * process that forks from the debugger's goes through the run again and listens. The debugger's machine stays where it
 * is. The last few answers are kept: the next one goes on from the latest that is not after it. */
#ifndef UI_DBG_LINELIVES_H
#define UI_DBG_LINELIVES_H
#include "dbg/state.h"
#include "obs/record/lives.h"

#define LINELIVES_KEPT 4

/* The block of lives at the present cycle, for lives_l1d() and lives_slice(); NULL: it is not there yet, and is asked
 * for. Good until the next call of a function here. *since: the first cycle that was listened to. */
const void *linelives_see(struct debugger *d, u64 *since);
/* Is anything on its way, or asked for? And why there is nothing; "" else. */
bool linelives_pending(const struct debugger *d);
const char *linelives_error(const struct debugger *d);
/* How far the process has come, of the present cycle: 0 to 1. */
double linelives_progress(const struct debugger *d);
/* Starts what is asked for, and waits for news, at most so many ms. True: there is something new to see. */
bool linelives_wait(struct debugger *d, u32 ms);
/* For who cannot go on without: waits until it is there. NULL with *e. Not while the machine runs. */
const void *linelives_fetch(struct debugger *d, u64 *since, struct err *e);

/* History has forked at the present cycle; the machine is another one; the debugger goes. */
void linelives_forked(struct debugger *d);
void linelives_restarted(struct debugger *d);
void linelives_release(struct debugger *d);
#endif
