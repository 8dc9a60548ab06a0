/* The memory system's timing against closed forms, its reservation failures one by one, and its bandwidth ceilings. */
#include "tests/rig/mem_rig.h"

#include "mem/dram/map.h"

#include <stdio.h>

static u32 flits(const struct rig *r, u32 sectors)
{
	return (8 + 32 * sectors + r->c.noc_flit - 1) / r->c.noc_flit;
}

/* A read that hits in L2: way up (one flit), pipeline, way down. */
static u64 l2_hit_form(const struct rig *r, u32 sectors)
{
	return r->c.noc_latency + r->c.l2_latency + r->c.noc_latency + flits(r, sectors) - 1;
}

/* DRAM cycles from a command to the end of the data of n bursts of one row. */
static u32 read_bursts(const struct rig *r, u32 n)
{
	u32 burst = r->c.dram_burst / r->c.dram_ratio, gap = MAX(MAX(r->c.dram_tCCDL, r->c.dram_tCCD), burst);
	return (n - 1) * gap + r->c.dram_tCL + burst;
}

static u64 to_dram(const struct rig *r, u64 t)
{
	return (t * (u64)r->c.dram_clock + (u64)r->c.core_clock - 1) / (u64)r->c.core_clock;
}
static u64 to_core(const struct rig *r, u64 d)
{
	return (d * (u64)r->c.core_clock + (u64)r->c.dram_clock - 1) / (u64)r->c.dram_clock;
}

/* Latency of a read at cycle t0 whose first column command comes `prep` DRAM cycles after its arrival. */
static u64 miss_form(const struct rig *r, u64 t0, u32 prep, u32 bursts)
{
	u64 at = t0 + r->c.noc_latency + r->c.l2_latency;
	u64 end = to_core(r, to_dram(r, at) + prep + read_bursts(r, bursts));
	return end + r->c.dram_latency + r->c.noc_latency + flits(r, bursts * 2) - 1 - t0;
}

static void hit_and_miss(void **s)
{
	RIG(r);
	r.now = 17;
	u64 want = miss_form(&r, r.now, r.c.dram_tRCD, 2);
	assert_int_equal(rig_latency(&r, MO_LOAD, BASE, 0xf), want);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE, 0xf, 2), MR_HIT);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE + 128, 0xf, 2), MR_PENDING);
	rig_drain(&r);
	const struct cache_counters *c = mem_cache_counters(r.m, MC_L1D, 0);
	assert_int_equal(c->hits, 1);
	assert_int_equal(c->misses, 2);
	assert_int_equal(c->fills, 2);
	rig_check(&r);
	rig_stop(&r);
}

static void l2_hit_latency(void **s)
{
	RIG(r);
	rig_latency(&r, MO_LOAD, BASE, 0xf);
	mem_kernel_start(r.m, 0, true);
	u64 want = l2_hit_form(&r, 4);
	assert_int_equal(rig_latency(&r, MO_LOAD, BASE, 0xf), want);
	/* an atomic bypasses and evicts; a store's acknowledgement is one flit, its data four */
	assert_int_equal(rig_latency(&r, MO_ATOMIC, BASE, 1), 2 * r.c.noc_latency + r.c.l2_latency);
	assert_int_equal(rig_latency(&r, MO_STORE, BASE, 0xf), 2 * r.c.noc_latency + r.c.l2_latency + flits(&r, 4) - 1);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE, 0xf, 1), MR_PENDING);
	rig_drain(&r);
	rig_check(&r);
	rig_stop(&r);
}

/* The same row open, closed, and another row in the bank. */
static void row_hit_and_miss(void **s)
{
	RIG(r, "partitions=1", "l2.slices=1");
	u64 chunk = 256, row = (u64)r.c.dram_row * r.c.dram_banks;
	u64 want = miss_form(&r, r.now, r.c.dram_tRCD, 2);
	assert_int_equal(rig_latency(&r, MO_LOAD, BASE, 0xf), want);
	want = miss_form(&r, r.now, 0, 2);
	assert_int_equal(rig_latency(&r, MO_LOAD, BASE + 2 * chunk, 0xf), want);
	want = miss_form(&r, r.now, r.c.dram_tRP + r.c.dram_tRCD, 2);
	assert_int_equal(rig_latency(&r, MO_LOAD, BASE + row, 0xf), want);
	const struct dram_counters *d = mem_dram_counters(r.m, 0);
	assert_int_equal(d->row_misses, 2);
	assert_int_equal(d->row_hits, 4);
	assert_int_equal(d->precharges, 1);
	struct bank_info b[16];
	assert_int_equal(mem_banks(r.m, 0, b, 16), 16);
	assert_true(b[0].row >= 0 && b[1].row == -1);
	rig_check(&r);
	rig_stop(&r);
}

