#include "ir/devmem.h"

#include "base/bits.h"
#include "base/hash.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#define ALLOC_ALIGN 256

static u64 devmem_pages(const struct devmem *d)
{
	return d->bytes / DEVMEM_PAGE;
}
static size_t dirty_bytes(const struct devmem *d)
{
	return (devmem_pages(d) + 63) / 64 * sizeof(u64);
}

bool devmem_init(struct devmem *d, u64 bytes, struct err *e)
{
	*d = (struct devmem){
	    .bytes = (bytes + DEVMEM_PAGE - 1) / DEVMEM_PAGE * DEVMEM_PAGE, .top = DEVMEM_BASE, .gap = ALLOC_ALIGN};
	void *p = mmap(NULL, d->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED) {
		u64 mib = d->bytes >> 20;
		*d = (struct devmem){0};
		return err_set(e, "cannot reserve %" PRIu64 " MiB for device memory (mem.heap_mb): %s", mib, strerror(errno));
	}
	d->mem = p;
	d->dirty = xcalloc(1, dirty_bytes(d));
	d->written = xcalloc(1, dirty_bytes(d));
	return true;
}

void devmem_release(struct devmem *d)
{
	if (d->mem)
		munmap(d->mem, d->bytes);
	free(d->dirty);
	free(d->written);
	free(d->allocs);
	*d = (struct devmem){0};
}

static void add_alloc(struct devmem *d, u64 addr, u64 size, const char *name)
{
	if (d->nallocs == d->cap) {
		d->cap = d->cap ? d->cap * 2 : 64;
		d->allocs = xrealloc(d->allocs, d->cap * sizeof(*d->allocs));
	}
	struct alloc *a = &d->allocs[d->nallocs++];
	*a = (struct alloc){.addr = addr, .size = size, .id = ++d->made, .owner = d->owner};
	snprintf(a->name, sizeof(a->name), "%s", name ? name : "");
}

u64 devmem_alloc(struct devmem *d, u64 size, const char *name, struct err *e)
{
	u64 left = DEVMEM_BASE + d->bytes - d->top;
	if (!size)
		return err_set(e, "device allocation %s%sof 0 bytes", name ? name : "", name && *name ? " " : ""), 0;
	if (size > left || left - size < d->gap + ALLOC_ALIGN) {
		err_set(e, "out of device memory: %" PRIu64 " bytes wanted%s%s, %" PRIu64 " of %" PRIu64 " left (mem.heap_mb)",
		        size, name && *name ? " for " : "", name ? name : "", left, d->bytes);
		return 0;
	}
	u64 addr = d->top;
	/* never handed out before and the reservation is zero: a new allocation needs no clearing */
	d->top = (addr + size + d->gap + ALLOC_ALIGN - 1) / ALLOC_ALIGN * ALLOC_ALIGN;
	add_alloc(d, addr, size, name);
	d->epoch++;
	return addr;
}

/* --- what has been freed, again --- */

/* Freed allocations that lie side by side, [first, behind) of the table; room: for an allocation at their start. */
struct freed_run {
	u32 first, behind;
	u64 room;
};
static bool may_reuse(const struct devmem *d, const struct alloc *a)
{
	return a->freed && !a->internal && a->owner == d->owner;
}
static struct freed_run run_from(const struct devmem *d, u32 i)
{
	struct freed_run r = {.first = i, .behind = i};
	while (r.behind < d->nallocs && may_reuse(d, &d->allocs[r.behind]))
		r.behind++;
	if (r.behind == i)
		return r;
	const u64 at = d->allocs[i].addr;
	if (r.behind < d->nallocs)
		r.room = d->allocs[r.behind].addr - at - d->gap;
	else if (DEVMEM_BASE + d->bytes - at > d->gap + ALLOC_ALIGN)
		r.room = DEVMEM_BASE + d->bytes - at - d->gap - ALLOC_ALIGN;
	return r;
}

