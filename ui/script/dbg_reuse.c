/* dbg.reuse: reuse distances of L1D and L2 as a table. */
#include "base/bits.h"
#include "dbg/debugger.h"
#include "dbg/reuses.h"
#include "lua/lua.h"
#include "obs/name/names.h"
#include "script/dbg_internal.h"

static void push_bins(lua_State *L, const u64 *bin)
{
	u32 last = 0;
	for (u32 i = 0; i < REUSE_BINS; i++)
		last = bin[i] ? i + 1 : last;
	lua_createtable(L, (int)last, 0);
	for (u32 i = 0; i < last; i++) {
		lua_pushinteger(L, (lua_Integer)bin[i]);
		lua_rawseti(L, -2, i + 1);
	}
}

static void set_hist(lua_State *L, const struct reuse_hist *h)
{
	static const char *const found[USE_RESULTS] = {"hits", "merges", "misses", "bypasses"};
	static const char *const by[REUSE_KINDS] = {"warp", "cta", "sm", "away", "unknown"};
	lua_dbg_set_int(L, "accesses", (lua_Integer)h->accesses);
	lua_dbg_set_int(L, "passed", (lua_Integer)h->passed);
	lua_dbg_set_int(L, "lookups", (lua_Integer)h->lookups);
	lua_dbg_set_int(L, "reused", (lua_Integer)h->hits);
	lua_dbg_set_int(L, "cold", (lua_Integer)h->cold);
	lua_dbg_set_int(L, "removed", (lua_Integer)h->removed);
	for (u32 i = 0; i < USE_RESULTS; i++)
		lua_dbg_set_int(L, found[i], (lua_Integer)h->found[i]);
	push_bins(L, h->bin);
	lua_setfield(L, -2, "bins");
	lua_createtable(L, 0, REUSE_KINDS);
	for (u32 i = 0; i < REUSE_KINDS; i++) {
		push_bins(L, h->kind[i]);
		lua_setfield(L, -2, by[i]);
	}
	lua_setfield(L, -2, "by");
}

static void push_level(lua_State *L, const struct reuse *r, enum reuse_level level)
{
	lua_createtable(L, 0, 16);
	set_hist(L, &r->all[level]);
	lua_dbg_set_int(L, "lines", r->lines[level]);
	lua_createtable(L, (int)r->n[level], 0);
	for (u32 i = 0; i < r->n[level]; i++) {
		lua_createtable(L, 0, 16);
		set_hist(L, &r->of[level][i]);
		lua_rawseti(L, -2, i);
	}
	lua_setfield(L, -2, "each");
}

static int push_reuse(lua_State *L, void *ctx)
{
	static const char *const name[REUSE_LEVELS] = {"l1d", "l2"};
	const struct reuse *r = ctx;
	lua_createtable(L, 0, 5);
	lua_dbg_set_int(L, "from", (lua_Integer)r->from);
	lua_dbg_set_int(L, "to", (lua_Integer)r->to);
	for (u32 k = 0; k < REUSE_LEVELS; k++) {
		push_level(L, r, k);
		lua_setfield(L, -2, name[k]);
	}
	lua_createtable(L, (int)r->nlines, 0);
	for (u32 i = 0; i < r->nlines; i++) {
		const struct reuse_line *x = &r->line[i];
		struct strbuf place = STRBUF_INIT;
		lua_createtable(L, 0, 5);
		lua_dbg_set_int(L, "kernel", x->kernel);
		lua_dbg_set_int(L, "pc", x->pc);
		line_place(x->module, x->pc, &place);
		lua_pushstring(L, strbuf_str(&place));
		lua_setfield(L, -2, "place");
		strbuf_release(&place);
		for (u32 k = 0; k < REUSE_LEVELS; k++) {
			lua_createtable(L, 0, 16);
			set_hist(L, &x->of[k]);
			lua_setfield(L, -2, name[k]);
		}
		lua_rawseti(L, -2, i + 1);
	}
	lua_setfield(L, -2, "lines");
	return 1;
}

int lua_dbg_reuse(lua_State *L)
{
	struct err e = {0};
	lua_dbg_check_standing(L, "dbg.reuse");
	const struct reuse *r = reuses_get(lua_dbg_of(L), "dbg.reuse", &e);
	if (!r)
		return luaL_error(L, "%s", e.msg);
	return lua_guarded(L, push_reuse, (void *)r, 0, 1, &e) ? 1 : luaL_error(L, "dbg.reuse: %s", e.msg);
}
