/* copies: the calls that copy and fill linear memory, and variables. Arrays: arrays.c. */
#include "cudart/abi.h"
#include "cudart/copy.h"
#include "cudart/index.h"
#include "cudart/link.h"
#include "cudart/modules.h"
#include "cudart/streams.h"
#include <string.h>

EXPORT int cudaMemcpy(void *to, const void *from, size_t bytes, int kind)
{
	ENTER;
	return leave(copy_call(NULL, copy_linear(to, from, bytes), kind, false));
}

EXPORT int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream)
{
	ENTER;
	return leave(copy_call(stream, copy_linear(to, from, bytes), kind, true));
}

EXPORT int cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
	ENTER;
	if (to_device || from_device)
		return leave(INVALID_DEVICE);
	return leave(copy_call(NULL, copy_linear(to, from, bytes), COPY_DEFAULT, false));
}

EXPORT int cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes, void *stream)
{
	ENTER;
	if (to_device || from_device)
		return leave(INVALID_DEVICE);
	return leave(copy_call(stream, copy_linear(to, from, bytes), COPY_DEFAULT, true));
}

static struct op_copy plane(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height)
{
	return (struct op_copy){.to = (uint64_t)to,
	                        .to_pitch = to_pitch,
	                        .from = (uint64_t)from,
	                        .from_pitch = from_pitch,
	                        .width = width,
	                        .height = height,
	                        .depth = 1};
}

EXPORT int cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                        int kind)
{
	ENTER;
	if (width > to_pitch || width > from_pitch)
		return leave(INVALID_PITCH);
	return leave(copy_call(NULL, plane(to, to_pitch, from, from_pitch, width, height), kind, false));
}

EXPORT int cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                             size_t height, int kind, void *stream)
{
	ENTER;
	if (width > to_pitch || width > from_pitch)
		return leave(INVALID_PITCH);
	return leave(copy_call(stream, plane(to, to_pitch, from, from_pitch, width, height), kind, true));
}

/* Several copies, in the order given: what CUDA promises is less. */
EXPORT int cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *bytes, size_t count,
                                void *attributes, size_t *indices, size_t nattributes, void *stream)
{
	ENTER;
	int error = to && from && bytes ? 0 : INVALID_VALUE;
	for (size_t i = 0; i < count && !error; i++)
		error = copy_call(stream, copy_linear(to[i], from[i], bytes[i]), COPY_DEFAULT, true);
	return leave(error);
}

/* Variables. */

static int symbol(const void *name, size_t bytes, size_t offset, uint64_t *address)
{
	uint64_t has;
	int error = symbol_of(name, address, &has);
	if (error)
		return error;
	if (offset > has || bytes > has - offset)
		return INVALID_VALUE;
	*address += offset;
	return 0;
}

static int to_symbol(const void *name, const void *from, size_t bytes, size_t offset, int kind, void *stream,
                     bool async)
{
	uint64_t address;
	if (kind == HOST_TO_HOST || kind == DEVICE_TO_HOST)
		return INVALID_DIRECTION;
	int error = symbol(name, bytes, offset, &address);
	return error ? error : copy_call(stream, copy_linear((void *)address, from, bytes), kind, async);
}

static int from_symbol(void *to, const void *name, size_t bytes, size_t offset, int kind, void *stream, bool async)
{
	uint64_t address;
	if (kind == HOST_TO_HOST || kind == HOST_TO_DEVICE)
		return INVALID_DIRECTION;
	int error = symbol(name, bytes, offset, &address);
	return error ? error : copy_call(stream, copy_linear(to, (void *)address, bytes), kind, async);
}

EXPORT int cudaMemcpyToSymbol(const void *name, const void *from, size_t bytes, size_t offset, int kind)
{
	ENTER;
	return leave(to_symbol(name, from, bytes, offset, kind, NULL, false));
}

EXPORT int cudaMemcpyToSymbolAsync(const void *name, const void *from, size_t bytes, size_t offset, int kind,
                                   void *stream)
{
	ENTER;
	return leave(to_symbol(name, from, bytes, offset, kind, stream, true));
}

