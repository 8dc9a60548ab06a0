#include "sm/virtual.h"

#include <string.h>

#include "sm/internal.h"
#include "sm/replay.h"
#include "sm/virtual_internal.h"

/* --- the policies ------------------------------------------------------------------------------------------------- */

#define YOON "Yoon 2016"
static const struct policy none = {
    .name = "none", .help = "as many CTAs as slots and resources allow", .source = "CUDA"};
static const struct policy mascar = {.name = "mascar",
                                     .help = "as none, with Mascar's re-execution queue, which vt has beside swapping",
                                     .source = "Sethia 2015; " YOON ", section IV.D",
                                     .implies = "lsu.replay=car"};
static const struct policy max = {.name = "max",
                                  .help = "no scheduling limit: 64 warp and 32 CTA slots, the most that an SM has "
                                          "here, with Mascar's re-execution queue",
                                  .source = YOON ", section V.B",
                                  .implies = "sm.threads=2048 sm.ctas=32 lsu.replay=car"};

static u32 vt_storage(const struct conf *c, struct policy_storage *out)
{
	const u32 n = log2_floor(c->vt_warps - 1) + 1;
	out[0] = (struct policy_storage){"CTA status table", 1 + 8, FRONT_CTA_PLACES};
	out[1] = (struct policy_storage){"virtual warp ids of the scoreboard", n, c->sm_threads / WARP_SIZE};
	out[2] = (struct policy_storage){"load queues, active and inactive", 301 + n,
	                                 c->lsu_replay_entries + c->vt_inactive_entries};
	return 3;
}
static const struct policy vt = {.name = "vt",
                                 .help = "virtual threads: as many CTAs as registers and shared memory allow; a CTA "
                                         "whose warps all wait for memory gives its slots to another",
                                 .source = YOON,
                                 .implies = "lsu.replay=car lsu.replay_entries=30",
                                 .storage = vt_storage};
const struct policy *const virtual_policies[] = {&none, &vt, &mascar, &max, NULL};

/* --- contexts ----------------------------------------------------------------------------------------------------- */

static u32 log2_up(u32 n)
{
	return n > 1 ? log2_floor(n - 1) + 1 : 0;
}

u32 vt_context_bits(u32 n, u32 warps, u32 depth)
{
	return n + log2_up(warps) + 3 * 32 + (32 + 64 + 64) * depth * warps;
}

u32 vt_swap_cycles(u32 bits, u32 bandwidth)
{
	return bandwidth ? (u32)ceil_div(bits, bandwidth) : 0;
}

u32 vt_bits(const struct conf *c, const struct launch *l)
{
	return vt_context_bits(log2_up(c->vt_warps), l->warps, c->vt_depth);
}

u32 vt_cycles(const struct conf *c, const struct launch *l)
{
	return vt_swap_cycles(vt_bits(c, l), c->vt_bandwidth) + c->vt_delay;
}

u32 vt_context_bytes(const struct conf *c, const struct launch *l)
{
	struct sm_limits n;
	sm_limits(c, l, &n);
	return n.ctas > n.active ? n.context_bytes : 0;
}

/* --- a swap ------------------------------------------------------------------------------------------------------- */

/* What a warp without a slot adds to the tracking counter of its CTA: results and a wait for other grids, or in an
 * ending one itself while memory has not answered everything. */
static u32 under_way(const struct warp *wp, bool ending)
{
	return ending ? wp->inflight || wp->outstanding : wp->inflight + (wp->fence == FENCE_GRIDS);
}

/* It leaves its slots; what it has under way goes with its warps. Its place. */
static u32 leave(struct sm_ctx *x, struct sm *s, u32 slot, u64 now)
{
	struct vt *v = x->vt;
	struct cta *from = &s->cta[slot], *c;
	u32 place, word, n = 0;
	const bool placed = vt_find_place(s, &place) && vt_find_word(s, from->nwarps, &word);
	BUG_ON(!placed);
	const u64 slots = from->warps;
	const bool ending = from->exited == slots;
	c = &s->cta[place];
	tell_gone(x, s, slots, now);
	if (unlikely(s->awaiting & slots))
		mbarrier_leave(s, slots);
	cta_stayed(from, now);
	*c = *from;
	cta_masks_by_number(c, slots);
	c->inactive = 1;
	c->word = (u8)word;
	c->warps = vt_lowest_free(s->away[word], c->nwarps);
	v->cta[place] = v->cta[slot];
	v->cta[slot] = (struct vt_cta){0};
	v->cta[place].swaps++;
	v->cta[place].since = now;
	v->cta[place].state = VT_LEAVING;
	v->cta[place].ending = ending;
	vt_map(x, s)->cta[place] = v->cta[place].home;
	u64 to = c->warps;
	FOR_EACH_BIT(w, slots)
	{
		const u32 at = sm_away_place(word, bit_first(to));
		to &= to - 1;
		warp_move(x, s, (u32)w, at, place);
		vt_map(x, s)->warp[at] = (u16)(v->cta[place].first + n++);
		v->cta[place].pending += under_way(&s->warp[at], ending);
	}
	s->away[word] |= c->warps;
	s->ctas_away[(place - SM_MAX_CTAS) / 64] |= BIT((place - SM_MAX_CTAS) % 64);
	v->inactive++;
	cta_leave_slot(x, s, slot, now);
	fetch_forget(s);
	*from = (struct cta){0};
	return place;
}

