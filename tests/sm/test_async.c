/* mbarriers and cp.async in time: try_wait sleeps and wakes, its time limit, arrivals that follow copies, CTAs that are
 * saved while their warps wait, going back in time, hangs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "gpu/query_mbarrier.h"
#include <unistd.h>

#include "tests/rig/debug_rig.h"
#include "tests/rig/machine.h"

#define HEAD9 ".version 8.0\n.target sm_90\n.address_size 64\n"

/* --- try_wait ----------------------------------------------------------------------------------------------------- */

/* Warp 1 loops, then arrives; warp 0 waits. out[0] = cycles that warp 0 has waited, out[1] = the end of warp 1's loop
 * and out[2] = that of warp 0's wait, by the clock. */
#define WAITS(HINT)                                                                                                    \
	HEAD9 ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p<6>; .reg .b32 %r<12>; .reg .b64 %rd<12>;\n"            \
	      ".shared .align 8 .b64 bar;\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, bar;\n"           \
	      "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra R;\nmbarrier.init.shared::cta.b64 [%r2], 32;\n"                          \
	      "R: bar.sync 0;\nsetp.lt.u32 %p2, %r1, 32;\n@%p2 bra W;\nmov.u32 %r3, 0;\n"                                  \
	      "L: add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p3, %r3, 500;\n@%p3 bra L;\nmov.u64 %rd4, %clock64;\n"                \
	      "mbarrier.arrive.shared::cta.b64 _, [%r2];\nst.global.u64 [%rd1+8], %rd4;\nret;\n"                           \
	      "W: mov.u64 %rd5, %clock64;\n"                                                                               \
	      "T: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r2], 0" HINT ";\n@!%p4 bra T;\n"                         \
	      "mov.u64 %rd6, %clock64;\nsub.s64 %rd7, %rd6, %rd5;\nst.global.u64 [%rd1], %rd7;\n"                          \
	      "st.global.u64 [%rd1+16], %rd6;\nret;\n}\n"

struct waited {
	u64 insts, out[3];
};
static struct waited wait_with(const char *text, const char *limit)
{
	struct err e = {0};
	struct waited w = {0};
	struct sim *s = machine((const char *const[]){"cuda.capability=90", "num_sms=1", limit, NULL});
	const u64 at = devmem_alloc(sim_devmem(s), 4096, "out", &e);
	const struct run r = run_ptx(s, text, 1, 64, &at, 1);
	assert_int_equal(r.why, STOP_IDLE);
	assert_true(devmem_read(sim_devmem(s), at, w.out, sizeof w.out, &e));
	w.insts = r.insts;
	sim_destroy(s);
	return w;
}
/* Warp 1's loop takes thousands of cycles. Whoever sleeps executes its try_wait once and wakes with the arrival;
 * whoever does not executes it over and over. Both go on at the same time, but for the last round of the loop. */
static void sleeps(void **state)
{
	const struct waited one = wait_with(WAITS(""), "sm.try_wait=1000000"), busy = wait_with(WAITS(""), "sm.try_wait=0");
	assert_true(one.out[0] > 2000);
	assert_in_range(one.insts, 1500, 1600); /* 500 rounds of 3, and some tens */
	assert_true(busy.insts > one.insts + 100);
	assert_in_range(one.out[2] - one.out[1], 1, 60);
	assert_in_range(busy.out[2] - busy.out[1], 1, 150);
}
/* With a limit of L cycles the loop around try_wait has waited / L rounds of two instructions more. */
static void limit(void **state)
{
	const struct waited one = wait_with(WAITS(""), "sm.try_wait=1000000"),
	                    many = wait_with(WAITS(""), "sm.try_wait=200");
	const u64 rounds = (many.insts - one.insts) / 2;
	assert_in_range(rounds, many.out[0] / 260, many.out[0] / 200);
	/* one that the program gives, in ns: gtx480's 700 MHz make 1000 ns 700 cycles */
	const struct waited own = wait_with(WAITS(", 1000"), "sm.try_wait=200");
	assert_in_range((own.insts - one.insts) / 2, own.out[0] / 760, own.out[0] / 700);
}

