/* The numbers of preemption, counted again by other means: from events and from what a CTA's state is each cycle. Three
 * kernels at a time; a machine whose SMs have all been taken; where contexts lie in memory. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "gpu/query_preempt.h"
#include "gpu/verbs.h"
#include "tests/rig/preempt_rig.h"

/* --- sums --------------------------------------------------------------------------------------------------------- */

/* By CTA: when it began, how long it was off its SM, in how many cycles it stood still because a context was moved. */
struct life {
	u64 began, off, moving, left, insts, ended;
	u32 saved[LEAVES_BY], cause, restored; /* cause: the last one */
	bool runs;
};
struct ledger {
	struct gpu *g;
	struct life of[CTAS];
	u64 cycles, ended; /* of those that have ended */
};

static bool enter(void *ctx, const struct event *e)
{
	struct ledger *l = ctx;
	struct life *c = &l->of[e->cta];
	const u64 context = 4ull * sm_cta_regs(&l->g->conf, l->g->launch[0]) + sm_cta_shared(&l->g->conf, l->g->launch[0]);
	switch (e->type) {
	case EV_CTA_DISPATCH:
		c->began = e->cycle;
		c->runs = true;
		break;
	case EV_CTA_SAVE:
		assert_int_equal(e->arg[3] != 0, e->arg[2] != LEAVES_BY_COMMAND);
		assert_int_equal(e->arg[4], e->arg[2] == LEAVES_BY_FLUSH ? 0 : context);
		c->saved[e->arg[2]]++;
		c->cause = (u32)e->arg[2];
		c->left = e->cycle;
		c->insts = (u64)e->sm;
		break;
	case EV_CTA_RESTORE:
		assert_int_equal(e->arg[2], c->insts);
		assert_int_equal(e->arg[3], e->cycle - c->left);
		assert_int_equal(e->arg[4], c->cause == LEAVES_BY_FLUSH ? 0 : context);
		c->off += e->cycle - c->left;
		c->left = 0;
		c->restored++;
		break;
	default:
		c->ended = e->cycle;
		c->runs = false;
		l->ended++;
		l->cycles += e->cycle - c->began - c->off - c->moving;
		break;
	}
	return false;
}

/* What CTAs that have not ended could execute in, so far. */
static u64 open_cycles(const struct ledger *l, u64 now)
{
	u64 sum = 0;
	for (u32 i = 0; i < CTAS; i++) {
		const struct life *c = &l->of[i];
		if (c->runs && !c->left)
			sum += now - c->began - c->off - c->moving;
	}
	return sum;
}

static void watch_moving(struct ledger *l)
{
	for (u32 sm = 0; sm < l->g->conf.num_sms; sm++)
		for (u32 slot = 0; slot < l->g->conf.sm_ctas; slot++)
			if (sm_cta_state(&l->g->ctx[sm], l->g->sm[sm], slot) == CS_MOVING)
				l->of[l->g->sm[sm]->cta[slot].id].moving++;
}

