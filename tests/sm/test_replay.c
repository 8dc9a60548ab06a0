/* The re-execution queue between LSU and caches: the rules of Park 2016, figure 3.5, and of Mascar's queue on small
 * kernels whose every access is known; blocking, barriers, fences, exits, accounting; random kernels on tiny queues. */
#include "tests/rig/rounds.h"
#include "tests/rig/sm_rig.h"

#include "base/rng.h"
#include "gpu/gpu.h"
#include "tests/rig/replay_rules.h"

#define ENTRY                                                                                                          \
	PTX_HEAD ".const .align 4 .u32 table[4] = {1, 2, 3, 4};\n.visible .entry k(.param .u64 p0)\n{\n"                   \
	         ".reg .pred %p<4>; .reg .b32 %r<64>; .reg .b64 %a<8>; .reg .f32 %f<4>; .shared .align 4 .b8 sh[256];\n"   \
	         "ld.param.u64 %a1, [p0]; mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; mov.u32 %r3, %ctaid.x;\n"              \
	         "ld.const.u32 %r40, [table]; ld.global.u32 %r41, [%a1]; add.u32 %r42, %r40, %r41; bar.sync 0;\n"
/* Both warps have loaded the line at %a1 + 0 and the constants by now. Line A takes the only MSHR, B is refused. */
#define A_AND_B                                                                                                        \
	"ld.global.u32 %r10, [%a1+1024];\n"                                                                                \
	"ld.global.u32 %r11, [%a1+2048]; //B\n"
/* Registers that nobody reads would be one and the same after allocation, and each load wait for the one before. */
#define USE_AB "add.u32 %r30, %r10, %r11;\n"
#define SPLIT "setp.ne.u32 %p1, %r2, 0; @%p1 bra W1;\n"
/* A few dependent instructions: what the other warp does comes later than what stands in its way. */
#define DELAY                                                                                                          \
	"mul.lo.u32 %r20, %r1, %r1; mul.lo.u32 %r20, %r20, %r20; mul.lo.u32 %r20, %r20, %r20; "                            \
	"mul.lo.u32 %r20, %r20, %r20;\n"

struct scene {
	struct sim *s;
	struct module *m;
	struct rig_log log;
	struct rules rules;
	const char *text;
	u64 buf;
	struct sm_counters k;
	u64 stalls[ST_COUNT];
};

static const char *const small_machine[] = {"num_sms=1",      "sm.schedulers=1", "isa.issue_cost=ptx",
                                            "schedule=none",  "l1d.mshrs=1",     "l1d.cache_global=true",
                                            "l1d.pipe=false", "lsu.queue=1",     NULL};

static struct sim *small(const char *mode, const char *more)
{
	const char *sets[16];
	u32 n = 0;
	for (; small_machine[n]; n++)
		sets[n] = small_machine[n];
	sets[n++] = mode;
	if (more)
		sets[n++] = more;
	sets[n] = NULL;
	return machine(sets);
}

/* What was counted since the call before. */
static void count(struct scene *c)
{
	const u64 *k = gpu_counters(sim_gpu(c->s), CG_sm, 0);
	u64 now[ST_COUNT];
	for (u32 i = 0; i < sizeof c->k / 8; i++)
		((u64 *)&c->k)[i] = k[i] - ((u64 *)&c->k)[i];
	gpu_stalls_sum(sim_gpu(c->s), -1, now);
	for (u32 i = 0; i < ST_COUNT; i++)
		c->stalls[i] = now[i] - c->stalls[i];
}

/* Runs a kernel of `grid` CTAs of two warps to its end, with every event of interest kept; the second time, so that no
 * instruction misses L1I. */
static void play(struct scene *c, struct sim *s, const char *text, u32 grid)
{
	*c = (struct scene){.s = s, .text = text};
	c->m = rig_load(s, text);
	c->buf = rig_alloc(s, 65536);
	sim_subscribe(
	    s, EVENT(EV_ISSUE) | EVENT(EV_REPLAY_ENTER) | EVENT(EV_REPLAY_LEAVE) | EVENT(EV_CTA_DONE) | EVENT(EV_L1_REFUSE),
	    rig_record, &c->log);
	if (gpu_conf(sim_gpu(s))->lsu_replay)
		rules_watch(&c->rules, s);
	for (u32 i = 0; i < 2; i++) {
		count(c);
		c->log.n = 0;
		rig_launch(s, c->m, "k", grid, 64, 0, &c->buf, 1);
		rig_finish(s);
	}
	count(c);
	assert_int_equal(c->rules.entered, c->rules.left);
}
static void done(struct scene *c)
{
	free(c->log.e);
	sim_destroy(c->s);
}

