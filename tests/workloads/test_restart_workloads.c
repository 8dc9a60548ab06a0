/* Every bundled workload in its small size with the record of restartable CTAs: the static check of idempotence is
 * conservative - wherever a CTA overwrites what it has read, does an atomic or prints, it has a point - and the machine
 * does what it does without the record. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "commands/commands.h"
#include "obs/stats/kernel_code.h"
#include "obs/stats/restart_record.h"
#include "session/session.h"
#include "tests/rig/catalog_rig.h"
#include "tests/rig/debug_rig.h"

static struct tally {
	u32 kernels, by_code, executed, false_alarms; /* idempotent by the code; every CTA of them idempotent */
	u64 ctas, idempotent, overwrote, atomic;
} tally;

/* What a session is opened with: it looks there until it is closed. */
struct setting {
	struct options o;
	const char *set;
};

static struct session *run(struct setting *x, const char *workload, const char *gpu, const char *set)
{
	*x = (struct setting){.set = set};
	x->o = (struct options){.command = "run",
	                        .workload = workload,
	                        .gpu = gpu,
	                        .size = "small",
	                        .sets = &x->set,
	                        .nsets = 1,
	                        .max_cycles = NEVER};
	struct err e = {0};
	struct session *s = session_open(&x->o, console_modules, &e);
	if (!s)
		fail_msg("%s: %s", workload, e.msg);
	enum session_stop why = session_run(s, NEVER, &e);
	if (why != SS_FINISHED || s->check == CHECK_FAIL)
		fail_msg("%s: %s %s %s", workload, session_stop_text(why), e.msg, strbuf_str(&s->check_message));
	return s;
}

static void count(const struct restart_record *r)
{
	tally.kernels++;
	tally.by_code += r->static_idempotent;
	tally.executed += r->idempotent == r->ended;
	tally.false_alarms += r->false_alarm;
	tally.ctas += r->ended;
	tally.idempotent += r->idempotent;
	tally.overwrote += r->overwrote;
	tally.atomic += r->atomic;
}

static void check_kernel(const struct session *s, const struct launch *l)
{
	struct restart_record r;
	const char *fn = l->fn->name;
	restart_record_of(&r, sim_gpu(s->sim), l);
	assert_true(r.kept && r.static_known && r.ended > 0);
	assert_int_equal(r.resident, 0);
	assert_int_equal(r.places_lost, 0);
	for (u32 i = 0; i < r.nplaces; i++)
		if (!r.place[i].announced)
			fail_msg("%s, %s: %s at pc %u, of which the static check knows nothing", s->name, fn,
			         restart_cause_names[r.place[i].cause], r.place[i].pc);
	if (r.static_idempotent && r.idempotent != r.ended)
		fail_msg("%s, %s: idempotent by the code, but only %llu of %llu CTAs were", s->name, fn,
		         (unsigned long long)r.idempotent, (unsigned long long)r.ended);
	if (r.unknown || r.measured != r.ended)
		fail_msg("%s, %s: %llu CTAs are unknown", s->name, fn, (unsigned long long)r.unknown);
	assert_int_equal(!r.nplaces, r.idempotent == r.ended);
	count(&r);
	restart_record_release(&r);
}

static void check_kernels(struct session *s)
{
	struct gpu *g = sim_gpu(s->sim);
	u32 n = gpu_num_kernels(g), found, *first;
	struct kernel_info *all = calloc(n, sizeof *all);
	for (u32 i = 0; i < n; i++)
		gpu_kernel_info(g, i, &all[i]);
	found = kernel_code_firsts(all, n, &first);
	for (u32 i = 0; i < found; i++)
		check_kernel(s, all[first[i]].launch);
	free(first);
	free(all);
}

static void test_static_is_conservative(void **state)
{
	for (u32 i = 0; i < workloads.n; i++) {
		struct setting x;
		struct session *s = run(&x, workloads.name[i], "gtx480", "idempotence.track=true");
		check_kernels(s);
		session_close(s);
	}
	print_message(
	    "%u kernels: %u idempotent by the code, %u as executed, %u false alarms; of %llu CTAs %llu idempotent, "
	    "%llu with an overwrite, %llu with an atomic\n",
	    tally.kernels, tally.by_code, tally.executed, tally.false_alarms, (unsigned long long)tally.ctas,
	    (unsigned long long)tally.idempotent, (unsigned long long)tally.overwrote, (unsigned long long)tally.atomic);
	assert_true(tally.by_code > 20 && tally.executed > tally.by_code && tally.kernels > tally.executed + 20);
	assert_int_equal(tally.executed, tally.by_code + tally.false_alarms);
	assert_true(tally.overwrote > 100 && tally.atomic > 100);
}

/* Some of them, on another machine as well: the same state, cycle for cycle, with and without. */
static void test_same_machine(void **state)
{
	static const char *const some[] = {"bfs", "histogram", "heartwall", "fwt", "particlefilter"};
	for (u32 i = 0; i < ARRAY_LEN(some); i++) {
		const char *gpu = machines.name[i % machines.n];
		struct setting x, y;
		struct session *off = run(&x, some[i], gpu, "idempotence.track=false");
		struct session *on = run(&y, some[i], gpu, "idempotence.track=true");
		assert_int_equal(sim_cycle(off->sim), sim_cycle(on->sim));
		assert_int_equal(sim_hash(off->sim), sim_hash(on->sim));
		session_close(off);
		session_close(on);
	}
}

/* What a user sees: the record beside the code's answer, and that it is off; a break at the moment, forth and back. */
static void test_shown(void **state)
{
	struct rig r;
	rig_open(&r, (char *[]){"warpdbg", "debug", "fwt", "--size", "small", "--dynamic-idempotence", NULL});
	rig_has(&r, "info idempotence fwt_batch1", "Executed: 0 CTAs have ended");
	rig_has(&r, "break cta-nonidempotent cause=0 kernel=fwt_batch1", "cta-nonidempotent");
	rig_has(&r, "run", "cta-nonidempotent");
	u64 first = sim_cycle(r.s->sim);
	rig_has(&r, "info idempotence fwt_batch1", "CTAs first");
	rig_has(&r, "info idempotence fwt_batch1", "overwrite");
	rig_has(&r, "continue", "cta-nonidempotent");
	char *there = xstrdup(rig_say(&r, "info idempotence fwt_batch1"));
	assert_true(sim_cycle(r.s->sim) > first);
	rig_say(&r, "reverse-continue");
	assert_int_equal(sim_cycle(r.s->sim), first);
	assert_string_not_equal(rig_say(&r, "info idempotence fwt_batch1"), there);
	rig_say(&r, "continue");
	assert_string_equal(rig_say(&r, "info idempotence fwt_batch1"), there);
	free(there);
	rig_say(&r, "delete");
	rig_say(&r, "continue");
	rig_has(&r, "info idempotence fwt_batch1", "0 idempotent, 12 with an overwrite, 0 with an atomic");
	rig_has(&r, "info idempotence fwt_batch1", "The static check had announced every one.");
	rig_has(&r, "print gpu.kernel[0].ctas_overwrote", "8\n");
	rig_close(&r);
	rig_vecadd(&r);
	rig_has(&r, "info idempotence vecadd", "Executed: not recorded");
	rig_fails(&r, "set idempotence.track=true", "idempotence.track");
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_static_is_conservative),
	    cmocka_unit_test(test_same_machine),
	    cmocka_unit_test(test_shown),
	};
	return cmocka_run_group_tests(tests, find_files, release_files);
}
