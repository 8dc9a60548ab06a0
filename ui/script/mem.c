/* mem.*: device and shared memory from Lua. Values of a type, one (a number) or n (a host array: 0-based, as in host
 * programs). */
#include <stdio.h>
#include <string.h>

#include "dbg/travel.h"
#include "dbg/debugger.h"
#include "session/host/answers.h"
#include "session/host/array.h"
#include "script/dbg.h"
#include "script/gpu.h"
#include "obs/name/names.h"
#include "sim.h"

static u64 check_bytes(lua_State *L, lua_Integer n, u32 width)
{
	if (n < 1 || (u64)n > ARRAY_MAX_BYTES / width)
		luaL_error(L, "%I elements: 1..%I are possible", n, (lua_Integer)(ARRAY_MAX_BYTES / width));
	return (u64)n * width;
}

static enum ptype upvalue_type(lua_State *L)
{
	return (enum ptype)lua_tointeger(L, lua_upvalueindex(1));
}

/* What a host program reads is remembered for going back, as what it copies is. */
static void read_or_fail(lua_State *L, u64 addr, void *to, u64 n)
{
	struct answers *host = answers_of_caller(L);
	const struct answer *fed = host ? answer_fed(L, host, ANSWER_READ) : NULL;
	struct err e = {0};
	if (fed && fed->n != n)
		luaL_error(L,
		           "going back: the host program read %I bytes where it read %I the first time; it must be "
		           "deterministic",
		           (lua_Integer)n, (lua_Integer)fed->n);
	if (fed)
		memcpy(to, fed->data, n);
	else if (!devmem_read(sim_devmem(lua_check_sim(L)), addr, to, n, &e))
		luaL_error(L, "%s", e.msg);
	else if (host)
		answer_add(host, ANSWER_READ, 0, to, n);
}

static int mem_read(lua_State *L)
{
	enum ptype t = upvalue_type(L);
	u64 addr = (u64)luaL_checkinteger(L, 1), bits = 0;
	if (lua_isnoneornil(L, 2)) {
		read_or_fail(L, addr, &bits, ptype_bytes(t));
		gpu_push_bits(L, t, bits);
		return 1;
	}
	lua_Integer n = luaL_checkinteger(L, 2);
	u64 bytes = check_bytes(L, n, ptype_bytes(t));
	struct array *a = array_new(L, t, (u64)n);
	read_or_fail(L, addr, a->data, bytes);
	return 1;
}

/* Integers wrap to the type's width, as a store does; numbers with a fraction do not fit an integer. */
static u64 check_bits(lua_State *L, int at, enum ptype t)
{
	u64 bits = 0;
	if (t == T_F32) {
		float f = (float)luaL_checknumber(L, at);
		memcpy(&bits, &f, sizeof(f));
	} else if (t == T_F64) {
		double d = luaL_checknumber(L, at);
		memcpy(&bits, &d, sizeof(d));
	} else {
		bits = (u64)luaL_checkinteger(L, at);
	}
	return bits;
}

/* A host program's write is part of its turn, as a copy is. */
static void write_by_host(lua_State *L, struct answers *host, u64 addr, const void *from, u64 n)
{
	struct err e = {0};
	if (answer_fed(L, host, ANSWER_WRITE))
		return;
	if (!devmem_write(sim_devmem(lua_check_sim(L)), addr, from, n, &e))
		luaL_error(L, "%s", e.msg);
	answer_add(host, ANSWER_WRITE, 0, NULL, 0);
}

/* Any other is a change by hand as `set` is one: history keeps it, `undo` takes it back, all that a command writes at
 * once. A mistake forks nothing. */
static void write_or_fail(lua_State *L, u64 addr, const void *from, u64 n)
{
	struct err e = {0};
	struct answers *host = answers_of_caller(L);
	if (host) {
		write_by_host(L, host, addr, from, n);
		return;
	}
	struct debugger *d = lua_dbg_of(L);
	struct devmem *m = sim_devmem(lua_check_sim(L));
	if (!devmem_may_write(m, addr, n, &e) || (!d->s->change_open && !change_begins(d, &e)))
		luaL_error(L, "%s", e.msg);
	devmem_write(m, addr, from, n, NULL);
	session_change_stays_open(d->s);
}

static int mem_write(lua_State *L)
{
	enum ptype t = upvalue_type(L);
	u64 addr = (u64)luaL_checkinteger(L, 1);
	u32 width = ptype_bytes(t);
	struct array *a = array_test(L, 2);
	lua_check_may_change(L, "mem.write");
	if (a) {
		if (a->type != t)
			return luaL_error(L, "the array is of type %s, not %s", ptype_name(a->type), ptype_name(t));
		write_or_fail(L, addr, a->data, a->n * a->width);
		return 0;
	}
	if (!lua_istable(L, 2)) {
		u64 bits = check_bits(L, 2, t);
		write_or_fail(L, addr, &bits, width);
		return 0;
	}
	lua_Integer n = (lua_Integer)lua_rawlen(L, 2);
	check_bytes(L, n, width);
	struct array *copy =
	    array_new(L, t, (u64)n); /* all or nothing: values are checked before the first byte is written */
	for (lua_Integer i = 0; i < n; i++) {
		lua_rawgeti(L, 2, i + 1);
		u64 bits = check_bits(L, -1, t);
		memcpy(copy->data + (u64)i * width, &bits, width);
		lua_pop(L, 1);
	}
	write_or_fail(L, addr, copy->data, (u64)n * width);
	return 0;
}

