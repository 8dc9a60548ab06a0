/* dbg.diagnose: the findings of `diagnose` as a table. */
#include "dbg/debugger.h"
#include "dbg/diagnose.h"
#include "lua/lua.h"
#include "script/dbg_internal.h"

static void set_text(lua_State *L, const char *name, const char *v)
{
	if (!*v)
		return; /* nil */
	lua_pushstring(L, v);
	lua_setfield(L, -2, name);
}

static void set_list(lua_State *L, const char *name, const struct text_list *l)
{
	lua_createtable(L, (int)l->n, 0);
	for (u32 i = 0; i < l->n; i++) {
		lua_pushstring(L, l->text[i]);
		lua_rawseti(L, -2, i + 1);
	}
	lua_setfield(L, -2, name);
}

static void push_finding(lua_State *L, const struct diagnosis *d, const struct finding *f)
{
	lua_createtable(L, 0, 12);
	set_text(L, "rule", f->rule);
	set_text(L, "title", f->title);
	lua_pushnumber(L, f->slots);
	lua_setfield(L, -2, "slots");
	lua_pushnumber(L, diagnosis_percent(d, f));
	lua_setfield(L, -2, "percent");
	set_text(L, "of", f->of_used ? "used" : "lost");
	set_text(L, "place", f->place);
	set_text(L, "cuda", f->cuda);
	set_text(L, "code", f->code);
	set_list(L, "evidence", &f->evidence);
	set_text(L, "remedy", f->remedy);
	set_text(L, "test", f->test);
	set_list(L, "uses", &f->uses);
}

static int push_diagnosis(lua_State *L, void *ctx)
{
	const struct diagnosis *d = ctx;
	lua_createtable(L, 0, 8);
	if (d->launch >= 0)
		lua_dbg_set_int(L, "launch", d->launch);
	lua_dbg_set_int(L, "from", (lua_Integer)d->from);
	lua_dbg_set_int(L, "to", (lua_Integer)d->to);
	lua_dbg_set_int(L, "slots", (lua_Integer)d->slots);
	lua_dbg_set_int(L, "used", (lua_Integer)d->used);
	lua_dbg_set_int(L, "lost", (lua_Integer)d->lost);
	lua_createtable(L, (int)d->n, 0);
	for (u32 i = 0; i < d->n; i++) {
		push_finding(L, d, &d->finding[i]);
		lua_rawseti(L, -2, i + 1);
	}
	lua_setfield(L, -2, "findings");
	set_list(L, "broken_rules", &d->broken);
	return 1;
}

int lua_dbg_diagnose(lua_State *L)
{
	struct debugger *d = lua_dbg_of(L);
	struct err e = {0};
	const lua_Integer launch = luaL_optinteger(L, 1, -1);
	luaL_argcheck(L, launch >= -1 && launch <= INT32_MAX, 1, "no such launch");
	lua_check_may_change(L, "dbg.diagnose"); /* it may go to other cycles */
	lua_check_main_thread(L, "dbg.diagnose");
	if (d->run.goal.kind != GOAL_NONE)
		return luaL_error(L, "dbg.diagnose: a run is under way");
	struct diagnosis *of = diagnose_launch(d, (s32)launch, &e);
	if (!of)
		return luaL_error(L, "dbg.%s", e.msg);
	const bool ok = lua_guarded(L, push_diagnosis, of, 0, 1, &e);
	diagnosis_free(of);
	return ok ? 1 : luaL_error(L, "dbg.diagnose: %s", e.msg);
}
