/* SM: one multiprocessor in full - its warps, CTAs, units, LSU, MSHRs, and who owns its registers and shared memory. */
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "gpu/query_slotless.h"
#include "scr/draw.h"
#include "scr/term.h"
#include "views/legend.h"
#include "views/sm_sched.h"
#include "views/sm_side.h"
#include "views/sm_swaps.h"
#include "views/sm_tensor.h"
#include "views/view_stalls.h"
#include "views/sm_units.h"
#include "views/view.h"

#define CTAS_MAX 64
#define WARPS_MAX 256

static void heading(struct view_ctx *v, struct pane p, const struct sm_info *i)
{
	const struct conf *c = gpu_conf(v->g);
	u32 sm = v->d->focus.sm;
	const struct sample *now = recent_get(v->recent, (s32)sm);
	u64 cycles = gpu_counted_cycles(v->g);
	bool tight = p.w < 96;
	int gap = tight ? 2 : 3;
	int x = pane_printf(p, 0, 1, STYLE(R_ACCENT), "SM %u", sm);
	x = pane_printf(p, 0, x + gap, STYLE(R_TEXT), "%u of %u warps", i->warps, i->max_warps);
	x = pane_printf(p, 0, x + gap, STYLE(R_TEXT), "%u of %u CTAs", i->ctas, i->max_ctas);
	if (i->lowered)
		x = pane_printf(p, 0, x, STYLE(R_SLEEP), ", %u lowered", i->lowered);
	if (i->inactive)
		x = pane_printf(p, 0, x, STYLE(R_SLEEP), ", %u inactive", i->inactive);
	x = pane_printf(p, 0, x + gap, STYLE(R_DIM), tight ? "%u × %s%s" : "%u scheduler%s %s", c->sm_schedulers,
	                tight ? "" : plural(c->sm_schedulers), c->warp_sched);
	x = pane_printf(p, 0, x + gap, STYLE(R_TEXT), "IPC %.2f",
	                now->cycles ? (double)now->issued / (double)now->cycles : 0.0);
	x = pane_printf(p, 0, x, STYLE(R_DIM), " in %s", recent_span(v->recent, tight));
	if (!v->recent->scope)
		x = pane_printf(p, 0, x, STYLE(R_DIM), " (run %.2f)", cycles ? (double)i->issued / (double)cycles : 0.0);
	if (!i->awake && i->warps)
		pane_text(p, 0, x + gap, STYLE(R_DIM), "all wait");
}

/* --- warps --- */
#define POLICY_FROM_W 120 /* columns of a terminal that shows the policy's words */
#define POLICY_W 20       /* at most; no wider than what the warps shown need */
struct table {
	bool tight; /* instruction and wait stand together: what the wait leaves free the instruction has */
	int cta, pc, inst, inst_w, mask, state, since, phase, prio, policy, policy_w, loads, waits;
};

#define TIGHT_W 100 /* columns; with fewer a table is tight */

/* Where every column counts: numbers first, as narrow as they may be, then the two texts. */
static struct table tight_layout(int w)
{
	struct table t = {.tight = true, .cta = 8, .pc = 12, .state = 13, .mask = -1, .loads = -1, .policy = -1};
	t.since = t.state + 15; /* "s refused" and five places */
	t.phase = t.since + 6;
	t.prio = t.phase + 5;
	t.inst = t.prio + 2;
	t.inst_w = MAX((w - t.inst) * 4 / 9, 12);
	t.waits = t.inst + t.inst_w + 1;
	return t;
}

