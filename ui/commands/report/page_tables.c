/* The launches, the longest first, and all figures that there are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "commands/report/page.h"

#define LAUNCHES_OPEN 40  /* more are folded; */
#define LAUNCHES_MAX 500u /* and the shortest are left out */

struct ranked {
	u32 i;
	u64 cycles;
};

static int longest_first(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	return x->cycles != y->cycles ? (x->cycles < y->cycles ? 1 : -1) : (x->i > y->i) - (x->i < y->i);
}

static void size_text(const json_t *dim, struct strbuf *out)
{
	const u64 x = doc_whole(dim, "0"), y = doc_whole(dim, "1"), z = doc_whole(dim, "2");
	strbuf_addf(out, "%llu", (unsigned long long)x);
	if (y > 1 || z > 1)
		strbuf_addf(out, "x%llu", (unsigned long long)y);
	if (z > 1)
		strbuf_addf(out, "x%llu", (unsigned long long)z);
}

/* The reason that cost most of the machine's slots in the launch's time, and its share. */
static void lost_cell(const json_t *k, struct strbuf *out)
{
	char path[80];
	const u64 sum = doc_whole(k, "stalls.sum");
	u64 most = 0;
	u32 top = 0;
	for (u32 r = 0; r < ST_COUNT; r++) {
		snprintf(path, sizeof path, "stalls.%s", stall_descs[r].name[TAX_BASE]);
		const u64 slots = doc_whole(k, path);
		if (r == ST_ISSUED || slots <= most)
			continue;
		most = slots;
		top = r;
	}
	if (!sum || !most) {
		strbuf_adds(out, "<td>-</td>");
		return;
	}
	const double share = 100 * (double)most / (double)sum;
	strbuf_addf(out, "<td class=\"name\" data-v=\"%.4f\">", share);
	chart_chip(out, top);
	html_textf(out, " %.1f %% %s", share, stall_descs[top].name[TAX_BASE]);
	strbuf_adds(out, "</td>");
}

static void launch_row(const struct page_run *r, u32 i, bool calls, struct strbuf *out)
{
	static const struct {
		const char *name, *unit;
	} figures[] = {
	    {"started_at", "cycle"}, {"cycles", "cycles"}, {"ipc", "warp insts/cycle"}, {"warp_insts", "instructions"}};
	char path[64];
	const json_t *k = json_array_get(doc_at(r->doc, "kernels"), i);
	strbuf_addf(out, "<tr><td class=\"n\">%u</td><td class=\"break\">", i);
	html_text(out, doc_text(k, "label"));
	strbuf_adds(out, "</td><td>");
	size_text(doc_at(k, "grid"), out);
	strbuf_adds(out, "</td><td>");
	size_text(doc_at(k, "block"), out);
	strbuf_adds(out, "</td>");
	for (u32 f = 0; f < ARRAY_LEN(figures); f++) {
		snprintf(path, sizeof path, "kernels.%u.%s", i, figures[f].name);
		figure_cell(out, r->doc, path, figures[f].unit);
	}
	lost_cell(k, out);
	snprintf(path, sizeof path, "kernels.%u.occupancy.ctas_per_sm", i);
	figure_cell(out, r->doc, path, "CTAs");
	strbuf_adds(out, "<td>");
	html_text(out, doc_text(k, "occupancy.limiter"));
	strbuf_adds(out, "</td><td>");
	html_text(out, doc_text(k, "state"));
	strbuf_adds(out, "</td>");
	if (calls) {
		strbuf_adds(out, "<td class=\"break\">");
		html_text(out, doc_text(k, "call"));
		strbuf_adds(out, "</td>");
	}
	strbuf_adds(out, "</tr>\n");
}

static void launch_heads(bool calls, struct strbuf *out)
{
	static const struct {
		const char *name, *help;
		bool number;
	} heads[] = {{"launch", "its number, from 0, in the order of the host's calls", true},
	             {"kernel", "", false},
	             {"grid", "CTAs", false},
	             {"block", "threads of a CTA", false},
	             {"start", "cycle in which its first CTA was dispatched", true},
	             {"cycles", "from the first CTA's dispatch to the last CTA's end, or to now", true},
	             {"IPC", "warp instructions per cycle of its run time", true},
	             {"warp insts", "warp instructions executed", true},
	             {"most slots lost to", "of all issue slots of the machine in its time", false},
	             {"CTAs/SM", "the most CTAs of it that an SM can hold", true},
	             {"limited by", "what keeps an SM from holding one more", false},
	             {"state", "", false},
	             {"host call", "", false}};
	for (u32 i = 0; i < ARRAY_LEN(heads) - !calls; i++)
		strbuf_addf(out, "<th%s title=\"%s\">%s</th>", heads[i].number ? " class=\"n\"" : "", heads[i].help,
		            heads[i].name);
}

