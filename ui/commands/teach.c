#include "commands/teach.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/wrap.h"
#include "commands/commands.h"
#include "dbg/scope.h"
#include "dbg/whatif.h"
#include "views/frame.h"

static struct teaching *teaching_of(const struct debugger *d)
{
	return d->shell->teaching;
}

static const struct lesson_step *step_of(const struct teaching *t)
{
	return &t->l->step[t->at];
}

static u32 width_of(const struct debugger *d)
{
	return d->report.columns ? MIN(d->report.columns, 100u) : WRAP_WIDTH;
}

static void say(const struct debugger *d, const char *text, struct strbuf *out)
{
	lesson_text(text, width_of(d), out);
}

/* --- what displays keep in sight, and what Enter does --- */

bool teach_goes_on(const struct debugger *d)
{
	const struct teaching *t = teaching_of(d);
	return t && !t->over && (t->done || step_of(t)->kind == LESSON_READ);
}

static void remind(struct debugger *d)
{
	const struct teaching *t = teaching_of(d);
	char *to = d->report.reminder;
	const size_t size = sizeof d->report.reminder;
	*to = 0;
	if (!t)
		return;
	if (t->over)
		d->shell->repeat[0] = 0;
	if (t->over)
		snprintf(to, size, "lesson done: lesson list");
	else if (teach_goes_on(d))
		snprintf(to, size, "%u/%u %s: Enter", t->at + 1, t->l->nsteps, t->done ? "done, go on" : "go on");
	else
		snprintf(to, size, "%u/%u %s", t->at + 1, t->l->nsteps, step_of(t)->task);
}

/* --- its texts --- */

static void show_wanted(const struct debugger *d, const struct lesson_step *s, struct strbuf *out)
{
	switch (s->kind) {
	case LESSON_NUMBER:
	case LESSON_PREDICT:
		strbuf_addf(out, "> answer NUMBER%s%s%s\n", *s->unit ? " (" : "", s->unit, *s->unit ? ")" : "");
		break;
	case LESSON_WORD: strbuf_adds(out, "> answer TEXT\n"); break;
	case LESSON_CHOICE: {
		struct strbuf all = STRBUF_INIT;
		strbuf_adds(&all, "> answer");
		for (u32 i = 0; i < s->choice.n; i++)
			strbuf_addf(&all, "%s %u: %s", i ? "," : "", i + 1, s->choice.text[i]);
		text_wrap(strbuf_str(&all), 0, width_of(d), out);
		strbuf_release(&all);
		break;
	}
	default: break;
	}
}

void teach_show(struct debugger *d, struct strbuf *out)
{
	const struct teaching *t = teaching_of(d);
	const struct lesson_step *s = step_of(t);
	strbuf_addf(out, "--- %s, step %u of %u ---\n", t->l->title, t->at + 1, t->l->nsteps);
	say(d, s->text, out);
	if (t->done || s->kind == LESSON_READ)
		strbuf_adds(out, t->over ? "The lesson is done.\n" : "Enter: go on\n");
	else
		show_wanted(d, s, out);
}

/* Why a function of the lesson's has failed; the step can still be passed over. */
static void tell_broken(struct debugger *d, const struct err *x, struct strbuf *out)
{
	if (x->interrupted) {
		strbuf_adds(out, "Interrupted.\n");
		return;
	}
	teaching_of(d)->broken = true;
	strbuf_addf(out, "The lesson itself has failed: %s\n`lesson skip` passes over this step.\n", x->msg);
}

/* What scripts print in a lesson's function is lost in the middle of a text: it comes before. */
static bool call(struct debugger *d, const char *field, int nargs, int nresults, struct strbuf *out, struct err *e)
{
	struct teaching *t = teaching_of(d);
	t->asking = true;
	const bool ok = lesson_call(d->s->L, t->l, t->at, field, nargs, nresults, e);
	t->asking = false;
	take_output(d, out);
	return ok;
}

