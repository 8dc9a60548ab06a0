/* Runs: from their description in Lua to a command line, and the name under which its result is kept. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/papers/paper.h"
#include "session/fingerprint.h"

bool plan_init(struct plan *p, const char *dir, const char *data_dir, struct err *e)
{
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (n <= 0)
		return err_set(e, "paper: cannot find the program's own file (/proc/self/exe)");
	exe[n] = 0;
	*p = (struct plan){.program = xstrdup(exe), .dir = xstrdup(dir)};
	return fingerprint_of_data(&p->version, data_dir, e);
}

/* --- from Lua --- */

static void add_word(struct paper_run *r, const char *word)
{
	r->words = xrealloc(r->words, (r->nwords + 2) * sizeof *r->words);
	r->words[r->nwords++] = xstrdup(word);
	r->words[r->nwords] = NULL;
}

static void add_option(struct paper_run *r, const char *name, const char *value)
{
	struct strbuf option = STRBUF_INIT;
	strbuf_addf(&option, "--%s", name);
	add_word(r, option.buf);
	add_word(r, value);
	strbuf_release(&option);
}

/* The keys of the table on top of the stack, sorted; n of them. *e when one is no text. */
static char **sorted_keys(lua_State *L, const char *what, u32 *n, struct err *e)
{
	char **keys = NULL;
	*n = 0;
	for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
		if (lua_type(L, -2) != LUA_TSTRING) {
			err_set(e, "%s: its keys must be names", what);
			continue;
		}
		const char *key = lua_tostring(L, -2);
		u32 at = (*n)++;
		keys = xrealloc(keys, *n * sizeof *keys);
		for (; at && strcmp(keys[at - 1], key) > 0; at--)
			keys[at] = keys[at - 1];
		keys[at] = xstrdup(key);
	}
	return keys;
}

static void free_keys(char **keys, u32 n)
{
	for (u32 i = 0; i < n; i++)
		free(keys[i]);
	free(keys);
}

/* Numbers, texts and booleans as the command line spells them. */
static bool scalar(lua_State *L, const char *what, struct strbuf *out, struct err *e)
{
	int type = lua_type(L, -1);
	if (type != LUA_TSTRING && type != LUA_TNUMBER && type != LUA_TBOOLEAN)
		return err_set(e, "a run's '%s' is %s, where a text, a number or a boolean belongs", what,
		               lua_typename(L, type));
	strbuf_adds(out, luaL_tolstring(L, -1, NULL));
	lua_pop(L, 1);
	return true;
}

/* set = { key = value, ... } and the like: --set key=value for each. */
static bool add_pairs(struct paper_run *r, lua_State *L, const char *option, struct err *e)
{
	if (!lua_istable(L, -1))
		return err_set(e, "a run's '%s' is no table of names and values", option);
	u32 n;
	char **keys = sorted_keys(L, option, &n, e);
	for (u32 i = 0; i < n && !e->set; i++) {
		struct strbuf pair = STRBUF_INIT;
		strbuf_addf(&pair, "%s=", keys[i]);
		lua_getfield(L, -1, keys[i]);
		if (scalar(L, keys[i], &pair, e))
			add_option(r, option, pair.buf);
		lua_pop(L, 1);
		strbuf_release(&pair);
	}
	free_keys(keys, n);
	return !e->set;
}

static bool plain_name(const char *s)
{
	return *s && !s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-")];
}

/* files = { timeline = "csv" }: the run also writes --timeline FILE.csv. */
static bool add_files(struct paper_run *r, lua_State *L, struct err *e)
{
	if (!lua_istable(L, -1))
		return err_set(e, "a run's 'files' is no table of options and endings");
	u32 n;
	char **keys = sorted_keys(L, "files", &n, e);
	for (u32 i = 0; i < n && !e->set; i++) {
		lua_getfield(L, -1, keys[i]);
		const char *ending = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
		if (plain_name(keys[i]) && plain_name(ending)) {
			r->files = xrealloc(r->files, (r->nfiles + 1) * sizeof *r->files);
			r->files[r->nfiles++] = (struct run_file){xstrdup(keys[i]), xstrdup(ending)};
		} else {
			err_set(e, "a run's files: %s = '%s' is no option's name and file ending", keys[i], ending);
		}
		lua_pop(L, 1);
	}
	free_keys(keys, n);
	return !e->set;
}

/* Fields of a run that are options with one value, beside those of each kind of policy; an underscore stands for the
 * option's dash. */
static const char *const fields[] = {"gpu", "size", "seed", "max_cycles", "script", "inspect"};
static const char *const tables[] = {"set", "param"};

