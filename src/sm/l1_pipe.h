/* l1_pipe: L1D's latency as a pipeline in front of its tags (l1d.pipe).
 *
 *   LSU head --> [ l1d.latency places ] --> tags    hit: the result is there
 *                                             |     miss, store, atomic: on its way to L2
 *                                             `---- refused: stays, and those behind it close up
 *
 * One transaction enters in a cycle and one meets the tags; with l1d.banks, several that want different banks. A
 * refused transaction stops nothing as long as there is a free place; then the LSU's head waits too. A transaction
 * counts as outstanding for its warp from the moment it enters. */
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

struct l1_pipe {
	u32 head, n;
	u8 refused;  /* enum mem_result of the refusal at the tags, MR_HIT = none */
	u8 held;     /* the LSU's head waits for a place; its lsu_refused is this refusal */
	u8 reported; /* enum mem_result of that transaction's refusals last reported as an event */
	u8 pad[5];
	u64 tried; /* while refused: refusals are counted up to this cycle, else 0 */
	struct l1_pipe_entry e[];
};

static inline u32 l1_pipe_places(const struct conf *c)
{
	return c->l1d_latency * c->l1d_banks;
}
static inline size_t l1_pipe_bytes(const struct conf *c)
{
	bool any = c->l1d_pipe && c->l1d_latency;
	return any ? sizeof(struct l1_pipe) + l1_pipe_places(c) * sizeof(struct l1_pipe_entry) : 0;
}
static inline struct l1_pipe_entry *l1_pipe_at(const struct sm_ctx *x, u32 i)
{
	u32 at = x->pipe->head + i, places = l1_pipe_places(x->conf);
	return &x->pipe->e[at < places ? at : at - places];
}
/* The transaction that meets the tags now: NULL when none does. */
static inline struct l1_pipe_entry *l1_pipe_head(const struct sm_ctx *x, u64 now)
{
	struct l1_pipe_entry *e = x->pipe && x->pipe->n ? l1_pipe_at(x, 0) : NULL;
	return e && e->ready <= now ? e : NULL;
}
/* When that happens next; NEVER: none is there, or the first is refused. */
static inline u64 l1_pipe_next(const struct sm_ctx *x)
{
	return x->pipe && x->pipe->n && !x->pipe->refused ? l1_pipe_at(x, 0)->ready : NEVER;
}
/* The LSU head's transaction, which is for L1D, enters, or waits for a place. */
void l1_pipe_enter(struct sm_ctx *x, struct sm *s, struct lsu_entry *e, u64 now);
/* The transaction at the tags has been taken, or moved away. */
void l1_pipe_leave(struct sm_ctx *x, struct sm *s, u64 now);
/* What is at the tags asks its cache, if anything has changed since it was refused. */
void l1_pipe_cycle(struct sm_ctx *x, struct sm *s, u64 now);
/* It is refused. */
void l1_pipe_refusal(struct sm_ctx *x, struct sm *s, const struct l1_pipe_entry *e, enum mem_result r, u64 now);
/* A CTA is dropped or taken off its slot: as lsu_give_up() and lsu_rename(). */
void l1_pipe_give_up(struct sm_ctx *x, struct sm *s, u64 warps);
void l1_pipe_rename(struct sm_ctx *x, u32 from, u32 to);
/* Counts the refused cycles before `now`. */
void l1_pipe_sync(struct sm_ctx *x, struct sm *s, u64 now);
#endif
