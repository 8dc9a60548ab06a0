/* pick_look: what a warp scheduler had to choose from, noted at the moment of its choice. issue.c and kernels/kernels.c
 * ask the policy through sched_ask(); who wants to know sets sm_ctx.look, which is NULL otherwise. It is no state of
 * the machine: it lies outside the arena, and what is noted changes nothing.
 *
 * The policy is asked once for all warps that can issue; with warps of the lowest priority, or under a kernel-aware
 * policy, once for each group of them, until it takes one. */
#ifndef SM_PICK_LOOK_H
#define SM_PICK_LOOK_H
#include "sm/sched/sched.h"

enum pick_group { GROUP_ALL, GROUP_URGENT, GROUP_KERNEL, GROUP_OTHERS, GROUP_LOWERED, PICK_GROUPS };
extern const char *const pick_group_names[PICK_GROUPS]; /* "": all of them */

struct pick_claim {
	s64 rank;      /* explain()'s: the least is chosen first; PICK_DECLINED: the policy would not take it now */
	u8 round;      /* in which it was shown to the policy, from 0; NOT_SHOWN: the policy took a warp before */
	char text[95]; /* explain()'s */
};
#define PICK_NOT_SHOWN UINT8_MAX
#define PICK_ROUNDS 5
struct pick_look {
	u32 scheduler;
	bool seen;    /* it has chosen since the look began; the rest is of its last choice */
	bool ordered; /* the policy has an explain(): ranks are known */
	u64 cycle;
	u64 ready;              /* who can issue, to units that are free */
	u8 state[WARP_SLOTS];   /* enum warp_state, of its warps */
	u32 launch[WARP_SLOTS]; /* of used slots */
	u64 cta[WARP_SLOTS];
	u32 pc[WARP_SLOTS];
	u64 used;
	u32 rounds;
	struct pick_round {
		enum pick_group group;
		u64 shown; /* never 0 */
	} round[PICK_ROUNDS];
	struct pick_claim claim[WARP_SLOTS]; /* of the ready ones */
	u32 picked;                          /* NO_WARP: the policy took none */
	char policy[200];                    /* what describe() says of the scheduler's own state, before the choice */
};

/* The scheduler chooses among `ready` in this cycle. */
void pick_look_begin(struct pick_look *l, const struct sm_ctx *x, const struct sched_view *v, u64 ready);
/* It is about to be asked for one of `shown`. */
void pick_look_shown(struct pick_look *l, const struct sm_ctx *x, const struct sched_view *v, u64 shown,
                     enum pick_group group);
/* A look that has seen nothing: the warps as they are. */
void pick_look_states(struct pick_look *l, const struct sm_ctx *x, const struct sm *s);

/* Asks the policy in use for a warp of `ready` (never 0). */
static inline u32 sched_ask(const struct sm_ctx *x, const struct sched_view *v, u64 ready, enum pick_group group)
{
	if (unlikely(x->look != NULL) && x->look->scheduler == v->index)
		pick_look_shown(x->look, x, v, ready, group);
	return x->sched->pick(x->sched_state[v->index], v, ready);
}
#endif
