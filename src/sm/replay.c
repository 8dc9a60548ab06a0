#include "sm/replay.h"

#include <string.h>

#include "sm/internal.h"
#include "sm/l1_pipe.h"

/* --- who may pass whom -------------------------------------------------------------------------------------------- */

/* In a set of warps: none of a warp without a slot. */
static u64 bit_of_warp(u32 place)
{
	return has_slot(place) ? BIT(place) : 0;
}

/* Passes nothing of its own warp, and nothing passes it. */
static bool is_strong(u32 op)
{
	return op != MO_LOAD && op != MO_LOCAL_LOAD && op != MO_PREFETCH;
}

/* The warps against which an entry is ordered. */
static u64 span(const struct sm *s, const struct replay_entry *e)
{
	if (!has_slot(e->warp))
		return 0;
	return e->ordered ? s->cta[s->warp[e->warp].cta_slot].warps : BIT(e->warp);
}

/* Adds an entry to the warps whose next load and store must stay behind. */
static void forbid(const struct sm *s, const struct replay_entry *e, u64 *no_load, u64 *no_store)
{
	u64 who = span(s, e);
	*no_store |= who;
	if (is_strong(e->op))
		*no_load |= who;
}

static void find_forbidden(struct replay *r, const struct sm *s)
{
	r->warps = r->no_load = r->no_store = 0;
	r->inactive = 0;
	for (u32 i = 0; i < r->n; i++) {
		const struct replay_entry *e = &r->e[r->order[i]];
		r->warps |= bit_of_warp(e->warp);
		r->inactive = (u8)(r->inactive + !has_slot(e->warp));
		forbid(s, e, &r->no_load, &r->no_store);
	}
}

/* Virtual threads: those of warps without a slot are a queue of their own. */
static bool is_full(const struct sm_ctx *x, bool active)
{
	const struct replay *r = x->replay;
	if (!x->vt)
		return r->n == x->conf->lsu_replay_entries;
	return active ? (u32)r->n - r->inactive >= x->conf->lsu_replay_entries
	              : r->inactive >= x->conf->vt_inactive_entries;
}

bool replay_may_leave(const struct sm_ctx *x, u64 warps)
{
	const struct replay *r = x->replay;
	u32 n = r->inactive;
	if (!(r->warps & warps))
		return true;
	FOR_EACH_BIT(i, r->used)
	n += bit_of_warp(r->e[i].warp) & warps ? 1u : 0u;
	return n <= x->conf->vt_inactive_entries;
}

void replay_barrier(struct sm_ctx *x, struct sm *s, u64 warps)
{
	struct replay *r = x->replay;
	for (u32 i = 0; i < s->lsu_q.n; i++) {
		struct lsu_entry *e = &s->lsu[fifo_at(&s->lsu_q, SM_MAX_LSU, i)];
		e->ordered |= (warps & bit_of_warp(e->warp)) != 0;
	}
	for (u32 i = 0; x->pipe && i < x->pipe->n; i++)
		l1_pipe_at(x, i, NULL)->ordered |= (warps & bit_of_warp(l1_pipe_at(x, i, NULL)->warp)) != 0;
	if (!(r->warps & warps))
		return;
	FOR_EACH_BIT(i, r->used)
	r->e[i].ordered |= (warps & bit_of_warp(r->e[i].warp)) != 0;
	find_forbidden(r, s);
}

/* --- accounting and waking ---------------------------------------------------------------------------------------- */

void replay_sync(struct sm_ctx *x, struct sm *s, u64 now)
{
	struct replay *r = x->replay;
	if (now <= r->counted)
		return;
	u64 n = now - r->counted;
	s->k.replay_cycles += n * r->n;
	s->k.replay_full += r->held ? n : 0;
	r->counted = now;
}

/* There may be an entry to try. */
static void stir(struct replay *r, u64 now)
{
	if (!r->quiet)
		return;
	r->quiet = 0;
	r->waits_from = now;
}

/* Entries that were refused by a cache in which something has changed since may be tried again. */
static void retry_cache(struct replay *r, u32 cache, u64 now)
{
	if (!(r->tried & r->of_cache[cache]))
		return;
	r->tried &= ~r->of_cache[cache];
	stir(r, now);
}

static void look_for_changes(struct sm_ctx *x, const struct sm *s, u64 now)
{
	struct replay *r = x->replay;
	for (u32 c = MC_L1D; c < MC_COUNT; c++)
		if ((r->tried & r->of_cache[c]) && mem_retry_wanted(x->mem, s->id, c))
			retry_cache(r, c, now);
}

