/* atom and red of vectors (sm_90): each element is an atomic of its own, on global memory, at the end of the cycle as
 * the other atomics, lane after lane. Elements are f32, or pairs of f16 or bf16; .min and .max of halves are as min and
 * max: of a NaN and a number the number. */
#include <string.h>

#include "front/ptx/executor/memory.h"
#include "front/ptx/runtime/fp.h"

static u16 half_extreme(u16 a, u16 b, bool max, bool bf16)
{
	const double x = bf16 ? bf16_to_f32(a) : f16_to_f32(a), y = bf16 ? bf16_to_f32(b) : f16_to_f32(b);
	const double v = max ? lane_max_f64(x, y, false) : lane_min_f64(x, y, false);
	return bf16 ? bf16_from_f64(v, SMALL_RN) : f16_from_f64(v, SMALL_RN);
}

/* One element at p; what was there. */
static u32 apply(const struct inst *in, u8 *p, u32 b, bool flush)
{
	u32 old;
	if (in->atom == ATOM_ADD)
		return (u32)atomic_apply(ATOM_ADD, in->type, p, b, 0, flush);
	const bool max = in->atom == ATOM_MAX, bf16 = in->type == T_BF16X2;
	memcpy(&old, p, 4);
	const u32 now = half_extreme((u16)old, (u16)b, max, bf16) |
	                (u32)half_extreme((u16)(old >> 16), (u16)(b >> 16), max, bf16) << 16;
	memcpy(p, &now, 4);
	return old;
}

void atomic_vector_commit(struct ptx *f, u32 sm, const struct pending *p)
{
	const struct inst *in = pending_inst(f, p);
	const u32 *b = (const u32 *)(const void *)p->data;
	for (u32 left = p->mask; left; left &= left - 1) {
		const u32 i = first_lane(left);
		for (u32 k = 0; k < in->vec; k++) {
			const u32 old = apply(in, devmem_ptr(f->mem, p->addr[i] + 4 * k), b[i * in->vec + k], p->flush);
			if (in->op == OP_ATOM && in->d[k] != OPND_NONE)
				((u32 *)pending_at(f, sm, p, in->d[k]))[i] = old;
		}
		devmem_touch(f->mem, p->addr[i], 1);
	}
}

static void atomic_vector(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	struct generic_lanes g;
	const u32 bytes = 4u * in->vec;
	if (!mem_atomic_lanes(x, in, bytes, &g))
		return;
	if (g.shared) { /* PTX: vectors in global memory alone */
		const u32 lane = first_lane(g.shared);
		exec_fault(x, FAULT_OOB, g.shared, SHARED_WINDOW + x->out->addr[lane], bytes, true, SPC_GENERIC);
		return;
	}
	struct pending *p = mem_queue(x, PENDING_ATOMIC, g.global, bytes);
	u32 *b = (u32 *)(void *)p->data;
	p->flush = in->type == T_F32;
	for (u32 left = g.global; left; left &= left - 1) {
		const u32 i = first_lane(left);
		p->addr[i] = x->out->addr[i];
		for (u32 k = 0; k < in->vec; k++)
			b[i * in->vec + k] = ((const u32 *)exec_at(x, in->s[1 + k]))[i];
	}
}

exec_fn exec_atomic_vector(const struct inst *in)
{
	const bool halves = in->type == T_F16X2 || in->type == T_BF16X2;
	const bool extreme = in->atom == ATOM_MIN || in->atom == ATOM_MAX;
	if (!(in->type == T_F32 ? in->atom == ATOM_ADD && in->vec > 1 : halves && (in->atom == ATOM_ADD || extreme)))
		return NULL;
	for (u32 k = 0; k < in->vec; k++)
		if (in->s[1 + k] == OPND_NONE)
			return NULL;
	return in->space == SPC_GLOBAL || in->space == SPC_GENERIC ? atomic_vector : NULL;
}