/* A ready CTA gets slots; its warps cannot issue before the swap is over. Its slot. */
static u32 enter(struct sm_ctx *x, struct sm *s, u32 place, u64 now)
{
	struct vt *v = x->vt;
	struct cta *from = &s->cta[place];
	u32 slot = 0, n = 0;
	while (s->cta[slot].used)
		slot++;
	struct cta *c = &s->cta[slot];
	const u64 slots = vt_lowest_free(s->used | ~bit_range(x->nwarps), from->nwarps), away = from->warps;
	*c = *from;
	cta_masks_by_slot(c, slots);
	c->warps = slots;
	c->inactive = c->word = 0;
	c->ndone = 0;
	c->came_at = now;
	v->cta[slot] = v->cta[place];
	v->cta[place] = (struct vt_cta){0};
	v->cta[slot].since = now;
	v->cta[slot].state = VT_COMING;
	vt_map(x, s)->cta[slot] = v->cta[slot].home;
	s->used |= slots;
	s->leaving |= c->leaves ? slots : 0;
	s->nctas++;
	v->inactive--;
	v->ready--;
	u64 to = slots;
	FOR_EACH_BIT(i, away)
	{
		const u32 w = bit_first(to), at = sm_away_place(from->word, (u32)i);
		to &= to - 1;
		warp_move(x, s, at, w, slot);
		memset(x->big[at], 0, sizeof x->big[at]);
		s->warp[at] = (struct warp){0};
		struct warp *wp = &s->warp[w];
		vt_map(x, s)->warp[w] = (u16)(v->cta[slot].first + n++);
		wp->paused = 1;
		wp->since = now;
		wp->done = wp->done != 0;
		if (wp->fence && !fence_holds(wp))
			wp->fence = 0;
		warp_refresh(x, s, w, now);
	}
	s->away[from->word] &= ~away;
	s->ctas_away[(place - SM_MAX_CTAS) / 64] &= ~BIT((place - SM_MAX_CTAS) % 64);
	*from = (struct cta){0};
	tell_started(x, s, slots, now);
	FOR_EACH_BIT(w, slots)
	if (s->warp[w].done)
		warp_try_retire(x, s, (u32)w, now);
	return slot;
}

static const struct launch *launch_of(const struct sm_ctx *x, const struct cta *c)
{
	return x->prog[c->launch].launch;
}

/* Why it leaves or comes, in its slot: as events.def lists it. */
static void swap_event(struct sm_ctx *x, struct sm *s, enum event_type t, u32 slot, u32 cause, u32 cycles, u64 partner,
                       u64 now)
{
	const struct cta *c = &s->cta[slot];
	struct event *e = cta_event(x, s, t, slot, now);
	e->warp = (s32)bit_first(c->warps);
	e->pc = s->warp[e->warp].pc;
	e->arg[0] = cause;
	e->arg[1] = cycles;
	e->arg[2] = c->exited == c->warps ? 0 : vt_bits(x->conf, launch_of(x, c));
	e->arg[3] = partner;
	e->arg[4] = slot;
}

/* The swap under way is over. */
static void finish(struct sm_ctx *x, struct sm *s, u64 now)
{
	struct vt *v = x->vt;
	struct cta *c = &s->cta[v->coming];
	const u32 leaving = v->leaving;
	struct vt_cta *in = &v->cta[v->coming];
	sm_sync(x, s, now);
	if (event_wanted(x->ev, EV_CTA_SWAP_IN))
		swap_event(x, s, EV_CTA_SWAP_IN, v->coming, leaving != 0, (u32)(now - in->since),
		           leaving ? s->cta[leaving].id : 0, now);
	in->state = VT_ACTIVE;
	in->since = now;
	v->until = NEVER;
	v->coming = v->leaving = 0;
	s->k.vt_swaps++;
	FOR_EACH_BIT(w, c->warps)
	{
		s->warp[w].paused = c->paused;
		warp_refresh(x, s, (u32)w, now);
	}
	if (!leaving)
		return;
	struct vt_cta *out = &v->cta[leaving];
	out->state = VT_WAITING;
	if (!out->pending)
		vt_make_ready(x, s, leaving, now);
}