/* A transaction that would go to its cache now: the LSU head's, or (entry NULL) the one at L1D's tags. */
struct first {
	struct lsu_request q;
	const struct mem_txn *t;
	struct lsu_entry *entry;
	u8 ordered;
};
static struct first first_of_lsu(struct lsu_entry *e)
{
	return (struct first){.q = lsu_request_of(e), .t = &e->txn[e->next], .entry = e, .ordered = e->ordered};
}
static struct first first_of_pipe(const struct l1_pipe_entry *e)
{
	return (struct first){.q = {.pc = e->pc, .load = e->load, .warp = e->warp, .cache = MC_L1D, .op = e->op},
	                      .t = &e->txn,
	                      .ordered = e->ordered};
}
static void advance(struct sm_ctx *x, struct sm *s, const struct first *f, u64 now)
{
	if (f->entry)
		lsu_advance(x, s, f->entry, now);
	else
		l1_pipe_leave(x, s, 0, now);
}

/* Where it stands as refused. */
static void set_refused(struct sm_ctx *x, struct sm *s, u32 who, enum mem_result r)
{
	if ((who & REPLAY_HOLDS_LSU) || (x->pipe && x->pipe->held))
		s->lsu_refused = (u8)r;
	if (!(who & REPLAY_HOLDS_PIPE))
		return;
	x->pipe->bank[0].refused = (u8)r;
	if (r == MR_HIT)
		x->pipe->held = 0;
}

/* It cannot go on before the queue has; seen by the schedulers as the refusal the queue waits on. */
static void hold(struct sm_ctx *x, struct sm *s, const struct first *f, u64 now)
{
	struct replay *r = x->replay;
	u8 who = f->entry ? REPLAY_HOLDS_LSU : REPLAY_HOLDS_PIPE;
	if (r->held & who)
		return;
	replay_sync(x, s, now);
	r->held |= who;
	set_refused(x, s, who, r->reason);
}

/* An entry has gone, so who waits may ask again in the next cycle: this one it has lost too. */
static void release(struct sm_ctx *x, struct sm *s)
{
	struct replay *r = x->replay;
	if (!r->held)
		return;
	s->k.replay_full++;
	set_refused(x, s, r->held, MR_HIT);
	r->held = 0;
}

static void tell(struct sm_ctx *x, const struct sm *s, const struct replay_entry *e, enum event_type type, u64 arg,
                 u64 now)
{
	if (!event_wanted(x->ev, type))
		return;
	struct event *ev = sm_event(x, s, type, e->warp, now);
	ev->pc = e->pc;
	ev->arg[0] = e->txn.addr;
	ev->arg[1] = arg;
	ev->arg[2] = x->replay->n;
	ev->arg[3] = type == EV_REPLAY_LEAVE ? e->tries : 0;
}

/* --- in ----------------------------------------------------------------------------------------------------------- */

/* It moves into the queue; reason: the cache's refusal, MR_HIT when it was not asked. */
static void enter(struct sm_ctx *x, struct sm *s, const struct first *f, enum mem_result reason, u64 now)
{
	struct replay *r = x->replay;
	u32 slot = bit_first(~r->used);
	struct replay_entry *e = &r->e[slot];
	replay_sync(x, s, now);
	*e = (struct replay_entry){.txn = *f->t,
	                           .since = now,
	                           .pc = f->q.pc,
	                           .tries = reason != MR_HIT,
	                           .load = f->q.load,
	                           .warp = f->q.warp,
	                           .cache = f->q.cache,
	                           .op = f->q.op,
	                           .ordered = f->ordered,
	                           .reason = (u8)reason};
	r->used |= BIT(slot);
	r->of_cache[e->cache] |= BIT(slot);
	r->order[r->n++] = (u8)slot;
	r->warps |= bit_of_warp(e->warp);
	r->inactive = (u8)(r->inactive + !has_slot(e->warp));
	forbid(s, e, &r->no_load, &r->no_store);
	s->k.replay_entered++;
	if (reason == MR_HIT) {
		s->k.replay_ordered++;
		stir(r, now);
	} else {
		r->tried |= BIT(slot);
		r->reason = (u8)reason;
	}
	if (r->n == 1)
		r->waits_from = now;
	s->warp[e->warp].outstanding++;
	if (e->load != NO_LOAD)
		HOP_TELL(x->ear, .what = NEWS_REPLAY, .cycle = now, .sm = s->id, .load = e->load, .addr = e->txn.addr,
		         .sectors = e->txn.sectors);
	tell(x, s, e, EV_REPLAY_ENTER, reason == MR_HIT ? 0 : reason - MR_RF_LINE + 1, now);
	if (e->cache == MC_L1C)
		scoreboard_to_memory(x, s, e->warp, e->pc, now);
	advance(x, s, f, now);
}

enum way { GO, INTO_QUEUE, WAIT };

