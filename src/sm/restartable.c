#include "sm/restartable.h"

#include <stdlib.h>
#include <string.h>

#include "conf/virtual.h"
#include "sm/internal.h"

#define BLOCK 32u              /* bytes of device memory that an entry stands for: a bit each */
#define LOG_FIRST 6            /* a table begins with this many entries (log2) */
#define POINTS 4096u           /* places in programs at which it happened, kept; a power of two */
#define STORED_MAX 512         /* runs of bytes stored by an SM in one cycle: 8 instructions x 32 lanes x 2 blocks */
#define COME_MAX 64            /* points that an SM comes to in one cycle: 8 instructions, each of two at most */
#define SPANS (2u * WARP_SIZE) /* of an instruction */

const char *const restart_cause_names[RESTART_CAUSES] = {"overwrite", "atomic", "printf", "unknown"};

/* Bytes of one block: bit i of mask = byte i. */
struct span {
	u32 block; /* number + 1: 0 = free */
	u32 mask;
};
struct stored {
	struct span bytes;
	u32 pc;
	u8 slot, warp, pad[2];
	u64 before;
};
/* A point that a CTA came to in this cycle. */
struct come {
	u32 launch, pc;
	u8 cause, first, pad[2];
};
struct restart_sm {                           /* arena */
	struct restart_cta cta[FRONT_CTA_PLACES]; /* as the front end has them (front_slot()): a CTA keeps its record when
	                                             it leaves its slot and comes back (cta-virtual=vt) */
	u32 ncome, pad2;
	struct come come[COME_MAX];
	u64 stored_at; /* the cycle of these stores, which take effect at its end */
	u32 nstored, pad;
	struct stored stored[STORED_MAX];
};
struct restart_state { /* arena */
	u64 points_lost;
	u32 npoints, pad;
	struct restart_point point[POINTS];
};
struct restart { /* the host's: constant */
	const struct devmem *mem;
	const struct front *front;
	u32 nctas, log_max;
	struct restart_sm *sm;
	struct restart_launch *launch;
	struct restart_state *state;
	/* Two times 2^log_max entries for every CTA slot: a table of n entries is at [n, 2n) of them. */
	struct span *tables;
};

/* --- build -------------------------------------------------------------------------------------------------------- */

static u32 log_max(const struct conf *c)
{
	return log2_floor(c->idem_kb * 1024ull / 2 / sizeof(struct span));
}

_Static_assert(VIRTUAL_CTA_PLACES == FRONT_CTA_PLACES, "conf.c counts as many");
u32 restart_tables(const struct conf *c)
{
	return conf_is_vt(c) ? FRONT_CTA_PLACES : c->sm_ctas;
}

static size_t table_entries(const struct conf *c)
{
	return ((size_t)c->num_sms * restart_tables(c) * 2) << log_max(c);
}

size_t restart_state_bytes(const struct conf *c, u32 launches)
{
	if (!c->idem_track)
		return 0;
	return table_entries(c) * sizeof(struct span) + c->num_sms * sizeof(struct restart_sm) +
	       launches * sizeof(struct restart_launch) + sizeof(struct restart_state) + 65536;
}

struct restart *restart_create(const struct conf *c, u32 launches, struct arena *a, const struct devmem *mem,
                               const struct front *front)
{
	if (!c->idem_track)
		return NULL;
	struct restart *r = xcalloc(1, sizeof *r);
	r->mem = mem;
	r->front = front;
	r->nctas = restart_tables(c);
	r->log_max = log_max(c);
	r->sm = ARENA_NEW(a, struct restart_sm, c->num_sms);
	r->state = ARENA_NEW(a, struct restart_state, 1);
	r->launch = ARENA_NEW(a, struct restart_launch, launches);
	r->tables = ARENA_NEW(a, struct span, table_entries(c));
	return r;
}

void restart_free(struct restart *r)
{
	free(r);
}

