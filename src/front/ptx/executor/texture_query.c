/* txq, suq: what a texture or surface is; istypep: what a handle is of. */
#include "front/ptx/executor/texture_query.h"

#include "front/ptx/executor/surface.h"

/* PTX ISA, table of channel data type and channel order fields: OpenCL's numbers. */
static u32 channel_type(const struct texture *t)
{
	static const struct {
		u8 type;
		u16 integer, normalised;
	} rows[] = {{T_S8, 0x10d7, 0x10d0},  {T_S16, 0x10d8, 0x10d1}, {T_S32, 0x10d9, 0x10d9}, {T_U8, 0x10da, 0x10d2},
	            {T_U16, 0x10db, 0x10d3}, {T_U32, 0x10dc, 0x10dc}, {T_F16, 0x10dd, 0x10dd}, {T_F32, 0x10de, 0x10de}};
	for (u32 i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].type == t->type)
			return t->read_normalised ? rows[i].normalised : rows[i].integer;
	return 0;
}
static u32 channel_order(const struct texture *t)
{
	return t->channels == 1 ? 0x10b0 : t->channels == 2 ? 0x10b2 : 0x10b5; /* R, RG, RGBA */
}

/* Textures have one mip level and one sample here, and pitch-linear memory. */
static u32 answer(const struct texture *t, u8 query)
{
	switch ((enum texture_query)query) {
	case TQ_WIDTH: return t->width;
	case TQ_HEIGHT: return t->height;
	case TQ_DEPTH:
	case TQ_ARRAY_SIZE: return t->depth;
	case TQ_CHANNEL_DATA_TYPE: return channel_type(t);
	case TQ_CHANNEL_ORDER: return channel_order(t);
	case TQ_NORMALIZED_COORDS: return t->normalised_coords;
	case TQ_MIPMAP_LEVELS:
	case TQ_SAMPLES: return 1;
	default: return 0;
	}
}

static void query(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	const bool surface = in->geom == TQ_SURFACE;
	const u64 tag = surface ? SURFACE_TAG : TEXTURE_TAG, *handle = in->tex >= 0 ? NULL : exec_at(x, in->s[4]);
	u32 out[LANES] = {0};
	for (u32 left = x->mask; left; left &= left - 1) {
		const u32 i = first_lane(left);
		const u64 at = handle ? handle[i] - tag : (u64)(s64)x->ref->tex[in->tex];
		if (at >= x->f->ntextures) {
			exec_fault(x, surface ? FAULT_BAD_SURFACE : FAULT_BAD_TEXTURE, 1u << i, handle ? handle[i] : 0, 4, false,
			           SPC_TEX);
			return;
		}
		out[i] = answer(&x->f->textures[at], in->mode);
	}
	u32 *d = exec_at(x, in->d[0]);
	for (u32 left = x->mask; left; left &= left - 1)
		d[first_lane(left)] = out[first_lane(left)];
}

/* A texture object has its sampler with it: there are no samplers by themselves. */
static void is_type(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	const u64 *handle = exec_at(x, in->s[0]), tag = in->geom == TQ_SURFACE ? SURFACE_TAG : TEXTURE_TAG;
	u32 *p = exec_at(x, in->d[0]), yes = 0;
	for (u32 i = 0; i < LANES && in->geom != TQ_SAMPLER; i++)
		yes |= (u32)(handle[i] - tag < x->f->ntextures) << i;
	*p = (*p & ~x->mask) | (yes & x->mask);
}

exec_fn exec_texture_query(const struct inst *in)
{
	if (in->op == OP_ISTYPEP)
		return in->d[0] != OPND_NONE && in->s[0] != OPND_NONE ? is_type : NULL;
	if (in->op != OP_TXQ || in->mode >= TQ_COUNT || in->d[0] == OPND_NONE)
		return NULL;
	return in->tex >= 0 || in->s[4] != OPND_NONE ? query : NULL;
}
