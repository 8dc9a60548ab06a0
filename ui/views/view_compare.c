/* Compare: this machine, A, and the one that `compare` has set beside it, B: where both stand, the first decision in
 * which they differ, their IPC over time, and every figure that is not the same. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "obs/compare/delta.h"
#include "dbg/rival.h"
#include "gpu/scope.h"
#include "scr/draw.h"
#include "views/whatif_rows.h"
#include "views/chart.h"
#include "views/cursor.h"
#include "views/policies_text.h"
#include "views/recent.h"
#include "views/view.h"

#define LEFT 13 /* column at which curves begin */
#define COLUMNS_MAX 1024
#define ROW_WIDTH 80    /* of a figure with both values, its change and that in percent */
#define FIGURE_WIDTH 14 /* of A, B and their difference each */
#define STRIP_CELL 9    /* columns of an SM in the strip */
#define ROLE_A R_SER0
#define ROLE_B R_SER3
enum { BY_RELEVANCE, BY_NAME, ORDERS };

/* --- without a second machine --- */

static void invite(struct pane p, const char *gone)
{
	static const struct {
		const char *command, *what;
	} rows[] = {
	    {"compare --warp-sched lrr", "another warp scheduler"},
	    {"compare --set l1d.ways=8", "another L1 data cache"},
	    {"compare --gpu kepler", "another machine"},
	    {"compare by insts --warp-sched paws", "at equal numbers of instructions"},
	    {"compare off", "ends it"},
	};
	pane_text(p, 0, 1, STYLE_BOLD(R_TEXT), "Compare");
	pane_text(p, 2, 1, STYLE(gone ? R_BAD : R_TEXT), gone ? gone : "There is no second machine. Type one of:");
	for (int i = 0; i < (int)ARRAY_LEN(rows); i++) {
		pane_text(p, 4 + i, 3, STYLE(R_ACCENT), rows[i].command);
		pane_text(p, 4 + i, 40, STYLE(R_DIM), rows[i].what);
	}
	int y = 5 + (int)ARRAY_LEN(rows);
	pane_text(p, y, 1, STYLE(R_TEXT),
	          "It runs the same workload from the beginning and follows this one in lock step,");
	pane_text(p, y + 1, 1, STYLE(R_TEXT),
	          "forward and back. `warpdbg debug WORKLOAD --compare OPTIONS` starts with both.");
}

/* --- where both stand --- */

static double mean_ipc(struct session *s)
{
	u64 cycles = sim_cycle(s->sim);
	return cycles ? (double)lockstep_position(s->sim, LOCKSTEP_INSTS) / (double)cycles : 0;
}

/* What B does that its figures do not tell. */
static void b_state(const struct view_ctx *v, char *out, size_t size)
{
	static const char *const checks[] = {
	    [CHECK_NONE] = "", [CHECK_PASS] = ", check passed", [CHECK_FAIL] = ", check FAILED"};
	const struct rival *r = v->d->rival;
	if (r->ended)
		snprintf(out, size, "%s%s", session_stop_text(r->why), checks[r->s->check]);
	else if (rival_behind(v->d))
		snprintf(out, size, "on its way");
	else
		snprintf(out, size, "%s", r->refused != NEVER ? "interrupted" : "");
}

