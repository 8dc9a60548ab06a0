/* The lines of code that cost most, the phases of the kernels, and what the user has written down. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "commands/report/page.h"
#include "commands/shell.h"
#include "obs/name/names.h"
#include "views/cuda_text.h"
#include "views/line_cells.h"

#define LINES_SHOWN 20
#define TEXT_MAX 160

static bool cuda_text(struct cuda_text *files, const struct line_row *r, struct strbuf *out)
{
	struct cuda_line cu;
	if (!line_row_cuda(files, r, &cu))
		return false;
	html_textn(out, cu.text, MIN(cu.len, (u32)TEXT_MAX));
	return true;
}

/* Columns without anything in them are left out. */
static void columns_used(const struct line_row *rows, u32 n, const struct line_sums *s, bool used[LINE_CELLS_MAX])
{
	for (u32 c = 0; c < nline_cells; c++)
		for (u32 i = 0; i < n; i++) {
			char cell[LINE_CELL_MAX] = "";
			line_cells[c].put(cell, &rows[i], s);
			used[c] |= *cell != 0;
		}
}

static void line_row_html(struct cuda_text *files, const struct line_row *r, enum line_by by, const struct line_sums *s,
                          const bool used[LINE_CELLS_MAX], struct strbuf *out)
{
	struct strbuf text = STRBUF_INIT;
	line_row_place(r, by, &text);
	strbuf_adds(out, "<tr data-line=\"");
	html_text(out, strbuf_str(&text));
	strbuf_adds(out, "\"><td class=\"name\">");
	html_text(out, strbuf_str(&text));
	strbuf_adds(out, "</td>");
	for (u32 c = 0; c < nline_cells; c++) {
		char cell[LINE_CELL_MAX] = "";
		if (!used[c])
			continue;
		line_cells[c].put(cell, r, s);
		strbuf_addf(out, "<td class=\"n\" data-k=\"%s\" data-v=\"%llu\">%s</td>",
		            line_counter_descs[line_cells[c].key].name,
		            (unsigned long long)line_counter_of(&r->c, line_cells[c].key), *cell ? cell : "-");
	}
	strbuf_adds(out, "<td class=\"code\">");
	strbuf_clear(&text);
	if (by != LINE_BY_CUDA || !cuda_text(files, r, out)) {
		line_text(r->mod, r->pc, &text);
		html_textn(out, strbuf_str(&text), MIN(text.len, (size_t)TEXT_MAX));
	}
	strbuf_adds(out, "</td></tr>\n");
	strbuf_release(&text);
}

static void lines_table(const struct line_row *rows, u32 n, u32 shown, enum line_by by, struct strbuf *out)
{
	struct cuda_text files = {0};
	const struct line_sums s = line_sums_of(rows, n);
	bool used[LINE_CELLS_MAX] = {false};
	columns_used(rows, shown, &s, used);
	strbuf_adds(out, "<div class=\"wide\"><table class=\"sortable tight\"><thead><tr><th>line</th>");
	for (u32 c = 0; c < nline_cells; c++)
		if (used[c])
			strbuf_addf(out, "<th class=\"n\" title=\"explain line.%s\">%s</th>",
			            line_counter_descs[line_cells[c].key].name, line_cells[c].name);
	strbuf_adds(out, "<th>text</th></tr></thead><tbody>\n");
	for (u32 i = 0; i < shown; i++)
		line_row_html(&files, &rows[i], by, &s, used, out);
	strbuf_addf(
	    out,
	    "</tbody><caption>The first %u of %u lines that were executed, those with most issue slots first. blocked: "
	    "issue slots that others lost because the line held the LSU or their unit; suffered: the other way "
	    "round.</caption></table></div>\n",
	    shown, n);
	cuda_text_release(&files);
}

