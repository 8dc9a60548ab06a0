/* The analyses of code - phases, program points, idempotence: kernels worked out by hand, then every kernel of
 * configs/kernels against the definitions evaluated the slow way, then the console's tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include <glob.h>

#include "tests/rig/debug_rig.h"
#include "dbg/debugger.h"
#include "front/ptx/ptx.h"
#include "ir/wide.h"
#include "passes/idempotence.h"
#include "passes/phases.h"
#include "passes/points.h"

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"
#define REGS ".reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .pred %p<8>; .reg .f32 %f<20>;\n"
#define KERNEL ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c)\n{\n" REGS

static struct module *load(const char *ptx, const struct func **f)
{
	struct err e = {0};
	struct module *m = ptx_load("test.ptx", ptx, strlen(ptx), &e);
	if (!m)
		fail_msg("%s", e.msg);
	*f = module_func(m, "k", true);
	assert_non_null(*f);
	return m;
}

/* --- phases ------------------------------------------------------------------------------------------------------- */

static struct phase_params test_latencies(void)
{
	struct phase_params p = {.long_classes = PHASE_LONG_CLASSES};
	for (u32 i = 0; i < IC_COUNT; i++)
		p.latency[i] = 1;
	p.latency[IC_INT_ADD] = p.latency[IC_INT_LOGIC] = 2;
	p.latency[IC_INT_MUL] = 5;
	p.latency[IC_F32_ADD] = 7;
	p.latency[IC_CONST] = 3;
	return p;
}

/* Figure 4 of the paper in PTX: the second phase begins at the addition, which reads both loaded registers. */
static void phases_of_a_vector_addition(void **state)
{
	const struct func *f;
	struct module *m = load(HEAD KERNEL "ld.param.u64 %rd1, [a];\n"    /* 0: 3 cycles */
	                                    "ld.param.u64 %rd2, [b];\n"    /* 1: 3 */
	                                    "mov.u32 %r1, %tid.x;\n"       /* 2: 2 */
	                                    "mul.wide.u32 %rd3, %r1, 4;\n" /* 3: 5 */
	                                    "add.s64 %rd1, %rd1, %rd3;\n"  /* 4: 2 */
	                                    "add.s64 %rd2, %rd2, %rd3;\n"  /* 5: 2 */
	                                    "ld.global.f32 %f1, [%rd1];\n" /* 6: 1 */
	                                    "ld.global.f32 %f2, [%rd2];\n" /* 7: 1; the phase: 19 */
	                                    "add.f32 %f3, %f1, %f2;\n"     /* 8: 7 */
	                                    "st.global.f32 [%rd1], %f3;\n" /* 9: 1 */
	                                    "ret;\n}\n",                   /* 10: 1; the phase: 9 */
	                        &f);
	struct phase_params par = test_latencies();
	struct phases ph;
	phases_find(&ph, m, f, &par);
	assert_int_equal(ph.n, 2);
	assert_int_equal(ph.list[0].begin, 0);
	assert_int_equal(ph.list[0].end, 8);
	assert_int_equal(ph.list[0].length, 19);
	assert_int_equal(ph.list[0].longs, 2);
	assert_int_equal(ph.list[0].waits_for, PHASE_AT_BLOCK);
	assert_int_equal(ph.list[1].begin, 8);
	assert_int_equal(ph.list[1].length, 9);
	assert_int_equal(ph.list[1].waits_for, 6);
	assert_int_equal(ph.distance[0], 19);
	assert_int_equal(ph.distance[7], 1);
	assert_int_equal(ph.distance[9], 2);
	assert_int_equal(ph.phase_of[10], 1);
	phases_release(&ph);
	module_free(m);
}

/* The set is cleared at a phase's start; a register that is written again is out of it, unless under a guard. */
static void phases_and_overwritten_registers(void **state)
{
	const struct func *f;
	struct module *m = load(HEAD KERNEL "ld.global.u32 %r1, [%rd1];\n" /* 0 */
	                                    "ld.global.u32 %r2, [%rd1];\n" /* 1 */
	                                    "add.u32 %r3, %r1, 1;\n"       /* 2: phase 1 begins */
	                                    "add.u32 %r4, %r2, 1;\n"       /* 3: loaded in phase 0: goes on */
	                                    "ld.global.u32 %r5, [%rd1];\n" /* 4 */
	                                    "mov.u32 %r5, 7;\n"            /* 5 */
	                                    "add.u32 %r6, %r5, %r3;\n"     /* 6: reads the 7: goes on */
	                                    "ld.global.u32 %r7, [%rd1];\n" /* 7 */
	                                    "setp.eq.u32 %p1, %r6, %r4;\n" /* 8 */
	                                    "@%p1 mov.u32 %r7, 7;\n"       /* 9 */
	                                    "st.global.u32 [%rd1], %r7;\n" /* 10: phase 2 begins */
	                                    "ld.shared.u32 %r8, [%r1];\n"  /* 11: no long latency */
	                                    "st.global.u32 [%rd1], %r8;\n" /* 12 */
	                                    "bar.sync 0;\n"                /* 13: no result to wait for */
	                                    "ret;\n}\n",
	                        &f);
	struct phase_params par = test_latencies();
	struct phases ph;
	phases_find(&ph, m, f, &par);
	assert_int_equal(ph.n, 3);
	assert_int_equal(ph.list[1].begin, 2);
	assert_int_equal(ph.list[2].begin, 10);
	assert_int_equal(ph.list[2].waits_for, 7);
	assert_int_equal(ph.list[2].end, 15);
	phases_release(&ph);
	par.long_classes |= 1u << IC_SHARED;
	phases_find(&ph, m, f, &par);
	assert_int_equal(ph.n, 4);
	assert_int_equal(ph.list[3].begin, 12);
	phases_release(&ph);
	module_free(m);
}

