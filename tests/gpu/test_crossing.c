/* What crosses SMs (gpu/crossing.h): the order in which they tick is nowhere to be seen, and with commit.delay
 * everything comes that much later. */
#include "tests/rig/machine.h"

#include "base/bits.h"
#include "gpu/gpu.h"
#include "sm/restartable.h"

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
             "LOOP:\nmad.lo.u32 %r6, %r4, 7, %r2;\nand.b32 %r6, %r6, 15;\nmul.wide.u32 %rd2, %r6, 4;\n"
             "add.u64 %rd3, %rd1, %rd2;\n"
             "ld.volatile.global.u32 %r7, [%rd3];\nmad.lo.u32 %r5, %r5, 31, %r7;\nst.volatile.global.u32 [%rd3], %r5;\n"
             "xor.b32 %r8, %r6, 5;\nmul.wide.u32 %rd4, %r8, 4;\nadd.u64 %rd5, %rd1, %rd4;\n"
             "atom.global.exch.b32 %r9, [%rd5], %r3;\n"
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

static void test_any_order_late(void **st)
{
	shuffled((const char *[]){"commit.delay=8", NULL});
	shuffled((const char *[]){"commit.delay=3", "warp-sched=lrr", "sm.ctas=2", NULL});
	shuffled((const char *[]){"commit.delay=13", "noc.switch=islip", NULL});
}

/* --- restart points ----------------------------------------------------------------------------------------------- */

#define COLLIDING 1920 /* instructions between an atomic and an overwrite that fall on the same place of the table */

/* CTA 0 does an atomic, CTA 1 overwrites what it has read, each behind a loop of its own. */
static void collision_text(struct strbuf *t, u32 lead)
{
	strbuf_adds(t, PTX_HEAD ".visible .entry kernel(.param .u64 buf, .param .u64 d0, .param .u64 d1)\n{\n"
	                        ".reg .b32 %r<8>; .reg .b64 %rd<2>; .reg .pred %p<4>;\n");
	for (u32 i = 0; i < lead; i++)
		strbuf_adds(t, "mov.u32 %r6, 1;\n");
	strbuf_adds(t, "ld.param.u64 %rd1, [buf]; ld.param.u32 %r1, [d0]; ld.param.u32 %r2, [d1]; mov.u32 %r3, %ctaid.x;\n"
	               "ld.global.u32 %r5, [%rd1]; add.u32 %r5, %r5, 1; setp.eq.u32 %p1, %r3, 1; @%p1 bra ODD;\n"
	               "L0: sub.u32 %r1, %r1, 1; setp.ne.u32 %p2, %r1, 0; @%p2 bra L0;\n"
	               "red.global.add.u32 [%rd1+256], 1; ret;\n");
	for (u32 i = 0; i < COLLIDING - 6; i++)
		strbuf_adds(t, "mov.u32 %r6, 1;\n");
	strbuf_adds(t, "ODD: sub.u32 %r2, %r2, 1; add.u32 %r6, %r5, 1; setp.ne.u32 %p3, %r2, 0; @%p3 bra ODD;\n"
	               "st.global.u32 [%rd1], %r5; ret;\n}\n");
}

struct collision {
	u64 first[2], hash;         /* the cycle of each cause; the machine at the end */
	u32 place[2];               /* in the table */
	struct restart_point at[2]; /* what is there, by cause */
};

static bool note_first(void *ctx, const struct event *e)
{
	struct collision *c = ctx;
	c->first[e->arg[0]] = e->cycle;
	return false;
}

static void collide(const char *text, const u64 delay[2], u32 shuffle, struct collision *out)
{
	struct err e = {0};
	char set[32];
	u32 n;
	u64 lost;
	snprintf(set, sizeof set, "tick.shuffle=%u", shuffle);
	struct sim *s = machine((const char *[]){"num_sms=2", "idempotence.track=true", set, NULL});
	*out = (struct collision){0};
	sim_subscribe(s, EVENT(EV_CTA_NONIDEMPOTENT), note_first, out);
	const u64 buf = devmem_alloc(sim_devmem(s), 4096, "buf", &e);
	assert_int_equal(run_ptx(s, text, 2, 1, (u64[]){buf, delay[0], delay[1]}, 3).why, STOP_IDLE);
	const struct restart_point *p = restart_points(sim_gpu(s)->restart, &n, &lost);
	for (u32 i = 0; i < n; i++) {
		if (!p[i].code)
			continue;
		out->place[p[i].cause] = i;
		out->at[p[i].cause] = p[i];
	}
	out->hash = sim_hash(s);
	sim_destroy(s);
}

