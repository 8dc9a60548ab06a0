/* What crosses SMs (gpu/crossing.h): the order in which they tick is nowhere to be seen. */
#include "tests/machine.h"

#include "base/bits.h"
#include "gpu/gpu.h"
#include "sm/restart.h"

#define CTAS 45
#define THREADS 64
#define WORDS 16

/* All threads read, write and exchange the same few words, unordered, and print what came of it: the results tell in
 * which order the machine did it all. */
static const char race[] =
    PTX_HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
             ".global .align 1 .b8 fmt[4] = {37,117,10,0};\n"
             ".visible .entry kernel(.param .u64 buf)\n{\n"
             ".reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .pred %p<4>; .local .align 8 .b8 args[8];\n"
             "ld.param.u64 %rd1, [buf];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmad.lo.u32 %r3, %r2, 64, %r1;\n"
             "mov.u32 %r4, 0;\nmov.u32 %r5, %r3;\n"
             "LOOP:\nmad.lo.u32 %r6, %r4, 7, %r2;\nand.b32 %r6, %r6, 15;\nmul.wide.u32 %rd2, %r6, 4;\nadd.u64 %rd3, "
             "%rd1, %rd2;\n"
             "ld.volatile.global.u32 %r7, [%rd3];\nmad.lo.u32 %r5, %r5, 31, %r7;\nst.volatile.global.u32 [%rd3], %r5;\n"
             "xor.b32 %r8, %r6, 5;\nmul.wide.u32 %rd4, %r8, 4;\nadd.u64 %rd5, %rd1, %rd4;\natom.global.exch.b32 %r9, "
             "[%rd5], %r3;\n"
             "xor.b32 %r5, %r5, %r9;\nred.global.add.u32 [%rd3], 1;\n"
             "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, 5;\n@%p1 bra LOOP;\n"
             "mul.wide.u32 %rd6, %r3, 4;\nadd.u64 %rd7, %rd1, %rd6;\nst.global.u32 [%rd7+64], %r5;\n"
             "setp.ne.u32 %p2, %r1, 17;\n@%p2 bra SKIP;\n"
             "mov.u64 %rd8, args;\nst.local.u32 [%rd8], %r5;\ncvta.local.u64 %rd9, %rd8;\nmov.u64 %rd10, fmt;\n"
             "{ .param .b64 f; .param .b64 a; .param .b32 rr; st.param.b64 [f], %rd10; st.param.b64 [a], %rd9;\n"
             "call.uni (rr), vprintf, (f, a); ld.param.b32 %r10, [rr]; }\nSKIP:\nret;\n}\n";

/* Everything there is to see of a run. */
struct seen {
	u64 cycles, hash[8], events, points;
	u32 memory[WORDS + CTAS * THREADS];
	struct strbuf text;
};

static bool note_event(void *ctx, const struct event *e)
{
	u64 *sum = ctx;
	const u64 *words = (const void *)e;
	for (u32 i = 0; i < sizeof(*e) / sizeof(u64); i++)
		*sum = (*sum ^ words[i]) * 0x9e3779b97f4a7c15ull;
	return false;
}

static u64 points_sum(struct sim *s)
{
	u32 n;
	u64 lost, sum = 0, seen = 0;
	const struct restart_point *p = restart_points(sim_gpu(s)->restart, &n, &lost);
	for (u32 i = 0; i < n; i++) {
		const u64 words[] = {p[i].pc, p[i].cause, p[i].times, p[i].firsts, i};
		for (u32 k = 0; p[i].code && k < ARRAY_LEN(words); k++)
			sum = (sum ^ words[k]) * 0x9e3779b97f4a7c15ull;
		seen += p[i].code != 0;
	}
	return seen > 3 ? sum : 0;
}

static void look(const char *const *sets, const char *set, struct seen *out)
{
	struct err e = {0};
	const char *all[8] = {"idempotence.track=true", set};
	struct stop st;
	memset(out, 0, sizeof(*out));
	for (u32 i = 2; *sets; i++)
		all[i] = *sets++;
	struct sim *s = machine(all);
	struct module *m = sim_load_text(s, "race.ptx", race, strlen(race), &e);
	if (!m)
		fail_msg("%s", e.msg);
	const u64 buf = devmem_alloc(sim_devmem(s), sizeof(out->memory), "buf", &e);
	sim_subscribe(s, EVENTS_ALL, note_event, &out->events);
	struct launch_spec l = {
	    .mod = m, .fn = m->funcs, .grid = {CTAS, 1, 1}, .block = {THREADS, 1, 1}, .params = &buf, .param_bytes = 8};
	l.fn = module_func(m, "kernel", true);
	if (sim_launch(s, &l, &e) < 0)
		fail_msg("%s", e.msg);
	for (u32 i = 0; i < 8; i++) {
		sim_run(s, 500 * (i + 1), &st);
		out->hash[i] = sim_hash(s);
		if (!sim_check_state(s, &e))
			fail_msg("%s", e.msg);
	}
	sim_run(s, 1000000, &st);
	assert_int_equal(st.why, STOP_IDLE);
	sim_drain(s);
	if (!sim_check(s, &e))
		fail_msg("%s", e.msg);
	out->cycles = st.cycle;
	out->points = points_sum(s);
	assert_true(out->points);
	sim_take_printf(s, &out->text);
	assert_true(devmem_read(sim_devmem(s), buf, out->memory, sizeof(out->memory), &e));
	sim_destroy(s);
}

static void expect_same(const struct seen *a, const struct seen *b)
{
	assert_int_equal(a->cycles, b->cycles);
	assert_string_equal(strbuf_str(&a->text), strbuf_str(&b->text));
	assert_memory_equal(a->memory, b->memory, sizeof(a->memory));
	assert_memory_equal(a->hash, b->hash, sizeof(a->hash));
	assert_int_equal(a->events, b->events);
	assert_int_equal(a->points, b->points);
}

static void shuffled(const char *const *sets)
{
	struct seen plain, other;
	look(sets, "tick.shuffle=0", &plain);
	assert_true(plain.text.len > 2 * CTAS);
	for (u32 seed = 1; seed <= 3; seed++) {
		char set[32];
		snprintf(set, sizeof(set), "tick.shuffle=%u", seed * 1234567);
		look(sets, set, &other);
		expect_same(&plain, &other);
		strbuf_release(&other.text);
	}
	strbuf_release(&plain.text);
}

static void test_any_order(void **st)
{
	shuffled((const char *[]){NULL});
	shuffled((const char *[]){"warp-sched=ccws", "lsu.replay=newcar", NULL});
	shuffled((const char *[]){"noc.switch=islip", "sm.ctas=2", NULL});
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_any_order)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
