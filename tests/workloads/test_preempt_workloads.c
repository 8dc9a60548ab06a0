/* Preemptions at random cycles of every workload in its small size, by every technique: the check passes, memory at the
 * end is that of the undisturbed run, everything is given back, no CTA is lost or ends twice, the laws hold throughout,
 * and going back among preemptions and on again is the same way.
 *
 * Float atomics, whose order shows in the result, would have to be excepted; no bundled kernel has any. Integer ones
 * (histogram, sssp, tpacf) give the same in any order.
 *
 * WARPDBG_PREEMPTIONS=N: so many requests for each workload (10), 300 at most in a run: several runs for more. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "session/session.h"
#include "tests/rig/disturb_rig.h"
#include "tests/rig/rounds.h"

static const char *const techniques[] = {"switch", "drain", "flush", "chimera"};
static u64 requests[ARRAY_LEN(techniques)], switched, drained, flushed, changed, missed;
static u64 without_slot[TECHNIQUES + 1]; /* CTAs that had none when they were asked to leave, by how they left */

static bool cooperative(const struct gpu *g)
{
	for (u32 i = 0; i < g->dispatch.d->n; i++)
		if (g->launch[g->dispatch.d->k[g->dispatch.d->order[i]].launch]->cooperative)
			return true;
	return false;
}

/* A running kernel gives some SMs away: so many, or one by name; at once, or it has some time. */
static void preempt_somebody(struct session *s, u64 *seed)
{
	struct gpu *g = s->sim->gpu;
	const struct dispatcher *d = g->dispatch.d;
	struct err e = {0};
	if (!d->n)
		return;
	const u32 by = (u32)(rng_next(seed) % ARRAY_LEN(techniques)), sm = (u32)(rng_next(seed) % g->conf.num_sms);
	u64 set[CONF_SM_WORDS] = {0};
	set[sm / 64] = BIT(sm % 64);
	const struct sm_order o = {.launch = d->k[d->order[rng_next(seed) % d->n]].launch,
	                           .sms = (u32)(1 + rng_next(seed) % 3),
	                           .set = rng_next(seed) % 2 ? set : NULL,
	                           .within_us = (double)(rng_next(seed) % 20),
	                           .by = techniques[by]};
	if (gpu_preempt(g, &o, &e))
		requests[by]++;
	else if (!strstr(e.msg, "already") && !strstr(e.msg, "that it could give") && !strstr(e.msg, "under way") &&
	         !(cooperative(g) && strstr(e.msg, "cooperative")))
		fail_msg("%s: %s", s->name, e.msg);
}

static void give_back(struct session *s)
{
	gpu_release_sms(s->sim->gpu, NULL, &(struct err){0});
}

static const struct disturbance preemption = {preempt_somebody, give_back};

static void disturb(struct session *s, u64 *seed, u32 times, u64 cycles)
{
	struct err e = {0};
	const u64 step = MAX(cycles / MAX(times, 1), 1);
	for (u32 i = 0; i < times; i++) {
		u64 until = sim_cycle(s->sim) + 1 + rng_next(seed) % (2 * step);
		enum session_stop why = session_run(s, until, &e);
		if (why == SS_FINISHED)
			return;
		if (why == SS_DEADLOCK || why == SS_LIVELOCK) {
			give_back(s);
			continue;
		}
		if (why != SS_CYCLE)
			not_expected(s, why, e.msg);
		preempt_somebody(s, seed);
		if (i % 4 == 0 || times > 100)
			laws(s, "after a request");
		if (i % 3 == 2)
			give_back(s);
	}
	/* SMs that are being preempted cannot be given back before they are free. */
	while (session_run(s, sim_cycle(s->sim) + 1000, &e) != SS_FINISHED) {
		struct stop st;
		sim_run(s->sim, sim_cycle(s->sim), &st);
		if (st.why == STOP_FAULT)
			return;
		give_back(s);
	}
}

static void count(const struct gpu *g)
{
	for (u32 i = 0; i < g->task->nlaunches; i++) {
		const struct kernel_counters *k = &g->task->kcb[i].k;
		switched += k->ctas_switched;
		drained += k->ctas_drained;
		flushed += k->ctas_flushed;
	}
	for (u32 i = 0; i < PREEMPT_PLANS; i++) {
		const struct preempt_plan *p = &g->preempt.p->plan[i];
		if (!p->request)
			continue;
		assert_true(p->done_at && !p->left);
		changed += p->technique == TECHNIQUES;
		missed += p->s.cost.latency < p->done_at - p->at;
		for (u32 k = 0; k < p->s.n; k++)
			without_slot[p->s.cta[k].technique] += p->s.cta[k].inactive;
	}
}

