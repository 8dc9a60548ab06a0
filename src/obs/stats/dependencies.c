#include "obs/stats/dependencies.h"

#include <stdlib.h>

#define WORDS 1024 /* of a page */
#define PAGE (4 * WORDS)
#define HOST UINT32_MAX

/* Who wrote a word last: its launch + 1 above, its CTA below. 0: nobody. */
typedef u64 writer;

struct past {
	const struct func *fn;
	struct dim3 grid;
};
struct reader { /* a CTA on the machine */
	u32 launch, cta;
	u64 *seen; /* words its threads have read, as a set: (word, thread) + 1; NULL: none */
	u32 size, used;
};
struct place {
	u32 reader; /* its CTA, + 1; 0: none has been there */
	u32 first;  /* thread */
};
struct dependencies {
	struct front_ops ops; /* what the front end has instead of `real`: itself, with these eyes */
	const struct front_ops *real;
	struct front *front;
	writer **page;
	u64 npages, used_pages, pages_max;
	struct past *launch;
	u32 nlaunches, cap;
	struct reader reader[CONF_MAX_SMS][FRONT_CTA_PLACES];
	struct place place[CONF_MAX_SMS][FRONT_PLACES];
	u64 seen, seen_max; /* entries of all sets */
	struct dep_pair *pair;
	u32 npairs;
	struct dep_totals sum;
};

/* --- who wrote what ----------------------------------------------------------------------------------------------- */
static writer *at(struct dependencies *d, u64 addr, bool make)
{
	u64 p = (addr - DEVMEM_BASE) / PAGE;
	if (addr < DEVMEM_BASE || p >= d->npages)
		return NULL;
	if (!d->page[p] && make) {
		if (d->used_pages == d->pages_max)
			return NULL;
		d->page[p] = xcalloc(WORDS, sizeof(writer));
		d->used_pages++;
	}
	return d->page[p] ? &d->page[p][addr % PAGE / 4] : NULL;
}

static void wrote(struct dependencies *d, u64 addr, u64 bytes, writer by)
{
	for (u64 a = addr & ~3ull; a < addr + bytes; a += 4) {
		writer *w = at(d, a, by != 0);
		if (w)
			*w = by;
		else
			d->sum.forgotten += by != 0;
	}
}

void dependencies_host_wrote(struct dependencies *d, u64 addr, u64 bytes)
{
	if (d)
		wrote(d, addr, bytes, d->nlaunches ? (u64)HOST << 32 : 0);
}

/* --- what a thread has read --------------------------------------------------------------------------------------- */
static u64 *find(u64 *set, u32 size, u64 key)
{
	u32 i = (u32)(key * 0x9e3779b97f4a7c15ull >> 32) & (size - 1);
	while (set[i] && set[i] != key)
		i = (i + 1) & (size - 1);
	return &set[i];
}

static bool grow(struct dependencies *d, struct reader *r)
{
	u32 size = r->size ? 2 * r->size : 1024;
	if (d->seen + size > d->seen_max)
		return false;
	u64 *set = xcalloc(size, sizeof *set);
	for (u32 i = 0; i < r->size; i++)
		if (r->seen[i])
			*find(set, size, r->seen[i]) = r->seen[i];
	free(r->seen);
	d->seen += size - r->size;
	r->seen = set;
	r->size = size;
	return true;
}

/* Has the thread read this word before? */
static bool again(struct dependencies *d, struct reader *r, u32 thread, u64 addr)
{
	u64 key = ((addr - DEVMEM_BASE) / 4 << 10 | thread) + 1;
	if (2 * r->used >= r->size && !grow(d, r) && r->used + 1 >= r->size) {
		bool known = r->size && *find(r->seen, r->size, key);
		d->sum.repeats += !known;
		return known;
	}
	u64 *k = find(r->seen, r->size, key);
	if (*k)
		return true;
	*k = key;
	r->used++;
	return false;
}

/* --- what a word is to its reader --------------------------------------------------------------------------------- */
static struct dim3 coordinates(const struct past *l, u32 cta)
{
	return (struct dim3){cta % l->grid.x, cta / l->grid.x % l->grid.y, cta / l->grid.x / l->grid.y};
}

static bool near(u32 a, u32 b)
{
	return (a > b ? a - b : b - a) <= 1;
}

static enum dep_kind kind_of(const struct dependencies *d, const struct reader *r, u32 launch, u32 cta)
{
	const struct past *p = &d->launch[launch], *c = &d->launch[r->launch];
	struct dim3 from = coordinates(p, cta), to = coordinates(c, r->cta);
	bool self = from.x == to.x && from.y == to.y && from.z == to.z;
	if (launch + 1 != r->launch)
		return self ? DEP_OLDER_SELF : DEP_OLDER;
	if (self)
		return DEP_SELF;
	bool same = p->grid.x == c->grid.x && p->grid.y == c->grid.y && p->grid.z == c->grid.z;
	return same && near(from.x, to.x) && near(from.y, to.y) && near(from.z, to.z) ? DEP_GHOST : DEP_CTA;
}

