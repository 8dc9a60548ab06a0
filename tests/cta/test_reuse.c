/* Huzaifa 2020 on its machines: where a kernel's CTAs begin (launch.first), and what its microbenchmarks say of the CTA
 * schedulers (section 6.1, figure 4). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "commands/commands.h"
#include "session/session.h"
#include "tests/rig/debug_rig.h"

static void open(struct rig *r, const char *workload, const char *sched, const char *const *more)
{
	char *argv[24] = {"warpdbg",      "debug", (char *)workload, "--gpu",      "apu3",
	                  "--warp-sched", "gto",   "--cta-sched",    (char *)sched};
	for (u32 i = 9; *more; i++)
		argv[i] = (char *)*more++;
	rig_open(r, argv);
}

#define MORE(...) ((const char *const[]){__VA_ARGS__, NULL})
#define SHAPE(ctas, launches)                                                                                          \
	"--size", "default", "--param", "threads=64", "--param", "ctas=" #ctas, "--param", "launches=" #launches

/* The SM that gets a launch's first CTA: behind the one on which the launch before ended, or which got its last CTA. */
static void where_a_kernel_begins(void **state)
{
	static const char *const keys[] = {"launch.first=ended", "launch.first=placed"};
	for (u32 i = 0; i < 2; i++) {
		struct rig r;
		open(&r, "ikra_small", "rr", MORE(SHAPE(50, 16), "--set", keys[i]));
		rig_say(&r, "lua began, placed, ended = {}, {}, {}");
		rig_say(&r, "lua dbg.on('cta-done', function(e) ended[e.kernel] = e.sm end)");
		rig_say(&r, "lua dbg.on('cta-dispatch', function(e) local t = e.cta == 0 and began or e.cta == 49 and placed "
		            "if t then t[e.kernel] = e.sm end end)");
		rig_say(&r, "continue");
		rig_say(&r, i ? "lua before = placed" : "lua before = ended");
		rig_say(&r, "lua right, apart = 0, 0 for k = 1, 15 do "
		            "right = right + (began[k] == (before[k - 1] + 1) % 3 and 1 or 0) "
		            "apart = apart + (placed[k] ~= ended[k] and 1 or 0) end");
		rig_has(&r, "lua print(right, apart > 2)", "15\ttrue");
		rig_close(&r);
	}
}

static u64 cycles(const char *workload, const char *sched, const char *const *more)
{
	struct rig r;
	open(&r, workload, sched, more);
	rig_has(&r, "continue", "check passed");
	u64 n = strtoull(rig_say(&r, "lua print(gpu.cycle)"), NULL, 10);
	rig_close(&r);
	return n;
}

/* GPU-small: nothing leaves L1D once it is there; and CTAs that come to other SMs take much longer. */
static void small(void **state)
{
	static const char *const names[] = {"reset", "flip", "steal"};
	u64 rr = cycles("ikra_small", "rr", MORE(SHAPE(48, 16)));
	for (u32 i = 0; i < ARRAY_LEN(names); i++) {
		struct rig r;
		open(&r, "ikra_small", names[i], MORE(SHAPE(48, 16)));
		rig_say(&r, "break kernel-done");
		rig_say(&r, "continue");
		rig_say(&r, "lua misses, crossed, sums = gpu.l1d.misses, gpu.noc.read_crossings, gpu.l1d.accesses");
		rig_say(&r, "delete");
		rig_has(&r, "continue", "check passed");
		rig_has(&r,
		        "lua print(gpu.l1d.misses - misses, gpu.noc.read_crossings - crossed, gpu.l1d.accesses == 16 * sums)",
		        "0\t0\ttrue");
		assert_in_range(strtoull(rig_say(&r, "lua print(gpu.cycle)"), NULL, 10), 1, rr * 3 / 4);
		rig_close(&r);
	}
}

/* GPU-medium and -large: order is what counts. Work-Stealing: and balance. */
static void order(void **state)
{
	const char *const *medium = MORE(SHAPE(96, 5)), *const *large = MORE(SHAPE(276, 4));
	const char *const *uneven = MORE(SHAPE(138, 4), "--param", "threads=32", "--param", "apart=1");
	assert_in_range(cycles("ikra_medium", "flip", medium), 1, cycles("ikra_medium", "reset", medium) * 9 / 10);
	assert_in_range(cycles("ikra_large", "flip", large), 1, cycles("ikra_large", "reset", large) * 9 / 10);
	u64 rr = cycles("ikra_steal", "rr", uneven), reset = cycles("ikra_steal", "reset", uneven);
	u64 flip = cycles("ikra_steal", "flip", uneven), steal = cycles("ikra_steal", "steal", uneven);
	assert_true(rr < reset && flip < rr && steal < flip);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(where_a_kernel_begins),
	    cmocka_unit_test(small),
	    cmocka_unit_test(order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
