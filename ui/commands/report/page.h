/* page: a report to send: a run, or two, as one HTML file that needs nothing beside it.
 *
 * The figures are those of the JSON report, which the page is made of: each stands beside its path there and its value
 * (data-f, data-v). Curves come from dbg/curves.h, findings from `diagnose`, launches, lines and requests from the
 * machine. The same run gives the same bytes: nothing of the host, the date or the way to this cycle is in it. */
#ifndef UI_COMMANDS_REPORT_PAGE_H
#define UI_COMMANDS_REPORT_PAGE_H
#include "base/outfile.h"
#include "commands/notes.h"
#include "commands/report/chart.h"
#include "commands/report/html.h"
#include "session/lockstep.h"

/* A run as a page shows it. */
struct page_run {
	struct session *s;
	struct debugger *d; /* NULL: there is none */
	const char *name;   /* of two runs: "A", "B"; else NULL */
	json_t *doc;        /* the JSON report; */
	json_t *diagnosis;  /* of `diagnose`; NULL: none, */
	char *undiagnosed;  /* and why */
	struct curves curves;
	struct strbuf scope; /* what the figures are of, in words; empty: of the whole run */
	struct chart_axis axis;
};

/* The file of a page: its name says that it is one, FILE.html (.htm), or a device. path NULL: *f is NULL. False with
 * *e. option: what it is for, "--report" (static). */
bool page_open(const char *option, const char *path, struct outfile **f, struct err *e);
/* Completes it with its text; f NULL is fine. False with *e: what was there before stays. */
bool page_close(const char *option, struct outfile *f, const struct strbuf *text, struct err *e);
/* Appends the page of a debugger's machine, as far as it is, of the scope if there is one. False with *e: interrupted,
 * or history does not reach there. */
bool page_of_debugger(struct debugger *d, struct strbuf *out, struct err *e);
/* The same where a second machine stands beside it (dbg/rival.h): both, as a comparison. Without the curves of both
 * in a scope, or where the second machine's samples are too coarse. */
bool page_of_rival(struct debugger *d, struct strbuf *out, struct err *e);
/* Of a run that is over: its session keeps samples (options.report). */
void page_of_session(struct session *s, const char *stop, struct strbuf *out);
/* Of a comparison. */
void page_of_comparison(struct compare *c, struct strbuf *out);

/* --- its parts: each appends a section, or nothing where there is nothing to show --- */

void page_begin(struct strbuf *out, const char *title); /* page_style.c */
void page_end(struct strbuf *out);

void part_head(const struct page_run *r, struct strbuf *out); /* page_head.c */
void part_scope(const struct page_run *r, struct strbuf *out);
void part_figures(const struct page_run *r, struct strbuf *out);
void part_slots(const struct page_run *r, struct strbuf *out);
void part_settings(const struct page_run *r, struct strbuf *out);
void part_findings(const struct page_run *r, struct strbuf *out); /* page_findings.c */
void part_curves(const struct page_run *r, struct strbuf *out);   /* page_curves.c */
void part_two_curves(const struct page_run r[2], struct strbuf *out);
void part_timeline(const struct page_run *r, struct strbuf *out); /* page_timeline.c */
void part_launches(const struct page_run *r, struct strbuf *out); /* page_tables.c */
void part_lines(const struct page_run *r, struct strbuf *out);    /* page_lines.c */
void part_phases(const struct page_run *r, struct strbuf *out);
void part_notes(const struct page_run *r, struct strbuf *out);
void part_all_figures(const struct page_run *r, struct strbuf *out);
#endif
