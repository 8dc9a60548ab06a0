/* Preemption: what it costs, by hand (Park 2016, section 4.3.2, table 4.2); algorithm 3 on made-up SMs; and what a
 * request does to a machine: who leaves an SM when, what is lost, who comes there, and when the kernel has it back.
 * That no result changes is test_preempt_workloads'. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "gpu/query_preempt.h"
#include "sm/restartable.h"
#include "tests/rig/preempt_rig.h"

/* --- costs -------------------------------------------------------------------------------------------------------- */

/* The machine of table 4.1: 30 SMs, 177.4 GB/s. */
static struct conf machine_of_table(void)
{
	struct conf c;
	struct err e = {0};
	conf_defaults(&c);
	const char *const keys[] = {"num_sms=30", "core_clock=1400", "dram_clock=924", "partitions=6"};
	for (u32 i = 0; i < ARRAY_LEN(keys); i++)
		assert_true(conf_set_pair(&c, keys[i], &e));
	assert_float_equal(dram_peak_bytes(&c) * c.core_clock * 1e6 / 1e9, 177.4, 0.1);
	return c;
}

/* Table 4.2: KiB a CTA, CTAs on an SM, microseconds of a switch. The last is MECHANISMS' rounding of 15.2. */
static void test_switch_times(void **state)
{
	static const struct {
		u32 kib, ctas;
		double us;
	} row[] = {{24, 4, 17.0}, {46, 2, 15.9}, {36, 3, 18.7}, {12, 6, 12.5}, {22, 5, 19.0}, {28, 3, 14.5}, {18, 6, 18.7},
	           {67, 2, 23.4}, {38, 3, 19.7}, {17, 7, 20.9}, {87, 1, 15.1}, {16, 6, 16.6}, {8, 8, 11.1},  {2, 8, 2.8}};
	struct conf c = machine_of_table();
	for (u32 i = 0; i < ARRAY_LEN(row); i++) {
		const double us = (double)preempt_switch_cycles(&c, (u64)row[i].kib * 1024 * row[i].ctas) / c.core_clock;
		if (fabs(us - row[i].us) > 0.03 * row[i].us)
			fail_msg("%u KiB x %u: %.2f us, published %.1f", row[i].kib, row[i].ctas, us, row[i].us);
	}
	c.preempt_bandwidth = 8; /* GB/s of its own: 8192 bytes in 1.024 us of 1400 cycles */
	assert_int_equal(preempt_switch_cycles(&c, 8192), 1434);
}

static struct preempt_sm two_ctas(u64 a, u64 b)
{
	return (struct preempt_sm){
	    .n = 2, .cta = {{.id = 0, .insts = a, .bytes = 8192, .may_flush = 1}, {.id = 1, .insts = b, .bytes = 8192}}};
}

/* Four CTAs have ended with 1000 instructions each, in 4 cycles an instruction. */
static void test_estimates(void **state)
{
	const struct conf c = machine_of_table();
	const struct preempt_stats k = {.ended = 4, .ended_insts = 4000, .insts = 5000, .cycles = 20000};
	struct preempt_sm s = two_ctas(100, 700);
	preempt_estimate(&c, &k, &s);
	const u64 both = preempt_switch_cycles(&c, 16384), own = preempt_switch_cycles(&c, 8192);
	assert_true(own * 2 >= both && own * 2 <= both + 1);
	assert_int_equal(both, 3879); /* 16384 B / (126.72 / 30 B a cycle), rounded up */
	for (u32 i = 0; i < 2; i++) {
		assert_int_equal(s.cta[i].by[BY_SWITCH].latency, both);
		/* two CTAs of 1/4 instruction a cycle, there and back */
		assert_int_equal(s.cta[i].by[BY_SWITCH].overhead, own);
	}
	assert_int_equal(s.cta[0].by[BY_DRAIN].latency, 900 * 4);
	assert_int_equal(s.cta[1].by[BY_DRAIN].latency, 300 * 4);
	assert_int_equal(s.cta[0].by[BY_DRAIN].overhead, 600);
	assert_int_equal(s.cta[1].by[BY_DRAIN].overhead, 0);
	assert_int_equal(s.cta[0].by[BY_FLUSH].latency, 0);
	assert_int_equal(s.cta[0].by[BY_FLUSH].overhead, 100);
	assert_int_equal(s.cta[1].by[BY_FLUSH].latency, COST_MAX);
	assert_int_equal(s.cta[1].by[BY_FLUSH].overhead, COST_MAX);
	s = two_ctas(100, 1300); /* more than others took: about to end, for all that is known */
	preempt_estimate(&c, &k, &s);
	assert_int_equal(s.cta[1].by[BY_DRAIN].latency, 0);
	const struct preempt_stats none_ended = {.insts = 5000, .cycles = 20000}, nothing = {.cycles = 10};
	preempt_estimate(&c, &none_ended, &s);
	assert_int_equal(s.cta[0].by[BY_DRAIN].latency, COST_MAX);
	assert_int_equal(s.cta[0].by[BY_DRAIN].overhead, COST_MAX);
	assert_int_equal(s.cta[0].by[BY_SWITCH].overhead, own);
	preempt_estimate(&c, &nothing, &s);
	assert_int_equal(s.cta[0].by[BY_SWITCH].latency, both);
	assert_int_equal(s.cta[0].by[BY_SWITCH].overhead, COST_MAX);
}

