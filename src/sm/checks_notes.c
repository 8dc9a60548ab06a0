/* Checks: what an SM notes in its cycle, and who reads it behind the cycle; CTAs and launches. */
#include "sm/checks.h"

#include <stdlib.h>
#include <string.h>

#include "sm/checks_impl.h"
#include "sm/internal.h"
#include "sm/restartable.h"

const char *const check_kind_names[CHECK_KINDS] = {"raw", "war", "waw", "lanes", "uninit"};

/* --- build -------------------------------------------------------------------------------------------------------- */

static u64 device_pages(const struct conf *c)
{
	return ((u64)c->heap_mb << 20) / CELL_PAGE;
}

static bool wanted(const struct conf *c)
{
	return c->check_races || c->check_init;
}

size_t checks_state_bytes(const struct conf *c, u32 launches)
{
	if (!wanted(c))
		return 0;
	size_t bytes = sizeof(struct check_state) + launches * sizeof(struct launch_span) + RUNS * sizeof(struct run) +
	               c->num_sms * (restart_tables(c) * sizeof(struct check_cta) + check_shared_map_bytes(c->sm_shared)) +
	               (64u << 10);
	if (c->check_init)
		bytes += device_pages(c) * (CELL_PAGE / 8) + INIT_SLACK;
	if (c->check_races)
		bytes += c->num_sms * c->sm_shared * sizeof(struct cell) + device_pages(c) * sizeof(u32) +
		         ((u64)c->check_mb << 20) + c->num_sms * (size_t)FRONT_PLACES * sizeof(struct lanes);
	return bytes;
}

struct checks *checks_create(const struct conf *c, u32 launches, struct arena *a, struct devmem *mem)
{
	if (!wanted(c))
		return NULL;
	struct checks *k = xcalloc(1, sizeof *k);
	*k = (struct checks){.races = c->check_races,
	                     .init = c->check_init,
	                     .splits = c->isa_threads == ISA_THREADS_SPLITS,
	                     .num_sms = c->num_sms,
	                     .nctas = restart_tables(c),
	                     .nwarps = FRONT_PLACES,
	                     .launches = launches,
	                     .shared_bytes = c->sm_shared,
	                     .mem = mem,
	                     .arena = a};
	k->notes = xcalloc(c->num_sms, sizeof *k->notes);
	k->st = ARENA_NEW(a, struct check_state, 1);
	k->span = ARENA_NEW(a, struct launch_span, launches);
	k->run = ARENA_NEW(a, struct run, RUNS);
	k->cta = ARENA_NEW(a, struct check_cta, (size_t)c->num_sms * k->nctas);
	k->shared_init = arena_alloc(a, c->num_sms * check_shared_map_bytes(k->shared_bytes), 64);
	if (k->init)
		mem->init = arena_alloc(a, device_pages(c) * (CELL_PAGE / 8) + INIT_SLACK, 64);
	if (!k->races)
		return k;
	if (k->splits)
		k->lanes = ARENA_NEW(a, struct lanes, (size_t)c->num_sms * k->nwarps);
	k->shared = ARENA_NEW(a, struct cell, c->num_sms * k->shared_bytes);
	k->page_of = ARENA_NEW(a, u32, device_pages(c));
	k->max_pages = (u32)(((u64)c->check_mb << 20) / sizeof(struct page));
	k->page = (struct page *)(void *)arena_last(a, k->max_pages * sizeof(struct page));
	return k;
}

void checks_free(struct checks *k)
{
	if (!k)
		return;
	for (u32 i = 0; i < k->num_sms; i++)
		free(k->notes[i].n);
	free(k->notes);
	free(k);
}

/* --- notes -------------------------------------------------------------------------------------------------------- */

static struct note *note_add(struct sm_ctx *x, const struct sm *s, u32 place, u32 slot, enum note_kind kind)
{
	struct notes *t = &x->checks->notes[s->id];
	if (t->used == t->cap) {
		t->cap = MAX(2 * t->cap, 16);
		t->n = xrealloc(t->n, t->cap * sizeof *t->n);
	}
	struct note *n = &t->n[t->used++];
	n->kind = (u8)kind;
	n->place = (u8)place;
	n->front_warp = (u8)front_warp(x->front, s->id, place);
	n->slot = front_slot(x->front, s->id, slot);
	n->shared_first = s->cta[slot].shared_first;
	n->warp = kind == NOTE_BARRIER ? 0 : s->warp[place].warp_in_cta;
	n->flags = 0;
	n->run = check_cta_at(x->checks, s->id, n->slot)->run;
	return n;
}

