/* cuda.launch and the scalar wrappers: Lua values to kernel parameters. */
#include "session/host/cuda.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "session/call_texts.h"
#include "session/host/launch_log.h"
#include "session/host/param_list.h"

#define START_US_MAX 10000000

int host_scalar(lua_State *L)
{
	enum ptype t = (enum ptype)lua_tointeger(L, lua_upvalueindex(1));
	u64 bits = 0;
	if (ptype_is_float(t)) {
		double d = luaL_checknumber(L, 1);
		float f = (float)d;
		if (t == T_F32)
			memcpy(&bits, &f, sizeof f);
		else
			memcpy(&bits, &d, sizeof d);
	} else {
		bits = (u64)luaL_checkinteger(L, 1);
	}
	struct scalar_handle *h = lua_newuserdatauv(L, sizeof *h, 0);
	*h = (struct scalar_handle){t, bits};
	luaL_setmetatable(L, SCALAR_META);
	return 1;
}

/* What messages call a parameter. */
static const char *param_name(lua_State *L, const struct func *fn, u32 i)
{
	return lua_pushfstring(L, "parameter %d of %s (%s %s)", (int)i + 1, func_label(fn), ptype_name(fn->params[i].type),
	                       fn->params[i].name);
}

static bool fits(lua_Integer v, u32 bytes)
{
	if (bytes >= 8)
		return true;
	lua_Integer lo = -((lua_Integer)1 << (8 * bytes - 1)), hi = ((lua_Integer)1 << 8 * bytes) - 1;
	return v >= lo && v <= hi;
}

static void put_number(lua_State *L, const struct func *fn, u32 i, u8 *out)
{
	const struct param *p = &fn->params[i];
	int ok;
	if (p->type == T_F32) {
		float f = (float)lua_tonumber(L, -1);
		memcpy(out, &f, sizeof f);
		return;
	}
	if (p->type == T_F64) {
		double d = lua_tonumber(L, -1);
		memcpy(out, &d, sizeof d);
		return;
	}
	lua_Integer v = lua_tointegerx(L, -1, &ok);
	if (p->size > 8)
		luaL_error(L, "%s is a structure of %d bytes: pass a host array of that size", param_name(L, fn, i),
		           (int)p->size);
	if (!ok)
		luaL_error(L, "%s: %f is not a whole number (cuda.f32(x) passes the bits of a float)", param_name(L, fn, i),
		           lua_tonumber(L, -1));
	if (!fits(v, p->size))
		luaL_error(L, "%s: %I does not fit %d bytes", param_name(L, fn, i), v, (int)p->size);
	memcpy(out, &v, p->size);
}

static void put_scalar(lua_State *L, const struct func *fn, u32 i, const struct scalar_handle *h, u8 *out)
{
	const struct param *p = &fn->params[i];
	bool untyped = p->type >= T_B8 && p->type <= T_B64;
	if (ptype_bytes(h->type) != p->size || (!untyped && ptype_is_float(h->type) != ptype_is_float(p->type)))
		luaL_error(L, "%s cannot take a value of type %s", param_name(L, fn, i), ptype_name(h->type));
	memcpy(out, &h->bits, p->size);
}

static void put_array(lua_State *L, const struct func *fn, u32 i, const struct array *a, u8 *out)
{
	u64 bytes = a->n * a->width;
	if (bytes != fn->params[i].size)
		luaL_error(L, "%s has %d bytes, the host array has %I (a buffer is passed as its device address: cuda.malloc)",
		           param_name(L, fn, i), (int)fn->params[i].size, (lua_Integer)bytes);
	memcpy(out, a->data, bytes);
}

/* The argument on top of the stack. */
static void put_argument(lua_State *L, const struct func *fn, u32 i, u8 *out)
{
	const struct array *a = array_test(L, -1);
	const struct scalar_handle *h = a ? NULL : luaL_testudata(L, -1, SCALAR_META);
	if (a)
		put_array(L, fn, i, a, out);
	else if (h)
		put_scalar(L, fn, i, h, out);
	else if (lua_type(L, -1) == LUA_TNUMBER)
		put_number(L, fn, i, out);
	else
		luaL_error(L, "%s: got a %s; a number, cuda.f32(x) and the like, or a host array expected",
		           param_name(L, fn, i), luaL_typename(L, -1));
}

static void put_arguments(lua_State *L, int at, const struct func *fn, u8 *params)
{
	luaL_checktype(L, at, LUA_TTABLE);
	lua_Unsigned n = lua_rawlen(L, at);
	char list[PARAM_LIST_MAX];
	if (n != fn->nparams)
		luaL_error(L, "%s takes %d parameters%s, got %d", func_label(fn), (int)fn->nparams, param_list(fn, list),
		           (int)n);
	for (u32 i = 0; i < fn->nparams; i++) {
		lua_rawgeti(L, at, (lua_Integer)i + 1);
		put_argument(L, fn, i, params + fn->params[i].offset);
		lua_pop(L, 1);
	}
}

static u32 dim_component(lua_State *L, int at, int i, const char *what)
{
	int ok;
	if (lua_rawgeti(L, at, i) == LUA_TNIL && i > 1) {
		lua_pop(L, 1);
		return 1;
	}
	lua_Integer v = lua_tointegerx(L, -1, &ok);
	if (!ok || v < 1 || v > INT32_MAX)
		luaL_error(L, "%s[%d]: %s is not a whole number within 1..2147483647", what, i, luaL_tolstring(L, -1, NULL));
	lua_pop(L, 1);
	return (u32)v;
}

