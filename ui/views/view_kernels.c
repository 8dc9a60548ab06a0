/* Kernels: every launch on the time axis of the run, with its figures; below it, on the same axis, what each SM held.
 */
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "scr/draw.h"
#include "views/chart.h"
#include "views/cta_charts.h"
#include "views/cursor.h"
#include "views/requests.h"
#include "views/sharing.h"
#include "views/view.h"

/* --- layout --- */
enum figure {
	F_CYCLES,
	F_IPC,
	F_PER_SM,
	F_LIMIT,
	F_KEPT,
	F_DONE,
	F_INSTS,
	F_STREAM,
	F_GRID,
	F_BLOCK,
	F_REGS,
	F_SHARED,
	F_COUNT
};
/* Columns right of the axis, in order; a terminal of less than from_w columns goes without. */
static const struct {
	const char *name;
	int width, from_w;
	bool left;   /* text, not a number */
	bool seldom; /* only where CTAs are kept from going on */
} figures[F_COUNT] = {
    [F_CYCLES] = {"cycles", 10, 60, false},  [F_IPC] = {"IPC", 7, 70, false},
    [F_PER_SM] = {"CTAs/SM", 8, 130, false}, [F_LIMIT] = {"limit", 13, 80, true},
    [F_KEPT] = {"kept", 12, 80, true, true}, [F_DONE] = {"done", 8, 100, false},
    [F_INSTS] = {"insts", 8, 140, false},    [F_STREAM] = {"stream", 7, 150, false},
    [F_GRID] = {"grid", 11, 190, false},     [F_BLOCK] = {"block", 9, 190, false},
    [F_REGS] = {"regs", 6, 210, false},      [F_SHARED] = {"shared", 8, 220, false},
};

struct layout {
	int id_end, name, name_w; /* columns: behind the launch's number, its name */
	int axis, axis_w, end;    /* the time axis, behind it the figures */
	u64 from, to;             /* cycles on the axis: the run, or a part of it when zoomed */
	u64 now;                  /* before `to` when the machine has gone back */
	int figures_w;            /* the width of a terminal whose figures have room */
	bool kept;                /* a running launch has CTAs that are kept from going on */
	u32 charted;              /* the kernel whose CTAs are told apart */
	bool chunks;              /* it has a chunk for each SM */
	int asked;                /* columns for what became of the SMs that were last asked for; 0: none */
	int left;                 /* columns of the table of SMs; behind it cta_charts, where left is less than all */
};

#define WIDE_W 120      /* columns from which CTAs have charts of their own, right */
#define WIDE_H 20       /* and rows */
#define WIDE_AXIS 30    /* columns that the time axis keeps */
#define SM_FIGURES_W 20 /* of an SM: done, IPC */
#define SM_COLUMN_W 9   /* of sm_columns */
#define SM_COLUMNS_W (4 * SM_COLUMN_W)
#define WIDE_SLOTS 16

/* Gives the right half to the charts of CTAs: the axis ends where behind it the figures of SMs fit in the left one. */
static void split(const struct view_ctx *v, struct layout *l, int w)
{
	const int slots = 4 + MIN((int)gpu_conf(v->g)->sm_ctas, WIDE_SLOTS);
	const int figures_w = (w >= 160 ? SM_FIGURES_W : 0) + (w >= 240 ? SM_COLUMNS_W : 0);
	const int behind = MAX(slots + figures_w + (w >= 200 ? l->asked : l->asked && w < 160 ? SM_FIGURES_W : 0), 16);
	const int end = MAX(w / 2 - behind, l->axis + WIDE_AXIS);
	l->figures_w += l->end - end;
	l->end = end;
	l->axis_w = end - l->axis;
	l->left = end + behind;
}

static bool shows(const struct layout *l, enum figure f)
{
	return l->figures_w >= figures[f].from_w && (l->kept || !figures[f].seldom);
}

/* Launches up to the last one that has begun, and how many are worth showing of the queue behind it. */
static u32 begun(const struct view_ctx *v)
{
	u32 n = gpu_num_kernels(v->g), last = 0;
	for (u32 i = 0; i < n; i++) {
		struct kernel_info k;
		gpu_kernel_info(v->g, i, &k);
		last = k.state != KS_QUEUED ? i + 1 : last;
	}
	return last;
}
/* The kernel whose CTAs are charted: the chosen one, else the running one that was launched last, else the last. */
static u32 charted(const struct view_ctx *v)
{
	const u32 n = gpu_num_kernels(v->g), last = begun(v);
	return v->d->focus.kernel >= 0 && (u32)v->d->focus.kernel < n ? (u32)v->d->focus.kernel : last ? last - 1 : 0;
}

