/* Functions that call themselves and have local arrays (tests/compiled/recursion.cu, as nvcc writes it), against plain
 * C; where the stack ends; how much local memory a kernel has. */
#include "tests/rig/kernel_rig.h"
#include "tests/rig/refusal.h"

#include "base/rng.h"
#include "front/ptx/runtime/state.h"

static void open_kernel(const char *kernel, u32 frame_kb, u32 local_kb)
{
	struct strbuf text = STRBUF_INIT;
	struct err e = {0};
	if (!strbuf_read_file(&text, "tests/compiled/recursion.ptx", &e))
		fail_msg("%s", e.msg);
	rig_open_with(strbuf_str(&text), kernel, false, frame_kb, local_kb);
	strbuf_release(&text);
}

static s32 in[16 * N], got[16 * N];
static u64 out_at;
static void run_kernel(const char *kernel, u32 frame_kb, u32 local_kb, s32 n)
{
	struct err e = {0};
	open_kernel(kernel, frame_kb, local_kb);
	memset(got, 0x55, sizeof got);
	out_at = devmem_alloc(&r.mem, sizeof got, "out", &e);
	const u64 from = devmem_alloc(&r.mem, sizeof in, "in", &e);
	assert_true(devmem_write(&r.mem, out_at, got, sizeof got, &e) && devmem_write(&r.mem, from, in, sizeof in, &e));
	memcpy(r.l.params, &out_at, 8);
	memcpy(r.l.params + 8, &from, 8);
	if (n >= 0)
		memcpy(r.l.params + 8, &n, 4);
	rig_run();
	assert_true(devmem_read(&r.mem, out_at, got, sizeof got, &e));
}

static int by_value(const void *a, const void *b)
{
	return *(const s32 *)a < *(const s32 *)b ? -1 : *(const s32 *)a > *(const s32 *)b;
}
static void test_quicksort(void **state)
{
	u64 seed = 3;
	for (u32 below = 2; below < 2000; below *= 30) {
		for (u32 i = 0; i < 16 * N; i++)
			in[i] = (s32)((rng_next(&seed) >> 40) % below) - 1;
		run_kernel("quicksort", 32, 512, -1);
		fault_text(FAULT_NONE);
		for (u32 t = 0; t < N; t++) {
			qsort(in + 16 * t, 1 + t % 16, 4, by_value);
			for (u32 i = 0; i < 16; i++)
				assert_int_equal(got[16 * t + i], i <= t % 16 ? in[16 * t + i] : 0x55555555);
		}
		rig_close();
	}
}

static s32 ackermann(s32 m, s32 n, s32 *calls)
{
	++*calls;
	return !m ? n + 1 : ackermann(m - 1, n ? ackermann(m, n - 1, calls) : 1, calls);
}
static u32 pong(s32 n, u32 x);
static u32 ping(s32 n, u32 x)
{
	const u32 v = n ? pong(n - 1, x * 5 + 1) : 1;
	return v * 31 + (u8)(x + v % 40 * (u32)n);
}
static u32 pong(s32 n, u32 x)
{
	const u32 v = n ? ping(n - 1, x * 3 + 2) : 2;
	return v * 17 + (u32)(((u64)x * x + v % 7) >> 3);
}
static s32 descend(s32 *above, s32 n)
{
	s32 own[4] = {n};
	above[n & 3] += 3 * n + 1;
	if (n)
		descend(own, n - 1);
	for (s32 i = 0; i < 4; i++)
		above[(i + n) & 3] += own[i];
	return above[0];
}
static void test_each_call_its_arrays(void **state)
{
	run_kernel("ack", 64, 512, -1);
	fault_text(FAULT_NONE);
	for (s32 t = 0; t < N; t++) {
		s32 calls = 0;
		const s32 v = ackermann(t % 3, t % 4, &calls);
		assert_int_equal(got[t], v * 1000 + calls);
	}
	rig_close();
	run_kernel("mutual", 64, 512, -1);
	fault_text(FAULT_NONE);
	for (s32 t = 0; t < N; t++)
		assert_int_equal((u32)got[t], ping(t % 11, (u32)t));
	rig_close();
	run_kernel("depths", 64, 512, -1);
	fault_text(FAULT_NONE);
	for (s32 t = 0; t < N; t++) {
		s32 own[4] = {0};
		const s32 v = descend(own, t % 13);
		assert_int_equal(got[t], v + 7 * own[1] + 11 * own[2] + 13 * own[3]);
	}
	rig_close();
}

