/* Sub-cores: units of a scheduler's own, integer units, paths to L1D and shared memory, against closed forms. */
#define LOOP_HEAD ".version 7.0\n.target sm_80\n.address_size 64\n"
#include "tests/rig/loop_rig.h"
#include "sm/sm.h"

/* Four schedulers with 16 lanes each. */
#define SUBCORES                                                                                                       \
	PTX_COST, LRR, "sm.schedulers=4", "sm.unit_sets=scheduler", "sm.sp_units=4", "sm.sfu_units=4", "sm.dp_units=4",    \
	    "ii.int_add=2", "ii.logic=2", "ii.f32_mad=2", "ii.f32_add=2", "sm.fetches=4", "sm.fetch_width=8",              \
	    "sm.ibuffer=8", "sm.read_latency=1"
static const char *const subcores[] = {SUBCORES, "sm.int_units=true", NULL};

static const char fused[] = "fma.rn.f32 %f4, %f1, %f2, %f3;", add[] = "add.u32 %r4, %r1, %r2;",
                  mad[] = "mad.lo.u32 %r5, %r1, %r2, %r3;", ex2[] = "ex2.approx.ftz.f32 %f4, %f1;",
                  cvt[] = "cvt.rn.f32.s32 %f4, %r1;", both[] = "fma.rn.f32 %f4, %f1, %f2, %f3; add.u32 %r4, %r1, %r2;";

/* Cycles an SM needs for one copy of the body in each of its warps, divided by their number. */
static double a_warp(const char *const *sets, const char *body, u32 warps)
{
	return per_copy(sets, "", body, 1, 32 * warps) / warps;
}

/* A scheduler cannot use the units of others. */
static void test_units_are_apart(void **state)
{
	static const char alone[] = "and.b32 %r21, %r20, 96; setp.ne.u32 %p2, %r21, 0; @%p2 exit;";
	/* Of 29 warps those remain whose number is a multiple of four: all of scheduler 0. */
	const double own = per_copy(subcores, alone, fused, 1, 32 * 29);
	check_near(own, 8 * 2, 0.03, "eight warps of one scheduler");
	static const char *const shared[] = {SUBCORES, "sm.unit_sets=shared", NULL};
	check_near(per_copy(shared, alone, fused, 1, 32 * 29), 8, 0.03, "with the units of all, one a cycle");
}

static void test_integers_beside_f32(void **state)
{
	check_near(a_warp(subcores, fused, 32), 0.5, 0.03, "f32 alone");
	check_near(a_warp(subcores, add, 32), 0.5, 0.03, "integers alone");
	check_near(a_warp(subcores, both, 32), 0.5, 0.03, "an f32 and an integer instruction at once");
	static const char *const one[] = {SUBCORES, NULL};
	check_near(a_warp(one, both, 32), 1.0, 0.03, "both in one pipe");
	static const char *const fast[] = {SUBCORES, "sm.int_units=true", "sm.int_mul_unit=f32", "ii.int_mad=2", NULL};
	check_near(a_warp(fast, "fma.rn.f32 %f4, %f1, %f2, %f3; mad.lo.u32 %r5, %r1, %r2, %r3;", 32), 1.0, 0.03,
	           "integer products in the pipe of f32");
	static const char *const apart[] = {SUBCORES, "sm.int_units=true", "ii.int_mad=2", NULL};
	check_near(a_warp(apart, mad, 32), 0.5, 0.03, "integer products in the integer pipe");
}

/* One datapath of f32, and one of f32 or integers. */
static void test_f32_on_int(void **state)
{
	static const char *const ga10x[] = {SUBCORES, "sm.int_units=true", "sm.f32_on_int=true", NULL};
	check_near(a_warp(ga10x, fused, 32), 0.25, 0.03, "f32 in both datapaths");
	check_near(a_warp(ga10x, add, 32), 0.5, 0.03, "integers in one");
	check_near(a_warp(ga10x, both, 32), 0.5, 0.03, "one of each");
}

/* Fewer units than schedulers are shared. */
static void test_few_units_are_shared(void **state)
{
	static const char *const few[] = {SUBCORES, "sm.sfu_units=1", "ii.sfu=8", NULL};
	check_near(a_warp(few, ex2, 32), 8, 0.03, "one SFU of four schedulers");
	static const char *const own[] = {SUBCORES, "ii.sfu=8", NULL};
	check_near(a_warp(own, ex2, 32), 2, 0.03, "an SFU each");
}