/* Two SMs come to their first points in one cycle, and both points belong to the same place of the table: which of them
 * gets it is settled by the order of SMs, not by that of their ticks. */
static void test_points_that_collide(void **st)
{
	struct strbuf text = STRBUF_INIT;
	struct collision plain, other;
	u64 delay[2] = {1, 1}, late[2] = {40, 1};
	bool same = false;
	for (u32 lead = 0; lead < 8 && !same; lead++) { /* the place of a sum depends on where in the program both are */
		strbuf_clear(&text);
		collision_text(&text, lead);
		collide(strbuf_str(&text), delay, 0, &plain);
		collide(strbuf_str(&text), late, 0, &other);
		assert_true(plain.first[0] > plain.first[1] && other.first[0] < other.first[1]);
		same = plain.place[0] == other.place[1] && plain.place[1] == other.place[0];
	}
	assert_true(same); /* who comes first gets the place, the other the next one; else COLLIDING is no longer true */
	for (u32 i = 0; i < 200 && plain.first[0] != plain.first[1]; i++) {
		delay[plain.first[0] < plain.first[1]]++;
		collide(strbuf_str(&text), delay, 0, &plain);
	}
	assert_int_equal(plain.first[0], plain.first[1]);
	for (u32 shuffle = 1; shuffle <= 8; shuffle++) {
		collide(strbuf_str(&text), delay, shuffle, &other);
		assert_memory_equal(&plain, &other, sizeof plain);
	}
	strbuf_release(&text);
}

/* --- commit.delay ------------------------------------------------------------------------------------------------- */

/* All CTAs start at once, so everything issues in the same cycles as without delay and every load finds the same; the
 * kernel's end is seen later. */
static void test_same_later(void **st)
{
	struct seen now, late;
	look((const char *[]){NULL}, "commit.delay=0", &now);
	look((const char *[]){NULL}, "commit.delay=8", &late);
	assert_int_equal(late.cycles, now.cycles + 8);
	assert_memory_equal(now.memory, late.memory, sizeof(now.memory));
	assert_string_equal(strbuf_str(&now.text), strbuf_str(&late.text));
	assert_int_equal(now.points, late.points);
	strbuf_release(&now.text);
	strbuf_release(&late.text);
}

static struct module *load(struct sim *s, const char *text, u64 *buf)
{
	struct err e = {0};
	struct module *m = sim_load_text(s, "late.ptx", text, strlen(text), &e);
	if (!m)
		fail_msg("%s", e.msg);
	*buf = devmem_alloc(sim_devmem(s), 4096, "buf", &e);
	return m;
}

static void start(struct sim *s, struct module *m, u64 buf, u32 grid, u32 block)
{
	struct err e = {0};
	struct launch_spec l = {.mod = m,
	                        .fn = module_func(m, "kernel", true),
	                        .grid = {grid, 1, 1},
	                        .block = {block, 1, 1},
	                        .params = &buf,
	                        .param_bytes = 8};
	if (sim_launch(s, &l, &e) < 0)
		fail_msg("%s", e.msg);
}

