/* follow: one request on its way through the memory system. */
#include <string.h>

#include "base/words.h"
#include "commands/commands.h"
#include "dbg/follow.h"

static bool aim_at_warp(struct debugger *d, const char *args, struct follow_aim *a, struct err *e)
{
	const u32 warps = gpu_warps_per_sm(dbg_gpu(d));
	u64 warp = d->focus.warp;
	if (!arg_number(args, "warp", warps - 1, &warp, e))
		return false;
	*a = (struct follow_aim){.by = FOLLOW_WARP, .sm = d->focus.sm, .warp = (u32)warp};
	return true;
}

static bool aim_at_line(struct debugger *d, const char *args, struct follow_aim *a, struct err *e)
{
	*a = (struct follow_aim){.by = FOLLOW_LINE};
	if (!*args)
		return err_set(e, "follow line: an address is expected (`follow line 0x10000080`)");
	return address_expression(d, args, &a->line, e);
}

static bool another_txn(struct debugger *d, const char *args, struct err *e)
{
	u64 txn = 0;
	if (!word_number(args, &txn) || !txn || txn > UINT16_MAX)
		return err_set(e, "follow txn: the number of a transaction of the load is expected, from 1 on");
	return follow_txn(d, (u32)txn - 1, e);
}

bool cmd_follow(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	char word[64] = "";
	const char *rest = next_word(args, word, sizeof word);
	struct follow_aim aim;
	bool ok = true;
	if (!strcmp(word, "off")) {
		follow_off(d);
		strbuf_adds(out, "Nothing is followed.\n");
		return arg_none(rest, "follow off", e);
	}
	if (!strcmp(word, "txn"))
		return another_txn(d, rest, e) && follow_text(d, out, e);
	if (!strcmp(word, "warp"))
		ok = aim_at_warp(d, rest, &aim, e);
	else if (!strcmp(word, "line"))
		ok = aim_at_line(d, rest, &aim, e);
	else if (!strncmp(word, "0x", 2) || *word == '*')
		ok = aim_at_line(d, *word == '*' ? skip_blanks(args + 1) : args, &aim, e);
	else if (rest)
		return err_set(e, "follow: `warp [W]`, `line ADDRESS`, 0xADDRESS, `txn N` or `off` is expected, not '%.40s'",
		               word);
	else if (follow_is_set(d))
		return follow_text(d, out, e);
	else
		ok = aim_at_warp(d, "", &aim, e);
	return ok && follow_set(d, &aim, e) && follow_text(d, out, e);
}
