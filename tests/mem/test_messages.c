/* What travels on the interconnect, by class and by kernel: what a message is counted as, whose it is, and that none is
 * lost or counted twice at any moment of random traffic. */
#include "tests/rig/mem_rig.h"

#define K(n, c) (mem_kernel_messages((n)->m, (c)))

static const struct msg_counters *all(const struct rig *r)
{
	return noc_messages(mem_noc_counters(r->m));
}

/* Sent, flits, bytes of one class since the last look. */
static void moved(struct rig *r, struct msg_counters *seen, enum msg_class k, u64 sent, u64 flits, u64 bytes)
{
	const struct msg_counters *n = &all(r)[k];
	if (n->sent - seen[k].sent != sent || n->flits - seen[k].flits != flits || n->bytes - seen[k].bytes != bytes)
		fail_msg("%s: %llu messages, %llu flits, %llu bytes; expected %llu, %llu, %llu", msg_class_names[k],
		         (unsigned long long)(n->sent - seen[k].sent), (unsigned long long)(n->flits - seen[k].flits),
		         (unsigned long long)(n->bytes - seen[k].bytes), (unsigned long long)sent, (unsigned long long)flits,
		         (unsigned long long)bytes);
	assert_int_equal(noc_received(mem_noc_counters(r->m))[k], n->sent);
	seen[k] = *n;
}

/* One access, up as class `up`, answered as class `down`; nothing else moves. Packets: what the network cuts it into.
 */
struct way {
	enum mem_op op;
	u8 sectors;
	enum msg_class up, down;
	u32 up_sectors, down_sectors; /* of data */
};
static const struct way ways[] = {
    {MO_LOAD, 0xf, MSG_READ, MSG_DATA, 0, 4},          {MO_FETCH, 0xf, MSG_READ, MSG_DATA, 0, 4},
    {MO_STORE, 0x3, MSG_WRITE, MSG_CONTROL, 2, 0},     {MO_RED, 0x4, MSG_WRITE, MSG_CONTROL, 1, 0},
    {MO_ATOMIC, 0x1, MSG_WRITE, MSG_DATA, 1, 1},       {MO_LOCAL_STORE, 0xf, MSG_WRITE, MSG_CONTROL, 4, 0},
    {MO_LOAD_VOLATILE, 0x3, MSG_READ, MSG_DATA, 0, 2},
};

static u32 flits(u32 sectors)
{
	return (8 + 32 * sectors + 39) / 40; /* noc.flit=40 */
}

static void classes(void **state)
{
	RIG(r, "noc.flit=40");
	struct msg_counters seen[MSG_CLASSES] = {0};
	for (u32 i = 0; i < ARRAY_LEN(ways); i++) {
		const struct way *w = &ways[i];
		rig_access(&r, 0, w->op, BASE + i * 4096, w->sectors, 1);
		rig_drain(&r);
		for (u32 k = 0; k < MSG_CLASSES; k++)
			if (k == w->up)
				moved(&r, seen, k, 1, flits(w->up_sectors), 8 + 32 * w->up_sectors);
			else if (k == w->down)
				moved(&r, seen, k, 1, flits(w->down_sectors), 8 + 32 * w->down_sectors);
			else
				moved(&r, seen, k, 0, 0, 0);
	}
	rig_check(&r);
	rig_stop(&r);
}

/* An answer of four sectors as four packets is one message; four acknowledgements in one packet too. */
static void answers_in_parts(void **state)
{
	RIG(r, "noc.flit=40", "noc.sector_replies=true", "coalesce=sector32");
	RIG(q, "noc.flit=40", "l2.sector_acks=true", "coalesce=sector32");
	struct msg_counters seen[MSG_CLASSES] = {0}, seen_q[MSG_CLASSES] = {0};
	rig_access(&r, 0, MO_LOAD, BASE, 0xf, 1);
	rig_drain(&r);
	moved(&r, seen, MSG_READ, 1, 1, 8);
	moved(&r, seen, MSG_DATA, 1, 4, 4 * 40);
	rig_access(&q, 0, MO_STORE, BASE, 0xf, 1);
	rig_drain(&q);
	moved(&q, seen_q, MSG_WRITE, 1, 4, 136);
	moved(&q, seen_q, MSG_CONTROL, 1, 4, 4 * 8);
	rig_stop(&r);
	rig_stop(&q);
}

/* Every sector is a packet of one flit. */
static void classes_of_sectors(void **state)
{
	RIG(r, "noc.switch=islip", "coalesce=sector32");
	struct msg_counters seen[MSG_CLASSES] = {0};
	rig_access(&r, 0, MO_LOAD, BASE, 0x7, 1);
	rig_drain(&r);
	moved(&r, seen, MSG_READ, 3, 3, 3 * 8);
	moved(&r, seen, MSG_DATA, 3, 3, 3 * 40);
	rig_access(&r, 0, MO_STORE, BASE + 4096, 0x3, 1);
	rig_drain(&r);
	moved(&r, seen, MSG_WRITE, 2, 2, 2 * 40);
	moved(&r, seen, MSG_CONTROL, 2, 2, 2 * 8);
	rig_check(&r);
	rig_stop(&r);
}

