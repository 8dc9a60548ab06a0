#include "mem/use.h"

#include "mem/impl.h"

static bool wanted(const struct mem *m)
{
	return m->ear && m->ear->use;
}

static void look_at(const struct tags *t, const struct cache_counters *cc, struct use_look *out)
{
	out->stamp = *t->stamp;
	out->hits = cc->hits;
	out->misses = cc->misses;
	out->merges = cc->merges;
}

static enum use_result result_of(const struct cache_counters *cc, const struct use_look *before)
{
	return cc->hits != before->hits       ? USE_HIT
	       : cc->misses != before->misses ? USE_MISS
	       : cc->merges != before->merges ? USE_MERGED
	                                      : USE_PASSED;
}

/* What became of the line, which is at index i now. */
static void became(const struct tags *t, u32 i, const struct use_look *before, struct use_news *n)
{
	n->place = i == TAGS_NONE ? USE_NOWHERE : tags_number(t, i);
	n->touched = i != TAGS_NONE && *t->stamp != before->stamp;
	n->fresh = n->touched && before->absent;
	n->waits = n->touched && t->line[i].pending;
}

/* --- an SM's caches ----------------------------------------------------------------------------------------------- */
static u32 find_l1(const struct l1 *l, u64 line)
{
	return tags_find(&l->tags, tags_set(&l->tags, line >> l->tags.line_shift), line);
}

void use_look(const struct mem *m, u32 sm, enum mem_cache c, u64 addr, struct use_look *out)
{
	const struct l1 *l = &m->l1[sm * MC_COUNT + c];
	*out = (struct use_look){0};
	if (!wanted(m))
		return;
	look_at(&l->tags, l->cc, out);
	out->absent = find_l1(l, tags_line_of(&l->tags, addr)) == TAGS_NONE;
}

/* Sectors that a store leaves in a cache that keeps it. */
static u8 kept(const struct l1 *l, u32 i, const struct mem_txn *t)
{
	return i == TAGS_NONE ? 0 : t->sectors & l->tags.line[i].valid;
}

void use_tell(const struct mem *m, u32 sm, enum mem_cache c, enum mem_op op, const struct mem_txn *t,
              const struct use_look *before, struct use_news *n)
{
	const struct l1 *l = &m->l1[sm * MC_COUNT + c];
	if (!wanted(m))
		return;
	const u64 line = tags_line_of(&l->tags, t->addr);
	const u32 i = find_l1(l, line);
	const bool store = op == MO_STORE || op == MO_LOCAL_STORE;
	n->line = line;
	n->what = USE_ACCESS;
	n->result = result_of(l->cc, before);
	n->sm = sm;
	n->slice = USE_NOWHERE;
	n->cache = (u8)c;
	n->op = (u8)op;
	n->need = l->sectored ? t->sectors : l->tags.full;
	n->have = store ? kept(l, i, t) : n->need;
	became(&l->tags, i, before, n);
	m->ear->use(m->ear->ctx, n);
}

void use_tell_gone(const struct mem *m, u32 sm, u64 line, u8 sectors, u64 now)
{
	if (wanted(m) && sectors)
		m->ear->use(m->ear->ctx, &(struct use_news){.cycle = now,
		                                            .line = line,
		                                            .what = USE_GONE,
		                                            .sm = sm,
		                                            .slice = USE_NOWHERE,
		                                            .cache = MC_L1D,
		                                            .have = sectors});
}

void use_tell_emptied(const struct mem *m, u32 sm)
{
	if (wanted(m))
		m->ear->use(m->ear->ctx,
		            &(struct use_news){.what = USE_EMPTIED, .sm = sm, .slice = USE_NOWHERE, .cache = MC_L1D});
}

/* --- L2 ----------------------------------------------------------------------------------------------------------- */
void use_look_slice(const struct mem *m, u32 slice, u32 packet, struct use_look *out)
{
	const struct packet *p = &m->packet[packet];
	*out = (struct use_look){.addr = p->addr,
	                         .packet = packet,
	                         .set = p->set,
	                         .kernel = p->launch,
	                         .sm = p->sm,
	                         .cache = p->cache,
	                         .op = p->op,
	                         .need = p->need,
	                         .partial = p->partial};
	const struct tags *t = &m->slice[slice].tags;
	look_at(t, m->slice[slice].cc, out);
	out->absent = tags_find(t, p->set, tags_line_of(t, p->addr)) == TAGS_NONE;
}