/* The event of a type at the PTX line that ends with the mark; cta -1: any. NULL: there was none. */
static const struct event *find(const struct scene *c, enum event_type t, const char *mark, s32 cta)
{
	u32 line = 1;
	const char *at = strstr(c->text, mark);
	assert_non_null(at);
	for (const char *p = c->text; p < at; p++)
		line += *p == '\n';
	for (u32 i = 0; i < c->log.n; i++) {
		const struct event *e = &c->log.e[i];
		if (e->type == t && c->m->code[e->pc].line == line && (cta < 0 || e->cta == cta))
			return e;
	}
	return NULL;
}
static u64 cycle_of(const struct scene *c, enum event_type t, const char *mark)
{
	const struct event *e = find(c, t, mark, -1);
	if (!e)
		fail_msg("no %s at %s", event_descs[t].name, mark);
	return e->cycle;
}
static bool entered(const struct scene *c, const char *mark)
{
	return find(c, EV_REPLAY_ENTER, mark, -1) != NULL;
}

/* --- figure 3.5 --------------------------------------------------------------------------------------------------- */

/* (a) A load of warp 0 waits in the queue: its next load passes, its store does not. Anything of warp 1 passes. */
static const char figure_a[] = ENTRY SPLIT A_AND_B "ld.global.u32 %r12, [%a1]; //H\n"
                                                   "add.u32 %r13, %r12, 1; //use\n"
                                                   "st.global.u32 [%a1+512], %r1; //S\n" USE_AB "ret;\nW1:\n" DELAY
                                                   "ld.global.u32 %r12, [%a1]; //H1\n"
                                                   "add.u32 %r13, %r12, 1; //use1\n"
                                                   "st.global.u32 [%a1+640], %r1; //S1\n"
                                                   "cos.approx.f32 %f1, %f1; //end1\nret;\n}\n";

static void test_figure_a(void **state)
{
	struct scene c;
	play(&c, small("lsu.replay=newcar", NULL), figure_a, 1);
	u64 gone = cycle_of(&c, EV_REPLAY_LEAVE, "//B");
	assert_int_equal(find(&c, EV_REPLAY_ENTER, "//B", -1)->arg[1], MR_RF_MSHR - MR_RF_LINE + 1);
	assert_false(entered(&c, "//H") || entered(&c, "//H1") || entered(&c, "//S1"));
	assert_true(cycle_of(&c, EV_ISSUE, "//use\n") < gone && cycle_of(&c, EV_ISSUE, "//use1") < gone);
	assert_true(cycle_of(&c, EV_ISSUE, "//end1") < gone);
	assert_int_equal(find(&c, EV_REPLAY_ENTER, "//S\n", -1)->arg[1], 0);
	assert_true(cycle_of(&c, EV_REPLAY_LEAVE, "//S\n") > gone);
	assert_int_equal(c.k.replay_entered, 2);
	assert_int_equal(c.k.replay_ordered, 1);
	assert_int_equal(c.k.replay_full, 0);
	assert_int_equal(c.stalls[ST_RF_MSHR], 0); /* nobody is refused: what waits, waits for memory */
	done(&c);
}

/* (b) A store of warp 0 waits: neither its loads nor its stores pass. Anything of warp 1 does. */
static const char figure_b[] =
    ENTRY SPLIT A_AND_B "st.global.u32 [%a1+512], %r1; //S\n"
                        "ld.global.u32 %r12, [%a1]; //H\n"
                        "st.global.u32 [%a1+896], %r1; //T\n"
                        "add.u32 %r13, %r12, 1; //use\n" USE_AB "ret;\nW1:\n" DELAY "ld.global.u32 %r12, [%a1]; //H1\n"
                        "add.u32 %r13, %r12, 1; //use1\n"
                        "st.global.u32 [%a1+640], %r1; //S1\nret;\n}\n";

