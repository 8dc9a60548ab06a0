/* The `paper` command: which experiments there are, their runs, their tables. */
#include "cli/papers/paper.h"

#include <errno.h>
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/outfile.h"
#include "session/catalog.h"
#include "base/plain.h"
#include "base/complain.h"

#define PAPERS "scripts/papers"
#define SCRIPT_BUDGET 1000000000ull /* VM instructions of each runs() and table(): some 6 s */

struct paper {
	const struct options *opt;
	lua_State *L; /* the paper's table at index 1 */
	char *data_dir, *path;
	u32 nfigures;
	bool *wanted; /* by figure */
	struct plan plan;
};

/* --- the script --- */

static bool run_script(lua_State *L, void *ctx, struct err *e)
{
	const char *path = ctx;
	if (!lua_load_path(L, path, e) || !lua_call_traced(L, 0, 1, e))
		return false;
	if (!lua_istable(L, -1) || lua_getfield(L, -1, "figures") != LUA_TTABLE)
		return err_set(e, "%s: no paper: it must return a table with `figures`", path);
	lua_pop(L, 1);
	return true;
}

/* Loads the file at path: its table on top of an empty stack. */
static bool load_script(lua_State *L, char *path, struct err *e)
{
	if (!L)
		return err_set(e, "out of memory");
	lua_budget(L, SCRIPT_BUDGET);
	return lua_checked(L, run_script, path, 0, 1, e);
}

/* Pushes figure i (from 0), a table. */
static void push_figure(lua_State *L, u32 i)
{
	lua_getfield(L, 1, "figures");
	lua_geti(L, -1, i + 1);
	lua_remove(L, -2);
}

/* A text field of the table on top of the stack, as a copy; "" when there is none. */
static char *text_field(lua_State *L, const char *name)
{
	char *text = xstrdup(lua_getfield(L, -1, name) == LUA_TSTRING ? lua_tostring(L, -1) : "");
	lua_pop(L, 1);
	return text;
}

struct field {
	u32 figure; /* WHOLE: of the script */
	const char *name;
	char *text;
};
#define WHOLE UINT32_MAX

static int read_field(lua_State *L, void *ctx)
{
	struct field *f = ctx;
	if (f->figure != WHOLE)
		push_figure(L, f->figure);
	f->text = text_field(L, f->name);
	return 0;
}

/* "" as well where it cannot be read. */
static char *figure_field(lua_State *L, u32 i, const char *name)
{
	struct field f = {i, name, NULL};
	lua_pushvalue(L, 1);
	lua_guarded(L, read_field, &f, 1, 0, NULL);
	return f.text ? f.text : xstrdup("");
}

static bool has_function(lua_State *L, const char *name)
{
	bool yes = lua_getfield(L, -1, name) == LUA_TFUNCTION;
	lua_pop(L, 1);
	return yes;
}

/* Names of figures become file names. */
static bool name_ok(const char *s)
{
	return *s && *s != '.' && *s != '-' && !strchr(s, '/') && strlen(s) <= 64;
}

struct figures {
	const char *path;
	u32 n;
};

static bool look_at_figures(lua_State *L, void *ctx, struct err *e)
{
	struct figures *f = ctx;
	const char *path = f->path;
	u32 *n = &f->n;
	lua_getfield(L, 1, "figures");
	*n = (u32)luaL_len(L, -1);
	lua_pop(L, 1);
	for (u32 i = 0; i < *n && !e->set; i++) {
		push_figure(L, i);
		if (!lua_istable(L, -1))
			err_set(e, "%s: figure %u is no table", path, i + 1);
		else if (!has_function(L, "runs") || !has_function(L, "table"))
			err_set(e, "%s: figure %u needs the functions `runs` and `table`", path, i + 1);
		if (!e->set) {
			char *name = text_field(L, "name");
			if (!name_ok(name))
				err_set(e, "%s: figure %u has no usable name: '%s'", path, i + 1, name);
			free(name);
		}
		lua_pop(L, 1);
	}
	return !e->set && (*n || err_set(e, "%s: no figures", path));
}

