/* roots: which buffers an address may point into, for idempotence (see there for the rules). A set of roots is a mask:
 * kernel parameters and .global variables one bit each, in order of appearance. */
#ifndef PASSES_ROOTS_H
#define PASSES_ROOTS_H
#include "base/err.h"
#include "passes/cfg.h"

#define ROOT_UNKNOWN (1ull << 63) /* may point anywhere */
#define ROOT_CTA (1ull << 62)     /* into shared or local memory, through a generic address */
#define ROOT_BUFFERS 62           /* later ones count as ROOT_UNKNOWN */

struct root_names {
	s64 key[ROOT_BUFFERS]; /* >= 0: parameter at this byte offset; < 0: symbol -1 - key */
	u32 n;
	bool merged; /* all of them may be the same buffer: one bit for all */
};
/* The roots of the base address of every memory instruction of f, UNKNOWN when nothing is known about it:
 * base[pc - f->entry], 0 for the others. False when the tables would need more than max_bytes. */
bool roots_find(const struct module *m, const struct func *f, struct root_names *names, u64 *base, u64 max_bytes,
                struct err *e);
#endif
