/* LSU: memory instructions in order. An instruction reads its operands first (sm.read_latency). The head presents one
 * transaction a cycle to its cache, L1D's perhaps through a pipeline (l1_pipe.h), or occupies shared memory for its
 * conflict degree; a refusal blocks it, and so every instruction behind it, until the cache says that
 * something changed - or, on a machine with a re-execution queue (replay.h), is moved out of the way. */
#include "mem/use.h"
#include "sm/copies.h"
#include "sm/deps.h"
#include "sm/internal.h"
#include "sm/l1_pipe.h"
#include "sm/lines.h"
#include "sm/replay.h"

/* Which way an instruction takes: the cache, the operation, whether the result counts as coming from memory. */
static enum mem_cache cache_of(const struct dyninst *d)
{
	bool constant = d->space == SPC_CONST || d->space == SPC_PARAM;
	return constant ? MC_L1C : d->space == SPC_TEX ? MC_L1T : MC_L1D;
}

static enum mem_op op_of(const struct dyninst *d)
{
	if (d->in->op == OP_PREFETCH)
		return MO_PREFETCH;
	if (d->atomic)
		return d->in->op == OP_RED || !d->in->n_sb_dst ? MO_RED : MO_ATOMIC;
	if (d->space == SPC_LOCAL)
		return d->store ? MO_LOCAL_STORE : MO_LOCAL_LOAD;
	if (d->store)
		return MO_STORE;
	/* .volatile, .relaxed, .acquire: another SM may have written; .cg: cached in the L2 only; .cv: fetched again. */
	bool fresh = (d->in->flags & IF_VOLATILE) || ((d->in->op == OP_LD || d->in->op == OP_CP_ASYNC) &&
	                                              (d->in->mode == CACHE_CG || d->in->mode == CACHE_CV));
	return fresh && cache_of(d) == MC_L1D ? MO_LOAD_VOLATILE : MO_LOAD;
}

static bool on_chip(const struct conf *c, const struct dyninst *d)
{
	return d->space == SPC_SHARED || d->space == SPC_FPARAM || (d->space == SPC_PARAM && !c->l1c_params);
}

/* The data of an instruction, in turns of 128 B. */
static u32 turns_of(const struct dyninst *d)
{
	const u32 bytes = MAX(d->bytes, 1u) * bit_count32(d->mask);
	return MAX((u32)ceil_div(bytes, 128), 1u);
}

/* lsu.path: data pass from one cycle to another; the latter. What is behind by more than this is not waited for longer:
 * the timing wheel has an end. */
#define PATH_BEHIND 512
static u64 path_book(const struct sm_ctx *x, struct sm *s, u32 w, u32 turns, u64 from)
{
	u64 *free = &s->path_free[w % x->nscheds];
	*free = MIN(MAX(*free, from), from + PATH_BEHIND) + turns * x->conf->lsu_path;
	return *free;
}

static u16 load_take(struct sm *s, u32 w, u32 pc, u32 ntxn)
{
	u16 at = s->free_load;
	s->free_load = s->load_free[at];
	s->load[at] = (struct load){.pc = pc, .who = s->warp[w].who, .left = (u8)ntxn, .gen = s->load[at].gen};
	s->nloads++;
	return at;
}

static void count_kind(struct sm *s, const struct dyninst *d)
{
	if (d->atomic)
		s->k.atomics++;
	else if (d->store)
		s->k.stores++;
	else
		s->k.loads++;
}

/* Tells who listens that a load has been issued. */
static __attribute__((noinline)) void tell_issue(const struct sm_ctx *x, const struct sm *s, const struct lsu_entry *e,
                                                 const struct dyninst *d, u64 now)
{
	const struct warp *wp = &s->warp[e->warp];
	HOP_TELL(x->ear, .what = NEWS_ISSUE, .cycle = now, .at = e->ready, .sm = s->id, .load = e->load, .warp = e->warp,
	         .kernel = wp->launch, .cta = (u32)s->cta[wp->cta_slot].id, .pc = e->pc, .cache = e->cache, .op = e->op,
	         .n = e->ntxn, .txn = e->txn, .sectors = d->mask);
}

