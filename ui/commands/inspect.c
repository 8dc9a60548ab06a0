/* inspect: the ready inspections of scripts/inspect, listed, loaded when asked for, and reported. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/wrap.h"
#include "commands/commands.h"
#include "session/inspections.h"

static void list_one(void *ctx, const char *name, const char *says)
{
	struct strbuf *out = ctx;
	strbuf_addf(out, "%-14s  ", name);
	text_wrap(says, 16, WRAP_WIDTH, out);
}

static bool is_word(const char *s)
{
	if (!isalpha((u8)*s))
		return false;
	while (isalnum((u8)*s) || *s == '_')
		s++;
	return !*s;
}

/* Cuts each line behind byte `from` to so many characters: a table is read by its columns, not round corners. */
static void clip_lines(struct strbuf *out, size_t from, u32 columns)
{
	size_t to = from;
	u32 width = 0;
	for (size_t i = from; i < out->len; i++) {
		const char c = out->buf[i];
		width = c == '\n' ? 0 : width + ((c & 0xc0) != 0x80);
		if (width <= columns)
			out->buf[to++] = c;
	}
	out->len = to;
	out->buf[to] = '\0';
}

bool cmd_inspect(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	if (!*args) {
		inspections_each(d->s->data_dir, list_one, out);
		return true;
	}
	if (!is_word(args))
		return cmd_print(d, args, out, e); /* gdb's other name for print */
	struct err unknown = {0};
	if (!inspection_known(d->s->data_dir, args, &unknown))
		return err_set(e, "%s; `print` shows a value", unknown.msg);
	struct strbuf code = STRBUF_INIT;
	strbuf_addf(&code, "require('inspect.lib').show('%s')", args);
	bool ok = lua_dbg_exec(d, strbuf_str(&code), "=inspect", NULL, e);
	strbuf_release(&code);
	const size_t from = out->len;
	take_output(d, out);
	if (d->report.columns)
		clip_lines(out, from, d->report.columns);
	return ok;
}
