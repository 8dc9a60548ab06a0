/* Where a CTA stands, from cta_state.def. This is the only place that derives the state of a CTA. gpu_cta_info(),
 * gpu_cta_tally(), gpu_smst() and the verbs ask sm_cta_state(); gpu_ctas_away() reports the states of CTAs off an SM.
 */
#ifndef SM_CTA_STATE_H
#define SM_CTA_STATE_H
#include "base/base.h"

enum cta_state {
#define C(id, name, undo, meaning) CS_##id,
#include "sm/cta_state.def"
#undef C
	CS_COUNT
};
struct cta_state_desc {
	const char *name, *undo, *meaning;
};
extern const struct cta_state_desc cta_state_descs[CS_COUNT];

struct cta_standing {
	enum cta_state state;
	u64 since; /* cycle; of one that nobody has stopped: when it began */
	u64 until; /* halted, moving: the cycle from which it goes on by itself; on a swap: when that is over; 0: not so, or
	            * not known */
};
struct sm_ctx;
struct sm;
/* Of the CTA in a place of an SM: a slot, or one behind the slots (virtual threads). CS_NONE: there is none. */
enum cta_state sm_cta_state(const struct sm_ctx *x, const struct sm *s, u32 place);
/* The same with its times. */
void sm_cta_standing(const struct sm_ctx *x, const struct sm *s, u32 place, struct cta_standing *out);

/* Somebody has stopped it: the user, or preemption that moves a context. */
static inline bool cta_state_stopped(enum cta_state s)
{
	return s == CS_PAUSED || s == CS_HALTED || s == CS_MOVING;
}
/* It is on an SM and has no slot. */
static inline bool cta_state_slotless(enum cta_state s)
{
	return s == CS_SWAP_OUT || s == CS_INACTIVE || s == CS_READY;
}
#endif
