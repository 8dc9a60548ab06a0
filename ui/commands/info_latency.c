/* info latency: how long loads took, and where. */
#include <string.h>

#include "base/words.h"
#include "commands/commands.h"
#include "dbg/latencies.h"
#include "dbg/scope.h"

#define LINES_SHOWN 20u

bool info_latency(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	char word[32] = "";
	const char *rest = next_word(args, word, sizeof word);
	const bool lines = rest && !strncmp("lines", word, MAX(strlen(word), 4u));
	u64 n = LINES_SHOWN;
	if (rest && !lines)
		return err_set(e, "info latency: `lines [N]` is expected, not '%.30s'", word);
	if (lines && !arg_number(rest, "number of lines", UINT32_MAX, &n, e))
		return false;
	if (lines && !n)
		return err_set(e, "info latency lines: at least one line");
	const struct latency *l = latencies_get(d, "info latency", e);
	if (!l)
		return false;
	if (d->scope.kind != SCOPE_RUN) {
		strbuf_adds(out, "Of ");
		scope_text(d, false, out);
		strbuf_adds(out, ":\n");
	}
	if (lines && l->nlines)
		latency_lines_text(l, (u32)n, out);
	else
		latency_text(l, out);
	return true;
}
