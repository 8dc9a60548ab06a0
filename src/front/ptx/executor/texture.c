/* Texture fetches: 1D, 2D, 3D, layered and cube maps; point and linear filtering by the rules of the CUDA programming
 * guide; the gather of four texels (tld4).
 *
 * Linear weights have 8 fractional bits, rounded to nearest, and the blend is computed in double and rounded once.
 * Layers of a1d and a2d are counted by `depth` and clamped. Wrap and mirror need normalised coordinates (else they act
 * as clamp, as in CUDA). tex.1d with integer coordinates is tex1Dfetch: outside the texture it gives zero. Missing
 * channels read (., 0, 0, 1).
 *
 * The layers of a cube map are its faces, six a cube. A fetch stays in its face: at its border it clamps. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/ptx/ops.h"
#include "front/ptx/runtime/fp.h"
#include "front/ptx/runtime/state.h"
#include "front/ptx/executor/surface.h"
#include "front/ptx/executor/texture_cube.h"

#define NO_TEXEL UINT32_MAX /* outside, border addressing */
#define TEXTURE_BYTES_MAX (1ull << 40)

static u64 row_count(const struct texture *t)
{
	return (u64)MAX(t->height, 1u) * MAX(t->depth, 1u);
}
static u32 texel_bytes(const struct texture *t)
{
	return ptype_bytes(t->type) * t->channels;
}
static u64 extent(const struct texture *t)
{
	return (row_count(t) - 1) * t->pitch + (u64)t->width * texel_bytes(t);
}

/* --- binding ------------------------------------------------------------------------------------------------------ */
static bool type_ok(u8 t)
{
	return t == T_U8 || t == T_S8 || t == T_U16 || t == T_S16 || t == T_U32 || t == T_S32 || t == T_F32 || t == T_F16;
}
static bool texture_ok(const struct ptx *f, const struct texture *t, const char *name, struct err *e)
{
	if (!type_ok(t->type))
		return err_set(e, "texture %s: texels of type '%s' (u8 s8 u16 s16 u32 s32 f16 f32 are possible)", name,
		               t->type < T_COUNT ? ptype_name(t->type) : "?");
	if (t->channels != 1 && t->channels != 2 && t->channels != 4)
		return err_set(e, "texture %s: %u channels (1, 2 and 4 are possible)", name, t->channels);
	if (!t->width || t->width > 1u << 28 || t->height > 1u << 17 || t->depth > 1u << 15)
		return err_set(e, "texture %s: size %ux%ux%u is not within 1..2^28 x 2^17 x 2^15", name, t->width, t->height,
		               t->depth);
	if (row_count(t) > 1 && (t->pitch < (u64)t->width * texel_bytes(t) || t->pitch > TEXTURE_BYTES_MAX / row_count(t)))
		return err_set(e, "texture %s: pitch of %" PRIu64 " bytes for rows of %" PRIu64, name, t->pitch,
		               (u64)t->width * texel_bytes(t));
	if (t->addr % ptype_bytes(t->type) || (row_count(t) > 1 && t->pitch % ptype_bytes(t->type)))
		return err_set(e, "texture %s: address 0x%" PRIx64 " or pitch %" PRIu64 " is not aligned to its texels", name,
		               t->addr, t->pitch);
	for (u32 i = 0; i < 3; i++)
		if (t->address[i] > TEXA_BORDER)
			return err_set(e, "texture %s: unknown addressing mode %u", name, t->address[i]);
	const struct alloc *a = devmem_find(f->mem, t->addr);
	if (!a || a->freed || extent(t) > a->size - (t->addr - a->addr))
		return err_set(e, "texture %s: its %" PRIu64 " bytes at 0x%" PRIx64 " are not inside one live allocation", name,
		               extent(t), t->addr);
	return true;
}

static s32 add_texture(struct ptx *f, const struct texture *t)
{
	f->textures = xrealloc(f->textures, (f->ntextures + 1) * sizeof(*f->textures));
	f->textures[f->ntextures] = *t;
	return (s32)f->ntextures++;
}

bool ptx_bind_texture(struct front *front, struct module *m, const char *name, const struct texture *t, struct err *e)
{
	struct ptx *f = ptx_of(front);
	struct placed *p = NULL;
	for (u32 i = 0; i < f->nplaced; i++)
		if (f->placed[i].m == m)
			p = &f->placed[i];
	if (!p)
		return err_set(e, "texture %s: module %s was not placed on this device", name, m->path);
	for (u32 i = 0; i < m->ntexrefs; i++)
		if (!strcmp(m->texrefs[i].name, name)) {
			if (!texture_ok(f, t, name, e))
				return false;
			if (p->tex[i] >= 0)
				f->textures[p->tex[i]] = *t;
			else
				p->tex[i] = add_texture(f, t);
			return true;
		}
	return err_set(e, "module %s has no texture reference '%s'", m->path, name);
}

