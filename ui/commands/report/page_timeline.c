/* When launches ran, how full each SM was, what was preempted and swapped, and where the user has marked the run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "commands/report/page.h"
#include "commands/shell.h"
#include "dbg/swaps.h"
#include "gpu/query_preempt.h"

#define LANES_MAX 8
#define NARROW 1.5       /* thousandths of the width: what is narrower is drawn with its neighbours */
#define KERNEL_COLOURS 6 /* page_style.c has so many */
#define LEVELS 8
#define CELLS_MAX 8192 /* of all SMs together */
#define SWAPS_DRAWN 2000

/* --- launches ----------------------------------------------------------------------------------------------------- */

struct bar {
	u32 first, launches, colour;
	double x0, x1; /* thousandths of the width */
	u64 from, to;
	const char *label;
};
struct lane {
	struct bar *bar;
	u32 n;
};

/* Kernels of one name have one colour: names in the order of their first launches take turns. To be freed. */
static u32 *colours_of(struct gpu *g)
{
	const u32 n = gpu_num_kernels(g);
	u32 *colour = xcalloc(n + 1, sizeof *colour), names = 0;
	const char **name = xcalloc(n + 1, sizeof *name);
	for (u32 i = 0; i < n; i++) {
		struct kernel_info k;
		u32 at = 0;
		gpu_kernel_info(g, i, &k);
		while (at < names && strcmp(name[at], k.name) != 0)
			at++;
		if (at == names)
			name[names++] = k.name;
		colour[i] = at % KERNEL_COLOURS;
	}
	free(name);
	return colour;
}

/* False: none of it lies on the axis. */
static bool bar_of(const struct page_run *r, u32 launch, struct bar *b)
{
	struct kernel_info k;
	gpu_kernel_info(sim_gpu(r->s->sim), launch, &k);
	if (k.state == KS_QUEUED)
		return false;
	b->first = launch;
	b->launches = 1;
	b->from = k.counters->started_at;
	b->to = k.state == KS_DONE ? k.counters->ended_at : r->axis.to;
	b->label = k.label;
	b->x0 = chart_x(&r->axis, (double)b->from);
	b->x1 = chart_x(&r->axis, (double)b->to);
	return b->to >= r->axis.from && b->from < r->axis.to;
}

/* Into the first lane that is free then; behind the last one's bars, if all are taken. */
static void place(struct lane lanes[LANES_MAX], const struct bar *b, u32 *lost)
{
	for (u32 i = 0; i < LANES_MAX; i++) {
		struct lane *l = &lanes[i];
		struct bar *last = l->n ? &l->bar[l->n - 1] : NULL;
		const bool narrow = last && MIN(b->x1 - b->x0, last->x1 - last->x0) < NARROW && b->x0 - last->x1 < NARROW;
		if (last && b->from < last->to && !(narrow && !strcmp(last->label, b->label)))
			continue;
		if (narrow && !strcmp(last->label, b->label)) {
			last->x1 = MAX(last->x1, b->x1);
			last->to = MAX(last->to, b->to);
			last->launches++;
			return;
		}
		l->bar = xrealloc(l->bar, (l->n + 1) * sizeof *l->bar);
		l->bar[l->n++] = *b;
		return;
	}
	++*lost;
}

static void bar_html(const struct bar *b, struct strbuf *out)
{
	char from[GROUPED_MAX], to[GROUPED_MAX];
	strbuf_addf(out, "<i class=\"k%u\" style=\"left:%.2f%%;width:%.2f%%\" title=\"", b->colour, b->x0 / 10,
	            MAX(b->x1 - b->x0, 0.0) / 10);
	if (b->launches > 1)
		html_textf(out, "%u launches from %u on", b->launches, b->first);
	else
		html_textf(out, "launch %u", b->first);
	html_textf(out, ", %s: cycles %s to %s", b->label, grouped(b->from, from), grouped(b->to, to));
	strbuf_adds(out, "\">");
	if (b->x1 - b->x0 >= 35)
		html_textf(out, b->launches > 1 ? "%s (%u)" : "%s", b->label, b->launches);
	strbuf_adds(out, "</i>");
}

