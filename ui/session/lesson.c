#include "session/lesson.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "scr/canvas.h"

static const char *const of_lesson[] = {"number", "title", "minutes", "program", "setup", "steps", NULL};
static const char *const of_step[] = {"text",  "task", "setup",   "wait",  "number", "within", "unit", "choice",
                                      "right", "word", "predict", "wrong", "after",  "hints",  NULL};
/* The field that makes a step of a kind, and its type. */
static const struct {
	const char *field;
	int type;
} makes[LESSON_KINDS] = {
    [LESSON_WAIT] = {"wait", LUA_TFUNCTION},       [LESSON_NUMBER] = {"number", LUA_TFUNCTION},
    [LESSON_CHOICE] = {"choice", LUA_TTABLE},      [LESSON_WORD] = {"word", LUA_TFUNCTION},
    [LESSON_PREDICT] = {"predict", LUA_TFUNCTION},
};

static bool is_function(lua_State *L, int at, const char *field)
{
	const bool is = lua_getfield(L, at, field) == LUA_TFUNCTION;
	lua_pop(L, 1);
	return is;
}

static bool is_absent(lua_State *L, int at, const char *field)
{
	const bool is = lua_getfield(L, at, field) == LUA_TNIL;
	lua_pop(L, 1);
	return is;
}

/* A field that may only be a function. */
static bool check_function(lua_State *L, int at, const char *field, struct err *e)
{
	return is_absent(L, at, field) || is_function(L, at, field) || err_set(e, "has a '%s' that is no function", field);
}

static bool read_kind(lua_State *L, int at, struct lesson_step *s, struct err *e)
{
	for (u32 k = LESSON_WAIT; k < LESSON_KINDS; k++) {
		const int type = lua_getfield(L, at, makes[k].field);
		lua_pop(L, 1);
		if (type == LUA_TNIL)
			continue;
		if (type != makes[k].type)
			return err_set(e, "has a '%s' that is no %s", makes[k].field,
			               makes[k].type == LUA_TTABLE ? "list of strings" : "function");
		if (s->kind != LESSON_READ)
			return err_set(e, "has both '%s' and '%s': a step wants one thing", makes[s->kind].field, makes[k].field);
		s->kind = (enum lesson_kind)k;
	}
	return true;
}

/* Fields that mean something in steps of some kinds only. */
static bool fields_fit(lua_State *L, int at, const struct lesson_step *s, struct err *e)
{
	static const struct {
		const char *field;
		u32 kinds;
	} rows[] = {
	    {"unit", 1u << LESSON_NUMBER | 1u << LESSON_PREDICT},
	    {"within", 1u << LESSON_NUMBER},
	    {"right", 1u << LESSON_CHOICE},
	    {"wrong", 1u << LESSON_NUMBER | 1u << LESSON_CHOICE | 1u << LESSON_WORD},
	    {"task", ~(1u << LESSON_READ)},
	    {"hints", ~(1u << LESSON_READ)},
	};
	for (u32 i = 0; i < ARRAY_LEN(rows); i++)
		if (!(rows[i].kinds >> s->kind & 1) && !is_absent(L, at, rows[i].field))
			return err_set(e, "has a '%s', which means nothing without %s", rows[i].field,
			               !strcmp(rows[i].field, "right") ? "'choice'"
			               : s->kind == LESSON_READ        ? "something to do or to answer"
			                                               : "a 'number' to answer");
	if (s->kind == LESSON_CHOICE && !is_function(L, at, "right"))
		return err_set(e, "has a 'choice' without 'right', a function that returns the right one");
	return true;
}

/* after: a string, or a function that returns one. */
static bool read_after(lua_State *L, int at, struct lesson_step *s, struct err *e)
{
	if (is_function(L, at, "after"))
		return true;
	if (!lua_field_text(L, at, "after", false, &s->after, e)) {
		err_clear(e);
		return err_set(e, "has an 'after' that is neither a string nor a function");
	}
	return true;
}