/* A number or a table of one to three. */
static struct dim3 check_dim(lua_State *L, int at, const char *what)
{
	if (lua_type(L, at) == LUA_TNUMBER) {
		lua_createtable(L, 1, 0);
		lua_pushvalue(L, at);
		lua_rawseti(L, -2, 1);
		lua_replace(L, at);
	}
	luaL_checktype(L, at, LUA_TTABLE);
	if (lua_rawlen(L, at) > 3)
		luaL_error(L, "%s has more than three dimensions", what);
	return (struct dim3){dim_component(L, at, 1, what), dim_component(L, at, 2, what), dim_component(L, at, 3, what)};
}

static u32 option(lua_State *L, int at, const char *name, lua_Integer max)
{
	int ok;
	lua_Integer v = 0;
	if (lua_getfield(L, at, name) != LUA_TNIL) {
		v = lua_tointegerx(L, -1, &ok);
		if (!ok || v < 0 || v > max)
			luaL_error(L, "launch option %s: %s is not a whole number within 0..%I", name, luaL_tolstring(L, -1, NULL),
			           max);
	}
	lua_pop(L, 1);
	return (u32)v;
}

static bool flag(lua_State *L, int at, const char *name)
{
	const int type = lua_getfield(L, at, name);
	if (type != LUA_TNIL && type != LUA_TBOOLEAN)
		luaL_error(L, "launch option %s: true or false expected, got %s", name, luaL_typename(L, -1));
	const bool v = lua_toboolean(L, -1);
	lua_pop(L, 1);
	return v;
}

/* Microseconds since the machine's first cycle, as a cycle. */
static u64 start_cycle(lua_State *L, int at, const struct session *s)
{
	const int type = lua_getfield(L, at, "start_us");
	const double us = lua_tonumber(L, -1);
	if (type != LUA_TNIL && (type != LUA_TNUMBER || !(us >= 0 && us <= START_US_MAX)))
		luaL_error(L, "launch option start_us: microseconds from 0 to %d expected", START_US_MAX);
	lua_pop(L, 1);
	return (u64)ceil(us * gpu_conf(sim_gpu(s->sim))->core_clock);
}

static void check_options(lua_State *L, int at)
{
	static const char *const names[] = {"shared", "stream", "regs", "cooperative", "programmatic", "start_us"};
	luaL_checktype(L, at, LUA_TTABLE);
	lua_pushnil(L);
	while (lua_next(L, at)) {
		lua_pop(L, 1);
		const char *key = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "(not a string)";
		u32 i = 0;
		while (i < ARRAY_LEN(names) && strcmp(key, names[i]))
			i++;
		if (i == ARRAY_LEN(names))
			luaL_error(
			    L, "unknown launch option '%s'; there are shared, stream, regs, cooperative, programmatic, start_us",
			    key);
	}
}

/* Which line of the host program launches: "cuda.launch from saxpy.lua:12". */
static const char *call_of(lua_State *L, struct call_texts *texts)
{
	lua_Debug at = {0};
	if (!lua_getstack(L, 1, &at) || !lua_getinfo(L, "Sl", &at) || at.currentline <= 0 || at.source[0] != '@')
		return "cuda.launch";
	const char *slash = strrchr(at.source, '/'), *file = slash ? slash + 1 : at.source + 1;
	const u64 key = hash_bytes(&at.currentline, sizeof at.currentline, hash_bytes(at.source, strlen(at.source), 0));
	const char *text = call_texts_find(texts, key);
	if (text || !call_texts_room(texts))
		return text;
	struct strbuf made = STRBUF_INIT;
	strbuf_adds(&made, "cuda.launch from ");
	call_texts_name(&made, file, strlen(file));
	strbuf_addf(&made, ":%d", at.currentline);
	return call_texts_keep(texts, key, made.buf);
}

int host_launch(lua_State *L)
{
	struct session *s = host_session(L);
	struct kernel_handle *k = host_check_kernel(L, 1);
	u8 params[PARAM_BYTES_MAX] = {0};
	lua_settop(L, 5);
	struct launch_spec l = {.mod = k->m, .fn = k->fn, .params = params, .param_bytes = k->fn->param_bytes};
	l.grid = check_dim(L, 2, "grid");
	l.block = check_dim(L, 3, "block");
	l.priority = s->now->opt->priority;
	put_arguments(L, 4, k->fn, params);
	if (!lua_isnil(L, 5)) {
		check_options(L, 5);
		l.dynamic_shared = option(L, 5, "shared", INT32_MAX);
		l.stream = option(L, 5, "stream", ((struct lua_host *)s->now->host)->streams);
		l.priority = host_stream_priority(s, l.stream);
		l.regs = option(L, 5, "regs", 255);
		l.regs_from = REGS_HOST;
		l.cooperative = flag(L, 5, "cooperative");
		l.programmatic = flag(L, 5, "programmatic");
		l.start_at = start_cycle(L, 5, s);
	}
	struct err e = {0};
	l.call = call_of(L, s->calls);
	const struct answer *fed = answer_fed(L, host_answers(L), ANSWER_LAUNCH);
	int id = fed ? (int)fed->value : sim_launch(s->sim, &l, &e);
	if (id < 0)
		return host_raise(L, &e);
	if (!fed)
		launch_log_launch(s->launch_log, &l);
	if (!fed)
		answer_add(host_answers(L), ANSWER_LAUNCH, (u64)id, NULL, 0);
	lua_pushinteger(L, id);
	return 1;
}
