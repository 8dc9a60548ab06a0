/* Building the front end, issuing, inspection. */
#include "front/front.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "front/ptx/executor/memory.h"
#include "front/ptx/runtime/state.h"

/* Windows of consecutive warps start this far apart beyond their size, so that equal registers of different warps
 * spread over the sets of the host's caches (37 registers of 128 B: odd, hence all sets are used). */
#define WINDOW_COLOUR (37 * 128)
#define SHARED_COLOUR (5 * 64)

static void set_sizes(struct front *f, const struct conf *c)
{
	f->nsms = c->num_sms;
	f->nwarps = c->sm_threads / WARP_SIZE;
	f->nslots = c->sm_ctas;
	f->check_uninit = c->check_uninit;
	f->check_masks = c->check_masks;
	f->check_barriers = c->check_barriers;
	f->window_bytes = c->front_frame_kb << 10;
	f->window_near = MIN(f->window_bytes, WINDOW_NEAR);
	f->window_stride = f->window_near + WINDOW_COLOUR;
	f->deep_stride = DEEP_STACK + round_up(f->window_bytes - f->window_near, 4096);
	f->local_max = c->front_local_kb << 10;
	f->shared_max = c->sm_shared;
	f->shared_stride = ((u64)c->sm_shared + 63) / 64 * 64 + SHARED_COLOUR;
	f->heap_bytes = (u64)c->malloc_mb << 20;
	f->ns_per_cycle = 1000.0 / c->core_clock;
}

u64 front_state_bytes(const struct conf *c)
{
	struct front f = {0};
	set_sizes(&f, c);
	const u64 warps = (u64)f.nsms * f.nwarps, ctas = (u64)f.nsms * f.nslots;
	const u64 per_warp =
	    sizeof(struct warp) + SIMT_NEAR * sizeof(struct simt) + f.window_stride + f.deep_stride + sizeof(*f.tid);
	const u64 per_cta = sizeof(struct cta) + f.shared_stride + (f.check_uninit ? (f.shared_max + 7) / 8 : 0);
	return warps * per_warp + ctas * per_cta + f.nsms * (sizeof(struct fault) + 12) + locks_bytes(f.nsms) + 17 * 4096;
}

static void carve(struct front *f, struct arena *a)
{
	const size_t warps = (size_t)f->nsms * f->nwarps, ctas = (size_t)f->nsms * f->nslots;
	f->warps = ARENA_NEW(a, struct warp, warps);
	f->stacks = ARENA_NEW(a, struct simt, warps * SIMT_NEAR);
	f->tid = arena_alloc(a, warps * sizeof(*f->tid), 64);
	f->ctas = ARENA_NEW(a, struct cta, ctas);
	f->faults = ARENA_NEW(a, struct fault, f->nsms);
	f->fault_cycle = ARENA_NEW(a, u64, f->nsms);
	f->faulted = ARENA_NEW(a, u32, f->nsms + 1);
	f->shared = arena_alloc(a, ctas * f->shared_stride, 4096);
	if (f->check_uninit)
		f->written = arena_alloc(a, ctas * ((f->shared_max + 7) / 8), 64);
	f->windows = arena_alloc(a, warps * f->window_stride, 4096);
	f->arena = a;
	f->deep = arena_tail(a, warps * f->deep_stride);
	locks_create(f, a);
}

struct front *front_create(const struct conf *c, struct arena *state, struct devmem *mem, struct err *e)
{
	struct front *f = xcalloc(1, sizeof(*f));
	f->mem = mem;
	set_sizes(f, c);
	f->param_base = devmem_alloc(mem, (u64)PARAM_SLOTS * PARAM_SLOT_BYTES, "kernel parameters", e);
	if (!f->param_base) {
		free(f);
		return NULL;
	}
	struct alloc *a = &mem->allocs[mem->nallocs - 1];
	a->internal = a->readonly = a->own = true;
	carve(f, state);
	f->side = xcalloc(f->nsms, sizeof(*f->side));
	for (u32 i = 0; i < f->nsms; i++) {
		f->side[i].cap = c->sm_schedulers * c->sm_issue_width;
		f->side[i].pending = xcalloc(f->side[i].cap, sizeof(struct pending));
	}
	return f;
}

void front_destroy(struct front *f)
{
	if (!f)
		return;
	for (u32 i = 0; i < f->nsms; i++) {
		free(f->side[i].pending);
		strbuf_release(&f->side[i].text);
	}
	for (u32 i = 0; i < f->placed_ever; i++)
		free(f->placed[i].tex);
	free(f->placed);
	free(f->side);
	free(f->launches);
	free(f->textures);
	strbuf_release(&f->text);
	free(f);
}

static struct warp *warp_of(const struct front *f, u32 sm, u32 warp)
{
	return &f->warps[sm * f->nwarps + warp];
}
static u8 *frame_of(const struct front *f, u32 sm, u32 warp)
{
	return frame_window_at(f, sm, warp, warp_of(f, sm, warp)->frame);
}