/* What a lane brings to the shuffle at the bottom, and what it makes of the answer on the way up. */
static s32 bottom(s32 t)
{
	return t % 3 ? t + t % 5 : t + 2 * (t % 4);
}
static s32 up(s32 t, s32 answer)
{
	s32 v = answer;
	for (s32 n = 0; n <= (t % 3 ? t % 5 : t % 4); n++) {
		const s32 x = t % 3 ? t + t % 5 - n : t + 2 * (t % 4 - n);
		v = t % 3 ? v * 3 + x * (v & 7) + n : v * 5 + x - (s32)((u32)v % 5) * n;
	}
	return v;
}
static void test_waiting_for_each_other(void **state)
{
	run_kernel("meeting", 32, 512, -1);
	fault_text(FAULT_NONE);
	for (s32 t = 0; t < N; t++)
		assert_int_equal(got[t], up(t, bottom(t ^ 1)));
	rig_close();
}

/* Depths that fit give the right result, the next one a fault that names it: never another lane's or call's bytes. */
static void overflow(u32 frame_kb, u32 local_kb, const char *words)
{
	s32 n = 1;
	for (;; n++) {
		run_kernel("deep", frame_kb, local_kb, n);
		if (front_fault(r.f)->code != FAULT_NONE)
			break;
		s32 own[4] = {0};
		const s32 want = descend(own, n);
		for (u32 t = 0; t < N; t++)
			assert_int_equal(got[t], want);
		rig_close();
		assert_in_range(n, 1, 200);
	}
	char depth[80];
	snprintf(depth, sizeof depth, "call stack overflow at depth %d: calling descend", n + 1);
	assert_in_range(n, 4, 100);
	expect_words(fault_text(FAULT_STACK_OVERFLOW), words);
	expect_words(fault_text(FAULT_STACK_OVERFLOW), depth);
	expect_words(fault_text(FAULT_STACK_OVERFLOW), "in kernel deep at test.ptx:");
	rig_close();
}
static void test_overflow(void **state)
{
	overflow(32, 512, "exceed front.frame_kb = 32 KiB");
	overflow(128, 1, "of local memory and has 1024: front.local_kb = 1 KiB");
	run_kernel("deep", 4096, 512, 1000); /* frames as many as one likes: not so local memory on a small device */
	expect_words(fault_text(FAULT_STACK_OVERFLOW), "1536 threads share half of mem.heap_mb = 64 MiB");
	rig_close();
}

/* NAME(n, x): v = NAME(n - 1, x + n), or at the bottom what BOTTOM makes of x in %r5; v * 3 + x - n. */
#define DEEP(name, bottom)                                                                                             \
	".func (.param .b32 o) " name "(.param .b32 n, .param .b32 x)\n{\n.reg .b32 %r<9>; .reg .pred %p<3>;\n"            \
	"ld.param.u32 %r1, [n];\nld.param.u32 %r2, [x];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\nsub.u32 %r3, %r1, 1;\n"    \
	"add.u32 %r4, %r2, %r1;\n{ .param .b32 a; .param .b32 b; .param .b32 c; st.param.b32 [a], %r3;\n"                  \
	"st.param.b32 [b], %r4; call.uni (c), " name ", (a, b); ld.param.b32 %r5, [c]; }\nbra M;\nL: " bottom              \
	"\nM: mul.lo.u32 %r5, %r5, 3;\nadd.u32 %r5, %r5, %r2;\nsub.u32 %r5, %r5, %r1;\nst.param.b32 [o], %r5;\nret;\n}\n"
#define CALL(name)                                                                                                     \
	"{ .param .b32 a; .param .b32 b; .param .b32 c; st.param.b32 [a], %r3; st.param.b32 [b], %r1; call.uni (c), " name \
	", (a, b); ld.param.b32 %r9, [c]; }\n"
