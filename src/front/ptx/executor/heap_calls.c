/* malloc and free as the pipeline sees them: atomics on the head of the heap's table, one a lane. They take effect at
 * the cycle's end with the other atomics. What is freed wrongly is found before the instruction has had an effect,
 * unless another lane or warp frees the same in the same cycle: that is found when it takes effect, as everything is
 * with commit.delay. */
#include "front/ptx/executor/memory.h"

static bool may_free(struct exec *x, const u64 *arg)
{
	u64 start, bytes;
	for (u32 left = x->mask; left; left &= left - 1) {
		const u32 i = first_lane(left);
		const enum heap_place at = heap_find(&x->f->heap, x->f->mem, arg[i], &start, &bytes);
		if (!arg[i] || at == HEAP_START)
			continue;
		exec_fault(x, FAULT_BAD_FREE, 1u << i, arg[i], at, true, SPC_GENERIC);
		return false;
	}
	return true;
}

static void heap_call(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	struct dyninst *out = x->out;
	const u64 *arg = exec_at(x, in->s[1]);
	if (in->atom == ATOM_FREE && !x->f->delay && !may_free(x, arg))
		return;
	struct pending *p = mem_queue(x, PENDING_ATOMIC, x->mask, 8);
	out->space = SPC_GLOBAL;
	out->bytes = 8;
	out->store = out->atomic = true;
	p->dst = in->d[0];
	for (u32 i = 0; i < LANES; i++) {
		out->addr[i] = x->f->heap.table;
		((u64 *)p->data)[i] = arg[i];
	}
}

exec_fn exec_heap(const struct inst *in)
{
	const bool gives = in->atom == ATOM_MALLOC && in->op == OP_ATOM;
	const bool takes = in->atom == ATOM_FREE && in->op == OP_RED && in->d[0] == OPND_NONE;
	return (gives || takes) && ptype_bytes(in->type) == 8 && in->s[1] != OPND_NONE ? heap_call : NULL;
}

static void misuse(struct ptx *f, u32 sm, const struct pending *p, u32 lane, enum heap_place at)
{
	const struct warp *w = &f->warps[sm * f->nwarps + p->warp];
	fault_record(f, p->cycle,
	             &(struct fault){.code = FAULT_BAD_FREE,
	                             .sm = sm,
	                             .warp = p->warp,
	                             .launch = w->launch,
	                             .cta = f->ctas[sm * f->nslots + w->slot].id,
	                             .pc = p->pc,
	                             .lanes = 1u << lane,
	                             .addr = ((const u64 *)p->data)[lane],
	                             .bytes = at,
	                             .store = true,
	                             .space = SPC_GENERIC});
}

void heap_commit(struct ptx *f, u32 sm, const struct pending *p)
{
	const u64 *arg = (const u64 *)p->data;
	u64 *dst = pending_at(f, sm, p, p->dst);
	for (u32 left = p->mask; left; left &= left - 1) {
		const u32 i = first_lane(left);
		if (pending_inst(f, p)->atom == ATOM_MALLOC) {
			const u64 block = heap_malloc(&f->heap, f->mem, arg[i]);
			if (dst)
				dst[i] = block;
			continue;
		}
		const enum heap_place at = arg[i] ? heap_free(&f->heap, f->mem, arg[i]) : HEAP_START;
		if (at != HEAP_START)
			misuse(f, sm, p, i, at);
	}
}
