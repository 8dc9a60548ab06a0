/* Resident CTAs: how many fit, where their registers and shared memory lie (contiguous: fragmentation exists), start
 * and end. */
#include <string.h>

#include "sm/deps.h"
#include "sm/internal.h"
#include "sm/checks.h"
#include "sm/restartable.h"
#include "sm/verbs.h"
#include "sm/virtual.h"

u32 sm_cta_regs(const struct conf *c, const struct launch *l)
{
	return l->warps * (u32)round_up((u64)l->regs * WARP_SIZE, c->sm_reg_unit);
}

u32 sm_cta_shared(const struct conf *c, const struct launch *l)
{
	return (u32)round_up(l->shared_bytes + c->sm_shared_system, c->sm_shared_unit);
}

void sm_limits(const struct conf *c, const struct launch *l, struct sm_limits *o)
{
	const u32 regs = sm_cta_regs(c, l), shared = sm_cta_shared(c, l);
	const bool vt = conf_is_vt(c);
	*o = (struct sm_limits){.threads = c->sm_threads / WARP_SIZE / l->warps,
	                        .slots = c->sm_ctas,
	                        .regs = regs ? c->sm_regs / regs : UINT32_MAX,
	                        .shared = shared ? c->sm_shared / shared : UINT32_MAX,
	                        .context = UINT32_MAX,
	                        .numbers = UINT32_MAX,
	                        .set = c->max_ctas_per_sm ? c->max_ctas_per_sm : UINT32_MAX};
	struct {
		u32 n;
		const char *name;
		bool of_slots, of_vt;
	} limits[] = {{o->threads, "threads", true, false},     {o->slots, "CTAs", true, false},
	              {o->regs, "registers", false, false},     {o->shared, "shared memory", false, false},
	              {0, "context space", false, true},        {0, "virtual warps", false, true},
	              {o->set, "max_ctas_per_sm", false, false}};
	u32 best = 0, capacity = MIN(o->regs, o->shared);
	o->active = MIN(MIN(o->threads, o->slots), MIN(capacity, o->set));
	const bool more = vt && o->active && MIN(capacity, o->set) > o->active; /* CTAs give up their slots */
	if (more) {
		o->context_bytes = (u32)round_up(ceil_div(vt_bits(c, l), 8), 4);
		o->context = MAX(c->sm_shared / (shared + o->context_bytes), o->active);
		o->numbers = MIN(c->vt_warps / l->warps, o->active + SM_AWAY_WORDS * (WARP_SLOTS / l->warps) - 1);
		o->numbers = MAX(MIN(o->numbers, SM_CTA_PLACES - SM_MAX_CTAS), o->active);
	}
	limits[4].n = o->context;
	limits[5].n = o->numbers;
	for (u32 i = 0; i < ARRAY_LEN(limits); i++) {
		const bool counts = more ? !limits[i].of_slots : !limits[i].of_vt;
		const bool first = more ? best < 2 : false;
		if (counts && (first || limits[i].n < limits[best].n))
			best = i;
	}
	o->limiter = limits[best].name;
	o->ctas = limits[best].n;
}

u32 sm_occupancy(const struct conf *c, const struct launch *l, const char **limiter)
{
	struct sm_limits o;
	sm_limits(c, l, &o);
	if (limiter)
		*limiter = o.limiter;
	return o.ctas;
}

u32 sm_shared_demand(const struct conf *c, const struct launch *l)
{
	u64 each = ceil_div(l->ctas, c->num_sms);
	return (u32)MIN(each, sm_occupancy(c, l, NULL)) *
	       (sm_cta_shared(c, l) + (conf_is_vt(c) ? vt_context_bytes(c, l) : 0));
}

/* CTAs without a slot that have registers and shared memory, 64 to a word: the inactive ones. One that was taken off
 * and waits for what it has under way has given them back (cta_give_back()). */
static inline u64 places_away(const struct sm *s, u32 word)
{
	u64 out = 0;
	FOR_EACH_BIT(i, s->ctas_away[word])
	out |= s->cta[SM_MAX_CTAS + word * 64 + (u32)i].inactive ? BIT(i) : 0;
	return out;
}

/* [at, at+size) overlaps what the CTA has: then behind that. */
static bool pass(const struct cta *c, bool shared, u32 size, u32 *at)
{
	const u32 first = shared ? c->shared_first : c->reg_first, len = shared ? c->shared_size : c->reg_size;
	if (!len || *at >= first + len || first >= *at + size)
		return false;
	*at = first + len;
	return true;
}

