#include "front/ptx/executor/memory.h"

#include "front/ptx/runtime/mbarrier.h"
#include "front/ptx/ops.h"

#include <string.h>

void mem_addresses(struct exec *x, const struct inst *in)
{
	u64 *addr = x->out->addr;
	if (in->s[0] == OPND_NONE) {
		for (u32 i = 0; i < LANES; i++)
			addr[i] = (u64)in->imm;
	} else if (in->base_bytes == 4) {
		const u32 *b = exec_at(x, in->s[0]);
		for (u32 i = 0; i < LANES; i++)
			addr[i] = b[i] + (u32)in->imm;
	} else {
		const u64 *b = exec_at(x, in->s[0]);
		for (u32 i = 0; i < LANES; i++)
			addr[i] = b[i] + (u64)in->imm;
	}
}

static u32 fault_of_lane(const u8 *codes, u32 lanes, enum fault_code *code, u32 *lane)
{
	u32 bad = 0;
	for (u32 left = lanes; left; left &= left - 1) {
		u32 i = first_lane(left);
		if (codes[i] == FAULT_NONE)
			continue;
		if (!bad) {
			*code = codes[i];
			*lane = i;
		}
		if (codes[i] == *code)
			bad |= 1u << i;
	}
	return bad;
}

/* Records the fault of the lowest lane at fault, with all the lanes that share it. True when there is none. */
static bool report(struct exec *x, const u8 *codes, u32 lanes, u32 bytes, bool store, enum space space)
{
	enum fault_code code = FAULT_NONE;
	u32 lane = 0, bad = fault_of_lane(codes, lanes, &code, &lane);
	if (!bad)
		return true;
	exec_fault(x, code, bad, x->out->addr[lane], bytes, store, space);
	return false;
}

bool mem_check_aligned(struct exec *x, u32 lanes, u32 bytes, bool store, enum space space)
{
	u8 codes[LANES] = {0};
	for (u32 i = 0; i < LANES; i++)
		codes[i] = x->out->addr[i] & (bytes - 1) ? FAULT_MISALIGNED : FAULT_NONE;
	return report(x, codes, lanes, bytes, store, space);
}

static bool cached(const struct exec *x, const struct sm_side *s, u64 addr, u32 bytes)
{
	return s->epoch == x->f->mem->epoch && addr >= s->lo && addr < s->hi && s->hi - addr >= bytes;
}

/* Within the heap of malloc() the bounds are those of a block. */
static enum fault_code block_bounds(const struct ptx *f, u64 addr, u64 *lo, u64 *size)
{
	switch (heap_find(&f->heap, f->mem, addr, lo, size)) {
	case HEAP_INSIDE:
	case HEAP_START: return addr - *lo < *size ? FAULT_NONE : FAULT_OOB;
	case HEAP_FREED: return FAULT_FREED;
	default: return FAULT_OOB;
	}
}

static void remember(struct exec *x, u64 lo, u64 hi, bool readonly)
{
	struct sm_side *s = &x->f->side[x->sm];
	s->lo = lo;
	s->hi = hi;
	s->epoch = x->f->mem->epoch;
	s->readonly = readonly;
}

static bool bounds_checked(const struct ptx *f)
{
	return f->check_bounds || f->mem->several;
}

/* If bounds are not checked, for what no allocation holds: what the chip would do. */
static bool passes_on_chip(struct exec *x, u64 addr)
{
	u64 lo, hi;
	if (bounds_checked(x->f) || !devmem_mapped(x->f->mem, addr, &lo, &hi))
		return false;
	remember(x, lo, hi, false);
	return true;
}

/* Makes what holds addr the SM's last allocation, or says why it may not be accessed. */
static enum fault_code find_bounds(struct exec *x, u64 addr)
{
	const struct ptx *f = x->f;
	const struct alloc *a = devmem_find(f->mem, addr);
	if (!a || a->freed)
		return passes_on_chip(x, addr) ? FAULT_NONE : a ? FAULT_FREED : FAULT_OOB;
	if (unlikely(f->mem->several) && a->owner != x->ref->l->mod->owner && !devmem_shared(a))
		return FAULT_OOB;
	u64 lo = a->addr, size = a->size;
	const enum fault_code code =
	    unlikely(a->heap) && bounds_checked(f) ? block_bounds(f, addr, &lo, &size) : FAULT_NONE;
	if (code != FAULT_NONE)
		return code;
	remember(x, lo, lo + size, a->readonly);
	return FAULT_NONE;
}