static void test_figure_b(void **state)
{
	struct scene c;
	play(&c, small("lsu.replay=newcar", NULL), figure_b, 1);
	static const char *const order[] = {"//B", "//S\n", "//H\n", "//T"};
	for (u32 i = 1; i < ARRAY_LEN(order); i++) {
		assert_int_equal(find(&c, EV_REPLAY_ENTER, order[i], -1)->arg[1], 0);
		assert_true(cycle_of(&c, EV_REPLAY_LEAVE, order[i]) > cycle_of(&c, EV_REPLAY_LEAVE, order[i - 1]));
	}
	u64 gone = cycle_of(&c, EV_REPLAY_LEAVE, "//B");
	assert_true(cycle_of(&c, EV_ISSUE, "//use\n") > cycle_of(&c, EV_REPLAY_LEAVE, "//H\n"));
	assert_false(entered(&c, "//H1") || entered(&c, "//S1"));
	assert_true(cycle_of(&c, EV_ISSUE, "//use1") < gone);
	done(&c);
}

/* Atomics and volatile loads are ordered like stores: behind the waiting load, and before the load that follows. */
static void test_strong_accesses(void **state)
{
	static const char *const strong[] = {"atom.global.add.u32 %r14, [%a1+512], 1", "red.global.add.u32 [%a1+512], 1",
	                                     "ld.volatile.global.u32 %r14, [%a1+512]"};
	for (u32 i = 0; i < ARRAY_LEN(strong); i++) {
		char text[4096];
		struct scene c;
		snprintf(text, sizeof text, "%s%s; //X\nld.global.u32 %%r12, [%%a1]; //H\n%sW1: ret;\n}\n", ENTRY SPLIT A_AND_B,
		         strong[i], USE_AB "add.u32 %r30, %r12, %r14;\n");
		play(&c, small("lsu.replay=newcar", NULL), text, 1);
		assert_true(cycle_of(&c, EV_REPLAY_LEAVE, "//B") < cycle_of(&c, EV_REPLAY_LEAVE, "//X"));
		assert_true(cycle_of(&c, EV_REPLAY_LEAVE, "//X") < cycle_of(&c, EV_REPLAY_LEAVE, "//H"));
		assert_int_equal(find(&c, EV_REPLAY_ENTER, "//H", -1)->arg[1], 0);
		done(&c);
	}
}

/* --- car, and full queues ----------------------------------------------------------------------------------------- */

/* Warp 1 passes warp 0's load; the second refused load of a warp waits at the LSU, and so what comes behind it. */
static void test_car(void **state)
{
	static const char text[] = ENTRY SPLIT A_AND_B USE_AB "ret;\nW1:\n" DELAY "ld.global.u32 %r12, [%a1]; //H1\n"
	                                                      "add.u32 %r13, %r12, 1; //use1\n"
	                                                      "ld.global.u32 %r14, [%a1+4096]; //C1\n"
	                                                      "ld.global.u32 %r15, [%a1]; //held\n"
	                                                      "add.u32 %r16, %r15, 1; //use2\n"
	                                                      "add.u32 %r17, %r13, %r14; ret;\n}\n";
	struct scene c;
	play(&c, small("lsu.replay=car", NULL), text, 1);
	assert_true(cycle_of(&c, EV_ISSUE, "//use1") < cycle_of(&c, EV_REPLAY_LEAVE, "//B"));
	assert_true(cycle_of(&c, EV_REPLAY_ENTER, "//C1") < cycle_of(&c, EV_REPLAY_LEAVE, "//B"));
	assert_true(cycle_of(&c, EV_REPLAY_LEAVE, "//B") < cycle_of(&c, EV_REPLAY_LEAVE, "//C1"));
	assert_true(cycle_of(&c, EV_ISSUE, "//use2") > cycle_of(&c, EV_REPLAY_LEAVE, "//C1"));
	assert_false(entered(&c, "//held"));
	u64 full = c.k.replay_full;
	u64 held = cycle_of(&c, EV_REPLAY_LEAVE, "//C1") - cycle_of(&c, EV_REPLAY_ENTER, "//C1");
	assert_int_equal(full, held); /* to the cycle */
	u64 stay = held + cycle_of(&c, EV_REPLAY_LEAVE, "//B") - cycle_of(&c, EV_REPLAY_ENTER, "//B");
	assert_int_equal(c.k.replay_cycles, stay);
	done(&c);
}

