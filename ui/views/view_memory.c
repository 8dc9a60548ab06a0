/* Memory: interconnect, L2 slices, DRAM channels and their banks. */
#include <stdio.h>

#include "scr/draw.h"
#include "views/chart.h"
#include "views/legend.h"
#include "views/network.h"
#include "views/view.h"

#define BANKS_MAX 64
#define SLICES_MAX 512

/* One direction of the interconnect: packets, on wide terminals its load, and what a packet waits. */
static int noc_way(struct pane p, int x, const char *name, u64 packets, u64 flits, u64 wait, u64 cycles)
{
	char a[NUM_MAX];
	x = pane_printf(p, 0, x, STYLE(R_TEXT), "%s %s", fmt_short(a, (double)packets), name);
	if (p.w >= 120)
		x = pane_printf(p, 0, x, STYLE(R_DIM), ", %.2f flits a cycle,", cycles ? (double)flits / (double)cycles : 0.0);
	return pane_printf(p, 0, x, STYLE(R_DIM), " wait %.1f", packets ? (double)wait / (double)packets : 0.0);
}

static int noc_line(struct view_ctx *v, struct pane p)
{
	const struct noc_counters *n = (const struct noc_counters *)gpu_counters(v->g, CG_noc, 0);
	u64 counted = gpu_counted_cycles(v->g);
	int x = pane_text(p, 0, 1, STYLE_BOLD(R_TEXT), "Interconnect");
	x = noc_way(p, x + 2, "requests", n->requests, n->request_flits, n->request_wait, counted);
	x = noc_way(p, x + 3, "replies", n->replies, n->reply_flits, n->reply_wait, counted);
	return pane_text(p, 0, x, STYLE(R_DIM), p.w >= 140 ? " cycles beyond zero load" : " cycles");
}

/* A digit of queued requests for every bank with an open row; a point for closed and idle ones. */
static void bank_cells(struct view_ctx *v, struct pane p, int y, int x, u32 channel)
{
	struct bank_info b[BANKS_MAX];
	u32 n = MIN(mem_banks(gpu_mem(v->g), channel, b, BANKS_MAX), (u32)BANKS_MAX);
	for (u32 i = 0; i < n; i++) {
		u32 glyph =
		    b[i].queued ? (b[i].queued > 9 ? '+' : '0' + b[i].queued) : legend[b[i].row >= 0 ? LG_IN_USE : LG_EMPTY].ch;
		pane_glyph(p, y, x + (int)i, STYLE(b[i].queued ? R_MEM : b[i].row >= 0 ? R_FILL4 : R_FAINT), glyph);
	}
}

/* Columns of a channel's row: right ends, the banks' first; brief ones go without what the totals above tell. */
struct channel_columns {
	int busy, hit, reads, writes, latency, banks, meter, meter_w; /* -1 = not shown; meter_w 0 = none */
	int w, rows, across;                                          /* of one, and how they are laid out */
};

/* One below the other as long as they fit, wide terminals several side by side; where they do not fit, brief. */
static struct channel_columns channel_columns(int channels, int banks, int w, int h)
{
	struct channel_columns c = {10, 17, 25, 33, 42, .banks = 44, .meter = 46 + banks};
	int full = MAX(w / (c.meter + 16), 1);
	c.rows = (channels + full - 1) / full;
	if (c.rows > MIN(h, (h + 4) / 2)) { /* the L2 is worth as much */
		c = (struct channel_columns){9, 14, -1, -1, 20, .banks = 22, .meter = 24 + banks};
		full = MAX(w / c.meter, 1);
		c.rows = (channels + full - 1) / full;
	}
	c.across = (channels + c.rows - 1) / c.rows;
	c.w = w / c.across;
	c.meter_w = MAX(c.w - c.meter - 2, 0);
	return c;
}

