/* Arithmetic on whole host arrays: what a host program fills its matrices with and holds its results against costs
 * less than the simulation that way, not more. */
#include <string.h>

#include "base/floats.h"
#include "session/host/array.h"

/* --- one element from one ----------------------------------------------------------------------------------------- */

static struct array *same_length(lua_State *L, int at, const struct array *a)
{
	struct array *b = array_check(L, at);
	luaL_argcheck(L, b->n == a->n, at, "the arrays differ in length");
	return b;
}

int array_combine(lua_State *L)
{
	struct array *a = array_check(L, 1);
	const struct array *x = same_length(L, 2, a), *y = lua_isnoneornil(L, 4) ? NULL : same_length(L, 4, a);
	const double by = luaL_checknumber(L, 3), by_y = y ? luaL_checknumber(L, 5) : 0;
	for (u64 i = 0; i < a->n; i++)
		array_store(L, a, i, y ? by * array_number(x, i) + by_y * array_number(y, i) : by * array_number(x, i));
	lua_settop(L, 1);
	return 1;
}

int array_halves(lua_State *L)
{
	struct array *a = array_check(L, 1);
	luaL_argcheck(L, a->type == T_U16, 1, "f16 bits are kept in an array of u16");
	const struct array *from = same_length(L, 2, a);
	for (u64 i = 0; i < a->n; i++)
		((u16 *)a->data)[i] = f16_from_f64(array_number(from, i), SMALL_RN);
	lua_settop(L, 1);
	return 1;
}

/* --- sums --------------------------------------------------------------------------------------------------------- */

int array_dot(lua_State *L)
{
	const struct array *a = array_check(L, 1), *b = same_length(L, 2, a);
	double sum = 0;
	for (u64 i = 0; i < a->n; i++)
		sum += array_number(a, i) * array_number(b, i);
	lua_pushnumber(L, sum);
	return 1;
}

int array_sum(lua_State *L)
{
	const struct array *a = array_check(L, 1);
	double sum = 0;
	for (u64 i = 0; i < a->n; i++)
		sum += array_number(a, i);
	lua_pushnumber(L, sum);
	return 1;
}

/* --- products of matrices ----------------------------------------------------------------------------------------- */

/* A dimension at a stack index. */
static u64 dimension(lua_State *L, int at)
{
	const lua_Integer n = luaL_checkinteger(L, at);
	luaL_argcheck(L, n > 0 && n <= 1 << 24, at, "a dimension is 1 to 2^24");
	return (u64)n;
}
static double *scratch(lua_State *L, u64 n)
{
	if (n > ARRAY_MAX_BYTES / sizeof(double))
		luaL_error(L, "a matrix of %I elements is too large to multiply", (lua_Integer)n);
	return lua_newuserdatauv(L, n * sizeof(double), 0);
}
/* Rows of k elements; transposed: stored in columns. */
static const double *rows_of(lua_State *L, const struct array *a, u64 rows, u64 columns, bool transposed)
{
	double *out = scratch(L, rows * columns);
	for (u64 i = 0; i < rows; i++)
		for (u64 j = 0; j < columns; j++)
			out[i * columns + j] = array_number(a, transposed ? j * rows + i : i * columns + j);
	return out;
}
/* sum[j] += by[l] x row l's [j], for l = 0 .. 3 one after the other. */
static void add_rows(double *restrict sum, const double *restrict by, const double *restrict row, u64 n)
{
	const double *r1 = row + n, *r2 = r1 + n, *r3 = r2 + n;
	for (u64 j = 0; j < n; j++)
		sum[j] = sum[j] + by[0] * row[j] + by[1] * r1[j] + by[2] * r2[j] + by[3] * r3[j];
}
static void add_row(double *restrict sum, double by, const double *restrict row, u64 n)
{
	for (u64 j = 0; j < n; j++)
		sum[j] += by * row[j];
}

int array_product(lua_State *L)
{
	struct array *c = array_check(L, 1);
	const struct array *a = array_check(L, 2), *b = array_check(L, 3);
	const u64 m = dimension(L, 4), n = dimension(L, 5), k = dimension(L, 6);
	static const char *const layouts[] = {"nn", "nt", "tn", "tt", NULL};
	const int layout = luaL_checkoption(L, 7, "nn", layouts);
	luaL_argcheck(L, c->n == m * n, 1, "it does not have m x n elements");
	luaL_argcheck(L, a->n == m * k, 2, "it does not have m x k elements");
	luaL_argcheck(L, b->n == k * n, 3, "it does not have k x n elements");
	luaL_argcheck(L, c != a && c != b, 1, "it is a factor, too");
	const double *ra = rows_of(L, a, m, k, layout & 2), *rb = rows_of(L, b, k, n, layout & 1);
	double *sum = scratch(L, n);
	for (u64 i = 0; i < m; i++) {
		memset(sum, 0, n * sizeof *sum);
		for (u64 l = 0; l < k; l += k - l >= 4 ? 4 : 1) {
			if (k - l >= 4)
				add_rows(sum, ra + i * k + l, rb + l * n, n);
			else
				add_row(sum, ra[i * k + l], rb + l * n, n);
			if (!(l & 255) && (lua_must_stop(L) || lua_out_of_time(L)))
				luaL_error(L, lua_must_stop(L) ? "interrupted" : "array:product: the script's time is used up");
		}
		for (u64 j = 0; j < n; j++)
			array_store(L, c, i * n + j, sum[j]);
	}
	lua_settop(L, 1);
	return 1;
}
