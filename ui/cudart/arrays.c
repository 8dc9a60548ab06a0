/* arrays: CUDA's arrays as pitched memory of the device, and the copies to and from them. */
#include "cudart/abi.h"
#include "cudart/arrays.h"
#include "cudart/copy.h"
#include "cudart/link.h"
#include "cudart/memory.h"
#include "cudart/streams.h"
#include "cudart/table.h"
#include <stdlib.h>
#include <string.h>

static struct table arrays;

unsigned channels_of(const struct channel_desc *d)
{
	return (d->x > 0) + (d->y > 0) + (d->z > 0) + (d->w > 0);
}

bool channels_good(const struct channel_desc *d)
{
	unsigned n = channels_of(d);
	const int bits[] = {d->x, d->y, d->z, d->w};
	if (d->f < 0 || d->f > 2 || (d->x != 8 && d->x != 16 && d->x != 32) || n == 3)
		return false;
	for (unsigned i = 0; i < 4; i++)
		if (bits[i] != (i < n ? d->x : 0))
			return false;
	return d->f != 2 || d->x >= 16;
}

/* Six square faces; of layers, six each. */
static bool is_cube(struct extent e, unsigned flags)
{
	return e.width == e.height && (flags & ARRAY_LAYERED ? e.depth && e.depth % 6 == 0 : e.depth == 6);
}

static int make(struct array **made, const struct channel_desc *desc, struct extent e, unsigned flags)
{
	if (!made || !desc || !e.width || (e.depth && !e.height && !(flags & ARRAY_LAYERED)))
		return INVALID_VALUE;
	if (!channels_good(desc))
		return INVALID_CHANNELS;
	if (flags & (ARRAY_SPARSE | ARRAY_DEFERRED))
		return link_refuse("sparse and deferred arrays");
	if (flags & ARRAY_CUBEMAP && !is_cube(e, flags))
		return INVALID_VALUE;
	struct array *a = calloc(1, sizeof *a);
	if (!a)
		return OUT_OF_MEMORY;
	uint64_t align = link_device.texture_pitch ? link_device.texture_pitch : 32, row, all;
	*a = (struct array){.desc = *desc, .extent = e, .flags = flags, .texel = channels_of(desc) * (unsigned)desc->x / 8};
	uint64_t rows = e.height ? e.height : 1, planes = e.depth ? e.depth : 1;
	int error = 0;
	if (__builtin_mul_overflow(e.width, a->texel, &row) || __builtin_add_overflow(row, align - 1, &row))
		error = OUT_OF_MEMORY;
	a->pitch = row - row % align;
	a->slice = a->pitch * rows;
	if (__builtin_mul_overflow(a->pitch, rows, &all) || __builtin_mul_overflow(all, planes, &all))
		error = OUT_OF_MEMORY;
	if (!error)
		error = memory_allocate(all, link_device.texture_alignment, &a->address);
	if (!error && !table_put(&arrays, a, a))
		error = OUT_OF_MEMORY;
	if (error)
		free(a);
	else
		*made = a;
	return error;
}

bool array_is(const struct array *a)
{
	return table_get(&arrays, a) != NULL;
}

EXPORT int cudaMallocArray(struct array **made, const struct channel_desc *desc, size_t width, size_t height,
                           unsigned flags)
{
	ENTER;
	return leave(make(made, desc, (struct extent){width, height, 0}, flags));
}

EXPORT int cudaMalloc3DArray(struct array **made, const struct channel_desc *desc, struct extent extent, unsigned flags)
{
	ENTER;
	return leave(make(made, desc, extent, flags));
}

EXPORT int cudaFreeArray(struct array *a)
{
	ENTER;
	if (!a)
		return leave(0);
	if (!array_is(a))
		return leave(INVALID_HANDLE);
	int error = memory_free(a->address);
	table_remove(&arrays, a);
	free(a);
	return leave(error);
}

EXPORT int cudaArrayGetInfo(struct channel_desc *desc, struct extent *extent, unsigned *flags, struct array *a)
{
	ENTER;
	if (!array_is(a))
		return leave(INVALID_HANDLE);
	if (desc)
		*desc = a->desc;
	if (extent)
		*extent = a->extent;
	if (flags)
		*flags = a->flags;
	return leave(0);
}

EXPORT int cudaGetChannelDesc(struct channel_desc *desc, const struct array *a)
{
	ENTER;
	if (!desc || !array_is(a))
		return leave(desc ? INVALID_HANDLE : INVALID_VALUE);
	*desc = a->desc;
	return leave(0);
}

/* A place in an array: bytes from the row's begin, row, plane. */
static uint64_t at(const struct array *a, size_t x, size_t y, size_t z)
{
	return a->address + z * a->slice + y * a->pitch + x;
}

static bool inside(const struct array *a, size_t x, size_t y, size_t width, size_t height)
{
	size_t rows = a->extent.height ? a->extent.height : 1, bytes = a->extent.width * a->texel;
	return x <= bytes && width <= bytes - x && y <= rows && height <= rows - y;
}

