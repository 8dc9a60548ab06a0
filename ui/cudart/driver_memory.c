/* driver_memory: memory, copies, fills, arrays and textures. */
#include "cudart/copy.h"
#include "cudart/driver.h"
#include "cudart/index.h"
#include <string.h>

typedef uint64_t address; /* CUdeviceptr */

static void *at(address a)
{
	return (void *)a;
}

#define MEMORY(name, parameters, call)                                                                                 \
	EXPORT int name parameters                                                                                         \
	{                                                                                                                  \
		DRIVER(call);                                                                                                  \
	}
MEMORY(cuMemAlloc_v2, (address * a, size_t n), n ? cudaMalloc((void **)a, n) : INVALID_VALUE)
MEMORY(cuMemFree_v2, (address a), cudaFree(at(a)))
MEMORY(cuMemAllocPitch_v2, (address * a, size_t *pitch, size_t width, size_t height, unsigned element),
       cudaMallocPitch((void **)a, pitch, width, height))
MEMORY(cuMemAllocManaged, (address * a, size_t n, unsigned flags), cudaMallocManaged((void **)a, n, flags))
MEMORY(cuMemAllocHost_v2, (void **p, size_t n), cudaMallocHost(p, n))
MEMORY(cuMemHostAlloc, (void **p, size_t n, unsigned flags), cudaHostAlloc(p, n, flags))
MEMORY(cuMemFreeHost, (void *p), cudaFreeHost(p))
MEMORY(cuMemHostRegister_v2, (void *p, size_t n, unsigned flags), cudaHostRegister(p, n, flags))
MEMORY(cuMemHostUnregister, (void *p), cudaHostUnregister(p))
MEMORY(cuMemHostGetDevicePointer_v2, (address * a, void *p, unsigned flags),
       cudaHostGetDevicePointer((void **)a, p, flags))
MEMORY(cuMemHostGetFlags, (unsigned *flags, void *p), cudaHostGetFlags(flags, p))
MEMORY(cuMemGetInfo_v2, (size_t * available, size_t *all), cudaMemGetInfo(available, all))
MEMORY(cuMemAllocAsync, (address * a, size_t n, void *s), cudaMallocAsync((void **)a, n, s))
MEMORY(cuMemFreeAsync, (address a, void *s), cudaFreeAsync(at(a), s))

EXPORT int cuMemGetAddressRange_v2(address *begin, size_t *bytes, address a)
{
	DRIVER_ENTER;
	const struct allocation *found = index_find(at(a));
	if (found && begin)
		*begin = found->address;
	if (found && bytes)
		*bytes = found->bytes;
	return driver_leave(found ? 0 : SYMBOL_NOT_FOUND);
}

/* --- copies --- */

MEMORY(cuMemcpy, (address to, address from, size_t n), cudaMemcpy(at(to), at(from), n, COPY_DEFAULT))
MEMORY(cuMemcpyAsync, (address to, address from, size_t n, void *s),
       cudaMemcpyAsync(at(to), at(from), n, COPY_DEFAULT, s))
MEMORY(cuMemcpyHtoD_v2, (address to, const void *from, size_t n), cudaMemcpy(at(to), from, n, HOST_TO_DEVICE))
MEMORY(cuMemcpyDtoH_v2, (void *to, address from, size_t n), cudaMemcpy(to, at(from), n, DEVICE_TO_HOST))
MEMORY(cuMemcpyDtoD_v2, (address to, address from, size_t n), cudaMemcpy(at(to), at(from), n, DEVICE_TO_DEVICE))
MEMORY(cuMemcpyHtoDAsync_v2, (address to, const void *from, size_t n, void *s),
       cudaMemcpyAsync(at(to), from, n, HOST_TO_DEVICE, s))
MEMORY(cuMemcpyDtoHAsync_v2, (void *to, address from, size_t n, void *s),
       cudaMemcpyAsync(to, at(from), n, DEVICE_TO_HOST, s))
