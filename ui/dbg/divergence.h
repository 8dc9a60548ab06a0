/* divergence: breakpoints on the first different decision of two machines. */
#ifndef UI_DBG_DIVERGENCE_H
#define UI_DBG_DIVERGENCE_H
#include "dbg/state.h"
#include "obs/compare/diverge.h"
#include "session/lockstep.h"

/* Beside the debugger's machine run two hidden ones in lock step, always a little ahead of it: one with its options,
 * one with those that the breakpoint was given. The cycle of their first different decision is the breakpoint's. */
struct breakpoint *divergence_break(struct debugger *d, const char *options, enum lockstep_by by, struct err *e);
/* Before the machine runs from its present cycle to `until`: the hidden ones go first. Returns how far it may run. */
u64 divergence_ahead(struct debugger *d, u64 until, struct strbuf *out);
/* What breakpoint `id` knows: with DIVERGENCE_FOUND *first, and what each scheduler said of its decision ("" =
 * nothing); both live as long as the breakpoint. DIVERGENCE_NONE: both machines came to their end without one.
 * DIVERGENCE_OFF: it is not looked for, the breakpoint is disabled or deleted. */
enum divergence_state { DIVERGENCE_OFF, DIVERGENCE_SOUGHT, DIVERGENCE_NONE, DIVERGENCE_FOUND };
enum divergence_state divergence_state(struct debugger *d, u32 id, const struct divergence **first, const char *why[2]);
/* Moves the focus to where breakpoint b's decisions differ. */
void divergence_focus(struct debugger *d, const struct breakpoint *b);
/* The machine has been changed by hand: what the hidden ones do says nothing of it any more. */
void divergence_void(struct debugger *d);
void divergence_release(struct debugger *d);
#endif
