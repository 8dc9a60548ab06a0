/* Compiled kernels (tests/compiled, as nvcc writes them) whose results depend on what the lanes of one warp do apart,
 * against plain C: carry flags, groups of lanes, lanes that leave early, barriers of parts of a warp. */
#include "tests/rig/kernel_rig.h"

#include "base/rng.h"
#include "front/ptx/runtime/state.h"

static void open_compiled(const char *file, const char *kernel)
{
	char path[64];
	struct strbuf text = STRBUF_INIT;
	struct err e = {0};
	snprintf(path, sizeof path, "tests/compiled/%s.ptx", file);
	if (!strbuf_read_file(&text, path, &e))
		fail_msg("%s", e.msg);
	rig_open_kernel(strbuf_str(&text), kernel, false);
	strbuf_release(&text);
}
static u64 device_buffer(const void *from, size_t bytes)
{
	struct err e = {0};
	const u64 at = devmem_alloc(&r.mem, bytes, "test", &e);
	if (!at || (from && !devmem_write(&r.mem, at, from, bytes, &e)))
		fail_msg("%s", e.msg);
	return at;
}
static void set_param(u32 at, u64 value)
{
	memcpy(r.l.params + at, &value, 8);
}

/* --- 128-bit division --------------------------------------------------------------------------------------------- */
typedef unsigned __int128 u128;
typedef __int128 s128;

static u128 some_number(u64 *seed)
{
	static const u64 words[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, INT64_MAX, 1ull << 63, ~0ull};
	const u64 a = rng_next(seed), b = rng_next(seed), pick = rng_next(seed);
	const u64 hi = pick & 1 ? words[a % ARRAY_LEN(words)] : a, lo = pick & 2 ? words[b % ARRAY_LEN(words)] : b;
	const u128 v = (u128)hi << 64 | lo;
	return pick & 4 ? v >> (pick >> 8 & 127) : v;
}

static void divide(const char *kernel, bool sign)
{
	u64 seed = 7;
	for (u32 round = 0; round < 24; round++) {
		static u128 in[2 * N], out[2 * N];
		struct err e = {0};
		open_compiled("division", kernel);
		for (u32 i = 0; i < 2 * N; i++)
			in[i] = some_number(&seed);
		for (u32 i = 1; i < 2 * N; i += 2)
			in[i] += !in[i];
		const u64 to = device_buffer(NULL, sizeof out);
		set_param(0, to);
		set_param(8, device_buffer(in, sizeof in));
		rig_run();
		fault_text(FAULT_NONE);
		assert_true(devmem_read(&r.mem, to, out, sizeof out, &e));
		for (u32 i = 0; i < 2 * N; i += 2) {
			const u128 a = in[i], b = in[i + 1];
			const bool wraps = sign && a == (u128)1 << 127 && b == ~(u128)0; /* undefined in C */
			const u128 q = wraps ? a : sign ? (u128)((s128)a / (s128)b) : a / b;
			const u128 rest = wraps ? 0 : sign ? (u128)((s128)a % (s128)b) : a % b;
			if (out[i] != q || out[i + 1] != rest)
				fail_msg("%s: %016llx%016llx by %016llx%016llx", kernel, (unsigned long long)(a >> 64),
				         (unsigned long long)a, (unsigned long long)(b >> 64), (unsigned long long)b);
		}
		rig_close();
	}
}
static void test_division(void **state)
{
	divide("divide_unsigned", false);
	divide("divide_signed", true);
}

/* --- lanes that go apart ------------------------------------------------------------------------------------------ */

/* Kernel(out, in) on one CTA of N threads; out: 3 N numbers, zero before. */
static s32 got[3 * N];
/* kernel: of lanes.ptx, or "leaving/..." */
static void run_lanes(const char *kernel, const s32 *in, u32 n, void (*set)(void))
{
	struct err e = {0};
	open_compiled(strchr(kernel, '/') ? "leaving" : "lanes", strchr(kernel, '/') ? strchr(kernel, '/') + 1 : kernel);
	memset(got, 0, sizeof got);
	const u64 out = device_buffer(got, sizeof got);
	set_param(0, out);
	set_param(8, device_buffer(in, n * sizeof *in));
	if (set)
		set();
	rig_run();
	assert_true(devmem_read(&r.mem, out, got, sizeof got, &e));
}
static void some_values(s32 *in, u32 n, u64 seed, u32 below)
{
	for (u32 i = 0; i < n; i++)
		in[i] = (s32)(rng_next(&seed) >> 32 & 0x7fffffff) % (s32)below;
}
static void checks_on(void)
{
	ptx_of(r.f)->check_masks = true;
}

