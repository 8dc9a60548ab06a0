/* What the memory system takes over from the reference simulator, each against a closed form: ports that keep their
 * first packet, the set index of Fermi's L1D, acknowledgements a sector, L2 after a copy by the host, places a load
 * needs in the miss queue. The pipeline in front of L1D and its answers are in test_l1_pipe.c. */
#include "base/bits.h"
#include "mem/impl.h"
#include "tests/rig/mem_rig.h"

#define FLITS 17 /* of a line with noc.flit=8: 8 B and 128 B */

/* Cycles from now until the answer with that token; others are taken on the way. */
static u64 until(struct rig *r, u32 sm, u32 token)
{
	u64 start = r->now;
	for (;;) {
		struct mem_reply a;
		mem_tick(r->m, r->now);
		for (u32 i = 0; i < r->c.num_sms; i++)
			while (mem_pop(r->m, i, r->now, &a))
				if (i == sm && a.token == token)
					return r->now - start;
		assert_true(mem_next(r->m) != NEVER);
		r->now++;
	}
}

/* An address that slice s owns, the n-th of them. */
static u64 in_slice(const struct rig *r, u32 s, u32 n)
{
	u32 slice;
	for (u64 addr = BASE;; addr += 256) {
		mem_channel_of(r->m, addr, &slice);
		if (slice == s && !n--)
			return addr;
	}
}

/* SM 1 fills the port of slice 0; SM 0 has a store for it and behind that one for slice 1, which is idle. */
static u64 behind_a_full_port(const char *hol, u64 *third)
{
	RIG(r, "num_sms=2", "partitions=2", "l2.slices=1", "noc.flit=8", hol);
	assert_int_equal(rig_access(&r, 1, MO_STORE, in_slice(&r, 0, 0), 0xf, 1), MR_SENT);
	rig_step(&r); /* it comes first */
	assert_int_equal(rig_access(&r, 0, MO_STORE, in_slice(&r, 0, 1), 0xf, 2), MR_SENT);
	assert_int_equal(rig_access(&r, 0, MO_STORE, in_slice(&r, 1, 0), 0xf, 3), MR_SENT);
	u64 t = until(&r, 0, 3);
	rig_drain(&r);
	assert_int_equal(r.m->noc->request_flits, 3 * FLITS);
	*third = mem_noc_counters(r.m)->request_wait;
	rig_check(&r);
	rig_stop(&r);
	return t;
}

static void request_behind_a_full_port(void **s)
{
	u64 wait, wait_hol, ideal = behind_a_full_port("noc.head_of_line=false", &wait),
	                    hol = behind_a_full_port("noc.head_of_line=true", &wait_hol);
	struct conf c;
	conf_defaults(&c);
	/* Its own way: behind the SM's first store; to the slice, through it, back with one flit. */
	u64 way = 2 * (u64)c.noc_latency + FLITS - 1 + c.l2_latency;
	assert_in_range(ideal, FLITS + way - 1, FLITS + way + 2);
	/* The first store leaves when SM 1's is through, a cycle less than FLITS later. */
	assert_int_equal(hol - ideal, FLITS - 1);
	assert_int_equal(wait_hol - wait, FLITS - 1);
}

/* The same on the way back: slices 0 and 1 answer SM 0, and slice 1 then SM 1, whose port is idle. */
static u64 reply_behind(const char *hol)
{
	RIG(r, "num_sms=2", "partitions=2", "l2.slices=1", "noc.flit=8", "l2.copies=true", "l2.port=128", hol);
	u64 a = in_slice(&r, 0, 0), b = in_slice(&r, 1, 0), c = in_slice(&r, 1, 1);
	mem_copied(r.m, a, 128, 0);
	mem_copied(r.m, b, 128, 0);
	mem_copied(r.m, c, 128, 0);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, a, 0xf, 1), MR_PENDING);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, b, 0xf, 2), MR_PENDING);
	rig_step(&r);
	rig_step(&r);
	assert_int_equal(rig_access(&r, 1, MO_LOAD, c, 0xf, 3), MR_PENDING);
	u64 t = until(&r, 1, 3);
	rig_drain(&r);
	rig_check(&r);
	rig_stop(&r);
	return t;
}

