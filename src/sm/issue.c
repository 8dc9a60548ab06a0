/* Issue: a scheduler chooses a warp, the front end executes its instruction, the scoreboard and the unit are reserved.
 * And the accounting: each scheduler, each cycle, is charged to exactly one base reason. */
#include "sm/checks.h"
#include "sm/deps.h"
#include "sm/griddep.h"
#include "sm/internal.h"
#include "sm/kernels/kernel_sched.h"
#include "sm/lines.h"
#include "sm/waits.h"
#include "sm/mbarrier.h"
#include "sm/pick_look.h"
#include "sm/restartable.h"
#include "sm/tensor.h"

/* sm.unit_sets=scheduler: the scheduler's own unit of the class may take an instruction. */
static inline bool own_available(const struct sm_ctx *x, const struct sm *s, enum unit u, u32 sched, u64 now)
{
	return s->unit_free[u][sched] <= now || (u == UNIT_SP && x->f32_on_int && s->unit_free[UNIT_INT][sched] <= now);
}

bool unit_available(const struct sm_ctx *x, const struct sm *s, enum unit u, u32 sched, u64 now)
{
	if (u == UNIT_LSU)
		return lsu_has_room(x, s);
	if (x->collect) /* collect_warps() */
		return true;
	if (x->conf->sm_collectors) /* fewer than that many wait: the one so many before has begun */
		return s->began[u][s->began_at[u]] <= now;
	if (x->own_units >> u & 1)
		return own_available(x, s, u, sched, now);
	for (u32 i = 0; i < x->nunits[u]; i++)
		if (s->unit_free[u][i] <= now)
			return true;
	return false;
}

/* sm.result_buses: how many results leave in a cycle. An entry of the ring that is of another cycle is empty. */
static u64 *bus_at(struct sm *s, u64 at)
{
	u64 *bus = &s->bus[at % SM_BUS_RING];
	if (*bus >> SM_BUS_BITS != at)
		*bus = at << SM_BUS_BITS;
	return bus;
}

/* An instruction begins in the first cycle, from `start` on, whose result finds a bus lat cycles later. */
static u64 bus_begin(const struct sm_ctx *x, struct sm *s, u64 start, u32 lat)
{
	while ((*bus_at(s, start + lat) & bit_range(SM_BUS_BITS)) >= x->conf->sm_result_buses)
		start++;
	return start;
}

/* The first cycle in which unit i of the class may begin the instruction, with room for its result. */
static u64 unit_begin(const struct sm_ctx *x, struct sm *s, enum unit u, u32 i, u32 lat, u64 now)
{
	u64 start = MAX(s->unit_free[u][i], now);
	for (u64 before = NEVER; before != start;) {
		before = start;
		if (x->conf->sm_result_buses)
			start = bus_begin(x, s, start, lat);
		if (x->results)
			start = unit_results_begin(unit_results_of(x, u, i), start, lat, now);
	}
	return start;
}

/* With collector units an instruction is booked at issue: it begins when a unit is free for it, in order of arrival. */
static u64 unit_book(const struct sm_ctx *x, struct sm *s, enum unit u, u32 ii, u32 lat, u64 now)
{
	u32 unit = 0;
	u64 start = unit_begin(x, s, u, 0, lat, now);
	for (u32 i = 1; i < x->nunits[u]; i++) {
		u64 other = unit_begin(x, s, u, i, lat, now);
		if (other < start || (other == start && s->unit_free[u][i] < s->unit_free[u][unit])) {
			start = other;
			unit = i;
		}
	}
	if (x->conf->sm_result_buses)
		++*bus_at(s, start + lat);
	if (x->results)
		unit_results_book(unit_results_of(x, u, unit), start, lat);
	s->unit_free[u][unit] = start + ii;
	BUG_ON(s->began[u][s->began_at[u]] > now);
	s->began[u][s->began_at[u]] = start;
	s->began_at[u] = s->began_at[u] + 1u < x->conf->sm_collectors ? s->began_at[u] + 1 : 0;
	return start - now;
}

