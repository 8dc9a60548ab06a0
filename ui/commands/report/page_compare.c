/* Two machines with one workload, side by side: what `compare` reports. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "commands/report/page.h"
#include "commands/shell.h"
#include "dbg/rival.h"
#include "dbg/scope.h"
#include "obs/compare/report_compare.h"
#include "session/run_report.h"

#define ROWS_MAX 1500u /* of all figures that differ */

/* The figures of the first table; which sign is good: +1: more is better, -1: less, 0: neither. */
static const struct {
	const char *name, *label;
	int good;
} headlines[] = {
    {"run.cycles", "cycles", -1},
    {"run.ipc", "IPC", 1},
    {"run.warp_insts", "warp instructions", 0},
    {"sm.slot_use", "issue slots used", 1},
    {"sm.simd_efficiency", "lanes active", 1},
    {"sm.mean_warps", "warps per active SM", 0},
    {"sm.txn_per_access", "transactions per access", -1},
    {"sm.shared_conflicts", "cycles of bank conflicts", -1},
    {"l1d.accesses", "L1D accesses", 0},
    {"l1d.hit_rate", "L1D hit rate", 1},
    {"l1d.refused_share", "cycles in which L1D refuses", -1},
    {"l2.accesses", "L2 accesses", 0},
    {"l2.hit_rate", "L2 hit rate", 1},
    {"dram.bytes", "DRAM bytes", 0},
    {"dram.bandwidth_share", "DRAM bandwidth of peak", 0},
    {"dram.row_hit_rate", "DRAM row hit rate", 1},
    {"dram.mean_latency", "DRAM latency, cycles", -1},
    {"energy.total", "energy, fJ", -1},
};

static size_t find_row(const json_t *stats, const char *name)
{
	size_t i = 0;
	while (i < json_array_size(stats) && strcmp(doc_text(json_array_get(stats, i), "name"), name) != 0)
		i++;
	return i;
}

/* A, B, the change and the change of A's value. good as of headlines. */
static void row(const json_t *doc, size_t i, const char *label, int good, struct strbuf *out)
{
	const json_t *x = json_array_get(doc_at(doc, "stats"), i);
	const double delta = doc_real(x, "delta"), ratio = doc_real(x, "ratio");
	const char *unit = doc_text(x, "unit"), *name = doc_text(x, "name");
	const char *help = figure_help(!strncmp(name, "run.", 4) ? name + 4 : name).text;
	const bool share = !*unit && !json_is_integer(doc_at(x, "a"));
	char path[64], text[FIGURE_MAX];
	strbuf_adds(out, "<tr><td title=\"");
	html_text(out, help);
	strbuf_adds(out, "\">");
	html_text(out, label);
	if (*doc_text(x, "kernel"))
		html_textf(out, " (%s)", doc_text(x, "kernel"));
	strbuf_adds(out, "</td>");
	snprintf(path, sizeof path, "stats.%zu.a", i);
	figure_cell(out, doc, path, unit);
	snprintf(path, sizeof path, "stats.%zu.b", i);
	figure_cell(out, doc, path, unit);
	snprintf(path, sizeof path, "stats.%zu.delta", i);
	strbuf_addf(out, "<td class=\"n%s\"",
	            good && delta != 0 && isfinite(delta) ? (delta > 0) == (good > 0) ? " up" : " down" : "");
	figure_data(out, path, doc_at(doc, path));
	if (share && isfinite(delta))
		strbuf_addf(out, ">%+.1f pt</td>", 100 * delta);
	else
		strbuf_addf(out, ">%s%s</td>", delta > 0 ? "+" : "",
		            delta == 0 ? "=" : figure_text(doc_at(doc, path), unit, text));
	if (isfinite(ratio) && ratio != 0 && !share)
		strbuf_addf(out, "<td class=\"n\" data-v=\"%.12g\">%+.1f %%</td></tr>\n", ratio, 100 * ratio);
	else
		strbuf_adds(out, "<td class=\"n\"></td></tr>\n");
}

static void heads(const char *what, struct strbuf *out)
{
	strbuf_addf(
	    out,
	    "<div class=\"wide\"><table class=\"sortable\"><thead><tr><th>%s</th><th class=\"n\">A</th><th class=\"n\">B"
	    "</th><th class=\"n\">change</th><th class=\"n\">of A</th></tr></thead><tbody>\n",
	    what);
}