static void test_conversions(void **state)
{
	static const char *const sfu[] = {SUBCORES, "sm.convert_unit=sfu", "lat.convert=10", "ii.convert=8", "ii.sfu=8",
	                                  NULL};
	check_near(a_warp(sfu, cvt, 32), 2, 0.03, "conversions in the SFU pipe");
	check_near(per_copy(sfu, "", "cvt.rn.f32.s32 %f1, %r1; cvt.rzi.s32.f32 %r1, %f1;", 1, 32), 2 * 11, 0.01,
	           "two conversions one after the other");
	static const char *const sp[] = {SUBCORES, NULL};
	check_near(a_warp(sp, cvt, 32), 0.5, 0.03, "conversions as logic");
	static const char *const half[] = {SUBCORES, "ii.f16=1", NULL};
	check_near(a_warp(half, "fma.rn.f16x2 %r4, %r1, %r2, %r3;", 32), 0.25, 0.03, "f16x2 every cycle");
	check_near(a_warp(half, fused, 32), 0.5, 0.03, "f32 every second");
}

/* --- the LSU ------------------------------------------------------------------------------------------------------ */

static const char lane[] =
    "mov.u32 %r10, sh; shl.b32 %r11, %r20, 2; and.b32 %r11, %r11, 127; add.u32 %r10, %r10, %r11; "
    "st.shared.u32 [%r10], %r10;";
static const char lane2[] =
    "mov.u32 %r10, sh; shl.b32 %r11, %r20, 4; and.b32 %r11, %r11, 511; add.u32 %r10, %r10, %r11; "
    "st.shared.u32 [%r10], %r10;";

/* 128 B take two cycles of the path, so a load takes two longer for each turn; one scheduler has half of the port. */
static void test_path(void **state)
{
	static const char *const path[] = {SUBCORES, "lsu.path=2", "shared.latency=19", "lsu.queue=20", NULL};
	check_near(per_copy(path, lane, "ld.shared.u32 %r10, [%r10];", 1, 32), 23, 0.01, "a load without conflicts");
	check_near(per_copy(path, lane2, "ld.shared.u32 %r10, [%r10];", 1, 32), 23 + 3 * 2, 0.01, "one of four turns");
	static const char loads[] =
	    "ld.shared.u32 %r4, [%r10]; ld.shared.u32 %r5, [%r10+512]; ld.shared.u32 %r6, [%r10+1024]; "
	    "ld.shared.u32 %r7, [%r10+1536]; add.u32 %r8, %r4, %r5; add.u32 %r9, %r6, %r7;";
	check_near(per_copy(path, lane2, loads, 1, 32), 4 * 8 + 20, 0.15,
	           "four loads of one warp: the path, then the rest");
	check_near(a_warp(path, "ld.volatile.shared.u32 %r4, [sh];", 32), 1, 0.03, "all schedulers have the whole port");
	static const char *const none[] = {SUBCORES, "shared.latency=19", NULL};
	check_near(per_copy(none, lane2, "ld.shared.u32 %r10, [%r10];", 1, 32), 21 + 3, 0.01,
	           "without it a turn is a cycle");
}

/* The longest latency behind the fullest path: what is booked must stay on the timing wheel. */
static void test_longest_path(void **state)
{
	static const char far_apart[] =
	    "mov.u32 %r10, sh; and.b32 %r11, %r20, 31; shl.b32 %r11, %r11, 8; add.u32 %r10, %r10, %r11;";
	static const char *const most[] = {SUBCORES,         "lsu.path=4",   "shared.latency=1000",
	                                   "shared.banks=1", "lsu.queue=32", NULL};
	const u64 cycles =
	    loop_cycles(most, far_apart, "ld.volatile.shared.v4.u32 {%r4,%r5,%r6,%r7}, [%r10];", 8, 4, 1, 512, NULL);
	assert_true(cycles > 8 * 4 * 16 * 128); /* the port: a turn a word */
	struct conf c;
	struct err e = {0};
	conf_defaults(&c);
	assert_false(conf_set(&c, "lsu.path", "5", &e));
}

