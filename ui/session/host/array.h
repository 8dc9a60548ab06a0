/* array: host arrays for host programs: typed, bounds-checked, in host memory.
 *
 * They are userdata of Lua: a[i] reads and writes element i (0-based), #a is the number of elements. */
#ifndef UI_SESSION_HOST_ARRAY_H
#define UI_SESSION_HOST_ARRAY_H
#include "ir/ir.h"
#include "lua/lua.h"

struct array {
	enum ptype type; /* u8..u64, s8..s64, f32, f64 */
	u32 width;       /* bytes per element */
	u64 n;           /* elements */
	u8 data[] __attribute__((aligned(16)));
};
#define ARRAY_MAX_BYTES (2ull << 30) /* of one array */

/* Registers the metatable; once per state. */
void array_register(lua_State *L);
/* The random numbers of array:rand start again from the session's seed. */
void array_reseed(lua_State *L);
/* The state of the running host program's random numbers; NULL for any other caller. ui/session/host/host_lua.c */
u64 *host_rng(lua_State *L);
/* New zeroed array on the stack. Raises an error when it is too large. */
struct array *array_new(lua_State *L, enum ptype type, u64 n);
/* The array at a stack index, or NULL when it is something else. */
struct array *array_test(lua_State *L, int at);
struct array *array_check(lua_State *L, int at);
/* "f32", "i32", "int", ...; raises an error that lists the types. */
enum ptype array_check_type(lua_State *L, int at);
/* Element type of a name, T_NONE when it is none. */
enum ptype array_type(const char *name);
/* Element i as a double (64-bit integers may lose bits: use array_bits). */
double array_number(const struct array *a, u64 i);
/* Sets element i. An integer takes whole numbers up to 2^53 and wraps as in C; raises an error for others. */
void array_store(lua_State *L, struct array *a, u64 i, double v);
/* cuda.compare(array, expected array or table, tol_rel, tol_abs) -> ok, message. */
int array_compare(lua_State *L);
/* Methods, documented in docs_cuda.c: array_math.c */
int array_combine(lua_State *L);
int array_dot(lua_State *L);
int array_halves(lua_State *L);
int array_product(lua_State *L);
int array_sum(lua_State *L);
extern const luaL_Reg array_methods[]; /* all of them; ends with a row of NULLs */
#endif
