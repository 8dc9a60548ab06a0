/* Starting CTAs and opening barriers. */
#include <string.h>

#include "base/bits.h"
#include "front/ptx/ops.h"
#include "front/ptx/runtime/mbarrier.h"
#include "front/ptx/runtime/state.h"

bool params_apart(const struct func *fn)
{
	return fn->is_kernel && (fn->generic_params || fn->param_bytes > PARAM_SLOT_BYTES);
}

static const struct placed *placement(const struct ptx *f, const struct module *m)
{
	for (u32 i = 0; i < f->nplaced; i++)
		if (f->placed[i].m == m)
			return &f->placed[i];
	BUG("kernel of a module that was never placed");
}

/* Where the launch's parameters are: at the place of its kernel slot, so that kernels that follow each other find
 * theirs in the constant cache, as in GPGPU-Sim, while those that run at the same time do not share lines. Their
 * values, which ld.param reads from the launch itself, are written there only when a generic address may come by. */
static u64 params_place(struct ptx *f, const struct placed *p, const struct launch *l, u32 slot)
{
	if (!params_apart(l->fn))
		return f->param_base + (u64)slot * PARAM_SLOT_BYTES;
	const u64 at = p->param_base + slot * p->param_stride;
	if (l->fn->generic_params && l->fn->param_bytes) {
		memcpy(devmem_ptr(f->mem, at), l->params, l->fn->param_bytes);
		devmem_touch(f->mem, at, l->fn->param_bytes);
	}
	return at;
}

/* The table grows when a launch is first seen, which is when it starts. */
static void register_launch(struct ptx *f, const struct launch *l, u32 slot)
{
	if (l->id >= f->launches_cap) {
		const u32 cap = MAX(l->id + 1, MAX(16u, f->launches_cap * 2));
		f->launches = xrealloc(f->launches, cap * sizeof(*f->launches));
		memset(f->launches + f->launches_cap, 0, (cap - f->launches_cap) * sizeof(*f->launches));
		f->launches_cap = cap;
	}
	const struct placed *p = placement(f, l->mod);
	f->launches[l->id] = (struct launch_ref){.l = l,
	                                         .code = l->mod->code,
	                                         .pool = l->mod->pool,
	                                         .funcs = l->mod->funcs,
	                                         .local_base = p->local_base,
	                                         .local_bytes = l->fn->local_grows ? p->local_grown : l->fn->local_bytes,
	                                         .params = params_place(f, p, l, slot),
	                                         .tex = p->tex};
}

void ptx_kernel_start(struct front *front, const struct launch *l, u32 slot)
{
	struct ptx *f = ptx_of(front);
	BUG_ON(slot >= FRONT_KERNEL_SLOTS);
	register_launch(f, l, slot);
}

/* Thread indices of 32 threads from linear number `first` on, x fastest. */
static void fill_tid(u32 tid[3][LANES], struct dim3 block, u32 first)
{
	u32 x = first % block.x, y = first / block.x % block.y, z = first / block.x / block.y;
	for (u32 i = 0; i < LANES; i++) {
		tid[0][i] = x;
		tid[1][i] = y;
		tid[2][i] = z;
		if (++x < block.x)
			continue;
		x = 0;
		if (++y < block.y)
			continue;
		y = 0;
		z++;
	}
}

static void start_warp(struct ptx *f, u32 sm, u32 warp, u32 slot, const struct launch *l, u32 index)
{
	const u32 at = sm * f->nwarps + warp, total = l->block.x * l->block.y * l->block.z;
	const u32 first = index * LANES, n = total - first;
	struct warp *w = &f->warps[at];
	*w = (struct warp){.pc = l->fn->entry,
	                   .reconv = RECONV_NONE,
	                   .func = (u32)(l->fn - l->mod->funcs),
	                   .launch = l->id,
	                   .slot = slot,
	                   .index = index};
	w->mask = w->live = n >= LANES ? FULL_MASK : (1u << n) - 1;
	fill_tid(f->tid[at], l->block, first);
	/* registers start at zero, so that a program which reads one too early does the same thing everywhere */
	w->frame = first_frame(f, l->fn);
	frames_reach(f, sm, warp, w->frame + frame_size(l->fn));
	memset(frame_window_at(f, sm, warp, w->frame), 0, frame_size(l->fn));
}

