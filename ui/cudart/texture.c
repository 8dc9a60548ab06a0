/* texture: texture and surface objects. */
#include "cudart/abi.h"
#include "cudart/arrays.h"
#include "cudart/link.h"
#include <stdlib.h>
#include <string.h>

static struct object {
	uint64_t handle;
	bool surface;
	struct resource_desc resource;
	struct texture_desc texture;
	struct resource_view_desc view;
	struct object *next;
} * objects;
/* Programs of CUDA 11 and 12 have a shorter struct: the reserved room at its end is not theirs. */
#define RESOURCE_BYTES (offsetof(struct resource_desc, res) + sizeof(((struct resource_desc *)0)->res.pitched))

static int resource(const struct resource_desc *r, struct wire_texture *t)
{
	struct channel_desc desc;
	switch (r->type) {
	case 0: {
		const struct array *a = r->res.array;
		if (!array_is(a))
			return INVALID_HANDLE;
		desc = a->desc;
		t->address = a->address;
		t->width = (uint32_t)a->extent.width;
		t->height = (uint32_t)a->extent.height;
		t->depth = (uint32_t)a->extent.depth;
		t->pitch = (uint32_t)a->pitch;
		t->resource = t->depth ? WIRE_LAYERS : WIRE_PITCHED;
		break;
	}
	case 1: return link_refuse("textures of mipmapped arrays");
	case 2:
		desc = r->res.linear.desc;
		t->address = (uint64_t)r->res.linear.pointer;
		t->resource = WIRE_LINEAR;
		break;
	case 3:
		desc = r->res.pitched.desc;
		t->address = (uint64_t)r->res.pitched.pointer;
		t->width = (uint32_t)r->res.pitched.width;
		t->height = (uint32_t)r->res.pitched.height;
		t->pitch = (uint32_t)r->res.pitched.pitch;
		t->resource = WIRE_PITCHED;
		break;
	default: return INVALID_VALUE;
	}
	if (!channels_good(&desc))
		return INVALID_CHANNELS;
	t->channels = channels_of(&desc);
	t->bits = (uint32_t)desc.x;
	t->kind = (uint32_t)desc.f;
	if (r->type == 2)
		t->width = (uint32_t)(r->res.linear.bytes / (t->channels * t->bits / 8));
	return t->address ? 0 : INVALID_VALUE;
}

static int make(uint64_t *handle, const struct resource_desc *r, const struct texture_desc *d,
                const struct resource_view_desc *v)
{
	struct wire_texture t = {0};
	if (!handle || !r)
		return INVALID_VALUE;
	int error = resource(r, &t);
	if (error)
		return error;
	if (d) {
		t.linear = d->filter == 1;
		t.normalised = d->normalized != 0;
		t.read_normalised = d->read_mode == 1;
		for (int i = 0; i < 3; i++)
			t.address_mode[i] = (uint32_t)d->address_mode[i] & 3;
		if (t.linear && t.kind != 2 && !t.read_normalised)
			return 26; /* filtering needs floats */
		if (t.read_normalised && (t.kind == 2 || t.bits == 32))
			return 27;
		if (d->srgb)
			return link_refuse("textures that convert sRGB");
		if (d->seamless && r->type == 0 && r->res.array->flags & ARRAY_CUBEMAP)
			return link_refuse("cube maps that filter across their faces (seamlessCubemap)");
	}
	if (v && v->format)
		return link_refuse("resource views of textures");
	struct object *o = calloc(1, sizeof *o);
	if (!o)
		return OUT_OF_MEMORY;
	memcpy(link_shared, &t, sizeof t);
	error = ASK(d ? WIRE_TEXTURE : WIRE_SURFACE, sizeof t, 0);
	if (error) {
		free(o);
		return error;
	}
	o->handle = *handle = link_reply.v[0];
	o->surface = !d;
	memcpy(&o->resource, r, RESOURCE_BYTES);
	if (d)
		o->texture = *d;
	o->next = objects;
	objects = o;
	return 0;
}

static struct object **find(uint64_t handle, bool surface)
{
	struct object **at = &objects;
	while (*at && ((*at)->handle != handle || (*at)->surface != surface))
		at = &(*at)->next;
	return at;
}

static int destroy(uint64_t handle, bool surface)
{
	struct object **at = find(handle, surface), *o = *at;
	if (!o)
		return handle ? INVALID_HANDLE : 0;
	*at = o->next;
	free(o);
	return 0;
}

EXPORT int cudaCreateTextureObject(uint64_t *handle, const struct resource_desc *r, const struct texture_desc *d,
                                   const struct resource_view_desc *v)
{
	ENTER;
	return leave(d ? make(handle, r, d, v) : INVALID_VALUE);
}

EXPORT int cudaCreateTextureObject_v2(uint64_t *handle, const struct resource_desc *r, const struct texture_desc *d,
                                      const struct resource_view_desc *v)
{
	VIA(cudaCreateTextureObject(handle, r, d, v));
}

EXPORT int cudaCreateSurfaceObject(uint64_t *handle, const struct resource_desc *r)
{
	ENTER;
	if (r && r->type)
		return leave(INVALID_VALUE); /* of arrays only */
	return leave(make(handle, r, NULL, NULL));
}

EXPORT int cudaDestroyTextureObject(uint64_t handle)
{
	ENTER;
	return leave(destroy(handle, false));
}

EXPORT int cudaDestroySurfaceObject(uint64_t handle)
{
	ENTER;
	return leave(destroy(handle, true));
}

EXPORT int cudaGetTextureObjectResourceDesc(struct resource_desc *to, uint64_t handle)
{
	ENTER;
	struct object *o = *find(handle, false);
	if (!to || !o)
		return leave(to ? INVALID_HANDLE : INVALID_VALUE);
	memcpy(to, &o->resource, RESOURCE_BYTES);
	return leave(0);
}

EXPORT int cudaGetSurfaceObjectResourceDesc(struct resource_desc *to, uint64_t handle)
{
	ENTER;
	struct object *o = *find(handle, true);
	if (!to || !o)
		return leave(to ? INVALID_HANDLE : INVALID_VALUE);
	memcpy(to, &o->resource, RESOURCE_BYTES);
	return leave(0);
}

EXPORT int cudaGetTextureObjectTextureDesc(struct texture_desc *to, uint64_t handle)
{
	ENTER;
	struct object *o = *find(handle, false);
	if (!to || !o)
		return leave(to ? INVALID_HANDLE : INVALID_VALUE);
	*to = o->texture;
	return leave(0);
}

EXPORT struct channel_desc cudaCreateChannelDesc(int x, int y, int z, int w, int f)
{
	return (struct channel_desc){x, y, z, w, f};
}