/* Every warp of the CTA that has not exited waits for memory, or (vt.barriers) for such a one at a barrier. The same of
 * a warp that waits for another grid, and of those that wait for it at barriers and mbarriers: CTAs of that grid may be
 * without a slot here, so who waits for them gives its own away. */
static u64 stalled(const struct sm_ctx *x, const struct sm *s, const struct cta *c)
{
	const u64 grid = griddep_waiting(s, c->warps), mem = (s->in[WS_MEM] & c->warps) | grid;
	const u64 barrier = (x->conf->vt_barriers || grid ? s->in[WS_BARRIER] & c->warps : 0) |
	                    (grid ? s->in[WS_SLEEP] & s->awaiting & c->warps : 0);
	return mem && (mem | barrier | c->exited) == c->warps ? mem : 0;
}

/* All of it has exited; memory has not acknowledged its last stores. */
static bool is_ending(const struct sm_ctx *x, const struct sm *s, u32 slot)
{
	const struct cta *c = &s->cta[slot];
	return x->conf->vt_ending && c->exited == c->warps && !(s->done_slots >> slot & 1);
}

static u32 first_ready(const struct sm_ctx *x, const struct sm *s, u32 warps, bool cta_slot)
{
	const struct vt *v = x->vt;
	u32 best = 0;
	for (u32 k = 0; cta_slot && k < ARRAY_LEN(s->ctas_away); k++)
		FOR_EACH_BIT(i, s->ctas_away[k])
		{
			const u32 p = SM_MAX_CTAS + k * 64 + (u32)i;
			if (v->cta[p].state == VT_READY && s->cta[p].nwarps <= warps && !s->cta[p].moving_until &&
			    (!best || v->cta[p].order < v->cta[best].order))
				best = p;
		}
	return best;
}

struct swap {
	u32 in;   /* place */
	s32 out;  /* slot; -1: nobody leaves */
	u64 from; /* since when it has been stalled */
};
/* The swap to begin, if any: of those that could leave, the one that was stalled first. */
static struct swap find_swap(const struct sm_ctx *x, const struct sm *s)
{
	const u32 vacant = x->nwarps - bit_count(s->used);
	struct swap best = {first_ready(x, s, vacant, s->nctas < x->nctas), -1, NEVER};
	if (best.in)
		return best;
	for (u32 i = 0; i < x->nctas; i++) {
		const struct cta *c = &s->cta[i];
		if (!c->used || x->vt->cta[i].state != VT_ACTIVE || !x->vt->cta[i].context || c->moving_until)
			continue;
		const u64 mem = is_ending(x, s, i) ? c->warps : stalled(x, s, c);
		u64 from = 0;
		FOR_EACH_BIT(w, mem)
		from = MAX(from, s->warp[w].since);
		if (!mem || from >= best.from || (x->replay && !replay_may_leave(x, c->warps)))
			continue;
		const u32 in = first_ready(x, s, vacant + c->nwarps, true);
		u32 place, word;
		if (in && vt_find_place(s, &place) && vt_find_word(s, c->nwarps, &word))
			best = (struct swap){in, (s32)i, from};
	}
	return best;
}

static void begin(struct sm_ctx *x, struct sm *s, struct swap w, u64 now)
{
	struct vt *v = x->vt;
	const struct cta *in = &s->cta[w.in];
	const u32 cycles = v->cta[w.in].ending ? 0 : vt_cycles(x->conf, launch_of(x, in));
	sm_sync(x, s, now);
	if (w.out >= 0) {
		if (event_wanted(x->ev, EV_CTA_SWAP_OUT)) {
			const struct cta *out = &s->cta[w.out];
			const u32 cause = out->exited == out->warps ? 2 : (s->in[WS_BARRIER] & out->warps) != 0;
			swap_event(x, s, EV_CTA_SWAP_OUT, (u32)w.out, cause, cycles, in->id, now);
		}
		v->leaving = (u8)leave(x, s, (u32)w.out, now);
	}
	v->coming = (u8)enter(x, s, w.in, now);
	v->until = now + cycles;
	s->k.vt_swap_cycles += cycles;
	if (!cycles)
		finish(x, s, now);
}

bool vt_wants(const struct sm_ctx *x, const struct sm *s)
{
	return x->vt->ready && x->vt->until == NEVER && find_swap(x, s).in;
}

void vt_cycle(struct sm_ctx *x, struct sm *s, u64 now)
{
	struct vt *v = x->vt;
	if (v->until <= now)
		finish(x, s, now);
	if (!v->ready || v->until != NEVER)
		return;
	struct swap w = find_swap(x, s);
	if (w.in)
		begin(x, s, w, now);
}

