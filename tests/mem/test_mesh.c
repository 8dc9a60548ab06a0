/* The mesh: who sits where, zero-load latency, what links carry against closed forms, saturation, fairness, and traffic
 * that would stand still if anything could. */
#include <math.h>

#include "tests/rig/mem_rig.h"

#define ALIKE "network=mesh", "core_clock=1000", "icnt_clock=1000", "l2_clock=1000"
#define MESH16 ALIKE, "num_sms=16", "partitions=8", "l2.slices=2"
#define BIG_BOXES "noc.message_queue=256"

static struct message to(u32 from, u32 to, u32 number)
{
	return (struct message){.addr = number, .from = (u16)from, .to = (u16)to, .class = MSG_CONTROL};
}

static void check_state(struct rig *r)
{
	struct err e = {0};
	if (!mem_check_state(r->m, &e))
		fail_msg("cycle %llu: %s", (unsigned long long)r->now, e.msg);
}

/* Cycles that a message needs on the empty mesh. */
static u64 alone(struct rig *r, struct message g)
{
	struct message got;
	r->now += 1000;
	u64 t0 = r->now;
	assert_true(mem_send(r->m, &g, r->now));
	for (; r->now < t0 + 1000; rig_step(r))
		if (mem_receive(r->m, g.to, r->now, &got))
			return r->now - 1 - t0;
	fail_msg("%u to %u: nothing arrives", g.from, g.to);
	return 0;
}

/* --- places and ways ---------------------------------------------------------------------------------------------- */
static u32 distance(u32 a, u32 b, u32 width)
{
	return (u32)abs((int)(a % width) - (int)(b % width)) + (u32)abs((int)(a / width) - (int)(b / width));
}

static void places(void **state)
{
	static const struct {
		const char *sms, *partitions, *slices, *width, *nodes;
		u32 w, h;
		u64 slice_at; /* nodes, one bit each: spread evenly */
	} cases[] = {
	    {"num_sms=15", "partitions=16", "l2.slices=1", "noc.mesh_width=0", "noc.mesh_nodes=shared", 4, 4, 0xffff},
	    {"num_sms=3", "partitions=16", "l2.slices=1", "noc.mesh_width=0", "noc.mesh_nodes=shared", 4, 4, 0xffff},
	    {"num_sms=64", "partitions=8", "l2.slices=2", "noc.mesh_width=0", "noc.mesh_nodes=shared", 8, 8,
	     0x4444444444444444ull},
	    {"num_sms=15", "partitions=6", "l2.slices=2", "noc.mesh_width=0", "noc.mesh_nodes=apart", 6, 5, 0x2a954aa},
	    {"num_sms=5", "partitions=2", "l2.slices=1", "noc.mesh_width=7", "noc.mesh_nodes=apart", 7, 1, 0x22},
	    {"num_sms=1", "partitions=1", "l2.slices=1", "noc.mesh_width=9", "noc.mesh_nodes=shared", 1, 1, 1},
	};
	for (u32 i = 0; i < ARRAY_LEN(cases); i++) {
		RIG(r, ALIKE, cases[i].sms, cases[i].partitions, cases[i].slices, cases[i].width, cases[i].nodes);
		u32 w, h, ends = mem_num_endpoints(r.m), sms = 0, slices = 0;
		u64 slice_at = 0;
		assert_true(mem_mesh(r.m, &w, &h));
		assert_int_equal(w, cases[i].w);
		assert_int_equal(h, cases[i].h);
		for (u32 n = 0; n < w * h; n++) {
			struct mesh_node_info x;
			mem_mesh_node(r.m, n, &x);
			sms += x.sm >= 0;
			slices += x.slice >= 0;
			slice_at |= (u64)(x.slice >= 0) << n;
			assert_true(x.sm < 0 || mem_mesh_place(r.m, (u32)x.sm) == n);
			assert_true(x.slice < 0 || mem_mesh_place(r.m, r.c.num_sms + (u32)x.slice) == n);
			assert_false(!strcmp(cases[i].nodes, "noc.mesh_nodes=apart") && x.sm >= 0 && x.slice >= 0);
			assert_int_equal(x.neighbour[MESH_EAST], n % w + 1 < w ? (s32)n + 1 : -1);
			assert_int_equal(x.neighbour[MESH_WEST], n % w ? (s32)n - 1 : -1);
			assert_int_equal(x.neighbour[MESH_NORTH], n >= w ? (s32)(n - w) : -1);
			assert_int_equal(x.neighbour[MESH_SOUTH], n + w < w * h ? (s32)(n + w) : -1);
		}
		assert_int_equal(sms, r.c.num_sms);
		assert_int_equal(slice_at, cases[i].slice_at);
		assert_int_equal(sms + slices, ends);
		rig_stop(&r);
	}
}