/* The record of a CTA, by the place that the SM has it in. */
static struct restart_cta *record(const struct restart *r, u32 sm, u32 place)
{
	return &r->sm[sm].cta[front_slot(r->front, sm, place)];
}

/* --- the bytes that a CTA has read -------------------------------------------------------------------------------- */

static struct span *table_of(const struct restart *r, u32 sm, u32 slot, u32 log)
{
	return r->tables + (((size_t)sm * r->nctas + front_slot(r->front, sm, slot)) << (r->log_max + 1)) +
	       ((size_t)1 << log);
}

/* The block's entry, or the free one where it belongs. */
static struct span *find(struct span *t, u32 log, u32 block)
{
	u32 mask = (1u << log) - 1, at = (block * 0x9e3779b1u) >> (32 - log);
	while (t[at].block && t[at].block != block)
		at = (at + 1) & mask;
	return &t[at];
}

static void clear(struct span *t, u32 log)
{
	memset(t, 0, sizeof *t << log);
}

static struct span *grow(const struct restart *r, u32 sm, u32 slot, struct restart_cta *c)
{
	struct span *from = table_of(r, sm, slot, c->log_blocks);
	struct span *to = table_of(r, sm, slot, ++c->log_blocks);
	clear(to, c->log_blocks);
	for (u32 i = 0; i < 1u << (c->log_blocks - 1); i++)
		if (from[i].block)
			*find(to, c->log_blocks, from[i].block) = from[i];
	return to;
}

/* Records bytes as read. False when there is no room for them. */
static bool add(const struct restart *r, u32 sm, u32 slot, struct restart_cta *c, struct span read)
{
	struct span *t = table_of(r, sm, slot, c->log_blocks);
	struct span *e = find(t, c->log_blocks, read.block);
	if (!e->block) {
		if (c->blocks >= (3u << c->log_blocks) / 4) {
			if (c->log_blocks == r->log_max)
				return false;
			t = grow(r, sm, slot, c);
			e = find(t, c->log_blocks, read.block);
		}
		e->block = read.block;
		c->blocks++;
	}
	e->mask |= read.mask;
	return true;
}

/* Of the bytes, those that the CTA has read. */
static u32 has_read(const struct restart *r, u32 sm, u32 slot, const struct restart_cta *c, struct span s)
{
	return find(table_of(r, sm, slot, c->log_blocks), c->log_blocks, s.block)->mask & s.mask;
}

/* --- the bytes of an instruction ---------------------------------------------------------------------------------- */

/* Is a lane of a generic access in global memory? The others' addresses are offsets in shared memory, or places in the
 * allocation of local memory by now. */
static bool is_global(const struct restart *r, u64 addr, const struct alloc **last)
{
	if (addr < DEVMEM_BASE)
		return false;
	if (!*last || addr - (*last)->addr >= (*last)->size)
		*last = devmem_find(r->mem, addr);
	return !*last || !(*last)->scratch;
}

static u32 add_span(struct span *out, u32 n, u64 addr, u32 bytes)
{
	u64 off = addr - DEVMEM_BASE;
	u32 block = (u32)(off / BLOCK) + 1, mask = (u32)(bit_range(bytes) << off % BLOCK);
	if (n && out[n - 1].block == block) {
		out[n - 1].mask |= mask;
		return n;
	}
	out[n] = (struct span){block, mask};
	return n + 1;
}

/* The bytes of global memory that the lanes access; neighbours in one block together. */
static u32 spans_of(const struct restart *r, const struct dyninst *d, struct span out[SPANS])
{
	bool generic = d->in->space == SPC_GENERIC;
	const struct alloc *last = NULL;
	u32 n = 0;
	FOR_EACH_BIT(lane, d->mask)
	{
		u64 a = d->addr[lane];
		u32 here = MIN((u32)d->bytes, BLOCK - (u32)(a % BLOCK));
		if (generic && !is_global(r, a, &last))
			continue;
		n = add_span(out, n, a, here);
		if (unlikely(here < d->bytes))
			n = add_span(out, n, a + here, d->bytes - here);
	}
	return n;
}