/* Occupies a unit for ii cycles. Returns how long the instruction waits for it. */
static inline u64 unit_take(const struct sm_ctx *x, struct sm *s, enum unit u, u32 sched, u32 ii, u32 lat, u64 now)
{
	if (x->conf->sm_collectors)
		return unit_book(x, s, u, ii, lat, now);
	if (x->own_units >> u & 1) {
		const bool other = u == UNIT_SP && s->unit_free[u][sched] > now; /* sm.f32_on_int */
		u64 *free = &s->unit_free[other ? UNIT_INT : u][sched];
		BUG_ON(*free > now);
		*free = now + ii;
		return 0;
	}
	for (u32 i = 0, n = x->nunits[u]; i < n; i++)
		if (s->unit_free[u][i] <= now) {
			s->unit_free[u][i] = now + ii;
			return 0;
		}
	BUG("issue to a busy unit %d of SM %u", u, s->id);
}

/* --- effects of one instruction ----------------------------------------------------------------------------------- */

static const u8 kinds[IC_COUNT] = {
    [IC_F32_ADD... IC_F32_MAD] = IK_F32,
    [IC_F32_DIV] = IK_SFU,
    [IC_SFU] = IK_SFU,
    [IC_F64_ADD... IC_F64_MAD] = IK_F64,
    [IC_F64_DIV] = IK_SFU,
    [IC_TENSOR] = IK_TENSOR,
    [IC_CTRL] = IK_CTRL,
    [IC_CONST] = IK_CONST,
    [IC_TEX] = IK_TEX,
    [IC_SHARED] = IK_SHARED,
    [IC_GLOBAL] = IK_GLOBAL,
    [IC_ATOMIC] = IK_GLOBAL, /* the others: IK_INT */
};
_Static_assert(IK_INT == 0, "what the table does not name");

static void count_lanes(struct lane_counters *c, enum inst_kind kind, u32 lanes, const struct inst *in)
{
	c->lanes[kind] += lanes;
	c->reg_reads += in->n_sb_src;
	c->reg_writes += in->n_sb_dst;
}

static void count(struct sm *s, struct warp *wp, const struct dyninst *d, u32 cls)
{
	const u32 lanes = bit_count32(d->mask);
	const enum inst_kind kind = cls == IC_GLOBAL && d->space == SPC_LOCAL ? IK_LOCAL : kinds[cls];
	struct cta *c = &s->cta[wp->cta_slot];
	s->k.issued++;
	(&s->k.insts_int)[kind]++;
	wp->insts++;
	c->insts++;
	count_lanes(sm_lanes(&s->k), kind, lanes, d->in);
	count_lanes(&c->lanes, kind, lanes, d->in);
}

static void warp_exit(struct sm_ctx *x, struct sm *s, u32 w, u64 now)
{
	struct warp *wp = &s->warp[w];
	if (event_wanted(x->ev, EV_WARP_EXIT))
		sm_event(x, s, EV_WARP_EXIT, (s32)w, now);
	wp->done = 1;
	s->need_fetch &= ~BIT(w);
	s->astray &= ~BIT(w);
	s->cta[wp->cta_slot].exited |= BIT(w);
	barrier_warp_exited(x, s, wp->cta_slot, now);
	warp_try_retire(x, s, w, now);
}

