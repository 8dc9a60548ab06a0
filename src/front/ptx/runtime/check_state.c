/* What holds between any two cycles: see front_check_state(). */
#include "base/bits.h"
#include "front/ptx/ops.h"
#include "front/ptx/runtime/state.h"

static bool check_frame(const struct ptx *f, u32 sm, u32 warp, u32 func, u32 frame, struct err *e)
{
	const struct warp *w = &f->warps[sm * f->nwarps + warp];
	const struct module *m = f->launches[w->launch].l->mod;
	HOLDS(func < m->nfuncs && frame + frame_size(&m->funcs[func]) <= f->window_bytes,
	      "SM %u, warp %u: frame of function %u of %u at %u, the window has %u bytes", sm, warp, func, m->nfuncs, frame,
	      f->window_bytes);
	return true;
}

static bool check_entries(const struct ptx *f, u32 sm, u32 warp, struct err *e)
{
	const struct warp *w = &f->warps[sm * f->nwarps + warp];
	u32 frame = w->frame;
	for (u32 d = w->depth; d-- > 0;) {
		const struct simt *t = simt_entry_at(f, sm, warp, d);
		HOLDS(!(t->mask & ~w->live), "SM %u, warp %u: level %u of the SIMT stack holds lanes %#x, alive are %#x", sm,
		      warp, d, t->mask, w->live);
		if (t->reconv != RECONV_CALL)
			continue;
		HOLDS(t->frame < frame, "SM %u, warp %u: a caller's frame at %u, its callee's at %u", sm, warp, t->frame,
		      frame);
		frame = t->frame;
		if (!check_frame(f, sm, warp, t->pc, frame, e))
			return false;
	}
	return true;
}

/* Every living lane is in one path: at the top, or in the stack; what splits keep is about living lanes. */
static bool check_paths(const struct ptx *f, u32 sm, u32 warp, struct err *e)
{
	const struct warp *w = &f->warps[sm * f->nwarps + warp];
	u32 held = w->mask;
	for (u32 d = 0; d < w->depth; d++)
		held |= simt_entry_at(f, sm, warp, d)->mask;
	HOLDS(held == w->live, "SM %u, warp %u: lanes %#x are somewhere on the SIMT stack, alive are %#x", sm, warp, held,
	      w->live);
	HOLDS(!(w->waits & (w->mask | ~w->live)), "SM %u, warp %u: lanes %#x wait for others, active are %#x of %#x", sm,
	      warp, w->waits, w->mask, w->live);
	HOLDS(f->splits || !(w->uneasy || w->passes), "SM %u, warp %u: without splits, %u turns are counted", sm, warp,
	      w->passes);
	HOLDS(!f->splits || w->passes <= f->split_turn, "SM %u, warp %u: %u backward jumps, a turn has %u", sm, warp,
	      w->passes, f->split_turn);
	HOLDS(!(w->uneasy & UNEASY_COUNTED) || !(f->splits[sm * f->nwarps + warp].idle & w->mask),
	      "SM %u, warp %u: lanes %#x run and count as idle", sm, warp, w->mask & f->splits[sm * f->nwarps + warp].idle);
	return true;
}

static bool check_warp(const struct ptx *f, u32 sm, u32 warp, bool exited, struct err *e)
{
	const struct warp *w = &f->warps[sm * f->nwarps + warp];
	HOLDS(exited == !w->live && !(w->mask & ~w->live),
	      "SM %u, warp %u: lanes %#x live, %#x are active; it has%s exited", sm, warp, w->live, w->mask,
	      exited ? "" : " not");
	if (exited)
		return true;
	HOLDS(w->mask && w->depth <= SIMT_DEPTH, "SM %u, warp %u: no lane is active, or %u levels are too many", sm, warp,
	      w->depth);
	HOLDS(w->slot < f->nslots &&
	          f->ctas[sm * f->nslots + w->slot].warps >> (warp - front_first(&f->front, sm, w->slot)) & 1 &&
	          f->ctas[sm * f->nslots + w->slot].launch == w->launch,
	      "SM %u, warp %u: CTA slot %u knows nothing of it", sm, warp, w->slot);
	if (!check_frame(f, sm, warp, w->func, w->frame, e))
		return false;
	const struct func *fn = &f->launches[w->launch].l->mod->funcs[w->func];
	HOLDS(w->pc >= fn->entry && w->pc < fn->end, "SM %u, warp %u: pc %u is outside %s, [%u, %u)", sm, warp, w->pc,
	      func_label(fn), fn->entry, fn->end);
	return check_entries(f, sm, warp, e) && check_paths(f, sm, warp, e);
}

/* With commit.delay: what is queued is in the order of issue, of no more cycles than that. */
static bool check_queue(const struct ptx *f, u32 sm, struct err *e)
{
	const struct sm_side *s = &f->side[sm];
	const struct pending *first = &s->pending[s->queue->head];
	u64 last = first->cycle;
	for (u32 k = 0; k < s->queue->n; k++) {
		const struct pending *p = &s->pending[fifo_at(s->queue, f->pending_cap, k)];
		HOLDS(p->cycle >= last && p->cycle - first->cycle < MAX(f->delay, 1u) && p->warp < f->nwarps,
		      "SM %u: number %u of its queue is of warp %u, cycle %llu, behind %llu", sm, k, p->warp,
		      (unsigned long long)p->cycle, (unsigned long long)last);
		last = p->cycle;
	}
	return true;
}

bool ptx_check_state(const struct front *front, u32 sm, u64 resident, u64 exited, struct err *e)
{
	const struct ptx *f = ptx_const(front);
	HOLDS(!f->side[sm].queue->n || f->delay, "SM %u: %u stores of a cycle that is over have not taken effect", sm,
	      f->side[sm].queue->n);
	if (!check_queue(f, sm, e))
		return false;
	if (!sm && f->heap.base && !heap_check(&f->heap, f->mem, e))
		return false;
	FOR_EACH_BIT(w, resident)
	if (!check_warp(f, sm, front_warp(front, sm, (u32)w), exited >> w & 1, e))
		return false;
	return true;
}