MEMORY(cuMemcpyDtoDAsync_v2, (address to, address from, size_t n, void *s),
       cudaMemcpyAsync(at(to), at(from), n, DEVICE_TO_DEVICE, s))

enum { SIDE_HOST = 1, SIDE_DEVICE = 2, SIDE_ARRAY = 3, SIDE_UNIFIED = 4 };
struct side_2d {
	size_t x, y;
	int type;
	void *host;
	address device;
	struct array *array;
	size_t pitch;
};
struct driver_copy_2d {
	struct side_2d from, to;
	size_t width, height;
};
struct side_3d {
	size_t x, y, z, level;
	int type;
	void *host;
	address device;
	struct array *array;
	void *reserved;
	size_t pitch, height;
};
struct driver_copy_3d {
	struct side_3d from, to;
	size_t width, height, depth;
};

static size_t element_of(struct array *a)
{
	struct channel_desc d;
	if (cudaArrayGetInfo(&d, NULL, NULL, a))
		return 0;
	return (size_t)(d.x + d.y + d.z + d.w) / 8;
}

/* One side, as the run time describes it: of an array by its elements, of memory by a pointer to its beginning. */
static int describe(const struct side_3d *s, const struct driver_copy_3d *c, struct array **array, struct pos *pos,
                    struct pitched_ptr *ptr, size_t *element)
{
	if (s->level)
		return link_refuse("mipmapped arrays");
	if (s->type == SIDE_ARRAY) {
		const size_t bytes = s->array ? element_of(s->array) : 0;
		if (!bytes || s->x % bytes)
			return INVALID_VALUE;
		*element = bytes;
		*array = s->array;
		*pos = (struct pos){s->x / bytes, s->y, s->z};
		return 0;
	}
	if (s->type < SIDE_HOST || s->type > SIDE_UNIFIED)
		return INVALID_VALUE;
	const size_t pitch = s->pitch ? s->pitch : c->width + s->x, rows = s->height ? s->height : c->height + s->y;
	char *p = s->type == SIDE_HOST ? s->host : at(s->device);
	*ptr = (struct pitched_ptr){p + s->z * rows * pitch + s->y * pitch + s->x, pitch, pitch, rows};
	return 0;
}

static int kind_of(int from, int to)
{
	if (from == SIDE_UNIFIED || to == SIDE_UNIFIED)
		return COPY_DEFAULT;
	return (from == SIDE_HOST ? 0 : 2) + (to == SIDE_HOST ? 0 : 1);
}

static int copy_3d(const struct driver_copy_3d *c, void *stream, bool async)
{
	struct memcpy_3d m = {0};
	size_t element = 1;
	if (!c)
		return INVALID_VALUE;
	int error = describe(&c->from, c, &m.src_array, &m.src_pos, &m.src_ptr, &element);
	if (!error)
		error = describe(&c->to, c, &m.dst_array, &m.dst_pos, &m.dst_ptr, &element);
	if (!error && c->width % element)
		error = INVALID_VALUE;
	if (error)
		return error;
	m.extent = (struct extent){c->width / element, c->height, c->depth};
	m.kind = kind_of(c->from.type, c->to.type);
	return async ? cudaMemcpy3DAsync(&m, stream) : cudaMemcpy3D(&m);
}

static struct side_3d with_depth(const struct side_2d *s)
{
	return (struct side_3d){s->x, s->y, 0, 0, s->type, s->host, s->device, s->array, NULL, s->pitch, 0};
}

static int copy_2d(const struct driver_copy_2d *c, void *stream, bool async)
{
	if (!c)
		return INVALID_VALUE;
	const struct driver_copy_3d d = {with_depth(&c->from), with_depth(&c->to), c->width, c->height, 1};
	return copy_3d(&d, stream, async);
}