static void field_name(const char *option, char *out, size_t size)
{
	size_t i = 0;
	for (; option[i] && i + 1 < size; i++)
		out[i] = option[i] == '-' ? '_' : option[i];
	out[i] = 0;
}

static void option_name(const char *field, char *out, size_t size)
{
	size_t i = 0;
	for (; field[i] && i + 1 < size; i++)
		out[i] = field[i] == '_' ? '-' : field[i];
	out[i] = 0;
}

static bool known_field(const char *key)
{
	static const char *const others[] = {"workload", "analyze", "set", "params", "files", "beside", "again", "app"};
	for (u32 i = 0; i < ARRAY_LEN(others); i++)
		if (!strcmp(key, others[i]))
			return true;
	for (u32 i = 0; i < ARRAY_LEN(fields); i++)
		if (!strcmp(key, fields[i]))
			return true;
	for (u32 k = 0; k < POLICY_KINDS; k++) {
		char field[32];
		field_name(policy_kinds[k].key, field, sizeof field);
		if (!strcmp(key, field))
			return true;
	}
	return false;
}

static bool check_fields(lua_State *L, struct err *e)
{
	u32 n;
	char **keys = sorted_keys(L, "a run", &n, e);
	for (u32 i = 0; i < n; i++)
		if (!known_field(keys[i]))
			err_set(e, "a run has an unknown field '%s'", keys[i]);
	free_keys(keys, n);
	return !e->set;
}

static void add_field(struct paper_run *r, lua_State *L, const char *field, struct err *e)
{
	struct strbuf value = STRBUF_INIT;
	char option[32];
	option_name(field, option, sizeof(option));
	if (lua_getfield(L, -1, field) != LUA_TNIL && scalar(L, field, &value, e))
		add_option(r, option, strbuf_str(&value));
	lua_pop(L, 1);
	strbuf_release(&value);
}

/* beside = { { workload = "bfs", size = "small", params = { n = 100 } }, ... }: programs that share the machine. */
static bool add_beside(struct paper_run *r, lua_State *L, struct err *e)
{
	if (!lua_istable(L, -1))
		return err_set(e, "a run's 'beside' is no list of programs");
	const lua_Unsigned n = lua_rawlen(L, -1);
	for (lua_Unsigned i = 1; i <= n && !e->set; i++) {
		const int top = lua_gettop(L);
		if (lua_geti(L, -1, (lua_Integer)i) != LUA_TTABLE || lua_getfield(L, -1, "workload") != LUA_TSTRING)
			return err_set(e, "a run's 'beside': program %d is no table with a workload", (int)i);
		add_word(r, lua_tostring(L, -1));
		lua_pop(L, 1);
		add_field(r, L, "size", e);
		if (!e->set && lua_getfield(L, -1, "params") != LUA_TNIL)
			add_pairs(r, L, "param", e);
		lua_settop(L, top);
	}
	return !e->set;
}

/* app = { "./app", "1024" }: an application and its arguments; the last words of a run. */
static bool add_app(struct paper_run *r, lua_State *L, struct err *e)
{
	const lua_Unsigned n = lua_istable(L, -1) ? lua_rawlen(L, -1) : 0;
	if (!n)
		return err_set(e, "a run's 'app' is no list of words: { \"./app\", \"1024\" }");
	add_word(r, "--");
	for (lua_Unsigned i = 1; i <= n && !e->set; i++) {
		struct strbuf word = STRBUF_INIT;
		lua_geti(L, -1, (lua_Integer)i);
		if (scalar(L, "app", &word, e))
			add_word(r, strbuf_str(&word));
		lua_pop(L, 1);
		strbuf_release(&word);
	}
	return !e->set;
}

static bool add_fields(struct paper_run *r, lua_State *L, struct err *e)
{
	const int top = lua_gettop(L);
	for (u32 i = 0; i < ARRAY_LEN(fields) && !e->set; i++)
		add_field(r, L, fields[i], e);
	for (u32 k = 0; k < POLICY_KINDS && !e->set; k++) {
		char field[32];
		field_name(policy_kinds[k].key, field, sizeof field);
		add_field(r, L, field, e);
	}
	for (u32 i = 0; i < ARRAY_LEN(tables) && !e->set; i++) {
		if (lua_getfield(L, -1, i ? "params" : "set") != LUA_TNIL)
			add_pairs(r, L, tables[i], e);
		lua_pop(L, 1);
	}
	if (!e->set && lua_getfield(L, -1, "beside") != LUA_TNIL)
		add_beside(r, L, e);
	lua_settop(L, top);
	if (!e->set && lua_getfield(L, -1, "again") && lua_toboolean(L, -1))
		add_word(r, "--again");
	lua_settop(L, top);
	if (!e->set && lua_getfield(L, -1, "files") != LUA_TNIL)
		add_files(r, L, e);
	lua_settop(L, top);
	if (!e->set && lua_getfield(L, -1, "app") != LUA_TNIL)
		add_app(r, L, e);
	return !e->set;
}

