#include <stdio.h>
#include <string.h>

#include "gpu/look.h"
#include "gpu/state.h"

static bool is_candidate(const struct preempt_look *l, u32 sm)
{
	for (u32 i = 0; i < l->n; i++)
		if (l->sm[i].sm == sm)
			return true;
	return false;
}

/* The kernel's other SMs, and why they are not among the candidates. */
static void note_barred(struct preempt_look *l, const struct preempt_ctx *x, const struct preempt_ask *a)
{
	l->nbarred = 0;
	for (u32 i = 0; i < l->gpu->conf.num_sms; i++) {
		struct err e = {0};
		if (is_candidate(l, i) || !sm_resident(l->gpu->sm[i], a->launch))
			continue;
		l->barred[l->nbarred].sm = i;
		const char *why = preempt_may_ask(x, a, i, &e) ? (a->set ? "not named" : "its CTAs there are to stay") : e.msg;
		snprintf(l->barred[l->nbarred++].why, sizeof l->barred[0].why, "%.*s", (int)sizeof l->barred[0].why - 1, why);
	}
}

static void weighed(struct preempt_watch *w, const struct preempt_ctx *x, const struct preempt_ask *a, u32 request,
                    const struct preempt_sm *s, u32 n, const u32 *chosen, u32 want, u64 now)
{
	struct preempt_look *l = (struct preempt_look *)w;
	if (l->seen || (request && l->id && request != l->id))
		return;
	const bool known = request && l->picked && l->launch == a->launch && l->at == now;
	l->seen = request || !l->id;
	l->limit = a->limit;
	l->keep = a->keep;
	memset(l->asked, 0, sizeof l->asked);
	for (u32 i = 0; i < want; i++)
		l->asked[s[chosen[i]].sm / 64] |= BIT(s[chosen[i]].sm % 64);
	if (known)
		return;
	l->picked = !request && l->id;
	l->at = now;
	l->launch = a->launch;
	l->named = a->set;
	l->n = n;
	l->want = want;
	memcpy(l->sm, s, n * sizeof *s);
	memcpy(l->chosen, chosen, want * sizeof *chosen);
	for (u32 i = 0; i < n; i++)
		for (u32 t = 0; t < TECHNIQUES; t++)
			l->would[i][t] = preempt_sm_cost(&l->gpu->conf, &s[i], (enum technique)t);
	note_barred(l, x, a);
}

void gpu_look_preempt(struct gpu *g, struct preempt_look *look)
{
	if (look) {
		look->watch.weighed = weighed;
		look->gpu = g;
	}
	g->preempt.watch = look ? &look->watch : NULL;
}

void gpu_weigh_preempt(struct gpu *g, u32 launch, u32 sms, const u64 *set, u32 keep, u64 limit, const char *by)
{
	struct preempt_ask a = {.launch = launch, .sms = sms, .set = set, .keep = keep, .limit = limit};
	for (u32 i = 0; preempt_policies[i]; i++)
		if (!strcmp(preempt_policies[i]->name, by))
			a.by = (const struct preempt_ops *)preempt_policies[i];
	preempt_weigh(&g->preempt, &a, g->st->cycle);
}
