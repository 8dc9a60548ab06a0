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

static u32 what_of(const struct note *n)
{
	return n->pc | (n->warp * WARP_SIZE) << PC_BITS | (n->flags & NOTE_IS_ATOMIC ? ACCESS_ATOMIC : 0) |
	       (n->flags & NOTE_STRONG ? ACCESS_STRONG : 0);
}

static inline struct access access_of(const struct view *v, u32 lane)
{
	return (struct access){.run = v->note->run, .what = v->what | lane << PC_BITS, .time = v->time};
}

/* Do these two never race, ordered or not? Two strong ones do not; of two CTAs (in global memory) one is enough. */
static inline bool excused(const struct view *v, const struct access *a)
{
	const bool here = v->note->flags & NOTE_STRONG, there = a->what & ACCESS_STRONG;
	return a->run == v->note->run ? here && there : here || there;
}

/* Shared memory is of one CTA: what another left there is gone. */
static inline bool there(const struct view *v, const struct access *a)
{
	return v->note->space == SPC_SHARED ? a->run == v->note->run : a->run != 0;
}

static inline bool clashes(struct view *v, const struct access *a, u32 common, u32 lane)
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

static inline void look_at_read(struct view *v, const struct part *p)
{
	const struct cell *c = p->c;
	const u32 common = c->wmask & p->mask;
	if (clashes(v, &c->w, common, p->lane))
		report(v, CHECK_RAW, p, &c->w, common, false);
}

/* Of reads the last is kept, and the last of another warp (with splits: thread), in global memory rather of another CTA
 * whose launch still runs. */
static inline void remember_read(struct view *v, const struct part *p)
{
	struct cell *c = p->c;
	const struct access now = access_of(v, p->lane);
	const u32 shift = PC_BITS + (v->lanes ? 0 : 5);
	if (c->r[0].run == now.run && c->r[0].what == now.what) {
		c->r[0].time = now.time;
		c->rmask[0] |= (u8)p->mask;
		return;
	}
	const struct access *last = &c->r[0], *other = &c->r[1];
	const bool same_cta = last->run == now.run;
	const bool again = same_cta && !((last->what ^ now.what) << 2 >> 2 >> shift);
	const bool keeps = same_cta && v->note->space == SPC_GLOBAL && other->run && other->run != now.run &&
	                   !excused(v, other) && !check_ordered(v, other, p->lane);
	if (!again && !keeps) {
		c->r[1] = c->r[0];
		c->rmask[1] = c->rmask[0];
		c->rmask[0] = 0;
	} else {
		c->rmask[0] = 0;
	}
	c->r[0] = now;
	c->rmask[0] |= (u8)p->mask;
}

static inline bool one_instruction(const struct view *v, const struct access *a)
{
	return a->run == v->note->run && a->time == v->time && ACCESS_PC(a->what) == v->note->pc &&
	       ACCESS_THREAD(a->what) / WARP_SIZE == v->note->warp;
}

static bool same_bytes(const struct view *v, const struct part *p, u32 common)
{
	return v->note->flags & NOTE_VALUES && !(common & ~p->c->known) && !((p->c->value ^ p->value) & bytes_of[common]);
}

static inline void look_at_write(struct view *v, const struct part *p)
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

static inline void remember_write(struct view *v, const struct part *p)
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

static inline void look_at(struct view *v, const struct part *p)
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
	return v->k->shared + v->s->id * v->k->shared_bytes + v->note->shared_first;
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

/* Of a whole cell, as most are. */
static inline bool whole(const struct note *n, u64 first, u32 grain)
{
	return n->bytes == 1u << grain && !(first & (n->bytes - 1u));
}

