/* dbg.counters: all counters of the machine as plain numbers, so that two moments can be compared. */
#include "lua/lua.h"
#include "script/dbg_internal.h"
#include "sim.h"

/* name = number of each counter of an instance. */
static void push_instance(lua_State *L, struct gpu *g, enum counter_group group, u32 instance)
{
	const struct counter_desc *c = counter_group_first(group);
	const u32 n = counter_group_size(group);
	const u64 *v = gpu_counters(g, group, instance);
	lua_createtable(L, 0, (int)n);
	for (u32 i = 0; i < n; i++)
		lua_dbg_set_int(L, c[i].name, (lua_Integer)v[i]);
}

static void push_group(lua_State *L, struct gpu *g, enum counter_group group)
{
	const u32 n = gpu_counter_instances(g, group);
	lua_createtable(L, (int)n, 0);
	for (u32 i = 0; i < n; i++) {
		push_instance(L, g, group, i);
		lua_rawseti(L, -2, i);
	}
}

/* [sm][scheduler][reason] = issue slots, lists from 0. */
static void push_slots(lua_State *L, struct gpu *g)
{
	const struct conf *c = gpu_conf(g);
	u64 of[ST_COUNT];
	lua_createtable(L, (int)c->num_sms, 0);
	for (u32 sm = 0; sm < c->num_sms; sm++) {
		lua_createtable(L, (int)c->sm_schedulers, 0);
		for (u32 i = 0; i < c->sm_schedulers; i++) {
			gpu_stalls(g, sm, i, of);
			lua_createtable(L, 0, ST_COUNT);
			for (u32 r = 0; r < ST_COUNT; r++)
				lua_dbg_set_int(L, stall_descs[r].name[TAX_BASE], (lua_Integer)of[r]);
			lua_rawseti(L, -2, i);
		}
		lua_rawseti(L, -2, sm);
	}
}

int lua_dbg_counters(lua_State *L)
{
	struct gpu *g = lua_check_gpu(L);
	lua_createtable(L, 0, CG_COUNT + 2);
	u64 from, to;
	gpu_counted_range(g, &from, &to);
	lua_dbg_set_int(L, "from", (lua_Integer)from);
	lua_dbg_set_int(L, "cycle", (lua_Integer)to);
	for (u32 i = 0; i < CG_COUNT; i++) {
		push_group(L, g, (enum counter_group)i);
		lua_setfield(L, -2, counter_group_names[i]);
	}
	push_slots(L, g);
	lua_setfield(L, -2, "slots");
	return 1;
}