static struct note *note_of(struct sm_ctx *x, const struct sm *s, u32 w, enum note_kind kind)
{
	return note_add(x, s, w, s->warp[w].cta_slot, kind);
}

static bool is_access(const struct inst *in)
{
	return inst_is_load(in) || inst_is_store(in) || in->op == OP_ATOM || in->op == OP_RED || in->op == OP_MBARRIER;
}

static u8 mbarrier_flags(const struct inst *in)
{
	switch (in->mode) {
	case MBAR_INIT:
	case MBAR_INVAL: return NOTE_WRITE;
	case MBAR_TEST_WAIT:
	case MBAR_TRY_WAIT: return NOTE_READ | NOTE_IS_ATOMIC | NOTE_STRONG;
	default: return NOTE_READ | NOTE_WRITE | NOTE_IS_ATOMIC | NOTE_STRONG;
	}
}

/* Volatile accesses of shared memory order, but race. */
static u8 flags_of(const struct inst *in, u32 space)
{
	const bool atomic = in->op == OP_ATOM || in->op == OP_RED;
	const u32 strong = space == SPC_SHARED ? IF_ACQREL | IF_RELAXED : IF_VOLATILE;
	u8 flags = 0;
	if (in->op == OP_MBARRIER)
		return mbarrier_flags(in);
	if (atomic)
		flags = NOTE_WRITE | NOTE_IS_ATOMIC | NOTE_STRONG | NOTE_SIGNAL | (in->atom == ATOM_EXCH ? 0 : NOTE_READ) |
		        (in->op == OP_ATOM ? NOTE_LOOK : 0);
	else if (inst_is_store(in))
		flags = NOTE_WRITE | (in->flags & IF_VOLATILE ? NOTE_SIGNAL : 0) | (in->flags & strong ? NOTE_STRONG : 0);
	else
		flags = NOTE_READ | (in->flags & IF_VOLATILE ? NOTE_LOOK : 0) | (in->flags & strong ? NOTE_STRONG : 0);
	return flags | (flags & NOTE_WRITE && in->flags & IF_ACQREL ? NOTE_BOTH : 0);
}

/* The values of an st, lane by lane. */
static void note_values(struct sm_ctx *x, const struct sm *s, u32 w, const struct dyninst *d, struct note *n)
{
	if (d->in->op == OP_ST && front_stored(x->front, s->id, w, d->in, n->data))
		n->flags |= NOTE_VALUES;
}

static void note_access(struct sm_ctx *x, const struct sm *s, u32 w, const struct dyninst *d)
{
	const u8 flags = flags_of(d->in, d->space);
	struct note *n = note_of(x, s, w, NOTE_ACCESS);
	n->space = d->space;
	n->bytes = d->bytes;
	n->flags = flags;
	n->pc = d->pc;
	n->mask = d->mask;
	memcpy(n->addr, d->addr, sizeof n->addr);
	if (flags & NOTE_WRITE)
		note_values(x, s, w, d, n);
}

/* What a cp.async reads, of which not all may come, and what it writes. */
static void note_copy(struct sm_ctx *x, const struct sm *s, u32 w, const struct dyninst *d)
{
	const struct inst *in = d->in;
	u32 least = d->bytes;
	FOR_EACH_BIT(i, in->s[2] == OPND_NONE || in->geom ? 0 : d->mask)
	least = MIN(least, (u32)front_read_reg(x->front, s->id, w, (u32)i, in->s[2], T_U32));
	if (d->mask && least) {
		note_access(x, s, w, d);
		x->checks->notes[s->id].n[x->checks->notes[s->id].used - 1].bytes = (u8)least;
	}
	struct note *n = note_of(x, s, w, NOTE_ACCESS);
	n->space = SPC_SHARED;
	n->bytes = d->bytes;
	n->flags = NOTE_WRITE;
	n->pc = d->pc;
	n->mask = d->taken;
	memset(n->addr, 0, sizeof n->addr);
	FOR_EACH_BIT(i, d->taken)
	n->addr[i] = (u32)(front_read_reg(x->front, s->id, w, (u32)i, in->s[1], in->pack ? T_U64 : T_U32) + (u32)in->table);
}

