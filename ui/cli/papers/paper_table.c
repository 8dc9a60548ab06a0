/* A figure's table: read from Lua, written as text, Markdown and CSV. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/papers/paper.h"

/* --- from Lua --- */

static char *field_text(lua_State *L, const char *field)
{
	char *text = lua_getfield(L, -1, field) == LUA_TSTRING ? xstrdup(lua_tostring(L, -1)) : NULL;
	lua_pop(L, 1);
	return text;
}

/* A field that must be one of `n` words; absent = the first. */
static bool field_choice(lua_State *L, const char *field, const char *const *words, u32 n, u32 *out, struct err *e)
{
	char *text = field_text(L, field);
	struct strbuf all = STRBUF_INIT;
	bool ok = !text;
	*out = 0;
	for (u32 i = 0; i < n; i++) {
		strbuf_addf(&all, "%s'%s'", i ? ", " : "", words[i]);
		if (text && !strcmp(text, words[i])) {
			*out = i;
			ok = true;
		}
	}
	if (!ok)
		err_set(e, "%s = '%s' is none of %s", field, text, strbuf_str(&all));
	strbuf_release(&all);
	free(text);
	return ok;
}

static bool read_column(struct column *c, lua_State *L, struct err *e)
{
	*c = (struct column){.digits = 2};
	if (lua_type(L, -1) == LUA_TSTRING) {
		c->name = xstrdup(lua_tostring(L, -1));
		return true;
	}
	if (!lua_istable(L, -1) || !(c->name = field_text(L, "name")))
		return err_set(e, "a column is a name or a table with a name");
	c->unit = field_text(L, "unit");
	if (lua_getfield(L, -1, "digits") != LUA_TNIL) {
		lua_Integer n = lua_tointeger(L, -1);
		if (n < 0 || n > 9)
			err_set(e, "column '%s': digits must be 0 to 9", c->name);
		c->digits = (u32)n & 15;
	}
	lua_pop(L, 1);
	static const char *const words[] = {
	    [COMPARE_RATIO] = "ratio", [COMPARE_DIFFERENCE] = "difference", [COMPARE_NONE] = "none"};
	u32 how = 0;
	bool ok = !e->set && field_choice(L, "compare", words, ARRAY_LEN(words), &how, e);
	c->compare = how;
	return ok;
}

static bool read_columns(struct table *t, lua_State *L, struct err *e)
{
	if (lua_getfield(L, -1, "columns") != LUA_TTABLE || !luaL_len(L, -1))
		return err_set(e, "the table has no columns");
	lua_Integer n = luaL_len(L, -1);
	t->columns = xcalloc((size_t)n, sizeof *t->columns);
	for (lua_Integer i = 1; i <= n && !e->set; i++) {
		lua_geti(L, -1, i);
		if (!read_column(&t->columns[t->ncolumns++], L, e))
			err_prefix(e, "column %d: ", (int)i);
		lua_pop(L, 1);
	}
	lua_pop(L, 1);
	return !e->set;
}

/* A text, a number or a gap (false, nil) on top of the stack. */
static bool read_value(struct table_cell *c, lua_State *L, struct err *e)
{
	switch (lua_type(L, -1)) {
	case LUA_TNIL: return true;
	case LUA_TSTRING: c->text = xstrdup(lua_tostring(L, -1)); return true;
	case LUA_TNUMBER: c->value = lua_tonumber(L, -1); return true;
	case LUA_TBOOLEAN:
		if (!lua_toboolean(L, -1))
			return true;
	}
	return err_set(e, "a cell is a text, a number or false, not %s", luaL_typename(L, -1));
}

static bool read_cell(struct table_cell *c, struct column *col, lua_State *L, struct err *e)
{
	*c = (struct table_cell){.value = NAN, .published = NAN};
	if (!lua_istable(L, -1))
		return read_value(c, L, e);
	lua_geti(L, -1, 1);
	bool ok = read_value(c, L, e);
	lua_pop(L, 1);
	int type = lua_getfield(L, -1, "published");
	if (ok && type == LUA_TNUMBER) {
		c->published = lua_tonumber(L, -1);
		col->published = true;
	} else if (ok && type != LUA_TNIL) {
		ok = err_set(e, "published is a number, not %s", lua_typename(L, type));
	}
	lua_pop(L, 1);
	return ok;
}

