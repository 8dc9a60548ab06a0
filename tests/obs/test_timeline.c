/* Timelines that are sampled the more seldom the longer the run: fine at first, the whole run kept, and the same
 * whichever way through history it was come to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/rig/debug_rig.h"
#include "dbg/debugger.h"
#include "obs/record/timeline.h"
#include "obs/record/timeline_csv.h"

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
static void forked(void *ctx, u64 cycle)
{
	timeline_fork(((struct own *)ctx)->t, cycle);
}

static void attach(struct own *o, struct rig *r, u32 capacity)
{
	*o = (struct own){.s = r->s->sim, .t = timeline_create(sim_gpu(r->s->sim), 16, capacity)};
	o->id = sim_add_sampler(o->s, 16, sample, o);
	sim_hear_again(o->s, o->id);
	sim_on_fork(o->s, o->id, forked);
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
			struct sample sum = {0}, all = timeline_sum(few.t, sm, i, i + 1);
			for (u32 k = 0; k < each; k++) {
				struct sample one = timeline_sum(many.t, sm, i * each + k, i * each + k + 1);
				sample_add(&sum, &one);
			}
			assert_memory_equal(&sum, &all, sizeof sum);
		}
	timeline_free(few.t);
	timeline_free(many.t);
	rig_close(&r);
}

static void assert_same_samples(const struct own *a, const struct own *b)
{
	assert_int_equal(timeline_span(a->t), timeline_span(b->t));
	assert_int_equal(timeline_len(a->t), timeline_len(b->t));
	for (u32 i = 0; i < timeline_len(a->t); i++)
		for (s32 sm = -1; sm < 15; sm++) {
			struct sample x = timeline_sum(a->t, sm, i, i + 1), y = timeline_sum(b->t, sm, i, i + 1);
			assert_memory_equal(&x, &y, sizeof x);
		}
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
	assert_same_samples(&straight, &wound);
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

/* Forks inside samples, merged ones too, by changes that change nothing: byte for byte as straight through. */
static void forked_inside_a_sample(void **state)
{
	static const char *const walk[] = {
	    "until 90",
	    "goto 33",
	    "set max_ctas_per_sm 0",
	    "until 700",
	    "goto 515",
	    "goto 130",
	    "until 401",
	    "goto 397",
	    "x/1xb 0x100010300",
	    "lua mem.write_u8(a, mem.read_u8(a))",
	    "goto 380",
	    "until 900",
	    "goto 899",
	    "undo",
	    "set deadlock_cycles 100000",
	    "until 907",
	    "goto 899",
	    "set max_ctas_per_sm 0",
	    "goto 640",
	    "lua mem.write_u8(a, mem.read_u8(a))",
	};
	struct rig a, b;
	struct own straight, forks;
	struct strbuf want = STRBUF_INIT, has = STRBUF_INIT;
	rig_vecadd(&a);
	attach(&straight, &a, 8);
	rig_has(&a, "c", "finished");
	rig_vecadd(&b);
	attach(&forks, &b, 8);
	rig_say(&b, "lua a = 0x100010300");
	for (u32 i = 0; i < ARRAY_LEN(walk); i++)
		rig_say(&b, walk[i]);
	rig_has(&b, "c", "finished");
	assert_same_samples(&straight, &forks);
	assert_int_equal(sim_cycle(a.s->sim), sim_cycle(b.s->sim));
	/* What `export csv` writes, and once more from a fork where the samples are longest. */
	rig_say(&b, "goto 1111");
	rig_say(&b, "set max_ctas_per_sm 0");
	rig_has(&b, "c", "finished");
	assert_same_samples(&straight, &forks);
	timeline_csv_text(a.s->timeline, &a.s->conf, &want);
	timeline_csv_text(b.s->timeline, &b.s->conf, &has);
	assert_string_equal(strbuf_str(&want), strbuf_str(&has));
	strbuf_release(&want);
	strbuf_release(&has);
	timeline_free(straight.t);
	timeline_free(forks.t);
	rig_close(&a);
	rig_close(&b);
}

/* The files of --timeline and --trace, the same way. */
static void files_of_a_forked_run(void **state)
{
	static const char *const dirs[] = {"straight", "forked"};
	struct strbuf file[2][2] = {{STRBUF_INIT, STRBUF_INIT}, {STRBUF_INIT, STRBUF_INIT}};
	for (u32 i = 0; i < 2; i++) {
		char csv[64], json[64];
		struct rig r;
		snprintf(csv, sizeof csv, "/tmp/wd-%s-%d.csv", dirs[i], (int)getpid());
		snprintf(json, sizeof json, "/tmp/wd-%s-%d.json", dirs[i], (int)getpid());
		char *argv[] = {"warpdbg",    "debug", "hotspot", "--size", "small", "--set", "timeline.period=500",
		                "--timeline", csv,     "--trace", json,     NULL};
		rig_open(&r, argv);
		if (i) {
			rig_say(&r, "until 1300");
			rig_say(&r, "goto 777");
			rig_say(&r, "set max_ctas_per_sm 0");
			rig_say(&r, "until 2345");
			rig_say(&r, "reverse-step 5");
			rig_say(&r, "set max_ctas_per_sm 0");
			rig_say(&r, "undo");
		}
		rig_has(&r, "c", "finished");
		rig_close(&r);
		assert_true(strbuf_read_file(&file[i][0], csv, NULL) && strbuf_read_file(&file[i][1], json, NULL));
		unlink(csv);
		unlink(json);
	}
	for (u32 k = 0; k < 2; k++) {
		assert_true(file[0][k].len > 1000);
		assert_string_equal(strbuf_str(&file[0][k]), strbuf_str(&file[1][k]));
		strbuf_release(&file[0][k]);
		strbuf_release(&file[1][k]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(short_kernels_have_curves), cmocka_unit_test(coarser_as_it_grows),
	    cmocka_unit_test(any_way_through_history),   cmocka_unit_test(forked_inside_a_sample),
	    cmocka_unit_test(files_of_a_forked_run),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