/* Along x first; (links + 1) routers, links, and the flits behind the first one. */
static void zero_load(void **state)
{
	static const char *const routers[] = {"noc.router_latency=4", "noc.router_latency=1"};
	static const char *const links[] = {"noc.link_latency=1", "noc.link_latency=0"};
	for (u32 c = 0; c < 2; c++) {
		RIG(r, MESH16, "noc.flit=40", routers[c], links[c]);
		for (u32 from = 0; from < 32; from++)
			for (u32 dst = 0; dst < 32; dst++) {
				u32 a = mem_mesh_place(r.m, from), b = mem_mesh_place(r.m, dst), d = distance(a, b, 4), way[8];
				struct message g = to(from, dst, 7);
				assert_int_equal(alone(&r, g), (d + 1) * r.c.noc_router + d * r.c.noc_link);
				g.class = MSG_DATA;
				g.words = ~0u; /* 136 bytes are four flits */
				assert_int_equal(alone(&r, g), (d + 1) * r.c.noc_router + d * r.c.noc_link + 3);
				assert_int_equal(mem_mesh_way(r.m, a, b, way, 8), d + 1);
				assert_int_equal(mem_mesh_zero_load(r.m, d, 4), (d + 1) * r.c.noc_router + d * r.c.noc_link + 3);
				assert_int_equal(way[0], a);
				assert_int_equal(way[d], b);
				for (u32 i = 0; i < d; i++)
					assert_true(way[i] % 4 == b % 4 || way[i] / 4 == way[i + 1] / 4);
			}
		rig_check(&r);
		check_state(&r);
		rig_stop(&r);
	}
}

/* A load of a line that L2 has: there and back, and what L2 and the L1s need whatever the distance. */
static void requests(void **state)
{
	RIG(r, MESH16, "noc.flit=40", "l2.latency=10");
	u64 base = 0;
	for (u32 k = 0; k < 64; k++) {
		u64 addr = BASE + (u64)k * 4096;
		u32 slice, here = mem_mesh_place(r.m, 0);
		mem_channel_of(r.m, addr, &slice);
		u32 d = distance(here, mem_mesh_place(r.m, 16 + slice), 4);
		rig_access(&r, 1, MO_LOAD, addr, 0xf, 1); /* brings it into L2 */
		rig_drain(&r);
		r.now += 500;
		u64 t = rig_latency(&r, MO_LOAD, addr, 0xf), there = (d + 1) * 4 + d, back = there + 3;
		if (!base)
			base = t - there - back;
		assert_int_equal(t, base + there + back);
	}
	rig_check(&r);
	check_state(&r);
	rig_stop(&r);
}

/* --- traffic ------------------------------------------------------------------------------------------------------ */
struct traffic {
	u32 nodes, width;
	u32 (*dst)(u32 from, u32 nodes, u64 *rng);
	double rate; /* messages a node and cycle */
	u64 offered, got, latency;
	u64 by_sender[64];
};

static u32 uniform(u32 from, u32 nodes, u64 *rng)
{
	return rng_next(rng) % nodes;
}
static u32 transpose(u32 from, u32 nodes, u64 *rng)
{
	u32 k = (u32)lround(sqrt(nodes));
	return from % k * k + from / k;
}
static u32 hotspot(u32 from, u32 nodes, u64 *rng)
{
	return 0;
}

