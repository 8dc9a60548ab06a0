#include "cta/dispatch.h"

#include <string.h>

#include "sm/griddep.h"
#include "sm/kernels/kernel_sched.h"
#include "sm/verbs.h"

static u32 most_by_view(const struct cta_view *v, u32 sm);

static struct cta_view view_of(const struct dispatch_ctx *x, u32 slot, u64 now)
{
	const struct cta_kernel *k = &x->d->k[slot];
	return (struct cta_view){.conf = x->conf,
	                         .launch = x->launch[k->launch],
	                         .sm = (const struct sm *const *)x->sm,
	                         .num_sms = x->conf->num_sms,
	                         .now = now,
	                         .dispatched = k->dispatched,
	                         .most_on = most_by_view,
	                         .dispatch = x,
	                         .slot = slot,
	                         .machine = x->d->machine,
	                         .ev = x->ev,
	                         .external = x->external};
}

s32 dispatch_slot(const struct dispatcher *d, u32 launch)
{
	for (u32 i = 0; i < d->n; i++)
		if (d->k[d->order[i]].launch == launch)
			return d->order[i];
	return -1;
}

/* --- kernels come and go ------------------------------------------------------------------------------------------ */

static u32 free_slot(const struct dispatcher *d)
{
	u32 slot = 0;
	while (d->k[slot].used)
		slot++;
	return slot;
}

/* Is it to be served before another one? */
static bool precedes(const struct launch *a, const struct launch *b)
{
	return a->priority != b->priority ? a->priority < b->priority : a->id < b->id;
}

void dispatch_kernel_start(struct dispatch_ctx *x, u32 launch, u64 now)
{
	struct dispatcher *d = x->d;
	u32 slot = free_slot(d), at = d->n++;
	for (; at && precedes(x->launch[launch], x->launch[d->k[d->order[at - 1]].launch]); at--)
		d->order[at] = d->order[at - 1];
	d->order[at] = (u8)slot;
	d->k[slot] = (struct cta_kernel){.ctas = x->launch[launch]->ctas, .call_at = NEVER, .launch = launch, .used = 1};
	for (u32 i = 0; i < x->conf->num_sms; i++)
		d->quota[i][slot] = QUOTA_ANY;
	memset(d->state[slot], 0, sizeof d->state[slot]);
	struct cta_view v = view_of(x, slot, now);
	if (x->sched->init)
		x->sched->init(d->state[slot], &v);
	if (x->sched->timer)
		d->k[slot].call_at = x->sched->timer(d->state[slot], &v);
	d->wanted = 1;
}

void dispatch_cta_done(struct dispatch_ctx *x, u32 sm, const struct cta *c, u64 now)
{
	s32 slot = dispatch_slot(x->d, c->launch);
	struct cta_view v = view_of(x, (u32)slot, now);
	if (x->sched->done)
		x->sched->done(x->d->state[slot], &v, sm, c);
	x->d->wanted = 1;
}

void dispatch_kernel_end(struct dispatch_ctx *x, u32 launch, u32 sm)
{
	struct dispatcher *d = x->d;
	u32 at = 0;
	if (x->conf->launch_first == LAUNCH_FIRST_ENDED)
		d->first = (sm + 1) % x->conf->num_sms;
	while (d->k[d->order[at]].launch != launch)
		at++;
	for (u32 i = 0; i < x->conf->num_sms; i++) {
		if (!d->away[i])
			continue;
		d->away[i] &= (u16) ~(1u << d->order[at]);
		if (!d->away[i] || d->taker[i] == launch + 1)
			dispatch_give(x, i);
	}
	d->k[d->order[at]] = (struct cta_kernel){.call_at = NEVER};
	for (d->n--; at < d->n; at++)
		d->order[at] = d->order[at + 1];
	d->order[d->n] = 0;
}

void dispatch_keep_away(struct dispatch_ctx *x, u32 launch, u32 sm)
{
	x->d->away[sm] |= (u16)(1u << dispatch_slot(x->d, launch));
}

