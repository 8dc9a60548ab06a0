#include "sm/blocks.h"

/* By where they begin. There are few, and they are nearly sorted. */
static void sort(struct cta_block *b, u32 n)
{
	for (u32 i = 1; i < n; i++) {
		const struct cta_block key = b[i];
		u32 k = i;
		for (; k > 0 && b[k - 1].first > key.first; k--)
			b[k] = b[k - 1];
		b[k] = key;
	}
}

/* The hole in front of block i, behind the last one for i = n. */
static u32 hole_before(const struct cta_block *b, u32 n, u32 total, u32 i, u32 *from)
{
	*from = i ? b[i - 1].first + b[i - 1].size : 0;
	return (i < n ? b[i].first : total) - *from;
}

bool blocks_two_way(struct cta_block *b, u32 n, u32 total, u32 size, bool top, u32 *first)
{
	sort(b, n);
	for (u32 k = 0; k <= n; k++) {
		const u32 i = top ? n - k : k;
		u32 from;
		const u32 hole = hole_before(b, n, total, i, &from);
		if (hole >= size) {
			*first = top ? from + hole - size : from;
			return true;
		}
		if (k < n && b[top ? i - 1 : i].top != top)
			return false; /* what comes now is the other end's */
	}
	return false;
}

struct holes blocks_holes(struct cta_block *b, u32 n, u32 total, u32 size)
{
	struct holes o = {.fit = size ? 0 : UINT32_MAX};
	sort(b, n);
	for (u32 i = 0; i <= n; i++) {
		u32 from;
		const u32 hole = hole_before(b, n, total, i, &from);
		o.free += hole;
		o.largest = MAX(o.largest, hole);
		o.fit += size ? hole / size : 0;
	}
	return o;
}
