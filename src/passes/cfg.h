/* cfg: basic blocks of a function and the edges between them. ret, exit and trap lead to a virtual exit block that has
 * no entry in `blocks` (see block.exits). A call falls through: control comes back. */
#ifndef PASSES_CFG_H
#define PASSES_CFG_H
#include "passes/fn.h"

struct block {
	u32 begin, end;  /* pcs */
	u32 succ, nsucc; /* successors: edges[succ .. succ + nsucc) */
	u32 pred, npred; /* predecessors: edges[pred .. pred + npred) */
	bool exits;      /* has an edge to the virtual exit */
};
struct cfg {
	struct block *blocks; /* in pc order; block 0 is the function's entry */
	u32 nblocks;
	u32 *edges;    /* block numbers */
	u32 *block_of; /* block of pc: block_of[pc - fn->begin] */
};
/* Branch targets must lie within the function. Release with cfg_release. */
void cfg_build(struct cfg *g, const struct fn *f);
void cfg_release(struct cfg *g);
#endif
