/* Lanes that wait for each other; see meet.h. */
#include "front/ptx/executor/meet.h"
#include "front/ptx/executor/splits.h"

#include <string.h>

/* Paths that wait at one kind of instruction and name each other. */
struct party {
	u32 op, lanes, n;
	u32 at[LANES]; /* levels of the stack */
};

static const struct inst *inst_of(const struct exec *x, const struct simt *path)
{
	return &x->ref->code[path->pc];
}
static u8 *operand(const struct exec *x, const struct simt *path, opnd o)
{
	u8 *frame = frame_window_at(x->f, x->sm, x->warp, path->frame);
	return (o & OPND_POOL ? x->base[1] : frame) + (o & ~OPND_POOL);
}

/* The highest path that waits, at a CTA barrier or at another instruction; -1: none. */
static s32 waiting(const struct exec *x, bool cta)
{
	u32 above = 0;
	for (u32 d = x->w->depth; d-- > 0;) {
		const struct simt *e = simt_entry(x, d);
		if ((e->mask & x->w->waits & ~above) && (inst_of(x, e)->op == OP_BAR) == cta)
			return (s32)d;
		above |= e->mask;
	}
	return -1;
}

/* --- member masks ------------------------------------------------------------------------------------------------- */

static opnd mask_operand(const struct inst *in)
{
	return in->op == OP_SHFL ? in->s[3] : in->op == OP_BARWARP || in->op == OP_ELECT ? in->s[0] : in->s[1];
}
static u32 named_by(const u32 *masks, u32 lanes)
{
	u32 named = 0;
	for (u32 i = 0; i < LANES; i++)
		named |= (lanes >> i & 1) ? masks[i] : 0;
	return named;
}

static void join_party(const struct exec *x, struct party *p, u32 d)
{
	p->at[p->n++] = d;
	p->lanes |= simt_entry(x, d)->mask;
}
/* Fills the party of the waiting path at level d; returns the living lanes that it names and that are not in it. */
static u32 gather(const struct exec *x, u32 d, struct party *p)
{
	const struct warp *w = x->w;
	u32 named = 0;
	*p = (struct party){.op = inst_of(x, simt_entry(x, d))->op};
	join_party(x, p, d);
	for (u32 seen = 0; seen < p->n; seen++) {
		const struct simt *path = simt_entry(x, p->at[seen]);
		named |= named_by((const u32 *)operand(x, path, mask_operand(inst_of(x, path))), path->mask);
		u32 above = 0;
		for (u32 k = w->depth; k-- > 0;) {
			const struct simt *e = simt_entry(x, k);
			if ((e->mask & w->waits & named & ~p->lanes & ~above) && inst_of(x, e)->op == p->op)
				join_party(x, p, k);
			above |= e->mask;
		}
	}
	return named & w->live & ~p->lanes;
}

/* With check.masks: false, and a fault, when a lane's mask leaves itself out, or names a living lane that gives another
 * mask or is not there. */
static bool masks_agree(struct exec *x, const u32 *masks, u32 lanes)
{
	enum { LEFT_OUT, DIFFERENT, ABSENT };
	for (u32 left = lanes; left; left &= left - 1) {
		const u32 i = first_lane(left), m = masks[i];
		u32 differ = 0;
		for (u32 k = 0; k < LANES; k++)
			differ |= (u32)((m & lanes) >> k & 1 && masks[k] != m) << k;
		if ((m >> i & 1) && !differ && !(m & x->w->live & ~lanes))
			continue;
		exec_fault(x, FAULT_BAD_MASK, 1u << i, m,
		           !(m >> i & 1) ? LEFT_OUT
		           : differ      ? DIFFERENT
		                         : ABSENT,
		           false, SPC_NONE);
		return false;
	}
	return true;
}
static bool party_agrees(struct exec *x, const struct party *p)
{
	u32 masks[LANES];
	if (!x->f->check_masks)
		return true;
	for (u32 k = 0; k < p->n; k++) {
		const struct simt *path = simt_entry(x, p->at[k]);
		const u32 *from = (const u32 *)operand(x, path, mask_operand(inst_of(x, path)));
		for (u32 i = 0; i < LANES; i++)
			if (path->mask >> i & 1)
				masks[i] = from[i];
	}
	return masks_agree(x, masks, p->lanes);
}