static void launch_lanes(const struct page_run *r, struct strbuf *out)
{
	struct lane lanes[LANES_MAX] = {0};
	u32 lost = 0, bars = 0, launches = 0, *colour = colours_of(sim_gpu(r->s->sim));
	for (u32 i = 0; i < gpu_num_kernels(sim_gpu(r->s->sim)); i++) {
		struct bar b;
		if (!bar_of(r, i, &b))
			continue;
		launches++;
		place(lanes, &b, &lost);
	}
	strbuf_adds(out, "<div class=\"lanes\">\n");
	for (u32 i = 0; i < LANES_MAX && lanes[i].n; i++) {
		strbuf_addf(out, "<div class=\"lane\">%s", i ? "" : "<b>launches</b>");
		for (u32 k = 0; k < lanes[i].n; k++) {
			lanes[i].bar[k].colour = colour[lanes[i].bar[k].first];
			bar_html(&lanes[i].bar[k], out);
		}
		strbuf_adds(out, "</div>\n");
		bars += lanes[i].n;
		free(lanes[i].bar);
	}
	free(colour);
	strbuf_adds(out, "</div>\n");
	if (launches == bars)
		return;
	strbuf_adds(out, "<p class=\"dim\">");
	html_textf(out, "%u launches are drawn as %u bars: short ones of the same kernel share one.", launches - lost,
	           bars);
	if (lost)
		html_textf(out, " %u more are not drawn, as more than %u ran at the same time.", lost, LANES_MAX);
	strbuf_adds(out, "</p>\n");
}

/* --- SMs ---------------------------------------------------------------------------------------------------------- */

/* How many of an SM's places for warps were taken in the columns of a cell, in LEVELS steps. */
static u32 level_of(const struct page_run *r, u32 sm, u32 from, u32 to)
{
	const struct curves *c = &r->curves;
	u64 warp_cycles = 0, cycles = 0;
	for (u32 i = from; i < to; i++) {
		warp_cycles += c->warp_cycles[(size_t)sm * c->n + i];
		cycles += c->machine[i].cycles;
	}
	const double share = (double)warp_cycles / ((double)MAX(cycles, (u64)1) * gpu_warps_per_sm(sim_gpu(r->s->sim)));
	return warp_cycles ? MAX(1u, MIN((u32)ceil(share * LEVELS - 1e-9), (u32)LEVELS)) : 0;
}

/* The cells of one level, neighbours as one. */
static void level_path(const struct page_run *r, u32 level, const u8 *cell, u32 cells, u32 each, struct strbuf *out)
{
	const struct curves *c = &r->curves;
	bool any = false;
	for (u32 sm = 0; sm < c->sms; sm++)
		for (u32 i = 0, end; i < cells; i = end) {
			for (end = i + 1; end < cells && cell[sm * cells + end] == cell[sm * cells + i];)
				end++;
			if (cell[sm * cells + i] != level)
				continue;
			const double x0 = chart_x(&r->axis, (double)(c->from + (u64)i * each * c->width)),
			             x1 = chart_x(&r->axis, (double)MIN(c->from + (u64)end * each * c->width, c->to));
			if (!any)
				strbuf_addf(out, "<path class=\"h%u\" d=\"", level);
			any = true;
			strbuf_addf(out, "M%.1f %uH%.1fv.9H%.1fz", x0, sm, x1, x0);
		}
	if (any)
		strbuf_adds(out, "\"/>");
}

