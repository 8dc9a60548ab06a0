/* Constants in L1I (l1c.behind=l1i, mem/constants.h) against closed forms: latencies of hits and misses of both caches,
 * instructions and constants that evict each other, what is merged and refused; random traffic under all checks. */
#include "tests/rig/mem_rig.h"

#include "mem/constants.h"

#define WAY 62
#define ON "l1c.behind=l1i", "l1c.behind_latency=62", "num_sms=1", "l1i.line=128", "l1c.line=64"
/* The constant cache has one line, L1I two. */
#define TINY ON, "l1c.sets=1", "l1c.ways=1", "l1i.sets=1", "l1i.ways=2"
#define CODE (BASE + 0x100000)

static enum mem_result constant(struct rig *r, u32 sm, u64 addr, u32 token)
{
	struct mem_txn t = txn(addr, 1);
	return mem_access(r->m, sm, MC_L1C, MO_LOAD, &t, token, r->now);
}

static enum mem_result fetch(struct rig *r, u32 sm, u64 addr)
{
	return rig_access(r, sm, MO_FETCH, addr, 0xf, 1);
}

/* Cycles until everything is answered. */
static u64 drain(struct rig *r)
{
	const u64 from = r->now, t = rig_drain(r) - from;
	r->now += 400;
	return t;
}

static u64 constant_latency(struct rig *r, u64 addr)
{
	assert_int_equal(constant(r, 0, addr, 1), MR_PENDING);
	return drain(r);
}

static u64 fetch_latency(struct rig *r, u64 addr)
{
	const enum mem_result mr = fetch(r, 0, addr);
	if (mr == MR_HIT)
		return 0;
	assert_int_equal(mr, MR_PENDING);
	return drain(r);
}

static const struct l1i_counters *l1i(struct rig *r)
{
	return (const struct l1i_counters *)mem_cache_counters(r->m, MC_L1I, 0);
}

/* L2 has the lines from a first round. Then a miss of both takes as long as a fetch that misses, and the way; a hit of
 * L1I takes the way alone, and so does the other half of its line. */
static void test_latencies(void **state)
{
	RIG(r, TINY);
	fetch_latency(&r, CODE);
	fetch_latency(&r, CODE + 128);
	constant_latency(&r, BASE);
	constant_latency(&r, BASE + 128);
	const u64 from_l2 = fetch_latency(&r, CODE); /* evicted by the two lines of constants */
	fetch_latency(&r, CODE + 128);
	assert_true(from_l2 > 0);
	assert_int_equal(constant_latency(&r, BASE), from_l2 + WAY);
	assert_int_equal(constant(&r, 0, BASE, 1), MR_HIT);
	assert_int_equal(constant_latency(&r, BASE + 64), WAY); /* the other half */
	assert_int_equal(constant_latency(&r, BASE), WAY);      /* which had replaced it in the constant cache */
	const struct cache_counters *c = mem_cache_counters(r.m, MC_L1C, 0);
	assert_int_equal(c->hits, 1);
	assert_int_equal(c->misses, 5);
	assert_int_equal(l1i(&r)->constant_reads, 5);
	assert_int_equal(l1i(&r)->constant_hits, 2);
	assert_int_equal(l1i(&r)->accesses, 9);
	assert_int_equal(l1i(&r)->hits, 2);
	rig_check(&r);
	rig_stop(&r);
}

/* Without the key constants go to L2, and L1I sees nothing of them. */
static void test_off(void **state)
{
	RIG(on, ON);
	RIG(off, "num_sms=1", "l1i.line=128", "l1c.line=64");
	constant_latency(&on, BASE);
	constant_latency(&off, BASE);
	assert_int_equal(l1i(&off)->accesses, 0);
	assert_int_equal(l1i(&off)->constant_reads, 0);
	assert_int_equal(l1i(&on)->misses, 1);
	assert_null(off.m->constants);
	assert_true(on.a.used > off.a.used);
	rig_check(&on);
	rig_check(&off);
	rig_stop(&on);
	rig_stop(&off);
}