/* Column starts (or right ends for numbers) for a width; the instruction and what it waits for share what is left. */
static struct table table_layout(int w, int policy_w)
{
	struct table t = {.cta = 8, .pc = 13, .inst = 15, .mask = -1, .loads = -1, .policy = -1, .policy_w = policy_w};
	if (w < TIGHT_W)
		return tight_layout(w);
	int phase_w = w < 140 ? 6 : 8, prio_w = w < 140 ? 5 : 6; /* with the gap before them */
	int fixed = 15 + 17 + phase_w + prio_w + 2, rest = w - fixed;
	if (w >= 110) {
		rest -= 10;
		t.mask = 1;
	}
	if (w >= 130) {
		rest -= 7;
		t.loads = 1;
	}
	if (w >= POLICY_FROM_W) {
		rest -= policy_w + 2;
		t.policy = 1;
	}
	/* "%rd53: 2 transactions in flight" is to be whole */
	t.inst_w = MIN(MAX(rest * 5 / 9, rest - 33), 56);
	int x = t.inst + t.inst_w + 1;
	if (t.mask > 0) {
		t.mask = x;
		x += 10;
	}
	t.state = x;
	t.since = x + 16; /* "s refused" and six places */
	t.phase = t.since + phase_w;
	t.prio = t.phase + prio_w;
	x = t.prio;
	if (t.policy > 0) {
		t.policy = x + 2;
		x += policy_w + 2;
	}
	if (t.loads > 0)
		t.loads = x += 7;
	t.waits = x + 2;
	return t;
}

/* How many warps are below: beside the heads, as under them it would cover what the last warp waits for; where those
 * leave no room, beside a shorter one. */
static void table_more(struct pane p, const struct table *t, int more)
{
	char text[24];
	int w = snprintf(text, sizeof text, "+%d more", more);
	int end = t->waits < p.w ? t->waits + (int)strlen("waits for") : t->prio + 1;
	if (end + 1 + w < p.w) {
		pane_text(p, 0, p.w - 1 - w, STYLE(R_ACCENT), text);
		return;
	}
	struct pane inst = pane_sub(p, 0, t->inst, 1, t->inst_w);
	for (int x = 0; x < inst.w; x++)
		pane_glyph(inst, 0, x, STYLE(R_TEXT), ' ');
	pane_text(inst, 0, 0, STYLE(R_DIM), t->inst_w > w + 4 ? "inst" : "");
	pane_text(inst, 0, MAX(t->inst_w - w, 0), STYLE(R_ACCENT), text);
}

static void table_head(struct pane p, const struct table *t)
{
	const struct style s = STYLE(R_DIM);
	pane_right(p, 0, 3, s, "w");
	pane_right(p, 0, t->cta, s, "CTA");
	pane_right(p, 0, t->pc, s, "pc");
	pane_text(p, 0, t->inst, s, t->inst_w > 16 ? "next instruction" : "instruction");
	if (t->mask > 0)
		pane_text(p, 0, t->mask, s, "mask");
	pane_text(p, 0, t->state, s, "state");
	pane_right(p, 0, t->since, s, "since");
	pane_right(p, 0, t->phase, s, "phase");
	pane_right(p, 0, t->prio, s, "prio");
	if (t->policy > 0)
		pane_text(p, 0, t->policy, s, "policy");
	if (t->loads > 0)
		pane_right(p, 0, t->loads, s, "loads");
	pane_text(p, 0, t->waits, s, "waits for");
}

/* The instruction as the PTX file has it, without indentation, label and comment. */
static const char *source_text(const struct view_ctx *v, const struct warp_info *w, u32 *len)
{
	*len = 0;
	if (w->launch < 0 || w->pc == PC_DONE)
		return "";
	struct kernel_info k;
	gpu_kernel_info(v->g, (u32)w->launch, &k);
	const struct module *m = k.launch->mod;
	if (w->pc >= m->ncode)
		return "";
	const char *s = module_line(m, m->code[w->pc].line, len);
	while (*len && (*s == ' ' || *s == '\t')) {
		s++;
		(*len)--;
	}
	const char *end = memchr(s, ';', *len);
	if (end)
		*len = (u32)(end - s);
	return s;
}