/* What an SM costs: overheads add up; its switched CTAs move one after the other, the others stand still meanwhile. */
static void test_sm_cost(void **state)
{
	struct conf c = machine_of_table();
	const struct preempt_stats k = {.ended = 4, .ended_insts = 4000, .insts = 5000, .cycles = 20000};
	struct preempt_sm s = two_ctas(100, 700);
	const u64 own = preempt_switch_cycles(&c, 8192);
	preempt_estimate(&c, &k, &s);
	s.cta[0].technique = BY_SWITCH;
	s.cta[1].technique = BY_DRAIN;
	assert_int_equal(preempt_sm_cost(&c, &s, TECHNIQUES).latency, own + 1200);
	c.preempt_halt = PREEMPT_HALT_CTA;
	assert_int_equal(preempt_sm_cost(&c, &s, TECHNIQUES).latency, MAX(own, 1200));
	assert_int_equal(preempt_sm_cost(&c, &s, TECHNIQUES).overhead, own);
	assert_int_equal(preempt_sm_cost(&c, &s, BY_DRAIN).latency, 3600);
	assert_int_equal(preempt_sm_cost(&c, &s, BY_DRAIN).overhead, 600);
	assert_int_equal(preempt_sm_cost(&c, &s, BY_SWITCH).latency, preempt_switch_cycles(&c, 16384));
	assert_int_equal(preempt_sm_cost(&c, &s, BY_FLUSH).overhead, COST_MAX);
	s.cta[0].technique = BY_FLUSH;
	assert_int_equal(preempt_sm_cost(&c, &s, TECHNIQUES).latency, 1200);
	assert_int_equal(preempt_sm_cost(&c, &s, TECHNIQUES).overhead, 100);
}

/* --- algorithm 3 -------------------------------------------------------------------------------------------------- */

#define ALL (1u << BY_SWITCH | 1u << BY_DRAIN | 1u << BY_FLUSH)
#define UNKNOWN                                                                                                        \
	{                                                                                                                  \
		COST_MAX, COST_MAX                                                                                             \
	}

/* Figure 4.3: a young CTA is flushed, one in the middle switched, an old one drained. */
static void test_choose(void **state)
{
	struct preempt_sm s = {.n = 6,
	                       .cta = {{.by = {{1000, 400}, {9000, 950}, {0, 50}}},  /* begun */
	                               {.by = {{1000, 400}, {5000, 500}, {0, 500}}}, /* in the middle */
	                               {.by = {{1000, 400}, {500, 30}, {0, 970}}},   /* about to end */
	                               {.by = {{1000, 400}, {500, 30}, UNKNOWN}},    /* the same, not idempotent */
	                               {.by = {{1000, 400}, {1001, 30}, UNKNOWN}},   /* too long by a cycle */
	                               {.by = {{1000, 400}, {200, 60}, {0, 60}}}}};  /* a tie: the faster */
	static const u8 wide[] = {BY_FLUSH, BY_SWITCH, BY_DRAIN, BY_DRAIN, BY_SWITCH, BY_FLUSH};
	static const u8 tight[] = {BY_FLUSH, BY_FLUSH, BY_FLUSH, BY_SWITCH, BY_SWITCH, BY_FLUSH};
	preempt_choose(&s, 1000, ALL, BY_SWITCH);
	for (u32 i = 0; i < s.n; i++)
		assert_int_equal(s.cta[i].technique, wide[i]);
	preempt_choose(&s, 100, ALL, BY_SWITCH); /* a switch is what is left when nothing keeps the limit */
	for (u32 i = 0; i < s.n; i++)
		assert_int_equal(s.cta[i].technique, tight[i]);
	preempt_choose(&s, NEVER, 1u << BY_DRAIN, BY_SWITCH);
	for (u32 i = 0; i < s.n; i++)
		assert_int_equal(s.cta[i].technique, BY_DRAIN);
	s.cta[0].by[BY_DRAIN] = s.cta[0].by[BY_FLUSH] = (struct preempt_cost)UNKNOWN;
	preempt_choose(&s, NEVER, 1u << BY_DRAIN | 1u << BY_FLUSH, BY_SWITCH); /* unknown keeps no limit */
	assert_int_equal(s.cta[0].technique, BY_SWITCH);
}

