/* Machines at the edges of what the configuration allows, and random ones: a workload that uses every part must end
 * with the right results, all conservation laws must hold, and nothing may depend on how often one looks. */
#include "base/rng.h"
#include "tests/rig/rounds.h"
#include "tests/rig/sm_rig.h"

#define WORDS 4096
#define ADDED (WORDS + 1) /* word of the sum; results are before it, inputs behind it */
#define INPUT 8192

/* One thread, one word: divergence, division, SFU, f64, shared memory across a barrier, strided and gathered loads,
 * local memory (an indexed array), an atomic, a fence. All arithmetic of the result is exact in integers. */
static const char kernel[] = PTX_HEAD
    ".visible .entry k(.param .u64 p0, .param .u64 p1)\n{\n"
    ".reg .pred %p<4>; .reg .b32 %r<40>; .reg .b64 %a<12>; .reg .f32 %f<4>; .reg .f64 %d<4>;\n"
    ".shared .align 4 .b8 sh[1024]; .local .align 4 .b8 loc[32];\n"
    "ld.param.u64 %a1, [p0]; ld.param.u64 %a9, [p1]; cvt.u32.u64 %r30, %a9;\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1; "
    "mad.wide.u32 %a2, %r4, 4, %a1;\n"
    "mul.lo.u32 %r5, %r4, %r30; and.b32 %r5, %r5, 8191; mad.wide.u32 %a3, %r5, 4, %a1; "
    "ld.global.u32 %r6, [%a3+32768];\n" /* gather */
    "mov.u32 %r7, sh; shl.b32 %r8, %r1, 2; add.u32 %r9, %r7, %r8; st.shared.u32 [%r9], %r6; bar.sync 0;\n"
    "add.u32 %r10, %r1, 1; setp.eq.u32 %p1, %r10, %r3; @%p1 mov.u32 %r10, 0; shl.b32 %r10, %r10, 2; "
    "add.u32 %r10, %r10, %r7; ld.shared.u32 %r11, [%r10];\n"
    "and.b32 %r12, %r4, 3; setp.eq.u32 %p2, %r12, 0; @%p2 bra A; mul.lo.u32 %r13, %r4, 7; max.u32 %r13, %r13, 5; "
    "bra.uni B;\n"
    "A: add.u32 %r13, %r4, 100; div.u32 %r13, %r13, 3;\n"
    "B: cvt.rn.f64.u32 %d1, %r13; add.f64 %d1, %d1, %d1; cvt.rzi.u32.f64 %r14, %d1;\n"
    "cvt.rn.f32.u32 %f1, %r12; ex2.approx.ftz.f32 %f1, %f1; cvt.rni.u32.f32 %r15, %f1;\n" /* 1 2 4 8 */
    "mov.u32 %r16, loc; shl.b32 %r17, %r12, 2; add.u32 %r17, %r17, %r16; st.local.u32 [%r17], %r15; "
    "ld.local.u32 %r18, [%r17];\n"
    "red.global.add.u32 [%a1+16388], %r12; membar.gl; shfl.sync.bfly.b32 %r19, %r18, 0, 31, -1;\n"
    "add.u32 %r20, %r6, %r11; add.u32 %r20, %r20, %r14; add.u32 %r20, %r20, %r19; st.global.u32 [%a2], %r20; ret;\n}\n";

static u32 input(u32 i)
{
	return i * 2654435761u >> 7;
}

static u32 expected(u32 cta, u32 tid, u32 block, u32 stride)
{
	u32 id = cta * block + tid, next = cta * block + (tid + 1) % block;
	u32 mine = input((u64)id * stride & 8191), other = input((u64)next * stride & 8191);
	u32 v = id & 3 ? MAX(id * 7, 5) : (id + 100) / 3;
	return mine + other + 2 * v + (1u << (id & 3));
}

struct shape {
	u32 grid, block, stride;
};

