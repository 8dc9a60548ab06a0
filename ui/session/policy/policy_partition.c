/* Partition policies in Lua: what plan sees and decides, and how it is called. */
#include <string.h>

#include "conf/virtual.h"
#include "session/policy/policy_internal.h"

/* --- the methods of m --- */

static const struct partition_view *view_of(lua_State *L)
{
	return policy_self(L)->partition_view;
}

static const struct launch *launch_in(const struct partition_view *v, u32 slot)
{
	return v->launch[v->d->k[slot].launch];
}

/* The slot of the running launch that argument 2 names. */
static u32 check_kernel(lua_State *L, const struct partition_view *v)
{
	const lua_Integer k = luaL_checkinteger(L, 2);
	const s32 slot = k >= 0 && k <= UINT32_MAX ? dispatch_slot(v->d, (u32)k) : -1;
	if (slot < 0)
		luaL_error(L, "launch %I does not run", k);
	return (u32)slot;
}

static u32 check_sm(lua_State *L, const struct partition_view *v)
{
	const lua_Integer sm = luaL_checkinteger(L, 3);
	luaL_argcheck(L, sm >= 0 && sm < v->num_sms, 3, "there is no such SM");
	return (u32)sm;
}

static int push(lua_State *L, u64 v)
{
	lua_pushinteger(L, (lua_Integer)v);
	return 1;
}

static int kernels(lua_State *L)
{
	const struct partition_view *v = view_of(L);
	lua_createtable(L, (int)v->d->n, 0);
	for (u32 r = 0; r < v->d->n; r++) {
		push(L, v->d->k[v->d->order[r]].launch);
		lua_rawseti(L, -2, r + 1);
	}
	return 1;
}

static int name(lua_State *L)
{
	const struct partition_view *v = view_of(L);
	lua_pushstring(L, launch_in(v, check_kernel(L, v))->fn->name);
	return 1;
}

static int program(lua_State *L)
{
	const struct partition_view *v = view_of(L);
	return push(L, OWNER_PROGRAM(launch_in(v, check_kernel(L, v))->mod->owner));
}

static int priority(lua_State *L)
{
	const struct partition_view *v = view_of(L);
	lua_pushinteger(L, launch_in(v, check_kernel(L, v))->priority);
	return 1;
}

static int left(lua_State *L)
{
	const struct partition_view *v = view_of(L);
	const u32 slot = check_kernel(L, v);
	return push(L, v->d->k[slot].ctas - v->d->k[slot].dispatched + v->waiting[slot]);
}

static int resident(lua_State *L)
{
	const struct partition_view *v = view_of(L);
	const u32 slot = check_kernel(L, v);
	if (lua_isnoneornil(L, 3))
		return push(L, partition_resident(v, slot));
	return push(L, sm_resident(v->sm[check_sm(L, v)], v->d->k[slot].launch));
}

static int most(lua_State *L)
{
	const struct partition_view *v = view_of(L);
	return push(L, sm_occupancy(v->conf, launch_in(v, check_kernel(L, v)), NULL));
}

static int limit(lua_State *L)
{
	const struct partition_view *v = view_of(L);
	const u32 least = v->limit[check_kernel(L, v)];
	if (!least)
		return 0;
	return push(L, least);
}

static int cta(lua_State *L)
{
	const struct partition_view *v = view_of(L);
	const struct launch *l = launch_in(v, check_kernel(L, v));
	lua_createtable(L, 0, 3);
	policy_set_field(L, "warps", l->warps);
	policy_set_field(L, "regs", sm_cta_regs(v->conf, l));
	policy_set_field(L, "shared", sm_cta_shared(v->conf, l));
	return 1;
}

static int quota(lua_State *L)
{
	const struct lua_policy *p = policy_self(L);
	const u32 slot = check_kernel(L, p->partition_view);
	const u8 n = p->partition_plan->quota[check_sm(L, p->partition_view)][slot];
	if (n == QUOTA_ANY)
		return 0;
	return push(L, n);
}

/* An argument that is a number of CTAs, or `none` where it is nil. */
static u8 check_count(lua_State *L, const struct conf *c, int at, u8 none)
{
	if (lua_isnoneornil(L, at))
		return none;
	const lua_Integer n = luaL_checkinteger(L, at), most = conf_is_vt(c) ? SM_CTA_PLACES : SM_MAX_CTAS;
	if (n < 0 || n > most)
		luaL_argerror(L, at, lua_pushfstring(L, "a number of CTAs, 0 to %d, or nil expected", (int)most));
	return (u8)n;
}

static int set(lua_State *L)
{
	const struct lua_policy *p = policy_self(L);
	const u32 slot = check_kernel(L, p->partition_view), sm = check_sm(L, p->partition_view);
	const u8 n = check_count(L, p->partition_view->conf, 4, QUOTA_ANY),
	         stay = check_count(L, p->partition_view->conf, 5, KEEP_ALL);
	p->partition_plan->quota[sm][slot] = n;
	p->partition_plan->keep[sm][slot] = stay;
	return 0;
}

