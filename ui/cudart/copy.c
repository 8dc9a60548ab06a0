/* copy: which side is where, pieces of the shared memory's size, waiting (copy.h). */
#include "cudart/copy.h"
#include "cudart/abi.h"
#include "cudart/index.h"
#include "cudart/link.h"
#include "cudart/managed.h"
#include <stdlib.h>
#include <string.h>

/* Bytes from the first to behind the last. */
static uint64_t span(uint64_t pitch, uint64_t slice, const struct op_copy *c)
{
	return (c->depth - 1) * slice + (c->height - 1) * pitch + c->width;
}

/* Where an address is; 0, or an error when the device's memory there is not all of one allocation. */
static int place_of(uint64_t address, uint64_t bytes, bool *device, bool *known, bool *only_device)
{
	const struct allocation *a = index_find((void *)address);
	*known = a != NULL;
	*device = a && place_on_device(a->place);
	*only_device = *device && a->place <= PLACE_SYMBOL;
	if (*device && bytes > a->bytes - (address - a->address))
		return INVALID_VALUE;
	return 0;
}

int copy_complete(struct op_copy *c, int kind, bool async, bool captured)
{
	bool to_known, from_known, to_only, from_only;
	if (kind < HOST_TO_HOST || kind > COPY_DEFAULT)
		return INVALID_DIRECTION;
	if (!c->width || !c->height || !c->depth) {
		c->width = 0;
		return 0;
	}
	if (!c->to || !c->from)
		return INVALID_VALUE;
	if (c->height > 1 && (c->width > c->to_pitch || c->width > c->from_pitch))
		return INVALID_PITCH;
	if (place_of(c->to, span(c->to_pitch, c->to_slice, c), &c->to_device, &to_known, &to_only))
		return INVALID_VALUE;
	if (place_of(c->from, span(c->from_pitch, c->from_slice, c), &c->from_device, &from_known, &from_only))
		return INVALID_VALUE;
	/* The host's side may be any memory but the device's own; the device's any that CUDA knows. */
	if ((kind == HOST_TO_HOST || kind == DEVICE_TO_HOST) && to_only)
		return INVALID_VALUE;
	if ((kind == HOST_TO_HOST || kind == HOST_TO_DEVICE) && from_only)
		return INVALID_VALUE;
	if ((kind == HOST_TO_DEVICE || kind == DEVICE_TO_DEVICE) && !to_known)
		return INVALID_VALUE;
	if ((kind == DEVICE_TO_HOST || kind == DEVICE_TO_DEVICE) && !from_known)
		return INVALID_VALUE;
	/* Inside the device nothing waits. Pageable memory of the host cannot be written later. */
	c->wait = c->to_device && c->from_device ? false : !async || (!c->to_device && !to_known && !captured);
	return 0;
}

int copy_give(struct stream *s, struct op_copy c, int kind, bool async)
{
	int error = copy_complete(&c, kind, async, s->capture != NULL);
	return error || !c.width ? error : stream_give(s, &(struct op){.kind = OP_COPY, .copy = c});
}

int copy_call(void *stream, struct op_copy c, int kind, bool async)
{
	struct stream *s;
	int error = stream_of(stream, &s);
	return error ? error : copy_give(s, c, kind, async);
}

/* Before a copy that has to be done when it comes back, host functions and copies that it waits for are made. */
static int settle(const struct stream *s)
{
	if (!link_queued || !s)
		return 0;
	return link_ask_wait(WIRE_STREAM_SYNC, s->flags & STREAM_NON_BLOCKING ? s->number : WIRE_ALL_STREAMS);
}

/* An answer to a copy that waits, when functions of the program come first: the rest of it is waited for. */
static int wait_for(uint64_t stream)
{
	deliver();
	return link_ask_wait(WIRE_STREAM_SYNC, stream);
}

/* One rectangle between host and device that may be larger than the shared memory. */
struct rectangle {
	uint64_t stream, device, device_pitch, host, host_pitch, width, height;
	bool wait;
	uint64_t asked; /* bytes, this piece with them */
};

static int piece_to(const struct rectangle *r, uint64_t x, uint64_t y, uint64_t width, uint64_t height)
{
	const unsigned char *from = (unsigned char *)r->host + y * r->host_pitch + x;
	if (width == r->host_pitch)
		memcpy(link_shared, from, width * height);
	else
		for (uint64_t i = 0; i < height; i++)
			memcpy(link_shared + i * width, from + i * r->host_pitch, width);
	regions_watch(link_shared, width * height);
	uint64_t address = r->device + y * r->device_pitch + x;
	int error = ASK(WIRE_TO_DEVICE, width * height, r->stream, address, r->device_pitch, width, height, r->wait,
	                r->width * r->height - r->asked);
	return error == NOT_READY ? wait_for(r->stream) : error;
}