/* --- steps --- */

/* Executes lines as if they had been typed; what they say is not shown. */
static bool execute_lines(struct debugger *d, const struct text_list *lines, const char *what, struct err *e)
{
	struct strbuf unused = STRBUF_INIT;
	bool ok = true;
	for (u32 i = 0; ok && i < lines->n; i++) {
		ok = debugger_execute(d, lines->text[i], &unused, e);
		if (ok && d->run.goal.kind != GOAL_NONE)
			goal_drive(d, &unused);
		if (ok)
			whatif_drive(d, &unused);
		if (!ok)
			err_prefix(e, "%s: '%.60s': ", what, lines->text[i]);
	}
	strbuf_release(&unused);
	return ok;
}

static void enter_step(struct debugger *d, u32 at, struct strbuf *out)
{
	struct teaching *t = teaching_of(d);
	struct err x = {0};
	char what[60];
	free(t->said);
	t->said = NULL;
	t->at = at;
	t->done = t->over = t->broken = false;
	t->hints = t->wrong = 0;
	t->fresh = true;
	t->command[0] = t->args[0] = 0;
	snprintf(what, sizeof what, "step %u, 'setup'", at + 1);
	t->asking = true;
	if (!execute_lines(d, &step_of(t)->setup, what, &x)) {
		err_prefix(&x, "%s: ", t->l->path);
		tell_broken(d, &x, out);
	}
	t->asking = false;
	t->command[0] = t->args[0] = 0;
	teach_show(d, out);
	remind(d);
}

static void end_lesson(struct debugger *d, struct strbuf *out)
{
	struct teaching *t = teaching_of(d);
	t->over = true;
	strbuf_addf(out, "--- %s: the lesson is %s ---\n", t->l->title, t->skipped ? "over" : "done");
	if (t->skipped)
		strbuf_adds(out, "Steps were passed over, so it does not count as done.\n");
	if (!t->skipped && !lesson_mark_done(t->l->name))
		strbuf_adds(out, "(That cannot be kept: there is no file for it to be written to.)\n");
	struct lesson_files all = lessons_find(d->s->data_dir);
	for (u32 i = 0; i < all.n; i++)
		if (all.file[i].number == t->l->number + 1 && t->l->number && !all.file[i].broken)
			strbuf_addf(out, "`lesson %s` opens the next: %s.\n", all.file[i].name, all.file[i].title);
	lessons_release(&all);
	strbuf_adds(out, "`lesson list` shows all of them. The machine is still yours to look at.\n");
	remind(d);
}

/* What is said at a step's end, as one text with the words before it. */
static void say_after(struct debugger *d, const char *first, const char *after, struct strbuf *out)
{
	struct strbuf all = STRBUF_INIT;
	strbuf_addf(&all, "%s%s%s", first, *first ? " " : "", after + strspn(after, " \t\n"));
	say(d, strbuf_str(&all), out);
	strbuf_release(&all);
}

/* The step is done; given: what was answered, NULL: nothing was. first: what is said of it anyway. */
static void finish(struct debugger *d, const char *first, const double *given, struct strbuf *out)
{
	struct teaching *t = teaching_of(d);
	const struct lesson_step *s = step_of(t);
	struct err x = {0};
	lua_State *L = d->s->L;
	t->done = true;
	if (s->after) {
		say_after(d, first, s->after, out);
	} else if (lesson_has(L, t->l, t->at, "after")) {
		if (given)
			lua_pushnumber(L, *given);
		if (!call(d, "after", given != NULL, 1, out, &x)) {
			tell_broken(d, &x, out);
		} else {
			say_after(d, first, lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "", out);
			lua_pop(L, 1);
		}
	} else {
		say_after(d, first, "", out);
	}
	if (t->at + 1 == t->l->nsteps) {
		end_lesson(d, out);
		return;
	}
	strbuf_adds(out, "Enter: go on\n");
	remind(d);
}

