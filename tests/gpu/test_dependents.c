/* Programmatic dependent launches: what a dependent reads behind griddepcontrol.wait, when it begins and ends, that
 * nothing changes for launches that are not programmatic, going back and forth, CTAs that are taken off while others
 * wait, virtual threads, and wrong uses. */
#include "tests/rig/sm_rig.h"

#include "base/rng.h"
#include "gpu/dependents.h"
#include "gpu/gpu.h"
#include "obs/why/why.h"
#include "sim_internal.h"

/* first(out, delay, early): CTAs wait delay * (1 + a number of 0..4 that follows from the CTA) turns, then each thread
 * stores 3 * i + 1. They signal before that (early = 1), behind it (0), or early but for CTA 3, which does not (2).
 *
 * second(in, out, delay): waits delay turns, then for the kernel before, and stores in[n - 1 - i] + 5. apart: the lanes
 * of odd numbers wait alone. one: warp 0 waits alone, the others at a barrier. never: nobody waits; it stores i.
 *
 * WAIT and SIGNAL stand for the two instructions. */
#define PLACE                                                                                                          \
	".reg .pred %p<8>; .reg .b32 %r<24>; .reg .b64 %a<12>;\n"                                                          \
	"ld.param.u64 %a1, [p0]; ld.param.u64 %a2, [p1]; ld.param.u64 %a3, [p2]; mov.u32 %r1, %tid.x; "                    \
	"mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r5, %nctaid.x;\n"                                           \
	"mad.lo.u32 %r4, %r2, %r3, %r1; mul.lo.u32 %r6, %r5, %r3; sub.u32 %r6, %r6, %r4; sub.u32 %r6, %r6, 1;\n"           \
	"mul.wide.u32 %a4, %r4, 4; mul.wide.u32 %a5, %r6, 4; setp.eq.u32 %p7, %r1, 99;\n"
#define SECOND(name, wait)                                                                                             \
	".visible .entry " name "(.param .u64 p0, .param .u64 p1, .param .u64 p2)\n{\n" PLACE                              \
	"cvt.u32.u64 %r7, %a3; L: sub.u32 %r7, %r7, 1; setp.gt.s32 %p1, %r7, 0; @%p1 bra L;\n"                             \
	"SIGNAL\n" wait "add.u64 %a5, %a1, %a5; add.u64 %a4, %a2, %a4; ld.global.u32 %r8, [%a5]; add.u32 %r8, %r8, 5;\n"   \
	"st.global.u32 [%a4], %r8; ret;\n}\n"