static bool read_row(struct table *t, u32 row, lua_State *L, struct err *e)
{
	if (!lua_istable(L, -1))
		return err_set(e, "row %u is no table", row + 1);
	lua_Integer n = luaL_len(L, -1);
	if (n != t->ncolumns)
		return err_set(e, "row %u has %d cells, there are %u columns (a gap is false, not nil)", row + 1, (int)n,
		               t->ncolumns);
	for (u32 i = 0; i < t->ncolumns && !e->set; i++) {
		lua_geti(L, -1, i + 1);
		if (!read_cell(&t->cells[row * t->ncolumns + i], &t->columns[i], L, e))
			err_prefix(e, "row %u, column '%s': ", row + 1, t->columns[i].name);
		lua_pop(L, 1);
	}
	return !e->set;
}

static bool read_rows(struct table *t, lua_State *L, struct err *e)
{
	if (lua_getfield(L, -1, "rows") != LUA_TTABLE)
		return err_set(e, "the table has no rows");
	u32 n = (u32)luaL_len(L, -1);
	t->cells = xcalloc(MAX(n, 1u) * (size_t)t->ncolumns, sizeof *t->cells);
	for (u32 i = 0; i < n && !e->set; i++) {
		t->nrows++;
		lua_geti(L, -1, i + 1);
		read_row(t, i, L, e);
		lua_pop(L, 1);
	}
	lua_pop(L, 1);
	return !e->set;
}

static bool read_notes(struct table *t, lua_State *L, struct err *e)
{
	if (lua_getfield(L, -1, "notes") == LUA_TTABLE)
		for (lua_Integer i = 1; i <= luaL_len(L, -1) && !e->set; i++) {
			if (lua_geti(L, -1, i) == LUA_TSTRING) {
				t->notes = xrealloc(t->notes, (t->nnotes + 1) * sizeof *t->notes);
				t->notes[t->nnotes++] = xstrdup(lua_tostring(L, -1));
			} else {
				err_set(e, "note %d is no text", (int)i);
			}
			lua_pop(L, 1);
		}
	lua_pop(L, 1);
	return !e->set;
}

static bool draw_column(struct table *t, const char *name, struct err *e)
{
	for (u32 i = 1; name && i < t->ncolumns; i++)
		if (!strcmp(t->columns[i].name, name))
			return t->columns[i].drawn = true;
	return err_set(e, "plot: there is no column '%s' to draw", name ? name : "?");
}

static bool read_plot(struct table *t, lua_State *L, struct err *e)
{
	t->base = NAN;
	if (lua_getfield(L, -1, "plot") == LUA_TTABLE) {
		static const char *const kinds[] = {"bars", "lines"};
		u32 kind;
		field_choice(L, "kind", kinds, ARRAY_LEN(kinds), &kind, e);
		t->plot = kind ? PLOT_LINES : PLOT_BARS;
		if (lua_getfield(L, -1, "base") == LUA_TNUMBER)
			t->base = lua_tonumber(L, -1);
		lua_pop(L, 1);
		if (lua_getfield(L, -1, "columns") != LUA_TTABLE)
			err_set(e, "plot: no columns");
		for (lua_Integer i = 1; !e->set && i <= luaL_len(L, -1); i++) {
			lua_geti(L, -1, i);
			draw_column(t, lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL, e);
			lua_pop(L, 1);
		}
		lua_pop(L, 1);
	}
	lua_pop(L, 1);
	return !e->set;
}

bool table_read(struct table *t, lua_State *L, struct err *e)
{
	int top = lua_gettop(L);
	*t = (struct table){0};
	if (!lua_istable(L, -1))
		return err_set(e, "table() returned %s, no table", luaL_typename(L, -1));
	bool ok = read_columns(t, L, e) && read_rows(t, L, e) && read_notes(t, L, e) && read_plot(t, L, e);
	lua_settop(L, top);
	return ok;
}

void table_release(struct table *t)
{
	for (u32 i = 0; i < t->ncolumns; i++) {
		free(t->columns[i].name);
		free(t->columns[i].unit);
	}
	for (u32 i = 0; i < t->nrows * t->ncolumns; i++)
		free(t->cells[i].text);
	for (u32 i = 0; i < t->nnotes; i++)
		free(t->notes[i]);
	free(t->columns);
	free(t->cells);
	free(t->notes);
	*t = (struct table){0};
}

