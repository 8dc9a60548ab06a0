/* The pipeline in front of L1D's tags (l1d.pipe), operand read in front of the LSU, and answers one a cycle, against
 * closed forms on the whole machine. */
#include "sm/l1_pipe.h"
#include "gpu/gpu.h"
#include "tests/rig/machine.h"

#define HEAD                                                                                                           \
	PTX_HEAD ".visible .entry k(.param .u64 p0)\n{\n.reg .pred %p<4>; .reg .b64 %a<12>; .reg .b32 %r<40>;\n"           \
	         "ld.param.u64 %a1, [p0]; mov.u32 %r1, %tid.x; mul.wide.u32 %a2, %r1, 4; add.u64 %a3, %a1, %a2;\n"

/* Cycles of one block; the text may use %a1 (a buffer of zeros), %a3 (the thread's word of it), %r1 (its number). */
static u64 cycles(const char *body, u32 block, const char *const *sets)
{
	struct sim *s = machine(sets);
	struct err e = {0};
	u64 buf = devmem_alloc(sim_devmem(s), 1 << 20, "buf", &e);
	struct strbuf t = STRBUF_INIT;
	strbuf_adds(&t, HEAD);
	strbuf_addf(&t, "%s\nret;\n}\n", body);
	struct run r = run_ptx(s, strbuf_str(&t), 1, block, &buf, 1);
	assert_int_equal(r.why, STOP_IDLE);
	strbuf_release(&t);
	sim_destroy(s);
	return r.cycles;
}

#define SETS(...) ((const char *[]){"num_sms=1", "isa.issue_cost=ptx", __VA_ARGS__, NULL})

/* What one pass through the pipeline costs: a hit as much as with the latency behind the tags, anything else
 * l1d.latency more. */
static void misses_and_stores_pay(void **state)
{
	static const char *const body[] = {
	    "ld.global.u32 %r2, [%a3]; add.u32 %r3, %r2, 1; mul.lo.u32 %r4, %r3, %r3;", /* a miss */
	    "st.global.u32 [%a3], %r1; membar.gl;",
	    "atom.global.add.u32 %r2, [%a1], 1; add.u32 %r3, %r2, 1; membar.gl;",
	};
	for (u32 i = 0; i < ARRAY_LEN(body); i++) {
		u64 off = cycles(body[i], 32, SETS("l1d.pipe=false")), on = cycles(body[i], 32, SETS("l1d.pipe=true"));
		assert_in_range(on - off, 35 - 1, 35 + 1); /* DRAM's clock is another: a cycle more or less */
		u64 longer = cycles(body[i], 32, SETS("l1d.pipe=true", "l1d.latency=135"));
		assert_in_range(longer - on, 100 - 2, 100 + 2);
	}
}

static struct sim *launched(const char *body, const char *const *sets);

/* With l1d.pipe_atomics=false atomics and reductions do not pay, whatever the latency; loads and stores still do. */
static void atomics_go_past(void **state)
{
	static const char *const body[] = {
	    "atom.global.add.u32 %r2, [%a1], 1; add.u32 %r3, %r2, 1; membar.gl;",
	    "red.global.add.u32 [%a1], 1; membar.gl;",
	    "st.global.u32 [%a3], %r1; membar.gl;",
	};
	for (u32 i = 0; i < ARRAY_LEN(body); i++) {
		u64 off = cycles(body[i], 32, SETS("l1d.pipe=false"));
		u64 past = cycles(body[i], 32, SETS("l1d.pipe_atomics=false", "l1d.latency=135"));
		assert_in_range(past - off + 1, i == 2 ? 135 : 0, i == 2 ? 137 : 2);
	}
}

/* Atomics past banks that are refused, and refused with them: nobody waits for ever, and each is answered. */
static void atomics_beside_refusals(void **state)
{
	static const char *const queue[] = {"l1d.miss_queue=1", "l1d.miss_queue=2", "l1d.miss_queue=5"};
	for (u32 i = 0; i < ARRAY_LEN(queue); i++) {
		struct sim *s =
		    launched("st.global.u32 [%a3], %r1; atom.global.add.u32 %r2, [%a1], 1; ld.global.u32 %r4, [%a3+8192];\n"
		             "red.global.add.u32 [%a3+128], %r2; add.u32 %r5, %r4, %r2; st.global.u32 [%a3+16384], %r5;",
		             SETS("coalesce=sector32", "l1d.banks=4", "l1d.pipe_atomics=false", "noc.switch=islip",
		                  "warp-sched=lrr", "l1d.mshrs=8", queue[i]));
		struct stop st;
		sim_run(s, 200000, &st);
		assert_int_equal(st.why, STOP_IDLE);
		sim_destroy(s);
	}
}

/* The miss queue gets one place a cycle, and the first bank that waits has it: the last bank's sectors of stores stand
 * until the first bank's have gone. */
