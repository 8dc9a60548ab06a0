/* threec: why a read missed, after M. D. Hill and A. J. Smith, "Evaluating associativity in CPU caches", IEEE
 * Transactions on Computers 38(12), 1989, and what GPUs add to it.
 *
 * An ideal cache is kept beside each L1D and L2 slice. It holds tags only: as many lines, fully associative, LRU. It
 * gets the same references in the order in which the cache accepts them, has their data at once, and loses no line to a
 * store or to the start of a kernel. References are reads (hits, misses, merges) and writes that hit or allocate. A
 * read miss is
 *
 *   cold         if the cache has never had a reference to the line before: nothing could have hit
 *   capacity     else, if the ideal cache no longer has the line: only a larger cache could have hit
 *   sector       else, if a missing sector has never been there while the ideal cache had the line (it was not fetched,
 *                or in L2 only partly written): fetching whole lines would have hit
 *   invalidated  else, if a missing sector was removed since it was last there, by a store, an atomic, a volatile load
 *                or the start of a kernel: the ideal cache hits because it keeps the sector
 *   conflict     else: the ideal cache hits, and the line had to leave its set
 *
 * The causes are tried in this order, for the whole access, so a miss has exactly one cause. A sector that is on its
 * way when a store touches it arrives nevertheless (see l1.c), and so is not removed.
 *
 * The record is in the arena but not in the hash: nothing of the simulation depends on it. A bit per line of device
 * memory says whether the line was ever referenced; memory that is never referenced costs address space only. A line
 * outside device memory has no bit: if the ideal cache does not have it, it counts as cold each time. */
#ifndef MEM_THREEC_H
#define MEM_THREEC_H
#include "base/arena.h"
#include "base/base.h"
#include "mem/tags.h"
#include "probe/probe.h"

struct ideal_link { /* the ring through entry 0: before it the oldest, behind it the newest */
	u32 newer, older;
};
struct ideal_state {
	u32 used, lent; /* entries 1 .. used, of n - lent, hold lines */
};
struct ideal {
	u32 n, hash_shift, line_shift; /* n = 0: none is kept (mem.miss_causes) */
	u64 nlines;                    /* of device memory: bits in seen */
	struct ideal_state *st;
	/* By entry, 1 .. n: */
	u64 *line; /* its address */
	struct ideal_link *link;
	u16 *sectors; /* upper half: were there at some time since the line came; lower half: not taken away since */
	u32 *next;    /* in the chain of its bucket; 0 = the last */
	u32 *bucket;
	u32 *twin; /* by place in the cache's tags: the entry that had its line when last looked */
	u64 *seen;
};

/* Words of the record of lines ever referenced, for device memory of so many bytes. */
size_t ideal_seen_words(u64 device_bytes, u32 line_bytes);
/* seen: caches that share no line may share it. Writes nothing to the arena. */
void ideal_init(struct ideal *d, struct arena *a, const struct tags *t, u64 device_bytes, u64 *seen);
static inline void ideal_touch(struct ideal *d, u32 i, u8 have)
{
	struct ideal_link *k = d->link, was = k[i];
	u32 newest = k[0].older;
	d->sectors[i] |= (u16)(have * 0x101u);
	if (newest == i)
		return;
	k[was.newer].older = was.older;
	k[was.older].newer = was.newer;
	k[i] = (struct ideal_link){.newer = 0, .older = newest};
	k[newest].newer = i;
	k[0].older = i;
}
/* The cache has `lent` lines less than at its largest: begins anew, without forgetting which lines were ever seen. */
void ideal_resize(struct ideal *d, u32 lent);
/* A reference to the line, at a place of the cache's tags, that is no read miss; have: the sectors that are there, or
 * on their way. */
void ideal_find(struct ideal *d, u32 place, u64 line, u8 have);
static inline void ideal_use(struct ideal *d, u32 place, u64 line, u8 have)
{
	u32 i = d->twin[place];
	if (likely(d->line[i] == line))
		ideal_touch(d, i, have);
	else
		ideal_find(d, place, line, have);
}
/* A read miss on the line, which has the place now: sectors `missing` are not there, `have` will be. Counts its cause.
 */
void ideal_miss(struct ideal *d, u32 place, u64 line, u8 missing, u8 have, struct cache_counters *cc);
/* Sectors of the line are taken away. */
void ideal_invalidate(struct ideal *d, u64 line, u8 sectors);
/* Everything is taken away; but what t still has when that is anything (else NULL). */
void ideal_invalidate_all(struct ideal *d, const struct tags *t);
#endif
