/* inspections: the ready inspections, scripts/inspect/NAME.lua, by their names. */
#ifndef UI_SESSION_INSPECTIONS_H
#define UI_SESSION_INSPECTIONS_H
#include "base/err.h"
#include "base/strbuf.h"

/* In the order of their names; says: what a script's first line says of it. */
void inspections_each(const char *data_dir, void (*fn)(void *ctx, const char *name, const char *says), void *ctx);
/* False with *e: "no inspection 'name' (did you mean ...?)", or all that there are. */
bool inspection_known(const char *data_dir, const char *name, struct err *e);
/* Its script; to be freed. */
char *inspection_path(const char *data_dir, const char *name);
/* The text at the head of its script: what it shows, its settings and columns. */
void inspection_help(const char *data_dir, const char *name, struct strbuf *out);
#endif
