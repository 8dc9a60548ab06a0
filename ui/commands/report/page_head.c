/* The beginning of a report: which run, its main figures, what the issue slots went to; and the machine's settings. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "commands/report/page.h"
#include "session/machine.h"

static void chip(struct strbuf *out, const char *what, const char *text)
{
	if (!*text)
		return;
	strbuf_adds(out, "<li>");
	html_textf(out, "%s ", what);
	strbuf_adds(out, "<b>");
	html_text(out, text);
	strbuf_adds(out, "</b></li>");
}

static void checked(const struct page_run *r, struct strbuf *out)
{
	const char *check = doc_text(r->doc, "check"), *stop = doc_text(r->doc, "stop");
	char cycle[GROUPED_MAX];
	strbuf_adds(out, "<p>");
	if (!strcmp(stop, "finished"))
		strbuf_adds(out, "The run has finished");
	else
		html_textf(out, "The run as far as cycle %s", grouped(sim_cycle(r->s->sim), cycle));
	if (strcmp(stop, "finished") != 0 && strcmp(stop, "stopped") != 0)
		html_textf(out, ", where it ended: %s", stop);
	else if (strcmp(stop, "finished") != 0)
		check = "none"; /* it is of the end */
	if (!strcmp(check, "pass"))
		strbuf_adds(out, ", and its own check <span class=\"good\">passed</span>");
	if (!strcmp(check, "fail")) {
		strbuf_adds(out, ", and its own check <span class=\"bad\">failed</span>: ");
		html_text(out, doc_text(r->doc, "check_message"));
	}
	strbuf_adds(out, ".</p>\n");
}

void part_scope(const struct page_run *r, struct strbuf *out)
{
	if (!r->scope.len)
		return;
	strbuf_adds(out, "<p class=\"scope\" id=\"scope\">All figures are of a part of the run: <b>");
	html_text(out, strbuf_str(&r->scope));
	strbuf_adds(out, "</b>.</p>\n");
}

void part_head(const struct page_run *r, struct strbuf *out)
{
	const struct conf *c = gpu_conf(sim_gpu(r->s->sim));
	struct conf usual;
	char text[80];
	conf_defaults(&usual);
	strbuf_adds(out, "<header>\n<h1>");
	html_text(out, doc_text(r->doc, "workload"));
	strbuf_adds(out, "</h1>\n");
	checked(r, out);
	part_scope(r, out);
	strbuf_adds(out, "<ul class=\"chips\">");
	snprintf(text, sizeof text, "%.40s, %u SM%s, %g MHz", c->machine, c->num_sms, plural(c->num_sms), c->core_clock);
	chip(out, "machine", text);
	for (u32 k = 0; k < POLICY_KINDS; k++) {
		const char *name = policy_named(c, k);
		if (k == POLICY_WARP || k == POLICY_CTA || strcmp(name, policy_named(&usual, k)) != 0)
			chip(out, policy_kinds[k].help, name);
	}
	snprintf(text, sizeof text, "%u", c->seed);
	chip(out, "seed", text);
	strbuf_adds(out, "</ul>\n</header>\n");
}

/* --- main figures ------------------------------------------------------------------------------------------------- */

static const struct {
	const char *path, *label;
} cards[] = {
    {"cycles", "cycles"},
    {"sim_time_us", "simulated time, us"},
    {"ipc", "IPC"},
    {"sm.slot_use", "issue slots used"},
    {"sm.mean_warps", "warps per active SM"},
    {"sm.simd_efficiency", "lanes active"},
    {"l1d.hit_rate", "L1D hit rate"},
    {"l2.hit_rate", "L2 hit rate"},
    {"dram.bandwidth_share", "DRAM bandwidth of peak"},
    {"energy.power_w", "mean power, W"},
};

void part_figures(const struct page_run *r, struct strbuf *out)
{
	char text[FIGURE_MAX];
	strbuf_adds(out, "<div class=\"cards\" id=\"figures\">\n");
	for (u32 i = 0; i < ARRAY_LEN(cards); i++) {
		const json_t *v = doc_at(r->doc, cards[i].path);
		const struct figure_help h = figure_help(cards[i].path);
		strbuf_adds(out, "<div class=\"card\" title=\"");
		html_text(out, h.text);
		strbuf_adds(out, "\"");
		figure_data(out, cards[i].path, v);
		strbuf_addf(out, "><b>%s</b><span>%s</span></div>\n", figure_text(v, h.unit, text), cards[i].label);
	}
	strbuf_adds(out, "</div>\n");
}

/* --- issue slots -------------------------------------------------------------------------------------------------- */

static u64 slots_of(const struct page_run *r, u32 reason, char path[80])
{
	snprintf(path, 80, "stalls.base.%s", stall_descs[reason].name[TAX_BASE]);
	return doc_whole(r->doc, path);
}

