/* The SM and the kernel queue on cases with known answers: barriers, fences, sleeps, partial warps, streams, launches,
 * what may change while a machine runs, and that nobody who looks changes anything. */
#include "task/queue.h"
#include "tests/rig/sm_rig.h"

#define REGS ".reg .pred %p<4>; .reg .b32 %r<32>; .reg .b64 %a<8>;\n"
#define ENTRY(name)                                                                                                    \
	".visible .entry " name "(.param .u64 p0)\n{\n" REGS "ld.param.u64 %a1, [p0]; mov.u32 %r1, %tid.x;\n"
/* %a2 = out + 4 * global thread id */
#define OWN_WORD                                                                                                       \
	"mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1; mad.wide.u32 %a2, %r4, 4, %a1;\n"

static const char *const one_sm[] = {"num_sms=1", NULL};

/* Runs one kernel of one-word-a-thread output on a machine with the settings; the words in out. */
static void run_words(const char *const *sets, const char *body, u32 grid, u32 block, u32 *out)
{
	char text[4096];
	struct err e = {0};
	struct sim *s = machine(sets);
	snprintf(text, sizeof text, "%s%s\n}\n", PTX_HEAD ENTRY("k") OWN_WORD, body);
	struct module *m = rig_load(s, text);
	u64 buf = rig_alloc(s, 4ull * grid * block);
	rig_launch(s, m, "k", grid, block, 0, &buf, 1);
	rig_finish(s);
	if (!devmem_read(sim_devmem(s), buf, out, 4ull * grid * block, &e))
		fail_msg("%s", e.msg);
	sim_destroy(s);
}

/* --- barriers ----------------------------------------------------------------------------------------------------- */

static const char *const scheds[] = {"warp-sched=lrr", "warp-sched=gto", "warp-sched=tlv", "warp-sched=tl-rr"};

/* A warp that arrives without waiting and exits is one arrival, not also one warp fewer to wait for: warps 1 and 2 must
 * see what the slow warp 3 writes before it arrives. */
static void test_arrive_then_exit(void **state)
{
	static const char body[] =
	    ".shared .align 4 .b8 sh[16];\nshr.u32 %r5, %r1, 5; mov.u32 %r6, 7; mov.u32 %r7, 0;\n"
	    "setp.eq.u32 %p1, %r5, 0; @%p1 bra FIRST; setp.eq.u32 %p1, %r5, 3; @%p1 bra SLOW;\n"
	    "bar.sync 1, 128; ld.shared.u32 %r7, [sh]; st.global.u32 [%a2], %r7; ret;\n"
	    "FIRST: bar.arrive 1, 128; st.global.u32 [%a2], %r6; ret;\n"
	    "SLOW: mov.u32 %r8, 1000; div.u32 %r8, %r8, %r6; div.u32 %r8, %r8, %r6; div.u32 %r8, %r8, %r6;\n"
	    "add.u32 %r8, %r8, 40; st.shared.u32 [sh], %r8; bar.sync 1, 128; st.global.u32 [%a2], %r8; ret;";
	u32 out[128];
	for (u32 k = 0; k < ARRAY_LEN(scheds); k++) {
		run_words((const char *[]){"num_sms=1", scheds[k], NULL}, body, 1, 128, out);
		for (u32 i = 0; i < 128; i++)
			assert_int_equal(out[i], i < 32 ? 7 : 42);
	}
}

/* Warps that have exited are not waited for, whether they exit before or after the others arrive. */
static void test_exited_are_not_waited_for(void **state)
{
	static const char body[] =
	    "mov.u32 %r6, 5; st.global.u32 [%a2], %r6; shr.u32 %r5, %r1, 5; setp.eq.u32 %p1, %r5, 1; @%p1 ret;\n"
	    "setp.eq.u32 %p1, %r5, 2; @%p1 bra LATE; bar.sync 0; mov.u32 %r6, 6; st.global.u32 [%a2], %r6; ret;\n"
	    "LATE: div.u32 %r7, %r4, %r6; div.u32 %r7, %r7, %r6; st.global.u32 [%a2], %r7; ret;";
	u32 out[128];
	run_words(one_sm, body, 1, 128, out);
	for (u32 i = 0; i < 128; i++)
		assert_int_equal(out[i], i / 32 == 1 ? 5 : i / 32 == 2 ? i / 25 : 6);
}

/* Two warps of four hand values over with two counted barriers, one of them only arriving; the others use barrier 0. */
static void test_producer_consumer(void **state)
{
	static const char body[] =
	    ".shared .align 4 .b8 sh[128];\nmov.u32 %r9, 0; mov.u32 %r10, 0; shr.u32 %r5, %r1, 5; and.b32 %r6, %r1, 31;\n"
	    "shl.b32 %r7, %r6, 2; mov.u32 %r8, sh; add.u32 %r8, %r8, %r7;\n"
	    "setp.ge.u32 %p1, %r5, 2; @%p1 bra OTHERS; setp.eq.u32 %p2, %r5, 1; @%p2 bra CONSUMER;\n"
	    "P: add.u32 %r11, %r9, %r6; st.shared.u32 [%r8], %r11; bar.arrive 1, 64; bar.sync 2, 64;\n"
	    "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 20; @%p1 bra P; st.global.u32 [%a2], %r9; ret;\n"
	    "CONSUMER: bar.sync 1, 64; ld.shared.u32 %r11, [%r8]; add.u32 %r10, %r10, %r11; bar.arrive 2, 64;\n"
	    "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 20; @%p1 bra CONSUMER; st.global.u32 [%a2], %r10; ret;\n"
	    "OTHERS: bar.sync 3, 64; st.global.u32 [%a2], %r5; ret;";
	u32 out[128];
	for (u32 k = 0; k < ARRAY_LEN(scheds); k++) {
		run_words((const char *[]){"num_sms=1", scheds[k], NULL}, body, 1, 128, out);
		for (u32 i = 0; i < 128; i++)
			assert_int_equal(out[i], i < 32 ? 20 : i < 64 ? 190 + 20 * (i - 32) : i / 32);
	}
}

