#include "session/host/array.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "session/session.h"

#define ARRAY_META "warpdbg.array"
#define RNG_KEY "warpdbg.rng" /* registry: state of the random numbers, in order of calls */

static const struct type_row {
	const char *name;
	enum ptype type;
} type_names[] = {{"u8", T_U8},   {"u16", T_U16}, {"u32", T_U32}, {"u64", T_U64}, {"s8", T_S8},
                  {"s16", T_S16}, {"s32", T_S32}, {"s64", T_S64}, {"f32", T_F32}, {"f64", T_F64},
                  {"i8", T_S8},   {"i16", T_S16}, {"i32", T_S32}, {"i64", T_S64}};

enum ptype array_type(const char *name)
{
	for (u32 i = 0; i < ARRAY_LEN(type_names); i++)
		if (!strcmp(type_names[i].name, name))
			return type_names[i].type;
	return T_NONE;
}

enum ptype array_check_type(lua_State *L, int at)
{
	const char *name = luaL_checkstring(L, at);
	enum ptype t = array_type(name);
	if (t == T_NONE)
		luaL_error(L, "unknown element type '%s'; there are u8 u16 u32 u64 s8 s16 s32 s64 (or i8 .. i64) f32 f64",
		           name);
	return t;
}

struct array *array_test(lua_State *L, int at)
{
	return luaL_testudata(L, at, ARRAY_META);
}
struct array *array_check(lua_State *L, int at)
{
	return luaL_checkudata(L, at, ARRAY_META);
}

struct array *array_new(lua_State *L, enum ptype type, u64 n)
{
	u32 width = ptype_bytes(type);
	if (n > ARRAY_MAX_BYTES / width)
		luaL_error(L, "a host array of %I %s is larger than %I bytes", (lua_Integer)n, ptype_name(type),
		           (lua_Integer)ARRAY_MAX_BYTES);
	struct array *a = lua_newuserdatauv(L, sizeof *a + n * width, 0);
	a->type = type;
	a->width = width;
	a->n = n;
	memset(a->data, 0, n * width);
	luaL_setmetatable(L, ARRAY_META);
	return a;
}

/* --- elements --- */

#define EACH_TYPE(X)                                                                                                   \
	X(T_U8, u8, Integer)                                                                                               \
	X(T_U16, u16, Integer)                                                                                             \
	X(T_U32, u32, Integer)                                                                                             \
	X(T_U64, u64, Integer)                                                                                             \
	X(T_S8, s8, Integer)                                                                                               \
	X(T_S16, s16, Integer)                                                                                             \
	X(T_S32, s32, Integer)                                                                                             \
	X(T_S64, s64, Integer)                                                                                             \
	X(T_F32, float, Number)                                                                                            \
	X(T_F64, double, Number)

static void push_element(lua_State *L, const struct array *a, u64 i)
{
	switch (a->type) {
#define PUSH_Integer(v) lua_pushinteger(L, (lua_Integer)(v))
#define PUSH_Number(v) lua_pushnumber(L, (v))
#define X(t, ctype, kind)                                                                                              \
	case t: PUSH_##kind(((const ctype *)a->data)[i]); break;
		EACH_TYPE(X)
#undef X
	default: lua_pushnil(L);
	}
}

double array_number(const struct array *a, u64 i)
{
	switch (a->type) {
#define X(t, ctype, kind)                                                                                              \
	case t: return (double)((const ctype *)a->data)[i];
		EACH_TYPE(X)
#undef X
	default: return NAN;
	}
}

/* Integers wrap to the element's width as in C; a float with a fraction is an error for an integer element. */
static lua_Integer check_int(lua_State *L, const struct array *a, int at)
{
	int ok;
	lua_Integer v = lua_tointegerx(L, at, &ok);
	if (!ok)
		luaL_error(L, "%s is not a whole number: it cannot be stored in an array of %s", luaL_tolstring(L, at, NULL),
		           ptype_name(a->type));
	return v;
}

static lua_Number check_num(lua_State *L, const struct array *a, int at)
{
	int ok;
	lua_Number v = lua_tonumberx(L, at, &ok);
	if (!ok)
		luaL_error(L, "%s is not a number: it cannot be stored in an array of %s", luaL_tolstring(L, at, NULL),
		           ptype_name(a->type));
	return v;
}

static void store_element(lua_State *L, struct array *a, u64 i, int at)
{
	switch (a->type) {
#define STORE_Integer(ctype) (ctype) check_int(L, a, at)
#define STORE_Number(ctype) (ctype) check_num(L, a, at)
#define X(t, ctype, kind)                                                                                              \
	case t: ((ctype *)a->data)[i] = STORE_##kind(ctype); break;
		EACH_TYPE(X)
#undef X
	default: break;
	}
}