/* Runs it in two streams at once; results, sums, and the hash of the state in *hash if that is wanted. */
static u64 run_on(const struct conf *c, struct shape sh, bool slices, u64 *hash, const char *what)
{
	struct err e = {0};
	struct sim *s = sim_create(c, &e);
	if (!s)
		fail_msg("%s: %s", what, e.msg);
	struct module *m = rig_load(s, kernel);
	u32 *in = malloc(4 * INPUT), out[WORDS + 2];
	u64 buf[2], last = 0;
	for (u32 i = 0; i < INPUT; i++)
		in[i] = input(i);
	for (u32 k = 0; k < 2; k++) {
		buf[k] = rig_alloc(s, 4 * (2 * INPUT));
		devmem_write(sim_devmem(s), buf[k] + 32768, in, 4 * INPUT, &e);
		rig_launch(s, m, "k", sh.grid, sh.block, k, (u64[]){buf[k], sh.stride}, 2);
	}
	free(in);
	struct stop st;
	while (sim_run(s, slices ? sim_cycle(s) + 501 : 20000000, &st) == STOP_CYCLE && st.cycle < 20000000) {
		if (!sim_check(s, &e))
			fail_msg("%s: %s", what, e.msg);
		assert_true(st.cycle > last);
		last = st.cycle;
	}
	if (st.why != STOP_IDLE)
		fail_msg("%s: stopped with %d at cycle %llu", what, st.why, (unsigned long long)st.cycle);
	sim_drain(s);
	if (!sim_check(s, &e))
		fail_msg("%s: %s", what, e.msg);
	for (u32 k = 0; k < 2; k++) {
		u32 sum = 0, n = sh.grid * sh.block;
		assert_true(devmem_read(sim_devmem(s), buf[k], out, sizeof out, &e));
		for (u32 i = 0; i < n; i++) {
			sum += i & 3;
			if (out[i] != expected(i / sh.block, i % sh.block, sh.block, sh.stride))
				fail_msg("%s: word %u is %u", what, i, out[i]);
		}
		assert_int_equal(out[ADDED], sum);
	}
	for (u32 i = 0; sh.grid == CONF_MAX_SMS && i < c->num_sms; i++)
		assert_int_equal(((const struct sm_counters *)gpu_counters_again(sim_gpu(s), CG_sm, i))->ctas_done,
		                 2); /* one of each stream */
	if (hash)
		*hash = sim_hash(s);
	u64 cycles = sim_cycle(s);
	sim_destroy(s);
	return cycles;
}

static struct conf small_machine(void)
{
	struct conf c;
	struct err e = {0};
	conf_defaults(&c);
	assert_true(conf_set(&c, "num_sms", "2", &e) && conf_set(&c, "mem.heap_mb", "64", &e));
	assert_true(conf_set(&c, "deadlock_cycles", "2000000", &e)); /* clocks of 1 MHz beside 10 GHz are slow, not stuck */
	return c;
}

static void set_int(struct conf *c, const struct conf_key *k, double v)
{
	struct err e = {0};
	char text[40];
	snprintf(text, sizeof text, "%.0f", v);
	if (!conf_set(c, k->key, text, &e))
		fail_msg("%s", e.msg);
}

/* Keys that a workload needs at a certain size, and those that say nothing about the machine's parts. */
static bool is_free(const struct conf_key *k)
{
	static const char *const fixed[] = {"mem.heap_mb", "deadlock_cycles", "seed",           "timeline.period",
	                                    "sm.shared",   "front.local_kb",  "front.frame_kb", "launch.latency",
	                                    "sm.regs",     "mem.malloc_mb"};
	for (u32 i = 0; i < ARRAY_LEN(fixed); i++)
		if (!strcmp(k->key, fixed[i]))
			return false;
	return k->kind == CONF_INT;
}

/* What is possible alone but would make the machine huge or the run long. */
static double bounded(const struct conf_key *k, double v)
{
	static const struct {
		const char *key;
		double most;
	} cap[] = {{"l2.sets", 1024}, {"l2.ways", 64},   {"l2.slices", 4},  {"partitions", 16}, {"l2.mshrs", 512},
	           {"l2.merges", 16}, {"l1d.sets", 512}, {"l1i.sets", 512}, {"l1c.sets", 512},  {"l1t.sets", 512},
	           {"l1d.ways", 32},  {"l1i.ways", 32},  {"l1c.ways", 32},  {"l1t.ways", 32}};
	for (u32 i = 0; i < ARRAY_LEN(cap); i++)
		if (!strcmp(k->key, cap[i].key))
			return MIN(v, cap[i].most);
	return v;
}

