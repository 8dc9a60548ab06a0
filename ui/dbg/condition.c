/* Conditions of breakpoints: checked when they are typed, compiled at their first use, asked at each match.
 *
 * A condition is a Lua expression. It sees the event as `e`, and of the event's CTA and launch CUDA's blockIdx,
 * blockDim and gridDim. There is no threadIdx: a condition is asked once for a warp, which is 32 threads. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "dbg/lua_side.h"
#include "dbg/state.h"

#define NAMES "e, blockIdx, blockDim, gridDim"
static const char *const given[] = {"e", "blockIdx", "blockDim", "gridDim"};

/* --- words of an expression ------------------------------------------------------------------------------------ */

/* Behind the string or comment that begins at s; s itself where none does. */
static const char *skip_quoted(const char *s)
{
	const char quote = *s;
	if (quote != '"' && quote != '\'')
		return s;
	for (s++; *s && *s != quote; s++)
		s += *s == '\\' && s[1];
	return s + (*s == quote);
}

/* What stands at s, outside of strings, as C writes it; NULL: nothing of the kind. */
static const char *c_operator(const char *s, char before)
{
	if (!strncmp(s, "&&", 2))
		return "`&&` is `and` in Lua";
	if (!strncmp(s, "||", 2))
		return "`||` is `or` in Lua";
	if (!strncmp(s, "!=", 2))
		return "`!=` is `~=` in Lua";
	if (*s == '!')
		return "`!` is `not` in Lua";
	if (*s == '=' && s[1] != '=' && !strchr("=<>~", before))
		return "a comparison is `==`";
	return NULL;
}

const char *lua_dbg_c_spelling(const char *expr)
{
	for (char before = ' '; *expr; before = *expr++) {
		const char *behind = skip_quoted(expr), *hint = c_operator(expr, before);
		if (hint)
			return hint;
		if (behind != expr)
			expr = behind - 1;
	}
	return NULL;
}

static size_t name_length(const char *s)
{
	size_t n = 0;
	while (isalnum((unsigned char)s[n]) || s[n] == '_')
		n++;
	return isdigit((unsigned char)*s) ? 0 : n;
}

/* The next name at or behind s that is no field of something: "gpu" of "gpu.sm[e.sm].ctas", then "e". Its length in *n;
 * NULL: there is none. */
static const char *next_name(const char *begin, const char *s, size_t *n)
{
	while (*s) {
		const char *behind = skip_quoted(s);
		const size_t word = name_length(s);
		const bool field = s > begin && (s[-1] == ':' || (s[-1] == '.' && !(s - 1 > begin && s[-2] == '.')));
		*n = word;
		if (word && !field)
			return s;
		if (behind == s && isdigit((unsigned char)*s)) /* a number takes its letters along: 0xff, 1e9 */
			while (isalnum((unsigned char)*behind) || *behind == '.')
				behind++;
		s = behind > s ? behind : s + MAX(word, (size_t)1);
	}
	return NULL;
}

static bool name_is(const char *s, size_t n, const char *name)
{
	return strlen(name) == n && !memcmp(s, name, n);
}

static bool has_name(const char *expr, const char *name)
{
	size_t n;
	for (const char *s = next_name(expr, expr, &n); s; s = next_name(expr, s + n, &n))
		if (name_is(s, n, name))
			return true;
	return false;
}

/* --- checking ---------------------------------------------------------------------------------------------------- */

static bool is_given(const char *s, size_t n)
{
	for (u32 i = 0; i < ARRAY_LEN(given); i++)
		if (name_is(s, n, given[i]))
			return true;
	return false;
}

/* Something is looked for in what the name stands for, or it is called: that fails unless it is there. */
static bool is_opened(const char *behind)
{
	behind += strspn(behind, " \t");
	return *behind && (strchr("[(:", *behind) || (*behind == '.' && behind[1] != '.'));
}

static bool is_keyword(const char *s, size_t n)
{
	static const char *const words[] = {"and", "or", "not", "nil", "true", "false"};
	for (u32 i = 0; i < ARRAY_LEN(words); i++)
		if (name_is(s, n, words[i]))
			return true;
	return false;
}

/* The next name at or behind s that nobody has given a value yet, into name[]; where it ends, NULL: there is none. */
static const char *next_unknown(struct debugger *d, const char *cond, const char *s, char name[64])
{
	size_t n;
	for (s = next_name(cond, s, &n); s; s = next_name(cond, s + n, &n)) {
		snprintf(name, 64, "%.*s", (int)n, s);
		if (n < 64 && !is_given(s, n) && !is_keyword(s, n) && !lua_dbg_has_global(d, name))
			return s + n;
	}
	return NULL;
}

static bool names_exist(struct debugger *d, const char *cond, struct err *e)
{
	char name[64];
	if (has_name(cond, "function")) /* which has names of its own */
		return true;
	for (const char *s = cond; (s = next_unknown(d, cond, s, name));)
		if (is_opened(s))
			return err_set(e,
			               "condition: there is no '%s' (a condition knows e, the event; blockIdx, blockDim, gridDim; "
			               "gpu, mem, dbg; and what scripts have defined)",
			               name);
	return true;
}

void lua_dbg_condition_note(struct debugger *d, const char *cond, struct strbuf *out)
{
	char name[64];
	if (cond && !has_name(cond, "function") && next_unknown(d, cond, cond, name))
		strbuf_addf(out, "'%s' has no value so far: it is nil in the condition.\n", name);
}

