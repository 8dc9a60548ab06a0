/* Warp schedulers where it is hard: every one of them on machines of one to four schedulers and one to 64 warps, with
 * two kernels of two modules at once on each SM, divergence, calls, barriers, warps that leave in the middle and many
 * small launches. Whoever schedules, the same memory; whoever listens, however often an SM is ticked, wherever the user
 * goes in time or changes the scheduler, the same states. */
#include "tests/rig/rounds.h"
#include "tests/rig/sm_rig.h"

#include "base/rng.h"
#include "gpu/gpu.h"
#include "sm/sched/sched.h"

#define WORDS 8192 /* of the buffer: inputs, then results */
#define RESULTS 4096

/* Loads in a loop of each thread's own length, a call, shared memory between barriers, odd warps leave early. */
static const char module_a[] = PTX_HEAD
    ".func (.reg .u32 %o) walk(.reg .u32 %x, .reg .u64 %b)\n{\n.reg .b32 %r<8>; .reg .b64 %a<4>; .reg .pred %p<2>;\n"
    "and.b32 %r1, %x, 1023; mov.u32 %r2, 0; mov.u32 %o, %x;\n"
    "W: mad.wide.u32 %a1, %r1, 4, %b; ld.global.u32 %r3, [%a1]; add.u32 %o, %o, %r3; and.b32 %r1, %r3, 1023;\n"
    "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 3; @%p1 bra W; ret;\n}\n"
    ".visible .entry a(.param .u64 p0, .param .u64 p1)\n{\n.reg .b32 %r<40>; .reg .b64 %a<20>; .reg .pred %p<4>;\n"
    ".shared .align 4 .b8 sh[4096];\nld.param.u64 %a1, [p0]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n"
    "mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1; and.b32 %r5, %r4, 3; add.u32 %r5, %r5, 1;\n"
    "mul.lo.u32 %r6, %r4, 37; mov.u32 %r10, %r4;\n"
    "L: and.b32 %r7, %r6, 4095; mad.wide.u32 %a2, %r7, 4, %a1; ld.global.u32 %r8, [%a2]; "
    "mad.lo.u32 %r10, %r10, 5, %r8;\n"
    "add.u32 %r6, %r6, 97; sub.u32 %r5, %r5, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra L;\n"
    "shl.b32 %r11, %r1, 2; mov.u32 %r12, sh; add.u32 %r13, %r12, %r11; st.shared.u32 [%r13], %r10; bar.sync 0;\n"
    "xor.b32 %r14, %r11, 4; add.u32 %r15, %r12, %r14; ld.shared.u32 %r16, [%r15]; add.u32 %r10, %r10, %r16;\n"
    "call (%r17), walk, (%r10, %a1); add.u32 %r10, %r10, %r17;\n"
    "shr.u32 %r18, %r1, 5; and.b32 %r18, %r18, 1; setp.eq.u32 %p2, %r18, 1; @%p2 bra OUT;\n"
    "bar.sync 1; and.b32 %r19, %r10, 7; setp.lt.u32 %p3, %r19, 3; ld.global.u32 %r20, [%a2+64]; @%p3 ret;\n"
    "mad.wide.u32 %a3, %r4, 4, %a1; st.global.u32 [%a3+16384], %r10;\n"
    "OUT: red.global.add.u32 [%a1+32764], %r10; ret;\n}\n";

