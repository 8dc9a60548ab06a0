/* Warps over time: a row a warp, or a CTA, a column a time; the past is run again to see it (dbg/lanes.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "dbg/lanes.h"
#include "scr/draw.h"
#include "scr/term.h"
#include "views/cursor.h"
#include "views/lanes_rows.h"
#include "views/lanes_text.h"
#include "views/legend.h"

#define LEFT 13   /* columns of labels */
#define BESIDE 34 /* of instructions, on wide screens */
#define BESIDE_W 110
#define BUSY 26 /* of 255: issued in a tenth of a column's cycles */

/* --- heading ------------------------------------------------------------------------------------------------------ */

static void progress(struct view_ctx *v, const struct lanes_picture *p, struct pane q, int x)
{
	const u64 end = MIN(p->a.to, cursor_run_end(v)), to = p->l ? MIN(MAX(lanes_to(p->l), p->a.from), end) : p->a.from;
	char a[NUM_MAX];
	char text[160];
	if (*lanes_error(v->d))
		snprintf(text, sizeof text, "%.150s", lanes_error(v->d));
	else if (!p->all && end > p->a.from)
		snprintf(text, sizeof text, "%s %.0f %%", debugger_running(v->d) ? "when it stops:" : "running it again:",
		         percent((double)(to - p->a.from), (double)(end - p->a.from)));
	else if (p->l && lanes_marks_lost(p->l))
		snprintf(text, sizeof text, "%s marks or names left out", grouped(lanes_marks_lost(p->l), a));
	else
		return;
	const int room = q.w - x - 3;
	if (room > 8)
		draw_cut(q, 0, MAX(q.w - 1 - utf8_width(text), x + 2), room, STYLE(R_WARN), text);
}

