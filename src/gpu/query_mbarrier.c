#include "gpu/query_mbarrier.h"

#include "gpu/state.h"
#include "sm/copies.h"

u32 gpu_mbarriers(const struct gpu *g, u32 sm, u32 place, struct mbarrier_view *out, u32 max)
{
	const struct sm *s = g->sm[sm];
	struct mbarrier_info all[256];
	if (!s->cta[place].used)
		return 0;
	const u32 n = front_mbarriers(g->front, sm, place, all, ARRAY_LEN(all));
	for (u32 i = 0; i < MIN(n, MIN(max, (u32)ARRAY_LEN(all))); i++) {
		out[i] = (struct mbarrier_view){.is = all[i]};
		FOR_EACH_BIT(w, s->cta[place].inactive ? 0 : s->awaiting & s->cta[place].warps)
		{
			struct mbarrier_wait at;
			if (front_mbarrier_wait(g->front, sm, (u32)w, &at) && at.at.addr == all[i].addr)
				out[i].waiting |= BIT(w);
		}
	}
	return n;
}

bool gpu_mbarrier_wait(const struct gpu *g, u32 sm, u32 warp, struct mbarrier_wait *out)
{
	return g->sm[sm]->awaiting >> warp & 1 && front_mbarrier_wait(g->front, sm, warp, out);
}

static u32 arrivals_of(const struct copies *c, const struct copy_batch *b)
{
	u32 n = 0;
	for (u32 at = b->arrivals; at; at = c->arrival[at].next)
		n += bit_count32(c->arrival[at].what.lanes);
	return n;
}

u32 gpu_copies(const struct gpu *g, u32 sm, struct copies_view *out, u32 max)
{
	const struct sm *s = g->sm[sm];
	const struct copies *c = g->ctx[sm].copies;
	u32 n = 0;
	for (u32 place = 0; place < SM_PLACES; place++) {
		const struct warp *wp = &s->warp[place];
		const struct sm_context *who = &s->context[sm_context_of(wp->who)];
		u32 group = 0;
		if (!who->used || who->place != place)
			continue;
		for (u32 i = c->first[sm_context_of(wp->who)]; i; i = c->batch[i].next, n++, group++)
			if (n < max)
				out[n] = (struct copies_view){.warp = place,
				                              .cta_place = wp->cta_slot,
				                              .group = group,
				                              .left = c->batch[i].left,
				                              .bytes = c->batch[i].bytes,
				                              .pc = c->batch[i].pc,
				                              .arrivals = arrivals_of(c, &c->batch[i]),
				                              .open = !c->batch[i].closed,
				                              .since = c->batch[i].since};
	}
	return n;
}
