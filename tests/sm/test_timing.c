/* Timing of the whole machine against closed forms made of configuration values. */
#include "tests/rig/loop_rig.h"

/* --- arithmetic --------------------------------------------------------------------------------------------------- */

static void test_dependent_chains(void **state)
{
	struct conf c;
	conf_defaults(&c);
	c.lat_logic = 2; /* not that of int_add */
	const struct {
		const char *body;
		u32 lat;
	} chain[] = {
	    {"xor.b32 %r1, %r1, %r2;", c.lat_logic},      {"cvt.rn.f32.s32 %f1, %f1;", c.lat_logic},
	    {"add.u32 %r1, %r1, %r2;", c.lat_int_add},    {"max.s32 %r1, %r1, %r2;", c.lat_int_max},
	    {"mul.lo.u32 %r1, %r1, %r2;", c.lat_int_mul}, {"mad.lo.u32 %r1, %r1, %r2, %r3;", c.lat_int_mad},
	    {"div.u32 %r1, %r1, %r2;", c.lat_int_div},    {"shfl.sync.bfly.b32 %r1, %r1, 1, 31, -1;", c.lat_shfl},
	    {"add.f32 %f1, %f1, %f2;", c.lat_f32_add},    {"min.f32 %f1, %f1, %f2;", c.lat_f32_max},
	    {"mul.f32 %f1, %f1, %f2;", c.lat_f32_mul},    {"fma.rn.f32 %f1, %f1, %f2, %f3;", c.lat_f32_mad},
	    {"div.rn.f32 %f1, %f1, %f2;", c.lat_f32_div}, {"ex2.approx.ftz.f32 %f1, %f1;", c.lat_sfu},
	    {"add.f64 %d1, %d1, %d2;", c.lat_f64_add},    {"max.f64 %d1, %d1, %d2;", c.lat_f64_max},
	    {"mul.f64 %d1, %d1, %d2;", c.lat_f64_mul},    {"fma.rn.f64 %d1, %d1, %d2, %d3;", c.lat_f64_mad},
	    {"div.rn.f64 %d1, %d1, %d2;", c.lat_f64_div},
	};
	for (u32 i = 0; i < ARRAY_LEN(chain); i++) {
		double got = per_copy((const char *[]){PTX_COST, "lat.logic=2", NULL}, "", chain[i].body, 1, 32);
		check_near(got, chain[i].lat + c.sm_read_latency, 0.002, chain[i].body); /* one fetch may straddle a line */
	}
}

/* Integer multiplies in the SFU pipe: its one port instead of those of the two SP units; additions stay where they
 * were. */
static void test_int_mul_unit(void **state)
{
	struct conf c;
	conf_defaults(&c);
	static const char *const sfu[] = {PTX_COST, LRR, "sm.int_mul_unit=sfu", NULL};
	double mul = per_copy(sfu, "", "mul.lo.u32 %r4, %r1, %r2;", 1, 1024) / 32;
	check_near(mul, c.ii_int_mul, 0.03, "cycles per integer multiply");
	double mad = per_copy(sfu, "", "mad.lo.u32 %r4, %r1, %r2, %r3;", 1, 1024) / 32;
	check_near(mad, c.ii_int_mad, 0.03, "cycles per integer multiply-add");
	double add = per_copy(sfu, "", "add.u32 %r4, %r1, %r2;", 1, 1024) / 32;
	check_near(add, 0.5, 0.03, "cycles per integer addition of two schedulers");
}

static void test_sass_cost(void **state)
{
	/* div.s32 takes 25 slots of machine code (the weights of the issue cost table); the last one is the instruction
	 * itself. */
	struct conf c;
	conf_defaults(&c);
	double one = per_copy((const char *[]){"isa.issue_cost=sass", NULL}, "", "div.s32 %r1, %r1, %r2;", 1, 32);
	static const char *const late[] = {PTX_COST, "sm.write_latency=2", NULL};
	check_near(per_copy(late, "", "fma.rn.f32 %f1, %f1, %f2, %f3;", 1, 32), c.lat_f32_mad + c.sm_read_latency + 2,
	           0.002, "a chain of fma with two write-back stages");
	check_near(one, c.lat_int_div + c.sm_read_latency + 24, 0, "div.s32 with its 24 leading slots");
}

