#include "session/policy/lua_policy.h"

#include <stdlib.h>
#include <string.h>

#include "session/catalog.h"
#include "session/policy/policy_internal.h"

/* --- for all kinds --- */

struct lua_policy *policy_self(lua_State *L)
{
	struct lua_policy *p = lua_touserdata(L, lua_upvalueindex(1));
	if (!p->self || lua_topointer(L, 1) != p->self)
		luaL_error(L, "a method is called with a colon, on the object that the policy's function was given, while that "
		              "function runs");
	return p;
}

void policy_push_object(struct lua_policy *p, lua_State *L, int methods)
{
	lua_createtable(L, 0, 6);
	if (!p->stateless) {
		lua_createtable(L, 0, 4);
		lua_setfield(L, -2, "state");
	}
	lua_pushvalue(L, methods);
	lua_setmetatable(L, -2);
}

/* What is written there stays in no snapshot. */
static int refuse_field(lua_State *L)
{
	return luaL_error(L,
	                  "'%s': a policy that says stateless = true keeps nothing in the object it is given (:put keeps "
	                  "numbers that go back in time)",
	                  luaL_tolstring(L, 2, NULL));
}

void policy_set_methods(struct lua_policy *p, lua_State *L, const luaL_Reg *methods)
{
	lua_createtable(L, 0, 1);
	lua_newtable(L);
	lua_pushlightuserdata(L, p);
	luaL_setfuncs(L, methods, 1);
	lua_setfield(L, -2, "__index");
	if (p->stateless) {
		lua_pushcfunction(L, refuse_field);
		lua_setfield(L, -2, "__newindex");
	}
	lua_pushliteral(L, "policy object");
	lua_setfield(L, -2, "__metatable");
	lua_replace(L, AT_METHODS);
}

void policy_set_field(lua_State *L, const char *name, u64 v)
{
	lua_pushstring(L, name);
	lua_pushinteger(L, (lua_Integer)v);
	lua_rawset(L, -3);
}

bool policy_call(struct lua_policy *p, int nargs, int nresults, struct err *e)
{
	lua_State *L = p->L;
	if (unlikely(p->now < p->latest) && !policy_promise_kept(p, e)) {
		lua_pop(L, nargs + 1);
		return false;
	}
	p->latest = p->now;
	p->self = lua_topointer(L, -nargs);
	lua_budget(L, POLICY_BUDGET);
	bool ok = lua_call_traced(L, nargs, nresults, e);
	p->self = NULL;
	return ok;
}

bool policy_explains(struct lua_policy *p, int nargs, int nresults, struct strbuf *out)
{
	struct err e = {0};
	if (policy_call(p, nargs, nresults, &e))
		return true;
	const char *end = strchr(e.msg, '\n');
	strbuf_addf(out, "explain() failed: %.*s", end ? (int)(end - e.msg) : (int)strlen(e.msg), e.msg);
	return false;
}

void policy_take_text(lua_State *L, struct strbuf *out)
{
	if (lua_type(L, -1) == LUA_TSTRING)
		strbuf_adds(out, lua_tostring(L, -1));
	lua_pop(L, 1);
}

static u32 check_word(lua_State *L, u32 n)
{
	lua_Integer i = luaL_checkinteger(L, 2);
	luaL_argcheck(L, i >= 1 && i <= (lua_Integer)n, 2, "there are words 1 to 16");
	return (u32)i - 1;
}

int policy_get_word(lua_State *L, const s64 *word, u32 n)
{
	lua_pushinteger(L, word[check_word(L, n)]);
	return 1;
}

int policy_put_word(lua_State *L, s64 *word, u32 n)
{
	u32 i = check_word(L, n);
	word[i] = luaL_checkinteger(L, 3);
	return 0;
}

const char *policy_value_text(lua_State *L)
{
	if (lua_type(L, -1) == LUA_TNUMBER || lua_type(L, -1) == LUA_TSTRING)
		return luaL_tolstring(L, -1, NULL); /* stays on the stack: the caller pops both */
	return luaL_typename(L, -1);
}

/* --- the module policy --- */

/* Masks are 64-bit integers, bit w = warp slot w. */
static int next_bit(lua_State *L)
{
	u64 m = (u64)luaL_checkinteger(L, 1);
	lua_Integer from = luaL_optinteger(L, 2, 0);
	luaL_argcheck(L, from >= 0 && from <= WARP_SLOTS, 2, "a warp slot, 0 to 63, or 64, is expected");
	if (!m)
		return 0;
	lua_pushinteger(L, bit_next_rr(m, (u32)from % WARP_SLOTS));
	return 1;
}

