/* dbg.follow, dbg.latency: one load's way and all loads' latencies as tables. */
#include "dbg/debugger.h"
#include "dbg/follow.h"
#include "dbg/latencies.h"
#include "dbg/value.h"
#include "lua/lua.h"
#include "obs/name/names.h"
#include "script/dbg_internal.h"

void lua_dbg_check_standing(lua_State *L, const char *what)
{
	lua_check_may_change(L, what); /* it goes to other cycles */
	lua_check_main_thread(L, what);
	if (lua_dbg_of(L)->run.goal.kind != GOAL_NONE)
		luaL_error(L, "%s: a run is under way", what);
}

static void set_hops(lua_State *L, const u64 hop[HOP_COUNT])
{
	lua_createtable(L, 0, 16);
	for (u32 i = 0; i < HOP_COUNT; i++)
		if (hop[i])
			lua_dbg_set_int(L, hop_descs[i].name, (lua_Integer)hop[i]);
	lua_setfield(L, -2, "hops");
}

static void set_of(lua_State *L, const struct latency_of *o)
{
	static const struct {
		const char *name;
		double percent;
	} parts[] = {{"p50", 50}, {"p90", 90}, {"p99", 99}};
	lua_dbg_set_int(L, "loads", (lua_Integer)o->loads);
	lua_dbg_set_int(L, "cycles", (lua_Integer)o->cycles);
	lua_dbg_set_int(L, "max", (lua_Integer)o->max);
	for (u32 i = 0; i < ARRAY_LEN(parts); i++)
		lua_dbg_set_int(L, parts[i].name, (lua_Integer)latency_percentile(o, parts[i].percent));
	set_hops(L, o->hop);
}

static void push_line(lua_State *L, const struct latency_line *x)
{
	struct strbuf place = STRBUF_INIT;
	lua_createtable(L, 0, 10);
	set_of(L, &x->of);
	lua_dbg_set_int(L, "kernel", x->kernel);
	lua_dbg_set_int(L, "pc", x->pc);
	line_place(x->module, x->pc, &place);
	lua_pushstring(L, strbuf_str(&place));
	lua_setfield(L, -2, "place");
	strbuf_release(&place);
}

static int push_latency(lua_State *L, void *ctx)
{
	const struct latency *l = ctx;
	lua_createtable(L, 0, 16);
	set_of(L, &l->all);
	lua_dbg_set_int(L, "from", (lua_Integer)l->from);
	lua_dbg_set_int(L, "to", (lua_Integer)l->to);
	lua_dbg_set_int(L, "transactions", (lua_Integer)l->txns);
	lua_dbg_set_int(L, "pending", (lua_Integer)l->pending);
	lua_dbg_set_int(L, "dropped", (lua_Integer)l->dropped);
	lua_createtable(L, 0, WAY_LEVELS);
	for (u32 i = 0; i < WAY_LEVELS; i++) {
		if (!l->level[i].loads)
			continue;
		lua_createtable(L, 0, 8);
		set_of(L, &l->level[i]);
		lua_setfield(L, -2, way_level_names[i]);
	}
	lua_setfield(L, -2, "by");
	lua_createtable(L, (int)l->nlines, 0);
	for (u32 i = 0; i < l->nlines; i++) {
		push_line(L, &l->line[i]);
		lua_rawseti(L, -2, i + 1);
	}
	lua_setfield(L, -2, "lines");
	return 1;
}

int lua_dbg_latency(lua_State *L)
{
	struct err e = {0};
	lua_dbg_check_standing(L, "dbg.latency");
	const struct latency *l = latencies_get(lua_dbg_of(L), "dbg.latency", &e);
	if (!l)
		return luaL_error(L, "%s", e.msg);
	return lua_guarded(L, push_latency, (void *)l, 0, 1, &e) ? 1 : luaL_error(L, "dbg.latency: %s", e.msg);
}

struct shown {
	const struct followed *f;
	u64 now;
};