/* Who waits for a place in a full inbox gets it in the order in which they came, on either network. */
static void first_come(void **state)
{
	static const char *const networks[] = {"network=crossbar", "network=mesh"};
	static const u16 from[] = {1, 1, 5, 2, 7, 3};
	for (u32 k = 0; k < ARRAY_LEN(networks); k++) {
		RIG(r, networks[k], "num_sms=8", "noc.message_queue=2");
		struct message got;
		for (u32 i = 0; i < ARRAY_LEN(from); i++) {
			const struct message g = {.addr = i, .from = from[i], .to = 0, .class = MSG_CONTROL};
			assert_true(mem_send(r.m, &g, r.now));
			for (u32 t = 0; t < 100; t++)
				rig_step(&r);
		}
		for (u32 i = 0; i < ARRAY_LEN(from); i++) {
			assert_true(mem_receive(r.m, 0, r.now, &got));
			assert_int_equal(got.from, from[i]);
			assert_int_equal(got.addr, i);
			for (u32 t = 0; t < 100; t++)
				rig_step(&r);
		}
		assert_false(mem_receive(r.m, 0, r.now, &got));
		rig_check(&r);
		rig_stop(&r);
	}
}

static u64 cycles_until_it_is_there(struct rig *r)
{
	struct message got;
	for (u64 n = 0; n < 1000; n++) {
		if (mem_receive(r->m, 0, r->now, &got))
			return n;
		rig_step(r);
	}
	fail_msg("nothing arrives");
	return 0;
}

/* A place that becomes free is taken in the same cycle: from then on the message needs as long as one alone. */
static void place_taken_at_once(void **state)
{
	static const char *const networks[] = {"network=crossbar", "network=mesh"};
	const struct message g = {.from = 5, .to = 0, .class = MSG_CONTROL};
	for (u32 k = 0; k < ARRAY_LEN(networks); k++) {
		RIG(r, networks[k], "num_sms=8", "noc.message_queue=2");
		r.now = 1000;
		assert_true(mem_send(r.m, &g, r.now));
		const u64 alone = cycles_until_it_is_there(&r);
		for (u32 i = 0; i < 4; i++) {
			assert_true(mem_send(r.m, &g, r.now));
			for (u32 t = 0; t < 100; t++)
				rig_step(&r);
		}
		struct message got;
		assert_true(mem_receive(r.m, 0, r.now, &got)); /* the third one leaves */
		assert_true(mem_receive(r.m, 0, r.now, &got));
		assert_int_equal(cycles_until_it_is_there(&r), alone);
		rig_drain(&r);
		rig_stop(&r);
	}
}

/* --- kernels ------------------------------------------------------------------------------------------------------ */
static void by_warp(struct rig *r, enum mem_op op, u64 addr, u32 warp)
{
	rig_access(r, 0, op, addr, 0xf, 1 | warp << TOKEN_BITS);
	rig_drain(r);
}

/* Warps 0 and 1 are of kernel 3, warp 40 of kernel 70000. What they send is their kernel's, answers as well. */
static void whose_message(void **state)
{
	RIG(r, "noc.flit=40");
	mem_cta_start(r.m, 0, 3, 3, 0);
	mem_cta_start(r.m, 0, BIT(40), 70000, 0);
	by_warp(&r, MO_LOAD, BASE, 1);
	by_warp(&r, MO_STORE, BASE + 4096, 40);
	by_warp(&r, MO_FETCH, BASE + 8192, 40);
	assert_int_equal(K(&r, 3)[MSG_READ].sent, 1);
	assert_int_equal(K(&r, 3)[MSG_DATA].flits, 4);
	assert_int_equal(K(&r, 3)[MSG_WRITE].sent, 0);
	assert_int_equal(K(&r, 70000)[MSG_READ].bytes, 8);
	assert_int_equal(K(&r, 70000)[MSG_WRITE].bytes, 136);
	assert_int_equal(K(&r, 70000)[MSG_CONTROL].sent, 1);
	assert_int_equal(K(&r, 70000)[MSG_DATA].sent, 1);
	struct mem_txn next = txn(BASE + 16384, 0xf); /* asked for ahead, for a warp */
	mem_prefetch(r.m, 0, &next, 40, r.now);
	rig_drain(&r);
	assert_int_equal(K(&r, 70000)[MSG_READ].sent, 2);
	rig_check(&r);
	rig_stop(&r);
}