static void sums_with(const char *by, const char *halt)
{
	struct field f = begin("k", halt);
	struct ledger l = {.g = f.g};
	u32 compared = 0;
	u64 first = 0;
	sim_subscribe(f.s, EVENT(EV_CTA_DISPATCH) | EVENT(EV_CTA_SAVE) | EVENT(EV_CTA_RESTORE) | EVENT(EV_CTA_DONE), enter,
	              &l);
	for (bool asked = false; !sim_idle(f.s);) {
		sim_run(f.s, sim_cycle(f.s) + 1, NULL);
		watch_moving(&l);
		first = !first && l.ended ? sim_cycle(f.s) : first;
		if (!asked && first && sim_cycle(f.s) > first * 3 / 2) { /* in the middle of the second CTAs */
			ask(&f, by, 1000, 5);                                /* SMs 0 and 2 */
			asked = true;
		}
		const struct kernel_counters *k = &f.g->task->kcb[f.k].k;
		assert_int_equal(k->cta_cycles, l.cycles);
		assert_int_equal(k->ctas_done, l.ended);
		if (sim_cycle(f.s) % 7 || f.g->task->kcb[f.k].state == KCB_DONE)
			continue;
		/* The cycle in which a context begins to be moved is counted from then on. */
		const struct preempt_stats s = preempt_stats_of(&f.g->preempt, f.k, sim_cycle(f.s));
		const u64 mine = l.cycles + open_cycles(&l, sim_cycle(f.s));
		if (s.cycles != mine)
			fail_msg("%s, cycle %llu: %llu cycles, by hand %llu", by, (unsigned long long)sim_cycle(f.s),
			         (unsigned long long)s.cycles, (unsigned long long)mine);
		u64 insts = k->warp_insts;
		for (u32 sm = 0; sm < 4; sm++)
			for (u32 slot = 0; slot < 4; slot++)
				insts += f.g->sm[sm]->cta[slot].used ? f.g->sm[sm]->cta[slot].insts : 0;
		assert_int_equal(s.insts, insts);
		assert_int_equal(s.ended, l.ended);
		assert_int_equal(s.ended_insts, k->warp_insts - k->insts_dropped);
		compared++;
	}
	u64 saved[LEAVES_BY] = {0}, came = 0;
	for (u32 i = 0; i < CTAS; i++) {
		for (u32 w = 0; w < LEAVES_BY; w++)
			saved[w] += l.of[i].saved[w];
		came += l.of[i].restored;
	}
	struct request_info r;
	const struct kernel_counters *k = &f.g->task->kcb[f.k].k;
	assert_true(gpu_request(f.g, 1, &r) && r.ctas == 8 && r.sms == 2 && !r.keep && !r.partition && r.whom < 0);
	struct request_sm sm[2];
	assert_int_equal(gpu_request_sms(f.g, 1, sm, 2), 2);
	assert_int_equal(MAX(sm[0].done_at, sm[1].done_at), r.done_at);
	assert_int_equal(sm[0].lost + sm[1].lost, r.lost);
	assert_int_equal(k->ctas_switched, saved[LEAVES_BY_SWITCH]);
	assert_int_equal(k->ctas_flushed, saved[LEAVES_BY_FLUSH]);
	assert_int_equal(k->ctas_drained, r.ctas - saved[LEAVES_BY_SWITCH] - saved[LEAVES_BY_FLUSH]);
	assert_int_equal(came, saved[LEAVES_BY_SWITCH] + saved[LEAVES_BY_FLUSH]);
	assert_int_equal(k->ctas_switched, !strcmp(by, "switch") ? 8 : 0);
	assert_int_equal(k->ctas_flushed, !strcmp(by, "flush") ? 8 : 0); /* chimera finds that draining costs nothing */
	assert_true(compared > 100);
	finish(&f, false);
}

static void test_sums(void **state)
{
	static const char *const technique[] = {"switch", "drain", "flush", "chimera"};
	for (u32 i = 0; i < ARRAY_LEN(technique); i++) {
		sums_with(technique[i], "preempt.halt=cta");
		sums_with(technique[i], "preempt.halt=sm");
	}
}

/* --- all SMs are taken -------------------------------------------------------------------------------------------- */

/* Nothing can go on until they are given back; then everything does. */
static void test_standstill(void **state)
{
	struct field f = begin("k", NULL);
	struct rig_log log = {0};
	struct stop st;
	run_to_the_middle(&f);
	sim_subscribe(f.s, EVENT(EV_CTA_SAVE) | EVENT(EV_CTA_RESTORE), rig_record, &log);
	run_until_done(&f, ask(&f, "switch", 1000, 0xf));
	const u64 ended = f.g->task->kcb[f.k].k.ctas_done;
	sim_run(f.s, sim_cycle(f.s) + 2000000, &st);
	assert_true(st.why == STOP_DEADLOCK && gpu_stands_still(f.g));
	assert_int_equal(f.g->task->kcb[f.k].k.ctas_done, ended);
	assert_int_equal(f.g->resume.r->queued, 16);
	for (u32 i = 0; i < 4; i++)
		assert_true(!f.g->sm[i]->nctas && gpu_kept_away(f.g, i, f.k));
	assert_true(gpu_release_sms(f.g, NULL, &(struct err){0}));
	assert_false(gpu_stands_still(f.g));
	sim_run(f.s, sim_cycle(f.s) + 5, NULL);
	for (u32 i = 0; i < 4; i++)
		assert_true(f.g->sm[i]->nctas && !gpu_kept_away(f.g, i, f.k));
	/* Who has waited longest comes back first. */
	for (u32 i = 0; i < rig_count(&log, EV_CTA_RESTORE); i++)
		assert_int_equal(rig_event(&log, EV_CTA_RESTORE, i)->cta, rig_event(&log, EV_CTA_SAVE, i)->cta);
	assert_true(rig_count(&log, EV_CTA_RESTORE) > 4);
	free(log.e);
	finish(&f, false);
}

