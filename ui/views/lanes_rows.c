#include "views/lanes_rows.h"

#include <stdlib.h>

#include "dbg/focus.h"
#include "dbg/lanes.h"
#include "dbg/scope.h"
#include "views/cursor.h"

#define WIDE_CELL 12 /* characters of a cycle, beyond one of a character */

/* --- columns ------------------------------------------------------------------------------------------------------ */

/* The cycles that can be shown: those of history, or of the scope. */
static void whole(const struct view_ctx *v, u64 *start, u64 *end)
{
	struct sim_history_info h;
	u64 from, till;
	sim_history_info(v->d->s->sim, &h);
	*start = h.on ? h.begin : 0;
	*end = cursor_run_end(v);
	if (scope_range(v->d, &from, &till) && from < *end && till > *start) {
		*start = MAX(*start, from);
		*end = MIN(*end, till);
	}
}

static u64 aligned(u64 cycle, u32 bin)
{
	return cycle / bin * bin;
}

/* Zooming in stays at the cursor, or at now; after the machine has moved, now is in sight. */
static void keep_in_sight(struct view_ctx *v, u64 span, u64 end)
{
	struct view_state *st = v->st;
	const u64 now = gpu_cycle(v->g), at = st->cursor_on ? st->cursor : now;
	const bool moved = st->seen_cycle != now, zoomed = st->zoom_seen && st->zoom_seen != st->zoom + 1;
	const u64 to = st->until ? st->until : end, from = to > span ? to - span : 0;
	st->seen_cycle = now;
	st->zoom_seen = st->zoom + 1;
	if (zoomed)
		st->until = at + span / 2 < end ? MAX(at + span / 2, span) : 0;
	else if (moved && now < end && (now < from || now >= to))
		st->until = now + span / 2 < end ? MAX(now + span / 2, span) : 0;
}

