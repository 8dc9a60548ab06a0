/* The issue table: per instruction of a module, what issue looks up every cycle, folded from the IR and the
 * configuration. */
#include <stdlib.h>

#include "passes/timing.h"
#include "sm/deps.h"

static bool is_f32_arithmetic(u32 cls)
{
	return cls == IC_F32_ADD || cls == IC_F32_MAX || cls == IC_F32_MUL || cls == IC_F32_MAD;
}

/* Of the classes that SP executes unless they have units of their own. */
static enum unit sp_or_int(const struct conf *c, const struct inst *in)
{
	const bool product = in->cls == IC_INT_MUL || in->cls == IC_INT_MAD;
	if (!c->sm_int_units || is_f32_arithmetic(in->cls))
		return UNIT_SP;
	return product && c->sm_int_mul_unit == INT_MUL_F32 ? UNIT_SP : UNIT_INT;
}

enum unit issue_unit(const struct conf *c, const struct inst *in)
{
	if (c->sm_convert_unit == CONVERT_SFU && inst_converts(in))
		return UNIT_SFU;
	switch (in->cls) {
	case IC_INT_MUL:
	case IC_INT_MAD: return c->sm_int_mul_unit == INT_MUL_SFU ? UNIT_SFU : sp_or_int(c, in);
	case IC_INT_DIV:
	case IC_F32_DIV:
	case IC_SFU: return UNIT_SFU;
	case IC_F64_LOGIC:
		if (c->sm_f64_logic == F64_LOGIC_SP)
			return sp_or_int(c, in);
		return c->sm_f64_unit == F64_UNIT_SFU ? UNIT_SFU : UNIT_DP;
	case IC_F64_ADD:
	case IC_F64_MAX ... IC_F64_DIV: return c->sm_f64_unit == F64_UNIT_SFU ? UNIT_SFU : UNIT_DP;
	case IC_TENSOR: return UNIT_TENSOR;
	case IC_GLOBAL:
	case IC_ATOMIC:
	case IC_SHARED:
	case IC_CONST:
	case IC_TEX: return UNIT_LSU;
	default: return sp_or_int(c, in);
	}
}

static void add_ids(struct issue_info *o, const u16 *id, u32 n, bool dst)
{
	for (u32 i = 0; i < n; i++) {
		if (id[i] >= 128) {
			o->flags |= II_BIG;
			continue;
		}
		o->use[id[i] / 64] |= BIT(id[i] % 64);
		if (dst)
			o->dst[id[i] / 64] |= BIT(id[i] % 64);
	}
}

static void fill(const struct conf *c, const struct inst *in, struct issue_info *o)
{
	const enum unit unit = issue_unit(c, in);
	bool lsu = unit == UNIT_LSU; /* takes its own time */
	struct class_timing t = lsu ? (struct class_timing){1, 1} : inst_timing(c, in);
	*o = (struct issue_info){.lat = (u16)(t.lat + c->sm_read_latency + c->sm_write_latency),
	                         .ii = (u16)t.ii,
	                         .cls = in->cls,
	                         .unit = (u8)unit};
	o->cost = c->isa_issue_cost == ISSUE_COST_PTX ? 1 : in->cost;
	if (o->unit == UNIT_LSU && o->cost > 1)
		o->cost = 1;
	add_ids(o, inst_sb_dst(in), in->n_sb_dst, true);
	add_ids(o, inst_sb_src(in), in->n_sb_src, false);
	if (in->op == OP_CALL || (in->op == OP_RET && !(in->flags & IF_EXITS)))
		o->flags |= II_WAIT_ALL;
	if (in->cls == IC_CTRL)
		o->flags |= II_ALONE;
	if (o->unit == UNIT_LSU && in->n_sb_dst)
		o->flags |= II_LOAD;
	if (c->sm_dependences == DEPENDENCES_COUNTERS)
		o->flags |= II_WORDS;
}

/* A fetch brings sm.fetch_width instructions that take slots, and the free ones around them (machine code has none of
 * those), but nothing beyond the cache line. */
static u8 fetch_count(const struct conf *c, const struct module *m, const struct issue_info *t, u32 pc)
{
	u32 per_line = c->l1i_line / 8, slots = 0, n = 0;
	for (; pc + n < m->ncode && n < 255; n++) {
		if (n && (pc + n) % per_line == 0)
			break;
		if (t[pc + n].cost && slots++ == c->sm_fetch_width)
			break;
	}
	return (u8)n;
}

static struct issue_info *issue_table(const struct conf *c, const struct module *m)
{
	struct issue_info *t = xcalloc(m->ncode ? m->ncode : 1, sizeof *t);
	for (u32 i = 0; i < m->ncode; i++)
		fill(c, &m->code[i], &t[i]);
	for (u32 i = 0; i < m->ncode; i++)
		t[i].fetch_n = fetch_count(c, m, t, i);
	return t;
}

struct code_tables code_tables_make(const struct conf *c, const struct module *m)
{
	struct code_tables t = {.info = issue_table(c, m), .hint = hints_make(c, m)};
	t.word = deps_words(c, m, t.info);
	return t;
}

void code_tables_free(struct code_tables *t)
{
	free(t->info);
	free(t->hint);
	free(t->word);
	free(t->count);
	*t = (struct code_tables){0};
}