/* Arithmetic of all units, constants, local memory, a volatile load, fences and a nap. */
static const char module_b[] = PTX_HEAD
    ".const .align 4 .b32 table[8] = {3, 1, 4, 1, 5, 9, 2, 6};\n"
    ".visible .entry b(.param .u64 p0, .param .u64 p1)\n{\n.reg .b32 %r<40>; .reg .b64 %a<20>; .reg .pred %p<4>;\n"
    ".reg .f32 %f<8>; .reg .f64 %d<8>; .local .align 4 .b8 la[32];\n"
    "ld.param.u64 %a1, [p0]; ld.param.u64 %a5, [p1]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; "
    "mov.u32 %r3, %ntid.x;\n"
    "mad.lo.u32 %r4, %r2, %r3, %r1; cvt.rn.f32.u32 %f1, %r4; cvt.rn.f64.u32 %d1, %r4; mov.u32 %r5, 0; "
    "mov.u32 %r10, 1;\n"
    "L: sqrt.rn.f32 %f2, %f1; fma.rn.f64 %d1, %d1, %d1, %d1; ld.const.u32 %r6, [table+8]; add.f32 %f1, %f1, %f2;\n"
    "mad.lo.u32 %r10, %r10, %r6, %r4; st.local.u32 [la+4], %r10; ld.local.u32 %r7, [la+4]; add.u32 %r10, %r10, %r7;\n"
    "div.rn.f32 %f3, %f1, %f2; and.b32 %r8, %r4, 15; setp.gt.u32 %p1, %r8, 11; @%p1 bra SKIP;\n"
    "ld.volatile.global.u32 %r9, [%a1+128]; add.u32 %r10, %r10, %r9; rem.u32 %r11, %r10, 17; "
    "add.u32 %r10, %r10, %r11;\n"
    "SKIP: membar.gl; nanosleep.u32 20; add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 4; @%p2 bra L;\n"
    "atom.global.add.u32 %r12, [%a1+32760], 1; shl.b32 %r12, %r12, 8; and.b32 %r12, %r12, 15; "
    "add.u32 %r10, %r10, %r12;\n"
    "cvt.rni.u32.f32 %r13, %f1; add.u32 %r10, %r10, %r13; add.u64 %a5, %a5, %a1; mad.wide.u32 %a3, %r4, 4, %a5;\n"
    "st.global.u32 [%a3+24576], %r10; ret;\n}\n";

/* More registers than the scoreboard keeps beside the warp: a long list of loads, summed from its end; and one CTA's
 * warps in two halves, of which one arrives at a barrier without waiting. */
static const char *module_c(void)
{
	static char text[16384];
	size_t n = (size_t)snprintf(
	    text, sizeof text,
	    PTX_HEAD ".visible .entry c(.param .u64 p0, .param .u64 p1)\n{\n.reg .b32 %%r<200>; .reg .b64 %%a<8>;\n"
	             ".reg .pred %%p<4>; ld.param.u64 %%a1, [p0]; mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%ctaid.x;\n"
	             "and.b32 %%r3, %%r1, 31; mad.lo.u32 %%r4, %%r2, 64, %%r3; mad.wide.u32 %%a2, %%r4, 4, %%a1;\n");
	for (u32 i = 0; i < 150; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "ld.global.u32 %%r%u, [%%a2+%u];\n", 20 + i, 64 * i);
	for (u32 i = 149; i; i--)
		n +=
		    (size_t)snprintf(text + n, sizeof text - n, "mad.lo.u32 %%r%u, %%r%u, 3, %%r%u;\n", 19 + i, 20 + i, 19 + i);
	snprintf(text + n, sizeof text - n,
	         "setp.lt.u32 %%p1, %%r1, 32; @%%p1 bra GO; bar.arrive 3, 64; bra END;\nGO: @%%p1 bar.sync 3, 64;\n"
	         "END: red.global.add.u32 [%%a1+32752], %%r20; ret;\n}\n");
	return text;
}

