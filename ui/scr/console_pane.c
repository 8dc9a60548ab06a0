#include "scr/console_pane.h"

#include <stdlib.h>
#include <string.h>

void console_init(struct console *c)
{
	*c = (struct console){.line = xcalloc(CONSOLE_LINES, sizeof *c->line)};
}

void console_release(struct console *c)
{
	for (u32 i = 0; i < CONSOLE_LINES; i++)
		free(c->line[i].text);
	free(c->line);
	c->line = NULL;
}

static void add_line(struct console *c, struct style s, const char *text, size_t n)
{
	struct console_line *l = &c->line[c->total++ % CONSOLE_LINES];
	free(l->text);
	l->text = xstrndup(text, n);
	l->style = s;
	c->held = c->paging = false;
}

void console_add(struct console *c, struct style s, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		add_line(c, s, text, n);
		text += n + (text[n] == '\n');
	}
}

void console_begin_answer(struct console *c)
{
	c->answer = c->total;
	c->held = c->paging = false;
}

void console_take_back(struct console *c)
{
	c->total = c->answer;
	c->held = c->paging = false;
}

static u64 oldest(const struct console *c)
{
	return c->total > CONSOLE_LINES ? c->total - CONSOLE_LINES : 0;
}

static const struct console_line *line_at(const struct console *c, u64 i)
{
	return &c->line[i % CONSOLE_LINES];
}

static int columns(const char *s, size_t n)
{
	int w = 0;
	for (size_t i = 0; i < n; i++)
		w += ((u8)s[i] & 0xc0) != 0x80;
	return w;
}

static int indent_of(const char *line, int w)
{
	return MIN((int)strspn(line, " "), w / 2);
}

/* A row of w columns from s on: how many bytes it shows. Returns where the next one begins. It ends between words,
 * unless a word is longer than a row. */
static const char *fold(const char *s, int w, size_t *shown)
{
	size_t at = strspn(s, " "), blank = 0, n = at + strnlen(s + at, 4 * (size_t)w + 1); /* a row has no more */
	u32 ch;
	for (int x = (int)at; x < w && at < n;) {
		if (at && (s[at] == ' ' || s[at] == '\t'))
			blank = at;
		x += s[at] == '\t' ? 4 - x % 4 : 1; /* as pane_textn() has it */
		at += utf8_decode(s + at, n - at, &ch);
	}
	at = MIN(at, n);
	if (at < n && s[at] != ' ' && blank && columns(s + blank + 1, strcspn(s + blank + 1, " \t")) <= w)
		at = blank;
	*shown = at;
	return s + at + strspn(s + at, " ");
}

/* Calls for each row of the line: the text, its bytes, and the column at which it begins, that of the line's first
 * word. Returns the rows. */
static int each_row(const struct console_line *l, int w, void (*fn)(void *ctx, int row, int x, const char *s, size_t n),
                    void *ctx)
{
	int rows = 0, indent = 0;
	w = MAX(w, 1);
	const char *s = l->text;
	do {
		size_t n;
		const char *next = fold(s, w - indent, &n);
		if (fn)
			fn(ctx, rows, indent, s, n);
		rows++;
		indent = indent_of(l->text, w);
		s = next;
	} while (*s);
	return rows;
}

static int rows_of(const struct console_line *l, int w)
{
	return each_row(l, w, NULL, NULL);
}

int console_answer_rows(const struct console *c, int w, int max)
{
	int rows = 0;
	for (u64 i = c->total; i > MAX(c->answer, oldest(c)) && rows < max; i--)
		rows += rows_of(line_at(c, i - 1), w - 1);
	return MIN(rows, max);
}

/* The line that is to be the first one shown. */
static void hold(struct console *c, u64 line)
{
	c->top = MIN(MAX(line, oldest(c)), c->total ? c->total - 1 : 0);
	c->held = true;
}

void console_scroll(struct console *c, int lines)
{
	hold(c, lines > 0 ? c->top - MIN((u64)lines, c->top) : c->top + (u64)-lines);
}