static const char program[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry first(.param .u64 p0, .param .u64 p1, .param .u64 p2)\n{\n" PLACE
    "cvt.u32.u64 %r7, %a2; cvt.u32.u64 %r8, %a3; setp.eq.u32 %p1, %r8, 0; @%p1 bra LATER;\n"
    "setp.eq.u32 %p2, %r8, 2; setp.eq.and.u32 %p3, %r2, 3, %p2; @%p3 bra LATER;\n"
    "SIGNAL\nSIGNAL\n"
    "LATER: mul.lo.u32 %r9, %r2, 7919; rem.u32 %r9, %r9, 5; add.u32 %r9, %r9, 1; mul.lo.u32 %r7, %r7, %r9;\n"
    "L: sub.u32 %r7, %r7, 1; setp.gt.s32 %p4, %r7, 0; @%p4 bra L;\n"
    "setp.ne.u32 %p5, %r8, 0; @%p5 bra STORE; setp.gt.u32 %p5, %r1, 31; @%p5 bra STORE;\n"
    "SIGNAL\nSIGNAL\n"
    "STORE: mul.lo.u32 %r10, %r4, 3; add.u32 %r10, %r10, 1; add.u64 %a6, %a1, %a4; st.global.u32 [%a6], %r10; ret;\n}\n" SECOND(
        "second", "WAIT\n")
        SECOND("apart", "and.b32 %r9, %r1, 1; setp.eq.u32 %p2, %r9, 0; @%p2 bra EVEN; WAIT\nEVEN: bar.warp.sync -1;\n")
            SECOND("one", "setp.gt.u32 %p2, %r1, 31; @%p2 bra REST; WAIT\nREST: bar.sync 0;\n")
                SECOND("never", "mov.u32 %r6, %r4; mul.wide.u32 %a5, %r6, 4;\n");

#define COPY                                                                                                           \
	"add.u64 %a5, %a1, %a5; add.u64 %a4, %a2, %a4; ld.global.u32 %r8, [%a5]; st.global.u32 [%a4], %r8; ret;\n}\n"
#define SETS "cuda.capability=90", "num_sms=4", "sm.ctas=4", "launch.latency=700"
#define N 64 /* threads of a CTA */

/* The program with its two instructions, or with others. */
static char *text_with(const char *wait, const char *signal)
{
	static char out[16384];
	char *to = out;
	for (const char *p = program; *p;) {
		const bool w = !strncmp(p, "WAIT", 4), s = !strncmp(p, "SIGNAL", 6);
		if (w || s) {
			to = stpcpy(to, w ? wait : signal);
			p += w ? 4 : 6;
		} else {
			*to++ = *p++;
		}
	}
	*to = 0;
	return out;
}
static char *text(void)
{
	return text_with("griddepcontrol.wait;", "griddepcontrol.launch_dependents;");
}

static u32 launch(struct sim *s, struct module *m, const char *name, u32 ctas, bool programmatic, const u64 args[3])
{
	struct err e = {0};
	const int id = sim_launch(s,
	                          &(struct launch_spec){.mod = m,
	                                                .fn = module_func(m, name, true),
	                                                .grid = {ctas, 1, 1},
	                                                .block = {N, 1, 1},
	                                                .programmatic = programmatic,
	                                                .params = args,
	                                                .param_bytes = 24},
	                          &e);
	if (id < 0)
		fail_msg("%s", e.msg);
	return (u32)id;
}

/* Two or three kernels behind one another. */
struct chain {
	struct sim *s;
	struct module *m;
	u64 a, b, c;
	u32 ctas;
	struct rig_log *log;
};
static struct chain begin(const char *const *sets, const char *ptx, u32 ctas)
{
	struct chain x = {.s = machine(sets), .ctas = ctas, .log = xcalloc(1, sizeof(struct rig_log))};
	x.m = rig_load(x.s, ptx);
	x.a = rig_alloc(x.s, 4ull * ctas * N);
	x.b = rig_alloc(x.s, 4ull * ctas * N);
	x.c = rig_alloc(x.s, 4ull * ctas * N);
	sim_subscribe(x.s, EVENT(EV_LAUNCH_DEPENDENTS) | EVENT(EV_KERNEL_START) | EVENT(EV_KERNEL_DONE), rig_record, x.log);
	return x;
}
static void end(struct chain *x)
{
	free(x->log->e);
	free(x->log);
	sim_destroy(x->s);
}
static const struct kernel_counters *times(const struct chain *x, u32 launch)
{
	struct kernel_info k;
	gpu_kernel_info(sim_gpu(x->s), launch, &k);
	assert_int_equal(k.state, KS_DONE);
	return k.counters;
}
static u32 first_value(u32 i)
{
	return 3 * i + 1;
}
static void check_first(const struct chain *x)
{
	for (u32 i = 0; i < x->ctas * N; i++)
		assert_int_equal(rig_u32(x->s, x->a + 4 * i), first_value(i));
}
static void check_second(const struct chain *x)
{
	for (u32 i = 0; i < x->ctas * N; i++)
		assert_int_equal(rig_u32(x->s, x->b + 4 * i), first_value(x->ctas * N - 1 - i) + 5);
}
static u64 run_pair(struct chain *x, const char *second, u32 delay, u32 early, u32 before, bool programmatic)
{
	launch(x->s, x->m, "first", x->ctas, false, (u64[]){x->a, delay, early});
	launch(x->s, x->m, second, x->ctas, programmatic, (u64[]){x->a, x->b, before});
	rig_finish(x->s);
	check_first(x);
	check_second(x);
	return sim_cycle(x->s);
}

/* --- what is read, and when it begins ----------------------------------------------------------------------------- */

static const char *const sets[] = {SETS, NULL};

static void test_values(void **state)
{
	static const char *const seconds[] = {"second", "apart", "one"};
	u64 seed = 5;
	u32 overlaps = 0;
	for (u32 i = 0; i < 24; i++) {
		const bool splits = i % 4 == 3;
		const char *const with[] = {SETS, splits ? "isa.threads=splits" : "isa.threads=stack", NULL};
		struct chain x = begin(with, text(), 1 + (u32)(rng_next(&seed) % 16));
		run_pair(&x, seconds[i % 3], (u32)(rng_next(&seed) % 900), (u32)(rng_next(&seed) % 3),
		         (u32)(rng_next(&seed) % 400), true);
		struct kernel_info k;
		gpu_kernel_info(sim_gpu(x.s), 1, &k);
		assert_int_equal(k.overlaps, k.counters->started_at < times(&x, 0)->ended_at ? 0 : -1);
		assert_true(k.counters->ended_at >= times(&x, 0)->ended_at);
		overlaps += k.overlaps == 0;
		end(&x);
	}
	assert_in_range(overlaps, 8, 23);
}

/* It begins launch.latency behind the signal; what it does before its wait, and the latency, are hidden. */
static void test_overlap(void **state)
{
	struct chain with = begin(sets, text(), 8), without = begin(sets, text(), 8);
	const u64 fast = run_pair(&with, "second", 1000, 1, 500, true);
	const u64 slow = run_pair(&without, "second", 1000, 1, 500, false);
	const struct event *e = rig_event(with.log, EV_LAUNCH_DEPENDENTS, 0);
	assert_int_equal(e->kernel, 0);
	assert_int_equal(e->arg[0], 2); /* launch 1 */
	assert_int_equal(e->arg[1], 0); /* no CTA has ended */
	assert_int_equal(times(&with, 1)->started_at, e->cycle + 700);
	assert_true(times(&with, 1)->started_at < times(&with, 0)->ended_at);
	assert_int_equal(times(&without, 1)->started_at, times(&without, 0)->ended_at + 700);
	assert_int_equal(times(&with, 0)->started_at, times(&without, 0)->started_at);
	const u64 spared = slow - fast, before = 500 * 3; /* three instructions a turn, at least a cycle each */
	if (spared < 700 + before)
		fail_msg("%llu cycles with, %llu without", (unsigned long long)fast, (unsigned long long)slow);
	end(&with);
	end(&without);
}

/* Without the flag the two instructions are any that wait for nothing. With it, a kernel that does not signal before it
 * ends lets its dependent go as any. */
static void test_not_programmatic(void **state)
{
	struct chain x = begin(sets, text(), 8), y = begin(sets, text_with("fence.proxy.async;", "fence.proxy.async;"), 8);
	const u64 cycles = run_pair(&x, "second", 300, 1, 50, false);
	assert_int_equal(cycles, run_pair(&y, "second", 300, 1, 50, false));
	struct chain z = begin(sets, text_with("griddepcontrol.wait;", "fence.proxy.async;"), 8);
	assert_int_equal(cycles, run_pair(&z, "second", 300, 1, 50, true));
	assert_int_equal(times(&z, 1)->started_at, times(&z, 0)->ended_at + 700);
	assert_int_equal(rig_count(z.log, EV_LAUNCH_DEPENDENTS), 0);
	end(&x);
	end(&y);
	end(&z);
}

/* Where no lane's guard holds, nobody signals and nobody waits. */
static void test_guards(void **state)
{
	struct chain x = begin(sets, text_with("griddepcontrol.wait;", "@%p7 griddepcontrol.launch_dependents;"), 4);
	run_pair(&x, "second", 300, 1, 50, true);
	assert_int_equal(times(&x, 1)->started_at, times(&x, 0)->ended_at + 700);
	assert_int_equal(rig_count(x.log, EV_LAUNCH_DEPENDENTS), 0);
	struct chain y = begin(sets, text_with("@%p7 griddepcontrol.wait;", "griddepcontrol.launch_dependents;"), 4);
	launch(y.s, y.m, "first", 4, false, (u64[]){y.a, 3000, 1});
	launch(y.s, y.m, "second", 4, true, (u64[]){y.a, y.b, 1});
	rig_finish(y.s);
	assert_int_equal(times(&y, 1)->ended_at, times(&y, 0)->ended_at);
	assert_int_equal(rig_u32(y.s, y.b), 5); /* read before it was written */
	end(&x);
	end(&y);
}

/* Each CTA counts once, with the first thread that signals or with its end; nothing begins before the last one. */
static void test_each_cta_counts_once(void **state)
{
	for (u32 early = 0; early < 3; early++) {
		struct chain x = begin(sets, text(), 12);
		struct rig_log log = {0};
		u64 at[12] = {0}, last = 0;
		sim_subscribe(x.s, EVENT(EV_ISSUE) | EVENT(EV_CTA_DONE), rig_record, &log);
		run_pair(&x, "second", 200, early, 20, true);
		for (u32 i = 0; i < log.n; i++) {
			const struct event *e = &log.e[i];
			const bool signal = e->type == EV_ISSUE && x.m->code[e->pc].op == OP_GRIDDEP && !x.m->code[e->pc].mode;
			if (e->kernel == 0 && !at[e->cta] && (signal || e->type == EV_CTA_DONE))
				at[e->cta] = e->cycle;
		}
		for (u32 i = 0; i < 12; i++)
			last = MAX(last, at[i]);
		assert_int_equal(rig_event(x.log, EV_LAUNCH_DEPENDENTS, 0)->cycle, last);
		assert_int_equal(times(&x, 1)->started_at, last + 700);
		free(log.e);
		end(&x);
	}
}

/* The host comes late: the kernel before has let go already, or has ended. */
static void test_launched_late(void **state)
{
	struct chain x = begin(sets, text(), 8);
	launch(x.s, x.m, "first", 8, false, (u64[]){x.a, 3000, 1});
	while (!rig_count(x.log, EV_LAUNCH_DEPENDENTS))
		sim_run(x.s, sim_cycle(x.s) + 1, NULL);
	assert_int_equal(rig_event(x.log, EV_LAUNCH_DEPENDENTS, 0)->arg[0], 0); /* nobody is behind it */
	sim_run(x.s, sim_cycle(x.s) + 500, NULL);
	const u64 now = sim_cycle(x.s);
	launch(x.s, x.m, "second", 8, true, (u64[]){x.a, x.b, 1});
	rig_finish(x.s);
	check_second(&x);
	assert_int_equal(times(&x, 1)->started_at, now + 700);
	assert_true(now + 700 < times(&x, 0)->ended_at);
	launch(x.s, x.m, "second", 8, true, (u64[]){x.a, x.c, 1});
	const u64 later = sim_cycle(x.s);
	rig_finish(x.s);
	assert_int_equal(times(&x, 2)->started_at, later + 700);
	end(&x);
}

/* --- chains ------------------------------------------------------------------------------------------------------- */

/* Each reads what the one before it wrote; all three are on the machine at a time. */
static void test_three(void **state)
{
	struct chain x = begin(sets, text(), 4);
	launch(x.s, x.m, "first", 4, false, (u64[]){x.a, 4000, 1});
	launch(x.s, x.m, "second", 4, true, (u64[]){x.a, x.b, 1});
	launch(x.s, x.m, "second", 4, true, (u64[]){x.b, x.c, 1});
	rig_finish(x.s);
	check_second(&x);
	for (u32 i = 0; i < 4 * N; i++)
		assert_int_equal(rig_u32(x.s, x.c + 4 * i), first_value(i) + 10);
	assert_true(times(&x, 2)->started_at < times(&x, 0)->ended_at);
	assert_true(times(&x, 1)->ended_at > times(&x, 0)->ended_at);
	assert_true(times(&x, 2)->ended_at > times(&x, 1)->ended_at);
	end(&x);
}

/* A dependent that does not wait has its CTAs done early. It ends with the kernel before it, and what comes behind
 * waits for both, whether it is programmatic and waits itself or not. */
static void test_never_waits(void **state)
{
	for (u32 programmatic = 0; programmatic < 2; programmatic++) {
		struct chain x = begin(sets, text(), 4);
		launch(x.s, x.m, "first", 4, false, (u64[]){x.a, 4000, 1});
		launch(x.s, x.m, "never", 4, true, (u64[]){x.b, x.b, 1});
		launch(x.s, x.m, "second", 4, programmatic, (u64[]){x.a, x.c, 1});
		rig_finish(x.s);
		const u64 ended = times(&x, 0)->ended_at;
		assert_int_equal(times(&x, 1)->ended_at, ended);
		assert_true(programmatic ? times(&x, 2)->started_at < ended : times(&x, 2)->started_at == ended + 700);
		for (u32 i = 0; i < 4 * N; i++) {
			assert_int_equal(rig_u32(x.s, x.b + 4 * i), 5);
			assert_int_equal(rig_u32(x.s, x.c + 4 * i), first_value(4 * N - 1 - i) + 5);
		}
		const struct event *a = rig_event(x.log, EV_KERNEL_DONE, 0), *b = rig_event(x.log, EV_KERNEL_DONE, 1);
		assert_true(a->kernel == 0 && b->kernel == 1);
		end(&x);
	}
}

/* Streams have nothing to do with one another. */
static void test_streams(void **state)
{
	struct chain x = begin(sets, text(), 4);
	launch(x.s, x.m, "first", 4, false, (u64[]){x.a, 3000, 0});
	rig_launch(x.s, x.m, "first", 4, N, 1, (u64[]){x.c, 3000, 1}, 3);
	launch(x.s, x.m, "second", 4, true, (u64[]){x.a, x.b, 1});
	rig_finish(x.s);
	check_second(&x);
	for (u32 i = 0; i < rig_count(x.log, EV_LAUNCH_DEPENDENTS); i++) {
		const struct event *e = rig_event(x.log, EV_LAUNCH_DEPENDENTS, i);
		assert_int_equal(e->arg[0], e->kernel ? 0 : 3);
	}
	end(&x);
}

/* --- what is seen ------------------------------------------------------------------------------------------------- */

static void test_seen(void **state)
{
	struct chain x = begin(sets, text(), 4);
	struct strbuf why = STRBUF_INIT;
	launch(x.s, x.m, "first", 4, false, (u64[]){x.a, 3000, 1});
	launch(x.s, x.m, "second", 4, true, (u64[]){x.a, x.b, 1});
	launch(x.s, x.m, "second", 4, true, (u64[]){x.b, x.c, 1});
	struct gpu *g = sim_gpu(x.s);
	why_kernel_waits(g, 1, &why);
	assert_non_null(strstr(strbuf_str(&why), "griddepcontrol.launch_dependents"));
	u32 waits = 0;
	while (!waits) {
		sim_run(x.s, sim_cycle(x.s) + 1, NULL);
		for (u32 sm = 0; sm < 4; sm++)
			for (u32 w = 0; w < gpu_warps_per_sm(g); w++) {
				struct warp_info i;
				gpu_warp_info(g, sm, w, &i);
				if (gpu_awaited_kernel(g, sm, w) < 0)
					continue;
				waits++;
				assert_int_equal(i.launch, 1);
				assert_int_equal(i.state, WS_FENCE);
				assert_int_equal(gpu_awaited_kernel(g, sm, w), 0);
				assert_string_equal(i.waits, "end of kernel 0");
				assert_int_equal(x.m->code[gpu_producer(g, sm, w)].op, OP_GRIDDEP);
				strbuf_clear(&why);
				why_warp(g, sm, w, &why);
				assert_non_null(strstr(strbuf_str(&why), "waits for the end of kernel 0 (first), 0 of whose 4 CTAs"));
			}
	}
	strbuf_release(&why);
	rig_finish(x.s);
	end(&x);
}

/* --- time, preemption, virtual threads ---------------------------------------------------------------------------- */

static void launch_three(struct chain *x)
{
	sim_fork(x->s);
	launch(x->s, x->m, "first", x->ctas, false, (u64[]){x->a, 60, 1});
	launch(x->s, x->m, "second", x->ctas, true, (u64[]){x->a, x->b, 1});
	launch(x->s, x->m, "one", x->ctas, true, (u64[]){x->b, x->c, 9});
	sim_turn(x->s);
}

static void test_travel(void **state)
{
	static u64 hash[60000];
	struct err e = {0};
	struct chain x = begin(sets, text(), 12);
	u64 seed = 3, last = 0;
	assert_true(sim_history(x.s, 64, &e));
	launch_three(&x);
	while (!sim_idle(x.s)) {
		sim_run(x.s, (sim_cycle(x.s) / 16 + 1) * 16, NULL);
		last = sim_cycle(x.s);
		assert_true(last < ARRAY_LEN(hash));
		hash[last] = last % 16 ? 0 : sim_hash(x.s);
	}
	for (u32 i = 0; i < 60; i++) {
		const u64 to = (1 + rng_next(&seed) % (last / 16 - 1)) * 16;
		if (!sim_goto(x.s, to, &e))
			fail_msg("%s", e.msg);
		assert_int_equal(sim_hash(x.s), hash[to]);
		if (!sim_check_state(x.s, &e))
			fail_msg("%s", e.msg);
		const u64 steps = 1 + rng_next(&seed) % 20, on = MIN(to + 16 * steps, last / 16 * 16);
		sim_run(x.s, on, NULL);
		assert_int_equal(sim_hash(x.s), hash[on]);
	}
	rig_finish(x.s);
	check_second(&x);
	end(&x);
}

/* One random verb on a CTA that is on an SM: it is saved and comes back by itself, or begins again. */
static bool disturb(struct gpu *g, u64 *seed)
{
	struct err e = {0};
	const u32 sm = (u32)(rng_next(seed) % g->conf.num_sms), slot = (u32)(rng_next(seed) % g->conf.sm_ctas);
	const struct cta *c = &g->sm[sm]->cta[slot];
	if (!c->used || g->sm[sm]->done_slots >> slot & 1)
		return false;
	return rng_next(seed) % 2 ? gpu_save_cta(g, c->launch, c->id, true, &e) : gpu_drop_cta(g, c->launch, c->id, &e);
}

static void test_disturbed(void **state)
{
	static const char *const more[] = {"cta-virtual=none", "cta-virtual=vt", "partition=smk"};
	u64 seed = 11;
	for (u32 i = 0; i < 24; i++) {
		const char *const with[] = {SETS, "idempotence.track=true", more[i % 3], i % 3 == 1 ? "lsu.replay=car" : NULL,
		                            NULL};
		struct chain x = begin(with, text(), 6 + i);
		u32 done = 0;
		launch_three(&x);
		while (!sim_idle(x.s)) {
			struct err e = {0};
			sim_run(x.s, sim_cycle(x.s) + 1 + rng_next(&seed) % 300, NULL);
			done += disturb(sim_gpu(x.s), &seed);
			if (!sim_check_state(x.s, &e))
				fail_msg("round %u, cycle %llu: %s", i, (unsigned long long)sim_cycle(x.s), e.msg);
			if (sim_gpu(x.s)->hang->deadlocked) {
				struct strbuf w = STRBUF_INIT;
				why_machine(sim_gpu(x.s), &w);
				fail_msg("round %u cycle %llu: %s", i, (unsigned long long)sim_cycle(x.s), strbuf_str(&w));
			}
		}
		rig_finish(x.s);
		check_first(&x);
		check_second(&x);
		for (u32 k = 0; k < x.ctas * N; k++)
			assert_int_equal(rig_u32(x.s, x.c + 4 * k), first_value(k) + 10);
		assert_true(done > 3);
		end(&x);
	}
}

/* CTAs that are taken off come back before the dependent has their room: it would wait for them, and they for it. */
static void test_saved_first(void **state)
{
	const char *const with[] = {"cuda.capability=90", "num_sms=1", "sm.ctas=2", NULL};
	struct chain x = begin(with, text(), 2);
	struct err e = {0};
	launch(x.s, x.m, "first", 2, false, (u64[]){x.a, 2000, 1});
	launch(x.s, x.m, "second", 2, true, (u64[]){x.a, x.b, 1});
	while (rig_count(x.log, EV_KERNEL_START) < 2)
		sim_run(x.s, sim_cycle(x.s) + 1, NULL);
	for (u32 i = 0; i < 2; i++)
		assert_true(gpu_save_cta(sim_gpu(x.s), 0, i, true, &e));
	rig_finish(x.s);
	assert_int_equal(rig_counter(x.s, CG_sm, "ctas_saved"), 2);
	check_second(&x);
	end(&x);
}

/* CTAs of the dependent fill all slots while some of the first kernel's have none: they give their slots back, also
 * where a warp of each waits for the other kernel and the other warp for that one, at a barrier or an mbarrier. */
static void virtual_threads(const char *name)
{
	const char *const with[] = {"cuda.capability=90", "num_sms=1",         "sm.ctas=2", "cta-virtual=vt",
	                            "lsu.replay=car",     "vt.barriers=false", NULL};
	static const char ptx[] =
	    ".version 8.0\n.target sm_90\n.address_size 64\n"
	    ".visible .entry first(.param .u64 p0, .param .u64 p1, .param .u64 p2)\n{\n" PLACE
	    "griddepcontrol.launch_dependents; mov.u32 %r7, 0; add.u64 %a4, %a1, %a4;\n"
	    "L: ld.volatile.global.u32 %r8, [%a4]; add.u32 %r8, %r8, 1; st.global.u32 [%a4], %r8; add.u32 %r7, %r7, 1;\n"
	    "setp.lt.u32 %p1, %r7, 30; @%p1 bra L; ret;\n}\n"
	    ".visible .entry second(.param .u64 p0, .param .u64 p1, .param .u64 p2)\n{\n" PLACE "griddepcontrol.wait; " COPY
	    ".visible .entry barrier(.param .u64 p0, .param .u64 p1, .param .u64 p2)\n{\n" PLACE
	    "setp.gt.u32 %p2, %r1, 31; @%p2 bra REST; griddepcontrol.wait; REST: bar.sync 0; " COPY
	    ".visible .entry mbarrier(.param .u64 p0, .param .u64 p1, .param .u64 p2)\n{\n" PLACE
	    ".shared .align 8 .b64 m; mov.u32 %r9, m; setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared::cta.b64 [%r9], 32;\n"
	    "bar.sync 0; setp.gt.u32 %p2, %r1, 31; @%p2 bra T;\n"
	    "griddepcontrol.wait; mbarrier.arrive.shared::cta.b64 %a6, [%r9];\n"
	    "T: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r9], 0; @!%p3 bra T;\n" COPY;
	struct chain x = begin(with, ptx, 6);
	u64 swaps = 0;
	launch(x.s, x.m, "first", 6, false, (u64[]){x.a, 0, 0});
	launch(x.s, x.m, name, 6, true, (u64[]){x.a, x.b, 0});
	struct err e = {0};
	while (!sim_idle(x.s)) {
		sim_run(x.s, sim_cycle(x.s) + 7, NULL);
		assert_false(sim_gpu(x.s)->hang->deadlocked);
		if (!sim_check_state(x.s, &e))
			fail_msg("%s", e.msg);
		const struct gpu *g = sim_gpu(x.s);
		for (u32 at = SM_MAX_CTAS; at < SM_CTA_PLACES; at++)
			swaps += g->sm[0]->cta[at].inactive && g->sm[0]->cta[at].launch == 1;
	}
	rig_finish(x.s);
	assert_true(swaps > 0);
	assert_true(times(&x, 1)->started_at < times(&x, 0)->ended_at);
	for (u32 i = 0; i < 6 * N; i++)
		assert_int_equal(rig_u32(x.s, x.b + 4 * i), 30);
	end(&x);
}
static void test_virtual_threads(void **state)
{
	virtual_threads("second");
	virtual_threads("barrier");
	virtual_threads("mbarrier");
}

/* A line that is in L1D from before the wait is fetched again behind it, for the kernel before may have written it. */
static void test_l1d(void **state)
{
	static const char ptx[] =
	    ".version 8.0\n.target sm_90\n.address_size 64\n"
	    ".visible .entry first(.param .u64 p0, .param .u64 p1, .param .u64 p2)\n{\n" PLACE
	    "griddepcontrol.launch_dependents; cvt.u32.u64 %r7, %a2; L: sub.u32 %r7, %r7, 1; setp.gt.s32 %p1, %r7, 0;\n"
	    "@%p1 bra L; add.u64 %a4, %a1, %a4; st.global.u32 [%a4], %r4; ret;\n}\n"
	    ".visible .entry second(.param .u64 p0, .param .u64 p1, .param .u64 p2)\n{\n" PLACE
	    "add.u64 %a6, %a1, %a4; add.u64 %a7, %a2, %a4; ld.global.u32 %r8, [%a6]; WAIT ld.global.u32 %r9, [%a6];\n"
	    "add.u32 %r9, %r9, %r8; st.global.u32 [%a7], %r9; ret;\n}\n";
	u64 misses[2];
	for (u32 waits = 0; waits < 2; waits++) {
		char *text = strdup(ptx), *at = strstr(text, "WAIT");
		static const char wait[] = "griddepcontrol.wait;";
		char *whole = calloc(1, sizeof ptx + sizeof wait);
		sprintf(whole, "%.*s%s%s", (int)(at - text), text, waits ? wait : "", at + 4);
		struct chain x = begin((const char *[]){"cuda.capability=90", "num_sms=2", NULL}, whole, 1);
		launch(x.s, x.m, "first", 1, false, (u64[]){x.a, 3000, 0});
		launch(x.s, x.m, "second", 1, true, (u64[]){x.a, x.b, 0});
		rig_finish(x.s);
		for (u32 i = 0; i < N; i++)
			assert_int_equal(rig_u32(x.s, x.b + 4 * i), waits ? i : 0);
		misses[waits] = rig_counter(x.s, CG_l1d, "misses");
		end(&x);
		free(text);
		free(whole);
	}
	assert_int_equal(misses[1], misses[0] + N * 4 / 128);
}

/* --- wrong uses --------------------------------------------------------------------------------------------------- */

static void test_wrong_uses(void **state)
{
	struct err e = {0};
	struct sim *s = machine((const char *[]){"cuda.capability=80", NULL});
	struct module *m = rig_load(s, text());
	assert_int_equal(sim_launch(s,
	                            &(struct launch_spec){.mod = m,
	                                                  .fn = module_func(m, "second", true),
	                                                  .grid = {1, 1, 1},
	                                                  .block = {32, 1, 1},
	                                                  .programmatic = true,
	                                                  .params = (u64[3]){0},
	                                                  .param_bytes = 24},
	                            &e),
	                 -1);
	assert_non_null(strstr(e.msg, "'griddepcontrol.launch_dependents' needs sm_90, this machine is sm_80"));
	sim_destroy(s);
	/* The first of its stream: nothing to wait for. */
	struct chain x = begin(sets, text(), 4);
	launch(x.s, x.m, "second", 4, true, (u64[]){x.a, x.b, 1});
	rig_finish(x.s);
	assert_int_equal(times(&x, 0)->started_at, 700);
	end(&x);
	/* The kernel before never ends: the dependent's warps are named with whom they wait for. */
	struct chain y = begin((const char *[]){SETS, "deadlock_cycles=4000", NULL}, text(), 4);
	struct strbuf why = STRBUF_INIT;
	launch(y.s, y.m, "first", 4, false, (u64[]){y.a, 3000, 1});
	launch(y.s, y.m, "second", 4, true, (u64[]){y.a, y.b, 1});
	sim_run(y.s, 2500, NULL);
	for (u32 i = 0; i < 4; i++)
		assert_true(gpu_save_cta(sim_gpu(y.s), 0, i, false, &e));
	const struct stop st = rig_run(y.s, NEVER);
	assert_int_equal(st.why, STOP_DEADLOCK);
	why_machine(sim_gpu(y.s), &why);
	assert_non_null(strstr(strbuf_str(&why), "waiting for the end of the kernel before its own"));
	strbuf_release(&why);
	end(&y);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_values),
	    cmocka_unit_test(test_overlap),
	    cmocka_unit_test(test_not_programmatic),
	    cmocka_unit_test(test_guards),
	    cmocka_unit_test(test_each_cta_counts_once),
	    cmocka_unit_test(test_launched_late),
	    cmocka_unit_test(test_three),
	    cmocka_unit_test(test_never_waits),
	    cmocka_unit_test(test_streams),
	    cmocka_unit_test(test_seen),
	    cmocka_unit_test(test_travel),
	    cmocka_unit_test(test_disturbed),
	    cmocka_unit_test(test_saved_first),
	    cmocka_unit_test(test_virtual_threads),
	    cmocka_unit_test(test_l1d),
	    cmocka_unit_test(test_wrong_uses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