static void figures(const json_t *doc, struct strbuf *out)
{
	const json_t *stats = doc_at(doc, "stats");
	html_section(out, "figures", "Both side by side");
	heads("figure", out);
	for (u32 i = 0; i < ARRAY_LEN(headlines); i++) {
		const size_t at = find_row(stats, headlines[i].name);
		if (at < json_array_size(stats))
			row(doc, at, headlines[i].label, headlines[i].good, out);
	}
	strbuf_adds(out, "</tbody></table></div>\n");
	html_section_end(out);
}

static void all_figures(const json_t *doc, struct strbuf *out)
{
	const json_t *stats = doc_at(doc, "stats");
	u32 n = 0;
	html_section(out, "all", "All figures in which they differ");
	html_fold(out, "Counters, rates and launches", false);
	heads("figure", out);
	for (size_t i = 0; i < json_array_size(stats) && n < ROWS_MAX; i++) {
		const double delta = doc_real(json_array_get(stats, i), "delta");
		if (delta == 0)
			continue;
		if (!isfinite(delta) &&
		    json_is_null(doc_at(json_array_get(stats, i), "a")) == json_is_null(doc_at(json_array_get(stats, i), "b")))
			continue;
		row(doc, i, doc_text(json_array_get(stats, i), "name"), 0, out);
		n++;
	}
	strbuf_adds(out, "</tbody>");
	if (n == ROWS_MAX)
		strbuf_addf(out, "<caption>The first %u of them.</caption>", n);
	strbuf_adds(out, "</table></div>\n");
	html_fold_end(out);
	html_section_end(out);
}

/* --- head --------------------------------------------------------------------------------------------------------- */

static void verdict(const json_t *doc, struct strbuf *out)
{
	const json_t *cycles = json_array_get(doc_at(doc, "stats"), find_row(doc_at(doc, "stats"), "run.cycles"));
	const double ratio = doc_real(cycles, "ratio");
	strbuf_adds(out, "<p><b>");
	if (!isfinite(ratio))
		strbuf_adds(out, "One of the two has not run.");
	else if (ratio == 0)
		strbuf_adds(out, "Both take the same cycles.");
	else
		strbuf_addf(out, "B takes %.1f %% %s cycles than A.", 100 * fabs(ratio), ratio < 0 ? "fewer" : "more");
	strbuf_adds(out, "</b>");
	html_textf(out, " They ran in lock step by %s.", doc_text(doc, "by"));
	strbuf_adds(out, "</p>\n");
}

static void side_line(const json_t *doc, const char *side, const char *name, struct strbuf *out)
{
	const json_t *s = doc_at(doc, side);
	strbuf_addf(out, "<li><b class=\"l%d\"><output>%s</output></b> ", *side == 'b', name);
	html_textf(out, "%s, %s, %s: %s, check %s", doc_text(s, "machine"), doc_text(s, "warp_sched"),
	           doc_text(s, "cta_sched"), doc_text(s, "stop"), doc_text(s, "check"));
	strbuf_adds(out, "</li>\n");
}

static void head(const json_t *doc, const struct page_run *a, struct strbuf *out)
{
	const json_t *config = doc_at(doc, "config");
	strbuf_adds(out, "<header>\n<h1>");
	html_textf(out, "%s: A against B", doc_text(doc, "workload"));
	strbuf_adds(out, "</h1>\n");
	verdict(doc, out);
	part_scope(a, out);
	strbuf_adds(out, "<ul class=\"chips\">\n");
	side_line(doc, "a", "A", out);
	side_line(doc, "b", "B", out);
	strbuf_adds(out, "</ul>\n");
	if (json_array_size(config))
		strbuf_adds(out,
		            "<div class=\"wide\" id=\"settings\"><table><thead><tr><th>the machines differ in</th><th>A</th>"
		            "<th>B</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < json_array_size(config); i++) {
		const json_t *k = json_array_get(config, i);
		strbuf_adds(out, "<tr><td class=\"code\">");
		html_text(out, doc_text(k, "key"));
		strbuf_adds(out, "</td><td>");
		html_text(out, doc_text(k, "a"));
		strbuf_adds(out, "</td><td>");
		html_text(out, doc_text(k, "b"));
		strbuf_adds(out, "</td></tr>\n");
	}
	strbuf_adds(out, json_array_size(config) ? "</tbody></table></div>\n</header>\n"
	                                         : "<p>The machines differ in no setting.</p>\n</header>\n");
}

