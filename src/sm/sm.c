/* The SM's cycle: stages last to first - results, LSU, issue, fetch - and when it may sleep. */
#include "sm/sm.h"

#include <string.h>

#include "sm/internal.h"
#include "sm/l1_pipe.h"
#include "sm/replay.h"
#include "sm/sched/external.h"
#include "sm/virtual.h"

static void create_scheds(struct sm_ctx *x, struct arena *a)
{
	/* One size fits every policy, so that the scheduler can be changed in a built machine. */
	for (u32 i = 0; i < x->nscheds; i++) {
		size_t bytes = sched_external.state_bytes;
		for (u32 k = 0; warp_policies[k]; k++) {
			const struct warp_sched_ops *o = (const struct warp_sched_ops *)warp_policies[k];
			bytes = MAX(bytes, i ? o->state_bytes : MAX(o->state_bytes, o->first_bytes));
		}
		x->sched_bytes[i] = round_up(MAX(bytes, 64), 64);
		x->sched_state[i] = arena_alloc(a, x->sched_bytes[i], 64);
	}
}

void sm_set_sched(struct sm_ctx *x, struct sm *s, const struct warp_sched_ops *sched)
{
	x->sched = sched;
	s->settled = 0;
	for (u32 i = 0; i < x->nscheds; i++) {
		struct sched_view v = sm_sched_view(x, s, i, 0);
		memset(x->sched_state[i], 0, x->sched_bytes[i]);
		if (sched->init)
			sched->init(x->sched_state[i], &v);
		if (sched->warps_started && s->used)
			sched->warps_started(x->sched_state[i], &v, s->used & x->sched_mask[i]);
	}
}

struct sm *sm_create(struct sm_ctx *x, u32 id, const struct conf *c, struct arena *a, struct front *f, struct mem *m,
                     struct program *prog, struct event_buf *ev, const struct warp_sched_ops *sched)
{
	struct sm *s = ARENA_NEW(a, struct sm, 1);
	const u32 nodes = sm_nodes(c);
	*x = (struct sm_ctx){.conf = c,
	                     .front = f,
	                     .mem = m,
	                     .prog = prog,
	                     .ev = ev,
	                     .nwarps = c->sm_threads / WARP_SIZE,
	                     .nctas = c->sm_ctas,
	                     .nscheds = c->sm_schedulers,
	                     .nunits = {c->sm_sp_units, c->sm_int_units ? c->sm_schedulers : 0, c->sm_sfu_units,
	                                c->sm_dp_units, c->sm_tensor_units, 1},
	                     .collect = c->sm_collectors && c->sm_collector_sets == COLLECTORS_SCHEDULER};
	x->node = ARENA_NEW(a, struct timer_node, nodes);
	x->big = arena_alloc(a, sizeof x->big[0] * SM_PLACES, 64);
	x->copies = copies_create(a);
	x->deps = c->sm_dependences == DEPENDENCES_COUNTERS ? deps_create(a) : NULL;
	x->replay = c->lsu_replay ? ARENA_NEW(a, struct replay, 1) : NULL;
	x->l0i = l0i_create(c, a);
	x->pipe = l1_pipe_bytes(c) ? arena_alloc(a, l1_pipe_bytes(c), 64) : NULL;
	x->past_pipe = x->pipe && !c->l1d_pipe_atomics && !x->replay;
	x->results = c->sm_collectors && c->sm_unit_results == UNIT_RESULTS_ONE
	                 ? ARENA_NEW(a, struct unit_results, UNIT_LSU * SM_MAX_UNITS)
	                 : NULL;
	x->vt = conf_is_vt(c) ? ARENA_NEW(a, struct vt, 1) : NULL;
	if (x->vt)
		x->vt->until = NEVER;
	create_scheds(x, a);
	for (u32 w = 0; w < x->nwarps; w++)
		x->sched_mask[w % x->nscheds] |= BIT(w);
	for (u32 u = 0; u < UNIT_COUNT; u++)
		x->shared_units |= (u32)(x->nunits[u] && x->nunits[u] < x->nscheds) << u;
	for (u32 u = 0; c->sm_unit_sets == UNIT_SETS_SCHEDULER && u < UNIT_LSU; u++)
		x->own_units |= (u32)(x->nunits[u] >= x->nscheds) << u;
	x->f32_on_int = c->sm_f32_on_int;
	for (u32 i = 0; i < x->nscheds; i++)
		s->order[i] = (u8)i;
	s->id = id;
	s->in[WS_NONE] = bit_range(x->nwarps);
	for (u32 i = 0; i < nodes; i++)
		x->node[i].next = i + 1 < nodes ? (u16)(i + 2) : 0;
	s->fetch_rr = (u8)c->sm_fetch_first;
	s->node_free = 1;
	for (u32 i = 0; i < SM_MAX_LOADS; i++)
		s->load_free[i] = (u16)(i + 1);
	memset(s->reason, ST_EMPTY, sizeof s->reason);
	sm_set_sched(x, s, sched);
	return s;
}

