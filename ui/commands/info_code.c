/* info code: what each line of code did and cost. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "obs/name/names.h"
#include "obs/stats/line_rows.h"
#include "views/appearance.h"

#define ROWS_USUAL 20
#define CELL_MAX 24
#define TEXT_MAX 44

/* What the sums of all rows are, for shares. */
struct sums {
	u64 slots, waits;
};

static double percent(u64 n, u64 all)
{
	return 100 * (double)n / (double)all;
}

/* The cells of a row; "" where it has no such thing. */
static void share(char *cell, u64 n, u64 all)
{
	if (n)
		snprintf(cell, CELL_MAX, "%.1f", percent(n, all));
}
static void ratio(char *cell, u64 n, u64 of)
{
	if (of)
		snprintf(cell, CELL_MAX, "%.2f", (double)n / (double)of);
}
static void count(char *cell, u64 n)
{
	if (n)
		snprintf(cell, CELL_MAX, "%llu", (unsigned long long)n);
}

static void cell_executed(char *cell, const struct line_row *r, const struct sums *s)
{
	count(cell, r->c.executed);
}
static void cell_lanes(char *cell, const struct line_row *r, const struct sums *s)
{
	if (r->c.executed)
		snprintf(cell, CELL_MAX, "%.1f", (double)r->c.lanes / (double)r->c.executed);
}
static void cell_slots(char *cell, const struct line_row *r, const struct sums *s)
{
	share(cell, r->c.slots, s->slots);
}
static void cell_diverged(char *cell, const struct line_row *r, const struct sums *s)
{
	count(cell, r->c.diverged);
}
static void cell_txn(char *cell, const struct line_row *r, const struct sums *s)
{
	ratio(cell, r->c.transactions, r->c.requests);
}
static void cell_conflicts(char *cell, const struct line_row *r, const struct sums *s)
{
	count(cell, r->c.conflicts);
}
static void cell_l1(char *cell, const struct line_row *r, const struct sums *s)
{
	const u64 all = r->c.l1_hits + r->c.l2_hits + r->c.dram;
	if (all)
		snprintf(cell, CELL_MAX, "%.1f", percent(r->c.l1_hits, all));
}
static void cell_l2(char *cell, const struct line_row *r, const struct sums *s)
{
	const u64 all = r->c.l2_hits + r->c.dram;
	if (all)
		snprintf(cell, CELL_MAX, "%.1f", percent(r->c.l2_hits, all));
}
static void cell_held(char *cell, const struct line_row *r, const struct sums *s)
{
	count(cell, r->c.held);
}
static void cell_refused(char *cell, const struct line_row *r, const struct sums *s)
{
	count(cell, r->c.refused);
}
static void cell_blocked(char *cell, const struct line_row *r, const struct sums *s)
{
	count(cell, r->c.blocked);
}
static void cell_suffered(char *cell, const struct line_row *r, const struct sums *s)
{
	count(cell, r->c.suffered);
}
static void cell_waits(char *cell, const struct line_row *r, const struct sums *s)
{
	share(cell, r->waits, s->waits);
}

static const struct {
	const char *name;
	u32 key; /* what brings it to the left: sorting by this */
	void (*put)(char *cell, const struct line_row *r, const struct sums *s);
} columns[] = {
    {"executed", LC_executed, cell_executed},
    {"lanes", LC_lanes, cell_lanes},
    {"slots %", LC_slots, cell_slots},
    {"diverged", LC_diverged, cell_diverged},
    {"txn/req", LC_transactions, cell_txn},
    {"conflicts", LC_conflicts, cell_conflicts},
    {"L1 %", LC_l1_hits, cell_l1},
    {"L2 %", LC_l2_hits, cell_l2},
    {"held", LC_held, cell_held},
    {"refused", LC_refused, cell_refused},
    {"blocked", LC_blocked, cell_blocked},
    {"suffered", LC_suffered, cell_suffered},
    {"waits %", LINE_KEY_WAITS, cell_waits},
};
#define COLUMNS ARRAY_LEN(columns)

struct order {
	enum line_by by;
	u32 key, rows;
};

static bool key_of(const char *word, u32 *key, struct err *e)
{
	const char *names[LINE_KEYS];
	for (u32 i = 0; i < LINE_KEYS; i++)
		names[i] = line_key_name(i);
	const int found = line_key_find(word);
	if (found < 0) {
		const char *near = conf_nearest(word, names, LINE_KEYS);
		struct strbuf all = STRBUF_INIT;
		for (u32 i = 0; i < LINE_KEYS; i++)
			strbuf_addf(&all, "%s%s", i ? " " : "", names[i]);
		err_set(e, "info code: no such column '%.40s'%s%s%s; there are: %s", word, near ? " (did you mean '" : "",
		        near ? near : "", near ? "'?)" : "", strbuf_str(&all));
		strbuf_release(&all);
		return false;
	}
	*key = (u32)found;
	return true;
}