/* Each SM sends with that probability when its outbox has room; the message carries the cycle. */
static void traffic_step(struct rig *r, struct traffic *t, u64 *rng)
{
	struct message g;
	for (u32 n = 0; n < t->nodes; n++) {
		if ((double)(rng_next(rng) >> 11) / 9007199254740992.0 < t->rate) {
			g = to(n, t->dst(n, t->nodes, rng), 0);
			g.addr = r->now;
			t->offered += mem_send(r->m, &g, r->now);
		}
		while (mem_receive(r->m, n, r->now, &g)) {
			t->got++;
			t->by_sender[g.from]++;
			t->latency += r->now - 1 - g.addr;
		}
	}
	rig_step(r);
}

static struct traffic run(struct rig *r, u32 (*dst)(u32, u32, u64 *), double rate, u32 warm, u32 cycles)
{
	struct traffic t = {.nodes = r->c.num_sms, .dst = dst, .rate = rate};
	u64 rng = 42;
	for (u32 i = 0; i < warm; i++)
		traffic_step(r, &t, &rng);
	t = (struct traffic){.nodes = r->c.num_sms, .dst = dst, .rate = rate};
	for (u32 i = 0; i < cycles; i++)
		traffic_step(r, &t, &rng);
	check_state(r);
	return t;
}

static u64 crossed(const struct rig *r, u32 node, enum mesh_port link)
{
	struct mesh_node_info x;
	mem_mesh_node(r->m, node, &x);
	u64 n = 0;
	for (u32 c = 0; c < MSG_CLASSES; c++)
		n += x.out[link].flits[c];
	return n;
}

static u64 busiest(const struct rig *r)
{
	u64 most = 0;
	for (u32 n = 0; n < r->c.num_sms; n++)
		for (u32 l = 0; l < MESH_LINKS; l++)
			most = MAX(most, crossed(r, n, l));
	return most;
}

/* At a low load the mean latency is that of the mean distance, 2 (k - 1/k) / 3 links for uniform traffic (Dally and
 * Towles 2004, section 3.3), and links carry what the closed forms say: k/4 of what a node sends across the middle. */
static void low_load(void **state)
{
	RIG(r, MESH16, BIG_BOXES);
	struct traffic t = run(&r, uniform, 0.02, 500, 40000);
	double d = 2 * (4 - 1.0 / 4) / 3, mean = (double)t.latency / t.got, zero = (d + 1) * 4 + d;
	assert_true(t.got > 12000);
	assert_true(mean >= zero - 0.3 && mean < zero + 1);
	u64 middle = 0;
	for (u32 y = 0; y < 4; y++)
		middle += crossed(&r, 4 * y + 1, MESH_EAST);
	double load = middle / 4.0 / 40500 / 0.02; /* links between columns 1 and 2, flits a link for a flit a node */
	assert_true(load > 0.9 && load < 1.1);
	rig_stop(&r);
	RIG(x, MESH16, BIG_BOXES);
	run(&x, transpose, 0.05, 0, 20000);
	double most = busiest(&x) / 20000.0 / 0.05; /* k - 1 flits of a row turn at its diagonal */
	assert_true(most > 2.8 && most < 3.2);
	rig_stop(&x);
}

/* Saturation: uniform traffic could reach 4/k flits a node (section 3.3), transpose 1/(k - 1) where it turns, and one
 * node takes one flit a cycle whoever sends. */
static void saturation(void **state)
{
	RIG(u, ALIKE, BIG_BOXES, "num_sms=64", "partitions=8", "l2.slices=2");
	struct traffic t = run(&u, uniform, 1, 2000, 6000);
	double rate = (double)t.got / 64 / 6000;
	assert_true(rate < 0.5);
	assert_true(rate > 0.5 * 0.6);
	rig_stop(&u);
	RIG(x, MESH16, BIG_BOXES);
	t = run(&x, transpose, 1, 0, 6000);
	assert_true(busiest(&x) <= 6000 && busiest(&x) > 0.97 * 6000); /* a link at its diagonal never rests */
	rig_stop(&x);
	RIG(h, MESH16, BIG_BOXES);
	t = run(&h, hotspot, 1, 2000, 6000);
	assert_true(t.got <= 6000 && t.got > 0.99 * 6000);
	rig_stop(&h);
}

/* Four loads of a cycle to one slice: a request is a flit, so the k-th waits k cycles; an answer is four, and they come
 * from the tags one a cycle, so the k-th waits three times that. */
