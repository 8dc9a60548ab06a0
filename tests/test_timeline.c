/* Timelines that are sampled the more seldom the longer the run: fine at first, the whole run kept, and the same
 * whichever way through history it was come to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "debug_rig.h"
#include "debugger.h"
#include "obs/timeline.h"

/* A timeline of few samples beside the session's, so that a short run merges them often. */
struct own {
	struct sim *s;
	struct timeline *t;
	int id;
	u64 calls;
};

static void sample(void *ctx, u64 cycle)
{
	struct own *o = ctx;
	u64 period;
	o->calls++;
	timeline_sample(o->t, cycle);
	if (timeline_coarser(o->t, &period))
		sim_set_sampler(o->s, o->id, period);
}
static void *keep(void *ctx)
{
	return timeline_keep(((struct own *)ctx)->t);
}
static void recall(void *ctx, const void *kept, u64 cycle)
{
	timeline_recall(((struct own *)ctx)->t, kept, cycle);
}
static void forked(void *ctx, u64 cycle)
{
	timeline_fork(((struct own *)ctx)->t, cycle);
}

static void attach(struct own *o, struct rig *r, u32 capacity)
{
	*o = (struct own){.s = r->s->sim, .t = timeline_create(sim_gpu(r->s->sim), 16, capacity)};
	o->id = sim_add_sampler(o->s, 16, sample, o);
	sim_on_snapshot(o->s, o->id, keep, recall);
	sim_on_fork(o->s, o->id, forked);
	sim_history(o->s, 64, NULL); /* anew: snapshots that know of it */
}

/* A kernel of a few hundred cycles has a curve. */
static void short_kernels_have_curves(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_say(&r, "until 640");
	const struct timeline *t = r.s->timeline;
	assert_int_equal(timeline_span(t), 16);
	assert_int_equal(timeline_len(t), 40);
	assert_true(timeline_get(t, -1, TS_IPC, 39) >= 0);
	rig_close(&r);
}

/* Sums of all samples are the machine's counters at the last one's end; readings grow with the logarithm of the run. */
static void coarser_as_it_grows(void **state)
{
	struct rig r;
	struct own few, many;
	rig_vecadd(&r);
	attach(&few, &r, 8);
	attach(&many, &r, 65536);
	rig_has(&r, "c", "finished");
	u64 cycles = sim_cycle(r.s->sim), doublings = 0;
	for (u64 span = 16; span < timeline_span(few.t); span *= 2)
		doublings++;
	assert_true(doublings >= 3);
	assert_in_range(few.calls, timeline_len(few.t), 8 + 4 * doublings);
	assert_in_range(timeline_len(few.t), 4, 8);
	assert_in_range(timeline_len(few.t) * timeline_span(few.t), cycles - timeline_span(few.t), cycles);
	u32 each = (u32)(timeline_span(few.t) / 16);
	for (u32 i = 0; i < timeline_len(few.t); i++)
		for (s32 sm = -1; sm < (s32)r.s->conf.num_sms; sm++) {
			struct sample sum = {0};
			for (u32 k = 0; k < each; k++)
				sample_add(&sum, timeline_raw(many.t, sm, i * each + k));
			assert_memory_equal(&sum, timeline_raw(few.t, sm, i), sizeof sum);
		}
	timeline_free(few.t);
	timeline_free(many.t);
	rig_close(&r);
}

/* Back and forth at any time, and on past the farthest cycle: byte for byte as straight through. */
static void any_way_through_history(void **state)
{
	static const char *const walk[] = {"until 90",   "goto 33",      "until 200", "goto 190",   "until 700",
	                                   "goto 512",   "reverse-step", "until 900", "goto 40",    "goto 896",
	                                   "until 1025", "goto 1",       "step 30",   "until 1400", "reverse-step 300"};
	struct rig a, b;
	struct own straight, wound;
	rig_vecadd(&a);
	attach(&straight, &a, 8);
	rig_has(&a, "c", "finished");
	rig_vecadd(&b);
	attach(&wound, &b, 8);
	for (u32 i = 0; i < ARRAY_LEN(walk); i++)
		rig_say(&b, walk[i]);
	rig_has(&b, "c", "finished");
	assert_int_equal(timeline_span(straight.t), timeline_span(wound.t));
	assert_int_equal(timeline_len(straight.t), timeline_len(wound.t));
	for (u32 i = 0; i < timeline_len(straight.t); i++)
		for (s32 sm = -1; sm < 15; sm++)
			assert_memory_equal(timeline_raw(straight.t, sm, i), timeline_raw(wound.t, sm, i), sizeof(struct sample));
	assert_int_equal(sim_hash(a.s->sim), sim_hash(b.s->sim));
	/* A fork cuts what came after it, and the run goes on from there. */
	rig_say(&b, "goto 600");
	rig_say(&b, "set max_ctas_per_sm 1");
	assert_true(timeline_len(wound.t) * timeline_span(wound.t) <= 600);
	rig_has(&b, "c", "finished");
	u64 end = timeline_len(wound.t) * timeline_span(wound.t);
	assert_in_range(end, sim_cycle(b.s->sim) - timeline_span(wound.t), sim_cycle(b.s->sim));
	timeline_free(straight.t);
	timeline_free(wound.t);
	rig_close(&a);
	rig_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(short_kernels_have_curves),
	    cmocka_unit_test(coarser_as_it_grows),
	    cmocka_unit_test(any_way_through_history),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
