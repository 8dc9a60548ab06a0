/* Preemption, where it turns: what each policy chooses when nothing keeps the limit; what is counted of a kernel whose
 * CTAs stand still, move and begin again; what is lost; more SMs under way than are remembered; a CTA for which there
 * is no place to be saved. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "gpu/verbs.h"
#include "sm/restartable.h"
#include "gpu/query_preempt.h"
#include "tests/rig/preempt_rig.h"

static const struct preempt_ops *policy(const char *name)
{
	for (u32 i = 0; preempt_policies[i]; i++)
		if (!strcmp(preempt_policies[i]->name, name))
			return (const struct preempt_ops *)preempt_policies[i];
	fail_msg("no policy %s", name);
	return NULL;
}

/* Two CTAs of which one may be flushed; only draining is slow. */
static void each_policy_chooses(void **state)
{
	static const struct {
		const char *name;
		u64 limit;
		u8 first, second;
	} rows[] = {{"switch", 100, BY_SWITCH, BY_SWITCH}, {"drain", 100, BY_DRAIN, BY_DRAIN},
	            {"flush", 100, BY_DRAIN, BY_FLUSH},    {"flush", 9000, BY_DRAIN, BY_FLUSH},
	            {"chimera", 100, BY_SWITCH, BY_FLUSH}, {"chimera", 1000, BY_SWITCH, BY_FLUSH},
	            {"chimera", 9000, BY_DRAIN, BY_DRAIN}};
	for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
		struct preempt_sm s = {.n = 2,
		                       .cta = {{.by = {{1000, 400}, {5000, 10}, {COST_MAX, COST_MAX}}},
		                               {.by = {{1000, 400}, {5000, 10}, {0, 50}}, .may_flush = 1}}};
		policy(rows[i].name)->choose(&s, rows[i].limit);
		if (s.cta[0].technique != rows[i].first || s.cta[1].technique != rows[i].second)
			fail_msg("%s within %llu: %u, %u", rows[i].name, (unsigned long long)rows[i].limit, s.cta[0].technique,
			         s.cta[1].technique);
	}
	assert_null(policy("none")->choose);
}

/* --- what is counted ---------------------------------------------------------------------------------------------- */

/* CTAs that could execute, added up cycle by cycle; those that stand still or are away do not count, and what a flush
 * has made void is no instruction of a CTA that has ended. */
static void counted_by_hand(void **state)
{
	struct field f = begin("k", NULL);
	run_until_ended(&f, 4);
	const struct kernel_counters *k = &f.g->task->kcb[f.k].k;
	const u64 each = (k->warp_insts - k->insts_dropped) / k->ctas_done;
	const u64 from = sim_cycle(f.s), before = preempt_stats_of(&f.g->preempt, f.k, from).cycles;
	u64 sum = 0, halted = 0;
	for (u32 i = 0; i < 12000 && !sim_idle(f.s); i++) {
		if (i == 500)
			ask(&f, "switch", 20, 1 << 2);
		if (i == 4000)
			ask(&f, "flush", 20, 1 << 1);
		sim_run(f.s, sim_cycle(f.s) + 1, NULL);
		for (u32 sm = 0; sm < 4; sm++)
			for (u32 slot = 0; slot < 4; slot++) {
				const struct cta *c = &f.g->sm[sm]->cta[slot];
				sum += c->used && !c->paused;
				halted += c->used && c->paused;
			}
	}
	assert_true(halted > 1000 && k->ctas_switched && k->ctas_flushed);
	const struct preempt_stats s = preempt_stats_of(&f.g->preempt, f.k, sim_cycle(f.s));
	const u64 counted = s.cycles - before;
	if (counted > sum + 200 || sum > counted + 200)
		fail_msg("%llu cycles of CTAs, counted %llu; halted for %llu", (unsigned long long)sum,
		         (unsigned long long)counted, (unsigned long long)halted);
	struct sim *sim = f.s;
	rig_run(sim, NEVER);
	const struct preempt_stats end = preempt_stats_of(&f.g->preempt, f.k, sim_cycle(f.s));
	assert_true(end.ended == CTAS && k->insts_dropped > 0);
	assert_int_equal(end.ended_insts, CTAS * each);
	assert_int_equal(end.insts, end.ended_insts + k->insts_dropped);
	sim_destroy(sim);
}

