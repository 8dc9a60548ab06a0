#include "passes/regalloc.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

/* A colour (predicate word or slot) is a bit row over the function's pcs: set = occupied. */
struct colours {
	u64 *rows[SB_IDS_MAX];
	u32 n, words, base;
};

static bool row_free(const u64 *row, u32 from, u32 to)
{
	u32 a = from / 64, b = (to - 1) / 64;
	u64 first = ~0ull << (from % 64), last = ~0ull >> (63 - (to - 1) % 64);
	if (a == b)
		return !(row[a] & first & last);
	if (row[a] & first || row[b] & last)
		return false;
	for (u32 i = a + 1; i < b; i++)
		if (row[i])
			return false;
	return true;
}

static void row_take(u64 *row, u32 from, u32 to)
{
	for (u32 i = from; i < to;) {
		u32 n = MIN(64 - i % 64, to - i);
		row[i / 64] |= bit_range(n) << (i % 64);
		i += n;
	}
}

static bool colour_free(const struct colours *c, u32 k, const struct live_seg *s, u32 n)
{
	if (k >= c->n)
		return true;
	for (u32 i = 0; i < n; i++)
		if (!row_free(c->rows[k], s[i].from - c->base, s[i].to - c->base))
			return false;
	return true;
}

static void colour_take(struct colours *c, u32 k, const struct live_seg *s, u32 n)
{
	while (c->n <= k)
		c->rows[c->n++] = xcalloc(c->words, sizeof(u64));
	for (u32 i = 0; i < n; i++)
		row_take(c->rows[k], s[i].from - c->base, s[i].to - c->base);
}

/* Lowest colour that is free over the register's segments; UINT32_MAX when they run out. */
static u32 place(struct colours *c, const struct live_seg *s, u32 n)
{
	for (u32 k = 0; k < SB_IDS_MAX; k++) {
		if (!colour_free(c, k, s, n))
			continue;
		colour_take(c, k, s, n);
		return k;
	}
	return UINT32_MAX;
}

struct by_start {
	u32 from, reg;
};
static int cmp_start(const void *a, const void *b)
{
	const struct by_start *x = a, *y = b;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->reg < y->reg ? -1 : x->reg > y->reg;
}

static u32 collect(const struct fn *f, const struct liveness *l, enum vclass want, struct by_start *list)
{
	u32 n = 0;
	for (u32 r = 0; r < f->nregs; r++)
		if (f->vclass[r] == want && r != f->carry && l->first[r] < l->first[r + 1])
			list[n++] = (struct by_start){l->segs[l->first[r]].from, r};
	qsort(list, n, sizeof(*list), cmp_start);
	return n;
}

static bool colour_class(struct regalloc *ra, const struct fn *f, const struct liveness *l, enum vclass want,
                         struct colours *c, struct by_start *list)
{
	u32 n = collect(f, l, want, list);
	for (u32 i = 0; i < n; i++) {
		u32 r = list[i].reg;
		ra->index[r] = place(c, &l->segs[l->first[r]], l->first[r + 1] - l->first[r]);
		if (ra->index[r] == UINT32_MAX)
			return false;
	}
	return true;
}

static void colours_release(struct colours *c)
{
	for (u32 i = 0; i < c->n; i++)
		free(c->rows[i]);
	free(c);
}

static struct colours *colours_new(const struct fn *f)
{
	struct colours *c = xcalloc(1, sizeof(*c));
	c->base = f->begin;
	c->words = (f->end - f->begin + 63) / 64;
	return c;
}

/* From colours to first slots: 64-bit registers in front, two slots each, then the 32-bit ones. */
static void lay_out(struct regalloc *ra, const struct fn *f, u32 nwide)
{
	for (u32 r = 0; r < f->nregs; r++) {
		if (ra->index[r] == UINT32_MAX || f->vclass[r] == VC_PRED)
			continue;
		ra->index[r] = f->vclass[r] == VC_64 ? 2 * ra->index[r] : 2 * nwide + ra->index[r];
	}
}