static void test_workload(const char *name, const char *gpu, const char *const *more, u32 times, u64 *seed)
{
	struct setting x;
	struct session *s = open_workload(&x, name, gpu, more);
	const u64 want = finish(s), cycles = sim_cycle(s->sim);
	session_close(s);
	s = open_workload(&x, name, gpu, more);
	disturb(s, seed, times, cycles);
	const u64 got = finish(s);
	if (got != want)
		fail_msg("%s on %s: another result", name, gpu);
	count(s->sim->gpu);
	session_close(s);
}

static void test_every_workload(void **state)
{
	static const char *const setups[][4] = {{NULL},
	                                        {"preempt.halt=cta", NULL},
	                                        {"lsu.replay=newcar", "preempt.idempotence=strict", NULL},
	                                        {"warp-sched=tl-gto", "commit.delay=5", NULL},
	                                        {"preempt.traffic=true", NULL},
	                                        {"preempt.traffic=true", "preempt.halt=cta", "coherence=denovo", NULL}};
	const u32 wanted = rounds("WARPDBG_PREEMPTIONS", 10, 10), times = MIN(wanted, 300u);
	u64 seed = 17;
	for (u32 done = 0; done < wanted; done += times)
		for (u32 i = 0; i < workloads.n; i++)
			test_workload(workloads.name[i], i % 3 ? "gtx480" : "titanv",
			              setups[(i + done / times) % ARRAY_LEN(setups)], times, &seed);
	for (u32 t = 0; t < ARRAY_LEN(techniques); t++)
		assert_true(requests[t] > 0);
	assert_true(switched && drained && flushed && changed);
	printf("requests: switch %llu, drain %llu, flush %llu, chimera %llu; CTAs: switched %llu, drained %llu, flushed "
	       "%llu; SMs with several techniques %llu, later than estimated %llu\n",
	       (unsigned long long)requests[0], (unsigned long long)requests[1], (unsigned long long)requests[2],
	       (unsigned long long)requests[3], (unsigned long long)switched, (unsigned long long)drained,
	       (unsigned long long)flushed, (unsigned long long)changed, (unsigned long long)missed);
}

/* The same on machines on which CTAs wait without a slot. Their contexts leave the SM, too. */
static void test_without_slots(void **state)
{
	static const char *const setups[][5] = {
	    {"cta-virtual=vt", NULL},
	    {"cta-virtual=vt", "preempt.halt=cta", "lsu.replay=car", NULL},
	    {"cta-virtual=vt", "preempt.traffic=true", "lsu.replay=car", NULL},
	    {"cta-virtual=vt", "preempt.traffic=true", "preempt.halt=cta", "vt.ending=true", NULL},
	    {"cta-virtual=vt", "vt.ending=true", "vt.delay=40", "lsu.replay=car", NULL},
	    {"cta-virtual=vt", "commit.delay=5", "warp-sched=tl-gto", "preempt.bandwidth=400", NULL},
	    {"cta-virtual=vt", "preempt.idempotence=strict", "kernel-sched=fair", NULL}};
	const u32 wanted = rounds("WARPDBG_PREEMPTIONS", 10, 10), times = MIN(wanted, 300u), step = rounds(NULL, 2, 6);
	u64 seed = 23;
	memset(without_slot, 0, sizeof without_slot);
	for (u32 done = 0; done < wanted; done += times)
		for (u32 i = done / times % step; i < workloads.n; i += step)
			test_workload(workloads.name[i], i % 3 ? "gtx480" : "kepler",
			              setups[(i / step + done / times) % ARRAY_LEN(setups)], times, &seed);
	printf("CTAs without a slot: switched %llu, drained %llu, flushed %llu\n",
	       (unsigned long long)without_slot[BY_SWITCH], (unsigned long long)without_slot[BY_DRAIN],
	       (unsigned long long)without_slot[BY_FLUSH]);
	assert_true(without_slot[BY_SWITCH] && without_slot[BY_DRAIN] && without_slot[BY_FLUSH]);
}

/* Preemptions in the past: every cycle is what it was, forward and backward. */
static void test_time_travel(void **state)
{
	static const char *const names[] = {"hotspot", "bfs", "sortnet", "reduction"};
	u64 seed = 5;
	for (u32 k = 0; k < ARRAY_LEN(names); k++)
		disturbed_travel(names[k], &preemption, &seed);
	for (u32 k = 0; k < 2; k++)
		disturbed_travel_with(names[k], (const char *const[]){"preempt.traffic=true", NULL}, &preemption, &seed);
	for (u32 k = 0; k < 2; k++)
		disturbed_travel_with(k ? "vecadd" : "hotspot", (const char *const[]){"cta-virtual=vt", NULL}, &preemption,
		                      &seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_time_travel),
	    cmocka_unit_test(test_every_workload),
	    cmocka_unit_test(test_without_slots),
	};
	return cmocka_run_group_tests(tests, find_files, release_files);
}
