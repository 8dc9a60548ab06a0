#include "session/inspections.h"

#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "session/catalog.h"
#include "session/script_head.h"

#define FOLDER "scripts/inspect"

static bool is_inspection(const char *name)
{
	return strcmp(name, "lib") != 0; /* what they share */
}

char *inspection_path(const char *data_dir, const char *name)
{
	struct strbuf path = STRBUF_INIT;
	strbuf_addf(&path, "%s/" FOLDER "/%s.lua", data_dir, name);
	return path.buf;
}

static void head_of(const char *data_dir, const char *name, struct strbuf *out)
{
	char *path = inspection_path(data_dir, name);
	script_head(path, out);
	free(path);
}

void inspections_each(const char *data_dir, void (*fn)(void *ctx, const char *name, const char *says), void *ctx)
{
	struct file_names all = catalog_names(data_dir, FOLDER);
	struct strbuf head = STRBUF_INIT;
	for (u32 i = 0; i < all.n; i++) {
		if (!is_inspection(all.name[i]))
			continue;
		strbuf_clear(&head);
		head_of(data_dir, all.name[i], &head);
		strbuf_add(&head, "", 1);
		head.buf[strcspn(head.buf, "\n")] = 0;
		fn(ctx, all.name[i], head.buf);
	}
	strbuf_release(&head);
	catalog_release(&all);
}

bool inspection_known(const char *data_dir, const char *name, struct err *e)
{
	struct file_names all = catalog_names(data_dir, FOLDER);
	const char *names[64];
	struct strbuf list = STRBUF_INIT;
	u32 n = 0;
	bool found = false;
	for (u32 i = 0; i < all.n && n < ARRAY_LEN(names); i++)
		if (is_inspection(all.name[i])) {
			names[n++] = all.name[i];
			found |= !strcmp(all.name[i], name);
			strbuf_addf(&list, " %s", all.name[i]);
		}
	const char *near = found ? NULL : conf_nearest(name, names, n);
	if (near)
		err_set(e, "no inspection '%.40s' (did you mean '%s'?)", name, near);
	else if (!found)
		err_set(e, "no inspection '%.40s'; there are:%s", name, strbuf_str(&list));
	strbuf_release(&list);
	catalog_release(&all);
	return found;
}

void inspection_help(const char *data_dir, const char *name, struct strbuf *out)
{
	struct strbuf head = STRBUF_INIT;
	head_of(data_dir, name, &head);
	strbuf_addf(out, "inspect %s: ", name);
	strbuf_add(out, strbuf_str(&head), head.len);
	strbuf_addc(out, '\n');
	strbuf_release(&head);
}
