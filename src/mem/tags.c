#include "mem/tags.h"
#include "base/bits.h"

#define COUNTS_4(n) (n), (n) + 1, (n) + 1, (n) + 2
#define COUNTS_16(n) COUNTS_4(n), COUNTS_4((n) + 1), COUNTS_4((n) + 1), COUNTS_4((n) + 2)
#define COUNTS_64(n) COUNTS_16(n), COUNTS_16((n) + 1), COUNTS_16((n) + 1), COUNTS_16((n) + 2)
const u8 sector_counts[256] = {COUNTS_64(0), COUNTS_64(1), COUNTS_64(1), COUNTS_64(2)};

_Static_assert(sizeof(struct line) == sizeof(u64), "tags, keys and lines share their index");

void tags_init(struct tags *t, struct arena *a, u32 sets, u32 ways, u32 line_bytes, enum tags_hash hash)
{
	if (hash == TAGS_FERMI && sets != 32 && sets != 64)
		hash = TAGS_XOR;
	*t = (struct tags){.sets = sets, .ways = ways, .line_shift = log2_floor(line_bytes), .hash = (u8)hash};
	t->full = (u8)bit_range(line_bytes / SECTOR_BYTES);
	t->stamp = ARENA_NEW(a, u64, 1);
	t->tag = ARENA_NEW(a, u64, (size_t)sets * ways * TAGS_WORDS);
	t->key = t->tag + ways;
	t->line = (struct line *)(void *)(t->tag + 2 * (size_t)ways);
}

/* A key holds its own way, so the least key is all that has to be found; a free line (0) never got one. */
u32 tags_victim(const struct tags *t, u32 set, u32 ways)
{
	const u32 first = tags_place(t, set, 0);
	const u64 *key = &t->key[first];
	u64 oldest = key[0], other = NEVER;
	u32 w = 1;
	for (; w + 2 <= ways; w += 2) {
		oldest = MIN(oldest, key[w]);
		other = MIN(other, key[w + 1]);
	}
	if (w < ways)
		oldest = MIN(oldest, key[w]);
	oldest = MIN(oldest, other);
	if (oldest & TAGS_RESERVED)
		return TAGS_NONE;
	if (oldest)
		return first + (((u32)oldest - first) & (u32)bit_range(TAGS_WAY_BITS));
	for (w = 0; key[w];)
		w++;
	return first + w;
}

void tags_drop(struct tags *t, u32 i)
{
	t->tag[i] = 0;
	t->key[i] = 0;
	t->line[i] = (struct line){0};
}
