#include "views/source_counts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scr/draw.h"
#include "scr/term.h"
#include "views/appearance.h"
#include "views/legend.h"
#include "views/line_cells.h"

/* --- rows --- */

/* A row of the picture. */
struct shown {
	const struct line_row *cells; /* NULL: nothing is counted of it */
	const char *text;
	u32 len, number;      /* number: of the line in its file */
	bool ptx, focus, loc; /* loc: a CUDA line in place of a .loc directive */
};
struct listing {
	struct line_row *ptx, *cuda;
	u32 nptx, ncuda;
	struct line_sums sums;
	struct shown *row;
	u32 n, room;
};

static const struct inst *first_of(const struct line_row *r)
{
	return &r->mod->code[r->pc];
}

static struct shown *add(struct listing *l)
{
	if (l->n == l->room) {
		l->room = MAX(2 * l->room, 256u);
		l->row = xrealloc(l->row, l->room * sizeof *l->row);
	}
	l->row[l->n] = (struct shown){0};
	return &l->row[l->n++];
}

/* The rows of this module alone; the sums stay those of all. */
static u32 of_module(struct line_row *rows, u32 n, const struct module *m)
{
	u32 kept = 0;
	for (u32 i = 0; i < n; i++)
		if (rows[i].mod == m)
			rows[kept++] = rows[i];
	return kept;
}

static void add_ptx(struct listing *l, const struct module *m, u32 line, const struct line_row *cells,
                    const struct inst *in)
{
	struct shown *s = add(l);
	s->cells = cells;
	s->number = module_line_in_file(m, line);
	s->text = module_line(m, line, &s->len);
	s->ptx = true;
	s->focus = in && in->line == line;
}

/* Rows lie in the order of the code, which is nearly that of the lines: by line, the row or NULL. */
static const struct line_row **by_line(const struct listing *l, const struct module *m)
{
	const struct line_row **at = xcalloc(m->nlines + 2, sizeof *at);
	for (u32 i = 0; i < l->nptx; i++)
		at[m->code[l->ptx[i].pc].line] = &l->ptx[i];
	return at;
}

/* A .loc directive is the CUDA line that it names, where its file can be read: once for directives that follow each
 * other or differ in the column alone. */
static void list_ptx(struct listing *l, struct view_ctx *v, const struct module *m, const struct inst *in)
{
	const struct line_row **at = by_line(l, m);
	struct cuda_line cu, before = {0};
	for (u32 line = 1; line <= m->nlines; line++) {
		if (at[line] || !cuda_line_of(&debugger_appearance(v->d)->cuda, m, line, &cu) || !cu.text) {
			add_ptx(l, m, line, at[line], in);
			continue;
		}
		if (before.text == cu.text)
			continue;
		before = cu;
		struct shown *s = add(l);
		s->text = cu.text;
		s->len = cu.len;
		s->number = cu.number;
		s->loc = true;
	}
	free(at);
}