/* --- what is lost ------------------------------------------------------------------------------------------------- */

/* Warp instructions of so many cycles of a CTA, by what is counted now. */
static double work(const struct field *f, u64 cycles)
{
	const struct preempt_stats s = preempt_stats_of(&f->g->preempt, f->k, sim_cycle(f->s));
	return (double)cycles * (double)s.insts / (double)s.cycles;
}

static void near(double got, double want)
{
	if (fabs(got - want) > 2 + want / 50)
		fail_msg("lost %.0f, expected %.0f", got, want);
}

/* Drained: the time for which a CTA's place was empty until the last had left; switched: out and back. */
static void lost_by_hand(void **state)
{
	struct field f = begin("k", NULL);
	run_to_the_middle(&f);
	u32 id = ask(&f, "switch", 1000, 1 << 2);
	run_until_done(&f, id);
	const struct preempt_plan *p = plan_of(&f, id);
	assert_true(p->s.n == 4);
	for (u32 i = 0; i < p->s.n; i++)
		near((double)p->fate[i].lost,
		     work(&f, p->done_at - p->at + preempt_switch_cycles(&f.g->conf, p->s.cta[i].bytes)));
	assert_int_equal(p->lost, p->fate[0].lost + p->fate[1].lost + p->fate[2].lost + p->fate[3].lost);
	id = ask(&f, "drain", 0, 1 << 1);
	run_until_done(&f, id);
	p = plan_of(&f, id);
	u64 sum = 0, early = 0;
	for (u32 i = 0; i < p->s.n; i++) {
		near((double)p->fate[i].lost, work(&f, p->done_at - p->fate[i].left_at));
		sum += p->fate[i].lost;
		early += p->fate[i].lost > 0;
	}
	assert_true(p->s.n == 4 && early && p->lost == sum);
	finish(&f, false);
}

/* Warp instructions of each CTA since it began, or began again. */
static bool since_it_began(void *ctx, const struct event *e)
{
	u64 *insts = ctx;
	insts[e->cta] = e->type == EV_ISSUE ? insts[e->cta] + 1 : 0;
	return false;
}

/* Flushed, and flushed again: what is lost, what is estimated and what the event says is what they have executed since
 * the first time. */
static void lost_twice(void **state)
{
	struct field f = begin("k", NULL);
	struct rig_log drops = {0};
	u64 insts[CTAS] = {0};
	u32 again = 0;
	run_to_the_middle(&f);
	sim_subscribe(f.s, EVENT(EV_CTA_DROP), rig_record, &drops);
	sim_subscribe(f.s, EVENT(EV_ISSUE) | EVENT(EV_CTA_DROP) | EVENT(EV_CTA_DISPATCH), since_it_began, insts);
	run_until_done(&f, ask(&f, "flush", 1000, 3));
	const u32 first = rig_count(&drops, EV_CTA_DROP);
	assert_int_equal(first, 8);
	for (u32 i = 0; i < first; i++) /* until all have come back, and gone on */
		for (u64 id = (u64)drops.e[i].cta; resume_find(&f.g->resume, f.k, id) || insts[id] < 100;)
			sim_run(f.s, sim_cycle(f.s) + 1, NULL);
	u64 had[CTAS];
	memcpy(had, insts, sizeof had);
	const u32 id = ask(&f, "flush", 1000, 0xc);
	run_until_done(&f, id);
	for (u32 i = first; i < drops.n; i++)
		for (u32 k = 0; k < first; k++) {
			if (drops.e[i].cta != drops.e[k].cta)
				continue;
			again++;
			assert_int_equal(drops.e[i].arg[1], had[drops.e[i].cta]);
		}
	for (u32 i = 0; i < PREEMPT_PLANS; i++) {
		const struct preempt_plan *p = &f.g->preempt.p->plan[i];
		for (u32 c = 0; p->request == id && c < p->s.n; c++)
			for (u32 k = 0; k < first; k++)
				if (p->s.cta[c].id == (u64)drops.e[k].cta) {
					assert_int_equal(p->s.cta[c].by[BY_FLUSH].overhead, had[drops.e[k].cta]);
					assert_int_equal(p->fate[c].lost, had[drops.e[k].cta]);
				}
	}
	assert_true(again >= 4 && drops.n == 16);
	free(drops.e);
	assert_true(gpu_release_sms(f.g, NULL, &(struct err){0}));
	finish(&f, false);
}

