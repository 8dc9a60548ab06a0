/* estimate: registers per thread as the hardware's assembler would need them, from PTX.
 *
 * Counts the words (32 bits) that are live behind each instruction. It does not count predicates, nor values that
 * machine code reads from constant memory or encodes as an immediate: results of kernel-parameter loads, cvta of those,
 * and moves of constants. */
#ifndef PASSES_ESTIMATE_H
#define PASSES_ESTIMATE_H
#include "passes/liveness.h"

#define ESTIMATE_FIXED                                                                                                 \
	7                  /* added to max-live: addressing temporaries, ABI; fitted against nvcc 13, median ratio 0.97    \
	                    */
#define ESTIMATE_MIN 8 /* no kernel gets fewer */

/* Which registers are not counted, by virtual register; free() it. */
bool *estimate_free(const struct fn *f);
/* live[pc - f->begin] = counted words live behind pc. */
void estimate_live(const struct fn *f, const struct liveness *l, u32 *live);
#endif