/* --- one instruction for the lanes of several paths --------------------------------------------------------------- */
enum { SLOT = 256, SLOTS = 6 }; /* bytes of 32 64-bit lanes; two destinations, four sources */

static opnd *operand_of(struct inst *in, u32 slot)
{
	return slot < 2 ? &in->d[slot] : &in->s[slot - 2];
}
/* Bytes per lane; 0: a predicate. */
static u32 slot_bytes(const struct inst *in, u32 slot)
{
	if (slot == 1 || (in->op == OP_VOTE && (slot == 2 || (slot == 0 && in->mode != VOTE_BALLOT))))
		return 0;
	return in->op == OP_MATCH && slot == 2 ? ptype_bytes(in->type) : 4;
}
static void copy_lanes(u8 *to, const u8 *from, u32 bytes, u32 lanes)
{
	u32 *pred = (u32 *)to;
	if (!bytes)
		*pred = (*pred & ~lanes) | (*(const u32 *)from & lanes);
	for (u32 i = 0; i < LANES && bytes; i++)
		if (lanes >> i & 1)
			memcpy(to + i * bytes, from + i * bytes, bytes);
}
static void copy_operands(struct exec *x, const struct simt *path, u8 *scratch, u32 first, u32 end, bool out)
{
	struct inst in = *inst_of(x, path);
	for (u32 k = first; k < end; k++) {
		const opnd o = *operand_of(&in, k);
		u8 *at = o == OPND_NONE ? NULL : operand(x, path, o);
		if (at && out)
			copy_lanes(at, scratch + k * SLOT, slot_bytes(&in, k), path->mask);
		else if (at)
			copy_lanes(scratch + k * SLOT, at, slot_bytes(&in, k), path->mask);
	}
}
/* Each path's own instruction, over the values that all of them brought. */
static void execute(struct exec *x, const struct party *p)
{
	u8 scratch[SLOT * SLOTS] __attribute__((aligned(128))) = {0};
	struct warp w = *x->w;
	struct exec y = *x;
	w.live = y.mask = y.active = p->lanes;
	y.w = &w;
	y.base[0] = scratch;
	for (u32 k = 0; k < p->n; k++)
		copy_operands(x, simt_entry(x, p->at[k]), scratch, 2, SLOTS, false);
	for (u32 k = 0; k < p->n; k++) {
		const struct simt *path = simt_entry(x, p->at[k]);
		struct inst in = *inst_of(x, path);
		for (u32 s = 0; s < SLOTS; s++)
			if (*operand_of(&in, s) != OPND_NONE)
				*operand_of(&in, s) = s * SLOT;
		in.exec(&y, &in);
		copy_operands(x, path, scratch, 0, 2, true);
	}
}
/* The party's instruction is done. */
static void release(struct exec *x, const struct party *p)
{
	if (p->op != OP_BARWARP)
		execute(x, p);
	for (u32 k = 0; k < p->n; k++)
		simt_entry(x, p->at[k])->pc++;
	x->w->waits &= ~p->lanes;
	if (x->f->splits)
		path_merge(x, p->lanes);
}

void meet_free(struct exec *x)
{
	struct warp *w = x->w;
	w->uneasy &= (u8)~UNEASY_LEFT;
	u32 above = w->mask;
	for (u32 d = w->depth; d-- > 0;) {
		const struct simt *e = simt_entry(x, d);
		const bool path = e->mask && !(e->mask & above);
		struct party p;
		above |= e->mask;
		if (!path || !(e->mask & w->waits) || inst_of(x, e)->op == OP_BAR || gather(x, d, &p))
			continue;
		if (x->f->check_masks) { /* they look at their masks once more */
			x->w->waits &= ~p.lanes;
			continue;
		}
		release(x, &p);
		d = w->depth;
		above = w->mask;
	}
}

/* --- coming, waiting, going on ------------------------------------------------------------------------------------ */

/* The paths execute their instruction again. */
static void again(struct exec *x, u32 lanes)
{
	x->w->waits &= ~lanes;
}
/* With splits: a path that can run once lanes that wait at joins run ahead, those that are wanted if there are some. */
static s32 ahead(struct exec *x, u32 wanted)
{
	const u32 lanes = path_joined(x, wanted);
	return path_run_ahead(x, lanes ? lanes : path_joined(x, ~0u)) ? path_runnable(x, 0) : -1;
}
/* All paths are on the stack: one that can run goes to the top. When there is none, a .sync instruction goes on without
 * those it waits for (with check.masks or splits it tries again, and finds the fault), else the highest path at a CTA
 * barrier tries again. */