/* Where lanes of a warp go their own ways: what says which of them meet at an instruction. */
static opnd mask_of(const struct inst *in)
{
	switch (in->op) {
	case OP_BARWARP: return in->s[0];
	case OP_SHFL: return in->flags & IF_SYNC ? in->s[3] : OPND_NONE;
	case OP_VOTE: return in->flags & IF_SYNC ? in->s[1] : OPND_NONE;
	case OP_MATCH:
	case OP_REDUX: return in->s[1];
	default: return OPND_NONE;
	}
}

static bool is_aligned_matrix(u8 op)
{
	return op == OP_MMA || op == OP_LDMATRIX || op == OP_STMATRIX || op == OP_MOVMATRIX || op == OP_WMMA_LOAD ||
	       op == OP_WMMA_STORE;
}

static void note_meeting(struct sm_ctx *x, const struct sm *s, u32 w, const struct dyninst *d)
{
	const opnd mask = mask_of(d->in);
	const u8 op = d->in->op;
	if (is_aligned_matrix(op)) {
		note_of(x, s, w, NOTE_SYNC)->mask = UINT32_MAX;
	} else if (mask == OPND_NONE) {
		if (op == OP_SHFL || op == OP_VOTE)
			note_of(x, s, w, NOTE_SYNC)->mask = d->mask;
		return;
	}
	for (u32 left = mask == OPND_NONE ? 0 : d->mask; left;) { /* lanes may give masks of their own */
		const u32 lane = bit_first(left);
		const u32 lanes = (u32)front_read_reg(x->front, s->id, w, lane, mask, T_U32) | 1u << lane;
		note_of(x, s, w, NOTE_SYNC)->mask = lanes;
		left &= ~lanes;
	}
}

static void note_rest(struct sm_ctx *x, const struct sm *s, u32 w, const struct dyninst *d)
{
	if (d->in->op == OP_MEMBAR && d->in->mode != FENCE_WAITS_NOT)
		note_of(x, s, w, NOTE_FENCE)->id = d->in->mode ? FENCE_OF_GPU : FENCE_OF_CTA;
	if (d->in->op == OP_GRIDDEP && d->in->mode)
		note_of(x, s, w, NOTE_GRIDS); /* what it executes from here on it executes when that has ended */
	if (d->flags & DYN_BARRIER)
		note_of(x, s, w, NOTE_COME)->id = (u8)(d->bar_id % SM_MAX_BARRIERS);
	if (d->flags & DYN_COPY_ARRIVE)
		note_of(x, s, w, NOTE_ARRIVE);
	if (x->checks->splits)
		note_meeting(x, s, w, d);
}

/* malloc() and free(): a block that one thread has freed, and another gets. */
static void note_heap(struct sm_ctx *x, const struct sm *s, u32 w, const struct dyninst *d)
{
	struct note *n = note_of(x, s, w, NOTE_ACCESS);
	n->mask = 0;
	n->flags = d->in->atom == ATOM_FREE ? NOTE_SIGNAL | NOTE_BOTH : NOTE_LOOK;
}

static bool is_heap(const struct inst *in)
{
	return (in->op == OP_ATOM || in->op == OP_RED) && (in->atom == ATOM_MALLOC || in->atom == ATOM_FREE);
}

void checks_issue(struct sm_ctx *x, const struct sm *s, u32 w, const struct dyninst *d, u64 now)
{
	const struct inst *in = d->in;
	if (in->op == OP_CP_ASYNC) {
		note_copy(x, s, w, d);
		return;
	}
	if (!d->mask)
		return;
	if ((d->space == SPC_SHARED || d->space == SPC_GLOBAL) && is_access(in) && !(d->flags & DYN_MIXED)) {
		if (is_heap(in))
			note_heap(x, s, w, d);
		else
			note_access(x, s, w, d);
		if (in->op == OP_MBARRIER)
			note_of(x, s, w, in->mode == MBAR_TEST_WAIT || in->mode == MBAR_TRY_WAIT ? NOTE_AWAIT : NOTE_ARRIVE);
	}
	if (x->checks->races && (in->cls == IC_CTRL || x->checks->splits))
		note_rest(x, s, w, d);
}

