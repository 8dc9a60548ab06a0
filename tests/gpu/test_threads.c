/* isa.threads=splits on a whole machine: locks among the lanes of warps, through time, saved and restored, with virtual
 * threads; what is a livelock and what is only slow; events. */
#include "tests/rig/sm_rig.h"

#include "base/rng.h"
#include "gpu/gpu.h"
#include "gpu/verbs.h"
#include "obs/why/why.h"

/* k: under one lock, every thread takes a number, some with a pause between tries; then they meet in pairs, at the
 * warp's barrier in two branches, and at the CTA's. numbers[thread] = the number and, above it, that of the thread's
 * neighbour. */
static const char locks[] = PTX_HEAD
    ".global .u32 lock;\n.global .u32 count;\n"
    ".visible .entry k(.param .u64 p0)\n{\n.reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %a<10>;\n"
    "ld.param.u64 %a1, [p0]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;\n"
    "mad.lo.u32 %r4, %r2, %r3, %r1; mul.wide.u32 %a3, %r4, 4; add.u64 %a4, %a1, %a3;\n"
    "and.b32 %r5, %r1, 3; setp.eq.u32 %p1, %r5, 0;\n"
    "L: atom.global.cas.b32 %r6, [lock], 0, 1; setp.eq.u32 %p2, %r6, 0; @%p2 bra GOT; @%p1 nanosleep.u32 300; bra.uni L;\n"
    "GOT: ld.volatile.global.u32 %r7, [count]; add.u32 %r8, %r7, 1; st.volatile.global.u32 [count], %r8; membar.gl;\n"
    "atom.global.exch.b32 %r9, [lock], 0;\n"
    "and.b32 %r10, %r1, 1; setp.eq.u32 %p3, %r10, 0; @%p3 bra EVEN;\n"
    "shfl.sync.bfly.b32 %r11, %r7, 1, 31, -1; bra.uni MET;\n"
    "EVEN: add.u32 %r12, %r12, 1; shfl.sync.bfly.b32 %r11, %r7, 1, 31, -1;\n"
    "MET: bar.sync 0; shl.b32 %r11, %r11, 16; or.b32 %r11, %r11, %r7; st.global.u32 [%a4], %r11; ret;\n}\n";

enum { CTAS = 6, THREADS = 64, ALL = CTAS * THREADS };
struct setup {
	struct sim *s;
	u64 out;
	u32 launch;
};
static struct setup begin_with(const char *more, u64 history_mb)
{
	struct err e = {0};
	struct setup t = {.s = machine((const char *[]){"num_sms=2", "sm.ctas=2", "isa.threads=splits", more, NULL})};
	struct module *m = rig_load(t.s, locks);
	t.out = rig_alloc(t.s, ALL * 4);
	assert_true(sim_history(t.s, history_mb, &e));
	sim_fork(t.s);
	t.launch = rig_launch(t.s, m, "k", CTAS, THREADS, 0, (u64[]){t.out}, 1);
	sim_turn(t.s);
	return t;
}
static struct setup begin(u64 history_mb)
{
	return begin_with(NULL, history_mb);
}

/* Every thread had a number of its own, and knows its neighbour's. */
static void finish(struct setup *t)
{
	u8 seen[ALL] = {0};
	rig_finish(t->s);
	for (u32 i = 0; i < ALL; i++) {
		const u32 own = rig_u32(t->s, t->out + 4 * i), beside = rig_u32(t->s, t->out + 4 * (i ^ 1));
		assert_in_range(own & 0xffff, 0, ALL - 1);
		assert_int_equal(seen[own & 0xffff]++, 0);
		assert_int_equal(own >> 16, beside & 0xffff);
	}
	sim_destroy(t->s);
}

static void test_states_hold(void **state)
{
	struct setup t = begin(0);
	struct err e = {0};
	struct stop st = {0};
	u64 uneasy = 0;
	while (sim_run(t.s, sim_cycle(t.s) + 997, &st) == STOP_CYCLE) {
		if (!sim_check_state(t.s, &e))
			fail_msg("cycle %llu: %s", (unsigned long long)sim_cycle(t.s), e.msg);
		uneasy++;
	}
	assert_true(uneasy > 20);
	finish(&t);
}