u64 ptx_texture_object(struct front *front, const struct texture *t, struct err *e)
{
	struct ptx *f = ptx_of(front);
	return texture_ok(f, t, "object", e) ? TEXTURE_TAG + (u64)add_texture(f, t) : 0;
}

u64 ptx_surface_object(struct front *front, const struct texture *t, struct err *e)
{
	struct ptx *f = ptx_of(front);
	if (t->addr % 16 || (row_count(t) > 1 && t->pitch % 16)) /* accesses of up to 16 bytes are aligned then */
		return err_set(e, "surface: address 0x%" PRIx64 " or pitch %" PRIu64 " is no multiple of 16", t->addr,
		               t->pitch);
	return texture_ok(f, t, "of the surface", e) ? SURFACE_TAG + (u64)add_texture(f, t) : 0;
}

/* --- one fetch ---------------------------------------------------------------------------------------------------- */
struct sampler {
	const struct ptx *f;
	const struct texture *t;
	u64 first; /* address of the first texel used, 0 = none yet */
	/* Worked out once for the lanes that fetch from the same texture with the same instruction: */
	u64 slice_pitch;
	u32 size[3], ndims, channel_bytes, texel_bytes;
	u8 mode[3]; /* per dimension, what holds for these coordinates */
	bool real;  /* gives floating-point numbers */
	bool linear, layered, integral, cube, normalised;
};
struct texel { /* numbers, when filtering or converting */
	double v[4];
};

static u32 wrap_index(s64 i, u32 n, u8 mode)
{
	if (likely(i >= 0 && i < (s64)n)) /* all modes agree */
		return (u32)i;
	if (mode == TEXA_BORDER)
		return NO_TEXEL;
	if (mode != TEXA_WRAP && mode != TEXA_MIRROR)
		return i < 0 ? 0 : n - 1;
	const s64 period = mode == TEXA_MIRROR ? 2 * (s64)n : (s64)n, k = ((i % period) + period) % period;
	return (u32)(k < (s64)n ? k : period - 1 - k);
}
static u8 mode_of(const struct texture *t, u32 dim)
{
	const u8 m = t->address[dim];
	return !t->normalised_coords && (m == TEXA_WRAP || m == TEXA_MIRROR) ? TEXA_CLAMP : m;
}
/* A coordinate in texels; bounded, so that it converts to an integer. Periodic modes take the fraction first, as the
 * guide says. */
static double texel_coord(const struct sampler *s, u32 dim, float x)
{
	double v = x == x ? x : 0.0;
	if (s->mode[dim] == TEXA_WRAP && fabs(v) < INFINITY)
		v -= floor(v);
	if (s->mode[dim] == TEXA_MIRROR && fabs(v) < INFINITY)
		v -= 2 * floor(v / 2);
	if (s->normalised)
		v *= s->size[dim];
	return v > 0x1p40 ? 0x1p40 : v < -0x1p40 ? -0x1p40 : v;
}

static s64 read_integer(const struct texture *t, const void *p, double *full)
{
	switch (t->type) {
	case T_U8: *full = UINT8_MAX; return *(const u8 *)p;
	case T_S8: *full = INT8_MAX; return *(const s8 *)p;
	case T_U16: *full = UINT16_MAX; return *(const u16 *)p;
	case T_S16: *full = INT16_MAX; return *(const s16 *)p;
	case T_U32: *full = UINT32_MAX; return *(const u32 *)p;
	default: *full = INT32_MAX; return *(const s32 *)p;
	}
}
static double read_number(const struct texture *t, const void *p)
{
	if (t->type == T_F32)
		return f32_bits(*(const u32 *)p);
	if (t->type == T_F16)
		return f16_to_f32(*(const u16 *)p);
	double full;
	const double i = (double)read_integer(t, p, &full);
	return !t->read_normalised ? i : i / full < -1.0 ? -1.0 : i / full;
}
/* What the instruction delivers of a channel that is not filtered. */
static u32 read_raw(const struct texture *t, const void *p)
{
	double full;
	if (t->type == T_F32)
		return *(const u32 *)p;
	if (t->type == T_F16 || t->read_normalised)
		return bits_f32((float)read_number(t, p));
	return (u32)read_integer(t, p, &full);
}