static bool is_write(u32 op)
{
	return op == MO_STORE || op == MO_LOCAL_STORE || op == OP_WRITEBACK;
}

/* Which sectors a request of L2 needs for a hit, and leaves there: as l2.c serves it. */
static void sectors_of(const struct mem *m, const struct tags *t, const struct use_look *x, struct use_news *n)
{
	const bool fetches = n->result == USE_MISS;
	n->need = n->have = x->need;
	if (!is_write(x->op)) {
		if (fetches && m->c.coalesce != COALESCE_SECTOR32)
			n->have = t->full;
	} else if (m->c.l2_write_miss == WRITE_MISS_FETCH) {
		if (fetches)
			n->have = t->full;
	} else {
		n->need = 0;
		n->have = x->partial ? 0 : x->need;
	}
}

void use_tell_slice(const struct mem *m, u32 slice, const struct use_look *x, u64 now)
{
	const struct slice *s = &m->slice[slice];
	if (!wanted(m))
		return;
	struct use_news n = {.cycle = now,
	                     .line = tags_line_of(&s->tags, x->addr),
	                     .what = USE_ACCESS,
	                     .result = result_of(s->cc, x),
	                     .sm = x->sm,
	                     .slice = slice,
	                     .packet = x->packet,
	                     .kernel = x->kernel,
	                     .cache = x->cache,
	                     .op = x->op};
	const u32 i = tags_find(&s->tags, x->set, n.line);
	became(&s->tags, i, x, &n);
	sectors_of(m, &s->tags, x, &n);
	m->ear->use(m->ear->ctx, &n);
}

/* --- questions ---------------------------------------------------------------------------------------------------- */
void mem_use_rooms(const struct mem *m, u32 *requests, u32 *packets)
{
	*requests = m->missq_size;
	*packets = m->npackets;
}

u32 mem_l1d_place(const struct mem *m, u32 sm, u64 line)
{
	const struct l1 *l = &m->l1[sm * MC_COUNT + MC_L1D];
	const u32 i = find_l1(l, line);
	return i == TAGS_NONE ? USE_NOWHERE : tags_number(&l->tags, i);
}

static struct cache_shape shape_of(const struct tags *t)
{
	return (struct cache_shape){
	    .sets = t->sets, .ways = t->ways, .line = 1u << t->line_shift, .sectors = sector_count(t->full)};
}

void mem_l1d_shape(const struct mem *m, u32 sm, struct cache_shape *out)
{
	const struct l1 *l = &m->l1[sm * MC_COUNT + MC_L1D];
	*out = shape_of(&l->tags);
	out->lent = l->st->lent;
}

void mem_slice_shape(const struct mem *m, u32 slice, struct cache_shape *out)
{
	*out = shape_of(&m->slice[slice].tags);
}

static u64 stamp_of(const struct tags *t, u32 i)
{
	return (t->key[i] & ~TAGS_RESERVED) >> TAGS_WAY_BITS;
}

static void line_at(const struct tags *t, u32 place, struct cached_line *out)
{
	const u32 set = place / t->ways, i = tags_place(t, set, place % t->ways);
	*out = (struct cached_line){.there = t->tag[i] != 0};
	if (!out->there)
		return;
	out->addr = t->tag[i] - 1;
	out->valid = t->line[i].valid;
	out->pending = t->line[i].pending;
	out->dirty = t->line[i].dirty;
	out->behind = *t->stamp - stamp_of(t, i);
	for (u32 w = 0; w < t->ways; w++) {
		const u32 other = tags_place(t, set, w);
		out->rank += t->tag[other] && stamp_of(t, other) > stamp_of(t, i);
	}
}

void mem_l1d_line(const struct mem *m, u32 sm, u32 place, struct cached_line *out)
{
	const struct l1 *l = &m->l1[sm * MC_COUNT + MC_L1D];
	line_at(&l->tags, place, out);
	out->launch = l->owner[place].launch;
	out->cta = l->owner[place].cta;
}

void mem_slice_line(const struct mem *m, u32 slice, u32 place, struct cached_line *out)
{
	line_at(&m->slice[slice].tags, place, out);
}