/* What it may do about the queue. */
static enum way way_of(const struct sm_ctx *x, const struct first *f)
{
	const struct replay *r = x->replay;
	if (is_full(x, has_slot(f->q.warp)))
		return WAIT;
	if (x->conf->lsu_replay == LSU_REPLAY_CAR && (r->warps & bit_of_warp(f->q.warp)))
		return WAIT;
	return (is_strong(f->q.op) ? r->no_store : r->no_load) & bit_of_warp(f->q.warp) ? INTO_QUEUE : GO;
}

static void refused(struct sm_ctx *x, struct sm *s, const struct first *f, enum mem_result res, u64 now)
{
	if (f->entry) {
		lsu_refusal(x, s, f->entry, res, now);
		s->lsu_refused = MR_HIT;
		s->lsu_tried = 0;
	} else {
		l1_pipe_refusal(x, s, 0, res, now);
		x->pipe->bank[0].refused = MR_HIT;
		x->pipe->bank[0].tried = 0;
	}
	enter(x, s, f, res, now);
}

static bool access(struct sm_ctx *x, struct sm *s, const struct first *f, u64 now)
{
	switch (way_of(x, f)) {
	case WAIT: hold(x, s, f, now); return false;
	case INTO_QUEUE: enter(x, s, f, MR_HIT, now); return true;
	case GO: break;
	}
	enum mem_result res = lsu_present(x, s, &f->q, f->t, now);
	if (res >= MR_RF_LINE) {
		refused(x, s, f, res, now);
		return true;
	}
	retry_cache(x->replay, f->q.cache, now); /* the cache has forgotten its refusals: it would not wake us for them */
	lsu_accepted(x, s, &f->q, res, now);
	advance(x, s, f, now);
	return true;
}

/* Whether a refused transaction of this cache goes into the queue. */
static bool queued_cache(const struct sm_ctx *x, u32 cache)
{
	return cache == MC_L1D || x->conf->lsu_replay == LSU_REPLAY_NEWCAR;
}

/* The LSU head's own cycle; false: it was idle. */
static bool head_turn(struct sm_ctx *x, struct sm *s, u64 now)
{
	struct lsu_entry *e = lsu_first(s, now);
	if (!e)
		return false;
	if (!e->shared && x->pipe && e->cache == MC_L1D) {
		l1_pipe_enter(x, s, e, now);
		return false; /* the tags are another's */
	}
	if (e->shared) {
		lsu_shared_cycle(x, s, e, now);
	} else if (queued_cache(x, e->cache)) {
		struct first f = first_of_lsu(e);
		return access(x, s, &f, now);
	} else {
		lsu_head_cycle(x, s, e, now);
	}
	return e->shared || !s->lsu_refused || s->lsu_tried == now;
}

/* The same, with what is at L1D's tags. */
static bool lsu_turn(struct sm_ctx *x, struct sm *s, u64 now)
{
	bool busy = false;
	const struct l1_pipe_entry *e = l1_pipe_head(x, 0, now);
	if (e) {
		struct first f = first_of_pipe(e);
		busy = access(x, s, &f, now);
	}
	return head_turn(x, s, now) || busy;
}

/* Those that wait for a place in the queue are held. */
static void hold_firsts(struct sm_ctx *x, struct sm *s, u64 now)
{
	struct lsu_entry *e = lsu_first(s, now);
	const struct l1_pipe_entry *p = l1_pipe_head(x, 0, now);
	bool direct = e && !e->shared && queued_cache(x, e->cache) && !(x->pipe && e->cache == MC_L1D);
	struct first f = {0};
	if (p) {
		f = first_of_pipe(p);
		if (way_of(x, &f) == WAIT)
			hold(x, s, &f, now);
	}
	if (direct) {
		f = first_of_lsu(e);
		if (way_of(x, &f) == WAIT)
			hold(x, s, &f, now);
	}
}

/* --- out ---------------------------------------------------------------------------------------------------------- */

/* The oldest of the active warps' queue, or when that is empty of the other, if it may be tried. */
static u32 first_of_two(const struct replay *r)
{
	for (u32 i = 0; i < r->n; i++)
		if (r->inactive == r->n || has_slot(r->e[r->order[i]].warp))
			return r->tried >> r->order[i] & 1 ? r->n : i;
	return r->n;
}

/* Position in order[] of the oldest entry that may be tried (car: of the oldest, if it may); r->n when there is none.
 */
