/* A bounded queue against a list: order across the wrap, fullness, the first place when it runs empty. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/fifo.h"
#include "base/rng.h"

#define MOST 9

/* What went in and has not come out, and the queue's own array. */
struct model {
	struct fifo f;
	u32 places, array[MOST];
	u64 pushed, popped; /* numbers: the k-th oldest is popped + k */
};

static void compare(const struct model *x)
{
	assert_int_equal(x->f.n, x->pushed - x->popped);
	assert_int_equal(fifo_full(&x->f, x->places), x->pushed - x->popped == x->places);
	for (u32 k = 0; k < x->f.n; k++)
		assert_int_equal(x->array[fifo_at(&x->f, x->places, k)], x->popped + k);
	if (!x->f.n)
		assert_int_equal(x->f.head, 0);
}

static void random_walk(struct model *x, u64 *rng)
{
	u32 wrapped = 0, filled = 0;
	for (u32 i = 0; i < 4000; i++) {
		bool push = rng_next(rng) % 100 < (i / 500 % 2 ? 65u : 35u);
		if (push && !fifo_full(&x->f, x->places)) {
			u32 at = fifo_push(&x->f, x->places);
			assert_true(at < x->places);
			wrapped += at < x->f.head;
			x->array[at] = (u32)x->pushed++;
		} else if (!push && x->f.n) {
			assert_int_equal(x->array[fifo_pop(&x->f, x->places)], x->popped++);
		}
		filled += fifo_full(&x->f, x->places);
		compare(x);
	}
	assert_true(filled > 0);
	assert_true(x->places == 1 || wrapped > 0);
}

static void order_and_fullness(void **state)
{
	u64 rng = 5;
	for (u32 places = 1; places <= MOST; places++) {
		struct model x = {.places = places};
		random_walk(&x, &rng);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(order_and_fullness),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