static void waits(void **state)
{
	RIG(r, MESH16, "noc.flit=40", "l2.port=128");
	u64 at[4];
	u32 n = 0, first, slice;
	mem_channel_of(r.m, BASE, &first);
	for (u64 a = BASE; n < 4; a += 128)
		if (mem_channel_of(r.m, a, &slice), slice == first)
			at[n++] = a;
	for (u32 k = 0; k < n; k++) {
		rig_access(&r, 1, MO_LOAD, at[k], 0xf, 1); /* brings it into L2 */
		rig_drain(&r);
	}
	assert_int_equal(mem_noc_counters(r.m)->request_wait, 0);
	assert_int_equal(mem_noc_counters(r.m)->reply_wait, 0);
	r.now += 500;
	for (u32 k = 0; k < n; k++)
		assert_int_equal(rig_access(&r, 0, MO_LOAD, at[k], 0xf, k), MR_PENDING);
	rig_drain(&r);
	assert_int_equal(mem_noc_counters(r.m)->request_wait, 0 + 1 + 2 + 3);
	assert_int_equal(mem_noc_counters(r.m)->reply_wait, 3 * (0 + 1 + 2 + 3));
	rig_check(&r);
	rig_stop(&r);
}

/* A slice's places are used again as soon as they are free: a request has one from the cycle in which its router passes
 * it on until the tags take it, router and L2 latency later; so many places are so many requests in that time. */
static void credits(void **state)
{
	static const struct {
		const char *queue, *latency;
		double places, cycles;
	} cases[] = {
	    {"noc.request_queue=1", "l2.latency=10", 1 + 10, 4 + 10},
	    {"noc.request_queue=3", "l2.latency=10", 3 + 10, 4 + 10},
	    {"noc.request_queue=1", "l2.latency=20", 1 + 20, 4 + 20},
	};
	for (u32 k = 0; k < ARRAY_LEN(cases); k++) {
		RIG(r, MESH16, "noc.flit=40", "l1d.stores=1024", cases[k].queue, cases[k].latency);
		struct mem_reply got;
		u64 answers = 0;
		for (u32 i = 0; i < 2400; i++) {
			rig_access(&r, 0, MO_STORE, BASE, 0x1, 1);
			for (; mem_pop(r.m, 0, r.now, &got); answers += i >= 1000)
				;
			rig_step(&r);
		}
		print_message("%s, %s: %.4f a cycle, of %.4f\n", cases[k].queue, cases[k].latency, (double)answers / 1400,
		              cases[k].places / cases[k].cycles);
		assert_float_equal((double)answers / 1400, cases[k].places / cases[k].cycles, 0.002);
		rig_drain(&r);
		rig_check(&r);
		rig_stop(&r);
	}
}

/* The same where L2 answers nothing yet, so that only the place itself calls the router: loads that miss. */
static void credits_of_misses(void **state)
{
	RIG(r, MESH16, "noc.request_queue=1", "l2.latency=1", "l1d.mshrs=64", "l1d.miss_queue=64");
	u32 first, slice, n = 0;
	mem_channel_of(r.m, BASE, &first);
	for (u64 a = BASE; n < 24; a += 128)
		if (mem_channel_of(r.m, a, &slice), slice == first)
			assert_int_equal(rig_access(&r, 0, MO_LOAD, a, 0xf, n++), MR_PENDING);
	for (u32 i = 0; i < 300; i++) {
		rig_step(&r);
		check_state(&r); /* no router sleeps that could pass something on */
	}
	rig_drain(&r);
	rig_check(&r);
	rig_stop(&r);
}

/* Routers may look in any order: each sees the others as they were a cycle before. */
static void any_order(void **state)
{
	RIG(a, MESH16, BIG_BOXES, "noc.mesh_buffer=1", "noc.flit=40");
	RIG(b, MESH16, BIG_BOXES, "noc.mesh_buffer=1", "noc.flit=40", "tick.shuffle=77");
	struct traffic x = run(&a, uniform, 0.45, 0, 4000), y = run(&b, uniform, 0.45, 0, 4000);
	assert_memory_equal(&x, &y, sizeof x);
	assert_memory_equal(mem_noc_counters(a.m), mem_noc_counters(b.m), sizeof(struct noc_counters));
	for (u32 n = 0; n < 16; n++) {
		struct mesh_node_info one, other;
		mem_mesh_node(a.m, n, &one);
		mem_mesh_node(b.m, n, &other);
		assert_memory_equal(&one, &other, sizeof one);
	}
	rig_stop(&a);
	rig_stop(&b);
}