static bool check_figures(lua_State *L, const char *path, u32 *n, struct err *e)
{
	struct figures f = {path, 0};
	lua_pushvalue(L, 1);
	bool ok = lua_checked(L, look_at_figures, &f, 1, 0, e);
	*n = f.n;
	return ok;
}

/* What a figure's functions are told: the size of the experiment. */
static void push_x(lua_State *L, bool quick)
{
	lua_newtable(L);
	lua_pushboolean(L, quick);
	lua_setfield(L, -2, "quick");
	lua_pushstring(L, quick ? "small" : "default");
	lua_setfield(L, -2, "size");
}

/* --- list --- */

struct run_count {
	u32 i, n;
	bool quick;
};

static bool count_them(lua_State *L, void *ctx, struct err *e)
{
	struct run_count *c = ctx;
	push_figure(L, c->i);
	lua_getfield(L, -1, "runs");
	push_x(L, c->quick);
	if (!lua_call_traced(L, 1, 1, e))
		return false;
	c->n = lua_istable(L, -1) ? (u32)lua_rawlen(L, -1) : 0;
	return true;
}

/* How many runs a figure takes, those that it shares with others included. 0: it takes none, or is wrong. */
static u32 count_runs(lua_State *L, u32 figure, bool quick)
{
	struct run_count c = {figure, 0, quick};
	struct err e = {0};
	lua_settop(L, 1);
	lua_budget(L, SCRIPT_BUDGET);
	lua_pushvalue(L, 1);
	return lua_checked(L, count_them, &c, 1, 0, &e) ? c.n : 0;
}

static void list_figures(lua_State *L, struct strbuf *out)
{
	char *help = figure_field(L, WHOLE, "help"), *source = figure_field(L, WHOLE, "source");
	struct err e = {0};
	u32 n = 0;
	strbuf_addf(out, "  %s\n", help);
	if (*source)
		strbuf_addf(out, "  (%s)\n", source);
	if (!check_figures(L, "script", &n, &e))
		strbuf_addf(out, "    cannot be used: %s\n", e.msg);
	if (n && !e.set)
		strbuf_adds(out, "    figure      runs quick\n");
	for (u32 i = 0; i < n && !e.set; i++) {
		char *name = figure_field(L, i, "name"), *title = figure_field(L, i, "title");
		const u32 runs = count_runs(L, i, false);
		strbuf_addf(out, "    %-10s %5u %5u  %s\n", name, runs, count_runs(L, i, true), title);
		free(name);
		free(title);
	}
	free(help);
	free(source);
}

static int list_papers(void)
{
	struct err e = {0};
	char *data_dir = catalog_data_dir(&e);
	if (!data_dir) {
		complain(&e);
		return 2;
	}
	struct file_names all = catalog_names(data_dir, PAPERS);
	struct strbuf out = STRBUF_INIT;
	for (u32 i = 0; i < all.n; i++) {
		lua_State *L = lua_sandbox_new(NULL, data_dir, false);
		struct err bad = {0};
		char *path = catalog_path(data_dir, PAPERS, all.name[i], "paper", &bad);
		strbuf_addf(&out, "%s\n", all.name[i]);
		if (path && load_script(L, path, &bad))
			list_figures(L, &out);
		else
			strbuf_addf(&out, "  cannot be used: %s\n", bad.msg);
		free(path);
		lua_sandbox_free(L);
	}
	strbuf_adds(
	    &out,
	    all.n
	        ? "\nwarpdbg paper NAME [FIGURE...] [--quick] repeats them. runs: those of a figure, and with --quick; a run that "
	          "several\nfigures share is done once. At default size most take 1 to 20 s each on a core, at small size less than "
	          "one.\nA sweep of your own is a file of the same form: scripts/papers/README.md.\n"
	        : "there are no papers\n");
	plain_write(&out, stdout);
	strbuf_release(&out);
	catalog_release(&all);
	free(data_dir);
	return 0;
}

