/* Requests and replies that share the places of a port (noc.shared_buffer): with few of them the network really locks
 * up, and the deadlock doctor names the circle; with many of them nothing differs but the time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/rig/debug_rig.h"
#include "dbg/debugger.h"

#define PATIENCE 4000 /* deadlock_cycles */
#define RING_MAX 640

static void open_kernel(struct rig *r, const char *file, const char *kernel, const char *const *sets)
{
	static char copy[2][64];
	char *argv[48] = {"warpdbg",
	                  "debug",
	                  copy[0],
	                  "--kernel",
	                  copy[1],
	                  "--grid",
	                  "30",
	                  "--block",
	                  "256",
	                  "--arg",
	                  "u32[262144]=zero",
	                  "--set",
	                  "deadlock_cycles=4000"};
	u32 n = 13;
	snprintf(copy[0], sizeof copy[0], "tests/hangs/%s.ptx", file);
	snprintf(copy[1], sizeof copy[1], "%s", kernel);
	for (; sets && *sets; sets++) {
		argv[n++] = "--set";
		argv[n++] = (char *)*sets;
	}
	rig_open(r, argv);
}
#define SETS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const char *port_name(const struct mem *m, u32 port, char *out, size_t n)
{
	struct port_info p;
	mem_port(m, port, &p);
	snprintf(out, n, "%s %u's port", p.slice ? "L2 slice" : "SM", p.number);
	return out;
}

/* The circle by its definition, from what each port says of itself: SMs' ports and slices' in turn, each full, each
 * waiting for the next. */
static u32 circle(struct rig *r, u32 *ring)
{
	const struct mem *m = gpu_mem(dbg_gpu(r->d));
	const u32 n = mem_cycle(m, ring, RING_MAX);
	assert_true(n == 0 || (n >= 2 && n % 2 == 0 && ring[0] < gpu_conf(dbg_gpu(r->d))->num_sms));
	for (u32 i = 0; i < n; i++) {
		struct port_info p;
		mem_port(m, ring[i], &p);
		assert_int_equal(p.waits_for, ring[(i + 1) % n]);
		assert_true(p.requests + p.replies >= p.places);
		assert_int_equal(p.slice, ring[i] >= gpu_conf(dbg_gpu(r->d))->num_sms);
		assert_true(p.slice ? p.replies >= p.places : !p.replies);
	}
	return n;
}

/* Every member of the circle has its line, in order, saying for whom it waits. */
static void names_circle(struct rig *r)
{
	u32 ring[RING_MAX];
	const struct mem *m = gpu_mem(dbg_gpu(r->d));
	const u32 n = circle(r, ring);
	const char *at = strstr(strbuf_str(&r->out), "full queues wait for each other");
	assert_true(n && at);
	for (u32 i = 0; i < n; i++) {
		char who[32], next[32], line[80];
		snprintf(line, sizeof line, "  %s: ", port_name(m, ring[i], who, sizeof who));
		at = strstr(at, line);
		if (!at)
			fail_msg("'%s' expected in: %s", line, strbuf_str(&r->out));
		snprintf(line, sizeof line, " waits for a place at %s\n", port_name(m, ring[(i + 1) % n], next, sizeof next));
		const char *end = strstr(at, line);
		assert_true(end && end < strchr(at, '\n'));
	}
	assert_true(strstr(at, "that is a cycle of full queues: none of them ever moves again"));
	assert_true(strstr(at, "caught behind a cycle of full queues"));
}

static void few_places_lock_up(void **state)
{
	static const char *const few[] = {"noc.shared_buffer=1", "noc.shared_buffer=2", "noc.shared_buffer=4",
	                                  "noc.shared_buffer=7"};
	for (u32 i = 0; i < sizeof few / sizeof *few; i++) {
		struct rig r;
		open_kernel(&r, "hangs", "scatter", SETS(few[i], "l2.latency=10"));
		rig_has(&r, "continue", "Deadlock: a cycle of full queues");
		names_circle(&r);
		assert_int_equal(r.d->run.rest, DBG_DEAD);
		rig_fails(&r, "continue", "cannot go on");
		rig_close(&r);
	}
}

/* Going back and on again ends in the same circle at the same cycle; up to the end there is none. */
static void the_same_after_going_back(void **state)
{
	static const char *const back[] = {"reverse-step 1", "reverse-step 150", "goto 200", "goto 0"};
	struct rig r;
	u32 ring[RING_MAX], again[RING_MAX];
	open_kernel(&r, "hangs", "scatter", SETS("noc.shared_buffer=4", "l2.latency=10"));
	rig_say(&r, "continue");
	const u64 at = sim_cycle(r.s->sim), hash = sim_hash(r.s->sim);
	const u32 n = circle(&r, ring);
	struct strbuf first = STRBUF_INIT;
	strbuf_adds(&first, rig_say(&r, "why machine"));
	for (u32 k = 0; k < sizeof back / sizeof *back; k++) {
		rig_say(&r, back[k]);
		assert_true(sim_cycle(r.s->sim) < at);
		rig_say(&r, k == 3 ? "step 77" : "print 1");
		rig_has(&r, "continue", "Deadlock: a cycle of full queues");
		assert_int_equal(sim_cycle(r.s->sim), at);
		assert_int_equal(sim_hash(r.s->sim), hash);
		assert_int_equal(circle(&r, again), n);
		assert_memory_equal(ring, again, n * sizeof *ring);
		assert_string_equal(rig_say(&r, "why machine"), strbuf_str(&first));
	}
	strbuf_release(&first);
	rig_close(&r);
}

