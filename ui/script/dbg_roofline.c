/* dbg.roofline: operations, bytes, and what the machine could do of either, as a table. */
#include "dbg/debugger.h"
#include "dbg/roofs.h"
#include "lua/lua.h"
#include "script/dbg_internal.h"

static const char *const level_fields[ROOF_LEVELS] = {"l1", "l2", "dram"};

static void set_n(lua_State *L, const char *name, double v)
{
	lua_pushnumber(L, v);
	lua_setfield(L, -2, name);
}

static void push_roofline(lua_State *L, const struct roofline *r)
{
	lua_createtable(L, 0, 6);
	set_n(L, "cycles", r->cycles);
	set_n(L, "warp_cycles", r->warp_cycles);
	lua_createtable(L, 0, ROOF_WORKS);
	for (u32 w = 0; w < ROOF_WORKS; w++)
		set_n(L, roof_work_names[w], r->ops[w]);
	lua_setfield(L, -2, "ops");
	lua_createtable(L, 0, ROOF_WORKS);
	for (u32 w = 0; w < ROOF_WORKS; w++)
		set_n(L, roof_work_names[w], r->peak[w]);
	lua_setfield(L, -2, "peak");
	lua_createtable(L, 0, ROOF_LEVELS);
	for (u32 l = 0; l < ROOF_LEVELS; l++)
		set_n(L, level_fields[l], r->bytes[l]);
	lua_setfield(L, -2, "bytes");
	lua_createtable(L, 0, ROOF_LEVELS);
	for (u32 l = 0; l < ROOF_LEVELS; l++)
		set_n(L, level_fields[l], r->width[l]);
	lua_setfield(L, -2, "width");
}

int lua_dbg_roofline(lua_State *L)
{
	struct debugger *d = lua_dbg_of(L);
	struct gpu *g = lua_check_gpu(L);
	struct roofline r;
	struct err e = {0};
	session_count_lines(d->s);
	if (!roofline_read(g, &r))
		return 0;
	push_roofline(L, &r);
	if (!lua_toboolean(L, 1))
		return 1;
	const struct roofs *k = roofs_get(d, &e);
	if (!k)
		return luaL_error(L, "dbg.roofline: %s", e.msg);
	lua_createtable(L, (int)k->n, 0);
	for (u32 i = 0; i < k->n; i++) {
		push_roofline(L, &k->column[i]);
		lua_rawseti(L, -2, i + 1);
	}
	lua_setfield(L, -2, "columns");
	return 1;
}
