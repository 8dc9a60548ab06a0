#include "gpu/query_preempt.h"

#include "gpu/state.h"

_Static_assert(REQUEST_SMS_MAX == PREEMPT_PLANS, "all that are remembered");

static void tell_sm(const struct preempt_plan *p, struct request_sm *o)
{
	*o = (struct request_sm){.request = p->request,
	                         .launch = p->launch,
	                         .sm = p->s.sm,
	                         .ctas = p->s.n,
	                         .left = p->left,
	                         .technique = p->technique,
	                         .at = p->at,
	                         .done_at = p->done_at,
	                         .lost = p->lost,
	                         .cost = p->s.cost};
	for (u32 t = 0; t < TECHNIQUES; t++)
		o->would[t] = p->would[t];
}

static const struct preempt_plan *plan_at(const struct gpu *g, u32 sm)
{
	const struct preempt *p = g->preempt.p;
	return p->smst[sm] ? &p->plan[p->smst[sm] - 1] : NULL;
}

u32 gpu_requests(const struct gpu *g)
{
	return g->preempt.p->requests;
}

bool gpu_request(const struct gpu *g, u32 id, struct request_info *o)
{
	const struct preempt *p = g->preempt.p;
	const struct preempt_request *r = preempt_find(p, id);
	if (!r)
		return false;
	*o = (struct request_info){.id = r->id,
	                           .launch = r->launch,
	                           .sms = r->sms,
	                           .left = r->left,
	                           .held = r->held,
	                           .keep = r->keep,
	                           .whom = (s32)r->whom - 1,
	                           .partition = r->partition,
	                           .by = preempt_policies[r->by]->name,
	                           .at = r->at,
	                           .limit = r->limit,
	                           .done_at = r->done_at};
	for (u32 i = 0; i < PREEMPT_PLANS; i++)
		if (p->plan[i].request == id) {
			o->lost += p->plan[i].lost;
			o->ctas += p->plan[i].s.n;
		}
	return true;
}

u32 gpu_request_sms(const struct gpu *g, u32 id, struct request_sm *out, u32 max)
{
	const struct preempt *p = g->preempt.p;
	u32 n = 0;
	for (u32 i = 0; i < PREEMPT_PLANS; i++)
		if (p->plan[i].request && (!id || p->plan[i].request == id) && n++ < max)
			tell_sm(&p->plan[i], &out[n - 1]);
	return n;
}

u32 gpu_request_ctas(const struct gpu *g, u32 id, u32 sm, struct request_cta *out, u32 max)
{
	const struct preempt *p = g->preempt.p;
	u32 n = 0;
	for (u32 i = 0; id && i < PREEMPT_PLANS; i++) {
		const struct preempt_plan *q = &p->plan[i];
		for (u32 k = 0; q->request == id && q->s.sm == sm && k < q->s.n; k++) {
			const struct preempt_cta *a = &q->s.cta[k];
			if (n++ >= max)
				continue;
			out[n - 1] = (struct request_cta){.id = a->id,
			                                  .technique = a->technique,
			                                  .inactive = a->inactive,
			                                  .no_flush = preempt_cta_bar(a, BY_FLUSH),
			                                  .no_drain = preempt_cta_bar(a, BY_DRAIN),
			                                  .left_at = q->fate[k].left_at,
			                                  .lost = q->fate[k].lost};
			for (u32 t = 0; t < TECHNIQUES; t++)
				out[n - 1].by[t] = a->by[t];
		}
	}
	return n;
}

bool gpu_preempted(const struct gpu *g, u32 sm, struct request_sm *o)
{
	const struct preempt_plan *p = plan_at(g, sm);
	if (p)
		tell_sm(p, o);
	return p != NULL;
}

u32 gpu_leaves_by(const struct gpu *g, u32 sm, u32 place)
{
	const struct preempt_plan *p = plan_at(g, sm);
	const struct cta *c = &g->sm[sm]->cta[place];
	for (u32 i = 0; p && i < p->s.n; i++)
		if (!p->fate[i].left_at && c->launch == p->launch && c->id == p->s.cta[i].id)
			return p->s.cta[i].technique;
	return TECHNIQUES;
}

bool gpu_kept_away(const struct gpu *g, u32 sm, u32 launch)
{
	const s32 slot = dispatch_slot(g->dispatch.d, launch);
	return slot >= 0 && g->dispatch.d->away[sm] >> slot & 1;
}