static void control(struct sm_ctx *x, struct sm *s, u32 w, const struct dyninst *d, u64 now)
{
	struct warp *wp = &s->warp[w];
	if (d->in->op == OP_BRA && d->in->guard != OPND_NONE) {
		s->k.branches++;
		s->k.divergent += (d->flags & DYN_DIVERGED) != 0;
		if ((d->flags & DYN_DIVERGED) && event_wanted(x->ev, EV_BRANCH_DIVERGE)) {
			struct event *e = sm_event(x, s, EV_BRANCH_DIVERGE, (s32)w, now);
			e->pc = d->pc;
			e->arg[0] = d->pc;
			e->arg[1] = d->taken;
			e->arg[2] = d->active & ~d->taken;
		}
	}
	if ((d->flags & DYN_JOINED) && event_wanted(x->ev, EV_RECONVERGE)) {
		struct event *e = sm_event(x, s, EV_RECONVERGE, (s32)w, now);
		e->arg[0] = d->next_pc;
		e->arg[1] = front_active_mask(x->front, s->id, w);
	}
	if (unlikely(x->conf->isa_threads == ISA_THREADS_SPLITS))
		split_events(x, s, w, d, now);
	s->stored |= (d->in->flags & IF_VPRINTF) != 0; /* its text is handed on with the cycle's stores */
	if (d->flags & DYN_BARRIER)
		barrier_arrive(x, s, w, d, now);
	if ((d->flags & DYN_FENCE) && (wp->outstanding || wp->loads))
		wp->fence = FENCE_ALL;
	if ((d->flags & DYN_COPIES) && wp->loads > d->copies_left) {
		wp->fence = FENCE_COPIES;
		wp->copies_left = (u16)d->copies_left;
	}
	if (unlikely(d->in->op == OP_GRIDDEP) && d->mask)
		griddep_issued(x, s, w, d);
	if (d->flags & DYN_SLEEP) {
		u64 cycles = d->sleep_cycles;
		if (!cycles)
			cycles = (u64)(MIN(d->sleep_ns, SLEEP_NS_MAX) * x->conf->core_clock / 1000.0);
		wp->sleeping = 1;
		wp->inflight++;
		timer_wait(x, s, WK_WAKE, w, MAX(cycles, 1), now);
	}
	if (d->flags & DYN_MBARRIER)
		mbarrier_issued(x, s, w, d, now);
	if (d->flags & DYN_WARP_DONE)
		warp_exit(x, s, w, now);
}

/* Extra operand read cycles: sources of one instruction that live in the same register bank. */
static u32 bank_conflicts(const struct sm_ctx *x, struct sm *s, u32 w, const struct inst *in)
{
	u8 per_bank[64] = {0};
	u32 most = 1;
	for (u32 i = 0; i < in->n_sb_src; i++) {
		u32 n = ++per_bank[(inst_sb_src(in)[i] + w) % x->conf->sm_reg_banks];
		most = MAX(most, n);
	}
	s->k.bank_conflicts += most - 1;
	return most - 1;
}

/* What looks on at instructions: the record of restartable CTAs, line counters, and event consumers. */
static void issue_event(struct sm_ctx *x, struct sm *s, u32 w, u32 sched, const struct issue_info *in, bool slot,
                        const struct dyninst *d, u64 now)
{
	if (x->checks)
		checks_issue(x, s, w, d, now);
	if (x->restart)
		restart_issue(x, s, w, d, now);
	if (x->lines)
		lines_issued(x, s, w, sched, in, slot, d);
	if (x->ev->quiet_issue)
		return;
	struct event *e = sm_event(x, s, EV_ISSUE, (s32)w, now);
	e->pc = d->pc;
	e->arg[0] = d->pc;
	e->arg[1] = d->mask;
	e->arg[2] = sched;
}

/* A tensor unit has been given an mma, which waits for it for so long; extra: cycles of bank conflicts. */
static __attribute__((noinline)) void issue_mma(struct sm_ctx *x, struct sm *s, u32 w, u32 sched,
                                                const struct dyninst *d, const struct issue_info *in, u32 wait,
                                                u32 extra, u64 now)
{
	const struct mma_shape *m = &d->in->wide->shape;
	if (x->tensor)
		tensor_count(x->tensor, sched, m, in->ii + extra);
	if (!event_wanted(x->ev, EV_MMA))
		return;
	struct event *e = sm_event(x, s, EV_MMA, (s32)w, now);
	e->pc = d->pc;
	e->arg[0] = d->pc;
	e->arg[1] = sched;
	e->arg[2] = tensor_class_of(m);
	e->arg[3] = mma_macs_done(m);
	e->arg[4] = in->ii + extra;
	e->arg[5] = wait + in->lat + extra;
}

