/* dbg.lanes: what warps and CTAs were over time. */
#include <string.h>

#include "dbg/debugger.h"
#include "dbg/lanes.h"
#include "lua/lua.h"
#include "obs/break/break.h"
#include "script/dbg_internal.h"

/* A number of the table at 1 by its name, `missing` without one. */
static u64 number(lua_State *L, const char *name, u64 most, u64 missing)
{
	lua_pushstring(L, name);
	const int type = lua_rawget(L, 1); /* no metamethod runs */
	int is = 0;
	const lua_Integer v = lua_tointegerx(L, -1, &is);
	lua_pop(L, 1);
	if (type == LUA_TNIL)
		return missing;
	if (type != LUA_TNUMBER || !is || v < 0 || (u64)v > most)
		luaL_error(L, "dbg.lanes: %s: an integer from 0 to %I is expected", name, (LUAI_UACINT)most);
	return (u64)v;
}

static void only_known(lua_State *L)
{
	for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
		const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
		if (strcmp(key, "sm") != 0 && strcmp(key, "from") != 0 && strcmp(key, "to") != 0 && strcmp(key, "bin") != 0)
			luaL_error(L, "dbg.lanes: '%s' is not one of sm, from, to, bin", *key ? key : luaL_typename(L, -2));
	}
}

static const char *state_of(const struct lane_cell *c)
{
	return lane_is_issued(c)          ? "issued"
	       : c->class >= LANE_CLASSES ? cta_state_descs[c->class - LANE_CLASSES].name
	       : c->class == LANE_REFUSED ? "refused"
	                                  : warp_state_descs[c->class].name;
}

struct part {
	const struct lanes *l;
	u32 sm, bin;
	u64 from, to;
};

static bool same(const struct part *p, const struct lane_cell *a, const struct lane_cell *b)
{
	if (p->bin > 1 || lane_is_issued(a) || lane_is_issued(b))
		return false;
	return a->class == b->class && a->name == b->name && a->pc == b->pc && a->cause == b->cause;
}

static void push_entry(lua_State *L, const struct part *p, const struct lane_cell *c, u64 from, u64 to)
{
	const struct lane_name *n = lanes_name(p->l, c->name);
	lua_createtable(L, 0, 8);
	lua_dbg_set_int(L, "from", (lua_Integer)from);
	lua_dbg_set_int(L, "to", (lua_Integer)to);
	lua_pushstring(L, state_of(c));
	lua_setfield(L, -2, "state");
	lua_pushnumber(L, c->issued / 255.0);
	lua_setfield(L, -2, "issued");
	if (n) {
		lua_dbg_set_int(L, "kernel", n->launch);
		lua_dbg_set_int(L, "cta", (lua_Integer)n->cta);
	}
	if (p->bin == 1 && c->pc != PC_DONE)
		lua_dbg_set_int(L, "pc", c->pc);
	if (p->bin == 1 && c->cause != PC_DONE && c->cause != c->pc)
		lua_dbg_set_int(L, "cause", c->cause);
}

static bool cell(const struct part *p, bool cta, u32 row, u64 at, struct lane_cell *out)
{
	return cta ? lanes_cta(p->l, row, at, p->bin, out) : lanes_warp(p->l, p->sm, row, at, p->bin, out);
}

static void push_row(lua_State *L, const struct part *p, bool cta, u32 row)
{
	struct lane_cell c, next;
	lua_Integer n = 0;
	lua_newtable(L);
	for (u64 at = p->from, from = at; at < p->to && cell(p, cta, row, at, &c); from = at) {
		for (at += p->bin; at < p->to && cell(p, cta, row, at, &next) && same(p, &c, &next); at += p->bin)
			;
		push_entry(L, p, &c, from, MIN(at, p->to));
		lua_rawseti(L, -2, ++n);
	}
}

static void push_rows(lua_State *L, const struct part *p, bool cta, u32 n)
{
	lua_newtable(L);
	for (u32 i = 0; i < n; i++) {
		push_row(L, p, cta, i);
		lua_rawseti(L, -2, i);
	}
}

static void push_slots(lua_State *L, const struct part *p)
{
	u64 sum[ST_COUNT] = {0};
	for (u64 at = p->from; at < p->to; at += p->bin) {
		struct lane_slots s;
		lanes_slots(p->l, p->sm, at, p->bin, &s);
		for (u32 r = 0; r < ST_COUNT; r++)
			sum[r] += s.n[r];
	}
	lua_createtable(L, 0, ST_COUNT);
	for (u32 r = 0; r < ST_COUNT; r++)
		lua_dbg_set_int(L, stall_descs[r].name[TAX_BASE], (lua_Integer)sum[r]);
}

static void push_marks(lua_State *L, const struct part *p)
{
	lua_Integer n = 0;
	lua_newtable(L);
	for (u32 i = 0; i < lanes_marks(p->l); i++) {
		const struct lane_mark *m = lanes_mark(p->l, i);
		const struct event_desc *x = &event_descs[m->type];
		if (m->cycle < p->from || m->cycle >= p->to)
			continue;
		lua_createtable(L, 0, 5);
		lua_dbg_set_int(L, "cycle", (lua_Integer)m->cycle);
		lua_dbg_set_int(L, "kernel", m->kernel);
		lua_dbg_set_int(L, "cta", (lua_Integer)m->cta);
		lua_pushstring(L, x->name);
		lua_setfield(L, -2, "event");
		for (u32 k = 0; k < ARRAY_LEN(m->arg); k++) {
			const char *word = event_arg_name((enum event_type)m->type, k, m->arg[k]);
			if (word && !strcmp(x->arg[k], "cause")) {
				lua_pushstring(L, word);
				lua_setfield(L, -2, "cause");
			}
		}
		lua_rawseti(L, -2, ++n);
	}
}

int lua_dbg_lanes(lua_State *L)
{
	struct debugger *d = lua_dbg_of(L);
	const struct gpu *g = lua_check_gpu(L);
	struct sim_history_info h;
	struct err e = {0};
	luaL_checktype(L, 1, LUA_TTABLE);
	only_known(L);
	sim_history_info(d->s->sim, &h);
	const u64 last = MAX(h.on ? h.frontier : 0, sim_cycle(d->s->sim));
	struct part p = {.sm = (u32)number(L, "sm", gpu_conf(g)->num_sms - 1, d->focus.sm),
	                 .bin = (u32)number(L, "bin", 1u << 20, 1),
	                 .from = number(L, "from", INT64_MAX, h.on ? h.begin : 0),
	                 .to = number(L, "to", INT64_MAX, last)};
	if (!p.bin || (p.bin & (p.bin - 1)))
		return luaL_error(L, "dbg.lanes: bin: a power of two is expected");
	p.from = p.from / p.bin * p.bin;
	p.l = lanes_fetch(d, (s32)p.sm, p.from, p.to, p.bin, &e);
	if (!p.l)
		return luaL_error(L, "dbg.lanes: %s", e.msg);
	lua_createtable(L, 0, 8);
	lua_dbg_set_int(L, "sm", p.sm);
	lua_dbg_set_int(L, "from", (lua_Integer)p.from);
	lua_dbg_set_int(L, "to", (lua_Integer)p.to);
	lua_dbg_set_int(L, "bin", p.bin);
	push_rows(L, &p, false, lanes_warps(p.l));
	lua_setfield(L, -2, "warps");
	push_rows(L, &p, true, lanes_ctas(p.l));
	lua_setfield(L, -2, "ctas");
	push_slots(L, &p);
	lua_setfield(L, -2, "slots");
	push_marks(L, &p);
	lua_setfield(L, -2, "marks");
	return 1;
}