/* One entry, which B takes: a hit may not be presented until B has gone; shared memory may, and with car constants. */
static void test_full(void **state)
{
	static const char *const behind[] = {"ld.global.u32 %r12, [%a1]", "ld.shared.u32 %r12, [sh]",
	                                     "ld.const.u32 %r12, [table]"};
	static const bool waits[2][3] = {{true, false, false}, {true, false, true}};
	for (u32 newcar = 0; newcar < 2; newcar++)
		for (u32 i = 0; i < 3; i++) {
			char text[4096];
			struct scene c;
			snprintf(text, sizeof text, "%sret;\nW1:\n%s%s; //X\nadd.u32 %%r13, %%r12, 1; //use\nret;\n}\n",
			         ENTRY SPLIT A_AND_B USE_AB, DELAY, behind[i]);
			play(&c, small(newcar ? "lsu.replay=newcar" : "lsu.replay=car", "lsu.replay_entries=1"), text, 1);
			u64 gone = cycle_of(&c, EV_REPLAY_LEAVE, "//B");
			assert_int_equal(cycle_of(&c, EV_ISSUE, "//use") > gone, waits[newcar][i]);
			assert_int_equal(c.k.replay_full > 0, waits[newcar][i]);
			assert_int_equal(c.k.replay_entered, 1);
			done(&c);
		}
}

/* Warps behind a full queue are lost to the cache's reason, as without the queue. */
static void test_stalls_of_a_full_queue(void **state)
{
	static const char text[] =
	    ENTRY A_AND_B "ld.global.u32 %r12, [%a1+4096]; ld.global.u32 %r13, [%a1+8192];\n"
	                  "ld.global.u32 %r14, [%a1+12288]; ld.global.u32 %r15, [%a1+16384];\n" USE_AB
	                  "add.u32 %r31, %r12, %r13; add.u32 %r31, %r14, %r15; ret;\n}\n";
	struct scene c;
	play(&c, small("lsu.replay=newcar", "lsu.replay_entries=1"), text, 1);
	assert_true(c.stalls[ST_RF_MSHR] > 500);
	done(&c);
	play(&c, small("lsu.replay=none", NULL), text, 1);
	assert_true(c.stalls[ST_RF_MSHR] > 500);
	done(&c);
	play(&c, small("lsu.replay=newcar", NULL), text, 1);
	assert_int_equal(c.stalls[ST_RF_MSHR], 0);
	done(&c);
}

/* --- barriers, fences, exits -------------------------------------------------------------------------------------- */

/* After a barrier a store of warp 1 stays behind the load of warp 0 that waits; another CTA's passes. */
static void test_barrier_orders_the_cta(void **state)
{
	static const char text[] = ENTRY "setp.ne.u32 %p2, %r3, 0; @%p2 bra OTHER;\n" SPLIT A_AND_B "bar.sync 1;\n" USE_AB
	                                 "ret;\nW1: bar.sync 1;\n"
	                                 "ld.global.u32 %r12, [%a1]; //H1\n"
	                                 "add.u32 %r13, %r12, 1; //use1\n"
	                                 "st.global.u32 [%a1+640], %r1; //S1\nret;\n"
	                                 "OTHER:\n" DELAY DELAY "st.global.u32 [%a1+896], %r1; //S2\nret;\n}\n";
	struct scene c;
	play(&c, small("lsu.replay=newcar", NULL), text, 2);
	assert_true(cycle_of(&c, EV_ISSUE, "//use1") < cycle_of(&c, EV_REPLAY_LEAVE, "//B"));
	assert_int_equal(find(&c, EV_REPLAY_ENTER, "//S1", -1)->arg[1], 0);
	assert_true(cycle_of(&c, EV_REPLAY_LEAVE, "//S1") > cycle_of(&c, EV_REPLAY_LEAVE, "//B"));
	assert_false(entered(&c, "//S2"));
	assert_true(cycle_of(&c, EV_ISSUE, "//S2") > cycle_of(&c, EV_REPLAY_ENTER, "//B"));
	assert_true(cycle_of(&c, EV_ISSUE, "//S2") < cycle_of(&c, EV_REPLAY_LEAVE, "//B"));
	done(&c);
}