bool mem_locate(struct exec *x, u64 addr)
{
	return find_bounds(x, addr) == FAULT_NONE;
}

/* One lane's device access; the allocation found is kept for the next ones. */
static enum fault_code check_address(struct exec *x, u64 addr, u32 bytes, bool store)
{
	const struct sm_side *s = &x->f->side[x->sm];
	if (addr & (bytes - 1))
		return FAULT_MISALIGNED;
	if (!cached(x, s, addr, bytes)) {
		const enum fault_code code = find_bounds(x, addr);
		if (code != FAULT_NONE)
			return code;
		/* an aligned access across an allocation's end stays in the piece that the allocation has mapped */
		if (!cached(x, s, addr, bytes) && bounds_checked(x->f))
			return FAULT_OOB;
	}
	return store && s->readonly ? FAULT_READONLY : FAULT_NONE;
}

bool mem_check_device(struct exec *x, u32 lanes, u32 bytes, bool store, enum space space)
{
	u8 codes[LANES] = {0};
	const struct sm_side *s = &x->f->side[x->sm];
	if (s->epoch == x->f->mem->epoch && s->hi - s->lo >= bytes && !(store && s->readonly) &&
	    mem_lanes_within(x->out->addr, lanes, s->lo, s->hi - s->lo - bytes, bytes))
		return true;
	for (u32 left = lanes; left; left &= left - 1) {
		u32 i = first_lane(left);
		codes[i] = (u8)check_address(x, x->out->addr[i], bytes, store);
	}
	return report(x, codes, lanes, bytes, store, space);
}

static u8 *written_map(const struct exec *x)
{
	return x->f->written + (u64)(x->sm * x->f->nslots + x->w->slot) * ((x->f->shared_max + 7) / 8);
}
static bool all_written(const u8 *map, u64 at, u32 bytes)
{
	for (u64 b = at; b < at + bytes; b++)
		if (!(map[b / 8] >> (b % 8) & 1))
			return false;
	return true;
}

bool mem_check_shared(struct exec *x, u32 lanes, u32 bytes, bool store, bool load)
{
	u8 codes[LANES] = {0};
	const u64 size = exec_cta(x)->shared_bytes;
	const bool track = x->f->check_uninit, copies = exec_cta(x)->copies;
	if (!track && !copies && size >= bytes && mem_lanes_within(x->out->addr, lanes, 0, size - bytes, bytes))
		return true;
	for (u32 left = lanes; left; left &= left - 1) {
		u32 i = first_lane(left);
		u64 at = x->out->addr[i];
		if (at >= size || size - at < bytes)
			codes[i] = FAULT_SHARED_OOB;
		else if (at & (bytes - 1))
			codes[i] = FAULT_MISALIGNED;
		else if (track && load && !all_written(written_map(x), at, bytes))
			codes[i] = FAULT_SHARED_UNINIT;
	}
	if (!report(x, codes, lanes, bytes, store, SPC_SHARED) || (copies && !copies_check(x, lanes, bytes, store)))
		return false;
	for (u32 left = track && store ? lanes : 0; left; left &= left - 1)
		for (u64 at = x->out->addr[first_lane(left)], b = at; b < at + bytes; b++)
			written_map(x)[b / 8] |= (u8)(1 << (b % 8));
	return true;
}

/* Offsets within [0, limit), in local memory or a function's parameter area. */
static bool check_offsets(struct exec *x, u32 lanes, u32 bytes, bool store, u64 limit, enum fault_code oob,
                          enum space space)
{
	u8 codes[LANES] = {0};
	for (u32 left = lanes; left; left &= left - 1) {
		u32 i = first_lane(left);
		u64 at = x->out->addr[i];
		codes[i] = (u8)(at >= limit || limit - at < bytes ? oob : at & (bytes - 1) ? FAULT_MISALIGNED : FAULT_NONE);
	}
	return report(x, codes, lanes, bytes, store, space);
}
bool mem_check_local(struct exec *x, u32 lanes, u32 bytes, bool store)
{
	return check_offsets(x, lanes, bytes, store, x->ref->local_bytes, FAULT_LOCAL_OOB, SPC_LOCAL);
}
bool mem_check_fparam(struct exec *x, u32 lanes, u32 bytes, bool store)
{
	return check_offsets(x, lanes, bytes, store, exec_func(x)->fparam_bytes, FAULT_PARAM_OOB, SPC_FPARAM);
}