/* The largest first. */
static u32 by_slots(const struct page_run *r, u32 order[ST_COUNT])
{
	char path[80];
	u32 n = 0;
	for (u32 i = 0; i < ST_COUNT; i++) {
		const u64 slots = slots_of(r, i, path);
		u32 at = n;
		if (!slots)
			continue;
		for (; at && slots_of(r, order[at - 1], path) < slots; at--)
			order[at] = order[at - 1];
		order[at] = i;
		n++;
	}
	return n;
}

void part_slots(const struct page_run *r, struct strbuf *out)
{
	char path[80], digits[GROUPED_MAX];
	u32 order[ST_COUNT];
	const u32 n = by_slots(r, order);
	const u64 all = doc_whole(r->doc, "stalls.base.slots");
	if (!n)
		return;
	html_section(out, "slots", "What the issue slots went to");
	strbuf_adds(out, "<div class=\"bar\">");
	for (u32 i = 0; i < n; i++) {
		const double share = 100 * (double)slots_of(r, order[i], path) / (double)all;
		strbuf_addf(out, "<i class=\"f%u\" style=\"width:%.2f%%\" title=\"%s: %.1f %%\"></i>", order[i], share,
		            stall_descs[order[i]].name[TAX_BASE], share);
	}
	strbuf_adds(out, "</div>\n<div class=\"wide\"><table class=\"sortable\"><thead><tr><th>went to</th>"
	                 "<th class=\"n\">slots</th><th class=\"n\">share</th><th>which slots these are</th></tr></thead>"
	                 "<tbody>\n");
	for (u32 i = 0; i < n; i++) {
		const u64 slots = slots_of(r, order[i], path);
		strbuf_adds(out, "<tr><td class=\"name\">");
		chart_chip(out, order[i]);
		html_textf(out, " %s", stall_descs[order[i]].name[TAX_BASE]);
		strbuf_adds(out, "</td>");
		figure_cell(out, r->doc, path, "slots");
		strbuf_addf(out, "<td class=\"n\">%.1f %%</td><td class=\"help\">", 100 * (double)slots / (double)all);
		html_text(out, stall_descs[order[i]].help);
		strbuf_adds(out, "</td></tr>\n");
	}
	strbuf_addf(out, "</tbody><caption>Each of the %s issue slots (schedulers x cycles, all SMs) is counted once.",
	            grouped(all, digits));
	strbuf_adds(out, "</caption></table></div>\n");
	html_section_end(out);
}

/* --- settings ----------------------------------------------------------------------------------------------------- */

void part_settings(const struct page_run *r, struct strbuf *out)
{
	struct conf usual;
	struct err e = {0};
	struct strbuf was = STRBUF_INIT, is = STRBUF_INIT;
	const struct conf *now = gpu_conf(sim_gpu(r->s->sim));
	u32 n = 0;
	html_section(out, "settings", "Settings");
	const bool known = machine_conf(&usual, r->s->data_dir, r->s->opt->gpu, NULL, 0, &e);
	for (u32 i = 0; i < conf_nkeys && known; i++) {
		const struct conf_key *k = &conf_keys[i];
		strbuf_clear(&was);
		strbuf_clear(&is);
		conf_get(&usual, k, &was);
		conf_get(now, k, &is);
		if (!strcmp(strbuf_str(&was), strbuf_str(&is)))
			continue;
		if (!n++)
			strbuf_adds(out, "<div class=\"wide\"><table><thead><tr><th>key</th><th>here</th><th>the machine's own</th>"
			                 "<th>meaning</th></tr></thead><tbody>\n");
		strbuf_adds(out, "<tr><td class=\"code name\" data-key=\"");
		html_text(out, k->key);
		strbuf_adds(out, "\">");
		html_text(out, k->key);
		strbuf_adds(out, "</td><td><b>");
		html_text(out, strbuf_str(&is));
		strbuf_adds(out, "</b></td><td>");
		html_text(out, strbuf_str(&was));
		strbuf_adds(out, "</td><td class=\"help\">");
		html_textf(out, "%s%s%s", k->help, *k->unit ? ", in " : "", k->unit);
		strbuf_adds(out, "</td></tr>\n");
	}
	if (n)
		strbuf_adds(out, "</tbody></table></div>\n");
	strbuf_adds(out, "<p class=\"dim\">");
	if (!known)
		html_text(out, e.msg);
	else if (!n)
		html_textf(out, "All settings are those of the machine %s.", now->machine);
	else
		html_textf(out, "All other settings are those of the machine %s.", now->machine);
	strbuf_adds(out, "</p>\n");
	html_section_end(out);
	strbuf_release(&was);
	strbuf_release(&is);
}
