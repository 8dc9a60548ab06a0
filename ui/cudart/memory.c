/* memory: allocations of device and host memory, what is known of a pointer. */
#include "cudart/abi.h"
#include "cudart/index.h"
#include "cudart/link.h"
#include "cudart/managed.h"
#include "cudart/memory.h"
#include "cudart/streams.h"
#include "cudart/version.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int memory_allocate(uint64_t bytes, uint64_t alignment, uint64_t *address)
{
	int error = ASK(WIRE_ALLOCATE, 0, bytes, alignment);
	if (error)
		return error;
	*address = link_reply.v[0];
	if (index_add((struct allocation){.address = *address, .bytes = bytes, .place = PLACE_DEVICE}))
		return 0;
	link_ask_wait(WIRE_FREE, *address);
	return OUT_OF_MEMORY;
}

int memory_free(uint64_t address)
{
	struct allocation *a = index_find((void *)address);
	if (!a || a->address != address || (a->place != PLACE_DEVICE && a->place != PLACE_MANAGED))
		return INVALID_VALUE;
	int error = link_ask_wait(WIRE_FREE, address);
	if (error)
		return error;
	a = index_find((void *)address); /* functions that were called meanwhile may have changed the index */
	if (!a || a->address != address)
		return INVALID_VALUE;
	struct region *region = a->region;
	index_remove(address);
	if (region)
		region_free(region);
	return 0;
}

EXPORT int cudaMalloc(void **pointer, size_t bytes)
{
	ENTER;
	if (!pointer)
		return leave(INVALID_VALUE);
	*pointer = NULL;
	if (!bytes)
		return leave(0);
	uint64_t address;
	int error = memory_allocate(bytes, 0, &address);
	if (!error)
		*pointer = (void *)address;
	return leave(error);
}

EXPORT int cudaFree(void *pointer)
{
	ENTER;
	return leave(pointer ? memory_free((uint64_t)pointer) : 0);
}

static int pitched(void **pointer, size_t *pitch, size_t width, size_t height, size_t depth)
{
	uint64_t align = link_device.texture_pitch > 512 ? link_device.texture_pitch : 512, row, all, address;
	*pointer = NULL;
	if (__builtin_add_overflow(width, align - 1, &row))
		return INVALID_VALUE;
	row -= row % align;
	*pitch = row;
	if (__builtin_mul_overflow(row, height, &all) || __builtin_mul_overflow(all, depth, &all))
		return INVALID_VALUE;
	if (!all)
		return 0;
	int error = memory_allocate(all, 0, &address);
	if (!error)
		*pointer = (void *)address;
	return error;
}

EXPORT int cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
	ENTER;
	return leave(pointer && pitch ? pitched(pointer, pitch, width, height, 1) : INVALID_VALUE);
}

EXPORT int cudaMalloc3D(struct pitched_ptr *made, struct extent extent)
{
	ENTER;
	if (!made)
		return leave(INVALID_VALUE);
	*made = (struct pitched_ptr){NULL, 0, extent.width, extent.height};
	return leave(pitched(&made->ptr, &made->pitch, extent.width, extent.height, extent.depth));
}

/* Pages at addresses of the device. */
static int shared_pages(void **pointer, size_t bytes, enum place place, enum region_kind kind, uint32_t flags)
{
	uint64_t whole = (bytes + REGION_PAGE - 1) & ~(REGION_PAGE - 1), address;
	if (whole < bytes)
		return OUT_OF_MEMORY;
	int error = ASK(WIRE_ALLOCATE, 0, whole, REGION_PAGE);
	if (error)
		return error;
	address = link_reply.v[0];
	struct allocation a = {.address = address, .bytes = bytes, .place = place, .flags = flags};
	error = region_new(address, address, whole, kind, &a.region);
	if (!error && !index_add(a)) {
		region_free(a.region);
		error = OUT_OF_MEMORY;
	}
	if (error)
		link_ask_wait(WIRE_FREE, address);
	else
		*pointer = (void *)address;
	return error;
}

EXPORT int cudaMallocManaged(void **pointer, size_t bytes, unsigned flags)
{
	ENTER;
	if (!pointer || !bytes || (flags != 1 && flags != 2))
		return leave(INVALID_VALUE);
	return leave(shared_pages(pointer, bytes, PLACE_MANAGED, REGION_OWN, flags));
}

/* Host memory. */

static uint64_t pinned_bytes; /* at addresses of the device, without what was asked for as mapped */

EXPORT int cudaHostAlloc(void **pointer, size_t bytes, unsigned flags)
{
	ENTER;
	if (!pointer || flags > 7)
		return leave(INVALID_VALUE);
	*pointer = NULL;
	if (!bytes)
		return leave(0);
	/* With unified addresses all of it can be the device's. Addresses of the device are not used twice, so an eighth of
	 * them is for this; what is pinned beyond is for copies. */
	uint64_t whole = (bytes + REGION_PAGE - 1) & ~(REGION_PAGE - 1);
	if (flags & HOST_MAPPED || (whole >= bytes && whole <= link_device.memory_bytes / 8 - pinned_bytes)) {
		int error = shared_pages(pointer, bytes, PLACE_HOST, REGION_PINNED, flags);
		if (!error && !(flags & HOST_MAPPED))
			pinned_bytes += whole;
		return leave(error);
	}
	void *pages =
	    whole < bytes ? MAP_FAILED : mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return leave(OUT_OF_MEMORY);
	struct allocation a = {.address = (uint64_t)pages, .bytes = bytes, .place = PLACE_HOST, .flags = flags};
	if (!index_add(a)) {
		munmap(pages, whole);
		return leave(OUT_OF_MEMORY);
	}
	*pointer = pages;
	return leave(0);
}

