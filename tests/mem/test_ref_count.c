/* Lookups counted as GPGPU-Sim counts accesses (mem/ref_count.h): what each access adds, worked out by hand. */
#include "tests/rig/mem_rig.h"

#define A BASE

/* All, hits, pending, misses of a kind, since the last call of the same cache. */
static void added(const struct cache_counters *c, struct cache_counters *before, enum ref_kind k, u64 hits, u64 pending,
                  u64 misses)
{
	const u64 want[REF_RESULTS] = {hits + pending + misses, hits, pending, misses};
	for (u32 r = 0; r < REF_RESULTS; r++) {
		u64 got = ref_counted(c, k, r) - ref_counted(before, k, r);
		if (got != want[r])
			fail_msg("kind %u, result %u: %llu added, %llu expected", k, r, (unsigned long long)got,
			         (unsigned long long)want[r]);
	}
	/* ... and nothing to the other kinds */
	for (u32 other = 0; other < REF_KINDS; other++)
		assert_true(other == k || ref_counted(c, other, REF_ALL) == ref_counted(before, other, REF_ALL));
	*before = *c;
}

struct caches {
	const struct cache_counters *l1, *l2;
	struct cache_counters l1_was, l2_was;
};

static struct caches caches_of(struct rig *r)
{
	return (struct caches){.l1 = mem_cache_counters(r->m, MC_L1D, 0), .l2 = mem_l2_counters(r->m, 0)};
}
#define L1(...) added(c.l1, &c.l1_was, __VA_ARGS__)
#define L2(...) added(c.l2, &c.l2_was, __VA_ARGS__)
#define SECTORED "coalesce=sector32", "l1d.line=128", "l2.line=128", "partitions=1", "l2.slices=1"

/* Sectors of an access are told apart: there, on their way, absent. */
static void by_sector(void **s)
{
	(void)s;
	RIG(r, SECTORED);
	struct caches c = caches_of(&r);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, A, 3, 1), MR_PENDING);
	L1(REF_READ, 0, 0, 2);
	assert_int_equal(c.l1->ref_sector_misses, 1); /* the first one misses the line */
	assert_int_equal(rig_access(&r, 0, MO_LOAD, A, 6, 2), MR_PENDING);
	L1(REF_READ, 0, 1, 1);
	assert_int_equal(c.l1->ref_sector_misses, 2);
	assert_int_equal(c.l1->misses, 2); /* our own count: two accesses */
	assert_int_equal(rig_access(&r, 0, MO_STORE, A, 9, 3), MR_SENT);
	L1(REF_WRITE, 0, 1, 1);
	for (u32 i = 0; i < 100000 && c.l2->writes == 0; i++) /* the store is at L2 while the sectors are on their way */
		rig_step(&r);
	assert_int_equal(c.l2->fills, 0);
	assert_int_equal(ref_counted(c.l2, REF_READ, REF_MISS), 3);
	assert_int_equal(ref_counted(c.l2, REF_READ, REF_ALL), 3);
	assert_int_equal(ref_counted(c.l2, REF_WRITE, REF_PENDING), 1);
	assert_int_equal(ref_counted(c.l2, REF_WRITE, REF_MISS), 1);
	assert_int_equal(c.l2->ref_sector_misses, 3); /* all but the first */
	rig_drain(&r);
	c.l2_was = *c.l2;

	assert_int_equal(rig_access(&r, 0, MO_LOAD, A, 7, 4), MR_HIT);
	L1(REF_READ, 3, 0, 0);
	assert_int_equal(rig_access(&r, 0, MO_STORE, A, 5, 5), MR_SENT);
	L1(REF_WRITE, 2, 0, 0);
	rig_drain(&r);
	L2(REF_WRITE, 2, 0, 0);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, A, 3, 6), MR_PENDING); /* sector 0 is gone, sector 1 there */
	L1(REF_READ, 1, 0, 1);
	rig_drain(&r);
	L2(REF_READ, 1, 0, 0);
	rig_check(&r);
	rig_stop(&r);
}

/* Atomics and volatile loads pass L1D; L2 tells atomics from reads. */
static void what_passes(void **s)
{
	(void)s;
	RIG(r, SECTORED);
	struct caches c = caches_of(&r);
	rig_access(&r, 0, MO_ATOMIC, A, 6, 1);
	rig_access(&r, 0, MO_RED, A, 12, 2);
	L1(REF_ATOMIC, 0, 0, 0);
	rig_drain(&r);
	L2(REF_ATOMIC, 0, 1, 3);
	assert_int_equal(c.l2->ref_sector_misses, 2);
	rig_access(&r, 0, MO_RED, A, 15, 3);
	rig_drain(&r);
	L2(REF_ATOMIC, 3, 0, 1);
	rig_access(&r, 0, MO_LOAD_VOLATILE, A, 1, 4);
	L1(REF_READ, 0, 0, 0);
	rig_drain(&r);
	L2(REF_READ, 1, 0, 0);
	rig_check(&r);
	rig_stop(&r);
}

