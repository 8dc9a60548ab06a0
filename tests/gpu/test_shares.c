/* Shares: under a load that is the same for all, every arbiter gives everyone the same - the schedulers of an SM, its
 * warps under round robin, the SMs, L2 slices and DRAM channels, and the SMs among which CTAs are dealt. */
#include "gpu/starve.h"
#include "tests/rig/sm_rig.h"

#define WITHIN 0.02
#define MAX_PARTS (64 * 16)

/* Threads loop over the body for ever. %a1: buffer; %a2: the thread's own place, moved on by `step` bytes within 16 MiB
 * every time; %r20: tid. */
static struct sim *start(const char *const *sets, const char *setup, const char *body, u32 grid, u32 block)
{
	struct sim *s = machine(sets);
	struct strbuf t = STRBUF_INIT;
	strbuf_addf(&t,
	            PTX_HEAD
	            ".visible .entry k(.param .u64 p0)\n{\n"
	            ".reg .pred %%p<4>; .reg .b32 %%r<40>; .reg .f32 %%f<10>; .reg .b64 %%a<10>; .reg .f64 %%d<10>;\n"
	            ".shared .align 16 .b8 sh[16384];\n"
	            "ld.param.u64 %%a1, [p0]; mov.u32 %%r20, %%tid.x; mov.u32 %%r21, %%ctaid.x;\n"
	            "mov.u32 %%r22, %%ntid.x; mov.u32 %%r23, %%nctaid.x; mul.lo.u32 %%r24, %%r22, %%r23;\n"
	            "shl.b32 %%r24, %%r24, 2; mad.lo.u32 %%r25, %%r21, %%r22, %%r20; shl.b32 %%r25, %%r25, 2;\n"
	            "mov.f32 %%f1, 0f3F800000; mov.f64 %%d1, 0d3FF0000000000000; mov.u32 %%r1, 3; mov.u32 %%r6, sh;\n"
	            "mov.u32 %%r31, 0; %s\nL:\n%s\n"
	            "add.u32 %%r31, %%r31, 1; setp.lt.u32 %%p1, %%r31, 100000000; @%%p1 bra L;\n"
	            "st.global.u32 [%%a1], %%r4; st.global.f32 [%%a1], %%f4; st.global.f64 [%%a1], %%d4; ret;\n}\n",
	            setup, body);
	struct module *m = rig_load(s, strbuf_str(&t));
	u64 buf = rig_alloc(s, 17 << 20);
	rig_launch(s, m, "k", grid, block, 0, &buf, 1);
	strbuf_release(&t);
	return s;
}

enum part { SCHEDULERS, WARPS, SMS_INSTS, SMS_PACKETS, SMS_CTAS, SLICES, CHANNELS };

static u64 counter(struct sim *s, enum counter_group g, u32 instance, const char *name)
{
	for (u32 i = 0; i < counter_ndescs; i++)
		if (counter_descs[i].group == g && !strcmp(counter_descs[i].name, name))
			return gpu_counters(sim_gpu(s), g, instance)[counter_descs[i].index];
	fail_msg("no counter %s", name);
	return 0;
}

/* What each has got so far; how many they are. */
static u32 read_parts(struct sim *s, enum part p, u64 *out)
{
	const struct gpu *g = sim_gpu(s);
	const struct conf *c = gpu_conf(g);
	const u32 each = c->sm_schedulers, warps = gpu_warps_per_sm(g);
	u32 n = 0;
	switch (p) {
	case SCHEDULERS:
		memset(out, 0, sizeof *out * c->num_sms * each);
		for (n = 0; n < c->num_sms; n++)
			for (u32 w = 0; w < warps; w++) {
				struct warp_info i;
				gpu_warp_info(g, n, w, &i);
				out[n * each + w % each] += i.insts;
			}
		return c->num_sms * each;
	case WARPS:
		for (u32 w = 0; w < warps; w++) {
			struct warp_info i;
			gpu_warp_info(g, 0, w, &i);
			if (i.state != WS_NONE)
				out[n++] = i.insts;
		}
		return n;
	case SMS_INSTS:
	case SMS_PACKETS:
	case SMS_CTAS:
		for (n = 0; n < c->num_sms; n++)
			out[n] = counter(s, CG_sm, n,
			                 p == SMS_INSTS     ? "issued"
			                 : p == SMS_PACKETS ? "transactions"
			                                    : "ctas_started");
		return n;
	case SLICES:
		for (n = 0; n < c->partitions * c->l2_slices; n++)
			out[n] = counter(s, CG_l2, n, "accesses");
		return n;
	case CHANNELS:
		for (n = 0; n < c->partitions; n++)
			out[n] = counter(s, CG_dram, n, "bytes");
		return n;
	}
	return 0;
}

