/* Independent thread scheduling; see splits.h. */
#include "front/ptx/executor/splits.h"

#include <string.h>

static struct splits *splits_of(const struct exec *x)
{
	return &x->f->splits[x->sm * x->f->nwarps + x->warp];
}

/* The wait of all lanes that are at this join begins anew. */
void splits_arrive(struct exec *x)
{
	const struct warp *w = x->w;
	u32 above = w->mask, idle = splits_of(x)->idle & ~w->mask;
	for (u32 d = w->depth; d-- > 0;) {
		const struct simt *e = simt_entry(x, d);
		if (e->pc == w->reconv && !(w->mask & ~e->mask)) {
			idle &= ~(e->mask & ~above);
			break;
		}
		above |= e->mask;
	}
	splits_of(x)->idle = idle;
}

/* --- sleep -------------------------------------------------------------------------------------------------------- */

static u64 wakes(const struct exec *x, u32 lanes)
{
	return splits_wake(x->f, x->sm, x->warp, lanes);
}

/* Lanes sleep, not the warp. */
static void lie_down(struct exec *x)
{
	struct splits *s = splits_of(x);
	if (!(x->w->uneasy & UNEASY_ASLEEP))
		memset(s->wake, 0, sizeof s->wake);
	x->w->uneasy |= UNEASY_ASLEEP;
	x->out->flags &= ~(u32)DYN_SLEEP;
	const u64 cycles = (u64)(MIN(x->out->sleep_ns, SLEEP_NS_MAX) / x->f->ns_per_cycle);
	for (u32 left = x->mask; left; left &= left - 1)
		s->wake[first_lane(left)] = x->cycle + MAX(cycles, 1);
}

/* --- whose turn it is --------------------------------------------------------------------------------------------- */

struct chosen {
	u32 lanes;  /* none: nobody */
	bool waits; /* at a join: they go on alone */
};

/* The next of the lanes `among` that can run, round robin behind the top's; those at joins only if `joins`. */
static struct chosen choose(const struct exec *x, u32 among, bool joins)
{
	const struct warp *w = x->w;
	const u32 from = first_lane(w->mask) + 1;
	struct chosen best = {0};
	u32 above = w->mask, nearest = LANES;
	for (u32 d = w->depth; d-- > 0;) {
		const u32 mask = simt_entry(x, d)->mask, here = mask & ~above & ~w->waits;
		const bool path = !(mask & above);
		above |= mask;
		if (!(here & among) || (!path && !joins) || wakes(x, here) > x->cycle)
			continue;
		const u32 distance = (first_lane(here) - from) % LANES;
		if (distance < nearest) {
			best = (struct chosen){here, !path};
			nearest = distance;
		}
	}
	return best;
}

static bool give_way(struct exec *x, struct chosen to)
{
	if (!to.lanes || !path_has_room(x, 2))
		return false;
	path_stow(x, x->w->pc);
	if (to.waits)
		path_run_ahead(x, to.lanes);
	path_raise(x, to.lanes);
	path_pull(x);
	x->out->flags |= DYN_TURN;
	return true;
}

bool splits_rest(struct exec *x)
{
	const struct warp *w = x->w;
	const u64 until = wakes(x, w->mask);
	if (!w->mask || until <= x->cycle)
		return false;
	if (give_way(x, choose(x, ~0u, false)))
		return true;
	/* all sleep: until the first wakes */
	u32 above = w->mask, first = 0;
	u64 soonest = until;
	for (u32 d = w->depth; d-- > 0;) {
		const u32 mask = simt_entry(x, d)->mask;
		if (mask && !(mask & (above | w->waits)) && wakes(x, mask) < soonest) {
			first = mask;
			soonest = wakes(x, mask);
		}
		above |= mask;
	}
	x->out->flags |= DYN_SLEEP;
	x->out->sleep_cycles = soonest - x->cycle;
	return give_way(x, (struct chosen){.lanes = first});
}

/* The lanes that have had no turn since the last time, when the time has come. */
static u32 starved(struct exec *x)
{
	struct warp *w = x->w;
	struct splits *s = splits_of(x);
	if (w->passes < x->f->split_turn)
		return 0;
	const u32 lanes = w->uneasy & UNEASY_COUNTED ? s->idle & w->live : 0;
	w->passes = 0;
	w->uneasy |= UNEASY_COUNTED;
	s->idle = w->live & ~w->mask;
	return lanes;
}

void splits_yield(struct exec *x)
{
	struct warp *w = x->w;
	const bool tried = x->out->flags & DYN_TRIED;
	if (x->out->flags & DYN_SLEEP)
		lie_down(x);
	w->pc = x->next_pc;
	const bool arrives = !w->mask || w->pc == w->reconv; /* then it gives way in any case, to its own branch's others */
	if (arrives)
		simt_settle(x);
	x->next_pc = w->pc;
	if (!w->mask)
		return;
	if (w->uneasy & UNEASY_LEFT)
		meet_free(x);
	const u32 lanes = starved(x);
	if (lanes && give_way(x, choose(x, lanes, true)))
		return;
	if (tried && !arrives && give_way(x, choose(x, ~0u, false)))
		return;
	splits_rest(x);
}