/* A CTA that begins anew: what its warps were to get in registers is forgotten, what they have stored is not. */
static void forget_results(struct ptx *f, u32 sm, u32 first, u64 warps)
{
	struct sm_side *s = &f->side[sm];
	for (u32 k = 0; k < s->queue->n; k++) {
		struct pending *p = &s->pending[fifo_at(s->queue, f->pending_cap, k)];
		if (p->warp < first || p->warp - first >= 64 || !(warps >> (p->warp - first) & 1))
			continue;
		p->dst = OPND_NONE;
		p->mask = p->kind == PENDING_LOAD ? 0 : p->mask;
	}
}

/* What the last CTA in the slot has left beside its shared memory. */
void forget_objects(struct ptx *f, u32 sm, u32 slot)
{
	const struct cta *c = &f->ctas[sm * f->nslots + slot];
	if (unlikely(c->mbarriers))
		memset(mbar_map(f, sm, slot), 0, mbar_map_bytes(f));
	if (unlikely(c->copies))
		memset(copy_marks_of(f, sm, slot), 0, (c->shared_bytes + 3ull) / 4 * sizeof(u16));
}

void ptx_cta_start(struct front *front, u32 sm, u32 slot, const struct launch *l, u64 cta, u64 warps)
{
	struct ptx *f = ptx_of(front);
	struct cta *c = &f->ctas[sm * f->nslots + slot];
	const u32 first = front_first(front, sm, slot);
	u32 index = 0;
	forget_results(f, sm, first, warps);
	if (l->id >= f->launches_cap || f->launches[l->id].l != l)
		register_launch(f, l, 0);
	forget_objects(f, sm, slot);
	*c = (struct cta){.id = cta, .warps = warps, .launch = l->id, .shared_bytes = l->shared_bytes};
	c->x = (u32)(cta % l->grid.x);
	c->y = (u32)(cta / l->grid.x % l->grid.y);
	c->z = (u32)(cta / l->grid.x / l->grid.y);
	memset(f->shared + (u64)(sm * f->nslots + slot) * f->shared_stride, 0, l->shared_bytes);
	if (f->check_uninit) {
		const u64 map = (f->shared_max + 7) / 8;
		memset(f->written + (sm * f->nslots + slot) * map, 0, map);
	}
	FOR_EACH_BIT(w, warps)
	start_warp(f, sm, first + (u32)w, slot, l, index++);
	BUG_ON(index != l->warps);
}

static u32 bar_result(const struct barrier_sum *b, u8 mode)
{
	switch (mode) {
	case BAR_RED_POPC: return b->popc;
	case BAR_RED_AND: return !b->some_false;
	default: return b->any;
	}
}

/* The result of bar.red goes to the lanes at it; popc to a register, and/or to a predicate. */
static void give_result(struct ptx *f, u32 sm, u32 warp, const struct barrier_sum *b)
{
	const u32 at = sm * f->nwarps + warp;
	const struct warp *w = &f->warps[at];
	const struct inst *in = &f->launches[w->launch].code[w->bar_pc];
	if (in->op != OP_BAR || in->mode < BAR_RED_POPC)
		return;
	u32 *d = (u32 *)(void *)(frame_window_at(f, sm, warp, w->frame) + in->d[0]);
	const u32 v = bar_result(b, in->mode);
	if (in->mode != BAR_RED_POPC) {
		*d = (*d & ~w->bar_lanes) | (v ? w->bar_lanes : 0);
		return;
	}
	for (u32 i = 0; i < LANES; i++)
		d[i] = (w->bar_lanes >> i & 1) ? v : d[i];
}

void ptx_barrier_release(struct front *front, u32 sm, u32 slot, u32 bar_id, u64 warps)
{
	struct ptx *f = ptx_of(front);
	struct barrier_sum *b = &f->ctas[sm * f->nslots + slot].bar[bar_id];
	const u32 first = front_first(front, sm, slot);
	FOR_EACH_BIT(w, warps)
	give_result(f, sm, first + (u32)w, b);
	*b = (struct barrier_sum){0};
}
