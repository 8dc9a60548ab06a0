/* l1_pipe: L1D's latency as a pipeline in front of its tags (l1d.pipe).
 *
 *   LSU head --> [ l1d.latency places ] --> tags    hit: the result is there
 *                                             |     miss, store, atomic: on its way to L2
 *                                             `---- refused: stays, and those behind it close up
 *
 * One transaction enters in a cycle and one meets the tags. A refused transaction stops nothing as long as there is a
 * free place; then the LSU's head waits too. A transaction counts as outstanding for its warp from the moment it
 * enters.
 *
 * With l1d.banks there is such a pipeline for each bank, and a transaction is a sector (conf_l1d_banked). Those of an
 * instruction enter in order, in the same cycle until two want the same bank. A refused one stops its own bank only.
 * The banks meet the tags one after the other, the first bank first: when the miss queue gets one place a cycle, that
 * bank has it as long as misses come through it. */
#ifndef SM_L1_PIPE_H
#define SM_L1_PIPE_H
#include "sm/sm.h"

struct l1_pipe_entry {
	struct mem_txn txn;
	u64 ready; /* cycle it comes to the tags, unless one before it is refused */
	u32 pc;
	u16 load; /* as in struct lsu_entry */
	u8 warp, op;
	u8 ordered; /* as in struct lsu_entry */
	u8 last;    /* of an instruction without a result: that is sent when this is */
	u8 pad[6];  /* named so that it is zero: state is hashed */
};

struct l1_pipe_bank {
	u32 head, n;
	u8 refused;  /* enum mem_result of the refusal at the tags, MR_HIT = none */
	u8 reported; /* enum mem_result of that transaction's refusals last reported as an event */
	u8 pad[6];
	u64 tried; /* while refused: refusals are counted up to this cycle, else 0 */
	u64 again; /* while refused: asks again in this cycle, whatever the cache says, else 0 */
};

#define L1_PIPE_BANKS 8

struct l1_pipe {
	u32 n;   /* of all banks */
	u8 held; /* the LSU's head waits for a place in this bank, counted from 1; its lsu_refused is that bank's refusal */
	u8 pad[3];
	struct l1_pipe_bank bank[L1_PIPE_BANKS];
	struct l1_pipe_entry e[]; /* of the first bank, then of the second... */
};

static inline u32 l1_pipe_banks(const struct conf *c)
{
	return conf_l1d_banked(c) ? c->l1d_banks : 1;
}
static inline u32 l1_pipe_places(const struct conf *c)
{
	return c->l1d_latency * l1_pipe_banks(c);
}
static inline size_t l1_pipe_bytes(const struct conf *c)
{
	bool any = c->l1d_pipe && c->l1d_latency;
	return any ? sizeof(struct l1_pipe) + l1_pipe_places(c) * sizeof(struct l1_pipe_entry) : 0;
}
static inline struct l1_pipe_entry *l1_pipe_of(const struct sm_ctx *x, u32 bank, u32 i)
{
	u32 at = x->pipe->bank[bank].head + i, places = x->conf->l1d_latency;
	return &x->pipe->e[bank * places + (at < places ? at : at - places)];
}
/* The i-th of all: those of the first bank in their order, then those of the second... */
static inline struct l1_pipe_entry *l1_pipe_at(const struct sm_ctx *x, u32 i, u32 *bank)
{
	u32 b = 0;
	for (; i >= x->pipe->bank[b].n; b++)
		i -= x->pipe->bank[b].n;
	if (bank)
		*bank = b;
	return l1_pipe_of(x, b, i);
}
/* The transaction of a bank that meets the tags now: NULL when none does. */
static inline struct l1_pipe_entry *l1_pipe_head(const struct sm_ctx *x, u32 bank, u64 now)
{
	struct l1_pipe_entry *e = x->pipe && x->pipe->bank[bank].n ? l1_pipe_of(x, bank, 0) : NULL;
	return e && e->ready <= now ? e : NULL;
}
u64 l1_pipe_next_of_banks(const struct sm_ctx *x);
/* When that happens next; NEVER: none is there, or the first ones are refused. */
static inline u64 l1_pipe_next(const struct sm_ctx *x)
{
	if (!x->pipe || !x->pipe->n)
		return NEVER;
	if (unlikely(conf_l1d_banked(x->conf)))
		return l1_pipe_next_of_banks(x);
	const struct l1_pipe_bank *p = &x->pipe->bank[0];
	if (p->refused)
		return p->again ? p->again : NEVER;
	return l1_pipe_of(x, 0, 0)->ready;
}
/* The first bank whose transaction is refused; L1_PIPE_BANKS: none is. */
static inline u32 l1_pipe_refused(const struct l1_pipe *p)
{
	u32 b = 0;
	while (b < L1_PIPE_BANKS && !p->bank[b].refused)
		b++;
	return b;
}
/* Whether the LSU's head goes through the pipeline. */
static inline bool l1_pipe_is_for(const struct sm_ctx *x, const struct lsu_entry *e)
{
	return x->pipe && e->cache == MC_L1D && !(unlikely(x->past_pipe) && (e->op == MO_ATOMIC || e->op == MO_RED));
}
/* Something has gone past the pipeline into the cache, which has forgotten its refusals. */
void l1_pipe_passed(struct sm_ctx *x, u64 now);
/* The LSU head's transaction, which is for L1D, enters, or waits for a place. */
void l1_pipe_enter(struct sm_ctx *x, struct sm *s, struct lsu_entry *e, u64 now);
/* The transaction of a bank at the tags has been taken, or moved away. */
void l1_pipe_leave(struct sm_ctx *x, struct sm *s, u32 bank, u64 now);
/* What is at the tags asks its cache, if anything has changed since it was refused. */
void l1_pipe_cycle(struct sm_ctx *x, struct sm *s, u64 now);
/* It is refused. */
void l1_pipe_refusal(struct sm_ctx *x, struct sm *s, u32 bank, enum mem_result r, u64 now);
/* A CTA is dropped or taken off its slot: as lsu_give_up() and lsu_rename(). */
void l1_pipe_give_up(struct sm_ctx *x, struct sm *s, const struct warp_set *warps);
void l1_pipe_rename(struct sm_ctx *x, u32 from, u32 to);
/* Counts the refused cycles before `now`. */
void l1_pipe_sync(struct sm_ctx *x, struct sm *s, u64 now);
#endif