/* Two reads at once, the second behind the first by a constraint between their activates. */
static void two_reads(u64 second, u32 apart)
{
	RIG(r, "partitions=1", "l2.slices=1", "noc.flit=256");
	u64 d0 = to_dram(&r, r.now + r.c.noc_latency + r.c.l2_latency);
	rig_access(&r, 0, MO_LOAD, BASE, 0xf, 1);
	rig_access(&r, 0, MO_LOAD, BASE + second, 0xf, 2);
	u64 end = to_core(&r, d0 + apart + r.c.dram_tRCD + read_bursts(&r, 2));
	assert_int_equal(rig_drain(&r), end + r.c.dram_latency + r.c.noc_latency);
	rig_check(&r);
	rig_stop(&r);
}

static void activates_apart(void **s)
{
	struct conf c;
	conf_defaults(&c);
	u64 row = (u64)c.dram_row * c.dram_banks;
	two_reads(row, MAX(c.dram_tRC, c.dram_tRAS + c.dram_tRP));
	two_reads(256, c.dram_tRRD);
}

/* A read behind a write: write latency, data, turnaround. The write is a dirty line pushed out by the read before. With
 * one clock for all no cycle is lost in rounding. */
static void write_to_read(void **s)
{
	for (u32 k = 0; k < 2; k++) {
		RIG(r, "partitions=1", "l2.slices=1", "l2.sets=1", "l2.ways=1", "noc.flit=256",
		    k ? "core_clock=924" : "core_clock=700", k ? "icnt_clock=924" : "icnt_clock=700",
		    k ? "l2_clock=924" : "l2_clock=700");
		rig_latency(&r, MO_STORE, BASE, 0xf);
		u64 t0 = r.now, d0 = to_dram(&r, t0 + r.c.noc_latency + r.c.l2_latency);
		u32 burst = r.c.dram_burst / r.c.dram_ratio;
		/* same row: activate, two write bursts, then the read of the line beside it */
		u64 last_write = d0 + r.c.dram_tRCD + r.c.dram_tCCDL;
		u64 end = last_write + r.c.dram_tWL + burst + r.c.dram_tWTR + read_bursts(&r, 2);
		assert_int_equal(rig_latency(&r, MO_LOAD, BASE + 128, 0xf),
		                 to_core(&r, end) + r.c.dram_latency + r.c.noc_latency - t0);
		assert_int_equal(mem_dram_counters(r.m, 0)->writes, 2);
		rig_check(&r);
		rig_stop(&r);
	}
}

/* Requests of one flit that are ready in the same cycle: the k-th waits k cycles of the interconnect, told in core
 * cycles. */
static void waits_are_core_cycles(void **s)
{
	RIG(r, "core_clock=1400", "icnt_clock=700", "l2_clock=700", "noc.flit=40");
	for (u32 k = 0; k < 4; k++)
		assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE + k * 4096, 0xf, k), MR_PENDING);
	rig_drain(&r);
	assert_int_equal(mem_noc_counters(r.m)->request_wait, 2 * (0 + 1 + 2 + 3));
	rig_check(&r);
	rig_stop(&r);
}

/* A read of another row of the bank that was written: write recovery before the row is closed. */
static void write_recovery(void **s)
{
	RIG(r, "partitions=1", "l2.slices=1", "l2.sets=1", "l2.ways=1", "noc.flit=256");
	rig_latency(&r, MO_STORE, BASE, 0xf);
	u64 t0 = r.now, d0 = to_dram(&r, t0 + r.c.noc_latency + r.c.l2_latency), row = (u64)r.c.dram_row * r.c.dram_banks;
	u32 burst = r.c.dram_burst / r.c.dram_ratio;
	u64 last_write = d0 + r.c.dram_tRCD + r.c.dram_tCCDL;
	u64 close = MAX(last_write + r.c.dram_tWL + burst + r.c.dram_tWR, d0 + r.c.dram_tRAS);
	assert_true(r.c.dram_tWR > 1 && close > d0 + r.c.dram_tRAS);
	u64 end = MAX(close + r.c.dram_tRP, d0 + r.c.dram_tRC) + r.c.dram_tRCD + read_bursts(&r, 2);
	assert_int_equal(rig_latency(&r, MO_LOAD, BASE + row, 0xf),
	                 to_core(&r, end) + r.c.dram_latency + r.c.noc_latency - t0);
	rig_check(&r);
	rig_stop(&r);
}

static void other_clocks(void **s)
{
	RIG(r, "icnt_clock=1400", "l2_clock=350", "dram_clock=1848");
	u64 at = r.now + 4 + r.c.l2_latency; /* 8 interconnect cycles are 4 core cycles */
	u64 ready = to_core(&r, to_dram(&r, at) + r.c.dram_tRCD + read_bursts(&r, 2)) + r.c.dram_latency;
	u64 want = (ready * 2 + 8 + flits(&r, 4) - 1 + 1) / 2 - r.now;
	assert_int_equal(rig_latency(&r, MO_LOAD, BASE, 0xf), want);
	rig_check(&r);
	rig_stop(&r);
}

