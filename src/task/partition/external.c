/* The ops behind every external partition policy: asks, checks the answer, keeps the first error. */
#include "task/partition/external.h"

_Static_assert(sizeof(struct external_partition_state) <= PARTITION_STATE_MAX, "the state fits its place");

static u64 plan(void *state, const struct partition_view *v, struct partition_plan *p)
{
	struct external_partition *x = v->external;
	if (!x || x->failure.set)
		return NEVER;
	const u64 next = x->plan(x->ctx, state, v, p, &x->failure);
	if (!x->failure.set && next <= v->now)
		err_set(&x->failure, "the policy wants to be asked again at cycle %llu", (unsigned long long)next);
	if (!x->failure.set)
		return next;
	err_prefix(&x->failure, "%s, cycle %llu: ", v->conf->partition, (unsigned long long)v->now);
	return NEVER;
}

static void explain(const void *state, const struct partition_view *v, u32 slot, struct strbuf *out)
{
	struct external_partition *x = v->external;
	if (x && x->explain)
		x->explain(x->ctx, state, v, slot, out);
	else
		strbuf_adds(out, "the policy has no explain()");
}

const struct partition_ops partition_external = {
    .name = "external",
    .help = "a policy from outside the library",
    .source = "the user's file",
    .each_cta = true,
    .preempts = true,
    .state_bytes = sizeof(struct external_partition_state),
    .plan = plan,
    .explain = explain,
};