/* --- where contexts lie ------------------------------------------------------------------------------------------- */

/* Behind each other in the SM's part of memory; each is read from where it was written: L2 has all of it. */
static void test_addresses(void **state)
{
	struct field f = begin("k", "preempt.traffic=true");
	run_to_the_middle(&f);
	const u64 each = 4ull * sm_cta_regs(&f.g->conf, f.g->launch[0]) + sm_cta_shared(&f.g->conf, f.g->launch[0]);
	u64 from[4], reads = 0, first = NEVER;
	u32 n = 0;
	const u32 id = ask(&f, "switch", 1000, 1 << 2);
	while (!preempt_find(f.g->preempt.p, id)->done_at) {
		sim_run(f.s, sim_cycle(f.s) + 1, NULL);
		for (u32 i = 0; i < f.g->resume.max && !reads; i++)
			if (f.g->resume.context[i].bytes && n < 4 && f.g->resume.cta[i].launch == f.k) {
				bool known = false;
				for (u32 k = 0; k < n; k++)
					known |= from[k] == f.g->resume.context[i].addr;
				if (known)
					continue;
				assert_int_equal(f.g->resume.context[i].bytes, each);
				from[n++] = f.g->resume.context[i].addr;
			}
	}
	assert_int_equal(n, 4);
	u64 seen = 0;
	for (u32 i = 0; i < 4; i++)
		first = MIN(first, from[i]);
	for (u32 i = 0; i < 4; i++) {
		const u64 at = from[i] - first;
		assert_true(at % each == 0 && at / each < 4);
		seen |= BIT(at / each);
	}
	assert_int_equal(seen, 0xf);
	reads = rig_counter(f.s, CG_dram, "reads");
	const struct traffic *t = f.g->resume.traffic.t;
	while (!(t->back == 4 * each && !t->open) && !sim_idle(f.s))
		sim_run(f.s, sim_cycle(f.s) + 1, NULL);
	assert_int_equal(t->back, 4 * each);
	assert_int_equal(rig_counter(f.s, CG_dram, "reads"), reads);
	finish(&f, false);
}

/* --- three kernels ------------------------------------------------------------------------------------------------ */

static struct sim *three(const char *const *sets, struct module **m, u32 *k, const u32 *ctas)
{
	struct sim *s = machine(sets);
	*m = rig_load(s, spin);
	for (u32 i = 0; i < 3; i++, sim_run(s, sim_cycle(s) + 900, NULL)) /* others are there when one comes */
		k[i] = rig_launch(s, *m, "k", ctas[i], THREADS, i, (u64[]){rig_alloc(s, 4ull * THREADS * ctas[i]), 600}, 2);
	return s;
}

