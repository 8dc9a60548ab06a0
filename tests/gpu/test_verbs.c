/* Verbs on CTAs: every workload in its small size, with CTAs paused, resumed, halted, dropped, saved and restored at
 * random cycles, each verb at least once. Its check passes, memory at the end is that of the undisturbed run, all
 * resources are given back, the laws hold throughout, and going back among verbs and on again is the same way.
 *
 * WARPDBG_VERBS=N: so many verbs for each workload (60). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "session/session.h"
#include "sm/l1_pipe.h"
#include "sm/replay.h"
#include "tests/rig/debug_rig.h"
#include "tests/rig/disturb_rig.h"
#include "tests/rig/rounds.h"
#include "tests/rig/sm_rig.h"

enum verb { PAUSE, RESUME, HALT, DROP, SAVE, REQUEUE, RESTORE, VERBS };
static u64 done[VERBS], refused[VERBS], elsewhere, all_verbs;
static bool seen[VERBS]; /* of this workload; a drop that was refused counts */

/* --- one verb ----------------------------------------------------------------------------------------------------- */

/* A random CTA on an SM, one that is paused for a verb that resumes; false: there is none. */
static bool random_cta(const struct gpu *g, enum verb v, u64 *seed, u32 *launch, u64 *id)
{
	u32 first = (u32)(rng_next(seed) % g->conf.num_sms), slot = (u32)(rng_next(seed) % g->conf.sm_ctas);
	for (u32 i = 0; i < g->conf.num_sms * g->conf.sm_ctas; i++) {
		u32 at = (first * g->conf.sm_ctas + slot + i) % (g->conf.num_sms * g->conf.sm_ctas);
		const struct sm *m = g->sm[at / g->conf.sm_ctas];
		const struct cta *c = &m->cta[at % g->conf.sm_ctas];
		if (!c->used || m->done_slots >> at % g->conf.sm_ctas & 1 || (v == RESUME && !c->paused))
			continue;
		*launch = c->launch;
		*id = c->id;
		return true;
	}
	return false;
}

static struct saved_cta *random_saved(const struct gpu *g, u64 *seed)
{
	u32 from = (u32)(rng_next(seed) % g->resume.max);
	for (u32 i = 0; i < g->resume.max; i++) {
		struct saved_cta *c = &g->resume.cta[(from + i) % g->resume.max];
		if (c->state == SAVED_LEAVING || c->state == SAVED_HELD)
			return c;
	}
	return NULL;
}

static bool restore_one(struct gpu *g, u64 *seed, struct err *e)
{
	struct saved_cta *c = random_saved(g, seed);
	u32 launch;
	u64 id;
	if (!c && random_cta(g, SAVE, seed, &launch, &id) && gpu_save_cta(g, launch, id, false, e))
		c = random_saved(g, seed); /* at once: a machine that waits for somebody is let go before the next verb */
	if (!c)
		return false;
	u32 sm = rng_next(seed) % 2 ? SM_ANY : (u32)(rng_next(seed) % g->conf.num_sms);
	elsewhere += sm != SM_ANY && sm != c->sm;
	return gpu_restore_cta(g, c->launch, c->id, sm, e);
}

/* A verb that this workload has not had yet; VERBS: it had them all. */
static u32 unseen(void)
{
	u32 v = 0;
	while (v < VERBS && seen[v])
		v++;
	return v;
}

/* Every other time one that is new. */
static enum verb next_verb(u64 *seed)
{
	const u32 v = (u32)(rng_next(seed) % VERBS);
	return (enum verb)(rng_next(seed) % 2 && unseen() < VERBS ? unseen() : v);
}