static struct layout layout(const struct view_ctx *v, int w, int h)
{
	struct layout l = {.id_end = 5, .name = 8, .name_w = w >= 120 ? 20 : w >= 100 ? 12 : 9, .figures_w = w, .left = w};
	int right = 1;
	const struct cta_tally t = gpu_cta_tally(v->g, -1);
	l.kept = cta_tally_kept(&t);
	for (u32 i = 0; i < F_COUNT; i++)
		right += shows(&l, i) ? figures[i].width + 2 * figures[i].left : 0;
	l.axis = l.name + l.name_w + 1;
	l.axis_w = MAX(w - l.axis - right - 1, 4);
	l.end = l.axis + l.axis_w;
	l.asked = !requests_any(v) ? 0 : w >= 200 ? REQUESTS_WIDE_W : REQUESTS_W;
	if (w >= WIDE_W && h >= WIDE_H && gpu_num_kernels(v->g))
		split(v, &l, w);
	struct cta_share first;
	l.charted = charted(v);
	l.chunks = gpu_num_kernels(v->g) && gpu_cta_share(v->g, l.charted, 0, &first);
	struct time_axis a = cursor_window(v, 0, cursor_run_end(v), 1);
	l.now = gpu_cycle(v->g);
	l.from = a.from;
	l.to = a.to;
	return l;
}

/* The column of a cycle on the axis, 0..axis_w; cycles before the axis are at 0. */
static int column_of(const struct layout *l, u64 cycle)
{
	if (cycle <= l->from || l->to == l->from)
		return 0;
	return (int)((double)(MIN(cycle, l->to) - l->from) / (double)(l->to - l->from) * l->axis_w + 0.5);
}

/* range: which launches are shown when not all are, else "". */
static void head(const struct view_ctx *v, struct pane p, const struct layout *l, const char *range)
{
	const struct style s = STYLE(R_DIM);
	int x = pane_text(p, 0, 1, STYLE_BOLD(R_TEXT), "Kernels");
	pane_text(pane_sub(p, 0, 0, 1, l->axis - 1), 0, x + 1, STYLE(R_ACCENT), range);
	cursor_axis_row(v, p, 0, l->axis, (struct time_axis){l->from, l->to, l->axis_w});
	x = l->end;
	for (u32 i = 0; i < F_COUNT; i++) {
		if (!shows(l, i))
			continue;
		if (figures[i].left)
			pane_text(p, 0, x + 2, s, figures[i].name);
		x += figures[i].width + 2 * figures[i].left;
		if (!figures[i].left)
			pane_right(p, 0, x, s, "%s", figures[i].name);
	}
}

/* --- launches --- */
static u32 letter(u32 launch)
{
	return 'A' + launch % 26;
}

static void span(struct pane p, const struct layout *l, const struct kernel_info *k)
{
	struct style s = STYLE(R_SER0 + k->launch->id % R_NSERIES);
	const struct kernel_counters *n = k->counters;
	int launched = column_of(l, n->launched_at);
	int from = k->state == KS_QUEUED ? l->axis_w : column_of(l, n->started_at);
	int to = column_of(l, k->state == KS_DONE ? n->ended_at : l->now);
	bool plain = p.c->ascii || p.c->mono;
	for (int i = launched; i < MIN(from, l->axis_w); i++)
		pane_glyph(p, 0, l->axis + i, STYLE(R_FAINT), p.c->ascii ? '.' : 0x2500); /* queued */
	if (k->state == KS_QUEUED || (k->state == KS_DONE && n->ended_at < l->from) || n->started_at > l->to)
		return;
	from = MIN(from, l->axis_w - 1);
	for (int i = from; i < MIN(MAX(to, from + 1), l->axis_w); i++)
		pane_glyph(p, 0, l->axis + i, s, plain ? letter(k->launch->id) : 0x2586);
}

static void dim_text(char out[NUM_MAX], struct dim3 d)
{
	if (d.z > 1)
		snprintf(out, NUM_MAX, "%ux%ux%u", d.x, d.y, d.z);
	else if (d.y > 1)
		snprintf(out, NUM_MAX, "%ux%u", d.x, d.y);
	else
		snprintf(out, NUM_MAX, "%u", d.x);
}