void array_store(lua_State *L, struct array *a, u64 i, double v)
{
	if (ptype_is_float(a->type)) {
		if (a->type == T_F32)
			((float *)a->data)[i] = (float)v;
		else
			((double *)a->data)[i] = v;
		return;
	}
	if (!(fabs(v) <= 0x1p53) || v != trunc(v))
		luaL_error(L, "%f is not a whole number below 2^53: it cannot be stored in an array of %s", v,
		           ptype_name(a->type));
	const u64 bits = (u64)(s64)v;
	memcpy(a->data + i * a->width, &bits, a->width); /* little endian: the low bytes */
}

static u64 check_index(lua_State *L, const struct array *a, int at)
{
	int ok;
	lua_Integer i = lua_tointegerx(L, at, &ok);
	if (!ok)
		luaL_error(L,
		           "a host array has no field '%s' (elements are a[0] .. a[n-1]; methods fill, iota, rand, combine, "
		           "halves, product, sum, dot)",
		           luaL_tolstring(L, at, NULL));
	if (i < 0 || (u64)i >= a->n)
		luaL_error(L, "index %I is outside the array of %I %s (0 .. %I)", i, (lua_Integer)a->n, ptype_name(a->type),
		           (lua_Integer)a->n - 1);
	return (u64)i;
}

/* Upvalue 1: the metatable, for the quick check of the type; upvalue 2: the methods. */
static struct array *self(lua_State *L)
{
	if (lua_getmetatable(L, 1)) {
		bool same = lua_rawequal(L, -1, lua_upvalueindex(1));
		lua_pop(L, 1);
		if (same)
			return lua_touserdata(L, 1);
	}
	return array_check(L, 1);
}

static int array_index(lua_State *L)
{
	struct array *a = self(L);
	if (lua_type(L, 2) == LUA_TSTRING) {
		lua_pushvalue(L, 2);
		if (lua_rawget(L, lua_upvalueindex(2)) != LUA_TNIL)
			return 1;
		lua_pop(L, 1);
	}
	push_element(L, a, check_index(L, a, 2));
	return 1;
}

static int array_newindex(lua_State *L)
{
	struct array *a = self(L);
	store_element(L, a, check_index(L, a, 2), 3);
	return 0;
}

static int array_len(lua_State *L)
{
	lua_pushinteger(L, (lua_Integer)array_check(L, 1)->n);
	return 1;
}

static int array_tostring(lua_State *L)
{
	struct array *a = array_check(L, 1);
	lua_pushfstring(L, "host array of %I %s", (lua_Integer)a->n, ptype_name(a->type));
	return 1;
}

/* --- methods: each returns the array, so that calls can be chained --- */

static int array_fill(lua_State *L)
{
	struct array *a = array_check(L, 1);
	luaL_checkany(L, 2);
	lua_settop(L, 2);
	if (a->n)
		store_element(L, a, 0, 2);
	for (u64 i = 1; i < a->n; i++)
		memcpy(a->data + i * a->width, a->data, a->width);
	lua_settop(L, 1);
	return 1;
}

static int array_iota(lua_State *L)
{
	struct array *a = array_check(L, 1);
	for (u64 i = 0; i < a->n; i++) {
		switch (a->type) {
#define X(t, ctype, kind)                                                                                              \
	case t: ((ctype *)a->data)[i] = (ctype)i; break;
			EACH_TYPE(X)
#undef X
		default: break;
		}
	}
	lua_settop(L, 1);
	return 1;
}

static u64 *rng_state(lua_State *L)
{
	u64 *own = host_rng(L);
	if (own)
		return own;
	if (lua_getfield(L, LUA_REGISTRYINDEX, RNG_KEY) != LUA_TUSERDATA) {
		lua_pop(L, 1);
		struct session *s = lua_session(L);
		u64 *fresh = lua_newuserdatauv(L, sizeof *fresh, 0);
		*fresh = s ? s->conf.seed : 1;
		lua_pushvalue(L, -1);
		lua_setfield(L, LUA_REGISTRYINDEX, RNG_KEY);
	}
	u64 *state = lua_touserdata(L, -1);
	lua_pop(L, 1);
	return state;
}

void array_reseed(lua_State *L)
{
	lua_pushnil(L);
	lua_setfield(L, LUA_REGISTRYINDEX, RNG_KEY);
}

static void rand_float(struct array *a, u64 *rng, double lo, double hi)
{
	for (u64 i = 0; i < a->n; i++) {
		if (a->type == T_F32)
			((float *)a->data)[i] = (float)(lo + rng_f32(rng) * (hi - lo));
		else
			((double *)a->data)[i] = lo + rng_f64(rng) * (hi - lo);
	}
}

