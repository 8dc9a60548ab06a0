/* The deadlock doctor on programs that hang: the right chain, and a debugger that lives on. Of the memory system's
 * bounded queues it is shown that they fill up, slow things down, and empty again: none of them can hang it as long as
 * requests and replies have buffers of their own (else: tests/obs/test_queue_cycle.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/rig/debug_rig.h"
#include "dbg/debugger.h"

static void open_hang(struct rig *r, const char *kernel, const char *ctas, const char *threads, const char *const *sets)
{
	static char copy[3][32];
	char *argv[40] = {"warpdbg",
	                  "debug",
	                  "tests/hangs/hangs.ptx",
	                  "--kernel",
	                  copy[0],
	                  "--grid",
	                  copy[1],
	                  "--block",
	                  copy[2],
	                  "--arg",
	                  "u32[262144]=zero",
	                  "--set",
	                  "deadlock_cycles=4000"};
	u32 n = 13;
	snprintf(copy[0], sizeof copy[0], "%s", kernel);
	snprintf(copy[1], sizeof copy[1], "%s", ctas);
	snprintf(copy[2], sizeof copy[2], "%s", threads);
	for (; sets && *sets; sets++) {
		argv[n++] = "--set";
		argv[n++] = (char *)*sets;
	}
	rig_open(r, argv);
}

static void has_all(struct rig *r, const char *const *texts)
{
	for (; *texts; texts++)
		if (!strstr(strbuf_str(&r->out), *texts))
			fail_msg("'%s' expected in: %s", *texts, strbuf_str(&r->out));
}

/* Commands go on working: looking, and going back to before it hung. */
static void lives_on(struct rig *r)
{
	rig_has(r, "info warps", "");
	rig_has(r, "print 1 + 2", "3");
	u64 at = sim_cycle(r->s->sim);
	rig_say(r, "reverse-step 10");
	assert_int_equal(sim_cycle(r->s->sim), at - 10);
}

static void half_a_block_never_arrives(void **state)
{
	struct rig r;
	open_hang(&r, "half_barrier", "1", "64", NULL);
	rig_say(&r, "step 3000");
	rig_say(&r, "focus sm 0 warp 0");
	rig_say(&r, "why");
	has_all(&r, (const char *[]){"waits at barrier 0: 1 of 2 warps have arrived; not there: 1", "SM 0 warp 1",
	                             "spins: lines 15-17 read global address", NULL});
	rig_say(&r, "why machine");
	has_all(&r, (const char *[]){"at a barrier; the chain ends with a warp that is spinning", NULL});
	lives_on(&r);
	/* The flag set by hand: it ends. */
	const struct devmem *d = sim_devmem(r.s->sim);
	char line[80];
	snprintf(line, sizeof line, "lua mem.write_u32(%#llx, 1)", (unsigned long long)d->allocs[d->nallocs - 1].addr);
	rig_say(&r, line);
	rig_say(&r, "continue");
	assert_true(r.s->finished);
	rig_close(&r);
}

static void barriers_in_a_circle(void **state)
{
	struct rig r;
	open_hang(&r, "crossed_barriers", "1", "64", NULL);
	rig_has(&r, "continue", "Deadlock");
	has_all(&r, (const char *[]){"in a cycle of barriers", "waits at barrier 1", "waits at barrier 2",
	                             "a cycle, none of these warps can go on", NULL});
	assert_int_equal(r.d->run.rest, DBG_DEAD);
	rig_fails(&r, "continue", "cannot go on");
	lives_on(&r);
	rig_has(&r, "continue", "Deadlock"); /* after going back it runs, into the same end */
	rig_close(&r);
}

static void spinning(void **state)
{
	struct rig r;
	open_hang(&r, "spin_flag", "2", "64", NULL);
	rig_say(&r, "step 3000");
	rig_say(&r, "why machine");
	has_all(&r, (const char *[]){"4 warps resident", "spinning", "likely a livelock if nobody writes it",
	                             "ld.volatile.global.u32", NULL});
	lives_on(&r);
	rig_close(&r);
}

static void lock_within_a_warp(void **state)
{
	struct rig r;
	open_hang(&r, "simt_lock", "1", "32", NULL);
	rig_say(&r, "step 5000");
	rig_say(&r, "focus sm 0 warp 0");
	rig_say(&r, "why");
	has_all(&r, (const char *[]){"spins: lines", "atom.global.cas", "active lanes 0xfffffffe",
	                             "lanes 0x00000001 of the same warp wait on the SIMT stack",
	                             "if one of those holds the lock, it can never release it", NULL});
	lives_on(&r);
	rig_close(&r);
}

/* --- queues ------------------------------------------------------------------------------------------------------- */

/* A warp that could issue, if the LSU's head were not refused. */
static s32 held_up(struct rig *r)
{
	struct gpu *g = sim_gpu(r->s->sim);
	struct sm_info i;
	gpu_sm_info(g, 0, &i);
	for (u32 w = 0; i.lsu_warp >= 0 && i.lsu_refused != MR_HIT && w < gpu_warps_per_sm(g); w++) {
		struct warp_info x;
		gpu_warp_info(g, 0, w, &x);
		if (x.state == WS_READY_LSU && (s32)w != i.lsu_warp)
			return (s32)w;
	}
	return -1;
}