/* With banks of L1D a register is for a sector: as many sectors are on their way as there are registers, of one line or
 * of several; a sector that is on its way needs none. */
static void a_register_a_sector(void **s)
{
	RIG(r, "coalesce=sector32", "l1d.banks=4", "l1d.mshrs=3", "l1d.miss_queue=16");
	for (u32 i = 0; i < 2; i++)
		assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE + 32 * i, (u8)(1 << i), i), MR_PENDING);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE + 128, 1, 2), MR_PENDING);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE + 64, 4, 3), MR_RF_MSHR);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE + 256, 1, 3), MR_RF_MSHR);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE + 32, 2, 3), MR_PENDING);
	rig_drain(&r);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE + 64, 4, 3), MR_PENDING);
	rig_drain(&r);
	rig_check(&r);
	rig_stop(&r);
}

static void sectored(void **s)
{
	RIG(r, "coalesce=sector32");
	u64 want = miss_form(&r, r.now, r.c.dram_tRCD, 1) - flits(&r, 2) + flits(&r, 1);
	assert_int_equal(rig_latency(&r, MO_LOAD, BASE, 1), want);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE, 1, 1), MR_HIT);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE, 3, 1), MR_PENDING); /* sector 1 is missing */
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE, 2, 2), MR_PENDING); /* merges */
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE, 6, 3), MR_PENDING); /* needs sector 2 too */
	rig_drain(&r);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE, 7, 1), MR_HIT);
	assert_int_equal(rig_access(&r, 0, MO_STORE, BASE, 2, 1), MR_SENT);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE, 5, 1), MR_HIT); /* the store evicted its own sector */
	rig_drain(&r);
	const struct cache_counters *c = mem_cache_counters(r.m, MC_L1D, 0);
	assert_int_equal(c->misses, 3);
	assert_int_equal(c->merges, 1);
	assert_int_equal(c->fills, 3);
	rig_check(&r);
	rig_stop(&r);
}

/* Each reservation failure on its own, and that the LSU is told when to try again. */
static void refused_until_answer(struct rig *r, enum mem_op op, u64 addr, enum mem_result want)
{
	struct mem_reply a;
	assert_int_equal(rig_access(r, 0, op, addr, 0xf, 9), want);
	assert_false(mem_retry_wanted(r->m, 0, MC_L1D));
	for (u32 i = 0; i < 10000 && !mem_retry_wanted(r->m, 0, MC_L1D); i++)
		rig_step(r);
	assert_true(mem_retry_wanted(r->m, 0, MC_L1D));
	assert_true(mem_wake(r->m)[0] & 1);
	enum mem_result mr = rig_access(r, 0, op, addr, 0xf, 9);
	assert_true(mr == MR_PENDING || mr == MR_HIT || mr == MR_SENT);
	rig_drain(r);
	assert_false(mem_pop(r->m, 0, r->now, &a));
	rig_check(r);
}

static void refusals(void **s)
{
	{
		RIG(r, "l1d.sets=1", "l1d.ways=2");
		rig_access(&r, 0, MO_LOAD, BASE, 0xf, 1);
		rig_access(&r, 0, MO_LOAD, BASE + 128, 0xf, 2);
		refused_until_answer(&r, MO_LOAD, BASE + 256, MR_RF_LINE);
		assert_int_equal(mem_cache_counters(r.m, MC_L1D, 0)->rf_line, 1);
		mem_count_refused(r.m, 0, MC_L1D, MR_RF_LINE, 41);
		assert_int_equal(mem_cache_counters(r.m, MC_L1D, 0)->rf_line, 42);
		assert_int_equal(mem_cache_counters(r.m, MC_L1D, 0)->evictions, 1);
		rig_stop(&r);
	}
	{
		RIG(r, "l1d.mshrs=2");
		rig_access(&r, 0, MO_LOAD, BASE, 0xf, 1);
		rig_access(&r, 0, MO_LOAD, BASE + 128, 0xf, 2);
		refused_until_answer(&r, MO_LOAD, BASE + 256, MR_RF_MSHR);
		assert_int_equal(mem_cache_counters(r.m, MC_L1D, 0)->rf_mshr, 1);
		rig_stop(&r);
	}
	{
		RIG(r, "l1d.merges=3");
		for (u32 i = 0; i < 3; i++)
			assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE, 0xf, i), MR_PENDING);
		refused_until_answer(&r, MO_LOAD, BASE, MR_RF_MERGE);
		assert_int_equal(mem_cache_counters(r.m, MC_L1D, 0)->rf_merge, 1);
		assert_int_equal(mem_cache_counters(r.m, MC_L1D, 0)->merges, 2);
		rig_stop(&r);
	}
	{
		RIG(r, "l1d.miss_queue=2", "l1d.miss_queue_free=1");
		rig_access(&r, 0, MO_STORE, BASE, 0xf, 1);
		rig_access(&r, 0, MO_LOAD, BASE + 128, 0xf, 2);
		refused_until_answer(&r, MO_RED, BASE + 256, MR_RF_QUEUE);
		assert_int_equal(mem_cache_counters(r.m, MC_L1D, 0)->rf_queue, 1);
		rig_stop(&r);
	}
}

