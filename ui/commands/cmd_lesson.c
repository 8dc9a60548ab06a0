/* lesson, answer, hint: a guided lesson (teach.h). */
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "commands/teach.h"
#include "session/rules.h"

void lesson_list(const char *data_dir, struct strbuf *out)
{
	struct lesson_files all = lessons_find(data_dir);
	size_t width = 0;
	for (u32 i = 0; i < all.n; i++)
		width = MAX(width, strlen(all.file[i].name));
	for (u32 i = 0; i < all.n; i++) {
		const struct lesson_file *f = &all.file[i];
		if (f->number)
			strbuf_addf(out, "%3u", f->number);
		else
			strbuf_adds(out, "   ");
		if (f->broken)
			strbuf_addf(out, "  %-*s  error: %s\n", (int)width, f->name, f->title);
		else
			strbuf_addf(out, "  %-*s  %3u min  %-4s  %s\n", (int)width, f->name, f->minutes, f->done ? "done" : "",
			            f->title);
	}
	lessons_release(&all);
}

static bool under_way(struct debugger *d, const char *command, struct err *e)
{
	return d->shell->teaching ||
	       err_set(e, "%s: there is no lesson; `lesson list` shows all, `lesson NAME` begins one", command);
}

/* The machine is needed, and nobody may be using it. */
static bool is_free(struct debugger *d, const char *command, struct err *e)
{
	if (lua_dbg_in_callback(d) || d->run.in_run || (d->shell->teaching && d->shell->teaching->asking))
		return err_set(e, "%s: the machine is running", command);
	return d->run.goal.kind == GOAL_NONE || err_set(e, "%s: a run is under way", command);
}

static bool open_lesson(struct debugger *d, const char *asked, struct strbuf *out, struct err *e)
{
	char *path = lesson_path(d->s->data_dir, asked, e);
	const bool fresh = !d->shell->lesson_is_open;
	d->shell->lesson_is_open = false;
	const bool ok = path && may_use_files(d, "lesson", e) && teach_begin(d, path, fresh, out, e);
	if (!ok)
		err_prefix(e, "lesson: ");
	free(path);
	return ok;
}

static bool restart_lesson(struct debugger *d, struct strbuf *out, struct err *e)
{
	char *path = xstrdup(d->shell->teaching->l->path);
	const bool ok = teach_begin(d, path, true, out, e);
	free(path);
	return ok;
}

static bool end_it(struct debugger *d, struct strbuf *out, struct err *e)
{
	teach_end(d);
	strbuf_adds(out, "The lesson has ended; the machine stays as it is.\n");
	return true;
}

static const struct lesson_word {
	const char *name;
	bool (*fn)(struct debugger *d, struct strbuf *out, struct err *e);
} words[] = {
    {"next", teach_next}, {"back", teach_back}, {"skip", teach_skip}, {"restart", restart_lesson}, {"off", end_it}};

/* The word, or what begins only one of them. */
static const struct lesson_word *find_word(const char *text)
{
	const struct lesson_word *found = NULL;
	for (u32 i = 0; i < ARRAY_LEN(words); i++) {
		if (!strcmp(text, words[i].name))
			return &words[i];
		if (!strncmp(text, words[i].name, strlen(text))) {
			if (found)
				return NULL;
			found = &words[i];
		}
	}
	return found;
}

bool cmd_lesson(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	const struct lesson_word *w = *args ? find_word(args) : NULL;
	if (!strcmp(args, "list")) {
		lesson_list(d->s->data_dir, out);
		return true;
	}
	if (!is_free(d, "lesson", e))
		return false;
	if (*args && !w)
		return open_lesson(d, args, out, e);
	if (!under_way(d, "lesson", e))
		return false;
	if (w)
		return w->fn(d, out, e);
	teach_show(d, out);
	return true;
}

bool cmd_answer(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	return under_way(d, "answer", e) && is_free(d, "answer", e) && teach_answer(d, args, out, e);
}

bool cmd_hint(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	return under_way(d, "hint", e) && arg_none(args, "hint", e) && teach_hint(d, out, e);
}

void lesson_each_word(struct debugger *d, void (*offer)(void *ctx, const char *text), void *ctx)
{
	struct rule_files all = scripts_find(d->s->data_dir, "lessons", "WARPDBG_LESSONS");
	for (u32 i = 0; i < ARRAY_LEN(words); i++)
		offer(ctx, words[i].name);
	offer(ctx, "list");
	for (u32 i = 0; i < all.n; i++)
		offer(ctx, all.rule[i].name);
	rules_release(&all);
}
