#include "gpu/look.h"
#include "gpu/state.h"

void gpu_look_picks(struct gpu *g, u32 sm, struct pick_look *look)
{
	g->ctx[sm].look = look;
}

void gpu_look_states(const struct gpu *g, u32 sm, struct pick_look *look)
{
	look->ordered = g->ctx[sm].sched->explain;
	look->picked = NO_WARP;
	look->cycle = g->st->cycle ? g->st->cycle - 1 : 0;
	pick_look_states(look, &g->ctx[sm], g->sm[sm]);
}