static void reply_behind_a_full_port(void **s)
{
	assert_int_equal(reply_behind("noc.head_of_line=true") - reply_behind("noc.head_of_line=false"), FLITS - 1);
}

/* Slices 0 and 1 answer SM 0 with a line each, the second a cycle later: when both are there, in *first and *second. */
static void two_lines(const char *replies, u64 *first, u64 *second)
{
	RIG(r, "num_sms=1", "partitions=2", "l2.slices=1", "noc.flit=40", "l2.copies=true", "l2.port=128", replies);
	u64 a = in_slice(&r, 0, 0), b = in_slice(&r, 1, 0);
	mem_copied(r.m, a, 128, 0);
	mem_copied(r.m, b, 128, 0);
	u64 start = r.now;
	assert_int_equal(rig_access(&r, 0, MO_LOAD, a, 0xf, 1), MR_PENDING);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, b, 0xf, 2), MR_PENDING);
	until(&r, 0, 1);
	*first = r.now - start;
	until(&r, 0, 2);
	*second = r.now - start;
	assert_int_equal(r.m->noc->reply_flits, 8);
	assert_int_equal(r.m->noc->replies, 2);
	rig_check(&r);
	rig_stop(&r);
}

static void a_reply_for_each_sector(void **s)
{
	struct conf c;
	conf_defaults(&c);
	u64 first[2], second[2], alone = 2 * (u64)c.noc_latency + c.l2_latency + 4 - 1;
	two_lines("noc.sector_replies=false", &first[0], &second[0]);
	two_lines("noc.sector_replies=true", &first[1], &second[1]);
	assert_int_equal(first[0], alone);
	assert_int_equal(second[0], alone + 4);
	/* by turns from the second cycle on: a a b a b a b b, or a b a b a b a b */
	assert_in_range(first[1], alone + 2, alone + 3);
	assert_int_equal(second[1], alone + 4);
	RIG(r, "noc.sector_replies=true", "l2.copies=true");
	mem_copied(r.m, BASE, 128, 0);
	assert_int_equal(rig_latency(&r, MO_LOAD, BASE, 0xf), alone);
	rig_stop(&r);
}

/* However many wait, every port moves a flit a cycle while its destination does: two SMs that send to one slice take
 * turns and lose no cycle. */
static void no_cycle_is_lost(void **s)
{
	RIG(r, "num_sms=2", "partitions=1", "l2.slices=1", "noc.flit=8", "l1d.miss_queue=8", "noc.head_of_line=true");
	for (u32 i = 0; i < 8; i++)
		for (u32 sm = 0; sm < 2; sm++)
			assert_int_equal(rig_access(&r, sm, MO_STORE, BASE + (2 * i + sm) * 128, 0xf, 1), MR_SENT);
	u64 last = rig_drain(&r), way = 2 * (u64)r.c.noc_latency + r.c.l2_latency;
	assert_in_range(last, 16 * FLITS + way - 2, 16 * FLITS + way + 2);
	rig_check(&r);
	rig_stop(&r);
}

/* --- set index ---------------------------------------------------------------------------------------------------- */
static u32 set_of(u32 sets, u64 addr)
{
	struct arena a;
	struct err e = {0};
	struct tags t;
	assert_true(arena_init(&a, 1 << 20, &e));
	tags_init(&t, &a, sets, 4, 128, TAGS_FERMI);
	u32 set = tags_set(&t, addr >> 7);
	arena_release(&a);
	return set;
}

