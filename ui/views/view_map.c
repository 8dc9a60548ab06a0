/* The lines of a cache: a cell each, set by set, by the CTA that brought them in, by kernel or by age. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dbg/cachemap.h"
#include "dbg/focus.h"
#include "dbg/linelives.h"
#include "scr/draw.h"
#include "scr/term.h"
#include "views/legend.h"
#include "views/view.h"

#define LABEL 6 /* columns of a set's number */
#define BESIDE 34
#define BESIDE_W 110 /* columns from which owners stand beside the map */

enum { BY_OWNER, BY_KERNEL, BY_AGE, COLOURINGS }; /* view_state.mode */
/* view_state.column: 0: L1D of the focused SM; else slice column - 1 of L2. view_state.mark: the selected place + 1. */

/* Blocks of a set each, `across` beside each other where the rows do not suffice; a set of many ways takes several
 * rows.
 */
struct layout {
	int ways, high, across, block, rows; /* ways of a row of a block; rows of a set; columns of a block; all rows */
};

static struct layout layout_of(const struct cachemap *m, int w, int h)
{
	const int room = MAX(w - LABEL - 1, 2), all = (int)m->shape.ways;
	struct layout l = {.ways = MAX(MIN(all, room / 2), 1)};
	if (all > l.ways && l.ways > 8)
		l.ways = l.ways / 8 * 8;
	l.high = (all + l.ways - 1) / l.ways;
	l.block = LABEL + 2 * l.ways + 1;
	l.across = MAX(MIN(w / l.block, ((int)m->shape.sets * l.high + h - 1) / MAX(h, 1)), 1);
	l.rows = (((int)m->shape.sets + l.across - 1) / l.across) * l.high;
	return l;
}

static u32 selected(const struct view_ctx *v, const struct cachemap *m)
{
	return v->st->mark && v->st->mark <= m->n ? v->st->mark - 1 : 0;
}

static struct cachemap *take(struct view_ctx *v)
{
	u64 since = 0;
	const struct conf *c = gpu_conf(v->g);
	if (v->st->column > c->partitions * c->l2_slices)
		v->st->column = 0;
	const void *lives = linelives_see(v->d, &since);
	const bool l2 = v->st->column > 0;
	return cachemap_take(v->d, l2, l2 ? v->st->column - 1 : v->d->focus.sm, lives, since);
}

/* --- cells -------------------------------------------------------------------------------------------------------- */
static struct style owner_style(const struct cachemap_owner *o, u32 series)
{
	return (struct style){(u8)(R_SER0 + series % R_NSERIES), o->alive ? ATTR_BOLD : 0};
}

static void cell_look(const struct cachemap *m, const struct cachemap_cell *c, u32 mode, u32 *glyph,
                      struct style *style)
{
	const struct legend *l = &legend[c->is == CELL_LENT ? LG_LENT : LG_EMPTY];
	if (c->line.there && mode == BY_AGE) {
		const u32 digit = cachemap_age_digit(cachemap_age(m, c));
		*glyph = '0' + digit;
		*style = STYLE(R_SCALE0 + MIN(digit, (u32)R_NSCALE - 1));
		return;
	}
	if (c->line.there && c->owner >= 0) {
		const struct cachemap_owner *o = &m->owner[c->owner];
		*glyph = mode == BY_KERNEL ? '0' + o->launch % 10 : (u32)(u8)o->letter;
		*style = owner_style(o, mode == BY_KERNEL ? o->launch : (u32)(o->letter - 'A'));
		return;
	}
	if (c->line.there)
		l = &legend[LG_NOBODY];
	*glyph = l->ch;
	*style = STYLE(l->role);
}