/* --- arrivals behind copies --------------------------------------------------------------------------------------- */

/* A warp copies 16 B a lane, twice, so that its instructions are in L1I; out[0] = cycles until all is there by way of
 * an mbarrier, or of cp.async.wait_all.
 */
#define COPIES(ARRIVE, WAIT)                                                                                                  \
	HEAD9                                                                                                                     \
	".visible .entry k(.param .u64 out)\n{\n.reg .pred %p<6>; .reg .b32 %r<12>; .reg .b64 %rd<12>;\n"                         \
	".shared .align 16 .b8 sm[8192];\n.shared .align 8 .b64 bar;\nld.param.u64 %rd1, [out];\n"                                \
	"mov.u32 %r1, %tid.x;\nmov.u32 %r2, bar;\nmov.u32 %r4, sm;\nshl.b32 %r3, %r1, 4;\nadd.u32 %r4, %r4, %r3;\n"               \
	"mul.wide.u32 %rd2, %r1, 16;\nadd.s64 %rd3, %rd1, %rd2;\nsetp.ne.u32 %p1, %r1, 0;\n"                                      \
	"@!%p1 mbarrier.init.shared::cta.b64 [%r2], 32;\nbar.sync 0;\nmov.u32 %r7, 0;\n"                                          \
	"AGAIN: mov.u64 %rd5, %clock64;\n"                                                                                        \
	"cp.async.cg.shared.global [%r4], [%rd3+1024], 16;\n" ARRIVE WAIT                                                         \
	"mov.u64 %rd6, %clock64;\nsub.s64 %rd7, %rd6, %rd5;\n@!%p1 st.global.u64 [%rd1], %rd7;\n"                                 \
	"ld.shared.u32 %r5, [%r4];\n@!%p1 st.global.u32 [%rd1+8], %r5;\n"                                                         \
	"mbarrier.test_wait.parity.shared::cta.b64 %p3, [%r2], %r7;\nselp.u32 %r6, 1, 0, %p3;\n"                                  \
	"setp.eq.and.u32 %p5, %r7, 0, !%p1;\n@%p5 st.global.u32 [%rd1+16], %r6;\ncp.async.wait_all;\nadd.s64 %rd3, %rd3, 8192;\n" \
	"add.u32 %r7, %r7, 1;\nsetp.lt.u32 %p4, %r7, 2;\n@%p4 bra AGAIN;\nret;\n}\n"
#define TRY "T: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], %r7;\n@!%p2 bra T;\n"
#define NOINC "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r2];\n"

static struct waited copy_with(const char *text)
{
	struct err e = {0};
	struct waited w = {0};
	const u32 word = 0x12345678;
	struct sim *s = machine((const char *const[]){"cuda.capability=90", "num_sms=1", NULL});
	const u64 at = devmem_alloc(sim_devmem(s), 1 << 20, "out", &e);
	assert_true(devmem_write(sim_devmem(s), at + 1024, &word, 4, &e));
	assert_true(devmem_write(sim_devmem(s), at + 1024 + 8192, &word, 4, &e));
	const struct run r = run_ptx(s, text, 1, 32, &at, 1);
	assert_int_equal(r.why, STOP_IDLE);
	assert_true(devmem_read(sim_devmem(s), at, w.out, sizeof w.out, &e));
	assert_int_equal((u32)w.out[1], word);
	sim_destroy(s);
	return w;
}
static void arrivals(void **state)
{
	const struct waited all = copy_with(COPIES("", "cp.async.wait_all;\n"));
	const struct waited arrive = copy_with(COPIES(NOINC, TRY));
	assert_true(all.out[0] > 200); /* DRAM */
	assert_in_range(arrive.out[0], all.out[0], all.out[0] + 80);
	/* without .noinc the arrival is one more than expected: the phase is open, whatever has come */
	const struct waited inc =
	    copy_with(COPIES("cp.async.mbarrier.arrive.shared::cta.b64 [%r2];\n", "cp.async.wait_all;\n"));
	assert_int_equal(arrive.out[2], 1);
	assert_int_equal(inc.out[2], 0);
	/* nothing under way: it comes at once */
	const struct waited none = copy_with(COPIES("cp.async.wait_all;\n" NOINC, TRY));
	assert_in_range(none.out[0], all.out[0], all.out[0] + 80);
}

