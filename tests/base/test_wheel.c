/* The timing wheel against a list that is searched: order, distance, moving and cancelling. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/rng.h"
#include "base/wheel.h"

#define TIMERS 40

struct model {
	u64 at[TIMERS];    /* NEVER = not set */
	u64 order[TIMERS]; /* when it was set: those of a cycle fire in this order */
	u64 sets;
};

static u32 model_first(const struct model *x)
{
	u32 best = 0;
	for (u32 t = 1; t < TIMERS; t++)
		if (x->at[t] < x->at[best] || (x->at[t] == x->at[best] && x->order[t] < x->order[best]))
			best = t;
	return best;
}

static void start(struct wheel *w, struct arena *a)
{
	struct err e = {0};
	memset(w, 0, sizeof(*w));
	assert_true(arena_init(a, 1 << 20, &e));
	wheel_init(w, a, TIMERS);
}

/* Distances from 0 to several turns of the wheel; often many timers in one cycle. */
static u64 distance(u64 *rng)
{
	static const u64 limits[] = {2, 10, WHEEL_SLOTS, 10 * WHEEL_SLOTS};
	return rng_next(rng) % limits[rng_next(rng) % 4];
}

static void change(struct wheel *w, struct model *x, u64 *rng, u64 now)
{
	u32 t = rng_next(rng) % TIMERS;
	if (rng_next(rng) % 8 == 0) {
		wheel_cancel(w, t);
		x->at[t] = NEVER;
		return;
	}
	x->at[t] = now + distance(rng);
	x->order[t] = x->sets++;
	wheel_set(w, t, x->at[t]);
}

static void against_a_list(void **s)
{
	struct wheel w;
	struct arena a;
	struct model x = {.sets = 1};
	u64 rng = 11, fired = 0;
	start(&w, &a);
	memset(x.at, 0xff, sizeof(x.at));
	for (u64 now = 0; now < 30000; now += 1 + rng_next(&rng) % 3) {
		for (u32 t; (t = wheel_pop(&w, now)) != WHEEL_NONE; fired++) {
			u32 want = model_first(&x);
			assert_int_equal(t, want);
			assert_int_equal(wheel_now(&w), x.at[want]);
			assert_true(wheel_at(&w, t) == NEVER);
			x.at[want] = NEVER;
			if (rng_next(&rng) % 4 == 0) /* as a handler would: perhaps into the cycle that is firing */
				change(&w, &x, &rng, wheel_now(&w));
		}
		assert_true(x.at[model_first(&x)] > now);
		for (u32 k = rng_next(&rng) % 4; k; k--)
			change(&w, &x, &rng, now + 1);
		assert_true(wheel_next(&w) == x.at[model_first(&x)]);
		for (u32 t = 0; t < TIMERS; t++)
			assert_true(wheel_at(&w, t) == x.at[t]);
	}
	assert_true(fired > 10000);
	arena_release(&a);
}

static void the_past_is_now(void **s)
{
	struct wheel w;
	struct arena a;
	start(&w, &a);
	assert_int_equal(wheel_pop(&w, 99), WHEEL_NONE);
	wheel_set(&w, 3, 5);
	assert_int_equal(wheel_at(&w, 3), 100);
	assert_int_equal(wheel_pop(&w, 99), WHEEL_NONE);
	assert_int_equal(wheel_pop(&w, 100), 3);
	assert_true(wheel_next(&w) == NEVER);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(against_a_list),
	    cmocka_unit_test(the_past_is_now),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