/* "2p 5m 6l 3s 1r 4i": paused or halted, moving, lowered, saved, of those to begin again, inactive. */
static void kept_text(const struct gpu *g, const struct kernel_info *k, char out[NUM_MAX])
{
	struct cta_tally t = {0};
	*out = '\0';
	if (k->state == KS_RUNNING)
		t = gpu_cta_tally(g, (s32)k->launch->id);
	const struct {
		u32 n;
		char letter;
	} part[] = {{t.paused, 'p'}, {t.moving, 'm'},   {t.lowered, 'l'},
	            {t.saved, 's'},  {t.restarts, 'r'}, {t.inactive, 'i'}};
	int at = 0;
	for (u32 i = 0; i < ARRAY_LEN(part); i++)
		if (part[i].n && at < NUM_MAX)
			at += snprintf(out + at, (size_t)(NUM_MAX - at), "%s%u%c", at ? " " : "", part[i].n, part[i].letter);
}

static void figure_text(const struct gpu *g, enum figure f, const struct kernel_info *k, char out[NUM_MAX])
{
	u64 from, to;
	gpu_counted_range(g, &from, &to);
	const u64 cycles = kernel_run_cycles(k->counters, from, to);
	switch (f) {
	case F_CYCLES:
		if (k->state == KS_QUEUED)
			snprintf(out, NUM_MAX, "queued");
		else
			grouped(cycles, out);
		break;
	case F_IPC:
		snprintf(out, NUM_MAX, cycles ? "%.2f" : "-", (double)k->counters->warp_insts / (double)MAX(cycles, (u64)1));
		break;
	case F_PER_SM: snprintf(out, NUM_MAX, "%u", k->ctas_per_sm); break;
	case F_LIMIT: snprintf(out, NUM_MAX, "%s", k->limiter); break;
	case F_KEPT: kept_text(g, k, out); break;
	case F_DONE:
		snprintf(out, NUM_MAX, k->state == KS_QUEUED ? "-" : "%.1f%%",
		         percent((double)k->done, (double)k->launch->ctas));
		break;
	case F_INSTS:
		if (k->state == KS_QUEUED)
			snprintf(out, NUM_MAX, "-");
		else
			fmt_short(out, (double)k->counters->warp_insts);
		break;
	case F_STREAM: snprintf(out, NUM_MAX, "%u", k->launch->stream); break;
	case F_GRID: dim_text(out, k->launch->grid); break;
	case F_BLOCK: dim_text(out, k->launch->block); break;
	case F_REGS: snprintf(out, NUM_MAX, "%u", k->launch->regs); break;
	case F_SHARED: grouped(k->launch->shared_bytes, out); break;
	case F_COUNT: break;
	}
}

static void launch_row(struct view_ctx *v, struct pane p, u32 id, const struct layout *l)
{
	char text[NUM_MAX];
	struct kernel_info k;
	gpu_kernel_info(v->g, id, &k);
	bool focus = (s32)id == v->d->focus.kernel;
	pane_right(p, 0, l->id_end, focus ? STYLE(R_ACCENT) : STYLE(R_SER0 + id % R_NSERIES), "K%u", id);
	pane_glyph(p, 0, l->id_end + 1, STYLE(R_SER0 + id % R_NSERIES), letter(id));
	draw_clipped(p, 0, l->name, l->name_w, STYLE(R_TEXT), k.label);
	span(p, l, &k);
	int x = l->end;
	for (u32 i = 0; i < F_COUNT; i++) {
		if (!shows(l, i))
			continue;
		figure_text(v->g, i, &k, text);
		if (figures[i].left)
			draw_clipped(p, 0, x + 2, figures[i].width, STYLE(R_DIM), text);
		x += figures[i].width + 2 * figures[i].left;
		if (!figures[i].left)
			pane_right(p, 0, x, STYLE(k.state == KS_RUNNING ? R_TEXT : R_DIM), "%s", text);
	}
}

#define QUEUE_ROWS 2

/* Until the user scrolls, the running launches are in sight, with as many of those before as there is room for. */
static void follow_running(struct view_ctx *v, u32 n, int rows)
{
	struct kernel_info k;
	if (!v->st->follow)
		return;
	u32 first = 0;
	for (; first < n; first++) {
		gpu_kernel_info(v->g, first, &k);
		if (k.state != KS_DONE)
			break;
	}
	v->st->top = MIN((s32)first, (s32)begun(v) + QUEUE_ROWS - rows);
}

