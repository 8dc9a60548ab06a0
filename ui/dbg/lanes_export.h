/* lanes_export: warps over time as a file for another program. */
#ifndef UI_DBG_LANES_EXPORT_H
#define UI_DBG_LANES_EXPORT_H
#include "dbg/state.h"

/* Writes cycles [from, to) of an SM for Konata (obs/record/konata.h): to NEVER: up to the farthest cycle of the run.
 * The file is there when it is complete. False with *e: no history, cycles that have not been simulated, interrupted,
 * or the file cannot be written. */
bool lanes_export(struct debugger *d, const char *file, u32 sm, u64 from, u64 to, struct err *e);
/* The focused SM, and the scope or all of history. */
bool lanes_export_all(struct debugger *d, const char *file, s32 sm, struct err *e);
#endif
