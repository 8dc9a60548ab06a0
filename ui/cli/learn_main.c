#include "cli/learn_main.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/plain.h"
#include "commands/commands.h"
#include "session/catalog.h"
#include "session/cmdline.h"
#include "session/lesson.h"
#include "session/saved.h"

static void list_all(const char *data_dir)
{
	struct strbuf text = STRBUF_INIT;
	lesson_list(data_dir, &text);
	strbuf_adds(&text, "`warpdbg learn NAME` (or its number, or a file of your own) begins one.\n");
	plain_write(&text, stdout);
	strbuf_release(&text);
}

/* The lesson's path and its program, each to be freed. */
static bool find(const char *data_dir, const char *asked, char **path, char **program, struct err *e)
{
	lua_State *L = lua_sandbox_new(NULL, data_dir, false);
	*path = lesson_path(data_dir, asked, e);
	char *name = *path ? lesson_name(*path) : NULL;
	struct lesson *l = L && name ? lesson_load(L, name, *path, e) : NULL;
	if (l)
		*program = xstrdup(l->program);
	lesson_free(L, l);
	free(name);
	if (L)
		lua_sandbox_free(L);
	return l || e->set || err_set(e, "no memory");
}

/* The command line's options, and the lesson's program and machine on top of them. */
static bool with_program(struct options *all, struct options *o, const char *path, const char *program, struct err *e)
{
	struct options common = *o;
	common.command = "debug";
	common.workload = NULL;
	common.lesson = path;
	common.commands = NULL;
	common.ncommands = 0;
	if (cmdline_program(all, &common, "learn", program, e) != CMDLINE_OK) {
		err_prefix(e, "%s: 'program': ", path);
		return false;
	}
	all->commands = o->commands;
	all->ncommands = o->ncommands;
	o->commands = NULL;
	o->ncommands = 0;
	return true;
}

int learn_main(struct options *o, int (*open)(struct options *o))
{
	struct err e = {0};
	char *data_dir = catalog_data_dir(&e), *path = NULL, *program = NULL;
	struct options all = {0};
	int status = 2;
	if (data_dir && !o->workload) {
		list_all(data_dir);
		status = 0;
	} else if (data_dir && find(data_dir, o->workload, &path, &program, &e) && !e.set &&
	           with_program(&all, o, path, program, &e)) {
		saved_program(program);
		status = open(&all);
		cmdline_free(&all);
	}
	if (e.set)
		complain(&e);
	free(program);
	free(path);
	free(data_dir);
	return status;
}