/* Who waits for an SM after a flush begins again; one that had begun again, and is saved, goes on. */
static void begins_again_or_goes_on(void **state)
{
	struct err e = {0};
	struct field f = begin("k", NULL);
	run_to_the_middle(&f);
	const u64 id = f.g->sm[2]->cta[0].id;
	run_until_done(&f, ask(&f, "flush", 1000, 1 << 2));
	struct cta_tally t = gpu_cta_tally(f.g, (s32)f.k);
	assert_true(t.restarts == 4 && t.queued == 4 && t.saved == 4);
	s32 slot = -1;
	u32 sm = 0;
	while (slot < 0 || f.g->sm[sm]->cta[slot].insts < f.g->sm[sm]->cta[slot].insts_dropped + 50) {
		sim_run(f.s, sim_cycle(f.s) + 1, NULL);
		for (sm = 0; sm < 3 && gpu_cta_slot(f.g, sm, f.k, id) < 0;)
			sm++;
		slot = gpu_cta_slot(f.g, sm, f.k, id);
	}
	const u32 waiting = gpu_cta_tally(f.g, (s32)f.k).restarts;
	if (!gpu_save_cta(f.g, f.k, id, false, &e))
		fail_msg("%s", e.msg);
	t = gpu_cta_tally(f.g, (s32)f.k);
	assert_true(t.saved == waiting + 1 && t.restarts == waiting);
	assert_true(gpu_restore_cta(f.g, f.k, id, SM_ANY, &e) && gpu_release_sms(f.g, NULL, &e));
	finish(&f, false);
}

/* A deadline that is missed: how many SMs are still to come, of how many. */
static void missed_by(void **state)
{
	struct field f = begin("k", NULL);
	struct rig_log log = {0};
	run_to_the_middle(&f);
	sim_subscribe(f.s, EVENT(EV_DEADLINE_MISS) | EVENT(EV_DEADLINE_MET), rig_record, &log);
	const u64 at = sim_cycle(f.s);
	const u32 id = ask(&f, "drain", 2, 0xe);
	run_until_done(&f, id);
	assert_int_equal(log.n, 1);
	const struct event *e = rig_event(&log, EV_DEADLINE_MISS, 0);
	assert_int_equal(e->cycle, at + (u64)(2 * f.g->conf.core_clock));
	assert_true(e->arg[0] == id && e->arg[1] == 3 && e->arg[2] == 2 && e->arg[3] == 3);
	assert_int_equal(f.g->task->kcb[f.k].k.deadlines_missed, 1);
	assert_true(gpu_release_sms(f.g, NULL, &(struct err){0}));
	const u32 next = ask(&f, "drain", 2, 1);
	run_until_done(&f, next);
	e = rig_event(&log, EV_DEADLINE_MISS, 1);
	assert_true(e->arg[0] == next && e->arg[1] == 1 && e->arg[2] == 2 && e->arg[3] == 1);
	free(log.e);
	finish(&f, false);
}

/* --- many --------------------------------------------------------------------------------------------------------- */

