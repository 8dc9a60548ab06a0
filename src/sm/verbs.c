#include "sm/verbs.h"

#include <string.h>

#include "sm/copies.h"
#include "sm/deps.h"
#include "sm/internal.h"
#include "sm/l1_pipe.h"
#include "sm/griddep.h"
#include "sm/replay.h"
#include "sm/restartable.h"
#include "sm/virtual.h"

struct contexts {
	u64 set[SM_CONTEXTS / 64];
};
static struct contexts contexts_of(const struct sm *s, const struct cta *cta)
{
	struct contexts c = {{0}};
	const u32 base = sm_warp_base(cta);
	FOR_EACH_BIT(w, cta->warps)
	{
		const u32 i = sm_context_of(s->warp[base + w].who);
		c.set[i / 64] |= BIT(i % 64);
	}
	return c;
}

/* --- pause -------------------------------------------------------------------------------------------------------- */

/* Whatever its context had to wait for, it does not any more. */
static void end_moving(struct cta *c, u64 now)
{
	c->away -= c->moving_until > now ? c->moving_until - now : 0;
	c->moving_until = 0;
}

static void set_paused(struct sm_ctx *x, struct sm *s, u32 slot, bool paused, u64 until, u64 now)
{
	struct cta *c = &s->cta[slot];
	struct contexts who = contexts_of(s, c);
	sm_sync(x, s, now);
	timer_take_out(x, s, who.set, BIT(WK_RESUME));
	end_moving(c, now);
	c->paused = paused;
	c->halted_until = paused ? until : 0;
	if (paused && until != NEVER)
		timer_wait(x, s, WK_RESUME, sm_first_warp(c), until - now, now);
	if (c->inactive) /* its warps are in no state; while it is moved it gets no slots (virtual.h) */
		return;
	FOR_EACH_BIT(w, c->warps)
	{
		s->warp[w].paused = paused || vt_swapping(x, slot);
		warp_refresh(x, s, (u32)w, now);
	}
}

void sm_pause_cta(struct sm_ctx *x, struct sm *s, u32 slot, u64 until, u64 now)
{
	if (event_wanted(x->ev, EV_CTA_PAUSE)) {
		struct event *e = cta_event(x, s, EV_CTA_PAUSE, slot, now);
		e->arg[1] = until == NEVER ? 0 : until - now;
	}
	set_paused(x, s, slot, true, until, now);
}

void sm_move_context(struct sm_ctx *x, struct sm *s, u32 slot, u64 until, u64 now)
{
	struct cta *c = &s->cta[slot];
	if (c->halted_until >= until)
		return;
	sm_pause_cta(x, s, slot, until, now);
	c->moving_until = until;
	c->away += until - now;
}

void sm_resume_cta(struct sm_ctx *x, struct sm *s, u32 slot, u64 now)
{
	if (event_wanted(x->ev, EV_CTA_RESUME))
		cta_event(x, s, EV_CTA_RESUME, slot, now);
	set_paused(x, s, slot, false, 0, now);
}

void sm_lower_cta(struct sm_ctx *x, struct sm *s, u32 slot, bool low, u64 now)
{
	const enum event_type t = low ? EV_CTA_PAUSE : EV_CTA_RESUME;
	if (event_wanted(x->ev, t))
		cta_event(x, s, t, slot, now)->arg[low ? 2 : 1] = 1;
	s->low = low ? s->low | s->cta[slot].warps : s->low & ~s->cta[slot].warps;
}

void cta_goes_on(struct sm_ctx *x, struct sm *s, u32 slot, u64 now)
{
	sm_resume_cta(x, s, slot, now);
}

/* --- drop --------------------------------------------------------------------------------------------------------- */

static bool generations_left(const struct sm *s, const struct cta *c, struct err *e)
{
	bool left = true;
	const u32 base = sm_warp_base(c);
	FOR_EACH_BIT(w, c->warps)
	left &= s->warp[base + w].who >> CONTEXT_BITS != UINT16_MAX >> CONTEXT_BITS;
	for (u32 i = 0; i < SM_MAX_LOADS; i++)
		left &= s->load[i].gen != UINT8_MAX;
	return left || !s->late ||
	       err_set(e,
	               "%u answers for CTAs that were dropped on SM %u are still under way: it may drop more when they "
	               "have come",
	               s->late, s->id);
}

