/* present: to which pages of a large, sparsely used range the kernel has given memory. The others were never touched:
 * they are zero, and reading them would be a waste (and make the kernel fill in page tables). */
#ifndef BASE_PRESENT_H
#define BASE_PRESENT_H
#include "base/base.h"

#define PRESENT_PAGE 4096
struct present;
/* For an anonymous mapping of which no page is ever given back. */
struct present *present_open(const u8 *base, size_t bytes);
/* This process is a fork of the one that opened it: looks at its own pages from now on. */
void present_forked(struct present *r);
void present_close(struct present *r);
/* Looks at the first n pages (of PRESENT_PAGE bytes): a bit a page, valid until the next call. All ones where the
 * kernel does not tell. */
const u64 *present_find(struct present *r, u32 n);
static inline bool present_at(const u64 *found, u64 page)
{
	return found[page / 64] >> (page % 64) & 1;
}
#endif
