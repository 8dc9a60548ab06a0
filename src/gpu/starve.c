#include "gpu/starve.h"

#include "gpu/state.h"

u64 starve_state_bytes(const struct conf *c)
{
	return sizeof(struct starve) + c->num_sms * (sizeof(struct starve_sm) + WARP_SLOTS * sizeof(struct starve_warp)) +
	       192;
}

void starve_create(struct gpu *g)
{
	g->starve = ARENA_NEW(&g->arena, struct starve, 1);
	g->starve_sm = ARENA_NEW(&g->arena, struct starve_sm, g->conf.num_sms);
	g->starve_warp = ARENA_NEW(&g->arena, struct starve_warp, g->conf.num_sms * WARP_SLOTS);
}

static void tell(struct gpu *g, u32 sm, u32 w, u64 cycles)
{
	struct event_buf *ev = &g->ev[sm];
	g->starve->spells++;
	if (!event_wanted(ev, EV_WARP_STARVED))
		return;
	const struct warp *wp = &g->sm[sm]->warp[w];
	struct event *e = event_add(ev, EV_WARP_STARVED, g->st->cycle);
	e->sm = (s32)sm;
	e->warp = (s32)w;
	e->kernel = (s32)wp->launch;
	e->cta = (s32)g->sm[sm]->cta[wp->cta_slot].id;
	e->pc = wp->pc;
	e->arg[0] = wp->state;
	e->arg[1] = cycles;
}

/* A warp that has been ready and has not issued since k->from. */
static void look_at_spell(struct gpu *g, u32 sm, u32 w, const struct starve_warp *k)
{
	struct starve_sm *l = &g->starve_sm[sm];
	const u64 cycles = g->st->cycle - k->from;
	if (cycles <= STARVE_CYCLES)
		return;
	if (!(l->told >> w & 1))
		tell(g, sm, w, cycles);
	l->told |= BIT(w);
	if (cycles <= g->starve->longest.cycles)
		return;
	g->starve->longest.cycles = cycles;
	g->starve->longest.from = k->from;
	g->starve->longest.sm = sm;
	g->starve->longest.warp = w;
}

static void look_at_sm(struct gpu *g, u32 sm)
{
	const struct sm *s = g->sm[sm];
	struct starve_sm *l = &g->starve_sm[sm];
	const u64 ready = warps_ready(s) & ~s->low; /* these are meant to wait */
	const u64 before = s->k.issue_slots != l->slots ? l->ready : 0;
	FOR_EACH_BIT(w, ready)
	{
		const struct warp *wp = &s->warp[w];
		struct starve_warp *k = &g->starve_warp[sm * WARP_SLOTS + (u32)w];
		const u64 steps = wp->insts * 256 + wp->extra;
		if ((before >> w & 1) && k->steps == steps && wp->started_at <= k->from) {
			look_at_spell(g, sm, (u32)w, k);
			continue;
		}
		*k = (struct starve_warp){.steps = steps, .from = g->st->cycle};
		l->told &= ~BIT(w);
	}
	l->told &= ready;
	l->ready = ready;
	l->slots = s->k.issue_slots;
}

void starve_look(struct gpu *g)
{
	g->starve->next = (g->st->cycle / STARVE_LOOK + 1) * STARVE_LOOK;
	for (u32 i = 0; i < g->conf.num_sms; i++)
		if (g->ctx[i].sched->fair)
			look_at_sm(g, i);
		else
			g->starve_sm[i].ready = 0;
}
