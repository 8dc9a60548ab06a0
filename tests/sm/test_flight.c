/* What an SM has in flight, cycle by cycle: kernels whose split into ALU, memory, both and neither is known, and the
 * laws in the middle of runs. */
#include "tests/rig/sm_rig.h"

#define HEAD PTX_HEAD ".global .align 128 .b8 buf[16384];\n"
#define REGS ".reg .pred %p<2>; .reg .b32 %r<16>; .reg .f32 %f<8>; .reg .b64 %a<4>;\n"

/* Latency of an add or move on these machines, operand read included. */
#define ADD 7u
#define ADDR "mov.u64 %a1, buf; "
#define ADD1 "add.u32 %r1, %r1, 1; "
#define ADD4 ADD1 ADD1 ADD1 ADD1
#define ADD12 ADD4 ADD4 ADD4

static const char *const ptx_cost[] = {"num_sms=1", "isa.issue_cost=ptx", "lat.int_add=4", "sm.read_latency=3", NULL};

struct split {
	u64 alu, mem, both, none, cycles;
	u64 load_at, use_at; /* cycles of the first ld and the first cvt */
};

static struct split counted(struct sim *s)
{
	return (struct split){.alu = rig_counter(s, CG_sm, "flight_alu"),
	                      .mem = rig_counter(s, CG_sm, "flight_mem"),
	                      .both = rig_counter(s, CG_sm, "flight_both"),
	                      .none = rig_counter(s, CG_sm, "flight_none"),
	                      .cycles = rig_counter(s, CG_sm, "cycles")};
}

/* Runs one CTA of a kernel without parameters. */
static struct split run_body(const char *const *sets, const char *body, u32 block)
{
	char text[4096];
	struct rig_log log = {0};
	struct sim *s = machine(sets);
	snprintf(text, sizeof text, "%s.visible .entry k()\n{\n%s%s ret;\n}\n", HEAD, REGS, body);
	struct module *m = rig_load(s, text);
	sim_subscribe(s, EVENT(EV_ISSUE), rig_record, &log);
	rig_launch(s, m, "k", 1, block, 0, NULL, 0);
	rig_finish(s);
	struct split out = counted(s);
	assert_int_equal(out.alu + out.mem + out.both + out.none, out.cycles);
	for (u32 i = log.n; i-- > 0;) {
		enum opcode op = m->code[log.e[i].pc].op;
		out.load_at = op == OP_LD ? log.e[i].cycle : out.load_at;
		out.use_at = op == OP_CVT ? log.e[i].cycle : out.use_at;
	}
	free(log.e);
	sim_destroy(s);
	return out;
}

/* A chain: each instruction is in flight for its latency, and never two at a time; what fetch takes is idle. */
static void test_alu_alone(void **state)
{
	struct split one = run_body(ptx_cost, "mov.u32 %r1, 1; " ADD12 ADD12, 32);
	assert_int_equal(one.alu, 25 * ADD);
	assert_int_equal(one.mem + one.both, 0);
	assert_true(one.none > 0);
	/* two warps of different schedulers overlap: fewer cycles than instructions times latency, no fewer than one's */
	struct split two = run_body(ptx_cost, "mov.u32 %r1, 1; " ADD12 ADD12, 64);
	assert_in_range(two.alu, 25 * ADD, 2 * 25 * ADD - 1);
	assert_int_equal(two.mem + two.both, 0);
}

/* A load and nothing else until its first use. */
static void test_load_then_wait(void **state)
{
	struct split r = run_body(ptx_cost, ADDR "ld.global.u32 %r2, [%a1]; cvt.u64.u32 %a2, %r2; ", 32);
	assert_true(r.use_at > r.load_at + 100);
	assert_int_equal(r.mem, r.use_at - r.load_at);
	assert_int_equal(r.alu, 2 * ADD); /* mov, cvt */
	assert_int_equal(r.both, 0);
}

