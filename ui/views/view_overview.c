/* Overview: kernels with their progress, one row an SM with a cell a warp, and the whole run as curves. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "conf/virtual.h"
#include "scr/draw.h"
#include "scr/term.h"
#include "views/chart.h"
#include "views/cursor.h"
#include "views/legend.h"
#include "views/power.h"
#include "views/view.h"

#define WARPS_MAX 256
#define SPARK_MAX 512

/* --- kernels --- */
/* Launches worth a row: running first, then those next in the queue, then the latest that are done. The queue has
 * little to say: two of it leave room for the others. */
#define QUEUE_MAX 2
static u32 pick_kernels(struct gpu *g, u32 out[], u32 max)
{
	static const enum kernel_state order[] = {KS_RUNNING, KS_QUEUED, KS_DONE};
	u32 n = 0, all = gpu_num_kernels(g);
	for (u32 o = 0; o < ARRAY_LEN(order); o++) {
		u32 stop = order[o] == KS_QUEUED ? MIN(n + QUEUE_MAX, max) : max;
		for (u32 i = 0; i < all && n < stop; i++) {
			u32 id = order[o] == KS_DONE ? all - 1 - i : i;
			struct kernel_info k;
			gpu_kernel_info(g, id, &k);
			if (k.state == order[o])
				out[n++] = id;
		}
	}
	return n;
}

/* A launch as it is shown: progress or length behind its bar, and behind that what limits it. */
struct kernel_line {
	struct kernel_info k;
	char tail[80], more[48];
};

static void kernel_line(struct gpu *g, u32 id, struct kernel_line *l)
{
	char a[NUM_MAX], b[NUM_MAX];
	gpu_kernel_info(g, id, &l->k);
	const struct kernel_counters *n = l->k.counters;
	u64 done = l->k.done, all = l->k.launch->ctas;
	l->tail[0] = l->more[0] = '\0';
	if (l->k.state == KS_QUEUED)
		return;
	const struct cta_tally t = gpu_cta_tally(g, (s32)id);
	u64 from, to;
	gpu_counted_range(g, &from, &to);
	const u64 cycles = kernel_run_cycles(n, from, to);
	if (l->k.state == KS_DONE)
		snprintf(l->tail, sizeof l->tail, " done  %s cycle%s", grouped(cycles, a), plural(cycles));
	else
		snprintf(l->tail, sizeof l->tail, " %3.0f%%  %s/%s CTA%s", percent((double)done, (double)all), grouped(done, a),
		         grouped(all, b), plural(all));
	if (t.paused || t.saved)
		snprintf(l->tail + strlen(l->tail), sizeof l->tail - strlen(l->tail), "  %u paused, %u saved", t.paused,
		         t.saved);
	if (t.moving)
		snprintf(l->tail + strlen(l->tail), sizeof l->tail - strlen(l->tail), "  %u moving", t.moving);
	if (t.lowered)
		snprintf(l->tail + strlen(l->tail), sizeof l->tail - strlen(l->tail), "  %u lowered", t.lowered);
	if (t.inactive)
		snprintf(l->tail + strlen(l->tail), sizeof l->tail - strlen(l->tail), "  %u inactive", t.inactive);
	snprintf(l->more, sizeof l->more, "  %u an SM, limit: %s", l->k.ctas_per_sm, l->k.limiter);
}

/* Columns that all launches share, so that bars and figures stand below each other. */
struct kernel_columns {
	int name, name_w, bar, bar_w, tail, more; /* more: -1 = no room */
};

#define KERNELS_MAX 16
#define BAR_MAX 60