/* First fit: the lowest start such that [start, start+size) overlaps no CTA's; false when there is no such hole. */
static bool find_hole(const struct sm *s, bool shared, u32 size, u32 total, u32 *start)
{
	u32 at = 0;
	for (bool moved = true; moved;) {
		moved = false;
		if (at + size > total)
			return false;
		for (u32 i = 0; i < SM_MAX_CTAS; i++)
			moved |= s->cta[i].used && pass(&s->cta[i], shared, size, &at);
		for (u32 k = 0; k < ARRAY_LEN(s->ctas_away); k++)
			FOR_EACH_BIT(i, places_away(s, k))
		moved |= pass(&s->cta[SM_MAX_CTAS + k * 64 + (u32)i], shared, size, &at);
	}
	*start = at;
	return true;
}

static void add_block(const struct cta *c, bool shared, struct cta_block *b, u32 *n)
{
	const u32 first = shared ? c->shared_first : c->reg_first, size = shared ? c->shared_size : c->reg_size;
	if (size)
		b[(*n)++] = (struct cta_block){first, size, c->from_top};
}

static u32 blocks_of(const struct sm *s, bool shared, struct cta_block *b)
{
	u32 n = 0;
	for (u32 i = 0; i < SM_MAX_CTAS; i++)
		if (s->cta[i].used)
			add_block(&s->cta[i], shared, b, &n);
	for (u32 k = 0; k < ARRAY_LEN(s->ctas_away); k++)
		FOR_EACH_BIT(i, places_away(s, k))
	add_block(&s->cta[SM_MAX_CTAS + k * 64 + (u32)i], shared, b, &n);
	return n;
}

/* 2-way allocation: a kernel goes on at the end where it began; the first begins at the bottom, one that finds only
 * others from there at the top. */
static bool from_top(const struct sm *s, u32 launch)
{
	bool bottom = false, top = false;
	for (u32 i = 0; i < SM_MAX_CTAS; i++) {
		const struct cta *c = &s->cta[i];
		if (c->used && c->launch == launch)
			return c->from_top;
		bottom |= c->used && !c->from_top;
		top |= c->used && c->from_top;
	}
	return bottom && !top;
}

static bool find_two_way(const struct sm *s, const struct conf *c, u32 launch, struct cta *o)
{
	struct cta_block b[SM_CTA_PLACES];
	o->from_top = from_top(s, launch);
	return blocks_two_way(b, blocks_of(s, false, b), c->sm_regs, o->reg_size, o->from_top, &o->reg_first) &&
	       blocks_two_way(b, blocks_of(s, true, b), c->sm_shared, o->shared_size, o->from_top, &o->shared_first);
}

static s32 free_slot(const struct sm_ctx *x, const struct sm *s)
{
	for (u32 i = 0; i < x->nctas; i++)
		if (!s->cta[i].used)
			return (s32)i;
	return -1;
}

/* Where the last CTA's shared memory ends. */
static u32 shared_end(const struct sm *s)
{
	u32 end = 0;
	for (u32 i = 0; i < SM_MAX_CTAS; i++)
		end = MAX(end, s->cta[i].used ? s->cta[i].shared_first + s->cta[i].shared_size : 0);
	for (u32 k = 0; k < ARRAY_LEN(s->ctas_away); k++)
		FOR_EACH_BIT(i, places_away(s, k))
		{
			const struct cta *c = &s->cta[SM_MAX_CTAS + k * 64 + (u32)i];
			end = MAX(end, c->shared_first + c->shared_size);
		}
	return end;
}

bool sm_find_resources(const struct sm_ctx *x, const struct sm *s, const struct launch *l, struct cta *c)
{
	const u32 regs = sm_cta_regs(x->conf, l), shared = sm_cta_shared(x->conf, l);
	u32 below = x->conf->sm_shared;
	struct cta at = {.reg_size = regs, .shared_size = shared};
	if (s->regs_used + regs > x->conf->sm_regs || s->shared_used + shared > below)
		return false;
	if (x->vt) {
		const u32 contexts = x->vt->context + vt_context_bytes(x->conf, l);
		if (shared_end(s) + contexts > below)
			return false;
		below -= contexts;
	}
	if (unlikely(x->conf->sm_allocation == SM_ALLOCATION_TWO_WAY)) {
		if (!find_two_way(s, x->conf, l->id, &at))
			return false;
	} else if (!find_hole(s, false, regs, x->conf->sm_regs, &at.reg_first) ||
	           !find_hole(s, true, shared, below, &at.shared_first)) {
		return false;
	}
	if (!c)
		return true;
	c->reg_first = at.reg_first;
	c->reg_size = regs;
	c->shared_first = at.shared_first;
	c->shared_size = shared;
	c->from_top = at.from_top;
	return true;
}

