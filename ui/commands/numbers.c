/* delete enable disable undisplay: breakpoints, watchpoints and displays by number */
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"

enum by_number { DELETE, ENABLE, DISABLE };

static void apply_break(struct debugger *d, struct breakpoint *b, enum by_number what)
{
	if (what == DELETE) {
		break_delete(&d->breaks, b->id);
		return;
	}
	if (what == ENABLE && !b->enabled && b->kind == BK_STAT) /* what it became while it was off does not count */
		crossing_moved(&b->stat, dbg_gpu(d));
	b->enabled = what == ENABLE;
}

static void apply_watch(struct debugger *d, struct watch *w, enum by_number what)
{
	if (what == DELETE)
		watch_delete(d, w);
	else
		watch_enable(d, w, what == ENABLE);
}

static bool apply_number(struct debugger *d, u32 id, enum by_number what, const char *name, struct err *e)
{
	struct breakpoint *b = break_find(&d->breaks, id);
	struct watch *w = watch_find(d, id);
	if (w) {
		apply_watch(d, w, what);
	} else if (b && !b->internal) {
		if (what == DELETE)
			lua_dbg_unref(d, b->cond_ref);
		apply_break(d, b, what);
	} else {
		return err_set(e, "%s: there is no breakpoint or watchpoint %u", name, id);
	}
	return true;
}

static void apply_all(struct debugger *d, enum by_number what)
{
	for (u32 i = d->breaks.n; i-- > 0;)
		if (!d->breaks.list[i]->internal)
			apply_number(d, d->breaks.list[i]->id, what, "", NULL);
}

/* "1 2 5-7": calls fn for each number. */
static bool each_number(struct debugger *d, const char *args, enum by_number what, const char *name, struct err *e,
                        bool (*fn)(struct debugger *, u32, enum by_number, const char *, struct err *))
{
	char word[48];
	while ((args = next_word(args, word, sizeof(word)))) {
		u64 from, to;
		char *dash = strchr(word, '-');
		if (dash)
			*dash++ = 0;
		if (!(fn == apply_number ? break_number(d, word, &from) : word_number(word, &from)) ||
		    (dash && !word_number(dash, &to)) || from > 1000000)
			return err_set(e, "%s: '%s%s%s' is not a number", name, word, dash ? "-" : "", dash ? dash : "");
		to = dash ? to : from;
		if (to < from || to - from > 1000)
			return err_set(e, "%s: %llu-%llu is not a range", name, (unsigned long long)from, (unsigned long long)to);
		for (u64 i = from; i <= to; i++)
			if (!fn(d, (u32)i, what, name, e))
				return false;
	}
	return true;
}

static bool change(struct debugger *d, const char *args, enum by_number what, const char *name, struct err *e)
{
	bool ok = true;
	if (!*args)
		apply_all(d, what);
	else
		ok = each_number(d, args, what, name, e, apply_number);
	if (what == ENABLE)
		stats_know_windows(d);
	debugger_resubscribe(d);
	return ok;
}

static bool change_display(struct debugger *d, u32 id, enum by_number what, const char *name, struct err *e)
{
	for (u32 i = 0; i < d->ndisplays; i++) {
		struct display *x = &d->displays[i];
		if (x->id != id)
			continue;
		if (what == DELETE) {
			free(x->expr);
			memmove(x, x + 1, (d->ndisplays - i - 1) * sizeof(*x));
			d->ndisplays--;
		} else {
			x->enabled = what == ENABLE;
		}
		return true;
	}
	return err_set(e, "%s: there is no display %u", name, id);
}

static bool change_displays(struct debugger *d, const char *args, enum by_number what, const char *name, struct err *e)
{
	if (*args)
		return each_number(d, args, what, name, e, change_display);
	for (u32 i = d->ndisplays; i-- > 0;)
		change_display(d, d->displays[i].id, what, name, e);
	return true;
}

/* "display ..." after enable and disable means displays. */
static bool change_either(struct debugger *d, const char *args, enum by_number what, const char *name, struct err *e)
{
	char word[16];
	const char *rest = next_word(args, word, sizeof(word));
	if (rest && !strcmp(word, "display"))
		return change_displays(d, rest, what, name, e);
	return change(d, args, what, name, e);
}

bool cmd_delete(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	return change_either(d, args, DELETE, "delete", e);
}

bool cmd_enable(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	return change_either(d, args, ENABLE, "enable", e);
}

bool cmd_disable(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	return change_either(d, args, DISABLE, "disable", e);
}

bool cmd_undisplay(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	return change_displays(d, args, DELETE, "undisplay", e);
}