static void give_up_loads(const struct sm_ctx *x, struct sm *s, const u64 *contexts, u64 now)
{
	for (u32 i = 0; i < SM_MAX_LOADS; i++) {
		struct load *l = &s->load[i];
		const u32 who = sm_context_of(l->who);
		if (!l->left || !(contexts[who / 64] >> who % 64 & 1))
			continue;
		HOP_TELL(x->ear, .what = NEWS_DROP, .cycle = now, .sm = s->id, .load = (u16)i);
		*l = (struct load){.gen = (u8)(l->gen + 1)};
		s->load_free[i] = s->free_load;
		s->free_load = (u16)i;
		s->nloads--;
		s->mem_flying--;
	}
}

/* All that its warps have under way, but for answers of the memory system, which then come too late. */
static void give_up(struct sm_ctx *x, struct sm *s, const struct cta *c, u64 now)
{
	struct contexts who = contexts_of(s, c);
	const struct warp_set warps = warps_of(c);
	lsu_give_up(x, s, &warps);
	if (x->pipe)
		l1_pipe_give_up(x, s, &warps);
	if (x->replay)
		replay_give_up(x, s, &warps, now);
	copies_forget(x, s, who.set);
	give_up_loads(x, s, who.set, now);
	if (!c->inactive)
		mbarrier_leave(s, c->warps);
	s->late -= timer_take_out(x, s, who.set, ~0u);
	fetch_forget(s);
	FOR_EACH_BIT(i, c->warps)
	{
		const u32 w = sm_warp_base(c) + (u32)i;
		struct warp *wp = &s->warp[w];
		s->late += wp->outstanding + wp->fetching;
		s->leading -= wp->extra_set && wp->extra + 1 < info_at(x, wp, wp->pc)->cost;
		context_give(s, w);
		s->context[sm_context_of(wp->who)].who += 1 << CONTEXT_BITS; /* what comes late is for nobody */
		if (has_slot(w))
			warp_set_state(x, s, w, WS_NONE, now);
	}
	s->need_fetch &= ~warps.of[0];
	s->astray &= ~warps.of[0];
	s->settled = 0;
}

bool sm_drop_cta(struct sm_ctx *x, struct sm *s, u32 slot, u64 now, struct err *e)
{
	struct cta *c = &s->cta[slot];
	if (!generations_left(s, c, e))
		return false;
	sm_sync(x, s, now);
	if (event_wanted(x->ev, EV_CTA_DROP))
		cta_event(x, s, EV_CTA_DROP, slot, now)->arg[1] = c->insts - c->insts_dropped;
	if (!c->inactive)
		tell_gone(x, s, c->warps, now);
	give_up(x, s, c, now);
	end_moving(c, now);
	c->exited = 0;
	c->ndone = 0;
	c->paused = 0;
	c->halted_until = 0;
	c->insts_dropped = c->insts;
	memset(c->bar, 0, sizeof c->bar);
	s->k.ctas_dropped++;
	if (c->inactive)
		vt_begin_again(x, s, slot, now);
	else
		cta_begin(x, s, slot, now);
	return true;
}

/* --- take off, hand over ------------------------------------------------------------------------------------------ */

/* The set of the warps' numbers in their CTA, and back. */
static u64 by_number(u64 slots, u64 warps)
{
	u64 out = 0;
	for (u32 i = 0; warps; i++, warps &= warps - 1)
		out |= slots & warps & -warps ? BIT(i) : 0;
	return out;
}
static u64 by_slot(u64 numbers, u64 warps)
{
	u64 out = 0;
	for (u32 i = 0; warps; i++, warps &= warps - 1)
		out |= numbers >> i & 1 ? warps & -warps : 0;
	return out;
}
static void turn_masks(struct cta *c, u64 (*turn)(u64, u64), u64 warps)
{
	c->exited = turn(c->exited, warps);
	for (u32 i = 0; i < SM_MAX_BARRIERS; i++) {
		c->bar[i].waiting = turn(c->bar[i].waiting, warps);
		c->bar[i].came = turn(c->bar[i].came, warps);
	}
}

