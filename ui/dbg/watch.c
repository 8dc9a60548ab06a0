/* Watchpoints: looking for changes, and what is said of one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dbg/lua_side.h"
#include "dbg/value.h"
#include "dbg/watch.h"
#include "gpu/scope.h"

struct watch *watch_find(struct debugger *d, u32 id)
{
	for (u32 i = 0; i < d->nwatches; i++)
		if (d->watches[i].id == id)
			return &d->watches[i];
	return NULL;
}

void watch_release(struct watch *w)
{
	free(w->expr);
	if (w->data)
		data_watch_release(w->data);
	free(w->data);
}

void watch_delete(struct debugger *d, struct watch *w)
{
	watch_release(w);
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
static bool look(struct debugger *d, struct watch *w, struct err *e)
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

bool watch_look(struct debugger *d, struct watch *w, struct err *e)
{
	struct gpu_scope *scope = gpu_scope_off(dbg_gpu(d));
	const bool changed = look(d, w, e);
	gpu_scope_on(dbg_gpu(d), scope);
	return changed;
}

/* An expression's: true when it has changed, "old -> new" in t. */
static bool check_expression(struct debugger *d, struct watch *w, struct strbuf *t, struct strbuf *out)
{
	struct err e = {0};
	char before[128];
	memcpy(before, w->old, sizeof(before));
	bool hit = watch_look(d, w, &e);
	if (e.interrupted) {
		char what[40];
		snprintf(what, sizeof(what), "watchpoint %u", w->id);
		lua_dbg_keep_cut(d, what);
	} else if (e.set && d->s->replaying) { /* a search changes nothing; what it finds is told with the error */
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
	return f->sm >= 0 || f->warp >= 0 || f->cta_at.parts || f->thread.parts || f->launch >= 0 || *f->kernel;
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
	stop->deleted = true;
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
		watch_look(d, w, &e);
	}
}

void watches_of_another(struct debugger *d, struct strbuf *out)
{
	for (u32 i = d->nwatches; i-- > 0;) {
		struct watch *w = &d->watches[i];
		if (!w->data || w->data->kind == DATA_GLOBAL)
			continue;
		strbuf_addf(out, "Watchpoint %u, %s, is deleted: it was of a %s of %s\n", w->id, w->expr,
		            w->data->kind == DATA_REGISTER ? "warp" : "CTA", d->s->name);
		watch_delete(d, w);
	}
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
		watch_look(d, w, &e);
}

event_set watches_mask(const struct debugger *d)
{
	event_set mask = 0;
	for (u32 i = 0; i < d->nwatches; i++)
		if (d->watches[i].data && d->watches[i].b->enabled)
			mask |= data_watch_mask(d->watches[i].data);
	return mask;
}

/* Where every change is a hit, those to be ignored are counted here: they need not stop the run. What filters and a
 * condition make of the writer is decided at the end of the cycle. */
static bool shows(struct watch *w, struct gpu *g, const struct event *ev)
{
	if (!data_watch_event(w->data, g, ev))
		return false;
	struct breakpoint *b = w->b;
	if (!b->ignore || b->cond || b->nth.n || watch_is_filtered(b) || w->data->ended)
		return true;
	b->ignore--;
	b->hits++;
	data_watch_taken(w->data);
	return false;
}

bool watches_event(struct debugger *d, const struct event *ev)
{
	bool stop = false;
	for (u32 i = 0; i < d->nwatches; i++)
		if (d->watches[i].data && d->watches[i].b->enabled)
			stop |= shows(&d->watches[i], dbg_gpu(d), ev);
	return stop;
}