static void side_row(const struct view_ctx *v, struct pane p, int y, bool b)
{
	struct session *s = b ? v->d->rival->s : v->d->s;
	const struct conf *c = gpu_conf(sim_gpu(s->sim));
	char buf[NUM_MAX], policies[POLICIES_TEXT_MAX], machine[sizeof policies + sizeof c->machine], state[80] = "";
	double ipc = mean_ipc(s), a_ipc = mean_ipc(v->d->s);
	pane_text(p, y, 1, STYLE(b ? ROLE_B : ROLE_A), b ? "B" : "A");
	policies_text(c, policies, sizeof policies);
	snprintf(machine, sizeof machine, "%s %s", c->machine, policies);
	draw_clipped(p, y, 3, MIN(22, p.w - 3), STYLE(R_TEXT), machine);
	int x = pane_printf(p, y, 26, STYLE_BOLD(R_TEXT), "cycle %s", grouped(sim_cycle(s->sim), buf));
	x = pane_printf(p, y, MAX(x + 2, 43), STYLE_BOLD(R_TEXT), "mean IPC %.2f", ipc);
	if (b && a_ipc > 0)
		x = pane_printf(p, y, x + 1, STYLE(ipc >= a_ipc ? R_GOOD : R_WARN), "(%+.1f %%)", 100 * (ipc / a_ipc - 1));
	x = pane_printf(p, y, MAX(x + 2, 69), STYLE(R_TEXT), "CTAs %llu",
	                (unsigned long long)lockstep_position(s->sim, LOCKSTEP_CTAS));
	if (b)
		b_state(v, state, sizeof state);
	pane_text(p, y, x + 2, STYLE(R_DIM), state);
}

/* Returns the row behind it. */
static int head(const struct view_ctx *v, struct pane p)
{
	const struct rival *r = v->d->rival;
	char state[80];
	side_row(v, p, 0, false);
	side_row(v, p, 1, true);
	int x = pane_printf(p, 2, 3, STYLE(R_DIM), "in lock step by %s; B: ", lockstep_names[r->by]);
	x = pane_text(p, 2, x, STYLE(R_TEXT), r->text);
	b_state(v, state, sizeof state);
	if (p.w < 100 && *state) /* no room behind the figures */
		pane_printf(p, 2, x, STYLE(R_DIM), "; %s", state);
	return 3;
}

/* --- the first different decision --- */

static int decision(const struct view_ctx *v, struct pane p, int y, bool reasons)
{
	const struct rival *r = v->d->rival;
	struct strbuf t = STRBUF_INIT;
	rival_divergence_line(v->d, &t);
	pane_text(p, y++, 1, STYLE(r->first.found ? R_TEXT : R_DIM), strbuf_str(&t));
	for (u32 i = 0; i < 2 && r->first.found; i++) {
		strbuf_clear(&t);
		rival_decision_line(v->d, i, &t);
		pane_text(p, y, 1, STYLE(i ? ROLE_B : ROLE_A), i ? "B" : "A");
		pane_text(p, y++, 3, STYLE(R_TEXT), strbuf_str(&t));
		if (reasons && *r->reason[i])
			pane_text(p, y++, 5, STYLE(R_DIM), r->reason[i]);
	}
	strbuf_release(&t);
	return y;
}

/* --- IPC over time --- */

static u64 recorded(const struct timeline *t)
{
	return t ? timeline_start(t) + timeline_len(t) * timeline_span(t) : 0;
}

/* Cycles of the longer samples of the two: what is set side by side covers the same cycles, also where one has gone
 * farther in its time, which has made its samples longer. */
static u64 common_span(const struct view_ctx *v)
{
	return MAX(timeline_span(v->tl), timeline_span(v->d->rival->s->timeline));
}

/* The IPC of the samples of so many cycles that have a part in [from, to), NAN where nothing is recorded. */
static double ipc_of(const struct timeline *t, u64 common, u64 from, u64 to)
{
	u64 start = timeline_start(t), span = timeline_span(t), end = recorded(t);
	if (from < start || from >= end)
		return NAN;
	u64 first = (from - start) / common * common, last = ((to - start - 1) / common + 1) * common;
	last = MIN(MAX(last, first + common), end - start);
	return timeline_mean(t, -1, TS_IPC, (u32)(first / span), (u32)(last / span));
}

/* The IPC of the last complete window of RECENT_CYCLES before `now`, as the title line and the other views say it; of
 * the run so far until there is one, and of the sample around it once the samples are longer. */