/* Any way through time ends at the same state. */
static void test_travel(void **state)
{
	enum { EVERY = 401, MOST = 4000 };
	static u64 hash[MOST];
	u32 n = 0;
	struct stop st;
	struct err e = {0};
	struct setup t = begin(0);
	while (n < MOST && sim_run(t.s, sim_cycle(t.s) + EVERY, &st) == STOP_CYCLE)
		hash[n++] = sim_hash(t.s);
	finish(&t);
	assert_in_range(n, 20, MOST - 1);
	t = begin(64);
	u64 seed = 7;
	for (u32 walk = 0; walk < 60; walk++) {
		const u32 to = (u32)(rng_next(&seed) % n);
		const u64 cycle = (u64)(to + 1) * EVERY;
		if (cycle > sim_cycle(t.s))
			sim_run(t.s, cycle, &st);
		else if (!sim_goto(t.s, cycle, &e))
			fail_msg("%s", e.msg);
		if (sim_hash(t.s) != hash[to] || !sim_check_state(t.s, &e))
			fail_msg("walk %u, cycle %llu: another state %s", walk, (unsigned long long)cycle, e.msg);
	}
	finish(&t);
}

/* CTAs whose lanes hold the lock, spin and sleep, leave their SM and come back, or stand still for a time. */
static void test_saved(void **state)
{
	u64 seed = 3, saved = 0, paused = 0;
	for (u32 round = 0; round < 3; round++) {
		struct setup t = begin(0);
		struct err e = {0};
		struct stop st;
		while (sim_run(t.s, sim_cycle(t.s) + 200 + rng_next(&seed) % 900, &st) == STOP_CYCLE) {
			const u64 id = rng_next(&seed) % CTAS;
			if (rng_next(&seed) % 2)
				saved += gpu_save_cta(sim_gpu(t.s), t.launch, id, true, &e);
			else
				paused += gpu_halt_cta(sim_gpu(t.s), t.launch, id, 500, &e);
			if (!sim_check_state(t.s, &(struct err){0}))
				fail_msg("round %u, cycle %llu: state", round, (unsigned long long)sim_cycle(t.s));
		}
		finish(&t);
	}
	assert_true(saved > 10 && paused > 10);
}

static void test_virtual_threads(void **state)
{
	struct setup t = begin_with("cta-virtual=vt", 0);
	finish(&t);
}

/* --- hangs, and what only looks like one --------------------------------------------------------------------------- */

/* A lock in a loop that nothing recognises: its threads wait long, and then have their turn. */
static const char slow[] = PTX_HEAD
    ".global .u32 lock;\n.visible .entry k()\n{\n.reg .pred %p<2>; .reg .b32 %r<9>;\nT: .branchtargets L, GOT;\n"
    "L: atom.global.cas.b32 %r4, [lock], 0, 1;\nsetp.eq.u32 %p1, %r4, 0;\nselp.u32 %r5, 1, 0, %p1;\nbrx.idx %r5, T;\n"
    "GOT: atom.global.exch.b32 %r6, [lock], 0;\nret;\n}\n";
static void test_slow_is_no_livelock(void **state)
{
	struct sim *s = machine((const char *[]){"num_sms=1", "isa.threads=splits", NULL});
	rig_launch(s, rig_load(s, slow), "k", 1, 2, 0, NULL, 0);
	rig_finish(s);
	assert_true(sim_cycle(s) > 2 * gpu_conf(sim_gpu(s))->deadlock_cycles);
	sim_destroy(s);
}

/* Lane 0 holds what lane 1 waits for, and waits for what lane 1 would do then. */
static const char crossed[] =
    PTX_HEAD ".global .u32 lock;\n.global .u32 flag;\n.visible .entry k()\n{\n.reg .pred %p<3>; .reg .b32 %r<9>;\n"
             "mov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra TAKE;\natom.global.exch.b32 %r4, [lock], 1;\n"
             "F: ld.volatile.global.u32 %r5, [flag];\nsetp.eq.u32 %p2, %r5, 0;\n@%p2 bra F;\nbra.uni OUT;\n"
             "TAKE: atom.global.cas.b32 %r4, [lock], 0, 1;\nsetp.ne.u32 %p2, %r4, 0;\n@%p2 bra TAKE;\n"
             "st.volatile.global.u32 [flag], 1;\nOUT:\nret;\n}\n";