void dispatch_let_back(struct dispatch_ctx *x, u32 launch, u32 sm)
{
	x->d->away[sm] &= (u16) ~(1u << dispatch_slot(x->d, launch));
	if (!x->d->away[sm])
		dispatch_give(x, sm);
	x->d->wanted = 1;
}

void dispatch_give(struct dispatch_ctx *x, u32 sm)
{
	x->d->away[sm] = 0;
	x->d->taker[sm] = 0;
	x->d->wanted = 1;
}

void dispatch_sched_begin(struct dispatch_ctx *x)
{
	memset(x->d->machine, 0, sizeof x->d->machine);
}

/* --- a cycle ------------------------------------------------------------------------------------------------------ */

/* The most CTAs of a kernel that the SM may hold: what fits an empty one, max_ctas_per_sm, and the quota. */
static u32 most_on(const struct dispatch_ctx *x, u32 sm, u32 slot)
{
	if (unlikely(x->d->away[sm] >> slot & 1))
		return 0;
	return MIN(x->d->quota[sm][slot], sm_occupancy(x->conf, x->launch[x->d->k[slot].launch], NULL));
}

static u32 most_by_view(const struct cta_view *v, u32 sm)
{
	return most_on(v->dispatch, sm, v->slot);
}

/* One more CTA of a launch that comes back? */
static bool may_come_back(const void *ctx, u32 sm, u32 launch)
{
	const struct dispatch_ctx *x = ctx;
	return sm_resident(x->sm[sm], launch) < most_on(x, sm, (u32)dispatch_slot(x->d, launch));
}

/* A CTA of the launch comes: the first kernel on an SM that is kept from another gives it back with its end. */
static void note_taker(struct dispatcher *d, u32 sm, u32 launch)
{
	if (unlikely(d->away[sm]) && !d->taker[sm])
		d->taker[sm] = launch + 1;
}

/* CTAs of a programmatic launch wait for a kernel, directly or not, that has CTAs on no SM: those may need its room. */
static bool waits_for_saved(const struct dispatch_ctx *x, u32 launch)
{
	for (u32 l = launch; x->grids[l].open; l = x->grids[l].before - 1)
		if (resume_count(x->resume, x->grids[l].before - 1))
			return true;
	return false;
}

/* For who looks on. */
static inline void told(const struct dispatch_ctx *x, u32 sm, u32 launch, enum offer_answer a, u64 cta)
{
	if (unlikely(x->watch != NULL))
		x->watch->told(x->watch, x, sm, launch, a, cta);
}

/* May the kernel in a slot have a CTA on the SM, as far as it is not its CTA scheduler's to say? */
static enum offer_answer may_have(const struct dispatch_ctx *x, u32 sm, u32 slot, u32 *most)
{
	const struct cta_kernel *k = &x->d->k[slot];
	if (k->dispatched == k->ctas)
		return OFFER_NONE_LEFT;
	if (!sm_has_room(&x->ctx[sm], x->sm[sm], x->launch[k->launch]))
		return OFFER_NO_ROOM;
	if (unlikely(x->resume->r->n) && waits_for_saved(x, k->launch))
		return OFFER_FOR_SAVED;
	*most = most_on(x, sm, slot);
	return sm_resident(x->sm[sm], k->launch) >= *most ? OFFER_MOST : OFFER_ASKED;
}