/* --- beginning and ending --- */

void teach_end(struct debugger *d)
{
	struct teaching *t = teaching_of(d);
	if (!t)
		return;
	lesson_free(d->s->L, t->l);
	free(t->said);
	free(t->workload);
	free(t);
	d->shell->teaching = NULL;
	d->report.reminder[0] = 0;
}

static void rests(struct debugger *d, struct strbuf *out)
{
	teach_look(d, out);
}

static const struct debugger_follower follower = {.rests = rests};

/* What an earlier lesson, or its learner, has left. */
static void clear_breaks(struct debugger *d)
{
	static char *const lines[] = {"delete", "undisplay", "scope off"};
	const struct text_list all = {(char **)lines, ARRAY_LEN(lines)};
	for (u32 i = 0; i < all.n; i++) {
		struct err ignored = {0};
		struct strbuf unused = STRBUF_INIT;
		debugger_execute(d, all.text[i], &unused, &ignored);
		strbuf_release(&unused);
	}
}

bool teach_begin(struct debugger *d, const char *path, bool fresh, struct strbuf *out, struct err *e)
{
	char *name = lesson_name(path);
	struct lesson *l = lesson_load(d->s->L, name, path, e);
	struct strbuf unused = STRBUF_INIT;
	free(name);
	if (!l)
		return false;
	if (fresh && !open_afresh(d, "lesson", l->program, &unused, e)) {
		err_prefix(e, "%s: 'program': ", path);
		lesson_free(d->s->L, l);
		strbuf_release(&unused);
		return false;
	}
	strbuf_release(&unused);
	teach_end(d);
	if (fresh)
		clear_breaks(d);
	struct teaching *t = d->shell->teaching = xcalloc(1, sizeof *t);
	t->l = l;
	t->workload = xstrdup(d->s->opt->workload ? d->s->opt->workload : "");
	t->asking = true;
	const bool ok = execute_lines(d, &l->setup, "'setup'", e);
	t->asking = false;
	if (!ok) {
		err_prefix(e, "%s: ", path);
		teach_end(d);
		return false;
	}
	debugger_follow(d, &follower);
	if (l->number)
		strbuf_addf(out, "Lesson %u, some %u minutes.", l->number, l->minutes);
	else
		strbuf_addf(out, "A lesson of some %u minutes.", l->minutes);
	strbuf_adds(out, " `lesson` shows its text again, `hint` helps.\n");
	enter_step(d, 0, out);
	return true;
}

/* --- going on --- */

bool teach_next(struct debugger *d, struct strbuf *out, struct err *e)
{
	struct teaching *t = teaching_of(d);
	const struct lesson_step *s = step_of(t);
	if (t->over)
		return err_set(e, "lesson next: the lesson is over; `lesson list` shows all");
	if (!t->done && s->kind != LESSON_READ)
		return err_set(e, "lesson next: this step is not done: %s (`hint` helps, `lesson skip` passes over it)", s->task);
	if (t->at + 1 == t->l->nsteps)
		finish(d, "", NULL, out);
	else
		enter_step(d, t->at + 1, out);
	return true;
}

bool teach_back(struct debugger *d, struct strbuf *out, struct err *e)
{
	struct teaching *t = teaching_of(d);
	if (!t->at)
		return err_set(e, "lesson back: this is the first step");
	enter_step(d, t->at - 1, out);
	return true;
}

/* --- questions --- */