static void test_fence_and_exit_wait(void **state)
{
	static const char *const last[] = {"", "st.global.u32 [%a1+512], %r40; //S\n"};
	for (u32 i = 0; i < 2; i++) {
		char text[4096];
		struct scene c;
		snprintf(text, sizeof text, "%s%smembar.gl;\ncos.approx.f32 %%f1, %%f1; //after\n%s%s%sW1: ret;\n}\n",
		         ENTRY SPLIT A_AND_B, last[i], "ld.global.u32 %r12, [%a1+4096];\n", "ld.global.u32 %r13, [%a1+8192];\n",
		         "st.global.u32 [%a1+512], %r40; //last\n" USE_AB "add.u32 %r30, %r12, %r13;\n");
		play(&c, small("lsu.replay=newcar", NULL), text, 1);
		struct conf k = *gpu_conf(sim_gpu(c.s));
		u64 gone = cycle_of(&c, EV_REPLAY_LEAVE, i ? "//S" : "//B");
		assert_true(cycle_of(&c, EV_ISSUE, "//after") >= gone + 2 * k.noc_latency + k.l2_latency);
		gone = cycle_of(&c, EV_REPLAY_LEAVE, "//last");
		assert_true(rig_event(&c.log, EV_CTA_DONE, 0)->cycle >= gone + 2 * k.noc_latency);
		assert_int_equal(rig_u32(c.s, c.buf + 512), 1);
		done(&c);
	}
}

/* --- progress ----------------------------------------------------------------------------------------------------- */

/* The second line of warp 0's store waits for the first one's acknowledgement; the other warps hit, 32 lines an
 * instruction, so the LSU is never idle. Only lsu.replay_wait gives the store a turn. */
static void test_busy_lsu_does_not_starve_the_queue(void **state)
{
	static const char text[] =
	    PTX_HEAD ".visible .entry k(.param .u64 p0)\n{\n.reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %a<8>;\n"
	             "ld.param.u64 %a1, [p0]; mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; and.b32 %r3, %r1, 31;\n"
	             "mad.wide.u32 %a2, %r3, 128, %a1; ld.global.u32 %r4, [%a2]; add.u32 %r4, %r4, 1; mov.u32 %r5, 400;\n"
	             "and.b32 %r7, %r1, 1; mad.wide.u32 %a3, %r7, 128, %a1; bar.sync 0;\n"
	             "setp.ne.u32 %p1, %r2, 0; @%p1 bra SPIN;\n"
	             "LATE: sub.u32 %r5, %r5, 4; setp.ne.u32 %p1, %r5, 0; @%p1 bra LATE;\n"
	             "st.global.u32 [%a3+8192], %r4;\n"
	             "ret;\nSPIN: ld.global.u32 %r4, [%a2]; sub.u32 %r5, %r5, 1; add.u32 %r6, %r4, 1;\n"
	             "setp.ne.u32 %p1, %r5, 0; @%p1 bra SPIN; ret;\n}\n";
	static const char *const waits[] = {"lsu.replay_wait=400", "lsu.replay_wait=3000", "lsu.replay_wait=1000000"};
	u64 stay[3];
	for (u32 i = 0; i < 3; i++) {
		struct sim *s = machine((const char *[]){"num_sms=1", "lsu.replay=newcar", "l1d.stores=1", "l1d.hash=linear",
		                                         "l1d.sets=64", waits[i], NULL});
		struct rig_log log = {0};
		struct module *m = rig_load(s, text);
		u64 buf = rig_alloc(s, 65536);
		sim_subscribe(s, EVENT(EV_REPLAY_LEAVE), rig_record, &log);
		rig_launch(s, m, "k", 1, 256, 0, &buf, 1);
		rig_finish(s);
		stay[i] = rig_event(&log, EV_REPLAY_LEAVE, 0)->arg[1];
		free(log.e);
		sim_destroy(s);
	}
	assert_in_range(stay[0], 400, 1600); /* the acknowledgement, then the wait */
	assert_in_range(stay[1], 3000, 4200);
	assert_true(stay[2] > 50000); /* until the others have ended */
}

