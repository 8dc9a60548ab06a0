/* info code: what each line of code did and cost. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grid.h"
#include "commands/commands.h"
#include "obs/name/names.h"
#include "obs/record/line_rows.h"
#include "views/appearance.h"
#include "views/line_cells.h"

#define ROWS_USUAL 20
#define TEXT_MAX 44

struct order {
	enum line_by by;
	u32 key, rows;
};

static bool key_of(const char *word, u32 *key, struct err *e)
{
	const char *names[LC_COUNT];
	for (u32 i = 0; i < LC_COUNT; i++)
		names[i] = line_counter_descs[i].name;
	const int found = line_counter_find(word);
	if (found < 0) {
		const char *near = conf_nearest(word, names, LC_COUNT);
		struct strbuf all = STRBUF_INIT;
		for (u32 i = 0; i < LC_COUNT; i++)
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

static bool cuda_text(struct debugger *d, const struct line_row *r, struct strbuf *out)
{
	struct cuda_line cu;
	if (!line_row_cuda(&debugger_appearance(d)->cuda, r, &cu))
		return false;
	strbuf_addf(out, "%.*s%s", (int)MIN(cu.len, TEXT_MAX), cu.text, cu.len > TEXT_MAX ? "..." : "");
	return true;
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

/* line, the columns, that by which lines are ordered if it is none of these, text */
static void print(struct debugger *d, const struct line_row *rows, u32 n, const struct order *o,
                  const struct line_sums *s, struct strbuf *out)
{
	struct grid g = {.left = {true}};
	const u32 more = nline_cells + 1, last = more + 1;
	bool among = false;
	grid_put(&g, 0, 0, "line");
	for (u32 c = 0; c < nline_cells; c++) {
		const bool this = line_cells[c].key == o->key;
		grid_put(&g, 0, c + 1, "%s%s", line_cells[c].name, this ? "*" : "");
		among |= this;
	}
	if (!among)
		grid_put(&g, 0, more, "%s*", line_counter_descs[o->key].name);
	g.left[last] = true;
	for (u32 i = 0; i < n; i++) {
		struct strbuf text = STRBUF_INIT;
		line_row_place(&rows[i], o->by, &text);
		grid_put(&g, i + 1, 0, "%s", strbuf_str(&text));
		for (u32 c = 0; c < nline_cells; c++) {
			char cell[LINE_CELL_MAX] = "";
			line_cells[c].put(cell, &rows[i], s);
			grid_put(&g, i + 1, c + 1, "%s", cell);
		}
		if (!among)
			grid_put(&g, i + 1, more, "%llu", (unsigned long long)line_counter_of(&rows[i].c, o->key));
		strbuf_clear(&text);
		row_text(d, &rows[i], o->by, &text);
		grid_put(&g, i + 1, last, "%s", strbuf_str(&text));
		strbuf_release(&text);
	}
	grid_print(&g, out);
	grid_release(&g);
}

bool info_code(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct order o = {LINE_BY_PTX, LC_slots, ROWS_USUAL};
	u32 n;
	if (!read_order(args, &o, e))
		return false;
	struct line_row *rows = line_rows(dbg_gpu(d), o.by, &n);
	const struct line_sums s = line_sums_of(rows, n);
	line_rows_sort(rows, n, o.key);
	u32 shown = MIN(n, o.rows);
	while (shown && !line_counter_of(&rows[shown - 1].c, o.key))
		shown--;
	if (!n)
		strbuf_adds(out, o.by == LINE_BY_CUDA ? "No code with line information has been executed yet.\n"
		                                      : "No code has been executed yet.\n");
	else if (!shown)
		strbuf_addf(out, "No line has any %s.\n", line_counter_descs[o.key].name);
	else
		print(d, rows, shown, &o, &s, out);
	free(rows);
	return true;
}
