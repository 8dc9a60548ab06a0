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

struct teaching *teaching_of(const struct debugger *d)
{
	return d->shell->teaching;
}

const struct lesson_step *teaching_step(const struct teaching *t)
{
	return &t->l->step[t->at];
}

static u32 width_of(const struct debugger *d)
{
	return d->report.columns ? MIN(d->report.columns, 100u) : WRAP_WIDTH;
}

void teach_say(const struct debugger *d, const char *text, struct strbuf *out)
{
	lesson_text(text, width_of(d), out);
}

/* --- what displays keep in sight, and what Enter does --- */

bool teach_goes_on(const struct debugger *d)
{
	const struct teaching *t = teaching_of(d);
	return t && !t->over && (t->done || teaching_step(t)->kind == LESSON_READ);
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
		snprintf(to, size, "%u/%u %s", t->at + 1, t->l->nsteps, teaching_step(t)->task);
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
	const struct lesson_step *s = teaching_step(t);
	strbuf_addf(out, "--- %s, step %u of %u ---\n", t->l->title, t->at + 1, t->l->nsteps);
	teach_say(d, s->text, out);
	if (t->done || s->kind == LESSON_READ)
		strbuf_adds(out, t->over ? "The lesson is done.\n" : "Enter: go on\n");
	else
		show_wanted(d, s, out);
}

void teach_tell_broken(struct debugger *d, const struct err *x, struct strbuf *out)
{
	if (x->interrupted) {
		strbuf_adds(out, "Interrupted.\n");
		return;
	}
	teaching_of(d)->broken = true;
	strbuf_addf(out, "The lesson itself has failed: %s\n`lesson skip` passes over this step.\n", x->msg);
}

bool teach_call(struct debugger *d, const char *field, int nargs, int nresults, struct strbuf *out, struct err *e)
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

void teach_enter(struct debugger *d, u32 at, struct strbuf *out)
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
	if (!execute_lines(d, &teaching_step(t)->setup, what, &x)) {
		err_prefix(&x, "%s: ", t->l->path);
		teach_tell_broken(d, &x, out);
	}
	t->asking = false;
	t->command[0] = t->args[0] = 0;
	teach_show(d, out);
	remind(d);
}

void teach_end_lesson(struct debugger *d, struct strbuf *out)
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
	teach_say(d, strbuf_str(&all), out);
	strbuf_release(&all);
}

void teach_finish(struct debugger *d, const char *first, const double *given, struct strbuf *out)
{
	struct teaching *t = teaching_of(d);
	const struct lesson_step *s = teaching_step(t);
	struct err x = {0};
	lua_State *L = d->s->L;
	t->done = true;
	if (s->after) {
		say_after(d, first, s->after, out);
	} else if (lesson_has(L, t->l, t->at, "after")) {
		if (given)
			lua_pushnumber(L, *given);
		if (!teach_call(d, "after", given != NULL, 1, out, &x)) {
			teach_tell_broken(d, &x, out);
		} else {
			say_after(d, first, lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "", out);
			lua_pop(L, 1);
		}
	} else {
		say_after(d, first, "", out);
	}
	if (t->at + 1 == t->l->nsteps) {
		teach_end_lesson(d, out);
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
	teach_enter(d, 0, out);
	return true;
}

/* --- going on --- */

bool teach_next(struct debugger *d, struct strbuf *out, struct err *e)
{
	struct teaching *t = teaching_of(d);
	const struct lesson_step *s = teaching_step(t);
	if (t->over)
		return err_set(e, "lesson next: the lesson is over; `lesson list` shows all");
	if (!t->done && s->kind != LESSON_READ)
		return err_set(e, "lesson next: this step is not done: %s (`hint` helps, `lesson skip` passes over it)",
		               s->task);
	if (t->at + 1 == t->l->nsteps)
		teach_finish(d, "", NULL, out);
	else
		teach_enter(d, t->at + 1, out);
	return true;
}

bool teach_back(struct debugger *d, struct strbuf *out, struct err *e)
{
	struct teaching *t = teaching_of(d);
	if (!t->at)
		return err_set(e, "lesson back: this is the first step");
	teach_enter(d, t->at - 1, out);
	return true;
}

bool teach_is_open(const struct debugger *d)
{
	const char *now = d->s->opt->workload;
	return !strcmp(now ? now : "", teaching_of(d)->workload);
}

/* --- things to be done --- */

void teach_heard(struct debugger *d, const char *command, const char *args)
{
	struct teaching *t = teaching_of(d);
	if (!t || t->asking || !strcmp(command, "lesson") || !strcmp(command, "hint"))
		return;
	t->fresh = false;
	t->due = true;
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
	const bool ok = teach_call(d, "wait", 1, 2, out, e);
	lua_dbg_look_ends(d);
	if (!ok)
		return -1;
	const bool done = lua_toboolean(L, -2);
	const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
	if (text && !done && !t->fresh && (!t->said || strcmp(t->said, text) != 0)) {
		teach_say(d, text, out);
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

/* Queued lines may follow. */
static bool is_at_rest(const struct debugger *d)
{
	return d->run.goal.kind == GOAL_NONE && !rival_behind(d) && !whatif_running(d);
}

void teach_look_first(struct debugger *d, struct strbuf *out)
{
	if (teaching_of(d) && teaching_of(d)->due)
		teach_look(d, out);
}

void teach_look(struct debugger *d, struct strbuf *out)
{
	struct teaching *t = teaching_of(d);
	struct err x = {0};
	if (!t || t->asking || d->run.state == DBG_QUIT || !is_at_rest(d) || d->script.scripted || d->script.in_script)
		return;
	t->due = false;
	t->view = view_of(d);
	if (t->done || t->over || t->broken || teaching_step(t)->kind != LESSON_WAIT)
		return;
	if (!teach_is_open(d)) {
		if (!t->elsewhere)
			strbuf_adds(out,
			            "This is not the lesson's program: the lesson waits. `lesson restart` opens its program.\n");
		t->elsewhere = true;
		return;
	}
	t->elsewhere = false;
	const int done = ask_wait(d, out, &x);
	if (done < 0)
		teach_tell_broken(d, &x, out);
	else if (done) {
		teach_finish(d, "Done.", NULL, out);
	}
}
