/* watch delete enable disable: watchpoints (those of registers and memory: watch_data.c), and what applies to them and
 * to breakpoints by number */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "lua/dbg.h"

struct watch *watch_find(struct debugger *d, u32 id)
{
	for (u32 i = 0; i < d->nwatches; i++)
		if (d->watches[i].id == id)
			return &d->watches[i];
	return NULL;
}

void watch_delete(struct debugger *d, struct watch *w)
{
	free(w->expr);
	if (w->data)
		data_watch_release(w->data);
	free(w->data);
	u32 at = (u32)(w - d->watches);
	memmove(w, w + 1, (d->nwatches - at - 1) * sizeof(*w));
	d->nwatches--;
}

bool watches_each_cycle(const struct debugger *d)
{
	for (u32 i = 0; i < d->nwatches; i++)
		if (d->watches[i].enabled && !d->watches[i].data)
			return true;
	return false;
}

void watch_value(const struct watch *w, struct strbuf *out)
{
	if (w->data)
		data_watch_value(w->data, out);
	else
		strbuf_adds(out, w->old);
}

static void keep_text(char *to, size_t size, const struct strbuf *t)
{
	snprintf(to, size, "%s", strbuf_str(t));
}

/* Reads the value as text into w->old; true when it changed. Probes are compared as numbers, without making text. */
static bool changed(struct debugger *d, struct watch *w, struct err *e)
{
	struct strbuf t = STRBUF_INIT;
	if (w->is_probe) {
		struct probe_value v = probe_read(dbg_gpu(d), &w->probe);
		if (w->known && probe_value_equal(v, w->old_value))
			return false;
		w->old_value = v;
		probe_value_text(v, &t);
	} else if (!looked_at(d, w->expr, &t, e)) {
		strbuf_release(&t);
		return false;
	}
	bool differs = w->known && strncmp(strbuf_str(&t), w->old, sizeof(w->old) - 1) != 0;
	w->known = true;
	keep_text(w->old, sizeof(w->old), &t);
	strbuf_release(&t);
	return differs;
}

/* An expression's: true when it has changed, "old -> new" in t. */
static bool check_expression(struct debugger *d, struct watch *w, struct strbuf *t, struct strbuf *out)
{
	struct err e = {0};
	char before[128];
	memcpy(before, w->old, sizeof(before));
	bool hit = changed(d, w, &e);
	if (e.set && d->s->replaying) { /* a search changes nothing; what it finds is told with the error */
		char what[40];
		snprintf(what, sizeof(what), "watchpoint %u failed", w->id);
		lua_dbg_keep_error(d, what, &e);
	} else if (e.set) {
		strbuf_addf(out, "Watchpoint %u is disabled: %s\n", w->id, e.msg);
		w->enabled = false;
	}
	if (hit)
		strbuf_addf(t, "%s -> %s", before, w->old);
	return hit;
}

static bool check_data(struct debugger *d, struct watch *w, struct strbuf *t, struct data_writer *writer)
{
	struct data_watch *x = w->data;
	if (!data_watch_look(x, dbg_gpu(d)) || !x->changed)
		return false;
	data_watch_change(x, t);
	if (x->writer.known)
		strbuf_addc(t, '\n');
	else
		strbuf_adds(t, ", not by a kernel (the host program, or you)");
	data_watch_writer(x, dbg_gpu(d), t);
	*writer = x->writer;
	data_watch_taken(x);
	return true;
}

static void note_hit(struct watch *w, const struct strbuf *t, const struct data_writer *writer, struct watch_stop *stop)
{
	w->hits++;
	if (w->ignore) {
		w->ignore--;
	} else if (!stop->id) {
		stop->id = w->id;
		stop->writer = *writer;
		strbuf_addf(&stop->text, "Watchpoint %u: %s: %s", w->id, w->expr, strbuf_str(t));
	}
}

/* The warp has exited, the CTA is done: the watchpoint goes, as a local variable's does in gdb. */
static void note_end(struct debugger *d, u32 i, struct watch_stop *stop)
{
	static const char *const why[] = {[DATA_REGISTER] = "its warp has exited",
	                                  [DATA_SHARED] = "its CTA is done",
	                                  [DATA_GLOBAL] = "the memory has been freed"};
	struct watch *w = &d->watches[i];
	if (!stop->id) {
		stop->id = w->id;
		strbuf_addf(&stop->text, "Watchpoint %u is deleted, %s: %s was ", w->id, why[w->data->kind], w->expr);
		watch_value(w, &stop->text);
	}
	watch_delete(d, w);
	debugger_resubscribe(d);
}

