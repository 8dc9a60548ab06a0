/* Breakpoints when a module is loaded, and when the machine is another one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dbg/breaks.h"
#include "dbg/locate.h"
#include "dbg/lua_side.h"

void resolve_pending(struct debugger *d)
{
	u32 modules = sim_num_modules(d->s->sim);
	if (modules == d->bound.modules_seen)
		return;
	d->bound.modules_seen = modules;
	for (u32 i = 0; i < d->breaks.n; i++) {
		struct breakpoint *b = d->breaks.list[i];
		struct code_place p;
		struct err e = {0};
		if (b->kind != BK_CODE || b->mod || !locate_code(d, b->what, &p, &e))
			continue;
		b->mod = p.mod;
		b->npcs = p.n;
		b->pcs = xrealloc(b->pcs, p.n * sizeof(*b->pcs));
		memcpy(b->pcs, p.pcs, p.n * sizeof(*b->pcs));
	}
}

/* The machine is another one: statistics are looked up in it, and go when it has not got them. */
void breaks_rebind(struct debugger *d, struct strbuf *out)
{
	for (u32 i = d->breaks.n; i-- > 0;) {
		struct breakpoint *b = d->breaks.list[i];
		struct err e = {0};
		if (b->kind == BK_STAT && !crossing_rebind(&b->stat, dbg_gpu(d), &e)) {
			if (!b->internal)
				strbuf_addf(out, "Breakpoint %u is deleted: %s\n", b->id, e.msg);
			lua_dbg_unref(d, b->cond_ref);
			break_delete(&d->breaks, b->id);
		} else if (b->kind == BK_DIVERGE && b->enabled) {
			strbuf_addf(out, "Breakpoint %u is off: it compares with machines of the options before\n", b->id);
			b->enabled = false;
		}
	}
}

bool breaks_of_checks(struct debugger *d, struct strbuf *out)
{
	const struct conf *c = gpu_conf(dbg_gpu(d));
	if (!c->check_races && !c->check_init)
		return false;
	for (u32 i = 0; i < d->breaks.n; i++)
		if (d->breaks.list[i]->kind == BK_EVENT && d->breaks.list[i]->event == EV_FINDING)
			return false;
	const struct breakpoint *b = break_new_event(&d->breaks, EV_FINDING, event_descs[EV_FINDING].name);
	strbuf_addf(out, "Breakpoint %u: finding (--check)\n", b->id);
	return true;
}

/* Code breakpoints point into modules that are gone now: they look for their code again. */
void breaks_unresolve(struct debugger *d)
{
	for (u32 i = 0; i < d->breaks.n; i++) {
		struct breakpoint *b = d->breaks.list[i];
		b->hits = 0;
		nth_restart(&b->nth, 0);
		window_fork(&b->stat.window, 0);
		if (b->kind == BK_CODE) {
			b->mod = NULL;
			b->npcs = 0;
		}
	}
}

/* Does a loaded module have a kernel of this name? */
static bool has_kernel(struct debugger *d, const char *name)
{
	for (u32 i = 0; i < sim_num_modules(d->s->sim); i++) {
		const struct module *m = sim_module(d->s->sim, i);
		for (u32 k = 0; k < m->nfuncs; k++)
			if (func_named(&m->funcs[k], name))
				return true;
	}
	return false;
}

void breaks_tell_pending(struct debugger *d, struct strbuf *out)
{
	for (u32 i = 0; i < d->breaks.n; i++) {
		const struct breakpoint *b = d->breaks.list[i];
		if (b->internal)
			continue;
		if (b->kind == BK_CODE && !b->mod)
			strbuf_addf(out, "Breakpoint %u, %s, is pending: it is not in %s.\n", b->id, b->what, d->s->name);
		else if (b->kind == BK_EVENT && *b->filter.kernel && !has_kernel(d, b->filter.kernel))
			strbuf_addf(out, "Breakpoint %u waits for a kernel '%s', which is not in %s.\n", b->id, b->filter.kernel,
			            d->s->name);
	}
}
