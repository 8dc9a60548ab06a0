#include "sm/copies.h"

#include "sm/internal.h"

struct copies *copies_create(struct arena *a)
{
	return ARENA_NEW(a, struct copies, 1);
}

/* --- pools -------------------------------------------------------------------------------------------------------- */

static u32 batch_take(struct copies *c)
{
	u32 i = c->batch_free;
	if (i)
		c->batch_free = c->batch[i].next;
	else if (c->batches < SM_COPY_BATCHES)
		i = ++c->batches;
	return i;
}
static u32 arrival_take(struct copies *c)
{
	u32 i = c->arrival_free;
	if (i)
		c->arrival_free = c->arrival[i].next;
	else if (c->arrivals < SM_COPY_ARRIVALS)
		i = ++c->arrivals;
	return i;
}
static struct copies_arrive arrival_give(struct copies *c, u32 i)
{
	const struct copies_arrive what = c->arrival[i].what;
	c->arrival[i] = (struct copy_arrival){.next = c->arrival_free};
	c->arrival_free = (u8)i;
	return what;
}

/* --- arrivals ----------------------------------------------------------------------------------------------------- */

static void arrive(struct sm_ctx *x, struct sm *s, u32 w, const struct copies_arrive *a, u64 now)
{
	if (front_copies_arrive(x->front, s->id, w, now, a))
		mbarrier_phase(x, s, w, a->addr, a->pc, now);
	else if (unlikely(front_fault(x->front)->code != FAULT_NONE))
		s->faulted = 1;
}

static void arrivals_come(struct sm_ctx *x, struct sm *s, u32 w, struct copy_batch *b, u64 now)
{
	u32 at = b->arrivals;
	b->arrivals = 0;
	while (at) { /* a phase that ends wakes warps, which changes nothing here */
		const u32 next = x->copies->arrival[at].next;
		const struct copies_arrive what = arrival_give(x->copies, at);
		arrive(x, s, w, &what, now);
		at = next;
	}
}

static __attribute__((noinline)) void tell(struct sm_ctx *x, struct sm *s, u32 w, const struct copy_batch *b, u64 now)
{
	struct event *e = sm_event(x, s, EV_COPY_DONE, has_slot(w) ? (s32)w : -1, now);
	e->pc = b->pc;
	e->arg[0] = b->pc;
	e->arg[1] = b->bytes;
	e->arg[2] = now - b->since;
}

/* Batches that are done leave the list, in order. */
static void leave(struct sm_ctx *x, struct sm *s, u32 context, u64 now)
{
	struct copies *c = x->copies;
	for (u32 i = c->first[context]; i && !c->batch[i].left; i = c->first[context]) {
		if (event_wanted(x->ev, EV_COPY_DONE))
			tell(x, s, s->context[context].place, &c->batch[i], now);
		arrivals_come(x, s, s->context[context].place, &c->batch[i], now);
		c->first[context] = c->batch[i].next;
		if (!c->first[context])
			c->last[context] = 0;
		c->batch[i] = (struct copy_batch){.next = c->batch_free};
		c->batch_free = (u8)i;
	}
}

/* --- what the SM says --------------------------------------------------------------------------------------------- */

/* The batch that a copy of the context belongs to; 0: the pool is used up. */
static u32 open_batch(struct copies *c, u32 context, const struct dyninst *d, u64 now)
{
	const u32 last = c->last[context];
	if (last && !c->batch[last].closed)
		return last;
	const u32 i = batch_take(c);
	if (!i)
		return last;
	c->batch[i] = (struct copy_batch){.since = now, .pc = d->pc};
	if (last)
		c->batch[last].next = (u8)i;
	else
		c->first[context] = (u8)i;
	c->last[context] = (u8)i;
	return i;
}

void copies_issue(struct sm_ctx *x, struct sm *s, u32 w, u32 load, const struct dyninst *d, u64 now)
{
	struct copies *c = x->copies;
	const u32 i = open_batch(c, sm_context_of(s->warp[w].who), d, now);
	if (!i)
		return;
	c->of_load[load] = (u8)i;
	c->batch[i].left++;
	c->batch[i].bytes += bit_count32(d->mask) * d->bytes;
}

void copies_close(struct sm_ctx *x, struct sm *s, u32 w)
{
	const u32 last = x->copies->last[sm_context_of(s->warp[w].who)];
	if (last)
		x->copies->batch[last].closed = 1;
}