/* Seven SMs, three kernels that could fill them: two each, and the one to spare is the first one's. No SM has two. */
static void test_spare_sm(void **state)
{
	struct module *m;
	u32 k[3], sms[3] = {0};
	struct sim *s = three((const char *[]){"num_sms=7", "sm.ctas=4", "partition=spatial", "preempt=switch", NULL}, &m,
	                      k, (u32[]){60, 60, 60});
	struct gpu *g = sim_gpu(s);
	while (g->task->kcb[k[2]].state != KCB_RUNNING || g->dispatch.d->n < 3)
		sim_run(s, sim_cycle(s) + 1, NULL);
	u64 settled = 0;
	for (u32 i = 0; i < 20000 && !settled; i++) {
		sim_run(s, sim_cycle(s) + 1, NULL);
		settled = 1;
		for (u32 sm = 0; sm < 7; sm++) {
			u32 kernels = 0;
			for (u32 r = 0; r < 3; r++)
				kernels += sm_resident(g->sm[sm], k[r]) > 0;
			settled &= kernels == 1 && g->sm[sm]->nctas == 4;
		}
	}
	assert_true(settled);
	for (u32 sm = 0; sm < 7; sm++)
		for (u32 r = 0; r < 3; r++)
			sms[r] += sm_resident(g->sm[sm], k[r]) > 0;
	assert_true(sms[0] == 3 && sms[1] == 2 && sms[2] == 2);
	/* The requests say whom the SMs were for. */
	struct request_info q;
	for (u32 id = 1; id <= gpu_requests(g); id++) {
		assert_true(gpu_request(g, id, &q));
		assert_true(q.partition && q.whom > 0 && q.whom != (s32)q.launch && !q.keep);
	}
	assert_true(gpu_requests(g) >= 2);
	rig_finish(s);
	sim_destroy(s);
}

/* --- a kernel that must not be flushed ---------------------------------------------------------------------------- */

/* `inc` runs, and k comes: spatial wants half of its SMs by a flush. When k's first CTA starts, how many of inc's had
 * been dispatched; *late: requests that were late by then. */
static u64 dispatched_when_the_other_comes(const char *partition, const char *how, const char *preempt, u64 *late)
{
	struct sim *s = machine((const char *[]){"num_sms=4", "sm.ctas=4", "idempotence.track=true", "preempt.within=2",
	                                         partition, how, preempt, NULL});
	struct module *m = rig_load(s, spin);
	const u32 first = rig_launch(s, m, "inc", 80, THREADS, 0, (u64[]){rig_alloc(s, 4 * THREADS * 80), LOOPS}, 2);
	sim_run(s, 900, NULL);
	const u32 other = rig_launch(s, m, "k", 16, THREADS, 1, (u64[]){rig_alloc(s, 4 * THREADS * 16), LOOPS}, 2);
	struct gpu *g = sim_gpu(s);
	u32 there = 0;
	while (!there) {
		struct err e = {0};
		sim_run(s, sim_cycle(s) + 1, NULL);
		for (u32 i = 0; i < 4; i++)
			there += sm_resident(g->sm[i], other);
		if (!gpu_check_state(g, &e))
			fail_msg("%s", e.msg);
	}
	const s32 slot = dispatch_slot(g->dispatch.d, first);
	const u64 n = slot >= 0 ? g->dispatch.d->k[slot].dispatched : 80;
	*late = g->task->kcb[first].k.deadlines_missed;
	rig_finish(s);
	sim_destroy(s);
	return n;
}

/* Under the strict condition the kernel keeps its SMs, to its last CTA, and the request is late; under the relaxed one,
 * and under other techniques, the SMs change hands. */
static void test_must_not_be_flushed(void **state)
{
	static const char strict[] = "preempt.idempotence=strict", relaxed[] = "preempt.idempotence=relaxed";
	u64 late;
	assert_int_equal(dispatched_when_the_other_comes("partition=spatial", strict, "preempt=flush", &late), 80);
	assert_int_equal(late, 1);
	assert_int_equal(dispatched_when_the_other_comes("partition=smk", strict, "preempt=flush", &late), 80);
	assert_int_equal(late, 1);
	assert_true(dispatched_when_the_other_comes("partition=spatial", relaxed, "preempt=flush", &late) < 40);
	assert_true(dispatched_when_the_other_comes("partition=spatial", strict, "preempt=drain", &late) < 40);
	assert_true(dispatched_when_the_other_comes("partition=spatial", strict, "preempt=chimera", &late) < 40);
}

/* Two-way allocation has two ends. A kernel that comes to an SM goes to the top if others are at the bottom alone; the
 * third finds both ends taken, and begins at the bottom again. It goes on where it began. */
