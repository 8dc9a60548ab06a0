/* CTAs that leave their SM and come back, where it is easily wrong: with accesses under way, at a fence, for long; and
 * what preempt.traffic moves for them: lines that a context begins within, in which order, on several SMs at once. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "gpu/verbs.h"
#include "tests/rig/preempt_rig.h"

/* fenced: a store, a fence, then a loop. roomy: 160 bytes of shared memory, that is a line and a quarter. */
#define ENTRY(name)                                                                                                    \
	".visible .entry " name "(.param .u64 p0, .param .u64 p1)\n{\n.reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 "      \
	"%a<8>; .shared .align 4 .b8 room[160];\nld.param.u64 %a1, [p0]; ld.param.u64 %a3, [p1]; cvt.u32.u64 %r9, %a3; "   \
	"mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n"                                                                    \
	"mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1; mad.wide.u32 %a2, %r4, 4, %a1; mov.u32 %r8, 7;\n"
#define LOOP "L: sub.u32 %r9, %r9, 1; add.u32 %r8, %r8, %r4; setp.ne.u32 %p3, %r9, 0; @%p3 bra L;\n"
#define END "st.global.u32 [%a2], %r8; ret;\n}\n"
static const char kernels[] = PTX_HEAD ENTRY("fenced") "st.global.u32 [%a2], %r4; membar.gl;\n" LOOP END ENTRY(
    "roomy") "mov.u32 %r7, room; st.shared.u32 [%r7], %r8;\n" LOOP END;

static struct field open_field(const char *kernel, const char *const *sets)
{
	struct field f = {.s = machine(sets)};
	f.m = rig_load(f.s, kernels);
	f.buf = rig_alloc(f.s, 4ull * THREADS * CTAS);
	f.k = rig_launch(f.s, f.m, kernel, CTAS, THREADS, 0, (u64[]){f.buf, LOOPS}, 2);
	f.g = f.s->gpu;
	return f;
}

static u64 bytes_of(const struct field *f)
{
	return 4ull * sm_cta_regs(&f->g->conf, f->g->launch[0]) + sm_cta_shared(&f->g->conf, f->g->launch[0]);
}

/* --- with something under way ------------------------------------------------------------------------------------- */

static u32 at_fence(const struct field *f, u32 slot)
{
	const struct sm *s = f->g->sm[0];
	u32 n = 0;
	FOR_EACH_BIT(w, s->cta[slot].warps)
	n += s->cta[slot].used && s->warp[w].fence;
	return n;
}

/* Saved while its warps wait at a fence: the stores are performed meanwhile, and it does not wait for them again. Away
 * is all the time from leaving its slot to the new one: while answers come, while it is held, in the queue. */
static void saved_at_a_fence(void **state)
{
	struct field f = open_field("fenced", (const char *[]){"num_sms=2", "sm.ctas=4", NULL});
	struct rig_log log = {0};
	struct err e = {0};
	sim_subscribe(f.s, EVENT(EV_CTA_SAVE) | EVENT(EV_CTA_RESTORE), rig_record, &log);
	while (at_fence(&f, 0) < 2)
		sim_run(f.s, sim_cycle(f.s) + 1, NULL);
	const u64 id = f.g->sm[0]->cta[0].id;
	assert_int_equal(f.g->sm[0]->cta[0].away, 0);
	if (!gpu_save_cta(f.g, f.k, id, false, &e))
		fail_msg("%s", e.msg);
	struct smst_info smst[2];
	for (u32 i = 0; i < 2; i++)
		gpu_smst(f.g, i, &smst[i]);
	assert_true(smst[0].leaving == 1 && !smst[1].leaving);
	u32 leaving = 0;
	for (u32 i = 0; i < 900; i++) {
		sim_run(f.s, sim_cycle(f.s) + 1, NULL);
		leaving += f.g->resume.r->leaving;
	}
	gpu_smst(f.g, 0, &smst[0]);
	assert_true(leaving > 20 && !smst[0].leaving); /* its stores were acknowledged in that time */
	if (!gpu_restore_cta(f.g, f.k, id, 1, &e))
		fail_msg("%s", e.msg);
	while (!rig_count(&log, EV_CTA_RESTORE))
		sim_run(f.s, sim_cycle(f.s) + 1, NULL);
	const struct event *out = rig_event(&log, EV_CTA_SAVE, 0), *in = rig_event(&log, EV_CTA_RESTORE, 0);
	const struct cta *c = NULL;
	for (u32 i = 0; i < 4; i++)
		if (f.g->sm[1]->cta[i].used && f.g->sm[1]->cta[i].id == id)
			c = &f.g->sm[1]->cta[i];
	assert_non_null(c);
	assert_true(in->cycle >= out->cycle + 900);
	assert_int_equal(c->away, in->cycle - out->cycle);
	free(log.e);
	finish(&f, false);
}