/* Requests, answers and messages of all SMs at once, through few and short queues: which packet has which number, who
 * is called first and who waits first for a place is the same, too, to the last byte of the state. */
static void any_order_bytes(void **state)
{
	static const char *const rules[] = {"coherence=gpu", "coherence=denovo"};
	static const enum mem_op ops[] = {MO_LOAD, MO_LOAD, MO_STORE, MO_RED, MO_LOAD_VOLATILE, MO_FETCH};
	for (u32 k = 0; k < 2; k++) {
		RIG(a, MESH16, rules[k], "noc.request_queue=2", "noc.message_queue=4", "l2.mshrs=4");
		RIG(b, MESH16, rules[k], "noc.request_queue=2", "noc.message_queue=4", "l2.mshrs=4", "tick.shuffle=77");
		struct rig *both[2] = {&a, &b};
		u64 rng = 5, accepted = 0;
		for (u32 i = 0; i < 3000; i++) {
			const u64 cycle = rng;
			for (u32 r = 0; r < 2; r++) {
				rng = cycle;
				for (u32 sm = 0; sm < 16; sm++) {
					struct mem_reply got;
					const u64 x = rng_next(&rng);
					while (mem_pop(both[r]->m, sm, both[r]->now, &got))
						;
					if (x % 4)
						continue;
					struct mem_txn t = txn(BASE + (x >> 8) % 512 * 128, 0x1);
					t.words = 0xff;
					const enum mem_op op = ops[(x >> 32) % ARRAY_LEN(ops)];
					const enum mem_result mr =
					    mem_access(both[r]->m, sm, op == MO_FETCH ? MC_L1I : MC_L1D, op, &t, sm, both[r]->now);
					accepted += mr == MR_PENDING || mr == MR_SENT;
				}
				rig_step(both[r]);
			}
			if (i % 5 == 0)
				check_state(&a); /* nobody sleeps who could pass something on */
			if (i % 100 == 99 && memcmp(a.a.base, b.a.base, a.a.used))
				fail_msg("%s, cycle %llu: the states are not the same", rules[k], (unsigned long long)a.now);
		}
		assert_true(accepted > 6000);
		check_state(&a);
		rig_stop(&a);
		rig_stop(&b);
	}
}

/* Everybody wants one slice: with turns those near it get more - half of what comes over a link is its first router's -
 * and nobody nothing; the oldest first gives all the same. */
static void fairness(void **state)
{
	double least[2] = {1, 1}, most[2] = {0};
	static const char *const orders[] = {"noc.mesh_order=turns", "noc.mesh_order=oldest"};
	for (u32 o = 0; o < 2; o++) {
		RIG(r, MESH16, orders[o], "noc.request_queue=4", "l1d.stores=1024");
		u64 answers[16] = {0}, all = 0;
		for (u32 i = 0; i < 32000; i++) {
			struct mem_reply a;
			for (u32 sm = 0; sm < 16; sm++) {
				rig_access(&r, sm, MO_RED, BASE, 0x1, 1);
				for (; mem_pop(r.m, sm, r.now, &a); all += i > 4000)
					answers[sm] += i > 4000;
			}
			rig_step(&r);
		}
		check_state(&r);
		for (u32 sm = 0; sm < 16; sm++) {
			double share = (double)answers[sm] / all * 16;
			least[o] = MIN(least[o], share);
			most[o] = MAX(most[o], share);
		}
		rig_stop(&r);
	}
	print_message("shares of a crowded slice: turns %.2f to %.2f, oldest %.2f to %.2f of an even one\n", least[0],
	              most[0], least[1], most[1]);
	assert_true(least[0] > 0.02 && most[0] > 1.3);
	assert_true(least[1] > 0.4 && most[1] < 2); /* an old packet still waits behind younger ones in a buffer */
}

