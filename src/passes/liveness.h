/* liveness: where each virtual register's value is needed, per thread (lanes are separate storage, so divergence does
 * not matter). A guarded definition does not end a live range: lanes whose guard is false keep the old value. */
#ifndef PASSES_LIVENESS_H
#define PASSES_LIVENESS_H
#include "base/err.h"
#include "passes/cfg.h"

/* A register occupies the pcs [from, to): from its definition (or a block's start where it is live) to its last use,
 * both included. A definition that nothing reads occupies its own pc. */
struct live_seg {
	u32 reg, from, to;
	bool at_def; /* `from` is the definition's pc: the value exists only behind it */
};
struct liveness {
	struct live_seg *segs; /* sorted by register, then by pc; neighbours may share a pc that reads and redefines */
	u32 nsegs;
	u32 *first; /* segments of r: segs[first[r] .. first[r + 1]) */
	u32 nregs;
};
/* False when the function's live sets would need more than LIVE_BYTES_MAX. */
#define LIVE_BYTES_MAX (1ull << 30)
bool liveness_compute(struct liveness *l, const struct fn *f, const struct cfg *g, struct err *e);
void liveness_release(struct liveness *l);
#endif
