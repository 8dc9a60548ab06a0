/* Parameters of kernels: up to 32,764 bytes, and addresses of them (cvta.param, as nvcc emits it for
 * __grid_constant__): reads through generic pointers, faults of writes, kernels that run at a time, going back in time.
 */
#include "tests/rig/machine.h"
#include "tests/rig/refusal.h"

#include "front/ptx/ptx.h"

#define WORDS 8190 /* and a pointer behind them: 32,768 is one word too many */
#define HEAD8 ".version 8.0\n.target sm_75\n.address_size 64\n"

/* out[i] = *(generic pointer to big + 4 * (i % words)), read in a function; `ways` is what the kernel does besides. */
#define LOOK                                                                                                           \
	".func (.param .b32 r) look(.param .b64 p, .param .b32 i)\n{\n.reg .b64 %rd<5>; .reg .b32 %r<5>;\n"                \
	"ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [i];\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"         \
	"ld.u32 %r2, [%rd3];\nst.param.b32 [r], %r2;\nret;\n}\n"
#define KERNEL(SIZE, COUNT, WAYS)                                                                                      \
	HEAD8 LOOK ".visible .entry k(.param .align 8 .b8 big[" SIZE "], .param .u64 out)\n{\n"                            \
	           ".reg .b64 %rd<12>; .reg .b32 %r<12>; .reg .pred %p<5>;\n"                                              \
	           "mov.b64 %rd1, big;\nld.param.u64 %rd2, [out];\ncvta.to.global.u64 %rd3, %rd2;\n"                       \
	           "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmad.lo.u32 %r4, %r2, %r3, %r1;\n" \
	           "rem.u32 %r5, %r4, " COUNT ";\ncvta.param.u64 %rd4, %rd1;\n" WAYS                                       \
	           "{\n.param .b64 a; .param .b32 b; .param .b32 c;\nst.param.b64 [a], %rd4;\nst.param.b32 [b], %r5;\n"    \
	           "call (c), look, (a, b);\nld.param.b32 %r6, [c];\n}\n"                                                  \
	           "mul.wide.u32 %rd5, %r4, 4;\nadd.s64 %rd6, %rd3, %rd5;\nst.global.u32 [%rd6], %r6;\nret;\n}\n"

struct setup {
	struct sim *s;
	struct module *m;
	u64 out;
};
static struct setup begin(const char *text)
{
	struct err e = {0};
	struct setup t = {.s = machine((const char *[]){"num_sms=2", NULL})};
	t.m = sim_load_text(t.s, "t.ptx", text, strlen(text), &e);
	if (!t.m)
		fail_msg("%s", e.msg);
	t.out = devmem_alloc(sim_devmem(t.s), 4 * 65536, "out", &e);
	assert_false(e.set);
	return t;
}
/* words + 2 words of parameters: first, first + 1, ... and the address of the result. */
static u8 params[WORDS * 4 + 16];
static void fill(u32 words, u32 first, u64 out)
{
	for (u32 i = 0; i < words; i++)
		memcpy(params + 4 * i, &(u32){first + i}, 4);
	memcpy(params + 4 * words, &out, 8);
}
static void launch(struct setup *t, u32 words, u32 first, u64 out, u32 stream, u32 grid)
{
	struct err e = {0};
	fill(words, first, out);
	struct launch_spec l = {.mod = t->m,
	                        .fn = module_func(t->m, "k", true),
	                        .grid = {grid, 1, 1},
	                        .block = {128, 1, 1},
	                        .stream = stream,
	                        .params = params,
	                        .param_bytes = 4 * words + 8};
	if (sim_launch(t->s, &l, &e) < 0)
		fail_msg("%s", e.msg);
	memset(params, 0xee, sizeof params);
}
static void expect(struct setup *t, u64 out, u32 n, u32 words, u32 first)
{
	static u32 got[65536];
	struct err e = {0};
	assert_true(devmem_read(sim_devmem(t->s), out, got, 4 * n, &e));
	for (u32 i = 0; i < n; i++)
		if (got[i] != first + i % words)
			fail_msg("thread %u: %u, want %u", i, got[i], first + i % words);
}

/* As many bytes as a kernel may have. The word in the middle also comes by ld.param with a constant address, by
 * ld.param with a register, and through cvta.to.param of the generic address. */
#define THREE_WAYS                                                                                                     \
	"ld.param.u32 %r7, [big+16000];\nadd.s64 %rd7, %rd1, 16000;\nld.param.u32 %r8, [%rd7];\n"                          \
	"cvta.to.param.u64 %rd8, %rd4;\nld.param.u32 %r9, [%rd8+16000];\nsub.u32 %r8, %r8, %r7;\nsub.u32 %r9, %r9, %r7;\n" \
	"or.b32 %r8, %r8, %r9;\nisspacep.param %p1, %rd4;\nisspacep.param %p2, %rd2;\nand.pred %p3, %p1, %p2;\n"           \
	"@!%p1 trap;\n@%p3 trap;\nsetp.ne.u32 %p4, %r8, 0;\n@%p4 trap;\nsetp.ne.u32 %p4, %r7, 4007;\n@%p4 trap;\n"
