/* The module dbg; its functions are here and in the other files dbg_*.c. */
#include "script/dbg.h"

#include <stdlib.h>
#include <string.h>

#include "dbg/files.h"
#include "dbg/goal.h"
#include "dbg/debugger.h"
#include "obs/record/line_rows.h"
#include "obs/stats/heat.h"
#include "script/dbg_internal.h"
#include "dbg/hooks.h"

/* --- the module --- */

static int dbg_export(lua_State *L)
{
	struct debugger *d = lua_dbg_of(L);
	struct err e = {0};
	u32 sms = gpu_conf(lua_check_gpu(L))->num_sms;
	const char *format = luaL_checkstring(L, 1), *file = luaL_checkstring(L, 2);
	lua_Integer sm = luaL_optinteger(L, 3, -1);
	luaL_argcheck(L, sm >= -1 && sm < (lua_Integer)sms, 3, "no such SM");
	d->script.scripted++;
	bool ok = export_now(d, format, file, (s32)sm, &e);
	d->script.scripted--;
	return ok ? 0 : luaL_error(L, "dbg.export: %s", e.msg);
}

static void push_states(lua_State *L, const u32 n[HEAT_STATES])
{
	lua_newtable(L);
	for (u32 s = 0; s < HEAT_STATES; s++) {
		if (!n[s])
			continue;
		lua_getfield(L, -1, heat_state_name(s)); /* the states of ready have one name */
		const lua_Integer had = lua_tointeger(L, -1);
		lua_pop(L, 1);
		lua_pushinteger(L, had + n[s]);
		lua_setfield(L, -2, heat_state_name(s));
	}
}

/* The first launch of a module's code. */
static u32 launch_of(const struct gpu *g, const struct module *m)
{
	u32 i = 0;
	while (i + 1 < gpu_num_kernels(g) && gpu_launched(g, i)->mod != m)
		i++;
	return i;
}

static bool any_sample(const u32 n[HEAT_STATES])
{
	u32 any = 0;
	for (u32 s = 0; s < HEAT_STATES; s++)
		any |= n[s];
	return any;
}

static int dbg_waits(lua_State *L)
{
	struct heat *h = lua_dbg_of(L)->s->heat;
	lua_Integer n = 0;
	if (!h)
		return 0;
	lua_createtable(L, 0, 2);
	lua_dbg_set_int(L, "period", HEAT_CYCLES);
	lua_newtable(L);
	for (u32 i = 0; i < h->nmods; i++) {
		const u32 kernel = launch_of(h->gpu, h->mods[i].mod);
		for (u32 pc = 0; pc < h->mods[i].mod->ncode; pc++) {
			if (!any_sample(h->mods[i].at[pc]) && !any_sample(h->mods[i].caused[pc]))
				continue;
			lua_createtable(L, 0, 4);
			lua_dbg_set_int(L, "kernel", kernel);
			lua_dbg_set_int(L, "pc", pc);
			push_states(L, h->mods[i].at[pc]);
			lua_setfield(L, -2, "states");
			push_states(L, h->mods[i].caused[pc]);
			lua_setfield(L, -2, "causes");
			lua_rawseti(L, -2, ++n);
		}
	}
	lua_setfield(L, -2, "code");
	return 1;
}

static int dbg_lines(lua_State *L)
{
	static const char *const by_names[] = {"pc", "ptx", "cuda", NULL};
	struct debugger *d = lua_dbg_of(L);
	const enum line_by by = (enum line_by)luaL_checkoption(L, 1, "pc", by_names);
	struct gpu *g = lua_check_gpu(L);
	u32 n;
	session_count_lines(d->s);
	struct line_row *rows = line_rows(g, by, &n);
	lua_createtable(L, (int)n, 0);
	for (u32 i = 0; i < n; i++) {
		struct strbuf place = STRBUF_INIT;
		line_row_place(&rows[i], by, &place);
		lua_createtable(L, 0, LC_COUNT + 4);
		lua_dbg_set_int(L, "kernel", launch_of(g, rows[i].mod));
		lua_dbg_set_int(L, "pc", rows[i].pc);
		lua_dbg_set_int(L, "instructions", rows[i].instructions);
		lua_pushstring(L, strbuf_str(&place));
		lua_setfield(L, -2, "place");
		for (u32 k = 0; k < LC_COUNT; k++)
			lua_dbg_set_int(L, line_counter_descs[k].name, line_counter_of(&rows[i].c, k));
		lua_rawseti(L, -2, i + 1);
		strbuf_release(&place);
	}
	free(rows);
	return 1;
}

static int dbg_focus(lua_State *L)
{
	struct debugger *d = lua_dbg_of(L);
	debugger_refresh_focus(d);
	lua_createtable(L, 0, 6);
	lua_dbg_set_int(L, "sm", d->focus.sm);
	lua_dbg_set_int(L, "warp", d->focus.warp);
	lua_dbg_set_int(L, "lane", d->focus.lane);
	if (d->focus.kernel >= 0) {
		lua_dbg_set_int(L, "kernel", d->focus.kernel);
		lua_dbg_set_int(L, "cta", d->focus.cta);
		lua_dbg_set_int(L, "cta_slot", d->focus.cta_slot);
	}
	return 1;
}