void console_turn(struct console *c, bool up)
{
	u64 i = c->top;
	if (!up) {
		hold(c, MAX(c->below, c->top + 1));
		return;
	}
	for (int rows = 0; i > oldest(c); i--) {
		rows += rows_of(line_at(c, i - 1), c->w - 1);
		if (rows > c->h)
			break;
	}
	hold(c, i < c->top || !i ? i : i - 1);
}

bool console_overflows(const struct console *c)
{
	return c->answer < c->total && (c->top > MAX(c->answer, oldest(c)) || c->below < c->total);
}

void console_open(struct console *c, bool paging)
{
	c->paging = paging;
	c->below = MAX(c->answer, oldest(c));
	hold(c, c->below);
}

struct drawing {
	struct pane p;
	struct style style;
	int top;
};

static void draw_row(void *ctx, int row, int x, const char *s, size_t n)
{
	const struct drawing *d = ctx;
	if (d->top + row < d->p.h)
		pane_textn(d->p, d->top + row, 1 + x, d->style, s, n);
}

/* Draws a folded line so that it ends in row `bottom`; returns the row above it. */
static int draw_line(struct pane p, const struct console_line *l, int bottom)
{
	struct drawing d = {p, l->style, bottom - rows_of(l, p.w - 1) + 1};
	each_row(l, p.w - 1, draw_row, &d);
	return d.top - 1;
}

bool console_page_key(struct console *c, int key)
{
	switch (key) {
	case ' ': console_turn(c, false); return true;
	case '\r':
	case '\n': console_scroll(c, -1); return true;
	default: c->paging = c->held = false; return key == 'q' || key == 27 || key == 3;
	}
}

/* Do the lines from i on need no more rows than there are? */
static bool fits(const struct console *c, u64 i, struct pane p)
{
	int rows = 0;
	for (; i < c->total && rows <= p.h; i++)
		rows += rows_of(line_at(c, i), p.w - 1);
	return rows <= p.h;
}

/* A line that alone needs more rows than there are: its beginning says more than its end. */
static void draw_beginning(struct pane p, const struct console_line *l)
{
	struct drawing d = {p, l->style, 0};
	each_row(l, p.w - 1, draw_row, &d);
	pane_glyph(p, p.h - 1, p.w - 1, STYLE(R_DIM), p.c->ascii ? '~' : 0x2026);
}

/* From line c->top down. */
static void draw_held(struct console *c, struct pane p)
{
	int row = 0;
	u64 i = c->top;
	for (; i < c->total && row < p.h; i++) {
		int rows = rows_of(line_at(c, i), p.w - 1);
		if (row && row + rows > p.h)
			break;
		if (rows > p.h)
			draw_beginning(p, line_at(c, i));
		else
			draw_line(p, line_at(c, i), row + rows - 1);
		row += rows;
	}
	c->below = i;
	if (c->paging && p.h > 0)
		pane_right(p, p.h - 1, p.w - 1, STYLE(R_ACCENT), " %llu more: space, Enter, q ",
		           (unsigned long long)(c->total - i));
}

/* The last line in the last row. */
static void draw_end(struct console *c, struct pane p)
{
	int row = p.h - 1;
	u64 i = c->total;
	if (i > oldest(c) && p.h > 0 && rows_of(line_at(c, i - 1), p.w - 1) > p.h) {
		draw_beginning(p, line_at(c, --i));
		row = -1;
	}
	for (; i > oldest(c) && row >= 0; i--)
		row = draw_line(p, line_at(c, i - 1), row);
	c->top = i + (row < -1 && i + 1 < c->total); /* its beginning may be out of sight */
	c->below = c->total;
}

void console_draw(struct console *c, struct pane p)
{
	c->h = p.h;
	c->w = p.w;
	c->top = MAX(c->top, oldest(c));
	if (c->held && fits(c, c->top, p))
		c->held = c->paging = false;
	if (c->held)
		draw_held(c, p);
	else
		draw_end(c, p);
}