static void test_groups(void **state)
{
	s32 key[N], count[8] = {0}, in[N];
	for (u32 round = 0; round < 8; round++) {
		some_values(key, N, round, 1 + round);
		run_lanes("buckets", key, N, round & 1 ? checks_on : NULL);
		fault_text(FAULT_NONE);
		memset(count, 0, sizeof count);
		for (u32 i = 0; i < N; i++) {
			s32 before = 0;
			for (u32 k = 0; k < i; k++)
				before += key[k] == key[i] && got[k] == got[i];
			assert_int_equal(before, 0); /* nobody's rank twice */
			count[key[i]]++;
		}
		for (u32 i = 0; i < N; i++)
			assert_in_range(got[i], 0, count[key[i]] - 1);
		for (u32 k = 0; k <= round; k++)
			assert_int_equal(got[N + k], count[k]);
		rig_close();
		some_values(in, N, 100 + round, 5);
		run_lanes("tiles", in, N, round & 1 ? checks_on : NULL);
		fault_text(FAULT_NONE);
		for (u32 i = 0; i < N; i++) {
			const s32 *t = &in[i / 4 * 4];
			u32 sum = 0, odd = 0, like = 0, any = 0, all = 1;
			for (u32 k = 0; k < 4; k++) {
				sum += (u32)t[k];
				odd |= (u32)(t[k] & 1) << k;
				like |= (u32)(t[k] == in[i]) << k;
				any |= t[k] == 3;
				all &= t[k] > 0;
			}
			assert_int_equal(got[i], sum * 4096 + odd * 256 + like * 4 + any * 2 + all);
		}
		rig_close();
	}
}

static void test_tail(void **state)
{
	static const u32 ends[] = {1, 20, 31, 32, 33, 64, 77, 96, 127, 128};
	s32 in[N + 1];
	for (u32 k = 0; k < ARRAY_LEN(ends); k++) {
		const s32 n = (s32)ends[k];
		s32 sum = 0, more = 0;
		some_values(in + 1, N, k, 100);
		in[0] = n;
		for (s32 i = 0; i < n; i++) {
			sum += in[1 + i];
			more += in[1 + i] > 50;
		}
		run_lanes("tail", in, N + 1, NULL);
		fault_text(FAULT_NONE);
		for (s32 i = 0; i < N; i++)
			assert_int_equal(got[i], i < n ? sum + n - 1 - i : 0);
		rig_close();
		run_lanes("tail_writes", in, N + 1, NULL);
		fault_text(FAULT_NONE);
		for (s32 i = 0; i < N; i++)
			assert_int_equal(got[i], i < n ? in[n - i] + 1000 * more : -1);
		rig_close();
	}
}

static void unaligned_barriers(void)
{
	ptx_of(r.f)->check_barriers = false;
}
static void check_peel(const char *kernel, void (*set)(void))
{
	for (s32 n = 2; n <= N; n *= 2) {
		run_lanes(kernel, &n, 1, set);
		fault_text(FAULT_NONE);
		/* the last of n lanes has added 0 to k when those with more than k steps left are there */
		for (s32 i = 0; i < N; i++) {
			const s32 steps = i % n;
			assert_int_equal(got[i], steps ? steps * (steps - 1) / 2 : 0);
		}
		rig_close();
	}
}
static void test_peel(void **state)
{
	const s32 n = 8;
	check_peel("peel", NULL);
	check_peel("peel_unrolled", unaligned_barriers);
	run_lanes("peel_unrolled", &n, 1, NULL);
	expect_words(fault_text(FAULT_DIVERGENT_BARRIER), "(divergent barrier): others wait at line ");
	rig_close();
}
static void test_two_barriers(void **state)
{
	s32 in[N];
	some_values(in, N, 3, 50);
	run_lanes("two_barriers", in, N, NULL);
	fault_text(FAULT_NONE);
	for (s32 i = 0; i < N; i++)
		assert_int_equal(got[i], ((in[127 - i] & 1 ? 0 : 1000) + 127 - i) * (in[i] & 1 ? 2 : 3));
	rig_close();
}

static void test_halves(void **state)
{
	for (s32 n = 0; n < 12; n++) {
		s32 box[N] = {0}, sum[N] = {0};
		run_lanes("halves", &n, 1, checks_on);
		fault_text(FAULT_NONE);
		for (s32 k = 0; k < n; k++) {
			for (s32 i = 0; i < N; i++)
				if (i % 32 < 16)
					box[i] = i + k;
			for (s32 i = 0; i < N; i++)
				if (i % 32 >= 16) {
					sum[i] += box[i - 16];
					box[i] = sum[i] * 2 + k;
				}
			for (s32 i = 0; i < N; i++)
				if (i % 32 < 16)
					sum[i] += box[i + 16];
		}
		assert_memory_equal(got, sum, sizeof sum);
		rig_close();
	}
}

