/* far: an L2 of two parts (l2.parts=2). Each SM has a near and a far one.
 *
 *   SM -> slice of the same number in the near part (entry) -> the line's own slice (home) in the far one -> back
 *
 * A request for a line of the near part comes to its home at once, as with one part. Any other one comes to its entry
 * and passes that slice's pipeline. There a read of which all sectors are in the entry's tags queues for the slice's
 * port, and is answered: they are a copy. Otherwise the request crosses over (l2.far_latency cycles), waiting for
 * nothing at the entry, and is served at its home. A slice takes requests of its input and those that come by the other
 * part or want a copy in the order in which they are ready; one that is refused stops those behind it. The answer
 * crosses back and leaves for the SM by the entry. So without other traffic an answer of the far part comes exactly 2 x
 * l2.far_latency cycles later than one of the near part, be it a hit or a miss.
 *
 * With l2.far_copies what a read has brought stays at the entry as a copy: clean sectors of a line whose home is
 * elsewhere. It makes room for itself as any line does, but waits for nothing: if every line of the set is reserved, or
 * DRAM's queue is full for the dirty line that has to leave, nothing is kept. The home is the point of coherence: when
 * it serves a store or an atomic, the copy loses these sectors in the same cycle. A copy that is on its way then
 * arrives nevertheless.
 *
 * A request keeps a place at its entry until its answer is back there, and there are as many more of these places as
 * cycles in twice l2.far_latency. Nothing can deadlock: what is in the far part waits for nothing at its entry, and the
 * entry takes every answer. An access is counted where it is served, once. */
#ifndef MEM_FAR_H
#define MEM_FAR_H
#include "mem/impl.h"

/* The part that an SM is near to, and the part of a slice. */
static inline u32 far_side(u32 sm)
{
	return sm >> 1 & 1;
}
static inline u32 far_part(const struct mem *m, u32 slice)
{
	return slice >= m->nslices / 2;
}
/* The slice of the same number in the other part. */
static inline u32 far_twin(const struct mem *m, u32 slice)
{
	return far_part(m, slice) ? slice - m->nslices / 2 : slice + m->nslices / 2;
}
/* Is the slice in the other part than the SM is near to? */
static inline bool far_is(const struct mem *m, u32 sm, u32 slice)
{
	return m->parted && far_part(m, slice) != far_side(sm);
}
/* Where a request of the SM enters L2; the rest is the place of its line. */
static inline struct mem_place far_entry(const struct mem *m, u32 sm, u64 addr)
{
	struct mem_place p = map_place(&m->map, addr);
	if (unlikely(far_is(m, sm, p.slice)))
		p.slice = far_twin(m, p.slice);
	return p;
}
/* A packet comes from the network to a slice: true if its line's home is another one, and the packet is on its way. Its
 * time at the slice's tags is set (ready). */
bool far_enter(struct mem *m, u32 slice, u32 p);
/* A packet that was queued for a copy is next: true if the copy is gone, and the packet on its way to its home. */
bool far_pass(struct mem *m, u32 slice, u32 p, u64 now);
/* The home has served a packet of the other part: its answer leaves. */
void far_return(struct mem *m, u32 p, u64 now);
/* The home has served a store or an atomic. */
void far_drop_copy(struct mem *m, u32 slice, const struct packet *p);
/* Sectors of the line that are in a copy. */
u8 far_copy_of(const struct mem *m, u64 addr);
#endif
