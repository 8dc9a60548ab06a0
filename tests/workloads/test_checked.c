/* Bundled workloads under --check, in their small size on v100, whose lanes go their own ways: no race, but pairs of
 * lines that write the same value; what nobody has written is read where the workload relies on zeroed memory. And the
 * run is the one without: cycles, and every byte.
 *
 * WARPDBG_CHECKED=N: every N-th workload. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "commands/commands.h"
#include "obs/name/findings.h"
#include "session/session.h"
#include "tests/rig/catalog_rig.h"
#include "tests/rig/rounds.h"

struct setting { /* what a session is opened with outlives it */
	struct options o;
	const char *sets[4];
};
static struct session *run_one(struct setting *x, const char *workload, bool checked)
{
	const char *on = checked ? "true" : "false";
	static char races[2][32], init[2][32];
	snprintf(races[checked], sizeof races[checked], "check.races=%s", on);
	snprintf(init[checked], sizeof init[checked], "check.init=%s", on);
	*x = (struct setting){.sets = {races[checked], init[checked], "history.mb=0", "num_sms=16"}};
	x->o = (struct options){.command = "run",
	                        .workload = workload,
	                        .gpu = "v100",
	                        .size = "small",
	                        .sets = x->sets,
	                        .nsets = ARRAY_LEN(x->sets),
	                        .max_cycles = NEVER};
	struct err e = {0};
	struct session *s = session_open(&x->o, console_modules, &e);
	if (!s)
		fail_msg("%s: %s", workload, e.msg);
	const enum session_stop why = session_run(s, NEVER, &e);
	if (why != SS_FINISHED || s->check != CHECK_PASS)
		fail_msg("%s: %s", workload, session_stop_text(why));
	return s;
}

/* MODEL.md, Races and uninitialised memory */
static const char *const reads_zeroed[] = {"btree", "lavamd", "lbm", "mriq", "radixsort", "sad", "streamcluster"};
static const char *const raises_flags[] = {"bfs", "color", "mis", "sssp"};

static bool among(const char *name, const char *const *list, u32 n)
{
	for (u32 i = 0; i < n; i++)
		if (!strcmp(name, list[i]))
			return true;
	return false;
}

static void look_at(const char *workload, struct gpu *g)
{
	struct strbuf all = STRBUF_INIT;
	u32 n, benign = 0, zeroed = 0;
	u64 lost;
	const struct check_finding *f = checks_findings(gpu_checks(g), &n, &lost);
	findings_text(g, &all);
	for (u32 i = 0; i < n; i++) {
		benign += f[i].same;
		zeroed += f[i].kind == CHECK_UNINIT && f[i].space == SPC_GLOBAL;
	}
	if (lost || checks_unwatched(g ? gpu_checks(g) : NULL) || n != benign + zeroed ||
	    (zeroed != 0) != among(workload, reads_zeroed, ARRAY_LEN(reads_zeroed)) ||
	    (benign != 0) != among(workload, raises_flags, ARRAY_LEN(raises_flags)))
		fail_msg("%s:\n%s", workload, strbuf_str(&all));
	strbuf_release(&all);
}

static void test_workloads(void **state)
{
	u32 looked = 0;
	for (u32 w = rounds("WARPDBG_CHECKED", 3, 8) - 1; w < workloads.n; w += rounds("WARPDBG_CHECKED", 3, 8)) {
		struct setting off, on;
		struct session *a = run_one(&off, workloads.name[w], false), *b = run_one(&on, workloads.name[w], true);
		assert_null(gpu_checks(sim_gpu(a->sim)));
		look_at(workloads.name[w], sim_gpu(b->sim));
		if (sim_cycle(a->sim) != sim_cycle(b->sim) || sim_hash(a->sim) != sim_hash(b->sim))
			fail_msg("%s: cycle %llu, with checks %llu, or another state", workloads.name[w],
			         (unsigned long long)sim_cycle(a->sim), (unsigned long long)sim_cycle(b->sim));
		session_close(a);
		session_close(b);
		looked++;
	}
	print_message("%u workloads\n", looked);
	assert_true(looked > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_workloads)};
	return cmocka_run_group_tests(tests, find_files, release_files);
}