static u64 first_byte(struct span s)
{
	return DEVMEM_BASE + (u64)(s.block - 1) * BLOCK + bit_first(s.mask);
}

/* --- what happens ------------------------------------------------------------------------------------------------- */

static struct restart_point *point_at(struct restart_state *st, u64 code, u32 entry, u32 pc, u32 cause)
{
	u32 at = ((u32)code ^ entry * 31 ^ pc * 0x9e3779b1u ^ cause << 7) & (POINTS - 1);
	for (struct restart_point *p; (p = &st->point[at])->code; at = (at + 1) & (POINTS - 1))
		if (p->code == code && p->entry == entry && p->pc == pc && p->cause == cause)
			return p;
	if (st->npoints == POINTS * 3 / 4)
		return NULL;
	st->npoints++;
	st->point[at] = (struct restart_point){.code = code, .entry = entry, .pc = pc, .cause = cause};
	return &st->point[at];
}

/* What makes a CTA no longer restartable, or would if it were. */
struct happening {
	enum restart_cause cause;
	u32 slot, warp, pc;
	u64 addr, before;
};

static void count_point(struct sm_ctx *x, const struct come *c)
{
	const struct launch *l = x->prog[c->launch].launch;
	struct restart_state *st = x->restart->state;
	struct restart_point *p = point_at(st, l->mod->code_base, l->fn->entry, c->pc, c->cause);
	if (!p) {
		st->points_lost++;
		return;
	}
	p->times++;
	p->firsts += c->first;
}

void restart_gather(struct sm_ctx *x, const struct sm *s)
{
	struct restart_sm *m = &x->restart->sm[s->id];
	for (u32 i = 0; i < m->ncome; i++)
		count_point(x, &m->come[i]);
	m->ncome = 0;
}

static void come_to(struct sm_ctx *x, const struct sm *s, const struct happening *h, bool first)
{
	struct restart_sm *m = &x->restart->sm[s->id];
	BUG_ON(m->ncome == COME_MAX);
	m->come[m->ncome++] =
	    (struct come){.launch = s->cta[h->slot].launch, .pc = h->pc, .cause = (u8)h->cause, .first = (u8)first};
}

static void tell(struct sm_ctx *x, const struct sm *s, const struct happening *h, u64 now)
{
	struct event *e = sm_event(x, s, EV_CTA_NONIDEMPOTENT, (s32)h->warp, now);
	e->pc = h->pc;
	e->arg[0] = h->cause;
	e->arg[1] = h->addr;
	e->arg[2] = h->before;
	e->arg[3] = h->pc;
}

static void happen(struct sm_ctx *x, const struct sm *s, const struct happening *h, u64 now)
{
	struct restart_cta *c = record(x->restart, s->id, h->slot);
	bool first = !c->causes;
	if (h->cause != RESTART_LOST)
		come_to(x, s, h, first);
	c->causes |= (u8)BIT(h->cause);
	if (!first)
		return;
	c->first = (u8)h->cause;
	c->first_pc = h->pc;
	c->first_addr = h->addr;
	c->first_at = now;
	c->before = h->before;
	if (event_wanted(x->ev, EV_CTA_NONIDEMPOTENT))
		tell(x, s, h, now);
}