/* The largest deviation from the mean of what they got between two cycles. */
static double unfairness(struct sim *s, enum part p, u64 from, u64 to)
{
	static u64 a[MAX_PARTS], b[MAX_PARTS];
	struct stop st;
	assert_int_equal(sim_run(s, from, &st), STOP_CYCLE);
	read_parts(s, p, a);
	assert_int_equal(sim_run(s, to, &st), STOP_CYCLE);
	u32 n = read_parts(s, p, b);
	double sum = 0, worst = 0;
	assert_true(n > 1 && n <= MAX_PARTS);
	for (u32 i = 0; i < n; i++)
		sum += (double)(b[i] - a[i]);
	assert_true(sum / n > 60); /* enough for two in a hundred to mean something */
	for (u32 i = 0; i < n; i++) {
		double off = ((double)(b[i] - a[i]) - sum / n) / (sum / n);
		worst = MAX(worst, off < 0 ? -off : off);
	}
	return worst;
}

/* --- the schedulers of an SM and their warps ---------------------------------------------------------------------- */

static const struct {
	const char *what, *setup, *body;
} loads[] = {
    {"SP", "", "add.u32 %r4, %r1, %r20; add.u32 %r5, %r1, %r20; fma.rn.f32 %f4, %f1, %f1, %f1;"},
    {"SFU", "", "ex2.approx.ftz.f32 %f4, %f1; ex2.approx.ftz.f32 %f5, %f1;"},
    {"f64", "", "add.f64 %d4, %d1, %d1; add.f64 %d5, %d1, %d1;"},
    {"LSU, shared", "shl.b32 %r7, %r20, 2; and.b32 %r7, %r7, 4095; add.u32 %r6, %r6, %r7;",
     "ld.shared.u32 %r4, [%r6]; ld.shared.u32 %r5, [%r6+4096];"},
    {"LSU, shared, 2-way conflicts", "shl.b32 %r7, %r20, 3; and.b32 %r7, %r7, 4095; add.u32 %r6, %r6, %r7;",
     "ld.shared.u32 %r4, [%r6]; ld.shared.u32 %r5, [%r6+4096];"},
    {"LSU, shared, 4-way conflicts", "shl.b32 %r7, %r20, 4; and.b32 %r7, %r7, 4095; add.u32 %r6, %r6, %r7;",
     "ld.shared.u32 %r4, [%r6]; ld.shared.u32 %r5, [%r6+4096];"},
    {"LSU, L1D", "and.b32 %r7, %r20, 31; mul.wide.u32 %a2, %r7, 4; add.u64 %a2, %a2, %a1;",
     "ld.global.u32 %r4, [%a2]; ld.global.u32 %r5, [%a2+128];"},
    {"LSU, L1D, then SP", "and.b32 %r7, %r20, 31; mul.wide.u32 %a2, %r7, 4; add.u64 %a2, %a2, %a1;",
     "ld.global.u32 %r4, [%a2]; add.u32 %r5, %r4, %r1; ld.global.u32 %r8, [%a2+128]; add.u32 %r9, %r8, %r5;"},
};

static double scheduler_shares(u32 load, u32 schedulers, const char *policy, const char *order, enum part p)
{
	char n[32], ws[64], so[64];
	snprintf(n, sizeof n, "sm.schedulers=%u", schedulers);
	snprintf(ws, sizeof ws, "warp-sched=%s", policy);
	snprintf(so, sizeof so, "sm.sched_order=%s", order);
	struct sim *s = start((const char *[]){"num_sms=1", n, ws, so, NULL}, loads[load].setup, loads[load].body, 6, 256);
	double off = unfairness(s, p, 10000, p == WARPS ? 60000 : 40000);
	sim_destroy(s);
	return off;
}

static void test_schedulers(void **state)
{
	for (u32 l = 0; l < ARRAY_LEN(loads); l++)
		for (u32 n = 2; n <= 4; n++)
			for (u32 k = 0; k < 2; k++) {
				const char *policy = k ? "lrr" : "rr";
				double off = scheduler_shares(l, n, policy, "rotate", SCHEDULERS);
				if (off > WITHIN)
					fail_msg("%s: of %u schedulers under %s one is %.1f %% off its share", loads[l].what, n, policy,
					         100 * off);
			}
}

