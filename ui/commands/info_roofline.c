/* info roofline: operations, bytes, and what the machine could do of either. */
#include "commands/commands.h"
#include "dbg/scope.h"
#include "obs/stats/roofline.h"

bool info_roofline(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct roofline r;
	if (!arg_none(args, "info roofline", e))
		return false;
	if (!roofline_read(dbg_gpu(d), &r)) {
		strbuf_adds(out, "No kernel has been launched yet.\n");
		return true;
	}
	if (d->scope.kind != SCOPE_RUN) {
		strbuf_adds(out, "Of ");
		scope_text(d, false, out);
		strbuf_adds(out, ":\n");
	}
	roofline_text(&r, out);
	return true;
}
