/* Random traffic over many small machines: everything is answered exactly once, nothing stops, the sums close, and two
 * runs leave the same bytes. And the timing wheel against a sorted list. */
#include "tests/rig/mem_rig.h"
#include "base/wheel.h"
#include "mem/clock.h"

#include <stdio.h>

#define SMS_MAX 6
#define SLOTS 64 /* accesses of an SM in flight */

/* --- the wheel ---------------------------------------------------------------------------------------------------- */
static void wheel_against_list(void **s)
{
	struct arena a;
	struct wheel w;
	enum { N = 200 };
	u64 at[N], rng = 5, now = 0;
	assert_true(arena_init(&a, 1 << 20, NULL));
	wheel_init(&w, &a, N);
	for (u32 i = 0; i < N; i++)
		at[i] = NEVER;
	for (u32 round = 0; round < 200000; round++) {
		u32 t = (u32)(rng_next(&rng) % N), what = (u32)(rng_next(&rng) % 8);
		u64 range = what < 4 ? 100 : what < 6 ? 2000 : 100000;
		if (what == 7) {
			wheel_cancel(&w, t);
			at[t] = NEVER;
		} else {
			at[t] = now + rng_next(&rng) % range;
			wheel_set(&w, t, at[t]);
		}
		u64 min = NEVER;
		for (u32 i = 0; i < N; i++)
			min = MIN(min, at[i]);
		assert_true(wheel_next(&w) == min);
		u64 upto = now + rng_next(&rng) % 40;
		for (u32 f; (f = wheel_pop(&w, upto)) != WHEEL_NONE;) {
			min = NEVER;
			for (u32 i = 0; i < N; i++)
				min = MIN(min, at[i]);
			assert_true(at[f] == min && wheel_now(&w) == min && min <= upto);
			at[f] = NEVER;
		}
		for (u32 i = 0; i < N; i++)
			assert_true(at[i] > upto);
		now = upto + 1;
	}
	arena_release(&a);
}

static void wheel_is_fifo(void **s)
{
	struct arena a;
	struct wheel w;
	assert_true(arena_init(&a, 1 << 20, NULL));
	wheel_init(&w, &a, 20);
	for (u32 i = 0; i < 20; i++)
		wheel_set(&w, i * 7 % 20, 5000);
	for (u32 i = 0; i < 20; i++)
		assert_int_equal(wheel_pop(&w, 6000), i * 7 % 20);
	assert_int_equal(wheel_pop(&w, 6000), WHEEL_NONE);
	arena_release(&a);
}

/* Conversions against division, from the first cycles to the largest supported ones. */
static void clocks_are_exact(void **s)
{
	u64 rng = 11;
	for (u32 i = 0; i < 300000; i++) {
		double core = (double)(1 + rng_next(&rng) % 3000) / (i % 3 ? 1 : 7),
		       dom = i % 5 ? 1 + (double)(rng_next(&rng) % 9000) / 3 : core;
		struct clock k = clock_make(core, dom);
		u64 t = rng_next(&rng) >> (24 + rng_next(&rng) % 40);
		assert_true(clock_up(&k, t) == (t * k.num + k.den - 1) / k.den);
		assert_true(clock_down(&k, t) == t * k.num / k.den);
		assert_true(clock_core(&k, t) == (t * k.den + k.num - 1) / k.num);
	}
}

/* --- random traffic ----------------------------------------------------------------------------------------------- */
struct source {
	struct mem_txn txn;
	enum mem_op op;
	enum mem_cache cache;
	enum mem_result refused; /* MR_HIT: nothing to retry */
	u32 token, left;
	u64 busy; /* bit per token in flight */
	u8 op_of[SLOTS];
};

static void set(struct rig *r, const char *key, u64 value)
{
	char text[32];
	struct err e = {0};
	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	if (!conf_set(&r->c, key, text, &e))
		fail_msg("%s", e.msg);
}