static void test_select(void **state)
{
	const struct preempt_sm s[] = {{.sm = 3, .cost = {900, 50}},  {.sm = 4, .cost = {100, 20}},
	                               {.sm = 7, .cost = {2000, 1}},  {.sm = 8, .cost = {10, 50}},
	                               {.sm = 9, .cost = {1500, 90}}, {.sm = 12, .cost = {10, 50}}};
	static const u32 want[] = {1, 3, 5, 0, 4, 2}; /* the least lost first; then, too slow, the fastest first */
	u32 out[6];
	for (u32 n = 1; n <= 6; n++) {
		preempt_select(s, 6, n, 1000, out);
		assert_memory_equal(out, want, n * sizeof *out);
	}
	preempt_select(s, 6, 1, 2000, out);
	assert_int_equal(out[0], 2);
}

/* --- requests ----------------------------------------------------------------------------------------------------- */

/* Halted for just as long as its bytes take; then others have the SM, which executed nothing meanwhile. */
static void test_switch(void **state)
{
	struct field f = begin("k", NULL);
	run_to_the_middle(&f);
	const struct cta c = f.g->sm[2]->cta[0];
	const u32 there = f.g->sm[2]->nctas, id = ask(&f, "switch", 1000, 1 << 2);
	const u64 at = sim_cycle(f.s), insts = f.g->sm[2]->k.issued;
	const u64 cycles = preempt_switch_cycles(&f.g->conf, there * (4ull * c.reg_size + c.shared_size));
	assert_true(there == 4 && cycles > 100);
	run_until_done(&f, id);
	assert_int_equal(f.g->sm[2]->nctas, 0);
	assert_int_equal(preempt_find(f.g->preempt.p, id)->done_at - at, cycles);
	assert_int_equal(plan_of(&f, id)->s.cost.latency, cycles);
	assert_int_equal(plan_of(&f, id)->technique, BY_SWITCH);
	assert_int_equal(f.g->sm[2]->k.issued, insts);
	assert_int_equal(f.g->task->kcb[f.k].k.ctas_switched, 4);
	/* Wherever it comes back, that SM stands still for as long as one context takes. */
	const u64 each = preempt_switch_cycles(&f.g->conf, 4ull * c.reg_size + c.shared_size);
	u32 sm = 4;
	while (sm == 4) {
		sim_run(f.s, sim_cycle(f.s) + 1, NULL);
		for (u32 i = 0; i < 4; i++)
			sm = f.g->sm[i]->k.ctas_restored ? i : sm;
	}
	const u64 back = sim_cycle(f.s) - 1, then = f.g->sm[sm]->k.issued, lost = plan_of(&f, id)->lost;
	const struct preempt_stats st = preempt_stats_of(&f.g->preempt, f.k, sim_cycle(f.s));
	for (u32 slot = 0; slot < 4; slot++)
		if (f.g->sm[sm]->cta[slot].used && !(f.g->sm[sm]->done_slots >> slot & 1))
			assert_true(f.g->sm[sm]->cta[slot].halted_until >= back + each);
	sim_run(f.s, back + each - 1, NULL);
	assert_int_equal(f.g->sm[sm]->k.issued, then);
	assert_true(sm != 2);
	/* What is lost is what was estimated, twice the context's time for all CTAs of an SM, as the others on the SM that
	 * takes a CTA stand still for it, too; one of four has come back so far. */
	const double own = 5.0 * (double)cycles * (double)st.insts / (double)st.cycles; /* 4 saved, each brought back */
	assert_in_range(lost, (u64)(own * 0.9), (u64)(own * 1.3));
	while (f.g->resume.r->n)
		sim_run(f.s, sim_cycle(f.s) + 1, NULL);
	const u64 estimated = plan_of(&f, id)->s.cost.overhead;
	assert_in_range(plan_of(&f, id)->lost, estimated * 9 / 10, estimated * 11 / 10);
	u64 sum = 0;
	for (u32 i = 0; i < 4; i++)
		sum += plan_of(&f, id)->fate[i].lost;
	assert_int_equal(plan_of(&f, id)->lost, sum);
	finish(&f, false);
}

/* CTAs that stay on the SM stand still, too, while the contexts of others are saved: that is a loss of the request,
 * unless only the CTAs that leave are halted. */
