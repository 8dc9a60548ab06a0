/* The kernel queue: launches in order, each with a control block (KCB); streams; when a kernel may start.
 *
 * Launches of one stream of a program run one after the other. Launches of different streams may overlap: CTAs are
 * given to the earliest kernel that has any left, and the room that is left goes to the next kernel (leftover policy).
 * A programmatic launch need not wait for the end of the one before it, only until that one lets it go
 * (gpu/dependents.h).
 *
 * A cooperative kernel waits until nothing else runs, and no other kernel starts before all its CTAs are on the
 * machine.
 *
 * Streams have priorities, as in CUDA. Of the launches that may start, the one of the least number starts first, and
 * while several run its CTAs are served first; among equal ones, the earliest launch comes first. The partition policy
 * says what else a priority is worth. Under spatial, smk and smk-pw, kernels of the least number get what they can
 * fill, and the others get the rest (as preemptive priority queues do: Tanasic 2014, section 3.3). Other policies use
 * the order only. */
#ifndef TASK_QUEUE_H
#define TASK_QUEUE_H
#include "base/arena.h"
#include "cta/dispatch.h"
#include "sm/griddep.h"

#define TASK_MAX_LAUNCHES CONF_MAX_LAUNCHES /* in the life of a machine; address space until they are made */

enum kcb_state { KCB_QUEUED, KCB_RUNNING, KCB_DONE };
struct kcb {      /* without holes: its bytes are hashed */
	u64 ready_at; /* earliest start, launch latency included as soon as that is known */
	u64 ctas;
	u32 stream;
	s32 next_in_stream; /* launch id, -1 = none */
	struct kernel_counters k;
	u64 slots_before[ST_COUNT], slots_after[ST_COUNT]; /* of all schedulers, when it started and when it had ended */
	u8 state;
	u8 cooperative;
	u8 behind;  /* queued, and another launch of its stream is not done, or has not let it go */
	u8 program; /* that launched it: streams are its own */
	u16 run;    /* of the program, from 0; the last that can be told for all behind it */
	s8 priority;
	u8 programmatic; /* starts when the one before it lets it go (task_let_go()) */
};
struct task { /* arena */
	u32 nlaunches;
	u32 first_open; /* all launches before it are done */
	u32 heads;      /* queued launches that wait for no other of their stream: those with a ready_at */
	u64 next_start; /* earliest ready_at of a queued launch that may start, NEVER = none */
	struct kcb kcb[TASK_MAX_LAUNCHES];
	struct dispatcher dispatcher;
};
/* Adds launch id = t->nlaunches; false when the queue is full. grids: by launch id, that of the new one is filled. */
bool task_add(struct task *t, const struct launch *l, struct grid_order *grids, u64 now, u32 latency, struct err *e);
/* All CTAs of a running launch have let its dependents go: its stream's next may start if it is programmatic. Its
 * launch id; -1: there is no such launch. */
s32 task_let_go(struct task *t, u32 launch, u64 now, u32 latency);
/* Starts a queued kernel whose time has come; its launch id or -1. The dispatcher is to be told next. */
s32 task_start(struct task *t, u64 now);
/* CTAs of a launch that have been dispatched. */
u64 task_dispatched(const struct task *t, u32 launch);
/* The next cycle in which one may start, for all that is known now. */
u64 task_next_start(const struct task *t, u64 now);
/* A kernel's last CTA is done, and the dispatcher knows: its stream's next may start. */
void task_finish(struct task *t, u32 launch, u64 now, u32 latency);
static inline bool task_idle(const struct task *t)
{
	return t->first_open == t->nlaunches;
}
/* Is every launch where its state says, and are the sums right? False with *e. */
bool task_check_state(const struct task *t, struct err *e);
bool task_stream_idle(const struct task *t, u32 program, u32 stream);
bool task_program_idle(const struct task *t, u32 program);
#endif