static u64 pick(u64 *rng, u64 lo, u64 hi)
{
	return lo + rng_next(rng) % (hi - lo + 1);
}

static void random_queues(struct rig *r, u64 *rng)
{
	static const char *const small[] = {
	    "l1d.miss_queue", "l1d.mshrs", "l1d.merges",    "l1i.mshrs",         "l1c.mshrs",       "l1t.mshrs",
	    "l2.mshrs",       "l2.merges", "l2.miss_queue", "noc.request_queue", "noc.reply_queue", "dram.queue",
	    "l1d.stores",     "l1d.ways",  "l2.ways",       "l1t.merges",        "l1c.merges"};
	for (u32 i = 0; i < ARRAY_LEN(small); i++)
		set(r, small[i], rng_next(rng) % 3 ? pick(rng, 1, 3) : pick(rng, 1, 40));
}

static void random_machine(struct rig *r, u64 *rng)
{
	conf_defaults(&r->c);
	random_queues(r, rng);
	set(r, "num_sms", pick(rng, 1, SMS_MAX));
	set(r, "partitions", pick(rng, 1, 5));
	set(r, "l2.slices", pick(rng, 1, 3));
	set(r, "l1d.sets", 1u << pick(rng, 0, 3));
	set(r, "l2.sets", 1u << pick(rng, 0, 3));
	set(r, "l2.line", 128u << pick(rng, 0, 1));
	set(r, "noc.flit", 8u << pick(rng, 0, 4));
	set(r, "noc.latency", pick(rng, 1, 20));
	set(r, "l2.latency", pick(rng, 1, 700));
	set(r, "l2.port", 8u << pick(rng, 0, 4));
	set(r, "l2.atomic", pick(rng, 1, 9));
	set(r, "icnt_clock", pick(rng, 300, 1500));
	set(r, "l2_clock", pick(rng, 300, 1500));
	set(r, "dram_clock", pick(rng, 300, 3000));
	set(r, "dram.latency", pick(rng, 0, 300));
	set(r, "dram.bus", 1u << pick(rng, 0, 6));
	set(r, "dram.burst", 1u << pick(rng, 0, 4));
	set(r, "dram.data_ratio", 1u << pick(rng, 0, 2));
	set(r, "dram.banks", 4u << pick(rng, 0, 3));
	set(r, "dram.row", 256u << pick(rng, 0, 4));
	r->c.dram_sched = pick(rng, 0, 3) ? DRAM_FRFCFS : DRAM_FCFS;
	r->c.coalesce = pick(rng, 0, 1) ? COALESCE_SECTOR32 : COALESCE_LINE128;
	r->c.l1d_global = pick(rng, 0, 3) != 0;
	r->c.l1d_hash = (u8)pick(rng, 0, 2);
	r->c.noc_hol = pick(rng, 0, 1);
	r->c.noc_switch = (u8)pick(rng, 0, 1);
	set(r, "noc.source_queue", pick(rng, 1, 40));
	r->c.map_hash = (u8)pick(rng, 0, 2);
	r->c.map_slice_lines = pick(rng, 0, 1);
	r->c.l2_hash = (u8)pick(rng, 0, 1);
	r->c.l2_sector_acks = pick(rng, 0, 1);
	r->c.l2_write_miss = (u8)pick(rng, 0, 1);
	r->c.l1d_missq_free = pick(rng, 1, 3);
	r->c.noc_sector_replies = pick(rng, 0, 1);
}