/* The limit on stores in flight ends when an acknowledgement is taken. */
static void store_limit(void **s)
{
	RIG(r, "l1d.stores=1");
	struct mem_reply a;
	assert_int_equal(rig_access(&r, 0, MO_STORE, BASE, 0xf, 7), MR_SENT);
	assert_int_equal(rig_access(&r, 0, MO_STORE, BASE, 0xf, 8), MR_RF_QUEUE);
	while (r.now < 1000 && !mem_pop(r.m, 0, r.now, &a))
		rig_step(&r);
	assert_int_equal(a.token, 7);
	assert_int_equal(a.op, MO_STORE);
	assert_true(mem_retry_wanted(r.m, 0, MC_L1D));
	assert_int_equal(rig_access(&r, 0, MO_STORE, BASE, 0xf, 8), MR_SENT);
	rig_drain(&r);
	rig_check(&r);
	rig_stop(&r);
}

static void merges_answer_in_order(void **s)
{
	RIG(r);
	struct mem_reply a;
	for (u32 i = 0; i < 8; i++)
		assert_int_equal(rig_access(&r, 3, MO_LOAD, BASE, 0xf, 100 + i), MR_PENDING);
	struct mshr_info info[4];
	assert_int_equal(mem_mshrs(r.m, 3, MC_L1D, info, 4), 1);
	assert_int_equal(info[0].merged, 8);
	assert_string_equal(info[0].where, "miss queue");
	rig_step(&r);
	mem_mshrs(r.m, 3, MC_L1D, info, 4);
	assert_string_equal(info[0].where, "to L2");
	while (r.now < 150)
		rig_step(&r);
	mem_mshrs(r.m, 3, MC_L1D, info, 4);
	u32 slice, ch = mem_channel_of(r.m, BASE, &slice);
	char want[32];
	snprintf(want, sizeof(want), "DRAM channel %u", ch);
	assert_string_equal(info[0].where, want);
	while (!mem_pop(r.m, 3, r.now, &a))
		rig_step(&r);
	assert_int_equal(mem_wake(r.m)[0], 1 << 3);
	for (u32 i = 0; i < 8; i++) {
		assert_int_equal(a.token, 100 + i);
		assert_int_equal(mem_pop(r.m, 3, r.now, &a), i < 7);
	}
	mem_clear_wake(r.m, 3);
	assert_int_equal(mem_wake(r.m)[0], 0);
	assert_int_equal(mem_l2_counters(r.m, slice)->accesses, 1);
	rig_check(&r);
	rig_stop(&r);
}

static void local_write_back(void **s)
{
	RIG(r, "l1d.sets=1", "l1d.ways=1", "partitions=1", "l2.slices=1");
	assert_int_equal(rig_access(&r, 0, MO_LOCAL_STORE, BASE, 0xf, 1), MR_SENT); /* no allocation */
	rig_drain(&r);
	assert_int_equal(rig_access(&r, 0, MO_LOCAL_LOAD, BASE, 0xf, 1), MR_PENDING);
	rig_drain(&r);
	assert_int_equal(rig_access(&r, 0, MO_LOCAL_STORE, BASE, 0xf, 1), MR_HIT);
	assert_int_equal(mem_l2_counters(r.m, 0)->writes, 1);
	mem_kernel_start(r.m, 0, true); /* dirty lines stay */
	assert_int_equal(rig_access(&r, 0, MO_LOCAL_LOAD, BASE + 128, 0xf, 1), MR_PENDING);
	assert_int_equal(mem_outstanding(r.m, 0), 2);
	rig_drain(&r);
	assert_int_equal(mem_l2_counters(r.m, 0)->writes, 2);
	assert_int_equal(mem_cache_counters(r.m, MC_L1D, 0)->writebacks, 1);
	rig_check(&r);
	rig_stop(&r);
}

static void cache_off(void **s)
{
	RIG(r, "l1d.cache_global=false", "coalesce=sector32");
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE, 1, 1), MR_PENDING);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE, 1, 2), MR_PENDING);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE, 2, 3), MR_PENDING);
	rig_drain(&r);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE, 1, 1), MR_PENDING);
	rig_drain(&r);
	const struct cache_counters *c = mem_cache_counters(r.m, MC_L1D, 0);
	assert_int_equal(c->bypasses, 3);
	assert_int_equal(c->merges, 1);
	assert_int_equal(c->hits + c->misses, 0);
	rig_check(&r);
	rig_stop(&r);
}