EXPORT int cudaMallocHost(void **pointer, size_t bytes)
{
	VIA(cudaHostAlloc(pointer, bytes, 0));
}

/* The device's copy of host memory goes. */
static int forget_copy(struct allocation a)
{
	if (!a.device)
		return 0;
	region_free(a.region);
	index_remove(a.device);
	return link_ask_wait(WIRE_FREE, a.device);
}

EXPORT int cudaFreeHost(void *pointer)
{
	ENTER;
	if (!pointer)
		return leave(0);
	struct allocation *at = index_find(pointer);
	if (!at || at->address != (uint64_t)pointer || (at->place != PLACE_HOST && at->place != PLACE_MAPPED))
		return leave(INVALID_VALUE);
	int error = stream_sync(NULL); /* queued copies may still be for it */
	at = index_find(pointer);
	if (!at || at->address != (uint64_t)pointer)
		return leave(INVALID_VALUE);
	struct allocation a = *at;
	index_remove(a.address);
	int freed = 0;
	if (a.region && !a.device) {
		region_free(a.region);
		freed = link_ask_wait(WIRE_FREE, a.address);
	} else {
		freed = forget_copy(a);
		munmap(pointer, (a.bytes + REGION_PAGE - 1) & ~(REGION_PAGE - 1));
	}
	return leave(error ? error : freed);
}

EXPORT int cudaHostRegister(void *pointer, size_t bytes, unsigned flags)
{
	ENTER;
	uint64_t address = (uint64_t)pointer;
	if (!pointer || !bytes || flags > 15 || address + bytes < address)
		return leave(INVALID_VALUE);
	struct allocation *next = index_next(address);
	if (index_find(pointer) || (next && next->address < address + bytes))
		return leave(ALREADY_REGISTERED);
	struct allocation a = {.address = address, .bytes = bytes, .place = PLACE_REGISTERED, .flags = flags};
	return leave(index_add(a) ? 0 : OUT_OF_MEMORY);
}

EXPORT int cudaHostUnregister(void *pointer)
{
	ENTER;
	struct allocation *at = index_find(pointer);
	if (!at || at->address != (uint64_t)pointer || at->place != PLACE_REGISTERED)
		return leave(pointer ? NOT_REGISTERED : INVALID_VALUE);
	int error = stream_sync(NULL);
	at = index_find(pointer);
	if (!at)
		return leave(NOT_REGISTERED);
	struct allocation a = *at;
	index_remove(a.address);
	int freed = forget_copy(a);
	return leave(error ? error : freed);
}

EXPORT int cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
	ENTER;
	struct allocation *a = index_find(host);
	if (!device || flags || !a || a->place == PLACE_DEVICE || a->place == PLACE_SYMBOL)
		return leave(INVALID_VALUE);
	if (place_on_device(a->place)) {
		*device = host;
		return leave(0);
	}
	if (a->place == PLACE_HOST && a->region && !a->device) {
		region_wake(a->region);
		*device = host;
		return leave(0);
	}
	uint64_t begin = a->address;
	if (!a->device) {
		uint64_t bytes = a->bytes;
		struct region *region;
		int error = ASK(WIRE_ALLOCATE, 0, bytes, REGION_PAGE);
		if (error)
			return leave(error);
		uint64_t address = link_reply.v[0];
		error = region_new(begin, address, bytes, REGION_COPY, &region);
		a = index_find(host);
		if (error || !a) {
			link_ask_wait(WIRE_FREE, address);
			return leave(error ? error : INVALID_VALUE);
		}
		a->device = address;
		a->region = region;
		index_add((struct allocation){.address = address, .bytes = bytes, .place = PLACE_SYMBOL});
		a = index_find(host);
	}
	*device = (void *)(a->device + ((uint64_t)host - begin));
	return leave(0);
}

EXPORT int cudaHostGetFlags(unsigned *flags, void *host)
{
	ENTER;
	struct allocation *a = index_find(host);
	if (!flags || !a || (a->place != PLACE_HOST && a->place != PLACE_MAPPED))
		return leave(INVALID_VALUE);
	*flags = a->flags | HOST_MAPPED; /* as with unified addresses */
	return leave(0);
}

EXPORT int cudaMemGetInfo(size_t *available, size_t *total)
{
	ENTER;
	int error = ASK(WIRE_MEMORY, 0, 0);
	if (!error && available)
		*available = link_reply.v[0];
	if (!error && total)
		*total = link_reply.v[1];
	return leave(error);
}

EXPORT int cudaPointerGetAttributes(struct pointer_attributes *attributes, const void *pointer)
{
	ENTER;
	if (!attributes)
		return leave(INVALID_VALUE);
	memset(attributes, 0, cudart_version() >= 13 ? sizeof *attributes : offsetof(struct pointer_attributes, reserved));
	const struct allocation *a = index_find(pointer);
	void *p = (void *)(uintptr_t)pointer;
	if (!a) {
		attributes->device = -2; /* CUDA's number for "of no device" */
		attributes->host_pointer = p;
		return leave(0);
	}
	switch (a->place) {
	case PLACE_DEVICE:
	case PLACE_SYMBOL:
		attributes->type = MEMORY_DEVICE;
		attributes->device_pointer = p;
		break;
	case PLACE_MANAGED:
		attributes->type = MEMORY_MANAGED;
		attributes->device_pointer = attributes->host_pointer = p;
		break;
	case PLACE_MAPPED:
	case PLACE_HOST:
	case PLACE_REGISTERED:
		attributes->type = MEMORY_HOST;
		attributes->host_pointer = p;
		attributes->device_pointer = a->device ? (void *)(a->device + ((uint64_t)p - a->address)) : p;
		break;
	}
	return leave(0);
}
