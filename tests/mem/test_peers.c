/* Messages between endpoints: they arrive in order and none is lost, with the network's latency and bandwidth, beside
 * requests and answers, into full boxes, and at a rule of coherence that takes or sends them on. */
#include "mem/coherence/coherence.h"
#include "tests/rig/mem_rig.h"

#define ALIKE "core_clock=1000", "icnt_clock=1000", "noc.flit=40", "noc.latency=10"

static struct message to(u32 from, u32 to, u32 number)
{
	return (struct message){.addr = number, .from = (u16)from, .to = (u16)to, .class = MSG_CONTROL};
}

static u64 arrival(struct rig *r, u32 endpoint, struct message *g)
{
	for (u64 end = r->now + 5000; r->now < end; rig_step(r))
		if (mem_receive(r->m, endpoint, r->now, g))
			return r->now - 1; /* the step before brought it */
	fail_msg("nothing arrived at endpoint %u", endpoint);
	return 0;
}

static void check(struct rig *r)
{
	struct err e = {0};
	if (!mem_check_state(r->m, &e))
		fail_msg("cycle %llu: %s", (unsigned long long)r->now, e.msg);
}

/* Latency, and what is carried; to an SM, a slice, and oneself. */
static void one_message(void **state)
{
	RIG(r, ALIKE, "num_sms=4", "partitions=2", "l2.slices=1");
	assert_int_equal(mem_num_endpoints(r.m), 6);
	static const u32 ways[][2] = {{0, 3}, {3, 0}, {1, 5}, {4, 2}, {5, 4}, {2, 2}};
	for (u32 i = 0; i < ARRAY_LEN(ways); i++) {
		struct message g = to(ways[i][0], ways[i][1], 7 * i), got = {0};
		g.launch = i;
		g.what = (u8)(i + 1);
		r.now += 100;
		u64 t0 = r.now;
		assert_true(mem_send(r.m, &g, r.now));
		assert_false(mem_quiet(r.m));
		assert_int_equal(arrival(&r, g.to, &got), t0 + 10); /* one flit */
		assert_memory_equal(&got, &g, sizeof g);
		assert_int_equal(mem_kernel_messages(r.m, i)[MSG_CONTROL].bytes, 8);
		if (g.to < 4) { /* an SM is woken for it */
			assert_true(mem_wake(r.m)[0] >> g.to & 1);
			mem_clear_wake(r.m, g.to);
		}
	}
	struct message g = to(0, 1, 0), got;
	g.class = MSG_DATA;
	g.words = ~0u;
	r.now += 100;
	u64 t0 = r.now;
	mem_send(r.m, &g, r.now);
	assert_int_equal(arrival(&r, 1, &got), t0 + 10 + 3); /* 136 bytes are four flits */
	assert_int_equal(mem_kernel_messages(r.m, 0)[MSG_DATA].flits, 4);
	assert_int_equal(mem_kernel_messages(r.m, 0)[MSG_DATA].bytes, 136);
	g.words = 0x1ff; /* 8 + 36 bytes do not fit in one flit, 36 alone would */
	mem_send(r.m, &g, r.now);
	arrival(&r, 1, &got);
	assert_int_equal(mem_kernel_messages(r.m, 0)[MSG_DATA].flits, 4 + 2);
	assert_true(mem_quiet(r.m));
	rig_check(&r);
	rig_stop(&r);
}

/* A port moves a flit a cycle: one sender to many, many to one receiver. */
static void bandwidth(void **state)
{
	RIG(r, ALIKE, "num_sms=9");
	struct message got;
	u64 t0 = r.now, last = 0;
	for (u32 i = 0; i < 8; i++) {
		struct message g = to(0, 1 + i, i);
		assert_true(mem_send(r.m, &g, r.now));
	}
	for (u32 i = 0; i < 8; i++)
		assert_int_equal(arrival(&r, 1 + i, &got), t0 + 10 + i);
	r.now += 100;
	t0 = r.now;
	for (u32 i = 0; i < 8; i++) {
		struct message g = to(1 + i, 0, i);
		assert_true(mem_send(r.m, &g, r.now));
	}
	for (u32 i = 0; i < 8; i++)
		assert_int_equal(arrival(&r, 0, &got), t0 + 10 + i); /* none with the one before it */
	r.now += 100;
	t0 = r.now;
	for (u32 i = 0; i < 8; i++) {
		struct message g = to(1 + i, 0, i);
		g.class = MSG_DATA;
		g.words = ~0u;
		assert_true(mem_send(r.m, &g, r.now));
	}
	for (u32 i = 0; i < 8; i++) {
		last = arrival(&r, 0, &got);
		assert_int_equal(got.addr, i);
		assert_int_equal(last, t0 + 10 + 4 * i + 3);
	}
	rig_check(&r);
	rig_stop(&r);
}

/* A load's answer and messages want the same port: each flit delays the others. */
static void beside_answers(void **state)
{
	RIG(r, ALIKE, "num_sms=4");
	RIG(alone, ALIKE, "num_sms=4");
	u64 quiet = rig_latency(&alone, MO_LOAD, BASE, 0xf);
	rig_access(&r, 0, MO_LOAD, BASE, 0xf, 1);
	struct mem_reply a;
	u64 end = 0;
	for (u32 n = 0; !end && n < 5000; n++) {
		for (u32 sm = 1; sm < 4; sm++) { /* SM 0's port is always wanted */
			struct message g = to(sm, 0, n), got;
			g.class = MSG_DATA;
			g.words = ~0u;
			mem_send(r.m, &g, r.now);
			mem_receive(r.m, 0, r.now, &got);
		}
		rig_step(&r);
		if (mem_pop(r.m, 0, r.now, &a))
			end = r.now - 1;
	}
	assert_true(end > quiet);
	rig_stop(&r);
	rig_stop(&alone);
}

