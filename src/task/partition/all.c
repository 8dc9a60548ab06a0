/* The list of partition policies, from all.def; and how they are asked. */
#include <string.h>

#include "task/partition/partition.h"

#define PARTITION(v) extern const struct partition_ops v;
#include "task/partition/all.def"
#undef PARTITION
_Static_assert(DISPATCH_KERNELS <= 16, "bits of owed");
const struct policy *const partition_policies[] = {
#define PARTITION(v) &v.policy,
#include "task/partition/all.def"
#undef PARTITION
    NULL};

const char *const partition_role_names[] = {"", "dedicated", "trial", "follower", "spatial"};

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

bool partition_news(struct partition_known *k, const struct partition_view *v)
{
	struct partition_known now = {.n = v->d->n};
	for (u32 r = 0; r < now.n; r++)
		now.launch[r] = v->d->k[v->d->order[r]].launch;
	const bool news = memcmp(&now, k, sizeof now) != 0;
	*k = now;
	return news;
}

u32 partition_resident(const struct partition_view *v, u32 slot)
{
	u32 n = 0;
	for (u32 i = 0; i < v->num_sms; i++)
		n += sm_resident(v->sm[i], v->d->k[slot].launch);
	return n;
}

bool partition_comes(const struct partition_view *v, u32 slot)
{
	return v->d->k[slot].dispatched < v->d->k[slot].ctas || v->waiting[slot];
}

u32 partition_equals(const struct partition_view *v, u32 r)
{
	u32 n = 1;
	while (r + n < v->d->n && v->launch[v->d->k[v->d->order[r + n]].launch]->priority ==
	                              v->launch[v->d->k[v->d->order[r]].launch]->priority)
		n++;
	return n;
}

bool partition_over(const struct partition_view *v, const struct partition_plan *p, u32 sm)
{
	for (u32 r = 0; r < v->d->n; r++) {
		const u32 slot = v->d->order[r];
		if (p->quota[sm][slot] != QUOTA_ANY && sm_resident(v->sm[sm], v->d->k[slot].launch) > p->quota[sm][slot])
			return true;
	}
	return false;
}

u32 partition_evict(const struct partition_view *v, struct partition_plan *p, u32 sm, u32 slot)
{
	const u32 there = sm_resident(v->sm[sm], v->d->k[slot].launch), quota = p->quota[sm][slot];
	if (quota == QUOTA_ANY || there <= quota)
		return 0;
	p->keep[sm][slot] = (u8)quota;
	return there - quota;
}

u32 partition_sms_of(const struct partition_view *v, u32 slot)
{
	u32 n = 0;
	for (u32 i = 0; i < v->num_sms; i++)
		n += v->d->quota[i][slot] != 0;
	return n;
}

void partition_tell(const struct partition_view *v, u32 slot, u32 before, u32 after, u32 leave)
{
	if (!event_wanted(v->ev, EV_REPARTITION))
		return;
	struct event *e = event_add(v->ev, EV_REPARTITION, v->now);
	e->kernel = (s32)v->d->k[slot].launch;
	e->arg[0] = before;
	e->arg[1] = after;
	e->arg[2] = leave;
}

static u32 pick(const struct partition_view *v, u32 slot, u32 n, u64 *set)
{
	return preempt_pick(v->preempt, v->d->k[slot].launch, n, v->now, set);
}

/* What is owed is asked for again, unless the policy itself asks for something or the quota is kept by now. */
static void ask_again(struct partition_ctx *x, u32 slot, u8 (*keep)[DISPATCH_KERNELS])
{
	const struct dispatch_ctx *dx = x->dispatch;
	for (u32 i = 0; i < dx->conf->num_sms; i++) {
		const u8 quota = dx->d->quota[i][slot];
		if (x->st->owed[i] >> slot & 1 && keep[i][slot] == KEEP_ALL && quota != QUOTA_ANY)
			keep[i][slot] = quota;
		x->st->owed[i] &= (u16)~BIT(slot);
	}
}