/* A load meets bytes that another warp has stored in the same cycle: it has read what they overwrite. */
static void meet_stored(struct sm_ctx *x, const struct sm *s, u32 slot, struct span read, u64 now)
{
	struct restart_sm *m = &x->restart->sm[s->id];
	for (u32 i = 0; i < m->nstored; i++) {
		const struct stored t = m->stored[i];
		u32 both = t.bytes.block == read.block && t.slot == slot ? t.bytes.mask & read.mask : 0;
		if (!both)
			continue;
		happen(x, s,
		       &(struct happening){.cause = RESTART_OVERWRITE,
		                           .slot = slot,
		                           .warp = t.warp,
		                           .pc = t.pc,
		                           .addr = first_byte((struct span){t.bytes.block, both}),
		                           .before = t.before},
		       now);
		for (u32 k = 0; k < m->nstored; k++) /* the instruction is on record now */
			if (m->stored[k].warp == t.warp)
				m->stored[k].bytes.mask = 0;
	}
}

static void read_bytes(struct sm_ctx *x, const struct sm *s, struct happening *h, const struct span *b, u32 n, u64 now)
{
	struct restart_sm *m = &x->restart->sm[s->id];
	struct restart_cta *c = record(x->restart, s->id, h->slot);
	bool same_cycle = m->nstored && m->stored_at == now;
	for (u32 i = 0; i < n; i++) {
		if (unlikely(same_cycle))
			meet_stored(x, s, h->slot, b[i], now);
		if (likely(add(x->restart, s->id, h->slot, c, b[i])) || c->causes & BIT(RESTART_LOST))
			continue;
		h->cause = RESTART_LOST;
		h->addr = first_byte(b[i]);
		happen(x, s, h, now);
	}
}

/* The lowest of the bytes that had been read; 0 = none. */
static u64 overwritten(const struct sm_ctx *x, const struct sm *s, u32 slot, const struct span *b, u32 n)
{
	const struct restart_cta *c = record(x->restart, s->id, slot);
	for (u32 i = 0; i < n; i++) {
		u32 hit = has_read(x->restart, s->id, slot, c, b[i]);
		if (hit)
			return first_byte((struct span){b[i].block, hit});
	}
	return 0;
}

static void write_bytes(struct sm_ctx *x, const struct sm *s, struct happening *h, const struct span *b, u32 n, u64 now)
{
	struct restart_sm *m = &x->restart->sm[s->id];
	h->cause = RESTART_OVERWRITE;
	h->addr = overwritten(x, s, h->slot, b, n);
	if (h->addr) {
		happen(x, s, h, now);
		return;
	}
	if (m->stored_at != now)
		m->nstored = 0;
	m->stored_at = now;
	BUG_ON(m->nstored + n > STORED_MAX);
	for (u32 i = 0; i < n; i++)
		m->stored[m->nstored++] =
		    (struct stored){.bytes = b[i], .pc = h->pc, .slot = (u8)h->slot, .warp = (u8)h->warp, .before = h->before};
}

static void access_memory(struct sm_ctx *x, const struct sm *s, struct happening *h, const struct dyninst *d, u64 now)
{
	struct span bytes[SPANS];
	u32 n = spans_of(x->restart, d, bytes);
	if (n && d->atomic) {
		h->cause = RESTART_ATOMIC;
		h->addr = first_byte(bytes[0]);
		happen(x, s, h, now);
	}
	if (d->store && !d->atomic)
		write_bytes(x, s, h, bytes, n, now);
	else
		read_bytes(x, s, h, bytes, n, now);
}

static bool accesses_global(const struct inst *in)
{
	bool memory = inst_is_load(in) || inst_is_store(in) || in->op == OP_ATOM || in->op == OP_RED;
	return memory && (in->space == SPC_GLOBAL || in->space == SPC_GENERIC);
}

void restart_issue(struct sm_ctx *x, const struct sm *s, u32 w, const struct dyninst *d, u64 now)
{
	u32 slot = s->warp[w].cta_slot;
	struct happening h = {
	    .slot = slot, .warp = w, .pc = d->pc, .before = s->cta[slot].insts - s->cta[slot].insts_dropped - 1};
	if (!d->mask)
		return;
	const struct program *p = &x->prog[s->cta[slot].launch];
	if (p->notice && p->notice[d->pc])
		record(x->restart, s->id, slot)->noticed = 1;
	if (accesses_global(d->in)) {
		access_memory(x, s, &h, d, now);
	} else if (d->in->op == OP_CALL && d->in->flags & IF_VPRINTF) {
		h.cause = RESTART_PRINT;
		happen(x, s, &h, now);
	}
}