/* pc in the entry and the load record is that of the instruction: front_issue has moved on already. */
void lsu_issue(struct sm_ctx *x, struct sm *s, u32 w, const struct dyninst *d, u64 now)
{
	struct warp *wp = &s->warp[w];
	if (!d->mask)
		return; /* no lane: no access, and nothing to wait for */
	struct lsu_entry *e = &s->lsu[fifo_push(&s->lsu_q, SM_MAX_LSU)];
	bool result = d->in->n_sb_dst > 0 || d->in->op == OP_CP_ASYNC; /* a copy is a load, to shared memory */
	s->mem_flying++;
	e->ready = now + 1 + x->conf->sm_read_latency;
	e->pc = d->pc;
	e->warp = (u8)w;
	e->next = 0;
	e->load = NO_LOAD;
	e->shared = on_chip(x->conf, d);
	e->ordered = 0;
	e->turns = 0;
	if (e->shared) {
		e->ntxn = (u16)(d->space == SPC_SHARED ? mem_shared_degree(x->conf, d) : 1);
		e->op = d->space == SPC_SHARED;
		e->turns = (u8)MIN(turns_of(d), e->ntxn);
	} else {
		e->cache = (u8)cache_of(d);
		e->op = (u8)op_of(d);
		e->ntxn = (u16)mem_coalesce(x->conf, d, e->cache, e->txn);
		if (e->cache == MC_L1D)
			count_kind(s, d);
		if (e->cache == MC_L1D && d->space != SPC_LOCAL && mem_wants_words(x->mem))
			mem_coalesce_words(x->conf, d, e->txn, e->ntxn);
		if (result) {
			e->load = load_take(s, w, d->pc, e->ntxn);
			s->load[e->load].turns = e->cache == MC_L1D && x->conf->lsu_path ? (u8)turns_of(d) : 0;
			if (unlikely(d->in->op == OP_CP_ASYNC))
				copies_issue(x, s, w, e->load, d, now);
		}
		wp->loads += result;
		if (unlikely(x->ear != NULL) && result)
			tell_issue(x, s, e, d, now);
	}
	if (x->lines)
		lines_request(x, s, e);
	if (result) {
		scoreboard_reserve(x, s, w, d->pc, !e->shared && e->cache != MC_L1C);
		wp->inflight++;
	} else {
		wp->outstanding++; /* the entry itself, until the LSU has sent it: an exiting warp waits for that */
	}
}

static inline void dequeue(struct sm_ctx *x, struct sm *s, struct lsu_entry *e, bool had_result, u64 now)
{
	u32 w = e->warp;
	if (unlikely(x->deps != NULL))
		deps_leaves_lsu(x, s, w, e->pc, now);
	fifo_pop(&s->lsu_q, SM_MAX_LSU);
	if (!had_result) {
		s->mem_flying--;
		warp_answered(x, s, w, now);
	}
}

/* lsu.interval counts from an instruction's first cycle. */
static inline void lsu_taken_up(const struct sm_ctx *x, struct sm *s, const struct lsu_entry *e, u64 now)
{
	if (!e->next)
		s->lsu_next = now + x->conf->lsu_interval;
}

void lsu_shared_cycle(struct sm_ctx *x, struct sm *s, struct lsu_entry *e, u64 now)
{
	s->k.shared_cycles += e->op;
	lsu_taken_up(x, s, e, now);
	if (++e->next < e->ntxn)
		return;
	struct warp *wp = &s->warp[e->warp];
	bool result = inst_at(x, wp, e->pc)->n_sb_dst > 0;
	s->k.shared_conflicts += e->ntxn - e->turns;
	if (x->lines)
		line_of(x, s, e->warp, e->pc)->shared_conflicts += e->ntxn - e->turns;
	if (result) {
		u32 lat = e->op ? x->conf->shared_latency : x->conf->l1c_latency;
		const u64 sent = e->op && x->conf->lsu_path ? path_book(x, s, e->warp, e->ntxn, now + 1 - e->ntxn) : now;
		timer_add(x, s, now, MAX(sent, now) + lat, WK_LOADED, e->warp, e->pc);
	}
	dequeue(x, s, e, result, now);
}

/* The last transaction of a load was answered: the result is there at its ready_at, or now. */
static void load_finish(struct sm_ctx *x, struct sm *s, u32 index, u64 now)
{
	struct load *l = &s->load[index];
	u32 w = place_now(s, l->who), pc = l->pc;
	u64 at = l->ready_at;
	s->load_free[index] = s->free_load;
	s->free_load = (u16)index;
	s->nloads--;
	s->warp[w].loads--;
	if (l->turns)
		at = MAX(at, path_book(x, s, w, l->turns, MAX(at, now)));
	if (unlikely(x->copies->of_load[index]))
		copies_done(x, s, index, now);
	if (at > now) {
		timer_add(x, s, now, at, WK_LOADED, w, pc);
	} else {
		s->mem_flying--;
		s->warp[w].inflight--;
		warp_writeback(x, s, w, pc, now);
	}
	HOP_TELL(x->ear, .what = NEWS_DONE, .cycle = now, .at = MAX(at, now), .sm = s->id, .load = (u16)index);
	warp_check_fence(x, s, w, now);
}