static void channel_row(struct view_ctx *v, struct pane p, u32 ch, const struct channel_columns *k)
{
	char buf[NUM_MAX];
	const struct conf *c = gpu_conf(v->g);
	const struct dram_counters *d = (const struct dram_counters *)gpu_counters(v->g, CG_dram, ch);
	double dram_cycles = (double)gpu_counted_cycles(v->g) * c->dram_clock / c->core_clock;
	u64 bursts = d->row_hits + d->row_misses;
	pane_right(p, 0, 4, STYLE(R_DIM), "%u", ch);
	pane_right(p, 0, k->busy, STYLE(R_TEXT), "%.0f%%", percent((double)d->busy, dram_cycles));
	pane_right(p, 0, k->hit, STYLE(R_TEXT), bursts ? "%.0f%%" : "-", percent((double)d->row_hits, (double)bursts));
	if (k->reads > 0)
		pane_right(p, 0, k->reads, STYLE(R_TEXT), "%s", fmt_short(buf, (double)d->reads));
	if (k->writes > 0)
		pane_right(p, 0, k->writes, STYLE(R_TEXT), "%s", fmt_short(buf, (double)d->writes));
	pane_right(p, 0, k->latency, STYLE(R_TEXT), d->requests ? "%.0f" : "-",
	           d->requests ? (double)d->queue_cycles / (double)d->requests : 0.0);
	bank_cells(v, p, 0, k->banks, ch);
	if (k->meter_w >= 6)
		draw_meter(p, 0, k->meter, k->meter_w, STYLE(R_MEM), dram_cycles > 0 ? (double)d->busy / dram_cycles : 0);
}

static void channel_head(struct pane p, const struct channel_columns *k)
{
	const struct style s = STYLE(R_DIM);
	const struct {
		int at;
		const char *name;
	} right[] = {{4, "ch"},           {k->busy, "busy"},     {k->hit, k->reads > 0 ? "rowhit" : "hit"},
	             {k->reads, "reads"}, {k->writes, "writes"}, {k->latency, k->reads > 0 ? "latency" : "lat"}};
	for (u32 i = 0; i < ARRAY_LEN(right); i++)
		if (right[i].at > 0)
			pane_right(p, 0, right[i].at, s, "%s", right[i].name);
	pane_text(p, 0, k->banks, s, "banks");
}

/* All channels together, over the run: bytes moved in the simulated time, of the most that the buses can move. */
static void dram_line(struct view_ctx *v, struct pane p)
{
	char a[NUM_MAX], b[NUM_MAX];
	const struct conf *c = gpu_conf(v->g);
	double cycles = (double)gpu_counted_cycles(v->g),
	       per_cycle = (double)c->core_clock / 1e3; /* bytes a cycle -> GB/s */
	struct dram_counters sum = {0};
	for (u32 i = 0; i < gpu_num_channels(v->g); i++) {
		const struct dram_counters *d = (const struct dram_counters *)gpu_counters(v->g, CG_dram, i);
		sum.bytes += d->bytes;
		sum.row_hits += d->row_hits;
		sum.row_misses += d->row_misses;
		sum.reads += d->reads;
		sum.writes += d->writes;
		sum.requests += d->requests;
		sum.queue_cycles += d->queue_cycles;
	}
	u64 bursts = sum.row_hits + sum.row_misses;
	int x = pane_text(p, 0, 1, STYLE_BOLD(R_TEXT), "DRAM");
	x = pane_printf(p, 0, x + 2, STYLE(R_MEM), "%.1f", cycles > 0 ? (double)sum.bytes / cycles * per_cycle : 0.0);
	x = pane_printf(p, 0, x, STYLE(R_DIM), " of %.0f GB/s", dram_peak_bytes(c) * per_cycle);
	x = pane_printf(p, 0, x + 2, STYLE(R_TEXT), "%s", fmt_short(a, (double)sum.reads));
	x = pane_text(p, 0, x, STYLE(R_DIM), " reads");
	x = pane_printf(p, 0, x + 2, STYLE(R_TEXT), "%s", fmt_short(b, (double)sum.writes));
	x = pane_text(p, 0, x, STYLE(R_DIM), " writes");
	if (bursts) {
		x = pane_text(p, 0, x + 2, STYLE(R_DIM), "row hits ");
		x = pane_printf(p, 0, x, STYLE(R_TEXT), "%.0f%%", percent((double)sum.row_hits, (double)bursts));
	}
	if (sum.requests) {
		x = pane_text(p, 0, x + 2, STYLE(R_DIM), "latency ");
		pane_printf(p, 0, x, STYLE(R_TEXT), "%.0f", (double)sum.queue_cycles / (double)sum.requests);
	}
}

