#include "mem/threec.h"

#include "base/bits.h"
#include "ir/devmem.h"

size_t ideal_seen_words(u64 device_bytes, u32 line_bytes)
{
	return ceil_div(ceil_div(device_bytes, line_bytes), 64);
}

void ideal_init(struct ideal *d, struct arena *a, const struct tags *t, u64 device_bytes, u64 *seen)
{
	u32 n = t->sets * t->ways, log = log2_floor(n) + 1;
	*d = (struct ideal){.n = n, .hash_shift = 64 - log, .line_shift = t->line_shift, .seen = seen};
	d->nlines = ceil_div(device_bytes, 1ull << t->line_shift);
	d->st = ARENA_NEW(a, struct ideal_state, 1);
	d->line = ARENA_NEW(a, u64, (size_t)n + 1);
	d->link = ARENA_NEW(a, struct ideal_link, (size_t)n + 1);
	d->sectors = ARENA_NEW(a, u16, (size_t)n + 1);
	d->next = ARENA_NEW(a, u32, (size_t)n + 1);
	d->bucket = ARENA_NEW(a, u32, (size_t)1 << log);
	d->twin = ARENA_NEW(a, u32, (size_t)n * TAGS_WORDS);
}

static inline u32 *bucket_of(const struct ideal *d, u64 line)
{
	return &d->bucket[line * 0x9e3779b97f4a7c15ull >> d->hash_shift];
}

/* The line's entry in its bucket; 0 = not there. */
static inline u32 find(const struct ideal *d, u32 i, u64 line)
{
	while (i && d->line[i] != line)
		i = d->next[i];
	return i;
}

static inline void unhash(struct ideal *d, u32 i)
{
	u32 *at = bucket_of(d, d->line[i]);
	while (*at != i)
		at = &d->next[*at];
	*at = d->next[i];
}

/* Was the line referenced before? It is from now on. An address outside device memory, which no allocation has, is not
 * remembered: always for the first time, a cold miss. */
static inline bool test_and_set_seen(struct ideal *d, u64 line)
{
	u64 i = (line - DEVMEM_BASE) >> d->line_shift, bit = BIT(i % 64), was;
	if (unlikely(i >= d->nlines))
		return false;
	was = d->seen[i / 64];
	d->seen[i / 64] = was | bit;
	return was & bit;
}

/* The line takes the place of the one not referenced for longest. */
static inline u32 enter(struct ideal *d, u32 *head, u64 line)
{
	struct ideal_link *k = d->link;
	u32 i = k[0].newer;
	if (likely(d->st->used == d->n - d->st->lent)) {
		unhash(d, i);
	} else { /* a free one becomes the oldest */
		u32 oldest = i;
		i = ++d->st->used;
		k[i].newer = oldest;
		k[oldest].older = i;
		k[0].newer = i;
	}
	d->line[i] = line;
	d->sectors[i] = 0;
	d->next[i] = *head;
	*head = i;
	return i;
}

void ideal_resize(struct ideal *d, u32 lent)
{
	for (u32 i = 1; i <= d->st->used; i++) {
		*bucket_of(d, d->line[i]) = 0;
		d->line[i] = 0; /* no twin's line */
		d->link[i] = (struct ideal_link){0};
	}
	d->link[0] = (struct ideal_link){0};
	*d->st = (struct ideal_state){.lent = lent};
}

void ideal_find(struct ideal *d, u32 place, u64 line, u8 have)
{
	u32 *head = bucket_of(d, line), i = find(d, *head, line);
	if (!i) {
		test_and_set_seen(d, line);
		i = enter(d, head, line);
	}
	d->twin[place] = i;
	ideal_touch(d, i, have);
}

static inline enum miss_cause cause_there(u16 sectors, u8 missing)
{
	if (missing & ~(sectors >> 8))
		return MISS_SECTOR;
	return missing & ~sectors ? MISS_INVALIDATED : MISS_CONFLICT;
}

void ideal_miss(struct ideal *d, u32 place, u64 line, u8 missing, u8 have, struct cache_counters *cc)
{
	enum miss_cause why;
	u32 *head = bucket_of(d, line), i = find(d, *head, line);
	if (i) {
		why = cause_there(d->sectors[i], missing);
	} else {
		why = test_and_set_seen(d, line) ? MISS_CAPACITY : MISS_COLD;
		i = enter(d, head, line);
	}
	++*miss_counter(cc, why);
	d->twin[place] = i;
	ideal_touch(d, i, have);
}

void ideal_invalidate(struct ideal *d, u64 line, u8 sectors)
{
	u32 i = find(d, *bucket_of(d, line), line);
	if (i)
		d->sectors[i] &= (u16)~sectors;
}

static u8 valid_of(const struct tags *t, u64 line)
{
	u32 i = tags_find(t, tags_set(t, line >> t->line_shift), line);
	return i == TAGS_NONE ? 0 : t->line[i].valid;
}

void ideal_invalidate_all(struct ideal *d, const struct tags *t)
{
	for (u32 i = 1; i <= d->st->used; i++)
		d->sectors[i] &= (u16)(0xff00 | (t ? valid_of(t, d->line[i]) : 0));
}
