/* How script code is called, and ended: protected, within a budget, and deaf to nothing.
 *
 * A budget counts VM instructions, by a hook that comes every HOOK_STEP of them. One instruction may be a call of the
 * library that works through megabytes, and a coroutine's instructions are counted by itself; so processor time is
 * counted too, by a timer of the process whose ticks go to the Lua code that runs then. A tick that finds the time used
 * up, or Ctrl-C pressed, makes the hook come at the next instruction - lua_sethook may be called by signal handlers.
 *
 * Lua calls no hook while one runs, and an error that a hook raises has left it only where something catches it.
 * Therefore nothing of a script's may run in between: no handler of xpcall, no __close of a coroutine that died
 * (coroutines.c). */
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "lua/env.h"
#include "lua/lua.h"

#define HOOK_STEP 10000         /* VM instructions between two calls of the hook */
#define TICK_US 50000           /* of processor time */
#define TIME_SHARE 100000000ull /* instructions that are given a second, above half a second */

static volatile sig_atomic_t interrupted;
static lua_State *volatile running; /* the innermost Lua thread that runs */

void lua_interrupt(void)
{
	interrupted = 1;
}
void lua_interrupt_clear(void)
{
	interrupted = 0;
}
bool lua_interrupted(void)
{
	return interrupted;
}

bool lua_must_stop(lua_State *L)
{
	return interrupted && !lua_env_of(L)->deaf;
}

void lua_uninterruptible(lua_State *L)
{
	lua_env_of(L)->deaf = true;
}

/* --- the budget --- */

static bool out_of_time(const struct lua_env *env)
{
	return env->ticks > env->most_ticks;
}

bool lua_out_of_time(lua_State *L)
{
	return out_of_time(lua_env_of(L));
}

/* After an error it comes at every instruction until there is a budget again: a pcall() that catches the error gets no
 * further than to its next instruction, and so on outwards. */
static void hook(lua_State *L, lua_Debug *ar)
{
	struct lua_env *env = lua_env_of(L);
	bool stop = lua_must_stop(L);
	u64 done = (u64)lua_gethookcount(L);
	if (!stop && !out_of_time(env) && env->left >= done) {
		env->left -= done;
		if (done != HOOK_STEP)
			lua_sethook(L, hook, LUA_MASKCOUNT, HOOK_STEP);
		return;
	}
	env->left = 0;
	lua_sethook(L, hook, LUA_MASKCOUNT, 1);
	luaL_where(L, 0); /* of the function that runs */
	if (stop)
		luaL_error(L, "%sinterrupted", lua_tostring(L, -1));
	if (env->ended)
		luaL_error(L, "%s%s", lua_tostring(L, -1), env->ended);
	if (out_of_time(env))
		luaL_error(L, "%sthe script used up its budget of %f s of processor time (an endless loop?)",
		           lua_tostring(L, -1), env->most_ticks * (TICK_US / 1e6));
	luaL_error(L, "%sthe script used up its budget of %I instructions (an endless loop?)", lua_tostring(L, -1),
	           (lua_Integer)env->granted);
}

static void on_tick(int sig)
{
	lua_State *L = running;
	if (!L)
		return;
	struct lua_env *env = lua_env_of(L);
	env->ticks++;
	if (lua_must_stop(L) || out_of_time(env))
		lua_sethook(L, hook, LUA_MASKCOUNT, 1);
}

/* A fork has no timers of its parent's: every state asks for them. */
void lua_bound(lua_State *L)
{
	struct sigaction a = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
	struct itimerval t = {{.tv_usec = TICK_US}, {.tv_usec = TICK_US}};
	sigemptyset(&a.sa_mask);
	sigaction(SIGPROF, &a, NULL);
	setitimer(ITIMER_PROF, &t, NULL);
	lua_sethook(L, hook, LUA_MASKCOUNT, HOOK_STEP);
}

void lua_budget(lua_State *L, u64 instructions)
{
	struct lua_env *env = lua_env_of(L);
	env->left = env->granted = instructions;
	env->most_ticks = (sig_atomic_t)((TIME_SHARE / 2 + instructions) / (TIME_SHARE / 1000000 * TICK_US));
	env->ticks = 0;
	env->ended = NULL;
}

void lua_budget_end(lua_State *L, const char *why)
{
	lua_env_of(L)->left = 0;
	lua_env_of(L)->ended = why;
	lua_sethook(L, hook, LUA_MASKCOUNT, 1);
}

lua_State *lua_now_runs(lua_State *L)
{
	lua_State *before = running;
	running = L;
	return before;
}

/* --- errors --- */

static int to_string(lua_State *L)
{
	luaL_tolstring(L, 1, NULL);
	return 1;
}

/* The text of an error; may leave it on the stack, and raise one for want of memory. */
static const char *error_text(lua_State *L, int at)
{
	const char *msg = lua_tostring(L, at);
	at = lua_absindex(L, at);
	if (msg || luaL_getmetafield(L, at, "__tostring") == LUA_TNIL)
		return msg ? msg : "(the error is not a string)";
	lua_pop(L, 1);
	lua_pushcfunction(L, to_string);
	lua_pushvalue(L, at);
	return lua_pcall(L, 1, 1, 0) == LUA_OK ? lua_tostring(L, -1) : "(the error is an object whose __tostring failed)";
}