static void change_flight(struct sm *s, u32 to, u64 now)
{
	s->flights[s->flight] += now - s->flight_from;
	s->flight_from = now;
	s->flight = (u8)to;
}

/* n more cycles in which the reasons were what they are. */
static inline void charge_again(struct sm_ctx *x, struct sm *s, u64 n)
{
	for (u32 i = 0; i < x->nscheds; i++)
		s->stall[i][s->reason[i]] += n;
	if (unlikely(x->lines != NULL))
		lines_lost_again(x, s, n);
}

void sm_sync(struct sm_ctx *x, struct sm *s, u64 now)
{
	if (now > s->acct_from) {
		u64 n = now - s->acct_from;
		charge_again(x, s, n);
		s->acct_from = now;
	}
	if (now > s->resid_from) {
		u64 n = now - s->resid_from;
		s->k.occupancy += n * bit_count(s->used);
		s->k.active_cycles += s->used ? n : 0;
		s->k.reg_cycles += n * s->regs_used;
		s->k.shared_held += n * s->shared_used;
		s->resid_from = now;
	}
	lsu_sync(x, s, now);
	fetch_sync(x, s, now);
	s->k.cycles = now;
	s->k.thread_insts = lanes_sum(sm_lanes(&s->k));
	change_flight(s, s->flight, now);
	s->k.flight_none = s->flights[FLIGHT_NONE];
	s->k.flight_alu = s->flights[FLIGHT_ALU];
	s->k.flight_mem = s->flights[FLIGHT_MEM];
	s->k.flight_both = s->flights[FLIGHT_BOTH];
}

u64 sm_lost_slots(const struct sm *s, u32 nscheds, u32 reasons, u64 now)
{
	u64 n = 0;
	for (u32 i = 0; i < nscheds; i++) {
		FOR_EACH_BIT(why, reasons)
		n += s->stall[i][why];
		n += reasons >> s->reason[i] & 1 ? now - s->acct_from : 0;
	}
	return n;
}

/* Acknowledgements and instructions write no register. */
static bool writes_back(const struct mem_reply *r)
{
	return r->cache != MC_L1I && r->op != MO_STORE && r->op != MO_LOCAL_STORE && r->op != MO_RED;
}

bool sm_replies(struct sm_ctx *x, struct sm *s, u64 now)
{
	struct mem_reply r;
	u32 ports = x->conf->lsu_answers, used = 0;
	while (mem_pop(x->mem, s->id, now, &r)) {
		used += writes_back(&r);
		lsu_reply(x, s, &r, now);
		if (ports && used == ports)
			return !mem_answered(x->mem, s->id);
	}
	return true;
}

/* Warps ready for the LSU can use it. */
static inline bool lsu_wanted(const struct sm_ctx *x, const struct sm *s)
{
	return s->in[WS_READY_LSU] && lsu_has_room(x, s);
}

/* Nothing issued: the next cycle at which anything of this SM's own can change. Its reasons stay what they are until
 * then. */
