#include "obs/break/nth.h"

#include <stdlib.h>

/* Index of the first match counted at or after a cycle. */
static u32 first_at(const struct nth *x, u64 cycle)
{
	u32 lo = 0, hi = x->len;
	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;
		if (x->cycle[mid] < cycle)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void append(struct nth *x, u64 cycle)
{
	if (x->len == x->cap) {
		x->cap = MAX(2 * x->cap, 64u);
		x->cycle = xrealloc(x->cycle, x->cap * sizeof *x->cycle);
	}
	x->cycle[x->len++] = cycle;
}

bool nth_match(struct nth *x, u64 cycle)
{
	if (!x->n)
		return true;
	if (cycle < x->from)
		return false;
	x->in_cycle = cycle == x->at ? x->in_cycle + 1 : 0;
	x->at = cycle;
	u32 index = first_at(x, cycle) + x->in_cycle;
	bool is_new = index >= x->len && (!x->len || cycle >= x->cycle[x->len - 1]);
	if (is_new && x->len < x->n) /* behind the n-th there is nothing to know */
		append(x, cycle);
	return index + 1 == x->n && index < x->len && x->cycle[index] == cycle;
}

void nth_fork(struct nth *x, u64 cycle)
{
	x->len = first_at(x, cycle);
	x->at = NEVER;
}

void nth_rewound(struct nth *x)
{
	x->at = NEVER;
}

void nth_restart(struct nth *x, u64 cycle)
{
	x->from = cycle;
	x->len = 0;
	x->at = NEVER;
}

void nth_release(struct nth *x)
{
	free(x->cycle);
	*x = (struct nth){0};
}
