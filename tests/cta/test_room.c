/* What an SM has left for a kernel, as it is told: `info room`, `why kernel`, gpu.kernel[k].room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "commands/commands.h"
#include "tests/rig/debug_rig.h"

static void open_pair(struct rig *r, char *partition)
{
	char *argv[] = {"warpdbg",          "debug",     "cp",   "lud",         "--size",  "small", "--set",
	                "launch.latency=0", "--preempt", "none", "--partition", partition, NULL};
	rig_open(r, argv);
}

/* cp comes first and has all SMs, then half of them. */
static void told_by_sm(void **state)
{
	struct rig r;
	open_pair(&r, "fcfs");
	rig_say(&r, "until 2000");
	rig_has(&r, "info room 0", "kernel 0, cenergy: a CTA has ");
	rig_has(&r, "info room 0", "     0 CTAs    occupancy\n");
	rig_has(&r, "why kernel 0", "  SM 0-14: an SM holds no more than 8 of its CTAs\n");
	rig_say(&r, "until gpu.kernel[0].dispatched == gpu.kernel[0].ctas");
	rig_has(&r, "info room 0", "     0 CTAs    none to come\n");
	rig_has(&r, "why kernel 0", "kernel 0 (cenergy) has ");
	rig_has(&r, "why kernel 0", ": it has no CTAs to come\n");
	rig_fails(&r, "info room 99", "99 is larger than");
	rig_fails(&r, "why kernel 99", "99 is larger than");
	rig_fails(&r, "why kernle 1", "'kernel N', 'machine' or nothing is expected");
	rig_has(&r, "lua x = gpu.kernel[0].room[3] print(x.lacks, x.ctas > 0, x.regs_free >= x.regs_piece, x.fragmented)",
	        "none to come\ttrue\ttrue\t0\n");
	rig_close(&r);
}

/* A kernel behind another one of its stream, one that waits for its latency, and one that has ended. */
static void told_of_waiting(void **state)
{
	struct rig r;
	open_pair(&r, "fcfs");
	rig_say(&r, "until 3000");
	rig_has(&r, "lua print(gpu.kernel[2].room)", "nil\n");
	rig_has(&r, "info room 2", "Kernel 2 is queued; `why kernel 2` tells more.\n");
	rig_has(&r, "why kernel 2",
	        "kernel 2 (lud_perimeter) has not begun: kernel 1 (lud_diagonal) comes before it in stream 0");
	rig_say(&r, "continue");
	rig_has(&r, "why kernel 1", "kernel 1 (lud_diagonal) has ended in cycle ");
	rig_close(&r);
	char *argv[] = {"warpdbg", "debug", "cp", "--size", "small", "--set", "launch.latency=5000", NULL};
	rig_open(&r, argv);
	rig_say(&r, "until 100");
	rig_has(&r, "why kernel 0", "has not begun: it starts in cycle 5000");
	rig_close(&r);
}

/* Each lack by name, with figures. */
static void told_why(void **state)
{
	struct rig r;
	char *argv[] = {"warpdbg",     "debug", "hotspot",   "--param", "n=512", "cp",     "--param", "points=256",
	                "--partition", "smk",   "--preempt", "none",    "--gpu", "gtx480", NULL};
	rig_open(&r, argv);
	rig_say(&r, "until 8000");
	rig_has(&r, "why kernel 2", "; kernel 0 has ");
	rig_say(&r, "set partition spatial");
	rig_say(&r, "until 14000");
	rig_has(&r, "why kernel 0",
	        "  SM 7-14: partition spatial lets it have 0 CTAs, it has 0; kernel 2 has 5 CTAs there\n");
	rig_say(&r, "set partition fcfs");
	rig_say(&r, "step 10");
	rig_has(&r, "why kernel 2", "free");
	rig_close(&r);
}

/* A kernel that gets no SM because another one's CTAs are still to leave those that it shall have. */
static void sms_on_their_way(void **state)
{
	struct rig r;
	char *argv[] = {"warpdbg",          "debug",     "cp",     "lud",         "--size",  "small", "--set",
	                "launch.latency=0", "--preempt", "switch", "--partition", "spatial", NULL};
	rig_open(&r, argv);
	rig_say(&r, "tbreak preempt-start");
	rig_say(&r, "continue");
	rig_say(&r, "step 100");
	rig_has(&r, "why kernel 3", ", request 1 takes them off by switch (`info preemptions`)\n");
	rig_has(&r, "why kernel 0", "has been taken from it by preemption; request 1, by switch, is under way");
	rig_say(&r, "tbreak deadline-met");
	rig_say(&r, "continue");
	rig_say(&r, "step 10");
	rig_has(&r, "why kernel 3", "it has no CTAs to come");
	assert_null(strstr(r.out.buf, "request"));
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(told_by_sm),
	    cmocka_unit_test(told_of_waiting),
	    cmocka_unit_test(told_why),
	    cmocka_unit_test(sms_on_their_way),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
