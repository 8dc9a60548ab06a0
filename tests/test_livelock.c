/* Livelocks: programs whose warps go round in circles are stopped, at the same cycle after any way through time;
 * programs that only look so, because they are slow, are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "debug_rig.h"
#include "debugger.h"

#define PATIENCE "20000" /* deadlock_cycles */

static void open_kernel(struct rig *r, const char *file, const char *kernel, const char *ctas, const char *patience)
{
	static char copy[4][48];
	char *argv[] = {"warpdbg", "debug", copy[0], "--kernel", copy[1], "--grid", copy[2], "--block", "64", "--arg",
	                "u32[64]=zero", "--set", copy[3],
	                /* room for two CTAs */
	                "--set", "num_sms=2", "--set", "sm.ctas=1", NULL};
	snprintf(copy[0], sizeof copy[0], "tests/hangs/%s.ptx", file);
	snprintf(copy[1], sizeof copy[1], "%s", kernel);
	snprintf(copy[2], sizeof copy[2], "%s", ctas);
	snprintf(copy[3], sizeof copy[3], "deadlock_cycles=%s", patience);
	rig_open(r, argv);
}

static const struct {
	const char *file, *kernel, *ctas, *why;
} circles[] = {
    {"circles", "endless", "1", ""},
    {"circles", "grid_barrier", "3", "spins"},
    {"circles", "crossed_locks", "2", "spins"},
    {"circles", "shared_spin", "2", "short result"},
    {"hangs", "half_barrier", "1", "the chain ends with a warp that is spinning"},
    {"hangs", "spin_flag", "2", "spins"},
    {"hangs", "simt_lock", "1", "can never release it"},
};

static void circles_are_found(void **state)
{
	for (u32 i = 0; i < sizeof circles / sizeof *circles; i++) {
		struct rig r;
		open_kernel(&r, circles[i].file, circles[i].kernel, circles[i].ctas, PATIENCE);
		rig_has(&r, "continue", "Livelock: for " PATIENCE " cycles");
		rig_has(&r, "why machine", circles[i].why);
		assert_true(gpu_livelocked(dbg_gpu(r.d)));
		assert_in_range(sim_cycle(r.s->sim), 40000, 50000);
		rig_close(&r);
	}
}

static void at_the_same_cycle_after_going_back(void **state)
{
	static const char *const back[] = {"reverse-step 1", "reverse-step 700", "reverse-step 9000", "goto 21000",
	                                   "goto 20"};
	for (u32 i = 0; i < sizeof circles / sizeof *circles; i++) {
		struct rig r;
		open_kernel(&r, circles[i].file, circles[i].kernel, circles[i].ctas, PATIENCE);
		rig_say(&r, "continue");
		const u64 at = sim_cycle(r.s->sim), hash = sim_hash(r.s->sim);
		for (u32 k = 0; k < sizeof back / sizeof *back; k++) {
			rig_say(&r, back[k]);
			assert_true(sim_cycle(r.s->sim) < at);
			assert_false(gpu_livelocked(dbg_gpu(r.d)));
			rig_say(&r, k & 1 ? "step 100" : "print 1");
			rig_has(&r, "continue", "Livelock");
			assert_int_equal(sim_cycle(r.s->sim), at);
			assert_int_equal(sim_hash(r.s->sim), hash);
		}
		rig_close(&r);
	}
}

/* Patience down to about the time that one access of memory takes. */
static void slow_is_not_stuck(void **state)
{
	static const char *const slow[] = {"counts_in_register", "counts_in_memory", "sleeps", "waits_for_the_clock"};
	static const char *const patience[] = {"1000", "1800", "4000"};
	for (u32 i = 0; i < 12; i++) {
		struct rig r;
		open_kernel(&r, "circles", slow[i / 3], "1", patience[i % 3]);
		rig_has(&r, "continue", "The program has finished");
		assert_true(sim_cycle(r.s->sim) > 5000); /* it took its time */
		rig_close(&r);
	}
}

/* What it waits for may still come: from the user's hand. */
static void a_hand_helps(void **state)
{
	struct rig r;
	open_kernel(&r, "hangs", "spin_flag", "1", "4000");
	rig_has(&r, "continue", "read global address 0x");
	u64 flag = strtoull(strstr(strbuf_str(&r.out), "global address ") + 15, NULL, 0);
	char line[64];
	snprintf(line, sizeof line, "lua mem.write_u32(%#llx, 1)", (unsigned long long)flag);
	rig_say(&r, "reverse-step 10");
	rig_say(&r, line);
	rig_has(&r, "continue", "The program has finished");
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(circles_are_found),
	    cmocka_unit_test(at_the_same_cycle_after_going_back),
	    cmocka_unit_test(slow_is_not_stuck),
	    cmocka_unit_test(a_hand_helps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
