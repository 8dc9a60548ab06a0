/* devmem: the simulated device memory - one reserved range, an allocator that remembers, and a dirty bit per page.
 *
 * Device addresses run from DEVMEM_BASE upwards; byte at address a is at mem + (a - DEVMEM_BASE). Allocations are
 * 256-byte aligned with an unmapped gap of at least 256 bytes behind each (so that a small overrun hits nothing; `gap`
 * is set before the first allocation where it has to be larger), and addresses of freed allocations are not used again
 * (use after free is found) before three quarters of the memory have been given out.
 *
 * Generic addresses: a 64-bit generic address within [SHARED_WINDOW, +16 MiB) is shared memory, within [LOCAL_WINDOW,
 * +16 MiB) local memory of the thread, anything else global. Constant and parameter addresses are plain device
 * addresses. */
#ifndef IR_DEVMEM_H
#define IR_DEVMEM_H
#include "base/base.h"
#include "base/err.h"

#define DEVMEM_BASE 0x100000000ull /* 4 GiB: no 32-bit value is a valid device address */
#define SHARED_WINDOW 0x1000000ull
#define LOCAL_WINDOW 0x2000000ull
#define WINDOW_BYTES 0x1000000ull
#define DEVMEM_PAGE 4096
#define DEVMEM_PIECE (2ull << 20)

/* Whose something is: the number of a host program, and which of its runs that is; 0 is the first run of the first. */
#define OWNER_PROGRAMS 64
#define OWNER(program, run) ((u32)(program) | (u32)(run) << 8)
#define OWNER_PROGRAM(owner) ((owner) % OWNER_PROGRAMS)
#define OWNER_RUN(owner) ((owner) >> 8)

struct alloc {
	u64 addr, size;
	u32 id; /* 1, 2, ... in the order in which they were made */
	u32 owner;
	bool freed;
	bool internal; /* module symbols, local memory, printf buffer */
	bool readonly; /* constant space: a store is a fault */
	bool own;      /* kernel parameters, code: the host does not write there either */
	bool scratch;  /* local memory: which bytes a thread gets depends on where it ran; not a result */
	bool heap;     /* of malloc() in kernels: which bytes a thread gets depends on who came first; not a result */
	char name[48]; /* symbol or the host program's name for it, may be "" */
};
struct devmem {
	u8 *mem;              /* reserved range */
	u64 bytes;            /* its size */
	u64 top;              /* next free device address */
	u64 gap;              /* bytes that are left free behind an allocation */
	u64 *dirty;           /* one bit per page, set by every write; snapshots clear it (obs/history) into written */
	u64 *written;         /* pages that were dirty before the last snapshot */
	struct alloc *allocs; /* sorted by address */
	u32 nallocs, cap;
	u32 made;     /* allocations ever: the last one's id */
	u8 *init;     /* one bit per byte: somebody has written it since its allocation (sm/checks.h); NULL: nobody asks */
	u64 epoch;    /* counts changes of the allocation table, so that look-ups may be cached */
	u32 owner;    /* of what is allocated from now on */
	bool several; /* programs have been at work here: none may touch what another owns */
};
bool devmem_init(struct devmem *d, u64 bytes, struct err *e);
void devmem_release(struct devmem *d);
/* Device address of a new zeroed allocation, 0 with *e set when size is 0 or memory is exhausted. */
u64 devmem_alloc(struct devmem *d, u64 size, const char *name, struct err *e);
/* The same for a host program: when little is left it gets what it has freed, cleared. Use after free of such memory is
 * not found, and the bytes that were there are no part of the result. */
u64 devmem_alloc_for_host(struct devmem *d, u64 size, const char *name, struct err *e);
/* The largest allocation that devmem_alloc_for_host() would grant now. */
u64 devmem_room(const struct devmem *d);
/* Marks an allocation freed; error for an address that is none's start, or freed already. */
bool devmem_free(struct devmem *d, u64 addr, struct err *e);
/* Marks all that an owner has freed: its run is over. What is the machine's stays. */
void devmem_free_owned(struct devmem *d, u32 owner);
/* The allocation that contains addr (freed ones too), or NULL. */
const struct alloc *devmem_find(const struct devmem *d, u64 addr);
/* Does a chip that maps memory in pieces of DEVMEM_PIECE bytes let an access to addr pass, though no allocation holds
 * it (or one that was freed)? It does where an allocation is left in the same piece. [*lo, *hi) are the bytes around
 * addr for which the same holds. */
bool devmem_mapped(const struct devmem *d, u64 addr, u64 *lo, u64 *hi);
/* The allocation nearest to addr, for messages; NULL when there is none. Distance in bytes in *dist (0 = inside; else
 * beyond its end or before its start). */
const struct alloc *devmem_nearest(const struct devmem *d, u64 addr, u64 *dist);
/* Host side copies; error (naming the allocation) when [addr, addr+n) is not inside one live allocation. */
bool devmem_read(const struct devmem *d, u64 addr, void *out, u64 n, struct err *e);
bool devmem_write(struct devmem *d, u64 addr, const void *in, u64 n, struct err *e);
/* May a host program or the user write there? */
bool devmem_may_write(const struct devmem *d, u64 addr, u64 n, struct err *e);
/* Are the allocations in order, apart, numbered and within the memory? False with *e. */
bool devmem_check(const struct devmem *d, struct err *e);
/* Is it the machine's own, that the threads of all programs use? */
static inline bool devmem_shared(const struct alloc *a)
{
	return a->own || a->heap || a->scratch;
}
static inline u8 *devmem_ptr(const struct devmem *d, u64 addr)
{
	return d->mem + (addr - DEVMEM_BASE);
}
static inline void devmem_touch(struct devmem *d, u64 addr, u32 n) /* marks the pages of [addr, addr+n) dirty; n > 0 */
{
	u64 first = (addr - DEVMEM_BASE) / DEVMEM_PAGE, last = (addr - DEVMEM_BASE + n - 1) / DEVMEM_PAGE;
	for (u64 p = first; p <= last; p++)
		d->dirty[p / 64] |= 1ull << (p % 64);
}
/* XXH3 hash over all pages that are not zero, and their numbers. */
u64 devmem_hash(const struct devmem *d);
/* XXH3 hash of what a program leaves behind: size and bytes of every allocation and module variable, freed ones too (a
 * freed one keeps its bytes), in the order of allocation. Not of addresses, constants, code, parameters, local memory
 * and the heap of malloc(): machines and policies on which a program computes the same give the same hash, unless it
 * stores pointers. Where several host programs share the machine, the hash of their hashes (devmem_owner_hash() of
 * their first runs) in the order of the programs: it depends on what they compute, not on who allocated first. */
u64 devmem_result_hash(const struct devmem *d);
/* The same of what one owner allocated: the hash that it gives alone on a machine. */
u64 devmem_owner_hash(const struct devmem *d, u32 owner);
#endif