/* A loop with a load in its body and one behind it: by blocks four phases and two for the loads' uses; without blocks
 * those two and the beginning, whatever is jumped over. */
static void phases_through_blocks(void **state)
{
	const struct func *f;
	struct module *m = load(HEAD KERNEL "mov.u32 %r1, 0;\n"               /* 0 */
	                                    "L: ld.global.u32 %r2, [%rd1];\n" /* 1: a block */
	                                    "add.u32 %r1, %r1, 1;\n"          /* 2 */
	                                    "add.u32 %r3, %r2, %r1;\n"        /* 3: reads the load */
	                                    "setp.lt.u32 %p1, %r1, 9;\n"      /* 4 */
	                                    "@%p1 bra L;\n"                   /* 5 */
	                                    "ld.global.u32 %r4, [%rd1];\n"    /* 6: a block */
	                                    "@%p1 bra M;\n"                   /* 7 */
	                                    "add.u32 %r3, %r4, %r3;\n"        /* 8: a block, reads the load */
	                                    "M: st.global.u32 [%rd1], %r3;\n" /* 9: a block */
	                                    "ret;\n}\n",
	                        &f);
	struct phase_params par = test_latencies();
	struct phases ph;
	static const u32 blocks[] = {0, 1, 3, 6, 8, 9}, data[] = {0, 3, 8};
	phases_find(&ph, m, f, &par);
	assert_int_equal(ph.n, ARRAY_LEN(blocks));
	for (u32 i = 0; i < ph.n; i++)
		assert_int_equal(ph.list[i].begin, blocks[i]);
	phases_release(&ph);
	par.through_blocks = true;
	phases_find(&ph, m, f, &par);
	assert_int_equal(ph.n, ARRAY_LEN(data));
	for (u32 i = 0; i < ph.n; i++)
		assert_int_equal(ph.list[i].begin, data[i]);
	assert_int_equal(ph.list[1].waits_for, 1);
	assert_int_equal(ph.list[2].waits_for, 6);
	phases_release(&ph);
	module_free(m);
}

/* 0 mov  1 call  2 add: no block ends at the call, a phase does. */
static void phases_at_a_call(void **state)
{
	const struct func *f;
	struct module *m = load(HEAD ".func g()\n{\nret;\n}\n" KERNEL "mov.u32 %r1, 0;\ncall g, ();\n"
	                             "add.u32 %r1, %r1, 1;\nst.global.u32 [%rd1], %r1;\nret;\n}\n",
	                        &f);
	struct phase_params par = test_latencies();
	struct phases ph;
	phases_find(&ph, m, f, &par);
	assert_int_equal(ph.n, 2);
	assert_int_equal(ph.list[1].begin, f->entry + 2);
	assert_int_equal(ph.list[1].block, 0);
	assert_int_equal(ph.list[1].waits_for, PHASE_AT_BLOCK);
	phases_release(&ph);
	module_free(m);
}

/* The last writer of a scoreboard id before pc, not further back than `begin`; guarded short writes do not count. */
static bool reads_long_result(const struct module *m, u32 begin, u32 pc, u32 id, u32 longs)
{
	while (pc-- > begin) {
		const struct inst *in = &m->code[pc];
		bool is_long = longs >> in->cls & 1;
		for (u32 i = 0; i < in->n_sb_dst; i++)
			if (inst_sb_dst(in)[i] == id && (is_long || in->guard == OPND_NONE))
				return is_long;
	}
	return false;
}

static bool must_break(const struct module *m, u32 begin, u32 pc, u32 longs)
{
	for (u32 i = 0; i < m->code[pc].n_sb_src; i++)
		if (reads_long_result(m, begin, pc, inst_sb_src(&m->code[pc])[i], longs))
			return true;
	return false;
}

