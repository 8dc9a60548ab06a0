/* The schedulers of Awatramani 2015: rr and paws, and the two-level tl-rr, tl-gto, tl-paws. First the policies alone,
 * on an SM made of masks, with known choices; then against a model written the slow way; then in the machine. */
#include "gpu/policies.h"
#include "gpu/gpu.h"
#include "sm/sched/sched.h"
#include "tests/rig/sm_rig.h"

static const char *const two_level[] = {"tl-rr", "tl-gto", "tl-paws"};

/* --- a policy alone ----------------------------------------------------------------------------------------------- */

#define CODE 64
static struct {
	struct conf conf;
	struct sm sm;
	struct code_hint hint[CODE];
	struct program prog;
	struct sched_view view;
	const struct warp_sched_ops *op;
	u64 state[256];
	u64 ages;
} f;

static void fake(const char *name, u32 ready_queue)
{
	memset(&f, 0, sizeof f);
	conf_defaults(&f.conf);
	f.conf.tl_ready = ready_queue;
	f.prog.hint = f.hint;
	f.sm.in[WS_NONE] = ~0ull;
	f.view = (struct sched_view){.conf = &f.conf, .sm = &f.sm, .mask = ~0ull, .prog = &f.prog};
	f.op = (const struct warp_sched_ops *)policy_find(POLICY_WARP, name);
	assert_non_null(f.op);
	assert_true(f.op->state_bytes <= sizeof f.state);
	if (f.op->init)
		f.op->init(f.state, &f.view);
}

static void put(u32 w, enum warp_state to)
{
	f.sm.in[f.sm.warp[w].state] &= ~BIT(w);
	f.sm.warp[w].state = (u8)to;
	f.sm.in[to] |= BIT(w);
}

static void start(u64 warps)
{
	FOR_EACH_BIT(w, warps)
	{
		f.sm.warp[w] = (struct warp){.age = f.ages++};
		put((u32)w, WS_READY_SP);
	}
	f.sm.used |= warps;
	if (f.op->warps_started)
		f.op->warps_started(f.state, &f.view, warps);
}

static void gone(u64 warps)
{
	if (f.op->warps_gone)
		f.op->warps_gone(f.state, &f.view, warps);
	FOR_EACH_BIT(w, warps)
	put((u32)w, WS_NONE);
	f.sm.used &= ~warps;
}

static void tick(void)
{
	f.view.now++;
	if (f.op->tick)
		f.op->tick(f.state, &f.view);
}

static u32 pick(u64 ready)
{
	return f.op->pick(f.state, &f.view, ready);
}

static const char *text(u32 warp)
{
	static char out[400];
	struct strbuf t = STRBUF_INIT;
	f.op->describe(f.state, &f.view, warp, &t);
	snprintf(out, sizeof out, "%s", strbuf_str(&t));
	strbuf_release(&t);
	return out;
}

static s64 rank(u32 warp)
{
	return f.op->rank(f.state, &f.view, warp);
}

static void after_tick(const char *queues)
{
	tick();
	assert_string_equal(text(NO_WARP), queues);
	tick(); /* nothing changed: nobody moves */
	assert_string_equal(text(NO_WARP), queues);
}

