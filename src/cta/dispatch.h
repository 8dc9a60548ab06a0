/* The CTA dispatcher: which CTA of which kernel starts on which SM. At most one CTA starts on each SM in a cycle.
 *
 * The layer above (task) says which kernels run, in which order they are served, and how many CTAs of each an SM may
 * hold (quota). A kernel's CTA scheduler says which of its CTAs starts next. CTAs that wait to come back (cta/resume.h)
 * are served first. An SM is offered to the kernels in their order until one of them places a CTA there. The next
 * search begins with the SM behind the last one that was served.
 *
 * A programmatic launch that began before the kernel ahead of it has ended gets no new CTA while one of that kernel is
 * saved. Its own CTAs could take the room and wait for that kernel.
 *
 * The dispatcher looks when something may have changed (it is `wanted`), and when a CTA scheduler asked to be
 * called. */
#ifndef CTA_DISPATCH_H
#define CTA_DISPATCH_H
#include "cta/resume.h"
#include "cta/sched/cta_sched.h"

#define DISPATCH_KERNELS 16 /* kernels with CTAs on the machine at a time */
#define QUOTA_ANY UINT8_MAX /* as many as fit */

/* A running kernel. Without holes: its bytes are hashed. */
struct cta_kernel {
	u64 ctas, dispatched;
	u64 call_at; /* when its CTA scheduler wants to be called; NEVER: not at all */
	u32 launch;
	u8 used;
	u8 pad[3];
};
struct dispatcher {             /* arena */
	u32 first;                  /* the SM that is asked first */
	u8 wanted;                  /* CTAs may find room: look */
	u8 n;                       /* running kernels */
	u8 order[DISPATCH_KERNELS]; /* their slots, in the order in which they are served: at first by priority, then that
	                               of their launch */
	u8 pad[2];
	struct cta_kernel k[DISPATCH_KERNELS];
	u8 quota[CONF_MAX_SMS][DISPATCH_KERNELS]; /* most CTAs of the kernel in that slot on an SM */
	u16 away[CONF_MAX_SMS];  /* slots of kernels that get nothing of an SM any more, whatever their quota */
	u32 taker[CONF_MAX_SMS]; /* of such an SM: launch + 1 of the first other kernel that came there; 0: none has */
	u8 state[DISPATCH_KERNELS][CTA_SCHED_STATE_MAX] __attribute__((aligned(64))); /* of CTA schedulers, for a kernel */
	u8 machine[CTA_SCHED_MACHINE_MAX] __attribute__((aligned(64)));               /* for as long as one is in use */
};
/* What becomes of an offer of an SM to a kernel, in the order in which it is asked. */
enum offer_answer {
	OFFER_CAME_BACK, /* a saved CTA came back; `cta` is not told */
	OFFER_NONE_LEFT, /* the kernel has no CTAs to come */
	OFFER_NO_ROOM,   /* the SM has no room for one (sm_has_room()) */
	OFFER_FOR_SAVED, /* the room is for saved CTAs of the kernel that it waits for */
	OFFER_MOST,      /* the SM has as many of its CTAs as it may have: quota, occupancy, or it was taken away */
	OFFER_ASKED,     /* its CTA scheduler is about to be asked; what it answers follows */
	OFFER_DECLINED,  /* its CTA scheduler has none for this SM now */
	OFFER_TAKEN,     /* `cta` starts */
	OFFER_ANSWERS
};
/* Who looks on at offers; no state of the machine. */
struct dispatch_watch {
	void (*told)(struct dispatch_watch *w, const struct dispatch_ctx *x, u32 sm, u32 launch, enum offer_answer a,
	             u64 cta);
};
/* What it works with. */
struct dispatch_ctx {
	const struct conf *conf;
	struct dispatcher *d;
	struct sm **sm;
	struct sm_ctx *ctx;     /* by SM */
	struct launch **launch; /* by launch id */
	const struct cta_sched_ops *sched;
	struct event_buf *ev;
	struct resume_ctx *resume;
	const struct grid_order *grids;      /* by launch id (sm/griddep.h) */
	struct dispatch_watch *watch;        /* NULL: nobody looks on */
	bool last_first;                     /* boundary CTAs of kernels that have none to come are marked */
	struct external_cta_sched *external; /* whom cta_sched_external asks; NULL = none */
};

/* A kernel begins; it gets a slot, a place in the order and no quota. There is room: d->n < DISPATCH_KERNELS. */
void dispatch_kernel_start(struct dispatch_ctx *x, u32 launch, u64 now);
/* One of its CTAs has ended, with the counts it had; the last one: dispatch_kernel_end() follows. */
void dispatch_cta_done(struct dispatch_ctx *x, u32 sm, const struct cta *c, u64 now);
/* All of them have ended, the last one on that SM. */
void dispatch_kernel_end(struct dispatch_ctx *x, u32 launch, u32 sm);
/* Starts what can start in this cycle; adds the SMs concerned to the set `started`. */
void dispatch_cycle(struct dispatch_ctx *x, u64 now, u64 *started);
/* The next cycle in which dispatch_cycle() has something to do, for all that is known now. */
u64 dispatch_next(const struct dispatch_ctx *x, u64 now);
/* Another CTA scheduler decides from now on: its state for the machine's life begins. No kernel runs. */
void dispatch_sched_begin(struct dispatch_ctx *x);
/* The limit on CTAs of a running launch that the CTA scheduler has set for an SM; 0 = none. */
u32 dispatch_sm_limit(const struct dispatch_ctx *x, u32 launch, u32 sm, u64 now);
/* The lowest limit on CTAs of a running launch that the CTA scheduler has set for an SM; 0 = none. */
u32 dispatch_limit(const struct dispatch_ctx *x, u32 launch, u64 now);
/* What the CTA scheduler says of a launch, for display; nothing when it does not run. */
void dispatch_describe(const struct dispatch_ctx *x, u32 launch, u64 now, struct strbuf *out);
/* What it says of the CTA that an SM would get now; nothing when it says nothing of it, or the launch does not run. */
void dispatch_explain(const struct dispatch_ctx *x, u32 launch, u32 sm, u64 now, struct strbuf *out);
/* What the CTA scheduler keeps of a running launch for an SM; false: nothing, or the launch does not run. */
bool dispatch_share(const struct dispatch_ctx *x, u32 launch, u32 sm, u64 now, struct cta_share *out);
/* A running kernel gets nothing of an SM any more: until dispatch_give(), until it ends, or until the first kernel that
 * came there after it has ended. */
void dispatch_keep_away(struct dispatch_ctx *x, u32 launch, u32 sm);
void dispatch_give(struct dispatch_ctx *x, u32 sm); /* to all that it is kept from */
/* To this running kernel: others that it is kept from do not get it back. */
void dispatch_let_back(struct dispatch_ctx *x, u32 launch, u32 sm);
/* The slot of a running launch, or -1. */
s32 dispatch_slot(const struct dispatcher *d, u32 launch);
/* False with *e: slots, order and counts do not agree. */
bool dispatch_check_state(const struct dispatcher *d, struct err *e);
#endif
