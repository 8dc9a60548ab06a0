/* The heap of malloc() in kernels against a list of what is in use: blocks lie apart, NULL comes only when no gap is
 * large enough, every address is told for what it is, and a table full of rubbish does no harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "front/front.h"
#include "front/ptx/runtime/heap.h"

#define GRANULES 512
#define LIVE_MAX GRANULES

static struct devmem mem;
static struct heap heap;
static struct block {
	u64 addr, bytes;
} live[LIVE_MAX];
static u32 nlive;
static struct err e;

static void open_heap(void)
{
	assert_true(devmem_init(&mem, 1 << 20, &e) && heap_create(&heap, &mem, 16 * GRANULES, &e));
	nlive = 0;
}
static void close_heap(void)
{
	devmem_release(&mem);
}
static void must_hold(void)
{
	if (!heap_check(&heap, &mem, &e))
		fail_msg("%s", e.msg);
}
static u64 granules(u64 bytes)
{
	return bytes ? (bytes + 15) / 16 : 1;
}
/* The granules that no block in use has. */
static u32 used_map(bool used[GRANULES])
{
	u32 n = 0;
	memset(used, 0, GRANULES);
	for (u32 i = 0; i < nlive; i++)
		for (u64 g = 0; g < granules(live[i].bytes); g++, n++) {
			assert_false(used[(live[i].addr - heap.base) / 16 + g]);
			used[(live[i].addr - heap.base) / 16 + g] = true;
		}
	return n;
}
static u32 largest_gap(void)
{
	bool used[GRANULES];
	u32 most = 0, gap = 0;
	used_map(used);
	for (u32 g = 0; g < GRANULES; g++) {
		gap = used[g] ? 0 : gap + 1;
		most = gap > most ? gap : most;
	}
	return most;
}
static void give(u64 bytes)
{
	const u32 room = largest_gap();
	const u64 at = heap_malloc(&heap, &mem, bytes);
	assert_int_equal(at != 0, granules(bytes) <= room);
	if (!at)
		return;
	assert_int_equal(at % 16, 0);
	assert_true(at >= heap.base && at + bytes <= heap.base + 16 * GRANULES);
	live[nlive++] = (struct block){at, bytes};
	largest_gap();
}
static void take(u32 i)
{
	assert_int_equal(heap_free(&heap, &mem, live[i].addr), HEAP_START);
	live[i] = live[--nlive];
}

static void random_calls(void **unused)
{
	u64 r = 7;
	(void)unused;
	open_heap();
	for (u32 step = 0; step < 10000; step++) {
		const u32 dice = (u32)rng_next(&r);
		const bool filling = step / 500 % 2 == 0;
		if (nlive && (dice >> 8) % 8 < (filling ? 3 : 5))
			take((dice >> 16) % nlive);
		else
			give(dice % 16 == 0 ? dice >> 20 : dice % 16 < 4 ? (dice >> 20) % 2000 : (dice >> 20) % 100);
		if (step % 16 == 0)
			must_hold();
	}
	struct heap_info k;
	heap_counts(&heap, &mem, &k);
	assert_int_equal(k.blocks, nlive);
	assert_true(k.failed > 50 && k.mallocs > 4000 && k.most <= 16 * GRANULES && k.most > 8 * GRANULES);
	while (nlive)
		take(nlive / 2);
	must_hold();
	give(16 * GRANULES); /* all in one piece again */
	assert_int_equal(nlive, 1);
	close_heap();
}

static void addresses(void **unused)
{
	u64 start, bytes;
	(void)unused;
	open_heap();
	const u64 a = heap_malloc(&heap, &mem, 40), b = heap_malloc(&heap, &mem, 0), c = heap_malloc(&heap, &mem, 16);
	assert_int_equal(b, a + 48);
	assert_int_equal(c, b + 16);
	assert_int_equal(heap_find(&heap, &mem, a + 47, &start, &bytes), HEAP_INSIDE);
	assert_true(start == a && bytes == 40);
	assert_int_equal(heap_find(&heap, &mem, b, &start, &bytes), HEAP_START);
	assert_true(start == b && bytes == 0);
	assert_int_equal(heap_find(&heap, &mem, c + 16, &start, &bytes), HEAP_NEVER);
	assert_int_equal(heap_find(&heap, &mem, heap.base - 1, &start, &bytes), HEAP_OUTSIDE);
	assert_int_equal(heap_find(&heap, &mem, heap.base + 16 * GRANULES, &start, &bytes), HEAP_OUTSIDE);
	assert_int_equal(heap_free(&heap, &mem, a + 16), HEAP_INSIDE);
	assert_int_equal(heap_free(&heap, &mem, a), HEAP_START);
	assert_int_equal(heap_free(&heap, &mem, a), HEAP_FREED);
	assert_int_equal(heap_free(&heap, &mem, c + 16), HEAP_NEVER);
	assert_int_equal(heap_free(&heap, &mem, 0x1000), HEAP_OUTSIDE);
	assert_int_equal(heap_malloc(&heap, &mem, 16 * GRANULES + 1), 0);
	assert_int_equal(heap_malloc(&heap, &mem, UINT64_MAX), 0);
	assert_int_equal(heap_malloc(&heap, &mem, 48), a); /* what was freed is used again */
	must_hold();
	close_heap();
}

static void rubbish(void **unused)
{
	u64 r = 3;
	(void)unused;
	open_heap();
	const u64 table = devmem_find(&mem, heap.table)->size;
	for (u32 round = 0; round < 40; round++) {
		for (u64 i = 0; i < table; i += 4) {
			const u32 v = (u32)rng_next(&r) >> (round % 32);
			memcpy(devmem_ptr(&mem, heap.table + i), &v, 4);
		}
		for (u32 i = 0; i < 200; i++) {
			const u64 at = heap_malloc(&heap, &mem, rng_next(&r) % 3000);
			assert_true(!at || (at >= heap.base && at < heap.base + 16 * GRANULES));
			heap_free(&heap, &mem, heap.base + rng_next(&r) % GRANULES * 16);
		}
		assert_false(heap_check(&heap, &mem, &e));
	}
	close_heap();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(random_calls),
	    cmocka_unit_test(addresses),
	    cmocka_unit_test(rubbish),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
