/* Building the front end, inspection. */
#include "front/ptx/ops.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "conf/virtual.h"
#include "front/ptx/runtime/locks.h"
#include "front/ptx/runtime/mbarrier.h"
#include "front/ptx/runtime/state.h"

/* Windows of consecutive warps start this far apart beyond their size, so that equal registers of different warps
 * spread over the sets of the host's caches (37 registers of 128 B: odd, hence all sets are used). */
#define WINDOW_COLOUR (37 * 128)
#define SHARED_COLOUR (5 * 64)

static void set_sizes(struct ptx *f, const struct conf *c)
{
	f->nsms = c->num_sms;
	f->nwarps = conf_is_vt(c) ? MAX(c->vt_warps, c->sm_threads / WARP_SIZE) : c->sm_threads / WARP_SIZE;
	f->nslots = conf_is_vt(c) ? FRONT_CTA_PLACES : c->sm_ctas;
	f->check_bounds = c->check_bounds;
	f->check_uninit = c->check_uninit;
	f->check_masks = c->check_masks;
	f->tensor = (struct tensor_rules){c->tensor_fraction, c->tensor_fraction_fp8, c->tensor_group, c->tensor_group_fp8,
	                                  c->tensor_quads == TENSOR_QUADS_F32};
	f->check_barriers = c->check_barriers;
	f->check_copies = c->check_copies;
	f->split_turn = c->isa_split_turn;
	f->try_weight = MAX(c->isa_split_turn / c->isa_split_tries, 1u);
	f->window_bytes = c->front_frame_kb << 10;
	f->window_near = MIN(f->window_bytes, WINDOW_NEAR);
	f->window_stride = f->window_near + WINDOW_COLOUR;
	f->deep_stride = DEEP_STACK + round_up(f->window_bytes - f->window_near, 4096);
	f->local_max = c->front_local_kb << 10;
	f->shared_max = c->sm_shared;
	f->shared_stride = ((u64)c->sm_shared + 63) / 64 * 64 + SHARED_COLOUR;
	f->heap_bytes = (u64)c->malloc_mb << 20;
	f->delay = c->commit_delay;
	f->pending_cap = (f->delay + 1) * c->sm_schedulers * c->sm_issue_width;
	f->ns_per_cycle = 1000.0 / c->core_clock;
}

u64 ptx_state_bytes(const struct conf *c)
{
	struct ptx f = {0};
	set_sizes(&f, c);
	const u64 warps = (u64)f.nsms * f.nwarps, ctas = (u64)f.nsms * f.nslots;
	const u64 per_warp = sizeof(struct warp) + sizeof(struct copy_groups) + SIMT_NEAR * sizeof(struct simt) +
	                     f.window_stride + f.deep_stride + sizeof(*f.tid) +
	                     (c->isa_threads == ISA_THREADS_SPLITS ? sizeof(struct splits) : 0);
	const u64 per_cta = sizeof(struct cta) + f.shared_stride + (f.check_uninit ? (f.shared_max + 7) / 8 : 0) +
	                    mbar_map_bytes(&f) + (f.check_copies ? f.shared_max / 4 * sizeof(u16) : 0);
	return warps * per_warp + ctas * per_cta + f.nsms * (sizeof(struct fault) + 12) + locks_bytes(f.nsms) + 20 * 4096 +
	       (f.delay ? f.nsms * (sizeof(struct fifo) + f.pending_cap * sizeof(struct pending)) + 4096 : 0);
}

