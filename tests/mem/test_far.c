/* An L2 of two parts (mem/far.h) against closed forms: latencies near and far, of hits, misses and copies; what
 * replaces and drops copies; the ladder of a chase over growing footprints; random traffic under all checks. */
#include "tests/rig/mem_rig.h"

#include "mem/far.h"

#define FAR 70
#define PARTS "l2.parts=2", "l2.far_latency=70", "l1d.cache_global=false", "num_sms=4"
#define SMALL PARTS, "partitions=2", "l2.slices=1", "l2.sets=16", "l2.ways=4", "map.hash=none"

static u64 latency_of(struct rig *r, u32 sm, enum mem_op op, u64 addr)
{
	u64 t0 = r->now;
	enum mem_result mr = rig_access(r, sm, op, addr, 1, 1);
	assert_true(mr == MR_PENDING || mr == MR_SENT);
	u64 t = rig_drain(r) - t0;
	r->now += 400;
	return t;
}

/* The k-th line of a part, counted from BASE. */
static u64 line_in(const struct rig *r, u32 part, u32 k)
{
	u64 a = BASE;
	for (;; a += r->c.l2_line) {
		u32 slice;
		mem_channel_of(r->m, a, &slice);
		if (far_part(r->m, slice) == part && k-- == 0)
			return a;
	}
}

static struct cache_counters sum(struct rig *r)
{
	struct cache_counters n = {0};
	for (u32 i = 0; i < r->m->nslices; i++) {
		const struct cache_counters *c = mem_l2_counters(r->m, i);
		n.accesses += c->accesses;
		n.near_accesses += c->near_accesses;
		n.far_accesses += c->far_accesses;
		n.copy_hits += c->copy_hits;
		n.copy_fills += c->copy_fills;
		n.copy_drops += c->copy_drops;
		n.misses += c->misses;
		n.writebacks += c->writebacks;
	}
	return n;
}

/* SMs 0 and 1 are near to the lower half of the slices, 2 and 3 to the upper one. A far answer takes twice the way
 * longer, from DRAM, from L2, of a store and of an atomic. */
static void test_near_and_far(void **state)
{
	RIG(r, PARTS, "l2.far_copies=false");
	u64 miss[2][2], hit[2][2];
	for (u32 sm = 0; sm < 4; sm++)
		for (u32 part = 0; part < 2; part++) {
			u64 a = line_in(&r, part, 16 * (sm + 1)), b = line_in(&r, part, 16 * (sm + 1) + 8);
			u32 far = part != sm / 2;
			miss[far][sm & 1] = latency_of(&r, sm, MO_LOAD, a);
			hit[far][sm & 1] = latency_of(&r, sm, MO_LOAD, a);
			assert_int_equal(latency_of(&r, sm, MO_LOAD, a), hit[far][sm & 1]); /* no copy stays */
			u64 stored = latency_of(&r, sm, MO_STORE, b), done = latency_of(&r, sm, MO_ATOMIC, a);
			assert_int_equal(stored - far * 2 * FAR, latency_of(&r, 2 * part, MO_STORE, b));
			assert_int_equal(done - far * 2 * FAR, latency_of(&r, 2 * part, MO_ATOMIC, a));
		}
	for (u32 k = 0; k < 2; k++) {
		assert_int_equal(hit[1][k], hit[0][k] + 2 * FAR);
		assert_int_equal(miss[1][k], miss[0][k] + 2 * FAR);
	}
	rig_check(&r);
	struct cache_counters n = sum(&r);
	assert_int_equal(n.far_accesses, 8 * 3 / 2 + 8 * 2 / 2);
	assert_int_equal(n.near_accesses + n.far_accesses, n.accesses);
	assert_int_equal(n.copy_hits + n.copy_fills + n.copy_drops, 0);
	rig_stop(&r);
}

/* One part: all is near, and no key of the parts changes anything. */
static void test_one_part(void **state)
{
	RIG(a, "num_sms=4");
	RIG(b, "num_sms=4", "l2.far_latency=700");
	for (u32 k = 0; k < 40; k++)
		assert_int_equal(latency_of(&a, k % 4, MO_LOAD, BASE + 5 * 128 * k),
		                 latency_of(&b, k % 4, MO_LOAD, BASE + 5 * 128 * k));
	assert_int_equal(sum(&b).near_accesses, 40);
	assert_int_equal(sum(&b).far_accesses, 0);
	rig_check(&b);
	rig_stop(&a);
	rig_stop(&b);
}

/* A copy answers as a near line does, for all SMs of its side, until its home serves a store or an atomic. */
static void test_copies(void **state)
{
	RIG(r, PARTS);
	u64 a = line_in(&r, 0, 3), b = line_in(&r, 1, 3);
	latency_of(&r, 0, MO_LOAD, a);
	u64 near = latency_of(&r, 0, MO_LOAD, a);
	latency_of(&r, 2, MO_LOAD, b); /* its home has it now */
	assert_int_equal(far_copy_of(r.m, b), 0);
	assert_int_equal(latency_of(&r, 0, MO_LOAD, b), near + 2 * FAR);
	assert_int_equal(far_copy_of(r.m, b), 1);
	assert_int_equal(latency_of(&r, 0, MO_LOAD, b), near);
	assert_int_equal(latency_of(&r, 1, MO_LOAD, b), near);
	latency_of(&r, 3, MO_STORE, b);
	assert_int_equal(far_copy_of(r.m, b), 0);
	assert_int_equal(latency_of(&r, 0, MO_LOAD, b), near + 2 * FAR);
	latency_of(&r, 0, MO_ATOMIC, b);
	assert_int_equal(latency_of(&r, 1, MO_LOAD, b), near + 2 * FAR);
	struct cache_counters n = sum(&r);
	assert_int_equal(n.copy_hits, 2);
	assert_int_equal(n.copy_fills, 3);
	assert_int_equal(n.copy_drops, 2);
	assert_int_equal(n.far_accesses, 4);
	rig_check(&r);
	rig_stop(&r);
}