/* Offers one SM to the running kernels; true when one of them placed a CTA there. */
static bool offer(struct dispatch_ctx *x, u32 sm, u64 now)
{
	struct dispatcher *d = x->d;
	if (unlikely(x->resume->r->queued)) {
		const s32 back = resume_offer(x->resume, sm, may_come_back, x, now);
		if (back >= 0) {
			note_taker(d, sm, (u32)back);
			told(x, sm, (u32)back, OFFER_CAME_BACK, NO_CTA);
			return true;
		}
	}
	for (u32 r = 0; r < d->n; r++) {
		u32 slot = d->order[r];
		struct cta_kernel *k = &d->k[slot];
		struct cta_view v = view_of(x, slot, now);
		const enum offer_answer may = may_have(x, sm, slot, &v.most);
		told(x, sm, k->launch, may, NO_CTA);
		if (may != OFFER_ASKED)
			continue;
		u64 cta = x->sched->next(d->state[slot], &v, sm);
		told(x, sm, k->launch, cta == NO_CTA ? OFFER_DECLINED : OFFER_TAKEN, cta);
		if (cta == NO_CTA)
			continue;
		k->dispatched++;
		note_taker(d, sm, k->launch);
		resume_cta_came(x->resume, sm, sm_start_cta(&x->ctx[sm], x->sm[sm], k->launch, cta, now), now);
		return true;
	}
	return false;
}

/* CTAs of the launch on the SM that came before this one. */
static u32 came_before(const struct sm *s, u32 nctas, const struct cta *c)
{
	u32 n = 0;
	for (u32 i = 0; i < nctas; i++) {
		const struct cta *o = &s->cta[i];
		n += o->used && o->launch == c->launch && s->warp[bit_first(o->warps)].age < s->warp[bit_first(c->warps)].age;
	}
	return n;
}

/* A policy that pauses: those beyond its limit have the lowest priority, and no others. */
static void pause_beyond_limits(struct dispatch_ctx *x, u32 sm, u64 now)
{
	struct sm *s = x->sm[sm];
	for (u32 i = 0; s->nctas && i < x->conf->sm_ctas; i++) {
		const struct cta *c = &s->cta[i];
		if (!c->used || s->done_slots >> i & 1)
			continue;
		const u32 slot = (u32)dispatch_slot(x->d, c->launch);
		const struct cta_view v = view_of(x, slot, now);
		const bool low = came_before(s, x->conf->sm_ctas, c) >= x->sched->limit(x->d->state[slot], &v, sm);
		if (low != ((s->low & c->warps) != 0))
			sm_lower_cta(&x->ctx[sm], s, i, low, now);
	}
}

/* Of kernels without CTAs to come those CTAs that others wait for most. */
static void mark_last(struct dispatch_ctx *x)
{
	const struct dispatcher *d = x->d;
	u32 n = 0, launch[DISPATCH_KERNELS];
	for (u32 r = 0; d->n > 1 && r < d->n; r++) {
		const struct cta_kernel *k = &d->k[d->order[r]];
		if (k->dispatched == k->ctas && !resume_count(x->resume, k->launch))
			launch[n++] = k->launch;
	}
	for (u32 i = 0; i < x->conf->num_sms; i++)
		kernels_mark_last(&x->ctx[i], x->sm[i], launch, n);
}

static void call_timers(struct dispatch_ctx *x, u64 now)
{
	struct dispatcher *d = x->d;
	for (u32 r = 0; r < d->n; r++) {
		u32 slot = d->order[r];
		if (d->k[slot].call_at > now)
			continue;
		struct cta_view v = view_of(x, slot, now);
		d->k[slot].call_at = x->sched->timer(d->state[slot], &v);
		BUG_ON(d->k[slot].call_at <= now);
		d->wanted = 1;
	}
}

void dispatch_cycle(struct dispatch_ctx *x, u64 now, u64 *started)
{
	struct dispatcher *d = x->d;
	u32 n = x->conf->num_sms, first = d->first;
	bool any = false;
	if (x->sched->timer)
		call_timers(x, now);
	if (unlikely(resume_watches(x->resume)))
		d->wanted |= resume_look(x->resume, now, started);
	if (!d->wanted)
		return;
	for (u32 i = 0; x->sched->pauses && i < n; i++)
		pause_beyond_limits(x, i, now);
	for (u32 k = 0; k < n; k++) {
		u32 sm = (first + k) % n;
		if (!offer(x, sm, now))
			continue;
		any = true;
		started[sm / 64] |= BIT(sm % 64);
		d->first = (sm + 1) % n;
	}
	d->wanted = any;
	if (unlikely(x->last_first))
		mark_last(x);
}