/* Columns are powers of two of cycles, and begin at their multiples: the same ones whatever is shown beside them. */
static void choose_columns(struct view_ctx *v, struct lanes_picture *p, int w, int beside)
{
	struct view_state *st = v->st;
	u64 start, end;
	u32 steps = 0;
	whole(v, &start, &end);
	while (((u64)w << steps) < end - aligned(start, 1u << steps))
		steps++;
	st->zoom = MIN(st->zoom, steps + 1); /* the last step makes the columns wide */
	p->bin = st->zoom < steps ? 1u << (steps - st->zoom) : 1;
	p->cell = st->zoom > steps ? WIDE_CELL : 1;
	const u64 n = (u64)MAX(p->cell > 1 ? w / p->cell : p->bin == 1 ? w - beside : w, 1);
	keep_in_sight(v, n * p->bin, end);
	u64 to = st->until ? MIN(st->until, end) : end;
	to = aligned(to + p->bin - 1, p->bin);
	u64 from = to > n * p->bin ? to - n * p->bin : 0;
	from = MAX(from, aligned(start, p->bin));
	p->a = (struct time_axis){from, MIN(from + n * p->bin, MAX(aligned(end + p->bin - 1, p->bin), from)), 0};
	p->a.w = (int)((p->a.to - p->a.from) / p->bin);
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

static const struct lane_name *named(const struct lanes_picture *p, const struct lane_cell *c)
{
	return lanes_name(p->l, c->name);
}

static bool is_shown(const struct lanes_picture *p, const struct lane_cell *c)
{
	if (p->launch < 0)
		return true;
	const struct lane_name *n = named(p, c);
	return n && n->launch == p->launch && (p->cta < 0 || n->cta == (u64)p->cta);
}

static bool get(const struct lanes_picture *p, const struct lanes_row *r, u64 from, struct lane_cell *out)
{
	if (!p->l)
		return false;
	return p->of == LANES_OF_CTAS ? lanes_cta(p->l, r->index, from, p->bin, out)
	                              : lanes_warp(p->l, r->sm, r->index, from, p->bin, out);
}

bool lanes_cell(const struct lanes_picture *p, u32 row, u64 from, struct lane_cell *out)
{
	return get(p, &p->row[row], from, out) && is_shown(p, out);
}

/* Is anything of it to be seen in these columns? */
static bool in_sight(const struct lanes_picture *p, const struct lanes_row *r)
{
	struct lane_cell c;
	for (u64 at = p->a.from; at < p->a.to; at += p->bin)
		if (get(p, r, at, &c) && named(p, &c) && is_shown(p, &c))
			return true;
	return false;
}

/* Whose rows they are: of the focused warp at the cycle that is spelled out, else where the machine stands. */
static void whose(const struct view_ctx *v, struct lanes_picture *p)
{
	const struct focus *f = &v->d->focus;
	struct lane_cell c;
	const struct lane_name *n = NULL;
	p->launch = p->cta = -1;
	if (p->of != LANES_OF_CTA && p->of != LANES_OF_KERNEL)
		return;
	if (p->l && lanes_warp(p->l, f->sm, f->warp, aligned(p->ref, p->bin), p->bin, &c))
		n = named(p, &c);
	p->launch = n ? (s64)n->launch : MAX(f->kernel, 0);
	if (p->of == LANES_OF_CTA)
		p->cta = n ? (s64)n->cta : MAX(f->cta, 0);
}

static void add_row(struct lanes_picture *p, u32 sm, u32 index)
{
	p->row[p->nrows++] = (struct lanes_row){sm, index};
}

static void choose_rows(const struct view_ctx *v, struct lanes_picture *p)
{
	const u32 warps = gpu_warps_per_sm(v->g), sms = p->sm < 0 ? gpu_conf(v->g)->num_sms : 1;
	const u32 first = p->sm < 0 ? 0 : (u32)p->sm;
	const u32 n = p->of == LANES_OF_CTAS ? (p->l ? lanes_ctas(p->l) : 0) : warps;
	p->row = xcalloc(MAX((size_t)sms * n, (size_t)1), sizeof *p->row);
	for (u32 i = 0; i < sms; i++)
		for (u32 k = 0; k < n; k++)
			if (p->of == LANES_OF_SM || in_sight(p, &(struct lanes_row){first + i, k}))
				add_row(p, first + i, k);
}

static s32 focused_row(const struct view_ctx *v, const struct lanes_picture *p)
{
	if (p->of == LANES_OF_CTAS)
		return p->nrows ? (s32)MIN(v->st->column, p->nrows - 1) : -1;
	for (u32 i = 0; i < p->nrows; i++)
		if (p->row[i].sm == v->d->focus.sm && p->row[i].index == v->d->focus.warp)
			return (s32)i;
	return -1;
}

struct lanes_picture lanes_picture(struct view_ctx *v, int w, int beside)
{
	struct lanes_picture p = {.of = v->st->mode % LANES_KINDS};
	const u64 now = gpu_cycle(v->g);
	v->st->chars = w;
	v->st->beside = beside;
	p.sm = p.of == LANES_OF_KERNEL ? -1 : (s32)v->d->focus.sm;
	choose_columns(v, &p, MAX(MIN(w, (int)lanes_capacity(v->g, p.sm)), 1), beside);
	p.ref = v->st->cursor_on ? v->st->cursor : now;
	p.ref = MIN(MAX(p.ref, p.a.from), p.a.to > p.a.from ? p.a.to - 1 : p.a.from);
	p.l = lanes_see(v->d, p.sm, p.a.from, p.a.to, p.bin, &p.all);
	if (p.l && p.ref >= lanes_to(p.l) && lanes_to(p.l) > p.a.from)
		p.ref = lanes_to(p.l) - 1;
	whose(v, &p);
	choose_rows(v, &p);
	p.focus = focused_row(v, &p);
	return p;
}

/* The first warp slot that a CTA has at a cycle. */
static bool warp_of(const struct lanes_picture *p, u32 row, u32 *warp)
{
	struct lane_cell c, w;
	if (!lanes_cell(p, row, aligned(p->ref, p->bin), &c) || !named(p, &c))
		return false;
	for (*warp = 0; *warp < lanes_warps(p->l); ++*warp)
		if (lanes_warp(p->l, (u32)p->sm, *warp, aligned(p->ref, p->bin), p->bin, &w) && w.name == c.name)
			return true;
	return false;
}

void lanes_move(struct view_ctx *v, s32 by)
{
	struct lanes_picture p = lanes_picture(v, v->st->chars, v->st->beside);
	s32 to = MAX(MIN(MAX(p.focus, 0) + by, (s32)p.nrows - 1), 0);
	u32 warp;
	if (p.nrows && p.of == LANES_OF_CTAS) {
		v->st->column = (u32)to;
		if (warp_of(&p, (u32)to, &warp))
			debugger_focus(v->d, (u32)p.sm, warp, NULL);
	} else if (p.nrows) {
		debugger_focus(v->d, p.row[to].sm, p.row[to].index, NULL);
	}
	v->st->follow = true;
	free(p.row);
}