static void test_initiation_interval(void **state)
{
	struct conf c;
	conf_defaults(&c);
	/* 32 warps of independent instructions of one kind: the unit's issue port is the limit. */
	double sfu = per_copy((const char *[]){PTX_COST, LRR, NULL}, "", "ex2.approx.ftz.f32 %f4, %f1;", 1, 1024) / 32;
	check_near(sfu, c.ii_sfu, 0.03, "cycles per SFU instruction");
	double dp = per_copy((const char *[]){PTX_COST, LRR, NULL}, "", "add.f64 %d4, %d1, %d2;", 1, 1024) / 32;
	check_near(dp, c.ii_f64_add, 0.03, "cycles per f64 add");
	double mul = per_copy((const char *[]){PTX_COST, LRR, NULL}, "", "mul.lo.u32 %r4, %r1, %r2;", 1, 1024) / 32;
	check_near(mul, (double)c.ii_int_mul / c.sm_sp_units, 0.03, "cycles per integer multiply on two SP units");
}

/* 24 warps of chains that fill the SFU twice over: with collector units it is never idle, in order of arrival; without
 * them the youngest are passed over until the others have come to the end, and then run alone. */
static void test_collectors(void **state)
{
	struct conf c;
	conf_defaults(&c);
	static const char *const waiting[] = {PTX_COST, "warp-sched=gto", "sm.collectors=8", NULL};
	const char *body = "div.u32 %r1, %r1, %r2;";
	double full = per_copy(waiting, "", body, 1, 24 * 32);
	check_near(full, 24 * c.ii_int_div, 0.01, "cycles per division of 24 warps, eight of which may wait");
	double passed = per_copy((const char *[]){PTX_COST, "warp-sched=gto", NULL}, "", body, 1, 24 * 32);
	assert_true(passed > 1.3 * full);
	check_near(per_copy(waiting, "", body, 1, 32), c.lat_int_div + c.sm_read_latency, 0.002, "a lone warp's division");
	static const char *const fair[] = {PTX_COST, LRR, "sm.collectors=8", NULL};
	check_near(per_copy(fair, "", "ex2.approx.ftz.f32 %f4, %f1;", 1, 1024) / 32, c.ii_sfu, 0.03,
	           "cycles per independent SFU instruction");
	struct err e = {0};
	c.sm_collectors = 16;
	assert_false(conf_check(&c, &e));
	assert_string_equal(e.msg, "sm.collectors: 16 instructions of 130 cycles (ii.f64_div), the last of which takes 330 "
	                           "(lat.f64_div), are more than 1980");
}

/* Results share buses: two schedulers that issue an add each get one result a cycle, or two. Results of several
 * latencies end in one cycle then: what comes later waits in front of its unit. */
static void test_result_buses(void **state)
{
	const char *body = "add.u32 %r4, %r1, %r2; add.u32 %r5, %r1, %r2;";
	const char *one[] = {PTX_COST, LRR, "sm.collectors=8", "sm.result_buses=1", NULL};
	const char *two[] = {PTX_COST, LRR, "sm.collectors=8", "sm.result_buses=2", NULL};
	check_near(per_copy(one, "", body, 1, 1024) / 64, 1, 0.03, "cycles per instruction with one result bus");
	check_near(per_copy(two, "", body, 1, 1024) / 64, 0.5, 0.03, "cycles per instruction with two");
	/* A lone warp: the add (latency 4) and, a cycle later, the xor (latency 3) would end together. */
	const char *pair = "add.u32 %r4, %r1, %r2; xor.b32 %r1, %r1, %r2;";
	const char *apart[] = {PTX_COST, LRR, "sm.collectors=8", "sm.result_buses=2", "lat.int_add=4", "lat.logic=3", NULL};
	const char *clash[] = {PTX_COST, LRR, "sm.collectors=8", "sm.result_buses=1", "lat.int_add=4", "lat.logic=3", NULL};
	check_near(per_copy(clash, "", pair, 1, 32), per_copy(apart, "", pair, 1, 32) + 1, 0.001, "an add before a xor");
	/* without collector units nothing could wait there: as without buses */
	check_near(per_copy((const char *[]){PTX_COST, LRR, "sm.result_buses=1", NULL}, "", body, 1, 1024) / 64, 0.5, 0.03,
	           "cycles per instruction without collector units");
}