/* Nugteren 2014, table: which address bits make which bit of the set. */
static void fermi_index(void **s)
{
	static const struct {
		u32 low, high; /* bits of the address */
	} pair[] = {{7, 13}, {8, 14}, {9, 15}, {10, 17}, {11, 19}};
	for (u32 sets = 32; sets <= 64; sets *= 2)
		for (u32 i = 0; i < ARRAY_LEN(pair); i++) {
			assert_int_equal(set_of(sets, BIT(pair[i].low)), 1u << i);
			assert_int_equal(set_of(sets, BIT(pair[i].high)), 1u << i);
			assert_int_equal(set_of(sets, BIT(pair[i].low) | BIT(pair[i].high)), 0);
		}
	for (u32 bit = 0; bit < 48; bit++) {
		bool used = bit >= 7 && bit <= 19 && bit != 12 && bit != 16 && bit != 18;
		assert_int_equal(set_of(32, BIT(bit)) != 0, used);
		assert_int_equal(set_of(64, BIT(bit)) != 0, used || bit == 12);
	}
	assert_int_equal(set_of(64, BIT(12)), 32);
	assert_int_equal(set_of(64, BIT(12) | BIT(11) | BIT(19)), 32);
	assert_int_equal(set_of(16, BIT(11)), 1); /* other sizes: XOR of all bits, four at a time */
}

/* --- acknowledgements --------------------------------------------------------------------------------------------- */
static void acknowledged_by_sector(void **s)
{
	u64 t[2];
	for (u32 on = 0; on < 2; on++) {
		RIG(r, on ? "l2.sector_acks=true" : "l2.sector_acks=false");
		t[on] = rig_latency(&r, MO_STORE, BASE, 0xf);
		assert_int_equal(mem_noc_counters(r.m)->reply_flits, on ? 4 : 1);
		rig_latency(&r, MO_STORE, BASE + 4096, 0x6);
		assert_int_equal(mem_noc_counters(r.m)->reply_flits, on ? 6 : 2);
		rig_latency(&r, MO_STORE, BASE + 8192, 0x8);
		assert_int_equal(mem_noc_counters(r.m)->reply_flits, on ? 7 : 3);
		assert_int_equal(mem_noc_counters(r.m)->replies, 3);
		rig_check(&r);
		rig_stop(&r);
	}
	assert_int_equal(t[1] - t[0], 3);
}

/* --- copies by the host ------------------------------------------------------------------------------------------- */
static void copies_are_in_l2(void **s)
{
	RIG(r, "l2.copies=true");
	u64 hits = 0, warm, cold;
	mem_copied(r.m, BASE + 128, 3 * 128 + 32, 0); /* the last line: its first sector only */
	warm = rig_latency(&r, MO_LOAD, BASE + 128, 0xf);
	cold = rig_latency(&r, MO_LOAD, BASE, 0xf); /* the line before */
	rig_latency(&r, MO_LOAD, BASE + 3 * 128, 0xf);
	rig_latency(&r, MO_LOAD, BASE + 5 * 128, 0xf);
	assert_int_equal(rig_latency(&r, MO_LOAD, BASE + 4 * 128, 0xf) > warm, 1);
	for (u32 i = 0; i < r.m->nslices; i++)
		hits += mem_l2_counters(r.m, i)->hits;
	assert_int_equal(hits, 2);
	assert_true(cold > warm + r.c.dram_latency);
	rig_check(&r);
	rig_stop(&r);
	RIG(q, "l2.copies=false");
	mem_copied(q.m, BASE + 128, 128, 0);
	assert_in_range(rig_latency(&q, MO_LOAD, BASE + 128, 0xf), cold - 2, cold + 2); /* DRAM's clock is another */
	rig_stop(&q);
}