u64 vt_next(const struct sm_ctx *x, const struct sm *s, u64 now)
{
	const struct vt *v = x->vt;
	if (v->until != NEVER)
		return MAX(v->until, now + 1);
	return vt_wants(x, s) ? now + 1 : NEVER;
}

void vt_written(struct sm_ctx *x, struct sm *s, u32 w, u64 now)
{
	const u32 place = s->warp[w].cta_slot;
	struct vt_cta *c = &x->vt->cta[place];
	if (!s->cta[place].inactive || (c->ending && under_way(&s->warp[w], true)) || --c->pending ||
	    c->state != VT_WAITING)
		return;
	vt_make_ready(x, s, place, now);
}

/* --- what holds --------------------------------------------------------------------------------------------------- */

bool vt_check_state(const struct sm_ctx *x, const struct sm *s, struct err *e)
{
	const struct vt *v = x->vt;
	u32 inactive = 0, ready = 0, context = 0, homes = 0, warps = 0, top = 0, coming = 0;
	for (u32 i = 0; i < SM_CTA_PLACES; i++) {
		const struct cta *c = &s->cta[i];
		const struct vt_cta *k = &v->cta[i];
		const bool away = i >= SM_MAX_CTAS;
		if (!c->used || (away && !c->inactive)) {
			HOLDS(k->state == VT_NONE, "SM %u: CTA place %u is empty, but has state %u", s->id, i, k->state);
			continue;
		}
		HOLDS(away ? k->state == VT_LEAVING || k->state == VT_WAITING || k->state == VT_READY
		           : k->state == VT_ACTIVE || k->state == VT_COMING,
		      "SM %u: CTA %llu in place %u has state %u", s->id, (unsigned long long)c->id, i, k->state);
		inactive += away;
		ready += k->state == VT_READY;
		coming += k->state == VT_COMING;
		context += k->context;
		top = MAX(top, c->shared_first + c->shared_size);
		homes += v->homes[k->home / 64] >> k->home % 64 & 1;
		u32 pending = 0, n = 0;
		FOR_EACH_BIT(b, c->warps)
		{
			const u32 w = away ? sm_away_place(c->word, (u32)b) : (u32)b, vwi = k->first + n++;
			pending += under_way(&s->warp[w], k->ending);
			HOLDS(front_warp(x->front, s->id, w) == vwi && v->warps[vwi / 64] >> vwi % 64 & 1,
			      "SM %u: warp %u of CTA %llu is virtual warp %u, not %u, or that is not taken", s->id, n - 1,
			      (unsigned long long)c->id, front_warp(x->front, s->id, w), vwi);
			HOLDS(!away || (s->warp[w].state == WS_NONE && s->warp[w].cta_slot == i && s->away[c->word] >> b & 1 &&
			                s->warp[w].ib_end == s->warp[w].pc),
			      "SM %u: warp %u of inactive CTA %llu has a slot or a buffer, or none knows its place", s->id, n - 1,
			      (unsigned long long)c->id);
		}
		warps += n;
		HOLDS(!away || pending == k->pending, "SM %u: CTA %llu waits for %u results, %u are under way", s->id,
		      (unsigned long long)c->id, k->pending, pending);
		HOLDS(!away || c->ndone < c->nwarps, "SM %u: CTA %llu has left its slots, but has ended", s->id,
		      (unsigned long long)c->id);
		HOLDS(!away || k->state != VT_WAITING || pending, "SM %u: CTA %llu is not ready, but waits for nothing", s->id,
		      (unsigned long long)c->id);
	}
	u32 taken = 0, homes_taken = 0;
	for (u32 i = 0; i < ARRAY_LEN(v->warps); i++)
		taken += bit_count(v->warps[i]);
	for (u32 i = 0; i < VT_HOME_WORDS; i++)
		homes_taken += bit_count(v->homes[i]);
	HOLDS(inactive == v->inactive && ready == v->ready && context == v->context && coming == (v->until != NEVER),
	      "SM %u: %u CTAs inactive (%u), %u ready (%u), %u come, contexts of %u B (%u)", s->id, v->inactive, inactive,
	      v->ready, ready, coming, v->context, context);
	HOLDS(taken == warps && homes_taken == homes, "SM %u: %u virtual warps taken of %u, %u homes of %u", s->id, taken,
	      warps, homes_taken, homes);
	HOLDS(top + context <= x->conf->sm_shared, "SM %u: shared memory up to %u, contexts of %u B: more than %u", s->id,
	      top, context, x->conf->sm_shared);
	return true;
}