static void new_access(struct source *x, u64 *rng)
{
	static const enum mem_op ops[] = {MO_LOAD,       MO_LOAD,        MO_LOAD,  MO_STORE, MO_STORE, MO_ATOMIC,  MO_RED,
	                                  MO_LOCAL_LOAD, MO_LOCAL_STORE, MO_FETCH, MO_LOAD,  MO_LOAD,  MO_PREFETCH};
	u32 k = (u32)(rng_next(rng) % ARRAY_LEN(ops));
	x->op = ops[k];
	x->cache = x->op == MO_FETCH ? MC_L1I : k == 10 ? MC_L1C : k == 11 ? MC_L1T : MC_L1D;
	u64 line = x->cache == MC_L1C ? 64 : 128, space = x->op == MO_LOCAL_LOAD || x->op == MO_LOCAL_STORE ? 1 << 20 : 0;
	u64 range = rng_next(rng) % 4 ? 64 : 4096;
	x->txn = txn(BASE + space + rng_next(rng) % range * line, (u8)(1 + rng_next(rng) % (line == 64 ? 3 : 15)));
	if (rng_next(rng) % 2)
		x->txn.bytes = (u16)(1 + rng_next(rng) % x->txn.bytes);
	x->token = bit_first(~x->busy);
}

static void answer(struct source *x, const struct mem_reply *a)
{
	assert_true(a->token < SLOTS && x->busy >> a->token & 1);
	assert_int_equal(x->op_of[a->token], a->op | a->cache << 4);
	x->busy &= ~BIT(a->token);
}

/* One cycle of an SM: takes its answers, presents or presents again. Returns whether it is finished. */
static bool sm_cycle(struct rig *r, u32 sm, struct source *x, u64 *rng)
{
	struct mem_reply a;
	for (u32 n = 0; n < 2 && mem_pop(r->m, sm, r->now, &a); n++)
		answer(x, &a);
	if (!x->left)
		return !x->busy;
	if (x->refused != MR_HIT && !mem_retry_wanted(r->m, sm, x->cache)) {
		mem_count_refused(r->m, sm, x->cache, x->refused, 1);
		return false;
	}
	if (x->refused == MR_HIT) {
		if (!~x->busy || rng_next(rng) % 3 == 0)
			return false;
		new_access(x, rng);
	}
	enum mem_result mr = mem_access(r->m, sm, x->cache, x->op, &x->txn, x->token, r->now);
	x->refused = mr >= MR_RF_LINE ? mr : MR_HIT;
	if (x->refused != MR_HIT)
		return false;
	x->left--;
	if (mr != MR_HIT) {
		x->busy |= BIT(x->token);
		x->op_of[x->token] = (u8)(x->op | x->cache << 4);
	}
	return false;
}

/* Refusals seen over all machines, so that the test knows it met every kind: L1D's and L2's line, MSHR, merge, queue.
 */
static u64 refusals[2][4];

static void collect(struct rig *r)
{
	for (u32 i = 0; i < r->c.num_sms + r->c.partitions * r->c.l2_slices; i++) {
		bool l2 = i >= r->c.num_sms;
		const struct cache_counters *c =
		    l2 ? mem_l2_counters(r->m, i - r->c.num_sms) : mem_cache_counters(r->m, MC_L1D, i);
		refusals[l2][0] += c->rf_line;
		refusals[l2][1] += c->rf_mshr;
		refusals[l2][2] += c->rf_merge;
		refusals[l2][3] += c->rf_queue;
	}
}