/* The texel's bytes; NULL outside of the texture (which reads 0). */
static const u8 *texel_at(struct sampler *s, u32 x, u32 y, u32 z)
{
	if (x == NO_TEXEL || y == NO_TEXEL || z == NO_TEXEL)
		return NULL;
	const u64 addr = s->t->addr + z * s->slice_pitch + y * s->t->pitch + (u64)x * s->texel_bytes;
	if (!s->first)
		s->first = addr;
	return devmem_ptr(s->f->mem, addr);
}

/* The coordinates of a lane: up to three filtered dimensions and a layer. */
struct point {
	u32 layer;
	u32 bits[3]; /* f32 or s32 */
};

static void raw_texel(struct sampler *s, u32 x, u32 y, u32 z, u32 out[4])
{
	const u8 *texel = texel_at(s, x, y, z);
	out[0] = out[1] = out[2] = 0;
	out[3] = !texel ? 0 : s->real ? bits_f32(1.0f) : 1;
	for (u32 c = 0; texel && c < s->t->channels; c++)
		out[c] = read_raw(s->t, texel + c * s->channel_bytes);
}

static void sample_point(struct sampler *s, const struct point *p, u32 out[4])
{
	u32 at[3] = {0, 0, p->layer};
	for (u32 d = 0; d < s->ndims; d++) {
		const u32 n = s->size[d];
		const s64 i = s->integral ? (s32)p->bits[d] : (s64)floor(texel_coord(s, d, f32_bits(p->bits[d])));
		at[d] = wrap_index(i, n, s->mode[d]);
	}
	raw_texel(s, at[0], at[1], at[2], out);
}

/* One channel of the four texels that linear filtering would blend, counter-clockwise from the lower left one (PTX,
 * tld4); y points downwards. */
static void gather(struct sampler *s, const struct point *p, u32 channel, u32 out[4])
{
	static const u8 right[4] = {0, 1, 1, 0}, below[4] = {1, 1, 0, 0};
	u32 at[2][2];
	for (u32 d = 0; d < 2; d++) {
		const s64 i = (s64)floor(texel_coord(s, d, f32_bits(p->bits[d])) - 0.5);
		at[d][0] = wrap_index(i, s->size[d], s->mode[d]);
		at[d][1] = wrap_index(i + 1, s->size[d], s->mode[d]);
	}
	for (u32 k = 0; k < 4; k++) {
		u32 texel[4];
		raw_texel(s, at[0][right[k]], at[1][below[k]], p->layer, texel);
		out[k] = texel[channel];
	}
}

static struct texel read_texel(struct sampler *s, u32 x, u32 y, u32 z)
{
	const u8 *texel = texel_at(s, x, y, z);
	struct texel r = {{0, 0, 0, texel ? 1 : 0}};
	for (u32 c = 0; texel && c < s->t->channels; c++)
		r.v[c] = read_number(s->t, texel + c * s->channel_bytes);
	return r;
}

static void sample_linear(struct sampler *s, const struct point *p, u32 out[4])
{
	u32 at[3][2] = {{0, 0}, {0, 0}, {p->layer, 0}};
	double weight[3] = {0};
	for (u32 d = 0; d < s->ndims; d++) {
		const u32 n = s->size[d];
		const double x = texel_coord(s, d, f32_bits(p->bits[d])) - 0.5, i = floor(x);
		weight[d] = floor((x - i) * 256 + 0.5) / 256;
		at[d][0] = wrap_index((s64)i, n, s->mode[d]);
		at[d][1] = wrap_index((s64)i + 1, n, s->mode[d]);
	}
	struct texel r = {0};
	for (u32 corner = 0; corner < 1u << s->ndims; corner++) {
		double w = 1;
		for (u32 d = 0; d < s->ndims; d++)
			w *= corner >> d & 1 ? weight[d] : 1 - weight[d];
		if (w == 0)
			continue;
		const struct texel t = read_texel(s, at[0][corner & 1], at[1][corner >> 1 & 1], at[2][corner >> 2 & 1]);
		for (u32 c = 0; c < 4; c++)
			r.v[c] += w * t.v[c];
	}
	for (u32 c = 0; c < 4; c++)
		out[c] = bits_f32(canon_f32((float)r.v[c]));
}

/* --- the instruction ---------------------------------------------------------------------------------------------- */
static const u8 geom_dims[] = {
    [TEX_1D] = 1, [TEX_2D] = 2, [TEX_3D] = 3, [TEX_A1D] = 1, [TEX_A2D] = 2, [TEX_CUBE] = 2, [TEX_ACUBE] = 2};
