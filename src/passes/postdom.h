/* postdom: immediate post-dominators, the reconvergence points of a SIMT stack. */
#ifndef PASSES_POSTDOM_H
#define PASSES_POSTDOM_H
#include "passes/cfg.h"

/* ipdom[b] = immediate post-dominator of block b; g->nblocks stands for the virtual exit. `ipdom` has g->nblocks
 * entries.
 *
 * Blocks from which no exit can be reached (endless loops) get a pseudo edge to the exit from the last such block in
 * pc order, repeated until every block reaches it, so that branches inside an endless loop still reconverge within it.
 */
void postdom_compute(const struct cfg *g, u32 *ipdom);
/* Fills inst.reconv of the function's branches (-1 = the function's exit) and calls (the next pc). */
void postdom_set_reconv(const struct fn *f, const struct cfg *g);
#endif