/* --- many --------------------------------------------------------------------------------------------------------- */
#define ENDS 7
struct flow { /* numbers of the next message, by sender and receiver */
	u32 sent[ENDS][ENDS], got[ENDS][ENDS];
	u32 full;
};

static void random_send(struct rig *r, struct flow *f, u64 *rng)
{
	u32 from = rng_next(rng) % ENDS, dst = rng_next(rng) % 3 ? rng_next(rng) % ENDS : 0;
	struct message g = to(from, dst, f->sent[from][dst]);
	g.class = rng_next(rng) % MSG_CLASSES;
	g.words = (u32)rng_next(rng);
	if (mem_send(r->m, &g, r->now))
		f->sent[from][dst]++;
	else
		f->full++;
}

static void take(struct rig *r, struct flow *f, u32 endpoint)
{
	struct message g;
	if (!mem_receive(r->m, endpoint, r->now, &g))
		return;
	assert_int_equal(g.to, endpoint);
	assert_int_equal(g.addr, f->got[g.from][endpoint]); /* in order, and none is missing */
	f->got[g.from][endpoint]++;
}

static void load_too(struct rig *r, u64 *rng)
{
	static const enum mem_op ops[] = {MO_LOAD, MO_STORE, MO_ATOMIC, MO_LOCAL_LOAD};
	struct mem_reply a;
	rig_access(r, rng_next(rng) % 4, ops[rng_next(rng) % 4], BASE + 128 * (rng_next(rng) % 64), 0xf, 1);
	for (u32 sm = 0; sm < 4; sm++)
		while (mem_pop(r->m, sm, r->now, &a))
			;
}

/* Random messages and accesses; now and then nobody takes anything for a while, and all boxes are full. */
static void run_flow(const char *const *sets, u64 seed)
{
	struct rig r;
	struct flow f = {0};
	u64 rng = seed;
	rig_start(&r, sets);
	assert_int_equal(mem_num_endpoints(r.m), ENDS);
	for (u32 n = 0; n < 3000; n++) {
		for (u32 k = 0; k < 3; k++)
			random_send(&r, &f, &rng);
		if (n % 500 < 350)
			for (u32 e = 0; e < ENDS; e++)
				take(&r, &f, e);
		load_too(&r, &rng);
		rig_step(&r);
		check(&r);
	}
	for (u32 n = 0; n < 3000; n++) {
		struct mem_reply a;
		for (u32 e = 0; e < ENDS; e++)
			take(&r, &f, e);
		for (u32 sm = 0; sm < 4; sm++)
			while (mem_pop(r.m, sm, r.now, &a))
				;
		rig_step(&r);
	}
	assert_memory_equal(f.sent, f.got, sizeof f.sent);
	assert_true(f.full > 100);
	assert_true(mem_quiet(r.m));
	rig_check(&r);
	rig_stop(&r);
}

static void in_order_and_none_lost(void **state)
{
	static const char *const sets[][9] = {
	    {"num_sms=4", "partitions=3", "l2.slices=1", "noc.message_queue=4", NULL},
	    {"num_sms=4", "partitions=3", "l2.slices=1", "noc.message_queue=1", "noc.head_of_line=false", NULL},
	    {"num_sms=4", "partitions=3", "l2.slices=1", "noc.message_queue=7", "noc.sector_replies=true",
	     "coalesce=sector32", NULL},
	    {"num_sms=4", "partitions=3", "l2.slices=1", "noc.message_queue=3", "noc.switch=islip", "coalesce=sector32",
	     NULL},
	    {"num_sms=4", "partitions=3", "l2.slices=1", "noc.message_queue=2", "core_clock=1000", "icnt_clock=700",
	     "noc.flit=8", NULL},
	};
	for (u32 i = 0; i < ARRAY_LEN(sets); i++)
		run_flow(sets[i], i + 1);
}

/* --- a rule that sends messages on -------------------------------------------------------------------------------- */
static u32 hops;

/* To the next SM, as often as `what` says. */
static bool pass_on(struct mem *m, const struct message *g, u64 now)
{
	struct message next = *g;
	hops++;
	if (!g->what)
		return true;
	next.from = g->to;
	next.to = (u16)((g->to + 1) % 4);
	next.what--;
	return mem_send(m, &next, now);
}

static void at_a_rule(void **state)
{
	RIG(r, ALIKE, "num_sms=4");
	struct coherence_ops rule = *(const struct coherence_ops *)coherence_policies[0];
	struct message g = to(0, 1, 0), got;
	rule.message = pass_on;
	mem_use_coherence(r.m, &rule.policy);
	g.what = 9;
	mem_send(r.m, &g, r.now);
	rig_drain(&r);
	assert_int_equal(hops, 10);
	assert_int_equal(r.now, 10 * 10);
	for (u32 sm = 0; sm < 4; sm++)
		assert_false(mem_receive(r.m, sm, r.now, &got));
	assert_true(mem_quiet(r.m));
	rig_check(&r);
	rig_stop(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(one_message),    cmocka_unit_test(bandwidth),
	    cmocka_unit_test(beside_answers), cmocka_unit_test(in_order_and_none_lost),
	    cmocka_unit_test(at_a_rule),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