/* A chase over F lines again and again, LRU: with at most as many lines as one part has all are near in the end; with
 * more than that, but no more than both have, each line of the near part comes from DRAM, since copies have taken its
 * place, and each one of the far part from there; with more than both have, all come from DRAM. */
static void test_ladder(void **state)
{
	const u32 part = 16 * 4;
	RIG(probe, SMALL);
	u64 a = line_in(&probe, 0, 0), b = line_in(&probe, 1, 0);
	u64 miss = latency_of(&probe, 0, MO_LOAD, a), near = latency_of(&probe, 0, MO_LOAD, a);
	latency_of(&probe, 2, MO_LOAD, b);
	assert_int_equal(latency_of(&probe, 0, MO_LOAD, b), near + 2 * FAR);
	rig_stop(&probe);
	const u32 lines[] = {part / 2, part, 2 * part, 4 * part};
	for (u32 k = 0; k < ARRAY_LEN(lines); k++) {
		RIG(r, SMALL);
		u64 total = 0, from = 0;
		for (u32 i = 0; i < 3 * lines[k]; i++) {
			from = i == 2 * lines[k] ? sum(&r).misses : from;
			u64 t = latency_of(&r, 0, MO_LOAD, BASE + (u64)(i % lines[k]) * r.c.l2_line);
			total += i < 2 * lines[k] ? 0 : t;
		}
		u64 half = lines[k] / 2, misses = sum(&r).misses - from;
		assert_int_equal(misses, lines[k] <= part ? 0 : lines[k] <= 2 * part ? half : 2 * half);
		if (lines[k] <= part)
			assert_int_equal(total, lines[k] * near);
		else if (lines[k] <= 2 * part) /* rows of DRAM that are open save some of it */
			assert_true(total <= half * (miss + near + 2 * FAR) && total > half * (miss + near + 2 * FAR) * 9 / 10);
		rig_check(&r);
		rig_stop(&r);
	}
}

/* Dirty lines leave for copies, and nothing is lost: as many lines are written back as are stored to, once others have
 * taken all places. */
static void test_dirty_victims(void **state)
{
	RIG(r, SMALL);
	for (u32 k = 0; k < 64; k++)
		latency_of(&r, 0, MO_STORE, line_in(&r, 0, k));
	for (u32 k = 0; k < 64; k++)
		latency_of(&r, 0, MO_LOAD, line_in(&r, 1, k));
	assert_int_equal(sum(&r).writebacks, 64);
	assert_int_equal(sum(&r).copy_fills, 64);
	rig_check(&r);
	rig_stop(&r);
}

/* Random accesses of all SMs at tiny buffers: every state between two cycles holds, all sums close in the end, and all
 * is answered. */
static void traffic(struct rig *r, u64 seed)
{
	u64 g = seed * 77;
	struct mem_reply a;
	struct err e = {0};
	for (u32 t = 0; t < 6000; t++) {
		for (u32 sm = 0; sm < 4; sm++) {
			static const enum mem_op ops[] = {MO_LOAD, MO_LOAD,  MO_LOAD,   MO_LOAD, MO_LOAD,
			                                  MO_LOAD, MO_STORE, MO_ATOMIC, MO_RED};
			while (mem_pop(r->m, sm, r->now, &a))
				;
			if (rng_next(&g) % 3 == 0)
				rig_access(r, sm, ops[rng_next(&g) % ARRAY_LEN(ops)], BASE + rng_next(&g) % 80 * 128,
				           rng_next(&g) % 4 ? 1 : 15, 7);
		}
		rig_step(r);
		if (t % 7 == 0 && !mem_check_state(r->m, &e))
			fail_msg("cycle %llu: %s", (unsigned long long)r->now, e.msg);
	}
	rig_drain(r);
	rig_check(r);
	struct cache_counters n = sum(r);
	assert_true(n.copy_hits > 10 && n.copy_drops > 100 && n.far_accesses > 500);
}

static void test_traffic(void **state)
{
	const char *const ways[][4] = {{"network=crossbar"},
	                               {"network=mesh"},
	                               {"noc.switch=islip", "coalesce=sector32"},
	                               {"l2.write_miss=fetch", "coalesce=sector32"},
	                               {"mem.miss_causes=true", "coalesce=sector32"}};
	for (u32 k = 0; k < 2 * ARRAY_LEN(ways); k++) {
		const char *const *w = ways[k / 2];
		RIG(r, SMALL, "l2.mshrs=3", "l2.merges=2", "l2.miss_queue=2", "noc.request_queue=2", "noc.reply_queue=2",
		    "dram.queue=3", w[0], w[1] ? w[1] : "icnt_clock=500");
		traffic(&r, k + 1);
		rig_stop(&r);
	}
}

static void test_refused(void **state)
{
	struct conf c;
	struct err e = {0};
	conf_defaults(&c);
	assert_true(conf_set_pair(&c, "l2.parts=2", &e) && conf_set_pair(&c, "partitions=5", &e));
	assert_false(conf_check(&c, &e));
	assert_string_equal(e.msg, "l2.parts: 2 parts of 5 partitions: the number is not even");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_near_and_far),  cmocka_unit_test(test_one_part), cmocka_unit_test(test_copies),
	    cmocka_unit_test(test_ladder),        cmocka_unit_test(test_traffic),  cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_dirty_victims),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
