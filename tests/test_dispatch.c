/* Where CTAs go - whose turn it is, what just fits - what a kernel's start does to caches, and whose instructions a
 * kernel counts. */
#include "tests/sm_rig.h"

#include "gpu/gpu.h"

/* spin(n): every thread goes round n times; in CTA `early`, not at all. */
static const char spin[] = PTX_HEAD ".visible .entry spin(.param .u64 n, .param .u64 early)\n{\n"
                                    ".reg .pred %p<3>; .reg .b32 %r<6>; .reg .b64 %a<3>;\n"
                                    "ld.param.u64 %a1, [n]; ld.param.u64 %a2, [early]; cvt.u32.u64 %r1, %a1;\n"
                                    "cvt.u32.u64 %r2, %a2; mov.u32 %r3, %ctaid.x; setp.eq.u32 %p1, %r2, %r3;\n"
                                    "@%p1 bra END;\nL: sub.u32 %r1, %r1, 1; setp.gt.s32 %p2, %r1, 0; @%p2 bra L;\n"
                                    "END: ret;\n}\n";
#define NO_ONE 999

static void launch(struct sim *s, struct module *m, u32 grid, u32 block, u32 regs, u32 shared, u64 n, u64 early)
{
	struct err e = {0};
	u64 args[2] = {n, early};
	struct launch_spec l = {.mod = m,
	                        .fn = &m->funcs[0],
	                        .grid = {grid, 1, 1},
	                        .block = {block, 1, 1},
	                        .regs = regs,
	                        .dynamic_shared = shared,
	                        .params = args,
	                        .param_bytes = sizeof args};
	if (sim_launch(s, &l, &e) < 0)
		fail_msg("%s", e.msg);
}

/* --- turns ----------------------------------------------------------------------------------------------------------
 */

/* A kernel with fewer CTAs than there are SMs leaves the next one the SM whose turn it is. */
static void test_turns_go_on(void **state)
{
	struct rig_log log = {0};
	struct sim *s = machine((const char *[]){"num_sms=4", NULL});
	struct module *m = rig_load(s, spin);
	sim_subscribe(s, BIT(EV_CTA_DISPATCH), rig_record, &log);
	for (u32 k = 0; k < 3; k++) {
		launch(s, m, 3, 32, 0, 0, 5, NO_ONE);
		rig_finish(s);
	}
	assert_int_equal(log.n, 9);
	for (u32 i = 0; i < log.n; i++) /* one a cycle and SM, handed on in the order of SMs */
		assert_int_equal(log.e[i].sm, (log.e[i].kernel * 3 + log.e[i].cta) % 4);
	free(log.e);
	sim_destroy(s);
}

/* Kernels of a single CTA, one after the other: each SM gets its share. */
static void test_single_ctas_are_shared(void **state)
{
	struct sim *s = machine((const char *[]){"num_sms=5", NULL});
	struct module *m = rig_load(s, spin);
	for (u32 k = 0; k < 20; k++) {
		launch(s, m, 1, 32, 0, 0, 5, NO_ONE);
		rig_finish(s);
	}
	for (u32 i = 0; i < 5; i++)
		assert_int_equal(sim_gpu(s)->sm[i]->k.ctas_started, 4);
	sim_destroy(s);
}

/* --- fits -----------------------------------------------------------------------------------------------------------
 */

/* CTAs that use up registers or shared memory to the last one are resident together, and the last place of an SM is
 * taken again when its CTA has gone: from `hole`. */
static void exact(const char *const *sets, u32 regs, u32 shared, u32 together, u32 hole)
{
	struct sim *s = machine(sets);
	struct gpu *g = sim_gpu(s);
	struct module *m = rig_load(s, spin);
	launch(s, m, together + 1, 64, regs, shared, 400, 1); /* CTA 1 leaves at once; the last one takes its place */
	sim_run(s, sim_cycle(s) + together, NULL);
	assert_int_equal(sm_resident(g->sm[0], 0), together);
	sim_run(s, sim_cycle(s) + 1500, NULL);
	assert_int_equal(sm_resident(g->sm[0], 0), together);
	const struct cta *last = &g->sm[0]->cta[1];
	assert_int_equal(last->id, together);
	assert_int_equal(regs ? last->reg_first : last->shared_first, hole);
	rig_finish(s);
	sim_destroy(s);
}

static void test_exact_fits(void **state)
{
	static const char *const by_regs[] = {"num_sms=1", "sm.regs=6144", "l1i.line=128", NULL};
	static const char *const by_shared[] = {"num_sms=1", "sm.shared=12288", NULL};
	exact(by_regs, 32, 0, 3, 2048);     /* 3 CTAs x 64 threads x 32 registers */
	exact(by_shared, 0, 4096, 3, 4096); /* 3 x 4 KiB */
	/* the whole SM for one CTA */
	struct sim *s = machine((const char *[]){"num_sms=1", "sm.regs=2048", "sm.shared=4096", NULL});
	struct module *m = rig_load(s, spin);
	launch(s, m, 2, 64, 32, 4096, 10, NO_ONE);
	rig_finish(s);
	sim_destroy(s);
}

/* --- caches at a kernel's start -------------------------------------------------------------------------------------
 */