/* --- CTA shapes --------------------------------------------------------------------------------------------------- */

static void test_partial_warps(void **state)
{
	static const u32 blocks[] = {1, 31, 33, 95, 1000};
	for (u32 k = 0; k < ARRAY_LEN(blocks); k++) {
		struct sim *s = machine((const char *[]){"num_sms=2", NULL});
		struct module *m =
		    rig_load(s, PTX_HEAD ENTRY("k") OWN_WORD
		             "st.global.u32 [%a2], %r4; bar.sync 0; red.global.add.u32 [%a1+20000], 1; ret;\n}\n");
		u64 buf = rig_alloc(s, 20004);
		rig_launch(s, m, "k", 5, blocks[k], 0, &buf, 1);
		rig_finish(s);
		assert_int_equal(rig_u32(s, buf + 20000), 5 * blocks[k]);
		for (u32 i = 0; i < 5 * blocks[k]; i++)
			assert_int_equal(rig_u32(s, buf + 4 * i), i);
		u64 warps = 5 * ((blocks[k] + 31) / 32), insts = rig_counter(s, CG_sm, "issued");
		assert_int_equal(insts % warps, 0);
		assert_int_equal(rig_counter(s, CG_sm, "thread_insts"), insts / warps * 5 * blocks[k]);
		assert_int_equal(rig_counter(s, CG_sm, "barriers"), warps);
		sim_destroy(s);
	}
}

/* A CTA is resident until its last access has come back, to the cycle in occupancy and active cycles. */
static void test_residency_is_exact(void **state)
{
	struct sim *s = machine(one_sm);
	struct rig_log log = {0};
	sim_subscribe(s, EVENT(EV_CTA_DISPATCH) | EVENT(EV_CTA_DONE) | EVENT(EV_WARP_EXIT), rig_record, &log);
	struct module *m =
	    rig_load(s, PTX_HEAD ENTRY("k") OWN_WORD "ld.global.u32 %r5, [%a2]; st.global.u32 [%a2], %r1; ret;\n}\n");
	u64 buf = rig_alloc(s, 65536), occupancy = 0, first = NEVER, last = 0;
	rig_launch(s, m, "k", 20, 96, 0, &buf, 1);
	rig_finish(s);
	for (u32 i = 0; i < rig_count(&log, EV_CTA_DONE); i++) {
		const struct event *e = rig_event(&log, EV_CTA_DONE, i);
		occupancy += 3 * e->arg[1];
		first = MIN(first, e->cycle - e->arg[1]);
		last = MAX(last, e->cycle);
	}
	assert_int_equal(rig_count(&log, EV_CTA_DONE), 20);
	assert_int_equal(rig_counter(s, CG_sm, "occupancy"), occupancy);
	assert_int_equal(rig_counter(s, CG_sm, "active_cycles"), last - first);
	u64 gone = 0;
	for (u32 i = 0; i < rig_count(&log, EV_WARP_EXIT); i++)
		gone = MAX(gone, rig_event(&log, EV_WARP_EXIT, i)->cycle);
	assert_true(last > gone + 2 * 8); /* the last stores cross the interconnect and back */
	free(log.e);
	sim_destroy(s);
}

/* --- fences and sleep --------------------------------------------------------------------------------------------- */

/* Cycles between the issue of the instruction at a PTX line that holds `from` and the one that holds `to`. */
static u64 issue_gap(const char *const *sets, const char *body)
{
	char text[2048];
	struct sim *s = machine(sets);
	struct rig_log log = {0};
	snprintf(text, sizeof text, "%s%s\nret;\n}\n", PTX_HEAD ENTRY("k") OWN_WORD, body);
	struct module *m = rig_load(s, text);
	sim_subscribe(s, EVENT(EV_ISSUE), rig_record, &log);
	u64 buf = rig_alloc(s, 4096), at[2] = {0, 0};
	rig_launch(s, m, "k", 1, 32, 0, &buf, 1);
	rig_finish(s);
	for (u32 i = 0; i < log.n; i++)
		for (u32 k = 0; k < 2; k++)
			if (m->code[log.e[i].pc].op == (k ? OP_SIN : OP_COS))
				at[k] = log.e[i].cycle;
	assert_true(at[0] && at[1] > at[0]);
	free(log.e);
	sim_destroy(s);
	return at[1] - at[0];
}

