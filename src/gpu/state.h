/* state: the parts of the machine. gpu.h declares what its files do with them. */
#ifndef GPU_STATE_H
#define GPU_STATE_H
#include "base/arena.h"
#include "sm/sched/sched.h"
#include "task/partition/partition.h"
#include "task/preempt/preempt.h"
#include "task/queue.h"

struct gpu_state {               /* arena */
	u64 cycle;                   /* completed cycles = the cycle about to be simulated */
	u64 awake[CONF_SM_WORDS];    /* SMs to tick */
	u64 wake_at[CONF_MAX_SMS];   /* of sleeping SMs */
	u64 next_wake;               /* the earliest of those */
	u64 finished[CONF_SM_WORDS]; /* SMs with finished CTAs to collect */
	u8 faulted;
	u8 uncommitted; /* with commit.delay: something is on its way from an SM to the others */
	u8 fault_in;    /* an SM is at fault: the machine stops in so many cycles, this one included; 0 = none is */
};
/* Whether the machine still goes on. Arena, not in the hash: a cycle at which it has been found that nothing goes on is
 * the same cycle as for those who came there and have not looked yet. */
struct hang_watch {
	u64 at; /* of the next look: multiples of deadlock_cycles / 4, and what the search for livelocks asks for */
	u64 progress_sum;          /* work done until the last look */
	u64 progress_at;           /* when that last changed */
	u8 deadlocked, livelocked; /* found; livelocked: deadlocked in that way */
	u64 busy_since; /* without progress, all looks since then found something due at once; NEVER: the last has
	                 * not */
};
struct gpu {
	struct conf conf;
	struct arena arena;
	struct devmem mem_values;
	struct front *front;
	struct mem *mem;
	struct gpu_state *st;
	u64 (*done_at)[SM_MAX_CTAS]; /* arena, with commit.delay: when the CTA in a slot of an SM has ended, + 1; 0: runs */
	u64 *timed;                  /* in the arena, not in the hash: SMs whose st->wake_at is not NEVER */
	u32 sm_words;                /* of the sets of SMs, those that are in use */
	struct task *task;
	struct grid_order *grids; /* in the arena, not in the hash; by launch id */
	struct hang_watch *hang;  /* in the arena, not in the hash, as the five below */
	struct livelock *livelock;
	struct livelock_warp *livelock_warp; /* by SM and warp slot */
	u64 *livelock_open;                  /* by SM: bits of warps that are open there */
	struct starve *starve;
	struct starve_sm *starve_sm;     /* by SM */
	struct starve_warp *starve_warp; /* by SM and warp slot */
	struct restart *restart;         /* NULL: not recorded */
	struct checks *checks;           /* NULL: nobody looks for races */
	struct sm *sm[CONF_MAX_SMS];
	struct sm_ctx ctx[CONF_MAX_SMS];
	struct event_buf *ev;              /* num_sms + 1: the last is the machine's own */
	bool turn_open, turn_events;       /* gpu/turn.h: one is under way; those of one lie in ev */
	u64 kernels_ended;                 /* ever, in the past again too: a sign for who waits for one */
	struct launch **launch;            /* by id */
	struct program *prog;              /* by id */
	struct kernel_counters *live;      /* by id: copies that queries hand out */
	u32 *policy;                       /* in the arena, not in the hash: by kind, as policies.c numbers them */
	struct policy_entry *policy_entry; /* of policies from outside, in the order of their registration */
	u32 npolicy_entries;
	/* What follows from policy[] (policies_bind), as ctx[].sched and ctx[].external do: */
	u32 policies_external;                         /* kinds that are in the hands of somebody outside the library */
	struct policy_user *policy_user[POLICY_KINDS]; /* of those, whose; NULL: nobody is registered */
	struct dispatch_ctx dispatch;                  /* its scheduler */
	struct resume_ctx resume;                      /* saved CTAs */
	struct partition_ctx partition;                /* its ops */
	struct preempt_ctx preempt;                    /* its ops */
	struct module **module;
	struct code_tables *table;   /* by module */
	struct sm_lines *lines;      /* by SM; no machine state; NULL: nobody counts (gpu/lines.h) */
	struct gpu_scope *scope;     /* what queries of counters tell; no machine state; NULL: the whole run */
	struct notice_table *notice; /* by kernel, when idempotence is recorded */
	u32 nnotices;
	u32 nmodules;
	u32 modules_ever; /* entries of the tables, those that a return to the past has hidden included */
	struct {
		event_set mask;
		bool (*fn)(void *ctx, const struct event *e);
		void *ctx;
	} * consumer;
	u32 nconsumers;
	event_set event_mask; /* union of the consumers' masks */
};

static inline struct event_buf *gpu_events(struct gpu *g)
{
	return &g->ev[g->conf.num_sms];
}
#endif
