#include "passes/liveness.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

/* Only registers that some block reads before writing them can be live across a block boundary; the bit sets hold those
 * alone (most registers of compiler output live inside one block). */
struct work {
	const struct fn *f;
	const struct cfg *g;
	u32 *bit_of; /* register -> bit, UINT32_MAX = local to a block */
	u32 *reg_of; /* bit -> register */
	u32 nbits, words;
	u64 *in, *out, *def; /* [block][words]; `in` starts as the upward exposed uses */
	u32 *open;           /* register -> end of the segment being built, 0 = not live */
	u32 *touched, ntouched;
	u32 *last_seg; /* register -> index + 1 of its latest segment */
	struct liveness *l;
	u32 cap;
};

#define FOR_EACH_USE(o, in)                                                                                            \
	for (u32 k_ = 0, n_ = inst_nsrc(in), o; k_ <= n_ && (o = k_ < n_ ? inst_src(in, k_) : (in)->guard, true); k_++)    \
		if (opnd_is_vreg(o))
#define FOR_EACH_DEF(o, in)                                                                                            \
	for (u32 k_ = 0, n_ = inst_ndst(in), o; k_ < n_ && (o = inst_dst(in, k_), true); k_++)                             \
		if (opnd_is_vreg(o))

static void find_globals(struct work *w)
{
	u32 n = w->f->nregs;
	w->bit_of = xmalloc((n + 1) * sizeof(u32));
	w->reg_of = xmalloc((n + 1) * sizeof(u32));
	memset(w->bit_of, 0xff, (n + 1) * sizeof(u32));
	u32 *defined_in = xcalloc(n + 1, sizeof(u32)); /* block + 1 */
	for (u32 b = 0; b < w->g->nblocks; b++)
		for (u32 pc = w->g->blocks[b].begin; pc < w->g->blocks[b].end; pc++) {
			const struct inst *in = &w->f->code[pc];
			FOR_EACH_USE(o, in)
			if (defined_in[o] != b + 1 && w->bit_of[o] == UINT32_MAX) {
				w->reg_of[w->nbits] = o;
				w->bit_of[o] = w->nbits++;
			}
			if (in->guard == OPND_NONE)
				FOR_EACH_DEF(o, in)
			defined_in[o] = b + 1;
		}
	free(defined_in);
	w->words = (w->nbits + 63) / 64;
}

static void block_sets(struct work *w, u32 b)
{
	u64 *use = w->in + (size_t)b * w->words, *def = w->def + (size_t)b * w->words;
	for (u32 pc = w->g->blocks[b].begin; pc < w->g->blocks[b].end; pc++) {
		const struct inst *in = &w->f->code[pc];
		FOR_EACH_USE(o, in)
		{
			u32 bit = w->bit_of[o];
			if (bit != UINT32_MAX && !(def[bit / 64] >> (bit % 64) & 1))
				use[bit / 64] |= BIT(bit % 64);
		}
		if (in->guard == OPND_NONE)
			FOR_EACH_DEF(o, in)
		if (w->bit_of[o] != UINT32_MAX)
			def[w->bit_of[o] / 64] |= BIT(w->bit_of[o] % 64);
	}
}

/* out = union of the successors' in; in |= out - def. Returns whether in grew. */
static bool flow(struct work *w, u32 b)
{
	const struct block *bl = &w->g->blocks[b];
	u64 *in = w->in + (size_t)b * w->words, *out = w->out + (size_t)b * w->words, *def = w->def + (size_t)b * w->words;
	for (u32 k = 0; k < bl->nsucc; k++) {
		const u64 *sin = w->in + (size_t)w->g->edges[bl->succ + k] * w->words;
		for (u32 i = 0; i < w->words; i++)
			out[i] |= sin[i];
	}
	u64 grew = 0;
	for (u32 i = 0; i < w->words; i++) {
		u64 now = in[i] | (out[i] & ~def[i]);
		grew |= now ^ in[i];
		in[i] = now;
	}
	return grew;
}

static void solve(struct work *w)
{
	u32 nb = w->g->nblocks, n = 0, head = 0;
	u32 *queue = xmalloc((nb + 1) * sizeof(u32)); /* ring: a block is in it at most once */
	bool *queued = xcalloc(nb, sizeof(bool));
	for (u32 b = nb; b-- > 0; n++) {
		block_sets(w, b);
		queue[n] = b;
		queued[b] = true;
	}
	while (n) {
		u32 b = queue[head];
		head = head + 1 == nb ? 0 : head + 1;
		n--;
		queued[b] = false;
		if (!flow(w, b))
			continue;
		for (u32 k = 0; k < w->g->blocks[b].npred; k++) {
			u32 p = w->g->edges[w->g->blocks[b].pred + k];
			if (queued[p])
				continue;
			queue[(head + n++) % nb] = p;
			queued[p] = true;
		}
	}
	free(queue);
	free(queued);
}