/* Clears what was ever written of a range. */
static void clear(struct devmem *d, u64 addr, u64 size)
{
	for (u64 at = addr; at < addr + size;) {
		const u64 page = (at - DEVMEM_BASE) / DEVMEM_PAGE;
		const u64 next = MIN(DEVMEM_BASE + (page + 1) * DEVMEM_PAGE, addr + size);
		if ((d->dirty[page / 64] | d->written[page / 64]) >> (page % 64) & 1) {
			memset(devmem_ptr(d, at), 0, next - at);
			devmem_touch(d, at, 1);
		}
		at = next;
	}
}

/* The run's beginning becomes an allocation; what is left of it stays freed. */
static u64 take_run(struct devmem *d, const struct freed_run *r, u64 size, const char *name)
{
	const u64 addr = d->allocs[r->first].addr;
	const u64 end = (addr + size + d->gap + ALLOC_ALIGN - 1) / ALLOC_ALIGN * ALLOC_ALIGN;
	u32 over = r->first; /* the last one that it covers, or a part of it */
	while (over + 1 < r->behind && d->allocs[over + 1].addr < end)
		over++;
	struct alloc rest = d->allocs[over];
	const u64 rest_end = rest.addr + rest.size;
	const u32 covered = over - r->first + 1, behind = d->nallocs - over - 1;
	const bool split = rest_end > end;
	rest.addr = end;
	rest.size = rest_end - end;
	add_alloc(d, addr, size, name); /* there is room for one more now */
	struct alloc *a = &d->allocs[r->first];
	const struct alloc made = d->allocs[d->nallocs - 1];
	memmove(a + 1 + split, a + covered, behind * sizeof *a);
	*a = made;
	if (split)
		a[1] = rest;
	d->nallocs = r->first + 1 + split + behind;
	d->top = MAX(d->top, end);
	clear(d, addr, size);
	if (d->init)
		bits_put(d->init, addr - DEVMEM_BASE, addr - DEVMEM_BASE + size, false);
	d->epoch++;
	return addr;
}

u64 devmem_alloc_for_host(struct devmem *d, u64 size, const char *name, struct err *e)
{
	struct freed_run best = {.room = 0};
	if (size && (size > d->bytes || d->top - DEVMEM_BASE + size > d->bytes / 4 * 3))
		for (u32 i = 0; i < d->nallocs;) {
			const struct freed_run r = run_from(d, i);
			if (r.room >= size && (!best.room || r.room < best.room))
				best = r;
			i = MAX(r.behind, i + 1);
		}
	return best.room ? take_run(d, &best, size, name) : devmem_alloc(d, size, name, e);
}

u64 devmem_room(const struct devmem *d)
{
	const u64 left = DEVMEM_BASE + d->bytes - d->top;
	u64 most = left > d->gap + ALLOC_ALIGN ? left - d->gap - ALLOC_ALIGN : 0;
	for (u32 i = 0; i < d->nallocs;) {
		const struct freed_run r = run_from(d, i);
		most = MAX(most, r.room);
		i = MAX(r.behind, i + 1);
	}
	return most;
}

