/* Placing a module on the device, launch limits. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "front/ptx/ops.h"
#include "front/ptx/runtime/state.h"

static u64 internal_alloc(struct ptx *f, u64 size, const char *name, bool readonly, bool own, struct err *e)
{
	const u64 addr = devmem_alloc(f->mem, size, name, e);
	if (addr) {
		struct alloc *a = &f->mem->allocs[f->mem->nallocs - 1];
		a->internal = true;
		a->readonly = readonly;
		a->own = own;
	}
	return addr;
}

static bool on_device(const struct symbol *s)
{
	return s->space == SPC_GLOBAL || s->space == SPC_CONST;
}

static bool place_symbols(struct ptx *f, struct module *m, struct err *e)
{
	for (u32 i = 0; i < m->nsymbols; i++) {
		struct symbol *s = &m->symbols[i];
		if (!on_device(s))
			continue;
		if (s->align > 256)
			return err_set(e, "%s:%u: alignment %u of '%s' is beyond the 256 bytes that device memory keeps",
			               module_part_of(m, s->line)->path, module_line_in_file(m, s->line), s->align, s->name);
		s->addr = internal_alloc(f, MAX(s->size, 1u), s->name, s->space == SPC_CONST, false, e);
		if (!s->addr)
			return false;
	}
	return true;
}

static u64 address_of(const struct module *m, s32 sym, s32 func, s64 add, bool generic)
{
	if (sym < 0)
		return m->code_base + 8ull * m->funcs[func].entry + (u64)add;
	const struct symbol *s = &m->symbols[sym];
	const u64 window = s->space == SPC_SHARED ? SHARED_WINDOW : s->space == SPC_LOCAL ? LOCAL_WINDOW : 0;
	return s->addr + (u64)add + (generic ? window : 0);
}

static void initialise(struct ptx *f, const struct module *m, const struct symbol *s)
{
	u8 *at = devmem_ptr(f->mem, s->addr);
	if (s->init)
		memcpy(at, s->init, s->size);
	for (u32 i = 0; i < s->nrelocs; i++) {
		const struct reloc *r = &s->relocs[i];
		const u64 v = address_of(m, r->sym, r->func, r->add, r->generic);
		memcpy(at + r->at, &v, r->bytes);
	}
	for (u64 o = 0; o < s->size && (s->init || s->nrelocs); o += DEVMEM_PAGE)
		devmem_touch(f->mem, s->addr + o, (u32)MIN(s->size - o, DEVMEM_PAGE));
}

static void apply_fixes(struct module *m)
{
	for (u32 i = 0; i < m->nfixes; i++) {
		const struct pool_fix *x = &m->fixes[i];
		const u64 v = address_of(m, x->sym, x->func, x->add, x->generic);
		for (u32 l = 0; l < LANES; l++)
			memcpy(m->pool + x->at + l * x->bytes, &v, x->bytes);
	}
}

static u64 nthreads(const struct ptx *f)
{
	return (u64)f->nsms * f->nwarps * LANES;
}
/* Bytes for each of the machine's threads in some quarters of device memory. */
static u64 heap_share(const struct ptx *f, u32 quarters)
{
	return f->mem->bytes / 4 * quarters / nthreads(f) / 16 * 16;
}

/* Bytes per thread where functions recurse with local variables: for as many activations as have frames in a warp's
 * window, as long as that is within front.local_kb and takes no more than half of device memory. */
static u32 grown(const struct ptx *f, const struct module *m, const struct func *fn)
{
	const u64 deepest = m->local_fixed + (u64)(f->window_bytes / m->local_unit) * m->local_step;
	return (u32)MAX(MIN(MIN(deepest, (u64)f->local_max), MIN(heap_share(f, 2), WINDOW_BYTES)), (u64)fn->local_bytes);
}

static bool local_fits(const struct ptx *f, const struct func *fn)
{
	return fn->local_bytes <= f->local_max && fn->local_bytes <= heap_share(f, 3);
}

