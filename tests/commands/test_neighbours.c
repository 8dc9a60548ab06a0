/* Names of other tools: each name on the right exists, each expression can be printed, and comes to what its text says
 * where that can be told. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "session/explain.h"
#include "session/neighbours.h"
#include "tests/rig/debug_rig.h"

struct wanted {
	const char *name;
	u32 found;
};

/* By its full name, or as a concept's other word: as `explain` is asked. */
static void visit(void *ctx, const struct explanation *x)
{
	struct wanted *w = ctx;
	const size_t n = strlen(w->name);
	w->found += !strcmp(x->name, w->name);
	for (const char *o = x->words; o && *o; o += strcspn(o, ","), o += *o == ',')
		w->found += strcspn(o, ",") == n && !strncmp(o, w->name, n);
}

static void test_names_exist(void **state)
{
	char name[64];
	for (u32 i = 0; i < nneighbours; i++)
		for (const char *h = neighbours[i].here; *h; h += strcspn(h, ","), h += *h == ',') {
			snprintf(name, sizeof name, "%.*s", (int)strcspn(h, ","), h);
			struct wanted w = {.name = name};
			explain_each(NULL, visit, &w);
			if (!w.found)
				fail_msg("%s: nothing is called '%s' here", neighbours[i].name, name);
		}
}

/* Names stand once, each is found by itself, and who has no counterpart says why. */
static void test_rows(void **state)
{
	for (u32 i = 0; i < nneighbours; i++) {
		const struct neighbour *n = &neighbours[i];
		bool part;
		assert_ptr_equal(neighbour_find(n->name, &part), n);
		assert_false(part);
		const bool here = strcasestr(n->text, "here") || !strncmp(n->text, "as ", 3);
		if (!here || n->text[strlen(n->text) - 1] == '.')
			fail_msg("%s: its text does not say how it is here: %s", n->name, n->text);
		if (!*n->here && !*n->expression && !strstr(n->text, "no"))
			fail_msg("%s: why is there none?", n->name);
	}
	assert_in_range(nneighbours, 150, 1000);
}

static void test_expressions(void **state)
{
	struct rig r;
	char line[300];
	rig_words(&r, "hotspot --size small");
	rig_say(&r, "continue");
	for (u32 i = 0; i < nneighbours; i++) {
		if (!*neighbours[i].expression)
			continue;
		snprintf(line, sizeof line, "print %s", neighbours[i].expression);
		char *end;
		const char *said = rig_say(&r, line);
		strtod(said, &end);
		if (end == said || *end != '\n')
			fail_msg("%s: %s is no number: %s", neighbours[i].name, line, said);
	}
	rig_close(&r);
}

static double value_of(struct rig *r, const char *name)
{
	char line[300];
	bool part;
	const struct neighbour *n = neighbour_find(name, &part);
	assert_non_null(n);
	snprintf(line, sizeof line, "print %s", n->expression);
	return strtod(rig_say(r, line), NULL);
}

static double print_of(struct rig *r, const char *expression)
{
	char line[300];
	snprintf(line, sizeof line, "print %s", expression);
	return strtod(rig_say(r, line), NULL);
}

/* Against figures found in another way: sums over SMs and launches, classes of reasons. */
static void test_values(void **state)
{
	static const struct {
		const char *name, *expression;
	} same[] = {
	    {"gpu_tot_sim_cycle", "9314"},
	    {"gpu_tot_ipc", "(gpu.kernel[0].thread_insts + gpu.kernel[1].thread_insts) / 9314"},
	    {"gpu_sim_insn", "gpu.kernel[1].thread_insts"},
	    {"gpgpu_n_tot_w_icount", "gpu.kernel[0].warp_insts + gpu.kernel[1].warp_insts"},
	    {"long_scoreboard", "gpu.stalls('base')['memory dependency']"},
	    {"membar", "gpu.stalls('base')['fence']"},
	    {"math_pipe_throttle", "gpu.stalls('base')['pipe busy']"},
	    {"selected", "gpu.stalls('base')['issued']"},
	    {"dram__bytes_read.sum",
	     "gpu.dram.bytes - (gpu.dram.bytes * gpu.dram.writes / (gpu.dram.reads + gpu.dram.writes))"},
	    {"warp_execution_efficiency", "gpu.thread_insts / gpu.issued / 32 * 100"},
	    {"smsp__thread_inst_executed_per_inst_executed.ratio", "gpu.thread_insts / gpu.issued"},
	    {"achieved_occupancy", "gpu.occupancy / gpu.active_cycles / 48"},
	};
	struct rig r;
	rig_words(&r, "hotspot --size small");
	rig_say(&r, "continue");
	for (u32 i = 0; i < ARRAY_LEN(same); i++) {
		const double a = value_of(&r, same[i].name), b = print_of(&r, same[i].expression);
		if (!(fabs(a - b) <= 1e-9 * fabs(b)) || !(b > 0 || i == 5))
			fail_msg("%s is %g, not %g", same[i].name, a, b);
	}
	rig_close(&r);
}

