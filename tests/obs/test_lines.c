/* Whose the lines of L1D are and why it missed, as a debugger's user sees them: on a real workload, across time travel,
 * in Lua and in `info`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "tests/rig/debug_rig.h"
#include "dbg/debugger.h"

static void kmeans(struct rig *r, const char *gpu)
{
	char *argv[] = {"warpdbg", "debug", "kmeans", "--size", "small", "--gpu", (char *)gpu, NULL};
	rig_open(r, argv);
}

static double number(struct rig *r, const char *expr)
{
	char line[200];
	snprintf(line, sizeof line, "print %s", expr);
	return atof(rig_say(r, line));
}

/* A matrix read column by column by more warps than L1D has room for. */
static void kmeans_thrashes(void **state)
{
	struct rig r;
	kmeans(&r, "gtx480");
	rig_say(&r, "until 12000");
	double cold = number(&r, "gpu.l1d.miss_cold"), capacity = number(&r, "gpu.l1d.miss_capacity");
	double reads = number(&r, "gpu.l1d.misses - gpu.l1d.write_misses");
	assert_true(cold > 0 && capacity > 4 * cold && capacity > 0.7 * reads);
	assert_true(number(&r, "gpu.l1d.miss_sector") == 0 && number(&r, "gpu.l2.miss_invalidated") == 0);
	rig_say(&r, "continue");
	assert_true(number(&r, "gpu.l1d.write_misses + gpu.l1d.miss_cold + gpu.l1d.miss_capacity + gpu.l1d.miss_sector + "
	                       "gpu.l1d.miss_invalidated + gpu.l1d.miss_conflict - gpu.l1d.misses") == 0);
	rig_close(&r);
}

#define LINES                                                                                                          \
	"lua local s = '' for i = 0, gpu.num_sms - 1 do for _, c in ipairs(gpu.sm[i].lines) do s = s .. c.kernel .. ':' "  \
	".. c.cta .. '=' .. c.lines .. ' ' end end print(s, gpu.l1d.miss_capacity, gpu.l1d.miss_conflict, "                \
	"gpu.l1d.miss_cold, gpu.l2.miss_cold, gpu.l2.miss_sector, gpu.hash)"

/* Owners and causes are those of the cycle, wherever one comes from. */
static void travels(void **state)
{
	static const char *const gpus[] = {"gtx480", "v100"};
	static const char *const at[] = {"9000", "12001", "16000"};
	for (u32 g = 0; g < ARRAY_LEN(gpus); g++) {
		struct rig r;
		char was[ARRAY_LEN(at)][8192], line[40];
		kmeans(&r, gpus[g]);
		for (u32 i = 0; i < ARRAY_LEN(at); i++) {
			snprintf(line, sizeof line, "until %s", at[i]);
			rig_say(&r, line);
			snprintf(was[i], sizeof was[i], "%s", rig_say(&r, LINES));
			assert_non_null(strchr(was[i], '='));
		}
		rig_say(&r, "until 24000");
		for (u32 k = 0; k < 2 * ARRAY_LEN(at); k++) {
			u32 i = k * 2 % ARRAY_LEN(at);
			snprintf(line, sizeof line, "goto %s", at[i]);
			rig_say(&r, line);
			assert_string_equal(rig_say(&r, LINES), was[i]);
			rig_say(&r, "reverse-step 40");
			rig_say(&r, "step 40");
			assert_string_equal(rig_say(&r, LINES), was[i]);
		}
		rig_close(&r);
	}
}

static void told(void **state)
{
	struct rig r;
	kmeans(&r, "gtx480");
	rig_has(&r, "info lines", "L1D of SM 0 holds no line.");
	rig_say(&r, "until 12000");
	rig_has(&r, "info lines 3", "kernel  CTA        lines  share\n0       3 ");
	rig_has(&r, "info lines 3", "100%  \n128 of 128 lines of SM 3's L1D alive");
	rig_fails(&r, "info lines 99", "99 is larger than 14");
	rig_has(&r, "info li 58", "58"); /* still the source line */
	rig_has(&r, "explain l1d.miss_capacity", "fully associative");
	rig_has(&r, "explain l2.sector_rate", "miss_sector");
	rig_say(&r, "break l1-evict sm=3");
	rig_has(&r, "continue", "owner_kernel 0, owner_cta 3");
	rig_close(&r);
}

/* CTAs that have ended leave their lines behind. */
static void ended(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "break cta-done sm=0");
	rig_say(&r, "continue");
	rig_say(&r, "step 2");
	rig_has(&r, "info lines 0", "ended");
	rig_say(&r, "delete");
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(kmeans_thrashes),
	    cmocka_unit_test(travels),
	    cmocka_unit_test(told),
	    cmocka_unit_test(ended),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