/* cos marks the beginning, sin the end. */
static void test_fences_wait_for_all_accesses(void **state)
{
#define MARKED(x) "cos.approx.f32 %r20, %r20; " x " sin.approx.f32 %r21, %r21;"
	u64 bare = issue_gap(one_sm, MARKED("st.global.u32 [%a2], %r1;"));
	u64 store = issue_gap(one_sm, MARKED("st.global.u32 [%a2], %r1; membar.gl;"));
	u64 load = issue_gap(one_sm, MARKED("ld.global.u32 %r5, [%a2]; membar.gl;"));
	/* the load waits behind a store of another kind of place: not presented to the cache when the fence issues */
	u64 queued = issue_gap(
	    one_sm,
	    MARKED(
	        "ld.global.u32 %r5, [%a1+1024]; ld.global.u32 %r6, [%a1+2048]; ld.global.u32 %r7, [%a1+3072]; membar.gl;"));
	u64 nothing = issue_gap(one_sm, MARKED("membar.gl;"));
	struct conf c;
	conf_defaults(&c);
	u64 there_and_back = 2 * c.noc_latency + c.l2_latency;
	assert_true(bare < 40 && nothing < 40);
	assert_true(store > there_and_back && load > there_and_back);
	assert_true(queued >= load);
}

/* The head of the LSU hits sixteen times while a load that will miss stands behind it: nothing is in flight when the
 * fence issues, and yet it has to wait for that load. */
static void test_fence_waits_for_queued_load(void **state)
{
	struct conf c;
	conf_defaults(&c);
	u64 gap = issue_gap(
	    one_sm, "and.b32 %r9, %r1, 15; mad.wide.u32 %a3, %r9, 128, %a1; ld.global.u32 %r5, [%a3]; add.u32 %r5, %r5, 1; "
	            "membar.gl;\n" MARKED("ld.global.u32 %r6, [%a3]; ld.global.u32 %r7, [%a1+3072]; membar.gl;"));
	assert_true(gap > 2 * c.noc_latency + c.l2_latency);
}

static void test_sleep(void **state)
{
	/* 700 MHz: 20 us are 14,000 cycles, far beyond the timing wheel */
	u64 base = issue_gap(one_sm, MARKED("mov.u32 %r5, 1;"));
	u64 twenty = issue_gap(one_sm, MARKED("nanosleep.u32 20000;"));
	assert_in_range(twenty, 14000, 14000 + base + 8);
	/* PTX caps it at a millisecond; the machine does not take it for a deadlock */
	u64 longest =
	    issue_gap((const char *[]){"num_sms=1", "deadlock_cycles=1000", NULL}, MARKED("nanosleep.u32 4000000000;"));
	assert_in_range(longest, 700000, 700000 + base + 8);
}

/* --- several kernels ---------------------------------------------------------------------------------------------- */

/* Each thread: a chain of divisions as long as p1 says, then out = 1 + tid. */
static const char slow_kernel[] = PTX_HEAD
    ".visible .entry k(.param .u64 p0, .param .u64 p1)\n{\n" REGS
    "ld.param.u64 %a1, [p0]; ld.param.u64 %a3, [p1]; cvt.u32.u64 %r10, %a3; mov.u32 %r1, %tid.x;\n" OWN_WORD
    "mov.u32 %r11, 3;\nL: div.u32 %r12, %r1, %r11; sub.u32 %r10, %r10, 1; setp.ne.u32 %p1, %r10, 0; @%p1 bra L;\n"
    "ld.global.u32 %r13, [%a2]; add.u32 %r13, %r13, 1; add.u32 %r13, %r13, %r1; st.global.u32 [%a2], %r13; ret;\n}\n";

static const struct kernel_counters *times(struct sim *s, u32 id)
{
	struct kernel_info k;
	gpu_kernel_info(sim_gpu(s), id, &k);
	return k.counters;
}

static void test_streams(void **state)
{
	struct sim *s = machine((const char *[]){"num_sms=1", "launch.latency=100", NULL});
	struct module *m = rig_load(s, slow_kernel);
	u64 buf[4];
	u32 id[4]; /* two launches in each of two streams, on one SM */
	for (u32 i = 0; i < 4; i++) {
		buf[i] = rig_alloc(s, 256);
		id[i] = rig_launch(s, m, "k", 1, 64, i / 2, (u64[]){i % 2 ? buf[i - 1] : buf[i], 10}, 2);
	}
	const struct kernel_counters *k[4];
	rig_finish(s);
	for (u32 i = 0; i < 4; i++)
		k[i] = times(s, id[i]);
	for (u32 i = 0; i < 4; i += 2) {
		assert_int_equal(k[i]->started_at, 100);
		assert_int_equal(k[i + 1]->started_at, k[i]->ended_at + 100);
		for (u32 t = 0; t < 64; t++)
			assert_int_equal(rig_u32(s, buf[i] + 4 * t), 2 * (1 + t));
	}
	assert_true(k[0]->ended_at > k[2]->started_at && k[2]->ended_at > k[0]->started_at);
	sim_destroy(s);
}

