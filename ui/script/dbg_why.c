/* dbg.why_pick, dbg.why_dispatch: how a decision came about (dbg/choice.h). */
#include <string.h>

#include "dbg/choice.h"
#include "lua/lua.h"
#include "obs/why/why_choice.h"
#include "script/dbg_internal.h"

/* --- arguments ---------------------------------------------------------------------------------------------------- */

static void check_fields(lua_State *L, const char *fn, const char *const *names)
{
	if (lua_isnoneornil(L, 1))
		return;
	luaL_checktype(L, 1, LUA_TTABLE);
	lua_pushnil(L);
	while (lua_next(L, 1)) {
		lua_pop(L, 1);
		u32 i = 0;
		while (names[i] && (lua_type(L, -1) != LUA_TSTRING || strcmp(names[i], lua_tostring(L, -1)) != 0))
			i++;
		if (!names[i])
			luaL_error(L, "%s: there is no field '%s'", fn, luaL_tolstring(L, -1, NULL));
	}
}

/* A number of the table, below `end`; `usual` where there is none. */
static u64 field(lua_State *L, const char *fn, const char *name, u64 end, u64 usual)
{
	if (lua_isnoneornil(L, 1) || lua_getfield(L, 1, name) == LUA_TNIL)
		return usual;
	int whole = 0;
	const lua_Integer n = lua_tointegerx(L, -1, &whole);
	if (!whole || n < 0 || (u64)n >= end)
		luaL_error(L, "%s: %s is a number from 0 to %d", fn, name, (int)MIN(end - 1, (u64)INT32_MAX));
	lua_pop(L, 1);
	return (u64)n;
}

static enum choice_when when_of(lua_State *L, const char *fn, enum choice_when usual)
{
	static const char *const words[] = {"slot", "last", "next"};
	if (lua_isnoneornil(L, 1) || lua_getfield(L, 1, "when") == LUA_TNIL)
		return usual;
	const char *s = lua_tostring(L, -1);
	for (u32 i = usual == CHOICE_SLOT ? 0 : 1; s && i < ARRAY_LEN(words); i++)
		if (!strcmp(s, words[i])) {
			lua_pop(L, 1);
			return (enum choice_when)i;
		}
	return (enum choice_when)luaL_error(L, "%s: when is %s'last' or 'next'", fn,
	                                    usual == CHOICE_SLOT ? "'slot', " : "");
}

static struct debugger *allowed(lua_State *L, const char *fn)
{
	struct debugger *d = lua_dbg_of(L);
	lua_check_may_change(L, fn);
	lua_check_main_thread(L, fn);
	if (d->run.goal.kind != GOAL_NONE)
		luaL_error(L, "%s: a run is under way", fn);
	return d;
}

/* --- answers ------------------------------------------------------------------------------------------------------ */

static void push_candidate(lua_State *L, const struct pick_look *l, u32 warp)
{
	const struct pick_claim *c = &l->claim[warp];
	lua_newtable(L);
	lua_dbg_set_int(L, "warp", warp);
	lua_dbg_set_int(L, "kernel", l->launch[warp]);
	lua_dbg_set_int(L, "cta", l->cta[warp]);
	lua_dbg_set_int(L, "pc", l->pc[warp]);
	lua_dbg_set_word(L, "text", c->text);
	if (c->round != PICK_NOT_SHOWN) {
		lua_dbg_set_int(L, "round", c->round + 1u);
		if (c->rank != PICK_DECLINED && c->rank != PICK_UNKNOWN)
			lua_dbg_set_int(L, "rank", (u64)c->rank);
		lua_pushboolean(L, c->rank == PICK_DECLINED);
		lua_setfield(L, -2, "declined");
	}
}

static void push_others(lua_State *L, const struct pick_look *l)
{
	u32 n = 0;
	lua_newtable(L);
	FOR_EACH_BIT(w, l->used & ~l->ready)
	{
		lua_newtable(L);
		lua_dbg_set_int(L, "warp", w);
		lua_dbg_set_word(L, "state", warp_state_descs[l->state[w]].name);
		lua_rawseti(L, -2, ++n);
	}
	lua_setfield(L, -2, "others");
}

int lua_dbg_why_pick(lua_State *L)
{
	static const char fn[] = "dbg.why_pick";
	struct debugger *d = allowed(L, fn);
	const struct conf *c = gpu_conf(dbg_gpu(d));
	struct pick_look l;
	struct strbuf text = STRBUF_INIT;
	struct err e = {0};
	check_fields(L, fn, (const char *const[]){"when", "sm", "scheduler", NULL});
	const enum choice_when when = when_of(L, fn, CHOICE_SLOT);
	const u32 sm = (u32)field(L, fn, "sm", c->num_sms, d->focus.sm);
	const u32 sched = (u32)field(L, fn, "scheduler", c->sm_schedulers, d->focus.warp % c->sm_schedulers);
	const bool ok = choice_pick(d, when, sm, sched, &l, &text, &e);
	strbuf_release(&text);
	lua_budget(L, LUA_BUDGET_HOST);
	if (!ok)
		return luaL_error(L, "%s: %s", fn, e.msg);
	if (!l.used)
		return 0;
	u8 order[WARP_SLOTS];
	const u32 n = why_pick_order(&l, order);
	lua_newtable(L);
	lua_dbg_set_int(L, "cycle", l.cycle);
	lua_dbg_set_int(L, "sm", sm);
	lua_dbg_set_int(L, "scheduler", sched);
	lua_dbg_set_word(L, "policy", l.policy);
	if (l.seen && l.picked != NO_WARP)
		lua_dbg_set_int(L, "picked", l.picked);
	lua_newtable(L);
	for (u32 i = 0; i < n; i++) {
		push_candidate(L, &l, order[i]);
		lua_rawseti(L, -2, i + 1);
	}
	lua_setfield(L, -2, "candidates");
	push_others(L, &l);
	return 1;
}

int lua_dbg_why_dispatch(lua_State *L)
{
	static const char fn[] = "dbg.why_dispatch";
	struct debugger *d = allowed(L, fn);
	const struct gpu *g = dbg_gpu(d);
	struct dispatch_choice o;
	struct strbuf text = STRBUF_INIT;
	struct err e = {0};
	check_fields(L, fn, (const char *const[]){"when", "kernel", "cta", "sm", NULL});
	const enum choice_when when = when_of(L, fn, CHOICE_LAST);
	const s32 kernel = (s32)field(L, fn, "kernel", MAX(gpu_num_kernels(g), 1), UINT32_MAX);
	const u64 cta = field(L, fn, "cta", INT64_MAX, NO_CTA);
	const s32 sm = (s32)field(L, fn, "sm", gpu_conf(g)->num_sms, UINT32_MAX);
	const bool ok = choice_dispatch(d, when, kernel, cta, sm, &o, &text, &e);
	lua_budget(L, LUA_BUDGET_HOST);
	if (ok && o.cta != NO_CTA) {
		lua_newtable(L);
		lua_dbg_set_int(L, "cycle", o.cycle);
		lua_dbg_set_int(L, "cta", o.cta);
		lua_dbg_set_int(L, "sm", o.sm);
		lua_dbg_set_int(L, "kernel", o.launch);
		lua_dbg_set_word(L, "text", strbuf_str(&text));
	}
	strbuf_release(&text);
	if (!ok)
		return luaL_error(L, "%s: %s", fn, e.msg);
	return o.cta != NO_CTA;
}
