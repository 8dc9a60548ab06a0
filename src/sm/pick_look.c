#include "sm/pick_look.h"

#include <stdio.h>
#include <string.h>

const char *const pick_group_names[PICK_GROUPS] = {
    [GROUP_ALL] = "",
    [GROUP_URGENT] = "warps of CTAs that others wait for",
    [GROUP_KERNEL] = "warps of the kernel whose turn it is",
    [GROUP_OTHERS] = "warps of other kernels",
    [GROUP_LOWERED] = "warps of the lowest priority",
};

void pick_look_states(struct pick_look *l, const struct sm_ctx *x, const struct sm *s)
{
	l->used = s->used & x->sched_mask[l->scheduler];
	FOR_EACH_BIT(w, x->sched_mask[l->scheduler])
	l->state[w] = (u8)s->warp[w].state;
	FOR_EACH_BIT(w, l->used)
	{
		const struct warp *wp = &s->warp[w];
		l->launch[w] = wp->launch;
		l->cta[w] = s->cta[wp->cta_slot].id;
		l->pc[w] = wp->done ? PC_DONE : wp->pc;
	}
}

void pick_look_begin(struct pick_look *l, const struct sm_ctx *x, const struct sched_view *v, u64 ready)
{
	struct strbuf text = STRBUF_INIT;
	struct sched_view quiet = *v;
	quiet.ev = NULL;
	*l = (struct pick_look){.scheduler = v->index,
	                        .seen = true,
	                        .ordered = x->sched->explain,
	                        .cycle = v->now,
	                        .ready = ready,
	                        .picked = NO_WARP};
	pick_look_states(l, x, v->sm);
	FOR_EACH_BIT(w, ready)
	l->claim[w].round = PICK_NOT_SHOWN;
	if (x->sched->describe)
		x->sched->describe(x->sched_state[v->index], &quiet, NO_WARP, &text);
	snprintf(l->policy, sizeof l->policy, "%.*s", (int)sizeof l->policy - 1, strbuf_str(&text));
	strbuf_release(&text);
}

void pick_look_shown(struct pick_look *l, const struct sm_ctx *x, const struct sched_view *v, u64 shown,
                     enum pick_group group)
{
	struct strbuf text = STRBUF_INIT;
	struct sched_view quiet = *v; /* explaining is no decision */
	quiet.ev = NULL;
	BUG_ON(l->rounds == PICK_ROUNDS);
	FOR_EACH_BIT(w, shown)
	{
		struct pick_claim *c = &l->claim[w];
		c->round = (u8)l->rounds;
		strbuf_clear(&text);
		if (x->sched->explain)
			c->rank = x->sched->explain(x->sched_state[v->index], &quiet, shown, (u32)w, &text);
		else if (x->sched->describe)
			x->sched->describe(x->sched_state[v->index], &quiet, (u32)w, &text);
		snprintf(c->text, sizeof c->text, "%.*s", (int)sizeof c->text - 1, strbuf_str(&text));
	}
	l->round[l->rounds++] = (struct pick_round){group, shown};
	strbuf_release(&text);
}
