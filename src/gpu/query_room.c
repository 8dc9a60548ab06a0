/* Why an SM has no room for one more CTA of a kernel, and what of its resources lies in pieces. */
#include "gpu/query.h"
#include "gpu/state.h"
#include "sm/virtual.h"

const char *const room_lack_names[ROOM_LACKS] = {
    [ROOM_IS_THERE] = "room",         [ROOM_ALL_DISPATCHED] = "none to come",
    [ROOM_TAKEN_AWAY] = "taken away", [ROOM_QUOTA] = "quota",
    [ROOM_OCCUPANCY] = "occupancy",   [ROOM_SCHED_LIMIT] = "CTA scheduler",
    [ROOM_CTA_SLOTS] = "CTA slots",   [ROOM_WARPS] = "warp slots",
    [ROOM_REGS] = "registers",        [ROOM_SHARED] = "shared memory",
    [ROOM_HOLES] = "fragmentation",   [ROOM_CONTEXT] = "context space",
    [ROOM_VIRTUAL] = "virtual warps",
};

/* Virtual threads: a CTA of a kernel that may leave its slots needs none to come. */
static bool needs_slot(const struct gpu *g, const struct launch *l)
{
	return !conf_is_vt(&g->conf) || !vt_context_bytes(&g->conf, l);
}

/* CTAs of the launch for which what is free on the SM suffices, by sums and by holes; the difference is fragmentation
 * (Park 2016, section 5.3.3, figure 5.5). Not more than its policies let it have. */
static u32 fragmented(const struct gpu *g, const struct sm *s, const struct launch *l, const struct room_info *o,
                      u32 more)
{
	const u32 free_warps = g->ctx[s->id].nwarps - bit_count(s->used);
	const u32 slots = MIN(g->ctx[s->id].nctas - s->nctas, free_warps / l->warps);
	const u32 bound = needs_slot(g, l) ? MIN(slots, more) : more;
	const u32 sums =
	    MIN(o->regs ? o->reg.free / o->regs : UINT32_MAX, o->shared ? o->shm.free / o->shared : UINT32_MAX);
	return MIN(bound, sums) - MIN(bound, MIN(o->reg.fit, o->shm.fit));
}

static enum room_lack lack_of(const struct gpu *g, const struct sm *s, const struct launch *l,
                              const struct room_info *o)
{
	if (needs_slot(g, l) && s->nctas >= g->ctx[s->id].nctas)
		return ROOM_CTA_SLOTS;
	if (needs_slot(g, l) && g->ctx[s->id].nwarps - bit_count(s->used) < l->warps)
		return ROOM_WARPS;
	if (o->reg.free < o->regs)
		return ROOM_REGS;
	if (o->shm.free < o->shared)
		return ROOM_SHARED;
	if (sm_has_room(&g->ctx[s->id], s, l))
		return ROOM_IS_THERE;
	if (!g->ctx[s->id].vt || !o->reg.fit || !o->shm.fit)
		return ROOM_HOLES;
	/* What is left are virtual threads' own: the context has no room behind the last CTA, or numbers are out. */
	return sm_find_resources(&g->ctx[s->id], s, l, NULL) ? ROOM_VIRTUAL : ROOM_CONTEXT;
}

bool gpu_room(const struct gpu *g, u32 launch, u32 sm, struct room_info *o)
{
	const struct dispatcher *d = g->dispatch.d;
	const struct sm *s = g->sm[sm];
	const struct launch *l = g->launch[launch];
	const s32 slot = dispatch_slot(d, launch);
	*o = (struct room_info){.regs = sm_cta_regs(&g->conf, l), .shared = sm_cta_shared(&g->conf, l)};
	if (slot < 0)
		return false;
	const u32 quota = d->quota[sm][slot], limit = dispatch_sm_limit(&g->dispatch, launch, sm, g->st->cycle);
	const u32 occupancy = sm_occupancy(&g->conf, l, NULL);
	const u32 most = MIN(MIN(quota, occupancy), limit ? limit : UINT32_MAX);
	o->resident = sm_resident(s, launch);
	o->most = most;
	sm_holes(&g->ctx[sm], s, l, &o->reg, &o->shm);
	if (d->k[slot].dispatched == d->k[slot].ctas && !resume_count(&g->resume, launch))
		o->lack = ROOM_ALL_DISPATCHED;
	else if (d->away[sm] >> slot & 1)
		o->lack = ROOM_TAKEN_AWAY;
	else if (o->resident >= most)
		o->lack = occupancy == most ? ROOM_OCCUPANCY : quota == most ? ROOM_QUOTA : ROOM_SCHED_LIMIT;
	else
		o->lack = lack_of(g, s, l, o);
	if (o->lack >= ROOM_CTA_SLOTS || o->lack == ROOM_IS_THERE)
		o->fragmented = fragmented(g, s, l, o, most - o->resident);
	return true;
}