/* One blank for each run of blanks: PTX files align operands with tabs. */
static void inst_cell(struct pane p, const char *s, u32 len)
{
	int x = 0;
	for (u32 i = 0; i < len;) {
		u32 n = 0;
		while (i + n < len && s[i + n] != ' ' && s[i + n] != '\t')
			n++;
		x = pane_textn(p, 0, x, STYLE(R_TEXT), s + i, n) + 1;
		for (i += n; i < len && (s[i] == ' ' || s[i] == '\t');)
			i++;
	}
	if (x - 1 > p.w && p.w > 0)
		pane_glyph(p, 0, p.w - 1, STYLE(R_DIM), p.c->ascii ? '~' : 0x2026);
}

/* What the policy says of the warp. */
static void policy_cell(const struct view_ctx *v, struct pane p, u32 warp, u32 scheduler)
{
	struct strbuf t = STRBUF_INIT;
	gpu_sched_text(v->g, v->d->focus.sm, scheduler, warp, &t);
	draw_cut(p, 0, 0, p.w, STYLE(R_TEXT), strbuf_str(&t));
	strbuf_release(&t);
}

/* Columns that the policy's words take for these warps. */
static int policy_width(const struct view_ctx *v, const u32 *warp, s32 n)
{
	size_t most = strlen("policy");
	for (s32 i = 0; i < n; i++) {
		struct strbuf t = STRBUF_INIT;
		struct warp_info w;
		gpu_warp_info(v->g, v->d->focus.sm, warp[i], &w);
		gpu_sched_text(v->g, v->d->focus.sm, w.scheduler, warp[i], &t);
		most = MAX(most, t.len);
		strbuf_release(&t);
	}
	return (int)MIN(most, (size_t)POLICY_W);
}

static void warp_row(struct view_ctx *v, struct pane p, int y, const struct table *t, u32 warp)
{
	struct warp_info w;
	char buf[NUM_MAX];
	gpu_warp_info(v->g, v->d->focus.sm, warp, &w);
	bool focus = warp == v->d->focus.warp;
	struct style st = warp_style(w.state, w.issued_last, w.refused);
	struct style num = STYLE(focus ? R_ACCENT : R_TEXT);
	pane_right(p, y, 3, num, "%u", warp);
	if (focus)
		legend_draw(p, y, 3, LG_FOCUS);
	pane_right(p, y, t->cta, STYLE(R_SER0 + w.cta_slot % R_NSERIES), "%llu", (unsigned long long)w.cta);
	if (w.pc != PC_DONE)
		pane_right(p, y, t->pc, STYLE(R_DIM), "%u", w.pc);
	u32 len;
	const char *s = source_text(v, &w, &len);
	const bool alone = t->tight && !*w.waits;
	inst_cell(pane_sub(p, y, t->inst, 1, alone ? MAX(p.w - t->inst, 0) : t->inst_w), s, len);
	if (t->mask > 0)
		pane_printf(p, y, t->mask, STYLE(w.active == UINT32_MAX ? R_FAINT : R_TEXT), "%08x", w.active);
	pane_glyph(p, y, t->state, st, warp_glyph(w.state, w.issued_last, w.refused));
	pane_text(pane_sub(p, y, t->state + 2, 1, 8), 0, 0, st,
	          w.issued_last ? "issued"
	          : w.refused   ? "refused"
	                        : warp_state_descs[w.state].name);
	u64 since = gpu_cycle(v->g) - w.since;
	pane_right(p, y, t->since, STYLE(R_TEXT), "%s",
	           since < (t->tight ? 10000 : 100000) ? grouped(since, buf) : fmt_short(buf, (double)since));
	if (w.phase >= 0)
		pane_right(p, y, t->phase, STYLE(R_DIM), "%d/%u", w.phase, w.phases);
	pane_right(p, y, t->prio, STYLE(R_DIM), "%lld", (long long)w.priority);
	if (t->policy > 0)
		policy_cell(v, pane_sub(p, y, t->policy, 1, t->policy_w), warp, w.scheduler);
	if (t->loads > 0)
		pane_right(p, y, t->loads, STYLE(w.pending_loads ? R_TEXT : R_FAINT), "%u", w.pending_loads);
	draw_words(p, y, t->waits, MAX(p.w - t->waits, 0), STYLE(R_DIM), w.waits);
}

