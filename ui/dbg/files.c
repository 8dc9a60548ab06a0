/* What a debugger writes for its user or a script. */
#include "dbg/files.h"

#include "session/export_file.h"

/* A script may write files only where --allow-io says so. */
bool may_use_files(const struct debugger *d, const char *command, struct err *e)
{
	return !d->script.scripted || d->s->opt->allow_io ||
	       err_set(e, "%s: scripts use files only with --allow-io", command);
}

bool export_now(struct debugger *d, const char *format, const char *file, s32 sm, struct err *e)
{
	const char *stop = d->run.ran ? session_stop_word(d->run.last) : "stopped by a script";
	return may_use_files(d, "export", e) && export_write(d->s, format, file, sm, stop, e);
}
