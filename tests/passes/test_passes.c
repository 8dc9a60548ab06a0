/* The passes on random control flow, against their definitions worked out the slow way: liveness and register
 * allocation (no two registers alive at one instruction share a slot), immediate post-dominators. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "passes/postdom.h"
#include "passes/regalloc.h"

/* --- allocation --------------------------------------------------------------------------------------------------- */

#define MAX_REGS 24
#define MAX_CODE 60

static struct inst random_inst(u64 *rng, const u8 *vclass, u32 nregs, u32 pc, u32 n)
{
	struct inst in = {.op = OP_ADD, .vec = 1, .guard = OPND_NONE, .target = -1};
	memset(in.d, 0xff, sizeof(in.d));
	memset(in.s, 0xff, sizeof(in.s));
	if (rng_next(rng) % 5 == 0 && pc + 1 < n) {
		in.op = OP_BRA;
		in.target = (s32)(rng_next(rng) % n);
	} else {
		in.d[0] = (opnd)(rng_next(rng) % nregs);
		if (rng_next(rng) % 4 == 0)
			in.d[1] = (opnd)(rng_next(rng) % nregs);
		for (u32 k = 0; k < rng_next(rng) % 4; k++)
			in.s[k] = (opnd)(rng_next(rng) % nregs);
	}
	u32 g = (u32)(rng_next(rng) % nregs);
	if (vclass[g] == VC_PRED && rng_next(rng) % 2)
		in.guard = g;
	if (pc + 1 == n)
		in = (struct inst){.op = OP_RET,
		                   .guard = OPND_NONE,
		                   .d = {OPND_NONE, OPND_NONE, OPND_NONE, OPND_NONE},
		                   .s = {OPND_NONE, OPND_NONE, OPND_NONE, OPND_NONE, OPND_NONE}};
	return in;
}

static bool mentions(const opnd *o, u32 n, u32 reg)
{
	for (u32 i = 0; i < n; i++)
		if (o[i] == reg)
			return true;
	return false;
}

/* Liveness by its definition, one bit at a time over single instructions: live[pc] = registers live before pc. */
static void plain_liveness(const struct inst *code, u32 n, u32 nregs, bool live[MAX_CODE + 1][MAX_REGS])
{
	memset(live, 0, sizeof(bool) * (MAX_CODE + 1) * MAX_REGS);
	for (bool changed = true; changed;) {
		changed = false;
		for (u32 pc = n; pc-- > 0;)
			for (u32 r = 0; r < nregs; r++) {
				const struct inst *in = &code[pc];
				bool out = false;
				if (in->op == OP_BRA)
					out |= live[in->target][r];
				if (!inst_ends_block(in))
					out |= live[pc + 1][r];
				bool kills = in->guard == OPND_NONE && mentions(in->d, 4, r);
				bool now = mentions(in->s, 5, r) || in->guard == r || (out && !kills);
				changed |= now != live[pc][r];
				live[pc][r] = now;
			}
	}
}

static void check_disjoint(const struct regalloc *ra, const struct fn *f, bool live[MAX_CODE + 1][MAX_REGS])
{
	for (u32 pc = 0; pc < f->end; pc++) {
		u32 owner[3 * MAX_REGS], preds[3 * MAX_REGS];
		memset(owner, 0xff, sizeof(owner));
		memset(preds, 0xff, sizeof(preds));
		for (u32 r = 0; r < f->nregs; r++) {
			if (!live[pc][r] && !mentions(f->code[pc].d, 4, r))
				continue;
			u32 *at = f->vclass[r] == VC_PRED ? preds : owner, width = f->vclass[r] == VC_64 ? 2 : 1;
			assert_true(ra->index[r] != UINT32_MAX);
			for (u32 k = 0; k < width; k++) {
				assert_true(at[ra->index[r] + k] == UINT32_MAX);
				at[ra->index[r] + k] = r;
			}
		}
	}
}

