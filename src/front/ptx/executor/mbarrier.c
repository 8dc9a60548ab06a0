/* mbarrier instructions, and the arrivals that follow copies: see runtime/mbarrier.h. They act at issue, lanes in
 * ascending order; the time of the access is that of an atomic on shared memory.
 *
 * try_wait that finds its phase open says false and gives notice: the SM lets the warp sleep, and asks whenever a phase
 * of its CTA has ended (front_mbarrier_poll()). Then the predicate becomes true. */
#include "front/ptx/executor/mbarrier.h"

#include <string.h>

#include "front/ptx/executor/memory.h"
#include "front/ptx/executor/splits.h"
#include "front/ptx/ops.h"
#include "front/ptx/runtime/mbarrier.h"

/* --- objects ------------------------------------------------------------------------------------------------------ */

static u64 load_object(const u8 *shared, u64 at)
{
	u64 v;
	memcpy(&v, shared + at, sizeof v);
	return v;
}
static void store_object(u8 *shared, u64 at, struct mbar b)
{
	const u64 v = mbar_pack(b);
	memcpy(shared + at, &v, sizeof v);
}

static void fault_of(struct exec *x, u32 lane, enum mbar_cause why, u64 given, u64 have)
{
	x->out->flags |= DYN_FAULT;
	fault_record(x->f, x->cycle,
	             &(struct fault){.code = FAULT_MBARRIER,
	                             .sm = x->sm,
	                             .warp = x->warp,
	                             .launch = x->w->launch,
	                             .cta = exec_cta(x)->id,
	                             .pc = x->out->pc,
	                             .lanes = 1u << lane,
	                             .addr = x->out->addr[lane],
	                             .bytes = why,
	                             .space = SPC_SHARED,
	                             .file = given,
	                             .function = have});
}

static u64 value(const struct exec *x, opnd at, bool wide, u32 lane, u64 absent)
{
	if (at == OPND_NONE)
		return absent;
	return wide ? ((const u64 *)exec_at(x, at))[lane] : ((const u32 *)exec_at(x, at))[lane];
}

/* Addresses become offsets; alignment, bounds, and that an object is there. */
static bool begin(struct exec *x, const struct inst *in, bool store)
{
	x->out->space = SPC_SHARED;
	x->out->bytes = 8;
	x->out->store = x->out->atomic = store;
	mem_addresses(x, in);
	if (in->geom & MBAR_GENERIC)
		mem_to_offset(x, x->mask, SHARED_WINDOW);
	if (!mem_check_shared(x, x->mask, 8, store, in->mode != MBAR_INIT))
		return false;
	const u8 *map = mbar_map(x->f, x->sm, x->w->slot);
	for (u32 left = in->mode == MBAR_INIT ? 0 : x->mask; left; left &= left - 1)
		if (!mbar_is_there(map, x->out->addr[first_lane(left)])) {
			fault_of(x, first_lane(left), MBAR_NOT_THERE, 0, 0);
			return false;
		}
	return true;
}

/* --- init, inval -------------------------------------------------------------------------------------------------- */

static void mbar_init(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	struct cta *c = exec_cta(x);
	u8 *map = mbar_map(x->f, x->sm, x->w->slot);
	if (!begin(x, in, true))
		return;
	for (u32 left = x->mask; left; left &= left - 1) {
		const u32 i = first_lane(left);
		const u64 n = value(x, in->s[1], false, i, 0);
		if (!n || n > MBAR_COUNT_MAX) {
			fault_of(x, i, MBAR_BAD_COUNT, n, 0);
			return;
		}
	}
	for (u32 left = x->mask; left; left &= left - 1) {
		const u32 i = first_lane(left), n = (u32)value(x, in->s[1], false, i, 0);
		const u64 at = x->out->addr[i];
		c->mbarriers += !mbar_is_there(map, at);
		map[at / 64] |= (u8)(1 << at / 8 % 8);
		store_object(exec_shared(x), at, (struct mbar){.pending = n, .expected = n});
	}
}

static void mbar_inval(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	u8 *map = mbar_map(x->f, x->sm, x->w->slot);
	if (!begin(x, in, true))
		return;
	for (u32 left = x->mask; left; left &= left - 1) {
		const u64 at = x->out->addr[first_lane(left)];
		exec_cta(x)->mbarriers -= mbar_is_there(map, at);
		map[at / 64] &= (u8) ~(1 << at / 8 % 8);
	}
}