/* --- open --- */

static bool no_figure(const struct paper *p, const char *name, struct err *e)
{
	char **names = xcalloc(p->nfigures, sizeof *names);
	struct strbuf all = STRBUF_INIT;
	for (u32 i = 0; i < p->nfigures; i++) {
		names[i] = figure_field(p->L, i, "name");
		strbuf_addf(&all, "%s%s", i ? " " : "", names[i]);
	}
	const char *near = conf_nearest(name, (const char *const *)names, p->nfigures);
	if (near)
		err_set(e, "%s: no figure '%s' (did you mean '%s'?); there are: %s", p->path, name, near, strbuf_str(&all));
	else
		err_set(e, "%s: no figure '%s'; there are: %s", p->path, name, strbuf_str(&all));
	for (u32 i = 0; i < p->nfigures; i++)
		free(names[i]);
	free(names);
	strbuf_release(&all);
	return false;
}

static bool want(struct paper *p, const char *name, struct err *e)
{
	for (u32 i = 0; i < p->nfigures; i++) {
		char *have = figure_field(p->L, i, "name");
		bool same = !strcmp(have, name);
		free(have);
		if (same)
			return p->wanted[i] = true;
	}
	return no_figure(p, name, e);
}

static bool choose_figures(struct paper *p, struct err *e)
{
	bool ok = true;
	p->wanted = xcalloc(p->nfigures, sizeof *p->wanted);
	for (u32 i = 0; !p->opt->nfigures && i < p->nfigures; i++)
		p->wanted[i] = true;
	for (u32 i = 0; ok && i < p->opt->nfigures; i++)
		ok = want(p, p->opt->figures[i], e);
	return ok;
}

static bool make_dir(const char *path, struct err *e)
{
	char *copy = xstrdup(path);
	bool ok = true;
	for (char *s = copy + 1; ok && *s; s++) {
		if (*s != '/')
			continue;
		*s = 0;
		ok = !mkdir(copy, 0777) || errno == EEXIST;
		*s = '/';
	}
	ok = ok && (!mkdir(copy, 0777) || errno == EEXIST);
	struct stat st;
	ok = ok && !stat(copy, &st) && S_ISDIR(st.st_mode);
	free(copy);
	return ok || err_set(e, "--out: %s: cannot make the directory", path);
}

/* results/NAME, or --out; with its runs/. To be freed. */
static char *results_dir(const struct paper *p, struct err *e)
{
	struct strbuf dir = STRBUF_INIT, runs = STRBUF_INIT;
	const char *slash = strrchr(p->path, '/'), *base = slash ? slash + 1 : p->path;
	size_t n = strlen(base);
	if (p->opt->out_dir)
		strbuf_adds(&dir, p->opt->out_dir);
	else
		strbuf_addf(&dir, "results/%.*s", (int)(n > 4 && !strcmp(base + n - 4, ".lua") ? n - 4 : n), base);
	strbuf_addf(&runs, "%s/runs", dir.buf);
	bool ok = make_dir(runs.buf, e);
	strbuf_release(&runs);
	if (!ok)
		strbuf_release(&dir);
	return ok ? dir.buf : NULL;
}

static bool open_paper(struct paper *p, struct err *e)
{
	p->data_dir = catalog_data_dir(e);
	p->path = p->data_dir ? catalog_path(p->data_dir, PAPERS, p->opt->workload, "paper", e) : NULL;
	if (!p->path)
		return false;
	p->L = lua_sandbox_new(NULL, p->data_dir, false);
	if (!load_script(p->L, p->path, e) || !check_figures(p->L, p->path, &p->nfigures, e) || !choose_figures(p, e))
		return false;
	char *dir = results_dir(p, e);
	bool ok = dir && plan_init(&p->plan, dir, p->data_dir, e);
	free(dir);
	return ok;
}

