/* Steps that ask: answers, hints, passing over. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "commands/teach.h"

/* Asks the lesson for the right answer, which is left on the stack. */
static bool right_answer(struct debugger *d, const char *field, struct strbuf *out, struct err *e)
{
	return teach_call(d, field, 0, 1, out, e);
}

/* What the lesson says of a wrong answer; given and right are on the stack. */
static void tell_wrong(struct debugger *d, const char *plain, struct strbuf *out)
{
	struct teaching *t = teaching_of(d);
	lua_State *L = d->s->L;
	struct err x = {0};
	const int top = lua_gettop(L) - 2;
	t->wrong++;
	if (lesson_has(L, t->l, t->at, "wrong")) {
		if (!teach_call(d, "wrong", 2, 1, out, &x)) {
			teach_tell_broken(d, &x, out);
			lua_settop(L, top);
			return;
		}
		if (lua_type(L, -1) == LUA_TSTRING) {
			teach_say(d, lua_tostring(L, -1), out);
			lua_settop(L, top);
			return;
		}
	}
	lua_settop(L, top);
	const struct lesson_step *s = teaching_step(t);
	strbuf_addf(out, "%s%s\n", plain, s->hints.n > t->hints ? " `hint` helps." : "");
}

/* "1 CTA", "2 CTAs", "5 %" */
static void print_with_unit(double v, const char *unit, struct strbuf *out)
{
	const size_t n = strlen(unit);
	answer_print(v, out);
	if (n)
		strbuf_addf(out, " %.*s", (int)(v == 1 && n > 1 && unit[n - 1] == 's' ? n - 1 : n), unit);
}

static bool is_near(double given, double right, double within)
{
	return fabs(given - right) <= within * fabs(right) + 1e-9;
}

/* The right one as text. False with *e: the lesson's function returns what it must not. */
static bool right_number(struct debugger *d, double *right, struct strbuf *out, struct err *e)
{
	const struct teaching *t = teaching_of(d);
	lua_State *L = d->s->L;
	if (!right_answer(d, "number", out, e))
		return false;
	const bool is = lua_type(L, -1) == LUA_TNUMBER && isfinite(lua_tonumber(L, -1));
	*right = is ? lua_tonumber(L, -1) : 0;
	if (!is)
		err_set(e, "%s: step %u, 'number' returns a %s; a finite number is expected", t->l->path, t->at + 1,
		        luaL_typename(L, -1));
	lua_pop(L, 1);
	return is;
}

static bool answer_a_number(struct debugger *d, const char *text, struct strbuf *out, struct err *e)
{
	const struct teaching *t = teaching_of(d);
	const struct lesson_step *s = teaching_step(t);
	struct err x = {0};
	double given, right;
	if (!answer_number(text, s->unit, &given, e))
		return false;
	if (!right_number(d, &right, out, &x)) {
		teach_tell_broken(d, &x, out);
		return true;
	}
	struct strbuf told = STRBUF_INIT;
	if (is_near(given, right, s->within)) {
		strbuf_adds(&told, "Right: ");
		print_with_unit(right, s->unit, &told);
		strbuf_addc(&told, '.');
		teach_finish(d, strbuf_str(&told), &given, out);
	} else {
		strbuf_adds(&told, "Not ");
		print_with_unit(given, s->unit, &told);
		strbuf_addf(&told, ": that is too %s.", given > right ? "high" : "low");
		lua_pushnumber(d->s->L, given);
		lua_pushnumber(d->s->L, right);
		tell_wrong(d, strbuf_str(&told), out);
	}
	strbuf_release(&told);
	return true;
}

/* What `right` or `word` returned, as text of its own; a list gives its first. Is `given` among them? */
static bool right_text(struct debugger *d, const char *field, const char *given, char **right, bool *same,
                       struct strbuf *out, struct err *e)
{
	const struct teaching *t = teaching_of(d);
	lua_State *L = d->s->L;
	if (!right_answer(d, field, out, e))
		return false;
	const int at = lua_gettop(L);
	const u32 n = lua_istable(L, at) ? (u32)lua_rawlen(L, at) : 1;
	bool ok = n > 0;
	*same = false;
	for (u32 i = 0; ok && i < n; i++) {
		if (lua_istable(L, at))
			lua_rawgeti(L, at, i + 1);
		else
			lua_pushvalue(L, at);
		ok = lua_type(L, -1) == LUA_TSTRING;
		if (ok && !*right)
			*right = xstrdup(lua_tostring(L, -1));
		*same |= ok && given && answer_same(given, lua_tostring(L, -1));
		lua_pop(L, 1);
	}
	if (!ok)
		err_set(e, "%s: step %u, '%s' returns a %s; a string is expected", t->l->path, t->at + 1, field,
		        luaL_typename(L, at));
	lua_settop(L, at - 1);
	return ok;
}

/* The right one of a choice is one of its words. */
static bool is_a_choice(const struct teaching *t, const char *right, struct err *e)
{
	const struct lesson_step *s = teaching_step(t);
	for (u32 i = 0; i < s->choice.n; i++)
		if (!strcmp(right, s->choice.text[i]))
			return true;
	return err_set(e, "%s: step %u, 'right' returns '%.60s', which is none of the choices", t->l->path, t->at + 1,
	               right);
}

