/* Surfaces: where the bytes of a surface read or write are. suld and sust are lowered to this address, then a load or
 * store of global memory (lower_surface.c).
 *
 * The first coordinate counts bytes, the others rows, slices and layers. What lies outside: .trap is a fault, .clamp
 * takes the nearest place inside, .zero does nothing (a read gives zeros). */
#include "front/ptx/executor/surface.h"

struct place {
	s64 x, y, z; /* byte, row, slice or layer */
};

static struct place coordinates(const struct exec *x, const struct inst *in, u32 lane)
{
	s64 c[3] = {0};
	for (u32 k = 0; k < 3; k++)
		if (in->s[k] != OPND_NONE)
			c[k] = ((const s32 *)exec_at(x, in->s[k]))[lane];
	switch (in->geom) {
	case TEX_A1D: return (struct place){c[1], 0, c[0]};
	case TEX_A2D: return (struct place){c[1], c[2], c[0]};
	default: return (struct place){c[0], c[1], c[2]};
	}
}

/* False: outside. Under .clamp the place is moved inside. */
static bool settle(struct place *p, const struct place *most, bool clamp)
{
	const bool inside = p->x >= 0 && p->x <= most->x && p->y >= 0 && p->y <= most->y && p->z >= 0 && p->z <= most->z;
	if (inside || !clamp)
		return inside;
	p->x = MIN(MAX(p->x, 0), most->x);
	p->y = MIN(MAX(p->y, 0), most->y);
	p->z = MIN(MAX(p->z, 0), most->z);
	return true;
}

static void surface_address(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	const u64 *handle = exec_at(x, in->s[4]);
	const u32 bytes = (u32)in->imm;
	u64 *to = exec_at(x, in->d[0]);
	u32 inside = 0;
	for (u32 left = x->mask; left; left &= left - 1) {
		const u32 i = first_lane(left);
		const u64 index = handle[i] - SURFACE_TAG;
		if (index >= x->f->ntextures) {
			exec_fault(x, FAULT_BAD_SURFACE, 1u << i, handle[i], bytes, false, SPC_TEX);
			return;
		}
		const struct texture *t = &x->f->textures[index];
		const u64 row = (u64)t->width * t->channels * ptype_bytes(t->type);
		const struct place most = {(s64)row - bytes, MAX((s64)t->height, 1) - 1, MAX((s64)t->depth, 1) - 1};
		struct place p = coordinates(x, in, i);
		const struct place asked = p;
		const bool in_it = most.x >= 0 && settle(&p, &most, in->cmp == SURF_CLAMP);
		if (!in_it && in->cmp != SURF_ZERO) {
			exec_fault(x, FAULT_SURFACE_OOB, 1u << i, (u64)(u32)asked.x | (u64)(u32)(asked.y ? asked.y : asked.z) << 32,
			           bytes, false, SPC_TEX);
			return;
		}
		to[i] = t->addr + (u64)p.z * MAX(t->height, 1u) * t->pitch + (u64)p.y * t->pitch + (u64)p.x;
		inside |= (u32)in_it << i;
	}
	if (in->d[1] != OPND_NONE) { /* of the active lanes that do not execute this, none goes on */
		u32 *p = exec_at(x, in->d[1]);
		*p = (*p & ~x->active) | inside;
	}
}

exec_fn exec_surface(const struct inst *in)
{
	return in->op == OP_SULD || in->op == OP_SUST ? surface_address : NULL;
}