static bool read_task(lua_State *L, int at, struct lesson_step *s, struct err *e)
{
	if (!lua_field_text(L, at, "task", s->kind != LESSON_READ, &s->task, e))
		return false;
	if (s->task && (utf8_width(s->task) > LESSON_TASK_MAX || strchr(s->task, '\n')))
		return err_set(e, "has a 'task' of %d characters; it is one line of at most %d", utf8_width(s->task),
		               LESSON_TASK_MAX);
	return true;
}

static bool read_step(lua_State *L, int at, struct lesson_step *s, struct err *e)
{
	s->within = LESSON_WITHIN;
	bool ok = lua_fields_known(L, at, of_step, e) && lua_field_text(L, at, "text", true, &s->text, e) &&
	          read_kind(L, at, s, e) && fields_fit(L, at, s, e) && read_task(L, at, s, e) &&
	          lua_field_list(L, at, "setup", false, &s->setup, e) &&
	          (s->kind != LESSON_CHOICE || lua_field_list(L, at, "choice", true, &s->choice, e)) &&
	          lua_field_list(L, at, "hints", false, &s->hints, e) &&
	          lua_field_text(L, at, "unit", false, &s->unit, e) &&
	          lua_field_number(L, at, "within", 0, &s->within, e) && check_function(L, at, "wrong", e) &&
	          read_after(L, at, s, e);
	if (ok && !s->unit)
		s->unit = xstrdup("");
	return ok && (s->kind != LESSON_CHOICE || s->choice.n > 1 || err_set(e, "has a 'choice' of only one"));
}

/* A whole number; needed: it must be there. */
static bool read_whole(lua_State *L, int at, const char *field, bool needed, u32 *out, struct err *e)
{
	double v = 0;
	if (needed && is_absent(L, at, field))
		return err_set(e, "has no '%s', a number", field);
	if (!lua_field_number(L, at, field, 0, &v, e))
		return false;
	if (v != floor(v) || v > 1000)
		return err_set(e, "has a '%s' of %g; a whole number up to 1000 is expected", field, v);
	*out = (u32)v;
	return true;
}

static bool read_steps(lua_State *L, int at, struct lesson *l, struct err *e)
{
	const int type = lua_getfield(L, at, "steps"), steps = lua_gettop(L);
	if (type != LUA_TTABLE || !lua_rawlen(L, steps))
		return err_set(e, "has no 'steps', a list of tables");
	const u32 n = (u32)lua_rawlen(L, steps);
	l->step = xcalloc(n, sizeof *l->step);
	for (u32 i = 0; i < n; i++) {
		l->nsteps = i + 1;
		const bool is = lua_rawgeti(L, steps, (lua_Integer)i + 1) == LUA_TTABLE;
		const bool ok = is ? read_step(L, lua_gettop(L), &l->step[i], e)
		                   : err_set(e, "is a %s; a table is expected", luaL_typename(L, -1));
		if (!ok) {
			err_prefix(e, "step %u ", i + 1);
			return false;
		}
		lua_settop(L, steps);
	}
	lua_pop(L, 1);
	return true;
}

static bool read_lesson(lua_State *L, void *ctx, struct err *e)
{
	struct lesson *l = ctx;
	if (!lua_istable(L, 1))
		return err_set(e, "returns a %s; a table is expected (scripts/lessons/README.md)", luaL_typename(L, 1));
	if (!lua_fields_known(L, 1, of_lesson, e) || !lua_field_text(L, 1, "title", true, &l->title, e) ||
	    !read_whole(L, 1, "number", false, &l->number, e) || !read_whole(L, 1, "minutes", true, &l->minutes, e) ||
	    !lua_field_text(L, 1, "program", true, &l->program, e) || !lua_field_list(L, 1, "setup", false, &l->setup, e) ||
	    !read_steps(L, 1, l, e))
		return false;
	lua_settop(L, 1);
	l->ref = luaL_ref(L, LUA_REGISTRYINDEX);
	return true;
}