/* A packet of four flits takes a link, and a way out, for four cycles. */
static void long_packets(void **state)
{
	RIG(r, MESH16, BIG_BOXES, "noc.flit=40");
	struct message got, g = to(0, 3, 0);
	g.class = MSG_DATA;
	g.words = ~0u;
	u64 n = 0;
	for (u32 i = 0; i < 4000; i++) {
		mem_send(r.m, &g, r.now);
		while (mem_receive(r.m, 3, r.now, &got))
			n++;
		rig_step(&r);
	}
	assert_true(n <= 1000 && n > 980);
	assert_true(crossed(&r, 0, MESH_EAST) <= 4000);
	rig_stop(&r);
}

/* Requests and messages that cross the same links share them evenly. */
static void networks_take_turns(void **state)
{
	RIG(r, MESH16, BIG_BOXES, "l1d.stores=1024", "noc.flit=40");
	struct message got, g = to(0, 3, 0);
	struct mem_reply a;
	u64 east[16], easts = 0; /* lines whose slices are in the column of SM 3, the farthest */
	for (u64 line = BASE; easts < ARRAY_LEN(east); line += 128) {
		u32 slice;
		mem_channel_of(r.m, line, &slice);
		if (mem_mesh_place(r.m, 16 + slice) % 4 == 3)
			east[easts++] = line;
	}
	for (u32 i = 0; i < 8000; i++) {
		mem_send(r.m, &g, r.now);
		rig_access(&r, 0, MO_RED, east[i % easts], 0x1, 1);
		while (mem_receive(r.m, 3, r.now, &got) || mem_pop(r.m, 0, r.now, &a))
			;
		rig_step(&r);
	}
	struct mesh_node_info x;
	mem_mesh_node(r.m, 0, &x);
	u64 all = crossed(&r, 0, MESH_EAST);
	double messages = (double)x.out[MESH_EAST].flits[MSG_CONTROL] / all;
	print_message("%llu flits, of messages %.2f\n", (unsigned long long)all, messages);
	assert_true(all > 0.9 * 8000);
	assert_true(messages > 0.4 && messages < 0.6);
	rig_stop(&r);
}

/* What leaves in an order arrives in it. */
static void order(void **state)
{
	RIG(r, MESH16, "noc.mesh_buffer=1", "noc.message_queue=3");
	u64 rng = 5;
	u32 sent[32][32] = {0}, got[32][32] = {0}, n = 0;
	for (u32 i = 0; i < 30000; i++) {
		struct message g = to(rng_next(&rng) % 32, rng_next(&rng) % 32, 0);
		g.addr = sent[g.from][g.to];
		g.class = rng_next(&rng) % MSG_CLASSES;
		g.words = (u32)rng_next(&rng);
		sent[g.from][g.to] += mem_send(r.m, &g, r.now);
		if (i % 3 && mem_receive(r.m, rng_next(&rng) % 32, r.now, &g)) {
			assert_int_equal(g.addr, got[g.from][g.to]++);
			n++;
		}
		rig_step(&r);
		if (i % 500 == 0)
			check_state(&r);
	}
	assert_true(n > 5000);
	for (u32 quiet = 0; !mem_quiet(r.m) && quiet < 20000; quiet++) {
		for (u32 e = 0; e < 32; e++) {
			struct message g;
			while (mem_receive(r.m, e, r.now, &g))
				assert_int_equal(g.addr, got[g.from][g.to]++);
		}
		rig_step(&r);
	}
	assert_true(mem_quiet(r.m));
	assert_memory_equal(sent, got, sizeof sent);
	rig_check(&r);
	rig_stop(&r);
}

/* Requests go east, messages south, and both want the way in of one SM: each gets half of it. */
static void one_way_in(void **state)
{
	RIG(r, ALIKE, "num_sms=4", "partitions=4", "l2.slices=1", "noc.flit=40", "dram_clock=4000", "noc.message_queue=64");
	u64 addr = BASE, requests = 0, messages = 0;
	for (u32 slice = 0; mem_channel_of(r.m, addr, &slice), slice != 1;)
		addr += 128;
	for (u32 i = 0; i < 8000; i++) {
		struct message g = to(0, 2, i);
		struct mem_reply a;
		rig_access(&r, 0, MO_RED, addr, 0x1, 1);
		mem_send(r.m, &g, r.now);
		while (mem_pop(r.m, 0, r.now, &a))
			requests++;
		while (mem_receive(r.m, 2, r.now, &g))
			messages++;
		rig_step(&r);
	}
	double share = (double)messages / (requests + messages);
	if (share < 0.45 || share > 0.55 || requests + messages < 7000)
		fail_msg("%llu requests, %llu messages", (unsigned long long)requests, (unsigned long long)messages);
	rig_stop(&r);
}

