/* preempt: a kernel gives SMs away, each of its CTAs there by a technique (cost.h). The request says which kernel, how
 * many SMs or which ones, and within what time. The policy in use, or the one that the request names, chooses the
 * technique of each CTA. Algorithm 3 picks the SMs. Registry names are the values of `preempt`.
 *
 *   request --plan--> each SM: kept from the kernel, its CTAs   switch: halted for as long as its context takes, then
 *                                                               saved; it is brought back wherever there is room
 *                                                       drain:  runs on
 *                                                       flush:  begins again, and is saved at once
 *           --done--  an SM: none of those CTAs is there any more; a request: all its SMs are done
 *
 * With virtual threads a plan is of all CTAs of the kernel on the SM, those without a slot included. They change places
 * while a plan is under way: CTAs that drain get slots in turn. One that is switched keeps its place until it is saved.
 *
 * CTAs that were saved or flushed wait in the queue of cta/resume.h, which is served before new CTAs.
 *
 * A flush relies on the compiler's notice (struct program, `notice`), which is what the hardware knows. The record of
 * what CTAs really did (sm/restartable.h) knows better: if it says of a CTA about to be flushed that it cannot begin
 * again, the program stops with a fault. */
#ifndef TASK_PREEMPT_PREEMPT_H
#define TASK_PREEMPT_PREEMPT_H
#include "task/preempt/cost.h"
#include "task/queue.h"

/* A policy: one file, one const ops struct at its end, one line in all.def. */
struct preempt_ops {
	POLICY_HEAD;
	/* Fills in `technique` of every CTA; by[] is there. NULL: the policy preempts nobody. */
	void (*choose)(struct preempt_sm *s, u64 limit);
	bool flushes;           /* it may choose a flush, for which idempotence is recorded */
	bool only_flushes;      /* it has nothing else for a kernel that must not be flushed (preempt_forbids()) */
	enum technique instead; /* for a CTA that was to be flushed and may not be any more */
};
/* All of them; ends with NULL. Each is the head of a struct preempt_ops. */
extern const struct policy *const preempt_policies[];

const char *preempt_policy_list(void); /* names of those that preempt, for messages */

#define PREEMPT_REQUESTS 64 /* remembered */
#define PREEMPT_PLANS 512   /* remembered */
_Static_assert(PREEMPT_PLANS >= 2 * CONF_MAX_SMS, "there is always one to be forgotten");

struct preempt_request {
	u64 at, limit; /* cycles */
	u64 done_at;   /* 0: it is under way */
	u32 id;        /* 1, 2, ...; 0: the place is free */
	u32 launch, sms, left;
	u32 by;       /* place of the policy in preempt_policies */
	u32 whom;     /* the launch that is to have the SMs, + 1; 0: nobody in particular */
	u8 keep;      /* CTAs that stay on each SM */
	u8 partition; /* the partition policy has asked; else the user */
	u8 stays;     /* the SMs stay away from the kernel when they are free; else the partition policy sees to that */
	u8 told;      /* whether the deadline was met or missed */
	u32 held;     /* of left: SMs that stay with the kernel, as it must not be flushed; they are late at the deadline */
};
/* What became of a CTA. */
struct preempt_fate {
	u64 left_at; /* 0: it is there */
	u64 lost;    /* warp instructions, measured or, where time was lost, by the kernel's IPC */
	u64 dropped; /* it has been, and is to be saved yet */
};
/* An SM of a request. */
struct preempt_plan {
	u32 request; /* id; 0: the place is free */
	u32 launch;
	u32 left;      /* CTAs that are there */
	u32 technique; /* of all its CTAs; TECHNIQUES: they differ */
	u64 at, save_at, done_at;
	u64 lost;
	u64 halted; /* of lost: by CTAs of the SM that did not leave by a switch, and stood still while contexts were saved
	             */
	struct preempt_cost would[TECHNIQUES]; /* of the SM, with each technique for all */
	struct preempt_sm s;
	struct preempt_fate fate[PREEMPT_MAX_CTAS];
};
struct preempt {            /* arena, not in the hash but by preempt_hash() */
	u64 look_at;            /* when preempt_cycle() has something to do; NEVER */
	u32 requests, plans;    /* so far */
	u32 smst[CONF_MAX_SMS]; /* SM status: plan + 1 that is under way there, by place in plan[]; 0: none */
	struct preempt_request request[PREEMPT_REQUESTS]; /* id at id % PREEMPT_REQUESTS */
	struct preempt_plan plan[PREEMPT_PLANS];
};
struct preempt_ask;
struct preempt_ctx;
/* Who looks on when SMs are weighed against each other; no state of the machine. */
struct preempt_watch {
	/* n candidates with their costs, as the policy treats them; the first `want` of chosen[] (indices) are taken, in
	 * that order. request: its id; 0: somebody has only asked which SMs would be (preempt_pick()). */
	void (*weighed)(struct preempt_watch *w, const struct preempt_ctx *x, const struct preempt_ask *a, u32 request,
	                const struct preempt_sm *s, u32 n, const u32 *chosen, u32 want, u64 now);
};
struct preempt_ctx {
	const struct preempt_ops *ops; /* the policy in use */
	struct preempt *p;
	struct task *task;
	struct dispatch_ctx *dispatch;
	struct front *front;
	struct event_buf *ev;
	struct preempt_sm *scratch;  /* the host's, as many as there are SMs: no state */
	struct preempt_watch *watch; /* NULL: nobody looks on */
};
struct preempt_ask {
	u32 launch;
	u32 sms;                      /* so many of the kernel's SMs ... */
	const u64 *set;               /* ... or, if not NULL, these, a set of SMs */
	u32 keep;                     /* CTAs that stay on each, those that have been there longest */
	u64 limit;                    /* cycles */
	const struct preempt_ops *by; /* NULL: the policy in use */
	u32 whom;                     /* the launch that is to have them, + 1; 0: nobody in particular */
	bool partition;               /* the partition policy asks */
	bool stays;
};

