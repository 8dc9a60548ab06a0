/* Every bundled workload in its small size with the re-execution queue: against its CPU reference, the conservation
 * laws at the end, and every step of every queue against the published rules. Both kinds on gtx480; on the other
 * machines, in turn, one of them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "commands/commands.h"
#include "session/session.h"
#include "tests/rig/catalog_rig.h"
#include "tests/rig/replay_rules.h"

#define GPU "gtx480"

static struct rules rules;

static void run(const char *workload, const char *gpu, const char *mode)
{
	const char *sets[] = {"warp-sched=gto", mode};
	struct options o = {.command = "run",
	                    .workload = workload,
	                    .gpu = gpu,
	                    .size = "small",
	                    .sets = sets,
	                    .nsets = 2,
	                    .max_cycles = NEVER};
	struct err e = {0};
	struct session *s = session_open(&o, console_modules, &e);
	if (!s)
		fail_msg("%s: %s", workload, e.msg);
	rules_watch(&rules, s->sim);
	enum session_stop why = session_run(s, NEVER, &e);
	if (why != SS_FINISHED)
		fail_msg("%s on %s with %s: %s %s", workload, gpu, mode, session_stop_text(why), e.msg);
	if (s->check != CHECK_PASS)
		fail_msg("%s on %s with %s: check: %s", workload, gpu, mode, strbuf_str(&s->check_message));
	sim_drain(s->sim);
	if (!sim_check(s->sim, &e))
		fail_msg("%s on %s with %s: %s", workload, gpu, mode, e.msg);
	if (rules.entered != rules.left)
		fail_msg("%s on %s with %s: transactions are left in the queue", workload, gpu, mode);
	session_close(s);
}

static void test_gtx480(void **state)
{
	static const char *const modes[] = {"lsu.replay=car", "lsu.replay=newcar"};
	for (u32 i = 0; i < 2; i++) {
		u64 entered = 0, overtaken = 0, ordered = 0;
		for (u32 w = 0; w < workloads.n; w++) {
			run(workloads.name[w], GPU, modes[i]);
			entered += rules.entered;
			overtaken += rules.overtaken;
			ordered += rules.ordered;
		}
		assert_true(entered > 100000);
		assert_int_equal(overtaken > 0, i);
		assert_int_equal(ordered > 1000, i);
	}
}

static void test_other_machines(void **state)
{
	assert_true(machines.n >= 3);
	for (u32 w = 0, next = 0; w < workloads.n; w++) {
		const char *gpu = machines.name[next++ % machines.n];
		if (!strcmp(gpu, GPU))
			gpu = machines.name[next++ % machines.n];
		run(workloads.name[w], gpu, w % 2 ? "lsu.replay=car" : "lsu.replay=newcar");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_gtx480),
	    cmocka_unit_test(test_other_machines),
	};
	return cmocka_run_group_tests(tests, find_files, release_files);
}