static struct kernel_columns kernel_columns(const struct kernel_line *l, u32 n, int w)
{
	struct kernel_columns c = {.name_w = 7, .more = -1};
	int tail = 0, more = 0;
	for (u32 i = 0; i < n; i++) {
		char id[16];
		c.name = MAX(c.name, 2 + snprintf(id, sizeof id, "K%u", l[i].k.launch->id));
		c.name_w = MAX(c.name_w, MIN(utf8_width(l[i].k.label), w / 4));
		tail = MAX(tail, utf8_width(l[i].tail));
		more = MAX(more, utf8_width(l[i].more));
	}
	c.bar = c.name + c.name_w + 1;
	int room = MAX(w - c.bar - tail - 1, 0), with_more = MIN(room - more, BAR_MAX);
	c.bar_w = with_more >= 20 ? with_more : MIN(room, BAR_MAX);
	c.tail = c.bar + c.bar_w;
	if (c.tail + tail + more < w)
		c.more = c.tail + tail;
	return c;
}

static void kernel_row(struct view_ctx *v, struct pane p, const struct kernel_line *l, const struct kernel_columns *c)
{
	char a[NUM_MAX], b[NUM_MAX];
	struct style s = STYLE(R_SER0 + l->k.launch->id % R_NSERIES);
	u64 done = l->k.done, all = l->k.launch->ctas;
	pane_printf(p, 0, 1, s, "K%u", l->k.launch->id);
	draw_clipped(p, 0, c->name, c->name_w, STYLE_BOLD(R_TEXT), l->k.label);
	if (l->k.state == KS_QUEUED) {
		int x = pane_printf(p, 0, c->bar, STYLE(R_DIM), "queued, %s CTA%s", grouped(all, a), plural(all));
		if (l->k.ready_at != NEVER && l->k.ready_at > gpu_cycle(v->g))
			pane_printf(p, 0, x, STYLE(R_DIM), "; %s cycle %s",
			            l->k.launch->start_at == l->k.ready_at ? "not before" : "launch latency to",
			            grouped(l->k.ready_at, b));
		return;
	}
	draw_bar(p, 0, c->bar, c->bar_w, s, all ? (double)done / (double)all : 0, true);
	pane_text(p, 0, c->tail, STYLE(R_TEXT), l->tail);
	if (c->more > 0)
		pane_text(p, 0, c->more, STYLE(R_DIM), l->more);
}

static int kernels(struct view_ctx *v, struct pane p, int rows)
{
	struct kernel_line l[KERNELS_MAX];
	u32 id[KERNELS_MAX], n = pick_kernels(v->g, id, (u32)MIN(MAX(rows, 1), KERNELS_MAX));
	if (!n) {
		pane_text(p, 0, 1, STYLE(R_DIM), "no kernel launched yet: type run, continue or press space");
		return 1;
	}
	char more[32] = "";
	if (gpu_num_kernels(v->g) > n)
		snprintf(more, sizeof more, "  +%u more", gpu_num_kernels(v->g) - n);
	for (u32 i = 0; i < n; i++)
		kernel_line(v->g, id[i], &l[i]);
	struct kernel_columns c = kernel_columns(l, n, p.w - utf8_width(more));
	for (u32 i = 0; i < n; i++)
		kernel_row(v, pane_sub(p, (int)i, 0, 1, p.w - utf8_width(more)), &l[i], &c);
	pane_right(p, (int)n - 1, p.w - 1, STYLE(R_DIM), "%s", more);
	return (int)n;
}

/* --- SM rows --- */
/* Columns by their right ends; -1 = no room. */
struct columns {
	int cells, ncells, cta, reg, shm, ipc, l1, lost, lost_w, pct, stack, stack_w, spark, spark_w;
	float spark_max, *sparks; /* [num_sms][spark_w] */
	int nsparks;              /* of spark_w, with a value */
};

static int digits(u32 v)
{
	return v < 10 ? 1 : v < 100 ? 2 : 3;
}

/* Cells first (80 columns have no margin to spare); then the figures in order of importance as long as they fit; wide
 * terminals get the whole breakdown and its history. */