/* After the rows have been clipped to the `shown` there is room for. */
static void heading(struct view_ctx *v, const struct lanes_picture *p, struct pane q, s32 shown)
{
	static const char *const what[] = {"warps", "warps of CTA", "warps of", "CTAs"};
	int x = pane_text(q, 0, 1, STYLE_BOLD(R_TEXT), "Lanes");
	if (p->sm >= 0)
		x = pane_printf(q, 0, x + 2, STYLE(R_ACCENT), "SM %d", p->sm);
	x = pane_text(q, 0, x + 2, STYLE(R_TEXT), what[p->of]);
	if (p->of == LANES_OF_CTA)
		x = pane_printf(q, 0, x + 1, STYLE(R_TEXT), "%lld of K%lld", (long long)p->cta, (long long)p->launch);
	else if (p->of == LANES_OF_KERNEL)
		x = pane_printf(q, 0, x + 1, STYLE(R_TEXT), "K%lld on all SMs", (long long)p->launch);
	if ((s32)p->nrows > shown)
		x = pane_printf(q, 0, x + 2, STYLE(R_DIM), "rows %d-%d of %u", v->st->top + 1, v->st->top + shown, p->nrows);
	progress(v, p, q, x);
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

static void label(const struct lanes_picture *p, struct pane q, int y, u32 row)
{
	const struct lanes_row *r = &p->row[row];
	const bool focus = (s32)row == p->focus;
	const struct style s = focus ? STYLE_BOLD(R_ACCENT) : STYLE(R_TEXT);
	struct lane_cell c;
	const bool there = lanes_cell(p, row, p->ref / p->bin * p->bin, &c);
	const struct lane_name *n = there ? lanes_name(p->l, c.name) : NULL;
	char text[40] = "";
	if (p->of == LANES_OF_KERNEL)
		snprintf(text, sizeof text, "%u/%u", r->sm, r->index);
	else if (p->of != LANES_OF_CTAS)
		snprintf(text, sizeof text, "%u", r->index);
	pane_text(q, y, 1, s, text);
	if (n)
		pane_right(q, y, LEFT - 2, focus ? s : STYLE(R_DIM), "%llu", (unsigned long long)n->cta);
	if (focus)
		legend_draw(q, y, LEFT - 2, LG_FOCUS);
}

static void cell(const struct view_ctx *v, const struct lanes_picture *p, struct pane q, int y, int x, u32 row,
                 u64 from)
{
	struct lane_cell c;
	struct strbuf text = STRBUF_INIT;
	if (!lanes_cell(p, row, from, &c))
		return;
	const enum legend_id id = lanes_sign(&c);
	struct style s = STYLE(legend[id].role);
	if (p->bin > 1 && c.issued >= BUSY)
		s.attr |= ATTR_BOLD;
	pane_glyph(q, y, x, s, legend[id].ch);
	if (p->cell > 1 && lane_is_issued(&c) && p->of != LANES_OF_CTAS) {
		lanes_inst(v, p, &c, c.pc, true, &text);
		draw_cut(q, y, x + 1, p->cell - 2, s, strbuf_str(&text));
	}
	strbuf_release(&text);
}

static void beside(const struct view_ctx *v, const struct lanes_picture *p, struct pane q, int y, int x, u32 row)
{
	struct lane_cell c;
	struct strbuf text = STRBUF_INIT;
	if (lanes_cell(p, row, p->ref, &c)) {
		legend_draw(q, y, x, lanes_sign(&c));
		lanes_inst(v, p, &c, c.pc, false, &text);
		draw_cut(q, y, x + 2, q.w - x - 3, STYLE((s32)row == p->focus ? R_TEXT : R_DIM), strbuf_str(&text));
	}
	strbuf_release(&text);
}

static void rows(struct view_ctx *v, struct lanes_picture *p, struct pane q, int right)
{
	struct view_state *st = v->st;
	if (st->follow && p->focus >= 0) {
		if (p->focus < st->top)
			st->top = p->focus;
		else if (p->focus >= st->top + q.h)
			st->top = p->focus - q.h + 1;
	}
	view_clip(st, (s32)p->nrows, q.h);
	for (int y = 0; y < q.h && st->top + y < (s32)p->nrows; y++) {
		const u32 row = (u32)(st->top + y);
		label(p, q, y, row);
		for (int x = 0; x < p->a.w; x++)
			cell(v, p, q, y, LEFT + x * p->cell, row, p->a.from + (u64)x * p->bin);
		if (right)
			beside(v, p, q, y, right, row);
	}
	st->list.y = q.y;
	st->list.n = MIN(q.h, (s32)p->nrows - st->top);
}

/* --- what belongs to the SM --------------------------------------------------------------------------------------- */

static u32 total(const u32 n[ST_COUNT])
{
	u32 sum = 0;
	for (u32 i = 0; i < ST_COUNT; i++)
		sum += n[i];
	return sum;
}

/* The slots of a column: of the SM, or of all. */
static bool slots(const struct view_ctx *v, const struct lanes_picture *p, u64 from, struct lane_slots *out)
{
	bool any = false;
	*out = (struct lane_slots){0};
	for (u32 i = 0; p->l && i < (p->sm < 0 ? gpu_conf(v->g)->num_sms : 1); i++) {
		struct lane_slots s;
		any |= lanes_slots(p->l, p->sm < 0 ? i : (u32)p->sm, from, p->bin, &s);
		for (u32 r = 0; r < ST_COUNT; r++)
			out->n[r] += s.n[r];
		memcpy(out->reason, s.reason, sizeof out->reason);
	}
	return any;
}

static void issue_row(const struct view_ctx *v, const struct lanes_picture *p, struct pane q)
{
	pane_text(q, 0, 1, STYLE(R_DIM), "issue");
	u64 issued = 0, all = 0;
	for (int x = 0; x < p->a.w; x++) {
		struct lane_slots s;
		if (!slots(v, p, p->a.from + (u64)x * p->bin, &s))
			continue;
		const float part = (float)s.n[ST_ISSUED] / (float)MAX(total(s.n), 1u);
		issued += s.n[ST_ISSUED];
		all += total(s.n);
		draw_spark(q, 0, LEFT + x * p->cell, 1, STYLE(R_ISSUED), &part, 1, 1);
	}
	pane_right(q, 0, LEFT - 1, STYLE(R_TEXT), "%.0f %%", percent((double)issued, (double)all));
}

/* What lost the most slots of a column; an issued one where half of them were used. */
static enum stall most(const u32 n[ST_COUNT])
{
	u32 best = ST_COUNT;
	if (2 * n[ST_ISSUED] >= total(n))
		return ST_ISSUED;
	for (u32 i = ST_ISSUED + 1; i < ST_COUNT; i++)
		if (n[i] && (best == ST_COUNT || n[i] > n[best]))
			best = i;
	return best == ST_COUNT ? ST_ISSUED : (enum stall)best;
}

/* A row a scheduler with what it did with its slot; columns of several cycles: one row of what lost most. */
static void slot_rows(const struct view_ctx *v, const struct lanes_picture *p, struct pane q)
{
	const bool each = p->bin == 1 && p->sm >= 0;
	for (int y = 0; y < q.h; y++) {
		if (each)
			pane_printf(q, y, 1, STYLE(R_DIM), "slot %d", y);
		else
			pane_text(q, y, 1, STYLE(R_DIM), "lost to");
		for (int x = 0; x < p->a.w; x++) {
			struct lane_slots s;
			if (slots(v, p, p->a.from + (u64)x * p->bin, &s))
				legend_draw(q, y, LEFT + x * p->cell, legend_of_stall(each ? s.reason[y] : most(s.n)));
		}
	}
}

static void mark_row(const struct lanes_picture *p, struct pane q)
{
	pane_text(q, 0, 1, STYLE(R_DIM), "CTAs");
	for (int x = 0; x < p->a.w; x++) {
		const enum legend_id id = lanes_mark_sign(p, p->a.from + (u64)x * p->bin);
		if (id < LG_COUNT)
			legend_draw(q, 0, LEFT + x * p->cell, id);
	}
}

/* --- the view ----------------------------------------------------------------------------------------------------- */

/* Wide columns have their cycle above them. */
static void axis(const struct view_ctx *v, const struct lanes_picture *p, struct pane q)
{
	char a[NUM_MAX];
	if (p->cell == 1) {
		cursor_axis_row(v, q, 0, LEFT, p->a);
		return;
	}
	for (int x = 0; x < p->a.w; x++) {
		const u64 cycle = p->a.from + (u64)x;
		const bool here = v->st->cursor_on && cycle == v->st->cursor;
		pane_text(q, 0, LEFT + x * p->cell, here ? STYLE_BOLD(R_ACCENT) : STYLE(R_DIM), grouped(cycle, a));
	}
}

static void text_row(struct pane q, const struct strbuf *text)
{
	draw_cut(q, 0, 1, q.w - 2, STYLE(R_TEXT), strbuf_str(text));
}

static void notes(const struct view_ctx *v, const struct lanes_picture *p)
{
	struct lane_slots s;
	if (!v->st->cursor_on || !slots(v, p, p->ref / p->bin * p->bin, &s))
		return;
	cursor_note(v, "issued %u of %u slots", s.n[ST_ISSUED], total(s.n));
	if (most(s.n) != ST_ISSUED)
		cursor_note(v, "lost to %s", stall_descs[most(s.n)].name[TAX_BASE]);
}

static void draw(struct view_ctx *v, struct pane q)
{
	const int right = v->st->mode % LANES_KINDS != LANES_OF_CTAS && q.w >= BESIDE_W ? BESIDE : 0;
	struct lanes_picture p = lanes_picture(v, q.w - LEFT - 1, right);
	struct strbuf state = STRBUF_INIT, place = STRBUF_INIT;
	const int texts = q.h >= 14 ? 2 : q.h >= 10, slot = q.h < 12                  ? 0
	                                                    : p.bin == 1 && p.sm >= 0 ? (int)gpu_conf(v->g)->sm_schedulers
	                                                                              : 1;
	const int marks = q.h >= 9, n = MAX(q.h - 3 - texts - slot - marks, 0);
	if (!p.a.w) {
		heading(v, &p, q, n);
		pane_text(q, 2, 3, STYLE(R_DIM), "nothing yet: no cycle has been simulated");
		free(p.row);
		return;
	}
	issue_row(v, &p, pane_sub(q, 1, 0, 1, q.w));
	rows(v, &p, pane_sub(q, 2, 0, n, q.w), right && p.bin == 1 && p.cell == 1 ? q.w - BESIDE : 0);
	heading(v, &p, q, n);
	slot_rows(v, &p, pane_sub(q, 2 + n, 0, slot, q.w));
	if (marks)
		mark_row(&p, pane_sub(q, 2 + n + slot, 0, 1, q.w));
	if (p.cell == 1)
		cursor_dim_future(v, q, 1, 1 + n + slot + marks, LEFT, p.a);
	const int at = cursor_axis(v, p.a);
	for (int y = 1; at >= 0 && y < 2 + n + slot + marks; y++)
		pane_attr(q, y, LEFT + at * p.cell, 1, ATTR_REVERSE);
	notes(v, &p);
	axis(v, &p, pane_sub(q, 2 + n + slot + marks, 0, 1, q.w));
	lanes_state_text(v, &p, &state);
	lanes_place_text(v, &p, &place);
	if (texts)
		text_row(pane_sub(q, q.h - texts, 0, 1, q.w), &state);
	if (texts > 1)
		text_row(pane_sub(q, q.h - 1, 0, 1, q.w), &place);
	strbuf_release(&state);
	strbuf_release(&place);
	free(p.row);
}

static bool on_key(struct view_ctx *v, int key)
{
	struct view_state *st = v->st;
	const s32 page = MAX(st->page - 1, 1);
	switch (key) {
	case 'w':
		st->mode = (st->mode + 1) % LANES_KINDS;
		st->follow = true;
		return true;
	case K_UP:
	case 'k': lanes_move(v, -1); return true;
	case K_DOWN:
	case 'j': lanes_move(v, 1); return true;
	case K_PGUP: lanes_move(v, -page); return true;
	case K_PGDN: lanes_move(v, page); return true;
	default: return false;
	}
}

static void on_click(struct view_ctx *v, s32 row, s32 x)
{
	struct lanes_picture p = lanes_picture(v, v->st->chars, v->st->beside);
	lanes_move(v, v->st->top + row - MAX(p.focus, 0));
	if (x >= LEFT && p.a.w && (x - LEFT) / p.cell < p.a.w) {
		v->st->cursor = p.a.from + (u64)((x - LEFT) / p.cell) * p.bin;
		v->st->cursor_on = true;
	}
	free(p.row);
}

const struct view view_lanes = {
    .key = '_',
    .name = "lanes",
    .title = "lanes",
    .shows = "warps and CTAs over time, cycle by cycle",
    .zooms = 40,
    .keys = "w rows  arrows warp, cursor  + - zoom  < > move",
    .help =
        "What each warp was over time: a row a warp, a column a time, the signs as in the SM view. A column is 1, 2, "
        "4, 8 ... cycles; + comes closer, down to one cycle, and then to columns that have room for the "
        "instruction that was issued. A column of several cycles shows what the warp was in most of them (issued: "
        "in at least half); it is bold if the warp issued in at least a tenth. w changes the rows: the warps of the "
        "focused SM, those of the focused CTA, those of the focused kernel on all SMs, the CTAs of the SM. Left "
        "of a row: the warp (SM/warp), and its CTA. A CTA's row shows what most of its warps were while they may "
        "issue, else what keeps it: swapped out and in, inactive, could run (cta-virtual=vt), saved (preemption).\n"
        "issue: the share of issue slots that were used. slot 0 ..: what each scheduler did with its slot, columns "
        "of several cycles: lost to, the reason that lost most. CTAs: CTAs begin and end, are swapped and saved, "
        "barriers open (columns of one cycle). The lines below spell out the focused row at the cursor, or now: "
        "the instruction that was issued, or since when it waits, and for the result of which instruction; what "
        "has happened to CTAs there, and why; the CUDA line. c or left, right: a cursor; Enter goes to its cycle, "
        "with the focus on that warp. The machine stands then before what the column shows.\n"
        "Nothing is recorded while the machine runs: what is shown is found by a process that runs that part "
        "again, and kept.",
    .draw = draw,
    .on_key = on_key,
    .on_click = on_click,
};
