/* Caches: hit rates over the run, every cache's accesses by outcome, why reads missed, which SMs hit, and whose lines
 * the focused one's L1D holds. */
#include <stdio.h>

#include "scr/draw.h"
#include "views/causes.h"
#include "views/chart.h"
#include "views/cursor.h"
#include "views/view.h"

static struct cache_counters sum_group(struct gpu *g, enum counter_group group, u32 *instances)
{
	struct cache_counters sum = {0};
	u64 *to = (u64 *)&sum;
	*instances = gpu_counter_instances(g, group);
	for (u32 i = 0; i < *instances; i++) {
		const u64 *c = gpu_counters(g, group, i);
		for (u32 k = 0; k < sizeof sum / sizeof *to; k++)
			to[k] += c[k];
	}
	return sum;
}

/* A row of figures right-aligned in columns of 9. */
static void figures(struct pane p, int y, int x, const u64 *v, u32 n)
{
	char buf[NUM_MAX];
	for (u32 i = 0; i < n; i++, x += 9)
		pane_right(p, y, x + 8, STYLE(v[i] ? R_TEXT : R_FAINT), "%s",
		           v[i] < 1000000 ? grouped(v[i], buf) : fmt_short(buf, (double)v[i]));
}

/* What kept the L1D caches from taking transactions: the reasons' shares of all cycles of all SMs. */
static void heading(struct view_ctx *v, struct pane p)
{
	u32 n;
	struct cache_counters c = sum_group(v->g, CG_l1d, &n);
	const struct {
		const char *name;
		u64 cycles;
	} why[] = {{"no mshr", c.rf_mshr}, {"no line", c.rf_line}, {"no merge", c.rf_merge}, {"no queue", c.rf_queue}};
	double all = (double)gpu_counted_cycles(v->g) * n;
	int x = pane_text(p, 0, 1, STYLE_BOLD(R_TEXT), "Caches");
	if (!all)
		return;
	u64 sum = c.rf_mshr + c.rf_line + c.rf_merge + c.rf_queue;
	x = pane_printf(p, 0, x + 2, STYLE(sum ? R_REFUSED : R_DIM), "L1D refuses in %.1f %%", percent((double)sum, all));
	x = pane_text(p, 0, x, STYLE(R_DIM), " of the SMs' cycles");
	const char *sep = ":";
	for (u32 i = 0; i < ARRAY_LEN(why); i++) {
		char part[40];
		snprintf(part, sizeof part, "%s %s %.1f", sep, why[i].name, percent((double)why[i].cycles, all));
		if (!why[i].cycles || x + utf8_width(part) >= p.w)
			continue;
		x = pane_text(p, 0, x, STYLE(R_DIM), part);
		sep = ",";
	}
}

/* Caches that nobody has asked for anything give up their rows where there are few. */
static int table(struct view_ctx *v, struct pane p, bool all)
{
	static const struct {
		const char *name;
		enum counter_group group;
	} rows[] = {{"L1D", CG_l1d}, {"L2", CG_l2}, {"L1I", CG_l1i}, {"L1C", CG_l1c}, {"L1T", CG_l1t}};
	static const char *const head[] = {"accesses", "hits",     "misses", "merges",  "no line", "no mshr",
	                                   "no merge", "no queue", "fills",  "evicted", "written", "bypassed"};
	int cols = MIN((p.w - 12) / 9, (int)ARRAY_LEN(head)), y = 1;
	pane_right(p, 0, 11, STYLE(R_DIM), "hit");
	for (int i = 0; i < cols; i++)
		pane_right(p, 0, 12 + 9 * i + 8, STYLE(R_DIM), "%s", head[i]);
	for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
		u32 n;
		struct cache_counters c = sum_group(v->g, rows[i].group, &n);
		u64 lookups = c.hits + c.misses + c.merges;
		if (!n || (!all && !c.accesses && rows[i].group != CG_l1d))
			continue;
		pane_text(p, y, 1, STYLE_BOLD(lookups ? R_TEXT : R_FAINT), rows[i].name);
		if (lookups)
			pane_right(p, y, 11, STYLE(R_TEXT), "%.1f%%", percent((double)c.hits, (double)lookups));
		const u64 val[] = {c.accesses, c.hits,     c.misses, c.merges,    c.rf_line,    c.rf_mshr,
		                   c.rf_merge, c.rf_queue, c.fills,  c.evictions, c.writebacks, c.bypasses};
		figures(p, y++, 12, val, (u32)MAX(cols, 0));
	}
	return y;
}

/* The SM list: columns of rows; one column has room for the history of each SM. */
struct sm_list {
	int cols, rows;
};

