/* reverse-step reverse-next reverse-continue reverse-finish goto bookmark undo, info history, info bookmarks */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "commands/commands.h"
#include "script/dbg.h"
#include "session/policy/lua_policy.h"

/* --- undo -----------------------------------------------------------------------------------------------------------
 */

#define UNDO_MAX 1000

static void push_undo(struct debugger *d, bool change)
{
	u64 now = sim_cycle(d->s->sim);
	struct undo *last = d->nundos ? &d->undos[d->nundos - 1] : NULL;
	if (!change && last && !last->change && last->cycle == now)
		return;
	if (d->nundos == UNDO_MAX)
		memmove(d->undos, d->undos + 1, --d->nundos * sizeof *d->undos);
	d->undos = xrealloc(d->undos, (d->nundos + 1) * sizeof *d->undos);
	d->undos[d->nundos++] = (struct undo){.change = change, .cycle = now};
}

/* History ends at the present cycle now: what was done after it cannot be undone any more. */
static void undos_forked(struct debugger *d)
{
	for (u32 i = 0; i < d->nundos; i++)
		d->undos[i].gone |= d->undos[i].cycle > sim_cycle(d->s->sim);
}

void remember_position(struct debugger *d)
{
	if (!d->in_run)
		push_undo(d, false);
}

bool change_begins(struct debugger *d, struct err *e)
{
	if (d->in_run || lua_dbg_in_callback(d))
		return err_set(e, "the machine is running: it can be changed when it stands");
	if (!session_change_begins(d->s, e))
		return false;
	if (d->rest != DBG_DEAD)
		d->rest = DBG_STOPPED;
	break_forked(&d->breaks, sim_cycle(d->s->sim));
	divergence_void(d);
	record_forked(d);
	undos_forked(d);
	push_undo(d, true);
	return true;
}

void travel_release(struct debugger *d)
{
	free(d->bookmarks);
	free(d->undos);
}

/* --- moving
 * ------------------------------------------------------------------------------------------------------------ */

static bool may_travel(struct debugger *d, struct err *e)
{
	if (d->in_run || lua_dbg_in_callback(d))
		return err_set(e, "the machine is running already");
	struct sim_history_info h;
	sim_history_info(d->s->sim, &h);
	return h.on || err_set(e, "%s", h.off);
}

static void arrived(struct debugger *d, struct strbuf *out)
{
	d->rest = d->s->finished ? DBG_FINISHED : DBG_STOPPED;
	record_moved(d);
	stats_know_windows(d);
	watches_rebind(d);
	break_moved(&d->breaks, dbg_gpu(d));
	debugger_refresh_focus(d);
	debugger_show_place(d, out);
	show_displays(d, out);
}

static bool travel_to(struct debugger *d, u64 cycle, struct err *e)
{
	goal_clear(d);
	debugger_clear_interrupt(d);
	remember_position(d);
	d->in_run = true;
	bool ok = session_goto(d->s, cycle, e);
	if (ok)
		d->stop_reason[0] = '\0'; /* that was elsewhere */
	d->in_run = false;
	debugger_resubscribe(d);
	return ok;
}

bool cmd_reverse_step(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	u64 n = 1, now = sim_cycle(d->s->sim);
	struct sim_history_info h;
	if (!arg_number(args, "reverse-step", 1ull << 62, &n, e) || !may_travel(d, e))
		return false;
	sim_history_info(d->s->sim, &h);
	if (now == h.begin)
		return err_set(e, "this is the beginning of history, cycle %llu", (unsigned long long)h.begin);
	bool all = n > now - h.begin;
	if (!travel_to(d, all ? h.begin : now - n, e))
		return false;
	if (all)
		strbuf_adds(out, "The beginning of history.\n");
	arrived(d, out);
	return true;
}

bool cmd_goto(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	u64 cycle;
	struct sim_history_info h;
	if (!*args)
		return err_set(e, "goto: a cycle or a bookmark is expected");
	if (!may_travel(d, e))
		return false;
	if (!word_number(args, &cycle)) {
		u32 i = 0;
		while (i < d->nbookmarks && strcmp(d->bookmarks[i].name, args))
			i++;
		if (i == d->nbookmarks)
			return err_set(e, "goto: '%.60s' is neither a cycle nor a bookmark (`info bookmarks`)", args);
		cycle = d->bookmarks[i].cycle;
	}
	sim_history_info(d->s->sim, &h);
	if (h.on && cycle > h.frontier && can_run(d, NULL))
		return err_set(e, "cycle %llu has not been simulated yet; the farthest is %llu (`until %llu` runs there)",
		               (unsigned long long)cycle, (unsigned long long)h.frontier, (unsigned long long)cycle);
	if (!travel_to(d, cycle, e))
		return false;
	arrived(d, out);
	return true;
}