void issue_one(struct sm_ctx *x, struct sm *s, u32 w, u32 sched, bool slot, u64 now)
{
	struct warp *wp = &s->warp[w];
	u32 pc = wp->pc;
	const struct issue_info *in = info_at(x, wp, pc);
	struct dyninst d;
	front_issue(x->front, s->id, w, now, &d);
	if (unlikely(d.flags & DYN_FAULT)) {
		s->faulted = 1;
		return;
	}
	count(s, wp, &d, in->cls);
	if (event_wanted(x->ev, EV_ISSUE))
		issue_event(x, s, w, sched, in, slot, &d, now);
	s->leading -= wp->extra_set;
	wp->extra_set = 0;
	wp->pc = d.next_pc;
	if (d.flags & DYN_JUMP)
		fetch_jump(x, s, w, pc);
	if (!slot) {
		s->k.issued_free++;
	} else if (in->unit == UNIT_LSU) {
		s->stored |= d.store | d.atomic;
		if (unlikely(in->flags & II_WORDS))
			deps_issued(x, s, w, sched, &d, now);
		u64 wait = unlikely(x->collect) ? collect_book(x, s, in, d.in, w, 0, now) : 0;
		lsu_issue(x, s, w, &d, now + wait);
	} else {
		u32 extra = unlikely(x->conf->sm_bank_conflicts) ? bank_conflicts(x, s, w, d.in) : 0;
		if (unlikely(in->flags & II_WORDS))
			extra += deps_issued(x, s, w, sched, &d, now);
		u64 wait = unlikely(x->collect) ? collect_book(x, s, in, d.in, w, in->ii + extra, now)
		                                : unit_take(x, s, in->unit, sched, in->ii + extra, in->lat, now);
		if (unlikely(extra) && x->lines)
			line_at(x, wp->launch, d.pc)->held += extra;
		if (in->unit == UNIT_TENSOR) {
			issue_mma(x, s, w, sched, &d, in, (u32)wait, extra, now);
			if (x->conf->tensor_warp_gap) {
				s->mma_gap[sched].until = now + wait + in->ii + x->conf->tensor_warp_gap;
				s->mma_gap[sched].warp = (u8)w;
			}
		}
		if (d.in->n_sb_dst) {
			scoreboard_reserve(x, s, w, pc, false);
			wp->inflight++;
			s->alu_flying++;
			timer_put(x, s, now, now + wait + in->lat + extra, WK_WRITEBACK, wp->who, pc);
		}
	}
	if (unlikely(in->cls == IC_CTRL ||
	             (d.flags & (DYN_JOINED | DYN_WARP_DONE | DYN_MBARRIER | DYN_SLEEP | DYN_OF_SPLITS))))
		control(x, s, w, &d, now);
}

/* --- a scheduler's cycle ------------------------------------------------------------------------------------------ */

static const enum stall refusal[] = {
    [MR_RF_LINE] = ST_RF_LINE, [MR_RF_MSHR] = ST_RF_MSHR, [MR_RF_MERGE] = ST_RF_MERGE, [MR_RF_QUEUE] = ST_RF_QUEUE};

/* What warps wait for none of which could issue even if all units were free; with stalls.order=memory. */
static __attribute__((noinline)) enum stall waiting_memory_first(const struct sm *s, u64 m)
{
	static const struct {
		u8 state, reason;
	} order[] = {{WS_MEM, ST_MEM},         {WS_FENCE, ST_MEMBAR}, {WS_FETCH, ST_FETCH},   {WS_SHORT, ST_SHORT},
	             {WS_BARRIER, ST_BARRIER}, {WS_SLEEP, ST_SLEEP},  {WS_PAUSED, ST_PAUSED}, {WS_DONE, ST_DONE}};
	for (u32 i = 0; i < ARRAY_LEN(order); i++)
		if (s->in[order[i].state] & m)
			return order[i].reason;
	return ST_EMPTY;
}

