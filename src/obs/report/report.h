/* report: a run's statistics as JSON, CSV or text. Two runs of the same thing give the same bytes, apart from JSON's
 * `host` object, CSV's host.* rows and the text's last line. */
#ifndef OBS_REPORT_REPORT_H
#define OBS_REPORT_REPORT_H
#include "base/strbuf.h"
#include "obs/stats/stats.h"

#define REPORT_SCHEMA "warpdbg-run"
#define REPORT_VERSION 1

/* Each appends the whole report, ending in a newline. */
void report_json(const struct stats *s, struct strbuf *out);
void report_csv(const struct stats *s, struct strbuf *out);
struct text_style {
	bool color; /* ANSI colours */
	bool ascii; /* no characters beyond ASCII */
};
/* A summary of one screen (80 columns). */
void report_text(const struct stats *s, const struct text_style *style, struct strbuf *out);
#endif
