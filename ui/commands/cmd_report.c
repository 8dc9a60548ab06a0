/* report: the run so far, or the scope, as one page to send. */
#include "base/outfile.h"
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
	struct err why = {0};
	if (!page_name_ok(file, &why))
		return err_set(e, "report: %s", why.msg);
	if (d->run.in_run || lua_dbg_in_callback(d))
		return err_set(e, "report: the machine is running");
	if (!may_use_files(d, "report", e))
		return false;
	struct outfile *f = outfile_open(file, "report", e);
	bool ok = f && page_of_debugger(d, &text, e);
	take_output(d, out); /* what rules of `diagnose` have printed */
	ok = ok && outfile_put(f, strbuf_str(&text), text.len, e);
	if (ok)
		ok = outfile_commit(f, e);
	else
		outfile_drop(f);
	strbuf_release(&text);
	return ok;
}