struct generic_lanes mem_split_generic(const struct exec *x)
{
	struct generic_lanes g = {0};
	for (u32 i = 0; i < LANES; i++) {
		const u64 a = x->out->addr[i];
		g.shared |= (u32)(a - SHARED_WINDOW < WINDOW_BYTES) << i;
		g.local |= (u32)(a - LOCAL_WINDOW < WINDOW_BYTES) << i;
	}
	g.shared &= x->mask;
	g.local &= x->mask;
	g.global = x->mask & ~(g.shared | g.local);
	return g;
}

void mem_to_offset(struct exec *x, u32 lanes, u64 window)
{
	for (u32 left = lanes; left; left &= left - 1)
		x->out->addr[first_lane(left)] -= window;
}

void mem_hide_shared(struct exec *x, u32 shared)
{
	struct dyninst *out = x->out;
	out->flags |= shared && shared != x->mask ? DYN_MIXED : 0;
	if (out->space == SPC_SHARED)
		return;
	for (u32 left = shared; left; left &= left - 1)
		out->addr[first_lane(left)] = out->addr[first_lane(x->mask)];
}

void mem_local_addresses(struct exec *x, u32 lanes)
{
	const u64 base = exec_local(x);
	for (u32 left = lanes; left; left &= left - 1) {
		const u32 i = first_lane(left);
		x->out->addr[i] = local_byte(x->f, base, i, x->out->addr[i]);
	}
}

struct pending *mem_queue(struct exec *x, enum pending_kind kind, u32 lanes, u32 bytes)
{
	struct sm_side *s = &x->f->side[x->sm];
	struct pending *p = &s->pending[fifo_push(s->queue, x->f->pending_cap)];
	p->cycle = x->cycle;
	p->warp = x->warp;
	p->launch = x->w->launch;
	p->pc = x->out->pc;
	p->frame = x->w->frame;
	p->mask = lanes;
	p->dst = OPND_NONE;
	p->bytes = (u8)bytes;
	p->kind = (u8)kind;
	p->contig = p->flush = false;
	return p;
}

/* Of lanes that store to one address the lowest wins. PTX leaves it open; an H100 does it so. */
static void commit_store(struct devmem *d, const struct pending *p)
{
	if (p->contig) {
		memcpy(devmem_ptr(d, p->addr[0]), p->data, (size_t)p->bytes * LANES);
		devmem_touch(d, p->addr[0], p->bytes * LANES);
		return;
	}
	for (u32 left = p->mask, i; left; left &= ~(1u << i)) {
		i = last_lane(left);
		u8 *to = devmem_ptr(d, p->addr[i]);
		const u8 *from = p->data + i * p->bytes;
		switch (p->bytes) {
		case 4: memcpy(to, from, 4); break;
		case 8: memcpy(to, from, 8); break;
		case 16: memcpy(to, from, 16); break;
		case 2: memcpy(to, from, 2); break;
		default: *to = *from; break;
		}
		devmem_touch(d, p->addr[i], 1); /* aligned, so within one page */
	}
}

/* One lane of an atomic; what was there before. */
static u64 act(struct devmem *d, const struct pending *p, const struct inst *in, void *dst, u32 lane)
{
	const u64 *b = (const u64 *)p->data;
	const u64 old = atomic_apply(in->atom, in->type, devmem_ptr(d, p->addr[lane]), b[lane], p->cas[lane], p->flush);
	devmem_touch(d, p->addr[lane], 1);
	if (dst && p->bytes == 8)
		((u64 *)dst)[lane] = old;
	else if (dst)
		((u32 *)dst)[lane] = (u32)old;
	return old;
}

