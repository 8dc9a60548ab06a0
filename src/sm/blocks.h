/* blocks: where the blocks of CTAs lie in the register file or the shared memory of an SM, and how many further blocks
 * the holes between them can hold. Numbers in, numbers out. */
#ifndef SM_BLOCKS_H
#define SM_BLOCKS_H
#include "base/base.h"

struct cta_block {
	u32 first, size;
	bool top; /* of a kernel that allocates from the top down (2-way allocation) */
};
/* 2-way allocation (Park 2016, section 5.4.2, figure 5.9): the place nearest to the kernel's own end of the resource
 * which lies before all blocks of kernels that come from the other end. False: there is none. b: disjoint blocks, none
 * empty, in any order; they are sorted. */
bool blocks_two_way(struct cta_block *b, u32 n, u32 total, u32 size, bool top, u32 *first);

struct holes {
	u32 free, largest;
	u32 fit; /* blocks of `size` that the holes have room for, each in one piece; UINT32_MAX when size is 0 */
};
struct holes blocks_holes(struct cta_block *b, u32 n, u32 total, u32 size);
#endif
