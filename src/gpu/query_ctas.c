/* The states of CTAs: of those on an SM, and of those that have been taken off. */
#include "gpu/state.h"
#include "gpu/query.h"
#include "sm/virtual.h"

const struct cta_state_desc cta_state_descs[CS_COUNT] = {
#define C(id, name, undo, meaning) {name, undo, meaning},
#include "sm/cta_state.def"
#undef C
};

/* Its warps stopped when it did; one that had ended before says nothing. */
static u64 stopped_at(const struct sm *s, const struct cta *c)
{
	u64 since = NEVER;
	FOR_EACH_BIT(w, c->warps)
	if (s->warp[w].state == WS_PAUSED)
		since = MIN(since, s->warp[w].since);
	return since == NEVER ? c->started_at : since;
}

static enum cta_state stopped_state(const struct cta *c)
{
	return c->moving_until ? CS_MOVING : c->halted_until == NEVER ? CS_PAUSED : CS_HALTED;
}

/* virtual.h's state, when that is more than the CTA's own. */
static enum cta_state virtual_state(const struct vt_cta *v)
{
	switch ((enum vt_state)v->state) {
	case VT_COMING: return CS_SWAP_IN;
	case VT_LEAVING: return CS_SWAP_OUT;
	case VT_WAITING: return CS_INACTIVE;
	case VT_READY: return CS_READY;
	default: return CS_NONE;
	}
}

void gpu_cta_state(const struct gpu *g, u32 sm, u32 slot, struct cta_standing *o)
{
	const struct sm *s = g->sm[sm];
	const struct cta *c = &s->cta[slot];
	*o = (struct cta_standing){.state = CS_NONE};
	if (!c->used)
		return;
	const struct vt *v = g->ctx[sm].vt;
	if (v && virtual_state(&v->cta[slot]) != CS_NONE && c->halted_until != NEVER) {
		o->state = virtual_state(&v->cta[slot]);
		o->since = v->cta[slot].since;
		o->until = o->state == CS_SWAP_IN || o->state == CS_SWAP_OUT ? v->until : 0;
		return;
	}
	o->state = c->paused ? stopped_state(c) : s->low & c->warps ? CS_LOW : CS_RUNNING;
	o->since = c->paused ? stopped_at(s, c) : c->started_at;
	o->until = c->paused && c->halted_until != NEVER ? c->halted_until : 0;
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

struct cta_tally gpu_cta_tally(const struct gpu *g, s32 launch)
{
	struct cta_tally t = {0};
	for (u32 sm = 0; sm < g->conf.num_sms; sm++)
		for (u32 slot = 0; slot < SM_MAX_CTAS; slot++) {
			const struct cta *c = &g->sm[sm]->cta[slot];
			if (!c->used || (launch >= 0 && c->launch != (u32)launch))
				continue;
			t.paused += c->paused && !c->moving_until;
			t.moving += c->paused && c->moving_until;
			t.lowered += !c->paused && (g->sm[sm]->low & c->warps);
			t.on++;
		}
	for (u32 sm = 0; g->ctx[0].vt && sm < g->conf.num_sms; sm++) {
		u32 place[SM_CTA_PLACES];
		const u32 n = gpu_inactive_ctas(g, sm, place, SM_CTA_PLACES);
		for (u32 i = 0; i < n; i++)
			t.inactive += launch < 0 || g->sm[sm]->cta[place[i]].launch == (u32)launch;
	}
	for (u32 i = 0; g->resume.r->n && i < g->resume.max; i++) {
		const struct saved_cta *c = &g->resume.cta[i];
		if (c->state == SAVED_FREE || (launch >= 0 && c->launch != (u32)launch))
			continue;
		t.saved++;
		t.queued += c->state == SAVED_QUEUED;
		t.restarts += restarts(g, c);
	}
	return t;
}
