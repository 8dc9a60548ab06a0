/* reuses: reuse distances of the accesses of L1D and L2 (obs/record/reuse.h) in the scope (scope.h), or in the run so
 * far. They are found by going through the run again from the start of history, so that a line used before the scope is
 * no new one; the last ones asked for are kept. */
#ifndef UI_DBG_REUSES_H
#define UI_DBG_REUSES_H
#include "dbg/state.h"
#include "obs/record/reuse.h"

/* NULL with *e: no history, an interrupt, the machine runs. The debugger's, until it is asked again. what: who asks,
 * for messages. */
const struct reuse *reuses_get(struct debugger *d, const char *what, struct err *e);
/* History has forked at the present cycle; the machine has been built anew; the debugger goes. */
void reuses_forked(struct debugger *d);
void reuses_release(struct debugger *d);

/* In words: one SM's L1D or one slice (unit; -1: all of the level). */
void reuse_text(const struct reuse *r, enum reuse_level level, s32 unit, struct strbuf *out);
/* The n instructions with most accesses. */
void reuse_lines_text(const struct reuse *r, u32 n, struct strbuf *out);
#endif
