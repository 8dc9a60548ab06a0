#include "views/cursor.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "dbg/scope.h"
#include "scr/draw.h"
#include "scr/term.h"
#include "views/legend.h"

#define FULL_BLOCK 0x2588

void cursor_begin(struct view_state *st)
{
	st->axis = (struct time_axis){0};
	st->cursor_text[0] = '\0';
}

u64 cursor_run_end(const struct view_ctx *v)
{
	struct sim_history_info h;
	sim_history_info(v->d->s->sim, &h);
	return MAX(h.on ? h.frontier : 0, gpu_cycle(v->g));
}

/* --- axes --- */

struct time_axis cursor_window(const struct view_ctx *v, u64 start, u64 end, u64 least)
{
	const struct view_state *st = v->st;
	u64 from, till;
	if (scope_range(v->d, &from, &till) && from < end && till > start) {
		start = MAX(start, from);
		end = MIN(end, till);
	}
	u64 all = end > start ? end - start : 0, len = MAX(all >> MIN(st->zoom, 31u), MIN(all, least));
	u64 to = st->until ? MIN(MAX(st->until, start + len), end) : end;
	return (struct time_axis){.from = to - len, .to = to};
}

int cursor_column(struct time_axis a, u64 cycle)
{
	if (a.w < 1 || cycle < a.from || cycle >= a.to)
		return -1;
	return (int)((double)(cycle - a.from) * a.w / (double)(a.to - a.from));
}

u64 cursor_cycle(struct time_axis a, int column)
{
	u64 cycle = a.from + (u64)((double)column * (double)(a.to - a.from) / MAX(a.w, 1));
	while (cycle < a.to && cursor_column(a, cycle) < column) /* rounding */
		cycle++;
	return cycle;
}

int cursor_axis(const struct view_ctx *v, struct time_axis a)
{
	struct view_state *st = v->st;
	if (a.w > st->axis.w && a.to > a.from)
		st->axis = a;
	return st->cursor_on ? cursor_column(a, st->cursor) : -1;
}

/* A line over what is there: full blocks become its ground, so that areas stay whole. */
void cursor_mark(struct pane p, int y, int h, int x)
{
	for (int r = MAX(y, 0); r < MIN(y + h, p.h) && x >= 0 && x < p.w; r++) {
		const struct cell *c = canvas_at(p.c, p.y + r, p.x + x);
		bool area = c->ch == FULL_BLOCK && !(c->style.attr & ATTR_REVERSE);
		pane_glyph_on(p, r, x, STYLE_BOLD(R_TEXT), 0x2502, area ? c->style.role : c->ground);
	}
}

/* Letters in areas stay, so that bands are told apart; without colours areas become dotted. */
static void dim_cell(struct cell *c, bool plain)
{
	const bool block = c->ch >= 0x2580 && c->ch <= 0x2593;
	if (c->ch == ' ' && c->ground == R_TEXT)
		return;
	if (plain && (block || c->ch == '#' || c->ch == '='))
		c->ch = c->ch < 128 ? ':' : 0x2591;
	else if (c->ground != R_TEXT && block) /* two areas meet: one grey one */
		c->ch = FULL_BLOCK;
	c->style = (struct style){R_FAINT, c->style.attr};
	c->ground = R_TEXT;
}

void cursor_dim_future(const struct view_ctx *v, struct pane p, int y, int h, int x, struct time_axis a)
{
	const u64 now = gpu_cycle(v->g);
	if (a.w < 1 || now >= a.to || now >= cursor_run_end(v))
		return;
	for (int i = now < a.from ? 0 : cursor_column(a, now) + 1; i < a.w && x + i < p.w; i++)
		for (int r = MAX(y, 0); r < MIN(y + h, p.h); r++)
			dim_cell(canvas_at(p.c, p.y + r, p.x + x + i), p.c->ascii || p.c->mono);
}

void cursor_note(const struct view_ctx *v, const char *fmt, ...)
{
	struct view_state *st = v->st;
	char text[80];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	size_t n = strlen(st->cursor_text);
	if (n + strlen(text) + 3 < sizeof st->cursor_text)
		snprintf(st->cursor_text + n, sizeof st->cursor_text - n, "%s%s", n ? "  " : "", text);
}

/* A mark on the line of the axis; a number or word that stands there stays whole and is reversed. */
static void mark_axis(struct pane p, int y, int x, enum legend_id id)
{
	if (y < 0 || y >= p.h || x < 0 || x >= p.w)
		return;
	const u32 under = canvas_at(p.c, p.y + y, p.x + x)->ch;
	if (under == 0x2500 || (p.c->ascii && under == '-') || under == ' ')
		legend_draw(p, y, x, id);
	else
		pane_glyph(p, y, x, (struct style){legend[id].role, ATTR_REVERSE}, under);
}