/* --- nothing stands still -------------------------------------------------------------------------------------------
 *
 * Loads, stores, atomics and messages at random, in the smallest buffers there are, on a mesh that has more to carry
 * than it can. WARPDBG_MESH_CYCLES=N: so many cycles of it. */
static u64 take_all(struct rig *r)
{
	struct mem_reply a;
	struct message g;
	u64 n = 0;
	for (u32 sm = 0; sm < 9; sm++)
		while (mem_pop(r->m, sm, r->now, &a))
			n++;
	for (u32 e = 0; e < 13; e++)
		mem_receive(r->m, e, r->now, &g);
	return n;
}

static void crowd(struct rig *r, u64 *rng)
{
	static const enum mem_op ops[] = {MO_LOAD, MO_LOAD, MO_STORE, MO_ATOMIC, MO_RED, MO_LOCAL_STORE};
	for (u32 sm = 0; sm < 9; sm++) {
		struct message g = to(sm, rng_next(rng) % 13, 0);
		g.class = MSG_DATA;
		g.words = ~0u;
		rig_access(r, sm, ops[rng_next(rng) % ARRAY_LEN(ops)], BASE + rng_next(rng) % 64 * 128, 0xf,
		           rng_next(rng) % 1000);
		mem_send(r->m, &g, r->now);
	}
}

/* Crowds, and after each of them silence: a router that nobody has woken shows when nothing else comes by. */
static void soak(const char *clock, const char *nodes, u64 cycles)
{
	RIG(r, "network=mesh", "core_clock=1000", clock, nodes, "num_sms=9", "partitions=4", "l2.slices=1", "noc.flit=8",
	    "noc.mesh_buffer=1", "noc.request_queue=1", "noc.reply_queue=1", "l2.miss_queue=1", "l2.mshrs=2", "l2.merges=2",
	    "dram.queue=2", "l1d.miss_queue=1", "noc.message_queue=1", "l1d.sets=4", "l2.sets=4");
	u64 rng = 11, answers = 0;
	while (r.now < cycles) {
		for (u64 end = r.now + 1 + rng_next(&rng) % 400; r.now < end; rig_step(&r)) {
			crowd(&r, &rng);
			answers += take_all(&r);
			if (r.now % 16 == 0)
				check_state(&r);
		}
		for (u64 end = r.now + 10000; !mem_quiet(r.m) && r.now < end; rig_step(&r))
			answers += take_all(&r);
		if (!mem_quiet(r.m))
			fail_msg("%s: stands still since cycle %llu", nodes, (unsigned long long)r.now - 10000);
	}
	assert_true(answers > cycles / 400);
	rig_drain(&r);
	rig_check(&r);
	check_state(&r);
	rig_stop(&r);
}

static void never_stands_still(void **state)
{
	const char *n = getenv("WARPDBG_MESH_CYCLES");
	u64 cycles = n ? strtoull(n, NULL, 10) : 30000;
	soak("icnt_clock=1000", "noc.mesh_nodes=shared", cycles);
	soak("icnt_clock=2143", "noc.mesh_nodes=apart", cycles / 2);
	soak("icnt_clock=311", "noc.mesh_nodes=shared", cycles / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(places),
	    cmocka_unit_test(zero_load),
	    cmocka_unit_test(requests),
	    cmocka_unit_test(low_load),
	    cmocka_unit_test(saturation),
	    cmocka_unit_test(credits),
	    cmocka_unit_test(waits),
	    cmocka_unit_test(credits_of_misses),
	    cmocka_unit_test(any_order),
	    cmocka_unit_test(any_order_bytes),
	    cmocka_unit_test(fairness),
	    cmocka_unit_test(long_packets),
	    cmocka_unit_test(networks_take_turns),
	    cmocka_unit_test(one_way_in),
	    cmocka_unit_test(order),
	    cmocka_unit_test(never_stands_still),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
