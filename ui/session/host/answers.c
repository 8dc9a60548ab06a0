#include "session/host/answers.h"

#include <stdlib.h>
#include <string.h>

#include "lua/pack.h"

static const char *const names[] = {"malloc", "free",    "write", "copy back",
                                    "launch", "texture", "wait",  "look at the machine"};

const struct answer *answer_fed(lua_State *L, struct answers *l, enum answer_kind k)
{
	if (!l->feeding)
		return NULL;
	if (l->at == l->n)
		luaL_error(L, "going back: the host program did more than the first time (a %s)", names[k]);
	const struct answer *a = &l->a[l->at++];
	if (a->kind != k)
		luaL_error(L,
		           "going back: the host program did a %s where it did a %s the first time; it must be deterministic",
		           names[k], names[a->kind]);
	return a;
}

void answer_add(struct answers *l, enum answer_kind k, u64 value, const void *data, u64 n)
{
	if (l->n == l->cap) {
		l->cap = l->cap ? l->cap * 2 : 64;
		l->a = xrealloc(l->a, l->cap * sizeof *l->a);
	}
	struct answer *a = &l->a[l->n++];
	*a = (struct answer){.kind = (u8)k, .value = value, .n = n};
	if (n) {
		a->data = xmalloc(n);
		memcpy(a->data, data, n);
	}
}

/* Calls `read` with the arguments on the stack, which its value, or its message, replaces. */
static int call_protected(lua_State *L, lua_CFunction read, int upvalues)
{
	if (upvalues)
		lua_pushvalue(L, lua_upvalueindex(1));
	lua_pushcclosure(L, read, upvalues);
	lua_insert(L, 1);
	int status = lua_pcall(L, lua_gettop(L) - 1, 1, 0);
	if (status == LUA_ERRMEM)
		lua_error(L);
	if (status && lua_type(L, -1) == LUA_TSTRING) { /* `read` was not called from Lua: no place yet */
		luaL_where(L, 1);
		lua_insert(L, -2);
		lua_concat(L, 2);
	}
	return status;
}

int answer_look(lua_State *L, lua_CFunction read, int upvalues)
{
	struct answers *l = answers_of_caller(L);
	if (!l)
		return read(L);
	const struct answer *fed = answer_fed(L, l, ANSWER_LOOK);
	if (fed) {
		lua_unpack(L, fed->data, fed->n);
		return fed->value ? lua_error(L) : 1;
	}
	struct strbuf packed = STRBUF_INIT;
	int status = call_protected(L, read, upvalues);
	lua_pack(L, -1, &packed);
	answer_add(l, ANSWER_LOOK, status != LUA_OK, strbuf_str(&packed), packed.len);
	strbuf_release(&packed);
	return status ? lua_error(L) : 1;
}

static void cut(struct answers *l, u32 n)
{
	while (l->n > n)
		free(l->a[--l->n].data);
}

void answers_end_feeding(struct answers *l)
{
	l->feeding = false;
	cut(l, l->at);
}

void answers_release(struct answers *l)
{
	cut(l, 0);
	free(l->a);
	*l = (struct answers){0};
}
