/* info reuse: LRU stack distances of the accesses of L1D and L2. */
#include <string.h>

#include "base/words.h"
#include "commands/commands.h"
#include "dbg/reuses.h"
#include "dbg/scope.h"

#define LINES_SHOWN 20u

static bool is(const char *word, const char *whole, size_t least)
{
	return strlen(word) >= least && !strncmp(whole, word, strlen(word));
}

static void whole_text(struct debugger *d, struct strbuf *out)
{
	if (d->scope.kind == SCOPE_RUN)
		return;
	strbuf_adds(out, "Of ");
	scope_text(d, false, out);
	strbuf_adds(out, ":\n");
}

bool info_reuse(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	char word[32] = "";
	const struct conf *c = gpu_conf(dbg_gpu(d));
	const char *rest = next_word(args, word, sizeof word);
	const bool lines = rest && is(word, "lines", 2), l1 = rest && !lines && is(word, "l1d", 2),
	           l2 = rest && is(word, "l2", 2);
	const u32 slices = c->partitions * c->l2_slices;
	u64 n = lines ? LINES_SHOWN : NEVER;
	if (rest && !lines && !l1 && !l2)
		return err_set(e, "info reuse: `lines [N]`, `l1d [SM]` or `l2 [SLICE]` is expected, not '%.30s'", word);
	if (rest && !arg_number(rest, lines ? "number of lines" : l1 ? "SM" : "slice", UINT32_MAX, &n, e))
		return false;
	if (lines && !n)
		return err_set(e, "info reuse lines: at least one line");
	if (!lines && n != NEVER && n >= (l1 ? c->num_sms : slices))
		return err_set(e, "info reuse %s: there are %s 0 to %u", l1 ? "l1d" : "l2", l1 ? "SMs" : "slices",
		               (l1 ? c->num_sms : slices) - 1);
	const struct reuse *r = reuses_get(d, "info reuse", e);
	if (!r)
		return false;
	whole_text(d, out);
	if (lines) {
		reuse_lines_text(r, (u32)n, out);
		return true;
	}
	if (!l2)
		reuse_text(r, REUSE_L1D, n == NEVER ? -1 : (s32)n, out);
	if (!l1 && !l2)
		strbuf_addc(out, '\n');
	if (!l1)
		reuse_text(r, REUSE_L2, n == NEVER ? -1 : (s32)n, out);
	return true;
}
