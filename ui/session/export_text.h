/* export_text: what has been recorded, as text in one of several formats. */
#ifndef UI_SESSION_EXPORT_TEXT_H
#define UI_SESSION_EXPORT_TEXT_H
#include "session/state.h"

/* What export_write() (export_file.h) writes, but for traces. */
bool export_text(struct session *s, const char *format, s32 sm, const char *stop, struct strbuf *out, struct err *e);
/* The format of a phase graph by the file's ending: "phases-csv", "phases-svg"; NULL with *e. */
const char *export_phases_format(const char *file, struct err *e);
#endif