MEMORY(cuMemcpy2D_v2, (const struct driver_copy_2d *c), copy_2d(c, NULL, false))
MEMORY(cuMemcpy2DUnaligned_v2, (const struct driver_copy_2d *c), copy_2d(c, NULL, false))
MEMORY(cuMemcpy2DAsync_v2, (const struct driver_copy_2d *c, void *s), copy_2d(c, s, true))
MEMORY(cuMemcpy3D_v2, (const struct driver_copy_3d *c), copy_3d(c, NULL, false))
MEMORY(cuMemcpy3DAsync_v2, (const struct driver_copy_3d *c, void *s), copy_3d(c, s, true))

/* --- fills: n elements of 1, 2 or 4 bytes --- */

static int fill(address to, size_t pitch, uint32_t value, uint32_t element, size_t n, size_t rows, void *stream)
{
	if (to % element || (rows > 1 && pitch % element))
		return INVALID_VALUE;
	return copy_fill(stream,
	                 &(struct op_fill){to, rows > 1 ? pitch : n * element, 0, n * element, rows, 1, value, element});
}

#define FILLS(bits, type)                                                                                              \
	MEMORY(cuMemsetD##bits##_v2, (address a, type value, size_t n), fill(a, 0, value, bits / 8, n, 1, NULL))           \
	MEMORY(cuMemsetD##bits##Async, (address a, type value, size_t n, void *s), fill(a, 0, value, bits / 8, n, 1, s))   \
	MEMORY(cuMemsetD2D##bits##_v2, (address a, size_t pitch, type value, size_t width, size_t height),                 \
	       fill(a, pitch, value, bits / 8, width, height, NULL))                                                       \
	MEMORY(cuMemsetD2D##bits##Async, (address a, size_t pitch, type value, size_t width, size_t height, void *s),      \
	       fill(a, pitch, value, bits / 8, width, height, s))
FILLS(8, unsigned char)
FILLS(16, unsigned short)
FILLS(32, unsigned)

/* --- arrays --- */

struct driver_array {
	size_t width, height;
	unsigned format, channels;
};
struct driver_array_3d {
	size_t width, height, depth;
	unsigned format, channels, flags;
};

/* u8 u16 u32, s8 s16 s32, f16 f32 */
static bool channels_of(unsigned format, unsigned n, struct channel_desc *d)
{
	static const struct {
		unsigned format;
		int bits, kind;
	} formats[] = {{1, 8, 1}, {2, 16, 1}, {3, 32, 1}, {8, 8, 0}, {9, 16, 0}, {10, 32, 0}, {16, 16, 2}, {32, 32, 2}};
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (formats[i].format == format && (n == 1 || n == 2 || n == 4)) {
			const int bits = formats[i].bits;
			*d = (struct channel_desc){bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 2 ? bits : 0, formats[i].kind};
			return true;
		}
	return false;
}

static int new_array(struct array **made, unsigned format, unsigned channels, struct extent e, unsigned flags)
{
	struct channel_desc d;
	if (!made || !channels_of(format, channels, &d))
		return INVALID_VALUE;
	return cudaMalloc3DArray(made, &d, e, flags);
}

EXPORT int cuArrayCreate_v2(struct array **made, const struct driver_array *a)
{
	DRIVER(a ? new_array(made, a->format, a->channels, (struct extent){a->width, a->height, 0}, 0) : INVALID_VALUE);
}

EXPORT int cuArray3DCreate_v2(struct array **made, const struct driver_array_3d *a)
{
	DRIVER(a ? new_array(made, a->format, a->channels, (struct extent){a->width, a->height, a->depth}, a->flags)
	         : INVALID_VALUE);
}

MEMORY(cuArrayDestroy, (struct array * a), cudaFreeArray(a))

/* --- textures --- */

struct driver_resource {
	int type; /* 0 array, 1 mipmapped, 2 linear, 3 pitched */
	union {
		struct array *array;
		struct {
			address pointer;
			unsigned format, channels;
			size_t bytes;
		} linear;
		struct {
			address pointer;
			unsigned format, channels;
			size_t width, height, pitch;
		} pitched;
		int reserved[32];
	};
	unsigned flags;
};
struct driver_texture {
	int address_mode[3], filter;
	unsigned flags, anisotropy;
	int mipmap_filter;
	float mipmap_bias, mipmap_min, mipmap_max, border[4];
	int reserved[12];
};
enum { READ_AS_INTEGER = 1, NORMALIZED_COORDINATES = 2, SRGB = 0x10, NO_TRILINEAR = 0x20, SEAMLESS = 0x40 };

/* As cuda.h has them. */
_Static_assert(sizeof(struct driver_copy_2d) == 128 && sizeof(struct driver_copy_3d) == 200, "copies");
_Static_assert(sizeof(struct driver_array) == 24 && sizeof(struct driver_array_3d) == 40, "arrays");
_Static_assert(sizeof(struct driver_resource) == 144 && sizeof(struct driver_texture) == 104, "textures");

static int resource_of(const struct driver_resource *d, struct resource_desc *r)
{
	*r = (struct resource_desc){.type = d->type};
	switch (d->type) {
	case 0: r->res.array = d->array; return 0;
	case 2:
		r->res.linear.pointer = at(d->linear.pointer);
		r->res.linear.bytes = d->linear.bytes;
		return channels_of(d->linear.format, d->linear.channels, &r->res.linear.desc) ? 0 : INVALID_VALUE;
	case 3:
		r->res.pitched.pointer = at(d->pitched.pointer);
		r->res.pitched.width = d->pitched.width;
		r->res.pitched.height = d->pitched.height;
		r->res.pitched.pitch = d->pitched.pitch;
		return channels_of(d->pitched.format, d->pitched.channels, &r->res.pitched.desc) ? 0 : INVALID_VALUE;
	}
	return d->type == 1 ? link_refuse("mipmapped arrays") : INVALID_VALUE;
}

/* Integers of up to 16 bits are read as numbers from 0 to 1 unless they are asked for as they are. */
static bool normalizes(const struct resource_desc *r)
{
	struct channel_desc d = r->type == 2 ? r->res.linear.desc : r->res.pitched.desc;
	if (r->type == 0 && cudaArrayGetInfo(&d, NULL, NULL, r->res.array))
		return false;
	return d.f != 2 && d.x <= 16;
}

EXPORT int cuTexObjectCreate(uint64_t *handle, const struct driver_resource *resource,
                             const struct driver_texture *texture, const struct resource_view_desc *view)
{
	DRIVER_ENTER;
	struct resource_desc r;
	int error = handle && resource && texture ? resource_of(resource, &r) : INVALID_VALUE;
	if (error)
		return driver_leave(error);
	struct texture_desc t = {.filter = texture->filter,
	                         .read_mode = !(texture->flags & READ_AS_INTEGER) && normalizes(&r),
	                         .srgb = (texture->flags & SRGB) != 0,
	                         .normalized = (texture->flags & NORMALIZED_COORDINATES) != 0,
	                         .anisotropy = texture->anisotropy,
	                         .mipmap_filter = texture->mipmap_filter,
	                         .mipmap_bias = texture->mipmap_bias,
	                         .mipmap_min = texture->mipmap_min,
	                         .mipmap_max = texture->mipmap_max,
	                         .no_trilinear = (texture->flags & NO_TRILINEAR) != 0,
	                         .seamless = (texture->flags & SEAMLESS) != 0};
	memcpy(t.address_mode, texture->address_mode, sizeof t.address_mode);
	memcpy(t.border, texture->border, sizeof t.border);
	return driver_leave(cudaCreateTextureObject(handle, &r, &t, view));
}

MEMORY(cuTexObjectDestroy, (uint64_t handle), cudaDestroyTextureObject(handle))

EXPORT int cuSurfObjectCreate(uint64_t *handle, const struct driver_resource *resource)
{
	DRIVER_ENTER;
	struct resource_desc r;
	int error = handle && resource ? resource_of(resource, &r) : INVALID_VALUE;
	return driver_leave(error ? error : cudaCreateSurfaceObject(handle, &r));
}

MEMORY(cuSurfObjectDestroy, (uint64_t handle), cudaDestroySurfaceObject(handle))
