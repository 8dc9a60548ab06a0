/* What the files of this folder share: preempt.c (the state), ask.c (who may be asked, and is), carry_out.c (how CTAs
 * leave), tell.c (the events). */
#ifndef TASK_PREEMPT_PREEMPT_INTERNAL_H
#define TASK_PREEMPT_PREEMPT_INTERNAL_H
#include "cta/resume.h"
#include "task/preempt/preempt.h"

static inline struct sm *sm_of(const struct preempt_ctx *x, u32 sm)
{
	return x->dispatch->sm[sm];
}
static inline struct sm_ctx *ctx_of(const struct preempt_ctx *x, u32 sm)
{
	return &x->dispatch->ctx[sm];
}
static inline struct kernel_counters *counters_of(const struct preempt_ctx *x, u32 launch)
{
	return &x->task->kcb[launch].k;
}
/* Is a CTA of the launch in this place, and has not ended? */
static inline bool is_there(const struct sm *s, u32 place, u32 launch)
{
	return s->cta[place].used && s->cta[place].launch == launch && !sm_has_ended(s, place);
}

/* What the hardware knows of a CTA: may it begin again? If not: why. */
enum cost_bar preempt_flush_bar(const struct preempt_ctx *x, u32 sm, u32 place);

/* Events, for whoever listens. */
void tell_request(const struct preempt_ctx *x, const struct preempt_request *r, u64 now);
void tell_plan(const struct preempt_ctx *x, u32 launch, const struct preempt_sm *s, u32 request, u64 now);
void tell_start(const struct preempt_ctx *x, const struct preempt_plan *p, u64 now);
void tell_cta(const struct preempt_ctx *x, const struct preempt_plan *p, u32 i, u64 now);
void tell_done(const struct preempt_ctx *x, const struct preempt_plan *p, u64 now);
void tell_deadline(const struct preempt_ctx *x, const struct preempt_request *r, bool met, u64 now);
#endif