static void test_allocation(void **state)
{
	u64 rng = 7;
	for (u32 round = 0; round < 3000; round++) {
		struct inst code[MAX_CODE];
		u8 vclass[MAX_REGS];
		u32 n = 2 + (u32)(rng_next(&rng) % (MAX_CODE - 2)), nregs = 1 + (u32)(rng_next(&rng) % MAX_REGS);
		for (u32 r = 0; r < nregs; r++)
			vclass[r] = (u8)(rng_next(&rng) % 3);
		for (u32 pc = 0; pc < n; pc++)
			code[pc] = random_inst(&rng, vclass, nregs, pc, n);
		struct fn f = {.code = code, .end = n, .vclass = vclass, .nregs = nregs, .carry = OPND_NONE};
		struct cfg g;
		struct liveness l;
		struct regalloc ra;
		struct err e = {0};
		static bool live[MAX_CODE + 1][MAX_REGS];
		cfg_build(&g, &f);
		assert_true(liveness_compute(&l, &f, &g, &e));
		assert_true(regalloc_run(&ra, &f, &l, &e));
		plain_liveness(code, n, nregs, live);
		/* unreachable code follows the same equations in both */
		check_disjoint(&ra, &f, live);
		regalloc_release(&ra);
		liveness_release(&l);
		cfg_release(&g);
	}
}

/* --- post-dominators ------------------------------------------------------------------------------------------- */

/* Can the exit be reached from `from` without passing `without`? */
static bool exit_without(const struct cfg *g, u32 from, u32 without, bool *seen)
{
	if (from == without || seen[from])
		return false;
	seen[from] = true;
	if (g->blocks[from].exits)
		return true;
	for (u32 k = 0; k < g->blocks[from].nsucc; k++)
		if (exit_without(g, g->edges[g->blocks[from].succ + k], without, seen))
			return true;
	return false;
}

static bool postdominates(const struct cfg *g, u32 a, u32 b)
{
	bool seen[MAX_CODE] = {0};
	return a != b && !exit_without(g, b, a, seen);
}

/* The immediate one is the strict post-dominator that all other strict ones post-dominate. */
static u32 slow_ipdom(const struct cfg *g, u32 b)
{
	for (u32 a = 0; a < g->nblocks; a++) {
		bool nearest = postdominates(g, a, b);
		for (u32 c = 0; nearest && c < g->nblocks; c++)
			nearest = c == a || !postdominates(g, c, b) || postdominates(g, c, a);
		if (nearest)
			return a;
	}
	return g->nblocks;
}

static bool all_reach_exit(const struct cfg *g)
{
	for (u32 b = 0; b < g->nblocks; b++) {
		bool seen[MAX_CODE] = {0};
		if (!exit_without(g, b, UINT32_MAX, seen))
			return false;
	}
	return true;
}

static void test_postdominators(void **state)
{
	u64 rng = 99;
	u32 checked = 0;
	for (u32 round = 0; round < 1500; round++) {
		struct inst code[MAX_CODE];
		u8 vclass[2] = {VC_PRED, VC_32};
		u32 n = 2 + (u32)(rng_next(&rng) % 30);
		for (u32 pc = 0; pc < n; pc++)
			code[pc] = random_inst(&rng, vclass, 2, pc, n);
		struct fn f = {.code = code, .end = n, .vclass = vclass, .nregs = 2, .carry = OPND_NONE};
		struct cfg g;
		u32 ipdom[MAX_CODE];
		cfg_build(&g, &f);
		postdom_compute(&g, ipdom);
		for (u32 b = 0; b < g.nblocks; b++)
			assert_true(ipdom[b] <= g.nblocks && ipdom[b] != b);
		if (all_reach_exit(&g))
			for (u32 b = 0; b < g.nblocks; b++, checked++)
				assert_int_equal(ipdom[b], slow_ipdom(&g, b));
		cfg_release(&g);
	}
	assert_true(checked > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_allocation),
	    cmocka_unit_test(test_postdominators),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