static void warp_table(struct view_ctx *v, struct pane p)
{
	u32 shown[WARPS_MAX], n = 0, slots = MIN(gpu_warps_per_sm(v->g), (u32)WARPS_MAX);
	s32 focus_at = -1;
	u8 states[WARPS_MAX];
	u64 issued, refused;
	gpu_warp_states(v->g, v->d->focus.sm, states, &issued, &refused);
	for (u32 w = 0; w < slots; w++) {
		if (states[w] == WS_NONE)
			continue;
		if (w == v->d->focus.warp)
			focus_at = (s32)n;
		shown[n++] = w;
	}
	struct table t = table_layout(p.w, p.w >= POLICY_FROM_W ? policy_width(v, shown, (s32)n) : 0);
	table_head(p, &t);
	int rows = p.h - 1;
	if (v->st->follow && focus_at >= 0) {
		if (focus_at < v->st->top)
			v->st->top = focus_at;
		if (focus_at >= v->st->top + rows)
			v->st->top = focus_at - rows + 1;
	}
	view_clip(v->st, (s32)n, rows);
	for (int r = 0; r < rows && v->st->top + r < (s32)n; r++)
		warp_row(v, p, r + 1, &t, shown[v->st->top + r]);
	if (!n)
		pane_text(p, 1, 3, STYLE(R_DIM), "no warp is resident");
	if ((s32)n > v->st->top + rows)
		table_more(p, &t, (s32)n - v->st->top - rows);
}

/* --- storage and units --- */
struct owned {
	u32 first, size, slot;
	u64 cta;
};

/* Blocks with the numbers of their CTAs on a faint track; then use and the largest hole. */
static void storage_map(struct pane p, int y, const char *name, const char *unit, const struct owned *o, u32 n,
                        u32 used, u32 total)
{
	char a[NUM_MAX];
	int tail = 34, w = MAX(MIN(p.w - 12 - tail, 200), 8);
	pane_text(p, y, 1, STYLE(R_DIM), name);
	for (int i = 0; i < w; i++)
		pane_glyph(p, y, 11 + i, STYLE(R_FAINT), p.c->ascii ? '.' : 0x2591);
	u32 hole = 0, at = 0;
	for (u32 i = 0; i < n; i++) {
		char label[24];
		snprintf(label, sizeof label, "%llu", (unsigned long long)o[i].cta);
		draw_block(p, y, 11, w, STYLE(R_SER0 + o[i].slot % R_NSERIES), o[i].first, o[i].first + o[i].size, total,
		           label);
		hole = MAX(hole, o[i].first > at ? o[i].first - at : 0);
		at = MAX(at, o[i].first + o[i].size);
	}
	hole = MAX(hole, total > at ? total - at : 0);
	pane_right(p, y, 11 + w + 5, STYLE(R_TEXT), "%.0f%%", percent(used, total));
	pane_printf(p, y, 11 + w + 7, STYLE(R_DIM), "largest hole %s%s", grouped(hole, a), unit);
}

static u32 by_first(struct owned *o, u32 n)
{
	for (u32 i = 1; i < n; i++) {
		struct owned key = o[i];
		u32 j = i;
		for (; j > 0 && o[j - 1].first > key.first; j--)
			o[j] = o[j - 1];
		o[j] = key;
	}
	return n;
}

static void maps(struct view_ctx *v, struct pane p, const struct sm_info *i)
{
	struct owned reg[GPU_CTAS_MAX], shm[GPU_CTAS_MAX];
	u32 nr = 0, ns = 0, place[GPU_CTAS_MAX];
	const u32 n = gpu_ctas(v->g, v->d->focus.sm, place, GPU_CTAS_MAX);
	for (u32 k = 0; k < n; k++) {
		struct cta_info c;
		gpu_cta_info(v->g, v->d->focus.sm, place[k], &c);
		reg[nr++] = (struct owned){c.reg_first, c.reg_size, place[k], c.cta};
		if (c.shared_size)
			shm[ns++] = (struct owned){c.shared_first, c.shared_size, place[k], c.cta};
	}
	storage_map(p, 0, "registers", "", reg, by_first(reg, nr), i->regs_used, i->regs);
	storage_map(p, 1, "shared", " B", shm, by_first(shm, ns), i->shared_used, i->shared);
}

