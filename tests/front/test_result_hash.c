/* The hash of what a program leaves in device memory: what changes it, and what does not. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "ir/devmem.h"

static struct devmem d;

static int begin(void **state)
{
	struct err e = {0};
	return devmem_init(&d, 16 << 20, &e) ? 0 : -1;
}

static int end(void **state)
{
	devmem_release(&d);
	return 0;
}

static void restart(void)
{
	end(NULL);
	assert_int_equal(begin(NULL), 0);
}

static u64 alloc(u64 size)
{
	struct err e = {0};
	u64 addr = devmem_alloc(&d, size, "", &e);
	assert_true(addr);
	return addr;
}

/* An allocation of the machine's own. */
static u64 own_alloc(u64 size, bool readonly, bool scratch)
{
	u64 addr = alloc(size);
	struct alloc *a = &d.allocs[d.nallocs - 1];
	a->internal = true;
	a->readonly = readonly;
	a->scratch = scratch;
	return addr;
}

static void put(u64 addr, u8 v)
{
	*devmem_ptr(&d, addr) = v;
	devmem_touch(&d, addr, 1);
}

static void test_every_byte_counts(void **state)
{
	u64 size = 3 * DEVMEM_PAGE + 77, addr = alloc(size), was = devmem_result_hash(&d);
	for (u64 i = 0; i < size; i += i % 251 + 1) {
		put(addr + i, 1);
		u64 is = devmem_result_hash(&d);
		assert_int_not_equal(is, was);
		was = is;
	}
	put(addr + size - 1, 2);
	assert_int_not_equal(devmem_result_hash(&d), was);
}

static void test_place_within_counts(void **state)
{
	u64 addr = alloc(4096);
	put(addr + 256, 5);
	u64 at_256 = devmem_result_hash(&d);
	put(addr + 256, 0);
	put(addr + 512, 5);
	assert_int_not_equal(devmem_result_hash(&d), at_256);
}

static void test_size_and_order_count(void **state)
{
	alloc(100);
	alloc(200);
	u64 one = devmem_result_hash(&d);
	restart();
	alloc(200);
	alloc(100);
	u64 other = devmem_result_hash(&d);
	assert_int_not_equal(one, other);
	alloc(100);
	assert_int_not_equal(devmem_result_hash(&d), other);
}

/* Written zeros are as good as none, in one page with other bytes and alone. */
static void test_zeros(void **state)
{
	u64 addr = alloc(5 * DEVMEM_PAGE), none = devmem_result_hash(&d);
	for (u64 i = 0; i < 5 * DEVMEM_PAGE; i += 64)
		put(addr + i, 0);
	assert_int_equal(devmem_result_hash(&d), none);
	put(addr + DEVMEM_PAGE, 9);
	assert_int_not_equal(devmem_result_hash(&d), none);
	put(addr + DEVMEM_PAGE, 0);
	assert_int_equal(devmem_result_hash(&d), none);
}

/* The machine's own memory neither counts nor, by moving addresses, changes what does. */
static void test_own_memory(void **state)
{
	u64 hash[2];
	for (u32 round = 0; round < 2; round++) {
		restart();
		for (u32 i = 0; round && i < 3; i++) {
			u64 own = own_alloc(1000 + 900 * i, i != 1, i == 1);
			for (u64 b = 0; b < 1000; b++)
				put(own + b, (u8)(b + i));
		}
		u64 addr = alloc(2 * DEVMEM_PAGE);
		for (u64 b = 0; b < 2 * DEVMEM_PAGE; b += 3)
			put(addr + b, (u8)b);
		hash[round] = devmem_result_hash(&d);
	}
	assert_int_equal(hash[0], hash[1]);
}

static void test_module_variables_count(void **state)
{
	u64 addr = own_alloc(64, false, false), was = devmem_result_hash(&d);
	put(addr + 3, 1);
	assert_int_not_equal(devmem_result_hash(&d), was);
}

static void test_freed_counts(void **state)
{
	struct err e = {0};
	u64 addr = alloc(300);
	put(addr, 7);
	u64 was = devmem_result_hash(&d);
	assert_true(devmem_free(&d, addr, &e));
	assert_int_equal(devmem_result_hash(&d), was);
}

