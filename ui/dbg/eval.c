/* Evaluating Lua for the console, and values as text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dbg/state.h"
#include "dbg/lua_side.h"
#include "dbg/windows.h"

struct name {
	const char *text;
	bool known;
};

static int look_for(lua_State *L, void *ctx)
{
	struct name *n = ctx;
	lua_pushglobaltable(L);
	bool own_rules = lua_getmetatable(L, -1); /* of a script's: whatever the name means, Lua finds out */
	lua_pop(L, own_rules);
	lua_pushstring(L, n->text);
	n->known = lua_rawget(L, -2) != LUA_TNIL || own_rules;
	return 0;
}

bool lua_dbg_has_global(struct debugger *d, const char *name)
{
	struct name n = {.text = name};
	return !lua_guarded(d->s->L, look_for, &n, 0, 0, NULL) || n.known;
}

/* What an expression that does not compile was probably meant to be; "" = no idea. */
static const char *meant(const char *expr)
{
	return strchr(expr, '$')
	           ? "of $ names there are $bpnum and, where a warp stands, $pc: a register is %r1, the rest is Lua: gpu.sm[0].warp[0].pc"
	       : *expr == '*' ? "memory is shown by x/1xw ADDRESS, or mem.read_u32(ADDRESS) in Lua"
	                      : lua_dbg_c_spelling(expr);
}

static bool load_expr(lua_State *L, const char *expr, struct err *e)
{
	struct strbuf code = STRBUF_INIT;
	strbuf_addf(&code, "return %s", expr);
	bool ok = luaL_loadbufferx(L, code.buf, code.len, "=expression", "t") == LUA_OK;
	strbuf_release(&code);
	if (ok)
		return true;
	const char *hint = meant(expr);
	err_set(e, "%s%s%s%s", lua_tostring(L, -1), hint ? " (" : "", hint ? hint : "", hint ? ")" : "");
	lua_pop(L, 1);
	return false;
}

bool lua_dbg_check_expr(struct debugger *d, const char *expr, struct err *e)
{
	if (!load_expr(d->s->L, expr, e))
		return false;
	lua_pop(d->s->L, 1);
	windows_of_text(d, expr);
	return true;
}

/* Expressions of displays and watchpoints are called between cycles, where nothing else of this state runs. */
bool lua_dbg_call(struct debugger *d, int nargs, int nresults, struct err *e)
{
	lua_budget(d->s->L, LUA_BUDGET_CALLBACK);
	return lua_call_traced(d->s->L, nargs, nresults, e);
}

/* Messages for the prompt: an expression needs no traceback. */
void lua_dbg_first_line(struct err *e)
{
	char *trace = strstr(e->msg, "\nstack traceback:");
	if (e->set && trace)
		*trace = 0;
}

bool lua_dbg_eval(struct debugger *d, const char *expr, struct err *e)
{
	if (!load_expr(d->s->L, expr, e))
		return false;
	d->script.in_script++; /* it may run the machine */
	bool ok = lua_dbg_call(d, 0, 1, e);
	d->script.in_script--;
	if (!ok && e)
		lua_dbg_first_line(e);
	return ok;
}

int lua_dbg_eval_all(struct debugger *d, const char *expr, struct err *e)
{
	int top = lua_gettop(d->s->L);
	if (!load_expr(d->s->L, expr, e))
		return -1;
	d->script.in_script++; /* it may run the machine */
	bool ok = lua_dbg_call(d, 0, LUA_MULTRET, e);
	d->script.in_script--;
	if (ok)
		return lua_gettop(d->s->L) - top;
	lua_dbg_first_line(e);
	return -1;
}

bool lua_dbg_true(struct debugger *d, const char *expr, int fn, bool *truth, struct err *e)
{
	lua_State *L = d->s->L;
	if (expr) {
		if (!load_expr(L, expr, e))
			return false;
	} else {
		lua_rawgeti(L, LUA_REGISTRYINDEX, fn);
	}
	lua_dbg_look_begins(d);
	bool ok = lua_dbg_call(d, 0, 1, e);
	lua_dbg_look_ends(d);
	if (!ok)
		return false;
	*truth = lua_toboolean(L, -1);
	lua_pop(L, 1);
	return true;
}

static bool ends_early(const char *msg)
{
	size_t n = strlen(msg);
	return n >= 5 && !strcmp(msg + n - 5, "<eof>");
}

bool lua_dbg_exec(struct debugger *d, const char *code, const char *name, bool *incomplete, struct err *e)
{
	lua_State *L = d->s->L;
	if (luaL_loadbufferx(L, code, strlen(code), name, "t") != LUA_OK) {
		const char *msg = lua_tostring(L, -1);
		if (incomplete)
			*incomplete = ends_early(msg);
		err_set(e, "%s", msg);
		lua_pop(L, 1);
		return false;
	}
	lua_budget(L, LUA_BUDGET_HOST);
	d->script.in_script++;
	bool ok = lua_call_traced(L, 0, 0, e);
	d->script.in_script--;
	return ok;
}

