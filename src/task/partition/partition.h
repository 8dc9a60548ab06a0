/* A partition policy: how many CTAs of each running kernel an SM may hold, and in which order kernels are served. One
 * file, one const ops struct at its end, one line in all.def. Registry names are the values of `partition`.
 *
 * It is asked when a kernel has begun or ended, when a CTA has ended (if it wants to), and at times of its own. Its
 * state (zeroed when the policy comes into use, in the arena: no pointers) outlives kernels. */
#ifndef TASK_PARTITION_PARTITION_H
#define TASK_PARTITION_PARTITION_H
#include "task/preempt/preempt.h"

#define PARTITION_STATE_MAX (16384 - 2 * CONF_MAX_SMS)
struct partition_view;
struct external_partition;
/* Of the SMs with CTAs of a running kernel, the n whose loss costs least, as the preemption policy in use estimates it
 * (algorithm 3; with none, as if they were to drain), into the set. How many there are, at most n. */
typedef u32 partition_pick_fn(const struct partition_view *v, u32 slot, u32 n, u64 *set);

struct partition_view {
	const struct conf *conf;
	const struct dispatcher *d;         /* the running kernels, by slot, and their order */
	const struct launch *const *launch; /* by launch id */
	const struct sm *const *sm;         /* all SMs */
	u32 num_sms;
	u64 now;
	u32 limit[DISPATCH_KERNELS]; /* by slot: the lowest limit that the CTA scheduler has set for an SM; 0 = none yet */
	u32 waiting[DISPATCH_KERNELS]; /* by slot: CTAs that have been taken off their SMs and are to come back */
	partition_pick_fn *pick;
	struct preempt_ctx *preempt;         /* pick's */
	struct external_partition *external; /* whom partition_external asks; NULL = none */
	struct event_buf *ev;                /* for its decisions */
};
#define KEEP_ALL UINT8_MAX
/* What it decides: like the dispatcher's, which it begins with. */
struct partition_plan {
	u8 (*quota)[DISPATCH_KERNELS]; /* by SM and slot; QUOTA_ANY: as many as fit */
	u8 *order;                     /* d->n slots */
	/* By SM and slot: all CTAs but so many, those that have been there longest, are to leave at once, by the preemption
	 * policy in use. At first KEEP_ALL. Whom it cannot preempt - it is `none`, the kernel is cooperative - the quota
	 * keeps from having more: they run to their end. Of an SM that is being preempted already nothing more can be
	 * asked: if the policy insists, partition_ask() notes that and asks again, for the quotas of then, until the SM has
	 * no more than those; else they run to their end. */
	u8 (*keep)[DISPATCH_KERNELS];
	u8 *taker; /* by SM, for the event of the request: slot + 1 of the kernel that is to have it; at first 0, nobody */
};

/* What an SM is there for, under a policy that measures. */
enum partition_role { ROLE_NONE, ROLE_DEDICATED, ROLE_TRIAL, ROLE_FOLLOWER, ROLE_SPATIAL, PARTITION_ROLES };
extern const char *const partition_role_names[PARTITION_ROLES]; /* "": none */