static struct dep_pair *pair(struct dependencies *d, const struct func *producer, const struct func *consumer)
{
	for (u32 i = 0; i < d->npairs; i++)
		if (d->pair[i].producer == producer && d->pair[i].consumer == consumer)
			return &d->pair[i];
	d->pair = xrealloc(d->pair, (d->npairs + 1) * sizeof *d->pair);
	d->pair[d->npairs] = (struct dep_pair){.producer = producer, .consumer = consumer};
	return &d->pair[d->npairs++];
}

static void read_word(struct dependencies *d, struct reader *r, u32 thread, u64 addr)
{
	const writer *w = at(d, addr, false);
	u32 launch = w ? (u32)(*w >> 32) : 0;
	if (again(d, r, thread, addr))
		return;
	if (!launch) {
		d->sum.input++;
	} else if (launch - 1 == r->launch) {
		d->sum.within++;
	} else {
		bool host = launch == HOST;
		enum dep_kind k = host ? DEP_HOST : kind_of(d, r, launch - 1, (u32)*w);
		pair(d, host ? NULL : d->launch[launch - 1].fn, d->launch[r->launch].fn)->words[k]++;
		d->sum.words[k]++;
	}
}

/* --- the front end's entries -------------------------------------------------------------------------------------- */
static struct dependencies *eyes(const struct front *f)
{
	return (struct dependencies *)(uintptr_t)f->ops; /* ops is its first field */
}

static void watch_kernel(struct front *f, const struct launch *l, u32 slot)
{
	struct dependencies *d = eyes(f);
	for (; d->nlaunches <= l->id; d->nlaunches++)
		if (d->nlaunches == d->cap) {
			d->cap = d->cap ? 2 * d->cap : 64;
			d->launch = xrealloc(d->launch, d->cap * sizeof *d->launch);
		}
	d->launch[l->id] = (struct past){l->fn, l->grid};
	d->sum.launches++;
	if (d->real->kernel_start)
		d->real->kernel_start(f, l, slot);
}

static void forget(struct dependencies *d, struct reader *r)
{
	d->seen -= r->size;
	free(r->seen);
	*r = (struct reader){0};
}

static void watch_cta(struct front *f, u32 sm, u32 slot, const struct launch *l, u64 cta, u64 warps)
{
	struct dependencies *d = eyes(f);
	struct reader *r = &d->reader[sm][slot];
	u32 base = f->map ? f->map[sm].first[slot] : 0, first = 0;
	forget(d, r);
	r->launch = l->id;
	r->cta = (u32)cta;
	for (u64 left = warps; left; left &= left - 1, first += WARP_SIZE)
		d->place[sm][base + bit_first(left)] = (struct place){slot + 1, first};
	d->real->cta_start(f, sm, slot, l, cta, warps);
}

static void watch_issue(struct front *f, u32 sm, u32 warp, u64 cycle, struct dyninst *out)
{
	struct dependencies *d = eyes(f);
	d->real->issue(f, sm, warp, cycle, out);
	const struct place *p = &d->place[sm][warp];
	bool memory = out->space == SPC_GLOBAL || out->space == SPC_CONST || out->space == SPC_TEX;
	if (!memory || out->flags & DYN_FAULT || !p->reader || out->in->op == OP_PREFETCH || out->in->atom >= ATOM_MALLOC)
		return;
	struct reader *r = &d->reader[sm][p->reader - 1];
	u32 bytes = MAX(out->bytes, 1u);
	for (u32 m = out->mask; m; m &= m - 1) {
		u64 addr = out->addr[bit_first(m)];
		for (u64 a = addr & ~3ull; a < addr + bytes && (!out->store || out->atomic); a += 4)
			read_word(d, r, p->first + bit_first(m), a);
		if (out->store || out->atomic)
			wrote(d, addr, bytes, (u64)(r->launch + 1) << 32 | r->cta);
	}
}

struct dependencies *dependencies_watch(struct front *f, u64 bytes, u32 writers_mb, u32 seen_mb)
{
	struct dependencies *d = xcalloc(1, sizeof *d);
	d->real = f->ops;
	d->front = f;
	d->ops = *f->ops;
	d->ops.kernel_start = watch_kernel;
	d->ops.cta_start = watch_cta;
	d->ops.issue = watch_issue;
	d->ops.cta_save = NULL; /* one that comes back is on places that it was not started on */
	d->pages_max = ((u64)writers_mb << 20) / (WORDS * sizeof(writer));
	d->seen_max = ((u64)seen_mb << 20) / sizeof(u64);
	d->npages = (bytes + PAGE - 1) / PAGE;
	d->page = xcalloc(d->npages, sizeof *d->page);
	f->ops = &d->ops;
	return d;
}

void dependencies_free(struct dependencies *d)
{
	d->front->ops = d->real;
	for (u64 p = 0; p < d->npages; p++)
		free(d->page[p]);
	for (u32 i = 0; i < CONF_MAX_SMS; i++)
		for (u32 k = 0; k < FRONT_CTA_PLACES; k++)
			free(d->reader[i][k].seen);
	free(d->page);
	free(d->launch);
	free(d->pair);
	free(d);
}

/* --- what it has seen --------------------------------------------------------------------------------------------- */
u32 dependencies_pairs(const struct dependencies *d, const struct dep_pair **out)
{
	*out = d->pair;
	return d->npairs;
}

struct dep_totals dependencies_totals(const struct dependencies *d)
{
	return d->sum;
}