/* And in the order of stalls.def. */
static inline enum stall waiting_for(const struct sm_ctx *x, const struct sm *s, u64 m)
{
	if (unlikely(x->conf->stalls_order == STALLS_MEMORY))
		return waiting_memory_first(s, m);
	static const struct {
		u8 state, reason;
	} order[] = {{WS_SHORT, ST_SHORT}, {WS_MEM, ST_MEM},     {WS_FENCE, ST_MEMBAR},  {WS_BARRIER, ST_BARRIER},
	             {WS_SLEEP, ST_SLEEP}, {WS_FETCH, ST_FETCH}, {WS_PAUSED, ST_PAUSED}, {WS_DONE, ST_DONE}};
#pragma GCC unroll 8
	for (u32 i = 0; i < ARRAY_LEN(order); i++)
		if (s->in[order[i].state] & m)
			return order[i].reason;
	return ST_EMPTY;
}

/* Why none of the warps in m issued: the first reason, in the order of stalls.def, that fits. */
static enum stall lost_to(const struct sm_ctx *x, const struct sm *s, u64 m, u64 available)
{
	const u64 *in = s->in;
	if (available)
		return ST_POLICY;
	if (in[WS_READY_LSU] & m & ~available)
		return s->lsu_refused ? refusal[s->lsu_refused] : ST_LSU;
	u64 refused = warps_ready_for_units(s) & m;
	bool memory_first = x->conf->stalls_order == STALLS_MEMORY;
	if (refused && !(memory_first && (in[WS_MEM] | in[WS_FENCE] | in[WS_FETCH]) & m))
		return ST_PIPE;
	return waiting_for(x, s, m);
}

/* tensor.warp_gap: the warps but the one that issued the last mma, unless its time has come. */
static u64 past_gap(const struct sm *s, u32 sched, u64 ready, u64 now)
{
	return s->mma_gap[sched].until > now ? ready & ~BIT(s->mma_gap[sched].warp) : ready;
}

static u64 available_warps(const struct sm_ctx *x, const struct sm *s, u32 sched, u64 m, u64 now)
{
	u64 out = 0;
#pragma GCC unroll 6
	for (u32 u = 0; u < UNIT_COUNT; u++) {
		u64 ready = s->in[WS_READY_SP + u] & m;
		if (!ready)
			continue;
		if (u == UNIT_TENSOR && x->conf->tensor_warp_gap)
			ready = past_gap(s, sched, ready, now);
		bool free = u != UNIT_LSU && !x->conf->sm_collectors && !x->own_units && s->unit_free[u][0] <= now; /* usual */
		if (!free && unlikely(x->collect))
			ready = collect_warps(x, s, u, sched, ready, now);
		if (free || unit_available(x, s, u, sched, now))
			out |= ready;
	}
	return out;
}

static __attribute__((noinline)) void stall_event(struct sm_ctx *x, struct sm *s, u32 sched, enum stall why, u64 now)
{
	struct event *e = sm_event(x, s, EV_STALL, -1, now);
	e->arg[0] = sched;
	e->arg[1] = why;
}

static inline void charge(struct sm_ctx *x, struct sm *s, u32 sched, enum stall why, u64 now)
{
	s->stall[sched][why]++;
	if (LINES_REFUSALS >> why & 1 && x->lines)
		lines_lost(x, s, sched, why, now);
	if (s->reason[sched] == why)
		return;
	s->reason[sched] = (u8)why;
	if (why != ST_ISSUED && event_wanted(x->ev, EV_STALL))
		stall_event(x, s, sched, why, now);
}

static void pick_event(struct sm_ctx *x, struct sm *s, u32 sched, u32 w, u64 ready, u64 now)
{
	struct event *e = sm_event(x, s, EV_SCHED_PICK, (s32)w, now);
	e->arg[0] = sched;
	e->arg[1] = ready;
	e->arg[2] = s->issued_cycle + 1 == now && (s->issued_mask >> w & 1);
}

/* A leading slot's way to its unit: that of an instruction with no result to wait for. */
static __attribute__((noinline)) void collect_leading(struct sm_ctx *x, struct sm *s, u32 w, u64 now)
{
	const struct warp *wp = &s->warp[w];
	struct issue_info lead = *info_at(x, wp, wp->pc);
	lead.unit = lead_unit(&lead);
	lead.lat = 1;
	collect_book(x, s, &lead, inst_at(x, wp, wp->pc), w, 1, now);
}

