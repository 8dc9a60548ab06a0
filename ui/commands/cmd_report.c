/* report: the run so far, or the scope, as one page to send. */
#include "commands/commands.h"
#include "commands/report/page.h"
#include "dbg/files.h"
#include "dbg/log.h"

bool cmd_report(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	char file[1024];
	struct strbuf text = STRBUF_INIT;
	const char *rest = next_file(args, file, sizeof file, e);
	if (!rest)
		return e->set ? false : err_set(e, "report: a file is expected: report FILE.html");
	if (*rest)
		return err_set(e, "report: '%.40s' is left over behind the file", rest);
	if (d->run.in_run || lua_dbg_in_callback(d))
		return err_set(e, "report: the machine is running");
	struct outfile *f;
	if (!may_use_files(d, "report", e) || !page_open("report", file, &f, e))
		return false;
	bool ok = page_of_debugger(d, &text, e);
	take_output(d, out); /* what rules of `diagnose` have printed */
	if (ok)
		ok = page_close("report", f, &text, e);
	else
		outfile_drop(f);
	strbuf_release(&text);
	return ok;
}