static void lane_accesses(struct view *v, struct cell *cells, u64 first, u64 base, u32 grain, u32 lane)
{
	const struct note *n = v->note;
	const u32 unit = 1u << grain;
	if (likely(whole(n, first, grain))) {
		struct part p = {.c = &cells[first >> grain], .lane = lane, .mask = (u32)bit_range(unit), .addr = base + first};
		if (n->flags & NOTE_VALUES)
			memcpy(&p.value, n->data + lane * unit, unit);
		look_at(v, &p);
		return;
	}
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

/* Lanes in lock step that read what the lane before them has read are no news. */
static u32 lanes_to_look_at(const struct view *v)
{
	const struct note *n = v->note;
	u32 again = 0;
	if (v->lanes || n->flags & NOTE_WRITE)
		return n->mask;
	for (u32 i = 1; i < WARP_SIZE; i++)
		again |= (u32)(n->addr[i] == n->addr[i - 1]) << i;
	return n->mask & ~(again & n->mask << 1);
}

static void look_for_races(struct view *v)
{
	const struct note *n = v->note;
	const u32 lanes = lanes_to_look_at(v);
	v->what = what_of(n);
	if (n->space == SPC_SHARED) {
		struct cell *cells = shared_cells(v);
		FOR_EACH_BIT(i, lanes)
		lane_accesses(v, cells, n->addr[i], 0, v->cta->grain, (u32)i);
		return;
	}
	u64 page = UINT64_MAX;
	struct cell *cells = NULL;
	FOR_EACH_BIT(i, lanes)
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

/* The first byte of [at, at + n) that is not marked; n: all are. n is 16 at most; the map goes on behind its last bit.
 */
static inline u32 unmarked(const u8 *map, u64 at, u32 n)
{
	u32 bits;
	memcpy(&bits, map + at / 8, sizeof bits);
	const u32 missing = ~(bits >> at % 8) & (u32)bit_range(n);
	return missing ? bit_first(missing) : n;
}

static inline void mark(u8 *map, u64 at, u32 n)
{
	u32 bits;
	memcpy(&bits, map + at / 8, sizeof bits);
	bits |= (u32)bit_range(n) << at % 8;
	memcpy(map + at / 8, &bits, sizeof bits);
}

/* All lanes, side by side, on a multiple of 8: whole bytes of the map. */
static bool dense(const struct note *n)
{
	u64 other = (u64)(n->mask != UINT32_MAX) | n->addr[0] % 8;
	for (u32 i = 1; i < WARP_SIZE; i++)
		other |= n->addr[i] ^ (n->addr[0] + i * n->bytes);
	return !other;
}

static bool all_marked(const u8 *map, u32 n)
{
	u8 all = 0xff;
	for (u32 i = 0; i < n; i++)
		all &= map[i];
	return all == 0xff;
}

/* The machine's own memory, and the heap of malloc(), are not looked at. */
static bool looked_at(const struct view *v, u64 addr)
{
	const struct alloc *a = v->note->space == SPC_SHARED ? NULL : devmem_find(v->k->mem, addr);
	return v->note->space == SPC_SHARED || (a && !a->internal && !devmem_shared(a));
}

/* The map of which bytes are written, and where the note's space begins in it. */
struct init_map {
	u8 *map;
	u64 base, from, limit;
};

static struct init_map map_of(const struct view *v)
{
	const struct checks *k = v->k;
	if (v->note->space == SPC_SHARED)
		return (struct init_map){
		    .map = check_shared_init(k, v->s->id), .from = v->note->shared_first, .limit = k->shared_bytes};
	return (struct init_map){.map = k->mem->init, .base = DEVMEM_BASE, .limit = k->mem->bytes};
}

static void look_for_uninit(struct view *v)
{
	const struct note *n = v->note;
	const struct init_map m = map_of(v);
	const u64 begin = n->addr[0] - m.base + m.from;
	const u32 all = WARP_SIZE * n->bytes;
	const bool side = begin % 8 == 0 && begin < m.limit && m.limit - begin >= all && dense(n);
	if (side && n->flags & NOTE_READ && all_marked(m.map + begin / 8, all / 8))
		return;
	FOR_EACH_BIT(i, n->flags & NOTE_READ ? n->mask : 0)
	{
		const u64 at = n->addr[i] - m.base + m.from;
		const u32 first = at < m.limit && m.limit - at >= n->bytes ? unmarked(m.map, at, n->bytes) : n->bytes;
		const struct finding_args f = {
		    .kind = CHECK_UNINIT, .lane = (u32)i, .bytes = n->bytes, .addr = n->addr[i] + first};
		if (likely(first == n->bytes))
			continue;
		if (looked_at(v, n->addr[i]))
			check_found(v, &f);
		else
			mark(m.map, at, n->bytes); /* not to be looked up again */
	}
	if (side && n->flags & NOTE_WRITE) {
		memset(m.map + begin / 8, 0xff, all / 8);
		return;
	}
	FOR_EACH_BIT(i, n->flags & NOTE_WRITE ? n->mask : 0)
	{
		const u64 at = n->addr[i] - m.base + m.from;
		if (at < m.limit && m.limit - at >= n->bytes)
			mark(m.map, at, n->bytes);
	}
}

void check_access(struct view *v)
{
	if (v->k->init && v->note->mask)
		look_for_uninit(v);
	if (v->k->races && v->note->pc < 1u << PC_BITS)
		look_for_races(v);
}