static void test_warps_of_round_robin(void **state)
{
	for (u32 l = 0; l < ARRAY_LEN(loads); l++) {
		double off = scheduler_shares(l, 2, "lrr", "rotate", WARPS);
		if (off > WITHIN)
			fail_msg("%s: a warp under lrr is %.1f %% off its share", loads[l].what, 100 * off);
	}
}

/* gto promises no turns to warps, but the schedulers are as equal to it as to any policy: every one has warps of all
 * ages. They share alike what a load asks for all the time.
 *
 * Where its greedy warp has arithmetic in the cycle in which the LSU becomes free, a scheduler lets its turn pass, and
 * a loop of one or two conflicting loads falls into step with that: one scheduler is up to 14 % off, for as long as
 * the loop runs. That is no favour: which of them it is changes with the shape of the loop, so that over all shapes
 * they are equal again (test_gto_in_step). */
static void check_gto(u32 load, u32 times, u32 n)
{
	char body[1024] = "", ns[32];
	for (u32 i = 0; i < times; i++)
		strcat(body, loads[load].body);
	snprintf(ns, sizeof ns, "sm.schedulers=%u", n);
	struct sim *s = start((const char *[]){"num_sms=1", ns, "warp-sched=gto", NULL}, loads[load].setup, body, 6, 256);
	double off = unfairness(s, SCHEDULERS, 10000, 40000);
	if (off > WITHIN)
		fail_msg("%s: of %u schedulers under gto one is %.1f %% off its share", loads[load].what, n, 100 * off);
	sim_destroy(s);
}

static void test_schedulers_under_gto(void **state)
{
	for (u32 l = 0; l < ARRAY_LEN(loads); l++)
		for (u32 n = 2; n <= 4; n++)
			check_gto(l, 4, n);
}

/* By how much scheduler 0 has more than scheduler 1, as a share of both. */
static double lead_of_the_first(const char *order, u32 nloads, u32 nadds)
{
	char body[1024] = "", so[64];
	for (u32 i = 0; i < nloads; i++)
		strcat(body, i % 2 ? "ld.shared.u32 %r5, [%r6+4096];" : "ld.shared.u32 %r4, [%r6];");
	for (u32 i = 0; i < nadds; i++)
		strcat(body, "add.u32 %r8, %r1, %r20;");
	snprintf(so, sizeof so, "sm.sched_order=%s", order);
	struct sim *s = start((const char *[]){"num_sms=1", "warp-sched=gto", so, NULL}, loads[5].setup, body, 6, 256);
	struct stop st;
	u64 got[2];
	sim_run(s, 30000, &st);
	assert_int_equal(read_parts(s, SCHEDULERS, got), 2);
	sim_destroy(s);
	return ((double)got[0] - (double)got[1]) / (double)(got[0] + got[1]);
}

static double mean_lead(const char *order, u32 *first, u32 *second)
{
	double sum = 0;
	u32 n = 0;
	*first = *second = 0;
	for (u32 nloads = 1; nloads <= 4; nloads++)
		for (u32 nadds = 0; nadds < 6; nadds++, n++) {
			double lead = lead_of_the_first(order, nloads, nadds);
			sum += lead;
			*first += lead > WITHIN;
			*second += lead < -WITHIN;
		}
	return sum / n;
}

static void test_gto_in_step(void **state)
{
	u32 first, second;
	double lead = mean_lead("rotate", &first, &second);
	if (lead > WITHIN || lead < -WITHIN || !first || !second)
		fail_msg("under gto scheduler 0 is %.1f %% ahead; %u loops favour it, %u the other", 100 * lead, first, second);
	assert_true(mean_lead("fixed", &first, &second) > 3 * WITHIN); /* a favour is found */
}

/* The test of the test: scheduler 0 always first. */
static void test_fixed_order_is_found(void **state)
{
	assert_true(scheduler_shares(4, 2, "lrr", "fixed", SCHEDULERS) > 10 * WITHIN);
	assert_true(scheduler_shares(4, 2, "lrr", "fixed", WARPS) > 10 * WITHIN);
}

