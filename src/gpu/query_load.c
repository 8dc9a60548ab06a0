/* What runs on an SM at this moment, cheap enough to be looked at every few dozen cycles of a whole run. */
#include "gpu/query.h"
#include "gpu/state.h"

u32 gpu_loads_under_way(const struct gpu *g)
{
	u32 n = 0;
	for (u32 i = 0; i < g->conf.num_sms; i++)
		n += g->sm[i]->nloads;
	return n;
}

u32 gpu_sm_load(const struct gpu *g, u32 sm, struct sm_load *o, struct warp_place *place)
{
	const struct sm *s = g->sm[sm];
	u32 n = 0;
	*o = (struct sm_load){.alu = s->alu_flying, .mem = s->mem_flying};
	FOR_EACH_BIT(w, s->used)
	{
		const struct warp *wp = &s->warp[w];
		if (wp->done)
			o->exited++;
		else
			place[n++] = (struct warp_place){wp->launch, wp->pc};
	}
	for (u32 i = 0; i < FLIGHT_COUNT; i++)
		o->cycles[i] = s->flights[i];
	o->cycles[s->flight] += g->st->cycle - s->flight_from;
	return n;
}