static int plane_to(struct array *to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,
                    int kind, void *stream, bool async)
{
	if (!array_is(to))
		return INVALID_HANDLE;
	if (!inside(to, x, y, width, height))
		return INVALID_VALUE;
	if (width > pitch && height > 1)
		return INVALID_PITCH;
	struct op_copy c = {.to = at(to, x, y, 0),
	                    .to_pitch = to->pitch,
	                    .from = (uint64_t)from,
	                    .from_pitch = pitch,
	                    .width = width,
	                    .height = height,
	                    .depth = 1};
	return copy_call(stream, c, kind, async);
}

static int plane_from(void *to, size_t pitch, const struct array *from, size_t x, size_t y, size_t width, size_t height,
                      int kind, void *stream, bool async)
{
	if (!array_is(from))
		return INVALID_HANDLE;
	if (!inside(from, x, y, width, height))
		return INVALID_VALUE;
	if (width > pitch && height > 1)
		return INVALID_PITCH;
	struct op_copy c = {.to = (uint64_t)to,
	                    .to_pitch = pitch,
	                    .from = at(from, x, y, 0),
	                    .from_pitch = from->pitch,
	                    .width = width,
	                    .height = height,
	                    .depth = 1};
	return copy_call(stream, c, kind, async);
}

EXPORT int cudaMemcpy2DToArray(struct array *to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                               size_t height, int kind)
{
	ENTER;
	return leave(plane_to(to, x, y, from, pitch, width, height, kind, NULL, false));
}

EXPORT int cudaMemcpy2DToArrayAsync(struct array *to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                    size_t height, int kind, void *stream)
{
	ENTER;
	return leave(plane_to(to, x, y, from, pitch, width, height, kind, stream, true));
}

EXPORT int cudaMemcpy2DFromArray(void *to, size_t pitch, const struct array *from, size_t x, size_t y, size_t width,
                                 size_t height, int kind)
{
	ENTER;
	return leave(plane_from(to, pitch, from, x, y, width, height, kind, NULL, false));
}

EXPORT int cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, const struct array *from, size_t x, size_t y,
                                      size_t width, size_t height, int kind, void *stream)
{
	ENTER;
	return leave(plane_from(to, pitch, from, x, y, width, height, kind, stream, true));
}

/* A run of bytes that goes on in the next row. a: the array's side; to: bytes go to the array. */
static int run(const struct array *a, size_t x, size_t y, void *linear, size_t bytes, int kind, void *stream,
               bool async, bool to)
{
	if (!array_is(a))
		return INVALID_HANDLE;
	size_t row = a->extent.width * a->texel;
	unsigned char *host = linear;
	int error = 0;
	while (bytes && !error) {
		/* Whole rows at once. */
		size_t width = x || bytes < row ? (bytes < row - x ? bytes : row - x) : row,
		       height = x || bytes < row ? 1 : bytes / row;
		if (!inside(a, x, y, width, height))
			return INVALID_VALUE;
		uint64_t here = at(a, x, y, 0);
		struct op_copy c = {.to = to ? here : (uint64_t)host,
		                    .to_pitch = to ? a->pitch : width,
		                    .from = to ? (uint64_t)host : here,
		                    .from_pitch = to ? width : a->pitch,
		                    .width = width,
		                    .height = height,
		                    .depth = 1};
		error = copy_call(stream, c, kind, async);
		bytes -= width * height;
		host += width * height;
		x = 0;
		y += height;
	}
	return error;
}

EXPORT int cudaMemcpyToArray(struct array *to, size_t x, size_t y, const void *from, size_t bytes, int kind)
{
	ENTER;
	return leave(run(to, x, y, (void *)(uintptr_t)from, bytes, kind, NULL, false, true));
}

EXPORT int cudaMemcpyToArrayAsync(struct array *to, size_t x, size_t y, const void *from, size_t bytes, int kind,
                                  void *stream)
{
	ENTER;
	return leave(run(to, x, y, (void *)(uintptr_t)from, bytes, kind, stream, true, true));
}

EXPORT int cudaMemcpyFromArray(void *to, const struct array *from, size_t x, size_t y, size_t bytes, int kind)
{
	ENTER;
	return leave(run(from, x, y, to, bytes, kind, NULL, false, false));
}

EXPORT int cudaMemcpyFromArrayAsync(void *to, const struct array *from, size_t x, size_t y, size_t bytes, int kind,
                                    void *stream)
{
	ENTER;
	return leave(run(from, x, y, to, bytes, kind, stream, true, false));
}

EXPORT int cudaMemcpy2DArrayToArray(struct array *to, size_t to_x, size_t to_y, const struct array *from, size_t x,
                                    size_t y, size_t width, size_t height, int kind)
{
	ENTER;
	if (!array_is(to) || !array_is(from))
		return leave(INVALID_HANDLE);
	if (!inside(to, to_x, to_y, width, height) || !inside(from, x, y, width, height))
		return leave(INVALID_VALUE);
	struct op_copy c = {.to = at(to, to_x, to_y, 0),
	                    .to_pitch = to->pitch,
	                    .from = at(from, x, y, 0),
	                    .from_pitch = from->pitch,
	                    .width = width,
	                    .height = height,
	                    .depth = 1};
	return leave(copy_call(NULL, c, kind, false));
}