static const char *const machines[][9] = {
    {"num_sms=2", "l1d.sets=4"},
    {"num_sms=2", "sm.schedulers=4", "sm.threads=2048", "sm.ctas=32", "sm.regs=65536", "coalesce=sector32"},
    {"num_sms=1", "sm.schedulers=4", "sm.threads=2048", "sm.issue_width=2", "sm.ctas=16", "schedule=list"},
    {"num_sms=2", "sm.schedulers=1", "sm.issue_period=2", "l1d.mshrs=2", "l1d.miss_queue=1", "lsu.replay_entries=2"},
    {"num_sms=3", "sm.schedulers=1", "sm.threads=32", "sm.ctas=1", "tl.ready=1", "tlv.group=1"},
    {"num_sms=2", "max_ctas_per_sm=1", "lsu.queue=1", "lsu.loads=2", "isa.issue_cost=ptx", "tl.ready=1"},
    {"num_sms=2", "sm.schedulers=3", "sm.threads=1504", "sm.reg_bank_conflicts=true", "sm.fetch_prefetch=true",
     "l1i.sets=2", "ccws.score_cap=0", "lsu.replay_wait=1"},
    {"num_sms=2", "sm.issue_width=2", "sm.issue_period=3", "l1d.cache_global=false", "schedule=list", "mascar.full=1",
     "elf.max_points=1", "elf.max_score=2"},
};
#define ONE_WARP 4
static const char *const replays[] = {"lsu.replay=none", "lsu.replay=car", "lsu.replay=newcar"};

static struct sim *build(u32 m, u32 replay, const char *sched)
{
	const char *sets[12];
	char name[64];
	u32 n = 0;
	for (; n < 9 && machines[m][n]; n++)
		sets[n] = machines[m][n];
	snprintf(name, sizeof name, "warp-sched=%s", sched);
	sets[n++] = replays[replay];
	sets[n++] = name;
	sets[n] = NULL;
	return machine(sets);
}

/* Two modules in two streams, so that warps of both share SMs, then a dozen launches of a warp or two. */
static u64 fill(struct sim *s)
{
	struct err e = {0};
	u64 buf = rig_alloc(s, WORDS * 4), seed = 5;
	for (u32 i = 0; i < RESULTS; i++) {
		u32 v = (u32)rng_next(&seed);
		assert_true(devmem_write(sim_devmem(s), buf + i * 4, &v, 4, &e));
	}
	struct module *a = rig_load(s, module_a), *b = rig_load(s, module_b);
	u32 most = gpu_conf(sim_gpu(s))->sm_threads;
	rig_launch(s, a, "a", 1536 / MIN(most, 192), MIN(most, 192), 0, (u64[]){buf, 0}, 2);
	rig_launch(s, b, "b", 640 / MIN(most, 64), MIN(most, 64), 1, (u64[]){buf, 0}, 2);
	if (most >= 64)
		rig_launch(s, rig_load(s, module_c()), "c", 4, 64, 5, (u64[]){buf, 0}, 2);
	for (u32 i = 0; i < 12; i++)
		rig_launch(s, i % 2 ? a : b, i % 2 ? "a" : "b", 1 + i % 3, 32, i % 4, (u64[]){buf, i % 2 ? 0 : 4096}, 2);
	return buf;
}

struct trace {
	u32 n;
	u64 hash[2000], cycles, end;
	u32 word[WORDS];
	u64 sm[8][sizeof(struct sm_counters) / 8], l1d[8][sizeof(struct cache_counters) / 8], stalls[ST_COUNT];
};
#define STRIDE 211

static void keep_results(struct sim *s, u64 buf, struct trace *t)
{
	struct err e = {0};
	t->cycles = sim_cycle(s);
	t->end = sim_hash(s);
	for (u32 i = 0; i < gpu_conf(sim_gpu(s))->num_sms; i++) {
		memcpy(t->sm[i], gpu_counters(sim_gpu(s), CG_sm, i), sizeof t->sm[i]);
		memcpy(t->l1d[i], gpu_counters(sim_gpu(s), CG_l1d, i), sizeof t->l1d[i]);
	}
	gpu_stalls_sum(sim_gpu(s), -1, t->stalls);
	assert_true(devmem_read(sim_devmem(s), buf, t->word, sizeof t->word, &e));
}

/* A change of scheduler on the way; cycle 0: none. */
struct change {
	u64 cycle;
	const char *to;
};

static void change_sched(struct sim *s, const char *to)
{
	struct err e = {0};
	sim_fork(s);
	if (!sim_set(s, "warp-sched", to, &e))
		fail_msg("%s", e.msg);
	sim_turn(s);
}

