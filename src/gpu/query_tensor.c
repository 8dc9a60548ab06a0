#include "gpu/query_tensor.h"

#include "gpu/state.h"

/* The mma among the results that are due to warps of a scheduler. */
static u32 mma_in_flight(const struct gpu *g, u32 sm, u32 sched)
{
	const struct sm *s = g->sm[sm];
	const struct sm_ctx *x = &g->ctx[sm];
	u32 n = 0;
	for (u32 slot = 0; slot < SM_WHEEL; slot++)
		for (u16 at = s->wheel[slot]; at; at = x->node[at - 1].next) {
			const struct timer_node *node = &x->node[at - 1];
			if (timer_kind(node) != WK_WRITEBACK)
				continue;
			const struct sm_context *c = &s->context[sm_context_of(node->who)];
			const struct warp *wp = &s->warp[c->place];
			n += c->place < 64 && x->sched_mask[sched] >> c->place & 1 &&
			     g->launch[wp->launch]->mod->code[timer_pc(node)].cls == IC_TENSOR;
		}
	return n;
}

/* When a unit of the sub-core takes the next mma. */
static u64 free_at(const struct gpu *g, u32 sm, u32 sched)
{
	const struct sm_ctx *x = &g->ctx[sm];
	const u64 *unit = g->sm[sm]->unit_free[UNIT_TENSOR];
	u64 first = NEVER;
	if (x->own_units >> UNIT_TENSOR & 1)
		return unit[sched];
	for (u32 i = 0; i < x->nunits[UNIT_TENSOR]; i++)
		first = MIN(first, unit[i]);
	return first;
}

void gpu_tensor(const struct gpu *g, u32 sm, u32 sched, struct tensor_view *out)
{
	const struct sm_ctx *x = &g->ctx[sm];
	*out = (struct tensor_view){.has = &x->tensor->of[sched],
	                            .ready = g->sm[sm]->in[WS_READY_TENSOR] & x->sched_mask[sched],
	                            .taken = free_at(g, sm, sched) > g->st->cycle,
	                            .free_at = free_at(g, sm, sched),
	                            .in_flight = mma_in_flight(g, sm, sched)};
}