static void preemption_marks(const struct page_run *r, struct strbuf *out)
{
	struct request_sm *sm = xcalloc(REQUEST_SMS_MAX, sizeof *sm);
	const u32 n = MIN(gpu_request_sms(sim_gpu(r->s->sim), 0, sm, REQUEST_SMS_MAX), (u32)REQUEST_SMS_MAX);
	for (u32 i = 0; i < n; i++) {
		const u64 end = sm[i].done_at ? sm[i].done_at : r->axis.to;
		if (end < r->axis.from || sm[i].at >= r->axis.to)
			continue;
		strbuf_addf(out, "<path class=\"mark\" d=\"M%.1f %uH%.1fv.9H%.1fz\"><title>",
		            chart_x(&r->axis, (double)sm[i].at), sm[i].sm, chart_x(&r->axis, (double)end),
		            chart_x(&r->axis, (double)sm[i].at));
		html_textf(out, "request %u: SM %u gives launch %u away by %s, cycles %llu to %llu", sm[i].request, sm[i].sm,
		           sm[i].launch, technique_names[MIN(sm[i].technique, (u32)TECHNIQUES)], (unsigned long long)sm[i].at,
		           (unsigned long long)end);
		strbuf_adds(out, "</title></path>");
	}
	free(sm);
}

/* The debugger alone has noted them. Returns how many there are. */
static u32 swap_marks(const struct page_run *r, struct strbuf *out)
{
	u32 n = 0;
	struct swap *swap = r->d ? swaps_known(r->d, &n) : NULL;
	if (n)
		strbuf_adds(out, "<path class=\"swap\" d=\"");
	for (u32 i = 0; i < MIN(n, (u32)SWAPS_DRAWN); i++)
		strbuf_addf(out, "M%.1f %u.1v.7", chart_x(&r->axis, (double)swap[i].cycle), swap[i].sm);
	if (n)
		strbuf_adds(out, "\"/>");
	free(swap);
	return n;
}

static void say_sms(u32 swaps, u32 requests, struct strbuf *out)
{
	strbuf_adds(out,
	            "<p class=\"dim\">Each row is an SM; the stronger the colour, the more of its places for warps are "
	            "taken: <span class=\"ramp\">");
	for (u32 i = 1; i <= LEVELS; i++)
		strbuf_addf(out, "<i class=\"h%u\"></i>", i);
	strbuf_adds(out, "</span> up to all.");
	if (requests)
		html_textf(out,
		           " A frame is an SM that is taken from a kernel, from the request to the last CTA (%u request%s).",
		           requests, plural(requests));
	if (swaps)
		html_textf(out, " A stroke is a swap of virtual threads (%u%s).", swaps,
		           swaps > SWAPS_DRAWN ? ", of which the first 2,000 are drawn" : "");
	strbuf_adds(out, "</p>\n");
}

static void sm_rows(const struct page_run *r, struct strbuf *out)
{
	const struct curves *c = &r->curves;
	const u32 most = MAX(MIN(CELLS_MAX / c->sms, 128u), 48u), each = (c->n + most - 1) / most,
	          cells = (c->n + each - 1) / each,
	          high = c->sms <= 24   ? 11
	                 : c->sms <= 64 ? 8
	                                : 5;
	u8 *cell = xcalloc((size_t)c->sms * cells + 1, 1);
	for (u32 sm = 0; sm < c->sms; sm++)
		for (u32 i = 0; i < cells; i++)
			cell[sm * cells + i] = (u8)level_of(r, sm, i * each, MIN((i + 1) * each, c->n));
	strbuf_addf(out, "<div class=\"sms\" style=\"height:%upx\">", high * c->sms);
	const u32 step = (u32)MAX(chart_step(c->sms, 8), 1.0);
	for (u32 sm = 0; sm < c->sms; sm += step)
		strbuf_addf(out, "<b style=\"top:%.2f%%\">SM %u</b>", 100.0 * sm / c->sms, sm);
	strbuf_addf(out,
	            "<svg viewBox=\"0 0 1000 %u\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"resident warps of "
	            "each SM over time\">",
	            c->sms);
	for (u32 level = 1; level <= LEVELS; level++)
		level_path(r, level, cell, cells, each, out);
	preemption_marks(r, out);
	const u32 swaps = swap_marks(r, out);
	strbuf_adds(out, "</svg></div>\n");
	chart_cycles(out, &r->axis);
	say_sms(swaps, gpu_requests(sim_gpu(r->s->sim)), out);
	free(cell);
}