/* What a user may ask of the policies at any time: no two warps of a scheduler with the same rank. */
static void look(struct sim *s, const char *what)
{
	const struct gpu *g = sim_gpu(s);
	struct strbuf text = STRBUF_INIT;
	for (u32 sm = 0; sm < gpu_conf(g)->num_sms; sm++) {
		u64 ranks[SM_MAX_SCHEDS] = {0};
		for (u32 w = 0; w < gpu_warps_per_sm(g); w++) {
			struct warp_info i;
			gpu_warp_info(g, sm, w, &i);
			gpu_sched_text(g, sm, i.scheduler, w, &text);
			if (i.launch < 0 || i.state == WS_DONE)
				continue;
			if (i.priority < 0 || i.priority > 63 || (ranks[i.scheduler] >> i.priority & 1))
				fail_msg("%s: rank %lld of SM %u warp %u at cycle %llu", what, (long long)i.priority, sm, w,
				         (unsigned long long)sim_cycle(s));
			ranks[i.scheduler] |= BIT(i.priority);
		}
		for (u32 k = 0; k < gpu_conf(g)->sm_schedulers; k++)
			gpu_sched_text(g, sm, k, NO_WARP, &text);
	}
	strbuf_release(&text);
}

/* Runs to the end, with the hash of every STRIDE-th cycle. what: for a run that is looked at. */
static void run_traced(struct sim *s, const struct change *ch, u32 nch, bool awake, struct trace *t, const char *what)
{
	struct stop st = {.why = STOP_CYCLE};
	u32 at = 0;
	memset(t, 0, sizeof *t);
	while (st.why == STOP_CYCLE) {
		u64 now = sim_cycle(s), to = (now / STRIDE + 1) * STRIDE;
		while (at < nch && ch[at].cycle <= now)
			change_sched(s, ch[at++].to);
		to = at < nch ? MIN(to, ch[at].cycle) : to;
		if (awake) {
			sim_gpu(s)->st->awake[0] |= bit_range(gpu_conf(sim_gpu(s))->num_sms);
			to = now + 1;
		}
		sim_run(s, to, &st);
		if (what)
			look(s, what);
		if (!awake && st.why == STOP_CYCLE && st.cycle % STRIDE == 0) {
			assert_true(t->n < ARRAY_LEN(t->hash) && t->n + 1 == st.cycle / STRIDE);
			t->hash[t->n++] = sim_hash(s);
		}
		assert_true(st.cycle < 2000000);
	}
	if (st.why != STOP_IDLE) {
		struct strbuf why = STRBUF_INIT;
		sim_fault_text(s, &why);
		fail_msg("stopped with %d at %llu: %s", st.why, (unsigned long long)st.cycle, strbuf_str(&why));
	}
	t->cycles = st.cycle;
}

static void finish(struct sim *s, u64 buf, struct trace *t)
{
	u64 cycles = t->cycles;
	rig_finish(s);
	keep_results(s, buf, t);
	t->cycles = cycles;
}

/* ctx: of each type, a hash of its events in order. */
static bool hear(void *ctx, const struct event *e)
{
	u64 h = ((u64 *)ctx)[e->type], words[sizeof *e / 8];
	memcpy(words, e, sizeof words);
	for (u32 i = 0; i < ARRAY_LEN(words); i++)
		h = (h ^ words[i]) * 0x100000001b3ull + 1;
	((u64 *)ctx)[e->type] = h;
	return false;
}

static void same_counts(const struct trace *a, const struct trace *b, const char *what)
{
	for (u32 i = 0; i < 8; i++)
		for (u32 k = 0; k < ARRAY_LEN(a->sm[0]); k++)
			if (a->sm[i][k] != b->sm[i][k])
				fail_msg("%s: SM %u, counter %u of sm: %llu, %llu", what, i, k, (unsigned long long)a->sm[i][k],
				         (unsigned long long)b->sm[i][k]);
	assert_memory_equal(a->l1d, b->l1d, sizeof a->l1d);
	for (u32 i = 0; i < ST_COUNT; i++)
		if (a->stalls[i] != b->stalls[i])
			fail_msg("%s: stall reason %u: %llu, %llu", what, i, (unsigned long long)a->stalls[i],
			         (unsigned long long)b->stalls[i]);
}

