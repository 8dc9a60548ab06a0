#include "front/ptx/runtime/heap.h"

#include <inttypes.h>

#include "base/bits.h"
#include "front/front.h"

#define GRANULE 16
#define EXACT 64 /* lists of one size each below, of sizes up to twice as large from there on */
#define BINS (EXACT + 32 - 6)

struct head {
	u64 mallocs, frees, failed; /* calls; failed: of malloc, that gave NULL */
	u64 blocks, used, most;     /* in use now: blocks, bytes asked for; the most bytes there ever were */
	u32 mark;                   /* granules below it were given at least once */
	u32 bin[BINS + 1];          /* first block's granule + 1; 0 = empty */
};
struct entry {
	u32 n;          /* granules of the block */
	u32 used;       /* 0 = free, else 1 + bytes behind those asked for */
	u32 next, prev; /* free: neighbours in the list, granule + 1; 0 = none */
};

/* --- the table. A debugger may write anything into it: what is read is cut to what the table can hold ------------- */
static struct head *head_of(const struct heap *h, const struct devmem *d)
{
	return (struct head *)(void *)devmem_ptr(d, h->table);
}
static u64 entries_at(const struct heap *h)
{
	return h->table + round_up(sizeof(struct head), GRANULE);
}
static u64 starts_at(const struct heap *h)
{
	return entries_at(h) + (u64)h->granules * sizeof(struct entry);
}
static struct entry entry_get(const struct heap *h, const struct devmem *d, u32 g)
{
	struct entry e = *(const struct entry *)(const void *)devmem_ptr(d, entries_at(h) + (u64)g * sizeof(e));
	e.n = MIN(e.n, h->granules - g);
	e.used = MIN(e.used, MIN((u64)e.n * GRANULE, GRANULE) + 1);
	e.next = MIN(e.next, h->granules);
	e.prev = MIN(e.prev, h->granules);
	return e;
}
static void entry_put(const struct heap *h, struct devmem *d, u32 g, struct entry e)
{
	const u64 at = entries_at(h) + (u64)g * sizeof(e);
	*(struct entry *)(void *)devmem_ptr(d, at) = e;
	devmem_touch(d, at, sizeof(e));
}
static u64 *start_word(const struct heap *h, const struct devmem *d, u32 g)
{
	return (u64 *)(void *)devmem_ptr(d, starts_at(h) + g / 64 * 8);
}
static bool is_start(const struct heap *h, const struct devmem *d, u32 g)
{
	return *start_word(h, d, g) >> (g % 64) & 1;
}
static void set_start(const struct heap *h, struct devmem *d, u32 g, bool on)
{
	u64 *w = start_word(h, d, g);
	*w = (*w & ~(1ull << (g % 64))) | (u64)on << (g % 64);
	devmem_touch(d, starts_at(h) + g / 64 * 8, 8);
}
/* The granule at which the block that holds g starts. */
static u32 start_of(const struct heap *h, const struct devmem *d, u32 g)
{
	u32 at = g / 64;
	u64 bits = *start_word(h, d, g) & (~0ull >> (63 - g % 64));
	while (!bits && at)
		bits = *start_word(h, d, --at * 64);
	return bits ? at * 64 + 63 - (u32)__builtin_clzll(bits) : 0;
}

/* --- free lists --------------------------------------------------------------------------------------------------- */
static u32 bin_of(u32 n)
{
	return n < EXACT ? n : EXACT + 31 - (u32)__builtin_clz(n) - 6;
}
static void set_next(const struct heap *h, struct devmem *d, u32 bin, u32 of, u32 next)
{
	if (!of) {
		head_of(h, d)->bin[bin] = next;
		return;
	}
	struct entry e = entry_get(h, d, of - 1);
	e.next = next;
	entry_put(h, d, of - 1, e);
}
static void set_prev(const struct heap *h, struct devmem *d, u32 of, u32 prev)
{
	if (!of)
		return;
	struct entry e = entry_get(h, d, of - 1);
	e.prev = prev;
	entry_put(h, d, of - 1, e);
}
static u32 first_of(const struct heap *h, const struct devmem *d, u32 bin)
{
	return MIN(head_of(h, d)->bin[bin], h->granules);
}
static void add_free(const struct heap *h, struct devmem *d, u32 g, u32 n)
{
	const u32 bin = bin_of(n), first = first_of(h, d, bin);
	set_start(h, d, g, true);
	entry_put(h, d, g, (struct entry){.n = n, .next = first});
	set_prev(h, d, first, g + 1);
	head_of(h, d)->bin[bin] = g + 1;
}
static void unlink_free(const struct heap *h, struct devmem *d, struct entry e)
{
	set_next(h, d, bin_of(e.n), e.prev, e.next);
	set_prev(h, d, e.next, e.prev);
}
/* A free block of at least n granules, + 1; 0 = none. */
static u32 find_free(const struct heap *h, const struct devmem *d, u32 n)
{
	for (u32 bin = bin_of(n); bin <= BINS; bin++) {
		u32 at = first_of(h, d, bin);
		for (u32 tries = 0; at && tries < h->granules; tries++) {
			const struct entry e = entry_get(h, d, at - 1);
			if (e.n >= n && !e.used)
				return at;
			at = e.next;
		}
	}
	return 0;
}

