/* Texture fetches: 1D, 2D, 3D and layered; point and linear filtering by the rules of the CUDA programming guide.
 *
 * Linear weights have 8 fractional bits, rounded to nearest, and the blend is computed in double and rounded once.
 * Layers of a1d and a2d are counted by `depth` and clamped. Wrap and mirror need normalised coordinates (else they act
 * as clamp, as in CUDA). tex.1d with integer coordinates is tex1Dfetch: outside the texture it gives zero. Missing
 * channels read (., 0, 0, 1). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/front.h"
#include "front/ptx/fp.h"
#include "front/ptx/state.h"

#define HANDLE_TAG                                                                                                     \
	0x7e00000000ull         /* texture object handles: this plus the index; no valid device pointer by accident */
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

/* --- binding --------------------------------------------------------------------------------------------------------
 */
static bool type_ok(u8 t)
{
	return t == T_U8 || t == T_S8 || t == T_U16 || t == T_S16 || t == T_U32 || t == T_S32 || t == T_F32 || t == T_F16;
}
static bool texture_ok(const struct front *f, const struct texture *t, const char *name, struct err *e)
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

static s32 add_texture(struct front *f, const struct texture *t)
{
	f->textures = xrealloc(f->textures, (f->ntextures + 1) * sizeof(*f->textures));
	f->textures[f->ntextures] = *t;
	return (s32)f->ntextures++;
}