/* A leading slot is an integer instruction; where the units are not each scheduler's own, it takes one cycle. */
static inline u32 lead_interval(const struct sm_ctx *x)
{
	return x->own_units ? x->conf->ii_int_add : 1;
}

/* Uses one issue slot for warp w: one of the instruction's leading slots, or the instruction itself. */
static __attribute__((always_inline)) inline void use_slot(struct sm_ctx *x, struct sm *s, u32 sched, u32 w, u64 now)
{
	struct warp *wp = &s->warp[w];
	s->k.issue_slots++;
	if (wp->extra) {
		if (x->lines)
			lines_led(x, s, w, sched);
		s->leading += wp->extra == info_at(x, wp, wp->pc)->cost - 1u;
		wp->extra--;
		if (unlikely(x->collect))
			collect_leading(x, s, w, now);
		else
			unit_take(x, s, lead_unit(info_at(x, wp, wp->pc)), sched, lead_interval(x), 1, now);
	} else {
		issue_one(x, s, w, sched, true, now);
		if (unlikely(s->faulted))
			return;
	}
	warp_refresh(x, s, w, now);
}

/* The second instruction of a dual issue: same warp, other unit, no control before it. */
static __attribute__((noinline)) void dual_issue(struct sm_ctx *x, struct sm *s, const struct sched_view *v, u32 w,
                                                 const struct issue_info *first, u64 now)
{
	struct warp *wp = &s->warp[w];
	if ((first->flags & II_ALONE) || wp->extra || !warp_state_is_ready(wp->state) || s->faulted)
		return;
	enum unit u = wp->state - WS_READY_SP;
	if (u == first->unit || !unit_available(x, s, u, v->index, now) ||
	    (x->collect && !collect_warps(x, s, u, w % x->nscheds, BIT(w), now)))
		return;
	const struct issue_info *second = info_at(x, wp, wp->pc);
	s->k.dual_issued++;
	use_slot(x, s, v->index, w, now);
	if (x->sched->issued)
		x->sched->issued(x->sched_state[v->index], v, w, second);
}

static void policy_tick(struct sm_ctx *x, struct sm *s, u32 sched, u64 now)
{
	struct sched_view v = sm_sched_view(x, s, sched, now);
	x->sched->tick(x->sched_state[sched], &v);
}

/* The scheduler has got a unit that several share. */
static inline void to_the_back(const struct sm_ctx *x, struct sm *s, u32 sched)
{
	u32 i = 0, last = x->nscheds - 1;
	while (s->order[i] != sched)
		i++;
	for (; i < last; i++)
		s->order[i] = s->order[i + 1];
	s->order[last] = (u8)sched;
}

/* Warps of the lowest priority are among those that can issue: the policy chooses among the others; among these when
 * there are none, or when it declines them all. */
static __attribute__((noinline)) u32 pick_by_priority(struct sm_ctx *x, const struct sched_view *v, u64 ready, u64 low)
{
	u32 w = ready & ~low ? sched_ask(x, v, ready & ~low, GROUP_ALL) : NO_WARP;
	return w == NO_WARP ? sched_ask(x, v, ready & low, GROUP_LOWERED) : w;
}

static inline u32 choose(struct sm_ctx *x, struct sm *s, const struct sched_view *v, u64 ready)
{
	if (unlikely(x->kernels != NULL))
		return kernels_pick(x, s, v, ready);
	if (unlikely(ready & s->low))
		return pick_by_priority(x, v, ready, s->low);
	return x->sched->pick(x->sched_state[v->index], v, ready);
}

/* The same for somebody who looks at the choices of a scheduler of this SM. */
static __attribute__((noinline)) u32 choose_seen(struct sm_ctx *x, struct sm *s, const struct sched_view *v, u64 ready)
{
	if (x->look->scheduler != v->index)
		return choose(x, s, v, ready);
	pick_look_begin(x->look, x, v, ready);
	if (!x->kernels && !(ready & s->low))
		pick_look_shown(x->look, x, v, ready, GROUP_ALL);
	return x->look->picked = choose(x, s, v, ready);
}