/* Runs a random machine under random load; returns the hash of all its state at the end. */
static u64 run_machine(u64 seed, u32 accesses)
{
	u64 rng = seed, last_progress = 0, pending = 0;
	struct rig r = {0};
	struct err e = {0};
	struct source x[SMS_MAX] = {0};
	random_machine(&r, &rng);
	size_t bytes = 0;
	if (!conf_check(&r.c, &e) || !mem_state_bytes(&r.c, &bytes, &e) || !arena_init(&r.a, bytes, &e))
		fail_msg("seed %llu: %s", (unsigned long long)seed, e.msg);
	r.m = mem_create(&r.c, &r.a, NULL, NULL, &e);
	for (u32 sm = 0; sm < r.c.num_sms; sm++)
		x[sm].left = accesses;
	for (bool done = false; !done; r.now++) {
		u64 in_flight = 0;
		done = true;
		for (u32 sm = 0; sm < r.c.num_sms; sm++) {
			done &= sm_cycle(&r, sm, &x[sm], &rng);
			in_flight += x[sm].left * 1000ull + bit_count(x[sm].busy);
			if (rng_next(&rng) % 5000 == 0)
				mem_kernel_start(r.m, sm, true);
		}
		mem_tick(r.m, r.now);
		u64 next = mem_next(r.m);
		assert_true(next > r.now);
		if (in_flight != pending)
			last_progress = r.now;
		pending = in_flight;
		if (r.now - last_progress > 30000)
			fail_msg("seed %llu: no progress since cycle %llu", (unsigned long long)seed,
			         (unsigned long long)last_progress);
	}
	rig_drain(&r);
	for (u32 sm = 0; sm < r.c.num_sms; sm++)
		assert_int_equal(mem_outstanding(r.m, sm), 0);
	mem_sync_counters(r.m, r.now);
	if (!mem_check(r.m, &e))
		fail_msg("seed %llu: %s", (unsigned long long)seed, e.msg);
	collect(&r);
	u64 h = arena_hash(&r.a);
	rig_stop(&r);
	return h;
}

/* --- requests and replies that share the ports' places ---------------------------------------------------------- */

/* At every moment: no more packets at a port than it has places, but data from DRAM at a slice, and both packets of a
 * replaced dirty line where there is one place. */
static void places_hold(const struct rig *r, u64 seed)
{
	for (u32 i = 0; i < mem_num_ports(r->m); i++) {
		struct port_info p;
		mem_port(r->m, i, &p);
		u32 most = p.slice || p.places > 1 ? p.places : 2;
		if (p.requests + (p.slice ? 0 : p.replies) > most)
			fail_msg("seed %llu, cycle %llu: port %u holds %u + %u of %u", (unsigned long long)seed,
			         (unsigned long long)r->now, i, p.requests, p.replies, p.places);
	}
}

/* A circle, once there, stays as it is: every member waits for the same one, with the same packets. */
static void circle_stays(struct rig *r, struct source *x, u64 *rng, u64 seed)
{
	u32 ring[SMS_MAX + 5 * 3], n = mem_cycle(r->m, ring, ARRAY_LEN(ring));
	struct port_info was[ARRAY_LEN(ring)], p;
	assert_true(n >= 2 && n <= ARRAY_LEN(ring));
	for (u32 i = 0; i < n; i++)
		mem_port(r->m, ring[i], &was[i]);
	for (u32 k = 0; k < 4000; k++, r->now++) {
		for (u32 sm = 0; sm < r->c.num_sms; sm++)
			sm_cycle(r, sm, &x[sm], rng);
		mem_tick(r->m, r->now);
	}
	for (u32 i = 0; i < n; i++) {
		mem_port(r->m, ring[i], &p);
		bool same = p.waits_for == was[i].waits_for && p.head.addr == was[i].head.addr && p.replies >= was[i].replies;
		if (!same || p.waits_for != (s32)ring[(i + 1) % n])
			fail_msg("seed %llu: the circle came apart", (unsigned long long)seed);
	}
}

