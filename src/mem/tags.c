#include "mem/tags.h"
#include "base/bits.h"

void tags_init(struct tags *t, struct arena *a, u32 sets, u32 ways, u32 line_bytes, bool hash)
{
	*t = (struct tags){.sets = sets, .ways = ways, .line_shift = log2_floor(line_bytes), .hash = hash};
	t->full = (u8)bit_range(line_bytes / SECTOR_BYTES);
	t->stamp = ARENA_NEW(a, u64, 1);
	t->tag = ARENA_NEW(a, u64, (size_t)sets * ways);
	t->line = ARENA_NEW(a, struct line, (size_t)sets * ways);
}

u32 tags_victim(const struct tags *t, u32 set)
{
	u32 first = set * t->ways, best = TAGS_NONE;
	u64 oldest = NEVER;
	for (u32 i = first; i < first + t->ways; i++) {
		if (!t->tag[i])
			return i;
		if (!t->line[i].pending && t->line[i].used < oldest) {
			oldest = t->line[i].used;
			best = i;
		}
	}
	return best;
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
	t->line[i] = (struct line){0};
}
