#include "dbg/follow.h"

#include <stdlib.h>

#include "base/words.h"
#include "dbg/events.h"
#include "dbg/hear.h"
#include "dbg/lua_side.h"

#define CHUNK 512 /* cycles between two looks whether it has arrived */

struct follow {
	struct follow_aim aim;
	u64 from;           /* cycle: what is issued from then on counts, and what was under way then */
	bool found, chosen; /* chosen: the transaction, by the user */
	u64 issued;
	u32 sm, place, txn;
	struct way *way; /* as of the last look, */
	struct sim_place at;
	bool looked;
	/* While somebody waits for its hops. */
	struct ways *ways;
	struct sim_place heard; /* up to here */
	u64 told;               /* the last hop told of began in this cycle */
	bool any_told, done_told;
	u64 ends; /* the cycle of its end; NEVER: not known yet */
};

/* --- which one ---------------------------------------------------------------------------------------------------- */
static u64 line_of(const struct debugger *d, u64 addr)
{
	return addr & ~(u64)(gpu_conf(sim_gpu(d->s->sim))->l1d_line - 1);
}

/* The transaction that the aim is at; w->n: none. Of a warp's load the last that is under way: the load waits for it.
 */
static u32 txn_aimed_at(const struct debugger *d, const struct follow_aim *a, const struct way *w)
{
	if (a->by == FOLLOW_WARP) {
		if (w->sm != a->sm || w->warp != a->warp)
			return w->n;
		u32 i = w->n;
		while (i && w->txn[i - 1].popped != NEVER)
			i--;
		return i ? i - 1 : w->n - 1u;
	}
	for (u32 i = 0; i < w->n; i++)
		if (line_of(d, w->txn[i].addr) == a->line && w->txn[i].popped == NEVER)
			return i;
	return w->n;
}

struct search {
	const struct debugger *d;
	const struct follow_aim *aim;
	u64 from; /* issued then or later; 0: all that are under way */
	bool found;
	u64 issued;
	u32 sm, place, txn;
};

static void consider(void *ctx, struct way *w)
{
	struct search *s = ctx;
	if (w->issued < s->from || (s->found && w->issued >= s->issued))
		return;
	const u32 txn = txn_aimed_at(s->d, s->aim, w);
	if (txn == w->n)
		return;
	s->found = true;
	s->issued = w->issued;
	s->sm = w->sm;
	s->place = w->place;
	s->txn = txn;
}

static void take(struct follow *f, const struct search *s)
{
	f->found = true;
	f->issued = s->issued;
	f->sm = s->sm;
	f->place = s->place;
	f->txn = s->txn;
}

/* --- looking ------------------------------------------------------------------------------------------------------ */
static void forget_way(struct follow *f)
{
	way_drop(f->way);
	f->way = NULL;
	f->looked = false;
}

static bool is_it(const struct follow *f, const struct way *w)
{
	return w->issued == f->issued && w->sm == f->sm && w->place == f->place;
}

/* A load that has ended. */
static void keep_ended(void *ctx, struct way *w)
{
	struct follow *f = ctx;
	if (!f->found || !is_it(f, w) || f->way == w)
		return;
	way_drop(f->way);
	way_keep(f->way = w);
}

static bool is_over(const struct way *w, u64 now)
{
	return w && (w->dropped || (w->end != NEVER && w->end <= now));
}

static void ignore(void *ctx, struct way *w) {}

/* Waiting for the next one, has it been issued since? */
static bool look_for_next(struct debugger *d, struct follow *f, struct err *e)
{
	struct search s = {.d = d, .aim = &f->aim, .from = f->from};
	struct hearing h;
	const u64 now = sim_cycle(d->s->sim);
	if (now <= f->from)
		return true;
	if (!hear_from(d, "follow", f->from, ignore, NULL, &h, e))
		return false;
	ways_on_issue(h.ways, consider, &s);
	for (u64 c = f->from; c < now && !s.found; c += CHUNK)
		if (!hear_to(d, &h, c + CHUNK, e))
			return false;
	hear_end(d, &h);
	if (s.found)
		take(f, &s);
	return true;
}

