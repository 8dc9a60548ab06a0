/* One memory for L1D and shared memory (sm.carveouts): which size a kernel gets, and that L1D is as large as that
 * leaves it. */
#include "conf/carveout.h"
#include "tests/rig/machine.h"
#include "tests/rig/mem_rig.h"

static void the_list(void **state)
{
	struct conf c;
	struct err e = {0};
	conf_defaults(&c);
	assert_true(conf_check(&c, &e));
	assert_int_equal(carveout_for(&c, 1), 0);
	c.sm_shared = 32768;
	c.l1d_sets = 4;
	c.l1d_ways = 128; /* 64 KiB */
	strcpy(c.sm_carveouts, "0,8,32");
	assert_true(conf_check(&c, &e));
	static const u32 want[][2] = {{0, 0}, {1, 8192}, {8192, 8192}, {8193, 32768}, {32768, 32768}, {99999, 32768}};
	for (u32 i = 0; i < ARRAY_LEN(want); i++)
		assert_int_equal(carveout_for(&c, want[i][0]), want[i][1]);
	assert_int_equal(carveout_ways(&c, 8192), 16);
	assert_int_equal(carveout_ways(&c, 8193), 17);
	static const struct {
		const char *list, *says;
	} bad[] = {{"0,8,8", "does not rise"}, {"8,0", "does not rise"},   {"0,8,16", "is less than sm.shared"},
	           {"0,64", "leave nothing"},  {"0,32,", "is not a list"}, {"x", "is not a list"},
	           {"0,,32", "is not a list"}, {"0, 32", "is not a list"}, {"99999999999", "leave nothing"}};
	for (u32 i = 0; i < ARRAY_LEN(bad); i++) {
		strcpy(c.sm_carveouts, bad[i].list);
		e = (struct err){0};
		assert_false(conf_check(&c, &e));
		if (!strstr(e.msg, bad[i].says))
			fail_msg("%s: %s", bad[i].list, e.msg);
	}
}

static u64 l1d_hits(struct sim *s)
{
	return ((const struct cache_counters *)gpu_counters(sim_gpu(s), CG_l1d, 0))->hits;
}

/* Every CTA reads 24 KiB twice, a line a step, with so much shared memory. */
static struct kernel_counters two_passes(struct sim *s, u32 shared, u32 grid, u64 *hits)
{
	struct err e = {0};
	u64 buf = devmem_alloc(sim_devmem(s), 24576, "buf", &e);
	char text[1200];
	snprintf(text, sizeof text,
	         PTX_HEAD ".visible .entry k(.param .u64 p0)\n{\n.reg .pred %%p<2>; .reg .b32 %%r<9>; .reg .b64 %%a<4>;\n"
	                  "%s.shared .align 16 .b8 sh[%u];\nld.param.u64 %%a1, [p0];\nmov.u32 %%r1, 0;\n"
	                  "L: and.b32 %%r2, %%r1, 255; setp.ge.u32 %%p1, %%r2, 192; @%%p1 bra N;\n"
	                  "mul.wide.u32 %%a2, %%r2, 128; add.u64 %%a2, %%a2, %%a1; ld.global.u32 %%r3, [%%a2];\n"
	                  "add.u32 %%r4, %%r4, %%r3;\n"
	                  "N: add.u32 %%r1, %%r1, 1; setp.lt.u32 %%p1, %%r1, 512; @%%p1 bra L;\n"
	                  "%sst.global.u32 [%%a1], %%r4;\nret;\n}\n",
	         shared ? "" : "//", shared ? shared : 1, shared ? "st.shared.u32 [sh], %r4;\n" : "");
	u64 before = l1d_hits(s);
	assert_int_equal(run_ptx(s, text, grid, 32, &buf, 1).why, STOP_IDLE);
	*hits = l1d_hits(s) - before;
	struct kernel_info k;
	gpu_kernel_info(sim_gpu(s), gpu_num_kernels(sim_gpu(s)) - 1, &k);
	return *k.counters;
}