/* --- arrivals ----------------------------------------------------------------------------------------------------- */

struct change { /* what one lane does */
	u32 arrive, drop;
	s64 tx;
	bool never_ends;
};
static enum mbar_cause change(struct mbar *b, const struct change *c, bool *ended)
{
	const s64 tx = b->tx + c->tx;
	if (c->tx > MBAR_TX_MAX || c->tx < -MBAR_TX_MAX || tx > MBAR_TX_MAX || tx < -MBAR_TX_MAX)
		return MBAR_BAD_TX;
	if (c->arrive > b->pending || c->drop > b->expected)
		return MBAR_TOO_MANY;
	b->tx = (s32)tx;
	b->pending -= c->arrive;
	b->expected -= c->drop;
	*ended = (c->arrive || c->tx) && mbar_settle(b);
	return *ended && c->never_ends ? MBAR_COMPLETES : MBAR_FINE;
}

static bool change_of(const struct exec *x, const struct inst *in, u32 lane, struct change *c)
{
	const u64 v = value(x, in->s[1], false, lane, 1);
	const bool tx = in->geom & MBAR_EXPECT || in->mode == MBAR_EXPECT_TX || in->mode == MBAR_COMPLETE_TX;
	*c = (struct change){.never_ends = in->geom & MBAR_NO_COMPLETE};
	if (tx)
		c->tx = in->mode == MBAR_COMPLETE_TX ? -(s64)v : (s64)v;
	if (in->mode == MBAR_ARRIVE || in->mode == MBAR_ARRIVE_DROP)
		c->arrive = tx ? 1 : (u32)v;
	c->drop = in->mode == MBAR_ARRIVE_DROP ? c->arrive : 0;
	return tx || (v && v <= MBAR_COUNT_MAX);
}

/* A lane's fault leaves nothing of the lanes before it. */
static void undo(struct exec *x, u32 lanes, const u64 *was)
{
	for (; lanes; lanes &= ~(1u << last_lane(lanes)))
		memcpy(exec_shared(x) + x->out->addr[last_lane(lanes)], &was[last_lane(lanes)], 8);
}

static void mbar_arrive(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	u64 was[LANES];
	u32 done = 0;
	if (!begin(x, in, true))
		return;
	x->out->ended = 0;
	for (u32 left = x->mask; left; left &= left - 1) {
		const u32 i = first_lane(left);
		struct change c;
		was[i] = load_object(exec_shared(x), x->out->addr[i]);
		struct mbar b = mbar_unpack(was[i]);
		bool ended = false;
		const enum mbar_cause why = change_of(x, in, i, &c) ? change(&b, &c, &ended) : MBAR_BAD_COUNT;
		if (why != MBAR_FINE) {
			undo(x, done, was);
			fault_of(x, i, why, value(x, in->s[1], false, i, 1), mbar_unpack(was[i]).pending);
			return;
		}
		store_object(exec_shared(x), x->out->addr[i], b);
		done |= 1u << i;
		x->out->ended |= (u32)ended << i;
	}
	if (x->out->ended)
		x->out->flags |= DYN_PHASE;
	for (u32 left = in->d[0] == OPND_NONE ? 0 : x->mask; left; left &= left - 1)
		((u64 *)exec_at(x, in->d[0]))[first_lane(left)] = was[first_lane(left)];
}

/* --- waiting ------------------------------------------------------------------------------------------------------ */

/* Lanes whose phase has ended. `bad`: a lane whose phase is neither this one nor the one before. */
static u32 ended_lanes(const struct exec *x, const struct inst *in, const u64 *addr, u32 lanes, u32 *bad)
{
	u32 out = 0;
	*bad = LANES;
	for (u32 left = lanes; left; left &= left - 1) {
		const u32 i = first_lane(left);
		const u32 phase = mbar_unpack(load_object(exec_shared(x), addr[i])).phase;
		if (in->geom & MBAR_PARITY) {
			out |= (u32)((phase & 1) != (value(x, in->s[1], false, i, 0) & 1)) << i;
			continue;
		}
		const u32 behind = (phase - mbar_unpack(value(x, in->s[1], true, i, 0)).phase) % MBAR_PHASES;
		if (behind > 1 && *bad == LANES)
			*bad = i;
		out |= (u32)(behind == 1) << i;
	}
	return out;
}

