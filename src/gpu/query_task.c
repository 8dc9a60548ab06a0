/* The two tables of a kernel scheduler (Park 2016, section 3.1): a kernel's control block, an SM's status. */
#include <math.h>

#include "gpu/query.h"
#include "gpu/query_preempt.h"
#include "gpu/state.h"

void gpu_kcb(const struct gpu *g, u32 launch, struct kcb_info *o)
{
	const struct launch *l = g->launch[launch];
	const struct preempt_stats s = preempt_stats_of(&g->preempt, launch, g->st->cycle);
	const struct kernel_counters *k = &g->task->kcb[launch].k;
	const struct cta_tally t = gpu_cta_tally(g, (s32)launch);
	*o = (struct kcb_info){
	    .context = 4ull * sm_cta_regs(&g->conf, l) + sm_cta_shared(&g->conf, l),
	    .ended = s.ended,
	    .by = {[BY_SWITCH] = k->ctas_switched, [BY_DRAIN] = k->ctas_drained, [BY_FLUSH] = k->ctas_flushed},
	    .waiting = t.queued,
	    .restarting = t.restarts};
	o->switch_cycles = preempt_switch_cycles(&g->conf, o->context);
	o->cta_insts = s.ended ? (double)s.ended_insts / (double)s.ended : NAN;
	o->cta_cpi = s.insts ? (double)s.cycles / (double)s.insts : NAN;
	o->cta_cycles = o->cta_insts * o->cta_cpi;
}

u32 gpu_resident(const struct gpu *g, u32 sm, u32 launch)
{
	return sm_resident(g->sm[sm], launch);
}

static void count(enum cta_state is, struct smst_info *o)
{
	if (is == CS_MOVING)
		o->moving++;
	else if (cta_state_stopped(is))
		o->paused++;
	else
		o->running++;
}

void gpu_smst(const struct gpu *g, u32 sm, struct smst_info *o)
{
	const struct sm *s = g->sm[sm];
	struct request_sm request;
	struct sm_info i;
	gpu_sm_info(g, sm, &i);
	*o = (struct smst_info){.free = i.max_ctas,
	                        .request = gpu_preempted(g, sm, &request) ? request.request : 0,
	                        .regs = i.regs - i.regs_used,
	                        .shared = i.shared - i.shared_used,
	                        .threads = 32 * (i.max_warps - i.warps),
	                        .role = gpu_sm_role(g, sm)};
	for (u32 slot = 0; slot < i.max_ctas; slot++) {
		if (!s->cta[slot].used)
			continue;
		const u32 t = gpu_leaves_by(g, sm, slot);
		o->free--;
		if (t < TECHNIQUES)
			o->preempting[t]++;
		else
			count(sm_cta_state(&g->ctx[sm], s, slot), o);
	}
	for (u32 place = sm_next_cta(s, SM_MAX_CTAS); place < SM_CTA_PLACES; place = sm_next_cta(s, place + 1)) {
		o->inactive++;
		o->asked += gpu_leaves_by(g, sm, place) < TECHNIQUES;
	}
	for (u32 k = 0; g->resume.r->leaving && k < g->resume.r->top; k++)
		o->leaving += g->resume.cta[k].state == SAVED_LEAVING && g->resume.cta[k].sm == sm;
}
