/* html: the pieces a report's page is made of: escaped text, figures that carry their value as JSON has it, charts. */
#ifndef UI_COMMANDS_REPORT_HTML_H
#define UI_COMMANDS_REPORT_HTML_H
#include <jansson.h>

#include "base/strbuf.h"

/* Appends text with nothing in it that HTML takes for its own, between tags or quotes. Bytes that are no UTF-8 become
 * U+FFFD, control characters blanks. */
void html_text(struct strbuf *out, const char *s);
void html_textn(struct strbuf *out, const char *s, size_t n);
/* The same of a printf. */
void html_textf(struct strbuf *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Begins a part of the page with its title, and ends it. id: of its anchor. */
void html_section(struct strbuf *out, const char *id, const char *title);
void html_section_end(struct strbuf *out);
/* The same folded; open: not at first. */
void html_fold(struct strbuf *out, const char *title, bool open);
void html_fold_end(struct strbuf *out);

/* What lies at a path of a document: "l1d.hit_rate", "kernels.0.ipc"; NULL: nothing. */
const json_t *doc_at(const json_t *doc, const char *path);
u64 doc_whole(const json_t *doc, const char *path);
double doc_real(const json_t *doc, const char *path); /* NAN: there is none */
const char *doc_text(const json_t *doc, const char *path);

/* A number for people: "48,213", "41.2 %" (a real without a unit is a share), "12.07", "-" where there is none. */
#define FIGURE_MAX 40
const char *figure_text(const json_t *v, const char *unit, char out[FIGURE_MAX]);
/* The same of a real; share: in percent. */
const char *real_text(double v, bool share, char out[FIGURE_MAX]);
/* Appends attributes: data-f, the figure's path in the JSON, and data-v, its value as that has it. */
void figure_data(struct strbuf *out, const char *path, const json_t *v);
/* A table's cell of a figure of the document. */
void figure_cell(struct strbuf *out, const json_t *doc, const char *path, const char *unit);
/* Unit and definition of a figure by its path, of a counter or rate ("l1d.hit_rate", "sm.ipc") or one that a run has
 * beside them ("ipc", "cycles"); "" where there is none. */
struct figure_help {
	const char *unit, *text;
};
struct figure_help figure_help(const char *path);
#endif
