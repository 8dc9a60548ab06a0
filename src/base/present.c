#include "base/present.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/bits.h"

/* Linux 6.7: the kernel walks its tables itself and tells ranges; <linux/fs.h> of older systems lacks it. */
struct scan_range {
	u64 start, end, categories;
};
struct scan {
	u64 size, flags, start, end, walk_end, vec, vec_len, max_pages;
	u64 category_inverted, category_mask, category_anyof_mask, return_mask;
};
#define SCAN _IOWR('f', 16, struct scan)
#define SCAN_PRESENT (1 << 3)
#define SCAN_SWAPPED (1 << 4)
#define RANGES 512

struct present {
	const u8 *base;
	int pagemap; /* /proc/self/pagemap or -1 */
	bool scans;  /* the ioctl works */
	u64 *bits;
	u64 *entries; /* scratch for reading the file instead */
	struct scan_range range[RANGES];
};

struct present *present_open(const u8 *base, size_t bytes)
{
	struct present *r = xcalloc(1, sizeof *r);
	r->base = base;
	r->pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	r->scans = r->pagemap >= 0;
	r->bits = xcalloc(bytes / PRESENT_PAGE / 64 + 1, sizeof(u64));
	r->entries = xmalloc((bytes / PRESENT_PAGE + 1) * sizeof(u64));
	return r;
}

void present_forked(struct present *r)
{
	if (r->pagemap >= 0)
		close(r->pagemap);
	r->pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	r->scans = r->pagemap >= 0;
}

void present_close(struct present *r)
{
	if (!r)
		return;
	if (r->pagemap >= 0)
		close(r->pagemap);
	free(r->bits);
	free(r->entries);
	free(r);
}

static void set_bits(u64 *bits, u64 from, u64 to)
{
	for (; from < to && from % 64; from++)
		bits[from / 64] |= BIT(from % 64);
	for (; from + 64 <= to; from += 64)
		bits[from / 64] = ~0ull;
	for (; from < to; from++)
		bits[from / 64] |= BIT(from % 64);
}

static bool scan(struct present *r, u32 n)
{
	const u64 base = (uintptr_t)r->base, end = base + (u64)n * PRESENT_PAGE;
	struct scan s = {.size = sizeof s,
	                 .start = base,
	                 .end = end,
	                 .vec = (uintptr_t)r->range,
	                 .vec_len = RANGES,
	                 .category_anyof_mask = SCAN_PRESENT | SCAN_SWAPPED,
	                 .return_mask = SCAN_PRESENT | SCAN_SWAPPED};
	while (s.start < end) {
		const int found = ioctl(r->pagemap, SCAN, &s);
		if (found < 0)
			return false;
		for (int i = 0; i < found; i++)
			set_bits(r->bits, (r->range[i].start - base) / PRESENT_PAGE, (r->range[i].end - base) / PRESENT_PAGE);
		s.start = s.walk_end;
	}
	return true;
}

static bool read_entries(struct present *r, u32 n)
{
	const size_t want = n * sizeof(u64);
	if (r->pagemap < 0 ||
	    pread(r->pagemap, r->entries, want, (off_t)((uintptr_t)r->base / PRESENT_PAGE * sizeof(u64))) != (ssize_t)want)
		return false;
	for (u32 i = 0; i < n; i++)
		if (r->entries[i] >> 62) /* in memory (63) or swapped (62) */
			r->bits[i / 64] |= BIT(i % 64);
	return true;
}

/* Bits stay set: a page once touched keeps its memory. */
const u64 *present_find(struct present *r, u32 n)
{
	r->scans = r->scans && scan(r, n);
	if (!r->scans && !read_entries(r, n))
		set_bits(r->bits, 0, n);
	return r->bits;
}