void cta_masks_by_number(struct cta *c, u64 slots)
{
	turn_masks(c, by_number, slots);
}

void cta_masks_by_slot(struct cta *c, u64 slots)
{
	turn_masks(c, by_slot, slots);
}

void warp_move(struct sm_ctx *x, struct sm *s, u32 from, u32 to, u32 cta)
{
	struct warp *wp = &s->warp[to];
	*wp = s->warp[from];
	s->leading -= wp->extra_set && wp->extra + 1 < info_at(x, wp, wp->pc)->cost;
	memcpy(x->big[to], x->big[from], sizeof x->big[to]);
	if (x->deps)
		x->deps->warp[to] = x->deps->warp[from];
	s->context[sm_context_of(wp->who)].place = (u8)to;
	wp->cta_slot = (u8)cta;
	wp->state = WS_NONE;
	wp->ib_end = wp->pc;
	wp->fallthrough = wp->extra = wp->extra_set = wp->paused = 0;
	mem_warp_moves(x->mem, s->id, from, to);
	lsu_rename(s, from, to);
	if (x->pipe)
		l1_pipe_rename(x, from, to);
	if (x->replay)
		replay_rename(x, s, from, to);
}

const char *const leaves_names[LEAVES_BY] = {"command", "switch", "flush"};

static u64 context_bytes(const struct cta *c)
{
	return 4ull * c->reg_size + c->shared_size;
}

static void tell_save(struct sm_ctx *x, const struct sm *s, u32 slot, const struct cta_leaves *why, u64 now)
{
	if (!event_wanted(x->ev, EV_CTA_SAVE))
		return;
	struct event *e = cta_event(x, s, EV_CTA_SAVE, slot, now);
	e->arg[1] = s->cta[slot].inactive ? 0 : s->cta[slot].warps;
	e->arg[2] = why->cause;
	e->arg[3] = why->request;
	e->arg[4] = why->cause == LEAVES_BY_FLUSH ? 0 : context_bytes(&s->cta[slot]);
}

static void tell_restore(struct sm_ctx *x, const struct sm *s, u32 slot, const struct cta_comes *how, u64 now)
{
	if (!event_wanted(x->ev, EV_CTA_RESTORE))
		return;
	struct event *e = cta_event(x, s, EV_CTA_RESTORE, slot, now);
	e->arg[1] = s->cta[slot].inactive ? 0 : s->cta[slot].warps;
	e->arg[2] = how->from;
	e->arg[3] = now - how->left_at;
	e->arg[4] = how->moved ? context_bytes(&s->cta[slot]) : 0;
}

/* What ends for a CTA that is taken off, with a slot or without one. */
static void leave_place(struct sm_ctx *x, struct sm *s, u32 place, const struct cta_leaves *why, u64 now)
{
	struct cta *c = &s->cta[place];
	struct contexts who = contexts_of(s, c);
	sm_sync(x, s, now);
	tell_save(x, s, place, why, now);
	timer_take_out(x, s, who.set, BIT(WK_RESUME));
	end_moving(c, now);
	c->paused = c->leaves = 0;
	c->halted_until = 0;
	s->k.ctas_saved++;
}

u32 sm_take_off(struct sm_ctx *x, struct sm *s, u32 slot, const struct cta_leaves *why, u64 now)
{
	struct cta *c = &s->cta[slot];
	u32 at = 0, word = 0;
	if (c->inactive) { /* its warps are where they are to wait already */
		leave_place(x, s, slot, why, now);
		vt_take_off(x, s, slot);
		return slot;
	}
	while (at < SM_CTA_PLACES - SM_MAX_CTAS && s->ctas_away[at / 64] >> at % 64 & 1)
		at++;
	while (word < SM_AWAY_WORDS && WARP_SLOTS - bit_count(s->away[word]) < c->nwarps)
		word++;
	if (at == SM_CTA_PLACES - SM_MAX_CTAS || word == SM_AWAY_WORDS)
		return NO_PLACE;
	const u32 place = SM_MAX_CTAS + at;
	leave_place(x, s, slot, why, now);
	tell_gone(x, s, c->warps, now);
	mbarrier_leave(s, c->warps);
	struct cta *to = &s->cta[place];
	cta_stayed(c, now);
	*to = *c;
	turn_masks(to, by_number, c->warps);
	to->warps = 0;
	to->word = (u8)word;
	FOR_EACH_BIT(w, c->warps)
	{
		const u32 i = bit_first(~s->away[word]);
		s->away[word] |= BIT(i);
		to->warps |= BIT(i);
		warp_move(x, s, (u32)w, sm_away_place(word, i), place);
	}
	s->ctas_away[at / 64] |= BIT(at % 64);
	cta_give_back(x, s, slot, now);
	fetch_forget(s);
	return place;
}

