/* alloca, stacksave and stackrestore from PTX text: what PTX promises of the addresses, checked by the kernel and in C;
 * calls and recursion; the end of the stack. */
#include "tests/rig/kernel_rig.h"
#include "tests/rig/refusal.h"

static u32 out_of(u32 t, u32 k)
{
	return r.out[4 * t + k];
}
static void run(const char *text)
{
	struct err e = {0};
	rig_open(text, false);
	rig_run();
	fault_text(FAULT_NONE);
	if (!devmem_read(&r.mem, r.buf, r.out, sizeof r.out, &e))
		fail_msg("%s", e.msg);
}
/* k(buf): %rd3 = &buf[4 * tid] */
#define KERNEL                                                                                                         \
	".visible .entry k(.param .u64 buf, .param .u64 p2)\n{\n.reg .b32 %r<40>; .reg .b64 %rd<20>; .reg .pred %p<8>;\n"  \
	"ld.param.u64 %rd1, [buf];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 16;\nadd.s64 %rd3, %rd1, %rd2;\n"
#define STORE "st.global.v4.u32 [%rd3], {%r10, %r11, %r12, %r13};\nret;\n}\n"

/* Addresses of three blocks whose sizes differ by lane, with every alignment: aligned, apart from each other, in turn
 * downwards, and from a variable of the function. */
static void test_addresses(void **state)
{
	for (u32 align = 1; align <= 256; align *= 2)
		for (u32 wide = 0; wide < 2; wide++) {
			char text[4000], last[20] = "";
			const char w = wide ? 'd' : ' ';
			if (align != 8)
				snprintf(last, sizeof last, ", %u", align);
			snprintf(text, sizeof text,
			         "%s.local .align 4 .b8 v[40];\nand.b32 %%r2, %%r1, 31;\nadd.u32 %%r3, %%r2, 1;\n"
			         "cvt.u64.u32 %%rd5, %%r3;\nalloca.u%s %%r%c10, %%r%c%u%s;\nalloca.u%s %%r%c11, 0%s;\n"
			         "alloca.u%s %%r%c12, 7%s;\n%smov.u32 %%r13, v;\n%s",
			         HEAD KERNEL, wide ? "64" : "32", w, w, wide ? 5 : 3, last, wide ? "64" : "32", w, last,
			         wide ? "64" : "32", w, last,
			         wide ? "cvt.u32.u64 %r10, %rd10;\ncvt.u32.u64 %r11, %rd11;\ncvt.u32.u64 %r12, %rd12;\n" : "",
			         STORE);
			for (char *c = text; *c; c++) /* "%r 10" is %r10 */
				if (c[0] == '%' && c[1] == 'r' && c[2] == ' ')
					memmove(c + 2, c + 3, strlen(c + 2));
			run(text);
			for (u32 t = 0; t < N; t++) {
				const u32 a = out_of(t, 0), b = out_of(t, 1), c = out_of(t, 2), v = out_of(t, 3), size = t % 32 + 1;
				if (a % align || b % align || c % align)
					fail_msg("align %u, thread %u: 0x%x 0x%x 0x%x", align, t, a, b, c);
				if (b > a || c + 7 > b || b - c >= 7 + align || a - b >= align)
					fail_msg("thread %u: 0x%x 0x%x 0x%x are not one below the other", t, a, b, c);
				if (a + size > v && c < v + 40)
					fail_msg("thread %u: 0x%x..0x%x meets the variable at 0x%x", t, c, a + size, v);
				if (t && t % 32 && (out_of(t - 1, 0) - a) > 1 + align)
					fail_msg("thread %u takes more than it asks for", t);
			}
			rig_close();
		}
}

