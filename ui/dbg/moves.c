#include "dbg/moves.h"

#include <stdlib.h>

#include "dbg/once.h"

/* The last of a kind. */
struct ring {
	struct event *e;
	u32 room;
	u64 n;     /* ever noted and not cut off */
	u64 first; /* the first that is kept */
};
struct moves {
	struct ring moved, lived;
	struct once once;
};

static const event_set lives = EVENT(EV_CTA_DISPATCH) | EVENT(EV_CTA_DONE);

struct moves *moves_new(void)
{
	return xcalloc(1, sizeof(struct moves));
}

void moves_free(struct moves *m)
{
	if (!m)
		return;
	free(m->moved.e);
	free(m->lived.e);
	free(m);
}

event_set moves_mask(void)
{
	return lives | EVENT(EV_CTA_SWAP_OUT) | EVENT(EV_CTA_SWAP_IN) | EVENT(EV_VT_READY) | EVENT(EV_CTA_DROP) |
	       EVENT(EV_CTA_SAVE) | EVENT(EV_CTA_RESTORE) | EVENT(EV_PREEMPT_CTA);
}

static struct event *at(const struct ring *r, u64 number)
{
	return &r->e[number % r->room];
}

static void add(struct ring *r, const struct event *ev)
{
	if (r->n == r->room && r->room < MOVES_MAX) { /* it is full for the first time: nothing is forgotten yet */
		r->room = MAX(r->room * 2, 256u);
		r->e = xrealloc(r->e, r->room * sizeof *r->e);
	}
	*at(r, r->n++) = *ev;
	r->first = MAX(r->first, r->n > r->room ? r->n - r->room : 0);
}

void moves_event(struct moves *m, const struct event *ev)
{
	if (once_take(&m->once, ev->cycle))
		add(event_in(lives, ev->type) ? &m->lived : &m->moved, ev);
}

static u64 behind(const struct ring *r, u64 now) /* the number behind the last one before a cycle */
{
	u64 lo = r->first, hi = r->n;
	while (lo < hi) {
		const u64 mid = lo + (hi - lo) / 2;
		if (at(r, mid)->cycle < now)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

void moves_forked(struct moves *m, u64 now)
{
	once_forked(&m->once, now);
	m->moved.n = behind(&m->moved, now);
	m->lived.n = behind(&m->lived, now);
}

void moves_moved(struct moves *m)
{
	once_moved(&m->once);
}

void moves_restarted(struct moves *m)
{
	m->moved.n = m->moved.first = m->lived.n = m->lived.first = 0;
	m->once = (struct once){0};
}

struct walker {
	void (*fn)(void *ctx, const struct event *ev);
	void *ctx;
};

/* Those of a cycle from a number on, all or of one type. The number behind them. */
static u64 walk_cycle(const struct walker *w, const struct ring *r, u64 from, u64 end, u64 cycle, int type)
{
	for (; from < end && at(r, from)->cycle == cycle; from++)
		if (type < 0 || at(r, from)->type == (u32)type)
			w->fn(w->ctx, at(r, from));
	return from;
}

/* Within a cycle a CTA begins before it moves, and ends behind it. */
void moves_walk(const struct moves *m, u64 now, void (*fn)(void *ctx, const struct event *ev), void *ctx)
{
	const struct walker w = {fn, ctx};
	const u64 lives_end = behind(&m->lived, now), moves_end = behind(&m->moved, now);
	for (u64 l = m->lived.first, k = m->moved.first; l < lives_end || k < moves_end;) {
		const u64 life = l < lives_end ? at(&m->lived, l)->cycle : NEVER;
		const u64 cycle = k < moves_end ? MIN(life, at(&m->moved, k)->cycle) : life;
		walk_cycle(&w, &m->lived, l, lives_end, cycle, EV_CTA_DISPATCH);
		k = walk_cycle(&w, &m->moved, k, moves_end, cycle, -1);
		l = walk_cycle(&w, &m->lived, l, lives_end, cycle, EV_CTA_DONE);
	}
}

const struct event *moves_last_swap(const struct moves *m, u64 now, u32 sm)
{
	for (u64 i = behind(&m->moved, now); i-- > m->moved.first;) {
		const struct event *ev = at(&m->moved, i);
		if (ev->type == EV_CTA_SWAP_OUT && ev->sm == (s32)sm)
			return ev;
	}
	return NULL;
}

bool moves_forgotten(const struct moves *m)
{
	return m->moved.first || m->lived.first;
}
