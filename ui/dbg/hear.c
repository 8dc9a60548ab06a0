#include "dbg/hear.h"

#include "dbg/interrupt.h"
#include "dbg/lua_side.h"
#include "sm/sm.h"

/* Registers are free at most SM_WHEEL cycles after a load's last answer: so long before the first cycle that counts the
 * loads under way must be known. They are looked for further and further back. */
#define FIRST_LEAD (2u * SM_WHEEL)

static struct sim_place place_of(struct debugger *d, const struct hearing *h, u64 cycle)
{
	return cycle < h->here.cycle ? sim_before_turns(d->s->sim, cycle) : h->here;
}

static void go_back(struct debugger *d, const struct hearing *h)
{
	struct err ignored = {0};
	if (sim_place_order(sim_place(d->s->sim), h->here))
		debugger_clear_interrupt(d);
	session_go(d->s, h->here, &ignored); /* also from there: the session is to know where it stands */
}

void hear_end(struct debugger *d, struct hearing *h)
{
	sim_hear(d->s->sim, NULL);
	ways_free(h->ways);
	h->ways = NULL;
	go_back(d, h);
}

static bool walk(struct debugger *d, struct hearing *h, u64 cycle, struct err *e)
{
	const bool in_run = d->run.in_run;
	d->run.in_run = true;
	const bool ok = sim_walk(d->s->sim, place_of(d, h, cycle), e);
	d->run.in_run = in_run;
	return ok;
}

bool hear_to(struct debugger *d, struct hearing *h, u64 cycle, struct err *e)
{
	if (cycle <= sim_cycle(d->s->sim) || walk(d, h, MIN(cycle, h->here.cycle), e))
		return true;
	hear_end(d, h);
	return false;
}

bool hear_up(struct debugger *d, struct hearing *h, struct err *e)
{
	if (sim_place_order(sim_place(d->s->sim), h->here) && !walk(d, h, h->here.cycle, e)) {
		hear_end(d, h);
		return false;
	}
	go_back(d, h);
	return true;
}

/* One try. *all: every load that was under way is known. */
static bool lead_in(struct debugger *d, struct hearing *h, u64 start, u64 cycle, bool *all, struct err *e)
{
	const u64 look = cycle > start + SM_WHEEL ? cycle - SM_WHEEL : start;
	sim_hear(d->s->sim, NULL);
	if (!session_go(d->s, place_of(d, h, start), e))
		return false;
	sim_hear(d->s->sim, ways_ear(h->ways));
	if (look > start && !walk(d, h, look, e))
		return false;
	*all = ways_under_way(h->ways) == gpu_loads_under_way(dbg_gpu(d));
	return cycle == look || walk(d, h, cycle, e);
}

bool hear_from(struct debugger *d, const char *what, u64 cycle, way_fn *ended, void *ctx, struct hearing *h,
               struct err *e)
{
	struct sim_history_info info;
	session_change_ends(d->s);
	sim_history_info(d->s->sim, &info);
	*h = (struct hearing){.here = sim_place(d->s->sim)};
	if (!info.on)
		return err_set(e, "%s: %s", what, info.off);
	if (cycle < info.begin)
		return err_set(e, "%s: history begins at cycle %llu", what, (unsigned long long)info.begin);
	sim_snapshot(d->s->sim, NULL); /* coming back takes no replay then */
	bool all = false, ok = true;
	for (u64 lead = FIRST_LEAD; ok && !all; lead *= 4) {
		const u64 start = cycle > info.begin + lead ? cycle - lead : info.begin;
		ways_free(h->ways);
		h->ways = ways_new(gpu_conf(dbg_gpu(d)), ended, ctx);
		ok = lead_in(d, h, start, cycle, &all, e);
		all |= start == info.begin;
	}
	if (!ok)
		hear_end(d, h);
	return ok;
}