/* A partial write makes no valid sector: the read after it fetches; a full one does. */
static void lazy_fetch(void **s)
{
	RIG(r);
	struct mem_txn part = {.addr = BASE, .bytes = 4, .sectors = 1};
	u32 slice;
	u32 ch = mem_channel_of(r.m, BASE, &slice);
	assert_int_equal(mem_access(r.m, 0, MC_L1D, MO_STORE, &part, 1, r.now), MR_SENT);
	rig_drain(&r);
	assert_int_equal(mem_dram_counters(r.m, ch)->requests, 0);
	rig_latency(&r, MO_LOAD, BASE, 0xf);
	assert_int_equal(mem_dram_counters(r.m, ch)->requests, 1);
	u32 other;
	u64 a = BASE + 128;
	assert_int_equal(mem_channel_of(r.m, a, &other), ch);
	assert_int_equal(rig_access(&r, 0, MO_STORE, a, 0xf, 1), MR_SENT);
	rig_drain(&r);
	r.now += 100;
	u64 want = l2_hit_form(&r, 4);
	assert_int_equal(rig_latency(&r, MO_LOAD, a, 0xf), want);
	assert_int_equal(mem_dram_counters(r.m, ch)->requests, 1);
	rig_check(&r);
	rig_stop(&r);
}

/* The line that has gone unused for longest makes room: a hit counts as a use, in L1 and in L2. */
static void least_recently_used(void **s)
{
	RIG(r, "l1d.sets=1", "l1d.ways=2", "partitions=1", "l2.slices=1", "l2.sets=1", "l2.ways=2", "num_sms=2");
	rig_latency(&r, MO_LOAD, BASE, 0xf);
	rig_latency(&r, MO_LOAD, BASE + 128, 0xf);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE, 0xf, 1), MR_HIT);
	assert_int_equal(rig_access(&r, 1, MO_LOAD, BASE, 0xf, 1), MR_PENDING); /* SM 1: a hit in L2 */
	rig_drain(&r);
	rig_latency(&r, MO_LOAD, BASE + 256, 0xf);
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE, 0xf, 1), MR_HIT);
	const struct cache_counters *l2 = mem_l2_counters(r.m, 0);
	u64 misses = l2->misses;
	rig_access(&r, 1, MO_LOAD, BASE + 256, 0xf, 1);
	rig_drain(&r);
	mem_kernel_start(r.m, 0, true);
	rig_latency(&r, MO_LOAD, BASE, 0xf);
	assert_int_equal(l2->misses, misses);
	rig_check(&r);
	rig_stop(&r);
}

/* In L2 a store that finds its line is a use, too. */
static void stores_are_uses(void **s)
{
	RIG(r, "partitions=1", "l2.slices=1", "l2.sets=1", "l2.ways=2", "num_sms=2");
	const struct cache_counters *l2 = mem_l2_counters(r.m, 0);
	rig_latency(&r, MO_LOAD, BASE, 0xf);
	rig_latency(&r, MO_LOAD, BASE + 128, 0xf);
	rig_latency(&r, MO_STORE, BASE, 0xf);
	rig_latency(&r, MO_LOAD, BASE + 256, 0xf);
	const u64 misses = l2->misses;
	rig_access(&r, 1, MO_LOAD, BASE, 0xf, 1);
	rig_drain(&r);
	assert_int_equal(l2->misses, misses);
	rig_access(&r, 1, MO_LOAD, BASE + 128, 0xf, 1);
	rig_drain(&r);
	assert_int_equal(l2->misses, misses + 1);
	rig_check(&r);
	rig_stop(&r);
}

/* mshr_cycles in the middle of a miss: its MSHRs count up to the cycle that is asked about. */
static void mshrs_are_counted_midway(void **s)
{
	RIG(r, "partitions=1", "l2.slices=1");
	u64 start = r.now, at_l2 = start + r.c.noc_latency + r.c.l2_latency;
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE, 0xf, 1), MR_PENDING);
	while (r.now < at_l2 + 20)
		rig_step(&r);
	for (u32 i = 0; i < 2; i++) {
		mem_sync_counters(r.m, r.now);
		assert_int_equal(mem_cache_counters(r.m, MC_L1D, 0)->mshr_cycles, r.now - start);
		assert_int_equal(mem_l2_counters(r.m, 0)->mshr_cycles, r.now - at_l2);
		rig_step(&r);
	}
	rig_drain(&r);
	rig_check(&r);
	rig_stop(&r);
}

