/* Stalls: where the issue slots went, in the classes of a taxonomy. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "scr/draw.h"
#include "views/appearance.h"
#include "scr/term.h"
#include "views/chart.h"
#include "views/cursor.h"
#include "views/stack.h"
#include "views/view_stalls.h"
#include "views/view.h"

/* A class of one base reason looks like that. One of several has the colour of the first, and a letter of its own name:
 * a capital, as a small letter would be that of one of them. */
struct look {
	enum role role;
	u32 glyph;
	u32 reason;
};

static u32 reasons_in(enum taxonomy t, const char *name, u32 *first)
{
	u32 n = 0;
	for (u32 r = ST_COUNT; r-- > 0;)
		if (!strcmp(stall_descs[r].name[t], name)) {
			*first = r;
			n++;
		}
	return n;
}

/* Of the classes of several reasons in their order each takes the first letter of its name that none before it has. */
static u32 capital(enum taxonomy t, const char *name)
{
	u32 taken = 0;
	for (u32 r = 0, first = 0; r < ST_COUNT; r++) {
		const char *other = stall_descs[r].name[t];
		if (reasons_in(t, other, &first) < 2 || first != r)
			continue;
		const char *at = other;
		while (*at && (*at < 'a' || *at > 'z' || (taken >> (*at - 'a') & 1)))
			at++;
		if (!strcmp(other, name))
			return *at ? 'A' + (u32)(*at - 'a') : '?';
		taken |= *at ? 1u << (*at - 'a') : 0;
	}
	return '?';
}

static struct look class_look(enum taxonomy t, const char *name)
{
	u32 first = 0, n = reasons_in(t, name, &first);
	if (!n)
		return (struct look){R_DIM, '?', 0};
	return (struct look){stall_role(first), n == 1 ? stall_glyph(first) : capital(t, name), first};
}

static void heading(struct view_ctx *v, struct pane p)
{
	enum taxonomy t = debugger_appearance(v->d)->taxonomy;
	int x = pane_text(p, 0, 1, STYLE_BOLD(R_TEXT), "Lost issue slots");
	if (v->st->mode)
		x = pane_printf(p, 0, x + 2, STYLE(R_ACCENT), "SM %u", v->d->focus.sm);
	else
		x = pane_text(p, 0, x + 2, STYLE(R_TEXT), "all SMs");
	x = pane_text(p, 0, x + 2, STYLE(R_DIM), "taxonomy ");
	for (u32 i = 0; i < TAX_COUNT; i++)
		x = pane_text(p, 0, x, i == t ? STYLE(R_ACCENT) : STYLE(R_DIM), taxonomy_names[i]) + 1;
}

static void sum_line(struct view_ctx *v, struct pane p, int y, u64 sum, int name_w)
{
	char a[NUM_MAX], b[NUM_MAX];
	const struct conf *c = gpu_conf(v->g);
	name_w = MAX(name_w, 3);
	pane_text(p, y, 3, STYLE(R_DIM), "sum");
	pane_right(p, y, name_w + 11, STYLE(R_DIM), "%.1f %%", sum ? 100.0 : 0.0);
	char where[64] = "";
	if (!v->st->mode)
		snprintf(where, sizeof where, " × %u SM%s", c->num_sms, plural(c->num_sms));
	char text[192];
	int x = name_w + 13;
	snprintf(text, sizeof text, "of %s slots = %u scheduler%s%s × %s cycles", grouped(sum, a), c->sm_schedulers,
	         plural(c->sm_schedulers), where, grouped(gpu_counted_cycles(v->g), b));
	if (x + utf8_width(text) > p.w)
		snprintf(text, sizeof text, "of %s slots = %u%s × %s cycles", a, c->sm_schedulers, where, b);
	if (x + utf8_width(text) > p.w)
		snprintf(text, sizeof text, "of %s slots", a);
	pane_text(p, y, x, STYLE(R_DIM), text);
}

