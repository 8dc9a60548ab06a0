/* When the screen draws while the machine runs, and whose slice is next: scr/pace.h against a made-up clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "scr/pace.h"

/* Two machines that need so many seconds a cycle, and a screen whose frames cost `frame` seconds. */
struct world {
	struct pace p;
	double now, cycle[2], frame;
	u64 at[2];
	bool both;
	u32 frames, apart, turns;
	double drawing, last, longest; /* longest: time between two frames */
	enum machine_turn was;
};

static bool behind(const struct world *w)
{
	return w->at[TURN_B] < w->at[TURN_A];
}

static void step(struct world *w)
{
	enum machine_turn t = pace_turn(&w->p, behind(w), w->both, false);
	u64 n = w->p.slice[t];
	if (t == TURN_B)
		n = MIN(n, w->at[TURN_A] - w->at[TURN_B]);
	w->turns += t != w->was;
	w->was = t;
	w->at[t] += n;
	double took = (double)n * w->cycle[t];
	w->now += took;
	pace_sliced(&w->p, t, n, took, took, behind(w));
	bool apart = w->both && behind(w);
	if (!pace_may_draw(&w->p, w->now, apart))
		return;
	w->frames++;
	w->apart += apart;
	w->now += w->frame;
	w->drawing += w->frame;
	w->longest = MAX(w->longest, w->now - w->last);
	w->last = w->now;
	pace_drawn(&w->p, w->now, w->frame);
}

static struct world run(double a, double b, double frame, bool both, double seconds)
{
	struct world w = {.cycle = {a, b}, .frame = frame, .both = both};
	pace_init(&w.p);
	while (w.now < seconds)
		step(&w);
	return w;
}

/* Frames take their share and no more; cheap ones come twenty times a second. */
static void frames_keep_their_share(void **state)
{
	static const double costs[] = {1e-4, 1e-3, 4e-3, 3e-2};
	for (u32 i = 0; i < ARRAY_LEN(costs); i++)
		for (u32 both = 0; both < 2; both++) {
			struct world w = run(1e-7, 1e-7, costs[i], both, 20);
			assert_true(w.drawing <= DRAW_SHARE * w.now + 2 * costs[i]);
			assert_true(w.frames <= (u32)(w.now / FRAME_SECONDS) + 1);
			assert_true(w.longest < DEBT_SECONDS / DRAW_SHARE);
		}
	assert_true(run(1e-7, 1e-7, 1e-4, false, 20).frames >= 250);
	assert_true(run(1e-7, 1e-7, 1e-4, true, 20).frames >= 150);
}

/* Where both are shown they stand side by side, unless the other one is far slower; then a frame comes anyway. */
static void both_are_shown_together(void **state)
{
	struct world even = run(1e-7, 1e-7, 1e-3, true, 20), slow = run(1e-7, 1e-4, 1e-3, true, 20);
	assert_true(even.frames > 100);
	assert_true(even.apart <= 1); /* the first one */
	assert_true(slow.frames > 20);
	assert_true(slow.longest < 1);
}

/* The host's caches are filled anew with each turn: few turns a second. */
static void turns_are_long(void **state)
{
	struct world one = run(1e-7, 1e-7, 1e-3, false, 20), both = run(1e-7, 1e-7, 1e-3, true, 20);
	assert_in_range(one.turns, 20 * 5, 20 * 25);
	assert_in_range(both.turns, 20 * 5, 20 * 45);
	assert_true(one.at[TURN_A] - one.at[TURN_B] < (u64)(2 * LEAD_SECONDS / 1e-7));
}

/* Against a machine a thousand times slower this one keeps its lead small. */
static void a_slow_one_is_waited_for(void **state)
{
	struct world w = run(1e-7, 1e-4, 1e-3, false, 30);
	assert_true((double)(w.at[TURN_A] - w.at[TURN_B]) * 1e-4 < 30);
	assert_true(w.at[TURN_B] > 100000);
}

/* A slice that was cut short says nothing about how long the next one may be: steps of one cycle do not make the run
 * after them deaf to keys. */
static void short_steps_do_not_grow_the_slice(void **state)
{
	struct pace p;
	pace_init(&p);
	u64 was = p.slice[TURN_A];
	for (u32 i = 0; i < 100; i++)
		pace_sliced(&p, TURN_A, 1, 1e-5, 1e-5, false);
	assert_int_equal(p.slice[TURN_A], was);
	pace_sliced(&p, TURN_A, was, 1e-5, 1e-5, false);
	assert_int_equal(p.slice[TURN_A], 2 * was);
	pace_sliced(&p, TURN_A, 2 * was, 1, 1, false);
	assert_int_equal(p.slice[TURN_A], was);
}

/* What a key has changed is drawn without regard to what is owed, and holding a key down does not add to that. */
static void keys_are_answered(void **state)
{
	struct pace p;
	pace_init(&p);
	pace_drawn(&p, 1, 0.01);
	assert_false(pace_may_draw(&p, 1.7, false)); /* owed: 0.8 s of simulating */
	pace_hurry(&p);
	assert_true(pace_may_draw(&p, 1.01, false));
	assert_false(pace_may_draw(&p, 1.01, true)); /* a view of both waits for the other one a while */
	assert_int_equal(pace_turn(&p, true, true, false), TURN_B);
	assert_true(pace_may_draw(&p, 1 + FRAME_SECONDS + APART_SECONDS, true));
	for (u32 i = 0; i < 100; i++) {
		pace_hurry(&p);
		pace_drawn(&p, 1, 0.01);
	}
	pace_sliced(&p, TURN_A, 1, 0.81, 0.81, false);
	assert_true(pace_may_draw(&p, 1.9, false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(frames_keep_their_share),
	    cmocka_unit_test(both_are_shown_together),
	    cmocka_unit_test(turns_are_long),
	    cmocka_unit_test(a_slow_one_is_waited_for),
	    cmocka_unit_test(short_steps_do_not_grow_the_slice),
	    cmocka_unit_test(keys_are_answered),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