static const char reads[] =
    PTX_HEAD ".global .texref tx;\n.const .align 4 .b8 table[64];\n.global .align 128 .b8 buf[256];\n"
             ".visible .entry reads(.param .u64 n)\n{\n.reg .pred %p<2>; .reg .b32 %r<12>; .reg .b64 %a<4>;\n"
             "ld.param.u64 %a1, [n]; cvt.u32.u64 %r1, %a1; mov.u64 %a2, buf; mov.u32 %r2, 0; mov.u32 %r8, 0;\n"
             "L: ld.global.u32 %r3, [%a2]; ld.const.u32 %r4, [table+16];\n"
             "tex.1d.v4.u32.s32 {%r5, %r6, %r7, %r9}, [tx, {%r2}];\n"
             "add.u32 %r8, %r8, %r3; add.u32 %r8, %r8, %r4; add.u32 %r8, %r8, %r5; and.b32 %r10, %r8, 0;\n"
             "add.u32 %r2, %r2, %r10; sub.u32 %r1, %r1, 1; setp.gt.s32 %p1, %r1, 0; @%p1 bra L;\n"
             "st.global.u32 [%a2+128], %r8; ret;\n}\n"
             ".visible .entry nothing(.param .u64 n)\n{\nret;\n}\n";

static u64 misses(struct sim *s, enum mem_cache c)
{
	const struct cache_counters *k = mem_cache_counters(sim_gpu(s)->mem, c, 0);
	return k->misses - k->write_misses;
}

static struct module *load_reads(struct sim *s)
{
	struct module *m = rig_load(s, reads);
	struct err e = {0};
	struct texture t = {.addr = rig_alloc(s, 256), .width = 16, .channels = 1, .type = T_U32};
	if (!front_bind_texture(sim_gpu(s)->front, m, "tx", &t, &e))
		fail_msg("%s", e.msg);
	return m;
}

/* A kernel that starts on a machine where no other runs finds L1D, L1C and L1T empty, and L1I as it was. */
static void test_kernels_start_cold(void **state)
{
	static const enum mem_cache cold[] = {MC_L1D, MC_L1C, MC_L1T};
	struct sim *s = machine((const char *[]){"num_sms=1", NULL});
	struct module *m = load_reads(s);
	u64 first[MC_COUNT];
	rig_launch(s, m, "reads", 1, 32, 0, (u64[]){3}, 1);
	rig_finish(s);
	for (enum mem_cache c = MC_L1I; c < MC_COUNT; c++)
		first[c] = misses(s, c);
	rig_launch(s, m, "reads", 1, 32, 0, (u64[]){3}, 1);
	rig_finish(s);
	for (u32 i = 0; i < ARRAY_LEN(cold); i++) {
		assert_true(first[cold[i]] > 0);
		assert_int_equal(misses(s, cold[i]), 2 * first[cold[i]]);
	}
	assert_int_equal(misses(s, MC_L1I), first[MC_L1I]);
	sim_destroy(s);
}

/* A kernel that starts while another runs takes nothing away from it. */
static void test_running_kernels_keep_their_lines(void **state)
{
	struct sim *s = machine((const char *[]){"num_sms=1", NULL});
	struct module *m = load_reads(s);
	u64 before[MC_COUNT];
	rig_launch(s, m, "reads", 1, 32, 0, (u64[]){200}, 1);
	sim_run(s, 3000, NULL);
	for (enum mem_cache c = MC_L1D; c < MC_COUNT; c++) {
		before[c] = misses(s, c);
		assert_true(before[c] > 0);
	}
	rig_launch(s, m, "nothing", 1, 32, 1, (u64[]){0}, 1);
	rig_finish(s);
	struct kernel_info a, b;
	gpu_kernel_info(sim_gpu(s), 0, &a);
	gpu_kernel_info(sim_gpu(s), 1, &b);
	assert_true(b.counters->ended_at + 1000 < a.counters->ended_at);
	assert_int_equal(misses(s, MC_L1D), before[MC_L1D]);
	assert_int_equal(misses(s, MC_L1T), before[MC_L1T]);
	assert_true(misses(s, MC_L1C) <= before[MC_L1C] + 1); /* the other's parameters are not read, ours are there */
	sim_destroy(s);
}

/* --- whose instructions ---------------------------------------------------------------------------------------------
 */

static void test_kernels_count_threads(void **state)
{
	struct sim *s = machine((const char *[]){"num_sms=2", NULL});
	struct module *m = rig_load(s, spin);
	struct kernel_info k;
	launch(s, m, 3, 40, 0, 0, 4, 1); /* 7 instructions; a warp of 32 and one of 8; 2 CTAs go round 4 times */
	launch(s, m, 1, 1, 0, 0, 1, NO_ONE);
	rig_finish(s);
	/* in CTA 1: 6, the branch, ret; in the others 6, the branch that falls through (its guard is false: no lane), 4
	 * times round of which the last branch falls through too, ret */
	gpu_kernel_info(sim_gpu(s), 0, &k);
	assert_int_equal(k.counters->thread_insts, 40 * (6 + 1 + 1) + 2 * 40 * (6 + 4 * 2 + 3 + 1));
	assert_int_equal(k.counters->warp_insts, 2 * (6 + 1 + 1) + 2 * 2 * (6 + 1 + 4 * 3 + 1));
	gpu_kernel_info(sim_gpu(s), 1, &k);
	assert_int_equal(k.counters->thread_insts, 6 + 2 + 1);
	assert_int_equal(k.counters->warp_insts, 6 + 1 + 3 + 1);
	sim_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_turns_go_on),
	    cmocka_unit_test(test_single_ctas_are_shared),
	    cmocka_unit_test(test_exact_fits),
	    cmocka_unit_test(test_kernels_start_cold),
	    cmocka_unit_test(test_running_kernels_keep_their_lines),
	    cmocka_unit_test(test_kernels_count_threads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