static void check_phases(const struct module *m, const struct func *f)
{
	struct phase_params par = test_latencies();
	struct phases ph;
	u32 at = f->entry;
	phases_find(&ph, m, f, &par);
	for (u32 i = 0; i < ph.n; i++) {
		const struct phase *p = &ph.list[i];
		u32 sum = 0;
		assert_int_equal(p->begin, at);
		assert_true(p->end > p->begin);
		at = p->end;
		for (u32 pc = p->end; pc-- > p->begin;) {
			sum += par.latency[m->code[pc].cls];
			assert_int_equal(ph.distance[pc - f->entry], sum);
			assert_int_equal(ph.phase_of[pc - f->entry], i);
			assert_false(pc > p->begin && must_break(m, p->begin, pc, par.long_classes));
			if (m->code[pc].op == OP_BRA && (u32)m->code[pc].target > f->entry)
				assert_int_equal(ph.list[ph.phase_of[(u32)m->code[pc].target - f->entry]].begin, m->code[pc].target);
		}
		assert_int_equal(p->length, sum);
		if (p->waits_for != PHASE_AT_BLOCK)
			assert_true(must_break(m, ph.list[i - 1].begin, p->begin, par.long_classes));
	}
	assert_int_equal(at, f->end);
	phases_release(&ph);
}

/* --- program points ----------------------------------------------------------------------------------------------- */

static void expect_point(const struct points *p, u32 i, u32 pc, bool branch, u32 score, u32 merged)
{
	assert_true(i < p->n);
	assert_int_equal(p->list[i].pc, pc);
	assert_int_equal(p->list[i].branch, branch);
	assert_int_equal(p->list[i].score, score);
	assert_int_equal(p->list[i].merged, merged);
}

static struct points find_points(const char *ptx, u32 max_points, u32 max_score)
{
	const struct func *f;
	struct module *m = load(ptx, &f);
	struct points p;
	points_find(&p, m, f, &(struct point_params){max_points, max_score});
	module_free(m);
	return p;
}

#define ALU "add.u32 %r1, %r1, 1;\n"
#define LOAD "ld.global.u32 %r2, [%rd1];\n"

/* Algorithm 1 on two loops, one in the other:
 *
 *   OUT: 0 add   1 load   IN: 2 add   3 add   4 @p1 bra IN   5 add   6 @p2 bra OUT   7 ret
 *
 * Both branches start at 256. Round 1: branch 4 sees only branches of 256; branch 6 falls through to the end (256),
 * taken it is at the load after 1 + 1. Round 2: branch 4 falls through to branch 6 after 1, so 1 + 2 + 1 = 4, taken it
 * comes to itself. Branch 4 is its fall-through's score: removed. */
static void points_of_nested_loops(void **state)
{
	static const char ptx[] =
	    HEAD KERNEL "OUT:\n" ALU LOAD "IN:\n" ALU ALU "@%p1 bra IN;\n" ALU "@%p2 bra OUT;\nret;\n}\n";
	struct points p = find_points(ptx, 32, 256);
	assert_int_equal(p.n, 2);
	assert_int_equal(p.meaningless, 1);
	assert_true(p.fits);
	expect_point(&p, 0, 1, false, 0, 0);
	expect_point(&p, 1, 6, true, 2, 0);
	static const u32 distance[] = {1, 0, 6, 5, 4, 3, 2, 256};
	for (u32 pc = 0; pc < 8; pc++)
		assert_int_equal(points_distance(&p, pc), distance[pc]);
	assert_int_equal(p.nbranches, 2);
	assert_int_equal(p.branches[0].taken, 6);
	assert_int_equal(p.branches[0].next, 3);
	assert_false(p.branches[0].recalculate);
	assert_int_equal(p.branches[1].taken, 1);
	assert_int_equal(p.branches[1].next, 256);
	assert_true(p.branches[1].recalculate);
	points_release(&p);
	/* With a score field that ends at 2 no branch has a score below it: both are meaningless. */
	p = find_points(ptx, 32, 2);
	assert_int_equal(p.n, 1);
	assert_int_equal(p.meaningless, 2);
	points_release(&p);
}

