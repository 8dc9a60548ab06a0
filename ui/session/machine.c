/* Which machine it is. Machine files are Lua that returns a table of configuration keys:
 *
 *   return { base = "gtx480", help = "one line", ["core_clock"] = 1400, ["l1d.sets"] = 64, ["warp-sched"] = "lrr" }
 *
 * A policy that implies other keys (elf++) sets them unless the same file does. */
#include <stdlib.h>
#include <string.h>

#include "session/catalog.h"
#include "session/machine.h"
#include "session/policy_names.h"
#include "lua/lua.h"
#include "session/places.h"
#include "base/plain.h"
#include "sim.h"

#define MAX_BASES 8 /* depth of `base`: more is taken for a cycle */

/* The value on top of the stack as the text conf_set takes. */
static const char *value_text(lua_State *L)
{
	switch (lua_type(L, -1)) {
	case LUA_TBOOLEAN: return lua_toboolean(L, -1) ? "true" : "false";
	case LUA_TNUMBER:
	case LUA_TSTRING: return lua_tostring(L, -1); /* an integer-valued float reads "700.0", which is a number too */
	default: return NULL;
	}
}

/* What is read, and memory of it that an error of Lua's must not leave behind. */
struct machine {
	struct conf *c;
	struct places *from;
	const char *data_dir, *gpu;
	struct strbuf *about;
	char *path[MAX_BASES + 1]; /* by depth */
	char **key;
	u32 nkeys;
};

