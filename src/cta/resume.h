/* resume: CTAs that have been taken off their SM, and the queue of saved CTAs that are to come back. Saved CTAs are
 * placed before new ones, in order of arrival, on any SM with room or on the SM that was asked for.
 *
 *   on an SM --save--> LEAVING --quiet--> HELD ----release----> QUEUED --room--> on an SM
 *                      its accesses       until somebody
 *                      under way come     releases it
 *
 * The values of its threads (front_cta_save) lie in a part of the arena of cta.saved_mb, in one piece. */
#ifndef CTA_RESUME_H
#define CTA_RESUME_H
#include "cta/traffic.h"
#include "sm/verbs.h"

enum saved_state { SAVED_FREE, SAVED_LEAVING, SAVED_HELD, SAVED_QUEUED };
#define SM_ANY UINT32_MAX
struct saved_cta {
	u64 at, bytes;         /* its context in the store, and behind it, ... */
	u64 record;            /* ... so many bytes from there on, that of sm/restartable.h, when there is one */
	u64 hash;              /* of these bytes, which nobody changes */
	u64 order;             /* in which they are served */
	u64 id, since;         /* since: when it came into its state */
	u64 left_at;           /* when it was taken off */
	u64 bring;             /* cycles for which it, or its new SM (preempt.halt), is halted when it comes back */
	u32 launch, sm, place; /* where it was; LEAVING: where it still is */
	u32 to;                /* SM that it wants; SM_ANY */
	u8 state;              /* enum saved_state */
	u8 release;            /* LEAVING: need not wait for anybody then */
	u8 moved;              /* its context was moved for it, and will be again; a flushed one has none */
	u8 pad;
	u32 request;       /* of preemption that took it off; 0: none did */
	struct sm_saved s; /* not while it is LEAVING */
};
struct resume { /* arena, not in the hash but by resume_hash() */
	u64 orders;
	u32 n, leaving, queued;
	u32 top;                        /* places behind this one are free */
	u32 moves;                      /* how often contexts were moved in time */
	u32 pad;                        /* named so that it is zero: state is hashed */
	u64 moving_until[CONF_MAX_SMS]; /* an SM's are until then */
};
/* preempt.traffic: where a saved CTA's context lies in memory, and how large it is; 0: its values came another way. */
struct saved_context {
	u64 addr, bytes;
};
/* A CTA has been taken off an SM, or has come back to one (came), with the warp instructions it has executed. */
typedef void resume_moved_fn(void *ctx, u32 sm, u32 launch, u64 insts, bool came);
/* A CTA whose context takes time to come back has come to a slot of an SM, which (preempt.halt=sm) halts for it. */
typedef void resume_brought_fn(void *ctx, const struct saved_cta *c, u32 sm, u32 slot, u64 now);
struct resume_ctx {
	const struct conf *conf;
	struct resume *r;
	struct saved_cta *cta; /* arena: as many as all SMs can hold */
	u32 max;
	u8 *store; /* arena */
	struct traffic_ctx traffic;
	struct saved_context *context; /* arena, by place in cta[]; NULL without traffic */
	struct sm **sm;
	struct sm_ctx *ctx;
	struct launch **launch;
	resume_moved_fn *moved; /* NULL: nobody is told */
	void *moved_ctx;
	resume_brought_fn *brought; /* NULL: nobody is told */
	void *brought_ctx;
};

size_t resume_state_bytes(const struct conf *c);
void resume_create(struct resume_ctx *x, const struct conf *c, struct mem *m, struct arena *a);
/* Takes the CTA in a slot of an SM off; release: it comes back by itself; why: for the event. NULL with *e: there is no
 * room for it, or the front end cannot. */
struct saved_cta *resume_save(struct resume_ctx *x, u32 sm, u32 slot, bool release, const struct cta_leaves *why,
                              u64 now, struct err *e);
/* It may come back: to SM `to`, SM_ANY: to any. */
void resume_release(struct resume_ctx *x, struct saved_cta *c, u32 to, u64 now);
struct saved_cta *resume_find(const struct resume_ctx *x, u32 launch, u64 id);
/* What a saved CTA has done so far. */
static inline const struct cta *resume_cta(const struct resume_ctx *x, const struct saved_cta *c)
{
	return c->state == SAVED_LEAVING ? &x->sm[c->sm]->cta[c->place] : &c->s.cta;
}
/* CTAs of a launch that are here. */
u32 resume_count(const struct resume_ctx *x, u32 launch);
/* Has a look to be taken in every cycle? */
static inline bool resume_watches(const struct resume_ctx *x)
{
	return x->r->leaving || traffic_open(&x->traffic);
}
/* Those that have left their SM completely are noted; true: one of them may come back now. Contexts are moved; adds SMs
 * whose CTAs go on to `awake`. */
bool resume_look(struct resume_ctx *x, u64 now, u64 *awake);
/* With traffic: the context of one that has just been saved has so many bytes. */
void resume_lies_at(struct resume_ctx *x, const struct saved_cta *c, u64 bytes);
/* Brings a CTA back to this SM, if one fits whose kernel may have one more there: its launch, or -1. */
typedef bool resume_may_fn(const void *ctx, u32 sm, u32 launch);
s32 resume_offer(struct resume_ctx *x, u32 sm, resume_may_fn *may, const void *ctx, u64 now);
/* Contexts of these CTAs of an SM are moved until that cycle: they are halted, or (preempt.halt=sm) all that is and
 * comes there. */
void resume_move(struct resume_ctx *x, u32 sm, const struct cta_set *ctas, u64 until, u64 now);
/* A CTA has come to a place of an SM. */
void resume_cta_halted(struct resume_ctx *x, u32 sm, u32 place, u64 now);
static inline void resume_cta_came(struct resume_ctx *x, u32 sm, u32 place, u64 now)
{
	if (unlikely(x->r->moving_until[sm] > now || traffic_halts(&x->traffic, sm)))
		resume_cta_halted(x, sm, place, now);
}
/* Of all that is here; 0: nothing. */
u64 resume_hash(const struct resume_ctx *x);
bool resume_check_state(const struct resume_ctx *x, struct err *e);
#endif