static int piece_from(const struct rectangle *r, uint64_t x, uint64_t y, uint64_t width, uint64_t height)
{
	unsigned char *to = (unsigned char *)r->host + y * r->host_pitch + x;
	uint64_t address = r->device + y * r->device_pitch + x;
	int error = ASK(WIRE_FROM_DEVICE, 0, r->stream, address, r->device_pitch, width, height, r->wait, (uint64_t)to,
	                r->host_pitch);
	if (error == NOT_READY || (!error && !r->wait))
		link_queued++;
	if (error == NOT_READY)
		return wait_for(r->stream);
	if (error || !r->wait)
		return error;
	if (width == r->host_pitch)
		memcpy(to, link_shared, width * height);
	else
		for (uint64_t i = 0; i < height; i++)
			memcpy(to + i * r->host_pitch, link_shared + i * width, width);
	return 0;
}

static int pieces(struct rectangle *r, int (*piece)(const struct rectangle *, uint64_t, uint64_t, uint64_t, uint64_t))
{
	int error = 0;
	uint64_t width = r->width < WIRE_PIECE ? r->width : WIRE_PIECE, rows = WIRE_PIECE / width;
	for (uint64_t y = 0; y < r->height && !error; y += rows)
		for (uint64_t x = 0; x < r->width && !error; x += width) {
			const uint64_t wide = r->width - x < width ? r->width - x : width,
			               high = r->height - y < rows ? r->height - y : rows;
			r->asked += wide * high;
			error = piece(r, x, y, wide, high);
		}
	return error;
}

static struct rectangle rectangle(const struct op_copy *c, uint64_t stream, bool wait, uint64_t z)
{
	uint64_t to = c->to + z * c->to_slice, from = c->from + z * c->from_slice;
	struct rectangle r = {stream, to, c->to_pitch, from, c->from_pitch, c->width, c->height, wait, 0};
	if (!c->to_device) {
		r.device = from;
		r.device_pitch = c->from_pitch;
		r.host = to;
		r.host_pitch = c->to_pitch;
	}
	/* Rows one behind the other on both sides are one row. */
	if (r.width == r.device_pitch && r.width == r.host_pitch && r.height > 1) {
		r.width *= r.height;
		r.device_pitch = r.host_pitch = r.width;
		r.height = 1;
	}
	return r;
}

static int to_device(const struct op_copy *c, uint64_t stream, bool wait)
{
	int error = regions_sync(c->to, span(c->to_pitch, c->to_slice, c), true);
	if (!error)
		error = regions_come_back();
	if (!error)
		error = regions_yield();
	for (uint64_t z = 0; z < c->depth && !error; z++) {
		struct rectangle r = rectangle(c, stream, wait, z);
		error = pieces(&r, piece_to);
	}
	return error;
}

/* The stream has come to a copy whose source earlier work of the program may have changed. */
static void late(void *copy)
{
	to_device(copy, WIRE_AT_ONCE, true);
	free(copy);
}

static int on_host(struct stream *s, const struct op_copy *c)
{
	int error = stream_sync(s);
	if (!error)
		error = regions_come_back();
	if (error)
		return error;
	for (uint64_t z = 0; z < c->depth; z++)
		for (uint64_t y = 0; y < c->height; y++)
			memmove((void *)(c->to + z * c->to_slice + y * c->to_pitch),
			        (void *)(c->from + z * c->from_slice + y * c->from_pitch), c->width);
	return 0;
}

int copy_run(struct stream *s, const struct op_copy *c)
{
	int error = 0;
	if (!c->width)
		return 0;
	if (!c->to_device && !c->from_device)
		return on_host(s, c);
	if (c->to_device && c->from_device) {
		error = regions_sync(c->from, span(c->from_pitch, c->from_slice, c), false);
		if (!error)
			error = regions_sync(c->to, span(c->to_pitch, c->to_slice, c), true);
		for (uint64_t z = 0; z < c->depth && !error; z++)
			error = ASK(WIRE_ON_DEVICE, 0, s->number, c->to + z * c->to_slice, c->to_pitch, c->from + z * c->from_slice,
			            c->from_pitch, c->width, c->height, 0);
		return error;
	}
	if (c->to_device) {
		/* The bytes are taken now, unless something that is queued may still write them. */
		const struct allocation *a = index_find((void *)c->from);
		if (!c->wait && link_queued && a && !place_on_device(a->place)) {
			struct op_copy *kept = malloc(sizeof *kept);
			if (!kept)
				return OUT_OF_MEMORY;
			*kept = *c;
			return stream_run(s, &(struct op){.kind = OP_HOST, .host = {late, kept, CALL_OWN}});
		}
		if (c->wait)
			error = settle(s); /* what is queued may write the source */
		if (!error)
			error = to_device(c, s->number, c->wait);
	} else {
		error = regions_sync(c->from, span(c->from_pitch, c->from_slice, c), false);
		if (!error && c->wait)
			error = regions_come_back();
		for (uint64_t z = 0; z < c->depth && !error; z++) {
			struct rectangle r = rectangle(c, s->number, c->wait, z);
			error = pieces(&r, piece_from);
		}
	}
	return error || !c->wait ? error : regions_after_sync();
}
