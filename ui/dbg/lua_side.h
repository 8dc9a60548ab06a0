/* lua_side: the debugger and the Lua state of its session: events and conditions that scripts hear of, expressions that
 * the debugger evaluates, and what may be done when. The functions that scripts call are in ui/script. */
#ifndef UI_DBG_LUA_SIDE_H
#define UI_DBG_LUA_SIDE_H
#include "base/strbuf.h"
#include "lua/lua.h"
#include "obs/break/break.h"

struct session;
struct debugger;
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
	event_set mask;
	u32 in_callback, looking;
	struct strbuf error; /* of a callback, until reported */
	char cut[64];        /* what Ctrl-C fell into, until reported: "dbg.on callback 3 (issue)"; "" = nothing of Lua's */
};

/* Who makes the debugger of a script that asks for one. */
struct debugger_words;
struct debugger_maker {
	const struct debugger_words *words; /* it has these */
	struct debugger *(*make)(struct session *s, const struct debugger_words *words);
	void (*unmake)(struct debugger *d);
};
/* Makes room in a state for its debugger, which there may never be. */
void lua_dbg_make_room(lua_State *L, const struct debugger_maker *maker);
/* d becomes the debugger of its session's Lua state. Returns the one that a script had made before, or NULL. */
struct debugger *lua_dbg_adopted(struct session *s);
/* The debugger of the session's Lua state, if there is one; it stays whose it is. */
struct debugger *lua_dbg_present(struct session *s);
void lua_dbg_attach(struct debugger *d);
void lua_dbg_release(struct debugger *d);

/* Event types subscribed to; delivering one. True = stop; an error in a callback stops and switches the callback off,
 * its text is in lua_dbg_take_error(). One that is interrupted stays on, as all that Ctrl-C falls into does:
 * conditions, hooks, watched expressions (lua_dbg_take_cut()). */
event_set lua_dbg_mask(const struct debugger *d);
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
/* The first that has been interrupted: it stays on, and the stop says so. Taking is false when there is none. */
void lua_dbg_keep_cut(struct debugger *d, const char *what);
bool lua_dbg_take_cut(struct debugger *d, char what[64]);

/* Compiles "return EXPR"; false with *e = the syntax error. */
bool lua_dbg_check_expr(struct debugger *d, const char *expr, struct err *e);
/* Compiles a breakpoint's condition and looks for what it names; false with *e says what to write instead. */
bool lua_dbg_check_condition(struct debugger *d, const char *cond, struct err *e);
/* Says which name of a condition (NULL: there is none) has no value, as far as that is no mistake for certain. */
void lua_dbg_condition_note(struct debugger *d, const char *cond, struct strbuf *out);
/* The first operator of an expression that is C's, and Lua's for it: "`&&` is `and` in Lua"; NULL: there is none. */
const char *lua_dbg_c_spelling(const char *expr);
/* Has a global variable a value? */
bool lua_dbg_has_global(struct debugger *d, const char *name);
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
/* Items of the table at a place of the stack, as a list from 1 or from 0. */
u32 lua_dbg_list(struct lua_State *L, int at, bool *from_0);
void lua_dbg_unref(struct debugger *d, int ref);

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
/* Each sets a field of the table on top. */
void lua_dbg_set_int(lua_State *L, const char *name, lua_Integer v);
void lua_dbg_set_word(lua_State *L, const char *name, const char *v);
void lua_dbg_set_flag(lua_State *L, const char *name, bool v);
/* Raises an error in a coroutine: `what` runs the machine. */
void lua_check_main_thread(lua_State *L, const char *what);

/* Pushes the event's table. */
bool lua_dbg_push_event(struct debugger *d, const struct event *ev, struct err *e);
/* Calls the function of a registry reference with the event as its table, with a callback's budget. */
bool lua_dbg_call_with_event(struct debugger *d, int ref, const struct event *ev, int nresults, struct err *e);
#endif
