/* export_file: writes what has been recorded to a file, in one of several formats. */
#ifndef UI_SESSION_EXPORT_FILE_H
#define UI_SESSION_EXPORT_FILE_H
#include "session/state.h"

struct export_format {
	const char *name, *help;
};
extern const struct export_format export_formats[];
extern const u32 nexport_formats;

/* Writes FILE. stop: why the run stopped, for json. sm: phases-svg alone, -1 = all SMs. False with *e: no such format,
 * nothing recorded for it, or the file cannot be written. */
bool export_write(struct session *s, const char *format, const char *file, s32 sm, const char *stop, struct err *e);
/* Writes text that somebody further up has made (whatif-csv, whatif-json, diagnose-json) to FILE in the same way. */
bool export_put(const char *file, const struct strbuf *text, struct err *e);
#endif
