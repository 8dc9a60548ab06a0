/* elsewhen: a question about another cycle of the run - what led to a decision, what comes next - answered by a copy of
 * the debugger's process.
 *
 * The process forks. The copy has the machine, its past, its host programs and its Lua states as they are; it goes to
 * the cycle in question, lets the machine run, looks, and sends its answer over a pipe. The debugger stays where it is,
 * and nobody hears of what happens in the copy (session_forked()). So an answer costs no cycle of the machine, forks no
 * history, and may also be given with policies whose state no snapshot has, as long as it lies ahead. */
#ifndef UI_DBG_ELSEWHEN_H
#define UI_DBG_ELSEWHEN_H
#include "dbg/state.h"

/* Runs in the copy: appends to the answer, any bytes. False with *e. */
typedef bool elsewhen_fn(struct debugger *d, void *ctx, struct strbuf *answer, struct err *e);
/* False with *e: fn's, or there is no process, the machine is running, or Ctrl-C has been pressed. */
bool elsewhen(struct debugger *d, elsewhen_fn *fn, void *ctx, struct strbuf *answer, struct err *e);
/* In the copy: stands at a cycle before its turns, or behind cycle 0's. False with *e: history does not reach it. */
bool elsewhen_go(struct debugger *d, u64 cycle, struct err *e);
#endif