/* sm.unit_results: a unit of its own hands on one result a cycle. The xor (latency 3), a cycle behind the add (4),
 * waits one; on another unit it does not. */
static void test_unit_results(void **state)
{
#define RESULTS(...)                                                                                                   \
	((const char *[]){PTX_COST, LRR, "sm.collectors=8", "lat.int_add=4", "lat.logic=3", __VA_ARGS__, NULL})
	const char *pair = "add.u32 %r4, %r1, %r2; xor.b32 %r1, %r1, %r2;", *one = "sm.unit_results=one";
	double any = per_copy(RESULTS("sm.sp_units=1"), "", pair, 1, 32);
	check_near(per_copy(RESULTS("sm.sp_units=1", one), "", pair, 1, 32), any + 1, 0.001, "an add before a xor");
	check_near(per_copy(RESULTS("sm.sp_units=2", one), "", pair, 1, 32), any, 0.001, "each in its unit");
	check_near(per_copy(RESULTS("sm.sp_units=1", one, "lat.logic=4"), "", pair, 1, 32), any + 1, 0.001,
	           "as latencies go");
}

/* Collector units that a scheduler's instructions share: of 16 warps, and of as many of another scheduler. */
#define SHARED                                                                                                         \
	PTX_COST, LRR, "sm.collectors=8", "sm.collector_sets=scheduler", "sm.sp_units=2", "sm.sfu_units=2", "sm.dp_units=2"
static double per_scheduler(const char *body, const char *banks, const char *reads)
{
	const char *sets[] = {SHARED, "ii.int_mad=1", "ii.logic=1", banks, reads, NULL};
	return per_copy(sets, "", body, 1, 1024) / 16;
}

/* With one bank, operands are read one after the other, sm.reg_reads of them in a cycle; a register once. Banks of
 * their own are read together: two have the first and the third of three, or the second alone. */
static void test_operand_reads(void **state)
{
	const char *three = "mad.lo.u32 %r4, %r1, %r2, %r3;", *once = "mad.lo.u32 %r4, %r1, %r1, %r1;";
	const char *shared = "sm.reg_banks=2", *apart = "sm.reg_banks=16";
	check_near(per_scheduler(three, shared, "sm.reg_reads=1"), 3, 0.03, "three operands of one bank");
	check_near(per_scheduler(three, shared, "sm.reg_reads=2"), 1.5, 0.04, "the same, two a cycle");
	check_near(per_scheduler(three, shared, "sm.reg_reads=4"), 1, 0.03, "the same, four a cycle");
	check_near(per_scheduler(once, shared, "sm.reg_reads=1"), 1, 0.08, "one register three times");
	check_near(per_scheduler(three, apart, "sm.reg_reads=1"), 1, 0.03, "three operands of three banks");
	check_near(per_scheduler("mov.u32 %r4, 7;", shared, "sm.reg_reads=1"), 1, 0.03, "no operand");
	struct conf c;
	struct err e = {0};
	conf_defaults(&c);
	c.sm_collectors = 8;
	c.sm_collector_sets = COLLECTORS_SCHEDULER;
	c.sm_sfu_units = c.sm_dp_units = c.sm_schedulers;
	assert_true(conf_check(&c, &e));
	c.sm_reg_banks = 5;
	assert_false(conf_check(&c, &e));
	assert_string_equal(e.msg,
	                    "sm.collector_sets scheduler: 5 register banks are not the same for each of 2 schedulers, "
	                    "or more than 16 for each");
}

/* Parameters in the constant cache: a kernel begins with a miss there, later loads hit. */
static void test_params_cached(void **state)
{
	struct conf c;
	conf_defaults(&c);
	const char *off[] = {PTX_COST, NULL}, *on[] = {PTX_COST, "l1c.params=true", NULL};
	const char *perfect[] = {PTX_COST, "l1c.params=true", "l1c.perfect=true", NULL};
	const char *body = "ld.param.u64 %a3, [p1]; cvt.u32.u64 %r2, %a3; xor.b32 %r1, %r1, %r2;";
	u64 all = loop_cycles(off, "", "", 1, 1, 1, 32, NULL), missed = loop_cycles(on, "", "", 1, 1, 1, 32, NULL);
	assert_int_equal(loop_cycles(perfect, "", "", 1, 1, 1, 32, NULL), all);
	assert_true(missed > all + c.l2_latency && missed < all + c.l2_latency + 400);
	check_near(per_copy(on, "", body, 1, 32), per_copy(off, "", body, 1, 32), 0.001, "a parameter that is there");
}