static u64 issued(struct rig *r)
{
	u64 sum = 0;
	for (u32 i = 0; i < gpu_conf(dbg_gpu(r->d))->num_sms; i++) {
		struct sm_info s;
		gpu_sm_info(dbg_gpu(r->d), i, &s);
		sum += s.issued;
	}
	return sum;
}

/* One CTA has work for long and memory lies idle for it: the circle is found at the next look, not when that ends. */
static void found_while_others_work(void **state)
{
	struct rig r;
	open_kernel(&r, "queues", "one_is_busy", SETS("noc.shared_buffer=4", "l2.latency=10"));
	rig_has(&r, "continue", "Deadlock: a cycle of full queues");
	names_circle(&r);
	const u64 at = sim_cycle(r.s->sim), done = issued(&r);
	assert_true(at % (PATIENCE / 4) == 0 && at < 10 * PATIENCE);
	u32 ring[RING_MAX];
	rig_say(&r, "reverse-step 30");
	assert_true(circle(&r, ring) > 0); /* it had closed before that */
	assert_true(issued(&r) < done);    /* CTA 0 goes on counting */
	rig_has(&r, "continue", "Deadlock");
	assert_int_equal(sim_cycle(r.s->sim), at);
	rig_close(&r);
}

/* A warp that cannot send and one that waits for an answer: both chains lead into the circle. */
static void warps_behind_it(void **state)
{
	struct rig r;
	open_kernel(&r, "hangs", "scatter", SETS("noc.shared_buffer=4", "l2.latency=8", "num_sms=3"));
	rig_say(&r, "continue");
	struct gpu *g = dbg_gpu(r.d);
	u32 sent = 0, unsent = 0;
	for (u32 sm = 0; sm < 3; sm++)
		for (u32 w = 0; w < gpu_warps_per_sm(g); w++) {
			struct warp_info x;
			char line[32];
			gpu_warp_info(g, sm, w, &x);
			if (x.state == WS_NONE || x.state == WS_DONE)
				continue; /* none of these waits for its own sake */
			const bool not_sent = gpu_unsent_warps(g, sm) >> w & 1;
			snprintf(line, sizeof line, "focus sm %u warp %u", sm, w);
			rig_say(&r, line);
			rig_has(&r, "why", "we have been there, a cycle of full queues; none of them ever moves again");
			assert_true(!not_sent == !strstr(strbuf_str(&r.out), "it cannot send: full queues wait for each other"));
			*(not_sent ? &unsent : &sent) += 1;
		}
	assert_true(sent && unsent);
	rig_close(&r);
}

static void queues_show_who_holds_what(void **state)
{
	struct rig r;
	open_kernel(&r, "hangs", "scatter", SETS("noc.shared_buffer=4", "l2.latency=10"));
	rig_say(&r, "continue");
	rig_has(&r, "info queues", "full  4 requests, 0 replies");
	assert_true(strstr(strbuf_str(&r.out), "full  0 requests, "));
	assert_true(strstr(strbuf_str(&r.out), " pipeline"));
	assert_false(strstr(strbuf_str(&r.out), "reply port"));
	rig_fails(&r, "set noc.shared_buffer 64", "is part of the machine");
	rig_close(&r);
	open_kernel(&r, "hangs", "scatter", NULL);
	rig_say(&r, "step 400");
	rig_has(&r, "info queues all", "SM 0 reply port");
	assert_false(strstr(strbuf_str(&r.out), "requests, "));
	rig_close(&r);
}

/* With places enough the same results; and buffers of their own that are as small as can be never lock up. */
static void enough_places(void **state)
{
	static const char *const sets[] = {"noc.shared_buffer=0", "noc.shared_buffer=128", "noc.shared_buffer=1024",
	                                   "noc.reply_queue=1"};
	u64 values[4];
	for (u32 i = 0; i < 4; i++) {
		struct rig r;
		u32 ring[RING_MAX];
		open_kernel(&r, "queues", "one_is_busy", SETS(sets[i], "noc.request_queue=1"));
		for (u32 k = 0; k < 20; k++) {
			rig_say(&r, "step 97");
			assert_int_equal(circle(&r, ring), 0);
		}
		rig_has(&r, "continue", "The program has finished");
		sim_drain(r.s->sim);
		if (!sim_check(r.s->sim, &r.e))
			fail_msg("%s", r.e.msg);
		values[i] = devmem_hash(gpu_devmem(dbg_gpu(r.d)));
		assert_true(values[i] == values[0]);
		rig_close(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(few_places_lock_up),         cmocka_unit_test(the_same_after_going_back),
	    cmocka_unit_test(found_while_others_work),    cmocka_unit_test(warps_behind_it),
	    cmocka_unit_test(queues_show_who_holds_what), cmocka_unit_test(enough_places),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
