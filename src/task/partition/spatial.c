/* spatial: each SM belongs to one kernel (Adriaens 2012, Smart; with preemption Park 2016, sections 4.2.1 and 4.4). The
 * SMs are split evenly, but no kernel gets more than its CTAs can fill while another could use them; what nobody needs
 * stays where it is, and goes to whoever has fewest when it is free. Kernels of a higher priority come before those of
 * a lower one. When a kernel begins or ends SMs change hands by preemption, those whose loss costs least; in between
 * only those change hands that a kernel has no CTAs on any more. The new owner's CTAs come when all of the old one's
 * have left. */
#include <string.h>

#include "task/partition/partition.h"
#include "task/partition/shares.h"

#define LOOK 64 /* cycles between two looks at SMs whose CTAs are being saved */

struct spatial {
	struct partition_known known;
	u32 owner[CONF_MAX_SMS]; /* launch + 1; 0: nobody */
};
_Static_assert(sizeof(struct spatial) <= PARTITION_STATE_MAX, "state");

void spatial_shares(u32 n, const u32 *need, u32 sms, u32 *share)
{
	memset(share, 0, n * sizeof *share);
	for (bool any = true; any && sms;) {
		any = false;
		for (u32 r = 0; r < n && sms; r++) /* one each in turn: an even split that stops where a need is met */
			if (share[r] < need[r]) {
				share[r]++;
				sms--;
				any = true;
			}
	}
}

/* --- what there is ------------------------------------------------------------------------------------------------ */

static u32 launch_of(const struct partition_view *v, u32 r)
{
	return v->d->k[v->d->order[r]].launch;
}

static u64 to_come(const struct partition_view *v, u32 r)
{
	const u32 slot = v->d->order[r];
	return v->d->k[slot].ctas - v->d->k[slot].dispatched + v->waiting[slot];
}

/* SMs that the kernel can fill; when nothing more comes, those that it is on. */
static u32 need_of(const struct partition_view *v, u32 r)
{
	const u64 left = to_come(v, r);
	u32 on = 0;
	for (u32 i = 0; i < v->num_sms; i++)
		on += sm_resident(v->sm[i], launch_of(v, r)) > 0;
	if (!left)
		return on;
	const u64 all = left + partition_resident(v, v->d->order[r]);
	return (u32)MIN(ceil_div(all, sm_occupancy(v->conf, v->launch[launch_of(v, r)], NULL)), v->num_sms);
}

static bool kept_away(const struct partition_view *v, u32 sm, u32 r)
{
	return v->d->away[sm] >> v->d->order[r] & 1;
}

struct turn {
	struct spatial *st;
	const struct partition_view *v;
	struct partition_plan *p;
	u32 need[DISPATCH_KERNELS], share[DISPATCH_KERNELS]; /* by place in the order */
	u32 had[DISPATCH_KERNELS], has[DISPATCH_KERNELS], leave[DISPATCH_KERNELS];
};

/* SMs without an owner: that has ended, or the user has taken the SM from it. */
static u32 count(struct turn *t)
{
	u32 free = 0;
	for (u32 i = 0; i < t->v->num_sms; i++) {
		u32 *owner = &t->st->owner[i], r = 0;
		while (r < t->v->d->n && launch_of(t->v, r) + 1 != *owner)
			r++;
		if (r == t->v->d->n || kept_away(t->v, i, r)) {
			*owner = 0;
			free++;
		} else {
			t->has[r]++;
		}
	}
	return free;
}

/* --- SMs change hands --------------------------------------------------------------------------------------------- */

static void give_up(struct turn *t, u32 sm, u32 r)
{
	t->st->owner[sm] = 0;
	t->has[r]--;
}

static bool owns(const struct turn *t, u32 sm, u32 r)
{
	return t->st->owner[sm] == launch_of(t->v, r) + 1;
}

/* The SMs whose loss costs a kernel least, n of its own if there are as many, perhaps with others: it may still have
 * CTAs on SMs that have changed hands. How many in all. */
static u32 cheapest(const struct turn *t, u32 r, u32 n, u64 *set)
{
	for (u32 ask = n;; ask++) {
		u32 own = 0;
		memset(set, 0, CONF_SM_WORDS * sizeof *set);
		const u32 got = t->v->pick(t->v, t->v->d->order[r], ask, set);
		for (u32 i = 0; i < t->v->num_sms; i++)
			own += set[i / 64] >> i % 64 & 1 && owns(t, i, r);
		if (own == n || got < ask)
			return got;
	}
}

/* From a kernel that has more than its share: first those that it is not on. How many. */
static u32 take_from(struct turn *t, u32 r, u32 most, bool preempts)
{
	u32 n = 0;
	for (u32 i = t->v->num_sms; i-- > 0 && n < most;)
		if (owns(t, i, r) && !sm_resident(t->v->sm[i], launch_of(t->v, r))) {
			give_up(t, i, r);
			n++;
		}
	u64 set[CONF_SM_WORDS];
	if (!preempts || n == most || !cheapest(t, r, most - n, set))
		return n;
	for (u32 i = 0; i < t->v->num_sms; i++)
		if (set[i / 64] >> i % 64 & 1 && owns(t, i, r)) {
			give_up(t, i, r);
			n++;
		}
	return n;
}

