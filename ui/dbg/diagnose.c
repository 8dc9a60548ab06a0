#include "dbg/diagnose.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dbg/scope.h"
#include "lua/fields.h"
#include "obs/name/names.h"
#include "obs/record/line_rows.h"
#include "session/rules.h"
#include "session/state.h"

#define LIB "diagnose.lib"

/* Where things lie on the Lua stack while rules are asked. */
struct asking {
	struct session *s;
	lua_State *L;
	struct diagnosis *d;
	int look, info;    /* indices: a look at the machine, and what is not in it */
	struct finding *f; /* the one that is read */
};

static void finding_release(struct finding *f)
{
	char *const texts[] = {f->rule, f->path, f->title, f->place, f->cuda, f->code, f->remedy, f->test};
	for (u32 i = 0; i < ARRAY_LEN(texts); i++)
		free(texts[i]);
	text_list_release(&f->evidence);
	text_list_release(&f->uses);
}

void diagnosis_free(struct diagnosis *d)
{
	if (!d)
		return;
	for (u32 i = 0; i < d->n; i++)
		finding_release(&d->finding[i]);
	free(d->finding);
	text_list_release(&d->broken);
	free(d->program);
	free(d->kernel);
	free(d);
}

double diagnosis_percent(const struct diagnosis *d, const struct finding *f)
{
	return d->slots ? 100 * f->slots / (double)d->slots : 0;
}

/* --- calls of lib.lua --- */

/* Pushes a function of lib.lua. */
static int push_lib(lua_State *L, void *name)
{
	lua_getglobal(L, "require");
	lua_pushliteral(L, LIB);
	lua_call(L, 1, 1);
	lua_getfield(L, -1, name);
	return 1;
}

static bool look(struct session *s, struct err *e)
{
	lua_budget(s->L, LUA_BUDGET_HOST);
	return lua_guarded(s->L, push_lib, "look", 0, 1, e) && lua_call_traced(s->L, 0, 1, e);
}

/* A scope of its own for each rule: what one does to it no other sees. */
static bool push_scope(struct asking *a, struct err *e)
{
	lua_State *L = a->L;
	lua_budget(L, LUA_BUDGET_HOST);
	if (!lua_guarded(L, push_lib, "scope", 0, 1, e))
		return false;
	lua_pushvalue(L, a->look);
	lua_pushvalue(L, a->info);
	return lua_call_traced(L, 2, 1, e);
}

/* --- what a rule returns --- */

static const char *const fields[] = {"title", "slots", "of", "note", "at", "evidence", "remedy", "test", "uses", NULL};

static bool read_note(lua_State *L, int at, bool *out, struct err *e)
{
	const int type = lua_getfield(L, at, "note");
	if (type != LUA_TNIL && type != LUA_TBOOLEAN)
		return err_set(e, "has a 'note' that is neither true nor false");
	*out = lua_toboolean(L, -1);
	lua_pop(L, 1);
	return true;
}

static bool read_cost(struct asking *a, lua_State *L, int at, struct err *e)
{
	struct finding *f = a->f;
	const char *of = lua_getfield(L, at, "of") == LUA_TNIL ? "lost" : lua_tostring(L, -1);
	if (!of || (strcmp(of, "lost") != 0 && strcmp(of, "used") != 0))
		return err_set(e, "has an 'of' that is neither \"lost\" nor \"used\"");
	f->of_used = *of == 'u';
	const int type = lua_getfield(L, at, "slots");
	if (type != LUA_TNUMBER)
		return err_set(e, type == LUA_TNIL ? "has no 'slots', a number" : "has 'slots' that are no number");
	f->slots = lua_tonumber(L, -1);
	lua_pop(L, 2);
	const u64 most = f->of_used ? a->d->used : a->d->lost;
	if (!isfinite(f->slots) || f->slots < 0)
		return err_set(e, "has %g 'slots'; a number from 0 on is expected", f->slots);
	if (f->slots > (double)most * 1.000001 + 1)
		return err_set(e, "says it cost %.0f slots, more than the %llu that were %s", f->slots,
		               (unsigned long long)most, f->of_used ? "used" : "lost");
	return true;
}