/* --- marks and requests ------------------------------------------------------------------------------------------- */

static void mark(const struct page_run *r, u64 cycle, const char *what, const char *text, struct strbuf *out)
{
	char digits[GROUPED_MAX];
	if (cycle < r->axis.from || cycle > r->axis.to)
		return;
	strbuf_addf(out, "<i style=\"left:%.2f%%\" title=\"", chart_x(&r->axis, (double)cycle) / 10);
	html_textf(out, "%s at cycle %s: %s", what, grouped(cycle, digits), text);
	strbuf_adds(out, "\">\xe2\x97\x86</i>");
}

static void user_marks(const struct page_run *r, struct strbuf *out)
{
	const struct debugger *d = r->d;
	if (!d || (!d->travel.nbookmarks && !d->shell->notes.n))
		return;
	strbuf_adds(out, "<div class=\"lanes\"><div class=\"lane marks\"><b>notes</b>");
	for (u32 i = 0; i < d->travel.nbookmarks; i++)
		mark(r, d->travel.bookmarks[i].at.cycle, "bookmark", d->travel.bookmarks[i].name, out);
	for (u32 i = 0; i < d->shell->notes.n; i++)
		mark(r, d->shell->notes.note[i].cycle, "note", d->shell->notes.note[i].text, out);
	strbuf_adds(out, "</div></div>\n");
}

static void cycle_cell(u64 cycle, struct strbuf *out)
{
	char digits[GROUPED_MAX];
	if (cycle)
		strbuf_addf(out, "<td class=\"n\" data-v=\"%llu\">%s</td>", (unsigned long long)cycle, grouped(cycle, digits));
	else
		strbuf_adds(out, "<td class=\"n\">-</td>");
}

static void request_rows(const struct page_run *r, struct strbuf *out)
{
	const struct gpu *g = sim_gpu(r->s->sim);
	struct request_info q;
	if (!gpu_requests(g))
		return;
	strbuf_adds(out,
	            "<div class=\"wide\"><table class=\"sortable\" id=\"preemptions\"><thead><tr><th class=\"n\">request"
	            "</th><th>of launch</th><th>for</th><th>by</th><th class=\"n\">SMs</th><th class=\"n\">at</th>"
	            "<th class=\"n\">limit</th><th class=\"n\">done</th><th class=\"n\">instructions lost</th></tr>"
	            "</thead><tbody>\n");
	for (u32 id = 1; id <= gpu_requests(g); id++) {
		if (!gpu_request(g, id, &q))
			continue;
		strbuf_addf(out, "<tr><td class=\"n\">%u</td><td>%u</td><td>", q.id, q.launch);
		if (q.whom >= 0)
			strbuf_addf(out, "launch %d", q.whom);
		else
			strbuf_adds(out, "-");
		strbuf_adds(out, "</td><td>");
		html_text(out, q.by);
		strbuf_addf(out, "</td><td class=\"n\">%u</td>", q.sms);
		cycle_cell(q.at, out);
		cycle_cell(q.limit, out);
		cycle_cell(q.done_at, out);
		cycle_cell(q.lost, out);
		strbuf_adds(out, "</tr>\n");
	}
	strbuf_adds(out, "</tbody></table></div>\n");
}

void part_timeline(const struct page_run *r, struct strbuf *out)
{
	if (!r->curves.n || !gpu_num_kernels(sim_gpu(r->s->sim)))
		return;
	html_section(out, "timeline", "Launches and SMs");
	launch_lanes(r, out);
	user_marks(r, out);
	sm_rows(r, out);
	request_rows(r, out);
	html_section_end(out);
}
