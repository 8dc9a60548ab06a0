/* The debugger of a Lua state - whose it is, what may be done when - and the module dbg, whose functions are in
 * dbg_events.c, dbg_break.c and dbg_run.c. */
#include "script/dbg.h"

#include <stdlib.h>

#include "commands/commands.h"
#include "dbg/debugger.h"
#include "script/dbg_internal.h"
#include "dbg/hooks.h"

#define DEBUGGER_KEY "warpdbg.debugger" /* registry: box of the state's debugger */
struct box {
	struct debugger *d;
	bool owned; /* made for a script: goes with the state */
};

/* --- the state's debugger --------------------------------------------------------------------------------------------
 */

static struct box *box_of(lua_State *L)
{
	lua_getfield(L, LUA_REGISTRYINDEX, DEBUGGER_KEY);
	struct box *b = lua_touserdata(L, -1);
	lua_pop(L, 1);
	return b;
}

struct debugger *lua_dbg_of(lua_State *L)
{
	struct box *b = box_of(L);
	struct session *s = lua_session(L);
	if (!s || !s->sim || !b)
		luaL_error(L, "there is no machine here");
	if (!b->d) {
		debugger_new(s); /* attaches itself */
		b->owned = true;
	}
	return b->d;
}

static int box_gc(lua_State *L)
{
	struct box *b = lua_touserdata(L, 1);
	struct debugger *d = b->d;
	b->d = NULL;
	if (d && b->owned) {
		d->subscribed_to = NULL; /* the machine may be gone already */
		d->lua->n = 0;           /* and the registry is going */
		debugger_free(d);
	}
	return 0;
}

struct debugger *lua_dbg_present(struct session *s)
{
	struct box *b = s->L ? box_of(s->L) : NULL;
	return b ? b->d : NULL;
}

struct debugger *lua_dbg_adopted(struct session *s)
{
	struct box *b = box_of(s->L);
	if (!b || !b->d)
		return NULL;
	b->owned = false;
	return b->d;
}

void lua_dbg_attach(struct debugger *d)
{
	struct box *b = box_of(d->s->L);
	d->lua = xcalloc(1, sizeof(*d->lua));
	d->lua->next_id = 1;
	if (b) {
		b->d = d;
		b->owned = false;
	}
}

void lua_dbg_release(struct debugger *d)
{
	struct box *b = d->s->L ? box_of(d->s->L) : NULL;
	if (b && b->d == d)
		b->d = NULL;
	lua_hooks_release(d);
	strbuf_release(&d->lua->error);
	free(d->lua->subs);
	free(d->lua);
	d->lua = NULL;
}

void lua_dbg_unref(struct debugger *d, int ref)
{
	if (ref >= 0 && d->s->L)
		luaL_unref(d->s->L, LUA_REGISTRYINDEX, ref);
}

bool lua_dbg_in_callback(const struct debugger *d)
{
	return d->lua && (d->lua->in_callback || d->lua->looking);
}

void lua_dbg_look_begins(struct debugger *d)
{
	d->lua->looking++;
}

void lua_dbg_look_ends(struct debugger *d)
{
	d->lua->looking--;
}

bool lua_dbg_looking(const struct debugger *d)
{
	return d->lua->looking;
}

void lua_dbg_callback_begins(struct debugger *d)
{
	d->lua->in_callback++;
}

void lua_dbg_callback_ends(struct debugger *d)
{
	d->lua->in_callback--;
}

u32 lua_dbg_new_id(struct debugger *d)
{
	return d->lua->next_id++;
}

struct sim *lua_check_sim(lua_State *L)
{
	struct session *s = lua_session(L);
	if (!s || !s->sim)
		luaL_error(L, "there is no machine here");
	return s->sim;
}

struct gpu *lua_check_gpu(lua_State *L)
{
	return sim_gpu(lua_check_sim(L));
}

void lua_check_may_subscribe(lua_State *L, const char *what)
{
	struct session *s = lua_session(L);
	struct box *b = box_of(L);
	if (s && s->replaying)
		luaL_error(L, "%s: not while searching back: breakpoints, subscriptions and the machine stay as they are",
		           what);
	if (b && b->d && lua_dbg_looking(b->d))
		luaL_error(L,
		           "%s: expressions that are watched, displayed or waited for may look at the machine, not change it",
		           what);
}

