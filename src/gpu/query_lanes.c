/* The warps of an SM in one cycle. */
#include "gpu/query_lanes.h"
#include "gpu/state.h"

void gpu_warp_lanes(const struct gpu *g, u32 sm, struct warp_lane *out)
{
	const struct sm *s = g->sm[sm];
	u8 state[WARP_SLOTS];
	u64 issued, refused;
	gpu_warp_states(g, sm, state, &issued, &refused);
	for (u32 w = 0; w < gpu_warps_per_sm(g); w++) {
		const struct warp *wp = &s->warp[w];
		out[w] = (struct warp_lane){.state = state[w], .issued = issued >> w & 1, .launch = -1, .pc = PC_DONE};
		if (!(s->used >> w & 1))
			continue;
		out[w].refused = refused >> w & 1;
		out[w].launch = (s32)wp->launch;
		out[w].cta_slot = wp->cta_slot;
		out[w].pc = wp->done ? PC_DONE : wp->pc;
	}
}

u32 gpu_issue_cost(const struct gpu *g, u32 sm, u32 launch, u32 pc)
{
	return g->ctx[sm].prog[launch].info[pc].cost;
}