static int count_bits(lua_State *L)
{
	lua_pushinteger(L, bit_count((u64)luaL_checkinteger(L, 1)));
	return 1;
}

static int has_bit(lua_State *L)
{
	u64 m = (u64)luaL_checkinteger(L, 1);
	lua_Integer w = luaL_optinteger(L, 2, -1);
	lua_pushboolean(L, w >= 0 && w < WARP_SLOTS && (m >> w & 1));
	return 1;
}

static int step_bits(lua_State *L)
{
	u64 m = (u64)lua_tointeger(L, 1);
	u32 from = lua_isnil(L, 2) ? 0 : (u32)lua_tointeger(L, 2) + 1;
	m &= ~bit_range(from);
	if (!m)
		return 0;
	lua_pushinteger(L, bit_first(m));
	return 1;
}

static int iterate_bits(lua_State *L)
{
	lua_Integer m = luaL_checkinteger(L, 1);
	lua_pushcfunction(L, step_bits);
	lua_pushinteger(L, m);
	return 2;
}

/* How a kind is written in Lua: the function of the module that takes its table, the table's functions - the first must
 * be there - and what calls them. Kinds without a row cannot be. */
#define FUNCTIONS (AT_EXPLAIN - AT_CHOOSE + 1)
static const struct lua_kind {
	const char *define;
	const char *functions[FUNCTIONS]; /* NULL: there is none in this place; the last one is `explain` */
	void (*set_up)(struct lua_policy *p, struct session *s, lua_State *L);
	size_t user; /* offset in struct lua_policy of what is registered */
} lua_kinds[POLICY_KINDS] = {
    [POLICY_WARP] = {"policy.warp",
                     {"pick", "issued", "warps_started", "warps_gone", "explain"},
                     policy_setup_warp,
                     offsetof(struct lua_policy, warp_sched.user)},
    [POLICY_CTA] = {"policy.cta",
                    {"next", "init", "done", NULL, "explain"},
                    policy_setup_cta,
                    offsetof(struct lua_policy, cta_sched.user)},
    [POLICY_PARTITION] = {"policy.partition",
                          {"plan", NULL, NULL, NULL, "explain"},
                          policy_setup_partition,
                          offsetof(struct lua_policy, partition.user)},
};

bool policy_lua_kind(enum policy_kind k)
{
	return k != POLICY_KINDS && lua_kinds[k].define;
}

/* policy.warp{...}, policy.cta{...} and policy.partition{...} only keep the table, in the registry: policy_load() looks
 * for the one it needs.
 */
static int define(lua_State *L, const char *kind)
{
	luaL_checktype(L, 1, LUA_TTABLE);
	if (lua_getfield(L, LUA_REGISTRYINDEX, kind) != LUA_TNIL)
		return luaL_error(L, "%s is called a second time: a file has one policy of a kind", kind);
	lua_pushvalue(L, 1);
	lua_setfield(L, LUA_REGISTRYINDEX, kind);
	return 0;
}
static int define_warp(lua_State *L)
{
	return define(L, lua_kinds[POLICY_WARP].define);
}
static int define_cta(lua_State *L)
{
	return define(L, lua_kinds[POLICY_CTA].define);
}

static int define_partition(lua_State *L)
{
	return define(L, lua_kinds[POLICY_PARTITION].define);
}

const luaL_Reg policy_module[] = {{"warp", define_warp},   {"cta", define_cta}, {"partition", define_partition},
                                  {"warps", iterate_bits}, {"next", next_bit},  {"count", count_bits},
                                  {"has", has_bit},        {NULL, NULL}};

/* --- files --- */

bool policy_is_lua(const char *name)
{
	return !strncmp(name, POLICY_PREFIX, strlen(POLICY_PREFIX));
}

static void policy_free(struct lua_policy *p)
{
	lua_sandbox_free(p->L);
	free(p->name);
	free(p);
}

/* A mistyped name must not be passed over. */
static void check_keys(lua_State *L, const char *kind, const char *const *functions)
{
	lua_pushnil(L);
	while (lua_next(L, 1)) {
		lua_pop(L, 1);
		const char *key = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
		bool known = !strcmp(key, "name") || !strcmp(key, "stateless");
		for (u32 i = 0; i < FUNCTIONS; i++)
			known |= functions[i] && !strcmp(key, functions[i]);
		if (known)
			continue;
		lua_pushfstring(L, "%s: unknown field '%s'; there are name, stateless", kind, luaL_tolstring(L, -1, NULL));
		for (u32 i = 0; i < FUNCTIONS; i++) {
			if (!functions[i])
				continue;
			lua_pushfstring(L, ", %s", functions[i]);
			lua_concat(L, 2);
		}
		lua_error(L);
	}
}