static void test_interval(void **state)
{
	static const char *const two[] = {SUBCORES, "lsu.interval=2", "lsu.queue=20", NULL};
	check_near(a_warp(two, "ld.volatile.shared.u32 %r4, [sh];", 32), 2, 0.03, "a memory instruction every two cycles");
}

/* --- tensor units ------------------------------------------------------------------------------------------------- */

#define TENSOR                                                                                                         \
	SUBCORES, "cuda.capability=80", "sm.tensor_units=4", "tensor.rate=256", "tensor.rate_f32=256", "lat.tensor=24",    \
	    "lat.tensor_half=17"
static const char mma8[] = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f10,%f11,%f12,%f13},{%r1,%r2},{%r3},"
                           "{%f10,%f11,%f12,%f13};";
static const char two8[] = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f10,%f11,%f12,%f13},{%r1,%r2},{%r3},"
                           "{%f20,%f21,%f22,%f23};\n"
                           "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f14,%f15,%f16,%f17},{%r1,%r2},{%r3},"
                           "{%f20,%f21,%f22,%f23};";
static const char zero[] = "mov.f32 %f10, 0f00000000; mov.f32 %f11, %f10; mov.f32 %f12, %f10; mov.f32 %f13, %f10; "
                           "mov.f32 %f20, %f10; mov.f32 %f21, %f10; mov.f32 %f22, %f10; mov.f32 %f23, %f10;";

static void test_mma_gap(void **state)
{
	static const char *const gap[] = {TENSOR, "tensor.warp_gap=6", NULL};
	static const char *const none[] = {TENSOR, NULL};
	check_near(per_copy(none, zero, mma8, 1, 32), 18, 0.01, "a chain");
	check_near(per_copy(gap, zero, mma8, 1, 32), 18, 0.01, "a chain waits for C anyway");
	static const char *const short_chain[] = {TENSOR, "tensor.warp_gap=20", NULL};
	check_near(per_copy(short_chain, zero, mma8, 1, 32), 24, 0.01, "unless the gap is longer: interval and gap");
	check_near(per_copy(gap, zero, two8, 1, 32 * 32) / 64, 1, 0.05, "other warps fill it");
	static const char *const slow[] = {TENSOR, "tensor.interval=9", NULL};
	check_near(per_copy(slow, zero, two8, 1, 32 * 32) / 64, 9. / 4, 0.05, "the shortest interval");
}

/* --- the rest ------------------------------------------------------------------------------------------------------ */

static void test_system_shared_memory(void **state)
{
	struct conf c;
	struct err e = {0};
	struct launch l = {.warps = 1, .shared_bytes = 1000};
	conf_defaults(&c);
	assert_int_equal(sm_cta_shared(&c, &l), 1024);
	assert_true(conf_set(&c, "sm.shared_system", "1024", &e));
	assert_int_equal(sm_cta_shared(&c, &l), 2048);
	l.shared_bytes = 0;
	assert_int_equal(sm_cta_shared(&c, &l), 1024);
}

static void test_refused(void **state)
{
	static const char *const bad[][4] = {
	    {"sm.f32_on_int=true", "sm.f32_on_int needs"},
	    {"sm.int_units=true", "sm.int_units needs"},
	};
	for (u32 i = 0; i < ARRAY_LEN(bad); i++) {
		struct conf c;
		struct err e = {0};
		char key[64];
		conf_defaults(&c);
		snprintf(key, sizeof key, "%s", bad[i][0]);
		*strchr(key, '=') = 0;
		assert_true(conf_set(&c, key, strchr(bad[i][0], '=') + 1, &e));
		assert_false(conf_check(&c, &e));
		assert_non_null(strstr(e.msg, bad[i][1]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_units_are_apart), cmocka_unit_test(test_integers_beside_f32),
	    cmocka_unit_test(test_f32_on_int),      cmocka_unit_test(test_few_units_are_shared),
	    cmocka_unit_test(test_conversions),     cmocka_unit_test(test_path),
	    cmocka_unit_test(test_longest_path),    cmocka_unit_test(test_interval),
	    cmocka_unit_test(test_mma_gap),         cmocka_unit_test(test_system_shared_memory),
	    cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
