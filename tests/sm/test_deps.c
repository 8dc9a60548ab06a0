/* Issue by control words (sm.dependences=counters) against closed forms, and beside the scoreboard. */
#define LOOP_HEAD ".version 7.0\n.target sm_80\n.address_size 64\n"
#include "tests/rig/loop_rig.h"
#include "tests/rig/sm_rig.h"

/* Four schedulers; every latency 4, the read stage in it. */
#define MACHINE                                                                                                        \
	PTX_COST, "sm.schedulers=4", "sm.unit_sets=scheduler", "sm.sp_units=4", "sm.sfu_units=4", "sm.dp_units=4",         \
	    "sm.fetches=4", "sm.fetch_width=8", "sm.ibuffer=8", "sm.read_latency=1", "lat.int_add=3", "lat.f32_mad=3",     \
	    "lat.f32_add=3", "ii.f32_mad=1", "ii.f32_add=1", "shared.latency=19", "lsu.queue=20"
#define COUNTERS MACHINE, "sm.dependences=counters"
static const char *const scoreboard[] = {MACHINE, "warp-sched=gto", NULL};
static const char *const counters[] = {COUNTERS, "warp-sched=gto", NULL};

static double one_warp(const char *const *sets, const char *setup, const char *body)
{
	return per_copy(sets, setup, body, 1, 32);
}

/* What both kinds of issue need the same time for. */
static void test_as_scoreboard(void **state)
{
	static const char *const bodies[] = {
	    "add.u32 %r1, %r1, %r2;",
	    "add.u32 %r1, %r1, %r2; add.u32 %r4, %r4, %r2;",
	    "add.u32 %r1, %r1, %r2; fma.rn.f32 %f1, %f1, %f2, %f3; add.u32 %r1, %r1, %r3;",
	    "ex2.approx.f32 %f1, %f1;",
	    "shfl.sync.bfly.b32 %r1, %r1, 1, 31, -1;",
	    "ld.volatile.shared.u32 %r4, [sh]; add.u32 %r5, %r4, %r2; add.u32 %r5, %r5, %r4;",
	};
	for (u32 i = 0; i < ARRAY_LEN(bodies); i++)
		check_near(one_warp(counters, "", bodies[i]), one_warp(scoreboard, "", bodies[i]), 0.001, bodies[i]);
	check_near(one_warp(counters, "", bodies[0]), 4, 0.001, "a chain of additions");
}

static const char address[] = "mov.u32 %r10, sh; mov.u32 %r11, sh;";

/* Stalls and counters alone hold a warp as long as its registers ask for; an instruction that no lane executes raises
 * no counter. */
static void test_scoreboard_is_not_asked(void **state)
{
	static const char kernel[] = LOOP_HEAD
	    ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<9>; .reg .f32 %f<9>; .reg .pred %p<3>; .reg .b64 %a;\n"
	    ".shared .b8 sh[1024];\nld.param.u64 %a, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.f32 %f1, 0f3F800000;\n"
	    "setp.ne.u32 %p1, %r1, %r1;\nL: @%p1 ld.volatile.shared.u32 %r3, [sh]; add.u32 %r4, %r3, %r1;\n"
	    "ex2.approx.f32 %f2, %f1; add.f32 %f1, %f2, %f1; mul.lo.u32 %r5, %r4, %r1; add.u32 %r5, %r5, %r4;\n"
	    "ld.volatile.shared.u32 %r6, [sh+4]; add.u32 %r2, %r2, 1; add.u32 %r5, %r6, %r5;\n"
	    "setp.lt.u32 %p2, %r2, 40; @%p2 bra L;\nst.global.u32 [%a], %r5; st.global.f32 [%a], %f1; ret;\n}\n";
	struct sim *s = machine(counters);
	struct err e = {0};
	const u64 buf = devmem_alloc(sim_devmem(s), 4096, "buf", &e);
	struct run r = run_ptx(s, kernel, 2, 256, (u64[]){buf}, 1);
	assert_int_equal(r.why, STOP_IDLE);
	assert_int_equal(rig_counter(s, CG_sm, "hazard_holds"), 0);
	sim_destroy(s);
}

/* A load that nobody waits for, but whose address register is written: two cycles to the LSU, nine behind it, the
 * addition's four. */
static void test_address_is_read_late(void **state)
{
	static const char body[] = "ld.volatile.shared.u32 %r4, [%r10]; add.u32 %r10, %r10, 0; "
	                           "ld.volatile.shared.u32 %r5, [%r10]; add.u32 %r10, %r10, 0;";
	check_near(one_warp(counters, address, body), 2 * (2 + 9 + 4), 0.06, "an address; some wait for a counter of two");
	check_near(one_warp(scoreboard, address, body), 2 + 19, 0.001, "the scoreboard: the next load waits for %r4");
	static const char *const later[] = {COUNTERS, "lsu.release_load=19", "warp-sched=gto", NULL};
	check_near(one_warp(later, address, body), 2 * (2 + 19 + 4), 0.001, "lsu.release_load");
}

static void test_data_are_read_late(void **state)
{
	static const char one[] = "st.volatile.shared.u32 [%r10], %r4; add.u32 %r4, %r4, 1;",
	                  four[] = "st.volatile.shared.v4.u32 [%r10], {%r4,%r5,%r6,%r7}; add.u32 %r7, %r7, 1;";
	check_near(one_warp(counters, address, one), 2 + 12 + 4, 0.001, "a word");
	check_near(one_warp(scoreboard, address, one), 1 + 4, 0.001, "the scoreboard knows of no reads");
	check_near(one_warp(counters, address, four), 2 + 12 + 6 + 4, 0.001, "four words");
}

/* The seventh load shares the sixth's counter, and who uses the sixth waits for the seventh, which the LSU serves far
 * later. */
