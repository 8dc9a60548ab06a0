/* Warp schedulers in Lua: what pick and its companions see, and how they are called. */
#include <string.h>

#include "session/policy/policy_internal.h"

/* --- the methods of sm --- */

static u32 check_slot(lua_State *L, const struct sched_view *v)
{
	lua_Integer w = luaL_checkinteger(L, 2);
	if (w < 0 || w >= WARP_SLOTS || !(v->mask >> w & 1))
		luaL_error(L, "warp slot %I is not one of scheduler %d of SM %d", w, (int)v->index, (int)v->sm->id);
	return (u32)w;
}

static const struct warp *check_warp(lua_State *L)
{
	const struct sched_view *v = policy_self(L)->warp_view;
	u32 w = check_slot(L, v);
	if (!(v->sm->used >> w & 1))
		luaL_error(L, "warp slot %d of SM %d is empty", (int)w, (int)v->sm->id);
	return &v->sm->warp[w];
}

#define WARP_NUMBER(name, value)                                                                                       \
	static int warp_##name(lua_State *L)                                                                               \
	{                                                                                                                  \
		const struct warp *w = check_warp(L);                                                                          \
		lua_pushinteger(L, (lua_Integer)(value));                                                                      \
		return 1;                                                                                                      \
	}
WARP_NUMBER(age, w->age)
WARP_NUMBER(pc, w->pc)
WARP_NUMBER(kernel, w->launch)
WARP_NUMBER(insts, w->insts)
WARP_NUMBER(since, w->since)
WARP_NUMBER(loads, w->loads)

static int warp_cta(lua_State *L)
{
	const struct warp *w = check_warp(L);
	lua_pushinteger(L, (lua_Integer)policy_self(L)->warp_view->sm->cta[w->cta_slot].id);
	return 1;
}

static int state_of(lua_State *L)
{
	const struct sched_view *v = policy_self(L)->warp_view;
	lua_pushstring(L, warp_state_descs[v->sm->warp[check_slot(L, v)].state].name);
	return 1;
}

static int in_state(lua_State *L)
{
	const struct sched_view *v = policy_self(L)->warp_view;
	const char *name = luaL_checkstring(L, 2);
	u64 m = 0;
	bool found = false;
	for (u32 i = 0; i < WS_COUNT; i++)
		if (!strcmp(warp_state_descs[i].name, name)) {
			found = true;
			m |= v->sm->in[i];
		}
	if (!found)
		return luaL_error(L, "there is no warp state '%s'", name);
	lua_pushinteger(L, (lua_Integer)(m & v->mask));
	return 1;
}

static int last(lua_State *L)
{
	const struct external_sched_state *st = policy_self(L)->state;
	if (!st->last)
		return 0;
	lua_pushinteger(L, st->last - 1);
	return 1;
}

static int oldest(lua_State *L)
{
	const struct sched_view *v = policy_self(L)->warp_view;
	u64 m = (u64)luaL_checkinteger(L, 2);
	if (m & ~(v->mask & v->sm->used))
		return luaL_error(L, "the mask has warps that are not this scheduler's, or empty slots");
	if (!m)
		return 0;
	lua_pushinteger(L, sched_oldest(v, m));
	return 1;
}

static int cycle(lua_State *L)
{
	lua_pushinteger(L, (lua_Integer)policy_self(L)->warp_view->now);
	return 1;
}

static int get_word(lua_State *L)
{
	const struct external_sched_state *st = policy_self(L)->state;
	return policy_get_word(L, st->word, EXTERNAL_WORDS);
}

static int put_word(lua_State *L)
{
	struct external_sched_state *st = policy_self(L)->state;
	return policy_put_word(L, st->word, EXTERNAL_WORDS);
}

const luaL_Reg policy_warp_methods[] = {
    {"age", warp_age},     {"pc", warp_pc},   {"kernel", warp_kernel}, {"insts", warp_insts},  {"since", warp_since},
    {"loads", warp_loads}, {"cta", warp_cta}, {"state_of", state_of},  {"in_state", in_state}, {"last", last},
    {"oldest", oldest},    {"cycle", cycle},  {"get", get_word},       {"put", put_word},      {NULL, NULL}};

/* --- the calls --- */

/* Pushes one of the policy's functions and the object of a scheduler. */
static void begin(struct lua_policy *p, int at, struct external_sched_state *st, const struct sched_view *v)
{
	p->warp_view = v;
	p->now = v->now;
	p->state = st;
	lua_pushvalue(p->L, at);
	lua_pushvalue(p->L, AT_OBJECTS + (int)(v->sm->id * p->scheds + v->index));
}

