/* Phases: how many warps are in which phase of their kernel, over the ALU and memory instructions in flight. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/words.h"
#include "scr/draw.h"
#include "scr/term.h"
#include "views/chart.h"
#include "views/cursor.h"
#include "scr/phase_look.h"
#include "views/stack.h"
#include "views/view.h"

#define COLUMNS_MAX 1024
#define LEFT 14 /* columns of labels */

/* What is drawn: one sum a column. */
struct graph {
	const struct phase_track *t;
	s32 sm; /* -1 = all */
	struct time_axis time;
	struct phase_sum *col;
	struct phase_sum all; /* over the whole span */
	double top;           /* warps at full height */
};

static double mean(u32 sum, u32 looks)
{
	return looks ? (double)sum / looks : NAN;
}

static struct graph gather(const struct view_ctx *v, int w)
{
	struct graph g = {.t = v->phases, .sm = v->st->mode ? -1 : (s32)v->d->focus.sm};
	u64 least = 16ull * phase_track_period(g.t);
	g.time = cursor_window(v, phase_track_start(g.t), phase_track_end(g.t), least);
	g.time.w = g.time.to > g.time.from ? MIN(w, COLUMNS_MAX) : 0;
	g.col = xcalloc((size_t)MAX(g.time.w, 1), sizeof *g.col);
	for (int x = 0; x < g.time.w; x++) {
		struct phase_sum *s = &g.col[x];
		phase_track_get(g.t, g.sm, cursor_cycle(g.time, x), cursor_cycle(g.time, x + 1), s);
		if (s->looks)
			g.top = MAX(g.top, (double)(s->active + s->exited) / s->looks);
	}
	phase_track_get(g.t, g.sm, g.time.from, g.time.to, &g.all);
	g.top = MAX(ceil(g.top), 1.0);
	return g;
}

/* --- heading and legend --- */

/* Warps of a function in the span, over all looks. */
static u64 share(const struct graph *g, u32 fn)
{
	const struct phase_fn *f = phase_track_fn(g->t, fn);
	u64 sum = 0;
	for (u32 i = 0; i < f->nbands; i++)
		sum += g->all.warps[f->band + i];
	return sum;
}

static void heading(const struct view_ctx *v, struct pane p, const struct graph *g)
{
	char a[NUM_MAX];
	int x = pane_text(p, 0, 1, STYLE_BOLD(R_TEXT), "Phases");
	if (g->sm < 0)
		x = pane_text(p, 0, x + 2, STYLE(R_TEXT), "all SMs");
	else
		x = pane_printf(p, 0, x + 2, STYLE(R_ACCENT), "SM %d", g->sm);
	x = pane_text(p, 0, x + 2, STYLE(R_DIM), "warps in each phase");
	if (!g->time.w)
		return;
	if (g->all.exited) { /* the grey on top of the stack */
		pane_glyph(p, 0, x + 2, (struct style){R_FAINT, p.c->mono ? ATTR_BOLD : ATTR_REVERSE}, '.');
		x = pane_text(p, 0, x + 4, STYLE(R_DIM), "exited");
	}
	u64 look = phase_track_resolution(g->t, g->time.from);
	u64 column = MAX((g->time.to - g->time.from) / (u64)g->time.w, (u64)1);
	char text[120];
	snprintf(text, sizeof text, "one column = %s cycle%s", grouped(column, a), plural(column));
	if (look > column)
		snprintf(text, sizeof text, "one sample = %s cycle%s", grouped(look, a), plural(look));
	if (p.w - x > utf8_width(text) + 3)
		pane_right(p, 0, p.w - 1, STYLE(R_DIM), "%s", text);
}

/* A digit is a phase's number: where phases are merged, bands have letters. */
static struct phase_look band_look(u32 fn, u32 band, const struct phase_fn *f)
{
	struct phase_look l = phase_look(fn, band, f->nbands);
	if (f->nbands < f->nphases && l.glyph <= 'B')
		l.glyph = 'A' + band;
	return l;
}

