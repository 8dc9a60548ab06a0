/* Operand collectors that a scheduler's instructions of all unit classes share (sm.collector_sets=scheduler):
 * GPGPU-Sim's sub-core model. On its way to a unit an instruction has the register of its class, until one of the
 * scheduler's collector units is free; that unit, until its operands are read and the register behind it is free, which
 * the one before it in its class leaves when it begins; then that register, until its unit is free. So instructions of
 * a slow unit fill the collector units, and those of other classes wait for them.
 *
 * A cycle has sm.reg_reads steps. A collector unit is taken in one, its operands are read from the next one on, and it
 * is left in the one after the last read. A register bank reads one operand a step, in the order in which the units
 * were taken; different banks read together. The register in front of the units is one for each scheduler and class,
 * but of a class only the oldest instruction is looked at: the others go after it, whatever their schedulers.
 *
 * All that is booked at issue, in order of issue (that simulator gives a free collector unit to the class that comes
 * first in its list: SP, SFU, memory, f64; and results that are written keep a bank from reading for a step). How long
 * the LSU will take is not known then: of a scheduler's memory instructions behind the LSU's head the first has the
 * register, the next ones have collector units for as long as they stand there. */
#include "sm/internal.h"

static u32 share(const struct sm_ctx *x)
{
	return x->conf->sm_collectors / x->nscheds;
}

/* Where the memory instructions stand that wait behind the LSU's head: how many of each scheduler's are in collector
 * units, and whether one is in the register in front of them. The oldest that finds no unit keeps all behind it there,
 * whatever their schedulers have. */
struct standing {
	u8 units[SM_MAX_SCHEDS];
	bool front[SM_MAX_SCHEDS];
};

static struct standing at_lsu(const struct sm_ctx *x, const struct sm *s)
{
	struct standing at = {0};
	u32 behind = 0; /* the units: schedulers with one in the register there */
	bool stuck = false;
	for (u32 k = 1; k < s->lsu_q.n; k++) {
		const u32 of = sm_lsu_at(s, k)->warp % x->nscheds;
		stuck |= at.units[of] == share(x);
		if (stuck)
			at.front[of] = true;
		else if (behind >> of & 1)
			at.units[of]++;
		behind |= 1u << of;
	}
	return at;
}

/* Another scheduler, all of whose collector units memory instructions hold, has an instruction of the class. It would
 * stand in the register in front of the units, the oldest there, and keep those of the other schedulers behind it. */
static bool kept(const struct sm_ctx *x, const struct sm *s, const struct standing *lsu, enum unit u, u32 sched)
{
	for (u32 i = 0; i < x->nscheds; i++)
		if (i != sched && lsu->units[i] == share(x) && (s->in[WS_READY_SP + u] & x->sched_mask[i]))
			return true;
	return false;
}

u64 collect_warps(const struct sm_ctx *x, const struct sm *s, enum unit u, u32 sched, u64 ready, u64 now)
{
	const struct standing lsu = at_lsu(x, s);
	if (u == UNIT_LSU)
		return collect_room(s, u, sched, now) && !lsu.front[sched] ? ready : 0;
	if (lsu.units[sched] == share(x))
		return 0;
	return collect_room(s, u, sched, now) && !kept(x, s, &lsu, u, sched) ? ready : 0;
}

/* The collector unit that is free first, but for those of memory instructions, whose own bookings are the earliest. */
static u64 *first_free(const struct sm_ctx *x, const struct sm *s, struct collectors *c, u32 sched)
{
	const u32 n = share(x), held = MIN(at_lsu(x, s).units[sched], n - 1);
	for (u32 i = 0; i < n; i++) {
		u32 before = 0;
		for (u32 k = 0; k < n; k++)
			before += c->free[k] < c->free[i] || (c->free[k] == c->free[i] && k < i);
		if (before == held)
			return &c->free[i];
	}
	BUG("no collector unit");
}

/* The step in which the last operand is read of an instruction that has taken its unit in a step. */
static u64 read_all(const struct sm_ctx *x, struct collectors *c, const struct inst *in, u32 w, u64 taken)
{
	const u32 banks = x->conf->sm_reg_banks / x->nscheds;
	u64 last = taken;
	for (u32 i = 0; i < in->n_reads; i++) {
		u64 *bank = &c->bank[(inst_reads(in)[i] + w) % banks], at = MAX(*bank, taken + 1);
		*bank = at + 1;
		last = MAX(last, at);
	}
	return last;
}

u64 collect_book(const struct sm_ctx *x, struct sm *s, const struct issue_info *info, const struct inst *in, u32 w,
                 u32 ii, u64 now)
{
	const u32 steps = x->conf->sm_reg_reads, sched = w % x->nscheds, class = info->unit;
	struct collectors *c = &s->collect[sched];
	u64 *unit = first_free(x, s, c, sched);
	const u64 taken = MAX(MAX(*unit, now * steps), s->collect_taken[class]), read = read_all(x, c, in, w, taken);
	s->collect_taken[class] = taken;
	c->reg[class] = taken / steps + 1;
	*unit = MAX(read + 1, (c->out[class] + 2) * steps);
	const u64 ready = *unit / steps - 1;
	if (class == UNIT_LSU)
		return ready - now;
	u64 *port = &s->unit_free[class][sched], begin = MAX(ready, *port);
	if (x->results) {
		struct unit_results *r = unit_results_of(x, class, sched);
		begin = unit_results_begin(r, begin, info->lat, now);
		unit_results_book(r, begin, info->lat);
	}
	*port = begin + ii;
	c->out[class] = begin;
	return begin - now;
}