/* Nothing but loads of shared memory with conflicts: the LSU is always wanted by both. */
static struct sim *crowd(const char *policy, const char *order)
{
	static const char one[] = "ld.shared.u32 %r4, [%r6]; ld.shared.u32 %r5, [%r6+4096]; ld.shared.u32 %r8, [%r6+64]; "
	                          "ld.shared.u32 %r9, [%r6+4160];";
	char ws[64], so[64], body[sizeof one * 4] = "";
	snprintf(ws, sizeof ws, "warp-sched=%s", policy);
	snprintf(so, sizeof so, "sm.sched_order=%s", order);
	for (u32 i = 0; i < 4; i++)
		strcat(body, one);
	return start((const char *[]){"num_sms=2", ws, so, NULL}, loads[5].setup, body, 12, 256);
}

/* A warp that round robin should have served, and that the order of the schedulers does not let go, is told of: once,
 * with how long; the same after going back. Where the schedulers take turns nobody waits so long, and a policy that
 * promises no turns is not looked at. */
static void test_starving_is_told(void **state)
{
	struct err e = {0};
	struct stop st;
	struct rig_log log = {0};
	struct sim *s = crowd("lrr", "fixed");
	assert_true(sim_history(s, 16, &e));
	sim_subscribe(s, EVENT(EV_WARP_STARVED), rig_record, &log);
	sim_run(s, 40000, &st);
	assert_true(log.n > 0);
	struct starve at_40k = *gpu_starved(sim_gpu(s));
	assert_int_equal(at_40k.spells, log.n);
	u64 seen[2] = {0};
	for (u32 i = 0; i < log.n; i++) {
		assert_int_equal(log.e[i].warp % 2, 1); /* scheduler 0 is first */
		assert_in_range(log.e[i].arg[1], STARVE_CYCLES + 1, STARVE_CYCLES + STARVE_LOOK);
		assert_false(seen[log.e[i].sm] >> log.e[i].warp & 1);
		seen[log.e[i].sm] |= BIT(log.e[i].warp);
	}
	assert_true(at_40k.longest.cycles > 20000 && at_40k.longest.warp % 2 == 1);
	assert_true(at_40k.longest.from + at_40k.longest.cycles <= 40000);
	assert_true(sim_goto(s, 5000, &e));
	assert_int_equal(gpu_starved(sim_gpu(s))->spells, 0);
	assert_true(sim_goto(s, 40000, &e));
	assert_memory_equal(gpu_starved(sim_gpu(s)), &at_40k, sizeof at_40k);
	sim_destroy(s);
	free(log.e);
	static const char *const quiet[][2] = {{"lrr", "rotate"}, {"rr", "rotate"}, {"gto", "fixed"}};
	for (u32 i = 0; i < ARRAY_LEN(quiet); i++) {
		s = crowd(quiet[i][0], quiet[i][1]);
		sim_run(s, 40000, &st);
		assert_int_equal(gpu_starved(sim_gpu(s))->spells, 0);
		sim_destroy(s);
	}
}

/* --- the machine -------------------------------------------------------------------------------------------------- */

/* Under the machine's own policy, lrr, and under gto. */
static void check_grid(const char *what, const char *const *sets, const char *setup, const char *body, enum part p,
                       u32 grid)
{
	for (u32 gto = 0; gto < 2; gto++) {
		const char *all[12] = {gto ? "warp-sched=gto" : "warp-sched=lrr"};
		for (u32 i = 0; sets && sets[i]; i++)
			all[i + 1] = sets[i];
		struct sim *s = start(all, setup, body, grid, 256);
		double off = unfairness(s, p, 10000, 50000);
		if (off > WITHIN)
			fail_msg("%s, %s: one is %.1f %% off its share", what, all[0], 100 * off);
		sim_destroy(s);
	}
}

static void check_machine(const char *what, const char *const *sets, const char *setup, const char *body, enum part p)
{
	check_grid(what, sets, setup, body, p, 90);
}

/* Every load goes to DRAM, each line once. */
static const char stream_setup[] = "and.b32 %r25, %r25, 16777215; cvt.u64.u32 %a3, %r25; add.u64 %a2, %a1, %a3;";
static const char stream[] = "ld.global.u32 %r4, [%a2]; add.u32 %r25, %r25, %r24; and.b32 %r25, %r25, 16777215; "
                             "cvt.u64.u32 %a3, %r25; add.u64 %a2, %a1, %a3;";

