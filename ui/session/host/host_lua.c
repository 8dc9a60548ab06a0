/* The Lua host program: loads the workload's file, chooses its parameters, runs it as a coroutine. */
#include "session/host/cuda.h"

#include <stdlib.h>
#include <string.h>

#include <lualib.h>

static const struct host_ops lua_host_ops;

struct session *host_session(lua_State *L)
{
	struct session *s = lua_session(L);
	struct lua_host *h = s ? (struct lua_host *)s->now->host : NULL;
	if (!h || h->base.ops != &lua_host_ops || !h->stepping)
		luaL_error(L, "cuda.* can only be called by the running host program");
	if (h->co != L)
		luaL_error(L, "cuda.* cannot be called from a coroutine of the host program's own");
	return s;
}

int host_raise(lua_State *L, const struct err *e)
{
	return luaL_error(L, "%s", e->msg);
}

struct answers *host_answers(lua_State *L)
{
	return &((struct lua_host *)lua_session(L)->now->host)->answers;
}

static struct lua_host *host_of_caller(lua_State *L)
{
	struct session *s = lua_session(L);
	struct lua_host *h = s ? (struct lua_host *)s->now->host : NULL;
	return h && h->base.ops == &lua_host_ops && h->stepping ? h : NULL;
}

struct answers *answers_of_caller(lua_State *L)
{
	struct lua_host *h = host_of_caller(L);
	return h ? &h->answers : NULL;
}

u64 *host_rng(lua_State *L)
{
	struct lua_host *h = host_of_caller(L);
	return h ? &h->rng : NULL;
}

/* Fed: the wait is over, unless it is the one at which the coroutine stood. */
static bool fed_wait_over(struct answers *l, const struct answer *a)
{
	if (!a->value || --l->waits_left)
		return true;
	answers_end_feeding(l);
	return false;
}

static bool stream_done(const struct session *s, s64 stream)
{
	const u32 program = s->now->index;
	return stream < 0 ? sim_program_idle(s->sim, program) : sim_stream_idle(s->sim, program, (u32)stream);
}

int host_synced(lua_State *L, s64 stream, lua_KFunction k)
{
	struct session *s = host_session(L);
	struct answers *l = host_answers(L);
	const struct answer *fed = answer_fed(L, l, ANSWER_WAIT);
	bool over = fed ? fed_wait_over(l, fed) : stream_done(s, stream);
	if (!fed)
		answer_add(l, ANSWER_WAIT, !over, NULL, 0);
	if (over)
		return k(L, LUA_OK, 0);
	s->now->host->stream = stream;
	((struct lua_host *)s->now->host)->waits = true;
	return lua_yieldk(L, 0, 0, k);
}

/* --- parameters --- */

/* Copies the fields of the table on top into the table below it. */
static void copy_fields(lua_State *L)
{
	lua_pushnil(L);
	while (lua_next(L, -2)) {
		lua_pushvalue(L, -2);
		lua_insert(L, -2);
		lua_settable(L, -5);
	}
}

/* The nearest field name of the table on top to `word`, or NULL; lives in the table. */
static const char *nearest_field(lua_State *L, const char *word)
{
	const char *names[64];
	u32 n = 0;
	lua_pushnil(L);
	while (lua_next(L, -2)) {
		lua_pop(L, 1);
		if (n < ARRAY_LEN(names) && lua_type(L, -1) == LUA_TSTRING)
			names[n++] = lua_tostring(L, -1);
	}
	return conf_nearest(word, names, n);
}

/* One --param of the form key=value, set in the parameter table on top. */
static bool set_param(lua_State *L, const char *pair, const char *path, struct err *e)
{
	const char *eq = strchr(pair, '='), *key = lua_pushlstring(L, pair, (size_t)(eq - pair));
	lua_insert(L, -2);
	int type = lua_getfield(L, -1, key);
	lua_pop(L, 1);
	bool ok = true;
	if (type == LUA_TNIL || !strcmp(key, "seed")) {
		const char *near = nearest_field(L, key);
		ok = err_set(
		    e, near ? "--param: %s has no parameter '%s' (did you mean '%s'?)" : "--param: %s has no parameter '%s'",
		    path, key, near);
	} else if (type == LUA_TNUMBER && !lua_stringtonumber(L, eq + 1)) {
		ok = err_set(e, "--param %s: '%s' is not a number", key, eq + 1);
	} else {
		if (type != LUA_TNUMBER)
			lua_pushstring(L, eq + 1);
		lua_setfield(L, -2, key);
	}
	lua_remove(L, -2);
	return ok;
}

