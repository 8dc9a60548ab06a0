/* The SIMT stack: branches, calls, exits, barriers.
 *
 * The warp holds the top entry; entries below wait. A branch that splits the lanes leaves one entry that waits at the
 * reconvergence point R for all of them (unless the entry below waits there already) and one entry per path; lanes that
 * jump straight to R need none. So every path entry has fewer lanes than the join below it and one level of calls takes
 * at most 64 entries. A call adds two: the caller's path, waiting behind the call, and the call entry with the caller's
 * frame. A path runs until it reaches its R or has lost all lanes by ret or exit. The fall-through path runs first,
 * unless lanes wait for those of another path (meet.h). */
#include <string.h>

#include "front/ptx/executor/meet.h"
#include "front/ptx/runtime/mbarrier.h"
#include "front/ptx/executor/splits.h"

struct path {
	u32 pc, mask;
};

static inline struct simt *entry(const struct exec *x, u32 d)
{
	return simt_entry_at(x->f, x->sm, x->warp, d);
}
struct simt *simt_entry(const struct exec *x, u32 d)
{
	return entry(x, d);
}

/* Calls that the top is in. */
static u32 call_depth(const struct exec *x)
{
	u32 n = 0;
	for (u32 d = 0; d < x->w->depth; d++)
		n += entry(x, d)->reconv == RECONV_CALL && !(x->mask & ~entry(x, d)->mask);
	return n;
}

bool simt_has_room(struct exec *x, u32 entries)
{
	if (x->w->depth + entries <= SIMT_NEAR)
		return true;
	if (x->w->depth + entries <= SIMT_DEPTH) {
		arena_reach(x->f->arena, deep_index(x->f, x->sm, x->warp) * x->f->deep_stride + DEEP_STACK);
		return true;
	}
	exec_fault(x, FAULT_CALL_DEPTH, x->mask, call_depth(x), 0, false, SPC_NONE);
	return false;
}

static void push(struct exec *x, struct simt e)
{
	*entry(x, x->w->depth++) = e;
}
static void push_path(struct exec *x, u32 pc, u32 reconv, u32 mask)
{
	push(x, (struct simt){.pc = pc, .reconv = reconv, .mask = mask, .frame = x->w->frame});
}

static u32 func_of(const struct module *m, u32 pc)
{
	for (u32 i = 0; i < m->nfuncs; i++)
		if (m->funcs[i].entry <= pc && pc < m->funcs[i].end)
			return i;
	BUG("pc %u is in no function", pc);
}
u32 simt_func_at(const struct exec *x, u32 pc)
{
	return func_of(x->ref->l->mod, pc);
}

/* Goes on with paths[0], the others wait. Their masks are disjoint and together make up the active lanes. */
static void diverge(struct exec *x, const struct path *paths, u32 n, u32 reconv)
{
	struct warp *w = x->w;
	const u32 outer = w->reconv, join = reconv == RECONV_NONE ? outer : reconv;
	if (n == 1) {
		x->next_pc = paths[0].pc;
		return;
	}
	if (!simt_has_room(x, n))
		return;
	x->out->flags |= DYN_DIVERGED;
	if (join != outer)
		push_path(x, join, outer, w->mask);
	w->mask = 0;
	w->reconv = join;
	u32 arrived = 0;
	for (u32 i = n; i-- > 0;) {
		if (paths[i].pc == join) {
			arrived = paths[i].mask;
			continue;
		}
		if (w->mask)
			push_path(x, x->next_pc, join, w->mask);
		x->next_pc = paths[i].pc;
		w->mask = paths[i].mask;
	}
	if (unlikely(w->uneasy) && arrived)
		splits_arrive(x);
}

static void bra(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	const u32 fall = x->active & ~x->mask;
	if (in->guard != OPND_NONE)
		x->out->taken = x->mask;
	if (!fall || x->next_pc == (u32)in->target) {
		x->next_pc = (u32)in->target;
	} else {
		const struct path paths[2] = {{x->next_pc, fall}, {(u32)in->target, x->mask}};
		diverge(x, paths, 2, (u32)in->reconv);
	}
	if (x->next_pc <= x->out->pc)
		splits_back(x, in->mode == BRA_WAITS);
}