/* Local memory is laid out for the most any kernel of the module needs, for every warp of the machine. Kernels beyond
 * front.local_kb or what device memory can hold are refused when launched, so they do not count. */
static bool place_local(struct ptx *f, const struct module *m, struct placed *p, struct err *e)
{
	const struct func *most = NULL;
	u32 bytes = 0;
	for (u32 i = 0; i < m->nfuncs; i++) {
		const struct func *fn = &m->funcs[i];
		if (!fn->is_kernel || !fn->local_bytes || !local_fits(f, fn))
			continue;
		const u32 need = fn->local_grows ? grown(f, m, fn) : fn->local_bytes;
		if (fn->local_grows)
			p->local_grown = MAX(p->local_grown, need);
		most = need > bytes ? fn : most;
		bytes = MAX(bytes, need);
	}
	if (!most)
		return true;
	p->local_base = internal_alloc(f, round_up(bytes, 16) / 4 * local_step(f), "local memory", false, false, e);
	if (!p->local_base) {
		err_prefix(e, "kernel %s has %u bytes of local memory per thread, for %" PRIu64 " threads: ", func_label(most),
		           bytes, nthreads(f));
		return false;
	}
	f->mem->allocs[f->mem->nallocs - 1].scratch = true;
	return true;
}

static bool place_params(struct ptx *f, const struct module *m, struct placed *p, struct err *e)
{
	u32 most = 0;
	for (u32 i = 0; i < m->nfuncs; i++)
		if (params_apart(&m->funcs[i]))
			most = MAX(most, m->funcs[i].param_bytes);
	if (!most)
		return true;
	p->param_stride = round_up(most, 256);
	p->param_base = internal_alloc(f, p->param_stride * FRONT_KERNEL_SLOTS, "kernel parameters", true, true, e);
	return p->param_base != 0;
}

/* One heap for all modules, made for the first that calls malloc() or free(). */
static bool place_heap(struct ptx *f, const struct module *m, struct err *e)
{
	for (u32 pc = 0; pc < m->ncode && !f->heap.base; pc++)
		if ((m->code[pc].atom == ATOM_MALLOC || m->code[pc].atom == ATOM_FREE) &&
		    !heap_create(&f->heap, f->mem, f->heap_bytes, e))
			return false;
	return true;
}

bool ptx_place(struct front *front, struct module *m, struct err *e)
{
	struct ptx *f = ptx_of(front);
	struct placed p = {.m = m};
	for (u32 i = 0; i < f->nplaced; i++)
		if (f->placed[i].m == m)
			return err_set(e, "%s is placed on this device already", m->path);
	m->code_base = internal_alloc(f, 8ull * MAX(m->ncode, 1u), "code", true, true, e);
	if (!m->code_base || !place_symbols(f, m, e) || !place_local(f, m, &p, e) || !place_params(f, m, &p, e) ||
	    !place_heap(f, m, e)) {
		err_prefix(e, "placing %s: ", m->path);
		return false;
	}
	for (u32 i = 0; i < m->nsymbols; i++)
		if (on_device(&m->symbols[i]))
			initialise(f, m, &m->symbols[i]);
	apply_fixes(m);
	p.tex = xcalloc(m->ntexrefs + 1, sizeof(*p.tex));
	for (u32 i = 0; i < m->ntexrefs; i++)
		p.tex[i] = -1;
	if (f->nplaced < f->placed_ever)
		free(f->placed[f->nplaced].tex); /* of a future that will not be */
	else
		f->placed = xrealloc(f->placed, ++f->placed_ever * sizeof(*f->placed));
	f->placed[f->nplaced++] = p;
	return true;
}

u64 ptx_grid_workspace(struct front *front, struct err *e)
{
	struct ptx *f = ptx_of(front);
	const u64 addr = internal_alloc(f, 16, "grid barrier", false, false, e);
	if (addr)
		f->mem->allocs[f->mem->nallocs - 1].scratch = true; /* the barrier's phase is no result */
	return addr;
}

