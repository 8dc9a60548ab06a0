/* heap: the heap of malloc() and free() in kernels.
 *
 * Two allocations of device memory are made when the first module that calls them is placed:
 *
 *   heap         [ blocks, side by side from its first byte to its last, in granules of 16 B ]
 *   heap table   [ head: counts, free lists ][ an entry a granule ][ start bits: one a granule ]
 *
 * An entry is valid where a block starts. A block is used or free; two free blocks are never neighbours. Free blocks of
 * one size (of up to twice a size from 64 granules on) form a list, last in, first out. All of it lies in device
 * memory, so it is hashed and travels through time. The table is read-only to kernels, so no program can break it.
 * Blocks are given and freed where stores take effect: at a cycle's end, in the SMs' order, lanes ascending. */
#ifndef FRONT_PTX_RUNTIME_HEAP_H
#define FRONT_PTX_RUNTIME_HEAP_H
#include "ir/devmem.h"

struct heap { /* constant once made; base 0: there is none */
	u64 base, table;
	u32 granules;
};

bool heap_create(struct heap *h, struct devmem *d, u64 bytes, struct err *e);
/* A block's address, a multiple of 16; 0 when none is large enough. */
u64 heap_malloc(const struct heap *h, struct devmem *d, u64 bytes);

enum heap_place {
	HEAP_OUTSIDE,
	HEAP_NEVER,  /* in it, but nothing was given there so far */
	HEAP_FREED,  /* no block's, a freed one's before */
	HEAP_INSIDE, /* in a block that is in use, or in the rest of its last granule */
	HEAP_START   /* the first byte of one */
};
/* Where an address is; of a used block also where it starts and how many bytes it was asked for. */
enum heap_place heap_find(const struct heap *h, const struct devmem *d, u64 addr, u64 *start, u64 *bytes);
/* What was found at addr: only HEAP_START is freed. */
enum heap_place heap_free(const struct heap *h, struct devmem *d, u64 addr);

struct heap_info;
void heap_counts(const struct heap *h, const struct devmem *d, struct heap_info *out);
/* Blocks cover the heap, the lists hold the free ones, the counts are right. False with *e. */
bool heap_check(const struct heap *h, const struct devmem *d, struct err *e);
#endif
