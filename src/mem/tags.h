/* tags: the tag array of a set-associative cache, used by the SM's caches and the L2 slices. LRU; a line may be valid,
 * waited for (pending) and dirty by 32 B sector. A machine without sectors simply always uses the full mask. */
#ifndef MEM_TAGS_H
#define MEM_TAGS_H
#include "base/arena.h"
#include "base/base.h"
#include "base/bits.h"
#include "base/ipoly.h"

#define TAGS_NONE UINT32_MAX
#define SECTOR_BYTES 32

struct line {
	u16 mshr;      /* entry that waits for the line; meaningful while pending != 0 */
	u8 valid;      /* sectors that may be read */
	u8 pending;    /* sectors on their way: the line is reserved while any is */
	u8 dirty;      /* sectors to be written back; not in valid = written in part only, so a read must fetch it first */
	u8 owner;      /* L1D: warp slot whose access brought the line in; L1I with l1c.behind=l1i: 1 = constants */
	u8 prefetched; /* L1I: asked for ahead, and no fetch has come to it yet */
	u8 pad;        /* named so that it is zero: state is hashed */
};
enum tags_hash { TAGS_LINEAR, TAGS_XOR, TAGS_FERMI, TAGS_IPOLY }; /* as in l1d.hash */
/* Geometry: constant. What changes lives in the arena, set after set: its tags, its keys, its lines, a word each, so
 * that what an access needs lies close together. A place in the cache is an index into all three, see tags_place(). */
struct tags {
	u32 sets, ways, line_shift;
	u8 full;  /* mask of all sectors */
	u8 hash;  /* enum tags_hash */
	u64 *tag; /* line address + 1; 0 = free */
	u64 *key; /* order of replacement: stamp and index; 0 = free; TAGS_RESERVED set: not to be replaced */
	struct line *line;
	u64 *stamp;
	const struct ipoly *poly; /* of TAGS_IPOLY: whoever sets that gives it */
};
#define TAGS_WORDS 3 /* of a line */

void tags_init(struct tags *t, struct arena *a, u32 sets, u32 ways, u32 line_bytes, enum tags_hash hash);
static inline u64 tags_line_of(const struct tags *t, u64 addr)
{
	return addr >> t->line_shift << t->line_shift;
}
/* XOR of the lower five bits with address bits 13, 14, 15, 17, 19. */
static inline u32 tags_fermi_set(const struct tags *t, u64 n)
{
	u64 addr = n << t->line_shift;
	u32 upper = (u32)((addr >> 13 & 7) | (addr >> 14 & 8) | (addr >> 15 & 16));
	u32 half = t->sets == 64 ? (u32)(addr >> 12 & 1) << 5 : 0;
	return ((u32)(n & 31) ^ upper) | half;
}
/* The set of line number n (address / line size, or a slice's own numbering). */
static inline u32 tags_set(const struct tags *t, u64 n)
{
	if (t->hash == TAGS_FERMI)
		return tags_fermi_set(t, n);
	if (t->hash == TAGS_IPOLY)
		return ipoly_place(t->poly, n);
	if (t->hash && t->sets > 1) {
		u32 bits = (u32)__builtin_ctz(t->sets);
		n ^= n >> bits ^ n >> 2 * bits;
	}
	return (u32)n & (t->sets - 1);
}
static inline u32 tags_place(const struct tags *t, u32 set, u32 way)
{
	return set * t->ways * TAGS_WORDS + way;
}
/* The place numbered set by set and way by way: for what is kept of a line elsewhere. */
static inline u32 tags_number(const struct tags *t, u32 i)
{
	u32 step = t->ways * TAGS_WORDS;
	return i / step * t->ways + i % step;
}
typedef u32 tags_quad __attribute__((vector_size(16), aligned(8), may_alias)); /* of two tags */
typedef u64 tags_pair __attribute__((vector_size(16)));

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the low half of a tag lies first");

/* The same as tags_find() for sets of many ways. Eight tags at a time by their low halves, which differ unless lines
 * lie a multiple of 4 GiB apart: four vector operations instead of eight loops. Which of the eight it is, and whether
 * the upper half fits, is seen one by one. */
static inline u32 tags_find_wide(const struct tags *t, u32 set, u64 line)
{
	u32 i = tags_place(t, set, 0), end = i + t->ways, low = (u32)(line + 1);
	const tags_quad wanted = {low, low, low, low};
	for (; i + 8 <= end; i += 8) {
		const tags_quad *tag = (const tags_quad *)(const void *)&t->tag[i];
		tags_quad first = (tags_quad)(__builtin_shufflevector(tag[0], tag[1], 0, 2, 4, 6) == wanted);
		tags_quad second = (tags_quad)(__builtin_shufflevector(tag[2], tag[3], 0, 2, 4, 6) == wanted);
		tags_pair hit = (tags_pair)(first | second);
		if (likely(!(hit[0] | hit[1])))
			continue;
		for (u32 k = i; k < i + 8; k++)
			if (t->tag[k] == line + 1)
				return k;
	}
	for (; i < end; i++)
		if (t->tag[i] == line + 1)
			return i;
	return TAGS_NONE;
}
/* Index of the line in the set, or TAGS_NONE. */
static inline u32 tags_find(const struct tags *t, u32 set, u64 line)
{
	u32 first = tags_place(t, set, 0), end = first + t->ways;
	if (t->ways > 16)
		return tags_find_wide(t, set, line);
	for (u32 i = first; i < end; i++)
		if (t->tag[i] == line + 1)
			return i;
	return TAGS_NONE;
}
/* A key's low bits are those of its line's index, which tell the ways of a set apart (at most 256: conf.def); 55 bits
 * are left for the stamp, which counts accesses. */
#define TAGS_WAY_BITS 8
#define TAGS_RESERVED BIT(63)
/* A set will be looked at soon: brings it into the host's cache. */
static inline void tags_prefetch(const struct tags *t, u32 set)
{
	for (u32 i = tags_place(t, set, 0), end = i + t->ways; i < end; i += 8) {
		__builtin_prefetch(&t->tag[i]);
		__builtin_prefetch(&t->key[i]);
	}
}
static inline void tags_touch(struct tags *t, u32 i)
{
	u64 used = ++*t->stamp << TAGS_WAY_BITS | (i & ((1u << TAGS_WAY_BITS) - 1));
	t->key[i] = (t->key[i] & TAGS_RESERVED) | used;
}
/* Sectors are on their way: the line stays. */
static inline void tags_reserve(struct tags *t, u32 i, u8 sectors)
{
	t->line[i].pending |= sectors;
	t->key[i] |= TAGS_RESERVED;
}
/* They arrived. */
static inline void tags_arrive(struct tags *t, u32 i, u8 sectors)
{
	t->line[i].pending &= (u8)~sectors;
	t->line[i].valid |= sectors;
	if (!t->line[i].pending)
		t->key[i] &= ~TAGS_RESERVED;
}
/* Sectors in a mask: a table, as not every processor that this is built for counts bits. */
extern const u8 sector_counts[256];
static inline u32 sector_count(u8 m)
{
	return sector_counts[m];
}
/* The line to replace among the first `ways` of a set: a free one, else the least recently used that is not reserved;
 * TAGS_NONE when all are. */
u32 tags_victim(const struct tags *t, u32 set, u32 ways);
/* Puts a line into place i, most recently used, nothing valid. */
static inline void tags_install(struct tags *t, u32 i, u64 line)
{
	t->tag[i] = line + 1;
	t->key[i] = 0;
	t->line[i] = (struct line){0};
	tags_touch(t, i);
}
void tags_drop(struct tags *t, u32 i);
#endif
