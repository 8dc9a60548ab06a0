/* Breakpoints on what ends the run - a fault, a deadlock - or in its last cycle: they count, tell, execute their
 * commands and leave nothing behind that a later stop, or a search backwards, would take for a hit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "tests/rig/debug_rig.h"
#include "dbg/debugger.h"

/* vecadd over more elements than its buffers have. */
static void open_faulting(struct rig *r)
{
	char *argv[] = {"warpdbg",     "debug",          "configs/kernels/vecadd.ptx",
	                "--kernel",    "vecadd",         "--grid",
	                "4",           "--block",        "256",
	                "--arg",       "f32[1000]=iota", "--arg",
	                "f32[1000]=1", "--arg",          "f32[1000]=zero",
	                "--arg",       "u32=99999",      NULL};
	rig_open(r, argv);
}

static void open_hanging(struct rig *r)
{
	char *argv[] = {"warpdbg",  "debug",         "tests/hangs/circles.ptx",
	                "--kernel", "crossed_locks", "--grid",
	                "2",        "--block",       "64",
	                "--arg",    "u32[64]=zero",  NULL};
	rig_open(r, argv);
}

static void tells(struct rig *r, const char *event, const char *end)
{
	char line[60], hit[60];
	snprintf(line, sizeof line, "break %s", event);
	rig_say(r, line);
	rig_say(r, "commands");
	rig_say(r, "echo its commands\\n");
	rig_say(r, "end");
	snprintf(hit, sizeof hit, "Breakpoint 1, %s", event);
	for (u32 i = 1; i <= 2; i++) { /* after going back, too */
		const char *said = rig_say(r, "continue");
		const char *first = strstr(said, hit), *second = strstr(said, end), *third = strstr(said, "its commands");
		if (!first || !second || !third || first > second || second > third)
			fail_msg("%s", said);
		assert_null(strstr(said, ": \n"));
		snprintf(line, sizeof line, "%u hit", i);
		rig_has(r, "info breakpoints", line);
		rig_fails(r, "continue", "cannot go on");
		if (i == 1)
			rig_say(r, "reverse-step 3");
	}
}

/* What is left of the hit is taken for one by nobody. */
static void leaves_nothing(struct rig *r)
{
	const u64 end = sim_cycle(r->s->sim);
	rig_has(r, "reverse-continue", "no stop before");
	assert_int_equal(sim_cycle(r->s->sim), 0);
	assert_null(strstr(rig_say(r, "step 5"), "Breakpoint"));
	rig_say(r, "delete");
	char line[60];
	snprintf(line, sizeof line, "break cycle %llu", (unsigned long long)end - 2);
	rig_say(r, line);
	rig_has(r, "continue", "Breakpoint 2, ");
	assert_int_equal(sim_cycle(r->s->sim), end - 2);
}

static void fault(void **state)
{
	struct rig r;
	open_faulting(&r);
	tells(&r, "fault", "is out of bounds");
	leaves_nothing(&r);
	rig_close(&r);
}

static void deadlock(void **state)
{
	struct rig r;
	open_hanging(&r);
	tells(&r, "deadlock", "Livelock: ");
	leaves_nothing(&r);
	rig_close(&r);
}

static void once(void **state)
{
	struct rig r;
	open_faulting(&r);
	rig_say(&r, "tbreak fault");
	rig_has(&r, "continue", "Temporary breakpoint 1, fault");
	rig_has(&r, "info breakpoints", "No breakpoints");
	rig_say(&r, "break fault if e.sm == 99");
	rig_say(&r, "reverse-step 10");
	assert_null(strstr(rig_say(&r, "continue"), "Breakpoint"));
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(fault),
	    cmocka_unit_test(deadlock),
	    cmocka_unit_test(once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
