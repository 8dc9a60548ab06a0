#include "sm/l1_pipe.h"

#include "sm/internal.h"
#include "sm/replay.h"

u64 l1_pipe_next_of_banks(const struct sm_ctx *x)
{
	u64 next = NEVER;
	for (u32 b = 0; b < x->conf->l1d_banks; b++) {
		const struct l1_pipe_bank *p = &x->pipe->bank[b];
		if (p->n && !p->refused)
			next = MIN(next, l1_pipe_of(x, b, 0)->ready);
		else if (p->again)
			next = MIN(next, p->again);
	}
	return next;
}

static void sync_bank(struct sm_ctx *x, struct sm *s, u32 bank, u64 now)
{
	struct l1_pipe_bank *p = &x->pipe->bank[bank];
	u64 waited = now - p->tried - 1;
	mem_count_refused(x->mem, s->id, MC_L1D, p->refused, waited);
	lsu_blocked(x, s, l1_pipe_of(x, bank, 0)->warp, l1_pipe_of(x, bank, 0)->pc, waited);
	p->tried = now - 1;
}

void l1_pipe_sync(struct sm_ctx *x, struct sm *s, u64 now)
{
	if (x->replay && (x->replay->held & REPLAY_HOLDS_PIPE))
		return;
	for (u32 b = 0; b < l1_pipe_banks(x->conf); b++)
		if (x->pipe->bank[b].refused)
			sync_bank(x, s, b, now);
}

/* The next two are compiled with the bank known for caches that have one. */
static __attribute__((always_inline)) inline void refuse(struct sm_ctx *x, struct sm *s, u32 bank, enum mem_result r,
                                                         u64 now)
{
	struct l1_pipe_bank *p = &x->pipe->bank[bank];
	const struct l1_pipe_entry *e = l1_pipe_of(x, bank, 0);
	lsu_refusal_event(x, s, &(struct lsu_refused){e->warp, e->pc, e->txn.addr}, &p->reported, r, now);
	p->refused = (u8)r;
	p->tried = now;
	lsu_blocked(x, s, e->warp, e->pc, 1);
	if (x->pipe->held == bank + 1)
		s->lsu_refused = (u8)r;
}

void l1_pipe_refusal(struct sm_ctx *x, struct sm *s, u32 bank, enum mem_result r, u64 now)
{
	refuse(x, s, bank, r, now);
}

/* One transaction; false: there is no place for it. */
static __attribute__((always_inline)) inline bool enter(struct sm_ctx *x, struct sm *s, struct lsu_entry *e, u32 bank,
                                                        u64 now)
{
	struct l1_pipe_bank *p = &x->pipe->bank[bank];
	if (p->n == x->conf->l1d_latency) {
		x->pipe->held = (u8)(bank + 1);
		s->lsu_refused = p->refused;
		return false;
	}
	bool last = e->load == NO_LOAD && e->next + 1 == e->ntxn;
	*l1_pipe_of(x, bank, p->n++) = (struct l1_pipe_entry){.txn = e->txn[e->next],
	                                                      .ready = now + x->conf->l1d_latency,
	                                                      .pc = e->pc,
	                                                      .load = e->load,
	                                                      .warp = e->warp,
	                                                      .op = e->op,
	                                                      .ordered = e->ordered,
	                                                      .last = last};
	x->pipe->n++;
	if (e->load != NO_LOAD)
		HOP_TELL(x->ear, .what = NEWS_PIPE, .cycle = now, .sm = s->id, .load = e->load, .addr = e->txn[e->next].addr,
		         .sectors = e->txn[e->next].sectors);
	s->warp[e->warp].outstanding++;
	s->mem_flying += last; /* the instruction's, which goes on in here */
	lsu_advance(x, s, e, now);
	return true;
}

/* The bank of a transaction, which is one sector. */
static inline u32 bank_of(const struct conf *c, const struct mem_txn *t)
{
	return bit_first(t->sectors) % c->l1d_banks;
}

static __attribute__((noinline)) void enter_banks(struct sm_ctx *x, struct sm *s, struct lsu_entry *e, u64 now)
{
	const struct mem_txn *t = &e->txn[e->next], *end = &e->txn[e->ntxn];
	u32 busy = 0, bank = bank_of(x->conf, t);
	do {
		if (busy && x->pipe->bank[bank].n == x->conf->l1d_latency)
			return; /* the next cycle's business */
		if (!enter(x, s, e, bank, now))
			return;
		busy |= 1u << bank;
		bank = ++t < end ? bank_of(x->conf, t) : bank;
	} while (!(busy >> bank & 1));
}

void l1_pipe_enter(struct sm_ctx *x, struct sm *s, struct lsu_entry *e, u64 now)
{
	if (conf_l1d_banked(x->conf))
		enter_banks(x, s, e, now);
	else
		enter(x, s, e, 0, now);
}