bool cmd_reverse_finish(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct warp_info w;
	if (!arg_none(args, "reverse-finish", e) || !may_travel(d, e))
		return false;
	debugger_refresh_focus(d);
	gpu_warp_info(dbg_gpu(d), d->focus.sm, d->focus.warp, &w);
	if (w.launch < 0)
		return err_set(e, "SM %u warp %u is empty: there is no CTA to go back to the start of", d->focus.sm,
		               d->focus.warp);
	if (!travel_to(d, w.started_at, e))
		return false;
	strbuf_addf(out, "Before the dispatch of CTA %llu to SM %u\n", (unsigned long long)w.cta, d->focus.sm);
	arrived(d, out);
	return true;
}

/* --- searching backwards
 * -------------------------------------------------------------------------------------------------- */

struct found {
	bool any;
	u64 cycle;
	struct break_hit hit; /* id 0: a watchpoint, told by text */
	struct data_writer writer;
	char text[600];
};

/* A stop at the present cycle? Keeps it as the latest. */
static void note_stop(struct debugger *d, struct found *f)
{
	struct watch_stop stop;
	u64 now = sim_cycle(d->s->sim);
	struct strbuf none = STRBUF_INIT;
	if (break_at_cycle(&d->breaks, dbg_gpu(d), now) || d->breaks.hit.id)
		*f = (struct found){.any = true, .cycle = now, .hit = d->breaks.hit};
	break_clear_hit(&d->breaks);
	if (watches_check(d, &none, &stop)) {
		*f = (struct found){.any = true, .cycle = now, .writer = stop.writer};
		snprintf(f->text, sizeof(f->text), "%.599s", strbuf_str(&stop.text));
	}
	strbuf_release(&stop.text);
	strbuf_release(&none);
}

/* Runs from the present cycle to `end` and keeps the last stop on the way. False: interrupted. */
static bool sweep(struct debugger *d, u64 end, struct found *f)
{
	bool each = watches_each_cycle(d);
	struct stop stop = {.why = STOP_CYCLE};
	watches_rebind(d);
	while (sim_cycle(d->s->sim) < end) {
		u64 now = sim_cycle(d->s->sim), next = MIN(end, break_next_cycle(&d->breaks, now + 1));
		sim_run(d->s->sim, each ? now + 1 : next, &stop);
		if (stop.why == STOP_INTERRUPT)
			return false;
		note_stop(d, f);
		if (stop.why != STOP_CYCLE && stop.why != STOP_REQUEST)
			break;
	}
	return true;
}

/* Goes through the past window by window, from snapshot to snapshot, the latest first, until one holds a stop.
 * until_now: one at the present cycle counts too. */
static bool search_back(struct debugger *d, bool until_now, struct found *f, struct err *e)
{
	u64 end = sim_cycle(d->s->sim) + until_now; /* the first window's; stops at `end` itself are not before it */
	struct sim_history_info h;
	bool ok = true;
	sim_history_info(d->s->sim, &h);
	d->in_run = d->s->replaying = true;
	for (u32 i = h.at + 1; ok && i-- > 0 && !f->any;) {
		u64 start = sim_snapshot_cycle(d->s->sim, i);
		if (start >= end)
			continue;
		ok = stats_lead_in(d, &d->breaks, start, e) && (sweep(d, end - 1, f) || err_set(e, "interrupted"));
		end = start + 1;
		sim_history_info(d->s->sim, &h);
		i = MIN(i, h.snapshots); /* sweeping may have taken some */
	}
	d->in_run = d->s->replaying = false;
	return ok;
}

/* What is set aside of breakpoints, those of watchpoints among them, by number. There are the same ones after a search:
 * what it calls of the user's - conditions, watched expressions, dbg.on functions - may not make or delete any, and no
 * `commands` are executed. */
struct aside {
	u32 n;
	struct kept {
		u32 id;
		bool enabled;
		u64 hits, ignore;
	} kept[];
};

static struct aside *aside_take(const struct debugger *d)
{
	struct aside *a = xcalloc(1, sizeof *a + d->breaks.n * sizeof *a->kept);
	for (u32 i = 0; i < d->breaks.n; i++) {
		const struct breakpoint *b = d->breaks.list[i];
		a->kept[a->n++] = (struct kept){b->id, b->enabled, b->hits, b->ignore};
	}
	return a;
}