/* One column where the terminal is high and wide enough, else as many as its width allows. */
static struct sm_list list_layout(const struct view_ctx *v, struct pane p)
{
	int n = (int)gpu_conf(v->g)->num_sms, cols = p.w >= (p.h < 20 ? 76 : 150) ? 3 : p.w >= 76 ? 2 : 1;
	while (cols > 1 && (n + cols - 2) / (cols - 1) + 1 <= p.h / 2)
		cols--;
	return (struct sm_list){cols, (n + cols - 1) / cols};
}

static void sm_cell(struct view_ctx *v, struct pane q, int sm, bool history)
{
	const struct conf *c = gpu_conf(v->g);
	const struct sample *now = recent_get(v->recent, sm);
	u32 used = view_mshrs(v, (u32)sm);
	int w = history ? 56 : q.w, y = 0;
	double hit = now->l1d_lookups ? (double)now->l1d_hits / (double)now->l1d_lookups : 0;
	pane_right(q, y, 3, (u32)sm == v->d->focus.sm ? STYLE(R_ACCENT) : STYLE(R_DIM), "%d", sm);
	if (now->l1d_lookups) /* who asked for nothing has no bar */
		draw_meter(q, y, 5, w - 19, STYLE(R_FILL1), hit);
	pane_right(q, y, w - 9, STYLE(R_TEXT), now->l1d_lookups ? "%.0f%%" : "-", 100 * hit);
	pane_right(q, y, w - 2, STYLE(used >= c->l1d_mshrs ? R_REFUSED : R_DIM), "%u/%u", used, c->l1d_mshrs);
	if (!history)
		return;
	float val[512];
	int x = w + 22, n = view_series(v, sm, TS_L1D_HIT, val, MIN(q.w - x, (int)ARRAY_LEN(val)));
	if (used)
		draw_meter(q, y, w, 20, STYLE(used >= c->l1d_mshrs ? R_REFUSED : R_MEM), (double)used / MAX(c->l1d_mshrs, 1u));
	draw_spark(q, y, x, q.w - x, STYLE(R_FILL1), val, n, 8.0f / 7); /* 100 % is 7/8 high: rows keep apart */
	cursor_dim_future(v, q, y, 1, x, chart_time(v, n));
}

/* One row an SM: L1D hit rate of the window, the MSHRs in use now, and with room the hit rate over the run. */
static void per_sm(struct view_ctx *v, struct pane p, const struct sm_list *l)
{
	int n = (int)gpu_conf(v->g)->num_sms, w = p.w / l->cols, rows = MAX(p.h - 1, 0);
	bool history = l->cols == 1 && p.w >= 110;
	pane_printf(p, 0, 1, STYLE(R_DIM), "SM  L1D hit in the %s%s, MSHRs in use", v->recent->scope ? "" : "last ",
	            v->recent->scope ? "scope" : recent_span(v->recent, false));
	if (history)
		pane_text(p, 0, 78, STYLE(R_DIM), "L1D hit over the run");
	view_clip(v->st, l->rows, rows);
	if (l->rows > rows)
		pane_right(p, 0, p.w - 1, STYLE(R_ACCENT), "%s%s PgUp PgDn", v->st->top ? "↑" : "",
		           v->st->top + rows < l->rows ? "↓" : "");
	for (int i = 0; i < rows * l->cols; i++) {
		int row = v->st->top + i / l->cols, sm = row + i % l->cols * l->rows;
		if (row < l->rows && sm < n)
			sm_cell(v, pane_sub(p, 1 + i / l->cols, i % l->cols * w, 1, w - 1), sm, history);
	}
}

#define LEFT 12      /* where the curves begin */
enum { MISSES = 1 }; /* of view_state.mode: causes of misses over time instead of the list of SMs */

/* The causes of L1D's misses, and where there is room those of L2's. Returns the rows taken. */
static int cause_lines(struct view_ctx *v, struct pane p, bool l2, bool legend)
{
	u32 n;
	struct cache_counters c = sum_group(v->g, CG_l1d, &n);
	if (!gpu_conf(v->g)->miss_causes) {
		pane_text(p, 0, 1, STYLE(R_DIM), "Why reads missed is not counted; --set mem.miss_causes=true does");
		return 1;
	}
	causes_line(p, "L1D", &c, legend);
	if (!l2)
		return 1;
	c = sum_group(v->g, CG_l2, &n);
	causes_line(pane_sub(p, 1, 0, 1, p.w), "L2", &c, legend);
	return 2;
}

/* Rows of the curves: of a hit rate each, and of the causes of misses; 0 = there is no room for those. */
struct curve_rows {
	int hit, miss[2]; /* L1D, L2 */
};

