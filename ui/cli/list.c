#include "cli/list.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "session/catalog.h"
#include "session/machine.h"
#include "commands/commands.h"
#include "session/explain.h"
#include "session/inspections.h"
#include "session/neighbours.h"
#include "script/reference.h"
#include "base/markdown.h"
#include "cli/papers/workload_table.h"

/* A list under construction: rows of named texts, printed as columns or as JSON objects. */
#define MAX_FIELDS 6
enum list_format { AS_TEXT, AS_JSON, AS_MARKDOWN };
struct table {
	const char *fields[MAX_FIELDS]; /* names; NULL ends them */
	json_t *rows;
};

static struct table table_new(const char *const *fields)
{
	struct table t = {.rows = json_array()};
	for (u32 i = 0; i < MAX_FIELDS && fields[i]; i++)
		t.fields[i] = fields[i];
	return t;
}

static void add_row(struct table *t, const char *const *values)
{
	json_t *o = json_object();
	for (u32 i = 0; i < MAX_FIELDS && t->fields[i]; i++)
		json_object_set_new(o, t->fields[i], json_string(values[i] ? values[i] : ""));
	json_array_append_new(t->rows, o);
}

static const char *cell(const struct table *t, size_t row, u32 field)
{
	return json_string_value(json_object_get(json_array_get(t->rows, row), t->fields[field]));
}

/* Columns as wide as their longest entry; the last one runs free. */
static void print_columns(const struct table *t, struct strbuf *out)
{
	int width[MAX_FIELDS] = {0};
	for (size_t r = 0; r < json_array_size(t->rows); r++)
		for (u32 i = 0; i < MAX_FIELDS && t->fields[i]; i++)
			width[i] = MAX(width[i], (int)strlen(cell(t, r, i)));
	for (size_t r = 0; r < json_array_size(t->rows); r++) {
		for (u32 i = 0; i < MAX_FIELDS && t->fields[i]; i++) {
			bool last = i + 1 == MAX_FIELDS || !t->fields[i + 1];
			if (last)
				strbuf_addf(out, "%s\n", cell(t, r, i));
			else if (width[i])
				strbuf_addf(out, "%-*s  ", width[i], cell(t, r, i));
		}
	}
}

/* Names stand between backquotes; nothing else in a cell is markup. */
static void print_markdown(const struct table *t, struct strbuf *out)
{
	u32 n = 0;
	while (n < MAX_FIELDS && t->fields[n])
		strbuf_addf(out, "| %s ", t->fields[n++]);
	strbuf_adds(out, "|\n");
	for (u32 i = 0; i < n; i++)
		strbuf_adds(out, "| --- ");
	strbuf_adds(out, "|\n");
	for (size_t r = 0; r < json_array_size(t->rows); r++) {
		for (u32 i = 0; i < n; i++) {
			const char *text = cell(t, r, i);
			bool quoted = *text && (!strcmp(t->fields[i], "name") || !strcmp(t->fields[i], "usage"));
			strbuf_adds(out, quoted ? "| `" : "| ");
			markdown_add(out, text, quoted ? MARKDOWN_CODE | MARKDOWN_CELL : MARKDOWN_CELL);
			strbuf_adds(out, quoted ? "` " : " ");
		}
		strbuf_adds(out, "|\n");
	}
}

static void finish(struct table *t, enum list_format as, struct strbuf *out)
{
	if (as == AS_JSON) {
		char *text = json_dumps(t->rows, JSON_INDENT(1));
		strbuf_addf(out, "%s\n", text);
		free(text);
	} else if (as == AS_MARKDOWN) {
		print_markdown(t, out);
	} else {
		print_columns(t, out);
	}
	json_decref(t->rows);
}

/* --- machines and workloads: files --- */

static void add_gpu(struct table *t, const char *data_dir, const char *name)
{
	struct conf c;
	struct strbuf help = STRBUF_INIT, shape = STRBUF_INIT;
	struct err e = {0};
	conf_defaults(&c);
	if (machine_file(&c, NULL, data_dir, name, &help, &e))
		strbuf_addf(&shape, "%u SM%s, %g MHz", c.num_sms, plural(c.num_sms), c.core_clock);
	else
		strbuf_addf(&help, "cannot be used: %s", e.msg);
	add_row(t, (const char *[]){name, strbuf_str(&shape), strbuf_str(&help)});
	strbuf_release(&help);
	strbuf_release(&shape);
}