/* Two ways: what was used longest ago goes, whatever it is. */
static void test_evict_each_other(void **state)
{
	RIG(r, TINY);
	fetch_latency(&r, CODE);
	fetch_latency(&r, CODE + 128);
	assert_int_equal(fetch_latency(&r, CODE), 0);
	constant_latency(&r, BASE); /* in place of CODE + 128 */
	assert_int_equal(l1i(&r)->constant_evictions, 1);
	assert_int_equal(fetch_latency(&r, CODE), 0);
	assert_true(fetch_latency(&r, CODE + 128) > 0); /* in place of the constant */
	assert_int_equal(l1i(&r)->code_evictions, 1);
	assert_int_equal(constant(&r, 0, BASE, 1), MR_HIT); /* the small one in front has it still */
	assert_true(constant_latency(&r, BASE + 256) > WAY);
	assert_true(constant_latency(&r, BASE) > WAY);
	assert_int_equal(l1i(&r)->constant_evictions, 3);
	assert_true(constant_latency(&r, BASE + 512) > WAY); /* in place of a constant */
	assert_int_equal(l1i(&r)->constant_evictions, 3);
	assert_int_equal(l1i(&r)->code_evictions, 1);
	assert_int_equal(l1i(&r)->evictions, 5);
	rig_check(&r);
	rig_stop(&r);
}

/* Two lines of constants are one of L1I: the second miss joins the first. */
static void test_merged(void **state)
{
	RIG(r, ON);
	assert_int_equal(constant(&r, 0, BASE, 1), MR_PENDING);
	assert_int_equal(constant(&r, 0, BASE + 64, 2), MR_PENDING);
	assert_int_equal(constant(&r, 0, BASE + 64, 3), MR_PENDING); /* joins in the constant cache */
	assert_int_equal(mem_l1_use(r.m, 0, MC_L1I).mshrs, 1);
	assert_int_equal(mem_l1_use(r.m, 0, MC_L1I).queue, 1);
	assert_int_equal(mem_l1_use(r.m, 0, MC_L1C).mshrs, 2);
	assert_int_equal(mem_l1_use(r.m, 0, MC_L1C).queue, 0);
	assert_int_equal(mem_outstanding(r.m, 0), 5); /* three loads, and two lines that L1I is asked for */
	struct mem_reply a;
	u64 at = 0;
	for (u32 token = 0; token < 3; r.now++) {
		mem_tick(r.m, r.now);
		for (; mem_pop(r.m, 0, r.now, &a); at = r.now) {
			assert_int_equal(a.token, ++token);
			assert_int_equal(a.cache, MC_L1C);
			assert_true(!at || at == r.now);
		}
	}
	assert_int_equal(l1i(&r)->misses, 1);
	assert_int_equal(l1i(&r)->merges, 1);
	assert_int_equal(mem_cache_counters(r.m, MC_L1C, 0)->merges, 1);
	assert_int_equal(mem_outstanding(r.m, 0), 0);
	rig_check(&r);
	rig_stop(&r);
}

/* Asks whenever the cache says that it may, until it is taken; how many times it was refused before. */
static u32 ask_until_taken(struct rig *r, u64 addr, u32 token)
{
	for (u32 refusals = 0;;) {
		if (mem_retry_wanted(r->m, 0, MC_L1C)) {
			const enum mem_result mr = constant(r, 0, addr, token);
			if (mr == MR_PENDING)
				return refusals;
			assert_int_equal(mr, MR_RF_QUEUE);
			refusals++;
		}
		mem_clear_wake(r->m, 0);
		rig_step(r);
		assert_true(r->now < 5000);
		assert_int_equal(mem_retry_wanted(r->m, 0, MC_L1C), mem_wake(r->m)[0] & 1);
	}
}

/* A refused constant asks again when a request of L1I has left, in vain, and when data have come; a fetch's own refusal
 * stays as it is. */