/* A plan that is under way is remembered, whatever comes after it. */
static void under_way_is_not_forgotten(void **state)
{
	struct err e = {0};
	struct field f = {.s = machine((const char *[]){"num_sms=20", "sm.ctas=4", "idempotence.track=true", NULL})};
	f.m = rig_load(f.s, spin);
	f.buf = rig_alloc(f.s, 4ull * THREADS * 400);
	f.k = rig_launch(f.s, f.m, "k", 400, THREADS, 0, (u64[]){f.buf, 100000}, 2);
	f.g = f.s->gpu;
	while (f.g->sm[19]->nctas < 4)
		sim_run(f.s, sim_cycle(f.s) + 1, NULL);
	const u32 first = ask(&f, "drain", 2, 1);
	u32 plans = 1;
	for (u32 i = 0; i < PREEMPT_REQUESTS - 1; i++) {
		const u32 id = ask(&f, "flush", 100, 0xffffe);
		run_until_done(&f, id);
		plans += 19;
		assert_true(gpu_release_sms(f.g, (u64[CONF_SM_WORDS]){0xffffe}, &e));
		while (f.g->sm[19]->nctas < 4)
			sim_run(f.s, sim_cycle(f.s) + 1, NULL);
	}
	assert_true(plans > 2 * PREEMPT_PLANS);
	const struct preempt_plan *p = plan_of(&f, first);
	assert_true(!p->done_at && p->left == 4 && p->s.sm == 0 && p->technique == BY_DRAIN);
	assert_int_equal(gpu_preempt(f.g, &(struct sm_order){.launch = f.k, .sms = 1, .by = "flush"}, &e), 0);
	assert_non_null(strstr(e.msg, "64 requests are under way")); /* the place of the first would be the next */
	sim_destroy(f.s);
}

/* An SM that is being preempted for the user does not keep a partition policy from the others. */
static void beside_one_under_way(void **state)
{
	struct field f = {.s = machine((const char *[]){"num_sms=4", "sm.ctas=4", "partition=smk", "preempt=switch",
	                                                "launch.latency=0", NULL})};
	f.m = rig_load(f.s, spin);
	f.buf = rig_alloc(f.s, 4ull * THREADS * CTAS);
	f.k = rig_launch(f.s, f.m, "k", CTAS, THREADS, 0, (u64[]){f.buf, LOOPS}, 2);
	f.g = f.s->gpu;
	while (f.g->sm[3]->nctas < 4)
		sim_run(f.s, sim_cycle(f.s) + 1, NULL);
	ask(&f, "switch", 1000, 1 << 2);
	sim_run(f.s, sim_cycle(f.s) + 20, NULL);
	const u64 other = rig_alloc(f.s, 4ull * THREADS * CTAS);
	const u32 second = rig_launch(f.s, f.m, "k", CTAS, THREADS, 1, (u64[]){other, LOOPS}, 2);
	sim_run(f.s, sim_cycle(f.s) + 3, NULL);
	assert_int_equal(f.g->task->kcb[second].state, KCB_RUNNING);
	const struct preempt *p = f.g->preempt.p;
	u32 sms = 0;
	for (u32 i = 0; i < PREEMPT_PLANS; i++)
		sms |= p->plan[i].request > 1 ? 1u << p->plan[i].s.sm : 0;
	assert_true(preempt_find(p, 1)->left == 1 && sms == 0xb);
	rig_finish(f.s);
	sim_destroy(f.s);
}

/* As many requests as can be are under way, and a partition policy is refused: it asks again when one of them is done,
 * not when a CTA of the kernel ends. */
