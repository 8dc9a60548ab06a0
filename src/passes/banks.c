#include "passes/banks.h"

#include <stdlib.h>

#include "base/bits.h"
#include "passes/cfg.h"

enum { OPERANDS = 3, NO_REG = UINT32_MAX };

/* A function's registers, by slot of its frame. */
struct regs {
	const struct func *f;
	u32 n;
	u8 *bank;
	struct pair { /* read by one instruction */
		u32 a, b;
	} * pairs;
	u32 npairs;
};

/* The register in the k-th operand's place, or NO_REG. */
static u32 reg_at(const struct regs *r, const struct inst *in, u32 k)
{
	const opnd o = in->s[k];
	if (!opnd_is_vreg(o) || o < r->f->pred_bytes)
		return NO_REG;
	return (o - r->f->pred_bytes) / 128;
}

static bool is_wide(const struct regs *r, u32 reg)
{
	return reg < r->f->wide_slots;
}

static bool is_counted(const struct inst *in, const struct control_timing *t)
{
	return t->kind == CONTROL_FIXED && !in->wide;
}

/* Is it the first place of the instruction that has this register? Each is read once. */
static bool is_first(const struct regs *r, const struct inst *in, u32 k)
{
	for (u32 i = 0; i < k; i++)
		if (reg_at(r, in, i) == reg_at(r, in, k))
			return false;
	return true;
}

/* --- which bank --------------------------------------------------------------------------------------------------- */

static void add_pairs(struct regs *r, const struct inst *in)
{
	for (u32 a = 0; a < OPERANDS; a++)
		for (u32 b = a + 1; b < OPERANDS; b++) {
			const u32 x = reg_at(r, in, a), y = reg_at(r, in, b);
			if (x == NO_REG || y == NO_REG || x == y || is_wide(r, x) || is_wide(r, y))
				continue;
			r->pairs[r->npairs++] = (struct pair){x, y};
			r->pairs[r->npairs++] = (struct pair){y, x};
		}
}

static int cmp_pair(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return x->b < y->b ? -1 : x->b > y->b;
}

struct degree {
	u32 reg, first, n; /* its pairs */
};

static int cmp_degree(const void *a, const void *b)
{
	const struct degree *x = a, *y = b;
	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return x->reg < y->reg ? -1 : x->reg > y->reg;
}

static void choose_banks(struct regs *r)
{
	enum { NOWHERE = 2 };
	struct degree *d = xcalloc(r->n + 1, sizeof *d);
	u32 nd = 0;
	qsort(r->pairs, r->npairs, sizeof *r->pairs, cmp_pair);
	for (u32 i = 0; i < r->npairs; i++) {
		if (!nd || d[nd - 1].reg != r->pairs[i].a)
			d[nd++] = (struct degree){.reg = r->pairs[i].a, .first = i};
		d[nd - 1].n++;
	}
	for (u32 i = 0; i < nd; i++)
		r->bank[d[i].reg] = NOWHERE;
	qsort(d, nd, sizeof *d, cmp_degree);
	for (u32 i = 0; i < nd; i++) {
		u32 near[NOWHERE + 1] = {0};
		for (u32 k = 0; k < d[i].n; k++)
			near[r->bank[r->pairs[d[i].first + k].b]]++;
		r->bank[d[i].reg] = near[1] < near[0] || (near[1] == near[0] && (d[i].reg & 1));
	}
	free(d);
}

/* --- what is read ------------------------------------------------------------------------------------------------- */

/* Of the last instruction with a slot: its registers by place; NO_REG: none, or written since. */
struct last_read {
	u32 reg[OPERANDS];
};

static bool is_reused(const struct last_read *l, u32 reg, u32 place)
{
	return l->reg[place] == reg || (place < 2 && l->reg[1 - place] == reg);
}

static void forget_written(const struct regs *r, const struct inst *in, struct last_read *l)
{
	for (u32 k = 0; k < inst_ndst(in); k++) {
		const opnd o = inst_dst(in, k);
		for (u32 i = 0; i < OPERANDS; i++)
			if (opnd_is_vreg(o) && o >= r->f->pred_bytes && l->reg[i] == (o - r->f->pred_bytes) / 128)
				l->reg[i] = NO_REG;
	}
}

static void count_reads(const struct regs *r, const struct inst *in, const struct last_read *l, struct control_word *c)
{
	for (u32 k = 0; k < OPERANDS; k++) {
		const u32 reg = reg_at(r, in, k);
		if (reg == NO_REG || !is_first(r, in, k))
			continue;
		for (u32 b = 0; b < 2; b++) {
			if (!is_wide(r, reg) && r->bank[reg] != b)
				continue;
			c->reads[b]++;
			c->reused[b] += is_reused(l, reg, k);
		}
	}
}

static void count_block(const struct regs *r, const struct module *m, const struct block *b,
                        const struct control_timing *timing, struct control_word *word)
{
	struct last_read last = {{NO_REG, NO_REG, NO_REG}};
	for (u32 pc = b->begin; pc < b->end; pc++) {
		const struct inst *in = &m->code[pc];
		const bool counted = is_counted(in, &timing[pc]);
		if (counted)
			count_reads(r, in, &last, &word[pc]);
		if (timing[pc].kind != CONTROL_FREE)
			for (u32 k = 0; k < OPERANDS; k++)
				last.reg[k] = counted ? reg_at(r, in, k) : NO_REG;
		forget_written(r, in, &last);
	}
}

static void count_function(const struct module *m, const struct func *f, const struct control_timing *timing,
                           struct control_word *word)
{
	const u32 n = (f->frame_bytes - f->pred_bytes) / 128;
	struct regs r = {.f = f, .n = n, .bank = xcalloc(n + 1, 1)};
	r.pairs = xcalloc((size_t)(f->end - f->entry) * OPERANDS * (OPERANDS - 1) + 1, sizeof *r.pairs);
	for (u32 pc = f->entry; pc < f->end; pc++)
		if (is_counted(&m->code[pc], &timing[pc]))
			add_pairs(&r, &m->code[pc]);
	choose_banks(&r);
	struct fn fn = {.code = m->code, .begin = f->entry, .end = f->end, .tables = m->tables};
	struct cfg g;
	cfg_build(&g, &fn);
	for (u32 b = 0; b < g.nblocks; b++)
		count_block(&r, m, &g.blocks[b], timing, word);
	cfg_release(&g);
	free(r.pairs);
	free(r.bank);
}

void banks_count(const struct module *m, const struct control_timing *timing, struct control_word *word)
{
	for (u32 i = 0; i < m->nfuncs; i++)
		if (m->funcs[i].entry != m->funcs[i].end)
			count_function(m, &m->funcs[i], timing, word);
}