static void test_streaming(void **state)
{
	check_machine("SMs, a stream from DRAM", NULL, stream_setup, stream, SMS_PACKETS);
	check_machine("slices, a stream from DRAM", NULL, stream_setup, stream, SLICES);
	check_machine("channels, a stream from DRAM", NULL, stream_setup, stream, CHANNELS);
}

/* All want the same line of L2: the destination's port decides. */
static void test_one_slice(void **state)
{
	static const char *const narrow[] = {"noc.flit=8", "noc.request_queue=8", "noc.reply_queue=8", NULL};
	static const char *const islip[] = {"noc.switch=islip", "coalesce=sector32", NULL};
	check_machine("SMs, one slice", NULL, "", "ld.volatile.global.u32 %r4, [%a1];", SMS_PACKETS);
	check_machine("SMs, one slice, narrow", narrow, "", "ld.volatile.global.u32 %r4, [%a1];", SMS_PACKETS);
	check_machine("SMs, one slice, islip", islip, "", "ld.volatile.global.u32 %r4, [%a1];", SMS_PACKETS);
	check_machine("SMs, one slice, islip, atomics", islip, "", "atom.global.add.u32 %r4, [%a1], 1;", SMS_PACKETS);
	check_machine("SMs, one slice, atomics", NULL, "", "atom.global.add.u32 %r4, [%a1], 1;", SMS_PACKETS);
	check_machine("SMs, one slice, stores", narrow,
	              "and.b32 %r7, %r20, 31; mul.wide.u32 %a2, %r7, 4; add.u64 %a2, %a2, %a1;",
	              "st.global.u32 [%a2], %r1;", SMS_PACKETS);
}

/* A CTA on each of two SMs, whose warps read from a slice of their own each: the SM's port for replies decides which
 * of them goes on. */
static void test_replies(void **state)
{
	static const char own_slice[] = "shr.u32 %r7, %r20, 5; mul.wide.u32 %a2, %r7, 256; add.u64 %a2, %a2, %a1;";
	static const char one_line[] = "ld.volatile.global.u32 %r4, [%a2];";
#define EIGHT_SLICES "num_sms=2", "partitions=4", "l2.slices=2", "map.hash=none"
	static const char *const one[] = {EIGHT_SLICES, "noc.flit=8", "l2.latency=1", "noc.reply_queue=1", NULL};
	static const char *const many[] = {EIGHT_SLICES, "noc.flit=8", "l2.latency=1", "noc.reply_queue=4", NULL};
	static const char *const islip[] = {EIGHT_SLICES, "noc.switch=islip", "coalesce=sector32", NULL};
	check_grid("slices, one place at the SM", one, own_slice, one_line, SLICES, 2);
	check_grid("slices, four places at the SM", many, own_slice, one_line, SLICES, 2);
	check_grid("slices, islip", islip, own_slice, one_line, SLICES, 2);
}

static void test_computing(void **state)
{
	check_machine("SMs, arithmetic", NULL, "", loads[0].body, SMS_INSTS);
}

/* --- CTAs --------------------------------------------------------------------------------------------------------- */

/* Grids smaller than the machine, one after the other: the turn goes on where it was. */
static void test_small_grids(void **state)
{
	static const char kernel[] = PTX_HEAD ".visible .entry k(.param .u64 p0)\n{\nret;\n}\n";
	struct sim *s = machine(NULL);
	struct module *m = rig_load(s, kernel);
	u64 buf = rig_alloc(s, 64), got[MAX_PARTS];
	for (u32 i = 0; i < 60; i++) {
		rig_launch(s, m, "k", 4, 32, 0, &buf, 1);
		rig_finish(s);
	}
	u32 n = read_parts(s, SMS_CTAS, got);
	for (u32 i = 0; i < n; i++)
		assert_int_equal(got[i], 60 * 4 / n);
	sim_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_schedulers),
	    cmocka_unit_test(test_warps_of_round_robin),
	    cmocka_unit_test(test_fixed_order_is_found),
	    cmocka_unit_test(test_schedulers_under_gto),
	    cmocka_unit_test(test_gto_in_step),
	    cmocka_unit_test(test_streaming),
	    cmocka_unit_test(test_one_slice),
	    cmocka_unit_test(test_replies),
	    cmocka_unit_test(test_computing),
	    cmocka_unit_test(test_starving_is_told),
	    cmocka_unit_test(test_small_grids),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