static void go_on(struct exec *x, u32 wanted)
{
	if (x->w->uneasy & UNEASY_LEFT)
		meet_free(x);
	s32 d = path_runnable(x, wanted);
	if (d < 0 && x->f->splits)
		d = ahead(x, wanted);
	if (d < 0) {
		struct party p;
		d = waiting(x, false);
		if (d < 0 || x->f->check_masks || x->f->splits) {
			d = d < 0 ? waiting(x, true) : d;
			BUG_ON(d < 0);
			again(x, simt_entry(x, (u32)d)->mask);
		} else {
			gather(x, (u32)d, &p);
			release(x, &p);
		}
	}
	path_raise(x, simt_entry(x, (u32)d)->mask);
	path_pull(x);
	if (unlikely(x->w->uneasy))
		splits_rest(x);
}

/* The path that has just come waits. */
static bool come(struct exec *x)
{
	struct warp *w = x->w;
	if (!simt_has_room(x, 2)) /* its own, and one that runs ahead */
		return false;
	w->waits |= w->mask;
	path_stow(x, x->out->pc);
	return true;
}
/* As before the instruction. */
static void undo(struct exec *x)
{
	path_pull(x);
	again(x, x->w->mask);
}

/* A barrier or .sync instruction whose guard is true for some of the path's lanes only is a branch around it: the
 * others wait behind it for those that execute it, or run ahead. */
static bool split_at_guard(struct exec *x)
{
	struct warp *w = x->w;
	if (!simt_has_room(x, 1))
		return false;
	if (w->reconv != x->next_pc) /* else a join is there already */
		*simt_entry(x, w->depth++) =
		    (struct simt){.pc = x->next_pc, .reconv = w->reconv, .mask = w->mask, .frame = w->frame};
	w->reconv = x->next_pc;
	w->mask = x->active = x->mask;
	return true;
}

/* With splits: lanes that leave themselves out would wait for ever. */
static u32 left_out(const struct exec *x, const u32 *masks)
{
	u32 lanes = 0;
	for (u32 i = 0; i < LANES; i++)
		lanes |= ~masks[i] & 1u << i;
	return lanes & x->mask;
}

/* The path that has come waits for others, or it is a fault. */
static void meet_missing(struct exec *x)
{
	struct party p;
	const u32 missing = gather(x, x->w->depth - 1, &p);
	if (missing && x->w->uneasy & UNEASY_LEFT)
		meet_free(x);
	const bool alone = path_runnable(x, 0) < 0 && !(x->f->splits && path_joined(x, ~0u));
	if ((!missing || alone) && !party_agrees(x, &p)) {
		undo(x);
	} else if (missing && alone && x->f->splits) {
		undo(x);
		exec_fault(x, FAULT_LANES_STUCK, p.lanes, missing, 0, false, SPC_NONE);
	} else if (missing) {
		go_on(x, missing);
	} else {
		release(x, &p);
		path_pull(x);
	}
}

bool meet_lanes(struct exec *x, const struct inst *in)
{
	const u32 *masks = exec_at(x, mask_operand(in));
	const u32 bad = x->f->splits ? left_out(x, masks) : 0;
	if (unlikely(bad)) {
		exec_fault(x, FAULT_BAD_MASK, bad, masks[first_lane(bad)], 0, false, SPC_NONE);
		return true;
	}
	const bool all_here = !(named_by(masks, x->mask) & x->w->live & ~x->mask), part = x->mask != x->active;
	if (all_here || (part && !x->f->splits)) /* a guard's other lanes are right behind: they do not come */
		return x->f->check_masks && !masks_agree(x, masks, x->mask);
	if ((!part || split_at_guard(x)) && come(x))
		meet_missing(x);
	return true;
}

void exec_bar_warp(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	if (unlikely(x->mask != x->w->live) || x->f->check_masks || x->f->splits)
		meet_lanes(x, in);
}