static void add_seg(struct work *w, u32 reg, u32 from, u32 to, bool at_def)
{
	struct liveness *l = w->l;
	if (w->last_seg[reg]) {
		struct live_seg *last = &l->segs[w->last_seg[reg] - 1];
		if (last->from == to && !last->at_def) { /* blocks come in falling pc order: join neighbours */
			last->from = from;
			last->at_def = at_def;
			return;
		}
	}
	if (l->nsegs == w->cap) {
		w->cap = w->cap ? w->cap * 2 : 256;
		l->segs = xrealloc(l->segs, w->cap * sizeof(*l->segs));
	}
	l->segs[l->nsegs++] = (struct live_seg){reg, from, to, at_def};
	w->last_seg[reg] = l->nsegs;
}

static void open_seg(struct work *w, u32 reg, u32 end)
{
	if (w->open[reg])
		return;
	w->open[reg] = end;
	w->touched[w->ntouched++] = reg;
}

static void scan_inst(struct work *w, u32 pc)
{
	const struct inst *in = &w->f->code[pc];
	FOR_EACH_DEF(o, in)
	{
		if (!w->open[o]) {
			add_seg(w, o, pc, pc + 1, true);
		} else if (in->guard == OPND_NONE) {
			add_seg(w, o, pc, w->open[o], true);
			w->open[o] = 0;
		}
	}
	FOR_EACH_USE(o, in)
	open_seg(w, o, pc + 1);
}

static void scan_block(struct work *w, u32 b)
{
	const struct block *bl = &w->g->blocks[b];
	const u64 *out = w->out + (size_t)b * w->words;
	w->ntouched = 0;
	for (u32 i = 0; i < w->words; i++)
		FOR_EACH_BIT(bit, out[i])
	open_seg(w, w->reg_of[i * 64 + bit], bl->end);
	for (u32 pc = bl->end; pc-- > bl->begin;)
		scan_inst(w, pc);
	for (u32 i = 0; i < w->ntouched; i++) {
		u32 reg = w->touched[i];
		if (w->open[reg])
			add_seg(w, reg, bl->begin, w->open[reg], false);
		w->open[reg] = 0;
	}
}

/* Counting sort by register; segments were made in falling pc order. */
static void sort_segs(struct liveness *l, u32 nregs)
{
	l->first = xcalloc(nregs + 2, sizeof(u32));
	l->nregs = nregs;
	for (u32 i = 0; i < l->nsegs; i++)
		l->first[l->segs[i].reg + 1]++;
	for (u32 r = 0; r < nregs; r++)
		l->first[r + 1] += l->first[r];
	struct live_seg *sorted = xmalloc((l->nsegs + 1) * sizeof(*sorted));
	u32 *at = xmalloc((nregs + 1) * sizeof(u32));
	memcpy(at, l->first, (nregs + 1) * sizeof(u32));
	for (u32 i = l->nsegs; i-- > 0;)
		sorted[at[l->segs[i].reg]++] = l->segs[i];
	free(at);
	free(l->segs);
	l->segs = sorted;
}

static void build_segs(struct work *w)
{
	u32 n = w->f->nregs;
	/* A register can be opened anew at each of its uses in a block. */
	size_t most = 0;
	for (u32 b = 0; b < w->g->nblocks; b++) {
		size_t uses = 0;
		for (u32 pc = w->g->blocks[b].begin; pc < w->g->blocks[b].end; pc++)
			uses += inst_nsrc(&w->f->code[pc]) + 1;
		most = MAX(most, uses);
	}
	w->open = xcalloc(n + 1, sizeof(u32));
	w->touched = xmalloc((w->nbits + most + 1) * sizeof(u32));
	w->last_seg = xcalloc(n + 1, sizeof(u32));
	for (u32 b = w->g->nblocks; b-- > 0;)
		scan_block(w, b);
	sort_segs(w->l, n);
	free(w->open);
	free(w->touched);
	free(w->last_seg);
}

bool liveness_compute(struct liveness *l, const struct fn *f, const struct cfg *g, struct err *e)
{
	*l = (struct liveness){0};
	struct work w = {.f = f, .g = g, .l = l};
	find_globals(&w);
	u64 bytes = 3ull * g->nblocks * w.words * sizeof(u64);
	bool ok = bytes <= LIVE_BYTES_MAX;
	if (ok) {
		w.in = xcalloc((size_t)g->nblocks * w.words + 1, sizeof(u64));
		w.out = xcalloc((size_t)g->nblocks * w.words + 1, sizeof(u64));
		w.def = xcalloc((size_t)g->nblocks * w.words + 1, sizeof(u64));
		solve(&w);
		build_segs(&w);
	} else {
		err_set(e, "too large to analyse: %u registers live across %u basic blocks", w.nbits, g->nblocks);
	}
	free(w.in);
	free(w.out);
	free(w.def);
	free(w.bit_of);
	free(w.reg_of);
	return ok;
}

void liveness_release(struct liveness *l)
{
	free(l->segs);
	free(l->first);
	*l = (struct liveness){0};
}
