/* Memory: interconnect, L2 slices, DRAM channels and their banks. */
#include <stdio.h>

#include "scr/draw.h"
#include "views/chart.h"
#include "views/view.h"

#define BANKS_MAX 64

static void noc_line(struct view_ctx *v, struct pane p, int y)
{
	char a[NUM_MAX], b[NUM_MAX];
	const struct noc_counters *n = (const struct noc_counters *)gpu_counters(v->g, CG_noc, 0);
	int x = pane_text(p, y, 1, STYLE_BOLD(R_TEXT), "Interconnect");
	x = pane_printf(p, y, x + 2, STYLE(R_TEXT), "%s requests", fmt_short(a, (double)n->requests));
	x = pane_printf(p, y, x, STYLE(R_DIM), " wait %.1f",
	                n->requests ? (double)n->request_wait / (double)n->requests : 0.0);
	x = pane_printf(p, y, x + 3, STYLE(R_TEXT), "%s replies", fmt_short(b, (double)n->replies));
	pane_printf(p, y, x, STYLE(R_DIM), " wait %.1f%s", n->replies ? (double)n->reply_wait / (double)n->replies : 0.0,
	            p.w >= 100 ? " cycles beyond zero load" : " cycles");
}

/* A digit of queued requests for every bank with an open row; a point for closed and idle ones. */
static void bank_cells(struct view_ctx *v, struct pane p, int y, int x, u32 channel)
{
	struct bank_info b[BANKS_MAX];
	u32 n = MIN(mem_banks(gpu_mem(v->g), channel, b, BANKS_MAX), (u32)BANKS_MAX);
	for (u32 i = 0; i < n; i++) {
		u32 glyph = b[i].queued ? (b[i].queued > 9 ? '+' : '0' + b[i].queued) : b[i].row >= 0 ? 0x25a0 : 0xb7;
		pane_glyph(p, y, x + (int)i, STYLE(b[i].queued ? R_MEM : b[i].row >= 0 ? R_FILL4 : R_FAINT), glyph);
	}
}

static void channel_row(struct view_ctx *v, struct pane p, int y, u32 ch, double cycles)
{
	char buf[NUM_MAX];
	const struct conf *c = gpu_conf(v->g);
	const struct dram_counters *d = (const struct dram_counters *)gpu_counters(v->g, CG_dram, ch);
	double dram_cycles = cycles * c->dram_clock / c->core_clock;
	u64 bursts = d->row_hits + d->row_misses;
	int w = MAX(p.w - 64, 0);
	pane_right(p, y, 4, STYLE(R_DIM), "%u", ch);
	pane_right(p, y, 10, STYLE(R_TEXT), "%.0f%%", percent((double)d->busy, dram_cycles));
	pane_right(p, y, 17, STYLE(R_TEXT), bursts ? "%.0f%%" : "-", percent((double)d->row_hits, (double)bursts));
	pane_right(p, y, 25, STYLE(R_TEXT), "%s", fmt_short(buf, (double)d->reads));
	pane_right(p, y, 33, STYLE(R_TEXT), "%s", fmt_short(buf, (double)d->writes));
	pane_right(p, y, 42, STYLE(R_TEXT), d->requests ? "%.0f" : "-",
	           d->requests ? (double)d->queue_cycles / (double)d->requests : 0.0);
	bank_cells(v, p, y, 44, ch);
	draw_meter(p, y, 62, w, STYLE(R_MEM), dram_cycles > 0 ? (double)d->busy / dram_cycles : 0);
}

/* All channels together, over the run: bytes moved in the simulated time, of the most that the buses can move. */
static void bandwidth(struct view_ctx *v, struct pane p, int x)
{
	const struct conf *c = gpu_conf(v->g);
	double cycles = (double)gpu_cycle(v->g), per_cycle = (double)c->core_clock / 1e3; /* bytes a cycle -> GB/s */
	u64 bytes = 0;
	for (u32 i = 0; i < gpu_num_channels(v->g); i++)
		bytes += ((const struct dram_counters *)gpu_counters(v->g, CG_dram, i))->bytes;
	x = pane_printf(p, 0, x, STYLE(R_MEM), "%.1f", cycles > 0 ? (double)bytes / cycles * per_cycle : 0.0);
	pane_printf(p, 0, x, STYLE(R_DIM), " of %.0f GB/s", dram_peak_bytes(c) * per_cycle);
}

