#include "sm/griddep.h"

#include "sm/internal.h"
#include "sm/virtual.h"

void griddep_issued(struct sm_ctx *x, struct sm *s, u32 w, const struct dyninst *d)
{
	struct warp *wp = &s->warp[w];
	struct cta *c = &s->cta[wp->cta_slot];
	if (d->in->mode) {
		if (griddep_holds(x, wp->launch))
			wp->fence = FENCE_GRIDS;
	} else if (c->let_go == LET_GO_NOT) {
		c->let_go = LET_GO_NEWS;
		s->stored = 1; /* heard of with the cycle's stores */
		s->let_go = 1;
	}
}

bool griddep_news(struct sm *s, u32 *at, u32 *launch)
{
	for (; *at < SM_CTA_PLACES; ++*at) {
		struct cta *c = &s->cta[*at];
		if (!c->used || c->let_go != LET_GO_NEWS)
			continue;
		c->let_go = LET_GO_COUNTED;
		*launch = c->launch;
		return true;
	}
	s->let_go = 0;
	return false;
}

u64 griddep_waiting(const struct sm *s, u64 warps)
{
	u64 out = 0;
	FOR_EACH_BIT(w, s->in[WS_FENCE] & warps)
	out |= s->warp[w].fence == FENCE_GRIDS ? BIT(w) : 0;
	return out;
}

static bool waits(const struct sm *s, u32 place, u32 launch)
{
	return s->warp[place].fence == FENCE_GRIDS && s->warp[place].launch == launch;
}

/* Warps without a slot. Those of an inactive CTA have one thing less under way (virtual.c), and may be ready. */
static bool open_away(struct sm_ctx *x, struct sm *s, u32 launch, u64 now)
{
	bool any = false;
	for (u32 word = 0; word < SM_AWAY_WORDS; word++)
		FOR_EACH_BIT(i, s->away[word])
		{
			const u32 place = sm_away_place(word, (u32)i);
			if (!waits(s, place, launch))
				continue;
			s->warp[place].fence = FENCE_NONE;
			any = true;
			if (x->vt)
				vt_written(x, s, place, now);
		}
	return any;
}

bool griddep_open(struct sm_ctx *x, struct sm *s, u32 launch, u64 now)
{
	bool any = false;
	const bool away = open_away(x, s, launch, now);
	FOR_EACH_BIT(w, s->used)
	{
		if (!waits(s, (u32)w, launch))
			continue;
		if (!any)
			sm_sync(x, s, now);
		any = true;
		s->warp[w].fence = FENCE_NONE;
		warp_refresh(x, s, (u32)w, now);
	}
	return any || away;
}