static void first_bank_first(void **state)
{
	struct sim *s = launched("st.global.u32 [%a3], %r1;", SETS("coalesce=sector32", "l1d.banks=4", "noc.switch=islip",
	                                                           "l1d.latency=32", "l1d.miss_queue=4", "warp-sched=lrr"));
	const struct gpu *g = sim_gpu(s);
	u32 last = 0;
	bool gone = false;
	struct stop st;
	for (u64 c = 1; sim_run(s, c, &st), st.why == STOP_CYCLE; c++) {
		const struct l1_pipe *p = g->ctx[0].pipe;
		if (!gone && p->n >= 32 && !p->bank[0].n) {
			gone = true;
			last = p->bank[3].n;
		}
	}
	assert_int_equal(st.why, STOP_IDLE);
	assert_true(gone && last >= 28);
	sim_destroy(s);
}

static u64 l1_hit(const char *const *sets)
{
	return cycles("ld.global.u64 %a4, [%a1]; add.u64 %a5, %a1, %a4; ld.global.u64 %a6, [%a5]; add.u64 %a7, %a5, %a6;\n"
	              "ld.global.u64 %a4, [%a7]; add.u64 %a5, %a7, %a4; ld.global.u64 %a6, [%a5]; add.u64 %a7, %a5, %a6;\n"
	              "st.global.u64 [%a7], %a7;",
	              1, sets);
}

/* Hits cost the same wherever the latency is; the first load misses, the store is not waited for. */
static void hits_do_not_change(void **state)
{
	u64 on = l1_hit(SETS("l1d.pipe=true")), off = l1_hit(SETS("l1d.pipe=false"));
	assert_in_range(on - off, 2 * 35 - 1, 2 * 35 + 1); /* the miss and the store at the end */
	assert_in_range(l1_hit(SETS("l1d.pipe=true", "l1d.latency=45")) - on, 5 * 10 - 1, 5 * 10 + 1);
	assert_in_range(l1_hit(SETS("l1d.pipe=false", "l1d.latency=45")) - off, 3 * 10 - 1, 3 * 10 + 1);
}

/* Operand read comes before the access: a miss waits for it as a hit does. */
static void operands_are_read_first(void **state)
{
	static const char body[] = "st.global.u32 [%a3], %r1; membar.gl; st.global.u32 [%a3], %r1; membar.gl;";
	u64 three = cycles(body, 32, SETS("sm.read_latency=3")), seven = cycles(body, 32, SETS("sm.read_latency=7"));
	/* ld.param, mov, mul and add are a chain of three waits in front of the two stores. */
	assert_in_range(seven - three, 4 * 4, 6 * 4);
}

/* A kernel of 32 warps under way, to be looked at cycle by cycle. */
static struct sim *launched(const char *body, const char *const *sets)
{
	struct sim *s = machine(sets);
	struct err e = {0};
	struct strbuf t = STRBUF_INIT;
	u64 buf = devmem_alloc(sim_devmem(s), 1 << 20, "buf", &e);
	strbuf_adds(&t, HEAD);
	strbuf_addf(&t, "%s\nret;\n}\n", body);
	struct module *m = sim_load_text(s, "t.ptx", strbuf_str(&t), t.len, &e);
	assert_non_null(m);
	struct launch_spec l = {.mod = m,
	                        .fn = module_func(m, "k", true),
	                        .grid = {1, 1, 1},
	                        .block = {1024, 1, 1},
	                        .params = &buf,
	                        .param_bytes = 8};
	assert_true(sim_launch(s, &l, &e) >= 0);
	strbuf_release(&t);
	return s;
}

/* Loads of different lines while one is refused: the pipeline takes l1d.latency of them, and the LSU what its own
 * places hold; then nobody issues. */
static void refused_at_the_tags(void **state)
{
	struct sim *s = launched("ld.global.u32 %r2, [%a3]; ld.global.u32 %r3, [%a3+32768];",
	                         SETS("l1d.latency=20", "lsu.queue=4", "l1d.mshrs=1", "warp-sched=lrr"));
	const struct gpu *g = sim_gpu(s);
	u32 most_pipe = 0, most_lsu = 0, together = 0, held = 0;
	struct stop st;
	for (u64 c = 1; sim_run(s, c, &st), st.why == STOP_CYCLE; c++) {
		const struct l1_pipe *p = g->ctx[0].pipe;
		most_pipe = MAX(most_pipe, p->n);
		most_lsu = MAX(most_lsu, g->sm[0]->lsu_q.n);
		together = MAX(together, p->n + g->sm[0]->lsu_q.n);
		held += p->held;
		if (p->held)
			assert_true(p->n == 20 && p->bank[0].refused == MR_RF_MSHR && g->sm[0]->lsu_refused == MR_RF_MSHR);
	}
	assert_int_equal(st.why, STOP_IDLE);
	assert_int_equal(most_pipe, 20);
	assert_int_equal(most_lsu, 5);
	assert_int_equal(together, 25);
	assert_true(held > 100);
	sim_destroy(s);
}