static void same_events(const u64 *a, const u64 *b, const char *what)
{
	for (u32 i = 0; i < EV_COUNT; i++)
		if (a[i] != b[i])
			fail_msg("%s: other events '%s'", what, event_descs[i].name);
}

static void same_states(const struct trace *a, const struct trace *b, const char *what)
{
	for (u32 i = 0; i < MIN(a->n, b->n); i++)
		if (a->hash[i] != b->hash[i])
			fail_msg("%s: other states at cycle %u", what, (i + 1) * STRIDE);
	if (a->n != b->n || a->cycles != b->cycles)
		fail_msg("%s: %llu and %llu cycles", what, (unsigned long long)a->cycles, (unsigned long long)b->cycles);
	if (a->end != b->end)
		fail_msg("%s: other states at the end", what);
}

/* No word depends on the order of atomics. */
static void same_memory(const struct trace *t, bool small, const char *what)
{
	static u32 want[2][WORDS];
	static bool have[2];
	u32 kind = small; /* CTAs of one warp: other threads meet */
	if (!have[kind]) {
		memcpy(want[kind], t->word, sizeof want[0]);
		have[kind] = true;
	}
	for (u32 i = 0; i < WORDS; i++)
		if (want[kind][i] != t->word[i])
			fail_msg("%s: word %u is %u, not %u", what, i, t->word[i], want[kind][i]);
}

static void walk(struct sim *s, const struct trace *want, u64 *seed, u32 steps, const char *what)
{
	struct err e = {0};
	struct sim_history_info h;
	sim_history_info(s, &h);
	u64 last = want->cycles / STRIDE;
	for (u32 i = 0; i < steps; i++) {
		u64 to = (1 + rng_next(seed) % MAX(last, 1)) * STRIDE;
		if (to > h.frontier || to / STRIDE > want->n)
			continue;
		if (!sim_goto(s, to, &e))
			fail_msg("%s: %s", what, e.msg);
		if (sim_hash(s) != want->hash[to / STRIDE - 1])
			fail_msg("%s: other state back at cycle %llu", what, (unsigned long long)to);
		if (i % 2 == 0 && to / STRIDE < want->n) {
			while (sim_cycle(s) < to + STRIDE)
				sim_run(s, to + STRIDE, NULL);
			if (sim_hash(s) != want->hash[to / STRIDE])
				fail_msg("%s: other state on from cycle %llu", what, (unsigned long long)to);
		}
	}
	if (!sim_goto(s, h.frontier, &e))
		fail_msg("%s: %s", what, e.msg);
}

