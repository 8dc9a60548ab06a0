/* The command `analyze`: runs a program and reports what an analysis has seen of it. */
#ifndef UI_CLI_ANALYZE_ANALYZE_H
#define UI_CLI_ANALYZE_ANALYZE_H
#include "obs/stats/dependencies.h"
#include "session/session.h"

int analyze_main(struct options *o);

/* ui/cli/analyze/report.c: a table, or an object; *why in a word: how the run ended. */
void dependencies_text(const struct dependencies *d, const char *program, struct strbuf *out);
void dependencies_json(const struct dependencies *d, const char *program, const char *why, struct strbuf *out);
#endif
