/* Which front ends there are, and asking the one of a machine: what holds for those that lack an entry. */
#include "front/front.h"

#include <string.h>

const char *const fault_code_names[FAULT_COUNT] = {
    [FAULT_NONE] = "none",
    [FAULT_OOB] = "oob",
    [FAULT_MISALIGNED] = "misaligned",
    [FAULT_FREED] = "freed",
    [FAULT_READONLY] = "readonly",
    [FAULT_SHARED_OOB] = "shared-oob",
    [FAULT_SHARED_UNINIT] = "shared-uninit",
    [FAULT_LOCAL_OOB] = "local-oob",
    [FAULT_PARAM_OOB] = "param-oob",
    [FAULT_DIVERGENT_BARRIER] = "divergent-barrier",
    [FAULT_STACK_OVERFLOW] = "stack-overflow",
    [FAULT_BAD_CALL] = "bad-call",
    [FAULT_TRAP] = "trap",
    [FAULT_BRKPT] = "brkpt",
    [FAULT_BAD_TEXTURE] = "bad-texture",
    [FAULT_BAD_BARRIER] = "bad-barrier",
    [FAULT_CALL_DEPTH] = "call-depth",
    [FAULT_BAD_SURFACE] = "bad-surface",
    [FAULT_SURFACE_OOB] = "surface-oob",
    [FAULT_BAD_MASK] = "bad-mask",
    [FAULT_BAD_FREE] = "bad-free",
    [FAULT_FLUSH] = "flush",
    [FAULT_DIVERGENT_MATRIX] = "divergent-matrix",
    [FAULT_MBARRIER] = "mbarrier",
    [FAULT_COPY_RACE] = "copy-race",
    [FAULT_LANES_STUCK] = "lanes-stuck",
    [FAULT_ALLOCA] = "alloca",
};

#define FRONT(v) extern const struct front_ops v;
#include "base/hash.h"
#include "front/all.def"
#undef FRONT
static const struct front_ops *const fronts[] = {
#define FRONT(v) &v,
#include "front/all.def"
#undef FRONT
};

const struct front_ops *front_nth(u32 i)
{
	return i < ARRAY_LEN(fronts) ? fronts[i] : NULL;
}

const struct front_ops *front_find(const char *name, struct err *e)
{
	struct strbuf all = {0};
	for (u32 i = 0; i < ARRAY_LEN(fronts); i++) {
		if (!strcmp(fronts[i]->name, name)) {
			strbuf_release(&all);
			return fronts[i];
		}
		strbuf_addf(&all, "%s%s", i ? ", " : "", fronts[i]->name);
	}
	err_set(e, "front: there is no front end '%s' (there is: %s)", name, strbuf_str(&all));
	strbuf_release(&all);
	return NULL;
}

u64 front_state_bytes(const struct front_ops *o, const struct conf *c)
{
	return o->state_bytes(c);
}

struct front *front_create(const struct front_ops *o, const struct conf *c, struct arena *state, struct devmem *mem,
                           struct err *e)
{
	struct front *f = o->create(c, state, mem, e);
	if (f)
		f->ops = o;
	return f;
}

void front_destroy(struct front *f)
{
	f->ops->destroy(f);
}

/* --- programs, launches, CTAs ------------------------------------------------------------------------------------- */

struct module *front_load_files(const struct front *f, const struct conf *c, const char *const *paths, u32 n,
                                struct err *e)
{
	if (f->ops->load_files)
		return f->ops->load_files(c, paths, n, e);
	err_set(e, "%s: the front end '%s' reads no files", n ? paths[0] : "", f->ops->name);
	return NULL;
}

struct module *front_load_texts(const struct front *f, const struct conf *c, const struct source_text *texts, u32 n,
                                struct err *e)
{
	if (f->ops->load_texts)
		return f->ops->load_texts(c, texts, n, e);
	err_set(e, "%s: the front end '%s' reads files only", texts[0].name, f->ops->name);
	return NULL;
}

bool front_place(struct front *f, struct module *m, struct err *e)
{
	return !f->ops->place || f->ops->place(f, m, e);
}

u64 front_grid_workspace(struct front *f, struct err *e)
{
	if (f->ops->grid_workspace)
		return f->ops->grid_workspace(f, e);
	return err_set(e, "the front end '%s' has no cooperative launches", f->ops->name);
}