/* A snapshot clears the dirty bits and remembers them: the same bytes, the same hash. */
static void test_snapshots_change_nothing(void **state)
{
	u64 addr = alloc(10 * DEVMEM_PAGE);
	for (u64 i = 0; i < 10 * DEVMEM_PAGE; i += 1000)
		put(addr + i, 3);
	u64 was = devmem_result_hash(&d), words = (d.bytes / DEVMEM_PAGE + 63) / 64;
	for (u64 w = 0; w < words; w++) {
		d.written[w] |= d.dirty[w];
		d.dirty[w] = 0;
	}
	assert_int_equal(devmem_result_hash(&d), was);
}

/* --- what has been freed, again --- */

#define MIB (1ull << 20)

static u64 host_alloc(u64 size)
{
	struct err e = {0};
	const u64 addr = devmem_alloc_for_host(&d, size, "", &e);
	if (!devmem_check(&d, &e))
		fail_msg("%s", e.msg);
	if (addr) {
		static const u8 zero[DEVMEM_PAGE];
		for (u64 at = 0; at < size; at += DEVMEM_PAGE)
			assert_memory_equal(devmem_ptr(&d, addr + at), zero, size - at < DEVMEM_PAGE ? size - at : DEVMEM_PAGE);
		memset(devmem_ptr(&d, addr), 7, size);
		for (u64 at = 0; at < size; at += DEVMEM_PAGE)
			devmem_touch(&d, addr + at, 1);
	}
	return addr;
}
static void host_free(u64 addr)
{
	struct err e = {0};
	assert_true(devmem_free(&d, addr, &e));
	assert_true(devmem_check(&d, &e));
}

/* 16 MiB of memory: addresses come again behind the first 12. */
static void test_freed_memory_comes_again(void **state)
{
	u64 at[12];
	for (u32 i = 0; i < 1000; i++) /* nothing stays: one after the other for ever */
		host_free(host_alloc(5 * MIB));
	restart();
	for (u32 i = 0; i < 12; i++)
		at[i] = host_alloc(MIB - 4096);
	host_free(at[2]);
	assert_true(host_alloc(100) > at[11]); /* there is enough left */
	host_alloc(MIB);
	assert_int_equal(host_alloc(5000), at[2]); /* too little: the freed one is divided */
	const u64 second = host_alloc(5000);
	assert_true(second > at[2] + 5000 && second < at[3]);
	host_free(at[5]);
	host_free(at[6]);
	host_free(at[7]);
	assert_int_equal(host_alloc(2 * MIB + 4096), at[5]); /* three become one, and a rest */
	assert_int_equal(devmem_find(&d, at[7] + MIB - 8192)->freed, true);
	assert_int_equal(devmem_find(&d, at[7])->freed, false);
	const u64 room = devmem_room(&d);
	assert_true(room > MIB && room < 4 * MIB);
	assert_int_equal(host_alloc(room + 1), 0);
	assert_true(host_alloc(room));
	host_free(at[9]);
	d.owner = OWNER(1, 0); /* another program's stays as it was left: it is a part of the result */
	assert_int_equal(host_alloc(MIB - 4096), 0);
	d.owner = 0;
	assert_int_equal(host_alloc(MIB - 4096), at[9]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_every_byte_counts, begin, end),
	    cmocka_unit_test_setup_teardown(test_place_within_counts, begin, end),
	    cmocka_unit_test_setup_teardown(test_size_and_order_count, begin, end),
	    cmocka_unit_test_setup_teardown(test_zeros, begin, end),
	    cmocka_unit_test_setup_teardown(test_own_memory, begin, end),
	    cmocka_unit_test_setup_teardown(test_module_variables_count, begin, end),
	    cmocka_unit_test_setup_teardown(test_freed_counts, begin, end),
	    cmocka_unit_test_setup_teardown(test_snapshots_change_nothing, begin, end),
	    cmocka_unit_test_setup_teardown(test_freed_memory_comes_again, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