static int order(lua_State *L)
{
	const struct lua_policy *p = policy_self(L);
	const struct dispatcher *d = p->partition_view->d;
	u8 slots[DISPATCH_KERNELS];
	u32 seen = 0;
	luaL_checktype(L, 2, LUA_TTABLE);
	const lua_Unsigned n = lua_rawlen(L, 2);
	for (u32 i = 0; i < n && i < d->n; i++) {
		lua_rawgeti(L, 2, i + 1);
		const lua_Integer k = lua_isinteger(L, -1) ? lua_tointeger(L, -1) : -1;
		const s32 slot = k >= 0 && k <= UINT32_MAX ? dispatch_slot(d, (u32)k) : -1;
		lua_pop(L, 1);
		if (slot < 0 || seen >> slot & 1)
			return luaL_argerror(L, 2, "the launches that run, each once, expected");
		seen |= 1u << slot;
		slots[i] = (u8)slot;
	}
	luaL_argcheck(L, n == d->n, 2, "the launches that run, each once, expected");
	memcpy(p->partition_plan->order, slots, d->n);
	return 0;
}

static int pick(lua_State *L)
{
	const struct partition_view *v = view_of(L);
	const u32 slot = check_kernel(L, v);
	const lua_Integer n = luaL_checkinteger(L, 3);
	u64 set[CONF_SM_WORDS] = {0};
	luaL_argcheck(L, n >= 0 && n <= v->num_sms, 3, "a number of SMs expected");
	if (n)
		v->pick(v, slot, (u32)n, set);
	lua_newtable(L);
	for (u32 i = 0, at = 0; i < v->num_sms; i++)
		if (set[i / 64] >> i % 64 & 1) {
			push(L, i);
			lua_rawseti(L, -2, ++at);
		}
	return 1;
}

static int tell(lua_State *L)
{
	const struct partition_view *v = view_of(L);
	const u32 slot = check_kernel(L, v);
	u32 n[3];
	for (int i = 0; i < 3; i++) {
		const lua_Integer x = i < 2 ? luaL_checkinteger(L, 3 + i) : luaL_optinteger(L, 5, 0);
		luaL_argcheck(L, x >= 0 && x <= INT32_MAX, 3 + i, "a number, 0 and more, expected");
		n[i] = (u32)x;
	}
	partition_tell(v, slot, n[0], n[1], n[2]);
	return 0;
}

static int cycle(lua_State *L)
{
	return push(L, view_of(L)->now);
}

static int get_word(lua_State *L)
{
	const struct external_partition_state *st = policy_self(L)->state;
	return policy_get_word(L, st->word, EXTERNAL_PARTITION_WORDS);
}

static int put_word(lua_State *L)
{
	struct external_partition_state *st = policy_self(L)->state;
	return policy_put_word(L, st->word, EXTERNAL_PARTITION_WORDS);
}

const luaL_Reg policy_partition_methods[] = {
    {"kernels", kernels},   {"name", name},    {"program", program}, {"priority", priority}, {"left", left},
    {"resident", resident}, {"most", most},    {"limit", limit},     {"cta", cta},           {"quota", quota},
    {"set", set},           {"order", order},  {"pick", pick},       {"tell", tell},         {"cycle", cycle},
    {"get", get_word},      {"put", put_word}, {NULL, NULL}};

/* --- the call --- */

static u64 plan(void *ctx, struct external_partition_state *st, const struct partition_view *v,
                struct partition_plan *plan, struct err *e)
{
	struct lua_policy *p = ctx;
	lua_State *L = p->L;
	const int top = lua_gettop(L);
	p->partition_view = v;
	p->partition_plan = plan;
	p->now = v->now;
	p->state = st;
	lua_pushvalue(L, AT_CHOOSE);
	lua_pushvalue(L, AT_OBJECTS);
	if (!policy_call(p, 1, 1, e))
		return NEVER;
	int whole = 0;
	const lua_Integer at = lua_type(L, -1) == LUA_TNUMBER ? lua_tointegerx(L, -1, &whole) : 0;
	u64 next = NEVER;
	if (whole && at > 0 && (u64)at > v->now)
		next = (u64)at;
	else if (!lua_isnil(L, -1))
		err_set(e, "plan returned %s; a cycle later than %llu, or nil, is expected", policy_value_text(L),
		        (unsigned long long)v->now);
	lua_settop(L, top);
	return next;
}

/* A plan of its own: nothing that it sets is done. */
static void explain(void *ctx, const struct external_partition_state *st, const struct partition_view *v, u32 slot,
                    struct strbuf *out)
{
	static u8 quota[CONF_MAX_SMS][DISPATCH_KERNELS], keep[CONF_MAX_SMS][DISPATCH_KERNELS];
	static u8 order[DISPATCH_KERNELS], taker[CONF_MAX_SMS];
	const struct partition_plan none = {.quota = quota, .order = order, .keep = keep, .taker = taker};
	struct lua_policy *p = ctx;
	struct external_partition_state copy = *st;
	memcpy(quota, v->d->quota, sizeof quota);
	memcpy(order, v->d->order, sizeof order);
	memset(keep, KEEP_ALL, sizeof keep);
	p->partition_view = v;
	p->partition_plan = &none;
	p->now = v->now;
	p->state = &copy;
	lua_pushvalue(p->L, AT_EXPLAIN);
	lua_pushvalue(p->L, AT_OBJECTS);
	lua_pushinteger(p->L, v->d->k[slot].launch);
	if (policy_explains(p, 2, 1, out))
		policy_take_text(p->L, out);
}

void policy_setup_partition(struct lua_policy *p, struct session *s, lua_State *L)
{
	policy_set_methods(p, L, policy_partition_methods);
	luaL_checkstack(L, 20, NULL);
	policy_push_object(p, L, AT_METHODS);
	policy_set_field(L, "sms", s->conf.num_sms);
	p->partition = (struct external_partition){.ctx = p, .stateless = p->stateless, .plan = plan};
	p->partition.explain = lua_isnil(L, AT_EXPLAIN) ? NULL : explain;
}