/* --- many accesses, tiny queues, sleeping ------------------------------------------------------------------------- */

/* A kernel of all kinds of accesses, straight-line, each thread on its own words; `seed` decides. */
static void random_kernel(u64 seed, char *text, size_t size)
{
	static const char *const ops[] = {
	    "ld.global.u32 %%r20, [%%a2+%u]; xor.b32 %%r10, %%r10, %%r20;\n",
	    "ld.global.u32 %%r21, [%%a3+%u];\n",
	    "ld.global.u32 %%r22, [%%a2+%u]; ld.global.u32 %%r23, [%%a4+1024]; add.u32 %%r10, %%r10, %%r22;\n",
	    "st.global.u32 [%%a2+%u], %%r10;\n",
	    "st.global.u32 [%%a3+%u], %%r10; add.u32 %%r10, %%r10, 1;\n",
	    "st.global.u32 [%%a2+%u], %%r1; ld.global.u32 %%r24, [%%a2]; add.u32 %%r10, %%r10, %%r24;\n",
	    "red.global.add.u32 [%%a4+%u], 1;\n",
	    "ld.volatile.global.u32 %%r25, [%%a3+%u]; add.u32 %%r10, %%r10, %%r25;\n",
	    "add.u32 %%r10, %%r10, %u; bar.sync 0;\n",
	    "add.u32 %%r10, %%r10, %u; membar.gl;\n",
	    "ld.const.u32 %%r26, [table]; add.u32 %%r10, %%r10, %%r26; add.u32 %%r10, %%r10, %u;\n",
	    "add.u32 %%r10, %%r10, %u; st.shared.u32 [sh], %%r1;\n"};
	size_t n =
	    (size_t)snprintf(text, size, "%s",
	                     ENTRY "mov.u32 %r4, %ntid.x; mad.lo.u32 %r5, %r3, %r4, %r1; mov.u32 %r10, %r5;\n"
	                           "mad.wide.u32 %a2, %r5, 4, %a1; mad.wide.u32 %a3, %r5, 256, %a1; mov.b64 %a4, %a1;\n"
	                           "add.u64 %a2, %a2, 8192; add.u64 %a3, %a3, 65536; add.u64 %a4, %a4, 4096;\n");
	for (u32 i = 0; i < 40; i++) {
		u32 op = (u32)(rng_next(&seed) % ARRAY_LEN(ops)),
		    off = (u32)(rng_next(&seed) % 2) * (op == 1 || op == 4 || op == 7 ? 128 : 0);
		n += (size_t)snprintf(text + n, size - n, ops[op], off);
	}
	snprintf(text + n, size - n, "st.global.u32 [%%a2], %%r10; ret;\n}\n");
}

struct result {
	u64 cycles, hash;
	u64 sm[sizeof(struct sm_counters) / 8], l1d[sizeof(struct cache_counters) / 8];
	u32 word[20480];
};

static void keep_awake(struct sim *s)
{
	struct gpu_state *st = sim_gpu(s)->st;
	for (u32 i = 0; i < gpu_conf(sim_gpu(s))->num_sms; i++)
		st->awake[i / 64] |= BIT(i % 64);
}

/* Runs a random kernel. awake: every SM is ticked in every cycle, whether it asked for that or not. */
static void run_random(u64 seed, const char *const *sets, bool awake, struct result *out)
{
	static struct rules rules;
	char text[16384];
	struct err e = {0};
	struct stop st;
	struct sim *s = machine(sets);
	random_kernel(seed, text, sizeof text);
	struct module *m = rig_load(s, text);
	u64 buf = rig_alloc(s, 1 << 20);
	if (gpu_conf(sim_gpu(s))->lsu_replay)
		rules_watch(&rules, s);
	rig_launch(s, m, "k", 5, 96, 0, &buf, 1);
	do {
		if (awake)
			keep_awake(s);
		sim_run(s, sim_cycle(s) + (awake ? 1 : 100000), &st);
	} while (st.why == STOP_CYCLE && sim_cycle(s) < 5000000);
	assert_int_equal(st.why, STOP_IDLE);
	rig_finish(s);
	*out = (struct result){.cycles = st.cycle, .hash = sim_hash(s)};
	memcpy(out->sm, gpu_counters(sim_gpu(s), CG_sm, 0), sizeof out->sm);
	memcpy(out->l1d, gpu_counters(sim_gpu(s), CG_l1d, 0), sizeof out->l1d);
	if (!devmem_read(sim_devmem(s), buf, out->word, sizeof out->word, &e))
		fail_msg("%s", e.msg);
	sim_destroy(s);
}

