/* The cuda module of host programs: memory, modules, streams, checks. Its reference is in docs_cuda.c. */
#include "session/host/cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "obs/stats/dependencies.h"
#include "session/host/launch_log.h"

/* --- handles --- */

static void check_fresh(lua_State *L, u64 generation, const char *what)
{
	if (generation != lua_session(L)->generation)
		luaL_error(L, "this %s belongs to a machine that is gone (the program was started again)", what);
}

struct module *host_check_module(lua_State *L, int at)
{
	struct module_handle *h = luaL_checkudata(L, at, MODULE_META);
	check_fresh(L, h->generation, "module");
	return h->m;
}

struct kernel_handle *host_check_kernel(lua_State *L, int at)
{
	struct kernel_handle *h = luaL_testudata(L, at, KERNEL_META);
	if (!h)
		luaL_error(L, "a kernel expected (cuda.module(file).name), got %s", luaL_typename(L, at));
	check_fresh(L, h->generation, "kernel");
	return h;
}

/* Pushes "a, b, c": the kernels of a module. */
static const char *push_kernel_names(lua_State *L, const struct module *m)
{
	luaL_Buffer b;
	u32 n = 0;
	luaL_buffinit(L, &b);
	for (u32 i = 0; i < m->nfuncs; i++)
		if (m->funcs[i].is_kernel) {
			luaL_addstring(&b, n++ ? ", " : "");
			luaL_addstring(&b, m->funcs[i].name);
		}
	luaL_pushresult(&b);
	return lua_tostring(L, -1);
}

static int module_index(lua_State *L)
{
	struct module *m = host_check_module(L, 1);
	const char *name = luaL_checkstring(L, 2);
	const struct func *fn = module_func(m, name, true);
	if (!fn)
		return luaL_error(L, "%s has no kernel '%s'; there are: %s", m->path, name, push_kernel_names(L, m));
	struct kernel_handle *k = lua_newuserdatauv(L, sizeof *k, 0);
	*k = (struct kernel_handle){lua_session(L)->generation, m, fn};
	luaL_setmetatable(L, KERNEL_META);
	return 1;
}

/* --- modules and symbols --- */

/* The first of configs/kernels/NAME, the script's directory and the working directory where the file is; to be freed.
 */
static char *find_module(struct session *s, const char *name)
{
	const char *dir = ((struct lua_host *)s->now->host)->dir;
	struct strbuf path = STRBUF_INIT;
	strbuf_addf(&path, "%s/configs/kernels/%s", s->data_dir, name);
	if (*name == '/' || access(path.buf, R_OK)) {
		strbuf_clear(&path);
		strbuf_addf(&path, "%s/%s", dir, name);
	}
	if (*name == '/' || access(path.buf, R_OK)) {
		strbuf_clear(&path);
		strbuf_adds(&path, name);
	}
	return path.buf;
}

static struct module *loaded_already(struct session *s, const char *const *paths, u32 n)
{
	for (u32 i = 0; i < sim_num_modules(s->sim); i++) {
		struct module *m = sim_module(s->sim, i);
		u32 same = 0;
		if (m->owner != sim_devmem(s->sim)->owner)
			continue; /* another program's, with variables of its own */
		while (m->nparts == n && same < n && !strcmp(m->parts[same].path, paths[same]))
			same++;
		if (same == n)
			return m;
	}
	return NULL;
}

/* The files of a name or of a table of names that are linked together. */
#define LINK_MAX 64
static u32 check_files(lua_State *L, const char *names[LINK_MAX])
{
	if (!lua_istable(L, 1)) {
		names[0] = luaL_checkstring(L, 1);
		return 1;
	}
	const lua_Unsigned n = lua_rawlen(L, 1);
	luaL_argcheck(L, n >= 1 && n <= LINK_MAX, 1, "a table of 1 to 64 files expected");
	luaL_checkstack(L, LINK_MAX, "files");
	for (u32 i = 0; i < n; i++) { /* the names stay on the stack: the table may change them for numbers */
		luaL_argcheck(L, lua_rawgeti(L, 1, (lua_Integer)i + 1) == LUA_TSTRING, 1, "the files are given by their names");
		names[i] = lua_tostring(L, -1);
	}
	return (u32)n;
}

