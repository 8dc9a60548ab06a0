/* files: the files that a debugger writes for its user or a script. */
#ifndef UI_DBG_FILES_H
#define UI_DBG_FILES_H
#include "dbg/debugger.h"

/* False with *e: a script asks for a file, without --allow-io. */
bool may_use_files(const struct debugger *d, const char *command, struct err *e);
/* The `export` command, for scripts too. */
bool export_now(struct debugger *d, const char *format, const char *file, s32 sm, struct err *e);
#endif