/* What may take a lock is remembered. */
static void commit_lock(struct ptx *f, u32 sm, const struct pending *p, const struct inst *in)
{
	void *dst = pending_at(f, sm, p, p->dst);
	const struct lock_by by = {p->cycle, sm, p->warp, p->pc};
	u64 old[LANES];
	for (u32 left = p->mask; left; left &= left - 1)
		old[first_lane(left)] = act(f->mem, p, in, dst, first_lane(left));
	lock_note(f, SPC_GLOBAL, &by, in, p->mask, &(struct lock_lanes){p->addr, (const u64 *)p->data, p->cas, old});
}

static void commit_atomic(struct ptx *f, u32 sm, const struct pending *p, const struct inst *in)
{
	struct devmem *d = f->mem;
	void *dst = pending_at(f, sm, p, p->dst);
	if (unlikely(in->atom == ATOM_MALLOC || in->atom == ATOM_FREE)) {
		heap_commit(f, sm, p);
		return;
	}
	u32 unused[LANES];
	const struct atomic_words w = {.base = (uintptr_t)d->mem - DEVMEM_BASE,
	                               .addr = p->addr,
	                               .b = p->data,
	                               .c = p->cas,
	                               .step = 8,
	                               .old = dst ? dst : unused,
	                               .flush = p->flush};
	const bool words = atomic_apply_words(in->atom, in->type, &w, p->mask);
	for (u32 left = p->mask; left; left &= left - 1) {
		const u32 i = first_lane(left);
		if (words)
			devmem_touch(d, p->addr[i], 1);
		else
			act(d, p, in, dst, i);
	}
}

/* A load that was queued: as load_lanes() of exec_mem.c, of device memory. */
static void commit_load(const struct ptx *f, u32 sm, const struct pending *p, const struct inst *in)
{
	const u32 size = ptype_bytes(in->type);
	const bool wide = size == 8 || ptype_bytes(in->stype) == 8;
	const bool sign = size < 8 && ptype_is_signed(in->type) && !ptype_is_float(in->type);
	for (u32 k = 0; k < in->vec; k++) {
		void *dst = pending_at(f, sm, p, in->d[k]);
		for (u32 left = dst ? p->mask : 0; left; left &= left - 1) {
			const u32 i = first_lane(left);
			u64 v = 0;
			memcpy(&v, devmem_ptr(f->mem, (p->contig ? p->addr[0] + i * p->bytes : p->addr[i]) + k * size), size);
			if (sign)
				v = (u64)((s64)(v << (64 - 8 * size)) >> (64 - 8 * size));
			if (wide)
				((u64 *)dst)[i] = v;
			else
				((u32 *)dst)[i] = (u32)v;
		}
	}
}

void ptx_read(struct front *front, u32 sm, u64 before)
{
	const struct ptx *f = ptx_of(front);
	const struct sm_side *s = &f->side[sm];
	for (u32 k = 0; k < s->queue->n; k++) {
		const struct pending *p = &s->pending[fifo_at(s->queue, f->pending_cap, k)];
		if (p->cycle >= before)
			return;
		if (p->kind == PENDING_LOAD)
			commit_load(f, sm, p, pending_inst(f, p));
	}
}

u32 ptx_queued(const struct front *front, u32 sm)
{
	return ptx_const(front)->side[sm].queue->n;
}

static void commit(struct ptx *f, u32 sm, const struct pending *p)
{
	if (p->kind == PENDING_STORE) {
		commit_store(f->mem, p);
	} else if (p->kind == PENDING_ATOMIC) {
		const struct inst *in = pending_inst(f, p);
		if (unlikely(in->cmp && in->type != T_B128))
			atomic_vector_commit(f, sm, p);
		else if (unlikely(p->bytes == 16))
			atomic128_commit(f, sm, p);
		else if (lock_op(in))
			commit_lock(f, sm, p, in);
		else
			commit_atomic(f, sm, p, in);
	}
}

bool ptx_commit(struct front *front, u32 sm, u64 before)
{
	struct ptx *f = ptx_of(front);
	struct sm_side *s = &f->side[sm];
	if (unlikely(s->said.n))
		flush_text(f, s);
	while (s->queue->n && s->pending[s->queue->head].cycle < before)
		commit(f, sm, &s->pending[fifo_pop(s->queue, f->pending_cap)]);
	return f->faulted[sm] != 0;
}
