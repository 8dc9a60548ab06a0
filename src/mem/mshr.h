/* mshr: miss status holding registers - one entry per line (or set of its sectors) on its way, with the list of
 * requests that wait for it. Used by the SM's caches (waiters are answer words) and by the L2 slices (waiters are
 * packets). */
#ifndef MEM_MSHR_H
#define MEM_MSHR_H
#include "base/arena.h"
#include "base/base.h"
#include "probe/probe.h"

#define MSHR_NONE UINT32_MAX

struct mshr_entry {
	u64 line, since;
	u32 slot; /* index into the tags of the line reserved; TAGS_NONE: none (cache off, or invalidated meanwhile) */
	u32 next; /* entry + 1: free list, or the hash chain of `keyed` entries */
	u16 n;    /* waiters */
	bool used, keyed;
	u32 pending; /* sectors (denovo: words) asked for and not arrived */
};
struct mshr_waiter {
	u32 who;
	u32 need; /* sectors, or words, it still waits for */
};
struct mshr_state {
	u64 last;        /* cycle up to which mshr_cycles is counted */
	u32 used, fresh; /* entries in use; entries never used yet start at fresh */
	u32 free;        /* entry + 1 */
	u32 asked;       /* by_sector: sectors on their way, of all entries */
};
struct mshr_table {
	u32 size, merges, hash_mask;
	bool by_sector; /* a register is for a sector: `size` sectors are on their way at most */
	struct mshr_state *st;
	struct mshr_entry *e;
	struct mshr_waiter *w; /* merges per entry */
	u32 *hash;             /* entry + 1: entries without a line of their own in the tags, found by address */
};

void mshr_init(struct mshr_table *t, struct arena *a, u32 size, u32 merges);
/* Is an entry free? */
static inline bool mshr_available(const struct mshr_table *t)
{
	return t->st->used < t->size;
}
/* May n more sectors be on their way? */
static inline bool mshr_sectors_room(const struct mshr_table *t, u32 n)
{
	return !t->by_sector || t->st->asked + n <= t->size;
}
/* They are, for entry i, which does not wait for them yet. */
static inline void mshr_ask(struct mshr_table *t, u32 i, u32 sectors)
{
	t->e[i].pending |= sectors;
	if (t->by_sector)
		t->st->asked += (u32)__builtin_popcount(sectors);
}
static inline bool mshr_mergeable(const struct mshr_table *t, u32 i)
{
	return t->e[i].n < t->merges;
}
/* Takes a free entry (there must be one) for a line. keyed: mshr_find() shall find it. */
u32 mshr_alloc(struct mshr_table *t, u64 line, u32 slot, bool keyed, u64 now, struct cache_counters *cc);
/* The keyed entry of a line or MSHR_NONE. */
u32 mshr_find(const struct mshr_table *t, u64 line);
/* Adds a waiter (there must be room). */
static inline void mshr_wait(struct mshr_table *t, u32 i, u32 who, u32 need)
{
	t->w[i * t->merges + t->e[i].n++] = (struct mshr_waiter){.who = who, .need = need};
}
/* Sectors (or words) arrive: takes the waiters that need nothing more, in order, into out[merges]; returns how many.
 * Frees the entry when nothing is pending any more. */
u32 mshr_arrive(struct mshr_table *t, u32 i, u32 sectors, u32 *out, u64 now, struct cache_counters *cc);
/* The same; of them `again` come once more, which nobody waits for: the entry stays until then. */
u32 mshr_arrive_but(struct mshr_table *t, u32 i, u32 sectors, u32 again, u32 *out, u64 now, struct cache_counters *cc);
/* Brings cc->mshr_cycles up to date. */
static inline void mshr_account(struct mshr_table *t, u64 now, struct cache_counters *cc)
{
	if (now <= t->st->last)
		return;
	cc->mshr_cycles += (now - t->st->last) * t->st->used;
	t->st->last = now;
}
#endif