/* Adds lanes to the path with this pc. */
static u32 add_path(struct path *paths, u32 n, u32 pc, u32 lanes)
{
	for (u32 i = 0; i < n; i++)
		if (paths[i].pc == pc) {
			paths[i].mask |= lanes;
			return n;
		}
	paths[n] = (struct path){pc, lanes};
	return n + 1;
}

static void brx(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	const struct branch_table *t = &x->ref->l->mod->tables[in->table];
	const u32 *index = exec_at(x, in->s[0]);
	struct path paths[LANES + 1] = {0};
	u32 n = 0, bad = 0;
	if (x->active & ~x->mask)
		n = add_path(paths, n, x->next_pc, x->active & ~x->mask);
	for (u32 left = x->mask; left; left &= left - 1) {
		const u32 i = first_lane(left);
		if (index[i] >= t->n)
			bad |= 1u << i;
		else
			n = add_path(paths, n, t->pc[index[i]], 1u << i);
	}
	x->out->taken = x->mask;
	if (bad)
		exec_fault(x, FAULT_BAD_CALL, bad, index[first_lane(bad)], 0, false, SPC_NONE);
	else
		diverge(x, paths, n, (u32)in->reconv);
	if (x->next_pc <= x->out->pc)
		splits_back(x, false);
}

/* --- calls -------------------------------------------------------------------------------------------------------- */

/* Copies `bytes` per lane between word-interleaved areas, for the given lanes. */
static void move_bytes(u8 *to, u32 at_to, const u8 *from, u32 at_from, u32 bytes, u32 lanes)
{
	while (bytes) {
		const bool word = bytes >= 4 && at_to % 4 == 0 && at_from % 4 == 0;
		const u32 n = word ? 4 : 1;
		for (u32 i = 0; i < LANES; i++)
			if (lanes >> i & 1)
				memcpy(to + at_to / 4 * (4 * LANES) + 4 * i + at_to % 4,
				       from + at_from / 4 * (4 * LANES) + 4 * i + at_from % 4, n);
		at_to += n;
		at_from += n;
		bytes -= n;
	}
}

static u8 *fparam_at(const struct exec *x, u32 frame, u32 func)
{
	return frame_window_at(x->f, x->sm, x->warp, frame) + x->ref->funcs[func].frame_bytes;
}

/* Behind the running frame, and those of paths that have left the top. */
u64 frames_end(const struct ptx *f, u32 sm, u32 warp)
{
	const struct warp *w = &f->warps[sm * f->nwarps + warp];
	const struct launch_ref *ref = &f->launches[w->launch];
	u64 at = w->frame + frame_size(&ref->funcs[w->func]);
	for (u32 d = 0; d < w->depth && w->moved; d++) {
		const struct simt *e = simt_entry_at(f, sm, warp, d);
		if (e->reconv != RECONV_CALL)
			at = MAX(at, e->frame + frame_size(&ref->funcs[func_of(ref->l->mod, e->pc)]));
	}
	return at;
}

/* Where a callee's frame may lie. None lies across the end of the near part. */
static u64 free_frame(const struct exec *x, u64 bytes)
{
	const u64 at = frames_end(x->f, x->sm, x->warp), near = x->f->window_near;
	return at < near && at + bytes > near ? near : at;
}

/* Is there local memory for the callee's own variables, its frame being there? */
static bool local_fits(struct exec *x, const struct func *fn, u32 frame, u32 lanes)
{
	const struct module *m = x->ref->l->mod;
	const u64 need = m->local_fixed + (u64)(frame / m->local_unit) * m->local_step + fn->local_own;
	if (need <= x->ref->local_bytes)
		return true;
	exec_fault(x, FAULT_STACK_OVERFLOW, lanes, call_depth(x) + 1, (u32)need, false, SPC_LOCAL);
	return false;
}

