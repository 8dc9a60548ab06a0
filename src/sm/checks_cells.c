/* What each word remembers: its last write, and two reads. */
#include <string.h>

#include "base/bits.h"
#include "sm/checks_impl.h"

/* One lane's part of a word. */
struct part {
	struct cell *c;
	u32 lane, mask; /* mask: bytes of the cell */
	u32 value;      /* written, where known */
	u64 addr;       /* of the cell */
};

static const u32 bytes_of[16] = {0,          0xff,       0xff00,     0xffff,     0xff0000,   0xff00ff,
                                 0xffff00,   0xffffff,   0xff000000, 0xff0000ff, 0xff00ff00, 0xff00ffff,
                                 0xffff0000, 0xffff00ff, 0xffffff00, 0xffffffff};

static struct access access_of(const struct view *v, u32 lane)
{
	const struct note *n = v->note;
	return (struct access){.run = n->run,
	                       .what = n->pc | (n->warp * WARP_SIZE + lane) << PC_BITS |
	                               (n->flags & NOTE_IS_ATOMIC ? ACCESS_ATOMIC : 0) |
	                               (n->flags & NOTE_STRONG ? ACCESS_STRONG : 0),
	                       .time = v->time};
}

/* Do these two never race, ordered or not? Two strong ones do not; of two CTAs (in global memory) one is enough. */
static bool excused(const struct view *v, const struct access *a)
{
	const bool here = v->note->flags & NOTE_STRONG, there = a->what & ACCESS_STRONG;
	return a->run == v->note->run ? here && there : here || there;
}

/* Shared memory is of one CTA: what another left there is gone. */
static bool there(const struct view *v, const struct access *a)
{
	return v->note->space == SPC_SHARED ? a->run == v->note->run : a->run != 0;
}

static bool clashes(struct view *v, const struct access *a, u32 common, u32 lane)
{
	return common && there(v, a) && !excused(v, a) && !check_ordered(v, a, lane);
}

static void report(struct view *v, enum check_kind kind, const struct part *p, const struct access *a, u32 common,
                   bool same)
{
	check_found(v, &(struct finding_args){.kind = kind,
	                                      .same = same,
	                                      .lane = p->lane,
	                                      .bytes = bit_count32(common),
	                                      .addr = p->addr + bit_first(common),
	                                      .first = a,
	                                      .first_stores = kind != CHECK_WAR});
}

static void look_at_read(struct view *v, const struct part *p)
{
	const struct cell *c = p->c;
	const u32 common = c->wmask & p->mask;
	if (clashes(v, &c->w, common, p->lane))
		report(v, CHECK_RAW, p, &c->w, common, false);
}

/* Of reads the last is kept, and the last of another warp (with splits: thread), in global memory rather of another CTA
 * whose launch still runs. */
static void remember_read(struct view *v, const struct part *p)
{
	struct cell *c = p->c;
	const struct access now = access_of(v, p->lane);
	const u32 shift = PC_BITS + (v->lanes ? 0 : 5);
	const struct access *last = &c->r[0], *other = &c->r[1];
	const bool same_cta = last->run == now.run;
	const bool again = same_cta && !((last->what ^ now.what) << 2 >> 2 >> shift);
	const bool keeps = same_cta && v->note->space == SPC_GLOBAL && other->run && other->run != now.run &&
	                   !excused(v, other) && !check_ordered(v, other, p->lane);
	if (!again && !keeps) {
		c->r[1] = c->r[0];
		c->rmask[1] = c->rmask[0];
		c->rmask[0] = 0;
	} else if (last->what != now.what) {
		c->rmask[0] = 0;
	}
	c->r[0] = now;
	c->rmask[0] |= (u8)p->mask;
}

static bool one_instruction(const struct view *v, const struct access *a)
{
	return a->run == v->note->run && a->time == v->time && ACCESS_PC(a->what) == v->note->pc &&
	       ACCESS_THREAD(a->what) / WARP_SIZE == v->note->warp;
}

static bool same_bytes(const struct view *v, const struct part *p, u32 common)
{
	return v->note->flags & NOTE_VALUES && !(common & ~p->c->known) && !((p->c->value ^ p->value) & bytes_of[common]);
}

static void look_at_write(struct view *v, const struct part *p)
{
	const struct cell *c = p->c;
	const u32 common = c->wmask & p->mask;
	if (common && there(v, &c->w) && one_instruction(v, &c->w)) {
		if (!excused(v, &c->w) && ACCESS_THREAD(c->w.what) % WARP_SIZE != p->lane)
			report(v, CHECK_LANES, p, &c->w, common, same_bytes(v, p, common));
	} else if (clashes(v, &c->w, common, p->lane)) {
		report(v, CHECK_WAW, p, &c->w, common, same_bytes(v, p, common));
	}
	for (u32 i = 0; i < 2; i++) {
		const u32 both = c->rmask[i] & p->mask;
		if (clashes(v, &c->r[i], both, p->lane))
			report(v, CHECK_WAR, p, &c->r[i], both, false);
	}
}

static void remember_write(struct view *v, const struct part *p)
{
	struct cell *c = p->c;
	const struct access now = access_of(v, p->lane);
	const bool goes_on = c->w.run == now.run && c->w.what == now.what && c->w.time == now.time;
	const u32 known = v->note->flags & NOTE_VALUES ? p->mask : 0;
	c->wmask = (u8)((goes_on ? c->wmask : 0) | p->mask);
	c->known = (u8)((c->known & ~p->mask) | known);
	c->value = (c->value & ~bytes_of[p->mask]) | (p->value & bytes_of[p->mask]);
	c->w = now;
	for (u32 i = 0; i < 2; i++)
		c->rmask[i] &= (u8)~p->mask;
}