static void launches(struct view_ctx *v, struct pane p, const struct layout *l)
{
	u32 n = gpu_num_kernels(v->g);
	char range[40] = "";
	if (!n)
		pane_text(p, 1, 3, STYLE(R_DIM), "nothing launched yet");
	int rows = p.h - 1;
	follow_running(v, n, rows);
	view_clip(v->st, (s32)n, rows);
	for (int r = 0; r < rows && v->st->top + r < (s32)n; r++)
		launch_row(v, pane_sub(p, r + 1, 0, 1, p.w), (u32)(v->st->top + r), l);
	int room = l->axis - 1 - (int)sizeof "Kernels "; /* "3-8/119", "3-8" or an arrow: what fits whole */
	if ((s32)n > rows && snprintf(range, sizeof range, "%d-%d/%u", v->st->top, v->st->top + rows - 1, n) > room &&
	    snprintf(range, sizeof range, "%d-%d", v->st->top, v->st->top + rows - 1) > room)
		snprintf(range, sizeof range, "↕");
	head(v, p, l, range);
}

/* --- SMs --- */
/* The most CTAs of a launch that an SM can hold; the last answer is kept, since neighbours ask for the same. */
struct occupancy {
	u32 launch, ctas; /* ctas 0 = nothing kept */
};
static u32 occupancy(struct view_ctx *v, struct occupancy *o, u32 launch)
{
	if (!o->ctas || o->launch != launch) {
		struct kernel_info k;
		gpu_kernel_info(v->g, launch, &k);
		*o = (struct occupancy){launch, MAX(k.ctas_per_sm, 1u)};
	}
	return o->ctas;
}

/* One cell of an SM's row: height = CTAs of the most that the SM can hold of the launch; where there are CTAs of others
 * as well, the launch's share of all, below grey. */
static void held_cell(struct view_ctx *v, struct pane p, int x, const struct resident *r, struct occupancy *o)
{
	enum role role = R_SER0 + r->launch % R_NSERIES;
	bool mixed = r->most < r->ctas;
	if (!r->ctas) {
		pane_glyph(p, 0, x, STYLE(R_FAINT), 0xb7);
	} else if (p.c->ascii || p.c->mono) {
		pane_glyph(p, 0, x, STYLE(role), mixed && x % 2 ? '+' : letter(r->launch));
	} else if (mixed) {
		u32 height = MIN(MAX(8 * (u32)r->most / r->ctas, 2u), 6u);
		pane_glyph_on(p, 0, x, STYLE(role), 0x2580 + height, R_FAINT);
	} else {
		u32 height = MIN(MAX(6 * (u32)r->ctas / occupancy(v, o, r->launch), 1u), 6u);
		pane_glyph(p, 0, x, STYLE(role), 0x2580 + height);
	}
}

/* Columns for the letters of an SM's CTAs: one a slot, or as many as leave room for the figures behind them. */
static int slots_width(const struct view_ctx *v, const struct layout *l, int w)
{
	int slots = (int)gpu_conf(v->g)->sm_ctas, room = w - l->end - 4 - SM_FIGURES_W;
	return slots <= room || room < 4 ? slots : room;
}

/* A letter for each CTA: in its slot, or one behind the other where there are more slots than columns. */
static void slot_letters(const struct view_ctx *v, struct pane p, u32 sm)
{
	u32 slots = gpu_conf(v->g)->sm_ctas, x = 0;
	bool packed = (int)slots > p.w;
	for (u32 s = 0; s < slots; s++) {
		struct cta_info i;
		gpu_cta_info(v->g, sm, s, &i);
		if (packed && i.used && (int)x == p.w)
			pane_glyph(p, 0, p.w - 1, STYLE(R_DIM), p.c->ascii ? '~' : 0x2026);
		else if (!packed || i.used)
			pane_glyph(p, 0, (int)x++, STYLE(i.used ? R_SER0 + i.launch % R_NSERIES : R_FAINT),
			           i.used ? letter(i.launch) : 0xb7);
	}
}

/* On wide terminals: what the SM's CTAs take of it now, and how its L1D does. */
#define SM_MORE_W (17 + SM_COLUMNS_W) /* columns behind its slots */
static const char *const sm_columns[] = {"warps", "regs", "shared", "L1D hit"};

