/* The list of partition policies, from all.def; and how they are asked. */
#include <string.h>

#include "task/partition/partition.h"

#define PARTITION(v) extern const struct partition_ops v;
#include "task/partition/all.def"
#undef PARTITION
const struct policy *const partition_policies[] = {
#define PARTITION(v) &v.policy,
#include "task/partition/all.def"
#undef PARTITION
    NULL};

void partition_ask(struct partition_ctx *x, u64 now)
{
	struct dispatch_ctx *dx = x->dispatch;
	struct dispatcher *d = dx->d;
	struct partition_view v = {.conf = dx->conf,
	                           .d = d,
	                           .launch = (const struct launch *const *)dx->launch,
	                           .sm = (const struct sm *const *)dx->sm,
	                           .num_sms = dx->conf->num_sms,
	                           .now = now};
	struct partition_plan p = {.quota = d->quota, .order = d->order};
	x->st->call_at = x->ops->plan(x->st->state, &v, &p);
	BUG_ON(x->st->call_at <= now);
	d->wanted = 1;
}

void partition_begin(struct partition_ctx *x, u64 now)
{
	memset(x->st->state, 0, sizeof x->st->state);
	partition_ask(x, now);
}
