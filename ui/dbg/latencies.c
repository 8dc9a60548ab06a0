#include "dbg/latencies.h"

#include <stdlib.h>

#include "dbg/hear.h"
#include "dbg/lua_side.h"
#include "dbg/scope.h"

struct latencies {
	struct latency l;
	u64 from, to;
	bool any;
	struct debugger *d;
};

static const void *module_of(struct debugger *d, u32 kernel)
{
	struct gpu *g = dbg_gpu(d);
	return kernel < gpu_num_kernels(g) ? gpu_launched(g, kernel)->mod : NULL;
}

static void ended(void *ctx, struct way *w)
{
	struct latencies *x = ctx;
	latency_add(&x->l, w, module_of(x->d, w->kernel));
}

static void forget(struct latencies *x)
{
	if (x->any)
		latency_release(&x->l);
	x->any = false;
}

/* Cycles from..to; the machine may stand before their end, as far as it has been. */
static bool hear_all(struct debugger *d, const char *what, struct latencies *x, struct err *e)
{
	const struct sim_place here = sim_place(d->s->sim);
	struct err ignored = {0};
	struct hearing h;
	bool ok = true;
	if (x->to > here.cycle) {
		sim_snapshot(d->s->sim, NULL);
		ok = session_go(d->s, sim_rest(d->s->sim, x->to), e);
	}
	latency_init(&x->l, x->from, x->to);
	x->any = true;
	ok = ok && hear_from(d, what, x->from, ended, x, &h, e) && hear_to(d, &h, x->to, e);
	if (ok) {
		ways_each(h.ways, ended, x);
		hear_end(d, &h);
	}
	session_go(d->s, here, &ignored);
	if (!ok)
		forget(x);
	return ok;
}

const struct latency *latencies_get(struct debugger *d, const char *what, struct err *e)
{
	u64 from = 0, to = sim_cycle(d->s->sim);
	if (d->run.in_run || lua_dbg_in_callback(d)) {
		err_set(e, "%s: the machine is running", what);
		return NULL;
	}
	scope_range(d, &from, &to);
	if (!d->latencies)
		d->latencies = xcalloc(1, sizeof *d->latencies);
	struct latencies *x = d->latencies;
	x->d = d;
	if (x->any && x->from == from && x->to == to)
		return &x->l;
	forget(x);
	x->from = from;
	x->to = to;
	if (!hear_all(d, what, x, e))
		return NULL;
	latency_sort(&x->l);
	return &x->l;
}

void latencies_forked(struct debugger *d)
{
	if (d->latencies)
		forget(d->latencies);
}

void latencies_release(struct debugger *d)
{
	latencies_forked(d);
	free(d->latencies);
	d->latencies = NULL;
}