/* --- the first different decision --------------------------------------------------------------------------------- */

static void decision_row(const json_t *doc, const char *label, const char *key, struct strbuf *out)
{
	strbuf_addf(out, "<tr><td class=\"dim\">%s</td>", label);
	for (u32 side = 0; side < 2; side++) {
		char path[64], text[FIGURE_MAX];
		snprintf(path, sizeof path, "divergence.%c.%s", 'a' + (int)side, key);
		const json_t *v = doc_at(doc, path);
		strbuf_adds(out, "<td");
		figure_data(out, path, v);
		strbuf_adds(out, ">");
		html_text(out, json_is_string(v) ? json_string_value(v) : figure_text(v, "n", text));
		strbuf_adds(out, "</td>");
	}
	strbuf_adds(out, "</tr>\n");
}

static void decision(const json_t *doc, struct strbuf *out)
{
	static const struct {
		const char *label, *key;
	} rows[] = {{"cycle", "cycle"},        {"SM", "sm"},           {"scheduler", "scheduler"},
	            {"warp", "warp"},          {"lost to", "lost_to"}, {"ready warps", "ready"},
	            {"kernel", "kernel_name"}, {"CTA", "cta"},         {"PTX line", "line"},
	            {"instruction", "source"}};
	char digits[GROUPED_MAX], path[64];
	html_section(out, "decision", "Where they first decide differently");
	strbuf_adds(out, "<p>");
	if (json_is_integer(doc_at(doc, "equal_decisions")))
		html_textf(out, "%s decisions of the warp schedulers were the same%s",
		           grouped(doc_whole(doc, "equal_decisions"), digits),
		           json_is_object(doc_at(doc, "divergence")) ? ", then: " : ". ");
	if (json_is_object(doc_at(doc, "divergence")))
		html_textf(out, "%s.", doc_text(doc, "divergence.kind"));
	else if (!json_is_integer(doc_at(doc, "equal_decisions")))
		strbuf_adds(out, "No different decision is known.");
	else
		html_textf(out, ". %s",
		           json_is_true(doc_at(doc, "compared_to_the_end"))
		               ? "No decision was different."
		               : "Then the machines came too far apart to be compared.");
	strbuf_adds(out, "</p>\n");
	if (json_is_object(doc_at(doc, "divergence"))) {
		strbuf_adds(out, "<div class=\"wide\"><table><thead><tr><th></th><th>A</th><th>B</th></tr></thead><tbody>\n");
		for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
			snprintf(path, sizeof path, "divergence.a.%s", rows[i].key);
			const bool a = doc_at(doc, path);
			path[11] = 'b';
			if (a || doc_at(doc, path))
				decision_row(doc, rows[i].label, rows[i].key, out);
		}
		strbuf_adds(out, "</tbody></table></div>\n");
	}
	html_section_end(out);
}

/* --- issue slots -------------------------------------------------------------------------------------------------- */

static u64 slots_of(const struct page_run *r, u32 reason)
{
	char path[80];
	snprintf(path, sizeof path, "stalls.base.%s", stall_descs[reason].name[TAX_BASE]);
	return doc_whole(r->doc, path);
}

static void slots(const struct page_run r[2], struct strbuf *out)
{
	double share[2][ST_COUNT];
	html_section(out, "slots", "What the issue slots went to");
	for (u32 side = 0; side < 2; side++) {
		const double all = MAX((double)doc_whole(r[side].doc, "stalls.base.slots"), 1.0);
		strbuf_addf(out, "<div class=\"dim\">%s</div><div class=\"bar\">", r[side].name);
		for (u32 i = 0; i < ST_COUNT; i++) {
			share[side][i] = 100 * (double)slots_of(&r[side], i) / all;
			if (share[side][i] > 0)
				strbuf_addf(out, "<i class=\"f%u\" style=\"width:%.2f%%\" title=\"%s: %.1f %%\"></i>", i,
				            share[side][i], stall_descs[i].name[TAX_BASE], share[side][i]);
		}
		strbuf_adds(out, "</div>\n");
	}
	strbuf_adds(
	    out, "<div class=\"wide\"><table class=\"sortable\"><thead><tr><th>went to</th><th class=\"n\">A</th>"
	         "<th class=\"n\">B</th><th class=\"n\">change</th><th>which slots these are</th></tr></thead><tbody>\n");
	for (u32 i = 0; i < ST_COUNT; i++) {
		if (!(share[0][i] > 0) && !(share[1][i] > 0))
			continue;
		strbuf_adds(out, "<tr><td class=\"name\">");
		chart_chip(out, i);
		strbuf_addf(
		    out,
		    " %s</td><td class=\"n\">%.1f %%</td><td class=\"n\">%.1f %%</td><td class=\"n\" data-v=\"%.6f\">%+.1f pt"
		    "</td><td class=\"help\">",
		    stall_descs[i].name[TAX_BASE], share[0][i], share[1][i], share[1][i] - share[0][i],
		    share[1][i] - share[0][i]);
		html_text(out, stall_descs[i].help);
		strbuf_adds(out, "</td></tr>\n");
	}
	strbuf_adds(out, "</tbody></table></div>\n");
	html_section_end(out);
}