static struct columns layout(const struct conf *c, u32 warps, int w)
{
	struct columns k = {.cells = digits(c->num_sms - 1) + (w < 100 ? 1 : 2),
	                    .cta = -1,
	                    .reg = -1,
	                    .shm = -1,
	                    .ipc = -1,
	                    .l1 = -1,
	                    .stack = -1,
	                    .spark = -1};
	k.ncells = MIN((int)warps, MAX(w - k.cells, 0));
	int x = k.cells + k.ncells, room = w - x, cta_w = 2 * digits(c->sm_ctas) + 1;
	cta_w += conf_is_vt(c) && room > 26 + cta_w; /* "6+12", where that pushes nothing out */
	bool ipc = room >= 5, lost = room >= 17, cta = room >= 18 + cta_w, reg = room >= 22 + cta_w,
	     shm = room >= 26 + cta_w;
	bool l1 = room >= 60;
	if (cta)
		k.cta = x += cta_w + 1;
	if (reg)
		k.reg = x += 4;
	if (shm)
		k.shm = x += 4;
	if (l1)
		k.l1 = x += 5;
	if (ipc)
		k.ipc = x += 5;
	if (!lost) {
		k.lost = room >= 11 ? x + 2 : -1; /* a letter and its share */
		k.lost_w = 1;
		k.pct = room >= 11 ? x + 6 : -1;
		return k;
	}
	room = w - x;
	k.lost = x + (room > 30 ? 2 : 1);
	k.lost_w = room > 30 ? 17 : MIN(room - 5, 17);
	k.pct = x = k.lost + k.lost_w + (room > 30 ? 5 : 4);
	room = w - x;
	if (room >= 20) {
		k.stack = x + 2;
		k.stack_w = room >= 60 ? 24 : room >= 50 ? 20 : room - 3;
		x = k.stack + k.stack_w;
	}
	if (w - x >= 16) {
		k.spark = x + 2;
		k.spark_w = w - k.spark - 1;
	}
	return k;
}

/* What the letters of the cells mean, in the head above them: the first thing that a newcomer asks. */
static void cells_legend(const struct columns *k, struct pane p, int y, int x, bool pauses)
{
	static const struct {
		enum legend_id id;
		const char *brief;
	} item[] = {{LG_READY, "ready"}, {LG_SHORT, "short"}, {LG_MEMORY, "mem"},   {LG_REFUSED, "unit"},
	            {LG_BARRIER, "bar"}, {LG_FETCH, "fetch"}, {LG_PAUSED, "paused"}};
	const u32 n = (u32)ARRAY_LEN(item) - !pauses;
	int end = k->cells + k->ncells, full = 0;
	for (u32 i = 0; i < n; i++)
		full += (int)strlen(legend[item[i].id].name) + 4;
	bool wide = x + full - 2 <= end;
	for (u32 i = 0; i < n; i++) {
		const char *name = wide ? legend[item[i].id].name : item[i].brief;
		if (x + 2 + (int)strlen(name) > end)
			return;
		legend_draw(p, y, x, item[i].id);
		x = pane_text(p, y, x + 2, STYLE(R_DIM), name) + (wide ? 2 : 1);
	}
}

static void head(const struct columns *k, struct pane p, int y, const char *shown, bool pauses)
{
	const struct style s = STYLE(R_DIM);
	pane_text(p, y, MAX(k->cells - 3, 0), s, "SM");
	int x = pane_text(p, y, k->cells, *shown ? STYLE(R_ACCENT) : s, *shown ? shown : "warps");
	cells_legend(k, p, y, x + 1 + (k->ncells > 48), pauses);
	const struct {
		int at;
		const char *name;
	} right[] = {{k->cta, "CTA"}, {k->reg, "reg"}, {k->shm, "shm"},
	             {k->l1, "L1%"},  {k->ipc, "IPC"}, {k->pct, k->lost_w > 1 ? "%" : "lost"}};
	for (u32 i = 0; i < ARRAY_LEN(right); i++)
		if (right[i].at > 0)
			pane_right(p, y, right[i].at, s, "%s", right[i].name);
	if (k->lost > 0 && k->lost_w > 1)
		pane_text(p, y, k->lost, s, "lost to");
	if (k->stack > 0)
		pane_text(p, y, k->stack, s, k->stack_w >= 24 ? "slots in 1,024 cycles" : "issue slots");
	if (k->spark > 0)
		pane_text(p, y, k->spark, s, "IPC over the run");
}