bool front_check_launch(const struct front *f, const struct launch *l, struct err *e)
{
	return !f->ops->check_launch || f->ops->check_launch(f, l, e);
}

void front_kernel_start(struct front *f, const struct launch *l, u32 slot)
{
	if (f->ops->kernel_start)
		f->ops->kernel_start(f, l, slot);
}

/* A set of a CTA's warps, as the front end numbers them. */
static u64 own_warps(const struct front *f, u32 sm, u32 slot, u64 warps)
{
	u64 own = 0;
	if (!f->map)
		return warps;
	const struct front_map *m = &f->map[sm];
	FOR_EACH_BIT(w, warps)
	own |= BIT(m->warp[w] - m->first[m->cta[slot]]);
	return own;
}

void front_cta_start(struct front *f, u32 sm, u32 slot, const struct launch *l, u64 cta, u64 warps)
{
	f->ops->cta_start(f, sm, front_slot(f, sm, slot), l, cta, f->map ? bit_range(l->warps) : warps);
}

u64 front_cta_save(struct front *f, u32 sm, u32 slot, u8 *out)
{
	return f->ops->cta_save ? f->ops->cta_save(f, sm, front_slot(f, sm, slot), out) : 0;
}

void front_cta_restore(struct front *f, u32 sm, u32 slot, u64 warps, const u8 *saved)
{
	f->ops->cta_restore(f, sm, front_slot(f, sm, slot), f->map ? bit_range(bit_count(warps)) : warps, saved);
}

void front_barrier_release(struct front *f, u32 sm, u32 slot, u32 bar_id, u64 warps)
{
	if (f->ops->barrier_release)
		f->ops->barrier_release(f, sm, front_slot(f, sm, slot), bar_id, own_warps(f, sm, slot, warps));
}

/* --- faults, output, textures ------------------------------------------------------------------------------------- */

void front_read(struct front *f, u32 sm, u64 before)
{
	if (f->ops->read)
		f->ops->read(f, sm, before);
}

u32 front_queued(const struct front *f, u32 sm)
{
	return f->ops->queued ? f->ops->queued(f, sm) : 0;
}

const struct fault *front_fault(const struct front *f)
{
	static const struct fault none;
	return f->ops->fault ? f->ops->fault(f) : &none;
}

void front_raise_fault(struct front *f, u64 cycle, const struct fault *x)
{
	if (f->ops->raise_fault)
		f->ops->raise_fault(f, cycle, x);
}

void front_clear_fault(struct front *f)
{
	if (f->ops->clear_fault)
		f->ops->clear_fault(f);
}

void front_fault_text(const struct front *f, const struct fault *x, const struct launch *l, struct strbuf *out)
{
	if (f->ops->fault_text)
		f->ops->fault_text(f, x, l, out);
}

void front_take_printf(struct front *f, u32 program, struct strbuf *out)
{
	if (f->ops->take_printf)
		f->ops->take_printf(f, program, out);
}

static bool no_textures(const struct front *f, struct err *e)
{
	return err_set(e, "the front end '%s' has no textures and surfaces", f->ops->name);
}

bool front_bind_texture(struct front *f, struct module *m, const char *name, const struct texture *t, struct err *e)
{
	return f->ops->bind_texture ? f->ops->bind_texture(f, m, name, t, e) : no_textures(f, e);
}

u64 front_texture_object(struct front *f, const struct texture *t, struct err *e)
{
	return f->ops->texture_object ? f->ops->texture_object(f, t, e) : no_textures(f, e);
}

u64 front_surface_object(struct front *f, const struct texture *t, struct err *e)
{
	return f->ops->surface_object ? f->ops->surface_object(f, t, e) : no_textures(f, e);
}

/* --- going back in time ------------------------------------------------------------------------------------------- */

void *front_host_save(const struct front *f)
{
	return f->ops->host_save ? f->ops->host_save(f) : NULL;
}

void front_host_restore(struct front *f, const void *saved)
{
	if (f->ops->host_restore)
		f->ops->host_restore(f, saved);
}

/* --- inspection --------------------------------------------------------------------------------------------------- */