enum ending { ENDED, STUCK };
/* Runs to the end, or into a circle: a machine that stops without one has lost somebody who waits. */
static enum ending run_shared(u64 seed, u32 accesses)
{
	u64 rng = seed, last = 0, pending = 0;
	struct rig r = {0};
	struct err e = {0};
	struct source x[SMS_MAX] = {0};
	size_t bytes = 0;
	random_machine(&r, &rng);
	r.c.noc_switch = NOC_BOOKED;
	set(&r, "noc.shared_buffer", pick(&rng, 1, rng_next(&rng) % 2 ? 4 : 60));
	set(&r, "l2.latency", pick(&rng, 1, 12)); /* a long pipeline takes all that these SMs can send */
	set(&r, "l1d.stores", 64);
	set(&r, "l1d.mshrs", 40);
	set(&r, "l1d.miss_queue", 40);
	if (!conf_check(&r.c, &e) || !mem_state_bytes(&r.c, &bytes, &e) || !arena_init(&r.a, bytes, &e))
		fail_msg("seed %llu: %s", (unsigned long long)seed, e.msg);
	r.m = mem_create(&r.c, &r.a, NULL, NULL, &e);
	for (u32 sm = 0; sm < r.c.num_sms; sm++)
		x[sm].left = accesses;
	bool done = false, stuck = false;
	for (; !done && !stuck; r.now++) {
		u64 in_flight = 0;
		done = true;
		for (u32 sm = 0; sm < r.c.num_sms; sm++) {
			done &= sm_cycle(&r, sm, &x[sm], &rng);
			in_flight += x[sm].left * 1000ull + bit_count(x[sm].busy);
		}
		mem_tick(r.m, r.now);
		places_hold(&r, seed);
		last = in_flight != pending ? r.now : last;
		pending = in_flight;
		stuck = r.now % 64 == 0 && mem_cycle(r.m, NULL, 0);
		if (r.now - last > 30000)
			fail_msg("seed %llu: no progress since cycle %llu and no circle", (unsigned long long)seed,
			         (unsigned long long)last);
	}
	if (stuck) {
		circle_stays(&r, x, &rng, seed);
	} else {
		rig_drain(&r);
		rig_check(&r);
	}
	rig_stop(&r);
	return stuck ? STUCK : ENDED;
}

static void shared_buffers_end_or_circle(void **s)
{
	const char *n = getenv("MEM_STRESS");
	u32 machines = n ? (u32)atoi(n) : 150, ends[2] = {0, 0};
	for (u32 i = 1; i <= machines; i++)
		ends[run_shared(i * 104729, 600)]++;
	if (machines >= 20)
		assert_true(ends[ENDED] > machines / 10 && ends[STUCK] > machines / 10);
}

static void many_small_machines(void **s)
{
	const char *n = getenv("MEM_STRESS");
	u32 machines = n ? (u32)atoi(n) : 150;
	for (u32 i = 1; i <= machines; i++)
		run_machine(i * 7919, 600);
	for (u32 k = 0; k < 4; k++)
		assert_true(refusals[0][k] && refusals[1][k]);
}

static void deterministic(void **s)
{
	for (u32 i = 1; i <= 10; i++) {
		u64 a = run_machine(i, 500), b = run_machine(i, 500);
		assert_true(a == b);
		assert_true(a != run_machine(i + 100, 500));
	}
}

/* Jumping the clock to mem_next() gives the same state as ticking every cycle. */
static void jumping_changes_nothing(void **s)
{
	u64 h[2];
	for (u32 jump = 0; jump < 2; jump++) {
		RIG(r, "num_sms=4", "dram_clock=1234");
		struct mem_reply a;
		u64 rng = 3;
		for (u32 burst = 0; burst < 50; burst++) {
			for (u32 i = 0; i < 8; i++)
				rig_access(&r, i % 4, MO_LOAD, BASE + rng_next(&rng) % 4096 * 128, 0xf, i);
			for (u64 end = r.now + 2000; r.now < end;) {
				mem_tick(r.m, r.now);
				u64 next = mem_next(r.m);
				r.now = jump ? MIN(next, end) : r.now + 1;
			}
			mem_tick(r.m, r.now);
			for (u32 sm = 0; sm < 4; sm++)
				while (mem_pop(r.m, sm, r.now, &a))
					;
		}
		rig_check(&r);
		h[jump] = arena_hash(&r.a);
		rig_stop(&r);
	}
	assert_true(h[0] == h[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(wheel_against_list),
	    cmocka_unit_test(wheel_is_fifo),
	    cmocka_unit_test(clocks_are_exact),
	    cmocka_unit_test(many_small_machines),
	    cmocka_unit_test(deterministic),
	    cmocka_unit_test(jumping_changes_nothing),
	    cmocka_unit_test(shared_buffers_end_or_circle),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
