/* Who took a lock: for every word that an atom.cas, atom.exch or atom.or changed - by which locks are taken -, the last
 * such change. Tables without chains: a word that falls into the place of another displaces it, so that of programs
 * with very many locks some are forgotten. Nothing the program does depends on them.
 *
 * Words of device memory share one table, written at the end of a cycle in SM order; each SM has one of its own for
 * shared memory, whose atomics act at issue. */
#include "front/ptx/runtime/locks.h"

#include "base/bits.h"
#include "front/ptx/ops.h"

#define DEVICE_PLACES 1024
#define SHARED_PLACES 64

u64 locks_bytes(u32 nsms)
{
	return (DEVICE_PLACES + (u64)nsms * SHARED_PLACES) * sizeof(struct lock_change);
}

void locks_create(struct ptx *f, struct arena *a)
{
	f->locks = ARENA_NEW(a, struct lock_change, DEVICE_PLACES);
	f->shared_locks = ARENA_NEW(a, struct lock_change, (size_t)f->nsms * SHARED_PLACES);
}

static struct lock_change *place(const struct ptx *f, enum space space, u32 sm, u32 slot, u64 addr)
{
	const u64 mixed = (addr / 2 + (u64)slot * 0x9e3779b9u) * 0x9e3779b97f4a7c15ull >> 32;
	return space == SPC_SHARED ? &f->shared_locks[sm * SHARED_PLACES + mixed % SHARED_PLACES]
	                           : &f->locks[mixed % DEVICE_PLACES];
}

static void note(struct ptx *f, enum space space, const struct lock_by *by, u32 lane, u64 addr, u64 value)
{
	const struct warp *w = &f->warps[by->sm * f->nwarps + by->warp];
	struct lock_change *c = place(f, space, by->sm, w->slot, addr);
	c->addr = addr;
	c->value = value;
	c->cycle = by->cycle;
	c->cta = f->ctas[by->sm * f->nslots + w->slot].id;
	c->launch = w->launch;
	c->pc = by->pc;
	c->sm = (u16)by->sm;
	c->warp = (u16)by->warp;
	c->warp_in_cta = (u16)w->index;
	c->slot = (u8)w->slot;
	c->lane = (u8)(lane + 1);
}

/* Lanes in order, as they acted: the last change of a word stays. */
void lock_note(struct ptx *f, enum space space, const struct lock_by *by, const struct inst *in, u32 lanes,
               const struct lock_lanes *l)
{
	const u64 mask = bit_range(8 * ptype_bytes(in->type));
	for (u32 left = lanes; left; left &= left - 1) {
		const u32 i = first_lane(left);
		const u64 old = l->old[i] & mask, b = l->b[i] & mask;
		u64 now = in->atom == ATOM_OR ? old | b : b;
		if (in->atom == ATOM_CAS)
			now = old == b ? l->c[i] & mask : old;
		if (now != old)
			note(f, space, by, i, l->addr[i], now);
	}
}

const struct lock_change *ptx_lock(const struct front *front, enum space space, u32 sm, u32 slot, u64 addr)
{
	const struct ptx *f = ptx_const(front);
	const struct lock_change *c = place(f, space, sm, slot, addr);
	const struct cta *own = &f->ctas[sm * f->nslots + slot];
	if (c->addr != addr || !c->lane)
		return NULL;
	/* Shared memory is a CTA's own: what one before it did in its slot tells nothing of this one's. */
	bool theirs = c->slot == slot && c->cta == own->id && c->launch == own->launch;
	return space != SPC_SHARED || theirs ? c : NULL;
}
