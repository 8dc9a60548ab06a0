/* Virtual threads: CTAs without a slot. They begin, begin again when they have been dropped, are taken off their SM,
 * and come back. What they have under way follows their warps by their contexts, as for CTAs that have left their SM
 * (verbs.h). So one that is taken off stays in its place until that has come: it gives back all else. */
#include <string.h>

#include "sm/griddep.h"
#include "sm/internal.h"
#include "sm/checks.h"
#include "sm/restartable.h"
#include "sm/verbs.h"
#include "sm/virtual_internal.h"

void vt_make_ready(struct sm_ctx *x, struct sm *s, u32 place, u64 now)
{
	struct vt *v = x->vt;
	struct vt_cta *c = &v->cta[place];
	if (event_wanted(x->ev, EV_VT_READY)) {
		struct event *e = cta_event(x, s, EV_VT_READY, place, now);
		e->arg[0] = now - c->since;
		e->arg[1] = v->ready;
	}
	c->state = VT_READY;
	c->order = v->orders++;
	c->since = now;
	v->ready++;
}

static const struct launch *launch_at(const struct sm_ctx *x, const struct sm *s, u32 place)
{
	return x->prog[s->cta[place].launch].launch;
}

/* A place, registers, shared memory and numbers for the CTA `from`, whose masks are by number of the warp. */
static u32 place_inactive(struct sm_ctx *x, struct sm *s, const struct cta *from, u64 now)
{
	const struct launch *l = x->prog[from->launch].launch;
	u32 place, word, index = 0;
	const bool placed = vt_find_place(s, &place) && vt_find_word(s, l->warps, &word);
	BUG_ON(!placed);
	sm_sync(x, s, now);
	struct cta *c = &s->cta[place];
	struct cta at = *from;
	const bool fits = sm_find_resources(x, s, l, &at);
	BUG_ON(!fits);
	at.used = at.inactive = 1;
	at.word = (u8)word;
	at.warps = vt_lowest_free(s->away[word], l->warps);
	*c = at;
	vt_number(x, s, place, VT_WAITING, now);
	s->away[word] |= c->warps;
	s->ctas_away[(place - SM_MAX_CTAS) / 64] |= BIT((place - SM_MAX_CTAS) % 64);
	s->regs_used += c->reg_size;
	s->shared_used += c->shared_size;
	x->vt->inactive++;
	FOR_EACH_BIT(i, c->warps)
	{
		const u32 w = sm_away_place(word, (u32)i);
		vt_map(x, s)->warp[w] = (u16)(x->vt->cta[place].first + index++);
		mem_warp_start(x->mem, s->id, w, c->launch, c->id);
		memset(x->big[w], 0, sizeof x->big[w]);
	}
	return place;
}

/* Its warps begin with the first instruction. */
static void begin_warps(struct sm_ctx *x, struct sm *s, u32 place, u64 now)
{
	const struct cta *c = &s->cta[place];
	const struct launch *l = launch_at(x, s, place);
	u32 index = 0;
	FOR_EACH_BIT(i, c->warps)
	{
		const u32 w = sm_away_place(c->word, (u32)i);
		s->warp[w] = (struct warp){.pc = l->fn->entry,
		                           .ib_end = l->fn->entry,
		                           .state = WS_NONE,
		                           .cta_slot = (u8)place,
		                           .who = context_take(s, w),
		                           .warp_in_cta = (u8)index++,
		                           .launch = c->launch,
		                           .age = s->ages++,
		                           .since = now,
		                           .started_at = now};
		memset(x->big[w], 0, sizeof x->big[w]);
	}
	front_cta_start(x->front, s->id, place, l, c->id, bit_range(l->warps));
	if (x->checks)
		checks_cta_start(x, s, place, false, now);
	if (x->restart)
		restart_cta_start(x, s, place, now);
}

u32 vt_start_inactive(struct sm_ctx *x, struct sm *s, u32 launch, u64 id, u64 now)
{
	const u32 place = place_inactive(
	    x, s, &(struct cta){.nwarps = (u8)x->prog[launch].launch->warps, .launch = launch, .id = id, .started_at = now},
	    now);
	if (event_wanted(x->ev, EV_CTA_DISPATCH))
		cta_event(x, s, EV_CTA_DISPATCH, place, now)->arg[1] = 0;
	begin_warps(x, s, place, now);
	vt_make_ready(x, s, place, now);
	return place;
}

void vt_begin_again(struct sm_ctx *x, struct sm *s, u32 place, u64 now)
{
	struct vt_cta *c = &x->vt->cta[place];
	BUG_ON(c->state != VT_WAITING && c->state != VT_READY);
	c->pending = 0;
	c->ending = 0;
	begin_warps(x, s, place, now);
	if (c->state == VT_WAITING)
		vt_make_ready(x, s, place, now);
}

void vt_take_off(struct sm_ctx *x, struct sm *s, u32 place)
{
	struct vt *v = x->vt;
	struct cta *c = &s->cta[place];
	BUG_ON(v->cta[place].state != VT_WAITING && v->cta[place].state != VT_READY);
	v->inactive--;
	v->ready -= v->cta[place].state == VT_READY;
	vt_give_back(x, s, place);
	s->regs_used -= c->reg_size;
	s->shared_used -= c->shared_size;
	c->inactive = 0;
}

u32 vt_restore_inactive(struct sm_ctx *x, struct sm *s, const struct sm_saved *in, const u8 *context, u64 now)
{
	const u32 place = place_inactive(x, s, &in->cta, now);
	struct cta *c = &s->cta[place];
	u32 n = 0, waiting = 0;
	c->ndone = 0;
	FOR_EACH_BIT(i, c->warps)
	{
		const u32 w = sm_away_place(c->word, (u32)i);
		struct warp *wp = &s->warp[w];
		*wp = in->warp[n++];
		wp->state = WS_NONE;
		wp->who = context_take(s, w);
		wp->cta_slot = (u8)place;
		wp->age = s->ages++;
		wp->since = now;
		/* All it had under way has been performed. */
		wp->fence = wp->fence == FENCE_GRIDS && griddep_holds(x, wp->launch) ? FENCE_GRIDS : FENCE_NONE;
		waiting += wp->fence != FENCE_NONE;
	}
	front_cta_restore(x->front, s->id, place, bit_range(c->nwarps), context);
	x->vt->cta[place].ending = c->exited == bit_range(c->nwarps); /* it gets slots only to end */
	x->vt->cta[place].pending = waiting;
	if (!waiting)
		vt_make_ready(x, s, place, now);
	return place;
}
