#include "session/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "session/catalog.h"

static void add(struct rule_files *r, const char *name, char *path)
{
	for (u32 i = 0; i < r->n; i++)
		if (!strcmp(r->rule[i].name, name)) {
			free(r->rule[i].path);
			r->rule[i].path = path;
			return;
		}
	r->rule = xrealloc(r->rule, (r->n + 1) * sizeof *r->rule);
	r->rule[r->n++] = (struct rule_file){xstrdup(name), path};
}

static void add_folder(struct rule_files *r, const char *dir, const char *sub)
{
	struct file_names all = catalog_names(dir, sub);
	for (u32 i = 0; i < all.n; i++) {
		struct strbuf path = STRBUF_INIT;
		strbuf_addf(&path, "%s/%s/%s.lua", dir, sub, all.name[i]);
		if (strcmp(all.name[i], "lib") != 0)
			add(r, all.name[i], path.buf);
		else
			strbuf_release(&path);
	}
	catalog_release(&all);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct rule_file *)a)->name, ((const struct rule_file *)b)->name);
}

struct rule_files scripts_find(const char *data_dir, const char *folder, const char *variable)
{
	struct rule_files r = {0};
	const char *home = getenv("HOME"), *more = getenv(variable);
	char sub[200];
	snprintf(sub, sizeof sub, "scripts/%s", folder);
	add_folder(&r, data_dir, sub);
	snprintf(sub, sizeof sub, ".warpdbg/%s", folder);
	if (home && *home)
		add_folder(&r, home, sub);
	while (more && *more) {
		const size_t n = strcspn(more, ":");
		char *dir = xstrndup(more, n);
		if (n)
			add_folder(&r, dir, ".");
		free(dir);
		more += n + (more[n] == ':');
	}
	if (r.n)
		qsort(r.rule, r.n, sizeof *r.rule, by_name);
	return r;
}

struct rule_files rules_find(const char *data_dir)
{
	return scripts_find(data_dir, "diagnose", "WARPDBG_DIAGNOSE");
}

void rules_release(struct rule_files *r)
{
	for (u32 i = 0; i < r->n; i++) {
		free(r->rule[i].name);
		free(r->rule[i].path);
	}
	free(r->rule);
	*r = (struct rule_files){0};
}