/* With sectors: what was written in part is no more there for a read than what was not written. */
static void lazy_fetch_of_a_sector(void **s)
{
	RIG(r, "coalesce=sector32");
	struct mem_txn part = {.addr = BASE, .bytes = 4, .sectors = 1};
	u32 slice, ch = mem_channel_of(r.m, BASE, &slice);
	assert_int_equal(mem_access(r.m, 0, MC_L1D, MO_STORE, &part, 1, r.now), MR_SENT);
	rig_drain(&r);
	rig_latency(&r, MO_LOAD, BASE, 1);
	assert_int_equal(mem_dram_counters(r.m, ch)->requests, 1);
	rig_check(&r);
	rig_stop(&r);
}

/* Cycles until n atomics, each to four sectors that are in L2, are answered. */
static u64 atomics_done(const char *cycles, u32 n)
{
	RIG(r, "partitions=1", "l2.slices=1", "noc.flit=256", cycles);
	for (u32 i = 0; i < n; i++)
		rig_access(&r, 0, MO_LOAD, BASE + i * 128, 0xf, i);
	rig_drain(&r);
	u64 t0 = r.now += 500;
	for (u32 i = 0; i < n; i++)
		assert_int_equal(rig_access(&r, 0, MO_ATOMIC, BASE + i * 128, 0xf, i), MR_PENDING);
	u64 t = rig_drain(&r) - t0;
	rig_check(&r);
	rig_stop(&r);
	return t;
}

/* l2.atomic: each keeps the slice busy for so many L2 cycles a sector; the first does not wait for it. */
static void atomics_keep_the_slice_busy(void **s)
{
	u64 one = atomics_done("l2.atomic=9", 1), six = atomics_done("l2.atomic=9", 6);
	assert_int_equal(one, atomics_done("l2.atomic=1", 1));
	assert_int_equal(six - one, 5 * 4 * 9);
	assert_int_equal(atomics_done("l2.atomic=3", 6) - one, 5 * 4 * 3);
}

/* The sectors that are dirty, and no others: so many bursts of 64 B. */
static void l2_writes_back(void **s)
{
	static const struct {
		u8 sectors, bursts;
	} cases[] = {{0xf, 2}, {0x1, 1}, {0x3, 1}, {0x9, 2}};
	for (u32 k = 0; k < ARRAY_LEN(cases); k++) {
		RIG(r, "partitions=1", "l2.slices=1", "l2.sets=1", "l2.ways=2");
		for (u32 i = 0; i < 3; i++) {
			rig_access(&r, 0, MO_STORE, BASE + i * 128, cases[k].sectors, i);
			rig_drain(&r);
		}
		assert_int_equal(mem_l2_counters(r.m, 0)->writebacks, 1);
		assert_int_equal(mem_dram_counters(r.m, 0)->writes, cases[k].bursts);
		rig_check(&r);
		rig_stop(&r);
	}
}

/* --- ceilings ----------------------------------------------------------------------------------------------------- */
struct stream {
	u32 sms, lines;              /* per SM */
	u64 stride, sm_stride, wrap; /* B */
	enum mem_op op;
};

/* Every SM streams as fast as it is let; returns the cycles from the first access to the last answer. */
static u64 run_stream(struct rig *r, const struct stream *st)
{
	u32 sent[128] = {0}, got = 0, want = st->sms * st->lines;
	struct mem_reply a;
	u64 t0 = r->now;
	while (got < want) {
		for (u32 sm = 0; sm < st->sms; sm++) {
			while (mem_pop(r->m, sm, r->now, &a))
				got++;
			if (sent[sm] == st->lines)
				continue;
			u64 addr = BASE + (sm * st->sm_stride + sent[sm] * st->stride) % st->wrap;
			enum mem_result mr = rig_access(r, sm, st->op, addr, 0xf, sent[sm]);
			sent[sm] += mr == MR_PENDING || mr == MR_SENT || mr == MR_HIT;
			got += mr == MR_HIT;
		}
		rig_step(r);
		assert_true(r->now - t0 < 10000000);
	}
	rig_drain(r);
	return r->now - t0;
}

static void within(double got, double want, double tolerance)
{
	if (got < want * (1 - tolerance) || got > want * 1.0001)
		fail_msg("%.3f is not within %.0f %% below the ceiling %.3f", got, tolerance * 100, want);
}

/* One SM's reply port: 4 flits a line. Data is in L2, spread over all slices. */
static void link_ceiling(void **s)
{
	RIG(r, "num_sms=1", "l1d.cache_global=false", "l1d.mshrs=256", "l1d.miss_queue=32");
	struct stream st = {1, 512, 128, 0, 64 << 10, MO_LOAD};
	run_stream(&r, &st);
	st.lines = 8000;
	u64 t = run_stream(&r, &st);
	within(8000.0 * flits(&r, 4) / (double)t, 1, 0.01);
	st.op = MO_STORE; /* the request port */
	t = run_stream(&r, &st);
	within(8000.0 * flits(&r, 4) / (double)t, 1, 0.01);
	rig_check(&r);
	rig_stop(&r);
}

