#include "mem/mshr.h"
#include "base/bits.h"

void mshr_init(struct mshr_table *t, struct arena *a, u32 size, u32 merges)
{
	u32 buckets = 2u << log2_floor(size);
	*t = (struct mshr_table){.size = size, .merges = merges, .hash_mask = buckets - 1};
	t->st = ARENA_NEW(a, struct mshr_state, 1);
	t->e = ARENA_NEW(a, struct mshr_entry, size);
	t->w = ARENA_NEW(a, struct mshr_waiter, (size_t)size * merges);
	t->hash = ARENA_NEW(a, u32, buckets);
}

static u32 bucket(const struct mshr_table *t, u64 line)
{
	return (u32)((line >> 5) * 0x9e3779b97f4a7c15ull >> 40) & t->hash_mask;
}

u32 mshr_alloc(struct mshr_table *t, u64 line, u32 slot, bool keyed, u64 now, struct cache_counters *cc)
{
	mshr_account(t, now, cc);
	u32 i = t->st->free ? t->st->free - 1 : t->st->fresh++;
	struct mshr_entry *e = &t->e[i];
	if (t->st->free)
		t->st->free = e->next;
	t->st->used++;
	*e = (struct mshr_entry){.line = line, .since = now, .slot = slot, .used = true, .keyed = keyed};
	if (keyed) {
		u32 *head = &t->hash[bucket(t, line)];
		e->next = *head;
		*head = i + 1;
	}
	return i;
}

u32 mshr_find(const struct mshr_table *t, u64 line)
{
	u32 i = t->hash[bucket(t, line)];
	while (i && t->e[i - 1].line != line)
		i = t->e[i - 1].next;
	return i ? i - 1 : MSHR_NONE;
}

static void unhash(struct mshr_table *t, u32 i)
{
	u32 *p = &t->hash[bucket(t, t->e[i].line)];
	while (*p != i + 1)
		p = &t->e[*p - 1].next;
	*p = t->e[i].next;
}

static void release(struct mshr_table *t, u32 i, u64 now, struct cache_counters *cc)
{
	mshr_account(t, now, cc);
	if (t->e[i].keyed)
		unhash(t, i);
	t->e[i].used = false;
	t->e[i].next = t->st->free;
	t->st->free = i + 1;
	t->st->used--;
}

static inline u32 serve(struct mshr_table *t, u32 i, u32 sectors, u32 again, u32 *out, u64 now,
                        struct cache_counters *cc)
{
	struct mshr_entry *e = &t->e[i];
	struct mshr_waiter *w = &t->w[i * t->merges];
	u32 served = 0, kept = 0;
	for (u32 k = 0, n = e->n; k < n; k++) {
		w[k].need &= ~sectors;
		if (w[k].need)
			w[kept++] = w[k];
		else
			out[served++] = w[k].who;
	}
	e->n = (u16)kept;
	if (t->by_sector)
		t->st->asked -= (u32)__builtin_popcount(e->pending & sectors & ~again);
	e->pending &= ~sectors | again;
	if (!e->pending)
		release(t, i, now, cc);
	return served;
}

u32 mshr_arrive(struct mshr_table *t, u32 i, u32 sectors, u32 *out, u64 now, struct cache_counters *cc)
{
	return serve(t, i, sectors, 0, out, now, cc);
}

u32 mshr_arrive_but(struct mshr_table *t, u32 i, u32 sectors, u32 again, u32 *out, u64 now, struct cache_counters *cc)
{
	return serve(t, i, sectors, again, out, now, cc);
}
