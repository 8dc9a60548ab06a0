/* external: a CTA scheduler from outside the library, the counterpart of sm/sched/external.h. Its names have a
 * colon. */
#ifndef CTA_SCHED_EXTERNAL_H
#define CTA_SCHED_EXTERNAL_H
#include "cta/sched/cta_sched.h"

#define EXTERNAL_CTA_WORDS 16
/* Ids may be handed out in any order, but none this far or farther beyond the first one not handed out: the note of
 * which are gone has a fixed size (most of CTA_SCHED_STATE_MAX). */
#define EXTERNAL_CTA_WINDOW 30720

/* Of one running kernel; in the arena. */
struct external_cta_state {
	u64 first;                          /* the lowest id not handed out */
	s64 word[EXTERNAL_CTA_WORDS];       /* the policy's own */
	u64 gone[EXTERNAL_CTA_WINDOW / 64]; /* ids first .. first + WINDOW - 1 that are handed out, at id % WINDOW */
};

struct external_cta_sched {
	POLICY_USER_HEAD; /* stateless: choices depend on view and external_cta_state alone */
	/* Optional: a kernel begins. */
	void (*init)(void *ctx, struct external_cta_state *st, const struct cta_view *v, struct err *e);
	/* The id of a CTA not handed out yet, or NO_CTA. With *e set the machine stops after this cycle. */
	u64 (*next)(void *ctx, struct external_cta_state *st, const struct cta_view *v, u32 sm, struct err *e);
	/* Optional: a CTA of the kernel finished. */
	void (*done)(void *ctx, struct external_cta_state *st, const struct cta_view *v, u32 sm, const struct cta *c,
	             struct err *e);
	/* Optional, for display: as in struct cta_sched_ops. An error is told in *out and stops nothing. */
	void (*explain)(void *ctx, const struct external_cta_state *st, const struct cta_view *v, u32 sm,
	                struct strbuf *out);
};

extern const struct cta_sched_ops cta_sched_external;
static inline bool external_cta_gone(const struct external_cta_state *st, u64 id)
{
	u64 bit = id % EXTERNAL_CTA_WINDOW;
	return id < st->first || (id < st->first + EXTERNAL_CTA_WINDOW && (st->gone[bit / 64] >> bit % 64 & 1));
}
#endif