static int cuda_module(lua_State *L)
{
	struct session *s = host_session(L);
	const char *names[LINK_MAX];
	char *paths[LINK_MAX];
	const u32 n = check_files(L, names);
	struct err e = {0};
	for (u32 i = 0; i < n; i++)
		paths[i] = find_module(s, names[i]);
	struct module *m = loaded_already(s, (const char *const *)paths, n);
	if (!m)
		m = sim_load_linked(s->sim, (const char *const *)paths, n, &e);
	for (u32 i = 0; i < n; i++)
		free(paths[i]);
	if (!m)
		return host_raise(L, &e);
	launch_log_module(s->launch_log, m);
	struct module_handle *h = lua_newuserdatauv(L, sizeof *h, 0);
	*h = (struct module_handle){s->generation, m};
	luaL_setmetatable(L, MODULE_META);
	return 1;
}

static int cuda_symbol(lua_State *L)
{
	host_session(L);
	struct module *m = host_check_module(L, 1);
	const char *name = luaL_checkstring(L, 2);
	for (u32 i = 0; i < m->nsymbols; i++) {
		const struct symbol *sym = &m->symbols[i];
		if (!strcmp(sym->name, name) && (sym->space == SPC_GLOBAL || sym->space == SPC_CONST)) {
			lua_pushinteger(L, (lua_Integer)sym->addr);
			return 1;
		}
	}
	return luaL_error(L, "%s has no global or constant variable '%s'", m->path, name);
}

/* --- memory --- */

static int cuda_host(lua_State *L)
{
	enum ptype t = array_check_type(L, 1);
	lua_Integer n = luaL_checkinteger(L, 2);
	luaL_argcheck(L, n >= 0, 2, "a negative number of elements");
	array_new(L, t, (u64)n);
	return 1;
}

static int cuda_malloc(lua_State *L)
{
	struct session *s = host_session(L);
	lua_Integer n = luaL_checkinteger(L, 1);
	const char *name = luaL_optstring(L, 2, "");
	struct err e = {0};
	luaL_argcheck(L, n > 0, 1, "the number of bytes must be positive");
	const struct answer *fed = answer_fed(L, host_answers(L), ANSWER_MALLOC);
	u64 addr = fed ? fed->value : devmem_alloc_for_host(sim_devmem(s->sim), (u64)n, name, &e);
	if (!addr)
		return host_raise(L, &e);
	if (!fed)
		launch_log_alloc(s->launch_log, addr, (u64)n);
	if (!fed)
		answer_add(host_answers(L), ANSWER_MALLOC, addr, NULL, 0);
	lua_pushinteger(L, (lua_Integer)addr);
	return 1;
}

static int free_k(lua_State *L, int status, lua_KContext ctx)
{
	struct err e = {0};
	if (answer_fed(L, host_answers(L), ANSWER_FREE))
		return 0;
	if (!devmem_free(sim_devmem(lua_session(L)->sim), (u64)luaL_checkinteger(L, 1), &e))
		return host_raise(L, &e);
	launch_log_free(lua_session(L)->launch_log, (u64)luaL_checkinteger(L, 1));
	answer_add(host_answers(L), ANSWER_FREE, 0, NULL, 0);
	return 0;
}

static int cuda_free(lua_State *L)
{
	luaL_checkinteger(L, 1);
	return host_synced(L, HOST_ALL_STREAMS, free_k);
}

static u64 copy_bytes(lua_State *L, const struct array *a)
{
	u64 all = a->n * a->width;
	lua_Integer n = luaL_optinteger(L, 3, (lua_Integer)all);
	luaL_argcheck(L, n >= 0 && (u64)n <= all, 3, "more bytes than the host array has");
	return (u64)n;
}

