/* A warp scheduler: one file, one const ops struct at its end, one line in all.def. Registry names are the values of
 * `warp-sched`.
 *
 * Each SM has conf.sm.schedulers instances; instance i sees the warps in view->mask only. A policy has its own state
 * (zeroed, in the arena: no pointers), a constant view of the SM, and returns a choice. It never changes the model, and
 * depends on nothing but its state and the view. */
#ifndef SM_SCHED_SCHED_H
#define SM_SCHED_SCHED_H
#include "sm/sm.h"

struct external_warp_sched;
struct sched_view {
	const struct conf *conf;
	const struct sm *sm; /* warps, masks in[], CTAs */
	u64 mask;            /* the warps of this scheduler */
	u64 now;
	u32 index;                            /* which scheduler of the SM */
	struct external_warp_sched *external; /* asked by sched_external only; NULL = none */
};
#define NO_WARP UINT32_MAX

struct warp_sched_ops {
	const char *name, *help, *source; /* source: publication and section */
	size_t state_bytes;               /* of one instance */
	/* Optional: the state begins (it is zeroed before). */
	void (*init)(void *state, const struct sched_view *v);
	/* Chooses among `ready` (never 0; every warp in it could issue this cycle) or declines with NO_WARP. */
	u32 (*pick)(void *state, const struct sched_view *v, u64 ready);
	/* Optional: the chosen warp issued the instruction described by info. */
	void (*issued)(void *state, const struct sched_view *v, u32 warp, const struct issue_info *info);
	/* Optional: a CTA's warps arrived in / left their slots. */
	void (*warps_started)(void *state, const struct sched_view *v, u64 warps);
	void (*warps_gone)(void *state, const struct sched_view *v, u64 warps);
	/* Optional, for display: rank of a warp, 0 = first choice. */
	s64 (*rank)(const void *state, const struct sched_view *v, u32 warp);
};
/* A name with a colon is an external policy's (sm/sched/external.h). */
const struct warp_sched_ops *warp_sched_find(const char *name);
extern const struct warp_sched_ops *const warp_scheds[];
extern const u32 warp_nscheds;

static inline bool sched_older(const struct sched_view *v, u32 a, u32 b)
{
	return v->sm->warp[a].age < v->sm->warp[b].age;
}
/* The warp of a non-empty mask that was dispatched first. */
static inline u32 sched_oldest(const struct sched_view *v, u64 m)
{
	u32 best = bit_first(m);
	FOR_EACH_BIT(w, m & (m - 1))
	if (sched_older(v, (u32)w, best))
		best = (u32)w;
	return best;
}
/* How many of the scheduler's warps are older: the rank of age-ordered policies. */
static inline s64 sched_age_rank(const struct sched_view *v, u32 warp)
{
	s64 n = 0;
	FOR_EACH_BIT(w, v->mask & v->sm->used)
	n += sched_older(v, (u32)w, warp);
	return n;
}
#endif