bool sm_is_quiet(const struct sm *s, u32 place)
{
	FOR_EACH_BIT(i, s->cta[place].warps)
	{
		const struct warp *wp = &s->warp[sm_away_place(s->cta[place].word, (u32)i)];
		if (wp->outstanding || wp->inflight || wp->fetching)
			return false;
	}
	return true;
}

void sm_hand_over(struct sm_ctx *x, struct sm *s, u32 place, struct sm_saved *out)
{
	struct cta *c = &s->cta[place];
	u32 n = 0;
	memset(out, 0, sizeof *out);
	out->cta = *c;
	out->cta.warps = bit_range(c->nwarps);
	FOR_EACH_BIT(i, c->warps)
	{
		const u32 at = sm_away_place(c->word, (u32)i);
		struct warp *wp = &s->warp[at];
		context_give(s, at);
		out->warp[n++] = *wp;
		*wp = (struct warp){0};
		memset(x->big[at], 0, sizeof x->big[0]);
	}
	out->cta.word = 0;
	s->away[c->word] &= ~c->warps;
	s->ctas_away[(place - SM_MAX_CTAS) / 64] &= ~BIT((place - SM_MAX_CTAS) % 64);
	*c = (struct cta){0};
}

/* --- restore ------------------------------------------------------------------------------------------------------ */

static void restore_warp(struct sm_ctx *x, struct sm *s, const struct warp *saved, u32 w, u32 slot, u64 now)
{
	struct warp *wp = &s->warp[w];
	*wp = *saved;
	wp->who = context_take(s, w);
	wp->cta_slot = (u8)slot;
	wp->age = s->ages++;
	wp->since = now;
	/* All it had under way has been performed. */
	wp->fence = wp->fence == FENCE_GRIDS && griddep_holds(x, wp->launch) ? FENCE_GRIDS : FENCE_NONE;
	wp->done = saved->done != 0;
	memset(x->big[w], 0, sizeof x->big[w]);
	warp_refresh(x, s, w, now);
}

u32 sm_restore_cta(struct sm_ctx *x, struct sm *s, const struct sm_saved *in, const u8 *context,
                   const struct cta_comes *how, u64 now)
{
	if (x->vt && vt_begins_inactive(x, s, x->prog[in->cta.launch].launch)) {
		const u32 place = vt_restore_inactive(x, s, in, context, now);
		s->k.ctas_restored++;
		tell_restore(x, s, place, how, now);
		return place;
	}
	const u32 slot = cta_place(x, s, in->cta.launch, in->cta.id, now);
	struct cta *c = &s->cta[slot];
	const struct cta place = *c;
	*c = in->cta;
	c->came_at = now;
	c->warps = place.warps;
	c->reg_first = place.reg_first;
	c->shared_first = place.shared_first;
	c->from_top = place.from_top;
	c->ndone = 0;
	turn_masks(c, by_slot, c->warps);
	front_cta_restore(x->front, s->id, slot, c->warps, context);
	s->k.ctas_restored++;
	tell_restore(x, s, slot, how, now);
	u32 n = 0;
	FOR_EACH_BIT(w, c->warps)
	restore_warp(x, s, &in->warp[n++], (u32)w, slot, now);
	tell_started(x, s, c->warps, now);
	FOR_EACH_BIT(w, c->warps)
	if (s->warp[w].done)
		warp_try_retire(x, s, (u32)w, now);
	return slot;
}
