/* step next finish until continue */
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "dbg/focus.h"
#include "dbg/locate.h"

static bool focused_warp(struct debugger *d, struct warp_info *w, struct err *e)
{
	debugger_refresh_focus(d);
	gpu_warp_info(dbg_gpu(d), d->focus.sm, d->focus.warp, w);
	if (w->state == WS_NONE || w->launch < 0)
		return err_set(e, "SM %u warp %u is empty: `focus` chooses another (`info warps`), `step` advances the machine",
		               d->focus.sm, d->focus.warp);
	return true;
}

/* The pcs of a module that belong to another CUDA line than `here`. */
static u32 *pcs_of_other_lines(const struct module *m, const struct inst *here, u32 *n)
{
	u32 *pcs = xmalloc(MAX(m->ncode, 1u) * sizeof *pcs);
	*n = 0;
	for (u32 pc = 0; pc < m->ncode; pc++) {
		const struct inst *in = &m->code[pc];
		if (in->src_line && (in->src_line != here->src_line || in->src_file != here->src_file))
			pcs[(*n)++] = pc;
	}
	return pcs;
}

/* "step line", "next line": until the focused warp is about to execute another CUDA line. */
static bool to_next_line(struct debugger *d, const char *what, struct strbuf *out, struct err *e)
{
	struct warp_info w;
	u32 n;
	if (!can_run(d, e))
		return false;
	debugger_refresh_focus(d);
	debugger_focus_living(d, out);
	if (d->focus.cta_slot < 0 && !d->focus.picked_empty) /* nobody is there yet: the first that issues */
		return cmd_next(d, "", out, e);
	if (!focused_warp(d, &w, e))
		return false;
	if (w.pc == PC_DONE)
		return err_set(e, "%s line: SM %u warp %u has exited", what, d->focus.sm, d->focus.warp);
	const struct module *m = gpu_launched(dbg_gpu(d), (u32)w.launch)->mod;
	u32 *pcs = pcs_of_other_lines(m, &m->code[w.pc], &n);
	if (!m->code[w.pc].src_line || !n) {
		free(pcs);
		return err_set(e,
		               n ? "%s line: the CUDA line of this instruction is not known: `next` goes by instructions"
		                 : "%s line: this module has no lines of CUDA (nvcc -lineinfo): `next` goes by instructions",
		               what);
	}
	set_goal(d, GOAL_NEXT, NEVER);
	struct breakpoint *b = break_new_code(&d->breaks, m, pcs, n, "goal");
	free(pcs);
	break_make_internal(&d->breaks, b);
	b->filter.sm = (s32)d->focus.sm;
	b->filter.warp = (s32)d->focus.warp;
	d->run.goal.breakpoint = b->id;
	debugger_resubscribe(d);
	return true;
}

bool cmd_step(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	u64 n = 1;
	if (!strcmp(args, "line"))
		return to_next_line(d, "step", out, e);
	if (!arg_number(args, "step", 1ull << 62, &n, e) || !can_run(d, e))
		return false;
	if (n == 0)
		return err_set(e, "step: at least 1 cycle is needed");
	set_goal(d, GOAL_CYCLE, sim_cycle(d->s->sim) + n);
	return true;
}

static struct breakpoint *goal_breakpoint(struct debugger *d, enum goal_kind k, enum event_type t)
{
	set_goal(d, k, NEVER);
	struct breakpoint *b = break_new_event(&d->breaks, t, "goal");
	break_make_internal(&d->breaks, b);
	d->run.goal.breakpoint = b->id;
	return b;
}

bool cmd_next(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	u64 n = 1;
	struct warp_info w;
	if (!strcmp(args, "line"))
		return to_next_line(d, "next", out, e);
	if (!arg_number(args, "next", 1u << 30, &n, e) || !can_run(d, e))
		return false;
	if (n == 0)
		return err_set(e, "next: at least 1 instruction is needed");
	debugger_refresh_focus(d);
	debugger_focus_living(d, out);
	if (d->focus.picked_empty && !focused_warp(d, &w, e))
		return false;
	const bool anybody = d->focus.cta_slot < 0; /* no warp is there yet, or between two kernels */
	if (!anybody && focused_warp(d, &w, e) && w.pc == PC_DONE)
		return err_set(e, "SM %u warp %u has exited, as all others have", d->focus.sm, d->focus.warp);
	struct breakpoint *b = goal_breakpoint(d, GOAL_NEXT, EV_ISSUE);
	if (!anybody) {
		b->filter.sm = (s32)d->focus.sm;
		b->filter.warp = (s32)d->focus.warp;
	}
	b->ignore = n - 1;
	debugger_resubscribe(d);
	return true;
}

bool cmd_finish(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct warp_info w;
	if (!arg_none(args, "finish", e) || !can_run(d, e))
		return false;
	debugger_refresh_focus(d);
	if (d->focus.cta_slot < 0)
		debugger_focus_living(d, out);
	if (!focused_warp(d, &w, e))
		return false;
	struct breakpoint *b = goal_breakpoint(d, GOAL_FINISH, EV_CTA_DONE);
	b->filter.launch = w.launch;
	b->filter.cta = (s64)w.cta;
	d->run.goal.launch = w.launch;
	d->run.goal.cta = (s64)w.cta;
	debugger_resubscribe(d);
	return true;
}

/* "until stat EXPR": the same windows and looks as `break stat`. */
static bool until_stat(struct debugger *d, const char *text, struct err *e)
{
	struct strbuf compared = STRBUF_INIT;
	struct breakpoint *b = NULL;
	const char *cond;
	u64 count = 0;
	if (stat_split("until stat", text, &compared, &count, &cond, e) && (!cond || lua_dbg_check_condition(d, cond, e)))
		b = break_stat(d, strbuf_str(&compared), e);
	strbuf_release(&compared);
	if (!b)
		return false;
	b->cond = cond ? xstrdup(cond) : NULL;
	b->nth.n = count;
	nth_restart(&b->nth, sim_cycle(d->s->sim));
	break_make_internal(&d->breaks, b);
	set_goal(d, GOAL_EVENT, NEVER);
	d->run.goal.breakpoint = b->id;
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
	if (!strncmp(args, "stat", 4) && (!args[4] || strchr(" \t", args[4])))
		return until_stat(d, skip_blanks(args + 4), e);
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
	struct err own = {0};
	struct code_place place;
	bool wrong = misnamed(d, args, &own) || !lua_dbg_check_expr(d, args, &own);
	if ((wrong || unknown_variable(d, args)) && locate_code(d, args, &place, NULL))
		return err_set(e, "until %.60s: that is a place in the code: `tbreak %.60s`, then `continue`", args, args);
	if (wrong)
		return err_set(e, "%s", own.msg);
	set_goal(d, GOAL_EXPR, NEVER);
	d->run.goal.expr = xstrdup(args);
	return true;
}

/* The breakpoint or watchpoint that made the last stop, by the number in its text; NULL when it was something else. */
static struct breakpoint *stopped_at(struct debugger *d)
{
	static const char *const begins[] = {"Breakpoint ", "Temporary breakpoint ", "Watchpoint "};
	for (u32 i = 0; i < ARRAY_LEN(begins); i++) {
		size_t n = strlen(begins[i]);
		if (!strncmp(d->run.stop_reason, begins[i], n))
			return break_find(&d->breaks, (u32)strtoul(d->run.stop_reason + n, NULL, 10));
	}
	return NULL;
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