static void warp_cells(struct view_ctx *v, struct pane p, int y, const struct columns *k, u32 sm)
{
	u8 state[WARPS_MAX];
	u64 issued = 0, refused = 0;
	gpu_warp_states(v->g, sm, state, &issued, &refused);
	for (int i = 0; i < k->ncells; i++) {
		bool is = issued >> i & 1, ref = refused >> i & 1;
		struct style s = warp_style(state[i], is, ref);
		if (sm == v->d->focus.sm && (u32)i == v->d->focus.warp)
			s.attr |= ATTR_REVERSE;
		pane_glyph(p, y, k->cells + i, s, warp_glyph(state[i], is, ref));
	}
}

/* Reasons of the window side by side, widths by share. */
static void stall_strip(struct pane p, int y, int x, int w, const u64 stalls[ST_COUNT])
{
	u64 sum = stall_slots(stalls), acc = 0;
	int at = 0;
	for (u32 r = 0; r < ST_COUNT && sum; r++) {
		acc += stalls[r];
		int to = (int)((double)acc / (double)sum * w + 0.5);
		for (; at < to; at++)
			pane_glyph(p, y, x + at, STYLE(stall_role(r)), p.c->ascii || p.c->mono ? stall_glyph(r) : 0x2586);
	}
}

static void spark(const struct view_ctx *v, struct pane p, int y, const struct columns *k, const float *val)
{
	draw_spark(p, y, k->spark, k->spark_w, STYLE(R_FILL0), val, k->nsparks, k->spark_max);
	cursor_dim_future(v, p, y, 1, k->spark, chart_time(v, k->spark_w));
	chart_spikes(p, y, k->spark, val, k->nsparks, k->spark_max);
}

static void figures(struct view_ctx *v, struct pane p, int y, const struct columns *k, u32 sm)
{
	struct sm_info i;
	gpu_sm_info(v->g, sm, &i);
	const struct sample *now = recent_get(v->recent, (s32)sm);
	const struct style s = STYLE(i.warps ? R_TEXT : R_FAINT);
	if (k->cta > 0)
		pane_right(p, y, k->cta, s, i.inactive ? "%u+%u" : "%u/%u", i.ctas, i.inactive ? i.inactive : i.max_ctas);
	if (k->reg > 0)
		pane_right(p, y, k->reg, s, "%.0f", percent(i.regs_used, i.regs));
	if (k->shm > 0)
		pane_right(p, y, k->shm, s, "%.0f", percent(i.shared_used, i.shared));
	if (k->l1 > 0)
		pane_right(p, y, k->l1, s, now->l1d_lookups ? "%.0f" : "-",
		           percent((double)now->l1d_hits, (double)now->l1d_lookups));
	if (k->ipc > 0)
		pane_right(p, y, k->ipc, s, "%.2f", now->cycles ? (double)now->issued / (double)now->cycles : 0.0);
	double share;
	enum stall top = top_stall(now->stalls, &share);
	if (k->lost > 0 && top < ST_COUNT) {
		struct style ts = STYLE(stall_role(top));
		if (k->lost_w == 1)
			pane_glyph(p, y, k->lost, ts, stall_glyph(top));
		else
			pane_text(pane_sub(p, y, k->lost, 1, k->lost_w), 0, 0, ts,
			          k->lost_w < 17 ? stall_short(top) : stall_descs[top].name[TAX_BASE]);
		pane_right(p, y, k->pct, s, "%.0f", 100 * share);
	}
	if (k->stack > 0)
		stall_strip(p, y, k->stack, k->stack_w, now->stalls);
	if (k->sparks)
		spark(v, p, y, k, &k->sparks[sm * (u32)k->spark_w]);
}