/* A store is in memory 8 cycles later, not sooner; what comes from there was there before. */
static void test_when(void **st)
{
	static const char text[] =
	    PTX_HEAD ".visible .entry kernel(.param .u64 buf)\n{\n.reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
	             "ld.param.u64 %rd1, [buf];\nmov.u32 %r1, 7;\nst.global.u32 [%rd1], %r1;\nret;\n}\n";
	u64 seen[2];
	for (u32 d = 0; d < 2; d++) {
		struct err e = {0};
		struct stop stop;
		u64 buf;
		u32 v = 0;
		struct sim *s = machine((const char *[]){d ? "commit.delay=8" : "commit.delay=0", NULL});
		struct module *m = load(s, text, &buf);
		start(s, m, buf, 1, 1);
		while (!v) {
			sim_run(s, sim_cycle(s) + 1, &stop);
			assert_int_equal(stop.why, STOP_CYCLE);
			assert_true(devmem_read(sim_devmem(s), buf, &v, 4, &e));
		}
		seen[d] = sim_cycle(s);
		sim_destroy(s);
	}
	assert_int_equal(seen[1], seen[0] + 8);
}

/* What waits in the queues goes back in time with the rest. */
static void test_travel(void **st)
{
	struct err e = {0};
	struct stop stop;
	u64 buf, hash[40];
	struct sim *s = machine((const char *[]){"commit.delay=8", "tick.shuffle=3", NULL});
	assert_true(sim_history(s, 64, &e));
	struct module *m = sim_load_text(s, "race.ptx", race, strlen(race), &e);
	buf = devmem_alloc(sim_devmem(s), 4 * (WORDS + CTAS * THREADS), "buf", &e);
	start(s, m, buf, CTAS, THREADS);
	sim_turn(s);
	for (u32 i = 0; i < 40; i++) {
		sim_run(s, 1200 + 7 * i, &stop);
		hash[i] = sim_hash(s);
	}
	for (u32 i = 40; i-- > 0;) {
		if (!sim_goto(s, 1200 + 7 * i, &e))
			fail_msg("%s", e.msg);
		assert_int_equal(sim_hash(s), hash[i]);
	}
	sim_run(s, 1200 + 7 * 39, &stop);
	assert_int_equal(sim_hash(s), hash[39]);
	sim_destroy(s);
}

/* A fault stops the machine 8 cycles later; it is told as it was. */
static void test_fault(void **st)
{
	static const char text[] = PTX_HEAD
	    ".visible .entry kernel(.param .u64 buf)\n{\n.reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<2>;\n"
	    "ld.param.u64 %rd1, [buf];\nmov.u32 %r1, %ctaid.x;\nsetp.eq.u32 %p1, %r1, 3;\n@%p1 mov.u64 %rd1, 64;\n"
	    "mov.u32 %r2, 0;\nmov.u32 %r3, %tid.x;\nshl.b32 %r3, %r3, 3;\nand.b32 %r3, %r3, 256;\nadd.u32 %r3, %r3, 100;\n"
	    "LOOP:\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, %r3;\n@%p1 bra LOOP;\n"
	    "st.global.u32 [%rd1], %r1;\nret;\n}\n";
	struct strbuf said[3] = {STRBUF_INIT, STRBUF_INIT, STRBUF_INIT};
	u64 cycle[3], issued[3];
	const char *const sets[3][3] = {{"commit.delay=0"}, {"commit.delay=8"}, {"commit.delay=8", "tick.shuffle=5"}};
	for (u32 d = 0; d < 3; d++) {
		struct stop stop;
		u64 buf;
		struct sim *s = machine(sets[d]);
		struct module *m = load(s, text, &buf);
		start(s, m, buf, 15, 64);
		sim_run(s, 100000, &stop);
		assert_int_equal(stop.why, STOP_FAULT);
		cycle[d] = stop.cycle;
		issued[d] = sim_gpu(s)->sm[front_fault(sim_front(s))->sm]->k.issued;
		sim_fault_text(s, &said[d]);
		sim_destroy(s);
	}
	assert_int_equal(cycle[1], cycle[0] + 8);
	assert_int_equal(cycle[2], cycle[1]);
	assert_int_equal(issued[1], issued[0]); /* the SM has stood still */
	assert_string_equal(strbuf_str(&said[0]), strbuf_str(&said[1]));
	assert_string_equal(strbuf_str(&said[0]), strbuf_str(&said[2]));
	for (u32 d = 0; d < 3; d++)
		strbuf_release(&said[d]);
}