/* From its issue to where the machine is, or until it is over. */
static bool look_at_it(struct debugger *d, struct follow *f, struct err *e)
{
	struct hearing h;
	const u64 now = sim_cycle(d->s->sim);
	forget_way(f);
	f->at = sim_place(d->s->sim);
	if (now <= f->issued) {
		f->looked = true;
		return true;
	}
	if (!hear_from(d, "follow", f->issued, keep_ended, f, &h, e))
		return false;
	for (u64 c = f->issued; c < now && !is_over(f->way, c); c += CHUNK)
		if (!hear_to(d, &h, c + CHUNK, e))
			return false;
	if (!f->way)
		ways_each(h.ways, keep_ended, f);
	hear_end(d, &h);
	f->looked = true;
	return true;
}

static bool may_look(struct debugger *d, struct err *e)
{
	if (d->run.in_run || lua_dbg_in_callback(d))
		return err_set(e, "follow: the machine is running");
	return true;
}

static bool look(struct debugger *d, struct err *e)
{
	struct follow *f = d->follow;
	const struct sim_place here = sim_place(d->s->sim);
	if (!may_look(d, e))
		return false;
	if (f->looked && !sim_place_order(here, f->at))
		return true;
	if (f->looked && is_over(f->way, f->at.cycle) && is_over(f->way, here.cycle)) /* nothing more happens to it */
		return true;
	if (!f->found && !look_for_next(d, f, e))
		return false;
	return !f->found || look_at_it(d, f, e);
}

bool follow_is_set(const struct debugger *d)
{
	return d->follow;
}

bool follow_look(struct debugger *d, struct followed *o, struct err *e)
{
	const struct follow *f = d->follow;
	if (!f)
		return err_set(e, "follow: nothing is followed (`follow warp W`, `follow line ADDRESS`)");
	if (!look(d, e))
		return false;
	*o = (struct followed){.found = f->found,
	                       .ahead = f->found && sim_cycle(d->s->sim) <= f->issued,
	                       .from = f->from,
	                       .issued = f->issued,
	                       .sm = f->sm,
	                       .txn = f->txn,
	                       .aim = f->aim};
	o->way = f->found && !o->ahead ? f->way : NULL;
	if (f->found && !o->ahead && !o->way)
		return err_set(e, "follow: the load issued in cycle %llu is not there any more", (unsigned long long)f->issued);
	return true;
}

/* --- choosing ----------------------------------------------------------------------------------------------------- */
static void deafen(struct debugger *d, struct follow *f)
{
	if (f->ways && d->s->sim)
		sim_hear(d->s->sim, NULL);
	ways_free(f->ways);
	f->ways = NULL;
}

static void release(struct debugger *d, struct follow *f)
{
	deafen(d, f);
	forget_way(f);
	free(f);
}

bool follow_set(struct debugger *d, const struct follow_aim *aim, struct err *e)
{
	const u64 now = sim_cycle(d->s->sim);
	struct follow_aim a = *aim;
	struct hearing h;
	if (!may_look(d, e))
		return false;
	a.line = line_of(d, aim->line);
	struct search s = {.d = d, .aim = &a};
	if (d->follow)
		deafen(d, d->follow);
	if (!hear_from(d, "follow", now, ignore, NULL, &h, e))
		return false;
	ways_each(h.ways, consider, &s);
	hear_end(d, &h);
	if (d->follow)
		release(d, d->follow);
	d->follow = xcalloc(1, sizeof *d->follow);
	*d->follow = (struct follow){.aim = a, .from = now, .ends = NEVER};
	if (s.found)
		take(d->follow, &s);
	return true;
}

bool follow_txn(struct debugger *d, u32 txn, struct err *e)
{
	struct followed f;
	if (!follow_look(d, &f, e))
		return false;
	if (!f.way)
		return err_set(e, "follow txn: the load has not been issued");
	if (txn >= f.way->n)
		return err_set(e, "follow txn %u: the load has made %u transaction%s", txn + 1, f.way->n, plural(f.way->n));
	d->follow->txn = txn;
	d->follow->told = 0;
	deafen(d, d->follow);
	return true;
}