/* Takes the definition apart; called protected, with the policy as argument. */
static int take_definition(lua_State *L)
{
	struct lua_policy *p = lua_touserdata(L, 1);
	lua_settop(L, 0);
	const char *const *names = lua_kinds[p->kind].functions, *kind = lua_kinds[p->kind].define;
	lua_getfield(L, LUA_REGISTRYINDEX, kind);
	lua_getfield(L, 1, "stateless");
	p->stateless = lua_toboolean(L, -1);
	check_keys(L, kind, names);
	lua_settop(L, 1);
	for (u32 i = 0; i < FUNCTIONS; i++) {
		int type = names[i] ? lua_getfield(L, 1, names[i]) : (lua_pushnil(L), LUA_TNIL);
		if (type != LUA_TFUNCTION && (type != LUA_TNIL || !i))
			return luaL_error(L, "%s: %s is a %s, a function is expected", kind, names[i], lua_typename(L, type));
	}
	return FUNCTIONS;
}

struct being_loaded {
	struct lua_policy *p;
	struct session *s;
	const char *path;
};

static bool run_file(lua_State *L, void *ctx, struct err *e)
{
	const struct being_loaded *l = ctx;
	const char *kind = lua_kinds[l->p->kind].define;
	luaL_newlib(L, policy_module);
	lua_setglobal(L, "policy");
	if (!lua_load_path(L, l->path, e) || !lua_call_traced(L, 0, 0, e))
		return false;
	if (lua_getfield(L, LUA_REGISTRYINDEX, kind) != LUA_TTABLE)
		return err_set(e, "%s has no %s{...}", l->path, kind);
	lua_pushcfunction(L, take_definition);
	lua_pushlightuserdata(L, l->p);
	if (!lua_call_traced(L, 1, 0, e)) {
		err_prefix(e, "%s: ", l->path);
		return false;
	}
	return true;
}

/* What stays on the stack, from AT_CHOOSE on. */
static int place(lua_State *L, void *ctx)
{
	const struct being_loaded *l = ctx;
	lua_pushlightuserdata(L, l->p);
	lua_pushcfunction(L, take_definition);
	lua_insert(L, 1);
	lua_call(L, 1, FUNCTIONS);
	lua_pushnil(L); /* AT_METHODS */
	lua_kinds[l->p->kind].set_up(l->p, l->s, L);
	return lua_gettop(L);
}

static bool set_up(struct lua_policy *p, struct session *s, const char *path, struct err *e)
{
	lua_State *L = p->L;
	struct being_loaded l = {p, s, path};
	lua_budget(L, LUA_BUDGET_CALLBACK);
	return lua_checked(L, run_file, &l, 0, 0, e) && lua_guarded(L, place, &l, 0, LUA_MULTRET, e) &&
	       (lua_checkstack(L, LUA_MINSTACK) || err_set(e, "not enough memory")) && policy_promise_made(p, e);
}

bool policy_load(struct session *s, const char *key, const char *value, struct err *e)
{
	enum policy_kind k = policy_kind_of(key);
	if (!policy_lua_kind(k) || !policy_is_lua(value))
		return true;
	char *path = catalog_path(s->data_dir, "scripts/policies", value + strlen(POLICY_PREFIX), "Lua policy", e);
	if (!path)
		return false;
	struct lua_policy *p = xcalloc(1, sizeof *p);
	p->kind = k;
	p->name = xstrdup(value);
	p->since = sim_cycle(s->sim);
	p->L = lua_sandbox_new(&(struct lua_owner){s, &s->output, s->conf.seed}, s->data_dir, false);
	bool ok = p->L ? set_up(p, s, path, e) : err_set(e, "out of memory");
	free(path);
	if (!ok) {
		policy_free(p);
		return false;
	}
	lua_uninterruptible(p->L); /* Ctrl-C stops the machine, at the end of the cycle */
	p->next = s->policies;
	s->policies = p;
	sim_register_policy(s->sim, k, value, (struct policy_user *)((char *)p + lua_kinds[k].user));
	return true;
}

bool policy_open(struct session *s, struct err *e)
{
	bool ok = true;
	for (u32 k = 0; k < POLICY_KINDS && ok; k++)
		ok = policy_load(s, policy_kinds[k].key, policy_named(&s->conf, k), e);
	return ok;
}

void policy_close(struct session *s)
{
	while (s->policies) {
		struct lua_policy *p = s->policies;
		s->policies = p->next;
		policy_free(p);
	}
}