static u32 hit_latency(const struct conf *c, enum mem_cache cache)
{
	if (cache == MC_L1D)
		return c->l1d_pipe ? 0 : c->l1d_latency;
	return cache == MC_L1C ? c->l1c_latency : c->l1t_latency;
}

void lsu_refusal_event(struct sm_ctx *x, struct sm *s, const struct lsu_refused *t, u8 *reported, enum mem_result r,
                       u64 now)
{
	if (*reported != (u8)r && event_wanted(x->ev, EV_L1_REFUSE)) {
		struct event *ev = sm_event(x, s, EV_L1_REFUSE, t->warp, now);
		ev->pc = t->pc;
		ev->arg[0] = t->addr;
		ev->arg[1] = r - MR_RF_LINE + 1;
	}
	*reported = (u8)r;
}

void lsu_blocked(struct sm_ctx *x, struct sm *s, u32 warp, u32 pc, u64 cycles)
{
	s->k.lsu_blocked += cycles;
	if (!x->lines)
		return;
	struct line_counters *c = line_of(x, s, warp, pc);
	c->refused += cycles;
	c->held += cycles;
}

void lsu_refusal(struct sm_ctx *x, struct sm *s, const struct lsu_entry *e, enum mem_result r, u64 now)
{
	struct lsu_refused t = {e->warp, e->pc, e->txn[e->next].addr};
	if (e->cache == MC_L1D)
		lsu_refusal_event(x, s, &t, &s->lsu_reported, r, now);
	s->lsu_reported = (u8)r;
	s->lsu_refused = (u8)r;
	s->lsu_tried = now;
	lsu_blocked(x, s, e->warp, e->pc, 1);
}

void lsu_sync(struct sm_ctx *x, struct sm *s, u64 now)
{
	if (x->replay)
		replay_sync(x, s, now);
	if (x->pipe)
		l1_pipe_sync(x, s, now);
	bool waits = (x->replay && (x->replay->held & REPLAY_HOLDS_LSU)) || (x->pipe && x->pipe->held);
	if (!s->lsu_refused || waits)
		return;
	u64 waited = now - s->lsu_tried - 1;
	mem_count_refused(x->mem, s->id, sm_lsu_at(s, 0)->cache, s->lsu_refused, waited);
	lsu_blocked(x, s, sm_lsu_at(s, 0)->warp, sm_lsu_at(s, 0)->pc, waited);
	s->lsu_tried = now - 1;
}

/* Whether a refused head may ask again: something has changed in its cache. */
static inline bool may_retry(struct sm_ctx *x, struct sm *s, const struct lsu_entry *e, u64 now)
{
	if (!mem_retry_wanted(x->mem, s->id, e->cache))
		return false;
	lsu_sync(x, s, now);
	s->lsu_refused = MR_HIT;
	s->lsu_tried = 0; /* how often it was synced must not show in the state */
	return true;
}

/* The cache's events of an access (l1-miss, l1-evict) do not know whose it is. */
static void stamp_events(struct sm_ctx *x, const struct sm *s, const struct lsu_request *q, u32 from)
{
	const struct warp *wp = &s->warp[q->warp];
	for (u32 i = from; i < x->ev->n; i++) {
		x->ev->e[i].warp = has_slot(q->warp) ? q->warp : -1;
		x->ev->e[i].kernel = (s32)wp->launch;
		x->ev->e[i].cta = (s32)s->cta[wp->cta_slot].id;
		x->ev->e[i].pc = q->pc;
	}
}

/* Tells who listens of a load's transaction. */
static void tell_access(const struct sm_ctx *x, const struct sm *s, const struct lsu_request *q,
                        const struct mem_txn *t, enum hop_what what, enum mem_result r, u64 now)
{
	if (q->load == NO_LOAD)
		return;
	HOP_TELL(x->ear, .what = what, .cycle = now, .sm = s->id, .load = q->load, .cache = q->cache, .op = q->op,
	         .addr = t->addr, .sectors = t->sectors, .why = (u8)r, .hit = r == MR_HIT,
	         .at = now + hit_latency(x->conf, q->cache));
}