static void test_those_that_stay(void **state)
{
	for (u32 halts = 0; halts < 2; halts++) {
		struct err e = {0};
		struct field f = begin("k", halts ? "preempt.halt=sm" : "preempt.halt=cta");
		run_to_the_middle(&f);
		const struct preempt_ask a = {.launch = f.k,
		                              .set = (const u64[CONF_SM_WORDS]){1 << 2},
		                              .keep = 2,
		                              .limit = 1000000,
		                              .by = (const struct preempt_ops *)policy_find(POLICY_PREEMPT, "switch")};
		const u64 at = sim_cycle(f.s);
		const u32 id = preempt_request(&f.g->preempt, &a, at, &e);
		assert_true(id > 0 && plan_of(&f, id)->s.n == 2);
		run_until_done(&f, id);
		const struct preempt_plan *p = plan_of(&f, id);
		const struct preempt_stats st = preempt_stats_of(&f.g->preempt, f.k, sim_cycle(f.s));
		const double each = (double)(p->done_at - at) * (double)st.insts / (double)st.cycles;
		if (halts)
			assert_in_range(p->halted, (u64)(2 * each * 0.9), (u64)(2 * each * 1.1));
		else
			assert_int_equal(p->halted, 0);
		assert_int_equal(p->lost, p->halted + p->fate[0].lost + p->fate[1].lost);
		finish(&f, false);
	}
}

/* preempt.traffic: what the memory system has taken in of a class, in data. */
static u64 data_of(const struct field *f, enum msg_class k)
{
	const struct msg_counters *c = &noc_messages(mem_noc_counters(f->g->mem))[k];
	return c->bytes - 8 * c->sent;
}

/* The contexts go out as writes, line by line, while the SM stands still, and come back as data; the kernel computes in
 * between, and sends nothing. */
static void test_traffic(const char *halt)
{
	struct field f = {.s = machine((const char *[]){"num_sms=4", "sm.ctas=4", "idempotence.track=true",
	                                                "preempt.traffic=true", halt, NULL})};
	f.m = rig_load(f.s, spin);
	f.buf = rig_alloc(f.s, 4ull * THREADS * CTAS);
	f.k = rig_launch(f.s, f.m, "k", CTAS, THREADS, 0, (u64[]){f.buf, LOOPS}, 2);
	f.g = f.s->gpu;
	run_until_ended(&f, 1);
	sim_run(f.s, sim_cycle(f.s) + 300, NULL);
	const struct cta c = f.g->sm[2]->cta[0];
	const u64 each = 4ull * c.reg_size + c.shared_size, wrote = data_of(&f, MSG_WRITE);
	const u64 insts = f.g->sm[2]->k.issued, at = sim_cycle(f.s);
	const u32 there = f.g->sm[2]->nctas, id = ask(&f, "switch", 1000, 1 << 2);
	run_until_done(&f, id);
	assert_true(there == 4 && f.g->sm[2]->nctas == 0 && f.g->sm[2]->k.issued == insts);
	const u64 took = preempt_find(f.g->preempt.p, id)->done_at - at, lines = (there * each + 127) / 128;
	assert_int_equal(data_of(&f, MSG_WRITE) - wrote, there * each);
	assert_true(took >= lines && took < 100 * lines + 1000); /* a line a cycle at most */
	assert_int_equal(f.g->task->kcb[f.k].k.ctas_switched, 4);
	/* Other SMs take them back. */
	const struct traffic *t = f.g->resume.traffic.t;
	const u64 read = data_of(&f, MSG_DATA);
	struct err e = {0};
	while (t->sent_in < there * each && !sim_idle(f.s)) {
		sim_run(f.s, sim_cycle(f.s) + 1, NULL);
		if (!gpu_check_state(f.g, &e))
			fail_msg("%s", e.msg);
	}
	assert_int_equal(t->back, there * each);
	while (t->open)
		sim_run(f.s, sim_cycle(f.s) + 1, NULL);
	assert_true(data_of(&f, MSG_DATA) - read >= there * each);
	assert_int_equal(t->out, there * each);
	finish(&f, false);
}

/* Whose context is on its way stands still. */
static void assert_moved_halted(const struct field *f)
{
	const struct traffic_ctx *x = &f->g->resume.traffic;
	for (u32 sm = 0; sm < f->g->conf.num_sms; sm++)
		for (u32 i = 0; i < x->of[sm].n; i++)
			for (u32 slot = 0; slot < SM_CTA_PLACES; slot++)
				if (cta_in(&x->of[sm].move[(x->of[sm].first + i) % TRAFFIC_MOVES].ctas, slot))
					assert_true(!f->g->sm[sm]->cta[slot].used || f->g->sm[sm]->cta[slot].paused);
}

