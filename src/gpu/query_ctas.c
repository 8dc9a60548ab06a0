/* The states of CTAs: of those on an SM, and of those that have been taken off. */
#include "gpu/state.h"
#include "gpu/query.h"

u32 gpu_ctas(const struct gpu *g, u32 sm, u32 *places, u32 max)
{
	u32 n = 0;
	for (u32 slot = 0; slot < g->ctx[sm].nctas; slot++)
		if (g->sm[sm]->cta[slot].used && n++ < max)
			places[n - 1] = slot;
	const u32 slots = MIN(n, max);
	return n + (g->ctx[sm].vt ? gpu_inactive_ctas(g, sm, places + slots, max - slots) : 0);
}

u32 gpu_inactive_ctas(const struct gpu *g, u32 sm, u32 *places, u32 max)
{
	const struct sm *s = g->sm[sm];
	u32 n = 0;
	for (u32 word = 0; word < ARRAY_LEN(s->ctas_away); word++)
		FOR_EACH_BIT(bit, s->ctas_away[word])
		{
			const u32 place = SM_MAX_CTAS + word * 64 + (u32)bit;
			if (s->cta[place].inactive && n++ < max)
				places[n - 1] = place;
		}
	return n;
}

s32 gpu_cta_slot(const struct gpu *g, u32 sm, u32 launch, u64 cta)
{
	for (u32 i = 0; i < g->conf.sm_ctas; i++) {
		const struct cta *c = &g->sm[sm]->cta[i];
		if (c->used && c->launch == launch && c->id == cta)
			return (s32)i;
	}
	return -1;
}

/* Dropped, and taken off before it has executed anything again. */
static bool restarts(const struct gpu *g, const struct saved_cta *c)
{
	const struct cta *is = resume_cta(&g->resume, c);
	return is->insts_dropped && is->insts_dropped == is->insts;
}

u32 gpu_ctas_away(const struct gpu *g, s32 launch, struct away_info *out, u32 max)
{
	static const enum cta_state is[] = {CS_NONE, CS_LEAVING, CS_SAVED, CS_QUEUED};
	const struct resume_ctx *x = &g->resume;
	u32 n = 0;
	for (u32 i = 0; x->r->n && i < x->max; i++) {
		const struct saved_cta *c = &x->cta[i];
		if (c->state == SAVED_FREE || (launch >= 0 && c->launch != (u32)launch))
			continue;
		if (n++ < max)
			out[n - 1] = (struct away_info){.launch = c->launch,
			                                .sm = c->sm,
			                                .to = c->to,
			                                .cta = c->id,
			                                .since = c->since,
			                                .left_at = c->left_at,
			                                .restarts = restarts(g, c),
			                                .state = is[c->state]};
	}
	return n;
}

static void count(enum cta_state is, struct cta_tally *t)
{
	t->on += !cta_state_slotless(is);
	t->inactive += cta_state_slotless(is);
	t->paused += is == CS_PAUSED || is == CS_HALTED;
	t->moving += is == CS_MOVING;
	t->lowered += is == CS_LOW;
}

struct cta_tally gpu_cta_tally(const struct gpu *g, s32 launch)
{
	struct cta_tally t = {0};
	for (u32 sm = 0; sm < g->conf.num_sms; sm++) {
		u32 place[SM_CTA_PLACES];
		const u32 n = gpu_ctas(g, sm, place, SM_CTA_PLACES);
		for (u32 i = 0; i < n; i++)
			if (launch < 0 || g->sm[sm]->cta[place[i]].launch == (u32)launch)
				count(sm_cta_state(&g->ctx[sm], g->sm[sm], place[i]), &t);
	}
	for (u32 i = 0; g->resume.r->n && i < g->resume.r->top; i++) {
		const struct saved_cta *c = &g->resume.cta[i];
		if (c->state == SAVED_FREE || (launch >= 0 && c->launch != (u32)launch))
			continue;
		t.saved++;
		t.queued += c->state == SAVED_QUEUED;
		t.restarts += restarts(g, c);
	}
	return t;
}
