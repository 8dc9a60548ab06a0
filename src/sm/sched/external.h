/* external: a warp scheduler from outside the library, e.g. one written in a scripting language (sim_register_policy).
 *
 * Its names have a colon ("lua:mine.lua"). sched_external stands for each of them (conf/policy.h); its ops call the
 * functions below. They see what every policy sees, and what they return is checked. State that they keep outside
 * struct external_sched_state is in no snapshot. */
#ifndef SM_SCHED_EXTERNAL_H
#define SM_SCHED_EXTERNAL_H
#include "sm/sched/sched.h"

#define EXTERNAL_WORDS 16

/* Of one scheduler of one SM; in the arena, so it goes back in time with the machine. */
struct external_sched_state {
	u32 last; /* the warp picked last + 1, 0 = none or gone */
	u32 pad;
	s64 word[EXTERNAL_WORDS]; /* the policy's own */
};

/* Belongs to who registers it; lives until the machine is destroyed. Functions run on one thread, SMs in order. */
struct external_warp_sched {
	POLICY_USER_HEAD; /* stateless: choices depend on view and external_sched_state alone */
	/* A warp of `ready` or NO_WARP. With *e set the answer does not matter and the machine stops after this cycle. */
	u32 (*pick)(void *ctx, struct external_sched_state *st, const struct sched_view *v, u64 ready, struct err *e);
	/* Optional, as in struct warp_sched_ops. */
	void (*issued)(void *ctx, struct external_sched_state *st, const struct sched_view *v, u32 warp,
	               const struct issue_info *info, struct err *e);
	void (*warps_started)(void *ctx, struct external_sched_state *st, const struct sched_view *v, u64 warps,
	                      struct err *e);
	void (*warps_gone)(void *ctx, struct external_sched_state *st, const struct sched_view *v, u64 warps,
	                   struct err *e);
	/* Optional, for display: as in struct warp_sched_ops. An error is told in *out and stops nothing. */
	s64 (*explain)(void *ctx, const struct external_sched_state *st, const struct sched_view *v, u64 ready, u32 warp,
	               struct strbuf *out);
};

extern const struct warp_sched_ops sched_external;
#endif