/* --- contexts on their way ---------------------------------------------------------------------------------------- */

static u64 reads(const struct field *f)
{
	return rig_counter(f->s, CG_noc, "read_sent");
}

/* Contexts lie one behind the other. One that begins within a line is fetched from the line's beginning: all lines that
 * it has a byte of, each once. */
static void fetched_from_the_line(void **state)
{
	struct field f = open_field(
	    "roomy", (const char *[]){"num_sms=4", "sm.ctas=4", "sm.shared_unit=32", "preempt.traffic=true", NULL});
	run_until_ended(&f, 4);
	sim_run(f.s, sim_cycle(f.s) + 300, NULL);
	const u64 each = bytes_of(&f), line = f.g->conf.l1d_line;
	assert_true(each % line == 32);
	const u32 id = ask(&f, "switch", 1000, 1 << 2);
	u64 first = NEVER, lines = 0, bytes = 0, at[4] = {0};
	u32 n = 0, within = 0;
	const struct traffic *t = f.g->resume.traffic.t;
	while (n < 4 && !sim_idle(f.s)) { /* saved, all in one cycle, and not back yet */
		n = 0;
		for (u32 i = 0; i < f.g->resume.max; i++)
			if (f.g->resume.context[i].bytes && n < 4)
				at[n++] = f.g->resume.context[i].addr;
		if (n < 4)
			sim_run(f.s, sim_cycle(f.s) + 1, NULL);
	}
	assert_int_equal(t->back, 0);
	assert_non_null(preempt_find(f.g->preempt.p, id));
	const u64 before = reads(&f);
	for (u32 i = 0; i < 4; i++) {
		first = MIN(first, at[i]);
		lines += (at[i] + each - 1) / line - at[i] / line + 1;
		bytes += each + at[i] % line;
		within += at[i] % line != 0;
	}
	assert_true(first % line == 0 && within == 3);
	while ((t->back < bytes || t->open) && !sim_idle(f.s))
		sim_run(f.s, sim_cycle(f.s) + 1, NULL);
	assert_int_equal(t->back, bytes);
	assert_int_equal(t->out, 4 * each);
	assert_int_equal(reads(&f) - before, lines);
	finish(&f, false);
}

/* At the end of the ring the next contexts lie at its beginning again, all of an SM's in one piece. */
static void ring_of_contexts(void **state)
{
	struct field f = open_field("roomy", (const char *[]){"num_sms=4", "sm.ctas=4", "preempt.traffic=true", NULL});
	run_until_ended(&f, 4);
	sim_run(f.s, sim_cycle(f.s) + 300, NULL);
	struct traffic *t = f.g->resume.traffic.t;
	const u64 each = bytes_of(&f);
	t->next = CONTEXT_RING - 3 * each; /* room for three; there are four */
	ask(&f, "switch", 1000, 1 << 2);
	for (u32 n = 0; n < 4 && !sim_idle(f.s); sim_run(f.s, sim_cycle(f.s) + 1, NULL)) {
		n = 0;
		for (u32 i = 0; i < f.g->resume.max; i++) {
			const struct saved_context *c = &f.g->resume.context[i];
			if (!c->bytes)
				continue;
			assert_true(c->addr >= CONTEXT_BASE && c->addr + c->bytes <= CONTEXT_BASE + 4 * each);
			n++;
		}
	}
	assert_true(t->next >= 4 * each && t->next < 4 * each + 256);
	finish(&f, false);
}