/* Hits and ignore counts are of the run forward: a search through the past neither counts nor uses them up. */
static void counts_return(struct debugger *d, const struct aside *a)
{
	for (const struct kept *k = a->kept; k < a->kept + a->n; k++) {
		struct breakpoint *b = break_find(&d->breaks, k->id);
		if (b) {
			b->hits = k->hits;
			b->ignore = k->ignore;
		}
	}
}

static bool search_uncounted(struct debugger *d, bool until_now, struct found *f, struct err *e)
{
	struct aside *a = aside_take(d);
	for (u32 i = 0; i < d->breaks.n; i++)
		d->breaks.list[i]->ignore = 0;
	bool ok = search_back(d, until_now, f, e);
	counts_return(d, a);
	free(a);
	return ok;
}

static bool reverse_to_stop(struct debugger *d, bool until_now, struct found *f, struct err *e)
{
	struct sim_history_info h;
	u64 from = sim_cycle(d->s->sim);
	if (!policy_may_replay(d->s, from, e)) /* the search replays up to here */
		return false;
	goal_clear(d);
	debugger_clear_interrupt(d);
	debugger_resubscribe(d);
	remember_position(d);
	if (!search_uncounted(d, until_now, f, e)) {
		struct err again = {0};
		debugger_clear_interrupt(d);
		session_goto(d->s, from, &again);
		return false;
	}
	sim_history_info(d->s->sim, &h);
	d->stop_reason[0] = '\0'; /* that was elsewhere */
	return session_goto(d->s, f->any ? f->cycle : h.begin, e);
}

static void say_hit(struct debugger *d, const struct found *f, struct strbuf *out)
{
	struct breakpoint *b = break_find(&d->breaks, f->hit.id);
	if (!f->any) {
		strbuf_adds(out, "The beginning of history: no stop before.\n");
	} else if (*f->text) {
		strbuf_addf(out, "%s\n", f->text);
		if (f->writer.known)
			debugger_focus(d, f->writer.sm, f->writer.warp, NULL);
	} else if (b) {
		strbuf_addf(out, "Breakpoint %u, ", b->id);
		if (b->kind == BK_EVENT)
			event_text(dbg_gpu(d), &f->hit.ev, out);
		else if (b->kind == BK_STAT)
			stat_hit_text(&f->hit, b, out);
		else if (b->kind == BK_DIVERGE)
			strbuf_addf(out, "%s\n%s", b->what, b->note);
		else
			strbuf_addf(out, "%s", b->what);
		strbuf_addc(out, '\n');
		if (f->hit.ev.sm >= 0 && b->kind != BK_CYCLE)
			debugger_focus(d, (u32)f->hit.ev.sm, f->hit.ev.warp >= 0 ? (u32)f->hit.ev.warp : d->focus.warp, NULL);
	}
}

void tell_script_error(struct debugger *d, struct strbuf *out)
{
	if (!lua_dbg_take_error(d, out))
		return;
	strbuf_addc(out, '\n');
	d->failed = true;
}

bool cmd_reverse_continue(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct found f = {0};
	if (!arg_none(args, "reverse-continue", e) || !may_travel(d, e) || !reverse_to_stop(d, false, &f, e))
		return false;
	tell_script_error(d, out);
	say_hit(d, &f, out);
	arrived(d, out);
	return true;
}

static void all_off(struct debugger *d)
{
	for (u32 i = 0; i < d->breaks.n; i++)
		d->breaks.list[i]->enabled = false;
}

static void enabled_return(struct debugger *d, const struct aside *a)
{
	for (const struct kept *k = a->kept; k < a->kept + a->n; k++) {
		struct breakpoint *b = break_find(&d->breaks, k->id);
		if (b)
			b->enabled = k->enabled;
	}
}

bool cmd_reverse_next(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct found f = {0};
	if (!arg_none(args, "reverse-next", e) || !may_travel(d, e))
		return false;
	debugger_refresh_focus(d);
	struct aside *a = aside_take(d);
	all_off(d);
	struct breakpoint *b = break_new_event(&d->breaks, EV_ISSUE, "reverse-next");
	break_make_internal(&d->breaks, b);
	b->filter.sm = (s32)d->focus.sm;
	b->filter.warp = (s32)d->focus.warp;
	u32 id = b->id;
	bool ok = reverse_to_stop(d, true, &f, e);
	break_delete(&d->breaks, id);
	enabled_return(d, a);
	free(a);
	debugger_resubscribe(d);
	if (ok && f.any) /* the stop comes after the cycle of the issue */
		ok = session_goto(d->s, f.hit.ev.cycle, e);
	if (!ok)
		return false;
	tell_script_error(d, out);
	if (!f.any)
		strbuf_adds(out, "The beginning of history: the warp has issued nothing before.\n");
	arrived(d, out);
	return true;
}