/* --- the page ----------------------------------------------------------------------------------------------------- */

static json_t *document(const struct strbuf *text)
{
	json_t *doc = json_loads(strbuf_str(text), 0, NULL);
	BUG_ON(!doc);
	return doc;
}

/* What is the same for two machines of `compare` and of the debugger. */
static void two_runs(const json_t *doc, const struct page_run r[2], struct strbuf *out)
{
	struct strbuf title = STRBUF_INIT;
	strbuf_addf(&title, "%s: A against B", doc_text(doc, "workload"));
	page_begin(out, strbuf_str(&title));
	strbuf_release(&title);
	head(doc, &r[0], out);
	figures(doc, out);
	decision(doc, out);
	slots(r, out);
	part_two_curves(r, out);
	html_section(out, "launches", "Launches, the longest first");
	part_launches(&r[0], out);
	part_launches(&r[1], out);
	html_section_end(out);
	part_notes(&r[0], out);
	all_figures(doc, out);
	page_end(out);
}

static void open_side(struct compare *c, u32 side, struct page_run *r)
{
	const struct err *e;
	struct strbuf text = STRBUF_INIT;
	*r = (struct page_run){.s = compare_session(c, side), .name = side ? "B" : "A"};
	curves_of_run(r->s, &r->curves);
	r->axis = (struct chart_axis){r->curves.from, r->curves.to};
	run_report(r->s, "json", session_stop_word(compare_stopped(c, side, &e)), 0, false, false, &text);
	r->doc = document(&text);
	strbuf_release(&text);
}

void page_of_comparison(struct compare *c, struct strbuf *out)
{
	struct page_run r[2];
	struct strbuf text = STRBUF_INIT;
	compare_report(c, "json", false, false, &text);
	json_t *doc = document(&text);
	for (u32 i = 0; i < 2; i++)
		open_side(c, i, &r[i]);
	two_runs(doc, r, out);
	for (u32 i = 0; i < 2; i++) {
		json_decref(r[i].doc);
		curves_release(&r[i].curves);
	}
	json_decref(doc);
	strbuf_release(&text);
}

bool page_of_rival(struct debugger *d, struct strbuf *out, struct err *e)
{
	struct page_run r[2] = {{.s = d->s, .d = d, .name = "A"}, {.s = d->rival->s, .name = "B"}};
	struct stats *stats[2];
	struct strbuf text = STRBUF_INIT;
	if (!curves_gather(d, &r[0].curves, e))
		return false;
	scope_text(d, false, &r[0].scope);
	if (!r[0].scope.len)
		curves_of_run(r[1].s, &r[1].curves);
	for (u32 i = 0; i < 2; i++) {
		stats[i] = rival_stats(d, i);
		r[i].axis = (struct chart_axis){r[i].curves.from, r[i].curves.to};
		strbuf_clear(&text);
		run_report(r[i].s, "json", "", 0, false, false, &text);
		r[i].doc = document(&text);
	}
	struct comparison c = {.side = {stats[0], stats[1]},
	                       .gpu = {sim_gpu(r[0].s->sim), sim_gpu(r[1].s->sim)},
	                       .by = lockstep_names[d->rival->by],
	                       .until = "end",
	                       .first = &d->rival->first};
	strbuf_clear(&text);
	report_compare_json(&c, &text);
	json_t *doc = document(&text);
	two_runs(doc, r, out);
	for (u32 i = 0; i < 2; i++) {
		stats_free(stats[i]);
		json_decref(r[i].doc);
		curves_release(&r[i].curves);
	}
	json_decref(doc);
	strbuf_release(&text);
	strbuf_release(&r[0].scope);
	return true;
}