bool front_check_state(const struct front *f, u32 sm, u64 resident, u64 exited, struct err *e)
{
	return !f->ops->check_state || f->ops->check_state(f, sm, resident, exited, e);
}

const char *const lanes_do_names[] = {
    [LANES_RUN] = "run",
    [LANES_CAN_RUN] = "can run",
    [LANES_JOIN] = "wait for the others of a branch or call",
    [LANES_WAIT] = "wait there for others",
};

u32 front_stack(const struct front *f, u32 sm, u32 warp, struct simt_entry *out, u32 max)
{
	if (f->ops->stack)
		return f->ops->stack(f, sm, front_warp(f, sm, warp), out, max);
	const u32 pc = front_pc(f, sm, warp);
	if (pc == PC_DONE)
		return 0;
	if (max)
		out[0] = (struct simt_entry){.pc = pc, .reconv = RECONV_NONE, .mask = front_active_mask(f, sm, warp)};
	if (max)
		out[0].lanes = out[0].mask;
	return 1;
}

u64 front_warp_hash(const struct front *f, u32 sm, u32 warp)
{
	if (f->ops->warp_hash)
		return f->ops->warp_hash(f, sm, front_warp(f, sm, warp));
	const u32 now[2] = {front_pc(f, sm, warp), front_active_mask(f, sm, warp)};
	return hash_bytes(now, sizeof now, 0);
}

u64 front_deep_hash(const struct front *f)
{
	return f->ops->deep_hash ? f->ops->deep_hash(f) : 0;
}

u64 front_read_reg(const struct front *f, u32 sm, u32 warp, u32 lane, opnd at, enum ptype t)
{
	return f->ops->read_reg ? f->ops->read_reg(f, sm, front_warp(f, sm, warp), lane, at, t) : 0;
}

bool front_stored(const struct front *f, u32 sm, u32 warp, const struct inst *in, u8 *out)
{
	return f->ops->stored && f->ops->stored(f, sm, front_warp(f, sm, warp), in, out);
}

bool front_write_reg(struct front *f, u32 sm, u32 warp, u32 lane, opnd at, enum ptype t, u64 bits)
{
	return f->ops->write_reg && f->ops->write_reg(f, sm, front_warp(f, sm, warp), lane, at, t, bits);
}

bool front_read_local(const struct front *f, u32 sm, u32 warp, u32 lane, u64 off, void *out, u32 n)
{
	return f->ops->read_local && f->ops->read_local(f, sm, front_warp(f, sm, warp), lane, off, out, n);
}

const struct lock_change *front_lock(const struct front *f, enum space space, u32 sm, u32 slot, u64 addr)
{
	return f->ops->lock ? f->ops->lock(f, space, sm, front_slot(f, sm, slot), addr) : NULL;
}

bool front_heap(const struct front *f, struct heap_info *out)
{
	return f->ops->heap && f->ops->heap(f, out);
}

bool front_heap_block(const struct front *f, u64 addr, u64 *start, u64 *bytes)
{
	return f->ops->heap_block && f->ops->heap_block(f, addr, start, bytes);
}

u32 front_mbarriers(const struct front *f, u32 sm, u32 slot, struct mbarrier_info *out, u32 max)
{
	return f->ops->mbarriers ? f->ops->mbarriers(f, sm, front_slot(f, sm, slot), out, max) : 0;
}

bool front_mbarrier_wait(const struct front *f, u32 sm, u32 warp, struct mbarrier_wait *out)
{
	return f->ops->mbarrier_wait && f->ops->mbarrier_wait(f, sm, front_warp(f, sm, warp), out);
}

bool front_mbarrier_poll(struct front *f, u32 sm, u32 warp)
{
	return f->ops->mbarrier_poll(f, sm, front_warp(f, sm, warp));
}

bool front_copies_arrive(struct front *f, u32 sm, u32 warp, u64 cycle, const struct copies_arrive *a)
{
	return f->ops->copies_arrive(f, sm, front_warp(f, sm, warp), cycle, a);
}

u8 *front_shared(struct front *f, u32 sm, u32 slot, u32 *bytes)
{
	if (f->ops->shared)
		return f->ops->shared(f, sm, front_slot(f, sm, slot), bytes);
	*bytes = 0;
	return NULL;
}
