/* What `diagnose` has found: cost, evidence, remedy and test of each. */
#include <stdio.h>

#include "base/words.h"
#include "commands/report/page.h"

#define OPEN_PERCENT 1.0 /* findings below are folded, */
#define OPEN_MOST 6      /* and those behind so many */

static void texts(const json_t *list, struct strbuf *out)
{
	size_t i;
	json_t *v;
	if (!json_array_size(list))
		return;
	strbuf_adds(out, "<ul>");
	json_array_foreach(list, i, v)
	{
		strbuf_adds(out, "<li>");
		html_text(out, json_string_value(v) ? json_string_value(v) : "");
		strbuf_adds(out, "</li>");
	}
	strbuf_adds(out, "</ul>\n");
}

static void place(const json_t *f, struct strbuf *out)
{
	const char *at = doc_text(f, "place"), *cuda = doc_text(f, "cuda");
	if (!*at)
		return;
	strbuf_adds(out, "<p>");
	html_textf(out, *cuda ? "%s (%s): " : "%s%s: ", at, cuda);
	strbuf_adds(out, "<code>");
	html_text(out, doc_text(f, "code"));
	strbuf_adds(out, "</code></p>\n");
}

static void finding(const json_t *f, u32 i, struct strbuf *out)
{
	const double percent = doc_real(f, "percent");
	char path[64];
	snprintf(path, sizeof path, "diagnosis.findings.%u.percent", i);
	strbuf_adds(out, "<article class=\"finding\"><h3>");
	html_textf(out, "%u. %s", i + 1, doc_text(f, "title"));
	strbuf_adds(out, "<span");
	figure_data(out, path, doc_at(f, "percent"));
	strbuf_addf(out, ">at most %.1f %%</span></h3>\n", percent);
	strbuf_addf(out,
	            "<div class=\"cost\" title=\"at most so much of the %s issue slots\"><i style=\"width:%.1f%%\">"
	            "</i></div>\n",
	            doc_text(f, "of"), MIN(MAX(percent, 0.0), 100.0));
	strbuf_adds(out, "<div class=\"sides\"><div>");
	place(f, out);
	texts(doc_at(f, "evidence"), out);
	strbuf_adds(out, "</div><div><p><b>What to do:</b> ");
	html_text(out, doc_text(f, "remedy"));
	strbuf_adds(out, "</p>\n<p class=\"dim\">test: <code>");
	html_text(out, doc_text(f, "test"));
	strbuf_adds(out, "</code></p></div></div></article>\n");
}

static double percent_of(const json_t *all, size_t i)
{
	return doc_real(json_array_get(all, i), "percent");
}

void part_findings(const struct page_run *r, struct strbuf *out)
{
	const json_t *all = doc_at(r->diagnosis, "findings");
	const u32 n = (u32)json_array_size(all);
	u32 open = 0;
	html_section(out, "findings", "Why it is as slow as it is");
	if (!r->diagnosis) {
		strbuf_adds(out, "<p class=\"bad\">");
		html_textf(out, "diagnose: %s", r->undiagnosed ? r->undiagnosed : "nothing is known");
		strbuf_adds(out, "</p>\n");
	}
	while (open < MIN(n, (u32)OPEN_MOST) && percent_of(all, open) >= OPEN_PERCENT)
		open++;
	if (r->diagnosis)
		strbuf_adds(out, n ? "<p class=\"dim\">Each percentage is a bound: so much of all issue slots the finding can "
		                     "have cost at most. Bounds overlap, as a slot may be in several.</p>\n"
		                   : "<p>No rule has found anything.</p>\n");
	for (u32 i = 0; i < open; i++)
		finding(json_array_get(all, i), i, out);
	if (open < n) {
		char title[80];
		snprintf(title, sizeof title, "%u more of at most %.1f %%", n - open, percent_of(all, open));
		html_fold(out, title, false);
		for (u32 i = open; i < n; i++)
			finding(json_array_get(all, i), i, out);
		html_fold_end(out);
	}
	html_section_end(out);
}