static void cell(const struct view_ctx *v, const struct cachemap *m, u32 place, struct pane p, int y, int x)
{
	const struct cachemap_cell *c = &m->cell[place];
	u32 glyph;
	struct style style;
	cell_look(m, c, v->st->mode % COLOURINGS, &glyph, &style);
	pane_glyph(p, y, x, style, glyph);
	if (c->is == CELL_RESERVED)
		legend_draw(p, y, x + 1, LG_RESERVED);
	else if (c->is == CELL_DIRTY)
		legend_draw(p, y, x + 1, LG_DIRTY);
	if (place == selected(v, m))
		pane_attr(p, y, x, 1, ATTR_REVERSE);
}

static void map(struct view_ctx *v, const struct cachemap *m, struct pane p)
{
	const struct layout l = layout_of(m, p.w, p.h);
	view_clip(v->st, l.rows, p.h);
	for (int y = 0; y < p.h && v->st->top + y < l.rows; y++) {
		const int row = (v->st->top + y) / l.high, part = (v->st->top + y) % l.high;
		for (int b = 0; b < l.across; b++) {
			const u32 set = (u32)(row * l.across + b);
			if (set >= m->shape.sets)
				break;
			struct pane q = pane_sub(p, y, b * l.block, 1, l.block);
			if (!part)
				pane_right(q, 0, LABEL - 1, STYLE(R_DIM), "%u", set);
			for (int w = 0; w < l.ways && part * l.ways + w < (int)m->shape.ways; w++)
				cell(v, m, set * m->shape.ways + (u32)(part * l.ways + w), q, 0, LABEL + 2 * w);
		}
	}
}

/* --- what is around it -------------------------------------------------------------------------------------------- */
static void heading(struct view_ctx *v, const struct cachemap *m, struct pane p)
{
	static const char *const by[COLOURINGS] = {"by CTA", "by kernel", "by age"};
	const u32 mode = v->st->mode % COLOURINGS;
	char text[160] = "";
	int x = pane_text(p, 0, 1, STYLE_BOLD(R_TEXT), "Map");
	x = pane_printf(p, 0, x + 2, STYLE(R_ACCENT), m->l2 ? "L2 slice %u" : "L1D of SM %u", m->unit);
	x = pane_text(p, 0, x + 2, STYLE(R_TEXT), by[mode]);
	if (mode == BY_AGE)
		x = pane_text(p, 0, x, STYLE(R_DIM),
		              m->known ? ": digit k, last used less than 4^k cycles ago" : ": in uses of the cache");
	if (*linelives_error(v->d))
		snprintf(text, sizeof text, "%.150s", linelives_error(v->d));
	else if (!m->known)
		snprintf(text, sizeof text, debugger_running(v->d) ? "when it stops" : "going through the run again: %.0f %%",
		         100 * linelives_progress(v->d));
	const int room = p.w - x - 3;
	if (*text && room > 8)
		draw_cut(p, 0, MAX(p.w - 1 - utf8_width(text), x + 2), room, STYLE(R_WARN), text);
}

static void sums(const struct cachemap *m, struct pane p)
{
	int x = pane_printf(p, 0, 1, STYLE(R_DIM), "%u sets x %u ways of %u B  lines", m->shape.sets, m->shape.ways,
	                    m->shape.line);
	for (u32 i = 0; i < CELL_KINDS; i++) {
		if (!m->of[i] && i == CELL_LENT)
			continue;
		x = pane_printf(p, 0, x + 2, STYLE(m->of[i] ? R_TEXT : R_FAINT), "%u %s", m->of[i], cell_names[i]);
		if (i == CELL_DIRTY || i == CELL_RESERVED) {
			legend_draw(p, 0, x + 1, i == CELL_DIRTY ? LG_DIRTY : LG_RESERVED);
			x += 2;
		}
	}
}

/* The indices of owners, most lines first. */
static u32 *by_lines(const struct cachemap *m)
{
	u32 *out = xcalloc(m->nowners + 1, sizeof *out);
	for (u32 i = 0; i < m->nowners; i++) {
		u32 k = i;
		for (; k && m->owner[out[k - 1]].lines < m->owner[i].lines; k--)
			out[k] = out[k - 1];
		out[k] = i;
	}
	return out;
}

