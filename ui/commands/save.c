/* save breakpoints: a file of commands that `source` reads */
#include <string.h>

#include "base/outfile.h"
#include "base/words.h"
#include "commands/cta_verbs.h"
#include "commands/commands.h"
#include "commands/save.h"

/* What a watchpoint looks at goes with a warp or a CTA that is there now: another session has another one. */
static bool of_the_focus(const struct watch *w)
{
	return w && w->data && w->data->kind != DATA_GLOBAL;
}

static void add_location(const struct breakpoint *b, const struct watch *w, struct strbuf *out)
{
	static const char *const before[] = {[BK_STAT] = "stat "};
	const char *kind = b->kind < ARRAY_LEN(before) && before[b->kind] ? before[b->kind] : "";
	strbuf_addf(out, "%s%s %s%s", b->temporary ? "t" : "", w ? "watch" : "break", kind, w ? w->expr : b->what);
	event_filter_text(&b->filter, b->event, out);
	if (b->nth.n)
		strbuf_addf(out, " count=%llu", (unsigned long long)b->nth.n);
	if (b->cond && b->kind != BK_DIVERGE) /* it takes none behind its options */
		strbuf_addf(out, " if %s", b->cond);
	strbuf_addc(out, '\n');
}

static void add_breakpoint(const struct breakpoint *b, const struct watch *w, struct strbuf *out)
{
	add_location(b, w, out);
	if (b->cond && b->kind == BK_DIVERGE)
		strbuf_addf(out, "condition $bpnum %s\n", b->cond);
	if (b->ignore)
		strbuf_addf(out, "ignore $bpnum %llu\n", (unsigned long long)b->ignore);
	if (b->commands)
		strbuf_addf(out, "commands $bpnum\n%send\n", b->commands);
	if (!b->enabled)
		strbuf_adds(out, "disable $bpnum\n");
}

/* Those of cycles come last: one that has passed where the file is read ends the reading of it, the latest comes
 * first. */
static u32 add_all(struct debugger *d, bool cycles, u64 now, struct strbuf *out, struct strbuf *left_out)
{
	u32 n = 0;
	for (u32 i = 0; i < d->breaks.n; i++) {
		const struct breakpoint *b = d->breaks.list[cycles ? d->breaks.n - 1 - i : i];
		const struct watch *w = b->kind == BK_WATCH ? watch_find(d, b->id) : NULL;
		if (b->internal || (b->kind == BK_CYCLE) != cycles || (cycles && b->cycle <= now && now))
			continue;
		if (of_the_focus(w)) {
			strbuf_addf(left_out, "Watchpoint %u, %s, is left out: it goes with the warp or CTA that it was set for.\n",
			            b->id, w->expr);
			continue;
		}
		add_breakpoint(b, w, out);
		n++;
	}
	return n;
}

u32 breakpoints_text(struct debugger *d, u64 now, struct strbuf *out, struct strbuf *left_out)
{
	const u32 n = add_all(d, false, now, out, left_out);
	return n + add_all(d, true, now, out, left_out);
}

bool cmd_save(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	char word[32], file[1024];
	struct strbuf text = STRBUF_INIT, left_out = STRBUF_INIT;
	const char *rest = next_word(args, word, sizeof word);
	if (rest && !strcmp(word, "cta"))
		return order_cta(d, CTA_SAVE, args, out, e);
	if (rest && !strcmp(word, "session"))
		return save_session(d, rest, out, e);
	if (!rest || strncmp(word, "breakpoints", strlen(word)) != 0)
		return err_set(
		    e,
		    "save: `save session FILE`, `save breakpoints FILE` and `save cta [N]` are what there is; `record`, `export` and "
		    "`screenshot` write others");
	rest = next_file(rest, file, sizeof file, e);
	if (!rest)
		return e->set ? false : err_set(e, "save breakpoints: a file is expected");
	if (*rest)
		return err_set(e, "save breakpoints: '%.40s' is left over behind the file", rest);
	strbuf_adds(&text, "# breakpoints of warpdbg: `source` sets them\n");
	const u32 n = breakpoints_text(d, 0, &text, &left_out);
	bool ok = n || err_set(e, "save breakpoints: there is none%s",
	                       left_out.len ? " but watchpoints that go with a warp or CTA" : "");
	ok = ok && may_use_files(d, "save", e) && file_write(file, text.buf, text.len, e);
	if (ok)
		strbuf_addf(out, "%s%u breakpoint%s saved in %s (`source` sets %s again)\n", strbuf_str(&left_out), n,
		            plural(n), file, by_number(n, "it", "them"));
	strbuf_release(&left_out);
	strbuf_release(&text);
	return ok;
}