static void refused_until_data(const char *key, bool fetch_too)
{
	RIG(r, ON, "l1c.sets=2", "l1c.ways=2", "l1i.sets=1", "l1i.ways=1", "l1c.mshrs=4", key);
	assert_int_equal(constant(&r, 0, BASE, 1), MR_PENDING);
	assert_int_equal(constant(&r, 0, BASE + 128, 2), MR_RF_QUEUE);
	assert_false(mem_retry_wanted(r.m, 0, MC_L1C));
	if (fetch_too) {
		assert_true(fetch(&r, 0, CODE) >= MR_RF_LINE);
		assert_false(mem_retry_wanted(r.m, 0, MC_L1I));
		assert_int_equal(constant(&r, 0, BASE + 64, 3), MR_PENDING); /* merged in L1I: accepted */
		assert_false(mem_retry_wanted(r.m, 0, MC_L1I));
	}
	const u32 in_vain = ask_until_taken(&r, BASE + 128, 2);
	assert_int_equal(in_vain, 1 + fetch_too); /* what was accepted in between is a reason to ask, too */
	assert_int_equal(l1i(&r)->fills, 1);
	assert_true(!fetch_too || mem_retry_wanted(r.m, 0, MC_L1I));
	rig_drain(&r);
	assert_int_equal(mem_cache_counters(r.m, MC_L1C, 0)->rf_queue, 1 + in_vain);
	rig_check(&r);
	rig_stop(&r);
}

static void test_refused(void **state)
{
	refused_until_data("l1i.mshrs=4", true);  /* the only line of the set is reserved */
	refused_until_data("l1i.mshrs=1", false); /* no MSHR */
}

/* L1I's merge list is full: the third half-line of constants of four in one of its lines waits. */
static void test_merge_list_full(void **state)
{
	RIG(r, "l1c.behind=l1i", "num_sms=1", "l1i.line=128", "l1c.line=32", "l1i.merges=2", "l1c.mshrs=8");
	assert_int_equal(constant(&r, 0, BASE, 1), MR_PENDING);
	assert_int_equal(constant(&r, 0, BASE + 32, 2), MR_PENDING);
	assert_int_equal(constant(&r, 0, BASE + 64, 3), MR_RF_QUEUE);
	assert_int_equal(ask_until_taken(&r, BASE + 64, 3), 1);
	rig_drain(&r);
	assert_int_equal(l1i(&r)->constant_hits, 1);
	rig_check(&r);
	rig_stop(&r);
}

/* The miss queue of L1I is full: a constant waits until a request has left. */
static void test_queue_full(void **state)
{
	RIG(r, ON, "l1i.mshrs=2", "partitions=1", "l2.slices=1");
	assert_int_equal(fetch(&r, 0, CODE), MR_PENDING);
	assert_int_equal(constant(&r, 0, BASE, 1), MR_PENDING);
	assert_int_equal(constant(&r, 0, BASE + 128, 2), MR_RF_QUEUE);
	u32 queued = mem_l1_use(r.m, 0, MC_L1I).queue;
	assert_int_equal(queued, 2);
	while (mem_l1_use(r.m, 0, MC_L1I).queue == queued)
		rig_step(&r);
	assert_true(mem_retry_wanted(r.m, 0, MC_L1C));
	rig_drain(&r);
	rig_check(&r);
	rig_stop(&r);
}

/* With l1i.perfect instructions take no lines, and constants have all of them. */
static void test_perfect(void **state)
{
	RIG(r, TINY, "l1i.perfect=true");
	constant_latency(&r, BASE);
	for (u32 i = 0; i < 8; i++)
		assert_int_equal(fetch(&r, 0, CODE + 128 * i), MR_HIT);
	constant_latency(&r, BASE + 128);
	assert_int_equal(constant_latency(&r, BASE), WAY);
	assert_int_equal(l1i(&r)->hits, 9);
	assert_int_equal(l1i(&r)->constant_hits, 1);
	rig_check(&r);
	rig_stop(&r);
}

