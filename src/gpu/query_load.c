/* What runs on an SM at this moment, cheap enough to be looked at every few dozen cycles of a whole run. */
#include "gpu/gpu.h"

/* Results on their way through the units, and those of memory instructions in their last latency (a hit, shared
 * memory): all that the timing wheel holds for this SM. */
static void count_wheel(const struct sm_ctx *x, const struct sm *s, struct sm_load *o)
{
	for (u32 word = 0; word < SM_WHEEL / 64; word++)
		FOR_EACH_BIT(b, s->wheel_busy[word])
	for (u16 n = s->wheel[word * 64 + (u32)b]; n; n = x->node[n - 1].next) {
		const struct wheel_node *node = &x->node[n - 1];
		if (node->kind != WK_WRITEBACK)
			continue;
		bool memory = x->prog[s->warp[node->warp].launch].info[node->pc].unit == UNIT_LSU;
		o->mem += memory;
		o->alu += !memory;
	}
}

/* Of the instructions that the LSU still holds, those with an entry in the load table are counted there. */
static void count_lsu(const struct sm *s, struct sm_load *o)
{
	o->mem += s->nloads;
	for (u32 i = 0; i < s->lsu_n; i++)
		o->mem += s->lsu[(s->lsu_head + i) % SM_MAX_LSU].load == NO_LOAD;
}

u32 gpu_sm_load(const struct gpu *g, u32 sm, struct sm_load *o, struct warp_place *place)
{
	const struct sm *s = g->sm[sm];
	u32 n = 0;
	*o = (struct sm_load){0};
	FOR_EACH_BIT(w, s->used)
	{
		const struct warp *wp = &s->warp[w];
		if (wp->done)
			o->exited++;
		else
			place[n++] = (struct warp_place){wp->launch, wp->pc};
	}
	count_wheel(&g->ctx[sm], s, o);
	count_lsu(s, o);
	return n;
}