static void look_at(struct view *v, const struct part *p)
{
	const u32 flags = v->note->flags;
	if (flags & NOTE_WRITE) {
		look_at_write(v, p);
		remember_write(v, p);
	} else {
		look_at_read(v, p);
		remember_read(v, p);
	}
}

/* --- where a cell is ---------------------------------------------------------------------------------------------- */

static struct cell *shared_cells(const struct view *v)
{
	return v->k->shared + v->s->id * v->k->shared_bytes + v->s->cta[v->note->slot].shared_first;
}

/* NULL: there is no room for another page. */
static struct cell *global_cells(const struct view *v, u64 page)
{
	struct checks *k = v->k;
	struct check_state *st = k->st;
	if (!k->page_of[page]) {
		if (st->pages == k->max_pages) {
			st->unwatched++;
			return NULL;
		}
		k->page_of[page] = (u32)++st->pages;
		arena_reach_to(k->arena, &k->page[st->pages]);
	}
	return k->page[k->page_of[page] - 1].cell;
}

static void lane_accesses(struct view *v, struct cell *cells, u64 first, u64 base, u32 grain, u32 lane)
{
	const struct note *n = v->note;
	const u32 unit = 1u << grain;
	for (u32 at = 0; at < n->bytes;) {
		const u64 byte = first + at;
		const u32 off = (u32)byte & (unit - 1), len = MIN(unit - off, n->bytes - at);
		struct part p = {.c = &cells[byte >> grain],
		                 .lane = lane,
		                 .mask = (u32)bit_range(len) << off,
		                 .addr = base + (byte & ~(u64)(unit - 1))};
		if (n->flags & NOTE_VALUES) {
			memcpy(&p.value, n->data + lane * n->bytes + at, len);
			p.value <<= 8 * off;
		}
		look_at(v, &p);
		at += len;
	}
}

static void look_for_races(struct view *v)
{
	const struct note *n = v->note;
	if (n->space == SPC_SHARED) {
		struct cell *cells = shared_cells(v);
		FOR_EACH_BIT(i, n->mask)
		lane_accesses(v, cells, n->addr[i], 0, v->cta->grain, (u32)i);
		return;
	}
	u64 page = UINT64_MAX;
	struct cell *cells = NULL;
	FOR_EACH_BIT(i, n->mask)
	{
		const u64 off = n->addr[i] - DEVMEM_BASE;
		if (off >= v->k->mem->bytes)
			continue;
		if (off / CELL_PAGE != page) {
			page = off / CELL_PAGE;
			cells = global_cells(v, page);
		}
		if (cells)
			lane_accesses(v, cells, off % CELL_PAGE, DEVMEM_BASE + page * CELL_PAGE, GLOBAL_GRAIN, (u32)i);
	}
}

/* --- what nobody has written -------------------------------------------------------------------------------------- */

/* The first byte of [at, at + n) that is not marked; n: all are. */
static u32 unmarked(const u8 *map, u64 at, u32 n)
{
	u32 bits = 0;
	memcpy(&bits, map + at / 8, (at % 8 + n + 7) / 8);
	const u32 missing = ~(bits >> at % 8) & (u32)bit_range(n);
	return missing ? bit_first(missing) : n;
}

static void mark(u8 *map, u64 at, u32 n)
{
	u32 bits = 0;
	const size_t bytes = (at % 8 + n + 7) / 8;
	memcpy(&bits, map + at / 8, bytes);
	bits |= (u32)bit_range(n) << at % 8;
	memcpy(map + at / 8, &bits, bytes);
}

/* The machine's own memory, and the heap of malloc(), are not looked at. */
static bool looked_at(const struct view *v, u64 addr)
{
	const struct alloc *a = v->note->space == SPC_SHARED ? NULL : devmem_find(v->k->mem, addr);
	return v->note->space == SPC_SHARED || (a && !a->internal && !devmem_shared(a));
}

static void look_for_uninit(struct view *v)
{
	const struct note *n = v->note;
	const bool shared = n->space == SPC_SHARED;
	u8 *map = shared ? v->k->shared_init + v->s->id * (v->k->shared_bytes / 8 + 1) : v->k->mem->init;
	const u64 base = shared ? 0 : DEVMEM_BASE, from = shared ? v->s->cta[n->slot].shared_first : 0;
	const u64 limit = shared ? v->k->shared_bytes : v->k->mem->bytes;
	FOR_EACH_BIT(i, n->mask)
	{
		const u64 at = n->addr[i] - base + from;
		if (at >= limit || limit - at < n->bytes)
			continue;
		const u32 first = n->flags & NOTE_READ ? unmarked(map, at, n->bytes) : n->bytes;
		if (first == n->bytes)
			continue;
		const struct finding_args f = {
		    .kind = CHECK_UNINIT, .lane = (u32)i, .bytes = n->bytes, .addr = n->addr[i] + first};
		if (looked_at(v, n->addr[i]))
			check_found(v, &f);
		else
			mark(map, at, n->bytes); /* not to be looked up again */
	}
	FOR_EACH_BIT(i, n->flags & NOTE_WRITE ? n->mask : 0)
	{
		const u64 at = n->addr[i] - base + from;
		if (at < limit && limit - at >= n->bytes)
			mark(map, at, n->bytes);
	}
}

void check_access(struct view *v)
{
	if (v->k->init && v->note->mask)
		look_for_uninit(v);
	if (v->k->races && v->note->pc < 1u << PC_BITS)
		look_for_races(v);
}
