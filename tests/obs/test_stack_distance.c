/* LRU stack distances (obs/record/reuse.h) against caches: random uses and removals go to a stack, and to fully
 * associative LRU caches of many sizes, each simulated for itself. A use hits in a cache exactly if its distance is
 * less than the cache's lines. Then closed forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "obs/record/reuse.h"
#include "tests/rig/rounds.h"

#define MOST 64

/* A cache, as simple as it can be: entries in the order of their last use, the last one first. */
struct cache {
	u32 lines, used;
	struct {
		u64 line;
		u8 valid;
	} at[MOST];
};

static u32 find(const struct cache *c, u64 line)
{
	u32 i = 0;
	while (i < c->used && c->at[i].line != line)
		i++;
	return i;
}

static void take_out(struct cache *c, u32 i)
{
	c->used--;
	memmove(&c->at[i], &c->at[i + 1], (c->used - i) * sizeof *c->at);
}

static bool cache_use(struct cache *c, u64 line, u8 need, u8 have)
{
	const u32 i = find(c, line);
	const bool there = i < c->used;
	const u8 was = there ? c->at[i].valid : 0;
	if (there)
		take_out(c, i);
	else if (c->used == c->lines)
		c->used--;
	memmove(&c->at[1], &c->at[0], c->used * sizeof *c->at);
	c->used++;
	c->at[0].line = line;
	c->at[0].valid = was | have;
	return there && !(need & ~was);
}

static void cache_remove(struct cache *c, u64 line, u8 sectors)
{
	const u32 i = find(c, line);
	if (i == c->used)
		return;
	c->at[i].valid &= (u8)~sectors;
	if (!c->at[i].valid)
		take_out(c, i);
}

static u64 rng_below(u64 *rng, u64 n)
{
	return rng_next(rng) % n;
}

static bool is_even(void *ctx, u64 line)
{
	return line % 2 == 0;
}

/* removes: percent of steps that take a line away, all of it or (parts) some of its sectors. */
static void against_caches(u64 seed, u32 span, bool sectors, u32 removes, bool clears)
{
	static const u32 sizes[] = {1, 2, 3, 5, 8, 13, 32, 64};
	struct cache c[ARRAY_LEN(sizes)] = {{0}};
	u64 rng = seed;
	struct reuse_stack *s = reuse_stack_new();
	const struct use_who nobody = {0};
	struct use_who before;
	u64 hits = 0;
	for (u32 k = 0; k < ARRAY_LEN(sizes); k++)
		c[k].lines = sizes[k];
	for (u32 n = 0; n < 20000; n++) {
		const u64 line = rng_below(&rng, 4) ? rng_below(&rng, span) : rng_below(&rng, span / 8 + 1);
		if (rng_below(&rng, 100) < removes) {
			reuse_stack_remove(s, line, 0xf);
			for (u32 k = 0; k < ARRAY_LEN(sizes); k++)
				cache_remove(&c[k], line, 0xf);
			continue;
		}
		if (clears && !rng_below(&rng, 2000)) {
			reuse_stack_clear(s, is_even, NULL);
			for (u32 k = 0; k < ARRAY_LEN(sizes); k++)
				for (u32 i = 0; i < c[k].used;)
					if (c[k].at[i].line % 2)
						take_out(&c[k], i);
					else
						i++;
			continue;
		}
		const u8 need = sectors ? (u8)(1 + rng_below(&rng, 15)) : 0xf;
		const u32 distance = reuse_stack_use(s, line, need, need, &nobody, &before);
		for (u32 k = 0; k < ARRAY_LEN(sizes); k++) {
			const bool hit = cache_use(&c[k], line, need, need);
			hits += hit;
			if (hit != (distance < sizes[k]))
				fail_msg("seed %llu, step %u: distance %u, a cache of %u lines %s", (unsigned long long)seed, n,
				         distance, sizes[k], hit ? "hits" : "misses");
		}
	}
	assert_true(hits > 1000);
	reuse_stack_free(s);
}

static void caches(void **state)
{
	for (u32 i = 0; i < rounds("WARPDBG_STACKS", 12, 2); i++) {
		against_caches(i, 20 + 30 * i, false, 0, false);
		against_caches(100 + i, 20 + 30 * i, false, 10, false);
		against_caches(200 + i, 20 + 30 * i, false, 3, true);
		against_caches(300 + i, 20 + 30 * i, true, 0, false);
		against_caches(400 + i, 20 + 30 * i, true, 5, true);
	}
}

/* Round and round n lines: each use but the first has distance n - 1. Many more uses than a tree of times begins with.
 */
static void rounds_of(void **state)
{
	const struct use_who nobody = {0};
	struct use_who before;
	for (u32 n = 1; n < 3000; n = 3 * n + 1) {
		struct reuse_stack *s = reuse_stack_new();
		for (u32 i = 0; i < 9 * n + 5000; i++)
			assert_int_equal(reuse_stack_use(s, i % n, 1, 1, &nobody, &before), i < n ? REUSE_COLD : n - 1);
		reuse_stack_free(s);
	}
}

static void who(void **state)
{
	struct reuse_stack *s = reuse_stack_new();
	const struct use_who a = {.cta = 7, .whose = WHOSE_WARP}, b = {.cta = 9, .whose = WHOSE_WARP};
	struct use_who before;
	assert_int_equal(reuse_stack_use(s, 5, 1, 1, &a, &before), REUSE_COLD);
	assert_int_equal(before.whose, WHOSE_UNKNOWN);
	assert_int_equal(reuse_stack_use(s, 5, 1, 1, &b, &before), 0);
	assert_int_equal(before.cta, 7);
	assert_int_equal(reuse_stack_use(s, 5, 2, 2, &a, &before), REUSE_COLD); /* the sector was never there */
	assert_int_equal(before.cta, 9);
	reuse_stack_remove(s, 5, 3);
	assert_int_equal(reuse_stack_use(s, 5, 1, 1, &a, &before), REUSE_REMOVED);
	reuse_stack_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(caches),
	    cmocka_unit_test(rounds_of),
	    cmocka_unit_test(who),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
