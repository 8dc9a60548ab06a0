/* Instruction caches of schedulers and their stream buffers: straight code, a loop, two schedulers. */
#define LOOP_HEAD ".version 7.0\n.target sm_80\n.address_size 64\n"
#include "tests/rig/sm_rig.h"
#include "base/strbuf.h"
#include "sm/l0i.h"

#define MACHINE                                                                                                        \
	"isa.issue_cost=ptx", "warp-sched=lrr", "num_sms=1", "sm.schedulers=4", "l1i.perfect=true", "sm.fetches=4",        \
	    "sm.fetch_width=4", "sm.ibuffer=4", "launch.latency=0"

struct figures {
	u64 cycles, hits, stream_hits, misses, streamed, fetches;
};

/* `n` independent additions, `loops` times, in a CTA of so many warps. */
static struct figures run(const char *const *sets, u32 n, u32 loops, u32 warps)
{
	struct sim *s = machine(sets);
	struct strbuf t = STRBUF_INIT;
	strbuf_adds(&t,
	            LOOP_HEAD ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<9>; .reg .pred %p<2>;\nmov.u32 %r1, 1; "
	                      "mov.u32 %r2, 0;\nL:\n");
	for (u32 i = 0; i < n; i++)
		strbuf_adds(&t, "add.u32 %r3, %r1, %r1;\n");
	strbuf_addf(&t, "add.u32 %%r2, %%r2, 1;\nsetp.lt.u32 %%p1, %%r2, %u;\n@%%p1 bra L;\nret;\n}\n", loops);
	struct run r = run_ptx(s, strbuf_str(&t), 1, 32 * warps, (u64[]){0}, 1);
	assert_int_equal(r.why, STOP_IDLE);
	struct figures f = {.cycles = r.cycles,
	                    .hits = rig_counter(s, CG_sm, "l0i_hits"),
	                    .stream_hits = rig_counter(s, CG_sm, "l0i_stream_hits"),
	                    .misses = rig_counter(s, CG_sm, "l0i_misses"),
	                    .streamed = rig_counter(s, CG_sm, "l0i_streamed"),
	                    .fetches = rig_counter(s, CG_sm, "fetches")};
	strbuf_release(&t);
	sim_destroy(s);
	return f;
}

#define NEAR(got, want, most)                                                                                          \
	do {                                                                                                               \
		const double g_ = (double)(got), w_ = (double)(want);                                                          \
		if (g_ < w_ - (most) || g_ > w_ + (most))                                                                      \
			fail_msg("%s is %.0f, should be %.0f", #got, g_, w_);                                                      \
	} while (0)

/* 640 instructions are 40 lines; a warp misses each without a stream buffer, only the first one with it. */
static void test_straight_code(void **state)
{
	static const char *const none[] = {MACHINE, NULL};
	static const char *const bare[] = {MACHINE, "l0i.lines=48", "l0i.stream=0", "l0i.latency=30", NULL};
	static const char *const stream[] = {MACHINE, "l0i.lines=48", "l0i.stream=8", "l0i.latency=30", NULL};
	const struct figures n = run(none, 640, 1, 1), b = run(bare, 640, 1, 1), s = run(stream, 640, 1, 1);
	assert_int_equal(n.misses + n.hits + n.streamed, 0);
	NEAR(b.misses, 41, 1);
	assert_int_equal(b.hits + b.misses, b.fetches);
	NEAR(b.cycles - n.cycles, 41 * 25, 3 * 41);
	NEAR(s.misses, 1, 0);
	NEAR(s.stream_hits, 40, 1);
	assert_int_equal(s.hits + s.stream_hits + s.misses, s.fetches);
	NEAR(s.cycles - n.cycles, 30, 12);
}

/* A loop that fits misses once; one line more than the cache has, and the oldest is always the next one needed. */
static void test_loops(void **state)
{
	static const char *const small[] = {MACHINE, "l0i.lines=8", "l0i.stream=0", NULL};
	static const char *const large[] = {MACHINE, "l0i.lines=16", "l0i.stream=0", NULL};
	NEAR(run(large, 200, 20, 1).misses, 13, 1);
	NEAR(run(small, 200, 20, 1).misses, 20 * 13, 14);
}

/* Each scheduler has its own: four warps on four schedulers miss four times as often as on one. */
static void test_of_a_scheduler(void **state)
{
	static const char *const bare[] = {MACHINE, "l0i.lines=48", "l0i.stream=0", NULL};
	const struct figures one = run(bare, 640, 1, 1), four = run(bare, 640, 1, 4), eight = run(bare, 640, 1, 8);
	assert_int_equal(four.misses, 4 * one.misses);
	assert_int_equal(eight.misses, four.misses); /* the second warp of each finds its lines */
	assert_int_equal(eight.hits + eight.misses, eight.fetches);
}

/* The buffer keeps one line a cycle ahead, but a longer way than it has lines shows. */
static void test_short_buffer(void **state)
{
	static const char *const one[] = {MACHINE, "l0i.lines=48", "l0i.stream=1", "l0i.latency=200", NULL};
	static const char *const many[] = {MACHINE, "l0i.lines=48", "l0i.stream=16", "l0i.latency=200", NULL};
	assert_true(run(one, 640, 1, 1).cycles > run(many, 640, 1, 1).cycles + 500);
}

/* By hand: the line that was looked for longest ago goes; nothing is fetched behind the code's end. */
static void test_which_line_goes(void **state)
{
	enum { LINE = 128, END = 100 * LINE };
	struct conf c;
	struct err e = {0};
	struct sm_ctx x = {.conf = &c, .l0i = xcalloc(1, sizeof(struct l0i))};
	struct sm *s = xcalloc(1, sizeof *s);
	u64 ready;
	conf_defaults(&c);
	assert_true(conf_set(&c, "l0i.lines", "4", &e) && conf_set(&c, "l1i.perfect", "true", &e));
	for (u64 i = 0; i < 4; i++) {
		assert_false(l0i_find(&x, s, 0, 20 * i * LINE, END, 10 * i, &ready));
		l0i_miss(&x, s, 0, 20 * i * LINE, END, 10 * i + 5);
	}
	assert_true(l0i_find(&x, s, 0, 0, END, 100, &ready));
	assert_int_equal(ready, 5);
	l0i_miss(&x, s, 0, 99 * LINE, END, 110);
	assert_int_equal(x.l0i->streams, 0);
	assert_true(l0i_find(&x, s, 0, 0, END, 120, &ready));
	assert_false(l0i_find(&x, s, 0, 20 * LINE, END, 121, &ready));
	assert_true(l0i_find(&x, s, 0, 40 * LINE, END, 122, &ready));
	l0i_miss(&x, s, 0, 97 * LINE, END, 130);
	assert_int_equal(x.l0i->streams, 2);
	assert_true(l0i_find(&x, s, 0, 99 * LINE, END, 131, &ready));
	free(x.l0i);
	free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_straight_code),   cmocka_unit_test(test_loops),
	    cmocka_unit_test(test_of_a_scheduler),  cmocka_unit_test(test_short_buffer),
	    cmocka_unit_test(test_which_line_goes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
