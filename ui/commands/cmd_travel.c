/* reverse-step reverse-next reverse-continue reverse-finish goto bookmark undo, info history, info bookmarks */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "commands/commands.h"
#include "dbg/stop.h"
#include "session/policy/lua_policy.h"
#include "session/programs.h"

/* --- moving --- */

bool cmd_reverse_step(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	u64 n = 1, now = sim_cycle(d->s->sim);
	struct sim_history_info h;
	if (!arg_number(args, "reverse-step", 1ull << 62, &n, e) || !travel_allowed(d, e))
		return false;
	sim_history_info(d->s->sim, &h);
	if (now == h.begin)
		return err_set(e, "this is the beginning of history, cycle %llu", (unsigned long long)h.begin);
	bool all = n > now - h.begin;
	if (!travel_to(d, all ? h.begin : now - n, e))
		return false;
	if (all)
		strbuf_adds(out, "The beginning of history.\n");
	travel_arrived(d, out);
	return true;
}

/* Behind the farthest cycle: what is known is passed over, the rest is run, as `until` does. */
static bool goto_unknown(struct debugger *d, u64 cycle, u64 farthest, struct strbuf *out, struct err *e)
{
	struct strbuf unsaid = STRBUF_INIT;
	const bool there = sim_cycle(d->s->sim) == farthest, ok = there || travel_to(d, farthest, e);
	if (ok && !there)
		travel_arrived(d, &unsaid);
	strbuf_release(&unsaid);
	if (!ok)
		return false;
	if (d->run.rest == DBG_STOPPED)
		strbuf_addf(out, "Cycle %llu has not been simulated yet: running there from %llu, the farthest.\n",
		            (unsigned long long)cycle, (unsigned long long)farthest);
	const u32 way_back = d->travel.nundos;
	set_goal(d, GOAL_CYCLE, cycle);
	d->travel.nundos = there ? d->travel.nundos : way_back; /* one command, one undo */
	return true;
}

/* Behind a fork of history its turn may be another one, or none: there it names its cycle. */
static struct sim_place bookmark_place(struct debugger *d, const struct bookmark *b)
{
	return b->forked ? sim_rest(d->s->sim, b->at.cycle) : b->at;
}

bool cmd_goto(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	u64 cycle;
	struct sim_history_info h;
	if (!*args)
		return err_set(e, "goto: a cycle or a bookmark is expected");
	if (!travel_allowed(d, e))
		return false;
	const bool named = !word_number(args, &cycle);
	struct sim_place to = {0};
	if (named) {
		u32 i = 0;
		while (i < d->travel.nbookmarks && strcmp(d->travel.bookmarks[i].name, args))
			i++;
		if (i == d->travel.nbookmarks)
			return err_set(e, "goto: '%.60s' is neither a cycle nor a bookmark (`info bookmarks`)", args);
		to = bookmark_place(d, &d->travel.bookmarks[i]);
		cycle = to.cycle;
	}
	sim_history_info(d->s->sim, &h);
	if (named && h.on && cycle > h.frontier)
		return err_set(e, "goto %.60s: cycle %llu is not in the history any more (`goto %llu` runs there)", args,
		               (unsigned long long)cycle, (unsigned long long)cycle);
	if (h.on && cycle > h.frontier && can_run(d, NULL))
		return goto_unknown(d, cycle, h.frontier, out, e);
	if (h.on && cycle > h.frontier && d->run.rest == DBG_FINISHED)
		return err_set(e, "there is no cycle %llu: the program has finished at %llu", (unsigned long long)cycle,
		               (unsigned long long)h.frontier);
	if (!(named ? travel_to_place(d, to, e) : travel_to(d, cycle, e)))
		return false;
	travel_arrived(d, out);
	return true;
}

bool cmd_reverse_finish(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct warp_info w;
	if (!arg_none(args, "reverse-finish", e) || !travel_allowed(d, e))
		return false;
	debugger_refresh_focus(d);
	gpu_warp_info(dbg_gpu(d), d->focus.sm, d->focus.warp, &w);
	if (w.launch < 0)
		return err_set(e, "SM %u warp %u is empty: there is no CTA to go back to the start of", d->focus.sm,
		               d->focus.warp);
	if (!travel_to(d, w.started_at, e))
		return false;
	strbuf_addf(out, "Before the dispatch of CTA %llu to SM %u\n", (unsigned long long)w.cta, d->focus.sm);
	travel_arrived(d, out);
	return true;
}

/* --- searching backwards --- */

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

bool cmd_reverse_continue(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct found f = {0};
	if (!arg_none(args, "reverse-continue", e) || !travel_allowed(d, e) || !reverse_to_stop(d, false, &f, e))
		return false;
	tell_script_error(d, out);
	say_hit(d, &f, out);
	travel_arrived(d, out);
	return true;
}