/* The last allocation that starts at or before addr, or NULL. */
static struct alloc *alloc_before(const struct devmem *d, u64 addr)
{
	u32 lo = 0, hi = d->nallocs;
	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;
		if (d->allocs[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? &d->allocs[lo - 1] : NULL;
}

bool devmem_free(struct devmem *d, u64 addr, struct err *e)
{
	struct alloc *a = alloc_before(d, addr);
	if (!a || a->addr != addr || a->internal)
		return err_set(e, "free of 0x%" PRIx64 ", which is not the start of an allocation", addr);
	if (a->freed)
		return err_set(e, "double free of allocation %u%s%s at 0x%" PRIx64, a->id, *a->name ? " " : "", a->name, addr);
	a->freed = true;
	d->epoch++;
	return true;
}

void devmem_free_owned(struct devmem *d, u32 owner)
{
	for (u32 i = 0; i < d->nallocs; i++)
		d->allocs[i].freed |= d->allocs[i].owner == owner && !devmem_shared(&d->allocs[i]);
	d->epoch++;
}

const struct alloc *devmem_find(const struct devmem *d, u64 addr)
{
	const struct alloc *a = alloc_before(d, addr);
	return a && addr - a->addr < a->size ? a : NULL;
}

bool devmem_mapped(const struct devmem *d, u64 addr, u64 *lo, u64 *hi)
{
	const struct alloc *end = d->allocs + d->nallocs, *before = alloc_before(d, addr);
	const struct alloc *next = before ? before + 1 : d->allocs;
	const u64 first = addr / DEVMEM_PIECE * DEVMEM_PIECE, behind = first + DEVMEM_PIECE;
	if (addr < DEVMEM_BASE || addr - DEVMEM_BASE >= d->bytes)
		return false;
	const bool inside = before && addr - before->addr < before->size;
	*lo = MAX(first, !before ? first : inside ? before->addr : before->addr + before->size);
	*hi = MIN(MIN(behind, DEVMEM_BASE + d->bytes), inside       ? before->addr + before->size
	                                               : next < end ? next->addr
	                                                            : behind);
	for (const struct alloc *a = next; a < end && a->addr < behind; a++)
		if (!a->freed)
			return true;
	for (const struct alloc *a = next; a > d->allocs && a[-1].addr + a[-1].size > first; a--)
		if (!a[-1].freed)
			return true;
	return false;
}

static u64 distance(const struct alloc *a, u64 addr)
{
	if (addr < a->addr)
		return a->addr - addr;
	return addr - a->addr < a->size ? 0 : addr - (a->addr + a->size) + 1;
}

const struct alloc *devmem_nearest(const struct devmem *d, u64 addr, u64 *dist)
{
	const struct alloc *best = alloc_before(d, addr);
	const struct alloc *next = best ? best + 1 : d->allocs;
	if (!d->nallocs)
		return NULL;
	if (!best || (next < d->allocs + d->nallocs && distance(next, addr) < distance(best, addr)))
		best = next;
	*dist = distance(best, addr);
	return best;
}

static bool check_host_copy(const struct devmem *d, u64 addr, u64 n, const char *what, struct err *e)
{
	const struct alloc *a = devmem_find(d, addr);
	u64 dist = 0;
	if (a && a->freed)
		return err_set(e, "%s of %" PRIu64 " bytes at 0x%" PRIx64 ": allocation %u%s%s was freed", what, n, addr, a->id,
		               *a->name ? " " : "", a->name);
	if (a && n <= a->size - (addr - a->addr))
		return true;
	a = devmem_nearest(d, addr, &dist);
	if (!a)
		return err_set(e, "%s of %" PRIu64 " bytes at 0x%" PRIx64 ": nothing is allocated", what, n, addr);
	return err_set(
	    e, "%s of %" PRIu64 " bytes at 0x%" PRIx64 " is outside allocation %u%s%s (0x%" PRIx64 ", %" PRIu64 " bytes)",
	    what, n, addr, a->id, *a->name ? " " : "", a->name, a->addr, a->size);
}

bool devmem_read(const struct devmem *d, u64 addr, void *out, u64 n, struct err *e)
{
	if (!n)
		return true;
	if (!check_host_copy(d, addr, n, "read", e))
		return false;
	memcpy(out, devmem_ptr(d, addr), n);
	return true;
}

bool devmem_write(struct devmem *d, u64 addr, const void *in, u64 n, struct err *e)
{
	if (!n)
		return true;
	if (!check_host_copy(d, addr, n, "write", e))
		return false;
	memcpy(devmem_ptr(d, addr), in, n);
	if (d->init)
		bits_put(d->init, addr - DEVMEM_BASE, addr - DEVMEM_BASE + n, true);
	for (u64 at = addr; at < addr + n; at += DEVMEM_PAGE)
		devmem_touch(d, at, 1);
	devmem_touch(d, addr + n - 1, 1);
	return true;
}

bool devmem_may_write(const struct devmem *d, u64 addr, u64 n, struct err *e)
{
	if (!n)
		return true;
	if (!check_host_copy(d, addr, n, "write", e))
		return false;
	const struct alloc *a = devmem_find(d, addr);
	return !a->own || err_set(e, "write of %" PRIu64 " bytes at 0x%" PRIx64 ": allocation %u %s is read-only", n, addr,
	                          a->id, a->name);
}

bool devmem_check(const struct devmem *d, struct err *e)
{
	u64 end = DEVMEM_BASE;
	for (u32 i = 0; i < d->nallocs; i++) {
		const struct alloc *a = &d->allocs[i];
		HOLDS(a->size && a->addr >= end && a->addr % ALLOC_ALIGN == 0 && a->id && a->id <= d->made,
		      "device memory: allocation %u (its id: %u) is 0x%" PRIx64 " + %" PRIu64
		      ", the one before ends at 0x%" PRIx64,
		      i + 1, a->id, a->addr, a->size, end);
		end = a->addr + a->size + d->gap;
	}
	HOLDS(d->top >= end,
	      "device memory: the next allocation would start at 0x%" PRIx64 ", the last one ends at 0x%" PRIx64, d->top,
	      end);
	HOLDS(d->top <= DEVMEM_BASE + d->bytes, "device memory: the next allocation would start at 0x%" PRIx64, d->top);
	return true;
}

u64 devmem_hash(const struct devmem *d)
{
	XXH3_state_t st;
	hash_begin(&st);
	for (u64 w = 0; w < dirty_bytes(d) / sizeof(u64); w++)
		for (u64 bits = d->dirty[w] | d->written[w]; bits; bits &= bits - 1) {
			u64 page = w * 64 + (u64)__builtin_ctzll(bits);
			const u8 *p = d->mem + page * DEVMEM_PAGE;
			if (all_zero(p, DEVMEM_PAGE))
				continue; /* as if it had never been written */
			hash_add(&st, &page, sizeof(page));
			hash_add(&st, p, DEVMEM_PAGE);
		}
	return hash_end(&st);
}

/* Addresses are multiples of ALLOC_ALIGN, so a block of that many bytes lies in one page. */
static void hash_alloc(XXH3_state_t *st, const struct devmem *d, const struct alloc *a)
{
	static const u8 zero[ALLOC_ALIGN];
	hash_add(st, &a->size, sizeof(a->size));
	for (u64 at = 0; at < a->size; at += ALLOC_ALIGN) {
		const u64 page = (a->addr + at - DEVMEM_BASE) / DEVMEM_PAGE;
		if (!((d->dirty[page / 64] | d->written[page / 64]) >> (page % 64) & 1))
			continue; /* never written: zero */
		const u8 *p = devmem_ptr(d, a->addr + at);
		const u64 n = a->size - at < ALLOC_ALIGN ? a->size - at : ALLOC_ALIGN;
		if (!memcmp(p, zero, n))
			continue; /* as if it had never been written */
		hash_add(st, &at, sizeof(at));
		hash_add(st, p, n);
	}
}

static bool is_result(const struct alloc *a)
{
	return !a->scratch && !a->heap && !(a->internal && a->readonly);
}

u64 devmem_owner_hash(const struct devmem *d, u32 owner)
{
	XXH3_state_t st;
	hash_begin(&st);
	for (u32 i = 0; i < d->nallocs; i++)
		if (d->allocs[i].owner == owner && is_result(&d->allocs[i]))
			hash_alloc(&st, d, &d->allocs[i]);
	return hash_end(&st);
}

u64 devmem_result_hash(const struct devmem *d)
{
	u64 hash[OWNER_PROGRAMS];
	u32 programs = 1;
	for (u32 i = 0; i < d->nallocs; i++)
		programs = MAX(programs, OWNER_PROGRAM(d->allocs[i].owner) + 1);
	for (u32 i = 0; i < programs; i++)
		hash[i] = devmem_owner_hash(d, OWNER(i, 0));
	return programs == 1 ? hash[0] : hash_bytes(hash, programs * sizeof *hash, 0);
}
