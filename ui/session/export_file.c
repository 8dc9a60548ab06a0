#include "session/export_file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/outfile.h"
#include "session/export_text.h"
#include "session/outputs.h"

const struct export_format export_formats[] = {
    {"csv", "the curves of the views over time, the machine's"},
    {"phases-csv", "the phase graph as a table, every SM"},
    {"phases-svg", "the phase graph as a picture, all SMs or one"},
    {"trace", "what --trace has recorded so far, for Perfetto"},
    {"konata", "warps over time, of an SM, for the pipeline viewer Konata"},
    {"json", "the statistics, as run --stats writes them"},
    {"diagnose-json", "the last findings of `diagnose`"},
    {"whatif-csv", "the last table of `whatif`"},
    {"whatif-json", "the last table of `whatif`, with its cycles and why rows failed"},
};
const u32 nexport_formats = ARRAY_LEN(export_formats);

static bool known(const char *format, struct err *e)
{
	const char *names[ARRAY_LEN(export_formats)];
	struct strbuf all = STRBUF_INIT;
	bool found = false;
	for (u32 i = 0; i < nexport_formats; i++) {
		names[i] = export_formats[i].name;
		found |= !strcmp(names[i], format);
		strbuf_addf(&all, "%s%s", i ? " " : "", names[i]);
	}
	const char *near = found ? NULL : conf_nearest(format, names, nexport_formats);
	if (near)
		err_set(e, "no such format '%s' (did you mean '%s'?); there are: %s", format, near, all.buf);
	else if (!found)
		err_set(e, "no such format '%s'; there are: %s", format, all.buf);
	strbuf_release(&all);
	return found;
}

static bool write_trace(struct session *s, struct outfile *to, struct err *e)
{
	int fd = dup(outfile_fd(to));
	FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
	bool ok = f && outputs_export_trace(s, f, e);
	return f && (!fclose(f) || !ok) && ok;
}

bool export_put(const char *file, const struct strbuf *text, struct err *e)
{
	struct outfile *f = outfile_open(file, "export", e);
	bool ok = f && outfile_put(f, strbuf_str(text), text->len, e);
	if (ok)
		ok = outfile_commit(f, e);
	else
		outfile_drop(f);
	return ok || err_set(e, "%s: cannot write", file);
}

bool export_write(struct session *s, const char *format, const char *file, s32 sm, const char *stop, struct err *e)
{
	struct strbuf text = STRBUF_INIT;
	bool trace = !strcmp(format, "trace");
	if (!known(format, e))
		return false;
	bool ok = trace ? outputs_trace_ready(s, e) : export_text(s, format, sm, stop, &text, e);
	struct outfile *f = ok ? outfile_open(file, "export", e) : NULL;
	ok = f && (trace ? write_trace(s, f, e) : outfile_put(f, strbuf_str(&text), text.len, e));
	if (ok)
		ok = outfile_commit(f, e);
	else
		outfile_drop(f);
	strbuf_release(&text);
	return ok || err_set(e, "%s: cannot write", file);
}