/* --- the calls ---------------------------------------------------------------------------------------------------- */
bool heap_create(struct heap *h, struct devmem *d, u64 bytes, struct err *e)
{
	struct heap new = {.granules = (u32)(bytes / GRANULE)};
	new.base = devmem_alloc(d, bytes, "heap of malloc()", e);
	if (!new.base)
		return false;
	d->allocs[d->nallocs - 1].internal = d->allocs[d->nallocs - 1].heap = true;
	new.table = devmem_alloc(d, starts_at(&new) + round_up(ceil_div(new.granules, 8), 8), "heap table", e);
	if (!new.table)
		return false;
	d->allocs[d->nallocs - 1].internal = d->allocs[d->nallocs - 1].readonly = true;
	*h = new;
	add_free(h, d, 0, h->granules);
	devmem_touch(d, h->table, sizeof(struct head));
	return true;
}

static u64 bytes_of(struct entry e)
{
	return (u64)e.n * GRANULE - (e.used - 1);
}

u64 heap_malloc(const struct heap *h, struct devmem *d, u64 bytes)
{
	struct head *k = head_of(h, d);
	const bool possible = bytes <= (u64)h->granules * GRANULE;
	const u32 n = possible ? MAX((u32)ceil_div(bytes, GRANULE), 1u) : 0, found = possible ? find_free(h, d, n) : 0;
	devmem_touch(d, h->table, sizeof(*k));
	k->mallocs++;
	if (!found) {
		k->failed++;
		return 0;
	}
	const u32 g = found - 1;
	const struct entry was = entry_get(h, d, g);
	unlink_free(h, d, was);
	if (was.n > n)
		add_free(h, d, g + n, was.n - n);
	entry_put(h, d, g, (struct entry){.n = n, .used = 1 + (u32)((u64)n * GRANULE - bytes)});
	k->mark = MAX(k->mark, g + n);
	k->blocks++;
	k->used += bytes;
	k->most = MAX(k->most, k->used);
	return h->base + (u64)g * GRANULE;
}

enum heap_place heap_find(const struct heap *h, const struct devmem *d, u64 addr, u64 *start, u64 *bytes)
{
	if (!h->base || addr < h->base || addr - h->base >= (u64)h->granules * GRANULE)
		return HEAP_OUTSIDE;
	const u32 g = (u32)((addr - h->base) / GRANULE), first = start_of(h, d, g);
	const struct entry e = entry_get(h, d, first);
	if (!e.used)
		return g < head_of(h, d)->mark ? HEAP_FREED : HEAP_NEVER;
	*start = h->base + (u64)first * GRANULE;
	*bytes = bytes_of(e);
	return addr == *start ? HEAP_START : HEAP_INSIDE;
}

enum heap_place heap_free(const struct heap *h, struct devmem *d, u64 addr)
{
	u64 start, bytes;
	const enum heap_place at = heap_find(h, d, addr, &start, &bytes);
	if (at != HEAP_START)
		return at;
	struct head *k = head_of(h, d);
	u32 g = (u32)((addr - h->base) / GRANULE), n = entry_get(h, d, g).n;
	k->frees++;
	k->blocks--;
	k->used -= bytes;
	if (g + n < h->granules) {
		const struct entry next = entry_get(h, d, g + n);
		if (!next.used) {
			unlink_free(h, d, next);
			set_start(h, d, g + n, false);
			n += next.n;
		}
	}
	if (g) {
		const u32 before = start_of(h, d, g - 1);
		const struct entry prev = entry_get(h, d, before);
		if (!prev.used) {
			unlink_free(h, d, prev);
			set_start(h, d, g, false);
			g = before;
			n += prev.n;
		}
	}
	add_free(h, d, g, MIN(n, h->granules - g));
	devmem_touch(d, h->table, sizeof(*k));
	d->epoch++; /* nobody may go on with the bounds of this block */
	return HEAP_START;
}

void heap_counts(const struct heap *h, const struct devmem *d, struct heap_info *out)
{
	const struct head *k = head_of(h, d);
	*out = (struct heap_info){.addr = h->base,
	                          .bytes = (u64)h->granules * GRANULE,
	                          .mallocs = k->mallocs,
	                          .frees = k->frees,
	                          .failed = k->failed,
	                          .blocks = k->blocks,
	                          .used = k->used,
	                          .most = k->most};
}

/* --- check -------------------------------------------------------------------------------------------------------- */
static u64 listed(const struct heap *h, const struct devmem *d)
{
	u64 n = 0;
	for (u32 bin = 0; bin <= BINS; bin++)
		for (u32 at = first_of(h, d, bin); at && n <= h->granules; n++) {
			const struct entry e = entry_get(h, d, at - 1);
			if (e.used || bin_of(MAX(e.n, 1u)) != bin)
				return UINT64_MAX;
			at = e.next;
		}
	return n;
}

bool heap_check(const struct heap *h, const struct devmem *d, struct err *e)
{
	const struct head *k = head_of(h, d);
	u64 blocks = 0, used = 0, nfree = 0;
	bool before_free = false;
	for (u32 g = 0; g < h->granules;) {
		const struct entry at = entry_get(h, d, g);
		HOLDS(at.n && is_start(h, d, g), "heap: no block starts at granule %u", g);
		HOLDS(at.n == 1 || start_of(h, d, g + at.n - 1) == g, "heap: a block starts within the one at granule %u", g);
		HOLDS(at.used || !before_free, "heap: two free blocks side by side at granule %u", g);
		before_free = !at.used;
		blocks += at.used != 0;
		used += at.used ? bytes_of(at) : 0;
		nfree += !at.used;
		g += at.n;
	}
	HOLDS(listed(h, d) == nfree, "heap: %" PRIu64 " free blocks, the lists have others", nfree);
	HOLDS(blocks == k->blocks && used == k->used && k->mallocs == k->frees + k->failed + k->blocks,
	      "heap: %" PRIu64 " blocks of %" PRIu64 " bytes, counted are %" PRIu64 " of %" PRIu64, blocks, used, k->blocks,
	      k->used);
	return true;
}