u64 dispatch_next(const struct dispatch_ctx *x, u64 now)
{
	const struct dispatcher *d = x->d;
	u64 next = NEVER;
	if (d->wanted || resume_watches(x->resume))
		return now;
	for (u32 r = 0; r < d->n; r++)
		next = MIN(next, d->k[d->order[r]].call_at);
	return next;
}

u32 dispatch_sm_limit(const struct dispatch_ctx *x, u32 launch, u32 sm, u64 now)
{
	s32 slot = dispatch_slot(x->d, launch);
	if (slot < 0 || !x->sched->limit)
		return 0;
	struct cta_view v = view_of(x, (u32)slot, now);
	const u32 limit = x->sched->limit(x->d->state[slot], &v, sm);
	return limit == UINT32_MAX ? 0 : limit;
}

u32 dispatch_limit(const struct dispatch_ctx *x, u32 launch, u64 now)
{
	s32 slot = dispatch_slot(x->d, launch);
	u32 least = UINT32_MAX;
	if (slot < 0 || !x->sched->limit)
		return 0;
	struct cta_view v = view_of(x, (u32)slot, now);
	for (u32 i = 0; i < x->conf->num_sms; i++)
		least = MIN(least, x->sched->limit(x->d->state[slot], &v, i));
	return least == UINT32_MAX ? 0 : least;
}

void dispatch_describe(const struct dispatch_ctx *x, u32 launch, u64 now, struct strbuf *out)
{
	s32 slot = dispatch_slot(x->d, launch);
	if (slot < 0 || !x->sched->describe)
		return;
	struct cta_view v = view_of(x, (u32)slot, now);
	x->sched->describe(x->d->state[slot], &v, out);
}

void dispatch_explain(const struct dispatch_ctx *x, u32 launch, u32 sm, u64 now, struct strbuf *out)
{
	s32 slot = dispatch_slot(x->d, launch);
	if (slot < 0 || !x->sched->explain)
		return;
	struct cta_view v = view_of(x, (u32)slot, now);
	v.most = most_on(x, sm, (u32)slot);
	x->sched->explain(x->d->state[slot], &v, sm, out);
}

bool dispatch_share(const struct dispatch_ctx *x, u32 launch, u32 sm, u64 now, struct cta_share *out)
{
	s32 slot = dispatch_slot(x->d, launch);
	*out = (struct cta_share){.next = NO_CTA};
	if (slot < 0 || !x->sched->share)
		return false;
	struct cta_view v = view_of(x, (u32)slot, now);
	x->sched->share(x->d->state[slot], &v, sm, out);
	return true;
}

bool dispatch_check_state(const struct dispatcher *d, struct err *e)
{
	u32 used = 0, seen = 0, away = 0;
	for (u32 i = 0; i < DISPATCH_KERNELS; i++)
		used += d->k[i].used;
	HOLDS(used == d->n, "dispatcher: %u kernels run, %u slots are in use", d->n, used);
	for (u32 r = 0; r < d->n; r++) {
		u32 slot = d->order[r];
		const struct cta_kernel *k = &d->k[slot];
		HOLDS(slot < DISPATCH_KERNELS && k->used && !(seen >> slot & 1),
		      "dispatcher: slot %u, number %u of those that run, is free or has come before", slot, r);
		HOLDS(k->dispatched <= k->ctas, "dispatcher: launch %u: %llu of %llu CTAs dispatched", k->launch,
		      (unsigned long long)k->dispatched, (unsigned long long)k->ctas);
		seen |= 1u << slot;
	}
	for (u32 i = 0; i < CONF_MAX_SMS; i++)
		away |= d->away[i];
	HOLDS(!(away & ~seen), "dispatcher: slots %#x are kept away from SMs, %#x run", away, seen);
	return true;
}
