/* Which lessons there are, and which are done. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/args.h"
#include "base/state_file.h"
#include "base/strbuf.h"
#include "conf/conf.h"
#include "session/lesson.h"
#include "session/rules.h"

static int by_number(const void *a, const void *b)
{
	const struct lesson_file *x = a, *y = b;
	if (x->number != y->number) /* those without a number come last */
		return x->number - 1 < y->number - 1 ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* What the list says of a file, which is loaded for it: into a state of its own, without a machine. */
static struct lesson_file read_head(const char *data_dir, const struct rule_file *file)
{
	struct lesson_file f = {.name = xstrdup(file->name), .path = xstrdup(file->path)};
	struct err e = {0};
	lua_State *L = lua_sandbox_new(NULL, data_dir, false);
	struct lesson *l = L ? lesson_load(L, file->name, file->path, &e) : NULL;
	f.broken = !l;
	f.title = xstrdup(l ? l->title : e.set ? e.msg : "no memory");
	f.program = xstrdup(l ? l->program : "");
	if (l) {
		f.number = l->number;
		f.minutes = l->minutes;
		f.done = lesson_is_done(l->name);
	}
	lesson_free(L, l);
	if (L)
		lua_sandbox_free(L);
	return f;
}

struct lesson_files lessons_find(const char *data_dir)
{
	struct rule_files found = scripts_find(data_dir, "lessons", "WARPDBG_LESSONS");
	struct lesson_files all = {.file = xcalloc(MAX(found.n, 1u), sizeof *all.file), .n = found.n};
	for (u32 i = 0; i < found.n; i++)
		all.file[i] = read_head(data_dir, &found.rule[i]);
	qsort(all.file, all.n, sizeof *all.file, by_number);
	rules_release(&found);
	return all;
}

void lessons_release(struct lesson_files *all)
{
	for (u32 i = 0; i < all->n; i++) {
		free(all->file[i].name);
		free(all->file[i].path);
		free(all->file[i].title);
		free(all->file[i].program);
	}
	free(all->file);
	*all = (struct lesson_files){0};
}

char *lesson_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	const size_t n = strlen(base);
	return xstrndup(base, n > 4 && !strcmp(base + n - 4, ".lua") ? n - 4 : n);
}

static bool is_path(const char *asked)
{
	const size_t n = strlen(asked);
	return strchr(asked, '/') || (n > 4 && !strcmp(asked + n - 4, ".lua"));
}

char *lesson_path(const char *data_dir, const char *asked, struct err *e)
{
	if (is_path(asked)) {
		if (!access(asked, R_OK))
			return xstrdup(asked);
		err_set(e, "%s: %s", asked, strerror(errno));
		return NULL;
	}
	struct lesson_files all = lessons_find(data_dir);
	const char **names = xcalloc(MAX(all.n, 1u), sizeof *names);
	struct strbuf list = STRBUF_INIT;
	u64 number = 0;
	word_number(asked, &number);
	char *path = NULL;
	for (u32 i = 0; i < all.n; i++) {
		names[i] = all.file[i].name;
		strbuf_addf(&list, " %s", names[i]);
		if (!path && (!strcmp(asked, names[i]) || (number && number == all.file[i].number)))
			path = xstrdup(all.file[i].path);
	}
	const char *near = path ? NULL : conf_nearest(asked, names, all.n);
	if (near)
		err_set(e, "no lesson '%.60s' (did you mean '%s'?)", asked, near);
	else if (!path)
		err_set(e, "no lesson '%.60s'; there are:%s", asked, strbuf_str(&list));
	strbuf_release(&list);
	free(names);
	lessons_release(&all);
	return path;
}

/* --- progress --- */

#define LINE_MAX_BYTES 200

bool lesson_is_done(const char *name)
{
	char path[2100], line[LINE_MAX_BYTES];
	FILE *f = state_file("lessons", path, sizeof path) ? fopen(path, "re") : NULL;
	bool found = false;
	while (f && !found && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\r\n")] = 0;
		found = !strcmp(line, name);
	}
	if (f)
		fclose(f);
	return found;
}

/* One write at the file's end: two programs that finish at once leave both names. */
bool lesson_mark_done(const char *name)
{
	char path[2100];
	if (lesson_is_done(name))
		return true;
	const int fd =
	    state_file("lessons", path, sizeof path) ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
	if (fd < 0)
		return false;
	struct strbuf line = STRBUF_INIT;
	/* A damaged file may end within a line: the name then begins one. */
	if (lseek(fd, 0, SEEK_END) > 0)
		strbuf_addc(&line, '\n');
	strbuf_addf(&line, "%s\n", name);
	const bool ok = write(fd, line.buf, line.len) == (ssize_t)line.len;
	strbuf_release(&line);
	return !close(fd) && ok;
}