bool front_bind_texture(struct front *f, struct module *m, const char *name, const struct texture *t, struct err *e)
{
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

u64 front_texture_object(struct front *f, const struct texture *t, struct err *e)
{
	return texture_ok(f, t, "object", e) ? HANDLE_TAG + (u64)add_texture(f, t) : 0;
}

/* --- one fetch
 * -------------------------------------------------------------------------------------------------------- */
struct sampler {
	const struct front *f;
	const struct texture *t;
	u64 first; /* address of the first texel used, 0 = none yet */
};
struct texel {
	double v[4]; /* numbers, when filtering or converting */
	u32 raw[4];
};

static u32 wrap_index(s64 i, u32 n, u8 mode)
{
	const s64 period = mode == TEXA_MIRROR ? 2 * (s64)n : (s64)n, k = ((i % period) + period) % period;
	switch (mode) {
	case TEXA_WRAP: return (u32)k;
	case TEXA_MIRROR: return (u32)(k < (s64)n ? k : period - 1 - k);
	case TEXA_BORDER: return i < 0 || i >= (s64)n ? NO_TEXEL : (u32)i;
	default: return i < 0 ? 0 : i >= (s64)n ? n - 1 : (u32)i;
	}
}
static u8 mode_of(const struct texture *t, u32 dim)
{
	const u8 m = t->address[dim];
	return !t->normalised_coords && (m == TEXA_WRAP || m == TEXA_MIRROR) ? TEXA_CLAMP : m;
}
/* A coordinate in texels; bounded, so that it converts to an integer. Periodic modes take the fraction first, as the
 * guide says. */
static double texel_coord(const struct texture *t, u32 dim, u32 n, float x)
{
	double v = x == x ? x : 0.0;
	if (mode_of(t, dim) == TEXA_WRAP && fabs(v) < INFINITY)
		v -= floor(v);
	if (mode_of(t, dim) == TEXA_MIRROR && fabs(v) < INFINITY)
		v -= 2 * floor(v / 2);
	if (t->normalised_coords)
		v *= n;
	return v > 0x1p40 ? 0x1p40 : v < -0x1p40 ? -0x1p40 : v;
}

static void read_channel(const struct sampler *s, u64 addr, struct texel *out, u32 c)
{
	const void *p = devmem_ptr(s->f->mem, addr);
	const struct texture *t = s->t;
	const bool norm = t->read_normalised;
	s64 i = 0;
	double full = 1;
	switch (t->type) {
	case T_F32: memcpy(&out->raw[c], p, 4), out->v[c] = f32_bits(out->raw[c]); return;
	case T_F16: out->v[c] = f16_to_f32(*(const u16 *)p), out->raw[c] = bits_f32((float)out->v[c]); return;
	case T_U8: i = *(const u8 *)p, full = UINT8_MAX; break;
	case T_S8: i = *(const s8 *)p, full = INT8_MAX; break;
	case T_U16: i = *(const u16 *)p, full = UINT16_MAX; break;
	case T_S16: i = *(const s16 *)p, full = INT16_MAX; break;
	case T_U32: i = *(const u32 *)p, full = UINT32_MAX; break;
	default: i = *(const s32 *)p, full = INT32_MAX; break;
	}
	const double v = (double)i / full;
	out->v[c] = norm ? (v < -1.0 ? -1.0 : v) : (double)i;
	out->raw[c] = norm ? bits_f32((float)out->v[c]) : (u32)i;
}
static struct texel read_texel(struct sampler *s, u32 x, u32 y, u32 z)
{
	const struct texture *t = s->t;
	struct texel r = {0};
	if (x == NO_TEXEL || y == NO_TEXEL || z == NO_TEXEL)
		return r;
	const u64 addr = t->addr + ((u64)z * MAX(t->height, 1u) + y) * t->pitch + (u64)x * texel_bytes(t);
	const bool real = t->type == T_F32 || t->type == T_F16 || t->read_normalised;
	if (!s->first)
		s->first = addr;
	r.v[3] = 1;
	r.raw[3] = real ? bits_f32(1.0f) : 1;
	for (u32 c = 0; c < t->channels; c++)
		read_channel(s, addr + c * ptype_bytes(t->type), &r, c);
	return r;
}

/* The coordinates of a lane: up to three filtered dimensions and a layer. */
struct point {
	u32 ndims, layer;
	bool layered, integral;
	float x[3];
	s32 ix[3];
};
static u32 size_of(const struct texture *t, u32 dim)
{
	return dim == 0 ? t->width : MAX(dim == 1 ? t->height : t->depth, 1u);
}

static struct texel sample_point(struct sampler *s, const struct point *p)
{
	u32 at[3] = {0, 0, p->layered ? p->layer : 0};
	for (u32 d = 0; d < p->ndims; d++) {
		const u32 n = size_of(s->t, d);
		const u8 mode = p->integral && p->ndims == 1 && !p->layered ? TEXA_BORDER : mode_of(s->t, d);
		const s64 i = p->integral ? p->ix[d] : (s64)floor(texel_coord(s->t, d, n, p->x[d]));
		at[d] = wrap_index(i, n, mode);
	}
	return read_texel(s, at[0], at[1], at[2]);
}

static struct texel sample_linear(struct sampler *s, const struct point *p)
{
	u32 at[3][2] = {{0, 0}, {0, 0}, {p->layered ? p->layer : 0, 0}};
	double weight[3] = {0};
	for (u32 d = 0; d < p->ndims; d++) {
		const u32 n = size_of(s->t, d);
		const double x = texel_coord(s->t, d, n, p->x[d]) - 0.5, i = floor(x);
		weight[d] = floor((x - i) * 256 + 0.5) / 256;
		at[d][0] = wrap_index((s64)i, n, mode_of(s->t, d));
		at[d][1] = wrap_index((s64)i + 1, n, mode_of(s->t, d));
	}
	struct texel r = {0};
	for (u32 corner = 0; corner < 1u << p->ndims; corner++) {
		double w = 1;
		for (u32 d = 0; d < p->ndims; d++)
			w *= corner >> d & 1 ? weight[d] : 1 - weight[d];
		if (w == 0)
			continue;
		const struct texel t = read_texel(s, at[0][corner & 1], at[1][corner >> 1 & 1], at[2][corner >> 2 & 1]);
		for (u32 c = 0; c < 4; c++)
			r.v[c] += w * t.v[c];
	}
	for (u32 c = 0; c < 4; c++)
		r.raw[c] = bits_f32(canon_f32((float)r.v[c]));
	return r;
}

/* --- the instruction
 * -------------------------------------------------------------------------------------------------- */
static const u8 geom_dims[] = {[TEX_1D] = 1, [TEX_2D] = 2, [TEX_3D] = 3, [TEX_A1D] = 1, [TEX_A2D] = 2};
static bool geom_layered(u8 g)
{
	return g == TEX_A1D || g == TEX_A2D;
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
	return *id - HANDLE_TAG < x->f->ntextures ? &x->f->textures[*id - HANDLE_TAG] : NULL;
}

/* The texture's memory must still be allocated; the answer holds for the lanes that follow. */
static enum fault_code memory_state(const struct exec *x, const struct texture *t)
{
	const struct alloc *a = devmem_find(x->f->mem, t->addr);
	if (!a || extent(t) > a->size - (t->addr - a->addr))
		return FAULT_OOB;
	return a->freed ? FAULT_FREED : FAULT_NONE;
}

static struct point point_of(const struct exec *x, const struct inst *in, const struct texture *t, u32 lane)
{
	struct point p = {.ndims = geom_dims[in->geom], .layered = geom_layered(in->geom), .integral = in->stype == T_S32};
	const u32 skip = p.layered ? 1 : 0;
	if (p.layered) {
		const u32 layer = ((const u32 *)exec_at(x, in->s[0]))[lane];
		p.layer = MIN(layer, MAX(t->depth, 1u) - 1);
	}
	for (u32 d = 0; d < p.ndims; d++) {
		const u32 bits = ((const u32 *)exec_at(x, in->s[d + skip]))[lane];
		p.x[d] = f32_bits(bits);
		p.ix[d] = (s32)bits;
	}
	return p;
}

static void fetch_lane(struct exec *x, const struct inst *in, const struct texture *t, u32 lane, u32 out[4])
{
	struct sampler s = {.f = x->f, .t = t};
	const struct point p = point_of(x, in, t, lane);
	const bool real = t->type == T_F32 || t->type == T_F16 || t->read_normalised;
	const struct texel r = t->linear && real && !p.integral ? sample_linear(&s, &p) : sample_point(&s, &p);
	memcpy(out, r.raw, sizeof(r.raw));
	x->out->addr[lane] = s.first ? s.first : t->addr;
}

static void tex(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	const struct texture *last = NULL;
	u32 v[LANES][4], bytes = 4;
	for (u32 left = x->mask; left; left &= left - 1) {
		const u32 i = first_lane(left);
		u64 id;
		const struct texture *t = texture_of(x, in, i, &id);
		const enum fault_code bad = !t ? FAULT_BAD_TEXTURE : t == last ? FAULT_NONE : memory_state(x, t);
		if (bad) {
			exec_fault(x, bad, 1u << i, t ? t->addr : id, t ? texel_bytes(t) : 0, false, SPC_TEX);
			return;
		}
		fetch_lane(x, in, t, i, v[i]);
		last = t;
		bytes = texel_bytes(t);
	}
	x->out->space = SPC_TEX;
	x->out->bytes = (u8)bytes;
	for (u32 c = 0; c < 4; c++)
		for (u32 left = in->d[c] == OPND_NONE ? 0 : x->mask; left; left &= left - 1)
			((u32 *)exec_at(x, in->d[c]))[first_lane(left)] = v[first_lane(left)][c];
}

exec_fn exec_texture(const struct inst *in)
{
	const bool result_ok = in->type == T_F32 || in->type == T_U32 || in->type == T_S32;
	if (in->op != OP_TEX || in->geom > TEX_A2D || !result_ok || (in->stype != T_F32 && in->stype != T_S32))
		return NULL;
	const u32 n = geom_dims[in->geom] + (geom_layered(in->geom) ? 1u : 0);
	for (u32 i = 0; i < n; i++)
		if (in->s[i] == OPND_NONE)
			return NULL;
	return in->tex < 0 && in->s[4] == OPND_NONE ? NULL : tex;
}