static struct curve_rows curve_rows(int h, bool causes)
{
	u32 charts = !causes || h < 6 ? 0 : h < 8 ? 1 : 2;
	struct curve_rows r = {.hit = MAX(MIN(h / (2 + 2 * (int)charts), 16), 1)};
	for (u32 i = 0; i < charts; i++)
		r.miss[i] = MIN((h - 2 * r.hit) / (int)charts, 2 * r.hit + 3);
	return r;
}

/* The curves and their axis, causes over time below the hit rate of their cache. Returns the rows taken. */
static int curves(struct view_ctx *v, struct pane p, const struct curve_rows *r)
{
	static const struct {
		struct chart hit;
		enum series miss;
		const char *misses;
	} caches[] = {{{"L1D", TS_L1D_HIT, R_FILL1, 1, "%"}, TS_L1D_MISS, "L1D misses"},
	              {{"L2", TS_L2_HIT, R_FILL3, 1, "%"}, TS_L2_MISS, "L2 misses"}};
	int y = 0, gap = r->hit > 2;
	for (u32 i = 0; i < ARRAY_LEN(caches); i++) {
		chart_draw(v, pane_sub(p, y + gap, 0, r->hit - gap, p.w), &caches[i].hit, -1, LEFT);
		y += r->hit;
		int below = r->miss[i] > 3;
		if (r->miss[i])
			causes_chart(v, pane_sub(p, y + below, 0, r->miss[i] - below, p.w), LEFT, caches[i].miss, caches[i].misses);
		y += r->miss[i];
	}
	for (u32 i = 0; i < ARRAY_LEN(caches) && gpu_conf(v->g)->miss_causes; i++)
		causes_note(v, p.w - LEFT - 1, caches[i].miss, caches[i].misses);
	chart_axis(v, p, y++, LEFT);
	return y;
}

static void draw(struct view_ctx *v, struct pane p)
{
	const bool counted = gpu_conf(v->g)->miss_causes, misses = counted && v->st->mode == MISSES;
	heading(v, p);
	int y = 1 + table(v, pane_sub(p, 1, 0, p.h - 1, p.w), p.h >= 24), owners = p.h >= 40 ? 2 : p.h >= 14;
	struct sm_list l = list_layout(v, p);
	int lines = p.h < 14 ? 0 : 1 + (p.h >= 20 || misses); /* of causes */
	int left = p.h - y - owners - lines, all = misses ? 0 : l.rows + 1;
	/* the whole list where the curves keep a row each and their axis */
	int list = all <= left - 3 ? all : MIN(all, MAX(left * 2 / 3, 2)), room = left - list;
	room -= !misses && room != 3;
	struct curve_rows rows = curve_rows(room - 1, counted && room >= (misses ? 7 : 9));
	if (lines)
		y += cause_lines(v, pane_sub(p, y, 0, p.h - y, p.w), lines > 1, rows.miss[0]);
	if (room >= 2)
		y += curves(v, pane_sub(p, y, 0, room, p.w), &rows);
	left = p.h - owners - y; /* a row between them where the whole list fits all the same */
	y += room >= 2 && all < left;
	list = MIN(all, p.h - owners - y);
	if (list > 0)
		per_sm(v, pane_sub(p, y, 0, list, p.w), &l);
	causes_lines(v, pane_sub(p, p.h - owners, 0, owners, p.w));
}

static bool on_key(struct view_ctx *v, int key)
{
	if (key != 'w')
		return view_scroll(v->st, key);
	v->st->mode = v->st->mode == MISSES ? 0 : MISSES;
	return true;
}

const struct view view_caches = {
    .key = '5',
    .name = "cache",
    .title = "caches",
    .shows = "L1, L2, MSHRs: hits, misses, refusals",
    .keys = "w misses or SMs  arrows scroll  c cursor  + - zoom",
    .help = "All figures are sums over all instances since the start. hit = hits / (hits + misses + merges). no "
            "line, no mshr, no merge, no queue: cycles in which a transaction was refused for that reason; "
            "`explain l1d.rf_mshr` and the like define each.\n"
            "Each read miss has one cause (`explain l1d.miss_cold`, ...): cold, the line was never asked for "
            "before; capacity, an ideal cache as large had lost it, too; sector, the line was there, but the "
            "sector was not fetched; invalidated, it was removed by a store or a kernel's start; conflict, it had "
            "to leave its set. The figures are shares of all accesses. w shows them over time instead of the list "
            "of SMs: one column's height is the share of its accesses.\n"
            "Lines alive: lines of the focused SM's L1D, by the CTA that brought them in; a CTA in brackets has "
            "ended. With several launches in it: launch:CTA. `info lines` has the figures.",
    .draw = draw,
    .on_key = on_key,
};
