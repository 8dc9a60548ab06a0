/* watch %REGISTER, watch *ADDRESS, watch mem, watch shared: what is seen by events, with who wrote it */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"

/* "ADDRESS[:BYTES]" or "ADDRESS [BYTES]", 4 bytes without. The address may be an expression with blanks when BYTES is
 * behind a colon. */
static bool split_range(const char *text, bool by_blank, char *addr, size_t size, u64 *bytes, struct err *e)
{
	const char *sep = strrchr(text, by_blank ? ' ' : ':');
	*bytes = 4;
	snprintf(addr, size, "%.*s", (int)(sep ? MIN((size_t)(sep - text), size - 1) : MIN(strlen(text), size - 1)), text);
	if (sep && (!word_number(skip_blanks(sep + 1), bytes) || *bytes > DATA_WATCH_MAX || !*bytes))
		return err_set(e, "watch: '%.30s': a number of bytes from 1 to %u is expected", sep + 1, DATA_WATCH_MAX);
	return *skip_blanks(addr) || err_set(e, "watch: an address is expected");
}

static bool global_range(struct debugger *d, const char *text, bool by_blank, struct data_watch *w, struct err *e)
{
	char expr[200];
	u64 bytes, addr;
	return split_range(text, by_blank, expr, sizeof(expr), &bytes, e) && address_expression(d, expr, &addr, e) &&
	       data_watch_global(w, dbg_gpu(d), addr, (u32)bytes, e);
}

static bool shared_range(struct debugger *d, const char *text, struct data_watch *w, struct err *e)
{
	char expr[200];
	u64 bytes, offset;
	return split_range(text, false, expr, sizeof(expr), &bytes, e) && shared_expression(d, expr, &offset, e) &&
	       data_watch_shared(w, dbg_gpu(d), d->focus.sm, d->focus.warp, offset, (u32)bytes, e);
}

/* A register alone; "%r1 + 1" is no Lua either and gets its error there. */
static bool is_register(const char *args)
{
	return *args == '%' && !args[strcspn(args, " \t+-*/")];
}

bool watch_data(struct debugger *d, const char *args, struct watch *w, bool *mine, struct err *e)
{
	struct data_watch x = {0};
	bool ok;
	*mine = true;
	if (is_register(args))
		ok = data_watch_register(&x, dbg_gpu(d), d->focus.sm, d->focus.warp, d->focus.lane, args, e);
	else if (*args == '*')
		ok = global_range(d, skip_blanks(args + 1), false, &x, e);
	else if (!strncmp(args, "mem", 3) && (!args[3] || args[3] == ' '))
		ok = global_range(d, skip_blanks(args + 3), true, &x, e);
	else if (!strncmp(args, "shared:", 7))
		ok = shared_range(d, args + 7, &x, e);
	else
		return *mine = false;
	if (!ok)
		return false;
	w->data = xmalloc(sizeof(x));
	*w->data = x;
	return true;
}