static bool list_gpus(const char *data_dir, enum list_format as, struct strbuf *out)
{
	struct table t = table_new((const char *[]){"name", "shape", "help", NULL});
	struct file_names all = catalog_names(data_dir, "configs/gpus");
	for (u32 i = 0; i < all.n; i++)
		add_gpu(&t, data_dir, all.name[i]);
	catalog_release(&all);
	finish(&t, as, out);
	return true;
}

/* "n = 384, steps = 2": the parameters of the default size. The workload's table is on top of the stack. */
static void push_size_text(lua_State *L, struct strbuf *out)
{
	char *parts[32];
	u32 n = 0;
	if (lua_getfield(L, -1, "sizes") == LUA_TTABLE && lua_getfield(L, -1, "default") == LUA_TTABLE) {
		lua_pushnil(L);
		while (lua_next(L, -2)) {
			const char *key = luaL_tolstring(L, -2, NULL),
			           *value = luaL_tolstring(L, -2, NULL); /* below the key's text */
			struct strbuf part = STRBUF_INIT;
			strbuf_addf(&part, "%s=%s", key, value);
			lua_pop(L, 3);
			if (n < ARRAY_LEN(parts))
				parts[n++] = part.buf;
			else
				strbuf_release(&part);
		}
	}
	/* By name: the order of a Lua table differs from run to run. */
	for (u32 i = 1; i < n; i++)
		for (u32 k = i; k && strcmp(parts[k - 1], parts[k]) > 0; k--) {
			char *p = parts[k];
			parts[k] = parts[k - 1];
			parts[k - 1] = p;
		}
	for (u32 i = 0; i < n; i++) {
		strbuf_addf(out, "%s%s", i ? " " : "", parts[i]);
		free(parts[i]);
	}
}

struct workload {
	const char *path;
	struct strbuf help, size;
};

static bool read_workload(lua_State *L, void *ctx, struct err *e)
{
	struct workload *w = ctx;
	if (!lua_load_path(L, w->path, e) || !lua_call_traced(L, 0, 1, e))
		return false;
	if (!lua_istable(L, -1))
		return err_set(e, "it returns no table");
	lua_getfield(L, -1, "help");
	strbuf_adds(&w->help, lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "");
	lua_pop(L, 1);
	push_size_text(L, &w->size);
	return true;
}

static void add_workload(struct table *t, const char *data_dir, const char *name)
{
	lua_State *L = lua_sandbox_new(NULL, data_dir, false);
	struct err e = {0};
	char *path = catalog_path(data_dir, "scripts/workloads", name, "workload", &e);
	struct workload w = {.path = path};
	if (!L || !path || !lua_checked(L, read_workload, &w, 0, 0, &e)) {
		strbuf_clear(&w.help);
		strbuf_addf(&w.help, "cannot be used: %s", e.set ? e.msg : "out of memory");
	}
	add_row(t, (const char *[]){name, strbuf_str(&w.size), strbuf_str(&w.help)});
	strbuf_release(&w.help);
	strbuf_release(&w.size);
	free(path);
	lua_sandbox_free(L);
}

static void add_inspection(void *ctx, const char *name, const char *says)
{
	add_row(ctx, (const char *[]){name, says});
}

static bool list_inspections(const char *data_dir, enum list_format as, struct strbuf *out)
{
	struct table t = table_new((const char *[]){"name", "help", NULL});
	inspections_each(data_dir, add_inspection, &t);
	finish(&t, as, out);
	return true;
}

static bool list_workloads(const char *data_dir, enum list_format as, struct strbuf *out)
{
	struct table t = table_new((const char *[]){"name", "default", "help", NULL});
	struct file_names all = catalog_all_names(data_dir, "scripts/workloads");
	for (u32 i = 0; i < all.n; i++)
		add_workload(&t, data_dir, all.name[i]);
	catalog_release(&all);
	finish(&t, as, out);
	return true;
}

/* --- tables of the program --- */

