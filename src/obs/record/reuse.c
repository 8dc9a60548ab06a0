#include "obs/record/reuse.h"

#include <stdlib.h>

#include "base/bits.h"
#include "mem/use.h"

const char *const reuse_names[REUSE_KINDS] = {"same warp", "same CTA", "another CTA of the SM", "another SM",
                                              "not known"};

void reuse_init(struct reuse *r, struct gpu *g, u64 from, u64 to)
{
	const struct conf *c = gpu_conf(g);
	*r = (struct reuse){.from = from, .to = to, .n = {c->num_sms, c->partitions * c->l2_slices}, .g = g};
	for (u32 k = 0; k < REUSE_LEVELS; k++) {
		struct cache_shape x;
		if (k == REUSE_L1D)
			mem_l1d_shape(gpu_mem(g), 0, &x);
		else
			mem_slice_shape(gpu_mem(g), 0, &x);
		r->lines[k] = x.sets * (x.ways - x.lent);
		r->of[k] = xcalloc(r->n[k], sizeof *r->of[k]);
	}
	r->stack = xcalloc(r->n[REUSE_L1D] + r->n[REUSE_L2], sizeof(struct reuse_stack *));
	for (u32 i = 0; i < r->n[REUSE_L1D] + r->n[REUSE_L2]; i++)
		r->stack[i] = reuse_stack_new();
}

static void free_stacks(struct reuse *r)
{
	for (u32 i = 0; r->stack && i < r->n[REUSE_L1D] + r->n[REUSE_L2]; i++)
		reuse_stack_free(r->stack[i]);
	free(r->stack);
	r->stack = NULL;
}

void reuse_release(struct reuse *r)
{
	free_stacks(r);
	for (u32 k = 0; k < REUSE_LEVELS; k++)
		free(r->of[k]);
	free(r->line);
}

u64 reuse_bin_from(u32 bin)
{
	return bin ? BIT(bin - 1) : 0;
}

static u32 bin_of(u32 distance)
{
	return distance ? log2_floor(distance) + 1 : 0;
}

static enum reuse_of kind_of(const struct use_who *a, const struct use_who *b)
{
	if (a->whose != WHOSE_WARP || b->whose != WHOSE_WARP)
		return REUSE_NONE;
	if (a->sm != b->sm)
		return REUSE_AWAY;
	if (a->kernel != b->kernel || a->cta != b->cta)
		return REUSE_SM;
	return a->warp == b->warp ? REUSE_WARP : REUSE_CTA;
}

static void count(struct reuse_hist *h, const struct use *u, u32 distance, const struct use_who *before)
{
	h->accesses++;
	h->found[u->n.result]++;
	if (!u->n.touched) {
		h->passed++;
		return;
	}
	h->lookups++;
	h->hits += u->n.result == USE_HIT || u->n.result == USE_MERGED;
	if (distance == REUSE_COLD) {
		h->cold++;
	} else if (distance == REUSE_REMOVED) {
		h->removed++;
	} else {
		h->bin[bin_of(distance)]++;
		h->kind[kind_of(&u->who, before)][bin_of(distance)]++;
	}
}

static struct reuse_line *line_of(struct reuse *r, const struct use_who *w, const void *module)
{
	u32 *hint = &r->hint[(w->pc ^ (u32)((uintptr_t)module >> 4)) % ARRAY_LEN(r->hint)];
	if (*hint && r->line[*hint - 1].pc == w->pc && r->line[*hint - 1].module == module)
		return &r->line[*hint - 1];
	for (u32 i = 0; i < r->nlines; i++)
		if (r->line[i].pc == w->pc && r->line[i].module == module) {
			*hint = i + 1;
			return &r->line[i];
		}
	if (r->nlines == r->lines_size) {
		r->lines_size = MAX(2 * r->lines_size, 16u);
		r->line = xrealloc(r->line, r->lines_size * sizeof *r->line);
	}
	r->line[r->nlines] = (struct reuse_line){.kernel = w->kernel, .pc = w->pc, .module = module};
	return &r->line[r->nlines++];
}

struct kept {
	const struct gpu *g;
	u32 sm;
};
static bool is_kept(void *ctx, u64 line)
{
	const struct kept *k = ctx;
	return mem_l1d_place(gpu_mem(k->g), k->sm, line) != USE_NOWHERE;
}

void reuse_add(struct reuse *r, const struct use *u, const void *module)
{
	const struct use_news *n = &u->n;
	const enum reuse_level level = n->slice == USE_NOWHERE ? REUSE_L1D : REUSE_L2;
	const u32 unit = level == REUSE_L1D ? n->sm : n->slice;
	struct reuse_stack *s = r->stack[level == REUSE_L1D ? unit : r->n[REUSE_L1D] + unit];
	struct use_who before = {0};
	u32 distance = 0;
	if (level == REUSE_L1D && n->cache != MC_L1D)
		return;
	if (n->what == USE_GONE) {
		reuse_stack_remove(s, n->line, n->have);
		return;
	}
	if (n->what == USE_EMPTIED) {
		struct kept k = {r->g, n->sm};
		reuse_stack_clear(s, is_kept, &k);
		return;
	}
	if (n->touched)
		distance = reuse_stack_use(s, n->line, n->need, n->have, &u->who, &before);
	if (n->cycle < r->from || n->cycle >= r->to)
		return;
	count(&r->of[level][unit], u, distance, &before);
	if (u->who.whose == WHOSE_WARP && u->who.pc != UINT32_MAX)
		count(&line_of(r, &u->who, module)->of[level], u, distance, &before);
}

static void add(struct reuse_hist *to, const struct reuse_hist *h)
{
	u64 *a = (u64 *)to;
	const u64 *b = (const u64 *)h;
	for (u32 i = 0; i < sizeof *h / sizeof *b; i++)
		a[i] += b[i];
}

static int by_accesses(const void *a, const void *b)
{
	const struct reuse_line *x = a, *y = b;
	for (u32 k = 0; k < REUSE_LEVELS; k++)
		if (x->of[k].accesses != y->of[k].accesses)
			return x->of[k].accesses > y->of[k].accesses ? -1 : 1;
	if (x->kernel != y->kernel)
		return x->kernel < y->kernel ? -1 : 1;
	return (x->pc > y->pc) - (x->pc < y->pc);
}

void reuse_finish(struct reuse *r)
{
	_Static_assert(sizeof(struct reuse_hist) % sizeof(u64) == 0, "counters only");
	for (u32 k = 0; k < REUSE_LEVELS; k++)
		for (u32 i = 0; i < r->n[k]; i++)
			add(&r->all[k], &r->of[k][i]);
	if (r->nlines)
		qsort(r->line, r->nlines, sizeof *r->line, by_accesses);
	free_stacks(r);
}

u64 reuse_hits(const struct reuse_hist *h, u32 k)
{
	u64 n = 0;
	for (u32 i = 0; i <= k && i < REUSE_BINS; i++)
		n += h->bin[i];
	return n;
}