static bool set_field(lua_State *L, const struct machine *m, const char *path, const char *key, struct err *e)
{
	if (!strcmp(key, "base") || !strcmp(key, "help") || !strcmp(key, "name"))
		return true;
	lua_pushvalue(L, -1); /* lua_tostring changes its slot: keep the table's value */
	const char *text = value_text(L);
	bool ok =
	    text ? conf_set(m->c, key, text, e)
	         : err_set(e, "%s: a %s is not a value; number, string or boolean expected", key, luaL_typename(L, -1));
	lua_pop(L, 1);
	if (ok && m->from)
		places_note(m->from, key, path);
	if (!ok)
		places_in_file(e, path, key);
	return ok;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What the policies named in the table on top bring with them; the table's other keys win. */
static bool apply_implied(lua_State *L, struct conf *c, const char *path, struct err *e)
{
	bool ok = true;
	for (u32 k = 0; k < POLICY_KINDS && ok; k++) {
		const char *key = policy_kinds[k].key;
		bool named = lua_getfield(L, -1, key) == LUA_TSTRING;
		ok = !named || sim_imply(c, key, lua_tostring(L, -1), e);
		lua_pop(L, 1);
		if (!ok)
			places_in_file(e, path, key);
	}
	return ok;
}

/* Applies all fields of the table on top, in the order of their names: which error comes first is then always the same.
 */
static void release_keys(struct machine *m)
{
	for (u32 i = 0; i < m->nkeys; i++)
		free(m->key[i]);
	free(m->key);
	m->key = NULL;
	m->nkeys = 0;
}

static bool apply_table(lua_State *L, struct machine *m, const char *path, struct err *e)
{
	bool ok = true;
	lua_pushnil(L);
	while (lua_next(L, -2)) {
		lua_pop(L, 1);
		if (lua_type(L, -1) != LUA_TSTRING) {
			ok = lua_type(L, -1) == LUA_TNUMBER
			         ? err_set(e, "%s: [%s] is not the name of a key", path, luaL_tolstring(L, -1, NULL))
			         : err_set(e, "%s: a key is a %s, not a string", path, luaL_typename(L, -1));
			return ok;
		}
		m->key = xrealloc(m->key, (m->nkeys + 1) * sizeof *m->key);
		m->key[m->nkeys++] = xstrdup(lua_tostring(L, -1));
	}
	if (m->nkeys)
		qsort(m->key, m->nkeys, sizeof *m->key, by_text);
	for (u32 i = 0; ok && i < m->nkeys; i++) {
		lua_getfield(L, -1, m->key[i]);
		ok = set_field(L, m, path, m->key[i], e);
		lua_pop(L, 1);
	}
	release_keys(m);
	return ok;
}

static bool load_machine(lua_State *L, struct machine *m, const char *gpu, u32 depth, struct err *e);

/* Applies the base of the table on top, when it has one. */
static bool apply_base(lua_State *L, struct machine *m, const char *path, u32 depth, struct err *e)
{
	bool ok = true;
	if (lua_getfield(L, -1, "base") == LUA_TSTRING) {
		ok = depth < MAX_BASES ? load_machine(L, m, lua_tostring(L, -1), depth + 1, e)
		                       : err_set(e, "more than %d bases deep (a circle?)", MAX_BASES);
		if (!ok)
			places_in_file(e, path, "base");
	} else if (!lua_isnil(L, -1)) {
		ok = err_set(e, "%s: base is not the name of a machine", path);
	}
	lua_pop(L, 1);
	return ok;
}

/* A machine named by its file describes itself; conf.machine is what titles and reports show. */
static bool set_name(struct conf *c, const char *path, struct err *e)
{
	const char *slash = strrchr(path, '/'), *from = slash ? slash + 1 : path;
	const char *dot = strrchr(from, '.');
	char *name = xstrndup(from, dot ? (size_t)(dot - from) : strlen(from));
	bool ok = conf_set(c, "machine", name, e);
	free(name);
	return ok;
}

static bool load_machine(lua_State *L, struct machine *m, const char *gpu, u32 depth, struct err *e)
{
	char *path = m->path[depth] = catalog_path(m->data_dir, "configs/gpus", gpu, "machine", e);
	int top = lua_gettop(L);
	bool ok = path && lua_load_path(L, path, e) && lua_call_traced(L, 0, 1, e);
	if (ok && !lua_istable(L, -1))
		ok = err_set(e, "%s: a machine file returns a table of configuration keys", path);
	ok = ok && apply_base(L, m, path, depth, e) && set_name(m->c, path, e) && apply_implied(L, m->c, path, e) &&
	     apply_table(L, m, path, e);
	if (ok && m->about && !depth) {
		lua_getfield(L, -1, "help");
		if (lua_type(L, -1) == LUA_TSTRING)
			strbuf_adds(m->about, lua_tostring(L, -1));
	}
	lua_settop(L, top);
	return ok;
}

static bool load(lua_State *L, void *ctx, struct err *e)
{
	struct machine *m = ctx;
	return load_machine(L, m, m->gpu, 0, e);
}

bool machine_file(struct conf *c, struct places *from, const char *data_dir, const char *gpu, struct strbuf *about,
                  struct err *e)
{
	lua_State *L = lua_sandbox_new(NULL, data_dir, false);
	if (!L)
		return err_set(e, "out of memory");
	lua_budget(L, LUA_BUDGET_CALLBACK);
	struct machine m = {.c = c, .from = from, .data_dir = data_dir, .gpu = gpu, .about = about};
	bool ok = lua_checked(L, load, &m, 0, 0, e);
	plain_name(c->machine);
	release_keys(&m);
	for (u32 i = 0; i < ARRAY_LEN(m.path); i++)
		free(m.path[i]);
	lua_sandbox_free(L);
	return ok;
}

/* --- all that says what the machine is --- */

/* What the policy of a kind chosen last among the settings brings with it; the settings come afterwards and win. */
static bool imply_kind(struct conf *c, const char *key, const char *const *sets, u32 nsets, struct err *e)
{
	size_t n = strlen(key);
	for (u32 i = nsets; i-- > 0;)
		if (!strncmp(sets[i], key, n) && sets[i][n] == '=')
			return sim_imply(c, key, sets[i] + n + 1, e);
	return true;
}

static bool imply(struct conf *c, const char *const *sets, u32 nsets, struct err *e)
{
	bool ok = true;
	for (u32 k = 0; k < POLICY_KINDS && ok; k++)
		ok = imply_kind(c, policy_kinds[k].key, sets, nsets, e);
	return ok;
}

/* One --set. */
static bool apply_set(struct conf *c, struct places *from, const char *set, struct err *e)
{
	if (!conf_set_pair(c, set, e)) {
		err_prefix(e, PLACE_SET ": ");
		return false;
	}
	char *key = xstrndup(set, strcspn(set, "="));
	places_note(from, key, PLACE_SET);
	free(key);
	return true;
}

bool machine_conf(struct conf *c, const char *data_dir, const char *gpu, const char *const *sets, u32 nsets,
                  struct err *e)
{
	struct places from;
	struct conf_conflict of;
	places_init(&from);
	conf_defaults(c);
	bool ok = machine_file(c, &from, data_dir, gpu ? gpu : "gtx480", NULL, e) && imply(c, sets, nsets, e);
	for (u32 i = 0; i < nsets && ok; i++)
		ok = apply_set(c, &from, sets[i], e);
	plain_name(c->machine);
	ok = ok && policy_names_known(c, e); /* before what is said of two keys that do not fit each other */
	if (ok && !conf_check_keys(c, &of, e)) {
		places_tell(&from, &of, e);
		ok = false;
	}
	places_release(&from);
	return ok;
}
