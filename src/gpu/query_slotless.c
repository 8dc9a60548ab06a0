/* CTAs without a slot, as observers see them. */
#include "gpu/query_slotless.h"

#include "gpu/state.h"
#include "sm/virtual.h"

void gpu_slotless(const struct gpu *g, u32 sm, u32 place, struct slotless_info *out)
{
	const struct vt *v = g->ctx[sm].vt;
	const struct vt_cta *c = &v->cta[place];
	*out = (struct slotless_info){.waits = c->pending, .left = c->swaps, .ending = c->ending};
	for (u32 i = 0; c->state == VT_READY && i < SM_CTA_PLACES; i++)
		out->before += v->cta[i].state == VT_READY && v->cta[i].order < c->order;
}

/* The pc of a load of this warp that is under way: of several, the one whose place in the table comes first. */
static u32 load_of(const struct sm *s, u32 who)
{
	for (u32 i = 0; i < SM_MAX_LOADS; i++)
		if (s->load[i].left && s->load[i].who == who)
			return s->load[i].pc;
	return PC_DONE;
}

u32 gpu_slotless_warps(const struct gpu *g, u32 sm, u32 place, struct slotless_warp *out, u32 max)
{
	const struct sm *s = g->sm[sm];
	const struct cta *c = &s->cta[place];
	u32 n = 0;
	FOR_EACH_BIT(i, c->warps)
	{
		const struct warp *w = &s->warp[sm_away_place(c->word, (u32)i)];
		if (n++ >= max)
			continue;
		out[n - 1] = (struct slotless_warp){.pc = w->done ? PC_DONE : w->pc,
		                                    .results = w->inflight,
		                                    .transactions = w->outstanding,
		                                    .load = load_of(s, w->who),
		                                    .barrier = w->barrier};
	}
	return n;
}

bool gpu_swap(const struct gpu *g, u32 sm, u32 *slot, u32 *leaving, u64 *until)
{
	const struct vt *v = g->ctx[sm].vt;
	if (!v || v->until == NEVER)
		return false;
	*slot = v->coming;
	*leaving = v->leaving;
	*until = v->until;
	return true;
}