/* Asks the lesson for the right answer, which is left on the stack. */
static bool right_answer(struct debugger *d, const char *field, struct strbuf *out, struct err *e)
{
	return call(d, field, 0, 1, out, e);
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
		if (!call(d, "wrong", 2, 1, out, &x)) {
			tell_broken(d, &x, out);
			lua_settop(L, top);
			return;
		}
		if (lua_type(L, -1) == LUA_TSTRING) {
			say(d, lua_tostring(L, -1), out);
			lua_settop(L, top);
			return;
		}
	}
	lua_settop(L, top);
	const struct lesson_step *s = step_of(t);
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
	const struct lesson_step *s = step_of(t);
	struct err x = {0};
	double given, right;
	if (!answer_number(text, s->unit, &given, e))
		return false;
	if (!right_number(d, &right, out, &x)) {
		tell_broken(d, &x, out);
		return true;
	}
	struct strbuf told = STRBUF_INIT;
	if (is_near(given, right, s->within)) {
		strbuf_adds(&told, "Right: ");
		print_with_unit(right, s->unit, &told);
		strbuf_addc(&told, '.');
		finish(d, strbuf_str(&told), &given, out);
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
	const struct lesson_step *s = step_of(t);
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
	    (step_of(t)->kind == LESSON_CHOICE && !is_a_choice(t, right, &x))) {
		tell_broken(d, &x, out);
	} else if (same) {
		struct strbuf told = STRBUF_INIT;
		strbuf_addf(&told, "Right: %s.", right);
		finish(d, strbuf_str(&told), NULL, out);
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
	if (!answer_number(text, step_of(t)->unit, &given, e))
		return false;
	lua_pushnumber(L, given);
	if (!call(d, "predict", 1, 1, out, &x)) {
		tell_broken(d, &x, out);
		return true;
	}
	const bool refused = lua_type(L, -1) == LUA_TSTRING;
	if (refused)
		say(d, lua_tostring(L, -1), out);
	lua_pop(L, 1);
	if (refused)
		return true;
	struct strbuf told = STRBUF_INIT;
	strbuf_adds(&told, "Noted: ");
	print_with_unit(given, step_of(t)->unit, &told);
	strbuf_addc(&told, '.');
	finish(d, strbuf_str(&told), &given, out);
	strbuf_release(&told);
	return true;
}

static bool is_question(enum lesson_kind k)
{
	return k == LESSON_NUMBER || k == LESSON_CHOICE || k == LESSON_WORD || k == LESSON_PREDICT;
}

/* Is the lesson's program still the one that is open? */
static bool is_open(const struct debugger *d)
{
	const char *now = d->s->opt->workload;
	return !strcmp(now ? now : "", teaching_of(d)->workload);
}

bool teach_answer(struct debugger *d, const char *text, struct strbuf *out, struct err *e)
{
	const struct teaching *t = teaching_of(d);
	const struct lesson_step *s = step_of(t);
	int i;
	if (t->done || t->over)
		return err_set(e, "answer: this step is done%s", t->over ? "" : "; Enter goes on");
	if (!is_question(s->kind))
		return err_set(e, "answer: there is no question in this step%s%s",
		               s->kind == LESSON_READ ? "; Enter goes on" : ". It asks you to do something: ",
		               s->kind == LESSON_READ ? "" : s->task);
	if (!*skip_blanks(text))
		return err_set(e, "answer: an answer is expected; `lesson` shows the question again");
	if (!is_open(d))
		return err_set(e, "answer: the lesson's program is not open; `lesson restart` opens it");
	switch (s->kind) {
	case LESSON_NUMBER: return answer_a_number(d, text, out, e);
	case LESSON_PREDICT: return predict(d, text, out, e);
	case LESSON_WORD: return answer_a_text(d, text, "word", out);
	default:
		i = answer_choice(text, &s->choice, e);
		return i >= 0 && answer_a_text(d, s->choice.text[i], "right", out);
	}
}

void teach_each_choice(struct debugger *d, void (*offer)(void *ctx, const char *text), void *ctx)
{
	const struct teaching *t = teaching_of(d);
	for (u32 i = 0; t && !t->done && i < step_of(t)->choice.n; i++)
		offer(ctx, step_of(t)->choice.text[i]);
}

