/* note, info notes */
#include <string.h>

#include "commands/commands.h"

static bool delete_note(struct notes *n, const char *args, struct err *e)
{
	u64 i = 0;
	if (!*args)
		return err_set(e, "note delete: a number is expected (`info notes`)");
	if (!arg_number(args, "note delete", UINT32_MAX, &i, e))
		return false;
	if (!i || i > n->n)
		return err_set(e, "note delete: there is no note %llu (`info notes`)", (unsigned long long)i);
	notes_delete(n, (u32)i - 1);
	return true;
}

bool cmd_note(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct notes *n = &d->shell->notes;
	char word[32];
	u64 cycle = sim_cycle(d->s->sim);
	const char *rest = next_word(args, word, sizeof word);
	if (!rest)
		return err_set(e, "note: a text is expected");
	if (!strcmp(word, "delete"))
		return delete_note(n, rest, e);
	if (!strcmp(word, "at")) {
		rest = next_word(rest, word, sizeof word);
		if (!rest || !*rest)
			return err_set(e, "note at: a cycle and a text are expected");
		if (!arg_number(word, "note at", UINT64_MAX - 1, &cycle, e))
			return false;
		args = rest;
	}
	notes_add(n, cycle, args);
	return true;
}

bool info_notes(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	const struct notes *n = &d->shell->notes;
	if (!arg_none(args, "info notes", e))
		return false;
	if (!n->n)
		strbuf_adds(out, "no notes (`note TEXT` writes one about the present cycle)\n");
	for (u32 i = 0; i < n->n; i++)
		strbuf_addf(out, "%3u  cycle %llu  %s\n", i + 1, (unsigned long long)n->note[i].cycle, n->note[i].text);
	return true;
}