/* "hotspot, 23 phases: [0] 18 [1-3] 112 ..."; returns the rows it took. */
static int legend_of(struct pane p, int y, const struct graph *g, u32 fn)
{
	const struct phase_fn *f = phase_track_fn(g->t, fn);
	int row = y, x = 1;
	draw_clipped(p, row, x, 20, STYLE(R_TEXT), func_label(f->fn));
	x += MIN(utf8_width(func_label(f->fn)), 20);
	x = pane_printf(p, row, x, STYLE(R_DIM), ", %u phase%s%s%s:", f->nphases, plural(f->nphases),
	                f->nbands < f->nphases ? " in 12 bands" : "", p.w >= 110 ? ", cycles of each" : ", cycles");
	for (u32 i = 0; i < f->nbands; i++) {
		const struct phase_band *b = phase_track_band(g->t, f->band + i);
		struct phase_look l = band_look(fn, i, f);
		char label[48], length[24];
		snprintf(length, sizeof length, "%u", b->length);
		if (f->nbands < f->nphases && b->last > b->first)
			snprintf(label, sizeof label, "%u-%u:%s", b->first, b->last, length);
		else if (f->nbands < f->nphases)
			snprintf(label, sizeof label, "%u:%s", b->first, length);
		else
			snprintf(label, sizeof label, "%s", length);
		bool here = g->all.warps[f->band + i];
		if (!here && p.w < 100)
			continue;
		if (x + 3 + utf8_width(label) > p.w - 1) {
			row++;
			x = 1;
		}
		pane_glyph(p, row, x + 1, (struct style){(u8)l.role, p.c->mono ? ATTR_BOLD : ATTR_REVERSE}, l.glyph);
		x = pane_text(p, row, x + 3, STYLE(here ? R_TEXT : R_FAINT), label);
	}
	return row - y + 1;
}

/* The function with most warps of those with fewer than `below`, *most = how many; UINT32_MAX = none. Functions that
 * share a number come in order: `after` was the last. */
static u32 next_function(const struct graph *g, u64 below, u32 after, u64 *most)
{
	u32 best = UINT32_MAX;
	*most = 0;
	for (u32 i = 0; i < phase_track_fns(g->t); i++) {
		u64 n = share(g, i);
		if (n > *most && (n < below || (n == below && i > after))) {
			*most = n;
			best = i;
		}
	}
	return best;
}

/* An entry a function that has warps in the span, those with most first, as far as `rows` allow. */
static int legend(struct pane p, const struct graph *g, int rows)
{
	int y = 0;
	u64 n = UINT64_MAX;
	for (u32 fn = 0; y < rows && (fn = next_function(g, n, fn, &n)) != UINT32_MAX;)
		y += legend_of(pane_sub(p, 0, 0, rows, p.w), y, g, fn);
	return MIN(y, rows);
}

/* --- the stack --- */

#define PARTS_MAX (PHASE_BANDS + 2)

static u32 column_parts(const struct graph *g, const struct phase_sum *s, int rows, struct stack_part out[PARTS_MAX])
{
	double acc = 0, scale = rows * 8 / g->top;
	u32 n = 0;
	for (u32 i = 0; i < phase_track_fns(g->t) && s->looks; i++) {
		const struct phase_fn *f = phase_track_fn(g->t, i);
		for (u32 b = 0; b < f->nbands; b++) {
			if (!s->warps[f->band + b])
				continue;
			acc += mean(s->warps[f->band + b], s->looks);
			const struct phase_look look = band_look(i, b, f);
			out[n++] = (struct stack_part){look.role, look.glyph, (int)lround(acc * scale)};
		}
	}
	if (s->looks && s->warps[0])
		out[n++] = (struct stack_part){R_DIM, '?', (int)lround((acc += mean(s->warps[0], s->looks)) * scale)};
	if (s->looks && s->exited)
		out[n++] = (struct stack_part){R_FAINT, '.', (int)lround((acc + mean(s->exited, s->looks)) * scale)};
	return n;
}

static void stack(const struct view_ctx *v, struct pane p, const struct graph *g)
{
	struct stack_part part[PARTS_MAX];
	pane_right(p, 0, LEFT - 1, STYLE(R_FAINT), "%.0f", g->top);
	pane_right(p, p.h - 1, LEFT - 1, STYLE(R_FAINT), "0");
	for (int y = 0; y < p.h; y++)
		pane_glyph(p, y, LEFT - 1, STYLE(R_FAINT), y ? 0x2502 : 0x250c);
	for (int x = 0; x < g->time.w; x++) {
		u32 n = column_parts(g, &g->col[x], p.h, part);
		stack_draw(p, LEFT + x, part, n, x % 16 == 8, true);
	}
	cursor_dim_future(v, p, 0, p.h, LEFT, g->time);
	int at = cursor_axis(v, g->time);
	if (at >= 0)
		cursor_mark(p, 0, p.h, LEFT + at);
}

