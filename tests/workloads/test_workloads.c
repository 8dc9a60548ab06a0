/* Every bundled workload - every file of scripts/workloads - in its small size: against its CPU reference on the
 * machines in turn; the conservation laws at the end of each run; determinism: the same bytes when every event is
 * watched and a sampler attached as without. Schedulers: test_matrix. */
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
#include "tests/rig/rounds.h"

#define GPU "gtx480"
#define SCHED "gto"

struct outcome {
	u64 hash, cycles, insts;
};

static bool count_event(void *ctx, const struct event *e)
{
	++*(u64 *)ctx;
	return false;
}
static void count_sample(void *ctx, u64 cycle)
{
	++*(u64 *)ctx;
}

static u64 instructions(struct session *s)
{
	u64 sum = 0;
	for (u32 i = 0; i < gpu_conf(sim_gpu(s->sim))->num_sms; i++)
		sum += ((const struct sm_counters *)gpu_counters(sim_gpu(s->sim), CG_sm, i))->issued;
	return sum;
}

static struct outcome run(const char *workload, const char *gpu, const char *sched, bool watched)
{
	char set[64];
	snprintf(set, sizeof set, "warp-sched=%s", sched);
	const char *sets[] = {set};
	struct options o = {.command = "run",
	                    .workload = workload,
	                    .gpu = gpu,
	                    .size = "small",
	                    .sets = sets,
	                    .nsets = 1,
	                    .max_cycles = NEVER};
	struct err e = {0};
	struct session *s = session_open(&o, console_modules, &e);
	if (!s)
		fail_msg("%s: %s", workload, e.msg);
	u64 events = 0, samples = 0;
	if (watched) {
		sim_subscribe(s->sim, EVENTS_ALL, count_event, &events);
		sim_add_sampler(s->sim, 97, count_sample, &samples);
	}
	enum session_stop why = session_run(s, NEVER, &e);
	if (why != SS_FINISHED)
		fail_msg("%s on %s under %s: %s %s", workload, gpu, sched, session_stop_text(why), e.msg);
	if (s->check != CHECK_PASS)
		fail_msg("%s on %s under %s: check %s %s", workload, gpu, sched,
		         s->check == CHECK_NONE ? "missing" : "failed:", strbuf_str(&s->check_message));
	sim_drain(s->sim);
	if (!sim_check(s->sim, &e))
		fail_msg("%s on %s under %s: %s", workload, gpu, sched, e.msg);
	struct outcome out = {sim_hash(s->sim), sim_cycle(s->sim), instructions(s)};
	if (watched && (events <= out.insts || !samples))
		fail_msg("%s: %llu events and %llu samples for %llu instructions", workload, (unsigned long long)events,
		         (unsigned long long)samples, (unsigned long long)out.insts);
	session_close(s);
	return out;
}

/* The list in the directory must have what the other tests and the documentation name. */
static void test_they_are_there(void **state)
{
	static const char *const some[] = {"bfs", "hotspot", "matmul", "vecadd"};
	for (u32 i = 0; i < ARRAY_LEN(some); i++) {
		bool found = false;
		for (u32 w = 0; w < workloads.n; w++)
			found |= !strcmp(workloads.name[w], some[i]);
		if (!found)
			fail_msg("scripts/workloads has no %s.lua", some[i]);
	}
}

/* A machine a workload beside the one below: every machine gets its share of the workloads.
 * WARPDBG_OTHER_MACHINES=N: N machines a workload. */
static void test_other_machines(void **state)
{
	u32 next = 0;
	assert_true(machines.n >= 3);
	for (u32 w = 0; w < workloads.n; w++)
		for (u32 done = 0; done < rounds("WARPDBG_OTHER_MACHINES", 1, 1); next++) {
			const char *gpu = machines.name[next % machines.n];
			if (!strcmp(gpu, GPU))
				continue;
			run(workloads.name[w], gpu, SCHED, false);
			done++;
		}
}

static void test_deterministic(void **state)
{
	for (u32 w = 0; w < workloads.n; w++) {
		const char *workload = workloads.name[w];
		struct outcome a = run(workload, GPU, SCHED, false), b = run(workload, GPU, SCHED, true);
		if (a.cycles != b.cycles || a.hash != b.hash)
			fail_msg("%s: a second run, watched, differs", workload);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_they_are_there),
	    cmocka_unit_test(test_other_machines),
	    cmocka_unit_test(test_deterministic),
	};
	return cmocka_run_group_tests(tests, find_files, release_files);
}