static void do_verb(struct session *s, u64 *seed)
{
	struct gpu *g = s->sim->gpu;
	struct err e = {0};
	u32 launch;
	u64 id;
	enum verb v = next_verb(seed);
	bool ok = false, any = v == RESTORE || random_cta(g, v, seed, &launch, &id);
	if (!any && v == RESUME) /* as restore_one() */
		any = random_cta(g, PAUSE, seed, &launch, &id) && gpu_pause_cta(g, launch, id, &e);
	if (!any)
		return;
	switch (v) {
	case PAUSE: ok = gpu_pause_cta(g, launch, id, &e); break;
	case RESUME: ok = gpu_resume_cta(g, launch, id, &e); break;
	case HALT: ok = gpu_halt_cta(g, launch, id, 1 + rng_next(seed) % 5000, &e); break;
	case DROP: ok = gpu_drop_cta(g, launch, id, &e); break;
	case SAVE:
	case REQUEUE: ok = gpu_save_cta(g, launch, id, v == REQUEUE, &e); break;
	default: ok = restore_one(g, seed, &e); break;
	}
	(ok ? done : refused)[v]++;
	all_verbs += ok;
	seen[v] |= ok || v == DROP;
	if (v == DROP && !ok)
		assert_non_null(strstr(e.msg, "cannot be dropped: it "));
}

/* Nothing is left to wait for somebody. */
static void let_all_go(struct session *s)
{
	struct gpu *g = s->sim->gpu;
	struct err e = {0};
	for (u32 i = 0; i < g->resume.max; i++) {
		struct saved_cta *c = &g->resume.cta[i];
		if (c->state == SAVED_HELD || c->state == SAVED_LEAVING)
			assert_true(gpu_restore_cta(g, c->launch, c->id, SM_ANY, &e));
	}
	for (u32 i = 0; i < g->conf.num_sms; i++)
		for (u32 k = 0; k < SM_MAX_CTAS; k++) {
			const struct cta *c = &g->sm[i]->cta[k];
			if (c->used && c->paused && !(g->sm[i]->done_slots >> k & 1))
				assert_true(gpu_resume_cta(g, c->launch, c->id, &e));
		}
}

static const struct disturbance by_verb = {do_verb, let_all_go};

/* --- whole runs --------------------------------------------------------------------------------------------------- */

static void disturb(struct session *s, u64 *seed, u32 verbs, u64 cycles)
{
	struct err e = {0};
	const u64 step = MAX(cycles / MAX(verbs, 1), 1);
	for (u32 i = 0; i < verbs; i++) {
		u64 until = sim_cycle(s->sim) + 1 + rng_next(seed) % (2 * step);
		enum session_stop why = session_run(s, until, &e);
		if (why == SS_FINISHED)
			return;
		if (why == SS_DEADLOCK || why == SS_LIVELOCK)
			let_all_go(s);
		else if (why != SS_CYCLE)
			not_expected(s, why, e.msg);
		do_verb(s, seed);
		if (i % 4 == 0 || verbs > 100)
			laws(s, "after a verb");
		if (i % 16 == 15)
			let_all_go(s);
	}
	let_all_go(s);
}

static void test_workload(const char *name, const char *gpu, const char *const *more, u32 verbs, u64 *seed)
{
	struct setting x;
	struct session *s = open_workload(&x, name, gpu, more);
	const u64 want = finish(s), cycles = sim_cycle(s->sim);
	session_close(s);
	memset(seen, 0, sizeof seen);
	for (u32 run = 0; run < 8 && (!run || unseen() < VERBS); run++) {
		s = open_workload(&x, name, gpu, more);
		disturb(s, seed, verbs, cycles);
		const u64 got = finish(s);
		if (got != want)
			fail_msg("%s on %s: another result", name, gpu);
		session_close(s);
	}
	if (unseen() < VERBS)
		fail_msg("%s on %s: verb %u was never done", name, gpu, unseen());
}

static void test_every_workload(void **state)
{
	static const char *const setups[][4] = {
	    {NULL}, {"lsu.replay=newcar", NULL}, {"warp-sched=tl-gto", "lsu.replay=car", NULL}, {"warp-sched=ccws", NULL}};
	const u32 times = rounds("WARPDBG_VERBS", 60, 60), step = rounds(NULL, 1, 5);
	u64 seed = 11;
	for (u32 i = 0; i < workloads.n; i += step)
		test_workload(workloads.name[i], i % 3 ? "gtx480" : "titanv", setups[i % ARRAY_LEN(setups)], times, &seed);
	for (u32 v = 0; v < VERBS; v++)
		if (!done[v])
			fail_msg("verb %u was never done", v);
	assert_true(elsewhere > 0);
	printf("%llu verbs: paused %llu, resumed %llu, halted %llu, dropped %llu (not %llu), saved %llu + %llu, restored "
	       "%llu\n",
	       (unsigned long long)all_verbs, (unsigned long long)done[PAUSE], (unsigned long long)done[RESUME],
	       (unsigned long long)done[HALT], (unsigned long long)done[DROP], (unsigned long long)refused[DROP],
	       (unsigned long long)done[SAVE], (unsigned long long)done[REQUEUE], (unsigned long long)done[RESTORE]);
}