/* One slice's port: 32 B a cycle, with links wide enough. */
static void port_ceiling(void **s)
{
	RIG(r, "partitions=1", "l2.slices=1", "l1d.cache_global=false", "noc.flit=256", "l1d.mshrs=128");
	struct stream st = {15, 40, 128, 128, 32 << 10, MO_LOAD};
	run_stream(&r, &st);
	st.lines = 1000;
	u64 t = run_stream(&r, &st);
	within(15 * 1000.0 * 128 / (double)t, r.c.l2_port, 0.02);
	rig_check(&r);
	rig_stop(&r);
}

/* One channel's data bus with a stream of rows. */
static void dram_ceiling(void **s)
{
	RIG(r, "partitions=1", "l2.slices=2", "l1d.mshrs=128");
	struct stream st = {15, 1000, 15 * 128, 128, 1 << 30, MO_LOAD};
	u64 t = run_stream(&r, &st), busy = mem_dram_counters(r.m, 0)->busy;
	assert_int_equal(busy, 15 * 1000 * 2 * 2);
	within((double)busy * r.c.core_clock / r.c.dram_clock / (double)t, 1, 0.01);
	rig_check(&r);
	rig_stop(&r);
}

static void frfcfs_beats_fcfs(void **s)
{
	u64 t[2];
	for (u32 i = 0; i < 2; i++) {
		RIG(r, "partitions=1", i ? "dram.sched=fcfs" : "dram.sched=frfcfs");
		struct stream st = {15, 300, 128, (1 << 20) + 4096, 1 << 30, MO_LOAD}; /* a row and mostly a bank each */
		t[i] = run_stream(&r, &st);
		rig_check(&r);
		rig_stop(&r);
	}
	assert_true(t[0] * 2 < t[1]);
}

static void address_map(void **s)
{
	RIG(r);
	u32 per[12] = {0}, slice;
	for (u64 a = BASE; a < BASE + 12 * 256 * 10; a += 128) {
		u32 ch = mem_channel_of(r.m, a, &slice);
		assert_int_equal(ch, (a >> 8) % 6);
		assert_int_equal(slice / 2, ch);
		per[slice]++;
	}
	for (u32 i = 0; i < 12; i++)
		assert_int_equal(per[i], 20);
	rig_stop(&r);
	RIG(q, "partitions=32");
	u32 n[32] = {0};
	for (u64 i = 0; i < 1024; i++)
		n[mem_channel_of(q.m, BASE + i * 8192, NULL)]++;
	for (u32 i = 0; i < 32; i++)
		assert_int_equal(n[i], 32); /* a power-of-two stride does not camp */
	rig_stop(&q);
}

/* The slices of a partition take the lines of a chunk in turn. */
static void slices_share_chunks(void **s)
{
	RIG(r, "partitions=12", "map.slice_lines=true");
	for (u64 line = 0; line < 24 * 10; line++) {
		u32 slice, ch = mem_channel_of(r.m, BASE + line * 128, &slice);
		assert_int_equal(ch, ((BASE >> 8) + line / 2) % 12);
		assert_int_equal(slice, ch * 2 + line % 2);
	}
	rig_stop(&r);
}

/* Rau 1991: of 2^n neighbours that begin at a multiple of 2^n, and of 2^n numbers any power of two apart, each goes to
 * another place. x^6 = x + 1 modulo the polynomial of degree 6, so number 64 goes to place 3, and 2^24 = x^24 = x^4 + 1
 * to place 17. */
static void polynomials(void **s)
{
	for (u32 bits = 1; bits <= IPOLY_MAX; bits++) {
		struct ipoly p = ipoly_make(bits);
		u32 all = 1u << bits;
		for (u32 shift = 0; shift < 50; shift++) {
			u8 seen[1 << IPOLY_MAX] = {0};
			for (u64 i = 0; i < all; i++)
				seen[ipoly_place(&p, i << shift)]++;
			for (u32 i = 0; i < all; i++)
				assert_int_equal(seen[i], 1);
		}
	}
	struct ipoly six = ipoly_make(6);
	assert_int_equal(ipoly_place(&six, 63), 63);
	assert_int_equal(ipoly_place(&six, 64), 3);
	assert_int_equal(ipoly_place(&six, 1 << 24), 17);
}

static void polynomial_slices(void **s)
{
	RIG(r, "partitions=32", "map.hash=ipoly");
	for (u64 step = 256; step < 1 << 20; step *= 2) {
		u32 seen[64] = {0}, slice;
		for (u64 i = 0; i < 64; i++) {
			u32 ch = mem_channel_of(r.m, BASE + i * step, &slice);
			assert_int_equal(ch, slice / 2);
			seen[slice]++;
		}
		for (u32 i = 0; i < 64; i++)
			assert_int_equal(seen[i], 1);
	}
	rig_stop(&r);
	RIG(plain, "partitions=32", "map.hash=none");
	for (u64 i = 0; i < 64; i++)
		assert_int_equal(mem_channel_of(plain.m, BASE + i * 8192, NULL), 0);
	rig_stop(&plain);
}