/* What does not fit: the last copied stays. */
static void copies_replace_the_oldest(void **s)
{
	RIG(r, "l2.copies=true", "partitions=1", "l2.slices=1", "l2.sets=2", "l2.ways=2", "l1d.cache_global=false");
	mem_copied(r.m, BASE, 6 * 128, 0);
	for (u32 i = 2; i < 6; i++)
		rig_latency(&r, MO_LOAD, BASE + i * 128, 0xf);
	assert_int_equal(mem_l2_counters(r.m, 0)->hits, 4);
	rig_latency(&r, MO_LOAD, BASE, 0xf);
	assert_int_equal(mem_l2_counters(r.m, 0)->misses, 1);
	assert_int_equal(mem_l2_counters(r.m, 0)->writebacks, 0);
	rig_check(&r);
	rig_stop(&r);
}

/* --- stores that L2 lacks ------------------------------------------------------------------------------------------ */
#define ONE_SLICE "partitions=1", "l2.slices=1", "l2.sets=1"

/* The store goes to DRAM, which acknowledges it, and its line is read; it stays clean until a store finds it. */
static void a_store_has_its_line_read(void **s)
{
	RIG(r, ONE_SLICE, "l2.ways=2", "l2.write_miss=fetch");
	RIG(lazy, ONE_SLICE, "l2.ways=2");
	const struct cache_counters *c = mem_l2_counters(r.m, 0);
	const struct dram_counters *d = mem_dram_counters(r.m, 0);
	u64 read = rig_latency(&lazy, MO_LOAD, BASE, 0xf), store = rig_latency(&r, MO_STORE, BASE, 0xf);
	/* As long as a load takes, whose data travel down and not up, but for DRAM's two latencies and its clock's
	 * rounding. */
	u64 less = clock_core(&r.m->dramclk, r.c.dram_tCL - r.c.dram_tWL);
	assert_in_range(store + less, read - 2, read + 2);
	assert_int_equal(d->writes, 2); /* bursts of 64 B */
	assert_int_equal(d->reads, 2);
	assert_int_equal(c->write_misses, 1);
	rig_latency(&r, MO_LOAD, BASE, 0xf);
	assert_int_equal(c->hits, 1);
	rig_latency(&r, MO_STORE, BASE + 128, 0x1); /* a part of a line: the part is written, all of it is read */
	assert_int_equal(d->writes, 3);
	assert_int_equal(d->reads, 4);
	rig_latency(&r, MO_LOAD, BASE + 128, 0xf);
	assert_int_equal(c->hits, 2);
	rig_latency(&r, MO_LOAD, BASE + 2 * 128, 0xf); /* pushes a clean line out */
	assert_int_equal(c->evictions, 1);
	assert_int_equal(c->writebacks, 0);
	rig_latency(&r, MO_STORE, BASE + 128, 0xf); /* is there: written back later */
	assert_int_equal(c->hits, 3);
	assert_int_equal(d->writes, 3);
	rig_latency(&r, MO_LOAD, BASE + 3 * 128, 0xf);
	rig_latency(&r, MO_LOAD, BASE + 4 * 128, 0xf);
	assert_int_equal(c->writebacks, 1);
	assert_int_equal(d->writes, 5);
	rig_check(&r);
	rig_stop(&r);
	rig_stop(&lazy);
}

/* While a line is on its way every store to it goes to DRAM, and none has it read again. Two more lines want an MSHR.
 */
static void stores_share_a_read(void **s)
{
	RIG(r, ONE_SLICE, "l2.ways=4", "l2.write_miss=fetch", "l2.mshrs=2");
	const struct dram_counters *d = mem_dram_counters(r.m, 0);
	for (u32 i = 0; i < 3; i++)
		assert_int_equal(rig_access(&r, 0, MO_STORE, BASE, 0xf, i), MR_SENT);
	rig_drain(&r);
	assert_int_equal(d->writes, 6);
	assert_int_equal(d->reads, 2);
	for (u32 i = 1; i < 4; i++)
		assert_int_equal(rig_access(&r, 0, MO_STORE, BASE + i * 128, 0xf, i), MR_SENT);
	rig_drain(&r);
	assert_int_equal(d->reads, 8);
	mem_sync_counters(r.m, r.now);
	assert_true(mem_l2_counters(r.m, 0)->rf_mshr > r.c.dram_latency / 2); /* the third waited for a read's end */
	rig_check(&r);
	rig_stop(&r);
}