bool watches_check(struct debugger *d, struct strbuf *out, struct watch_stop *stop)
{
	*stop = (struct watch_stop){0};
	for (u32 i = 0; i < d->nwatches; i++) {
		struct watch *w = &d->watches[i];
		struct strbuf t = STRBUF_INIT;
		struct data_writer writer = {0};
		if (!w->enabled)
			continue;
		if (w->data ? check_data(d, w, &t, &writer) : check_expression(d, w, &t, out))
			note_hit(w, &t, &writer, stop);
		if (w->data && w->data->ended && !d->s->replaying)
			note_end(d, i--, stop);
		strbuf_release(&t);
	}
	return stop->id;
}

void watches_rebind(struct debugger *d)
{
	for (u32 i = 0; i < d->nwatches; i++) {
		struct watch *w = &d->watches[i];
		struct err e = {0};
		if (w->data) {
			data_watch_bind(w->data, dbg_gpu(d));
			continue;
		}
		w->known = false;
		w->old[0] = 0;
		w->is_probe = probe_parse(dbg_gpu(d), w->expr, &w->probe, &e);
		err_clear(&e);
		changed(d, w, &e);
	}
}

static bool watch_expression(struct debugger *d, const char *args, struct watch *w, struct err *e)
{
	struct err probe_error = {0};
	w->is_probe = probe_parse(dbg_gpu(d), args, &w->probe, &probe_error);
	if (!w->is_probe && *args != '%' && !lua_dbg_check_expr(d, args, e))
		return false;
	w->expr = xstrdup(args);
	changed(d, w, e);
	if (e->set)
		free(w->expr);
	return !e->set;
}

bool cmd_watch(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct watch w = {.enabled = true};
	bool mine;
	if (!*args)
		return err_set(e, "watch: a probe (gpu.sm[0].l1d.misses), %%register, *ADDRESS or Lua expression is expected");
	if (watch_data(d, args, &w, &mine, e))
		w.expr = xstrdup(args);
	else if (mine || !watch_expression(d, args, &w, e))
		return false;
	w.id = d->breaks.next_id++;
	d->watches = xrealloc(d->watches, (d->nwatches + 1) * sizeof(w));
	d->watches[d->nwatches++] = w;
	strbuf_addf(out, "Watchpoint %u: %s (now ", w.id, w.expr);
	watch_value(&w, out);
	if (w.data && w.data->kind == DATA_REGISTER)
		strbuf_addf(out, "; SM %u warp %u lane %u, CTA %lld", w.data->sm, w.data->warp, w.data->lane,
		            (long long)w.data->cta);
	strbuf_adds(out, ")\n");
	debugger_resubscribe(d);
	return true;
}

/* --- by number -------------------------------------------------------------------------------------------------------
 */

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
	if (what == DELETE) {
		watch_delete(d, w);
		return;
	}
	if (what == ENABLE && !w->enabled) { /* changes while it was off do not count */
		w->enabled = true;
		struct err e = {0};
		if (w->data)
			data_watch_bind(w->data, dbg_gpu(d));
		else
			changed(d, w, &e);
	}
	w->enabled = what == ENABLE;
}

static bool apply_number(struct debugger *d, u32 id, enum by_number what, const char *name, struct err *e)
{
	struct breakpoint *b = break_find(&d->breaks, id);
	struct watch *w = watch_find(d, id);
	if (b && !b->internal) {
		if (what == DELETE)
			lua_dbg_unref(d, b->cond_ref);
		apply_break(d, b, what);
	} else if (w) {
		apply_watch(d, w, what);
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
	for (u32 i = d->nwatches; i-- > 0;)
		apply_watch(d, &d->watches[i], what);
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
		if (!word_number(word, &from) || (dash && !word_number(dash, &to)) || from > 1000000)
			return err_set(e, "%s: '%s' is not a number", name, word);
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