/* Independent arithmetic under a load: what would be the ALU's alone is both. */
static void test_overlap(void **state)
{
	struct split r =
	    run_body(ptx_cost, "mov.u32 %r1, 1; " ADDR "ld.global.u32 %r2, [%a1]; " ADD12 "cvt.u64.u32 %a2, %r2; ", 32);
	assert_true(r.use_at > r.load_at + 12 * ADD);
	assert_int_equal(r.both, 12 * ADD);
	assert_int_equal(r.mem, r.use_at - r.load_at - 12 * ADD);
	assert_int_equal(r.alu, ADD + 1 + ADD); /* the moves, one cycle apart, and cvt */
}

/* A store is in flight until the LSU has sent it: 32 lines, a line a cycle, the first when its operands are read and it
 * has passed the pipeline in front of L1D's tags. */
static void test_store(void **state)
{
	static const char body[] = "mov.u32 %r3, %tid.x; mov.u64 %a1, buf; mad.wide.u32 %a2, %r3, 128, %a1; "
	                           "st.global.u32 [%a2], %r3; ";
	struct conf c;
	conf_defaults(&c);
	struct split r = run_body(ptx_cost, body, 32);
	assert_int_equal(r.mem, 3 + c.l1d_latency + 32);
	assert_int_equal(r.both, 0);
	assert_true(r.none > 100); /* until the acknowledgements are back */
}

/* A load that hits in shared memory: LSU, latency and operand read. */
static void test_shared(void **state)
{
	static const char *const sets[] = {"num_sms=1", "isa.issue_cost=ptx", "shared.latency=26", "sm.read_latency=3",
	                                   NULL};
	struct split r = run_body(sets,
	                          ".shared .align 4 .b8 sh[128]; mov.u32 %r1, sh; ld.shared.u32 %r2, [%r1]; "
	                          "cvt.u64.u32 %a2, %r2; ",
	                          32);
	assert_int_equal(r.mem, r.use_at - r.load_at);
	assert_int_equal(r.mem, 1 + 26 + 3);
	assert_int_equal(r.both, 0);
}

/* An instruction of several issue slots is in flight from its first one on. */
static void test_leading_slots(void **state)
{
	static const char body[] = "mov.f32 %f1, 0f3F800000; div.rn.f32 %f2, %f1, %f1; ";
	static const char *const sass[] = {"num_sms=1", "isa.issue_cost=sass", NULL};
	struct conf c;
	struct err e = {0};
	conf_defaults(&c);
	c.schedule = SCHEDULE_NONE;
	struct sim *s = machine(sass);
	char text[512];
	snprintf(text, sizeof text, "%s.visible .entry k()\n{\n%s%s ret;\n}\n", HEAD, REGS, body);
	struct module *m = rig_load(s, text);
	assert_true(conf_set_pair(&c, sass[1], &e));
	struct code_tables t = code_tables_make(&c, m);
	u64 div = 0, slots = 0, mov = 0;
	for (u32 pc = 0; pc < m->ncode; pc++)
		if (m->code[pc].op == OP_DIV) {
			slots = t.info[pc].cost;
			div = slots - 1 + t.info[pc].lat;
		} else if (m->code[pc].op == OP_MOV) {
			mov = t.info[pc].cost ? t.info[pc].lat : 0;
		}
	code_tables_free(&t);
	sim_destroy(s);
	assert_true(slots > 4);
	struct split r = run_body(sass, body, 32);
	assert_int_equal(r.alu, mov + div);
	assert_int_equal(r.mem + r.both, 0);
}

/* --- in the middle of runs ---------------------------------------------------------------------------------------- */

/* Every kind of instruction, several CTAs, stopped every few cycles: the laws hold at each stop (sim_check() counts
 * what is in flight anew), the queries say what the counters do, and the stops change nothing. */