/* The store and the read of its line want two places of the miss queue. */
static void stores_want_two_places(void **s)
{
	RIG(r, ONE_SLICE, "l2.ways=8", "l2.write_miss=fetch", "l2.miss_queue=3", "dram.queue=1");
	u32 most = 0;
	for (u32 i = 0; i < 6; i++)
		assert_int_equal(rig_access(&r, 0, MO_STORE, BASE + i * 128, 0xf, i), MR_SENT);
	for (u32 i = 0; i < 2000; i++) {
		rig_step(&r);
		most = MAX(most, r.m->slice[0].st->mq_n);
	}
	rig_drain(&r);
	assert_int_equal(most, 3);
	assert_int_equal(mem_dram_counters(r.m, 0)->requests, 12);
	rig_check(&r);
	rig_stop(&r);
}

/* --- the miss queue ----------------------------------------------------------------------------------------------- */
static void loads_want_two_places(void **s)
{
	RIG(r, "l1d.miss_queue=4", "l1d.miss_queue_free=2");
	for (u32 i = 0; i < 3; i++)
		assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE + i * 128, 0xf, i), MR_PENDING);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE + 3 * 128, 0xf, 3), MR_RF_QUEUE);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE, 0xf, 4), MR_RF_QUEUE); /* a merge, too */
	assert_int_equal(rig_access(&r, 0, MO_STORE, BASE + 3 * 128, 0xf, 5), MR_SENT);
	assert_int_equal(rig_access(&r, 0, MO_STORE, BASE + 4 * 128, 0xf, 6), MR_RF_QUEUE);
	rig_drain(&r);
	rig_check(&r);
	rig_stop(&r);
	RIG(q, "l1d.miss_queue=1", "l1d.miss_queue_free=2"); /* an empty queue takes it */
	assert_int_equal(rig_access(&q, 0, MO_LOAD, BASE, 0xf, 1), MR_PENDING);
	rig_drain(&q);
	rig_stop(&q);
}

/* --- stores that stay --------------------------------------------------------------------------------------------- */
static void stores_stay(void **s)
{
	RIG(r, "l1d.keep_stores=true", "coalesce=sector32", "l1d.sets=1", "l1d.ways=2");
	const struct cache_counters *c = mem_cache_counters(r.m, MC_L1D, 0);
	rig_latency(&r, MO_STORE, BASE, 0x3);
	assert_int_equal(r.m->noc->requests, 1); /* written through */
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE, 0x3, 1), MR_HIT);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE, 0x4, 1), MR_PENDING); /* another sector */
	rig_drain(&r);
	assert_int_equal(c->write_misses, 1);
	rig_latency(&r, MO_LOCAL_STORE, BASE, 0x2);
	assert_int_equal(c->write_misses, 1);
	/* Written in part: a store hits, a load fetches it, and a part of what is there changes nothing. */
	struct mem_txn part = txn(BASE + 128, 1);
	part.bytes = 4;
	for (u32 i = 0; i < 2; i++)
		assert_int_equal(mem_access(r.m, 0, MC_L1D, MO_STORE, &part, 1, r.now), MR_SENT);
	assert_int_equal(c->write_misses, 2);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE + 128, 1, 1), MR_PENDING);
	rig_drain(&r);
	assert_int_equal(mem_access(r.m, 0, MC_L1D, MO_STORE, &part, 1, r.now), MR_SENT);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE + 128, 1, 1), MR_HIT);
	/* A third line takes the place of the oldest; nothing is written back. An atomic and a kernel's start take away. */
	rig_latency(&r, MO_STORE, BASE + 256, 0xf);
	assert_int_equal(c->evictions, 1);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE + 256, 0xf, 1), MR_HIT);
	rig_latency(&r, MO_ATOMIC, BASE + 256, 1);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE + 256, 1, 1), MR_PENDING);
	rig_drain(&r);
	rig_latency(&r, MO_LOCAL_STORE, BASE + 256, 0xf);
	mem_kernel_start(r.m, 0, true);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE + 256, 1, 1), MR_PENDING);
	rig_drain(&r);
	assert_int_equal(c->writebacks, 0);
	rig_check(&r);
	rig_stop(&r);
	/* Both lines on their way: no place. */
	RIG(q, "l1d.keep_stores=true", "coalesce=sector32", "l1d.sets=1", "l1d.ways=2");
	rig_access(&q, 0, MO_LOAD, BASE, 1, 1);
	rig_access(&q, 0, MO_LOAD, BASE + 128, 1, 1);
	assert_int_equal(rig_access(&q, 0, MO_STORE, BASE + 256, 1, 1), MR_RF_LINE);
	assert_int_equal(rig_access(&q, 0, MO_STORE, BASE, 1, 1), MR_SENT);
	assert_int_equal(rig_access(&q, 0, MO_LOAD, BASE, 1, 1), MR_HIT); /* before what it asked for has come */
	rig_drain(&q);
	rig_check(&q);
	rig_stop(&q);
}

