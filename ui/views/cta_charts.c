#include "views/cta_charts.h"

#include "base/words.h"
#include "scr/draw.h"
#include "views/cursor.h"

#define LEFT 14 /* columns of labels left of the curves */
#define COLUMNS_MAX 512
#define SLOT_ROWS 8 /* more say no more */

static u64 middle(struct time_axis a, int i)
{
	return a.from + (u64)((2.0 * i + 1) / (2.0 * a.w) * (double)(a.to - a.from));
}

/* The launch's CTAs over the SMs at a sample. */
struct band {
	bool known;
	u32 low, high; /* fewest and most on an SM */
	double mean;
	u32 limit_low, limit_high; /* of the SMs that have a limit; 0 = none has */
	u32 limit;                 /* of the chosen SM; 0 = it has none */
};

static struct band band_at(const struct view_ctx *v, u64 cycle, u32 launch)
{
	struct band b = {.low = UINT32_MAX};
	const u32 sms = v->residency->sms;
	u32 sum = 0;
	for (u32 sm = 0; sm < sms; sm++) {
		const struct resident *r = residency_at(v->residency, sm, cycle);
		if (!r)
			return b;
		const bool here = r->ctas && r->launch == launch;
		const u32 n = here ? r->most : 0;
		sum += n;
		b.low = MIN(b.low, n);
		b.high = MAX(b.high, n);
		if (!here || !r->limit)
			continue;
		b.limit_low = b.limit_low ? MIN(b.limit_low, r->limit) : r->limit;
		b.limit_high = MAX(b.limit_high, r->limit);
		b.limit = sm == v->d->focus.sm ? r->limit : b.limit;
	}
	b.known = true;
	b.mean = (double)sum / sms;
	return b;
}

/* The row of p in which a value of 1..full ends. */
static int row_of(struct pane p, u32 value, u32 full)
{
	return p.h - 1 - (int)((MIN(value, full) * (u32)p.h - 1) / full);
}

static void draw_limit(struct pane p, int x, u32 limit, u32 full, enum role role)
{
	const int y = row_of(p, limit, full);
	const bool area = canvas_at(p.c, p.y + y, p.x + x)->ch == 0x2588;
	pane_glyph_on(p, y, x, STYLE(role), p.c->ascii ? '=' : 0x2501, area ? R_FILL4 : R_TEXT);
}

/* A value of 0..full has a part in row r of h, the lowest 0; any but 0 is seen, however low the chart is. */
static bool reaches(double value, int r, int h, u32 full)
{
	return value > 0 && (r == 0 || (r + 0.5) / h * full < value);
}

static void draw_band(struct pane p, int x, const struct band *b, u32 full)
{
	for (int r = 0; r < p.h; r++) {
		const u32 glyph = reaches(b->low, r, p.h, full)    ? 0x2588
		                  : reaches(b->mean, r, p.h, full) ? 0x2592
		                  : reaches(b->high, r, p.h, full) ? 0x2591
		                                                   : 0;
		static const char plain[] = {'#', ':', '.'};
		if (glyph)
			pane_glyph(p, p.h - 1 - r, x, STYLE(R_FILL4),
			           p.c->ascii ? (u32)plain[glyph == 0x2588   ? 0
			                                   : glyph == 0x2592 ? 1
			                                                     : 2]
			                      : glyph);
	}
	if (b->limit_low)
		draw_limit(p, x, b->limit_low, full, R_WARN);
	if (b->limit_high != b->limit_low)
		draw_limit(p, x, b->limit_high, full, R_WARN);
	if (b->limit)
		draw_limit(p, x, b->limit, full, R_ACCENT);
}

/* "CTAs of K0 on an SM" and the chosen SM's limit now. */
static void limit_title(const struct view_ctx *v, struct pane p, u32 launch)
{
	const u32 sm = v->d->focus.sm, limit = gpu_cta_limit(v->g, launch, sm);
	int x = pane_text(p, 0, 0, STYLE_BOLD(R_TEXT), "CTAs");
	x = pane_printf(p, 0, x, STYLE(R_DIM), " of K%u an SM", launch);
	if (limit)
		x = pane_printf(p, 0, x, STYLE(R_ACCENT), "  %s limit %u on SM %u", p.c->ascii ? "==" : "━━", limit, sm);
	else
		x = pane_text(p, 0, x, STYLE(R_DIM), "  no limit now");
	if (limit && p.w - x > 65)
		x = pane_printf(p, 0, x, STYLE(R_WARN), "  %s lowest, highest", p.c->ascii ? "==" : "━━");
	if (p.w - x > 40)
		pane_printf(p, 0, x, STYLE(R_DIM), "   fewest %s mean %s most", p.c->ascii ? "#" : "█",
		            p.c->ascii ? ": ." : "▒ ░");
}

static void limits(const struct view_ctx *v, struct pane p, struct time_axis time, u32 launch)
{
	struct kernel_info k;
	gpu_kernel_info(v->g, launch, &k);
	const u32 full = MAX(k.ctas_per_sm, 1u);
	limit_title(v, p, launch);
	p = pane_sub(p, 1, 0, p.h - 1, p.w);
	if (p.h < 1)
		return;
	struct pane q = pane_sub(p, 0, LEFT, p.h, time.w);
	for (int i = 0; i < time.w; i++) {
		const struct band b = band_at(v, middle(time, i), launch);
		if (b.known)
			draw_band(q, i, &b, full);
	}
	pane_right(p, 0, LEFT - 1, STYLE(R_DIM), "fit %u", full);
	for (int r = 0; r < p.h; r++)
		pane_glyph(p, r, LEFT - 1, STYLE(R_FAINT), r == 0 ? 0x250c : 0x2502);
	cursor_dim_future(v, p, 0, p.h, LEFT, time);
	const int at = cursor_axis(v, time);
	if (at < 0)
		return;
	cursor_mark(p, 0, p.h, LEFT + at);
	const struct band b = band_at(v, v->st->cursor, launch);
	if (b.known)
		cursor_note(v, "CTAs of K%u: %u, %.1f, %u", launch, b.low, b.mean, b.high);
	const struct resident *r = residency_at(v->residency, v->d->focus.sm, v->st->cursor);
	if (r && r->limit)
		cursor_note(v, "SM %u limit %u of K%u", v->d->focus.sm, r->limit, r->launch);
}