/* h: rows that the channels may have. */
static int channels(struct view_ctx *v, struct pane p, int h)
{
	struct bank_info b[BANKS_MAX];
	int n = (int)gpu_num_channels(v->g);
	u32 banks = n ? MIN(mem_banks(gpu_mem(v->g), 0, b, BANKS_MAX), (u32)BANKS_MAX) : 0;
	struct channel_columns k = channel_columns(MAX(n, 1), (int)banks, p.w, h);
	dram_line(v, p);
	for (int i = 0; i < k.across; i++)
		channel_head(pane_sub(p, 1, i * k.w, 1, k.w), &k);
	for (int i = 0; i < n; i++)
		channel_row(v, pane_sub(p, 2 + i % k.rows, i / k.rows * k.w, 1, k.w), (u32)i, &k);
	return MIN(k.rows + 2, p.h);
}

static double slice_hits(const struct view_ctx *v, u32 slice, u64 *accesses, u64 *hits, u64 *lookups)
{
	const struct cache_counters *c = (const struct cache_counters *)gpu_counters(v->g, CG_l2, slice);
	u64 all = c->hits + c->misses + c->merges;
	*accesses += c->accesses;
	*hits += c->hits;
	*lookups += all;
	return all ? (double)c->hits / (double)all : 0;
}

/* All slices on one row: a column each, as high as its hit rate; behind the whole L2's. */
static int slice_strip(struct view_ctx *v, struct pane p)
{
	char a[NUM_MAX];
	float hit[SLICES_MAX];
	u64 accesses = 0, hits = 0, lookups = 0;
	int n = (int)MIN(gpu_num_l2(v->g), (u32)SLICES_MAX);
	for (int i = 0; i < n; i++)
		hit[i] = (float)slice_hits(v, (u32)i, &accesses, &hits, &lookups);
	int x = pane_text(p, 0, 1, STYLE_BOLD(R_TEXT), "L2");
	pane_right(p, 0, x + 5, STYLE(R_TEXT), lookups ? "%.0f%%" : "-", percent((double)hits, (double)lookups));
	x += 6;
	if (p.w - x - n > 40)
		x = pane_printf(p, 0, x, STYLE(R_DIM), "of %s accesses hit; by slice", fmt_short(a, (double)accesses)) + 1;
	draw_spark(p, 0, x, MIN(n, p.w - x - 1), STYLE(R_FILL3), hit, n, 1);
	return 1;
}

/* h: rows that the slices may have. */
static int slices(struct view_ctx *v, struct pane p, int h)
{
	int n = (int)gpu_num_l2(v->g), cols = MAX(p.w / 40, 1), rows = (n + cols - 1) / cols;
	if (rows + 1 > h)
		return slice_strip(v, p);
	cols = MAX((n + rows - 1) / MAX(rows, 1), 1); /* those that are filled */
	int w = p.w / cols;
	pane_text(p, 0, 1, STYLE_BOLD(R_TEXT), "L2 slices");
	pane_text(p, 0, 12, STYLE(R_DIM), "hit rate, accesses");
	for (int i = 0; i < n; i++) {
		char buf[NUM_MAX];
		u64 accesses = 0, hits = 0, lookups = 0;
		double hit = slice_hits(v, (u32)i, &accesses, &hits, &lookups);
		struct pane q = pane_sub(p, 1 + i % rows, i / rows * w, 1, w);
		pane_right(q, 0, 4, STYLE(R_DIM), "%d", i);
		draw_meter(q, 0, 5, MAX(w - 22, 4), STYLE(R_FILL3), hit);
		pane_right(q, 0, w - 11, STYLE(R_TEXT), lookups ? "%.0f%%" : "-", 100 * hit);
		pane_right(q, 0, w - 3, STYLE(R_DIM), "%s", fmt_short(buf, (double)accesses));
	}
	return rows + 1;
}