static u32 deep_bottom(u32 n, u32 x)
{
	for (; n; n--)
		x += n;
	return x;
}
static u32 deep_up(u32 n, u32 x, u32 v)
{
	for (u32 i = 0, at = deep_bottom(n, x); i <= n; i++) {
		at -= i; /* x of this call */
		v = v * 3 + at - i;
	}
	return v;
}

/* Frames and stack entries far beyond what lies close together, with lanes of two functions that meet at the bottom at
 * different depths; a limit of the frames below all of that. */
static void test_deep(void **state)
{
	static const char text[] =
	    HEAD DEEP("f", "shfl.sync.bfly.b32 %r5, %r2, 1, 31, -1;") DEEP("g", "shfl.sync.bfly.b32 %r5, %r2, 1, 31, -1;")
	        BEGIN "ld.param.u32 %r4, [p2];\nand.b32 %r2, %r1, 3;\nadd.u32 %r3, %r2, %r4;\nand.b32 %r5, %r1, 1;\n"
	              "setp.eq.u32 %p1, %r5, 0;\n@%p1 bra A;\n" CALL("f") "bra B;\nA: " CALL("g") "B: " END;
	for (u32 n = 7; n < 1000; n += 97) {
		rig_open_with(text, "k", false, 8192, 512);
		memcpy(r.l.params + 8, &n, 4);
		rig_run();
		fault_text(FAULT_NONE);
		for (u32 t = 0; t < N; t++)
			assert_int_equal(r.out[t], deep_up(n + t % 4, t, deep_bottom(n + (t ^ 1) % 4, t ^ 1)));
		rig_close();
	}
	rig_open_with(text, "k", false, 512, 512);
	memcpy(r.l.params + 8, &(u32){900}, 4);
	rig_run();
	expect_words(fault_text(FAULT_STACK_OVERFLOW), "exceed front.frame_kb = 512 KiB");
	rig_close();
}
/* A barrier's result goes to a register down there. */
static void test_deep_barrier(void **state)
{
	static const char text[] =
	    HEAD DEEP("f", "and.b32 %r6, %r2, 7; setp.eq.u32 %p2, %r6, 0; bar.red.popc.u32 %r5, 0, %p2;") BEGIN
	    "ld.param.u32 %r3, [p2];\n" CALL("f") END;
	for (u32 n = 1; n < 2000; n += 660) {
		rig_open_with(text, "k", false, 8192, 512);
		memcpy(r.l.params + 8, &n, 4);
		rig_run();
		fault_text(FAULT_NONE);
		for (u32 t = 0; t < N; t++)
			assert_int_equal(r.out[t], deep_up(n, t, N / 8));
		rig_close();
	}
	rig_open_with(text, "k", false, 8192, 512);
	memcpy(r.l.params + 8, &(u32){2100}, 4);
	rig_run();
	expect_words(fault_text(FAULT_CALL_DEPTH), "more than 4096 entries (calls nested too deeply: depth 2048)");
	rig_close();
}
/* n registers, and with `sum` what comes of them and %r9. */
static void add_registers(struct strbuf *text, u32 n, bool sum)
{
	for (u32 i = 0; i < n; i++)
		strbuf_addf(text, sum ? "mad.lo.u32 %%r9, %%r9, 5, %%q%u;\n" : "mad.lo.u32 %%q%u, %%r1, %u, %u;\n", i, i + 1,
		            i * i);
}
static u32 registers_sum(u32 n, u32 x, u32 v)
{
	for (u32 i = 0; i < n; i++)
		v = v * 5 + x * (i + 1) + i * i;
	return v;
}
/* Frames larger than what is left of the part of a window that lies close together, or than all of it. */
static void test_large_frames(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct err e = {0};
	for (u32 n = 300; n <= 700; n += 400) {
		strbuf_clear(&text);
		strbuf_adds(&text, HEAD ".func (.param .b32 o) f(.param .b32 x)\n{\n.reg .b32 %r<10>, %q<300>;\n"
		                        "ld.param.u32 %r1, [x];\nmov.u32 %r9, 7;\n");
		add_registers(&text, 300, false);
		add_registers(&text, 300, true);
		strbuf_adds(&text, "st.param.b32 [o], %r9;\nret;\n}\n" BEGIN ".reg .b32 %q<700>;\n");
		add_registers(&text, n, false);
		strbuf_adds(&text, "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), f, (a); "
		                   "ld.param.b32 %r9, [b]; }\n");
		add_registers(&text, n, true);
		strbuf_adds(&text, END);
		rig_open_with(strbuf_str(&text), "k", false, 256, 512);
		rig_run();
		fault_text(FAULT_NONE);
		for (u32 t = 0; t < N; t++)
			assert_int_equal(r.out[t], registers_sum(n, t, registers_sum(300, t, 7)));
		rig_close();
	}
	rig_open_with(strbuf_str(&text), "k", false, 128, 512);
	assert_false(front_check_launch(r.f, &r.l, &e));
	expect_words(e.msg, "more than front.frame_kb = 128 KiB");
	rig_close();
	strbuf_release(&text);
}