static const char *const type_names[] = {"u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f32", "f64", NULL};
static const enum ptype types[] = {T_U8, T_U16, T_U32, T_U64, T_S8, T_S16, T_S32, T_S64, T_F32, T_F64};

/* mem.shared(sm, cta_slot, offset, type[, n]) */
static int read_shared(lua_State *L)
{
	struct gpu *g = lua_check_gpu(L);
	lua_Integer sm = luaL_checkinteger(L, 1), slot = luaL_checkinteger(L, 2), off = luaL_checkinteger(L, 3);
	enum ptype t = types[luaL_checkoption(L, 4, "u32", type_names)];
	bool one = lua_isnoneornil(L, 5);
	u64 n = check_bytes(L, luaL_optinteger(L, 5, 1), ptype_bytes(t)), bits = 0;
	struct sm_info s;
	struct cta_info c;
	u32 bytes = 0;
	luaL_argcheck(L, sm >= 0 && sm < (lua_Integer)gpu_conf(g)->num_sms, 1, "no such SM");
	gpu_sm_info(g, (u32)sm, &s);
	luaL_argcheck(L, slot >= 0 && slot < (lua_Integer)s.max_ctas, 2, "no such CTA slot");
	gpu_cta_info(g, (u32)sm, (u32)slot, &c);
	if (!c.used)
		return luaL_error(L, "SM %I CTA slot %I is empty", sm, slot);
	const u8 *base = front_shared(sim_front(lua_check_sim(L)), (u32)sm, (u32)slot, &bytes);
	if (off < 0 || (u64)off > bytes || n > bytes - (u64)off)
		return luaL_error(L, "offset %I: the CTA has %d bytes of shared memory", off, (int)bytes);
	if (one) {
		memcpy(&bits, base + off, n);
		gpu_push_bits(L, t, bits);
		return 1;
	}
	struct array *a = array_new(L, t, n / ptype_bytes(t));
	memcpy(a->data, base + off, n);
	return 1;
}

static int mem_shared(lua_State *L)
{
	return answer_look(L, read_shared, 0);
}

static int read_find(lua_State *L)
{
	const struct alloc *a = devmem_find(sim_devmem(lua_check_sim(L)), (u64)luaL_checkinteger(L, 1));
	if (!a) {
		lua_pushnil(L);
		return 1;
	}
	lua_createtable(L, 0, 5);
	lua_pushinteger(L, (lua_Integer)a->addr);
	lua_setfield(L, -2, "addr");
	lua_pushinteger(L, (lua_Integer)a->size);
	lua_setfield(L, -2, "size");
	lua_pushstring(L, a->name);
	lua_setfield(L, -2, "name");
	lua_pushboolean(L, a->freed);
	lua_setfield(L, -2, "freed");
	return 1;
}

static int mem_find(lua_State *L)
{
	return answer_look(L, read_find, 0);
}

#define MEM_TYPES T(u8) T(u16) T(u32) T(u64) T(s8) T(s16) T(s32) T(s64) T(f32) T(f64)
#define ADDRESS "addr: integer, a device address, aligned or not; "
const struct lua_doc lua_mem_docs[] = {
#define T(t)                                                                                                           \
	{"mem.read_" #t, "mem.read_" #t "(addr[, n]) -> value | array",                                                    \
	 ADDRESS "n: integer, elements; value: integer, or number of f32 and f64 (u64 from 2^63 on are negative); array: " \
	         "a host array of that type, from 0",                                                                      \
	 "one value of that type at a device address, or n of them",                                                       \
	 "memory that is not allocated; n below 1 or above 2 GiB"},
    MEM_TYPES
#undef T
#define T(t)                                                                                                           \
	{"mem.write_" #t, "mem.write_" #t "(addr, value | {values} | array)",                                              \
	 ADDRESS "value: integer, which wraps to the width, or number of f32 and f64; {values}: of those, from 1; "        \
	         "array: a host array of that type",                                                                       \
	 "writes device memory between cycles, all or nothing",                                                            \
	 "memory that is not allocated; a fraction for an integer; an array of another type; within a callback"},
        MEM_TYPES
#undef T
    {"mem.shared", "mem.shared(sm, cta_slot, offset[, type[, n]]) -> value | array",
     "sm, cta_slot: integers from 0; offset: integer, bytes; type: string, u32 unless named; n, value, array: as of "
     "mem.read_TYPE",
     "shared memory of a resident CTA", "no such SM, slot or type; an empty slot; beyond the CTA's shared memory"},
    {"mem.find", "mem.find(addr) -> {addr, size, name, freed} | nil",
     "addr, size: integers, bytes; name: string; freed: boolean", "the allocation that holds an address", ""},
    {NULL, NULL, NULL, NULL, NULL}};

void lua_open_mem(struct lua_State *L)
{
	array_register(
	    L); /* reads give arrays, whatever the host program is; again by Lua host programs, which does no harm */
	lua_createtable(L, 0, 24);
	for (u32 i = 0; type_names[i]; i++) {
		char name[24];
		snprintf(name, sizeof(name), "read_%s", type_names[i]);
		lua_pushinteger(L, types[i]);
		lua_pushcclosure(L, mem_read, 1);
		lua_setfield(L, -2, name);
		snprintf(name, sizeof(name), "write_%s", type_names[i]);
		lua_pushinteger(L, types[i]);
		lua_pushcclosure(L, mem_write, 1);
		lua_setfield(L, -2, name);
	}
	lua_pushcfunction(L, mem_shared);
	lua_setfield(L, -2, "shared");
	lua_pushcfunction(L, mem_find);
	lua_setfield(L, -2, "find");
	lua_setglobal(L, "mem");
}