/* --- in the debugger ---------------------------------------------------------------------------------------------- */

static void open_kernel(struct rig *r, const char *kernel, const char *ctas, const char *threads,
                        const char *const *sets)
{
	static char copy[3][32];
	char *argv[40] = {"warpdbg",  "debug",         "tests/hangs/mbarriers.ptx",
	                  "--kernel", copy[0],         "--grid",
	                  copy[1],    "--block",       copy[2],
	                  "--arg",    "u32[8192]=iota"};
	u32 n = 11;
	snprintf(copy[0], sizeof copy[0], "%s", kernel);
	snprintf(copy[1], sizeof copy[1], "%s", ctas);
	snprintf(copy[2], sizeof copy[2], "%s", threads);
	if (!strcmp(kernel, "pipeline")) {
		argv[n++] = "--arg";
		argv[n++] = "u32[1024]=zero";
	}
	for (; sets && *sets; sets++) {
		argv[n++] = "--set";
		argv[n++] = (char *)*sets;
	}
	rig_open(r, argv);
}
static const char *const sets90[] = {"cuda.capability=90", "num_sms=2", NULL};

/* sum over 64 tiles of iota[128 t + i] = 64 i + 128 * 2016 */
static void right(struct rig *r)
{
	u32 got[128];
	struct err e = {0};
	for (u32 i = 0; i < sim_devmem(r->s->sim)->nallocs; i++) {
		const struct alloc *a = &sim_devmem(r->s->sim)->allocs[i];
		if (a->size == 4096 && !a->internal)
			assert_true(devmem_read(sim_devmem(r->s->sim), a->addr, got, sizeof got, &e));
	}
	for (u32 i = 0; i < 128; i++)
		assert_int_equal(got[i], 64 * i + 128 * 2016);
}
/* Steps n times so many cycles; whatever must hold between two cycles holds. */
static void steps(struct rig *r, u32 n, const char *line)
{
	for (u32 i = 0; i < n; i++) {
		struct err e = {0};
		rig_say(r, line);
		if (!sim_check_state(r->s->sim, &e))
			fail_msg("%s", e.msg);
	}
}
static void pipeline(void **state)
{
	struct rig r;
	open_kernel(&r, "pipeline", "2", "160", sets90);
	rig_say(&r, "break mbarrier-phase");
	rig_has(&r, "continue", "mbarrier-phase: SM ");
	rig_has(&r, "info mbarriers 0", "32 of 32");
	rig_has(&r, "print gpu.sm[0].cta[0].mbarriers[1].expected", "32");
	rig_has(&r, "print gpu.sm[0].cta[0].mbarriers[3].expected", "128");
	/* the first tile's arrivals have come, and not behind the second one's copies */
	rig_has(&r, "info copies", "then 32 threads arrive at an mbarrier");
	rig_say(&r, "delete");
	const u64 from = sim_cycle(r.s->sim);
	rig_say(&r, "step 3000");
	char before[100];
	snprintf(before, sizeof before, "%s", rig_say(&r, "print gpu.hash"));
	rig_say(&r, "reverse-step 2900");
	assert_int_equal(sim_cycle(r.s->sim), from + 100);
	rig_say(&r, "step 2900");
	assert_string_equal(rig_say(&r, "print gpu.hash"), before);
	rig_say(&r, "continue");
	right(&r);
	rig_has(&r, "info mbarriers", "has an mbarrier");
	rig_has(&r, "info copies", "no copy by cp.async under way");
	rig_close(&r);
}
/* Each of the two CTAs copies 64 tiles of 32 times 16 bytes, and an arrival follows each: as many events as tiles, none
 * sooner than L2's latency, and in a warp none before the one in front. */