/* Larger than the rig's device memory has room for, were it laid out for every warp at the limit: it has what it says.
 */
static void test_what_the_kernel_states(void **state)
{
	struct err e = {0};
	run_kernel("large", 32, 512, 5000);
	fault_text(FAULT_NONE);
	for (s32 t = 0; t < N; t++)
		assert_int_equal(got[t], t);
	assert_int_equal(r.l.fn->local_bytes, 20000);
	rig_close();
	open_kernel("large", 32, 16);
	assert_false(front_check_launch(r.f, &r.l, &e));
	expect_words(e.msg, "kernel large: 20000 bytes of local memory per thread, more than front.local_kb = 16 KiB");
	rig_close();
}

static void test_other_operands(void **state)
{
	const char *text = HEAD ".func f() { .local .b32 x; .reg .b64 %rd<3>; add.u64 %rd1, x, 4; call f; ret; }\n"
	                        ".entry k() { call f; ret; }\n";
	const struct refusal why = refusal_of("t.ptx", text, strlen(text));
	expect_words(why.text, "t.ptx:4:46: the address of a .local variable of a recursive function is an operand here");
}

/* ld and st that name the variable; its address by mov, generic or not, and by cvta. Thread 0's bytes are not others'.
 */
static void test_named_directly(void **state)
{
	rig_open(HEAD
	         ".func (.param .b32 o) f(.param .b32 n)\n{\n.reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p<2>;\n"
	         ".local .align 8 .b8 skip[8]; .local .b32 x[2];\nld.param.u32 %r1, [n];\nst.local.u32 [x+4], %r1;\n"
	         "mov.u64 %d1, generic(x);\nadd.u32 %r2, %r1, 100;\nst.u32 [%d1], %r2;\nsetp.eq.u32 %p1, %r1, 0;\n"
	         "@%p1 bra L;\nsub.u32 %r3, %r1, 1;\n"
	         "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r3; call.uni (b), f, (a); ld.param.b32 %r4, [b]; }\n"
	         "L: cvta.local.u64 %d2, x;\nld.u32 %r5, [%d2+4];\n"
	         "mov.u32 %r6, x;\nld.local.u32 %r7, [%r6];\nmad.lo.u32 %r4, %r4, 3, %r5;\nmad.lo.u32 %r4, %r7, 7, %r4;\n"
	         "st.param.b32 [o], %r4;\nret;\n}\n" BEGIN
	         "rem.u32 %r2, %r1, 6;\n{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call.uni (b), f, (a); "
	         "ld.param.b32 %r9, [b]; }\n" END,
	         false);
	rig_run();
	fault_text(FAULT_NONE);
	for (u32 t = 0; t < N; t++) {
		u32 want = 0;
		for (u32 n = 0; n <= t % 6; n++)
			want = want * 3 + n + 7 * (n + 100);
		assert_int_equal(r.out[t], want);
	}
	rig_close();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_quicksort),
	    cmocka_unit_test(test_each_call_its_arrays),
	    cmocka_unit_test(test_waiting_for_each_other),
	    cmocka_unit_test(test_overflow),
	    cmocka_unit_test(test_deep),
	    cmocka_unit_test(test_deep_barrier),
	    cmocka_unit_test(test_large_frames),
	    cmocka_unit_test(test_what_the_kernel_states),
	    cmocka_unit_test(test_other_operands),
	    cmocka_unit_test(test_named_directly),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