static void owner_name(const struct view_ctx *v, const struct cachemap *m, u32 i, char name[64])
{
	struct strbuf text = STRBUF_INIT;
	cachemap_owner_text(v->d, &m->owner[i], true, &text);
	snprintf(name, 64, "%s", strbuf_str(&text));
	strbuf_release(&text);
}

/* A row each, beside the map. */
static void owners_beside(const struct view_ctx *v, const struct cachemap *m, struct pane p)
{
	u32 *order = by_lines(m);
	pane_text(p, 0, 0, STYLE(R_DIM), "  launch:CTA  lines");
	for (int y = 1; y < p.h && y <= (int)m->nowners; y++) {
		const struct cachemap_owner *o = &m->owner[order[y - 1]];
		const struct style s = owner_style(o, (u32)(o->letter - 'A'));
		char name[64];
		owner_name(v, m, order[y - 1], name);
		pane_glyph(p, y, 0, s, (u32)(u8)o->letter);
		draw_cut(p, y, 2, 11, STYLE(o->alive ? R_TEXT : R_DIM), name);
		pane_right(p, y, 19, STYLE(R_TEXT), "%u", o->lines);
		draw_bar(p, y, 20, p.w - 21, STYLE(s.role), (double)o->lines / m->n, false);
	}
	if ((int)m->nowners >= p.h)
		draw_more(p, (int)m->nowners - p.h + 1);
	free(order);
}

/* On one row, as many as it has room for. */
static void owners_row(const struct view_ctx *v, const struct cachemap *m, struct pane p)
{
	u32 *order = by_lines(m), i = 0;
	for (int x = 1; i < m->nowners; i++) {
		const struct cachemap_owner *o = &m->owner[order[i]];
		char name[64], text[80];
		owner_name(v, m, order[i], name);
		snprintf(text, sizeof text, "%s %u", name, o->lines);
		if (x + 2 + utf8_width(text) > p.w - (i + 1 < m->nowners ? 9 : 0))
			break;
		pane_glyph(p, 0, x, owner_style(o, (u32)(o->letter - 'A')), (u32)(u8)o->letter);
		x = pane_text(p, 0, x + 2, STYLE(o->alive ? R_TEXT : R_DIM), text) + 2;
	}
	if (i < m->nowners)
		draw_more(p, (int)(m->nowners - i));
	free(order);
}

/* The selected line, on the rows there are. */
static void detail(const struct view_ctx *v, const struct cachemap *m, struct pane p)
{
	struct strbuf text = STRBUF_INIT;
	cachemap_line_text(v->d, m, selected(v, m), p.w < 100, &text);
	if (m->known && m->cell[selected(v, m)].line.there)
		strbuf_adds(&text, "; ");
	cachemap_life_text(v->d, m, selected(v, m), &text);
	const char *s = strbuf_str(&text);
	for (int y = 0; y < p.h && *s; y++) {
		size_t n = strlen(s), fit = n;
		if (y + 1 < p.h && n > (size_t)MAX(p.w - 2, 1))
			for (fit = (size_t)MAX(p.w - 2, 1); fit && s[fit] != ' ';)
				fit--;
		fit = fit ? fit : n;
		char row[512];
		snprintf(row, sizeof row, "%.*s", (int)MIN(fit, sizeof row - 1), s);
		draw_cut(p, y, 1, p.w - 2, STYLE(R_TEXT), row);
		s += fit;
		s += strspn(s, " ");
	}
	strbuf_release(&text);
}

