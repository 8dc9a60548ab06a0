/* idempotence: where a kernel can no longer be restarted from its start (Park 2016, sections 4.2.2 and 4.3.4): atomics,
 * and overwrites of global memory that the kernel reads. A CTA may be flushed as long as none of its warps has executed
 * one of these instructions (relaxed condition). A kernel without any may be flushed at all times (strict condition).
 *
 * They are found from the code alone, for every launch of it. Addresses are followed to the *buffer* into which they
 * point: 8-byte kernel parameters and .global variables, through moves, conversions, additions, logic and selects, slot
 * by slot along the control flow. A store overwrites if the kernel, or a function that it calls, has a load of the same
 * buffer anywhere; indices, order and guards are not compared. So "yes" is safe, and "no" may be too careful:
 *
 *   - An address may point anywhere if it comes from memory (a pointer in an array, 64-bit indices), from a parameter
 *     whose place is computed, from a function's parameter or from a call's result, or if there is no buffer in it. As
 *     a store it overwrites as soon as anything is loaded; as a load it makes every store an overwrite.
 *   - A generic address counts as shared or local memory only if nothing but cvta of those spaces makes it.
 *   - An indirect call may reach every device function.
 *   - printf counts: a restart prints again.
 *
 * Assumptions:
 *
 *   - Different parameters point into different buffers, no .global variable lies in one of them, and an access stays
 *     inside its buffer. With `params_may_alias` the parameters may all point to the same buffer.
 *   - Products, quotients, shifts, and values narrower than 64 bits from memory are no pointers. (An 8-byte parameter
 *     that is an integer added unscaled to two addresses makes them look alike: too careful, not wrong.)
 *   - The kernel does not write what it reads through textures, which CUDA leaves undefined.
 *
 * Shared, local and parameter memory start afresh with the CTA and do not count. Constant memory cannot be stored
 * to. */
#ifndef PASSES_IDEMPOTENCE_H
#define PASSES_IDEMPOTENCE_H
#include "base/err.h"
#include "passes/fn.h"

enum idem_cause {
	IDEM_ATOMIC,    /* atomic or reduction on memory that may be global */
	IDEM_OVERWRITE, /* store into a buffer that the kernel loads from */
	IDEM_UNKNOWN,   /* store, where its address or a load's could not be followed to a buffer */
	IDEM_PRINT,     /* printf */
	IDEM_CAUSES
};
extern const char *const idem_cause_names[IDEM_CAUSES]; /* "atomic", "overwrite", "unknown address", "printf" */

#define IDEM_NO_PC UINT32_MAX
struct idem_point { /* before this instruction the CTA has to give notice that it cannot be flushed any more */
	u32 pc;         /* in the kernel or a function that it calls */
	enum idem_cause cause;
	u32 reads; /* overwrite, unknown: pc of the first load (or atomic) that may read what is overwritten; IDEM_NO_PC */
};
struct idempotence {
	bool idempotent;         /* strict condition: npoints == 0 */
	struct idem_point *list; /* sorted by pc */
	u32 npoints;
	u32 entry;      /* the kernel's first pc */
	u8 *may_follow; /* 1 = one of the points may have been executed when a warp is here: may_follow[pc - entry] */
	u32 clean;      /* instructions of the kernel's own code with may_follow 0 */
};
struct idem_params {
	bool params_may_alias;
};
/* False with *e for a function that is no kernel, and for one whose tables would need more than IDEM_BYTES_MAX. Release
 * with idempotence_release. */
#define IDEM_BYTES_MAX (1ull << 30)
bool idempotence_find(struct idempotence *r, const struct module *m, const struct func *f, const struct idem_params *p,
                      struct err *e);
void idempotence_release(struct idempotence *r);
#endif