static double ipc_now(const struct view_ctx *v, const struct timeline *t, u64 now)
{
	u64 to = now >= RECENT_CYCLES ? now - now % RECENT_CYCLES : now, from = to > RECENT_CYCLES ? to - RECENT_CYCLES : 0;
	u64 end = recorded(t);
	return to && end ? ipc_of(t, common_span(v), MIN(from, end - 1), MIN(to, end)) : NAN;
}

static float fill(const struct timeline *t, u64 common, struct time_axis a, float *out)
{
	for (int i = 0; i < a.w; i++) {
		u64 from = cursor_cycle(a, i), to = i + 1 < a.w ? cursor_cycle(a, i + 1) : a.to;
		out[i] = (float)ipc_of(t, common, from, MAX(to, from + 1));
	}
	return chart_top(out, a.w);
}

static void curve(const struct view_ctx *v, struct pane p, bool b, struct time_axis a, const float *val, float most)
{
	const struct timeline *t = b ? v->d->rival->s->timeline : v->tl;
	double last = ipc_now(v, t, sim_cycle((b ? v->d->rival->s : v->d->s)->sim));
	pane_text(p, p.h - 1, 1, STYLE(b ? ROLE_B : ROLE_A), b ? "B" : "A");
	pane_text(p, p.h - 1, 3, STYLE(R_DIM), "IPC");
	if (isfinite(last))
		pane_right(p, p.h - 1, LEFT - 1, STYLE(R_TEXT), "%.2f", last);
	if (p.h > 1)
		pane_right(p, 0, LEFT - 1, STYLE(R_FAINT), "peak %.1f", (double)most);
	for (int r = 0; r < p.h && p.h > 1; r++)
		pane_glyph(p, r, LEFT - 1, STYLE(R_FAINT), r == 0 ? 0x250c : 0x2502);
	draw_columns(p, 0, LEFT, p.h, a.w, STYLE(b ? ROLE_B : ROLE_A), val, a.w, most);
	cursor_dim_future(v, p, 0, p.h, LEFT, a);
	chart_spikes(p, 0, LEFT, val, a.w, most * 1.001f);
	int at = cursor_axis(v, a);
	if (at < 0)
		return;
	cursor_mark(p, 0, p.h, LEFT + at);
	if (isfinite(val[at]))
		cursor_note(v, "%c IPC %.2f", b ? 'B' : 'A', (double)val[at]);
	else
		cursor_note(v, "%c -", b ? 'B' : 'A');
}

/* Both on one axis and one scale, each `rows` high. Returns the row behind them. */
static int curves(const struct view_ctx *v, struct pane p, int y, int rows)
{
	const struct timeline *tb = v->d->rival->s->timeline;
	float a[COLUMNS_MAX], b[COLUMNS_MAX];
	int w = MIN(p.w - LEFT - 1, COLUMNS_MAX);
	if (!v->tl || !tb || w < 1 || !MAX(recorded(v->tl), recorded(tb))) {
		pane_text(p, y, 1, STYLE(R_FAINT), "IPC over time: no sample yet");
		return y + 1;
	}
	u64 end = MAX(recorded(v->tl), recorded(tb));
	struct time_axis axis = cursor_window(v, timeline_start(v->tl), end, 8 * timeline_span(v->tl));
	axis.w = w;
	u64 common = common_span(v);
	float most_a = fill(v->tl, common, axis, a), most = MAX(most_a, fill(tb, common, axis, b));
	int gap = rows > 2; /* between them, to keep them apart; where there is no room, the highest value is 7/8 high */
	most *= gap ? 1 : 8.0f / 7;
	curve(v, pane_sub(p, y, 0, rows, p.w), false, axis, a, most);
	curve(v, pane_sub(p, y + rows + gap, 0, rows, p.w), true, axis, b, most);
	y += 2 * rows + gap;
	if (common <= RECENT_CYCLES)
		pane_printf(p, y, 1, STYLE(R_DIM), v->recent->scope ? "in %s" : "last %s", recent_span(v->recent, true));
	cursor_axis_row(v, p, y, LEFT, axis);
	return y + 1;
}

