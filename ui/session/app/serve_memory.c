/* Requests of an application: device memory, copies, textures. */
#include <stdlib.h>
#include <string.h>

#include "session/app/serve.h"

s32 serve_allocate(struct session *s, struct app_host *h, struct wire_reply *a)
{
	struct err e = {0};
	const u64 bytes = h->request.a[0], align = h->request.a[1];
	if (align & (align - 1) || align > 1u << 21 || bytes > UINT64_MAX / 2)
		return CUDA_INVALID_VALUE;
	const u64 addr = machine_allocate(s, h, bytes + (align > 256 ? align : 0), "", &e);
	a->v[0] = addr && align > 256 ? round_up(addr, align) : addr;
	if (a->v[0] != addr) {
		h->aligned = xrealloc(h->aligned, (h->naligned + 1) * sizeof *h->aligned);
		h->aligned[h->naligned++] = (struct aligned){a->v[0], addr};
	}
	if (!addr && *e.msg)
		app_tell(s, h, e.msg);
	return addr ? CUDA_OK : CUDA_NO_MEMORY;
}

/* Where the machine's allocation begins that the application knows by this address. */
u64 serve_start_of(struct app_host *h, u64 addr)
{
	for (u32 i = 0; i < h->naligned; i++)
		if (h->aligned[i].addr == addr) {
			const u64 start = h->aligned[i].start;
			h->aligned[i] = h->aligned[--h->naligned];
			return start;
		}
	return addr;
}

/* Rows are inside one allocation when the first byte and the last are. */
static bool may_copy(struct session *s, struct app_host *h, u64 addr, u64 pitch, u64 width, u64 height, bool write)
{
	u64 span;
	if (!width || !height)
		return true;
	if ((height > 1 && pitch < width) || __builtin_mul_overflow(pitch, height - 1, &span) ||
	    __builtin_add_overflow(span, width, &span))
		return false;
	return machine_may_copy(s, h, addr, span, write);
}

static bool in_one_message(u64 width, u64 height)
{
	u64 n;
	return !__builtin_mul_overflow(width, height, &n) && n <= WIRE_SHARED;
}

struct work *serve_give(struct app_host *h, u64 stream, enum work_kind k, bool wait, u64 bytes)
{
	u8 *data = wait && bytes ? h->channel.shared : NULL;
	if (bytes && !wait) {
		data = xmalloc(bytes);
		memcpy(data, h->channel.shared, bytes);
	}
	struct work *w = stream_give(h, stream, k, &h->request, data, bytes);
	w->asked = wait;
	w->borrowed = wait && bytes;
	if (wait)
		h->awaits = AWAIT_WORK;
	return w;
}

s32 serve_to_device(struct session *s, struct app_host *h, struct wire_reply *a)
{
	const u64 *q = h->request.a;
	if (q[0] != WIRE_AT_ONCE && !stream_of(h, q[0]))
		return CUDA_INVALID_HANDLE;
	if (!in_one_message(q[3], q[4]) || q[3] * q[4] != h->request.bytes || !may_copy(s, h, q[1], q[2], q[3], q[4], true))
		return CUDA_INVALID_VALUE;
	if (q[0] == WIRE_AT_ONCE)
		rows_to_device(s, h, q[1], q[2], q[3], q[4], h->channel.shared, q[6]);
	else
		serve_give(h, q[0], WORK_TO_DEVICE, q[5], h->request.bytes);
	return CUDA_OK;
}

s32 serve_from_device(struct session *s, struct app_host *h, struct wire_reply *a)
{
	const u64 *q = h->request.a;
	if (q[0] != WIRE_AT_ONCE && !stream_of(h, q[0]))
		return CUDA_INVALID_HANDLE;
	if (!in_one_message(q[3], q[4]) || !may_copy(s, h, q[1], q[2], q[3], q[4], false))
		return CUDA_INVALID_VALUE;
	if (q[0] == WIRE_AT_ONCE) {
		rows_from_device(s, h, q[1], q[2], q[3], q[4], h->channel.shared);
		a->bytes = q[3] * q[4];
	} else {
		serve_give(h, q[0], WORK_FROM_DEVICE, q[5], 0);
	}
	return CUDA_OK;
}

s32 serve_on_device(struct session *s, struct app_host *h, struct wire_reply *a)
{
	const u64 *q = h->request.a;
	if (!stream_of(h, q[0]))
		return CUDA_INVALID_HANDLE;
	if (!may_copy(s, h, q[1], q[2], q[5], q[6], true) || !may_copy(s, h, q[3], q[4], q[5], q[6], false))
		return CUDA_INVALID_VALUE;
	serve_give(h, q[0], WORK_ON_DEVICE, q[7], 0);
	return CUDA_OK;
}

s32 serve_fill(struct session *s, struct app_host *h, struct wire_reply *a)
{
	const u64 *q = h->request.a;
	if (!stream_of(h, q[0]))
		return CUDA_INVALID_HANDLE;
	if ((q[6] != 1 && q[6] != 2 && q[6] != 4) || q[3] % q[6] || !may_copy(s, h, q[1], q[2], q[3], q[4], true))
		return CUDA_INVALID_VALUE;
	serve_give(h, q[0], WORK_FILL, q[7], 0);
	return CUDA_OK;
}

/* --- textures --- */

static enum ptype texel_type(const struct wire_texture *t)
{
	static const enum ptype types[3][3] = {{T_S8, T_S16, T_S32}, {T_U8, T_U16, T_U32}, {T_NONE, T_F16, T_F32}};
	if (t->kind > 2 || (t->bits != 8 && t->bits != 16 && t->bits != 32))
		return T_NONE;
	return types[t->kind][t->bits == 8 ? 0 : t->bits == 16 ? 1 : 2];
}

s32 serve_texture(struct session *s, struct app_host *h, struct wire_reply *a, bool surface)
{
	struct wire_texture w;
	struct err e = {0};
	if (h->request.bytes != sizeof w)
		return CUDA_INVALID_VALUE;
	memcpy(&w, h->channel.shared, sizeof w);
	const enum ptype type = texel_type(&w);
	if (type == T_NONE || (w.channels != 1 && w.channels != 2 && w.channels != 4))
		return serve_failed(s, h, CUDA_INVALID_VALUE, "texels of this kind are not supported");
	struct texture t = {.addr = w.address,
	                    .width = w.width,
	                    .height = w.height,
	                    .depth = w.depth,
	                    .pitch = w.pitch ? w.pitch : (u64)w.width * w.channels * ptype_bytes(type),
	                    .channels = (u8)w.channels,
	                    .type = (u8)type,
	                    .linear = w.linear,
	                    .normalised_coords = w.normalised,
	                    .read_normalised = w.read_normalised};
	for (u32 i = 0; i < 3; i++)
		t.address[i] = (u8)MIN(w.address_mode[i], 3u);
	a->v[0] = machine_texture(s, h, &t, surface, &e);
	return a->v[0] ? CUDA_OK : serve_failed(s, h, CUDA_INVALID_VALUE, e.msg);
}
