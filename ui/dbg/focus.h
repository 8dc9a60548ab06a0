/* focus: which SM, warp and lane the user looks at, and what is said of that place. */
#ifndef UI_DBG_FOCUS_H
#define UI_DBG_FOCUS_H
#include "dbg/state.h"

/* Moves the focus; warp out of range is an error. Fills the kernel and CTA fields from the warp. */
bool debugger_focus(struct debugger *d, u32 sm, u32 warp, struct err *e);
/* A run has ended: from a slot that is empty now, and that nobody has chosen so, the focus goes to a resident warp, of
 * the same SM if it has one. True when it has moved. */
bool debugger_settle_focus(struct debugger *d);
/* The same from a warp that has exited, to one that has not; says so. False where no other is left. */
bool debugger_focus_living(struct debugger *d, struct strbuf *out);
/* Brings the focus's kernel and CTA up to date with its slot (after a stop). */
void debugger_refresh_focus(struct debugger *d);
/* ", turn 3" for a place in the run other than where the machine stands at that cycle as a rule. */
void place_turn_text(struct debugger *d, struct sim_place at, struct strbuf *out);
/* Appends the focused warp's place: "cycle 9000, SM 1 warp 8, CTA 412 of hotspot, lane 0: memory (...)" and its source
 * line; when d->brief is set, in one line. */
void debugger_show_place(struct debugger *d, struct strbuf *out);
#endif