/* --- SM by SM --- */

static double sm_ipc(struct gpu *g, u32 sm)
{
	const struct sm_counters *k = (const void *)gpu_counters(g, CG_sm, sm);
	const u64 cycles = gpu_counted_cycles(g);
	return cycles ? (double)k->issued / (double)cycles : 0;
}

/* The difference of each SM's IPC in percent of A's. */
static int strip(const struct view_ctx *v, struct pane p, int y)
{
	struct gpu *a = v->g, *b = sim_gpu(v->d->rival->s->sim);
	int n = (int)MIN(gpu_conf(a)->num_sms, gpu_conf(b)->num_sms), each = MAX((p.w - 2) / STRIP_CELL, 1);
	pane_text(p, y++, 1, STYLE(R_DIM), "SM by SM: IPC of B against A, %");
	for (int i = 0; i < n; i++) {
		double ia = sm_ipc(a, (u32)i), change = ia > 0 ? 100 * (sm_ipc(b, (u32)i) / ia - 1) : NAN;
		int at = 1 + i % each * STRIP_CELL, row = y + i / each;
		enum role role = fabs(change) < 0.05 ? R_FAINT : change > 0 ? R_GOOD : R_WARN;
		pane_right(p, row, at + 2, STYLE(R_DIM), "%d", i);
		if (isfinite(change))
			pane_right(p, row, at + STRIP_CELL - 1, STYLE(role), fabs(change) < 100 ? "%+.1f" : "%+.0f", change);
		else
			pane_right(p, row, at + STRIP_CELL - 1, STYLE(R_FAINT), "-");
	}
	return y + (n + each - 1) / each;
}

static int strip_rows(const struct view_ctx *v, int w)
{
	int n = (int)gpu_conf(v->g)->num_sms, each = MAX((w - 2) / STRIP_CELL, 1);
	return 1 + (n + each - 1) / each;
}

/* --- figures --- */

static int by_name(const void *a, const void *b)
{
	return strcmp((*(const struct delta *const *)a)->name, (*(const struct delta *const *)b)->name);
}

/* In its column: one that would touch its neighbour (femtojoules) is cut to three digits and a letter. */
static const char *column_text(const struct delta *d, u32 side, char out[NUM_MAX])
{
	char number[NUM_MAX];
	const double v = side == 0 ? d->a : side == 1 ? d->b : delta_value(d);
	const char *whole = delta_text(d, side, out);
	if (strlen(whole) < FIGURE_WIDTH || !isfinite(v))
		return whole;
	snprintf(out, NUM_MAX, "%s%s", side < 2 ? "" : v < 0 ? "-" : "+", fmt_short(number, fabs(v)));
	return out;
}

static void figure(struct pane p, int y, const struct delta *d, bool found)
{
	char cell[NUM_MAX];
	double ratio = delta_ratio(d);
	bool share = !d->whole && !*d->unit;
	static const char stall[] = "stalls.base.";
	bool is_stall = !strncmp(d->name, stall, sizeof stall - 1);
	int x = is_stall ? pane_text(p, y, 1, STYLE(R_DIM), "slots: ") : 1;
	draw_clipped(p, y, x, 27 - x, STYLE(found ? R_ACCENT : R_TEXT), d->name + (is_stall ? sizeof stall - 1 : 0));
	pane_right(p, y, 42, STYLE(R_TEXT), "%s", column_text(d, 0, cell));
	pane_right(p, y, 56, STYLE(R_TEXT), "%s", column_text(d, 1, cell));
	pane_right(p, y, 70, STYLE_BOLD(R_TEXT), "%s", column_text(d, 2, cell));
	if (isfinite(ratio) && !share)
		pane_right(p, y, 79, STYLE(R_DIM), fabs(ratio) < 10 ? "%+.1f %%" : "%+.0f %%", 100 * ratio);
}