static void name_run(const struct plan *p, struct paper_run *r)
{
	u64 h = p->version;
	for (u32 i = 0; i < r->nwords; i++)
		h = fingerprint_own_file(fingerprint_text(h, r->words[i]), r->words[i]);
	for (u32 i = 0; i < r->nfiles; i++)
		h = fingerprint_text(fingerprint_text(h, r->files[i].option), r->files[i].ending);
	static const char digits[] = "0123456789abcdef";
	for (u32 i = 0; i < 16; i++)
		r->id[i] = digits[h >> (60 - 4 * i) & 15];
	r->id[16] = 0;
}

static void run_release(struct paper_run *r)
{
	free_keys(r->words, r->nwords);
	for (u32 i = 0; i < r->nfiles; i++) {
		free(r->files[i].option);
		free(r->files[i].ending);
	}
	free(r->files);
	free(r->error);
}

static bool run_read(const struct plan *p, struct paper_run *r, lua_State *L, struct err *e)
{
	*r = (struct paper_run){.lua_ref = LUA_NOREF};
	if (!lua_istable(L, -1))
		return err_set(e, "a run is a table, not %s", luaL_typename(L, -1));
	int top = lua_gettop(L);
	add_word(r, lua_getfield(L, -1, "analyze") == LUA_TNIL ? "run" : "analyze");
	if (lua_isstring(L, -1))
		add_word(r, lua_tostring(L, -1));
	const bool app = lua_getfield(L, top, "app") != LUA_TNIL;
	if (lua_getfield(L, top, "workload") == LUA_TSTRING)
		add_word(r, lua_tostring(L, -1));
	else if (!app)
		err_set(e, "a run needs a workload or an app");
	lua_settop(L, top);
	bool ok = !e->set && check_fields(L, e) && add_fields(r, L, e);
	lua_settop(L, top);
	if (ok)
		name_run(p, r);
	return ok;
}

struct paper_run *plan_find(struct plan *p, lua_State *L, struct err *e)
{
	struct paper_run r, *found = NULL;
	bool ok = run_read(p, &r, L, e);
	for (u32 i = 0; ok && i < p->n && !found; i++)
		if (!strcmp(p->runs[i].id, r.id))
			found = &p->runs[i];
	if (ok && !found) {
		struct strbuf text = STRBUF_INIT;
		run_text(&r, &text);
		err_set(e, "the figure's runs() does not name this run: %s", strbuf_str(&text));
		strbuf_release(&text);
	}
	run_release(&r);
	return found;
}

bool plan_add(struct plan *p, lua_State *L, struct err *e)
{
	struct paper_run r;
	bool ok = run_read(p, &r, L, e), there = false;
	for (u32 i = 0; ok && i < p->n && !there; i++)
		there = !strcmp(p->runs[i].id, r.id);
	if (!ok || there) {
		run_release(&r);
		return ok;
	}
	p->runs = xrealloc(p->runs, (p->n + 1) * sizeof *p->runs);
	p->runs[p->n++] = r;
	return true;
}

void run_text(const struct paper_run *r, struct strbuf *out)
{
	for (u32 i = 1; i < r->nwords; i++)
		strbuf_addf(out, "%s%s", i > 1 ? " " : "", r->words[i]);
	for (u32 i = 0; i < r->nfiles; i++)
		strbuf_addf(out, " --%s FILE.%s", r->files[i].option, r->files[i].ending);
}

char *run_path(const struct plan *p, const struct paper_run *r, const char *part, bool unfinished)
{
	struct strbuf path = STRBUF_INIT;
	strbuf_addf(&path, "%s/runs/%s.", p->dir, r->id);
	if (unfinished)
		strbuf_addf(&path, "%ld-part.", (long)getpid());
	strbuf_adds(&path, part);
	return path.buf;
}

void plan_release(struct plan *p)
{
	for (u32 i = 0; i < p->n; i++)
		run_release(&p->runs[i]);
	free(p->runs);
	free(p->program);
	free(p->dir);
	*p = (struct plan){0};
}
