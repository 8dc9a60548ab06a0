/* What a debugger writes for its user or a script. */
#include "dbg/files.h"

#include <string.h>

#include "dbg/diagnose.h"
#include "dbg/lanes_export.h"
#include "dbg/whatif.h"
#include "session/export_file.h"

/* A script may write files only where --allow-io says so. */
bool may_use_files(const struct debugger *d, const char *command, struct err *e)
{
	return !d->script.scripted || d->s->opt->allow_io ||
	       err_set(e, "%s: scripts use files only with --allow-io", command);
}

/* "whatif-csv", "whatif-json" */
static bool export_whatif(struct debugger *d, const char *format, const char *file, struct err *e)
{
	struct strbuf text = STRBUF_INIT;
	if (!d->whatif || whatif_running(d))
		return err_set(e, "export %s: there is no table of `whatif` yet", format);
	if (strstr(format, "json"))
		whatif_json(d->whatif, &text);
	else
		whatif_csv(d->whatif, &text);
	const bool ok = export_put(file, &text, e);
	strbuf_release(&text);
	return ok;
}

static bool export_diagnosis(struct debugger *d, const char *file, struct err *e)
{
	struct strbuf text = STRBUF_INIT;
	if (!d->diagnosed.is)
		return err_set(e, "export diagnose-json: there are no findings of `diagnose` yet");
	diagnosis_json(d->diagnosed.is, &text);
	const bool ok = export_put(file, &text, e);
	strbuf_release(&text);
	return ok;
}

bool export_now(struct debugger *d, const char *format, const char *file, s32 sm, struct err *e)
{
	const char *stop = d->run.ran ? session_stop_word(d->run.last) : "stopped by a script";
	if (!may_use_files(d, "export", e))
		return false;
	if (!strcmp(format, "konata"))
		return lanes_export_all(d, file, sm, e);
	if (!strcmp(format, "diagnose-json"))
		return export_diagnosis(d, file, e);
	return !strcmp(format, "whatif-csv") || !strcmp(format, "whatif-json")
	           ? export_whatif(d, format, file, e)
	           : export_write(d->s, format, file, sm, stop, e);
}