/* [pc | ptx | cuda] [COLUMN] [N], in any order. */
static bool read_order(const char *args, struct order *o, struct err *e)
{
	char word[64];
	while ((args = next_word(args, word, sizeof word))) {
		u32 by = 0;
		while (by < LINE_BYS && strcmp(word, line_by_names[by]) != 0)
			by++;
		if (by < LINE_BYS) {
			o->by = by;
			continue;
		}
		u64 n = 0;
		if (*word >= '0' && *word <= '9') {
			if (!arg_number(word, "info code", UINT32_MAX, &n, e))
				return false;
			o->rows = (u32)n;
		} else if (strcmp(word, "by") != 0 && !key_of(word, &o->key, e)) {
			return false;
		}
	}
	return true;
}

/* The CUDA line's own text, if its file can be read: the nearest .loc above the row's first instruction names it. */
static bool cuda_text(struct debugger *d, const struct line_row *r, struct strbuf *out)
{
	struct cuda_line cu;
	for (u32 line = r->mod->code[r->pc].line; line; line--)
		if (cuda_line_of(&debugger_appearance(d)->cuda, r->mod, line, &cu)) {
			if (cu.text && cu.number == r->mod->code[r->pc].src_line)
				strbuf_addf(out, "%.*s%s", (int)MIN(cu.len, TEXT_MAX), cu.text, cu.len > TEXT_MAX ? "..." : "");
			return cu.text && cu.number == r->mod->code[r->pc].src_line;
		}
	return false;
}

static void row_text(struct debugger *d, const struct line_row *r, enum line_by by, struct strbuf *out)
{
	if (by == LINE_BY_CUDA && cuda_text(d, r, out))
		return;
	struct strbuf code = STRBUF_INIT;
	line_text(r->mod, r->pc, &code);
	strbuf_addf(out, "%.*s%s", TEXT_MAX, strbuf_str(&code), code.len > TEXT_MAX ? "..." : "");
	strbuf_release(&code);
}

static void print(struct debugger *d, const struct line_row *rows, u32 n, const struct order *o, const struct sums *s,
                  struct strbuf *out)
{
	char(*cells)[COLUMNS][CELL_MAX] = xcalloc(MAX(n, 1u), sizeof *cells);
	char **place = xcalloc(MAX(n, 1u), sizeof *place);
	int width[COLUMNS] = {0}, place_w = 4;
	for (u32 i = 0; i < n; i++) {
		struct strbuf at = STRBUF_INIT;
		line_row_place(&rows[i], o->by, &at);
		place[i] = xstrdup(strbuf_str(&at));
		strbuf_release(&at);
		place_w = MAX(place_w, (int)strlen(place[i]));
		for (u32 c = 0; c < COLUMNS; c++) {
			columns[c].put(cells[i][c], &rows[i], s);
			if (*cells[i][c])
				width[c] = MAX(width[c], MAX((int)strlen(cells[i][c]), (int)strlen(columns[c].name)));
		}
	}
	strbuf_addf(out, "%-*s", place_w, "line");
	for (u32 c = 0; c < COLUMNS; c++)
		if (width[c])
			strbuf_addf(out, "  %*s%s", width[c] - (columns[c].key == o->key), columns[c].name,
			            columns[c].key == o->key ? "*" : "");
	strbuf_adds(out, "\n");
	for (u32 i = 0; i < n; i++) {
		strbuf_addf(out, "%-*s", place_w, place[i]);
		for (u32 c = 0; c < COLUMNS; c++)
			if (width[c])
				strbuf_addf(out, "  %*s", width[c], cells[i][c]);
		strbuf_adds(out, "  ");
		row_text(d, &rows[i], o->by, out);
		strbuf_adds(out, "\n");
		free(place[i]);
	}
	free(place);
	free(cells);
}

bool info_code(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct order o = {LINE_BY_PTX, LC_slots, ROWS_USUAL};
	struct sums s = {0};
	u32 n;
	if (!read_order(args, &o, e))
		return false;
	struct line_row *rows = line_rows(dbg_gpu(d), d->s->heat, o.by, &n);
	for (u32 i = 0; i < n; i++) {
		s.slots += rows[i].c.slots;
		s.waits += rows[i].waits;
	}
	line_rows_sort(rows, n, o.key);
	u32 shown = MIN(n, o.rows);
	while (shown && !line_key_of(&rows[shown - 1], o.key))
		shown--;
	if (!n)
		strbuf_adds(out, o.by == LINE_BY_CUDA ? "No code with line information has been executed yet.\n"
		                                      : "No code has been executed yet.\n");
	else if (!shown)
		strbuf_addf(out, "No line has any %s.\n", line_key_name(o.key));
	else
		print(d, rows, shown, &o, &s, out);
	free(rows);
	return true;
}
