/* Rooms of their own: requests that have filled the queues of a slice and all buffers on their way keep no message from
 * passing, on the crossbar and on the mesh; nor do messages that nobody takes in keep requests. */
#include "tests/rig/mem_rig.h"

#define ALIKE                                                                                                          \
	"core_clock=1000", "icnt_clock=1000", "l2_clock=1000", "noc.flit=40", "num_sms=16", "partitions=8", "l2.slices=2"
static const char *const networks[] = {"network=crossbar", "network=mesh"};

static void check_state(struct rig *r)
{
	struct err e = {0};
	if (!mem_check_state(r->m, &e))
		fail_msg("cycle %llu: %s", (unsigned long long)r->now, e.msg);
}

/* Cycles that a message from SM 0 to SM 3 needs. */
static u64 message(struct rig *r)
{
	const u64 t0 = r->now;
	struct message got, g = {.from = 0, .to = 3, .class = MSG_CONTROL};
	assert_true(mem_send(r->m, &g, r->now));
	for (; r->now < t0 + 5000; rig_step(r))
		if (mem_receive(r->m, 3, r->now, &got))
			return r->now - t0;
	fail_msg("the message does not arrive");
	return 0;
}

/* The next line of the first slice that lies, on the mesh, behind SM 3 in its row: what goes there takes the messages'
 * links. */
static u64 line_behind(struct rig *r, bool mesh, u64 from)
{
	u32 first = 0, slice;
	while (mesh && mem_mesh_place(r->m, 16 + first) != 3)
		first++;
	for (u64 line = from;; line += 128)
		if (mem_channel_of(r->m, line, &slice), slice == first)
			return line;
}

/* A slice has room for one miss, and DRAM is slow: its queue is full, then the buffers on the way there, then SM 0's
 * queue. Messages need as long as on an empty network. */
static void messages_pass_requests(void **state)
{
	for (u32 k = 0; k < 2; k++) {
		RIG(r, ALIKE, networks[k], "noc.request_queue=1", "l2.latency=10", "l2.mshrs=1", "dram.latency=2000",
		    "l1d.stores=1024", "l1d.miss_queue=16");
		u64 line = line_behind(&r, k, BASE);
		const u64 alone = message(&r);
		u32 sent = 0, last = 0;
		r.now += 100;
		for (u32 i = 0; i < 600; i++) {
			if (rig_access(&r, 0, MO_RED, line, 0xf, sent) == MR_SENT) {
				line = line_behind(&r, k, line + 128);
				sent++;
				last = i;
			}
			rig_step(&r);
		}
		assert_true(sent > 16 && sent < 64 && last < 100); /* since then nothing moves */
		check_state(&r);
		for (u32 node = 1; node < 4 && k; node++) {
			struct mesh_node_info x;
			mem_mesh_node(r.m, node, &x);
			assert_true(x.held[MESH_WEST] == 8 && x.places == 3 * 8);
		}
		for (u32 i = 0; i < 10; i++)
			assert_int_equal(message(&r), alone);
		rig_drain(&r);
		rig_check(&r);
		rig_stop(&r);
	}
}

/* Cycles to a store's answer. */
static u64 store(struct rig *r, u64 line)
{
	const u64 t0 = r->now;
	struct mem_reply a;
	assert_int_equal(rig_access(r, 0, MO_STORE, line, 0xf, 1), MR_SENT);
	while (!mem_pop(r->m, 0, r->now, &a) && r->now < t0 + 5000)
		rig_step(r);
	return r->now - t0;
}

/* SM 3 takes in no message: its inbox and SM 0's outbox are full, and what is behind them. A store of SM 0 is answered
 * as soon as on an empty network. */
static void requests_pass_messages(void **state)
{
	for (u32 k = 0; k < 2; k++) {
		RIG(r, ALIKE, networks[k], "l2.latency=10");
		const u64 line = line_behind(&r, k, BASE), first = store(&r, line);
		struct message g = {.from = 0, .to = 3, .class = MSG_DATA, .words = ~0u};
		u32 refused = 0;
		r.now += 1000;
		const u64 alone = store(&r, line); /* a hit */
		assert_true(first >= alone);
		r.now += 1000;
		for (u32 i = 0; i < 600; i++) {
			refused += !mem_send(r.m, &g, r.now);
			rig_step(&r);
		}
		assert_true(refused > 300);
		check_state(&r);
		const u64 took = store(&r, line);
		if (took != alone)
			fail_msg("%s: a store needs %llu cycles, %llu alone", networks[k], (unsigned long long)took,
			         (unsigned long long)alone);
		for (u32 i = 0; i < 4000; i++, rig_step(&r))
			while (mem_receive(r.m, 3, r.now, &g))
				;
		assert_true(mem_quiet(r.m));
		rig_check(&r);
		rig_stop(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(messages_pass_requests),
	    cmocka_unit_test(requests_pass_messages),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