static bool list_policies(const char *data_dir, enum list_format as, struct strbuf *out)
{
	struct table t = table_new((const char *[]){"kind", "name", "help", "source", NULL});
	const struct policy *p;
	for (u32 k = 0; k < POLICY_KINDS; k++)
		for (u32 i = 0; (p = sim_policy(k, i)); i++)
			add_row(&t, (const char *[]){policy_kinds[k].name, p->name, p->help, p->source});
	finish(&t, as, out);
	return true;
}

static void add_explanation(void *ctx, const struct explanation *x)
{
	add_row(ctx, (const char *[]){x->kind, x->name, x->unit, x->text, x->detail});
}

static bool list_kinds(const char *const *kinds, enum list_format as, struct strbuf *out)
{
	struct table t = table_new((const char *[]){"kind", "name", "unit", "text", as == AS_TEXT ? NULL : "detail", NULL});
	for (u32 i = 0; kinds[i]; i++)
		explain_each(kinds[i], add_explanation, &t);
	finish(&t, as, out);
	return true;
}

static bool list_stats(const char *data_dir, enum list_format as, struct strbuf *out)
{
	return list_kinds((const char *[]){"counter", "rate", "stall reason", NULL}, as, out);
}

static bool list_events(const char *data_dir, enum list_format as, struct strbuf *out)
{
	return list_kinds((const char *[]){"event", NULL}, as, out);
}

static bool list_config(const char *data_dir, enum list_format as, struct strbuf *out)
{
	return list_kinds((const char *[]){"config key", NULL}, as, out);
}

static bool list_opcodes(const char *data_dir, enum list_format as, struct strbuf *out)
{
	return list_kinds((const char *[]){"opcode", NULL}, as, out);
}

/* --- scripts and the console --- */

static bool list_lua(const char *data_dir, enum list_format as, struct strbuf *out)
{
	if (as == AS_MARKDOWN) {
		lua_reference_markdown(out);
		return true;
	}
	bool all = as == AS_JSON;
	struct table t = table_new((const char *[]){"section", "usage", "text", all ? "values" : NULL, "errors", NULL});
	for (u32 i = 0; i < lua_nsections; i++)
		for (const struct lua_doc *x = lua_sections[i].docs; x->name; x++)
			add_row(&t, (const char *[]){lua_sections[i].name, x->signature, x->text, x->values, x->errors});
	finish(&t, as, out);
	return true;
}

/* In a table of all commands the first sentence of each has room. */
static void add_command(struct table *t, const char *usage, const char *also, const char *help)
{
	char *text = xstrndup(help, help_summary(help));
	add_row(t, (const char *[]){usage, also, text});
	free(text);
}

static bool list_commands(const char *data_dir, enum list_format as, struct strbuf *out)
{
	struct table t = table_new((const char *[]){"usage", "also", "text", NULL});
	for (u32 i = 0; i < ncommands; i++)
		add_command(&t, commands[i].usage, commands[i].abbreviations, commands[i].help);
	for (u32 i = 0; i < ninfo_topics; i++) {
		struct strbuf usage = STRBUF_INIT;
		strbuf_addf(&usage, "info %s%s%s", info_topics[i].name, *info_topics[i].args ? " " : "", info_topics[i].args);
		add_command(&t, usage.buf, info_topics[i].abbreviations, info_topics[i].help);
		strbuf_release(&usage);
	}
	finish(&t, as, out);
	return true;
}

static bool list_calls(const char *data_dir, enum list_format as, struct strbuf *out)
{
	static const struct {
		const char *name, *how, *note;
	} calls[] = {
#define SERVED(name, note) {#name, "served", note},
#define REFUSED(name, why) {#name, "refused", why},
#include "cudart/calls.def"
#include "cudart/driver.def"
#undef SERVED
#undef REFUSED
	};
	struct table t = table_new((const char *[]){"name", "is", "note", NULL});
	for (u32 i = 0; i < ARRAY_LEN(calls); i++)
		add_row(&t, (const char *[]){calls[i].name, calls[i].how, calls[i].note});
	finish(&t, as, out);
	return true;
}

/* --- kernels of PTX files, linked as `run --link` does --- */