static int copy_k(lua_State *L, int status, lua_KContext ctx)
{
	struct devmem *d = sim_devmem(lua_session(L)->sim);
	struct array *to = array_test(L, 1), *from = array_test(L, 2);
	struct err e = {0};
	u64 n = copy_bytes(L, to ? to : from);
	enum answer_kind kind = to ? ANSWER_READ : ANSWER_WRITE;
	const struct answer *fed = answer_fed(L, host_answers(L), kind);
	if (fed) {
		if (to)
			memcpy(to->data, fed->data, MIN(n, fed->n));
		return 0;
	}
	bool ok = !n || (to ? devmem_read(d, (u64)lua_tointeger(L, 2), to->data, n, &e)
	                    : devmem_may_write(d, (u64)lua_tointeger(L, 1), n, &e) &&
	                          devmem_write(d, (u64)lua_tointeger(L, 1), from->data, n, &e));
	if (!ok)
		return host_raise(L, &e);
	if (n && from)
		launch_log_write(lua_session(L)->launch_log, (u64)lua_tointeger(L, 1), from->data, n);
	if (!to) {
		sim_copied(lua_session(L)->sim, (u64)lua_tointeger(L, 1), n, 0);
		dependencies_host_wrote(lua_session(L)->dependencies, (u64)lua_tointeger(L, 1), n);
	}
	answer_add(host_answers(L), kind, 0, to ? to->data : NULL, to ? n : 0);
	return 0;
}

static int cuda_copy(lua_State *L)
{
	struct array *to = array_test(L, 1), *from = array_test(L, 2);
	if (!to == !from)
		return luaL_error(L,
		                  "cuda.copy(to, from[, bytes]): one of the two is a host array, the other a device address");
	luaL_checkinteger(L, to ? 2 : 1);
	copy_bytes(L, to ? to : from);
	return host_synced(L, HOST_ALL_STREAMS, copy_k);
}

static int memset_k(lua_State *L, int status, lua_KContext ctx)
{
	struct devmem *d = sim_devmem(lua_session(L)->sim);
	u64 addr = (u64)luaL_checkinteger(L, 1), n = (u64)luaL_checkinteger(L, 3);
	u8 chunk[4096], probe;
	struct err e = {0};
	if (answer_fed(L, host_answers(L), ANSWER_WRITE))
		return 0;
	memset(chunk, (int)luaL_checkinteger(L, 2), sizeof chunk);
	/* The whole range first, so that an error leaves memory as it was. */
	const struct alloc *a = devmem_find(d, addr);
	bool ok = !n || devmem_read(d, addr, &probe, 1, &e);
	if (ok && n && (!a || n > a->addr + a->size - addr))
		return luaL_error(L, "cuda.memset: %I bytes are more than the allocation has from there on", (lua_Integer)n);
	ok = ok && devmem_may_write(d, addr, n, &e);
	for (u64 at = 0; ok && at < n; at += sizeof chunk)
		ok = devmem_write(d, addr + at, chunk, MIN(n - at, sizeof chunk), &e);
	if (!ok)
		return host_raise(L, &e);
	if (n)
		launch_log_fill(lua_session(L)->launch_log, addr, n, chunk[0]);
	dependencies_host_wrote(lua_session(L)->dependencies, addr, n);
	answer_add(host_answers(L), ANSWER_WRITE, 0, NULL, 0);
	return 0;
}

static int cuda_memset(lua_State *L)
{
	luaL_checkinteger(L, 1);
	lua_Integer byte = luaL_checkinteger(L, 2);
	luaL_argcheck(L, byte >= -128 && byte <= 255, 2, "not a byte");
	luaL_argcheck(L, luaL_checkinteger(L, 3) >= 0, 3, "a negative number of bytes");
	return host_synced(L, HOST_ALL_STREAMS, memset_k);
}

/* --- waiting and checking --- */

static int cuda_stream(lua_State *L)
{
	const struct session *s = host_session(L);
	struct lua_host *h = (struct lua_host *)s->now->host;
	const lua_Integer priority = luaL_optinteger(L, 1, s->now->opt->priority);
	luaL_argcheck(L, priority >= PRIORITY_FIRST && priority <= PRIORITY_LAST, 1,
	              "a priority from -5 (comes first) to 5 expected");
	h->priority = xrealloc(h->priority, h->streams + 1);
	h->priority[h->streams] = (s8)priority;
	lua_pushinteger(L, ++h->streams);
	return 1;
}

s8 host_stream_priority(const struct session *s, u32 stream)
{
	return stream ? ((struct lua_host *)s->now->host)->priority[stream - 1] : s->now->opt->priority;
}

