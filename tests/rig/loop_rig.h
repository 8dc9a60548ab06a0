/* What an instruction costs in a loop, for tests of timing. Every measurement is a difference of differences of two
 * loops, so that launch, cold caches and loop overhead cancel exactly. */
#ifndef TESTS_RIG_LOOP_RIG_H
#define TESTS_RIG_LOOP_RIG_H
#include "tests/rig/machine.h"

#ifndef LOOP_HEAD
#define LOOP_HEAD PTX_HEAD
#endif

/* One warp (or `block` threads) runs `iters` iterations of a loop with `n` copies of `body`. In the body, %r1..%r3,
 * %f1..%f3, %d1..%d3, %a (address) may be used. */
static u64 loop_cycles(const char *const *sets, const char *setup, const char *body, u32 n, u32 iters, u32 grid,
                       u32 block, u64 *insts)
{
	struct sim *s = machine(sets);
	struct err e = {0};
	u64 buf = devmem_alloc(sim_devmem(s), 4 << 20, "buf", &e);
	struct strbuf t = STRBUF_INIT;
	strbuf_addf(
	    &t,
	    LOOP_HEAD
	    ".visible .entry k(.param .u64 p0, .param .u64 p1)\n{\n"
	    ".reg .pred %%p<4>; .reg .b32 %%r<40>; .reg .f32 %%f<40>; .reg .b64 %%a<10>; .reg .f64 %%d<20>;\n"
	    ".shared .align 16 .b8 sh[16384];\n"
	    "ld.param.u64 %%a1, [p0];\nld.param.u64 %%a2, [p1];\ncvt.u32.u64 %%r30, %%a2;\n"
	    "mov.u32 %%r1, 3; mov.u32 %%r2, 5; mov.u32 %%r3, 7; mov.f32 %%f1, 0f3F800000; mov.f32 %%f2, 0f3F800000; "
	    "mov.f32 %%f3, 0f3F800000;\n"
	    "mov.f64 %%d1, 0d3FF0000000000000; mov.f64 %%d2, 0d3FF0000000000000; mov.f64 %%d3, 0d3FF0000000000000;\n"
	    "mov.u32 %%r20, %%tid.x; %s\nmov.u32 %%r31, 0;\nL:\n",
	    setup);
	for (u32 i = 0; i < n; i++)
		strbuf_addf(&t, "%s\n", body);
	strbuf_adds(&t, "add.u32 %r31, %r31, 1;\nsetp.lt.u32 %p1, %r31, %r30;\n@%p1 bra L;\n"
	                "st.global.u32 [%a1+4096], %r1; st.global.f32 [%a1+4100], %f1; st.global.f64 [%a1+4104], %d1;\n"
	                "st.global.u32 [%a1+4112], %r4; st.global.u32 [%a1+4116], %r5; st.global.f32 [%a1+4120], %f4; "
	                "st.global.f64 [%a1+4128], %d4;\nret;\n}\n");
	struct run r = run_ptx(s, strbuf_str(&t), grid, block, (u64[]){buf, iters}, 2);
	assert_int_equal(r.why, STOP_IDLE);
	strbuf_release(&t);
	sim_destroy(s);
	if (insts)
		*insts = r.insts;
	return r.cycles;
}

/* Cycles that one more copy of body in the loop costs, per iteration. */
static double per_copy(const char *const *sets, const char *setup, const char *body, u32 grid, u32 block)
{
	u64 c[4];
	for (u32 i = 0; i < 4; i++)
		c[i] = loop_cycles(sets, setup, body, i & 1 ? 8 : 4, i & 2 ? 60 : 20, grid, block, NULL);
	return (double)((s64)(c[3] - c[2]) - (s64)(c[1] - c[0])) / (4 * 40);
}

static void check_near(double got, double want, double tolerance, const char *what)
{
	if (got < want * (1 - tolerance) - 1e-9 || got > want * (1 + tolerance) + 1e-9)
		fail_msg("%s: measured %.3f, closed form %.3f", what, got, want);
}

/* Issue costs of PTX, and the scheduler for throughput: every warp ends at the same time, no tail. */
#define PTX_COST "isa.issue_cost=ptx"
#define LRR "warp-sched=lrr"
#endif