static void test_livelock(void **state)
{
	struct sim *s = machine((const char *[]){"num_sms=1", "isa.threads=splits", "deadlock_cycles=20000", NULL});
	struct strbuf text = STRBUF_INIT;
	rig_launch(s, rig_load(s, crossed), "k", 1, 2, 0, NULL, 0);
	const struct stop st = rig_run(s, NEVER);
	assert_int_equal(st.why, STOP_DEADLOCK);
	assert_in_range(st.cycle, 40000, 60000);
	why_warp(sim_gpu(s), 0, 0, &text);
	if (!strstr(strbuf_str(&text), "of the same warp, at line") || strstr(strbuf_str(&text), "never release"))
		fail_msg("%s", strbuf_str(&text));
	strbuf_release(&text);
	sim_destroy(s);
}

/* All wait for one lane, which waits for nobody in a loop that nothing recognises. */
static const char alone[] = PTX_HEAD
    ".global .u32 flag;\n.visible .entry k()\n{\n.reg .pred %p<3>; .reg .b32 %r<9>;\nT: .branchtargets L, OUT;\n"
    "mov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra A;\nL: ld.volatile.global.u32 %r5, [flag];\n"
    "brx.idx %r5, T;\nA: bar.warp.sync -1;\nOUT:\nret;\n}\n";
static void test_livelock_of_one(void **state)
{
	struct sim *s = machine((const char *[]){"num_sms=1", "isa.threads=splits", "deadlock_cycles=20000", NULL});
	rig_launch(s, rig_load(s, alone), "k", 1, 32, 0, NULL, 0);
	const struct stop st = rig_run(s, NEVER);
	assert_int_equal(st.why, STOP_DEADLOCK);
	assert_in_range(st.cycle, 40000, 60000);
	sim_destroy(s);
}

/* Lanes that wait for each other are a fault at once. */
static const char stuck[] = PTX_HEAD
    ".visible .entry k()\n{\n.reg .pred %p<3>; .reg .b32 %r<9>;\nmov.u32 %r1, %tid.x;\nsetp.gt.u32 %p1, %r1, 7;\n"
    "@%p1 bra A;\nbar.warp.sync -1;\nbra.uni OUT;\nA: bar.sync 0;\nOUT:\nret;\n}\n";
static void test_stuck(void **state)
{
	struct sim *s = machine((const char *[]){"num_sms=1", "isa.threads=splits", NULL});
	struct strbuf text = STRBUF_INIT;
	rig_launch(s, rig_load(s, stuck), "k", 1, 32, 0, NULL, 0);
	assert_int_equal(rig_run(s, NEVER).why, STOP_FAULT);
	sim_fault_text(s, &text);
	if (!strstr(strbuf_str(&text), "lanes 0x000000ff wait for lanes 0xffffff00 of their warp") ||
	    !strstr(strbuf_str(&text), "lanes 0xffffff00 wait at test.ptx:12: A: bar.sync 0;"))
		fail_msg("%s", strbuf_str(&text));
	strbuf_release(&text);
	sim_destroy(s);
}

/* --- time and events ------------------------------------------------------------------------------------------------ */

/* Lanes that sleep do not hold the others up, and sleep no longer than alone. */
static u64 cycles_of(const char *text, const char *threads)
{
	char set[40];
	snprintf(set, sizeof set, "isa.threads=%s", threads);
	struct sim *s = machine((const char *[]){"num_sms=1", "core_clock=1000", set, NULL});
	rig_launch(s, rig_load(s, text), "k", 1, 32, 0, NULL, 0);
	rig_finish(s);
	const u64 cycles = sim_cycle(s);
	sim_destroy(s);
	return cycles;
}
#define SLEEPERS(A, B)                                                                                                 \
	PTX_HEAD ".visible .entry k()\n{\n.reg .pred %p<3>; .reg .b32 %r<9>;\nmov.u32 %r1, %tid.x;\n"                      \
	         "setp.gt.u32 %p1, %r1, 7;\n@%p1 bra A;\n" A "bra.uni OUT;\nA: " B "OUT:\nret;\n}\n"
static void test_sleepers(void **state)
{
	const char *both = SLEEPERS("nanosleep.u32 20000;\n", "nanosleep.u32 20000;\n"),
	           *one = SLEEPERS("nanosleep.u32 20000;\n", "add.u32 %r1, %r1, 1;\n");
	const u64 single = cycles_of(one, "splits"), two = cycles_of(both, "splits"), turns = cycles_of(both, "stack");
	assert_in_range(cycles_of(one, "stack"), single + 1, single + 20); /* the others run after the sleep */
	assert_in_range(two, single, single + 200);
	assert_in_range(turns, single + 19900, single + 20200);
}