static void bad_answer(lua_State *L, u64 ready, struct err *e)
{
	struct strbuf list = STRBUF_INIT;
	FOR_EACH_BIT(w, ready)
	strbuf_addf(&list, " %u", (u32)w);
	int top = lua_gettop(L);
	err_set(e, "pick returned %s, which is none of the ready warps (%s)", policy_value_text(L), list.buf + 1);
	lua_settop(L, top);
	strbuf_release(&list);
}

static u32 pick(void *ctx, struct external_sched_state *st, const struct sched_view *v, u64 ready, struct err *e)
{
	struct lua_policy *p = ctx;
	lua_State *L = p->L;
	begin(p, AT_CHOOSE, st, v);
	lua_pushinteger(L, (lua_Integer)ready);
	if (!policy_call(p, 2, 1, e))
		return NO_WARP;
	u32 w = NO_WARP;
	if (!lua_isnil(L, -1)) {
		int whole = 0;
		lua_Integer n = lua_type(L, -1) == LUA_TNUMBER ? lua_tointegerx(L, -1, &whole) : 0;
		if (whole && n >= 0 && n < WARP_SLOTS && (ready >> n & 1))
			w = (u32)n;
		else
			bad_answer(L, ready, e);
	}
	lua_pop(L, 1);
	return w;
}

static int push_text(lua_State *L, void *text)
{
	lua_pushstring(L, text);
	return 1;
}

static void issued(void *ctx, struct external_sched_state *st, const struct sched_view *v, u32 warp,
                   const struct issue_info *info, struct err *e)
{
	static const char *const units[UNIT_COUNT] = {"sp", "int", "sfu", "dp", "tensor", "lsu"};
	struct lua_policy *p = ctx;
	begin(p, AT_FIRST, st, v);
	lua_pushinteger(p->L, warp);
	if (lua_guarded(p->L, push_text, (void *)(uintptr_t)units[info->unit], 0, 1, e))
		policy_call(p, 3, 0, e);
	else
		lua_pop(p->L, 3);
}

static void tell_mask(struct lua_policy *p, int at, struct external_sched_state *st, const struct sched_view *v,
                      u64 warps, struct err *e)
{
	begin(p, at, st, v);
	lua_pushinteger(p->L, (lua_Integer)warps);
	policy_call(p, 2, 0, e);
}

static void warps_started(void *ctx, struct external_sched_state *st, const struct sched_view *v, u64 warps,
                          struct err *e)
{
	tell_mask(ctx, AT_SECOND, st, v, warps, e);
}

static void warps_gone(void *ctx, struct external_sched_state *st, const struct sched_view *v, u64 warps, struct err *e)
{
	tell_mask(ctx, AT_THIRD, st, v, warps, e);
}

/* What it writes to its words is gone. */
static s64 explain(void *ctx, const struct external_sched_state *st, const struct sched_view *v, u64 ready, u32 warp,
                   struct strbuf *out)
{
	struct lua_policy *p = ctx;
	lua_State *L = p->L;
	struct external_sched_state copy = *st;
	begin(p, AT_EXPLAIN, &copy, v);
	lua_pushinteger(L, (lua_Integer)ready);
	lua_pushinteger(L, warp);
	if (!policy_explains(p, 3, 2, out))
		return PICK_UNKNOWN;
	policy_take_text(L, out);
	const bool declined = lua_isnil(L, -1);
	const double place = lua_tonumber(L, -1);
	lua_pop(L, 1);
	return declined ? PICK_DECLINED : (s64)MAX(MIN(place, 1e15), -1e15);
}

void policy_setup_warp(struct lua_policy *p, struct session *s, lua_State *L)
{
	u32 n = s->conf.num_sms * s->conf.sm_schedulers, warps = s->conf.sm_threads / WARP_SIZE;
	p->scheds = s->conf.sm_schedulers;
	p->objects = AT_OBJECTS + (int)n - 1;
	policy_set_methods(p, L, policy_warp_methods);
	luaL_checkstack(L, (int)n + 20, NULL);
	for (u32 i = 0; i < n; i++) {
		u64 mask = 0;
		for (u32 w = i % p->scheds; w < warps; w += p->scheds)
			mask |= BIT(w);
		policy_push_object(p, L, AT_METHODS);
		policy_set_field(L, "index", i / p->scheds);
		policy_set_field(L, "scheduler", i % p->scheds);
		policy_set_field(L, "mask", mask);
	}
	p->warp_sched = (struct external_warp_sched){.ctx = p, .stateless = p->stateless, .pick = pick};
	p->warp_sched.issued = lua_isnil(L, AT_FIRST) ? NULL : issued;
	p->warp_sched.warps_started = lua_isnil(L, AT_SECOND) ? NULL : warps_started;
	p->warp_sched.warps_gone = lua_isnil(L, AT_THIRD) ? NULL : warps_gone;
	p->warp_sched.explain = lua_isnil(L, AT_EXPLAIN) ? NULL : explain;
}