static void refused_and_asked_again(void **state)
{
	struct err e = {0};
	struct field f = {.s = machine((const char *[]){"num_sms=66", "sm.ctas=4", "partition=smk", "preempt=switch",
	                                                "launch.latency=0", NULL})};
	f.m = rig_load(f.s, spin);
	f.buf = rig_alloc(f.s, 4ull * THREADS * 400);
	f.k = rig_launch(f.s, f.m, "k", 400, THREADS, 0, (u64[]){f.buf, 100000}, 2);
	f.g = f.s->gpu;
	while (f.g->sm[65]->nctas < 4)
		sim_run(f.s, sim_cycle(f.s) + 1, NULL);
	for (u32 i = 0; i < PREEMPT_REQUESTS; i++) {
		const u64 sms[CONF_SM_WORDS] = {BIT(i)};
		const struct sm_order o = {.launch = f.k, .set = sms, .within_us = 1000, .by = i ? "drain" : "switch"};
		assert_int_equal(gpu_preempt(f.g, &o, &e), i + 1);
	}
	const u64 other = rig_alloc(f.s, 4ull * THREADS * 400);
	const u32 second = rig_launch(f.s, f.m, "k", 400, THREADS, 1, (u64[]){other, 100000}, 2);
	sim_run(f.s, sim_cycle(f.s) + 20, NULL);
	assert_int_equal(f.g->task->kcb[second].state, KCB_RUNNING);
	assert_true(!preempt_find(f.g->preempt.p, 1)->done_at && f.g->preempt.p->requests == PREEMPT_REQUESTS);
	for (u32 sm = 64; sm < 66; sm++)
		assert_int_equal(sm_resident(f.g->sm[sm], f.k), 4);
	while (!preempt_find(f.g->preempt.p, PREEMPT_REQUESTS + 1) && sim_cycle(f.s) < 20000)
		sim_run(f.s, sim_cycle(f.s) + 1, NULL);
	const struct preempt_request *r = preempt_find(f.g->preempt.p, PREEMPT_REQUESTS + 1);
	assert_true(r && r->partition && r->launch == f.k && r->keep == 2 && r->sms == 2);
	while (!r->done_at)
		sim_run(f.s, sim_cycle(f.s) + 1, NULL);
	sim_run(f.s, sim_cycle(f.s) + 5, NULL);
	for (u32 sm = 64; sm < 66; sm++)
		assert_true(sm_resident(f.g->sm[sm], f.k) == 2 && sm_resident(f.g->sm[sm], second) == 2);
	assert_int_equal(f.g->task->kcb[f.k].k.ctas_done, 0);
	sim_destroy(f.s);
}

/* The first kernel that comes to an SM that was taken from another gives it back with its end; what comes may be a CTA
 * that has been saved. */
static void who_comes_back_has_come(void **state)
{
	struct err e = {0};
	struct field f = {.s = machine((const char *[]){"num_sms=2", "sm.ctas=4", NULL})};
	f.m = rig_load(f.s, spin);
	const u64 other = rig_alloc(f.s, 4ull * THREADS);
	const u32 guest = rig_launch(f.s, f.m, "k", 1, THREADS, 1, (u64[]){other, 3 * LOOPS}, 2);
	f.buf = rig_alloc(f.s, 4ull * THREADS * CTAS);
	f.k = rig_launch(f.s, f.m, "k", CTAS, THREADS, 0, (u64[]){f.buf, LOOPS}, 2);
	f.g = f.s->gpu;
	while (f.g->sm[0]->nctas + f.g->sm[1]->nctas < 8)
		sim_run(f.s, sim_cycle(f.s) + 1, NULL);
	const u32 taken = sm_resident(f.g->sm[0], guest) ? 1 : 0;
	run_until_done(&f, ask(&f, "switch", 1000, BIT(taken)));
	assert_true(!f.g->sm[taken]->nctas && gpu_kept_away(f.g, taken, f.k));
	if (!gpu_save_cta(f.g, guest, 0, false, &e) || !gpu_restore_cta(f.g, guest, 0, taken, &e))
		fail_msg("%s", e.msg);
	while (f.g->task->kcb[guest].state != KCB_DONE) {
		assert_true(gpu_kept_away(f.g, taken, f.k) && !sm_resident(f.g->sm[taken], f.k));
		sim_run(f.s, sim_cycle(f.s) + 1, NULL);
	}
	assert_false(gpu_kept_away(f.g, taken, f.k));
	sim_run(f.s, sim_cycle(f.s) + 5, NULL);
	assert_true(sm_resident(f.g->sm[taken], f.k) > 0);
	finish(&f, false);
}

/* --- refusals of a machine ---------------------------------------------------------------------------------------- */

static void cooperative_ones_stay(void **state)
{
	struct err e = {0};
	struct field f = {.s = machine((const char *[]){"num_sms=4", "sm.ctas=4", NULL})};
	f.m = rig_load(f.s, spin);
	f.g = f.s->gpu;
	const u64 args[] = {rig_alloc(f.s, 4ull * THREADS * 16), LOOPS};
	const struct launch_spec l = {.mod = f.m,
	                              .fn = module_func(f.m, "k", true),
	                              .grid = {16, 1, 1},
	                              .block = {THREADS, 1, 1},
	                              .params = args,
	                              .param_bytes = sizeof args,
	                              .cooperative = true};
	assert_int_equal(sim_launch(f.s, &l, &e), 0);
	while (!f.g->sm[0]->nctas)
		sim_run(f.s, sim_cycle(f.s) + 1, NULL);
	assert_int_equal(gpu_preempt(f.g, &(struct sm_order){.sms = 1, .by = "drain"}, &e), 0);
	assert_non_null(strstr(e.msg, "launch 0 is cooperative: its CTAs have to be on the machine at the same time"));
	rig_finish(f.s);
	sim_destroy(f.s);
}