static bool geom_layered(u8 g)
{
	return g == TEX_A1D || g == TEX_A2D || g == TEX_ACUBE;
}
static bool geom_cube(u8 g)
{
	return g == TEX_CUBE || g == TEX_ACUBE;
}
/* Coordinates that an instruction has, the layer included. */
static u32 geom_coords(u8 g)
{
	return geom_dims[g] + (u32)geom_layered(g) + (u32)geom_cube(g);
}

/* Lane i's texture, NULL with *id set for the message. */
static const struct texture *texture_of(const struct exec *x, const struct inst *in, u32 lane, u64 *id)
{
	if (in->tex >= 0) {
		*id = (u64)in->tex;
		const s32 t = x->ref->tex[in->tex];
		return t >= 0 ? &x->f->textures[t] : NULL;
	}
	*id = ((const u64 *)exec_at(x, in->s[4]))[lane];
	return *id - TEXTURE_TAG < x->f->ntextures ? &x->f->textures[*id - TEXTURE_TAG] : NULL;
}

/* The texture's memory must still be allocated; the answer holds for the lanes that follow. */
static enum fault_code memory_state(const struct exec *x, const struct texture *t)
{
	const struct alloc *a = devmem_find(x->f->mem, t->addr);
	if (!a || extent(t) > a->size - (t->addr - a->addr))
		return FAULT_OOB;
	return a->freed ? FAULT_FREED : FAULT_NONE;
}

static struct sampler sampler_of(const struct exec *x, const struct inst *in, const struct texture *t)
{
	struct sampler s = {.f = x->f, .t = t, .ndims = geom_dims[in->geom], .layered = geom_layered(in->geom)};
	s.integral = in->stype == T_S32;
	s.channel_bytes = ptype_bytes(t->type);
	s.texel_bytes = s.channel_bytes * t->channels;
	s.slice_pitch = MAX(t->height, 1u) * t->pitch;
	s.real = t->type == T_F32 || t->type == T_F16 || t->read_normalised;
	s.linear = t->linear && s.real && !s.integral;
	s.cube = geom_cube(in->geom);
	s.normalised = t->normalised_coords || s.cube;
	for (u32 d = 0; d < s.ndims; d++) {
		s.size[d] = d == 0 ? t->width : MAX(d == 1 ? t->height : t->depth, 1u);
		s.mode[d] = s.integral && s.ndims == 1 && !s.layered ? TEXA_BORDER : s.cube ? TEXA_CLAMP : mode_of(t, d);
	}
	return s;
}

/* A direction: the face is a layer, the place in it two coordinates. */
static void face_point(const struct exec *x, const struct inst *in, const struct sampler *s, u32 lane, struct point *p)
{
	float v[3], at[2];
	for (u32 d = 0; d < 3; d++)
		v[d] = f32_bits(((const u32 *)exec_at(x, in->s[d + s->layered]))[lane]);
	const u32 face = cube_face(v, at), cube = s->layered ? ((const u32 *)exec_at(x, in->s[0]))[lane] : 0;
	const u32 cubes = MAX(s->t->depth / 6, 1u);
	p->layer = MIN(6 * MIN(cube, cubes - 1) + face, MAX(s->t->depth, 1u) - 1);
	for (u32 d = 0; d < 2; d++)
		p->bits[d] = bits_f32(at[d]);
}

static void fetch_lane(struct exec *x, const struct inst *in, struct sampler *s, u32 lane, u32 out[4])
{
	struct point p = {0};
	if (s->layered) {
		const u32 layer = ((const u32 *)exec_at(x, in->s[0]))[lane];
		p.layer = MIN(layer, MAX(s->t->depth, 1u) - 1);
	}
	if (s->cube)
		face_point(x, in, s, lane, &p);
	for (u32 d = 0; d < s->ndims && !s->cube; d++)
		p.bits[d] = ((const u32 *)exec_at(x, in->s[d + s->layered]))[lane];
	s->first = 0;
	if (in->op == OP_TLD4)
		gather(s, &p, in->mode, out);
	else if (s->linear)
		sample_linear(s, &p, out);
	else
		sample_point(s, &p, out);
	x->out->addr[lane] = s->first ? s->first : s->t->addr;
}

/* The texture that all lanes use; NULL when they use several or one that is not to be had. */
static const struct texture *common_texture(const struct exec *x, const struct inst *in)
{
	u64 id;
	const struct texture *t = texture_of(x, in, first_lane(x->mask), &id);
	u64 differs = 0;
	const u64 *handle = in->tex >= 0 ? NULL : exec_at(x, in->s[4]);
	for (u32 left = handle ? x->mask : 0; left; left &= left - 1)
		differs |= handle[first_lane(left)] ^ id;
	return t && !differs && memory_state(x, t) == FAULT_NONE ? t : NULL;
}

