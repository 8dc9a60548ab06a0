/* Sessions: what drives a host program must not change what is simulated, and a restart is a fresh start. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "commands/commands.h"
#include "session/cmdline.h"
#include "obs/record/timeline.h"
#include "session/session.h"

struct run {
	u64 cycles, hash;
};

static struct session *open_with(struct options *o, char **argv)
{
	struct err e = {0};
	int argc = 0;
	while (argv[argc])
		argc++;
	assert_int_equal(cmdline_parse(o, argc, argv, &e), CMDLINE_OK);
	struct session *s = session_open(o, console_modules, &e);
	if (!s)
		fail_msg("%s", e.msg);
	return s;
}

/* To the end in slices of `slice` cycles. */
static struct run finish(struct session *s, u64 slice)
{
	struct err e = {0};
	enum session_stop why;
	do
		why = session_run(s, slice == NEVER ? NEVER : sim_cycle(s->sim) + slice, &e);
	while (why == SS_CYCLE);
	if (why != SS_FINISHED)
		fail_msg("%s: %s", session_stop_text(why), e.msg);
	assert_int_equal(s->check, CHECK_PASS);
	if (!sim_check(s->sim, &e))
		fail_msg("%s", e.msg);
	return (struct run){sim_cycle(s->sim), sim_hash(s->sim)};
}

static struct run run_once(const char *command, const char *workload, u64 slice)
{
	struct options o;
	char *argv[] = {"warpdbg", (char *)command, (char *)workload, "--size", "small", NULL};
	struct session *s = open_with(&o, argv);
	struct run r = finish(s, slice);
	session_close(s);
	cmdline_free(&o);
	return r;
}

static void assert_same(struct run a, struct run b)
{
	assert_int_equal(a.cycles, b.cycles);
	assert_true(a.hash == b.hash);
}

static void slices_change_nothing(void **state)
{
	static const char *const workloads[] = {"hotspot", "reduction", "nw"};
	for (u32 i = 0; i < ARRAY_LEN(workloads); i++) {
		struct run whole = run_once("run", workloads[i], NEVER);
		assert_same(whole, run_once("run", workloads[i], 777));
		assert_same(whole, run_once("run", workloads[i], 64));
	}
}

/* debug attaches the timeline; observing must not show in the state. */
static void observers_change_nothing(void **state)
{
	assert_same(run_once("run", "hotspot", NEVER), run_once("debug", "hotspot", 1000));
}

static void restart_is_fresh(void **state)
{
	struct options o;
	struct err e = {0};
	char *argv[] = {"warpdbg", "debug", "hotspot", "--size", "small", NULL};
	struct session *s = open_with(&o, argv);
	struct run first = finish(s, NEVER);
	assert_true(session_restart(s, &e));
	assert_int_equal(sim_cycle(s->sim), 0);
	assert_int_equal(session_run(s, 1000, &e), SS_CYCLE);
	assert_int_equal(sim_cycle(s->sim), 1000);
	assert_true(session_restart(s, &e)); /* in the middle of a run too */
	assert_same(first, finish(s, NEVER));
	session_close(s);
	cmdline_free(&o);
}

static void max_cycles_ends_a_run(void **state)
{
	struct options o;
	struct err e = {0};
	char *argv[] = {"warpdbg", "run", "hotspot", "--size", "small", "--max-cycles", "500", NULL};
	struct session *s = open_with(&o, argv);
	enum session_stop why = session_run(s, NEVER, &e);
	assert_int_equal(why, SS_MAX_CYCLES);
	assert_int_equal(sim_cycle(s->sim), 500);
	assert_int_equal(session_exit_status(s, why), 3);
	assert_int_equal(session_run(s, NEVER, &e), SS_MAX_CYCLES); /* and stays there */
	session_close(s);
	cmdline_free(&o);
}

static void options_reach_the_machine(void **state)
{
	struct options o;
	char *argv[] = {"warpdbg",   "run",          "vecadd", "--gpu",  "gtx480", "--set",
	                "num_sms=3", "--warp-sched", "lrr",    "--seed", "9",      NULL};
	struct session *s = open_with(&o, argv);
	assert_int_equal(gpu_conf(sim_gpu(s->sim))->num_sms, 3);
	assert_string_equal(gpu_conf(sim_gpu(s->sim))->warp_sched, "lrr");
	assert_int_equal(s->conf.seed, 9);
	assert_string_equal(s->name, "vecadd");
	session_close(s);
	cmdline_free(&o);
}

/* The store keeps the whole run: its samples add up to the machine's counters however often it has been halved. */
static void timeline_keeps_the_whole_run(void **state)
{
	struct options o;
	char *argv[] = {"warpdbg", "run", "hotspot", "--size", "small", NULL};
	struct session *s = open_with(&o, argv);
	struct gpu *g = sim_gpu(s->sim);
	struct timeline *small = timeline_create(g, 16, 8), *large = timeline_create(g, 16, 4096);
	sim_add_sampler(s->sim, 16, timeline_sample, small);
	sim_add_sampler(s->sim, 16, timeline_sample, large);
	finish(s, NEVER);
	u64 covered = timeline_len(large) * timeline_span(large);
	assert_int_equal(timeline_span(large), 16);
	assert_in_range(covered, sim_cycle(s->sim) - 16, sim_cycle(s->sim));
	assert_in_range(timeline_len(small), 4, 8);
	assert_true(timeline_span(small) > 16);
	u32 n = (u32)(timeline_len(small) * timeline_span(small) / 16);
	for (s32 sm = -1; sm < (s32)s->conf.num_sms; sm++) {
		struct sample a = {0}, b = timeline_sum(large, sm, 0, n);
		for (u32 i = 0; i < timeline_len(small); i++) {
			struct sample one = timeline_sum(small, sm, i, i + 1);
			sample_add(&a, &one);
		}
		assert_memory_equal(&a, &b, sizeof a);
		assert_int_equal(a.cycles, n * 16ull);
	}
	double ipc = timeline_mean(large, -1, TS_IPC, 0, timeline_len(large));
	assert_true(ipc > 0 && ipc < s->conf.num_sms * s->conf.sm_schedulers * 2);
	assert_true(isnan(timeline_get(large, 0, TS_DRAM_BW, 0)));
	timeline_free(small);
	timeline_free(large);
	session_close(s);
	cmdline_free(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(slices_change_nothing),     cmocka_unit_test(observers_change_nothing),
	    cmocka_unit_test(restart_is_fresh),          cmocka_unit_test(max_cycles_ends_a_run),
	    cmocka_unit_test(options_reach_the_machine), cmocka_unit_test(timeline_keeps_the_whole_run),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