/* The CTA of the transaction that waits for the re-execution queue on an SM; false: none does. */
static bool holder(const struct gpu *g, u32 *sm, u32 *launch, u64 *id)
{
	for (*sm = 0; *sm < g->conf.num_sms; ++*sm) {
		const struct sm_ctx *x = &g->ctx[*sm];
		const struct sm *s = g->sm[*sm];
		if (!x->replay->held)
			continue;
		const u32 w =
		    x->replay->held & REPLAY_HOLDS_PIPE ? l1_pipe_at(x, 0, NULL)->warp : sm_lsu_at((struct sm *)s, 0)->warp;
		if (w >= WARP_SLOTS)
			continue;
		*launch = s->cta[s->warp[w].cta_slot].launch;
		*id = s->cta[s->warp[w].cta_slot].id;
		return true;
	}
	return false;
}

/* What waits behind its own warp's entries of the re-execution queue need not wait for them when both have left the
 * SM's slots: it asks again. */
static void test_held(void **state)
{
	const char *const car[] = {"warp-sched=tl-gto", "lsu.replay=car", NULL};
	struct setting x;
	struct err e = {0};
	u32 sm, launch, saved = 0;
	u64 id;
	struct session *s = open_workload(&x, "fwt", "gtx480", car);
	struct gpu *g = s->sim->gpu;
	while (saved < 12 && session_run(s, sim_cycle(s->sim) + 1, &e) == SS_CYCLE) {
		if (!holder(g, &sm, &launch, &id))
			continue;
		if (!gpu_save_cta(g, launch, id, true, &e))
			fail_msg("%s", e.msg);
		saved++;
		assert_int_equal(g->ctx[sm].replay->held, 0);
		assert_int_equal(g->sm[sm]->lsu_refused, MR_HIT);
		laws(s, "saved while it waits for the re-execution queue");
	}
	assert_int_equal(saved, 12);
	finish(s);
	session_close(s);
}

/* Verbs in the past: every cycle is what it was, forward and backward. */
static void test_time_travel(void **state)
{
	static const char *const names[] = {"hotspot", "bfs", "sortnet", "reduction"};
	u64 seed = 3;
	for (u32 k = 0; k < ARRAY_LEN(names); k++)
		disturbed_travel(names[k], &by_verb, &seed);
}

/* --- what a CTA has, by hand -------------------------------------------------------------------------------------- */

/* Two warps. Each thread writes local memory, the first warp arrives at a barrier with its predicate (tid odd) while
 * the second spins; behind it all add up: what was in local memory, and how many predicates were true. */
static const char context[] =
    PTX_HEAD ".visible .entry k(.param .u64 p0, .param .u64 p1)\n{\n"
             ".reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %a<8>;\n.local .align 4 .b8 mem[64];\n"
             "ld.param.u64 %a1, [p0]; ld.param.u64 %a3, [p1]; cvt.u32.u64 %r9, %a3; mov.u32 %r1, %tid.x; "
             "mov.u32 %r2, %ctaid.x;\n"
             "mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1; mad.wide.u32 %a2, %r4, 4, %a1;\n"
             "mov.u64 %a4, mem; mul.lo.u32 %r5, %r4, 3; st.local.u32 [%a4+20], %r5; and.b32 %r6, %r1, 1;\n"
             "setp.ne.u32 %p1, %r6, 0; setp.lt.u32 %p2, %r1, 32; @%p2 bra B;\n"
             "L: sub.u32 %r9, %r9, 1; setp.ne.u32 %p3, %r9, 0; @%p3 bra L;\n"
             "B: bar.red.popc.u32 %r7, 0, %p1; ld.local.u32 %r8, [%a4+20]; add.u32 %r8, %r8, %r7;\n"
             "st.global.u32 [%a2], %r8; ret;\n}\n";