static void mbar_wait(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	u32 bad;
	if (!begin(x, in, false))
		return;
	for (u32 left = in->geom & MBAR_PARITY ? x->mask : 0; left; left &= left - 1) {
		const u64 v = value(x, in->s[1], false, first_lane(left), 0);
		if (v > 1) {
			fault_of(x, first_lane(left), MBAR_BAD_PARITY, v, 0);
			return;
		}
	}
	const u32 over = ended_lanes(x, in, x->out->addr, x->mask, &bad);
	if (bad < LANES) {
		fault_of(x, bad, MBAR_OLD_PHASE, mbar_unpack(value(x, in->s[1], true, bad, 0)).phase,
		         mbar_unpack(load_object(exec_shared(x), x->out->addr[bad])).phase);
		return;
	}
	u32 *p = exec_at(x, in->d[0]);
	*p = (*p & ~x->mask) | over;
	if (over == x->mask || in->mode != MBAR_TRY_WAIT)
		return;
	if (x->f->splits && x->w->mask != x->w->live) { /* others of the warp may be those that arrive */
		splits_tried(x);
		return;
	}
	x->out->flags |= DYN_AWAIT;
	x->out->sleep_ns = (u32)value(x, in->s[2], false, first_lane(x->mask), 0);
	x->w->bar_pc = x->out->pc;
	x->w->bar_lanes = x->mask & ~over;
}

/* The instruction that the warp waits at, as if it were executed again: its address and its phase are in registers that
 * nobody has written since. */
static struct exec waiting(struct ptx *f, u32 sm, u32 warp, struct dyninst *out)
{
	struct warp *w = &f->warps[sm * f->nwarps + warp];
	const struct launch_ref *ref = &f->launches[w->launch];
	struct exec x = {.base = {frame_window_at(f, sm, warp, w->frame), ref->pool},
	                 .mask = w->bar_lanes,
	                 .sm = sm,
	                 .warp = warp,
	                 .out = out,
	                 .f = f,
	                 .w = w,
	                 .ref = ref};
	mem_addresses(&x, &ref->code[w->bar_pc]);
	if (ref->code[w->bar_pc].geom & MBAR_GENERIC)
		mem_to_offset(&x, x.mask, SHARED_WINDOW);
	return x;
}

bool ptx_mbarrier_poll(struct front *front, u32 sm, u32 warp)
{
	struct ptx *f = ptx_of(front);
	struct dyninst out;
	struct exec x = waiting(f, sm, warp, &out);
	const struct inst *in = &x.ref->code[x.w->bar_pc];
	u32 bad;
	const u32 over = ended_lanes(&x, in, out.addr, x.mask, &bad);
	*(u32 *)exec_at(&x, in->d[0]) |= over;
	return over || bad < LANES;
}

bool ptx_mbarrier_wait(const struct front *front, u32 sm, u32 warp, struct mbarrier_wait *to)
{
	struct ptx *f = (struct ptx *)(uintptr_t)ptx_const(front);
	struct dyninst out;
	const struct warp *w = &f->warps[sm * f->nwarps + warp];
	if (!w->live || !w->bar_lanes || f->launches[w->launch].code[w->bar_pc].op != OP_MBARRIER)
		return false;
	struct exec x = waiting(f, sm, warp, &out);
	const struct mbar b = mbar_unpack(load_object(exec_shared(&x), out.addr[first_lane(x.mask)]));
	*to = (struct mbarrier_wait){.lanes = x.mask,
	                             .pc = w->bar_pc,
	                             .at = {.addr = (u32)out.addr[first_lane(x.mask)],
	                                    .phase = b.phase,
	                                    .pending = b.pending,
	                                    .expected = b.expected,
	                                    .tx = b.tx}};
	return true;
}

u32 ptx_mbarriers(const struct front *front, u32 sm, u32 slot, struct mbarrier_info *to, u32 max)
{
	const struct ptx *f = ptx_const(front);
	const struct cta *c = &f->ctas[sm * f->nslots + slot];
	const u8 *map = mbar_map(f, sm, slot), *shared = f->shared + (u64)(sm * f->nslots + slot) * f->shared_stride;
	u32 n = 0;
	for (u32 at = 0; c->mbarriers && at + 8 <= c->shared_bytes; at += 8) {
		if (!mbar_is_there(map, at))
			continue;
		const struct mbar b = mbar_unpack(load_object(shared, at));
		if (n < max)
			to[n] = (struct mbarrier_info){at, b.phase, b.pending, b.expected, b.tx};
		n++;
	}
	return n;
}

