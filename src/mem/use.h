/* use: tells a listener of accesses to L1D and L2 (probe/uses.h). What an access has done is read off the cache before
 * and behind it, so nothing of this runs while nobody listens. */
#ifndef MEM_USE_H
#define MEM_USE_H
#include "mem/mem.h"
#include "probe/uses.h"

/* A cache before an access. */
struct use_look {
	u64 stamp, hits, misses, merges;
	u64 addr; /* of L2: what the request asks for */
	u32 packet, set, kernel;
	u16 sm;
	u8 cache, op, need;
	bool partial, absent; /* absent: the line is not there */
};
void use_look(const struct mem *m, u32 sm, enum mem_cache c, u64 addr, struct use_look *out);
/* The cache has accepted it. n: who asks (cycle, kernel, cta, pc, warp). */
void use_tell(const struct mem *m, u32 sm, enum mem_cache c, enum mem_op op, const struct mem_txn *t,
              const struct use_look *before, struct use_news *n);
/* The same of a slice and a packet. */
void use_look_slice(const struct mem *m, u32 slice, u32 packet, struct use_look *out);
void use_tell_slice(const struct mem *m, u32 slice, const struct use_look *before, u64 now);
void use_tell_gone(const struct mem *m, u32 sm, u64 line, u8 sectors, u64 now);
void use_tell_emptied(const struct mem *m, u32 sm);

/* --- what listeners and pictures ask ------------------------------------------------------------------------------ */
/* Requests that an SM's miss queue holds at most, and packets that there are. */
void mem_use_rooms(const struct mem *m, u32 *requests, u32 *packets);
/* Where a line of an SM's L1D is, by set and way; USE_NOWHERE: it is not there. */
u32 mem_l1d_place(const struct mem *m, u32 sm, u64 line);

/* The size of an SM's L1D, or of a slice. ways: those that it can have; lent: of these shared memory has the last ones.
 */
struct cache_shape {
	u32 sets, ways, lent, line, sectors; /* line: B; sectors: of a line */
};
void mem_l1d_shape(const struct mem *m, u32 sm, struct cache_shape *out);
void mem_slice_shape(const struct mem *m, u32 slice, struct cache_shape *out);
/* What lies at a place of the cache now. */
struct cached_line {
	bool there;
	u64 addr;
	u8 valid, pending, dirty; /* sectors; pending: reserved, an MSHR waits for them */
	u32 rank;                 /* in the order of replacement of its set: 0 = used last */
	u64 behind;               /* uses of other lines of the cache, or of this one again, since it was last used */
	u32 launch;               /* of L1D: the CTA that brought it in */
	u64 cta;
};
void mem_l1d_line(const struct mem *m, u32 sm, u32 place, struct cached_line *out);
void mem_slice_line(const struct mem *m, u32 slice, u32 place, struct cached_line *out);
#endif