static void carve(struct ptx *f, const struct conf *c, struct arena *a)
{
	const size_t warps = (size_t)f->nsms * f->nwarps, ctas = (size_t)f->nsms * f->nslots;
	f->warps = ARENA_NEW(a, struct warp, warps);
	if (c->isa_threads == ISA_THREADS_SPLITS)
		f->splits = ARENA_NEW(a, struct splits, warps);
	f->stacks = ARENA_NEW(a, struct simt, warps * SIMT_NEAR);
	f->tid = arena_alloc(a, warps * sizeof(*f->tid), 64);
	f->ctas = ARENA_NEW(a, struct cta, ctas);
	f->faults = ARENA_NEW(a, struct fault, f->nsms);
	f->fault_cycle = ARENA_NEW(a, u64, f->nsms);
	f->faulted = ARENA_NEW(a, u32, f->nsms + 1);
	f->shared = arena_alloc(a, ctas * f->shared_stride, 4096);
	if (f->check_uninit)
		f->written = arena_alloc(a, ctas * ((f->shared_max + 7) / 8), 64);
	f->mbarriers = arena_alloc(a, ctas * mbar_map_bytes(f), 64);
	f->copy_groups = ARENA_NEW(a, struct copy_groups, warps);
	if (f->check_copies)
		f->copy_marks = arena_alloc(a, ctas * (f->shared_max / 4) * sizeof(u16), 64);
	f->windows = arena_alloc(a, warps * f->window_stride, 4096);
	f->arena = a;
	f->deep = arena_tail(a, warps * f->deep_stride);
	locks_create(f, a);
	struct fifo *queue = f->delay ? ARENA_NEW(a, struct fifo, f->nsms) : NULL;
	for (u32 i = 0; i < f->nsms; i++) {
		struct sm_side *s = &f->side[i];
		s->queue = queue ? &queue[i] : &s->own;
		s->pending = queue ? arena_alloc(a, f->pending_cap * sizeof(struct pending), 64)
		                   : xcalloc(f->pending_cap, sizeof(struct pending));
	}
}

struct front *ptx_create(const struct conf *c, struct arena *state, struct devmem *mem, struct err *e)
{
	struct ptx *f = xcalloc(1, sizeof(*f));
	f->mem = mem;
	set_sizes(f, c);
	f->param_base = devmem_alloc(mem, (u64)FRONT_KERNEL_SLOTS * PARAM_SLOT_BYTES, "kernel parameters", e);
	if (!f->param_base) {
		free(f);
		return NULL;
	}
	struct alloc *a = &mem->allocs[mem->nallocs - 1];
	a->internal = a->readonly = a->own = true;
	f->side = xcalloc(f->nsms, sizeof(*f->side));
	carve(f, c, state);
	return &f->front;
}

void ptx_destroy(struct front *front)
{
	struct ptx *f = ptx_of(front);
	for (u32 i = 0; i < f->nsms; i++) {
		if (!f->delay)
			free(f->side[i].pending);
		printed_release(&f->side[i].said);
	}
	for (u32 i = 0; i < f->placed_ever; i++)
		free(f->placed[i].tex);
	free(f->placed);
	free(f->side);
	free(f->launches);
	free(f->textures);
	printed_release(&f->said);
	free(f);
}

static struct warp *warp_of(const struct ptx *f, u32 sm, u32 warp)
{
	return &f->warps[sm * f->nwarps + warp];
}
static u8 *frame_of(const struct ptx *f, u32 sm, u32 warp)
{
	return frame_window_at(f, sm, warp, warp_of(f, sm, warp)->frame);
}

u32 ptx_pc(const struct front *front, u32 sm, u32 warp)
{
	const struct ptx *f = ptx_const(front);
	const struct warp *w = warp_of(f, sm, warp);
	return w->mask ? w->pc : PC_DONE;
}

const struct fault *ptx_fault(const struct front *front)
{
	const struct ptx *f = ptx_const(front);
	static const struct fault none;
	const struct fault *best = &none;
	u64 at = NEVER;
	if (likely(!f->faulted[f->nsms]))
		return best;
	for (u32 sm = 0; sm < f->nsms; sm++)
		if (f->faulted[sm] && f->fault_cycle[sm] < at) {
			at = f->fault_cycle[sm];
			best = &f->faults[sm];
		}
	return best;
}

u32 ptx_stack(const struct front *front, u32 sm, u32 warp, struct simt_entry *out, u32 max)
{
	const struct ptx *f = ptx_const(front);
	const struct warp *w = warp_of(f, sm, warp);
	u32 n = 0;
	if (!w->mask)
		return 0;
	if (n++ < max)
		out[0] = (struct simt_entry){.pc = w->pc, .reconv = w->reconv, .mask = w->mask, .lanes = w->mask};
	u32 above = w->mask;
	for (u32 d = w->depth; d-- > 0; n++) {
		const struct simt *e = simt_entry_at(f, sm, warp, d);
		const bool call = e->reconv == RECONV_CALL;
		const u32 lanes = e->mask & ~above;
		const enum lanes_do does = e->mask & above ? LANES_JOIN : lanes & w->waits ? LANES_WAIT : LANES_CAN_RUN;
		above |= e->mask;
		if (n < max)
			out[n] = (struct simt_entry){.pc = call ? simt_entry_at(f, sm, warp, d - 1)->pc : e->pc,
			                             .reconv = call ? RECONV_NONE : e->reconv,
			                             .mask = e->mask,
			                             .lanes = lanes,
			                             .until = splits_wake(f, sm, warp, lanes),
			                             .does = (u8)does,
			                             .is_call = call};
	}
	return n;
}