static u32 candidate(const struct sm_ctx *x, const struct sm *s, const struct replay *r)
{
	if (!(r->used & ~r->tried))
		return r->n;
	if (unlikely(x->vt != NULL))
		return first_of_two(r);
	if (x->conf->lsu_replay == LSU_REPLAY_CAR)
		return r->tried >> r->order[0] & 1 ? r->n : 0;
	u64 no_load = 0, no_store = 0;
	for (u32 i = 0; i < r->n; i++) {
		const struct replay_entry *e = &r->e[r->order[i]];
		bool behind = (is_strong(e->op) ? no_store : no_load) & bit_of_warp(e->warp);
		if (!behind && !(r->tried >> r->order[i] & 1))
			return i;
		forbid(s, e, &no_load, &no_store);
	}
	return r->n;
}

static void leave(struct sm_ctx *x, struct sm *s, u32 pos, enum mem_result res, u64 now)
{
	struct replay *r = x->replay;
	u32 slot = r->order[pos];
	const struct replay_entry e = r->e[slot];
	struct lsu_request q = {.pc = e.pc, .load = e.load, .warp = e.warp, .cache = e.cache, .op = e.op};
	replay_sync(x, s, now);
	memmove(&r->order[pos], &r->order[pos + 1], r->n - pos - 1u);
	r->order[--r->n] = 0; /* what is left over must not show in the state */
	r->used &= ~BIT(slot);
	r->of_cache[e.cache] &= ~BIT(slot);
	r->e[slot] = (struct replay_entry){0};
	find_forbidden(r, s);
	release(x, s);
	tell(x, s, &e, EV_REPLAY_LEAVE, now - e.since, now);
	lsu_accepted(x, s, &q, res, now);
	warp_answered(x, s, e.warp, now); /* the entry itself, which counted as outstanding */
}

/* The queue's cycle: tries one entry. False: it has none to try. */
static bool queue_turn(struct sm_ctx *x, struct sm *s, u64 now)
{
	struct replay *r = x->replay;
	u32 pos = r->quiet ? r->n : candidate(x, s, r);
	if (pos == r->n) {
		r->quiet = 1;
		return false;
	}
	struct replay_entry *e = &r->e[r->order[pos]];
	struct lsu_request q = {.pc = e->pc, .load = e->load, .warp = e->warp, .cache = e->cache, .op = e->op};
	r->waits_from = now;
	s->k.replay_tries++;
	e->tries++;
	enum mem_result res = lsu_present(x, s, &q, &e->txn, now);
	if (res < MR_RF_LINE) {
		leave(x, s, pos, res, now);
		return true;
	}
	s->k.replay_refused++;
	r->tried |= BIT(r->order[pos]);
	e->reason = r->reason = (u8)res;
	if (r->held)
		set_refused(x, s, r->held, res);
	return true;
}

void replay_cycle(struct sm_ctx *x, struct sm *s, u64 now)
{
	struct replay *r = x->replay;
	if (!r->n) {
		lsu_turn(x, s, now);
		return;
	}
	look_for_changes(x, s, now);
	bool first = is_full(x, true) || (x->vt && is_full(x, false)) ||
	             (!r->quiet && now >= r->waits_from + x->conf->lsu_replay_wait);
	if (first) {
		hold_firsts(x, s, now);
		if (queue_turn(x, s, now))
			return;
	}
	if (!lsu_turn(x, s, now))
		queue_turn(x, s, now);
}

static void take_out(struct replay *r, u32 slot)
{
	r->used &= ~BIT(slot);
	r->tried &= ~BIT(slot);
	r->of_cache[r->e[slot].cache] &= ~BIT(slot);
	r->e[slot] = (struct replay_entry){0};
}

/* What was in its way may not be there any more: who waits asks again. */
static void let_ask(struct sm_ctx *x, struct sm *s)
{
	struct replay *r = x->replay;
	if (!r->held)
		return;
	set_refused(x, s, r->held, MR_HIT);
	r->held = 0;
}

void replay_give_up(struct sm_ctx *x, struct sm *s, const struct warp_set *warps, u64 now)
{
	struct replay *r = x->replay;
	u32 kept = 0, n = r->n;
	for (u32 i = 0; i < n; i++) {
		const u32 slot = r->order[i], w = r->e[slot].warp;
		if (warp_in(warps, w)) {
			s->warp[w].outstanding--;
			take_out(r, slot);
		} else {
			r->order[kept++] = (u8)slot;
		}
	}
	s->k.replay_dropped += n - kept;
	memset(&r->order[kept], 0, n - kept);
	r->n = (u8)kept;
	find_forbidden(r, s);
	stir(r, now);
	if (kept != n)
		let_ask(x, s);
}

void replay_rename(struct sm_ctx *x, struct sm *s, u32 from, u32 to)
{
	struct replay *r = x->replay;
	FOR_EACH_BIT(i, r->used)
	r->e[i].warp = r->e[i].warp == from ? (u8)to : r->e[i].warp;
	find_forbidden(r, s);
	stir(r, s->k.cycles);
	let_ask(x, s);
}
