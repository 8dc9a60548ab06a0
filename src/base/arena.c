#include "base/arena.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bits.h"
#include "base/hash.h"
#include "base/present.h"
#include "base/strbuf.h"

bool arena_init(struct arena *a, size_t bytes, struct err *e)
{
	bytes = (bytes + 4095) & ~(size_t)4095;
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return err_set(e, "cannot reserve %zu MiB of address space: %s", bytes >> 20, strerror(errno));
	*a = (struct arena){.base = p, .reserved = bytes, .named = true};
	return true;
}

void arena_release(struct arena *a)
{
	if (a->base)
		munmap(a->base, a->reserved);
	free(a->block);
	*a = (struct arena){0};
}

static void *carve(struct arena *a, size_t bytes, size_t align, size_t size, const char *what)
{
	size_t at = (a->used + align - 1) & ~(align - 1);
	if (at + bytes > (a->tail ? a->tail : a->reserved))
		BUG("state arena exhausted: %zu of %zu bytes used, %zu more wanted", a->used, a->reserved, bytes);
	a->used = at + bytes;
	if (a->named && bytes) {
		if (!(a->nblocks & (a->nblocks - 1))) /* full at each power of two */
			a->block = xrealloc(a->block, (size_t)MAX(2 * a->nblocks, 1) * sizeof *a->block);
		a->block[a->nblocks++] = (struct arena_block){at, size, what};
	}
	return a->base + at;
}

void *arena_alloc(struct arena *a, size_t bytes, size_t align)
{
	return carve(a, bytes, align, 1, NULL);
}

void *arena_alloc_of(struct arena *a, size_t bytes, size_t size, const char *what)
{
	return carve(a, bytes, 64, size, what);
}

void arena_where(const struct arena *a, size_t at, struct strbuf *out)
{
	u32 k = 0, same = 0, before = 0;
	while (k + 1 < a->nblocks && a->block[k + 1].at <= at)
		k++;
	if (!a->nblocks || at < a->block[k].at || (a->tail && at >= a->tail)) {
		strbuf_addf(out, "byte %zu of the arena", at);
		return;
	}
	const struct arena_block *b = &a->block[k];
	for (u32 i = 0; i < a->nblocks; i++) {
		bool alike = a->block[i].what == b->what || (b->what && a->block[i].what && !strcmp(a->block[i].what, b->what));
		same += alike;
		before += alike && i < k;
	}
	strbuf_adds(out, b->what ? b->what : "bytes");
	if (same > 1)
		strbuf_addf(out, " (%u)", before);
	const size_t in = at - b->at;
	if (in >= b->size)
		strbuf_addf(out, " %zu", in / b->size);
	strbuf_addf(out, ", byte %zu", in % b->size);
}

u8 *arena_tail(struct arena *a, size_t bytes)
{
	BUG_ON(a->tail || bytes % 4096 || a->used + bytes > a->reserved);
	a->tail = a->reserved - bytes;
	return a->base + a->tail;
}

u8 *arena_last(struct arena *a, size_t bytes)
{
	BUG_ON(!a->hashed);
	u8 *p = carve(a, bytes, 4096, 1, NULL);
	a->used -= bytes;
	return p;
}

void arena_end_hashed(struct arena *a)
{
	BUG_ON(a->hashed || !a->used);
	a->hashed = a->used;
}

void arena_begin_gap(struct arena *a)
{
	BUG_ON(a->gap_end || a->hashed);
	a->gap = a->used;
}

void arena_end_gap(struct arena *a)
{
	a->gap_end = a->used;
}

void arena_spare(struct arena *a, const void *from, const void *to)
{
	a->spare = (size_t)((const u8 *)from - a->base);
	a->spare_end = (size_t)((const u8 *)to - a->base);
	BUG_ON(a->spare > a->spare_end || a->spare_end > (a->gap_end ? a->gap : a->used));
}

/* Page by page, without those that are zero: by far the most of a large machine has never been touched. Those are not
 * even read, as the kernel would have to fill in its page tables. */
static void hash_part(XXH3_state_t *st, const struct arena *a, const u64 *there, size_t from, size_t to)
{
	for (size_t at = from; at < to;) {
		const u64 page = at / PRESENT_PAGE;
		const size_t n = MIN((size_t)(page + 1) * PRESENT_PAGE, to) - at;
		if (present_at(there, page) && !all_zero(a->base + at, n)) {
			hash_add(st, &page, sizeof page);
			hash_add(st, a->base + at, n);
		}
		at += n;
	}
}

u64 arena_hash(const struct arena *a)
{
	size_t at = 0, end = a->hashed ? a->hashed : a->tail ? MIN(a->used, a->tail) : a->used;
	struct present *pages = present_open(a->base, a->reserved);
	const u64 *there = present_find(pages, (u32)ceil_div(end, PRESENT_PAGE));
	XXH3_state_t st;
	hash_begin(&st);
	if (a->spare_end) {
		hash_part(&st, a, there, at, a->spare);
		at = a->spare_end;
	}
	if (a->gap_end) {
		hash_part(&st, a, there, at, a->gap);
		at = a->gap_end;
	}
	hash_part(&st, a, there, at, end);
	present_close(pages);
	return hash_end(&st);
}
