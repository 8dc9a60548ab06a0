/* look: what the machine had to choose from when it decided - the issue of a warp, the dispatch of a CTA, the quotas of
 * kernels, SMs for a preemption - with what its policy says of each candidate (explain() of its ops).
 *
 *   gpu_look_picks(g, sm, &look);       (the SM's scheduler look.scheduler is looked at from now on)
 *   ...                                 (the machine runs)
 *   gpu_look_picks(g, sm, NULL);        (no more: look is of the last choice)
 *
 * Decisions are noted where they are made, as they are made: there is no second copy of any rule. A machine with a
 * look goes through the same states as one without. One look of each kind at a time; what is looked with outlives the
 * look. It is for a machine that is let go on from a cycle before the decision: a copy of the present one, or one that
 * has gone back in time. */
#ifndef GPU_LOOK_H
#define GPU_LOOK_H
#include "gpu/query.h"
#include "sm/pick_look.h"
#include "task/partition/partition.h"

struct gpu;
void gpu_look_picks(struct gpu *g, u32 sm, struct pick_look *look);
/* Fills in a look that has not been `seen`, because none of the scheduler's warps could issue: its warps as they are.
 */
void gpu_look_states(const struct gpu *g, u32 sm, struct pick_look *look);

/* --- CTAs --- */
#define LOOK_OFFERS 4096
struct dispatch_offer {
	u32 sm, launch;
	enum offer_answer answer;
	u64 cta;               /* OFFER_TAKEN; else NO_CTA */
	struct room_info room; /* OFFER_NO_ROOM, OFFER_MOST: what it lacked */
	u32 resident, quota;   /* its CTAs on the SM before; the partition policy's quota, QUOTA_ANY: as many as fit */
	char text[120];        /* explain()'s, where the CTA scheduler was asked */
};
struct dispatch_look {
	struct dispatch_watch watch;
	struct gpu *gpu;
	u64 cycle;    /* of the offers: those of one cycle, the last in which there were any */
	u32 n, lost;  /* lost: there was no room for more */
	bool started; /* a CTA has started in that cycle */
	bool keep;    /* to be set: only cycles in which this kernel's CTA starts are kept */
	u32 launch;   /* keep: the launch (UINT32_MAX: any) ... */
	u64 cta;      /* ... and the CTA; NO_CTA: any */
	s32 sm;       /* keep: on this SM; -1: any */
	bool found;   /* keep: such a cycle was seen */
	struct dispatch_offer offer[LOOK_OFFERS];
};
/* `look` is zeroed, but for what is to be set. */
void gpu_look_dispatch(struct gpu *g, struct dispatch_look *look);

/* --- quotas --- */
struct partition_look {
	struct partition_watch watch;
	struct gpu *gpu;
	bool seen, changed; /* changed: quotas are others than before, or CTAs are to leave */
	u64 cycle;
	u32 n; /* kernels, in the order in which they are served */
	struct look_kernel {
		u32 launch;
		u8 before[CONF_MAX_SMS], after[CONF_MAX_SMS], keep[CONF_MAX_SMS]; /* QUOTA_ANY; KEEP_ALL */
		char text[160];                                                   /* explain()'s */
	} kernel[DISPATCH_KERNELS];
	char policy[1200]; /* describe()'s, behind the decision */
};
/* Keeps the last decision that changed anything; while there has been none, the last one. */
void gpu_look_partition(struct gpu *g, struct partition_look *look);

/* --- SMs for a preemption --- */
struct preempt_look {
	struct preempt_watch watch;
	struct gpu *gpu;
	u32 id; /* to be set: only this request; 0: the first of whatever is weighed */
	bool seen;
	u64 at, limit; /* cycles */
	u32 launch, want, keep, n;
	bool named;                                          /* the SMs were named: no others were candidates */
	struct preempt_sm sm[CONF_MAX_SMS];                  /* n candidates, with their costs */
	struct preempt_cost would[CONF_MAX_SMS][TECHNIQUES]; /* with each technique for all CTAs of the SM */
	u32 chosen[CONF_MAX_SMS];                            /* indices, `want` of them, in the order of algorithm 3 */
	struct {
		u32 sm;
		char why[88];
	} barred[CONF_MAX_SMS]; /* SMs with CTAs of the kernel that may not be asked for, or are not named */
	u32 nbarred;
	u64 asked[CONF_SM_WORDS]; /* SMs of the request, a set */
	/* The partition policy had these SMs weighed in that cycle before it asked (preempt_pick()): candidates, costs and
	 * order are those of that moment. */
	bool picked;
};
void gpu_look_preempt(struct gpu *g, struct preempt_look *look);
/* Weighs a request that somebody is about to make, as preempt_request() would, for the look: for so many SMs, or those
 * of a set. by: a preemption policy's name. */
void gpu_weigh_preempt(struct gpu *g, u32 launch, u32 sms, const u64 *set, u32 keep, u64 limit, const char *by);
#endif