static void close_paper(struct paper *p)
{
	plan_release(&p->plan);
	if (p->L)
		lua_sandbox_free(p->L);
	free(p->wanted);
	free(p->path);
	free(p->data_dir);
}

/* --- runs --- */

/* What scripts may decide by. */
/* One of a figure's functions, called with the script as argument. */
struct figure_call {
	struct paper *p;
	struct table *t;
	u32 i;
};

static bool name_place(const struct paper *p, u32 i, struct err *e)
{
	char *name = figure_field(p->L, i, "name");
	err_prefix(e, "%s: figure '%s': ", p->path, name);
	free(name);
	return false;
}

/* Adds the runs in the array on top of the stack. */
static bool add_runs(lua_State *L, struct paper *p, struct err *e)
{
	if (!lua_istable(L, -1))
		return err_set(e, "runs() returned %s, no table", luaL_typename(L, -1));
	lua_Integer n = luaL_len(L, -1);
	for (lua_Integer i = 1; i <= n; i++) {
		lua_geti(L, -1, i);
		bool ok = plan_add(&p->plan, L, e);
		lua_pop(L, 1);
		if (!ok)
			return false;
	}
	return true;
}

static bool call_runs(lua_State *L, void *ctx, struct err *e)
{
	const struct figure_call *c = ctx;
	push_figure(L, c->i);
	lua_getfield(L, -1, "runs");
	push_x(L, c->p->opt->quick);
	return lua_call_traced(L, 1, 1, e) && add_runs(L, c->p, e);
}

static bool plan_figure(struct paper *p, u32 i, struct err *e)
{
	struct figure_call c = {p, NULL, i};
	lua_settop(p->L, 1);
	lua_budget(p->L, SCRIPT_BUDGET);
	lua_pushvalue(p->L, 1);
	return lua_checked(p->L, call_runs, &c, 1, 0, e) || name_place(p, i, e);
}

static bool plan_all(struct paper *p, struct err *e)
{
	bool ok = true;
	for (u32 i = 0; ok && i < p->nfigures; i++)
		ok = !p->wanted[i] || plan_figure(p, i, e);
	return ok;
}

static bool write_text(const char *dir, const char *name, const char *ending, const struct strbuf *text, struct err *e)
{
	struct strbuf path = STRBUF_INIT;
	strbuf_addf(&path, "%s/%s.%s", dir, name, ending);
	bool ok = file_write(path.buf, strbuf_str(text), text->len, e);
	strbuf_release(&path);
	return ok;
}

/* commands.txt: which result in runs/ is whose. */
static bool write_commands(const struct paper *p, struct err *e)
{
	struct strbuf text = STRBUF_INIT;
	for (u32 i = 0; i < p->plan.n; i++) {
		strbuf_addf(&text, "%s  warpdbg run ", p->plan.runs[i].id);
		run_text(&p->plan.runs[i], &text);
		strbuf_addc(&text, '\n');
	}
	bool ok = write_text(p->plan.dir, "commands", "txt", &text, e);
	strbuf_release(&text);
	return ok;
}

/* --- tables --- */

static void print_table(const struct paper *p, const struct table *t, const char *name, const char *title)
{
	bool markdown = p->opt->format && !strcmp(p->opt->format, "markdown");
	bool ascii = p->opt->ascii || strcmp(nl_langinfo(CODESET), "UTF-8");
	struct strbuf out = STRBUF_INIT;
	strbuf_addf(&out, markdown ? "\n### %s: %s\n\n" : "\n%s: %s\n", name, title);
	if (markdown)
		table_markdown(t, &out);
	else
		table_text(t, &out);
	if (p->opt->bars && t->plot != PLOT_NONE) {
		strbuf_adds(&out, markdown ? "\n```\n" : "\n");
		table_bars(t, ascii, &out);
		strbuf_adds(&out, markdown ? "```\n" : "");
	}
	plain_write(&out, stdout);
	strbuf_release(&out);
}