/* One scale for all SMs: the largest IPC, but for spikes, is 7/8 of a row high, so that rows keep apart. */
static void gather_sparks(struct view_ctx *v, struct columns *k)
{
	u32 n = gpu_conf(v->g)->num_sms;
	float most = 0;
	if (k->spark < 0)
		return;
	k->spark_w = MIN(k->spark_w, SPARK_MAX);
	k->sparks = xcalloc((size_t)n * (size_t)k->spark_w, sizeof *k->sparks);
	for (u32 sm = 0; sm < n; sm++) {
		float *val = &k->sparks[sm * (u32)k->spark_w];
		k->nsparks = view_series(v, (s32)sm, TS_IPC, val, k->spark_w);
		most = MAX(most, chart_top(val, k->nsparks));
	}
	k->spark_max = most * 8 / 7;
}

/* The focused SM is brought in sight when it becomes another one; until then the user may look elsewhere. */
static void follow_focus(struct view_ctx *v, int rows)
{
	s32 sm = (s32)v->d->focus.sm;
	if (v->st->mark == (u32)sm + 1)
		return;
	v->st->mark = (u32)sm + 1;
	v->st->top = MAX(MIN(v->st->top, sm), sm - rows + 1);
}

static void sm_rows(struct view_ctx *v, struct pane p)
{
	const struct conf *c = gpu_conf(v->g);
	u32 warps = MIN(gpu_warps_per_sm(v->g), (u32)WARPS_MAX);
	struct columns k = layout(c, warps, p.w);
	gather_sparks(v, &k);
	int rows = p.h - 1;
	follow_focus(v, rows);
	view_clip(v->st, (s32)c->num_sms, rows);
	char shown[32] = "";
	if (rows < (int)c->num_sms)
		snprintf(shown, sizeof shown, "%d-%d of %u", v->st->top, v->st->top + rows - 1, c->num_sms);
	const struct cta_tally t = gpu_cta_tally(v->g, -1);
	head(&k, p, 0, shown, t.paused || t.moving || t.inactive);
	v->st->list.y = p.y + 1;
	v->st->list.n = MIN(rows, (int)c->num_sms);
	v->st->list.w = p.w;
	for (int r = 0; r < rows && v->st->top + r < (s32)c->num_sms; r++) {
		u32 sm = (u32)(v->st->top + r);
		bool focus = sm == v->d->focus.sm;
		pane_right(p, r + 1, k.cells - 1, focus ? STYLE(R_ACCENT) : STYLE(R_DIM), "%u", sm);
		warp_cells(v, p, r + 1, &k, sm);
		figures(v, p, r + 1, &k, sm);
	}
	free(k.sparks);
}

/* --- curves --- */
static const struct chart charts[] = {
    {"IPC", TS_IPC, R_FILL0, 0, ""},       {"L1D hit", TS_L1D_HIT, R_FILL1, 1, "%"},
    {"DRAM", TS_DRAM_BW, R_FILL2, 1, "%"}, {"L2 hit", TS_L2_HIT, R_FILL3, 1, "%"},
    {"warps", TS_WARPS, R_FILL4, 0, "n"},  {"power W", TS_POWER, R_FILL0, 0, "n"},
};

static void spark_line(struct view_ctx *v, struct pane p)
{
	int n = p.w >= 100 ? 5 : p.w >= 50 ? 3 : 1, w = p.w / n;
	for (int i = 0; i < n; i++)
		chart_draw(v, pane_sub(p, 0, i * w, 1, w), &charts[i], -1, (int)strlen(charts[i].label) + 8);
}

#define CURVE_MAX 12  /* rows; higher ones say no more */
#define CURVES_FROM 6 /* rows left over; fewer are worth more to kernels than to curves */
static void curves(struct view_ctx *v, struct pane p)
{
	int n = MIN((int)ARRAY_LEN(charts), p.h / 3);
	if (n < 2) {
		spark_line(v, pane_sub(p, p.h - 1, 0, 1, p.w));
		return;
	}
	int room = p.h - 1, y = 0; /* all of it: the first curves are a row higher where it does not divide */
	for (int i = 0; i < n; i++) {
		int each = MIN(room / n + (i < room % n), CURVE_MAX);
		chart_draw(v, pane_sub(p, y + 1, 0, each - 1, p.w), &charts[i], -1, 16);
		y += each;
	}
	chart_axis(v, p, y, 16);
}