/* What is taken between save and restore is free again, lane by lane. */
static void test_restore(void **state)
{
	for (u32 wide = 0; wide < 2; wide++) {
		const char *text =
		    wide ? HEAD KERNEL "setp.lt.u32 %p1, %r1, 50;\nalloca.u64 %rd10, 64, 16;\nstacksave.u64 %rd5;\n"
		                       "alloca.u64 %rd11, 100, 16;\n@%p1 stackrestore.u64 %rd5;\n"
		                       "alloca.u64 %rd12, 100, 16;\n@!%p1 alloca.u64 %rd12, 32, 16;\n"
		                       "cvt.u32.u64 %r10, %rd10;\ncvt.u32.u64 %r11, %rd11;\ncvt.u32.u64 %r12, %rd12;\n"
		                       "mov.u32 %r13, 0;\n" STORE
		         : HEAD KERNEL "setp.lt.u32 %p1, %r1, 50;\nalloca.u32 %r10, 64, 16;\nstacksave.u32 %r5;\n"
		                       "alloca.u32 %r11, 100, 16;\n@%p1 stackrestore.u32 %r5;\n"
		                       "alloca.u32 %r12, 100, 16;\n@!%p1 alloca.u32 %r12, 32, 16;\nmov.u32 %r13, 0;\n" STORE;
		run(text);
		for (u32 t = 0; t < N; t++) {
			assert_int_equal(out_of(t, 0) - out_of(t, 1), 112);
			assert_int_equal(out_of(t, 0) - out_of(t, 2), t < 50 ? 112 : 112 + 112 + 32);
		}
		rig_close();
	}
}

/* sum(n): takes n words, fills them with n + i, calls sum(n - 1) where n > 1, adds up its words. The kernel has a block
 * of its own, which must stay. */
#define SUM                                                                                                            \
	".func (.param .b32 res) sum(.param .b32 n)\n{\n.reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .pred %p<4>;\n"          \
	"ld.param.b32 %r1, [n];\nmul.wide.u32 %rd1, %r1, 4;\nalloca.u64 %rd2, %rd1, 16;\nmov.u32 %r2, 0;\n"                \
	"mov.u64 %rd3, %rd2;\nF: add.u32 %r3, %r1, %r2;\nst.local.u32 [%rd3], %r3;\nadd.u64 %rd3, %rd3, 4;\n"              \
	"add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, %r1;\n@%p1 bra F;\nmov.u32 %r5, 0;\nCALLED"                           \
	"mov.u32 %r2, 0;\ncvta.local.u64 %rd3, %rd2;\nG: ld.u32 %r3, [%rd3];\nadd.u32 %r5, %r5, %r3;\n"                    \
	"add.u64 %rd3, %rd3, 4;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, %r1;\n@%p1 bra G;\n"                          \
	"st.param.b32 [res], %r5;\nret;\n}\n"