/* Each SM moves its own: two that begin in the same cycle send a line each in every cycle, at first. */
static void sms_move_side_by_side(void **state)
{
	struct field f = open_field("roomy", (const char *[]){"num_sms=4", "sm.ctas=4", "preempt.traffic=true", NULL});
	run_until_ended(&f, 4);
	sim_run(f.s, sim_cycle(f.s) + 300, NULL);
	ask(&f, "switch", 1000, 1 << 1 | 1 << 3);
	const struct traffic_ctx *x = &f.g->resume.traffic;
	while (!x->of[1].n || !x->of[1].move[x->of[1].first].sent)
		sim_run(f.s, sim_cycle(f.s) + 1, NULL);
	const u64 line = f.g->conf.l1d_line;
	for (u32 i = 1; i < 5; i++, sim_run(f.s, sim_cycle(f.s) + 1, NULL))
		for (u32 sm = 1; sm < 4; sm += 2)
			assert_int_equal(x->of[sm].move[x->of[sm].first].sent, i * line);
	finish(&f, false);
}

/* What comes to an SM is moved in the order in which it came: who has come first goes on first. */
static void first_come_first_moved(void **state)
{
	struct field f = open_field(
	    "roomy", (const char *[]){"num_sms=4", "sm.ctas=4", "preempt.halt=cta", "preempt.traffic=true", NULL});
	struct rig_log log = {0};
	struct err e = {0};
	u64 order[CTAS], at[4] = {0};
	u32 n[4] = {0}, went_on = 0, deep = 0;
	run_until_ended(&f, 4);
	sim_run(f.s, sim_cycle(f.s) + 300, NULL);
	sim_subscribe(f.s, EVENT(EV_CTA_RESTORE) | EVENT(EV_CTA_RESUME), rig_record, &log);
	const u64 all[CONF_SM_WORDS] = {0xf};
	run_until_done(&f, ask(&f, "switch", 1000, 0xf));
	assert_true(gpu_release_sms(f.g, all, &e)); /* sixteen come back, four to an SM */
	const struct traffic_ctx *x = &f.g->resume.traffic;
	while (f.g->resume.r->n || x->t->open) {
		sim_run(f.s, sim_cycle(f.s) + 1, NULL);
		for (u32 sm = 0; sm < 4; sm++)
			deep = MAX(deep, x->of[sm].n);
		if (!gpu_check_state(f.g, &e))
			fail_msg("%s", e.msg);
	}
	assert_true(deep >= 3);
	for (u32 sm = 0; sm < 4; sm++) {
		n[sm] = 0;
		at[sm] = 0;
		for (u32 i = 0; i < log.n; i++) {
			const struct event *v = &log.e[i];
			if (v->sm != (s32)sm)
				continue;
			if (v->type == EV_CTA_RESTORE)
				order[n[sm]++] = (u64)v->cta;
			else {
				assert_true(at[sm] < n[sm] && order[at[sm]++] == (u64)v->cta);
				went_on++;
			}
		}
	}
	assert_true(went_on == 16);
	free(log.e);
	finish(&f, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(saved_at_a_fence),       cmocka_unit_test(fetched_from_the_line),
	    cmocka_unit_test(ring_of_contexts),       cmocka_unit_test(sms_move_side_by_side),
	    cmocka_unit_test(first_come_first_moved),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