/* A thread puts a text together in global memory, reads bytes of it back and prints it, all within a few cycles. */
static void test_own_stores(void **st)
{
	static const char text[] = PTX_HEAD
	    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
	    ".global .align 1 .b8 fmt[4] = {37,115,10,0};\n"
	    ".visible .entry kernel(.param .u64 buf)\n{\n.reg .b32 %r<9>; .reg .b64 %rd<12>; .reg .b16 %h<4>;\n"
	    ".local .align 8 .b8 args[8];\nld.param.u64 %rd1, [buf];\nmov.u64 %rd8, args;\nst.local.u64 [%rd8], %rd1;\n"
	    "cvta.local.u64 %rd9, %rd8;\nmov.u64 %rd10, fmt;\nmov.u32 %r1, 0x44434241;\nmov.u32 %r2, 0x46;\n"
	    "mov.u32 %r3, 0xffffff99;\n"
	    "st.global.u32 [%rd1], %r1;\nst.global.u8 [%rd1+2], %r2;\n"
	    "{ .param .b64 f; .param .b64 a; .param .b32 rr; st.param.b64 [f], %rd10; st.param.b64 [a], %rd9;\n"
	    "call.uni (rr), vprintf, (f, a); ld.param.b32 %r8, [rr]; }\n"
	    "st.global.u32 [%rd1+128], %r3;\nst.global.u8 [%rd1+1], %r1;\n"
	    "ld.global.s8 %r4, [%rd1+128];\nld.global.v2.u16 {%h1, %h2}, [%rd1];\n"
	    "st.global.u32 [%rd1+64], %r4;\nst.global.v2.u16 [%rd1+68], {%h1, %h2};\nret;\n}\n";
	for (u32 d = 0; d < 2; d++) {
		struct err e = {0};
		struct stop stop;
		struct strbuf said = STRBUF_INIT;
		u64 buf;
		u32 words[2];
		struct sim *s = machine((const char *[]){d ? "commit.delay=8" : "commit.delay=0", NULL});
		struct module *m = load(s, text, &buf);
		start(s, m, buf, 1, 1);
		sim_run(s, 100000, &stop);
		assert_int_equal(stop.why, STOP_IDLE);
		sim_take_printf(s, &said);
		assert_string_equal(strbuf_str(&said), "ABFD\n");
		assert_true(devmem_read(sim_devmem(s), buf + 64, words, 8, &e));
		assert_int_equal(words[0], 0xffffff99);
		assert_int_equal(words[1], 0x44464141);
		strbuf_release(&said);
		sim_destroy(s);
	}
}

/* Longer than a load takes it cannot be. */
static void test_limits(void **st)
{
	static const struct {
		const char *set[2], *says;
	} cases[] = {
	    {{"l1d.latency=0", "sm.read_latency=2"},
	     "commit.delay: 8 is more than the 2 cycles that a load takes at least "},
	    {{"shared.latency=1", "sm.read_latency=2"},
	     "commit.delay: 8 is more than the 3 cycles that a load takes at least "},
	    {{"noc.latency=3", "noc.flit=32"}, "commit.delay: 8 is more than the 6 cycles that an atomic takes at least "},
	};
	for (u32 i = 0; i < ARRAY_LEN(cases); i++) {
		struct conf c;
		struct err e = {0};
		conf_defaults(&c);
		for (u32 k = 0; k < 2; k++)
			assert_true(conf_set_pair(&c, cases[i].set[k], &e));
		assert_true(conf_check(&c, &e));
		assert_true(conf_set_pair(&c, "commit.delay=8", &e));
		assert_false(conf_check(&c, &e));
		if (!strstr(e.msg, cases[i].says))
			fail_msg("%s", e.msg);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_any_order),      cmocka_unit_test(test_points_that_collide),
	    cmocka_unit_test(test_any_order_late), cmocka_unit_test(test_same_later),
	    cmocka_unit_test(test_when),           cmocka_unit_test(test_travel),
	    cmocka_unit_test(test_fault),          cmocka_unit_test(test_own_stores),
	    cmocka_unit_test(test_limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