void lua_check_may_change(lua_State *L, const char *what)
{
	struct box *b = box_of(L);
	lua_check_may_subscribe(L, what);
	if (b && b->d && lua_dbg_in_callback(b->d))
		luaL_error(L, "%s: callbacks and conditions may look at the machine, not change it", what);
}

/* Coroutines are host programs: they run inside the machine's run. */
void lua_check_main_thread(lua_State *L, const char *what)
{
	if (!lua_pushthread(L))
		luaL_error(L, "%s cannot be called from a host program or coroutine: it runs the machine that runs them", what);
	lua_pop(L, 1);
}

/* --- errors of callbacks ------------------------------------------------------------------------------------------ */

void lua_dbg_keep_error(struct debugger *d, const char *what, const struct err *e)
{
	if (!d->lua->error.len)
		strbuf_addf(&d->lua->error, "%s: %s", what, e->msg);
}

bool lua_dbg_take_error(struct debugger *d, struct strbuf *out)
{
	if (!d->lua->error.len)
		return false;
	strbuf_adds(out, d->lua->error.buf);
	strbuf_clear(&d->lua->error);
	return true;
}

/* --- the module --------------------------------------------------------------------------------------------------- */

static int dbg_export(lua_State *L)
{
	struct debugger *d = lua_dbg_of(L);
	struct err e = {0};
	u32 sms = gpu_conf(lua_check_gpu(L))->num_sms;
	const char *format = luaL_checkstring(L, 1), *file = luaL_checkstring(L, 2);
	lua_Integer sm = luaL_optinteger(L, 3, -1);
	luaL_argcheck(L, sm >= -1 && sm < (lua_Integer)sms, 3, "no such SM");
	d->scripted++;
	bool ok = export_now(d, format, file, (s32)sm, &e);
	d->scripted--;
	return ok ? 0 : luaL_error(L, "dbg.export: %s", e.msg);
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
	lua_pushstring(L, lua_dbg_of(L)->stop_reason);
	return 1;
}