/* Contexts go out, lie there and come back; and so they do from any cycle in between. */
static void test_traffic_travel(void **state)
{
	struct err e = {0};
	struct field f = begin("k", "preempt.traffic=true");
	const struct traffic *t = f.g->resume.traffic.t;
	u64 at[400], hash[400];
	u32 n = 0, moving = 0;
	run_to_the_middle(&f);
	ask(&f, "switch", 1000, 1 << 2);
	assert_true(sim_history(f.s, 64, &e));
	for (; n < ARRAY_LEN(at) && (!t->back || t->open) && !sim_idle(f.s); n++) {
		sim_run(f.s, sim_cycle(f.s) + 23, NULL);
		at[n] = sim_cycle(f.s);
		hash[n] = sim_hash(f.s);
		moving += t->open > 0;
		assert_moved_halted(&f);
	}
	assert_true(t->back > 0 && !t->open && moving > 4);
	for (u32 i = n; i-- > 0;)
		if (!sim_goto(f.s, at[i], &e) || sim_hash(f.s) != hash[i])
			fail_msg("cycle %llu: another state, or %s", (unsigned long long)at[i], e.msg);
	assert_true(sim_goto(f.s, at[0], &e) && sim_goto(f.s, at[n - 1], &e));
	assert_true(sim_hash(f.s) == hash[n - 1]);
	finish(&f, false);
}

static void test_traffic_sm(void **state)
{
	test_traffic("preempt.halt=sm");
}

static void test_traffic_cta(void **state)
{
	test_traffic("preempt.halt=cta");
}

/* CTAs run to their end, and no others come. */
static void test_drain(void **state)
{
	struct field f = begin("k", NULL);
	run_to_the_middle(&f);
	const u64 started = f.g->sm[1]->k.ctas_started;
	const u32 there = f.g->sm[1]->nctas, id = ask(&f, "drain", 0, 1 << 1);
	run_until_done(&f, id);
	assert_true(there > 0 && f.g->sm[1]->k.ctas_started == started && f.g->sm[1]->k.ctas_done == started);
	assert_int_equal(f.g->task->kcb[f.k].k.ctas_drained, there);
	assert_int_equal(f.g->task->kcb[f.k].k.ctas_switched + f.g->task->kcb[f.k].k.ctas_flushed, 0);
	finish(&f, false);
}

/* At once; what they had executed is lost, and executed again. */
static void test_flush(void **state)
{
	struct field f = begin("k", NULL);
	run_to_the_middle(&f);
	u64 insts = 0;
	for (u32 slot = 0; slot < 4; slot++)
		insts += f.g->sm[0]->cta[slot].insts;
	const u64 at = sim_cycle(f.s);
	const u32 there = f.g->sm[0]->nctas, id = ask(&f, "flush", 0, 1);
	run_until_done(&f, id);
	assert_int_equal(preempt_find(f.g->preempt.p, id)->done_at, at);
	assert_int_equal(plan_of(&f, id)->lost, insts);
	assert_int_equal(f.g->sm[0]->nctas, 0);
	assert_int_equal(f.g->task->kcb[f.k].k.ctas_flushed, there);
	struct sim *s = f.s;
	rig_run(s, NEVER);
	assert_int_equal(f.g->task->kcb[f.k].k.insts_dropped, insts);
	finish(&f, false);
}

/* A kernel that overwrites what it has read: those of its CTAs that have done so run to their end. */
static void test_not_idempotent(void **state)
{
	struct field f = begin("inc", NULL);
	run_to_the_middle(&f);
	u32 id = ask(&f, "flush", 0, 1);
	for (u32 i = 0; i < plan_of(&f, id)->s.n; i++)
		assert_int_equal(plan_of(&f, id)->s.cta[i].technique,
		                 restart_possible(f.g->restart, 0, plan_of(&f, id)->s.cta[i].place) ? BY_FLUSH : BY_DRAIN);
	run_until_done(&f, id);
	finish(&f, true);
}

/* Under the strict condition none of its CTAs may be flushed, not even before it has overwritten anything. The kernel
 * keeps the SM, gets new CTAs there, and the request is late at its deadline. Another technique may take the SM
 * meanwhile, and the kernel's end frees it. */