static bool answer_a_text(struct debugger *d, const char *given, const char *field, struct strbuf *out)
{
	const struct teaching *t = teaching_of(d);
	struct err x = {0};
	char *right = NULL;
	bool same;
	if (!right_text(d, field, given, &right, &same, out, &x) ||
	    (teaching_step(t)->kind == LESSON_CHOICE && !is_a_choice(t, right, &x))) {
		teach_tell_broken(d, &x, out);
	} else if (same) {
		struct strbuf told = STRBUF_INIT;
		strbuf_addf(&told, "Right: %s.", right);
		teach_finish(d, strbuf_str(&told), NULL, out);
		strbuf_release(&told);
	} else {
		struct strbuf told = STRBUF_INIT;
		strbuf_addf(&told, "Not %.60s.", given);
		lua_pushstring(d->s->L, given);
		lua_pushstring(d->s->L, right);
		tell_wrong(d, strbuf_str(&told), out);
		strbuf_release(&told);
	}
	free(right);
	return true;
}

/* A prediction is kept by the lesson, which may refuse what makes no sense. */
static bool predict(struct debugger *d, const char *text, struct strbuf *out, struct err *e)
{
	const struct teaching *t = teaching_of(d);
	lua_State *L = d->s->L;
	struct err x = {0};
	double given;
	if (!answer_number(text, teaching_step(t)->unit, &given, e))
		return false;
	lua_pushnumber(L, given);
	if (!teach_call(d, "predict", 1, 1, out, &x)) {
		teach_tell_broken(d, &x, out);
		return true;
	}
	const bool refused = lua_type(L, -1) == LUA_TSTRING;
	if (refused)
		teach_say(d, lua_tostring(L, -1), out);
	lua_pop(L, 1);
	if (refused)
		return true;
	struct strbuf told = STRBUF_INIT;
	strbuf_adds(&told, "Noted: ");
	print_with_unit(given, teaching_step(t)->unit, &told);
	strbuf_addc(&told, '.');
	teach_finish(d, strbuf_str(&told), &given, out);
	strbuf_release(&told);
	return true;
}

static bool is_question(enum lesson_kind k)
{
	return k == LESSON_NUMBER || k == LESSON_CHOICE || k == LESSON_WORD || k == LESSON_PREDICT;
}

bool teach_answer(struct debugger *d, const char *text, struct strbuf *out, struct err *e)
{
	const struct teaching *t = teaching_of(d);
	const struct lesson_step *s = teaching_step(t);
	int i;
	if (t->done || t->over)
		return err_set(e, "answer: this step is done%s", t->over ? "" : "; Enter goes on");
	if (!is_question(s->kind))
		return err_set(e, "answer: there is no question in this step%s%s",
		               s->kind == LESSON_READ ? "; Enter goes on" : ". It asks you to do something: ",
		               s->kind == LESSON_READ ? "" : s->task);
	if (!*skip_blanks(text))
		return err_set(e, "answer: an answer is expected; `lesson` shows the question again");
	if (!teach_is_open(d))
		return err_set(e, "answer: the lesson's program is not open; `lesson restart` opens it");
	switch (s->kind) {
	case LESSON_NUMBER: return answer_a_number(d, text, out, e);
	case LESSON_PREDICT: return predict(d, text, out, e);
	case LESSON_WORD: return answer_a_text(d, text, "word", out);
	default: i = answer_choice(text, &s->choice, e); return i >= 0 && answer_a_text(d, s->choice.text[i], "right", out);
	}
}

void teach_each_choice(struct debugger *d, void (*offer)(void *ctx, const char *text), void *ctx)
{
	const struct teaching *t = teaching_of(d);
	for (u32 i = 0; t && !t->done && i < teaching_step(t)->choice.n; i++)
		offer(ctx, teaching_step(t)->choice.text[i]);
}

bool teach_hint(struct debugger *d, struct strbuf *out, struct err *e)
{
	struct teaching *t = teaching_of(d);
	const struct lesson_step *s = teaching_step(t);
	if (t->done || t->over || s->kind == LESSON_READ)
		return err_set(e, "hint: there is nothing to find in this step%s", t->over ? "" : "; Enter goes on");
	if (!s->hints.n)
		return err_set(e, "hint: this step has none; `lesson skip` passes over it");
	teach_say(d, s->hints.text[MIN(t->hints, s->hints.n - 1)], out);
	t->hints = MIN(t->hints + 1, s->hints.n);
	if (t->hints < s->hints.n)
		strbuf_adds(out, "(`hint` again: another one)\n");
	else
		strbuf_addf(out, "(That was the last hint; `lesson skip` %s)\n",
		            is_question(s->kind) && s->kind != LESSON_PREDICT ? "shows the answer" : "passes over this step");
	return true;
}

bool teach_skip(struct debugger *d, struct strbuf *out, struct err *e)
{
	struct teaching *t = teaching_of(d);
	const struct lesson_step *s = teaching_step(t);
	struct err x = {0};
	double number;
	char *text = NULL;
	bool unused;
	if (t->over || t->done || s->kind == LESSON_READ)
		return teach_next(d, out, e);
	t->skipped = true;
	if (s->kind == LESSON_NUMBER && right_number(d, &number, out, &x)) {
		strbuf_adds(out, "The answer is ");
		print_with_unit(number, s->unit, out);
		strbuf_adds(out, ".\n");
	} else if ((s->kind == LESSON_CHOICE || s->kind == LESSON_WORD) &&
	           right_text(d, s->kind == LESSON_CHOICE ? "right" : "word", NULL, &text, &unused, out, &x)) {
		strbuf_addf(out, "The answer is %s.\n", text);
	}
	free(text);
	if (t->at + 1 == t->l->nsteps)
		teach_end_lesson(d, out);
	else
		teach_enter(d, t->at + 1, out);
	return true;
}