static u32 by_number(const struct sm *s, u64 slots)
{
	u32 out = 0;
	FOR_EACH_BIT(w, slots)
	out |= 1u << s->warp[w].warp_in_cta % CTA_WARPS;
	return out;
}

void checks_barrier(struct sm_ctx *x, const struct sm *s, u32 slot, u32 id, u64 came, u64 waiting, u64 now)
{
	struct note *n = note_add(x, s, 0, slot, NOTE_BARRIER);
	n->id = (u8)id;
	n->mask = by_number(s, came);
	n->waiting = by_number(s, waiting);
}

void checks_awaited(struct sm_ctx *x, const struct sm *s, u32 w, u64 now)
{
	note_of(x, s, w, NOTE_AWAIT);
}

bool checks_cycle(struct sm_ctx *x, const struct sm *s, u64 now)
{
	struct checks *k = x->checks;
	struct notes *t = &k->notes[s->id];
	struct view v = {.x = x, .s = s, .k = k, .now = now};
	for (u32 i = 0; i < t->used; i++) {
		const struct note *n = v.note = &t->n[i];
		v.cta = check_cta_at(k, s->id, n->slot);
		if (v.cta->run != n->run || n->warp >= CTA_WARPS)
			continue; /* it has left the SM between two cycles */
		v.me = run_of(k, n->run);
		v.time = (u32)MIN(now - v.me->start + 1, UINT32_MAX);
		v.lanes = k->splits && k->races ? check_lanes_at(k, s->id, n->front_warp) : NULL;
		k->st->notes++;
		if (n->kind != NOTE_ACCESS) {
			check_sync(&v);
			continue;
		}
		check_signal(&v);
		check_access(&v);
		check_look(&v);
	}
	t->used = 0;
	return v.news;
}

/* --- CTAs and launches -------------------------------------------------------------------------------------------- */

static bool in_shared(const struct inst *in)
{
	return (in->space == SPC_SHARED || in->space == SPC_GENERIC) && is_access(in);
}

/* log2 of the smallest access of shared memory that the module's code has. */
static u8 grain_of(const struct module *m)
{
	u32 least = GLOBAL_GRAIN;
	for (u32 pc = 0; pc < m->ncode && least; pc++) {
		const u32 bytes = in_shared(&m->code[pc]) ? ptype_bytes(m->code[pc].type) : 0;
		least = bytes == 1 ? 0 : bytes == 2 ? MIN(least, 1u) : least;
	}
	return (u8)least;
}

void checks_cta_start(struct sm_ctx *x, const struct sm *s, u32 slot, bool back, u64 now)
{
	struct checks *k = x->checks;
	const struct cta *at = &s->cta[slot];
	const struct launch *l = x->prog[at->launch].launch;
	struct check_cta *c = check_cta_at(k, s->id, front_slot(x->front, s->id, slot));
	const u32 number = ++k->st->runs ? k->st->runs : ++k->st->runs;
	memset(c, 0, sizeof *c);
	c->run = number;
	c->nwarps = MIN(at->nwarps, CTA_WARPS);
	if (k->races)
		c->grain = grain_of(l->mod);
	*run_of(k, number) = (struct run){.number = number, .launch = at->launch, .cta = at->id, .start = now};
	if (k->init)
		bits_put(check_shared_init(k, s->id), at->shared_first, at->shared_first + at->shared_size, back);
	FOR_EACH_BIT(w, k->lanes ? at->warps : 0)
	{
		const u32 place = sm_warp_base(at) + (u32)w;
		memset(check_lanes_at(k, s->id, front_warp(x->front, s->id, place)), 0, sizeof(struct lanes));
	}
}

void checks_launch_starts(struct checks *k, u32 launch, u64 now)
{
	k->span[launch].started = now + 1;
}

void checks_launch_ends(struct checks *k, u32 launch, u64 now)
{
	k->span[launch].ended = now + 1;
}

/* --- answers ------------------------------------------------------------------------------------------------------ */

const struct check_finding *checks_findings(const struct checks *k, u32 *n, u64 *lost)
{
	*n = k ? k->st->nfound : 0;
	*lost = k ? k->st->lost : 0;
	return k ? k->st->found : NULL;
}

u64 checks_unwatched(const struct checks *k)
{
	return k ? k->st->unwatched : 0;
}