static void test_events(void **state)
{
	static const char text[] =
	    PTX_HEAD ".global .u32 lock;\n.visible .entry k()\n{\n.reg .pred %p<2>; .reg .b32 %r<9>;\n"
	             "L: atom.global.cas.b32 %r4, [lock], 0, 1;\nsetp.ne.u32 %p1, %r4, 0;\n@%p1 bra L;\n"
	             "atom.global.exch.b32 %r6, [lock], 0;\nbar.warp.sync -1;\nret;\n}\n";
	struct sim *s = machine((const char *[]){"num_sms=1", "isa.threads=splits", NULL});
	struct rig_log log = {0};
	sim_subscribe(s, EVENT(EV_SPLIT) | EVENT(EV_CONVERGE), rig_record, &log);
	rig_launch(s, rig_load(s, text), "k", 1, 3, 0, NULL, 0);
	rig_finish(s);
	enum { BRANCH, TURN, AHEAD };
	u32 why[3] = {0}, whole = 0;
	for (u32 i = 0; i < log.n; i++) {
		const struct event *e = &log.e[i];
		if (e->type == EV_SPLIT) {
			assert_true(e->arg[1] && !(e->arg[1] & e->arg[2]) && !((e->arg[1] | e->arg[2]) & ~7ull));
			why[e->arg[3]]++;
		} else if (e->arg[2] == 1) {
			whole += e->arg[1] == 7;
		}
	}
	assert_int_equal(why[BRANCH], 2); /* lane 0 leaves the loop, then lane 1 */
	assert_int_equal(why[AHEAD], 2);  /* both go on alone from where the branch ends */
	assert_int_equal(whole, 1);       /* at bar.warp.sync */
	free(log.e);
	sim_destroy(s);
}

/* Lanes 0 to 15 wait for an mbarrier at which the others of their warp arrive: these get a turn at once, as the warp
 * does not sleep. */
static void test_mbarrier_in_a_warp(void **state)
{
	static const char text[] =
	    ".version 8.0\n.target sm_90\n.address_size 64\n"
	    ".visible .entry k(.param .u64 p0)\n{\n.reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %a<10>;\n"
	    ".shared .align 8 .b8 bar[8];\n"
	    "ld.param.u64 %a1, [p0]; mov.u32 %r1, %tid.x; mul.wide.u32 %a3, %r1, 4; add.u64 %a4, %a1, %a3; mov.u32 %r5, bar;\n"
	    "setp.ne.u32 %p1, %r1, 0; @%p1 bra READY; mbarrier.init.shared.b64 [%r5], 16;\n"
	    "READY: bar.warp.sync 0xffffffff; setp.ge.u32 %p2, %r1, 16; @%p2 bra ARRIVE;\n"
	    "TRY: mbarrier.try_wait.parity.shared.b64 %p3, [%r5], 0; @!%p3 bra TRY;\n"
	    "mov.u32 %r6, 7; bra.uni DONE;\n"
	    "ARRIVE: mbarrier.arrive.shared.b64 %a5, [%r5]; mov.u32 %r6, 9;\n"
	    "DONE: st.global.u32 [%a4], %r6; ret;\n}\n";
	struct sim *s = machine(
	    (const char *[]){"num_sms=1", "isa.threads=splits", "cuda.capability=90", "deadlock_cycles=20000", NULL});
	struct module *m = rig_load(s, text);
	u64 out = rig_alloc(s, 128);
	rig_launch(s, m, "k", 1, 32, 0, &out, 1);
	rig_finish(s);
	for (u32 i = 0; i < 32; i++)
		assert_int_equal(rig_u32(s, out + 4 * i), i < 16 ? 7 : 9);
	assert_true(sim_cycle(s) < 3000); /* nobody slept: sm.try_wait is 7755 */
	sim_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_mbarrier_in_a_warp),
	    cmocka_unit_test(test_states_hold),
	    cmocka_unit_test(test_travel),
	    cmocka_unit_test(test_saved),
	    cmocka_unit_test(test_virtual_threads),
	    cmocka_unit_test(test_slow_is_no_livelock),
	    cmocka_unit_test(test_livelock),
	    cmocka_unit_test(test_livelock_of_one),
	    cmocka_unit_test(test_stuck),
	    cmocka_unit_test(test_sleepers),
	    cmocka_unit_test(test_events),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