#define SPAN_GAP 6 /* columns of line left on each side of the length of a column */

/* How many cycles a column is, in the middle of the line from..to; beside the mark of now if that stands there. */
static void span_text(struct pane p, int y, int from, int to, int now, u64 column)
{
	char span[NUM_MAX], text[NUM_MAX + 16];
	const int len = snprintf(text, sizeof text, " %s cycle%s a column ", grouped(column, span), plural(column));
	int at = from + (to - from - len) / 2;
	if (to - from <= len + 2 * SPAN_GAP)
		return;
	if (now >= at && now < at + len)
		at = now + 1 + len < to - 1 ? now + 1 : now - len;
	if (at > from && at + len < to)
		pane_text(p, y, at, STYLE(R_DIM), text);
}

void cursor_axis_row(const struct view_ctx *v, struct pane p, int y, int x, struct time_axis a)
{
	char first[NUM_MAX], last[NUM_MAX];
	if (a.to == a.from || a.w < 1)
		return;
	v->st->click = a;
	v->st->click_x = p.x + x;
	grouped(a.from, first);
	grouped(a.to, last);
	int wide = utf8_width(last), at = x + utf8_width(first), end = x + a.w;
	pane_text(p, y, x, STYLE(R_DIM), first);
	if (end - wide > at + 3) {
		for (int i = at + 1; i < end - wide - 1; i++)
			pane_glyph(p, y, i, STYLE(R_FAINT), 0x2500);
		pane_text(p, y, end - wide, STYLE(R_DIM), last);
	} else {
		pane_printf(p, y, at, STYLE(R_DIM), "–%s", last);
	}
	const int now = gpu_cycle(v->g) < cursor_run_end(v) ? cursor_column(a, gpu_cycle(v->g)) : -1;
	int cursor = v->st->cursor_on ? cursor_column(a, v->st->cursor) : -1;
	span_text(p, y, at, end - wide, now >= 0 ? x + now : -1, MAX((a.to - a.from) / (u64)a.w, (u64)1));
	if (cursor >= 0 && cursor != now)
		mark_axis(p, y, x + cursor, LG_CURSOR);
	if (now >= 0)
		mark_axis(p, y, x + now, LG_NOW);
}

/* --- keys --- */

bool cursor_show(struct view_ctx *v)
{
	struct view_state *st = v->st;
	if (!st->axis.w)
		return false;
	u64 now = gpu_cycle(v->g);
	st->cursor = cursor_column(st->axis, now) >= 0 ? now : cursor_cycle(st->axis, st->axis.w - 1);
	st->cursor_on = true;
	return true;
}

/* Moves the span by a quarter of itself. */
static void pan(struct view_ctx *v, bool later)
{
	struct view_state *st = v->st;
	u64 len = st->axis.to - st->axis.from, step = MAX(len / 4, (u64)1), end = cursor_run_end(v);
	if (later)
		st->until = st->axis.to + step < end ? st->axis.to + step : 0;
	else
		st->until = MAX(st->axis.to - MIN(step, st->axis.from), (u64)1);
}

bool cursor_pan(struct view_ctx *v, int key)
{
	if ((key != '<' && key != '>') || !v->st->axis.w)
		return false;
	if (v->st->zoom)
		pan(v, key == '>');
	return true;
}

static void move(struct view_ctx *v, int columns)
{
	struct view_state *st = v->st;
	int at = cursor_column(st->axis, st->cursor);
	if (at < 0)
		at = st->cursor < st->axis.from ? 0 : st->axis.w - 1;
	at += columns;
	if ((at < 0 || at >= st->axis.w) && st->zoom)
		pan(v, at >= 0);
	st->cursor = cursor_cycle(st->axis, MIN(MAX(at, 0), st->axis.w - 1));
}

bool cursor_key(struct view_ctx *v, int key)
{
	struct view_state *st = v->st;
	if (!st->cursor_on || !st->axis.w)
		return false;
	switch (key) {
	case K_LEFT: move(v, -1); return true;
	case K_RIGHT: move(v, 1); return true;
	case K_HOME: st->cursor = st->axis.from; return true;
	case K_END: st->cursor = cursor_cycle(st->axis, st->axis.w - 1); return true;
	case K_ESC: st->cursor_on = false; return true;
	default: return false;
	}
}