/* Lanes enter a function; the others of the active ones wait behind the call. */
static void enter(struct exec *x, const struct inst *in, u32 callee, u32 lanes)
{
	struct warp *w = x->w;
	const struct func *fn = &x->ref->funcs[callee];
	const u64 frame = free_frame(x, frame_size(fn));
	if (frame + frame_size(fn) > x->f->window_bytes) {
		exec_fault(x, FAULT_STACK_OVERFLOW, lanes, call_depth(x) + 1, (u32)(frame + frame_size(fn)), false, SPC_NONE);
		return;
	}
	if (unlikely(fn->local_own) && !local_fits(x, fn, (u32)frame, lanes))
		return;
	if (!simt_has_room(x, 2))
		return;
	frames_reach(x->f, x->sm, x->warp, frame + frame_size(fn));
	memset(frame_window_at(x->f, x->sm, x->warp, (u32)frame), 0, frame_size(fn));
	const struct call_info *c = in->call >= 0 ? &x->ref->l->mod->calls[in->call] : NULL;
	for (u32 i = 0; c && i < c->nargs; i++)
		move_bytes(fparam_at(x, (u32)frame, callee), c->args[i].to, exec_fparam(x), c->args[i].from, c->args[i].bytes,
		           lanes);
	push_path(x, x->next_pc, w->reconv, w->mask);
	push(x, (struct simt){.pc = w->func, .reconv = RECONV_CALL, .mask = lanes, .frame = w->frame});
	w->frame = (u32)frame;
	w->func = callee;
	w->mask = lanes;
	w->reconv = RECONV_NONE;
	x->next_pc = fn->entry;
}

static void move_results(struct exec *x, const struct simt *call, const struct simt *path, u32 frame, u32 callee,
                         u32 lanes)
{
	const struct inst *in = &x->ref->code[path->pc - 1];
	const struct call_info *c = in->call >= 0 ? &x->ref->l->mod->calls[in->call] : NULL;
	for (u32 i = 0; c && i < c->nrets; i++)
		move_bytes(fparam_at(x, call->frame, call->pc), c->rets[i].to, fparam_at(x, frame, callee), c->rets[i].from,
		           c->rets[i].bytes, lanes);
}

/* All lanes of a call have returned: results move to the caller, whose path becomes the top. */
static void leave(struct exec *x)
{
	struct warp *w = x->w;
	const struct simt *call = entry(x, w->depth - 1), *path = entry(x, w->depth - 2);
	move_results(x, call, path, w->frame, w->func, call->mask);
	w->frame = call->frame;
	w->func = call->pc;
	w->pc = path->pc;
	w->reconv = path->reconv;
	w->mask = path->mask;
	w->depth -= 2;
}

void simt_return(struct exec *x, u32 d, u32 lanes)
{
	struct simt *call = entry(x, d);
	const struct simt *inside = entry(x, d + 1);
	move_results(x, call, entry(x, d - 1), inside->frame, simt_func_at(x, inside->pc), lanes);
	call->mask &= ~lanes;
}

/* The entry below takes the place of a top that is empty or has arrived. */
static void pop(struct exec *x)
{
	struct warp *w = x->w;
	const struct simt *e = entry(x, w->depth - 1);
	if (unlikely(w->uneasy))
		splits_arrive(x);
	if (e->reconv == RECONV_CALL) {
		leave(x);
		return;
	}
	if (e->pc == w->reconv) /* else another path of the branch begins */
		x->out->flags |= DYN_JOINED;
	w->pc = e->pc;
	w->reconv = e->reconv;
	w->mask = e->mask;
	w->depth--;
	if (unlikely(w->moved)) {
		w->frame = e->frame;
		w->func = simt_func_at(x, e->pc);
	}
	path_runs(x);
}

void simt_settle(struct exec *x)
{
	struct warp *w = x->w;
	for (;;) {
		while (!w->mask || w->pc == w->reconv) {
			if (!w->depth) {
				w->mask = 0;
				return;
			}
			pop(x);
		}
		if (unlikely(w->waits & w->mask))
			meet_switch(x);
		else if (likely(!w->uneasy) || !splits_rest(x))
			return;
	}
}