static int by_cuda_line(const void *a, const void *b)
{
	const struct inst *x = first_of(a), *y = first_of(b);
	if (x->src_file != y->src_file)
		return x->src_file < y->src_file ? -1 : 1;
	if (x->src_line != y->src_line)
		return x->src_line < y->src_line ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* The PTX lines of a CUDA line; they are in this order of CUDA lines, and *next is the first that is not shown yet. */
static void unfold(struct listing *l, const struct module *m, const struct line_row *cuda, const struct inst *in,
                   u32 *next)
{
	const struct inst *of = first_of(cuda);
	for (; *next < l->nptx; ++*next) {
		const struct inst *first = first_of(&l->ptx[*next]);
		if (first->src_file > of->src_file || (first->src_file == of->src_file && first->src_line > of->src_line))
			break;
		if (first->src_file == of->src_file && first->src_line == of->src_line)
			add_ptx(l, m, first->line, &l->ptx[*next], in);
	}
}

/* The file of the CUDA rows [from, to), which lie in the order of its lines. */
static void list_file(struct listing *l, struct view_ctx *v, const struct module *m, u32 from, u32 to,
                      const struct inst *in, u32 *next)
{
	const struct line_row *any = &l->cuda[from];
	const u32 file = first_of(any)->src_file;
	const struct cuda_file *f = cuda_file_of(&debugger_appearance(v->d)->cuda, m, first_of(any)->line, file);
	struct shown *head = add(l);
	head->text = m->files[file] ? m->files[file] : "?";
	head->len = (u32)strlen(head->text);
	const u32 text = cuda_file_lines(f), lines = MAX(text, first_of(&l->cuda[to - 1])->src_line);
	for (u32 n = 1; n <= lines; n++) {
		const bool counted = from < to && first_of(&l->cuda[from])->src_line == n;
		if (!counted && !text)
			continue; /* the file cannot be read: what is known of it */
		struct shown *s = add(l);
		s->cells = counted ? &l->cuda[from++] : NULL;
		s->number = n;
		s->text = cuda_file_line(f, n, &s->len);
		s->focus = in && in->src_file == file && in->src_line == n;
		if (s->cells && v->st->mode & MODE_UNFOLD)
			unfold(l, m, s->cells, in, next);
	}
}

/* Rows of the module in the order of CUDA lines, file by file. */
static void list_cuda(struct listing *l, struct view_ctx *v, const struct module *m, const struct inst *in)
{
	u32 next = 0;
	qsort(l->ptx, l->nptx, sizeof *l->ptx, by_cuda_line);
	qsort(l->cuda, l->ncuda, sizeof *l->cuda, by_cuda_line);
	for (u32 from = 0, to; from < l->ncuda; from = to) {
		for (to = from; to < l->ncuda && first_of(&l->cuda[to])->src_file == first_of(&l->cuda[from])->src_file;)
			to++;
		list_file(l, v, m, from, to, in, &next);
	}
}

/* Those that have something of the column, most first. */
static void list_order(struct listing *l, struct view_ctx *v, const struct module *m, bool cuda, const struct inst *in)
{
	struct line_row *rows = cuda ? l->cuda : l->ptx;
	const u32 n = cuda ? l->ncuda : l->nptx, key = line_cells[v->st->column].key;
	line_rows_sort(rows, n, key);
	for (u32 i = 0; i < n && line_counter_of(&rows[i].c, key); i++) {
		const struct inst *first = first_of(&rows[i]);
		if (!cuda) {
			add_ptx(l, m, first->line, &rows[i], in);
			continue;
		}
		struct shown *s = add(l);
		s->cells = &rows[i];
		s->number = first->src_line;
		s->text = cuda_file_line(cuda_file_of(&debugger_appearance(v->d)->cuda, m, first->line, first->src_file),
		                         s->number, &s->len);
		s->focus = in && in->src_file == first->src_file && in->src_line == first->src_line;
	}
}

static void make(struct listing *l, struct view_ctx *v, const struct module *m, const struct inst *in)
{
	*l = (struct listing){0};
	l->ptx = line_rows(v->g, LINE_BY_PTX, &l->nptx);
	if (v->st->mode & MODE_CUDA)
		l->cuda = line_rows(v->g, LINE_BY_CUDA, &l->ncuda);
	l->sums = line_sums_of(l->ptx, l->nptx);
	l->nptx = of_module(l->ptx, l->nptx, m);
	l->ncuda = of_module(l->cuda, l->ncuda, m);
	const bool cuda = l->ncuda;
	if (v->st->mode & MODE_ORDER)
		list_order(l, v, m, cuda, in);
	else if (cuda)
		list_cuda(l, v, m, in);
	else
		list_ptx(l, v, m, in);
}

static void release(struct listing *l)
{
	free(l->ptx);
	free(l->cuda);
	free(l->row);
}

/* --- the picture --- */

enum { NUMBER_W = 6, CELL_W = 9, TEXT_MIN = 34, TEXT_MAX = 90 };

/* Which columns there is room for: the chosen one is always among them. */
struct columns {
	u32 first, n;
	int x; /* of the first */
};
static struct columns columns_of(const struct view_ctx *v, int w)
{
	const int room = MAX(w - NUMBER_W - MAX(TEXT_MIN, MIN(w * 45 / 100, TEXT_MAX)), CELL_W);
	struct columns c = {.n = MIN((u32)(room / CELL_W), nline_cells)};
	c.first = v->st->column < c.n ? 0 : v->st->column - c.n + 1;
	c.x = w - (int)c.n * CELL_W;
	return c;
}

static void draw_text(struct pane p, int y, int x, int w, struct style st, const struct shown *s)
{
	char copy[512];
	u32 n = 0;
	for (u32 i = 0; i < s->len && n + 4 < sizeof copy; i++) {
		const bool tab = s->text[i] == '\t';
		for (u32 k = 0; k < (tab ? 4u - n % 4 : 1u) && n + 1 < sizeof copy; k++)
			copy[n++] = tab || s->text[i] == '\r' ? ' ' : s->text[i];
	}
	copy[n] = 0;
	draw_cut(p, y, x, w, st, copy);
}

static void draw_cells(struct pane p, int y, const struct columns *c, const struct view_ctx *v, const struct listing *l,
                       const struct shown *s)
{
	for (u32 i = 0; i < c->n; i++) {
		const u32 at = c->first + i;
		char cell[LINE_CELL_MAX] = "";
		line_cells[at].put(cell, s->cells, &l->sums);
		if (strlen(cell) > CELL_W - 2 && !strchr(cell, '.')) { /* a count that is long */
			char brief[NUM_MAX];
			snprintf(cell, sizeof cell, "%s", fmt_short(brief, atof(cell)));
		}
		pane_right(p, y, c->x + (int)(i + 1) * CELL_W - 1, at == v->st->column ? STYLE_BOLD(R_TEXT) : STYLE(R_TEXT),
		           "%s", cell);
	}
}

static void draw_row(struct view_ctx *v, struct pane p, int y, const struct columns *c, const struct listing *l,
                     const struct shown *s, bool marked, double most)
{
	const int text_w = c->x - NUMBER_W - 1;
	if (s->number)
		pane_right(p, y, NUMBER_W - 1,
		           STYLE(s->focus || marked ? R_ACCENT
		                 : s->cells         ? R_DIM
		                                    : R_FAINT),
		           "%u", s->number);
	if (s->focus)
		legend_draw(p, y, NUMBER_W - 1, LG_FOCUS);
	struct style st = STYLE(s->ptx && s->cells ? R_TEXT : R_DIM);
	if (!s->number)
		st = STYLE_BOLD(R_TEXT);
	else if (s->loc || (!s->ptx && s->cells))
		st = STYLE_BOLD(R_ACCENT);
	const bool below = s->ptx && l->ncuda && !(v->st->mode & MODE_ORDER);
	if (s->text)
		draw_text(p, y, NUMBER_W + (below ? 4 : 0), text_w - (below ? 4 : 0), below ? STYLE(R_DIM) : st, s);
	pane_mark(pane_sub(p, y, NUMBER_W, 1, text_w), 0, v->search);
	if (!s->cells)
		return;
	draw_cells(p, y, c, v, l, s);
	const double here = (double)line_counter_of(&s->cells->c, line_cells[v->st->column].key);
	if (most > 0 && here > 0) /* how much of the column's most: a mark beside the number */
		draw_bar(p, y, 0, 1, STYLE(R_ACCENT), MAX(here / most, 0.13), false);
}

/* Of the first row that is seen, which may be the file's head itself. */
static const char *file_at(const struct listing *l, const struct module *m, s32 row)
{
	for (s32 i = MIN(row, (s32)l->n - 1); i >= 0; i--)
		if (!l->row[i].number && l->row[i].text)
			return l->row[i].text;
	return m->path;
}

static void heading(struct view_ctx *v, struct pane p, const struct module *m, const struct columns *c,
                    const struct listing *l)
{
	const char *path = file_at(l, m, v->st->top), *base = strrchr(path, '/');
	int x = pane_text(p, 0, 1, STYLE_BOLD(R_TEXT), base ? base + 1 : path);
	if (v->st->mode & MODE_ORDER)
		x = pane_printf(p, 0, x + 2, STYLE(R_ACCENT), "by %s", line_cells[v->st->column].name);
	if (*v->search)
		x = pane_printf(p, 0, x + 2, STYLE(R_ACCENT), "/%s", v->search);
	static const char hint[] = "\u2190\u2192 column  o order  u CUDA  x PTX below";
	if (x + 46 < c->x)
		pane_text(p, 0, x + 2, STYLE(R_FAINT), p.c->ascii ? "<- -> column  o order  u CUDA  x PTX below" : hint);
	for (u32 i = 0; i < c->n; i++) {
		const bool chosen = c->first + i == v->st->column;
		pane_right(p, 0, c->x + (int)(i + 1) * CELL_W - 1, chosen ? STYLE_BOLD(R_ACCENT) : STYLE(R_DIM), "%s",
		           line_cells[c->first + i].name);
	}
	if (c->first)
		pane_glyph(p, 0, c->x - 1, STYLE(R_DIM), p.c->ascii ? '<' : 0x2039);
	if (c->first + c->n < nline_cells)
		pane_glyph(p, 0, p.w - 1, STYLE(R_DIM), p.c->ascii ? '>' : 0x203a);
}

static u64 most_of(const struct listing *l, u32 key)
{
	u64 most = 0;
	for (u32 i = 0; i < l->n; i++)
		if (l->row[i].cells)
			most = MAX(most, line_counter_of(&l->row[i].cells->c, key));
	return most;
}

static void follow(struct view_ctx *v, const struct listing *l, int rows)
{
	if (!view_follows(v) || v->st->mode & MODE_ORDER)
		return;
	s32 at = -1;
	for (u32 i = 0; i < l->n; i++)
		if (l->row[i].focus)
			at = (s32)i;
	for (u32 i = 0; at < 0 && i < l->n; i++)
		if (l->row[i].cells)
			at = (s32)i; /* the focus is nowhere: the first line that counts */
	if (at >= 0 && (at < v->st->top + 1 || at >= v->st->top + rows - 2))
		v->st->top = at - rows / 3;
}

void source_counts_draw(struct view_ctx *v, struct pane p, const struct module *m, const struct inst *in)
{
	struct listing l;
	const int rows = p.h - 1;
	v->st->column = MIN(v->st->column, nline_cells - 1);
	make(&l, v, m, in);
	follow(v, &l, rows);
	view_clip(v->st, (s32)l.n, rows);
	const struct columns c = columns_of(v, p.w);
	const double most = (double)most_of(&l, line_cells[v->st->column].key);
	heading(v, p, m, &c, &l);
	if (!l.n)
		pane_printf(p, 2, 3, STYLE(R_DIM), "no line has any %s yet",
		            line_counter_descs[line_cells[v->st->column].key].name);
	for (int r = 0; r < rows && v->st->top + r < (s32)l.n; r++)
		draw_row(v, p, r + 1, &c, &l, &l.row[v->st->top + r], v->st->mark == (u32)(v->st->top + r) + 1, most);
	release(&l);
}

/* --- keys --- */

/* To the line with most of the column; again: to the next one in that order. */
static void next_hot(struct view_ctx *v, const struct module *m)
{
	struct listing l;
	make(&l, v, m, NULL);
	const u32 key = line_cells[v->st->column].key, last = v->st->mark && v->st->mark <= l.n ? v->st->mark - 1 : l.n;
	const u64 below = last < l.n && l.row[last].cells ? line_counter_of(&l.row[last].cells->c, key) : UINT64_MAX;
	u32 best = l.n;
	for (u32 i = 0; i < l.n; i++) {
		if (!l.row[i].cells || (l.row[i].ptx && l.ncuda && !(v->st->mode & MODE_ORDER)))
			continue;
		const u64 here = line_counter_of(&l.row[i].cells->c, key);
		const bool later = here < below || (here == below && i > last);
		if (here && later && (best == l.n || here > line_counter_of(&l.row[best].cells->c, key)))
			best = i;
	}
	v->st->mark = best < l.n ? best + 1 : 0; /* behind the last one it begins again */
	if (best < l.n) {
		v->st->top = (s32)best - v->st->page / 3;
		view_stay(v);
	}
	release(&l);
}

/* The rows are others now. */
static void anew(struct view_ctx *v)
{
	v->st->mark = 0;
	v->st->top = 0;
	view_follow_again(v);
}

bool source_counts_key(struct view_ctx *v, const struct module *m, int key)
{
	struct view_state *st = v->st;
	switch (key) {
	case K_LEFT: st->column = st->column ? st->column - 1 : nline_cells - 1; break;
	case K_RIGHT: st->column = st->column + 1 < nline_cells ? st->column + 1 : 0; break;
	case 'h': next_hot(v, m); return true;
	case 'o': st->mode ^= MODE_ORDER; break;
	case 'u': st->mode ^= MODE_CUDA; break;
	case 'x': st->mode ^= MODE_UNFOLD; break;
	case 'f': anew(v); return true;
	default:
		if (!view_scroll(st, key))
			return false;
		view_stay(v);
		return true;
	}
	if ((key != K_LEFT && key != K_RIGHT) || st->mode & MODE_ORDER)
		anew(v);
	return true;
}

bool source_counts_search(struct view_ctx *v, const struct module *m, bool forward)
{
	struct listing l;
	make(&l, v, m, NULL);
	struct strbuf text = STRBUF_INIT;
	s32 n = (s32)l.n, i = MAX(MIN(v->st->top, n - 1), 0);
	bool hit = false;
	for (s32 k = 0; k < n && !hit; k++) {
		i = (i + (forward ? 1 : n - 1)) % n;
		strbuf_clear(&text);
		if (l.row[i].text)
			strbuf_add(&text, l.row[i].text, l.row[i].len);
		hit = strcasestr(strbuf_str(&text), v->search) != NULL;
	}
	strbuf_release(&text);
	release(&l);
	if (hit) {
		v->st->top = i;
		view_stay(v);
	}
	return hit;
}