static void test_issue_width(void **state)
{
	const char *body = "add.u32 %r4, %r1, %r2; add.u32 %r5, %r1, %r2;";
	double two = per_copy((const char *[]){PTX_COST, LRR, NULL}, "", body, 1, 1024) / 64;
	check_near(two, 0.5, 0.03, "cycles per instruction with two schedulers");
	double one = per_copy((const char *[]){PTX_COST, LRR, "sm.schedulers=1", NULL}, "", body, 1, 1024) / 64;
	check_near(one, 1, 0.03, "cycles per instruction with one scheduler");
	double half = per_copy((const char *[]){PTX_COST, LRR, "sm.issue_period=2", NULL}, "", body, 1, 1024) / 64;
	check_near(half, 1, 0.03, "cycles per instruction with two schedulers that issue every second cycle");
}

static void test_dual_issue(void **state)
{
	const char *body = "add.u32 %r4, %r1, %r2; ex2.approx.ftz.f32 %f4, %f1;";
	const char *single[] = {PTX_COST, LRR, "sm.schedulers=1", "ii.sfu=1", "sm.ibuffer=4", "sm.fetch_width=4", NULL};
	const char *dual[] = {PTX_COST,           LRR, "sm.schedulers=1", "ii.sfu=1", "sm.ibuffer=4", "sm.fetch_width=4",
	                      "sm.issue_width=2", NULL};
	check_near(per_copy(single, "", body, 1, 1024) / 32, 2, 0.03, "cycles per pair, single issue");
	check_near(per_copy(dual, "", body, 1, 1024) / 32, 1, 0.03, "cycles per pair, dual issue");
}

static void test_register_banks(void **state)
{
	struct conf c;
	conf_defaults(&c);
	/* One bank: three different sources are read one a cycle. */
	const char *sets[] = {PTX_COST, "sm.reg_bank_conflicts=true", "sm.reg_banks=1", NULL};
	check_near(per_copy(sets, "", "mad.lo.u32 %r1, %r1, %r2, %r3;", 1, 32), c.lat_int_mad + c.sm_read_latency + 2,
	           0.001, "mad from one bank");
}

/* --- shared memory, barriers -------------------------------------------------------------------------------------- */

static void test_bank_conflicts(void **state)
{
	struct conf c;
	conf_defaults(&c);
	for (u32 degree = 1; degree <= 32; degree *= 2) {
		char setup[200];
		/* lane i reads word i * degree; the word read is 0, so the address stays. 32 * degree words <= 16 KiB. */
		snprintf(
		    setup, sizeof setup,
		    "mul.lo.u32 %%r21, %%r20, %u; mov.u32 %%r22, sh; add.u32 %%r22, %%r22, %%r21; st.shared.u32 [%%r22], 0;",
		    degree * 4);
		double got = per_copy((const char *[]){PTX_COST, NULL}, setup,
		                      "ld.shared.u32 %r23, [%r22]; add.u32 %r22, %r22, %r23;", 1, 32);
		double want = c.shared_latency + c.sm_read_latency + degree + c.lat_int_add + c.sm_read_latency;
		check_near(got, want, 0.001, "shared load and dependent add"); /* the pair may straddle a fetch */
	}
}