/* More streams than kernels may run at a time: the rest waits its turn. */
static void test_many_streams(void **state)
{
	struct sim *s = machine((const char *[]){"num_sms=1", NULL});
	struct module *m = rig_load(s, slow_kernel);
	u64 buf = rig_alloc(s, 40 * 128);
	for (u32 i = 0; i < 40; i++)
		rig_launch(s, m, "k", 1, 32, i, (u64[]){buf + 128 * i, 3}, 2);
	rig_finish(s);
	for (u32 i = 0; i < 40 * 32; i++)
		assert_int_equal(rig_u32(s, buf + 4 * i), 1 + i % 32);
	sim_destroy(s);
}

static void test_all_launches(void **state)
{
	struct sim *s = machine((const char *[]){"num_sms=1", "launch.latency=3", NULL});
	struct module *m = rig_load(s, PTX_HEAD ".visible .entry k(.param .u64 p0)\n{\nret;\n}\n");
	u64 zero = 0;
	for (u32 i = 0; i < TASK_MAX_LAUNCHES; i++)
		rig_launch(s, m, "k", 1, 32, i % 3, &zero, 1);
	struct launch_spec l = {.mod = m,
	                        .fn = module_func(m, "k", true),
	                        .grid = {1, 1, 1},
	                        .block = {32, 1, 1},
	                        .params = &zero,
	                        .param_bytes = 8};
	struct err e = {0};
	assert_int_equal(sim_launch(s, &l, &e), -1);
	assert_non_null(strstr(e.msg, "262144"));
	rig_finish(s);
	assert_int_equal(rig_counter(s, CG_sm, "ctas_done"), TASK_MAX_LAUNCHES);
	sim_destroy(s);
}

static void test_launch_limits(void **state)
{
	struct sim *s = machine(NULL);
	struct module *m = rig_load(s, PTX_HEAD ".visible .entry k(.param .u64 p0) .minnctapersm 1048576\n{\nret;\n}\n");
	u64 zero = 0;
	struct launch_spec ok = {.mod = m,
	                         .fn = module_func(m, "k", true),
	                         .grid = {1, 1, 1},
	                         .block = {32, 1, 1},
	                         .params = &zero,
	                         .param_bytes = 8};
	const struct {
		u32 dynamic, regs, block;
		const char *says;
	} bad[] = {{0xffffffff, 0, 32, "shared memory"},
	           {49153, 0, 32, "shared memory"},
	           {0, 64, 32, "registers"},
	           {0, 0, 2048, "1024 threads"},
	           {0, 0, 0, "empty block"}};
	for (u32 i = 0; i < ARRAY_LEN(bad); i++) {
		struct err e = {0};
		struct launch_spec l = ok;
		l.dynamic_shared = bad[i].dynamic;
		l.regs = bad[i].regs;
		l.block.x = bad[i].block;
		assert_int_equal(sim_launch(s, &l, &e), -1);
		assert_non_null(strstr(e.msg, bad[i].says));
	}
	struct err e = {0};
	assert_int_equal(sim_launch(s, &ok, &e), 0);
	rig_finish(s);
	sim_destroy(s);
}

/* --- issue -------------------------------------------------------------------------------------------------------- */

static void test_issue_period(void **state)
{
	struct sim *s = machine((const char *[]){"num_sms=1", "sm.issue_period=3", NULL});
	struct rig_log log = {0};
	sim_subscribe(s, EVENT(EV_SCHED_PICK), rig_record, &log);
	struct module *m = rig_load(s, slow_kernel);
	rig_launch(s, m, "k", 2, 128, 0, (u64[]){rig_alloc(s, 4096), 5}, 2);
	rig_finish(s);
	assert_true(log.n > 100);
	for (u32 i = 0; i < log.n; i++)
		assert_int_equal(log.e[i].cycle % 3, 0);
	u64 stalls[ST_COUNT];
	gpu_stalls_sum(sim_gpu(s), 0, stalls);
	assert_true(stalls[ST_PERIOD] > 0);
	free(log.e);
	sim_destroy(s);
}

/* Two instructions of one warp to different units in a cycle: issues and slots agree, and it is faster. */
static void test_dual_issue(void **state)
{
	static const char body[] = "mov.u32 %r5, 9; sin.approx.f32 %r20, %r20; add.u32 %r6, %r5, 1; "
	                           "sin.approx.f32 %r21, %r21; add.u32 %r7, %r5, 2;\n"
	                           "sin.approx.f32 %r22, %r22; add.u32 %r8, %r5, 3; add.u32 %r6, %r6, %r7; "
	                           "add.u32 %r6, %r6, %r8; st.global.u32 [%a2], %r6; ret;\n}\n";
	u64 cycles[2];
	for (u32 width = 1; width <= 2; width++) {
		struct sim *s =
		    machine((const char *[]){"num_sms=1", "isa.issue_cost=ptx", "sm.ibuffer=8", "sm.fetch_width=8", "ii.sfu=1",
		                             width == 2 ? "sm.issue_width=2" : "sm.issue_width=1", NULL});
		char text[2048];
		snprintf(text, sizeof text, "%s%s", PTX_HEAD ENTRY("k") OWN_WORD, body);
		struct module *m = rig_load(s, text);
		u64 buf = rig_alloc(s, 4096), stalls[ST_COUNT];
		rig_launch(s, m, "k", 2, 256, 0, &buf, 1);
		rig_finish(s);
		cycles[width - 1] = sim_cycle(s);
		u64 dual = rig_counter(s, CG_sm, "dual_issued");
		gpu_stalls_sum(sim_gpu(s), 0, stalls);
		assert_true((width == 2) == (dual > 0));
		assert_int_equal(rig_counter(s, CG_sm, "issue_slots"), stalls[ST_ISSUED] + dual);
		assert_int_equal(rig_u32(s, buf), 9 * 3 + 6);
		sim_destroy(s);
	}
	assert_true(cycles[1] < cycles[0]);
}