static void test_third_of_two_ways(void **state)
{
	struct module *m;
	u32 k[3], firsts[2][2] = {{0}}; /* by what is at the bottom and at the top */
	struct sim *s = three(
	    (const char *[]){"num_sms=1", "sm.ctas=6", "partition=smk", "preempt=none", "sm.allocation=two-way", NULL}, &m,
	    k, (u32[]){9, 9, 9});
	struct gpu *g = sim_gpu(s);
	for (struct err e = {0}; !sim_idle(s);) {
		sim_run(s, sim_cycle(s) + 1, NULL);
		if (!gpu_check_state(g, &e))
			fail_msg("%s", e.msg);
		for (u32 i = 0; i < 6; i++) {
			const struct cta *c = &g->sm[0]->cta[i];
			bool bottom = false, top = false, alone = true;
			for (u32 o = 0; c->used && o < 6; o++) {
				const struct cta *b = &g->sm[0]->cta[o];
				if (!b->used || o == i)
					continue;
				assert_true(b->reg_first + b->reg_size <= c->reg_first || c->reg_first + c->reg_size <= b->reg_first);
				assert_true(b->launch != c->launch || b->from_top == c->from_top);
				bottom |= !b->from_top;
				top |= b->from_top;
				alone &= b->launch != c->launch;
			}
			if (c->used && alone && c->started_at + 1 == sim_cycle(s)) {
				assert_int_equal(c->from_top, bottom && !top);
				firsts[bottom][top]++;
			}
		}
	}
	assert_true(firsts[1][0] && firsts[1][1]);
	rig_finish(s);
	sim_destroy(s);
}

/* dyncta beside another kernel: whom it lowers are CTAs of its own, and no kernel has more on an SM than its limit says
 * unlowered. slicer: the last kernel that is left has all SMs. */
static void test_beside_another(void **state)
{
	struct module *m;
	u32 k[3];
	struct sim *s = three((const char *[]){"num_sms=2", "sm.ctas=6", "partition=mcke", "cta-sched=dyncta", NULL}, &m, k,
	                      (u32[]){30, 30, 30});
	struct gpu *g = sim_gpu(s);
	while (!sim_idle(s)) {
		sim_run(s, sim_cycle(s) + 1, NULL);
		for (u32 r = 0; r < 3; r++)
			for (u32 sm = 0; sm < 2 && dispatch_slot(g->dispatch.d, k[r]) >= 0; sm++) {
				const u32 limit = gpu_cta_limit(g, k[r], sm);
				u32 there = 0, low = 0;
				for (u32 i = 0; i < 6; i++) {
					const struct cta *c = &g->sm[sm]->cta[i];
					if (!c->used || c->launch != k[r] || g->sm[sm]->done_slots >> i & 1)
						continue;
					there++;
					low += sm_cta_state(&g->ctx[sm], g->sm[sm], i) == CS_LOW;
				}
				assert_true(!low || (limit && there - low <= limit));
			}
	}
	rig_finish(s);
	sim_destroy(s);
	s = three((const char *[]){"num_sms=4", "sm.ctas=4", "partition=warped-slicer", "preempt=drain",
	                           "slicer.warmup=100", "slicer.profile=200", NULL},
	          &m, k, (u32[]){20, 20, 200});
	g = sim_gpu(s);
	while (g->task->kcb[k[0]].state != KCB_DONE || g->task->kcb[k[1]].state != KCB_DONE)
		sim_run(s, sim_cycle(s) + 1, NULL);
	sim_run(s, sim_cycle(s) + 60, NULL);
	for (u32 sm = 0; sm < 4; sm++)
		assert_int_equal(sm_resident(g->sm[sm], k[2]), 4);
	rig_finish(s);
	sim_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_sums),           cmocka_unit_test(test_standstill),
	    cmocka_unit_test(test_addresses),      cmocka_unit_test(test_must_not_be_flushed),
	    cmocka_unit_test(test_spare_sm),       cmocka_unit_test(test_third_of_two_ways),
	    cmocka_unit_test(test_beside_another),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