static void by_kernel(void **state)
{
	static const char *const sets[] = {"num_sms=1",
	                                   "sm.shared=24576",
	                                   "sm.carveouts=0,8,16,24",
	                                   "l1d.sets=4",
	                                   "l1d.ways=64",
	                                   "l1d.hash=linear",
	                                   "sm.ctas=2",
	                                   NULL};
	static const struct {
		u32 shared, grid, kib;
	} of[] = {{0, 1, 32},    {100, 1, 24},  {8192, 1, 24}, {8200, 1, 16}, {16384, 1, 16},
	          {16388, 1, 8}, {8192, 2, 16}, {8192, 9, 16}, {0, 9, 32},    {100, 1, 24}};
	struct sim *s = machine(sets);
	for (u32 i = 0; i < ARRAY_LEN(of); i++) {
		u64 hits;
		struct kernel_counters k = two_passes(s, of[i].shared, of[i].grid, &hits);
		assert_int_equal(k.l1d_bytes, of[i].kib << 10);
		if (of[i].grid > 1)
			continue;
		/* 192 lines in LRU order, twice: all of the second pass hits, and the store to the first line; or nothing. */
		assert_int_equal(hits, of[i].kib >= 24 ? 193 : 0);
	}
	sim_destroy(s);
}

static void apart_without_a_list(void **state)
{
	u64 hits;
	struct sim *s = machine((const char *[]){"num_sms=1", "l1d.sets=4", "l1d.ways=64", "l1d.hash=linear", NULL});
	assert_int_equal(two_passes(s, 16388, 1, &hits).l1d_bytes, 32768);
	assert_int_equal(hits, 193);
	sim_destroy(s);
}

/* A change empties the cache, what is on its way answers and is not kept, and the ways given away are not used. */
static void ways_given_away(void **state)
{
	RIG(r, "num_sms=2", "l1d.sets=4", "l1d.ways=8", "l1d.hash=linear");
	for (u32 i = 0; i < 32; i++)
		rig_latency(&r, MO_LOAD, BASE + i * 128, 0xf);
	mem_carve(r.m, 0, 0);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE, 0xf, 1), MR_HIT); /* nothing has changed */
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE + 64 * 128, 0xf, 1), MR_PENDING);
	mem_carve(r.m, 0, 5);
	assert_int_equal(mem_l1d_lines(r.m, 0), 12);
	assert_int_equal(mem_l1d_lines(r.m, 1), 32);
	rig_drain(&r);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE + 64 * 128, 0xf, 1), MR_PENDING);
	rig_drain(&r);
	for (u32 i = 0; i < 12; i++)
		rig_latency(&r, MO_LOAD, BASE + i * 128, 0xf);
	for (u32 i = 0; i < 12; i++)
		assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE + i * 128, 0xf, 1), MR_HIT);
	rig_latency(&r, MO_LOAD, BASE + 12 * 128, 0xf); /* in the place of the first */
	const struct cache_counters *c = mem_cache_counters(r.m, MC_L1D, 0);
	u64 capacity = c->miss_capacity, conflict = c->miss_conflict;
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE, 0xf, 1), MR_PENDING);
	rig_drain(&r);
	assert_int_equal(c->miss_capacity, capacity + 1); /* the ideal cache has 12 lines too */
	assert_int_equal(c->miss_conflict, conflict);
	mem_carve(r.m, 0, 0);
	for (u32 i = 0; i < 32; i++)
		rig_latency(&r, MO_LOAD, BASE + i * 128, 0xf);
	for (u32 i = 0; i < 32; i++)
		assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE + i * 128, 0xf, 1), MR_HIT);
	rig_check(&r);
	rig_stop(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_list),
	    cmocka_unit_test(by_kernel),
	    cmocka_unit_test(apart_without_a_list),
	    cmocka_unit_test(ways_given_away),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
