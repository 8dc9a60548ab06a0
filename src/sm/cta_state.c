#include "sm/cta_state.h"

#include "sm/virtual.h"

const struct cta_state_desc cta_state_descs[CS_COUNT] = {
#define C(id, name, undo, meaning) {name, undo, meaning},
#include "sm/cta_state.def"
#undef C
};

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

enum cta_state sm_cta_state(const struct sm_ctx *x, const struct sm *s, u32 place)
{
	const struct cta *c = &s->cta[place];
	if (!c->used)
		return CS_NONE;
	/* One with slots that is paused stays so when its swap is over: that says more. */
	const bool tells = x->vt && (c->inactive || c->halted_until != NEVER);
	const enum cta_state is = tells ? virtual_state(&x->vt->cta[place]) : CS_NONE;
	if (is != CS_NONE)
		return is;
	if (c->paused)
		return c->moving_until ? CS_MOVING : c->halted_until == NEVER ? CS_PAUSED : CS_HALTED;
	return s->low & c->warps ? CS_LOW : CS_RUNNING;
}

/* Its warps stopped when it did; one that had ended before says nothing. */
static u64 stopped_at(const struct sm *s, const struct cta *c)
{
	u64 since = NEVER;
	FOR_EACH_BIT(w, c->warps)
	if (s->warp[w].state == WS_PAUSED)
		since = MIN(since, s->warp[w].since);
	return since == NEVER ? c->started_at : since;
}

void sm_cta_standing(const struct sm_ctx *x, const struct sm *s, u32 place, struct cta_standing *o)
{
	const struct cta *c = &s->cta[place];
	*o = (struct cta_standing){.state = sm_cta_state(x, s, place), .since = c->started_at};
	switch (o->state) {
	case CS_NONE: o->since = 0; return;
	case CS_SWAP_IN:
	case CS_SWAP_OUT:
	case CS_INACTIVE:
	case CS_READY:
		o->since = x->vt->cta[place].since;
		o->until = o->state == CS_SWAP_IN || o->state == CS_SWAP_OUT ? x->vt->until : 0;
		return;
	case CS_MOVING:
	case CS_HALTED:
	case CS_PAUSED:
		o->since = stopped_at(s, c);
		o->until = c->halted_until == NEVER ? 0 : c->halted_until;
		return;
	default: return;
	}
}