/* One line: every barrier at which somebody waits. */
static void barrier_line(struct view_ctx *v, struct pane p, int y)
{
	int x = pane_text(p, y, 1, STYLE(R_DIM), "barriers");
	x = 9;
	bool any = false;
	u32 place[GPU_CTAS_MAX];
	const u32 ctas = gpu_ctas(v->g, v->d->focus.sm, place, GPU_CTAS_MAX);
	for (u32 k = 0; k < ctas && x < p.w; k++) {
		struct barrier_info b[16];
		struct cta_info c;
		gpu_cta_info(v->g, v->d->focus.sm, place[k], &c);
		const u32 n = gpu_barriers(v->g, v->d->focus.sm, place[k], b, ARRAY_LEN(b));
		for (u32 i = 0; i < MIN(n, (u32)ARRAY_LEN(b)); i++) {
			if (!b[i].arrived)
				continue;
			any = true;
			x = pane_printf(p, y, x + 2, STYLE(R_SER0 + place[k] % R_NSERIES), "%llu", (unsigned long long)c.cta);
			x = pane_printf(p, y, x, STYLE(R_DIM), "#%u", b[i].id);
			x = pane_printf(p, y, x + 1, STYLE(R_BARRIER), "%u/%u", b[i].arrived, b[i].expected);
		}
	}
	if (!any)
		pane_text(p, y, 11, STYLE(R_FAINT), "· nobody waits");
}

/* --- CTAs (larger terminals) --- */
#define CTA_WARPS_X 67
#define CTA_WARPS_FROM_W 100 /* columns: the 32 warps of the largest CTA fit */

#define INACTIVE_SHOWN 8 /* CTAs without a slot */

/* A glyph a warp, as in the overview. */
static void cta_warps(struct view_ctx *v, struct pane p, u64 warps)
{
	u8 states[WARPS_MAX];
	u64 issued, refused;
	int x = 0;
	gpu_warp_states(v->g, v->d->focus.sm, states, &issued, &refused);
	FOR_EACH_BIT(w, warps)
	{
		bool now = issued >> w & 1, no = refused >> w & 1;
		pane_glyph(p, 0, x++, warp_style(states[w], now, no), warp_glyph(states[w], now, no));
	}
}

/* What a CTA without a slot waits for. */
static void slotless_cell(struct view_ctx *v, struct pane p, const struct cta_info *c)
{
	struct slotless_info s;
	gpu_slotless(v->g, v->d->focus.sm, c->slot, &s);
	if (c->is.state == CS_READY)
		pane_printf(p, 0, 0, STYLE(R_SLEEP), "ready for %llu cycles, %u before it",
		            (unsigned long long)(gpu_cycle(v->g) - c->is.since), s.before);
	else
		pane_printf(p, 0, 0, STYLE(R_TEXT), "waits for %u %s%s since cycle %llu", s.waits,
		            s.ending ? "store" : "result", plural(s.waits), (unsigned long long)c->is.since);
}