static void test_suffixes(void **state)
{
	static const struct {
		const char *word, *name;
		bool part;
	} cases[] = {
	    {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "sm__throughput", false},
	    {"smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", "long_scoreboard", false},
	    {"smsp__average_warp_latency_issue_stalled_barrier.ratio", "barrier", false},
	    {"smsp__pcsamp_warps_issue_stalled_math_pipe_throttle_not_issued", "math_pipe_throttle", false},
	    {"smsp__warp_issue_stalled_lg_throttle_per_warp_active.pct", "lg_throttle", false},
	    {"stall_long_scoreboard", "long_scoreboard", false},
	    {"stall_sync", "stall_sync", false},
	    {"dram__bytes_read.sum.per_second", "dram__bytes_read", false},
	    {"sm__sass_thread_inst_executed_op_ffma_pred_on.sum", "sm__sass_thread_inst_executed_op", true},
	    {"smsp__inst_executed_op_global_ld.sum", "smsp__inst_executed", true},
	    {"smsp__thread_inst_executed_per_inst_executed.ratio", "smsp__thread_inst_executed_per_inst_executed", false},
	    {"W1", "W1..W32", false},
	    {"W32:", "W1..W32", false},
	    {"gpu_sim_cycle =", "gpu_sim_cycle", false},
	    {"W0_Idle:", "W0_Idle", false},
	    {"W33", NULL, false},
	    {"W0", NULL, false},
	    {"sm__", NULL, false},
	    {"", NULL, false},
	};
	for (u32 i = 0; i < ARRAY_LEN(cases); i++) {
		bool part = !cases[i].part;
		const struct neighbour *n = neighbour_find(cases[i].word, &part);
		if (!n != !cases[i].name || (n && strcmp(n->name, cases[i].name)) || (n && part != cases[i].part))
			fail_msg("%s: found %s%s", cases[i].word, n ? n->name : "nothing", n && part ? " (a part)" : "");
	}
}

static void test_explain(void **state)
{
	struct rig r;
	rig_words(&r, "hotspot --size small");
	rig_has(&r, "explain gpu_occupancy", "gpu_occupancy  (a name of GPGPU-Sim)\n  percent: warp slots");
	rig_has(&r, "explain gpu_occupancy",
	        "  here: occupancy, sm.mean_warps\n  print 100 * gpu.mean_warps / gpu.warps_per_sm");
	rig_has(&r, "explain smsp__inst_executed_op_shared_ld.sum", "(a name of Nsight Compute, of which this is a part)");
	/* What has the name here comes first. */
	rig_has(&r, "explain barrier", "barrier  (a name of Nsight Compute)");
	assert_true(strstr(r.out.buf, "barrier  (concept)") < strstr(r.out.buf, "barrier  (a name of"));
	rig_fails(&r, "explain sm__nothing_such.avg",
	          "named like a metric of Nsight Compute; figures of that unit here have names with sm");
	rig_fails(&r, "explain pcie__read_bytes.sum", "that unit is not modelled");
	rig_fails(&r, "explain gpgpu_nothing_such", "named like a statistic or an option of GPGPU-Sim");
	rig_fails(&r, "explain gpu_tot_ocupancy", "did you mean 'gpu_tot_occupancy', a name of GPGPU-Sim?");
	rig_fails(&r, "explain gld_effciency_throughput", "named like a metric of nvprof");
	rig_fails(&r, "explain l2_hit_rat", "did you mean 'l2.hit_rate'?"); /* ours is nearer */
	rig_has(&r, "complete explain gpu_tot_o", "gpu_tot_occupancy");
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_names_exist), cmocka_unit_test(test_rows),     cmocka_unit_test(test_expressions),
	    cmocka_unit_test(test_values),      cmocka_unit_test(test_suffixes), cmocka_unit_test(test_explain),
	};
	return cmocka_run_group_tests_name("neighbours", tests, NULL, NULL);
}