static void set_way(lua_State *L, const struct followed *f, u64 now)
{
	struct way_hop hops[WAY_HOPS_MAX];
	const struct way *w = f->way;
	const u32 n = way_hops(w, f->txn, now - 1, hops, NULL);
	const bool over = w->end <= now;
	lua_dbg_set_int(L, "sm", w->sm);
	lua_dbg_set_int(L, "warp", w->warp);
	lua_dbg_set_int(L, "kernel", w->kernel);
	lua_dbg_set_int(L, "cta", w->cta);
	lua_dbg_set_int(L, "pc", w->pc);
	lua_dbg_set_int(L, "transaction", f->txn + 1);
	lua_dbg_set_int(L, "transactions", w->n);
	lua_dbg_set_int(L, "address", (lua_Integer)w->txn[f->txn].addr);
	if (over) {
		lua_dbg_set_int(L, "ended", (lua_Integer)w->end);
		lua_dbg_set_int(L, "last", w->last + 1);
	}
	if (w->txn[f->txn].popped < now) {
		lua_pushstring(L, way_level_names[w->txn[f->txn].level]);
		lua_setfield(L, -2, "answered_by");
	}
	lua_createtable(L, (int)n, 0);
	for (u32 i = 0; i < n; i++) {
		const u64 end = i + 1 < n ? hops[i + 1].since : over ? w->end : now;
		lua_createtable(L, 0, 3);
		lua_pushstring(L, hop_descs[hops[i].hop].name);
		lua_setfield(L, -2, "hop");
		lua_dbg_set_int(L, "since", (lua_Integer)hops[i].since);
		lua_dbg_set_int(L, "cycles", (lua_Integer)(end - hops[i].since));
		lua_rawseti(L, -2, i + 1);
	}
	lua_setfield(L, -2, "hops");
}

static int push_followed(lua_State *L, void *ctx)
{
	const struct shown *s = ctx;
	lua_createtable(L, 0, 16);
	if (s->f->found)
		lua_dbg_set_int(L, "issued", (lua_Integer)s->f->issued);
	if (s->f->way)
		set_way(L, s->f, s->now);
	return 1;
}

/* What the table names. */
static struct follow_aim check_aim(lua_State *L, struct debugger *d)
{
	struct follow_aim a = {.by = FOLLOW_WARP, .sm = d->focus.sm, .warp = d->focus.warp};
	if (lua_getfield(L, 1, "line") != LUA_TNIL) {
		a.by = FOLLOW_LINE;
		a.line = (u64)luaL_checkinteger(L, -1);
		return a;
	}
	if (lua_getfield(L, 1, "sm") != LUA_TNIL) {
		const lua_Integer sm = luaL_checkinteger(L, -1);
		luaL_argcheck(L, sm >= 0 && sm < gpu_conf(dbg_gpu(d))->num_sms, 1, "no such SM");
		a.sm = (u32)sm;
	}
	if (lua_getfield(L, 1, "warp") != LUA_TNIL) {
		const lua_Integer warp = luaL_checkinteger(L, -1);
		luaL_argcheck(L, warp >= 0 && warp < gpu_warps_per_sm(dbg_gpu(d)), 1, "no such warp slot");
		a.warp = (u32)warp;
	}
	return a;
}

int lua_dbg_follow(lua_State *L)
{
	struct debugger *d = lua_dbg_of(L);
	struct followed f;
	struct err e = {0};
	lua_dbg_check_standing(L, "dbg.follow");
	if (lua_istable(L, 1)) {
		const struct follow_aim a = check_aim(L, d);
		if (!follow_set(d, &a, &e))
			return luaL_error(L, "dbg.%s", e.msg);
	} else {
		luaL_argcheck(L, lua_isnoneornil(L, 1), 1, "a table {warp, sm} or {line} is expected");
	}
	if (!follow_look(d, &f, &e))
		return luaL_error(L, "dbg.%s", e.msg);
	struct shown s = {&f, sim_cycle(d->s->sim)};
	return lua_guarded(L, push_followed, &s, 0, 1, &e) ? 1 : luaL_error(L, "dbg.follow: %s", e.msg);
}