static void test_strict(void **state)
{
	struct field f = begin("inc", "preempt.idempotence=strict");
	sim_run(f.s, 200, NULL);
	while (!f.g->sm[0]->cta[0].used)
		sim_run(f.s, sim_cycle(f.s) + 1, NULL);
	assert_true(restart_possible(f.g->restart, 0, 0) && !restart_noticed(&f.g->ctx[0], f.g->sm[0], 0));
	const u64 at = sim_cycle(f.s), limit = 9000;
	const u32 id = ask(&f, "flush", (double)limit / f.g->conf.core_clock, 1);
	const struct preempt_request *r = preempt_find(f.g->preempt.p, id);
	assert_int_equal(r->held, 1);
	assert_int_equal(f.g->preempt.p->smst[0], 0);
	const u64 started = f.g->sm[0]->k.ctas_started;
	run_until_done(&f, id);
	assert_int_equal(r->done_at, at + limit);
	assert_int_equal(r->left, 1);
	assert_int_equal(f.g->task->kcb[f.k].k.deadlines_missed, 1);
	assert_int_equal(f.g->task->kcb[f.k].k.ctas_drained, 0);
	assert_true(f.g->sm[0]->k.ctas_started > started && !gpu_kept_away(f.g, 0, f.k)); /* it has gone on there */
	const u32 held = ask(&f, "flush", 1e6, 2);
	run_until_done(&f, ask(&f, "drain", 1e6, 1));
	assert_int_equal(f.g->task->kcb[f.k].k.deadlines_met, 1);
	assert_int_equal(preempt_find(f.g->preempt.p, held)->held, 1);
	sim_run(f.s, NEVER, NULL);
	assert_int_equal(f.g->task->kcb[f.k].k.deadlines_met, 2); /* the kernel has ended in time */
	assert_true(preempt_find(f.g->preempt.p, held)->done_at > 0);
	finish(&f, true);
}

/* A compiler that overlooks the store: the record knows better, and the program stops there. */
static void test_wrong_verdict(void **state)
{
	struct field f = begin("inc", NULL);
	struct strbuf text = STRBUF_INIT;
	struct stop st;
	u8 *notice = (u8 *)(uintptr_t)f.g->prog[f.k].notice;
	memset(notice, 0, f.m->ncode);
	while (!f.g->sm[0]->cta[0].used || restart_possible(f.g->restart, 0, 0))
		sim_run(f.s, sim_cycle(f.s) + 1, NULL);
	ask(&f, "flush", 0, 1);
	const u64 at = sim_cycle(f.s);
	sim_run(f.s, NEVER, &st);
	assert_int_equal(st.why, STOP_FAULT);
	assert_int_equal(st.cycle, at + 1);
	sim_fault_text(f.s, &text);
	if (!strstr(strbuf_str(&text), "cannot begin again: it has overwritten what it had read") ||
	    !strstr(strbuf_str(&text), "st.global.u32") || !strstr(strbuf_str(&text), "CTA (0,0,0) on SM 0"))
		fail_msg("%s", strbuf_str(&text));
	strbuf_release(&text);
	sim_destroy(f.s);
}

/* Nobody flushes: the law finds the CTAs that overwrote without notice. With the strict condition the verdict is one of
 * the whole kernel, and the record stops the flush. */
static void test_unnoticed(void **state)
{
	struct err e = {0};
	struct field f = begin("inc", NULL);
	memset((u8 *)(uintptr_t)f.g->prog[f.k].notice, 0, f.m->ncode);
	rig_run(f.s, NEVER);
	assert_false(sim_check(f.s, &e));
	if (!strstr(e.msg, "launch 0: 40 of 40 CTAs cannot begin again and gave no notice"))
		fail_msg("%s", e.msg);
	sim_destroy(f.s);
	f = begin("inc", "preempt.idempotence=strict");
	struct stop st;
	f.g->prog[f.k].idempotent = true;
	while (!f.g->sm[0]->cta[0].used || restart_possible(f.g->restart, 0, 0))
		sim_run(f.s, sim_cycle(f.s) + 1, NULL);
	ask(&f, "flush", 0, 1);
	sim_run(f.s, NEVER, &st);
	assert_int_equal(st.why, STOP_FAULT);
	sim_destroy(f.s);
}

/* Two pointers of one launch that name the same memory: the driver sees it, and the compiler looks again. */
static void test_alias(void **state)
{
	static const char copy[] = PTX_HEAD
	    ".visible .entry copy(.param .u64 p0, .param .u64 p1)\n{\n.reg .b32 %r<8>; .reg .b64 %a<8>;\n"
	    "ld.param.u64 %a1, [p0]; ld.param.u64 %a2, [p1]; ld.global.u32 %r1, [%a1]; st.global.u32 [%a2], %r1; ret;\n}\n";
	struct sim *s = machine((const char *[]){"num_sms=2", "idempotence.track=true", NULL});
	struct module *m = rig_load(s, copy);
	const u64 a = rig_alloc(s, 256), b = rig_alloc(s, 256);
	const u32 apart = rig_launch(s, m, "copy", 1, 32, 0, (u64[]){a, b}, 2);
	const u32 same = rig_launch(s, m, "copy", 1, 32, 0, (u64[]){a, a + 4}, 2);
	assert_true(s->gpu->prog[apart].idempotent);
	assert_false(s->gpu->prog[same].idempotent);
	rig_finish(s);
	sim_destroy(s);
}

