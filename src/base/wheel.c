#include "base/wheel.h"

#define SLOT_MASK (WHEEL_SLOTS - 1)
#define BUSY_WORDS (WHEEL_SLOTS / 64)

void wheel_init(struct wheel *w, struct arena *a, u32 ntimers)
{
	w->st = ARENA_NEW(a, struct wheel_state, 1);
	w->node = ARENA_NEW(a, struct wheel_node, ntimers);
	w->n = ntimers;
}

void wheel_unlink(struct wheel *w, u32 t)
{
	struct wheel_node *n = &w->node[t];
	u32 s = (n->at - 1) & SLOT_MASK;
	if (w->st->slot[s].head == t + 1)
		w->st->slot[s].head = n->next;
	else
		w->node[n->prev - 1].next = n->next;
	if (n->next)
		w->node[n->next - 1].prev = n->prev;
	else
		w->st->slot[s].tail = w->st->slot[s].head ? n->prev : 0;
	if (!w->st->slot[s].head)
		w->st->busy[s / 64] &= ~BIT(s % 64);
	n->at = 0;
	n->next = 0;
}

/* The first timer of cycle `at`, or 0; timers of later turns may stand before it. */
static u32 first_of_cycle(const struct wheel *w, u64 at)
{
	u32 t = w->st->slot[at & SLOT_MASK].head;
	while (t && w->node[t - 1].at != at + 1)
		t = w->node[t - 1].next;
	return t;
}

/* The first cycle at or after `from`, within one turn, whose slot holds any timer; NEVER when the wheel is empty. */
static u64 next_busy(const struct wheel *w, u64 from)
{
	u32 s = from & SLOT_MASK;
	for (u32 i = 0; i <= BUSY_WORDS; i++) {
		u32 word = (s / 64 + i) % BUSY_WORDS;
		u64 m = w->st->busy[word];
		if (i == 0)
			m &= ~bit_range(s % 64);
		else if (i == BUSY_WORDS)
			m &= bit_range(s % 64);
		if (m)
			return from + ((word * 64 + bit_first(m) - s) & SLOT_MASK);
	}
	return NEVER;
}

/* All timers are more than a turn away. */
static u64 earliest_far(const struct wheel *w)
{
	u64 best = NEVER;
	for (u32 s = 0; s < WHEEL_SLOTS; s++)
		for (u32 t = w->st->slot[s].head; t; t = w->node[t - 1].next)
			best = MIN(best, w->node[t - 1].at - 1);
	return best;
}

u64 wheel_next(const struct wheel *w)
{
	u64 end = w->st->now + WHEEL_SLOTS, at = next_busy(w, w->st->now);
	if (at == NEVER)
		return NEVER;
	for (; at < end; at = next_busy(w, at + 1))
		if (first_of_cycle(w, at))
			return at;
	return earliest_far(w);
}

u32 wheel_pop_slow(struct wheel *w, u64 now)
{
	struct wheel_state *st = w->st;
	while (st->now <= now) {
		u32 t = first_of_cycle(w, st->now);
		if (t) {
			wheel_unlink(w, t - 1);
			return t - 1;
		}
		u64 next = wheel_next(w);
		st->now = MIN(next, now + 1);
	}
	return WHEEL_NONE;
}

static bool check_slot(const struct wheel *w, u32 s, struct err *e)
{
	u32 before = 0, n = 0;
	for (u32 t = w->st->slot[s].head; t; before = t, t = w->node[t - 1].next) {
		const struct wheel_node *node = &w->node[t - 1];
		HOLDS(n++ < w->n, "timing wheel: slot %u has no end", s);
		HOLDS(node->at && ((node->at - 1) & SLOT_MASK) == s && node->at - 1 >= w->st->now,
		      "timing wheel: timer %u of cycle %llu lies in slot %u at cycle %llu", t - 1,
		      (unsigned long long)node->at - 1, s, (unsigned long long)w->st->now);
		HOLDS(!before || node->prev == before, "timing wheel: timer %u does not know who is before it", t - 1);
	}
	HOLDS(w->st->slot[s].tail == before, "timing wheel: slot %u ends with timer %u, not %u", s, before - 1,
	      w->st->slot[s].tail - 1);
	HOLDS((w->st->busy[s / 64] >> s % 64 & 1) == (before != 0), "timing wheel: slot %u is%s marked busy", s,
	      before ? " not" : "");
	return true;
}

bool wheel_check(const struct wheel *w, struct err *e)
{
	for (u32 s = 0; s < WHEEL_SLOTS; s++)
		if (!check_slot(w, s, e))
			return false;
	return true;
}
