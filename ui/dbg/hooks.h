/* hooks: functions of scripts that are called at the start and the end of a run and every so many cycles; and dbg.stop.
 *
 * They are called once for each cycle: what a replay after going back in time passes again is not sampled again, and
 * events carry e.replay there. */
#ifndef UI_DBG_HOOKS_H
#define UI_DBG_HOOKS_H
#include "base/strbuf.h"
#include "lua/lua.h"

struct session;
struct debugger;
/* The machine may be a new one: the sampling goes on there. Part of debugger_resubscribe(). */
void lua_hooks_bind(struct debugger *d);
/* Calls the functions of dbg.at_start: `run` has built a new machine; of dbg.at_end: the run is over (finished,
 * faulted, hung, out of cycles). What they print is in the session's output, an error in lua_dbg_take_error(). */
void lua_hooks_start(struct debugger *d);
void lua_hooks_end(struct debugger *d);
/* dbg.off: ends the hook of this id, false when there is none. */
bool lua_hooks_off(struct debugger *d, s64 id);
void lua_hooks_release(struct debugger *d);
/* Has a callback called dbg.stop? Taking appends its text and forgets it. */
bool lua_hooks_stop_asked(const struct debugger *d);
bool lua_hooks_take_stop(struct debugger *d, struct strbuf *out);
/* Have callbacks heard of the present cycle before? */
bool lua_hooks_seen_before(const struct session *s);

/* Rows of the dbg module. */
int lua_hooks_at_end(lua_State *L);
int lua_hooks_at_start(lua_State *L);
int lua_hooks_sample(lua_State *L);
int lua_hooks_stop(lua_State *L);
#define LUA_HOOK_FUNCTIONS                                                                                             \
	D("at_end", lua_hooks_at_end, "dbg.at_end(function(cycle)) -> id", "cycle: integer; id: integer, for dbg.off",     \
	  "calls the function when a run is over: finished, faulted, hung, past --max-cycles (`warpdbg run`: also "        \
	  "interrupted)",                                                                                                  \
	  "within a callback; more than 1000 functions of at_end, at_start and sample")                                    \
	D("at_start", lua_hooks_at_start, "dbg.at_start(function(cycle)) -> id",                                           \
	  "cycle: integer; id: integer, for dbg.off",                                                                      \
	  "calls the function when `run` has started again from nothing: where a script forgets what it has gathered",     \
	  "as dbg.at_end")                                                                                                 \
	D("sample", lua_hooks_sample, "dbg.sample(period, function(cycle)) -> id",                                         \
	  "period: integer, cycles, at least 1; cycle: integer; id: integer, for dbg.off",                                 \
	  "calls the function whenever the clock reaches a multiple of period, once for each such cycle",                  \
	  "a period below 1; as dbg.at_end")                                                                               \
	D("stop", lua_hooks_stop, "dbg.stop(text)", "text: string",                                                        \
	  "within a callback: stops the run at the end of this cycle and says why (`warpdbg run` ends there)",             \
	  "outside a callback")
#endif