/* One bar a class; the largest fills the room, so that lengths compare within the picture. */
static int bars(struct view_ctx *v, struct pane p, const struct stall_class *cls, u32 n)
{
	u64 sum = 0, most = 0;
	int name_w = 0;
	for (u32 i = 0; i < n; i++) {
		sum += cls[i].slots;
		most = MAX(most, cls[i].slots);
		name_w = MAX(name_w, (int)strlen(cls[i].name));
	}
	int y = 0, x = name_w + 13;
	for (u32 i = 0; i < n && y < p.h - 1; i++) {
		struct look l = class_look(debugger_appearance(v->d)->taxonomy, cls[i].name);
		struct style s = STYLE(cls[i].slots ? l.role : R_FAINT);
		pane_glyph(p, y, 1, s, l.glyph);
		pane_text(p, y, 3, STYLE(cls[i].slots ? R_TEXT : R_FAINT), cls[i].name);
		pane_right(p, y, name_w + 11, STYLE(cls[i].slots ? R_TEXT : R_FAINT), "%.1f %%",
		           percent((double)cls[i].slots, (double)sum));
		draw_bar(p, y++, x, MIN(p.w - x - 1, 100), s, most ? (double)cls[i].slots / (double)most : 0, false);
	}
	if (y < p.h)
		sum_line(v, p, y++, sum, name_w);
	return y;
}

/* --- over time: one column a span, a cell a share --- */
/* One sum for all reasons: asking the timeline for each would add the same samples up again. */
static void shares_at(struct view_ctx *v, s32 sm, u32 from, u32 to, double out[ST_COUNT])
{
	struct sample sum = timeline_sum(v->tl, sm, from, to);
	double slots = (double)stall_slots(sum.stalls);
	for (u32 r = 0; r < ST_COUNT; r++)
		out[r] = slots > 0 ? (double)sum.stalls[r] / slots : 0;
}

/* The classes of a taxonomy in order of their first reason, and the class of each reason: names are compared once a
 * picture, not once a column. */
struct classes {
	u32 n, of[ST_COUNT];
	struct look look[ST_COUNT];
};

static struct classes classes_of(enum taxonomy t)
{
	struct classes c = {0};
	for (u32 r = 0; r < ST_COUNT; r++) {
		struct look l = class_look(t, stall_descs[r].name[t]);
		if (l.reason == r)
			c.look[c.n++] = l;
		for (u32 i = 0; i < c.n; i++)
			c.of[r] = c.look[i].reason == l.reason ? i : c.of[r];
	}
	return c;
}

/* The classes that have a share, from the bottom. */
static u32 column_parts(const struct classes *c, int rows, const double share[ST_COUNT],
                        struct stack_part out[ST_COUNT])
{
	double sum[ST_COUNT] = {0}, acc = 0;
	u32 n = 0;
	for (u32 r = 0; r < ST_COUNT; r++)
		sum[c->of[r]] += share[r];
	for (u32 i = 0; i < c->n; i++) {
		acc += sum[i];
		int top = MIN((int)lround(acc * 8 * rows), 8 * rows);
		if (top > (n ? out[n - 1].top : 0))
			out[n++] = (struct stack_part){c->look[i].role, c->look[i].glyph, top};
	}
	return n;
}

static void stack_column(const struct classes *c, struct pane p, int x, const double share[ST_COUNT])
{
	struct stack_part part[ST_COUNT];
	u32 n = column_parts(c, p.h, share, part);
	stack_draw(p, x, part, n, x % 16 == 8, false);
}

/* The classes at the cursor, as far as they matter. */
static void note_shares(struct view_ctx *v, const double share[ST_COUNT])
{
	enum taxonomy t = debugger_appearance(v->d)->taxonomy;
	for (u32 first = 0; first < ST_COUNT; first++) {
		const char *name = stall_descs[first].name[t];
		double sum = 0;
		if (class_look(t, name).reason != first)
			continue;
		for (u32 r = first; r < ST_COUNT; r++)
			sum += strcmp(stall_descs[r].name[t], name) ? 0 : share[r];
		if (sum >= 0.005)
			cursor_note(v, "%s %.0f%%", name, 100 * sum);
	}
}

