#include "gpu/verbs.h"

#include "base/strbuf.h"
#include "gpu/policies.h"
#include "gpu/query.h"
#include "gpu/state.h"
#include "sm/restartable.h"
#include "sm/verbs.h"
#include "sm/virtual.h"

#define CTA_NAME "CTA %llu of launch %u"
#define CTA_ARGS(id, launch) (unsigned long long)(id), launch

struct at {
	u32 sm, slot;
};

/* The cycle until which preemption has a CTA halted, or is about to, because contexts are moved; NEVER: nobody knows
 * yet; 0: it does not. */
static u64 moves_until(const struct gpu *g, const struct at *at)
{
	const u64 moving = g->sm[at->sm]->cta[at->slot].moving_until, sm = g->resume.r->moving_until[at->sm];
	if (moving || traffic_moves(&g->resume.traffic, at->sm, at->slot))
		return moving ? moving : NEVER;
	const u64 saved = preempt_saves_at(&g->preempt, at->sm, at->slot);
	return saved ? saved : g->conf.preempt_halt == PREEMPT_HALT_SM && sm > g->st->cycle ? sm : 0;
}

/* Nobody else has a say in such a CTA: it would run while what it needs is elsewhere. */
static bool stands_by_itself(const struct gpu *g, const struct at *at, u32 launch, u64 id, struct err *e)
{
	const u64 until = moves_until(g, at);
	if (until == NEVER)
		return err_set(e,
		               CTA_NAME " is moving: preemption sends contexts of SM %u through memory, and ends that itself",
		               CTA_ARGS(id, launch), at->sm);
	return !until || err_set(e, CTA_NAME " is moving: preemption moves contexts of SM %u until cycle %llu",
	                         CTA_ARGS(id, launch), at->sm, (unsigned long long)until);
}

/* Its place on the SM of *at. */
static bool find_place(const struct gpu *g, u32 launch, u64 id, struct at *at)
{
	u32 place[SM_CTA_PLACES];
	const u32 n = gpu_ctas(g, at->sm, place, SM_CTA_PLACES);
	for (u32 i = 0; i < n; i++) {
		const struct cta *c = &g->sm[at->sm]->cta[place[i]];
		at->slot = place[i];
		if (c->launch == launch && c->id == id)
			return true;
	}
	return false;
}

/* Of a CTA that is on an SM: is it where verbs can reach it? */
static bool may_be_told(const struct gpu *g, const struct at *at, u32 launch, u64 id, struct err *e)
{
	struct cta_standing is;
	sm_cta_standing(&g->ctx[at->sm], g->sm[at->sm], at->slot, &is);
	if (cta_state_slotless(is.state))
		return err_set(e, CTA_NAME " is inactive: its warps have no slots on SM %u (cta-virtual=vt)",
		               CTA_ARGS(id, launch), at->sm);
	if (vt_swapping(&g->ctx[at->sm], at->slot)) /* also one that is paused */
		return err_set(e, CTA_NAME " is being swapped in: try again in %llu cycles", CTA_ARGS(id, launch),
		               (unsigned long long)(g->ctx[at->sm].vt->until - g->st->cycle));
	if (g->sm[at->sm]->done_slots >> at->slot & 1)
		return err_set(e, CTA_NAME " has ended", CTA_ARGS(id, launch));
	return stands_by_itself(g, at, launch, id, e);
}

/* Where a CTA is that runs; false with *e naming where it is instead. */
static bool find(const struct gpu *g, u32 launch, u64 id, struct at *at, struct err *e)
{
	if (launch >= g->task->nlaunches)
		return err_set(e, "there is no launch %u", launch);
	if (id >= g->launch[launch]->ctas)
		return err_set(e, "launch %u has %llu CTAs: there is no CTA %llu", launch,
		               (unsigned long long)g->launch[launch]->ctas, (unsigned long long)id);
	if (g->st->faulted)
		return err_set(e, "the program has faulted: its CTAs stay as they are");
	if (resume_find(&g->resume, launch, id))
		return err_set(e, CTA_NAME " is saved", CTA_ARGS(id, launch));
	for (at->sm = 0; at->sm < g->conf.num_sms; at->sm++)
		if (find_place(g, launch, id, at))
			return may_be_told(g, at, launch, id, e);
	return err_set(e, CTA_NAME " is on no SM: it has ended, or not begun", CTA_ARGS(id, launch));
}