/* Where the lanes' texels are (out->addr), at integer coordinates and without layers; returns the lanes whose texel
 * lies in the texture. */
static u32 place_texels(struct exec *x, const struct inst *in, const struct sampler *s)
{
	const u64 first = s->t->addr, step[3] = {s->texel_bytes, s->t->pitch, s->slice_pitch};
	const s32 *coord[3] = {NULL};
	u32 inside = 0;
	for (u32 d = 0; d < s->ndims; d++)
		coord[d] = exec_at(x, in->s[d]);
	for (u32 left = x->mask; left; left &= left - 1) {
		const u32 i = first_lane(left);
		u64 addr = first;
		bool out = false;
		for (u32 d = 0; d < s->ndims; d++) {
			const u32 at = wrap_index(coord[d][i], s->size[d], s->mode[d]);
			out |= at == NO_TEXEL;
			addr += at * step[d];
		}
		x->out->addr[i] = out ? first : addr;
		inside |= (u32)!out << i;
	}
	return inside;
}

/* Texels at integer coordinates, all of one texture: what tables and images are mostly read by. */
static void fetch_indexed(struct exec *x, const struct inst *in, const struct sampler *s)
{
	const u32 inside = place_texels(x, in, s), one = s->real ? bits_f32(1.0f) : 1;
	for (u32 c = 0; c < 4; c++) {
		u32 *to = in->d[c] == OPND_NONE ? NULL : exec_at(x, in->d[c]);
		const u32 present = c < s->t->channels ? inside : 0, missing = c == 3 ? one : 0;
		for (u32 left = to ? present : 0; left; left &= left - 1) {
			const u32 i = first_lane(left);
			to[i] = read_raw(s->t, devmem_ptr(s->f->mem, x->out->addr[i] + c * s->channel_bytes));
		}
		for (u32 left = to ? x->mask & ~present : 0; left; left &= left - 1)
			to[first_lane(left)] = inside >> first_lane(left) & 1 ? missing : 0;
	}
	x->out->space = SPC_TEX;
	x->out->bytes = (u8)s->texel_bytes;
}

static void tex(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	struct sampler s = {0};
	u32 v[LANES][4];
	const struct texture *common = in->stype == T_S32 && !geom_layered(in->geom) ? common_texture(x, in) : NULL;
	if (common) {
		s = sampler_of(x, in, common);
		fetch_indexed(x, in, &s);
		return;
	}
	for (u32 left = x->mask; left; left &= left - 1) {
		const u32 i = first_lane(left);
		u64 id;
		const struct texture *t = texture_of(x, in, i, &id);
		const enum fault_code bad = !t ? FAULT_BAD_TEXTURE : t == s.t ? FAULT_NONE : memory_state(x, t);
		if (bad) {
			exec_fault(x, bad, 1u << i, t ? t->addr : id, t ? texel_bytes(t) : 0, false, SPC_TEX);
			return;
		}
		if (t != s.t)
			s = sampler_of(x, in, t);
		fetch_lane(x, in, &s, i, v[i]);
	}
	x->out->space = SPC_TEX;
	x->out->bytes = (u8)s.texel_bytes;
	for (u32 c = 0; c < 4; c++) {
		u32 *to = in->d[c] == OPND_NONE ? NULL : exec_at(x, in->d[c]);
		for (u32 left = to ? x->mask : 0; left; left &= left - 1)
			to[first_lane(left)] = v[first_lane(left)][c];
	}
}

exec_fn exec_texture(const struct inst *in)
{
	const bool result_ok = in->type == T_F32 || in->type == T_U32 || in->type == T_S32;
	const bool gathers = in->op == OP_TLD4, cube = geom_cube(in->geom);
	if ((in->op != OP_TEX && !gathers) || in->geom > TEX_ACUBE || !result_ok ||
	    (in->stype != T_F32 && in->stype != T_S32))
		return NULL;
	if ((gathers || cube) && (in->stype != T_F32 || !(cube || in->geom == TEX_2D || in->geom == TEX_A2D)))
		return NULL;
	for (u32 i = 0; i < geom_coords(in->geom); i++)
		if (in->s[i] == OPND_NONE)
			return NULL;
	return in->tex < 0 && in->s[4] == OPND_NONE ? NULL : tex;
}