static void sm_more(const struct view_ctx *v, struct pane p, u32 sm)
{
	struct sm_info i;
	gpu_sm_info(v->g, sm, &i);
	const struct cache_counters *c = (const struct cache_counters *)gpu_counters(v->g, CG_l1d, sm);
	pane_right(p, 0, SM_COLUMN_W, STYLE(R_TEXT), "%u/%u", i.warps, i.max_warps);
	pane_right(p, 0, 2 * SM_COLUMN_W, STYLE(R_TEXT), "%.0f%%", percent(i.regs_used, i.regs));
	pane_right(p, 0, 3 * SM_COLUMN_W, STYLE(R_TEXT), "%.0f%%", percent(i.shared_used, i.shared));
	u64 accesses = c->hits + c->misses + c->merges;
	if (accesses)
		pane_right(p, 0, 4 * SM_COLUMN_W, STYLE(R_TEXT), "%.0f%%", percent((double)c->hits, (double)accesses));
	else
		pane_right(p, 0, 4 * SM_COLUMN_W, STYLE(R_FAINT), "-");
}

/* What is left of an SM's chunk in the order in which it is taken, and how much of its steal queue: "→ 12-16 +2", with
 * room "→ 12-16 of 10-16 +2". */
static void chunk_text(struct pane p, const struct cta_share *c)
{
	char text[80];
	const u64 first = c->backward ? c->to - 1 : c->from, last = c->backward ? c->from : c->to - 1;
	int n = snprintf(text, sizeof text, "%s ", c->backward ? p.c->ascii ? "<" : "←" : p.c->ascii ? ">" : "→");
	if (c->from == c->to)
		n += snprintf(text + n, sizeof text - (size_t)n, "-");
	else if (first == last)
		n += snprintf(text + n, sizeof text - (size_t)n, "%llu", (unsigned long long)first);
	else
		n += snprintf(text + n, sizeof text - (size_t)n, "%llu-%llu", (unsigned long long)first,
		              (unsigned long long)last);
	if (p.w >= 20 && c->lo != c->hi)
		n += snprintf(text + n, sizeof text - (size_t)n, " of %llu-%llu", (unsigned long long)c->lo,
		              (unsigned long long)c->hi - 1);
	if (c->qfrom != c->qto)
		snprintf(text + n, sizeof text - (size_t)n, " +%u", c->qto - c->qfrom);
	draw_clipped(p, 0, 0, p.w, STYLE(c->next == NO_CTA ? R_FAINT : R_DIM), text);
}

static void sm_row(struct view_ctx *v, struct pane p, u32 sm, const struct layout *l)
{
	struct resident now = residency_now(v->g, sm, NULL);
	struct occupancy o = {0};
	pane_right(p, 0, l->id_end, sm == v->d->focus.sm ? STYLE(R_ACCENT) : STYLE(R_DIM), "%u", sm);
	struct cta_share chunk;
	const char *role = gpu_sm_role(v->g, sm);
	if (l->chunks && gpu_cta_share(v->g, l->charted, sm, &chunk))
		chunk_text(pane_sub(p, 0, l->name, 1, l->name_w), &chunk);
	else if (*role && l->name_w < 12)
		pane_text(p, 0, l->name, STYLE(R_DIM), role);
	else if (*role)
		pane_printf(pane_sub(p, 0, 0, 1, l->axis - 1), 0, l->name, STYLE(R_DIM), "%u %s", now.ctas, role);
	else if (gpu_inactive_ctas(v->g, sm, NULL, 0))
		pane_printf(p, 0, l->name, STYLE(R_DIM), "%u+%u CTAs", now.ctas, gpu_inactive_ctas(v->g, sm, NULL, 0));
	else if (now.limit && now.ctas == now.most)
		pane_printf(p, 0, l->name, STYLE(R_DIM), "%u/%u CTA%s", now.ctas, now.limit, plural(now.limit));
	else if (now.ctas)
		pane_printf(p, 0, l->name, STYLE(R_DIM), "%u CTA%s", now.ctas, plural(now.ctas));
	u64 len = l->to - l->from;
	for (int i = 0; i < l->axis_w && len; i++) {
		u64 middle = l->from + (u64)((2.0 * i + 1) / (2.0 * l->axis_w) * (double)len);
		const struct resident *r = residency_at(v->residency, sm, middle);
		held_cell(v, p, l->axis + i, r ? r : &now, &o);
	}
	requests_mark(v, pane_sub(p, 0, l->axis, 1, l->axis_w), sm, (struct time_axis){l->from, l->to, l->axis_w});
	int slots = slots_width(v, l, p.w), x = l->end + 4 + slots;
	slot_letters(v, pane_sub(p, 0, l->end + 2, 1, slots), sm);
	if (l->asked && p.w - x >= l->asked) {
		requests_row(v, pane_sub(p, 0, x, 1, l->asked), sm);
		x += l->asked;
	}
	char buf[NUM_MAX];
	const struct sm_counters *n = (const struct sm_counters *)gpu_counters(v->g, CG_sm, sm);
	const u64 counted = gpu_counted_cycles(v->g);
	if (p.w - x < SM_FIGURES_W)
		return;
	pane_right(p, 0, x + 8, STYLE(R_TEXT), "%s", grouped(n->ctas_done, buf));
	pane_right(p, 0, x + 16, STYLE(R_TEXT), "%.2f", counted ? (double)n->issued / (double)counted : 0.0);
	if (p.w - x >= SM_MORE_W)
		sm_more(v, pane_sub(p, 0, x + 16, 1, p.w - x - 16), sm);
}

