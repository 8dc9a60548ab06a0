/* Livelocks: programs whose warps go round in circles are stopped, at the same cycle after any way through time;
 * programs that only look so, because they are slow, are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/rig/debug_rig.h"
#include "dbg/debugger.h"

#define PATIENCE "20000" /* deadlock_cycles */

static void open_on(struct rig *r, const char *file, const char *kernel, const char *ctas, const char *patience,
                    const char *sms)
{
	static char copy[5][48];
	char *argv[] = {"warpdbg", "debug",        copy[0], "--kernel", copy[1], "--grid", copy[2], "--block",   "64",
	                "--arg",   "u32[64]=zero", "--set", copy[3],    "--set", copy[4],  "--set", "sm.ctas=1", NULL};
	snprintf(copy[0], sizeof copy[0], "tests/hangs/%s.ptx", file);
	snprintf(copy[1], sizeof copy[1], "%s", kernel);
	snprintf(copy[2], sizeof copy[2], "%s", ctas);
	snprintf(copy[3], sizeof copy[3], "deadlock_cycles=%s", patience);
	snprintf(copy[4], sizeof copy[4], "num_sms=%s", sms);
	rig_open(r, argv);
}

/* Room for two CTAs. */
static void open_kernel(struct rig *r, const char *file, const char *kernel, const char *ctas, const char *patience)
{
	open_on(r, file, kernel, ctas, patience, "2");
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

/* The cycle at which it has been found is the same one for those who come there by another way and have not looked. */
static void one_state_where_it_ends(void **state)
{
	static const struct {
		const char *file, *kernel, *says;
	} ends[] = {{"hangs", "crossed_barriers", "Deadlock: nothing is under way"},
	            {"hangs", "half_barrier", "Livelock"},
	            {"circles", "crossed_locks", "Livelock"}};
	for (u32 i = 0; i < sizeof ends / sizeof *ends; i++) {
		struct rig r;
		char line[40];
		open_kernel(&r, ends[i].file, ends[i].kernel, "2", PATIENCE);
		rig_has(&r, "continue", ends[i].says);
		const u64 at = sim_cycle(r.s->sim), hash = sim_hash(r.s->sim);
		snprintf(line, sizeof line, "goto %llu", (unsigned long long)at);
		for (u32 back = 1; back < 400; back += 133) {
			char past[40];
			snprintf(past, sizeof past, "reverse-step %u", back);
			rig_say(&r, past);
			rig_say(&r, line);
			assert_int_equal(sim_cycle(r.s->sim), at);
			assert_int_equal(sim_hash(r.s->sim), hash);
			rig_has(&r, "step 1", ends[i].says);
			assert_int_equal(sim_cycle(r.s->sim), at);
			assert_int_equal(sim_hash(r.s->sim), hash);
			rig_say(&r, past);
			snprintf(past, sizeof past, "step %u", back);
			rig_say(&r, past);
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

/* A loop that sleeps comes round late: what is found out and when, with windows of 7 us and loops of up to 1 ms. */
static void sleepers_are_found(void **state)
{
	static const struct {
		const char *kernel, *ctas;
		u64 by; /* cycle */
	} sleeper[] = {{"polls_slowly", "2", 6000000}, {"backs_off", "1", 6000000}, {"one_sleeps", "2", 2000000}};
	for (u32 i = 0; i < sizeof sleeper / sizeof *sleeper; i++) {
		struct rig r;
		open_kernel(&r, "sleepers", sleeper[i].kernel, sleeper[i].ctas, PATIENCE);
		rig_has(&r, "until 10000000", "Livelock: for " PATIENCE " cycles");
		assert_true(gpu_livelocked(dbg_gpu(r.d)));
		const u64 at = sim_cycle(r.s->sim), hash = sim_hash(r.s->sim);
		assert_in_range(at, 40000, sleeper[i].by);
		rig_say(&r, "goto 100000");
		rig_has(&r, "until 10000000", "Livelock");
		assert_int_equal(sim_cycle(r.s->sim), at);
		assert_int_equal(sim_hash(r.s->sim), hash);
		rig_close(&r);
	}
}

static void long_sleep_is_not_for_ever(void **state)
{
	static const struct {
		const char *kernel, *ctas;
		u64 after; /* cycles: its sleeps */
	} sleeper[] = {
	    {"released_by_warp", "1", 700000}, {"released_by_cta", "2", 7000000}, {"counts_asleep", "1", 2800000}};
	static const char *const patience[] = {"1000", PATIENCE, "100000"};
	for (u32 i = 0; i < 9; i++) {
		struct rig r;
		open_kernel(&r, "sleepers", sleeper[i / 3].kernel, sleeper[i / 3].ctas, patience[i % 3]);
		rig_has(&r, "continue", "The program has finished");
		assert_true(sim_cycle(r.s->sim) > sleeper[i / 3].after);
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

/* --- who took the lock -------------------------------------------------------------------------------------------- */

static const struct {
	const char *file, *kernel, *ctas, *told[5], *not_told;
} locks[] = {
    {"circles",
     "crossed_locks",
     "2",
     {"the word holds 1, as the last atomic that takes locks left it: lane 0 of SM 1 warp 0 (warp 0 of CTA 1 of ",
      "circles.ptx:38  atom.global.exch.b32 %r2, [%rd3], 1;", "that warp spins itself: lines 46-49 read global address",
      "lane 0 of SM 0 warp 0 (warp 0 of CTA 0 of ",
      "we have been there: a cycle of locks, if each of these warps still holds what it took"},
     "has exited"},
    {"locks",
     "crossed_in_shared",
     "1",
     {"the word holds 7, as the last atomic that takes locks left it: lane 0 of SM 0 warp 1 ",
      "locks.ptx:24  atom.shared.cas.b32", "that warp spins itself: lines 32-34 read shared address 0x0",
      "lane 0 of SM 0 warp 0 ", "we have been there: a cycle of locks"},
     "has exited"},
    {"locks",
     "taken_away",
     "2",
     {"the word holds 1, as the last atomic that takes locks left it: lane 0 of SM 0 warp 0 (warp 0 of CTA 0 of ",
      "locks.ptx:57  atom.global.exch.b32", "that warp has exited: if it had to give the lock back, nobody does"},
     "a cycle of locks"},
    {"locks",
     "stored_over",
     "2",
     {"the word holds 9, left by a store or another atomic; the last one that takes locks left 1: lane 0 of SM 0 warp "
      "0 "},
     "that warp"},
    {"hangs",
     "simt_lock",
     "1",
     {"the word holds 1, as the last atomic that takes locks left it: lane 0 of SM 0 warp 0 ", "can never release it"},
     "a cycle of locks"},
    {"hangs", "spin_flag", "2", {"spins: lines"}, "the word holds"}, /* a flag that no atomic has ever changed */
};

/* In this order, in what `why machine` says; the same after going back and on again. */
static void holders_are_named(void **state)
{
	for (u32 i = 0; i < sizeof locks / sizeof *locks; i++) {
		struct rig r;
		open_kernel(&r, locks[i].file, locks[i].kernel, locks[i].ctas, PATIENCE);
		rig_say(&r, "continue");
		struct strbuf first = STRBUF_INIT;
		strbuf_adds(&first, rig_say(&r, "why machine"));
		const char *at = strbuf_str(&first);
		for (u32 k = 0; k < 5 && locks[i].told[k]; k++)
			if (!(at = strstr(at, locks[i].told[k])))
				fail_msg("%s: '%s' expected in: %s", locks[i].kernel, locks[i].told[k], strbuf_str(&first));
		if (strstr(strbuf_str(&first), locks[i].not_told))
			fail_msg("%s: '%s' not expected in: %s", locks[i].kernel, locks[i].not_told, strbuf_str(&first));
		rig_say(&r, "goto 100"); /* before anything was taken */
		rig_say(&r, "why machine");
		assert_null(strstr(strbuf_str(&r.out), "the word holds"));
		rig_say(&r, "continue");
		assert_string_equal(rig_say(&r, "why machine"), strbuf_str(&first));
		strbuf_release(&first);
		rig_close(&r);
	}
}

/* Slots of CTAs and warps are taken again: whoever sits there now has not done it. */
static void slots_are_taken_again(void **state)
{
	struct rig r;
	open_on(&r, "locks", "taken_away", "2", PATIENCE, "1");
	rig_say(&r, "continue");
	rig_has(&r, "why machine", "left it: lane 0 of SM 0 warp 0 (warp 0 of CTA 0 of ");
	assert_non_null(strstr(strbuf_str(&r.out), "that warp has exited: if it had to give the lock back, nobody does"));
	rig_close(&r);
	open_on(&r, "locks", "earlier_cta", "2", PATIENCE, "1");
	rig_say(&r, "continue");
	rig_has(&r, "why machine", "spins: lines");
	assert_null(strstr(strbuf_str(&r.out), "the word holds"));
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(circles_are_found),
	    cmocka_unit_test(at_the_same_cycle_after_going_back),
	    cmocka_unit_test(one_state_where_it_ends),
	    cmocka_unit_test(slow_is_not_stuck),
	    cmocka_unit_test(sleepers_are_found),
	    cmocka_unit_test(long_sleep_is_not_for_ever),
	    cmocka_unit_test(a_hand_helps),
	    cmocka_unit_test(holders_are_named),
	    cmocka_unit_test(slots_are_taken_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