/* at = {kernel =, pc =}, a row of scope.lines for example. */
static bool read_place(struct asking *a, lua_State *L, int at, struct err *e)
{
	struct finding *f = a->f;
	struct strbuf text = STRBUF_INIT;
	const int type = lua_getfield(L, at, "at");
	if (type == LUA_TNIL) {
		lua_pop(L, 1);
		f->place = xstrdup("");
		f->cuda = xstrdup("");
		f->code = xstrdup("");
		return true;
	}
	if (type != LUA_TTABLE || lua_getfield(L, -1, "kernel") != LUA_TNUMBER || lua_getfield(L, -2, "pc") != LUA_TNUMBER)
		return err_set(e, "has an 'at' that is no table with the numbers 'kernel' and 'pc'");
	const lua_Integer kernel = lua_tointeger(L, -2), pc = lua_tointeger(L, -1);
	const struct gpu *g = sim_gpu(a->s->sim);
	const struct module *m =
	    kernel >= 0 && kernel < (lua_Integer)gpu_num_kernels(g) ? module_of_launch(g, (s32)kernel) : NULL;
	if (!m || pc < 0 || pc >= (lua_Integer)m->ncode)
		return err_set(e, "is at pc %lld of launch %lld; there is no such instruction", pc, kernel);
	const struct line_row row = {.mod = m, .pc = (u32)pc};
	line_row_place(&row, LINE_BY_PTX, &text);
	f->place = xstrdup(strbuf_str(&text));
	strbuf_clear(&text);
	if (m->code[pc].src_line)
		line_row_place(&row, LINE_BY_CUDA, &text);
	f->cuda = xstrdup(strbuf_str(&text));
	strbuf_clear(&text);
	line_text(m, (u32)pc, &text);
	f->code = xstrdup(strbuf_str(&text));
	strbuf_release(&text);
	lua_pop(L, 3);
	return true;
}

static bool read_finding(struct asking *a, lua_State *L, int at, struct err *e)
{
	struct finding *f = a->f;
	return lua_fields_known(L, at, fields, e) && lua_field_text(L, at, "title", true, &f->title, e) &&
	       read_cost(a, L, at, e) && read_note(L, at, &f->note, e) && read_place(a, L, at, e) &&
	       lua_field_list(L, at, "evidence", true, &f->evidence, e) &&
	       lua_field_text(L, at, "remedy", true, &f->remedy, e) && lua_field_text(L, at, "test", true, &f->test, e) &&
	       lua_field_list(L, at, "uses", false, &f->uses, e);
}

/* One finding (it has a title), or a list of them; nil is none. */
static bool read_answer(lua_State *L, void *ctx, struct err *e)
{
	struct asking *a = ctx;
	struct diagnosis *d = a->d;
	if (lua_isnil(L, 1))
		return true;
	if (!lua_istable(L, 1))
		return err_set(e, "returns a %s; a finding, a list of findings or nil is expected", luaL_typename(L, 1));
	const bool one = lua_rawlen(L, 1) == 0 && (lua_pushnil(L), lua_next(L, 1) != 0);
	lua_settop(L, 1);
	const u32 n = one ? 1 : (u32)lua_rawlen(L, 1);
	for (u32 i = 1; i <= n; i++) {
		lua_settop(L, 1);
		if (!one)
			lua_rawgeti(L, 1, i);
		const int at = lua_gettop(L);
		if (!lua_istable(L, at))
			return err_set(e, "returns a list with a %s in it; findings are expected", luaL_typename(L, at));
		d->finding = xrealloc(d->finding, (d->n + 1) * sizeof *d->finding);
		a->f = &d->finding[d->n++];
		*a->f = (struct finding){0};
		if (!read_finding(a, L, at, e)) {
			err_prefix(e, "finding %u ", i);
			return false;
		}
	}
	return true;
}

/* --- rules --- */

static bool load_rule(struct asking *a, const struct rule_file *file, char where[300], struct err *e)
{
	lua_State *L = a->L;
	lua_Debug ar;
	lua_budget(L, LUA_BUDGET_CALLBACK);
	if (!lua_load_alone(L, file->path, e) || !lua_call_traced(L, 0, 1, e))
		return false;
	if (!lua_isfunction(L, -1) || lua_iscfunction(L, -1))
		return err_set(e, "%s: the file returns a %s; a function of a scope is expected (scripts/diagnose/README.md)",
		               file->path, luaL_typename(L, -1));
	lua_pushvalue(L, -1);
	lua_getinfo(L, ">S", &ar);
	snprintf(where, 300, "%s:%d", file->path, ar.linedefined);
	return true;
}

/* What was read of its answer before an error does not count. */
static void drop_findings(struct diagnosis *d, u32 from)
{
	while (d->n > from)
		finding_release(&d->finding[--d->n]);
}

