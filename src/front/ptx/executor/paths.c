/* The paths of a diverged warp; see paths.h. */
#include "front/ptx/executor/paths.h"

bool path_has_room(const struct exec *x, u32 entries)
{
	const u32 depth = x->w->depth + entries;
	if (depth > SIMT_NEAR && depth <= SIMT_DEPTH)
		arena_reach(x->f->arena, deep_index(x->f, x->sm, x->warp) * x->f->deep_stride + DEEP_STACK);
	return depth <= SIMT_DEPTH;
}

void path_stow(struct exec *x, u32 pc)
{
	struct warp *w = x->w;
	*simt_entry(x, w->depth++) = (struct simt){.pc = pc, .reconv = w->reconv, .mask = w->mask, .frame = w->frame};
	w->mask = 0;
}
void path_pull(struct exec *x)
{
	struct warp *w = x->w;
	const struct simt *e = simt_entry(x, --w->depth);
	w->pc = x->next_pc = e->pc;
	w->reconv = e->reconv;
	w->mask = e->mask;
	w->frame = e->frame;
	w->func = simt_func_at(x, e->pc);
	path_runs(x);
}

/* Behind the last entry of the block whose first is at level d. */
static u32 block_end(const struct exec *x, u32 d, u32 end)
{
	const u32 lanes = simt_entry(x, d)->mask;
	u32 e = d + 1;
	while (e < end && !(simt_entry(x, e)->mask & ~lanes))
		e++;
	return e;
}
void path_raise(struct exec *x, u32 lanes)
{
	struct simt block[SIMT_DEPTH];
	u32 end = 0;
	for (u32 d = 0; d < x->w->depth; d++) /* entries whose lanes have all exited are nobody's */
		if (simt_entry(x, d)->mask)
			*simt_entry(x, end++) = *simt_entry(x, d);
	x->w->depth = end;
	for (u32 from = 0; from < end; from++) {
		u32 b = from, e = block_end(x, b, end);
		while (!(simt_entry(x, b)->mask & lanes)) {
			b = e;
			BUG_ON(b >= end);
			e = block_end(x, b, end);
		}
		const u32 n = e - b;
		for (u32 i = 0; i < n; i++)
			block[i] = *simt_entry(x, b + i);
		for (u32 i = b; i + n < end; i++)
			*simt_entry(x, i) = *simt_entry(x, i + n);
		from = end - n;
		for (u32 i = 0; i < n; i++)
			*simt_entry(x, from + i) = block[i];
	}
	x->w->moved = 1;
}

s32 path_runnable(const struct exec *x, u32 wanted)
{
	u32 above = 0;
	s32 best = -1;
	for (u32 d = x->w->depth; d-- > 0;) {
		const struct simt *e = simt_entry(x, d);
		if (e->mask && !(e->mask & (above | x->w->waits))) {
			if (e->mask & wanted)
				return (s32)d;
			best = best < 0 ? (s32)d : best;
		}
		above |= e->mask;
	}
	return best;
}

u32 path_joined(const struct exec *x, u32 wanted)
{
	u32 above = x->w->mask;
	for (u32 d = x->w->depth; d-- > 0;) {
		const u32 mask = simt_entry(x, d)->mask, here = mask & ~above;
		if ((mask & above) && (here & wanted))
			return here;
		above |= mask;
	}
	return 0;
}

bool path_run_ahead(struct exec *x, u32 lanes)
{
	struct warp *w = x->w;
	u32 above = 0;
	for (u32 d = w->depth; d-- > 0;) {
		struct simt *e = simt_entry(x, d);
		const u32 here = e->mask & lanes & ~above & ~w->waits;
		above |= e->mask;
		if (!here)
			continue;
		if (e->reconv == RECONV_CALL)
			simt_return(x, d--, here);
		simt_entry(x, d)->mask &= ~here;
		for (u32 k = w->depth++; k > d; k--)
			*simt_entry(x, k) = *simt_entry(x, k - 1);
		simt_entry(x, d)->mask = here;
		x->out->flags |= x->f->splits ? DYN_SPLIT : 0;
		return true;
	}
	return false;
}

/* The level of the entry that holds these lanes of the path at level d; -1: none does. */
static s32 parent_of(const struct exec *x, u32 d, u32 lanes)
{
	while (d-- > 0)
		if (!(lanes & ~simt_entry(x, d)->mask))
			return (s32)d;
	return -1;
}

static void remove_entry(struct exec *x, u32 d)
{
	for (x->w->depth--; d < x->w->depth; d++)
		*simt_entry(x, d) = *simt_entry(x, d + 1);
}

/* Is the path at level d one of these lanes, with this pc and all else as the other one has it? */
static bool like(const struct exec *x, u32 d, u32 lanes, const struct simt *to, s32 parent)
{
	const struct simt *e = simt_entry(x, d);
	return !(e->mask & ~lanes) && e->pc == to->pc && e->reconv == to->reconv && e->frame == to->frame &&
	       parent_of(x, d, e->mask) == parent;
}

/* Takes the paths below level `end` that are like this one off the stack; the lanes that they had. */
static u32 take_like(struct exec *x, u32 end, u32 lanes, const struct simt *to, s32 parent, u32 above)
{
	u32 taken = 0;
	for (u32 d = end; d-- > 0;) {
		const u32 mask = simt_entry(x, d)->mask;
		if (mask && !(mask & above) && like(x, d, lanes, to, parent)) {
			taken |= mask;
			remove_entry(x, d);
		}
		above |= mask;
	}
	return taken;
}

void path_merge(struct exec *x, u32 lanes)
{
	struct warp *w = x->w;
	const struct simt top = {.pc = x->next_pc, .reconv = w->reconv, .mask = w->mask, .frame = w->frame};
	u32 above = w->mask,
	    taken = w->mask ? take_like(x, w->depth, lanes, &top, parent_of(x, w->depth, w->mask), above) : 0;
	w->mask |= taken;
	above |= taken;
	for (u32 d = w->depth; d-- > 0;) {
		const struct simt e = *simt_entry(x, d);
		if (e.mask && !(e.mask & (above | ~lanes))) {
			const u32 depth = w->depth, more = take_like(x, d, lanes, &e, parent_of(x, d, e.mask), above | e.mask);
			d -= depth - w->depth;
			simt_entry(x, d)->mask |= more;
			taken |= more;
		}
		above |= simt_entry(x, d)->mask;
	}
	if (taken)
		x->out->flags |= DYN_CONVERGED;
}