/* --- values as text --- */

static void integer_text(lua_Integer v, char fmt, struct strbuf *out)
{
	switch (fmt) {
	case 'x': strbuf_addf(out, "0x%llx", (unsigned long long)v); break;
	case 'u': strbuf_addf(out, "%llu", (unsigned long long)v); break;
	case 'f': strbuf_addf(out, "%.14g", (double)v); break;
	case 'c': strbuf_addf(out, v >= 32 && v < 127 ? "'%c'" : "%d", (int)v); break;
	default: strbuf_addf(out, "%lld", (long long)v); break;
	}
}

static void scalar_text(lua_State *L, int at, char fmt, struct strbuf *out)
{
	size_t n;
	if (lua_isinteger(L, at)) {
		integer_text(lua_tointeger(L, at), fmt, out);
	} else if (lua_type(L, at) == LUA_TNUMBER) {
		lua_Number v = lua_tonumber(L, at);
		if (fmt && fmt != 'f' && v >= -0x1p63 && v < 0x1p63)
			integer_text((lua_Integer)v, fmt, out);
		else
			strbuf_addf(out, isnan(v) ? "nan" : "%.14g", v);
	} else if (lua_type(L, at) == LUA_TSTRING) {
		const char *s = lua_tolstring(L, at, &n);
		strbuf_add(out, s, n);
	} else if (lua_type(L, at) == LUA_TBOOLEAN || lua_isnil(L, at) || luaL_getmetafield(L, at, "__tostring")) {
		if (lua_gettop(L) > at && !lua_isboolean(L, at) && !lua_isnil(L, at))
			lua_pop(L, 1);
		const char *s = luaL_tolstring(L, at, &n);
		strbuf_add(out, s, n);
		lua_pop(L, 1);
	} else {
		strbuf_adds(out, luaL_typename(L, at)); /* no addresses: output is the same on every host */
	}
}

#define TABLE_ITEMS 64

u32 lua_dbg_list(lua_State *L, int at, bool *from_0)
{
	lua_rawgeti(L, at, 0);
	*from_0 = !lua_isnil(L, -1);
	lua_pop(L, 1);
	return (u32)lua_rawlen(L, at) + *from_0;
}

/* List items first, in order, those of a list from 0 as Lua would have them written; then named fields sorted, since
 * Lua's own order differs from run to run. */
static void list_items(lua_State *L, int at, char fmt, u32 *shown, struct strbuf *out)
{
	bool from_0;
	const u32 n = lua_dbg_list(L, at, &from_0);
	for (u32 i = 0; i < n && *shown < TABLE_ITEMS; i++, (*shown)++) {
		lua_rawgeti(L, at, (lua_Integer)i + !from_0);
		strbuf_adds(out, *shown ? ", " : from_0 ? "[0] = " : "");
		scalar_text(L, lua_gettop(L), fmt, out);
		lua_pop(L, 1);
	}
	if (n > TABLE_ITEMS)
		strbuf_addf(out, ", ... (%u items)", n);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void named_items(lua_State *L, int at, char fmt, u32 *shown, struct strbuf *out)
{
	const char *names[TABLE_ITEMS];
	u32 n = 0;
	lua_pushnil(L);
	while (lua_next(L, at)) {
		if (lua_type(L, -2) == LUA_TSTRING && n < TABLE_ITEMS)
			names[n++] = lua_tostring(L, -2);
		lua_pop(L, 1);
	}
	qsort(names, n, sizeof(*names), by_name);
	for (u32 i = 0; i < n; i++, (*shown)++) {
		strbuf_addf(out, "%s%s = ", *shown ? ", " : "", names[i]);
		lua_pushstring(L, names[i]);
		lua_rawget(L, at);
		scalar_text(L, lua_gettop(L), fmt, out);
		lua_pop(L, 1);
	}
}

struct text_request {
	char fmt;
	struct strbuf *out;
};

/* Runs under pcall: __tostring may fail. */
static int protected_text(lua_State *L)
{
	const struct text_request *r = lua_touserdata(L, 2);
	u32 shown = 0;
	luaL_checkstack(L, 8, "value");
	if (!lua_istable(L, 1)) {
		scalar_text(L, 1, r->fmt, r->out);
		return 0;
	}
	strbuf_addc(r->out, '{');
	list_items(L, 1, r->fmt, &shown, r->out);
	named_items(L, 1, r->fmt, &shown, r->out);
	strbuf_addc(r->out, '}');
	return 0;
}

void lua_dbg_text(struct lua_State *L, int at, char fmt, struct strbuf *out)
{
	struct text_request r = {fmt, out};
	at = lua_absindex(L, at);
	lua_pushcfunction(L, protected_text);
	lua_pushvalue(L, at);
	lua_pushlightuserdata(L, &r);
	if (lua_pcall(L, 2, 0, 0) != LUA_OK) {
		strbuf_addf(out, "<%s>", lua_tostring(L, -1));
		lua_pop(L, 1);
	}
}