/* Does the code at pc lead out of the kernel with nothing more than arithmetic and forward branches on the way? */
static bool leads_out(const struct inst *code, u32 pc, u32 *steps)
{
	while ((*steps)++ < 64) {
		const struct inst *in = &code[pc];
		const bool always = in->guard == OPND_NONE;
		if (in->op == OP_EXIT || (in->op == OP_RET && (in->flags & IF_EXITS))) {
			if (always)
				return true;
		} else if (in->op == OP_BRA) {
			if ((u32)in->target <= pc || (!always && !leads_out(code, (u32)in->target, steps)))
				return false;
			if (always) {
				pc = (u32)in->target;
				continue;
			}
		} else if (in->cls >= IC_CTRL || in->cls == IC_SHFL) {
			return false;
		}
		pc++;
	}
	return false;
}
/* Lanes that wait at a join, none of whose way holds anything more to do. The active ones are on no path of the stack.
 */
static u32 as_good_as_gone(const struct exec *x)
{
	u32 above = x->w->mask, gone = 0;
	for (u32 d = x->w->depth; d-- > 0;) {
		const struct simt *e = simt_entry(x, d);
		const u32 here = e->mask & ~above;
		u32 steps = 0;
		if (here && (e->mask & above) && e->reconv != RECONV_CALL && leads_out(x->ref->code, e->pc, &steps))
			gone |= here;
		above |= e->mask;
	}
	return gone;
}

/* The pc of the path that these lanes wait in. */
static u32 pc_of(const struct exec *x, u32 lanes)
{
	u32 d = x->w->depth;
	while (d-- > 0)
		if (simt_entry(x, d)->mask & lanes)
			return simt_entry(x, d)->pc;
	BUG("no path has lanes 0x%08x", lanes);
}

/* Do all the others wait at barriers with this number: at the same instruction of this call (lanes of a branch whose
 * other side returns come there one path after the other), or a plain one at one that may be another? Then they go on
 * behind them: the warp arrives with the instruction that runs. */
static bool goes_with(const struct exec *x, const struct inst *in, u32 barrier, const struct simt *e)
{
	const struct inst *at = inst_of(x, e);
	if (e->pc == x->out->pc ? e->frame != x->w->frame && in->mode != BAR_SYNC
	                        : at->op != OP_BAR || at->mode != BAR_SYNC || in->mode != BAR_SYNC ||
	                              (x->f->check_barriers && ((at->flags | in->flags) & IF_ALIGNED)))
		return false;
	return ((const u32 *)(void *)operand(x, e, at->s[0]))[first_lane(e->mask)] == barrier;
}
static bool all_at_barrier(struct exec *x, const struct inst *in, u32 barrier, u32 others)
{
	struct warp *w = x->w;
	const u32 met = w->waits | x->mask;
	u32 above = 0;
	if (others & ~w->waits)
		return false;
	for (u32 d = w->depth; d-- > 0;) {
		const struct simt *e = simt_entry(x, d);
		if ((e->mask & w->waits & ~above) && !goes_with(x, in, barrier, e))
			return false;
		above |= e->mask;
	}
	above = 0;
	for (u32 d = w->depth; d-- > 0;) {
		struct simt *e = simt_entry(x, d);
		const u32 here = e->mask & w->waits & ~above;
		above |= e->mask;
		w->bar_lanes |= here && e->pc == x->out->pc && e->frame == w->frame ? here : 0;
		e->pc += here != 0;
	}
	w->waits = 0;
	if (x->f->splits)
		path_merge(x, met);
	return true;
}

bool meet_warp(struct exec *x, const struct inst *in, u32 barrier)
{
	struct warp *w = x->w;
	const u32 waiters = w->waits;
	u32 steps = 0, others = w->live & ~x->mask & ~as_good_as_gone(x);
	if (x->mask != x->active && leads_out(x->ref->code, x->out->pc + 1, &steps))
		others &= ~x->active;
	if (!others)
		return false;
	const bool aligned = x->f->check_barriers && (in->flags & IF_ALIGNED);
	if (x->mask != x->active && !aligned && !split_at_guard(x))
		return true;
	if (all_at_barrier(x, in, barrier, others))
		return false;
	if (x->mask == x->active) {
		if (!come(x))
			return true;
		if (path_runnable(x, others) >= 0 || waiting(x, false) >= 0 || path_run_ahead(x, others)) {
			go_on(x, others);
			x->out->mask = 0; /* it will be executed when the others are there, or gone */
			return true;
		}
		undo(x);
	}
	exec_fault(x, FAULT_DIVERGENT_BARRIER, x->mask, barrier, waiters ? pc_of(x, waiters) + 1 : 0, false, SPC_NONE);
	return true;
}

void meet_switch(struct exec *x)
{
	path_stow(x, x->w->pc);
	go_on(x, 0);
}
