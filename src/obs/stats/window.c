#include "obs/stats/window.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MARKS_MAX 65536u /* 1.5 MiB; far more than WINDOW_STEPS_MAX */

/* Index of the first mark at or after a cycle. */
static u32 first_at(const struct window *w, u64 cycle)
{
	u32 lo = 0, hi = w->n;
	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;
		if (w->mark[mid].cycle < cycle)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static const struct mark *mark_at(const struct window *w, u64 cycle)
{
	u32 i = first_at(w, cycle);
	return i < w->n && w->mark[i].cycle == cycle ? &w->mark[i] : NULL;
}

_Static_assert(MARKS_MAX / 4 > WINDOW_STEPS_MAX,
               "a window that ends in the upper half begins behind the first quarter");

/* Drops a quarter, at the end that is farther from `cycle`, so that the marks of the window that ends there stay. What
 * was dropped is noted again when somebody goes there. */
static void make_room(struct window *w, u64 cycle)
{
	u32 quarter = w->n / 4;
	bool late = cycle >= w->mark[w->n / 2].cycle;
	w->n -= quarter;
	if (late)
		memmove(w->mark, w->mark + quarter, w->n * sizeof *w->mark);
}

void window_note(struct window *w, u64 cycle, struct totals t)
{
	BUG_ON(cycle % w->step);
	if (mark_at(w, cycle))
		return;
	if (w->n == MARKS_MAX)
		make_room(w, cycle);
	if (w->n == w->cap) {
		w->cap = MAX(2 * w->cap, 64u);
		w->mark = xrealloc(w->mark, w->cap * sizeof *w->mark);
	}
	u32 i = first_at(w, cycle);
	memmove(w->mark + i + 1, w->mark + i, (w->n - i) * sizeof *w->mark);
	w->mark[i] = (struct mark){cycle, t};
	w->n++;
}

bool window_value(const struct window *w, u64 cycle, double *value)
{
	*value = (double)NAN;
	if (cycle < w->span)
		return true;
	const struct mark *from = mark_at(w, cycle - w->span), *to = mark_at(w, cycle);
	if (!from || !to)
		return false;
	double num = to->t.num - from->t.num, den = to->t.den - from->t.den;
	if (!w->is_rate)
		*value = num;
	else if (den != 0)
		*value = num / den;
	return true;
}

bool window_ready(const struct window *w, u64 cycle)
{
	u64 last = cycle / w->step * w->step, first = last > w->span ? last - w->span : 0;
	u32 i = first_at(w, first), want = (u32)((last - first) / w->step) + 1;
	return i + want <= w->n && w->mark[i].cycle == first && w->mark[i + want - 1].cycle == last;
}

void window_fork(struct window *w, u64 cycle)
{
	w->n = cycle == NEVER ? w->n : first_at(w, cycle + 1);
}

void window_release(struct window *w)
{
	free(w->mark);
	*w = (struct window){0};
}