static u64 next_work(struct sm_ctx *x, struct sm *s, u64 now)
{
	if (unlikely(x->replay && replay_busy(x->replay)))
		return now + 1;
	if (s->done_slots || s->astray || fetch_wanted(x, s, now))
		return now + 1;
	if (warps_ready_for_units(s))
		return now + 1;
	if (lsu_wanted(x, s))
		return now + 1;
	u64 lsu = s->lsu_q.n && !s->lsu_refused ? lsu_ready(s) : NEVER;
	if (unlikely(x->past_pipe) && s->lsu_refused && !x->pipe->held && lsu_asks_again(x, s))
		return now + 1;
	lsu = MIN(MIN(lsu, l1_pipe_next(x)), mbarrier_next(s));
	if (unlikely(x->vt != NULL))
		lsu = MIN(lsu, vt_next(x, s, now));
	return lsu <= now + 1 ? now + 1 : MIN(lsu, timer_next(s, now));
}

u64 sm_next_due(struct sm_ctx *x, struct sm *s, u64 now)
{
	const u64 swap = x->vt ? vt_next(x, s, now) : NEVER;
	return MIN(MIN(MIN(l1_pipe_next(x), swap), mbarrier_next(s)), timer_next(s, now));
}

/* No warp can issue and none has changed its state since every scheduler found so: all are charged with the same
 * reasons as then, in bulk when that ends. The LSU's refusal is such a reason, so it must be the same, too. */
static inline bool settled(const struct sm_ctx *x, const struct sm *s)
{
	return s->settled == s->lsu_refused + 1 && !lsu_wanted(x, s);
}

/* In which order the schedulers are served. A strict rotation is derived from the clock, so that cycles in which the SM
 * sleeps count like any others; the other order moves only when something issues. */
static inline u32 first_of_cycle(const struct sm_ctx *x, u64 now)
{
	if (x->conf->sm_sched_order == SCHED_ORDER_FIXED)
		return 0;
	if (x->conf->sm_issue_period > 1)
		now /= x->conf->sm_issue_period;
	return (u32)(now % x->nscheds);
}

static inline void serving_order(const struct sm_ctx *x, const struct sm *s, u64 now, u8 *order)
{
	memcpy(order, s->order, sizeof s->order); /* which changes on the way */
	if (x->conf->sm_sched_order == SCHED_ORDER_ROTATE)
		return;
	for (u32 k = 0, i = first_of_cycle(x, now), n = x->nscheds; k < n; k++, i = i + 1 < n ? i + 1 : 0)
		order[k] = (u8)i;
}

/* The cycle of all schedulers. */
static bool issue_all(struct sm_ctx *x, struct sm *s, u64 now)
{
	bool issued = false;
	if (s->acct_from < now) /* it slept, or was settled */
		charge_again(x, s, now - s->acct_from);
	s->acct_from = now + 1;
	u8 order[SM_MAX_SCHEDS];
	serving_order(x, s, now, order);
	for (u32 k = 0, n = x->nscheds; k < n; k++)
		issued |= issue_cycle(x, s, order[k], now);
	bool may_issue = issued || warps_ready_for_units(s) || lsu_wanted(x, s);
	s->settled = may_issue || x->sched->tick ? 0 : (u8)(s->lsu_refused + 1);
	return issued;
}

u64 sm_tick(struct sm_ctx *x, struct sm *s, u64 now)
{
	if (unlikely(x->vt != NULL))
		vt_cycle(x, s, now);
	if (s->wheel[now % SM_WHEEL])
		timer_run(x, s, now);
	if (unlikely(s->awaiting && s->await_due <= now))
		mbarrier_expire(x, s, now);
	if (s->lsu_q.n || (x->pipe && x->pipe->n) || unlikely(x->replay != NULL))
		lsu_cycle(x, s, now);
	bool issued = !settled(x, s) && issue_all(x, s, now);
	if (s->need_fetch)
		fetch_cycle(x, s, now);
	u32 flight = (s->alu_flying | s->leading ? FLIGHT_ALU : 0) | (s->mem_flying ? FLIGHT_MEM : 0);
	if (unlikely(flight != s->flight))
		change_flight(s, flight, now);
	return issued ? now + 1 : next_work(x, s, now);
}