/* --- the rest
 * ---------------------------------------------------------------------------------------------------------------- */

bool cmd_bookmark(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	u64 number;
	if (!*args || strpbrk(args, " \t") || word_number(args, &number) || strlen(args) >= sizeof d->bookmarks->name)
		return err_set(e, "bookmark: one word of at most %zu letters is expected, not a number",
		               sizeof d->bookmarks->name - 1);
	u32 i = 0;
	while (i < d->nbookmarks && strcmp(d->bookmarks[i].name, args))
		i++;
	if (i == d->nbookmarks)
		d->bookmarks = xrealloc(d->bookmarks, ++d->nbookmarks * sizeof *d->bookmarks);
	snprintf(d->bookmarks[i].name, sizeof d->bookmarks->name, "%s", args);
	d->bookmarks[i].cycle = sim_cycle(d->s->sim);
	return true;
}

/* What cannot be undone is passed over: movements from where the machine stands already, what is no more part of its
 * history, and what lies before the beginning of that. */
static void drop_undos_to_nowhere(struct debugger *d, struct strbuf *out)
{
	struct sim_history_info h;
	session_change_ends(d->s);
	sim_history_info(d->s->sim, &h);
	for (; d->nundos; d->nundos--) {
		const struct undo *u = &d->undos[d->nundos - 1];
		if (!u->change && !u->gone && u->cycle == sim_cycle(d->s->sim))
			continue;
		if (!u->gone && u->cycle >= h.begin && u->cycle <= h.frontier)
			return;
		strbuf_addf(out, "%s cycle %llu is not in the machine's history any more; what was done before that:\n",
		            u->change ? "The change at" : "The way back to", (unsigned long long)u->cycle);
	}
}

bool cmd_undo(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	if (!arg_none(args, "undo", e) || !may_travel(d, e))
		return false;
	drop_undos_to_nowhere(d, out);
	if (!d->nundos)
		return err_set(e, "undo: no command has run or changed the machine");
	struct undo u = d->undos[d->nundos - 1];
	goal_clear(d);
	d->in_run = true;
	bool here = u.cycle == sim_cycle(d->s->sim); /* no longer, when the way back to a change has been passed over */
	bool ok = (u.change && here) || session_goto(d->s, u.cycle, e);
	ok = ok && (!u.change || session_undo(d->s, e));
	d->in_run = false;
	if (!ok) {
		d->undos[d->nundos - 1].gone = u.change;
		return false;
	}
	d->nundos--;
	if (u.change) {
		undos_forked(d);
		record_forked(d);
		break_forked(&d->breaks, sim_cycle(d->s->sim));
		d->changed_by_hand = session_changed_by_hand(d->s);
		strbuf_adds(out, "The last change of the machine is undone.\n");
	}
	arrived(d, out);
	return true;
}

/* Can one go there? Its beginning moves forward when memory is short; a change in the past takes what came after. */
static bool in_history(struct debugger *d, u64 cycle)
{
	struct sim_history_info h;
	sim_history_info(d->s->sim, &h);
	return h.on && cycle >= h.begin && cycle <= h.frontier;
}

bool info_bookmarks(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	if (!arg_none(args, "info bookmarks", e))
		return false;
	if (!d->nbookmarks)
		strbuf_adds(out, "no bookmarks (`bookmark NAME` makes one)\n");
	for (u32 i = 0; i < d->nbookmarks; i++)
		strbuf_addf(out, "%-20s cycle %llu%s\n", d->bookmarks[i].name, (unsigned long long)d->bookmarks[i].cycle,
		            in_history(d, d->bookmarks[i].cycle) ? "" : " (not in the history)");
	return true;
}

bool info_history(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct sim_history_info h;
	if (!arg_none(args, "info history", e))
		return false;
	sim_history_info(d->s->sim, &h);
	if (!h.on) {
		strbuf_adds(out, "no history (--set history.mb=512 keeps one)\n");
		return true;
	}
	strbuf_addf(
	    out,
	    "cycles %llu to %llu can be reached; now %llu\n%u snapshot%s, %.1f of %u MiB; %u turn%s of host program "
	    "and user so far\n",
	    (unsigned long long)h.begin, (unsigned long long)h.frontier, (unsigned long long)sim_cycle(d->s->sim),
	    h.snapshots, plural(h.snapshots), (double)h.bytes / 1048576, gpu_conf(dbg_gpu(d))->history_mb, h.turns,
	    plural(h.turns));
	return true;
}