/* --- as texts --- */

/* A column becomes one text column, or three: measured, published, and how they compare. */
enum part { MEASURED, PUBLISHED, COMPARED, PARTS };

/* A row of means with published values in several columns gets rows of its own below instead: else the table would be
 * three times as wide for that one row. -1: none. */
static s64 published_row(const struct table *t)
{
	s64 row = -1;
	u32 columns = 0;
	for (u32 i = 0; i < t->ncolumns; i++)
		columns += t->columns[i].published;
	for (u32 r = 0; columns > 1 && r < t->nrows; r++)
		for (u32 i = 0; i < t->ncolumns; i++) {
			if (!isfinite(table_cell(t, r, i)->published))
				continue;
			if (row >= 0 && row != r)
				return -1;
			row = r;
		}
	return row;
}

static u32 parts_of(const struct table *t, u32 column)
{
	if (!t->columns[column].published || published_row(t) >= 0)
		return 1;
	return t->columns[column].compare == COMPARE_NONE ? COMPARED : PARTS;
}

static void head_text(const struct column *c, enum part p, struct strbuf *out)
{
	if (p == MEASURED)
		strbuf_addf(out, "%s%s%s", c->name, c->unit ? " " : "", c->unit ? c->unit : "");
	else
		strbuf_adds(out, p == PUBLISHED ? "published" : c->compare == COMPARE_DIFFERENCE ? "diff." : "ratio");
}

static void value_text(double v, u32 digits, struct strbuf *out)
{
	if (isfinite(v))
		strbuf_addf(out, "%.*f", (int)digits, v);
}

static void cell_text(const struct table_cell *x, const struct column *c, enum part p, const char *gap,
                      struct strbuf *out)
{
	size_t before = out->len;
	switch (p) {
	case MEASURED:
		if (x->text)
			strbuf_adds(out, x->text);
		else
			value_text(x->value, c->digits, out);
		break;
	case PUBLISHED: value_text(x->published, c->digits, out); break;
	case COMPARED:
		if (c->compare == COMPARE_DIFFERENCE && isfinite(x->value - x->published))
			strbuf_addf(out, "%+.*f", (int)c->digits, x->value - x->published);
		else if (c->compare == COMPARE_RATIO && x->published != 0)
			value_text(x->value / x->published, 2, out);
		break;
	case PARTS: break;
	}
	if (out->len == before && (p == MEASURED || isfinite(x->published)))
		strbuf_adds(out, gap);
}

/* A cell of the rows below a row of means: their name, then its published values or how they compare. */
static void part_text(const struct table *t, u32 row, u32 i, enum part p, const char *gap, struct strbuf *out)
{
	if (!i)
		strbuf_adds(out, p == PUBLISHED ? "published" : "compared");
	else
		cell_text(table_cell(t, row, i), &t->columns[i], p, gap, out);
}

/* Characters, not bytes. */
static u32 width_of(const char *s)
{
	u32 n = 0;
	for (; *s; s++)
		n += (*s & 0xc0) != 0x80;
	return n;
}

static u32 column_width(const struct table *t, u32 i, enum part p)
{
	struct strbuf sb = STRBUF_INIT;
	head_text(&t->columns[i], p, &sb);
	u32 w = width_of(strbuf_str(&sb));
	for (u32 r = 0; r < t->nrows; r++) {
		strbuf_clear(&sb);
		cell_text(table_cell(t, r, i), &t->columns[i], p, "-", &sb);
		w = MAX(w, width_of(strbuf_str(&sb)));
	}
	for (u32 k = PUBLISHED; published_row(t) >= 0 && k < PARTS; k++) {
		strbuf_clear(&sb);
		part_text(t, (u32)published_row(t), i, k, "-", &sb);
		w = MAX(w, width_of(strbuf_str(&sb)));
	}
	strbuf_release(&sb);
	return w;
}

/* The first column is the row's name: to the left; figures to the right. */
static void pad(const char *text, u32 width, bool left, struct strbuf *out)
{
	u32 blanks = width - MIN(width, width_of(text));
	if (left)
		strbuf_adds(out, text);
	strbuf_addf(out, "%*s", (int)blanks, "");
	if (!left)
		strbuf_adds(out, text);
}

