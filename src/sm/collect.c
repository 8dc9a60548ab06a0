/* Operand collectors that a scheduler's instructions of all unit classes share (sm.collector_sets=scheduler):
 * GPGPU-Sim's sub-core model. On its way to a unit an instruction has the register of its class, until one of the
 * scheduler's collector units is free; that unit, until its operands are read and the register behind it is free, which
 * the one before it in its class leaves when it begins; then that register, until its unit is free. So instructions of
 * a slow unit fill the collector units, and those of other classes wait for them.
 *
 * That is booked at issue, in order of issue (that simulator gives a free collector unit to the class that comes first
 * in its list: SP, SFU, memory, f64; and it has bank conflicts while operands are read). How long the LSU will take is
 * not known then: of a scheduler's memory instructions behind the LSU's head the first has the register, the next ones
 * have collector units for as long as they stand there. */
#include "sm/internal.h"

#define READ 2 /* cycles in a collector unit, at least: that in which it is taken, and that of the reads */

static u32 share(const struct sm_ctx *x)
{
	return x->conf->sm_collectors / x->nscheds;
}

/* The scheduler's memory instructions that wait behind the LSU's head. */
static u32 at_lsu(const struct sm_ctx *x, const struct sm *s, u32 sched)
{
	u32 n = 0;
	for (u32 k = 1; k < s->lsu_q.n; k++)
		n += sm_lsu_at(s, k)->warp % x->nscheds == sched;
	return n;
}

u64 collect_warps(const struct sm_ctx *x, const struct sm *s, enum unit u, u32 sched, u64 ready, u64 now)
{
	const u32 queued = at_lsu(x, s, sched);
	bool room = collect_room(s, u, sched, now);
	if (queued > share(x)) /* all collector units */
		room &= u == UNIT_LSU && queued < share(x) + 2;
	if (u != UNIT_SP || !x->conf->sm_int_units || queued > share(x) || room == collect_room(s, COLLECT_INT, sched, now))
		return room ? ready : 0;
	u64 out = 0;
	FOR_EACH_BIT(w, ready)
	{
		const struct warp *wp = &s->warp[w];
		const bool integer = info_at(x, wp, wp->pc)->flags & II_INT;
		out |= integer != room ? BIT(w) : 0;
	}
	return out;
}

/* The collector unit that is free first, but for those of memory instructions, whose own bookings are the earliest. */
static u64 *first_free(const struct sm_ctx *x, const struct sm *s, struct collectors *c, u32 sched)
{
	const u32 n = share(x), queued = at_lsu(x, s, sched), held = queued ? MIN(queued - 1, n - 1) : 0;
	for (u32 i = 0; i < n; i++) {
		u32 before = 0;
		for (u32 k = 0; k < n; k++)
			before += c->free[k] < c->free[i] || (c->free[k] == c->free[i] && k < i);
		if (before == held)
			return &c->free[i];
	}
	BUG("no collector unit");
}

u64 collect_book(const struct sm_ctx *x, struct sm *s, u32 kind, u32 sched, u32 ii, u64 now)
{
	struct collectors *c = &s->collect[sched];
	u64 *unit = first_free(x, s, c, sched);
	const u64 taken = MAX(*unit, now);
	c->reg[kind] = taken + 1;
	*unit = MAX(taken, c->out[kind]) + READ;
	if (kind == UNIT_LSU)
		return taken - now;
	u64 *port = kind == COLLECT_INT ? &s->unit_free[UNIT_SP][SM_MAX_SCHEDS + sched] : &s->unit_free[kind][sched];
	const u64 begin = MAX(taken, *port);
	*port = begin + ii;
	c->out[kind] = begin;
	return begin - now;
}
