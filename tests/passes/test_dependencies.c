/* obs/stats/dependencies on a front end made by hand: what it keeps is bounded, what finds no room is told, CTAs that
 * take another's slot do not inherit what that one has read. Shares of kernels: test_dependencies.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "obs/stats/dependencies.h"

#define MB (1ull << 20)
#define BASE DEVMEM_BASE

struct hand {
	struct front f; /* first: it is the front end */
	struct front_ops ops;
	struct dyninst next; /* what the next instruction does */
	struct dependencies *d;
	struct func fn;
	struct launch *l;
	u64 issued;
};

static void issue(struct front *f, u32 sm, u32 warp, u64 cycle, struct dyninst *out)
{
	struct hand *h = (struct hand *)f;
	*out = h->next;
	h->issued++;
}

static void cta_start(struct front *f, u32 sm, u32 slot, const struct launch *l, u64 cta, u64 warps) {}

static struct hand *hand(u32 writers_mb, u32 seen_mb)
{
	struct hand *h = calloc(1, sizeof *h);
	h->ops = (struct front_ops){.name = "hand", .issue = issue, .cta_start = cta_start};
	h->f.ops = &h->ops;
	h->l = calloc(1, sizeof *h->l);
	h->l->fn = &h->fn;
	h->l->warps = 1;
	h->d = dependencies_watch(&h->f, 64 * MB, writers_mb, seen_mb);
	return h;
}

static void done(struct hand *h)
{
	dependencies_free(h->d);
	assert_ptr_equal(h->f.ops, &h->ops); /* nobody looks on any more */
	free(h->l);
	free(h);
}

static void launch(struct hand *h, u32 id, u32 ctas)
{
	h->l->id = id;
	h->l->grid = (struct dim3){ctas, 1, 1};
	h->l->ctas = ctas;
	front_kernel_start(&h->f, h->l, 0);
}

/* Lane i of warp 0 of the CTA in slot 0 of SM 0 does it at addr + 4 i. */
static void access(struct hand *h, bool store, u64 addr)
{
	static const struct inst in;
	struct dyninst out;
	h->next = (struct dyninst){.in = &in, .mask = UINT32_MAX, .space = SPC_GLOBAL, .bytes = 4, .store = store};
	for (u32 i = 0; i < 32; i++)
		h->next.addr[i] = addr + 4 * i;
	front_issue(&h->f, 0, 0, 0, &out);
}

static void writers(void **state)
{
	struct hand *h = hand(1, 1); /* 128 pages of 4 KiB */
	launch(h, 0, 1);
	front_cta_start(&h->f, 0, 0, h->l, 0, 1);
	for (u64 a = 0; a < MB; a += 128)
		access(h, true, BASE + a);
	assert_int_equal(dependencies_totals(h->d).forgotten, MB / 8);
	launch(h, 1, 1);
	front_cta_start(&h->f, 0, 0, h->l, 0, 1);
	for (u64 a = 0; a < MB; a += 1024) /* few enough for what has been read */
		access(h, false, BASE + a);
	struct dep_totals t = dependencies_totals(h->d);
	assert_int_equal(t.words[DEP_SELF], MB / 2 / 1024 * 32);
	assert_int_equal(t.input, MB / 2 / 1024 * 32);
	assert_int_equal(t.repeats, 0);
	done(h);
}

static void readers(void **state)
{
	struct hand *h = hand(1, 1); /* 131,072 words */
	u64 words = 0;
	launch(h, 0, 1);
	front_cta_start(&h->f, 0, 0, h->l, 0, 1);
	for (u32 turn = 0; turn < 2; turn++)
		for (u64 a = 0; a < 600000; a += 128)
			access(h, false, BASE + a), words += 32;
	struct dep_totals t = dependencies_totals(h->d);
	/* A word is counted once, and once more each time that nobody can tell. */
	assert_true(t.repeats > 0 && t.repeats < words);
	assert_in_range(t.input - t.repeats, 65535, 131071); /* half of the room: a table that grows is there twice */
	assert_int_equal(t.input + (t.input - t.repeats), words);
	done(h);
}

/* Room is given back with the CTA. */
static void slots(void **state)
{
	struct hand *h = hand(1, 1);
	launch(h, 0, 100);
	for (u32 cta = 0; cta < 100; cta++) {
		front_cta_start(&h->f, 0, 0, h->l, cta, 1);
		for (u64 a = 0; a < 40000; a += 128)
			for (u32 twice = 0; twice < 2; twice++)
				access(h, false, BASE + a);
	}
	struct dep_totals t = dependencies_totals(h->d);
	assert_int_equal(t.input, 100 * 32 * 313);
	assert_int_equal(t.repeats, 0);
	assert_int_equal(h->issued, 100 * 2 * 313);
	done(h);
}

/* Addresses that are none, and instructions that do not count. */
static void others(void **state)
{
	static const struct inst fetch = {.op = OP_PREFETCH};
	struct hand *h = hand(1, 1);
	struct dyninst out;
	launch(h, 0, 1);
	access(h, false, BASE); /* by a warp of no CTA */
	front_cta_start(&h->f, 0, 0, h->l, 0, 1);
	access(h, true, BASE + 1000 * MB);
	assert_int_equal(dependencies_totals(h->d).forgotten, 32);
	h->next.in = &fetch;
	h->next.store = false;
	front_issue(&h->f, 0, 0, 0, &out);
	h->next.in = &(struct inst){0};
	h->next.flags = DYN_FAULT;
	front_issue(&h->f, 0, 0, 0, &out);
	h->next.flags = 0;
	h->next.space = SPC_SHARED;
	front_issue(&h->f, 0, 0, 0, &out);
	assert_int_equal(dependencies_totals(h->d).input, 0);
	dependencies_host_wrote(NULL, BASE, 4);
	done(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(writers),
	    cmocka_unit_test(readers),
	    cmocka_unit_test(slots),
	    cmocka_unit_test(others),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