static void call_direct(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	enter(x, in, (u32)in->func, x->mask);
}

/* Index of the function whose code starts at a device address, or -1. */
static s32 func_at(const struct exec *x, u64 addr)
{
	const struct module *m = x->ref->l->mod;
	for (u32 i = 0; i < m->nfuncs; i++)
		if (addr == m->code_base + 8ull * m->funcs[i].entry && !m->funcs[i].is_kernel)
			return (s32)i;
	return -1;
}

/* Several targets: the lanes of the lowest lane's target go first, the rest runs the call again afterwards. */
static void call_indirect(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	struct warp *w = x->w;
	const u64 *addr = exec_at(x, in->s[0]);
	const u64 target = addr[first_lane(x->mask)];
	const s32 callee = func_at(x, target);
	u32 lanes = 0;
	for (u32 left = x->mask; left; left &= left - 1)
		lanes |= (u32)(addr[first_lane(left)] == target) << first_lane(left);
	if (callee < 0) {
		exec_fault(x, FAULT_BAD_CALL, lanes, target, 0, false, SPC_NONE);
		return;
	}
	const u32 rest = x->mask & ~lanes, depth = w->depth;
	const struct warp before = *w;
	if (rest) {
		if (!simt_has_room(x, 4))
			return;
		x->out->flags |= DYN_DIVERGED;
		if (w->reconv != x->next_pc)
			push_path(x, x->next_pc, w->reconv, w->mask);
		push_path(x, x->out->pc, x->next_pc, rest);
		w->reconv = x->next_pc;
		w->mask = lanes;
	}
	enter(x, in, (u32)callee, lanes);
	if (x->out->flags & DYN_FAULT) {
		*w = before;
		w->depth = depth;
	}
}

static void exit_lanes(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	struct warp *w = x->w;
	for (u32 i = 0; i < w->depth; i++)
		entry(x, i)->mask &= ~x->mask;
	w->mask &= ~x->mask;
	w->live &= ~x->mask;
	w->uneasy |= w->waits && x->f->splits ? UNEASY_LEFT : 0;
	if (!w->live) {
		w->depth = 0;
		x->out->flags |= DYN_WARP_DONE;
	}
}

static void ret(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	u32 d = x->w->depth;
	while (d && entry(x, d - 1)->reconv != RECONV_CALL)
		d--;
	if (!d) {
		exit_lanes(ctx, in);
		return;
	}
	for (; d < x->w->depth; d++)
		entry(x, d)->mask &= ~x->mask;
	x->w->mask &= ~x->mask;
}

/* --- barriers and the rest ---------------------------------------------------------------------------------------- */
static u32 uniform(const struct exec *x, opnd at, u32 absent)
{
	return at == OPND_NONE ? absent : ((const u32 *)exec_at(x, at))[first_lane(x->mask)];
}

static void bar(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	struct dyninst *out = x->out;
	const u32 all = x->ref->l->warps * LANES;
	const u32 id = uniform(x, in->s[0], 0), threads = uniform(x, in->s[1], all);
	x->w->bar_lanes = x->mask;
	if (unlikely(x->mask != x->w->live) && meet_warp(x, in, id))
		return;
	if (id >= BARRIERS || !threads || threads % LANES || threads > all) {
		exec_fault(x, FAULT_BAD_BARRIER, x->mask, id, threads, false, SPC_NONE);
		return;
	}
	out->flags |= DYN_BARRIER | (in->mode == BAR_ARRIVE ? 0 : DYN_BAR_WAIT);
	out->bar_id = id;
	out->bar_threads = threads;
	x->w->bar_pc = out->pc;
	if (in->mode < BAR_RED_POPC)
		return;
	const u32 lanes = x->w->bar_lanes;
	const u32 p = (*(const u32 *)exec_at(x, in->s[2]) ^ (in->flags & IF_NEG_PRED ? ~0u : 0)) & lanes;
	struct barrier_sum *b = &exec_cta(x)->bar[id];
	b->popc += (u32)__builtin_popcount(p);
	b->any |= p != 0;
	b->some_false |= p != lanes;
}