bool regalloc_run(struct regalloc *ra, const struct fn *f, const struct liveness *l, struct err *e)
{
	*ra = (struct regalloc){.nregs = f->nregs, .index = xmalloc((f->nregs + 1) * sizeof(u32))};
	memset(ra->index, 0xff, (f->nregs + 1) * sizeof(u32));
	struct colours *preds = colours_new(f), *wide = colours_new(f), *slots = colours_new(f);
	struct by_start *list = xmalloc((f->nregs + 1) * sizeof(*list));
	bool ok = colour_class(ra, f, l, VC_PRED, preds, list) && colour_class(ra, f, l, VC_64, wide, list) &&
	          colour_class(ra, f, l, VC_32, slots, list);
	ra->npreds = preds->n;
	ra->wide_slots = 2 * wide->n;
	ra->nslots = ra->wide_slots + slots->n;
	lay_out(ra, f, wide->n);
	if (f->carry != OPND_NONE)
		ra->index[f->carry] = ra->npreds++;
	if (!ok || ra->npreds + ra->nslots > SB_IDS_MAX)
		ok = err_set(e, "needs more than %u scoreboard ids (predicates and 32-bit register slots live at once)",
		             SB_IDS_MAX);
	free(list);
	colours_release(preds);
	colours_release(wide);
	colours_release(slots);
	return ok;
}

void regalloc_release(struct regalloc *ra)
{
	free(ra->index);
	*ra = (struct regalloc){0};
}

u32 regalloc_pred_bytes(const struct regalloc *ra)
{
	return (u32)round_up(ra->npreds * 4ull, 128);
}
u32 regalloc_frame_bytes(const struct regalloc *ra)
{
	return regalloc_pred_bytes(ra) + ra->nslots * 128;
}

opnd regalloc_opnd(const struct regalloc *ra, const struct fn *f, u32 vreg)
{
	u32 i = ra->index[vreg];
	return f->vclass[vreg] == VC_PRED ? i * 4 : regalloc_pred_bytes(ra) + i * 128;
}

u16 regalloc_sb(const struct regalloc *ra, const struct fn *f, u32 vreg)
{
	return (u16)(f->vclass[vreg] == VC_PRED ? ra->index[vreg] : ra->npreds + ra->index[vreg]);
}

static void add_id(u16 *ids, u8 *regs, u8 *n, u16 id, u32 vreg)
{
	for (u32 i = 0; i < *n; i++)
		if (ids[i] == id)
			return;
	regs[*n] = (u8)vreg;
	ids[(*n)++] = id;
}

static void add_read(u8 *reads, u8 *n, u32 vreg)
{
	for (u32 i = 0; i < *n; i++)
		if (reads[i] == (u8)vreg)
			return;
	reads[(*n)++] = (u8)vreg;
}

void regalloc_apply(const struct regalloc *ra, const struct fn *f)
{
	for (u32 pc = f->begin; pc < f->end; pc++) {
		struct inst *in = &f->code[pc];
		struct wide *w = in->wide;
		opnd *d = w ? w->d : in->d, *s = w ? w->s : in->s;
		u16 *sb_dst = w ? w->sb_dst : in->sb_dst, *sb_src = w ? w->sb_src : in->sb_src;
		u8 *reads = w ? w->reads : in->reads;
		u8 *dst_reg = w ? w->dst_reg : in->dst_reg, *src_reg = w ? w->src_reg : in->src_reg;
		for (u32 k = 0; k < inst_ndst(in); k++)
			if (opnd_is_vreg(d[k])) {
				add_id(sb_dst, dst_reg, &in->n_sb_dst, regalloc_sb(ra, f, d[k]), d[k]);
				d[k] = regalloc_opnd(ra, f, d[k]);
			}
		for (u32 k = 0; k < inst_nsrc(in); k++)
			if (opnd_is_vreg(s[k])) {
				add_id(sb_src, src_reg, &in->n_sb_src, regalloc_sb(ra, f, s[k]), s[k]);
				add_read(reads, &in->n_reads, s[k]);
				s[k] = regalloc_opnd(ra, f, s[k]);
			}
		if (in->guard != OPND_NONE) {
			add_id(sb_src, src_reg, &in->n_sb_src, regalloc_sb(ra, f, in->guard), in->guard);
			in->guard = regalloc_opnd(ra, f, in->guard);
		}
	}
}
