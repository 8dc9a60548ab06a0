/* step next finish until continue run */
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "lua/dbg.h"

bool cmd_step(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	u64 n = 1;
	if (!arg_number(args, "step", 1ull << 62, &n, e) || !can_run(d, e))
		return false;
	if (n == 0)
		return err_set(e, "step: at least 1 cycle is needed");
	set_goal(d, GOAL_CYCLE, sim_cycle(d->s->sim) + n);
	return true;
}

static bool focused_warp(struct debugger *d, struct warp_info *w, struct err *e)
{
	debugger_refresh_focus(d);
	gpu_warp_info(dbg_gpu(d), d->focus.sm, d->focus.warp, w);
	if (w->state == WS_NONE || w->launch < 0)
		return err_set(e, "SM %u warp %u is empty: `focus` chooses another (`info warps`), `step` advances the machine",
		               d->focus.sm, d->focus.warp);
	return true;
}

static struct breakpoint *goal_breakpoint(struct debugger *d, enum goal_kind k, enum event_type t)
{
	set_goal(d, k, NEVER);
	struct breakpoint *b = break_new_event(&d->breaks, t, "goal");
	break_make_internal(&d->breaks, b);
	d->goal.breakpoint = b->id;
	return b;
}

bool cmd_next(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	u64 n = 1;
	struct warp_info w;
	if (!arg_number(args, "next", 1u << 30, &n, e) || !can_run(d, e) || !focused_warp(d, &w, e))
		return false;
	if (n == 0)
		return err_set(e, "next: at least 1 instruction is needed");
	if (w.pc == PC_DONE)
		return err_set(e, "SM %u warp %u has exited", d->focus.sm, d->focus.warp);
	struct breakpoint *b = goal_breakpoint(d, GOAL_NEXT, EV_ISSUE);
	b->filter.sm = (s32)d->focus.sm;
	b->filter.warp = (s32)d->focus.warp;
	b->ignore = n - 1;
	debugger_resubscribe(d);
	return true;
}

bool cmd_finish(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct warp_info w;
	if (!arg_none(args, "finish", e) || !can_run(d, e) || !focused_warp(d, &w, e))
		return false;
	struct breakpoint *b = goal_breakpoint(d, GOAL_FINISH, EV_CTA_DONE);
	b->filter.launch = w.launch;
	b->filter.cta = (s64)w.cta;
	d->goal.launch = w.launch;
	d->goal.cta = (s64)w.cta;
	debugger_resubscribe(d);
	return true;
}

bool cmd_until(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	u64 cycle, now = sim_cycle(d->s->sim);
	if (!*args)
		return err_set(e, "until: a cycle or a Lua expression is expected");
	if (!can_run(d, e))
		return false;
	if (word_number(args, &cycle)) {
		if (cycle <= now)
			return err_set(e, "until %llu: that cycle has passed (now %llu)", (unsigned long long)cycle,
			               (unsigned long long)now);
		set_goal(d, GOAL_CYCLE, cycle);
		return true;
	}
	if (args[strspn(args, "+-")] && word_number(skip_blanks(args + strspn(args, "+-")), &cycle))
		return err_set(e, "until %s: a cycle is a number from 0 on (`step N` goes on by N, `reverse-step N` back)",
		               args);
	if (!lua_dbg_check_expr(d, args, e))
		return false;
	set_goal(d, GOAL_EXPR, NEVER);
	d->goal.expr = xstrdup(args);
	return true;
}

/* The breakpoint that made the last stop, by the number in its text; NULL when it was something else. */
static struct breakpoint *stopped_at(struct debugger *d)
{
	const char *s = strstr(d->stop_reason, "reakpoint ");
	return s ? break_find(&d->breaks, (u32)strtoul(s + 10, NULL, 10)) : NULL;
}

bool cmd_continue(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	u64 n = 1;
	if (!arg_number(args, "continue", 1ull << 62, &n, e) || !can_run(d, e))
		return false;
	struct breakpoint *b = stopped_at(d);
	if (n > 1 && !b)
		return err_set(e, "continue %llu: the last stop was not at a breakpoint", (unsigned long long)n);
	if (n > 1)
		b->ignore = n - 1;
	set_goal(d, GOAL_CONTINUE, NEVER);
	return true;
}

/* Code breakpoints point into modules that are gone now: they look for their code again. */
static void unresolve_breakpoints(struct debugger *d)
{
	for (u32 i = 0; i < d->breaks.n; i++) {
		struct breakpoint *b = d->breaks.list[i];
		b->hits = 0;
		nth_restart(&b->nth, 0);
		window_fork(&b->stat.window, 0);
		if (b->kind == BK_CODE) {
			b->mod = NULL;
			b->npcs = 0;
		}
	}
}

bool cmd_run(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	if (!arg_none(args, "run", e))
		return false;
	if (lua_dbg_in_callback(d) || d->in_run)
		return err_set(e, "run: the machine is running");
	goal_clear(d);
	unresolve_breakpoints(d);
	for (u32 i = 0; i < d->nwatches; i++)
		d->watches[i].hits = 0;
	bool ok = debugger_restart(d, out, e);
	if (ok)
		set_goal(d, GOAL_CONTINUE, NEVER);
	return ok;
}