/* The store has room for some of them. The others run to their end where they are. */
static void no_place_to_be_saved(void **state)
{
	struct field f = {.s = machine((const char *[]){"num_sms=20", "sm.ctas=4", "cta.saved_mb=1", NULL})};
	f.m = rig_load(f.s, spin);
	f.buf = rig_alloc(f.s, 4ull * 512 * 70);
	f.k = rig_launch(f.s, f.m, "k", 70, 512, 0, (u64[]){f.buf, 60}, 2);
	f.g = f.s->gpu;
	while (f.g->sm[19]->nctas < 3)
		sim_run(f.s, sim_cycle(f.s) + 1, NULL);
	const u32 id = ask(&f, "switch", 1000, 0xfffff);
	run_until_done(&f, id);
	u32 by[TECHNIQUES] = {0};
	for (u32 i = 0; i < PREEMPT_PLANS; i++)
		for (u32 c = 0; f.g->preempt.p->plan[i].request == id && c < f.g->preempt.p->plan[i].s.n; c++)
			by[f.g->preempt.p->plan[i].s.cta[c].technique]++;
	if (!by[BY_SWITCH] || !by[BY_DRAIN] || by[BY_SWITCH] + by[BY_DRAIN] != 60)
		fail_msg("switched %u, drained %u, flushed %u", by[0], by[1], by[2]);
	assert_int_equal(f.g->task->kcb[f.k].k.ctas_switched, by[BY_SWITCH]);
	assert_int_equal(f.g->task->kcb[f.k].k.ctas_drained, by[BY_DRAIN]);
	assert_true(gpu_release_sms(f.g, NULL, &(struct err){0}));
	rig_finish(f.s);
	for (u32 t = 0; t < 512 * 70; t++)
		assert_int_equal(rig_u32(f.s, f.buf + 4 * t), 7 + 60 * t);
	sim_destroy(f.s);
}

/* --- who starts first --------------------------------------------------------------------------------------------- */

/* Of launches that may start at the same time the earliest does, and it is served first. */
static void the_earliest_starts_first(void **state)
{
	struct rig_log log = {0};
	struct sim *s = machine((const char *[]){"num_sms=4", "launch.latency=0", NULL});
	struct module *m = rig_load(s, spin);
	sim_subscribe(s, EVENT(EV_KERNEL_START) | EVENT(EV_CTA_DISPATCH), rig_record, &log);
	for (u32 i = 0; i < 3; i++)
		rig_launch(s, m, "k", CTAS, THREADS, i, (u64[]){rig_alloc(s, 4ull * THREADS * CTAS), 50}, 2);
	rig_finish(s);
	for (u32 i = 0; i < 3; i++)
		assert_int_equal(rig_event(&log, EV_KERNEL_START, i)->kernel, i);
	assert_int_equal(rig_event(&log, EV_CTA_DISPATCH, 0)->kernel, 0);
	sim_destroy(s);
	free(log.e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_policy_chooses),
	    cmocka_unit_test(counted_by_hand),
	    cmocka_unit_test(lost_by_hand),
	    cmocka_unit_test(lost_twice),
	    cmocka_unit_test(missed_by),
	    cmocka_unit_test(begins_again_or_goes_on),
	    cmocka_unit_test(under_way_is_not_forgotten),
	    cmocka_unit_test(beside_one_under_way),
	    cmocka_unit_test(refused_and_asked_again),
	    cmocka_unit_test(who_comes_back_has_come),
	    cmocka_unit_test(cooperative_ones_stay),
	    cmocka_unit_test(no_place_to_be_saved),
	    cmocka_unit_test(the_earliest_starts_first),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
