/* curves: what the machine did over the part of the run that figures are of (dbg/scope.h), as columns of equal length,
 * at most CURVE_COLUMNS of them. The last may be shorter. The columns' counts add up to those of the whole part.
 *
 * They depend on the part alone, not on the way by which the machine has come to its cycle: where the samples that the
 * session keeps (session->timeline) are too coarse, or do not begin and end with the part, a copy of the process goes
 * through that part again (dbg/elsewhen.h). */
#ifndef UI_DBG_CURVES_H
#define UI_DBG_CURVES_H
#include "dbg/state.h"
#include "obs/stats/sample.h"

#define CURVE_COLUMNS 512u
#define CURVE_FINEST 16u /* cycles of a column at least */
struct curves {
	u64 from, to, width; /* cycles [from, to); of a column: CURVE_FINEST times a power of two */
	u32 n, sms;
	struct sample *machine; /* [n] */
	u64 *warp_cycles;       /* [sm * n + column]: sum over cycles of resident warps */
};
/* Of a whole run whose session keeps samples, as `run --report` has it. */
void curves_of_run(struct session *s, struct curves *out);
/* Of the debugger's machine. False with *e: interrupted, or history does not reach there. */
bool curves_gather(struct debugger *d, struct curves *out, struct err *e);
void curves_release(struct curves *c);
/* The middle of a column, in cycles. */
double curves_middle(const struct curves *c, u32 column);
#endif