/* The most loads that end in one cycle when 32 warps wait for one line. */
static u32 most_answers(const char *answers)
{
	struct sim *s = launched("ld.global.u32 %r2, [%a1]; add.u32 %r3, %r2, 1;", SETS("l1d.merges=32", answers));
	const struct sm *sm = sim_gpu(s)->sm[0];
	u32 most = 0, before = 0;
	struct stop st;
	for (u64 c = 1; sim_run(s, c, &st), st.why == STOP_CYCLE; before = sm->nloads, c++)
		most = MAX(most, before > sm->nloads ? before - sm->nloads : 0u);
	assert_int_equal(st.why, STOP_IDLE);
	sim_destroy(s);
	return most;
}

static void answers_one_a_cycle(void **state)
{
	assert_int_equal(most_answers("lsu.answers=1"), 1);
	assert_int_equal(most_answers("lsu.answers=3"), 3);
	assert_int_equal(most_answers("lsu.answers=0"), 32);
}

/* Eight hits in lines of their own, by the sectors that the lanes want: how many go together is up to the banks. */
static u64 eight_lines(const char *offset, const char *banks)
{
	char body[600];
	snprintf(body, sizeof body,
	         "and.b32 %%r5, %%r1, 7; mul.lo.u32 %%r6, %%r5, %s; mul.wide.u32 %%a4, %%r6, 4; add.u64 %%a5, %%a1, %%a4;\n"
	         "ld.global.u32 %%r7, [%%a5]; add.u32 %%r8, %%r7, 1; mov.u32 %%r9, 0;\n" /* the misses */
	         "L: ld.global.u32 %%r7, [%%a5]; add.u32 %%r8, %%r8, %%r7; add.u32 %%r9, %%r9, 1;\n"
	         "setp.lt.u32 %%p1, %%r9, 200; @%%p1 bra L; st.global.u32 [%%a5], %%r8;",
	         offset);
	return cycles(body, 32,
	              SETS("coalesce=sector32", "l1d.sets=64", "l1d.hash=linear", banks, "schedule=none", "lat.logic=1"));
}

/* Lanes that touch 8 lines take 8 cycles when all want sector 0, or when there is one bank; 2 with four banks and 4
 * with two when the lines' sectors are 0, 1, 2, 3, 0, 1, 2, 3. */
static void banks_take_several(void **state)
{
	const char *same = "32", *in_turn = "40"; /* words from line to line: sector 0 always; sectors 0, 1, 2, 3, 0... */
	u64 one = eight_lines(same, "l1d.banks=1");
	assert_in_range(eight_lines(in_turn, "l1d.banks=1"), one - 20, one + 20);
	assert_in_range(eight_lines(same, "l1d.banks=4"), one - 20, one + 20);
	assert_in_range(one - eight_lines(in_turn, "l1d.banks=4"), 6 * 200 - 30, 6 * 200 + 30);
	assert_in_range(one - eight_lines(in_turn, "l1d.banks=2"), 4 * 200 - 30, 4 * 200 + 30);
}

/* Warp 0 loads 32 lines, one after the other for want of MSHRs, all from sector 0. Warp 1 meanwhile reads sector 1 of a
 * line that is there, again and again: with banks of their own the two take no longer than one, else both together. */
static u64 beside_misses(const char *banks)
{
	return cycles("ld.global.u32 %r2, [%a1+32]; add.u32 %r3, %r2, 1; bar.sync 0; setp.lt.u32 %p1, %r1, 32;\n"
	              "@!%p1 bra HITS; mul.wide.u32 %a4, %r1, 128; add.u64 %a5, %a1, %a4; ld.global.u32 %r4, [%a5+4096];\n"
	              "add.u32 %r4, %r4, 1; bra OUT; HITS: mov.u32 %r5, 0;\n"
	              "L: ld.global.u32 %r6, [%a1+32]; add.u32 %r7, %r6, 1; add.u32 %r5, %r5, 1;\n"
	              "setp.lt.u32 %p2, %r5, 100; @%p2 bra L; OUT:",
	              64,
	              SETS("coalesce=sector32", "l1d.latency=40", "l1d.mshrs=1", "l1d.sets=64", "l1d.hash=linear",
	                   "schedule=none", banks));
}

static void a_refusal_stops_its_bank(void **state)
{
	u64 one = beside_misses("l1d.banks=1"), four = beside_misses("l1d.banks=4");
	assert_true(four * 10 < one * 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(misses_and_stores_pay),   cmocka_unit_test(atomics_go_past),
	    cmocka_unit_test(atomics_beside_refusals), cmocka_unit_test(first_bank_first),
	    cmocka_unit_test(hits_do_not_change),      cmocka_unit_test(operands_are_read_first),
	    cmocka_unit_test(refused_at_the_tags),     cmocka_unit_test(banks_take_several),
	    cmocka_unit_test(answers_one_a_cycle),     cmocka_unit_test(a_refusal_stops_its_bank),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
