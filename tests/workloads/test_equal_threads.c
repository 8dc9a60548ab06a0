/* Where nothing spins, isa.threads=splits is the stack: every bundled workload, in its small size on v100, as both. On
 * the way the same warps are at the same places with the same registers, and at the end all cycles, instructions and
 * bytes of device memory are the same.
 *
 * WARPDBG_EQUAL_THREADS=N: every N-th workload (1). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "commands/commands.h"
#include "session/session.h"
#include "tests/rig/catalog_rig.h"
#include "tests/rig/rounds.h"

#define EVERY 5000 /* cycles between looks */

struct setting { /* what a session is opened with outlives it */
	struct options o;
	const char *sets[2];
};
static struct session *open_one(struct setting *x, const char *workload, const char *set)
{
	*x = (struct setting){.sets = {set, "history.mb=0"}};
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
	return s;
}

/* Registers are compared of warps that are whole: of others the hash has turns, too, which the stack does not count. */
static u64 compare_warps(const char *workload, struct gpu *a, struct gpu *b)
{
	struct simt_entry sa[64], sb[64];
	u64 compared = 0;
	for (u32 sm = 0; sm < gpu_conf(a)->num_sms; sm++)
		for (u32 w = 0; w < gpu_warps_per_sm(a); w++) {
			struct warp_info wa, wb;
			gpu_warp_info(a, sm, w, &wa);
			gpu_warp_info(b, sm, w, &wb);
			if (wa.state != wb.state || wa.pc != wb.pc || wa.active != wb.active)
				fail_msg("%s, cycle %llu: SM %u warp %u is at pc %u (0x%08x), with splits at %u (0x%08x)", workload,
				         (unsigned long long)gpu_cycle(a), sm, w, wa.pc, wa.active, wb.pc, wb.active);
			if (wa.state == WS_NONE || wa.pc == PC_DONE)
				continue;
			const u32 n = front_stack(gpu_front(a), sm, w, sa, ARRAY_LEN(sa));
			assert_int_equal(n, front_stack(gpu_front(b), sm, w, sb, ARRAY_LEN(sb)));
			for (u32 i = 0; i < MIN(n, (u32)ARRAY_LEN(sa)); i++)
				assert_true(sa[i].pc == sb[i].pc && sa[i].mask == sb[i].mask && sa[i].reconv == sb[i].reconv);
			if (n == 1 && front_warp_hash(gpu_front(a), sm, w) != front_warp_hash(gpu_front(b), sm, w))
				fail_msg("%s, cycle %llu: SM %u warp %u has other registers", workload,
				         (unsigned long long)gpu_cycle(a), sm, w);
			compared += n == 1;
		}
	return compared;
}

static u64 instructions(struct session *s)
{
	u64 sum = 0;
	for (u32 i = 0; i < gpu_conf(sim_gpu(s->sim))->num_sms; i++)
		sum += ((const struct sm_counters *)gpu_counters(sim_gpu(s->sim), CG_sm, i))->issued;
	return sum;
}

static void one(const char *workload, u64 *compared)
{
	struct setting stack, splits;
	struct session *a = open_one(&stack, workload, "isa.threads=stack"),
	               *b = open_one(&splits, workload, "isa.threads=splits");
	struct err e = {0};
	enum session_stop why;
	u64 until = 0;
	do {
		until += EVERY;
		why = session_run(a, until, &e);
		if (session_run(b, until, &e) != why || sim_cycle(a->sim) != sim_cycle(b->sim))
			fail_msg("%s: cycle %llu, with splits %llu %s", workload, (unsigned long long)sim_cycle(a->sim),
			         (unsigned long long)sim_cycle(b->sim), e.msg);
		*compared += compare_warps(workload, sim_gpu(a->sim), sim_gpu(b->sim));
	} while (why == SS_CYCLE);
	if (why != SS_FINISHED || a->check != CHECK_PASS || b->check != CHECK_PASS)
		fail_msg("%s: %s", workload, session_stop_text(why));
	assert_int_equal(instructions(a), instructions(b));
	if (devmem_hash(gpu_devmem(sim_gpu(a->sim))) != devmem_hash(gpu_devmem(sim_gpu(b->sim))))
		fail_msg("%s: other bytes in device memory", workload);
	session_close(a);
	session_close(b);
}

static void test_workloads_are_equal(void **state)
{
	u64 compared = 0;
	for (u32 w = 0; w < workloads.n; w += rounds("WARPDBG_EQUAL_THREADS", 1, 6))
		one(workloads.name[w], &compared);
	print_message("%llu warps compared\n", (unsigned long long)compared);
	assert_true(compared > 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_workloads_are_equal),
	};
	return cmocka_run_group_tests(tests, find_files, release_files);
}
