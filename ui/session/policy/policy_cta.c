/* CTA schedulers in Lua: what next and its companions see, and how they are called. */
#include "session/policy/policy_internal.h"

/* --- the methods of k --- */

static int first(lua_State *L)
{
	const struct external_cta_state *st = policy_self(L)->state;
	lua_pushinteger(L, (lua_Integer)st->first);
	return 1;
}

static int gone(lua_State *L)
{
	const struct external_cta_state *st = policy_self(L)->state;
	lua_Integer id = luaL_checkinteger(L, 2);
	luaL_argcheck(L, id >= 0, 2, "a CTA id is expected");
	lua_pushboolean(L, external_cta_gone(st, (u64)id));
	return 1;
}

static int dispatched(lua_State *L)
{
	lua_pushinteger(L, (lua_Integer)policy_self(L)->cta_view->dispatched);
	return 1;
}

static int resident(lua_State *L)
{
	const struct cta_view *v = policy_self(L)->cta_view;
	lua_Integer sm = luaL_checkinteger(L, 2);
	luaL_argcheck(L, sm >= 0 && sm < v->num_sms, 2, "there is no such SM");
	lua_pushinteger(L, sm_resident(v->sm[sm], v->launch->id));
	return 1;
}

static int cycle(lua_State *L)
{
	lua_pushinteger(L, (lua_Integer)policy_self(L)->cta_view->now);
	return 1;
}

static int get_word(lua_State *L)
{
	const struct external_cta_state *st = policy_self(L)->state;
	return policy_get_word(L, st->word, EXTERNAL_CTA_WORDS);
}

static int put_word(lua_State *L)
{
	struct external_cta_state *st = policy_self(L)->state;
	return policy_put_word(L, st->word, EXTERNAL_CTA_WORDS);
}

const luaL_Reg policy_cta_methods[] = {{"first", first},       {"gone", gone},   {"dispatched", dispatched},
                                       {"resident", resident}, {"cycle", cycle}, {"get", get_word},
                                       {"put", put_word},      {NULL, NULL}};

/* --- the calls --- */

/* The stack is the objects and the methods. */
static int push_kernel(lua_State *L, void *ctx)
{
	struct lua_policy *p = ctx;
	const struct cta_view *v = p->cta_view;
	if (lua_rawgeti(L, 1, v->launch->id) == LUA_TTABLE)
		return 1;
	lua_pop(L, 1);
	policy_push_object(p, L, 2);
	policy_set_field(L, "kernel", v->launch->id);
	policy_set_field(L, "ctas", v->launch->ctas);
	policy_set_field(L, "sms", v->num_sms);
	lua_pushliteral(L, "name");
	lua_pushstring(L, v->launch->fn->name);
	lua_rawset(L, -3);
	lua_pushvalue(L, -1);
	lua_rawseti(L, 1, v->launch->id);
	return 1;
}

/* The id may have been another launch's, in a past that was given up. */
static int forget_kernel(lua_State *L, void *ctx)
{
	lua_pushnil(L);
	lua_rawseti(L, 1, ((struct lua_policy *)ctx)->cta_view->launch->id);
	return 0;
}

static bool begin(struct lua_policy *p, int at, struct external_cta_state *st, const struct cta_view *v, struct err *e)
{
	p->cta_view = v;
	p->now = v->now;
	p->state = st;
	lua_pushvalue(p->L, at);
	lua_pushvalue(p->L, AT_OBJECTS);
	lua_pushvalue(p->L, AT_METHODS);
	if (lua_guarded(p->L, push_kernel, p, 2, 1, e))
		return true;
	lua_pop(p->L, 1);
	return false;
}

static void init(void *ctx, struct external_cta_state *st, const struct cta_view *v, struct err *e)
{
	struct lua_policy *p = ctx;
	p->cta_view = v;
	lua_pushvalue(p->L, AT_OBJECTS);
	if (!lua_guarded(p->L, forget_kernel, p, 1, 0, e) || lua_isnil(p->L, AT_FIRST))
		return;
	if (begin(p, AT_FIRST, st, v, e))
		policy_call(p, 1, 0, e);
}

static u64 next(void *ctx, struct external_cta_state *st, const struct cta_view *v, u32 sm, struct err *e)
{
	struct lua_policy *p = ctx;
	lua_State *L = p->L;
	if (!begin(p, AT_CHOOSE, st, v, e))
		return NO_CTA;
	lua_pushinteger(L, sm);
	if (!policy_call(p, 2, 1, e))
		return NO_CTA;
	int whole = 0, top = lua_gettop(L);
	u64 id = NO_CTA;
	if (lua_type(L, -1) == LUA_TNUMBER)
		id = (u64)lua_tointegerx(L, -1, &whole);
	if (!lua_isnil(L, -1) && (!whole || id == NO_CTA))
		err_set(e, "next returned %s; the id of a CTA, or nil, is expected", policy_value_text(L));
	lua_settop(L, top - 1);
	return id;
}

static void done(void *ctx, struct external_cta_state *st, const struct cta_view *v, u32 sm, const struct cta *c,
                 struct err *e)
{
	struct lua_policy *p = ctx;
	if (!begin(p, AT_SECOND, st, v, e))
		return;
	lua_pushinteger(p->L, sm);
	lua_pushinteger(p->L, (lua_Integer)c->id);
	policy_call(p, 3, 0, e);
}

static void explain(void *ctx, const struct external_cta_state *st, const struct cta_view *v, u32 sm,
                    struct strbuf *out)
{
	struct lua_policy *p = ctx;
	struct external_cta_state copy = *st;
	struct err e = {0};
	if (!begin(p, AT_EXPLAIN, &copy, v, &e))
		return;
	lua_pushinteger(p->L, sm);
	if (policy_explains(p, 2, 1, out))
		policy_take_text(p->L, out);
}

void policy_setup_cta(struct lua_policy *p, struct session *s, lua_State *L)
{
	policy_set_methods(p, L, policy_cta_methods);
	luaL_checkstack(L, 20, NULL);
	lua_newtable(L);
	p->cta_sched = (struct external_cta_sched){.ctx = p, .stateless = p->stateless, .init = init, .next = next};
	p->cta_sched.done = lua_isnil(L, AT_SECOND) ? NULL : done;
	p->cta_sched.explain = lua_isnil(L, AT_EXPLAIN) ? NULL : explain;
}