static void text_cells(const struct table *t, s64 row, enum part only, struct strbuf *line)
{
	for (u32 i = 0; i < t->ncolumns; i++)
		for (u32 p = 0; p < parts_of(t, i); p++) {
			struct strbuf sb = STRBUF_INIT;
			if (row < 0)
				head_text(&t->columns[i], p, &sb);
			else if (only)
				part_text(t, (u32)row, i, only, "-", &sb);
			else
				cell_text(table_cell(t, (u32)row, i), &t->columns[i], p, "-", &sb);
			strbuf_adds(line, i + p ? "  " : "");
			pad(strbuf_str(&sb), column_width(t, i, p), !i, line);
			strbuf_release(&sb);
		}
}

/* `only`: PUBLISHED or COMPARED make the rows below a row of means; MEASURED any other. */
static void text_line(const struct table *t, s64 row, enum part only, struct strbuf *out)
{
	struct strbuf line = STRBUF_INIT;
	text_cells(t, row, only, &line);
	while (line.len && line.buf[line.len - 1] == ' ')
		line.buf[--line.len] = 0;
	strbuf_addf(out, "%s\n", strbuf_str(&line));
	strbuf_release(&line);
}

static void markdown_line(const struct table *t, s64 row, enum part only, struct strbuf *out)
{
	for (u32 i = 0; i < t->ncolumns; i++)
		for (u32 p = 0; p < parts_of(t, i); p++) {
			strbuf_adds(out, "| ");
			if (row < 0)
				head_text(&t->columns[i], p, out);
			else if (only)
				part_text(t, (u32)row, i, only, "–", out);
			else
				cell_text(table_cell(t, (u32)row, i), &t->columns[i], p, "–", out);
			strbuf_addc(out, ' ');
		}
	strbuf_adds(out, "|\n");
	if (row >= 0)
		return;
	for (u32 i = 0; i < t->ncolumns; i++)
		for (u32 p = 0; p < parts_of(t, i); p++)
			strbuf_adds(out, i ? "|--:" : "|---");
	strbuf_adds(out, "|\n");
}

typedef void line_fn(const struct table *t, s64 row, enum part only, struct strbuf *out);
static void all_lines(const struct table *t, line_fn *line, struct strbuf *out)
{
	s64 below = published_row(t);
	for (s64 r = -1; r < (s64)t->nrows; r++) {
		line(t, r, MEASURED, out);
		for (u32 k = PUBLISHED; r >= 0 && r == below && k < PARTS; k++)
			line(t, r, k, out);
	}
}

void table_text(const struct table *t, struct strbuf *out)
{
	all_lines(t, text_line, out);
	for (u32 i = 0; i < t->nnotes; i++)
		strbuf_addf(out, "%s\n", t->notes[i]);
}

void table_markdown(const struct table *t, struct strbuf *out)
{
	all_lines(t, markdown_line, out);
	for (u32 i = 0; i < t->nnotes; i++)
		strbuf_addf(out, "%s%s\n", i ? "" : "\n", t->notes[i]);
}

static void csv_text(const char *s, struct strbuf *out)
{
	if (!s[strcspn(s, ",\"\n")]) {
		strbuf_adds(out, s);
		return;
	}
	strbuf_addc(out, '"');
	for (; *s; s++)
		strbuf_addf(out, *s == '"' ? "\"%c" : "%c", *s);
	strbuf_addc(out, '"');
}

static void csv_number(double v, struct strbuf *out)
{
	if (isfinite(v))
		strbuf_addf(out, "%.9g", v);
}

void table_csv(const struct table *t, struct strbuf *out)
{
	for (u32 i = 0; i < t->ncolumns; i++) {
		strbuf_adds(out, i ? "," : "");
		csv_text(t->columns[i].name, out);
		if (t->columns[i].published)
			strbuf_addf(out, ",%s published", t->columns[i].name);
	}
	strbuf_addc(out, '\n');
	for (u32 r = 0; r < t->nrows; r++) {
		for (u32 i = 0; i < t->ncolumns; i++) {
			const struct table_cell *x = table_cell(t, r, i);
			strbuf_adds(out, i ? "," : "");
			if (x->text)
				csv_text(x->text, out);
			else
				csv_number(x->value, out);
			if (t->columns[i].published) {
				strbuf_addc(out, ',');
				csv_number(x->published, out);
			}
		}
		strbuf_addc(out, '\n');
	}
}
