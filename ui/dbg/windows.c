/* What `break stat` must have seen before the machine goes on from a cycle: the looks and windows before it; and
 * windows that expressions ask for. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dbg/events.h"
#include "dbg/interrupt.h"
#include "dbg/lua_side.h"
#include "dbg/windows.h"

/* Looks at the statistics at each of their cycles up to `start`; nobody else is told of anything. */
static bool run_looking(struct debugger *d, struct break_set *set, u64 start)
{
	struct stop stop = {.why = STOP_CYCLE};
	break_moved(set, dbg_gpu(d));
	while (sim_cycle(d->s->sim) < start && sim_goes_on(d->s->sim, &stop)) {
		sim_run(d->s->sim, MIN(start, break_next_look(set, sim_cycle(d->s->sim) + 1)), &stop);
		break_look(set, dbg_gpu(d), sim_cycle(d->s->sim));
	}
	return stop.why != STOP_INTERRUPT;
}

bool stats_lead_in(struct debugger *d, struct break_set *set, struct sim_place to, struct err *e)
{
	const u64 start = to.cycle;
	struct sim_history_info h;
	u64 lead = break_lead(set);
	bool replaying = d->s->replaying;
	if (!lead)
		return session_go(d->s, to, e);
	sim_history_info(d->s->sim, &h);
	if (!session_goto(d->s, start - h.begin > lead ? start - lead : h.begin, e))
		return false;
	d->s->replaying = true;
	sim_resubscribe(d->s->sim, d->bound.subscription, 0);
	bool ok = run_looking(d, set, start);
	debugger_resubscribe(d);
	d->s->replaying = replaying;
	return ok ? session_go(d->s, to, e) : err_set(e, "interrupted");
}

/* The statistics whose windows are not known at the present cycle. */
static struct break_set unknown_windows(struct debugger *d, u64 now)
{
	struct break_set set = {.list = xcalloc(MAX(d->breaks.n, 1u), sizeof(struct breakpoint *))};
	for (u32 i = 0; i < d->breaks.n; i++) {
		struct breakpoint *b = d->breaks.list[i];
		if (b->kind == BK_STAT && b->enabled && !crossing_ready(&b->stat, now))
			set.list[set.n++] = b;
	}
	return set;
}

static void know_windows(struct debugger *d)
{
	struct sim_history_info h;
	sim_history_info(d->s->sim, &h);
	if (!h.on || d->run.in_run || break_ready(&d->breaks, sim_cycle(d->s->sim)))
		return;
	session_change_ends(d->s);
	const struct sim_place now = sim_place(d->s->sim);
	struct break_set set = unknown_windows(d, now.cycle);
	struct err e = {0};
	d->run.in_run = true;
	if (!stats_lead_in(d, &set, now, &e)) {
		struct err again = {0};
		debugger_clear_interrupt(d);
		session_go(d->s, now, &again);
	}
	d->run.in_run = false;
	free(set.list);
}

void stats_know_windows(struct debugger *d)
{
	if (!lua_dbg_in_callback(d))
		know_windows(d);
}

#define OVER_MAX 64    /* windows kept for expressions */
#define OVER_LEAST 64u /* cycles; each end of a window costs a look, in every run from then on */

/* --- windows of expressions ------------------------------------------------------------------------------------------
 *
 * Each is an internal `break stat` whose comparison is never true: it sees what those see, from the cycle on at which
 * it was first asked for, the past included. */

/* The statistics of expressions compare with no number. */
static bool of_expression(const struct breakpoint *b)
{
	return b->internal && b->kind == BK_STAT && isnan(b->stat.value);
}

static struct breakpoint *find_window(struct debugger *d, const char *probe, u64 span)
{
	for (u32 i = 0; i < d->breaks.n; i++) {
		struct breakpoint *b = d->breaks.list[i];
		if (of_expression(b) && b->stat.window.span == span && !strcmp(b->stat.probe, probe))
			return b;
	}
	return NULL;
}

/* Which asking this is; b->hits is the last one of a window. To make room, the one that has not been asked for the
 * longest goes when there are too many. */
static u64 asking(struct debugger *d, bool room)
{
	const struct breakpoint *oldest = NULL;
	u64 latest = 0;
	u32 n = 0;
	for (u32 i = 0; i < d->breaks.n; i++) {
		const struct breakpoint *b = d->breaks.list[i];
		if (!of_expression(b))
			continue;
		n++;
		latest = MAX(latest, b->hits);
		oldest = oldest && oldest->hits <= b->hits ? oldest : b;
	}
	if (room && n >= OVER_MAX)
		break_delete(&d->breaks, oldest->id);
	return latest + 1;
}

static struct breakpoint *new_window(struct debugger *d, const char *probe, u64 span, struct err *e)
{
	struct strbuf text = STRBUF_INIT;
	struct crossing c;
	if (probe[strcspn(probe, " \t<>=!")] || !*probe)
		return err_set(e, "'%.60s' is no probe, such as gpu.sm[0].l1d.hit_rate", probe), NULL;
	if (span < OVER_LEAST || span > 1000000000)
		return err_set(e, "%llu cycles: %u to 1000000000 are possible", (unsigned long long)span, OVER_LEAST), NULL;
	strbuf_addf(&text, "%s < 0 over %llu", probe, (unsigned long long)span);
	bool ok = crossing_parse(dbg_gpu(d), strbuf_str(&text), &c, e);
	strbuf_release(&text);
	if (!ok)
		return NULL;
	c.value = (double)NAN;
	struct breakpoint *b = break_new_stat(&d->breaks, &c);
	break_make_internal(&d->breaks, b);
	return b;
}

bool window_over(struct debugger *d, const char *probe, u64 span, bool at_rest, double *value, struct err *e)
{
	struct breakpoint *b = find_window(d, probe, span);
	if (!b && !at_rest)
		return err_set(e, "%.60s over %llu is not known while the machine runs: ask for it before (`print` does)",
		               probe, (unsigned long long)span);
	const u64 stamp = asking(d, !b);
	if (!b && !(b = new_window(d, probe, span, e)))
		return false;
	b->hits = stamp;
	if (at_rest)
		know_windows(d);
	*value = crossing_value(&b->stat, dbg_gpu(d));
	return true;
}

void windows_of_text(struct debugger *d, const char *expr)
{
	static const char call[] = "dbg.over";
	for (const char *p = expr; (p = strstr(p, call)); p += strlen(call)) {
		char probe[160], quote;
		unsigned long long span;
		double value;
		struct err e = {0};
		if (sscanf(p + strlen(call), " ( %c%159[^\"'] %*[\"'] , %llu )", &quote, probe, &span) == 3 &&
		    (quote == '"' || quote == '\''))
			window_over(d, probe, span, !d->run.in_run, &value, &e); /* a mistake is told when it is called */
	}
}
