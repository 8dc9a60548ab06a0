/* export: what has been recorded, written to a file in one of several formats. */
#ifndef UI_SESSION_EXPORT_FILE_H
#define UI_SESSION_EXPORT_FILE_H
#include "session/session.h"

struct export_format {
	const char *name, *help;
};
extern const struct export_format export_formats[];
extern const u32 nexport_formats;

/* Writes FILE. stop: why the run stopped, for json. sm: phases-svg alone, -1 = all SMs. False with *e: no such format,
 * nothing recorded for it, or the file cannot be written. */
bool export_write(struct session *s, const char *format, const char *file, s32 sm, const char *stop, struct err *e);
/* What export_write writes, but for traces. */
bool export_text(struct session *s, const char *format, s32 sm, const char *stop, struct strbuf *out, struct err *e);
/* The format of a phase graph by the file's ending: "phases-csv", "phases-svg"; NULL with *e. */
const char *export_phases_format(const char *file, struct err *e);
#endif