/* Saved with a warp at the barrier, and local memory written; others take the places meanwhile, and it comes back to
 * the other SM. */
static void test_context(void **state)
{
	struct err e = {0};
	struct sim *s = machine((const char *[]){"num_sms=2", "sm.ctas=2", NULL});
	struct module *m = rig_load(s, context);
	const u64 buf = rig_alloc(s, 4ull * 64 * 8);
	const u32 id = rig_launch(s, m, "k", 8, 64, 0, (u64[]){buf, 300}, 2);
	struct gpu *g = s->gpu;
	while (!g->sm[0]->cta[0].bar[0].arrived && sim_cycle(s) < 5000)
		sim_run(s, sim_cycle(s) + 10, NULL);
	const u64 cta = g->sm[0]->cta[0].id;
	assert_int_equal(g->sm[0]->cta[0].bar[0].arrived, 1);
	if (!gpu_save_cta(g, id, cta, false, &e))
		fail_msg("%s", e.msg);
	assert_false(gpu_pause_cta(g, id, cta, &e));
	assert_non_null(strstr(e.msg, "is saved"));
	sim_run(s, sim_cycle(s) + 2000, NULL);
	if (!gpu_restore_cta(g, id, cta, 1, &e))
		fail_msg("%s", e.msg);
	rig_finish(s);
	for (u32 t = 0; t < 64 * 8; t++)
		assert_int_equal(rig_u32(s, buf + 4 * t), 3 * t + 32);
	assert_int_equal(g->sm[1]->k.ctas_restored, 1);
	sim_destroy(s);
}

static const char stores_first[] =
    PTX_HEAD ".visible .entry k(.param .u64 a, .param .u64 n)\n{\n"
             ".reg .u64 %rd<4>; .reg .pred %p1; .reg .u32 %r<4>;\nld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [n]; "
             "cvt.u32.u64 %r1, %rd2;\n"
             "mov.u32 %r2, %tid.x; mul.wide.u32 %rd2, %r2, 4; add.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], 7;\n"
             "L: sub.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;\n"
             "add.u32 %r3, %r2, 5; st.global.u32 [%rd3], %r3; ret;\n}\n";

/* With commit.delay what an SM has queued is neither dropped nor saved with the CTA: both are refused until it has
 * taken effect, and say so. */
static void test_late_commits(void **state)
{
	struct err e = {0};
	struct sim *s = machine((const char *[]){"num_sms=1", "commit.delay=8", "idempotence.track=true", NULL});
	struct module *m = rig_load(s, stores_first);
	const u64 buf = rig_alloc(s, 4ull * 64);
	const u32 id = rig_launch(s, m, "k", 1, 64, 0, (u64[]){buf, 300}, 2);
	struct gpu *g = s->gpu;
	while (!front_queued(g->front, 0) && sim_cycle(s) < 5000)
		sim_run(s, sim_cycle(s) + 1, NULL);
	assert_true(front_queued(g->front, 0));
	const u64 hash = sim_hash(s);
	assert_false(gpu_save_cta(g, id, 0, false, &e));
	assert_non_null(strstr(e.msg, "SM 0 has"));
	assert_non_null(strstr(e.msg, "take effect later (commit.delay)"));
	e = (struct err){0};
	assert_false(gpu_drop_cta(g, id, 0, &e));
	assert_non_null(strstr(e.msg, "take effect later (commit.delay)"));
	assert_true(sim_hash(s) == hash);
	while (front_queued(g->front, 0))
		sim_run(s, sim_cycle(s) + 1, NULL);
	e = (struct err){0};
	if (!gpu_save_cta(g, id, 0, true, &e))
		fail_msg("%s", e.msg);
	rig_finish(s);
	for (u32 t = 0; t < 64; t++)
		assert_int_equal(rig_u32(s, buf + 4 * t), t + 5);
	sim_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_context), cmocka_unit_test(test_late_commits),   cmocka_unit_test(test_time_travel),
	    cmocka_unit_test(test_held),    cmocka_unit_test(test_every_workload),
	};
	return cmocka_run_group_tests(tests, find_files, release_files);
}