/* Every integer key alone at its least and its most, where that is a machine at all. */
static void test_extremes(void **state)
{
	u32 ran = 0;
	for (u32 i = 0; i < conf_nkeys; i++)
		for (u32 most = 0; most < 2 && is_free(&conf_keys[i]); most++) {
			const struct conf_key *k = &conf_keys[i];
			struct conf c = small_machine();
			struct err e = {0};
			set_int(&c, k, bounded(k, most ? k->max : k->min));
			char what[100];
			snprintf(what, sizeof what, "%s=%s", k->key, most ? "max" : "min");
			u32 threads = MIN(c.sm_threads, 96u);
			struct sim *s = conf_check(&c, &e) ? sim_create(&c, &e) : NULL;
			if (!s) { /* not every value alone is consistent with the rest; then the error says so */
				assert_true(strlen(e.msg) > 10);
				continue;
			}
			sim_destroy(s);
			run_on(&c, (struct shape){6, threads, 17}, false, NULL, what);
			ran++;
		}
	print_message("%u machines\n", ran);
	assert_true(ran > 150);
}

/* One end or the other more often than what lies between. */
static double random_value(u64 *r, const struct conf_key *k, double dflt)
{
	double low = k->min + (double)(rng_next(r) % 4), any = k->min + (double)(rng_next(r) % (u64)(k->max - k->min + 1));
	switch (rng_next(r) % 8) {
	case 0: return k->min;
	case 1: return bounded(k, k->max);
	case 2:
	case 3: return MIN(low, k->max);
	case 4: return bounded(k, any);
	default: return dflt;
	}
}

/* Issue without a scoreboard, where the machine has what that needs. */
static void by_control_words(u64 *r, struct conf *c)
{
	struct conf next = *c;
	struct err e = {0};
	next.sm_collectors = 0;
	conf_set(&next, "sm.collector_sets", "unit", &e);
	conf_set(&next, "sm.unit_sets", "scheduler", &e);
	conf_set(&next, "sm.dependences", "counters", &e);
	conf_set(&next, "sm.read_ports", rng_next(r) % 2 ? "true" : "false", &e);
	conf_set(&next, "sm.reuse_cache", next.sm_read_ports && rng_next(r) % 2 ? "true" : "false", &e);
	if (conf_check(&next, &e))
		*c = next;
}

static bool random_machine(u64 *r, struct conf *c, struct strbuf *what)
{
	static const char *const policies[] = {"lrr", "gto", "tlv", "elf", "paws", "tl-gto"};
	static const char *const clocks[] = {"core_clock", "icnt_clock", "l2_clock", "dram_clock"};
	static const char *const mhz[] = {"700", "100", "1400", "924.5", "2500"};
	struct conf tuned = *c;
	struct err e = {0};
	u32 changes = 1 + rng_next(r) % 24;
	for (u32 i = 0; i < changes; i++) {
		const struct conf_key *k = &conf_keys[rng_next(r) % conf_nkeys];
		struct conf next = tuned;
		if (!is_free(k) ||
		    !strcmp(k->key, "noc.shared_buffer")) /* requests and replies that block each other: a hang */
			continue;
		set_int(&next, k, random_value(r, k, k->def));
		if (conf_check(&next, &e)) {
			tuned = next;
			strbuf_addf(what, "%s ", k->key);
		}
	}
	conf_set(&tuned, "warp-sched", policies[rng_next(r) % ARRAY_LEN(policies)], &e);
	conf_set(&tuned, "coalesce", rng_next(r) % 2 ? "line128" : "sector32", &e);
	conf_set(&tuned, "isa.issue_cost", rng_next(r) % 2 ? "sass" : "ptx", &e);
	conf_set(&tuned, "sm.reg_bank_conflicts", rng_next(r) % 2 ? "true" : "false", &e);
	conf_set(&tuned, "sm.fetch_prefetch", rng_next(r) % 2 ? "true" : "false", &e);
	conf_set(&tuned, "l1d.cache_global", rng_next(r) % 4 ? "true" : "false", &e);
	conf_set(&tuned, clocks[rng_next(r) % 4], mhz[rng_next(r) % 5], &e);
	if (rng_next(r) % 3 == 0)
		by_control_words(r, &tuned);
	*c = tuned;
	struct sim *s = sim_create(c, &e);
	if (s)
		sim_destroy(s);
	return s != NULL;
}