/* The SM is to be ticked in the next cycle, and a machine that stood still may go on. */
static void stir(struct gpu *g, u32 sm)
{
	struct gpu_state *st = g->st;
	g->sm[sm]->settled = 0;
	st->awake[sm / 64] |= BIT(sm % 64);
	st->wake_at[sm] = NEVER;
	g->timed[sm / 64] &= ~BIT(sm % 64);
	g->hang->deadlocked = g->hang->livelocked = 0;
	g->hang->progress_at = st->cycle;
	if (g->sm[sm]->done_slots)
		st->finished[sm / 64] |= BIT(sm % 64);
}

static bool pause_until(struct gpu *g, u32 launch, u64 id, u64 until, struct err *e)
{
	struct at at;
	if (!find(g, launch, id, &at, e))
		return false;
	sm_pause_cta(&g->ctx[at.sm], g->sm[at.sm], at.slot, until, g->st->cycle);
	stir(g, at.sm);
	return true;
}

bool gpu_pause_cta(struct gpu *g, u32 launch, u64 id, struct err *e)
{
	return pause_until(g, launch, id, NEVER, e);
}

static bool may_halt(u64 cycles, struct err *e)
{
	return (cycles && cycles <= 1u << 28) || err_set(e, "a CTA can be halted for 1 to %u cycles", 1u << 28);
}

bool gpu_halt_cta(struct gpu *g, u32 launch, u64 id, u64 cycles, struct err *e)
{
	return may_halt(cycles, e) && pause_until(g, launch, id, g->st->cycle + cycles, e);
}

static bool is_paused(const struct gpu *g, u32 launch, u64 id, struct at at, struct err *e)
{
	return cta_state_stopped(sm_cta_state(&g->ctx[at.sm], g->sm[at.sm], at.slot)) ||
	       err_set(e, CTA_NAME " is neither paused nor halted", CTA_ARGS(id, launch));
}

bool gpu_resume_cta(struct gpu *g, u32 launch, u64 id, struct err *e)
{
	struct at at;
	if (!find(g, launch, id, &at, e))
		return false;
	if (!is_paused(g, launch, id, at, e))
		return false;
	sm_resume_cta(&g->ctx[at.sm], g->sm[at.sm], at.slot, g->st->cycle);
	stir(g, at.sm);
	return true;
}

/* Why a CTA must not begin again: where it did what, or that this is not known. */
static bool may_begin_again(const struct gpu *g, u32 launch, u64 id, struct at at, struct err *e)
{
	const struct restart_cta *r = restart_cta(g->restart, at.sm, at.slot);
	if (!r)
		return err_set(e,
		               CTA_NAME " cannot be dropped: whether it may begin again is not recorded "
		                        "(--dynamic-idempotence records it)",
		               CTA_ARGS(id, launch));
	if (!r->causes)
		return true;
	static const char *const did[RESTART_CAUSES] = {"overwrote what it had read", "did an atomic", "printed",
	                                                "read more than is recorded (idempotence.kb)"};
	const struct module *m = g->launch[launch]->mod;
	err_set(e, CTA_NAME " cannot be dropped: it %s at pc %u (line %u) in cycle %llu", CTA_ARGS(id, launch),
	        did[r->first], r->first_pc, m->code[r->first_pc].line, (unsigned long long)r->first_at);
	if (!r->first_addr)
		return false;
	struct err why = *e;
	return err_set(e, "%s, address 0x%llx", why.msg, (unsigned long long)r->first_addr);
}

/* With commit.delay instructions that have issued may still be in their SM's queue, and write registers then. */
static bool nothing_queued(const struct gpu *g, u32 sm, struct err *e)
{
	return !front_queued(g->front, sm) ||
	       err_set(e,
	               "SM %u has %u memory instructions that take effect later (commit.delay): try again in some cycles",
	               sm, front_queued(g->front, sm));
}

bool gpu_drop_cta(struct gpu *g, u32 launch, u64 id, struct err *e)
{
	struct at at;
	if (!find(g, launch, id, &at, e) || !may_begin_again(g, launch, id, at, e) || !nothing_queued(g, at.sm, e) ||
	    !sm_drop_cta(&g->ctx[at.sm], g->sm[at.sm], at.slot, g->st->cycle, e))
		return false;
	stir(g, at.sm);
	return true;
}

bool gpu_save_cta(struct gpu *g, u32 launch, u64 id, bool release, struct err *e)
{
	struct at at;
	if (!find(g, launch, id, &at, e) || !nothing_queued(g, at.sm, e) ||
	    !resume_save(&g->resume, at.sm, at.slot, release, &(struct cta_leaves){.cause = LEAVES_BY_COMMAND},
	                 g->st->cycle, e))
		return false;
	g->dispatch.d->wanted = 1; /* there is room for others */
	stir(g, at.sm);
	return true;
}