#define NETWORK 1 /* of st->mode: the interconnect alone */

static void draw(struct view_ctx *v, struct pane p)
{
	static const struct chart charts[] = {{"latency", TS_DRAM_LATENCY, R_FILL2, 0, "n"}, /* what no other view has */
	                                      {"row hit", TS_DRAM_ROW_HIT, R_FILL4, 1, "%"},
	                                      {"replies", TS_REPLY_FLITS, R_FILL3, 0, ""}};
	int x = noc_line(v, p);
	if (v->st->mode == NETWORK) {
		network_draw(v, pane_sub(p, 1, 0, p.h - 1, p.w));
		return;
	}
	bool roomy = p.h >= (int)gpu_num_channels(v->g) + (int)gpu_num_l2(v->g) / 2 + 12 || p.h >= 32;
	int y = 1 + roomy;
	y += channels(v, pane_sub(p, y, 0, p.h - y, p.w), p.h - y - 3) + roomy; /* beside two rows and the strip of L2 */
	if (y >= p.h)                                                           /* a small terminal, many channels */
		slice_strip(v, pane_sub(p, 0, x + 1, 1, p.w - x - 1));
	else
		y += slices(v, pane_sub(p, y, 0, p.h - y, p.w), p.h - y - (p.h >= 24 ? 6 : 0)) + roomy;
	int room = p.h - y;
	if (room < 1)
		return;
	int n = room >= 36 ? 3 : room >= 5 ? 2 : 1, each = MAX(MIN((room - 1) / n, 16), 1);
	for (int i = 0; i < n; i++, y += each)
		chart_draw(v, pane_sub(p, y + (each > 2), 0, each - (each > 2), p.w), &charts[i], -1, 14);
	chart_axis(v, p, y, 14);
}

static bool on_key(struct view_ctx *v, int key)
{
	if (key == 'i') {
		v->st->mode = v->st->mode == NETWORK ? 0 : NETWORK;
		return true;
	}
	return v->st->mode == NETWORK && network_key(v, key);
}

static void on_click(struct view_ctx *v, s32 row, s32 x)
{
	if (v->st->mode == NETWORK)
		network_click(v, row, x);
}

const struct view view_memory = {
    .key = '6',
    .name = "mem",
    .title = "memory",
    .shows = "network, ports, DRAM banks",
    .keys = "i interconnect  c cursor  + - zoom",
    .help =
        "All figures are sums since the start. wait: mean cycles of a packet beyond zero load and its own "
        "length; flits a cycle: on all links of that direction. DRAM: all channels together, then each "
        "channel. busy: share of DRAM cycles with data on the bus, also as a line. rowhit (hit): accesses to "
        "the open row. latency (lat): core cycles from a request's arrival at its channel to its data. banks: "
        "requests queued (+ = over 9), ■ row open, · closed. The curves show latency and row hits of the "
        "DRAM, and flits a cycle of replies. If there is no room for the slices of the L2, each is one "
        "column, as high as its hit rate.\n"
        "i: the interconnect instead. Of a mesh it shows every node with its SM and L2 slice, how busy the "
        "ways into both are (columns), and for every link the percentage of interconnect cycles in which a "
        "flit took it, in the last " RECENT_TEXT " cycles (u: since the start). As on a road, traffic keeps right: the "
        "lower lane goes east, the left one south. Arrows (or a click) choose a node, whose figures stand "
        "below; o shows ways from it to the node chosen next (double lines), their length and latency. If "
        "there is less room, there is one number for both directions of a link, the heavier one; or for each "
        "node only its busiest way out. Of a crossbar it shows the queues at its ends: how full those of each "
        "kind are, and each of them.",
    .draw = draw,
    .on_key = on_key,
    .on_click = on_click,
};