static void test_barrier(void **state)
{
	/* One warp alone: the barrier opens at once; the next instruction waits for nothing but its fetch. */
	double alone = per_copy((const char *[]){PTX_COST, NULL}, "", "bar.sync 0;", 1, 32);
	assert_true(alone >= 1 && alone <= 3);
	/* 32 warps: each has to issue its arrival, two a cycle at best. */
	double many = per_copy((const char *[]){PTX_COST, NULL}, "", "bar.sync 0;", 1, 1024);
	assert_true(many >= 16 && many <= 16 + 8);
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

static void test_l1_hit(void **state)
{
	struct conf c;
	conf_defaults(&c);
	/* The word read is 0: every load hits the same line and the next depends on it. */
	double got = per_copy((const char *[]){PTX_COST, NULL}, "mov.u64 %a3, %a1;",
	                      "ld.global.u64 %a4, [%a3]; add.u64 %a3, %a3, %a4;", 1, 32);
	check_near(got, 1 + c.l1d_latency + c.sm_read_latency + c.lat_int_add + c.sm_read_latency, 0.001,
	           "L1D hit and dependent add");
	/* Of write-back stages only the add has any. */
	got = per_copy((const char *[]){PTX_COST, "sm.write_latency=3", NULL}, "mov.u64 %a3, %a1;",
	               "ld.global.u64 %a4, [%a3]; add.u64 %a3, %a3, %a4;", 1, 32);
	check_near(got, 1 + c.l1d_latency + c.sm_read_latency + c.lat_int_add + c.sm_read_latency + 3, 0.001,
	           "L1D hit and dependent add with write-back stages");
}

static void test_coalescing(void **state)
{
	for (u32 stride = 4; stride <= 128; stride *= 2) {
		struct sim *s = machine((const char *[]){PTX_COST, NULL});
		struct err e = {0};
		u64 buf = devmem_alloc(sim_devmem(s), 1 << 20, "buf", &e);
		run_ptx(s,
		        PTX_HEAD
		        ".visible .entry k(.param .u64 p0, .param .u64 p1)\n{\n.reg .b64 %a<8>; .reg .b32 %r<4>;\n"
		        "ld.param.u64 %a1, [p0]; ld.param.u64 %a2, [p1]; mov.u32 %r1, %tid.x; cvt.u64.u32 %a3, %r1;\n"
		        "mad.lo.u64 %a4, %a3, %a2, %a1; ld.global.u32 %r2, [%a4]; st.global.u32 [%a1+524288], %r2; ret;\n}\n",
		        1, 32, (u64[]){buf, stride}, 2);
		const struct sm_counters *k = (const struct sm_counters *)gpu_counters(sim_gpu(s), CG_sm, 0);
		assert_int_equal(k->transactions,
		                 stride / 4 + 1); /* 32 lanes x stride bytes / 128 B lines, and the store's one */
		sim_destroy(s);
	}
}

static double stream_bandwidth(const char *const *sets, u64 bytes, u32 passes, struct dram_counters *dram, u64 *cycles)
{
	struct sim *s = machine(sets);
	struct err e = {0};
	u64 buf = devmem_alloc(sim_devmem(s), bytes, "buf", &e);
	/* Grid-stride loop of 4-byte loads, all SMs, `passes` times over the buffer. */
	struct run r = run_ptx(
	    s,
	    PTX_HEAD
	    ".visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2)\n{\n"
	    ".reg .pred %p<4>; .reg .b64 %a<12>; .reg .b32 %r<16>;\n"
	    "ld.param.u64 %a1, [p0]; ld.param.u64 %a2, [p1]; ld.param.u64 %a8, [p2]; mov.u32 %r1, %tid.x; "
	    "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %nctaid.x;\n"
	    "mad.lo.u32 %r5, %r2, %r3, %r1; mul.wide.u32 %a3, %r5, 4; mul.lo.u32 %r6, %r3, %r4; mul.wide.u32 %a4, %r6, 4;\n"
	    "mov.u64 %a7, 0;\nP: mov.u64 %a5, %a3;\nL: add.u64 %a6, %a1, %a5; ld.global.u32 %r10, [%a6];\n"
	    " add.u64 %a5, %a5, %a4; setp.lt.u64 %p1, %a5, %a2; @%p1 bra L;\n"
	    "add.u64 %a7, %a7, 1; setp.lt.u64 %p2, %a7, %a8; @%p2 bra P; ret;\n}\n",
	    90, 256, (u64[]){buf, bytes, passes}, 3);
	assert_int_equal(r.why, STOP_IDLE);
	if (dram) {
		memset(dram, 0, sizeof *dram);
		for (u32 i = 0; i < gpu_num_channels(sim_gpu(s)); i++) {
			const struct dram_counters *d = (const struct dram_counters *)gpu_counters(sim_gpu(s), CG_dram, i);
			dram->bytes += d->bytes;
			dram->row_hits += d->row_hits;
			dram->row_misses += d->row_misses;
		}
	}
	*cycles = r.cycles;
	sim_destroy(s);
	return (double)bytes * passes / (double)r.cycles; /* B per core cycle */
}

static void test_dram_bandwidth(void **state)
{
	struct conf c;
	conf_defaults(&c);
	struct dram_counters d;
	u64 cycles;
	/* Ports that block lose bandwidth of their own; see test_l2_bandwidth. */
	double got = stream_bandwidth((const char *[]){"noc.head_of_line=false", NULL}, 8 << 20, 1, &d, &cycles);
	double peak = c.partitions * c.dram_bus * c.dram_ratio * c.dram_clock / c.core_clock;
	print_message("DRAM: %.1f of %.1f B per core cycle (%.1f %%), row hits %.1f %%\n", got, peak, 100 * got / peak,
	              100.0 * (double)d.row_hits / (double)(d.row_hits + d.row_misses));
	assert_true(got <= peak * 1.0001 &&
	            got >= 0.82 * peak); /* through SMs, crossbar and L2, activates included; the channel alone: test_mem */
}

/* From L2, warm passes only. */
static double warm_bandwidth(const char *const *sets)
{
	u64 one, many;
	stream_bandwidth(sets, 384 << 10, 4, NULL, &one);
	stream_bandwidth(sets, 384 << 10, 24, NULL, &many);
	return (384 << 10) * 20.0 / (double)(many - one);
}

static void test_l2_bandwidth(void **state)
{
	struct conf c;
	conf_defaults(&c);
	const char *sets[] = {"l1d.cache_global=false", "noc.head_of_line=false", NULL},
	           *blocking[] = {"l1d.cache_global=false", NULL};
	double got = warm_bandwidth(sets);
	u32 slices = c.partitions * c.l2_slices, flits = (8 + 128 + c.noc_flit - 1) / c.noc_flit;
	double port = slices * c.l2_port * c.l2_clock / c.core_clock;
	double in = c.num_sms * 128.0 / flits * c.icnt_clock / c.core_clock,
	       out = slices * 128.0 / flits * c.icnt_clock / c.core_clock;
	double peak = MIN(port, MIN(in, out));
	print_message("L2: %.1f of %.1f B per core cycle (%.1f %%)\n", got, peak, 100 * got / peak);
	assert_true(got <= peak * 1.0001 && got >= 0.88 * peak); /* through SMs and crossbar; the slice alone: test_mem */
	/* Ports that keep their first packet: between the 58.6 % of a large switch under random traffic (Karol, Hluchyj and
	 * Morgan 1987) and what it would be without. */
	double held = warm_bandwidth(blocking);
	print_message("L2 with head-of-line blocking: %.1f B per core cycle (%.1f %%)\n", held, 100 * held / peak);
	assert_true(held >= 0.586 * peak && held <= 0.85 * peak);
}

static void test_volatile(void **state)
{
	/* A volatile load looks below the L1 each time: the dependent chain costs more than any L1 hit would. */
	struct conf c;
	conf_defaults(&c);
	double got = per_copy((const char *[]){PTX_COST, NULL}, "mov.u64 %a3, %a1;",
	                      "ld.volatile.global.u64 %a4, [%a3]; add.u64 %a3, %a3, %a4;", 1, 32);
	assert_true(got > c.l2_latency + 2 * c.noc_latency);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_dependent_chains),
	    cmocka_unit_test(test_sass_cost),
	    cmocka_unit_test(test_initiation_interval),
	    cmocka_unit_test(test_collectors),
	    cmocka_unit_test(test_result_buses),
	    cmocka_unit_test(test_unit_results),
	    cmocka_unit_test(test_operand_reads),
	    cmocka_unit_test(test_params_cached),
	    cmocka_unit_test(test_int_mul_unit),
	    cmocka_unit_test(test_issue_width),
	    cmocka_unit_test(test_dual_issue),
	    cmocka_unit_test(test_register_banks),
	    cmocka_unit_test(test_bank_conflicts),
	    cmocka_unit_test(test_barrier),
	    cmocka_unit_test(test_l1_hit),
	    cmocka_unit_test(test_volatile),
	    cmocka_unit_test(test_coalescing),
	    cmocka_unit_test(test_dram_bandwidth),
	    cmocka_unit_test(test_l2_bandwidth),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
