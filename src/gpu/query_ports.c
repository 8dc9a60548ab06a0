/* Whose packets the network's ports hold, and who waits in front of them. */
#include "gpu/state.h"
#include "gpu/query.h"
#include "sm/l1_pipe.h"
#include "sm/replay.h"

struct masks {
	const struct gpu *g;
	u64 *by_sm;
};

/* Of a place; none behind the warp slots. */
static u64 bit_of(u32 place)
{
	return place < WARP_SLOTS ? BIT(place) : 0;
}

static void note(void *ctx, u32 sm, u32 token)
{
	const struct masks *m = ctx;
	const u32 w = sm_token_warp(m->g->sm[sm], token);
	m->by_sm[sm] |= bit_of(w);
}

void gpu_port_warps(const struct gpu *g, u32 port, u64 *by_sm)
{
	struct masks m = {g, by_sm};
	mem_port_waiters(g->mem, port, note, &m);
}

u64 gpu_head_warps(const struct gpu *g, const struct port_head *h)
{
	u64 by_sm[CONF_MAX_SMS] = {0};
	struct masks m = {g, by_sm};
	mem_head_waiters(g->mem, h, note, &m);
	return by_sm[h->sm];
}

u64 gpu_unsent_warps(const struct gpu *g, u32 sm)
{
	const struct sm *s = g->sm[sm];
	const struct replay *r = g->ctx[sm].replay;
	u64 warps = s->fetch_refused == MR_RF_QUEUE ? s->need_fetch & s->used : 0;
	for (u32 i = 0; r && i < r->n; i++)
		if (r->e[r->order[i]].reason == MR_RF_QUEUE)
			warps |= bit_of(r->e[r->order[i]].warp);
	const struct l1_pipe *p = g->ctx[sm].pipe;
	for (u32 i = 0, bank; p && i < p->n; i++) {
		const u32 warp = l1_pipe_at(&g->ctx[sm], i, &bank)->warp;
		warps |= p->bank[bank].refused == MR_RF_QUEUE ? bit_of(warp) : 0;
	}
	if (s->lsu_refused != MR_RF_QUEUE)
		return warps;
	for (u32 i = 0; i < s->lsu_q.n; i++)
		warps |= bit_of(sm_lsu_at(s, i)->warp);
	return warps | s->in[WS_READY_LSU];
}