void stalls_over_time(struct view_ctx *v, struct pane p, s32 sm, const char *title)
{
	u32 from, to;
	view_span(v, &from, &to);
	if (p.h < 3 || to == from)
		return;
	pane_text(p, 0, 1, STYLE(R_DIM), title);
	struct pane q = pane_sub(p, 1, 1, p.h - 2, p.w - 2);
	u32 len = to - from;
	struct classes classes = classes_of(debugger_appearance(v->d)->taxonomy);
	int at = cursor_axis(v, chart_time(v, q.w));
	for (int x = 0; x < q.w; x++) {
		double share[ST_COUNT];
		u32 a, b;
		view_column(from, len, x, q.w, &a, &b);
		shares_at(v, sm, a, b, share);
		stack_column(&classes, q, x, share);
		if (x == at)
			note_shares(v, share);
	}
	cursor_dim_future(v, q, 0, q.h, 0, chart_time(v, q.w));
	if (at >= 0)
		cursor_mark(q, 0, q.h, at);
	chart_axis(v, p, p.h - 1, 1);
}

/* --- per SM --- */
/* Where the columns of classes end, 0 = not shown. They are headed by the classes' names where all of them fit, else
 * by their letters; where not even those fit, classes without a slot go (`all` has the whole machine's). */
static bool class_columns(const struct stall_class *all, u32 n, int w, int ends[TAX_MAX_CLASSES])
{
	int named = 5, x = 5, step = 5 + 7 * (int)n <= w ? 7 : 6;
	for (u32 i = 0; i < n; i++)
		named += MAX((int)strlen(all[i].name) + 2, 7);
	bool fit = 5 + 6 * (int)n <= w;
	for (u32 i = 0; i < n; i++) {
		if (fit || all[i].slots)
			x += named < w ? MAX((int)strlen(all[i].name) + 2, 7) : step;
		ends[i] = fit || all[i].slots ? x : 0;
	}
	return named < w;
}

static void sm_row(struct view_ctx *v, struct pane p, u32 sm, const int *ends)
{
	struct stall_class cls[TAX_MAX_CLASSES];
	u64 base[ST_COUNT], sum;
	gpu_stalls_sum(v->g, (s32)sm, base);
	sum = stall_slots(base);
	u32 n = stall_map(debugger_appearance(v->d)->taxonomy, base, cls);
	pane_right(p, 0, 4, sm == v->d->focus.sm ? STYLE(R_ACCENT) : STYLE(R_DIM), "%u", sm);
	for (u32 i = 0; i < n; i++) {
		double share = percent((double)cls[i].slots, (double)sum);
		if (ends[i] > 0)
			pane_right(p, 0, ends[i], STYLE(share >= 0.05 ? R_TEXT : R_FAINT), "%.1f", share);
	}
}

/* All SMs when they fit, else as many with the focused one in the middle: left and right move it. The first row is the
 * gap above, for which they are. */
static void per_sm(struct view_ctx *v, struct pane p)
{
	struct stall_class all[TAX_MAX_CLASSES];
	u64 base[ST_COUNT];
	int ends[TAX_MAX_CLASSES], nsm = (int)gpu_conf(v->g)->num_sms, rows = MIN(p.h - 2, nsm);
	int top = MAX(MIN((int)v->d->focus.sm - rows / 2, nsm - rows), 0);
	gpu_stalls_sum(v->g, -1, base);
	u32 n = stall_map(debugger_appearance(v->d)->taxonomy, base, all);
	bool names = class_columns(all, n, p.w, ends);
	if (rows < nsm)
		pane_printf(p, 0, 1, STYLE(R_ACCENT), "SM %d-%d of %d", top, top + rows - 1, nsm);
	pane_right(p, 1, 4, STYLE(R_DIM), "SM");
	for (u32 i = 0; i < n; i++) {
		struct look l = class_look(debugger_appearance(v->d)->taxonomy, all[i].name);
		if (ends[i] > 0 && names)
			pane_right(p, 1, ends[i], STYLE(l.role), "%s", all[i].name);
		else if (ends[i] > 0)
			pane_glyph(p, 1, ends[i] - 1, STYLE(l.role), l.glyph);
	}
	for (int r = 0; r < rows; r++)
		sm_row(v, pane_sub(p, r + 2, 0, 1, p.w), (u32)(top + r), ends);
}