/* A slot that has another tenant meanwhile: what is on its way stays the first one's. */
static void tenants(void **state)
{
	RIG(r, NULL);
	mem_cta_start(r.m, 0, 1, 5, 0);
	rig_access(&r, 0, MO_LOAD, BASE, 0xf, 1);
	rig_access(&r, 0, MO_STORE, BASE + 4096, 0xf, 2);
	mem_cta_start(r.m, 0, 1, 6, 0);
	rig_drain(&r);
	for (u32 k = 0; k < MSG_CLASSES; k++) {
		assert_int_equal(K(&r, 5)[k].sent, k != MSG_WRITEBACK);
		assert_int_equal(K(&r, 6)[k].sent, 0);
	}
	rig_stop(&r);
}

/* A dirty local line goes at the account of the kernel whose line it is, not of the one that needs its place. */
static void whose_write_back(void **state)
{
	RIG(r, "l1d.sets=1", "l1d.ways=1");
	mem_cta_start(r.m, 0, 1, 1, 0);
	mem_cta_start(r.m, 0, 2, 2, 0);
	by_warp(&r, MO_LOCAL_LOAD, BASE, 0);
	by_warp(&r, MO_LOCAL_STORE, BASE, 0);
	by_warp(&r, MO_LOCAL_LOAD, BASE + 128, 1);
	assert_int_equal(K(&r, 1)[MSG_WRITEBACK].sent, 1);
	assert_int_equal(K(&r, 1)[MSG_WRITEBACK].bytes, 136);
	assert_int_equal(K(&r, 1)[MSG_CONTROL].sent, 1);
	assert_int_equal(K(&r, 2)[MSG_WRITEBACK].sent, 0);
	assert_int_equal(K(&r, 2)[MSG_READ].sent, 1);
	assert_int_equal(all(&r)[MSG_WRITEBACK].sent, 1);
	rig_check(&r);
	rig_stop(&r);
}

/* --- conservation ------------------------------------------------------------------------------------------------- */
static const char *const machines[][4] = {
    {"num_sms=3", "l1d.sets=1", "l1d.ways=2", NULL},
    {"num_sms=3", "noc.sector_replies=true", "coalesce=sector32", NULL},
    {"num_sms=3", "noc.switch=islip", "coalesce=sector32", NULL},
    {"num_sms=3", "noc.shared_buffer=64", "noc.latency=40", NULL},
};

static void random_access(struct rig *r, u64 *rng)
{
	static const enum mem_op ops[] = {MO_LOAD,       MO_STORE,       MO_ATOMIC, MO_RED,
	                                  MO_LOCAL_LOAD, MO_LOCAL_STORE, MO_FETCH,  MO_LOAD_VOLATILE};
	enum mem_op op = ops[rng_next(rng) % ARRAY_LEN(ops)];
	u64 line = BASE + 128 * (rng_next(rng) % 24);
	u32 warp = rng_next(rng) % 64;
	u8 sectors = op == MO_FETCH ? 0xf : (u8)(1 + rng_next(rng) % 15);
	rig_access(r, rng_next(rng) % 3, op, line, sectors, 1 | warp << TOKEN_BITS);
}

/* The sum over the kernels is what the interconnect moved, in every cycle. */
static void kernels_sum_up(const struct rig *r)
{
	for (u32 k = 0; k < MSG_CLASSES; k++) {
		struct msg_counters sum = {0};
		for (u32 i = 0; i < 4; i++) {
			sum.sent += K(r, i)[k].sent;
			sum.flits += K(r, i)[k].flits;
			sum.bytes += K(r, i)[k].bytes;
		}
		assert_memory_equal(&sum, &all(r)[k], sizeof sum);
	}
}

static void nothing_is_lost(void **state)
{
	for (u32 i = 0; i < ARRAY_LEN(machines); i++) {
		struct rig r;
		struct err e = {0};
		u64 rng = i, on_way = 0;
		rig_start(&r, machines[i]);
		for (u32 sm = 0; sm < 3; sm++)
			for (u32 w = 0; w < 64; w++)
				mem_cta_start(r.m, sm, BIT(w), w % 4, w);
		for (u32 n = 0; n < 1500; n++) {
			random_access(&r, &rng);
			rig_step(&r);
			struct mem_reply a;
			for (u32 sm = 0; sm < 3; sm++)
				while (mem_pop(r.m, sm, r.now, &a))
					;
			if (!mem_check_state(r.m, &e))
				fail_msg("machine %u, cycle %llu: %s", i, (unsigned long long)r.now, e.msg);
			kernels_sum_up(&r);
			for (u32 k = 0; k < MSG_CLASSES; k++)
				on_way += all(&r)[k].sent - noc_received(mem_noc_counters(r.m))[k];
		}
		assert_true(on_way > 1500);
		rig_drain(&r);
		rig_check(&r);
		rig_stop(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(classes),          cmocka_unit_test(first_come),         cmocka_unit_test(place_taken_at_once),
	    cmocka_unit_test(answers_in_parts), cmocka_unit_test(classes_of_sectors), cmocka_unit_test(whose_message),
	    cmocka_unit_test(tenants),          cmocka_unit_test(whose_write_back),   cmocka_unit_test(nothing_is_lost),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