/* A program that lies beside the lesson's file is found from anywhere. */
static void program_beside(struct lesson *l)
{
	const size_t word = strcspn(l->program, " \t");
	const char *slash = strrchr(l->path, '/');
	struct strbuf beside = STRBUF_INIT;
	if (!slash || *l->program == '/' || !memchr(l->program, '.', word))
		return;
	strbuf_addf(&beside, "%.*s/%.*s", (int)(slash - l->path), l->path, (int)word, l->program);
	if (!access(strbuf_str(&beside), R_OK)) {
		strbuf_adds(&beside, l->program + word);
		free(l->program);
		l->program = beside.buf;
	} else {
		strbuf_release(&beside);
	}
}

struct lesson *lesson_load(lua_State *L, const char *name, const char *path, struct err *e)
{
	struct lesson *l = xcalloc(1, sizeof *l);
	const int top = lua_gettop(L);
	l->name = xstrdup(name);
	l->path = xstrdup(path);
	l->ref = LUA_NOREF;
	lua_budget(L, LUA_BUDGET_CALLBACK);
	bool ok = lua_load_alone(L, path, e) && lua_call_traced(L, 0, 1, e);
	if (ok && !lua_checked(L, read_lesson, l, 1, 0, e)) {
		err_prefix(e, "%s: the lesson ", path);
		ok = false;
	}
	lua_settop(L, top);
	if (ok) {
		program_beside(l);
		return l;
	}
	e->msg[strcspn(e->msg, "\n")] = 0; /* without the traceback */
	lesson_free(L, l);
	return NULL;
}

static void step_release(struct lesson_step *s)
{
	char *const texts[] = {s->text, s->task, s->unit, s->after};
	for (u32 i = 0; i < ARRAY_LEN(texts); i++)
		free(texts[i]);
	text_list_release(&s->setup);
	text_list_release(&s->choice);
	text_list_release(&s->hints);
}

void lesson_free(lua_State *L, struct lesson *l)
{
	if (!l)
		return;
	if (L)
		luaL_unref(L, LUA_REGISTRYINDEX, l->ref);
	for (u32 i = 0; i < l->nsteps; i++)
		step_release(&l->step[i]);
	free(l->step);
	text_list_release(&l->setup);
	free(l->name);
	free(l->path);
	free(l->title);
	free(l->program);
	free(l);
}

/* --- calls --- */

struct wanted {
	const struct lesson *l;
	u32 step;
	const char *field;
};

static int push_field(lua_State *L, void *ctx)
{
	const struct wanted *w = ctx;
	lua_rawgeti(L, LUA_REGISTRYINDEX, w->l->ref);
	lua_getfield(L, -1, "steps");
	lua_rawgeti(L, -1, (lua_Integer)w->step + 1);
	lua_getfield(L, -1, w->field);
	return 1;
}

bool lesson_has(lua_State *L, const struct lesson *l, u32 i, const char *field)
{
	struct wanted w = {l, i, field};
	if (!lua_guarded(L, push_field, &w, 0, 1, NULL))
		return false;
	const bool is = lua_isfunction(L, -1);
	lua_pop(L, 1);
	return is;
}

bool lesson_call(lua_State *L, const struct lesson *l, u32 i, const char *field, int nargs, int nresults, struct err *e)
{
	struct wanted w = {l, i, field};
	const int below = lua_gettop(L) - nargs;
	bool ok = lua_guarded(L, push_field, &w, 0, 1, e);
	if (ok) {
		lua_insert(L, below + 1);
		lua_budget(L, LUA_BUDGET_CALLBACK);
		ok = lua_call_traced(L, nargs, nresults, e);
	}
	if (ok)
		return true;
	lua_settop(L, below);
	e->msg[strcspn(e->msg, "\n")] = 0;
	err_prefix(e, "%s: step %u, '%s': ", l->path, i + 1, field);
	return false;
}
