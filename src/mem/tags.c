#include "mem/tags.h"
#include "base/bits.h"

void tags_init(struct tags *t, struct arena *a, u32 sets, u32 ways, u32 line_bytes, bool hash)
{
	*t = (struct tags){.sets = sets, .ways = ways, .line_shift = log2_floor(line_bytes), .hash = hash};
	t->full = (u8)bit_range(line_bytes / SECTOR_BYTES);
	t->stamp = ARENA_NEW(a, u64, 1);
	t->tag = ARENA_NEW(a, u64, (size_t)sets * ways);
	t->key = ARENA_NEW(a, u64, (size_t)sets * ways);
	t->line = ARENA_NEW(a, struct line, (size_t)sets * ways);
}

u32 tags_victim(const struct tags *t, u32 set)
{
	const u64 *key = &t->key[set * t->ways];
	u32 best = 0;
	u64 oldest = key[0];
	for (u32 w = 1; w < t->ways; w++) {
		best = key[w] < oldest ? w : best;
		oldest = key[w] < oldest ? key[w] : oldest;
	}
	return oldest == NEVER ? TAGS_NONE : set * t->ways + best;
}

void tags_install(struct tags *t, u32 i, u64 line)
{
	t->tag[i] = line + 1;
	t->line[i] = (struct line){0};
	tags_touch(t, i);
}

void tags_drop(struct tags *t, u32 i)
{
	t->tag[i] = 0;
	t->key[i] = 0;
	t->line[i] = (struct line){0};
}
