/* watch twatch: watchpoints (those of registers and memory: watch_data.c) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"

static bool watch_expression(struct debugger *d, const char *args, struct watch *w, struct err *e)
{
	struct err probe_error = {0};
	w->is_probe = probe_parse(dbg_gpu(d), args, &w->probe, &probe_error);
	if (!w->is_probe && *args != '%' && (misnamed(d, args, e) || !lua_dbg_check_expr(d, args, e)))
		return false;
	if (!w->is_probe && unknown_variable(d, args))
		return err_set(e,
		               "watch: there is no variable, buffer or symbol '%.60s' (`set var %.60s = 0` makes a variable)",
		               args, args);
	w->expr = xstrdup(args);
	watch_look(d, w, e);
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
	watch_release(w);
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
