/* The promise of a policy that says `stateless = true`: that it keeps nothing in its Lua state. What can be reached
 * from its functions - their variables, global names, tables - is compared with what was there when the file had been
 * loaded: one that has changed something cannot be replayed. */
#include <string.h>

#include "lua/lua.h"
#include "session/policy/lua_policy.h"
#include "session/policy/policy_internal.h"

#define BASELINE "warpdbg.baseline" /* registry: table of an object's identity = hash of what it held */

/* What is still to be looked at is a list of values, each with the name it was reached by. */
struct walk {
	lua_State *L;
	int values, names, seen, baseline; /* stack indices */
	lua_Integer n;                     /* values in the list */
	bool recording;
	char changed[64]; /* the first object that is not as it was; "" = none */
};

static u64 mix(u64 x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

static u64 hash_bytes(const char *p, size_t n)
{
	u64 h = n;
	for (size_t i = 0; i < n; i++)
		h = (h ^ (u8)p[i]) * 0x100000001b3ull;
	return mix(h);
}

/* Of a value; objects are who they are: what they hold is looked at by itself. */
static u64 hash_value(lua_State *L, int at)
{
	u64 bits = 0;
	lua_Number x;
	size_t n;
	switch (lua_type(L, at)) {
	case LUA_TNIL: return 1;
	case LUA_TBOOLEAN: return mix(2 + (u64)lua_toboolean(L, at));
	case LUA_TNUMBER:
		if (lua_isinteger(L, at))
			return mix((u64)lua_tointeger(L, at) + 0x9e3779b97f4a7c15ull);
		x = lua_tonumber(L, at);
		memcpy(&bits, &x, sizeof(bits));
		return mix(bits ^ 0x5555555555555555ull);
	case LUA_TSTRING: {
		const char *s = lua_tolstring(L, at, &n);
		return hash_bytes(s, n);
	}
	default: return mix((u64)(uintptr_t)lua_topointer(L, at));
	}
}

/* Puts the value on top, which it pops, on the list unless it holds nothing or was there. */
static void look_later(struct walk *w, const char *name)
{
	lua_State *L = w->L;
	int t = lua_type(L, -1);
	bool holds = t == LUA_TTABLE || t == LUA_TFUNCTION || t == LUA_TUSERDATA || t == LUA_TTHREAD;
	if (holds && lua_rawgetp(L, w->seen, lua_topointer(L, -1)) == LUA_TNIL) {
		lua_pushboolean(L, true);
		lua_rawsetp(L, w->seen, lua_topointer(L, -3));
		lua_pushvalue(L, -2);
		lua_rawseti(L, w->values, ++w->n);
		lua_pushstring(L, name);
		lua_rawseti(L, w->names, w->n);
	}
	lua_pop(L, holds ? 2 : 1);
}

/* What the object of this identity holds now. */
static void note(struct walk *w, const void *id, u64 hash, const char *name)
{
	lua_State *L = w->L;
	if (w->recording) {
		lua_pushinteger(L, (lua_Integer)hash);
		lua_rawsetp(L, w->baseline, id);
		return;
	}
	bool same = lua_rawgetp(L, w->baseline, id) == LUA_TNUMBER && (u64)lua_tointeger(L, -1) == hash;
	lua_pop(L, 1);
	if (!same && !*w->changed)
		snprintf(w->changed, sizeof(w->changed), "%s", name);
}

static void look_at_function(struct walk *w, int at)
{
	lua_State *L = w->L;
	const char *name;
	for (int i = 1; (name = lua_getupvalue(L, at, i)); i++) {
		const char *known = *name ? name : "a function of the library";
		note(w, lua_upvalueid(L, at, i), hash_value(L, -1), known);
		look_later(w, strcmp(known, "_ENV") ? known : "a global variable");
	}
}

/* In no order: a table's own may differ from one time to the next. */
static void look_at_table(struct walk *w, int at, const char *name)
{
	lua_State *L = w->L;
	u64 h = 0;
	if (lua_getmetatable(L, at))
		look_later(w, name);
	lua_pushnil(L);
	while (lua_next(L, at)) {
		h += mix(hash_value(L, -2) * 3 + hash_value(L, -1));
		look_later(w, name);
		lua_pushvalue(L, -1);
		look_later(w, name);
	}
	note(w, lua_topointer(L, at), h, name);
}

static void look_at(struct walk *w, int at, const char *name)
{
	lua_State *L = w->L;
	switch (lua_type(L, at)) {
	case LUA_TFUNCTION: look_at_function(w, at); break;
	case LUA_TTABLE: look_at_table(w, at, name); break;
	case LUA_TUSERDATA: /* of the library: of math.random, of iterators */
		note(w, lua_topointer(L, at), hash_bytes(lua_touserdata(L, at), lua_rawlen(L, at)), name);
		break;
	default: /* a coroutine: where it stands is a state */
		if (!*w->changed)
			snprintf(w->changed, sizeof(w->changed), "%s (a coroutine)", name);
	}
}

/* What any function gets at without a variable of its own. */
static void look_at_shared(struct walk *w)
{
	lua_State *L = w->L;
	lua_pushliteral(L, "");
	if (lua_getmetatable(L, -1))
		look_later(w, "the metatable of strings");
	lua_pop(L, 1);
	lua_getfield(L, LUA_REGISTRYINDEX, LUA_REQUIRED);
	look_later(w, "a module");
}

/* Called protected, with the policy, the walk, and its functions and objects behind them. */
static int walk_all(lua_State *L)
{
	struct walk *w = lua_touserdata(L, 1);
	int top = lua_gettop(L);
	luaL_checkstack(L, 20, NULL);
	w->L = L;
	luaL_getsubtable(L, LUA_REGISTRYINDEX, BASELINE);
	w->baseline = top + 1;
	for (int i = 0; i < 3; i++)
		lua_newtable(L);
	w->values = top + 2, w->names = top + 3, w->seen = top + 4;
	for (int i = 2; i <= top; i++) {
		lua_pushvalue(L, i);
		look_later(w, "the object it is given");
	}
	look_at_shared(w);
	for (lua_Integer i = 1; i <= w->n && !*w->changed; i++) {
		lua_rawgeti(L, w->names, i);
		lua_rawgeti(L, w->values, i);
		look_at(w, top + 6, lua_tostring(L, top + 5));
		lua_settop(L, top + 4);
	}
	return 0;
}

static bool walk(struct lua_policy *p, struct walk *w, struct err *e)
{
	lua_State *L = p->L;
	int top = lua_gettop(L), last = p->kind == POLICY_CTA ? AT_METHODS : p->objects;
	luaL_checkstack(L, last + 20, NULL);
	lua_pushcfunction(L, walk_all);
	lua_pushlightuserdata(L, w);
	for (int i = 1; i <= last; i++)
		if (i != AT_METHODS)
			lua_pushvalue(L, i);
	bool ok = lua_call_traced(L, lua_gettop(L) - top - 1, 0, e);
	return ok;
}

bool policy_promise_made(struct lua_policy *p, struct err *e)
{
	struct walk w = {.recording = true};
	return !p->stateless || walk(p, &w, e);
}

bool policy_promise_kept(struct lua_policy *p, struct err *e)
{
	struct walk w = {.recording = false};
	if (!p->stateless)
		return true;
	if (!walk(p, &w, e))
		return false;
	return !*w.changed ||
	       err_set(e,
	               "%s says stateless = true and has changed what it keeps ('%s'), which no snapshot has: "
	               "its choices cannot be repeated (:put keeps numbers that go back in time)",
	               p->name, w.changed);
}

bool policy_may_replay(struct session *s, u64 cycle, struct err *e)
{
	const struct conf *c = gpu_conf(sim_gpu(s->sim));
	bool found[POLICY_KINDS] = {false}; /* the newest of a name is the one in use */
	for (struct lua_policy *p = s->policies; p; p = p->next) {
		if (found[p->kind] || strcmp(p->name, policy_named(c, p->kind)) != 0)
			continue;
		found[p->kind] = true;
		if (cycle > p->since && !policy_promise_kept(p, e))
			return false;
	}
	return true;
}