static int dbg_reason(lua_State *L)
{
	lua_pushstring(L, lua_dbg_of(L)->run.stop_reason);
	return 1;
}

/* The command's page is made further up: the words are asked for it. */
static int dbg_report(lua_State *L)
{
	struct debugger *d = lua_dbg_of(L);
	struct err e = {0};
	struct strbuf line = STRBUF_INIT, out = STRBUF_INIT;
	const char *file = luaL_checkstring(L, 1);
	lua_check_gpu(L);
	strbuf_adds(&line, "report \"");
	for (const char *c = file; *c; c++)
		strbuf_addf(&line, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
	strbuf_addc(&line, '"');
	d->script.scripted++;
	const bool ok = !strchr(file, '\n') ? debugger_execute(d, strbuf_str(&line), &out, &e)
	                                    : err_set(&e, "report: a file's name is one line");
	d->script.scripted--;
	strbuf_release(&line);
	strbuf_release(&out);
	return ok ? 0 : luaL_error(L, "dbg.report: %s", e.msg);
}

#define CTA_TYPES "cta, kernel: integers, a CTA by its linear id and its launch, else the focused kernel's"
#define CTA_ERRORS "no such CTA, or it has ended; another name in the table; within a callback or a coroutine"
/* One row a function: the registration and the reference come from it. */
#define DBG_FUNCTIONS                                                                                                                                                                                                                                                                                                  \
	D("on", lua_dbg_on, "dbg.on(event, [filter,] function(e)) -> id",                                                                                                                                                                                                                                                  \
	  "event: string, a name of dbg.events(), - or _ in it; filter: table NAME = integer (kernel: or its "                                                                                                                                                                                                             \
	  "name), sm kernel cta warp or an argument of the event; id: integer, for dbg.off; e: table of "                                                                                                                                                                                                                  \
	  "integers: cycle, sm, warp, cta, kernel, pc and the arguments, as far as the event has them; "                                                                                                                                                                                                                   \
	  "strings: event, kernel_name, and ARGUMENT_name of each argument whose values are words (cause_name, state_name ...)",                                                                                                                                                                                           \
	  "calls the function at the end of each cycle for each such event; the filter is decided before Lua "                                                                                                                                                                                                             \
	  "is entered; state_name and its like put into words the arguments whose values have names; "                                                                                                                                                                                                                     \
	  "e.replay = true where it is told again after going back in time",                                                                                                                                                                                                                                               \
	  "no such event or filter; a filter of another type. An error in the function stops the run, with "                                                                                                                                                                                                               \
	  "its traceback, and ends the subscription. More than 1000 subscriptions")                                                                                                                                                                                                                                        \
	D("off", lua_dbg_off, "dbg.off(id)", "id: integer", "ends what dbg.on, at_end, at_start or sample began",                                                                                                                                                                                                          \
	  "there is none of that id")                                                                                                                                                                                                                                                                                      \
	LUA_HOOK_FUNCTIONS                                                                                                                                                                                                                                                                                                 \
	D("break_on", lua_dbg_break_on, "dbg.break_on(event, [filter, [function(e) | expression]]) -> number",                                                                                                                                                                                                             \
	  "event, filter, e: as of dbg.on; expression: string, Lua that may use e; number: integer, as in "                                                                                                                                                                                                                \
	  "`info breakpoints`",                                                                                                                                                                                                                                                                                            \
	  "a breakpoint; with a condition it stops only when that is true",                                                                                                                                                                                                                                                \
	  "no such event or filter; the expression is no Lua; within a callback")                                                                                                                                                                                                                                          \
	D("step", lua_dbg_step, "dbg.step([n]) -> reason", "n: integer, cycles, at least 1; reason: string",                                                                                                                                                                                                               \
	  "simulates n cycles (1); reason is \"\" unless something else stopped it",                                                                                                                                                                                                                                       \
	  "n below 1; the program has finished or cannot go on; within a callback, a host program or a "                                                                                                                                                                                                                   \
	  "coroutine")                                                                                                                                                                                                                                                                                                     \
	D("run_until", lua_dbg_run_until, "dbg.run_until(cycle | event [, filter] | function) -> reason",                                                                                                                                                                                                                  \
	  "cycle: integer, later than now; event, filter: as of dbg.on; function: called without arguments; "                                                                                                                                                                                                              \
	  "reason: string",                                                                                                                                                                                                                                                                                                \
	  "runs to a cycle, an event, or until the function, called after every cycle, returns true; reason "                                                                                                                                                                                                              \
	  "is \"\" unless something else stopped it",                                                                                                                                                                                                                                                                      \
	  "a cycle that has passed; no such event or filter; as dbg.step")                                                                                                                                                                                                                                                 \
	D("continue", lua_dbg_continue, "dbg.continue() -> reason", "reason: string", "runs until something stops it",                                                                                                                                                                                                     \
	  "as dbg.step")                                                                                                                                                                                                                                                                                                   \
	D("goto_cycle", lua_dbg_goto_cycle, "dbg.goto_cycle(cycle)", "cycle: integer",                                                                                                                                                                                                                                     \
	  "brings back any cycle of the run, as the command goto does, without saying where it is then",                                                                                                                                                                                                                   \
	  "a cycle that is not in history; no history; as dbg.step")                                                                                                                                                                                                                                                       \
	D("snapshot", lua_dbg_snapshot, "dbg.snapshot() -> cycle | nil, text",                                                                                                                                                                                                                                             \
	  "cycle: integer, the present one, for dbg.goto_cycle; text: string, why there is no snapshot here",                                                                                                                                                                                                              \
	  "takes a snapshot of the whole state, so that coming back here takes no replay; it is thinned with age "                                                                                                                                                                                                         \
	  "like the debugger's own; nil when there is no history, or no room left in it",                                                                                                                                                                                                                                  \
	  "as dbg.step")                                                                                                                                                                                                                                                                                                   \
	D("pause_cta", lua_dbg_pause_cta, "dbg.pause_cta{cta=N [, kernel=K]}", CTA_TYPES,                                                                                                                                                                                                                                  \
	  "none of the CTA's warps issues until dbg.resume_cta", CTA_ERRORS)                                                                                                                                                                                                                                               \
	D("resume_cta", lua_dbg_resume_cta, "dbg.resume_cta{cta=N [, kernel=K]}", CTA_TYPES,                                                                                                                                                                                                                               \
	  "a CTA that is paused or halted goes on", "it is neither, or preemption moves its context; " CTA_ERRORS)                                                                                                                                                                                                         \
	D("halt_cta", lua_dbg_halt_cta, "dbg.halt_cta{cta=N, cycles=C [, kernel=K]}", CTA_TYPES "; cycles: integer",                                                                                                                                                                                                       \
	  "pauses it for so many cycles", "cycles below 1 or too many; " CTA_ERRORS)                                                                                                                                                                                                                                       \
	D("drop_cta", lua_dbg_drop_cta, "dbg.drop_cta{cta=N [, kernel=K]}", CTA_TYPES,                                                                                                                                                                                                                                     \
	  "gives up what the CTA has done; it begins again with its first instruction",                                                                                                                                                                                                                                    \
	  "it may not begin again, or that is not recorded (--dynamic-idempotence); " CTA_ERRORS)                                                                                                                                                                                                                          \
	D("save_cta", lua_dbg_save_cta, "dbg.save_cta{cta=N [, kernel=K]}", CTA_TYPES,                                                                                                                                                                                                                                     \
	  "takes it off its SM with all it has, until dbg.restore_cta", "no room for what it has; " CTA_ERRORS)                                                                                                                                                                                                            \
	D("restore_cta", lua_dbg_restore_cta, "dbg.restore_cta{cta=N [, kernel=K, sm=S]}", CTA_TYPES "; sm: integer, any",                                                                                                                                                                                                 \
	  "a saved CTA goes on as soon as there is room: on SM S, or on any", "it is not saved; " CTA_ERRORS)                                                                                                                                                                                                              \
	D("execute", lua_dbg_execute, "dbg.execute(command) -> text",                                                                                                                                                                                                                                                      \
	  "command: string, a line of the console; text: string, lines",                                                                                                                                                                                                                                                   \
	  "executes a console command, runs included, and returns what it says",                                                                                                                                                                                                                                           \
	  "the command's own; within a callback, a host program or a coroutine")                                                                                                                                                                                                                                           \
	D("inspect", lua_dbg_inspect, "dbg.inspect([name]) -> text | list",                                                                                                                                                                                                                                                \
	  "name: string; text: string, lines; list: strings, from 1",                                                                                                                                                                                                                                                      \
	  "the report of a ready inspection, as the command `inspect NAME` gives it; without a name the names of all",                                                                                                                                                                                                     \
	  "no such inspection; an error of its settings; as dbg.execute")                                                                                                                                                                                                                                                  \
	D("preempt", lua_dbg_preempt, "dbg.preempt{kernel=, sms=, within=, by=} -> number",                                                                                                                                                                                                                                \
	  "kernel: integer, a launch; sms: integer, how many, or a list of SMs; within: number, microseconds; by: "                                                                                                                                                                                                        \
	  "string, "                                                                                                                                                                                                                                                                                                       \
	  "switch drain flush chimera; number: integer, of the request",                                                                                                                                                                                                                                                   \
	  "a kernel gives SMs away, as the command `preempt` does; kernel: the focused one, by: the policy in use",                                                                                                                                                                                                        \
	  "the command's own; within a callback, a host program or a coroutine")                                                                                                                                                                                                                                           \
	D("release", lua_dbg_give_back, "dbg.release([sms])", "sms: list of integers",                                                                                                                                                                                                                                     \
	  "gives SMs back to the kernels that they were taken from, as the command `release` does: all that are free",                                                                                                                                                                                                     \
	  "the command's own; as dbg.preempt")                                                                                                                                                                                                                                                                             \
	D("whatif", lua_dbg_whatif,                                                                                                                                                                                                                                                                                        \
	  "dbg.whatif(text) -> {{settings, as_it_is, from_zero, best, ok, why, stop, hash, cycle, warp_insts, ipc, "                                                                                                                                                                                                       \
	  "speed, speed_from_here, figures}...}",                                                                                                                                                                                                                                                                          \
	  "text: string, what follows the command `whatif`: \"warp-sched=lrr,ccws for 20000 print l1d.hit_rate\"; "                                                                                                                                                                                                        \
	  "settings: table key = string; as_it_is, from_zero, best, ok: booleans; why, stop, hash: strings; figures: "                                                                                                                                                                                                     \
	  "table name = number; the rest numbers",                                                                                                                                                                                                                                                                         \
	  "the present cycle under several settings, each in a process of its own, as the command `whatif` runs them; "                                                                                                                                                                                                    \
	  "the machine stays where it is. Row 1 is the machine as it is. from_zero: it has run from cycle 0 with its "                                                                                                                                                                                                     \
	  "settings. ok: false where the row has failed; why says it. cycle, warp_insts: where it stands, counted from "                                                                                                                                                                                                   \
	  "cycle 0; ipc: the one by the other. speed: against row 1, by cycles if all rows have finished, else by ipc; "                                                                                                                                                                                                   \
	  "speed_from_here: the same from the present cycle on, nil with from_zero. stop: finished, cycle (it stands "                                                                                                                                                                                                     \
	  "where it was to) or failed. hash: of the whole state, as gpu.hash, with `print hash`. A row that could not be "                                                                                                                                                                                                 \
	  "run has neither stop nor what follows it",                                                                                                                                                                                                                                                                      \
	  "the command's own; interrupted; within a callback, a host program or a coroutine")                                                                                                                                                                                                                              \
	D("why_pick", lua_dbg_why_pick,                                                                                                                                                                                                                                                                                    \
	  "dbg.why_pick([{when=, sm=, scheduler=}]) -> {cycle, sm, scheduler, policy, picked, "                                                                                                                                                                                                                            \
	  "candidates = {{warp, kernel, "                                                                                                                                                                                                                                                                                  \
	  "cta, pc, round, rank, declined, text}...}, others = {{warp, state}...}}",                                                                                                                                                                                                                                       \
	  "when: \"slot\" (that of the last cycle; the default), \"last\" or \"next\" (pick); sm, "                                                                                                                                                                                                                        \
	  "scheduler: integers, the focused "                                                                                                                                                                                                                                                                              \
	  "ones; policy, text, state: strings; declined: boolean; the rest integers",                                                                                                                                                                                                                                      \
	  "how a scheduler's slot was given, as the command `why pick` shows it. candidates: in the "                                                                                                                                                                                                                      \
	  "policy's order; round: the "                                                                                                                                                                                                                                                                                    \
	  "policy is asked for groups of warps in turn, nil if it was not shown the warp; rank: the "                                                                                                                                                                                                                      \
	  "least of a round is picked, "                                                                                                                                                                                                                                                                                   \
	  "nil if the policy does not say or would not take it (declined). picked: nil if the slot "                                                                                                                                                                                                                       \
	  "was lost. nil when there is "                                                                                                                                                                                                                                                                                   \
	  "no such slot, or the scheduler has no warps",                                                                                                                                                                                                                                                                   \
	  "an unknown field; no such SM or scheduler; no history (but for the next pick); "                                                                                                                                                                                                                                \
	  "interrupted; within a callback, a "                                                                                                                                                                                                                                                                             \
	  "host program or a coroutine")                                                                                                                                                                                                                                                                                   \
	D("why_dispatch", lua_dbg_why_dispatch,                                                                                                                                                                                                                                                                            \
	  "dbg.why_dispatch([{when=, kernel=, cta=, sm=}]) -> {cycle, cta, sm, kernel, text}",                                                                                                                                                                                                                             \
	  "when: \"last\" (the default) or \"next\"; kernel, cta, sm: integers, any; text: string, "                                                                                                                                                                                                                       \
	  "lines; the rest integers",                                                                                                                                                                                                                                                                                      \
	  "the dispatch of a CTA; text: the offers before it and what refused them, as the command "                                                                                                                                                                                                                       \
	  "`why dispatch` shows them. "                                                                                                                                                                                                                                                                                    \
	  "nil when there is none",                                                                                                                                                                                                                                                                                        \
	  "as dbg.why_pick")                                                                                                                                                                                                                                                                                               \
	D("counters", lua_dbg_counters,                                                                                                                                                                                                                                                                                    \
	  "dbg.counters() -> {from, cycle, sm, l1i, l1d, l1c, l1t, tensor, l2, noc, dram, kernel, slots}",                                                                                                                                                                                                                 \
	  "lists from 0 of tables name = integer; slots: by SM, by scheduler: base reason = integer, issue slots",                                                                                                                                                                                                         \
	  "all counters as of now, as plain numbers: sm[S].issued, l2[I].hits, kernel[K].ended_at. The difference of two "                                                                                                                                                                                                 \
	  "such tables is what happened between two moments",                                                                                                                                                                                                                                                              \
	  "")                                                                                                                                                                                                                                                                                                              \
	D("diagnose", lua_dbg_diagnose,                                                                                                                                                                                                                                                                                    \
	  "dbg.diagnose([launch]) -> {from, to, slots, used, lost, findings = {{rule, title, slots, percent, of, place, "                                                                                                                                                                                                  \
	  "cuda, code, evidence, remedy, test, uses}...}, broken_rules}",                                                                                                                                                                                                                                                  \
	  "launch: integer; from, to: cycles; slots, used, lost: issue slots; of: \"lost\" or \"used\"; evidence, uses, "                                                                                                                                                                                                  \
	  "broken_rules: lists of strings; the rest strings",                                                                                                                                                                                                                                                              \
	  "the findings of the command `diagnose`, the highest bound first; about the run so far, or a launch. place, "                                                                                                                                                                                                    \
	  "cuda, code: nil if the finding is about no line. broken_rules: what is wrong with rules, with file and line",                                                                                                                                                                                                   \
	  "no such launch; a launch without a history; interrupted; within a callback, a host program or a coroutine")                                                                                                                                                                                                     \
	D("export", dbg_export, "dbg.export(format, file [, sm])",                                                                                                                                                                                                                                                         \
	  "format: string, csv phases-csv phases-svg trace konata json diagnose-json whatif-csv whatif-json; file: "                                                                                                                                                                                                       \
	  "string, a path; sm: integer, for "                                                                                                                                                                                                                                                                              \
	  "phases-svg (all SMs), konata (the focused one)",                                                                                                                                                                                                                                                                \
	  "writes what has been recorded, as the command `export` does; needs --allow-io",                                                                                                                                                                                                                                 \
	  "no --allow-io; no such format or SM; nothing of that kind is recorded; the file cannot be written")                                                                                                                                                                                                             \
	D("report", dbg_report, "dbg.report(file)", "file: string, a path",                                                                                                                                                                                                                                                \
	  "writes a report to send, one HTML page, as the command `report` does; needs --allow-io",                                                                                                                                                                                                                        \
	  "no --allow-io; within a callback; the file cannot be written")                                                                                                                                                                                                                                                  \
	D("events", lua_dbg_events, "dbg.events() -> list", "list: strings, from 1", "names of all events", "")                                                                                                                                                                                                            \
	D("over", lua_dbg_over, "dbg.over(probe, cycles) -> value",                                                                                                                                                                                                                                                        \
	  "probe: string, a counter or rate as in `break stat`, \"gpu.sm[0].l1d.hit_rate\"; cycles: integer, 64 to 10^9; "                                                                                                                                                                                                 \
	  "value: number",                                                                                                                                                                                                                                                                                                 \
	  "a counter or rate over the last whole window. Windows end at multiples of `cycles`. The value is nan before "                                                                                                                                                                                                   \
	  "the first window has ended, for a rate without events, and if history does not reach back far enough. A "                                                                                                                                                                                                       \
	  "window that was asked for once is kept up to date. In conditions and watched expressions write both "                                                                                                                                                                                                           \
	  "arguments as literals",                                                                                                                                                                                                                                                                                         \
	  "no such probe; a window that has not been asked for before, while the machine runs; within a host program or "                                                                                                                                                                                                  \
	  "a coroutine")                                                                                                                                                                                                                                                                                                   \
	D("series", lua_dbg_series, "dbg.series([name [, sm]]) -> {start, span, value...} | nil",                                                                                                                                                                                                                          \
	  "name: string, a column of --timeline as \"ipc\", \"power\" (W), \"power_l2\" or \"stall barrier\"; sm: "                                                                                                                                                                                                        \
	  "integer, "                                                                                                                                                                                                                                                                                                      \
	  "the machine without one; start, span: integers, cycles; values: numbers, from 1",                                                                                                                                                                                                                               \
	  "the curve up to the farthest cycle of the run. Value i covers the span of cycles that begins at start + (i "                                                                                                                                                                                                    \
	  "- 1) * span; it is nan without an access. The longer the run, the longer the span. Without arguments: the "                                                                                                                                                                                                     \
	  "names. nil: nothing is recorded, as in `run`",                                                                                                                                                                                                                                                                  \
	  "no such series or SM; a series that SMs do not have")                                                                                                                                                                                                                                                           \
	D("figure", lua_dbg_figure, "dbg.figure(name, value)",                                                                                                                                                                                                                                                             \
	  "name: string of letters, digits and _; value: number, or a list of numbers",                                                                                                                                                                                                                                    \
	  "puts a figure that the script has measured itself into the run's statistics (`figures` of their JSON). If a "                                                                                                                                                                                                   \
	  "name is set again, the last value counts. A new `run` drops all figures",                                                                                                                                                                                                                                       \
	  "a value that is no number; another name; more than 1000 names or 1,000,000 values")                                                                                                                                                                                                                             \
	D("lanes", lua_dbg_lanes, "dbg.lanes{sm=, from=, to=, bin=} -> {sm, from, to, bin, warps, ctas, slots, marks}",                                                                                                                                                                                                    \
	  "sm: integer (the focused one); from, to: integers, cycles, the first and the one behind the last (the farthest of "                                                                                                                                                                                             \
	  "the run); bin: integer, cycles of a column, a power of two (1); warps: by slot from 0, lists of {from, to, state, "                                                                                                                                                                                             \
	  "issued, kernel, cta, pc, cause}; ctas: by row from 0, lists of {from, to, state, issued, kernel, cta}; slots: table "                                                                                                                                                                                           \
	  "base reason = integer; marks: list of {cycle, event, kernel, cta, cause}",                                                                                                                                                                                                                                      \
	  "what the warps and CTAs of an SM were over time, as the view `lanes` shows it: that part is run again, by a process "                                                                                                                                                                                           \
	  "of its own. Cycles one after the other in which a warp was the same are one entry, [from, to). state: issued, "                                                                                                                                                                                                 \
	  "refused or a warp state (`explain warp state`), of a CTA also a CTA state (running: what most of its warps were); "                                                                                                                                                                                             \
	  "issued: the share of the entry's cycles in which it issued; pc: of what it issued, else of its next instruction; "                                                                                                                                                                                              \
	  "cause: the pc of the instruction for whose result it waits, or of the second one issued, nil: none; kernel, cta, "                                                                                                                                                                                              \
	  "pc: nil in an empty slot. slots: the issue slots of all those cycles. marks: what has happened to CTAs; cause: why "                                                                                                                                                                                            \
	  "they were swapped or saved. With bin > 1 entries say what a warp was in most of a column, and have neither pc nor "                                                                                                                                                                                             \
	  "cause",                                                                                                                                                                                                                                                                                                         \
	  "no history; no such SM; another name; cycles that have not been simulated, or more than 32 MB hold; interrupted; "                                                                                                                                                                                              \
	  "within a callback, a host program or a coroutine")                                                                                                                                                                                                                                                              \
	D("programs", lua_dbg_programs,                                                                                                                                                                                                                                                                                    \
	  "dbg.programs() -> {{name, runs, kernels, cycles, warp_insts, cpi, alone_cpi, slowdown, insts_dropped, "                                                                                                                                                                                                         \
	  "effective_ipc, deadlines_met, deadlines_missed, done}..., antt, stp}",                                                                                                                                                                                                                                          \
	  "name: string; done: boolean; the rest numbers. cycles: from the first launch to the last kernel's end or "                                                                                                                                                                                                      \
	  "now; cpi: cycles per warp instruction, without those of insts_dropped, nil before the first; alone_cpi, "                                                                                                                                                                                                       \
	  "slowdown, antt, stp: nil without --alone; insts_dropped: of warp_insts, those that were executed before "                                                                                                                                                                                                       \
	  "their CTA began again; "                                                                                                                                                                                                                                                                                        \
	  "effective_ipc: 1 / cpi; deadlines_met, deadlines_missed: requests for SMs of its kernels, free in time or late",                                                                                                                                                                                                \
	  "the host programs so far, in their order; for all of them together, ANTT and STP", "")                                                                                                                                                                                                                          \
	D("findings", lua_dbg_findings,                                                                                                                                                                                                                                                                                    \
	  "dbg.findings() -> {{kind, space, address, bytes, times, benign, fence, first, second}...} | nil",                                                                                                                                                                                                               \
	  "kind: raw, war, waw, lanes, uninit; space: shared, global; address: of shared memory the offset; times: warp "                                                                                                                                                                                                  \
	  "instructions; benign, fence: booleans; first, second: {access, cycle, kernel, cta, thread, pc, place, cuda}: "                                                                                                                                                                                                  \
	  "access: load, store, atomic; place, cuda: FILE:LINE; cuda: nil if not known",                                                                                                                                                                                                                                   \
	  "what checks have found so far (--check), as `info findings` counts: pairs of lines with their first "                                                                                                                                                                                                           \
	  "occurrence. benign: both write the same value; fence: none lies between the first access and its CTA's "                                                                                                                                                                                                        \
	  "next atomic; first: nil for uninit. nil: nobody looks",                                                                                                                                                                                                                                                         \
	  "")                                                                                                                                                                                                                                                                                                              \
	D("swaps", lua_dbg_swaps,                                                                                                                                                                                                                                                                                          \
	  "dbg.swaps() -> {{cycle, over, sm, slot, cause, out_cta, out_kernel, held, in_cta, in_kernel, new, away, "                                                                                                                                                                                                       \
	  "ready}...}",                                                                                                                                                                                                                                                                                                    \
	  "cause: memory, barrier, ending, free-slots; new: boolean; the rest integers, held, away and ready in cycles",                                                                                                                                                                                                   \
	  "the swaps of virtual threads within what is counted, as `info swaps` shows them. held: for how long the CTA "                                                                                                                                                                                                   \
	  "that leaves had its slots (nil for free-slots, as out_cta and out_kernel); away, ready: for how long the one "                                                                                                                                                                                                  \
	  "that comes was without slots, and ready for them; new: it has not had any; over: nil while the swap is "                                                                                                                                                                                                        \
	  "under way",                                                                                                                                                                                                                                                                                                     \
	  "")                                                                                                                                                                                                                                                                                                              \
	D("moves", lua_dbg_moves, "dbg.moves(cta [, kernel]) -> {{event, cycle, sm, ...}...}",                                                                                                                                                                                                                             \
	  "cta, kernel: integers (launch 0); event: string; the rest as the event's arguments are named, words as strings",                                                                                                                                                                                                \
	  "all that has happened to a CTA up to the present cycle, as `why cta` tells it: cta-dispatch, cta-swap-out, "                                                                                                                                                                                                    \
	  "vt-ready, cta-swap-in, preempt-cta, cta-drop, cta-save, cta-restore, cta-done",                                                                                                                                                                                                                                 \
	  "no such launch or CTA")                                                                                                                                                                                                                                                                                         \
	D("follow", lua_dbg_follow,                                                                                                                                                                                                                                                                                        \
	  "dbg.follow([aim]) -> {issued, sm, warp, kernel, cta, pc, transaction, transactions, address, ended, last, "                                                                                                                                                                                                     \
	  "answered_by, hops = {{hop, since, cycles}...}}",                                                                                                                                                                                                                                                                \
	  "aim: {warp = W, sm = S} (the focused ones without) or {line = ADDRESS}; answered_by: string, L1 L1I L2 DRAM or "                                                                                                                                                                                                \
	  "another SM; hop: string; the rest integers; issued, since, ended: cycles",                                                                                                                                                                                                                                      \
	  "the way so far of the request that is followed, as the command `follow` tells it; with an aim follows that one. "                                                                                                                                                                                               \
	  "transaction: which of the load's, from 1; last: the one that ended the load. An empty table: the next load of "                                                                                                                                                                                                 \
	  "the aim has not been issued. With only issued: that lies ahead. ended, last, answered_by: nil before that",                                                                                                                                                                                                     \
	  "nothing is followed; no such SM or warp; no history; interrupted; within a callback, a host program or a coroutine")                                                                                                                                                                                            \
	D("latency", lua_dbg_latency,                                                                                                                                                                                                                                                                                      \
	  "dbg.latency() -> {loads, cycles, max, p50, p90, p99, hops, from, to, transactions, pending, dropped, by, lines}",                                                                                                                                                                                               \
	  "integers; hops: table hop = cycles; by: table of the same by what answered (L1, L1I, L2, DRAM, another SM); lines: "                                                                                                                                                                                            \
	  "list of the same by instruction, with kernel, pc, place (string), most cycles first",                                                                                                                                                                                                                           \
	  "how long loads took that ended in the scope, or in the run so far, as `info latency` shows: cycles is the sum, "                                                                                                                                                                                                \
	  "hops its parts; cycles / loads is the mean",                                                                                                                                                                                                                                                                    \
	  "no history; interrupted; within a callback, a host program or a coroutine")                                                                                                                                                                                                                                     \
	D("reuse", lua_dbg_reuse, "dbg.reuse() -> {from, to, l1d, l2, lines}",                                                                                                                                                                                                                                             \
	  "l1d, l2: {accesses, passed, lookups, reused, cold, removed, hits, merges, misses, bypasses, bins, by, "                                                                                                                                                                                                         \
	  "lines, each}; bins: list of integers, [1] distance 0, [k + 1] distances 2^(k-1) to 2^k - 1; by: {warp, cta, "                                                                                                                                                                                                   \
	  "sm, away, unknown} of such lists; each: by SM or slice from 0, the same; lines of a level: integer, those "                                                                                                                                                                                                     \
	  "that one cache has; lines: list of {kernel, pc, place, l1d, l2}; place: string; the rest integers",                                                                                                                                                                                                             \
	  "LRU stack distances of the accesses of L1D and L2 in the scope, or in the run so far, as `info reuse` shows "                                                                                                                                                                                                   \
	  "them. accesses = passed + lookups; lookups = bins + cold + removed = the accesses that use a line; reused: "                                                                                                                                                                                                    \
	  "those of them that hit or merged; by: bins by who had used the line before. A fully associative LRU cache "                                                                                                                                                                                                     \
	  "of 2^k lines hits bins 1 to k + 1. lines: by instruction, most accesses of L1D first",                                                                                                                                                                                                                          \
	  "no history; interrupted; within a callback, a host program or a coroutine")                                                                                                                                                                                                                                     \
	D("cachemap", lua_dbg_cachemap,                                                                                                                                                                                                                                                                                    \
	  "dbg.cachemap([which]) -> {sm, slice, sets, ways, line, since, empty, clean, dirty, reserved, lent, owners, "                                                                                                                                                                                                    \
	  "lines}",                                                                                                                                                                                                                                                                                                        \
	  "which: {sm = S} (the focused one) for its L1D, or {slice = N} for one of L2; line: bytes; owners: list of "                                                                                                                                                                                                     \
	  "{kernel, cta, lines, resident}; lines: list of {set, way, is, address, valid, dirty, reserved, rank, "                                                                                                                                                                                                          \
	  "kernel, cta, sm, warp, pc, place, asked, filled, used, hits}; is, place: strings; resident: boolean; valid, "                                                                                                                                                                                                   \
	  "dirty, reserved: masks of sectors; the rest integers",                                                                                                                                                                                                                                                          \
	  "what lies in a cache now, as `info cache` and the view `map` show it. empty, clean, dirty, reserved, lent: "                                                                                                                                                                                                    \
	  "places, which sum to sets * ways; lines: those that are there, set by set. rank: lines of its set that were "                                                                                                                                                                                                   \
	  "used since it was; asked: cycle of the access that brought it in, filled: of its first data, used: of its "                                                                                                                                                                                                     \
	  "last use; hits: how often it was found since (hits and merges); sm, warp, pc: who brought it in. since: "                                                                                                                                                                                                       \
	  "from this cycle on the lives of lines are known, nil: they are not, as without history. Then asked to hits "                                                                                                                                                                                                    \
	  "are nil, and for L2 also kernel and cta",                                                                                                                                                                                                                                                                       \
	  "no such SM or slice; another name; both")                                                                                                                                                                                                                                                                       \
	D("waits", dbg_waits, "dbg.waits() -> {period, code = {{kernel, pc, states, causes}...}} | nil",                                                                                                                                                                                                                   \
	  "integers; period in cycles; states, causes: tables state = samples",                                                                                                                                                                                                                                            \
	  "samples of all resident warps, one each period, from the start of the run. states: of an instruction, the "                                                                                                                                                                                                     \
	  "states of the warps whose next instruction it is; causes: the same samples, with each wait at the "                                                                                                                                                                                                             \
	  "instruction to which it is charged (the load, not the instruction that needs its value). nil: no samples "                                                                                                                                                                                                      \
	  "are taken, as in `run` without JSON statistics",                                                                                                                                                                                                                                                                \
	  "")                                                                                                                                                                                                                                                                                                              \
	D("lines", dbg_lines,                                                                                                                                                                                                                                                                                              \
	  "dbg.lines([by]) -> {{kernel, pc, instructions, place, executed, lanes, slots, diverged, awaited, "                                                                                                                                                                                                              \
	  "awaited_memory, awaited_fetch, requests, transactions, sectors, shared_conflicts, l1_hits, l2_hits, dram, evicted, evicted_ctas, evicted_launches, held, "                                                                                                                                                      \
	  "refused, blocked, suffered}...}",                                                                                                                                                                                                                                                                               \
	  "by: \"pc\", \"ptx\" or \"cuda\"; place: string; the rest integers",                                                                                                                                                                                                                                             \
	  "what instructions, PTX lines or CUDA lines did and cost so far, in the order of the code: line counters "                                                                                                                                                                                                       \
	  "(explain line.NAME). kernel: the first launch of "                                                                                                                                                                                                                                                              \
	  "the code; pc: the row's first instruction. In `run` without JSON statistics counting begins with the first call",                                                                                                                                                                                               \
	  "another word")                                                                                                                                                                                                                                                                                                  \
	D("roofline", lua_dbg_roofline,                                                                                                                                                                                                                                                                                    \
	  "dbg.roofline([over_time]) -> {cycles, warp_cycles, ops, peak, bytes, width [, columns]} | nil",                                                                                                                                                                                                                 \
	  "over_time: boolean; ops, peak: tables issue, f16, f32, f64, tensor = number, operations (of issue: warp instructions) and the most in a cycle; bytes, width: tables l1, l2, dram = number, bytes and the most in a cycle; columns: list of such tables, of equal stretches of cycles, the last may be shorter", \
	  "the roofline of the run so far, or of the scope, as `info roofline` shows it; over_time: its parts as well, for which a copy of the process goes through the run again. nil before the first launch. In `run` without JSON statistics counting begins with the first call",                                     \
	  "with over_time: no history; interrupted; within a callback, a host program or a coroutine")                                                                                                                                                                                                                     \
	D("focus", dbg_focus, "dbg.focus() -> {sm, warp, lane, kernel, cta, cta_slot}",                                                                                                                                                                                                                                    \
	  "integers; kernel, cta and cta_slot are nil on an empty warp slot", "where the focus is", "")                                                                                                                                                                                                                    \
	D("reason", dbg_reason, "dbg.reason() -> text", "text: string, \"\" before the first stop",                                                                                                                                                                                                                        \
	  "the text of the last stop", "")

static const luaL_Reg dbg_functions[] = {
#define D(name, fn, signature, values, text, errors) {name, fn},
    DBG_FUNCTIONS
#undef D
    {NULL, NULL}};
const struct lua_doc lua_dbg_docs[] = {
#define D(name, fn, signature, values, text, errors) {"dbg." name, signature, values, text, errors},
    DBG_FUNCTIONS
#undef D
    {NULL, NULL, NULL, NULL, NULL}};

void lua_open_dbg(struct lua_State *L, struct session *s, const struct debugger_words *words)
{
	lua_dbg_make_room(L, &(struct debugger_maker){words, debugger_new, debugger_free});
	luaL_newlib(L, dbg_functions);
	lua_setglobal(L, "dbg");
	lua_open_gpu(L);
	lua_open_mem(L);
}