void follow_off(struct debugger *d)
{
	if (d->follow)
		release(d, d->follow);
	d->follow = NULL;
}

/* --- hop by hop --------------------------------------------------------------------------------------------------- */
bool follow_awaited(struct debugger *d)
{
	const struct follow *f = d->follow;
	return f && event_in(debugger_events(d), EV_FOLLOW) && sim_cycle(d->s->sim) <= f->ends;
}

static void issued_live(void *ctx, struct way *w)
{
	struct debugger *d = ctx;
	struct follow *f = d->follow;
	struct search s = {.d = d, .aim = &f->aim, .from = f->from};
	if (!f->found)
		consider(&s, w);
	if (s.found)
		take(f, &s);
	if (f->found && !f->way && is_it(f, w))
		way_keep(f->way = w);
}

bool follow_listen(struct debugger *d, struct err *e)
{
	struct follow *f = d->follow;
	const struct sim_place here = sim_place(d->s->sim);
	struct hearing h;
	if (!follow_awaited(d)) {
		if (f)
			deafen(d, f);
		return true;
	}
	if (f->ways && !sim_place_order(f->heard, here))
		return true;
	deafen(d, f);
	forget_way(f);
	const u64 from = f->found ? MIN(f->issued, here.cycle) : here.cycle;
	if (!hear_from(d, "follow", from, keep_ended, f, &h, e) || !hear_up(d, &h, e))
		return false;
	if (!f->way)
		ways_each(h.ways, keep_ended, f);
	ways_on_issue(f->ways = h.ways, issued_live, d);
	f->heard = here;
	f->told = here.cycle ? here.cycle - 1 : 0;
	f->any_told = here.cycle > 0;
	f->done_told = is_over(f->way, here.cycle);
	return true;
}

static bool tell(struct debugger *d, u32 hop, u64 cycle)
{
	const struct way *w = d->follow->way;
	struct event ev = {.type = EV_FOLLOW,
	                   .cycle = cycle,
	                   .sm = (s32)w->sm,
	                   .kernel = (s32)w->kernel,
	                   .cta = (s32)w->cta,
	                   .warp = w->warp,
	                   .pc = w->pc,
	                   .arg = {hop, d->follow->txn + 1, w->txn[d->follow->txn].addr, w->issued, w->pc}};
	return debugger_hears(d, &ev);
}

bool follow_cycle_over(struct debugger *d)
{
	struct follow *f = d->follow;
	struct way_hop hops[WAY_HOPS_MAX];
	bool stop = false;
	if (!f || !f->ways)
		return false;
	f->heard = sim_place(d->s->sim);
	f->looked = false;
	if (!f->way || !f->heard.cycle)
		return false;
	const u64 now = f->heard.cycle - 1;
	const u32 n = way_hops(f->way, f->txn, now, hops, NULL);
	for (u32 i = 0; i < n; i++) {
		if (f->any_told && hops[i].since <= f->told)
			continue;
		f->told = hops[i].since;
		f->any_told = true;
		stop |= tell(d, hops[i].hop, hops[i].since);
	}
	if (!f->done_told && is_over(f->way, now)) {
		f->done_told = true;
		f->ends = f->way->dropped ? f->way->dropped_at : f->way->end;
		stop |= tell(d, HOP_COUNT, f->ends);
	}
	return stop;
}

/* --- the machine changes ------------------------------------------------------------------------------------------ */
void follow_forked(struct debugger *d)
{
	struct follow *f = d->follow;
	const u64 now = sim_cycle(d->s->sim);
	if (!f)
		return;
	deafen(d, f);
	forget_way(f);
	f->ends = NEVER;
	if (f->from > now) {
		follow_off(d);
		return;
	}
	f->found &= f->issued < now;
}

void follow_restarted(struct debugger *d)
{
	follow_off(d);
}