static int channels(struct view_ctx *v, struct pane p)
{
	u32 n = gpu_num_channels(v->g);
	const struct style s = STYLE(R_DIM);
	pane_text(p, 0, 1, STYLE_BOLD(R_TEXT), "DRAM");
	pane_right(p, 0, 10, s, "busy");
	pane_right(p, 0, 17, s, "rowhit");
	pane_right(p, 0, 25, s, "reads");
	pane_right(p, 0, 33, s, "writes");
	pane_right(p, 0, 42, s, "latency");
	pane_text(p, 0, 44, s, "banks");
	bandwidth(v, p, 62);
	for (u32 i = 0; i < n && (int)i + 1 < p.h; i++)
		channel_row(v, p, (int)i + 1, i, (double)gpu_cycle(v->g));
	return MIN((int)n + 1, p.h);
}

static int slices(struct view_ctx *v, struct pane p)
{
	u32 n = gpu_num_l2(v->g);
	int cols = MAX(p.w / 40, 1), rows = ((int)n + cols - 1) / cols;
	cols = MAX(((int)n + rows - 1) / MAX(rows, 1), 1); /* those that are filled */
	int w = p.w / cols;
	pane_text(p, 0, 1, STYLE_BOLD(R_TEXT), "L2 slices");
	pane_text(p, 0, 12, STYLE(R_DIM), "hit rate, accesses");
	for (int i = 0; i < (int)n; i++) {
		char buf[NUM_MAX];
		const struct cache_counters *c = (const struct cache_counters *)gpu_counters(v->g, CG_l2, (u32)i);
		u64 lookups = c->hits + c->misses + c->merges;
		struct pane q = pane_sub(p, 1 + i % rows, i / rows * w, 1, w);
		double hit = lookups ? (double)c->hits / (double)lookups : 0;
		pane_right(q, 0, 4, STYLE(R_DIM), "%d", i);
		draw_meter(q, 0, 5, MAX(w - 22, 4), STYLE(R_SER3), hit);
		pane_right(q, 0, w - 11, STYLE(R_TEXT), lookups ? "%.0f%%" : "-", 100 * hit);
		pane_right(q, 0, w - 3, STYLE(R_DIM), "%s", fmt_short(buf, (double)c->accesses));
	}
	return rows + 1;
}

static void draw(struct view_ctx *v, struct pane p)
{
	static const struct chart charts[] = {{"DRAM", TS_DRAM_BW, R_FILL2, 1, "%"},
	                                      {"L2 hit", TS_L2_HIT, R_FILL3, 1, "%"},
	                                      {"L1D hit", TS_L1D_HIT, R_FILL1, 1, "%"}};
	noc_line(v, p, 0);
	bool roomy = p.h >= (int)gpu_num_channels(v->g) + (int)gpu_num_l2(v->g) / 2 + 12;
	int y = 1 + roomy;
	y += channels(v, pane_sub(p, y, 0, p.h - y, p.w)) + roomy;
	y += slices(v, pane_sub(p, y, 0, p.h - y, p.w)) + roomy;
	int room = p.h - y;
	if (room < 1)
		return;
	int n = room >= 36 ? 3 : room >= 5 ? 2 : 1, each = MAX(MIN((room - 1) / n, 16), 1);
	for (int i = 0; i < n; i++, y += each)
		chart_draw(v, pane_sub(p, y + (each > 2), 0, each - (each > 2), p.w), &charts[i], -1, 14);
	chart_axis(v, p, y, 14);
}

const struct view view_memory = {
    .key = '6',
    .name = "mem",
    .title = "memory",
    .keys = "c cursor  + - zoom",
    .help = "Sums since the start. wait: mean cycles of a packet beyond zero load and its own length. busy: share of "
            "DRAM cycles with data on the bus; beside the banks as a line, and of all channels in GB/s. rowhit: "
            "accesses to the open row. latency: core\n"
            "cycles from a request's arrival at its channel to its data. banks: requests queued (+ = over 9), ■ row "
            "open, · closed.",
    .draw = draw,
};