struct partition_ops {
	POLICY_HEAD;
	bool each_cta;      /* asked, too, whenever a CTA has ended or was taken off */
	bool preempts;      /* it may say that CTAs are to leave */
	bool insists;       /* what an SM owes, because it could not be asked, is asked for again (struct partition_plan) */
	size_t state_bytes; /* <= PARTITION_STATE_MAX */
	/* The kernels that run have changed, or the time has come that was asked for: writes the plan. Returns the cycle,
	 * later than v->now, at which it wants to be asked again; NEVER: when kernels change. */
	u64 (*plan)(void *state, const struct partition_view *v, struct partition_plan *p);
	/* Optional, for who counts instructions by SM (meter.h): a CTA has left an SM - it has ended, or was saved - or it
	 * has come back to one (came); warp instructions it has executed. */
	void (*moved)(void *state, u32 sm, u32 launch, u64 insts, bool came);
	/* Optional, for display: what it has measured and decided, in lines; and the role of an SM. */
	void (*describe)(const void *state, const struct conf *c, struct strbuf *out);
	enum partition_role (*role)(const void *state, u32 sm);
	/* Optional, for `why partition`: what gives the kernel in a slot its quotas, right behind plan(), in the policy's
	 * terms ("fills 4 SMs, an even share is 7"). */
	void (*explain)(const void *state, const struct partition_view *v, u32 slot, struct strbuf *out);
};
/* Who looks on when the policy is asked; no state of the machine. */
struct partition_watch {
	void (*planned)(struct partition_watch *w, const struct partition_ops *ops, const void *state,
	                const struct partition_view *v, const u8 (*before)[DISPATCH_KERNELS],
	                const u8 (*keep)[DISPATCH_KERNELS]);
};
/* All of them; ends with NULL. Each is the head of a struct partition_ops. */
extern const struct policy *const partition_policies[];

struct partition_state { /* arena */
	u64 call_at;         /* when the policy wants to be asked; NEVER: not at all */
	u8 state[PARTITION_STATE_MAX] __attribute__((aligned(64)));
	/* By SM: slots of kernels whose CTAs beyond the quota were to leave at once, and the SM could not be asked. */
	u16 owed[CONF_MAX_SMS];
	/* By SM and slot: quota + 1 that the kernel keeps there, because it must not be preempted (preempt_forbids()); 0:
	 * it has the policy's. */
	u8 held[CONF_MAX_SMS][DISPATCH_KERNELS];
	bool any_held;
	u8 pad[7];
};
struct partition_ctx {
	const struct partition_ops *ops;
	struct partition_state *st;
	struct dispatch_ctx *dispatch;
	struct preempt_ctx *preempt;
	struct external_partition *external;
	struct partition_watch *watch; /* NULL: nobody looks on */
};
/* What cke and mcke share (cke.c): the SMs in equal shares, in the order of their launch, for kernels that have CTAs to
 * place. On an SM that was another kernel's the new one waits until that one's CTAs have left. */
void partition_divide(const struct partition_view *v, struct partition_plan *p);
void partition_explain_divided(const struct partition_view *v, u32 slot, struct strbuf *out);

/* Have kernels begun or ended since the policy last looked? Notes those that run. */
struct partition_known {
	u32 launch[DISPATCH_KERNELS]; /* in their order */
	u32 n;
};
bool partition_news(struct partition_known *k, const struct partition_view *v);
/* CTAs of a kernel on all SMs. */
u32 partition_resident(const struct partition_view *v, u32 slot);
/* Has it CTAs that are to be placed, new ones or such as have been taken off? */
bool partition_comes(const struct partition_view *v, u32 slot);
/* From place r of the order on: how many kernels there have the same priority. */
u32 partition_equals(const struct partition_view *v, u32 r);
/* Has an SM more CTAs of any kernel than the plan's quotas allow? */
bool partition_over(const struct partition_view *v, const struct partition_plan *p, u32 sm);
/* CTAs of the kernel on the SM beyond its quota are to leave at once: how many. */
u32 partition_evict(const struct partition_view *v, struct partition_plan *p, u32 sm, u32 slot);
/* For explain(): the SMs that the plan leaves to the kernel, "7 of 15 SMs"; of the view's dispatcher. */
u32 partition_sms_of(const struct partition_view *v, u32 slot);
/* The event repartition: a kernel's share has changed. */
void partition_tell(const struct partition_view *v, u32 slot, u32 before, u32 after, u32 leave);

/* The policy comes into use. */
void partition_begin(struct partition_ctx *x, u64 now);
/* A CTA has left an SM or come back to one: see `moved`. The context is a struct partition_ctx. */
void partition_moved(void *ctx, u32 sm, u32 launch, u64 insts, bool came);
/* Asks it: kernels have changed, or its time has come. */
void partition_ask(struct partition_ctx *x, u64 now);
#endif