/* The same of a transaction that its cache has accepted, also of a store: what became of its line. */
static void tell_use(const struct sm_ctx *x, const struct sm *s, const struct lsu_request *q, const struct mem_txn *t,
                     const struct use_look *look, u64 now)
{
	const struct warp *wp = &s->warp[q->warp];
	struct use_news n = {.cycle = now,
	                     .kernel = wp->launch,
	                     .cta = (u32)s->cta[wp->cta_slot].id,
	                     .pc = q->pc,
	                     .warp = has_slot(q->warp) ? q->warp : UINT8_MAX};
	use_tell(x->mem, s->id, q->cache, q->op, t, look, &n);
}

static inline enum mem_result access(struct sm_ctx *x, struct sm *s, const struct lsu_request *q,
                                     const struct mem_txn *t, u64 now)
{
	u32 token = q->load != NO_LOAD ? token_of_load(s, q->load) : TOKEN_ACK | s->warp[q->warp].who;
	return lsu_access(x, s, q->warp, q->cache, q->op, t, token | (u32)q->warp << TOKEN_BITS, now);
}

/* The same for somebody who listens. */
static __attribute__((noinline)) enum mem_result
access_told(struct sm_ctx *x, struct sm *s, const struct lsu_request *q, const struct mem_txn *t, u64 now)
{
	struct use_look look;
	tell_access(x, s, q, t, NEWS_PRESENT, MR_HIT, now);
	use_look(x->mem, s->id, q->cache, t->addr, &look);
	enum mem_result r = access(x, s, q, t, now);
	tell_access(x, s, q, t, r >= MR_RF_LINE ? NEWS_REFUSED : NEWS_TAKEN, r, now);
	if (r < MR_RF_LINE)
		tell_use(x, s, q, t, &look, now);
	return r;
}

inline enum mem_result lsu_present(struct sm_ctx *x, struct sm *s, const struct lsu_request *q, const struct mem_txn *t,
                                   u64 now)
{
	u32 events = x->ev->n;
	enum mem_result r = unlikely(x->ear != NULL) ? access_told(x, s, q, t, now) : access(x, s, q, t, now);
	if (unlikely(x->ev->n != events))
		stamp_events(x, s, q, events);
	if (unlikely(lines_any_loss(x)))
		lines_evicted(x, s, q->warp, q->pc);
	return r;
}

inline void lsu_accepted(struct sm_ctx *x, struct sm *s, const struct lsu_request *q, enum mem_result r, u64 now)
{
	if (q->cache == MC_L1D) {
		s->k.transactions++;
		s->cta[s->warp[q->warp].cta_slot].transactions++;
	}
	if (r != MR_HIT)
		s->warp[q->warp].outstanding++;
	if (r == MR_PENDING && q->cache == MC_L1C)
		scoreboard_to_memory(x, s, q->warp, q->pc, now);
	if (r == MR_HIT && q->load != NO_LOAD) {
		if (x->lines)
			line_of(x, s, q->warp, q->pc)->l1_hits++;
		s->load[q->load].ready_at = now + hit_latency(x->conf, q->cache);
		if (!--s->load[q->load].left)
			load_finish(x, s, q->load, now);
	}
}

inline void lsu_advance(struct sm_ctx *x, struct sm *s, struct lsu_entry *e, u64 now)
{
	s->lsu_reported = MR_HIT;
	lsu_taken_up(x, s, e, now);
	if (++e->next == e->ntxn)
		dequeue(x, s, e, e->load != NO_LOAD, now);
}

void lsu_head_cycle(struct sm_ctx *x, struct sm *s, struct lsu_entry *e, u64 now)
{
	if (s->lsu_refused && !may_retry(x, s, e, now))
		return;
	struct lsu_request q = lsu_request_of(e);
	enum mem_result r = lsu_present(x, s, &q, &e->txn[e->next], now);
	if (r >= MR_RF_LINE) {
		lsu_refusal(x, s, e, r, now);
		return;
	}
	if (unlikely(x->past_pipe) && e->cache == MC_L1D)
		l1_pipe_passed(x, now);
	lsu_accepted(x, s, &q, r, now);
	lsu_advance(x, s, e, now);
}

