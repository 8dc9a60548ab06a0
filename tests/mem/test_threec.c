/* Causes of read misses and owners of lines. A reference that knows nothing of hash tables and LRU lists works out
 * every cause from the list of all references so far: reuse distances, counted afresh each time. */
#include "tests/rig/mem_rig.h"

#include <stdio.h>

#include "mem/impl.h"

#define LINES 400 /* of 128 B or more, from BASE on, that a test touches at most */
#define EVENTS 6000

/* --- the reference ------------------------------------------------------------------------------------------------ */
struct happened {
	u32 line;
	bool taken; /* sectors were taken away; else: a reference */
	u8 sectors;
};
struct history {
	u32 n, lines; /* lines of the cache */
	struct happened h[EVENTS];
};

static void note(struct history *l, u32 line, bool taken, u8 sectors)
{
	assert_true(l->n < EVENTS && line < LINES);
	l->h[l->n++] = (struct happened){line, taken, sectors};
}

/* The last reference to the line before event `before`; UINT32_MAX: none. */
static u32 last_reference(const struct history *l, u32 line, u32 before)
{
	for (u32 i = before; i--;)
		if (!l->h[i].taken && l->h[i].line == line)
			return i;
	return UINT32_MAX;
}

/* Different lines referenced by events [from, to). */
static u32 distinct(const struct history *l, u32 from, u32 to)
{
	bool met[LINES] = {0};
	u32 n = 0;
	for (u32 i = from; i < to; i++)
		if (!l->h[i].taken && !met[l->h[i].line]) {
			met[l->h[i].line] = true;
			n++;
		}
	return n;
}

static enum miss_cause cause(const struct history *l, u32 line, u8 missing)
{
	u32 at = last_reference(l, line, l->n), prev;
	if (at == UINT32_MAX)
		return MISS_COLD;
	if (distinct(l, at + 1, l->n) >= l->lines)
		return MISS_CAPACITY;
	while ((prev = last_reference(l, line, at)) != UINT32_MAX && distinct(l, prev + 1, at) < l->lines)
		at = prev;
	u8 had = 0, have = 0;
	for (u32 i = at; i < l->n; i++) {
		if (l->h[i].line != line)
			continue;
		have = l->h[i].taken ? have & (u8)~l->h[i].sectors : have | l->h[i].sectors;
		had |= have;
	}
	if (missing & ~had)
		return MISS_SECTOR;
	return missing & ~have ? MISS_INVALIDATED : MISS_CONFLICT;
}

/* --- what is the case in the cache itself ------------------------------------------------------------------------- */
static const struct line *line_at(const struct tags *t, u32 set, u64 addr)
{
	static const struct line none;
	u32 i = tags_find(t, set, tags_line_of(t, addr));
	return i == TAGS_NONE ? &none : &t->line[i];
}

static const struct line *l1_line(const struct l1 *l, u64 addr)
{
	return line_at(&l->tags, tags_set(&l->tags, addr >> l->tags.line_shift), addr);
}

struct tally {
	u64 why[MISS_CAUSES];
};

static void compare(const struct tally *t, const struct cache_counters *c, const char *what, u64 seed)
{
	const u64 has[MISS_CAUSES] = {c->miss_cold, c->miss_capacity, c->miss_sector, c->miss_invalidated,
	                              c->miss_conflict};
	for (u32 i = 0; i < MISS_CAUSES; i++)
		if (has[i] != t->why[i])
			fail_msg("%s, seed %llu, cause %u: %llu misses, %llu expected", what, (unsigned long long)seed, i,
			         (unsigned long long)has[i], (unsigned long long)t->why[i]);
}

static void set(struct rig *r, const char *key, u64 value)
{
	char text[32];
	struct err e = {0};
	snprintf(text, sizeof text, "%llu", (unsigned long long)value);
	if (!conf_set(&r->c, key, text, &e))
		fail_msg("%s", e.msg);
}

static void build(struct rig *r)
{
	struct err e = {0};
	size_t bytes = 0;
	if (!conf_check(&r->c, &e) || !mem_state_bytes(&r->c, &bytes, &e) || !arena_init(&r->a, bytes, &e) ||
	    !(r->m = mem_create(&r->c, &r->a, NULL, NULL, &e)))
		fail_msg("%s", e.msg);
}

static u64 pick(u64 *rng, u64 lo, u64 hi)
{
	return lo + rng_next(rng) % (hi - lo + 1);
}

