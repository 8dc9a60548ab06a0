#include "obs/record/line_rows.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/lines.h"
#include "obs/name/names.h"

const char *const line_by_names[LINE_BYS] = {"pc", "ptx", "cuda"};

/* Instructions with the same key are one row; 0: none. */
static u64 key_of(const struct inst *in, u32 pc, enum line_by by)
{
	if (by == LINE_BY_PC)
		return pc + 1ull;
	if (by == LINE_BY_PTX)
		return in->line;
	return in->src_line ? (u64)in->src_file << 32 | in->src_line : 0;
}

struct keyed {
	u64 key;
	u32 pc;
};

static int by_key(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->pc < y->pc ? -1 : 1;
}

static int by_code(const void *a, const void *b)
{
	const struct line_row *x = a, *y = b;
	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static bool is_empty(const struct line_row *r)
{
	for (u32 i = 0; i < LC_COUNT; i++)
		if (line_counter_of(&r->c, i))
			return false;
	return true;
}

/* The rows of a module behind the n that there are. */
static struct line_row *add_module(struct line_row *rows, u32 *n, const struct module *m, const struct line_counters *c,
                                   enum line_by by)
{
	struct keyed *all = xcalloc(MAX(m->ncode, 1u), sizeof *all);
	const u32 first = *n;
	u32 keyed = 0;
	for (u32 pc = 0; pc < m->ncode; pc++) {
		const u64 key = key_of(&m->code[pc], pc, by);
		if (key)
			all[keyed++] = (struct keyed){key, pc};
	}
	qsort(all, keyed, sizeof *all, by_key);
	rows = xrealloc(rows, (*n + MAX(keyed, 1u)) * sizeof *rows);
	for (u32 i = 0, end; i < keyed; i = end) {
		struct line_row *r = &rows[*n];
		*r = (struct line_row){.mod = m, .pc = all[i].pc};
		for (end = i; end < keyed && all[end].key == all[i].key; end++)
			line_counters_add(&r->c, &c[all[end].pc]);
		r->instructions = end - i;
		*n += !is_empty(r);
	}
	free(all);
	qsort(rows + first, *n - first, sizeof *rows, by_code);
	return rows;
}

struct line_row *line_rows(struct gpu *g, enum line_by by, u32 *n)
{
	struct line_row *rows = NULL;
	*n = 0;
	for (u32 i = 0; i < gpu_num_modules(g); i++) {
		const struct module *m = gpu_module(g, i);
		const struct line_counters *c = gpu_line_counters(g, m);
		if (c)
			rows = add_module(rows, n, m, c, by);
	}
	return rows;
}

/* The rows lie in the order of the code: an insertion of each behind those that have as much keeps it. */
static void merge(struct line_row *rows, struct line_row *spare, u32 n, u32 key)
{
	if (n < 2)
		return;
	const u32 half = n / 2;
	merge(rows, spare, half, key);
	merge(rows + half, spare, n - half, key);
	u32 a = 0, b = half, k = 0;
	while (k < n) {
		const bool left = a < half && (b == n || line_counter_of(&rows[a].c, key) >= line_counter_of(&rows[b].c, key));
		spare[k++] = rows[left ? a++ : b++];
	}
	memcpy(rows, spare, n * sizeof *rows);
}

void line_rows_sort(struct line_row *rows, u32 n, u32 key)
{
	struct line_row *spare = xcalloc(MAX(n, 1u), sizeof *spare);
	merge(rows, spare, n, key);
	free(spare);
}

void line_row_place(const struct line_row *r, enum line_by by, struct strbuf *out)
{
	const struct inst *in = &r->mod->code[r->pc];
	if (by != LINE_BY_CUDA) {
		line_place(r->mod, r->pc, out);
		u32 first = r->pc;
		while (by == LINE_BY_PC && first && r->mod->code[first - 1].line == in->line)
			first--;
		if (first != r->pc)
			strbuf_addf(out, "+%u", r->pc - first);
		return;
	}
	const char *path = in->src_file < r->mod->nfiles && r->mod->files[in->src_file] ? r->mod->files[in->src_file] : "?";
	const char *base = strrchr(path, '/');
	strbuf_addf(out, "%s:%u", base ? base + 1 : path, in->src_line);
}