/* Pushes the table the program gets: the fields of its size, --param, seed. The workload's table is on top. */
static bool push_params(lua_State *L, const struct session *s, const char *path, struct err *e)
{
	const char *size = s->now->opt->size ? s->now->opt->size : "default";
	lua_newtable(L);
	if (lua_getfield(L, -2, "sizes") == LUA_TTABLE) {
		if (lua_getfield(L, -1, size) != LUA_TTABLE) {
			lua_pop(L, 3);
			return err_set(e, "%s: sizes.%s is not a table", path, size);
		}
		lua_remove(L, -2);
		copy_fields(L);
	} else if (s->now->opt->size) {
		lua_pop(L, 2);
		return err_set(e, "--size: %s has no sizes", path);
	}
	lua_pop(L, 1);
	for (u32 i = 0; i < s->now->opt->nparams; i++)
		if (!set_param(L, s->now->opt->params[i], path, e)) {
			lua_pop(L, 1);
			return false;
		}
	lua_pushinteger(L, (lua_Integer)s->conf.seed);
	lua_setfield(L, -2, "seed");
	return true;
}

/* --- the coroutine --- */

/* Makes the coroutine with run, cuda and the parameters on its stack. */
static bool start(lua_State *L, void *ctx, struct err *e)
{
	struct lua_host *h = ctx;
	const struct session *s = lua_session(L);
	lua_rawgeti(L, LUA_REGISTRYINDEX, h->table_ref);
	if (!push_params(L, s, s->now->name, e))
		return false;
	h->co = lua_newthread(L);
	h->co_ref = luaL_ref(L, LUA_REGISTRYINDEX);
	lua_getfield(L, -2, "run");
	host_push_cuda(L);
	lua_rotate(L, -3, -1); /* table, run, cuda, params */
	lua_xmove(L, h->co, 3);
	return true;
}

/* A turn that no answer was kept of could not be found again after going back. */
static bool refuse_yield(lua_State *L, void *ctx, struct err *e)
{
	lua_traceback(L, ((struct lua_host *)ctx)->co,
	              "coroutine.yield: a host program waits by cuda.sync, copy and check only", 0);
	return err_set(e, "%s", lua_tostring(L, -1));
}

static enum host_state step(struct session *s, struct host *base, struct err *e)
{
	struct lua_host *h = (struct lua_host *)base;
	int nargs = 0, nresults = 0;
	if (!h->co) {
		lua_budget(s->L, LUA_BUDGET_HOST);
		if (!lua_checked(s->L, start, h, 0, 0, e)) {
			h->co = NULL;
			return HOST_FAILED;
		}
		nargs = 2;
	}
	lua_budget(s->L, LUA_BUDGET_HOST);
	h->stepping = true;
	h->waits = false;
	int r = lua_resume_traced(h->co, s->L, nargs, &nresults, e);
	h->stepping = false;
	if (r == LUA_YIELD) {
		lua_pop(h->co, nresults);
		if (h->waits)
			return HOST_WAITS;
		lua_checked(s->L, refuse_yield, h, 0, 0, e);
		return HOST_FAILED;
	}
	return r == LUA_OK ? HOST_ENDED : HOST_FAILED;
}

static void lua_host_free(struct host *base)
{
	struct lua_host *h = (struct lua_host *)base;
	luaL_unref(h->L, LUA_REGISTRYINDEX, h->co_ref);
	luaL_unref(h->L, LUA_REGISTRYINDEX, h->table_ref);
	luaL_unref(h->L, LUA_REGISTRYINDEX, h->env_ref);
	lua_gc(h->L, LUA_GCCOLLECT); /* its arrays may be large, and a restart makes them anew */
	answers_release(&h->answers);
	free(h->priority);
	free(h->dir);
	free(h);
}