static void sm_head(struct view_ctx *v, struct pane p, const struct layout *l, u32 top, int rows)
{
	const struct conf *c = gpu_conf(v->g);
	const struct style s = STYLE(R_DIM);
	char what[120];
	pane_right(p, 0, l->id_end, s, "SM");
	if (l->chunks)
		draw_clipped(p, 0, l->name, l->name_w, s, l->name_w >= 12 ? "chunk left" : "chunk");
	else
		pane_text(p, 0, l->name, s, "holds");
	int x = l->axis;
	if (rows < (int)c->num_sms)
		x = pane_printf(p, 0, x, STYLE(R_ACCENT), "SM %u-%d of %u", top, (int)top + rows - 1, c->num_sms) + 2;
	int room = l->end - x, n = snprintf(what, sizeof what, "what it held");
	if (room >= 60)
		n = snprintf(what, sizeof what, "what it held; height: CTAs, of the most it can hold");
	if (room > n + 30)
		snprintf(what + n, sizeof what - (size_t)n, "; sampled every %llu cycles",
		         (unsigned long long)v->residency->span);
	if (room >= n)
		pane_text(p, 0, x, s, what);
	int slots = slots_width(v, l, p.w);
	x = l->end + 4 + slots;
	pane_text(p, 0, l->end + 2, s, slots < 9 ? "now" : slots < (int)c->sm_ctas ? "CTAs now" : "slots now");
	if (l->asked && p.w - x >= l->asked) {
		requests_head(pane_sub(p, 0, x, 1, l->asked));
		x += l->asked;
	}
	if (p.w - x < SM_FIGURES_W)
		return;
	pane_right(p, 0, x + 8, s, "done");
	pane_right(p, 0, x + 16, s, "run IPC");
	for (u32 i = 0; i < ARRAY_LEN(sm_columns) && p.w - x >= SM_MORE_W; i++)
		pane_right(p, 0, x + 16 + SM_COLUMN_W * (int)(i + 1), s, "%s", sm_columns[i]);
}

/* All SMs when they fit, else as many with the focused one in the middle. */
static void sms(struct view_ctx *v, struct pane p, const struct layout *l)
{
	int n = (int)gpu_conf(v->g)->num_sms, rows = MIN(p.h - 1, n);
	int top = MAX(MIN((int)v->d->focus.sm - rows / 2, n - rows), 0);
	sm_head(v, p, l, (u32)top, rows);
	for (int r = 0; r < rows; r++)
		sm_row(v, pane_sub(p, r + 1, 0, 1, p.w), (u32)(top + r), l);
}

/* What the partition policy has measured and decided, in at most this many lines. Returns how many it took. */
static int policy_lines(const struct view_ctx *v, struct pane p, const struct layout *l)
{
	struct strbuf text = STRBUF_INIT;
	int y = 0;
	gpu_partition_text(v->g, &text);
	for (const char *at = strbuf_str(&text); *at && y < p.h; y++) {
		const int n = (int)strcspn(at, "\n");
		pane_printf(p, y, l->id_end, STYLE(y ? R_DIM : R_TEXT), "%.*s", n, at);
		at += n + (at[n] == '\n');
	}
	strbuf_release(&text);
	return y;
}

#define CURVE_LEAST 6 /* rows, one of them the gap above */
#define CURVE_MAX 12  /* higher ones say no more */