/* --- instructions --- */

/* Of all CTAs on the columns: the most instructions, and one more than the last slot that held any. */
static u32 most_insts(const struct view_ctx *v, struct time_axis time, u32 sm, u32 *slots)
{
	u32 most = 0;
	*slots = 0;
	for (int i = 0; i < time.w; i++) {
		const u32 *n = residency_insts(v->residency, sm, middle(time, i));
		for (u32 s = 0; n && s < v->residency->slots; s++) {
			most = MAX(most, n[s]);
			*slots = n[s] ? MAX(*slots, s + 1) : *slots;
		}
	}
	return most;
}

/* One slot: what its CTA of the moment has executed so far; it falls back where the next CTA came. */
static void slot_row(const struct view_ctx *v, struct pane p, struct time_axis time, u32 slot, u32 most)
{
	const u32 sm = v->d->focus.sm;
	const int full = 8 * p.h - 2; /* a gap to the slot above */
	struct cta_info c;
	char buf[NUM_MAX];
	gpu_cta_info(v->g, sm, slot, &c);
	pane_right(p, p.h - 1, 2, STYLE(R_DIM), "%u", slot);
	if (c.used) {
		pane_right(p, p.h - 1, LEFT - 1, STYLE(R_TEXT), "%s", fmt_short(buf, (double)c.insts));
		if (c.cta < 100000)
			pane_printf(p, p.h - 1, 3, STYLE(R_DIM), "%llu", (unsigned long long)c.cta);
	}
	for (int i = 0; i < time.w; i++) {
		const u32 *n = residency_insts(v->residency, sm, middle(time, i));
		if (!n || !n[slot])
			continue;
		int e = MAX((int)((double)(n[slot] - 1) / (double)MAX(most - 1, 1u) * full + 0.5), 1);
		for (int r = p.h - 1; r >= 0 && e > 0; r--, e -= 8)
			pane_glyph(p, r, LEFT + i, STYLE(slot % 2 ? R_FILL1 : R_FILL0), 0x2580u + (u32)MIN(e, 8));
	}
}

static void progress(const struct view_ctx *v, struct pane p, struct time_axis time)
{
	const u32 sm = v->d->focus.sm;
	u32 slots, most = most_insts(v, time, sm, &slots);
	char buf[NUM_MAX];
	int x = pane_text(p, 0, 0, STYLE_BOLD(R_TEXT), "Instructions");
	x = pane_printf(p, 0, x, STYLE(R_DIM), " of each CTA on SM %u", sm);
	if (!most || p.h < 2) {
		pane_text(p, 0, x, STYLE(R_DIM), "  none sampled");
		return;
	}
	x = pane_printf(p, 0, x, STYLE(R_DIM), ", peak %s", fmt_short(buf, most - 1.0));
	const int shown = MIN((int)slots, p.h - 1), each = MIN((p.h - 1) / shown, SLOT_ROWS);
	if (shown < (int)slots)
		pane_printf(p, 0, x, STYLE(R_ACCENT), "  slots 0-%d of %u", shown - 1, slots);
	for (int s = 0; s < shown; s++)
		slot_row(v, pane_sub(p, 1 + s * each, 0, each, p.w), time, (u32)s, most);
	cursor_dim_future(v, p, 1, shown * each, LEFT, time);
	const int at = cursor_axis(v, time);
	if (at < 0)
		return;
	cursor_mark(p, 1, shown * each, LEFT + at);
	const u32 *n = residency_insts(v->residency, sm, v->st->cursor);
	u32 ahead = 0;
	for (u32 s = 0; n && s < slots; s++)
		ahead = n[s] > n[ahead] ? s : ahead;
	if (n && n[ahead])
		cursor_note(v, "most instructions: slot %u, %s", ahead, fmt_short(buf, n[ahead] - 1.0));
}

void cta_charts_draw(const struct view_ctx *v, struct pane p, struct time_axis time, u32 launch)
{
	time.w = MIN(p.w - LEFT - 1, COLUMNS_MAX);
	if (time.w < 8 || p.h < CTA_CHARTS_LEAST_H || time.to == time.from)
		return;
	const int above = MIN(MAX(p.h / 3, 4), 10);
	limits(v, pane_sub(p, 0, 0, above, p.w), time, launch);
	u32 slots;
	most_insts(v, time, v->d->focus.sm, &slots);
	const int room = p.h - above - 2, rows = slots ? (int)slots * MIN(MAX((room - 1) / (int)slots, 1), SLOT_ROWS) : 0;
	const int below = MIN(room, rows + 1);
	progress(v, pane_sub(p, above + 1, 0, below, p.w), time);
	/* the axis that is clicked is that of the whole view */
	const struct time_axis click = v->st->click;
	const s32 x = v->st->click_x;
	cursor_axis_row(v, p, above + 1 + below, LEFT, time);
	v->st->click = click;
	v->st->click_x = x;
}
