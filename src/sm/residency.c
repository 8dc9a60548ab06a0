/* Resident CTAs: how many fit, where their registers and shared memory lie (contiguous, first fit: fragmentation
 * exists), start and end. */
#include <string.h>

#include "sm/internal.h"
#include "sm/restartable.h"
#include "sm/verbs.h"

u32 sm_cta_regs(const struct conf *c, const struct launch *l)
{
	return l->warps * (u32)round_up((u64)l->regs * WARP_SIZE, c->sm_reg_unit);
}

u32 sm_cta_shared(const struct conf *c, const struct launch *l)
{
	return (u32)round_up(l->shared_bytes, c->sm_shared_unit);
}

u32 sm_occupancy(const struct conf *c, const struct launch *l, const char **limiter)
{
	u32 regs = sm_cta_regs(c, l), shared = sm_cta_shared(c, l);
	struct {
		u32 n;
		const char *name;
	} limits[] = {
	    {c->sm_threads / WARP_SIZE / l->warps, "threads"},
	    {c->sm_ctas, "CTAs"},
	    {regs ? c->sm_regs / regs : UINT32_MAX, "registers"},
	    {shared ? c->sm_shared / shared : UINT32_MAX, "shared memory"},
	    {c->max_ctas_per_sm ? c->max_ctas_per_sm : UINT32_MAX, "max_ctas_per_sm"},
	};
	u32 best = 0;
	for (u32 i = 1; i < ARRAY_LEN(limits); i++)
		if (limits[i].n < limits[best].n)
			best = i;
	if (limiter)
		*limiter = limits[best].name;
	return limits[best].n;
}

u32 sm_shared_demand(const struct conf *c, const struct launch *l)
{
	u64 each = ceil_div(l->ctas, c->num_sms);
	return (u32)MIN(each, sm_occupancy(c, l, NULL)) * sm_cta_shared(c, l);
}

/* First fit: the lowest start such that [start, start+size) overlaps no resident CTA; false when there is no such hole.
 */
static bool find_hole(const struct sm *s, bool shared, u32 size, u32 total, u32 *start)
{
	u32 at = 0;
	for (bool moved = true; moved;) {
		moved = false;
		if (at + size > total)
			return false;
		for (u32 i = 0; i < SM_MAX_CTAS; i++) {
			const struct cta *c = &s->cta[i];
			u32 first = shared ? c->shared_first : c->reg_first, len = shared ? c->shared_size : c->reg_size;
			if (c->used && len && at < first + len && first < at + size) {
				at = first + len;
				moved = true;
			}
		}
	}
	*start = at;
	return true;
}

static s32 free_slot(const struct sm_ctx *x, const struct sm *s)
{
	for (u32 i = 0; i < x->nctas; i++)
		if (!s->cta[i].used)
			return (s32)i;
	return -1;
}

bool sm_has_room(const struct sm_ctx *x, const struct sm *s, const struct launch *l)
{
	u32 at;
	if (s->nctas >= x->nctas || x->nwarps - bit_count(s->used) < l->warps)
		return false;
	return find_hole(s, false, sm_cta_regs(x->conf, l), x->conf->sm_regs, &at) &&
	       find_hole(s, true, sm_cta_shared(x->conf, l), x->conf->sm_shared, &at);
}

u32 sm_resident(const struct sm *s, u32 launch)
{
	u32 n = 0;
	for (u32 i = 0; i < SM_MAX_CTAS && n < s->nctas; i++)
		n += s->cta[i].used && s->cta[i].launch == launch;
	return n;
}

/* A context for the warp in a place; gives who it is. */
u16 context_take(struct sm *s, u32 place)
{
	u32 word = 0;
	while (!~s->contexts[word])
		word++;
	u32 i = word * 64 + bit_first(~s->contexts[word]);
	struct sm_context *c = &s->context[i];
	s->contexts[word] |= BIT(i % 64);
	*c = (struct sm_context){.who = (u16)((c->who & ~(SM_CONTEXTS - 1u)) | i), .place = (u8)place, .used = 1};
	return c->who;
}

/* The warp in a place has ended. */
void context_give(struct sm *s, u32 place)
{
	u32 i = sm_context_of(s->warp[place].who);
	s->contexts[i / 64] &= ~BIT(i % 64);
	s->context[i].place = s->context[i].used = 0;
}

static void start_warp(struct sm_ctx *x, struct sm *s, u32 w, u32 slot, u32 index, u64 now)
{
	struct cta *c = &s->cta[slot];
	u32 pc = front_pc(x->front, s->id, w);
	s->warp[w] = (struct warp){.pc = pc,
	                           .ib_end = pc,
	                           .state = WS_NONE,
	                           .cta_slot = (u8)slot,
	                           .who = context_take(s, w),
	                           .warp_in_cta = (u8)index,
	                           .launch = c->launch,
	                           .age = s->ages++,
	                           .since = now,
	                           .started_at = now};
	memset(x->big[w], 0, sizeof x->big[w]);
	warp_refresh(x, s, w, now);
}

