/* noc.switch=islip: the way of packets through the switches, against closed forms. */
#include "tests/rig/mem_rig.h"

#include <stdio.h>

/* BASE is in slice 0 of partition 0, 256 B further on the next partition begins. */
#define LINE(slice) (BASE0 + 256ull * (slice))
#define BASE0 (BASE - BASE % (6 * 256) + 6 * 256) /* a chunk of partition 0 */
#define ISLIP "noc.switch=islip", "coalesce=sector32", "l2.slices=1", "l2.merges=256", "l1d.miss_queue=64"

struct arrival {
	u64 at;
	u32 sm, token;
};
/* Runs until nothing is in flight, in order of arrival; how many there were. */
static u32 drain(struct rig *r, struct arrival *out, u32 max)
{
	struct mem_reply a;
	struct err e = {0};
	u32 n = 0;
	for (;;) {
		mem_tick(r->m, r->now);
		if (!mem_check_state(r->m, &e))
			fail_msg("%s", e.msg);
		for (u32 sm = 0; sm < r->c.num_sms; sm++)
			while (mem_pop(r->m, sm, r->now, &a)) {
				assert_true(n < max);
				out[n++] = (struct arrival){r->now, sm, a.token};
			}
		u64 next = mem_next(r->m);
		if (next == NEVER)
			return n;
		r->now = next;
	}
}

/* L2 holds the line of each slice; L1 holds nothing. */
static void warm(struct rig *r)
{
	struct arrival a[64];
	for (u32 i = 0; i < r->c.partitions; i++)
		assert_int_equal(rig_access(r, 0, MO_LOAD, LINE(i), 0xf, i), MR_PENDING);
	assert_int_equal(drain(r, a, 64), r->c.partitions);
	for (u32 sm = 0; sm < r->c.num_sms; sm++)
		mem_kernel_start(r->m, sm, true);
	r->now += 1000;
}

/* A sector's way: a cycle in the miss queue, a cycle in the source queue, the network, L2, a cycle at the slice's
 * output, the network. */
static u64 hit_form(const struct rig *r)
{
	return 1 + 1 + r->c.noc_latency + r->c.l2_latency + 1 + r->c.noc_latency;
}

static void latency(void **state)
{
	static const char *const way[] = {"noc.latency=1", "noc.latency=9"};
	for (u32 i = 0; i < ARRAY_LEN(way); i++) {
		RIG(r, ISLIP, way[i]);
		warm(&r);
		assert_int_equal(rig_latency(&r, MO_LOAD, LINE(0), 1), hit_form(&r));
		/* a line is four packets, one behind the other all the way */
		mem_kernel_start(r.m, 0, true);
		assert_int_equal(rig_latency(&r, MO_LOAD, LINE(0), 0xf), hit_form(&r) + 3);
		assert_int_equal(rig_latency(&r, MO_STORE, LINE(0), 0xf), hit_form(&r) + 3);
		assert_int_equal(rig_latency(&r, MO_ATOMIC, LINE(0), 0x5), hit_form(&r) + 1);
		rig_check(&r);
		rig_stop(&r);
	}
}

/* A packet is a cycle of its output however much it carries. */
static void flits_do_not_matter(void **state)
{
	RIG(r, ISLIP, "noc.flit=8");
	warm(&r);
	assert_int_equal(rig_latency(&r, MO_STORE, LINE(0), 0xf), hit_form(&r) + 3);
	rig_stop(&r);
}

/* Stores and atomics of several sectors answer once, when the last of them is back; every sector is an access of L2. */
static void one_answer_for_all(void **state)
{
	static const u32 op[] = {MO_STORE, MO_RED, MO_ATOMIC};
	for (u32 i = 0; i < ARRAY_LEN(op); i++) {
		RIG(r, ISLIP);
		struct arrival a[64];
		for (u32 k = 0; k < 4; k++)
			assert_true(rig_access(&r, 0, op[i], LINE(k), 0xb, k) >= MR_PENDING);
		assert_int_equal(mem_outstanding(r.m, 0), 4);
		assert_int_equal(drain(&r, a, 64), 4);
		u64 seen = 0, accesses = 0;
		for (u32 k = 0; k < 4; k++)
			seen |= BIT(a[k].token);
		assert_int_equal(seen, 0xf);
		for (u32 k = 0; k < r.c.partitions; k++)
			accesses += mem_l2_counters(r.m, k)->accesses;
		assert_int_equal(accesses, 12);
		assert_int_equal(mem_outstanding(r.m, 0), 0);
		rig_check(&r);
		rig_stop(&r);
	}
	/* the sectors of an atomic that misses come back when DRAM gives them: one of two is in L2 already */
	RIG(r, ISLIP);
	u64 miss = rig_latency(&r, MO_ATOMIC, LINE(0), 2);
	rig_latency(&r, MO_ATOMIC, LINE(1), 1);
	assert_in_range(rig_latency(&r, MO_ATOMIC, LINE(1), 3), miss - 30, miss + 30);
	rig_check(&r);
	rig_stop(&r);
}

