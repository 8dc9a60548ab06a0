/* The ops behind every external CTA scheduler: asks, checks the answer, keeps the first error. */
#include "cta/sched/external.h"

_Static_assert(sizeof(struct external_cta_state) <= CTA_SCHED_STATE_MAX, "the state fits its place");

static struct external_cta_sched *policy_of(const struct cta_view *v)
{
	return v->external && !v->external->failure.set ? v->external : NULL;
}

static void say_where(struct external_cta_sched *p, const struct cta_view *v)
{
	if (p->failure.set)
		err_prefix(&p->failure, "%s, kernel %u (%s), cycle %llu: ", v->conf->cta_sched, v->launch->id,
		           func_label(v->launch->fn), (unsigned long long)v->now);
}

static void init(void *state, const struct cta_view *v)
{
	struct external_cta_sched *p = policy_of(v);
	if (!p || !p->init)
		return;
	p->init(p->ctx, state, v, &p->failure);
	say_where(p, v);
}

static bool check(const struct external_cta_state *st, const struct cta_view *v, u64 id, struct err *e)
{
	unsigned long long i = id;
	if (id >= v->launch->ctas)
		return err_set(e, "the policy chose CTA %llu of %llu", i, (unsigned long long)v->launch->ctas);
	if (external_cta_gone(st, id))
		return err_set(e, "the policy chose CTA %llu, which has been dispatched", i);
	return id < st->first + EXTERNAL_CTA_WINDOW ||
	       err_set(e, "the policy chose CTA %llu, %d or more beyond %llu, the first not dispatched", i,
	               EXTERNAL_CTA_WINDOW, (unsigned long long)st->first);
}

static void mark(struct external_cta_state *st, u64 id)
{
	u64 bit = id % EXTERNAL_CTA_WINDOW;
	st->gone[bit / 64] |= BIT(bit % 64);
	while (external_cta_gone(st, st->first)) {
		bit = st->first++ % EXTERNAL_CTA_WINDOW;
		st->gone[bit / 64] &= ~BIT(bit % 64);
	}
}

static u64 next(void *state, const struct cta_view *v, u32 sm)
{
	struct external_cta_state *st = state;
	struct external_cta_sched *p = policy_of(v);
	if (!p)
		return NO_CTA;
	u64 id = p->next(p->ctx, st, v, sm, &p->failure);
	if (p->failure.set || (id != NO_CTA && !check(st, v, id, &p->failure))) {
		say_where(p, v);
		return NO_CTA;
	}
	if (id != NO_CTA)
		mark(st, id);
	return id;
}

static void done(void *state, const struct cta_view *v, u32 sm, const struct cta *c)
{
	struct external_cta_sched *p = policy_of(v);
	if (!p || !p->done)
		return;
	p->done(p->ctx, state, v, sm, c, &p->failure);
	say_where(p, v);
}

static void explain(const void *state, const struct cta_view *v, u32 sm, struct strbuf *out)
{
	struct external_cta_sched *p = policy_of(v);
	if (p && p->explain)
		p->explain(p->ctx, state, v, sm, out);
	else
		strbuf_adds(out, "the policy has no explain()");
}

const struct cta_sched_ops cta_sched_external = {
    .name = "external",
    .help = "a policy from outside the library",
    .source = "the user's file",
    .state_bytes = sizeof(struct external_cta_state),
    .init = init,
    .next = next,
    .done = done,
    .explain = explain,
};
