#include <stdio.h>

#include "gpu/look.h"
#include "gpu/state.h"

static void begin_cycle(struct dispatch_look *l, u64 now)
{
	l->cycle = now;
	l->n = l->lost = 0;
	l->started = false;
}

static void note(struct dispatch_look *l, const struct dispatch_ctx *x, u32 sm, u32 launch, enum offer_answer a)
{
	struct strbuf text = STRBUF_INIT;
	struct dispatch_offer *o = &l->offer[l->n++];
	const s32 slot = dispatch_slot(x->d, launch);
	*o = (struct dispatch_offer){.sm = sm,
	                             .launch = launch,
	                             .answer = a,
	                             .cta = NO_CTA,
	                             .resident = sm_resident(x->sm[sm], launch),
	                             .quota = slot < 0 ? QUOTA_ANY : x->d->quota[sm][slot]};
	if (a == OFFER_NO_ROOM || a == OFFER_MOST)
		gpu_room(l->gpu, launch, sm, &o->room);
	if (a == OFFER_ASKED)
		dispatch_explain(x, launch, sm, l->cycle, &text);
	snprintf(o->text, sizeof o->text, "%.*s", (int)sizeof o->text - 1, strbuf_str(&text));
	strbuf_release(&text);
}

static void told(struct dispatch_watch *w, const struct dispatch_ctx *x, u32 sm, u32 launch, enum offer_answer a,
                 u64 cta)
{
	struct dispatch_look *l = (struct dispatch_look *)w;
	const u64 now = l->gpu->st->cycle;
	if (l->found && now != l->cycle)
		return;
	if (now != l->cycle || !(l->n || l->lost))
		begin_cycle(l, now);
	const bool answers = a == OFFER_DECLINED || a == OFFER_TAKEN; /* what was asked is there already */
	if (!answers && l->n == LOOK_OFFERS)
		l->lost++;
	else if (!answers)
		note(l, x, sm, launch, a);
	else if (!l->lost) {
		l->offer[l->n - 1].answer = a;
		l->offer[l->n - 1].cta = cta;
	}
	l->started |= a == OFFER_TAKEN;
	l->found |= l->keep && a == OFFER_TAKEN && (l->launch == UINT32_MAX || launch == l->launch) &&
	            (l->cta == NO_CTA || cta == l->cta) && (l->sm < 0 || sm == (u32)l->sm);
}

void gpu_look_dispatch(struct gpu *g, struct dispatch_look *look)
{
	if (look) {
		look->watch.told = told;
		look->gpu = g;
	}
	g->dispatch.watch = look ? &look->watch : NULL;
}

/* --- quotas ------------------------------------------------------------------------------------------------------- */

static void text_of(char *out, size_t n, struct strbuf *text)
{
	snprintf(out, n, "%.*s", (int)n - 1, strbuf_str(text));
	strbuf_release(text);
}

static void planned(struct partition_watch *w, const struct partition_ops *ops, const void *state,
                    const struct partition_view *v, const u8 (*before)[DISPATCH_KERNELS],
                    const u8 (*keep)[DISPATCH_KERNELS])
{
	struct partition_look *l = (struct partition_look *)w;
	bool changed = false;
	for (u32 i = 0; i < v->num_sms; i++)
		for (u32 r = 0; r < v->d->n; r++) {
			const u32 slot = v->d->order[r];
			changed |= before[i][slot] != v->d->quota[i][slot] || keep[i][slot] != KEEP_ALL;
		}
	if (l->changed && !changed)
		return;
	l->seen = true;
	l->changed = changed;
	l->cycle = v->now;
	l->n = v->d->n;
	for (u32 r = 0; r < l->n; r++) {
		struct look_kernel *k = &l->kernel[r];
		struct strbuf text = STRBUF_INIT;
		const u32 slot = v->d->order[r];
		k->launch = v->d->k[slot].launch;
		for (u32 i = 0; i < v->num_sms; i++) {
			k->before[i] = before[i][slot];
			k->after[i] = v->d->quota[i][slot];
			k->keep[i] = keep[i][slot];
		}
		if (ops->explain)
			ops->explain(state, v, slot, &text);
		text_of(k->text, sizeof k->text, &text);
	}
	struct strbuf all = STRBUF_INIT;
	if (ops->describe)
		ops->describe(state, v->conf, &all);
	text_of(l->policy, sizeof l->policy, &all);
}

void gpu_look_partition(struct gpu *g, struct partition_look *look)
{
	if (look) {
		look->watch.planned = planned;
		look->gpu = g;
	}
	g->partition.watch = look ? &look->watch : NULL;
}
