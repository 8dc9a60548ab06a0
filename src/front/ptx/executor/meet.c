/* Lanes that wait for each other; see meet.h. */
#include "front/ptx/executor/meet.h"

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

/* --- the top of the stack and its place in it --------------------------------------------------------------------- */

/* The path at the top becomes the last entry; the warp has no active lanes until pull(). */
static void stow(struct exec *x, u32 pc)
{
	struct warp *w = x->w;
	*simt_entry(x, w->depth++) = (struct simt){.pc = pc, .reconv = w->reconv, .mask = w->mask, .frame = w->frame};
	w->mask = 0;
}
static void pull(struct exec *x)
{
	struct warp *w = x->w;
	const struct simt *e = simt_entry(x, --w->depth);
	w->pc = x->next_pc = e->pc;
	w->reconv = e->reconv;
	w->mask = e->mask;
	w->frame = e->frame;
	w->func = simt_func_at(x, e->pc);
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
/* The path of these lanes goes to the top, all paths being on the stack. */
static void raise(struct exec *x, u32 lanes)
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

/* The highest path that can run, of these lanes if there is one; -1: every path waits, for others or at a join. */
static s32 runnable(const struct exec *x, u32 wanted)
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
}

/* --- coming, waiting, going on ------------------------------------------------------------------------------------ */

/* The paths execute their instruction again. */
static void again(struct exec *x, u32 lanes)
{
	x->w->waits &= ~lanes;
}
/* All paths are on the stack: one that can run goes to the top. When there is none, a .sync instruction goes on without
 * those it waits for (with check.masks it tries again, and finds the fault), else the highest path at a CTA barrier
 * tries again. */
static void go_on(struct exec *x, u32 wanted)
{
	s32 d = runnable(x, wanted);
	if (d < 0) {
		struct party p;
		d = waiting(x, false);
		if (d < 0 || x->f->check_masks) {
			d = d < 0 ? waiting(x, true) : d;
			BUG_ON(d < 0);
			again(x, simt_entry(x, (u32)d)->mask);
		} else {
			gather(x, (u32)d, &p);
			release(x, &p);
		}
	}
	raise(x, simt_entry(x, (u32)d)->mask);
	pull(x);
}

/* The path that has just come waits. */
static bool come(struct exec *x)
{
	struct warp *w = x->w;
	if (!simt_has_room(x, 2)) /* its own, and one that runs ahead */
		return false;
	w->waits |= w->mask;
	stow(x, x->out->pc);
	return true;
}
/* As before the instruction. */
static void undo(struct exec *x)
{
	pull(x);
	again(x, x->w->mask);
}

bool meet_lanes(struct exec *x, const struct inst *in)
{
	const u32 *masks = exec_at(x, mask_operand(in));
	struct party p;
	const bool all_here = !(named_by(masks, x->mask) & x->w->live & ~x->mask);
	if (all_here || x->mask != x->active) /* a guard's other lanes are right behind: they do not come */
		return x->f->check_masks && !masks_agree(x, masks, x->mask);
	if (!come(x))
		return true;
	const u32 missing = gather(x, x->w->depth - 1, &p);
	if ((!missing || runnable(x, 0) < 0) && !party_agrees(x, &p)) {
		undo(x);
	} else if (missing) {
		go_on(x, missing);
	} else {
		release(x, &p);
		pull(x);
	}
	return true;
}

void exec_bar_warp(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	if (unlikely(x->mask != x->w->live) || x->f->check_masks)
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

/* Some of these lanes, which wait at a join (or for the others of a call to return), go on from there alone. All paths
 * are on the stack. */
static bool run_ahead(struct exec *x, u32 lanes)
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
		return true;
	}
	return false;
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
	return true;
}

/* A barrier whose guard is true for some of the path's lanes only is a branch around it: the others wait behind it for
 * those that execute it, or run ahead. */
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
		if (runnable(x, others) >= 0 || waiting(x, false) >= 0 || run_ahead(x, others)) {
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
	stow(x, x->w->pc);
	go_on(x, 0);
}