static void cta_row(struct view_ctx *v, struct pane p, int y, const struct cta_info *c, s32 slot)
{
	char a[NUM_MAX], b[NUM_MAX];
	struct kernel_info k;
	gpu_kernel_info(v->g, c->launch, &k);
	if (slot >= 0)
		pane_right(p, y, 5, STYLE(R_DIM), "%u", (u32)slot);
	else
		pane_text(p, y, 4, STYLE(R_DIM), "-"); /* inactive: it has none */
	pane_right(p, y, 11, slot >= 0 ? STYLE(R_SER0 + (u32)slot % R_NSERIES) : STYLE(R_DIM), "%llu",
	           (unsigned long long)c->cta);
	pane_text(pane_sub(p, y, 13, 1, 17), 0, 0, STYLE(R_TEXT), k.label);
	pane_right(p, y, 41, STYLE(R_TEXT), "%u/%u", (u32)__builtin_popcountll(c->warps_done),
	           (u32)__builtin_popcountll(c->warps));
	if (c->is.state == CS_RUNNING)
		pane_right(p, y, 52, STYLE(R_TEXT), "%s", grouped(gpu_cycle(v->g) - c->started_at, a));
	pane_right(p, y, 63, STYLE(R_DIM), "%s", grouped(c->insts, b));
	if (c->is.state != CS_RUNNING) /* instead of its age, which does not tell more then */
		pane_text(pane_sub(p, y, 43, 1, 10), 0, 0, STYLE(R_SLEEP), cta_state_descs[c->is.state].name);
	if (slot < 0 && p.w >= CTA_WARPS_FROM_W)
		slotless_cell(v, pane_sub(p, y, CTA_WARPS_X, 1, p.w - CTA_WARPS_X), c);
	if (slot >= 0 && p.w >= CTA_WARPS_FROM_W)
		cta_warps(v, pane_sub(p, y, CTA_WARPS_X, 1, p.w - CTA_WARPS_X), c->warps);
}

/* Those in slots, then the inactive ones. */
static void cta_table(struct view_ctx *v, struct pane p)
{
	u32 inactive[INACTIVE_SHOWN];
	const u32 more = MIN(gpu_inactive_ctas(v->g, v->d->focus.sm, inactive, INACTIVE_SHOWN), (u32)INACTIVE_SHOWN);
	pane_text(p, 0, 1, STYLE(R_DIM), "slot   CTA  kernel            warps done        age      insts");
	if (p.w >= CTA_WARPS_FROM_W)
		pane_text(p, 0, CTA_WARPS_X, STYLE(R_DIM), "its warps");
	int y = 1;
	const u32 slots = gpu_conf(v->g)->sm_ctas;
	for (u32 s = 0; s < slots + more && y < p.h; s++) {
		struct cta_info c;
		gpu_cta_info(v->g, v->d->focus.sm, s < slots ? s : inactive[s - slots], &c);
		if (c.used)
			cta_row(v, p, y++, &c, s < slots ? (s32)s : -1);
	}
}

#define OVER_TIME_ROWS 6 /* rows left over that are worth the history of the SM's issue slots */
#define OVER_TIME_MAX 20 /* higher ones say no more */

static void draw(struct view_ctx *v, struct pane p)
{
	struct sm_info i;
	gpu_sm_info(v->g, v->d->focus.sm, &i);
	heading(v, p, &i);
	if (p.w >= SM_SIDE_FROM_W && p.h >= 30) {
		struct pane side = pane_sub(p, 1, p.w - SM_SIDE_W - 1, p.h - 1, SM_SIDE_W);
		sm_side_draw(v, side, v->d->focus.sm);
		p = pane_sub(p, 0, 0, p.h, p.w - SM_SIDE_W - 4);
	}
	int scheds = p.h >= 16 ? sm_sched_rows(v, v->d->focus.sm, p.w) : 0;
	const int tensor = p.h >= 16 ? sm_tensor_rows(v, v->d->focus.sm) : 0;
	const int swaps = p.h >= 10 ? sm_swaps_rows(v, p.h) : 0;
	int bottom = p.h >= 10 ? 4 + scheds + tensor + swaps : 0,
	    ctas = p.h >= 40 && i.ctas ? (int)MIN(i.ctas, 16u) + 2 : 0;
	if (ctas)
		ctas += (int)MIN(i.inactive, (u32)INACTIVE_SHOWN);
	int room = p.h - 1 - bottom - ctas, warps = ((int)i.warps + 3) / 4 * 4; /* in steps: the rest does not jump */
	int table = room - warps - 2 >= OVER_TIME_ROWS || ctas ? MIN(room, warps + 2) : room;
	warp_table(v, pane_sub(p, 1, 0, table, p.w));
	if (ctas)
		cta_table(v, pane_sub(p, table + 1, 0, ctas - 1, p.w));
	if (!bottom)
		return;
	int spare = room - table;
	if (spare >= OVER_TIME_ROWS)
		stalls_over_time(v, pane_sub(p, table + ctas + 1, 0, MIN(spare - 1, OVER_TIME_MAX), p.w), (s32)v->d->focus.sm,
		                 "this SM's issue slots over the run");
	if (scheds)
		sm_sched_draw(v, pane_sub(p, p.h - bottom, 0, scheds, p.w), v->d->focus.sm);
	if (tensor)
		sm_tensor_draw(v, pane_sub(p, p.h - bottom + scheds, 0, 1, p.w), v->d->focus.sm);
	sm_swaps_draw(v, pane_sub(p, p.h - 4 - swaps, 0, swaps, p.w));
	maps(v, pane_sub(p, p.h - 4, 0, 2, p.w), &i);
	barrier_line(v, p, p.h - 2);
	sm_units_draw(v, pane_sub(p, p.h - 1, 0, 1, p.w), &i);
}

