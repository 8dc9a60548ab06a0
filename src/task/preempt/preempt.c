#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "task/preempt/preempt_internal.h"

#define PREEMPT_POLICY(v) extern const struct preempt_ops v;
#include "task/preempt/all.def"
#undef PREEMPT_POLICY
const struct policy *const preempt_policies[] = {
#define PREEMPT_POLICY(v) &v.policy,
#include "task/preempt/all.def"
#undef PREEMPT_POLICY
    NULL};
_Static_assert(PREEMPT_MAX_CTAS == SM_CTA_PLACES, "all CTAs of an SM");

const char *preempt_policy_list(void)
{
	static char list[128];
	size_t at = 0;
	if (!*list)
		for (u32 i = 0; preempt_policies[i]; i++)
			if (((const struct preempt_ops *)preempt_policies[i])->choose)
				at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", at ? ", " : "", preempt_policies[i]->name);
	return list;
}

/* --- build -------------------------------------------------------------------------------------------------------- */

size_t preempt_state_bytes(void)
{
	return sizeof(struct preempt) + 4096;
}

void preempt_create(struct preempt_ctx *x, struct arena *a)
{
	x->p = ARENA_NEW(a, struct preempt, 1);
	x->p->look_at = NEVER;
	x->scratch = xcalloc(x->dispatch->conf->num_sms, sizeof *x->scratch);
}

void preempt_free(struct preempt_ctx *x)
{
	free(x->scratch);
}

const struct preempt_request *preempt_find(const struct preempt *p, u32 id)
{
	const struct preempt_request *r = &p->request[id % PREEMPT_REQUESTS];
	return id && r->id == id ? r : NULL;
}

/* --- checks ------------------------------------------------------------------------------------------------------- */

/* Of a plan, what describes CTAs there are; the rest is zero. */
static u64 hash_plan(const struct preempt_plan *p, u64 hash)
{
	hash = hash_bytes(p, offsetof(struct preempt_plan, s.cta), hash);
	hash = hash_bytes(p->s.cta, p->s.n * sizeof p->s.cta[0], hash);
	return hash_bytes(p->fate, p->s.n * sizeof p->fate[0], hash);
}

u64 preempt_hash(const struct preempt_ctx *x)
{
	u64 hash = x->p->requests ? hash_bytes(x->p, offsetof(struct preempt, plan), 0) : 0;
	for (u32 i = 0; i < MIN(x->p->plans, (u32)PREEMPT_PLANS); i++)
		hash = hash_plan(&x->p->plan[i], hash);
	return hash;
}

/* Each request is in time, late, or open. */
static bool check_deadlines(const struct preempt_ctx *x, struct err *e)
{
	u64 open = 0, met = 0, missed = 0;
	for (u32 i = 0; i < PREEMPT_REQUESTS; i++)
		open += x->p->request[i].id && !x->p->request[i].told;
	for (u32 i = 0; i < x->task->nlaunches; i++) {
		met += x->task->kcb[i].k.deadlines_met;
		missed += x->task->kcb[i].k.deadlines_missed;
	}
	HOLDS(x->p->requests == met + missed + open, "%u requests for SMs, %llu in time, %llu late, %llu open",
	      x->p->requests, (unsigned long long)met, (unsigned long long)missed, (unsigned long long)open);
	return true;
}

bool preempt_check_state(const struct preempt_ctx *x, struct err *e)
{
	const struct preempt *p = x->p;
	u32 open = 0, left = 0;
	for (u32 i = 0; i < PREEMPT_REQUESTS; i++)
		left += p->request[i].left - p->request[i].held;
	for (u32 i = 0; i < CONF_MAX_SMS; i++) {
		if (!p->smst[i])
			continue;
		const struct preempt_plan *q = &p->plan[p->smst[i] - 1];
		const struct preempt_request *r = preempt_find(p, q->request);
		u32 there = 0;
		open++;
		for (u32 k = 0; k < q->s.n; k++)
			there += !q->fate[k].left_at;
		HOLDS(q->s.sm == i && !q->done_at && r && !r->done_at && q->left == there,
		      "SM %u: request %u is under way, with %u CTAs (%u) of SM %u", i, q->request, q->left, there, q->s.sm);
	}
	HOLDS(open == left, "requests wait for %u SMs, %u are being preempted", left, open);
	return check_deadlines(x, e);
}
