/* arena: one contiguous reservation that holds all state which changes while the GPU runs.
 *
 * The address range is reserved once; memory is committed by touching it. Blocks are carved while the machine is built
 * and never freed one by one. A snapshot is thus "the pages that differ", and no module writes code to save itself.
 *
 * Invariant for everything stored in an arena: no pointers, only indices and offsets. The bytes are therefore the same
 * in every process, and the hash of an arena can be compared between runs and hosts. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H
#include "base/base.h"
#include "base/err.h"

struct strbuf;
struct arena_block {
	size_t at, size;  /* of one element */
	const char *what; /* its type as ARENA_NEW() wrote it; NULL: bytes */
};
struct arena {
	u8 *base;
	size_t used;             /* bytes handed out */
	size_t hashed;           /* of them, in the hash; 0 = all */
	size_t gap, gap_end;     /* but for these */
	size_t spare, spare_end; /* and for these, in front of the gap */
	size_t tail;     /* where a block begins that is handed out bit by bit, at the end of the reservation; 0: none */
	size_t reserved; /* bytes of address space */
	struct arena_block *block; /* in the order of their places; only of an arena that arena_init() has made */
	u32 nblocks;
	bool named;
};
/* Reserves bytes of zeroed address space (committed on touch). */
bool arena_init(struct arena *a, size_t bytes, struct err *e);
void arena_release(struct arena *a);
/* Zeroed block, aligned to align (a power of two). Stops the program when the reservation is exhausted: reservations
 * are sized from the config before. */
void *arena_alloc(struct arena *a, size_t bytes, size_t align);
/* The same, remembering what it is: `bytes` of elements of `size` bytes. */
void *arena_alloc_of(struct arena *a, size_t bytes, size_t size, const char *what);
#define ARENA_NEW(a, type, n) ((type *)arena_alloc_of((a), sizeof(type) * (size_t)(n), sizeof(type), #type))
/* Appends what lies at a byte: "struct packet 17, byte 24"; "struct sm (3), byte 8" in the fourth block of its type. */
void arena_where(const struct arena *a, size_t at, struct strbuf *out);
/* The last `bytes` of the reservation, a multiple of 4096, for what few programs need and most of it seldom: its pages
 * count as used, and snapshots look at them, as far as arena_reach() was told. They are not in the hash. Once. */
u8 *arena_tail(struct arena *a, size_t bytes);
/* The tail is in use up to this byte of it. What was in use stays so. */
static inline void arena_reach(struct arena *a, size_t bytes)
{
	if (a->used < a->tail + bytes)
		a->used = a->tail + bytes;
}
/* The last block of all, whose pages come into use bit by bit: they count as used, and snapshots look at them, as far
 * as arena_reach_to() was told. Behind arena_end_hashed(). */
u8 *arena_last(struct arena *a, size_t bytes);
/* All in front of `end` is in use. What was in use stays so. */
static inline void arena_reach_to(struct arena *a, const void *end)
{
	const size_t used = (size_t)((const u8 *)end - a->base);
	a->used = a->used < used ? used : a->used;
}
/* Blocks from here on are left out of the hash: what an observer remembers goes with snapshots, but is no part of the
 * machine. */
void arena_end_hashed(struct arena *a);
/* The same for the blocks between these two calls; once. */
void arena_begin_gap(struct arena *a);
void arena_end_gap(struct arena *a);
/* What a table has room for and does not hold: all of it is zero, and need not be read for the hash. It lies in front
 * of the gap; the last call counts. */
void arena_spare(struct arena *a, const void *from, const void *to);
/* XXH3 hash of the used bytes that are not zero and of where they lie; equal states have equal hashes. */
u64 arena_hash(const struct arena *a);
#endif