/* Uniform in lo..hi, both included (by the remainder: the bias is below 2^-32 for spans below 2^32). */
static void rand_int(struct array *a, u64 *rng, lua_Integer lo, lua_Integer hi)
{
	u64 span = (u64)hi - (u64)lo + 1; /* 0 = all 2^64 values */
	for (u64 i = 0; i < a->n; i++) {
		u64 r = rng_next(rng), v = (u64)lo + (span ? r % span : r);
		memcpy(a->data + i * a->width, &v, a->width); /* little endian: the low bytes */
	}
}
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "device memory and host arrays are little endian");

static int array_rand(lua_State *L)
{
	struct array *a = array_check(L, 1);
	if (ptype_is_float(a->type)) {
		double lo = luaL_optnumber(L, 2, 0), hi = luaL_optnumber(L, 3, 1);
		luaL_argcheck(L, lo <= hi, 3, "the upper bound is below the lower one");
		rand_float(a, rng_state(L), lo, hi);
	} else {
		lua_Integer lo = luaL_optinteger(L, 2, 0), hi = luaL_optinteger(L, 3, 99);
		luaL_argcheck(L, lo <= hi, 3, "the upper bound is below the lower one");
		rand_int(a, rng_state(L), lo, hi);
	}
	lua_settop(L, 1);
	return 1;
}

/* --- compare --- */

static bool both_integers(const struct array *a, const struct array *b)
{
	return a->type == b->type && !ptype_is_float(a->type);
}

static bool close_enough(double got, double want, double rel, double abs)
{
	if (isnan(got) || isnan(want))
		return isnan(got) && isnan(want);
	return got == want || fabs(got - want) <= MAX(abs, rel * fabs(want));
}

/* The expected value at i of the array or table at stack index 2. */
static double expected(lua_State *L, const struct array *want, u64 i)
{
	if (want)
		return array_number(want, i);
	lua_geti(L, 2, (lua_Integer)i);
	int ok;
	double v = lua_tonumberx(L, -1, &ok);
	if (!ok)
		luaL_error(L, "cuda.compare: the expected table has no number at [%I] (tables are read from index 0)",
		           (lua_Integer)i);
	lua_pop(L, 1);
	return v;
}

int array_compare(lua_State *L)
{
	struct array *got = array_check(L, 1), *want = array_test(L, 2);
	double rel = luaL_optnumber(L, 3, 0), abs = luaL_optnumber(L, 4, 0);
	if (!want)
		luaL_checktype(L, 2, LUA_TTABLE);
	luaL_argcheck(L, !want || want->n == got->n, 2, "the arrays differ in length");
	u64 wrong = 0, first = 0;
	for (u64 i = 0; i < got->n; i++) {
		bool same = want && both_integers(got, want) && !rel && !abs
		                ? !memcmp(got->data + i * got->width, want->data + i * want->width, got->width)
		                : close_enough(array_number(got, i), expected(L, want, i), rel, abs);
		if (!same && !wrong++)
			first = i;
	}
	lua_pushboolean(L, !wrong);
	if (!wrong)
		return 1;
	bool integers = !ptype_is_float(got->type) && want && both_integers(got, want);
	char text[200];
	int n = snprintf(text, sizeof text, "[%llu]: got ", (unsigned long long)first);
	if (integers) {
		push_element(L, got, first);
		push_element(L, want, first);
		n += snprintf(text + n, sizeof text - (size_t)n, "%lld, want %lld", (long long)lua_tointeger(L, -2),
		              (long long)lua_tointeger(L, -1));
		lua_pop(L, 2);
	} else {
		n += snprintf(text + n, sizeof text - (size_t)n, "%.9g, want %.9g", array_number(got, first),
		              expected(L, want, first));
	}
	snprintf(text + n, sizeof text - (size_t)n, "; %llu of %llu elements differ", (unsigned long long)wrong,
	         (unsigned long long)got->n);
	lua_pushstring(L, text);
	return 2;
}

const luaL_Reg array_methods[] = {{"fill", array_fill},       {"iota", array_iota},     {"rand", array_rand},
                                  {"combine", array_combine}, {"halves", array_halves}, {"product", array_product},
                                  {"sum", array_sum},         {"dot", array_dot},       {NULL, NULL}};

void array_register(lua_State *L)
{
	luaL_newmetatable(L, ARRAY_META);
	lua_pushvalue(L, -1);
	luaL_newlib(L, array_methods);
	lua_pushcclosure(L, array_index, 2);
	lua_setfield(L, -2, "__index");
	lua_pushvalue(L, -1);
	lua_pushcclosure(L, array_newindex, 1);
	lua_setfield(L, -2, "__newindex");
	lua_pushcfunction(L, array_len);
	lua_setfield(L, -2, "__len");
	lua_pushcfunction(L, array_tostring);
	lua_setfield(L, -2, "__tostring");
	lua_pushliteral(L, "host array");
	lua_setfield(L, -2, "__metatable"); /* scripts cannot reach or change it */
	lua_pop(L, 1);
}