/* The cycle of a scheduler of whose warps `ready` can issue: its policy chooses. */
static bool issue_ready(struct sm_ctx *x, struct sm *s, u32 sched, u64 ready, u64 now)
{
	if (x->conf->sm_issue_period > 1 && now % x->conf->sm_issue_period) {
		charge(x, s, sched, ST_PERIOD, now);
		return false;
	}
	struct sched_view v = sm_sched_view(x, s, sched, now);
	u32 w = unlikely(x->look != NULL) ? choose_seen(x, s, &v, ready) : choose(x, s, &v, ready);
	if (w == NO_WARP) {
		charge(x, s, sched, lost_to(x, s, x->sched_mask[sched], ready), now);
		return false;
	}
	if (event_wanted(x->ev, EV_SCHED_PICK))
		pick_event(x, s, sched, w, ready, now);
	const struct issue_info *in = info_at(x, &s->warp[w], s->warp[w].pc);
	bool whole = !s->warp[w].extra;
	if (x->shared_units >> (whole ? in->unit : lead_unit(in)) & 1)
		to_the_back(x, s, sched);
	use_slot(x, s, sched, w, now);
	if (x->sched->issued && whole)
		x->sched->issued(x->sched_state[sched], &v, w, in);
	if (unlikely(x->kernels != NULL))
		kernels_issued(x, s, &v, w);
	if (x->conf->sm_issue_width > 1 && whole)
		dual_issue(x, s, &v, w, in, now);
	if (s->issued_cycle != now) {
		s->issued_cycle = now;
		s->issued_mask = 0;
	}
	s->issued_mask |= BIT(w);
	if (unlikely(x->waits != NULL))
		waits_slot_used(x, w, now);
	charge(x, s, sched, ST_ISSUED, now);
	return true;
}

/* The policy looks at every cycle, or some of the scheduler's warps could issue, to units that may be busy. Not
 * inlined: the other case needs no registers saved. */
static __attribute__((noinline)) bool issue_candidates(struct sm_ctx *x, struct sm *s, u32 sched, u64 now)
{
	u64 m = x->sched_mask[sched], ready = available_warps(x, s, sched, m, now);
	if (unlikely(x->deps && x->deps->port[sched].blocked > now)) {
		charge(x, s, sched, ST_PIPE, now);
		return false;
	}
	if (unlikely(x->sched->tick != NULL))
		policy_tick(x, s, sched, now);
	if (ready)
		return issue_ready(x, s, sched, ready, now);
	charge(x, s, sched, lost_to(x, s, m, 0), now);
	return false;
}

static __attribute__((noinline)) bool stalled_anew(struct sm_ctx *x, struct sm *s, u32 sched, enum stall why, u64 now)
{
	s->reason[sched] = (u8)why;
	if (event_wanted(x->ev, EV_STALL))
		stall_event(x, s, sched, why, now);
	return false;
}

static __attribute__((noinline)) bool issue_astray(struct sm_ctx *x, struct sm *s, u32 sched, u64 now)
{
	fetch_flush(s, s->astray & x->sched_mask[sched]);
	return issue_cycle(x, s, sched, now);
}

/* Most calls find every warp waiting, on wide machines above all: short for them, and what it calls it calls last, so
 * that it saves no registers. */
bool issue_cycle(struct sm_ctx *x, struct sm *s, u32 sched, u64 now)
{
	u64 m = x->sched_mask[sched];
	if (unlikely(s->astray & m))
		return issue_astray(x, s, sched, now);
	if ((warps_ready(s) & m) || unlikely(x->sched->tick != NULL))
		return issue_candidates(x, s, sched, now);
	enum stall why = waiting_for(x, s, m);
	s->stall[sched][why]++;
	return s->reason[sched] == why ? false : stalled_anew(x, s, sched, why, now);
}