static u64 rnd(u64 *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

static void test_rr(void **state)
{
	fake("rr", 6);
	start(0xf);
	for (u32 i = 0; i < 6; i++)
		assert_int_equal(pick(0xf), i % 4);
	assert_int_equal(pick(0x3), 0); /* the turn is at 2: 2 and 3 are passed over */
	assert_int_equal(pick(0xf), 1);
	assert_string_equal(text(NO_WARP), "turn of 2");
	assert_string_equal(text(1), "turn 3");
	assert_int_equal(rank(2), 0);
	assert_int_equal(rank(0), 2);
	gone(BIT(0) | BIT(1));
	start(BIT(0) | BIT(1)); /* launch order is now 2 3 0 1, and lrr's 0 1 2 3 */
	static const u32 want[] = {2, 3, 0, 1, 2, 3};
	for (u32 i = 0; i < ARRAY_LEN(want); i++)
		assert_int_equal(pick(0xf), want[i]);
	gone(BIT(0)); /* whose turn it was: goes to 1, the next */
	assert_int_equal(pick(0xe), 1);
	gone(0xe);
	start(BIT(5) | BIT(9));
	assert_int_equal(pick(BIT(5) | BIT(9)), 5);
	assert_int_equal(pick(BIT(5) | BIT(9)), 9);
	assert_int_equal(pick(BIT(5) | BIT(9)), 5);
}

/* As long as slots are in launch order rr and lrr are one. */
static void test_rr_is_lrr(void **state)
{
	u64 x = 7, ready[500];
	u32 chosen[500];
	for (u32 k = 0; k < 2; k++) {
		fake(k ? "lrr" : "rr", 6);
		start(bit_range(64));
		for (u32 i = 0; i < ARRAY_LEN(ready); i++) {
			if (!k)
				ready[i] = (rnd(&x) & rnd(&x)) | BIT(i % 64);
			u32 w = pick(ready[i]);
			if (!k)
				chosen[i] = w;
			else
				assert_int_equal(w, chosen[i]);
		}
	}
}

static void test_paws(void **state)
{
	fake("paws", 6);
	f.hint[0].phase_distance = 30;
	f.hint[1].phase_distance = 12;
	f.hint[2].phase_distance = 4;
	start(BIT(2) | BIT(3));
	start(BIT(0) | BIT(1));
	assert_int_equal(pick(0xf), 2); /* all alike: the oldest, not the lowest slot */
	f.sm.warp[1].pc = 1;
	assert_int_equal(pick(0xf), 1);
	assert_int_equal(pick(0xd), 2);
	f.sm.warp[0].pc = 1;
	assert_int_equal(pick(0xf), 0); /* as near as 1 and older */
	f.sm.warp[3].pc = 2;
	assert_int_equal(pick(0xf), 3);
	assert_string_equal(text(NO_WARP), "last 3");
	assert_string_equal(text(2), "30 to go");
	static const s64 want[] = {1, 2, 3, 0};
	for (u32 w = 0; w < 4; w++)
		assert_int_equal(rank(w), want[w]);
	put(3, WS_DONE);
	assert_int_equal(rank(3), 3);
	assert_int_equal(rank(0), 0);
	gone(BIT(3));
	assert_string_equal(text(NO_WARP), "");
}

/* Figure 8, step by step: ready queue of 2. Phase lengths: pc 0 20, pc 1 5, pc 2 90. */
static void lengths(void)
{
	f.hint[0].phase_distance = 20;
	f.hint[1].phase_distance = 5;
	f.hint[2].phase_distance = 90;
}

static void test_queues(void **state)
{
	fake("tl-rr", 2);
	start(0x3f);
	after_tick("ready 0 1 | active 2 3 4 5 | pending -");
	assert_int_equal(pick(0x3f), 0); /* round robin inside, whoever else is ready */
	assert_int_equal(pick(0x3f), 1);
	assert_int_equal(pick(0x3f), 0);
	assert_int_equal(pick(0x3c), NO_WARP);
	put(0, WS_SHORT); /* an arithmetic result: keeps its place */
	after_tick("ready 0 1 | active 2 3 4 5 | pending -");
	put(0, WS_FETCH);
	after_tick("ready 0 1 | active 2 3 4 5 | pending -");
	put(1, WS_MEM);
	after_tick("ready 0 2 | active 3 4 5 | pending 1");
	put(0, WS_BARRIER);
	put(2, WS_FENCE);
	after_tick("ready 3 4 | active 5 | pending 0 1 2");
	put(3, WS_SLEEP);
	after_tick("ready 4 5 | active - | pending 0 1 2 3");
	put(4, WS_MEM);
	after_tick("ready 5 | active - | pending 0 1 2 3 4");
	put(3, WS_READY_SP); /* the first to return, then 1, then 0 and 2 at once */
	after_tick("ready 3 5 | active - | pending 0 1 2 4");
	put(1, WS_SHORT);
	after_tick("ready 3 5 | active 1 | pending 0 2 4");
	put(2, WS_READY_LSU);
	put(0, WS_FETCH);
	after_tick("ready 3 5 | active 1 0 2 | pending 4");
	assert_string_equal(text(3), "ready");
	assert_string_equal(text(0), "active 2");
	assert_string_equal(text(4), "pending");
	assert_int_equal(rank(3), 0); /* slot 0 picked last but one, 1 before: the turn is at slot 1 */
	assert_int_equal(rank(5), 1);
	assert_int_equal(rank(1), 2);
	assert_int_equal(rank(2), 4);
	assert_int_equal(rank(4), 5);
	put(5, WS_DONE);
	after_tick("ready 1 3 | active 0 2 | pending 4");
	put(0, WS_DONE); /* exits without issue slot, in the active queue */
	put(4, WS_DONE);
	after_tick("ready 1 3 | active 2 | pending -");
	gone(0x3f);
	after_tick("");
}

/* A warp is back when all its loads are, not only that of its next instruction. */
static void test_all_complete(void **state)
{
	for (u32 i = 0; i < ARRAY_LEN(two_level); i++) {
		fake(two_level[i], 1);
		start(3);
		f.sm.warp[0].pendm[1] = BIT(7) | BIT(8);
		put(0, WS_MEM);
		after_tick("ready 1 | active - | pending 0");
		f.sm.warp[0].pendm[1] = BIT(8);
		put(0, WS_READY_SP);
		after_tick("ready 1 | active - | pending 0");
		assert_int_equal(pick(3), 1);
		f.sm.warp[0].pendm[1] = 0;
		after_tick("ready 1 | active 0 | pending -");
	}
}

static void test_sorting(void **state)
{
	static const char *const want[][3] = {
	    {"ready 0 1 | active 2 3 4 5 | pending -", "ready 4 5 | active 3 0 2 1 | pending -",
	     "ready 0 3 | active 2 1 | pending 4 5"},
	    {"ready 0 1 | active 2 3 4 5 | pending -", "ready 4 5 | active 0 1 2 3 | pending -",
	     "ready 0 1 | active 2 3 | pending 4 5"},
	    {"ready 0 1 | active 2 3 4 5 | pending -", "ready 4 5 | active 0 2 1 3 | pending -",
	     "ready 0 2 | active 1 3 | pending 4 5"},
	};
	for (u32 i = 0; i < ARRAY_LEN(two_level); i++) {
		fake(two_level[i], 2);
		lengths();
		start(0x3f);
		after_tick(want[i][0]);
		for (u32 w = 0; w < 4; w++) {
			put(w, WS_MEM);
			tick();
		}
		/* In the order in which they return; 0 and 2 are equally short and keep theirs. */
		static const u32 order[] = {3, 0, 2, 1}, pc[] = {1, 0, 1, 2};
		for (u32 k = 0; k < 4; k++) {
			f.sm.warp[order[k]].pc = pc[order[k]];
			put(order[k], WS_READY_SP);
			tick();
		}
		after_tick(want[i][1]);
		put(4, WS_MEM);
		put(5, WS_MEM);
		after_tick(want[i][2]);
	}
}

/* A policy set on a running machine is shown all warps at once: oldest first. */
static void test_set_late(void **state)
{
	fake("tl-rr", 2);
	f.op = (const struct warp_sched_ops *)policy_find(POLICY_WARP, "gto");
	start(0xf0);
	start(0x0f);
	put(5, WS_MEM);
	put(6, WS_DONE);
	f.op = (const struct warp_sched_ops *)policy_find(POLICY_WARP, "tl-rr");
	f.op->warps_started(f.state, &f.view, 0xff);
	after_tick("ready 4 7 | active 0 1 2 3 | pending 5");
}

/* --- against a model: warps on plain lists, looked at in every cycle ---------------------------------------------- */

struct model {
	u32 n[3], list[3][WARP_SLOTS]; /* 0 ready queue, 1 active, 2 pending */
	u64 key[WARP_SLOTS];
};

static bool waits(u32 w)
{
	enum warp_state st = f.sm.warp[w].state;
	return st == WS_MEM || st == WS_BARRIER || st == WS_FENCE || st == WS_SLEEP;
}

static void take(struct model *m, u32 q, u32 w)
{
	u32 n = 0;
	for (u32 i = 0; i < m->n[q]; i++)
		if (m->list[q][i] != w)
			m->list[q][n++] = m->list[q][i];
	m->n[q] = n;
}

static void add(struct model *m, u32 q, u32 w)
{
	m->list[q][m->n[q]++] = w;
}

static void sort_active(struct model *m)
{
	for (u32 pass = 0; pass < m->n[1]; pass++) /* bubble sort: stable */
		for (u32 i = 1; i < m->n[1]; i++)
			if (m->key[m->list[1][i - 1]] > m->key[m->list[1][i]]) {
				u32 t = m->list[1][i];
				m->list[1][i] = m->list[1][i - 1];
				m->list[1][i - 1] = t;
			}
}

static void enter_active(struct model *m, u32 w, u32 policy)
{
	const struct warp *wp = &f.sm.warp[w];
	m->key[w] = policy == 0 ? 0 : policy == 1 ? wp->age : f.hint[wp->pc].phase_distance;
	add(m, 1, w);
	sort_active(m);
}

static void model_cycle(struct model *m, u32 policy)
{
	for (u32 w = 0; w < WARP_SLOTS; w++)
		for (u32 q = 0; q < 3; q++)
			for (u32 i = 0; i < m->n[q]; i++) {
				if (m->list[q][i] != w)
					continue;
				if (f.sm.warp[w].state == WS_DONE) {
					take(m, q, w);
				} else if (q < 2 && waits(w)) {
					take(m, q, w);
					add(m, 2, w);
					q = 2, i = m->n[q];
				}
			}
	for (u32 w = 0; w < WARP_SLOTS; w++)
		for (u32 i = 0; i < m->n[2]; i++)
			if (m->list[2][i] == w && !waits(w) && !f.sm.warp[w].pendm[0]) {
				take(m, 2, w);
				enter_active(m, w, policy);
			}
	while (m->n[0] < f.conf.tl_ready && m->n[1]) {
		u32 w = m->list[1][0];
		take(m, 1, w);
		add(m, 0, w);
	}
}

static u64 mask_of(const struct model *m, u32 q)
{
	u64 out = 0;
	for (u32 i = 0; i < m->n[q]; i++)
		out |= BIT(m->list[q][i]);
	return out;
}

static void model_list(struct strbuf *t, const char *name, u64 m)
{
	strbuf_addf(t, "%s%s", name, m ? "" : " -");
	FOR_EACH_BIT(w, m)
	strbuf_addf(t, " %u", (u32)w);
}

static void same_queues(const struct model *m, u32 step)
{
	struct strbuf t = STRBUF_INIT;
	if (m->n[0] || m->n[1] || m->n[2]) {
		model_list(&t, "ready", mask_of(m, 0));
		strbuf_adds(&t, m->n[1] ? " | active" : " | active -");
		for (u32 i = 0; i < m->n[1]; i++)
			strbuf_addf(&t, " %u", m->list[1][i]);
		model_list(&t, " | pending", mask_of(m, 2));
	}
	if (strcmp(strbuf_str(&t), text(NO_WARP)))
		fail_msg("%s, step %u:\n%s expected\n%s", f.op->name, step, strbuf_str(&t), text(NO_WARP));
	strbuf_release(&t);
}

/* Of any warp, or of the first of the ready queue. */
static void random_change(const struct model *m, u64 *x)
{
	static const enum warp_state to[] = {WS_READY_SP, WS_READY_LSU, WS_SHORT, WS_MEM,      WS_MEM,
	                                     WS_BARRIER,  WS_FENCE,     WS_SLEEP, WS_READY_SP, WS_FETCH};
	u32 w = m->n[0] && rnd(x) % 2 ? m->list[0][0] : (u32)(rnd(x) % WARP_SLOTS);
	if (!(f.sm.used >> w & 1) || f.sm.warp[w].state == WS_DONE)
		return;
	if (rnd(x) % 40 == 0) {
		put(w, WS_DONE);
		return;
	}
	if (f.sm.warp[w].state < WS_MEM)
		f.sm.warp[w].pc = (u32)(rnd(x) % CODE);
	put(w, to[rnd(x) % ARRAY_LEN(to)]);
	f.sm.warp[w].pendm[0] = f.sm.warp[w].state == WS_MEM ? 1 : rnd(x) % 4 ? 0 : f.sm.warp[w].pendm[0];
}

/* CTAs of 8 slots come when a place is free and go when all have exited. */
static void random_ctas(struct model *m, u32 policy, u64 *x)
{
	u32 slot = (u32)(rnd(x) % 8);
	u64 warps = 0xffull << 8 * slot;
	if (!(f.sm.used & warps)) {
		start(warps);
		FOR_EACH_BIT(w, warps)
		enter_active(m, (u32)w, policy);
	} else if (!(warps & ~f.sm.in[WS_DONE])) {
		gone(warps);
		FOR_EACH_BIT(w, warps)
		for (u32 q = 0; q < 3; q++)
			take(m, q, (u32)w);
	}
}

static void test_model(void **state)
{
	for (u32 policy = 0; policy < 3; policy++) {
		u64 x = 88172645463325252ull + policy, moves = 0;
		struct model m = {0};
		fake(two_level[policy], 1 + policy * 3);
		for (u32 pc = 0; pc < CODE; pc++)
			f.hint[pc].phase_distance = (u32)(rnd(&x) % 12);
		for (u32 step = 0; step < 30000; step++) {
			u64 before = mask_of(&m, 0);
			if (rnd(&x) % 8 == 0)
				random_ctas(&m, policy, &x);
			for (u64 k = rnd(&x) % 4; k > 0; k--)
				random_change(&m, &x);
			model_cycle(&m, policy);
			tick();
			same_queues(&m, step);
			for (u64 k = rnd(&x) % 3; k > 0; k--)
				tick(); /* cycles in which nothing changes: an SM that sleeps has none of them */
			same_queues(&m, step);
			moves += before != mask_of(&m, 0);
		}
		assert_true(moves > 2000);
	}
}

/* What is displayed is what is done: among warps that may be chosen the one with the smallest rank is. */
static void test_rank_is_the_order(void **state)
{
	static const char *const names[] = {"lrr", "gto", "rr", "paws", "tl-rr", "tl-gto", "tl-paws"};
	for (u32 i = 0; i < ARRAY_LEN(names); i++) {
		u64 x = 99 + i, chosen = 0;
		struct model m = {0};
		fake(names[i], 7);
		for (u32 pc = 0; pc < CODE; pc++)
			f.hint[pc].phase_distance = (u32)(rnd(&x) % 12);
		for (u32 step = 0; step < 3000; step++) {
			random_ctas(&m, 0, &x);
			random_change(&m, &x);
			tick();
			u64 ready = f.sm.in[WS_READY_SP] | f.sm.in[WS_READY_LSU];
			u32 best = NO_WARP;
			FOR_EACH_BIT(w, ready)
			if (best == NO_WARP || rank((u32)w) < rank(best))
				best = (u32)w;
			u32 w = ready ? pick(ready) : NO_WARP;
			if (w != NO_WARP)
				assert_int_equal(w, best);
			else
				assert_true(!ready || !strncmp(names[i], "tl-", 3));
			chosen += w != NO_WARP;
		}
		assert_true(chosen > 500);
	}
}

/* --- in the machine ----------------------------------------------------------------------------------------------- */

/* Loads, arithmetic of two lengths and a barrier. */
static const char kernel[] = PTX_HEAD
    ".visible .entry k(.param .u64 p0)\n{\n.reg .b32 %r<32>;\n.reg .b64 %rd<8>;\n"
    "ld.param.u64 %rd1, [p0];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\n"
    "mad.lo.s32 %r4, %r2, %r3, %r1;\nmul.wide.s32 %rd2, %r4, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
    "ld.global.u32 %r5, [%rd3];\nld.global.u32 %r6, [%rd3+4096];\nadd.u32 %r7, %r5, %r4;\nmul.lo.u32 %r8, %r7, %r7;\n"
    "mul.lo.u32 %r9, %r8, %r7;\nadd.u32 %r10, %r9, %r6;\nld.global.u32 %r11, [%rd3+8192];\nadd.u32 %r12, %r10, 3;\n"
    "bar.sync 0;\nadd.u32 %r13, %r12, %r11;\nxor.b32 %r14, %r13, %r4;\nst.global.u32 [%rd3+16384], %r14;\nret;\n}\n";
#define BYTES 65536

struct outcome {
	u64 cycles, hash, stalls[ST_COUNT];
	struct rig_log log;
};

static void keep_awake(struct sim *s)
{
	struct gpu *g = sim_gpu(s);
	struct stop st = {.why = STOP_CYCLE};
	while (st.why == STOP_CYCLE) {
		g->st->awake[0] |= bit_range(g->conf.num_sms);
		sim_run(s, sim_cycle(s) + 1, &st);
		assert_true(sim_cycle(s) < 1000000);
	}
	assert_int_equal(st.why, STOP_IDLE);
}

static struct outcome run(const char *const *sets, event_set events, bool awake)
{
	struct outcome o = {0};
	struct sim *s = machine(sets);
	u64 arg = rig_alloc(s, BYTES);
	struct module *m = rig_load(s, kernel);
	sim_subscribe(s, events, rig_record, &o.log);
	rig_launch(s, m, "k", 12, 256, 0, &arg, 1);
	if (awake)
		keep_awake(s);
	rig_finish(s);
	o.cycles = sim_cycle(s);
	o.hash = sim_hash(s);
	gpu_stalls_sum(sim_gpu(s), -1, o.stalls);
	sim_destroy(s);
	return o;
}

static struct outcome run_policy(const char *name, const char *more, event_set events, bool awake)
{
	char set[64];
	snprintf(set, sizeof set, "warp-sched=%s", name);
	return run((const char *[]){"num_sms=2", set, more, NULL}, events, awake);
}

#define MOVES (EVENT(EV_SCHED_PICK) | EVENT(EV_SCHED_PROMOTE) | EVENT(EV_SCHED_DEMOTE))

/* An SM that sleeps decides as one that is ticked in every cycle. */
static void test_asleep_as_awake(void **state)
{
	for (u32 i = 0; i < ARRAY_LEN(two_level); i++) {
		struct outcome a = run_policy(two_level[i], "sm.issue_period=2", MOVES, false);
		struct outcome b = run_policy(two_level[i], "sm.issue_period=2", MOVES, true);
		assert_int_equal(a.cycles, b.cycles);
		assert_int_equal(a.log.n, b.log.n);
		assert_true(rig_count(&a.log, EV_SCHED_DEMOTE) > 100);
		for (u32 k = 0; k < a.log.n; k++)
			assert_memory_equal(&a.log.e[k], &b.log.e[k], sizeof a.log.e[k]);
		assert_memory_equal(a.stalls, b.stalls, sizeof a.stalls);
		free(a.log.e);
		free(b.log.e);
	}
}

/* From the events alone: the ready queue never has more than tl.ready warps, and who is picked is in it, in turn. */
static void test_events_tell_the_queue(void **state)
{
	for (u32 i = 0; i < ARRAY_LEN(two_level); i++) {
		struct outcome o = run_policy(two_level[i], "tl.ready=3", MOVES, false);
		u64 queue[2][2] = {{0}};
		u32 next[2][2] = {{0}}, entered = 0, left = 0;
		for (u32 k = 0; k < o.log.n; k++) {
			const struct event *e = &o.log.e[k];
			u64 *q = &queue[e->sm][e->arg[0]];
			u32 w = (u32)e->warp, *turn = &next[e->sm][e->arg[0]];
			if (e->type == EV_SCHED_PROMOTE) {
				assert_true(!(*q >> w & 1) && bit_count(*q) < 3);
				*q |= BIT(w);
				assert_true(*q == e->arg[1]);
				entered++;
			} else if (e->type == EV_SCHED_DEMOTE) {
				assert_true(*q >> w & 1);
				*q &= ~BIT(w);
				left++;
			} else {
				assert_int_equal(w, bit_next_rr(e->arg[1] & *q, *turn));
				*turn = (w + 1) % WARP_SLOTS;
			}
		}
		assert_int_equal(entered, left);
		assert_true(entered > 12 * 8); /* every warp, and most of them again */
		free(o.log.e);
	}
}

/* Straight code, so that a warp's next pc is known from its last: paws always takes the nearest to its phase's end. */
static void test_paws_picks(void **state)
{
	struct outcome o = run_policy("paws", "isa.issue_cost=ptx", EVENT(EV_SCHED_PICK) | EVENT(EV_CTA_DISPATCH), false);
	struct conf c;
	struct err e = {0};
	conf_defaults(&c);
	struct sim *s = machine((const char *[]){"isa.issue_cost=ptx", NULL});
	struct module *m = rig_load(s, kernel);
	struct code_hint *h = hints_make(&c, m);
	u32 pc[2][WARP_SLOTS] = {{0}}, contested = 0;
	for (u32 k = 0; k < o.log.n; k++) {
		const struct event *v = &o.log.e[k];
		if (v->type == EV_CTA_DISPATCH) {
			FOR_EACH_BIT(w, v->arg[1])
			pc[v->sm][w] = v->pc;
			continue;
		}
		u32 best = h[v->pc].phase_distance;
		assert_int_equal(v->pc, pc[v->sm][v->warp]);
		FOR_EACH_BIT(w, v->arg[1])
		{
			contested += h[pc[v->sm][w]].phase_distance != best;
			assert_true(h[pc[v->sm][w]].phase_distance >= best);
		}
		pc[v->sm][v->warp]++;
	}
	assert_true(contested > 100);
	free(h);
	free(o.log.e);
	sim_destroy(s);
	err_clear(&e);
}

/* More warps at a barrier than the ready queue holds, down to one place. */
static void test_no_deadlock(void **state)
{
	for (u32 i = 0; i < ARRAY_LEN(two_level); i++) {
		struct outcome o =
		    run_policy(two_level[i], "tl.ready=1", EVENT(EV_BARRIER_RELEASE) | EVENT(EV_DEADLOCK), false);
		assert_int_equal(rig_count(&o.log, EV_BARRIER_RELEASE), 12);
		assert_int_equal(rig_count(&o.log, EV_DEADLOCK), 0);
		free(o.log.e);
	}
}

static void test_deterministic(void **state)
{
	static const char *const all[] = {"rr", "paws", "tl-rr", "tl-gto", "tl-paws"};
	for (u32 i = 0; i < ARRAY_LEN(all); i++) {
		struct outcome a = run_policy(all[i], NULL, 0, false), b = run_policy(all[i], NULL, 0, false);
		struct outcome c = run_policy(all[i], NULL, MOVES, false);
		assert_true(a.hash == b.hash && a.hash == c.hash);
		assert_true(a.cycles == b.cycles && a.cycles == c.cycles);
		free(c.log.e);
	}
}

/* As many places as warps: nobody waits for one, and a ready queue of one is not the same machine. */
static void test_size_matters(void **state)
{
	u64 one = run_policy("tl-rr", "tl.ready=1", 0, false).cycles,
	    all = run_policy("tl-rr", "tl.ready=64", 0, false).cycles;
	assert_true(all < one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rr),
	    cmocka_unit_test(test_rr_is_lrr),
	    cmocka_unit_test(test_paws),
	    cmocka_unit_test(test_queues),
	    cmocka_unit_test(test_all_complete),
	    cmocka_unit_test(test_sorting),
	    cmocka_unit_test(test_set_late),
	    cmocka_unit_test(test_model),
	    cmocka_unit_test(test_rank_is_the_order),
	    cmocka_unit_test(test_asleep_as_awake),
	    cmocka_unit_test(test_events_tell_the_queue),
	    cmocka_unit_test(test_paws_picks),
	    cmocka_unit_test(test_no_deadlock),
	    cmocka_unit_test(test_deterministic),
	    cmocka_unit_test(test_size_matters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