/* What a kernel prints is there though it stores nothing. */
static void test_printf_without_stores(void **state)
{
	static const char text[] = PTX_HEAD
	    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
	    ".global .align 1 .b8 fmt[7] = {104, 101, 108, 108, 111, 10, 0};\n" ENTRY(
	        "k") ".reg .b64 %b<4>; setp.ne.u32 %p1, %r1, 0; @%p1 bra E; mov.u64 %b2, fmt; cvta.global.u64 %b2, %b2;\n"
	             "{ .param .b64 f; .param .b64 a; .param .b32 rr; st.param.b64 [f], %b2; st.param.b64 [a], %b2;\n"
	             "call.uni (rr), vprintf, (f, a); ld.param.b32 %r9, [rr]; }\nE: ret;\n}\n";
	struct sim *s = machine((const char *[]){"num_sms=2", NULL});
	struct module *m = rig_load(s, text);
	struct strbuf out = STRBUF_INIT;
	rig_launch(s, m, "k", 3, 32, 0, (u64[]){0}, 1);
	rig_finish(s);
	sim_take_printf(s, &out);
	assert_string_equal(strbuf_str(&out), "hello\nhello\nhello\n");
	strbuf_release(&out);
	sim_destroy(s);
}

/* Straight code beyond the instruction cache: the next line is on its way before it is needed. */
static void test_instruction_prefetch(void **state)
{
	char text[20000];
	u64 cycles[2], misses[2];
	size_t n = (size_t)snprintf(text, sizeof text, "%s", PTX_HEAD ENTRY("k") OWN_WORD "mov.u32 %r5, 0;\n");
	for (u32 i = 0; i < 400; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "add.u32 %%r5, %%r5, %u;\n", i);
	snprintf(text + n, sizeof text - n, "st.global.u32 [%%a2], %%r5; ret;\n}\n");
	for (u32 k = 0; k < 2; k++) {
		struct sim *s =
		    machine((const char *[]){"num_sms=1", k ? "sm.fetch_prefetch=true" : "sm.fetch_prefetch=false", NULL});
		struct module *m = rig_load(s, text);
		u64 buf = rig_alloc(s, 4096);
		rig_launch(s, m, "k", 1, 32, 0, &buf, 1);
		rig_finish(s);
		assert_int_equal(rig_u32(s, buf), 399 * 400 / 2);
		cycles[k] = sim_cycle(s);
		misses[k] = rig_counter(s, CG_l1i, "misses");
		sim_destroy(s);
	}
	assert_int_equal(misses[0], misses[1]); /* the same lines are brought in, half of them ahead of time */
	assert_true(cycles[1] * 10 < cycles[0] * 8);
}

/* A warp spins on a flag that a warp of another fetch group sets: no scheduler may starve it for ever. */
static void test_spinning_on_another_warp(void **state)
{
	static const char body[] = "setp.ge.u32 %p1, %r1, 480; @%p1 bra SET; W: ld.volatile.global.u32 %r5, [%a1+2040]; "
	                           "setp.eq.u32 %p2, %r5, 0; @%p2 bra W;\n"
	                           "st.global.u32 [%a2], %r5; ret;\nSET: mov.u32 %r5, 77; "
	                           "st.volatile.global.u32 [%a1+2040], %r5; st.global.u32 [%a2], %r5; ret;";
	u32 out[512];
	for (u32 k = 0; k < ARRAY_LEN(scheds); k++) {
		run_words((const char *[]){"num_sms=1", "sm.schedulers=1", scheds[k], NULL}, body, 1, 512, out);
		for (u32 i = 0; i < 512; i++)
			assert_int_equal(out[i], 77);
	}
}

/* --- looking changes nothing -------------------------------------------------------------------------------------- */

static const char busy_kernel[] = PTX_HEAD ENTRY("k") OWN_WORD
    ".shared .align 4 .b8 sh[4096];\n"
    "shl.b32 %r5, %r1, 2; mov.u32 %r6, sh; add.u32 %r6, %r6, %r5; st.shared.u32 [%r6], %r4; bar.sync 0;\n"
    "and.b32 %r7, %r1, 3; setp.eq.u32 %p1, %r7, 0; @%p1 bra A; mul.lo.u32 %r8, %r4, 7; bra.uni B;\n"
    "A: div.u32 %r8, %r4, 3;\n"
    "B: mul.lo.u32 %r9, %r4, 129; and.b32 %r9, %r9, 16383; mad.wide.u32 %a3, %r9, 4, %a1; ld.global.u32 %r10, [%a3];\n"
    "red.global.add.u32 [%a1+65536], %r7; membar.gl; ld.shared.u32 %r11, [%r6]; add.u32 %r10, %r10, %r11; "
    "add.u32 %r10, %r10, %r8;\n"
    "mad.wide.u32 %a4, %r4, 4, %a1; st.global.u32 [%a4+131072], %r10; ret;\n}\n";