#define SMS 6
/* Fetches and constants of six SMs at random; in each cycle the SMs come in another order, or in turn. */
static u64 random_traffic(u32 seed, bool shuffle, const char *key)
{
	RIG(r, "num_sms=6", "l1c.behind=l1i", "l1i.sets=4", "l1i.ways=2", "l1c.sets=2", "l1c.ways=1", "l1i.mshrs=3",
	    "l1c.mshrs=3", "l1i.merges=4", "l1c.behind_latency=9", key);
	u64 of_sm[SMS], order = seed + 1000;
	struct err e = {0};
	struct mem_reply a;
	for (u32 sm = 0; sm < SMS; sm++)
		of_sm[sm] = seed * SMS + sm + 1;
	for (u32 i = 0; i < 15000; i++, r.now++) {
		const u32 first = shuffle ? (u32)(rng_next(&order) % SMS) : 0;
		for (u32 k = 0; k < SMS; k++) {
			const u32 sm = (first + k) % SMS;
			while (mem_pop(r.m, sm, r.now, &a))
				;
			mem_clear_wake(r.m, sm);
			const u64 what = rng_next(&of_sm[sm]) % 10, line = rng_next(&of_sm[sm]) % 8;
			if (what < 3)
				constant(&r, sm, BASE + 64 * line, 1);
			else if (what < 5)
				fetch(&r, sm, CODE + 128 * line);
		}
		mem_tick(r.m, r.now);
		if (!mem_check_state(r.m, &e))
			fail_msg("cycle %llu: %s", (unsigned long long)r.now, e.msg);
	}
	rig_drain(&r);
	rig_check(&r);
	const struct l1i_counters *k = l1i(&r);
	assert_true(k->constant_hits > 20 && k->constant_evictions > 20 && k->code_evictions > 20);
	assert_true(mem_cache_counters(r.m, MC_L1C, 0)->rf_queue > 0);
	const u64 hash = arena_hash(&r.a);
	rig_stop(&r);
	return hash;
}

static void test_random(void **state)
{
	static const char *const with[] = {"noc.switch=booked", "noc.switch=islip", "network=mesh", "coalesce=sector32",
	                                   "noc.shared_buffer=64"};
	for (u32 i = 0; i < ARRAY_LEN(with); i++) {
		const u64 hash = random_traffic(7 * i, false, with[i]);
		assert_int_equal(random_traffic(7 * i, false, with[i]), hash);
		assert_int_equal(random_traffic(7 * i, true, with[i]), hash);
		assert_true(random_traffic(7 * i + 1, false, with[i]) != hash);
	}
}

/* What holds between two cycles, falsified. */
static void named(struct rig *r, const char *what)
{
	struct err e = {0};
	assert_false(mem_check_state(r->m, &e));
	if (!strstr(e.msg, what))
		fail_msg("'%s' does not say '%s'", e.msg, what);
}

static void test_false_state(void **state)
{
	struct err e = {0};
	RIG(r, ON);
	constant_latency(&r, BASE);
	assert_int_equal(constant(&r, 0, BASE + 64, 1), MR_PENDING); /* hits in L1I, */
	rig_step(&r);
	assert_int_equal(constant(&r, 0, BASE + 1024, 1), MR_PENDING); /* misses there */
	rig_step(&r);
	assert_true(mem_check_state(r.m, &e));
	struct constant_answer *a = &r.m->on_the_way[r.m->constants[0].head];
	a->mshr ^= 1;
	named(&r, "waits for L1I in 0 places");
	a->mshr ^= 1;
	a->ready++;
	named(&r, "due in another cycle");
	a->ready--;
	r.m->constants[0].n = 0;
	named(&r, "requests are somewhere in the memory system");
	r.m->constants[0].n = 1;
	assert_true(mem_check_state(r.m, &e));
	rig_drain(&r);
	struct l1i_counters *k = l1i_counters_of(&r.m->l1[MC_L1I]);
	k->constant_reads++;
	assert_false(mem_check(r.m, &e));
	assert_non_null(strstr(e.msg, "reads of constants = misses of l1c"));
	rig_stop(&r);
}

static void test_lines(void **state)
{
	struct conf c;
	struct err e = {0};
	conf_defaults(&c);
	assert_true(conf_set(&c, "l1c.line", "128", &e) && conf_set(&c, "l1i.line", "64", &e));
	assert_true(conf_check(&c, &e));
	assert_true(conf_set(&c, "l1c.behind", "l1i", &e));
	assert_false(conf_check(&c, &e));
	assert_non_null(strstr(e.msg, "l1c.line 128 is more than l1i.line 64"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_latencies),   cmocka_unit_test(test_off),     cmocka_unit_test(test_evict_each_other),
	    cmocka_unit_test(test_merged),      cmocka_unit_test(test_refused), cmocka_unit_test(test_merge_list_full),
	    cmocka_unit_test(test_queue_full),  cmocka_unit_test(test_perfect), cmocka_unit_test(test_random),
	    cmocka_unit_test(test_false_state), cmocka_unit_test(test_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
