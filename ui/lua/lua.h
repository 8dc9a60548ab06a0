/* lua: the one place that creates Lua states: sandboxed, bounded, with tracebacks.
 *
 * A state has string, table, math, utf8, coroutine and the safe part of the base library. `load` takes text only. There
 * is no io, os, package, debug, dofile or loadfile, unless allow_io gives io and os. `require "lib.graph"` loads
 * lib/graph.lua from the directory of the script that asks, then from scripts/workloads and scripts: Lua text only.
 * `print` appends to its owner's output. Memory is limited to LUA_MAX_BYTES, running time by a budget of VM
 * instructions. */
#ifndef UI_LUA_LUA_H
#define UI_LUA_LUA_H
#include <lauxlib.h>
#include <lua.h>
#include "base/err.h"

struct session;
#define LUA_MAX_BYTES (4ull << 30)
/* VM instructions: some 60 s for a host program between two waits, a tenth of a second for a callback or condition. The
 * processor time for them is half a second and one more for each 10^8. */
#define LUA_BUDGET_HOST 10000000000ull
#define LUA_BUDGET_CALLBACK 10000000ull

struct strbuf;
/* Whose state it is. What a session is, is not known here. */
struct lua_owner {
	struct session *s;      /* lua_session()'s answer */
	struct strbuf *printed; /* where print() writes */
	u64 seed;               /* of math.random */
};
/* A sandboxed state. owner may be NULL (machine files): then there is no output and no session. data_dir: that holds
 * configs/ and scripts/; may be NULL. Never NULL itself unless memory is exhausted. */
lua_State *lua_sandbox_new(const struct lua_owner *owner, const char *data_dir, bool allow_io);
void lua_sandbox_free(lua_State *L);
/* For tests: after n more allocations of Lua states no further one succeeds; LUA_NO_LIMIT ends that. */
#define LUA_NO_LIMIT UINT64_MAX
void lua_limit_allocations(u64 n);
u64 lua_allocations_left(void);
/* This process is a fork of the one that made the state. The state gets a clock for its budgets again. No state of this
 * process, whatever allow_io says, opens a file for writing, deletes or renames one, or starts a program any more. */
void lua_forked(lua_State *L);
/* The session of a state (also of its coroutines), or NULL. */
struct session *lua_session(lua_State *L);

#define LUA_REQUIRED "warpdbg.required" /* registry: table of the modules that require has loaded */

/* Grants a fresh budget for what is called next; exceeding it raises an error that says so. Applies to the state and
 * all its coroutines together. */
void lua_budget(lua_State *L, u64 instructions);
/* Uses up what is left of it; why (a constant) is what is said of it. */
void lua_budget_end(lua_State *L, const char *why);
/* Has the processor time of the budget been used up? */
bool lua_out_of_time(lua_State *L);
/* Has lua_interrupt() been called, and does this state listen? */
bool lua_must_stop(lua_State *L);
/* Makes running Lua code of this process fail with "interrupted" at its next hook: safe from a signal handler. */
void lua_interrupt(void);
void lua_interrupt_clear(void);
bool lua_interrupted(void);
/* This state does not listen to lua_interrupt(): its budgets are short, and what it does must not be cut. */
void lua_uninterruptible(lua_State *L);

/* Reads a file and pushes it as a function; text only. False with *e (file, line). */
bool lua_load_path(lua_State *L, const char *path, struct err *e);
/* --- calls -------------------------------------------------------------------------------------------------------- */
/* Lua is called by these alone: its interface raises errors, for want of memory nearly everywhere and by what a
 * script's metatables do, and one that nothing catches ends the program. */

/* Calls the script's function below the arguments: false with *e = message and traceback, the stack as before the
 * function was pushed. Of all calls here: one that lua_interrupt() has ended has e->interrupted; it has not failed, and
 * who called it calls it again another time (base/leaving.h). */
bool lua_call_traced(lua_State *L, int nargs, int nresults, struct err *e);
/* Calls body, which may use all of Lua's interface, as a lua_CFunction with ctx; what is the C side's (memory, files)
 * must be held by the caller, since an error leaves body at once. */
typedef int (*lua_guarded_fn)(lua_State *L, void *ctx);
bool lua_guarded(lua_State *L, lua_guarded_fn body, void *ctx, int nargs, int nresults, struct err *e);
/* The same with a body that says itself what failed; the results are on top of its stack. */
typedef bool (*lua_checked_fn)(lua_State *L, void *ctx, struct err *e);
bool lua_checked(lua_State *L, lua_checked_fn body, void *ctx, int nargs, int nresults, struct err *e);
/* lua_resume; an error is in *e, with the coroutine's traceback. */
int lua_resume_traced(lua_State *co, lua_State *from, int nargs, int *nresults, struct err *e);
/* luaL_traceback() in bounded time: pushes msg and where `of` stands, on L. */
void lua_traceback(lua_State *L, lua_State *of, const char *msg, int level);
/* Functions of Lua's library that could run for ever in C, at times that depend on the host, or where no budget is
 * heard: bounded.c, patterns.c, coroutines.c. */
void lua_bound_libraries(lua_State *L);

/* One row of the reference: a function or field that scripts can use. `help lua`, `list lua` and REFERENCE.md come from
 * these tables (script/reference.h). */
struct lua_doc {
	const char *name;      /* "cuda.copy" */
	const char *signature; /* "cuda.copy(to, from[, bytes])"; of a field its path */
	const char *values;    /* what goes in and comes out: types, units, ranges; "" = nothing does */
	const char *text;      /* what it does or is */
	const char *errors;    /* when it raises a Lua error, other than for arguments of a wrong type; "" = never */
};
/* Each ends with a row of NULLs: cuda.* and host arrays; policy.* and what policies are given. */
extern const struct lua_doc lua_cuda_docs[], lua_policy_docs[];
#endif