static void pending_count(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	u32 *d = exec_at(x, in->d[0]), out[LANES];
	const u64 *state = exec_at(x, in->s[0]);
	for (u32 i = 0; i < LANES; i++)
		out[i] = mbar_unpack(state[i]).pending;
	for (u32 i = 0; i < LANES; i++)
		d[i] = x->mask >> i & 1 ? out[i] : d[i];
}

/* --- cp.async.mbarrier.arrive ------------------------------------------------------------------------------------- */

/* The arrival comes when the warp's copies are done: the SM says when. Without .noinc it is one more than expected. */
static void copy_arrive(void *ctx, const struct inst *in)
{
	struct exec *x = ctx;
	u64 was[LANES];
	u32 done = 0;
	if (!begin(x, in, true))
		return;
	x->out->store = x->out->atomic = false; /* it takes no access at the LSU */
	x->out->space = SPC_NONE;
	for (u32 left = in->geom & MBAR_NO_INCREMENT ? 0 : x->mask; left; left &= left - 1) {
		const u32 i = first_lane(left);
		was[i] = load_object(exec_shared(x), x->out->addr[i]);
		struct mbar b = mbar_unpack(was[i]);
		if (b.pending == MBAR_COUNT_MAX) {
			undo(x, done, was);
			fault_of(x, i, MBAR_TOO_MANY, 1, b.pending);
			return;
		}
		b.pending++;
		store_object(exec_shared(x), x->out->addr[i], b);
		done |= 1u << i;
	}
	x->out->flags |= DYN_COPY_ARRIVE;
	x->out->copy_group = copy_groups_of(x->f, x->sm, x->warp)->open;
	copy_groups_next(x->f, x->sm, x->warp);
}

bool ptx_copies_arrive(struct front *front, u32 sm, u32 warp, u64 cycle, const struct copies_arrive *a)
{
	struct ptx *f = ptx_of(front);
	struct warp *w = &f->warps[sm * f->nwarps + warp];
	u8 *shared = f->shared + (u64)(sm * f->nslots + w->slot) * f->shared_stride;
	struct dyninst out = {.pc = a->pc};
	struct exec x = {.sm = sm, .warp = warp, .f = f, .w = w, .out = &out, .cycle = cycle};
	if (f->check_copies) {
		struct copy_groups *g = copy_groups_of(f, sm, warp);
		g->waited = (s32)(a->group + 1 - g->waited) > 0 ? a->group + 1 : g->waited;
	}
	out.addr[first_lane(a->lanes)] = a->addr;
	if (!mbar_is_there(mbar_map(f, sm, w->slot), a->addr)) {
		fault_of(&x, first_lane(a->lanes), MBAR_NOT_THERE, 0, 0);
		return false;
	}
	struct mbar b = mbar_unpack(load_object(shared, a->addr));
	bool ended = false, any = false;
	for (u32 left = a->lanes; left; left &= left - 1) {
		const struct change c = {.arrive = 1};
		const enum mbar_cause why = change(&b, &c, &ended);
		if (why != MBAR_FINE) {
			fault_of(&x, first_lane(a->lanes), why, 1, b.pending);
			return false;
		}
		any |= ended;
	}
	store_object(shared, a->addr, b);
	return any;
}

exec_fn exec_mbarrier(const struct inst *in)
{
	static const exec_fn by_mode[] = {
	    [MBAR_INIT] = mbar_init,          [MBAR_INVAL] = mbar_inval,      [MBAR_ARRIVE] = mbar_arrive,
	    [MBAR_ARRIVE_DROP] = mbar_arrive, [MBAR_EXPECT_TX] = mbar_arrive, [MBAR_COMPLETE_TX] = mbar_arrive,
	    [MBAR_TEST_WAIT] = mbar_wait,     [MBAR_TRY_WAIT] = mbar_wait};
	switch (in->op) {
	case OP_MBARRIER: return in->mode < ARRAY_LEN(by_mode) ? by_mode[in->mode] : NULL;
	case OP_MBARRIER_COUNT: return in->d[0] != OPND_NONE && in->s[0] != OPND_NONE ? pending_count : NULL;
	case OP_CP_ARRIVE: return copy_arrive;
	default: return NULL;
	}
}