/* --- caches that have everything ---------------------------------------------------------------------------------- */
static enum mem_result read_by(struct rig *r, enum mem_cache c, enum mem_op op, u64 addr)
{
	const struct mem_txn t = {.addr = addr, .bytes = 32, .sectors = 1};
	return mem_access(r->m, 0, c, op, &t, 1, r->now);
}

static void perfect_caches_never_miss(void **s)
{
	RIG(r, "l1i.perfect=true", "l1c.perfect=true", "coalesce=sector32");
	for (u32 i = 0; i < 1000; i++) { /* more than both hold */
		assert_int_equal(read_by(&r, MC_L1I, MO_FETCH, BASE + i * 4096), MR_HIT);
		assert_int_equal(read_by(&r, MC_L1C, MO_LOAD, BASE + i * 4096), MR_HIT);
	}
	assert_true(mem_has_line(r.m, 0, BASE + 64)); /* nothing to prefetch */
	assert_int_equal(mem_cache_counters(r.m, MC_L1I, 0)->hits, 1000);
	assert_int_equal(mem_cache_counters(r.m, MC_L1C, 0)->hits, 1000);
	assert_int_equal(read_by(&r, MC_L1D, MO_LOAD, BASE), MR_PENDING);
	rig_drain(&r);
	assert_int_equal(r.m->noc->requests, 1);
	rig_check(&r);
	rig_stop(&r);
	RIG(q, "l1c.perfect=true"); /* one without the other */
	assert_int_equal(read_by(&q, MC_L1I, MO_FETCH, BASE), MR_PENDING);
	assert_int_equal(read_by(&q, MC_L1C, MO_LOAD, BASE), MR_HIT);
	rig_drain(&q);
	rig_stop(&q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(request_behind_a_full_port),
	    cmocka_unit_test(reply_behind_a_full_port),
	    cmocka_unit_test(a_reply_for_each_sector),
	    cmocka_unit_test(no_cycle_is_lost),
	    cmocka_unit_test(fermi_index),
	    cmocka_unit_test(acknowledged_by_sector),
	    cmocka_unit_test(copies_are_in_l2),
	    cmocka_unit_test(copies_replace_the_oldest),
	    cmocka_unit_test(a_store_has_its_line_read),
	    cmocka_unit_test(stores_share_a_read),
	    cmocka_unit_test(stores_want_two_places),
	    cmocka_unit_test(loads_want_two_places),
	    cmocka_unit_test(stores_stay),
	    cmocka_unit_test(perfect_caches_never_miss),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
