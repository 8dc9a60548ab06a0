/* A warp's next instruction is executed. */
#include "front/ptx/executor/meet.h"
#include "front/ptx/executor/splits.h"
#include "front/ptx/ops.h"

/* What another program's warp found is not this one's to touch. */
static void turn_of(struct sm_side *side, u32 owner)
{
	if (side->owner != owner)
		side->lo = side->hi = 0;
	side->owner = owner;
}

/* What is not usual: false when the instruction has not been executed. */
static bool goes_on(struct exec *x, const struct inst *in)
{
	if (x->out->flags & DYN_FAULT)
		return in->op == OP_BRKPT; /* after that the program can go on */
	splits_yield(x);
	return true;
}

void ptx_issue(struct front *front, u32 sm, u32 warp, u64 cycle, struct dyninst *out)
{
	struct ptx *f = ptx_of(front);
	struct warp *w = &f->warps[sm * f->nwarps + warp];
	BUG_ON(!w->mask);
	const struct launch_ref *ref = &f->launches[w->launch];
	const struct inst *in = &ref->code[w->pc];
	const opnd guard = in->guard;
	const u32 pc = w->pc, active = w->mask;
	u8 *frame = frame_window_at(f, sm, warp, w->frame);
	u32 mask = active;
	if (guard != OPND_NONE) {
		const u8 *at = guard & OPND_POOL ? ref->pool + (guard & ~OPND_POOL) : frame + guard;
		mask &= *(const u32 *)(const void *)at ^ (in->flags & IF_GUARD_NEG ? ~0u : 0);
	}
	if (unlikely(f->mem->several))
		turn_of(&f->side[sm], ref->l->mod->owner);
	struct exec x; /* all fields follow */
	x.base[0] = frame;
	x.base[1] = ref->pool;
	x.mask = mask;
	x.active = active;
	x.next_pc = pc + 1;
	x.sm = sm;
	x.warp = warp;
	x.out = out;
	x.f = f;
	x.w = w;
	x.ref = ref;
	x.cycle = cycle;
	out->in = in;
	out->pc = pc;
	out->mask = mask;
	out->active = active;
	out->flags = out->taken = 0;
	out->space = SPC_NONE;
	out->bytes = 0;
	out->store = out->atomic = false;
	if (likely(mask))
		in->exec(&x, in);
	if (unlikely(out->flags & (DYN_FAULT | DYN_YIELD)) && !goes_on(&x, in)) {
		out->next_pc = pc;
		return;
	}
	w->pc = x.next_pc;
	if (unlikely(w->pc == w->reconv || !w->mask))
		simt_settle(&x);
	const u32 next = w->mask ? w->pc : PC_DONE;
	out->next_pc = next;
	if (next != pc + 1)
		out->flags |= DYN_JUMP;
}