static const char *const tiny[][6] = {
    {"num_sms=2", "l1d.mshrs=1", "l1d.miss_queue=1", "lsu.replay_entries=1"},
    {"num_sms=2", "l1d.mshrs=2", "l1d.merges=1", "lsu.replay_entries=3"},
    {"num_sms=1", "l1d.ways=1", "l1d.sets=2", "l1d.stores=2", "lsu.replay_entries=64"},
    {"num_sms=2", "coalesce=sector32", "l1d.cache_global=false", "l1d.mshrs=4", "lsu.replay_wait=1"},
};
static const char *const modes[] = {"lsu.replay=none", "lsu.replay=car", "lsu.replay=newcar"};

static u32 settings(u32 machine_no, u32 mode, const char *out[8])
{
	u32 n = 0;
	for (; tiny[machine_no][n]; n++)
		out[n] = tiny[machine_no][n];
	out[n++] = modes[mode];
	out[n] = out[n + 1] = NULL; /* room for one more */
	return n;
}

/* Tiny queues and caches, all rules watched: same memory as without the queue, same bytes twice. */
static void test_random_kernels(void **state)
{
	static struct result want, got, again;
	for (u64 seed = 1; seed <= rounds(NULL, 12, 3); seed++)
		for (u32 k = 0; k < ARRAY_LEN(tiny); k++) {
			const char *sets[8];
			(void)settings(k, 0, sets);
			run_random(seed, sets, false, &want);
			for (u32 mode = 1; mode < 3; mode++) {
				(void)settings(k, mode, sets);
				run_random(seed, sets, false, &got);
				assert_memory_equal(got.word, want.word, sizeof want.word);
				run_random(seed, sets, false, &again);
				assert_true(again.cycles == got.cycles && again.hash == got.hash);
			}
		}
}

/* Message passing between CTAs of two SMs, twenty rounds: data and flag written and read with volatile accesses and
 * fences between many other loads; every warp reads its own last store. */
static void test_message_passing(void **state)
{
	static const char text[] = PTX_HEAD
	    ".visible .entry k(.param .u64 p0)\n{\n.reg .pred %p<4>; .reg .b32 %r<32>; .reg .b64 %a<8>;\n"
	    "ld.param.u64 %a1, [p0]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.wide.u32 %a2, %r1, 4, %a1;\n"
	    "mad.wide.u32 %a3, %r1, 256, %a1; mov.u32 %r3, 0; mov.u32 %r10, 0; setp.ne.u32 %p1, %r2, 0;\n"
	    "ROUND: add.u32 %r3, %r3, 1; ld.global.u32 %r4, [%a3+65536]; ld.global.u32 %r5, [%a3+98304];\n"
	    "add.u32 %r10, %r10, %r4; add.u32 %r10, %r10, %r5; @%p1 bra READ;\n"
	    /* writer: data, fence, flag; then waits for the reader's flag */
	    "mul.lo.u32 %r6, %r3, 7; st.volatile.global.u32 [%a2+4096], %r6; membar.gl; "
	    "st.volatile.global.u32 [%a2], %r3;\n"
	    "ld.volatile.global.u32 %r7, [%a2+4096]; setp.ne.u32 %p3, %r7, %r6; @%p3 add.u32 %r10, %r10, 1;\n"
	    "ACK: ld.volatile.global.u32 %r8, [%a2+1024]; setp.ne.u32 %p2, %r8, %r3; @%p2 bra ACK; bra NEXT;\n"
	    "READ: ld.volatile.global.u32 %r8, [%a2]; setp.ne.u32 %p2, %r8, %r3; @%p2 bra READ; membar.gl;\n"
	    "ld.volatile.global.u32 %r9, [%a2+4096]; mul.lo.u32 %r6, %r3, 7; setp.ne.u32 %p3, %r9, %r6;\n"
	    "@%p3 add.u32 %r10, %r10, 1; st.global.u32 [%a2+8192], %r9; ld.global.u32 %r11, [%a2+8192];\n"
	    "setp.ne.u32 %p3, %r11, %r9; @%p3 add.u32 %r10, %r10, 1; membar.gl; st.volatile.global.u32 [%a2+1024], %r3;\n"
	    "NEXT: setp.lt.u32 %p3, %r3, 20; @%p3 bra ROUND;\n"
	    "mad.lo.u32 %r12, %r2, 64, %r1; mad.wide.u32 %a4, %r12, 4, %a1; st.global.u32 [%a4+16384], %r10; ret;\n}\n";
	static struct rules rules;
	for (u32 k = 0; k < ARRAY_LEN(tiny); k++)
		for (u32 mode = 1; mode < 3; mode++) {
			const char *sets[8];
			u32 n = settings(k, mode, sets);
			sets[n] = "num_sms=2";
			struct sim *s = machine(sets);
			struct module *m = rig_load(s, text);
			u64 buf = rig_alloc(s, 1 << 18);
			rules_watch(&rules, s);
			rig_launch(s, m, "k", 2, 64, 0, &buf, 1);
			rig_finish(s);
			for (u32 i = 0; i < 128; i++)
				assert_int_equal(rig_u32(s, buf + 16384 + 4 * i), 0);
			for (u32 i = 0; i < 64; i++)
				assert_int_equal(rig_u32(s, buf + 8192 + 4 * i), 140);
			assert_true(rules.entered > 100);
			sim_destroy(s);
		}
}

