/* wheel: a timing wheel of timers in one clock, kept in the state arena.
 *
 * Every timer is a small integer (0..n-1) that the owner gives out when the machine is built. So nothing is allocated
 * while the machine runs, and a timer may be moved or cancelled at any time in O(1). A slot holds one cycle. A timer
 * further away than the wheel is long stays in its slot for another turn, so there is no limit on the distance. Timers
 * of one cycle fire in the order in which they were set: the order is a pure function of the calls. */
#ifndef BASE_WHEEL_H
#define BASE_WHEEL_H
#include "base/arena.h"
#include "base/base.h"
#include "base/bits.h"

/* A power of two; longer than the usual memory latency, small enough for the host's L1 cache. */
#define WHEEL_SLOTS 512
#define WHEEL_NONE UINT32_MAX

struct wheel_node {
	u64 at;         /* cycle + 1; 0 = not set, so that fresh arena memory is a wheel of idle timers */
	u32 next, prev; /* timer + 1; next 0 = none; prev is meaningful behind the slot's head only */
};
struct wheel_state {
	u64 now; /* every timer before it has fired */
	u64 busy[WHEEL_SLOTS / 64];
	struct {
		u32 head, tail; /* timer + 1 */
	} slot[WHEEL_SLOTS];
};
/* Constant after wheel_init; both parts live in the arena. */
struct wheel {
	struct wheel_state *st;
	struct wheel_node *node;
	u32 n;
};

void wheel_init(struct wheel *w, struct arena *a, u32 ntimers);
/* Takes a timer that is set out of its slot. */
void wheel_unlink(struct wheel *w, u32 t);
/* Sets timer `t` to cycle `at`, moving it when it was set; a cycle already over means the current one. */
static inline void wheel_set(struct wheel *w, u32 t, u64 at)
{
	struct wheel_node *n = &w->node[t];
	struct wheel_state *st = w->st;
	if (at < st->now)
		at = st->now;
	if (n->at)
		wheel_unlink(w, t);
	u32 s = at & (WHEEL_SLOTS - 1), tail = st->slot[s].tail;
	n->at = at + 1;
	n->prev = tail;
	st->slot[s].tail = t + 1;
	if (tail) {
		w->node[tail - 1].next = t + 1;
	} else {
		st->slot[s].head = t + 1;
		st->busy[s / 64] |= BIT(s % 64);
	}
}
static inline void wheel_cancel(struct wheel *w, u32 t)
{
	if (w->node[t].at)
		wheel_unlink(w, t);
}
/* The cycle a timer is set to; NEVER when it is not set. */
static inline u64 wheel_at(const struct wheel *w, u32 t)
{
	return w->node[t].at - 1;
}
/* The first timer of the current cycle that does not stand at its slot's head, or the first of a later cycle up to
 * `now`. */
u32 wheel_pop_slow(struct wheel *w, u64 now);
/* Takes the timer at the head of slot s, which is `t`. */
static inline void wheel_take_head(struct wheel *w, u32 s, u32 t)
{
	struct wheel_node *n = &w->node[t];
	w->st->slot[s].head = n->next;
	if (!n->next) {
		w->st->slot[s].tail = 0;
		w->st->busy[s / 64] &= ~BIT(s % 64);
	}
	n->at = 0;
	n->next = 0;
}
/* Takes the next timer due at or before `now`; WHEEL_NONE when there is none (then the current cycle is now + 1). The
 * cycle that the timer was due in is then the current one: wheel_now(). */
static inline u32 wheel_pop(struct wheel *w, u64 now)
{
	u64 at = w->st->now;
	u32 s = at & (WHEEL_SLOTS - 1), head = w->st->slot[s].head;
	if (at > now || !head || w->node[head - 1].at != at + 1)
		return at > now ? WHEEL_NONE : wheel_pop_slow(w, now);
	wheel_take_head(w, s, head - 1);
	return head - 1;
}
/* The timer that stands first in the current cycle's slot, for prefetching; WHEEL_NONE when the slot is empty. */
static inline u32 wheel_head(const struct wheel *w)
{
	return w->st->slot[w->st->now & (WHEEL_SLOTS - 1)].head - 1;
}
static inline u64 wheel_now(const struct wheel *w)
{
	return w->st->now;
}
/* The cycle of the earliest timer; NEVER when none is set. */
u64 wheel_next(const struct wheel *w);
/* Are its lists whole, its busy slots those with timers, and is no timer overdue? */
bool wheel_check(const struct wheel *w, struct err *e);
#endif