u32 front_pc(const struct front *f, u32 sm, u32 warp)
{
	const struct warp *w = warp_of(f, sm, warp);
	return w->mask ? w->pc : PC_DONE;
}

void front_issue(struct front *f, u32 sm, u32 warp, u64 cycle, struct dyninst *out)
{
	struct warp *w = warp_of(f, sm, warp);
	BUG_ON(!w->mask);
	const struct launch_ref *ref = &f->launches[w->launch];
	const struct inst *in = &ref->code[w->pc];
	const opnd guard = in->guard;
	const u32 pc = w->pc, active = w->mask;
	u8 *frame = frame_window_at(f, sm, warp, w->frame);
	u32 mask = active;
	if (guard != OPND_NONE) {
		const u8 *at = guard & OPND_POOL ? ref->pool + (guard & ~OPND_POOL) : frame + guard;
		mask &= *(const u32 *)(const void *)at ^ (in->flags & IF_GUARD_NEG ? ~0u : 0);
	}
	struct exec x; /* all fields follow */
	x.base[0] = frame;
	x.base[1] = ref->pool;
	x.mask = mask;
	x.active = active;
	x.next_pc = pc + 1;
	x.sm = sm;
	x.warp = warp;
	x.out = out;
	x.f = f;
	x.w = w;
	x.ref = ref;
	x.cycle = cycle;
	out->in = in;
	out->pc = pc;
	out->mask = mask;
	out->active = active;
	out->flags = out->taken = 0;
	out->space = SPC_NONE;
	out->bytes = 0;
	out->store = out->atomic = false;
	if (likely(mask))
		in->exec(&x, in);
	if (unlikely(out->flags & DYN_FAULT) && in->op != OP_BRKPT) { /* after a brkpt the program can go on */
		out->next_pc = pc;
		return;
	}
	w->pc = x.next_pc;
	if (unlikely(w->pc == w->reconv || !w->mask))
		simt_settle(&x);
	const u32 next = w->mask ? w->pc : PC_DONE;
	out->next_pc = next;
	if (next != pc + 1)
		out->flags |= DYN_JUMP;
}

const struct fault *front_fault(const struct front *f)
{
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

u32 front_stack(const struct front *f, u32 sm, u32 warp, struct simt_entry *out, u32 max)
{
	const struct warp *w = warp_of(f, sm, warp);
	u32 n = 0;
	if (!w->mask)
		return 0;
	if (n++ < max)
		out[0] = (struct simt_entry){.pc = w->pc, .reconv = w->reconv, .mask = w->mask};
	for (u32 d = w->depth; d-- > 0; n++) {
		const struct simt *e = simt_entry_at(f, sm, warp, d);
		const bool call = e->reconv == RECONV_CALL;
		if (n < max)
			out[n] = (struct simt_entry){.pc = call ? simt_entry_at(f, sm, warp, d - 1)->pc : e->pc,
			                             .reconv = call ? RECONV_NONE : e->reconv,
			                             .mask = e->mask,
			                             .is_call = call};
	}
	return n;
}

u32 front_active_mask(const struct front *f, u32 sm, u32 warp)
{
	return warp_of(f, sm, warp)->mask;
}

/* Where an operand of the warp's current frame is, NULL when its lanes do not all lie inside the frame. */
static u8 *operand_at(const struct front *f, u32 sm, u32 warp, opnd at, enum ptype t)
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

u64 front_read_reg(const struct front *f, u32 sm, u32 warp, u32 lane, opnd at, enum ptype t)
{
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

bool front_write_reg(struct front *f, u32 sm, u32 warp, u32 lane, opnd at, enum ptype t, u64 bits)
{
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

bool front_read_local(const struct front *f, u32 sm, u32 warp, u32 lane, u64 off, void *out, u32 n)
{
	const struct warp *w = &f->warps[sm * f->nwarps + warp];
	const struct cta *c = &f->ctas[sm * f->nslots + w->slot];
	if (!front_active_mask(f, sm, warp) || c->launch >= f->launches_cap || lane >= LANES)
		return false;
	const struct launch_ref *ref = &f->launches[c->launch];
	u64 limit = ref->local_bytes, base = ref->local_base + (sm * f->nwarps + warp) * ref->local_stride;
	if (off > limit || n > limit - off)
		return false;
	for (u32 i = 0; i < n; i++) {
		u64 at = off + i;
		((u8 *)out)[i] = *devmem_ptr(f->mem, base + at / 4 * (4 * LANES) + 4 * lane + at % 4);
	}
	return true;
}

u8 *front_shared(struct front *f, u32 sm, u32 slot, u32 *bytes)
{
	*bytes = f->ctas[sm * f->nslots + slot].shared_bytes;
	return f->shared + (u64)(sm * f->nslots + slot) * f->shared_stride;
}

void front_take_printf(struct front *f, struct strbuf *out)
{
	strbuf_add(out, strbuf_str(&f->text), f->text.len);
	if (f->text_cut)
		strbuf_addf(out, "\n[printf output beyond %u bytes was dropped]\n", PRINTF_MAX);
	strbuf_clear(&f->text);
	f->text_cut = false;
}
