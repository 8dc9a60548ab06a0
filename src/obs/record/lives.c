#include "obs/record/lives.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "mem/use.h"

/* A request in an SM's miss queue. */
struct asked {
	u64 addr, cycle;
	struct use_who who;
	u8 cache, op, sectors;
	bool open; /* the access that sends it has not been told yet */
};
struct ring {
	u32 head, n;
};
/* Where the parts of the block are, from its start. */
struct layout {
	u32 sms, slices, requests, packets, l1_lines, l2_lines;
	size_t ring, request, packet, l1, l2, bytes;
};
struct lives {
	struct hop_ear ear;
	const struct gpu *g;
	struct layout at;
	u8 *block;
	use_fn *told;
	void *ctx;
};

static size_t take(size_t *bytes, size_t n, size_t size)
{
	const size_t at = *bytes;
	*bytes += (n * size + 15) / 16 * 16;
	return at;
}

static struct layout layout_of(const struct gpu *g)
{
	const struct mem *m = gpu_mem(g);
	const struct conf *c = gpu_conf(g);
	struct cache_shape l1, l2;
	struct layout a = {.sms = c->num_sms, .slices = c->partitions * c->l2_slices};
	mem_use_rooms(m, &a.requests, &a.packets);
	mem_l1d_shape(m, 0, &l1);
	mem_slice_shape(m, 0, &l2);
	a.l1_lines = l1.sets * l1.ways;
	a.l2_lines = l2.sets * l2.ways;
	a.ring = take(&a.bytes, a.sms, sizeof(struct ring));
	a.request = take(&a.bytes, (size_t)a.sms * a.requests, sizeof(struct asked));
	a.packet = take(&a.bytes, a.packets, sizeof(struct use_who));
	a.l1 = take(&a.bytes, (size_t)a.sms * a.l1_lines, sizeof(struct life));
	a.l2 = take(&a.bytes, (size_t)a.slices * a.l2_lines, sizeof(struct life));
	return a;
}

size_t lives_bytes(const struct gpu *g)
{
	return layout_of(g).bytes;
}

static struct life *lives_of_sm(const struct layout *a, const u8 *block, u32 sm)
{
	return (struct life *)(void *)(block + a->l1) + (size_t)sm * a->l1_lines;
}
static struct life *lives_of_slice(const struct layout *a, const u8 *block, u32 slice)
{
	return (struct life *)(void *)(block + a->l2) + (size_t)slice * a->l2_lines;
}

/* --- requests on their way ---------------------------------------------------------------------------------------- */
static struct ring *ring_of(const struct lives *l, u32 sm)
{
	return (struct ring *)(void *)(l->block + l->at.ring) + sm;
}
static struct asked *asked_at(const struct lives *l, u32 sm, u32 i)
{
	return (struct asked *)(void *)(l->block + l->at.request) + (size_t)sm * l->at.requests + i % l->at.requests;
}
static struct use_who *packet_of(const struct lives *l, u32 packet)
{
	return (struct use_who *)(void *)(l->block + l->at.packet) + packet;
}

static void sent(struct lives *l, const struct hop_news *n)
{
	struct ring *r = ring_of(l, n->sm);
	if (r->n == l->at.requests) /* one was not seen leaving */
		r->n = 0;
	*asked_at(l, n->sm, r->head + r->n++) = (struct asked){.addr = n->addr,
	                                                       .cycle = n->cycle,
	                                                       .who = {.sm = (u16)n->sm, .whose = WHOSE_CODE},
	                                                       .cache = n->cache,
	                                                       .op = n->op,
	                                                       .sectors = (u8)n->sectors,
	                                                       .open = true};
}

/* The access that has sent the last ones of the queue. What is written back is not its own. */
static void claim(struct lives *l, const struct use_news *n, const struct use_who *who)
{
	const struct ring *r = ring_of(l, n->sm);
	for (u32 i = r->n; i-- > 0;) {
		struct asked *a = asked_at(l, n->sm, r->head + i);
		if (!a->open || a->cycle != n->cycle)
			return;
		a->open = false;
		if (a->cache == n->cache && a->op == n->op)
			a->who = *who;
	}
}

