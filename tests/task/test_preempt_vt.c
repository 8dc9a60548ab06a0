/* Preemption with virtual threads: a plan is of all CTAs of an SM, those without a slot included. Each technique, by
 * hand: who leaves when, what was estimated, what is lost, and where CTAs that come back wait. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "gpu/query_preempt.h"
#include "sm/replay.h"
#include "sm/restartable.h"
#include "sm/virtual.h"
#include "tests/rig/debug_rig.h"
#include "tests/rig/given_back.h"
#include "tests/rig/preempt_rig.h"

/* Rounds of a load that misses and of arithmetic; each thread stores its sum. far: the loads of a warp are lines of its
 * own. back: it stores what it has read first, so that it cannot begin again from then on. */
static const char loads[] = PTX_HEAD
    ".visible .entry far(.param .u64 p0, .param .u64 p1)\n{\n.reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %a<8>;\n"
    "ld.param.u64 %a1, [p0]; ld.param.u64 %a3, [p1]; cvt.u32.u64 %r9, %a3; mov.u32 %r1, %tid.x; "
    "mov.u32 %r2, %ctaid.x;\n"
    "mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1; mad.wide.u32 %a2, %r4, 4, %a1; mov.u32 %r8, 7;\n"
    "mul.lo.u32 %r10, %r4, 8;\n"
    "L: and.b32 %r11, %r10, 65535; mad.wide.u32 %a5, %r11, 4, %a1; ld.global.u32 %r12, [%a5+65536];\n"
    "add.u32 %r8, %r8, %r12; add.u32 %r8, %r8, %r4; add.u32 %r10, %r10, 4099; sub.u32 %r9, %r9, 1;\n"
    "setp.ne.u32 %p3, %r9, 0; @%p3 bra L; st.global.u32 [%a2], %r8; ret;\n}\n"
    ".visible .entry back(.param .u64 p0, .param .u64 p1)\n{\n.reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %a<8>;\n"
    "ld.param.u64 %a1, [p0]; ld.param.u64 %a3, [p1]; cvt.u32.u64 %r9, %a3; mov.u32 %r1, %tid.x; "
    "mov.u32 %r2, %ctaid.x;\n"
    "mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1; mad.wide.u32 %a2, %r4, 4, %a1;\n"
    "ld.global.u32 %r8, [%a2]; add.u32 %r8, %r8, 7; st.global.u32 [%a2], %r8; mul.lo.u32 %r10, %r4, 8;\n"
    "L: and.b32 %r11, %r10, 65535; mad.wide.u32 %a5, %r11, 4, %a1; ld.global.u32 %r12, [%a5+65536];\n"
    "add.u32 %r8, %r8, %r12; add.u32 %r8, %r8, %r4; add.u32 %r10, %r10, 4099; sub.u32 %r9, %r9, 1;\n"
    "setp.ne.u32 %p3, %r9, 0; @%p3 bra L; st.global.u32 [%a2], %r8; ret;\n}\n";

#define MANY 96 /* CTAs of two warps */
#define ROUNDS 24
/* Two SMs of three CTA slots, and registers for eight CTAs. */
static struct field begin_loads(const char *kernel, const char *more, const char *most)
{
	struct field f = {
	    .s = machine((const char *[]){"num_sms=2", "sm.ctas=3", "sm.regs=8192", "cta-virtual=vt", "lsu.replay=car",
	                                  "idempotence.track=true", "vt.delay=30", more ? more : "seed=1", most, NULL})};
	struct err e = {0};
	f.m = rig_load(f.s, loads);
	f.buf = rig_alloc(f.s, 65536 + 4 * 65536 + 64);
	const struct launch_spec l = {.mod = f.m,
	                              .fn = module_func(f.m, kernel, true),
	                              .grid = {MANY, 1, 1},
	                              .block = {THREADS, 1, 1},
	                              .params = (u64[]){f.buf, ROUNDS},
	                              .param_bytes = 16,
	                              .regs = 16};
	const int k = sim_launch(f.s, &l, &e);
	if (k < 0)
		fail_msg("%s", e.msg);
	f.k = (u32)k;
	f.g = f.s->gpu;
	return f;
}

