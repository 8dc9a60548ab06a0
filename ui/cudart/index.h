/* index: what the library knows of addresses: allocations of device memory, and host memory that CUDA has been told of.
 * Device and host addresses are of one space (CUDA's unified addresses). The caller has the mutex. */
#ifndef UI_CUDART_INDEX_H
#define UI_CUDART_INDEX_H
#include <stdbool.h>
#include <stdint.h>

enum place {
	PLACE_DEVICE,
	PLACE_SYMBOL,     /* a variable of a module */
	PLACE_MANAGED,    /* pages of the program at the device's addresses */
	PLACE_MAPPED,     /* the same, pinned memory of the host that kernels can reach */
	PLACE_HOST,       /* pinned memory that no kernel knows of (managed.h) */
	PLACE_REGISTERED, /* cudaHostRegister */
};
struct region;
struct allocation {
	uint64_t address, bytes;
	enum place place;
	uint32_t flags;        /* that the program gave */
	struct region *region; /* pages that both sides have: managed.h */
	uint64_t device;       /* where the device has a copy of host memory; 0: nowhere */
};

bool index_add(struct allocation a);                /* false: no memory */
void index_remove(uint64_t address);                /* of the first byte */
struct allocation *index_find(const void *address); /* that holds it; valid until the index changes */
struct allocation *index_next(uint64_t address);    /* the first that begins at or above it */
static inline bool place_on_device(enum place p)
{
	return p <= PLACE_MAPPED;
}
#endif