/* --- L1D: random accesses, many in flight ------------------------------------------------------------------------- */
struct l1_test {
	struct rig r;
	struct l1 *l;
	struct history h;
	struct tally want;
	u32 shift, lines;
	bool sectored;
	u64 rng;
};

static void one_read(struct l1_test *t, enum mem_op op, const struct mem_txn *x, u8 need)
{
	const struct line *v = l1_line(t->l, x->addr);
	u32 line = (u32)((x->addr - BASE) >> t->shift);
	u8 missing = need & (u8) ~(v->valid | v->pending);
	bool cached = op == MO_LOCAL_LOAD || (op != MO_LOAD_VOLATILE && t->r.c.l1d_global);
	if (op == MO_LOAD_VOLATILE)
		note(&t->h, line, true, need & (u8)~v->pending);
	if (mem_access(t->r.m, 0, MC_L1D, op, x, 1, t->r.now) >= MR_RF_LINE || !cached)
		return;
	if (missing)
		t->want.why[cause(&t->h, line, missing)]++;
	note(&t->h, line, false, need);
}

static void one_write(struct l1_test *t, enum mem_op op, const struct mem_txn *x, u8 need)
{
	const struct line *v = l1_line(t->l, x->addr);
	u8 taken = need & (u8)~v->pending;
	u32 line = (u32)((x->addr - BASE) >> t->shift);
	bool hit = (v->valid & x->sectors) == x->sectors;
	if (mem_access(t->r.m, 0, MC_L1D, op, x, 1, t->r.now) >= MR_RF_LINE)
		return;
	if (op != MO_LOCAL_STORE)
		note(&t->h, line, true, taken);
	else if (hit)
		note(&t->h, line, false, x->sectors);
}

static void kernel_start(struct l1_test *t)
{
	mem_kernel_start(t->r.m, 0, true);
	for (u32 i = 0; i < t->lines; i++)
		note(&t->h, i, true, (u8)~l1_line(t->l, BASE + ((u64)i << t->shift))->valid);
}

/* The upper half of the lines is local memory. */
static void one_access(struct l1_test *t)
{
	static const enum mem_op global[] = {MO_LOAD, MO_LOAD,   MO_LOAD, MO_LOAD,          MO_PREFETCH,
	                                     MO_LOAD, MO_ATOMIC, MO_RED,  MO_LOAD_VOLATILE, MO_STORE};
	bool local = rng_next(&t->rng) % 4 == 0, write;
	u32 half = t->lines / 2, line = (u32)(rng_next(&t->rng) % (rng_next(&t->rng) % 3 ? MAX(half / 4, 1u) : half));
	enum mem_op op = local ? (rng_next(&t->rng) % 3 ? MO_LOCAL_LOAD : MO_LOCAL_STORE)
	                       : global[rng_next(&t->rng) % ARRAY_LEN(global)];
	u8 full = t->l->tags.full, sectors = (u8)(rng_next(&t->rng) & full);
	struct mem_txn x = txn(BASE + ((u64)(line + (local ? half : 0)) << t->shift), sectors ? sectors : full);
	u8 need = t->sectored ? x.sectors : full;
	write = op == MO_STORE || op == MO_ATOMIC || op == MO_RED || op == MO_LOCAL_STORE;
	(write ? one_write : one_read)(t, op, &x, need);
}

static void l1_random(struct l1_test *t, u64 seed)
{
	memset(t, 0, sizeof *t);
	t->rng = seed;
	conf_defaults(&t->r.c);
	t->sectored = rng_next(&t->rng) % 2;
	t->r.c.coalesce = t->sectored ? COALESCE_SECTOR32 : COALESCE_LINE128;
	t->shift = (u32)pick(&t->rng, 7, 8);
	set(&t->r, "l1d.line", 1u << t->shift);
	set(&t->r, "l2.line", 256);
	set(&t->r, "l1d.sets", 1u << pick(&t->rng, 0, 4));
	set(&t->r, "l1d.ways", pick(&t->rng, 1, rng_next(&t->rng) % 4 ? 4 : 20));
	set(&t->r, "l1d.mshrs", pick(&t->rng, 1, 40));
	t->r.c.l1d_hash = (u8)(rng_next(&t->rng) % 3);
	t->r.c.l1d_global = rng_next(&t->rng) % 8 != 0;
	set(&t->r, "num_sms", 1);
	build(&t->r);
	t->l = &t->r.m->l1[MC_L1D];
	t->h.lines = t->r.c.l1d_sets * t->r.c.l1d_ways;
	t->lines = MIN(MAX(4 * t->h.lines, 8u), (u32)LINES);
	u32 gap = (u32)pick(&t->rng, 0, 2) * 60;
	while (t->h.n < EVENTS - LINES - 2) {
		struct mem_reply a;
		one_access(t);
		if (rng_next(&t->rng) % 700 == 0)
			kernel_start(t);
		for (u64 end = t->r.now + 1 + (gap ? rng_next(&t->rng) % gap : 0); t->r.now < end;)
			rig_step(&t->r);
		while (mem_pop(t->r.m, 0, t->r.now, &a))
			;
		if (rng_next(&t->rng) % 50 == 0)
			rig_drain(&t->r);
	}
	rig_drain(&t->r);
	rig_check(&t->r);
	compare(&t->want, t->l->cc, "l1d", seed);
}