static u32 sum_of(u32 n, bool recursive)
{
	u32 s = 0;
	for (u32 i = 0; i < n; i++)
		s += n + i;
	return s + (recursive && n > 1 ? sum_of(n - 1, true) : 0);
}
static void test_calls(void **state)
{
	static const char *const inner[] = {
	    "", "setp.gt.u32 %p2, %r1, 1;\n@!%p2 bra E;\nsub.u32 %r6, %r1, 1;\n{ .param .b32 a; .param .b32 b;\n"
	        "st.param.b32 [a], %r6;\ncall (b), sum, (a);\nld.param.b32 %r5, [b]; }\nE:\n"};
	for (u32 recursive = 0; recursive < 2; recursive++) {
		char text[6000];
		const char *sum = SUM, *hole = strstr(sum, "CALLED");
		static const char kernel[] = KERNEL "alloca.u64 %rd10, 400, 16;\n"
		                                    "mov.u32 %r2, 0;\n"
		                                    "add.u64 %rd11, %rd10, 0;\n"
		                                    "H: add.u32 %r3, %r1, %r2;\n"
		                                    "st.local.u32 [%rd11], %r3;\n"
		                                    "add.u64 %rd11, %rd11, 4;\n"
		                                    "add.u32 %r2, %r2, 1;\n"
		                                    "setp.lt.u32 %p1, %r2, 100;\n"
		                                    "@%p1 bra H;\n"
		                                    "rem.u32 %r4, %r1, 7;\n"
		                                    "add.u32 %r4, %r4, 1;\n"
		                                    "{ .param .b32 a; .param .b32 b;\n"
		                                    "st.param.b32 [a], %r4;\n"
		                                    "call (b), sum, (a);\n"
		                                    "ld.param.b32 %r10, [b];\n"
		                                    "}\n"
		                                    "{ .param .b32 a; .param .b32 b;\n"
		                                    "st.param.b32 [a], 3;\n"
		                                    "call (b), sum, (a);\n"
		                                    "ld.param.b32 %r11, [b];\n"
		                                    "}\n"
		                                    "mov.u32 %r12, 0;\n"
		                                    "mov.u32 %r2, 0;\n"
		                                    "add.u64 %rd11, %rd10, 0;\n"
		                                    "I: ld.local.u32 %r3, [%rd11];\n"
		                                    "add.u32 %r12, %r12, %r3;\n"
		                                    "add.u64 %rd11, %rd11, 4;\n"
		                                    "add.u32 %r2, %r2, 1;\n"
		                                    "setp.lt.u32 %p1, %r2, 100;\n"
		                                    "@%p1 bra I;\n"
		                                    "mov.u32 %r13, 0;\n" STORE;
		snprintf(text, sizeof text, "%s%.*s%s%s%s", HEAD, (int)(hole - sum), sum, inner[recursive], hole + 6, kernel);
		run(text);
		for (u32 t = 0; t < N; t++) {
			assert_int_equal(out_of(t, 0), sum_of(t % 7 + 1, recursive));
			assert_int_equal(out_of(t, 1), sum_of(3, recursive));
			assert_int_equal(out_of(t, 2), 100 * t + 4950);
		}
		rig_close();
	}
}

/* As much as there is can be had; a byte more, or a size that wraps, is a fault of the lanes that ask for it. */
static void test_end(void **state)
{
	run(HEAD KERNEL "alloca.u64 %rd10, 1000, 1;\nalloca.u64 %rd11, 24, 1;\ncvt.u32.u64 %r10, %rd10;\n"
	                "cvt.u32.u64 %r11, %rd11;\nmov.u32 %r12, 0;\nmov.u32 %r13, 0;\n" STORE);
	assert_int_equal(out_of(0, 0) - out_of(0, 1), 24);
	rig_close();
	static const char *const sizes[] = {"25", "0xffffffffffffffff", "0x100000000", "0xfffffffffffffff0"};
	for (u32 i = 0; i < ARRAY_LEN(sizes); i++) {
		char text[3000];
		snprintf(
		    text, sizeof text,
		    "%ssetp.eq.u32 %%p1, %%r1, 37;\nalloca.u64 %%rd10, 1000, 1;\nmov.u64 %%rd5, 24;\n@%%p1 mov.u64 %%rd5, %s;\n"
		    "alloca.u64 %%rd11, %%rd5, 1;\nret;\n}\n",
		    HEAD KERNEL, sizes[i]);
		rig_open(text, false);
		rig_run();
		expect_words(fault_text(FAULT_ALLOCA), "has 24 left");
		assert_int_equal(front_fault(r.f)->lanes, 1u << 5);
		rig_close();
	}
}

static void test_refused(void **state)
{
	static const char *const bodies[] = {
	    "alloca.u64 %rd4, 16, 3;\n",   "alloca.u64 %rd4, 16, %r1;\n", "alloca.b64 %rd4, 16;\n",
	    "alloca.u64 %rd4, %r1, 16;\n", "stacksave.u64 %r1;\n",        "stackrestore.u32 %rd4;\n",
	    "alloca.u64 %rd4, 16, 0;\n",   "stacksave %rd4;\n",
	};
	for (u32 i = 0; i < ARRAY_LEN(bodies); i++)
		expect_refused(HEAD KERNEL, bodies[i], "ret;\n}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_addresses), cmocka_unit_test(test_restore), cmocka_unit_test(test_calls),
	    cmocka_unit_test(test_end),       cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