static bool may_restore(const struct gpu *g, u32 launch, u64 id, u32 sm, struct err *e)
{
	if (!resume_find(&g->resume, launch, id))
		return err_set(e, CTA_NAME " is not saved", CTA_ARGS(id, launch));
	return sm == SM_ANY || sm < g->conf.num_sms ||
	       err_set(e, "there is no SM %u: the machine has %u", sm, g->conf.num_sms);
}

bool gpu_restore_cta(struct gpu *g, u32 launch, u64 id, u32 sm, struct err *e)
{
	if (!may_restore(g, launch, id, sm, e))
		return false;
	resume_release(&g->resume, resume_find(&g->resume, launch, id), sm, g->st->cycle);
	g->dispatch.d->wanted = 1;
	g->hang->deadlocked = g->hang->livelocked = 0;
	g->hang->progress_at = g->st->cycle;
	return true;
}

bool gpu_may_order_cta(const struct gpu *g, const struct cta_order *o, struct err *e)
{
	struct at at;
	if (o->verb == CTA_RESTORE)
		return may_restore(g, o->launch, o->id, o->sm, e);
	if (!find(g, o->launch, o->id, &at, e))
		return false;
	switch (o->verb) {
	case CTA_RESUME: return is_paused(g, o->launch, o->id, at, e);
	case CTA_HALT: return may_halt(o->cycles, e);
	case CTA_DROP: return may_begin_again(g, o->launch, o->id, at, e) && nothing_queued(g, at.sm, e);
	case CTA_SAVE: return nothing_queued(g, at.sm, e);
	default: return true;
	}
}

bool gpu_order_cta(struct gpu *g, const struct cta_order *o, struct err *e)
{
	switch (o->verb) {
	case CTA_PAUSE: return gpu_pause_cta(g, o->launch, o->id, e);
	case CTA_RESUME: return gpu_resume_cta(g, o->launch, o->id, e);
	case CTA_HALT: return gpu_halt_cta(g, o->launch, o->id, o->cycles, e);
	case CTA_DROP: return gpu_drop_cta(g, o->launch, o->id, e);
	case CTA_SAVE: return gpu_save_cta(g, o->launch, o->id, false, e);
	default: return gpu_restore_cta(g, o->launch, o->id, o->sm, e);
	}
}

/* --- SMs ---------------------------------------------------------------------------------------------------------- */

static bool ask_of(const struct gpu *g, const struct sm_order *o, struct preempt_ask *a, struct err *e)
{
	const double cycles = o->within_us * g->conf.core_clock;
	*a = (struct preempt_ask){.launch = o->launch, .sms = o->sms, .set = o->set, .stays = true};
	if (g->st->faulted)
		return err_set(e, "the program has faulted: its CTAs stay as they are");
	if (!(cycles >= 0 && cycles < 1e15))
		return err_set(e, "%g us is no time to preempt within", o->within_us);
	a->limit = (u64)(cycles + 1e-6);
	a->by = o->by ? (const struct preempt_ops *)policy_find(POLICY_PREEMPT, o->by) : NULL;
	return !o->by || a->by || err_set(e, "there is no technique '%.40s': %s", o->by, preempt_policy_list());
}

bool gpu_may_preempt(struct gpu *g, const struct sm_order *o, struct err *e)
{
	struct preempt_ask a;
	return ask_of(g, o, &a, e) && preempt_may(&g->preempt, &a, g->st->cycle, e);
}

/* The clock may stand before a quiet stretch: it goes on from here. */
static void look_again(struct gpu *g)
{
	g->hang->deadlocked = g->hang->livelocked = 0;
	g->hang->progress_at = g->st->cycle;
}

u32 gpu_preempt(struct gpu *g, const struct sm_order *o, struct err *e)
{
	struct preempt_ask a;
	const u32 id = ask_of(g, o, &a, e) ? preempt_request(&g->preempt, &a, g->st->cycle, e) : 0;
	if (id)
		look_again(g);
	return id;
}

bool gpu_may_release_sms(const struct gpu *g, const u64 *set, struct err *e)
{
	return preempt_may_release(&g->preempt, set, e);
}

bool gpu_release_sms(struct gpu *g, const u64 *set, struct err *e)
{
	if (!preempt_release(&g->preempt, set, e))
		return false;
	look_again(g);
	return true;
}