static void test_both_sides(void **state)
{
	s32 in[N], brought[N];
	for (u32 round = 0; round < 4; round++) {
		some_values(in, N, 40 + round, 60);
		run_lanes("both_sides", in, N, checks_on);
		fault_text(FAULT_NONE);
		for (u32 i = 0; i < N; i++)
			brought[i] = in[i] & 1 ? in[i] * 3 : in[i] + 7;
		for (u32 i = 0; i < N; i++) {
			u32 votes = 0;
			for (u32 k = 0; k < 32; k++) {
				const s32 v = in[i / 32 * 32 + k];
				votes |= (u32)(v & 1 ? v > 40 : v < 20) << k;
			}
			const s32 from = brought[i ^ 5];
			assert_int_equal(got[N + i], in[i] & 1 ? from : -from);
			assert_int_equal(got[i], from + (s32)(votes >> i % 32 & 1) * 100000 + __builtin_popcount(votes) * 1000000);
		}
		rig_close();
	}
}

/* A failed assert() says what CUDA says, then where it was. */
static void test_assert(void **state)
{
	s32 in[N];
	for (s32 i = 0; i < N; i++)
		in[i] = i == 70 || i == 75 ? 3 : i % 3;
	run_lanes("asserts", in, N, NULL);
	const char *text = fault_text(FAULT_TRAP);
	expect_words(text, "lanes.cu:166: void asserts(int *, const int *): block: [0,0,0], thread: [70,0,0] "
	                   "Assertion `in[i] != 3 && \"three\"` failed.\n  in kernel asserts at test.ptx:");
	expect_words(text, "2 lanes 0x00000840, first thread (70,0,0)");
	rig_close();
	in[70] = in[75] = 0;
	run_lanes("asserts", in, N, NULL);
	fault_text(FAULT_NONE);
	assert_int_equal(got[70], 1);
	rig_close();
}

/* What a thread of tests/compiled/leaving.cu does before its barriers: true, it has returned. */
static bool leaves(u32 shape, s32 v, s32 *out, s32 *own)
{
	s32 k = v;
	*out = *own = 0;
	switch (shape) {
	case 0:
		*out = v & 1 && !(v & 2) ? v : 0;
		*own = 1;
		return v & 1 && v & 6;
	case 1: *own = v; return v % 4 == 3;
	case 2:
		while (k > 3) {
			k = k * 5 % 97;
			if (k % 7 == 6) {
				*out = k;
				return true;
			}
		}
		*own = k;
		return false;
	default:
		*out = v % 5 == 1 ? 3 : 0;
		*own = v % 5 == 3 ? 7 : 5;
		if (v % 5 < 2)
			return v % 5 == 0 || v & 8;
		return (v % 5 == 3 && v & 16) || v % 7 == 0;
	}
}
static void test_leaving(void **state)
{
	static const char *const shapes[] = {"nested", "counted", "searched", "switched"};
	static const char *const kinds[] = {"sync", "count", "logic"};
	for (u32 k = 0; k < 6 * ARRAY_LEN(shapes); k++) {
		const u32 shape = k % 4, kind = k / 4 % 3;
		s32 in[N], want[N], own[N], cell[N] = {0}, sum[N] = {0}, odd = 0;
		bool left[N], ones = true, some = false;
		char name[32];
		some_values(in, N, k, 100);
		for (u32 i = 0; i < N; i++) {
			left[i] = leaves(shape, in[i], &want[i], &own[i]);
			odd += !left[i] && own[i] & 1;
			ones &= left[i] || own[i] != 1;
			some |= !left[i] && in[i] == 77;
		}
		for (s32 n = 0; n < 3; n++) {
			for (u32 i = 0; i < N; i++)
				cell[i] = left[i] ? 0 : own[i] + sum[i] + n;
			for (u32 i = 0; i < N; i++)
				sum[i] += cell[i * 7 % N];
		}
		for (u32 i = 0; i < N; i++)
			if (!left[i])
				want[i] = kind == 0 ? sum[i] : kind == 1 ? 1000 * odd + own[i] : 1 + 2 * ones + 4 * some;
		snprintf(name, sizeof name, "leaving/%s_%s", shapes[shape], kinds[kind]);
		run_lanes(name, in, N, NULL);
		fault_text(FAULT_NONE);
		for (u32 i = 0; i < N; i++)
			if (got[i] != want[i])
				fail_msg("%s, thread %u: %d instead of %d", name, i, got[i], want[i]);
		rig_close();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_division),   cmocka_unit_test(test_groups),       cmocka_unit_test(test_tail),
	    cmocka_unit_test(test_peel),       cmocka_unit_test(test_two_barriers), cmocka_unit_test(test_halves),
	    cmocka_unit_test(test_both_sides), cmocka_unit_test(test_assert),       cmocka_unit_test(test_leaving),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