/* The next resident warp in a direction, or the next SM. */
static void move_warp(struct view_ctx *v, int step)
{
	s32 n = (s32)gpu_warps_per_sm(v->g), w = (s32)v->d->focus.warp;
	struct err e = {0};
	for (s32 k = 0; k < n; k++) {
		struct warp_info info;
		w = (w + step + n) % n;
		gpu_warp_info(v->g, v->d->focus.sm, (u32)w, &info);
		if (info.state != WS_NONE)
			break;
	}
	debugger_focus(v->d, v->d->focus.sm, (u32)w, &e);
	v->st->follow = true;
}

static bool on_key(struct view_ctx *v, int key)
{
	struct err e = {0};
	u32 n = gpu_conf(v->g)->num_sms;
	switch (key) {
	case K_LEFT:
	case K_RIGHT:
		debugger_focus(v->d, (v->d->focus.sm + (key == K_LEFT ? n - 1 : 1)) % n, v->d->focus.warp, &e);
		return true;
	case K_UP:
	case 'k': move_warp(v, -1); return true;
	case K_DOWN:
	case 'j': move_warp(v, 1); return true;
	default: return view_scroll(v->st, key);
	}
}

const struct view view_sm = {
    .key = '2',
    .name = "sm",
    .title = "SM",
    .shows = "one SM: warps, CTAs, units, loads, swaps",
    .keys = "up, down warp  left, right SM  Enter its source",
    .enter = '8',
    .help =
        "The focused SM. since: cycles in the present state. phase: number of the next instruction's phase, "
        "and the number of the function's phases (info phases). prio: the rank that the scheduler gives the "
        "warp now (0 = first). policy, scheds: the warp scheduler's state of a warp and as a whole. tensor: for each "
        "sub-core whether its tensor unit is taken, and its share of the run (info mma). all wait: "
        "nothing can happen here before a reply or a timer. registers, shared: contiguous blocks with the "
        "numbers of their CTAs; the largest hole is in 32-bit registers and in bytes (B). swap: with virtual threads, who leaves "
        "and who comes, until when, or did so last; no slot: the CTAs that wait without a slot, and for what (info "
        "swaps, why cta N). its warps: a letter "
        "for each warp, as in the overview. If there is room: the SM's issue slots over the run, as in the "
        "stalls view.\n"
        "If the view is narrow, the last line is shorter: LSU w12 3+2 means 3 transactions of warp 12 left, 2 "
        "instructions queued; no merge, no queue: its MSHR's merge list or the miss queue is full; SP 1/4: 1 "
        "of 4 units is busy. Left and right choose the SM, up and down the warp.",
    .draw = draw,
    .on_key = on_key,
};