/* What the machine did meanwhile, under the same axis, as far as there is room. */
static void curves(struct view_ctx *v, struct pane p, const struct layout *l)
{
	static const struct chart charts[] = {{"IPC", TS_IPC, R_FILL0, 0, ""},
	                                      {"warps", TS_WARPS, R_FILL4, 0, "n"},
	                                      {"DRAM", TS_DRAM_BW, R_FILL2, 1, "%"},
	                                      {"L1D hit", TS_L1D_HIT, R_FILL1, 1, "%"}};
	int n = MIN(p.h / CURVE_LEAST, (int)ARRAY_LEN(charts)), room = p.h;
	for (int i = 0; i < n; i++) {
		int rows = MIN(room / n + (i < room % n), CURVE_MAX);
		chart_draw(v, pane_sub(p, 1, 0, rows - 1, l->end + 1), &charts[i], -1, l->axis);
		chart_summary(v, pane_sub(p, 1, l->end + 2, rows - 1, p.w - l->end - 2), &charts[i], -1, l->axis_w);
		p = pane_sub(p, rows, 0, p.h - rows, p.w);
	}
}

/* first: the row of the first SM. */
static void mark(const struct view_ctx *v, struct pane p, const struct layout *l, int first)
{
	const struct time_axis time = {l->from, l->to, l->axis_w};
	cursor_dim_future(v, p, first, p.h - first, l->axis, time);
	int at = cursor_axis(v, time);
	if (at < 0)
		return;
	cursor_mark(p, 1, p.h - 1, l->axis + at);
	const struct resident *r = residency_at(v->residency, v->d->focus.sm, v->st->cursor);
	if (r && r->ctas)
		cursor_note(v, "SM %u holds %u CTA%s, %u of K%u", v->d->focus.sm, r->ctas, plural(r->ctas), r->most, r->launch);
	else if (r)
		cursor_note(v, "SM %u holds no CTA", v->d->focus.sm);
}

/* Rows worth having for launches: of those still queued the next few tell as much as all, as long as nobody scrolls. */
static int launch_rows(const struct view_ctx *v)
{
	u32 n = gpu_num_kernels(v->g);
	return (int)MAX(v->st->follow ? MIN(n, begun(v) + QUEUE_ROWS) : n, 1u);
}

#define SHARING_LEAST 12 /* rows of which one is for the programs that share the machine, one for the last request */

/* Rows that what comes below the SMs would like, gaps included. */
static int wanted_below(const struct view_ctx *v)
{
	struct strbuf text = STRBUF_INIT;
	const int rows = sharing_rows(v), asked = requests_any(v) ? 1 : 0;
	int said = 0;
	gpu_partition_text(v->g, &text);
	for (const char *at = strbuf_str(&text); *at; at++)
		said += *at == '\n' || !at[1];
	strbuf_release(&text);
	return 2 * asked + rows + (rows != 0) + said + (said != 0);
}

/* The last request for SMs, with a gap above where there is room. Returns how many rows it took. */
static int asked_line(const struct view_ctx *v, struct pane p)
{
	const int gap = p.h > wanted_below(v);
	if (!requests_any(v) || p.h <= gap)
		return 0;
	requests_line(v, pane_sub(p, gap, 0, 1, p.w));
	return gap + 1;
}

/* Below the SMs: the last request for SMs; the programs, in a table where that leaves all SMs their rows, else in a
 * line; then what the partition policy says. Returns how many rows it took, a gap above included. */
static int below(const struct view_ctx *v, struct pane p, const struct layout *l)
{
	const int rows = sharing_rows(v);
	int y = 0;
	if (rows && rows < p.h) {
		sharing_table(v, pane_sub(p, 1, 0, rows, p.w), l->id_end);
		y = 1 + rows;
	} else if (rows && p.h) {
		sharing_line(v, pane_sub(p, p.h - 1, 0, 1, p.w), l->id_end);
		return p.h;
	}
	const int said = y + 1 < p.h ? policy_lines(v, pane_sub(p, y + 1, 0, p.h - y - 1, p.w), l) : 0;
	return said ? y + 1 + said : y;
}

/* Which call of its host program made the chosen launch. */
static void call_line(const struct view_ctx *v, struct pane p, const struct layout *l)
{
	struct kernel_info k;
	if (l->charted >= gpu_num_kernels(v->g))
		return;
	gpu_kernel_info(v->g, l->charted, &k);
	if (k.launch->call)
		pane_printf(p, 0, l->name, STYLE(R_DIM), "K%u: %s", l->charted, k.launch->call);
}