static void l1d_as_reference(void **s)
{
	struct l1_test *t = xmalloc(sizeof *t);
	struct tally all = {0};
	const char *more = getenv("THREEC");
	for (u64 seed = 1; seed <= (more ? strtoul(more, NULL, 10) : 40); seed++) {
		l1_random(t, seed * 7919);
		for (u32 i = 0; i < MISS_CAUSES; i++)
			all.why[i] += t->want.why[i];
		rig_stop(&t->r);
	}
	for (u32 i = 0; i < MISS_CAUSES; i++)
		assert_true(all.why[i] > 100); /* every cause was met */
	free(t);
}

/* --- L2: one access after the other; L1D is off ------------------------------------------------------------------- */
static u32 slice_of(struct rig *r, u64 addr, const struct line **v)
{
	struct mem_place p = map_place(&r->m->map, addr);
	const struct tags *t = &r->m->slice[p.slice].tags;
	*v = line_at(t, tags_set(t, map_slice_line(&r->m->map, &p, addr)), addr);
	return p.slice;
}

/* What an access of these sectors means to its slice. */
static void l2_expect(struct rig *r, struct history *h, struct tally *want, enum mem_op op, const struct mem_txn *x)
{
	const struct line *v;
	u32 slice = slice_of(r, x->addr, &v), line = (u32)((x->addr - BASE) / r->c.l2_line);
	u8 full = r->m->slice[0].tags.full, at = (u8)(x->addr % r->c.l2_line / 32), need = (u8)(x->sectors << at);
	bool whole = r->c.coalesce != COALESCE_SECTOR32, partial = x->bytes < 32 * bit_count32(x->sectors);
	if (op == MO_STORE) {
		note(&h[slice], line, false, partial ? 0 : need);
		return;
	}
	u8 missing = need & (u8)~v->valid;
	if (missing)
		want[slice].why[cause(&h[slice], line, missing)]++;
	note(&h[slice], line, false, missing && whole ? full : need);
}

static void l2_random(struct history *h, u64 seed, struct tally *all)
{
	static const enum mem_op ops[] = {MO_LOAD, MO_LOAD, MO_LOAD, MO_STORE, MO_ATOMIC, MO_RED};
	struct rig r = {0};
	struct tally want[4] = {0};
	u64 rng = seed;
	conf_defaults(&r.c);
	r.c.coalesce = rng_next(&rng) % 2 ? COALESCE_SECTOR32 : COALESCE_LINE128;
	r.c.l1d_global = false;
	set(&r, "num_sms", 1);
	set(&r, "partitions", pick(&rng, 1, 2));
	set(&r, "l2.slices", pick(&rng, 1, 2));
	set(&r, "l2.line", 128u << pick(&rng, 0, 1));
	set(&r, "l2.sets", 1u << pick(&rng, 0, 3));
	set(&r, "l2.ways", pick(&rng, 1, 5));
	build(&r);
	memset(h, 0, 4 * sizeof *h);
	for (u32 i = 0; i < 4; i++)
		h[i].lines = r.c.l2_sets * r.c.l2_ways;
	u32 lines = MIN(6 * h->lines * r.m->nslices, LINES);
	for (u32 n = 0; n < 1500; n++) {
		enum mem_op op = ops[rng_next(&rng) % ARRAY_LEN(ops)];
		u32 span = rng_next(&rng) % 3 ? MAX(lines / 5, 1u) : lines;
		struct mem_txn x = txn(BASE + rng_next(&rng) % span * 128, (u8)(1 + rng_next(&rng) % 15));
		if (rng_next(&rng) % 3 == 0)
			x.bytes--;
		l2_expect(&r, h, want, op, &x);
		assert_true(mem_access(r.m, 0, MC_L1D, op, &x, 1, r.now) < MR_RF_LINE);
		rig_drain(&r);
		r.now++;
	}
	rig_check(&r);
	for (u32 i = 0; i < r.m->nslices; i++) {
		compare(&want[i], mem_l2_counters(r.m, i), "l2", seed);
		for (u32 k = 0; k < MISS_CAUSES; k++)
			all->why[k] += want[i].why[k];
	}
	rig_stop(&r);
}