/* Who gets an SM: of those that lack some, the one that is there, then the one that lacks most; when nobody does, the
 * one that has fewest, of those with CTAs to come. */
static u32 taker(const struct turn *t, u32 sm)
{
	u32 best = DISPATCH_KERNELS;
	u64 most = 0;
	for (u32 r = 0; r < t->v->d->n; r++) {
		if (kept_away(t->v, sm, r))
			continue;
		u64 key = 0;
		if (t->has[r] < t->share[r])
			key = 1ull << 32 | (u64)sm_resident(t->v->sm[sm], launch_of(t->v, r)) << 16 | (t->share[r] - t->has[r]);
		else if (to_come(t->v, r))
			key = CONF_MAX_SMS + 1 - t->has[r];
		if (key > most) {
			best = r;
			most = key;
		}
	}
	return best;
}

static void give_to(struct turn *t, u32 sm, u32 r)
{
	t->st->owner[sm] = launch_of(t->v, r) + 1;
	t->has[r]++;
	t->p->taker[sm] = (u8)(t->v->d->order[r] + 1);
	for (u32 o = 0; o < t->v->d->n; o++) {
		const u32 there = o == r ? 0 : sm_resident(t->v->sm[sm], launch_of(t->v, o));
		t->leave[o] += there;
		if (there)
			t->p->keep[sm][t->v->d->order[o]] = 0;
	}
}

static void move(struct turn *t, u32 free, bool preempts)
{
	u32 lack = 0;
	for (u32 r = 0; r < t->v->d->n; r++)
		lack += t->share[r] > t->has[r] ? t->share[r] - t->has[r] : 0;
	for (u32 r = t->v->d->n; r-- > 0 && lack > free;)
		if (t->has[r] > t->share[r])
			free += take_from(t, r, MIN(t->has[r] - t->share[r], lack - free), preempts);
	for (u32 i = 0; i < t->v->num_sms; i++) {
		const u32 r = t->st->owner[i] ? DISPATCH_KERNELS : taker(t, i);
		if (r < DISPATCH_KERNELS)
			give_to(t, i, r);
	}
}

/* False: an SM waits for CTAs of others to leave. */
static bool set_quotas(const struct turn *t)
{
	bool all = true;
	for (u32 i = 0; i < t->v->num_sms; i++) {
		const u32 owner = t->st->owner[i];
		const bool empty = !owner || t->v->sm[i]->nctas == sm_resident(t->v->sm[i], owner - 1);
		all &= empty;
		for (u32 r = 0; r < t->v->d->n; r++)
			t->p->quota[i][t->v->d->order[r]] = !owner || (owner == launch_of(t->v, r) + 1 && empty) ? QUOTA_ANY : 0;
	}
	return all;
}

/* Kernels of the highest priority share what they can fill, those of the next what is left, and so on. */
static void divide(struct turn *t)
{
	u32 sms = t->v->num_sms;
	for (u32 r = 0, n; r < t->v->d->n; r += n) {
		n = partition_equals(t->v, r);
		spatial_shares(n, t->need + r, sms, t->share + r);
		for (u32 i = r; i < r + n; i++)
			sms -= t->share[i];
	}
}

static u64 plan(void *state, const struct partition_view *v, struct partition_plan *p)
{
	struct turn t = {.st = state, .v = v, .p = p};
	const bool news = partition_news(&t.st->known, v);
	const u32 n = v->d->n;
	for (u32 r = 0; r < n; r++) {
		t.need[r] = need_of(v, r);
		for (u32 i = 0; i < v->num_sms; i++)
			t.had[r] += t.st->owner[i] == launch_of(v, r) + 1;
	}
	const u32 free = count(&t);
	divide(&t);
	move(&t, free, news);
	for (u32 r = 0; r < n; r++)
		if (t.had[r] != t.has[r])
			partition_tell(v, v->d->order[r], t.had[r], t.has[r], t.leave[r]);
	return set_quotas(&t) ? NEVER : v->now + LOOK;
}

static void explain(const void *state, const struct partition_view *v, u32 slot, struct strbuf *out)
{
	const struct spatial *st = state;
	struct turn t = {.v = v};
	u32 own = 0, place = 0;
	for (u32 r = 0; r < v->d->n; r++) {
		t.need[r] = need_of(v, r);
		place = v->d->order[r] == slot ? r : place;
	}
	divide(&t);
	for (u32 i = 0; i < v->num_sms; i++)
		own += st->owner[i] == launch_of(v, place) + 1;
	strbuf_addf(out, "fills %u SMs, its even share is %u; it owns %u", t.need[place], t.share[place], own);
}

extern const struct partition_ops partition_spatial;
const struct partition_ops partition_spatial = {
    .name = "spatial",
    .help =
        "each SM belongs to one kernel, in even shares as far as a kernel can fill them; SMs change hands by preemption",
    .source = "Adriaens 2012 (Smart); Park 2016, sections 4.4 and 5.5.4",
    .each_cta = true,
    .preempts = true,
    .state_bytes = sizeof(struct spatial),
    .plan = plan,
    .explain = explain,
};
