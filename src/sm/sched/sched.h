/* A warp scheduler: one file, one const ops struct at its end, one line in all.def. Registry names are the values of
 * `warp-sched`.
 *
 * Each SM has conf.sm.schedulers instances; instance i sees only the warps in view->mask. A policy has its own state
 * (zeroed, in the arena: no pointers) and a constant view of the SM, and returns a choice. It never changes the model,
 * and depends on nothing but its state and the view. */
#ifndef SM_SCHED_SCHED_H
#define SM_SCHED_SCHED_H
#include "base/strbuf.h"
#include "conf/policy.h"
#include "sm/sm.h"

struct external_warp_sched;
struct sched_view {
	const struct conf *conf;
	const struct sm *sm; /* warps, masks in[], CTAs */
	u64 mask;            /* the warps of this scheduler */
	u64 now;
	u32 index;                  /* which scheduler of the SM */
	const struct program *prog; /* by launch id: instruction tables and compiler hints */
	void *first; /* state of the SM's scheduler 0, for policies that decide for the SM as a whole; else state == own */
	struct sm_counters *k;                /* a policy's own counters only */
	struct event_buf *ev;                 /* for sched_event() */
	struct external_warp_sched *external; /* asked by sched_external only; NULL = none */
	const struct mem *mem;                /* for mem_l1_use() of this SM: how busy its L1D is */
};
#define NO_WARP UINT32_MAX

/* What became of a load's transaction in L1D, for policies that watch the cache. */
struct l1_news {
	u64 line;      /* address of the line asked for */
	bool hit;      /* data present */
	bool merged;   /* no data, but on its way */
	bool prefetch; /* of a prefetch instruction: nobody waits for the data */
	bool evicted;  /* a valid line made room */
	u64 victim;    /* its address */
	u32 owner;     /* warp slot of this SM whose access had brought it in; NO_WARP: none made room */
};

struct warp_sched_ops {
	POLICY_HEAD;
	bool fair;          /* gives every ready warp its turn: one that stays ready is told of (gpu/starve.h) */
	size_t state_bytes; /* of one instance */
	size_t first_bytes; /* of scheduler 0's instance when it holds more, for the SM as a whole (view->first); 0: the
	                       same */
	/* Optional: the state begins (it is zeroed before). */
	void (*init)(void *state, const struct sched_view *v);
	/* Optional: in every cycle in which the SM is ticked, before the choice, whether or not anybody is ready. Warp
	 * states change in such cycles only, so a policy that looks here misses none, and a sleeping SM costs nothing. */
	void (*tick)(void *state, const struct sched_view *v);
	/* Chooses among `ready` (never 0; every warp in it could issue this cycle) or declines with NO_WARP. */
	u32 (*pick)(void *state, const struct sched_view *v, u64 ready);
	/* Optional: the chosen warp issued the instruction described by info. */
	void (*issued)(void *state, const struct sched_view *v, u32 warp, const struct issue_info *info);
	/* Optional: a CTA's warps arrived in / left their slots. */
	void (*warps_started)(void *state, const struct sched_view *v, u64 warps);
	void (*warps_gone)(void *state, const struct sched_view *v, u64 warps);
	/* Optional: a transaction of a cached load or prefetch of `warp` (any of this SM's, not only of the mask) was
	 * accepted by L1D. Called for scheduler 0 only. */
	void (*l1_access)(void *state, const struct sched_view *v, u32 warp, const struct l1_news *news);
	/* Optional: whose instruction buffer is filled next; one of `want` (never 0). Without it: round robin. v->index is
	 * 0, v->mask all warps; states: of all schedulers of the SM. */
	u32 (*fetch)(void *const *states, const struct sched_view *v, u64 want);
	/* Optional, for display: the policy's own state in a few words, of one warp ("8 to load") or, with NO_WARP, of the
	 * scheduler ("active 0 2 5 | pending 7"). Appends nothing when there is nothing to say. */
	void (*describe)(const void *state, const struct sched_view *v, u32 warp, struct strbuf *out);
	/* Optional, for display: rank of a warp, 0 = first choice. */
	s64 (*rank)(const void *state, const struct sched_view *v, u32 warp);
	/* Optional, for `why pick`: the place of a warp of `ready` in the choice that pick() would make among them now, in
	 * units of its own: the least is picked; PICK_DECLINED: it would not be picked even if it were alone. What decides
	 * that place is appended to *out, in the policy's terms ("age 3 of 8", "score 340, its loads are held"). pick()
	 * must have the same answer. */
	s64 (*explain)(const void *state, const struct sched_view *v, u64 ready, u32 warp, struct strbuf *out);
};
#define PICK_DECLINED INT64_MAX
#define PICK_UNKNOWN (INT64_MAX - 1) /* a policy from outside that does not say */
/* What a policy is shown, scheduler `i` of the SM. */
static inline struct sched_view sm_sched_view(const struct sm_ctx *x, struct sm *s, u32 i, u64 now)
{
	return (struct sched_view){.conf = x->conf,
	                           .sm = s,
	                           .mask = x->sched_mask[i],
	                           .now = now,
	                           .index = i,
	                           .prog = x->prog,
	                           .first = x->sched_state[0],
	                           .k = &s->k,
	                           .ev = x->ev,
	                           .external = x->external,
	                           .mem = x->mem};
}
/* All of them but sched_external; ends with NULL. Each is the head of a struct warp_sched_ops. */
extern const struct policy *const warp_policies[];