/* math.random as it was when the state was new. */
static void seed_math(lua_State *L, u64 seed)
{
	lua_getfield(L, -1, "randomseed");
	lua_pushinteger(L, (lua_Integer)seed);
	lua_call(L, 1, 0);
}

/* Random numbers begin again. */
static int reseed(lua_State *L, void *ctx)
{
	struct lua_host *h = ctx;
	array_reseed(L);
	h->rng = lua_session(L)->conf.seed;
	if (h->env_ref == LUA_NOREF)
		return 0;
	lua_rawgeti(L, LUA_REGISTRYINDEX, h->env_ref);
	lua_getfield(L, -1, "math");
	seed_math(L, h->rng);
	return 0;
}

/* Among several programs each has global variables and a math.random of its own: what one does must not depend on when
 * the others do something. The function on top gets them. */
static void own_globals(lua_State *L, struct lua_host *h)
{
	lua_newtable(L);
	lua_createtable(L, 0, 1);
	lua_pushglobaltable(L);
	lua_setfield(L, -2, "__index");
	lua_setmetatable(L, -2);
	lua_pushcfunction(L, luaopen_math);
	lua_call(L, 0, 1);
	seed_math(L, lua_session(L)->conf.seed);
	lua_setfield(L, -2, "math");
	lua_pushvalue(L, -1);
	h->env_ref = luaL_ref(L, LUA_REGISTRYINDEX);
	lua_setupvalue(L, -2, 1);
}

/* A new coroutine, fed up to its turns-th wait. */
static enum host_state rebuild(struct session *s, struct host *base, u32 turns, struct err *e)
{
	struct lua_host *h = (struct lua_host *)base;
	size_t printed = s->output.len;
	luaL_unref(h->L, LUA_REGISTRYINDEX, h->co_ref);
	h->co = NULL;
	h->co_ref = LUA_NOREF;
	h->streams = h->checks = 0;
	h->answers.at = 0;
	if (!lua_guarded(s->L, reseed, h, 0, 0, e))
		return HOST_FAILED;
	if (!turns) {
		answers_end_feeding(&h->answers);
		return HOST_WAITS;
	}
	h->answers.feeding = true;
	h->answers.waits_left = turns;
	enum host_state state = step(s, base, e);
	if (s->output.len > printed) { /* it has printed that before */
		s->output.len = printed;
		s->output.buf[printed] = 0;
	}
	return state;
}

static const struct host_ops lua_host_ops = {.step = step, .rebuild = rebuild, .free = lua_host_free};

/* Loads the file and keeps its table. What is wrong with --size and --param shows at once, not at the first cycle. */
static bool load_workload(lua_State *L, void *ctx, struct err *e)
{
	struct lua_host *h = ctx;
	const char *path = h->path;
	if (!lua_load_path(L, path, e))
		return false;
	if (lua_session(L)->nprograms > 1)
		own_globals(L, h);
	if (!lua_call_traced(L, 0, 1, e))
		return false;
	bool table = lua_istable(L, -1);
	bool run = table && lua_getfield(L, -1, "run") == LUA_TFUNCTION;
	if (table)
		lua_pop(L, 1);
	if (run && push_params(L, lua_session(L), path, e)) {
		lua_pop(L, 1);
		h->table_ref = luaL_ref(L, LUA_REGISTRYINDEX);
		array_register(L);
		array_reseed(L);
		return true;
	}
	return err_set(e,
	               "%s: a host program returns a table with a function `run`: return { name = ..., run = "
	               "function(cuda, p) ... end }",
	               path);
}

struct host *host_lua_new(struct session *s, const char *path, struct err *e)
{
	struct lua_host *h = xcalloc(1, sizeof *h);
	const char *slash = strrchr(path, '/');
	h->base.ops = &lua_host_ops;
	h->L = s->L;
	h->co_ref = h->table_ref = h->env_ref = LUA_NOREF;
	h->rng = s->conf.seed;
	h->path = path;
	h->dir = slash ? xstrndup(path, (size_t)(slash - path)) : xstrdup(".");
	lua_budget(s->L, LUA_BUDGET_HOST);
	bool ok = lua_checked(s->L, load_workload, h, 0, 0, e);
	h->path = NULL;
	if (ok)
		return &h->base;
	lua_host_free(&h->base);
	return NULL;
}