/* --- CTAs --------------------------------------------------------------------------------------------------------- */

void restart_cta_start(struct sm_ctx *x, const struct sm *s, u32 slot, u64 now)
{
	struct restart_sm *m = &x->restart->sm[s->id];
	clear(table_of(x->restart, s->id, slot, LOG_FIRST), LOG_FIRST);
	*record(x->restart, s->id, slot) = (struct restart_cta){.log_blocks = LOG_FIRST, .started_at = now};
	for (u32 i = 0; i < m->nstored; i++) /* of the one that was here before */
		if (m->stored[i].slot == slot)
			m->stored[i].bytes.mask = 0;
}

void restart_cta_end(struct sm_ctx *x, const struct sm *s, u32 slot, u64 now)
{
	const struct restart_cta *c = record(x->restart, s->id, slot);
	const struct cta *t = &s->cta[slot];
	struct restart_launch *l = &x->restart->launch[t->launch];
	bool clean = !c->causes;
	l->ended++;
	l->idempotent += clean;
	for (u32 i = 0; i < RESTART_LOST; i++)
		l->with[i] += c->causes >> i & 1;
	l->with[RESTART_LOST] += c->causes == BIT(RESTART_LOST);
	l->most_blocks = MAX(l->most_blocks, (u64)c->blocks);
	l->unnoticed += (c->causes & ~BIT(RESTART_LOST)) && x->prog[t->launch].notice && !c->noticed;
	if (!clean && c->first == RESTART_LOST)
		return;
	u64 insts = t->insts - t->insts_dropped, before = clean ? insts : c->before;
	l->measured++;
	l->insts += insts;
	l->before += before;
	l->insts_share += insts ? (double)before / (double)insts : 1;
	l->time_share += clean ? 1 : (double)(c->first_at - c->started_at) / (double)(now - c->started_at);
}

u64 restart_cta_save(const struct restart *r, u32 sm, u32 slot, u8 *out)
{
	const struct restart_cta *c = record(r, sm, slot);
	const u64 table = sizeof(struct span) << c->log_blocks;
	if (out) {
		memcpy(out, c, sizeof *c);
		memcpy(out + sizeof *c, table_of(r, sm, slot, c->log_blocks), table);
	}
	return sizeof *c + table;
}

void restart_cta_restore(struct restart *r, u32 sm, u32 slot, const u8 *saved)
{
	struct restart_cta *c = record(r, sm, slot);
	memcpy(c, saved, sizeof *c);
	memcpy(table_of(r, sm, slot, c->log_blocks), saved + sizeof *c, sizeof(struct span) << c->log_blocks);
}

/* --- answers ------------------------------------------------------------------------------------------------------ */

bool restart_noticed(const struct sm_ctx *x, const struct sm *s, u32 slot)
{
	return !x->restart || !x->prog[s->cta[slot].launch].notice || record(x->restart, s->id, slot)->noticed;
}

bool restart_possible(const struct restart *r, u32 sm, u32 slot)
{
	return r && !record(r, sm, slot)->causes;
}

const struct restart_cta *restart_cta(const struct restart *r, u32 sm, u32 slot)
{
	return r ? record(r, sm, slot) : NULL;
}

const struct restart_launch *restart_launch(const struct restart *r, u32 launch)
{
	return r ? &r->launch[launch] : NULL;
}

const struct restart_point *restart_points(const struct restart *r, u32 *n, u64 *lost)
{
	*n = r ? POINTS : 0;
	*lost = r ? r->state->points_lost : 0;
	return r ? r->state->point : NULL;
}