static void fence(void *ctx, const struct inst *in)
{
	((struct exec *)ctx)->out->flags |= DYN_FENCE;
}
static void nothing(void *ctx, const struct inst *in) {}
static void trap(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	exec_fault(x, in->op == OP_TRAP ? FAULT_TRAP : FAULT_BRKPT, x->mask, 0, 0, false, SPC_NONE);
}
/* The lowest lane's text. */
static void assert_failed(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	const u32 i = first_lane(x->mask);
	struct fault *to = &x->f->faults[x->sm];
	const bool first = !x->f->faulted[x->sm];
	exec_fault(x, FAULT_TRAP, x->mask, ((const u64 *)exec_at(x, in->s[0]))[i], ((const u32 *)exec_at(x, in->s[2]))[i],
	           false, SPC_NONE);
	if (!first)
		return;
	to->file = ((const u64 *)exec_at(x, in->s[1]))[i];
	to->function = ((const u64 *)exec_at(x, in->s[3]))[i];
}
/* Only a call through a register whose target was not known comes here: others are refused at launch. */
static void unsupported(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	exec_fault(x, FAULT_UNSUPPORTED, x->mask, 0, 0, false, SPC_NONE);
}
static void nanosleep_(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	x->out->flags |= DYN_SLEEP;
	x->out->sleep_ns = uniform(x, in->s[0], 0);
	x->out->sleep_cycles = 0;
	splits_tried(x);
}

/* Groups of copies: struct warp, copies. */
static void commit_copies(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	x->w->copies <<= 8;
	x->out->flags |= DYN_COMMIT;
	copy_groups_next(x->f, x->sm, x->warp);
}
static void wait_copies(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	u32 left = 0;
	copies_waited(x, in->mode ? 0 : (u32)in->imm, in->mode);
	if (in->imm > 6) /* more groups than are counted: nobody has so many stages */
		return;
	for (u32 i = 0; i <= (u32)in->imm && !in->mode; i++)
		left += x->w->copies >> 8 * i & 255;
	x->out->flags |= DYN_COPIES;
	x->out->copies_left = left;
}

static exec_fn call_for(const struct inst *in)
{
	if (in->flags & IF_VPRINTF)
		return in->s[0] != OPND_NONE && in->s[1] != OPND_NONE ? exec_vprintf : NULL;
	if (in->flags & IF_INDIRECT)
		return in->s[0] != OPND_NONE ? call_indirect : NULL;
	return in->func >= 0 ? call_direct : NULL;
}

exec_fn exec_control(const struct inst *in)
{
	switch (in->op) {
	case OP_BRA: return in->target >= 0 ? bra : NULL;
	case OP_BRX: return in->s[0] != OPND_NONE && in->table >= 0 ? brx : NULL;
	case OP_CALL: return call_for(in);
	case OP_RET: return in->flags & IF_EXITS ? exit_lanes : ret;
	case OP_EXIT: return exit_lanes;
	case OP_BAR:
		return in->mode > BAR_RED_OR || (in->mode >= BAR_RED_POPC && (in->s[2] == OPND_NONE || in->d[0] == OPND_NONE))
		           ? NULL
		           : bar;
	case OP_BARWARP: return in->s[0] != OPND_NONE ? exec_bar_warp : NULL;
	case OP_NOP: return in->flags & IF_UNSUPPORTED ? unsupported : nothing;
	case OP_GRIDDEP: return nothing;
	case OP_MEMBAR: return in->mode == FENCE_WAITS_NOT ? nothing : fence;
	case OP_CP_COMMIT: return commit_copies;
	case OP_CP_WAIT: return wait_copies;
	case OP_TRAP: return in->flags & IF_ASSERT ? assert_failed : trap;
	case OP_BRKPT: return trap;
	case OP_NANOSLEEP: return nanosleep_;
	default: return NULL;
	}
}