/* --- curves below --- */

enum figure { F_ACTIVE, F_ALU, F_MEM, F_COUNT };
static const struct {
	const char *name, *brief;
	enum role role;
} figures[F_COUNT] = {
    [F_ACTIVE] = {"active warps", "active", R_FILL4},
    [F_ALU] = {"ALU in flight", "ALU", R_FILL0},
    [F_MEM] = {"memory in flight", "mem", R_FILL2},
};

static double figure(const struct phase_sum *s, enum figure f)
{
	return mean(f == F_ACTIVE ? s->active : f == F_ALU ? s->alu : s->mem, s->looks);
}

static void curve(const struct view_ctx *v, struct pane p, const struct graph *g, enum figure f)
{
	float val[COLUMNS_MAX];
	float most = 0;
	for (int x = 0; x < g->time.w; x++) {
		val[x] = (float)figure(&g->col[x], f);
		most = val[x] > most ? val[x] : most;
	}
	u32 peak = f == F_ALU ? g->all.alu_peak : f == F_MEM ? g->all.mem_peak : (u32)ceilf(most);
	bool tall = p.h > 1;
	pane_text(p, p.h - 1, 1, STYLE(R_DIM), figures[f].brief);
	bool label = tall || LEFT - 2 - utf8_width(figures[f].brief) >= 8; /* "peak 32", with a gap */
	pane_right(p, tall ? 0 : p.h - 1, LEFT - 1, STYLE(R_TEXT), label ? "peak %u" : "%u", peak);
	for (int y = 0; tall && y < p.h; y++)
		pane_glyph(p, y, LEFT - 1, STYLE(R_FAINT), y ? 0x2502 : 0x250c);
	const float top = chart_top(val, g->time.w);
	draw_columns(p, 0, LEFT, p.h, g->time.w, STYLE(figures[f].role), val, g->time.w, top);
	cursor_dim_future(v, p, 0, p.h, LEFT, g->time);
	chart_spikes(p, 0, LEFT, val, g->time.w, top * 1.001f);
	int at = cursor_axis(v, g->time);
	if (at >= 0)
		cursor_mark(p, 0, p.h, LEFT + at);
}

/* --- what was in flight, as a bar --- */

static const struct {
	const char *name, *brief;
	enum role role;
	enum flight of;
} flights[FLIGHT_COUNT] = {
    {"ALU only", "ALU", R_FILL0, FLIGHT_ALU},
    {"both", "both", R_FILL4, FLIGHT_BOTH},
    {"memory only", "mem", R_FILL2, FLIGHT_MEM},
    {"idle", "idle", R_FAINT, FLIGHT_NONE},
};

static double flight_share(const struct phase_sum *s, enum flight f)
{
	u64 all = 0;
	for (u32 i = 0; i < FLIGHT_COUNT; i++)
		all += s->cycles[i];
	return percent((double)s->cycles[f], (double)all);
}

/* The span's cycles by what was in flight (Awatramani 2015, figure 10): a share, its name and a bar in proportion. */
static void flight_row(struct pane p, const struct graph *g)
{
	bool brief = p.w < 100;
	int x = LEFT, text = 0;
	char label[FLIGHT_COUNT][32];
	for (u32 i = 0; i < FLIGHT_COUNT; i++) {
		snprintf(label[i], sizeof label[i], "%s %.*f %%", brief ? flights[i].brief : flights[i].name, p.w >= 76,
		         flight_share(&g->all, flights[i].of));
		text += utf8_width(label[i]) + 3;
	}
	pane_text(p, 0, 1, STYLE(R_DIM), "in flight");
	int room = MAX(p.w - 1 - LEFT - text, 0);
	for (u32 i = 0; i < FLIGHT_COUNT; i++) {
		int w = (int)lround(room * flight_share(&g->all, flights[i].of) / 100);
		x = pane_text(p, 0, x, STYLE(i + 1 < FLIGHT_COUNT ? R_TEXT : R_DIM), label[i]) + 1;
		draw_bar(p, 0, x, MIN(w, p.w - 1 - x), STYLE(flights[i].role), 1, false);
		x += w + 2;
	}
}

