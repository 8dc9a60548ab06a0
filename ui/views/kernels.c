/* Kernels: every launch on the time axis of the run, with its occupancy and rates. */
#include <stdio.h>

#include "scr/draw.h"
#include "views/view.h"

struct kernel_columns {
	int name_w, gantt, gantt_w, end;
};

static struct kernel_columns layout(int w)
{
	struct kernel_columns c = {.name_w = w >= 120 ? 20 : 12};
	int right = w >= 120 ? 62 : w >= 70 ? 34 : 0;
	c.gantt = 6 + c.name_w;
	c.gantt_w = MAX(w - c.gantt - right - 2, 4);
	c.end = c.gantt + c.gantt_w;
	return c;
}

static void head(struct view_ctx *v, struct pane p, const struct kernel_columns *c)
{
	char buf[NUM_MAX];
	const struct style s = STYLE(R_DIM);
	pane_text(p, 0, 1, STYLE_BOLD(R_TEXT), "Kernels");
	pane_text(p, 0, c->gantt, s, "0");
	pane_right(p, 0, c->end, s, "%s", fmt_thousands(buf, gpu_cycle(v->g)));
	for (int i = c->gantt + 2; i < c->end - utf8_width(buf) - 1; i++)
		pane_glyph(p, 0, i, STYLE(R_FAINT), 0x2500);
	static const char *const names[] = {"cycles", "IPC", "CTAs/SM", "limit          ", "insts", "done %"};
	int x = c->end + 10;
	for (u32 i = 0; i < 3; i++, x += 8)
		pane_right(p, 0, x, s, "%s", names[i]);
	pane_text(p, 0, x - 6, s, names[3]);
	pane_right(p, 0, x + 18, s, "%s", names[4]);
	pane_right(p, 0, x + 26, s, "%s", names[5]);
}

static void gantt(struct pane p, int y, const struct kernel_columns *c, const struct kernel_info *k, u64 now)
{
	struct style s = STYLE(R_SER0 + k->launch->id % R_NSERIES);
	const struct kernel_counters *n = k->counters;
	double scale = now ? (double)c->gantt_w / (double)now : 0;
	int launched = (int)((double)n->launched_at * scale);
	int from = k->state == KS_QUEUED ? c->gantt_w : (int)((double)n->started_at * scale);
	int to = (int)((double)(k->state == KS_DONE ? n->ended_at : now) * scale + 0.5);
	for (int i = launched; i < MIN(from, c->gantt_w); i++)
		pane_glyph(p, y, c->gantt + i, STYLE(R_FAINT), p.c->ascii ? '.' : 0x2591); /* queued */
	u32 letter = p.c->ascii || p.c->mono ? 'A' + k->launch->id % 26 : 0x2588;
	for (int i = from; i < MIN(MAX(to, from + 1), c->gantt_w); i++)
		pane_glyph(p, y, c->gantt + i, s, letter);
}

static void kernel_row(struct view_ctx *v, struct pane p, int y, u32 id, const struct kernel_columns *c)
{
	char a[NUM_MAX];
	struct kernel_info k;
	gpu_kernel_info(v->g, id, &k);
	u64 now = gpu_cycle(v->g), cycles = 0;
	if (k.state != KS_QUEUED)
		cycles = (k.state == KS_DONE ? k.counters->ended_at : now) - k.counters->started_at;
	bool focus = (s32)id == v->d->focus.kernel;
	pane_right(p, y, 5, focus ? STYLE(R_ACCENT) : STYLE(R_SER0 + id % R_NSERIES), "K%u", id);
	pane_text(pane_sub(p, y, 6, 1, c->name_w - 1), 0, 0, STYLE(R_TEXT), k.name);
	gantt(p, y, c, &k, now);
	int x = c->end + 10;
	pane_right(p, y, x, STYLE(R_TEXT), "%s", k.state == KS_QUEUED ? "queued" : fmt_thousands(a, cycles));
	pane_right(p, y, x += 8, STYLE(R_TEXT), "%.2f", cycles ? (double)k.counters->warp_insts / (double)cycles : 0.0);
	pane_right(p, y, x += 8, STYLE(R_TEXT), "%u", k.ctas_per_sm);
	pane_text(pane_sub(p, y, x + 2, 1, 15), 0, 0, STYLE(R_DIM), k.limiter);
	pane_right(p, y, x + 26, STYLE(R_TEXT), "%s", fmt_short(a, (double)k.counters->warp_insts));
	pane_right(p, y, x + 34, STYLE(R_TEXT), "%.1f", percent((double)k.counters->ctas_done, (double)k.launch->ctas));
}

/* Who is on which SM now: a letter a CTA slot. */
static void residents(struct view_ctx *v, struct pane p)
{
	const struct conf *c = gpu_conf(v->g);
	int slots = (int)c->sm_ctas + 6, cols = MAX((p.w - 1) / slots, 1), rows = p.h - 1;
	if (rows < 1)
		return;
	pane_text(p, 0, 1, STYLE(R_DIM), "on the SMs now: a letter a CTA slot (A = K0, B = K1, ...)");
	for (u32 sm = 0; sm < c->num_sms; sm++) {
		int y = 1 + (int)sm / cols, x = 1 + (int)sm % cols * slots;
		if (y >= p.h)
			return;
		pane_right(p, y, x + 3, STYLE(R_DIM), "%u", sm);
		for (u32 s = 0; s < c->sm_ctas; s++) {
			struct cta_info i;
			gpu_cta_info(v->g, sm, s, &i);
			pane_glyph(p, y, x + 4 + (int)s, STYLE(i.used ? R_SER0 + i.launch % R_NSERIES : R_FAINT),
			           i.used ? 'A' + i.launch % 26 : 0xb7);
		}
	}
}

static void draw(struct view_ctx *v, struct pane p)
{
	u32 n = gpu_num_kernels(v->g);
	struct kernel_columns c = layout(p.w);
	int per_line = MAX((p.w - 1) / ((int)gpu_conf(v->g)->sm_ctas + 6), 1);
	int bottom = ((int)gpu_conf(v->g)->num_sms + per_line - 1) / per_line + 1;
	bottom = p.h >= bottom + 6 ? bottom : 0;
	int rows = p.h - 1 - (bottom ? bottom + 1 : 0);
	head(v, p, &c);
	view_clip(v->st, (s32)n, rows);
	for (int r = 0; r < rows && v->st->top + r < (s32)n; r++)
		kernel_row(v, p, r + 1, (u32)(v->st->top + r), &c);
	if (!n)
		pane_text(p, 2, 3, STYLE(R_DIM), "nothing launched yet");
	int y = MIN(MAX((int)n, 3) + 2, p.h - bottom);
	if (bottom)
		residents(v, pane_sub(p, y, 0, bottom, p.w));
}

static bool on_key(struct view_ctx *v, int key)
{
	return view_scroll(v->st, key);
}

const struct view view_kernels = {
    .key = '7',
    .name = "kernel",
    .title = "kernels",
    .keys = "",
    .help = "Each launch from its launch (faint: queued) over its first CTA's dispatch to its end. IPC: its warp "
            "instructions per cycle\n"
            "between the two. CTAs/SM: the most one SM can hold, and what limits it.",
    .draw = draw,
    .on_key = on_key,
};