/* The LSU's head waits no more. */
static inline void let_in(struct sm *s, struct l1_pipe *p, u32 bank)
{
	if (p->held != bank + 1)
		return;
	p->held = 0;
	s->lsu_refused = MR_HIT;
}

static __attribute__((always_inline)) inline void leave(struct sm_ctx *x, struct sm *s, u32 bank, u64 now)
{
	struct l1_pipe_bank *p = &x->pipe->bank[bank];
	struct l1_pipe_entry *e = l1_pipe_of(x, bank, 0);
	u32 w = e->warp;
	s->mem_flying -= e->last;
	p->head = p->head + 1 < x->conf->l1d_latency ? p->head + 1 : 0;
	p->n--;
	x->pipe->n--;
	p->reported = MR_HIT;
	let_in(s, x->pipe, bank);
	warp_answered(x, s, w, now);
}

void l1_pipe_leave(struct sm_ctx *x, struct sm *s, u32 bank, u64 now)
{
	leave(x, s, bank, now);
}

/* Whether the cache took it. */
static __attribute__((always_inline)) inline bool at_the_tags(struct sm_ctx *x, struct sm *s, u32 bank, u64 now)
{
	const struct l1_pipe_entry *e = l1_pipe_of(x, bank, 0);
	struct lsu_request q = {.pc = e->pc, .load = e->load, .warp = e->warp, .cache = MC_L1D, .op = e->op};
	enum mem_result r = lsu_present(x, s, &q, &e->txn, now);
	if (r >= MR_RF_LINE) {
		refuse(x, s, bank, r, now);
		return false;
	}
	lsu_accepted(x, s, &q, r, now);
	leave(x, s, bank, now);
	return true;
}

/* The same for what is there, if it may ask. */
static __attribute__((always_inline)) inline bool bank_cycle(struct sm_ctx *x, struct sm *s, u32 bank, bool changed,
                                                             u64 now)
{
	struct l1_pipe_bank *p = &x->pipe->bank[bank];
	if (!l1_pipe_head(x, bank, now))
		return false;
	if (p->refused) {
		if (!changed && p->again != now)
			return false;
		sync_bank(x, s, bank, now);
		p->refused = MR_HIT;
		p->tried = p->again = 0; /* how often it was synced must not show in the state */
	}
	return at_the_tags(x, s, bank, now);
}

/* A cache that has taken something has forgotten its refusals and would not wake us for them: they ask again. */
void l1_pipe_passed(struct sm_ctx *x, u64 now)
{
	struct l1_pipe *p = x->pipe;
	for (u32 b = 0; b < l1_pipe_banks(x->conf); b++)
		p->bank[b].again = p->bank[b].refused ? now + 1 : 0;
}

static __attribute__((noinline)) void banks_cycle(struct sm_ctx *x, struct sm *s, u64 now)
{
	const bool changed = mem_retry_wanted(x->mem, s->id, MC_L1D); /* before one of them changes it */
	bool taken = false;
	for (u32 b = 0; b < x->conf->l1d_banks; b++)
		taken |= bank_cycle(x, s, b, changed, now);
	if (taken)
		l1_pipe_passed(x, now);
}

void l1_pipe_cycle(struct sm_ctx *x, struct sm *s, u64 now)
{
	if (unlikely(conf_l1d_banked(x->conf)))
		banks_cycle(x, s, now);
	else
		bank_cycle(x, s, 0, x->pipe->bank[0].refused && mem_retry_wanted(x->mem, s->id, MC_L1D), now);
}

static void give_up_bank(struct sm_ctx *x, struct sm *s, u32 bank, const struct warp_set *warps)
{
	struct l1_pipe_bank *p = &x->pipe->bank[bank];
	u32 kept = 0, n = p->n;
	bool head = false;
	for (u32 i = 0; i < n; i++) {
		const struct l1_pipe_entry *e = l1_pipe_of(x, bank, i);
		if (warp_in(warps, e->warp)) {
			s->mem_flying -= e->last;
			s->warp[e->warp].outstanding--;
			head |= !i;
		} else {
			*l1_pipe_of(x, bank, kept++) = *e;
		}
	}
	p->n = kept;
	x->pipe->n -= n - kept;
	if (kept != n)
		let_in(s, x->pipe, bank);
	if (!head)
		return;
	p->refused = p->reported = MR_HIT;
	p->tried = p->again = 0;
	if (x->replay)
		x->replay->held &= (u8)~REPLAY_HOLDS_PIPE;
}

void l1_pipe_give_up(struct sm_ctx *x, struct sm *s, const struct warp_set *warps)
{
	for (u32 b = 0; b < l1_pipe_banks(x->conf); b++)
		give_up_bank(x, s, b, warps);
}

void l1_pipe_rename(struct sm_ctx *x, u32 from, u32 to)
{
	for (u32 i = 0; i < x->pipe->n; i++) {
		struct l1_pipe_entry *e = l1_pipe_at(x, i, NULL);
		e->warp = e->warp == from ? (u8)to : e->warp;
	}
}