static void figures_head(const struct view_ctx *v, struct pane p, u32 n)
{
	pane_printf(p, 0, 1, STYLE(R_DIM), "%u figures differ%s", n, v->st->mode == BY_NAME ? ", by name" : "");
	pane_right(p, 0, 42, STYLE(ROLE_A), "A");
	pane_right(p, 0, 56, STYLE(ROLE_B), "B");
	pane_right(p, 0, 70, STYLE(R_DIM), "B - A");
}

/* The figures that differ, in the order chosen. */
struct gathered {
	struct stats *a, *b;
	struct deltas all;
	const struct delta **row;
	u32 n;
};

/* What a search has found is remembered by its place among all figures, which is the same however they are ordered. */
static u32 mark_of(const struct gathered *x, u32 row)
{
	return (u32)(x->row[row] - x->all.d) + 1;
}

/* The row of the figure found, x->n when it is not there: none was, or it differs no more. */
static u32 found_row(const struct gathered *x, u32 mark)
{
	u32 row = 0;
	while (row < x->n && mark_of(x, row) != mark)
		row++;
	return row;
}

/* Where a search has come to stays in view until somebody scrolls. */
static void show_found(struct view_state *st, const struct gathered *x, int rows, int h)
{
	u32 row = st->mark && st->follow && rows > 0 ? found_row(x, st->mark) : x->n;
	int at = row < x->n ? (int)row % rows : st->top;
	if (row < x->n && (at < st->top || at >= st->top + h))
		st->top = at;
}

/* In as many columns as there is room for, from st->top on. */
static void list(const struct view_ctx *v, struct pane p, const struct gathered *x)
{
	u32 n = x->n;
	int cols = MAX(p.w / ROW_WIDTH, 1), h = MAX(p.h - 1, 0), rows = ((int)n + cols - 1) / cols;
	if (rows <= h && h > 0) /* fewer columns do */
		cols = MAX(((int)n + h - 1) / h, 1), rows = ((int)n + cols - 1) / cols;
	show_found(v->st, x, rows, h);
	view_clip(v->st, rows, h);
	for (int c = 0; c < cols; c++) {
		struct pane q = pane_sub(p, 0, c * ROW_WIDTH, p.h, c + 1 < cols ? ROW_WIDTH : p.w - c * ROW_WIDTH);
		if (!c)
			figures_head(v, q, n);
		for (int i = 0; i < h; i++) {
			int at = c * rows + v->st->top + i;
			if (v->st->top + i < rows && at < (int)n)
				figure(q, 1 + i, x->row[at], mark_of(x, (u32)at) == v->st->mark);
		}
		for (int i = 0; i < h; i++)
			pane_mark(pane_sub(q, 1 + i, 1, 1, 26), 0, v->search);
	}
	if (rows > h)
		pane_right(p, 0, MIN(p.w, ROW_WIDTH) - 1, STYLE(R_ACCENT), "%s%s", v->st->top ? "↑" : " ",
		           rows - v->st->top > h ? "↓" : " ");
}

static struct gathered gather(const struct view_ctx *v)
{
	struct gathered x = {.a = rival_stats(v->d, false), .b = rival_stats(v->d, true)};
	deltas_gather(&x.all, x.a, x.b);
	x.row = xcalloc(x.all.n + 1, sizeof *x.row);
	x.n = deltas_by_relevance(&x.all, x.row);
	if (v->st->mode == BY_NAME)
		qsort(x.row, x.n, sizeof *x.row, by_name);
	return x;
}

static void gathered_release(struct gathered *x)
{
	free(x->row);
	deltas_release(&x->all);
	stats_free(x->a);
	stats_free(x->b);
}

static void figures(const struct view_ctx *v, struct pane p)
{
	struct gathered x = gather(v);
	if (x.n)
		list(v, p, &x);
	else
		pane_text(p, 0, 1, STYLE(R_DIM), "No figure differs.");
	gathered_release(&x);
}

