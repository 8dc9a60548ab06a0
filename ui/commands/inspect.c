/* inspect: the ready inspections of scripts/inspect, listed, loaded when asked for, and reported. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "commands/inspect.h"
#include "session/catalog.h"

#define FOLDER "scripts/inspect"

static bool is_inspection(const char *name)
{
	return strcmp(name, "lib") != 0; /* what they share */
}

void inspections_each(struct debugger *d, void (*fn)(void *ctx, const char *name), void *ctx)
{
	struct file_names all = catalog_names(d->s->data_dir, FOLDER);
	for (u32 i = 0; i < all.n; i++)
		if (is_inspection(all.name[i]))
			fn(ctx, all.name[i]);
	catalog_release(&all);
}

/* What a script's first line says behind its name. */
static void add_line(struct debugger *d, const char *name, struct strbuf *out)
{
	struct strbuf path = STRBUF_INIT, text = STRBUF_INIT;
	struct err none = {0};
	strbuf_addf(&path, "%s/" FOLDER "/%s.lua", d->s->data_dir, name);
	const char *says = "";
	if (strbuf_read_file(&text, strbuf_str(&path), &none)) {
		const char *colon = strstr(strbuf_str(&text), ": ");
		says = colon ? colon + 2 : "";
	}
	strbuf_addf(out, "%-14s  %.*s\n", name, (int)strcspn(says, "\n"), says);
	strbuf_release(&path);
	strbuf_release(&text);
}

struct listing {
	struct debugger *d;
	struct strbuf *out;
};

static void list_one(void *ctx, const char *name)
{
	struct listing *l = ctx;
	add_line(l->d, name, l->out);
}

static bool is_word(const char *s)
{
	if (!isalpha((u8)*s))
		return false;
	while (isalnum((u8)*s) || *s == '_')
		s++;
	return !*s;
}

static bool find(struct debugger *d, const char *name, struct err *e)
{
	struct file_names all = catalog_names(d->s->data_dir, FOLDER);
	const char *names[64];
	u32 n = 0;
	bool found = false;
	for (u32 i = 0; i < all.n && n < ARRAY_LEN(names); i++)
		if (is_inspection(all.name[i]))
			names[n++] = all.name[i];
	for (u32 i = 0; i < n; i++)
		found |= !strcmp(names[i], name);
	const char *near = found ? NULL : conf_nearest(name, names, n);
	if (near)
		err_set(e, "no inspection '%.40s' (did you mean '%s'?); `print` shows a value", name, near);
	else if (!found)
		err_set(e, "no inspection '%.40s'; `inspect` lists them, `print` shows a value", name);
	catalog_release(&all);
	return found;
}

bool cmd_inspect(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	if (!*args) {
		inspections_each(d, list_one, &(struct listing){d, out});
		return true;
	}
	if (!is_word(args))
		return cmd_print(d, args, out, e); /* gdb's other name for print */
	if (!find(d, args, e))
		return false;
	struct strbuf code = STRBUF_INIT;
	strbuf_addf(&code, "if type(rawget(_G, '%s')) ~= 'function' then require 'inspect.%s' end %s()", args, args, args);
	bool ok = lua_dbg_exec(d, strbuf_str(&code), "=inspect", NULL, e);
	strbuf_release(&code);
	take_output(d, out);
	return ok;
}
