/* A CTA scheduler: one file, one const ops struct at its end, one line in all.def. Registry names are the values of
 * `cta-sched`.
 *
 * It decides which CTA of a kernel an SM gets next, or that it gets none now. One state (zeroed, in the arena: no
 * pointers) per running kernel. The dispatcher asks only for SMs that have room, one CTA per SM and cycle. */
#ifndef CTA_SCHED_CTA_SCHED_H
#define CTA_SCHED_CTA_SCHED_H
#include "conf/policy.h"
#include "conf/virtual.h"
#include "cta/sched/cta_share.h"
#include "sm/sm.h"

#define CTA_SCHED_STATE_MAX 8192
#define CTA_SCHED_MACHINE_MAX 81920
struct external_cta_sched;
struct dispatch_ctx;
struct cta_view {
	const struct conf *conf;
	const struct launch *launch;
	const struct sm *const *sm; /* all SMs */
	u32 num_sms;
	u64 now;
	u64 dispatched; /* CTAs of this kernel dispatched so far */
	u32 most;       /* in next(): CTAs of this kernel that the SM may hold, all limits applied */
	/* The same of any SM now; NULL: nobody limits. */
	u32 (*most_on)(const struct cta_view *v, u32 sm);
	const struct dispatch_ctx *dispatch; /* most_on's business, as slot */
	u32 slot;
	void *machine;                       /* the policy's state for the machine's life: what outlives kernels */
	struct event_buf *ev;                /* for cta_event() */
	struct external_cta_sched *external; /* asked by cta_sched_external only; NULL = none */
};

struct cta_sched_ops {
	POLICY_HEAD;
	bool pauses; /* CTAs of a kernel that an SM has beyond limit() are paused, those that came last: they have the
	                lowest priority, and the first place when another one ends */
	size_t state_bytes;   /* <= CTA_SCHED_STATE_MAX, of one kernel */
	size_t machine_bytes; /* <= CTA_SCHED_MACHINE_MAX, zeroed when the policy comes into use */
	/* Optional: a kernel begins. */
	void (*init)(void *state, const struct cta_view *v);
	/* The linear id of the CTA for this SM, or NO_CTA: none for it now. Each id is handed out exactly once. */
	u64 (*next)(void *state, const struct cta_view *v, u32 sm);
	/* Optional: called when the kernel begins, behind init, and then at the cycle that it returned the last time (later
	 * than v->now), before CTAs are dispatched in it; NEVER: not again. */
	u64 (*timer)(void *state, const struct cta_view *v);
	/* Optional: a CTA of this kernel finished. */
	void (*done)(void *state, const struct cta_view *v, u32 sm, const struct cta *c);
	/* Optional, for display and the counter kernel.cta_limit: the most CTAs of this kernel that the policy leaves an SM
	 * by a decision of its own; UINT32_MAX: it has made none. */
	u32 (*limit)(const void *state, const struct cta_view *v, u32 sm);
	/* Optional, for display: the policy's state for this kernel in a few words ("T_new 3"). */
	void (*describe)(const void *state, const struct cta_view *v, struct strbuf *out);
	/* Optional, for `why dispatch`: what decides which CTA next() would give this SM now, or that it gets none, in the
	 * policy's terms ("T_new 3, 3 are there"). */
	void (*explain)(const void *state, const struct cta_view *v, u32 sm, struct strbuf *out);
	/* Optional, for display: what is kept for an SM; *out is zeroed. */
	void (*share)(const void *state, const struct cta_view *v, u32 sm, struct cta_share *out);
};
/* All of them but cta_sched_external; ends with NULL. Each is the head of a struct cta_sched_ops. */
extern const struct policy *const cta_policies[];

/* The CTA of this kernel in a place of the SM, with a slot or without (virtual threads); NULL: there is none. Places go
 * up to cta_places(). */
static inline u32 cta_places(const struct cta_view *v)
{
	return conf_is_vt(v->conf) ? SM_CTA_PLACES : v->conf->sm_ctas;
}
static inline const struct cta *cta_in_place(const struct cta_view *v, u32 sm, u32 place)
{
	const struct cta *c = &v->sm[sm]->cta[place];
	return c->used && c->launch == v->launch->id && (place < SM_MAX_CTAS || c->inactive) ? c : NULL;
}

/* For the explain() of policies that hand CTAs out in order of their ids; next: of the first that has not been. */
static inline void cta_explain_order(u64 next, const struct cta_view *v, struct strbuf *out)
{
	if (next < v->launch->ctas)
		strbuf_addf(out, "in order: CTA %llu of %llu is next", (unsigned long long)next,
		            (unsigned long long)v->launch->ctas);
	else
		strbuf_adds(out, "all have been handed out");
}

/* A decision as an event of an SM; NULL when nobody listens. Fill cta and arg[]. */
static inline struct event *cta_event(const struct cta_view *v, enum event_type t, u32 sm)
{
	if (!event_wanted(v->ev, t))
		return NULL;
	struct event *e = event_add(v->ev, t, v->now);
	e->sm = (s32)sm;
	e->kernel = (s32)v->launch->id;
	return e;
}
#endif