/* The SM stays free until somebody gives it back; saved CTAs do not come there either. */
static void test_release(void **state)
{
	struct err e = {0};
	struct field f = begin("k", NULL);
	run_to_the_middle(&f);
	const u32 id = ask(&f, "flush", 0, 3 << 1);
	run_until_done(&f, id);
	const u64 here = f.g->sm[1]->k.ctas_started + f.g->sm[2]->k.ctas_started;
	sim_run(f.s, sim_cycle(f.s) + 3000, NULL);
	assert_int_equal(f.g->sm[1]->k.ctas_started + f.g->sm[2]->k.ctas_started, here);
	assert_int_equal(f.g->sm[1]->nctas + f.g->sm[2]->nctas + f.g->sm[1]->k.ctas_restored, 0);
	assert_false(gpu_release_sms(f.g, (u64[CONF_SM_WORDS]){1}, &e));
	assert_non_null(strstr(e.msg, "SM 0 has been taken from nobody"));
	assert_true(gpu_release_sms(f.g, (u64[CONF_SM_WORDS]){2}, &(struct err){0}));
	sim_run(f.s, sim_cycle(f.s) + 50, NULL);
	assert_true(f.g->sm[1]->nctas > 0 && f.g->sm[2]->nctas == 0);
	assert_true(gpu_release_sms(f.g, NULL, &(struct err){0}));
	sim_run(f.s, sim_cycle(f.s) + 50, NULL);
	finish(&f, false);
}

/* A kernel of another stream takes the SMs; when it has ended, the first one has them back. */
static void test_taken(void **state)
{
	struct field f = begin("k", NULL);
	run_to_the_middle(&f);
	const u64 other = rig_alloc(f.s, 4 * THREADS * 8);
	const u32 second = rig_launch(f.s, f.m, "k", 8, THREADS, 1, (u64[]){other, 50}, 2);
	const u32 id = ask(&f, "switch", 20, 3 << 1);
	run_until_done(&f, id);
	u32 taken = 0;
	while (f.g->task->kcb[second].state != KCB_DONE) {
		taken += sm_resident(f.g->sm[1], second);
		assert_int_equal(sm_resident(f.g->sm[1], f.k) + sm_resident(f.g->sm[2], f.k), 0);
		sim_run(f.s, sim_cycle(f.s) + 1, NULL);
	}
	assert_int_equal(f.g->dispatch.d->away[1] | f.g->dispatch.d->away[2], 0);
	assert_true(taken > 0);
	sim_run(f.s, sim_cycle(f.s) + 20, NULL);
	assert_true(sm_resident(f.g->sm[1], f.k) > 0);
	finish(&f, false);
}

static void test_refusals(void **state)
{
	static const u64 no_sm[CONF_SM_WORDS] = {1 << 4}, nobody[CONF_SM_WORDS] = {0};
	static const struct {
		struct sm_order o;
		const char *says;
	} wrong[] = {
	    {{.launch = 9, .sms = 1, .by = "drain"}, "there is no launch 9"},
	    {{.launch = 1, .sms = 1, .by = "drain"}, "launch 1 is not running"},
	    {{.sms = 1, .by = "chimaera"}, "there is no technique 'chimaera'"},
	    {{.sms = 1}, "no technique is chosen"},
	    {{.sms = 1, .by = "none"}, "no technique is chosen"},
	    {{.by = "drain"}, "0 SMs are asked for"},
	    {{.sms = 5, .by = "drain"}, "launch 0 has CTAs on 4 SMs that it could give"},
	    {{.sms = 1, .by = "drain", .within_us = -1}, "-1 us is no time"},
	    {{.set = no_sm, .by = "drain"}, "there is no SM 4: the machine has 4"},
	    {{.set = nobody, .by = "drain"}, "no SM is named"},
	};
	struct field f = begin("k", NULL);
	rig_launch(f.s, f.m, "k", CTAS, THREADS, 0, (u64[]){f.buf, LOOPS}, 2);
	run_to_the_middle(&f);
	const u64 hash = sim_hash(f.s);
	for (u32 i = 0; i < ARRAY_LEN(wrong); i++) {
		struct err e = {0};
		if (gpu_preempt(f.g, &wrong[i].o, &e) || !strstr(e.msg, wrong[i].says))
			fail_msg("%u: '%s' instead of '%s'", i, e.msg, wrong[i].says);
	}
	assert_true(sim_hash(f.s) == hash);
	ask(&f, "drain", 1, 1);
	struct err e = {0};
	assert_int_equal(gpu_preempt(f.g, &(struct sm_order){.set = (const u64[CONF_SM_WORDS]){1}, .by = "drain"}, &e), 0);
	assert_non_null(strstr(e.msg, "SM 0 is being preempted already (request 1)"));
	e = (struct err){0};
	assert_false(gpu_release_sms(f.g, (u64[CONF_SM_WORDS]){1}, &e));
	assert_non_null(strstr(e.msg, "can be given back when it is free"));
	finish(&f, false);
	f.s = machine((const char *[]){"num_sms=4", NULL});
	f.m = rig_load(f.s, spin);
	f.g = f.s->gpu;
	rig_launch(f.s, f.m, "k", 4, 32, 0, (u64[]){rig_alloc(f.s, 4096), 1000}, 2);
	while (!f.g->sm[0]->nctas)
		sim_run(f.s, sim_cycle(f.s) + 1, NULL);
	e = (struct err){0};
	assert_int_equal(gpu_preempt(f.g, &(struct sm_order){.sms = 1, .by = "chimera"}, &e), 0);
	assert_non_null(strstr(e.msg, "chimera needs the record of which CTAs may begin again"));
	sim_destroy(f.s);
}