/* What stands at the cursor, most important first: what does not fit is left out. */
static void notes(const struct view_ctx *v, const struct graph *g)
{
	int at = cursor_axis(v, g->time);
	if (at < 0 || !g->col[at].looks)
		return;
	const struct phase_sum *s = &g->col[at];
	cursor_note(v, "active %.3g", mean(s->active, s->looks));
	cursor_note(v, "ALU %.3g", mean(s->alu, s->looks));
	cursor_note(v, "mem %.3g", mean(s->mem, s->looks));
	cursor_note(v, "idle %.3g %%", flight_share(s, FLIGHT_NONE));
	for (u32 i = 0; i < phase_track_fns(g->t); i++) {
		const struct phase_fn *f = phase_track_fn(g->t, i);
		for (u32 b = 0; b < f->nbands; b++)
			if (s->warps[f->band + b])
				cursor_note(v, "%c:%.3g", (int)band_look(i, b, f).glyph, mean(s->warps[f->band + b], s->looks));
	}
	if (s->exited)
		cursor_note(v, "exited %.3g", mean(s->exited, s->looks));
}

/* --- the view --- */

static void draw(struct view_ctx *v, struct pane p)
{
	if (!v->phases) {
		pane_text(p, 0, 1, STYLE_BOLD(R_TEXT), "Phases");
		pane_text(p, 1, 3, STYLE(R_DIM), "not kept: phases.period is 0");
		return;
	}
	struct graph g = gather(v, p.w - LEFT - 1);
	heading(v, p, &g);
	if (!g.time.w)
		pane_printf(p, 2, 3, STYLE(R_DIM), "nothing yet: the warps are looked at every %u cycles",
		            phase_track_period(g.t));
	int y = 1 + legend(pane_sub(p, 1, 0, p.h - 1, p.w), &g, p.h >= 30 ? 6 : p.h >= 14 ? 3 : 1);
	int row = p.h >= 17 ? 2 : p.h >= 14; /* the last one, and one above it free: bars would grow into the curve */
	int left = p.h - y - 1 - row, each = left >= 10 ? MIN(MAX(left / 9, 1), 7) : left >= 7 ? 1 : 0, gap = each > 1;
	int rows = left - (int)F_COUNT * (each + gap);
	if (rows >= 2 && g.time.w) {
		notes(v, &g);
		stack(v, pane_sub(p, y, 0, rows, p.w), &g);
		y += rows;
		cursor_axis_row(v, p, y++, LEFT, g.time);
		for (u32 f = 0; f < F_COUNT && each; f++, y += each + gap)
			curve(v, pane_sub(p, y + gap, 0, each, p.w), &g, f);
		if (row)
			flight_row(pane_sub(p, p.h - 1, 0, 1, p.w), &g);
	}
	free(g.col);
}

static bool on_key(struct view_ctx *v, int key)
{
	struct err e = {0};
	u32 n = gpu_conf(v->g)->num_sms;
	switch (key) {
	case 'a': v->st->mode = !v->st->mode; return true;
	case K_UP:
	case 'k': debugger_focus(v->d, (v->d->focus.sm + n - 1) % n, v->d->focus.warp, &e); return true;
	case K_DOWN:
	case 'j': debugger_focus(v->d, (v->d->focus.sm + 1) % n, v->d->focus.warp, &e); return true;
	default: return view_scroll(v->st, key);
	}
}

const struct view view_phases = {
    .key = '3',
    .name = "phase",
    .title = "phases",
    .shows = "warps by phase over time",
    .keys = "up, down SM  a all  left, right cursor  + - zoom",
    .help = "Resident warps by the phase of their next instruction, over the run (Awatramani 2015). A phase is a "
            "run of instructions none of which reads a result that a long-latency instruction of the same phase "
            "brings; `info phases` lists them. The legend gives each phase's length in cycles. A kernel of more "
            "than 12 phases has neighbours merged, always the two that are shortest together, and a letter for "
            "each band: C 3-5:40 is phases 3 to 5, 40 cycles. Grey on top: warps that have exited and wait for "
            "the rest of their CTA (the tail effect); active: the other warps.\n"
            "ALU: instructions whose result is on its way through a unit; mem: loads and atomics until their "
            "result is there, and stores until the LSU has sent them. The figures are means over a column; peaks "
            "are of single samples (every phases.period cycles). Up, down: another SM; a: all SMs. After going "
            "back ◆ marks now. Last row: the share of the span's cycles in which an ALU instruction, a memory "
            "instruction, both or none was in flight, counted in every cycle (Awatramani 2015, figure 10).",
    .draw = draw,
    .on_key = on_key,
};