/* Many want one slice: it takes one a cycle, and each of them gets the same. */
static void one_output(void **state)
{
	enum { SMS = 5, EACH = 12 };
	RIG(r, ISLIP, "num_sms=5");
	static struct arrival a[SMS * EACH];
	warm(&r);
	u64 t0 = r.now;
	for (u32 k = 0; k < EACH; k++)
		for (u32 sm = 0; sm < SMS; sm++)
			assert_int_equal(rig_access(&r, sm, MO_STORE, LINE(0), 1, k), MR_SENT);
	assert_int_equal(drain(&r, a, SMS * EACH), SMS * EACH);
	for (u32 i = 0; i < SMS * EACH; i++) {
		assert_int_equal(a[i].at, t0 + hit_form(&r) + i);
		assert_int_equal(a[i].sm, (i + 1) % SMS); /* each after all others; the last was SM 0 */
		assert_int_equal(a[i].token, i / SMS);
	}
	rig_check(&r);
	rig_stop(&r);
}

static u64 when(const struct arrival *a, u32 n, u32 sm, u32 token)
{
	for (u32 i = 0; i < n; i++)
		if (a[i].sm == sm && a[i].token == token)
			return a[i].at;
	fail_msg("SM %u: no answer %u", sm, token);
	return 0;
}

/* What stands behind a packet that waits, waits too, though its own output is free (head of line). Outputs choose in
 * order of their numbers: once the first packet has left, a slice of higher number may take the next in the same cycle,
 * one of lower number in the next. */
static void head_of_line(void **state)
{
	RIG(r, ISLIP, "num_sms=4");
	struct arrival a[16];
	warm(&r);
	u64 first = r.now + hit_form(&r), waited = mem_noc_counters(r.m)->request_wait;
	for (u32 sm = 0; sm < 4; sm++)
		rig_access(&r, sm, MO_STORE, LINE(2), 1, 0);
	rig_access(&r, 2, MO_STORE, LINE(3), 1, 1);
	rig_access(&r, 3, MO_STORE, LINE(1), 1, 1);
	u32 n = drain(&r, a, 16);
	assert_int_equal(n, 6);
	for (u32 sm = 0; sm < 4; sm++)
		assert_int_equal(when(a, n, sm, 0), first + (sm + 3) % 4); /* the last was SM 0 */
	assert_int_equal(when(a, n, 2, 1), first + 2);                 /* answered in one cycle with SM 2's other packet */
	assert_int_equal(when(a, n, 3, 1), first + 3);
	/* 0 to 3 cycles at slice 2. The others are ready a cycle after the ones before them: SM 2's goes to slice 3 in that
	 * cycle, SM 3's waits for a cycle like the one before it, and for another because slice 1 had chosen already. */
	assert_int_equal(mem_noc_counters(r.m)->request_wait - waited, 0 + 1 + 2 + 3 + 0 + 2);
	rig_check(&r);
	rig_stop(&r);
}

/* The turn of an output goes on where it was: after SM 1 it is SM 2's, not SM 0's. */
static void turns_go_on(void **state)
{
	RIG(r, ISLIP, "num_sms=4");
	struct arrival a[16];
	warm(&r);
	rig_access(&r, 1, MO_STORE, LINE(0), 1, 7);
	drain(&r, a, 16);
	r.now += 100;
	for (u32 sm = 0; sm < 4; sm++)
		rig_access(&r, sm, MO_STORE, LINE(0), 1, 0);
	assert_int_equal(drain(&r, a, 16), 4);
	for (u32 i = 0; i < 4; i++)
		assert_int_equal(a[i].sm, (i + 2) % 4);
	rig_stop(&r);
}

/* Lines of four sectors, one after the other to four slices: they leave in order, a sector a cycle, so that a line is
 * complete every four cycles. Stores and atomics go the same way. */