#define POWER 1 /* of st->mode: power instead of the SMs and curves */

static void draw(struct view_ctx *v, struct pane p)
{
	int nsm = (int)gpu_conf(v->g)->num_sms;
	int spare = p.h - nsm - 3; /* beyond one row of kernels, the head and the sparklines */
	int kernel_rows = 1 + MAX(spare < CURVES_FROM ? spare : MIN(spare / 3, 5), p.h > 40 ? 3 : 0);
	int y = p.h > 6 ? kernels(v, p, kernel_rows) : 0;
	if (v->st->mode == POWER) {
		power_draw(v, pane_sub(p, y, 0, p.h - y, p.w));
		return;
	}
	int left = p.h - y - nsm - 1; /* none to spare: every SM in sight is worth more than the curves */
	int curve_rows = p.h - y < 5 || left == 0 ? 0 : MAX(left, 1);
	sm_rows(v, pane_sub(p, y, 0, MIN(p.h - y - curve_rows, nsm + 1), p.w));
	if (curve_rows)
		curves(v, pane_sub(p, p.h - curve_rows, 0, curve_rows, p.w));
}

static bool on_key(struct view_ctx *v, int key)
{
	struct err e = {0};
	s32 sm = (s32)v->d->focus.sm;
	switch (key) {
	case K_LEFT:
	case K_RIGHT: {
		s32 n = (s32)gpu_warps_per_sm(v->g), w = (s32)v->d->focus.warp + (key == K_RIGHT ? 1 : -1);
		debugger_focus(v->d, (u32)sm, (u32)((w + n) % n), &e);
		return true;
	}
	case K_UP:
	case K_DOWN:
	case 'k':
	case 'j': {
		s32 n = (s32)gpu_conf(v->g)->num_sms;
		sm = (sm + (key == K_DOWN || key == 'j' ? 1 : n - 1)) % n;
		debugger_focus(v->d, (u32)sm, v->d->focus.warp, &e);
		return true;
	}
	case 'w': v->st->mode = v->st->mode == POWER ? 0 : POWER; return true;
	default: return view_scroll(v->st, key);
	}
}

/* The SM of the row, and the warp when it was a cell. */
static void on_click(struct view_ctx *v, s32 row, s32 x)
{
	const struct conf *c = gpu_conf(v->g);
	struct columns k = layout(c, MIN(gpu_warps_per_sm(v->g), (u32)WARPS_MAX), v->st->list.w);
	struct err none = {0};
	bool cell = x >= k.cells && x < k.cells + k.ncells;
	debugger_focus(v->d, (u32)(v->st->top + row), cell ? (u32)(x - k.cells) : v->d->focus.warp, &none);
}

const struct view view_overview = {
    .key = '1',
    .name = "over",
    .title = "overview",
    .shows = "every SM, a cell a warp",
    .keys = "arrows SM, warp  Enter that SM  w power",
    .enter = '2',
    .help = "Each row is an SM; each cell is one of its warps (letters below). CTA: CTAs in slots, of how many "
            "slots; 6+3: and 3 inactive ones. reg, shm: the share of the SM's registers and shared memory in use "
            "(percent). IPC, L1%, lost to, issue slots: measured over the last complete window of 1,024 cycles. "
            "lost to: the reason that cost most issue slots, and its share; if there is no room for its name, its "
            "letter in the stalls view. The curves show the whole run; + and - change the span.\n"
            "w: power instead, by the energy model: of each group, now and over time, one on top of the other, "
            "and of each SM. It counts the events and the leakage of the last window; `info energy` has them "
            "since the start.",
    .draw = draw,
    .on_key = on_key,
    .on_click = on_click,
};