static bool write_figure(const struct paper *p, const struct table *t, const char *name, const char *title,
                         struct err *e)
{
	struct strbuf text = STRBUF_INIT;
	table_csv(t, &text);
	bool ok = write_text(p->plan.dir, name, "csv", &text, e);
	if (ok && t->plot != PLOT_NONE) {
		strbuf_clear(&text);
		table_svg(t, title, &text);
		ok = write_text(p->plan.dir, name, "svg", &text, e);
	}
	strbuf_release(&text);
	return ok;
}

/* Calls the figure's table() and reads what it returns. */
static bool call_table(lua_State *L, void *ctx, struct err *e)
{
	const struct figure_call *c = ctx;
	push_figure(L, c->i);
	lua_getfield(L, -1, "table");
	results_push(L, &c->p->plan);
	push_x(L, c->p->opt->quick);
	return lua_call_traced(L, 2, 1, e) && table_read(c->t, L, e);
}

static bool make_table(struct paper *p, u32 i, struct table *t, struct err *e)
{
	struct figure_call c = {p, t, i};
	lua_settop(p->L, 1);
	lua_budget(p->L, SCRIPT_BUDGET);
	lua_pushvalue(p->L, 1);
	return lua_checked(p->L, call_table, &c, 1, 0, e);
}

static bool show_figure(struct paper *p, u32 i, struct err *e)
{
	struct table t = {0};
	char *name = figure_field(p->L, i, "name"), *title = figure_field(p->L, i, "title");
	bool ok = make_table(p, i, &t, e) || name_place(p, i, e);
	if (ok) {
		print_table(p, &t, name, title);
		ok = write_figure(p, &t, name, title, e);
	}
	table_release(&t);
	free(name);
	free(title);
	return ok;
}

/* Failed runs once more, below the tables with their gaps. */
static u32 print_failures(const struct paper *p)
{
	u32 n = 0;
	for (u32 i = 0; i < p->plan.n; i++) {
		const struct paper_run *r = &p->plan.runs[i];
		struct strbuf text = STRBUF_INIT;
		if (r->state != JOB_FAILED)
			continue;
		run_text(r, &text);
		printf("%s%s: %s\n", n++ ? "" : "\nGaps, because these runs failed:\n", strbuf_str(&text), r->error);
		strbuf_release(&text);
	}
	return n;
}

static int report(struct paper *p)
{
	bool ok = true;
	char *source = figure_field(p->L, WHOLE, "source");
	if (*source)
		printf("%s\n", source);
	free(source);
	if (p->opt->quick)
		printf("--quick: smaller problems and fewer points than without it; only shapes can be compared.\n");
	for (u32 i = 0; i < p->nfigures; i++) {
		struct err e = {0};
		if (p->wanted[i] && !show_figure(p, i, &e)) { /* the others may be fine */
			complain(&e);
			ok = false;
		}
	}
	u32 failed = print_failures(p);
	printf("\nTables and pictures: %s/\n", p->plan.dir);
	return !ok ? 2 : failed ? 1 : 0;
}

static u32 cores(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	return n > 0 ? (u32)n : 1;
}

static int run_paper(struct paper *p)
{
	struct err e = {0};
	if (!open_paper(p, &e) || !plan_all(p, &e) || !write_commands(p, &e)) {
		complain(&e);
		return 2;
	}
	if (!plan_execute(&p->plan, p->opt->jobs ? p->opt->jobs : cores()))
		return 2; /* main() ends by the signal */
	return report(p);
}

int paper_main(const struct options *o)
{
	struct paper p = {.opt = o};
	if (!o->workload)
		return list_papers();
	int status = run_paper(&p);
	close_paper(&p);
	return status;
}