static void one(u32 m, u32 replay, const char *sched, const struct change *ch, u32 nch, u64 *seed)
{
	static struct trace plain, heard, awake, gone;
	struct err e = {0};
	char what[96];
	u64 buf, events[2][EV_COUNT] = {0};
	snprintf(what, sizeof what, "%s, machine %u, %s", sched, m, replays[replay]);
	struct sim *s = build(m, replay, sched);
	buf = fill(s);
	run_traced(s, ch, nch, false, &plain, NULL);
	finish(s, buf, &plain);
	sim_destroy(s);
	same_memory(&plain, m == ONE_WARP, what);

	s = build(m, replay, sched);
	sim_subscribe(s, EVENTS_ALL, hear, events[0]);
	buf = fill(s);
	run_traced(s, ch, nch, false, &heard, what);
	finish(s, buf, &heard);
	sim_destroy(s);
	assert_true(events[0][EV_SCHED_PICK] != 0);
	same_states(&plain, &heard, what);

	s = build(m, replay, sched);
	sim_subscribe(s, EVENTS_ALL, hear, events[1]);
	buf = fill(s);
	run_traced(s, ch, nch, true, &awake, NULL);
	finish(s, buf, &awake);
	sim_destroy(s);
	if (plain.cycles != awake.cycles)
		fail_msg("%s: %llu cycles, ticked always %llu", what, (unsigned long long)plain.cycles,
		         (unsigned long long)awake.cycles);
	same_counts(&plain, &awake, what);
	same_events(events[0], events[1], what);
	same_memory(&awake, m == ONE_WARP, what);

	s = build(m, replay, sched);
	if (!sim_history(s, 64, &e))
		fail_msg("%s", e.msg);
	sim_fork(s);
	buf = fill(s);
	sim_turn(s);
	run_traced(s, ch, nch, false, &gone, NULL);
	walk(s, &plain, seed, 8, what);
	finish(s, buf, &gone);
	gone.cycles = plain.cycles;
	sim_destroy(s);
	same_states(&plain, &gone, what);
}

/* ROUNDS=n in the environment: everything, and n times as many changes. */
static u32 more(void)
{
	return rounds("ROUNDS", 0, 0);
}

static u32 nscheds(void)
{
	u32 n = 0;
	while (warp_policies[n])
		n++;
	return n;
}

static void test_every_scheduler(void **state)
{
	u64 seed = 1;
	for (u32 i = 0; warp_policies[i]; i++)
		for (u32 m = 0; m < ARRAY_LEN(machines); m++)
			if (more() || (i + m) % rounds(NULL, 4, 12) == 0)
				one(m, (i + m / 4) % 3, warp_policies[i]->name, NULL, 0, &seed);
}

static void test_changes(void **state)
{
	u64 seed = 77;
	for (u32 i = 0; i < MAX(24 * more(), rounds(NULL, 6, 2)); i++) {
		struct change ch[12];
		u64 at = 100;
		for (u32 k = 0; k < ARRAY_LEN(ch); k++) {
			at += 1 + rng_next(&seed) % 500;
			at += at % STRIDE == 0; /* a cycle with a turn has two states */
			ch[k] = (struct change){at, warp_policies[rng_next(&seed) % nscheds()]->name};
		}
		const char *first = warp_policies[rng_next(&seed) % nscheds()]->name;
		one(i % ARRAY_LEN(machines), i % 3, first, ch, ARRAY_LEN(ch), &seed);
	}
}

static void tell(struct sim *s, struct strbuf *out)
{
	const struct gpu *g = sim_gpu(s);
	strbuf_clear(out);
	for (u32 sm = 0; sm < gpu_conf(g)->num_sms; sm++)
		for (u32 k = 0; k < gpu_conf(g)->sm_schedulers; k++) {
			gpu_sched_text(g, sm, k, NO_WARP, out);
			for (u32 w = k; w < gpu_warps_per_sm(g); w += gpu_conf(g)->sm_schedulers)
				gpu_sched_text(g, sm, k, w, out);
			strbuf_addc(out, '\n');
		}
}

/* A key of one policy leaves the state of the others alone. */
static void test_keys_of_others(void **state)
{
	struct strbuf before = STRBUF_INIT, after = STRBUF_INIT;
	for (u32 i = 0; warp_policies[i]; i++) {
		struct err e = {0};
		struct sim *s = build(0, 0, warp_policies[i]->name);
		(void)fill(s);
		sim_run(s, 1500, NULL);
		tell(s, &before);
		assert_true(sim_set(s, "tlv.group", "5", &e));
		tell(s, &after);
		if (strcmp(warp_policies[i]->name, "tlv") != 0)
			assert_string_equal(strbuf_str(&before), strbuf_str(&after));
		rig_finish(s);
		sim_destroy(s);
	}
	strbuf_release(&before);
	strbuf_release(&after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_scheduler),
	    cmocka_unit_test(test_changes),
	    cmocka_unit_test(test_keys_of_others),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
