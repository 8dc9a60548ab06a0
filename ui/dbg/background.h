/* background: what processes beside the debugger's find for pictures (lanes.h, linelives.h). */
#ifndef UI_DBG_BACKGROUND_H
#define UI_DBG_BACKGROUND_H
#include "dbg/state.h"

/* Is anything on its way, or asked for? */
bool background_pending(const struct debugger *d);
/* Starts what is asked for, and waits for news, at most so many ms. True: there is something new to see. */
bool background_wait(struct debugger *d, u32 ms);
#endif