void sm_holes(const struct sm_ctx *x, const struct sm *s, const struct launch *l, struct holes *regs,
              struct holes *shared)
{
	const struct conf *c = x->conf;
	struct cta_block b[SM_CTA_PLACES];
	u32 contexts = x->vt ? x->vt->context : 0; /* at the upper end, and there is to be room for one more */
	*regs = blocks_holes(b, blocks_of(s, false, b), c->sm_regs, sm_cta_regs(c, l));
	contexts += x->vt ? vt_context_bytes(c, l) : 0;
	const u32 below = MAX(c->sm_shared - MIN(contexts, c->sm_shared), shared_end(s));
	*shared = blocks_holes(b, blocks_of(s, true, b), below, sm_cta_shared(c, l));
}

bool sm_has_room(const struct sm_ctx *x, const struct sm *s, const struct launch *l)
{
	if (unlikely(x->vt != NULL))
		return vt_has_room(x, s, l);
	return s->nctas < x->nctas && x->nwarps - bit_count(s->used) >= l->warps && sm_find_resources(x, s, l, NULL);
}

u32 sm_next_cta(const struct sm *s, u32 from)
{
	for (; from < SM_MAX_CTAS; from++)
		if (s->cta[from].used)
			return from;
	for (u32 at = from - SM_MAX_CTAS; at < SM_CTA_PLACES - SM_MAX_CTAS;) {
		const u64 rest = s->ctas_away[at / 64] & ~bit_range(at % 64);
		const u32 place = SM_MAX_CTAS + at / 64 * 64 + (rest ? bit_first(rest) : 0);
		if (rest && s->cta[place].inactive)
			return place;
		at = rest ? place - SM_MAX_CTAS + 1 : (at / 64 + 1) * 64;
	}
	return SM_CTA_PLACES;
}

u32 sm_resident(const struct sm *s, u32 launch)
{
	u32 n = 0;
	for (u32 i = 0; i < SM_MAX_CTAS && n < s->nctas; i++)
		n += s->cta[i].used && s->cta[i].launch == launch;
	for (u32 place = sm_next_cta(s, SM_MAX_CTAS); place < SM_CTA_PLACES; place = sm_next_cta(s, place + 1))
		n += s->cta[place].launch == launch;
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
	if (x->deps)
		deps_start(x, w);
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
	BUG_ON(slot < 0);
	sm_sync(x, s, now);
	u64 warps = 0, vacant = bit_range(x->nwarps) & ~s->used;
	for (u32 i = 0; i < l->warps; i++, vacant &= vacant - 1)
		warps |= vacant & -vacant;
	struct cta *c = &s->cta[slot];
	struct cta place = {.used = 1,
	                    .nwarps = (u8)l->warps,
	                    .launch = launch,
	                    .id = id,
	                    .warps = warps,
	                    .started_at = now,
	                    .came_at = now};
	const bool fits = sm_find_resources(x, s, l, &place);
	BUG_ON(!fits);
	*c = place;
	if (unlikely(x->vt != NULL))
		vt_take(x, s, (u32)slot, now);
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
	if (x->checks)
		checks_cta_start(x, s, slot, false, now);
	if (x->restart)
		restart_cta_start(x, s, slot, now);
	u32 index = 0;
	FOR_EACH_BIT(w, c->warps)
	start_warp(x, s, (u32)w, slot, index++, now);
	tell_started(x, s, c->warps, now);
}

u32 sm_start_cta(struct sm_ctx *x, struct sm *s, u32 launch, u64 id, u64 now)
{
	if (unlikely(x->vt != NULL) && vt_begins_inactive(x, s, x->prog[launch].launch)) {
		s->k.ctas_started++;
		return vt_start_inactive(x, s, launch, id, now);
	}
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

void cta_leave_slot(struct sm_ctx *x, struct sm *s, u32 slot, u64 now)
{
	struct cta *c = &s->cta[slot];
	FOR_EACH_BIT(w, c->warps)
	warp_set_state(x, s, (u32)w, WS_NONE, now);
	s->used &= ~c->warps;
	s->low &= ~c->warps;
	s->leaving &= ~c->warps;
	s->last &= ~c->warps;
	s->need_fetch &= ~c->warps;
	s->fetch_barred &= ~c->warps;
	s->astray &= ~c->warps;
	s->nctas--;
}

void cta_give_back(struct sm_ctx *x, struct sm *s, u32 slot, u64 now)
{
	struct cta *c = &s->cta[slot];
	cta_leave_slot(x, s, slot, now);
	if (unlikely(x->vt != NULL))
		vt_give_back(x, s, slot);
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
	if (event_wanted(x->ev, EV_CTA_DONE)) {
		struct event *e = cta_event(x, s, EV_CTA_DONE, slot, now);
		e->arg[1] = now - c->started_at;
		e->arg[2] = c->insts;
	}
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
