/* The ops behind every external warp scheduler: asks, checks the answer, keeps the first error. */
#include "sm/sched/external.h"

/* The policy to ask: none before it is registered, nor after it failed. */
static struct external_warp_sched *policy_of(const struct sched_view *v)
{
	return v->external && !v->external->failure.set ? v->external : NULL;
}

static void say_where(struct external_warp_sched *p, const struct sched_view *v)
{
	if (p->failure.set)
		err_prefix(&p->failure, "%s, SM %u, scheduler %u, cycle %llu: ", v->conf->warp_sched, v->sm->id, v->index,
		           (unsigned long long)v->now);
}

static u32 pick(void *state, const struct sched_view *v, u64 ready)
{
	struct external_sched_state *st = state;
	struct external_warp_sched *p = policy_of(v);
	if (!p)
		return NO_WARP;
	u32 w = p->pick(p->ctx, st, v, ready, &p->failure);
	if (!p->failure.set && w != NO_WARP && (w >= WARP_SLOTS || !(ready >> w & 1)))
		err_set(&p->failure, "the policy picked warp %u, which is not ready", w);
	if (unlikely(p->failure.set)) {
		say_where(p, v);
		return NO_WARP;
	}
	if (w != NO_WARP)
		st->last = w + 1;
	return w;
}

static void issued(void *state, const struct sched_view *v, u32 warp, const struct issue_info *info)
{
	struct external_warp_sched *p = policy_of(v);
	if (!p || !p->issued)
		return;
	p->issued(p->ctx, state, v, warp, info, &p->failure);
	say_where(p, v);
}

static void warps_started(void *state, const struct sched_view *v, u64 warps)
{
	struct external_warp_sched *p = policy_of(v);
	if (!p || !p->warps_started || !warps)
		return;
	p->warps_started(p->ctx, state, v, warps, &p->failure);
	say_where(p, v);
}

static void warps_gone(void *state, const struct sched_view *v, u64 warps)
{
	struct external_sched_state *st = state;
	struct external_warp_sched *p = policy_of(v);
	if (st->last && (warps >> (st->last - 1) & 1))
		st->last = 0;
	if (!p || !p->warps_gone || !warps)
		return;
	p->warps_gone(p->ctx, st, v, warps, &p->failure);
	say_where(p, v);
}

static s64 explain(const void *state, const struct sched_view *v, u64 ready, u32 warp, struct strbuf *out)
{
	const struct external_sched_state *st = state;
	struct external_warp_sched *p = policy_of(v);
	if (p && p->explain)
		return p->explain(p->ctx, st, v, ready, warp, out);
	strbuf_adds(out, "the policy has no explain()");
	return PICK_UNKNOWN;
}

const struct warp_sched_ops sched_external = {
    .name = "external",
    .help = "a policy from outside the library",
    .source = "the user's file",
    .state_bytes = sizeof(struct external_sched_state),
    .pick = pick,
    .issued = issued,
    .warps_started = warps_started,
    .warps_gone = warps_gone,
    .explain = explain,
};