/* The SMs on which the kernel is to keep k CTAs and has more, into the set; those that cannot be asked now are owed. */
static bool to_ask(struct partition_ctx *x, u32 slot, u32 k, u8 (*keep)[DISPATCH_KERNELS], u64 *set)
{
	const u32 launch = x->dispatch->d->k[slot].launch;
	bool any = false;
	for (u32 i = 0; i < x->dispatch->conf->num_sms; i++) {
		if (keep[i][slot] != k || sm_resident(x->dispatch->sm[i], launch) <= k)
			continue;
		if (x->preempt->p->smst[i]) {
			if (x->ops->insists)
				x->st->owed[i] |= (u16)BIT(slot);
			continue;
		}
		set[i / 64] |= BIT(i % 64);
		any = true;
	}
	return any;
}

/* Whom the SMs of a request are for: the kernel that is to have all of them, or the other one of two. Launch + 1. */
static u32 whom(const struct dispatcher *d, u32 slot, const u64 *set, const u8 *taker)
{
	u32 one = 0;
	for (u32 i = 0; i < CONF_MAX_SMS; i++) {
		if (!(set[i / 64] >> i % 64 & 1))
			continue;
		if (!taker[i] || (one && one != taker[i])) {
			one = 0;
			break;
		}
		one = taker[i];
	}
	if (one)
		return d->k[one - 1].launch + 1;
	return d->n == 2 ? d->k[d->order[d->order[0] == slot]].launch + 1 : 0;
}

/* One request for each kernel and each number of CTAs that may stay. */
static void preempt(struct partition_ctx *x, u32 slot, u8 (*keep)[DISPATCH_KERNELS], const u8 *taker, u64 now)
{
	const struct conf *c = x->dispatch->conf;
	const u32 launch = x->dispatch->d->k[slot].launch;
	if (!x->preempt->ops->choose)
		return;
	ask_again(x, slot, keep);
	for (u32 k = 0; k <= SM_CTA_PLACES; k++) {
		u64 set[CONF_SM_WORDS] = {0};
		if (!to_ask(x, slot, k, keep, set))
			continue;
		const struct preempt_ask a = {.launch = launch,
		                              .set = set,
		                              .keep = k,
		                              .limit = (u64)(c->preempt_within * c->core_clock),
		                              .whom = whom(x->dispatch->d, slot, set, taker),
		                              .partition = true};
		if (preempt_request(x->preempt, &a, now, NULL) || !x->ops->insists || x->dispatch->launch[launch]->cooperative)
			continue;
		for (u32 i = 0; i < c->num_sms; i++) /* as many requests as can be are under way */
			x->st->owed[i] |= (u16)(set[i / 64] >> i % 64 & 1 ? BIT(slot) : 0);
	}
}

/* Kernels that must not be preempted: on an SM that they were to leave they keep the quota that they had, whatever the
 * policy decides. */
static void hold(struct partition_ctx *x, u8 (*keep)[DISPATCH_KERNELS], u8 (*before)[DISPATCH_KERNELS])
{
	const struct dispatch_ctx *dx = x->dispatch;
	for (u32 r = 0; r < dx->d->n; r++) {
		const u32 slot = dx->d->order[r], launch = dx->d->k[slot].launch;
		if (!preempt_forbids(x->preempt, x->preempt->ops, launch))
			continue;
		for (u32 i = 0; i < dx->conf->num_sms; i++)
			if (keep[i][slot] != KEEP_ALL && sm_resident(dx->sm[i], launch) > keep[i][slot]) {
				x->st->held[i][slot] = (u8)MIN(before[i][slot] + 1u, QUOTA_ANY);
				x->st->any_held = true;
			}
	}
}

/* Does a kernel still keep what it holds? Not if it has nothing more to place, or may be preempted by now. */
static bool holds(const struct partition_ctx *x, const struct partition_view *v, u32 slot)
{
	bool runs = false;
	for (u32 r = 0; r < v->d->n; r++)
		runs |= v->d->order[r] == slot;
	return runs && partition_comes(v, slot) &&
	       preempt_forbids(x->preempt, x->preempt->ops, x->dispatch->d->k[slot].launch);
}