bool lsu_asks_again(const struct sm_ctx *x, const struct sm *s)
{
	const struct lsu_entry *e = sm_lsu_at(s, 0);
	return !e->shared && e->cache == MC_L1D && !l1_pipe_is_for(x, e) && mem_retry_wanted(x->mem, s->id, MC_L1D);
}

void lsu_cycle(struct sm_ctx *x, struct sm *s, u64 now)
{
	if (unlikely(x->replay != NULL)) {
		replay_cycle(x, s, now);
		return;
	}
	if (x->pipe && x->pipe->n)
		l1_pipe_cycle(x, s, now);
	struct lsu_entry *e = lsu_first(s, now);
	if (!e)
		return;
	if (e->shared)
		lsu_shared_cycle(x, s, e, now);
	else if (l1_pipe_is_for(x, e))
		l1_pipe_enter(x, s, e, now);
	else
		lsu_head_cycle(x, s, e, now);
}

u32 sm_context_token(u32 place)
{
	return place << TOKEN_BITS | TOKEN_CONTEXT;
}

u32 sm_token_warp(const struct sm *s, u32 token)
{
	if (is_of_context(token))
		return NO_PLACE;
	if (token & (TOKEN_ACK | TOKEN_FETCH))
		return place_of(s, token & UINT16_MAX);
	const struct load *l = &s->load[token_load(token)];
	return token_of_load(s, token_load(token)) == token ? place_of(s, l->who) : NO_PLACE;
}

static void load_reply(struct sm_ctx *x, struct sm *s, u32 token, bool dram, u64 now)
{
	struct load *l = &s->load[token_load(token)];
	if (unlikely(token_of_load(s, token_load(token)) != token)) {
		s->late--;
		return;
	}
	u32 w = place_now(s, l->who);
	if (x->lines) {
		struct line_counters *c = line_of(x, s, w, l->pc);
		++*(dram ? &c->dram : &c->l2_hits);
	}
	HOP_TELL(x->ear, .what = NEWS_ANSWER, .cycle = now, .sm = s->id, .load = (u16)token_load(token), .dram = dram);
	if (!--l->left)
		load_finish(x, s, token_load(token), now);
	warp_answered(x, s, w, now);
}

void lsu_reply(struct sm_ctx *x, struct sm *s, const struct mem_reply *r, u64 now)
{
	if (!(r->token & (TOKEN_ACK | TOKEN_FETCH))) {
		load_reply(x, s, r->token, r->dram, now);
		return;
	}
	if (unlikely(is_of_context(r->token))) {
		s->context_due--;
		return;
	}
	u32 w = place_of(s, r->token & UINT16_MAX);
	if (unlikely(w == NO_PLACE))
		s->late--;
	else if (r->token & TOKEN_FETCH)
		fetch_arrived(x, s, w, now);
	else
		warp_answered(x, s, w, now);
}

static bool given_up(struct sm_ctx *x, struct sm *s, const struct lsu_entry *e, const struct warp_set *warps)
{
	struct warp *wp = &s->warp[e->warp];
	if (!warp_in(warps, e->warp))
		return false;
	if (e->load != NO_LOAD)
		return true; /* the load's place in the table goes, too */
	s->mem_flying--;
	if (!e->shared || !inst_at(x, wp, e->pc)->n_sb_dst)
		wp->outstanding--;
	return true;
}

void lsu_give_up(struct sm_ctx *x, struct sm *s, const struct warp_set *warps)
{
	u32 kept = 0, n = s->lsu_q.n;
	bool head = false;
	for (u32 k = 0; k < n; k++) {
		const struct lsu_entry *e = sm_lsu_at(s, k);
		if (given_up(x, s, e, warps)) {
			head |= !k;
			continue;
		}
		if (kept != k)
			s->lsu[fifo_at(&s->lsu_q, SM_MAX_LSU, kept)] = *e;
		kept++;
	}
	s->lsu_q = (struct fifo){kept ? s->lsu_q.head : 0, kept};
	if (!head)
		return;
	s->lsu_refused = s->lsu_reported = MR_HIT;
	s->lsu_tried = 0;
	if (x->pipe)
		x->pipe->held = 0;
	if (x->replay)
		x->replay->held &= (u8)~REPLAY_HOLDS_LSU;
}

void lsu_rename(struct sm *s, u32 from, u32 to)
{
	for (u32 k = 0; k < s->lsu_q.n; k++) {
		struct lsu_entry *e = &s->lsu[fifo_at(&s->lsu_q, SM_MAX_LSU, k)];
		e->warp = e->warp == from ? (u8)to : e->warp;
	}
}
