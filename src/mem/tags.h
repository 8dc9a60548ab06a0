/* tags: the tag array of a set-associative cache, used by the SM's caches and the L2 slices. LRU; a line may be valid,
 * waited for (pending) and dirty by 32 B sector. A machine without sectors simply always uses the full mask. */
#ifndef MEM_TAGS_H
#define MEM_TAGS_H
#include "base/arena.h"
#include "base/base.h"

#define TAGS_NONE UINT32_MAX
#define SECTOR_BYTES 32

struct line {
	u64 used;      /* LRU stamp and index, as in key */
	u16 mshr;      /* entry that waits for the line; meaningful while pending != 0 */
	u8 valid;      /* sectors that may be read */
	u8 pending;    /* sectors on their way: the line is reserved while any is */
	u8 dirty;      /* sectors to be written back; not in valid = written in part only, so a read must fetch it first */
	u8 owner;      /* L1D, while somebody watches: warp slot + 1 whose load brought the line in (struct l1_watch) */
	u8 prefetched; /* L1I: asked for ahead, and no fetch has come to it yet */
	u8 pad;        /* named so that it is zero: state is hashed */
};
/* Geometry: constant. tag, line and stamp live in the arena. */
struct tags {
	u32 sets, ways, line_shift;
	u8 full; /* mask of all sectors */
	bool hash;
	u64 *tag; /* line address + 1; 0 = free */
	u64 *key; /* order of replacement: stamp and index; stamp 0 = free; NEVER = reserved */
	struct line *line;
	u64 *stamp;
};

void tags_init(struct tags *t, struct arena *a, u32 sets, u32 ways, u32 line_bytes, bool hash);
static inline u64 tags_line_of(const struct tags *t, u64 addr)
{
	return addr >> t->line_shift << t->line_shift;
}
/* The set of line number n (address / line size, or a slice's own numbering): XOR of the higher bits when hashed. */
static inline u32 tags_set(const struct tags *t, u64 n)
{
	if (t->hash && t->sets > 1) {
		u32 bits = (u32)__builtin_ctz(t->sets);
		n ^= n >> bits ^ n >> 2 * bits;
	}
	return (u32)n & (t->sets - 1);
}
/* Index of the line in the set, or TAGS_NONE. */
static inline u32 tags_find(const struct tags *t, u32 set, u64 line)
{
	u32 first = set * t->ways, end = first + t->ways;
	for (u32 i = first; i < end; i++)
		if (t->tag[i] == line + 1)
			return i;
	return TAGS_NONE;
}
/* Sets and ways are at most 2^24 lines (conf), which leaves 40 bits of accesses to the stamp. */
#define TAGS_INDEX_BITS 24
/* A set will be looked at soon: brings it into the host's cache. */
static inline void tags_prefetch(const struct tags *t, u32 set)
{
	for (u32 i = set * t->ways, end = i + t->ways; i < end; i += 8) {
		__builtin_prefetch(&t->tag[i]);
		__builtin_prefetch(&t->key[i]);
	}
}
static inline void tags_touch(struct tags *t, u32 i)
{
	t->line[i].used = ++*t->stamp << TAGS_INDEX_BITS | i;
	if (!t->line[i].pending)
		t->key[i] = t->line[i].used;
}
/* Sectors are on their way: the line stays. */
static inline void tags_reserve(struct tags *t, u32 i, u8 sectors)
{
	t->line[i].pending |= sectors;
	t->key[i] = NEVER;
}
/* They arrived. */
static inline void tags_arrive(struct tags *t, u32 i, u8 sectors)
{
	t->line[i].pending &= (u8)~sectors;
	t->line[i].valid |= sectors;
	if (!t->line[i].pending)
		t->key[i] = t->line[i].used;
}
/* Sectors in a mask. */
static inline u32 sector_count(u8 m)
{
	static const u8 of_nibble[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
	return (u32)of_nibble[m & 15] + of_nibble[m >> 4];
}
/* The line to replace: a free one, else the least recently used that is not reserved; TAGS_NONE when all are. */
u32 tags_victim(const struct tags *t, u32 set);
/* Puts a line into place i, most recently used, nothing valid. */
static inline void tags_install(struct tags *t, u32 i, u64 line)
{
	t->tag[i] = line + 1;
	t->line[i] = (struct line){0};
	tags_touch(t, i);
}
void tags_drop(struct tags *t, u32 i);
#endif