static const char mixed[] =
    ".visible .entry k()\n{\n" REGS ".shared .align 4 .b8 sh[512];\n"
    "mov.u32 %r3, %tid.x; mov.u32 %r9, %ctaid.x; mov.u32 %r10, 0; mov.u64 %a1, buf; mad.wide.u32 %a2, %r3, 68, %a1;\n"
    "shl.b32 %r4, %r3, 2; mov.u32 %r5, sh; add.u32 %r5, %r5, %r4; cvt.rn.f32.u32 %f1, %r3; "
    "add.f32 %f1, %f1, 0f3F800000;\n"
    "L: ld.global.u32 %r6, [%a2]; sin.approx.f32 %f2, %f1; div.rn.f32 %f3, %f2, %f1; st.shared.u32 [%r5], %r6;\n"
    "bar.sync 0; ld.shared.u32 %r7, [%r5]; atom.global.add.u32 %r8, [%a1+16000], 1; "
    "red.global.add.u32 [%a1+16004], %r7;\n"
    "setp.gt.u32 %p1, %r3, 40; @%p1 st.global.u32 [%a2], %r7; membar.gl; add.u32 %r10, %r10, 1;\n"
    "setp.lt.u32 %p1, %r10, 3; @%p1 bra L;\nret;\n}\n";

static struct split run_mixed(const char *const *sets, u64 slice, u64 *hash)
{
	struct sim *s = machine(sets);
	struct err e = {0};
	struct stop st;
	char text[4096];
	snprintf(text, sizeof text, "%s%s", HEAD, mixed);
	struct module *m = rig_load(s, text);
	rig_launch(s, m, "k", 9, 96, 0, NULL, 0);
	do {
		struct warp_place place[WARP_SLOTS];
		sim_run(s, slice == NEVER ? NEVER : sim_cycle(s) + slice, &st);
		for (u32 sm = 0; sm < gpu_conf(sim_gpu(s))->num_sms; sm++) {
			struct sm_load l;
			gpu_sm_load(sim_gpu(s), sm, &l, place);
			const struct sm_counters *k = (const struct sm_counters *)gpu_counters(sim_gpu(s), CG_sm, sm);
			assert_int_equal(l.cycles[FLIGHT_ALU], k->flight_alu);
			assert_int_equal(l.cycles[FLIGHT_MEM], k->flight_mem);
			assert_int_equal(l.cycles[FLIGHT_BOTH], k->flight_both);
			assert_int_equal(l.cycles[FLIGHT_NONE], k->flight_none);
		}
		if (!sim_check(s, &e))
			fail_msg("cycle %llu: %s", (unsigned long long)sim_cycle(s), e.msg);
	} while (st.why == STOP_CYCLE);
	assert_int_equal(st.why, STOP_IDLE);
	sim_drain(s);
	struct split out = counted(s);
	*hash = sim_hash(s);
	sim_destroy(s);
	return out;
}

static void test_laws_midway(void **state)
{
	static const char *const machines[][5] = {
	    {"num_sms=2", NULL},
	    {"num_sms=2", "sm.issue_width=2", "l1d.mshrs=2", NULL},
	    {"num_sms=2", "lsu.replay=newcar", "l1d.mshrs=2", NULL},
	    {"num_sms=2", "lsu.replay=car", "l1d.miss_queue=1", "isa.issue_cost=ptx", NULL},
	};
	for (u32 i = 0; i < ARRAY_LEN(machines); i++) {
		u64 hash[2];
		struct split whole = run_mixed(machines[i], NEVER, &hash[0]);
		struct split cut = run_mixed(machines[i], 3, &hash[1]);
		assert_true(whole.alu && whole.mem && whole.both && whole.none);
		assert_memory_equal(&whole, &cut, sizeof whole);
		assert_int_equal(hash[0], hash[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_alu_alone),   cmocka_unit_test(test_load_then_wait), cmocka_unit_test(test_overlap),
	    cmocka_unit_test(test_store),       cmocka_unit_test(test_shared),         cmocka_unit_test(test_leading_slots),
	    cmocka_unit_test(test_laws_midway),
	};
	return cmocka_run_group_tests_name("flight", tests, NULL, NULL);
}
