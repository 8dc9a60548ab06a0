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

/* What has changed, as events. */
static void tell(const struct dispatch_ctx *dx, u8 (*before)[DISPATCH_KERNELS], u64 now)
{
	const struct dispatcher *d = dx->d;
	for (u32 i = 0; i < dx->conf->num_sms; i++)
		for (u32 r = 0; r < d->n; r++) {
			const u32 slot = d->order[r];
			if (before[i][slot] == d->quota[i][slot])
				continue;
			struct event *e = event_add(dx->ev, EV_SM_QUOTA, now);
			e->sm = (s32)i;
			e->kernel = (s32)d->k[slot].launch;
			e->arg[0] = before[i][slot];
			e->arg[1] = d->quota[i][slot];
		}
}

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
	for (u32 r = 0; r < d->n; r++)
		v.limit[d->order[r]] = dispatch_limit(dx, d->k[d->order[r]].launch, now);
	u8 before[CONF_MAX_SMS][DISPATCH_KERNELS];
	const bool told = event_wanted(dx->ev, EV_SM_QUOTA);
	if (told)
		memcpy(before, d->quota, sizeof before);
	x->st->call_at = x->ops->plan(x->st->state, &v, &p);
	if (told)
		tell(dx, before, now);
	BUG_ON(x->st->call_at <= now);
	d->wanted = 1;
}

void partition_begin(struct partition_ctx *x, u64 now)
{
	memset(x->st->state, 0, sizeof x->st->state);
	partition_ask(x, now);
}