/* Where rows are scarce, classes without a slot give theirs up. */
static u32 drop_empty(struct stall_class *cls, u32 n)
{
	u32 kept = 0;
	for (u32 i = 0; i < n; i++)
		if (cls[i].slots)
			cls[kept++] = cls[i];
	return kept;
}

#define OVER_TIME_ROWS 7 /* the least that the shares over the run get below the table of SMs */
#define SM_ROWS_LEAST 12 /* a table of fewer, where there are more, says little */

static void draw(struct view_ctx *v, struct pane p)
{
	u64 base[ST_COUNT];
	struct stall_class cls[TAX_MAX_CLASSES];
	gpu_stalls_sum(v->g, v->st->mode ? (s32)v->d->focus.sm : -1, base);
	u32 n = stall_map(debugger_appearance(v->d)->taxonomy, base, cls);
	if ((int)n > p.h - 8)
		n = drop_empty(cls, n);
	heading(v, p);
	if (!stall_slots(base)) {
		pane_text(p, 2, 3, STYLE(R_DIM), "No issue slot has passed yet: space runs, . steps a cycle.");
		return;
	}
	int top = p.h > 12 + (int)n ? 2 : 1;
	int y = top + bars(v, pane_sub(p, top, 0, p.h - top, p.w), cls, n);
	int nsm = (int)gpu_conf(v->g)->num_sms, room = p.h - y - OVER_TIME_ROWS;
	if (room >= MIN(nsm, SM_ROWS_LEAST) + 2) {
		int rows = MIN(nsm, room - 2);
		per_sm(v, pane_sub(p, y, 0, rows + 2, p.w));
		y += rows + 2;
	}
	stalls_over_time(v, pane_sub(p, y + (p.h - y > 5), 0, MIN(p.h - y - (p.h - y > 5), 24), p.w),
	                 v->st->mode ? (s32)v->d->focus.sm : -1, "over time");
}

static bool on_key(struct view_ctx *v, int key)
{
	struct err e = {0};
	u32 n = gpu_conf(v->g)->num_sms;
	switch (key) {
	case 't': debugger_appearance(v->d)->taxonomy = (debugger_appearance(v->d)->taxonomy + 1) % TAX_COUNT; return true;
	case 'T':
		debugger_appearance(v->d)->taxonomy = (debugger_appearance(v->d)->taxonomy + TAX_COUNT - 1) % TAX_COUNT;
		return true;
	case 'a': v->st->mode = !v->st->mode; return true;
	case K_LEFT:
	case K_RIGHT:
		debugger_focus(v->d, (v->d->focus.sm + (key == K_LEFT ? n - 1 : 1)) % n, v->d->focus.warp, &e);
		return true;
	default: return view_scroll(v->st, key);
	}
}

const struct view view_stalls = {
    .key = '4',
    .name = "stall",
    .title = "stalls",
    .shows = "what became of the issue slots, over time",
    .keys = "t taxonomy  a all/one SM  left, right SM  c cursor",
    .help = "In each cycle every scheduler charges one issue slot to exactly one reason; `explain NAME` defines "
            "the reasons. Classes are those of the chosen taxonomy (t, T: next, previous; also `set taxonomy "
            "NAME`); a class of several base reasons has a capital of its name. The longest bar fills the room. "
            "Below: each SM, and the shares over the run (+ and - change the span). a: the focused SM alone; "
            "left, right: another SM.",
    .draw = draw,
    .on_key = on_key,
};