/* Which loads count, and a loop that is left through an unguarded backward branch: nothing falls through it. */
static void points_by_kind(void **state)
{
	struct points p = find_points(HEAD KERNEL "TOP:\n" LOAD                           /* 0 */
	                                          "ld.shared.u32 %r3, [%r1];\n"           /* 1: no */
	                                          "ld.param.u64 %rd2, [a];\n"             /* 2: no */
	                                          "ld.u32 %r3, [%rd2];\n"                 /* 3: generic */
	                                          "red.global.add.u32 [%rd2], 1;\n"       /* 4: no result */
	                                          "atom.global.add.u32 %r3, [%rd2], 1;\n" /* 5 */
	                                          "@%p1 bra END;\n"                       /* 6: forward */
	                                          "st.global.u32 [%rd2], %r3;\n"          /* 7: no */
	                                          "bra TOP;\n" LOAD /* 8, 9: the load is behind no path from 8 */
	                                          "END:\nret;\n}\n",
	                              32, 256);
	assert_int_equal(p.n, 5);
	expect_point(&p, 0, 0, false, 0, 0);
	expect_point(&p, 1, 3, false, 0, 0);
	expect_point(&p, 2, 5, false, 0, 0);
	expect_point(&p, 3, 8, true, 1, 0);
	expect_point(&p, 4, 9, false, 0, 0);
	assert_int_equal(p.nbranches, 2);
	assert_int_equal(p.branches[0].taken, 256);
	assert_int_equal(p.branches[0].next, 2); /* 7, then the branch's 1 */
	assert_false(p.branches[0].recalculate);
	assert_true(p.branches[1].recalculate);
	points_release(&p);
}

/* Algorithm 2 on loads at 1, 3, 4 and 8. To 3 points: the gaps are 2, 1, 4, so 4 swallows 3 and gets 1. To 2: 4's gap
 * is now 3 and its own score, 4; 8's gap is 4 too; the first of the two wins, so 4 swallows 1 and gets 4. */
static void points_merge_loads(void **state)
{
	static const char ptx[] = HEAD KERNEL ALU LOAD ALU LOAD LOAD ALU ALU ALU LOAD "ret;\n}\n";
	struct points p = find_points(ptx, 3, 256);
	assert_int_equal(p.found, 4);
	assert_int_equal(p.n, 3);
	expect_point(&p, 0, 1, false, 0, 0);
	expect_point(&p, 1, 4, false, 1, 1);
	expect_point(&p, 2, 8, false, 0, 0);
	assert_int_equal(points_distance(&p, 2), 1); /* to the load at 3, which is merged: 2 - 1 */
	assert_int_equal(points_distance(&p, 3), 1);
	points_release(&p);
	p = find_points(ptx, 2, 256);
	assert_int_equal(p.n, 2);
	expect_point(&p, 0, 4, false, 4, 2);
	expect_point(&p, 1, 8, false, 0, 0);
	points_release(&p);
}

/* LOOP: 0 load  1 add  2 @p bra LOOP  3 add  4 add  5 load. The branch is worth 1 (0 + 1, against 2 + 1 behind it). The
 * load's gap to it is 3, less its score: 2. */
static void points_merge_a_branch(void **state)
{
	static const char ptx[] = HEAD KERNEL "LOOP:\n" LOAD ALU "@%p1 bra LOOP;\n" ALU ALU LOAD "ret;\n}\n";
	struct points p = find_points(ptx, 3, 256);
	expect_point(&p, 1, 2, true, 1, 0);
	assert_int_equal(points_distance(&p, 1), 2);
	points_release(&p);
	p = find_points(ptx, 2, 256);
	assert_int_equal(p.n, 2);
	expect_point(&p, 1, 5, false, 2, 1);
	assert_int_equal(points_distance(&p, 1), 2); /* the same answer from the merged point: 4 - 2 */
	points_release(&p);
	p = find_points(ptx, 1, 256);
	expect_point(&p, 0, 5, false, 7, 2); /* 5 + the 2 it had */
	points_release(&p);
}

static void points_that_cannot_merge(void **state)
{
	static const char ptx[] = HEAD KERNEL "LOOP:\n" LOAD ALU "@%p1 bra LOOP;\nret;\n}\n";
	struct points p = find_points(ptx, 1, 256);
	assert_int_equal(p.n, 2);
	assert_false(p.fits);
	points_release(&p);
}

/* A: 0 add  1 add  2 load  B: 3 add  4 load  5 brx {A, B}: B is nearer, 1 + 1, and nothing falls through. */
static void points_of_an_indexed_branch(void **state)
{
	struct points p = find_points(HEAD KERNEL "A:\n" ALU ALU LOAD "B:\n" ALU LOAD
	                                          "ts: .branchtargets A, B;\nbrx.idx %r3, ts;\nret;\n}\n",
	                              32, 256);
	assert_int_equal(p.n, 3);
	expect_point(&p, 2, 5, true, 2, 0);
	assert_int_equal(p.branches[0].taken, 1);
	assert_int_equal(p.branches[0].next, 256);
	assert_true(p.branches[0].recalculate);
	points_release(&p);
}

