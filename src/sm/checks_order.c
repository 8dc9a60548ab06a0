/* What orders accesses: see checks.h. */
#include "base/bits.h"
#include "sm/checks_impl.h"

/* --- launches ----------------------------------------------------------------------------------------------------- */

/* Is all that launch a did ordered before all that launch b does? It had ended when b started. Whatever else lets a
 * launch know what another has done, and whatever lets launches overlap that were ordered, is decided here. */
static bool launch_ordered(const struct checks *k, u32 a, u32 b)
{
	return k->span[a].ended && k->span[b].started && k->span[a].ended <= k->span[b].started;
}

/* A warp has waited for the kernels before its own (griddepcontrol.wait), or has met one that has, and launch a has
 * ended. */
static bool launch_awaited(const struct view *v, u32 a)
{
	return v->cta->waited >> v->note->warp & 1 && a < v->me->launch && v->k->span[a].ended;
}

/* --- in a CTA ----------------------------------------------------------------------------------------------------- */

static void raise(u32 *to, const u32 *from, u32 n)
{
	for (u32 i = 0; i < n; i++)
		to[i] = MAX(to[i], from[i]);
}

/* All lanes in the mask know what each of them knows. */
static void lanes_meet(struct lanes *l, u32 mask, u32 time)
{
	u32 all[WARP_SIZE] = {0};
	if (mask == UINT32_MAX) {
		l->full = time;
		return;
	}
	FOR_EACH_BIT(a, mask)
	{
		l->at[a][a] = time;
		raise(all, l->at[a], WARP_SIZE);
	}
	FOR_EACH_BIT(a, mask)
	raise(l->at[a], all, WARP_SIZE);
}

static void warp_meets(struct view *v, u32 mask)
{
	if (v->lanes)
		lanes_meet(check_lanes_at(v->k, v->s->id, v->note->front_warp), mask, v->time);
}

static void fence(struct view *v, u32 scope)
{
	struct check_cta *c = v->cta;
	const u32 w = v->note->warp;
	for (u32 i = 0; i <= scope; i++) {
		raise(c->fence[i][w], c->clock[w], c->nwarps);
		c->fence[i][w][w] = v->time;
		c->fresh[i] |= 1u << w;
	}
	c->fenced = 1;
}

/* What those that have come know, those that waited know from now on: the warps' accesses until they came, their
 * fences, what they have seen of other CTAs. */
static void barrier_opens(struct view *v)
{
	struct check_cta *c = v->cta;
	const struct note *n = v->note;
	u32 known[CTA_WARPS] = {0}, fences[FENCE_SCOPES][CTA_WARPS] = {{0}}, fresh[FENCE_SCOPES] = {0};
	u64 acquired = 0;
	FOR_EACH_BIT(w, n->mask)
	{
		raise(known, c->clock[w], c->nwarps);
		acquired = MAX(acquired, c->acquired[w]);
		for (u32 i = 0; i < FENCE_SCOPES && c->fenced; i++)
			raise(fences[i], c->fence[i][w], c->nwarps);
	}
	FOR_EACH_BIT(w, n->mask)
	known[w] = MAX(known[w], c->came[n->id][w]);
	if (c->waited & n->mask)
		c->waited |= (u32)n->waiting;
	for (u32 i = 0; i < FENCE_SCOPES; i++)
		for (u32 w = 0; w < c->nwarps; w++)
			fresh[i] |= fences[i][w] ? n->waiting : 0;
	FOR_EACH_BIT(w, n->waiting)
	{
		raise(c->clock[w], known, c->nwarps);
		c->acquired[w] = MAX(c->acquired[w], acquired);
		for (u32 i = 0; i < FENCE_SCOPES && c->fenced; i++)
			raise(c->fence[i][w], fences[i], c->nwarps);
	}
	for (u32 i = 0; i < FENCE_SCOPES; i++)
		c->fresh[i] |= fresh[i];
}

void check_sync(struct view *v)
{
	struct check_cta *c = v->cta;
	const struct note *n = v->note;
	const u32 w = n->warp;
	if (!v->k->races)
		return;
	switch ((enum note_kind)n->kind) {
	case NOTE_ACCESS: break;
	case NOTE_FENCE: fence(v, n->id); break;
	case NOTE_GRIDS: c->waited |= 1u << w; break;
	case NOTE_SYNC: warp_meets(v, n->mask); break;
	case NOTE_COME:
		c->came[n->id][w] = v->time;
		warp_meets(v, UINT32_MAX);
		break;
	case NOTE_BARRIER: barrier_opens(v); break;
	case NOTE_ARRIVE: /* as if all mbarriers of the CTA were one */
		raise(c->mbarriers, c->clock[w], c->nwarps);
		c->mbarriers[w] = v->time;
		warp_meets(v, UINT32_MAX);
		break;
	case NOTE_AWAIT:
		raise(c->clock[w], c->mbarriers, c->nwarps);
		warp_meets(v, UINT32_MAX);
		break;
	}
}

/* --- between CTAs ------------------------------------------------------------------------------------------------- */

void check_signal(struct view *v)
{
	struct check_cta *c = v->cta;
	const u32 w = v->note->warp;
	if (!v->k->races || !(v->note->flags & NOTE_SIGNAL))
		return;
	struct run *me = run_of(v->k, c->run);
	if (v->note->flags & NOTE_BOTH)
		fence(v, FENCE_OF_GPU);
	if (c->fresh[FENCE_OF_CTA] >> w & 1)
		raise(c->released, c->fence[FENCE_OF_CTA][w], c->nwarps);
	if (c->fresh[FENCE_OF_GPU] >> w & 1)
		raise(me->released, c->fence[FENCE_OF_GPU][w], c->nwarps);
	for (u32 i = 0; i < FENCE_SCOPES; i++)
		c->fresh[i] &= ~(1u << w);
	me->signalled = v->now;
}

void check_look(struct view *v)
{
	if (v->note->flags & NOTE_LOOK)
		v->cta->acquired[v->note->warp] = v->now;
}

static bool lanes_ordered(const struct view *v, const struct access *a, u32 lane)
{
	const u32 other = ACCESS_THREAD(a->what) % WARP_SIZE;
	return !v->lanes || other == lane || a->time <= v->lanes->full || a->time <= v->lanes->at[lane][other];
}

bool check_ordered_else(struct view *v, const struct access *a, u32 lane)
{
	const struct check_cta *c = v->cta;
	const u32 w = v->note->warp, other = ACCESS_THREAD(a->what) / WARP_SIZE;
	if (a->run == c->run) {
		if (other == w ? lanes_ordered(v, a, lane) : a->time <= c->clock[w][other])
			return true;
		return a->time <= c->released[other] && c->acquired[w] > v->me->start + a->time - 1;
	}
	if (a->run == v->past)
		return true;
	const struct run *r = run_of(v->k, a->run);
	if (r->number != a->run || (r->launch == v->me->launch && r->cta == v->me->cta) ||
	    (r->launch != v->me->launch && launch_ordered(v->k, r->launch, v->me->launch))) {
		v->past = a->run;
		return true;
	}
	if (r->launch != v->me->launch && launch_awaited(v, r->launch))
		return true;
	return a->time <= r->released[other] && c->acquired[w] > r->start + a->time - 1;
}