void copies_arrive(struct sm_ctx *x, struct sm *s, u32 w, const struct dyninst *d, u64 now)
{
	struct copies *c = x->copies;
	const u32 last = c->last[sm_context_of(s->warp[w].who)];
	copies_close(x, s, w);
	for (u32 left = d->mask; left;) { /* an arrival for each mbarrier that lanes name */
		const u64 addr = d->addr[bit_first(left)];
		u32 lanes = 0;
		FOR_EACH_BIT(l, left)
		lanes |= (u32)(d->addr[l] == addr) << l;
		left &= ~lanes;
		const struct copies_arrive what = {(u32)addr, lanes, d->copy_group, d->pc};
		const u32 i = last ? arrival_take(c) : 0;
		if (!i) {
			arrive(x, s, w, &what, now);
			continue;
		}
		c->arrival[i] = (struct copy_arrival){.what = what, .next = c->batch[last].arrivals};
		c->batch[last].arrivals = (u8)i;
	}
}

void copies_done(struct sm_ctx *x, struct sm *s, u32 load, u64 now)
{
	struct copies *c = x->copies;
	const u32 i = c->of_load[load];
	c->of_load[load] = 0;
	if (!--c->batch[i].left)
		leave(x, s, sm_context_of(s->load[load].who), now);
}

/* --- CTAs that leave ---------------------------------------------------------------------------------------------- */

void copies_land(struct sm_ctx *x, struct sm *s, u32 place, u64 now)
{
	struct copies *c = x->copies;
	const struct cta *cta = &s->cta[place];
	FOR_EACH_BIT(n, cta->warps)
	{
		const u32 w = sm_warp_base(cta) + (u32)n, context = sm_context_of(s->warp[w].who);
		for (u32 i = c->first[context]; i; i = c->batch[i].next)
			arrivals_come(x, s, w, &c->batch[i], now);
	}
}

void copies_forget(struct sm_ctx *x, struct sm *s, const u64 contexts[SM_CONTEXTS / 64])
{
	struct copies *c = x->copies;
	for (u32 k = 0; k < SM_CONTEXTS; k++) {
		if (!(contexts[k / 64] >> k % 64 & 1) || !c->first[k])
			continue;
		for (u32 l = 0; l < SM_MAX_LOADS; l++)
			if (s->load[l].left && sm_context_of(s->load[l].who) == k)
				c->of_load[l] = 0;
		for (u32 i = c->first[k], next; i; i = next) {
			next = c->batch[i].next;
			for (u32 at = c->batch[i].arrivals, then; at; at = then) {
				then = c->arrival[at].next;
				arrival_give(c, at);
			}
			c->batch[i] = (struct copy_batch){.next = c->batch_free};
			c->batch_free = (u8)i;
		}
		c->first[k] = c->last[k] = 0;
	}
}

/* --- what holds --------------------------------------------------------------------------------------------------- */

bool copies_check_state(const struct sm_ctx *x, const struct sm *s, struct err *e)
{
	const struct copies *c = x->copies;
	u32 left[SM_COPY_BATCHES + 1] = {0}, used = 0, free = 0;
	for (u32 l = 0; l < SM_MAX_LOADS; l++) {
		HOLDS(!c->of_load[l] || s->load[l].left, "SM %u: place %u of the load table is free, but of batch %u", s->id, l,
		      c->of_load[l]);
		left[c->of_load[l]] += c->of_load[l] != 0;
	}
	for (u32 k = 0; k < SM_CONTEXTS; k++) {
		u32 last = 0;
		for (u32 i = c->first[k]; i && used <= c->batches; last = i, i = c->batch[i].next, used++)
			HOLDS(c->batch[i].left == left[i] && (last || left[i]),
			      "SM %u: batch %u of context %u has %u copies, %u counted", s->id, i, k, left[i], c->batch[i].left);
		HOLDS(last == c->last[k], "SM %u: the last batch of context %u is %u, not %u", s->id, k, last, c->last[k]);
	}
	for (u32 i = c->batch_free; i && free <= c->batches; i = c->batch[i].next)
		free++;
	HOLDS(used + free == c->batches, "SM %u: %u batches of copies in use, %u free, of %u", s->id, used, free,
	      c->batches);
	return true;
}