u32 ptx_active_mask(const struct front *front, u32 sm, u32 warp)
{
	const struct ptx *f = ptx_const(front);
	return warp_of(f, sm, warp)->mask;
}

/* Where an operand of the warp's current frame is, NULL when its lanes do not all lie inside the frame. */
static u8 *operand_at(const struct ptx *f, u32 sm, u32 warp, opnd at, enum ptype t)
{
	const u64 bytes = t == T_PRED ? 4 : ptype_bytes(t) == 8 ? 8 * LANES : 4 * LANES;
	const struct warp *w = warp_of(f, sm, warp);
	if (at == OPND_NONE || w->launch >= f->launches_cap || !f->launches[w->launch].l)
		return NULL;
	const struct launch_ref *ref = &f->launches[w->launch];
	if (at & OPND_POOL)
		return (at & ~OPND_POOL) + bytes <= ref->l->mod->pool_bytes ? ref->pool + (at & ~OPND_POOL) : NULL;
	return at + bytes <= ref->funcs[w->func].frame_bytes ? frame_of(f, sm, warp) + at : NULL;
}

u64 ptx_read_reg(const struct front *front, u32 sm, u32 warp, u32 lane, opnd at, enum ptype t)
{
	const struct ptx *f = ptx_const(front);
	const u32 bytes = ptype_bytes(t);
	const u8 *p = operand_at(f, sm, warp, at, t);
	if (!p || lane >= LANES)
		return 0;
	if (t == T_PRED)
		return *(const u32 *)p >> lane & 1;
	if (bytes == 8)
		return ((const u64 *)p)[lane];
	const u32 v = ((const u32 *)p)[lane];
	return bytes >= 4 || !bytes ? v : v & ((1u << 8 * bytes) - 1);
}

bool ptx_stored(const struct front *front, u32 sm, u32 warp, const struct inst *in, u8 *out)
{
	const struct ptx *f = ptx_const(front);
	const u32 size = ptype_bytes(in->type), bytes = size * in->vec;
	const bool wide = size == 8 || in->stype == T_B64;
	for (u32 k = 0; k < in->vec; k++) {
		const u8 *from = operand_at(f, sm, warp, in->s[1 + k], wide ? T_B64 : T_B32);
		if (!from)
			return false;
		for (u32 i = 0; i < LANES; i++)
			memcpy(out + i * bytes + k * size, from + i * (wide ? 8 : 4), size);
	}
	return true;
}

bool ptx_write_reg(struct front *front, u32 sm, u32 warp, u32 lane, opnd at, enum ptype t, u64 bits)
{
	struct ptx *f = ptx_of(front);
	u8 *p = at & OPND_POOL ? NULL : operand_at(f, sm, warp, at, t);
	if (!p || lane >= LANES)
		return false;
	if (t == T_PRED)
		*(u32 *)p = (*(u32 *)p & ~(1u << lane)) | (u32)(bits & 1) << lane;
	else if (ptype_bytes(t) == 8)
		((u64 *)p)[lane] = bits;
	else
		((u32 *)p)[lane] = (u32)bits;
	return true;
}

bool ptx_read_local(const struct front *front, u32 sm, u32 warp, u32 lane, u64 off, void *out, u32 n)
{
	const struct ptx *f = ptx_const(front);
	const struct warp *w = &f->warps[sm * f->nwarps + warp];
	const struct cta *c = &f->ctas[sm * f->nslots + w->slot];
	if (!ptx_active_mask(front, sm, warp) || c->launch >= f->launches_cap || lane >= LANES)
		return false;
	const struct launch_ref *ref = &f->launches[c->launch];
	const u64 limit = ref->local_bytes, base = local_of(f, ref, sm, warp);
	if (off > limit || n > limit - off)
		return false;
	for (u32 i = 0; i < n; i++)
		((u8 *)out)[i] = *devmem_ptr(f->mem, local_byte(f, base, lane, off + i));
	return true;
}

u8 *ptx_shared(struct front *front, u32 sm, u32 slot, u32 *bytes)
{
	struct ptx *f = ptx_of(front);
	*bytes = f->ctas[sm * f->nslots + slot].shared_bytes;
	return f->shared + (u64)(sm * f->nslots + slot) * f->shared_stride;
}