static void draw(struct view_ctx *v, struct pane p)
{
	struct cachemap *m = take(v);
	const bool beside = p.w >= BESIDE_W;
	const int text = p.h >= 18 ? 3 : p.h >= 12 ? 2 : p.h >= 8, owners = !beside && p.h >= 10;
	struct pane body = pane_sub(p, 2, 0, MAX(p.h - 2 - owners - text - (p.h >= 14), 0), beside ? p.w - BESIDE : p.w);
	v->st->chars = body.w;
	heading(v, m, p);
	sums(m, pane_sub(p, 1, 0, 1, p.w));
	map(v, m, body);
	if (beside)
		owners_beside(v, m, pane_sub(p, 2, p.w - BESIDE, body.h, BESIDE));
	if (owners)
		owners_row(v, m, pane_sub(p, p.h - owners - text, 0, 1, p.w));
	detail(v, m, pane_sub(p, p.h - text, 0, text, p.w));
	cachemap_free(m);
}

/* --- keys --------------------------------------------------------------------------------------------------------- */
/* By so many ways, or rows of cells. */
static void move(struct view_ctx *v, int by, int rows)
{
	struct cachemap *m = take(v);
	const struct layout l = layout_of(m, MAX(v->st->chars, 1), MAX(v->st->page, 1));
	const int ways = (int)m->shape.ways, below = l.high > 1 ? l.ways : l.across * ways;
	const int to = (int)selected(v, m) + by + rows * below;
	if (to >= 0 && to < (int)m->n)
		v->st->mark = (u32)to + 1;
	const int at = (int)selected(v, m), row = at / ways / l.across * l.high + at % ways / l.ways;
	v->st->top = MAX(MIN(v->st->top, row), row - MAX(v->st->page, 1) + 1);
	cachemap_free(m);
}

/* The SM or slice beside this one. */
static void other_unit(struct view_ctx *v, int by)
{
	const struct conf *c = gpu_conf(v->g);
	const u32 slices = c->partitions * c->l2_slices;
	if (v->st->column) {
		v->st->column = (v->st->column - 1 + slices + (u32)by) % slices + 1;
		return;
	}
	debugger_focus(v->d, (v->d->focus.sm + c->num_sms + (u32)by) % c->num_sms, v->d->focus.warp, NULL);
}

static bool on_key(struct view_ctx *v, int key)
{
	struct view_state *st = v->st;
	switch (key) {
	case 'w': st->mode = (st->mode + 1) % COLOURINGS; return true;
	case 't': st->column = st->column ? 0 : 1; return true;
	case '<':
	case '>': other_unit(v, key == '>' ? 1 : -1); return true;
	case K_LEFT:
	case K_RIGHT: move(v, key == K_RIGHT ? 1 : -1, 0); return true;
	case K_UP:
	case 'k': move(v, 0, -1); return true;
	case K_DOWN:
	case 'j': move(v, 0, 1); return true;
	case K_PGUP:
	case K_PGDN: return view_scroll(st, key);
	default: return false;
	}
}

const struct view view_map = {
    .key = '#',
    .name = "map",
    .title = "map of a cache",
    .shows = "the lines of an L1D or a slice of L2, by owner or age",
    .keys = "w colours  t L1D or L2  < > SM, slice  arrows line",
    .help =
        "The lines of a cache, set by set, a cell a way: of the focused SM's L1D, or (t) of a slice of L2. A letter is "
        "the CTA that brought the line in, named beside the map (launch:CTA, in brackets: it holds no slot any more) "
        "with its lines. w shows kernels (the last digit of the launch) or ages instead: k means last used less than "
        "4^k cycles ago. Behind it : means reserved, sectors are on their way and an MSHR waits; ' dirty, to be written "
        "back; . is empty; - a way that shared memory has; _ a line that no CTA brought in, or nobody knows.\n"
        "The row at the top sums the lines: clean, dirty and reserved are those that are there, each counted once. "
        "Below, the selected line (arrows): its address, its sectors, who brought it in with which instruction and CUDA "
        "line, when it was asked for, filled and last used, and how often it was found since (hits and merges).\n"
        "The machine keeps owners of L1D's lines only. The rest is found by going through the run again, in a process of "
        "its own; until that has come, ages count uses of the cache. `info cache` has the same as text, `info reuse` how "
        "far apart uses of a line are.",
    .draw = draw,
    .on_key = on_key,
};
