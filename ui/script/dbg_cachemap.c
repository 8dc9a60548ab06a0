/* dbg.cachemap: the lines of a cache as a table. */
#include <string.h>

#include "dbg/cachemap.h"
#include "dbg/debugger.h"
#include "dbg/linelives.h"
#include "lua/lua.h"
#include "obs/name/names.h"
#include "script/dbg_internal.h"

static void push_owners(lua_State *L, const struct cachemap *m)
{
	lua_createtable(L, (int)m->nowners, 0);
	for (u32 i = 0; i < m->nowners; i++) {
		const struct cachemap_owner *o = &m->owner[i];
		lua_createtable(L, 0, 4);
		lua_dbg_set_int(L, "kernel", o->launch);
		lua_dbg_set_int(L, "cta", (lua_Integer)o->cta);
		lua_dbg_set_int(L, "lines", o->lines);
		lua_pushboolean(L, o->alive);
		lua_setfield(L, -2, "resident");
		lua_rawseti(L, -2, i + 1);
	}
}

static void set_life(lua_State *L, struct debugger *d, const struct life *x)
{
	const struct module *mod = module_of_launch(dbg_gpu(d), (s32)x->by.kernel);
	lua_dbg_set_int(L, "asked", (lua_Integer)x->asked);
	if (x->filled != NEVER)
		lua_dbg_set_int(L, "filled", (lua_Integer)x->filled);
	lua_dbg_set_int(L, "used", (lua_Integer)x->used);
	lua_dbg_set_int(L, "hits", x->uses);
	if (x->by.whose != WHOSE_WARP)
		return;
	lua_dbg_set_int(L, "sm", x->by.sm);
	if (x->by.warp != UINT8_MAX)
		lua_dbg_set_int(L, "warp", x->by.warp);
	if (!mod || x->by.pc >= mod->ncode)
		return;
	struct strbuf place = STRBUF_INIT;
	lua_dbg_set_int(L, "pc", x->by.pc);
	line_place(mod, x->by.pc, &place);
	lua_pushstring(L, strbuf_str(&place));
	lua_setfield(L, -2, "place");
	strbuf_release(&place);
}

static void push_line(lua_State *L, struct debugger *d, const struct cachemap *m, u32 i)
{
	const struct cachemap_cell *c = &m->cell[i];
	lua_createtable(L, 0, 18);
	lua_dbg_set_int(L, "set", i / m->shape.ways);
	lua_dbg_set_int(L, "way", i % m->shape.ways);
	lua_pushstring(L, cell_names[c->is]);
	lua_setfield(L, -2, "is");
	lua_dbg_set_int(L, "address", (lua_Integer)c->line.addr);
	lua_dbg_set_int(L, "valid", c->line.valid);
	lua_dbg_set_int(L, "dirty", c->line.dirty);
	lua_dbg_set_int(L, "reserved", c->line.pending);
	lua_dbg_set_int(L, "rank", c->line.rank);
	if (c->owner >= 0) {
		lua_dbg_set_int(L, "kernel", m->owner[c->owner].launch);
		lua_dbg_set_int(L, "cta", (lua_Integer)m->owner[c->owner].cta);
	}
	if (c->life.line)
		set_life(L, d, &c->life);
}

struct pushed {
	struct debugger *d;
	const struct cachemap *m;
};
static int push_map(lua_State *L, void *ctx)
{
	const struct pushed *p = ctx;
	const struct cachemap *m = p->m;
	lua_Integer n = 0;
	lua_createtable(L, 0, 16);
	lua_dbg_set_int(L, m->l2 ? "slice" : "sm", m->unit);
	lua_dbg_set_int(L, "sets", m->shape.sets);
	lua_dbg_set_int(L, "ways", m->shape.ways);
	lua_dbg_set_int(L, "line", m->shape.line);
	if (m->known)
		lua_dbg_set_int(L, "since", (lua_Integer)m->since);
	for (u32 i = 0; i < CELL_KINDS; i++)
		lua_dbg_set_int(L, cell_names[i], m->of[i]);
	push_owners(L, m);
	lua_setfield(L, -2, "owners");
	lua_createtable(L, (int)m->n, 0);
	for (u32 i = 0; i < m->n; i++) {
		if (!m->cell[i].line.there)
			continue;
		push_line(L, p->d, m, i);
		lua_rawseti(L, -2, ++n);
	}
	lua_setfield(L, -2, "lines");
	return 1;
}

/* Which cache the table at 1 names; the focused SM's L1D without. */
static bool which(lua_State *L, struct debugger *d, u32 *unit)
{
	const struct conf *c = gpu_conf(dbg_gpu(d));
	bool l2 = false, any = false;
	*unit = d->focus.sm;
	if (lua_isnoneornil(L, 1))
		return false;
	luaL_checktype(L, 1, LUA_TTABLE);
	for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
		const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
		const bool slice = !strcmp(key, "slice");
		if (!slice && strcmp(key, "sm") != 0)
			luaL_error(L, "dbg.cachemap: '%s' is not one of sm, slice", *key ? key : luaL_typename(L, -2));
		if (any)
			luaL_error(L, "dbg.cachemap: sm or slice, not both");
		int is = 0;
		const u32 n = slice ? c->partitions * c->l2_slices : c->num_sms;
		const lua_Integer v = lua_type(L, -1) == LUA_TNUMBER ? lua_tointegerx(L, -1, &is) : 0;
		if (!is || v < 0 || v >= (lua_Integer)n)
			luaL_error(L, "dbg.cachemap: %s: an integer from 0 to %d is expected", key, (int)n - 1);
		*unit = (u32)v;
		l2 = slice;
		any = true;
	}
	return l2;
}

int lua_dbg_cachemap(lua_State *L)
{
	struct debugger *d = lua_dbg_of(L);
	struct err e = {0};
	u64 since = 0;
	u32 unit;
	lua_check_gpu(L);
	const bool l2 = which(L, d, &unit);
	const void *lives = linelives_fetch(d, &since, &e);
	struct cachemap *m = cachemap_take(d, l2, unit, lives, since);
	struct pushed p = {d, m};
	const bool ok = lua_guarded(L, push_map, &p, 0, 1, &e);
	cachemap_free(m);
	return ok ? 1 : luaL_error(L, "dbg.cachemap: %s", e.msg);
}