/* Whatever the map, no two chunks of 256 B share a channel's row, bank and column: the rest of the address beyond
 * channel, bank and row has as many values as a row holds chunks. */
static void maps_lose_nothing(void **s)
{
	static const char *const maps[][3] = {{"partitions=6", "map.slice_lines=false", "map.hash=xor"},
	                                      {"partitions=12", "map.slice_lines=true", "map.hash=none"},
	                                      {"partitions=32", "map.slice_lines=false", "map.hash=ipoly"},
	                                      {"partitions=8", "map.slice_lines=true", "map.hash=ipoly"}};
	for (u32 k = 0; k < ARRAY_LEN(maps); k++) {
		RIG(r, maps[k][0], maps[k][1], maps[k][2]);
		struct mem_map map = map_make(&r.c);
		u32 rows = 4, units = r.c.partitions * 16 * rows, *seen = calloc(units, sizeof *seen);
		for (u64 a = 0; a < (u64)units * r.c.dram_row; a += 128) {
			struct mem_place p = map_place(&map, a);
			u32 bank;
			u64 row;
			map_bank(&map, &p, &bank, &row);
			assert_true(p.channel < r.c.partitions && bank < 16 && row < rows && p.slice / 2 == p.channel);
			assert_int_equal(bank % 2, p.slice % 2); /* each slice has its banks */
			seen[(p.channel * 16 + bank) * rows + row]++;
		}
		for (u32 i = 0; i < units; i++)
			assert_int_equal(seen[i], r.c.dram_row / 128);
		free(seen);
		rig_stop(&r);
	}
}

/* Lines that lie sets x line apart: one set of a linear cache, all sets of the other. */
static void l2_hashes_sets(void **s)
{
	for (u32 hash = 0; hash < 2; hash++) {
		RIG(r, "partitions=1", "l2.slices=1", "l2.sets=64", "l2.ways=1", hash ? "l2.hash=ipoly" : "l2.hash=linear");
		for (u64 i = 0; i < 64; i++)
			rig_latency(&r, MO_LOAD, BASE + i * 64 * 128, 1);
		assert_int_equal(mem_l2_counters(r.m, 0)->evictions, hash ? 0 : 63);
		rig_check(&r);
		rig_stop(&r);
	}
}

static void bad_configs(void **s)
{
	struct conf c;
	struct err e = {0};
	size_t n;
	conf_defaults(&c);
	c.l1t_line = 256;
	assert_false(mem_state_bytes(&c, &n, &e));
	assert_non_null(strstr(e.msg, "l1t.line"));
	conf_defaults(&c);
	err_clear(&e);
	c.partitions = 64;
	c.core_clock = 1; /* a pipeline of 20 million stages */
	c.l2_clock = 10000;
	c.l2_latency = 2000;
	assert_false(mem_state_bytes(&c, &n, &e));
	assert_non_null(strstr(e.msg, "l2.latency"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(hit_and_miss),
	    cmocka_unit_test(a_register_a_sector),
	    cmocka_unit_test(l2_hit_latency),
	    cmocka_unit_test(row_hit_and_miss),
	    cmocka_unit_test(activates_apart),
	    cmocka_unit_test(write_to_read),
	    cmocka_unit_test(write_recovery),
	    cmocka_unit_test(other_clocks),
	    cmocka_unit_test(sectored),
	    cmocka_unit_test(refusals),
	    cmocka_unit_test(store_limit),
	    cmocka_unit_test(merges_answer_in_order),
	    cmocka_unit_test(local_write_back),
	    cmocka_unit_test(cache_off),
	    cmocka_unit_test(lazy_fetch),
	    cmocka_unit_test(least_recently_used),
	    cmocka_unit_test(stores_are_uses),
	    cmocka_unit_test(waits_are_core_cycles),
	    cmocka_unit_test(mshrs_are_counted_midway),
	    cmocka_unit_test(lazy_fetch_of_a_sector),
	    cmocka_unit_test(atomics_keep_the_slice_busy),
	    cmocka_unit_test(l2_writes_back),
	    cmocka_unit_test(link_ceiling),
	    cmocka_unit_test(port_ceiling),
	    cmocka_unit_test(dram_ceiling),
	    cmocka_unit_test(frfcfs_beats_fcfs),
	    cmocka_unit_test(address_map),
	    cmocka_unit_test(slices_share_chunks),
	    cmocka_unit_test(polynomials),
	    cmocka_unit_test(polynomial_slices),
	    cmocka_unit_test(maps_lose_nothing),
	    cmocka_unit_test(l2_hashes_sets),
	    cmocka_unit_test(bad_configs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