static void test_counters_are_few(void **state)
{
	static const char setup[] =
	    "mov.u32 %r10, sh; mov.u32 %r11, %tid.x; shl.b32 %r11, %r11, 7; add.u32 %r11, %r11, %r10;";
	static const char body[] =
	    "ld.volatile.shared.u32 %r21, [%r10]; ld.volatile.shared.u32 %r22, [%r10]; ld.volatile.shared.u32 %r23, [%r10]; "
	    "ld.volatile.shared.u32 %r24, [%r10]; ld.volatile.shared.u32 %r25, [%r10]; ld.volatile.shared.u32 %r26, [%r10]; "
	    "ld.volatile.shared.u32 %r27, [%r11]; add.u32 %r4, %r26, %r26; add.u32 %r10, %r10, 0; "
	    "add.u32 %r5, %r27, %r27; add.u32 %r6, %r21, %r22; add.u32 %r7, %r23, %r24; add.u32 %r8, %r25, %r4;"
	    "bar.sync 0;";
	const double few = one_warp(counters, setup, body), all = one_warp(scoreboard, setup, body);
	check_near(few - all, 4, 1.01, "the addition to the address comes later");
}

/* A counter goes up to 63: of 90 loads most of which share one, those beyond wait. */
static void test_counters_end(void **state)
{
	struct strbuf t = STRBUF_INIT;
	strbuf_adds(&t, LOOP_HEAD ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<99>; .reg .b64 %a;\n"
	                          "ld.param.u64 %a, [p]; mov.u32 %r98, 0;\n");
	for (u32 i = 0; i < 90; i++)
		strbuf_addf(&t, "ld.global.u32 %%r%u, [%%a+%u];\n", i, 256 * i);
	for (u32 i = 0; i < 90; i++)
		strbuf_addf(&t, "add.u32 %%r98, %%r98, %%r%u;\n", i);
	strbuf_adds(&t, "st.global.u32 [%a], %r98; ret;\n}\n");
	static const char *const wide[] = {
	    COUNTERS, "warp-sched=gto", "l1d.mshrs=256", "l1i.perfect=true", "lsu.loads=1024", "l1d.ways=64", NULL};
	struct sim *s = machine(wide);
	struct err e = {0};
	const u64 buf = devmem_alloc(sim_devmem(s), 65536, "buf", &e);
	struct run r = run_ptx(s, strbuf_str(&t), 1, 32, (u64[]){buf}, 1);
	assert_int_equal(r.why, STOP_IDLE);
	assert_int_equal(rig_counter(s, CG_sm, "hazard_holds"), 0);
	strbuf_release(&t);
	sim_destroy(s);
}

/* --- read ports --------------------------------------------------------------------------------------------------- */

/* Four sums: their registers lie now in the bank of %f1, now in that of %f2. */
#define FMA4                                                                                                           \
	"fma.rn.f32 %f14, %f1, %f2, %f14; fma.rn.f32 %f15, %f1, %f2, %f15; fma.rn.f32 %f16, %f1, %f2, %f16; "              \
	"fma.rn.f32 %f17, %f1, %f2, %f17;"
#define ADD4 "add.f32 %f14, %f1, %f14; add.f32 %f15, %f1, %f15; add.f32 %f16, %f1, %f16; add.f32 %f17, %f1, %f17;"

/* Cycles of a scheduler for an instruction of eight warps. */
static double an_instruction(const char *const *sets, const char *four)
{
	return per_copy(sets, "", four, 1, 1024) / 32;
}

static void test_read_ports(void **state)
{
	static const char *const ports[] = {COUNTERS, "sm.read_ports=true", "warp-sched=gto", NULL};
	static const char *const reuse[] = {COUNTERS, "sm.read_ports=true", "sm.reuse_cache=true", "warp-sched=gto", NULL};
	static const char *const turns[] = {COUNTERS, "sm.read_ports=true", "sm.reuse_cache=true", "warp-sched=lrr", NULL};
	check_near(an_instruction(counters, FMA4), 1, 0.03, "three operands, no limit");
	check_near(an_instruction(ports, FMA4), 1.5, 0.03, "three operands of two ports");
	check_near(an_instruction(ports, ADD4), 1, 0.03, "two operands");
	check_near(an_instruction(reuse, FMA4), 1, 0.03, "two of three are in the reuse cache");
	assert_true(an_instruction(turns, FMA4) > 1.45); /* but those of other warps */
}

/* --- configuration ------------------------------------------------------------------------------------------------ */

static void test_needs(void **state)
{
	static const struct {
		const char *sets[4], *why;
	} bad[] = {
	    {{"sm.dependences=counters"}, "needs sm.unit_sets=scheduler"},
	    {{"sm.read_ports=true"}, "sm.read_ports needs sm.dependences=counters"},
	    {{"sm.unit_sets=scheduler", "sm.dependences=counters", "sm.reuse_cache=true"}, "sm.reuse_cache needs"},
	};
	for (u32 i = 0; i < ARRAY_LEN(bad); i++) {
		struct conf c;
		struct err e = {0};
		conf_defaults(&c);
		for (u32 k = 0; bad[i].sets[k]; k++)
			assert_true(conf_set_pair(&c, bad[i].sets[k], &e));
		assert_false(conf_check(&c, &e));
		if (!strstr(e.msg, bad[i].why))
			fail_msg("%s", e.msg);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_as_scoreboard),        cmocka_unit_test(test_scoreboard_is_not_asked),
	    cmocka_unit_test(test_address_is_read_late), cmocka_unit_test(test_data_are_read_late),
	    cmocka_unit_test(test_counters_are_few),     cmocka_unit_test(test_counters_end),
	    cmocka_unit_test(test_read_ports),           cmocka_unit_test(test_needs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
