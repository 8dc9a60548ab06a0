/* What dbg.c (the state's debugger, the module), dbg_events.c, dbg_break.c and dbg_run.c share. */
#ifndef UI_LUA_DBG_INTERNAL_H
#define UI_LUA_DBG_INTERNAL_H
#include "script/dbg.h"
#include "obs/break/break.h"

struct subscription {
	u32 id;
	bool enabled;
	enum event_type type;
	struct event_filter filter;
	int ref; /* of the function, in the registry */
};
struct dbg_lua {
	struct subscription *subs;
	u32 n, next_id;
	bool holes; /* some entries have ended (id 0) while the array was walked */
	u64 mask;
	u32 in_callback, looking;
	struct strbuf error; /* of a callback, until reported */
};

/* The event whose name is at a stack index, and its filter, a table or nothing; errors name what is wrong. */
enum event_type lua_dbg_check_event(lua_State *L, int at);
void lua_dbg_check_filter(lua_State *L, int at, enum event_type t, struct event_filter *f);
void lua_dbg_push_event(lua_State *L, struct gpu *g, const struct event *ev);
/* Sets a field of the table on top. */
void lua_dbg_set_int(lua_State *L, const char *name, lua_Integer v);
/* Raises an error in a coroutine: `what` runs the machine. */
void lua_check_main_thread(lua_State *L, const char *what);

/* Rows of the module, documented in dbg.c. */
int lua_dbg_on(lua_State *L);
int lua_dbg_off(lua_State *L);
int lua_dbg_break_on(lua_State *L);
int lua_dbg_step(lua_State *L);
int lua_dbg_continue(lua_State *L);
int lua_dbg_run_until(lua_State *L);
int lua_dbg_execute(lua_State *L);
int lua_dbg_goto_cycle(lua_State *L);
int lua_dbg_snapshot(lua_State *L);
int lua_dbg_events(lua_State *L);
int lua_dbg_over(lua_State *L);
/* Calls the function of a registry reference with the event as its table, with a callback's budget. */
bool lua_dbg_call_with_event(struct debugger *d, int ref, const struct event *ev, int nresults, struct err *e);
#endif