static void l2_as_reference(void **s)
{
	struct history *h = xmalloc(4 * sizeof *h);
	struct tally all = {0};
	for (u64 seed = 1; seed <= 40; seed++)
		l2_random(h, seed * 104729, &all);
	assert_true(all.why[MISS_COLD] > 100 && all.why[MISS_CAPACITY] > 100 && all.why[MISS_SECTOR] > 100 &&
	            all.why[MISS_CONFLICT] > 100);
	assert_int_equal(all.why[MISS_INVALIDATED], 0); /* nothing takes lines away from L2 */
	free(h);
}

/* --- the textbook's cases ----------------------------------------------------------------------------------------- */
static void load(struct rig *r, u64 line, u8 sectors)
{
	rig_access(r, 0, MO_LOAD, BASE + line * 128, sectors, 1);
	rig_drain(r);
	r->now++;
}

static void expect(struct rig *r, u64 cold, u64 capacity, u64 sector, u64 invalidated, u64 conflict)
{
	struct tally t = {{cold, capacity, sector, invalidated, conflict}};
	rig_check(r);
	compare(&t, mem_cache_counters(r->m, MC_L1D, 0), "l1d", 0);
}

static void textbook(void **s)
{
	RIG(r, "num_sms=1", "l1d.sets=8", "l1d.ways=1", "l1d.hash=linear", "coalesce=line128");
	for (u32 i = 0; i < 10; i++) /* two lines of one set by turns */
		load(&r, i % 2 * 8, 15);
	expect(&r, 2, 0, 0, 0, 8);
	rig_stop(&r);
	RIG(q, "num_sms=1", "l1d.sets=8", "l1d.ways=4", "l1d.hash=linear", "coalesce=line128");
	for (u32 i = 0; i < 3 * 64; i++) /* round and round twice the cache */
		load(&q, i % 64, 15);
	expect(&q, 64, 128, 0, 0, 0);
	rig_stop(&q);
}

static void taken_away(void **s)
{
	RIG(r, "num_sms=1", "l1d.sets=8", "l1d.ways=4", "coalesce=sector32");
	load(&r, 3, 3);
	load(&r, 3, 4); /* another sector */
	expect(&r, 1, 0, 1, 0, 0);
	rig_access(&r, 0, MO_STORE, BASE + 3 * 128, 2, 1);
	rig_drain(&r);
	load(&r, 3, 1); /* the store did not touch it */
	expect(&r, 1, 0, 1, 0, 0);
	load(&r, 3, 2);
	expect(&r, 1, 0, 1, 1, 0);
	mem_kernel_start(r.m, 0, true);
	load(&r, 3, 6);
	expect(&r, 1, 0, 1, 2, 0);
	load(&r, 3, 8);
	expect(&r, 1, 0, 2, 2, 0);
	rig_stop(&r);
	RIG(q, "num_sms=1", "l1d.sets=2", "l1d.ways=2", "coalesce=line128");
	load(&q, 0, 15);
	mem_kernel_start(q.m, 0, true);
	for (u32 i = 1; i < 5; i++)
		load(&q, i, 15);
	load(&q, 0, 15); /* would have had to go all the same */
	expect(&q, 5, 1, 0, 0, 0);
	rig_stop(&q);
}

/* No access is known to come from outside device memory; should one, it is counted, not remembered, and ends nothing.
 */
static void outside_memory(void **s)
{
	RIG(r, "num_sms=1", "l1d.sets=8", "l1d.ways=1", "l1d.hash=linear", "coalesce=line128");
	const u64 end = r.c.heap_mb * 8192ull; /* in lines */
	load(&r, 2, 15);
	for (u32 round = 0; round < 2; round++) /* twice as many as the caches hold: of L1D's set 3, and none in 0 .. 7 */
		for (u64 i = 0; i < 16; i++)
			load(&r, end + 3 + 8 * i, 15);
	expect(&r, 1 + 32, 0, 0, 0, 0);
	load(&r, end + 3 + 8 * 14, 15); /* still in the ideal cache: its cause is as any other's */
	load(&r, 2, 15);                /* inside: remembered, and a hit */
	expect(&r, 1 + 32, 0, 0, 0, 1);
	load(&r, (u64)-2, 15); /* before it */
	rig_access(&r, 0, MO_STORE, BASE - 128, 15, 1);
	rig_access(&r, 0, MO_ATOMIC, BASE + (end + 1) * 128, 15, 1);
	rig_drain(&r);
	expect(&r, 1 + 32 + 1, 0, 0, 0, 1);
	u64 cold = 0, misses = 0;
	for (u32 i = 0; i < r.m->nslices; i++) {
		cold += mem_l2_counters(r.m, i)->miss_cold;
		misses += mem_l2_counters(r.m, i)->misses;
	}
	assert_true(cold > 17 && misses >= cold);
	rig_stop(&r);
}