struct event *cta_event(struct sm_ctx *x, const struct sm *s, enum event_type t, u32 slot, u64 now)
{
	const struct cta *c = &s->cta[slot];
	struct event *e = event_add(x->ev, t, now);
	e->sm = (s32)s->id;
	e->kernel = (s32)c->launch;
	e->cta = (s32)c->id;
	e->pc = x->prog[c->launch].launch->fn->entry;
	e->arg[0] = slot;
	return e;
}

void tell_started(struct sm_ctx *x, struct sm *s, u64 warps, u64 now)
{
	for (u32 i = 0; i < x->nscheds && x->sched->warps_started; i++) {
		struct sched_view v = sm_sched_view(x, s, i, now);
		x->sched->warps_started(x->sched_state[i], &v, warps & x->sched_mask[i]);
	}
}

void tell_gone(struct sm_ctx *x, struct sm *s, u64 warps, u64 now)
{
	for (u32 i = 0; i < x->nscheds && x->sched->warps_gone; i++) {
		struct sched_view v = sm_sched_view(x, s, i, now);
		x->sched->warps_gone(x->sched_state[i], &v, warps & x->sched_mask[i]);
	}
}

u32 cta_place(struct sm_ctx *x, struct sm *s, u32 launch, u64 id, u64 now)
{
	const struct launch *l = x->prog[launch].launch;
	s32 slot = free_slot(x, s);
	u32 reg, shared;
	BUG_ON(slot < 0 || !find_hole(s, false, sm_cta_regs(x->conf, l), x->conf->sm_regs, &reg) ||
	       !find_hole(s, true, sm_cta_shared(x->conf, l), x->conf->sm_shared, &shared));
	sm_sync(x, s, now);
	u64 warps = 0, vacant = bit_range(x->nwarps) & ~s->used;
	for (u32 i = 0; i < l->warps; i++, vacant &= vacant - 1)
		warps |= vacant & -vacant;
	struct cta *c = &s->cta[slot];
	*c = (struct cta){.used = 1,
	                  .nwarps = (u8)l->warps,
	                  .launch = launch,
	                  .id = id,
	                  .warps = warps,
	                  .started_at = now,
	                  .came_at = now,
	                  .reg_first = reg,
	                  .reg_size = sm_cta_regs(x->conf, l),
	                  .shared_first = shared,
	                  .shared_size = sm_cta_shared(x->conf, l)};
	s->used |= warps;
	s->nctas++;
	s->regs_used += c->reg_size;
	s->shared_used += c->shared_size;
	mem_cta_start(x->mem, s->id, warps, launch, id);
	return (u32)slot;
}

void cta_begin(struct sm_ctx *x, struct sm *s, u32 slot, u64 now)
{
	const struct cta *c = &s->cta[slot];
	front_cta_start(x->front, s->id, slot, x->prog[c->launch].launch, c->id, c->warps);
	if (x->restart)
		restart_cta_start(x, s, slot, now);
	u32 index = 0;
	FOR_EACH_BIT(w, c->warps)
	start_warp(x, s, (u32)w, slot, index++, now);
	tell_started(x, s, c->warps, now);
}

u32 sm_start_cta(struct sm_ctx *x, struct sm *s, u32 launch, u64 id, u64 now)
{
	const u32 slot = cta_place(x, s, launch, id, now);
	s->k.ctas_started++;
	if (event_wanted(x->ev, EV_CTA_DISPATCH))
		cta_event(x, s, EV_CTA_DISPATCH, slot, now)->arg[1] = s->cta[slot].warps;
	cta_begin(x, s, slot, now);
	return slot;
}

void cta_stayed(struct cta *c, u64 now)
{
	c->warp_cycles += (now - c->came_at) * c->nwarps;
	c->came_at = now;
}

void cta_give_back(struct sm_ctx *x, struct sm *s, u32 slot, u64 now)
{
	struct cta *c = &s->cta[slot];
	FOR_EACH_BIT(w, c->warps)
	warp_set_state(x, s, (u32)w, WS_NONE, now);
	s->used &= ~c->warps;
	s->low &= ~c->warps;
	s->need_fetch &= ~c->warps;
	s->fetch_barred &= ~c->warps;
	s->astray &= ~c->warps;
	s->nctas--;
	s->regs_used -= c->reg_size;
	s->shared_used -= c->shared_size;
	*c = (struct cta){0};
}

bool sm_collect_cta(struct sm_ctx *x, struct sm *s, u32 slots, u64 now, struct cta *out)
{
	if (!(s->done_slots & slots))
		return false;
	u32 slot = bit_first(s->done_slots & slots);
	struct cta *c = &s->cta[slot];
	sm_sync(x, s, now);
	if (unlikely(c->halted_until))
		sm_resume_cta(x, s, slot, now); /* its last answers came meanwhile */
	if (x->restart)
		restart_cta_end(x, s, slot, now);
	if (event_wanted(x->ev, EV_CTA_DONE))
		cta_event(x, s, EV_CTA_DONE, slot, now)->arg[1] = now - c->started_at;
	cta_stayed(c, now);
	*out = *c;
	tell_gone(x, s, c->warps, now);
	cta_give_back(x, s, slot, now);
	FOR_EACH_BIT(w, out->warps)
	context_give(s, (u32)w);
	s->k.ctas_done++;
	s->done_slots &= ~(1u << slot);
	return true;
}