bool teach_hint(struct debugger *d, struct strbuf *out, struct err *e)
{
	struct teaching *t = teaching_of(d);
	const struct lesson_step *s = step_of(t);
	if (t->done || t->over || s->kind == LESSON_READ)
		return err_set(e, "hint: there is nothing to find in this step%s", t->over ? "" : "; Enter goes on");
	if (!s->hints.n)
		return err_set(e, "hint: this step has none; `lesson skip` passes over it");
	say(d, s->hints.text[MIN(t->hints, s->hints.n - 1)], out);
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
	const struct lesson_step *s = step_of(t);
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
		end_lesson(d, out);
	else
		enter_step(d, t->at + 1, out);
	return true;
}

/* --- things to be done --- */

void teach_heard(struct debugger *d, const char *command, const char *args)
{
	struct teaching *t = teaching_of(d);
	if (!t || t->asking || !strcmp(command, "lesson") || !strcmp(command, "hint"))
		return;
	t->fresh = false;
	snprintf(t->command, sizeof t->command, "%s", command);
	snprintf(t->args, sizeof t->args, "%s", args);
}

static const char *view_of(const struct debugger *d)
{
	return d->screen ? views[d->screen->view]->name : "";
}

static int push_now(lua_State *L, void *ctx)
{
	struct debugger *d = ctx;
	const struct teaching *t = teaching_of(d);
	u64 from, to;
	lua_createtable(L, 0, 7);
	lua_dbg_set_word(L, "view", view_of(d));
	lua_dbg_set_flag(L, "finished", d->s->finished);
	lua_dbg_set_word(L, "reason", d->run.stop_reason);
	lua_dbg_set_word(L, "command", t->command);
	lua_dbg_set_word(L, "args", t->args);
	if (!scope_range(d, &from, &to))
		return 1;
	lua_createtable(L, 0, 3);
	lua_dbg_set_int(L, "from", (lua_Integer)from);
	lua_dbg_set_int(L, "to", (lua_Integer)to);
	if (d->scope.kind == SCOPE_LAUNCH)
		lua_dbg_set_int(L, "launch", d->scope.launch);
	lua_setfield(L, -2, "scope");
	return 1;
}

/* 1: done; 0: not yet; -1: it has failed. What it says, if it is something else than before, goes to out. */
static int ask_wait(struct debugger *d, struct strbuf *out, struct err *e)
{
	struct teaching *t = teaching_of(d);
	lua_State *L = d->s->L;
	if (!lua_guarded(L, push_now, d, 0, 1, e))
		return -1;
	lua_dbg_look_begins(d);
	const bool ok = call(d, "wait", 1, 2, out, e);
	lua_dbg_look_ends(d);
	if (!ok)
		return -1;
	const bool done = lua_toboolean(L, -2);
	const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
	if (text && !done && !t->fresh && (!t->said || strcmp(t->said, text) != 0)) {
		say(d, text, out);
		free(t->said);
		t->said = xstrdup(text);
	}
	lua_pop(L, 2);
	return done;
}

bool teach_view_changed(const struct debugger *d)
{
	const struct teaching *t = teaching_of(d);
	return t && t->view != view_of(d);
}

void teach_look(struct debugger *d, struct strbuf *out)
{
	struct teaching *t = teaching_of(d);
	struct err x = {0};
	if (!t || t->asking || d->run.state == DBG_QUIT || debugger_busy(d) || d->script.scripted || d->script.in_script)
		return;
	t->view = view_of(d);
	if (t->done || t->over || t->broken || step_of(t)->kind != LESSON_WAIT)
		return;
	if (!is_open(d)) {
		if (!t->elsewhere)
			strbuf_adds(out, "This is not the lesson's program: the lesson waits. `lesson restart` opens its program.\n");
		t->elsewhere = true;
		return;
	}
	t->elsewhere = false;
	const int done = ask_wait(d, out, &x);
	if (done < 0)
		tell_broken(d, &x, out);
	else if (done) {
		finish(d, "Done.", NULL, out);
	}
}