/* Is a traceback of use? A text that names no place ("hotspot.lua:12: ") is meant for the user, error("...", 0); what
 * is no text cannot name one. */
static bool wants_traceback(int type, const char *msg)
{
	if (type != LUA_TSTRING)
		return true;
	while ((msg = strchr(msg, ':'))) {
		size_t digits = strspn(++msg, "0123456789");
		if (digits && msg[digits] == ':')
			return true;
	}
	return false;
}

/* Pushes the text of the error at index 1, with the traceback of `of` from a level on. */
static int push_error(lua_State *L, lua_State *of, int level)
{
	int type = lua_type(L, 1);
	const char *msg = error_text(L, 1);
	if (wants_traceback(type, msg))
		lua_traceback(L, of, msg, level);
	else
		lua_pushstring(L, msg);
	return 1;
}

static int add_traceback(lua_State *L)
{
	return push_error(L, L, 1);
}

/* --- calls --- */

/* A call that fails once the state has been told to stop is interrupted: whatever its last words are, it has come no
 * further because of that. */
static void failed(lua_State *L, const char *msg, struct err *e)
{
	const bool first = e && !e->set;
	err_set(e, "%s", msg);
	if (first)
		e->interrupted = lua_must_stop(L);
}

/* Nothing here takes memory of Lua's: a state that has none left must be able to say so. */
static bool call(lua_State *L, int nargs, int nresults, struct err *e)
{
	int base = lua_gettop(L) - nargs;
	lua_pushcfunction(L, add_traceback);
	lua_insert(L, base);
	lua_State *before = lua_now_runs(L);
	int r = lua_pcall(L, nargs, nresults, base);
	lua_now_runs(before);
	if (r == LUA_OK) {
		lua_remove(L, base);
		return true;
	}
	failed(L, lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "(the error is not a string)", e);
	lua_settop(L, base - 1);
	return false;
}

bool lua_call_traced(lua_State *L, int nargs, int nresults, struct err *e)
{
	if (!lua_checkstack(L, 2 + (nresults > 0 ? nresults : 0))) {
		lua_pop(L, nargs + 1);
		return err_set(e, "not enough memory");
	}
	lua_env_of(L)->scripts++;
	bool ok = call(L, nargs, nresults, e);
	lua_env_of(L)->scripts--;
	return ok;
}

struct guarded {
	lua_guarded_fn body;
	void *ctx;
};

static int run_body(lua_State *L)
{
	struct guarded g = *(const struct guarded *)lua_touserdata(L, 1);
	lua_remove(L, 1);
	return g.body(L, g.ctx);
}

bool lua_guarded(lua_State *L, lua_guarded_fn body, void *ctx, int nargs, int nresults, struct err *e)
{
	struct guarded g = {body, ctx};
	if (!lua_checkstack(L, 4 + (nresults > 0 ? nresults : 0))) {
		lua_pop(L, nargs);
		return err_set(e, "not enough memory");
	}
	lua_pushcfunction(L, run_body);
	lua_pushlightuserdata(L, &g);
	lua_rotate(L, -nargs - 2, 2);
	return call(L, nargs + 1, nresults, e);
}

struct checked {
	lua_checked_fn body;
	void *ctx;
	int nresults;
	struct err e;
};

static int run_checked(lua_State *L, void *ctx)
{
	struct checked *c = ctx;
	bool ok = c->body(L, c->ctx, &c->e);
	if (!ok)
		lua_settop(L, 0);
	else
		luaL_checkstack(L, 1, NULL);
	return ok ? c->nresults : 0;
}

bool lua_checked(lua_State *L, lua_checked_fn body, void *ctx, int nargs, int nresults, struct err *e)
{
	struct checked c = {.body = body, .ctx = ctx, .nresults = nresults};
	if (!lua_guarded(L, run_checked, &c, nargs, nresults, e))
		return false;
	if (!c.e.set)
		return true;
	lua_pop(L, nresults);
	return err_pass(e, &c.e);
}

/* The error on top of a coroutine that has failed: nothing can be called there. */
static int take_error(lua_State *L, void *ctx)
{
	lua_State *co = ctx;
	lua_xmove(co, L, 1);
	return push_error(L, co, 0);
}

int lua_resume_traced(lua_State *co, lua_State *from, int nargs, int *nresults, struct err *e)
{
	struct err none = {0};
	lua_State *before = lua_now_runs(co);
	lua_env_of(co)->scripts++;
	int r = lua_resume(co, from, nargs, nresults);
	lua_env_of(co)->scripts--;
	lua_now_runs(before);
	if (r == LUA_OK || r == LUA_YIELD)
		return r;
	if (!lua_guarded(from, take_error, co, 0, 1, &none)) {
		err_pass(e, &none);
		return r;
	}
	failed(from, lua_tostring(from, -1), e);
	lua_pop(from, 1);
	return r;
}