EXPORT int cudaMemcpyArrayToArray(struct array *to, size_t to_x, size_t to_y, const struct array *from, size_t x,
                                  size_t y, size_t bytes, int kind)
{
	ENTER;
	if (!array_is(to) || !array_is(from))
		return leave(INVALID_HANDLE);
	size_t row = from->extent.width * from->texel;
	if (to->extent.width * to->texel != row || to_x || x || bytes % row)
		return leave(link_refuse("copies of parts of rows"));
	if (!inside(to, 0, to_y, row, bytes / row) || !inside(from, 0, y, row, bytes / row))
		return leave(INVALID_VALUE);
	struct op_copy c = {.to = at(to, 0, to_y, 0),
	                    .to_pitch = to->pitch,
	                    .from = at(from, 0, y, 0),
	                    .from_pitch = from->pitch,
	                    .width = row,
	                    .height = bytes / row,
	                    .depth = 1};
	return leave(copy_call(NULL, c, kind, false));
}

/* Three dimensions: each side is an array or pitched memory. With an array the extent's width is in its texels. */
int copy_of_box(const struct memcpy_3d *p, struct op_copy *c, int *kind)
{
	unsigned texel = 1;
	if (!p || (p->src_array && p->src_ptr.ptr) || (p->dst_array && p->dst_ptr.ptr))
		return INVALID_VALUE;
	if ((p->src_array && !array_is(p->src_array)) || (p->dst_array && !array_is(p->dst_array)))
		return INVALID_HANDLE;
	if (p->src_array)
		texel = p->src_array->texel;
	if (p->dst_array)
		texel = p->dst_array->texel;
	if (p->src_array && p->dst_array && p->src_array->texel != p->dst_array->texel)
		return INVALID_VALUE;
	*c = (struct op_copy){.width = p->extent.width * texel, .height = p->extent.height, .depth = p->extent.depth};
	const struct side {
		const struct array *array;
		struct pos pos;
		struct pitched_ptr ptr;
		uint64_t *address, *pitch, *slice;
	} sides[] = {{p->src_array, p->src_pos, p->src_ptr, &c->from, &c->from_pitch, &c->from_slice},
	             {p->dst_array, p->dst_pos, p->dst_ptr, &c->to, &c->to_pitch, &c->to_slice}};
	for (int i = 0; i < 2; i++) {
		const struct side *s = &sides[i];
		if (s->array) {
			size_t planes = s->array->extent.depth ? s->array->extent.depth : 1, x = s->pos.x * texel;
			if (!inside(s->array, x, s->pos.y, c->width, c->height))
				return INVALID_VALUE;
			if (s->pos.z > planes || c->depth > planes - s->pos.z)
				return INVALID_VALUE;
			*s->address = at(s->array, x, s->pos.y, s->pos.z);
			*s->pitch = s->array->pitch;
			*s->slice = s->array->slice;
		} else {
			if (!s->ptr.ptr && c->width && c->height && c->depth)
				return INVALID_VALUE;
			*s->pitch = s->ptr.pitch;
			*s->slice = s->ptr.pitch * (s->ptr.ysize ? s->ptr.ysize : c->height);
			*s->address = (uint64_t)s->ptr.ptr + s->pos.z * *s->slice + s->pos.y * *s->pitch + s->pos.x;
		}
	}
	*kind = p->kind;
	return 0;
}

static int box(const struct memcpy_3d *p, void *stream, bool async)
{
	struct op_copy c;
	int kind, error = copy_of_box(p, &c, &kind);
	return error ? error : copy_call(stream, c, kind, async);
}

EXPORT int cudaMemcpy3D(const struct memcpy_3d *p)
{
	ENTER;
	return leave(box(p, NULL, false));
}

EXPORT int cudaMemcpy3DAsync(const struct memcpy_3d *p, void *stream)
{
	ENTER;
	return leave(box(p, stream, true));
}

static int box_peer(const struct memcpy_3d_peer *p, void *stream, bool async)
{
	if (!p)
		return INVALID_VALUE;
	if (p->src_device || p->dst_device)
		return INVALID_DEVICE;
	struct memcpy_3d same = {p->src_array, p->src_pos, p->src_ptr, p->dst_array,
	                         p->dst_pos,   p->dst_ptr, p->extent,  COPY_DEFAULT};
	return box(&same, stream, async);
}

EXPORT int cudaMemcpy3DPeer(const struct memcpy_3d_peer *p)
{
	ENTER;
	return leave(box_peer(p, NULL, false));
}

EXPORT int cudaMemcpy3DPeerAsync(const struct memcpy_3d_peer *p, void *stream)
{
	ENTER;
	return leave(box_peer(p, stream, true));
}
