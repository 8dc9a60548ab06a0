/* interrupt: Ctrl-C, on its way to all that may be running. */
#ifndef UI_DBG_INTERRUPT_H
#define UI_DBG_INTERRUPT_H
#include "dbg/state.h"

/* Ends the goal at the next cycle boundary, drops queued commands: safe from a signal handler. */
void debugger_interrupt(struct debugger *d);
/* Forgets an interrupt, in Lua and the machine as well: it has been answered, or nothing ran when it came. A wish to
 * leave is never answered: what it interrupts stays so. */
void debugger_clear_interrupt(struct debugger *d);
#endif