static void draw(struct view_ctx *v, struct pane whole)
{
	const int lines = whole.h < SHARING_LEAST ? 0 : (sharing_rows(v) != 0) + requests_any(v);
	struct pane p = pane_sub(whole, 0, 0, whole.h - lines, whole.w);
	int n = launch_rows(v), nsm = (int)gpu_conf(v->g)->num_sms;
	struct layout l = layout(v, p.w, p.h);
	int rows = MIN(n, MAX(p.h - nsm - 2 - wanted_below(v), MIN(p.h / 4, 8))); /* of launches */
	int y = 1 + rows, gap = y + 2 + nsm <= p.h ? 1 : 0;
	bool table = p.h - y - gap >= 3;
	int end = table ? MIN(y + gap + 1 + nsm, p.h) : p.h;
	launches(v, pane_sub(p, 0, 0, table ? y : p.h, p.w), &l);
	if (table && gap)
		call_line(v, pane_sub(p, y, 0, 1, p.w), &l);
	if (table)
		sms(v, pane_sub(p, y + gap, 0, p.h - y - gap, l.left), &l);
	mark(v, pane_sub(p, 0, 0, end, p.w), &l, table ? y + gap + 1 : p.h);
	if (!table)
		return;
	end += asked_line(v, pane_sub(whole, end, 0, whole.h - end, l.left));
	end += below(v, pane_sub(whole, end, 0, whole.h - end, l.left), &l);
	p = whole;
	curves(v, pane_sub(p, end, 0, p.h - end, l.left), &l);
	if (l.left < p.w)
		cta_charts_draw(v, pane_sub(p, y + gap, l.left + 2, p.h - y - gap, p.w - l.left - 2),
		                (struct time_axis){l.from, l.to, 0}, l.charted);
}

static bool on_key(struct view_ctx *v, int key)
{
	return view_scroll(v->st, key);
}

const struct view view_kernels = {
    .key = '7',
    .name = "kernel",
    .title = "kernels",
    .shows = "launches over time, CTAs, partitions",
    .keys = "up, down scroll  c cursor  + - zoom  < > move",
    .help = "Each launch is drawn from its launch (faint: queued) over its first CTA's dispatch to its end. IPC: "
            "its warp instructions per cycle from the dispatch to the end. CTAs/SM: the most CTAs that one SM can "
            "hold, and what limits them. Below the launches, if there is room: the host program's call that made the "
            "chosen one. kept (if there are any): CTAs that are paused or halted (p), halted "
            "while a context is moved (m), lowered behind all others by their CTA scheduler (l), saved (s), those "
            "of the saved that begin again (r), inactive (i).\n"
            "Below, on the same axis: the launch that held most of each SM's CTA slots (if there were others as "
            "well, it is as high as its share, with grey below), and the slots now, by the letters beside the "
            "launches' numbers (A+A+ on a terminal without colours: others as well). done, IPC: CTAs and "
            "instructions per cycle of the SM since the start. holds: CTAs in slots; 6+3: and 3 inactive ones; "
            "2/3: with the limit that the CTA scheduler set. Under chunk, reset, flip and steal, instead of "
            "holds: the rest of the SM's chunk of the chosen kernel (the next CTA first), and + how many CTAs of "
            "its steal queue. If there is room: the registers and shared memory that the SM's CTAs take now, its "
            "L1D's hits since the start, and of each curve the value now, the mean and the peak of its columns.\n"
            "On wide terminals, right: the number of CTAs of the chosen kernel on the SMs (fewest, mean, most), "
            "and the limit that the CTA scheduler set (of the chosen SM, the lowest, the highest); for each CTA "
            "slot of the chosen SM, what its CTA has executed so far (where the curve falls back, the next CTA "
            "begins).\n"
            "With a partition policy that measures (maestro, warped-slicer): the role of each SM, and below the "
            "SMs the measurements of each partition. If a kernel has given SMs away: on an SM's row the "
            "technique, for as long as its CTAs took to leave (mixed: several); behind it, for the last request, "
            "the estimated and the measured microseconds (+: not over yet), and, if there is room, the warp "
            "instructions lost; below the SMs the request itself. If several programs share the machine: IPC of "
            "each (effective: without what a flush has made void), how much slower it is than alone, ANTT and STP "
            "(with --alone), and for how many requests its SMs were free in time.",
    .draw = draw,
    .on_key = on_key,
};