static void add_kernel(struct table *t, const struct module *m, const struct func *f)
{
	struct strbuf params = STRBUF_INIT, size = STRBUF_INIT, launch = STRBUF_INIT;
	char *why = func_unsupported(m, f);
	strbuf_addf(&params, "%u parameter%s", f->nparams, plural(f->nparams));
	strbuf_addf(&size, "%u registers, %u B shared", f->regs, f->shared_bytes);
	if (why)
		strbuf_addf(&launch, "cannot be launched: %s", why);
	add_row(t, (const char *[]){f->name, strbuf_str(&params), strbuf_str(&size), strbuf_str(&launch)});
	free(why);
	strbuf_release(&params);
	strbuf_release(&size);
	strbuf_release(&launch);
}

static bool list_kernels(const struct options *o, enum list_format as, struct strbuf *out, struct err *e)
{
	struct conf c;
	conf_defaults(&c);
	struct sim *s = sim_create(&c, e);
	const struct module *m = s ? sim_load_linked(s, o->figures, o->nfigures, e) : NULL;
	struct table t = table_new((const char *[]){"name", "parameters", "size", "launch", NULL});
	for (u32 i = 0; m && i < m->nfuncs; i++)
		if (m->funcs[i].is_kernel)
			add_kernel(&t, m, &m->funcs[i]);
	finish(&t, as, out);
	if (s)
		sim_destroy(s);
	return m;
}

static bool list_neighbours(const char *data_dir, enum list_format as, struct strbuf *out)
{
	struct table t = table_new((const char *[]){"tool", "name", "here", "print", "text", NULL});
	for (u32 i = 0; i < nneighbours; i++)
		add_row(&t, (const char *[]){neighbour_tools[neighbours[i].tool], neighbours[i].name, neighbours[i].here,
		                             neighbours[i].expression, neighbours[i].text});
	finish(&t, as, out);
	return true;
}

static const struct thing {
	const char *name;
	bool files; /* needs the data directory */
	bool (*list)(const char *data_dir, enum list_format as, struct strbuf *out);
} things[] = {{"gpus", true, list_gpus},
              {"workloads", true, list_workloads},
              {"policies", false, list_policies},
              {"stats", false, list_stats},
              {"events", false, list_events},
              {"opcodes", false, list_opcodes},
              {"config", false, list_config},
              {"lua", false, list_lua},
              {"commands", false, list_commands},
              {"calls", false, list_calls},
              {"inspections", true, list_inspections},
              {"neighbours", false, list_neighbours},
              {"kernels", false, NULL}};

const char *list_thing(u32 i)
{
	return i < ARRAY_LEN(things) ? things[i].name : NULL;
}

static bool no_such_thing(const char *what, struct err *e)
{
	const char *names[ARRAY_LEN(things)];
	struct strbuf all = STRBUF_INIT;
	for (u32 i = 0; i < ARRAY_LEN(things); i++) {
		names[i] = things[i].name;
		strbuf_addf(&all, "%s%s", i ? ", " : "", names[i]);
	}
	const char *near = conf_nearest(what, names, ARRAY_LEN(names));
	if (near)
		err_set(e, "list: there is no list of '%s' (did you mean '%s'?)", what, near);
	else
		err_set(e, "list: there is no list of '%s'; there are %s", what, all.buf);
	strbuf_release(&all);
	return false;
}

bool list_things(const struct options *o, struct strbuf *out, struct err *e)
{
	const char *format = o->format ? o->format : "text";
	enum list_format as = !strcmp(format, "json") ? AS_JSON : !strcmp(format, "markdown") ? AS_MARKDOWN : AS_TEXT;
	for (u32 i = 0; i < ARRAY_LEN(things); i++) {
		if (strcmp(things[i].name, o->workload))
			continue;
		if (!things[i].list)
			return list_kernels(o, as, out, e);
		char *data_dir = things[i].files ? catalog_data_dir(e) : NULL;
		bool ok = !things[i].files || data_dir;
		if (ok && (o->table || (as == AS_MARKDOWN && things[i].list == list_workloads)))
			ok = workload_table(o, data_dir, out, e);
		else if (ok)
			ok = things[i].list(data_dir, as, out);
		free(data_dir);
		return ok;
	}
	return no_such_thing(o->workload, e);
}