struct refusal {
	const char *kernel, *sets[4];
	u32 reason; /* as in l1-refuse */
	const char *told[4];
	bool ends;
};

/* `why` of a warp held up by a refused head says what refuses and who is in the way; and what can end, ends. */
static void refused_head(const struct refusal *x)
{
	struct rig r;
	char line[64];
	open_hang(&r, x->kernel, "8", "256", x->sets);
	snprintf(line, sizeof line, "break l1-refuse reason=%u", x->reason);
	rig_say(&r, line);
	s32 w = -1;
	for (u32 k = 0; k < 400 && w < 0; k++) {
		rig_has(&r, "continue", "l1-refuse");
		w = held_up(&r);
	}
	if (w < 0)
		fail_msg("%s: no warp waits for the LSU", x->sets[1]);
	snprintf(line, sizeof line, "why warp %d", w);
	rig_has(&r, line, "the LSU serves warp");
	has_all(&r, x->told);
	rig_say(&r, "delete");
	if (x->ends)
		rig_has(&r, "continue", "finished");
	rig_close(&r);
}

static void refusals_are_named(void **state)
{
	static const struct refusal all[] = {
	    {"scatter",
	     {"num_sms=1", "l1d.miss_queue=1", "noc.flit=8"},
	     4,
	     {"the miss queue is full", "SM 0 l1d miss queue: 1 of 1", "they empty towards DRAM"},
	     true},
	    {"scatter",
	     {"num_sms=1", "l1d.mshrs=4"},
	     2,
	     {"no MSHR is free", "SM 0 has 4 L1D MSHRs in use; the oldest: line 0x"},
	     true},
	    {"spin_flag",
	     {"num_sms=1", "l1d.merges=1"},
	     3,
	     {"the MSHR's merge list is full", "SM 0 has 1 L1D MSHR in use", "1 waiting"},
	     false},
	};
	for (u32 i = 0; i < ARRAY_LEN(all); i++)
		refused_head(&all[i]);
}

/* Warps that spin and never wait for long keep a two-level scheduler's ready queue: who could end it is told to be
 * passed over, and for whom. Under round robin it ends. */
static void a_scheduler_that_passes_over(void **state)
{
	struct rig r;
	open_hang(&r, "spin_shared", "1", "1024",
	          (const char *[]){"num_sms=1", "warp-sched=tl-rr", "deadlock_cycles=100000", NULL});
	rig_say(&r, "step 20000");
	rig_has(&r, "why warp 31", "passed over by the warp scheduler (tl-rr), which puts ");
	has_all(&r, (const char *[]){"; its state: ready 1 3 5 7 9 11 | active 13", NULL});
	rig_has(&r, "why machine", "spins: lines");
	has_all(&r, (const char *[]){": passed over by the warp scheduler. One of them", "SM 0 warp 12 (warp 12 of CTA 0",
	                             NULL});
	rig_say(&r, "set warp-sched elf"); /* which orders fetches too */
	rig_say(&r, "step 20000");
	rig_has(&r, "why machine", "passed over by the warp scheduler (elf)");
	rig_say(&r, "set warp-sched lrr");
	rig_has(&r, "continue", "finished");
	rig_close(&r);
	/* Left to itself it is a livelock: a warp that is never chosen does not move either. */
	open_hang(&r, "spin_shared", "1", "1024", (const char *[]){"num_sms=1", "warp-sched=tl-rr", NULL});
	rig_has(&r, "continue", "Livelock");
	has_all(&r, (const char *[]){": passed over by the warp scheduler. One of them", NULL});
	rig_say(&r, "reverse-step 10");
	rig_say(&r, "set warp-sched lrr");
	rig_has(&r, "continue", "finished");
	rig_close(&r);
}

/* Every bounded queue of one entry at once: each waits for what is nearer to DRAM, answers wait for nobody, so it gets
 * through - slower. */
static void tiny_queues_do_not_hang(void **state)
{
	static const char *const tiny[] = {
	    "num_sms=2",       "l1d.mshrs=1",         "l1d.merges=1",      "l1d.miss_queue=1", "l2.mshrs=1", "l2.merges=1",
	    "l2.miss_queue=1", "noc.request_queue=1", "noc.reply_queue=1", "dram.queue=1",     NULL};
	static const char *const roomy[] = {"num_sms=2", NULL};
	u64 cycles[2];
	for (u32 i = 0; i < 2; i++) {
		struct rig r;
		open_hang(&r, "scatter", "16", "256", i ? tiny : roomy);
		rig_has(&r, "continue", "finished");
		cycles[i] = sim_cycle(r.s->sim);
		assert_true(sim_check(r.s->sim, &r.e));
		rig_close(&r);
	}
	assert_true(cycles[1] > 2 * cycles[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(half_a_block_never_arrives),
	    cmocka_unit_test(barriers_in_a_circle),
	    cmocka_unit_test(spinning),
	    cmocka_unit_test(lock_within_a_warp),
	    cmocka_unit_test(refusals_are_named),
	    cmocka_unit_test(tiny_queues_do_not_hang),
	    cmocka_unit_test(a_scheduler_that_passes_over),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