struct host_state {
	u32 nplaced, ntextures;
	struct heap heap;
	s32 tex[]; /* of the placed modules, one after the other */
};

void *ptx_host_save(const struct front *front)
{
	const struct ptx *f = ptx_const(front);
	u32 n = 0;
	for (u32 i = 0; i < f->nplaced; i++)
		n += f->placed[i].m->ntexrefs;
	struct host_state *h = xcalloc(1, sizeof *h + n * sizeof(s32));
	h->nplaced = f->nplaced;
	h->ntextures = f->ntextures;
	h->heap = f->heap;
	for (u32 i = 0, at = 0; i < f->nplaced; at += f->placed[i++].m->ntexrefs)
		memcpy(h->tex + at, f->placed[i].tex, f->placed[i].m->ntexrefs * sizeof(s32));
	return h;
}

void ptx_host_restore(struct front *front, const void *saved)
{
	struct ptx *f = ptx_of(front);
	const struct host_state *h = saved;
	f->nplaced = h->nplaced;
	f->ntextures = h->ntextures;
	f->heap = h->heap;
	for (u32 i = 0, at = 0; i < f->nplaced; at += f->placed[i++].m->ntexrefs)
		memcpy(f->placed[i].tex, h->tex + at, f->placed[i].m->ntexrefs * sizeof(s32));
}

bool ptx_heap(const struct front *front, struct heap_info *out)
{
	const struct ptx *f = ptx_const(front);
	if (f->heap.base)
		heap_counts(&f->heap, f->mem, out);
	return f->heap.base != 0;
}

bool ptx_heap_block(const struct front *front, u64 addr, u64 *start, u64 *bytes)
{
	const struct ptx *f = ptx_const(front);
	return heap_find(&f->heap, f->mem, addr, start, bytes) >= HEAP_INSIDE;
}

bool ptx_check_launch(const struct front *front, const struct launch *l, struct err *e)
{
	const struct ptx *f = ptx_const(front);
	const struct func *fn = l->fn;
	const u64 threads = (u64)l->block.x * l->block.y * l->block.z;
	bool known = false;
	for (u32 i = 0; i < f->nplaced; i++)
		known |= f->placed[i].m == l->mod;
	if (!known)
		return err_set(e, "kernel %s: its module %s was not placed on this device", func_label(fn), l->mod->path);
	if (!threads || l->warps != ceil_div(threads, LANES) || !l->grid.x || !l->grid.y || !l->grid.z)
		return err_set(e, "kernel %s: grid %ux%ux%u of blocks %ux%ux%u is empty or has a wrong number of warps",
		               func_label(fn), l->grid.x, l->grid.y, l->grid.z, l->block.x, l->block.y, l->block.z);
	if (l->warps > f->nwarps)
		return err_set(e, "kernel %s: %u warps per CTA, an SM holds %u (sm.threads)", func_label(fn), l->warps,
		               f->nwarps);
	if (first_frame(f, fn) + frame_size(fn) > f->window_bytes)
		return err_set(e, "kernel %s: its registers take %" PRIu64 " bytes per warp, more than front.frame_kb = %u KiB",
		               func_label(fn), frame_size(fn), f->window_bytes >> 10);
	if (fn->local_bytes > f->local_max)
		return err_set(e, "kernel %s: %u bytes of local memory per thread, more than front.local_kb = %u KiB",
		               func_label(fn), fn->local_bytes, f->local_max >> 10);
	if (!local_fits(f, fn))
		return err_set(e,
		               "kernel %s: %u bytes of local memory per thread, for %" PRIu64
		               " threads more than three quarters of mem.heap_mb = %" PRIu64 " MiB",
		               func_label(fn), fn->local_bytes, nthreads(f), f->mem->bytes >> 20);
	if (l->shared_bytes > f->shared_max)
		return err_set(e, "kernel %s: %u bytes of shared memory per CTA, an SM has %u (sm.shared)", func_label(fn),
		               l->shared_bytes, f->shared_max);
	return true;
}