static void test_largest(void **state)
{
	struct setup t = begin(KERNEL("32752", "8188", THREE_WAYS));
	struct stop st;
	launch(&t, 8188, 7, t.out, 0, 70);
	sim_run(t.s, NEVER, &st);
	assert_int_equal(st.why, STOP_IDLE);
	expect(&t, t.out, 70 * 128, 8188, 7);
	sim_destroy(t.s);
}
static void test_too_large(void **state)
{
	struct err e = {0};
	static const char *const texts[] = {HEAD8 ".entry k(.param .b8 a[32765]) { ret; }",
	                                    HEAD8 ".entry k(.param .b8 a[32760], .param .b64 b) { ret; }"};
	for (u32 i = 0; i < 2; i++) {
		assert_null(ptx_load("t.ptx", texts[i], strlen(texts[i]), &e));
		if (!strstr(e.msg, "32764 bytes"))
			fail_msg("%s", e.msg);
		e = (struct err){0};
	}
	const char *fits = HEAD8 ".entry k(.param .b8 a[32760], .param .b32 b) { ret; }";
	struct module *m = ptx_load("t.ptx", fits, strlen(fits), &e);
	assert_non_null(m);
	module_free(m);
	const char *func =
	    HEAD8 ".func f(.param .b64 a) { .reg .b64 %rd<3>; mov.b64 %rd1, a; cvta.param.u64 %rd2, %rd1; }\n"
	          ".entry k() { .param .b64 p; call f, (p); }";
	const struct refusal r = refusal_of("t.ptx", func, strlen(func));
	if (r.file || !strstr(r.text, "t.ptx:4:61: 'cvta.param.u64' in a function is not supported") ||
	    !strstr(r.text, "(in function f, which it calls)"))
		fail_msg("%s", r.text);
}

/* A write to a parameter is a fault that says where. */
static void test_write(void **state)
{
	struct setup t = begin(KERNEL("256", "64", "add.s64 %rd9, %rd4, 20;\nst.u32 [%rd9], %r1;\n"));
	struct strbuf text = STRBUF_INIT;
	struct stop st;
	launch(&t, 64, 0, t.out, 0, 1);
	sim_run(t.s, NEVER, &st);
	assert_int_equal(st.why, STOP_FAULT);
	sim_fault_text(t.s, &text);
	if (!strstr(strbuf_str(&text), "kernel parameters") || !strstr(strbuf_str(&text), "read-only") ||
	    !strstr(strbuf_str(&text), "st.u32"))
		fail_msg("%s", strbuf_str(&text));
	strbuf_release(&text);
	sim_destroy(t.s);
}

/* Kernels of several streams run at a time, each reads its own parameters; then more launches than there are places. */
static void test_at_a_time(void **state)
{
	struct setup t = begin(KERNEL("256", "64", ""));
	struct stop st;
	for (u32 k = 0; k < 40; k++)
		launch(&t, 64, 1000 * k, t.out + 4096 * k, k % 20, 8);
	sim_run(t.s, NEVER, &st);
	assert_int_equal(st.why, STOP_IDLE);
	for (u32 k = 0; k < 40; k++)
		expect(&t, t.out + 4096 * k, 8 * 128, 64, 1000 * k);
	sim_destroy(t.s);
}

/* Into the middle of the second kernel and on: the first one's parameters stood where its own are. */
static void test_going_back(void **state)
{
	struct setup t = begin(KERNEL("256", "64", ""));
	struct err e = {0};
	struct stop st;
	u64 mid = 0, hash = 0;
	assert_true(sim_history(t.s, 64, &e));
	for (u32 k = 0; k < 3; k++) {
		sim_fork(t.s);
		launch(&t, 64, 500 * k, t.out, 0, 500);
		sim_turn(t.s);
		if (k == 1) {
			sim_run(t.s, sim_cycle(t.s) * 5 / 3, &st);
			assert_int_equal(st.why, STOP_CYCLE);
			mid = sim_cycle(t.s);
			hash = sim_hash(t.s);
		}
		sim_run(t.s, NEVER, &st);
		assert_int_equal(st.why, STOP_IDLE);
	}
	const u64 end = sim_cycle(t.s), last = sim_hash(t.s);
	expect(&t, t.out, 500 * 128, 64, 1000);
	for (u32 k = 0; k < 3; k++) {
		assert_true(sim_goto(t.s, mid, &e));
		assert_int_equal(sim_hash(t.s), hash);
		assert_true(sim_goto(t.s, end, &e));
		assert_int_equal(sim_hash(t.s), last);
		expect(&t, t.out, 500 * 128, 64, 1000);
	}
	sim_destroy(t.s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_largest),   cmocka_unit_test(test_too_large),  cmocka_unit_test(test_write),
	    cmocka_unit_test(test_at_a_time), cmocka_unit_test(test_going_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
