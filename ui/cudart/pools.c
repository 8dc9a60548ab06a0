/* pools: stream-ordered allocation as plain allocation, advice and prefetches as nothing: the machine has one memory.
 */
#include "cudart/abi.h"
#include "cudart/index.h"
#include "cudart/link.h"
#include "cudart/memory.h"
#include "cudart/streams.h"
#include "cudart/table.h"
#include "cudart/version.h"
#include <stdlib.h>
#include <string.h>

static struct pool {
	uint64_t attributes[9];
} device_pool = {{0, 1, 1, 1}}, *current = &device_pool;
static struct table pools;

static struct pool *pool_of(void *handle)
{
	return handle == &device_pool ? &device_pool : table_get(&pools, handle);
}

/* A reservation of memory is made when the call is made: the stream's order is then kept a fortiori. */
static int allocate(void **pointer, size_t bytes, void *stream)
{
	struct stream *s;
	uint64_t address;
	int error = pointer ? stream_of(stream, &s) : INVALID_VALUE;
	if (error)
		return error;
	*pointer = NULL;
	if (s->capture)
		return link_refuse("allocations in a stream that is captured");
	if (!bytes)
		return 0;
	error = memory_allocate(bytes, 0, &address);
	if (!error)
		*pointer = (void *)address;
	return error;
}

EXPORT int cudaMallocAsync(void **pointer, size_t bytes, void *stream)
{
	ENTER;
	return leave(allocate(pointer, bytes, stream));
}

EXPORT int cudaMallocFromPoolAsync(void **pointer, size_t bytes, void *pool, void *stream)
{
	ENTER;
	return leave(pool_of(pool) ? allocate(pointer, bytes, stream) : INVALID_VALUE);
}

/* Queued work may still use it: WIRE_FREE waits for all streams. */
EXPORT int cudaFreeAsync(void *pointer, void *stream)
{
	ENTER;
	struct stream *s;
	int error = stream_of(stream, &s);
	if (!error && s->capture)
		error = link_refuse("frees in a stream that is captured");
	return leave(error || !pointer ? error : memory_free((uint64_t)pointer));
}

EXPORT int cudaMemPoolCreate(void **pool, const void *properties)
{
	ENTER;
	struct pool *p = pool && properties ? calloc(1, sizeof *p) : NULL;
	if (!p)
		return leave(INVALID_VALUE);
	*p = (struct pool){{0, 1, 1, 1}};
	if (!table_put(&pools, p, p))
		return leave(OUT_OF_MEMORY);
	*pool = p;
	return leave(0);
}

EXPORT int cudaMemPoolDestroy(void *pool)
{
	ENTER;
	struct pool *p = table_get(&pools, pool);
	if (!p)
		return leave(INVALID_VALUE);
	table_remove(&pools, p);
	if (current == p)
		current = &device_pool;
	free(p);
	return leave(0);
}

EXPORT int cudaMemPoolTrimTo(void *pool, size_t bytes)
{
	ENTER;
	return leave(pool_of(pool) ? 0 : INVALID_VALUE);
}

/* Attributes 1 to 3 are int, the others 64 bits. */
EXPORT int cudaMemPoolSetAttribute(void *pool, int attribute, void *value)
{
	ENTER;
	struct pool *p = pool_of(pool);
	if (!p || !value || attribute < 1 || attribute > 8)
		return leave(INVALID_VALUE);
	p->attributes[attribute] = attribute <= 3 ? (uint64_t) * (int *)value : *(uint64_t *)value;
	return leave(0);
}

EXPORT int cudaMemPoolGetAttribute(void *pool, int attribute, void *value)
{
	ENTER;
	const struct pool *p = pool_of(pool);
	if (!p || !value || attribute < 1 || attribute > 8)
		return leave(INVALID_VALUE);
	if (attribute <= 3)
		*(int *)value = (int)p->attributes[attribute];
	else
		*(uint64_t *)value = p->attributes[attribute];
	return leave(0);
}

EXPORT int cudaMemPoolSetAccess(void *pool, const void *list, size_t count)
{
	ENTER;
	return leave(pool_of(pool) ? 0 : INVALID_VALUE);
}

EXPORT int cudaMemPoolGetAccess(int *flags, void *pool, void *location)
{
	ENTER;
	if (!flags || !pool_of(pool))
		return leave(INVALID_VALUE);
	*flags = 3; /* read and write */
	return leave(0);
}

EXPORT int cudaDeviceGetDefaultMemPool(void **pool, int device)
{
	ENTER;
	if (!pool || device)
		return leave(pool ? INVALID_DEVICE : INVALID_VALUE);
	*pool = &device_pool;
	return leave(0);
}

EXPORT int cudaDeviceGetMemPool(void **pool, int device)
{
	ENTER;
	if (!pool || device)
		return leave(pool ? INVALID_DEVICE : INVALID_VALUE);
	*pool = current;
	return leave(0);
}

EXPORT int cudaDeviceSetMemPool(int device, void *pool)
{
	ENTER;
	struct pool *p = pool_of(pool);
	if (!p || device)
		return leave(p ? INVALID_DEVICE : INVALID_VALUE);
	current = p;
	return leave(0);
}

/* Advice. */

static int managed(const void *pointer, size_t bytes)
{
	const struct allocation *a = index_find(pointer);
	if (!a || a->place != PLACE_MANAGED)
		return INVALID_VALUE;
	return bytes > a->bytes - ((uint64_t)pointer - a->address) ? INVALID_VALUE : 0;
}

EXPORT int cudaMemAdvise(const void *pointer, size_t bytes, int advice, struct mem_location location)
{
	ENTER;
	return leave(advice < 1 || advice > 6 ? INVALID_VALUE : managed(pointer, bytes));
}

EXPORT int cudaMemAdvise_v2(const void *pointer, size_t bytes, int advice, struct mem_location location)
{
	VIA(cudaMemAdvise(pointer, bytes, advice, location));
}

/* The argument that says where to is a number before CUDA 13, and the stream is one argument earlier. */
EXPORT int cudaMemPrefetchAsync(const void *pointer, size_t bytes, struct mem_location location, uintptr_t flags,
                                void *stream)
{
	ENTER;
	struct stream *s;
	int error = stream_of(cudart_version() >= 13 ? stream : (void *)flags, &s);
	return leave(error ? error : managed(pointer, bytes));
}

EXPORT int cudaMemPrefetchAsync_v2(const void *pointer, size_t bytes, struct mem_location location, unsigned flags,
                                   void *stream)
{
	ENTER;
	struct stream *s;
	int error = stream_of(stream, &s);
	return leave(error ? error : managed(pointer, bytes));
}

EXPORT int cudaStreamAttachMemAsync(void *stream, void *pointer, size_t bytes, unsigned flags)
{
	ENTER;
	struct stream *s;
	int error = stream_of(stream, &s);
	return leave(error ? error : managed(pointer, 0));
}

EXPORT int cudaMemRangeGetAttribute(void *data, size_t size, int attribute, const void *pointer, size_t bytes)
{
	ENTER;
	int error = data && size >= 4 && attribute >= 1 && attribute <= 8 ? managed(pointer, bytes) : INVALID_VALUE;
	if (error)
		return leave(error);
	memset(data, 0, size);
	if (attribute != 1)
		*(int *)data = -2; /* nowhere in particular */
	return leave(0);
}
