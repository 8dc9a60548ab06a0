#include "sm/l1_pipe.h"

#include "sm/internal.h"
#include "sm/replay.h"

void l1_pipe_sync(struct sm_ctx *x, struct sm *s, u64 now)
{
	struct l1_pipe *p = x->pipe;
	if (!p->refused || (x->replay && (x->replay->held & REPLAY_HOLDS_PIPE)))
		return;
	u64 waited = now - p->tried - 1;
	mem_count_refused(x->mem, s->id, MC_L1D, p->refused, waited);
	s->k.lsu_blocked += waited;
	p->tried = now - 1;
}

void l1_pipe_refusal(struct sm_ctx *x, struct sm *s, const struct l1_pipe_entry *e, enum mem_result r, u64 now)
{
	struct l1_pipe *p = x->pipe;
	lsu_refusal_event(x, s, &(struct lsu_refused){e->warp, e->pc, e->txn.addr}, &p->reported, r, now);
	p->refused = (u8)r;
	p->tried = now;
	s->k.lsu_blocked++;
	if (p->held)
		s->lsu_refused = (u8)r;
}

/* Banks that a transaction wants, of several. */
static inline u32 banks_of(const struct conf *c, const struct mem_txn *t)
{
	u32 banks = 0;
	for (u32 i = 0; i < 8; i++)
		banks |= (u32)(t->sectors >> i & 1) << i % c->l1d_banks;
	return banks;
}

/* One transaction; false: there is no place for it. */
static __attribute__((always_inline)) inline bool enter(struct sm_ctx *x, struct sm *s, struct lsu_entry *e, u64 now)
{
	struct l1_pipe *p = x->pipe;
	if (p->n == l1_pipe_places(x->conf)) {
		p->held = 1;
		s->lsu_refused = p->refused;
		return false;
	}
	bool last = e->load == NO_LOAD && e->next + 1 == e->ntxn;
	*l1_pipe_at(x, p->n++) = (struct l1_pipe_entry){.txn = e->txn[e->next],
	                                                .ready = now + x->conf->l1d_latency,
	                                                .pc = e->pc,
	                                                .load = e->load,
	                                                .warp = e->warp,
	                                                .op = e->op,
	                                                .ordered = e->ordered,
	                                                .last = last};
	s->warp[e->warp].outstanding++;
	s->mem_flying += last; /* the instruction's, which goes on in here */
	lsu_advance(x, s, e, now);
	return true;
}

static __attribute__((noinline)) void enter_banks(struct sm_ctx *x, struct sm *s, struct lsu_entry *e, u64 now)
{
	u32 left = e->ntxn - e->next, busy = 0;
	const struct mem_txn *t = &e->txn[e->next];
	do {
		busy |= banks_of(x->conf, t++);
		left -= enter(x, s, e, now);
	} while (left && !x->pipe->held && !(busy & banks_of(x->conf, t)));
}

void l1_pipe_enter(struct sm_ctx *x, struct sm *s, struct lsu_entry *e, u64 now)
{
	if (x->conf->l1d_banks == 1)
		enter(x, s, e, now);
	else
		enter_banks(x, s, e, now);
}

void l1_pipe_leave(struct sm_ctx *x, struct sm *s, u64 now)
{
	struct l1_pipe *p = x->pipe;
	struct l1_pipe_entry *e = l1_pipe_at(x, 0);
	u32 w = e->warp;
	s->mem_flying -= e->last;
	p->head = p->head + 1 < l1_pipe_places(x->conf) ? p->head + 1 : 0;
	p->n--;
	p->reported = MR_HIT;
	if (p->held) {
		p->held = 0;
		s->lsu_refused = MR_HIT;
	}
	warp_answered(x, s, w, now);
}

/* Whether the cache took it. */
static __attribute__((always_inline)) inline bool at_the_tags(struct sm_ctx *x, struct sm *s,
                                                              const struct l1_pipe_entry *e, u64 now)
{
	struct lsu_request q = {.pc = e->pc, .load = e->load, .warp = e->warp, .cache = MC_L1D, .op = e->op};
	enum mem_result r = lsu_present(x, s, &q, &e->txn, now);
	if (r >= MR_RF_LINE) {
		l1_pipe_refusal(x, s, e, r, now);
		return false;
	}
	lsu_accepted(x, s, &q, r, now);
	l1_pipe_leave(x, s, now);
	return true;
}

static __attribute__((noinline)) void banks_at_the_tags(struct sm_ctx *x, struct sm *s, const struct l1_pipe_entry *e,
                                                        u64 now)
{
	for (u32 busy = 0; e && !(busy & banks_of(x->conf, &e->txn)); e = l1_pipe_head(x, now)) {
		busy |= banks_of(x->conf, &e->txn);
		if (!at_the_tags(x, s, e, now))
			return;
	}
}

void l1_pipe_cycle(struct sm_ctx *x, struct sm *s, u64 now)
{
	struct l1_pipe *p = x->pipe;
	struct l1_pipe_entry *e = l1_pipe_head(x, now);
	if (!e)
		return;
	if (p->refused) {
		if (!mem_retry_wanted(x->mem, s->id, MC_L1D))
			return;
		l1_pipe_sync(x, s, now);
		p->refused = MR_HIT;
		p->tried = 0; /* how often it was synced must not show in the state */
	}
	if (x->conf->l1d_banks == 1)
		at_the_tags(x, s, e, now);
	else
		banks_at_the_tags(x, s, e, now);
}

void l1_pipe_give_up(struct sm_ctx *x, struct sm *s, u64 warps)
{
	struct l1_pipe *p = x->pipe;
	u32 kept = 0, n = p->n;
	bool head = false;
	for (u32 i = 0; i < n; i++) {
		const struct l1_pipe_entry *e = l1_pipe_at(x, i);
		if (has_slot(e->warp) && warps >> e->warp & 1) {
			s->mem_flying -= e->last;
			s->warp[e->warp].outstanding--;
			head |= !i;
		} else {
			*l1_pipe_at(x, kept++) = *e;
		}
	}
	p->n = kept;
	if (kept != n && p->held) {
		p->held = 0;
		s->lsu_refused = MR_HIT;
	}
	if (!head)
		return;
	p->refused = p->reported = MR_HIT;
	p->tried = 0;
	if (x->replay)
		x->replay->held &= (u8)~REPLAY_HOLDS_PIPE;
}

void l1_pipe_rename(struct sm_ctx *x, u32 from, u32 to)
{
	for (u32 i = 0; i < x->pipe->n; i++) {
		struct l1_pipe_entry *e = l1_pipe_at(x, i);
		e->warp = e->warp == from ? (u8)to : e->warp;
	}
}
