/* Compiled kernels (tests/compiled, as nvcc writes them) whose results depend on what the lanes of one warp do apart,
 * against plain C: carry flags, groups of lanes, lanes that leave early, barriers of parts of a warp. */
#include "tests/kernel_rig.h"

#include "base/rng.h"

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

/* --- 128-bit division
 * --------------------------------------------------------------------------------------------------- */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_division),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
