/* watch twatch: watchpoints (those of registers and memory: watch_data.c) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "script/dbg.h"

struct watch *watch_find(struct debugger *d, u32 id)
{
	for (u32 i = 0; i < d->nwatches; i++)
		if (d->watches[i].id == id)
			return &d->watches[i];
	return NULL;
}

static void watch_drop(struct watch *w)
{
	free(w->expr);
	if (w->data)
		data_watch_release(w->data);
	free(w->data);
}

void watch_delete(struct debugger *d, struct watch *w)
{
	watch_drop(w);
	u32 at = (u32)(w - d->watches);
	lua_dbg_unref(d, w->b->cond_ref);
	break_delete(&d->breaks, w->b->id);
	memmove(w, w + 1, (d->nwatches - at - 1) * sizeof(*w));
	d->nwatches--;
}

bool watches_each_cycle(const struct debugger *d)
{
	for (u32 i = 0; i < d->nwatches; i++)
		if (d->watches[i].b->enabled && !d->watches[i].data)
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
		w->b->enabled = false;
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

bool watch_is_filtered(const struct breakpoint *b)
{
	const struct event_filter *f = &b->filter;
	return f->sm >= 0 || f->warp >= 0 || f->cta >= 0 || f->launch >= 0 || *f->kernel;
}

/* A change as its condition sees it: with the place of the instruction that wrote, where there is one. */
static struct event change_event(struct debugger *d, const struct data_writer *writer)
{
	struct event ev = {
	    .type = EV_ISSUE, .cycle = sim_cycle(d->s->sim), .sm = -1, .kernel = -1, .cta = -1, .warp = -1, .pc = PC_DONE};
	if (!writer->known)
		return ev;
	ev.sm = (s32)writer->sm;
	ev.warp = (s32)writer->warp;
	ev.cta = writer->cta;
	ev.kernel = writer->launch;
	ev.pc = writer->pc;
	ev.arg[0] = writer->pc;
	ev.arg[1] = writer->lane_known ? BIT(writer->lane) : 0;
	return ev;
}

static void note_hit(struct debugger *d, struct watch *w, const struct strbuf *t, const struct data_writer *writer,
                     struct watch_stop *stop)
{
	struct event ev = change_event(d, writer);
	if (!event_filter_match(&w->b->filter, dbg_gpu(d), &ev) || !break_counts(&d->breaks, w->b, &ev) || stop->id)
		return;
	stop->id = w->id;
	stop->writer = *writer;
	strbuf_addf(&stop->text, "Watchpoint %u: %s: %s", w->id, w->expr, strbuf_str(t));
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
		if (!w->b->enabled)
			continue;
		if (w->data ? check_data(d, w, &t, &writer) : check_expression(d, w, &t, out))
			note_hit(d, w, &t, &writer, stop);
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
	if (!w->is_probe && *args != '%' && (misnamed(d, args, e) || !lua_dbg_check_expr(d, args, e)))
		return false;
	w->expr = xstrdup(args);
	changed(d, w, e);
	if (e->set)
		free(w->expr);
	return !e->set;
}

static struct watch *add_watch(struct debugger *d, struct watch w, const struct watch_request *r, bool temporary)
{
	w.b = break_new_watch(&d->breaks, r->expr);
	w.id = w.b->id;
	w.b->filter = r->filter;
	w.b->nth.n = r->count;
	nth_restart(&w.b->nth, sim_cycle(d->s->sim));
	w.b->cond = r->cond ? xstrdup(r->cond) : NULL;
	w.b->temporary = temporary;
	d->watches = xrealloc(d->watches, (d->nwatches + 1) * sizeof(w));
	d->watches[d->nwatches] = w;
	return &d->watches[d->nwatches++];
}

static void say_watch(const struct watch *w, struct strbuf *out)
{
	strbuf_addf(out, "%s %u: %s (now ", w->b->temporary ? "Temporary watchpoint" : "Watchpoint", w->id, w->expr);
	watch_value(w, out);
	if (w->data && w->data->kind == DATA_REGISTER)
		strbuf_addf(out, "; SM %u warp %u lane %u, CTA %lld", w->data->sm, w->data->warp, w->data->lane,
		            (long long)w->data->cta);
	strbuf_addc(out, ')');
	break_details(w->b, out);
	strbuf_addc(out, '\n');
}

/* Only a store to memory has a place that may be one or another. */
static bool filter_fits(const struct watch *w, const struct watch_request *r, struct err *e)
{
	if (!*r->filtered || (w->data && w->data->kind != DATA_REGISTER))
		return true;
	if (w->data)
		return err_set(e, "watch: %s: a register has one warp that writes it; `if` may test anything", r->filtered);
	return err_set(
	    e,
	    "watch: %s: what a statistic or an expression changes by has no place, only a store to watched memory "
	    "has; `if` may test anything",
	    r->filtered);
}

static bool make_watch(struct debugger *d, const struct watch_request *r, struct watch *w, struct err *e)
{
	bool mine;
	if (watch_data(d, r->expr, w, &mine, e))
		w->expr = xstrdup(r->expr);
	else if (mine || !watch_expression(d, r->expr, w, e))
		return false;
	if (filter_fits(w, r, e))
		return true;
	watch_drop(w);
	return false;
}

static bool watch(struct debugger *d, const char *args, bool temporary, struct strbuf *out, struct err *e)
{
	struct watch w = {0};
	struct watch_request r;
	bool ok = watch_split(d, args, &r, e) && make_watch(d, &r, &w, e);
	if (ok)
		say_watch(add_watch(d, w, &r, temporary), out);
	watch_request_release(&r);
	debugger_resubscribe(d);
	return ok;
}

bool cmd_watch(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	return watch(d, args, false, out, e);
}

bool cmd_twatch(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	return watch(d, args, true, out, e);
}

void watch_enable(struct debugger *d, struct watch *w, bool on)
{
	bool was = w->b->enabled;
	struct err e = {0};
	w->b->enabled = on;
	if (!on || was)
		return;
	if (w->data) /* changes while it was off do not count */
		data_watch_bind(w->data, dbg_gpu(d));
	else
		changed(d, w, &e);
}
