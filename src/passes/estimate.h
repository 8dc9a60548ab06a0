/* estimate: registers per thread as the hardware's assembler would need them, from PTX.
 *
 * Counts the words (32 bits) that are live behind each instruction. It does not count predicates, nor values that
 * machine code reads from constant memory or encodes as an immediate: results of kernel-parameter loads, cvta of those,
 * and moves of constants. */
#ifndef PASSES_ESTIMATE_H
#define PASSES_ESTIMATE_H
#include "passes/liveness.h"

#define ESTIMATE_MIN 8 /* no kernel gets fewer */

/* What is added to max-live, by the era of the compiler (conf key isa.registers). nvcc 13 takes registers for loops
 * that it unrolls and loads that it batches; those of 2010 to 2014 took as many as our text has alive, if addresses of
 * shared memory are one word. src/MODEL.md has the figures to which the two were fitted. */
u32 estimate_fixed(u32 era);
#define ESTIMATE_FIXED 7 /* nvcc 13; also where no machine is known */

/* Which registers are not counted, by virtual register; free() it. */
bool *estimate_free(const struct fn *f);
/* Which 64-bit registers are addresses of shared or local memory alone, which machine code has in 32 bits; free() it.
 */
bool *estimate_narrow(const struct fn *f);
/* live[pc - f->begin] = counted words live behind pc; a register of `narrow` (or NULL) is one. */
void estimate_live(const struct fn *f, const struct liveness *l, const bool *narrow, u32 *live);
#endif
