#include "dbg/roofs.h"

#include <stdlib.h>
#include <string.h>

#include "dbg/elsewhen.h"
#include "dbg/scope.h"

static void forget(struct roofs *r)
{
	free(r->column);
	*r = (struct roofs){0};
}

static void part(struct debugger *d, u64 *from, u64 *to)
{
	*from = 0;
	*to = sim_cycle(d->s->sim);
	scope_range(d, from, to);
}

/* In the copy, which has no scope: what each column has, one after the other. */
static bool walk(struct debugger *d, void *ctx, struct strbuf *answer, struct err *e)
{
	const struct roofs *r = ctx;
	struct sim *sim = d->s->sim;
	const struct sim_place end = sim_place(sim);
	struct roofline was, now, column;
	if (!elsewhen_go(d, r->from, e))
		return false;
	if (!roofline_read(dbg_gpu(d), &was))
		was = (struct roofline){0};
	for (u32 i = 0; i < r->n; i++) {
		const u64 cycle = MIN(r->from + (i + 1) * r->width, r->to);
		if (!sim_walk(sim, cycle == end.cycle ? end : sim_before_turns(sim, cycle), e))
			return false;
		if (!roofline_read(dbg_gpu(d), &now))
			now = was;
		roofline_sub(&column, &now, &was);
		strbuf_add(answer, (const char *)&column, sizeof column);
		was = now;
	}
	return true;
}

const struct roofs *roofs_known(struct debugger *d)
{
	u64 from, to;
	part(d, &from, &to);
	return d->roofs && d->roofs->column && d->roofs->from == from && d->roofs->to == to ? d->roofs : NULL;
}

const struct roofs *roofs_get(struct debugger *d, struct err *e)
{
	struct strbuf answer = STRBUF_INIT;
	struct roofline now;
	if (roofs_known(d))
		return d->roofs;
	if (!roofline_read(dbg_gpu(d), &now)) {
		err_set(e, "roofline: no kernel has been launched yet");
		return NULL;
	}
	if (!d->roofs)
		d->roofs = xcalloc(1, sizeof *d->roofs);
	struct roofs *r = d->roofs;
	forget(r);
	part(d, &r->from, &r->to);
	r->to = MAX(r->from, r->to);
	r->width = ROOF_FINEST;
	while ((r->to - r->from + r->width - 1) / r->width > ROOF_COLUMNS)
		r->width *= 2;
	r->n = (u32)((r->to - r->from + r->width - 1) / r->width);
	bool ok = elsewhen(d, walk, r, &answer, e);
	if (ok && answer.len != r->n * sizeof *r->column)
		ok = err_set(e, "roofline: the process that went through the run again has not come to its end");
	if (ok) {
		r->column = xcalloc(r->n + 1, sizeof *r->column);
		if (answer.len)
			memcpy(r->column, answer.buf, answer.len);
	} else {
		forget(r);
	}
	strbuf_release(&answer);
	return ok ? r : NULL;
}

void roofs_forked(struct debugger *d)
{
	if (d->roofs)
		forget(d->roofs);
}

void roofs_release(struct debugger *d)
{
	roofs_forked(d);
	free(d->roofs);
	d->roofs = NULL;
}