void part_lines(const struct page_run *r, struct strbuf *out)
{
	u32 n;
	enum line_by by = LINE_BY_CUDA;
	struct line_row *rows = line_rows(sim_gpu(r->s->sim), by, &n);
	if (!n) {
		free(rows);
		by = LINE_BY_PTX;
		rows = line_rows(sim_gpu(r->s->sim), by, &n);
	}
	line_rows_sort(rows, n, LC_slots);
	u32 shown = MIN(n, LINES_SHOWN);
	while (shown && !line_counter_of(&rows[shown - 1].c, LC_slots))
		shown--;
	if (shown) {
		html_section(out, "lines", by == LINE_BY_CUDA ? "The hottest lines of CUDA" : "The hottest lines of PTX");
		lines_table(rows, n, shown, by, out);
		html_section_end(out);
	}
	free(rows);
}

/* --- phases ------------------------------------------------------------------------------------------------------- */

void part_phases(const struct page_run *r, struct strbuf *out)
{
	static const char *const figures[] = {"instructions", "phases", "data_phases", "longest_phase", "shortest_phase"};
	const json_t *code = doc_at(r->doc, "code");
	char path[64];
	if (!json_array_size(code))
		return;
	html_section(out, "phases", "Phases of the kernels");
	strbuf_adds(out,
	            "<p class=\"dim\">A phase is a stretch of a kernel's code that ends where it waits for memory or at a "
	            "barrier, as the compiler's analysis finds it.</p>\n"
	            "<div class=\"wide\"><table class=\"sortable\"><thead><tr><th>kernel</th><th class=\"n\">"
	            "instructions</th><th class=\"n\">phases</th><th class=\"n\">of these with data</th><th class=\"n\">"
	            "longest, cycles</th><th class=\"n\">shortest, cycles</th><th>can be restarted</th></tr></thead>"
	            "<tbody>\n");
	for (u32 i = 0; i < json_array_size(code); i++) {
		const json_t *k = json_array_get(code, i), *safe = doc_at(k, "idempotent");
		strbuf_adds(out, "<tr><td class=\"break\">");
		html_text(out, doc_text(k, "name"));
		strbuf_adds(out, "</td>");
		for (u32 f = 0; f < ARRAY_LEN(figures); f++) {
			snprintf(path, sizeof path, "code.%u.%s", i, figures[f]);
			figure_cell(out, r->doc, path, "n");
		}
		strbuf_addf(out, "<td>%s</td></tr>\n",
		            json_is_true(safe)    ? "from any instruction"
		            : json_is_false(safe) ? "not everywhere"
		                                  : "-");
	}
	strbuf_adds(out, "</tbody></table></div>\n");
	html_section_end(out);
}

/* --- bookmarks and notes ------------------------------------------------------------------------------------------ */

static void note_row(const char *kind, u64 cycle, const char *text, struct strbuf *out)
{
	char digits[GROUPED_MAX];
	strbuf_addf(out, "<tr><td class=\"n\" data-v=\"%llu\">%s</td><td>%s</td><td class=\"break\">",
	            (unsigned long long)cycle, grouped(cycle, digits), kind);
	html_text(out, text);
	strbuf_adds(out, "</td></tr>\n");
}

void part_notes(const struct page_run *r, struct strbuf *out)
{
	const struct debugger *d = r->d;
	if (!d || (!d->travel.nbookmarks && !d->shell->notes.n))
		return;
	html_section(out, "notes", "Bookmarks and notes");
	strbuf_adds(out,
	            "<div class=\"wide\"><table><thead><tr><th class=\"n\">cycle</th><th></th><th>text</th></tr></thead>"
	            "<tbody>\n");
	for (u32 i = 0; i < d->travel.nbookmarks; i++)
		note_row("bookmark", d->travel.bookmarks[i].at.cycle, d->travel.bookmarks[i].name, out);
	for (u32 i = 0; i < d->shell->notes.n; i++)
		note_row("note", d->shell->notes.note[i].cycle, d->shell->notes.note[i].text, out);
	strbuf_adds(out, "</tbody></table></div>\n");
	html_section_end(out);
}