static void lines_in_order(void **state)
{
	static const u32 op[] = {MO_STORE, MO_ATOMIC, MO_LOAD};
	for (u32 i = 0; i < ARRAY_LEN(op); i++) {
		RIG(r, ISLIP, "num_sms=1");
		struct arrival a[16];
		warm(&r);
		u64 t0 = r.now;
		for (u32 k = 0; k < 4; k++)
			rig_access(&r, 0, op[i], LINE(k), 0xf, k);
		assert_int_equal(drain(&r, a, 16), 4);
		for (u32 k = 0; k < 4; k++)
			assert_int_equal(when(a, 4, 0, k), t0 + hit_form(&r) + 3 + 4 * k);
		rig_check(&r);
		rig_stop(&r);
	}
}

/* The miss queue counts sectors: six lines and half of one fill 26 places, and a sector leaves a cycle. */
static void places_are_for_sectors(void **state)
{
	RIG(r, ISLIP, "num_sms=1", "l1d.miss_queue=26");
	struct mem_reply a;
	warm(&r);
	for (u32 k = 0; k < 7; k++)
		assert_int_equal(rig_access(&r, 0, MO_STORE, LINE(k), k < 6 ? 0xf : 3, k), MR_SENT);
	assert_int_equal(rig_access(&r, 0, MO_STORE, LINE(7), 1, 7), MR_RF_QUEUE);
	u64 first = 0, t0 = r.now;
	for (; !first; r.now++) {
		mem_tick(r.m, r.now);
		if (rig_access(&r, 0, MO_STORE, LINE(7), 1, 7) == MR_SENT)
			first = r.now;
		while (mem_pop(r.m, 0, r.now, &a))
			;
	}
	assert_in_range(first, t0 + 1, t0 + 2);
	assert_int_equal(rig_access(&r, 0, MO_STORE, LINE(7), 2, 8), MR_RF_QUEUE);
	rig_drain(&r);
	rig_check(&r);
	rig_stop(&r);
}

/* Full queues push back as far as the L1, and open again: slices with room for little, sources for one packet. */
static void back_pressure(void **state)
{
	RIG(r, ISLIP, "num_sms=6", "l1d.miss_queue=4", "noc.request_queue=1", "noc.reply_queue=1", "noc.source_queue=1",
	    "l2.latency=1", "l2.miss_queue=1", "l2.mshrs=2");
	u32 sent[6] = {0}, got = 0;
	struct mem_reply a;
	struct err e = {0};
	u64 rng = 5;
	for (u64 limit = r.now + 200000; got < 6 * 200; r.now++) {
		assert_true(r.now < limit);
		for (u32 sm = 0; sm < 6; sm++) {
			u64 addr = BASE + rng_next(&rng) % 64 * 128;
			enum mem_op op = sent[sm] % 3 ? MO_LOAD : MO_STORE;
			enum mem_result mr = sent[sm] < 200 ? rig_access(&r, sm, op, addr, 0xf, sent[sm]) : MR_RF_QUEUE;
			sent[sm] += mr < MR_RF_LINE;
			got += mr == MR_HIT;
		}
		mem_tick(r.m, r.now);
		if (!mem_check_state(r.m, &e))
			fail_msg("%s", e.msg);
		for (u32 sm = 0; sm < 6; sm++)
			while (mem_pop(r.m, sm, r.now, &a))
				got++;
	}
	rig_drain(&r);
	rig_check(&r);
	rig_stop(&r);
}

/* Slower and faster networks: a packet a network cycle. */
static void other_clocks(void **state)
{
	static const u32 mhz[] = {500, 1700, 2600};
	for (u32 i = 0; i < ARRAY_LEN(mhz); i++) {
		char clock[40];
		snprintf(clock, sizeof clock, "icnt_clock=%u", mhz[i]);
		RIG(r, ISLIP, "core_clock=1000", "l2_clock=4000", clock, "num_sms=2", "l1d.miss_queue=256");
		static struct arrival a[256];
		warm(&r);
		for (u32 sent = 0; sent < 100; sent++)
			rig_access(&r, sent % 2, MO_STORE, LINE(0), 1, sent);
		assert_int_equal(drain(&r, a, 256), 100);
		u64 want = 99 * 1000 / mhz[i];
		assert_in_range(a[99].at - a[0].at, want - 3, want + 3);
		rig_check(&r);
		rig_stop(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(latency),
	    cmocka_unit_test(flits_do_not_matter),
	    cmocka_unit_test(one_answer_for_all),
	    cmocka_unit_test(one_output),
	    cmocka_unit_test(head_of_line),
	    cmocka_unit_test(turns_go_on),
	    cmocka_unit_test(lines_in_order),
	    cmocka_unit_test(places_are_for_sectors),
	    cmocka_unit_test(back_pressure),
	    cmocka_unit_test(other_clocks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
