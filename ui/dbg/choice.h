/* choice: decisions of the run - the pick of a warp scheduler, the dispatch of a CTA, a partition, the plan of a
 * preemption - found again and looked at as they are made (gpu/look.h, obs/why/why_choice.h).
 *
 * A copy of the debugger's process goes back to before the decision, or on to the next one (elsewhen.h); nothing is
 * recorded while the machine runs. What lies in the past needs a history; the next decision does not. */
#ifndef UI_DBG_CHOICE_H
#define UI_DBG_CHOICE_H
#include "dbg/state.h"
#include "gpu/look.h"

/* The slot of the last cycle, whether or not it was used; the last decision; the next one from here on. */
enum choice_when { CHOICE_SLOT, CHOICE_LAST, CHOICE_NEXT };

/* The pick of a scheduler of an SM as text, and (not NULL) as it was looked at: `used` is 0 where there is none. False
 * with *e: there is no history, or the question was interrupted. The same holds for the others. */
bool choice_pick(struct debugger *d, enum choice_when when, u32 sm, u32 scheduler, struct pick_look *look,
                 struct strbuf *text, struct err *e);
/* The last or next dispatch of a CTA of a launch (-1: any), of one of its CTAs (NO_CTA: any), to an SM (-1: any); and
 * (not NULL) its cycle, CTA, SM and launch: cta NO_CTA where there is none. */
struct dispatch_choice {
	u64 cycle, cta;
	u32 sm, launch;
};
bool choice_dispatch(struct debugger *d, enum choice_when when, s32 launch, u64 cta, s32 sm, struct dispatch_choice *o,
                     struct strbuf *text, struct err *e);
/* The last decision of the partition policy that changed quotas. */
bool choice_partition(struct debugger *d, struct strbuf *text, struct err *e);
/* The SMs of a request, by its id. */
bool choice_preempt(struct debugger *d, u32 id, struct strbuf *text, struct err *e);
#endif