/* A cache without sectors counts a lookup for a line, L1D here; an L2 of sectors beside it counts the line's sectors.
 */
static void by_line(void **s)
{
	(void)s;
	RIG(r, "coalesce=line128", "l2.sector_reads=true", "partitions=1", "l2.slices=1");
	struct caches c = caches_of(&r);
	rig_access(&r, 0, MO_LOAD, A, 1, 1);
	L1(REF_READ, 0, 0, 1);
	rig_access(&r, 0, MO_LOAD, A, 12, 2);
	L1(REF_READ, 0, 1, 0);
	rig_access(&r, 0, MO_STORE, A, 3, 3);
	L1(REF_WRITE, 0, 1, 0);
	rig_drain(&r);
	assert_int_equal(c.l1->ref_sector_misses, 0);
	assert_int_equal(ref_counted(c.l2, REF_READ, REF_MISS), 4);
	assert_int_equal(ref_counted(c.l2, REF_WRITE, REF_PENDING), 2);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, A, 15, 4), MR_HIT);
	L1(REF_READ, 1, 0, 0);
	rig_check(&r);
	rig_stop(&r);

	RIG(q, "coalesce=line128", "l2.sector_reads=false", "partitions=1", "l2.slices=1");
	c = caches_of(&q);
	rig_access(&q, 0, MO_LOAD, A, 15, 1);
	rig_drain(&q);
	L2(REF_READ, 0, 0, 1);
	rig_access(&q, 0, MO_STORE, A, 15, 2);
	rig_drain(&q);
	L2(REF_WRITE, 1, 0, 0);
	rig_check(&q);
	rig_stop(&q);
}

/* A sector written in part is there for a store and not for a load. */
static void written_in_part(void **s)
{
	(void)s;
	RIG(r, SECTORED, "coalesce=line128", "l2.sector_reads=true");
	struct caches c = caches_of(&r);
	struct mem_txn part = txn(A, 1);
	part.bytes = 4;
	mem_access(r.m, 0, MC_L1D, MO_STORE, &part, 1, r.now);
	rig_drain(&r);
	L2(REF_WRITE, 0, 0, 1);
	mem_access(r.m, 0, MC_L1D, MO_STORE, &part, 2, r.now);
	rig_drain(&r);
	L2(REF_WRITE, 1, 0, 0);
	rig_access(&r, 0, MO_LOAD_VOLATILE, A, 1, 3);
	rig_drain(&r);
	L2(REF_READ, 0, 0, 1);
	rig_check(&r);
	rig_stop(&r);
}

/* Local memory is written back; what is refused counts when it is taken, once. */
static void local_and_refused(void **s)
{
	(void)s;
	RIG(r, SECTORED, "l1d.mshrs=1", "l1d.merges=1");
	struct caches c = caches_of(&r);
	assert_int_equal(rig_access(&r, 0, MO_LOCAL_LOAD, A, 3, 1), MR_PENDING);
	L1(REF_READ, 0, 0, 2);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, A, 3, 2), MR_RF_MERGE);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, A + 4096, 3, 2), MR_RF_MSHR);
	L1(REF_READ, 0, 0, 0);
	rig_drain(&r);
	assert_int_equal(rig_access(&r, 0, MO_LOCAL_STORE, A, 3, 3), MR_HIT);
	L1(REF_WRITE, 2, 0, 0);
	assert_int_equal(rig_access(&r, 0, MO_LOCAL_STORE, A, 7, 4), MR_SENT);
	L1(REF_WRITE, 2, 0, 1);
	rig_drain(&r);
	rig_check(&r);
	rig_stop(&r);
}

/* Global accesses pass an L1D that is off for them, stores too; local ones do not. */
static void cache_off(void **s)
{
	(void)s;
	RIG(r, SECTORED, "l1d.cache_global=false");
	struct caches c = caches_of(&r);
	rig_access(&r, 0, MO_LOAD, A, 3, 1);
	L1(REF_READ, 0, 0, 0);
	rig_access(&r, 0, MO_STORE, A, 3, 1);
	L1(REF_WRITE, 0, 0, 0);
	rig_access(&r, 0, MO_LOCAL_STORE, A, 3, 1);
	L1(REF_WRITE, 0, 0, 2);
	rig_access(&r, 0, MO_LOCAL_LOAD, A, 1, 1);
	L1(REF_READ, 0, 0, 1);
	rig_drain(&r);
	rig_check(&r);
	rig_stop(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(by_sector),       cmocka_unit_test(what_passes),       cmocka_unit_test(by_line),
	    cmocka_unit_test(written_in_part), cmocka_unit_test(local_and_refused), cmocka_unit_test(cache_off),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
