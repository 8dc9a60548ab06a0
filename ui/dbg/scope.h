/* scope: which part of the run all figures are of (gpu/scope.h): a range of cycles, the run of a launch or of a
 * program, what has happened since the last stop. What had been counted at its two ends is found by going there, or is
 * still known: the last totals are kept. The machine comes back to where it was. */
#ifndef UI_DBG_SCOPE_H
#define UI_DBG_SCOPE_H
#include "dbg/state.h"

/* Cycles [from, to); to NEVER: from there on. False with *e: beyond what has been simulated, or before history begins,
 * an empty range, no history; the scope is as it was. */
bool scope_cycles(struct debugger *d, u64 from, u64 to, struct err *e);
/* The run of a launch so far, or of all launches of a program. */
bool scope_launch(struct debugger *d, u32 launch, struct err *e);
bool scope_program(struct debugger *d, const char *name, struct err *e);
/* From the last stop to this one, and so at each stop from now on. */
void scope_since_last(struct debugger *d);
/* The whole run again. */
void scope_end(struct debugger *d);

/* For who looks at other parts of the run: keeps the scope there is, and brings it back. Once at a time. */
void scope_keep(struct debugger *d, struct dbg_scope *was);
void scope_bring_back(struct debugger *d, const struct dbg_scope *was);

/* The machine stands, perhaps elsewhere. */
void scope_arrived(struct debugger *d);
/* History has forked at the present cycle, or begins anew: what was counted later is void. */
void scope_forked(struct debugger *d);
void scope_restarted(struct debugger *d);
void scope_release(struct debugger *d);

/* What the figures are of, in words: "cycles 10,000 to 20,000", "kernel 2, bfs_kernel: cycles ..."; short: for a title.
 * Appends nothing when they are of the whole run. */
void scope_text(const struct debugger *d, bool brief, struct strbuf *out);
/* Its cycles, as far as the machine is. False: the whole run. */
bool scope_range(const struct debugger *d, u64 *from, u64 *to);
#endif