static void test_random_machines(void **state)
{
	const u32 seeds = rounds("WARPDBG_MACHINES", 300, 60);
	u32 ran = 0;
	for (u32 seed = 1; seed <= seeds; seed++) {
		u64 r = seed * 0x9e3779b97f4a7c15ull;
		struct conf c = small_machine();
		struct strbuf what = STRBUF_INIT;
		strbuf_addf(&what, "seed %u: ", seed);
		if (random_machine(&r, &c, &what)) {
			u32 most = MIN(c.sm_threads, 256u);
			struct shape sh = {1 + rng_next(&r) % 12, 1 + rng_next(&r) % most, 1 + rng_next(&r) % 64};
			run_on(&c, sh, seed % 2, NULL, strbuf_str(&what));
			ran++;
		}
		strbuf_release(&what);
	}
	print_message("%u machines\n", ran);
	assert_true(ran > seeds * 5 / 6);
}

/* Everything at its most at once, as far as it is one machine: 256 SMs of 64 warps with 4 schedulers of dual issue. */
static void test_largest(void **state)
{
	static const char *const sets[][2] = {
	    {"num_sms", "256"},        {"sm.threads", "2048"},  {"sm.ctas", "32"},          {"sm.regs", "262144"},
	    {"sm.schedulers", "4"},    {"sm.issue_width", "2"}, {"lsu.queue", "32"},        {"lsu.loads", "1024"},
	    {"lat.int_add", "1000"},   {"lat.f64_add", "1000"}, {"shared.latency", "1000"}, {"l1d.latency", "1000"},
	    {"sm.read_latency", "32"}, {"partitions", "64"},    {"l1d.stores", "65536"}};
	struct conf c = small_machine();
	struct err e = {0};
	for (u32 i = 0; i < ARRAY_LEN(sets); i++)
		assert_true(conf_set(&c, sets[i][0], sets[i][1], &e));
	u64 h[2];
	u64 a = run_on(&c, (struct shape){256, 16, 33}, false, &h[0], "largest");
	u64 b = run_on(&c, (struct shape){256, 16, 33}, true, &h[1], "largest, in slices");
	assert_int_equal(a, b);
	assert_true(h[0] == h[1]);
}

/* Everything that holds requests has one place. */
static void test_smallest(void **state)
{
	static const char *const sets[][2] = {
	    {"num_sms", "1"},    {"sm.threads", "32"},      {"sm.ctas", "1"},           {"sm.schedulers", "1"},
	    {"lsu.queue", "1"},  {"lsu.loads", "1"},        {"l1d.sets", "1"},          {"l1d.ways", "1"},
	    {"l1d.mshrs", "1"},  {"l1d.merges", "1"},       {"l1d.miss_queue", "1"},    {"l1d.stores", "1"},
	    {"l1i.sets", "1"},   {"l1i.ways", "1"},         {"l1i.line", "32"},         {"l1i.mshrs", "1"},
	    {"l1i.merges", "1"}, {"l1c.mshrs", "1"},        {"l1c.merges", "1"},        {"l1c.sets", "1"},
	    {"l1c.ways", "1"},   {"noc.flit", "8"},         {"noc.request_queue", "1"}, {"noc.reply_queue", "1"},
	    {"partitions", "1"}, {"l2.slices", "1"},        {"l2.sets", "1"},           {"l2.ways", "1"},
	    {"l2.mshrs", "1"},   {"l2.merges", "1"},        {"l2.miss_queue", "1"},     {"dram.queue", "1"},
	    {"dram.banks", "1"}, {"dram.bank_groups", "1"}, {"sm.ibuffer", "1"},        {"sm.fetch_width", "1"}};
	struct err e = {0};
	static const char *const modes[] = {"line128", "sector32"};
	for (u32 k = 0; k < 2; k++) {
		struct conf c = small_machine();
		assert_true(conf_set(&c, "sm.fetch_width", "1", &e));
		for (u32 i = 0; i < ARRAY_LEN(sets); i++)
			assert_true(conf_set(&c, sets[i][0], sets[i][1], &e));
		assert_true(conf_set(&c, "coalesce", modes[k], &e));
		u64 h[2];
		u64 a = run_on(&c, (struct shape){3, 32, 5}, false, &h[0], "smallest");
		u64 b = run_on(&c, (struct shape){3, 32, 5}, true, &h[1], "smallest, in slices");
		assert_int_equal(a, b);
		assert_true(h[0] == h[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_extremes),
	    cmocka_unit_test(test_random_machines),
	    cmocka_unit_test(test_largest),
	    cmocka_unit_test(test_smallest),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