/* What is held goes before the policy's quotas: an SM that was a kernel's own gets nobody else's CTAs. */
static void keep_held(struct partition_ctx *x, const struct partition_view *v)
{
	struct dispatcher *d = x->dispatch->d;
	x->st->any_held = false;
	for (u32 slot = 0; slot < DISPATCH_KERNELS; slot++) {
		const bool keeps = holds(x, v, slot);
		for (u32 i = 0; i < x->dispatch->conf->num_sms; i++) {
			u8 *held = &x->st->held[i][slot];
			if (!keeps || !*held || d->away[i] >> slot & 1 || d->quota[i][slot] == QUOTA_ANY ||
			    d->quota[i][slot] >= *held - 1u) {
				*held = 0;
				continue;
			}
			x->st->any_held = true;
			const bool own = *held == QUOTA_ANY;
			d->quota[i][slot] = own ? QUOTA_ANY : (u8)(*held - 1);
			for (u32 r = 0; r < d->n && own; r++)
				if (d->order[r] != slot && !x->st->held[i][d->order[r]])
					d->quota[i][d->order[r]] = 0;
		}
	}
}

/* Of kernels that have ended nothing is owed. */
static void forget_ended(struct partition_ctx *x)
{
	u64 running = 0;
	for (u32 r = 0; r < x->dispatch->d->n; r++)
		running |= BIT(x->dispatch->d->order[r]);
	for (u32 i = 0; i < x->dispatch->conf->num_sms; i++)
		x->st->owed[i] &= (u16)running;
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
	                           .now = now,
	                           .pick = pick,
	                           .preempt = x->preempt,
	                           .external = x->external,
	                           .ev = dx->ev};
	u8 keep[CONF_MAX_SMS][DISPATCH_KERNELS], taker[CONF_MAX_SMS] = {0};
	struct partition_plan p = {.quota = d->quota, .order = d->order, .keep = keep, .taker = taker};
	for (u32 r = 0; r < d->n && (x->ops->preempts || x->ops->each_cta); r++)
		v.waiting[d->order[r]] = resume_count(dx->resume, d->k[d->order[r]].launch);
	if (x->ops->preempts) {
		memset(keep, KEEP_ALL, sizeof keep);
		forget_ended(x);
	}
	for (u32 r = 0; r < d->n; r++)
		v.limit[d->order[r]] = dispatch_limit(dx, d->k[d->order[r]].launch, now);
	u8 before[CONF_MAX_SMS][DISPATCH_KERNELS];
	memcpy(before, d->quota, sizeof before);
	x->st->call_at = x->ops->plan(x->st->state, &v, &p);
	BUG_ON(x->st->call_at <= now);
	if (x->ops->preempts)
		hold(x, keep, before);
	if (x->st->any_held)
		keep_held(x, &v);
	if (event_wanted(dx->ev, EV_SM_QUOTA))
		tell(dx, before, now);
	if (x->watch) {
		if (!x->ops->preempts)
			memset(keep, KEEP_ALL, sizeof keep);
		x->watch->planned(x->watch, x->ops, x->st->state, &v, (const u8(*)[DISPATCH_KERNELS])before,
		                  (const u8(*)[DISPATCH_KERNELS])keep);
	}
	for (u32 r = 0; r < d->n && x->ops->preempts; r++)
		preempt(x, d->order[r], keep, taker, now);
	d->wanted = 1;
}

void partition_moved(void *ctx, u32 sm, u32 launch, u64 insts, bool came)
{
	struct partition_ctx *x = ctx;
	if (x->ops->moved)
		x->ops->moved(x->st->state, sm, launch, insts, came);
	if (!came && x->ops->each_cta)
		x->st->call_at = 0; /* one that has been taken off may be all its kernel has left: it needs an SM again */
}

void partition_begin(struct partition_ctx *x, u64 now)
{
	memset(x->st->state, 0, sizeof x->st->state);
	memset(x->st->owed, 0, sizeof x->st->owed);
	memset(x->st->held, 0, sizeof x->st->held);
	partition_ask(x, now);
}
