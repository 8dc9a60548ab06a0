/* locks: which warp changed a lock word last. */
#ifndef FRONT_PTX_RUNTIME_LOCKS_H
#define FRONT_PTX_RUNTIME_LOCKS_H
#include "front/ptx/runtime/state.h"

struct lock_by { /* the atomic: of which cycle, by which warp slot */
	u64 cycle;
	u32 sm, warp, pc;
};
struct lock_lanes { /* by lane: address, operands (c: second value of cas), what was there before */
	const u64 *addr, *b, *c, *old;
};
/* May this atomic take a lock? */
static inline bool lock_op(const struct inst *in)
{
	return in->op == OP_ATOM && (in->atom == ATOM_CAS || in->atom == ATOM_EXCH || in->atom == ATOM_OR);
}
/* Remembers which of the lanes changed their words. */
void lock_note(struct ptx *f, enum space space, const struct lock_by *by, const struct inst *in, u32 lanes,
               const struct lock_lanes *l);
u64 locks_bytes(u32 nsms); /* of the arena */
void locks_create(struct ptx *f, struct arena *a);
#endif