void part_launches(const struct page_run *r, struct strbuf *out)
{
	const json_t *kernels = doc_at(r->doc, "kernels");
	const u32 n = (u32)json_array_size(kernels), shown = MIN(n, LAUNCHES_MAX);
	struct ranked *rank = xcalloc(n + 1, sizeof *rank);
	bool calls = false;
	if (r->name)
		html_fold(out, r->name[0] == 'A' ? "Launches of A" : "Launches of B", true);
	else
		html_section(out, "launches", "Launches, the longest first");
	for (u32 i = 0; i < n; i++) {
		rank[i] = (struct ranked){i, doc_whole(json_array_get(kernels, i), "cycles")};
		calls |= *doc_text(json_array_get(kernels, i), "call");
	}
	qsort(rank, n, sizeof *rank, longest_first);
	if (n > LAUNCHES_OPEN)
		html_fold(out, "All of them", false);
	strbuf_adds(out, "<div class=\"wide\"><table class=\"sortable\"><thead><tr>");
	launch_heads(calls, out);
	strbuf_adds(out, "</tr></thead><tbody>\n");
	for (u32 i = 0; i < shown; i++)
		launch_row(r, rank[i].i, calls, out);
	strbuf_adds(out, "</tbody>");
	if (shown < n)
		strbuf_addf(out, "<caption>The %u shortest of %u launches are left out.</caption>", n - shown, n);
	strbuf_adds(out, "</table></div>\n");
	if (n > LAUNCHES_OPEN)
		html_fold_end(out);
	if (r->name)
		html_fold_end(out);
	else
		html_section_end(out);
	free(rank);
}

/* --- all figures -------------------------------------------------------------------------------------------------- */

static void figure_row(const struct page_run *r, enum counter_group g, const char *name, struct strbuf *out)
{
	char path[96];
	snprintf(path, sizeof path, "%s.%s", counter_group_names[g], name);
	const json_t *v = doc_at(r->doc, path);
	const struct figure_help h = figure_help(path);
	if (!json_is_number(v) || json_number_value(v) == 0)
		return;
	strbuf_addf(out, "<tr><td class=\"name\">%s</td>", path);
	figure_cell(out, r->doc, path, h.unit);
	strbuf_adds(out, "<td>");
	html_text(out, h.unit);
	strbuf_adds(out, "</td><td class=\"help\">");
	html_text(out, h.text);
	strbuf_adds(out, "</td></tr>\n");
}

void part_all_figures(const struct page_run *r, struct strbuf *out)
{
	static const enum counter_group groups[] = {CG_sm,     CG_l1i, CG_l1d, CG_l1c, CG_l1t,
	                                            CG_tensor, CG_l2,  CG_noc, CG_dram};
	static const char *const names[] = {"SMs",
	                                    "L1 instruction caches",
	                                    "L1 data caches",
	                                    "L1 constant caches",
	                                    "L1 texture caches",
	                                    "tensor units",
	                                    "L2",
	                                    "interconnect",
	                                    "DRAM"};
	html_section(out, "all", "All figures");
	strbuf_adds(out,
	            "<p class=\"dim\">Sums over all SMs, slices and channels, and the rates of these sums. What is 0 is "
	            "left out.</p>\n");
	for (u32 i = 0; i < ARRAY_LEN(groups); i++) {
		struct strbuf rows = STRBUF_INIT;
		for (u32 k = 0; k < rate_ndescs; k++)
			if (rate_descs[k].group == groups[i])
				figure_row(r, groups[i], rate_descs[k].name, &rows);
		for (u32 k = 0; k < counter_group_size(groups[i]); k++)
			figure_row(r, groups[i], counter_group_first(groups[i])[k].name, &rows);
		if (rows.len) {
			html_fold(out, names[i], false);
			strbuf_addf(out,
			            "<div class=\"wide\"><table><thead><tr><th>figure</th><th class=\"n\">value</th><th>unit</th>"
			            "<th>meaning</th></tr></thead><tbody>\n%s</tbody></table></div>\n",
			            rows.buf);
			html_fold_end(out);
		}
		strbuf_release(&rows);
	}
	html_section_end(out);
}
