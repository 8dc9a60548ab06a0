/* atom.exch and atom.cas of 128 bits: the halves of a register are two of 64 bits, low one first (PTX ISA, atom). As
 * the other atomics they act at issue on shared memory, and at the end of the cycle on global memory, lane after lane.
 */
#include <string.h>

#include "front/ptx/executor/memory.h"

/* The two halves of an operand in a lane. */
static void take(const struct exec *x, const opnd at[2], u32 lane, u64 out[2])
{
	for (u32 k = 0; k < 2; k++)
		out[k] = at[k] == OPND_NONE ? 0 : ((const u64 *)exec_at(x, at[k]))[lane];
}
/* What was there; b, c as in atom: exchanged with b, or compared with b and exchanged with c. */
static void apply(u8 op, u8 *p, const u64 b[2], const u64 c[2], u64 old[2])
{
	memcpy(old, p, 16);
	const bool same = old[0] == b[0] && old[1] == b[1];
	if (op == ATOM_EXCH)
		memcpy(p, b, 16);
	else if (same)
		memcpy(p, c, 16);
}

void atomic128_commit(struct ptx *f, u32 sm, const struct pending *p)
{
	const struct inst *in = pending_inst(f, p);
	for (u32 left = p->mask; left; left &= left - 1) {
		const u32 i = first_lane(left);
		u64 b[2], old[2];
		memcpy(b, p->data + 16 * i, 16);
		apply(in->atom, devmem_ptr(f->mem, p->addr[i]), b, &p->cas[2 * i], old);
		devmem_touch(f->mem, p->addr[i], 1);
		for (u32 k = 0; k < 2 && p->dst != OPND_NONE; k++)
			((u64 *)pending_at(f, sm, p, in->d[k]))[i] = old[k];
	}
}

static void apply_shared(struct exec *x, const struct inst *in, u32 lanes)
{
	u64 old[LANES][2];
	for (u32 left = lanes; left; left &= left - 1) {
		const u32 i = first_lane(left);
		u64 b[2], c[2];
		take(x, &in->s[1], i, b);
		take(x, &in->s[3], i, c);
		apply(in->atom, exec_shared(x) + x->out->addr[i], b, c, old[i]);
	}
	for (u32 left = in->d[0] == OPND_NONE ? 0 : lanes; left; left &= left - 1)
		for (u32 k = 0; k < 2; k++)
			((u64 *)exec_at(x, in->d[k]))[first_lane(left)] = old[first_lane(left)][k];
}

static void queue_global(struct exec *x, const struct inst *in, u32 lanes)
{
	struct pending *p = mem_queue(x, PENDING_ATOMIC, lanes, 16);
	p->dst = in->d[0];
	for (u32 left = lanes; left; left &= left - 1) {
		const u32 i = first_lane(left);
		u64 b[2];
		p->addr[i] = x->out->addr[i];
		take(x, &in->s[1], i, b);
		memcpy(p->data + 16 * i, b, 16);
		take(x, &in->s[3], i, &p->cas[2 * i]);
	}
}

static void atomic128(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	struct generic_lanes g = {.global = x->mask};
	if (!mem_atomic_lanes(x, in, 16, &g))
		return;
	if (g.shared)
		apply_shared(x, in, g.shared);
	if (g.global)
		queue_global(x, in, g.global);
	mem_hide_shared(x, g.shared);
}

exec_fn exec_atomic128(const struct inst *in)
{
	const u32 n = in->atom == ATOM_CAS ? 5 : 3;
	if (in->op != OP_ATOM || in->type != T_B128 || (in->atom != ATOM_CAS && in->atom != ATOM_EXCH))
		return NULL;
	for (u32 i = 1; i < n; i++)
		if (in->s[i] == OPND_NONE)
			return NULL;
	return atomic128;
}
