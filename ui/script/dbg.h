/* dbg: what Lua sees of the debugger - dbg.*, gpu.*, mem.* - and what the debugger needs of Lua. */
#ifndef UI_LUA_DBG_H
#define UI_LUA_DBG_H
#include "base/strbuf.h"
#include "lua/lua.h"
#include "probe/probe.h"

struct session;
struct debugger;
struct breakpoint;
/* Puts dbg, gpu and mem into a state; once per state. Works with and without a debugger: a session without one gets a
 * debugger of its own when a script first subscribes or steps. */
void lua_open_dbg(struct lua_State *L, struct session *s);
void lua_open_gpu(struct lua_State *L); /* called by lua_open_dbg */
void lua_open_mem(struct lua_State *L);
extern const struct lua_doc lua_dbg_docs[], lua_gpu_docs[], lua_mem_docs[]; /* end with a row of NULLs */

/* d becomes the debugger of its session's Lua state. Returns the one that a script had made before, or NULL. */
struct debugger *lua_dbg_adopted(struct session *s);
/* The debugger of the session's Lua state, if there is one; it stays whose it is. */
struct debugger *lua_dbg_present(struct session *s);
void lua_dbg_attach(struct debugger *d);
void lua_dbg_release(struct debugger *d);

/* Event types subscribed to; delivering one. True = stop; an error in a callback stops and switches the callback off,
 * its text is in lua_dbg_error() until taken. */
u64 lua_dbg_mask(const struct debugger *d);
bool lua_dbg_event(struct debugger *d, const struct event *ev);
bool lua_dbg_condition(void *ctx, struct breakpoint *b, const struct event *ev); /* break_cond_fn, ctx = the debugger */
bool lua_dbg_take_error(struct debugger *d, struct strbuf *out);
/* Inside a callback or condition: the machine may be looked at only. */
bool lua_dbg_in_callback(const struct debugger *d);
void lua_dbg_callback_begins(struct debugger *d);
/* The same round an expression that the debugger evaluates by itself: watched, displayed, the goal of `until`. */
void lua_dbg_look_begins(struct debugger *d);
void lua_dbg_look_ends(struct debugger *d);
bool lua_dbg_looking(const struct debugger *d);
void lua_dbg_callback_ends(struct debugger *d);
u32 lua_dbg_new_id(struct debugger *d); /* of a subscription or hook: dbg.off takes both */
/* Keeps the first error of a callback, for lua_dbg_take_error. */
void lua_dbg_keep_error(struct debugger *d, const char *what, const struct err *e);

/* Compiles "return EXPR"; false with *e = the syntax error. */
bool lua_dbg_check_expr(struct debugger *d, const char *expr, struct err *e);
/* Evaluates and leaves exactly one value on the stack of the session's state. */
bool lua_dbg_eval(struct debugger *d, const char *expr, struct err *e);
/* The same for "a, b, c": how many values are on the stack now; -1 with *e. */
int lua_dbg_eval_all(struct debugger *d, const char *expr, struct err *e);
/* Truth of a Lua expression, or of the function fn (registry reference) when expr is NULL. */
bool lua_dbg_true(struct debugger *d, const char *expr, int fn, bool *truth, struct err *e);
/* Calls what is on the stack with a callback's budget; false with *e, traceback included. */
bool lua_dbg_call(struct debugger *d, int nargs, int nresults, struct err *e);
void lua_dbg_first_line(struct err *e); /* drops the traceback */
/* Executes a chunk; *incomplete (when not NULL) = it ends too early, more lines may complete it. */
bool lua_dbg_exec(struct debugger *d, const char *code, const char *name, bool *incomplete, struct err *e);
/* Appends the value at a stack index as text; tables one level deep. fmt: 0 or one of xdufc. */
void lua_dbg_text(struct lua_State *L, int at, char fmt, struct strbuf *out);
/* Appends all that the object under `gpu` at a stack index holds, one member a line, no line end behind the
 * last; false = it is no such object. */
bool lua_dbg_members(struct lua_State *L, int at, char fmt, struct strbuf *out);
void lua_dbg_unref(struct debugger *d, int ref);
/* Offers completions of a Lua path ("dbg.st", "gpu.sm[0].wa"). */
void lua_dbg_complete(struct debugger *d, const char *text, void (*fn)(void *ctx, const char *path), void *ctx);

/* The debugger of a state, made if need be; raises an error when there is no machine. */
struct debugger *lua_dbg_of(struct lua_State *L);
/* The machine of a state; raises an error when there is none. */
struct sim *lua_check_sim(lua_State *L);
struct gpu *lua_check_gpu(lua_State *L);
/* Raises an error within a callback: `what` would change the machine. */
void lua_check_may_change(lua_State *L, const char *what);
/* Raises an error while a search goes through the past (reverse-continue, reverse-next) and in expressions that the
 * debugger evaluates by itself: `what` would change who is told of what. */
void lua_check_may_subscribe(lua_State *L, const char *what);
#endif