bool cmd_reverse_next(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct found f = {0};
	if (!arg_none(args, "reverse-next", e) || !travel_allowed(d, e) || !reverse_to_issue(d, &f, e))
		return false;
	tell_script_error(d, out);
	if (!f.any)
		strbuf_adds(out, "The beginning of history: the warp has issued nothing before.\n");
	travel_arrived(d, out);
	return true;
}

/* --- the rest --- */

bool cmd_bookmark(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	u64 number;
	if (!*args || strpbrk(args, " \t") || word_number(args, &number) ||
	    strlen(args) >= sizeof d->travel.bookmarks->name)
		return err_set(e, "bookmark: one word of at most %zu letters is expected, not a number",
		               sizeof d->travel.bookmarks->name - 1);
	u32 i = 0;
	while (i < d->travel.nbookmarks && strcmp(d->travel.bookmarks[i].name, args))
		i++;
	if (i == d->travel.nbookmarks)
		d->travel.bookmarks = xrealloc(d->travel.bookmarks, ++d->travel.nbookmarks * sizeof *d->travel.bookmarks);
	snprintf(d->travel.bookmarks[i].name, sizeof d->travel.bookmarks->name, "%s", args);
	session_change_ends(d->s); /* what comes to the bookmark is to have it */
	d->travel.bookmarks[i].at = sim_place(d->s->sim);
	d->travel.bookmarks[i].forked = false;
	return true;
}

/* What cannot be undone is passed over: movements from where the machine stands already, what is no more part of its
 * history, and what lies before the beginning of that. */
static void drop_undos_to_nowhere(struct debugger *d, struct strbuf *out)
{
	session_change_ends(d->s);
	for (; d->travel.nundos; d->travel.nundos--) {
		const struct undo *u = &d->travel.undos[d->travel.nundos - 1];
		if (!u->change && !u->gone && !sim_place_order(u->at, sim_place(d->s->sim)))
			continue;
		if (!u->gone && sim_reaches(d->s->sim, undo_from(u)))
			return;
		strbuf_addf(out, "%s cycle %llu is not in the machine's history any more; what was done before that:\n",
		            u->change ? "The change at" : "The way back to", (unsigned long long)u->at.cycle);
	}
}

bool cmd_undo(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	if (!arg_none(args, "undo", e) || !travel_allowed(d, e))
		return false;
	drop_undos_to_nowhere(d, out);
	if (!d->travel.nundos)
		return err_set(e, "undo: no command has run or changed the machine");
	struct undo u = d->travel.undos[d->travel.nundos - 1];
	goal_clear(d);
	d->run.in_run = true;
	/* Not there any more, when the way back to a change has been passed over. */
	bool here = !sim_place_order(undo_from(&u), sim_place(d->s->sim));
	bool ok = (u.change && here) || session_go(d->s, undo_from(&u), e);
	ok = ok && (!u.change || session_undo(d->s, e));
	d->run.in_run = false;
	if (!ok) {
		d->travel.undos[d->travel.nundos - 1].gone = u.change;
		return false;
	}
	d->travel.nundos--;
	if (u.change) {
		undos_forked(d);
		travel_forked(d);
		changes_undone(d, &d->shell->changes);
		break_forked(&d->breaks, sim_cycle(d->s->sim));
		d->travel.changed_by_hand = session_changed_by_hand(d->s);
		strbuf_adds(out, "The last change of the machine is undone.\n");
	}
	travel_arrived(d, out);
	return true;
}

bool info_bookmarks(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	if (!arg_none(args, "info bookmarks", e))
		return false;
	if (!d->travel.nbookmarks)
		strbuf_adds(out, "no bookmarks (`bookmark NAME` makes one)\n");
	for (u32 i = 0; i < d->travel.nbookmarks; i++) {
		/* Can one go there? History's beginning moves forward when memory is short; a change in the past takes what
		 * came after. */
		const struct sim_place at = bookmark_place(d, &d->travel.bookmarks[i]);
		strbuf_addf(out, "%-20s cycle %llu", d->travel.bookmarks[i].name, (unsigned long long)at.cycle);
		place_turn_text(d, at, out);
		strbuf_adds(out, sim_reaches(d->s->sim, at) ? "\n" : " (not in the history)\n");
	}
	return true;
}

bool info_history(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct sim_history_info h;
	struct err why = {0};
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
	if (d->s->app_records.most || d->s->app_records.used)
		strbuf_addf(out, "what applications were told: %.1f of %u MiB (history.host_mb)\n",
		            (double)d->s->app_records.used / 1048576, gpu_conf(dbg_gpu(d))->history_host_mb);
	if (!programs_reach(d->s, h.turns, &why))
		strbuf_addf(out, "%s\n", why.msg);
	return true;
}
