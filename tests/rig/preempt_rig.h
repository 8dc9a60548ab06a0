/* preempt_rig: a machine of four SMs with one kernel, which is asked for SMs. Behind cmocka.h. */
#ifndef TESTS_RIG_PREEMPT_RIG_H
#define TESTS_RIG_PREEMPT_RIG_H
#include "gpu/gpu.h"
#include "sim_internal.h"
#include "tests/rig/sm_rig.h"

/* Each thread counts down, then stores; with a barrier between, so that contexts matter. */
static const char spin[] = PTX_HEAD
    ".visible .entry k(.param .u64 p0, .param .u64 p1)\n{\n.reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %a<8>;\n"
    "ld.param.u64 %a1, [p0]; ld.param.u64 %a3, [p1]; cvt.u32.u64 %r9, %a3; mov.u32 %r1, %tid.x; "
    "mov.u32 %r2, %ctaid.x;\n"
    "mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1; mad.wide.u32 %a2, %r4, 4, %a1; mov.u32 %r8, 7;\n"
    "L: sub.u32 %r9, %r9, 1; add.u32 %r8, %r8, %r4; setp.ne.u32 %p3, %r9, 0; @%p3 bra L;\n"
    "bar.sync 0; st.global.u32 [%a2], %r8; ret;\n}\n.visible .entry inc(.param .u64 p0, .param .u64 p1)\n"
    "{\n.reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %a<8>;\n"
    "ld.param.u64 %a1, [p0]; ld.param.u64 %a3, [p1]; cvt.u32.u64 %r9, %a3; mov.u32 %r1, %tid.x; "
    "mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1; mad.wide.u32 %a2, %r4, 4, %a1;\n"
    "ld.global.u32 %r8, [%a2]; add.u32 %r8, %r8, 1; st.global.u32 [%a2], %r8;\n"
    "L: sub.u32 %r9, %r9, 1; setp.ne.u32 %p3, %r9, 0; @%p3 bra L;\nret;\n}\n";

#define CTAS 40
#define THREADS 64
#define LOOPS 400
struct field {
	struct sim *s;
	struct module *m;
	u64 buf;
	u32 k;
	struct gpu *g;
};
static inline struct field begin(const char *kernel, const char *extra)
{
	struct field f = {.s = machine((const char *[]){"num_sms=4", "sm.ctas=4", "idempotence.track=true", extra, NULL})};
	f.m = rig_load(f.s, spin);
	f.buf = rig_alloc(f.s, 4ull * THREADS * CTAS);
	f.k = rig_launch(f.s, f.m, kernel, CTAS, THREADS, 0, (u64[]){f.buf, LOOPS}, 2);
	f.g = f.s->gpu;
	return f;
}

static inline void finish(struct field *f, bool inc)
{
	rig_finish(f->s);
	for (u32 t = 0; t < THREADS * CTAS; t++)
		assert_int_equal(rig_u32(f->s, f->buf + 4 * t), inc ? 1 : 7 + LOOPS * t);
	assert_int_equal(f->g->resume.r->n, 0);
	sim_destroy(f->s);
}

static inline void run_until_ended(struct field *f, u64 ctas)
{
	while (f->g->task->kcb[f->k].k.ctas_done < ctas && !sim_idle(f->s))
		sim_run(f->s, sim_cycle(f->s) + 1, NULL);
}

/* Half way through the second CTAs. */
static inline void run_to_the_middle(struct field *f)
{
	run_until_ended(f, 1);
	sim_run(f->s, sim_cycle(f->s) * 3 / 2, NULL);
}

static inline u32 ask(struct field *f, const char *by, double us, u64 set)
{
	struct err e = {0};
	const u64 sms[CONF_SM_WORDS] = {set};
	const u32 id = gpu_preempt(
	    f->g, &(struct sm_order){.launch = f->k, .sms = 1, .set = set ? sms : NULL, .within_us = us, .by = by}, &e);
	if (!id)
		fail_msg("%s", e.msg);
	return id;
}

static inline const struct preempt_plan *plan_of(const struct field *f, u32 id)
{
	for (u32 i = 0; i < PREEMPT_PLANS; i++)
		if (f->g->preempt.p->plan[i].request == id)
			return &f->g->preempt.p->plan[i];
	fail_msg("request %u has no plan", id);
	return NULL;
}

static inline void run_until_done(struct field *f, u32 id)
{
	while (!preempt_find(f->g->preempt.p, id)->done_at && !sim_idle(f->s)) {
		struct err e = {0};
		sim_run(f->s, sim_cycle(f->s) + 1, NULL);
		if (!gpu_check_state(f->g, &e))
			fail_msg("%s", e.msg);
	}
}
#endif