static void landed(void **state)
{
	struct rig r;
	char path[] = "/tmp/wd-copies-XXXXXX", line[300];
	const int fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	open_kernel(&r, "pipeline", "2", "160", sets90);
	rig_say(&r, "break copy-done");
	rig_has(&r, "continue", "bytes 512");
	rig_say(&r, "delete");
	rig_say(&r, "reverse-step 1");
	snprintf(line, sizeof line, "record start %s copy-done", path);
	rig_say(&r, line);
	rig_say(&r, "continue");
	rig_say(&r, "record stop");
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	u32 n[2] = {0};
	while (fgets(line, sizeof line, f)) {
		const char *bytes = strstr(line, "\"bytes\":"), *cycles = strstr(line, "\"cycles\":"),
		           *cta = strstr(line, "\"cta\":");
		assert_non_null(bytes);
		assert_int_equal(atoi(bytes + 8), 512);
		assert_true(atoi(cycles + 9) > 120);
		n[atoi(cta + 6) & 1]++;
	}
	fclose(f);
	remove(path);
	assert_int_equal(n[0], 64);
	assert_int_equal(n[1], 64);
	rig_close(&r);
}
/* CTAs go from SM to SM while warps sleep and copies are under way, and the sums are right. */
static void saved(void **state)
{
	struct rig r;
	open_kernel(&r, "pipeline", "2", "160", sets90);
	for (u32 i = 0; i < 25; i++) {
		steps(&r, 30, "step 7");
		if (!rig_try(&r, i & 1 ? "save cta 0 --release" : "save cta 1"))
			err_clear(&r.e);
		steps(&r, 10, "step 5");
		if (!rig_try(&r, "restore cta 1"))
			err_clear(&r.e);
	}
	rig_say(&r, "continue");
	right(&r);
	rig_close(&r);
}
/* A CTA begins again in the middle. */
static void dropped(void **state)
{
	struct rig r;
	open_kernel(&r, "pipeline", "1", "160",
	            (const char *const[]){"cuda.capability=90", "idempotence.track=true", NULL});
	for (u32 i = 0; i < 5; i++) {
		steps(&r, 100, "step 9");
		rig_say(&r, "drop cta 0");
	}
	rig_say(&r, "continue");
	right(&r);
	rig_close(&r);
}
static void hangs(void **state)
{
	struct rig r;
	const char *const sets[] = {"cuda.capability=90", "num_sms=2", "deadlock_cycles=4000", NULL};
	open_kernel(&r, "nobody_arrives", "1", "64", sets);
	rig_has(&r, "continue", "ivelock");
	rig_has(&r, "why",
	        "waits at the mbarrier at 0x8 of its CTA's shared memory: phase 0, 64 of 64 arrivals missing; "
	        "nobody has arrived since mbarrier.init");
	rig_has(&r, "why", "the phase never ends");
	rig_has(&r, "info mbarriers", "64 of 64");
	rig_close(&r);
	open_kernel(&r, "nobody_else", "1", "64", sets);
	rig_has(&r, "continue", "ivelock");
	rig_has(&r, "why", "mbarrier at 0x0 of its CTA's shared memory: phase 0, 63 of 64 arrivals missing");
	rig_close(&r);
}
/* A machine that has no such instruction says so before the launch. */
static void older(void **state)
{
	struct rig r;
	char *argv[] = {"warpdbg",
	                "debug",
	                "tests/hangs/mbarriers.ptx",
	                "--kernel",
	                "nobody_arrives",
	                "--grid",
	                "1",
	                "--block",
	                "64",
	                "--arg",
	                "u32[8192]=iota",
	                "--set",
	                "cuda.capability=80",
	                NULL};
	memset(&r, 0, sizeof r);
	assert_int_equal(cmdline_parse(&r.o, 13, argv, &r.e), CMDLINE_OK);
	r.s = session_open(&r.o, console_modules, &r.e);
	if (r.s) {
		r.d = debugger_new(r.s, &console_words);
		assert_false(debugger_start(r.d, &r.out, &r.e));
	}
	assert_non_null(strstr(r.e.msg, "needs sm_90, this machine is sm_80"));
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sleeps),   cmocka_unit_test(limit),  cmocka_unit_test(arrivals),
	    cmocka_unit_test(pipeline), cmocka_unit_test(landed), cmocka_unit_test(saved),
	    cmocka_unit_test(dropped),  cmocka_unit_test(hangs),  cmocka_unit_test(older),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
