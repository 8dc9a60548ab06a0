/* undo: where the user was, and what has been changed by hand, for `undo`. */
#ifndef UI_DBG_UNDO_H
#define UI_DBG_UNDO_H
#include "dbg/state.h"

/* Before a command that runs or moves the machine: remembers the place. */
void remember_position(struct debugger *d);
/* The machine is about to be changed at the present place. */
void remember_change(struct debugger *d);
/* Where the machine is to be put so that undoing this has it before: behind the turn that a change is. */
struct sim_place undo_from(const struct undo *u);
/* History ends at the present place now: what was done after it cannot be undone any more, bookmarks behind it name
 * cycles of another future. */
void undos_forked(struct debugger *d);
#endif