static void finish_loads(struct field *f)
{
	rig_finish(f->s);
	for (u32 t = 0; t < MANY * THREADS; t++)
		assert_int_equal(rig_u32(f->s, f->buf + 4 * t), 7 + ROUNDS * t);
	all_given_back(f->s);
	sim_destroy(f->s);
}

static void look(const struct field *f)
{
	struct err e = {0};
	if (!gpu_check_state(f->g, &e))
		fail_msg("cycle %llu: %s", (unsigned long long)sim_cycle(f->s), e.msg);
}

static void step(struct field *f)
{
	sim_run(f->s, sim_cycle(f->s) + 1, NULL);
	look(f);
}

/* To a cycle from `from` on in which SM 0 has CTAs with and without slots, and a swap is under way there, or none is.
 */
static void run_to_swap(struct field *f, u64 from, bool swap)
{
	const struct vt *v = f->g->ctx[0].vt;
	sim_run(f->s, from, NULL);
	while (!v->inactive || (v->until != NEVER && v->leaving) != swap)
		step(f);
}

static u64 insts_on(const struct sm *s)
{
	u64 sum = 0;
	FOR_EACH_CTA(i, s)
	sum += s->cta[i].insts;
	return sum;
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

static bool count_inactive(void *ctx, const struct event *e)
{
	u32 *n = ctx;
	n[0]++;
	n[1] += e->arg[5] == 1;
	return false;
}

/* All CTAs are in it, each with what it is and would cost; those that stay are the oldest, wherever they are. */
static void lists_all(void **state)
{
	static const char *const by[] = {"switch", "drain", "flush", "chimera"};
	for (u32 i = 0; i < ARRAY_LEN(by); i++) {
		struct field f = begin_loads("far", NULL, NULL);
		u32 told[2] = {0};
		sim_subscribe(f.s, EVENT(EV_PREEMPT_CTA), count_inactive, told);
		run_to_swap(&f, 3000, false);
		const struct sm *s = f.g->sm[0];
		const u32 all = sm_resident(s, f.k), inactive = f.g->ctx[0].vt->inactive;
		const struct preempt_plan *p = plan_of(&f, ask(&f, by[i], 20, 1));
		struct request_cta cta[PREEMPT_MAX_CTAS];
		u32 n = 0;
		assert_true(p->s.n == all && all > inactive && inactive >= 3);
		assert_int_equal(gpu_request_ctas(f.g, 1, 0, cta, PREEMPT_MAX_CTAS), all);
		for (u32 k = 0; k < all; k++) {
			const struct cta *c = &s->cta[p->s.cta[k].place];
			assert_true(c->used && c->id == p->s.cta[k].id && c->inactive == p->s.cta[k].inactive);
			assert_int_equal(p->s.cta[k].bytes, 4 * 2 * 32 * 16);
			assert_int_equal(p->s.cta[k].insts, c->insts);
			assert_int_equal(cta[k].inactive, c->inactive);
			n += c->inactive;
		}
		assert_int_equal(n, inactive);
		step(&f);
		assert_true(told[0] == all && told[1] == inactive);
		finish_loads(&f);
	}
}

/* A CTA that waits for slots was there before the one that has them: it stays. */
static void oldest_stay(void **state)
{
	struct field f = begin_loads("far", NULL, NULL);
	struct err e = {0};
	run_to_swap(&f, 3000, false);
	const struct sm *s = f.g->sm[0];
	u64 oldest[2] = {NEVER, NEVER}, id[2] = {0};
	FOR_EACH_CTA(i, s)
	{
		const u64 age = s->warp[sm_first_warp(&s->cta[i])].age;
		const u32 at = age < oldest[0] ? 0 : 1;
		if (age >= oldest[at])
			continue;
		if (!at) {
			oldest[1] = oldest[0];
			id[1] = id[0];
		}
		oldest[at] = age;
		id[at] = s->cta[i].id;
	}
	const u64 set[CONF_SM_WORDS] = {1};
	const u32 n = sm_resident(s, f.k);
	const struct preempt_ask a = {.launch = f.k,
	                              .set = set,
	                              .keep = 2,
	                              .limit = 10000,
	                              .by = (const struct preempt_ops *)policy_find(POLICY_PREEMPT, "flush"),
	                              .stays = true};
	const u32 req = preempt_request(&f.g->preempt, &a, sim_cycle(f.s), &e);
	if (!req)
		fail_msg("%s", e.msg);
	assert_int_equal(plan_of(&f, req)->s.n, n - 2);
	run_until_done(&f, req);
	assert_int_equal(sm_resident(s, f.k), 2);
	FOR_EACH_CTA(i, s)
	assert_true(s->cta[i].id == id[0] || s->cta[i].id == id[1]);
	finish_loads(&f);
}

/* --- flush -------------------------------------------------------------------------------------------------------- */

/* All leave at once, and the SM has all that they had. Those of its instructions are lost, those without a slot too. */
static void flush_at_once(void **state)
{
	struct field f = begin_loads("far", NULL, NULL);
	run_to_swap(&f, 3000, false);
	const struct sm *s = f.g->sm[0];
	const struct kernel_counters *k = &f.g->task->kcb[f.k].k;
	const u32 all = sm_resident(s, f.k);
	const u64 insts = insts_on(s);
	const u32 id = ask(&f, "flush", 0, 1);
	const struct preempt_plan *p = plan_of(&f, id);
	assert_true(p->s.cost.latency == 0 && p->s.cost.overhead == insts);
	step(&f);
	assert_true(p->done_at == p->at && p->lost == insts && k->ctas_flushed == all);
	assert_true(!s->nctas && !s->used && !s->regs_used && !s->shared_used);
	const struct vt *v = f.g->ctx[0].vt;
	assert_true(!v->inactive && !v->ready && !v->context && !v->warps[0] && !v->homes[0]);
	assert_int_equal(f.g->resume.r->n, all);
	finish_loads(&f);
}

/* What CTAs without a slot have in the re-execution queue and at the LSU is given up, too. */
static void flush_gives_up(void **state)
{
	struct field f = begin_loads("far", "l1d.mshrs=4", NULL);
	const struct sm *s = f.g->sm[0];
	const struct replay *q = f.g->ctx[0].replay;
	run_to_swap(&f, 3000, false);
	while (!q->inactive || f.g->ctx[0].vt->until != NEVER)
		step(&f);
	const u64 dropped = s->k.replay_dropped, there = q->n;
	ask(&f, "flush", 0, 1);
	step(&f);
	assert_true(!q->n && !s->lsu_q.n && !s->mem_flying && s->late);
	assert_int_equal(s->k.replay_dropped, dropped + there);
	finish_loads(&f);
}

/* A swap that has begun ends first. Its two CTAs stand still, and are in no other; the estimate knows it. */
static void flush_after_the_swap(void **state)
{
	struct field f = begin_loads("far", NULL, NULL);
	run_to_swap(&f, 3000, true);
	const struct sm *s = f.g->sm[0];
	const struct vt *v = f.g->ctx[0].vt;
	const u64 over = v->until, swaps = s->k.vt_swaps, in = s->cta[v->coming].id, out = s->cta[v->leaving].id;
	assert_true(over > sim_cycle(f.s) + 5);
	const struct preempt_plan *p = plan_of(&f, ask(&f, "flush", 20, 1));
	u32 waits = 0;
	for (u32 i = 0; i < p->s.n; i++) {
		const struct preempt_cta *a = &p->s.cta[i];
		assert_int_equal(a->wait, a->id == in || a->id == out ? over + 1 - p->at : 0);
		assert_int_equal(a->by[BY_FLUSH].latency, a->wait);
		waits += a->wait != 0;
	}
	assert_true(waits == 2 && p->s.cost.latency == over + 1 - p->at);
	step(&f);
	assert_int_equal(p->left, 2);
	while (!p->done_at) {
		assert_true(v->inactive <= 1 && s->nctas <= 1);
		step(&f);
	}
	assert_true(p->done_at == over + 1 && s->k.vt_swaps == swaps + 1);
	assert_int_equal(p->lost, p->s.cost.overhead);
	finish_loads(&f);
}

/* strict: the kernel as a whole decides. All stay, those without a slot too, and go on changing places; the request is
 * late. relaxed: those that have read and written stay, each by itself. */
static void flush_forbidden(void **state)
{
	struct field f = begin_loads("back", "preempt.idempotence=strict", NULL);
	run_to_swap(&f, 3000, false);
	const struct sm *s = f.g->sm[0];
	const u64 swaps = s->k.vt_swaps, at = sim_cycle(f.s);
	const u32 id = ask(&f, "flush", 2, 1);
	struct request_info r;
	while (sim_cycle(f.s) < at + 3000)
		step(&f);
	assert_true(gpu_request(f.g, id, &r) && r.held == 1 && r.left == 1 && !r.ctas);
	assert_true(s->k.vt_swaps > swaps + 3 && sm_resident(s, f.k) > s->nctas);
	assert_int_equal(f.g->task->kcb[f.k].k.deadlines_missed, 1);
	assert_int_equal(f.g->task->kcb[f.k].k.ctas_flushed, 0);
	finish_loads(&f);

	f = begin_loads("back", NULL, NULL);
	run_to_swap(&f, 1500, false);
	const struct preempt_plan *p = plan_of(&f, ask(&f, "flush", 20, 1));
	u32 flushed = 0, stay = 0, inactive = 0;
	for (u32 i = 0; i < p->s.n; i++) {
		const bool may = restart_possible(f.g->restart, 0, p->s.cta[i].place);
		assert_int_equal(p->s.cta[i].technique, may ? BY_FLUSH : BY_DRAIN);
		flushed += may;
		stay += !may;
		inactive += !may && p->s.cta[i].inactive;
	}
	assert_true(stay && inactive);
	run_until_done(&f, 1);
	assert_int_equal(f.g->task->kcb[f.k].k.ctas_flushed, flushed);
	assert_int_equal(f.g->task->kcb[f.k].k.ctas_drained, stay);
	finish_loads(&f);
}

/* --- switch ------------------------------------------------------------------------------------------------------- */

/* The SM stands still for the bytes of all its CTAs; nobody changes places meanwhile, and nobody executes. */
static void switch_all(const char *halt)
{
	struct field f = begin_loads("far", halt, NULL);
	run_to_swap(&f, 3000, false);
	const struct sm *s = f.g->sm[0];
	const struct kernel_counters *k = &f.g->task->kcb[f.k].k;
	const u32 all = sm_resident(s, f.k);
	const u64 cycles = preempt_switch_cycles(&f.g->conf, all * 4096ull), swaps = s->k.vt_swaps;
	const u32 id = ask(&f, "switch", 100, 1);
	const struct preempt_plan *p = plan_of(&f, id);
	assert_int_equal(p->s.cost.latency, cycles);
	step(&f);
	const u64 insts = insts_on(s);
	while (!p->done_at) {
		assert_true(sm_resident(s, f.k) == all && s->k.vt_swaps == swaps && insts_on(s) == insts);
		step(&f);
	}
	assert_true(p->done_at - p->at == cycles && k->ctas_switched == all && !k->ctas_drained);
	assert_true(!s->nctas && !s->regs_used && !f.g->ctx[0].vt->inactive);
	finish_loads(&f);
}

static void switch_sm(void **state)
{
	switch_all("preempt.halt=sm");
}

static void switch_cta(void **state)
{
	switch_all("preempt.halt=cta");
}

/* preempt.halt=sm: CTAs that stay, with slots or without, stand still with those that leave; then they go on. */
static void stays_and_stands_still(void **state)
{
	struct field f = begin_loads("far", "preempt.halt=sm", "preempt.bandwidth=100");
	struct err e = {0};
	run_to_swap(&f, 3000, false);
	const struct sm *s = f.g->sm[0];
	const u64 set[CONF_SM_WORDS] = {1};
	const struct preempt_ask a = {.launch = f.k,
	                              .set = set,
	                              .keep = 5,
	                              .limit = 100000,
	                              .by = (const struct preempt_ops *)policy_find(POLICY_PREEMPT, "switch"),
	                              .stays = true};
	const u32 id = preempt_request(&f.g->preempt, &a, sim_cycle(f.s), &e);
	const struct preempt_plan *p = plan_of(&f, id);
	step(&f);
	const u64 insts = insts_on(s), swaps = s->k.vt_swaps;
	u32 held = 0;
	FOR_EACH_CTA(i, s)
	held += s->cta[i].inactive && s->cta[i].moving_until == p->save_at;
	assert_true(held >= 3 && p->save_at > p->at + 20);
	while (sim_cycle(f.s) < p->save_at) {
		assert_true(insts_on(s) == insts && s->k.vt_swaps == swaps);
		step(&f);
	}
	const struct preempt_stats k = preempt_stats_of(&f.g->preempt, f.k, sim_cycle(f.s));
	const u64 work = (u64)((double)(p->save_at - p->at) * (double)k.insts / (double)k.cycles);
	run_until_done(&f, id);
	assert_true(sm_resident(s, f.k) == 5 && work && p->halted == 5 * work);
	while (s->k.vt_swaps == swaps)
		step(&f);
	FOR_EACH_CTA(i, s)
	assert_true(!s->cta[i].moving_until && !s->cta[i].paused);
	finish_loads(&f);
}

/* preempt.halt=cta: those that stay go on and change places among themselves. Those whose contexts are moved have no
 * part in it. */
static void moved_gets_no_slots(void **state)
{
	struct field f = begin_loads("far", "preempt.halt=cta", "preempt.bandwidth=40");
	struct err e = {0};
	run_to_swap(&f, 3000, false);
	const struct sm *s = f.g->sm[0];
	const u64 set[CONF_SM_WORDS] = {1}, swaps = s->k.vt_swaps;
	const struct preempt_ask a = {.launch = f.k,
	                              .set = set,
	                              .keep = 5,
	                              .limit = 100000,
	                              .by = (const struct preempt_ops *)policy_find(POLICY_PREEMPT, "switch"),
	                              .stays = true};
	const struct preempt_plan *p = plan_of(&f, preempt_request(&f.g->preempt, &a, sim_cycle(f.s), &e));
	u32 without = 0;
	for (u32 i = 0; i < p->s.n; i++)
		without += p->s.cta[i].inactive;
	assert_true(without && p->save_at > p->at + 200);
	while (sim_cycle(f.s) < p->save_at) {
		step(&f);
		for (u32 i = 0; i < p->s.n && sim_cycle(f.s) < p->save_at; i++) {
			const struct cta *c = &s->cta[p->s.cta[i].place];
			assert_true(c->id == p->s.cta[i].id && c->inactive == p->s.cta[i].inactive);
			assert_int_equal(c->insts, p->s.cta[i].insts);
		}
	}
	assert_true(s->k.vt_swaps > swaps);
	finish_loads(&f);
}

/* preempt.traffic: the contexts of all go through memory, and those that come back to wait for a slot get theirs, too.
 * Back to a cycle on the way and on again is the same. */
static void switch_traffic(void **state)
{
	struct field f = begin_loads("far", "preempt.traffic=true", "history.mb=64");
	struct err e = {0};
	run_to_swap(&f, 3000, false);
	const u32 all = sm_resident(f.g->sm[0], f.k);
	const struct preempt_plan *p = plan_of(&f, ask(&f, "switch", 100, 1));
	assert_true(sim_history(f.s, 500, &e));
	u64 at[40], hash[40];
	u32 n = 0, waited = 0;
	for (; n < ARRAY_LEN(at); n++) {
		at[n] = sim_cycle(f.s);
		hash[n] = sim_hash(f.s);
		look(&f);
		for (u32 i = 0; i < 250; i++) {
			sim_run(f.s, sim_cycle(f.s) + 1, NULL);
			FOR_EACH_CTA(k, f.g->sm[1])
			waited += f.g->sm[1]->cta[k].inactive && f.g->sm[1]->cta[k].moving_until == NEVER;
		}
	}
	assert_true(p->done_at && waited > 100 && !f.g->resume.r->n);
	assert_int_equal(f.g->resume.traffic.t->out, all * 4096ull);
	for (u32 i = n; i-- > 0;) {
		assert_true(sim_goto(f.s, at[i], &e));
		look(&f);
		assert_true(sim_hash(f.s) == hash[i]);
	}
	assert_true(sim_goto(f.s, at[n - 1], &e));
	assert_true(sim_hash(f.s) == hash[n - 1]);
	finish_loads(&f);
}

/* --- drain -------------------------------------------------------------------------------------------------------- */

/* Each CTA runs to its end in its turn. All the time those with slots are first with a kernel-aware scheduler. No CTA
 * comes. */
static void drain_in_turn(void **state)
{
	struct field f = begin_loads("far", NULL, NULL);
	run_until_ended(&f, 16);
	run_to_swap(&f, sim_cycle(f.s) + 1, false);
	const struct sm *s = f.g->sm[0];
	const struct kernel_counters *k = &f.g->task->kcb[f.k].k;
	const u32 all = sm_resident(s, f.k);
	const u64 swaps = s->k.vt_swaps, started = s->k.ctas_started, ended = s->k.ctas_done;
	const u32 id = ask(&f, "drain", 1000, 1);
	const struct preempt_plan *p = plan_of(&f, id);
	assert_true(p->s.cost.latency > 0 && p->s.cost.latency < COST_MAX);
	u32 left = all;
	for (step(&f); !p->done_at; step(&f)) {
		assert_true(p->left <= left && s->leaving == s->used);
		left = p->left;
		if (!p->done_at)
			assert_true(p->left >= sm_resident(s, f.k));
	}
	assert_true(s->k.vt_swaps > swaps && s->k.ctas_started == started);
	assert_true(k->ctas_drained == all && s->k.ctas_done == ended + all && !k->ctas_switched && !k->ctas_flushed);
	/* As long as estimated, by and large: not as if each had a slot at once. */
	const u64 took = p->done_at - p->at;
	assert_true(took < 3 * p->s.cost.latency && p->s.cost.latency < 3 * took);
	finish_loads(&f);
}

/* The estimate by hand: cycles of CTAs with and without slots. */
static void counted_with_those_that_wait(void **state)
{
	struct field f = begin_loads("far", NULL, NULL);
	run_until_ended(&f, 16);
	run_to_swap(&f, sim_cycle(f.s) + 1, false);
	const struct kernel_counters *k = &f.g->task->kcb[f.k].k;
	u64 insts = k->warp_insts, cycles = k->cta_cycles;
	u32 inactive = 0;
	for (u32 sm = 0; sm < 2; sm++)
		for (u32 i = 0; i < SM_CTA_PLACES; i++) {
			const struct cta *c = &f.g->sm[sm]->cta[i];
			insts += c->insts;
			cycles += c->used ? sim_cycle(f.s) - c->started_at : 0;
			inactive += c->inactive;
		}
	const struct preempt_stats is = preempt_stats_of(&f.g->preempt, f.k, sim_cycle(f.s));
	assert_true(inactive > 4 && is.insts == insts && is.cycles == cycles);
	const struct preempt_plan *p = plan_of(&f, ask(&f, "drain", 1000, 1));
	const double each = (double)k->warp_insts / (double)k->ctas_done, cpi = (double)cycles / (double)insts;
	for (u32 i = 0; i < p->s.n; i++) {
		const double left = (each - (double)p->s.cta[i].insts) * cpi;
		assert_true(left < 0 || (double)p->s.cta[i].by[BY_DRAIN].latency - left < 1.001);
		assert_true((double)p->s.cta[i].by[BY_DRAIN].latency >= left);
	}
	finish_loads(&f);
}

/* --- they come back ----------------------------------------------------------------------------------------------- */

/* Before new CTAs, also where all slots are taken: there they wait for one, with their contexts. The SM that they have
 * left is given back. */
static void come_back_first(void **state)
{
	static const char *const by[] = {"switch", "flush"};
	for (u32 i = 0; i < ARRAY_LEN(by); i++) {
		struct field f = begin_loads("far", NULL, NULL);
		struct rig_log log = {0};
		sim_subscribe(f.s, EVENT(EV_CTA_DISPATCH) | EVENT(EV_CTA_RESTORE) | EVENT(EV_CTA_SAVE), rig_record, &log);
		run_to_swap(&f, 3000, false);
		const u32 all = sm_resident(f.g->sm[0], f.k), inactive = f.g->ctx[0].vt->inactive;
		const u32 id = ask(&f, by[i], 100, 1);
		run_until_done(&f, id);
		while (f.g->resume.r->leaving)
			step(&f);
		assert_true(gpu_release_sms(f.g, NULL, &(struct err){0}));
		const u32 from = log.n;
		while (f.g->resume.r->n)
			step(&f);
		u32 saved = 0, back = 0, waits = 0, without = 0;
		for (u32 k = 0; k < log.n; k++) {
			const struct event *e = &log.e[k];
			saved += e->type == EV_CTA_SAVE;
			without += e->type == EV_CTA_SAVE && e->arg[0] >= SM_MAX_CTAS && !e->arg[1];
			back += e->type == EV_CTA_RESTORE;
			waits += e->type == EV_CTA_RESTORE && e->arg[0] >= SM_MAX_CTAS && !e->arg[1];
			assert_true(e->type != EV_CTA_DISPATCH || saved == back || k < from);
		}
		assert_true(saved == all && back == all && without == inactive && waits > 2);
		finish_loads(&f);
		free(log.e);
	}
}

/* --- beside a real-time task ---------------------------------------------------------------------------------------- */

struct outcome {
	u64 cycles, hash;
	u32 inactive; /* CTAs without a slot in the first request's plans */
};

/* A real kernel gives SMs to a task that comes while CTAs of it wait for slots. */
static struct outcome beside_task(const char *workload, const char *by)
{
	struct rig r;
	struct err e = {0};
	struct outcome o = {0};
	rig_open(&r, (char *[]){"warpdbg",
	                        "debug",
	                        (char *)workload,
	                        "concurrent/realtime",
	                        "--size",
	                        "small",
	                        "--param",
	                        "first_us=4",
	                        "--param",
	                        "jobs=1",
	                        "--param",
	                        "run_us=5",
	                        "--partition",
	                        "spatial",
	                        "--preempt",
	                        (char *)by,
	                        "--cta-virtual",
	                        "vt",
	                        "--set",
	                        "launch.latency=0",
	                        NULL});
	struct gpu *g = sim_gpu(r.s->sim);
	rig_say(&r, "tbreak preempt-start");
	rig_has(&r, "continue", "preempt-start");
	struct request_sm sm[CONF_MAX_SMS];
	const u32 n = gpu_request_sms(g, 1, sm, CONF_MAX_SMS);
	for (u32 i = 0; i < n; i++) {
		struct request_cta cta[PREEMPT_MAX_CTAS];
		const u32 ctas = gpu_request_ctas(g, 1, sm[i].sm, cta, PREEMPT_MAX_CTAS);
		for (u32 k = 0; k < ctas; k++)
			o.inactive += cta[k].inactive;
	}
	for (bool left = true; left;) {
		left = false;
		for (u32 i = 0; i < gpu_request_sms(g, 1, sm, CONF_MAX_SMS); i++) {
			assert_true(!sm[i].done_at || sm[i].left == 0);
			assert_true(!sm[i].done_at || !gpu_resident(g, sm[i].sm, sm[i].launch));
			left |= !sm[i].done_at;
		}
		if (left)
			sim_run(r.s->sim, sim_cycle(r.s->sim) + 20, NULL);
	}
	rig_has(&r, "continue", "check passed");
	all_given_back(r.s->sim);
	if (!sim_check(r.s->sim, &e))
		fail_msg("%s by %s: %s", workload, by, e.msg);
	o.cycles = sim_cycle(r.s->sim);
	o.hash = sim_hash(r.s->sim);
	rig_close(&r);
	return o;
}

static void task_comes(void **state)
{
	static const char *const by[] = {"switch", "drain", "flush", "chimera"}, *const workload[] = {"vecadd", "dct8x8"};
	for (u32 w = 0; w < ARRAY_LEN(workload); w++)
		for (u32 i = 0; i < ARRAY_LEN(by); i++) {
			const struct outcome a = beside_task(workload[w], by[i]), b = beside_task(workload[w], by[i]);
			if (!a.inactive || a.cycles != b.cycles || a.hash != b.hash || a.inactive != b.inactive)
				fail_msg("%s by %s: %u CTAs without a slot; %llu cycles, then %llu", workload[w], by[i], a.inactive,
				         (unsigned long long)a.cycles, (unsigned long long)b.cycles);
		}
}

/* --- in the debugger ---------------------------------------------------------------------------------------------- */

static void told(void **state)
{
	struct rig r;
	rig_open(&r, (char *[]){"warpdbg", "debug", "vecadd", "--size", "small", "--cta-virtual", "vt", "--preempt",
	                        "switch", NULL});
	rig_say(&r, "goto 1500");
	rig_say(&r, "break preempt-cta if e.inactive == 1");
	rig_say(&r, "preempt sm 0 within 10");
	rig_has(&r, "continue", "preempt-cta: SM 0, CTA ");
	rig_say(&r, "delete");
	rig_has(&r, "info preemptions", "had no slot; no flush: no-record");
	rig_has(&r, "info ctas 0", "inactive, to leave by switch\n");
	rig_has(&r, "info smst 0", " without a slot (3 to leave)  request 1\n");
	rig_has(&r, "print gpu.sm[0].smst.asked", "3");
	rig_has(&r, "print gpu.sm[1].smst.asked", "0");
	rig_has(&r, "continue", "check passed");
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lists_all),
	    cmocka_unit_test(oldest_stay),
	    cmocka_unit_test(flush_at_once),
	    cmocka_unit_test(flush_gives_up),
	    cmocka_unit_test(flush_after_the_swap),
	    cmocka_unit_test(flush_forbidden),
	    cmocka_unit_test(switch_sm),
	    cmocka_unit_test(switch_cta),
	    cmocka_unit_test(stays_and_stands_still),
	    cmocka_unit_test(moved_gets_no_slots),
	    cmocka_unit_test(switch_traffic),
	    cmocka_unit_test(drain_in_turn),
	    cmocka_unit_test(counted_with_those_that_wait),
	    cmocka_unit_test(come_back_first),
	    cmocka_unit_test(task_comes),
	    cmocka_unit_test(told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