enum look { LOOK_NOT, LOOK_SLICES, LOOK_QUERIES, LOOK_EVENTS, LOOK_SAMPLERS, LOOK_STOPS, LOOK_COUNT };

static void query_all(struct sim *s)
{
	struct gpu *g = sim_gpu(s);
	struct sm_info si;
	struct warp_info wi;
	u64 stalls[ST_COUNT];
	for (u32 grp = 0; grp < CG_COUNT; grp++)
		for (u32 i = 0; i < gpu_counter_instances(g, grp); i++)
			gpu_counters(g, grp, i);
	for (u32 sm = 0; sm < gpu_conf(g)->num_sms; sm++) {
		gpu_sm_info(g, sm, &si);
		gpu_stalls_sum(g, (s32)sm, stalls);
		for (u32 w = 0; w < gpu_warps_per_sm(g); w++)
			gpu_warp_info(g, sm, w, &wi);
	}
}
static void sampler(void *ctx, u64 cycle)
{
	query_all(ctx);
}
static bool deaf(void *ctx, const struct event *e)
{
	return false;
}
static bool stop_at_some(void *ctx, const struct event *e)
{
	return e->cycle % 7 == 0;
}

static u64 hash_when(enum look how, const char *const *sets, u64 *cycles)
{
	struct sim *s = machine(sets);
	struct module *m = rig_load(s, busy_kernel);
	u64 buf = rig_alloc(s, 262144);
	rig_launch(s, m, "k", 40, 256, 0, &buf, 1);
	rig_launch(s, m, "k", 10, 96, 1, &buf, 1);
	if (how == LOOK_EVENTS)
		sim_subscribe(s, EVENTS_ALL, deaf, NULL);
	if (how == LOOK_STOPS)
		sim_subscribe(s, EVENT(EV_ISSUE) | EVENT(EV_L1_MISS), stop_at_some, NULL);
	if (how == LOOK_SAMPLERS)
		sim_add_sampler(s, 61, sampler, s);
	struct stop st;
	do {
		sim_run(s, how == LOOK_SLICES || how == LOOK_QUERIES ? sim_cycle(s) + 97 : NEVER, &st);
		if (how == LOOK_QUERIES)
			query_all(s);
	} while (st.why == STOP_CYCLE || st.why == STOP_REQUEST);
	assert_int_equal(st.why, STOP_IDLE);
	sim_drain(s);
	struct err e = {0};
	if (!sim_check(s, &e))
		fail_msg("%s", e.msg);
	u64 h = sim_hash(s);
	*cycles = sim_cycle(s);
	sim_destroy(s);
	return h;
}

static void test_looking_changes_nothing(void **state)
{
	static const char *const machines[][5] = {
	    {"num_sms=3", NULL},
	    {"num_sms=2", "l1d.mshrs=2", "l1i.sets=1", "l1i.ways=1", NULL},
	    {"num_sms=2", "l1d.miss_queue=1", "l1d.merges=1", "warp-sched=tlv", NULL},
	    {"num_sms=1", "coalesce=sector32", "sm.issue_width=2", "warp-sched=lrr", NULL},
	};
	for (u32 k = 0; k < ARRAY_LEN(machines); k++) {
		u64 cycles, c, want = hash_when(LOOK_NOT, machines[k], &cycles);
		for (u32 how = 1; how < LOOK_COUNT; how++) {
			u64 h = hash_when(how, machines[k], &c);
			if (h != want || c != cycles)
				fail_msg("machine %u, look %u: other hash or cycles (%llu, %llu)", k, how, (unsigned long long)c,
				         (unsigned long long)cycles);
		}
	}
}

/* The scheduler changes in the middle, again and again: results and sums stay right. */
static void test_changing_schedulers(void **state)
{
	static const char *const names[] = {"tlv", "lrr", "gto", "tl-rr", "rr", "tl-gto", "paws", "tl-paws"};
	struct sim *s = machine((const char *[]){"num_sms=2", NULL});
	struct module *m = rig_load(s, busy_kernel);
	u64 buf = rig_alloc(s, 262144);
	struct err e = {0};
	struct stop st;
	rig_launch(s, m, "k", 40, 256, 0, &buf, 1);
	for (u32 i = 0; sim_run(s, sim_cycle(s) + 23, &st) == STOP_CYCLE; i++) {
		if (!sim_set(s, "warp-sched", names[i % ARRAY_LEN(names)], &e) ||
		    !sim_set(s, "max_ctas_per_sm", i % 2 ? "2" : "0", &e))
			fail_msg("%s", e.msg);
		if (!sim_check(s, &e))
			fail_msg("%s", e.msg);
	}
	assert_int_equal(st.why, STOP_IDLE);
	assert_false(sim_set(s, "num_sms", "3", &e));
	for (u32 i = 1; i < 40 * 256; i++)
		assert_int_equal(rig_u32(s, buf + 131072 + 4 * i), i + (i % 4 ? 7 * i : i / 3));
	sim_destroy(s);
}

static bool interrupt_now(void *ctx, const struct event *e)
{
	sim_interrupt(ctx);
	return false;
}