bool lua_dbg_check_condition(struct debugger *d, const char *cond, struct err *e)
{
	if (has_name(cond, "threadIdx"))
		return err_set(e, "condition: threadIdx: a condition is asked for a warp, not for each thread; thread=X,Y,Z "
		                  "before `if` names a thread (blockIdx, blockDim and gridDim are known)");
	if (!lua_dbg_check_expr(d, cond, e)) {
		if (!e || !strstr(e->msg, "near '%'"))
			return false;
		err_clear(e);
		return err_set(
		    e,
		    "condition: '%.60s': a register is read as gpu.sm[e.sm].warp[e.warp].reg.r1[LANE] here; blockIdx, "
		    "blockDim and gridDim have .x .y .z",
		    cond);
	}
	return names_exist(d, cond, e);
}

/* --- asking ------------------------------------------------------------------------------------------------------ */

static int keep_function(lua_State *L, void *ctx)
{
	*(int *)ctx = luaL_ref(L, LUA_REGISTRYINDEX);
	return 0;
}

/* Compiled at its first use: the function takes the event as e. */
static bool compile_condition(struct debugger *d, struct breakpoint *b, struct err *e)
{
	lua_State *L = d->s->L;
	struct strbuf code = STRBUF_INIT;
	strbuf_addf(&code, "local " NAMES " = ...; return %s", b->cond);
	bool ok = luaL_loadbufferx(L, code.buf, code.len, "=condition", "t") == LUA_OK;
	strbuf_release(&code);
	if (!ok) {
		err_set(e, "%s", lua_tostring(L, -1));
		lua_pop(L, 1);
		return false;
	}
	struct err none = {0};
	ok = lua_guarded(L, keep_function, &b->cond_ref, 1, 0, &none);
	return ok || err_set(e, "%s", none.msg);
}

static void push_dim(lua_State *L, u32 x, u32 y, u32 z)
{
	lua_createtable(L, 0, 3);
	lua_dbg_set_int(L, "x", x);
	lua_dbg_set_int(L, "y", y);
	lua_dbg_set_int(L, "z", z);
}

struct cuda_names {
	const struct launch *launch;
	const struct event *ev;
};

/* blockIdx, blockDim, gridDim of the event; nil where it has no CTA or launch. */
static int push_cuda(lua_State *L, void *ctx)
{
	const struct cuda_names *c = ctx;
	const struct launch *l = c->launch;
	if (!l) {
		lua_settop(L, lua_gettop(L) + 3);
		return 3;
	}
	const u64 cta = (u64)c->ev->cta;
	if (c->ev->cta < 0)
		lua_pushnil(L);
	else
		push_dim(L, (u32)(cta % l->grid.x), (u32)(cta / l->grid.x % l->grid.y), (u32)(cta / l->grid.x / l->grid.y));
	push_dim(L, l->block.x, l->block.y, l->block.z);
	push_dim(L, l->grid.x, l->grid.y, l->grid.z);
	return 3;
}

static bool uses_cuda(const char *cond)
{
	return has_name(cond, "blockIdx") || has_name(cond, "blockDim") || has_name(cond, "gridDim");
}

static bool call_condition(struct debugger *d, struct breakpoint *b, const struct event *ev, struct err *e)
{
	lua_State *L = d->s->L;
	struct cuda_names c = {NULL, ev};
	if (!b->cond || !uses_cuda(b->cond))
		return lua_dbg_call_with_event(d, b->cond_ref, ev, 1, e);
	if (ev->kernel >= 0 && (u32)ev->kernel < gpu_num_kernels(dbg_gpu(d)))
		c.launch = gpu_launched(dbg_gpu(d), (u32)ev->kernel);
	if (!lua_checkstack(L, 5))
		return err_set(e, "not enough memory");
	lua_rawgeti(L, LUA_REGISTRYINDEX, b->cond_ref);
	if (lua_dbg_push_event(d, ev, e)) {
		if (lua_guarded(L, push_cuda, &c, 0, 3, e))
			return lua_dbg_call(d, 4, 1, e);
		lua_pop(L, 1);
	}
	lua_pop(L, 1);
	return false;
}

static bool run_condition(struct debugger *d, struct breakpoint *b, const struct event *ev, bool *truth, struct err *e)
{
	lua_State *L = d->s->L;
	if (b->cond_ref < 0 && !compile_condition(d, b, e))
		return false;
	d->script.lua->in_callback++;
	bool ok = call_condition(d, b, ev, e);
	d->script.lua->in_callback--;
	if (!ok)
		return false;
	*truth = lua_toboolean(L, -1);
	lua_pop(L, 1);
	return true;
}

/* A condition that fails stops there, as gdb does: silence would hide the mistake. One that is interrupted has no
 * answer: no hit, and the machine stops at the end of the cycle. */
bool lua_dbg_condition(void *ctx, struct breakpoint *b, const struct event *ev)
{
	struct debugger *d = ctx;
	struct err e = {0};
	bool truth = false;
	char what[64];
	if (run_condition(d, b, ev, &truth, &e))
		return truth;
	lua_dbg_first_line(&e);
	if (b->internal) /* `until stat`'s: it has no number */
		snprintf(what, sizeof(what), "the condition");
	else
		snprintf(what, sizeof(what), "the condition of %s %u", b->kind == BK_WATCH ? "watchpoint" : "breakpoint",
		         b->id);
	if (e.interrupted) {
		lua_dbg_keep_cut(d, what);
		return false;
	}
	char failed[80];
	snprintf(failed, sizeof failed, "%s failed", what);
	lua_dbg_keep_error(d, failed, &e);
	return true;
}