/* --- events ------------------------------------------------------------------------------------------------------- */

struct heard {
	u32 n[EV_COUNT];
	struct event last[EV_COUNT];
};
static bool hear(void *ctx, const struct event *e)
{
	struct heard *h = ctx;
	h->n[e->type]++;
	h->last[e->type] = *e;
	return false;
}

static void test_events(void **state)
{
	struct field f = begin("k", NULL);
	struct heard h = {0};
	run_to_the_middle(&f);
	sim_subscribe(f.s, EVENTS_ALL & ~EVENT(EV_ISSUE), hear, &h);
	const u64 at = sim_cycle(f.s);
	run_until_done(&f, ask(&f, "drain", 0.5, 0));
	sim_run(f.s, sim_cycle(f.s) + 1, NULL);
	assert_int_equal(h.n[EV_PREEMPT_REQUEST], 1);
	assert_int_equal(h.last[EV_PREEMPT_REQUEST].arg[2], 1);
	assert_int_equal(h.n[EV_PREEMPT_PLAN], 4 * 4);
	assert_int_equal(h.n[EV_PREEMPT_START], 1);
	assert_int_equal(h.n[EV_PREEMPT_CTA], plan_of(&f, 1)->s.n);
	assert_int_equal(h.n[EV_PREEMPT_DONE], 1);
	assert_int_equal(h.n[EV_DEADLINE_MISS], 1);
	assert_int_equal(h.n[EV_DEADLINE_MET], 0);
	assert_int_equal(h.last[EV_DEADLINE_MISS].cycle, at + (u64)(0.5 * f.g->conf.core_clock));
	assert_int_equal(h.last[EV_DEADLINE_MISS].arg[1], 1);
	const u64 took = preempt_find(f.g->preempt.p, 1)->done_at - at;
	assert_int_equal(h.last[EV_PREEMPT_DONE].arg[1], (u64)ceil((double)took / f.g->conf.core_clock));
	run_until_done(&f, ask(&f, "flush", 0, 0));
	sim_run(f.s, sim_cycle(f.s) + 1, NULL);
	assert_int_equal(h.n[EV_DEADLINE_MET], 1);
	assert_int_equal(h.last[EV_DEADLINE_MET].arg[1], 0);
	assert_int_equal(h.last[EV_PREEMPT_DONE].arg[3], BY_FLUSH);
	finish(&f, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_switch_times),    cmocka_unit_test(test_estimates), cmocka_unit_test(test_sm_cost),
	    cmocka_unit_test(test_choose),          cmocka_unit_test(test_select),    cmocka_unit_test(test_switch),
	    cmocka_unit_test(test_those_that_stay), cmocka_unit_test(test_drain),     cmocka_unit_test(test_flush),
	    cmocka_unit_test(test_not_idempotent),  cmocka_unit_test(test_strict),    cmocka_unit_test(test_wrong_verdict),
	    cmocka_unit_test(test_alias),           cmocka_unit_test(test_release),   cmocka_unit_test(test_traffic_sm),
	    cmocka_unit_test(test_traffic_cta),     cmocka_unit_test(test_unnoticed), cmocka_unit_test(test_traffic_travel),
	    cmocka_unit_test(test_taken),           cmocka_unit_test(test_refusals),  cmocka_unit_test(test_events),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