size_t preempt_state_bytes(void);
/* The parts of x that are not its own have been set. */
void preempt_create(struct preempt_ctx *x, struct arena *a);
void preempt_free(struct preempt_ctx *x);
/* The id of the request, or 0 with *e and nothing done. What it asks for begins in the next preempt_cycle(), which has
 * to be that of cycle `now`. */
u32 preempt_request(struct preempt_ctx *x, const struct preempt_ask *a, u64 now, struct err *e);
/* Is the kernel one that this policy cannot preempt at all: it can only flush, preempt.idempotence=strict asks for an
 * idempotent kernel, and this one is not, as far as the compiler's check can tell? Requests for its SMs are then late.
 */
bool preempt_forbids(const struct preempt_ctx *x, const struct preempt_ops *by, u32 launch);
/* Of the SMs that a kernel could give, the n that algorithm 3 would choose, with the time of preempt.within; with a
 * policy that preempts nobody, as if all CTAs drained. Into the set; how many. */
u32 preempt_pick(struct preempt_ctx *x, u32 launch, u32 n, u64 now, u64 *set);
/* Weighs the SMs for a request without making it, for who looks on (watch); the request is one that may be made. */
void preempt_weigh(struct preempt_ctx *x, const struct preempt_ask *a, u64 now);
/* May an SM be asked for by such a request? False with *e. */
bool preempt_may_ask(const struct preempt_ctx *x, const struct preempt_ask *a, u32 sm, struct err *e);
/* Would it? */
bool preempt_may(struct preempt_ctx *x, const struct preempt_ask *a, u64 now, struct err *e);
/* SMs are given back to the kernels they were kept from; NULL: all that there are. False with *e: none is, or one is
 * about to be preempted. */
bool preempt_release(struct preempt_ctx *x, const u64 *set, struct err *e);
bool preempt_may_release(const struct preempt_ctx *x, const u64 *set, struct err *e);
/* To be called in the cycle look_at, before CTAs are dispatched. Adds the SMs concerned to the set `awake`. False: a
 * CTA was to be flushed that cannot begin again; the front end has the fault. */
bool preempt_cycle(struct preempt_ctx *x, u64 now, u64 *awake);
/* A CTA has ended. */
static inline void preempt_cta_done(struct preempt_ctx *x, u32 sm, u64 now)
{
	if (unlikely(x->p->smst[sm]))
		x->p->look_at = now;
}
/* A switched CTA has come back: what the CTAs of its new SM lose while they stand still for its context is a loss of
 * its request (a resume_brought_fn; the context is a struct preempt_ctx). */
void preempt_brought(void *ctx, const struct saved_cta *c, u32 sm, u32 slot, u64 now);
/* A kernel has ended: the SMs that it was not to give (held) are free of it. */
static inline void preempt_kernel_done(struct preempt_ctx *x, u64 now)
{
	if (unlikely(x->p->requests))
		x->p->look_at = now;
}
/* The CTA in a place is preempted by a switch: when its context will have been moved away (NEVER: nobody knows); 0: it
 * is not. */
u64 preempt_saves_at(const struct preempt_ctx *x, u32 sm, u32 place);
/* What is counted of a running launch. */
struct preempt_stats preempt_stats_of(const struct preempt_ctx *x, u32 launch, u64 now);
/* A request by its id; NULL: never made, or forgotten. */
const struct preempt_request *preempt_find(const struct preempt *p, u32 id);
/* Of all that is here; 0: nothing ever was. */
u64 preempt_hash(const struct preempt_ctx *x);
bool preempt_check_state(const struct preempt_ctx *x, struct err *e);
#endif