/* Distances to the nearest load by relaxing every edge that algorithm 1 follows, one instruction at a time. */
static void slow_distances(const struct module *m, const struct func *f, u32 *d)
{
	for (u32 pc = f->entry; pc < f->end; pc++) {
		const struct inst *in = &m->code[pc];
		bool global = in->space == SPC_GLOBAL || in->space == SPC_LOCAL || in->space == SPC_GENERIC;
		bool load = in->op == OP_TEX || ((in->op == OP_LD || in->op == OP_ATOM || in->op == OP_CP_ASYNC) && global);
		d[pc - f->entry] = load ? 0 : 256;
	}
	for (bool changed = true; changed;) {
		changed = false;
		for (u32 pc = f->entry; pc < f->end; pc++) {
			const struct inst *in = &m->code[pc];
			bool back = in->op == OP_BRA && (u32)in->target <= pc, forward = in->op == OP_BRA && !back;
			bool ends = in->guard == OPND_NONE && (in->op == OP_RET || in->op == OP_EXIT || in->op == OP_TRAP || back);
			u32 best = back ? d[(u32)in->target - f->entry] + 1 : 256;
			if ((forward || !ends) && pc + 1 < f->end)
				best = MIN(best, d[pc + 1 - f->entry] + 1);
			changed |= best < d[pc - f->entry];
			d[pc - f->entry] = MIN(best, d[pc - f->entry]);
		}
	}
}

static bool has_indexed_branch(const struct module *m, const struct func *f)
{
	for (u32 pc = f->entry; pc < f->end; pc++)
		if (m->code[pc].op == OP_BRX)
			return true;
	return false;
}

static void check_points(const struct module *m, const struct func *f)
{
	struct points p;
	u32 n = f->end - f->entry, *d = xcalloc(n + 1, sizeof(u32));
	points_find(&p, m, f, &(struct point_params){UINT32_MAX, 256});
	assert_int_equal(p.n, p.found);
	slow_distances(m, f, d);
	for (u32 i = 0; i < p.nbranches && !has_indexed_branch(m, f); i++) {
		const struct point_branch *b = &p.branches[i];
		bool ends = m->code[b->pc].guard == OPND_NONE || b->pc + 1 == f->end;
		assert_int_equal(b->taken, d[(u32)m->code[b->pc].target - f->entry]);
		assert_int_equal(b->next, ends ? 256 : d[b->pc + 1 - f->entry]);
	}
	points_release(&p);
	for (u32 max = 1; max <= 32; max *= 2) {
		points_find(&p, m, f, &(struct point_params){max, 256});
		assert_true(p.n <= p.found && p.fits == (p.n <= max));
		u32 merged = p.n;
		for (u32 i = 0; i < p.n; i++) {
			merged += p.list[i].merged;
			assert_true(!i || p.list[i].pc > p.list[i - 1].pc);
			assert_true(p.list[i].score <= 256);
		}
		assert_int_equal(merged, p.found);
		points_release(&p);
	}
	free(d);
}

/* --- idempotence -------------------------------------------------------------------------------------------------- */

