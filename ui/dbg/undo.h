/* undo: the places where the user was, and the changes made by hand, for `undo`. */
#ifndef UI_DBG_UNDO_H
#define UI_DBG_UNDO_H
#include "dbg/state.h"

/* Before a command that runs or moves the machine: remembers the cycle. */
void remember_position(struct debugger *d);
/* The machine is about to be changed at the present cycle. */
void remember_change(struct debugger *d);
/* History ends at the present cycle now: what was done after it cannot be undone any more. */
void undos_forked(struct debugger *d);
#endif
