/* lanes: what warps and CTAs were in any part of the run (obs/record/lanes.h), found by running it again.
 *
 * Nothing is recorded while the machine runs. Who wants to see a part asks for it; then a process that forks from the
 * debugger's goes there, runs it again, and writes what it sees into memory that both share. The debugger's machine
 * stays where it is, and may go on meanwhile. One such process runs at a time.
 *
 * The last LANES_KEPT recordings are kept, each of at most LANES_BYTES of columns and 3 MB of names and marks. What is
 * asked for more, the one that was looked at last stays longest. Where history forks, what was recorded of later cycles
 * goes. */
#ifndef UI_DBG_LANES_H
#define UI_DBG_LANES_H
#include "dbg/state.h"
#include "obs/record/lanes.h"

#define LANES_KEPT 3

/* Of one SM, or of all (-1: without CTAs), cycles [from, to) as columns of `bin` cycles, a power of two; from is a
 * multiple of it. What there is of them, perhaps nothing: *all says whether it is all, up to the farthest cycle of the
 * run. What is missing is asked for. NULL: nothing yet. Good until the next call of a function here. */
const struct lanes *lanes_see(struct debugger *d, s32 sm, u64 from, u64 to, u32 bin, bool *all);
/* Is anything on its way, or asked for? And why there is nothing; "" else. */
bool lanes_pending(const struct debugger *d);
const char *lanes_error(const struct debugger *d);
/* Starts what is asked for, and waits for news, at most so many ms. True: there is something new to see. */
bool lanes_wait(struct debugger *d, u32 ms);
/* For who cannot go on without: waits until all is there. NULL with *e: no history, more cycles than a recording holds,
 * cycles that have not been simulated, interrupted, or the way there has failed. Not while the machine runs. */
const struct lanes *lanes_fetch(struct debugger *d, s32 sm, u64 from, u64 to, u32 bin, struct err *e);

/* History has forked at the present cycle; the machine is another one; the debugger goes. */
void lanes_forked(struct debugger *d);
void lanes_restarted(struct debugger *d);
void lanes_release(struct debugger *d);
#endif