/* False: interrupted. */
static bool ask(struct asking *a, const struct rule_file *file, struct err *e)
{
	lua_State *L = a->L;
	struct diagnosis *d = a->d;
	struct err bad = {0};
	char where[300] = "";
	const int top = lua_gettop(L);
	const u32 from = d->n;
	bool ok = load_rule(a, file, where, &bad) && push_scope(a, &bad);
	if (ok) {
		lua_budget(L, LUA_BUDGET_CALLBACK);
		ok = lua_call_traced(L, 1, 1, &bad);
	}
	if (ok && !lua_checked(L, read_answer, a, 1, 0, &bad)) {
		err_prefix(&bad, "%s: the rule that begins here: ", where);
		ok = false;
	}
	lua_settop(L, top);
	d->rules++;
	if (!ok) {
		drop_findings(d, from);
		bad.msg[strcspn(bad.msg, "\n")] = 0; /* without the traceback */
		text_list_add(&d->broken, bad.msg);
	}
	for (u32 i = from; i < d->n; i++) {
		d->finding[i].rule = xstrdup(file->name);
		d->finding[i].path = xstrdup(file->path);
	}
	return !bad.interrupted || err_pass(e, &bad);
}

static int by_cost(const void *x, const void *y)
{
	const struct finding *a = x, *b = y;
	if (a->slots != b->slots)
		return a->slots < b->slots ? 1 : -1;
	const int rule = strcmp(a->rule, b->rule);
	return rule ? rule : strcmp(a->place, b->place);
}

/* --- the scope --- */

static u64 whole(lua_State *L, int at, const char *field)
{
	lua_getfield(L, at, field);
	const lua_Integer v = luaL_checkinteger(L, -1);
	lua_pop(L, 1);
	return (u64)v;
}

/* The head of the report, from the same scope that rules get. */
static int read_head(lua_State *L, void *ctx)
{
	struct diagnosis *d = ctx;
	d->from = whole(L, 1, "from");
	d->to = whole(L, 1, "to");
	d->slots = whole(L, 1, "slots");
	d->used = whole(L, 1, "used");
	d->lost = whole(L, 1, "lost");
	lua_getfield(L, 1, "stalls");
	for (u32 i = 0; i < ST_COUNT; i++)
		d->reason[i] = whole(L, 2, stall_descs[i].name[TAX_BASE]);
	return 0;
}

static int push_info(lua_State *L, void *ctx)
{
	const struct asking *a = ctx;
	lua_createtable(L, 0, 2);
	if (a->d->launch >= 0) {
		lua_pushinteger(L, a->d->launch);
		lua_setfield(L, -2, "launch");
	}
	lua_pushboolean(L, a->s->finished);
	lua_setfield(L, -2, "finished");
	return 1;
}

static bool ask_all(struct asking *a, struct err *e)
{
	struct rule_files all = rules_find(a->s->data_dir);
	bool ok = push_scope(a, e) && lua_guarded(a->L, read_head, a->d, 1, 0, e);
	for (u32 i = 0; ok && i < all.n; i++)
		ok = ask(a, &all.rule[i], e);
	rules_release(&all);
	if (ok && a->d->n)
		qsort(a->d->finding, a->d->n, sizeof *a->d->finding, by_cost);
	return ok;
}

/* Of what figures are of now; launch >= 0: rules hear of it alone. */
static struct diagnosis *ask_of(struct session *s, s32 launch, struct err *e)
{
	lua_State *L = s->L;
	const int top = lua_gettop(L);
	struct diagnosis *d = xcalloc(1, sizeof *d);
	struct asking a = {.s = s, .L = L, .d = d, .look = top + 1, .info = top + 2};
	d->launch = launch;
	d->program = xstrdup(s->name ? s->name : "");
	bool ok = lua_checkstack(L, 20) && look(s, e) && lua_guarded(L, push_info, &a, 0, 1, e);
	if (ok && launch >= 0)
		d->kernel = xstrdup(gpu_launched(sim_gpu(s->sim), (u32)launch)->fn->name);
	else
		d->kernel = xstrdup("");
	ok = ok && ask_all(&a, e);
	lua_settop(L, top);
	lua_budget(L, LUA_BUDGET_HOST); /* of the script that asked, if there is one */
	if (ok)
		return d;
	diagnosis_free(d);
	return NULL;
}

struct diagnosis *diagnose(struct session *s, struct err *e)
{
	return ask_of(s, -1, e);
}

struct diagnosis *diagnose_launch(struct debugger *d, s32 launch, struct err *e)
{
	struct dbg_scope was;
	if (launch < 0)
		return diagnose(d->s, e);
	scope_keep(d, &was);
	struct diagnosis *of = scope_launch(d, (u32)launch, e) ? ask_of(d->s, launch, e) : NULL;
	scope_bring_back(d, &was);
	return of;
}