/* How often an SM is ticked changes nothing: cycles, refusals, occupancy to the last count. */
static void test_sleeping_is_exact(void **state)
{
	static struct result asleep, awake;
	for (u64 seed = 100; seed < 100 + rounds(NULL, 4, 1); seed++)
		for (u32 k = 0; k < ARRAY_LEN(tiny); k++)
			for (u32 mode = 0; mode < 3; mode++) {
				const char *sets[8];
				(void)settings(k, mode, sets);
				run_random(seed, sets, false, &asleep);
				run_random(seed, sets, true, &awake);
				assert_int_equal(asleep.cycles, awake.cycles);
				assert_memory_equal(asleep.sm, awake.sm, sizeof asleep.sm);
				assert_memory_equal(asleep.l1d, awake.l1d, sizeof asleep.l1d);
			}
}

/* newcar: behind a store in the queue, its warp's loads go into the queue without an access. */
static void test_loads_stay_behind_a_store(void **state)
{
	struct sim *s = small("lsu.replay=newcar", "l1d.stores=1");
	u64 buf = rig_alloc(s, 4096);
	struct run r =
	    run_ptx(s,
	            ENTRY "st.global.u32 [%a1+1024], %r1; st.global.u32 [%a1+2048], %r1;\n"
	                  "ld.global.u32 %r10, [%a1+3072]; ld.global.u32 %r11, [%a1]; add.u32 %r12, %r10, %r11;\n"
	                  "st.global.u32 [%a1+512], %r12; ret;\n}\n",
	            1, 32, &buf, 1);
	assert_int_equal(r.why, STOP_IDLE);
	assert_int_equal(rig_counter(s, CG_sm, "replay_ordered"), 2); /* both loads; the last store waits for them */
	sim_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_figure_a),
	    cmocka_unit_test(test_figure_b),
	    cmocka_unit_test(test_strong_accesses),
	    cmocka_unit_test(test_car),
	    cmocka_unit_test(test_full),
	    cmocka_unit_test(test_stalls_of_a_full_queue),
	    cmocka_unit_test(test_barrier_orders_the_cta),
	    cmocka_unit_test(test_fence_and_exit_wait),
	    cmocka_unit_test(test_busy_lsu_does_not_starve_the_queue),
	    cmocka_unit_test(test_random_kernels),
	    cmocka_unit_test(test_message_passing),
	    cmocka_unit_test(test_sleeping_is_exact),
	    cmocka_unit_test(test_loads_stay_behind_a_store),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