/* Requests leave in order; with a switch of sectors (noc.switch=islip) sector by sector. */
static void left(struct lives *l, const struct hop_news *n)
{
	struct ring *r = ring_of(l, n->sm);
	struct use_who *to = packet_of(l, n->id);
	*to = (struct use_who){.sm = (u16)n->sm};
	while (r->n) {
		struct asked *a = asked_at(l, n->sm, r->head);
		const bool its = a->addr == n->addr && a->op == n->op && a->cache == n->cache;
		if (its) {
			*to = a->who;
			a->sectors &= (u8)~n->sectors;
		}
		if (its && a->sectors)
			return;
		r->head = (r->head + 1) % l->at.requests;
		r->n--;
		if (its)
			return;
	}
}

/* --- lines -------------------------------------------------------------------------------------------------------- */
static void live(struct life *x, const struct use_news *n, const struct use_who *who)
{
	if (!n->touched || n->place == USE_NOWHERE)
		return;
	if (n->fresh)
		*x = (struct life){.line = n->line + 1, .asked = n->cycle, .filled = NEVER, .by = *who};
	else if (x->line != n->line + 1)
		*x = (struct life){0}; /* it was there before anybody listened */
	else
		x->uses += n->result == USE_HIT || n->result == USE_MERGED;
	x->used = n->cycle;
	if (!n->waits)
		x->filled = MIN(x->filled, n->cycle); /* a store takes its line without reading it */
}

static void filled(struct life *x, u64 cycle)
{
	if (x->line)
		x->filled = MIN(x->filled, cycle);
}

static void used(void *ctx, const struct use_news *n)
{
	struct lives *l = ctx;
	struct use u = {.n = *n};
	if (n->what == USE_ACCESS && n->slice == USE_NOWHERE) {
		u.who = (struct use_who){n->kernel, n->cta, n->pc, (u16)n->sm, n->warp, WHOSE_WARP};
		claim(l, n, &u.who);
		if (n->cache == MC_L1D && n->place != USE_NOWHERE)
			live(&lives_of_sm(&l->at, l->block, n->sm)[n->place], n, &u.who);
	} else if (n->what == USE_ACCESS) {
		u.who = *packet_of(l, n->packet);
		if (u.who.whose == WHOSE_CODE)
			u.who.kernel = n->kernel;
		if (n->place != USE_NOWHERE)
			live(&lives_of_slice(&l->at, l->block, n->slice)[n->place], n, &u.who);
	}
	if (l->told)
		l->told(l->ctx, &u);
}

static void hear(void *ctx, const struct hop_news *n)
{
	struct lives *l = ctx;
	switch (n->what) {
	case NEWS_SEND: sent(l, n); break;
	case NEWS_PACKET: left(l, n); break;
	case NEWS_FILL:
		if (n->cache == MC_L1D && n->at != NEVER)
			filled(&lives_of_sm(&l->at, l->block, n->sm)[n->at], n->cycle);
		break;
	case NEWS_BACK: filled(&lives_of_slice(&l->at, l->block, n->slice)[n->at], n->cycle); break;
	default: break;
	}
}

/* --- the block ---------------------------------------------------------------------------------------------------- */
struct lives *lives_new(struct gpu *g)
{
	struct lives *l = xcalloc(1, sizeof *l);
	l->ear = (struct hop_ear){.fn = hear, .ctx = l, .use = used};
	l->g = g;
	l->at = layout_of(g);
	l->block = xcalloc(1, l->at.bytes);
	return l;
}

void lives_free(struct lives *l)
{
	if (!l)
		return;
	free(l->block);
	free(l);
}

void lives_save(const struct lives *l, void *to)
{
	memcpy(to, l->block, l->at.bytes);
}

void lives_load(struct lives *l, const void *from)
{
	memcpy(l->block, from, l->at.bytes);
}

const struct hop_ear *lives_ear(const struct lives *l)
{
	return &l->ear;
}

void lives_on_use(struct lives *l, use_fn *fn, void *ctx)
{
	l->told = fn;
	l->ctx = ctx;
}

static const struct life *known(const struct life *x, u64 addr)
{
	return x->line == addr + 1 ? x : NULL;
}

const struct life *lives_l1d(const struct gpu *g, const void *block, u32 sm, u32 place, u64 addr)
{
	const struct layout a = layout_of(g);
	return known(&lives_of_sm(&a, block, sm)[place], addr);
}

const struct life *lives_slice(const struct gpu *g, const void *block, u32 slice, u32 place, u64 addr)
{
	const struct layout a = layout_of(g);
	return known(&lives_of_slice(&a, block, slice)[place], addr);
}