static void test_interrupt(void **state)
{
	struct sim *s = machine(one_sm);
	struct module *m = rig_load(s, busy_kernel);
	u64 buf = rig_alloc(s, 262144);
	rig_launch(s, m, "k", 4, 256, 0, &buf, 1);
	int id = sim_subscribe(s, EVENT(EV_CTA_DONE), interrupt_now, s);
	struct stop st;
	u32 n = 0;
	while (sim_run(s, NEVER, &st) == STOP_INTERRUPT)
		n++;
	assert_int_equal(st.why, STOP_IDLE);
	assert_in_range(n, 1, 4);
	sim_unsubscribe(s, id);
	sim_destroy(s);
}

/* A drained machine goes on: samplers due in between were called, the clock never runs backwards. */
static void count_sample(void *ctx, u64 cycle)
{
	u64 *last = ctx;
	assert_int_equal(cycle, last[0] + 10);
	last[0] = cycle;
}
static void test_sampler_through_drain(void **state)
{
	struct sim *s = machine(one_sm);
	struct module *m = rig_load(s, busy_kernel);
	u64 buf = rig_alloc(s, 262144), last = 0, before = 0;
	sim_add_sampler(s, 10, count_sample, &last);
	for (u32 i = 0; i < 3; i++) {
		rig_launch(s, m, "k", 4, 256, 0, &buf, 1);
		rig_finish(s);
		assert_true(sim_cycle(s) > before);
		before = sim_cycle(s);
		assert_int_equal(last, before / 10 * 10);
	}
	sim_destroy(s);
}

/* --- deadlocks ---------------------------------------------------------------------------------------------------- */

static void test_deadlock_is_the_same_in_slices(void **state)
{
	u64 at[3];
	for (u32 k = 0; k < 3; k++) {
		struct sim *s = machine((const char *[]){"num_sms=1", NULL});
		struct rig_log log = {0};
		sim_subscribe(s, EVENT(EV_DEADLOCK), rig_record, &log);
		struct module *m = rig_load(
		    s, PTX_HEAD ENTRY(
		           "k") "setp.lt.u32 %p1, %r1, 32; @%p1 bra A; bar.sync 1, 64; ret;\nA: bar.sync 2, 64; ret;\n}\n");
		rig_launch(s, m, "k", 1, 64, 0, (u64[]){0}, 1);
		/* each warp is missing at the other one's barrier */
		struct stop st = rig_run(s, k == 0 ? NEVER : k == 1 ? 7 : 1000);
		assert_int_equal(st.why, STOP_DEADLOCK);
		assert_int_equal(sim_run(s, NEVER, &st), STOP_DEADLOCK);
		assert_int_equal(log.n, 1);
		at[k] = st.cycle;
		free(log.e);
		sim_destroy(s);
	}
	assert_int_equal(at[0], at[1]);
	assert_int_equal(at[0], at[2]);
}

/* Latencies beyond deadlock_cycles, of memory and of a unit: what is on its way arrives, so the machine is not stuck.
 */
static void slow_is_no_deadlock(void **state)
{
	static const char *const slow[] = {"dram.latency=2000", "noc.latency=900", "shared.latency=1000",
	                                   "l2.latency=1000"};
	for (u32 k = 0; k < ARRAY_LEN(slow); k++) {
		struct sim *s = machine((const char *[]){"num_sms=1", "deadlock_cycles=100", slow[k], NULL});
		struct rig_log log = {0};
		sim_subscribe(s, EVENT(EV_DEADLOCK), rig_record, &log);
		struct module *m =
		    rig_load(s, PTX_HEAD ENTRY("k") OWN_WORD
		             ".shared .align 4 .b8 sh[128];\n"
		             "mov.u32 %r5, sh; ld.shared.u32 %r5, [%r5]; st.global.u32 [%a2], %r5;\n"
		             "ld.global.u32 %r5, [%a2]; add.u32 %r5, %r5, 1; st.global.u32 [%a2], %r5; ret;\n}\n");
		u64 buf = rig_alloc(s, 4096);
		rig_launch(s, m, "k", 1, 64, 0, &buf, 1);
		assert_int_equal(rig_run(s, NEVER).why, STOP_IDLE);
		assert_int_equal(log.n, 0);
		assert_true(sim_cycle(s) > 900);
		free(log.e);
		sim_destroy(s);
	}
}

/* sm.shared_cycles and sm.shared_conflicts: words a stride apart, one access of a warp. */
static void test_conflicts_are_counted(void **state)
{
	static const struct {
		u32 shift, cycles;
	} cases[] = {{2, 1}, {3, 2}, {5, 8}, {7, 32}};
	for (u32 i = 0; i < ARRAY_LEN(cases); i++) {
		char text[600];
		snprintf(text, sizeof text,
		         "%s.visible .entry k()\n{\n.reg .b32 %%r<4>; .shared .align 4 .b8 sh[4096];\n"
		         "mov.u32 %%r1, %%tid.x; shl.b32 %%r1, %%r1, %u; mov.u32 %%r2, sh; add.u32 %%r1, %%r1, %%r2;\n"
		         "st.shared.u32 [%%r1], %%r2; ret;\n}\n",
		         PTX_HEAD, cases[i].shift);
		struct sim *s = machine((const char *[]){"num_sms=1", NULL});
		run_ptx(s, text, 1, 32, NULL, 0);
		assert_int_equal(rig_counter(s, CG_sm, "shared_cycles"), cases[i].cycles);
		assert_int_equal(rig_counter(s, CG_sm, "shared_conflicts"), cases[i].cycles - 1);
		sim_destroy(s);
	}
}