static struct idempotence judge(const char *ptx, bool may_alias)
{
	const struct func *f;
	struct err e = {0};
	struct module *m = load(ptx, &f);
	struct idempotence r;
	if (!idempotence_find(&r, m, f, &(struct idem_params){may_alias}, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(r.idempotent, r.npoints == 0);
	module_free(m);
	return r;
}

static void expect_idempotent(const char *ptx)
{
	struct idempotence r = judge(ptx, false);
	assert_true(r.idempotent);
	idempotence_release(&r);
}

static void expect_cause(const char *ptx, enum idem_cause cause, u32 pc, u32 reads)
{
	struct idempotence r = judge(ptx, false);
	assert_int_equal(r.npoints, 1);
	assert_int_equal(r.list[0].cause, cause);
	assert_int_equal(r.list[0].pc, pc);
	assert_int_equal(r.list[0].reads, reads);
	idempotence_release(&r);
}

#define ADDRESS(rd, p) "ld.param.u64 " rd ", [" p "];\ncvta.to.global.u64 " rd ", " rd ";\n"

/* Reads and writes a[i] through one register: 0 ld 1 cvta 2 ld 3 add 4 st 5 ret. The notice comes before 4. */
static void reads_then_writes_its_buffer(void **state)
{
	struct idempotence r = judge(HEAD KERNEL ADDRESS("%rd1", "a") "ld.global.u32 %r1, [%rd1];\n" ALU
	                                                              "st.global.u32 [%rd1], %r1;\nret;\n}\n",
	                             false);
	assert_int_equal(r.npoints, 1);
	assert_int_equal(r.list[0].cause, IDEM_OVERWRITE);
	assert_int_equal(r.list[0].pc, 4);
	assert_int_equal(r.list[0].reads, 2);
	assert_int_equal(r.clean, 5);
	assert_int_equal(r.may_follow[4], 0);
	assert_int_equal(r.may_follow[5], 1);
	idempotence_release(&r);
}

/* c[i] = a[i] + b[i]: idempotent, unless the parameters may be one buffer. */
static void writes_another_buffer(void **state)
{
	static const char ptx[] = HEAD KERNEL ADDRESS("%rd1", "a") ADDRESS("%rd2", "b") ADDRESS(
	    "%rd3",
	    "c") "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd4, %r1, 4;\nadd.s64 %rd5, %rd4, %rd1;\nadd.s64 %rd6, %rd2, %rd4;\n"
	         "mad.wide.u32 %rd7, %r1, 4, %rd3;\nld.global.u32 %r2, [%rd5];\nld.global.u32 %r3, [%rd6+4];\n"
	         "st.global.u32 [%rd7], %r2;\nret;\n}\n";
	expect_idempotent(ptx);
	struct idempotence r = judge(ptx, true);
	assert_int_equal(r.npoints, 1);
	assert_int_equal(r.list[0].pc, 13);
	idempotence_release(&r);
}

static void atomics(void **state)
{
	expect_cause(HEAD KERNEL ADDRESS("%rd1", "a") "red.global.add.u32 [%rd1], 1;\nret;\n}\n", IDEM_ATOMIC, 2,
	             IDEM_NO_PC);
	expect_cause(HEAD KERNEL ADDRESS("%rd1", "a") "atom.cas.b32 %r1, [%rd1], 0, 1;\nret;\n}\n", IDEM_ATOMIC, 2,
	             IDEM_NO_PC);
	expect_idempotent(HEAD KERNEL ".shared .u32 s;\natom.shared.add.u32 %r1, [s], 1;\nret;\n}\n");
	expect_idempotent(HEAD KERNEL
	                  ".shared .u32 s;\nmov.u64 %rd1, s;\ncvta.shared.u64 %rd2, %rd1;\nadd.s64 %rd2, %rd2, 4;\n"
	                  "atom.add.u32 %r1, [%rd2], 1;\nret;\n}\n");
	/* Shared or global: 0 ld 1 cvta 2 selp 3 atom */
	expect_cause(HEAD KERNEL "ld.param.u64 %rd1, [a];\ncvta.shared.u64 %rd2, 0;\nselp.b64 %rd3, %rd1, %rd2, %p1;\n"
	                         "red.add.u32 [%rd3], 1;\nret;\n}\n",
	             IDEM_ATOMIC, 3, IDEM_NO_PC);
}

/* One register holds the one pointer, then the other; under a guard it may still hold the first. */
static void registers_that_change_buffers(void **state)
{
#define LOAD_A "ld.param.u64 %rd1, [a];\nld.global.u32 %r1, [%rd1];\n"
	expect_idempotent(HEAD KERNEL LOAD_A "ld.param.u64 %rd1, [b];\nst.global.u32 [%rd1], %r1;\nret;\n}\n");
	expect_cause(HEAD KERNEL LOAD_A "@%p1 ld.param.u64 %rd1, [b];\nst.global.u32 [%rd1], %r1;\nret;\n}\n",
	             IDEM_OVERWRITE, 3, 1);
	/* Round a loop the pointers change places: 0 ld 1 ld, LOOP: 2 ld [1] 3 st [2] 4-6 swap 7 bra */
	expect_cause(HEAD KERNEL
	             "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\nLOOP:\nld.global.u32 %r1, [%rd1];\n"
	             "st.global.u32 [%rd2], %r1;\nmov.u64 %rd3, %rd1;\nmov.u64 %rd1, %rd2;\nmov.u64 %rd2, %rd3;\n"
	             "@%p1 bra LOOP;\nret;\n}\n",
	             IDEM_OVERWRITE, 3, 2);
}

/* It takes two rounds for c to arrive in %rd1: 0-2 ld, LOOP: 3 ld [1] 4 st [3] 5-6 shift 7 bra */
static void buffers_that_move_along(void **state)
{
	expect_cause(HEAD KERNEL "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\nld.param.u64 %rd3, [c];\nLOOP:\n"
	                         "ld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd3], %r1;\nmov.u64 %rd1, %rd2;\n"
	                         "mov.u64 %rd2, %rd3;\n@%p1 bra LOOP;\nret;\n}\n",
	             IDEM_OVERWRITE, 4, 3);
}

static void unknown_addresses(void **state)
{
	/* A pointer from memory: what it points to may be a. */
	expect_cause(HEAD KERNEL
	             "ld.param.u64 %rd1, [a];\nld.global.u64 %rd2, [%rd1];\nst.global.u32 [%rd2], 1;\nret;\n}\n",
	             IDEM_UNKNOWN, 2, 1);
	/* An index from memory is no pointer, when it is narrower than one. */
	expect_idempotent(HEAD KERNEL LOAD_A
	                  "ld.param.u64 %rd2, [b];\nmul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd2, %rd2, %rd3;\n"
	                  "st.global.u32 [%rd2], 1;\nret;\n}\n");
	/* A number as an address, and no load at all. */
	expect_cause(HEAD KERNEL LOAD_A "st.global.u32 [4096], 1;\nret;\n}\n", IDEM_UNKNOWN, 2, 1);
	expect_idempotent(HEAD KERNEL "st.global.u32 [4096], 1;\nret;\n}\n");
}

static void variables(void **state)
{
#define VAR HEAD ".global .u32 v;\n.global .u32 w;\n" KERNEL "ld.global.u32 %r1, [v];\n"
	expect_cause(VAR "st.global.u32 [v], 1;\nret;\n}\n", IDEM_OVERWRITE, 1, 0);
	expect_cause(VAR "mov.u64 %rd1, v;\nadd.s64 %rd1, %rd1, 4;\nst.global.u32 [%rd1], 1;\nret;\n}\n", IDEM_OVERWRITE, 3,
	             0);
	expect_idempotent(VAR "st.global.u32 [w], 1;\nret;\n}\n");
}

/* The point is in the callee; behind the call, and round the loop, the kernel's instructions may follow it.
 * k: 0 mov, LOOP: 1 add 2 call 3 bra 4 ret when k comes first in the code. */
static void callees_and_loops(void **state)
{
	static const char ptx[] =
	    HEAD ".func count()\n{\n" REGS "ld.global.u64 %rd1, [%rd2];\nred.global.add.u32 [%rd1], 1;\nret;\n}\n" KERNEL
	         "mov.u32 %r1, 0;\nLOOP:\n" ALU "call count, ();\n@%p1 bra LOOP;\nret;\n}\n";
	const struct func *f;
	struct module *m = load(ptx, &f);
	struct idempotence r;
	struct err e = {0};
	assert_true(idempotence_find(&r, m, f, &(struct idem_params){0}, &e));
	assert_int_equal(r.npoints, 1);
	assert_int_equal(r.list[0].pc, module_func(m, "count", false)->entry + 1);
	assert_int_equal(r.clean, 1);
	assert_int_equal(r.may_follow[0], 0);
	for (u32 i = 1; i < 5; i++)
		assert_int_equal(r.may_follow[i], 1);
	idempotence_release(&r);
	assert_false(idempotence_find(&r, m, module_func(m, "count", false), &(struct idem_params){0}, &e));
	assert_non_null(strstr(e.msg, "count is no kernel"));
	module_free(m);
}

static void printing(void **state)
{
	static const char ptx[] =
	    HEAD ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n" KERNEL
	         "{\n.param .b64 p0; .param .b64 p1; .param .b32 r0;\nst.param.b64 [p0], %rd1;\nst.param.b64 [p1], %rd2;\n"
	         "call.uni (r0), vprintf, (p0, p1);\n}\nret;\n}\n";
	const struct func *f;
	struct module *m = load(ptx, &f);
	u32 pc = f->entry;
	while (m->code[pc].op != OP_CALL)
		pc++;
	expect_cause(ptx, IDEM_PRINT, pc, IDEM_NO_PC);
	module_free(m);
}

static void check_idempotence(const struct module *m, const struct func *f)
{
	struct idempotence r, all;
	struct err e = {0};
	assert_true(idempotence_find(&r, m, f, &(struct idem_params){false}, &e));
	assert_true(idempotence_find(&all, m, f, &(struct idem_params){true}, &e));
	assert_true(all.npoints >= r.npoints);
	assert_true(all.clean <= r.clean);
	assert_int_equal(r.may_follow[0] && f->entry == 0, 0);
	for (u32 i = 0; i < r.npoints; i++) {
		u8 op = m->code[r.list[i].pc].op;
		assert_true(op == OP_ST || op == OP_ATOM || op == OP_RED || op == OP_CALL);
	}
	idempotence_release(&r);
	idempotence_release(&all);
}

/* --- all kernels, console ----------------------------------------------------------------------------------------- */

static u32 check_file(const char *path, const struct schedule_params *schedule)
{
	struct err e = {0};
	struct module *m = ptx_load_file_for(path, schedule, &e);
	u32 kernels = 0;
	if (!m)
		fail_msg("%s", e.msg);
	for (u32 k = 0; k < m->nfuncs; k++) {
		const struct func *f = &m->funcs[k];
		if (f->entry == f->end)
			continue;
		check_phases(m, f);
		check_points(m, f);
		if (f->is_kernel)
			check_idempotence(m, f);
		kernels++;
	}
	module_free(m);
	return kernels;
}

/* In the order of the text, and scheduled for the default machine. */
static void every_kernel(void **state)
{
	glob_t files;
	u32 kernels = 0;
	struct conf c;
	struct schedule_params p;
	conf_defaults(&c);
	schedule_params_of(&p, &c);
	assert_int_equal(glob("configs/kernels/*.ptx", 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++)
		kernels += check_file(files.gl_pathv[i], NULL) + check_file(files.gl_pathv[i], &p);
	globfree(&files);
	assert_true(kernels > 40);
}

/* Loops of our own sources are unrolled as those of the published programs are: the points before merging are within
 * one of Park 2016, table 3.2. */
static void points_as_published(void **state)
{
	static const struct {
		const char *file, *kernel;
		u32 points;
	} table[] = {{"fdtd3d", "finite_differences", 60},
	             {"lud", "lud_diagonal", 16},
	             {"lud", "lud_perimeter", 48},
	             {"lud", "lud_internal", 3},
	             {"nw", "nw_upper", 19},
	             {"nw", "nw_lower", 19},
	             {"backprop", "adjust_weights", 12},
	             {"lbm", "lbm_stream_collide", 20},
	             {"radixsort", "sort_blocks", 2},
	             {"radixsort", "find_offsets", 1},
	             {"radixsort", "reorder", 4}};
	struct conf c;
	struct schedule_params schedule;
	conf_defaults(&c);
	schedule_params_of(&schedule, &c);
	for (u32 i = 0; i < ARRAY_LEN(table); i++) {
		char path[64];
		struct err e = {0};
		struct points p;
		snprintf(path, sizeof path, "configs/kernels/%s.ptx", table[i].file);
		struct module *m = ptx_load_file_for(path, &schedule, &e);
		if (!m)
			fail_msg("%s", e.msg);
		const struct func *f = module_func(m, table[i].kernel, true);
		assert_non_null(f);
		points_find(&p, m, f, &(struct point_params){4096, 256});
		assert_in_range(p.found, table[i].points - 1, table[i].points + 1);
		points_release(&p);
		module_free(m);
	}
}

/* Awatramani 2015, table II gives LUD a longest phase of 150 cycles and a shortest of 7. */
static void phase_lengths_of_lud(void **state)
{
	struct conf c;
	struct schedule_params schedule;
	struct phase_params par;
	struct phases ph;
	struct err e = {0};
	u32 longest = 0, shortest = UINT32_MAX;
	conf_defaults(&c);
	schedule_params_of(&schedule, &c);
	phase_params_of(&par, &c);
	struct module *m = ptx_load_file_for("configs/kernels/lud.ptx", &schedule, &e);
	if (!m)
		fail_msg("%s", e.msg);
	phases_find(&ph, m, module_func(m, "lud_internal", true), &par);
	for (u32 i = 0; i < ph.n; i++) {
		longest = MAX(longest, ph.list[i].length);
		shortest = MIN(shortest, ph.list[i].length);
	}
	assert_in_range(longest, 130, 150);
	assert_in_range(shortest, 6, 7);
	phases_release(&ph);
	module_free(m);
}

static void console(void **state)
{
	struct rig r;
	rig_vecadd(&r);
	rig_has(&r, "info phases vecadd", "result of line 50");
	rig_has(&r, "info phases", "vecadd (vecadd.ptx:25), 22 instructions");
	rig_has(&r, "info points", "2 found");
	rig_has(&r, "info points", "ld.global.f32");
	rig_has(&r, "info idempotence", "idempotent, a CTA may be restarted");
	rig_fails(&r, "info phases nope", "no kernel 'nope'");
	rig_has(&r, "info control", "This machine has a scoreboard");
	rig_fails(&r, "info points vecadd 3", "'3' is left over");
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(phases_of_a_vector_addition),
	    cmocka_unit_test(phases_and_overwritten_registers),
	    cmocka_unit_test(phases_at_a_call),
	    cmocka_unit_test(phases_through_blocks),
	    cmocka_unit_test(points_of_nested_loops),
	    cmocka_unit_test(points_by_kind),
	    cmocka_unit_test(points_merge_loads),
	    cmocka_unit_test(points_merge_a_branch),
	    cmocka_unit_test(points_that_cannot_merge),
	    cmocka_unit_test(points_of_an_indexed_branch),
	    cmocka_unit_test(reads_then_writes_its_buffer),
	    cmocka_unit_test(writes_another_buffer),
	    cmocka_unit_test(atomics),
	    cmocka_unit_test(registers_that_change_buffers),
	    cmocka_unit_test(buffers_that_move_along),
	    cmocka_unit_test(unknown_addresses),
	    cmocka_unit_test(variables),
	    cmocka_unit_test(callees_and_loops),
	    cmocka_unit_test(printing),
	    cmocka_unit_test(every_kernel),
	    cmocka_unit_test(points_as_published),
	    cmocka_unit_test(phase_lengths_of_lud),
	    cmocka_unit_test(console),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
