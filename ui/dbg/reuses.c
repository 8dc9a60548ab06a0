#include "dbg/reuses.h"

#include <stdlib.h>

#include "dbg/interrupt.h"
#include "dbg/lua_side.h"
#include "dbg/scope.h"

struct reuses {
	struct reuse r;
	bool any;
	struct debugger *d;
};

static void used(void *ctx, const struct use *u)
{
	struct reuses *x = ctx;
	struct gpu *g = dbg_gpu(x->d);
	const bool known = u->n.what == USE_ACCESS && u->who.kernel < gpu_num_kernels(g);
	reuse_add(&x->r, u, known ? gpu_launched(g, u->who.kernel)->mod : NULL);
}

static void forget(struct reuses *x)
{
	if (x->any)
		reuse_release(&x->r);
	x->any = false;
}

/* From where the machine stands to a place, and listens. */
static bool walk(struct debugger *d, struct sim_place to, struct err *e)
{
	const bool in_run = d->run.in_run;
	d->run.in_run = true;
	const bool ok = !sim_place_order(sim_place(d->s->sim), to) || sim_walk(d->s->sim, to, e);
	d->run.in_run = in_run;
	return ok;
}

/* Cycles from the start of history to `to`; the machine may stand before that, as far as it has been. */
static bool hear_all(struct debugger *d, struct reuses *x, u64 begin, u64 from, u64 to, struct err *e)
{
	struct sim *s = d->s->sim;
	const struct sim_place here = sim_place(s);
	struct err ignored = {0};
	sim_snapshot(s, NULL); /* coming back takes no replay then */
	bool ok = session_go(d->s, sim_before_turns(s, begin), e);
	if (ok) {
		struct lives *l = lives_new(dbg_gpu(d));
		reuse_init(&x->r, dbg_gpu(d), from, to);
		x->any = true;
		lives_on_use(l, used, x);
		sim_hear(s, lives_ear(l));
		ok = walk(d, to == here.cycle ? here : sim_before_turns(s, to), e);
		sim_hear(s, NULL);
		lives_free(l);
	}
	if (!ok)
		debugger_clear_interrupt(d);
	session_go(d->s, here, &ignored);
	if (!ok)
		forget(x);
	else
		reuse_finish(&x->r);
	return ok;
}

const struct reuse *reuses_get(struct debugger *d, const char *what, struct err *e)
{
	struct sim_history_info h;
	u64 from = 0, to = sim_cycle(d->s->sim);
	if (d->run.in_run || lua_dbg_in_callback(d)) {
		err_set(e, "%s: the machine is running", what);
		return NULL;
	}
	session_change_ends(d->s);
	sim_history_info(d->s->sim, &h);
	if (!h.on) {
		err_set(e, "%s: %s", what, h.off);
		return NULL;
	}
	scope_range(d, &from, &to);
	if (!d->reuses)
		d->reuses = xcalloc(1, sizeof *d->reuses);
	struct reuses *x = d->reuses;
	x->d = d;
	from = MAX(from, h.begin);
	if (x->any && x->r.from == from && x->r.to == to)
		return &x->r;
	forget(x);
	return hear_all(d, x, h.begin, from, to, e) ? &x->r : NULL;
}

void reuses_forked(struct debugger *d)
{
	if (d->reuses)
		forget(d->reuses);
}

void reuses_release(struct debugger *d)
{
	reuses_forked(d);
	free(d->reuses);
	d->reuses = NULL;
}
