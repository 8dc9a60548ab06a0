/* The curves over time, of one run, or of two over one another. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/words.h"
#include "commands/report/page.h"

/* The pictures, in their order: a series of samples each. */
static const struct {
	const char *id, *title, *unit;
	enum series series;
	const char *mean; /* the figure of the whole part; NULL: the mean of the warps below */
	bool share;
} curves[] = {
    {"ipc", "IPC", "warp instructions per cycle", TS_IPC, "ipc", false},
    {"warps", "Occupancy", "resident warps of those that fit", TS_WARPS, NULL, true},
    {"l1d", "L1D hit rate", "", TS_L1D_HIT, "l1d.hit_rate", true},
    {"l2", "L2 hit rate", "", TS_L2_HIT, "l2.hit_rate", true},
    {"bandwidth", "DRAM bandwidth", "of the peak", TS_DRAM_BW, "dram.bandwidth_share", true},
};

/* Resident warps that all SMs have room for. */
static double warps_room(const struct page_run *r)
{
	const struct gpu *g = sim_gpu(r->s->sim);
	return (double)gpu_warps_per_sm(g) * gpu_conf(g)->num_sms;
}

static double *values_of(const struct page_run *r, u32 curve, double *mean)
{
	const struct curves *c = &r->curves;
	const struct conf *k = gpu_conf(sim_gpu(r->s->sim));
	const double scale = curves[curve].series == TS_WARPS ? warps_room(r) : 1;
	double *y = xcalloc(c->n + 1, sizeof *y), warp_cycles = 0;
	for (u32 i = 0; i < c->n; i++) {
		y[i] = sample_value(&c->machine[i], curves[curve].series, k) / scale;
		warp_cycles += (double)c->machine[i].warp_cycles;
	}
	*mean = curves[curve].mean ? doc_real(r->doc, curves[curve].mean)
	                           : warp_cycles / (double)MAX(c->to - c->from, (u64)1) / scale;
	return y;
}

static void one_curve(const struct page_run *r, u32 runs, const struct chart_axis *a, u32 curve, struct strbuf *out)
{
	struct chart_line line[2];
	double *y[2];
	for (u32 i = 0; i < runs; i++) {
		line[i] = (struct chart_line){.name = r[i].name, .c = &r[i].curves};
		line[i].y = y[i] = values_of(&r[i], curve, &line[i].mean);
	}
	chart_lines(out, a,
	            &(struct chart){.id = curves[curve].id,
	                            .title = curves[curve].title,
	                            .help = series_desc(curves[curve].series).help,
	                            .unit = curves[curve].unit,
	                            .share = curves[curve].share,
	                            .most = curves[curve].share ? 1 : 0,
	                            .line = line,
	                            .nlines = runs});
	for (u32 i = 0; i < runs; i++)
		free(y[i]);
}

static void say_columns(const struct page_run *r, struct strbuf *out)
{
	char digits[GROUPED_MAX], n[GROUPED_MAX];
	const u64 width = r->curves.width;
	strbuf_adds(out, "<p class=\"dim\">");
	html_textf(out,
	           "%s%s of %s cycles each%s: a point of a curve is the mean over its column, so what is shorter than a "
	           "column is levelled out.",
	           grouped(r->curves.n, n), r->curves.n == 1 ? " column" : " columns", grouped(width, digits),
	           (r->curves.to - r->curves.from) % width ? " (the last is shorter)" : "");
	strbuf_adds(out, "</p>\n");
}

void part_curves(const struct page_run *r, struct strbuf *out)
{
	if (!r->curves.n)
		return;
	html_section(out, "curves", "Over time");
	say_columns(r, out);
	one_curve(r, 1, &r->axis, 0, out);
	chart_stalls(out, &r->axis, "stalls", &r->curves);
	for (u32 i = 1; i < ARRAY_LEN(curves); i++)
		one_curve(r, 1, &r->axis, i, out);
	chart_cycles(out, &r->axis);
	html_section_end(out);
}

void part_two_curves(const struct page_run r[2], struct strbuf *out)
{
	const struct chart_axis a = {MIN(r[0].axis.from, r[1].axis.from), MAX(r[0].axis.to, r[1].axis.to)};
	if (!r[0].curves.n || !r[1].curves.n)
		return;
	html_section(out, "curves", "Over time");
	strbuf_adds(out, "<p class=\"dim\">Each machine at its own cycles. A point is the mean over a column.</p>\n");
	for (u32 i = 0; i < ARRAY_LEN(curves); i++)
		one_curve(r, 2, &a, i, out);
	chart_cycles(out, &a);
	for (u32 i = 0; i < 2; i++) {
		strbuf_addf(out, "<h3>Issue slots of %s</h3>\n", r[i].name);
		chart_stalls(out, &a, i ? "stalls-b" : "stalls-a", &r[i].curves);
	}
	chart_cycles(out, &a);
	html_section_end(out);
}