static int nothing_k(lua_State *L, int status, lua_KContext ctx)
{
	return 0;
}

static int cuda_sync(lua_State *L)
{
	struct lua_host *h = (struct lua_host *)host_session(L)->now->host;
	if (lua_isnoneornil(L, 1))
		return host_synced(L, HOST_ALL_STREAMS, nothing_k);
	lua_Integer stream = luaL_checkinteger(L, 1);
	luaL_argcheck(L, stream >= 0 && stream <= h->streams, 1, "no such stream");
	return host_synced(L, stream, nothing_k);
}

static int checked_k(lua_State *L, int status, lua_KContext ctx)
{
	struct session *s = lua_session(L);
	struct lua_host *h = (struct lua_host *)s->now->host;
	h->checks++;
	if (!lua_isboolean(L, -2))
		return luaL_error(L, "the function given to cuda.check must return true, or false and a message");
	struct session_program *p = s->now;
	if (lua_toboolean(L, -2)) {
		p->check = MAX(p->check, CHECK_PASS);
		return 0;
	}
	const char *why = lua_isnil(L, -1) ? "no message" : luaL_tolstring(L, -1, NULL);
	strbuf_addf(&p->check_message, "%scheck %u: %s", p->check == CHECK_FAIL ? "\n" : "", h->checks, why);
	p->check = CHECK_FAIL;
	return 0;
}

static int check_k(lua_State *L, int status, lua_KContext ctx)
{
	lua_settop(L, 1);
	lua_callk(L, 0, 2, 0, checked_k);
	return checked_k(L, LUA_OK, 0);
}

static int cuda_check(lua_State *L)
{
	luaL_checktype(L, 1, LUA_TFUNCTION);
	return host_synced(L, HOST_ALL_STREAMS, check_k);
}

static int cuda_print(lua_State *L)
{
	lua_getglobal(L, "print");
	lua_insert(L, 1);
	lua_call(L, lua_gettop(L) - 1, 0);
	return 0;
}

/* --- the table --- */

static const struct entry {
	const char *name;
	lua_CFunction fn;
	enum ptype scalar; /* upvalue of the scalar wrappers */
} entries[] = {{"module", cuda_module, T_NONE},
               {"symbol", cuda_symbol, T_NONE},
               {"host", cuda_host, T_NONE},
               {"malloc", cuda_malloc, T_NONE},
               {"free", cuda_free, T_NONE},
               {"copy", cuda_copy, T_NONE},
               {"memset", cuda_memset, T_NONE},
               {"launch", host_launch, T_NONE},
               {"stream", cuda_stream, T_NONE},
               {"sync", cuda_sync, T_NONE},
               {"check", cuda_check, T_NONE},
               {"compare", array_compare, T_NONE},
               {"bind_texture", host_bind_texture, T_NONE},
               {"texture", host_texture, T_NONE},
               {"surface", host_surface, T_NONE},
               {"print", cuda_print, T_NONE},
               {"i32", host_scalar, T_S32},
               {"u32", host_scalar, T_U32},
               {"i64", host_scalar, T_S64},
               {"u64", host_scalar, T_U64},
               {"f32", host_scalar, T_F32},
               {"f64", host_scalar, T_F64}};

static void handle_meta(lua_State *L, const char *name, lua_CFunction index)
{
	luaL_newmetatable(L, name);
	if (index) {
		lua_pushcfunction(L, index);
		lua_setfield(L, -2, "__index");
	}
	lua_pushstring(L, name);
	lua_setfield(L, -2, "__metatable");
	lua_pop(L, 1);
}

void host_push_cuda(lua_State *L)
{
	handle_meta(L, MODULE_META, module_index);
	handle_meta(L, KERNEL_META, NULL);
	handle_meta(L, SCALAR_META, NULL);
	lua_createtable(L, 0, ARRAY_LEN(entries));
	for (u32 i = 0; i < ARRAY_LEN(entries); i++) {
		lua_pushinteger(L, entries[i].scalar);
		lua_pushcclosure(L, entries[i].fn, 1);
		lua_setfield(L, -2, entries[i].name);
	}
}