/* Switched off: nothing is counted but the writes, the same bytes otherwise. */
static void switched_off(void **s)
{
	RIG(r, "num_sms=1", "mem.miss_causes=false", "l1d.sets=4", "l1d.ways=2");
	u64 rng = 3;
	for (u32 i = 0; i < 400; i++) {
		u64 at = BASE + rng_next(&rng) % 64 * 128;
		rig_access(&r, 0, (enum mem_op[]){MO_LOAD, MO_STORE, MO_ATOMIC, MO_LOCAL_LOAD, MO_LOCAL_STORE}[i % 5], at, 15,
		           1);
		if (i % 100 == 99)
			mem_kernel_start(r.m, 0, true);
		rig_drain(&r);
		r.now++;
	}
	assert_true(mem_cache_counters(r.m, MC_L1D, 0)->misses > 100);
	expect(&r, 0, 0, 0, 0, 0);
	rig_stop(&r);
}

/* --- whose the lines are ------------------------------------------------------------------------------------------ */
static void by(struct rig *r, u32 warp, u64 line)
{
	rig_access(r, 0, MO_LOAD, BASE + line * 128, 15, warp << TOKEN_BITS | 1);
	rig_drain(r);
	r->now++;
}

static void lines_have_owners(void **s)
{
	RIG(r, "num_sms=2", "l1d.sets=4", "l1d.ways=2", "l1d.hash=linear");
	struct cta_lines c[8];
	u32 lines = 7;
	assert_int_equal(mem_lines_by_cta(r.m, 0, c, 8, &lines), 0);
	assert_int_equal(lines, 0);
	mem_cta_start(r.m, 0, 0x3, 5, 1ull << 40);
	mem_cta_start(r.m, 0, 1ull << 63, 6, 2);
	by(&r, 0, 0);
	by(&r, 1, 1);
	by(&r, 63, 2);
	by(&r, 63, 0); /* a hit: the line stays whose it was */
	assert_int_equal(mem_lines_by_cta(r.m, 0, c, 8, &lines), 2);
	assert_true(lines == 3 && c[0].lines == 2 && c[0].launch == 5 && c[0].cta == 1ull << 40);
	assert_true(c[1].lines == 1 && c[1].launch == 6 && c[1].cta == 2);
	mem_cta_start(r.m, 0, 0x1, 6, 3); /* the slot is taken again: the old lines are not the new CTA's */
	by(&r, 0, 3);
	by(&r, 0, 4);
	by(&r, 0, 8); /* pushes line 0 out: 4 is younger */
	assert_int_equal(mem_lines_by_cta(r.m, 0, c, 2, &lines), 2);
	assert_true(lines == 5 && c[0].lines == 3 && c[0].launch == 6 && c[0].cta == 3);
	assert_true(c[1].lines == 1 && c[1].launch == 5);
	assert_int_equal(mem_lines_by_cta(r.m, 1, c, 8, &lines), 0);
	mem_kernel_start(r.m, 0, true);
	assert_int_equal(mem_lines_by_cta(r.m, 0, c, 8, &lines), 0);
	rig_check(&r);
	rig_stop(&r);
}

/* What is remembered beside the machine is not in its hash, and goes with its arena. */
static void not_hashed(void **s)
{
	RIG(r, "num_sms=1");
	u64 before = arena_hash(&r.a);
	mem_cta_start(r.m, 0, 0xf, 1, 2);
	assert_true(arena_hash(&r.a) == before);
	load(&r, 0, 15);
	assert_true(arena_hash(&r.a) != before);
	rig_stop(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(l1d_as_reference), cmocka_unit_test(l2_as_reference), cmocka_unit_test(textbook),
	    cmocka_unit_test(taken_away),       cmocka_unit_test(switched_off),    cmocka_unit_test(lines_have_owners),
	    cmocka_unit_test(not_hashed),       cmocka_unit_test(outside_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