/* From the figure found last on, or from the first one shown. */
static bool search(struct view_ctx *v, bool forward)
{
	const struct rival *r = v->d->rival;
	if (!r || !r->s)
		return false;
	struct gathered x = gather(v);
	u32 from = v->st->mark ? found_row(&x, v->st->mark) : x.n;
	if (from == x.n)
		from = (u32)v->st->top + (forward ? x.n - 1 : 0);
	bool found = false;
	for (u32 k = 1; k <= x.n && !found; k++) {
		u32 i = (forward ? from + k : from + x.n - k) % x.n;
		found = strcasestr(x.row[i]->name, v->search);
		if (found)
			v->st->mark = mark_of(&x, i);
	}
	v->st->follow |= found;
	gathered_release(&x);
	return found;
}

/* --- the view --- */

static void draw_both(struct view_ctx *v, struct pane p)
{
	bool roomy = p.h >= 26;
	int y = head(v, p) + roomy;
	y = decision(v, p, y, p.h >= 15) + roomy;
	if (p.h - y >= 6)
		y = curves(v, p, y, p.h >= 45 ? 5 : p.h >= 34 ? 3 : roomy ? 2 : 1) + roomy;
	if (p.h - y >= 10 + strip_rows(v, p.w))
		y = strip(v, p, y) + 1;
	if (p.h > y)
		figures(v, pane_sub(p, y, 0, p.h - y, p.w));
}

/* st->column: `t`, the table of whatif though there is a second machine. */
static bool shows_rows(const struct view_ctx *v)
{
	const struct rival *r = v->d->rival;
	return whatif_rows_any(v) && (v->st->column || !r || (!r->s && !r->err.set));
}

static void draw(struct view_ctx *v, struct pane p)
{
	const struct rival *r = v->d->rival;
	if (shows_rows(v)) {
		whatif_rows_draw(v, p);
		return;
	}
	if (!r || !r->s) {
		invite(p, r ? r->err.msg : NULL);
		return;
	}
	/* While B has not this machine's scope, figures of both are of their whole runs. */
	struct gpu_scope *scope = r->scope.from ? NULL : gpu_scope_off(v->g);
	draw_both(v, p);
	if (scope)
		gpu_scope_on(v->g, scope);
}

static bool enter_line(const struct view_ctx *v, char *line, size_t n)
{
	if (!shows_rows(v) || !whatif_rows_command(v, line, n))
		return false;
	v->st->column = 0;
	return true;
}

static bool on_key(struct view_ctx *v, int key)
{
	if (key == 't' && whatif_rows_any(v)) {
		v->st->column = !v->st->column;
		return true;
	}
	if (shows_rows(v))
		return whatif_rows_key(v, key);
	if (key != 'o')
		return view_scroll(v->st, key);
	v->st->mode = (v->st->mode + 1) % ORDERS;
	v->st->top = 0;
	v->st->follow = true; /* what was found stays in view */
	return true;
}

const struct view view_compare = {
    .key = '9',
    .name = "compare",
    .title = "two machines side by side",
    .shows = "two machines side by side",
    .keys = "/ search  n N  o order  t whatif",
    .both = true,
    .help = "A is this machine; B is the machine that `compare OPTIONS` has set beside it. IPC is measured over "
            "the run so far; CTAs are the finished ones. Each scheduler's state, the ranks that it gave (0 = "
            "first) and what it knew are those right before the decision.\n"
            "The curves have one scale. Figures: those that differ, the most relevant first (o: by name); "
            "`explain NAME` defines each. By cycles, B stands at A's cycle; with `compare by insts` or `by ctas`, "
            "where it has executed as many instructions, or finished as many CTAs, as A.\n"
            "Behind `whatif` its rows are here: up and down choose one, Enter sets its machine beside this one, t "
            "shows them again.",
    .enter_line = enter_line,
    .draw = draw,
    .on_key = on_key,
    .search = search,
};
