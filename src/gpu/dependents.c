#include "gpu/dependents.h"

size_t dependents_state_bytes(void)
{
	return TASK_MAX_LAUNCHES * sizeof(struct grid_order) + 64;
}

void dependents_create(struct gpu *g)
{
	g->grids = ARENA_NEW(&g->arena, struct grid_order, TASK_MAX_LAUNCHES);
	for (u32 i = 0; i < g->conf.num_sms; i++)
		g->ctx[i].grids = g->grids;
	g->dispatch.grids = g->grids;
}

/* Each of its CTAs has let go. */
static void let_go(struct gpu *g, u32 launch)
{
	const s32 next = task_let_go(g->task, launch, g->st->cycle, g->conf.launch_latency);
	if (!event_wanted(gpu_events(g), EV_LAUNCH_DEPENDENTS))
		return;
	struct event *e = event_add(gpu_events(g), EV_LAUNCH_DEPENDENTS, g->st->cycle);
	e->kernel = (s32)launch;
	e->arg[0] = (u64)(next + 1);
	e->arg[1] = g->task->kcb[launch].k.ctas_done;
}

static void count(struct gpu *g, u32 launch)
{
	const struct kcb *k = &g->task->kcb[launch];
	if (++g->grids[launch].let_go == k->ctas && (k->k.ctas_done < k->ctas || g->grids[launch].open))
		let_go(g, launch);
}

void dependents_hear(struct gpu *g, u32 sm)
{
	u32 at = 0, launch;
	while (griddep_news(g->sm[sm], &at, &launch))
		count(g, launch);
}

void dependents_cta_done(struct gpu *g, const struct cta *c)
{
	if (c->let_go != LET_GO_COUNTED)
		count(g, c->launch);
}

bool dependents_may_end(const struct gpu *g, u32 launch)
{
	return !g->grids[launch].open;
}

s32 dependents_kernel_done(struct gpu *g, u32 launch)
{
	const s32 next = g->task->kcb[launch].next_in_stream;
	if (next < 0 || !g->grids[next].open)
		return -1;
	g->grids[next].open = 0;
	const struct kcb *k = &g->task->kcb[next];
	if (k->state != KCB_RUNNING)
		return -1;
	const u64 now = g->st->cycle;
	for (u32 i = 0; i < g->conf.num_sms; i++) {
		/* What L1D holds may be older than what the kernel has written: as when a kernel starts. */
		mem_kernel_start(g->mem, i, g->dispatch.d->n == 1);
		if (griddep_open(&g->ctx[i], g->sm[i], (u32)next, now))
			g->st->awake[i / 64] |= BIT(i % 64);
	}
	return k->k.ctas_done == k->ctas ? next : -1;
}

/* --- what holds --------------------------------------------------------------------------------------------------- */

static bool check_warps(const struct gpu *g, u32 sm, struct err *e)
{
	const struct sm *s = g->sm[sm];
	for (u32 w = 0; w < SM_PLACES; w++) {
		const struct warp *wp = &s->warp[w];
		const bool there = w < WARP_SLOTS ? s->used >> w & 1 : s->away[w / WARP_SLOTS - 1] >> w % WARP_SLOTS & 1;
		HOLDS(!there || wp->fence != FENCE_GRIDS || g->grids[wp->launch].open,
		      "SM %u, warp %u: it waits for the kernel before launch %u, which has ended", sm, w, wp->launch);
	}
	return true;
}

/* CTAs of a launch that are there and have been counted. */
static u64 counted(const struct gpu *g, u32 launch)
{
	u64 n = 0;
	for (u32 i = 0; i < g->conf.num_sms; i++)
		for (u32 at = 0; at < SM_CTA_PLACES; at++) {
			const struct cta *c = &g->sm[i]->cta[at];
			n += c->used && c->launch == launch && c->let_go == LET_GO_COUNTED;
		}
	for (u32 i = 0; i < g->resume.r->top; i++) {
		const struct saved_cta *c = &g->resume.cta[i];
		if (c->state != SAVED_FREE && c->state != SAVED_LEAVING && c->launch == launch)
			n += c->s.cta.let_go == LET_GO_COUNTED;
	}
	return n;
}

bool dependents_check_state(const struct gpu *g, struct err *e)
{
	const struct task *t = g->task;
	for (u32 i = t->first_open; i < t->nlaunches; i++) {
		const struct kcb *k = &t->kcb[i];
		const struct grid_order *o = &g->grids[i];
		const bool open = k->programmatic && o->before && t->kcb[o->before - 1].state != KCB_DONE;
		HOLDS(o->open == open, "launch %u: the kernel before it has%s ended, noted otherwise", i, open ? " not" : "");
		HOLDS(!open || t->kcb[o->before - 1].next_in_stream == (s32)i, "launch %u: it is not behind launch %u", i,
		      o->before - 1);
		if (k->state != KCB_RUNNING)
			continue;
		const u64 n = k->k.ctas_done + counted(g, i);
		HOLDS(o->let_go == n, "launch %u: %llu CTAs have let its dependents go, counted %llu", i, (unsigned long long)n,
		      (unsigned long long)o->let_go);
	}
	for (u32 i = 0; i < g->conf.num_sms; i++)
		if (!check_warps(g, i, e))
			return false;
	return true;
}
