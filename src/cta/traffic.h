/* traffic: contexts on their way between SMs and memory, with preempt.traffic. An SM moves one context after the other,
 * in the order in which they were asked for, a line a cycle as long as the memory system takes them:
 *
 *   out:   a preempted SM's CTAs, all in one; stays at the head until the caller has taken them off (traffic_end())
 *   back:  a CTA that has come to a slot; it is halted until its last line is there
 *
 * Each context lies in memory of its own behind device memory, in a ring of CONTEXT_RING bytes. The values are
 * elsewhere (cta/resume.h). With preempt.halt=sm the whole SM stands still while it moves a context. */
#ifndef CTA_TRAFFIC_H
#define CTA_TRAFFIC_H
#include "base/arena.h"
#include "mem/mem.h"
#include "sm/verbs.h"

#define CONTEXT_BASE (1ull << 40)
#define CONTEXT_RING (1ull << 32)
#define TRAFFIC_MOVES 64 /* of an SM; one place is left for what goes out */

struct context_move {
	u64 addr, bytes, sent;
	struct cta_set ctas; /* that it halts */
	u8 place;            /* a warp of theirs, by which their launch is known */
	u8 out;
	u8 cut;    /* nobody waits for it any more */
	u8 pad[5]; /* named so that it is zero */
};
struct traffic_sm {
	u32 first, n; /* a ring */
	u64 lies;     /* the next context of those that leave or have left */
	struct context_move move[TRAFFIC_MOVES];
};
struct traffic {           /* arena, not in the hash but by traffic_hash() */
	u64 next;              /* of the ring of contexts */
	u64 out, back;         /* bytes asked for so far */
	u64 sent_out, sent_in; /* of them, what has gone into the memory system */
	u32 open;              /* moves, on all SMs */
	u32 pad;               /* named so that it is zero */
};
struct traffic_ctx {
	const struct conf *conf;
	struct mem *mem;
	struct traffic *t; /* NULL: preempt.traffic is off */
	struct traffic_sm *of;
	struct sm **sm;
	struct sm_ctx *ctx;
};

size_t traffic_state_bytes(const struct conf *c);
void traffic_create(struct traffic_ctx *x, const struct conf *c, struct mem *m, struct arena *a);
static inline bool traffic_is_on(const struct traffic_ctx *x)
{
	return x->t;
}
/* Is anything to be moved? Then traffic_cycle() is to be called in every cycle. */
static inline bool traffic_open(const struct traffic_ctx *x)
{
	return x->t && x->t->open;
}
/* Contexts of so many bytes leave an SM, those of these CTAs, which have been halted for good; place: of one of their
 * warps. */
void traffic_out(struct traffic_ctx *x, u32 sm, const struct cta_set *ctas, u32 place, u64 bytes);
/* Where the next of them lies, which has so many bytes. */
u64 traffic_lies(struct traffic_ctx *x, u32 sm, u64 bytes);
/* Do any, until traffic_end()? */
bool traffic_leaves(const struct traffic_ctx *x, u32 sm);
/* They have ended before they were taken off: what has not been sent yet need not be, and nobody will end it. */
void traffic_cut(struct traffic_ctx *x, u32 sm);
/* Has memory acknowledged all of what leaves the SM? */
bool traffic_is_out(const struct traffic_ctx *x, u32 sm);
/* Its CTAs have been taken off: the SM moves what is next. What stays there goes on if that is nothing. */
void traffic_end(struct traffic_ctx *x, u32 sm, u64 now);
/* The CTA in a place has come: its context follows. Only while there is room. */
bool traffic_has_room(const struct traffic_ctx *x, u32 sm);
void traffic_back(struct traffic_ctx *x, u32 sm, u32 slot, u64 addr, u64 bytes, u64 now);
/* Does the CTA in a place stand still for any: its own, or its SM's? */
bool traffic_moves(const struct traffic_ctx *x, u32 sm, u32 slot);
/* Does an SM stand still for its moves, and so what comes there? */
bool traffic_halts(const struct traffic_ctx *x, u32 sm);
/* A cycle of all SMs. Adds those to `awake` whose CTAs go on. */
void traffic_cycle(struct traffic_ctx *x, u64 now, u64 *awake);
u64 traffic_hash(const struct traffic_ctx *x);
bool traffic_check_state(const struct traffic_ctx *x, struct err *e);
#endif