/* 512 B take four cycles without a conflict; of 16 B a lane that lie 32 B apart, half of the banks are used: eight. */
static void test_wide_accesses_are_no_conflicts(void **state)
{
	for (u32 apart = 0; apart < 2; apart++) {
		char text[600];
		snprintf(text, sizeof text,
		         "%s.visible .entry k()\n{\n.reg .b32 %%r<9>; .shared .align 16 .b8 sh[4096];\n"
		         "mov.u32 %%r1, %%tid.x; shl.b32 %%r1, %%r1, %u; mov.u32 %%r2, sh; add.u32 %%r1, %%r1, %%r2;\n"
		         "st.shared.v4.u32 [%%r1], {%%r1,%%r2,%%r1,%%r2}; ret;\n}\n",
		         PTX_HEAD, 4 + apart);
		struct sim *s = machine((const char *[]){"num_sms=1", NULL});
		run_ptx(s, text, 1, 32, NULL, 0);
		assert_int_equal(rig_counter(s, CG_sm, "shared_cycles"), apart ? 8 : 4);
		assert_int_equal(rig_counter(s, CG_sm, "shared_conflicts"), apart ? 4 : 0);
		sim_destroy(s);
	}
}

/* Each instruction counts as one of its kind. */
static void test_kinds_are_counted(void **state)
{
	static const char text[] = PTX_HEAD
	    ".const .align 4 .u32 c = 1;\n.global .align 8 .b8 g[64];\n.visible .entry k()\n{\n.reg .b32 %r<9>; "
	    ".reg .f32 %f<9>; .reg .f64 %d<9>; .reg .b64 %a<3>; .shared .align 8 .b8 sh[64]; .local .align 8 .b8 l[8];\n"
	    "mov.u64 %a1, g; ld.global.f64 %d1, [%a1]; add.f64 %d2, %d1, %d1; mul.f64 %d3, %d2, %d1; "
	    "fma.rn.f64 %d4, %d3, %d2, %d1; ld.global.f32 %f1, [%a1+8]; add.f32 %f2, %f1, %f1; "
	    "fma.rn.f32 %f3, %f2, %f1, %f1;\n"
	    "sin.approx.f32 %f4, %f3; st.shared.f32 [sh], %f4; ld.shared.f32 %f5, [sh]; ld.const.u32 %r1, [c];\n"
	    "st.local.u32 [l], %r1; atom.global.add.u32 %r2, [%a1+16], %r1; add.u32 %r3, %r2, %r1;\n"
	    "st.global.f64 [%a1+24], %d4; st.global.f32 [%a1+32], %f5; st.global.u32 [%a1+36], %r3; ret;\n}\n";
	static const struct {
		const char *name;
		u64 n;
	} want[] = {{"insts_f64", 3},   {"insts_f32", 2},   {"insts_sfu", 1}, {"insts_global", 6}, {"insts_shared", 2},
	            {"insts_const", 1}, {"insts_local", 1}, {"insts_tex", 0}, {"insts_ctrl", 1},   {"insts_int", 2}};
	struct sim *s = machine((const char *[]){"num_sms=1", NULL});
	run_ptx(s, text, 1, 32, NULL, 0);
	for (u32 i = 0; i < ARRAY_LEN(want); i++)
		if (rig_counter(s, CG_sm, want[i].name) != want[i].n)
			fail_msg("%s: %llu", want[i].name, (unsigned long long)rig_counter(s, CG_sm, want[i].name));
	sim_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_arrive_then_exit),
	    cmocka_unit_test(test_exited_are_not_waited_for),
	    cmocka_unit_test(test_producer_consumer),
	    cmocka_unit_test(test_partial_warps),
	    cmocka_unit_test(test_residency_is_exact),
	    cmocka_unit_test(test_fences_wait_for_all_accesses),
	    cmocka_unit_test(test_fence_waits_for_queued_load),
	    cmocka_unit_test(test_sleep),
	    cmocka_unit_test(test_streams),
	    cmocka_unit_test(test_many_streams),
	    cmocka_unit_test(test_all_launches),
	    cmocka_unit_test(test_launch_limits),
	    cmocka_unit_test(test_issue_period),
	    cmocka_unit_test(test_dual_issue),
	    cmocka_unit_test(test_printf_without_stores),
	    cmocka_unit_test(test_instruction_prefetch),
	    cmocka_unit_test(test_spinning_on_another_warp),
	    cmocka_unit_test(test_looking_changes_nothing),
	    cmocka_unit_test(test_changing_schedulers),
	    cmocka_unit_test(test_interrupt),
	    cmocka_unit_test(test_sampler_through_drain),
	    cmocka_unit_test(test_deadlock_is_the_same_in_slices),
	    cmocka_unit_test(slow_is_no_deadlock),
	    cmocka_unit_test(test_conflicts_are_counted),
	    cmocka_unit_test(test_wide_accesses_are_no_conflicts),
	    cmocka_unit_test(test_kinds_are_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