EXPORT int cudaMemcpyFromSymbol(void *to, const void *name, size_t bytes, size_t offset, int kind)
{
	ENTER;
	return leave(from_symbol(to, name, bytes, offset, kind, NULL, false));
}

EXPORT int cudaMemcpyFromSymbolAsync(void *to, const void *name, size_t bytes, size_t offset, int kind, void *stream)
{
	ENTER;
	return leave(from_symbol(to, name, bytes, offset, kind, stream, true));
}

EXPORT int cudaGetSymbolAddress(void **pointer, const void *name)
{
	ENTER;
	uint64_t address, bytes;
	int error = pointer ? symbol_of(name, &address, &bytes) : INVALID_VALUE;
	if (!error)
		*pointer = (void *)address;
	return leave(error);
}

EXPORT int cudaGetSymbolSize(size_t *size, const void *name)
{
	ENTER;
	uint64_t address, bytes;
	int error = size ? symbol_of(name, &address, &bytes) : INVALID_VALUE;
	if (!error)
		*size = bytes;
	return leave(error);
}

/* Fills. */

static void fill_on_host(unsigned char *to, const struct op_fill *f)
{
	for (uint64_t i = 0; i < f->width; i += f->element)
		memcpy(to + i, &f->value, f->element);
}

int copy_fill(void *stream, const struct op_fill *f)
{
	struct stream *s;
	int error = stream_of(stream, &s);
	if (error || !f->width || !f->height || !f->depth)
		return error;
	const struct allocation *a = index_find((void *)f->address);
	uint64_t bytes = (f->depth - 1) * f->slice + (f->height - 1) * f->pitch + f->width;
	if (!a)
		return INVALID_VALUE;
	if (!place_on_device(a->place)) {
		/* Pinned memory of the host: the device would fill it, in the stream's order. */
		error = stream_sync(s);
		for (uint64_t z = 0; z < f->depth && !error; z++)
			for (uint64_t y = 0; y < f->height; y++)
				fill_on_host((unsigned char *)(f->address + z * f->slice + y * f->pitch), f);
		return error;
	}
	if (bytes > a->bytes - (f->address - a->address))
		return INVALID_VALUE;
	if (f->height > 1 && f->width > f->pitch)
		return INVALID_PITCH;
	return stream_give(s, &(struct op){.kind = OP_FILL, .fill = *f});
}

static int fill_linear(void *to, int value, size_t bytes, void *stream)
{
	return copy_fill(stream, &(struct op_fill){(uint64_t)to, bytes, 0, bytes, 1, 1, value & 255, 1});
}

static int fill_plane(void *to, size_t pitch, int value, size_t width, size_t height, void *stream)
{
	return copy_fill(stream, &(struct op_fill){(uint64_t)to, pitch, 0, width, height, 1, value & 255, 1});
}

static int fill_box(struct pitched_ptr to, int value, struct extent e, void *stream)
{
	return copy_fill(stream, &(struct op_fill){(uint64_t)to.ptr, to.pitch, to.pitch * to.ysize, e.width, e.height,
	                                           e.depth, value & 255, 1});
}

EXPORT int cudaMemset(void *to, int value, size_t bytes)
{
	ENTER;
	return leave(fill_linear(to, value, bytes, NULL));
}

EXPORT int cudaMemsetAsync(void *to, int value, size_t bytes, void *stream)
{
	ENTER;
	return leave(fill_linear(to, value, bytes, stream));
}

EXPORT int cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
	ENTER;
	return leave(fill_plane(to, pitch, value, width, height, NULL));
}

EXPORT int cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, void *stream)
{
	ENTER;
	return leave(fill_plane(to, pitch, value, width, height, stream));
}

EXPORT int cudaMemset3D(struct pitched_ptr to, int value, struct extent extent)
{
	ENTER;
	return leave(fill_box(to, value, extent, NULL));
}

EXPORT int cudaMemset3DAsync(struct pitched_ptr to, int value, struct extent extent, void *stream)
{
	ENTER;
	return leave(fill_box(to, value, extent, stream));
}