/* The row of the compiler's hints, and of the issue table, for a warp's next instruction. */
static inline const struct code_hint *sched_hint(const struct sched_view *v, u32 warp)
{
	const struct warp *w = &v->sm->warp[warp];
	return &v->prog[w->launch].hint[w->pc];
}
static inline const struct issue_info *sched_info(const struct sched_view *v, u32 warp)
{
	const struct warp *w = &v->sm->warp[warp];
	return &v->prog[w->launch].info[w->pc];
}
/* The pc of the instruction that issued() was told of: the warp's own pc has moved on. */
static inline u32 sched_issued_pc(const struct sched_view *v, u32 warp, const struct issue_info *info)
{
	return (u32)(info - v->prog[v->sm->warp[warp].launch].info);
}
/* A decision as an event; NULL when nobody listens. Fill arg[]. */
static inline struct event *sched_event(const struct sched_view *v, enum event_type t, u32 warp)
{
	if (!v->ev || !event_wanted(v->ev, t))
		return NULL;
	struct event *e = event_add(v->ev, t, v->now);
	e->sm = (s32)v->sm->id;
	if (warp != NO_WARP) {
		const struct warp *w = &v->sm->warp[warp];
		e->warp = (s32)warp;
		e->kernel = (s32)w->launch;
		e->cta = (s32)v->sm->cta[w->cta_slot].id;
		e->pc = w->pc;
	}
	return e;
}
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
/* Greedy, then oldest (gto) among the warps of a non-empty mask. greedy: warp slot + 1, 0 = none; kept up to date. */
static inline u32 sched_greedy_oldest(u32 *greedy, const struct sched_view *v, u64 m)
{
	if (!*greedy || !(m >> (*greedy - 1) & 1))
		*greedy = sched_oldest(v, m) + 1;
	return *greedy - 1;
}
/* How many of the scheduler's warps are older: the rank of age-ordered policies. */
static inline s64 sched_age_rank(const struct sched_view *v, u32 warp)
{
	s64 n = 0;
	FOR_EACH_BIT(w, v->mask & v->sm->used)
	n += sched_older(v, (u32)w, warp);
	return n;
}
/* The rank of a policy that keeps to sched_greedy_oldest(): the greedy warp, then by age. */
static inline s64 sched_greedy_rank(u32 greedy, const struct sched_view *v, u32 warp)
{
	if (greedy == warp + 1)
		return 0;
	bool older = greedy && (v->sm->used >> (greedy - 1) & 1) && sched_older(v, warp, greedy - 1);
	return sched_age_rank(v, warp) + older;
}
/* For explain(): "oldest of 8", "3rd oldest of 8"; how many of the scheduler's warps are older. */
s64 sched_explain_age(const struct sched_view *v, u32 warp, struct strbuf *out);
/* The explain() of a policy that keeps to sched_greedy_oldest(). */
s64 sched_explain_greedy(u32 greedy, const struct sched_view *v, u32 warp, struct strbuf *out);
/* Of one whose round robin by warp slot goes on at `next`: slots until the warp's turn. */
s64 sched_explain_turn(u32 next, u32 warp, struct strbuf *out);
/* "1st", "2nd", "3rd", "11th". */
void sched_ordinal(u64 n, struct strbuf *out);
#endif