/* One row a function: the registration and the reference come from it. */
#define DBG_FUNCTIONS                                                                                                  \
	D("on", lua_dbg_on, "dbg.on(event, [filter,] function(e)) -> id",                                                  \
	  "event: string, a name of dbg.events(), - or _ in it; filter: table NAME = integer (kernel: or its "             \
	  "name), sm kernel cta warp or an argument of the event; id: integer, for dbg.off; e: table of "                  \
	  "integers: cycle, sm, warp, cta, kernel, pc and the arguments, as far as the event has them; "                   \
	  "strings: event, kernel_name, state_name, reason_name",                                                          \
	  "calls the function at the end of each cycle for each such event; the filter is decided before Lua "             \
	  "is entered; state_name and reason_name put the arguments state and reason into words; e.replay = "              \
	  "true where it is told again after going back in time",                                                          \
	  "no such event or filter; a filter of another type. An error in the function stops the run, with "               \
	  "its traceback, and ends the subscription. More than 1000 subscriptions")                                        \
	D("off", lua_dbg_off, "dbg.off(id)", "id: integer", "ends what dbg.on, at_end, at_start or sample began",          \
	  "there is none of that id")                                                                                      \
	LUA_HOOK_FUNCTIONS                                                                                                 \
	D("break_on", lua_dbg_break_on, "dbg.break_on(event, [filter, [function(e) | expression]]) -> number",             \
	  "event, filter, e: as of dbg.on; expression: string, Lua that may use e; number: integer, as in "                \
	  "`info breakpoints`",                                                                                            \
	  "a breakpoint; with a condition it stops only when that is true",                                                \
	  "no such event or filter; the expression is no Lua; within a callback")                                          \
	D("step", lua_dbg_step, "dbg.step([n]) -> reason", "n: integer, cycles, at least 1; reason: string",               \
	  "simulates n cycles (1); reason is \"\" unless something else stopped it",                                       \
	  "n below 1; the program has finished or cannot go on; within a callback, a host program or a "                   \
	  "coroutine")                                                                                                     \
	D("run_until", lua_dbg_run_until, "dbg.run_until(cycle | event [, filter] | function) -> reason",                  \
	  "cycle: integer, later than now; event, filter: as of dbg.on; function: called without arguments; "              \
	  "reason: string",                                                                                                \
	  "runs to a cycle, an event, or until the function, called after every cycle, returns true; reason "              \
	  "is \"\" unless something else stopped it",                                                                      \
	  "a cycle that has passed; no such event or filter; as dbg.step")                                                 \
	D("continue", lua_dbg_continue, "dbg.continue() -> reason", "reason: string", "runs until something stops it",     \
	  "as dbg.step")                                                                                                   \
	D("goto_cycle", lua_dbg_goto_cycle, "dbg.goto_cycle(cycle)", "cycle: integer",                                     \
	  "brings back any cycle of the run, as the command goto does, without saying where it is then",                   \
	  "a cycle that is not in history; no history; as dbg.step")                                                       \
	D("snapshot", lua_dbg_snapshot, "dbg.snapshot() -> cycle | nil, text",                                             \
	  "cycle: integer, the present one, for dbg.goto_cycle; text: string, why there is no snapshot here",              \
	  "takes a snapshot of the whole state, so that coming back here takes no replay; it is thinned with age "         \
	  "like the debugger's own; nil when there is no history, or no room left in it",                                  \
	  "as dbg.step")                                                                                                   \
	D("execute", lua_dbg_execute, "dbg.execute(command) -> text",                                                      \
	  "command: string, a line of the console; text: string, lines",                                                   \
	  "executes a console command, runs included, and returns what it says",                                           \
	  "the command's own; within a callback, a host program or a coroutine")                                           \
	D("export", dbg_export, "dbg.export(format, file [, sm])",                                                         \
	  "format: string, csv phases-csv phases-svg trace json; file: string, a path; sm: integer, for "                  \
	  "phases-svg (all SMs)",                                                                                          \
	  "writes what has been recorded, as the command `export` does; needs --allow-io",                                 \
	  "no --allow-io; no such format or SM; nothing of that kind is recorded; the file cannot be written")             \
	D("events", lua_dbg_events, "dbg.events() -> list", "list: strings, from 1", "names of all events", "")            \
	D("over", lua_dbg_over, "dbg.over(probe, cycles) -> value",                                                        \
	  "probe: string, a counter or rate as in `break stat`, \"gpu.sm[0].l1d.hit_rate\"; cycles: integer, 64 to 10^9; " \
	  "value: number",                                                                                                 \
	  "what came in over the last whole window: windows end at multiples of `cycles`; nan before the first has "       \
	  "ended, for a rate without events, and where history does not reach back. A window once asked for is kept up "   \
	  "with; in conditions and watched expressions write both arguments out",                                          \
	  "no such probe; a window that has not been asked for before, while the machine runs; within a host program or "  \
	  "a coroutine")                                                                                                   \
	D("focus", dbg_focus, "dbg.focus() -> {sm, warp, lane, kernel, cta, cta_slot}",                                    \
	  "integers; kernel, cta and cta_slot are nil on an empty warp slot", "where the focus is", "")                    \
	D("reason", dbg_reason, "dbg.reason() -> text", "text: string, \"\" before the first stop",                        \
	  "what the last stop said", "")

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

void lua_open_dbg(struct lua_State *L, struct session *s)
{
	struct box *b = lua_newuserdatauv(L, sizeof(*b), 0);
	*b = (struct box){0};
	lua_createtable(L, 0, 1);
	lua_pushcfunction(L, box_gc);
	lua_setfield(L, -2, "__gc");
	lua_setmetatable(L, -2);
	lua_setfield(L, LUA_REGISTRYINDEX, DEBUGGER_KEY);
	luaL_newlib(L, dbg_functions);
	lua_setglobal(L, "dbg");
	lua_open_gpu(L);
	lua_open_mem(L);
}
